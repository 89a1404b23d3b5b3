//! Register-aware scheduling of straight-line code, without MLIR.
//!
//! The values are fixed: which operation reads which result does not change, and neither does any
//! result. What is free is the order, and with it MAXLIVE, the most registers that are live at
//! once.
//!
//! ```text
//!  Dag ── canonical ──┬── trees: DAG of expression trees ──── interleave slices ──┐
//!   │                 └── search: from the first item and from the last ──────────┤
//!   │                                                      polish the best two, window by window
//!   └── program order ──────────────────────────────────────────── MAXLIVE ───────┤
//!                                                      the order with the least MAXLIVE
//! ```
//!
//! - `canonical`: a numbering that is independent of program order, so that it breaks no tie.
//! - [`tree`]: expression trees with shared leaves and sums in free order, evaluated with the least
//!   MAXLIVE; a pass that may reassociate a sum orders its terms with it.
//! - `forest`: code as a DAG of such trees, with those next to each other that share most.
//! - `interleave`: slices of later expressions, moved to where their labels are seen.
//! - `search`: best-first, from the first item and from the last; then window by window.
//! - `known`: the orders of codes that were asked for before.
//!
//! Trees are evaluated one by one, as in Rawat et al., Register Optimizations for Stencils on GPUs,
//! PPoPP 2018; sums of several outputs that take the same loads are better evaluated side by side,
//! which is what the search finds. [`Schedule::method`] says which of them the order comes from.
//!
//! The result is never worse than program order. Time and memory are bounded by [`Options`],
//! counted in steps and not in seconds: the same code gives the same order everywhere. Nothing here
//! knows a machine, a cap on registers or the latency of a load; nothing reassociates a sum.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod canonical;
mod forest;
mod interleave;
mod known;
mod schedule;
mod search;
pub mod tree;
mod walk;

pub use schedule::{Method, Options, Partition, Schedule, Statistics, interleave, schedule};
