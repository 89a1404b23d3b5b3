//! Straight-line code as a graph, without MLIR: the one representation that scheduling, register
//! demotion, fission and the error analysis share.
//!
//! - [`dag`]: the items of a basic block, their operands, ordering constraints and results.
//! - [`slice`](mod@slice): the backward slice of some items.
//! - [`dependences`]: ordering constraints from the effects of operations.
//! - [`live`](mod@live): live ranges of values in an order, and the registers that they need.
//! - [`post_order`](mod@post_order): demand-driven list scheduling.
//! - [`lists`]: adjacency lists in compressed rows.
//! - [`cut`]: the cheapest cut between what is kept in memory and what is computed again.
//!
//! What an item computes is a type parameter: [`Kind`] for machine-level code; fission and the
//! error analysis have their own. Nothing here knows a machine or searches for anything.
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod cut;
pub mod dag;
pub mod dependences;
pub mod lists;
pub mod live;
pub mod post_order;
pub mod slice;

pub use dag::{ArrayId, Computes, Dag, Item, ItemId, Kind};
pub use dependences::{Dependences, Effect};
pub use lists::Lists;
pub use live::{live, max_live};
pub use post_order::{demand_driven, post_order};
pub use slice::Slice;
