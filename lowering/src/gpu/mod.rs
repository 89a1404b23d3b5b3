//! From stencil to GPU kernels: who computes a point, and where values live.

pub mod body;
mod checks;
pub mod combine_accesses;
mod coordinates;
pub mod demote_registers;
mod fewest_moves;
pub mod host;
pub mod kernel;
mod late_loads;
pub mod launch;
mod loop_bounds;
pub mod map_to_threads;
pub mod order;
mod origins;
mod point;
mod prefetch;
pub mod schedule_trees;
pub mod signature;
pub mod slice_and_interleave;
mod slots;
pub mod straight_code;
mod thread_code;
mod written;
mod wrong;
