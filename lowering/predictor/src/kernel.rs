//! A kernel with all inputs of the models, and its launch.

use stencil_model::{
    resources::{ResourceError, Resources},
    target::Architecture,
};
use thiserror::Error;

use crate::{
    disassembly::Listing,
    flow::{Flow, Iterations},
    instruction::Instruction,
    machine_code::{self, INSTRUCTION_BYTES, MachineCodeError},
};

/// Why a kernel cannot be read.
#[derive(Debug, Error)]
pub enum KernelError {
    /// The machine code cannot be read.
    #[error(transparent)]
    MachineCode(#[from] MachineCodeError),
    /// Machine code and listing of different files.
    #[error(
        "kernel '{kernel}' has {code} instructions in the machine code and {listed} in the \
         disassembly, disassemble this machine code"
    )]
    NotTheSame {
        /// The kernel.
        kernel: String,
        /// Instructions of the section.
        code: usize,
        /// Instructions listed.
        listed: usize,
    },
}

/// A kernel read from machine code.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Its instructions.
    pub code: Vec<Instruction>,
    /// Blocks and loops.
    pub flow: Flow,
    /// 32-bit registers of a thread.
    pub registers_per_thread: u32,
    /// Shared memory of a block that the kernel declares.
    pub shared_bytes_static: u32,
    /// Local memory of a thread.
    pub local_bytes_per_thread: u32,
}

impl Kernel {
    /// All kernels of a cubin, with the instructions of its disassembly.
    ///
    /// # Errors
    /// If the machine code cannot be read, or the listing is of another file.
    pub fn read(cubin: &[u8], listing: &Listing) -> Result<Vec<Self>, KernelError> {
        let kernels = machine_code::kernels(cubin)?;
        kernels
            .into_iter()
            .map(|kernel| {
                let count = kernel.code.len() / INSTRUCTION_BYTES;
                let listed = listing.get(&kernel.name).map_or(0, Vec::len);
                if listed != count {
                    let kernel = kernel.name;
                    return Err(KernelError::NotTheSame { kernel, code: count, listed });
                }
                let code = listing[&kernel.name].clone();
                Ok(Self {
                    name: kernel.name,
                    flow: Flow::of(&code),
                    code,
                    registers_per_thread: kernel.registers_per_thread,
                    shared_bytes_static: kernel.shared_bytes_static,
                    local_bytes_per_thread: kernel.local_bytes_per_thread,
                })
            })
            .collect()
    }
}

/// A launch.
#[derive(Debug, Clone, PartialEq)]
pub struct Launch {
    /// The architecture.
    pub target: &'static Architecture,
    /// Multiprocessors of the chip.
    pub multiprocessors: u32,
    /// Threads of a block along each axis, x first.
    pub block: [u32; 3],
    /// Blocks of the grid along each axis, x first.
    pub grid: [u32; 3],
    /// Shared memory of a block that the launch asks for.
    pub shared_bytes_dynamic: u32,
    /// Trip counts that the caller knows.
    pub iterations: Iterations,
}

/// Residence of a kernel on a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Residence {
    /// Blocks.
    pub blocks: u32,
    /// Warps of one block.
    pub warps_per_block: u32,
    /// Shared memory of one block, declared and asked for.
    pub shared_bytes_per_block: u32,
}

impl Residence {
    /// Warps of all blocks.
    pub fn warps(&self) -> u32 {
        self.blocks * self.warps_per_block
    }
}

impl Launch {
    /// Threads of a block.
    pub fn threads_per_block(&self) -> u32 {
        self.block.iter().product()
    }

    /// Blocks of the grid.
    pub fn blocks(&self) -> u64 {
        self.grid.iter().map(|&extent| u64::from(extent)).product()
    }

    /// The middle block of the grid, x first.
    pub fn middle(&self) -> u64 {
        let [x, y, z] = self.grid.map(u64::from);
        (z / 2 * y + y / 2) * x + x / 2
    }

    /// The residence of a kernel.
    ///
    /// # Errors
    ///
    /// If not even one block fits.
    pub fn residence(&self, kernel: &Kernel) -> Result<Residence, ResourceError> {
        let resources = Resources {
            registers_per_thread: kernel.registers_per_thread,
            shared_bytes_static: kernel.shared_bytes_static,
            shared_bytes_dynamic: self.shared_bytes_dynamic,
            ..Resources::default()
        };
        let resident = resources.check(self.target, self.threads_per_block())?;
        Ok(Residence {
            blocks: resident.blocks,
            warps_per_block: resident.warps / resident.blocks,
            shared_bytes_per_block: kernel.shared_bytes_static + self.shared_bytes_dynamic,
        })
    }

    /// The number of concurrent blocks on a multiprocessor: a small grid does not fill the chip.
    pub fn blocks_at_once(&self, resident_blocks: u32) -> u32 {
        let share = self.blocks().div_ceil(u64::from(self.multiprocessors.max(1)));
        u32::try_from(share).unwrap_or(u32::MAX).clamp(1, resident_blocks)
    }
}
