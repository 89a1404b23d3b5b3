//! Named pipelines and the compile session, shared by the programs.
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod cases;
pub mod passes;
pub mod pipelines;
