//! `sweep.kernel` as plain data for `stencil-model`, whose whole-sweep invariants the verifier
//! checks.
//!
//! Target and tile are unknown to the verifier: registers, shared memory and trimmed cells are
//! checked when a kernel is built for a target. Whether the terms of a region's sum can be added as
//! planes arrive is checked by `sweep-retime`.

use crate::strategy::plan;
use std::collections::BTreeSet;
use stencil_dialects::{
    ops::AccessOp,
    sweep::{self, KernelOp},
    walk,
};
use stencil_model::{
    plan::Form,
    sweep::{
        Reach,
        check::{self, Limits, Sweep},
    },
};

/// Unlimited resources.
const NO_LIMITS: Limits =
    Limits { value_bytes: 1, points: 1, threads: 1, registers: u32::MAX, shared_bytes: u32::MAX };

/// Installs the model's check as the last part of the verifier of every `sweep.kernel`.
pub fn install_check() {
    sweep::set_kernel_check(|kernel| {
        check::check(&describe(kernel)).iter().map(ToString::to_string).collect()
    });
}

/// A kernel as the model describes sweeps.
pub fn describe(kernel: KernelOp) -> Sweep {
    let rank = kernel.domain().rank();
    let carried = offsets(kernel);
    let reach = (0..rank).map(|dimension| reach(&carried, dimension)).collect();
    // A plan that is wrong in itself is refused where it is carried out.
    let plan = plan::written(kernel.operation()).unwrap_or_default();
    Sweep {
        rank,
        reach,
        steps: u32::try_from(kernel.steps()).unwrap_or(u32::MAX),
        form: kernel.form().unwrap_or(Form::Gather),
        skew: plan.skew,
        lines: plan.lines(),
        storage: plan.storage,
        slots: kernel.slots(),
        terms: terms(&carried, rank),
        carried,
        tile: Vec::new(),
        limits: NO_LIMITS,
    }
}

/// Offsets at which each carried level is read, by age, each once and in ascending order.
fn offsets(kernel: KernelOp) -> Vec<Vec<Vec<i64>>> {
    let body = kernel.body();
    let ages = 0..kernel.carried().len();
    ages.map(|age| {
        let uses = walk::uses(stencil_dialects::build::argument(body, age));
        let accesses = uses.into_iter().filter_map(|using| AccessOp::of(using.user));
        accesses.map(|access| access.offset()).collect::<BTreeSet<_>>().into_iter().collect()
    })
    .collect()
}

/// The radius of a level along a dimension.
fn reach(carried: &[Vec<Vec<i64>>], dimension: usize) -> Reach {
    let along = carried.iter().flatten().map(|offset| offset[dimension]);
    let farthest = |side: i64| {
        let farthest = along.clone().map(|offset| side * offset).fold(0, i64::max);
        u32::try_from(farthest).unwrap_or(u32::MAX)
    };
    Reach { behind: farthest(-1), ahead: farthest(1) }
}

/// The planes of the newest level in order of arrival, a term each.
fn terms(carried: &[Vec<Vec<i64>>], rank: usize) -> Vec<Vec<i64>> {
    let plane = |offset: &Vec<i64>| if rank == 1 { 0 } else { offset[0] };
    let planes = carried.first().into_iter().flatten().map(plane).collect::<BTreeSet<_>>();
    planes.into_iter().map(|plane| vec![plane]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reach_is_that_of_all_ages() {
        let carried = vec![vec![vec![-1, 0], vec![0, 2]], vec![vec![3, 0]]];
        assert_eq!(reach(&carried, 0), Reach { behind: 1, ahead: 3 });
        assert_eq!(reach(&carried, 1), Reach { behind: 0, ahead: 2 });
        assert_eq!(terms(&carried, 2), [[-1], [0]]);
        assert_eq!(terms(&[vec![vec![-1], vec![1]]], 1), [[0]]);
    }
}
