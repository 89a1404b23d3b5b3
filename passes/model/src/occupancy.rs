//! Blocks and warps that are resident on a multiprocessor at once, in exact integers.
//!
//! Registers go to warps in units, within the part of the register file that belongs to the
//! scheduler a warp runs on; shared memory goes to blocks in units, plus what the system reserves.
//! The rules are those of NVIDIA's `cuda_occupancy.h` (toolkit 13.0), for the carve-out that gives
//! shared memory all it can have. The values in the tests are what that header computes.
//!
//! The same function serves the decision before code exists and the report after it.

use std::fmt;

use crate::target::Architecture;

/// What one block of a kernel asks of a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockDemand {
    /// Threads of the block, over all axes.
    pub threads: u32,
    /// 32-bit registers of one thread; 0 where they are not known: then they limit nothing.
    pub registers_per_thread: u32,
    /// Static and dynamic shared memory, without what the system reserves.
    pub shared_bytes: u32,
}

/// What is resident at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    /// Blocks per multiprocessor; 0: one block alone does not fit.
    pub blocks: u32,
    /// Warps per multiprocessor.
    pub warps: u32,
    /// What keeps one more block out. Of several the first in the order of [`Limiter`].
    pub limiter: Limiter,
}

/// What keeps one more block out of a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limiter {
    /// All warp slots are taken, or the block itself has too many threads.
    Warps,
    /// The register file.
    Registers,
    /// Shared memory.
    SharedMemory,
    /// All block slots are taken: blocks are too small.
    Blocks,
}

impl fmt::Display for Limiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Warps => "warps",
            Self::Registers => "registers",
            Self::SharedMemory => "shared memory",
            Self::Blocks => "blocks",
        })
    }
}

/// What the fullest partition of a multiprocessor gives to one block: warps go to the partitions in
/// turn, and none takes registers of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartitionDemand {
    /// Warps of the block that run there.
    pub warps: u32,
    /// Registers that they take, rounded up to the units in which warps get them.
    pub registers: u32,
    /// Registers of the partition.
    pub registers_available: u32,
}

impl PartitionDemand {
    /// What a block of so many threads asks for, each of which has so many registers.
    pub fn of(target: &Architecture, threads: u32, registers_per_thread: u32) -> Self {
        let warps = warps_per_partition(target, threads);
        let registers_per_warp = registers_per_thread
            .saturating_mul(target.threads_per_warp)
            .checked_next_multiple_of(target.registers_allocation_unit_per_warp)
            .unwrap_or(u32::MAX);
        Self {
            warps,
            registers: registers_per_warp.saturating_mul(warps),
            registers_available: registers_per_partition(target),
        }
    }

    /// Whether the block can be launched, as far as registers go.
    pub fn fits(&self) -> bool {
        self.registers <= self.registers_available
    }
}

/// The most registers of a thread with which a block of so many threads can be launched; 0 if there
/// are too many threads for any.
pub fn registers_max_to_launch(target: &Architecture, threads: u32) -> u32 {
    let per_warp = registers_per_partition(target) / warps_per_partition(target, threads).max(1);
    let in_units = per_warp - per_warp % target.registers_allocation_unit_per_warp;
    (in_units / target.threads_per_warp).min(target.registers_max_per_thread)
}

/// The most registers of a thread with which more blocks are resident than with those that the
/// block takes; none from `least` on, as where another limit lowers occupancy.
pub fn registers_of_next_step(
    target: &Architecture,
    block: BlockDemand,
    least: u32,
) -> Option<u32> {
    let blocks = |registers_per_thread| {
        occupancy(target, BlockDemand { registers_per_thread, ..block }).blocks
    };
    let now = blocks(block.registers_per_thread);
    (least..block.registers_per_thread).rev().find(|registers| blocks(*registers) > now)
}

/// Warps of a block on the partition that gets the most of them.
fn warps_per_partition(target: &Architecture, threads: u32) -> u32 {
    threads.div_ceil(target.threads_per_warp).div_ceil(target.partitions_per_sm)
}

/// What a block may have of a partition; a block that may not have all registers of a
/// multiprocessor has as little of each.
fn registers_per_partition(target: &Architecture) -> u32 {
    target.registers_max_per_block.min(target.registers_per_sm) / target.partitions_per_sm
}

/// Blocks and warps resident on one multiprocessor of `target`, and what limits them.
///
/// # Panics
/// If the block has no thread.
pub fn occupancy(target: &Architecture, block: BlockDemand) -> Occupancy {
    assert!(block.threads > 0, "a block has at least one thread");
    let warps_per_block = block.threads.div_ceil(target.threads_per_warp);
    let limits = [
        (by_warps(target, block, warps_per_block), Limiter::Warps),
        (by_registers(target, block, warps_per_block), Limiter::Registers),
        (by_shared_memory(target, block), Limiter::SharedMemory),
        (target.blocks_max_per_sm, Limiter::Blocks),
    ];
    // `min_by_key` keeps the first of equals: the order above is the documented one.
    let (blocks, limiter) =
        limits.into_iter().min_by_key(|(blocks, _)| *blocks).expect("there are four limits");
    Occupancy { blocks, warps: blocks * warps_per_block, limiter }
}

fn by_warps(target: &Architecture, block: BlockDemand, warps_per_block: u32) -> u32 {
    if block.threads > target.threads_max_per_block {
        return 0;
    }
    target.warps_max_per_sm / warps_per_block
}

fn by_registers(target: &Architecture, block: BlockDemand, warps_per_block: u32) -> u32 {
    if block.registers_per_thread == 0 {
        return u32::MAX;
    }
    if block.registers_per_thread > target.registers_max_per_thread {
        return 0;
    }
    if !PartitionDemand::of(target, block.threads, block.registers_per_thread).fits() {
        return 0;
    }
    let registers_per_warp = (block.registers_per_thread * target.threads_per_warp)
        .next_multiple_of(target.registers_allocation_unit_per_warp);
    let registers_per_partition = target.registers_per_sm / target.partitions_per_sm;
    let warps_per_partition = registers_per_partition / registers_per_warp;
    warps_per_partition * target.partitions_per_sm / warps_per_block
}

fn by_shared_memory(target: &Architecture, block: BlockDemand) -> u32 {
    if block.shared_bytes > target.shared_bytes_max_per_block {
        return 0;
    }
    let taken = (block.shared_bytes + target.shared_bytes_reserved_per_block)
        .next_multiple_of(target.shared_bytes_allocation_unit);
    target.shared_bytes_per_sm / taken
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resident(name: &str, registers: u32, threads: u32, shared_bytes: u32) -> Occupancy {
        let target = Architecture::parse(name).unwrap();
        occupancy(target, BlockDemand { threads, registers_per_thread: registers, shared_bytes })
    }

    /// Target, registers, threads, shared bytes; then blocks, as `cuda_occupancy.h` computes.
    const KNOWN: &[(&str, u32, u32, u32, u32)] = &[
        ("sm_80", 32, 32, 101376, 1),
        ("sm_80", 32, 96, 49152, 3),
        ("sm_80", 33, 33, 166913, 0),
        ("sm_80", 65, 96, 49152, 3),
        ("sm_80", 65, 128, 100000, 1),
        ("sm_89", 16, 33, 100000, 1),
        ("sm_89", 40, 32, 16384, 5),
        ("sm_89", 40, 33, 16384, 5),
        ("sm_89", 40, 64, 49152, 2),
        ("sm_89", 40, 256, 166912, 0),
        ("sm_89", 128, 160, 49152, 2),
        ("sm_90", 16, 33, 166912, 1),
        ("sm_90", 32, 64, 65536, 3),
        ("sm_90", 32, 128, 232448, 1),
        ("sm_90", 33, 1024, 100000, 1),
        ("sm_90", 168, 512, 166912, 0),
        ("sm_100", 16, 256, 0, 8),
        ("sm_100", 32, 1024, 101377, 2),
        ("sm_100", 33, 128, 101376, 2),
        ("sm_100", 128, 33, 1, 8),
        ("sm_100", 128, 160, 166912, 1),
        ("sm_100", 128, 256, 100000, 2),
        ("sm_100", 168, 32, 101377, 2),
        ("sm_100", 255, 1024, 49152, 0),
    ];

    #[test]
    fn blocks_are_those_of_nvidias_own_calculation() {
        for &(name, registers, threads, shared_bytes, blocks) in KNOWN {
            let found = resident(name, registers, threads, shared_bytes);
            assert_eq!(found.blocks, blocks, "{name} {registers} {threads} {shared_bytes}");
            assert_eq!(found.warps, blocks * threads.div_ceil(32));
        }
    }

    #[test]
    fn a_step_of_occupancy_takes_as_few_registers_as_it_must() {
        let step = |registers_per_thread, threads, shared_bytes| {
            let block = BlockDemand { threads, registers_per_thread, shared_bytes };
            registers_of_next_step(Architecture::parse("sm_90a").unwrap(), block, 32)
        };
        assert_eq!((step(255, 256, 0), step(128, 256, 0)), (Some(128), Some(80)));
        assert_eq!((step(80, 256, 0), step(64, 256, 0)), (Some(64), Some(48)));
        assert_eq!((step(40, 256, 0), step(32, 256, 0)), (Some(32), None));
        // Two blocks have all shared memory, whatever they leave of the registers.
        assert_eq!((step(255, 256, 100_000), step(128, 256, 100_000)), (Some(128), None));
    }

    #[test]
    fn the_limiter_is_named() {
        let limiter =
            |registers, threads, shared| resident("sm_90a", registers, threads, shared).limiter;
        assert_eq!(limiter(32, 256, 0), Limiter::Warps);
        assert_eq!(limiter(64, 256, 0), Limiter::Registers);
        assert_eq!(limiter(32, 256, 100_000), Limiter::SharedMemory);
        assert_eq!(limiter(16, 32, 0), Limiter::Blocks);
    }

    #[test]
    fn limits_hold_on_both_sides() {
        assert_eq!(resident("sm_90a", 64, 1024, 0).blocks, 1);
        assert_eq!(resident("sm_90a", 65, 1024, 0).blocks, 0);
        assert_eq!(resident("sm_90a", 32, 32, 227 * 1024).blocks, 1);
        assert_eq!(resident("sm_90a", 32, 32, 227 * 1024 + 1).blocks, 0);
        assert_eq!(resident("sm_90a", 255, 256, 0).blocks, 1);
        assert_eq!(resident("sm_90a", 256, 256, 0).blocks, 0);
        assert_eq!(resident("sm_90a", 16, 1024, 0).blocks, 2);
        assert_eq!(resident("sm_90a", 16, 1025, 0).blocks, 0);
    }

    /// Ten warps: three on two of the partitions, each of which has 16384 registers.
    #[test]
    fn a_partition_has_room_for_its_own_warps_only() {
        let target = Architecture::parse("sm_90a").unwrap();
        let demand = |threads, registers| PartitionDemand::of(target, threads, registers);
        let ten = demand(320, 200);
        assert_eq!((ten.warps, ten.registers, ten.registers_available), (3, 19_200, 16_384));
        // All registers of the multiprocessor would do, were they one file.
        assert!(!ten.fits() && 320 * 200 < target.registers_per_sm);
        assert_eq!(resident("sm_90a", 200, 320, 0).blocks, 0);
        assert_eq!(resident("sm_90a", 200, 256, 0).blocks, 1);
        // 161 registers take as many units as 168.
        assert_eq!(demand(320, 161).registers, demand(320, 168).registers);
        assert_eq!((demand(320, 168).registers, demand(320, 169).registers), (16_128, 16_896));
    }

    #[test]
    fn the_most_registers_are_those_that_fit_and_one_more_does_not() {
        for name in ["sm_80", "sm_90a", "sm_100"] {
            let target = Architecture::parse(name).unwrap();
            for warps in 1..=32 {
                let most = registers_max_to_launch(target, warps * 32);
                let fits = |registers| resident(name, registers, warps * 32, 0).blocks > 0;
                assert!(fits(most) && !fits(most + 1), "{name}, {warps} warps, {most} registers");
            }
        }
        let target = Architecture::parse("sm_90a").unwrap();
        let most = [256, 288, 320, 384, 416, 512, 1024].map(|t| registers_max_to_launch(target, t));
        assert_eq!(most, [255, 168, 168, 168, 128, 128, 64]);
        assert_eq!(registers_max_to_launch(target, u32::MAX), 0);
    }

    #[test]
    fn unknown_registers_limit_nothing() {
        assert_eq!(resident("sm_80", 0, 1024, 0), resident("sm_80", 32, 1024, 0));
    }

    #[test]
    fn numbers_at_the_end_of_their_range_do_not_overflow() {
        assert_eq!(resident("sm_80", u32::MAX, u32::MAX, u32::MAX).blocks, 0);
        assert_eq!(resident("sm_80", 255, u32::MAX, 0).blocks, 0);
    }

    #[test]
    #[should_panic(expected = "at least one thread")]
    fn a_block_without_threads_is_a_bug_of_the_caller() {
        resident("sm_80", 32, 0, 0);
    }
}
