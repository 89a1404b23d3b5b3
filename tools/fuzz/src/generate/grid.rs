//! Applies, combines, buffers and loads: statements that make temps.

use std::collections::BTreeSet;

use super::Generator;
use super::point::{Grid, Point};
use super::scope::{Field, Temp};
use crate::bounds::Bounds;
use crate::options::Construct;
use crate::program::{Apply, Combine, Operand, Output, Range, Statement, Value};
use crate::types::{Scalar, Type};

/// An operand of an apply, before it has a name inside.
struct Chosen {
    source: Value,
    dims: Vec<usize>,
    fields: BTreeSet<Value>,
}

/// Requirements of an apply.
pub(super) struct Wanted {
    /// The dimensions of the domain that its points span.
    pub(super) dims: Vec<usize>,
    /// Element types of its results.
    pub(super) elements: Vec<Scalar>,
    /// Temps that it must have as operands.
    pub(super) forced: Vec<Temp>,
    /// Maximum depth of applies that produce its operands.
    pub(super) depth: usize,
    /// Whether results may have points that are not stored.
    pub(super) may_skip: bool,
}

impl Wanted {
    pub(super) fn new(dims: &[usize], elements: &[Scalar], depth: usize) -> Self {
        Wanted {
            dims: dims.to_vec(),
            elements: elements.to_vec(),
            forced: vec![],
            depth,
            may_skip: false,
        }
    }
}

impl Generator<'_> {
    /// A temp with the current content of a field.
    pub(super) fn load(&mut self, field: &Field) -> Temp {
        let ty = self.program.type_of(field.value);
        let result = self.program.new_value(Type::Temp(ty.element(), ty.rank()));
        self.push(Statement::Load { field: field.value, result });
        let temp = Temp {
            value: result,
            dims: field.dims.clone(),
            partial: false,
            sources: BTreeSet::from([field.value]),
        };
        self.scope.temps.push(temp.clone());
        temp
    }

    /// An apply that yields temps.
    pub(super) fn compute(&mut self, wanted: &Wanted) -> Vec<Temp> {
        let chosen = self.choose_operands(wanted);
        let read: BTreeSet<Value> = chosen.iter().flat_map(|c| c.fields.clone()).collect();
        let mut apply = self.draw_apply(wanted, chosen);
        let results: Vec<Value> = wanted
            .elements
            .iter()
            .map(|of| self.program.new_value(Type::Temp(*of, wanted.dims.len())))
            .collect();
        apply.output = Output::Values(results.clone());
        let skips = apply.body.may_skip();
        let temps: Vec<Temp> = results
            .iter()
            .zip(&apply.body.yields)
            .map(|(result, yielded)| Temp {
                value: *result,
                dims: wanted.dims.clone(),
                partial: skips && matches!(self.program.type_of(*yielded), Type::Result(_)),
                sources: read.clone(),
            })
            .collect();
        self.push(Statement::Apply(apply));
        temps.into_iter().map(|temp| self.offer(temp)).collect()
    }

    /// Makes a computed temp available, sometimes through a buffer.
    fn offer(&mut self, temp: Temp) -> Temp {
        if temp.partial {
            return temp;
        }
        let temp = match self.wants(Construct::Buffer, 7) {
            true => {
                let result = self.program.new_value(self.program.type_of(temp.value));
                self.push(Statement::Buffer { source: temp.value, result });
                Temp { value: result, ..temp }
            }
            false => temp,
        };
        self.scope.temps.push(temp.clone());
        temp
    }

    /// An apply that writes fields; it reads only fields, and none that it writes.
    pub(super) fn compute_into(&mut self, fields: &[Field], range: Range) {
        let dims = fields[0].dims.clone();
        let elements: Vec<Scalar> =
            fields.iter().map(|f| self.program.type_of(f.value).element()).collect();
        let mut wanted = Wanted::new(&dims, &elements, 0);
        wanted.may_skip = range != Range::Whole;
        let mut chosen = vec![];
        for _ in 0..self.random.between(1, 3) {
            let apart = |f: &&Field| fields.iter().all(|written| written.is_apart(f));
            let readable = |f: &&Field| fits(&f.dims, &dims) && apart(f);
            let readable: Vec<Field> = self.scope.fields.iter().filter(readable).cloned().collect();
            if !readable.is_empty() {
                let field = self.random.pick(&readable);
                add(&mut chosen, self.field_operand(&field));
            }
        }
        let mut apply = self.draw_apply(&wanted, chosen);
        apply.output = Output::Fields { fields: fields.iter().map(|f| f.value).collect(), range };
        self.push(Statement::Apply(apply));
    }

    fn field_operand(&self, field: &Field) -> Chosen {
        Chosen {
            source: field.value,
            dims: field.dims.clone(),
            fields: BTreeSet::from([field.value]),
        }
    }

    fn choose_operands(&mut self, wanted: &Wanted) -> Vec<Chosen> {
        let mut chosen = vec![];
        for temp in &wanted.forced {
            add(&mut chosen, chosen_temp(temp));
        }
        let count = self.random.weighted(&[(35, 1), (40, 2), (17, 3), (8, 4)]);
        for _ in 0..count {
            match self.random.below(20) {
                0..5 if wanted.depth > 0 => {
                    let dims = match self.wants(Construct::LowRank, 15) && wanted.dims.len() > 1 {
                        true => vec![self.random.pick(&wanted.dims)],
                        false => wanted.dims.clone(),
                    };
                    let results = self.random.weighted(&[(80, 1), (20, 2)]);
                    let elements: Vec<Scalar> =
                        (0..results).map(|_| self.random.pick(&self.palette.clone())).collect();
                    let temps = self.compute(&Wanted::new(&dims, &elements, wanted.depth - 1));
                    temps.iter().for_each(|temp| add(&mut chosen, chosen_temp(temp)));
                }
                5..10 => {
                    let fitting = |t: &&Temp| fits(&t.dims, &wanted.dims) && !t.partial;
                    let temps = self.scope.temps.iter().filter(fitting).cloned();
                    let temps = temps.collect::<Vec<_>>();
                    if temps.is_empty() {
                        self.choose_load(wanted, &mut chosen);
                    } else {
                        add(&mut chosen, chosen_temp(&self.random.pick(&temps)));
                    }
                }
                10 if self.allows(Construct::FieldOperands) => {
                    if let Some(field) = self.readable_field(wanted) {
                        add(&mut chosen, self.field_operand(&field));
                    }
                }
                _ => self.choose_load(wanted, &mut chosen),
            }
        }
        chosen
    }

    fn choose_load(&mut self, wanted: &Wanted, chosen: &mut Vec<Chosen>) {
        if let Some(field) = self.readable_field(wanted) {
            add(chosen, chosen_temp(&self.load(&field)));
        }
    }

    /// A field that points over `wanted.dims` can read; rarely by a name that a loop has replaced.
    fn readable_field(&mut self, wanted: &Wanted) -> Option<Field> {
        let old = self.wants(Construct::StaleValues, 10);
        let list = if old { &self.scope.old_names } else { &self.scope.fields };
        let fitting = |f: &&Field| fits(&f.dims, &wanted.dims);
        let mut fields: Vec<Field> = list.iter().filter(fitting).cloned().collect();
        // Fields of lower rank are few; they are drawn as often as all others.
        let low: Vec<Field> =
            fields.iter().filter(|f| f.dims.len() < wanted.dims.len()).cloned().collect();
        if !low.is_empty() && self.random.chance(45) {
            fields = low;
        }
        if fields.is_empty() { None } else { Some(self.random.pick(&fields)) }
    }

    /// An apply without its output.
    fn draw_apply(&mut self, wanted: &Wanted, chosen: Vec<Chosen>) -> Apply {
        let mut operands = vec![];
        let mut grids = vec![];
        for Chosen { source, dims, .. } in chosen {
            let ty = self.program.type_of(source);
            let argument = self.program.new_value(ty);
            operands.push(Operand { source, argument });
            let position = |d: &usize| wanted.dims.iter().position(|w| w == d);
            let positions = dims.iter().filter_map(position).collect();
            let (below, above) = self.draw_radius(wanted.dims.len());
            grids.push(Grid { argument, element: ty.element(), positions, below, above });
        }
        let mut scalars = vec![];
        for source in self.scope.scalars.clone() {
            if self.random.chance(55) && scalars.len() < 4 {
                let argument = self.program.new_value(self.program.type_of(source));
                operands.push(Operand { source, argument });
                scalars.push(argument);
            }
        }
        if self.random.chance(30) {
            self.random.shuffle(&mut operands);
        }
        let mut point = Point::new(self, wanted.dims.len(), grids, scalars);
        let yields = wanted.elements.iter().map(|of| point.result(*of, wanted.may_skip)).collect();
        let body = point.finish(yields);
        let bounds_clause = self.wants(Construct::BoundsClause, 6);
        Apply { operands, body, output: Output::Values(vec![]), unroll: None, bounds_clause }
    }

    /// Distances of accesses below and above, each side and dimension its own.
    fn draw_radius(&mut self, rank: usize) -> (Vec<i64>, Vec<i64>) {
        let mut side = || match self.random.below(if self.max_radius > 4 { 24 } else { 20 }) {
            0..6 => 0,
            6..11 => 1,
            11..15 => 2,
            15..17 => 3,
            17..20 => 4,
            _ => self.max_radius,
        };
        let below = (0..rank).map(|_| -side()).collect();
        (below, (0..rank).map(|_| side()).collect())
    }

    /// Combines temps over a range, split in the dimensions of `splits` in order.
    pub(super) fn combined(
        &mut self,
        wanted: &Wanted,
        range: &Bounds,
        splits: &[usize],
    ) -> Vec<Temp> {
        let Some((dim, rest)) = splits.split_first() else { return self.compute_plain(wanted) };
        let at = self.random.between(range.lower[*dim] + 1, range.upper[*dim] - 1);
        let pairs = wanted.elements.len();
        let (lower, upper) = if rest.is_empty() && self.random.chance(30) {
            // One apply feeds both sides.
            let twice = [&wanted.elements[..], &wanted.elements[..]].concat();
            let all = self.compute_plain(&Wanted::new(&wanted.dims, &twice, wanted.depth));
            (all[..pairs].to_vec(), all[pairs..].to_vec())
        } else {
            let lower_splits = if self.random.chance(70) { rest } else { &[] };
            let lower = self.combined(wanted, &range.below(*dim, at), lower_splits);
            (lower, self.combined(wanted, &range.from(*dim, at), rest))
        };
        let mut combine = Combine {
            dim: *dim,
            at,
            lower: lower.iter().map(|t| t.value).collect(),
            upper: upper.iter().map(|t| t.value).collect(),
            lower_only: vec![],
            upper_only: vec![],
            results: vec![],
        };
        let extension = self.wants(Construct::CombineExtensions, 35);
        let extension = extension.then(|| self.extend(wanted, range, &mut combine)).flatten();
        let sources = lower.iter().chain(&upper).flat_map(|t| t.sources.clone()).collect();
        let mut results = vec![];
        for of in &wanted.elements {
            results.push(self.program.new_value(Type::Temp(*of, wanted.dims.len())));
        }
        let temps = results.iter().map(|value| Temp {
            value: *value,
            dims: wanted.dims.clone(),
            partial: false,
            sources: BTreeSet::clone(&sources),
        });
        let temps: Vec<Temp> = temps.collect();
        combine.results = results;
        combine.results.extend(extension.as_ref().map(|(result, ..)| *result));
        self.push(Statement::Combine(combine));
        if let Some((temp, field, part)) = extension {
            self.push(Statement::Store { temp, field, range: Range::Box(part) });
            self.forget_stale(field);
        }
        temps.into_iter().map(|temp| self.offer(temp)).collect()
    }

    /// Adds a temp that exists on one side only: the result, its field, and its range.
    fn extend(
        &mut self,
        wanted: &Wanted,
        range: &Bounds,
        combine: &mut Combine,
    ) -> Option<(Value, Value, Bounds)> {
        let fields = self.scope.fields.iter().filter(|f| f.dims == wanted.dims).cloned();
        let fields: Vec<Field> = fields.collect();
        if fields.is_empty() {
            return None;
        }
        let field = self.random.pick(&fields);
        let element = self.program.type_of(field.value).element();
        let temp = self.compute_plain(&Wanted::new(&wanted.dims, &[element], 0)).pop()?;
        if !self.allows(Construct::InPlace) && temp.sources.contains(&field.value) {
            return None;
        }
        let result = self.program.new_value(Type::Temp(element, wanted.dims.len()));
        if self.random.chance(50) {
            combine.lower_only.push(temp.value);
            Some((result, field.value, range.below(combine.dim, combine.at)))
        } else {
            combine.upper_only.push(temp.value);
            Some((result, field.value, range.from(combine.dim, combine.at)))
        }
    }

    /// An apply all of whose points are stored.
    fn compute_plain(&mut self, wanted: &Wanted) -> Vec<Temp> {
        let mut plain = Wanted::new(&wanted.dims, &wanted.elements, wanted.depth);
        plain.forced.clone_from(&wanted.forced);
        self.compute(&plain)
    }
}

/// Are all of some dimensions among others?
pub(super) fn fits(inner: &[usize], outer: &[usize]) -> bool {
    inner.iter().all(|dim| outer.contains(dim))
}

fn chosen_temp(temp: &Temp) -> Chosen {
    Chosen { source: temp.value, dims: temp.dims.clone(), fields: temp.sources.clone() }
}

/// Adds an operand, once.
fn add(chosen: &mut Vec<Chosen>, operand: Chosen) {
    if chosen.iter().all(|c| c.source != operand.source) {
        chosen.push(operand);
    }
}
