//! Runs compiled kernels: blocks on cores, threads as calls or coroutines, barriers and warps.

pub(crate) mod async_copies;
mod barrier;
pub(crate) mod block;
pub(crate) mod callbacks;
pub(crate) mod context;
pub(crate) mod elementary;
mod faults;
pub(crate) mod launch;
pub(crate) mod order;
pub(crate) mod request;
mod small_floats;
mod stacks;
mod warp;
pub(crate) mod watching;
