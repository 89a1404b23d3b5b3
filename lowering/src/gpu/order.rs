//! Reordering the operations of kernels: shared by the scheduling passes.
//!
//! Finds the kernels with their plans, applies the order that was found for each block, and counts.
//! An order that violates a block's dependences is a bug of the pass that found it, and is not
//! applied.

use super::block_dag::BlockDag;
use melior::ir::OperationRef;
use stencil_code::Dag;
use stencil_dialects::{ods::gpu, walk};
use stencil_model::plan::Plan;
use stencil_passes::{
    framework::{PassContext, PassResult, Statistic, count_steps, statistic},
    strategy::plan,
};
use stencil_trees::Schedule;

/// Blocks that were put in order.
pub const BLOCKS: Statistic = statistic("num-blocks", "blocks that were put in order");
/// MAXLIVE (the most registers live at once) before, summed over these blocks.
pub const BEFORE: Statistic = statistic("maxlive-before", "registers live at once before, summed");
/// MAXLIVE after.
pub const AFTER: Statistic = statistic("maxlive-after", "registers live at once after, summed");

/// Blocks of fewer operations are not searched.
pub const ARITHMETIC_LEAST: usize = 4;

/// The kernels of a module with their plans.
///
/// # Errors
/// A plan that is wrong.
pub fn kernels<'c: 'a, 'a>(
    module: OperationRef<'c, 'a>,
) -> PassResult<Vec<(OperationRef<'c, 'a>, Plan)>> {
    let functions = walk::nested(module).into_iter();
    let functions = functions.filter(|operation| walk::name(operation) == gpu::FUNC);
    functions.map(|kernel| Ok((kernel, plan::checked(kernel)?.unwrap_or_default()))).collect()
}

/// Applies the order that is found for every block of a kernel; remarks on the result.
pub fn put_in_order(
    kernel: OperationRef,
    cx: &mut PassContext,
    find: impl Fn(&Dag) -> Schedule,
) -> Vec<Schedule> {
    let blocks = BlockDag::all_of(kernel).into_iter();
    let blocks = blocks.filter(|block| block.arithmetic() >= ARITHMETIC_LEAST).collect::<Vec<_>>();
    let order = |block: &BlockDag| {
        let found = find(&block.dag);
        block.reorder(&found.order);
        let what = format!(
            "{} operations in order, {} registers live at once for {}{}",
            block.dag.len(),
            found.after,
            found.before,
            found.statistics.bounds(),
        );
        cx.passed(&kernel, &what);
        count_steps(found.statistics.steps);
        cx.count(BLOCKS, 1);
        cx.count(BEFORE, u64::from(found.before));
        cx.count(AFTER, u64::from(found.after));
        found
    };
    blocks.iter().map(order).collect()
}
