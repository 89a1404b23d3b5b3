//! Cost model and cheapest forms of sums of weighted terms.
//!
//! The cost is the number of floating-point instructions after contraction: a weighted term of a
//! sum is one fused multiply-add, a term with the weight 1 or -1 one addition, and a sum that
//! starts with such a term saves it. Signs are free. So n weighted terms cost n, and a common
//! weight c of n plain terms, c (a + b + ...), costs n as well: n - 1 additions and the product.
//! Which form is cheaper depends on the other terms.

use std::cell::Cell;

/// An opaque value, by number.
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
    /// The constant, representable in the type of the computation.
    pub factor: f64,
    /// The expression.
    pub node: Node,
}

impl Term {
    /// Whether it needs no multiplication.
    pub fn is_unit(&self) -> bool {
        self.factor.abs() == 1.0
    }

    /// Whether it is a leaf without a weight: the best start of a sum.
    pub fn is_plain(&self) -> bool {
        self.is_unit() && !matches!(self.node, Node::Product(..))
    }
}

/// The type of the computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// `f32`.
    F32,
    /// `f64`.
    F64,
}

impl Precision {
    /// a * b, rounded once.
    pub fn product(self, a: f64, b: f64) -> f64 {
        match self {
            Self::F32 => f64::from(a as f32 * b as f32),
            Self::F64 => a * b,
        }
    }

    fn sum(self, a: f64, b: f64) -> f64 {
        match self {
            Self::F32 => f64::from(a as f32 + b as f32),
            Self::F64 => a + b,
        }
    }

    /// A number rounded to the type.
    pub fn rounded(self, number: f64) -> f64 {
        match self {
            Self::F32 => f64::from(number as f32),
            Self::F64 => number,
        }
    }

    /// The unit roundoff: the largest relative rounding error.
    pub fn unit(self) -> f64 {
        match self {
            Self::F32 => f64::from(f32::EPSILON) / 2.0,
            Self::F64 => f64::EPSILON / 2.0,
        }
    }

    /// The least positive normal number.
    pub fn least_normal(self) -> f64 {
        match self {
            Self::F32 => f64::from(f32::MIN_POSITIVE),
            Self::F64 => f64::MIN_POSITIVE,
        }
    }

    /// Whether a number is normal.
    pub fn is_normal(self, number: f64) -> bool {
        match self {
            Self::F32 => (number as f32).is_normal(),
            Self::F64 => number.is_normal(),
        }
    }
}

/// The first term of a sum; the others follow in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The first term without a weight, which saves an operation; else the first.
    Plain,
    /// Always the first.
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

/// The rules of computing sums.
pub struct Sums {
    precision: Precision,
    /// Whether products may be fused with sums.
    may_fuse: bool,
    start: Start,
    /// Whether a form was rejected because a weight would not be a normal number.
    lost_weights: Cell<bool>,
}

impl Sums {
    /// Sums of a type, each started with the term that makes it cheapest.
    pub fn new(precision: Precision, may_fuse: bool) -> Self {
        Self { precision, may_fuse, start: Start::Plain, lost_weights: Cell::new(false) }
    }

    /// The same, but sums start with their first term.
    pub fn in_order(self) -> Self {
        Self { start: Start::First, ..self }
    }

    /// The type of the computation.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Which term a sum starts with.
    pub fn start(&self) -> Start {
        self.start
    }

    /// Whether a form was rejected because a weight would not be a normal number.
    pub fn lost_weights(&self) -> bool {
        self.lost_weights.get()
    }

    /// Instructions of an expression.
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

    /// Instructions of a term of a sum, with its subexpressions.
    pub fn term_instructions(&self, term: &Term, is_start: bool) -> usize {
        let is_product = matches!(term.node, Node::Product(..));
        let joins = match (term.is_unit(), is_start) {
            (is_unit, true) => usize::from(!is_unit),
            (true, false) => usize::from(!(is_product && self.may_fuse)),
            (false, false) => 2 - usize::from(self.may_fuse),
        };
        joins + self.instructions(&term.node)
    }

    /// The cheapest form found: weights multiplied out, equal terms added, common factors taken
    /// out, each where it saves an instruction. Terms keep the order of their first occurrence.
    pub fn cheapest(&self, term: Term) -> Vec<Term> {
        let node = self.inside(term.node);
        let mut terms = self.flat(vec![Term { node, ..term }]);
        while let Some(better) = self.better(&terms) {
            terms = better;
        }
        terms
    }

    /// The cheapest form of an expression without its weight.
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

    /// A cheaper form, one step away.
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

    /// Distributes the weight of a term over a sum inside it.
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

    /// The same terms with sums of weight 1 and -1 flattened, and equal terms added.
    pub fn flat(&self, terms: Vec<Term>) -> Vec<Term> {
        self.merged(dissolve(terms))
    }

    /// Merges equal terms, at the position of the first.
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

    /// The sum of weights in a canonical order, so that its rounding does not depend on the
    /// program: one number, or, if that would not be normal, the positive and the negative part.
    /// Cancelling weights are kept: of an infinity the sum is NaN, not zero.
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

    /// Forms with a common factor of a term and others extracted.
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

/// Flattens sums of weight one inside a sum.
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

/// A term without one of its factors.
fn rest(term: &Term, common: &Node) -> Option<Term> {
    let Node::Product(left, right) = &term.node else { return None };
    let node = match (**left == *common, **right == *common) {
        (true, _) => right,
        (_, true) => left,
        _ => return None,
    };
    Some(Term { factor: term.factor, node: (**node).clone() })
}

/// The form with the common weight of a term and others extracted.
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

/// Replaces some terms by one, at the position of the first.
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
