//! Plans of the sweep of a single statement whose default is a measured one: keys over it.

use super::Prediction;
use crate::strategy::{kernels::KernelOf, statements::SweepOf, sweep};
use stencil_model::{
    occupancy::registers_max_to_launch,
    plan::{Form, LoadMode, Mapping, PlanKeys, request::Keys},
    target::Architecture,
};

/// Warps of a block, in two and in three dimensions.
const WARPS: [&[u32]; 2] = [&[1, 2, 4, 8], &[4, 8, 12, 16]];
/// Rows and columns of a thread, in two and in three dimensions.
const POINTS: [&[[u32; 2]]; 2] =
    [&[[1, 2], [1, 4], [1, 8]], &[[2, 2], [3, 2], [4, 2], [6, 2], [4, 1], [2, 4]]];
/// Registers of a thread at most, beside what a block can be launched with.
const REGISTERS: [u32; 4] = [96, 128, 168, 255];
/// Blocks that are resident on a multiprocessor at once.
const BLOCKS: [u32; 2] = [1, 2];

/// The keys of each plan, with the plan and what is predicted of it; none for what is no sweep by
/// default.
pub(super) fn plans(
    kernel: &KernelOf,
    of_loop: Option<&SweepOf>,
    target: &Architecture,
) -> Vec<(Keys, PlanKeys, Prediction)> {
    let decided = sweep::by_default(kernel.apply, &kernel.facts, &Keys::new(), target);
    let Ok(Ok((default, _))) = decided else { return Vec::new() };
    let default = default.plan;
    let rank = kernel.facts.domain.len();
    let of_rank = usize::from(rank == 3);
    let steps = if of_loop.is_some() { 1..=2 * default.steps } else { 1..=1 };
    let mut plans = Vec::new();
    for steps in steps {
        for (warps, [rows, columns]) in
            WARPS[of_rank].iter().flat_map(|it| POINTS[of_rank].iter().map(move |p| (it, p)))
        {
            for registers in registers(*warps, target) {
                for (form, (loads, ring)) in forms(&default) {
                    let (mut threads, mut points) = (vec![1; rank], vec![1; rank]);
                    threads[rank - 1] = target.threads_per_warp;
                    match default.mapping {
                        Mapping::Block => threads[rank - 2] = *warps,
                        _ => threads[rank - 1] *= warps,
                    }
                    points[rank - 1] = *columns;
                    if rank > 1 {
                        points[rank - 2] = *rows;
                    }
                    let max_registers = Some(registers);
                    let keys = PlanKeys {
                        mapping: default.mapping,
                        steps,
                        threads,
                        points,
                        max_registers,
                        form,
                        loads,
                        ring,
                        ..PlanKeys::default()
                    };
                    plans.extend(complete(kernel, of_loop, keys, target));
                }
            }
        }
    }
    plans
}

/// Caps of registers with which a block of so many warps can be launched.
fn registers(warps: u32, target: &Architecture) -> Vec<u32> {
    let fitting = BLOCKS
        .map(|blocks| registers_max_to_launch(target, warps * blocks * target.threads_per_warp));
    let mut all = REGISTERS.to_vec();
    all.retain(|registers| *registers <= fitting[0]);
    all.extend(fitting.into_iter().filter(|most| *most >= REGISTERS[0]));
    all.sort_unstable();
    all.dedup();
    all
}

/// Forms, and the ways planes are loaded. A point that is no sum has one form.
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

/// A plan with the keys that follow from others, if it can be one.
fn complete(
    kernel: &KernelOf,
    of_loop: Option<&SweepOf>,
    keys: PlanKeys,
    target: &Architecture,
) -> Option<(Keys, PlanKeys, Prediction)> {
    let mut said = keys.to_tree();
    // The mapping is the default's, and its other keys are chosen only where it is open.
    said.remove("mapping");
    for (name, value) in [("form", keys.form.word()), ("loads", keys.loads.word())] {
        said.insert(name.to_owned(), stencil_model::plan::PlanValue::Text(value.to_owned()));
    }
    said.insert("steps".to_owned(), stencil_model::plan::PlanValue::Integer(keys.steps.into()));
    let decided = sweep::by_default(kernel.apply, &kernel.facts, &said, target).ok()?.ok()?;
    let plan = sweep::complete(decided.0.plan, &kernel.facts, target);
    plan.check(target, &kernel.facts.domain).ok()?;
    let prediction = match of_loop {
        None => Prediction::Unknown,
        Some(sweep) => {
            let (ns, terms) = sweep.estimated(&plan, target)?;
            Prediction::Time { ns, terms }
        }
    };
    Some((said, plan, prediction))
}
