//! A canonical order of values, independent of how the program computes them.
//!
//! A value is compared by the cells and arguments that it depends on, in the order of the apply's
//! arguments and of offsets; then by how it is computed. Sums that may be written in any order are
//! weighted sums of what they add, however they are written, and factors of a product have no
//! order either.

use crate::arithmetic::{
    expression::{self, Expression},
    linear::{Leaf, Node, Term},
};
use melior::ir::{BlockLike, OperationRef, Value, operation::OperationLike};
use std::{
    cmp::Ordering,
    collections::{BTreeSet, HashMap},
    rc::Rc,
};
use stencil_dialects::{
    build,
    ops::AccessOp,
    walk::{self, ValueKey},
};

/// Ranks of values, with caches.
#[derive(Default)]
pub struct ValueOrder {
    numbers: HashMap<ValueKey, usize>,
    forms: HashMap<Rc<Form>, usize>,
    known: Vec<Known>,
}

/// Equal values.
struct Known {
    reads: Rc<BTreeSet<Read>>,
    form: Rc<Form>,
}

/// A cell or argument that a value depends on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Read {
    /// Owner and number of the argument; other values come last.
    owner: String,
    position: usize,
    /// The offset; empty if it is not a field.
    offset: Vec<i64>,
    mapping: Vec<usize>,
}

/// How a value is computed from values with numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Form {
    Read(Read),
    /// Weights, as bits, and values.
    Sum(Vec<(u64, usize)>),
    Product(Vec<usize>),
    Operation {
        /// Name and attributes.
        text: String,
        result: usize,
        operands: Vec<usize>,
        /// The operations inside of it.
        inside: Vec<(String, Vec<usize>)>,
    },
}

impl ValueOrder {
    /// The rank of each value among all of them; equal for indistinguishable ones.
    pub fn ranks(&mut self, values: &[Value]) -> Vec<usize> {
        let numbers = values.iter().map(|value| self.number(*value)).collect::<Vec<_>>();
        let mut sorted = numbers.clone();
        sorted.sort_by(|one, other| self.compare(*one, *other));
        sorted.dedup();
        let rank = |number| sorted.iter().position(|known| known == number);
        numbers.iter().map(|number| rank(number).expect("every number was sorted")).collect()
    }

    /// Forgets operations that are about to be erased: their addresses may be reused.
    pub fn forget(&mut self, operations: &[OperationRef]) {
        for operation in operations {
            for result in operation.results() {
                self.numbers.remove(&ValueKey::of(&result));
            }
        }
    }

    fn compare(&self, one: usize, other: usize) -> Ordering {
        if one == other {
            return Ordering::Equal;
        }
        let [one, other] = [&self.known[one], &self.known[other]];
        one.reads.cmp(&other.reads).then_with(|| self.forms(&one.form, &other.form))
    }

    fn forms(&self, one: &Form, other: &Form) -> Ordering {
        match (one, other) {
            (Form::Read(one), Form::Read(other)) => one.cmp(other),
            (Form::Sum(one), Form::Sum(other)) => {
                let values = |sum: &[(u64, usize)]| sum.iter().map(|part| part.1).collect();
                let weights =
                    |sum: &[(u64, usize)]| sum.iter().map(|part| part.0).collect::<Vec<_>>();
                let [ones, others]: [Vec<usize>; 2] = [values(one), values(other)];
                self.lists(&ones, &others).then_with(|| weights(one).cmp(&weights(other)))
            }
            (Form::Product(one), Form::Product(other)) => self.lists(one, other),
            (
                Form::Operation { text, result, operands, inside },
                Form::Operation { text: other, result: at, operands: others, inside: within },
            ) => {
                let names = |list: &[(String, Vec<usize>)]| {
                    list.iter().map(|(text, _)| text.clone()).collect::<Vec<_>>()
                };
                let own = (text, result).cmp(&(other, at));
                let own = own.then_with(|| self.lists(operands, others));
                let own = own.then_with(|| names(inside).cmp(&names(within)));
                let values = |list: &[(String, Vec<usize>)]| {
                    list.iter().flat_map(|(_, values)| values.clone()).collect::<Vec<_>>()
                };
                own.then_with(|| self.lists(&values(inside), &values(within)))
            }
            _ => kind(one).cmp(&kind(other)),
        }
    }

    fn lists(&self, ones: &[usize], others: &[usize]) -> Ordering {
        let pairs = ones.iter().zip(others);
        let mut differences = pairs.map(|(one, other)| self.compare(*one, *other));
        let first = differences.find(|order| order.is_ne());
        first.unwrap_or_else(|| ones.len().cmp(&others.len()))
    }

    /// The number of a value; equal values have one.
    fn number(&mut self, value: Value) -> usize {
        let key = ValueKey::of(&value);
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let number = match walk::definition(value) {
            Some(operation) if expression::is_part(operation) => self.of_expression(operation),
            Some(operation) => self.of_operation(operation, value),
            None => self.of_argument(value),
        };
        self.numbers.insert(key, number);
        number
    }

    fn intern(&mut self, form: Form, reads: impl FnOnce(&Self) -> BTreeSet<Read>) -> usize {
        if let Some(number) = self.forms.get(&form) {
            return *number;
        }
        let (number, form, reads) = (self.known.len(), Rc::new(form), Rc::new(reads(self)));
        self.forms.insert(Rc::clone(&form), number);
        self.known.push(Known { reads, form });
        number
    }

    fn intern_read(&mut self, read: Read) -> usize {
        self.intern(Form::Read(read.clone()), |_| BTreeSet::from([read]))
    }

    fn reads(&self, numbers: &[usize]) -> BTreeSet<Read> {
        numbers.iter().flat_map(|number| self.known[*number].reads.iter().cloned()).collect()
    }

    fn of_argument(&mut self, value: Value) -> usize {
        let (offset, mapping) = (Vec::new(), Vec::new());
        let (owner, position) = argument(value);
        self.intern_read(Read { owner, position, offset, mapping })
    }

    fn of_operation(&mut self, operation: OperationRef, value: Value) -> usize {
        let result = walk::result_number(value).unwrap_or(0);
        if let Some(access) = AccessOp::of(operation) {
            let (owner, position) = argument(access.source());
            let (offset, mapping) = (access.offset(), access.mapping());
            return self.intern_read(Read { owner, position, offset, mapping });
        }
        let own = operation.operands().map(|operand| self.number(operand)).collect::<Vec<_>>();
        let nested = walk::nested(operation);
        let mut inside = Vec::new();
        for inner in &nested[1..] {
            // Values computed inside are described by the list itself.
            let is_outside = |operand: &Value| {
                walk::definition(*operand).is_none_or(|definition| !nested.contains(&definition))
            };
            let operands = inner.operands().filter(is_outside).collect::<Vec<_>>();
            let operands = operands.into_iter().map(|operand| self.number(operand)).collect();
            inside.push((text(*inner), operands));
        }
        let all = inside.iter().flat_map(|(_, operands)| operands).chain(&own);
        let all = all.copied().collect::<Vec<_>>();
        let form = Form::Operation { text: text(operation), result, operands: own, inside };
        self.intern(form, |order| order.reads(&all))
    }

    fn of_expression(&mut self, root: OperationRef) -> usize {
        let expression = Expression::of(root);
        let leaves = expression.leaves().iter().map(|leaf| self.number(*leaf)).collect::<Vec<_>>();
        self.of_term(expression.term(), &leaves)
    }

    fn of_term(&mut self, term: &Term, leaves: &[usize]) -> usize {
        let mut parts = Vec::new();
        self.collect(term, 1.0, leaves, &mut parts);
        parts.sort_by(|one, other| {
            let values = self.compare(one.1, other.1);
            values.then_with(|| f64::from_bits(one.0).total_cmp(&f64::from_bits(other.0)))
        });
        match parts.as_slice() {
            [(weight, number)] if f64::from_bits(*weight) == 1.0 => *number,
            _ => {
                let values = parts.iter().map(|part| part.1).collect::<Vec<_>>();
                self.intern(Form::Sum(parts), |order| order.reads(&values))
            }
        }
    }

    /// Adds the parts of a term, with every weight multiplied out.
    fn collect(
        &mut self,
        term: &Term,
        weight: f64,
        leaves: &[usize],
        parts: &mut Vec<(u64, usize)>,
    ) {
        let weight = weight * term.factor;
        match &term.node {
            Node::Leaf(Leaf(leaf)) => parts.push((weight.to_bits(), leaves[*leaf])),
            Node::Sum(terms) => {
                terms.iter().for_each(|term| self.collect(term, weight, leaves, parts));
            }
            Node::Product(left, right) => {
                let mut factors = [left, right].map(|factor| {
                    let term = Term { factor: 1.0, node: (**factor).clone() };
                    self.of_term(&term, leaves)
                });
                factors.sort_by(|one, other| self.compare(*one, *other));
                let form = Form::Product(factors.to_vec());
                let number = self.intern(form, |order| order.reads(&factors));
                parts.push((weight.to_bits(), number));
            }
        }
    }
}

fn kind(form: &Form) -> usize {
    match form {
        Form::Read(_) => 0,
        Form::Sum(_) => 1,
        Form::Product(_) => 2,
        Form::Operation { .. } => 3,
    }
}

/// Owner and number of an argument; the definition of another value.
fn argument(value: Value) -> (String, usize) {
    match walk::block_argument(value) {
        Some((block, position)) => {
            let owner = block.parent_operation().map(|owner| walk::name(&owner));
            (owner.unwrap_or_default().to_owned(), position)
        }
        None => {
            let name = walk::definition(value).map(|operation| walk::name(&operation));
            (name.unwrap_or_default().to_owned(), walk::result_number(value).unwrap_or(0))
        }
    }
}

/// Name and attributes of an operation.
fn text(operation: OperationRef) -> String {
    let attributes = build::attributes(&operation).into_iter();
    let attributes = attributes.map(|(name, value)| format!("{name} = {value}"));
    let mut attributes = attributes.collect::<Vec<_>>();
    attributes.sort_unstable();
    format!("{} {}", walk::name(&operation), attributes.join(", "))
}
