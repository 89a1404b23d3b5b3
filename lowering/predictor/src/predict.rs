//! Predicts the time of a launch by each of the models, and chooses the fastest of several
//! variants.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use stencil_model::resources::ResourceError;
use thiserror::Error;

use crate::{
    bounds::{Bounds, Limit},
    coefficients::Coefficients,
    kernel::{Kernel, Launch, Residence},
    path::Path,
    requests,
    simulate::{Scene, simulate},
    stalls,
    traffic::{Machine, Shares, Traffic},
};

/// A unit that is busy for this fraction of the time is the bottleneck; below it, latency is.
const LIMITING: f64 = 0.75;
/// Number of rounds of blocks from which on the partial last one is weighted like the others.
const ROUNDS_COUNTED: f64 = 8.0;

/// The models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// Simulated issue, with memory bandwidths.
    Ours,
    /// Stall cycles as in the paper on register demotion.
    Stalls,
    /// The sum of the stall fields of the control words.
    Naive,
}

/// All models, the best first.
pub const MODELS: [Model; 3] = [Model::Ours, Model::Stalls, Model::Naive];

impl Model {
    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Stalls => "stalls",
            Self::Naive => "naive",
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// An unknown model.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("model '{word}' is unknown, known models are ours, stalls, naive")]
pub struct UnknownModel {
    /// The word.
    pub word: String,
}

impl FromStr for Model {
    type Err = UnknownModel;

    fn from_str(word: &str) -> Result<Self, UnknownModel> {
        let known = MODELS.into_iter().find(|model| model.word() == word);
        known.ok_or_else(|| UnknownModel { word: word.to_owned() })
    }
}

/// A launch of a kernel, with what the caller knows of its traffic.
#[derive(Debug, Clone)]
pub struct Work {
    /// The kernel.
    pub kernel: Kernel,
    /// How it is launched.
    pub launch: Launch,
    /// Its memory traffic; none if unknown.
    pub traffic: Option<Traffic>,
}

/// A prediction for a launch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// Cycles of the launch; for the stall models only good to compare.
    pub cycles: f64,
    /// The bottleneck, if the model has one.
    pub limit: Option<Limit>,
    /// Minimum cycles of each unit, for all rounds of blocks; the latency term is that of rounds in
    /// which each block is alone.
    pub terms: Vec<(Limit, f64)>,
    /// Cycles of the resident blocks.
    pub cycles_per_round: f64,
    /// Resident warps of a multiprocessor.
    pub warps: u32,
    /// Opcodes of the path that are in no table of this crate.
    pub unknown_opcodes: usize,
}

/// The predicted time of `work` by `model`.
///
/// The stall models have units of their own: compare them within a model, by [`choose`], which
/// scales them by occupancy.
///
/// # Errors
///
/// If not even one block fits on a multiprocessor.
pub fn predict(
    work: &Work,
    coefficients: &Coefficients,
    model: Model,
) -> Result<Prediction, ResourceError> {
    predict_in(Detail::Terms, work, coefficients, model)
}

/// Detail of a prediction: a comparison needs less than a report, and is made more often.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    Cycles,
    Terms,
}

fn predict_in(
    detail: Detail,
    work: &Work,
    coefficients: &Coefficients,
    model: Model,
) -> Result<Prediction, ResourceError> {
    let Work { kernel, launch, .. } = work;
    let resident = launch.residence(kernel)?;
    let stalled = match model {
        Model::Ours => return Ok(ours(detail, work, resident, coefficients)),
        Model::Stalls => stalls::stalls(kernel, resident, launch.target, coefficients),
        Model::Naive => stalls::naive(kernel),
    };
    Ok(Prediction {
        cycles: stalled,
        limit: None,
        terms: Vec::new(),
        cycles_per_round: stalled,
        warps: resident.warps(),
        unknown_opcodes: 0,
    })
}

fn ours(
    detail: Detail,
    work: &Work,
    resident: Residence,
    coefficients: &Coefficients,
) -> Prediction {
    let Work { kernel, launch, traffic } = work;
    let path = match traffic.and_then(|it| it.stored_bytes_per_thread) {
        Some(bytes) => Path::storing(kernel, &launch.iterations, bytes),
        None => Path::of(kernel, &launch.iterations),
    };
    // A small grid leaves multiprocessors, and their share of memory bandwidth, unused.
    let busy = u64::from(launch.multiprocessors).min(launch.blocks()).max(1);
    let multiprocessors = u32::try_from(busy).expect("no more than there are multiprocessors");
    let machine = Machine { target: launch.target, multiprocessors, coefficients };
    let full = Residence { blocks: launch.blocks_at_once(resident.blocks), ..resident };
    let requests = requests::of_block(kernel, &path, launch, launch.middle());
    let round = |residence: Residence, rounds: f64| {
        let shares = Shares::of(kernel, &path, residence, *traffic, &requests, machine);
        let mut bounds = Bounds::of(kernel, &path, residence, &shares, launch.target, coefficients);
        let scene = Scene { kernel, path: &path, launch, residence, shares: &shares, machine };
        let outcome = simulate(scene, rounds);
        let of_l2 = outcome.l2_bytes / coefficients.memory.l2_bytes_per_cycle.value;
        bounds.raise(Limit::L2, of_l2);
        bounds.raise(Limit::Hbm, outcome.hbm_bytes / machine.hbm_bytes_per_cycle());
        (outcome.cycles.max(bounds.largest().1), bounds)
    };
    let places = f64::from(full.blocks) * f64::from(multiprocessors);
    let rounds = (launch.blocks() as f64 / places).max(1.0);
    let (cycles_per_round, bounds) = round(full, rounds);
    let left = rounds.fract();
    let mut cycles = cycles_per_round * rounds;
    if left > 0.0 && rounds < ROUNDS_COUNTED {
        // The last round has fewer blocks, which get a larger share of the machine each.
        let blocks = (left * f64::from(full.blocks)).ceil().max(1.0) as u32;
        let (last, _) = round(Residence { blocks, ..full }, 1.0);
        cycles = cycles_per_round * rounds.floor() + last;
    }
    let (largest, term) = bounds.largest();
    let limit = if term >= LIMITING * cycles_per_round { largest } else { Limit::Latency };
    let unknown = path.steps.iter().map(|step| &kernel.code[step.instruction]);
    let unknown = unknown.filter(|it| !crate::unit::Timing::of(it, coefficients).known);
    let mut terms: Vec<_> = bounds.terms.iter().map(|&(limit, it)| (limit, it * rounds)).collect();
    if detail == Detail::Terms {
        // A single block is as fast as its latencies allow.
        let (alone, _) = round(Residence { blocks: 1, ..full }, 1.0);
        terms.push((Limit::Latency, alone * rounds));
    }
    Prediction {
        cycles: cycles + coefficients.memory.launch_cycles.value,
        limit: Some(limit),
        terms,
        cycles_per_round,
        warps: full.warps(),
        unknown_opcodes: unknown.count(),
    }
}

/// One of several equivalent programs.
#[derive(Debug, Clone)]
pub struct Variant {
    /// Its launches, one after the other.
    pub launches: Vec<Work>,
    /// Enabled options: of equal times the variant with more is chosen.
    pub options_on: u32,
}

/// Comparable times of the variants.
///
/// # Errors
///
/// If a kernel cannot be launched.
pub fn compare(
    variants: &[Variant],
    coefficients: &Coefficients,
    model: Model,
) -> Result<Vec<f64>, ResourceError> {
    let mut predicted = Vec::new();
    for variant in variants {
        let of_launch = |work| predict_in(Detail::Cycles, work, coefficients, model);
        predicted.push(variant.launches.iter().map(of_launch).collect::<Result<Vec<_>, _>>()?);
    }
    let warps_max = predicted.iter().flatten().map(|it| it.warps).max().unwrap_or(1);
    let time = |work: &Work, it: &Prediction| match model {
        Model::Ours => it.cycles,
        // Stalls are per warp: variants with grids of different sizes are scaled by their warps.
        Model::Naive => it.cycles * warps_launched(work),
        Model::Stalls => {
            let factor = stalls::occupancy_factor(it.warps, warps_max, coefficients);
            it.cycles * factor * warps_launched(work)
        }
    };
    let times = variants.iter().zip(&predicted).map(|(variant, launches)| {
        variant.launches.iter().zip(launches).map(|(work, it)| time(work, it)).sum()
    });
    Ok(times.collect())
}

fn warps_launched(work: &Work) -> f64 {
    let launch = &work.launch;
    let of_block = launch.threads_per_block().div_ceil(launch.target.threads_per_warp);
    launch.blocks() as f64 * f64::from(of_block)
}

/// The variant with the smallest predicted time; of equal ones the one with more options, then the
/// first. None if there is no variant.
///
/// # Errors
///
/// If a kernel cannot be launched.
pub fn choose(
    variants: &[Variant],
    coefficients: &Coefficients,
    model: Model,
) -> Result<Option<usize>, ResourceError> {
    let times = compare(variants, coefficients, model)?;
    let order = |&left: &usize, &right: &usize| {
        let fewer_options = variants[right].options_on.cmp(&variants[left].options_on);
        times[left].total_cmp(&times[right]).then(fewer_options)
    };
    Ok((0..variants.len()).min_by(order))
}

#[cfg(test)]
mod tests;
