//! A partition of the stages into kernels of least cost.
//!
//! Kernels can be executed one after the other if none needs what a later one computes. What is
//! computed after each of them is a *downset*: with a stage, all that it depends on. So the kernels
//! are the steps of a path from the empty downset to all stages, and the cost of a partition is the
//! sum of those of its kernels: a shortest path. It is found by dynamic programming over downsets,
//! those with fewer stages first; a downset that cannot be on a path as cheap as the cheapest known
//! partition is left out (branch and bound).
//!
//! Graphs whose stages hardly depend on each other have too many downsets, or kernels that go on
//! from one. Then a beam of the best downsets with an unfinished kernel is kept, which adds one
//! stage at a time; its result is a partition, but maybe not the cheapest. The result says which.
//!
//! Does not know what a kernel costs: [`GroupCost`] does. [`Traffic`] is one.

mod beam;
mod exact;
mod gap;
mod traffic;

pub use gap::Gap;
pub use traffic::Traffic;

use crate::{Graph, StageSet};
use rustc_hash::FxHashMap;
use std::fmt;

/// What kernels cost.
pub trait GroupCost {
    /// The cost of a kernel of these stages; none if they cannot be one.
    fn of(&self, group: StageSet) -> Option<u64>;

    /// A lower bound of the cost of all kernels together, for any partition of these stages, which
    /// are the last of a graph.
    fn least(&self, rest: StageSet) -> u64 {
        let _ = rest;
        0
    }

    /// Whether no kernel that contains these stages is possible.
    fn is_hopeless(&self, group: StageSet) -> bool {
        let _ = group;
        false
    }
}

impl<F: Fn(StageSet) -> Option<u64>> GroupCost for F {
    fn of(&self, group: StageSet) -> Option<u64> {
        self(group)
    }
}

/// How much the search may look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Downsets up to which the search is exact.
    pub downsets_max: usize,
    /// Kernels after any downset up to which it is.
    pub steps_max: usize,
    /// States that the beam keeps of those with equally many stages.
    pub width: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Self { downsets_max: 1 << 14, steps_max: 1 << 18, width: 128 }
    }
}

/// How a partition was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// No partition is cheaper.
    Exact {
        /// Downsets that were looked at.
        downsets: usize,
    },
    /// A cheaper one may exist.
    Beam {
        /// States that were kept of those with equally many stages.
        width: usize,
    },
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Exact { downsets } => write!(f, "exact, {downsets} downsets"),
            Self::Beam { width } => write!(f, "beam of {width}"),
        }
    }
}

/// Stages as kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// The kernels, in an order of execution.
    pub groups: Vec<StageSet>,
    /// What they cost together.
    pub cost: u64,
    /// How it was found.
    pub method: Method,
}

/// The cheapest partition, of equal ones one with the fewest kernels; none if some stage cannot be
/// a part of any kernel. Known partitions make the search shorter, and a beam no worse.
#[must_use]
pub fn partition(
    graph: &Graph,
    cost: &impl GroupCost,
    known: &[Vec<StageSet>],
    effort: Effort,
) -> Option<Partition> {
    let mut search = Search::new(graph, cost);
    let singles = graph.all().iter().map(StageSet::single).collect::<Vec<_>>();
    let mut best = None::<(Price, Vec<StageSet>)>;
    for groups in known.iter().chain([&singles]) {
        let price = search.price(groups);
        if let Some(price) = price
            && best.as_ref().is_none_or(|(other, _)| price < *other)
        {
            best = Some((price, graph.in_order(groups)?));
        }
    }
    let bound = best.as_ref().map(|(price, _)| *price);
    let found = match exact::search(&mut search, bound, effort) {
        Ok(found) => found,
        Err(exact::TooMany) => beam::search(&mut search, effort.width),
    };
    let method = found.method;
    let ended = found.path.into_iter().chain(best).min_by_key(|(price, _)| *price);
    ended.map(|(price, groups)| Partition { groups, cost: price.cost, method })
}

/// What a search found.
struct Found {
    path: Option<(Price, Vec<StageSet>)>,
    method: Method,
}

/// The cost of a path; of equal ones, fewer kernels are better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Price {
    cost: u64,
    kernels: usize,
}

impl Price {
    fn plus(self, cost: u64) -> Self {
        Self { cost: self.cost.saturating_add(cost), kernels: self.kernels + 1 }
    }
}

/// A graph with the costs that are known.
struct Search<'a, C> {
    graph: &'a Graph,
    cost: &'a C,
    costs: FxHashMap<StageSet, Option<u64>>,
}

impl<'a, C: GroupCost> Search<'a, C> {
    fn new(graph: &'a Graph, cost: &'a C) -> Self {
        Self { graph, cost, costs: FxHashMap::default() }
    }

    fn of(&mut self, group: StageSet) -> Option<u64> {
        let cost = self.cost;
        *self.costs.entry(group).or_insert_with(|| cost.of(group))
    }

    /// The price of a partition; none if a kernel is impossible.
    fn price(&mut self, groups: &[StageSet]) -> Option<Price> {
        let add = |price: Price, group: &StageSet| Some(price.plus(self.of(*group)?));
        groups.iter().try_fold(Price::default(), add)
    }

    fn least(&self, done: StageSet) -> u64 {
        self.cost.least(self.graph.all().without(done))
    }

    /// Whether a stage can be computed after others.
    fn is_ready(&self, done: StageSet, stage: usize) -> bool {
        !done.contains(stage) && self.graph.predecessors(stage).is_subset(done)
    }
}
