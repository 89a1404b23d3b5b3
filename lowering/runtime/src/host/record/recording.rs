//! The operations of a run.

use super::super::{KernelRuns, Operation, RunReport};
use crate::{manifest::WindowNumber, scalar::ScalarValue};
use std::ops::Range;

/// The number of a buffer: fields by the position of their argument, then the allocations of the
/// program in their order.
pub type BufferNumber = u32;

/// A value while the program is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// A number.
    Scalar(ScalarValue),
    /// Memory on the device.
    Buffer(BufferNumber),
    /// A number that differs by the device's window.
    OfWindow(WindowNumber),
}

/// The operations of a run.
#[derive(Debug, Default)]
pub struct Recording<'p> {
    /// The operations that occur, each once.
    pub operations: Vec<Operation<'p, BufferNumber>>,
    /// For each of them, the iterations of the time loop that follow on it in a run, if it is a
    /// launch that may leave out planes that these do not need.
    pub following: Vec<Option<u64>>,
    /// For each of them, the arguments of a launch that are numbers of the device's window. The
    /// operation has 0 for them, as where one window is the whole domain.
    pub of_window: Vec<Vec<(usize, WindowNumber)>>,
    /// Numbers of operations, in execution order.
    pub order: Vec<u32>,
    /// Consecutive parts of the order: each loop at the top level is a part, split at its stops.
    pub parts: Vec<Part>,
}

/// A piece of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its place in the order.
    pub range: Range<usize>,
    /// The stop after it.
    pub stop: Option<Stop>,
}

/// The state of the time loop between two steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Completed time steps, as the induction variable counts them.
    pub steps: u64,
    /// What each of its carried values is.
    pub carried: Vec<Slot>,
}

impl Recording<'_> {
    /// The statistics of a run.
    pub fn report(&self) -> RunReport {
        let mut counts = vec![0_u64; self.operations.len()];
        self.order.iter().for_each(|&number| counts[number as usize] += 1);
        let mut report = RunReport::default();
        // The operations are numbered in the order of their first occurrence.
        for (operation, count) in self.operations.iter().zip(counts) {
            match operation {
                Operation::Copy { .. } => report.copies += count,
                Operation::Launch { kernel, .. } => {
                    report.launches += count;
                    let points = kernel.points.saturating_mul(count);
                    report.points = report.points.saturating_add(points);
                    match report.kernels.iter_mut().find(|known| known.name == kernel.name) {
                        Some(known) => known.launches += count,
                        None => report
                            .kernels
                            .push(KernelRuns { name: kernel.name.clone(), launches: count }),
                    }
                }
            }
        }
        report
    }
}
