//! Predicts the run time of kernels from machine code.
//!
//! [`machine_code`] reads a cubin, [`disassembly`] its instructions, [`flow`] builds the
//! control-flow graph. There are two models. [`stalls`] is that of Sakdhnagool et al. (Regdem:
//! Increasing GPU Performance via Shared Memory Register Spilling, 2019). Ours [`simulate`]s the
//! warps of a multiprocessor along a [`path`], within the lower [`bounds`]. [`mod@predict`] is the
//! entry point.
//!
//! The crate only predicts: the caller decides which of several variants is used. Numbers of the
//! machine come from `stencil-model` (limits) and from [`coefficients`] (measured).
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod bounds;
pub mod coefficients;
pub mod disassembly;
pub mod evaluation;
pub mod fit;
pub mod flow;
pub mod instruction;
pub mod integers;
pub mod kernel;
pub mod machine_code;
pub mod path;
pub mod predict;
pub mod requests;
pub mod simulate;
pub mod stalls;
pub mod traffic;
pub mod unit;

#[cfg(test)]
mod listings;

pub use kernel::{Kernel, Launch};
pub use predict::{Model, Prediction, Variant, Work, choose, predict};
pub use traffic::Traffic;
