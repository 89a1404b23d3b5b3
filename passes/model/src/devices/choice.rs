//! How many time steps devices make between exchanges.
//!
//! More of them need fewer exchanges and wider halos, which are computed twice and take memory. The
//! number with the shortest predicted time is taken.

use super::{Piece, Prediction};
use crate::sweep::least_common_multiple;

/// Time steps that are tried, at most, unless sweeps make more at once.
const STEPS_MOST: i64 = 48;
/// Multiples that are tried of what kernels make at once.
const MULTIPLES: [i64; 9] = [1, 2, 3, 4, 6, 8, 12, 16, 24];
/// Where all windows together have more planes than this for each of the domain's, as a fraction,
/// what is in several of them takes much memory: that has to save time.
const PLANES_MOST: (i64, i64) = (5, 4);
/// So many times as long may fewer steps take.
const WORTH: f64 = 1.5;
/// A part of the time that is no reason to take more memory.
const SAME: f64 = 0.001;
/// Where no wire is known: the part of its time that a device may spend on what others compute too.
const RECOMPUTED_MOST: f64 = 0.02;

/// Numbers of time steps to compare, where fields are in their places again after a period:
/// multiples of it that are fewer than kernels make at once, and multiples of both.
pub fn steps_to_try(period: i64, at_once: i64) -> [Vec<i64>; 2] {
    let unit = least_common_multiple(period.max(1), at_once.max(1));
    let of = |unit: i64| {
        let multiples = MULTIPLES.into_iter().map(move |multiple| multiple * unit);
        multiples.filter(move |steps| *steps == unit || *steps <= STEPS_MOST)
    };
    [of(period.max(1)).filter(|steps| 2 * *steps < unit).collect(), of(unit).collect()]
}

/// Whether the windows of so many devices have few planes more than the domain.
pub fn is_slim(piece: &Piece, devices: i64) -> bool {
    let extent = piece.extent_for(devices, piece.planes);
    extent.is_some_and(|extent| has_few_planes(extent, devices, piece.planes))
}

fn has_few_planes(extent: i64, devices: i64, planes: i64) -> bool {
    let (most, of) = PLANES_MOST;
    extent.saturating_mul(devices).saturating_mul(of) <= planes.saturating_mul(most)
}

/// One number of time steps, and what it is predicted to take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// What is predicted.
    pub prediction: Prediction,
    /// Planes of the domain.
    pub planes: i64,
}

/// The places of the choices, best first.
pub fn best(choices: &[Choice]) -> Vec<usize> {
    let weighed = |choice: &Choice| {
        let Prediction { devices, extent, .. } = choice.prediction;
        let cost = cost(&choice.prediction);
        if has_few_planes(extent, devices, choice.planes) { cost } else { cost * WORTH }
    };
    let costs = choices.iter().map(weighed).collect::<Vec<_>>();
    let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
    // Of those that take the same time the one with the narrowest halos.
    let key = |place: usize| match costs[place] <= least * (1.0 + SAME) {
        true => (0.0, choices[place].prediction.steps),
        false => (costs[place], 0),
    };
    let mut order = (0..choices.len()).collect::<Vec<_>>();
    order.sort_by(|one, other| {
        let ((cost, steps), (other_cost, other_steps)) = (key(*one), key(*other));
        cost.total_cmp(&other_cost).then(steps.cmp(&other_steps))
    });
    order
}

/// What is to be small: the time. Without a wire exchanges cost something unknown, so that there
/// are to be as few as recomputing few planes permits.
fn cost(prediction: &Prediction) -> f64 {
    let Prediction { ns, owned_ns, recomputed_ns, steps, transport_ns, .. } = *prediction;
    match transport_ns {
        Some(_) => ns,
        None if recomputed_ns <= RECOMPUTED_MOST * owned_ns => (steps.max(1) as f64).recip(),
        None => 1.0 + recomputed_ns,
    }
}
