//! From stencil to GPU kernels: who computes a point, and where values live.

pub mod body;
mod checks;
pub mod combine_accesses;
mod coordinates;
pub mod host;
pub mod kernel;
pub mod map_to_threads;
pub mod order;
mod point;
mod prefetch;
pub mod schedule_trees;
pub mod signature;
pub mod slice_and_interleave;
pub mod straight_code;
mod written;
mod wrong;
