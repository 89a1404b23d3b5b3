//! Loops over time and the storage of planes.
#![allow(clippy::unwrap_used)]

mod plane_storage;
mod time_loops;
