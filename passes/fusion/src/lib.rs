//! Fusion of stencil stages into kernels, without MLIR.
//!
//! A *stage* computes arrays from arrays, point by point, and streams along one axis of the grid:
//! an iteration computes a *plane*. Stages of one kernel stream together: what one computes the
//! next reads on chip. Two ways to choose the stages of each kernel:
//!
//! ```text
//!  Graph ──── dependences ──┬── greedy: pairs, best first, by the planes that are kept
//!         └── resources ────┤
//!                           └── optimal: partition of least cost
//! ```
//!
//! - [`graph`]: stages, arrays, their dependences, and which sets of stages can be kernels.
//! - [`resources`]: where each plane that a kernel reads or writes is kept.
//! - [`mod@greedy`]: the resource-aware fusion of Rawat et al., Domain-Specific Optimization and
//!   Generation of High-Performance GPU Code for Stencil Computations, Proc. IEEE 2018.
//! - [`optimal`]: a partition of least cost, by dynamic programming over what is computed so far.
//!
//! Nothing here knows a machine: limits and weights are the caller's. Nothing changes a program.
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod graph;
pub mod greedy;
pub mod limits;
pub mod optimal;
pub mod resources;
mod set;

pub use graph::{Apart, Array, Dependence, Graph, Kind, Read, Stage, Window, Write};
pub use greedy::{Fusion, Options, Rule, fuse};
pub use limits::{Excess, Limits};
pub use optimal::{Effort, GroupCost, Partition, Traffic, partition};
pub use resources::{ResourceMap, Storage};
pub use set::StageSet;
