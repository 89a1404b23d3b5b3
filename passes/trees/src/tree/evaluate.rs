//! The order of evaluation with the least MAXLIVE, for trees with shared leaves.
//!
//! The cost of an order is counted, not read from the formula of the paper: an operand stays live
//! until its operation, and a result may take the register of what dies. The cost of a subtree
//! depends on the labels live around it and not on how they came to be, and adding labels that pass
//! through adds exactly their registers: so answers are memoized by the labels that matter.
//!
//! The interior children of an operation are permuted, its leaves follow them: a leaf is held
//! until the operation in any case. Permutations that arrive at the same set of children with no
//! lower peak than another are cut.

use rustc_hash::FxHashMap as HashMap;
use std::cmp::Reverse;

use super::permute::Permutation;
use super::{Labels, Node, NodeId, Tree};
use crate::schedule::{Options, Statistics};

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

/// Finds an order of evaluation between the labels live before a tree and those live after it.
///
/// # Panics
/// If a label is live after the tree that is neither live before it nor a leaf of it.
#[must_use]
pub fn evaluate(tree: &Tree, live_in: &Labels, live_out: &Labels, options: &Options) -> Evaluation {
    let there = live_in.union(tree.uses(tree.root()));
    assert!(live_out.without(&there).is_empty(), "what is live after a tree comes from somewhere");
    let mut evaluator = Evaluator::new(tree, options);
    let answer = evaluator.best(tree.root(), live_in, live_out);
    let mut orders = vec![Vec::new(); tree.nodes().len()];
    let mut stack = vec![(tree.root(), live_in.clone(), live_out.clone())];
    while let Some((node, live_in, live_out)) = stack.pop() {
        let order = evaluator.best(node, &live_in, &live_out).order;
        let mut spot = Spot::at(&evaluator.trimmed(node, &live_in, &live_out));
        for (at, &child) in order.iter().enumerate() {
            let later = evaluator.wanted(&order[at + 1..], &live_out);
            if !tree.get(child).children().is_empty() {
                stack.push((child, spot.now.clone(), evaluator.after(&spot, child, &later)));
            }
            spot = evaluator.step(&spot, child, &later).1;
        }
        orders[node.index()] = order;
    }
    Evaluation { max_live: answer.cost, orders, statistics: evaluator.statistics }
}

/// Between two children.
#[derive(Debug, Clone)]
pub struct Spot {
    /// Labels live.
    pub now: Labels,
    /// Registers of results that wait for the operation.
    pub held: u32,
}

impl Spot {
    fn at(live: &Labels) -> Self {
        Self { now: live.clone(), held: 0 }
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
    /// Children that were placed, in complete permutations or not.
    pub steps: u64,
    pub statistics: Statistics,
}

impl<'a> Evaluator<'a> {
    fn new(tree: &'a Tree, options: &'a Options) -> Self {
        let (memo, statistics) = (HashMap::default(), Statistics::default());
        Self { tree, options, memo, words: 0, steps: 0, statistics }
    }

    /// Whether no further permutation may be tried: each may take a few steps.
    pub fn is_exhausted(&self) -> bool {
        let most = self.options.permutations;
        self.statistics.permutations >= most || self.steps >= most.saturating_mul(8)
    }

    /// The labels before a node that will still be read.
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
            Node::Leaf(_) => {
                let cost = self.tree.weight(&live_in.union(self.tree.uses(node)));
                Answer { cost, order: Vec::new() }
            }
            Node::Operation { children, registers } => {
                self.operation(children, *registers, live_in, live_out)
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
        // No order can go below what is live at the ends.
        let at_end = self.tree.weight(live_out) + registers;
        let bound = self.tree.weight(live_in).max(at_end);
        let (mut cost, mut order) = self.permute(&Spot::at(live_in), &inner, &later, bound);
        let held: u32 = inner.iter().map(|&child| self.tree.get(child).registers()).sum();
        let used = inner.iter().chain(&leaves);
        let all = used.fold(live_in.clone(), |all, &child| all.union(self.tree.uses(child)));
        cost = cost.max(self.tree.weight(&all.intersection(&later)) + held).max(at_end);
        order.extend(leaves);
        Answer { cost, order }
    }

    /// The best order of some children by permutation.
    fn permute(&mut self, spot: &Spot, children: &[NodeId], later: &Labels, bound: u32) -> Way {
        // What uses most labels comes first, as without sharing.
        let mut children = children.to_vec();
        children.sort_by_cached_key(|&child| Reverse(self.tree.uses(child).len()));
        Permutation::new(later, bound).best(self, spot, &children)
    }

    /// The labels that some children use, and some others.
    pub fn wanted(&self, children: &[NodeId], and: &Labels) -> Labels {
        children.iter().fold(and.clone(), |set, &child| set.union(self.tree.uses(child)))
    }

    /// The labels live after a child.
    fn after(&self, spot: &Spot, child: NodeId, later: &Labels) -> Labels {
        spot.now.union(self.tree.uses(child)).intersection(later)
    }

    /// Evaluates a child: the most registers, and where that leads.
    pub fn step(&mut self, spot: &Spot, child: NodeId, later: &Labels) -> (u32, Spot) {
        let tree = self.tree;
        let node = tree.get(child);
        let (peak, with) = if node.children().is_empty() {
            let with = spot.now.union(tree.uses(child));
            (tree.weight(&with) + spot.held, with)
        } else {
            let then = self.after(spot, child, later);
            (self.best(child, &spot.now, &then).cost + spot.held, then)
        };
        let held = spot.held + node.registers();
        let peak = peak.max(tree.weight(&with) + held);
        (peak, Spot { now: with.intersection(later), held })
    }
}
