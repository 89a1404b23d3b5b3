//! Benchmarks and packages of them.
#![allow(clippy::unwrap_used)]

// malloc of the whole process, as the tools have it.
use mimalloc as _;

mod family;
mod packages;
