//! `stencil-distribute-plan`: hand the plan of a program to its applies and loops.
//!
//! Before: a function with `stencil.program_plan = #stencil.program_plan<[..]>`.
//! After:  without it. Stages that others compute again have `stencil.inline`; the stages of a
//!         kernel of several have `stencil.group` with its name, and all stages and time loops of
//!         kernels have their `stencil.plan`, an empty one where all of its keys are open.
//!
//! Why: one attribute says which kernels a function is computed by, whether the compiler or a user
//! has written it. What has a plan is decided: no later pass merges or inlines it, and
//! `stencil-select-plan` chooses only the keys that are open.
//! Kernels without a name that have several stages are called `group`, `group1` and so on.
//! `plain=true` removes the attribute only, for the reference kernels of verification.
//! Requires `stencil-name-stages`. Refuses a plan with a stage that no apply has, one without a
//! stage that there is, kernels in an order in which one needs a later one, stages of one kernel in
//! several blocks, several stages with a plan of mapping `thread`, a time loop that does not hold
//! exactly its stages, and a stage that cannot be inlined.
//! Does not check whether a kernel can be one sweep (`stencil-place-groups` and
//! `sweep-fuse-statements` do), and does not decide anything: `stencil-plan-program` does.

use super::{inline_producers, name_stages};
use crate::{
    analysis::block_order::BlockOrder,
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, flag, refuse, statistic,
    },
};
use melior::ir::{BlockLike, BlockRef, OperationRef, operation::OperationLike};
use std::collections::{BTreeMap, BTreeSet};
use stencil_dialects::{
    attributes, build,
    ods::{scf, stencil::attribute},
    ops::ApplyOp,
    program_plan::{self, KernelPlan},
    walk,
};
use stencil_model::plan::{Mapping, PlanValue};

/// The table entry.
pub const DISTRIBUTE_PLAN: PassInfo = PassInfo {
    argument: "stencil-distribute-plan",
    summary: "hand the plan of a program to its applies and loops",
    source: include_str!("distribute_plan.rs"),
    anchor: Anchor::Function,
    options: &[flag("plain", "remove the plan, and follow nothing of it", false)],
    statistics: &[PLANNED],
    dialects: &[],
    run: distribute_plan,
};

const PLANNED: Statistic = statistic("num-planned", "kernels of program plans");

fn distribute_plan(
    function: OperationRef,
    options: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    let Ok(attribute) = function.attribute(attribute::PROGRAM_PLAN) else { return Ok(()) };
    let kernels = program_plan::kernels(attribute).expect("the verifier has seen it");
    if !options.flag("plain") {
        let stages = Stages::of(function);
        let kernels = stages.legal(function, kernels)?;
        cx.count(PLANNED, kernels.len() as u64);
        rewrite(&kernels);
    }
    build::remove_attribute(function, attribute::PROGRAM_PLAN);
    Ok(())
}

/// The applies of a function by name.
struct Stages<'c, 'a> {
    list: Vec<(String, ApplyOp<'c, 'a>)>,
}

/// A kernel with the applies that it names.
struct Kernel<'c, 'a> {
    plan: KernelPlan,
    stages: Vec<ApplyOp<'c, 'a>>,
    inlined: Vec<ApplyOp<'c, 'a>>,
    /// Of a kernel that has one.
    time_loop: Option<OperationRef<'c, 'a>>,
}

impl<'c: 'a, 'a> Stages<'c, 'a> {
    fn of(function: OperationRef<'c, 'a>) -> Self {
        let applies = walk::nested(function).into_iter().filter_map(ApplyOp::of);
        let named = |(number, apply): (usize, ApplyOp<'c, 'a>)| {
            let name = name_stages::stage(apply.operation());
            (name.unwrap_or_else(|| format!("stage{number}")), apply)
        };
        Self { list: applies.enumerate().map(named).collect() }
    }

    /// The kernels of a plan that can be followed.
    fn legal(
        &self,
        function: OperationRef<'c, 'a>,
        plans: Vec<KernelPlan>,
    ) -> PassResult<Vec<Kernel<'c, 'a>>> {
        let all = |names: &[String]| {
            names.iter().map(|name| self.find(function, name)).collect::<PassResult<Vec<_>>>()
        };
        let mut kernels = Vec::new();
        for plan in plans {
            let (stages, inlined) = (all(&plan.stages)?, all(&plan.inlined)?);
            kernels.push(Kernel { plan, stages, inlined, time_loop: None });
        }
        self.check_missing(&kernels)?;
        self.check_inlined(&kernels)?;
        for kernel in &mut kernels {
            check_kernel(kernel)?;
            if kernel.plan.is_time_loop {
                kernel.time_loop = Some(time_loop(kernel)?);
            }
        }
        check_order(&kernels)?;
        Ok(kernels)
    }

    fn find(&self, function: OperationRef, name: &str) -> PassResult<ApplyOp<'c, 'a>> {
        let found = self.list.iter().find(|(stage, _)| stage == name);
        found.map(|(_, apply)| *apply).ok_or_else(|| {
            let names = self.list.iter().map(|(stage, _)| stage.as_str()).collect::<Vec<_>>();
            let what = format!("has a program plan with stage '{name}', which is no apply of it");
            refuse(&function, what, format!("the stages are {}", names.join(", ")))
        })
    }

    fn check_missing(&self, kernels: &[Kernel<'c, 'a>]) -> PassResult {
        let is_planned = |apply: &ApplyOp<'c, 'a>| {
            let mut planned = kernels.iter().flat_map(|it| it.stages.iter().chain(&it.inlined));
            planned.any(|other| other.operation() == apply.operation())
        };
        match self.list.iter().find(|(_, apply)| !is_planned(apply)) {
            None => Ok(()),
            Some((name, apply)) => Err(refuse(
                &apply.operation(),
                format!("is stage '{name}', which its program plan has in no kernel"),
                "add it to the stages of a kernel, or to those that one inlines",
            )),
        }
    }

    fn check_inlined(&self, kernels: &[Kernel<'c, 'a>]) -> PassResult {
        for producer in kernels.iter().flat_map(|kernel| &kernel.inlined) {
            let readers = self.list.iter().map(|(_, reader)| *reader);
            let mut readers =
                readers.filter(|reader| inline_producers::reads_result_of(*reader, *producer));
            let why = match readers.clone().next() {
                None => Some("no apply reads it"),
                Some(_) => readers.find_map(|reader| inline_producers::obstacle(reader, *producer)),
            };
            if let Some(why) = why {
                let what = format!("cannot be inlined, as its program plan says: a reader {why}");
                let what = what.replace("a reader no apply", "no apply");
                return Err(refuse(&producer.operation(), what, "make it a stage of a kernel"));
            }
        }
        Ok(())
    }
}

fn block_of<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>) -> BlockRef<'c, 'a> {
    apply.operation().block().expect("an apply is in a block")
}

/// The stages of a kernel are in one block, and several are a sweep.
fn check_kernel(kernel: &Kernel) -> PassResult {
    let first = kernel.stages[0];
    let is_apart = |apply: &&ApplyOp| block_of(**apply) != block_of(first);
    if let Some(apart) = kernel.stages.iter().find(is_apart) {
        let what = "is in another block than the first stage of its kernel";
        return Err(refuse(&apart.operation(), what, "give each block kernels of its own"));
    }
    let mapping = kernel.plan.plan.as_ref().and_then(|plan| plan.get("mapping"));
    let is_thread =
        matches!(mapping, Some(PlanValue::Text(word)) if word == Mapping::Thread.word());
    if kernel.stages.len() > 1 && is_thread {
        let what = "is of a kernel of several stages with mapping 'thread', which computes one";
        let remedy = "give the kernel another mapping, or leave that open";
        return Err(refuse(&first.operation(), what, remedy));
    }
    Ok(())
}

/// The loop whose body the stages of a kernel are.
fn time_loop<'c: 'a, 'a>(kernel: &Kernel<'c, 'a>) -> PassResult<OperationRef<'c, 'a>> {
    let first = kernel.stages[0].operation();
    let block = block_of(kernel.stages[0]);
    let around = block.parent_operation().filter(|it| walk::name(it) == scf::FOR);
    let known = kernel.stages.iter().chain(&kernel.inlined).map(|apply| apply.operation());
    let known = known.collect::<Vec<_>>();
    let applies = walk::operations(block).into_iter().filter_map(ApplyOp::of);
    let is_all = applies.into_iter().all(|apply| known.contains(&apply.operation()));
    around.filter(|_| is_all).ok_or_else(|| {
        let what = "is of a kernel with 'time_loop', and its stages are not all of a loop's body";
        refuse(&first, what, "list all stages of the loop, or leave 'time_loop' out")
    })
}

/// No kernel needs what a later one computes.
fn check_order(kernels: &[Kernel]) -> PassResult {
    let mut blocks = Vec::<BlockRef>::new();
    for kernel in kernels {
        let block = block_of(kernel.stages[0]);
        if blocks.contains(&block) {
            continue;
        }
        blocks.push(block);
        let order = BlockOrder::of(block);
        let of = |operation| {
            let is_its =
                |kernel: &Kernel| kernel.stages.iter().any(|apply| apply.operation() == operation);
            kernels.iter().position(is_its)
        };
        let mut needed = vec![BTreeSet::<usize>::new(); order.operations.len()];
        for op in 0..order.operations.len() {
            let own = order.node(op, of).group;
            let mut all = BTreeSet::new();
            for other in &order.needs[op] {
                all.extend(needed[*other].iter().copied());
            }
            if let (Some(own), Some(later)) = (own, all.last().copied())
                && later > own
            {
                let stage = &kernels[later].plan.stages.join("', '");
                let what =
                    format!("needs the kernel of '{stage}', which its program plan has later");
                let remedy = "list kernels in an order in which each needs earlier ones only";
                return Err(refuse(&order.operations[op], what, remedy));
            }
            all.extend(own);
            needed[op] = all;
        }
    }
    Ok(())
}

fn rewrite(kernels: &[Kernel]) {
    let given = kernels.iter().filter_map(|kernel| kernel.plan.name.clone());
    let mut taken = given.collect::<BTreeSet<_>>();
    for kernel in kernels {
        let context = build::context(&kernel.stages[0].operation());
        for apply in &kernel.inlined {
            let why = build::string(context, "its program plan says so");
            build::set_attribute(apply.operation(), attribute::INLINE, why);
        }
        let plan = kernel.plan.plan.clone().unwrap_or_default();
        let plan = attributes::make_plan(context, &plan);
        let open = attributes::make_plan(context, &BTreeMap::new());
        if let Some(time_loop) = kernel.time_loop {
            build::set_attribute(time_loop, attribute::PLAN, plan);
            if let Some(name) = &kernel.plan.name {
                build::set_attribute(time_loop, attribute::STAGE, build::string(context, name));
            }
        }
        let is_group = kernel.stages.len() > 1 && kernel.time_loop.is_none();
        let name = is_group.then(|| match &kernel.plan.name {
            Some(name) => name.clone(),
            None => unused(&mut taken),
        });
        for apply in &kernel.stages {
            let own = if kernel.time_loop.is_some() { open } else { plan };
            build::set_attribute(apply.operation(), attribute::PLAN, own);
            if let Some(name) = &name {
                let name = build::string(context, name);
                build::set_attribute(apply.operation(), attribute::GROUP, name);
            }
        }
    }
}

/// The next name of a group.
fn unused(taken: &mut BTreeSet<String>) -> String {
    let names = (1..).map(|number| format!("group{number}"));
    let mut names = std::iter::once("group".to_owned()).chain(names);
    let name = names.find(|name| !taken.contains(name)).expect("numbers do not end");
    taken.insert(name.clone());
    name
}
