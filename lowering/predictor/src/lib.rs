//! Says from machine code how long a kernel takes.
//!
//! [`machine_code`] reads a cubin, [`disassembly`] its instructions, [`flow`] their blocks and
//! loops. Two models are made of that: [`stalls`], the one of Sakdhnagool et al. (Regdem:
//! Increasing GPU Performance via Shared Memory Register Spilling, 2019), and ours. The crate
//! decides nothing: whoever compiles asks it which of several variants is fastest.
//!
//! Numbers of the machine come from `stencil-model` (limits) and from [`coefficients`] (measured).
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod coefficients;
pub mod disassembly;
pub mod flow;
pub mod instruction;
pub mod kernel;
pub mod machine_code;
pub mod stalls;
pub mod unit;

#[cfg(test)]
mod listings;
