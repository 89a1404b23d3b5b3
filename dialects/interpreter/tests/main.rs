//! The interpreter on programs in text.
#![allow(clippy::unwrap_used)]

mod arithmetic_cases;
mod domains;
mod errors;
mod grids;
mod halos;
mod host;
mod joined;
mod planes;
mod run_text;
mod stages;
mod sweep_text;
mod sweeps;
mod time_loops;
