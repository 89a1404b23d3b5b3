//! `sweep-fuse-statements`: make all statements of a time loop, in several steps, one sweep.
//!
//! Before: a time loop with a plan (`stencil.plan` on the `scf.for`), whose body holds applies with
//!         direct stores; or applies with one `stencil.group`, and the plan of a sweep.
//! After:  loops of pairs of `sweep.stages`, the first of T steps each, the next of half as many,
//!         rounded up, and so on to two (with `remainder = "single"` the first only); then the loop
//!         as it was, for the iterations that are left, without its plan. The number of iterations
//!         is one op with the attribute `stencil.time_steps`. Instead of a group one `sweep.stages`
//!         of one step, where its last apply was.
//!
//! Why: statements of a step and steps hand their values on in registers: each field is read and
//! written once in T steps, and results that only statements of the same step read are in no memory
//! at all. Outside of a statement's domain every level has the cells of the field that it belongs
//! to (`analysis/statements.rs`), so that memory after the loops is bit-identical.
//! Sweeps come in pairs: the first writes its levels to shadow buffers, which the second reads; it
//! writes its own to the fields that they belong to. A field that holds no level that is read,
//! and receives none, is the shadow buffer; otherwise one is allocated. Where enough fields are in
//! rotation both write to the homes, and no buffer is needed. Where older levels, or ghost cells,
//! are read after the loop, the last iterations are left to the loop.
//! Requires `stencil-place-copies` and `stencil-select-plan`. Must not be followed by folding,
//! which could remove the op with the number of iterations.
//! Refuses a plan of a loop whose iterations cannot be steps of one sweep, with the reason: stores
//! of one field by two statements, statements that read levels at computed cells, of several types,
//! fewer steps than levels that are read. Refuses a group of which an op between its applies, or
//! one that reads a temp, needs that they run apart, or that reads a field before it stores it.
//! Does not decide the number of steps or what is a group (the plan does), nor when levels are
//! computed and what is kept of them (`convert-sweep-to-planes` does).
//! Method: fusion of statements and overlapped temporal tiling in ping-pong passes; [Rawat et al.,
//! STENCILGEN, Proc. IEEE 2018] for the fusion.

use super::{
    split_loop::{self, Split},
    statements::{
        group,
        pairs::{Pair, Pairs},
    },
};
use melior::ir::{OperationRef, operation::OperationLike};
use stencil_dialects::{
    build::{self, Inserter},
    ods::{scf, stencil::attribute},
    ops::ApplyOp,
    walk,
};
use stencil_model::plan::SweepPlan;
use stencil_passes::{
    analysis::{statement::Unfit, statements::Statements},
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, refuse, statistic,
    },
    strategy::plan,
    transforms::{
        iterations::{self, Host},
        name_stages,
    },
};

/// The table entry.
pub const FUSE_STATEMENTS: PassInfo = PassInfo {
    argument: "sweep-fuse-statements",
    summary: "make all statements of a time loop, in several steps, one sweep",
    source: include_str!("fuse_statements.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[FUSED, GROUPED],
    dialects: &["sweep", "scf"],
    run: fuse_statements,
};

const FUSED: Statistic = statistic("num-fused", "time loops whose statements were fused");
const GROUPED: Statistic = statistic("num-grouped", "groups of applies that became one sweep");

fn fuse_statements(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    let loops = walk::nested(function).into_iter();
    let loops = loops.filter(|operation| walk::name(operation) == scf::FOR).collect::<Vec<_>>();
    for time_loop in loops {
        let Some(plan) = plan::sweep(time_loop)? else { continue };
        let stages = Statements::of_loop(time_loop);
        let stages = legal(time_loop, stages, &plan)?;
        let (steps, statements) = (plan.steps, stages.stages.len());
        let what = format!("makes {steps} steps of {statements} statements at once");
        cx.passed(&time_loop, &what);
        cx.count(FUSED, 1);
        rewrite(stages, plan);
    }
    for applies in groups(function) {
        let last = applies[applies.len() - 1].operation();
        let Some(plan) = plan::sweep(last)? else { continue };
        let stages = legal(last, Statements::of_group(&applies), &plan)?;
        cx.passed(&last, &format!("computes {} statements at once", stages.stages.len()));
        cx.count(GROUPED, 1);
        group::replace(&stages, plan);
    }
    Ok(())
}

/// The applies of each group, in order.
fn groups<'c: 'a, 'a>(function: OperationRef<'c, 'a>) -> Vec<Vec<ApplyOp<'c, 'a>>> {
    let mut groups = Vec::<(String, Vec<ApplyOp>)>::new();
    for apply in walk::nested(function).into_iter().filter_map(ApplyOp::of) {
        let Some(name) = name_stages::group(apply.operation()) else { continue };
        let is_its = |(other, members): &&mut (String, Vec<ApplyOp<'c, 'a>>)| {
            *other == name && members[0].operation().block() == apply.operation().block()
        };
        match groups.iter_mut().find(is_its) {
            Some((_, members)) => members.push(apply),
            None => groups.push((name, vec![apply])),
        }
    }
    groups.into_iter().map(|(_, members)| members).collect()
}

/// The statements, if a plan can be theirs.
fn legal<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    stages: Result<Statements<'c, 'a>, Unfit>,
    plan: &SweepPlan,
) -> PassResult<Statements<'c, 'a>> {
    let stages = stages.and_then(|stages| {
        stages.check_steps(plan.steps as usize)?;
        Ok(stages)
    });
    stages.map_err(|Unfit { what, remedy }| {
        refuse(&operation, format!("cannot be one sweep: it {what}"), remedy)
    })
}

fn rewrite<'c: 'a, 'a>(stages: Statements<'c, 'a>, plan: SweepPlan) {
    let time_loop = stages.operation;
    let [lower, upper, step] = [0, 1, 2]
        .map(|position| time_loop.operand(position).expect("a loop has bounds and a step"));
    let host = Host { at: Inserter::before(time_loop), lower, step };
    let iterations = iterations::iterations(host, upper);
    iterations::mark(time_loop, iterations);
    let chain = stages.steps_of_pairs(plan.remainder, plan.steps);
    let left = match stages.unfused() {
        0 => iterations,
        reserve => {
            let last = iterations::last_iterations(host, time_loop, reserve);
            host.excess(iterations, last)
        }
    };
    let end = host.induction_after(iterations);
    let mut pairs = Pairs::new(stages, plan);
    build::remove_attribute(time_loop, attribute::PLAN);
    split_loop::split(time_loop, Split { host, left, end }, &chain, |steps, count, progress| {
        pairs.make_loop(host.at, Pair { steps }, count, progress)
    });
}
