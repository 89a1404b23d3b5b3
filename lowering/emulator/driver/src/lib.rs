//! The C interface of the CUDA driver, as far as hosts of ours use it, with the emulator in the
//! place of a GPU. For tests only: a host runs unchanged, launches, copies, graphs and all, and its
//! results are those of a GPU bit for bit.
//!
//! PTX cannot be run here, LLVM IR can: `cuModuleLoadData` looks for the PTX that it is given in
//! the packages that the environment names, and loads the IR beside it. `README.md` has the
//! variables.
//!
//! - `boundary` is where C ends; `export!` makes functions, `symbols` finds them by name.
//! - `state` is the one state of a process, behind a lock, and the rules that hold for every call:
//!   initialized, with a context, not after a fault.
//! - `device`, `context`, `memory`, `copies`, `module`, `stream`, `event`, `graph`, `launch` are
//!   the subjects of the interface, each with its functions; `stream` also says what a capture
//!   forbids.
//! - `code` finds the IR of PTX. `operations` carries out what was asked: at once, or when a graph
//!   is launched, or as late as allowed.
//! - The program `alter-package` makes packages wrong, so that tests see what finds it out.
//!
//! Not here: several devices that differ, textures, arrays, managed memory, peers, memory pools,
//! cooperative launches and clusters, IPC, and the second set of names for per-thread streams.
//! `unsafe` is the C interface's; each block says what makes it sound.

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
mod state;
mod stream;
mod symbols;
#[cfg(test)]
mod tests;
