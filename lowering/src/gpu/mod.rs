//! From stencil to GPU kernels: who computes a point, and where values live.

mod checks;
mod coordinates;
pub mod host;
pub mod kernel;
pub mod map_to_threads;
mod point;
mod written;
