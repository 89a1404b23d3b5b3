//! Benchmarks and packages of them.
#![allow(clippy::unwrap_used)]

mod family;
mod packages;
