//! Metadata of a compiled kernel.

use crate::error::Access;
use std::collections::HashMap;

/// How a kernel parameter is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// A pointer to global memory.
    Pointer,
    /// A value of that many bytes.
    Scalar {
        /// The size of the value.
        bytes: u32,
    },
}

/// A variable in shared memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SharedVariable {
    pub(crate) name: String,
    /// Bytes from the start of shared memory.
    pub(crate) offset: u64,
    /// Its size; `None` for dynamic shared memory, whose size a launch gives.
    pub(crate) bytes: Option<u64>,
}

/// The object that a pointer is based on, as far as the IR shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Object {
    /// The buffer that this parameter points to.
    Parameter(u32),
    /// The shared variable of that index.
    Shared(u32),
    /// A constant of the module.
    Constant { name: String, bytes: u64 },
    /// A variable of the thread.
    Local { bytes: u64 },
    /// Any buffer, shared memory, or the thread's stack.
    Unknown,
}

/// What a checked operation does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Operation {
    Access {
        access: Access,
        bytes: u64,
        alignment: u32,
        object: Object,
    },
    Trap {
        function: String,
    },
    Division,
    /// A use of an undefined number.
    Undefined,
}

/// A checked operation of a kernel; compiled code names it by its index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Site {
    pub(crate) operation: Operation,
}

/// A compiled kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KernelCode {
    pub(crate) name: String,
    /// The symbol of its entry point, `i32 (ThreadContext *)`; with the suffix `_row`, of the entry
    /// point for a row of threads.
    pub(crate) symbol: String,
    pub(crate) parameters: Vec<ParameterKind>,
    pub(crate) sites: Vec<Site>,
    /// The instructions of accesses that may race, by their sites.
    pub(crate) instructions: HashMap<u32, String>,
    /// A power of two that divides the sizes and alignments of all accesses that may race; 0 if
    /// there are none.
    pub(crate) watched_bytes: u64,
    pub(crate) variables: Vec<SharedVariable>,
    /// Bytes of the static shared variables, padding included; dynamic memory starts there.
    pub(crate) static_shared_bytes: u64,
    /// Bytes of stack that a thread takes at most: its own variables, and values of its code.
    pub(crate) stack_bytes: u64,
    /// True where threads wait for each other, so that each needs a stack of its own.
    pub(crate) suspends: bool,
}
