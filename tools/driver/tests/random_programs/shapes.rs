//! Some kernels of a random program compute neighbours as vectors, or go along planes.

use super::run::PLAN_KEYS;
use melior::ir::Module;
use stencil_dialects::{build, ods::stencil::attribute, ops::ApplyOp, walk};
use stencil_model::plan::PlanKeys;
use stencil_passes::strategy::{choice, plan};
use stencil_runtime::{ScalarType, random};

/// After the positions of all other random numbers that choose a plan.
const FIRST: usize = PLAN_KEYS + (1 << 16);
/// Numbers that are drawn for an apply.
const EACH: usize = 8;

/// Writes shapes into the plans of half of the applies; says which, and what.
pub fn draw(module: &Module, seed: u64) -> Vec<(usize, String)> {
    let mut drawn = Vec::new();
    let applies = walk::nested(module.as_operation()).into_iter().filter_map(ApplyOp::of);
    for (number, apply) in applies.enumerate() {
        let below = |what: usize, bound: u32| {
            let position = FIRST + EACH * number + what;
            let fraction = random::random_scalar(seed, position, ScalarType::F64).to_f64() - 0.5;
            (fraction * f64::from(bound)) as u32
        };
        let operation = apply.operation();
        let Some(rank) = choice::domain(apply).map(|domain| domain.len()) else { continue };
        let known = plan::written(operation).unwrap_or_default();
        if below(0, 2) == 0 {
            continue;
        }
        let vector = 1 << below(1, 3);
        let mut points = (0..rank).map(|d| 1 + below(2 + d, 2)).collect::<Vec<_>>();
        points[rank - 1] *= vector;
        let block_steps = 1 + below(5, 4);
        let prefetch = if block_steps > 1 { below(6, 3) } else { 0 };
        let plan = PlanKeys { vector, points, block_steps, prefetch, ..known };
        drawn.push((number, plan.to_string()));
        build::set_attribute(
            operation,
            attribute::PLAN,
            plan::attribute(build::context(&operation), plan),
        );
    }
    drawn
}
