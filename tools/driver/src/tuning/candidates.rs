//! The plans of a function's time loops, groups and kernels, as spaces that can be searched.

use super::Tuned;
use crate::{DriverError, pipelines::PlanRequest, plans};
use std::collections::BTreeSet;
use stencil_model::plan::request::Keys;
use stencil_passes::strategy::space::{Breadth, Prediction, SiteKind, sites};
use stencil_tuning::space::Space;

/// A site with the plans that it may have.
pub struct Site {
    /// The name that keys are given for.
    pub name: String,
    /// What it is.
    pub kind: SiteKind,
    /// Kernels that it consists of if it is no sweep.
    pub kernels: Vec<String>,
    /// Its part of a run's time, as predicted for kernels of single statements.
    pub part: f64,
    /// Its plans. The first is the compiler's choice, where nothing is asked for.
    pub plans: Vec<Plan>,
    /// The same as points.
    pub space: Space,
}

/// A plan of a site.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What is asked for.
    pub request: PlanRequest,
    /// Nanoseconds of a step, if they are predicted.
    pub predicted_ns: Option<f64>,
}

/// The sites of a function, time loops and groups before kernels, each with the default first.
///
/// # Errors
/// If the function cannot be compiled.
pub fn of(tuned: &Tuned) -> Result<Vec<Site>, DriverError> {
    let [open, planned] = plans::around(tuned.session, &tuned.frozen)?;
    let decided = super::decisions_of(&planned);
    let target = tuned.session.target().machine();
    let found = sites(open.as_operation(), Breadth::Wide, &target);
    // What a loop is made of takes the time of the loop.
    let of_loops = found.iter().flat_map(|site| &site.kernels).collect::<BTreeSet<_>>();
    let parts = found.iter().filter(|site| !of_loops.contains(&site.name));
    let whole = parts.map(|site| site.apart.ns()).sum::<f64>();
    let mut all = Vec::new();
    for site in &found {
        let name = &site.name;
        let alternatives = site.alternatives.iter().filter_map(|alternative| {
            let is_fit = !matches!(alternative.prediction, Prediction::Misfit(_));
            let predicted_ns = alternative.prediction.ns();
            is_fit.then(|| Plan { request: alternative.request.clone(), predicted_ns })
        });
        let alternatives = alternatives.collect::<Vec<_>>();
        if alternatives.is_empty() {
            continue;
        }
        let default = decided.keys_of(name).cloned().unwrap_or_default();
        let (plans, points) = with_default(name, default, alternatives);
        all.push(Site {
            name: name.clone(),
            kind: site.kind,
            kernels: site.kernels.clone(),
            part: site.apart.ns() / whole.max(f64::MIN_POSITIVE),
            plans,
            space: Space::new(&points),
        });
    }
    // Names of a loop's kernels exclude that it is a sweep: they come after it.
    all.sort_by(|one, other| {
        let order = |site: &Site| (site.kind == SiteKind::Kernel, -site.part);
        order(one).partial_cmp(&order(other)).unwrap_or(std::cmp::Ordering::Equal)
    });
    Ok(all)
}

/// Plans with the compiler's choice first, and their points.
fn with_default(
    name: &str,
    mut default: Keys,
    alternatives: Vec<Plan>,
) -> (Vec<Plan>, Vec<(Keys, Option<f64>)>) {
    let keys = |plan: &Plan| plan.request.keys_of(name).cloned().unwrap_or_default();
    // What follows from other keys would set the default apart.
    let known = alternatives.iter().flat_map(|plan| keys(plan).into_keys());
    let known = known.collect::<BTreeSet<_>>();
    default.retain(|key, _| known.contains(key));
    let is_default = |plan: &&Plan| {
        let mut keys = keys(plan);
        keys.remove("mapping");
        default.iter().filter(|(key, _)| *key != "mapping").eq(keys.iter())
    };
    let predictions = alternatives.iter().filter_map(|plan| plan.predicted_ns);
    let least = predictions.reduce(f64::min);
    // Chosen because it is predicted to be the fastest, if predictions chose it.
    let predicted_ns = alternatives.iter().find(is_default).map_or(least, |it| it.predicted_ns);
    let first = Plan { request: PlanRequest::default(), predicted_ns };
    let others = alternatives.iter().filter(|plan| !is_default(plan)).cloned();
    let plans = std::iter::once(first).chain(others).collect::<Vec<_>>();
    let points = plans.iter().enumerate().map(|(number, plan)| {
        let keys = if number == 0 { default.clone() } else { keys(plan) };
        (keys, plan.predicted_ns)
    });
    let points = points.collect();
    (plans, points)
}
