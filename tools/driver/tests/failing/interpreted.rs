//! Running a random program on the interpreter, and comparing with what it gives.

use super::Failure;
use melior::ir::Module;
use stencil_driver::{
    DriverError, arguments, interpreted, monitor::Silent, session::Session, verify,
};
use stencil_runtime::{
    bind::{Assignment, Requests, Value},
    manifest::Argument,
};

/// The arguments of a function, and their values after a run.
pub type Run = (Vec<Argument>, Vec<Value>);

/// What a seed's program is run with: its scalars by position, and random fields.
pub fn requests(seed: u64, scalars: Vec<(usize, String)>) -> Requests {
    let assign = |(position, value): (usize, String)| {
        let key = position.to_string();
        Assignment { key, value }
    };
    let arguments = scalars.into_iter().map(assign).collect();
    Requests { arguments, seed, ..Requests::default() }
}

/// Runs a function of a module.
pub fn interpret<'c>(
    session: &Session<'c>,
    module: &Module<'c>,
    function: &str,
    requests: &Requests,
) -> Result<Run, DriverError> {
    let program = session.decode(module, function)?;
    let arguments = arguments::arguments(&program, module)?;
    let mut bound = arguments::bind(&arguments, requests)?;
    interpreted::run(session, &program, &arguments, &mut bound, &Silent)?;
    Ok((arguments, bound.values))
}

/// Fails at a stage unless every bit is the same.
pub fn same<S>(stage: S, (arguments, expected): &Run, found: &[Value]) -> Result<(), Failure<S>> {
    let comparison = verify::compare(arguments, expected, found);
    match comparison.is_identical() {
        true => Ok(()),
        false => Err(Failure { stage, why: verify::text(&comparison) }),
    }
}
