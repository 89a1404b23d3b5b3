//! A canonical order of terms.
//!
//! Leaves have ranks. Terms are sorted by the ranks of their leaves, lowest first; then by
//! structure, values before products and products before sums; then by weight. Equal terms keep
//! program order.

use super::linear::{Node, Term};
use std::cmp::Ordering;

/// Compares terms by the ranks of their leaves.
#[derive(Clone, Copy, Debug)]
pub struct TermOrder<'r> {
    /// The rank of each leaf; leaves of equal rank are indistinguishable.
    pub ranks: &'r [usize],
}

impl TermOrder<'_> {
    /// Which of two terms comes first.
    pub fn terms(&self, one: &Term, other: &Term) -> Ordering {
        let nodes = self.nodes(&one.node, &other.node);
        nodes.then_with(|| one.factor.total_cmp(&other.factor))
    }

    /// Which of two expressions comes first.
    pub fn nodes(&self, one: &Node, other: &Node) -> Ordering {
        let leaves = |node| {
            let mut ranks = Vec::new();
            self.collect(node, &mut ranks);
            ranks.sort_unstable();
            ranks
        };
        leaves(one).cmp(&leaves(other)).then_with(|| self.shapes(one, other))
    }

    fn collect(&self, node: &Node, ranks: &mut Vec<usize>) {
        match node {
            Node::Leaf(leaf) => ranks.push(self.ranks[leaf.0]),
            Node::Product(left, right) => {
                self.collect(left, ranks);
                self.collect(right, ranks);
            }
            Node::Sum(terms) => terms.iter().for_each(|term| self.collect(&term.node, ranks)),
        }
    }

    /// Expressions of the same leaves.
    fn shapes(&self, one: &Node, other: &Node) -> Ordering {
        match (one, other) {
            (Node::Leaf(one), Node::Leaf(other)) => self.ranks[one.0].cmp(&self.ranks[other.0]),
            (Node::Product(a, b), Node::Product(c, d)) => {
                self.nodes(a, c).then_with(|| self.nodes(b, d))
            }
            (Node::Sum(ones), Node::Sum(others)) => {
                let pairs = ones.iter().zip(others);
                let differences = pairs.map(|(one, other)| self.terms(one, other));
                let first = differences.into_iter().find(|order| order.is_ne());
                first.unwrap_or_else(|| ones.len().cmp(&others.len()))
            }
            _ => kind(one).cmp(&kind(other)),
        }
    }
}

fn kind(node: &Node) -> usize {
    match node {
        Node::Leaf(_) => 0,
        Node::Product(..) => 1,
        Node::Sum(_) => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::{super::linear::Leaf, *};

    fn leaf(number: usize) -> Node {
        Node::Leaf(Leaf(number))
    }

    fn term(factor: f64, node: Node) -> Term {
        Term { factor, node }
    }

    #[test]
    fn leaves_come_by_rank_then_products_then_sums_then_weights() {
        let order = TermOrder { ranks: &[3, 1, 2, 1] };
        let product = |one, other| Node::Product(leaf(one).into(), leaf(other).into());
        let sum = Node::Sum(vec![term(1.0, leaf(1)), term(1.0, leaf(2))]);
        let sorted = [
            term(2.0, leaf(1)),
            term(3.0, leaf(1)),
            term(9.0, product(1, 2)),
            term(-1.0, sum.clone()),
            term(1.0, sum),
            term(1.0, product(1, 0)),
            term(-5.0, leaf(2)),
            term(0.5, leaf(0)),
        ];
        for (at, one) in sorted.iter().enumerate() {
            for (position, other) in sorted.iter().enumerate() {
                assert_eq!(order.terms(one, other), at.cmp(&position), "{one:?}, {other:?}");
            }
        }
        let same = [1, 3].map(|number| term(2.0, leaf(number)));
        assert_eq!(order.terms(&same[0], &same[1]), Ordering::Equal);
    }
}
