//! From stencil to sweeps, and from sweeps to kernels.

pub mod convert_stencil_to_sweep;
pub mod convert_sweep_to_planes;
pub mod emit;
mod facts;
pub mod fuse_statements;
pub mod fuse_steps;
mod levels;
mod pairs;
pub mod pipeline_fetches;
pub mod place_slots;
pub mod planes;
pub mod retime;
mod shape;
mod split_loop;
mod stages;
mod statements;

pub use statements::graph;
