//! Memory requests of the warps of a block.
//!
//! The path of a warp is executed for a few of its lanes, for integers only ([`Integers`]); the
//! other lanes are interpolated.

use crate::{
    instruction::Instruction,
    integers::{Integers, Thread},
    kernel::{Kernel, Launch},
    path::Path,
};

/// Transfer size of the caches.
pub const SECTOR_BYTES: u64 = 32;
/// Bytes of a line of the first level.
pub const LINE_BYTES: u64 = 128;
/// Banks of shared memory, each of four bytes.
const BANKS: usize = 32;
const BANK_BYTES: u64 = 4;

/// The request of one instruction of a warp: lanes in two halves, each with a constant stride.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// The first lane of each half.
    halves: [u64; 2],
    /// Stride between lanes.
    stride: i64,
    /// Bytes of a lane.
    bytes: u32,
    /// Lanes.
    lanes: u32,
}

impl Request {
    /// The address of the first lane.
    pub fn first_byte(&self) -> u64 {
        self.halves[0]
    }

    fn lane(&self, number: u32) -> u64 {
        let half = self.lanes.div_ceil(2);
        let (begin, number) = match number.checked_sub(half) {
            Some(number) => (self.halves[1], number),
            None => (self.halves[0], number),
        };
        begin.wrapping_add_signed(self.stride * i64::from(number))
    }

    /// The requested sectors, without duplicates, in address order.
    pub fn sectors(&self) -> Vec<u64> {
        let (half, bytes) = (self.lanes.div_ceil(2), i64::from(self.bytes));
        let beside = self.halves[0].wrapping_add_signed(bytes * i64::from(half));
        if self.stride == bytes && self.halves[1] == beside {
            let end = self.halves[0] + u64::from(self.lanes * self.bytes) - 1;
            return (self.halves[0] / SECTOR_BYTES..=end / SECTOR_BYTES).collect();
        }
        let mut sectors = Vec::with_capacity(16);
        for lane in 0..self.lanes {
            let begin = self.lane(lane);
            let end = begin + u64::from(self.bytes.max(1)) - 1;
            sectors.extend(begin / SECTOR_BYTES..=end / SECTOR_BYTES);
        }
        sectors.sort_unstable();
        sectors.dedup();
        sectors
    }

    /// The slowdown of shared memory by bank conflicts.
    pub fn conflicts(&self) -> f64 {
        let words = u64::from(self.bytes).div_ceil(BANK_BYTES).max(1);
        let at_once = (BANKS as u32 / words as u32).max(1);
        let mut passes = 0;
        for first in (0..self.lanes).step_by(at_once as usize) {
            let mut asked: Vec<u64> = (first..(first + at_once).min(self.lanes))
                .flat_map(|lane| (0..words).map(move |word| self.lane(lane) / BANK_BYTES + word))
                .collect();
            asked.sort_unstable();
            asked.dedup();
            let mut of_bank = [0; BANKS];
            for word in asked {
                of_bank[word as usize % BANKS] += 1;
            }
            passes += of_bank.into_iter().max().unwrap_or(1);
        }
        f64::from(passes) / f64::from(self.lanes.div_ceil(at_once))
    }
}

/// A warp's request at each step of its path; none where unknown, or no access.
pub type Requests = Vec<Option<Request>>;

/// The requests of the warps of `block`, counted with x first.
pub fn of_block(kernel: &Kernel, path: &Path, launch: &Launch, block: u64) -> Vec<Requests> {
    let [x, y, _] = launch.grid.map(u64::from);
    let place = [block % x, block / x % y, block / (x * y)].map(|it| it as u32);
    let warps = launch.threads_per_block().div_ceil(launch.target.threads_per_warp);
    (0..warps).map(|warp| of_warp(kernel, path, launch, place, warp)).collect()
}

fn of_warp(kernel: &Kernel, path: &Path, launch: &Launch, block: [u32; 3], warp: u32) -> Requests {
    let first = warp * launch.target.threads_per_warp;
    let lanes = (launch.threads_per_block() - first).min(launch.target.threads_per_warp);
    let [x, y, _] = launch.block;
    let of_lane = |lane: u32| {
        let number = first + lane.min(lanes - 1);
        let thread = [number % x, number / x % y, number / (x * y)];
        Integers::new(launch, Thread { thread, block })
    };
    let mut known = [0, 1, lanes.div_ceil(2)].map(of_lane);
    let request = |known: &[Integers; 3], instruction: &Instruction| {
        let [begin, next, middle] = [0, 1, 2].map(|which| known[which].address(instruction));
        Some(Request {
            halves: [begin?, middle?],
            stride: next?.wrapping_sub(begin?).cast_signed(),
            bytes: instruction.access_bytes(),
            lanes,
        })
    };
    let mut requests = Vec::with_capacity(path.steps.len());
    for step in &path.steps {
        let instruction = &kernel.code[step.instruction];
        requests.push(request(&known, instruction));
        known.iter_mut().for_each(|it| it.execute(instruction));
    }
    requests
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{flow::Iterations, listings::kernel};
    use stencil_model::target::Architecture;

    fn requests(lines: &str, block: [u32; 3]) -> Vec<Requests> {
        let launch = Launch {
            target: Architecture::parse("sm_90a").unwrap(),
            multiprocessors: 132,
            block,
            grid: [4, 4, 4],
            shared_bytes_dynamic: 0,
            iterations: Iterations::new(),
        };
        let kernel = kernel(lines);
        of_block(&kernel, &Path::of(&kernel, &Iterations::new()), &launch, 21)
    }

    /// The last request before the end, of each warp.
    fn last(lines: &str, block: [u32; 3]) -> Vec<Request> {
        let all = requests(&format!("{lines}\nEXIT"), block);
        all.into_iter().map(|warp| warp[warp.len() - 2].unwrap()).collect()
    }

    const ROW: &str = "S2R R2, SR_TID.X\nS2R R3, SR_TID.Y\nIMAD R2, R3, 0x100, R2
        LDC.64 R4, c[0x0][0x210]\nIMAD.WIDE R4, R2, 0x8, R4\n";

    #[test]
    fn neighbouring_lanes_share_sectors() {
        let aligned = last(&format!("{ROW}LDG.E.64 R6, [R4.64]"), [32, 2, 1]);
        assert_eq!(aligned.iter().map(|it| it.sectors().len()).collect::<Vec<_>>(), [8, 8]);
        assert_ne!(aligned[0].sectors(), aligned[1].sectors());
        let shifted = last(&format!("{ROW}LDG.E.64 R6, [R4.64+0x8]"), [32, 2, 1]);
        assert_eq!(shifted[0].sectors().len(), 9);
        // Two rows of a block that is 16 wide.
        let narrow = last(&format!("{ROW}LDG.E.64 R6, [R4.64]"), [16, 4, 1]);
        let [first, second] = [0, 8].map(|row: u64| narrow[0].sectors()[row as usize / 2]);
        assert_eq!((narrow.len(), second - first), (2, 256 * 8 / SECTOR_BYTES));
    }

    #[test]
    fn lanes_far_apart_meet_in_a_bank() {
        let strided = |by: u32, width: &str| {
            let lines = format!("S2R R2, SR_TID.X\nIMAD R2, R2, {by:#x}, RZ\nLDS{width} R6, [R2]");
            last(&lines, [32, 1, 1])[0].conflicts()
        };
        assert_eq!((strided(4, ""), strided(8, ".64"), strided(16, ".128")), (1.0, 1.0, 1.0));
        assert_eq!((strided(8, ""), strided(128, ""), strided(0, "")), (2.0, 32.0, 1.0));
        assert_eq!((strided(16, ".64"), strided(240, ".64")), (2.0, 2.0));
    }

    /// Dynamic shared memory begins where the assembler computes it.
    #[test]
    fn slots_of_a_thread_side_by_side_meet_in_banks() {
        let slots = |stride: u32| {
            let lines = format!(
                "S2R R2, SR_TID.X\nS2UR UR5, SR_CgaCtaId\nUMOV UR4, 0x400
                 ULEA UR4, UR5, UR4, 0x18\nIMAD R2, R2, {stride:#x}, RZ
                 LDS.64 R6, [R2+UR4+0x18]"
            );
            last(&lines, [32, 1, 1])[0].conflicts()
        };
        assert_eq!((slots(8), slots(256)), (1.0, 16.0));
    }

    #[test]
    fn who_asks_where_nobody_knows_is_not_guessed() {
        let unknown = requests("LDG.E.64 R6, [R4.64]\nEXIT", [64, 1, 1]);
        assert_eq!((unknown.len(), unknown[0][0]), (2, None));
    }
}
