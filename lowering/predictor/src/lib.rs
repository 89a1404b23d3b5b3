//! Says from machine code how long a kernel takes.
//!
//! [`machine_code`] reads a cubin, [`disassembly`] its instructions, [`flow`] their blocks and
//! loops. Two models are made of that. [`stalls`] is the one of Sakdhnagool et al. (Regdem:
//! Increasing GPU Performance via Shared Memory Register Spilling, 2019). Ours walks a [`path`]
//! and lets the warps of a multiprocessor [`simulate`] it, within [`bounds`] that no schedule
//! passes. [`mod@predict`] is where to ask.
//!
//! The crate decides nothing: whoever compiles asks which of several variants is fastest. Numbers
//! of the machine come from `stencil-model` (limits) and from [`coefficients`] (measured).
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
