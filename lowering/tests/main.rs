//! Loops over time and the storage of planes.
#![allow(clippy::unwrap_used)]

// malloc of the whole process, as the tools have it.
use mimalloc as _;

mod plane_storage;
mod time_loops;
