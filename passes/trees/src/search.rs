//! Best-first search over the lowest hill to the next valley of register pressure.
//!
//! The registers live after a set of done items are a submodular function of the set: a value
//! counts when it is in the set and not all of its readers are. From that follows what makes this
//! search strong. Let a stretch of items lead from one set to another with no more registers
//! live, over a hill of some height, and no set between them be lower than its end: then in
//! any order of the rest the stretch can be done first, at no loss, if its hill is no higher than
//! the peak that is reached anyway. A single item that frees as much as it takes is such a stretch.
//! So the search does at once whatever is free, and where nothing is, looks for the lowest hill
//! after which no more is live than here, within a number of states. Found without running out of
//! states, each stretch is optimal.
//!
//! The same argument holds from the last item backwards, where items are taken back. Straight-line
//! code narrows towards its stores, so backwards there is less to choose from; forwards, an
//! operation is done with the leaves it wants in one move.
//!
//! Beyond the expression trees of Rawat et al., PPoPP 2018: trees there are evaluated one by one.

mod best_first;
mod moves;
mod polish;

use crate::walk::{Graph, Walk};
use best_first::best_first;
use moves::Direction;
pub use polish::polish;

/// An order of the items that have a place in one, with what it costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The items in the order of their execution, without the given ones.
    pub order: Vec<u32>,
    /// The most registers that are live.
    pub peak: u32,
}

/// What a search may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// States that are visited at most for each stretch of the order.
    pub states: usize,
    /// Items that may still be passed; when they are used up, few states are visited.
    pub steps: u64,
    /// Items that have been passed.
    pub passed: u64,
}

/// Searches from the first item, and from the last; both orders, forward first. A hill that is no
/// higher than `floor` counts as none.
pub fn search(graph: &Graph, effort: &mut Effort, floor: u32) -> [Found; 2] {
    let forward = best_first(Walk::at_start(graph), Direction::Forward, effort, floor);
    let mut backward = best_first(Walk::at_end(graph), Direction::Backward, effort, floor);
    backward.order.reverse();
    [forward, backward]
}
