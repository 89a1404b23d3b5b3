//! The pipelines of a program's sweeps as text, drawn by the model from what the ops say.
//!
//! A time loop becomes sweeps of T steps, of half as many, and so on, each of them twice: out to
//! other buffers, and home. Those that do the same are drawn once.

use melior::ir::Module;
use std::collections::BTreeSet;
use stencil_dialects::{sweep::KernelOp, walk};
use stencil_model::{
    plan::{Form, Storage},
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
    let kernels = walk::nested(module.as_operation()).into_iter().filter_map(KernelOp::of);
    let drawn = kernels.map(of_kernel).filter(|drawn| known.insert(drawn.clone()));
    let drawn = drawn.collect::<Vec<_>>();
    match drawn.is_empty() {
        true => NONE.to_owned(),
        false => drawn.join("\n"),
    }
}

fn of_kernel(kernel: KernelOp) -> String {
    let plan = plan::sweep(kernel.operation()).ok().flatten().unwrap_or_default();
    let chunks = plan.chunks;
    let mut head = format!("sweep \"{}\", mapping {}", kernel.stage(), plan.mapping().word());
    if chunks > 1 {
        head.push_str(&format!(", each of {chunks} chunks of the planes in this way"));
    }
    let domain = kernel.domain();
    let planes = match domain.rank() {
        1 => 0..1,
        _ => domain.lower[0]..domain.upper[0],
    };
    format!("{head}\n{}", drawing(&placed(describe(kernel)), planes))
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
