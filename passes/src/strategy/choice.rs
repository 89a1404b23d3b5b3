//! The default plan of a kernel with the thread mapping, from a few facts about its body.
//!
//! The thresholds come from the measurements in lowering/docs/thread-mapping.md, 23 programs in two
//! types on one chip. In general: as long as a thread's values fit into 64 registers, more points
//! of a thread are better, because they share reads, and so are the 32 resident warps that 64
//! registers allow, because they hide the latency of the cache.

use super::{
    alignment::Rows,
    asked::Asked,
    constraints::Constraints,
    kernels::KernelOf,
    registers,
    shapes::{Large, READS_OF_A_SYSTEM, Vectors},
    statements, sweep,
};
use crate::analysis::{
    footprint, middle::Middle, run_time_extents::RunTimeExtents, shared_work::SharedWork,
};
use std::{
    cell::LazyCell,
    collections::{BTreeMap, BTreeSet},
};
use stencil_dialects::{ops::ApplyOp, types, walk};
use stencil_model::{
    machine::Machine,
    occupancy::registers_max_to_launch,
    plan::{PlanKeys, Schedule},
    target::Architecture,
};

/// The facts that determine the choice; of points far from the ends of the domain, which are most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Groups of points that the body computes at once, per dimension, slowest first.
    pub domain: Vec<u64>,
    /// Different cells that one run of the body reads.
    pub reads: usize,
    /// Further accesses of these cells, of producers that were inlined at several offsets.
    pub repeats: usize,
    /// Arguments that it reads them from.
    pub sources: usize,
    /// Those of which it reads a single cell.
    pub singles: usize,
    /// Results of the body.
    pub results: usize,
    /// Registers that a value of the widest result takes.
    pub words: usize,
    /// Operations of the body.
    pub operations: usize,
    /// Whether extents are constants.
    pub is_fixed: bool,
    /// Alignment offset in points, from the written rows.
    pub alignment_offset: u32,
    /// Cells of the widest vectors that the written rows are aligned to.
    pub vector: u32,
    /// Whether the written rows begin at cache lines with the domain.
    pub rows_at_lines: bool,
    /// Points of a thread that share operations, where these bound the kernel; else none.
    pub tile: Vec<u32>,
    /// Whether the points of a thread that are vectors spill with 64 registers.
    pub spills: bool,
}

impl Facts {
    /// The facts about an apply; none where its bounds are unknown.
    pub fn of(apply: ApplyOp) -> Option<Facts> {
        let middle = apply.bounds().and_then(|bounds| Middle::of(apply, &bounds));
        let middle = middle.as_ref();
        let accesses = footprint::reads_in(apply, middle);
        let operations = middle.map(|middle| middle.operations(apply));
        let count = accesses.len();
        let cell = |read: footprint::Read| (read.argument, read.mapping, read.lower, read.upper);
        let reads = accesses.into_iter().map(cell).collect::<BTreeSet<_>>();
        let elements = apply.elements();
        let words = |element| types::element_bytes(element).map_or(1, |bytes| bytes.div_ceil(4));
        let extents = RunTimeExtents::around(apply.operation());
        let domain = domain(apply)?;
        let multiple = extents.as_ref().map(|extents| extents.multiple_of_rows(domain.len()));
        let of_any = |rows: Rows| multiple.map_or(rows, |multiple| rows.of_any(multiple));
        let rows = Rows::of(apply).map(of_any);
        let mut cells = BTreeMap::<_, usize>::new();
        reads.iter().for_each(|(argument, ..)| *cells.entry(*argument).or_default() += 1);
        Some(Facts {
            domain,
            sources: cells.len(),
            singles: cells.values().filter(|count| **count == 1).count(),
            reads: reads.len(),
            repeats: count - reads.len(),
            results: elements.len(),
            words: elements.iter().map(|element| words(*element)).max().unwrap_or(1) as usize,
            operations: operations.unwrap_or_else(|| walk::nested(apply.operation())).len(),
            is_fixed: extents.is_none(),
            alignment_offset: rows.and_then(|rows| alignment_offset(apply, rows)).unwrap_or(0),
            vector: rows.map_or(1, |rows| rows.vector()),
            rows_at_lines: rows
                .zip(first_cell(apply))
                .is_some_and(|(rows, it)| rows.has_at_lines(it)),
            tile: Vec::new(),
            spills: false,
        })
    }

    /// The same under a plan: whether its points spill, and where an apply's kernel is predicted to
    /// be bound by operations, a tile whose points share more of them, or of a single point.
    fn under(&self, apply: ApplyOp, plan: &PlanKeys, target: &Machine) -> Self {
        if plan.mapping.is_sweep() || apply.terminator().unroll().is_some() {
            return self.clone();
        }
        let terms = statements::alone(apply, target);
        let work = LazyCell::new(|| SharedWork::of(apply));
        let spills = registers::are_spilled(apply, &work, self, plan);
        let issue_ns = terms.issue_ns.max(terms.arithmetic_ns);
        if issue_ns <= terms.memory_ns {
            return Self { spills, ..self.clone() };
        }
        let tile = work.tile_that_shares_more(&self.domain, &plan.points);
        let tile = match tile {
            Some(tile) => tile.points.clone(),
            None if self.words > 1 && issue_ns > ISSUE_OVER_MEMORY * terms.memory_ns => {
                vec![1; self.domain.len()]
            }
            None => Vec::new(),
        };
        Self { tile, spills, ..self.clone() }
    }

    /// Whether a body's intermediate values dominate its register demand, rather than its reads.
    pub fn is_large(&self) -> bool {
        self.operations > OPERATIONS_OF_A_SUM
    }

    /// Whether values of a point live long, in a body that is no sum of what it reads.
    fn computes_much(&self) -> bool {
        self.operations > OPERATIONS_OF_A_CELL * self.reads
    }

    /// Registers that all cells of one run would take together, those of each value that an
    /// inlined producer computes apart: as many values live for as long.
    fn words_read(&self) -> usize {
        (self.reads + self.repeats) * self.words
    }
}

/// The alignment offset for the rows of an apply's field, if the body is not unrolled.
fn alignment_offset(apply: ApplyOp, rows: Rows) -> Option<u32> {
    let is_single = apply.terminator().unroll().is_none_or(|unroll| unroll.last() == Some(&1));
    is_single.then(|| Some(rows.alignment_offset(first_cell(apply)?)))?
}

/// The first coordinate of an apply's rows.
fn first_cell(apply: ApplyOp) -> Option<i64> {
    apply.bounds()?.lower.last().copied()
}

/// Runs of an apply's body along each dimension; none where its bounds are unknown.
pub fn domain(apply: ApplyOp) -> Option<Vec<u64>> {
    let extents = apply.bounds()?.extents();
    let unroll = apply.terminator().unroll().unwrap_or_else(|| vec![1; extents.len()]);
    Some(extents.iter().zip(unroll).map(|(extent, points)| (extent / points) as u64).collect())
}

/// Bodies of at most this many operations are sums with short live ranges; the values of larger
/// ones fill the registers.
const OPERATIONS_OF_A_SUM: usize = 400;
/// Sums have at most so many operations for each cell that they read: the access, a factor and what
/// multiplies by it, an addition; and some for what becomes of the sum.
const OPERATIONS_OF_A_CELL: usize = 6;
/// How many times as long as for its bytes a kernel of doubles waits for its operations where what
/// points share of the bytes does not make up for the registers of several: a filter of 25 cells
/// and 24 exponentials takes 2.8 ms with one point, and 10.8 with eight, which spill 5 KB (8192
/// squared, H200, driver 580.159.04, ptxas 13.0.88, 2026-11-30). Bodies that wait less for theirs
/// take 1.1 to 2.2 times as long with one.
const ISSUE_OVER_MEMORY: f64 = 4.0;
/// Large bodies of at most this many operations have registers left for further points.
pub const OPERATIONS_FOR_POINTS: usize = 600;
/// Bodies that read no more cells share enough of them among four points.
const READS_FOR_FOUR_POINTS: usize = 7;
/// Bodies that read so many different fields, or write them, have more values of each point.
pub const FIELDS_FOR_FEW_POINTS: usize = 3;
/// Bodies whose cells take no more registers are computed in 64 without spilling.
const WORDS_FOR_SMALL_CAP: usize = 127;

/// Points of a thread along the slowest dimension where extents are given at run time: each row
/// that they read has an address of its own.
const POINTS_OF_ROWS_APART: u32 = 4;

/// Resident warps of threads whose points share operations on values of one word, and of two.
const WARPS_OF_TILES: [u32; 2] = [20, 16];
/// Boxes of three dimensions read at least so many cells.
const READS_OF_A_CUBE: usize = 27;

/// Whether a body is a sum over a cube of moderate size.
pub fn is_cube(facts: &Facts) -> bool {
    facts.domain.len() == 3
        && facts.reads >= READS_OF_A_CUBE
        && facts.words_read() <= WORDS_FOR_SMALL_CAP
        && facts.sources == 1
        && facts.results == 1
        && !facts.is_large()
}

/// Points of a thread along dimension 1, of a sum over a cube: they share rows of cells.
fn rows_wanted(facts: &Facts) -> u32 {
    match (is_cube(facts), facts.words) {
        (false, _) => 1,
        (true, 1) => 4,
        (true, _) => 3,
    }
}

/// The best number of points of a thread for a body.
fn points_wanted(facts: &Facts) -> u32 {
    match (facts.is_large(), facts.words) {
        (true, _) if facts.operations > OPERATIONS_FOR_POINTS => 1,
        (true, 1) => 2,
        (true, _) => 4,
        _ if rows_wanted(facts) > 1 => 4,
        // Where one point of a system fills the registers already, more share what they read.
        _ if facts.results >= FIELDS_FOR_FEW_POINTS && facts.reads >= READS_OF_A_SYSTEM => 4,
        _ if facts.results >= FIELDS_FOR_FEW_POINTS => 1,
        _ if facts.sources >= FIELDS_FOR_FEW_POINTS => 4,
        _ if facts.reads <= READS_FOR_FOUR_POINTS => 4,
        _ if facts.words_read() > WORDS_FOR_SMALL_CAP && facts.domain.len() < 3 => 4,
        _ => 8,
    }
}

/// Registers that a thread may have: a quarter of the most, half of it, or all.
fn registers_wanted(facts: &Facts, target: &Architecture) -> u32 {
    let most = target.registers_max_per_thread;
    match (facts.is_large(), facts.words) {
        (true, 2..) => most,
        (true, _) => most.div_ceil(2),
        _ if facts.words_read() > WORDS_FOR_SMALL_CAP => most.div_ceil(2),
        _ => most.div_ceil(4),
    }
}

/// Completes a partial plan for a kernel, whose points share operations where these bound it; with
/// the facts that it follows from.
pub fn complete_shared(
    asked: &Asked,
    constraints: &Constraints,
    kernel: &KernelOf,
    target: &Machine,
) -> (PlanKeys, Facts) {
    let plan = complete(asked.clone(), constraints, &kernel.facts, target);
    let facts = kernel.facts.under(kernel.apply, &plan, target);
    match facts == kernel.facts {
        true => (plan, facts),
        false => (complete(asked.clone(), constraints, &facts, target), facts),
    }
}

/// Completes a partial plan.
pub fn complete(
    asked: impl Into<Asked>,
    constraints: &Constraints,
    facts: &Facts,
    target: &Architecture,
) -> PlanKeys {
    let mut asked = asked.into();
    if asked.plan.mapping.is_sweep() {
        return sweep::complete(asked.plan, facts, target);
    }
    let registers = match Shape::of(&asked, facts) {
        Shape::Large(large) => {
            large.complete(&mut asked);
            large.registers
        }
        Shape::Vectors(vectors) => {
            vectors.complete(&mut asked, target);
            match vectors.is_wide() || facts.computes_much() || facts.spills {
                true => target.registers_max_per_thread.div_ceil(2),
                false => registers_wanted(facts, target),
            }
        }
        Shape::Tile => {
            complete_tile(&mut asked.plan, facts, target);
            let warps = WARPS_OF_TILES[usize::from(facts.words > 1)];
            registers_max_to_launch(target, warps * target.threads_per_warp)
        }
        Shape::Points | Shape::Asked => registers_wanted(facts, target),
    };
    let mut plan = asked.plan;
    if plan.points.is_empty() {
        plan.points = points(facts);
    }
    if plan.schedule.is_none() && (facts.is_large() || rows_wanted(facts) > 1) {
        plan.schedule = Some(Schedule::Trees);
    }
    if plan.threads.is_empty() {
        // With all registers only one block of eight warps is resident; two of four are better.
        let all = plan.max_registers.unwrap_or(registers) > target.registers_max_per_thread / 2 + 1;
        let wanted = if all { 4 } else { 8 } * target.threads_per_warp;
        plan.threads = threads(&facts.domain, &plan, wanted, target);
    }
    if plan.alignment_offset.is_none() {
        plan.alignment_offset = free_offset(facts, &plan);
    }
    constraints.complete(&mut plan, target);
    if plan.max_registers.is_none() {
        // A block of this many threads must be able to launch.
        let fitting = registers_max_to_launch(target, plan.threads_per_block());
        plan.max_registers = Some(registers.min(fitting));
    }
    plan
}

/// A tile of points that share operations, in blocks of four rows of a warp.
fn complete_tile(plan: &mut PlanKeys, facts: &Facts, target: &Architecture) {
    plan.points.clone_from(&facts.tile);
    plan.schedule = plan.schedule.or(Some(Schedule::Trees));
    if plan.threads.is_empty() {
        let warp = target.threads_per_warp;
        plan.threads = threads(&facts.domain, plan, 4 * warp, target);
        if let [.., rows, lanes] = &mut plan.threads[..]
            && *lanes == 2 * warp
        {
            (*rows, *lanes) = (2 * *rows, warp);
        }
    }
}

/// The origin of the points of a thread.
enum Shape {
    /// Points that share operations.
    Tile,
    /// A shape that was measured for large bodies.
    Large(&'static Large),
    /// Neighbours as vectors.
    Vectors(Vectors),
    /// As many as share what they read.
    Points,
    /// As requested.
    Asked,
}

impl Shape {
    fn of(asked: &Asked, facts: &Facts) -> Shape {
        let is_open = |key| !asked.says(key);
        if !is_open("points") {
            return Shape::Asked;
        }
        if !facts.tile.is_empty() && is_open("vector") {
            return Shape::Tile;
        }
        let large = Large::of(facts).filter(|_| is_open("threads"));
        let vectors = Vectors::of(facts).filter(|_| is_open("vector"));
        match (large, vectors) {
            (Some(large), _) => Shape::Large(large),
            (None, Some(vectors)) => Shape::Vectors(vectors),
            (None, None) => Shape::Points,
        }
    }
}

/// The reason for the points of a thread, for reports.
pub fn why(asked: &Asked, facts: &Facts, plan: &PlanKeys) -> String {
    let Facts { reads, operations, .. } = facts;
    let points = plan.points_per_thread();
    match Shape::of(asked, facts) {
        Shape::Tile if points == 1 => {
            "one point per thread: its operations take the time and the registers".to_owned()
        }
        Shape::Tile => format!("{points} points per thread share operations"),
        Shape::Large(_) => {
            format!("the shape measured as fastest for bodies of {operations} operations")
        }
        Shape::Vectors(_) => {
            format!("{points} points per thread, neighbours as vectors of {}", plan.vector)
        }
        Shape::Points if points == 1 => {
            format!("one point per thread: its {operations} operations need the registers")
        }
        Shape::Points if *reads < 2 => format!("{points} points per thread"),
        Shape::Points => format!("{points} points per thread share the {reads} cells of a point"),
        Shape::Asked => "points as given".to_owned(),
    }
}

fn points(facts: &Facts) -> Vec<u32> {
    let mut points = vec![1; facts.domain.len()];
    if points.len() > 1 {
        let most = if facts.is_fixed { u32::MAX } else { POINTS_OF_ROWS_APART };
        points[0] = points_that_fit(facts.domain[0], points_wanted(facts).min(most));
        let rows = rows_wanted(facts);
        if rows > 1 && facts.domain[1] >= 4 * u64::from(rows) {
            points[1] = rows;
        }
    }
    points
}

/// The wanted points of a thread; short dimensions get fewer.
fn points_that_fit(extent: u64, wanted: u32) -> u32 {
    let mut points = wanted;
    while points > 1 && extent < 4 * u64::from(points) {
        points /= 2;
    }
    points
}

/// The alignment offset for the rows, if it costs no additional block.
fn free_offset(facts: &Facts, plan: &PlanKeys) -> Option<u32> {
    let blocks = |offset| {
        let plan = PlanKeys { alignment_offset: Some(offset), ..plan.clone() };
        // A plan that is wrong, or of another rank, is refused by the check that follows.
        let plan = plan.plan().ok()?.into_thread()?;
        (plan.threads.len() == facts.domain.len()).then(|| plan.grid(&facts.domain).pop())
    };
    let offset = facts.alignment_offset;
    (offset > 0 && blocks(offset) == blocks(0)).then_some(offset)
}

/// Two warps along the fastest dimension if it is long enough, then rows up to the wanted threads;
/// more rows if the grid would exceed the target's limits.
fn threads(domain: &[u64], plan: &PlanKeys, wanted: u32, target: &Architecture) -> Vec<u32> {
    let rank = domain.len();
    // A plan of another rank is refused by the check that follows.
    let points = |dimension| u64::from(plan.points_along(dimension));
    let warp = u64::from(target.threads_per_warp);
    let mut threads = vec![1_u32; rank];
    let fastest = domain[rank - 1].div_ceil(points(rank - 1));
    threads[rank - 1] = fastest.next_power_of_two().clamp(warp, 2 * warp) as u32;
    if rank == 1 {
        threads[0] = wanted;
    } else {
        let rows = domain[rank - 2].div_ceil(points(rank - 2)).next_power_of_two();
        threads[rank - 2] = (wanted / threads[rank - 1]).min(rows.min(64) as u32);
    }
    let limits = target.grid_max.fastest_first();
    let fits = |dimension: usize, threads: u32| {
        let (_, most) = limits[rank - 1 - dimension];
        domain[dimension].div_ceil(u64::from(threads) * points(dimension)) <= most
    };
    for (dimension, threads) in threads.iter_mut().enumerate() {
        let (_, most) = target.block_max.fastest_first()[rank - 1 - dimension];
        while !fits(dimension, *threads) && *threads < most {
            *threads *= 2;
        }
    }
    // Threads gained by one dimension are taken from others.
    while threads.iter().product::<u32>() > target.threads_max_per_block {
        let able = (0..rank).filter(|d| threads[*d] > 1 && fits(*d, threads[*d] / 2));
        let Some(widest) = able.max_by_key(|d| threads[*d]) else { break };
        threads[widest] /= 2;
    }
    threads
}

#[cfg(test)]
#[path = "choice_tests.rs"]
mod tests;
