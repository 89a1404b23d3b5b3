//! The plans that the kernels of a module may have, with what is predicted of each.
//!
//! A *site* is what has one plan: a time loop or a group of applies that can be one sweep, or an
//! apply that is a kernel. Its alternatives are what `stencil-select-plan` compares, or, with
//! [`Breadth::Wide`], also plans that only measurements tell apart. Keys that an alternative leaves
//! open are chosen as in that pass: an alternative is a request, which is decided when it is
//! compiled.
//!
//! Requires a module as `stencil-select-plan` takes it. Does not look at what the program or the
//! user says about plans: keys of theirs are over those of an alternative. Plans of kernels are all
//! there are, whatever the breadth.

mod kernel_sweeps;
mod threads;
mod verdicts;

use super::{
    kernels::{KernelOf, functions, kernels},
    statements::{self, SweepOf},
    sweep,
};
use crate::transforms::name_stages::{kernel_name, stage};
use melior::ir::{OperationRef, operation::OperationLike};
use std::{collections::HashMap, iter::successors};
use stencil_dialects::{
    diagnostics::place,
    ods::{func, scf},
    walk,
};
use stencil_model::{
    machine::Machine,
    plan::{Mapping, PlanKeys, PlanValue, Request, request::Keys},
    sweep::estimate::Terms,
};

pub use self::verdicts::{Outcome, Verdict, verdicts};
pub use super::payoff::Weighed;
pub use super::statements::{Breadth, Exceeded, Excess, GAIN_PERCENT, Misfit, NoSweepKind};

/// What has one plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// The function that it is in.
    pub function: String,
    /// The name that keys are given for, in `--plan`.
    pub name: String,
    /// Where it is in the program, as `file:line:column`.
    pub place: String,
    /// What it is.
    pub kind: SiteKind,
    /// Where it is by the time loop of its function.
    pub side: LoopSide,
    /// Points along each dimension, slowest first.
    pub extents: Vec<u64>,
    /// The names of the kernels that it consists of if it is no sweep; none of a kernel.
    pub kernels: Vec<String>,
    /// What a step takes statement by statement.
    pub apart: Terms,
    /// The numbers of time steps that are compared for the kernel of a loop, if they are.
    pub weighed: Option<Weighed>,
    /// Whether its plan is the one that is predicted to be fastest, unless it is given.
    pub is_estimated: bool,
    /// The plans that it may have. The compiler's own choice need not be among them.
    pub alternatives: Vec<Alternative>,
}

/// Kinds of sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteKind {
    /// A time loop that can be a sweep of several steps.
    Loop,
    /// Applies outside of a loop that can be one sweep.
    Group,
    /// An apply.
    Kernel,
}

impl SiteKind {
    /// As reports call it.
    pub fn word(self) -> &'static str {
        match self {
            SiteKind::Loop => "time loop",
            SiteKind::Group => "group",
            SiteKind::Kernel => "kernel",
        }
    }
}

/// Where an op is by the time loop of its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopSide {
    /// Before the first time step.
    Before,
    /// In the loop, or in a function without one.
    Within,
    /// After the last time step.
    After,
}

impl LoopSide {
    /// That of an op of a function.
    fn of(operation: OperationRef) -> Self {
        let is_loop = |it: &OperationRef| walk::name(it) == scf::FOR;
        let around = successors(Some(operation), |it| it.parent_operation());
        let around = around.take_while(|it| walk::name(it) != func::FUNC).collect::<Vec<_>>();
        let Some(own) = around.last().filter(|_| !around.iter().any(is_loop)) else {
            return LoopSide::Within;
        };
        let Some(block) = own.block() else { return LoopSide::Within };
        let all = walk::operations(block);
        let (before, after) = all.split_at(all.iter().position(|it| it == own).unwrap_or(0));
        match (before.iter().any(is_loop), after.iter().any(is_loop)) {
            (_, true) => LoopSide::Before,
            (true, false) => LoopSide::After,
            (false, false) => LoopSide::Within,
        }
    }
}

/// A plan that a site may have.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// Its keys, for `--plan`.
    pub request: Request,
    /// The same with all keys that are known without compiling it.
    pub plan: PlanKeys,
    /// What is predicted.
    pub prediction: Prediction,
    /// The limit that it exceeds, if its misfit is one.
    pub excess: Option<Excess>,
}

/// What is known of a plan before it is compiled.
#[derive(Clone, Debug, PartialEq)]
pub enum Prediction {
    /// Nanoseconds of a step, and what a step of the sweep takes by unit.
    Time {
        /// With what the sweep leaves to single steps.
        ns: f64,
        /// Of the sweep alone.
        terms: Terms,
    },
    /// The estimate does not tell plans like it apart.
    Unknown,
    /// It is no candidate, for the reason.
    Misfit(String),
}

impl Prediction {
    /// Nanoseconds of a step, if they are predicted.
    pub fn ns(&self) -> Option<f64> {
        match self {
            Prediction::Time { ns, .. } => Some(*ns),
            Prediction::Unknown | Prediction::Misfit(_) => None,
        }
    }
}

/// The sites of a module: loops and groups, then kernels.
pub fn sites(module: OperationRef, breadth: Breadth, target: &Machine) -> Vec<Site> {
    let all = kernels(module);
    let mut sites = Vec::new();
    let mut loops = HashMap::new();
    for function in functions(module) {
        let found = statements::sweeps(function, target);
        sites.extend(found.sweeps.iter().map(|sweep| of_sweep(sweep, breadth, target)));
        for sweep in found.kernels {
            let apply = sweep.stages.stages[0].apply.operation().to_raw().ptr as usize;
            loops.insert(apply, sweep);
        }
    }
    sites.extend(all.iter().map(|kernel| {
        let apply = kernel.apply.operation().to_raw().ptr as usize;
        of_kernel((kernel, &all), loops.get(&apply), breadth, target)
    }));
    sites
}

fn of_sweep(sweep: &SweepOf, breadth: Breadth, target: &Machine) -> Site {
    let step = sweep.step();
    let apart = step.apart(target.product);
    let is_loop = sweep.stages.is_loop();
    let of_plan = |plan: PlanKeys| {
        let request = Request::of_kernel(&sweep.stage, plan.to_tree());
        let (plan, predicted) = sweep.predicted(plan, (&step, apart.ns()), target);
        let (prediction, excess) = match predicted {
            Ok(predicted) => (Prediction::Time { ns: predicted.ns, terms: predicted.terms }, None),
            Err(misfit) => (Prediction::Misfit(misfit.to_string()), sweep.excess(&plan, target)),
        };
        Alternative { request, plan, prediction, excess }
    };
    let swept = sweep.candidates(breadth, target).into_iter().map(of_plan);
    let applies = sweep.stages.applies.iter();
    let names = applies.filter_map(|apply| stage(apply.operation()));
    let names = names.flat_map(|name| [kernel_name(&sweep.function, &name), name]);
    Site {
        function: sweep.function.clone(),
        name: sweep.stage.clone(),
        place: place(sweep.stages.operation.location()),
        kind: if is_loop { SiteKind::Loop } else { SiteKind::Group },
        side: if is_loop { LoopSide::Within } else { LoopSide::of(sweep.stages.operation) },
        extents: sweep.facts.domain.clone(),
        kernels: names.collect(),
        apart,
        weighed: None,
        alternatives: std::iter::once(statement_by_statement(&sweep.stage, apart))
            .chain(swept)
            .collect(),
        is_estimated: true,
    }
}

/// The alternative without a sweep.
fn statement_by_statement(name: &str, apart: Terms) -> Alternative {
    let word = PlanValue::Text(Mapping::Thread.word().to_owned());
    let keys = Keys::from([("mapping".to_owned(), word)]);
    let prediction = Prediction::Time { ns: apart.ns(), terms: apart };
    let (request, plan) = (Request::of_kernel(name, keys), PlanKeys::default());
    Alternative { request, plan, prediction, excess: None }
}

/// The site of an apply, with the sweep of its loop if that is one of a single statement.
fn of_kernel(
    (kernel, all): (&KernelOf, &[KernelOf]),
    sweep: Option<&SweepOf>,
    breadth: Breadth,
    target: &Machine,
) -> Site {
    let name = kernel.address(all);
    let mut alternatives = threads::plans(&kernel.facts, target);
    alternatives.extend(match sweep {
        Some(sweep) => kernel_sweeps::in_loop(kernel, sweep, breadth, target),
        None => kernel_sweeps::alone(kernel, target),
    });
    let alternatives = alternatives.into_iter().map(|(keys, plan, prediction)| Alternative {
        request: Request::of_kernel(&name, keys),
        plan,
        prediction,
        excess: None,
    });
    let weighed = sweep::weighed(kernel.apply, &kernel.facts, target);
    let is_swept = sweep.is_some() && statements::is_long(&kernel.facts);
    let is_estimated = weighed.is_none() && is_swept;
    Site {
        function: kernel.function.clone(),
        place: place(kernel.apply.operation().location()),
        kind: if sweep.is_some() { SiteKind::Loop } else { SiteKind::Kernel },
        side: LoopSide::of(kernel.apply.operation()),
        extents: kernel.facts.domain.clone(),
        kernels: Vec::new(),
        apart: statements::alone(kernel.apply, target),
        weighed,
        is_estimated,
        alternatives: alternatives.collect(),
        name,
    }
}
