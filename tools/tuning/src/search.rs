//! Which plan to measure next.
//!
//! The logarithm of a plan's time is what was predicted plus an error, which a Gaussian process
//! describes: near plans have nearly the same error. The plan with the largest expected improvement
//! over the fastest measured one is next [Jones, Schonlau and Welch, Efficient Global Optimization
//! of Expensive Black-Box Functions, Journal of Global Optimization 13, 1998, section 4.1], until
//! none is expected to gain enough. Where nothing is predicted the mean of what was measured takes
//! its place. A plan without a time counts as much slower than the slowest.

use crate::space::Space;

/// What a measurement found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// The plan, by its number in the space.
    pub plan: usize,
    /// Its time, in the unit of the others; none if it has none.
    pub time: Option<f64>,
}

/// Distance over which errors are alike, in steps to the farthest value of a key.
const LENGTH: f64 = 0.6;
/// Standard deviation of the error of a prediction, as a logarithm.
const ERROR: f64 = 0.2;
/// The same where nothing is predicted.
const ERROR_WITHOUT: f64 = 0.3;
/// Standard deviation of a measurement.
const NOISE: f64 = 0.005;
/// How much slower than the slowest a plan without a time counts, as a logarithm.
const FAILED: f64 = 0.5;
/// Expected improvement that is worth a measurement, as a part of the time.
const WORTHWHILE: f64 = 0.001;

/// The plan to measure next; none if no other is expected to be worth it.
pub fn next(space: &Space, observed: &[Observation]) -> Option<usize> {
    let (plan, gain) = most_promising(space, observed)?;
    (gain >= WORTHWHILE).then_some(plan)
}

/// Plans to measure, before the times of any of them are known: each is chosen as if the ones
/// before it took what is expected of them. All that there are, if as many are taken.
pub fn batch(space: &Space, observed: &[Observation]) -> impl Iterator<Item = usize> {
    let mut known = observed.to_vec();
    std::iter::from_fn(move || {
        let (plan, _) = most_promising(space, &known)?;
        let expected = Process::new(space, &known).map(|process| process.at(plan).0);
        let time = expected.or_else(|| space.prior(plan)).map(f64::exp);
        // Without a measurement or a prediction any time will do: what is left is to spread.
        known.push(Observation { plan, time: Some(time.unwrap_or(1.0)) });
        Some(plan)
    })
}

/// The plan with the largest expected improvement, as a part of the time; all of it where nothing
/// was measured.
fn most_promising(space: &Space, observed: &[Observation]) -> Option<(usize, f64)> {
    let open = (0..space.len()).filter(|plan| observed.iter().all(|one| one.plan != *plan));
    let measured = observed.iter().filter_map(|one| one.time).map(f64::ln);
    let Some(fastest) = measured.reduce(f64::min) else {
        // Nothing is known but predictions.
        let predicted = |plan: &usize| space.prior(*plan).unwrap_or(f64::INFINITY);
        let first = open.min_by(|one, other| predicted(one).total_cmp(&predicted(other)))?;
        return Some((first, 1.0));
    };
    let process = Process::new(space, observed)?;
    let expected = open.map(|plan| (plan, process.improvement(plan, fastest)));
    expected.reduce(|best, one| if one.1 > best.1 { one } else { best })
}

/// A Gaussian process over the errors of predictions.
struct Process<'s> {
    space: &'s Space,
    observed: Vec<usize>,
    /// The mean of the errors.
    mean: f64,
    /// Mean logarithm of what was measured, where nothing is predicted.
    level: f64,
    error: f64,
    /// The lower triangle of the covariances' Cholesky factor.
    factor: Vec<Vec<f64>>,
    /// Covariances times these are deviations.
    weights: Vec<f64>,
}

impl<'s> Process<'s> {
    /// None if nothing was measured.
    fn new(space: &'s Space, observed: &[Observation]) -> Option<Self> {
        let measured = observed.iter().filter_map(|one| one.time).map(f64::ln).collect::<Vec<_>>();
        let slowest = measured.iter().copied().reduce(f64::max)?;
        let level = measured.iter().sum::<f64>() / measured.len() as f64;
        let has_priors = (0..space.len()).any(|plan| space.prior(plan).is_some());
        let error = if has_priors { ERROR } else { ERROR_WITHOUT };
        let deviation = |one: &Observation| {
            let time = one.time.map_or(slowest + FAILED, f64::ln);
            time - space.prior(one.plan).unwrap_or(level)
        };
        let of_measured = observed.iter().filter(|one| one.time.is_some()).map(deviation);
        let of_measured = of_measured.collect::<Vec<_>>();
        let mean = of_measured.iter().sum::<f64>() / measured.len() as f64;
        let squares = of_measured.iter().map(|one| (one - mean).powi(2)).sum::<f64>();
        // Where predictions err by more than usual they are trusted less.
        let error = error.max((squares / measured.len() as f64).sqrt());
        let observed_plans = observed.iter().map(|one| one.plan).collect::<Vec<_>>();
        let mut process = Process {
            space,
            observed: observed_plans,
            mean,
            level,
            error,
            factor: Vec::new(),
            weights: Vec::new(),
        };
        process.factor = process.cholesky();
        let deviations = observed.iter().map(|one| deviation(one) - mean).collect::<Vec<_>>();
        process.weights = backward(&process.factor, &forward(&process.factor, &deviations));
        Some(process)
    }

    fn covariance(&self, one: usize, other: usize) -> f64 {
        let distance = self.space.distance(one, other) / (LENGTH * LENGTH);
        self.error.powi(2) * (-0.5 * distance).exp()
    }

    fn cholesky(&self) -> Vec<Vec<f64>> {
        let mut factor: Vec<Vec<f64>> = Vec::new();
        for (row, plan) in self.observed.iter().enumerate() {
            let mut entries = Vec::with_capacity(row + 1);
            for (column, other) in self.observed[..=row].iter().enumerate() {
                let earlier = &factor.get(column).unwrap_or(&entries)[..column];
                let known = entries.iter().zip(earlier).map(|(one, other)| one * other);
                let sum = self.covariance(*plan, *other) - known.sum::<f64>();
                entries.push(match row == column {
                    // Noise keeps it positive but for rounding, where plans are the same.
                    true => (sum + NOISE.powi(2)).max(1e-12).sqrt(),
                    false => sum / factor[column][column],
                });
            }
            factor.push(entries);
        }
        factor
    }

    /// Mean and standard deviation of the logarithm of a plan's time.
    fn at(&self, plan: usize) -> (f64, f64) {
        let covariances =
            self.observed.iter().map(|other| self.covariance(plan, *other)).collect::<Vec<_>>();
        let deviation = covariances.iter().zip(&self.weights).map(|(one, other)| one * other);
        let prior = self.space.prior(plan).unwrap_or(self.level);
        let explained = forward(&self.factor, &covariances);
        let explained = explained.iter().map(|one| one * one).sum::<f64>();
        let variance = (self.error.powi(2) - explained).max(0.0);
        (prior + self.mean + deviation.sum::<f64>(), variance.sqrt())
    }

    /// The expected improvement of a plan over the fastest, as a part of its time.
    fn improvement(&self, plan: usize, fastest: f64) -> f64 {
        let (mean, deviation) = self.at(plan);
        let gain = fastest - mean;
        if deviation < 1e-9 {
            return gain.max(0.0);
        }
        let z = gain / deviation;
        gain * cumulative(z)
            + deviation * (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt()
    }
}

/// Solves for the lower triangle.
fn forward(factor: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let mut solved: Vec<f64> = Vec::with_capacity(right.len());
    for (row, value) in factor.iter().zip(right) {
        let known = row.iter().zip(&solved).map(|(one, other)| one * other).sum::<f64>();
        solved.push((value - known) / row[solved.len()]);
    }
    solved
}

/// Solves for its transpose.
fn backward(factor: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let mut solved = right.to_vec();
    for row in (0..solved.len()).rev() {
        let later = (row + 1..solved.len()).map(|later| factor[later][row] * solved[later]);
        solved[row] = (right[row] - later.sum::<f64>()) / factor[row][row];
    }
    solved
}

/// The standard normal distribution function, to seven digits [Abramowitz and Stegun, Handbook of
/// Mathematical Functions, 26.2.17].
fn cumulative(z: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * z.abs());
    let terms = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let sum = terms.iter().rev().fold(0.0, |sum, term| (sum + term) * t);
    let tail = sum * (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if z < 0.0 { tail } else { 1.0 - tail }
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
