//! What is known about machines and decided about kernels, without MLIR.
//!
//! - [`target`]: limits of an architecture, each with its source.
//! - [`product`]: facts of a chip one can buy.
//! - [`devices`]: what a program takes on several devices that share its domain.
//! - [`machine`]: an architecture with a chip, which plans are made for.
//! - [`plan`]: the schema of `#stencil.plan`, the only channel from decision to mechanism.
//! - [`occupancy`]: blocks and warps that fit a multiprocessor, in exact integers.
//! - [`sweep`]: what a sweep over planes keeps, in exact integers.
//! - [`resources`]: what the assembler said a kernel uses, and how to say it to a person.
//! - [`toolkit`]: where NVIDIA's assembler and its companions are installed.
//!
//! No other crate holds a number of a machine: a pass that needs one asks here. A limit says what
//! is legal, never what is good; what is estimated to be good is asked for by who decides, and by
//! no pass that carries a decision out.
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod devices;
pub mod machine;
pub mod occupancy;
pub mod operations;
pub mod plan;
pub mod product;
pub mod resources;
pub mod sweep;
pub mod target;
pub mod toolkit;
