//! Plans of the sweep of a single statement.

use super::Prediction;
use crate::strategy::{
    kernels::KernelOf,
    statements::{Breadth, SweepOf},
    sweep,
};
use stencil_model::{
    machine::Machine,
    occupancy::registers_max_to_launch,
    plan::{Form, LoadMode, PlanKeys, PlanValue, request::Keys},
};

/// Warps of a block, in two and in three dimensions.
const WARPS: [&[u32]; 2] = [&[1, 2, 4, 8], &[4, 8, 12, 16]];
/// Rows and columns of a thread, in two and in three dimensions.
const POINTS: [&[[u32; 2]]; 2] =
    [&[[1, 2], [1, 4], [1, 8]], &[[2, 2], [3, 2], [4, 2], [6, 2], [4, 1], [2, 4]]];
/// Blocks that are to be resident on a multiprocessor at once, which caps registers.
const BLOCKS: [u32; 2] = [1, 2];
/// Fewer registers leave nothing for the planes of a tile.
const REGISTERS_LEAST: u32 = 96;

/// The keys of each plan of a loop's statement, with the plan and what is predicted of it.
pub(super) fn in_loop(
    kernel: &KernelOf,
    sweep: &SweepOf,
    breadth: Breadth,
    target: &Machine,
) -> Vec<(Keys, PlanKeys, Prediction)> {
    let Ok(single) = sweep.single() else { return Vec::new() };
    let plans = single.plans(None, breadth, target).into_iter();
    let decided = sweep::by_default(kernel.apply, &kernel.facts, &Keys::new(), target);
    // Where the default is no sweep, as in a small domain, the mapping has to be said.
    let keys = if matches!(decided, Ok(Ok(_))) { keys } else { PlanKeys::to_tree };
    let with_keys = plans.map(|predicted| {
        let prediction = Prediction::Time { ns: predicted.ns, terms: predicted.terms };
        (keys(&predicted.plan), predicted.plan, prediction)
    });
    with_keys.collect()
}

/// The same of a statement outside of a loop, of which nothing is predicted; none for what is no
/// sweep by default.
pub(super) fn alone(kernel: &KernelOf, target: &Machine) -> Vec<(Keys, PlanKeys, Prediction)> {
    let decided = sweep::by_default(kernel.apply, &kernel.facts, &Keys::new(), target);
    let Ok(Ok((default, _))) = decided else { return Vec::new() };
    let default = default.plan;
    if default.steps > 1 {
        return Vec::new();
    }
    let of_rank = usize::from(kernel.facts.domain.len() == 3);
    let mut plans = Vec::new();
    for warps in WARPS[of_rank] {
        for [rows, columns] in POINTS[of_rank] {
            let tile = tile(&default, (*warps, *rows, *columns), target);
            for max_registers in registers(*warps, &default, target) {
                for (form, (loads, ring)) in forms(&default) {
                    let max_registers = Some(max_registers);
                    let plan = PlanKeys { max_registers, form, loads, ring, ..tile.clone() };
                    if plan.check(target, &kernel.facts.domain).is_ok() {
                        plans.push((keys(&plan), plan, Prediction::Unknown));
                    }
                }
            }
        }
    }
    plans
}

/// Threads and points of a plan.
fn tile(default: &PlanKeys, (warps, rows, columns): (u32, u32, u32), target: &Machine) -> PlanKeys {
    let rank = default.points.len();
    let threads = sweep::block_of(rank, warps, target.threads_per_warp);
    let mut points = vec![1; rank];
    points[rank - 1] = columns;
    if rank > 1 {
        points[rank - 2] = rows;
    }
    PlanKeys { mapping: default.mapping, threads, points, ..PlanKeys::default() }
}

/// The keys of a plan. Chunks and what else follows from them stay open.
fn keys(plan: &PlanKeys) -> Keys {
    let mut keys = plan.to_tree();
    // The mapping is the default's, whose other keys are chosen only where it is open.
    keys.remove("mapping");
    keys.remove("chunks");
    keys.remove("edge_chunks");
    // What is a default of the schema is not the default of a sweep.
    let words = [("form", plan.form.word()), ("loads", plan.loads.word())];
    keys.extend(words.map(|(key, word)| (key.to_owned(), PlanValue::Text(word.to_owned()))));
    keys.insert("steps".to_owned(), PlanValue::Integer(plan.steps.into()));
    keys
}

/// Caps of registers with which blocks of so many warps can be launched: the default's, and what
/// one or two of them leave each thread.
fn registers(warps: u32, default: &PlanKeys, target: &Machine) -> Vec<u32> {
    let threads = warps * target.threads_per_warp;
    let [most, half] = BLOCKS.map(|blocks| registers_max_to_launch(target, threads * blocks));
    let mut all = [default.max_registers.unwrap_or(most), most, half].to_vec();
    all.retain(|registers| (REGISTERS_LEAST..=most).contains(registers));
    all.sort_unstable();
    all.dedup();
    all
}

/// Forms, and the ways planes are loaded. Warps with tiles of their own have one form.
fn forms(default: &PlanKeys) -> Vec<(Form, (LoadMode, Option<u32>))> {
    let mut loads = vec![(LoadMode::Prefetch, None), (LoadMode::Direct, None)];
    if default.ring.is_some() {
        loads.insert(0, (LoadMode::Ring, default.ring));
    }
    let forms = match default.mapping.shares_tiles() {
        false => vec![default.form],
        true => vec![Form::Gather, Form::Scatter],
    };
    forms.into_iter().flat_map(|form| loads.iter().map(move |loads| (form, *loads))).collect()
}
