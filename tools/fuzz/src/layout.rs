//! Infers bounds of temps and fields backwards from the ranges of the stores.
//!
//! Minimal: a temp has the cells that are stored or read, an apply the union over its results, a
//! field the union over its loads and stores, plus its slack. Fields that a loop rotates, a call
//! passes or a cast renames have one type and so one box. An unrolled apply demands its written
//! offsets from the whole output box, as textual inference sees it.
//!
//! Stores to a whole field depend on the field's box, which depends on reads elsewhere; the walk is
//! iterated to a fixed point. A program that stores a whole field from its own neighbours has none
//! and is refused.

use std::collections::BTreeMap;

use crate::bounds::Bounds;
use crate::point::Kind;
use crate::program::{Apply, Body, Combine, Output, Program, Range, Statement, Value};

/// Limit on the iterations.
const MAX_WALKS: usize = 24;

/// The boxes of a program.
#[derive(Debug, Clone)]
pub struct Layout {
    classes: Classes,
    demand: BTreeMap<Value, Bounds>,
    slack: BTreeMap<Value, Vec<(i64, i64)>>,
    ranks: Vec<usize>,
}

impl Layout {
    /// Infers all boxes; `None` if they grow without end.
    pub fn infer(program: &Program) -> Option<Layout> {
        let mut classes = Classes::default();
        program.walk(&mut |statement| unify(program, statement, &mut classes));
        let mut slack = BTreeMap::<Value, Vec<(i64, i64)>>::new();
        for (field, extra) in &program.slack {
            let merged = slack.entry(classes.of(*field)).or_insert_with(|| extra.clone());
            for (m, e) in merged.iter_mut().zip(extra) {
                *m = (m.0.max(e.0), m.1.max(e.1));
            }
        }
        let ranks = program.types.iter().map(|ty| ty.rank()).collect();
        let mut layout = Layout { classes, demand: BTreeMap::new(), slack, ranks };
        for _ in 0..MAX_WALKS {
            let before = layout.demand.clone();
            for function in program.functions.values() {
                if let Body::Stencil(statements) = &function.body {
                    layout.walk_back(statements);
                }
            }
            if layout.demand == before {
                return Some(layout);
            }
        }
        None
    }

    /// The box of a temp; `None` if it has no uses.
    pub fn temp(&self, temp: Value) -> Option<&Bounds> {
        self.demand.get(&self.classes.of(temp))
    }

    /// The box of a field: all accesses, plus the slack; one cell for an unused field.
    pub fn field(&self, field: Value) -> Bounds {
        let class = self.classes.of(field);
        let rank = self.ranks[field.0 as usize];
        let used = self.demand.get(&class).cloned();
        let used = used.unwrap_or_else(|| Bounds::new(vec![0; rank], vec![1; rank]));
        let Some(slack) = self.slack.get(&class) else { return used };
        let below: Vec<i64> = slack.iter().map(|(below, _)| -below).collect();
        let above: Vec<i64> = slack.iter().map(|(_, above)| *above).collect();
        used.grown(&below, &above)
    }

    /// Whether two fields must have one box.
    pub fn same_class(&self, a: Value, b: Value) -> bool {
        self.classes.of(a) == self.classes.of(b)
    }

    /// The range of a store.
    pub fn range(&self, field: Value, range: &Range) -> Bounds {
        match range {
            Range::Box(bounds) => bounds.clone(),
            Range::Whole => self.field(field),
        }
    }

    /// The points of an apply; `None` if none are needed.
    pub fn points(&self, apply: &Apply) -> Option<Bounds> {
        match &apply.output {
            Output::Values(results) => self.temp(results[0]).cloned(),
            Output::Fields { fields, range } => Some(self.range(fields[0], range)),
        }
    }

    fn demand(&mut self, value: Value, bounds: &Bounds) {
        let class = self.classes.of(value);
        let grown = match self.demand.get(&class) {
            Some(known) => known.union(bounds),
            None => bounds.clone(),
        };
        self.demand.insert(class, grown);
    }

    fn walk_back(&mut self, statements: &[Statement]) {
        for statement in statements.iter().rev() {
            match statement {
                Statement::Loop(l) => self.walk_back(&l.body),
                Statement::Store { temp, field, range } => {
                    let range = self.range(*field, range);
                    self.demand(*temp, &range);
                    self.demand_of_field(*field, &range);
                }
                Statement::Load { field, result } => {
                    if let Some(bounds) = self.temp(*result).cloned() {
                        self.demand_of_field(*field, &bounds);
                    }
                }
                Statement::Apply(apply) => self.apply(apply),
                Statement::Combine(combine) => self.combine(combine),
                Statement::Compute(_)
                | Statement::Cast { .. }
                | Statement::Alloc { .. }
                | Statement::Buffer { .. }
                | Statement::Call { .. } => {}
            }
        }
    }

    /// Accesses extend the field; but an access to the whole field must not add the slack
    /// repeatedly.
    fn demand_of_field(&mut self, field: Value, range: &Bounds) {
        if *range != self.field(field) {
            self.demand(field, range);
        }
    }

    fn apply(&mut self, apply: &Apply) {
        let Some(points) = self.points(apply) else { return };
        if let Output::Fields { fields, .. } = &apply.output {
            fields.iter().for_each(|field| self.demand_of_field(*field, &points));
        }
        for (argument, read) in reads(apply, &points) {
            if let Some(source) = apply.source_of(argument) {
                self.demand(source, &read);
            }
        }
    }

    fn combine(&mut self, combine: &Combine) {
        let (dim, at) = (combine.dim, combine.at);
        let sides = split_results(combine);
        for (operand, result, side) in sides {
            let Some(bounds) = self.temp(result).cloned() else { continue };
            let part = match side {
                Side::Lower => bounds.below(dim, at),
                Side::Upper => bounds.from(dim, at),
            };
            if part.is_solid() {
                self.demand(operand, &part);
            }
        }
    }
}

/// A side of a combine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Coordinates below the split.
    Lower,
    /// Coordinates from the split on.
    Upper,
}

/// Each operand of a combine with the result it goes to and its side.
pub fn split_results(combine: &Combine) -> Vec<(Value, Value, Side)> {
    let pairs = combine.lower.len();
    let lower_only = pairs + combine.lower_only.len();
    let both = combine.lower.iter().zip(&combine.upper).zip(&combine.results);
    let both = both.flat_map(|((l, u), r)| [(*l, *r, Side::Lower), (*u, *r, Side::Upper)]);
    let lower = combine.lower_only.iter().zip(combine.results.iter().skip(pairs));
    let upper = combine.upper_only.iter().zip(combine.results.iter().skip(lower_only));
    let lower = lower.map(|(operand, result)| (*operand, *result, Side::Lower));
    let upper = upper.map(|(operand, result)| (*operand, *result, Side::Upper));
    both.chain(lower).chain(upper).collect()
}

/// The box that each access of an apply reads, by argument, from the points that it computes.
pub fn reads(apply: &Apply, points: &Bounds) -> Vec<(Value, Bounds)> {
    let rank = points.rank();
    let unroll = apply.unroll.clone().unwrap_or_else(|| vec![1; rank]);
    let mut reads = vec![];
    apply.body.walk(&mut |op| match &op.kind {
        Kind::Access { operand, offset } => {
            let dims: Vec<usize> = (0..offset.len()).filter(|d| offset[*d].is_some()).collect();
            let below: Vec<i64> = offset.iter().flatten().copied().collect();
            let above =
                dims.iter().zip(&below).map(|(d, o)| o + unroll[*d] - 1).collect::<Vec<_>>();
            reads.push((*operand, points.project(&dims).grown(&below, &above)));
        }
        Kind::DynamicAccess { operand, lower, upper, .. } => {
            let above = upper.iter().zip(&unroll).map(|(o, u)| o + u - 1).collect::<Vec<_>>();
            reads.push((*operand, points.grown(lower, &above)));
        }
        Kind::AbsoluteAccess { operand, lower, upper, .. } => {
            let ends = upper.iter().map(|last| last + 1).collect();
            reads.push((*operand, Bounds::new(lower.clone(), ends)));
        }
        _ => {}
    });
    reads
}

/// Unifies the values that must have one box.
fn unify(program: &Program, statement: &Statement, classes: &mut Classes) {
    match statement {
        Statement::Loop(l) => {
            for (slot, next) in l.slots.iter().zip(&l.yields) {
                classes.join(slot.init, slot.argument);
                classes.join(slot.init, slot.result);
                classes.join(slot.init, *next);
            }
        }
        Statement::Cast { field, result } => classes.join(*field, *result),
        Statement::Call { function, arguments } => {
            let parameters = program.functions.get(function).map(|f| f.parameters.clone());
            for (argument, parameter) in arguments.iter().zip(parameters.unwrap_or_default()) {
                classes.join(*argument, parameter);
            }
        }
        Statement::Apply(Apply { output: Output::Values(results), .. }) => {
            results.iter().for_each(|result| classes.join(results[0], *result));
        }
        Statement::Buffer { source, result } => classes.join(*source, *result),
        _ => {}
    }
}

/// Union-find over values.
#[derive(Debug, Clone, Default)]
pub struct Classes {
    parent: BTreeMap<Value, Value>,
}

impl Classes {
    /// The representative of a value's set.
    pub fn of(&self, mut value: Value) -> Value {
        while let Some(parent) = self.parent.get(&value) {
            value = *parent;
        }
        value
    }

    /// Makes two sets one; the smaller representative stays.
    pub fn join(&mut self, a: Value, b: Value) {
        let (a, b) = (self.of(a), self.of(b));
        if a != b {
            self.parent.insert(a.max(b), a.min(b));
        }
    }
}
