//! `stencil-bind-results`: turn the results of functions into arguments that they write.
//!
//! Before: a function on fields that returns fields, temps and numbers.
//! After:  it returns nothing. A result that is an argument is that argument. Memory that the
//!         function allocates and returns is a field argument after the others. Everything else is
//!         stored to a field argument of its own before the return: all cells of a field that may
//!         be one of several, all points of a temp, a number as the only cell of a field on
//!         `[0,1]`.
//!
//! Why: a launch returns nothing. Callers of a package find results after the arguments, in their
//! order. Cells of a result that the function does not write keep what the caller had there.
//! Refuses fields and temps of unknown bounds, and results that are neither fields, temps nor
//! numbers.
//! Does not change functions without stencils, nor those that are called (inline first).

use crate::{
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, refuse, statistic,
    },
    transforms::bind_memrefs,
};
use melior::ir::{BlockLike, OperationRef, Type, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    Bounds, StencilType, attributes,
    build::{self, Inserter},
    ods::{
        builtin, func,
        stencil::{self, attribute},
    },
    types::{self, Number},
    walk,
};

/// The table entry.
pub const BIND_RESULTS: PassInfo = PassInfo {
    argument: "stencil-bind-results",
    summary: "turn the results of functions into arguments that they write",
    source: include_str!("bind_results.rs"),
    anchor: Anchor::Module,
    options: &[],
    statistics: &[BOUND],
    dialects: &[],
    run: bind_results,
};

const BOUND: Statistic = statistic("num-bound", "results that became arguments");

fn bind_results(module: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    let all = walk::nested(module);
    let called = all.iter().filter_map(|operation| walk::callee(*operation)).collect::<Vec<_>>();
    let functions = all.iter().copied().filter(|operation| walk::name(operation) == func::FUNC);
    for function in functions.collect::<Vec<_>>() {
        let name = function.attribute("sym_name").ok().and_then(attributes::string);
        let is_called = name.is_some_and(|name| called.contains(&name));
        if !is_called && holds_stencil(function) {
            bind(function, cx)?;
        }
    }
    Ok(())
}

fn holds_stencil(function: OperationRef) -> bool {
    let Some(entry) = build::entry_block(function) else { return false };
    let mut arguments = (0..entry.argument_count()).map(|at| build::argument(entry, at).r#type());
    arguments.any(types::is_field)
        || walk::nested(function).iter().any(|op| walk::name(op).starts_with("stencil."))
}

fn bind(function: OperationRef, cx: &mut PassContext) -> PassResult {
    let entry = build::entry_block(function).expect("the caller looked for a body");
    let end = walk::operations(entry).pop().filter(|end| walk::name(end) == func::RETURN);
    let Some(end) = end.filter(|end| end.operand_count() > 0) else { return Ok(()) };
    let results = end.operands().collect::<Vec<_>>();
    let of_several = results.len() > 1;
    for (position, result) in results.into_iter().enumerate() {
        let name = match of_several {
            true => format!("result{position}"),
            false => "result".to_owned(),
        };
        let value = origin(result);
        if walk::block_argument(value).is_some_and(|(block, _)| block == entry) {
            continue;
        }
        let output = output_type(end, value, position)?;
        let named = build::string(build::context(&function), &name);
        let argument = build::add_function_argument(function, output, &[(attribute::NAME, named)]);
        match walk::definition(value).filter(|made| walk::name(made) == stencil::ALLOC) {
            Some(alloc) => {
                build::replace_uses(value, argument);
                build::erase(alloc);
            }
            None => store(Inserter::before(end), value, argument),
        }
        cx.passed(&function, &format!("result {position} is argument '{name}'"));
        cx.count(BOUND, 1);
    }
    func::r#return(Inserter::before(end), &[]);
    build::erase(end);
    build::remove_attribute(function, "res_attrs");
    build::update_function_type(function);
    Ok(())
}

/// The field that a returned value is a cast of; else the value itself.
fn origin<'c: 'a, 'a>(value: Value<'c, 'a>) -> Value<'c, 'a> {
    match walk::definition(value) {
        Some(cast)
            if matches!(walk::name(&cast), stencil::CAST | builtin::UNREALIZED_CONVERSION_CAST)
                && cast.operand_count() == 1 =>
        {
            origin(cast.operand(0).expect("it has one"))
        }
        _ => value,
    }
}

/// The field that holds a result.
fn output_type<'c: 'a, 'a>(
    end: OperationRef<'c, 'a>,
    value: Value<'c, 'a>,
    position: usize,
) -> PassResult<Type<'c>> {
    let context = build::context(&end);
    let r#type = value.r#type();
    match StencilType::of(r#type) {
        Some(StencilType { bounds: Some(bounds), element, .. }) => {
            Ok(types::field(context, &bounds, element))
        }
        Some(_) => {
            let message = format!("returns result {position} of unknown bounds: {type}");
            Err(refuse(&end, message, "give the type bounds, or store the result to an argument"))
        }
        None if Number::of(r#type).is_some_and(|number| number.bytes().is_some()) => {
            Ok(types::field(context, &one_cell(), r#type))
        }
        None => {
            let message = format!("returns result {position} of type {type}");
            let remedy = "a package has results that are fields, temps with bounds, or numbers";
            Err(refuse(&end, message, remedy))
        }
    }
}

fn one_cell() -> Bounds {
    Bounds::new(vec![0], vec![1])
}

/// Stores a result to the field that holds it.
fn store<'c: 'a, 'a>(at: Inserter<'c, 'a>, value: Value<'c, 'a>, field: Value<'c, 'a>) {
    let r#type = StencilType::of(field.r#type()).expect("an output is a field");
    let bounds = r#type.bounds.expect("an output has bounds");
    let temp = match StencilType::of(value.r#type()) {
        Some(source) if source.is_field() => {
            return bind_memrefs::copy(at, value, field, &bounds);
        }
        Some(_) => value,
        None => one_point(at, value, types::temp(at.context(), &bounds, r#type.element)),
    };
    let all = attributes::make_bounds(at.context(), &bounds);
    at.create(stencil::STORE, &[temp, field], &[("bounds", all)], &[], Vec::new());
}

/// A temp of one point with a number.
fn one_point<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    number: Value<'c, 'a>,
    temp: Type<'c>,
) -> Value<'c, 'a> {
    let region = build::region_with_block(&[number.r#type()], at.location());
    let apply = stencil::apply(at, &[temp], &[number], &[], region).operation();
    let body = build::block_of(apply, 0);
    let value = build::argument(body, 0);
    Inserter::at_end(body, at.location()).create(stencil::RETURN, &[value], &[], &[], Vec::new());
    build::single(apply)
}
