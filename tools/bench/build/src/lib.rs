//! The building side of the benchmarks: packages of kernels x types x plans, in parallel.
//!
//! - [`plans`] says which plans are tried, [`pipelines`] which systems' pipelines there are,
//!   [`systems`] which plans those make; [`candidates`] are those that the compiler predicts to be
//!   fastest.
//! - [`programs`] finds a benchmark's program and how it is read: its size, its type; [`family`]
//!   writes those that are generated.
//! - [`build`](mod@build) compiles, drops plans that gave the same machine code, and writes the
//!   folder that `bench-run` measures; [`cuda`] adds CUDA written by hand.
//! - [`spills`] compiles for the sake of what the assembler reports, and packs nothing.
//! - [`predictions`] says what the predictor chooses among what was measured.
//! - [`paper`] does all of it for the experiments of one paper.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod build;
pub mod candidates;
pub mod cuda;
pub mod family;
pub mod paper;
pub mod pipelines;
pub mod plans;
pub mod predictions;
pub mod programs;
pub mod spills;
pub mod systems;
