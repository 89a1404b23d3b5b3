//! A time loop in parts: loops of pairs of sweeps, and the loop as it was for what is left.

use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    attributes,
    build::{self, Inserter},
    ods::{arith, scf, stencil::attribute},
    walk,
};
use stencil_model::plan::{Remainder, SweepPlan};
use stencil_passes::analysis::alias::Carried;

/// The state of a loop: the next value of its induction variable, and of its slots.
#[derive(Clone)]
pub struct Progress<'c, 'a> {
    /// The induction variable.
    pub induction: Value<'c, 'a>,
    /// The slots.
    pub slots: Vec<Value<'c, 'a>>,
}

/// What is split.
pub struct Split<'c, 'a> {
    /// Where loops are made.
    pub host: Host<'c, 'a>,
    /// Iterations that pairs of sweeps may take.
    pub left: Value<'c, 'a>,
    /// The end of the loop as it was.
    pub end: Value<'c, 'a>,
}

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

/// Makes loops of pairs of so many steps each, and leaves the rest of the iterations to the loop.
pub fn split<'c: 'a, 'a>(
    time_loop: OperationRef<'c, 'a>,
    Split { host, mut left, end }: Split<'c, 'a>,
    chain: &[usize],
    mut make_loop: impl FnMut(usize, Value<'c, 'a>, &Progress<'c, 'a>) -> Progress<'c, 'a>,
) {
    let mut progress = start(time_loop);
    for steps in chain {
        let (count, rest) = host.divide(left, *steps);
        progress = make_loop(*steps, count, &progress);
        left = rest;
    }
    build::set_operand(time_loop, 0, progress.induction);
    build::set_operand(time_loop, 1, end);
    for (slot, value) in progress.slots.into_iter().enumerate() {
        build::set_operand(time_loop, 3 + slot, value);
    }
}

/// An empty loop of so many pairs of sweeps of `steps` steps, and the state after it.
pub fn pair_loop<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    time_loop: OperationRef<'c, 'a>,
    (steps, count): (usize, Value<'c, 'a>),
    from: &Progress<'c, 'a>,
) -> (OperationRef<'c, 'a>, Progress<'c, 'a>) {
    let step = time_loop.operand(2).expect("a loop has a step");
    let steps = at.integer(step.r#type(), 2 * steps as i64);
    let stride = arith::muli(at, step, steps);
    let span = arith::muli(at, stride, count);
    let end = arith::addi(at, from.induction, span);
    let types = from.slots.iter().map(ValueLike::r#type).collect::<Vec<_>>();
    let mut operands = vec![from.induction, end, stride];
    operands.extend(&from.slots);
    let arguments = [step.r#type()].into_iter().chain(types.iter().copied());
    let region = build::region_with_block(&arguments.collect::<Vec<_>>(), at.location());
    let made = at.create(scf::FOR, &operands, &[], &types, vec![region]);
    let slots = (0..types.len()).map(|slot| build::result(made, slot)).collect();
    (made, Progress { induction: end, slots })
}

/// The state at the start of a loop.
fn start<'c: 'a, 'a>(time_loop: OperationRef<'c, 'a>) -> Progress<'c, 'a> {
    let carried = Carried::of(time_loop).expect("a time loop is a loop");
    let induction = time_loop.operand(0).expect("a loop has a lower bound");
    let slots = (0..carried.count()).map(|slot| carried.initial(slot)).collect();
    Progress { induction, slots }
}

/// Marks the op that computes the number of iterations of a loop.
pub fn mark<'c: 'a, 'a>(time_loop: OperationRef<'c, 'a>, iterations: Value<'c, 'a>) {
    let operation = walk::definition(iterations).expect("an op computes it");
    let step = time_loop.operand(2).expect("a loop has a step");
    let note = match walk::constant(step).and_then(attributes::integer) {
        Some(step) => format!("{step} : i64"),
        None => "unit".to_owned(),
    };
    let note = build::attribute(build::context(&operation), &note);
    build::set_attribute(operation, attribute::TIME_STEPS, note);
}

/// The number of iterations of a loop, an op of its own.
pub fn iterations<'c: 'a, 'a>(host: Host<'c, 'a>, upper: Value<'c, 'a>) -> Value<'c, 'a> {
    let constant = |value: Value<'c, 'a>| walk::constant(value).and_then(attributes::integer);
    if let (Some(lower), Some(upper), Some(step @ 1..)) =
        (constant(host.lower), constant(upper), constant(host.step))
    {
        let span = i128::from(upper) - i128::from(lower);
        let count = (span + i128::from(step) - 1).div_euclid(i128::from(step)).max(0);
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        return host.at.integer(host.lower.r#type(), count);
    }
    let span = host.binary(arith::SUBI, upper, host.lower);
    let less = host.binary(arith::SUBI, host.step, host.number(1));
    let above = host.binary(arith::ADDI, span, less);
    // Rounds towards zero: a negative span gives zero or less.
    let count = host.binary(arith::DIVSI, above, host.step);
    host.binary(arith::MAXSI, count, host.number(0))
}

/// The steps of the sweeps of a loop, the most first, and no fewer than `least`.
pub fn chain(plan: &SweepPlan, least: usize) -> Vec<usize> {
    let halves = std::iter::successors(Some(plan.steps as usize), |steps| Some(steps / 2));
    let most = match plan.remainder {
        Remainder::Halved => usize::MAX,
        Remainder::Single => 1,
    };
    halves.take_while(|steps| *steps >= least).take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::{Remainder, SweepPlan};

    fn chain(steps: u32, levels: usize, remainder: Remainder) -> Vec<usize> {
        super::chain(&SweepPlan { steps, remainder, ..SweepPlan::default() }, levels.max(2))
    }

    #[test]
    fn steps_are_halved_as_long_as_a_sweep_leaves_all_levels() {
        let halved = |steps, levels| chain(steps, levels, Remainder::Halved);
        assert_eq!(halved(12, 1), [12, 6, 3]);
        assert_eq!(halved(8, 1), [8, 4, 2]);
        assert_eq!(halved(5, 3), [5]);
        assert_eq!(halved(2, 2), [2]);
    }

    #[test]
    fn a_remainder_of_single_steps_needs_no_other_sweep() {
        assert_eq!(chain(12, 1, Remainder::Single), [12]);
    }
}
