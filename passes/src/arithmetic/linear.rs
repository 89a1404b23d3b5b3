//! Sums of weighted terms: what they cost, and which of their forms costs least.
//!
//! The cost is the number of floating-point instructions after products were fused with sums: a
//! weighted term of a sum is one fused multiply-add, a term with the weight 1 or -1 one addition,
//! and a sum that begins with such a term saves it. Signs are free. So n weighted terms cost n, and
//! a common weight c of n plain terms, c (a + b + ...), costs n as well: n - 1 additions and the
//! product. Which form is cheaper depends on what else is in the sum.

use std::cell::Cell;

/// A value that is computed elsewhere, by a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf(pub usize);

/// An expression of sums and products.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A value.
    Leaf(Leaf),
    /// A product of two expressions.
    Product(Box<Node>, Box<Node>),
    /// A sum.
    Sum(Vec<Term>),
}

/// An expression times a constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// The constant, a number of the type that is computed in.
    pub factor: f64,
    /// The expression.
    pub node: Node,
}

impl Term {
    /// Whether it needs no multiplication.
    pub fn is_unit(&self) -> bool {
        self.factor.abs() == 1.0
    }

    /// Whether it is a value that is added as it is: where a sum had best begin.
    pub fn is_plain(&self) -> bool {
        self.is_unit() && !matches!(self.node, Node::Product(..))
    }
}

/// The type that is computed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// `f32`.
    Single,
    /// `f64`.
    Double,
}

impl Precision {
    /// a * b, rounded once.
    pub fn product(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Single => f64::from(a as f32 * b as f32),
            Self::Double => a * b,
        }
    }

    fn sum(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Single => f64::from(a as f32 + b as f32),
            Self::Double => a + b,
        }
    }

    /// A number as a number of the type.
    pub fn rounded(self, number: f64) -> f64 {
        match self {
            Self::Single => f64::from(number as f32),
            Self::Double => number,
        }
    }

    /// The unit roundoff: how far a number of the type may lie from what it stands for, relatively.
    pub fn unit(self) -> f64 {
        match self {
            Self::Single => f64::from(f32::EPSILON) / 2.0,
            Self::Double => f64::EPSILON / 2.0,
        }
    }

    /// Whether a number has all of its digits.
    pub fn is_normal(self, number: f64) -> bool {
        match self {
            Self::Single => (number as f32).is_normal(),
            Self::Double => number.is_normal(),
        }
    }
}

/// Which term a sum begins with; the others follow in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The first that is added as it is, which saves an operation; else the first.
    Plain,
    /// The first, whatever it is.
    First,
}

impl Start {
    /// The position of that term.
    pub fn of(self, terms: &[Term]) -> usize {
        match self {
            Self::Plain => terms.iter().position(Term::is_plain).unwrap_or(0),
            Self::First => 0,
        }
    }
}

/// How sums are computed, and what was found about them.
pub struct Sums {
    precision: Precision,
    /// Whether a product and a sum may be one operation.
    may_fuse: bool,
    start: Start,
    /// Whether a form was not taken because a weight would not be a normal number.
    lost_weights: Cell<bool>,
}

impl Sums {
    /// Sums of a type, each begun with the term that makes it cheapest.
    pub fn new(precision: Precision, may_fuse: bool) -> Self {
        Self { precision, may_fuse, start: Start::Plain, lost_weights: Cell::new(false) }
    }

    /// The same, but sums begin with their first term.
    pub fn in_order(self) -> Self {
        Self { start: Start::First, ..self }
    }

    /// The type that is computed in.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Which term a sum begins with.
    pub fn start(&self) -> Start {
        self.start
    }

    /// Whether a form was not taken because a weight would not be a normal number.
    pub fn lost_weights(&self) -> bool {
        self.lost_weights.get()
    }

    /// Instructions that an expression needs beyond its leaves.
    pub fn instructions(&self, node: &Node) -> usize {
        match node {
            Node::Leaf(_) => 0,
            Node::Product(left, right) => 1 + self.instructions(left) + self.instructions(right),
            Node::Sum(terms) => {
                let start = self.start.of(terms);
                let count = |(position, term)| self.term_instructions(term, position == start);
                terms.iter().enumerate().map(count).sum()
            }
        }
    }

    /// Instructions of a term of a sum, and of what is inside of it.
    pub fn term_instructions(&self, term: &Term, is_start: bool) -> usize {
        let is_product = matches!(term.node, Node::Product(..));
        let joins = match (term.is_unit(), is_start) {
            (is_unit, true) => usize::from(!is_unit),
            (true, false) => usize::from(!(is_product && self.may_fuse)),
            (false, false) => 2 - usize::from(self.may_fuse),
        };
        joins + self.instructions(&term.node)
    }

    /// The cheapest form that is found: weights multiplied out, equal terms added, common factors
    /// taken out, each where it saves an instruction. Terms keep the order of their first
    /// occurrence.
    pub fn cheapest(&self, term: Term) -> Vec<Term> {
        let node = self.inside(term.node);
        let mut terms = self.flat(vec![Term { node, ..term }]);
        while let Some(better) = self.better(&terms) {
            terms = better;
        }
        terms
    }

    /// The cheapest form of an expression whose weight stands outside.
    fn inside(&self, node: Node) -> Node {
        match node {
            Node::Leaf(_) => node,
            Node::Product(left, right) => {
                Node::Product(Box::new(self.inside(*left)), Box::new(self.inside(*right)))
            }
            Node::Sum(terms) => {
                let inside = |term: Term| Term { node: self.inside(term.node), ..term };
                let mut terms = self.flat(terms.into_iter().map(inside).collect());
                while let Some(better) = self.better(&terms) {
                    terms = better;
                }
                Node::Sum(terms)
            }
        }
    }

    /// A form that costs less, by one step.
    fn better(&self, terms: &[Term]) -> Option<Vec<Term>> {
        let count = |terms: &[Term]| self.instructions(&Node::Sum(terms.to_vec()));
        let now = count(terms);
        let pushed = (0..terms.len()).filter_map(|position| {
            let mut forms = terms.to_vec();
            forms[position] = self.push(&terms[position])?;
            Some(self.flat(forms))
        });
        let weights = (0..terms.len()).filter_map(|first| same_weight(terms, first));
        let factors = (0..terms.len()).flat_map(|first| self.same_factor(terms, first));
        pushed.chain(weights).chain(factors).find(|form| count(form) < now)
    }

    /// A term whose weight is multiplied into the weights of a sum inside of it.
    pub fn push(&self, term: &Term) -> Option<Term> {
        if term.is_unit() {
            return None;
        }
        Some(Term { factor: 1.0, node: self.scaled(&term.node, term.factor)? })
    }

    fn scaled(&self, node: &Node, factor: f64) -> Option<Node> {
        match node {
            Node::Leaf(_) => None,
            Node::Product(left, right) => match self.scaled(left, factor) {
                Some(left) => Some(Node::Product(Box::new(left), right.clone())),
                None => Some(Node::Product(left.clone(), Box::new(self.scaled(right, factor)?))),
            },
            Node::Sum(terms) => {
                let scaled = |term: &Term| {
                    let factor = self.precision.product(term.factor, factor);
                    if !self.precision.is_normal(factor) {
                        self.lost_weights.set(true);
                        return None;
                    }
                    Some(Term { factor, node: term.node.clone() })
                };
                terms.iter().map(scaled).collect::<Option<_>>().map(Node::Sum)
            }
        }
    }

    /// The same terms with sums of weight 1 and -1 dissolved, and equal terms added.
    pub fn flat(&self, terms: Vec<Term>) -> Vec<Term> {
        self.merged(dissolve(terms))
    }

    /// Equal terms as one, where the first of them stands.
    pub fn merged(&self, terms: Vec<Term>) -> Vec<Term> {
        let mut groups: Vec<(Node, Vec<f64>)> = Vec::new();
        for Term { factor, node } in terms {
            match groups.iter_mut().find(|(known, _)| *known == node) {
                Some((_, factors)) => factors.push(factor),
                None => groups.push((node, vec![factor])),
            }
        }
        let apart = |(node, factors): (Node, Vec<f64>)| {
            let factors = self.total(factors).into_iter();
            factors.map(move |factor| Term { factor, node: node.clone() })
        };
        groups.into_iter().flat_map(apart).collect()
    }

    /// The sum of weights, in an order of its own, so that the text has no say in its last digits:
    /// one number, or, where that would be none with all digits, what is added and what is
    /// subtracted. A sum that cancels stays: of an infinity it is NaN, not zero.
    fn total(&self, mut factors: Vec<f64>) -> Vec<f64> {
        factors.sort_by(|one, other| one.abs().total_cmp(&other.abs()));
        let (added, subtracted): (Vec<f64>, Vec<f64>) =
            factors.iter().copied().partition(|factor| *factor > 0.0);
        let sum = |part: Vec<f64>| part.into_iter().reduce(|one, two| self.precision.sum(one, two));
        let parts = [sum(added), sum(subtracted)].into_iter().flatten().collect::<Vec<_>>();
        let all = parts.iter().copied().reduce(|one, two| self.precision.sum(one, two));
        match all.filter(|all| self.precision.is_normal(*all)) {
            Some(all) => vec![all],
            None if parts.iter().all(|part| self.precision.is_normal(*part)) => parts,
            None => factors,
        }
    }

    /// Forms in which a factor of a term, and of others, stands once.
    fn same_factor(&self, terms: &[Term], first: usize) -> Vec<Vec<Term>> {
        let Node::Product(left, right) = &terms[first].node else { return Vec::new() };
        [left, right]
            .into_iter()
            .filter_map(|common| {
                let rests = terms.iter().map(|term| rest(term, common)).collect::<Vec<_>>();
                let members = rests.iter().flatten().cloned().collect::<Vec<_>>();
                if members.len() < 2 {
                    return None;
                }
                let Node::Sum(sum) = self.inside(Node::Sum(members)) else { return None };
                let product = Node::Product(common.clone(), Box::new(Node::Sum(sum)));
                let group = Term { factor: 1.0, node: product };
                Some(gathered(terms, first, group, |position| rests[position].is_some()))
            })
            .collect()
    }
}

/// The terms of a sum with those of the sums inside of it that are added as they are.
pub fn dissolve(terms: Vec<Term>) -> Vec<Term> {
    let parts = |term: Term| match term.node {
        Node::Sum(parts) if term.factor.abs() == 1.0 => {
            let signed = |part: Term| Term { factor: part.factor * term.factor, ..part };
            dissolve(parts.into_iter().map(signed).collect())
        }
        node => vec![Term { node, ..term }],
    };
    terms.into_iter().flat_map(parts).collect()
}

/// What is left of a term without one of its factors.
fn rest(term: &Term, common: &Node) -> Option<Term> {
    let Node::Product(left, right) = &term.node else { return None };
    let node = match (**left == *common, **right == *common) {
        (true, _) => right,
        (_, true) => left,
        _ => return None,
    };
    Some(Term { factor: term.factor, node: (**node).clone() })
}

/// The form in which the weight of a term, and of others, stands once.
fn same_weight(terms: &[Term], first: usize) -> Option<Vec<Term>> {
    let factor = terms[first].factor;
    let is_same = |position: usize| terms[position].factor.abs() == factor.abs();
    let is_first = (0..first).all(|position| !is_same(position));
    let members = (0..terms.len()).filter(|position| is_same(*position));
    let members = members.map(|position| Term {
        factor: terms[position].factor.signum() * factor.signum(),
        node: terms[position].node.clone(),
    });
    let members = members.collect::<Vec<_>>();
    if terms[first].is_unit() || !is_first || members.len() < 2 {
        return None;
    }
    let group = Term { factor, node: Node::Sum(members) };
    Some(gathered(terms, first, group, is_same))
}

/// The terms with some of them replaced by one, which stands where the first was.
fn gathered(
    terms: &[Term],
    first: usize,
    group: Term,
    is_member: impl Fn(usize) -> bool,
) -> Vec<Term> {
    let others = (0..terms.len()).filter(|position| *position == first || !is_member(*position));
    let pick =
        |position: usize| if position == first { group.clone() } else { terms[position].clone() };
    others.map(pick).collect()
}

#[cfg(test)]
#[path = "linear_tests.rs"]
mod tests;
