//! Some kernels of a random program are split: into how many is drawn for each of them.

use super::run::PLAN_KEYS;
use melior::ir::{Module, operation::OperationLike};
use std::sync::atomic::{AtomicU64, Ordering};
use stencil_dialects::{build, ods::stencil::attribute, ops::ApplyOp, walk};
use stencil_model::plan::PlanKeys;
use stencil_passes::{
    analysis::{fission, point_code},
    strategy::{
        decisions::{self, Decided},
        plan,
    },
};
use stencil_runtime::{ScalarType, random};

/// Of so many applies one is split, of those that can be.
const ONE_OF: f64 = 2.0;

/// Applies that were split, those whose parts hand on values, and the most parts; kernels that
/// compute what others did, and those that several applies became.
#[derive(Debug, Default)]
pub struct Seen {
    split: AtomicU64,
    handed_on: AtomicU64,
    parts_max: AtomicU64,
    inlined: AtomicU64,
    merged: AtomicU64,
}

impl Seen {
    /// Counts the kernels of a program that fusion made.
    pub fn add_fused(&self, mapped: &Module) {
        for function in walk::nested(mapped.as_operation()) {
            for Decided { why, .. } in decisions::of(function).into_values() {
                let is_merged = why.contains(" together (");
                let count = |counter: &AtomicU64, holds| {
                    counter.fetch_add(u64::from(holds), Ordering::Relaxed);
                };
                count(&self.merged, is_merged);
                count(&self.inlined, why.contains("offset (") || why.contains("offsets ("));
            }
        }
    }

    /// Whether a run over many programs has met fusion.
    pub fn is_fused(&self, programs: u64) -> bool {
        // Of 3000 programs 460 were inlined, and 27 merged.
        self.inlined.load(Ordering::Relaxed) >= programs / 16
            && self.merged.load(Ordering::Relaxed) >= programs / 400
    }

    /// Whether a run over many programs has met all that there is to splits.
    pub fn is_enough(&self, programs: u64) -> bool {
        let split = self.split.load(Ordering::Relaxed);
        let handed_on = self.handed_on.load(Ordering::Relaxed);
        split >= programs / 6
            && handed_on >= programs / 16
            && self.parts_max.load(Ordering::Relaxed) >= 4
    }
}

/// Writes into the plans of some applies that they are split; says which.
pub fn draw(module: &Module, seed: u64, seen: &Seen) -> Vec<(usize, usize)> {
    let mut drawn = Vec::new();
    let applies = walk::nested(module.as_operation()).into_iter().filter_map(ApplyOp::of);
    for (number, apply) in applies.enumerate().filter(|(_, apply)| apply.destinations().is_empty())
    {
        let below = |what: usize, bound: f64| {
            let position = PLAN_KEYS + 16 + 2 * number + what;
            let fraction = random::random_scalar(seed, position, ScalarType::F64).to_f64() - 0.5;
            (fraction * bound) as usize
        };
        let code = point_code::of(apply);
        let Err(fission::TooMany { most }) = fission::split(&code, usize::MAX) else { continue };
        if most < 2 || below(0, ONE_OF) > 0 || apply.operation().has_attribute(attribute::PLAN) {
            continue;
        }
        let parts = 2 + below(1, (most - 1) as f64);
        let made = fission::split(&code, parts).expect("there are as many pieces");
        seen.split.fetch_add(1, Ordering::Relaxed);
        if made.iter().any(|part| !part.stores.is_empty()) {
            seen.handed_on.fetch_add(1, Ordering::Relaxed);
        }
        seen.parts_max.fetch_max(parts as u64, Ordering::Relaxed);
        let plan = PlanKeys { splits: parts as u32, ..PlanKeys::default() };
        let operation = apply.operation();
        let attribute = plan::attribute(build::context(&operation), plan);
        build::set_attribute(operation, attribute::PLAN, attribute);
        drawn.push((number, parts));
    }
    drawn
}
