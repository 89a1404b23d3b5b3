//! Reassociable sums and products of a program: reading and rewriting them.
//!
//! An expression is a root with its operand tree of single-use operations: additions, subtractions,
//! negations and products with the flag `reassoc`, in one block.

use super::{
    flags::{FASTMATH, Flags},
    linear::{Leaf, Node, Precision, Start, Sums, Term},
};
use crate::framework::{PassContext, Statistic};
use melior::ir::{
    Attribute, OperationRef, Value, ValueLike, attribute::FloatAttribute, operation::OperationLike,
};
use std::collections::{HashMap, HashSet};
use stencil_dialects::{
    build::{self, Inserter},
    ods::arith,
    types::Number,
    walk::{self, ValueKey},
};

/// Whether an operation may belong to an expression.
pub fn is_part(operation: OperationRef) -> bool {
    let name = walk::name(&operation);
    [arith::ADDF, arith::SUBF, arith::MULF, arith::NEGF].contains(&name)
        && Flags::of(operation).permit("reassoc")
}

/// The precision of a value in which weights can be computed.
pub fn precision(value: Value) -> Option<Precision> {
    match Number::of(value.r#type())? {
        Number::F32 => Some(Precision::F32),
        Number::F64 => Some(Precision::F64),
        _ => None,
    }
}

/// The value of a float `arith.constant`.
pub fn constant(value: Value) -> Option<f64> {
    Some(FloatAttribute::try_from(walk::constant(value)?).ok()?.value())
}

/// The value of a float `arith.constant`, if it can be a weight; zero, infinity and NaN are opaque
/// values.
pub fn weight(value: Value) -> Option<f64> {
    let number = constant(value)?;
    precision(value).unwrap_or(Precision::F64).is_normal(number).then_some(number)
}

type Operations<'c, 'a> = Vec<OperationRef<'c, 'a>>;

/// The last operation of every expression inside of an operation, users before operands.
pub fn roots<'c: 'a, 'a>(scope: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let mut roots = Vec::new();
    visit(scope, |expression| {
        roots.push(expression.root);
        Vec::new()
    });
    roots
}

/// Visits every wanted expression of several operations whose weights can be computed, users before
/// operands; 16-bit types are declined. `work` may rewrite the expression, and returns which other
/// operations were part of that.
pub fn for_each<'c: 'a, 'a>(
    scope: OperationRef<'c, 'a>,
    wanted: impl Fn(&Node) -> bool,
    (declined, cx): (Statistic, &mut PassContext),
    mut work: impl FnMut(&Expression<'c, 'a>, Precision, &mut PassContext) -> Operations<'c, 'a>,
) {
    visit(scope, |expression| {
        if expression.operations.len() < 2 || !wanted(&expression.term.node) {
            return Vec::new();
        }
        let Some(precision) = precision(build::single(expression.root)) else {
            cx.decline(&expression.root, "weights of 16 bits are too coarse");
            cx.count(declined, 1);
            return Vec::new();
        };
        work(expression, precision, cx)
    });
}

fn visit<'c: 'a, 'a>(
    scope: OperationRef<'c, 'a>,
    mut work: impl FnMut(&Expression<'c, 'a>) -> Operations<'c, 'a>,
) {
    let mut seen = HashSet::new();
    let address = |operation: &OperationRef| operation.to_raw().ptr as usize;
    // The last operation of an expression is its root.
    let operations = walk::nested(scope).into_iter().rev().collect::<Vec<_>>();
    for root in operations {
        // Visited operations may have been erased.
        if !seen.contains(&address(&root)) && is_part(root) {
            let expression = Expression::of(root);
            seen.extend(expression.operations.iter().map(address));
            seen.extend(work(&expression).iter().map(address));
        }
    }
}

/// The expression of an operation in terms of leaves.
pub struct Expression<'c, 'a> {
    root: OperationRef<'c, 'a>,
    operations: Vec<OperationRef<'c, 'a>>,
    leaves: Vec<Value<'c, 'a>>,
    numbers: HashMap<ValueKey, Leaf>,
    flags: Flags,
    term: Term,
    shared: SharedWeights,
}

/// Weighted values with several uses in one expression.
#[derive(Clone, Default)]
struct SharedWeights {
    /// Whether they are searched.
    wanted: bool,
    /// How often each was met.
    visits: HashMap<ValueKey, usize>,
    /// Those with other uses.
    refused: HashSet<ValueKey>,
}

impl<'c: 'a, 'a> Expression<'c, 'a> {
    /// The expression of an operation; operands with several uses are leaves.
    pub fn of(root: OperationRef<'c, 'a>) -> Self {
        Self::read_from(root, SharedWeights::default())
    }

    /// The same, but a value times a constant is also part of it if all uses of the product are in
    /// this expression: each use is a term with a weight.
    pub fn with_shared_weights(root: OperationRef<'c, 'a>) -> Self {
        let mut shared = SharedWeights { wanted: true, ..SharedWeights::default() };
        loop {
            let expression = Self::read_from(root, shared.clone());
            let visits = &expression.shared.visits;
            let is_foreign = |operation: &OperationRef<'c, 'a>| {
                let product = build::single(*operation);
                let met = visits.get(&ValueKey::of(&product));
                met.is_some_and(|count| *count != walk::uses(product).len())
            };
            let foreign = expression.operations.iter().filter(|part| is_foreign(part));
            let foreign = foreign.map(|part| ValueKey::of(&build::single(*part)));
            let before = shared.refused.len();
            shared.refused.extend(foreign);
            if shared.refused.len() == before {
                return expression;
            }
        }
    }

    fn read_from(root: OperationRef<'c, 'a>, shared: SharedWeights) -> Self {
        let mut expression = Self {
            root,
            operations: Vec::new(),
            leaves: Vec::new(),
            numbers: HashMap::new(),
            flags: Flags::of(root),
            term: Term { factor: 1.0, node: Node::Sum(Vec::new()) },
            shared,
        };
        expression.term = expression.take(root);
        expression
    }

    /// The operation that computes it.
    pub fn root(&self) -> OperationRef<'c, 'a> {
        self.root
    }

    /// All operations that only this expression uses; the root is first, users before operands.
    pub fn operations(&self) -> &[OperationRef<'c, 'a>] {
        &self.operations
    }

    /// The leaves by number.
    pub fn leaves(&self) -> &[Value<'c, 'a>] {
        &self.leaves
    }

    /// The common flags of all operations.
    pub fn flags(&self) -> Flags {
        self.flags
    }

    /// The expression as written in the program.
    pub fn term(&self) -> &Term {
        &self.term
    }

    /// Reads an operation and its operand tree.
    fn take(&mut self, operation: OperationRef<'c, 'a>) -> Term {
        self.operations.push(operation);
        self.flags = self.flags.and(Flags::of(operation));
        let name = walk::name(&operation);
        let left = operation.operand(0).expect("arithmetic has an operand");
        if name == arith::NEGF {
            let term = self.read(left);
            return Term { factor: -term.factor, ..term };
        }
        let right = operation.operand(1).expect("the operation has two operands");
        if name == arith::MULF {
            return self.product(left, right);
        }
        let left = self.read(left);
        let right = self.read(right);
        let sign = if name == arith::SUBF { -1.0 } else { 1.0 };
        let right = Term { factor: sign * right.factor, ..right };
        Term { factor: 1.0, node: Node::Sum(vec![left, right]) }
    }

    fn product(&mut self, left: Value<'c, 'a>, right: Value<'c, 'a>) -> Term {
        let (mut factor, others) = match weighted(left, right) {
            Some((weight, other)) => (weight, [Some(other), None]),
            None => (1.0, [Some(left), Some(right)]),
        };
        let mut nodes = Vec::new();
        for other in others.into_iter().flatten() {
            let precision = precision(other).unwrap_or(Precision::F64);
            let mark = (self.operations.len(), self.flags, self.shared.visits.clone());
            let term = self.read(other);
            let product = precision.product(factor, term.factor);
            if precision.is_normal(product) {
                factor = product;
                nodes.push(term.node);
            } else {
                // The product of the weights is not representable: the other factor is a leaf.
                self.operations.truncate(mark.0);
                (self.flags, self.shared.visits) = (mark.1, mark.2);
                nodes.push(self.leaf(other));
            }
        }
        let node = nodes.into_iter().reduce(|one, two| Node::Product(one.into(), two.into()));
        Term { factor, node: node.expect("a product has a factor that is no weight") }
    }

    /// An operand: part of the expression, if it has no other use.
    fn read(&mut self, value: Value<'c, 'a>) -> Term {
        let block = self.root.block();
        let part = walk::definition(value)
            .filter(|definition| is_part(*definition) && definition.block() == block);
        match part {
            Some(part) if walk::uses(value).len() == 1 => self.take(part),
            Some(part) => self.shared_weight(part).unwrap_or_else(|| self.whole(value)),
            None => self.whole(value),
        }
    }

    fn whole(&mut self, value: Value<'c, 'a>) -> Term {
        Term { factor: 1.0, node: self.leaf(value) }
    }

    /// One use of a product that has several.
    fn shared_weight(&mut self, product: OperationRef<'c, 'a>) -> Option<Term> {
        let result = build::single(product);
        let key = ValueKey::of(&result);
        let is_product = self.shared.wanted && walk::name(&product) == arith::MULF;
        if !is_product || self.shared.refused.contains(&key) {
            return None;
        }
        let (left, right) = (product.operand(0).ok()?, product.operand(1).ok()?);
        let (factor, other) = weighted(left, right)?;
        *self.shared.visits.entry(key).or_default() += 1;
        // It is added at its last use, after all of its users.
        self.operations.retain(|known| *known != product);
        self.operations.push(product);
        self.flags = self.flags.and(Flags::of(product));
        Some(Term { factor, node: self.leaf(other) })
    }

    fn leaf(&mut self, value: Value<'c, 'a>) -> Node {
        let next = Leaf(self.leaves.len());
        let leaf = *self.numbers.entry(ValueKey::of(&value)).or_insert(next);
        if leaf == next {
            self.leaves.push(value);
        }
        Node::Leaf(leaf)
    }

    /// Instructions of the expression as written: a sum fuses one product, if both permit it and
    /// the product has no other use.
    pub fn instructions(&self) -> usize {
        let is_fused = |value: Value| {
            walk::definition(value).is_some_and(|product| {
                walk::name(&product) == arith::MULF
                    && Flags::of(product).permit("contract")
                    && walk::uses(value).len() == 1
            })
        };
        let count = |operation: &OperationRef<'c, 'a>| match walk::name(operation) {
            arith::NEGF => 0,
            arith::MULF => 1,
            _ if !Flags::of(*operation).permit("contract") => 1,
            _ => usize::from(!operation.operands().any(is_fused)),
        };
        self.operations.iter().map(count).sum()
    }

    /// Whether the operations are those that [`rewrite`](Self::rewrite) would create for these
    /// terms. Weights may be on either side.
    pub fn is_chain(&self, terms: &[Term]) -> bool {
        Original(&self.leaves).is_sum(build::single(self.root), terms)
    }

    /// Replaces the operations by the sum of these terms. New operations have the common flags of
    /// the old ones.
    pub fn rewrite(&self, sums: &Sums, terms: &[Term]) {
        let root = self.root;
        let flags = self.flags.attribute(root);
        let at = Inserter::before(root);
        let emitter = Emitter { at, leaves: &self.leaves, flags, start: sums.start() };
        let sum = emitter.sum(terms);
        build::replace_uses(build::single(root), sum);
        // Users come before operands.
        for operation in &self.operations {
            build::erase(*operation);
        }
    }
}

/// The weight and the other factor of a product.
fn weighted<'c, 'a>(left: Value<'c, 'a>, right: Value<'c, 'a>) -> Option<(f64, Value<'c, 'a>)> {
    weight(left).map(|weight| (weight, right)).or_else(|| Some((weight(right)?, left)))
}

/// Compares values of the program with expressions of leaves.
struct Original<'c, 'a, 'e>(&'e [Value<'c, 'a>]);

impl<'c: 'a, 'a> Original<'c, 'a, '_> {
    /// The operands of a value that an operation of this name computes.
    fn operands(value: Value<'c, 'a>, name: &str) -> Option<Vec<Value<'c, 'a>>> {
        let operation = walk::definition(value).filter(|found| walk::name(found) == name)?;
        Some(operation.operands().collect())
    }

    fn is_sum(&self, value: Value<'c, 'a>, terms: &[Term]) -> bool {
        let Some((last, before)) = terms.split_last().filter(|(_, before)| !before.is_empty())
        else {
            return terms.iter().all(|term| self.is_term(value, term));
        };
        let subtracts = last.factor == -1.0;
        let name = if subtracts { arith::SUBF } else { arith::ADDF };
        Self::operands(value, name).is_some_and(|operands| {
            let is_last = match subtracts {
                true => self.is_node(operands[1], &last.node),
                false => self.is_term(operands[1], last),
            };
            is_last && self.is_sum(operands[0], before)
        })
    }

    fn is_term(&self, value: Value<'c, 'a>, term: &Term) -> bool {
        if term.factor == 1.0 {
            return self.is_node(value, &term.node);
        }
        if term.factor == -1.0 {
            let negated = Self::operands(value, arith::NEGF);
            return negated.is_some_and(|operands| self.is_node(operands[0], &term.node));
        }
        let factors = Self::operands(value, arith::MULF);
        let weighted = factors.and_then(|factors| weighted(factors[0], factors[1]));
        weighted
            .is_some_and(|(weight, other)| weight == term.factor && self.is_node(other, &term.node))
    }

    fn is_node(&self, value: Value<'c, 'a>, node: &Node) -> bool {
        match node {
            Node::Leaf(leaf) => self.0[leaf.0] == value,
            Node::Product(left, right) => {
                Self::operands(value, arith::MULF).is_some_and(|factors| {
                    self.is_node(factors[0], left) && self.is_node(factors[1], right)
                })
            }
            Node::Sum(terms) => self.is_sum(value, terms),
        }
    }
}

/// Emits expressions before their root.
struct Emitter<'c, 'a, 'e> {
    at: Inserter<'c, 'a>,
    leaves: &'e [Value<'c, 'a>],
    flags: Attribute<'c>,
    start: Start,
}

impl<'c: 'a, 'a> Emitter<'c, 'a, '_> {
    fn operation(&self, name: &str, operands: &[Value<'c, 'a>]) -> Value<'c, 'a> {
        self.at.value(name, operands, &[(FASTMATH, self.flags)], operands[0].r#type())
    }

    fn sum(&self, terms: &[Term]) -> Value<'c, 'a> {
        let start = self.start.of(terms);
        let mut order = vec![start];
        order.extend((0..terms.len()).filter(|position| *position != start));
        // A difference starts with the minuend, unless the order matters.
        if self.start == Start::Plain && terms[start].factor == -1.0 && terms.len() > 1 {
            order.swap(0, 1);
        }
        let first = self.term(&terms[order[0]]);
        order[1..].iter().fold(first, |sum, position| {
            let term = &terms[*position];
            match term.factor == -1.0 {
                true => self.operation(arith::SUBF, &[sum, self.node(&term.node)]),
                false => self.operation(arith::ADDF, &[sum, self.term(term)]),
            }
        })
    }

    fn term(&self, term: &Term) -> Value<'c, 'a> {
        let value = self.node(&term.node);
        if term.factor == 1.0 {
            value
        } else if term.factor == -1.0 {
            self.operation(arith::NEGF, &[value])
        } else {
            let weight = self.at.float(value.r#type(), term.factor);
            self.operation(arith::MULF, &[weight, value])
        }
    }

    fn node(&self, node: &Node) -> Value<'c, 'a> {
        match node {
            Node::Leaf(leaf) => self.leaves[leaf.0],
            Node::Product(left, right) => {
                self.operation(arith::MULF, &[self.node(left), self.node(right)])
            }
            Node::Sum(terms) => self.sum(terms),
        }
    }
}
