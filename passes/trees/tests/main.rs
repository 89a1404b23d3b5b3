//! Orders of trees, their registers, and what they cost.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod effort;
mod kernel;
mod kernels;
mod machine;
mod machine_runs;
mod random;
mod schedules;
mod trees;
