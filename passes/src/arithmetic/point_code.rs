//! Sums and products of an apply as shapes: reading and writing them.
//!
//! This is no graph of operations but algebra: terms with weights at offsets, which have no order
//! and forget how they were computed.
//!
//! Read are additions, subtractions, negations and products of one type with the same flags,
//! `reassoc` among them, in the block of an apply. What they take from elsewhere are leaves: a cell
//! by its field and offset, a value that was there before the apply, and all else, which every
//! point has for itself.

use super::{
    expression,
    flags::{FASTMATH, Flags},
    linear::Precision,
    shapes::{Offset, Place, RANK, Shape, Shapes, Term, Weight},
};
use crate::analysis::arrival::Arrivals;
use melior::ir::{
    Attribute, OperationRef, Type, Value, ValueLike, attribute::FloatAttribute,
    operation::OperationLike,
};
use std::collections::HashMap;
use stencil_dialects::{
    build::{self, Inserter},
    ods::arith,
    ops::{AccessOp, ApplyOp},
    walk::{self, ValueKey},
};

/// What distinguishes operations that are read together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// What all of them permit.
    pub flags: Flags,
    /// The type that they compute in.
    pub precision: Precision,
}

impl Group {
    /// The group of an operation that may be read; none for types of 16 bits.
    pub fn of(operation: OperationRef) -> Option<Self> {
        let precision = expression::precision(build::single(operation))?;
        Some(Self { flags: Flags::of(operation), precision })
    }
}

/// The operations of a group in the block of an apply.
pub struct PointCode<'c, 'a> {
    parts: Vec<OperationRef<'c, 'a>>,
    group: Group,
    /// Leaves by their values.
    leaves: HashMap<ValueKey, Place>,
    values: HashMap<Place, Value<'c, 'a>>,
    /// All shapes.
    pub shapes: Shapes,
    roots: Vec<OperationRef<'c, 'a>>,
}

/// What an operation computes, before it is known how often it is used.
enum Open {
    Product(Term),
    Sum(Vec<Term>),
}

impl<'c: 'a, 'a> PointCode<'c, 'a> {
    /// Finds the operations of a group, and their leaves.
    pub fn of(apply: ApplyOp<'c, 'a>, group: Group) -> Self {
        let block = walk::operations(apply.body());
        let is_part = |part: &OperationRef| {
            expression::is_part(*part) && Group::of(*part) == Some(group) && !is_constant(*part)
        };
        let parts = block.into_iter().filter(is_part).collect::<Vec<_>>();
        let shapes = Shapes::new(apply.rank(), group.precision, group.flags.permit("contract"));
        let (leaves, values, roots) = (HashMap::new(), HashMap::new(), Vec::new());
        let mut code = Self { parts, group, leaves, values, shapes, roots };
        code.find_leaves();
        let is_root = |part: &OperationRef<'c, 'a>| {
            let uses = walk::uses(build::single(*part));
            uses.iter().any(|used| !code.parts.contains(&used.user))
        };
        code.roots = code.parts.iter().copied().filter(is_root).collect();
        code
    }

    /// The operations, in the order of the text.
    pub fn parts(&self) -> &[OperationRef<'c, 'a>] {
        &self.parts
    }

    /// The leaf that a value is.
    pub fn leaf(&self, value: Value) -> Option<Place> {
        self.leaves.get(&ValueKey::of(&value)).copied()
    }

    /// The operation that speaks for all: the last one.
    pub fn last(&self) -> Option<OperationRef<'c, 'a>> {
        self.parts.last().copied()
    }

    fn find_leaves(&mut self) {
        let mut arrivals = Arrivals::default();
        let mut fields = HashMap::new();
        let made = self.parts.iter().map(|part| ValueKey::of(&build::single(*part)));
        let made = made.collect::<std::collections::HashSet<_>>();
        let all = self.parts.iter().flat_map(|part| part.operands().collect::<Vec<_>>());
        for value in all.collect::<Vec<_>>() {
            let key = ValueKey::of(&value);
            if made.contains(&key) || self.leaves.contains_key(&key) {
                continue;
            }
            let (kind, cell) = kind(value);
            let shape = *fields.entry(kind).or_insert_with(|| match cell {
                Some((follows, _)) => self.shapes.leaf_along(follows, follows[0].then_some(0)),
                None => self.shapes.leaf(arrivals.plane(value)),
            });
            let offset = cell.map(|(_, offset)| offset).unwrap_or_default();
            let place = Place { shape, offset };
            self.leaves.insert(key, place);
            // Of two loads of a cell the first is there wherever one of them is needed.
            self.values.entry(place).or_insert(value);
        }
    }

    /// What the operations compute for others, in the order of the text; none where a weight would
    /// be no normal number.
    pub fn roots(&mut self) -> Option<Vec<Term>> {
        let mut open: HashMap<ValueKey, Open> = HashMap::new();
        let mut closed: HashMap<ValueKey, Term> = HashMap::new();
        let mut roots = Vec::new();
        for part in self.parts.clone() {
            let value = build::single(part);
            let made = self.read(part, &mut open, &closed)?;
            let is_root = self.roots.contains(&part);
            if walk::uses(value).len() == 1 && !is_root {
                open.insert(ValueKey::of(&value), made);
                continue;
            }
            let term = self.close(made);
            let named = match term.factors.len() {
                1 => term,
                _ => Term { weight: term.weight, factors: vec![self.shapes.product(term.factors)] },
            };
            closed.insert(ValueKey::of(&value), named.clone());
            if is_root {
                roots.push(named);
            }
        }
        Some(roots)
    }

    fn close(&mut self, open: Open) -> Term {
        match open {
            Open::Product(term) => term,
            Open::Sum(terms) => self.shapes.sum(terms),
        }
    }

    fn read(
        &mut self,
        part: OperationRef<'c, 'a>,
        open: &mut HashMap<ValueKey, Open>,
        closed: &HashMap<ValueKey, Term>,
    ) -> Option<Open> {
        let mut operands = Vec::new();
        for operand in part.operands() {
            let key = ValueKey::of(&operand);
            let whole = || closed.get(&key).cloned().unwrap_or_else(|| self.term(operand));
            operands.push(open.remove(&key).unwrap_or_else(|| Open::Product(whole())));
        }
        let mut operands = operands.into_iter();
        let mut next = || operands.next().expect("arithmetic has its operands");
        let terms = |open: Open| match open {
            Open::Product(term) => vec![term],
            Open::Sum(terms) => terms,
        };
        let negated = |terms: Vec<Term>| terms.into_iter().map(Term::negated).collect::<Vec<_>>();
        let sum = match walk::name(&part) {
            arith::MULF => {
                let (one, other) = (next(), next());
                let (one, other) = (self.close(one), self.close(other));
                // Constants are weights of products.
                let [one, other] = [one, other].map(|term| self.weight(term));
                return self.shapes.times(one, &other).map(Open::Product);
            }
            arith::NEGF => {
                return Some(match next() {
                    Open::Product(term) => Open::Product(term.negated()),
                    Open::Sum(terms) => Open::Sum(negated(terms)),
                });
            }
            arith::ADDF => [terms(next()), terms(next())].concat(),
            _ => [terms(next()), negated(terms(next()))].concat(),
        };
        Some(Open::Sum(sum))
    }

    fn term(&self, value: Value) -> Term {
        Term::of(self.leaf(value).expect("what is no part is a leaf"))
    }

    /// A constant leaf as a weight.
    fn weight(&self, term: Term) -> Term {
        let constant = match term.factors[..] {
            [place] => self.values.get(&place).and_then(|value| expression::weight(*value)),
            _ => None,
        };
        match constant {
            Some(number) => Term { weight: Weight(term.weight.0 * number), factors: Vec::new() },
            None => term,
        }
    }

    /// Replaces the operations by others that compute these roots.
    pub fn rewrite(&mut self, roots: &[Term]) {
        let (mut made, mut weights) = (HashMap::new(), HashMap::new());
        for (operation, root) in self.roots.clone().into_iter().zip(roots) {
            let flags = self.group.flags.attribute(operation);
            let at = Inserter::before(operation);
            let r#type = build::single(operation).r#type();
            let (made, weights) = (&mut made, &mut weights);
            let mut writer = Writer { code: self, at, flags, r#type, made, weights };
            let value = writer.root(root);
            build::replace_uses(build::single(operation), value);
        }
        for part in self.parts.iter().rev() {
            build::erase(*part);
        }
    }
}

/// Whether an operation has nothing but constants, as folding leaves it where a flag forbids more.
fn is_constant(part: OperationRef) -> bool {
    part.operands().all(|operand| walk::constant(operand).is_some())
}

/// What makes two leaves the same shape; the dimensions that it follows and its offset, if these
/// say all about where it stands.
fn kind<'c: 'a, 'a>(value: Value<'c, 'a>) -> (Kind, Option<([bool; RANK], Offset)>) {
    if let Some(access) = walk::definition(value).and_then(AccessOp::of) {
        let (mut follows, mut offset) = ([false; RANK], Offset::default());
        for (along, by) in access.mapping().into_iter().zip(access.offset()) {
            follows[along] = true;
            offset[along] = by;
        }
        let field = Kind::Field(ValueKey::of(&access.source()), access.mapping());
        return (field, Some((follows, offset)));
    }
    let fixed = Some(([false; RANK], Offset::default()));
    if let Some(constant) = walk::constant(value) {
        let number =
            FloatAttribute::try_from(constant).map_or(0, |number| number.value().to_bits());
        return (Kind::Constant(number), fixed);
    }
    // An argument that is no field is the same at all points.
    let is_argument = walk::definition(value).is_none();
    (Kind::Value(ValueKey::of(&value)), fixed.filter(|_| is_argument))
}

#[derive(PartialEq, Eq, Hash)]
enum Kind {
    Field(ValueKey, Vec<usize>),
    Constant(u64),
    Value(ValueKey),
}

/// Writes values in front of an operation.
struct Writer<'c, 'a, 'w> {
    code: &'w mut PointCode<'c, 'a>,
    at: Inserter<'c, 'a>,
    flags: Attribute<'c>,
    r#type: Type<'c>,
    made: &'w mut HashMap<(&'static str, Vec<ValueKey>), Value<'c, 'a>>,
    weights: &'w mut HashMap<u64, Value<'c, 'a>>,
}

impl<'c: 'a, 'a> Writer<'c, 'a, '_> {
    /// An operation, once.
    fn operation(&mut self, name: &'static str, operands: &[Value<'c, 'a>]) -> Value<'c, 'a> {
        let key = (name, operands.iter().map(ValueKey::of).collect());
        let make = || self.at.value(name, operands, &[(FASTMATH, self.flags)], self.r#type);
        *self.made.entry(key).or_insert_with(make)
    }

    fn weight(&mut self, weight: f64) -> Value<'c, 'a> {
        let make = || self.at.float(self.r#type, weight);
        *self.weights.entry(weight.to_bits()).or_insert_with(make)
    }

    /// A root; the sign of a sum goes to its terms.
    fn root(&mut self, root: &Term) -> Value<'c, 'a> {
        if let ([place], -1.0) = (&root.factors[..], root.weight.0)
            && let Shape::Sum(terms) = self.code.shapes.shape(place.shape).clone()
        {
            let terms = terms.into_iter().map(Term::negated).collect::<Vec<_>>();
            return self.sum(&terms, place.offset);
        }
        self.term(root, Offset::default())
    }

    fn place(&mut self, place: Place) -> Value<'c, 'a> {
        if let Some(known) = self.code.values.get(&place) {
            return *known;
        }
        let value = match self.code.shapes.shape(place.shape).clone() {
            Shape::Leaf(_) | Shape::Weighted(..) | Shape::Begun => {
                unreachable!("leaves are read where they stand")
            }
            Shape::Product(factors) => self.product(&factors, place.offset),
            Shape::Sum(terms) => self.sum(&terms, place.offset),
        };
        self.code.values.insert(place, value);
        value
    }

    fn product(&mut self, factors: &[Place], at: Offset) -> Value<'c, 'a> {
        let factors = factors.iter().map(|factor| self.code.shapes.moved(*factor, at));
        let values = factors.collect::<Vec<_>>().into_iter().map(|factor| self.place(factor));
        let values = values.collect::<Vec<_>>();
        let product =
            values.into_iter().reduce(|one, two| self.operation(arith::MULF, &[one, two]));
        product.expect("a product has factors")
    }

    /// A term with its weight.
    fn term(&mut self, term: &Term, at: Offset) -> Value<'c, 'a> {
        let value = self.product(&term.factors, at);
        match term.weight.0 {
            1.0 => value,
            -1.0 => self.operation(arith::NEGF, &[value]),
            weight => {
                let weight = self.weight(weight);
                self.operation(arith::MULF, &[weight, value])
            }
        }
    }

    fn sum(&mut self, terms: &[Term], at: Offset) -> Value<'c, 'a> {
        let mut sum = self.term(&terms[0], at);
        for term in &terms[1..] {
            sum = match term.weight.0 {
                -1.0 => {
                    let value = self.product(&term.factors, at);
                    self.operation(arith::SUBF, &[sum, value])
                }
                _ => {
                    let value = self.term(term, at);
                    self.operation(arith::ADDF, &[sum, value])
                }
            };
        }
        sum
    }
}
