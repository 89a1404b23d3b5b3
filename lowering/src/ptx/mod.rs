//! PTX from kernels in the LLVM dialect: translation to LLVM IR, NVPTX, and the assembler.
// Translation and code generation are C APIs of MLIR and LLVM.
#![allow(unsafe_code)]

mod codegen;
pub mod fatal;
pub mod libdevice;
mod prefetch;
pub mod ptxas;
mod read_only;
pub mod spills;
mod translate;

pub use codegen::{Emitted, Options, PtxError, emit, llvm_ir, llvm_version};
