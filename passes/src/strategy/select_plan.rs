//! `stencil-select-plan`: decide how each kernel is built, and write it down.
//!
//! Before: applies without `stencil.plan`, or with one that says something only.
//! After:  every apply has a complete, legal `stencil.plan = #stencil.plan<{..}>` for the target.
//!
//! Why: mechanisms do what the plan says and decide nothing, so that every decision can be printed,
//! written by hand in a test, stored and replayed. Keys that are there stay.
//! The choice: lanes along the fastest dimension, so that a warp reads whole lines, beginning where
//! a line begins if that takes no block more; a few points of
//! each thread along the slowest, which share neighbours and address arithmetic, more where a point
//! reads much, fewer where its own values fill the registers; a register cap always, because the
//! assembler aims at 32 or 64 registers without one (`strategy/choice.rs` has the limits).
//! Time loops over a sum are swept, several steps in one pass, where nothing at all is written
//! (`strategy/sweep.rs` has the rule); everything else gets the mapping `thread`.
//! What the program asks for (`stencil.constraints`) is heeded where the plan leaves it open: an
//! `occupancy` becomes `min_blocks` and a register cap. What the mapping has no means for
//! (`stream`, `shared`) gets a remark.
//! `plan=points=8,max_registers=128` gives every kernel these keys where its own plan leaves them
//! open; a list shorter than the rank is for the slowest dimensions (points) or the fastest
//! (threads). `plain=true` takes one point per thread and heeds neither plans nor constraints: the
//! kernels that others are verified against.
//! Refuses a plan that its target cannot launch, with the limit and both numbers; an unknown
//! target; unknown constraints. Takes the mapping `thread` where none is written.

use super::{
    choice::{Facts, complete},
    constraints::Constraints,
    plan, sweep,
};
use crate::framework::{
    Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, flag, refuse, statistic,
    text,
};
use melior::ir::{OperationRef, operation::OperationLike};
use std::str::FromStr;
use stencil_dialects::{build, ops::ApplyOp, walk};
use stencil_model::{
    plan::{Plan, Request, Schedule},
    target::Architecture,
};

/// The table entry.
pub const SELECT_PLAN: PassInfo = PassInfo {
    argument: "stencil-select-plan",
    summary: "decide how each kernel is built, and write it down",
    source: include_str!("select_plan.rs"),
    anchor: Anchor::Function,
    options: &[
        text("target", "architecture, as sm_90a", "sm_90a"),
        text("plan", "keys for kernels that leave them open, as points=8,max_registers=128", ""),
        flag("plain", "one point per thread, whatever was planned", false),
    ],
    statistics: &[SELECTED],
    dialects: &[],
    run: select_plan,
};

const SELECTED: Statistic = statistic("num-selected", "plans written or completed");

fn select_plan(function: OperationRef, options: &OptionValues, cx: &mut PassContext) -> PassResult {
    let target = Architecture::parse(options.text("target"))
        .map_err(|error| refuse(&function, error.to_string(), "name one of those"))?;
    let request = Request::from_str(options.text("plan"))
        .map_err(|error| refuse(&function, error.to_string(), "mend the option 'plan'"))?;
    let plain = options.flag("plain");
    for apply in walk::nested(function).into_iter().filter_map(ApplyOp::of) {
        let operation = apply.operation();
        // Points that nobody asks for have no bounds, and no kernel.
        let Some(facts) = Facts::of(apply) else { continue };
        let given = match plan::of(operation) {
            Some(Ok(plan)) if !plain => plan,
            Some(Err(why)) => {
                return Err(refuse(&operation, why, "mend the plan, or remove it"));
            }
            _ => Plan::default(),
        };
        let constraints = match plain {
            true => Constraints::default(),
            false => Constraints::of(operation)
                .map_err(|why| refuse(&operation, why, "mend the constraints, or remove them"))?,
        };
        let rank = facts.domain.len();
        let asked = match plain {
            true => Plan {
                points: vec![1; rank],
                lead: Some(0),
                schedule: Some(Schedule::Source),
                ..Plan::default()
            },
            false => request
                .complete(&given, rank)
                .map_err(|error| refuse(&operation, error.to_string(), "change the plan's keys"))?,
        };
        let is_open = !plain && asked == Plan::default() && !request.says("mapping");
        let swept = (is_open && constraints == Constraints::default())
            .then(|| sweep::by_default(apply, &facts, target))
            .flatten();
        let complete = complete(swept.unwrap_or(asked), &constraints, &facts, target);
        for key in constraints.unserved(complete.mapping) {
            let mapping = complete.mapping.word();
            cx.decline(&operation, &format!("mapping '{mapping}' has no means for '{key}'"));
        }
        if let Err(error) = complete.check(target, &facts.domain) {
            let remedy = "change the plan's keys, or choose another target";
            return Err(refuse(&operation, error.to_string(), remedy));
        }
        if complete != given || !operation.has_attribute(plan::PLAN) {
            let attribute = plan::attribute(build::context(&operation), &complete);
            build::set_attribute(operation, plan::PLAN, attribute);
            cx.count(SELECTED, 1);
        }
    }
    Ok(())
}
