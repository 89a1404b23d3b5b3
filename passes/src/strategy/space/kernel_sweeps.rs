//! Plans of the sweep of a single statement whose default is a measured one: keys over it.

use super::Prediction;
use crate::strategy::{kernels::KernelOf, statements::SweepOf, sweep};
use stencil_model::{
    machine::Machine,
    occupancy::registers_max_to_launch,
    plan::{Form, LoadMode, Mapping, PlanKeys, PlanValue, request::Keys},
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

/// The keys of each plan, with the plan and what is predicted of it; none for what is no sweep by
/// default.
pub(super) fn plans(
    kernel: &KernelOf,
    of_loop: Option<&SweepOf>,
    target: &Machine,
) -> Vec<(Keys, PlanKeys, Prediction)> {
    let decided = sweep::by_default(kernel.apply, &kernel.facts, &Keys::new(), target);
    let Ok(Ok((default, _))) = decided else { return Vec::new() };
    let default = default.plan;
    let rank = kernel.facts.domain.len();
    let of_rank = usize::from(rank == 3);
    let steps = if of_loop.is_some() { 1..=2 * default.steps } else { 1..=1 };
    let shapes = WARPS[of_rank]
        .iter()
        .flat_map(|warps| POINTS[of_rank].iter().map(|[rows, columns]| (*warps, *rows, *columns)));
    let shapes = shapes.collect::<Vec<_>>();
    let mut plans = Vec::new();
    for (steps, shape) in steps.flat_map(|steps| shapes.iter().map(move |shape| (steps, *shape))) {
        let Some((tile, prediction)) = tile(&default, (steps, shape), of_loop, target) else {
            continue;
        };
        for max_registers in registers(shape.0, &default, target) {
            for (form, (loads, ring)) in forms(&default) {
                let max_registers = Some(max_registers);
                let plan = PlanKeys { max_registers, form, loads, ring, ..tile.clone() };
                if plan.check(target, &kernel.facts.domain).is_ok() {
                    plans.push((keys(&plan), plan, prediction.clone()));
                }
            }
        }
    }
    plans
}

/// Steps, threads and points of a plan, and what is predicted: the estimate looks at nothing else.
/// None where they do not fit the domain.
fn tile(
    default: &PlanKeys,
    (steps, (warps, rows, columns)): (u32, (u32, u32, u32)),
    of_loop: Option<&SweepOf>,
    target: &Machine,
) -> Option<(PlanKeys, Prediction)> {
    let rank = default.points.len();
    let (mut threads, mut points) = (vec![1; rank], vec![1; rank]);
    threads[rank - 1] = target.threads_per_warp;
    match default.mapping {
        Mapping::Block => threads[rank - 2] = warps,
        _ => threads[rank - 1] *= warps,
    }
    points[rank - 1] = columns;
    if rank > 1 {
        points[rank - 2] = rows;
    }
    let fitting = registers_max_to_launch(target, warps * target.threads_per_warp);
    let plan = PlanKeys {
        mapping: default.mapping,
        steps,
        threads,
        points,
        max_registers: Some(fitting),
        ..PlanKeys::default()
    };
    let prediction = match of_loop {
        None => Prediction::Unknown,
        Some(sweep) => {
            let (ns, terms) = sweep.estimated(plan.clone(), target)?;
            Prediction::Time { ns, terms }
        }
    };
    Some((plan, prediction))
}

/// The keys of a plan. Chunks and what else follows from them stay open.
fn keys(plan: &PlanKeys) -> Keys {
    let mut keys = plan.to_tree();
    // The mapping is the default's, whose other keys are chosen only where it is open.
    keys.remove("mapping");
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
    let forms = match default.mapping {
        Mapping::Warp => vec![default.form],
        _ => vec![Form::Gather, Form::Scatter],
    };
    forms.into_iter().flat_map(|form| loads.iter().map(move |loads| (form, *loads))).collect()
}
