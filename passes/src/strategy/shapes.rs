//! Measured best shapes of threads and blocks: large bodies, and sums with vector loads.
//!
//! The numbers are in lowering/docs/thread-mapping.md and lowering/docs/order-of-operations.md.

use super::{
    asked::Asked,
    choice::{FIELDS_FOR_FEW_POINTS, Facts, OPERATIONS_FOR_POINTS, is_cube},
};
use stencil_model::target::Architecture;

/// How a large body in three dimensions is computed.
pub struct Large {
    /// Registers of a value.
    words: usize,
    points: [u32; 3],
    threads: [u32; 3],
    /// The cap.
    pub registers: u32,
    vector: u32,
    block_steps: u32,
    prefetch: u32,
    /// For extents that are given at run time: each row that is read has an address of its own.
    rows_apart: bool,
}

const fn large(words: usize, points: [u32; 3], threads: [u32; 3], registers: u32) -> Large {
    let vector = points[2];
    let (block_steps, prefetch, rows_apart) = (1, 0, false);
    Large { words, points, threads, registers, vector, block_steps, prefetch, rows_apart }
}

impl Large {
    /// The same, with blocks that make so many steps along the slowest dimension.
    const fn advancing(self, block_steps: u32, prefetch: u32) -> Self {
        Self { block_steps, prefetch, ..self }
    }

    /// The same for extents that are given at run time.
    const fn rows_apart(self) -> Self {
        Self { rows_apart: true, ..self }
    }
}

/// Moderate bodies with many results: hypterm. Reads along dimension 0 are shared by the points of
/// a thread and of a block. Shapes without vectors, for unaligned rows, follow those with vectors;
/// those for rows apart come before them.
const MANY_RESULTS: &[Large] = &[
    large(2, [2, 1, 1], [4, 2, 32], 128).rows_apart(),
    large(2, [4, 1, 1], [4, 2, 32], 128),
    large(1, [1, 2, 2], [2, 4, 32], 128),
    large(1, [2, 1, 1], [4, 4, 32], 64),
];
/// Moderate bodies with few results: derivative.
const FEW_RESULTS: &[Large] = &[
    large(2, [1, 1, 2], [4, 2, 32], 255).advancing(25, 1),
    large(1, [1, 1, 2], [1, 8, 32], 128).advancing(10, 1),
    large(2, [1, 2, 1], [1, 2, 64], 255),
    large(1, [2, 1, 1], [1, 2, 64], 168).rows_apart(),
    large(1, [2, 1, 1], [1, 2, 64], 128),
];
/// The largest bodies: rhs4th3fort.
const LARGEST: &[Large] = &[
    large(2, [1, 1, 2], [2, 4, 32], 255).advancing(50, 1),
    large(1, [1, 2, 2], [1, 8, 32], 255).advancing(20, 1),
    large(2, [1, 1, 1], [1, 4, 32], 255).rows_apart(),
    large(2, [1, 1, 1], [1, 4, 32], 168),
    large(1, [1, 1, 1], [1, 4, 32], 128).rows_apart(),
    large(1, [2, 2, 1], [1, 4, 32], 255),
];

impl Large {
    /// The shape for a body, if it is large and its domain has three sufficiently long dimensions.
    pub fn of(facts: &Facts) -> Option<&'static Self> {
        let among = match facts.operations > OPERATIONS_FOR_POINTS {
            true => LARGEST,
            false if facts.results >= FIELDS_FOR_FEW_POINTS => MANY_RESULTS,
            false => FEW_RESULTS,
        };
        let is_for = |large: &&Self| {
            (large.words > 1) == (facts.words > 1)
                && large.vector <= facts.vector
                && (facts.is_fixed, large.rows_apart) != (true, true)
        };
        let large = among.iter().find(is_for)?;
        let is_long = |(extent, (points, threads)): (&u64, (&u32, &u32))| {
            *extent >= 4 * u64::from(*points) * u64::from(*threads).min(8)
        };
        let shape = large.points.iter().zip(&large.threads);
        let fits = facts.domain.len() == 3 && facts.domain.iter().zip(shape).all(is_long);
        (facts.is_large() && fits).then_some(large)
    }

    /// Fills a plan that leaves points and threads open.
    pub fn complete(&self, asked: &mut Asked) {
        let says = |key| asked.says(key);
        let (advances, prefetches) = (says("block_steps"), says("block_steps") || says("prefetch"));
        let vectors = says("vector");
        let plan = &mut asked.plan;
        plan.points = self.points.to_vec();
        plan.threads = self.threads.to_vec();
        if !vectors {
            plan.vector = self.vector;
        }
        if !advances {
            plan.block_steps = self.block_steps;
        }
        if !prefetches {
            plan.prefetch = self.prefetch;
        }
    }
}

/// The shape of a body with vector loads.
pub struct Vectors {
    points: Vec<u32>,
    vector: u32,
    block_steps: u32,
    /// Rows of threads of a block.
    rows: Option<u32>,
    /// Whether a thread needs half of all registers.
    is_wide: bool,
    /// Whether warps are aligned for loads instead of stores.
    follows_reads: bool,
}

/// Sums that read at least so many cells align warps for loads instead of stores.
const READS_THAT_DECIDE: usize = 17;
/// Sums of so many f64 cells in three dimensions are bound by L1 bandwidth.
const READS_OF_WIDE_STARS: usize = 13;
/// Boxes of so many cells use eight points that share rows instead of four that share columns.
const READS_OF_A_SQUARE: std::ops::RangeInclusive<usize> = 10..=32;
/// Bodies of several fields and one result that read so many cells share them among points.
const READS_OF_NEIGHBOURS: usize = 13;
/// Bodies of several results that read so many cells fill 64 registers with one point.
pub const READS_OF_A_SYSTEM: usize = 48;
/// Bodies of several results that read so many cells of each field at neighbours share rows of them
/// too.
const READS_OF_A_WIDE_SOURCE: usize = 13;
/// Bodies of so many cells have no registers for rows of them.
const READS_OF_ALL: usize = 64;
/// Bodies of several results that read so many cells of each field share them among points.
const READS_OF_A_SOURCE: usize = 3;
/// Bodies of so many cells have no registers for a block that advances.
const READS_OF_STEPS: usize = 80;
/// Steps along planes of a block of a system whose rows begin at lines: planes that it has read
/// stay in its L1. Elsewhere lines of neighbours take their place, and it takes longer.
const STEPS_OF_A_SYSTEM: u32 = 4;
/// Shorter rows have too few warps with vectors.
const LONG_ROW: u64 = 256;

impl Vectors {
    /// The shape for a body that is not large, if rows are aligned to vectors.
    pub fn of(facts: &Facts) -> Option<Self> {
        if facts.is_large() {
            return None;
        }
        let has_few_fields = facts.results == 1 && facts.sources < FIELDS_FOR_FEW_POINTS;
        let shape = if has_few_fields { Self::of_sum(facts) } else { Self::of_fields(facts) }?;
        let is_long =
            |(extent, points): (&u64, &u32)| *extent >= 8 * u64::from(*points * shape.block_steps);
        let fits = facts.domain.last()? >= &LONG_ROW
            && shape.vector <= facts.vector
            && facts.domain.iter().zip(&shape.points).all(is_long);
        fits.then_some(shape)
    }

    /// The shape for a sum of cells of one field or two.
    fn of_sum(facts: &Facts) -> Option<Self> {
        let (points, vector, block_steps): (&[u32], _, _) = match (facts.domain.len(), facts.words)
        {
            (2, 1) if READS_OF_A_SQUARE.contains(&facts.reads) => (&[8, 2], 2, 1),
            (2, 1) => (&[4, 4], 4, 1),
            (2, _) => (&[4, 2], 2, 1),
            (3, 2) if is_cube(facts) => (&[4, 4, 2], 2, 1),
            (3, 2) if facts.reads < READS_OF_WIDE_STARS => return None,
            // Points share the cells of one field: a wave of radius 3 with two fields took 733 us
            // in f64 and 255 in f32 with vectors, and 371 and 224 with points along planes (H200).
            (3, _) if facts.sources > 1 && facts.reads >= READS_OF_WIDE_STARS => return None,
            (3, _) => (&[2, 2, 2], 2, 2),
            _ => return None,
        };
        let is_wide = points.len() == 3 && points[0] == 4;
        let follows_reads = facts.domain.len() == 3 && facts.reads >= READS_THAT_DECIDE;
        let rows = is_wide.then_some(4);
        let points = points.to_vec();
        let shape = Self { points, vector, block_steps, rows, is_wide, follows_reads };
        (facts.reads > 1).then_some(shape)
    }

    /// The shape for a body of several fields whose values are of 32 bits: a lane has too few bytes
    /// in flight with one cell of each.
    fn of_fields(facts: &Facts) -> Option<Self> {
        // Rows begin where stores and loads are vectors, and fields are read at neighbours: systems
        // that read few cells of each wait for memory, and take longer.
        let is_paired = facts.results > 1
            && facts.alignment_offset.is_multiple_of(2)
            && facts.reads >= READS_OF_A_SOURCE * facts.sources;
        let is_system = facts.reads >= READS_OF_A_SYSTEM;
        // Coefficients of the point do not make the others narrower.
        let (sources, reads) = (facts.sources - facts.singles, facts.reads - facts.singles);
        let is_wide = sources > 0 && reads >= READS_OF_A_WIDE_SOURCE * sources;
        let shares_rows = facts.is_fixed && is_paired && is_wide && facts.reads < READS_OF_ALL;
        let advances =
            is_system && facts.rows_at_lines && facts.reads + facts.repeats < READS_OF_STEPS;
        let steps = if advances { STEPS_OF_A_SYSTEM } else { 1 };
        let of = |points: &[u32], rows, is_wide| {
            let (vector, block_steps, follows_reads) = (2, 1, false);
            let points = points.to_vec();
            Some(Self { points, vector, block_steps, rows, is_wide, follows_reads })
        };
        let advancing = |shape: Self| Self { block_steps: steps, ..shape };
        match (facts.domain.len(), facts.words, facts.results) {
            (2, 1, _) if is_paired => of(&[2, 2], None, false),
            // All points share the cells of the field that is read at neighbours. Where rows are
            // apart their addresses fill the registers: a wave of radius 4 spilled 388 bytes, and
            // took 10.3 ms instead of 7.1 with points along planes (H200).
            (3, 1, 1) if facts.reads >= READS_OF_NEIGHBOURS && facts.is_fixed => {
                of(&[4, 1, 2], Some(8), false)
            }
            // Where rows are apart, their addresses take the registers.
            (3, 1, 2..) if shares_rows => of(&[2, 2, 2], Some(4), true),
            // One point fills the registers of 32 warps already.
            (3, 1, 2..) if is_paired || is_system => of(&[2, 1, 2], Some(8), true).map(advancing),
            _ => None,
        }
    }

    /// Whether it is for two dimensions.
    pub fn is_flat(&self) -> bool {
        self.points.len() == 2
    }

    /// Whether a thread has so many points that it needs half of all registers.
    pub fn is_wide(&self) -> bool {
        self.is_wide
    }

    /// Fills a plan that leaves points open.
    pub fn complete(&self, asked: &mut Asked, target: &Architecture) {
        let advances = asked.says("block_steps");
        let plan = &mut asked.plan;
        plan.points.clone_from(&self.points);
        plan.vector = self.vector;
        if !advances {
            plan.block_steps = self.block_steps;
        }
        if self.follows_reads {
            plan.alignment_offset = plan.alignment_offset.or(Some(0));
        }
        if let Some(rows) = self.rows.filter(|_| plan.threads.is_empty()) {
            plan.threads = vec![1, rows, target.threads_per_warp];
        }
    }
}
