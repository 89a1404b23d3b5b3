//! `stencil-materialize-buffers`: allocate memory for every `stencil.buffer`.
//!
//! Before: `%b = stencil.buffer %t`.
//! After:  `%f = stencil.alloc`, a store of `%t` to all of it, and `%b = stencil.load %f`. A buffer
//!         that is a field becomes the allocated field.
//!
//! Why: the storage becomes explicit in the program. Otherwise a buffer only prevents fusion, and
//! `stencil-unify-applies` removes it.
//! Requires `stencil-infer-bounds`: an allocation has its extents in its type. Declines, with a
//! remark, buffers of unknown bounds, and of temps with unwritten points, which memory cannot
//! represent.
//! Does not share memory between buffers, and does not take it out of loops (the lowering does).

use crate::{
    analysis::placement,
    framework::{Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic},
};
use melior::ir::{OperationRef, ValueLike, operation::OperationLike};
use stencil_dialects::{
    Bounds, StencilType, attributes,
    build::{self, Inserter},
    ods::stencil,
    types, walk,
};

/// The table entry.
pub const MATERIALIZE_BUFFERS: PassInfo = PassInfo {
    argument: "stencil-materialize-buffers",
    summary: "allocate memory for every buffer",
    source: include_str!("materialize_buffers.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[ALLOCATED, DECLINED],
    dialects: &[],
    run: materialize_buffers,
};

const ALLOCATED: Statistic = statistic("num-allocated", "buffers replaced by memory");
const DECLINED: Statistic = statistic("num-declined", "buffers left as they were");

fn materialize_buffers(
    function: OperationRef,
    _: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    for buffer in walk::nested(function) {
        if walk::name(&buffer) != stencil::BUFFER {
            continue;
        }
        let temp = buffer.operand(0).expect("a buffer has an operand");
        let known = StencilType::of(temp.r#type()).and_then(|r#type| r#type.bounds);
        match legal(known, placement::may_leave_out(temp)) {
            Ok(bounds) => {
                rewrite(buffer, &bounds);
                cx.count(ALLOCATED, 1);
            }
            Err(why) => {
                cx.decline(&buffer, why);
                cx.count(DECLINED, 1);
            }
        }
    }
    Ok(())
}

/// The bounds of a buffer's memory.
fn legal(bounds: Option<Bounds>, leaves_out: bool) -> Result<Bounds, &'static str> {
    match (bounds, leaves_out) {
        (_, true) => Err("buffers a temp with unwritten points, which memory cannot represent"),
        (None, false) => Err("has unknown bounds: run stencil-infer-bounds first"),
        (Some(bounds), false) => Ok(bounds),
    }
}

/// Replaces a buffer by memory.
pub(super) fn rewrite(buffer: OperationRef, bounds: &Bounds) {
    let (temp, result) = (buffer.operand(0).expect("it was looked at"), build::single(buffer));
    let element = StencilType::of(temp.r#type()).expect("the operand is a temp").element;
    let at = Inserter::before(buffer);
    let field = at.value(stencil::ALLOC, &[], &[], types::field(at.context(), bounds, element));
    let all = attributes::make_bounds(at.context(), bounds);
    at.create(stencil::STORE, &[temp, field], &[("bounds", all)], &[], Vec::new());
    let kept = match types::is_field(result.r#type()) {
        true => field,
        false => at.value(stencil::LOAD, &[field], &[], result.r#type()),
    };
    build::replace_uses(result, kept);
    build::erase(buffer);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_needs_bounds_and_all_points() {
        let bounds = Bounds::new(vec![-1], vec![9]);
        assert_eq!(legal(Some(bounds.clone()), false), Ok(bounds.clone()));
        let without = legal(None, false).unwrap_err();
        assert_ne!(legal(Some(bounds), true).unwrap_err(), without);
    }
}
