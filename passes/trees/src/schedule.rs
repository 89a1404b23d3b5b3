//! The outer calls: several ways to an order, and the best of them by recount.

use crate::canonical::canonical;
use crate::forest::{TREES_PAIRED, by_trees};
use crate::interleave::{USERS_MAX, interleaved};
use crate::known::KNOWN;
use crate::search::{Effort, Found, polish, search};
use crate::walk::{Graph, Walk};
use stencil_code::{Dag, ItemId, live, max_live};

/// How many of the orders found first are polished.
const STARTS: usize = 2;
/// How often windows are swept over an order at most.
const SWEEPS: usize = 3;

/// How the members of a cluster that is too large to permute are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Partition {
    /// Members that share most labels are together.
    Affinity,
    /// Members that hold last uses are evaluated first.
    Release,
    /// Both are tried and the better is kept.
    #[default]
    Best,
}

/// What the scheduling of trees may cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Permuting ends when no more registers than this separate a subtree from its lower bound.
    pub distance: u32,
    /// Members of a cluster that are permuted together, less than eight.
    pub partition_size: usize,
    /// How larger clusters are divided.
    pub partition: Partition,
    /// Permutations that are tried at most.
    pub permutations: u64,
    /// Results are remembered for contexts that differ in nothing that matters.
    pub memoize: bool,
    /// States that the search visits at most for each stretch of the order; with none there is no
    /// search, and trees alone are scheduled.
    pub states: usize,
    /// Items that the search passes at most, about: what bounds its time.
    pub steps: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            distance: 1,
            partition_size: 7,
            partition: Partition::default(),
            permutations: 200_000,
            memoize: true,
            states: 200,
            steps: 16_000_000,
        }
    }
}

/// Where an order comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// Program order.
    Source,
    /// Expression trees, after Rawat et al., PPoPP 2018.
    Trees,
    /// Slices of expressions moved forward, after the same.
    Interleave,
    /// The search from the first item.
    Forward,
    /// The search from the last item.
    Backward,
}

/// What was done to find an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Permutations of subtrees that were tried.
    pub permutations: u64,
    /// Subtrees that were asked for in a context.
    pub memo_calls: u64,
    /// Those whose answer was remembered.
    pub memo_hits: u64,
    /// Items that were passed, pairs of trees and subtrees that were looked at.
    pub steps: u64,
    /// Stretches within which trees were paired.
    pub stretches: usize,
    /// Values whose readers were not looked at, as they have too many.
    pub left_alone: usize,
    /// Whether the search used up the items that it may pass, or the permutations.
    pub is_spent: bool,
}

impl Statistics {
    /// What bounded the way to this order, in words; empty if nothing did.
    #[must_use]
    pub fn bounds(&self) -> String {
        let mut text = String::new();
        if self.stretches > 1 {
            text += &format!("; trees were paired within stretches of {TREES_PAIRED}");
        }
        if self.left_alone > 0 {
            let (left_alone, most) = (self.left_alone, USERS_MAX);
            text +=
                &format!("; readers of {left_alone} values with more than {most} were left alone");
        }
        if self.is_spent {
            text += "; the search ended after the items and permutations that it may try";
        }
        text
    }

    /// Adds what a search has spent.
    fn add(&mut self, effort: &Effort) {
        self.steps += effort.passed;
        self.is_spent |= effort.steps == 0;
    }
}

/// An order, and what it is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// Every item once.
    pub order: Vec<ItemId>,
    /// MAXLIVE of the order that was given.
    pub before: u32,
    /// MAXLIVE of this order; never more than before.
    pub after: u32,
    /// Where the order comes from.
    pub method: Method,
    /// What was done to find it.
    pub statistics: Statistics,
}

/// Finds an order with few registers live at once.
#[must_use]
pub fn schedule(dag: &Dag, options: &Options) -> Schedule {
    let numbered = canonical(dag);
    let Ways { ways, statistics } = KNOWN.ways(&numbered.dag, options, found_ways);
    let graph = Graph::of(&numbered.dag);
    let original = |id: ItemId| numbered.origin[id.index()];
    let orders = ways.into_iter().map(|(method, order)| {
        (method, complete(&graph, &order).into_iter().map(original).collect())
    });
    choose(dag, &dag.source_order(), orders.collect(), statistics)
}

/// The orders that are found for a code, without the given items, each by its method.
#[derive(Debug, Clone)]
pub struct Ways {
    /// The orders.
    pub ways: Vec<(Method, Vec<u32>)>,
    /// What was done for all of them.
    pub statistics: Statistics,
}

/// Every way to an order of a code whose numbering breaks no tie.
fn found_ways(dag: &Dag, options: &Options) -> Ways {
    let graph = Graph::of(dag);
    let arrays: Vec<_> = dag.items().iter().map(|item| item.array).collect();
    let (trees, mut statistics) = by_trees(&graph, &arrays, options);
    let trees = found(&graph, trees);
    let slices = interleaved(&graph, &trees.order, trees.peak, &mut statistics);
    let slices = found(&graph, slices);
    let mut ways = vec![(Method::Trees, trees), (Method::Interleave, slices)];
    if options.states > 0 {
        let steps = options.steps / 3;
        let mut effort = Effort { states: options.states, steps, passed: 0 };
        let [forward, backward] = search(&graph, &mut effort, 0);
        statistics.add(&effort);
        ways.extend([(Method::Forward, forward), (Method::Backward, backward)]);
        ways.sort_by_key(|(_, found)| found.peak);
        let effort = Effort { states: options.states.div_ceil(4), steps, passed: 0 };
        for spent in polished(&graph, &mut ways[..STARTS], effort) {
            statistics.add(&spent);
        }
    }
    let ways = ways.into_iter().map(|(method, found)| (method, found.order)).collect();
    Ways { ways, statistics }
}

/// Polishes orders, each on a thread of its own, as that takes most of the time; what each has
/// spent of the effort.
fn polished(graph: &Graph, ways: &mut [(Method, Found)], effort: Effort) -> Vec<Effort> {
    let polished = |found: &mut Found| {
        let mut effort = effort;
        *found = polish(graph, found.clone(), &mut effort, SWEEPS);
        effort
    };
    std::thread::scope(|scope| {
        let running: Vec<_> =
            ways.iter_mut().map(|(_, found)| scope.spawn(|| polished(found))).collect();
        running.into_iter().map(|it| it.join().expect("an order is polished")).collect()
    })
}

/// Moves slices of expressions forward in an order.
///
/// # Panics
/// If the code does not allow the order.
#[must_use]
pub fn interleave(dag: &Dag, order: &[ItemId]) -> Schedule {
    assert!(dag.allows(order), "the order to interleave is one of the code");
    let graph = Graph::of(dag);
    let placed = order.iter().map(|id| id.index()).filter(|&id| !graph.given[id]);
    let placed: Vec<u32> = placed.map(|id| id as u32).collect();
    let mut statistics = Statistics::default();
    let slices = interleaved(&graph, &placed, max_live(dag, order), &mut statistics);
    choose(dag, order, vec![(Method::Interleave, complete(&graph, &slices))], statistics)
}

fn found(graph: &Graph, order: Vec<u32>) -> Found {
    let mut walk = Walk::at_start(graph);
    let start = walk.live;
    let peak = order.iter().map(|&item| walk.push(item)).max().unwrap_or(start);
    Found { order, peak }
}

/// An order of all items: live-in values and constants come first.
fn complete(graph: &Graph, order: &[u32]) -> Vec<ItemId> {
    let given = (0..graph.len()).filter(|&id| graph.given[id]).map(ItemId::new);
    given.chain(order.iter().map(|&id| ItemId::new(id as usize))).collect()
}

/// The best order by recount: least MAXLIVE, then least live on the whole, then the first.
fn choose(
    dag: &Dag,
    given: &[ItemId],
    orders: Vec<(Method, Vec<ItemId>)>,
    statistics: Statistics,
) -> Schedule {
    let before = max_live(dag, given);
    let worth = |order: &[ItemId]| {
        let area: u64 = live(dag, order).into_iter().map(u64::from).sum();
        (max_live(dag, order), area)
    };
    let better = orders.into_iter().min_by_key(|(_, order)| worth(order));
    let (method, order) = match better {
        Some((method, order)) if max_live(dag, &order) <= before => (method, order),
        _ => (Method::Source, given.to_vec()),
    };
    debug_assert!(dag.allows(&order), "an order keeps to the code");
    let after = max_live(dag, &order);
    Schedule { order, before, after, method, statistics }
}
