//! What a step takes of a sweep of one statement between two fields that change places.
//!
//! Its kernel has forms and loads that sweeps of several statements do not have. The part of the
//! issue slots that it reaches follows from the warps that are resident and from the points of a
//! thread, whose operations are independent, and memory and issue overlap in part: the time is a
//! norm of both. A sum in scattered form takes the values of other threads from the arriving plane
//! alone, in gathered form from each plane that it reads. Values that are kept move to where the
//! next plane finds them unless the loop is unrolled by their rotation. Registers that a thread
//! needs beyond those that it may have are spilled, and a loop that is longer than the instruction
//! caches waits for them: unrolled over many planes, steps and points it is. Fitted to what was
//! measured ([`ReachedBySingle`]).

use super::{Step, Sweep, Terms, rate, taken, waiting, whole_tiles};
use crate::{
    plan::Form,
    product::{NeededBySingle, Product, ReachedBySingle},
    sweep::pipeline::Read,
};

/// Planes of a circular buffer of which one is on its way during a whole iteration. The assembler
/// moves a copy to the end of the iteration that starts it, and the next one waits for it at once
/// if the buffer holds two.
pub const DEEP: u32 = 3;

/// A sweep of one statement whose time is estimated.
#[derive(Debug, Clone, Copy)]
pub struct Single<'s> {
    /// Its tiles and levels; how it fetches planes is not read.
    pub sweep: Sweep<'s>,
    /// How sums are computed.
    pub form: Form,
    /// How planes come from global memory.
    pub loads: Loads,
    /// Registers that a thread may have.
    pub registers: f64,
    /// Warps that are resident on a multiprocessor.
    pub warps: f64,
    /// Planes after which values are in the same place again.
    pub turn: f64,
    /// Values that a level of a sum in scattered form carries from plane to plane, for each point.
    pub carried: i64,
}

/// How planes come from global memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loads {
    /// When they are needed.
    Direct,
    /// An iteration ahead, to registers.
    Ahead,
    /// By asynchronous copies to a circular buffer.
    Ring {
        /// Planes that it holds.
        planes: u32,
        /// Whether the loop is unrolled by its rotation.
        unrolled: bool,
    },
}

/// Issue slots of a point in a step.
struct Slots {
    /// Floating-point operations.
    operations: f64,
    /// Words that threads exchange.
    exchange: f64,
    /// Words that move to where the next plane finds them.
    moved: f64,
    /// Registers that are written to memory and read again.
    spilled: f64,
    /// What a plane of a thread's tile takes beside its points.
    tile: f64,
}

impl Slots {
    fn all(&self) -> f64 {
        self.operations + self.exchange + self.moved + self.spilled + self.tile
    }
}

impl Step {
    /// What a step of a sweep of one statement takes, by unit.
    pub fn swept_alone(&self, single: &Single, product: &Product) -> Terms {
        let tiling = single.sweep.tiling;
        let reached = &product.calibration.reached.single[usize::from(tiling.warps_apart)];
        let (computed, stored) = tiling.redundancy();
        let again = single.sweep.planes_again();
        let redundancy = computed as f64 / stored as f64 * again;
        let across = (tiling.row.cells * tiling.column.cells) as f64
            / (tiling.row.points * tiling.column.points) as f64;
        let steps = f64::from(single.sweep.steps);
        let bytes = (self.written + self.read * across) * again / steps;
        let memory = bytes / (product.calibration.copy_bytes_per_s as f64 * reached.memory);

        let exchanged = single.exchanged() as f64 * self.words;
        let slots = single.slots(self, exchanged, reached);
        let half = reached.warps[usize::from(self.words > 1.0)];
        let warps = single.warps * single.points().powf(reached.independent);
        let each = redundancy * (warps + half) / (rate(product) * warps);

        let form = usize::from(single.form == Form::Scatter);
        let [of_memory, of_issue] = match single.loads {
            Loads::Direct => [reached.direct; 2],
            Loads::Ring { unrolled: true, .. } => reached.unrolled[form],
            Loads::Ring { planes: DEEP.., .. } => reached.deep[form],
            Loads::Ring { .. } | Loads::Ahead => [1.0; 2],
        };
        let code = single.instructions(self, exchanged, &slots) / reached.code;
        let fetched = 1.0 + reached.fetched / self.words * (code - 1.0).max(0.0);
        let all = fetched * self.points * 1e9;
        let pipes = self.pipes(slots.operations / self.words, product);
        // Warps with tiles of their own wait for nobody, and many share a multiprocessor.
        let tiles = match tiling.warps_apart {
            true => 1.0,
            false => whole_tiles(&single.sweep, self.points),
        };
        Terms {
            memory_ns: memory * of_memory * all,
            issue_ns: slots.all() * each * of_issue * all,
            arithmetic_ns: pipes * each * of_issue * all,
            exchange_percent: 100.0 * slots.exchange / slots.all(),
            redundancy,
            fill: waiting(single.sweep.launch, single.sweep.chunks) * tiles,
            launch_ns: product.calibration.launch_ns as f64 / steps,
            norm: reached.norm,
        }
    }
}

impl Single<'_> {
    /// Points of a thread in a plane.
    fn points(&self) -> f64 {
        (self.sweep.tiling.rows * self.sweep.tiling.columns) as f64
    }

    /// The issue slots of a point in a step, of which so many words are exchanged for a plane.
    fn slots(&self, step: &Step, exchanged: f64, reached: &ReachedBySingle) -> Slots {
        let steps = f64::from(self.sweep.steps);
        let of_plane = self.points() * steps;
        let moved = match self.loads {
            Loads::Ring { unrolled: true, .. } => 0.0,
            _ => self.kept() as f64 * step.words / steps,
        };
        let spilled = self.spilled(step, &reached.registers);
        let [once, more] = reached.spilled;
        Slots {
            operations: reached.operation * step.operations * step.words + step.several,
            exchange: reached.exchange * exchanged / of_plane,
            moved: reached.moved * moved,
            spilled: spilled * (once + more * spilled) / of_plane,
            tile: reached.tile / self.points(),
        }
    }

    /// Registers that a thread needs beyond those that it may have.
    fn spilled(&self, step: &Step, needed: &NeededBySingle) -> f64 {
        let of_point = needed.kept * self.kept() as f64
            + needed.point
            + if self.loads == Loads::Ahead { needed.ahead } else { 0.0 };
        let of_ring = match self.loads {
            // Places that are computed, and more copies that are on their way, half as many again.
            Loads::Ring { planes: DEEP.., unrolled: false } => 1.5 * needed.ring,
            Loads::Ring { .. } => needed.ring,
            Loads::Direct | Loads::Ahead => 0.0,
        };
        let besides = needed.besides + of_ring;
        (of_point * self.points() * step.words + besides - self.registers).max(0.0)
    }

    /// Instructions of the loop, with so many for words that are exchanged for a plane.
    fn instructions(&self, step: &Step, exchanged: f64, slots: &Slots) -> f64 {
        let of_point = step.operations + step.several / step.words + slots.moved + slots.spilled;
        let of_plane = self.points() * f64::from(self.sweep.steps) * of_point + exchanged;
        self.turns() * of_plane
    }

    /// Values that a thread exchanges with others, for all levels of a plane.
    fn exchanged(&self) -> i64 {
        let Sweep { tiling, pipeline, graph, .. } = self.sweep;
        let rows = pipeline.streams.iter().filter_map(|stream| stream.rows.as_ref());
        let given = rows.map(|rows| rows.stored.len() as i64 * tiling.columns);
        graph.levels.iter().map(|reads| self.taken(reads)).sum::<i64>() + given.sum::<i64>()
    }

    /// Planes that the body of the loop computes: all of a rotation that is unrolled, or as many as
    /// there are copies of the rows that threads exchange.
    fn turns(&self) -> f64 {
        match self.loads {
            Loads::Ring { unrolled: true, planes } => self.turn.max(f64::from(planes)),
            _ if self.sweep.tiling.warps_apart => 1.0,
            _ => 2.0,
        }
    }

    /// Values of a point that all levels keep from iteration to iteration.
    fn kept(&self) -> i64 {
        match self.form {
            Form::Gather => self.sweep.pipeline.kept(),
            Form::Scatter => self.carried * i64::from(self.sweep.steps),
        }
    }

    /// Values that a level takes from other threads.
    fn taken(&self, reads: &[Read]) -> i64 {
        let tile = (self.sweep.tiling.rows, self.sweep.tiling.columns);
        match self.form {
            Form::Gather => taken(reads, tile),
            Form::Scatter => {
                let arriving = |read: &Read| {
                    let [_, row, column] = read.offset;
                    Read { offset: [0, row, column], ..*read }
                };
                taken(&reads.iter().map(arriving).collect::<Vec<_>>(), tile)
            }
        }
    }
}

#[cfg(test)]
#[path = "single_tests.rs"]
mod tests;
