//! `libstencil`: kernel packages, and running their functions, as a library with a C interface.
//!
//! C, C++, Fortran and Python call it, so that all hosts of a package read the same manifest,
//! evaluate the same numbers and drive the same device. What is done is done by
//! `stencil-runtime`; here are handles, structures of C, and answers.
//!
//! - `answer` is what functions return: a status, and a message for each thread.
//! - `package` lists functions and arguments, `values` are the values of a call.
//! - `module` is a package that is loaded: runs, times, reports; `loaded` where its kernels are,
//!   in a CUDA context or on several devices.
//! - `check` verifies packages, `device` names devices and the driver.
//!
//! The header `include/stencil.h` is made from these files. No panic leaves a function: it is an
//! error of the library, [`answer::Status::Internal`]. A handle of a module may be used by several
//! threads, one at a time; a package does not change after it was read.
#![allow(unsafe_code, reason = "the interface is one of C")]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod answer;
mod check;
mod description;
mod device;
mod loaded;
mod module;
mod package;
mod values;

pub use answer::Status;
pub use check::Verified;
pub use device::Device;
pub use module::Module;
pub use package::{Argument, Function, Package};
pub use values::{Array, ArrayFlag, Type, Value};
