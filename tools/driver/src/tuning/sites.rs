//! The search: one site after the other, each with its part of the measurements, on top of the
//! fastest plans of those before it.
//!
//! Where a time loop or group is fastest as one sweep, its kernels are not searched. A plan that
//! becomes the same complete plans as one that was measured is not measured again, be it in this
//! run or in the store.

use super::{Tuned, candidates::Site};
use crate::{DriverError, pipelines::PlanRequest};
use std::{collections::BTreeMap, time::Instant};
use stencil_model::plan::{Mapping, PlanValue};
use stencil_tuning::{
    record::{Candidate, FailedStep, Outcome, Record},
    search::{self, Observation},
    store::Store,
    trial::{Setup, Trials},
};

/// What measures a plan.
pub trait Measurer {
    /// What came of a plan of a function; none where this one cannot be measured at all.
    ///
    /// # Errors
    /// If nothing can be measured.
    fn measure(
        &mut self,
        tuned: &Tuned,
        candidate: &Candidate,
    ) -> Result<Option<Record>, DriverError>;
}

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Plans beside the default one.
    pub plans: usize,
    /// When no further one is begun.
    pub until: Option<Instant>,
}

/// A measurement, for who watches.
#[derive(Clone, Debug)]
pub struct Step<'t> {
    /// The site whose plan is varied.
    pub site: &'t str,
    /// Its number, from 1; 0 is the default.
    pub number: usize,
    /// What was found.
    pub record: &'t Record,
    /// Whether it was known before.
    pub is_known: bool,
    /// The fastest so far, in microseconds.
    pub best_us: Option<f64>,
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Outcomes {
    /// The default plan.
    pub default: Record,
    /// The fastest.
    pub best: Record,
    /// Plans that were measured now, the default among them.
    pub measured: usize,
    /// Whether the search ended because nothing was expected to gain more.
    pub is_complete: bool,
}

/// A search that is going on.
pub struct Search<'t, 'c, 's, 'm> {
    tuned: &'t Tuned<'c, 's>,
    measurer: &'m mut dyn Measurer,
    watch: &'m mut dyn FnMut(&Step),
    budget: Budget,
    /// Records by complete plans.
    known: BTreeMap<String, Record>,
    best: Option<Record>,
    /// What the fastest plan asks for.
    request: PlanRequest,
    number: usize,
    measured: usize,
}

impl<'t, 'c, 's, 'm> Search<'t, 'c, 's, 'm> {
    /// A search that knows some records of the subject.
    pub fn new(
        tuned: &'t Tuned<'c, 's>,
        known: impl IntoIterator<Item = Record>,
        budget: Budget,
        measurer: &'m mut dyn Measurer,
        watch: &'m mut dyn FnMut(&Step),
    ) -> Self {
        let known = known.into_iter().map(|record| (record.candidate.decided.clone(), record));
        Search {
            tuned,
            measurer,
            watch,
            budget,
            known: known.collect(),
            best: None,
            request: PlanRequest::default(),
            number: 0,
            measured: 0,
        }
    }

    /// Searches all sites.
    ///
    /// # Errors
    /// If nothing can be measured, or the default plan gives no time.
    pub fn run(mut self, sites: &[Site]) -> Result<Outcomes, DriverError> {
        let default = self.try_plan("", &PlanRequest::default(), None)?;
        let default = default.ok_or_else(|| {
            DriverError::Option("there is no measurement of the default plan".to_owned())
        })?;
        if let Outcome::Failed { message, .. } = &default.outcome {
            let problem = format!("the default plan cannot be measured: {message}");
            return Err(DriverError::Option(problem));
        }
        let mut is_complete = true;
        let mut swept = Vec::new();
        for site in sites {
            if swept.contains(&site.name) {
                continue;
            }
            let share = (self.budget.plans as f64 * site.part).round() as usize;
            let most = share.clamp(LEAST.min(self.budget.plans), self.budget.plans);
            let (request, ended) = self.site(site, most, &default)?;
            is_complete &= ended;
            if is_sweep(site, request.as_ref(), &default) {
                swept.extend(site.kernels.iter().cloned());
            }
        }
        let best = self.best.clone().expect("the default was measured");
        Ok(Outcomes { default, best, measured: self.measured, is_complete })
    }

    /// Searches the plans of a site; gives the fastest one where it is not the default, and whether
    /// no other was worth a measurement.
    fn site(
        &mut self,
        site: &Site,
        most: usize,
        default: &Record,
    ) -> Result<(Option<PlanRequest>, bool), DriverError> {
        let whole = default.median_us().unwrap_or_default();
        let start = self.best.as_ref().and_then(Record::median_us).unwrap_or(whole);
        // The time of the other sites, which stays.
        let rest = start * (1.0 - site.part).clamp(0.0, REST_MOST);
        let of_site = |us: f64| (us - rest).max(start * (1.0 - REST_MOST));
        let mut observed = vec![Observation { plan: 0, time: Some(of_site(start)) }];
        let mut chosen = None;
        let base = self.request.clone();
        let mut tries = 0;
        while tries < most {
            if self.budget.until.is_some_and(|until| Instant::now() >= until) {
                return Ok((chosen, false));
            }
            let Some(plan) = search::next(&site.space, &observed) else {
                return Ok((chosen, true));
            };
            let asked = base.clone().with(site.plans[plan].request.clone());
            let before = self.measured;
            let best = self.best.as_ref().and_then(Record::median_us);
            let record = self.try_plan(&site.name, &asked, site.plans[plan].predicted_ns)?;
            let time = record.as_ref().and_then(Record::median_us);
            observed.push(Observation { plan, time: time.map(of_site) });
            if time.is_some_and(|time| best.is_none_or(|best| time < best)) {
                self.request = asked.clone();
                chosen = Some(site.plans[plan].request.clone());
            }
            // What the compiler refuses costs nothing.
            tries += usize::from(self.measured > before);
        }
        Ok((chosen, false))
    }

    /// Measures a plan, if it is not known; none where there is nothing to be known of it.
    fn try_plan(
        &mut self,
        site: &str,
        request: &PlanRequest,
        predicted_ns: Option<f64>,
    ) -> Result<Option<Record>, DriverError> {
        let Ok(decided) = self.tuned.decided(request) else { return Ok(None) };
        let (record, is_known) = match self.known.get(&decided) {
            Some(record) => (record.clone(), true),
            None => {
                let candidate = Candidate::new(request.to_string(), decided.clone(), predicted_ns);
                let Some(record) = self.measurer.measure(self.tuned, &candidate)? else {
                    return Ok(None);
                };
                self.measured += 1;
                self.known.insert(decided, record.clone());
                (record, false)
            }
        };
        let time = record.median_us();
        let best = self.best.as_ref().and_then(Record::median_us);
        if time.is_some_and(|time| best.is_none_or(|best| time < best)) {
            self.best = Some(record.clone());
        }
        let best_us = self.best.as_ref().and_then(Record::median_us);
        (self.watch)(&Step { site, number: self.number, record: &record, is_known, best_us });
        self.number += 1;
        Ok(Some(record))
    }
}

/// Measurements of a site, at least.
const LEAST: usize = 3;
/// The largest part of a run's time that others than the site may have.
const REST_MOST: f64 = 0.95;

/// Whether the fastest plan of a site is one sweep.
fn is_sweep(site: &Site, request: Option<&PlanRequest>, default: &Record) -> bool {
    if site.kernels.is_empty() {
        return false;
    }
    let decided = default.candidate.decided.parse::<PlanRequest>().unwrap_or_default();
    let request = request.unwrap_or(&decided);
    let mapping = request.keys_of(&site.name).and_then(|keys| keys.get("mapping"));
    let thread = Mapping::Thread.word();
    matches!(mapping, Some(PlanValue::Text(word)) if word != thread)
}

/// Measures on a GPU, and keeps what is found at once.
pub struct OnGpu<'g> {
    trials: Trials,
    store: &'g Store,
    chip: &'g str,
}

impl<'g> OnGpu<'g> {
    /// On a chip of this name.
    pub fn new(setup: Setup, store: &'g Store, chip: &'g str) -> Self {
        OnGpu { trials: Trials::new(setup), store, chip }
    }
}

impl Measurer for OnGpu<'_> {
    fn measure(
        &mut self,
        tuned: &Tuned,
        candidate: &Candidate,
    ) -> Result<Option<Record>, DriverError> {
        let outcome = match tuned.compiled(candidate.clone()) {
            Err(message) => (Outcome::Failed { step: FailedStep::Compile, message }, None),
            Ok(compiled) => {
                let folder = tempfile::tempdir().map_err(DriverError::Temporary)?;
                let file = folder.path().join("candidate.spk");
                compiled.package.write(&file).map_err(stencil_runtime::RuntimeError::from)?;
                self.trials.measure(&file)?
            }
        };
        let subject = tuned.subject.clone();
        let record = Record::new(subject, candidate.clone(), self.chip, outcome);
        self.store.append(&record)?;
        Ok(Some(record))
    }
}

/// Gives what was measured before in the place of measurements.
pub struct Replay {
    /// Records by complete plans.
    records: BTreeMap<String, Record>,
}

impl Replay {
    /// Of some records.
    pub fn new(records: impl IntoIterator<Item = Record>) -> Replay {
        let keyed = records.into_iter().map(|record| (record.candidate.decided.clone(), record));
        Replay { records: keyed.collect() }
    }

    /// The shortest time that there is, in microseconds.
    pub fn best_us(&self) -> Option<f64> {
        self.records.values().filter_map(Record::median_us).reduce(f64::min)
    }
}

impl Measurer for Replay {
    fn measure(&mut self, _: &Tuned, candidate: &Candidate) -> Result<Option<Record>, DriverError> {
        Ok(self.records.get(&candidate.decided).cloned())
    }
}
