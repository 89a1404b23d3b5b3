//! `stencil-bind-symbols`: turn Devito's symbols into function arguments.
//!
//! Before: `"devito.load_symbolic"() {symbol_name = "dt"}` anywhere, calls of `timer_start` and
//!         `timer_end`, stores of their results.
//! After:  one function argument per symbol and type, after the others, with the argument attribute
//!         `stencil.symbol = "dt"`; inside an apply the symbol is a scalar operand. Calls of the
//!         timers and stores of their results are gone.
//!
//! Why: scalars are kernel parameters, and a package must name those that a launch sets. Declines
//! nothing. Refuses a symbol in a function that is called (inline first), and one without a name.
//! Does not give symbols a value: the caller does.

use super::place;
use crate::framework::{
    Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, refuse, statistic,
};
use melior::ir::{BlockLike, OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    attributes, build,
    ods::{func, llvm, stencil::attribute},
    ops::ApplyOp,
    walk,
};

/// The table entry.
pub const BIND_SYMBOLS: PassInfo = PassInfo {
    argument: "stencil-bind-symbols",
    summary: "turn Devito's symbols into function arguments, drop its timers",
    source: include_str!("bind_symbols.rs"),
    anchor: Anchor::Module,
    options: &[],
    statistics: &[SYMBOLS, TIMERS],
    dialects: &[],
    run: bind_symbols,
};

const SYMBOLS: Statistic = statistic("num-symbols", "function arguments made for symbols");
const TIMERS: Statistic = statistic("num-timers", "timer calls removed");

const LOAD_SYMBOLIC: &str = "devito.load_symbolic";

fn bind_symbols(module: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    let functions = walk::nested(module)
        .into_iter()
        .filter(|operation| walk::name(operation) == func::FUNC)
        .collect::<Vec<_>>();
    for function in &functions {
        remove_timers(*function, cx);
        let loads = symbol_loads(*function)?;
        if loads.is_empty() {
            continue;
        }
        if let Some(call) = call_of(module, *function) {
            let remedy = "run the upstream pass 'inline' first";
            return Err(refuse(&call, "calls a function that reads symbols", remedy));
        }
        for (load, symbol) in loads {
            bind(*function, load, &symbol, cx);
        }
    }
    Ok(())
}

fn symbol_loads<'c: 'a, 'a>(
    function: OperationRef<'c, 'a>,
) -> PassResult<Vec<(OperationRef<'c, 'a>, String)>> {
    let mut loads = Vec::new();
    for operation in walk::nested(function) {
        if walk::name(&operation) != LOAD_SYMBOLIC {
            continue;
        }
        let name = operation.attribute("symbol_name").ok().and_then(attributes::string);
        match name {
            Some(name) if operation.result_count() == 1 => loads.push((operation, name)),
            _ => {
                let remedy = "write \"devito.load_symbolic\"() {symbol_name = \"dt\"} : () -> f32";
                return Err(refuse(&operation, "needs a 'symbol_name' and one result", remedy));
            }
        }
    }
    Ok(loads)
}

fn call_of<'c: 'a, 'a>(
    module: OperationRef<'c, 'a>,
    function: OperationRef<'c, 'a>,
) -> Option<OperationRef<'c, 'a>> {
    let name = function.attribute("sym_name").ok().and_then(attributes::string)?;
    walk::nested(module)
        .into_iter()
        .find(|operation| walk::callee(*operation).as_ref() == Some(&name))
}

fn bind<'c: 'a, 'a>(
    function: OperationRef<'c, 'a>,
    load: OperationRef<'c, 'a>,
    symbol: &str,
    cx: &mut PassContext,
) {
    let result = build::single(load);
    if walk::uses(result).is_empty() {
        build::erase(load);
        return;
    }
    let argument = symbol_argument(function, symbol, result).unwrap_or_else(|| {
        cx.count(SYMBOLS, 1);
        let name = build::string(build::context(&function), symbol);
        build::add_function_argument(function, result.r#type(), &[(attribute::SYMBOL, name)])
    });
    build::replace_uses(result, enter_applies(load, argument));
    build::erase(load);
}

/// The existing argument for the symbol, with the wanted type.
fn symbol_argument<'c: 'a, 'a>(
    function: OperationRef<'c, 'a>,
    symbol: &str,
    wanted: Value<'c, 'a>,
) -> Option<Value<'c, 'a>> {
    let entry = build::entry_block(function)?;
    (0..entry.argument_count())
        .map(|position| build::argument(entry, position))
        .enumerate()
        .find_map(|(position, argument)| {
            let name = build::argument_attribute(function, position, attribute::SYMBOL)?;
            let same = attributes::string(name)? == symbol && argument.r#type() == wanted.r#type();
            same.then_some(argument)
        })
}

/// The value inside the region around `user`: applies are isolated, so it becomes an operand of
/// every enclosing apply.
fn enter_applies<'c: 'a, 'a>(user: OperationRef<'c, 'a>, outer: Value<'c, 'a>) -> Value<'c, 'a> {
    let mut apply = user.parent_operation();
    while let Some(operation) = apply {
        if let Some(view) = ApplyOp::of(operation) {
            return place::argument(view, outer);
        }
        apply = operation.parent_operation();
    }
    outer
}

/// Removes calls of declared timers, stores of their results, and operations used only by those
/// stores.
fn remove_timers(function: OperationRef, cx: &mut PassContext) {
    let calls = walk::nested(function)
        .into_iter()
        .filter(|operation| {
            matches!(walk::callee(*operation).as_deref(), Some("timer_start" | "timer_end"))
        })
        .collect::<Vec<_>>();
    // Later calls use the results of earlier ones.
    for call in calls.into_iter().rev() {
        let users = call.results().flat_map(|result| walk::uses(result.into())).collect::<Vec<_>>();
        if users.iter().all(|used| walk::name(&used.user) == llvm::STORE) {
            for used in users {
                let pointer = used.user.operand(1).ok();
                build::erase(used.user);
                if let Some(load) = pointer.and_then(walk::definition)
                    && walk::name(&load) == LOAD_SYMBOLIC
                    && walk::uses(build::single(load)).is_empty()
                {
                    build::erase(load);
                }
            }
            build::erase(call);
            cx.count(TIMERS, 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use melior::ir::Module;

    #[test]
    fn callee_is_read_from_the_symbol() {
        let context = stencil_dialects::context::new_context();
        let module = Module::parse(
            &context,
            "func.func private @timer_start() -> f64\n\
             func.func @f() { %0 = func.call @timer_start() : () -> f64 return }",
        )
        .unwrap();
        let call = walk::nested(module.as_operation())
            .into_iter()
            .find(|operation| walk::name(operation) == "func.call")
            .unwrap();
        assert_eq!(walk::callee(call).as_deref(), Some("timer_start"));
    }
}
