//! From stencil to sweeps, and from sweeps to kernels.

pub mod build_sweeps;
pub mod emit;
pub mod fuse_steps;
mod levels;
mod pairs;
pub mod place_slots;
pub mod retime;
mod stages;
