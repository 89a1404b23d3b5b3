//! Register-aware order of straight-line code, without MLIR.
//!
//! The values are frozen: which operation reads which result is given, and so is the result of
//! every operation. What is free is the order, and with it MAXLIVE, the most registers that are
//! live at once.
//!
//! ```text
//!  Code ── canonical ──┬── trees: DAG of expression trees ──── interleave slices ──┐
//!   │                  └── search: from the first item and from the last ───────────┤
//!   │                                                       polish the best two, window by window
//!   └── source order ────────────────────────────────────────────── recount ────────┤
//!                                                      the order with the least MAXLIVE
//! ```
//!
//! - [`code`]: items, operands, constraints, registers.
//! - [`mod@live`]: MAXLIVE by recount, the one measure.
//! - `canonical`: numbers that source order has no part in, so that no tie is broken by it.
//! - [`tree`]: expression trees with shared leaves and sums in free order, evaluated with the least
//!   MAXLIVE; whoever may re-associate a sum orders its terms with it.
//! - `forest`: code as a DAG of such trees, those next to each other that share most.
//! - `interleave`: slices of later expressions, moved to where their labels are seen.
//! - `demand`: one result after the other, for who has a measure of its own.
//! - `search`: hills and valleys, from the first item and from the last; then window by window.
//!
//! Trees are evaluated one by one, as in Rawat et al., Register Optimizations for Stencils on GPUs,
//! PPoPP 2018; sums of several outputs that take the same loads are better made side by side, which
//! is what the search finds. [`Schedule::method`] says which of them the order comes from.
//!
//! The result is never worse than source order. Time and memory are bounded by [`Options`], counted
//! in steps and not in seconds: the same code gives the same order everywhere. Nothing here
//! knows a machine, a cap on registers or the latency of a load; nothing re-associates a sum.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod canonical;
pub mod code;
mod demand;
mod forest;
mod interleave;
mod lists;
pub mod live;
mod schedule;
mod search;
pub mod tree;
mod walk;

pub use code::{ArrayId, Code, CodeError, Item, ItemId, Kind};
pub use demand::{by_results, on_demand};
pub use live::{live, max_live};
pub use schedule::{Method, Options, Partition, Schedule, Statistics, interleave, schedule};
