//! Launchers on libstencil, compiled with the machine's C compiler and run on a driver without a
//! device.

#![allow(clippy::unwrap_used, reason = "a test")]

mod compiled;
mod fields;
mod languages;
mod limits;
mod random;
mod scalars;
