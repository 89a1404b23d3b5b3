//! What a step takes of a sweep of one statement between two fields that change places.
//!
//! Its kernel has forms and loads that sweeps of several statements do not have. The parts of both
//! units that it reaches follow from the warps that are resident, and memory and issue overlap in
//! part: the time is a norm of both. A sum in scattered form takes the values of other threads from
//! the arriving plane alone, in gathered form from each plane that it reads. Registers that tiles
//! need beyond those of a thread are spilled, and a loop that is longer than the instruction caches
//! waits for them: unrolled over many planes, steps and points it is. Fitted to what was measured
//! ([`crate::product::ReachedBySingle`]).

use super::{Moved, Step, Sweep, Terms, rate, taken, waiting};
use crate::{plan::Form, product::Product, sweep::pipeline::Read};

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
        /// Whether the loop is unrolled by the rotation of the buffer.
        unrolled: bool,
    },
}

/// Registers of a thread besides those of its tile: addresses, counters and conditions.
const BESIDES: f64 = 32.0;

impl Step {
    /// What a step of a sweep of one statement takes, by unit.
    pub fn swept_alone(&self, single: &Single, product: &Product) -> Terms {
        let Sweep { tiling, pipeline, graph, .. } = single.sweep;
        let reached = &product.calibration.reached.single[usize::from(tiling.warps_apart)];
        let (computed, stored) = tiling.redundancy();
        let redundancy = computed as f64 / stored as f64;
        let across = (tiling.row.cells * tiling.column.cells) as f64
            / (tiling.row.points * tiling.column.points) as f64;
        let steps = f64::from(single.sweep.steps);
        let points = (tiling.rows * tiling.columns) as f64;
        let moved = Moved { own: self.written, neighbours: self.read * across, far: 0.0 };
        let bytes = moved.bytes() / steps;
        let memory = bytes / (product.calibration.copy_bytes_per_s as f64 * reached.memory);

        let exchanged = graph.levels.iter().map(|reads| single.taken(reads)).sum::<i64>()
            + pipeline.streams.iter().fold(0, |sum, stream| {
                sum + stream.rows.as_ref().map_or(0, |rows| rows.stored.len() as i64)
                    * tiling.columns
            });
        let exchange = reached.exchange * exchanged as f64 / points / steps * self.words;
        let own = reached.operation * self.operations * self.words + self.several;
        let slots = own + exchange;
        let half = reached.warps[usize::from(self.words > 1.0)];
        let share = single.warps / (single.warps + half);
        let slots = slots + reached.tile / points;
        let issue = slots * redundancy / (rate(product) * share);
        let own = reached.operation * self.operations + self.several / self.words;
        let arithmetic = self.pipes(own, product);
        let arithmetic = arithmetic * redundancy / (rate(product) * share);

        let loads = match single.loads {
            Loads::Direct => reached.direct,
            Loads::Ring { unrolled: true } => reached.unrolled,
            Loads::Ring { unrolled: false } | Loads::Ahead => 1.0,
        };
        // What is kept, what arrives, a sum and a result.
        let ahead = if single.loads == Loads::Ahead { 3 } else { 2 };
        let live = (single.kept() + ahead) as f64 * points * self.words + BESIDES;
        let spilled = (live / single.registers - reached.spilled_from).max(0.0);
        // Multiplications and additions are fused.
        let of_point = self.operations / 2.0 + self.several / self.words;
        let instructions = steps * points * of_point + exchanged as f64 * self.words;
        let code = single.turns() * instructions / reached.code;
        let fetched = 1.0 + reached.fetched * (code - 1.0).max(0.0);
        let longer = loads * (1.0 + reached.spilled * spilled) * fetched * self.points * 1e9;
        Terms {
            memory_ns: memory * longer,
            issue_ns: issue * longer,
            arithmetic_ns: arithmetic * longer,
            exchange_percent: 100.0 * exchange / slots,
            redundancy,
            fill: waiting(single.sweep.launch, single.sweep.chunks),
            launch_ns: product.calibration.launch_ns as f64 / steps,
            norm: reached.norm,
        }
    }
}

impl Single<'_> {
    /// Planes that the body of the loop computes: all of a rotation that is unrolled, or as many as
    /// there are copies of the rows that threads exchange.
    fn turns(&self) -> f64 {
        match self.loads {
            Loads::Ring { unrolled: true } => self.turn,
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
