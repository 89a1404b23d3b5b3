//! `convert-sweep-to-planes`: say what a block does with the planes of its tile.
//!
//! Before: `sweep.kernel`s with their form and slots, and `sweep.stages`.
//! After:  a `sweep.tiled` for each: its shared memory, and a loop over planes with one iteration,
//!         in which all levels are computed. Ages of copies, planes in flight, fences and boundary
//!         values are explicit; threads are not.
//!
//! Why: what follows from the plan (which planes are kept where, what is exchanged, where barriers
//! are needed) is decided once, can be read, and can be run by the interpreter, which finds a copy
//! that is read too early or overwritten too soon. The assignment of points to threads comes after.
//! In gather form a level keeps planes in loop-carried tiles, in slots of shared memory, or as
//! whole planes there; in scatter form it keeps sums. `turns` of the loop says how many iterations
//! are unrolled, so that no value moves and ages are constants.
//! Of several statements each stream is at its own distance behind the arriving plane, as the
//! pipeline of `stencil-model` says; its older planes are loop-carried tiles.
//! Constants that are no immediates of instructions become scalars of the kernel.
//! Requires `sweep-retime` and `sweep-place-slots`.
//! Refuses what no mapping supports: reads of an older level elsewhere than at the point,
//! asynchronous copies of sizes that do not exist, storages that do not go with the form.
//! Does not choose tiles, form, storage or loads (the plan does), nor assign points to threads
//! (`convert-stencil-to-gpu-threads` does).

use super::{planes, statements};
use melior::ir::OperationRef;
use stencil_dialects::{ods::sweep::StagesOp, sweep::KernelOp, walk};
use stencil_passes::framework::{
    Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic,
};

/// The table entry.
pub const CONVERT_SWEEP_TO_PLANES: PassInfo = PassInfo {
    argument: "convert-sweep-to-planes",
    summary: "say what a block does with the planes of its tile",
    source: include_str!("convert_sweep_to_planes.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[CONVERTED],
    dialects: &["sweep", "arith"],
    run: convert_sweep_to_planes,
};

const CONVERTED: Statistic = statistic("num-converted", "kernels in the planes form");

fn convert_sweep_to_planes(
    function: OperationRef,
    _: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    // Ops are erased: the lists must not be read again.
    let kernels = walk::nested(function).into_iter().filter_map(KernelOp::of).collect::<Vec<_>>();
    for kernel in kernels {
        planes::build(kernel)?;
        cx.count(CONVERTED, 1);
    }
    let several = walk::nested(function).into_iter().filter_map(StagesOp::of).collect::<Vec<_>>();
    for stages in several {
        statements::planes::build(stages)?;
        cx.count(CONVERTED, 1);
    }
    Ok(())
}
