//! Programs of the dialect as text in the language of STENCILGEN: the way back.
//!
//! Requires functions in which an apply is a kernel: a load is a name of a field's memory, and each
//! result of an apply is stored once or read by other applies (`stencil-unify-applies`,
//! `stencil-lower-combines`, `stencil-place-copies`). Read again with `--strict`, the text computes
//! the same bits. Plans are not written. What the language lacks (conditions at a point, 16-bit
//! floats, 64-bit integers) is refused at the op.

mod names;
mod point;
mod program;
mod time_loop;

use melior::ir::{Module, OperationRef, RegionLike, operation::OperationLike};
use program::Program;
use stencil_dialects::{
    build, diagnostics,
    ods::{func, stencil},
    types::Number,
    walk,
};

/// A diagnostic was emitted.
#[derive(Debug)]
struct Refused;

/// The text of all programs of a module, one for each function with a body; none after diagnostics.
pub fn export(module: &Module) -> Option<String> {
    let functions = walk::nested(module.as_operation()).into_iter();
    let functions = functions.filter(|operation| walk::name(operation) == func::FUNC);
    let with_body = functions.filter(|function| {
        function.regions().next().is_some_and(|region| region.first_block().is_some())
    });
    let mut texts = Vec::new();
    for function in with_body {
        texts.push(Program::of(function).ok()?);
    }
    if texts.is_empty() {
        let error = diagnostics::error(&module.as_operation(), "has no function to export");
        error.help(format!("a program is a 'func.func' with a '{}'", stencil::APPLY)).emit();
        return None;
    }
    Some(texts.join("\n"))
}

/// Whether all functions can be exported without `stencil-place-copies`: what a load gives is not
/// stored over before its last use but by its user, and a result is stored once, right after its
/// apply, or only read by other applies.
pub fn is_direct(module: &Module) -> bool {
    let nested = walk::nested(module.as_operation());
    nested.into_iter().all(|operation| match walk::name(&operation) {
        stencil::LOAD => is_fresh(operation),
        stencil::APPLY => operation.results().all(|result| {
            let users = walk::uses(result.into()).into_iter().map(|it| it.user);
            let stores = users.clone().filter(|user| walk::name(user) == stencil::STORE);
            match stores.count() {
                0 => true,
                1 => users.count() == 1,
                _ => false,
            }
        }),
        stencil::STORE => follows_its_apply(operation),
        _ => true,
    })
}

/// Whether no store comes between a load and its uses, all in its block.
fn is_fresh(load: OperationRef) -> bool {
    let field = load.operand(0).expect("a load has a field");
    let mut left = walk::uses(build::result(load, 0)).len();
    let mut next = load.next_in_block();
    let mut is_stored = false;
    while let Some(operation) = next.filter(|_| left > 0) {
        let uses = operation.operands().filter(|operand| walk::definition(*operand) == Some(load));
        let uses = uses.count();
        if uses > 0 && is_stored {
            return false;
        }
        left -= uses;
        is_stored |= walk::name(&operation) == stencil::STORE && operation.operand(1) == Ok(field);
        // A loop may store to any field.
        is_stored |= operation.regions().any(|region| region.first_block().is_some())
            && walk::name(&operation) != stencil::APPLY;
        next = operation.next_in_block();
    }
    left == 0
}

/// Whether only stores and allocations lie between a store and the apply whose result it stores.
fn follows_its_apply(store: OperationRef) -> bool {
    let temp = store.operand(0).expect("a store has a temp");
    let apply = walk::definition(temp).filter(|apply| walk::name(apply) == stencil::APPLY);
    let mut next = apply.and_then(|apply| apply.next_in_block());
    let passes = |one: &OperationRef| [stencil::STORE, stencil::ALLOC].contains(&walk::name(one));
    while let Some(operation) = next.filter(passes) {
        if operation == store {
            return true;
        }
        next = operation.next_in_block();
    }
    false
}

/// Refuses at an op.
fn refuse<'c: 'a, 'a>(
    operation: &impl OperationLike<'c, 'a>,
    message: impl AsRef<str>,
    help: impl Into<String>,
) -> Refused {
    diagnostics::error(operation, message).help(help).emit();
    Refused
}

/// The language's word for a type.
fn word(number: Option<Number>) -> Option<&'static str> {
    match number? {
        Number::Integer(1) => Some("bool"),
        Number::Integer(32) => Some("int"),
        Number::F32 => Some("float"),
        Number::F64 => Some("double"),
        _ => None,
    }
}

/// What to do about a type that the language lacks.
const TYPES: &str = "types are bool, int, float and double; --element-type converts floats";
