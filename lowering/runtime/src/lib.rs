//! Kernel packages, and running them: everything a launcher needs, and no compiler.
//!
//! A package is one file: PTX (a cubin beside it, if there was an assembler), and a manifest that
//! holds the kernels' shapes and the *host program as data*. The modules, in the order of a run:
//!
//! 1. [`package`] reads the file and checks its digests; [`manifest`] is its content, validated
//!    once, so that ids, types and sizes are not checked again.
//! 2. [`variants`] chooses the function by default; [`bind`] binds command-line arguments
//!    (`--arg 0=u.npy --symbol dt=0.1`); [`fields`] reads `.npy` files and [`random`] fills unset
//!    fields.
//! 3. [`time_loop`] sets the number of time steps, where the program permits another.
//! 4. [`host`] evaluates the host program and runs it over a [`host::Device`]:
//!    [`cuda::CudaDevice`] here, the compiler's emulator elsewhere. Scalars are evaluated by
//!    [`scalar`], bit for bit as on a GPU.
//! 5. [`call`] runs it on memory of a caller, for hosts in other languages.
//! 6. [`checkpoint`] writes fields between time steps, [`output`] those at the end, atomically.
//! 7. [`verify`] verifies a package, [`compare`] reports differences; [`measure`] and [`energy`]
//!    measure time and energy, [`report`] says what a run did.
//!
//! `stencilc` and `stencil-run` share all of this, so that the same command line means the same
//! run in both. There is no LLVM and no MLIR here: the program that uses this crate can be copied
//! to a machine that has only the CUDA driver.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod bind;
pub mod call;
pub mod checkpoint;
pub mod compare;
pub mod cuda;
pub mod energy;
pub mod error;
pub mod fields;
pub mod host;
pub mod manifest;
pub mod measure;
pub mod output;
pub mod package;
pub mod process;
pub mod random;
pub mod report;
pub mod rows;
pub mod scalar;
pub mod time_loop;
pub mod transport;
pub mod variants;
pub mod verify;

#[cfg(test)]
mod fake;
#[cfg(test)]
mod samples;

pub use error::{ErrorKind, RuntimeError};
pub use manifest::Manifest;
pub use package::{Code, Package};
pub use scalar::{ScalarOp, ScalarType, ScalarValue};
