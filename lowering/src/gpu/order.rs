//! Putting the operations of kernels in order: what the passes that do so share.
//!
//! Which kernels there are and what their plans say, how a block gets the order that was found for
//! it, and what is counted of that. An order that a block does not allow is a bug of whoever found
//! it, and is not carried out. Which order is a good one is no matter of this file.

use super::straight_code::StraightCode;
use melior::ir::OperationRef;
use stencil_dialects::walk;
use stencil_model::plan::Plan;
use stencil_passes::{
    framework::{PassContext, PassResult, Statistic, statistic},
    strategy::plan,
};
use stencil_trees::{Code, Schedule};

/// Blocks that were put in order.
pub const BLOCKS: Statistic = statistic("num-blocks", "blocks that were put in order");
/// MAXLIVE before, of all these blocks.
pub const BEFORE: Statistic = statistic("maxlive-before", "registers live at once before, summed");
/// MAXLIVE behind.
pub const AFTER: Statistic = statistic("maxlive-after", "registers live at once after, summed");

/// Fewer operations than this have no order worth a search.
pub const ARITHMETIC_LEAST: usize = 4;

/// The kernels of a module with their plans.
///
/// # Errors
/// A plan that is wrong.
pub fn kernels<'c: 'a, 'a>(
    module: OperationRef<'c, 'a>,
) -> PassResult<Vec<(OperationRef<'c, 'a>, Plan)>> {
    let functions = walk::nested(module).into_iter();
    let functions = functions.filter(|operation| walk::name(operation) == "gpu.func");
    functions.map(|kernel| Ok((kernel, plan::checked(kernel)?.unwrap_or_default()))).collect()
}

/// Brings every block of a kernel into the order that is found for it; says what was found.
pub fn put_in_order(
    kernel: OperationRef,
    cx: &mut PassContext,
    find: impl Fn(&Code) -> Schedule,
) -> Vec<Schedule> {
    let codes = StraightCode::all_of(kernel).into_iter();
    let codes = codes.filter(|code| code.arithmetic() >= ARITHMETIC_LEAST).collect::<Vec<_>>();
    let order = |code: &StraightCode| {
        let found = find(&code.code);
        code.reorder(&found.order);
        let what = format!(
            "{} operations in order, {} registers live at once for {}",
            code.code.items().len(),
            found.after,
            found.before,
        );
        cx.passed(&kernel, &what);
        cx.count(BLOCKS, 1);
        cx.count(BEFORE, u64::from(found.before));
        cx.count(AFTER, u64::from(found.after));
        found
    };
    codes.iter().map(order).collect()
}
