//! The greatest number of time steps: a function's tables have values for so many.
//!
//! The limits are values of the induction variable of the source's loop. Loops that share the steps
//! have other steps, but the first starts where the source's does, and their number of iterations
//! is marked.

use super::{Loop, StepsError, TimeLoop};
use crate::{
    bind::describe,
    manifest::{Function, Id, StepLimit, TimeSteps},
    scalar::ScalarValue,
};
use std::collections::HashMap;

/// What a time loop does, in the source's counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// The first value of the induction variable.
    pub start: i64,
    /// Time steps, a multiple of `step`.
    pub steps: u64,
    /// Time steps of an iteration.
    pub step: u64,
}

/// Refuses steps for which a table has no values.
pub(super) fn check(function: &Function, span: Span) -> Result<(), StepsError> {
    let Span { start, steps, .. } = span;
    if steps == 0 {
        return Ok(());
    }
    if let Some(limit) = function.step_limits.iter().find(|limit| start < limit.first) {
        return Err(StepsError::Early { table: table(function, limit), start, first: limit.first });
    }
    match least(function, span) {
        Some((limit, most)) if most < steps => {
            Err(StepsError::Limit { table: table(function, limit), start, steps, most })
        }
        _ => Ok(()),
    }
}

/// The table with values for the fewest steps from a start, and how many.
pub(super) fn least(
    function: &Function,
    Span { start, step, .. }: Span,
) -> Option<(&StepLimit, u64)> {
    let of = |limit: &StepLimit| match limit.last < start {
        true => 0,
        false => (limit.last.abs_diff(start) / step).saturating_add(1).saturating_mul(step),
    };
    let most = function.step_limits.iter().map(|limit| (limit, of(limit)));
    most.min_by_key(|(_, most)| *most)
}

/// A table as messages name it.
pub(super) fn table(function: &Function, limit: &StepLimit) -> String {
    match limit.argument.map(|position| position as usize) {
        Some(position) => describe(position, &function.arguments[position]),
        None => "a table that is no argument".to_owned(),
    }
}

impl TimeLoop<'_> {
    /// The steps of its loops, if some known values determine them: one span if the loops share
    /// the steps, else one for each.
    pub(super) fn spans(&self, known: &HashMap<Id, ScalarValue>) -> Vec<Span> {
        let number = |one: &Loop<'_>, id: Id| {
            self.numbers(one.place, known.clone()).get(&id).copied().map(ScalarValue::signed)
        };
        if let Some(TimeSteps { step, .. }) = self.function.time_steps {
            let start = self.loops.first().and_then(|first| number(first, first.lower));
            let iterations = self.iterations(known.clone()).map(ScalarValue::signed);
            let span = start.zip(iterations).map(|(start, iterations)| {
                let iterations = u64::try_from(iterations).unwrap_or(0);
                Span { start, steps: iterations.saturating_mul(step), step }
            });
            return span.into_iter().collect();
        }
        let span = |one: &Loop<'_>| {
            let [start, end, step] = [one.lower, one.upper, one.step].map(|id| number(one, id));
            let (start, end) = (start?, end?);
            let step = u64::try_from(step?).ok().filter(|step| *step > 0)?;
            let distance = if end > start { end.abs_diff(start) } else { 0 };
            Some(Span { start, steps: distance.div_ceil(step).saturating_mul(step), step })
        };
        self.loops.iter().filter_map(span).collect()
    }
}
