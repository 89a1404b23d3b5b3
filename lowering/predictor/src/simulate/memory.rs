//! Shared resources of the partitions: the path to shared memory and the first level, and the
//! levels beyond it.

use super::first_level::FirstLevel;
use crate::{
    coefficients::Coefficients,
    instruction::Instruction,
    requests::{LINE_BYTES, Request, SECTOR_BYTES},
    traffic::{Machine, Shares},
    unit::{Access, Timing, Unit},
};

/// Queued accesses of a partition before issue stalls.
const QUEUED_ACCESSES: f64 = 8.0;
/// The highest bit of a sector's number marks the stacks of threads; the warp is below it.
const STACK_BIT: u32 = u64::BITS - 1;
const STACK_BITS: u32 = 40;

/// Completion times of an instruction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Served {
    /// When its sources have been read.
    pub read_at: f64,
    /// When its result is available.
    pub done_at: f64,
    /// Whether the result is in shared memory, which a later instruction depends on.
    pub copies: bool,
}

/// A memory instruction of a warp.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The instruction.
    pub instruction: &'a Instruction,
    /// Its timing.
    pub timing: &'a Timing,
    /// Its request, if known.
    pub request: Option<&'a Request>,
    /// The warp's global index.
    pub warp: u64,
    /// Its weight.
    pub weight: f64,
}

/// The memory hierarchy of a multiprocessor.
pub struct MemorySystem {
    partitions: f64,
    threads_per_warp: f64,
    /// When the path to shared memory and the first level is free.
    path_at: f64,
    first: FirstLevel,
    behind: Behind,
    /// Fraction of a block's first requests that are served by memory.
    cold: Spread,
    local_hbm: Spread,
    stored_part: f64,
    /// Maximum bytes in flight beyond the first level: the second level's latency times the
    /// bandwidth of a single active multiprocessor.
    under_way: f64,
}

/// The levels beyond the first.
struct Behind {
    /// When the second level is free.
    l2: Server,
    /// When memory is free.
    hbm: Server,
    l2_cycles: f64,
    hbm_cycles: f64,
}

impl Behind {
    /// The arrival time of bytes of which this fraction comes from memory. Bandwidths see the
    /// average; the latency is that of the level that serves this request.
    fn fetch(&mut self, of_hbm: &mut Spread, start: f64, bytes: f64, weight: f64) -> f64 {
        let passed_l2 = self.l2.pass(start, bytes, weight);
        let passed_hbm = self.hbm.pass(start, bytes * of_hbm.part, weight);
        if of_hbm.next() {
            passed_hbm.max(passed_l2) + self.hbm_cycles
        } else {
            passed_l2 + self.l2_cycles
        }
    }
}

/// A resource with a bandwidth.
struct Server {
    free_at: f64,
    bytes_per_cycle: f64,
    /// Bytes served, weighted.
    passed: f64,
}

impl Server {
    fn new(bytes_per_cycle: f64) -> Self {
        Self { free_at: 0.0, bytes_per_cycle, passed: 0.0 }
    }

    /// When `bytes` requested at `at` have been served.
    fn pass(&mut self, at: f64, bytes: f64, weight: f64) -> f64 {
        self.free_at = self.free_at.max(at) + bytes / self.bytes_per_cycle;
        self.passed += bytes * weight;
        self.free_at
    }
}

/// Selects a given fraction of events, evenly spread.
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
    /// Memory with an empty first level.
    pub fn new(shares: &Shares, machine: Machine<'_>) -> Self {
        let of: &Coefficients = machine.coefficients;
        Self {
            partitions: f64::from(machine.target.partitions_per_sm),
            threads_per_warp: f64::from(machine.target.threads_per_warp),
            path_at: 0.0,
            first: FirstLevel::new(shares.l1_bytes),
            behind: Behind {
                l2: Server::new(of.memory.l2_bytes_per_cycle.value),
                hbm: Server::new(machine.hbm_bytes_per_cycle()),
                l2_cycles: of.latency.ldg_l2.value * of.memory.loaded_latency.value,
                hbm_cycles: of.latency.ldg_hbm.value * of.memory.loaded_latency.value,
            },
            cold: Spread::new(shares.cold_part),
            local_hbm: Spread::new(shares.local_hbm_part),
            stored_part: shares.stored_part,
            under_way: of.memory.l2_bytes_per_cycle_alone.value * of.latency.ldg_l2.value,
        }
    }

    /// Traffic of the second level and of memory.
    pub fn passed(&self) -> (f64, f64) {
        (self.behind.l2.passed, self.behind.hbm.passed)
    }

    /// When an instruction can be accepted: by the queue of the path, and by the limit on bytes in
    /// flight.
    pub fn accepts_at(&self, timing: &Timing) -> f64 {
        if timing.unit != Unit::Memory {
            return 0.0;
        }
        let queue = self.path_at - QUEUED_ACCESSES * timing.busy_cycles * self.partitions;
        match timing.access {
            Access::None | Access::Shared | Access::Shuffle | Access::Barrier => queue,
            _ => {
                let behind =
                    |level: &Server| level.free_at - self.under_way / level.bytes_per_cycle;
                queue.max(behind(&self.behind.l2)).max(behind(&self.behind.hbm))
            }
        }
    }

    /// Executes an instruction issued at `at`.
    pub fn serve(&mut self, asked: Asked<'_>, at: f64) -> Served {
        let Asked { timing, .. } = asked;
        let mut start = at;
        let mut busy_cycles = timing.busy_cycles;
        if timing.access == Access::Shared {
            busy_cycles *= asked.request.map_or(1.0, Request::conflicts);
        }
        if timing.unit == Unit::Memory {
            start = self.path_at.max(at);
            self.path_at = start + busy_cycles;
        }
        let hit_at = start + timing.latency_cycles + busy_cycles - timing.busy_cycles;
        let done_at = match timing.access {
            Access::LoadGlobal | Access::CopyToShared => self.load(asked, start, hit_at),
            Access::StoreGlobal => {
                let bytes = self.bytes(asked);
                let passed = self.behind.l2.pass(start, bytes, asked.weight);
                self.behind.hbm.pass(passed, bytes * self.stored_part, asked.weight);
                passed
            }
            Access::LoadLocal | Access::StoreLocal => self.stack(asked, start, hit_at),
            Access::None | Access::Shared | Access::Shuffle | Access::Barrier => hit_at,
        };
        let copies = timing.access == Access::CopyToShared;
        Served { read_at: start + busy_cycles, done_at, copies }
    }

    /// Bytes that a warp moves.
    fn bytes(&self, asked: Asked<'_>) -> f64 {
        match asked.request {
            Some(request) => (request.sectors().len() as u64 * SECTOR_BYTES) as f64,
            None => f64::from(asked.instruction.access_bytes()) * self.threads_per_warp,
        }
    }

    /// When a load from an array is done.
    fn load(&mut self, asked: Asked<'_>, start: f64, hit_at: f64) -> f64 {
        let sectors = asked.request.map(Request::sectors);
        let mut done_at = hit_at;
        let mut missing = Vec::new();
        for &sector in sectors.iter().flatten() {
            match self.first.find(sector) {
                Some(arrives_at) => done_at = done_at.max(arrives_at),
                None => missing.push(sector),
            }
        }
        let bytes = match sectors {
            Some(_) => (missing.len() as u64 * SECTOR_BYTES) as f64,
            None => self.bytes(asked),
        };
        if bytes == 0.0 {
            return done_at;
        }
        let arrives_at = self.behind.fetch(&mut self.cold, start, bytes, asked.weight);
        for sector in missing {
            self.first.take(sector, arrives_at, false);
        }
        done_at.max(arrives_at)
    }

    /// When an access to the stack is done, where each word of a thread is next to its neighbours'.
    /// Stores stay in the first level until evicted.
    fn stack(&mut self, asked: Asked<'_>, start: f64, hit_at: f64) -> f64 {
        let bytes = f64::from(asked.instruction.access_bytes()) * self.threads_per_warp;
        let Some(request) = asked.request else {
            return self.behind.l2.pass(start, bytes, asked.weight) + self.behind.l2_cycles;
        };
        let first = request.first_byte() * self.threads_per_warp as u64;
        let space = 1 << STACK_BIT | asked.warp << STACK_BITS;
        let sectors = first / SECTOR_BYTES..(first + bytes as u64).div_ceil(SECTOR_BYTES);
        let mut done_at = hit_at;
        for sector in sectors.map(|it| space | it) {
            let stores = asked.timing.access == Access::StoreLocal;
            if let Some(arrives_at) = self.first.find(sector).filter(|_| !stores) {
                done_at = done_at.max(arrives_at);
                continue;
            }
            let arrives_at = if stores {
                start
            } else {
                let bytes = SECTOR_BYTES as f64;
                self.behind.fetch(&mut self.local_hbm, start, bytes, asked.weight)
            };
            if self.first.take(sector, arrives_at, stores) {
                let bytes = LINE_BYTES as f64;
                let passed = self.behind.l2.pass(start, bytes, asked.weight);
                self.behind.hbm.pass(passed, bytes * self.local_hbm.part, asked.weight);
            }
            done_at = done_at.max(arrives_at);
        }
        done_at
    }
}
