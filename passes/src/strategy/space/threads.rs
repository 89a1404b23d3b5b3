//! Plans of a kernel with the mapping `thread`.
//!
//! No estimate tells them apart: which of them is fastest depends on registers and cache lines, and
//! is for measurements, or for the predictor of `demote=fit`.

use super::Prediction;
use crate::strategy::choice::Facts;
use stencil_model::{
    occupancy::registers_max_to_launch,
    plan::{Mapping, PlanKeys, PlanValue, Schedule, request::Keys},
    target::Architecture,
};

/// Points of a thread along the slowest dimension, and along the second slowest of three.
const SLOW_POINTS: [&[u32]; 2] = [&[1, 2, 4, 8], &[1, 2, 4]];
/// Neighbours along the fastest dimension, as a vector.
const VECTORS: &[u32] = &[1, 2, 4];
/// Warps of a block.
const WARPS: &[u32] = &[4, 8];
/// Registers of a thread, as parts of the most: a quarter lets 32 warps be resident.
const REGISTER_PARTS: &[u32] = &[4, 2, 1];
/// Points of a thread at most.
const POINTS_MOST: u32 = 32;
/// Points along a dimension for each of those that a block computes along it, at least.
const BLOCKS_LEAST: u64 = 4;

/// The keys of each plan, with the same as a plan.
pub(super) fn plans(facts: &Facts, target: &Architecture) -> Vec<(Keys, PlanKeys, Prediction)> {
    let rank = facts.domain.len();
    let mut plans = Vec::new();
    for points in points(rank, facts.vector) {
        for (warps, part) in WARPS.iter().flat_map(|it| REGISTER_PARTS.iter().map(move |p| (it, p)))
        {
            for schedule in [Schedule::Source, Schedule::Trees] {
                let threads = threads(rank, *warps, target);
                let most = target.registers_max_per_thread.div_ceil(*part);
                let fitting = registers_max_to_launch(target, warps * target.threads_per_warp);
                let plan = PlanKeys {
                    mapping: Mapping::Thread,
                    vector: *points.last().unwrap_or(&1),
                    points: points.clone(),
                    threads,
                    max_registers: Some(most.min(fitting)),
                    schedule: Some(schedule),
                    ..PlanKeys::default()
                };
                if is_busy(&plan, &facts.domain) && plan.check(target, &facts.domain).is_ok() {
                    let mut keys = plan.to_tree();
                    // What is a default is open in a tree, and would be chosen.
                    keys.insert("mapping".to_owned(), word(Mapping::Thread.word()));
                    keys.insert("vector".to_owned(), PlanValue::Integer(plan.vector.into()));
                    plans.push((keys, plan, Prediction::Unknown));
                }
            }
        }
    }
    plans
}

fn word(word: &str) -> PlanValue {
    PlanValue::Text(word.to_owned())
}

/// Points of a thread, slowest dimension first.
fn points(rank: usize, widest: u32) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for dimension in 0..rank {
        let along = match dimension {
            last if last + 1 == rank => VECTORS,
            slow => SLOW_POINTS[slow.min(1)],
        };
        let longer = |points: Vec<u32>| {
            let with = move |more: &u32| [points.clone(), vec![*more]].concat();
            along.iter().map(with).collect::<Vec<_>>()
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all.retain(|points| {
        points.last().is_some_and(|vector| *vector <= widest)
            && points.iter().product::<u32>() <= POINTS_MOST
    });
    all
}

/// A warp along the fastest dimension, and rows of them.
fn threads(rank: usize, warps: u32, target: &Architecture) -> Vec<u32> {
    let mut threads = vec![1; rank];
    threads[rank - 1] = target.threads_per_warp;
    match rank {
        1 => threads[0] *= warps,
        _ => threads[rank - 2] = warps,
    }
    threads
}

/// Whether a dimension has several blocks.
fn is_busy(plan: &PlanKeys, domain: &[u64]) -> bool {
    let block = plan.points.iter().zip(&plan.threads).map(|(points, threads)| points * threads);
    let along = domain.iter().zip(block).zip(&plan.points);
    let mut slow = along.filter(|(_, points)| **points > 1);
    slow.all(|((extent, block), _)| *extent >= BLOCKS_LEAST * u64::from(block))
}
