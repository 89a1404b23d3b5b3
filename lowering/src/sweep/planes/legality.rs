//! What a mapping of a sweep does not support.

use super::{buffers::BufferPlan, exchange};
use crate::sweep::shape::{self, Shape};
use stencil_dialects::{
    ops::AccessOp,
    sweep::{Argument, KernelOp},
    walk,
};
use stencil_model::plan::{Form, Loads, Skew};
use stencil_passes::framework::{PassResult, refuse};

/// Refuses a kernel whose plan cannot be followed.
pub fn check(kernel: KernelOp, shape: &Shape, form: Form, plan: &BufferPlan) -> PassResult {
    let operation = shape.operation;
    exchange::check(kernel, shape, form)?;
    check_older(kernel, shape, form)?;
    if shape.plan.skew() == Skew::Lazy && !plan.slots.is_empty() {
        let what = "has slots in shared memory, but a lazy skew keeps planes besides the queue";
        return Err(refuse(&operation, what, "take skew = \"tight\", or all slots in registers"));
    }
    if matches!(shape.plan.loads, Loads::Halo { .. }) {
        let what = "copies no cells around its tiles, only sweeps of all statements of a loop do";
        let remedy =
            "take loads = \"ring\", or give the plan to the loop around it (--plan loop:KEY=..)";
        return Err(refuse(&operation, what, remedy));
    }
    if shape.plan.loads.ring().is_some() && !shape.is_copied {
        let bytes = shape.bytes() * shape.vector;
        let what = format!("needs asynchronous copies of {bytes} bytes, which do not exist");
        let remedy = "take loads = \"prefetch\" and leave 'ring' out of the plan, or rows and \
                      points of a thread that are multiples of 4 bytes";
        return Err(refuse(&operation, what, remedy));
    }
    Ok(())
}

/// Refuses reads of older levels that no queue keeps.
fn check_older(kernel: KernelOp, shape: &Shape, form: Form) -> PassResult {
    if kernel.carried().len() > 1 {
        let streamed = &shape.tiling.streamed;
        let (behind, delay) = (i64::from(streamed.reach.behind), streamed.behind(1));
        // Circular arrays are longer for older levels.
        let keeps = behind == delay || shape.tiling.takes_lines();
        if form == Form::Scatter || !keeps {
            let remedy = "take form = \"gather\" and skew = \"tight\", or mapping = \"thread\"";
            let what = "reads an older level, whose planes this queue does not keep";
            return Err(refuse(&kernel.operation(), what, remedy));
        }
    }
    for access in walk::nested(kernel.operation()).into_iter().filter_map(AccessOp::of) {
        let Some(Argument::Carried(age @ 1..)) = kernel.argument_of(access.source()) else {
            continue;
        };
        if age > 1 || shape::offset(access) != [0; 3] {
            let remedy =
                "read it at the point itself, one level back, or take mapping = \"thread\"";
            return Err(refuse(&access.operation(), "reads an older level elsewhere", remedy));
        }
    }
    Ok(())
}
