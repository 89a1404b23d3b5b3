//! Canonical forms of sums: distribution of products, and order of terms.

use super::{
    linear::{Node, Sums, Term, dissolve},
    term_order::TermOrder,
};

/// The order of the terms of a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sequence {
    /// Program order.
    Text,
    /// Plane by plane as they arrive, those of one plane as [`TermOrder`] says; a term of the first
    /// plane without a weight comes first.
    Planes,
    /// The same, but the first term is one without a weight, whatever its plane.
    PlainFirst,
}

/// Which factors of sums are multiplied out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// None.
    Nothing,
    /// Those whose sum then needs fewer operations.
    Savings,
    /// Also those whose sum has terms from several planes, at no cost: weights, and values
    /// independent of planes.
    AcrossPlanes,
    /// All that cost nothing: weights and values.
    Everything,
}

/// The wanted form of a sum.
pub struct SumForm<'s> {
    /// The rules of sums.
    pub sums: &'s Sums,
    /// The plane of each leaf; none if it is independent of planes.
    pub planes: &'s [Option<i64>],
    /// The order of terms within a plane.
    pub order: TermOrder<'s>,
    /// The order of all terms.
    pub sequence: Sequence,
    /// What is multiplied out.
    pub distribution: Distribution,
}

impl SumForm<'_> {
    /// The terms of an expression in this form, including nested sums.
    pub fn terms(&self, term: Term) -> Vec<Term> {
        self.sum(self.dissolved(vec![term]))
    }

    /// Instructions of an expression in the cheapest order.
    pub fn least(&self, term: Term) -> usize {
        let Self { planes, order, .. } = *self;
        let (sequence, distribution) = (Sequence::PlainFirst, Distribution::Nothing);
        let form = SumForm { sums: self.sums, planes, order, sequence, distribution };
        self.sums.instructions(&Node::Sum(form.terms(term)))
    }

    /// The terms of a sum, with nested sums of weight 1 or -1 flattened first, so that the form
    /// does not depend on nesting.
    fn dissolved(&self, terms: Vec<Term>) -> Vec<Term> {
        let inside = |term: Term| Term { node: self.dissolved_node(term.node), ..term };
        let terms = dissolve(terms).into_iter().map(inside).collect();
        self.in_sequence(self.sums.merged(terms))
    }

    fn dissolved_node(&self, node: Node) -> Node {
        match node {
            Node::Leaf(_) => node,
            Node::Product(left, right) => {
                let factors = [self.dissolved_node(*left), self.dissolved_node(*right)];
                let [left, right] = self.in_order(factors);
                Node::Product(left.into(), right.into())
            }
            Node::Sum(terms) => Node::Sum(self.dissolved(terms)),
        }
    }

    fn in_order(&self, [left, right]: [Node; 2]) -> [Node; 2] {
        let swaps = self.sequence != Sequence::Text && self.order.nodes(&left, &right).is_gt();
        if swaps { [right, left] } else { [left, right] }
    }

    fn sum(&self, terms: Vec<Term>) -> Vec<Term> {
        let inside = |term: Term| Term { node: self.node(term.node), ..term };
        let terms = terms.into_iter().map(inside).collect();
        let mut terms = self.in_sequence(self.sums.flat(terms));
        while let Some(better) = (0..terms.len()).find_map(|at| self.distributed(&terms, at)) {
            terms = better;
        }
        terms
    }

    fn node(&self, node: Node) -> Node {
        match node {
            Node::Leaf(_) => node,
            Node::Product(left, right) => {
                let [left, right] = self.in_order([self.node(*left), self.node(*right)]);
                Node::Product(left.into(), right.into())
            }
            Node::Sum(terms) => Node::Sum(self.sum(terms)),
        }
    }

    fn in_sequence(&self, mut terms: Vec<Term>) -> Vec<Term> {
        if self.sequence == Sequence::Text {
            return terms;
        }
        terms.sort_by(|one, other| self.order.terms(one, other));
        let mut terms = by_planes(terms, self.planes);
        if self.sequence == Sequence::PlainFirst {
            let all = terms.len();
            begin_plain(&mut terms, all);
        }
        terms
    }

    /// The terms with one of them multiplied out, if that pays.
    fn distributed(&self, terms: &[Term], at: usize) -> Option<Vec<Term>> {
        if self.distribution == Distribution::Nothing {
            return None;
        }
        let cost = |terms: &[Term]| self.sums.instructions(&Node::Sum(terms.to_vec()));
        let now = cost(terms);
        let mut forms = [self.sums.push(&terms[at]), self.spread(&terms[at])].into_iter().flatten();
        forms.find_map(|form| {
            let Node::Sum(parts) = &form.node else {
                // A weight that was absorbed by one factor of a product.
                let mut changed = terms.to_vec();
                changed[at] = form;
                return (cost(&changed) < now).then_some(changed);
            };
            let wanted = match self.distribution {
                Distribution::Nothing | Distribution::Savings => false,
                Distribution::AcrossPlanes => self.crosses(parts),
                Distribution::Everything => true,
            };
            let mut changed = terms.to_vec();
            changed.splice(at..=at, [form.clone()]);
            let changed = self.in_sequence(self.sums.flat(changed));
            let then = cost(&changed);
            (then < now || (wanted && then == now)).then_some(changed)
        })
    }

    /// Whether terms depend on different planes.
    fn crosses(&self, terms: &[Term]) -> bool {
        let mut planes = terms.iter().map(|term| plane(&term.node, self.planes));
        let first = planes.next();
        planes.any(|other| Some(other) != first)
    }

    /// A sum times a value: each term times the value. Unless everything is multiplied out, the
    /// value must be independent of planes: a cell would have to be kept until the sum's last
    /// plane.
    fn spread(&self, term: &Term) -> Option<Term> {
        let Node::Product(left, right) = &term.node else { return None };
        let (value, parts) = match (&**left, &**right) {
            (value @ Node::Leaf(_), Node::Sum(parts)) => (value, parts),
            (Node::Sum(parts), value @ Node::Leaf(_)) => (value, parts),
            _ => return None,
        };
        let may_be_cell = self.distribution == Distribution::Everything;
        if !term.is_unit() || (plane(value, self.planes).is_some() && !may_be_cell) {
            return None;
        }
        let times = |part: &Term| {
            let [left, right] = self.in_order([value.clone(), part.node.clone()]);
            let factor = part.factor * term.factor;
            Term { factor, node: Node::Product(left.into(), right.into()) }
        };
        Some(Term { factor: 1.0, node: Node::Sum(parts.iter().map(times).collect()) })
    }
}

/// The last plane that an expression depends on.
fn plane(node: &Node, planes: &[Option<i64>]) -> Option<i64> {
    match node {
        Node::Leaf(leaf) => planes[leaf.0],
        Node::Product(left, right) => plane(left, planes).max(plane(right, planes)),
        Node::Sum(terms) => terms.iter().map(|term| plane(&term.node, planes)).max().flatten(),
    }
}

/// Sorts terms by planes, stably, except that one without a weight starts the sum, which saves an
/// operation.
pub fn by_planes(mut terms: Vec<Term>, planes: &[Option<i64>]) -> Vec<Term> {
    terms.sort_by_key(|term| plane(&term.node, planes));
    let Some(first) = terms.first().map(|term| plane(&term.node, planes)) else { return terms };
    let count = terms.iter().take_while(|term| plane(&term.node, planes) == first).count();
    begin_plain(&mut terms, count);
    terms
}

/// Moves a term without a weight to the front, if there is one among the first.
fn begin_plain(terms: &mut [Term], count: usize) {
    let first = &terms[..count];
    let added = first.iter().position(|term| term.is_plain() && term.factor > 0.0);
    let start = added.or_else(|| first.iter().position(Term::is_plain));
    if let Some(start) = start {
        terms[..=start].rotate_right(1);
    }
}

#[cfg(test)]
#[path = "sum_form_tests.rs"]
mod tests;
