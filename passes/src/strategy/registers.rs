//! Whether the points of a thread need more registers than 32 resident warps leave it.
//!
//! Neighbours of a tile are loaded once for all of its points, early, so that most of them are live
//! at once. A sum of cells times constants adds each as it comes; other bodies use a cell again, in
//! squares or differences, or need both sides of a maximum. Beside what is spilled with 64
//! registers, the loss of warps with 128 is small: six f64 functions of stars of radius 2 and 3 in
//! three dimensions spilled 312 to 948 bytes, and take 0.18 to 0.56 of the time with 128
//! (lowering/docs/thread-mapping.md, "Registers of tiles").

use super::choice::Facts;
use crate::analysis::{footprint, operation_slots::Operations, shared_work::SharedWork};
use melior::ir::{OperationRef, operation::OperationLike};
use std::{
    collections::{BTreeMap, HashSet},
    ops::Deref,
};
use stencil_dialects::{
    build,
    ods::{arith, math, scf, stencil},
    ops::ApplyOp,
    walk::{self, ValueKey},
};
use stencil_model::plan::PlanKeys;

/// Registers that the cells of a tile take, at which those of 64 are spilled: where the block
/// advances along planes, or values are computed at several offsets, which live as long as cells.
const CELLS_OF_STEPS: f64 = 90.0;
/// The same of other tiles: 128 registers of cells spilled nothing, and 176 spilled 560 bytes.
const CELLS_OF_A_TILE: f64 = 136.0;
/// The same where points take roots or quotients in double precision, whose slow paths are calls:
/// 64 registers of cells spilled 136 bytes with roots, and none without.
const CELLS_BESIDE_CALLS: f64 = 60.0;

/// Whether a tile of a plan's points spills with a quarter of the registers of a thread. What the
/// points share is asked for bodies only whose tiles may.
pub(super) fn are_spilled(
    apply: ApplyOp,
    work: &impl Deref<Target = SharedWork>,
    facts: &Facts,
    plan: &PlanKeys,
) -> bool {
    // Points along planes are a loop.
    let is_tile = plan.points.iter().filter(|points| **points > 1).count() > 1;
    if !is_tile {
        return false;
    }
    let cells = neighbours(apply);
    if !cells.are_repeated && is_linear(apply, cells.values) {
        return false;
    }
    let calls = || walk::operations(apply.body()).into_iter().any(is_call);
    let most = match () {
        () if facts.words > 1 && calls() => CELLS_BESIDE_CALLS,
        () if plan.block_steps > 1 || cells.are_repeated => CELLS_OF_STEPS,
        () => CELLS_OF_A_TILE,
    };
    work.of_tile(&plan.points).cells > most
}

/// Whether an operation on doubles has a slow path that is called: a quotient or a function.
fn is_call(operation: OperationRef) -> bool {
    let name = walk::name(&operation);
    let may_be = name == arith::DIVF || name.starts_with("math.");
    may_be && Operations::of_one(operation, 2).several > 0.0
}

/// Whether a body is a sum of cells, each times what does not depend on cells. Cells of fields that
/// are read at one place alone count as factors: a point needs each once.
fn is_linear(apply: ApplyOp, mut of_cells: HashSet<ValueKey>) -> bool {
    walk::nested(apply.operation()).into_iter().skip(1).all(|operation| {
        let mut operands = operation.operands().map(|it| of_cells.contains(&ValueKey::of(&it)));
        let (first, others) = (operands.next() == Some(true), operands.collect::<Vec<_>>());
        let of_others = others.contains(&true);
        let name = walk::name(&operation);
        if first || of_others || name == scf::IF {
            of_cells.extend(operation.results().map(|result| ValueKey::of(&result)));
        }
        match name {
            arith::MULF => !(first && of_others),
            math::FMA => !(first && others[0]),
            arith::SELECT | scf::IF => !first,
            arith::ADDF | arith::SUBF | arith::NEGF => true,
            stencil::RETURN | scf::YIELD => true,
            _ => !(first || of_others),
        }
    })
}

/// Cells of fields of which a point reads several.
struct Neighbours {
    /// What their accesses give.
    values: HashSet<ValueKey>,
    /// Whether one is read again, of a value that is computed at several offsets.
    are_repeated: bool,
}

/// The neighbours that an apply reads.
fn neighbours(apply: ApplyOp) -> Neighbours {
    let mut of_field = BTreeMap::<_, BTreeMap<_, Vec<_>>>::new();
    for read in footprint::reads(apply) {
        let cells = of_field.entry(read.argument).or_default();
        let values = cells.entry((read.mapping, read.lower, read.upper)).or_default();
        values.push(ValueKey::of(&build::single(read.operation)));
    }
    let several = of_field.into_values().filter(|cells| cells.len() > 1);
    let cells = several.flat_map(BTreeMap::into_values).collect::<Vec<_>>();
    let are_repeated = cells.iter().any(|values| values.len() > 1);
    Neighbours { values: cells.into_iter().flatten().collect(), are_repeated }
}
