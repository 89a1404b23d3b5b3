//! Fits the few coefficients that no microbenchmark measures, and cross-validates the fit.
//!
//! A fit scales named coefficients to minimise first the loss of choosing by the predictions, and
//! then the mean squared difference of predicted and measured times: of their logarithms, centred
//! per kernel, because only the order within a kernel matters. Squares alone would be dominated by
//! slow variants, which nothing would choose. The search is a coordinate descent with halved steps
//! on a grid of factors; it needs no derivative and is deterministic.
//!
//! [`leave_one_out`] estimates the quality on unseen kernels: each kernel is predicted with
//! coefficients fitted to all the others.

use std::{
    collections::BTreeMap,
    num::NonZero,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use stencil_model::resources::ResourceError;
use thiserror::Error;

use crate::{
    coefficients::Coefficients,
    evaluation::{Evaluation, EvaluationError, Sample, evaluate},
    predict::{Model, Variant, compare},
};

/// Grid steps per factor of two.
const STEPS_PER_DOUBLING: f64 = 8.0;
/// The first step along a coefficient, in grid steps: a factor of the square root of two.
const FIRST_STEP: i32 = 4;
/// No coefficient is changed by more than a factor of four: it would lose its meaning.
const STEPS_MAX: i32 = 16;

/// A measured variant.
#[derive(Debug, Clone)]
pub struct Case {
    /// The kernel.
    pub kernel: String,
    /// The variant.
    pub name: String,
    /// Its launches.
    pub variant: Variant,
    /// Its measured time.
    pub seconds: f64,
}

/// Why fitting failed.
#[derive(Debug, Error)]
pub enum FitError {
    /// A coefficient that does not exist.
    #[error("there is no coefficient '{name}', name one as memory.l1_bytes")]
    Unknown {
        /// The name.
        name: String,
    },
    /// A variant that cannot run.
    #[error("variant '{variant}' of kernel '{kernel}': {why}")]
    CannotRun {
        /// The kernel.
        kernel: String,
        /// The variant.
        variant: String,
        /// Why.
        why: ResourceError,
    },
    /// Invalid samples.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
}

/// Coefficients with their fitted factors.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The name of each free coefficient and its factor.
    pub factors: Vec<(String, f64)>,
    /// Root mean squared difference of logarithms before: 0.1 is about ten percent.
    pub error_before: f64,
    /// The same afterwards.
    pub error_after: f64,
}

/// Predictions for scaled coefficients, memoized.
struct Predictions<'c> {
    cases: &'c [Case],
    coefficients: &'c Coefficients,
    free: &'c [&'c str],
    known: BTreeMap<Vec<i32>, Vec<f64>>,
}

impl Predictions<'_> {
    fn under(&mut self, steps: &[i32]) -> Result<Vec<f64>, FitError> {
        if let Some(known) = self.known.get(steps) {
            return Ok(known.clone());
        }
        let mut changed = self.coefficients.clone();
        for (name, &step) in self.free.iter().zip(steps) {
            let unknown = || FitError::Unknown { name: (*name).to_owned() };
            changed = changed.scaled(name, factor(step)).ok_or_else(unknown)?;
        }
        let predicted = predictions(self.cases, &changed, Model::Ours)?;
        self.known.insert(steps.to_vec(), predicted.clone());
        Ok(predicted)
    }
}

fn factor(step: i32) -> f64 {
    (f64::from(step) / STEPS_PER_DOUBLING).exp2()
}

/// Predicted times of cases, comparable within a kernel.
///
/// # Errors
///
/// If one cannot run.
pub fn predictions(
    cases: &[Case],
    coefficients: &Coefficients,
    model: Model,
) -> Result<Vec<f64>, FitError> {
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, case) in cases.iter().enumerate() {
        groups.entry(&case.kernel).or_default().push(index);
    }
    let groups: Vec<Vec<usize>> = groups.into_values().collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Vec::new();
        while let Some(members) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
            let times = of_group(cases, members, coefficients, model)?;
            found.extend(members.iter().copied().zip(times));
        }
        Ok(found)
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(groups.len());
    let found = thread::scope(|scope| {
        let started: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let ended = started.into_iter().map(|it| it.join().expect("a prediction does not panic"));
        ended.collect::<Result<Vec<_>, FitError>>()
    })?;
    let mut predicted = vec![0.0; cases.len()];
    for (index, time) in found.into_iter().flatten() {
        predicted[index] = time;
    }
    Ok(predicted)
}

/// Predicted times of the cases of one kernel.
fn of_group(
    cases: &[Case],
    members: &[usize],
    coefficients: &Coefficients,
    model: Model,
) -> Result<Vec<f64>, FitError> {
    let variants: Vec<Variant> = members.iter().map(|&it| cases[it].variant.clone()).collect();
    compare(&variants, coefficients, model).map_err(|why| {
        let cannot = |it: &Variant| compare(std::slice::from_ref(it), coefficients, model);
        let which = variants.iter().position(|it| cannot(it).is_err()).unwrap_or(0);
        let Case { kernel, name, .. } = &cases[members[which]];
        FitError::CannotRun { kernel: kernel.clone(), variant: name.clone(), why }
    })
}

/// The loss of predictions: first of the choice, then of the differences.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
struct Loss {
    /// Mean logarithm of the slowdown of the picked variants relative to the fastest.
    choice: f64,
    /// Mean squared difference of logarithms.
    error: f64,
}

/// The loss over the kernels for which `counts` holds.
fn loss(cases: &[Case], predicted: &[f64], counts: impl Fn(&str) -> bool) -> Loss {
    let mut groups: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
    for (case, predicted) in cases.iter().zip(predicted).filter(|(case, _)| counts(&case.kernel)) {
        groups.entry(&case.kernel).or_default().push((*predicted, case.seconds));
    }
    let (mut lost, mut squares, mut count) = (0.0, 0.0, 0);
    for times in groups.values() {
        let difference = |(predicted, seconds): &(f64, f64)| (predicted / seconds).ln();
        let mean = times.iter().map(difference).sum::<f64>() / times.len() as f64;
        squares += times.iter().map(|it| (difference(it) - mean).powi(2)).sum::<f64>();
        count += times.len();
        let best = times.iter().map(|it| it.1).fold(f64::INFINITY, f64::min);
        let picked = times.iter().min_by(|a, b| a.0.total_cmp(&b.0));
        lost += picked.map_or(0.0, |it| (it.1 / best).ln());
    }
    let choice = lost / groups.len().max(1) as f64;
    Loss { choice, error: squares / count.max(1) as f64 }
}

/// The steps with the smallest loss over the kernels that count.
fn search(
    predictions: &mut Predictions<'_>,
    counts: impl Fn(&str) -> bool,
) -> Result<(Vec<i32>, Loss), FitError> {
    let cases = predictions.cases;
    let mut best = vec![0; predictions.free.len()];
    let mut least = loss(cases, &predictions.under(&best)?, &counts);
    let mut step = FIRST_STEP;
    while step > 0 {
        let mut improved = false;
        for coefficient in 0..best.len() {
            for change in [step, -step] {
                let mut tried = best.clone();
                tried[coefficient] = (tried[coefficient] + change).clamp(-STEPS_MAX, STEPS_MAX);
                let of_tried = loss(cases, &predictions.under(&tried)?, &counts);
                if of_tried < least {
                    (best, least, improved) = (tried, of_tried, true);
                }
            }
        }
        if !improved {
            step /= 2;
        }
    }
    Ok((best, least))
}

/// Fits the coefficients named in `free` to all cases, for our model.
///
/// # Errors
///
/// If a name or a case is invalid.
pub fn fit(cases: &[Case], coefficients: &Coefficients, free: &[&str]) -> Result<Fitted, FitError> {
    let mut predictions = Predictions { cases, coefficients, free, known: BTreeMap::new() };
    let before = predictions.under(&vec![0; free.len()])?;
    let error_before = loss(cases, &before, |_| true).error.sqrt();
    let (best, least) = search(&mut predictions, |_| true)?;
    let factors = free.iter().zip(best).map(|(name, step)| ((*name).to_owned(), factor(step)));
    Ok(Fitted { factors: factors.collect(), error_before, error_after: least.error.sqrt() })
}

/// The scores of our model for each kernel, with the coefficients named in `free` fitted to all the
/// other kernels.
///
/// # Errors
///
/// If a name or a case is invalid.
pub fn leave_one_out(
    cases: &[Case],
    coefficients: &Coefficients,
    free: &[&str],
) -> Result<Evaluation, FitError> {
    let mut predictions = Predictions { cases, coefficients, free, known: BTreeMap::new() };
    let mut kernels: Vec<&str> = cases.iter().map(|case| case.kernel.as_str()).collect();
    kernels.sort_unstable();
    kernels.dedup();
    let mut samples = Vec::new();
    for left_out in kernels {
        let (steps, _) = search(&mut predictions, |kernel| kernel != left_out)?;
        let predicted = predictions.under(&steps)?;
        let of_kernel = cases.iter().zip(predicted).filter(|(case, _)| case.kernel == left_out);
        samples.extend(of_kernel.map(|(case, predicted)| sample(case, predicted)));
    }
    Ok(evaluate(&samples)?)
}

/// The score of a model with given coefficients.
///
/// # Errors
///
/// If a case is invalid.
pub fn evaluate_model(
    cases: &[Case],
    coefficients: &Coefficients,
    model: Model,
) -> Result<Evaluation, FitError> {
    let predicted = predictions(cases, coefficients, model)?;
    let samples: Vec<_> = cases.iter().zip(predicted).map(|(case, it)| sample(case, it)).collect();
    Ok(evaluate(&samples)?)
}

fn sample(case: &Case, predicted: f64) -> Sample {
    Sample {
        kernel: case.kernel.clone(),
        variant: case.name.clone(),
        options_on: case.variant.options_on,
        seconds: case.seconds,
        predicted,
    }
}

#[cfg(test)]
mod tests;
