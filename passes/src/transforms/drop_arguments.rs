//! `stencil-drop-arguments`: remove arguments that nothing uses and that no launch can pass.
//!
//! Before: a function with arguments of any type: pointers such as Devito's `%timers`, handles of
//!         other dialects, memrefs, fields of unknown bounds.
//! After:  unused arguments are gone unless they are fields with bounds or numbers, as are names,
//!         loads and addresses that were made of them and that nothing uses.
//!
//! Why: a package describes fields with bounds and numbers only. Hosts often pass more than a
//! kernel needs. A launcher then has one argument less: positions count those that are left, and a
//! remark names what was removed.
//! Requires `stencil-bind-symbols`, which removes what writes results of timers.
//! Does not remove unused fields with bounds, nor numbers: callers pass them.

use crate::framework::{
    Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic,
};
use melior::ir::{BlockLike, OperationRef, Type, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    StencilType, build,
    ods::{builtin, llvm, memref, stencil},
    types::{self, Number},
    walk,
};

/// The table entry.
pub const DROP_ARGUMENTS: PassInfo = PassInfo {
    argument: "stencil-drop-arguments",
    summary: "remove arguments that nothing uses and that no launch can pass",
    source: include_str!("drop_arguments.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[DROPPED],
    dialects: &[],
    run: drop_arguments,
};

const DROPPED: Statistic = statistic("num-dropped", "arguments removed");

fn drop_arguments(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    let Some(entry) = build::entry_block(function) else { return Ok(()) };
    for position in (0..entry.argument_count()).rev() {
        let argument = build::argument(entry, position);
        let r#type = argument.r#type();
        if is_passed(r#type) || !erase_unused_users(argument) {
            continue;
        }
        cx.passed(&function, &format!("argument {position} of type {type} is not used: removed"));
        build::remove_function_argument(function, position);
        cx.count(DROPPED, 1);
    }
    Ok(())
}

/// Whether a package describes arguments of a type.
fn is_passed(r#type: Type) -> bool {
    match StencilType::of(r#type) {
        Some(stencil) => {
            let is_number = types::element_bytes(stencil.element).is_some();
            stencil.is_field() && stencil.bounds.is_some() && is_number
        }
        None => Number::of(r#type).is_some(),
    }
}

/// Erases what was made of a value if nothing uses that; returns whether nothing uses the value.
fn erase_unused_users<'c: 'a, 'a>(value: Value<'c, 'a>) -> bool {
    if !users_are_unused(value) {
        return false;
    }
    // An op that has the value as several operands is among its users as often.
    while let Some(used) = walk::uses(value).first() {
        for result in used.user.results() {
            erase_unused_users(result.into());
        }
        build::erase(used.user);
    }
    true
}

fn users_are_unused<'c: 'a, 'a>(value: Value<'c, 'a>) -> bool {
    walk::uses(value).into_iter().all(|used| {
        is_view(walk::name(&used.user))
            && used.user.results().all(|result| users_are_unused(result.into()))
    })
}

/// Ops without effect of their own.
fn is_view(name: &str) -> bool {
    matches!(
        name,
        stencil::LOAD
            | stencil::CAST
            | stencil::EXTERNAL_LOAD
            | builtin::UNREALIZED_CONVERSION_CAST
            | memref::CAST
            | llvm::GETELEMENTPTR
    )
}
