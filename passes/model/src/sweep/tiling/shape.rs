//! The shapes of blocks that a mapping has.

use crate::plan::{PlanError, Skew, SweepPlan};

/// Whether the plan's threads and points have the shape of the mapping.
pub(crate) fn check_shape(plan: &SweepPlan, rank: usize) -> Result<(), PlanError> {
    let unfit = |key, value: String, reason: &str| {
        Err(PlanError::Unfit { key, value, reason: reason.to_owned() })
    };
    plan.by.check(&plan.threads)?;
    if rank > 1 && plan.points_along(0) != 1 {
        let points = plan.points_along(0).to_string();
        return unfit("points", points, "the slowest dimension is streamed: one point along it");
    }
    if rank > 1 && plan.threads[0] != plan.lines() {
        return unfit(
            "threads",
            plan.threads[0].to_string(),
            "the slowest dimension is streamed: one thread along it; several take a line each in \
             two dimensions, with mapping = \"block\"",
        );
    }
    if rank == 1 && plan.skew() == Skew::Lazy {
        let reason = "one dimension is not streamed, and has no later iteration; take \"tight\"";
        return unfit("skew", format!("{:?}", plan.skew().word()), reason);
    }
    let chunks = [("chunks", Some(plan.chunks)), ("edge_chunks", plan.edge_chunks)];
    for (key, count) in chunks.into_iter().filter_map(|(key, count)| Some((key, count?))) {
        if rank == 1 && count != 1 {
            return unfit(key, count.to_string(), "one dimension is not streamed");
        }
    }
    Ok(())
}
