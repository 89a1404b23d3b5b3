//! Named pipelines and the compile session, shared by the programs.
//!
//! From a text to results, in the order of a run: [`input`] reads it, [`reading`] says in which
//! language and at which size, [`open_sizes`] and [`open_extents`] what is left open, [`variants`]
//! makes it one for several; [`session`] parses it and brings it down level by level along
//! [`pipelines`]; [`compile`] makes all that can be written, [`demotion`] asks [`prediction`] which
//! of several versions is fastest; [`run`] runs one function on the interpreter ([`interpreted`]),
//! the emulator ([`emulated`]) or a GPU ([`gpu`]), and compares ([`verify`]); [`report`] says what
//! was decided and found. [`viz`] draws the order of a kernel's operations, [`accuracy`] bounds
//! what frozen arithmetic changes,
//! [`side_by_side`] shows what several plans cost, [`explanation`] why plans were chosen,
//! [`devices`] what several devices are predicted to gain,
//! [`tuning`] measures plans and remembers the fastest,
//! [`same_after`] compares a program with itself after a pipeline, [`same_as`] with another one;
//! [`levels`] makes PTX of what others have brought part of the way.
//! [`doctor`] examines the machine. [`crash`] is for our own failures. Nothing here prints:
//! diagnostics go through MLIR, the rest is returned, and long work tells a [`monitor`].
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod accuracy;
pub mod cache;
pub mod cases;
mod comparison;
pub mod compile;
pub mod crash;
pub mod demotion;
pub mod devices;
pub mod doctor;
mod drawings;
pub mod embedding;
mod error;
pub mod explanation;
pub mod input;
pub mod levels;
pub mod monitor;
pub mod open_extents;
pub mod open_sizes;
pub mod passes;
pub mod pipelines;
mod plans;
pub mod prediction;
pub mod reading;
pub mod report;
pub mod run;
pub mod session;
pub mod target;
pub mod tuning;
pub mod variants;
pub mod verification;

pub use comparison::{same_after, same_as, side_by_side};
pub use drawings::{roofs, viz};
pub use run::{arguments, emulated, estimate, gpu, interpreted, memory, steps};

/// Comparing two runs, as `stencil-run` does it.
pub use stencil_runtime::compare as verify;

pub use error::DriverError;
