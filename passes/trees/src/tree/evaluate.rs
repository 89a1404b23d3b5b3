//! The order of evaluation with the least MAXLIVE, for trees with shared leaves.
//!
//! The cost of an order is counted, not read from the printed formula: an operand stays live until
//! its operation, a sum holds its register while its other children are evaluated, a result may
//! take the register of what dies. The cost of a subtree depends on the labels live around it and
//! not on how they came to be, and adding labels that pass through adds exactly their registers:
//! so answers are remembered under the labels that matter.
//!
//! The interior children of an operation are permuted, its leaves follow them: a leaf is held
//! until the operation in any case. The children of a sum are divided into clusters; each cluster
//! is permuted, large ones part by part; the clusters are in the order of the theorems. Where
//! that stays too far above the lower bound and children are few, all of them are permuted, which
//! also finds the orders that interleave clusters. Permutations that arrive at the same set of
//! children no lower than another are cut.

use rustc_hash::FxHashMap as HashMap;
use std::cmp::Reverse;

use super::cluster::{Hill, clusters, parts, place};
use super::permute::Permutation;
use super::{Labels, Node, NodeId, Tree};
use crate::schedule::{Options, Partition, Statistics};

/// All children are permuted when they are no more than these.
const CHILDREN_PERMUTED: usize = 12;
/// Answers are remembered while their labels take no more words than this (64 MiB).
const WORDS_REMEMBERED: usize = 8 << 20;
/// Stack that one level of a tree may need, and how much is added when it runs out.
const STACK_BYTES: (usize, usize) = (64 << 10, 4 << 20);

/// How a tree is evaluated, and what that costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluation {
    /// MAXLIVE of the evaluation, the labels around it counted.
    pub max_live: u32,
    /// The children of each node in the order of their evaluation.
    pub orders: Vec<Vec<NodeId>>,
    /// What was done to find it.
    pub statistics: Statistics,
}

/// Finds an order of evaluation between the labels live before a tree and those live behind it.
///
/// # Panics
/// If a label is live behind the tree that is neither live before it nor a leaf of it.
#[must_use]
pub fn evaluate(tree: &Tree, live_in: &Labels, live_out: &Labels, options: &Options) -> Evaluation {
    let there = live_in.union(tree.uses(tree.root()));
    assert!(live_out.without(&there).is_empty(), "what is live behind a tree comes from somewhere");
    let mut evaluator = Evaluator::new(tree, options);
    let answer = evaluator.best(tree.root(), live_in, live_out);
    let mut orders = vec![Vec::new(); tree.nodes().len()];
    let mut stack = vec![(tree.root(), live_in.clone(), live_out.clone())];
    while let Some((node, live_in, live_out)) = stack.pop() {
        let order = evaluator.best(node, &live_in, &live_out).order;
        let shape = Shape::of(tree.get(node));
        let mut spot = Spot::at(&evaluator.trimmed(node, &live_in, &live_out));
        for (at, &child) in order.iter().enumerate() {
            let later = evaluator.wanted(&order[at + 1..], &live_out);
            if !tree.get(child).children().is_empty() {
                let then = evaluator.behind(&spot, child, &later);
                stack.push((child, spot.now.clone(), then));
            }
            spot = evaluator.step(shape, &spot, child, &later).1;
        }
        orders[node.index()] = order;
    }
    let steps = evaluator.steps + evaluator.statistics.memo_calls;
    let statistics = Statistics { steps, ..evaluator.statistics };
    Evaluation { max_live: answer.cost, orders, statistics }
}

/// How the results of children are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// All until the operation.
    Operation,
    /// In a sum of so many registers.
    Sum(u32),
}

impl Shape {
    fn of(node: &Node) -> Self {
        match node {
            Node::Accumulation { registers, .. } => Self::Sum(*registers),
            _ => Self::Operation,
        }
    }
}

/// Between two children.
#[derive(Debug, Clone)]
pub struct Spot {
    /// Labels live.
    pub now: Labels,
    /// A leaf that the sum will begin with: live until the first addition.
    pinned: Labels,
    /// Registers of results that wait.
    pub held: u32,
    /// No child has been evaluated.
    first: bool,
}

impl Spot {
    fn at(live: &Labels) -> Self {
        Self { now: live.clone(), pinned: Labels::default(), held: 0, first: true }
    }
}

#[derive(Debug, Clone)]
struct Answer {
    cost: u32,
    order: Vec<NodeId>,
}

/// An order under way, or the best so far.
pub type Way = (u32, Vec<NodeId>);

pub struct Evaluator<'a> {
    pub tree: &'a Tree,
    pub options: &'a Options,
    memo: HashMap<(NodeId, Labels, Labels), Answer>,
    words: usize,
    /// Children put somewhere, complete permutations or not.
    pub steps: u64,
    /// The cost of nodes with nothing live around them, where it is known: a lower bound.
    least: HashMap<NodeId, u32>,
    pub statistics: Statistics,
}

impl<'a> Evaluator<'a> {
    fn new(tree: &'a Tree, options: &'a Options) -> Self {
        let (memo, least) = (HashMap::default(), HashMap::default());
        Self { tree, options, memo, words: 0, steps: 0, least, statistics: Statistics::default() }
    }

    /// Whether no further permutation may be tried: each may take a few steps.
    pub fn is_exhausted(&self) -> bool {
        let most = self.options.permutations;
        self.statistics.permutations >= most || self.steps >= most.saturating_mul(8)
    }

    /// The labels before a node that somebody will still read.
    fn trimmed(&self, node: NodeId, live_in: &Labels, live_out: &Labels) -> Labels {
        live_in.intersection(&self.tree.uses(node).union(live_out))
    }

    /// The best order of the children of a node.
    fn best(&mut self, node: NodeId, live_in: &Labels, live_out: &Labels) -> Answer {
        let live_in = self.trimmed(node, live_in, live_out);
        let through = live_in.intersection(live_out).without(self.tree.uses(node));
        self.statistics.memo_calls += 1;
        if !self.options.memoize {
            return self.searched(node, &live_in, live_out);
        }
        let passing = self.tree.weight(&through);
        let key = (node, live_in.without(&through), live_out.without(&through));
        let mut answer = match self.memo.get(&key) {
            Some(answer) => {
                self.statistics.memo_hits += 1;
                answer.clone()
            }
            None => {
                let answer = self.searched(node, &key.1, &key.2);
                self.words += 8 + answer.order.len() + self.tree.uses(node).len() / 32;
                if self.words < WORDS_REMEMBERED {
                    self.memo.insert(key, answer.clone());
                }
                answer
            }
        };
        answer.cost += passing;
        answer
    }

    fn searched(&mut self, node: NodeId, live_in: &Labels, live_out: &Labels) -> Answer {
        let (red_zone, more) = STACK_BYTES;
        stacker::maybe_grow(red_zone, more, || match self.tree.get(node) {
            Node::Leaf(_) | Node::Constant => {
                let cost = self.tree.weight(&live_in.union(self.tree.uses(node)));
                Answer { cost, order: Vec::new() }
            }
            Node::Operation { children, registers } => {
                self.operation(children, *registers, live_in, live_out)
            }
            Node::Accumulation { children, registers } => {
                self.accumulation(node, children, *registers, live_in, live_out)
            }
        })
    }

    /// Interior children in the best order, then leaves.
    fn operation(
        &mut self,
        children: &[NodeId],
        registers: u32,
        live_in: &Labels,
        live_out: &Labels,
    ) -> Answer {
        let interior = |child: &&NodeId| !self.tree.get(**child).children().is_empty();
        let inner: Vec<NodeId> = children.iter().filter(interior).copied().collect();
        let leaves = children.iter().filter(|child| !interior(child)).copied();
        let leaves: Vec<NodeId> = leaves.collect();
        let later = self.wanted(&leaves, live_out);
        let bound = self.lower_bound(children, live_in, live_out, registers);
        let (mut cost, mut order) =
            self.permute(Shape::Operation, &Spot::at(live_in), &inner, &later, bound);
        let held: u32 = inner.iter().map(|&child| self.tree.get(child).registers()).sum();
        let used = inner.iter().chain(&leaves);
        let all = used.fold(live_in.clone(), |all, &child| all.union(self.tree.uses(child)));
        cost = cost.max(self.tree.weight(&all.intersection(&later)) + held);
        cost = cost.max(self.tree.weight(live_out) + registers);
        order.extend(leaves);
        Answer { cost, order }
    }

    /// Clusters in the order of the theorems; then, where that is worth a try, all children.
    fn accumulation(
        &mut self,
        node: NodeId,
        children: &[NodeId],
        registers: u32,
        live_in: &Labels,
        live_out: &Labels,
    ) -> Answer {
        let shape = Shape::Sum(registers);
        let bound = self.lower_bound(children, live_in, live_out, registers);
        let bound = bound.max(self.least(node, live_in, live_out));
        let spot = Spot::at(live_in);
        let mut best = self.by_clusters(shape, &spot, children, live_out, bound);
        let far = best.0 > bound + self.options.distance;
        if far && (2..=CHILDREN_PERMUTED).contains(&children.len()) {
            let all = self.permute(shape, &spot, children, live_out, bound);
            best = best.min(all);
        }
        Answer { cost: best.0, order: best.1 }
    }

    /// Each cluster by itself, and the clusters by their hills. The first one holds no sum while
    /// its first child is evaluated, so every cluster is tried in front.
    fn by_clusters(
        &mut self,
        shape: Shape,
        spot: &Spot,
        children: &[NodeId],
        live_out: &Labels,
        bound: u32,
    ) -> Way {
        let Shape::Sum(registers) = shape else { unreachable!("clusters belong to sums") };
        let found = clusters(self.tree, children, &spot.now, live_out);
        if let [only] = &found[..] {
            return self.cluster(shape, spot, only, live_out, bound);
        }
        let with_sum = Spot { held: registers, first: false, ..spot.clone() };
        let mut sorted: Vec<((bool, i64), Vec<NodeId>)> = Vec::new();
        for (at, members) in found.iter().enumerate() {
            let others = found.iter().enumerate().filter(|&(other, _)| other != at);
            let later = others.fold(live_out.clone(), |later, (_, other)| {
                later.union(&self.wanted(other, &Labels::default()))
            });
            let behind = self.wanted(members, &spot.now).intersection(&later);
            let bound = self.lower_bound(members, &spot.now, &behind, 0) + registers;
            let (peak, order) = self.cluster(shape, &with_sum, members, &later, bound);
            let hill = Hill {
                before: self.tree.weight(&spot.now) + registers,
                peak,
                behind: self.tree.weight(&behind) + registers,
            };
            sorted.push((place(hill), order));
        }
        sorted.sort_by_key(|&(key, _)| key);
        let mut best: Option<Way> = None;
        for front in 0..sorted.len() {
            let mut order = sorted[front].1.clone();
            let rest = sorted.iter().enumerate().filter(|&(at, _)| at != front);
            rest.for_each(|(_, (_, members))| order.extend(members));
            let cost = self.cost(shape, spot, &order, live_out);
            if best.as_ref().is_none_or(|best| cost < best.0) {
                best = Some((cost, order));
            }
            if best.as_ref().is_some_and(|best| best.0 <= bound + self.options.distance) {
                break;
            }
        }
        best.expect("a sum has children")
    }

    /// The members of one cluster: permuted, or part by part.
    fn cluster(
        &mut self,
        shape: Shape,
        spot: &Spot,
        members: &[NodeId],
        later: &Labels,
        bound: u32,
    ) -> Way {
        let size = self.options.partition_size.clamp(1, 7);
        if members.len() <= size + 1 {
            return self.permute(shape, spot, members, later, bound);
        }
        let ways: &[Partition] = match self.options.partition {
            Partition::Best => &[Partition::Affinity, Partition::Release],
            Partition::Affinity => &[Partition::Affinity],
            Partition::Release => &[Partition::Release],
        };
        let ways = ways.iter().map(|&way| {
            let parts = parts(self.tree, members, &spot.now, way, size);
            self.permute_parts(shape, spot, &parts, later, bound)
        });
        ways.min_by_key(|way| way.0).expect("there is a way to divide")
    }

    /// Parts in the best order if they are few, else as they stand; each permuted by itself.
    fn permute_parts(
        &mut self,
        shape: Shape,
        spot: &Spot,
        parts: &[Vec<NodeId>],
        later: &Labels,
        bound: u32,
    ) -> Way {
        if parts.len() < 8 {
            let units = parts.iter().map(Vec::as_slice).collect();
            return self.permute_units(shape, spot, units, later, bound);
        }
        let mut spot = spot.clone();
        let mut whole: Way = (0, Vec::new());
        for (at, part) in parts.iter().enumerate() {
            let rest = parts[at + 1..].iter();
            let rest = rest.fold(later.clone(), |rest, other| self.wanted(other, &rest));
            let (cost, order) = self.permute(shape, &spot, part, &rest, bound);
            spot = self.follow(shape, &spot, &order, &rest).1;
            whole.0 = whole.0.max(cost);
            whole.1.extend(order);
        }
        whole
    }

    /// The best order of some children by permutation.
    pub fn permute(
        &mut self,
        shape: Shape,
        spot: &Spot,
        children: &[NodeId],
        later: &Labels,
        bound: u32,
    ) -> Way {
        self.permute_units(shape, spot, children.chunks(1).collect(), later, bound)
    }

    /// The best order of children, or of parts, each of which is permuted where it is put.
    fn permute_units(
        &mut self,
        shape: Shape,
        spot: &Spot,
        mut units: Vec<&[NodeId]>,
        later: &Labels,
        bound: u32,
    ) -> Way {
        // What uses most labels comes first, as without sharing.
        let none = Labels::default();
        units.sort_by_cached_key(|unit| Reverse(self.wanted(unit, &none).len()));
        Permutation::new(shape, later, bound).best(self, spot, &units)
    }

    /// What an order of children costs.
    fn cost(&mut self, shape: Shape, spot: &Spot, order: &[NodeId], later: &Labels) -> u32 {
        self.follow(shape, spot, order, later).0
    }

    pub fn follow(
        &mut self,
        shape: Shape,
        spot: &Spot,
        order: &[NodeId],
        later: &Labels,
    ) -> (u32, Spot) {
        let (mut cost, mut spot) = (self.tree.weight(&spot.now) + spot.held, spot.clone());
        for (at, &child) in order.iter().enumerate() {
            let later = self.wanted(&order[at + 1..], later);
            let (peak, next) = self.step(shape, &spot, child, &later);
            cost = cost.max(peak);
            spot = next;
        }
        (cost, spot)
    }

    /// The labels that some children use, and some others.
    pub fn wanted(&self, children: &[NodeId], and: &Labels) -> Labels {
        children.iter().fold(and.clone(), |set, &child| set.union(self.tree.uses(child)))
    }

    /// The labels live behind a child.
    fn behind(&self, spot: &Spot, child: NodeId, later: &Labels) -> Labels {
        let kept = later.union(&spot.pinned);
        spot.now.union(self.tree.uses(child)).intersection(&kept)
    }

    /// Evaluates a child, and adds it if there is a sum: the most registers, and where that leads.
    pub fn step(
        &mut self,
        shape: Shape,
        spot: &Spot,
        child: NodeId,
        later: &Labels,
    ) -> (u32, Spot) {
        let tree = self.tree;
        let node = tree.get(child);
        let interior = !node.children().is_empty();
        let (mut peak, with) = if interior {
            let then = self.behind(spot, child, later);
            (self.best(child, &spot.now, &then).cost + spot.held, then)
        } else {
            let with = spot.now.union(tree.uses(child));
            (tree.weight(&with) + spot.held, with)
        };
        let held = spot.held + node.registers();
        peak = peak.max(tree.weight(&with) + held);
        let pinned = match shape {
            // The leaves of an operation are counted when all its children are done.
            Shape::Operation => Labels::default(),
            Shape::Sum(_) if spot.first && !interior => tree.uses(child).clone(),
            Shape::Sum(_) => Labels::default(),
        };
        let next = match shape {
            Shape::Sum(registers) if !spot.first => {
                let now = with.intersection(later);
                peak = peak.max(tree.weight(&now) + registers);
                Spot { now, pinned, held: registers, first: false }
            }
            Shape::Sum(_) => {
                let now = with.intersection(&later.union(&pinned));
                Spot { now, pinned, held, first: false }
            }
            Shape::Operation => Spot { now: with.intersection(later), pinned, held, first: false },
        };
        (peak, next)
    }

    /// What no order can go below.
    fn lower_bound(
        &mut self,
        children: &[NodeId],
        live_in: &Labels,
        live_out: &Labels,
        registers: u32,
    ) -> u32 {
        let below = children.iter().filter_map(|child| self.least.get(child)).copied().max();
        let ends = self.tree.weight(live_in).max(self.tree.weight(live_out) + registers);
        ends.max(below.unwrap_or(0))
    }

    /// The cost of a sum with nothing live around it, which is found first.
    fn least(&mut self, node: NodeId, live_in: &Labels, live_out: &Labels) -> u32 {
        if live_in.is_empty() && live_out.is_empty() {
            return 0;
        }
        if let Some(&least) = self.least.get(&node) {
            return least;
        }
        let none = Labels::default();
        let least = self.best(node, &none, &none).cost;
        self.least.insert(node, least);
        least
    }
}
