//! What is said of a loop, a group or a kernel.

use super::{
    Rate,
    changes::{Change, speed_needed},
    losses::{Predicted, percent_longer, why_not},
};
use serde::Serialize;
use std::collections::BTreeMap;
use stencil_model::{
    plan::{PlanKeys, Remainder, Request},
    sweep::estimate::Terms,
};
use stencil_passes::{
    strategy::{
        decisions::{Decided, Decisions},
        space::{
            Alternative, Excess, GAIN_PERCENT, LoopSide, Misfit, NoSweepKind, Outcome, Prediction,
            Site, SiteKind, Verdict,
        },
    },
    transforms::name_stages::kernel_name,
};

/// A loop, a group or a kernel.
#[derive(Clone, Debug, Serialize)]
pub struct SiteReport {
    /// The name that keys are given for, in `--plan`.
    pub name: String,
    /// `time loop`, `group` or `kernel`.
    pub kind: &'static str,
    /// Where it is by the time loop.
    #[serde(skip)]
    pub side: LoopSide,
    /// The function that it is in.
    pub function: String,
    /// Where it is in the program.
    pub location: String,
    /// Points along each dimension, slowest first.
    pub extents: Vec<u64>,
    /// What was chosen.
    pub chosen: Chosen,
    /// Without a sweep: of a loop or a group, statement by statement; of a kernel, with the mapping
    /// `thread`, whatever its plan.
    pub apart: Times,
    /// The alternatives, those that fit first, fastest first; of a kernel those whose times are
    /// predicted.
    pub compared: Vec<Compared>,
    /// Whether the compiler compared them. What it predicts of others is shown all the same.
    pub is_compared: bool,
    /// Time steps of a sweep, and microseconds of a step, that were weighed for a small domain.
    pub weighed: Vec<(u32, f64)>,
    /// Microseconds of a step by itself, which those are compared with.
    pub by_itself_us: Option<f64>,
    /// Plans that no estimate tells apart, which measurements could try.
    pub untold: usize,
    /// What would have to be otherwise for another plan.
    pub changes: Vec<Change>,
    /// The kernels that make the iterations which a sweep leaves.
    pub remainder: Vec<String>,
}

/// What was chosen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Chosen {
    /// The plan, as `--plan` takes it; none of what stays a kernel for each statement.
    pub plan: Option<String>,
    /// Why.
    pub why: String,
    /// What is predicted of it, if anything is.
    pub predicted: Option<Times>,
    /// Why nothing is predicted of a sweep.
    pub unpredicted: Option<String>,
    /// The limit of what is tried by default that it exceeds.
    pub exceeded: Option<Limit>,
}

/// A predicted time of a step, by unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Times {
    /// Microseconds, with iterations that the sweep leaves to single steps.
    pub us: f64,
    /// Microseconds of a step of the sweep alone.
    pub sweep_us: f64,
    /// Microseconds that global memory is busy.
    pub memory_us: f64,
    /// Microseconds that the issue of instructions is busy, exchange included.
    pub issue_us: f64,
    /// Microseconds that the pipes for floating-point numbers are busy.
    pub arithmetic_us: f64,
    /// Percent of the issue that exchange among threads takes.
    pub exchange_percent: f64,
    /// Points computed for each that is stored.
    pub redundancy: f64,
    /// How much longer the launch takes than blocks that are evenly spread.
    pub fill: f64,
    /// Microseconds from a launch to the next.
    pub launch_us: f64,
    /// The unit that is busiest.
    pub busiest: &'static str,
}

/// A plan beside the chosen one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// The plan, as `--plan` takes it.
    pub plan: String,
    /// Whether it is the chosen one.
    pub is_chosen: bool,
    /// Whether it is one of those that are tried by default.
    pub is_candidate: bool,
    /// What is predicted of it; none of what does not fit.
    pub predicted: Option<Times>,
    /// Percent that it is slower than the chosen one.
    pub slower_percent: Option<f64>,
    /// Why it was not chosen.
    pub why_not: String,
    /// The limit that it exceeds.
    pub exceeded: Option<Limit>,
}

/// A limit that is exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Limit {
    /// What is limited.
    pub of: &'static str,
    /// What the plan needs.
    pub needed: i64,
    /// The most that it may.
    pub most: i64,
}

impl Limit {
    fn of(misfit: Misfit) -> Option<Self> {
        let (of, exceeded) = match misfit {
            Misfit::Carried(exceeded) => ("registers per thread for planes", exceeded),
            Misfit::Live(exceeded) => ("registers per thread at once", exceeded),
            Misfit::Shared(exceeded) => ("bytes of shared memory per block", exceeded),
            Misfit::Untiled | Misfit::NoStep => return None,
        };
        Some(Self { of, needed: exceeded.needed, most: exceeded.most })
    }
}

impl Times {
    fn of(predicted: &Predicted) -> Self {
        let Predicted { ns, terms } = predicted;
        Self {
            us: ns / 1e3,
            sweep_us: terms.ns() / 1e3,
            memory_us: terms.memory_ns / 1e3,
            issue_us: terms.issue_ns / 1e3,
            arithmetic_us: terms.arithmetic_ns / 1e3,
            exchange_percent: terms.exchange_percent,
            redundancy: terms.redundancy,
            fill: terms.fill,
            launch_us: terms.launch_ns / 1e3,
            busiest: terms.busiest().word(),
        }
    }

    fn of_terms(terms: Terms) -> Self {
        Self::of(&Predicted { ns: terms.ns(), terms })
    }
}

/// Names that keys for a site are given for.
pub fn names(site: &Site) -> [String; 2] {
    [site.name.clone(), kernel_name(&site.function, &site.name)]
}

/// The reports of all sites. Kernels of a loop or group that is a sweep are reported by that.
pub fn reports(
    sites: &[Site],
    verdicts: &[Verdict],
    decided: &BTreeMap<String, Decisions>,
) -> Vec<SiteReport> {
    let swept = sites.iter().filter(|site| is_swept(site, verdicts)).collect::<Vec<_>>();
    let is_part = |site: &&Site| {
        let is_its = |of: &&&Site| of.function == site.function && of.kernels.contains(&site.name);
        site.kernels.is_empty() && swept.iter().any(|of| is_its(&of))
    };
    let reported = sites.iter().filter(|site| !is_part(site));
    reported.map(|site| report(site, verdicts, decided)).collect()
}

/// Whether a loop or a group is a sweep.
pub fn is_swept(site: &Site, verdicts: &[Verdict]) -> bool {
    let verdict = verdict(site, verdicts).map(|verdict| &verdict.outcome);
    matches!(verdict, Some(Outcome::Swept { .. }))
}

/// The report of a site.
pub fn report(
    site: &Site,
    verdicts: &[Verdict],
    decided: &BTreeMap<String, Decisions>,
) -> SiteReport {
    let decision = decided.get(&site.function).and_then(|decided| decision(site, decided));
    let report = SiteReport {
        name: site.name.clone(),
        kind: site.kind.word(),
        side: site.side,
        function: site.function.clone(),
        location: site.place.clone(),
        extents: site.extents.clone(),
        chosen: Chosen {
            plan: decision.map(|decided| decided.plan.clone()),
            why: decision.map_or(String::new(), |decided| decided.why.clone()),
            predicted: None,
            unpredicted: None,
            exceeded: None,
        },
        apart: Times::of_terms(site.apart),
        compared: Vec::new(),
        is_compared: false,
        weighed: Vec::new(),
        by_itself_us: None,
        untold: 0,
        changes: Vec::new(),
        remainder: Vec::new(),
    };
    match verdict(site, verdicts).map(|verdict| &verdict.outcome) {
        Some(outcome) => of_statements(site, outcome, report),
        None => of_kernel(site, report),
    }
}

/// The name of the kernel of a site, in a package.
pub fn kernel_of(site: &Site) -> String {
    let own = kernel_name(&site.function, "");
    match site.kernels.is_empty() && site.name.starts_with(&own) {
        // Its stage has a name that other functions have too.
        true => site.name.clone(),
        false => kernel_name(&site.function, &site.name),
    }
}

/// What is predicted of a sweep, or of a kernel with the mapping `thread`.
pub fn rate(
    site: &Site,
    verdicts: &[Verdict],
    decided: &BTreeMap<String, Decisions>,
) -> Option<Rate> {
    let points = site.extents.iter().product::<u64>() as f64;
    if let Some(verdict) = verdict(site, verdicts) {
        let Outcome::Swept { predicted, plan, .. } = &verdict.outcome else { return None };
        let of_terms = |terms: Terms| points / terms.ns() * 1e9;
        let steps = plan.steps.into();
        return predicted.map(|(_, terms)| Rate { points_per_s: of_terms(terms), steps });
    }
    let decision = decision(site, decided.get(&site.function)?)?;
    let is_thread = decision.plan.contains("mapping=thread");
    is_thread.then(|| Rate { points_per_s: points / site.apart.ns() * 1e9, steps: 1 })
}

/// The decision about a kernel or a sweep: functions have them by stage.
fn decision<'d>(site: &Site, decided: &'d Decisions) -> Option<&'d Decided> {
    let is_named = |stage: &str| kernel_name(&site.function, stage) == site.name;
    let by_kernel = || decided.iter().find(|(stage, _)| is_named(stage));
    decided.get(&site.name).or_else(|| by_kernel().map(|(_, decided)| decided))
}

fn verdict<'v>(site: &Site, verdicts: &'v [Verdict]) -> Option<&'v Verdict> {
    let is_its = |verdict: &&Verdict| {
        verdict.function == site.function
            && verdict.place == site.place
            && verdict.name.as_ref() == Some(&site.name)
    };
    verdicts.iter().find(is_its).filter(|_| !site.kernels.is_empty())
}

/// A kernel: what is predicted of its sweeps is shown, if anything is and it decided, as it does on
/// large domains.
fn of_kernel(site: &Site, report: SiteReport) -> SiteReport {
    let weighed = site.weighed.as_ref();
    let swept = weighed.map_or(&[][..], |weighed| &weighed.swept);
    let (timed, others): (Vec<_>, Vec<_>) =
        site.alternatives.iter().cloned().partition(|it| predicted(it).is_some());
    let mut report = SiteReport {
        weighed: swept.iter().map(|(steps, ns)| (*steps, *ns as f64 / 1e3)).collect(),
        by_itself_us: weighed.map(|weighed| weighed.by_itself_ns as f64 / 1e3),
        untold: others.len(),
        ..report
    };
    if timed.is_empty() || weighed.is_some() {
        return SiteReport { untold: site.alternatives.len(), ..report };
    }
    let apart = Predicted { ns: site.apart.ns(), terms: site.apart };
    let plan = report.chosen.plan.as_deref().and_then(|text| keys(site, text));
    let is_thread = plan.as_ref().is_some_and(|plan| !plan.mapping.is_sweep());
    let sweep = || timed.iter().find(|it| plan.as_ref().map(shape) == Some(shape(&it.plan)));
    let chosen = if is_thread { Some(apart) } else { sweep().and_then(predicted) };
    let site = Site { alternatives: timed.clone(), ..site.clone() };
    report.is_compared = site.is_estimated;
    report.chosen.predicted = chosen.as_ref().map(Times::of);
    let chosen_plan = plan.as_ref().filter(|_| !is_thread);
    let text = report.chosen.plan.clone();
    report.compared = compared(&site, chosen.as_ref(), (chosen_plan, text.as_deref()));
    report
}

/// The keys of a decided plan.
fn keys(site: &Site, text: &str) -> Option<PlanKeys> {
    let request = text.parse::<Request>().ok()?;
    let named = names(site);
    let keys = named.iter().find_map(|name| request.keys_of(name)).cloned();
    PlanKeys::from_tree(&keys.unwrap_or_default()).ok()
}

/// A loop or a group of statements, which the estimate decides on.
fn of_statements(site: &Site, outcome: &Outcome, mut report: SiteReport) -> SiteReport {
    let apart = Predicted { ns: site.apart.ns(), terms: site.apart };
    let (chosen, plan) = match outcome {
        Outcome::Swept { plan, predicted, excess } => {
            let of = predicted.map(|(ns, terms)| Predicted { ns, terms });
            let misfit = excess.as_ref().map(|excess| excess.misfit);
            report.chosen.exceeded = misfit.and_then(Limit::of);
            if of.is_none() {
                let without = misfit.filter(|misfit| Limit::of(*misfit).is_none());
                let why = without.unwrap_or(Misfit::NoStep).to_string();
                report.chosen.unpredicted = Some(why);
            }
            report.is_compared = true;
            if site.kind == SiteKind::Loop {
                // Each kernel has its own name, then that of its stage.
                report.remainder = site.kernels.iter().skip(1).step_by(2).cloned().collect();
            }
            (of, Some(plan.as_ref()))
        }
        Outcome::Apart { why, kind } => {
            let kept = match kind {
                NoSweepKind::Excluded => format!("no sweep: {why}"),
                NoSweepKind::Slower | NoSweepKind::Unfit => why.clone(),
            };
            report.is_compared = *kind != NoSweepKind::Excluded;
            report.chosen = Chosen { plan: None, why: kept, ..report.chosen };
            (Some(apart), None)
        }
        Outcome::Unfit(_) => (None, None),
    };
    report.chosen.predicted = chosen.as_ref().map(Times::of);
    report.compared = compared(site, chosen.as_ref(), (plan, report.chosen.plan.as_deref()));
    if report.is_compared {
        report.changes = changes(site, chosen.as_ref(), plan.is_some());
    }
    report
}

/// The alternatives: those that fit, fastest first, then the others.
fn compared(
    site: &Site,
    chosen: Option<&Predicted>,
    (plan, plan_text): (Option<&PlanKeys>, Option<&str>),
) -> Vec<Compared> {
    let is_chosen = |alternative: &Alternative| match plan {
        Some(plan) => shape(plan) == shape(&alternative.plan),
        None => is_apart(alternative),
    };
    let rows = site.alternatives.iter().map(|alternative| {
        let is_chosen = is_chosen(alternative);
        let of_it = predicted(alternative);
        // With sweeps of fewer steps for what it leaves, the chosen one takes less.
        let shown = if is_chosen { chosen.copied().or(of_it) } else { of_it };
        let why_not = match (&alternative.prediction, chosen.zip(of_it.as_ref())) {
            _ if is_chosen => "chosen".to_owned(),
            (Prediction::Misfit(why), _) => why.clone(),
            (_, Some((chosen, other))) => why_not_of(chosen, other, plan.is_none()),
            _ => String::new(),
        };
        let excess = alternative.excess.as_ref();
        Compared {
            plan: alternative.request.to_string(),
            is_chosen,
            is_candidate: true,
            predicted: shown.as_ref().map(Times::of),
            slower_percent: chosen.zip(of_it).map(|(chosen, it)| percent_longer(it.ns, chosen.ns)),
            why_not,
            exceeded: excess.and_then(|excess| Limit::of(excess.misfit)),
        }
    });
    let mut rows = rows.collect::<Vec<_>>();
    if let Some(chosen) = chosen.filter(|_| !rows.iter().any(|row| row.is_chosen)) {
        rows.push(Compared {
            plan: plan_text.unwrap_or_default().to_owned(),
            is_chosen: true,
            is_candidate: false,
            predicted: Some(Times::of(chosen)),
            slower_percent: Some(0.0),
            why_not: "chosen".to_owned(),
            exceeded: None,
        });
    }
    let time = |row: &Compared| row.predicted.map_or(f64::INFINITY, |times| times.us);
    rows.sort_by(|one, other| time(one).total_cmp(&time(other)));
    rows
}

/// Why another plan was not chosen. A sweep that is faster by little is not.
fn why_not_of(chosen: &Predicted, other: &Predicted, is_apart: bool) -> String {
    let text = why_not(chosen, other);
    let gains = other.ns * 100.0 <= chosen.ns * GAIN_PERCENT;
    match is_apart && other.ns < chosen.ns && !gains {
        true => format!("{text}: a sweep has to gain {:.0} %", 100.0 - GAIN_PERCENT),
        false => text,
    }
}

/// What tells candidates apart: not the chunks and the remainder, which follow.
fn shape(plan: &PlanKeys) -> PlanKeys {
    let none = PlanKeys::default();
    PlanKeys {
        chunks: none.chunks,
        edge_chunks: none.edge_chunks,
        remainder: Remainder::Single,
        ..plan.clone()
    }
}

/// Whether an alternative is that of a kernel for each statement.
fn is_apart(alternative: &Alternative) -> bool {
    alternative.plan == PlanKeys::default()
}

fn predicted(alternative: &Alternative) -> Option<Predicted> {
    match alternative.prediction {
        Prediction::Time { ns, terms } => Some(Predicted { ns, terms }),
        Prediction::Unknown | Prediction::Misfit(_) => None,
    }
}

/// What would have to be otherwise for another plan: the fastest that exceeds a limit, and the next
/// that fits, or the best sweep of what stays apart.
fn changes(site: &Site, chosen: Option<&Predicted>, is_swept: bool) -> Vec<Change> {
    let Some(chosen) = chosen else { return Vec::new() };
    let apart = &site.apart;
    let mut changes = Vec::new();
    let of_plan = |alternative: &Alternative| alternative.request.to_string();
    let sweeps = site.alternatives.iter().filter(|it| !is_apart(it));
    let timed = sweeps.clone().filter_map(|it| Some((it, predicted(it)?)));
    let timed = timed.filter(|(_, it)| !is_swept || it.ns > chosen.ns);
    let next = timed.min_by(|one, other| one.1.ns.total_cmp(&other.1.ns));
    match next {
        Some((plan, next)) if is_swept => {
            let speed = speed_needed(&next, chosen, apart, 100.0);
            changes.push(Change::of_unit(of_plan(plan), next.ns, chosen.ns, speed));
        }
        Some((plan, best)) if best.ns * 100.0 > chosen.ns * GAIN_PERCENT => {
            let speed = speed_needed(&best, chosen, apart, GAIN_PERCENT);
            let times = (best.ns, chosen.ns);
            changes.push(Change::of_gain(of_plan(plan), times, GAIN_PERCENT, speed));
        }
        _ => {}
    }
    let beyond = sweeps.filter_map(|it| {
        let Excess { misfit, unlimited } = it.excess.as_ref()?;
        Some((it, Limit::of(*misfit)?, unlimited.map(|(ns, _)| ns)))
    });
    let beyond = beyond.collect::<Vec<_>>();
    let faster = beyond.iter().filter(|(_, _, ns)| ns.is_some_and(|ns| ns < chosen.ns));
    let fastest = faster.min_by(|one, other| time(one.2).total_cmp(&time(other.2)));
    let excess = |limit: &Limit| limit.needed as f64 / limit.most as f64;
    let closest = || {
        let of_least = beyond.iter().min_by(|one, two| excess(&one.1).total_cmp(&excess(&two.1)));
        // Where something fits, what exceeds a limit and is no faster is of no use.
        of_least.filter(|_| next.is_none())
    };
    if let Some((plan, limit, ns)) = fastest.or_else(closest) {
        let limit = (limit.of, limit.needed, limit.most);
        let than = ns.is_some_and(|ns| ns < chosen.ns).then_some(chosen.ns);
        changes.push(Change::of_limit(of_plan(plan), *ns, than, limit));
    }
    changes
}

fn time(ns: Option<f64>) -> f64 {
    ns.unwrap_or(f64::INFINITY)
}
