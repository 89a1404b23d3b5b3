//! The pipelines of a program's sweeps as text, drawn by the model from what the ops say.
//!
//! A time loop becomes sweeps of T steps, of half as many, and so on, each of them twice: out to
//! other buffers, and home. Those that do the same are drawn once, with fields of several that
//! rotate called as in the first.

use super::statements;
use melior::ir::{Module, OperationRef};
use std::{collections::BTreeSet, ops::Range};
use stencil_dialects::{Bounds, ods::sweep::StagesOp, sweep::KernelOp, walk};
use stencil_model::{
    plan::{Form, Storage, SweepPlan},
    sweep::{
        check::Sweep,
        drawing::{drawing, slots},
        queue::SlotPlace,
    },
};
use stencil_passes::{analysis::sweep::describe, strategy::plan};

/// What is shown for a program without sweeps.
const NONE: &str = "no kernel is a sweep; plans with mapping = \"warp\" or \"block\" make sweeps\n";

/// The drawings of all sweeps of a module that holds every decision about them.
pub fn text(module: &Module) -> String {
    let mut known = BTreeSet::new();
    let drawn = walk::nested(module.as_operation()).into_iter().filter_map(of_operation);
    let drawn = drawn.filter(|drawn| known.insert(drawn.key.clone()));
    let drawn = drawn.map(|drawn| drawn.text).collect::<Vec<_>>();
    match drawn.is_empty() {
        true => NONE.to_owned(),
        false => drawn.join("\n"),
    }
}

/// A sweep as text.
pub(super) struct Drawn {
    /// The same for all sweeps that do the same.
    pub key: String,
    /// The drawing.
    pub text: String,
}

fn of_operation(operation: OperationRef) -> Option<Drawn> {
    let several = || StagesOp::of(operation).and_then(statements::text);
    let one = |kernel| {
        let text = of_kernel(kernel);
        Drawn { key: text.clone(), text }
    };
    KernelOp::of(operation).map(one).or_else(several)
}

fn of_kernel(kernel: KernelOp) -> String {
    let plan = plan::sweep(kernel.operation()).ok().flatten().unwrap_or_default();
    let drawn = drawing(&placed(describe(kernel)), planes(&kernel.domain()));
    format!("{}\n{drawn}", head(&kernel.stage(), &plan))
}

/// The first line of a drawing.
pub(super) fn head(stage: &str, plan: &SweepPlan) -> String {
    let chunks = plan.chunks;
    let mut head = format!("sweep \"{stage}\", mapping {}", plan.by.mapping().word());
    if chunks > 1 {
        head.push_str(&format!(", each of {chunks} chunks of the planes in this way"));
    }
    head
}

/// The planes of a domain.
pub(super) fn planes(domain: &Bounds) -> Range<i64> {
    match domain.rank() {
        1 => 0..1,
        _ => domain.lower[0]..domain.upper[0],
    }
}

/// Slots whose place is not given are in registers.
fn placed(sweep: Sweep) -> Sweep {
    let has_queue = sweep.form == Form::Gather && sweep.storage == Storage::Queue;
    match (has_queue, &sweep.slots) {
        (true, None) => {
            let places = vec![SlotPlace::Register; slots(&sweep)];
            Sweep { slots: Some(places), ..sweep }
        }
        _ => sweep,
    }
}
