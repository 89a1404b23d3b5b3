//! What a step of a time loop takes: as one sweep of all its statements, or statement by statement.
//!
//! Two units are looked at, memory and the issue of instructions, and a step takes as long as the
//! busier one. Values that lanes exchange count as instructions of a unit that takes 32 lanes a
//! clock. Both units are reached in part only; how much was measured on one chip
//! ([`Product::reached`]). Wrong by a half where a kernel waits for barriers or latency (two steps
//! of six unknowns in blocks of sixteen warps: 93 GPt/s predicted, 68 measured), and blind to
//! spills.

use super::{
    launch::Launch,
    pipeline::{Graph, Pipeline},
    tiling::Tiling,
};
use crate::product::Product;

/// What the statements of a step do, for each point of the grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Floating-point operations, a multiply-add as one.
    pub operations: f64,
    /// 32-bit words of a value.
    pub words: f64,
    /// Bytes of the fields that a sweep reads.
    pub read: f64,
    /// Bytes of the fields that it writes.
    pub written: f64,
    /// Bytes that all statements move, each as a kernel of its own.
    pub apart: f64,
    /// Kernels of a step that is not fused.
    pub kernels: f64,
    /// Points of the domain.
    pub points: f64,
}

/// Lanes that issue an instruction in a clock, of a multiprocessor.
const LANES_PER_CLOCK: f64 = 128.0;
/// Clocks of a lane's share of the exchange, for each of its instructions.
const EXCHANGE: f64 = 4.0;

impl Step {
    /// Nanoseconds of a step whose statements are kernels of their own.
    pub fn apart_ns(&self, product: &Product) -> f64 {
        let memory = self.apart / (product.copy_bytes_per_s as f64 * product.reached.thread_memory);
        let issue = self.issue() / (rate(product) * product.reached.thread_issue);
        let launches = self.kernels * product.launch_ns as f64;
        memory.max(issue) * self.points * 1e9 + launches
    }

    /// Nanoseconds of a step of a sweep of several.
    pub fn swept_ns(&self, sweep: &Sweep, product: &Product) -> f64 {
        let tiling = sweep.tiling;
        let (computed, stored) = tiling.redundancy();
        let redundancy = computed as f64 / stored as f64;
        let across = (tiling.row.cells * tiling.column.cells) as f64
            / (tiling.row.points * tiling.column.points) as f64;
        let steps = sweep.steps as f64;
        let bytes = (self.read * across + self.written) / steps;
        let reached = &product.reached;
        let memory = bytes / (product.copy_bytes_per_s as f64 * reached.sweep_memory);
        let exchange = exchanged(sweep) * self.words * EXCHANGE / steps;
        // Warps with tiles of their own do not wait for others.
        let share = match tiling.warps_apart {
            true => reached.issue_apart,
            false => reached.issue + reached.issue_per_warp * tiling.warps as f64,
        };
        let issue = (self.issue() + exchange) * redundancy / (rate(product) * share);
        let fill = waiting(sweep.launch, sweep.chunks);
        memory.max(issue) * fill * self.points * 1e9 + product.launch_ns as f64 / steps
    }

    /// Issue slots of a point: units of 64-bit arithmetic take half as many lanes.
    fn issue(&self) -> f64 {
        self.operations * self.words + (self.read + self.written) / 4.0 / self.words
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
    /// Time steps.
    pub steps: u32,
}

/// Instructions that multiprocessors issue in a second, in lanes.
fn rate(product: &Product) -> f64 {
    f64::from(product.multiprocessors) * LANES_PER_CLOCK * product.clock_max_hz as f64
}

/// Values that a thread gives to and takes from others, for each of its points and all levels.
fn exchanged(sweep: &Sweep) -> f64 {
    let (rows, columns) = (sweep.tiling.rows, sweep.tiling.columns);
    let mut values = 0;
    for reads in &sweep.graph.levels {
        let mut others = Vec::new();
        for read in reads {
            let (stream, [plane, row, column]) = (read.stream, read.offset);
            for own in 0..rows {
                let other = own + row;
                if !(0..rows).contains(&other) {
                    // A row of another thread: all its columns.
                    others.push((stream, plane, other, None));
                }
                let beyond = (0..columns).map(|own| own + column);
                let beyond = beyond.filter(|place| !(0..columns).contains(place));
                others.extend(beyond.map(|place| (stream, plane, other, Some(place))));
            }
        }
        others.sort_unstable();
        others.dedup();
        let count = |place: &Option<i64>| if place.is_some() { 1 } else { columns };
        values += others.iter().map(|(_, _, _, place)| count(place)).sum::<i64>();
    }
    for stream in &sweep.pipeline.streams {
        let stored = stream.rows.as_ref().map_or(0, |rows| rows.stored.len());
        values += stored as i64 * columns;
    }
    values as f64 / (rows * columns) as f64
}

/// How much longer a launch takes than its blocks would, evenly spread over the chip.
fn waiting(launch: Launch, (chunks, edge_chunks): (i64, i64)) -> f64 {
    let thirds = launch.makespan((chunks, edge_chunks)) as f64;
    let planes = (launch.planes + launch.overlap * chunks) as f64;
    let work = (3 * launch.inside + 4 * launch.edges) as f64 * planes;
    (thirds * launch.places as f64 / work.max(1.0)).max(1.0)
}

/// Registers of a thread that carry planes from iteration to iteration.
pub fn carried_registers(pipeline: &Pipeline, tiling: &Tiling, words: i64) -> i64 {
    pipeline.kept() * tiling.rows * tiling.columns * words
}
