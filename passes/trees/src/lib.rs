//! Register-aware order of straight-line code, without MLIR.
//!
//! The values are frozen: which operation reads which result is given, and so is the result of
//! every operation. What is free is the order, and with it MAXLIVE, the most registers that are
//! live at once.
//!
//! ```text
//!  Code ──┬── source order ──────────────────────────────┐
//!         └── canonical ── search from both ends, polish ─┴── recount ── least MAXLIVE
//! ```
//!
//! - [`code`]: items, operands, constraints, registers.
//! - [`live`]: MAXLIVE by recount, the one measure.
//! - `canonical`: numbers that source order has no part in, so that no tie is broken by it.
//! - [`tree`]: expression trees with shared leaves and sums in free order, evaluated with the least
//!   MAXLIVE.
//! - `search`: hills and valleys, from the first item and from the last; then window by window.
//!
//! The result is never worse than source order. Nothing here knows a machine, a cap on registers
//! or the latency of a load; nothing re-associates a sum.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod canonical;
pub mod code;
pub mod live;
mod schedule;
mod search;
pub mod tree;
mod walk;

pub use code::{ArrayId, Code, CodeError, Item, ItemId, Kind};
pub use live::{live, max_live};
pub use schedule::{Method, Options, Partition, Schedule, Statistics, schedule};
