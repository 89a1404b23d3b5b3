//! What a step of a time loop takes: as one sweep of all its statements, or statement by statement.
//!
//! Three units are looked at, memory, the issue of instructions and the pipes that multiply and
//! add, and a step takes as long as the busiest one. Values that lanes exchange count as
//! instructions of a unit that takes 32 lanes a clock. Pipes that take fewer lanes than are issued
//! are busy for longer: those of double precision on chips for graphics for 64 times as long. All
//! are reached in part only; how much was measured on one chip (`Reached`), and pipes are taken to
//! be reached as issue is, because on that chip they never are what takes longest. Kernels of
//! mapping `thread` take a part of the other unit's time besides: a norm of both. In a launch
//! outside of a time loop all warps start together, load and compute in turns, and no other launch
//! fills the ends: memory and arithmetic take their time one after the other. (The busier one alone
//! is predicted as 230 us for a corner detector of 8192 squared points and as 212 us for WENO
//! fluxes of 256 x 256 x 128 points; they take 336 and 307.) Warps with tiles of their own take
//! turns in time loops too: few are resident. Of the issue slots they reach the more the more
//! points a thread has, which are independent, and the less the more statements of a step wait for
//! one another. Wrong by a half where a kernel waits for barriers or latency (two steps of six
//! unknowns in blocks of sixteen warps: 93 GPt/s predicted, 68 measured), and blind to spills,
//! which [`live_registers`] is for.

mod exchange;
mod single;
#[cfg(test)]
mod tests;

pub use self::single::{DEEP, Loads, Single};

use self::exchange::{exchanged, in_turn, taken, taken_back};
use super::{
    launch::Launch,
    pipeline::{Graph, Pipeline, Source},
    tiling::{LANES, Tiling},
};
use crate::product::{DataSheet, Product, Reached};

/// What the statements of a step do, for each point of the grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Floating-point operations of one instruction, a multiply-add as one.
    pub operations: f64,
    /// Issue slots of those that are several ([`crate::operations`]).
    pub several: f64,
    /// 32-bit words of a value.
    pub words: f64,
    /// Bytes of the fields that a sweep reads.
    pub read: f64,
    /// Bytes of the fields that it writes.
    pub written: f64,
    /// Bytes that all statements move, each as a kernel of its own.
    pub apart: Moved,
    /// Kernels of a step that is not fused.
    pub kernels: f64,
    /// Points of the domain.
    pub points: f64,
    /// Whether neighbours are in rows near by: in two dimensions. Of values of less than a word, of
    /// which fewer bytes are in flight, nothing was measured: they are not counted among these.
    pub reads_rows: bool,
}

/// Bytes that a kernel moves for each point, every grid once.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Moved {
    /// Of grids that are written, or read at the point alone.
    pub own: f64,
    /// Of grids that are read at neighbours, whose rows and planes the caches serve again: one
    /// point away, two points, and more.
    pub neighbours: [f64; 3],
}

impl Moved {
    /// All of it.
    pub fn bytes(self) -> f64 {
        self.own + self.neighbours.iter().sum::<f64>()
    }

    /// For a part of the points.
    #[must_use]
    pub fn scaled(self, part: f64) -> Self {
        Self { own: self.own * part, neighbours: self.neighbours.map(|bytes| bytes * part) }
    }
}

impl std::iter::Sum for Moved {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            own: sum.own + one.own,
            neighbours: [0, 1, 2].map(|far| sum.neighbours[far] + one.neighbours[far]),
        })
    }
}

/// What a step takes, by unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// Nanoseconds that global memory is busy.
    pub memory_ns: f64,
    /// Nanoseconds that the issue of instructions is busy, exchange among threads included.
    pub issue_ns: f64,
    /// Nanoseconds that the pipes for floating-point numbers are busy.
    pub arithmetic_ns: f64,
    /// Percent of the issue slots of a point that exchange takes.
    pub exchange_percent: f64,
    /// Points that are computed for each that is stored.
    pub redundancy: f64,
    /// How much longer the launch takes than its blocks would, evenly spread over the chip.
    pub fill: f64,
    /// Nanoseconds from a launch to the next.
    pub launch_ns: f64,
    /// How memory and issue overlap: the time is the norm of both of this order. One where they
    /// take turns, infinity where the busier one alone counts.
    pub norm: f64,
}

impl Terms {
    /// Nanoseconds of the step.
    pub fn ns(&self) -> f64 {
        let computing = self.issue_ns.max(self.arithmetic_ns);
        let (busier, other) = (self.memory_ns.max(computing), self.memory_ns.min(computing));
        let busy = match self.norm.is_finite() && busier > 0.0 {
            true => busier * (1.0 + (other / busier).powf(self.norm)).powf(self.norm.recip()),
            false => busier,
        };
        busy * self.fill + self.launch_ns
    }

    /// The same where issue takes another time, and pipes no longer unless they did before.
    #[must_use]
    pub fn with_issue(self, issue_ns: f64) -> Self {
        let arithmetic_ns = match self.arithmetic_ns > self.issue_ns {
            true => self.arithmetic_ns,
            false => self.arithmetic_ns.min(issue_ns),
        };
        Self { issue_ns, arithmetic_ns, ..self }
    }

    /// The unit that takes longest.
    pub fn busiest(&self) -> Unit {
        let computing = self.issue_ns.max(self.arithmetic_ns);
        match () {
            () if self.launch_ns > self.memory_ns.max(computing) * self.fill => Unit::Launch,
            () if self.memory_ns >= computing => Unit::Memory,
            () if self.arithmetic_ns > self.issue_ns => Unit::Arithmetic,
            () if self.exchange_percent > 50.0 => Unit::Exchange,
            () => Unit::Issue,
        }
    }
}

/// A unit that a step may wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Global memory.
    Memory,
    /// The issue of instructions.
    Issue,
    /// The same, mostly of instructions that exchange values among threads.
    Exchange,
    /// The pipes for floating-point numbers.
    Arithmetic,
    /// The launch of a kernel.
    Launch,
}

impl Unit {
    /// As reports call it.
    pub fn word(self) -> &'static str {
        match self {
            Unit::Memory => "memory",
            Unit::Issue => "issue",
            Unit::Exchange => "exchange",
            Unit::Arithmetic => "arithmetic",
            Unit::Launch => "launch",
        }
    }
}

/// Clocks of a lane's share of the exchange, for each of its instructions.
const EXCHANGE: f64 = 4.0;
/// The same where halos are copied, and most values are loaded several at once.
const EXCHANGE_BY_HALO: f64 = 0.5;
/// The same for values that a thread takes back out of shared memory, several at once.
const TAKEN_BACK: f64 = 1.0;

impl Step {
    /// Nanoseconds of a step whose statements are kernels of their own.
    pub fn apart_ns(&self, product: &Product) -> f64 {
        self.apart(product).ns()
    }

    /// The same, by unit.
    pub fn apart(&self, product: &Product) -> Terms {
        let reached = &product.calibration.reached;
        let is_double = usize::from(self.words > 1.0);
        let of_memory = match self.reads_rows {
            true => reached.thread_rows,
            false => reached.thread_neighbours[is_double],
        };
        let neighbours = self.apart.neighbours.iter().zip(of_memory);
        let neighbours = neighbours.map(|(bytes, of_memory)| bytes / of_memory).sum::<f64>();
        let copied = self.apart.own / reached.thread_own + neighbours;
        let memory = copied / product.calibration.copy_bytes_per_s as f64;
        let rate = rate(product) * reached.thread_issue;
        let (issue, arithmetic) = (self.issue() / rate, self.arithmetic(product) / rate);
        Terms {
            memory_ns: memory * self.points * 1e9,
            issue_ns: issue * self.points * 1e9,
            arithmetic_ns: arithmetic * self.points * 1e9,
            exchange_percent: 0.0,
            redundancy: 1.0,
            fill: 1.0,
            launch_ns: self.kernels * product.calibration.launch_ns as f64,
            norm: reached.thread_norm,
        }
    }

    /// What a step of a sweep of several takes, by unit.
    pub fn swept(&self, sweep: &Sweep, product: &Product) -> Terms {
        let tiling = sweep.tiling;
        let again = sweep.planes_again();
        let across = (tiling.row.cells * tiling.column.cells) as f64
            / (tiling.row.points * tiling.column.points) as f64;
        let redundancy = across * again;
        let steps = sweep.steps as f64;
        let bytes = (self.read * redundancy + self.written) / steps;
        let reached = &product.calibration.reached;
        let is_line = sweep.is_line();
        let (of_memory, share, by) = self.units_reached(sweep, reached);
        let memory = bytes / (product.calibration.copy_bytes_per_s as f64 * of_memory);
        let exchange =
            (exchanged(sweep) * by + taken_back(sweep) * TAKEN_BACK) * self.words / steps;
        let slots = self.issue() + exchange;
        let issue = slots * redundancy / (rate(product) * share);
        let arithmetic = self.arithmetic(product) * redundancy / (rate(product) * share);
        let waiting_for = match (sweep.fetch, tiling.warps_apart) {
            _ if is_line => 1.0,
            (Fetch::Direct, apart) => reached.direct[usize::from(apart)],
            (Fetch::Ahead { registers, live }, false) => 1.0 + registers * live,
            (Fetch::Copied { ahead: ..=1 }, false) => {
                1.0 + reached.one_on_the_way / (tiling.row.cells * tiling.column.cells) as f64
            }
            (Fetch::Ahead { .. }, true) | (Fetch::Copied { .. }, _) => 1.0,
        };
        Terms {
            memory_ns: memory * waiting_for * self.points * 1e9,
            issue_ns: issue * waiting_for * self.points * 1e9,
            arithmetic_ns: arithmetic * waiting_for * self.points * 1e9,
            exchange_percent: 100.0 * exchange / slots,
            redundancy,
            fill: waiting(sweep.launch, sweep.chunks) * whole_tiles(sweep, self.points),
            launch_ns: product.calibration.launch_ns as f64 / steps,
            norm: match is_line {
                true => reached.line.norm[usize::from(tiling.warps_apart)],
                // They take turns in a launch outside of a time loop, and where few warps are
                // resident.
                false if sweep.is_once || tiling.warps_apart => 1.0,
                false => f64::INFINITY,
            },
        }
    }

    /// The parts of memory and of issue slots that a sweep reaches, and clocks of a lane's share of
    /// the exchange.
    fn units_reached(&self, sweep: &Sweep, reached: &Reached) -> (f64, f64, f64) {
        let tiling = sweep.tiling;
        let is_copied = sweep.pipeline.copies_columns();
        let bytes_of_a_lane = tiling.columns as f64 * self.words * 4.0;
        match (is_copied, tiling.warps_apart) {
            (_, is_apart) if sweep.is_line() => {
                let line = reached.line;
                let warps = if is_apart { 0.0 } else { (tiling.threads() / LANES) as f64 };
                let share = line.issue[usize::from(is_apart)] - line.less_per_warp * warps;
                (line.memory, share, EXCHANGE)
            }
            (true, _) => {
                let of_memory = reached.halo_memory[usize::from(sweep.steps > 1)];
                let of_memory = of_memory / reached.halo_narrow(bytes_of_a_lane);
                (of_memory, reached.halo_issue, EXCHANGE_BY_HALO)
            }
            // Warps with tiles of their own do not wait for others.
            (false, true) => {
                let words = usize::from(self.words > 1.0);
                match sweep.is_once {
                    true => (reached.once.memory, reached.once.issue_apart, EXCHANGE),
                    false => (
                        reached.sweep_memory_apart[words],
                        self.issue_apart(sweep, reached),
                        EXCHANGE,
                    ),
                }
            }
            (false, false) => {
                let (of_memory, least, more) = match (sweep.is_once, reached.once) {
                    (true, once) => (once.memory, once.issue, once.issue_per_warp),
                    (false, _) => (reached.sweep_memory, reached.issue, reached.issue_per_warp),
                };
                (of_memory, least + more * tiling.warps as f64, EXCHANGE)
            }
        }
    }

    /// The part of issue slots that warps with tiles of their own reach in a time loop.
    fn issue_apart(&self, sweep: &Sweep, reached: &Reached) -> f64 {
        let apart = reached.apart;
        let points = (sweep.tiling.rows * sweep.tiling.columns) as f64;
        let share = apart.issue[usize::from(self.words > 1.0)] * points.powf(apart.independent);
        // Instructions of one operation wait for one another, whatever other points do.
        let several = self.several / self.issue();
        let all = ((1.0 - several) / share + several / apart.several).recip();
        all / in_turn(sweep.graph, (sweep.slots, sweep.steps))
    }

    /// Issue slots of a point: an instruction on two words is counted as two.
    fn issue(&self) -> f64 {
        let own = self.operations * self.words + self.several;
        own + (self.read + self.written) / 4.0 / self.words
    }

    /// The same that pipes for floating-point numbers take, in lanes that could be issued.
    fn arithmetic(&self, product: &Product) -> f64 {
        self.pipes(self.operations + self.several / self.words, product)
    }

    /// Lanes that could be issued while the pipes are busy with so many operations.
    fn pipes(&self, operations: f64, product: &Product) -> f64 {
        let taken = product.sheet.fma_per_clock_per_sm.of_words(self.words);
        operations * lanes_per_clock(product) / f64::from(taken)
    }
}

/// A sweep whose time is estimated.
#[derive(Debug, Clone, Copy)]
pub struct Sweep<'s> {
    /// Its levels.
    pub graph: &'s Graph,
    /// When they are computed.
    pub pipeline: &'s Pipeline,
    /// Its tiles.
    pub tiling: &'s Tiling,
    /// Its launch.
    pub launch: Launch,
    /// Chunks of tiles inside and at the ends.
    pub chunks: (i64, i64),
    /// How planes come from global memory.
    pub fetch: Fetch,
    /// Time steps.
    pub steps: u32,
    /// Issue slots of each statement of a step, for a point.
    pub slots: &'s [f64],
    /// Whether it is launched once, outside of a time loop.
    pub is_once: bool,
}

impl Sweep<'_> {
    /// Whether it is of one dimension, in a time loop.
    fn is_line(&self) -> bool {
        self.tiling.rank == 1 && !self.is_once
    }

    /// Planes that blocks load and compute for each that they store: chunks begin before their own.
    fn planes_again(&self) -> f64 {
        self.launch.planes_computed(self.chunks.0) as f64 / self.launch.planes as f64
    }
}

/// How a sweep's planes come from global memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fetch {
    /// When they are needed.
    Direct,
    /// An iteration ahead, to registers: the more of them are live, the less the assembler can do
    /// with what is left.
    Ahead {
        /// Registers of the planes that are fetched, over those that a thread may have.
        registers: f64,
        /// Registers that are live at once, over the same.
        live: f64,
    },
    /// By asynchronous copies.
    Copied {
        /// Planes on their way.
        ahead: u32,
    },
}

/// Instructions that multiprocessors issue in a second, in lanes.
fn rate(product: &Product) -> f64 {
    let DataSheet { multiprocessors, clock_max_hz, .. } = product.sheet;
    f64::from(multiprocessors) * lanes_per_clock(product) * clock_max_hz as f64
}

/// Lanes that issue an instruction in a clock, of a multiprocessor: a warp of each scheduler.
fn lanes_per_clock(product: &Product) -> f64 {
    let limits = product.limits();
    f64::from(limits.partitions_per_sm * limits.threads_per_warp)
}

/// How much longer a launch takes than its blocks would, evenly spread over the chip.
fn waiting(launch: Launch, (chunks, edge_chunks): (i64, i64)) -> f64 {
    let thirds = launch.makespan((chunks, edge_chunks)) as f64;
    let planes = launch.planes_computed(chunks) as f64;
    let work = tiles_thirds(launch) * planes;
    (thirds * launch.places as f64 / work.max(1.0)).max(1.0)
}

/// How much longer the tiles of a plane take than tiles inside of the domain would that cover as
/// many points: those at its ends take longer, and the last ones of a row reach beyond it. Their
/// warps wait for each other however few of their points are inside.
fn whole_tiles(sweep: &Sweep, points: f64) -> f64 {
    let of_tile = sweep.tiling.row.points * sweep.tiling.column.points * sweep.launch.planes;
    tiles_thirds(sweep.launch) * of_tile as f64 / (3.0 * points)
}

/// How long the tiles of a plane take: so many thirds of one inside of the domain.
fn tiles_thirds(launch: Launch) -> f64 {
    (3 * launch.inside + launch.edge_thirds * launch.edges) as f64
}

/// Registers of a thread that carry planes from iteration to iteration.
pub fn carried_registers(pipeline: &Pipeline, tiling: &Tiling, words: i64) -> i64 {
    pipeline.kept() * tiling.rows * tiling.columns * words
}

/// Registers of a thread for addresses, counters and conditions.
const ADDRESSES: i64 = 32;

/// Registers of a thread that are live at once in the level that takes most from other threads: the
/// planes that iterations carry, those that are fetched an iteration ahead, the values that others
/// have, a sum and a result for each point of so many rows and columns. The assembler moves loads
/// before the arithmetic that needs them, so that all of these meet.
pub fn live_registers(
    graph: &Graph,
    pipeline: &Pipeline,
    tile: (i64, i64),
    (words, is_prefetched): (i64, bool),
) -> i64 {
    let points = tile.0 * tile.1;
    let fetched = graph.streams.iter().filter(|source| **source == Source::Field).count();
    let ahead = if is_prefetched { fetched as i64 } else { 0 };
    let taken = graph.levels.iter().map(|reads| taken(reads, tile)).max().unwrap_or(0);
    let values = (pipeline.kept() + ahead + 2) * points + taken;
    values * words + ADDRESSES
}
