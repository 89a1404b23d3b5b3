//! Fields that no level changes, as queues in registers: each plane is fetched once, and kept until
//! the last level has used it.
//!
//! A queue serves fields of the levels' rank and element type that are read in the column of the
//! point only: what neighbours have would have to be exchanged, and is read from memory instead.

use crate::sweep::shape::{self, Shape};
use stencil_dialects::sweep::KernelOp;

/// A field that is read from a queue.
pub struct ReadQueue {
    /// Its number among the reads of the kernel.
    pub number: usize,
    /// The oldest plane that a level reads in an iteration, counted from the arriving one.
    pub oldest: i64,
    /// The newest.
    pub newest: i64,
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
