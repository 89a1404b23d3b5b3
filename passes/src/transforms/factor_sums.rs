//! `stencil-factor-sums`: multiply weights out, or take common factors out, where that saves work.
//!
//! Before: sums, differences, negations and products with the flag `reassoc`, of f64 or f32; what
//!         is between the leaves and the root of such an expression has one use.
//! After:  the same sum in the cheapest form that was found, or as it was where none is cheaper.
//!
//! Why: operations are counted as they are after contraction. A term with a weight is one fused
//! multiply-add, so n weighted terms are n operations in every form; but a weight of the whole sum,
//! as it comes from a division by a constant, is one more, and none if the weights of the terms
//! absorb it. Where a term has no weight it could absorb one only for an operation of its own, so
//! c (a + b + ...) stays. Other forms that save: c x + d x is (c + d) x; c f a + d f b is
//! f (c a + d b); and where `contract` is missing, c a - c b is c (a - b).
//! New weights are computed here, in the type, and rounded once each. An operation that is made has
//! the flags that all operations of the expression had.
//! Order: a term without a weight comes first, the others follow in the order in which they first
//! occur, added one by one; the chain is no longer than before, and stays in the order in which
//! values arrive. Equal operations of a kept form are made again, so a form that does not save is
//! not touched at all: the pass does nothing to its own output.
//! Not part of the pipeline that `stencilc` runs: a factor that is taken out of many terms keeps
//! values alive until all of them have arrived, which costs bodies that fill their registers more
//! than the operations were worth (lowering/docs/thread-mapping.md has the numbers).
//! Requires nothing. Declines, with a remark: weights that would not be normal numbers; f16 and
//! bf16, where a weight's rounding is too coarse.
//! Does not keep the sign of a sum that is zero. Does not share sums between points, and does not
//! look for values that another expression computes too.

use crate::{
    arithmetic::{
        flags::{FASTMATH, Flags},
        linear::{self, Leaf, Node, Precision, Sums, Term},
    },
    framework::{Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic},
};
use melior::ir::{
    Attribute, OperationRef, Value, ValueLike, attribute::FloatAttribute, operation::OperationLike,
};
use std::collections::{HashMap, HashSet};
use stencil_dialects::{
    build::{self, Inserter},
    walk::{self, ValueKey},
};

/// The table entry.
pub const FACTOR_SUMS: PassInfo = PassInfo {
    argument: "stencil-factor-sums",
    summary: "multiply weights out, or take common factors out, where that saves work",
    source: include_str!("factor_sums.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[REWRITTEN, SAVED, DECLINED],
    dialects: &["arith"],
    run: factor_sums,
};

const REWRITTEN: Statistic = statistic("num-rewritten", "expressions that got another form");
const SAVED: Statistic = statistic("num-saved", "operations per point that this saved");
const DECLINED: Statistic = statistic("num-declined", "expressions whose weights are not normal");

fn factor_sums(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    let mut seen = HashSet::new();
    // The last operation of an expression is its root.
    let roots = walk::nested(function).into_iter().rev().collect::<Vec<_>>();
    for root in roots {
        if seen.contains(&(root.to_raw().ptr as usize)) || !is_part(root) {
            continue;
        }
        let expression = Expression::of(root);
        seen.extend(expression.operations.iter().map(|part| part.to_raw().ptr as usize));
        if expression.operations.len() < 2 {
            continue;
        }
        let Some(precision) = precision(build::single(root)) else {
            cx.decline(&root, "weights of 16 bits would lose too many digits");
            cx.count(DECLINED, 1);
            continue;
        };
        let sums = Sums::new(precision, expression.flags.permit("contract"));
        let written = expression.instructions();
        let terms = sums.cheapest(expression.term.clone());
        let cheapest = sums.instructions(&Node::Sum(terms.clone()));
        if cheapest < written {
            rewrite(&expression, terms);
            cx.count(REWRITTEN, 1);
            cx.count(SAVED, (written - cheapest) as u64);
        } else if sums.lost_weights() {
            cx.decline(&root, "a weight would not be a normal number");
            cx.count(DECLINED, 1);
        }
    }
    Ok(())
}

/// Whether an operation may belong to an expression.
fn is_part(operation: OperationRef) -> bool {
    let name = walk::name(&operation);
    ["arith.addf", "arith.subf", "arith.mulf", "arith.negf"].contains(&name.as_str())
        && Flags::of(operation).permit("reassoc")
}

fn precision(value: Value) -> Option<Precision> {
    match value.r#type().to_string().as_str() {
        "f32" => Some(Precision::Single),
        "f64" => Some(Precision::Double),
        _ => None,
    }
}

/// The number of an `arith.constant` of floats.
fn constant(value: Value) -> Option<f64> {
    Some(FloatAttribute::try_from(walk::constant(value)?).ok()?.value())
}

/// What one operation of the program computes from values that are computed elsewhere.
struct Expression<'c, 'a> {
    root: OperationRef<'c, 'a>,
    /// All operations that only this expression uses; the root is first, users before what they
    /// use.
    operations: Vec<OperationRef<'c, 'a>>,
    leaves: Vec<Value<'c, 'a>>,
    numbers: HashMap<ValueKey, Leaf>,
    /// What every operation permits.
    flags: Flags,
    term: Term,
}

impl<'c: 'a, 'a> Expression<'c, 'a> {
    fn of(root: OperationRef<'c, 'a>) -> Self {
        let mut expression = Self {
            root,
            operations: Vec::new(),
            leaves: Vec::new(),
            numbers: HashMap::new(),
            flags: Flags::of(root),
            term: Term { factor: 1.0, node: Node::Sum(Vec::new()) },
        };
        expression.term = expression.take(root);
        expression
    }

    /// An operation of the expression, and all below it.
    fn take(&mut self, operation: OperationRef<'c, 'a>) -> Term {
        self.operations.push(operation);
        self.flags = self.flags.and(Flags::of(operation));
        let name = walk::name(&operation);
        let left = operation.operand(0).expect("arithmetic has an operand");
        if name == "arith.negf" {
            let term = self.read(left);
            return Term { factor: -term.factor, ..term };
        }
        let right = operation.operand(1).expect("the operation has two operands");
        if name == "arith.mulf" {
            return self.product(left, right);
        }
        let left = self.read(left);
        let right = self.read(right);
        let sign = if name == "arith.subf" { -1.0 } else { 1.0 };
        let right = Term { factor: sign * right.factor, ..right };
        Term { factor: 1.0, node: Node::Sum(vec![left, right]) }
    }

    fn product(&mut self, left: Value<'c, 'a>, right: Value<'c, 'a>) -> Term {
        let weight = |value| constant(value).filter(|number| is_weight(value, *number));
        let (weight, others) = match (weight(left), weight(right)) {
            (Some(weight), _) => (weight, [Some(right), None]),
            (_, Some(weight)) => (weight, [Some(left), None]),
            _ => (1.0, [Some(left), Some(right)]),
        };
        let mut factor = weight;
        let mut nodes = Vec::new();
        for other in others.into_iter().flatten() {
            let precision = precision(other).unwrap_or(Precision::Double);
            let mark = (self.operations.len(), self.flags);
            let term = self.read(other);
            let product = precision.product(factor, term.factor);
            if precision.is_normal(product) {
                factor = product;
                nodes.push(term.node);
            } else {
                // The weights cannot be one: the other factor is a value like others.
                self.operations.truncate(mark.0);
                self.flags = mark.1;
                nodes.push(self.leaf(other));
            }
        }
        let node = nodes.into_iter().reduce(|one, two| Node::Product(one.into(), two.into()));
        Term { factor, node: node.expect("a product has a factor that is no weight") }
    }

    /// An operand: part of the expression, if nobody else uses it.
    fn read(&mut self, value: Value<'c, 'a>) -> Term {
        let block = self.root.block();
        let part = walk::definition(value).filter(|definition| {
            is_part(*definition) && definition.block() == block && walk::uses(value).len() == 1
        });
        match part {
            Some(part) => self.take(part),
            None => Term { factor: 1.0, node: self.leaf(value) },
        }
    }

    fn leaf(&mut self, value: Value<'c, 'a>) -> Node {
        let next = Leaf(self.leaves.len());
        let leaf = *self.numbers.entry(ValueKey::of(&value)).or_insert(next);
        if leaf == next {
            self.leaves.push(value);
        }
        Node::Leaf(leaf)
    }

    /// Instructions of the expression as it is written: a sum takes one product with it, if both
    /// permit it and the product has no other use.
    fn instructions(&self) -> usize {
        let is_fused = |value: Value| {
            walk::definition(value).is_some_and(|product| {
                walk::name(&product) == "arith.mulf"
                    && Flags::of(product).permit("contract")
                    && walk::uses(value).len() == 1
            })
        };
        let count = |operation: &OperationRef<'c, 'a>| match walk::name(operation).as_str() {
            "arith.negf" => 0,
            "arith.mulf" => 1,
            _ if !Flags::of(*operation).permit("contract") => 1,
            _ => usize::from(!operation.operands().any(is_fused)),
        };
        self.operations.iter().map(count).sum()
    }
}

/// Whether a constant can be a weight; zero, infinity and NaN are values like others.
fn is_weight(value: Value, number: f64) -> bool {
    precision(value).unwrap_or(Precision::Double).is_normal(number)
}

fn rewrite<'c: 'a, 'a>(expression: &Expression<'c, 'a>, terms: Vec<Term>) {
    let root = expression.root;
    let flags = expression.flags.attribute(root);
    let emitter = Emitter { at: Inserter::before(root), leaves: &expression.leaves, flags };
    let sum = emitter.sum(&terms);
    build::replace_uses(build::single(root), sum);
    // Users come before what they use.
    for operation in &expression.operations {
        build::erase(*operation);
    }
}

/// Writes expressions in front of their root.
struct Emitter<'c, 'a, 'e> {
    at: Inserter<'c, 'a>,
    leaves: &'e [Value<'c, 'a>],
    flags: Attribute<'c>,
}

impl<'c: 'a, 'a> Emitter<'c, 'a, '_> {
    fn operation(&self, name: &str, operands: &[Value<'c, 'a>]) -> Value<'c, 'a> {
        self.at.value(name, operands, &[(FASTMATH, self.flags)], operands[0].r#type())
    }

    fn sum(&self, terms: &[Term]) -> Value<'c, 'a> {
        let start = linear::start(terms);
        let mut order = vec![start];
        order.extend((0..terms.len()).filter(|position| *position != start));
        // A difference begins with what it is taken from.
        if terms[start].factor == -1.0 && terms.len() > 1 {
            order.swap(0, 1);
        }
        let first = self.term(&terms[order[0]]);
        order[1..].iter().fold(first, |sum, position| {
            let term = &terms[*position];
            match term.factor == -1.0 {
                true => self.operation("arith.subf", &[sum, self.node(&term.node)]),
                false => self.operation("arith.addf", &[sum, self.term(term)]),
            }
        })
    }

    fn term(&self, term: &Term) -> Value<'c, 'a> {
        let value = self.node(&term.node);
        if term.factor == 1.0 {
            value
        } else if term.factor == -1.0 {
            self.operation("arith.negf", &[value])
        } else {
            let weight = self.at.float(value.r#type(), term.factor);
            self.operation("arith.mulf", &[weight, value])
        }
    }

    fn node(&self, node: &Node) -> Value<'c, 'a> {
        match node {
            Node::Leaf(leaf) => self.leaves[leaf.0],
            Node::Product(left, right) => {
                self.operation("arith.mulf", &[self.node(left), self.node(right)])
            }
            Node::Sum(terms) => self.sum(terms),
        }
    }
}
