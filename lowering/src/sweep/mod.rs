//! From stencil to sweeps, and from sweeps to kernels.

pub mod convert_stencil_to_sweep;
pub mod emit;
pub mod fuse_steps;
mod levels;
mod pairs;
pub mod place_slots;
pub mod retime;
mod stages;
