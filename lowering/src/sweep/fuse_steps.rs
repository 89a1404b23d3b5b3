//! `sweep-fuse-steps`: fuse several time steps into one sweep.
//!
//! Before: a time loop whose only statement is a `sweep.kernel` of one step, with a plan of T > 1
//!         steps.
//! After:  loops of pairs of sweeps, the first of T steps each, the next of T/2, and so on (with
//!         `remainder = "single"` the first only); then the loop as it was, for the iterations that
//!         are left. The number of iterations is one op
//!         with the attribute `stencil.time_steps`, from which the trip counts follow, also if it
//!         is not constant. The attribute's value is the step of the loop, if that is a constant.
//!
//! Why: reads and writes of global memory fall by T. Every level has the domain of the step, and
//! cells outside it are those of the field that the level belongs to (see `time_loop.rs`): memory
//! after the loops is bit-identical. Scalars that the host computes in an iteration are computed
//! for every level.
//! The final contents of the fields: with `tail = "unfused"` the last iterations stay single steps,
//! as many as there are fields that a pair does not write back; none if those are not read
//! afterwards. With `tail = "scratch"` the remaining iterations come first, and the second sweep of
//! the last pair writes the levels of all fields.
//! Each kernel's plan has its own number of steps, so the pass is idempotent. Requires
//! `convert-stencil-to-sweep`. Must not be followed by folding, which could remove the op with the
//! number of iterations.
//! Refuses a plan of several steps where iterations are not levels of one sweep: other statements
//! in the loop, slots that are not permuted or may hold one field, fields that are read at other
//! than constant offsets or by two names, more levels read than steps made.
//! Does not decide the number of steps (the plan does), nor where levels lie (later passes do).
//! Method: overlapped temporal tiling in ping-pong passes.

use super::pairs::{Pair, Pairs, Progress};
use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    attributes,
    build::{self, Inserter},
    ods::{arith, stencil::attribute},
    sweep::{self, KernelOp},
    walk,
};
use stencil_model::plan::{Remainder, SweepPlan, Tail};
use stencil_passes::{
    analysis::{
        statement::{Statement, Unfit},
        time_loop::TimeLoop,
    },
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, refuse, statistic,
    },
    strategy::plan,
};

/// The table entry.
pub const FUSE_STEPS: PassInfo = PassInfo {
    argument: "sweep-fuse-steps",
    summary: "fuse several time steps into one sweep",
    source: include_str!("fuse_steps.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[FUSED],
    dialects: &["sweep", "scf"],
    run: fuse_steps,
};

const FUSED: Statistic = statistic("num-fused", "time loops whose iterations were fused");

fn fuse_steps(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    let kernels = walk::nested(function).into_iter().filter_map(KernelOp::of).collect::<Vec<_>>();
    for kernel in kernels {
        let operation = kernel.operation();
        let plan = plan::sweep(operation)?;
        let Some(plan) = plan.filter(|plan| plan.steps > 1 && kernel.steps() == 1) else {
            continue;
        };
        let time_loop = legal(kernel, &plan).map_err(|Unfit { what, remedy }| {
            let steps = plan.steps;
            refuse(&operation, format!("cannot make {steps} steps at once: it {what}"), remedy)
        })?;
        let rotation = time_loop.rotation();
        let tail = match plan.tail {
            Tail::Scratch if (plan.steps as usize) < rotation => {
                let what = format!(
                    "{} steps leave fewer levels than the {rotation} fields take: the last \
                     iterations stay unfused",
                    plan.steps
                );
                cx.decline(&operation, &what);
                Tail::Unfused
            }
            tail => tail,
        };
        cx.passed(&operation, &format!("makes {} steps at once", plan.steps));
        cx.count(FUSED, 1);
        Fusion { time_loop, kernel, plan, tail }.rewrite();
    }
    Ok(())
}

fn legal<'c: 'a, 'a>(
    kernel: KernelOp<'c, 'a>,
    plan: &SweepPlan,
) -> Result<TimeLoop<'c, 'a>, Unfit> {
    let statement = Statement::of_kernel(kernel).ok_or_else(|| {
        Unfit::new("writes several fields, or such of unknown bounds", "make one step at a time")
    })?;
    let time_loop = TimeLoop::of(&statement)?;
    time_loop.check_steps(plan.steps)?;
    if kernel.scalars().into_iter().any(|scalar| time_loop.varies(scalar)) {
        let what = "takes a scalar for all levels that differs between iterations";
        return Err(Unfit::new(what, "make it a level scalar"));
    }
    Ok(time_loop)
}

/// A fusion that is known to be legal.
struct Fusion<'c, 'a> {
    time_loop: TimeLoop<'c, 'a>,
    kernel: KernelOp<'c, 'a>,
    plan: SweepPlan,
    tail: Tail,
}

/// Builder of host arithmetic in the type of the induction variable.
#[derive(Clone, Copy)]
struct Host<'c, 'a> {
    at: Inserter<'c, 'a>,
    lower: Value<'c, 'a>,
    step: Value<'c, 'a>,
}

impl<'c: 'a, 'a> Host<'c, 'a> {
    fn number(&self, number: usize) -> Value<'c, 'a> {
        self.at.integer(self.lower.r#type(), number as i64)
    }

    fn binary(&self, name: &str, one: Value<'c, 'a>, two: Value<'c, 'a>) -> Value<'c, 'a> {
        self.at.binary(name, one, two)
    }

    /// The induction variable after so many iterations from the loop's start.
    fn induction_after(&self, iterations: Value<'c, 'a>) -> Value<'c, 'a> {
        let span = self.binary(arith::MULI, iterations, self.step);
        self.binary(arith::ADDI, self.lower, span)
    }

    /// Saturating difference: 0 if negative.
    fn excess(&self, one: Value<'c, 'a>, two: Value<'c, 'a>) -> Value<'c, 'a> {
        let difference = self.binary(arith::SUBI, one, two);
        self.binary(arith::MAXSI, difference, self.number(0))
    }

    /// The number of pairs of sweeps in a number of iterations, and the remainder.
    fn divide(&self, iterations: Value<'c, 'a>, steps: usize) -> (Value<'c, 'a>, Value<'c, 'a>) {
        let taken = self.number(2 * steps);
        let count = self.binary(arith::DIVSI, iterations, taken);
        (count, self.binary(arith::REMSI, iterations, taken))
    }
}

impl<'c: 'a, 'a> Fusion<'c, 'a> {
    fn rewrite(self) {
        let time_loop = self.time_loop.operation;
        let operand = |position| time_loop.operand(position).expect("a loop has bounds and a step");
        let [lower, upper, step] = [0, 1, 2].map(operand);
        let before = Host { at: Inserter::before(time_loop), lower, step };
        let iterations = iterations(before, upper);
        self.mark(iterations);

        let (levels, rotation) = (self.time_loop.levels, self.time_loop.rotation());
        let reserve = if self.time_loop.shows_old_levels { rotation - levels } else { 0 };
        let chain = chain(&self.plan, levels);
        let mut pairs = Pairs::new(self.time_loop.clone(), self.kernel, self.plan.clone());
        build::set_attribute(self.kernel.operation(), sweep::PLAN, pairs.plan_of(1));

        if self.tail == Tail::Scratch && reserve > 0 {
            self.scratch_tail(before, &mut pairs, &chain, (iterations, reserve));
        } else {
            let left = match reserve {
                0 => iterations,
                _ => before.excess(iterations, before.number(reserve)),
            };
            let end = before.induction_after(iterations);
            self.pairs_and_rest(before, &mut pairs, &chain, left, end);
        }
    }

    /// Loops of pairs for some iterations, and the original loop for those up to its end.
    fn pairs_and_rest(
        &self,
        host: Host<'c, 'a>,
        pairs: &mut Pairs<'c, 'a>,
        chain: &[usize],
        mut left: Value<'c, 'a>,
        end: Value<'c, 'a>,
    ) {
        let time_loop = self.time_loop.operation;
        let outs = self.time_loop.levels;
        let mut progress = self.start();
        for steps in chain {
            let (count, rest) = host.divide(left, *steps);
            progress = pairs.make_loop(host.at, Pair { steps: *steps, outs }, count, &progress);
            left = rest;
        }
        build::set_operand(time_loop, 0, progress.induction);
        build::set_operand(time_loop, 1, end);
        for (slot, value) in progress.slots.into_iter().enumerate() {
            build::set_operand(time_loop, 3 + slot, value);
        }
    }

    /// The remainder first; then pairs of the most steps, the last of which writes all levels back.
    /// If there is none, the last iterations are not fused.
    fn scratch_tail(
        &self,
        host: Host<'c, 'a>,
        pairs: &mut Pairs<'c, 'a>,
        chain: &[usize],
        (iterations, reserve): (Value<'c, 'a>, usize),
    ) {
        let time_loop = self.time_loop.operation;
        let steps = chain[0];
        let (count, rest) = host.divide(iterations, steps);
        let last = host.binary(arith::MINSI, count, host.number(1));
        let missing = host.binary(arith::SUBI, host.number(1), last);
        let reserved = host.binary(arith::MULI, missing, host.number(reserve));
        let left = host.excess(rest, reserved);
        let end = host.induction_after(rest);
        let but_last = host.binary(arith::SUBI, count, last);
        let users = (0..self.time_loop.permutation.len())
            .map(|slot| walk::uses(build::result(time_loop, slot)))
            .collect::<Vec<_>>();
        self.pairs_and_rest(host, pairs, &chain[1..], left, end);

        let at = Inserter::after(time_loop);
        let slots = (0..users.len()).map(|slot| build::result(time_loop, slot)).collect();
        let mut progress = Progress { induction: end, slots };
        let outs = [(but_last, self.time_loop.levels), (last, self.time_loop.rotation())];
        for (count, outs) in outs {
            progress = pairs.make_loop(at, Pair { steps, outs }, count, &progress);
        }
        for (users, value) in users.into_iter().zip(progress.slots) {
            for used in users {
                build::set_operand(used.user, used.operand, value);
            }
        }
    }

    /// The state at the start of the loop.
    fn start(&self) -> Progress<'c, 'a> {
        let carried = self.time_loop.carried();
        let induction = self.time_loop.operation.operand(0).expect("a loop has a lower bound");
        let slots = (0..carried.count()).map(|slot| carried.initial(slot)).collect();
        Progress { induction, slots }
    }

    /// Marks the op that computes the number of iterations.
    fn mark(&self, iterations: Value<'c, 'a>) {
        let operation = walk::definition(iterations).expect("an op computes it");
        let step = self.time_loop.operation.operand(2).expect("a loop has a step");
        let note = match walk::constant(step).and_then(attributes::integer) {
            Some(step) => format!("{step} : i64"),
            None => "unit".to_owned(),
        };
        let note = build::attribute(build::context(&operation), &note);
        build::set_attribute(operation, attribute::TIME_STEPS, note);
    }
}

/// The number of iterations of a loop, an op of its own.
fn iterations<'c: 'a, 'a>(host: Host<'c, 'a>, upper: Value<'c, 'a>) -> Value<'c, 'a> {
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

/// The steps of the sweeps of a loop, the most first; single steps are left to the loop.
fn chain(plan: &SweepPlan, levels: usize) -> Vec<usize> {
    let halves = std::iter::successors(Some(plan.steps as usize), |steps| Some(steps / 2));
    let most = match plan.remainder {
        Remainder::Halved => usize::MAX,
        Remainder::Single => 1,
    };
    halves.take_while(|steps| *steps >= levels.max(2)).take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::{Remainder, SweepPlan};

    fn chain(steps: u32, levels: usize, remainder: Remainder) -> Vec<usize> {
        super::chain(&SweepPlan { steps, remainder, ..SweepPlan::default() }, levels)
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
