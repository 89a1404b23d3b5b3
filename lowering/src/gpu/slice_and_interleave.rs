//! `stencil-slice-and-interleave`: compute a part of a later expression where its operands are
//! available, if that frees registers.
//!
//! Before: a `gpu.module`; kernels whose plan has `schedule` = interleave, both or
//!         reorder-interleave.
//! After:  in every block of such a kernel the same operations; slices of expressions that read
//!         only what is live by then move up to it, where that shortens live ranges.
//!
//! Why: a value that two expressions read lives from the first to the second. If the part of the
//! second that reads it is computed right away, one result replaces several operands. Results are
//! bit-identical; the dependences are those of `stencil-schedule-trees`, whose order this starts
//! from where both run.
//! An order that needs more registers than before is rejected.
//! Requires equal operations to be one (`cse`).
//! Run again on its own output it may find more to move.
//! Does not order what is not moved, and does not choose (the plan does).
//! Method: algorithm 3 of Rawat et al., Register Optimizations for Stencils on GPUs, PPoPP 2018
//! (crate `stencil-trees`).

use super::order::{AFTER, BEFORE, BLOCKS, kernels, put_in_order};
use melior::ir::OperationRef;
use stencil_model::plan::Schedule;
use stencil_passes::framework::{Anchor, OptionValues, PassContext, PassInfo, PassResult, flag};
use stencil_trees::interleave;

/// The table entry.
pub const SLICE_AND_INTERLEAVE: PassInfo = PassInfo {
    argument: "stencil-slice-and-interleave",
    summary: "move slices of later expressions forward to where that frees registers",
    source: include_str!("slice_and_interleave.rs"),
    anchor: Anchor::GpuModule,
    options: &[flag("all", "every kernel, whatever its plan says", false)],
    statistics: &[BLOCKS, BEFORE, AFTER],
    dialects: &[],
    run: slice_and_interleave,
};

fn slice_and_interleave(
    module: OperationRef,
    options: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    for (kernel, plan) in kernels(module)? {
        let wanted = plan.schedule.is_some_and(Schedule::interleaves);
        if wanted || options.flag("all") {
            put_in_order(kernel, cx, |dag| interleave(dag, &dag.source_order()));
        }
    }
    Ok(())
}
