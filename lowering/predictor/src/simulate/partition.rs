//! A partition of a multiprocessor: its units and its warp scheduler.

use std::cmp::Ordering;

use super::{memory::MemorySystem, pipes::Pipes, warp::Warp};
use crate::unit::{Timing, Unit};

/// The next issue of a partition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turn {
    /// The warp.
    pub warp: usize,
    /// Its time.
    pub at: f64,
    /// Completed loop iterations of the warp.
    lap: f64,
    /// When the warp issued last.
    waits_from: f64,
}

impl Turn {
    /// Scheduling priority at equal times: fewer completed iterations, then the longest wait.
    pub fn order(&self, other: &Self) -> Ordering {
        let keys = |it: &Self| (it.at, it.lap, it.waits_from);
        keys(self).partial_cmp(&keys(other)).unwrap_or(Ordering::Equal)
    }
}

/// A partition's warps and units.
pub struct Partition {
    warps: Vec<usize>,
    pipes: Pipes,
    /// The first cycle in which an instruction can be issued.
    issue_at: f64,
    /// The warp that issued last, if it did not yield.
    greedy: Option<usize>,
    /// The next issue, as of when it was chosen.
    pub turn: Option<Turn>,
}

impl Partition {
    /// A partition that has these warps.
    pub fn new(warps: Vec<usize>) -> Self {
        Self { warps, pipes: Pipes::default(), issue_at: 0.0, greedy: None, turn: None }
    }

    /// The warp that issues next, and when; none if all wait or have ended.
    pub fn choose(
        &self,
        warps: &[Warp],
        timings: &[Timing],
        memory: &MemorySystem,
    ) -> Option<Turn> {
        let mut best: Option<(Turn, bool)> = None;
        for &which in &self.warps {
            let warp = &warps[which];
            let Some(next) = warp.next.filter(|_| !warp.blocked) else { continue };
            let timing = &timings[next.instruction];
            let free = self.pipes.free_at(timing.unit).max(memory.accepts_at(timing));
            let turn = Turn {
                warp: which,
                at: next.ready_at.max(free).max(self.issue_at),
                lap: f64::from(warp.laps_before + next.lap),
                waits_from: warp.issued_at,
            };
            // The last warp has priority, except for memory, which is shared.
            let goes_on = self.greedy == Some(which) && timing.unit != Unit::Memory;
            let first = best.is_none_or(|(found, found_goes_on)| {
                let by_time = turn.at.total_cmp(&found.at);
                by_time.then(found_goes_on.cmp(&goes_on)).then(turn.order(&found)).is_lt()
            });
            if first {
                best = Some((turn, goes_on));
            }
        }
        best.map(|(turn, _)| turn)
    }

    /// Records an issue, after which the next one is possible at `next_at`.
    pub fn issued(&mut self, turn: Turn, timing: &Timing, next_at: f64, goes_on: bool) {
        self.issue_at = next_at;
        self.greedy = goes_on.then_some(turn.warp);
        self.pipes.take(timing, turn.at);
    }
}
