//! Runs the final LLVM IR of GPU kernels on the CPU: the IR that NVPTX turns into PTX, with
//! bit-identical results, and errors with kernel, block and thread for faults that a GPU does not
//! report.
//!
//! - [`Program::compile`] takes LLVM's text form: kernels are `ptx_kernel`, special registers,
//!   barriers, shuffles and votes are `llvm.nvvm` intrinsics, shared memory is address space 3.
//! - [`Memory`] holds device buffers; [`Program::launch`] runs a kernel on them.
//! - Checked programs ([`CompileOptions::checked`]) fault on accesses outside the buffer, shared
//!   variable, constant or local variable that a pointer belongs to, on misaligned ones, on
//!   divisions that trap, on uses of out-of-range conversions and of too wide shifts, on barriers
//!   that not all threads reach, on warp operations with lanes that do not take part, on accesses
//!   that race ([`Races`]), and on reads of uninitialised shared memory; and they count
//!   accesses.
//!
//! Arithmetic: f32 and f64 are the host's (IEEE, no contraction, no flushing); f16 and bf16 round
//! once per operation, fma included; `maxnum`/`minnum` ignore a NaN, `maximum`/`minimum`
//! propagate it, and for both +0 is above -0; fast-math flags are refused. NaN payloads are
//! unspecified. Elementary functions (`__nv_exp` ...) and NVVM's `*.approx` are approximate, and
//! differ from a GPU's. In unchecked programs out-of-range conversions saturate and shift amounts
//! are clamped, as in PTX for 32 bits.
//!
//! Not here: MLIR, the reference interpreter (the two are compared, so they share no code),
//! clusters, bulk and tensor copies, textures, printing.
//!
//! `unsafe` is inherent: the crate runs generated machine code and calls LLVM's C API. Each block
//! has its justification.

#![allow(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod compile;
mod error;
mod execute;
mod memory;
mod program;
mod races;

pub use compile::code_cache::CodeCache;
pub use compile::kernel_code::ParameterKind;
pub use compile::options::{CompileOptions, Machine};
pub use error::{Access, EmulatorError, Fault, KernelError, Place};
pub use execute::context::AccessCount;
pub use memory::{BufferId, Memory, POISON_WORD};
pub use program::{Argument, Counters, KernelInfo, Launch, LaunchOptions, Program, Races};
pub use races::report::{Race, RacingAccess, Remedy};
