//! How a program is compiled, and for which machine.

use super::code_cache::CodeCache;

/// Limits of the target GPU, provided by the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// Threads of a warp; at most 32, because masks of lanes have 32 bits.
    pub warp_lanes: u32,
    /// Threads that a block may have.
    pub threads_max_per_block: u32,
    /// Bytes of shared memory that a block may have, static and dynamic together.
    pub shared_bytes_max_per_block: u32,
}

/// How to compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileOptions {
    /// The target machine.
    pub machine: Machine,
    /// Checks every access and counts it. Unchecked kernels are faster, and a wrong one may crash
    /// the process.
    pub checked: bool,
    /// Perturbs the results of approximate operations (`rcp.approx`, `rsqrt.approx`) by up to about
    /// 2^-23 of the value, in f64 2^-20, differently for each seed; `None` rounds them correctly.
    pub approximation_seed: Option<u64>,
    /// Machine code of earlier compilations.
    pub code_cache: Option<CodeCache>,
}

impl CompileOptions {
    /// Checked, without perturbation.
    pub fn new(machine: Machine) -> CompileOptions {
        CompileOptions { machine, checked: true, approximation_seed: None, code_cache: None }
    }
}
