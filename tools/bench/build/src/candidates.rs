//! Plans that the compiler predicts to be fastest, as [`explanation`] has them.

use crate::plans::NamedPlan;
use std::{collections::BTreeSet, iter};
use stencil_driver::{
    DriverError, explanation,
    explanation::{Compared, SiteReport},
    pipelines::PlanRequest,
    session::{Module, Session},
};

/// A plan that is measured.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The plan.
    pub plan: NamedPlan,
    /// What is predicted of the program with it.
    pub predicted: Option<Predicted>,
}

/// A predicted time of a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Predicted {
    /// Microseconds of a time step; without a time loop of a run.
    us: f64,
    has_loop: bool,
}

impl Predicted {
    /// Milliseconds of a run of so many time steps.
    pub fn ms(self, steps: u64) -> f64 {
        let times = if self.has_loop { steps as f64 } else { 1.0 };
        stencil_bench::record::rounded(self.us * times * 1e-3)
    }
}

impl Candidate {
    /// A plan of which nothing is predicted.
    pub fn unpredicted(plan: NamedPlan) -> Candidate {
        Candidate { plan, predicted: None }
    }
}

/// The compiler's own plan, and so many others of the loop or kernel that takes longest: those with
/// the shortest predicted times, and the best of each other number of fused steps, half of each.
///
/// # Errors
/// If the program is refused.
pub fn of<'c>(
    session: &Session<'c>,
    frozen: &Module<'c>,
    count: usize,
) -> Result<Vec<Candidate>, DriverError> {
    let sites = explanation::explain(session, frozen, None)?.sites;
    let loops = sites.iter().filter(|site| is_loop(site)).collect::<Vec<_>>();
    // Kernels of a loop's statements are sites of their own, and part of the loop's time.
    let (parts, has_loop) = match loops.as_slice() {
        [] => (sites.iter().collect::<Vec<_>>(), false),
        _ => (loops, true),
    };
    // One loop after another has steps of its own each.
    let is_told = !has_loop || parts.len() == 1;
    let longest = parts.iter().max_by(|one, other| time(one).total_cmp(&time(other)));
    let Some(longest) = longest else { return Ok(Vec::new()) };
    let whole: f64 = parts.iter().map(|site| time(site)).sum();
    let with = |us: f64| {
        let us = whole - time(longest) + us;
        is_told.then_some(Predicted { us, has_loop })
    };
    let own =
        Candidate { plan: NamedPlan::of(PlanRequest::default()), predicted: with(time(longest)) };
    let others = fastest(&longest.compared, count)
        .into_iter()
        .map(|(us, request)| Candidate { plan: NamedPlan::of(request), predicted: with(us) });
    Ok(iter::once(own).chain(others).collect())
}

fn is_loop(site: &SiteReport) -> bool {
    site.kind == "time loop"
}

/// Microseconds of a step as it was chosen.
fn time(site: &SiteReport) -> f64 {
    site.chosen.predicted.unwrap_or(site.apart).us
}

/// The fastest of those that fit and were not chosen.
fn fastest(compared: &[Compared], count: usize) -> Vec<(f64, PlanRequest)> {
    let others = compared.iter().filter(|plan| !plan.is_chosen && plan.exceeded.is_none());
    let read = |plan: &Compared| {
        let request: PlanRequest = plan.plan.parse().ok()?;
        Some((plan.predicted?.us, request))
    };
    let mut others = others.filter_map(read).collect::<Vec<_>>();
    others.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let steps = |request: &PlanRequest| request.value("steps");
    let rest = others.split_off(others.len().min(count.div_ceil(2)));
    let mut first = others;
    let mut seen = first.iter().map(|(_, request)| steps(request)).collect::<BTreeSet<_>>();
    let (best, rest): (Vec<_>, Vec<_>) =
        rest.into_iter().partition(|(_, request)| seen.insert(steps(request)));
    let more = best.into_iter().chain(rest).take(count - first.len().min(count));
    first.extend(more);
    first
}
