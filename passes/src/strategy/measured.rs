//! The fastest measured sweeps of statements outside of loops, by stencil shape
//! (lowering/docs/sweeps.md).

use super::choice::Facts;
use std::fmt;
use stencil_dialects::{
    ods::{arith, math, stencil},
    ops::ApplyOp,
    walk,
};
use stencil_model::plan::{Form, LoadMode, Mapping, PlanKeys};

/// The shape of a stencil.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taps {
    /// On the axes only.
    Star,
    /// Everywhere in the box around it.
    Box,
    /// Something between.
    Partial,
}

/// A stencil whose best plan was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// Dimensions of the domain.
    pub rank: usize,
    /// Registers of a value.
    pub words: usize,
    /// The radius.
    pub radius: i64,
    /// The shape.
    pub taps: Taps,
    /// Whether the point only multiplies and adds.
    pub is_sum: bool,
}

/// The plan of a class.
pub struct Rule {
    /// The stencils it applies to.
    pub class: Class,
    /// Registers of a thread.
    pub registers: u32,
    /// Warps of a block.
    pub warps: u32,
    /// Columns of a lane in two dimensions, rows of a lane in three.
    pub tile_points: u32,
    /// Planes of the ring (circular buffer); none: planes are prefetched to registers.
    pub ring: u32,
}

const fn rule(
    (rank, words, radius, taps): (usize, usize, i64, Taps),
    [registers, warps, tile_points, ring]: [u32; 4],
) -> Rule {
    let class = Class { rank, words, radius, taps, is_sum: true };
    Rule { class, registers, warps, tile_points, ring }
}

use Taps::{Box, Partial, Star};

/// Boxes so wide that separate threads are bound by cache bandwidth. f32 in two dimensions is
/// faster with vectors of four, if rows are aligned to them. H200, 580.159.04, ptxas 13.0,
/// 2026-11-21.
const RULES: &[Rule] = &[
    rule((2, 1, 2, Box), [96, 4, 4, 5]),
    rule((2, 2, 4, Box), [128, 4, 2, 9]),
    rule((2, 2, 4, Partial), [128, 4, 2, 9]),
    rule((2, 1, 4, Box), [128, 4, 4, 9]),
    rule((2, 1, 4, Partial), [128, 4, 4, 9]),
    rule((3, 2, 2, Box), [168, 12, 3, 0]),
    rule((3, 1, 2, Box), [128, 8, 4, 0]),
];

impl Rule {
    /// The rule for what an apply outside of loops computes: without a next step the offset of the
    /// result does not matter. Its class where there is none.
    pub fn alone(
        apply: ApplyOp,
        facts: &Facts,
        offsets: &[Vec<i64>],
    ) -> Result<&'static Self, Option<Class>> {
        let class = Class::of(apply, facts, &centred(offsets)).ok_or(None)?;
        RULES.iter().find(|rule| rule.class == class).ok_or(Some(class))
    }

    /// The keys that follow from the rule alone.
    pub fn plan(&self) -> PlanKeys {
        let (class, warps, lanes) = (self.class, self.warps, 32);
        let (loads, ring) = match self.ring {
            0 => (LoadMode::Prefetch, None),
            ring => (LoadMode::Ring, Some(ring)),
        };
        let max_registers = Some(self.registers);
        let form = Form::Scatter;
        let plan = PlanKeys { form, loads, ring, max_registers, ..PlanKeys::default() };
        if class.rank == 2 {
            return PlanKeys {
                mapping: Mapping::Warp,
                threads: vec![1, warps * lanes],
                points: vec![1, self.tile_points],
                ..plan
            };
        }
        PlanKeys {
            mapping: Mapping::Block,
            threads: vec![1, warps, lanes],
            points: vec![1, self.tile_points, 2],
            ..plan
        }
    }
}

impl Class {
    /// That of what an apply computes from cells at these offsets.
    fn of(apply: ApplyOp, facts: &Facts, offsets: &[Vec<i64>]) -> Option<Self> {
        let rank = facts.domain.len();
        let radius = offsets.iter().flatten().map(|offset| offset.abs()).max()?;
        let off_axes = |offset: &Vec<i64>| offset.iter().filter(|along| **along != 0).count() > 1;
        let around = usize::try_from(2 * radius + 1).ok()?.checked_pow(rank as u32)?;
        let taps = match offsets.iter().any(off_axes) {
            false => Star,
            true if offsets.len() == around => Box,
            true => Partial,
        };
        Some(Self { rank, words: facts.words, radius, taps, is_sum: is_sum(apply) })
    }
}

/// Offsets relative to their centre.
fn centred(offsets: &[Vec<i64>]) -> Vec<Vec<i64>> {
    let middle = |d: usize| {
        let along = || offsets.iter().filter_map(|offset| offset.get(d)).copied();
        (along().min().unwrap_or(0) + along().max().unwrap_or(0)).div_euclid(2)
    };
    let centre =
        |offset: &Vec<i64>| offset.iter().enumerate().map(|(d, along)| along - middle(d)).collect();
    offsets.iter().map(centre).collect()
}

/// Whether a body only multiplies and adds.
pub fn is_sum(apply: ApplyOp) -> bool {
    walk::operations(apply.body()).into_iter().all(|operation| {
        let name = walk::name(&operation);
        let of_a_sum = [arith::CONSTANT, arith::ADDF, arith::SUBF, arith::MULF, arith::NEGF];
        of_a_sum.contains(&name) || [math::FMA, stencil::ACCESS, stencil::RETURN].contains(&name)
    })
}

impl fmt::Display for Class {
    /// `a sum over a star of radius 1 in 3 dimensions, 64-bit`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.is_sum { "sum" } else { "function" };
        let taps = match self.taps {
            Star => "a star",
            Box => "a box",
            Partial => "a part of a box",
        };
        let Class { rank, words, radius, .. } = self;
        write!(f, "a {what} over {taps} of radius {radius} in {rank}D, {}-bit", 32 * words)
    }
}
