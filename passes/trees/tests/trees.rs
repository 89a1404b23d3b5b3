//! Trees with shared leaves: the evaluation that is found against all atomic evaluations, where
//! each subtree is evaluated in one piece and each node's children in every order.

use crate::random::Dice;
use std::collections::HashMap;
use stencil_code::{Dag, Item, ItemId, Kind, max_live};
use stencil_trees::Options;
use stencil_trees::tree::{Label, Labels, Node, NodeId, Tree, evaluate};

/// A random tree of at most `leaves` leaves over a few labels.
fn random_tree(dice: &mut Dice, leaves: usize, wide: bool) -> Tree {
    let mut tree = Tree::new();
    let labels = 2 + dice.below(5);
    let width: Vec<u32> = (0..labels).map(|_| 1 + u32::from(wide && dice.below(3) == 0)).collect();
    let mut open: Vec<NodeId> = (0..leaves)
        .map(|_| {
            let label = dice.below(labels);
            tree.leaf(Label(label as u32), width[label])
        })
        .collect();
    while open.len() > 1 {
        let arity = (1 + dice.below(4)).min(open.len());
        let children: Vec<NodeId> =
            (0..arity).map(|_| open.swap_remove(dice.below(open.len()))).collect();
        let registers = 1 + u32::from(wide && dice.below(3) == 0);
        open.push(tree.operation(&children, registers));
    }
    tree
}

/// Labels live before a tree, and labels live after it that are live before or in the tree.
fn random_context(dice: &mut Dice, tree: &Tree) -> (Labels, Labels) {
    let some = |dice: &mut Dice, of: &Labels| {
        Labels::of(&of.iter().filter(|_| dice.below(3) == 0).collect::<Vec<_>>())
    };
    let all = Labels::of(&(0..8).map(Label).collect::<Vec<_>>());
    let live_in = some(dice, &all);
    let live_out = some(dice, &live_in.union(tree.uses(tree.root())));
    (live_in, live_out)
}

/// The code of a tree whose children are evaluated in the order that `order` gives for each node.
/// What is live before the tree is an input, what is live after it is live-out, and so is the root.
fn expand(
    tree: &Tree,
    order: &dyn Fn(NodeId) -> Vec<NodeId>,
    live_in: &Labels,
    live_out: &Labels,
) -> Dag {
    let mut items = Vec::new();
    let mut loaded = HashMap::new();
    let add = |items: &mut Vec<Item>, kind, operands, registers| {
        items.push(Item::new(kind, operands, registers));
        ItemId::new(items.len() - 1)
    };
    for label in live_in.iter() {
        loaded.insert(label, add(&mut items, Kind::Input, vec![], tree.width(label)));
    }
    let mut results = HashMap::new();
    // A node is entered with no child done; it is finished when all are.
    let mut stack = vec![(tree.root(), order(tree.root()), 0)];
    while let Some((node, children, done)) = stack.pop() {
        if done < children.len() {
            let child = children[done];
            stack.push((node, children, done + 1));
            stack.push((child, order(child), 0));
            continue;
        }
        let item = match tree.get(node) {
            Node::Leaf(label) => *loaded
                .entry(*label)
                .or_insert_with(|| add(&mut items, Kind::Load, vec![], tree.width(*label))),
            Node::Operation { registers, .. } => {
                let operands = children.iter().map(|child| results[child]).collect();
                add(&mut items, Kind::Operation, operands, *registers)
            }
        };
        results.insert(node, item);
    }
    let live_out = live_out.iter().map(|label| loaded[&label]).chain([results[&tree.root()]]);
    live_out.for_each(|item| items[item.index()].live_out = true);
    Dag::new(items)
}

/// MAXLIVE of the best of all atomic evaluations, by recount of every one.
fn least(tree: &Tree, live_in: &Labels, live_out: &Labels) -> u32 {
    let mut orders: Vec<Vec<NodeId>> =
        tree.nodes().iter().map(|node| node.children().to_vec()).collect();
    orders.iter_mut().for_each(|order| order.sort_unstable());
    let mut best = u32::MAX;
    loop {
        let order = |node: NodeId| orders[node.index()].clone();
        let code = expand(tree, &order, live_in, live_out);
        best = best.min(max_live(&code, &code.source_order()));
        // The next combination, as a counter is advanced: a node that starts over carries.
        if !orders.iter_mut().any(|order| advance(order)) {
            return best;
        }
    }
}

/// The next permutation, by the numbers of nodes; after the last, the first and `false`.
fn advance(order: &mut [NodeId]) -> bool {
    let Some(at) = (1..order.len()).rev().find(|&at| order[at - 1] < order[at]) else {
        order.sort_unstable();
        return false;
    };
    let next = (at..order.len()).rev().find(|&next| order[next] > order[at - 1]).unwrap();
    order.swap(at - 1, next);
    order[at..].reverse();
    true
}

/// What `evaluate` claims is what the recount of its order says; both are returned.
fn recounted(tree: &Tree, live_in: &Labels, live_out: &Labels, options: &Options) -> u32 {
    let found = evaluate(tree, live_in, live_out, options);
    let order = |node: NodeId| found.orders[node.index()].clone();
    let code = expand(tree, &order, live_in, live_out);
    let recount = max_live(&code, &code.source_order());
    assert_eq!(found.max_live, recount, "the cost that is claimed is the cost by recount");
    recount
}

/// How many atomic evaluations a tree has.
fn evaluations(tree: &Tree) -> u64 {
    let arities = tree.nodes().iter().map(|node| node.children().len() as u64);
    arities.map(|arity| (1..=arity).product::<u64>()).product()
}

#[test]
fn the_best_of_all_atomic_evaluations_is_found() {
    let mut dice = Dice::new(5);
    let exact = Options { distance: 0, ..Options::default() };
    let mut tried = 0;
    for round in 0..3600 {
        let tree = random_tree(&mut dice, 1 + round % 9, round % 2 == 0);
        if evaluations(&tree) > 300 && round % 20 != 0 {
            continue;
        }
        let (live_in, live_out) = random_context(&mut dice, &tree);
        let best = least(&tree, &live_in, &live_out);
        assert_eq!(recounted(&tree, &live_in, &live_out, &exact), best, "{tree:?}");
        let near = recounted(&tree, &live_in, &live_out, &Options::default());
        assert!(near >= best);
        let plain = Options { memoize: false, ..exact.clone() };
        assert_eq!(recounted(&tree, &live_in, &live_out, &plain), best);
        tried += 1;
    }
    println!("{tried} trees");
    assert!(tried > 2000);
}

#[test]
fn contexts_cost_no_more_than_their_labels() {
    let mut dice = Dice::new(6);
    let exact = Options { distance: 0, ..Options::default() };
    let none = Labels::default();
    for round in 0..2000 {
        let tree = random_tree(&mut dice, 1 + round % 6, false);
        let (live_in, live_out) = random_context(&mut dice, &tree);
        let around = live_in.union(&live_out).len() as u32;
        let alone = recounted(&tree, &none, &none, &exact);
        let within = recounted(&tree, &live_in, &live_out, &exact);
        assert!(alone <= within && within <= alone + around);
    }
}

#[test]
fn operations_of_many_children_are_permuted_within_the_limit() {
    let mut tree = Tree::new();
    let mut dice = Dice::new(8);
    let mut children: Vec<NodeId> = (0..60)
        .map(|at| {
            let leaves = [at, at + 1, 100 + at % 7].map(|label| tree.leaf(Label(label as u32), 1));
            tree.operation(&leaves, 1)
        })
        .collect();
    children.sort_by_cached_key(|_| dice.below(1000));
    tree.operation(&children, 1);
    let none = Labels::default();
    let options = Options { permutations: 20_000, ..Options::default() };
    let found = evaluate(&tree, &none, &none, &options);
    println!("{} {:?}", found.max_live, found.statistics);
    assert!(found.statistics.permutations <= 20_000 + 100);
    // All results wait for the operation.
    assert!((60..70).contains(&found.max_live));
    recounted(&tree, &none, &none, &options);
}

#[test]
fn deep_trees_do_not_exhaust_the_stack() {
    let mut tree = Tree::new();
    let mut node = tree.leaf(Label(0), 1);
    for at in 1..3000_u32 {
        let leaf = tree.leaf(Label(at % 50), 1);
        node = tree.operation(&[leaf, node], 1);
    }
    let none = Labels::default();
    assert!(recounted(&tree, &none, &none, &Options::default()) <= 51);
    assert!(matches!(tree.get(node), Node::Operation { .. }));
}
