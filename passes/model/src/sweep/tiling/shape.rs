//! The shapes of blocks that a mapping has.

use super::LANES;
use crate::plan::{PlanError, SweepPlan, SweptBy};

/// Whether the plan's threads and points have the shape of the mapping.
pub(crate) fn check_shape(plan: &SweepPlan, rank: usize) -> Result<(), PlanError> {
    let unfit = |key, value: String, reason: &str| {
        Err(PlanError::Unfit { key, value, reason: reason.to_owned() })
    };
    let threads = plan.threads[rank - 1];
    match (plan.by, rank) {
        (SweptBy::Warp, 3) => {
            return unfit(
                "mapping",
                "\"warp\"".into(),
                "a warp sweeps rows, of at most two \
                         dimensions; take \"block\"",
            );
        }
        (SweptBy::Block, 1) => {
            return unfit(
                "mapping",
                "\"block\"".into(),
                "one dimension has no planes to stream; \
                         take \"warp\"",
            );
        }
        (_, 3) if i64::from(threads) != LANES => {
            return unfit(
                "threads",
                threads.to_string(),
                "the lanes of one warp, 32, lie along \
                         the fastest dimension, and warps along the next",
            );
        }
        _ if i64::from(threads) % LANES != 0 => {
            return unfit(
                "threads",
                threads.to_string(),
                "whole warps of 32 lie along the fastest \
                         dimension",
            );
        }
        _ => {}
    }
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
    let chunks = [("chunks", Some(plan.chunks)), ("edge_chunks", plan.edge_chunks)];
    for (key, count) in chunks.into_iter().filter_map(|(key, count)| Some((key, count?))) {
        if rank == 1 && count != 1 {
            return unfit(key, count.to_string(), "one dimension is not streamed");
        }
    }
    Ok(())
}
