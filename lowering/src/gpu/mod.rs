//! From stencil to GPU kernels: mapping of points to threads, scheduling, and storage of values.

pub mod block_dag;
pub mod body;
mod checks;
pub mod combine_accesses;
pub mod convert_stencil_to_gpu_threads;
mod coordinates;
mod deferred_store;
pub mod demote_registers;
pub mod host;
pub mod kernel;
mod kernel_code;
pub mod launch;
mod loop_bounds;
pub mod order;
mod point;
mod prefetch;
mod promises;
mod rematerialized_loads;
pub mod schedule_trees;
pub mod signature;
mod sink_loads;
pub mod slice_and_interleave;
mod slots;
mod spill_schedule;
