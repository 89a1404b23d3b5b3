//! What the assembler said a kernel uses, and how to say it to a person.
//!
//! The numbers come from `ptxas` or from the driver, whichever assembled the kernel; this module
//! only keeps them together, checks them against a target, and puts them into words.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::occupancy::{BlockDemand, Occupancy, occupancy};
use crate::target::Architecture;

/// What one kernel uses, per thread or per block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Resources {
    /// 32-bit registers of a thread.
    pub registers_per_thread: u32,
    /// Bytes a thread writes to local memory because registers ran out.
    pub spill_store_bytes: u32,
    /// Bytes a thread reads back.
    pub spill_load_bytes: u32,
    /// Local memory of a thread for what registers cannot hold at all, as indexed arrays.
    pub stack_bytes: u32,
    /// Shared memory of a block that the kernel declares.
    pub shared_bytes_static: u32,
    /// Shared memory of a block that the launch asks for.
    pub shared_bytes_dynamic: u32,
}

/// Why a kernel cannot be launched on a target.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ResourceError {
    /// More declared shared memory than a kernel may declare.
    #[error(
        "kernel declares {needed} bytes of shared memory, {target} allows {most} declared, \
         ask for the rest at launch"
    )]
    SharedStatic {
        /// Bytes the kernel declares.
        needed: u32,
        /// The target.
        target: &'static str,
        /// What it allows.
        most: u32,
    },
    /// More shared memory, declared and asked for at launch, than a block can have.
    #[error("kernel needs {needed} bytes of shared memory per block, {target} has {most}")]
    Shared {
        /// Bytes per block.
        needed: u64,
        /// The target.
        target: &'static str,
        /// What it has.
        most: u32,
    },
    /// One block alone does not fit.
    #[error(
        "kernel with {registers} registers per thread and {threads} threads per block does not \
         fit a multiprocessor of {target}, use fewer threads or cap the registers"
    )]
    BlockDoesNotFit {
        /// Registers of a thread.
        registers: u32,
        /// Threads of a block.
        threads: u32,
        /// The target.
        target: &'static str,
    },
}

impl Resources {
    /// Shared memory of a block, declared and asked for at launch.
    pub fn shared_bytes(&self) -> u64 {
        u64::from(self.shared_bytes_static) + u64::from(self.shared_bytes_dynamic)
    }

    /// Whether anything of a thread lives in local memory.
    pub fn uses_local_memory(&self) -> bool {
        self.spill_store_bytes + self.spill_load_bytes + self.stack_bytes > 0
    }

    /// Occupancy of blocks of `threads` threads, or why not even one runs.
    pub fn check(&self, target: &Architecture, threads: u32) -> Result<Occupancy, ResourceError> {
        let most = target.shared_bytes_max_per_block_static;
        if self.shared_bytes_static > most {
            let needed = self.shared_bytes_static;
            return Err(ResourceError::SharedStatic { needed, target: target.name, most });
        }
        let most = target.shared_bytes_max_per_block;
        let needed = self.shared_bytes();
        let Some(shared_bytes) = u32::try_from(needed).ok().filter(|bytes| *bytes <= most) else {
            return Err(ResourceError::Shared { needed, target: target.name, most });
        };
        let registers = self.registers_per_thread;
        let block = BlockDemand { threads, registers_per_thread: registers, shared_bytes };
        let resident = occupancy(target, block);
        if resident.blocks == 0 {
            return Err(ResourceError::BlockDoesNotFit { registers, threads, target: target.name });
        }
        Ok(resident)
    }

    /// One line for a report: `40 registers, no spills, 2048 bytes of shared memory`.
    pub fn describe(&self) -> String {
        let mut parts = vec![format!("{} registers", self.registers_per_thread)];
        if self.spill_store_bytes + self.spill_load_bytes == 0 {
            parts.push("no spills".to_owned());
        } else {
            parts.push(format!(
                "spills {} bytes stored, {} bytes loaded",
                self.spill_store_bytes, self.spill_load_bytes
            ));
        }
        if self.stack_bytes > 0 {
            parts.push(format!("{} bytes of stack", self.stack_bytes));
        }
        match self.shared_bytes() {
            0 => parts.push("no shared memory".to_owned()),
            bytes => parts.push(format!("{bytes} bytes of shared memory")),
        }
        parts.join(", ")
    }
}

/// One line for a report: `48 of 64 warps per multiprocessor (12 blocks, limited by registers)`.
pub fn describe_occupancy(resident: Occupancy, target: &Architecture) -> String {
    format!(
        "{} of {} warps per multiprocessor ({} block{}, limited by {})",
        resident.warps,
        target.warps_max_per_sm,
        resident.blocks,
        if resident.blocks == 1 { "" } else { "s" },
        resident.limiter
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Resources = Resources {
        registers_per_thread: 40,
        spill_store_bytes: 0,
        spill_load_bytes: 0,
        stack_bytes: 0,
        shared_bytes_static: 0,
        shared_bytes_dynamic: 0,
    };

    fn sm_90a() -> &'static Architecture {
        Architecture::parse("sm_90a").unwrap()
    }

    #[test]
    fn a_kernel_is_described_in_a_line() {
        assert_eq!(PLAIN.describe(), "40 registers, no spills, no shared memory");
        let heavy = Resources {
            registers_per_thread: 255,
            spill_store_bytes: 72,
            spill_load_bytes: 80,
            stack_bytes: 16,
            shared_bytes_static: 1024,
            shared_bytes_dynamic: 1024,
        };
        assert_eq!(
            heavy.describe(),
            "255 registers, spills 72 bytes stored, 80 bytes loaded, 16 bytes of stack, \
             2048 bytes of shared memory"
        );
        assert!(heavy.uses_local_memory() && !PLAIN.uses_local_memory());
    }

    #[test]
    fn occupancy_is_described_in_a_line() {
        let resident = PLAIN.check(sm_90a(), 128).unwrap();
        assert_eq!(
            describe_occupancy(resident, sm_90a()),
            "48 of 64 warps per multiprocessor (12 blocks, limited by registers)"
        );
        let alone = Resources { registers_per_thread: 64, ..PLAIN }.check(sm_90a(), 1024).unwrap();
        assert_eq!(
            describe_occupancy(alone, sm_90a()),
            "32 of 64 warps per multiprocessor (1 block, limited by registers)"
        );
    }

    #[test]
    fn shared_memory_is_limited_where_it_is_declared_and_in_sum() {
        let most = sm_90a().shared_bytes_max_per_block_static;
        let declared = |bytes| Resources { shared_bytes_static: bytes, ..PLAIN };
        assert!(declared(most).check(sm_90a(), 128).is_ok());
        assert_eq!(
            declared(most + 1).check(sm_90a(), 128).unwrap_err().to_string(),
            "kernel declares 49153 bytes of shared memory, sm_90a allows 49152 declared, \
             ask for the rest at launch"
        );
        let most = sm_90a().shared_bytes_max_per_block;
        let asked = |bytes| Resources { shared_bytes_dynamic: bytes, ..declared(8) };
        assert!(asked(most - 8).check(sm_90a(), 128).is_ok());
        assert_eq!(
            asked(most - 7).check(sm_90a(), 128).unwrap_err().to_string(),
            "kernel needs 232449 bytes of shared memory per block, sm_90a has 232448"
        );
        assert_eq!(
            asked(u32::MAX).check(sm_90a(), 128).unwrap_err().to_string(),
            "kernel needs 4294967303 bytes of shared memory per block, sm_90a has 232448"
        );
    }

    #[test]
    fn a_block_too_large_for_its_registers_is_refused() {
        let kernel = Resources { registers_per_thread: 65, ..PLAIN };
        assert_eq!(
            kernel.check(sm_90a(), 1024).unwrap_err().to_string(),
            "kernel with 65 registers per thread and 1024 threads per block does not fit a \
             multiprocessor of sm_90a, use fewer threads or cap the registers"
        );
    }
}
