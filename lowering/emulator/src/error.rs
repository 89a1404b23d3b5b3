//! Errors and their messages.

use crate::memory::BufferId;
use crate::races::report::{Race, RacingAccess};
use std::fmt;
use thiserror::Error;

/// Why a module was not compiled or a launch did not finish.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EmulatorError {
    /// The text is not LLVM IR, or the IR breaks a rule of LLVM.
    #[error("LLVM IR is not valid: {message}")]
    InvalidIr {
        /// LLVM's message.
        message: String,
    },
    /// A kernel calls an unknown function.
    #[error("kernel '{kernel}': call of unknown function '{function}'")]
    UnknownFunction {
        /// The kernel, or the device function that holds the call.
        kernel: String,
        /// The called function or intrinsic.
        function: String,
    },
    /// The IR is valid but not supported.
    #[error("kernel '{kernel}': {what}")]
    Unsupported {
        /// The kernel, or the name of what is not supported.
        kernel: String,
        /// What it is, and what to use instead.
        what: String,
    },
    /// The host's code generator or linker failed.
    #[error("host code generation failed: {message}")]
    HostCode {
        /// The step and LLVM's message.
        message: String,
    },
    /// A launch names a kernel that the program does not have.
    #[error("kernel '{kernel}': not in this program, which has {known}")]
    UnknownKernel {
        /// The requested name.
        kernel: String,
        /// The kernels of the program.
        known: String,
    },
    /// A launch does not fit the kernel or the machine.
    #[error("kernel '{kernel}': {what}")]
    Launch {
        /// The kernel.
        kernel: String,
        /// What does not fit, with both numbers.
        what: String,
    },
    /// An invalid use of device memory by the host.
    #[error("device memory: {what}")]
    Memory {
        /// What went wrong.
        what: String,
    },
    /// A fault of a thread.
    #[error("{0}")]
    Kernel(Box<KernelError>),
}

/// A fault of one thread.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "kernel '{kernel}', block ({}, {}, {}), thread ({}, {}, {}): {fault}",
    block[0], block[1], block[2], thread[0], thread[1], thread[2]
)]
pub struct KernelError {
    /// The kernel.
    pub kernel: String,
    /// The block's index in the grid.
    pub block: [u32; 3],
    /// The thread's index in the block.
    pub thread: [u32; 3],
    /// The fault.
    pub fault: Fault,
}

/// The kinds of faults.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// An access outside the object that its pointer belongs to.
    OutOfBounds {
        /// What kind of access.
        access: Access,
        /// Bytes accessed.
        bytes: u64,
        /// The address, relative to the nearest object.
        place: Place,
    },
    /// An access whose address is not a multiple of the alignment that it states.
    Misaligned {
        /// What kind of access.
        access: Access,
        /// Bytes accessed.
        bytes: u64,
        /// The alignment in bytes.
        alignment: u32,
        /// The address, relative to the nearest object.
        place: Place,
    },
    /// The kernel reached a trap, an abort or a failed assertion.
    Trap {
        /// The called function.
        function: String,
    },
    /// An integer division by zero, or one whose result does not fit.
    Division,
    /// A result is used of a float-to-integer conversion out of range, or of a shift by the width
    /// of the type or more.
    UndefinedNumber,
    /// Threads of a block do not all reach a barrier.
    BarrierDivergence {
        /// The barrier that the faulting thread waits at.
        barrier: u32,
        /// A thread that does not arrive.
        other: [u32; 3],
        /// The state of that thread.
        state: String,
    },
    /// A data race with another access of the launch.
    Race(Box<Race>),
    /// A read of uninitialised shared memory.
    Unwritten {
        /// The read.
        read: Box<RacingAccess>,
        /// The first uninitialised byte.
        place: Place,
    },
    /// A warp operation names or reads an inactive lane.
    InactiveLane {
        /// The operation, as PTX names it.
        operation: &'static str,
        /// The lane.
        lane: u32,
        /// The state of that lane.
        state: String,
    },
}

/// Kinds of memory access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// A load.
    Load,
    /// A store.
    Store,
    /// An atomic operation.
    Atomic,
    /// The source of a block copy.
    CopySource,
    /// The destination of a block copy or fill.
    CopyTarget,
}

/// The location of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In or near a device buffer.
    Buffer {
        /// The buffer.
        buffer: BufferId,
        /// The kernel parameter that the pointer came from, where that is known.
        parameter: Option<u32>,
        /// Byte offset from the buffer's start; negative before it.
        offset: i64,
        /// The buffer's size.
        size: u64,
    },
    /// In or near a shared variable, or the block's shared memory as a whole.
    Shared {
        /// The variable's name, empty for shared memory as a whole.
        variable: String,
        /// Byte offset from its start.
        offset: i64,
        /// Its size.
        size: u64,
    },
    /// In or near a variable of the thread.
    Local {
        /// Byte offset from its start.
        offset: i64,
        /// Its size.
        size: u64,
    },
    /// In or near a constant of the module.
    Constant {
        /// The constant's name.
        name: String,
        /// Byte offset from its start.
        offset: i64,
        /// Its size.
        size: u64,
    },
    /// Far from any buffer, or no buffer exists.
    Nowhere {
        /// The address.
        address: u64,
    },
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Access::Load => "load",
            Access::Store => "store",
            Access::Atomic => "atomic operation",
            Access::CopySource => "copy from memory",
            Access::CopyTarget => "copy or fill to memory",
        })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Buffer { buffer, parameter, offset, size } => {
                write!(f, "byte {offset} of buffer {} ({size} bytes", buffer.index())?;
                match parameter {
                    Some(parameter) => write!(f, ", parameter {parameter})"),
                    None => f.write_str(")"),
                }
            }
            Place::Shared { variable, offset, size } if variable.is_empty() => {
                write!(f, "byte {offset} of shared memory ({size} bytes)")
            }
            Place::Shared { variable, offset, size } => {
                write!(f, "byte {offset} of shared variable '{variable}' ({size} bytes)")
            }
            Place::Local { offset, size } => {
                write!(f, "byte {offset} of a local variable ({size} bytes)")
            }
            Place::Constant { name, offset, size } => {
                write!(f, "byte {offset} of constant '{name}' ({size} bytes)")
            }
            Place::Nowhere { address } => write!(f, "address {address:#x}, far from any buffer"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::OutOfBounds { access, bytes, place } => {
                write!(f, "{access} of {bytes} bytes at {place} is out of bounds")
            }
            Fault::Misaligned { access, bytes, alignment, place } => write!(
                f,
                "{access} of {bytes} bytes at {place} is misaligned: it states an alignment of \
                 {alignment} bytes"
            ),
            Fault::Trap { function } => {
                write!(f, "a checked operation failed: the kernel called '{function}'")
            }
            Fault::Division => {
                f.write_str("integer division by zero, or with a result that does not fit")
            }
            Fault::UndefinedNumber => f.write_str(
                "the result of an out-of-range conversion or of a too wide shift is used",
            ),
            Fault::BarrierDivergence { barrier, other: [x, y, z], state } => write!(
                f,
                "barrier divergence: it waits at barrier {barrier}, but thread ({x}, {y}, {z}) \
                 {state}"
            ),
            Fault::Race(race) => race.fmt(f),
            Fault::Unwritten { read, place } => {
                write!(f, "{read} reads {place}, which no thread of the block has written")
            }
            Fault::InactiveLane { operation, lane, state } => {
                write!(f, "'{operation}' needs lane {lane}, which {state}")
            }
        }
    }
}
