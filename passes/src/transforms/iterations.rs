//! The iterations of a time loop: their number, and host arithmetic on it.

use crate::analysis::trip_count::{constant, known, rounded_up, trip_count};
use melior::ir::{
    OperationRef, Value, ValueLike, attribute::DictionaryAttribute, operation::OperationLike,
};
use stencil_dialects::{
    attributes,
    build::{self, Inserter},
    ods::{arith, func, stencil::attribute},
    walk,
};

/// Builder of host arithmetic in the type of the induction variable.
#[derive(Clone, Copy)]
pub struct Host<'c, 'a> {
    /// Insertion point.
    pub at: Inserter<'c, 'a>,
    /// The lower bound of the loop.
    pub lower: Value<'c, 'a>,
    /// Its step.
    pub step: Value<'c, 'a>,
}

impl<'c: 'a, 'a> Host<'c, 'a> {
    /// A number of the loop's type.
    pub fn number(&self, number: usize) -> Value<'c, 'a> {
        self.at.integer(self.lower.r#type(), number as i64)
    }

    /// An operation of two operands.
    pub fn binary(&self, name: &str, one: Value<'c, 'a>, two: Value<'c, 'a>) -> Value<'c, 'a> {
        self.at.binary(name, one, two)
    }

    /// The induction variable after so many iterations from the loop's start.
    pub fn induction_after(&self, iterations: Value<'c, 'a>) -> Value<'c, 'a> {
        let span = self.binary(arith::MULI, iterations, self.step);
        self.binary(arith::ADDI, self.lower, span)
    }

    /// Saturating difference: 0 if negative.
    pub fn excess(&self, one: Value<'c, 'a>, two: Value<'c, 'a>) -> Value<'c, 'a> {
        let difference = self.binary(arith::SUBI, one, two);
        self.binary(arith::MAXSI, difference, self.number(0))
    }

    /// The number of pairs of sweeps in a number of iterations, and the remainder.
    pub fn divide(
        &self,
        iterations: Value<'c, 'a>,
        steps: usize,
    ) -> (Value<'c, 'a>, Value<'c, 'a>) {
        let taken = self.number(2 * steps);
        let count = self.binary(arith::DIVSI, iterations, taken);
        (count, self.binary(arith::REMSI, iterations, taken))
    }
}

/// The number of iterations of a loop, an op of its own.
pub fn iterations<'c: 'a, 'a>(host: Host<'c, 'a>, upper: Value<'c, 'a>) -> Value<'c, 'a> {
    if let (Some(lower), Some(upper), Some(step @ 1..)) =
        (constant(host.lower), constant(upper), constant(host.step))
    {
        return host.at.integer(host.lower.r#type(), rounded_up(lower, upper, step));
    }
    let span = host.binary(arith::SUBI, upper, host.lower);
    let less = host.binary(arith::SUBI, host.step, host.number(1));
    let above = host.binary(arith::ADDI, span, less);
    // Rounds towards zero: a negative span gives zero or less.
    let count = host.binary(arith::DIVSI, above, host.step);
    host.binary(arith::MAXSI, count, host.number(0))
}

/// A number of iterations at the end of a time loop that are not fused, because what they leave of
/// older levels is read after the loop. Where the steps are made in runs of which only the last one
/// has such a reader, the number is marked.
pub fn last_iterations<'c: 'a, 'a>(
    host: Host<'c, 'a>,
    time_loop: OperationRef<'c, 'a>,
    number: usize,
) -> Value<'c, 'a> {
    let made = host.number(number);
    if function_of(time_loop).is_some_and(|it| it.has_attribute(attribute::DECOMPOSITION)) {
        let operation = walk::definition(made).expect("a number is an op");
        let unit = build::attribute(build::context(&operation), "unit");
        build::set_attribute(operation, attribute::LAST_ITERATIONS, unit);
    }
    made
}

fn function_of<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    let mut parents =
        std::iter::successors(operation.parent_operation(), |it| it.parent_operation());
    parents.find(|parent| walk::name(parent) == func::FUNC)
}

/// Marks the op that computes the number of iterations of a loop, unless the function has such an
/// op: then this number follows from that one. After another loop it is not marked either: that
/// loop has steps of its own. A branch makes no time steps.
pub fn mark<'c: 'a, 'a>(time_loop: OperationRef<'c, 'a>, iterations: Value<'c, 'a>) {
    let is_marked = |operation: &OperationRef| operation.has_attribute(attribute::TIME_STEPS);
    let holds_marks = |function| walk::nested(function).iter().any(is_marked);
    if walk::is_branch(time_loop) || function_of(time_loop).is_some_and(holds_marks) {
        return;
    }
    let operation = walk::definition(iterations).expect("an op computes it");
    let siblings = operation.block().map(walk::operations).unwrap_or_default();
    let mut before = siblings.into_iter().take_while(|sibling| *sibling != operation);
    if before.any(|sibling| walk::is_loop(&sibling)) {
        return;
    }
    let step = time_loop.operand(2).expect("a loop has a step");
    let note = match walk::constant(step).and_then(attributes::integer) {
        Some(step) => format!("{step} : i64"),
        None => "unit".to_owned(),
    };
    let note = build::attribute(build::context(&operation), &note);
    build::set_attribute(operation, attribute::TIME_STEPS, note);
}

/// What a loop that several devices share does at once: iterations between exchanges, none for
/// other loops.
pub fn between_exchanges(time_loop: OperationRef) -> Option<i64> {
    let shared = function_of(time_loop)?.attribute(attribute::DECOMPOSITION).ok()?;
    let entries = DictionaryAttribute::try_from(shared).ok()?;
    let steps = attributes::integer(entries.element_by_name("steps")?)?;
    let step = known(time_loop.operand(2).ok()?)?;
    (step > 0).then(|| steps / step)
}

/// The number of iterations that are fused in one go, if it is constant, and how many of them stay
/// single for the sake of what is read after the loop, given those of a run to its end: devices
/// that share a domain make most of them between exchanges, where nobody reads older levels.
pub fn fused_in_one_go(time_loop: OperationRef, last: i64) -> (Option<i64>, i64) {
    let count = trip_count(time_loop);
    match between_exchanges(time_loop) {
        Some(between) if count.is_none_or(|count| count > between) => (Some(between), 0),
        _ => (count, last),
    }
}
