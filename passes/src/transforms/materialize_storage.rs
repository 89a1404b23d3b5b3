//! `stencil-materialize-storage`: keep what one apply computes and another reads in memory.
//!
//! Before: `%t = stencil.apply(..)`, or a `stencil.combine`, that another of these reads.
//! After:  `%b = stencil.buffer %t` behind it, which everybody uses instead of `%t`.
//!
//! Why: nothing is fused across a buffer. This is how one says that a temporary pays, before
//! `stencil-inline-producers` computes all others where they are read.
//! Everybody uses the buffer, a store too, because what is buffered may be used by nothing else.
//! Requires nothing; bounds may be known or not. Declines, with a remark, what leaves points out
//! (`stencil.store_result`, a side of a combine that has no temp): memory cannot say which.
//! Its name in xDSL is `stencil-storage-materialization`.
//! Does not make the memory: `stencil-materialize-buffers` does.

use crate::{
    analysis::placement,
    framework::{Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic},
};
use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    build::{self, Inserter},
    ops, walk,
};

/// The table entry.
pub const MATERIALIZE_STORAGE: PassInfo = PassInfo {
    argument: "stencil-materialize-storage",
    summary: "keep what one apply computes and another reads in memory",
    source: include_str!("materialize_storage.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[BUFFERED, DECLINED],
    dialects: &[],
    run: materialize_storage,
};

const BUFFERED: Statistic = statistic("num-buffered", "results that are kept in memory");
const DECLINED: Statistic = statistic("num-declined", "results that leave points out");

/// Why a result that is read stays as it is.
const LEAVES_OUT: &str = "leaves points out, and memory cannot say which";

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
        let buffer = at.value(ops::BUFFER, &[result], &[], result.r#type());
        for used in users {
            build::set_operand(used.user, used.operand, buffer);
        }
        cx.count(BUFFERED, 1);
    }
    Ok(())
}

fn computes(operation: &OperationRef) -> bool {
    matches!(walk::name(operation).as_str(), ops::APPLY | ops::COMBINE)
}
