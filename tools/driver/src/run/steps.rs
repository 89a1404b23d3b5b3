//! Time steps of a function: another number than the program states, none below zero, and no more
//! than its tables have values for.
//!
//! What may be set, and what is refused, is decided where packages decide it: on the host program,
//! exported with plain kernels, whose loops are the source's own.

use crate::{
    DriverError,
    pipelines::Kernels,
    session::{self, Session},
};
use melior::ir::{Module, OperationRef, ValueLike, operation::OperationLike};
use std::collections::BTreeSet;
use stencil_dialects::{
    attributes,
    build::{self, Inserter},
    ods::stencil::attribute,
    walk,
};
use stencil_runtime::{
    Manifest, RuntimeError, ScalarValue,
    bind::{Requests, Value},
    manifest::Function,
    time_loop::{self, StepsError},
};

/// Makes a function whose arithmetic is frozen, and its variants, run so many time steps: by one
/// more request where an argument says how many, else by another bound of its time loop.
pub fn set<'c>(
    session: &Session<'c>,
    frozen: &Module<'c>,
    function: &str,
    steps: u64,
    requests: &mut Requests,
) -> Result<(), DriverError> {
    let program = host_program(session, frozen)?;
    let host = program.function(Some(function)).map_err(RuntimeError::from)?;
    let bound = time_loop::set_bound(host, steps, requests).map_err(RuntimeError::from)?;
    if let Some(bound) = bound {
        let variants = swept_variants(frozen, &program, function);
        let all = variants.iter().map(String::as_str).chain([function]);
        all.for_each(|name| set_bound(frozen, name, bound));
    }
    Ok(())
}

/// Makes every function of a program that has a time loop run so many time steps. An argument that
/// says how many is the caller's.
pub fn set_all<'c>(
    session: &Session<'c>,
    frozen: &Module<'c>,
    steps: u64,
) -> Result<(), DriverError> {
    let program = host_program(session, frozen)?;
    let mut without = None;
    let mut done = BTreeSet::new();
    for function in &program.functions {
        let mut requests = Requests::default();
        match time_loop::set_bound(function, steps, &mut requests) {
            Ok(Some(bound)) => {
                let variants = swept_variants(frozen, &program, &function.name);
                for name in variants.iter().chain([&function.name]) {
                    set_bound(frozen, name, bound);
                }
                done.insert(function.name.as_str());
            }
            Ok(None) => return Err(callers(function, &requests)),
            Err(error @ StepsError::NoLoop(_)) => without = Some(error),
            Err(error) => return Err(RuntimeError::from(error).into()),
        }
    }
    match without {
        Some(error) if done.is_empty() => Err(RuntimeError::from(error).into()),
        _ => Ok(()),
    }
}

/// The variants of a function for some extents. They make the steps that it makes, and have no
/// plain kernels of their own.
fn swept_variants(frozen: &Module, program: &Manifest, base: &str) -> Vec<String> {
    let is_variant = |function: OperationRef| {
        let of = function.attribute(attribute::VARIANT_OF).ok().and_then(attributes::string);
        of.as_deref() == Some(base)
    };
    let is_plain = |name: &String| program.functions.iter().any(|function| function.name == *name);
    let all = session::functions(frozen).into_iter();
    let variants = all.filter(|(name, function)| is_variant(*function) && !is_plain(name));
    variants.map(|(name, _)| name).collect()
}

/// An argument says how many steps are made; nothing can be compiled in.
fn callers(function: &Function, requests: &Requests) -> DriverError {
    let position = requests.arguments.first().and_then(|one| one.key.parse::<usize>().ok());
    let argument = position
        .map(|position| stencil_runtime::bind::describe(position, &function.arguments[position]));
    let (name, argument) = (&function.name, argument.unwrap_or_default());
    DriverError::Option(format!(
        "the number of time steps of function '{name}' is {argument}, which its callers give; \
         leave --steps out"
    ))
}

/// Refuses a negative number of time steps, and one for which a table has no values.
pub fn check<'c>(
    session: &Session<'c>,
    frozen: &Module<'c>,
    function: &str,
    values: &[Value],
) -> Result<(), DriverError> {
    let is_negative = |value: &Value| match value {
        Value::Scalar(value) => value.ty().is_integer() && value.signed() < 0,
        Value::Field(_) => false,
    };
    let is_limited = session::find_function(frozen, function)
        .is_some_and(|function| function.has_attribute(attribute::STEP_LIMITS));
    if !is_limited && !values.iter().any(is_negative) {
        return Ok(());
    }
    // What cannot be lowered says so when it is compiled, and runs on the interpreter as it is.
    let Ok(program) = session.suppressing_diagnostics(|| host_program(session, frozen)) else {
        session.clear_suppressed_error();
        return Ok(());
    };
    let host = program.function(Some(function)).map_err(RuntimeError::from)?;
    Ok(time_loop::check_steps(host, values).map_err(RuntimeError::from)?)
}

fn host_program<'c>(session: &Session<'c>, frozen: &Module<'c>) -> Result<Manifest, DriverError> {
    session.export(&session.map(frozen, Kernels::Plain)?)
}

/// Gives the time loop of a function, its only loop at the top level, another upper bound.
fn set_bound(module: &Module, function: &str, bound: ScalarValue) {
    let function = session::find_function(module, function).expect("it was exported");
    let time_loop = build::entry_block(function)
        .and_then(|entry| walk::operations(entry).into_iter().find(walk::is_loop));
    let time_loop: OperationRef = time_loop.expect("the exported function has one loop");
    let old = time_loop.operand(1).expect("a loop has an upper bound");
    let constant = Inserter::before(time_loop).integer(old.r#type(), bound.signed());
    build::set_operand(time_loop, 1, constant);
}
