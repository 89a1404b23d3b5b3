//! Sums of cells with subexpressions shared between neighbouring outputs.
//!
//! The weights of the cells of one field are a matrix with a row for each plane (the offset along
//! dimension 0) and a column for each place in a plane. The contributions of one plane to the
//! outputs around it are the rows of that matrix, all applied to the same cells: so a common
//! subexpression of several rows ([`CommonBlocks`]) is computed once per plane, if the outputs
//! belong to one thread or the planes arrive one by one.

use super::{
    common_blocks::{Column, CommonBlocks, Forms, Placed, Rounding},
    linear::{Leaf, Node, Precision, Sums, Term},
    sum_form::by_planes,
};
use std::{
    cell,
    collections::{BTreeMap, BTreeSet, HashMap, btree_map::Entry},
};

/// A cell that a leaf reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cell {
    /// Which field.
    pub field: usize,
    /// Where, dimension 0 first.
    pub offset: Vec<i64>,
}

/// Rewrites sums with subexpressions that neighbouring outputs share.
pub struct SharedSums<'s> {
    /// The rules of sums, which start with their first term.
    pub sums: &'s Sums,
    /// The cell of each leaf, if it is one.
    pub cells: &'s [Option<Cell>],
    /// The plane of each leaf.
    pub planes: &'s [Option<i64>],
    /// Consecutive outputs along dimension 0 that are computed together.
    pub outputs: usize,
    /// What was left out for the sake of time.
    pub bounded: cell::Cell<Bounded>,
}

/// What a search for forms left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounded {
    /// Sums over too many planes and cells were not searched.
    pub is_large: bool,
    /// Only the first [`CANDIDATES_MAX`](super::common_blocks::CANDIDATES_MAX) rows and differences
    /// of rows were tried as what others are written in.
    pub are_rows_left: bool,
}

/// The cost of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Floating-point instructions of all outputs together, equal ones counted once.
    pub instructions: usize,
    /// Values of one plane live at once: cells and subexpressions.
    pub values: usize,
}

impl SharedSums<'_> {
    /// The cheapest form of an expression, if it costs less than the given one, and the
    /// instructions that it saves for all outputs.
    pub fn better(&self, term: &Term) -> Option<(Vec<Term>, usize)> {
        let now = self.needs(std::slice::from_ref(term));
        let node = self.node(&term.node);
        let form = match node {
            Node::Sum(terms) if term.factor == 1.0 => terms,
            node => vec![Term { factor: term.factor, node }],
        };
        let then = self.needs(&form);
        pays(now, then).then(|| (form, now.instructions - then.instructions))
    }

    /// The cost of the outputs with this form.
    pub fn needs(&self, terms: &[Term]) -> Needs {
        let mut count = Count { form: self, known: HashMap::new(), shift: 0, instructions: 0 };
        let node = Node::Sum(terms.to_vec());
        for shift in 0..self.outputs {
            count.shift = shift as i64;
            count.node(&node);
        }
        Needs { instructions: count.instructions, values: self.values(&node) }
    }

    /// The widest sum of one plane, whose operands are live at once.
    fn values(&self, node: &Node) -> usize {
        match node {
            Node::Leaf(_) => 1,
            Node::Product(one, other) => self.values(one).max(self.values(other)),
            Node::Sum(terms) => {
                let inside = terms.iter().map(|term| self.values(&term.node)).max();
                let shared = terms.iter().filter(|term| matches!(term.node, Node::Sum(_)));
                inside.unwrap_or(0).max(1 + shared.count())
            }
        }
    }

    fn node(&self, node: &Node) -> Node {
        match node {
            Node::Leaf(_) => node.clone(),
            Node::Product(one, other) => {
                Node::Product(self.node(one).into(), self.node(other).into())
            }
            // A long sum is a chain of sums: its parts are looked at only where it stays one.
            Node::Sum(terms) => Node::Sum(self.factored(terms).unwrap_or_else(|| {
                let inside = |term: &Term| Term { node: self.node(&term.node), ..term.clone() };
                terms.iter().map(inside).collect()
            })),
        }
    }

    /// A sum by planes, if it has cells on several.
    fn factored(&self, terms: &[Term]) -> Option<Vec<Term>> {
        let mut rest = Vec::new();
        let mut cells: BTreeMap<usize, Weights> = BTreeMap::new();
        for term in self.flat(terms)? {
            let cell = match term.node {
                Node::Leaf(leaf) => self.cells[leaf.0].as_ref().map(|cell| (leaf, cell)),
                _ => None,
            };
            // A cell that is added and subtracted is two terms: cancelling weights are kept.
            let is_taken = cell.is_some_and(|(leaf, cell)| {
                cells.entry(cell.field).or_default().insert(&cell.offset, leaf, term.factor)
            });
            if !is_taken {
                rest.push(Term { node: self.node(&term.node), ..term });
            }
        }
        let mut form = rest;
        for weights in cells.values() {
            form.extend(self.of_field(weights));
        }
        Some(by_planes(form, self.planes))
    }

    /// The terms with every weight multiplied out.
    fn flat(&self, terms: &[Term]) -> Option<Vec<Term>> {
        let mut flat = self.sums.flat(terms.to_vec());
        while let Some(at) =
            flat.iter().position(|term| matches!(&term.node, Node::Sum(_)) && !term.is_unit())
        {
            flat[at] = self.sums.push(&flat[at])?;
            flat = self.sums.flat(flat);
        }
        Some(flat)
    }

    /// The terms of one field in the cheapest of the forms that are tried.
    fn of_field(&self, weights: &Weights) -> Vec<Term> {
        let plain = weights.plain();
        let precision = self.sums.precision();
        let forms = weights.forms(Rounding { unit: precision.unit() }, &self.bounded);
        let forms = forms.into_iter().filter_map(|forms| weights.terms(&forms, precision));
        let forms = forms.filter(|form| weights.moved(form) <= MOVED_MOST * precision.unit());
        let best = forms.min_by_key(|form| self.needs(form).instructions);
        match best {
            Some(form) if pays(self.needs(&plain), self.needs(&form)) => form,
            _ => plain,
        }
    }
}

/// Whether a form pays: an additional live value costs an instruction of each output.
fn pays(now: Needs, then: Needs) -> bool {
    let more = then.values.saturating_sub(now.values).saturating_sub(FREE_VALUES);
    then.instructions + more < now.instructions
}

/// The largest deviation of a cell's weight from the given one, in units of roundoff, by rounding
/// and by merging of almost equal quotients. Other forms are rejected; the error bound of
/// reassociation depends on it (`docs/accuracy.md` of this crate).
pub const MOVED_MOST: f64 = 12.0;

/// Planes times cells times their sum, beyond which a sum is kept as it is: a pair of columns is
/// looked at in each plane and a pair of planes in each column, before each of the forms' values.
/// Boxes of 11 x 11 x 11 and of 50 x 50 cells are searched, and stars of radius 17.
pub const SIZE_MAX: usize = 1 << 18;

/// Live values of a plane that cost nothing.
const FREE_VALUES: usize = 8;

/// The weights of the cells of one field.
#[derive(Default)]
struct Weights {
    cells: BTreeMap<(i64, Vec<i64>), (Leaf, f64)>,
}

impl Weights {
    /// Inserts the weight of a cell, unless the cell has one.
    fn insert(&mut self, offset: &[i64], leaf: Leaf, weight: f64) -> bool {
        match self.cells.entry((offset[0], offset[1..].to_vec())) {
            Entry::Vacant(entry) => {
                entry.insert((leaf, weight));
                true
            }
            Entry::Occupied(_) => false,
        }
    }

    fn planes(&self) -> Vec<i64> {
        let planes = self.cells.keys().map(|(plane, _)| *plane).collect::<BTreeSet<_>>();
        planes.into_iter().collect()
    }

    fn places(&self) -> Vec<Vec<i64>> {
        let places = self.cells.keys().map(|(_, place)| place.clone()).collect::<BTreeSet<_>>();
        places.into_iter().collect()
    }

    /// Every cell with its weight.
    fn plain(&self) -> Vec<Term> {
        let term = |(leaf, factor): &(Leaf, f64)| Term { factor: *factor, node: Node::Leaf(*leaf) };
        self.cells.values().map(term).collect()
    }

    /// The forms that are tried.
    fn forms(&self, rounding: Rounding, bounded: &cell::Cell<Bounded>) -> Vec<Forms> {
        let (planes, places) = (self.planes(), self.places());
        let (rows, columns) = (planes.len(), places.len());
        if rows.saturating_mul(columns).saturating_mul(rows + columns) > SIZE_MAX {
            bounded.set(Bounded { is_large: true, ..bounded.get() });
            return Vec::new();
        }
        let weight = |plane: &i64, place: &Vec<i64>| {
            self.cells.get(&(*plane, place.clone())).map_or(0.0, |(_, weight)| *weight)
        };
        let row = |plane| places.iter().map(|place| weight(plane, place)).collect::<Vec<_>>();
        let matrix = planes.iter().map(row).collect::<Vec<_>>();
        let places = Places(&places);
        let mut forms = vec![CommonBlocks::forms(&matrix, &places, rounding)];
        let (ways, are_all) = rounding.by_two(&matrix);
        if !are_all {
            bounded.set(Bounded { are_rows_left: true, ..bounded.get() });
        }
        for by_two in ways {
            let parts = CommonBlocks::forms(&by_two.two, &places, rounding);
            let whole = CommonBlocks::forms(&by_two.taken, &Unplaced, rounding);
            forms.push(composed(parts, whole));
        }
        forms
    }

    /// The largest relative deviation of a cell's weight in a form.
    fn moved(&self, form: &[Term]) -> f64 {
        let mut made = HashMap::new();
        for term in form {
            weigh(term, Exact { high: 1.0, low: 0.0 }, &mut made);
        }
        let moved = self.cells.values().map(|(leaf, weight)| {
            let Exact { high, low } = made.remove(&leaf.0).unwrap_or(Exact { high: 0.0, low: 0.0 });
            ((high - weight) + low).abs() / weight.abs()
        });
        let most = moved.fold(0.0, f64::max);
        if made.is_empty() { most } else { f64::INFINITY }
    }

    /// The sum by contributions of planes; none if a plane lacks a cell of a subexpression.
    fn terms(&self, forms: &Forms, precision: Precision) -> Option<Vec<Term>> {
        let places = self.places();
        let mut terms = Vec::new();
        for (plane, sum) in self.planes().into_iter().zip(&forms.sums) {
            let cell = |column: usize| {
                let found = self.cells.get(&(plane, places[column].clone()))?;
                Some(Node::Leaf(found.0))
            };
            terms.extend(terms_of(sum, &Cells { forms, precision, cell: &cell })?);
        }
        Some(terms)
    }
}

/// A double-word number.
#[derive(Clone, Copy)]
struct Exact {
    high: f64,
    low: f64,
}

impl Exact {
    fn times(self, factor: f64) -> Self {
        let high = self.high * factor;
        let error = self.high.mul_add(factor, -high);
        Self { high, low: self.low.mul_add(factor, error) }
    }

    fn plus(self, other: Self) -> Self {
        let high = self.high + other.high;
        let part = high - self.high;
        let error = (self.high - (high - part)) + (other.high - part);
        Self { high, low: self.low + other.low + error }
    }
}

/// Accumulates the weights of the leaves of a term.
fn weigh(term: &Term, outside: Exact, made: &mut HashMap<usize, Exact>) {
    let weight = outside.times(term.factor);
    match &term.node {
        Node::Leaf(leaf) => {
            let known = made.entry(leaf.0).or_insert(Exact { high: 0.0, low: 0.0 });
            *known = known.plus(weight);
        }
        Node::Sum(terms) => terms.iter().for_each(|term| weigh(term, weight, made)),
        Node::Product(..) => unreachable!("a form of cells has no products of two"),
    }
}

/// The columns of one plane.
struct Cells<'f, F> {
    forms: &'f Forms,
    precision: Precision,
    cell: &'f F,
}

fn terms_of<F: Fn(usize) -> Option<Node>>(
    sum: &[(usize, f64)],
    cells: &Cells<F>,
) -> Option<Vec<Term>> {
    let node = |column: usize| match &cells.forms.columns[column] {
        Column::Given => (cells.cell)(column),
        Column::Formed(parts) => terms_of(parts, cells).map(begun).map(Node::Sum),
    };
    let term = |(column, factor): &(usize, f64)| {
        let factor = cells.precision.rounded(*factor);
        cells.precision.is_normal(factor).then_some(Term { factor, node: node(*column)? })
    };
    sum.iter().map(term).collect()
}

/// The terms of a subexpression, starting with one without a weight.
fn begun(mut terms: Vec<Term>) -> Vec<Term> {
    let added = terms.iter().position(|term| term.factor == 1.0);
    terms[..=added.unwrap_or(0)].rotate_right(1);
    terms
}

/// The composition of forms: the sums of the first are the given values of the second.
fn composed(parts: Forms, whole: Forms) -> Forms {
    let mut columns = parts.columns;
    let mut number = Vec::new();
    let renamed = |sum: &[(usize, f64)], number: &[usize]| {
        sum.iter().map(|(column, weight)| (number[*column], *weight)).collect::<Vec<_>>()
    };
    let mut given = parts.sums.into_iter();
    for column in whole.columns {
        let formed = match column {
            Column::Given => given.next().expect("one for each sum of the first"),
            Column::Formed(sum) => renamed(&sum, &number),
        };
        number.push(columns.len());
        columns.push(Column::Formed(formed));
    }
    let sums = whole.sums.iter().map(|sum| renamed(sum, &number)).collect();
    Forms { columns, sums }
}

/// Positions in a plane: symmetric pairs of one line come first, as neighbours along the other
/// dimensions have them too.
struct Places<'p>(&'p [Vec<i64>]);

impl Places<'_> {
    /// Twice the middle of the box around some places, and the size of the box.
    fn hull(&self, places: impl Iterator<Item = usize> + Clone) -> (Vec<i64>, Vec<i64>) {
        let rank = self.0.first().map_or(0, Vec::len);
        let along = |d: usize| places.clone().map(move |place| self.0[place][d]);
        let lower = (0..rank).map(|d| along(d).min().unwrap_or(0));
        let upper = (0..rank).map(|d| along(d).max().unwrap_or(0));
        let ends = lower.zip(upper).collect::<Vec<_>>();
        let middle = ends.iter().map(|(lower, upper)| lower + upper).collect();
        (middle, ends.iter().map(|(lower, upper)| upper - lower).collect())
    }
}

impl Placed for Places<'_> {
    fn distance(&self, one: &[usize], other: &[usize]) -> Vec<i64> {
        let (centre, _) = self.hull(0..self.0.len());
        let (middle, size) = self.hull(one.iter().chain(other).copied());
        let off_centre = middle.iter().zip(&centre).map(|(one, other)| (one - other).abs());
        let mut distance = vec![size[..size.len() - 1].iter().sum()];
        distance.extend(off_centre.rev());
        distance.extend(size);
        distance.extend(one.iter().chain(other).map(|place| *place as i64));
        distance
    }
}

/// Sums without positions: ties are broken by order.
struct Unplaced;

impl Placed for Unplaced {
    fn distance(&self, one: &[usize], other: &[usize]) -> Vec<i64> {
        one.iter().chain(other).map(|number| *number as i64).collect()
    }
}

/// Counts the instructions of expressions, equal ones once.
struct Count<'f, 's> {
    form: &'f SharedSums<'s>,
    known: HashMap<Value, usize>,
    /// The offset of the output from the first along dimension 0.
    shift: i64,
    instructions: usize,
}

/// A value, by its operands.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Value {
    Cell(Cell),
    /// Not a cell: each output has its own.
    Other(usize, i64),
    Product(usize, usize),
    /// A weight, as bits, times a value.
    Weighted(u64, usize),
    /// A sum and what is added to it: weight and value.
    Sum(usize, u64, usize),
}

impl Count<'_, '_> {
    fn number(&mut self, value: Value, instructions: usize) -> usize {
        let next = self.known.len();
        let mut is_new = false;
        let number = *self.known.entry(value).or_insert_with(|| {
            is_new = true;
            next
        });
        self.instructions += usize::from(is_new) * instructions;
        number
    }

    fn node(&mut self, node: &Node) -> usize {
        match node {
            Node::Leaf(leaf) => {
                let value = match &self.form.cells[leaf.0] {
                    Some(cell) => {
                        let mut cell = cell.clone();
                        cell.offset[0] += self.shift;
                        Value::Cell(cell)
                    }
                    None => Value::Other(leaf.0, self.shift),
                };
                self.number(value, 0)
            }
            Node::Product(one, other) => {
                let (one, other) = (self.node(one), self.node(other));
                self.number(Value::Product(one, other), 1)
            }
            Node::Sum(terms) => self.sum(terms),
        }
    }

    fn sum(&mut self, terms: &[Term]) -> usize {
        let mut sum = None;
        for (position, term) in terms.iter().enumerate() {
            let own = self.form.sums.term_instructions(term, position == 0);
            let inside = self.form.sums.instructions(&term.node);
            let value = self.node(&term.node);
            let joins = own - inside;
            let weight = term.factor.to_bits();
            sum = Some(match sum {
                None if term.is_unit() => value,
                None => self.number(Value::Weighted(weight, value), joins),
                Some(sum) => self.number(Value::Sum(sum, weight, value), joins),
            });
        }
        sum.expect("a sum has terms")
    }
}

#[cfg(test)]
#[path = "shared_sums_tests.rs"]
mod tests;
