//! Sethi-Ullman numbers as the paper prints them: su(n) of trees without sharing, and
//! su'(n, in, out) of trees with shared leaves between the labels live around them.
//!
//! The printed su' is no count of registers. Its formula for two operands forgets that the first
//! stays live until the operation: su'(a + b) is 1. Its formula for accumulations is one too high
//! where the sum takes the register of a leaf: c + c with c dying gives 2 and needs 1. So these
//! functions serve as bounds and as an order; what is minimised is counted by `evaluate`.

use super::{Labels, Node, NodeId, Tree};

/// Registers that a node needs if no two leaves share a label.
#[must_use]
pub fn su(tree: &Tree, node: NodeId) -> u32 {
    // Children stand before their parents: one pass serves trees of any depth.
    let mut numbers: Vec<u32> = Vec::with_capacity(node.index() + 1);
    for node in &tree.nodes()[..=node.index()] {
        let mut below: Vec<u32> =
            node.children().iter().map(|child| numbers[child.index()]).collect();
        below.sort_unstable_by(|a, b| b.cmp(a));
        let most = below.first().copied().unwrap_or(0);
        numbers.push(match node {
            Node::Leaf(_) => 1,
            Node::Constant => 0,
            Node::Operation { .. } => {
                let held = below.iter().zip(0..).filter(|&(&below, _)| below > 0);
                held.map(|(below, held)| below + held).max().unwrap_or(0)
            }
            Node::Accumulation { .. } => most + u32::from(below.get(1) == Some(&most)),
        });
    }
    numbers[node.index()]
}

/// su'(n, in, out) as printed: the least over all orders of all children. Labels count one each.
///
/// This tries every order and serves trees of a few leaves.
#[must_use]
pub fn su_in_context(tree: &Tree, node: NodeId, live_in: &Labels, live_out: &Labels) -> u32 {
    let children = match tree.get(node) {
        Node::Leaf(label) => {
            return live_in.len() as u32 + u32::from(!live_in.contains(*label));
        }
        Node::Constant => return live_in.len() as u32,
        Node::Operation { children, .. } | Node::Accumulation { children, .. } => children,
    };
    let mut order = children.clone();
    let mut least = u32::MAX;
    each_order(&mut order, 0, &mut |order| {
        least = least.min(in_order(tree, node, order, live_in, live_out));
    });
    least
}

fn each_order(order: &mut Vec<NodeId>, first: usize, visit: &mut dyn FnMut(&[NodeId])) {
    if first + 1 >= order.len() {
        return visit(order);
    }
    for next in first..order.len() {
        order.swap(first, next);
        each_order(order, first + 1, visit);
        order.swap(first, next);
    }
}

/// su' for one order of the children.
fn in_order(tree: &Tree, node: NodeId, order: &[NodeId], live_in: &Labels, out: &Labels) -> u32 {
    let mut now = live_in.clone();
    let mut numbers = Vec::new();
    let mut first_out = Labels::default();
    for (at, &child) in order.iter().enumerate() {
        let later = order[at + 1..].iter();
        let later = later.fold(out.clone(), |later, &other| later.union(tree.uses(other)));
        let then = now.union(tree.uses(child)).intersection(&later);
        numbers.push(su_in_context(tree, child, &now, &then));
        if at == 0 {
            first_out = then.clone();
        }
        now = then;
    }
    let most = numbers.iter().copied().max().unwrap_or(0);
    match tree.get(node) {
        Node::Accumulation { .. } => {
            let alone = numbers[0] == most && numbers[1..].iter().all(|&number| number < most);
            let free = match tree.get(order[0]) {
                Node::Leaf(label) => !first_out.contains(*label),
                Node::Constant => false,
                _ => true,
            };
            if alone && free { most } else { most + 1 }
        }
        _ => {
            let kept = |child: &NodeId| match tree.get(*child) {
                Node::Leaf(label) => out.contains(*label),
                _ => false,
            };
            if order.len() > 1 && order.iter().all(kept) { most + 1 } else { most }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Label;

    fn leaf(tree: &mut Tree, label: u32) -> NodeId {
        tree.leaf(Label(label), 1)
    }

    #[test]
    fn the_example_tree_needs_three() {
        // out = a + b * c[i] + d[i] + e[i] * f / 2.3.
        let mut tree = Tree::new();
        let [a, b, c, d, e, f] = [0, 1, 2, 3, 4, 5].map(|label| leaf(&mut tree, label));
        let product = tree.operation(&[b, c], 1);
        let other = tree.operation(&[e, f], 1);
        let constant = tree.constant();
        let quotient = tree.operation(&[other, constant], 1);
        let root = tree.accumulation(&[a, product, d, quotient], 1);
        assert_eq!([a, product, d, quotient].map(|node| su(&tree, node)), [1, 2, 1, 2]);
        assert_eq!(su(&tree, root), 3);
    }

    #[test]
    fn the_printed_formulas_slip_by_one() {
        let none = Labels::default();
        let mut tree = Tree::new();
        let [a, b] = [0, 1].map(|label| leaf(&mut tree, label));
        let sum = tree.operation(&[a, b], 1);
        assert_eq!((su(&tree, sum), su_in_context(&tree, sum, &none, &none)), (2, 1));
        let both = Labels::of(&[Label(0), Label(1)]);
        assert_eq!(su_in_context(&tree, sum, &none, &both), 3);

        let mut tree = Tree::new();
        let [c, again] = [0, 0].map(|label| leaf(&mut tree, label));
        let twice = tree.accumulation(&[c, again], 1);
        assert_eq!(su_in_context(&tree, twice, &none, &none), 2);
    }

    #[test]
    fn a_label_that_passes_through_adds_one() {
        // (a d - b e) / (a f - b g) between {a, b} and nothing; then with c around it.
        let mut tree = Tree::new();
        let mut product = |one, other| {
            let leaves = [leaf(&mut tree, one), leaf(&mut tree, other)];
            tree.operation(&leaves, 1)
        };
        let [ad, be, af, bg] = [product(0, 3), product(1, 4), product(0, 5), product(1, 6)];
        let numerator = tree.operation(&[ad, be], 1);
        let denominator = tree.operation(&[af, bg], 1);
        let root = tree.operation(&[numerator, denominator], 1);
        let ab = Labels::of(&[Label(0), Label(1)]);
        let c = Labels::of(&[Label(2)]);
        assert_eq!(su_in_context(&tree, root, &ab, &Labels::default()), 3);
        assert_eq!(su_in_context(&tree, root, &ab.union(&c), &c), 4);
    }
}
