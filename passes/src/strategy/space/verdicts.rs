//! What `stencil-select-plan` decides about what can be one sweep, with what is predicted of it,
//! and why other loops and groups cannot be one.
//!
//! Requires a module as that pass takes it, and the keys that it is given. Does not look at plans
//! of kernels: functions carry those as decisions.

use crate::strategy::{
    kernels::functions,
    select_inlining::function_name,
    statements::{self, Excess, NoSweepKind, SweepOf},
};
use melior::ir::{OperationRef, operation::OperationLike};
use stencil_dialects::{diagnostics::place, ops::ApplyOp};
use stencil_model::{
    machine::Machine,
    plan::{PlanKeys, Request},
    sweep::estimate::Terms,
};

/// What becomes of a loop or a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The function that it is in.
    pub function: String,
    /// The name that keys are given for; none of what cannot be a sweep.
    pub name: Option<String>,
    /// Where it is in the program, as `file:line:column`.
    pub place: String,
    /// What it becomes.
    pub outcome: Outcome,
}

/// What a loop or a group becomes.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// One sweep.
    Swept {
        /// Its plan, without keys that are common to all mappings.
        plan: Box<PlanKeys>,
        /// Nanoseconds of a step, and what a step of the sweep takes; none where the plan makes no
        /// step of it.
        predicted: Option<(f64, Terms)>,
        /// The limit of what is tried by default that it exceeds.
        excess: Option<Box<Excess>>,
    },
    /// A kernel for each of its statements.
    Apart {
        /// The reason.
        why: String,
        /// Its kind.
        kind: NoSweepKind,
    },
    /// The same, because it cannot be a sweep at all.
    Unfit(String),
}

/// What becomes of the loops and groups of a module under a request. A request that
/// `stencil-select-plan` refuses has no verdict.
pub fn verdicts(module: OperationRef, request: &Request, target: &Machine) -> Vec<Verdict> {
    let of_function = |function| {
        let found = statements::sweeps(function, target);
        let fit = found.sweeps.iter().filter_map(|sweep| of_sweep(sweep, request, target));
        let mut verdicts = fit.collect::<Vec<_>>();
        let unfit = found.unfit.into_iter().map(|(operation, unfit)| {
            let what = match ApplyOp::of(operation) {
                None => "the loop cannot be one sweep",
                Some(_) => "the apply cannot join a sweep",
            };
            Verdict {
                function: function_name(function),
                name: None,
                place: place(operation.location()),
                outcome: Outcome::Unfit(format!("{what}: it {}", unfit.what)),
            }
        });
        verdicts.extend(unfit);
        verdicts
    };
    functions(module).into_iter().flat_map(of_function).collect()
}

fn of_sweep(sweep: &SweepOf, request: &Request, target: &Machine) -> Option<Verdict> {
    let outcome = match sweep.decide(request, target).ok()? {
        Ok(decision) => Outcome::Swept {
            predicted: sweep.chosen_for(&decision.plan, target),
            excess: sweep.excess(&decision.plan, target).map(Box::new),
            plan: Box::new(decision.plan),
        },
        Err(no) => Outcome::Apart { why: no.why, kind: no.kind },
    };
    Some(Verdict {
        function: sweep.function.clone(),
        name: Some(sweep.stage.clone()),
        place: place(sweep.stages.operation.location()),
        outcome,
    })
}
