//! Evaluates a model: its predictions of variants against their measured times.
//!
//! For each kernel: the time of the best variant (the oracle), the time of the variant with the
//! smallest prediction, and the rank correlation of predictions and times.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// One variant that was measured and predicted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// The kernel, the same for all variants of a group.
    pub kernel: String,
    /// The variant's name.
    pub variant: String,
    /// Enabled options.
    pub options_on: u32,
    /// Its measured time.
    pub seconds: f64,
    /// Its predicted time, in a unit that is the same within a kernel.
    pub predicted: f64,
}

/// Invalid samples.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum EvaluationError {
    /// No samples.
    #[error("there is no measured variant to compare predictions with")]
    Nothing,
    /// A time or a prediction that is not positive.
    #[error(
        "variant '{variant}' of kernel '{kernel}' has {what} {value}, which is not a positive time"
    )]
    NoTime {
        /// The kernel.
        kernel: String,
        /// The variant.
        variant: String,
        /// Which number.
        what: &'static str,
        /// What it is.
        value: f64,
    },
}

/// The score of a model on one kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelScore {
    /// The kernel.
    pub kernel: String,
    /// How many variants there are.
    pub variants: usize,
    /// The fastest variant.
    pub oracle: String,
    /// Its time.
    pub oracle_seconds: f64,
    /// The variant that the model picks.
    pub picked: String,
    /// Its time.
    pub picked_seconds: f64,
    /// Speed of the picked variant relative to the oracle's: 1 is the best.
    pub ratio: f64,
    /// Spearman's rank correlation of predictions and times; none below three variants.
    pub rank_correlation: Option<f64>,
}

/// The score of a model on all kernels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Each kernel.
    pub kernels: Vec<KernelScore>,
    /// Geometric mean of the ratios.
    pub geometric_mean: f64,
    /// The smallest ratio.
    pub worst: f64,
    /// Mean of the rank correlations; none where no kernel has one.
    pub rank_correlation: Option<f64>,
}

/// Scores a model by its predictions.
///
/// # Errors
///
/// If there are no samples, or invalid times.
pub fn evaluate(samples: &[Sample]) -> Result<Evaluation, EvaluationError> {
    let mut groups: BTreeMap<&str, Vec<&Sample>> = BTreeMap::new();
    for sample in samples {
        for (what, value) in [("time", sample.seconds), ("prediction", sample.predicted)] {
            if !(value.is_finite() && value > 0.0) {
                let (kernel, variant) = (sample.kernel.clone(), sample.variant.clone());
                return Err(EvaluationError::NoTime { kernel, variant, what, value });
            }
        }
        groups.entry(&sample.kernel).or_default().push(sample);
    }
    let kernels: Vec<KernelScore> =
        groups.into_iter().filter_map(|(kernel, samples)| score(kernel, &samples)).collect();
    if kernels.is_empty() {
        return Err(EvaluationError::Nothing);
    }
    let logarithms: f64 = kernels.iter().map(|it| it.ratio.ln()).sum();
    let correlations: Vec<f64> = kernels.iter().filter_map(|it| it.rank_correlation).collect();
    let mean = correlations.iter().sum::<f64>() / correlations.len().max(1) as f64;
    Ok(Evaluation {
        geometric_mean: (logarithms / kernels.len() as f64).exp(),
        worst: kernels.iter().map(|it| it.ratio).fold(f64::INFINITY, f64::min),
        rank_correlation: (!correlations.is_empty()).then_some(mean),
        kernels,
    })
}

fn score(kernel: &str, samples: &[&Sample]) -> Option<KernelScore> {
    let oracle = samples.iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds))?;
    let picked = samples
        .iter()
        .min_by(|a, b| a.predicted.total_cmp(&b.predicted).then(b.options_on.cmp(&a.options_on)))?;
    let numbers = |of: fn(&Sample) -> f64| samples.iter().map(|it| of(it)).collect::<Vec<_>>();
    let (times, predictions) = (numbers(|it| it.seconds), numbers(|it| it.predicted));
    Some(KernelScore {
        kernel: kernel.to_owned(),
        variants: samples.len(),
        oracle: oracle.variant.clone(),
        oracle_seconds: oracle.seconds,
        picked: picked.variant.clone(),
        picked_seconds: picked.seconds,
        ratio: oracle.seconds / picked.seconds,
        rank_correlation: (samples.len() >= 3)
            .then(|| rank_correlation(&times, &predictions))
            .flatten(),
    })
}

/// Spearman's rank correlation, with mean ranks for ties; none if one side is constant.
pub fn rank_correlation(left: &[f64], right: &[f64]) -> Option<f64> {
    let (left, right) = (ranks(left), ranks(right));
    let mean = (left.len() as f64 - 1.0) / 2.0;
    let sum = |a: &[f64], b: &[f64]| -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum()
    };
    let spread = (sum(&left, &left) * sum(&right, &right)).sqrt();
    (spread > 0.0).then(|| sum(&left, &right) / spread)
}

fn ranks(numbers: &[f64]) -> Vec<f64> {
    numbers
        .iter()
        .map(|number| {
            let smaller = numbers.iter().filter(|it| *it < number).count();
            let equal = numbers.iter().filter(|it| *it == number).count();
            smaller as f64 + (equal as f64 - 1.0) / 2.0
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(kernel: &str, variant: &str, seconds: f64, predicted: f64) -> Sample {
        let (kernel, variant) = (kernel.to_owned(), variant.to_owned());
        Sample { kernel, variant, options_on: 0, seconds, predicted }
    }

    #[test]
    fn the_pick_is_compared_with_the_oracle() {
        let samples = [
            sample("a", "x", 1.0, 10.0),
            sample("a", "y", 2.0, 5.0),
            sample("a", "z", 4.0, 20.0),
            sample("b", "x", 3.0, 1.0),
            sample("b", "y", 6.0, 2.0),
        ];
        let all = evaluate(&samples).unwrap();
        let a = &all.kernels[0];
        assert_eq!((a.oracle.as_str(), a.picked.as_str(), a.ratio), ("x", "y", 0.5));
        assert_eq!(a.rank_correlation, Some(0.5));
        assert_eq!((all.kernels[1].ratio, all.kernels[1].rank_correlation), (1.0, None));
        assert!((all.geometric_mean - 0.5f64.sqrt()).abs() < 1e-12);
        assert_eq!((all.worst, all.rank_correlation), (0.5, Some(0.5)));
    }

    #[test]
    fn of_equal_predictions_the_one_with_more_options_is_picked() {
        let mut samples = [sample("a", "x", 1.0, 5.0), sample("a", "y", 2.0, 5.0)];
        samples[1].options_on = 1;
        assert_eq!(evaluate(&samples).unwrap().kernels[0].picked, "y");
    }

    #[test]
    fn ranks_ignore_everything_but_the_order() {
        assert_eq!(rank_correlation(&[1.0, 2.0, 9.0], &[4.0, 5.0, 6.0]), Some(1.0));
        assert_eq!(rank_correlation(&[1.0, 2.0, 9.0], &[6.0, 5.0, 4.0]), Some(-1.0));
        assert_eq!(rank_correlation(&[1.0, 2.0], &[3.0, 3.0]), None);
        assert_eq!(ranks(&[7.0, 1.0, 7.0]), [1.5, 0.0, 1.5]);
    }

    #[test]
    fn what_is_no_time_is_refused() {
        assert_eq!(evaluate(&[]), Err(EvaluationError::Nothing));
        let error = evaluate(&[sample("a", "x", 1.0, f64::NAN)]).unwrap_err().to_string();
        assert!(error.contains("'x' of kernel 'a' has prediction NaN"), "{error}");
        let error = evaluate(&[sample("a", "x", 0.0, 1.0)]).unwrap_err().to_string();
        assert!(error.contains("'x' of kernel 'a' has time 0,"), "{error}");
    }
}
