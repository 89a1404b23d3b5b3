//! `stencil-select-plan`: choose the plan of each kernel.
//!
//! Before: applies without `stencil.plan`, or with a partial one.
//! After:  every apply has a complete, legal `stencil.plan = #stencil.plan<{..}>` for the target.
//!
//! Why: mechanisms follow the plan and decide nothing, so that every decision can be printed,
//! written by hand in a test, stored and replayed. Existing keys are kept.
//! The choice: lanes along the fastest dimension, so that a warp reads whole lines, aligned with
//! lines if that costs no block; a few points of each thread along the slowest, which share
//! neighbours and address arithmetic, more if a point reads many cells, fewer if its intermediate
//! values fill the registers, and those that share operations (`analysis/shared_work.rs`) where
//! these bound the kernel; always a register cap, because the assembler aims at 32 or 64
//! registers without one (`strategy/choice.rs` has the thresholds).
//! Time loops become sweeps, kernels that stream planes through several time steps, where that is
//! predicted to be faster (`strategy/sweep.rs`); all else gets the mapping `thread`. Explicit keys
//! override this choice, and dependent keys are chosen again; `mapping` restarts it.
//! Constraints of the program (`stencil.constraints`) apply where the plan leaves keys open: an
//! `occupancy` becomes `min_blocks` and a register cap. Constraints that the mapping does not
//! support (`stream`, `shared`) get a remark. Constraints describe kernels of the mapping `thread`:
//! a sweep that they exclude is named by a remark and in the decision: their cost is known.
//! Loops of several statements whose iterations can be steps of one sweep have a plan of their own
//! (`strategy/statements.rs`), by the name `loop`; keys for every kernel are then for the loop, and
//! not for what it leaves to kernels of single statements.
//! Applies outside of such loops that read each other's results are a group by the name `group`,
//! with a plan of its own in the same way: where it is to be one sweep its applies have that plan,
//! and the name as `stencil.group`. A group makes one step, so keys for every kernel with more
//! steps are not for it.
//! `plan=points=8,max_registers=128` gives every kernel these keys where its own plan leaves them
//! open; a list shorter than the rank is for the slowest dimensions (points) or the fastest
//! (threads). `plan=max_registers=128,step:points=8` has keys for kernels of one name: of a stage,
//! a function, or a kernel as in reports; they override the kernel's own plan. `plain=true` takes
//! one point per thread and ignores plans and constraints: the reference kernels of verification. A
//! function gets `stencil.decisions`: the plan of each stage in the option's syntax, with its
//! reason, for reports.
//! Refuses a plan that its target cannot launch, with limit and value; unknown names of kernels,
//! targets and constraints.

use super::{
    asked::{Asked, Decision},
    choice::{self, Facts, complete},
    constraints::Constraints,
    decisions::{self, Decided, Decisions},
    kernels::{KernelOf, function_of, functions, kernels},
    no_sweeps::NoSweeps,
    plan,
    select_inlining::{function_name, machine},
    statements::{self, NoSweep, NoSweepKind, SweepOf},
    sweep,
};
use crate::{
    analysis::run_time_extents::RunTimeExtents,
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, flag, refuse,
        statistic, text,
    },
    transforms::name_stages::kernel_name,
};
use melior::ir::{OperationRef, operation::OperationLike};
use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    str::FromStr,
};
use stencil_dialects::{attributes, build, ods::stencil::attribute, ops::ApplyOp, walk};
use stencil_model::{
    machine::Machine,
    plan::{PlanError, PlanKeys, Request, Schedule, request::Keys},
    target::Architecture,
};

/// The table entry.
pub const SELECT_PLAN: PassInfo = PassInfo {
    argument: "stencil-select-plan",
    summary: "choose the plan of each kernel",
    source: include_str!("select_plan.rs"),
    anchor: Anchor::Module,
    options: &[
        text("target", "architecture, as sm_90a", "sm_90a"),
        text("chip", "chip that times are predicted for, as h100; else the target's", ""),
        text("plan", "keys for kernels that leave them open, as points=8,max_registers=128", ""),
        flag("plain", "one point per thread, ignoring plans", false),
        flag("part", "the module is a part of a program: 'plan' may name other kernels", false),
    ],
    statistics: &[SELECTED],
    dialects: &[],
    run: select_plan,
};

/// By this factor a domain may have fewer points than the reference for a sweep of several
/// statements that is predicted to be faster there: an estimate, which was not measured.
const SMALLER: u64 = 4;

const SELECTED: Statistic = statistic("num-selected", "plans written or completed");

fn select_plan(module: OperationRef, options: &OptionValues, cx: &mut PassContext) -> PassResult {
    // Modules have no location of their own.
    let place = functions(module).first().copied().unwrap_or(module);
    let target = machine(&place, options)?;
    let request = Request::from_str(options.text("plan"))
        .map_err(|error| refuse(&place, error.to_string(), "fix the option 'plan'"))?;
    let kernels = kernels(module);
    let (sweeps, unfit) = found_sweeps(module, options.flag("plain"), (&request, &target), cx);
    if !options.flag("part") {
        check_names(place, &request, &kernels, (&sweeps, &unfit))?;
    }
    let wish = Selection {
        target,
        request,
        is_plain: options.flag("plain"),
        bases: general_bases(module),
        from: RefCell::default(),
    };
    let mut decided = BTreeMap::<&str, Decisions>::new();
    let mut fates = HashMap::new();
    for found in &sweeps {
        let applies = found.stages.applies.iter();
        let applies = applies.map(|apply| apply.operation().to_raw().ptr as usize);
        let (fate, Decision { plan, why, .. }) = match wish.select_sweep(found, cx)? {
            Ok(decision) if found.stages.is_loop() => (Fate::Left, decision),
            Ok(decision) => (Fate::Grouped, decision),
            Err(NoSweep { why, kind }) => {
                let fate = Fate::Alone(format!("; {}: {why}", found.stage));
                fates.extend(
                    applies
                        .filter(|_| kind == NoSweepKind::Slower)
                        .map(|apply| (apply, fate.clone())),
                );
                continue;
            }
        };
        fates.extend(applies.map(|apply| (apply, fate.clone())));
        let why = match decisions::noted(function_of(found.stages.operation), &found.stage) {
            Some(noted) => format!("{why}; {noted}"),
            None => why,
        };
        let plan = Request::of_kernel(&found.stage, plan.to_tree()).to_string();
        let of_function = decided.entry(found.function.as_str()).or_default();
        of_function.insert(found.stage.clone(), Decided { plan, why });
    }
    for kernel in &kernels {
        let operation = kernel.apply.operation().to_raw().ptr as usize;
        let fate = fates.get(&operation);
        if matches!(fate, Some(Fate::Grouped)) {
            continue;
        }
        let plan = wish.select(kernel, fate, cx)?;
        let Some(Decision { plan, why, .. }) = plan else { continue };
        let plan = Request::of_kernel(&kernel.address(&kernels), plan.to_tree()).to_string();
        let of_function = decided.entry(kernel.function.as_str()).or_default();
        of_function.insert(kernel.stage.clone(), Decided { plan, why });
    }
    for function in functions(module) {
        if let Some(decided) = decided.remove(function_name(function).as_str()) {
            decisions::write(function, decided);
        }
    }
    wish.settle_variants(module);
    Ok(())
}

/// What can be one sweep of several statements, and why other loops and groups cannot. A loop whose
/// statement would be a kernel of its own is one where keys name it.
fn found_sweeps<'c: 'a, 'a>(
    module: OperationRef<'c, 'a>,
    is_plain: bool,
    (request, target): (&Request, &Machine),
    cx: &mut PassContext,
) -> (Vec<SweepOf<'c, 'a>>, NoSweeps) {
    let (mut sweeps, mut unfit) = (Vec::new(), NoSweeps::default());
    for function in functions(module) {
        let found = statements::sweeps(function, target);
        let others = found.sweeps.iter().map(|it| it.stage.clone()).collect::<Vec<_>>();
        let kernels = found.kernels.into_iter();
        let named = kernels.filter(|it| it.is_named(request) && !others.contains(&it.stage));
        sweeps.extend(named.chain(found.sweeps));
        for (operation, why) in found.unfit.into_iter().filter(|_| !is_plain) {
            let is_loop = ApplyOp::of(operation).is_none();
            let what = if is_loop { "cannot be one sweep" } else { "cannot join a sweep" };
            cx.decline(&operation, &format!("{what}: it {}", why.what));
            unfit.add(operation, &why.what);
        }
    }
    (sweeps, unfit)
}

/// The functions for all extents that have a variant with sweeps.
fn general_bases(module: OperationRef) -> Vec<String> {
    let variants = functions(module).into_iter().filter(|it| RunTimeExtents::of(*it).is_some());
    let bases = variants.filter_map(|function| {
        let of = function.attribute(attribute::VARIANT_OF).ok()?;
        attributes::string(of)
    });
    bases.collect()
}

/// The plans of the applies of each function, in their order.
fn plans(module: OperationRef) -> BTreeMap<String, Vec<Option<PlanKeys>>> {
    let of_function = |function| {
        let applies = walk::nested(function).into_iter().filter_map(ApplyOp::of);
        applies.map(|apply| plan::written(apply.operation())).collect()
    };
    let functions = functions(module).into_iter();
    functions.map(|function| (function_name(function), of_function(function))).collect()
}

/// What becomes of an apply whose loop or group could be one sweep.
#[derive(Clone)]
enum Fate {
    /// It is a kernel for the iterations that the sweep of its loop leaves.
    Left,
    /// It is part of the sweep of its group.
    Grouped,
    /// It is a kernel, for the reason.
    Alone(String),
}

/// Refuses names that no kernel has.
fn check_names(
    place: OperationRef,
    request: &Request,
    kernels: &[KernelOf],
    (sweeps, unfit): (&[SweepOf], &NoSweeps),
) -> PassResult {
    let of_sweeps = sweeps.iter().flat_map(sweep_names);
    let known = kernels.iter().flat_map(KernelOf::names).chain(of_sweeps).collect::<Vec<_>>();
    let Some(unknown) = request.names().find(|name| !known.iter().any(|known| known == name))
    else {
        return Ok(());
    };
    let names = kernels.iter().map(|kernel| kernel.address(kernels));
    let names = names.chain(sweeps.iter().map(|found| found.stage.clone())).collect::<Vec<_>>();
    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let what = format!("option 'plan' has keys for '{unknown}', which is no kernel");
    Err(refuse(&place, what, format!("the kernels are {names}{unfit}")))
}

/// Names that keys for a loop or group may be given for; later ones are more specific.
pub(super) fn sweep_names(found: &SweepOf) -> [String; 3] {
    let kernel = kernel_name(&found.function, &found.stage);
    [found.function.clone(), found.stage.clone(), kernel]
}

/// The options of the pass.
struct Selection {
    target: Machine,
    request: Request,
    is_plain: bool,
    /// Functions for all extents that have a variant with sweeps.
    bases: Vec<String>,
    /// The variants that have sweeps, and the points of the domain from which on these pay.
    from: RefCell<BTreeMap<String, u64>>,
}

impl Selection {
    /// Notes that a function has a sweep, and from how many points of the domain on it pays.
    fn swept(&self, function: &str, points: u64) {
        let mut from = self.from.borrow_mut();
        let known = from.entry(function.to_owned()).or_default();
        *known = points.max(*known);
    }

    /// Says from where on variants are taken, and erases those that have neither sweeps nor plans
    /// for aligned rows.
    fn settle_variants(&self, module: OperationRef) {
        if self.bases.is_empty() {
            return;
        }
        let plans = plans(module);
        for function in functions(module) {
            let Some(extents) = RunTimeExtents::of(function) else { continue };
            let of = function.attribute(attribute::VARIANT_OF).ok().and_then(attributes::string);
            let Some(base) = of else { continue };
            let name = function_name(function);
            let is_aligned = !extents.multiples.is_empty();
            let (own, other) = (&plans[&name], plans.get(&base));
            let has_vectors = own.iter().flatten().any(|plan| plan.vector > 1);
            let pays_from = match self.from.borrow().get(&name) {
                None if is_aligned && (has_vectors || Some(own) != other) => Some(0),
                from => from.copied(),
            };
            match pays_from {
                None => build::erase(function),
                Some(points) => {
                    let points = Some(i64::try_from(points).unwrap_or(i64::MAX));
                    let extents = RunTimeExtents { points, ..extents };
                    let extents = extents.attribute(build::context(&function));
                    build::set_attribute(function, attribute::RUN_TIME_EXTENTS, extents);
                }
            }
        }
    }

    /// Writes the plan of a loop's or group's sweep; returns the decision, if it is to be one.
    fn select_sweep(
        &self,
        found: &SweepOf,
        cx: &mut PassContext,
    ) -> PassResult<Result<Decision, NoSweep>> {
        let (operation, planned) = (found.stages.operation, found.planned());
        let remove = || {
            planned.iter().for_each(|one| build::remove_attribute(*one, attribute::GROUP));
            if found.stages.is_loop() || found.is_grouped() {
                planned.iter().for_each(|one| build::remove_attribute(*one, attribute::PLAN));
            }
        };
        if self.is_plain {
            remove();
            return Ok(Err("plain".into()));
        }
        let decision = found
            .decide(&self.request, &self.target)
            .map_err(|error| refuse(&operation, error.to_string(), "change the plan's keys"))?;
        let decision = match decision {
            Ok(decision) => decision,
            Err(no) if no.kind == NoSweepKind::Unfit && found.is_required => {
                let what = format!("is of group '{}', but {}", found.stage, no.why);
                return Err(refuse(&operation, what, "make the group smaller, or give it a plan"));
            }
            Err(no) => {
                cx.decline(&operation, &format!("is no sweep of its statements: {}", no.why));
                remove();
                return Ok(Err(no));
            }
        };
        if let Err(error) = decision.plan.check(&self.target, &found.facts.domain) {
            return Err(refuse(&operation, error.to_string(), remedy(&decision, &error)));
        }
        let context = build::context(&operation);
        let attribute = plan::attribute(context, decision.plan.clone());
        if operation.attribute(attribute::PLAN) != Ok(attribute) {
            cx.count(SELECTED, 1);
        }
        let points = found.facts.domain.iter().product::<u64>();
        self.swept(&found.function, if decision.chooses_mapping { points / SMALLER } else { 0 });
        let key = if found.stages.is_loop() { attribute::STAGE } else { attribute::GROUP };
        for one in planned {
            build::set_attribute(one, attribute::PLAN, attribute);
            build::set_attribute(one, key, build::string(context, &found.stage));
        }
        Ok(Ok(decision))
    }

    /// Writes the plan of a kernel; returns the decision. For what a sweep of its loop leaves, keys
    /// for every kernel are not.
    fn select(
        &self,
        kernel: &KernelOf,
        fate: Option<&Fate>,
        cx: &mut PassContext,
    ) -> PassResult<Option<Decision>> {
        let (operation, target) = (kernel.apply.operation(), &self.target);
        let decision = match self.is_plain {
            true => plain(&kernel.facts, target),
            false => self.decide(kernel, fate, cx)?,
        };
        if let Err(error) = decision.plan.check(target, &kernel.facts.domain) {
            return Err(refuse(&operation, error.to_string(), remedy(&decision, &error)));
        }
        if decision.plan.mapping.is_sweep() {
            let chosen = || sweep::pays_from(kernel.apply, &kernel.facts, target);
            let points = decision.chooses_mapping.then(chosen).flatten();
            self.swept(&kernel.function, points.unwrap_or(0));
        }
        let attribute = plan::attribute(build::context(&operation), decision.plan.clone());
        if operation.attribute(attribute::PLAN) != Ok(attribute) {
            build::set_attribute(operation, attribute::PLAN, attribute);
            cx.count(SELECTED, 1);
        }
        Ok((!self.is_plain).then_some(decision))
    }

    fn decide(
        &self,
        kernel: &KernelOf,
        fate: Option<&Fate>,
        cx: &mut PassContext,
    ) -> PassResult<Decision> {
        let operation = kernel.apply.operation();
        let own = plan::keys(operation).unwrap_or_default();
        let constraints = Constraints::of(operation)
            .map_err(|why| refuse(&operation, why, "fix the constraints, or remove them"))?;
        let (names, rank) = (kernel.names(), kernel.facts.domain.len());
        let names = names.each_ref().map(String::as_str);
        let said = match fate {
            Some(Fate::Left) => self.request.named().said_of(&names, &own, rank),
            _ => self.request.said_of(&names, &own, rank),
        };
        let decided = said.and_then(|said| decide(kernel, &said, &constraints, &self.target));
        let is_sweep = |decision: &Decision| decision.plan.mapping.is_sweep();
        let decided = match self.bases.contains(&kernel.function) {
            // The keys are for the sweep of the variant.
            true if decided.as_ref().map_or(true, is_sweep) => {
                decide(kernel, &Keys::new(), &constraints, &self.target)
            }
            _ => decided,
        };
        let mut decision = decided
            .map_err(|error| refuse(&operation, error.to_string(), "change the plan's keys"))?;
        if let Some(Fate::Alone(why)) = fate {
            decision.why.push_str(why);
        }
        let mapping = decision.plan.mapping;
        if let Some(excluded) = &decision.excluded {
            cx.decline(&operation, excluded);
        }
        for key in constraints.unserved(mapping) {
            let mapping = mapping.word();
            cx.decline(&operation, &format!("mapping '{mapping}' does not support '{key}'"));
        }
        Ok(decision)
    }
}

/// The remedy for an impossible plan.
fn remedy(decision: &Decision, error: &PlanError) -> String {
    match decision.plan.mapping {
        mapping if mapping.is_sweep() && decision.chooses_mapping => format!(
            "the compiler chooses mapping {:?} for this kernel, and keys lie over that; change \
             them, or write mapping = \"thread\" too",
            mapping.word()
        ),
        _ if decision.chooses_mapping && matches!(error, PlanError::Unserved { .. }) => {
            "the compiler chooses mapping \"thread\" for this kernel, which these keys override; \
             change them, or write another mapping too, as mapping = \"warp\""
                .to_owned()
        }
        _ => "change the plan's keys, or choose another target".to_owned(),
    }
}

fn plain(facts: &Facts, target: &Architecture) -> Decision {
    let asked = PlanKeys {
        points: vec![1; facts.domain.len()],
        alignment_offset: Some(0),
        schedule: Some(Schedule::Source),
        ..PlanKeys::default()
    };
    let plan = complete(asked, &Constraints::default(), facts, target);
    Decision { plan, why: "plain".to_owned(), chooses_mapping: false, excluded: None }
}

/// The compiler's choice, overridden by explicit keys.
fn decide(
    kernel: &KernelOf,
    said: &Keys,
    constraints: &Constraints,
    target: &Machine,
) -> Result<Decision, PlanError> {
    let facts = &kernel.facts;
    let mut excluded = None;
    let swept = match () {
        () if said.contains_key("mapping") => Err("`mapping` is given".to_owned()),
        () => sweep::by_default(kernel.apply, facts, said, target)?
            .map_err(|why| format!("not swept: {why}")),
    };
    let swept = swept.and_then(|(asked, why)| match constraints.words() {
        words if words.is_empty() => Ok((asked, why)),
        words => {
            let plan = complete(asked, constraints, facts, target);
            let cost = format!(
                "{words} of the program excludes mapping '{}' with {} time steps: remove the hint \
                 to have it",
                plan.mapping.word(),
                plan.steps
            );
            excluded = Some(cost.clone());
            Err(format!("not swept: {cost}"))
        }
    });
    // The compiler's own choice of a sweep has chunks.
    let is_given = swept.is_err();
    let (asked, why) = match swept {
        Ok((asked, why)) => (asked, why),
        Err(why) => (Asked::of(said)?, why),
    };
    let (plan, facts) = choice::complete_shared(&asked, constraints, kernel, target);
    let facts = &facts;
    let is_open = !["chunks", "edge_chunks"].into_iter().any(|key| said.contains_key(key));
    let is_sweep = plan.mapping.is_sweep();
    let plan = match is_sweep && is_open && is_given {
        true => sweep::with_chunks(plan, kernel.apply, facts, target),
        false => plan,
    };
    let shape = match is_sweep {
        true => String::new(),
        false => format!("; {}", choice::why(&asked, facts, &plan)),
    };
    let given = match said.is_empty() {
        true => String::new(),
        false => format!("; given: {}", said.keys().cloned().collect::<Vec<_>>().join(", ")),
    };
    let includes = match decisions::includes(kernel.apply.operation()) {
        none if none.is_empty() => String::new(),
        some => format!("; computes {}", some.join(", ")),
    };
    let chooses_mapping = !said.contains_key("mapping");
    let why = format!("{why}{shape}{given}{includes}");
    Ok(Decision { plan, why, chooses_mapping, excluded })
}
