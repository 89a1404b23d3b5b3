//! The fastest measured sweeps for large domains, by stencil shape (lowering/docs/sweeps.md).

use std::fmt;

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
    /// Whether the point only multiplies and adds, so that it may be cut between planes.
    pub is_sum: bool,
}

/// The plan of a class.
pub struct Rule {
    /// The stencils it applies to.
    pub class: Class,
    /// Time steps at once.
    pub steps: u32,
    /// Registers of a thread.
    pub registers: u32,
    /// Warps of a block.
    pub warps: u32,
    /// Columns of a lane in two dimensions, rows of a lane in three.
    pub tile_points: u32,
    /// Planes of the ring (circular buffer); none: planes are prefetched to registers.
    pub ring: u32,
    /// Shared memory of a block at these steps, where some target may have less; else 0.
    pub shared_kib: u32,
}

const fn rule(
    (rank, words, radius, taps): (usize, usize, i64, Taps),
    [steps, registers, warps, tile_points, ring]: [u32; 5],
) -> Rule {
    let class = Class { rank, words, radius, taps, is_sum: true };
    Rule { class, steps, registers, warps, tile_points, ring, shared_kib: 0 }
}

/// A rule with shared memory per block.
const fn with_shared(shared_kib: u32, rule: Rule) -> Rule {
    Rule { shared_kib, ..rule }
}

/// A rule for a point that does more than multiply and add.
const fn of_function(mut rule: Rule) -> Rule {
    rule.class.is_sum = false;
    rule
}

use Taps::{Box, Partial, Star};

/// H200, 580.159.04, ptxas 13.0, 2026-11-21.
pub const RULES: &[Rule] = &[
    rule((2, 2, 1, Star), [12, 255, 4, 4, 3]),
    rule((2, 2, 1, Box), [8, 255, 2, 4, 3]),
    rule((2, 2, 2, Star), [5, 255, 4, 4, 5]),
    rule((2, 2, 2, Box), [4, 255, 4, 4, 5]),
    rule((2, 2, 3, Star), [3, 255, 4, 4, 7]),
    rule((2, 1, 1, Star), [12, 168, 2, 4, 3]),
    rule((2, 1, 1, Box), [8, 128, 2, 4, 3]),
    rule((2, 1, 2, Star), [5, 168, 4, 4, 5]),
    rule((2, 1, 2, Box), [4, 168, 4, 4, 5]),
    rule((2, 1, 3, Star), [4, 168, 4, 4, 7]),
    with_shared(162, rule((3, 2, 1, Star), [4, 255, 8, 4, 3])),
    with_shared(85, rule((3, 2, 1, Box), [3, 168, 12, 3, 0])),
    with_shared(85, rule((3, 2, 1, Partial), [3, 168, 12, 3, 0])),
    with_shared(108, rule((3, 2, 2, Star), [2, 255, 8, 4, 0])),
    with_shared(81, rule((3, 1, 1, Star), [4, 128, 8, 4, 3])),
    rule((3, 1, 1, Box), [4, 128, 8, 4, 0]),
    rule((3, 1, 1, Partial), [4, 128, 8, 4, 0]),
    with_shared(153, rule((3, 1, 2, Star), [3, 168, 12, 4, 2])),
    of_function(rule((2, 2, 1, Star), [4, 128, 4, 2, 3])),
    of_function(rule((2, 1, 1, Star), [4, 112, 1, 4, 3])),
];

/// The same for a statement outside a loop: boxes so wide that separate threads are bound by cache
/// bandwidth. f32 in two dimensions is faster with vectors of four, if rows are aligned to them.
pub const RULES_ONCE: &[Rule] = &[
    rule((2, 1, 2, Box), [1, 96, 4, 4, 5]),
    rule((2, 2, 4, Box), [1, 128, 4, 2, 9]),
    rule((2, 2, 4, Partial), [1, 128, 4, 2, 9]),
    rule((2, 1, 4, Box), [1, 128, 4, 4, 9]),
    rule((2, 1, 4, Partial), [1, 128, 4, 4, 9]),
    rule((3, 2, 2, Box), [1, 168, 12, 3, 0]),
    rule((3, 1, 2, Box), [1, 128, 8, 4, 0]),
];

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
