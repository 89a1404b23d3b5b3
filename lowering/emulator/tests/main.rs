//! The emulator on kernels in LLVM IR.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]

// malloc of the whole process, as the tools have it.
use mimalloc as _;

mod arithmetic;
mod async_copies;
mod harness;
mod lowered;
mod memory_safety;
mod programs;
mod races;
mod races_cost;
mod races_random;
mod synchronization;
