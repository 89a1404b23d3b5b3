//! The C interface of the CUDA driver, as far as our hosts use it, on the emulator instead of a
//! GPU. For tests only: a host runs unchanged, including launches, copies and graphs, with the
//! results of a GPU bit for bit.
//!
//! The driver runs LLVM IR, not PTX: `cuModuleLoadData` searches the PTX in the packages that the
//! environment names, and loads the IR next to it. `README.md` lists the variables.
//!
//! - `boundary` is the C interface; `export!` defines functions, `symbols` finds them by name.
//! - `state` is the state of the process, with a lock, and the checks of every call: initialized,
//!   with a context, not after a fault.
//! - `device`, `context`, `memory`, `copies`, `module`, `stream`, `event`, `graph`, `launch` are
//!   the parts of the interface; `stream` also has the restrictions during a capture.
//! - `code` finds the IR of PTX. `operations` executes operations: immediately, when a graph is
//!   launched, or as late as allowed; `queue` keeps them until then.
//! - `peers` are copies between devices.
//! - The program `alter-package` introduces defects into packages, for tests of their detection.
//!
//! Not here: several devices that differ, textures, arrays, managed memory, memory pools,
//! cooperative launches and clusters, IPC, and the second set of names for per-thread streams.
//! `unsafe` is needed for the C interface; each block has its justification.

#![allow(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod boundary;
mod code;
mod config;
mod context;
mod copies;
mod device;
mod errors;
mod event;
mod graph;
mod launch;
mod log;
mod memory;
mod module;
mod operations;
mod peers;
mod queue;
mod state;
mod stream;
mod symbols;
#[cfg(test)]
mod tests;
