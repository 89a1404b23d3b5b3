//! What the partitions share: the path to shared memory and the first level, and what is behind it.

use crate::{
    coefficients::Coefficients,
    instruction::Instruction,
    traffic::{Machine, Shares},
    unit::{Access, Timing, Unit},
};

/// Accesses of a partition that wait for the path before issue itself has to wait.
const QUEUED_ACCESSES: f64 = 8.0;

/// When an instruction is done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Served {
    /// When its sources have been read.
    pub read_at: f64,
    /// When its result is there.
    pub done_at: f64,
    /// Whether the result is in shared memory, of which a later instruction takes account.
    pub copies: bool,
}

/// The levels of memory as one partition sees them.
pub struct MemorySystem {
    /// Warps that do the same at the same time, this one counted.
    sharing: f64,
    /// When the path to shared memory and the first level is free.
    path_at: f64,
    /// When the second level can give the next bytes.
    l2: Server,
    /// When memory can.
    hbm: Server,
    threads_per_warp: f64,
    l2_part: Spread,
    hbm_part: Spread,
    local_part: Spread,
    local_hbm_part: Spread,
    l2_cycles: f64,
    hbm_cycles: f64,
}

/// Gives so many bytes a cycle to this partition.
struct Server {
    free_at: f64,
    bytes_per_cycle: f64,
}

impl Server {
    /// When `bytes` that are asked for at `at` have passed.
    fn pass(&mut self, at: f64, bytes: f64) -> f64 {
        self.free_at = self.free_at.max(at) + bytes / self.bytes_per_cycle;
        self.free_at
    }
}

/// Of many events a given part, evenly spread.
struct Spread {
    part: f64,
    sum: f64,
}

impl Spread {
    fn new(part: f64) -> Self {
        Self { part, sum: 0.0 }
    }

    fn next(&mut self) -> bool {
        self.sum += self.part;
        let hit = self.sum >= 1.0;
        self.sum -= f64::from(u8::from(hit));
        hit
    }
}

impl MemorySystem {
    /// Memory that `sharing` warps of a multiprocessor ask at the same time.
    pub fn new(shares: &Shares, machine: Machine<'_>, sharing: f64) -> Self {
        let of: &Coefficients = machine.coefficients;
        let server = |rate: f64| Server { free_at: 0.0, bytes_per_cycle: rate / sharing };
        Self {
            sharing,
            path_at: 0.0,
            l2: server(of.memory.l2_bytes_per_cycle.value),
            hbm: server(machine.hbm_bytes_per_cycle()),
            threads_per_warp: f64::from(machine.target.threads_per_warp),
            l2_part: Spread::new(shares.l2_part),
            hbm_part: Spread::new(shares.hbm_part),
            local_part: Spread::new(shares.local_part),
            local_hbm_part: Spread::new(shares.local_hbm_part),
            l2_cycles: of.latency.ldg_l2.value,
            hbm_cycles: of.latency.ldg_hbm.value,
        }
    }

    /// When there is room for an instruction: in the queue in front of the path, and for one more
    /// request under way, of which each level has as many as its rate fills its latency with.
    pub fn accepts_at(&self, timing: &Timing) -> f64 {
        if timing.unit != Unit::Memory {
            return 0.0;
        }
        let queue = self.path_at - QUEUED_ACCESSES * timing.busy_cycles * self.sharing;
        match timing.access {
            Access::None | Access::Shared | Access::Shuffle | Access::Barrier => queue,
            _ => {
                let l2 = self.l2.free_at - self.l2_cycles;
                queue.max(l2).max(self.hbm.free_at - self.hbm_cycles)
            }
        }
    }

    /// Executes an instruction that is issued at `at`.
    pub fn serve(&mut self, instruction: &Instruction, timing: &Timing, at: f64) -> Served {
        let mut start = at;
        if timing.unit == Unit::Memory {
            start = self.path_at.max(at);
            self.path_at = start + timing.busy_cycles * self.sharing;
        }
        let hit_at = start + timing.latency_cycles;
        let read_at = start + timing.busy_cycles;
        let bytes = f64::from(instruction.access_bytes()) * self.threads_per_warp;
        let done_at = match timing.access {
            Access::LoadGlobal | Access::CopyToShared => {
                let levels = (&mut self.l2_part, &mut self.hbm_part);
                let behind = Behind { l2: &mut self.l2, hbm: &mut self.hbm };
                behind.pass(levels, start, bytes, hit_at, (self.l2_cycles, self.hbm_cycles))
            }
            Access::StoreGlobal => {
                let passed = self.l2.pass(start, bytes);
                self.hbm.pass(passed, bytes * self.hbm_part.part);
                passed
            }
            Access::LoadLocal | Access::StoreLocal => {
                let levels = (&mut self.local_part, &mut self.local_hbm_part);
                let behind = Behind { l2: &mut self.l2, hbm: &mut self.hbm };
                behind.pass(levels, start, bytes, hit_at, (self.l2_cycles, self.hbm_cycles))
            }
            Access::None | Access::Shared | Access::Shuffle | Access::Barrier => hit_at,
        };
        Served { read_at, done_at, copies: timing.access == Access::CopyToShared }
    }
}

/// What is behind the first level.
struct Behind<'m> {
    l2: &'m mut Server,
    hbm: &'m mut Server,
}

impl Behind<'_> {
    /// When an access is done of which the first level misses the part of `misses.0` and the second
    /// level of those the part of `misses.1`. The rates see the average of all accesses; how long
    /// one takes is told by the level it is in.
    fn pass(
        self,
        misses: (&mut Spread, &mut Spread),
        start: f64,
        bytes: f64,
        hit_at: f64,
        latency_cycles: (f64, f64),
    ) -> f64 {
        let from_l2 = bytes * misses.0.part;
        let passed_l2 = self.l2.pass(start, from_l2);
        let passed_hbm = self.hbm.pass(start, from_l2 * misses.1.part);
        if !misses.0.next() {
            hit_at
        } else if misses.1.next() {
            passed_hbm.max(passed_l2) + latency_cycles.1
        } else {
            passed_l2 + latency_cycles.0
        }
    }
}
