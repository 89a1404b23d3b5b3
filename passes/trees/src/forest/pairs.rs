//! Which trees stand next to each other: greedily, those that share most.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};

use petgraph::Direction::Outgoing;
use petgraph::graph::{DiGraph, NodeIndex};

use super::Forest;
use crate::schedule::Statistics;
use crate::walk::Graph;
use stencil_code::ArrayId;

/// Trees are paired within stretches of this many of the sorted DAG, which bounds time and memory.
pub const TREES_PAIRED: usize = 320;

/// The trees in the order of their evaluation.
pub fn group(
    forest: &Forest,
    graph: &Graph,
    arrays: &[Option<ArrayId>],
    statistics: &mut Statistics,
) -> Vec<NodeIndex> {
    let mut out = Vec::new();
    for part in forest.sorted().chunks(TREES_PAIRED) {
        let (order, compared) = Groups::of(forest, part, graph, arrays).run();
        out.extend(order);
        statistics.stretches += 1;
        statistics.steps += compared;
    }
    out
}

/// Trees that stand next to each other, and what they read.
struct Group {
    trees: Vec<NodeIndex>,
    labels: BTreeSet<u32>,
    arrays: BTreeSet<ArrayId>,
}

/// How much two groups share: registers of labels, then arrays.
type Shared = (u32, usize);

struct Groups<'a> {
    graph: &'a Graph,
    /// Groups by number; a group that has gone into another is empty.
    groups: Vec<Option<Group>>,
    /// Between groups.
    needs: DiGraph<(), ()>,
    /// What each pair shares, the lower number first; nothing if it cannot be brought together.
    shared: Vec<Vec<Shared>>,
    /// The higher number with which each group shares most, the first of equal ones.
    nearest: Vec<usize>,
    /// Pairs that were compared.
    compared: u64,
}

impl<'a> Groups<'a> {
    fn of(
        forest: &Forest,
        part: &[NodeIndex],
        graph: &'a Graph,
        arrays: &[Option<ArrayId>],
    ) -> Self {
        let group = |&tree: &NodeIndex| {
            let labels: BTreeSet<u32> = forest.trees[tree.index()].labels.iter().copied().collect();
            let arrays = labels.iter().filter_map(|&label| arrays[label as usize]).collect();
            Some(Group { trees: vec![tree], labels, arrays })
        };
        let groups: Vec<_> = part.iter().map(group).collect();
        let mut needs = DiGraph::new();
        part.iter().for_each(|_| {
            needs.add_node(());
        });
        for (at, &tree) in part.iter().enumerate() {
            for other in forest.needs.neighbors_directed(tree, Outgoing) {
                if let Some(to) = part.iter().position(|&tree| tree == other) {
                    needs.update_edge(NodeIndex::new(at), NodeIndex::new(to), ());
                }
            }
        }
        let shared = vec![vec![(0, 0); part.len()]; part.len()];
        let nearest = (0..part.len()).collect();
        let mut all = Self { graph, groups, needs, shared, nearest, compared: 0 };
        (0..part.len()).for_each(|at| all.compare(at));
        all
    }

    /// The trees in order, and how many pairs were compared.
    fn run(mut self) -> (Vec<NodeIndex>, u64) {
        while let Some((one, other)) = self.nearest() {
            if self.is_apart(one, other) {
                self.set(one, other, (0, 0));
            } else {
                self.join(one, other);
            }
        }
        // Sorted by need, then by where a group began.
        let mut missing: Vec<usize> = self
            .needs
            .node_indices()
            .map(|node| self.needs.neighbors_directed(node, petgraph::Direction::Incoming).count())
            .collect();
        let mut ready: BTreeSet<usize> = (0..missing.len())
            .filter(|&at| missing[at] == 0 && self.groups[at].is_some())
            .collect();
        let mut out = Vec::new();
        while let Some(at) = ready.pop_first() {
            out.extend(&self.groups[at].as_ref().expect("only groups are ready").trees);
            for other in self.needs.neighbors_directed(NodeIndex::new(at), Outgoing) {
                missing[other.index()] -= 1;
                if missing[other.index()] == 0 {
                    ready.insert(other.index());
                }
            }
        }
        (out, self.compared)
    }

    /// The pair that shares most; of equal ones the first.
    fn nearest(&self) -> Option<(usize, usize)> {
        let all = self.nearest.iter().copied().enumerate();
        let best = all.max_by_key(|&(one, other)| (self.shared[one][other], Reverse(one)));
        best.filter(|&(one, other)| self.shared[one][other] > (0, 0))
    }

    /// Sets what a pair shares, the lower number first.
    fn set(&mut self, one: usize, other: usize, shared: Shared) {
        let (row, before) = (&mut self.shared[one], self.nearest[one]);
        let old = std::mem::replace(&mut row[other], shared);
        let rank = |at: usize| (row[at], Reverse(at));
        if before == other && shared < old {
            let all = one + 1..row.len();
            self.nearest[one] = all.max_by_key(|&at| rank(at)).unwrap_or(one);
        } else if rank(other) > rank(before) {
            self.nearest[one] = other;
        }
    }

    /// Whether a path between two groups leads through a third.
    fn is_apart(&self, one: usize, other: usize) -> bool {
        let through = |from: usize, to: usize| {
            let mut stack: Vec<NodeIndex> = self.needs.neighbors(NodeIndex::new(from)).collect();
            stack.retain(|node| node.index() != to);
            let mut visited: HashSet<NodeIndex> = stack.iter().copied().collect();
            while let Some(node) = stack.pop() {
                for next in self.needs.neighbors(node) {
                    if next.index() == to {
                        return true;
                    }
                    if visited.insert(next) {
                        stack.push(next);
                    }
                }
            }
            false
        };
        through(one, other) || through(other, one)
    }

    /// Makes one group of two, under the lower number.
    fn join(&mut self, one: usize, other: usize) {
        let (kept, gone) = (NodeIndex::new(one), NodeIndex::new(other));
        let behind = self.needs.find_edge(gone, kept).is_some();
        let added = self.groups[other].take().expect("a pair has two groups");
        let group = self.groups[one].as_mut().expect("a pair has two groups");
        let at = if behind { 0 } else { group.trees.len() };
        group.trees.splice(at..at, added.trees);
        group.labels.extend(added.labels);
        group.arrays.extend(added.arrays);
        for direction in [Outgoing, petgraph::Direction::Incoming] {
            let others: Vec<_> = self.needs.neighbors_directed(gone, direction).collect();
            for node in others.into_iter().filter(|&node| node != kept) {
                match direction {
                    Outgoing => self.needs.update_edge(kept, node, ()),
                    petgraph::Direction::Incoming => self.needs.update_edge(node, kept, ()),
                };
            }
        }
        self.needs.retain_edges(|needs, edge| {
            needs.edge_endpoints(edge).is_none_or(|(from, to)| from != gone && to != gone)
        });
        self.compare(one);
        self.compare(other);
    }

    /// Sets what a group shares with every other.
    fn compare(&mut self, at: usize) {
        self.compared += self.groups.len() as u64;
        for other in 0..self.groups.len() {
            let shared = match (&self.groups[at], &self.groups[other]) {
                (Some(one), Some(two)) if at != other => {
                    let labels = one.labels.intersection(&two.labels);
                    let registers = labels.map(|&label| self.graph.registers[label as usize]).sum();
                    (registers, one.arrays.intersection(&two.arrays).count())
                }
                _ => (0, 0),
            };
            if at != other {
                self.set(at.min(other), at.max(other), shared);
            }
        }
    }
}
