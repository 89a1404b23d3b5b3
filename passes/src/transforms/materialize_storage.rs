//! `stencil-materialize-storage`: buffer temps between applies in memory.
//!
//! Before: `%t = stencil.apply(..)`, or a `stencil.combine`, that another of these reads.
//! After:  `%b = stencil.buffer %t` after it, which replaces all other uses of `%t`.
//!
//! Why: nothing is fused across a buffer. This marks temporaries to keep, before
//! `stencil-inline-producers` inlines all others.
//! All uses are replaced, stores too, because a buffered temp must have no other use. Requires
//! nothing; bounds may be known or not. Declines, with a remark, temps with unwritten points
//! (`stencil.store_result`, a side of a combine without a temp), which memory cannot represent.
//! Its name in xDSL is `stencil-storage-materialization`.
//! Does not allocate memory: `stencil-materialize-buffers` does.

use crate::{
    analysis::placement,
    framework::{Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic},
};
use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    build::{self, Inserter},
    ods::stencil,
    walk,
};

/// The table entry.
pub const MATERIALIZE_STORAGE: PassInfo = PassInfo {
    argument: "stencil-materialize-storage",
    summary: "buffer temps between applies in memory",
    source: include_str!("materialize_storage.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[BUFFERED, DECLINED],
    dialects: &[],
    run: materialize_storage,
};

const BUFFERED: Statistic = statistic("num-buffered", "results that are kept in memory");
const DECLINED: Statistic = statistic("num-declined", "results with unwritten points");

/// The reason to decline a result.
const LEAVES_OUT: &str = "has unwritten points, which memory cannot represent";

fn materialize_storage(
    function: OperationRef,
    _: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    let computing = walk::nested(function).into_iter().filter(computes);
    for result in computing.flat_map(|op| op.results().map(Value::from).collect::<Vec<_>>()) {
        if !walk::uses(result).iter().any(|used| computes(&used.user)) {
            continue;
        }
        let definition = walk::definition(result).expect("it is a result");
        if placement::may_leave_out(result) {
            cx.decline(&definition, LEAVES_OUT);
            cx.count(DECLINED, 1);
            continue;
        }
        let users = walk::uses(result);
        let at = Inserter::after(definition);
        let buffer = at.value(stencil::BUFFER, &[result], &[], result.r#type());
        for used in users {
            build::set_operand(used.user, used.operand, buffer);
        }
        cx.count(BUFFERED, 1);
    }
    Ok(())
}

fn computes(operation: &OperationRef) -> bool {
    matches!(walk::name(operation), stencil::APPLY | stencil::COMBINE)
}
