//! A run as several runs of the function, for fewer time steps each.
//!
//! Devices that share a domain exchange planes between them. Everything of the function is
//! repeated, also what the compiler puts before and after the loops: so each is what the function
//! does for so many steps, whatever kernels it has. A run that another one goes on from need not
//! leave what only the caller reads: the single steps that leave older levels are made at the end.

use super::{HostError, Recorder, Slot, Stop};
use crate::{
    manifest::{Function, Statement, TimeSteps},
    scalar::ScalarValue,
    time_loop::{StepsError, TimeLoop},
};
use std::{num::NonZeroU64, ops::Range};

/// Records runs of `every` steps, and one of the remainder; at least one.
pub(super) fn record(
    recorder: &mut Recorder<'_>,
    function: &Function,
    every: NonZeroU64,
) -> Result<(), HostError> {
    let refused = |error: StepsError| HostError::Pieces(error.to_string());
    let time_loop = TimeLoop::of(function).map_err(refused)?;
    time_loop.check_exchanges(every).map_err(refused)?;
    match function.time_steps {
        Some(steps) => shared(recorder, function, steps, every),
        None => plain(recorder, &time_loop, every),
    }
}

/// Loops that share a number of steps: each run has another number, and its counters go on.
fn shared(
    recorder: &mut Recorder<'_>,
    function: &Function,
    TimeSteps { value, step, .. }: TimeSteps,
    every: NonZeroU64,
) -> Result<(), HostError> {
    let start = TimeSteps::place(&function.time_steps.expect("it was given"), &function.body) + 1;
    let (head, rest) = function.body.split_at(start);
    scalars(recorder, head)?;
    let all = recorder.scalar(value);
    let (piece, total) = (every.get() / step, u64::try_from(all.signed()).unwrap_or(0));
    let shared = function.decomposition.as_ref();
    let after = shared.map_or(0, |shared| shared.iterations_after(&function.body));
    for made in pieces(total, piece) {
        // What follows makes all of the single steps.
        let goes_on = total - made.end >= after.max(1);
        recorder.zeros = match shared {
            Some(shared) if goes_on => shared.last_iterations.clone(),
            _ => Vec::new(),
        };
        recorder.left = Some((made.end - made.start, step));
        recorder.counted = counted((made.start, step));
        recorder.body(head)?;
        let count = i64::try_from(made.end - made.start).expect("a part of a number that fits");
        recorder.values.insert(value, Slot::Scalar(ScalarValue::from_integer(all.ty(), count)));
        recorder.body(rest)?;
        recorder.stop(Stop { steps: made.end * step, carried: Vec::new() })?;
    }
    recorder.left = None;
    recorder.counted = 0;
    recorder.zeros.clear();
    Ok(())
}

/// A plain loop: each run makes other iterations, whose counter goes on.
fn plain(
    recorder: &mut Recorder<'_>,
    time_loop: &TimeLoop<'_>,
    every: NonZeroU64,
) -> Result<(), HostError> {
    let only = *time_loop.last();
    scalars(recorder, &time_loop.function.body[..only.place])?;
    let [lower, upper, step] =
        [only.lower, only.upper, only.step].map(|id| recorder.scalar(id).signed());
    if step <= 0 {
        return Err(HostError::LoopStep { induction: only.induction, step });
    }
    let step = step.unsigned_abs();
    let distance = if upper > lower { upper.abs_diff(lower) } else { 0 };
    for made in pieces(distance.div_ceil(step), every.get() / step) {
        let steps = made.end * step;
        recorder.iterations = Some(made);
        recorder.body(&time_loop.function.body)?;
        recorder.stop(Stop { steps, carried: Vec::new() })?;
    }
    recorder.iterations = None;
    Ok(())
}

/// The ranges of iterations of the runs.
fn pieces(total: u64, piece: u64) -> impl Iterator<Item = Range<u64>> {
    let count = total.div_ceil(piece).max(1);
    (0..count).map(move |run| run * piece..((run + 1) * piece).min(total))
}

/// The bounds of a loop that makes some of its iterations.
pub(super) fn bounds([lower, upper, step]: [i64; 3], made: &Range<u64>) -> (i64, i64) {
    let at = |iteration: u64| {
        let distance = step.unsigned_abs().saturating_mul(iteration);
        lower.saturating_add_unsigned(distance)
    };
    (at(made.start), at(made.end).min(upper))
}

/// What so many iterations of so many time steps add to a loop's counter.
pub(super) fn counted((iterations, step): (u64, u64)) -> i64 {
    i64::try_from(iterations.saturating_mul(step)).unwrap_or(i64::MAX)
}

/// Evaluates the scalars before the loops.
fn scalars(recorder: &mut Recorder<'_>, before: &[Statement]) -> Result<(), HostError> {
    let is_scalar = |statement: &&Statement| {
        matches!(statement, Statement::Constant { .. } | Statement::Scalar { .. })
    };
    before.iter().filter(is_scalar).try_for_each(|statement| recorder.statement(statement))
}
