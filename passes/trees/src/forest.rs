//! Straight-line code as a DAG of expression trees, and the order that trees give.
//!
//! A tree is grown from a result that is stored, is live-out, or has several readers: downwards
//! through every operation that only one other reads. Its leaves are loads and the results of other
//! trees, each a label; trees that read a label share it. The order of the sums is part of the
//! code, so the trees of code have operations and no free sums.
//!
//! Trees are put next to each other greedily, most shared labels first, then most shared arrays,
//! for as long as no path between two leads through a third; a pair then counts as one. The DAG
//! of what is left is sorted, and each tree is evaluated between the labels that are live.
//!
//! Method: Rawat et al., Register Optimizations for Stencils on GPUs, PPoPP 2018.

mod pairs;

pub use pairs::TREES_PAIRED;

use std::collections::HashMap;

use petgraph::algo::toposort;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::schedule::{Options, Statistics};
use crate::tree::{Label, Labels, NodeId, Tree, evaluate};
use crate::walk::{Graph, Walk};
use stencil_code::ArrayId;

/// Orders the items that have a place in one by their trees.
pub fn by_trees(
    graph: &Graph,
    arrays: &[Option<ArrayId>],
    options: &Options,
) -> (Vec<u32>, Statistics) {
    let forest = Forest::of(graph);
    let mut statistics = Statistics::default();
    let groups = pairs::group(&forest, graph, arrays, &mut statistics);
    let mut grower = Grower {
        walk: Walk::at_start(graph),
        order: Vec::new(),
        statistics,
        permutations: options.permutations,
        options,
    };
    for tree in groups {
        grower.evaluate(&forest.trees[tree.index()]);
    }
    grower.statistics.is_spent = grower.permutations == 0;
    (grower.order, grower.statistics)
}

/// A tree of a code.
pub struct Grown {
    tree: Tree,
    /// The item that each node is, or that its label names.
    items: Vec<u32>,
    /// The item that each label names.
    pub labels: Vec<u32>,
}

/// All trees of a code, and which must precede which.
pub struct Forest {
    /// The trees, in the order of their roots.
    pub trees: Vec<Grown>,
    /// An edge from each tree to those that need it.
    pub needs: DiGraph<(), ()>,
}

impl Forest {
    fn of(graph: &Graph) -> Self {
        let count = graph.len() as u32;
        let inner: Vec<bool> = (0..count).map(|item| is_inner(graph, item)).collect();
        let mut tree_of = vec![None; graph.len()];
        let mut trees = Vec::new();
        let mut needs = DiGraph::new();
        for root in 0..count {
            let id = root as usize;
            if graph.given[id] || graph.leaf[id] || inner[id] {
                continue;
            }
            let node = needs.add_node(());
            tree_of[id] = Some(node);
            let grown = Grown::of(graph, root, &inner);
            for before in others(graph, &grown, &inner) {
                let other: NodeIndex = tree_of[before as usize].expect("roots ascend");
                needs.update_edge(other, node, ());
            }
            trees.push(grown);
        }
        Self { trees, needs }
    }

    /// The trees in an order that the DAG allows.
    pub fn sorted(&self) -> Vec<NodeIndex> {
        toposort(&self.needs, None).expect("a tree needs what its root comes after")
    }
}

/// Whether an item belongs to the tree of the one item that reads it.
fn is_inner(graph: &Graph, item: u32) -> bool {
    let id = item as usize;
    let values = graph.operands[id].iter().filter(|&&operand| !graph.given[operand as usize]);
    graph.users[id].len() == 1
        && !graph.live_out[id]
        && !graph.leaf[id]
        && !graph.given[id]
        // Constraints bind whole trees.
        && graph.behind[id].len() == 1
        && graph.before[id].len() == values.count()
        && !graph.operands[id].is_empty()
}

/// The roots of other trees that must precede a tree.
fn others(graph: &Graph, grown: &Grown, inner: &[bool]) -> Vec<u32> {
    let mut out = Vec::new();
    let mut stack = grown.items.clone();
    let mut visited = std::collections::HashSet::new();
    while let Some(item) = stack.pop() {
        for &before in &graph.before[item as usize] {
            if inner[before as usize] || !visited.insert(before) {
                continue;
            }
            if graph.leaf[before as usize] { stack.push(before) } else { out.push(before) }
        }
    }
    out
}

impl Grown {
    fn of(graph: &Graph, root: u32, inner: &[bool]) -> Self {
        let mut grown = Self { tree: Tree::new(), items: Vec::new(), labels: Vec::new() };
        let mut known: HashMap<u32, Label> = HashMap::new();
        let mut stack: Vec<(u32, Vec<NodeId>)> = vec![(root, Vec::new())];
        while let Some((item, mut children)) = stack.pop() {
            let operands = &graph.operands[item as usize];
            let Some(&operand) = operands.get(children.len()) else {
                let node = grown.tree.operation(&children, graph.registers[item as usize]);
                grown.items.push(item);
                if let Some((_, siblings)) = stack.last_mut() {
                    siblings.push(node);
                }
                continue;
            };
            if inner[operand as usize] {
                stack.push((item, children));
                stack.push((operand, Vec::new()));
                continue;
            }
            let next = Label(grown.labels.len() as u32);
            let label = *known.entry(operand).or_insert(next);
            if label == next {
                grown.labels.push(operand);
            }
            children.push(grown.tree.leaf(label, graph.registers[operand as usize]));
            grown.items.push(operand);
            stack.push((item, children));
        }
        grown
    }
}

/// Evaluates tree after tree.
struct Grower<'a> {
    walk: Walk<'a>,
    order: Vec<u32>,
    statistics: Statistics,
    /// Permutations that may still be tried.
    permutations: u64,
    options: &'a Options,
}

impl Grower<'_> {
    /// Evaluates a tree between what is live and what will still be read.
    fn evaluate(&mut self, grown: &Grown) {
        let root = *grown.items.last().expect("a tree has a root");
        if grown.labels.is_empty() {
            return self.fetch(root);
        }
        let graph = self.walk.graph;
        let (mut live_in, mut live_out) = (Labels::default(), Labels::default());
        let mut within = vec![0; grown.labels.len()];
        for node in grown.tree.nodes() {
            if let crate::tree::Node::Leaf(label) = node {
                within[label.0 as usize] += 1;
            }
        }
        for (at, &item) in grown.labels.iter().enumerate() {
            let label = Label(at as u32);
            if self.walk.done[item as usize] {
                live_in.insert(label);
            }
            if self.walk.readers(item) > within[at] {
                live_out.insert(label);
            }
        }
        let options = Options { permutations: self.permutations, ..self.options.clone() };
        let found = evaluate(&grown.tree, &live_in, &live_out, &options);
        self.permutations -= self.permutations.min(found.statistics.permutations);
        self.statistics.permutations += found.statistics.permutations;
        self.statistics.memo_calls += found.statistics.memo_calls;
        self.statistics.memo_hits += found.statistics.memo_hits;
        self.statistics.steps += found.statistics.steps;
        let mut stack = vec![(grown.tree.root(), 0)];
        while let Some((node, next)) = stack.pop() {
            match found.orders[node.index()].get(next) {
                Some(&child) => stack.extend([(node, next + 1), (child, 0)]),
                None => self.fetch(grown.items[node.index()]),
            }
        }
        debug_assert!(graph.given[root as usize] || self.walk.done[root as usize]);
    }

    /// Does an item, and before it what has not been done for it: leaves of leaves.
    fn fetch(&mut self, item: u32) {
        let graph = self.walk.graph;
        let mut stack = vec![(item, 0)];
        while let Some((item, next)) = stack.pop() {
            match graph.before[item as usize].get(next) {
                _ if self.walk.done[item as usize] => {}
                Some(&other) => stack.extend([(item, next + 1), (other, 0)]),
                None => {
                    self.walk.push(item);
                    self.order.push(item);
                }
            }
        }
    }
}
