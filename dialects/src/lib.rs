//! The stencil dialect for Rust.
//!
//! The dialect itself is C++ (`stencil/`); this crate registers it, and gives passes, interpreter
//! and lowering what MLIR's C API does not: typed views of types, attributes and ops, passes with a
//! name and options, diagnostics with notes. All `unsafe` of the dialect level is in here.
// This crate is the bridge to C++.
#![allow(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod attributes;
pub mod build;
pub mod context;
pub mod diagnostics;
mod ffi;
pub mod memory;
pub mod ods;
pub mod ops;
pub mod pass;
pub mod pipeline;
pub mod plugin;
pub mod point;
pub mod program_plan;
pub mod sweep;
pub mod translate;
pub mod types;
pub mod walk;

pub use types::{Bounds, StencilType};
