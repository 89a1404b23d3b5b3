//! A program around the choice of its plans.

use crate::{
    DriverError,
    pipelines::{self, Kernels},
    session::{self, Module, Session},
};
use melior::ir::{ValueLike, operation::OperationLike};
use stencil_dialects::{
    attributes,
    build::{self, Inserter},
    ods::scf,
    walk,
};

/// Iterations of a loop that is planned as one that runs for long: a multiple of every number of
/// steps that sweeps make.
const MANY_ITERATIONS: i64 = 27_720;

/// A program as it is when plans are chosen, and a copy in which they are.
pub(crate) fn around<'c>(
    session: &Session<'c>,
    frozen: &Module<'c>,
) -> Result<[Module<'c>; 2], DriverError> {
    let (before, choice) = pipelines::around_plans();
    let mut open = session::copy(frozen);
    session.run("plans", &mut open, before, Kernels::Planned)?;
    let mut planned = session::copy(&open);
    session.run("plans", &mut planned, choice, Kernels::Planned)?;
    Ok([open, planned])
}

/// A copy whose time loops make many iterations, if their number is a constant: a run may be
/// compiled for any.
pub(crate) fn long_running<'c>(module: &Module<'c>) -> Module<'c> {
    let long = session::copy(module);
    run_for_long(&long);
    long
}

fn run_for_long(module: &Module) {
    for operation in walk::operations(module.body()) {
        let loops = build::entry_block(operation).map(walk::operations).unwrap_or_default();
        for time_loop in loops.into_iter().filter(|one| walk::name(one) == scf::FOR) {
            let constant = |position| {
                let value = time_loop.operand(position).expect("a loop has bounds and a step");
                (value, walk::constant(value).and_then(attributes::integer))
            };
            if let [(lower, Some(first)), (_, Some(_)), (_, Some(step))] = [0, 1, 2].map(constant) {
                let end = first.saturating_add(step.saturating_mul(MANY_ITERATIONS));
                let end = Inserter::before(time_loop).integer(lower.r#type(), end);
                build::set_operand(time_loop, 1, end);
            }
        }
    }
}
