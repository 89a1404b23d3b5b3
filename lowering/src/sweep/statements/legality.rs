//! What sweeps of several statements do not do, with the remedy.

use super::graph::Levels;
use crate::sweep::shape;
use stencil_dialects::{ods::sweep::StagesOp, types};
use stencil_model::{
    plan::{Form, Rotation, Storage, SweepPlan},
    sweep::tiling::COPY_BYTES_LEAST,
};
use stencil_passes::framework::{PassResult, refuse};

/// Refuses what sweeps of several statements do not do.
pub fn check(stages: StagesOp, plan: &SweepPlan) -> PassResult {
    let operation = stages.operation();
    let no = |what: String, remedy: &str| Err(refuse(&operation, what, remedy));
    // Several lines have another storage, which would be named otherwise.
    if plan.lines() > 1 {
        let what = "takes one plane of several statements an iteration".to_owned();
        return no(what, "take one thread along the slowest dimension");
    }
    if plan.storage() != Storage::Queue || plan.queue_registers().is_some() {
        let what = "keeps planes of several statements in registers only".to_owned();
        return no(what, "take storage = \"queue\", and leave 'queue_registers' out");
    }
    if plan.form() == Form::Scatter {
        let what = "computes a point of several statements at once".to_owned();
        return no(what, "take form = \"gather\"");
    }
    let is_copied = plan.loads.copied_ahead().is_some();
    if is_copied && plan.threads.len() < 3 {
        let what = "copies planes of several statements in three dimensions only".to_owned();
        return no(what, "take loads = \"prefetch\" or \"direct\"");
    }
    let element = shape::element_of(stages.fields()[0]);
    let bytes = types::element_bytes(element).map_or(1, i64::from);
    if is_copied && bytes < COPY_BYTES_LEAST {
        let what = format!(
            "copies values of {bytes} bytes, and an asynchronous copy has \
                            {COPY_BYTES_LEAST} at least"
        );
        return no(what, "take loads = \"prefetch\" or \"direct\"");
    }
    Ok(())
}

/// Iterations in the code of a kernel; more take long to compile, and leave the instruction cache.
const TURNS_MAX: i64 = 24;

/// Refuses to unroll very many iterations.
pub fn check_turns(levels: &Levels, plan: &SweepPlan) -> PassResult {
    let turns = levels.pipeline.turns(plan.rotation);
    if plan.rotation == Rotation::Move || turns <= TURNS_MAX {
        return Ok(());
    }
    let what = format!(
        "unrolls {turns} iterations until all planes are in their first registers again, at most \
         {TURNS_MAX} are"
    );
    Err(refuse(&levels.stages.operation(), what, "take rotation = \"move\""))
}
