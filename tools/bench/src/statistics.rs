//! Median and spread of samples, and when two medians differ by more than noise.

/// What the samples of one measurement say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The middle sample; of an even number the mean of the two in the middle.
    pub median: f64,
    /// Half of the samples lie within this fraction of the median: the distance of the quartiles,
    /// divided by the median.
    pub spread: f64,
}

/// Two medians of one kernel on one machine differ by this much without any reason that a sample
/// shows: clocks, temperature, where memory lies.
pub const NOISE_FLOOR: f64 = 0.02;

/// Summarizes samples; `None` if there are none, or one is no positive number.
pub fn summarize(samples: &[f64]) -> Option<Summary> {
    if samples.is_empty() || samples.iter().any(|sample| !sample.is_finite() || *sample <= 0.0) {
        return None;
    }
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = quantile(&sorted, 0.5);
    let spread = (quantile(&sorted, 0.75) - quantile(&sorted, 0.25)) / median;
    Some(Summary { median, spread })
}

/// The quantile of sorted samples, linear between two of them.
fn quantile(sorted: &[f64], fraction: f64) -> f64 {
    let place = fraction * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (sorted[above] - sorted[below]) * (place - below as f64)
}

/// The relative difference of two medians that noise explains: the sum of both spreads, and at
/// least [`NOISE_FLOOR`].
pub fn noise(one: Summary, other: Summary) -> f64 {
    (one.spread + other.spread).max(NOISE_FLOOR)
}

/// The geometric mean; `None` of nothing.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().map(|value| value.ln()).sum();
    (!values.is_empty()).then(|| (sum / values.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        let median = |samples: &[f64]| summarize(samples).map(|summary| summary.median);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[7.0]), Some(7.0));
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[1.0, 0.0]), None);
        assert_eq!(median(&[1.0, f64::NAN]), None);
    }

    #[test]
    fn the_spread_is_that_of_the_middle_half() {
        // Quartiles 2 and 4; the outlier at the end changes nothing.
        let summary = summarize(&[1.0, 2.0, 3.0, 4.0, 100.0]).unwrap();
        assert_eq!(summary.spread, 2.0 / 3.0);
        assert_eq!(summarize(&[5.0; 9]).unwrap().spread, 0.0);
    }

    #[test]
    fn noise_is_both_spreads_or_the_floor() {
        let with = |spread| Summary { median: 1.0, spread };
        assert_eq!(noise(with(0.0), with(0.001)), NOISE_FLOOR);
        assert_eq!(noise(with(0.25), with(0.5)), 0.75);
    }

    #[test]
    fn the_geometric_mean_of_ratios_is_symmetric() {
        let mean = geometric_mean(&[0.5, 2.0]).unwrap();
        assert!((mean - 1.0).abs() < 1e-15);
        assert_eq!(geometric_mean(&[]), None);
    }
}
