//! Sums in the order in which their terms arrive, plane by plane.

use super::linear::{Node, Sums, Term};

/// Brings sums into the order of planes.
pub struct PlaneOrder<'s> {
    /// What sums cost; they begin with their first term.
    pub sums: &'s Sums,
    /// For each leaf the plane that it arrives with; none for what is there from the start.
    pub planes: &'s [Option<i64>],
    /// Whether common factors of terms from several planes are multiplied out.
    pub distributes: bool,
}

impl PlaneOrder<'_> {
    /// The terms of an expression, in order; sums inside of them are in order, too.
    pub fn terms(&self, term: Term) -> Vec<Term> {
        self.sum(vec![term])
    }

    fn sum(&self, terms: Vec<Term>) -> Vec<Term> {
        let inside = |term: Term| Term { node: self.node(term.node), ..term };
        let mut terms = self.sorted(self.sums.flat(terms.into_iter().map(inside).collect()));
        while let Some(better) = (0..terms.len()).find_map(|at| self.distributed(&terms, at)) {
            terms = better;
        }
        terms
    }

    fn node(&self, node: Node) -> Node {
        match node {
            Node::Leaf(_) => node,
            Node::Product(left, right) => {
                Node::Product(Box::new(self.node(*left)), Box::new(self.node(*right)))
            }
            Node::Sum(terms) => Node::Sum(self.sum(terms)),
        }
    }

    /// The plane that the last of an expression's leaves arrives with.
    fn plane(&self, node: &Node) -> Option<i64> {
        match node {
            Node::Leaf(leaf) => self.planes[leaf.0],
            Node::Product(left, right) => self.plane(left).max(self.plane(right)),
            Node::Sum(terms) => terms.iter().map(|term| self.plane(&term.node)).max().flatten(),
        }
    }

    /// The terms plane by plane; those of one plane keep their order, but for one that is added as
    /// it is, which saves an operation at the start.
    pub fn sorted(&self, mut terms: Vec<Term>) -> Vec<Term> {
        terms.sort_by_key(|term| self.plane(&term.node));
        let Some(plane) = terms.first().map(|term| self.plane(&term.node)) else { return terms };
        let first = terms.iter().take_while(|term| self.plane(&term.node) == plane);
        let first = first.collect::<Vec<_>>();
        let added = first.iter().position(|term| term.is_plain() && term.factor > 0.0);
        let start = added.or_else(|| first.iter().position(|term| term.is_plain()));
        terms[..=start.unwrap_or(0)].rotate_right(1);
        terms
    }

    /// The terms with one of them multiplied out, if that is of use.
    fn distributed(&self, terms: &[Term], at: usize) -> Option<Vec<Term>> {
        let cost = |terms: &[Term]| self.sums.instructions(&Node::Sum(terms.to_vec()));
        let now = cost(terms);
        let mut forms = [self.sums.push(&terms[at]), self.spread(&terms[at])].into_iter().flatten();
        forms.find_map(|form| {
            let Node::Sum(parts) = &form.node else {
                // A weight that went into one factor of a product.
                let mut changed = terms.to_vec();
                changed[at] = form;
                return (cost(&changed) < now).then_some(changed);
            };
            let mut planes = parts.iter().map(|part| self.plane(&part.node));
            let plane = planes.next()?;
            let crosses = self.distributes && planes.any(|other| other != plane);
            let mut changed = terms.to_vec();
            changed.splice(at..=at, [form.clone()]);
            let changed = self.sorted(self.sums.flat(changed));
            let then = cost(&changed);
            (then < now || (crosses && then == now)).then_some(changed)
        })
    }

    /// A sum times a value that is there from the start: each term times the value.
    fn spread(&self, term: &Term) -> Option<Term> {
        let Node::Product(left, right) = &term.node else { return None };
        let (value, parts) = match (&**left, &**right) {
            (value @ Node::Leaf(_), Node::Sum(parts)) => (value, parts),
            (Node::Sum(parts), value @ Node::Leaf(_)) => (value, parts),
            _ => return None,
        };
        if !term.is_unit() || self.plane(value).is_some() {
            return None;
        }
        let times = |part: &Term| Term {
            factor: part.factor * term.factor,
            node: Node::Product(Box::new(value.clone()), Box::new(part.node.clone())),
        };
        Some(Term { factor: 1.0, node: Node::Sum(parts.iter().map(times).collect()) })
    }
}

/// A sum as it is read when its terms were added one by one.
pub fn chain(terms: &[Term]) -> Term {
    let written = terms.iter().map(|term| Term { node: written(&term.node), ..term.clone() });
    let added = |sum, term| Term { factor: 1.0, node: Node::Sum(vec![sum, term]) };
    written.reduce(added).expect("a sum has terms")
}

fn written(node: &Node) -> Node {
    match node {
        Node::Leaf(_) => node.clone(),
        Node::Product(left, right) => {
            Node::Product(Box::new(written(left)), Box::new(written(right)))
        }
        Node::Sum(terms) => match chain(terms) {
            Term { factor: 1.0, node } => node,
            weighted => Node::Sum(vec![weighted]),
        },
    }
}

#[cfg(test)]
#[path = "plane_order_tests.rs"]
mod tests;
