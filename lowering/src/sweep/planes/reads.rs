//! Fields that no level changes, as queues in registers: each plane is fetched once, and kept until
//! the last level has used it.
//!
//! A queue serves fields of the levels' rank and element type that are read in the column of the
//! point only: what neighbours have would have to be exchanged, and is read from memory instead.

use super::{maps::Reads, schedule::Schedule};
use crate::sweep::shape::{self, Shape};
use melior::ir::Value;
use stencil_dialects::{build::Inserter, sweep::KernelOp};

/// A field that is read from a queue.
pub struct ReadQueue {
    /// Its number among the reads of the kernel.
    number: usize,
    /// The oldest plane that a level reads in an iteration, counted from the arriving one.
    oldest: i64,
    /// The newest.
    newest: i64,
}

impl ReadQueue {
    /// The queues of a kernel, as its plan says.
    pub fn of(kernel: KernelOp, shape: &Shape) -> Vec<ReadQueue> {
        let streamed = &shape.tiling.streamed;
        let queues =
            shape::queued_reads(kernel, &shape.plan).into_iter().map(|(number, reach)| ReadQueue {
                number,
                oldest: -streamed.behind(streamed.steps) - i64::from(reach.behind),
                newest: -streamed.behind(1) + i64::from(reach.ahead),
            });
        queues.collect()
    }

    /// Planes that iterations pass on.
    pub fn kept(&self) -> usize {
        (self.newest - self.oldest).unsigned_abs() as usize
    }
}

impl<'c: 'a, 'a> Schedule<'c, 'a, '_> {
    /// Fetches the newest plane of each queue behind those that were kept.
    pub(super) fn fetch_reads(&self, at: Inserter<'c, 'a>, kept: &mut [Vec<Value<'c, 'a>>]) {
        for (queue, planes) in self.read_queues.iter().zip(kept) {
            planes.push(self.fetch(at, self.kernel.reads()[queue.number], queue.newest));
        }
    }

    /// The planes of each queue, as the level that computes a plane reads them.
    pub(super) fn reads(&self, plane: i64, planes: &[Vec<Value<'c, 'a>>]) -> Vec<Reads<'c, 'a>> {
        let queues = self.read_queues.iter().zip(planes);
        let reads = queues.map(|(queue, tiles)| Reads {
            number: queue.number,
            first: queue.oldest - plane,
            tiles: tiles.clone(),
        });
        reads.collect()
    }
}
