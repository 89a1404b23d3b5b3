//! `sweep-fuse-steps`: fuse several time steps into one sweep.
//!
//! Before: a time loop whose only statement is a `sweep.kernel` of one step, with a plan of T > 1
//!         steps.
//! After:  loops of pairs of sweeps, the first of T steps each, the next of half as many, rounded
//!         up, and so on to two (with `remainder = "single"` the first only); then the loop as it
//!         was, for the iterations that are left. The number of iterations is one op with the
//!         attribute `stencil.time_steps`, from which the trip counts follow, also if it
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

use super::{
    pairs::{Pair, Pairs},
    split_loop::{self, Progress, Split},
};
use melior::ir::{OperationRef, Value, operation::OperationLike};
use stencil_dialects::{
    build::{self, Inserter},
    ods::arith,
    sweep::{self, KernelOp},
    walk,
};
use stencil_model::plan::{SweepPlan, Tail};
use stencil_passes::{
    analysis::{
        statement::{Statement, Unfit},
        time_loop::TimeLoop,
    },
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, refuse, statistic,
    },
    strategy::plan,
    transforms::iterations::{self, Host},
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

impl<'c: 'a, 'a> Fusion<'c, 'a> {
    fn rewrite(self) {
        let time_loop = self.time_loop.operation;
        let operand = |position| time_loop.operand(position).expect("a loop has bounds and a step");
        let [lower, upper, step] = [0, 1, 2].map(operand);
        let before = Host { at: Inserter::before(time_loop), lower, step };
        let iterations = iterations::iterations(before, upper);
        iterations::mark(time_loop, iterations);

        let (levels, rotation) = (self.time_loop.levels, self.time_loop.rotation());
        let reserve = if self.time_loop.shows_old_levels { rotation - levels } else { 0 };
        let least = levels.max(2) as u32;
        let chain = self.plan.remainder.steps_of_pairs(self.plan.steps, least);
        let mut pairs = Pairs::new(self.time_loop.clone(), self.kernel, self.plan.clone());
        build::set_attribute(self.kernel.operation(), sweep::PLAN, pairs.plan_of(1));

        if self.tail == Tail::Scratch && reserve > 0 {
            self.scratch_tail(before, &mut pairs, &chain, (iterations, reserve));
        } else {
            let left = match reserve {
                0 => iterations,
                _ => {
                    let last = iterations::last_iterations(before, time_loop, reserve);
                    before.excess(iterations, last)
                }
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
        chain: &[u32],
        left: Value<'c, 'a>,
        end: Value<'c, 'a>,
    ) {
        let outs = self.time_loop.levels;
        let split = Split { host, left, end };
        split_loop::split(self.time_loop.operation, split, chain, |steps, count, progress| {
            pairs.make_loop(host.at, Pair { steps, outs }, count, progress)
        });
    }

    /// The remainder first; then pairs of the most steps, the last of which writes all levels back.
    /// If there is none, the last iterations are not fused.
    fn scratch_tail(
        &self,
        host: Host<'c, 'a>,
        pairs: &mut Pairs<'c, 'a>,
        chain: &[u32],
        (iterations, reserve): (Value<'c, 'a>, usize),
    ) {
        let time_loop = self.time_loop.operation;
        let steps = chain[0] as usize;
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
}
