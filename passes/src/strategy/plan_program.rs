//! `stencil-plan-program`: decide which applies are one kernel, and write the plan of the program.
//!
//! Before: applies in blocks outside of loops that can be sweeps, each to be a kernel.
//! After:  a function of which some applies should be one sweep has `stencil.program_plan` with all
//!         of its kernels, for `stencil-distribute-plan`; others are as they were.
//!
//! Why: a sweep of several applies hands values on without memory, but all of a block at once need
//! more registers, and overlap farther, than some of them. Of the partitions of a block into
//! convex sets of applies, each a kernel or a sweep, the one that is predicted to take the least
//! time is chosen (`stencil-fusion`, exact for few applies, else a beam). A set is predicted as
//! `stencil-select-plan` would plan it, on a copy of the function, and is a candidate only if
//! its applies are connected and it gains enough over their kernels. So no block is predicted to
//! take longer than with all of its connected applies as a group, or none.
//! `fusion=stencilgen` forms kernels by the resource-aware fusion of [Rawat et al., Domain-Specific
//! Optimization and Generation of High-Performance GPU Code for Stencil Computations, Proc. IEEE
//! 2018] instead, with its rules, for blocks of 32 x 32 threads and the shared memory of the
//! target; the bodies of time loops are fused in the same way. What no sweep can be made of stays
//! apart.
//! Remarks and decisions say what was fused, the best other choice with its time, and why applies
//! are apart. Plans are left open: `stencil-select-plan` chooses them.
//! Not planned: a function with a program plan or groups, or without bounds; any if `plan` asks
//! for a mapping for all kernels, or `plain=true`.
//! Requires `stencil-place-copies` and `stencil-name-stages`. Does not decide what is computed
//! again (`stencil-select-inlining` does), and does not carry anything out.

mod fuse;
mod trial;

use self::{fuse::Fused, trial::Trial};
use super::{
    decisions,
    select_inlining::{Fusing, function_name},
    statements,
};
use crate::{
    analysis::stages::{self, Block},
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, flag, refuse,
        statistic, text,
    },
    transforms::name_stages::{group, stage},
};
use melior::ir::{OperationRef, operation::OperationLike};
use stencil_dialects::{
    build,
    ods::stencil::attribute,
    ops::ApplyOp,
    program_plan::{self, KernelPlan},
    walk,
};
use stencil_fusion::StageSet;
use stencil_model::plan::{Mapping, PlanValue, request::Keys};

/// The table entry.
pub const PLAN_PROGRAM: PassInfo = PassInfo {
    argument: "stencil-plan-program",
    summary: "decide which applies are one kernel, and write the plan of the program",
    source: include_str!("plan_program.rs"),
    anchor: Anchor::Function,
    options: &[
        text("target", "architecture, as sm_90a", "sm_90a"),
        text("chip", "chip that times are predicted for, as h100; else the target's", ""),
        text("plan", "as for stencil-select-plan: stages with keys of their own stay kernels", ""),
        flag("plain", "plan nothing", false),
        flag("part", "as for stencil-select-plan", false),
        text("fusion", "optimal, or stencilgen for the greedy fusion of that system", "optimal"),
    ],
    statistics: &[PLANNED],
    dialects: &[],
    run: plan_program,
};

const PLANNED: Statistic = statistic("num-planned", "kernels of several applies");

/// How kernels are formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Optimal,
    Stencilgen,
}

fn plan_program(
    function: OperationRef,
    options: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    let method = match options.text("fusion") {
        "optimal" => Method::Optimal,
        "stencilgen" => Method::Stencilgen,
        other => {
            let what = format!("option 'fusion' is '{other}'");
            return Err(refuse(&function, what, "say optimal or stencilgen"));
        }
    };
    let fusing = Fusing::of(function, options)?;
    if options.flag("plain") || !is_open(function, &fusing, method) {
        return Ok(());
    }
    let names = names(function);
    let loops = statements::sweeps(function, &fusing.target).sweeps.into_iter();
    let loops = loops.filter(|sweep| sweep.stages.is_loop());
    let bodies = loops.map(|sweep| build::block_of(sweep.stages.operation, 0)).collect::<Vec<_>>();
    let trial = Trial::new(function, &fusing, &names);
    let mut kernels = Vec::new();
    let mut groups = 0;
    for block in stages::blocks(function) {
        let place = block.applies[0].operation().block().expect("an apply is in a block");
        let is_body = bodies.contains(&place);
        let fused = match method {
            _ if block.applies.len() < 2 => None,
            _ if block.applies.len() > StageSet::CAPACITY => {
                let what = format!(
                    "is one of {} applies, and fusion is decided for {} at most",
                    block.applies.len(),
                    StageSet::CAPACITY
                );
                cx.decline(&block.applies[0].operation(), &what);
                None
            }
            Method::Optimal if is_body => None,
            Method::Optimal => fuse::optimal(&block, &trial),
            Method::Stencilgen => fuse::greedy(&block, &trial, is_body, cx),
        };
        let fused = fused.map(|fused| fused.ordered(&block, place));
        let fused = fused.unwrap_or_else(|| Fused::apart(block.applies.len()));
        let plans = fused.kernels(&block, is_body, method, &names);
        for (plan, members) in plans.iter().zip(&fused.groups) {
            if members.len() > 1 && !plan.is_time_loop {
                report(function, &block, (groups, members), &fused, cx);
                groups += 1;
                cx.count(PLANNED, 1);
            }
        }
        kernels.extend(plans);
    }
    // Without groups nothing is decided that the defaults would not do.
    if groups > 0 || method == Method::Stencilgen {
        let plan = program_plan::make(build::context(&function), &kernels);
        build::set_attribute(function, attribute::PROGRAM_PLAN, plan);
    }
    Ok(())
}

/// Whether nothing was said or decided about the kernels of a function.
fn is_open(function: OperationRef, fusing: &Fusing, method: Method) -> bool {
    let applies = walk::nested(function).into_iter().filter_map(ApplyOp::of).collect::<Vec<_>>();
    let is_decided =
        |apply: &ApplyOp| group(apply.operation()).is_some() || apply.bounds().is_none();
    let name = function_name(function);
    let said = fusing.request.said_of(&[&name], &Keys::new(), 1);
    // A wrong plan is reported where plans are chosen.
    let asks = said.is_err() || said.is_ok_and(|said| said.contains_key("mapping"));
    !function.has_attribute(attribute::PROGRAM_PLAN)
        && applies.len() > 1
        && !applies.iter().any(is_decided)
        && (method == Method::Stencilgen || !asks)
}

/// The applies of a function, with their names.
type Names<'c, 'a> = Vec<(OperationRef<'c, 'a>, String)>;

fn names<'c: 'a, 'a>(function: OperationRef<'c, 'a>) -> Names<'c, 'a> {
    let applies = walk::nested(function).into_iter().filter_map(ApplyOp::of).enumerate();
    let named = |(number, apply): (usize, ApplyOp<'c, 'a>)| {
        let name = stage(apply.operation()).unwrap_or_else(|| format!("stage{number}"));
        (apply.operation(), name)
    };
    applies.map(named).collect()
}

fn name<'n, 'c: 'a, 'a>(names: &'n Names<'c, 'a>, apply: ApplyOp<'c, 'a>) -> &'n str {
    let found = names.iter().find(|(operation, _)| *operation == apply.operation());
    &found.expect("names are of all applies").1
}

impl Fused {
    /// The kernels of a block.
    fn kernels<'c: 'a, 'a>(
        &self,
        block: &Block<'c, 'a>,
        is_body: bool,
        method: Method,
        names: &Names<'c, 'a>,
    ) -> Vec<KernelPlan> {
        let is_whole = self.groups.len() == 1 || method == Method::Optimal;
        let stages = |members: &[usize]| {
            members.iter().map(|it| name(names, block.applies[*it]).to_owned()).collect::<Vec<_>>()
        };
        if is_body && is_whole && block.applies.len() > 1 {
            let all = (0..block.applies.len()).collect::<Vec<_>>();
            let stages = stages(&all);
            return vec![KernelPlan { stages, is_time_loop: true, ..KernelPlan::default() }];
        }
        // Left open, the loop would become one sweep of all its applies.
        let word = PlanValue::Text(Mapping::Thread.word().to_owned());
        let thread = Keys::from([("mapping".to_owned(), word)]);
        let kernel = |members: &Vec<usize>| {
            let plan =
                (is_body && members.len() == 1 && block.applies.len() > 1).then(|| thread.clone());
            KernelPlan { stages: stages(members), plan, ..KernelPlan::default() }
        };
        self.groups.iter().map(kernel).collect()
    }
}

/// Says what a group is, in remarks and in what reports say of its sweep.
fn report(
    function: OperationRef,
    block: &Block,
    (number, members): (usize, &[usize]),
    fused: &Fused,
    cx: &mut PassContext,
) {
    let first = block.applies[members[0]].operation();
    let others = members[1..].iter().map(|member| block.applies[*member].operation());
    let others = others.filter_map(stage).map(|name| format!("'{name}'")).collect::<Vec<_>>();
    let others = others.join(" and ");
    let mut what = format!("is one sweep with {others}");
    if !fused.why.is_empty() {
        what.push_str("; ");
        what.push_str(&fused.why);
        let name = if number == 0 { "group".to_owned() } else { format!("group{number}") };
        decisions::note(function, &name, &fused.why);
    }
    cx.passed(&first, &what);
    for (stage_number, why) in &fused.apart {
        cx.decline(&block.applies[*stage_number].operation(), why);
    }
}
