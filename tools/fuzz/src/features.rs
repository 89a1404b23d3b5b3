//! Features of a program, for histograms over many programs.

use std::collections::{BTreeMap, BTreeSet};

use crate::bounds::Bounds;
use crate::layout::Layout;
use crate::point::{Kind, Op};
use crate::program::{Apply, Combine, Loop, LoopBound, Output, Program, Range, Statement, Value};
use crate::types::Type;

/// The category of a bin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// Operations by their spelling.
    Operation,
    /// Element types of fields.
    Element,
    /// Highest rank of a field.
    Rank,
    /// Distance of accesses, per dimension and side.
    Radius,
    /// Kinds of operands of applies.
    Operand,
    /// Results of one apply.
    Results,
    /// Combines.
    Combine,
    /// Loops on the host.
    Loop,
    /// Stores.
    Store,
    /// Extents and origins of what is stored, slack of fields.
    Grid,
    /// Everything else.
    Form,
}

impl Category {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Category::Operation => "operation",
            Category::Element => "element type",
            Category::Rank => "rank",
            Category::Radius => "radius",
            Category::Operand => "operand",
            Category::Results => "results of an apply",
            Category::Combine => "combine",
            Category::Loop => "time loop",
            Category::Store => "store",
            Category::Grid => "grid",
            Category::Form => "form",
        }
    }
}

/// The bins of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Features {
    bins: BTreeSet<(Category, String)>,
}

impl Features {
    /// The bins of the program.
    pub fn bins(&self) -> impl Iterator<Item = &(Category, String)> {
        self.bins.iter()
    }

    /// Does the program fall into a bin?
    pub fn has(&self, category: Category, bin: &str) -> bool {
        self.bins.contains(&(category, bin.to_string()))
    }

    fn add(&mut self, category: Category, bin: impl Into<String>) {
        self.bins.insert((category, bin.into()));
    }

    fn add_if(&mut self, holds: bool, category: Category, bin: &str) {
        if holds {
            self.add(category, bin);
        }
    }
}

impl Program {
    /// The features of the program.
    ///
    /// # Panics
    ///
    /// If the program is not valid (`check`).
    pub fn features(&self) -> Features {
        let layout = Layout::infer(self).expect("a valid program has finite bounds");
        let mut features = Features::default();
        add_operations(&self.text(), &mut features);
        let rank = self.types.iter().map(|ty| ty.rank()).max().unwrap_or(0);
        features.add(Category::Rank, rank.to_string());
        let elements = self.elements();
        elements.iter().for_each(|of| features.add(Category::Element, of.name()));
        features.add_if(elements.len() > 1, Category::Form, "several element types");
        let unknown = self.style.unknown_bounds;
        features.add(Category::Form, if unknown { "unknown bounds" } else { "exact bounds" });
        add_slack(self, &layout, &mut features);
        let uses = Uses::of(self);
        self.walk(&mut |statement| add_statement(self, &layout, &uses, statement, &mut features));
        let lists = statement_lists(self);
        lists.iter().for_each(|list| add_parts(list, &mut features));
        let idle = crate::normalize::idle_loads(self);
        features.add_if(!idle.is_empty(), Category::Form, "idle load");
        for block in self.blocks() {
            block.walk(&mut |op| {
                features.add_if(op.flags.any(), Category::Form, "fast-math");
                let call = matches!(op.kind, Kind::Call { .. });
                features.add_if(call, Category::Form, "scalar call");
                let nested = op.blocks().into_iter().any(|inner| {
                    let mut found = false;
                    inner.walk(&mut |op: &Op| {
                        found |= matches!(op.kind, Kind::DynamicAccess { .. });
                    });
                    found
                });
                features.add_if(nested, Category::Operand, "dynamic access in a region");
            });
        }
        features
    }
}

/// The first word of each operation's text.
fn add_operations(text: &str, features: &mut Features) {
    const DIALECTS: [&str; 5] = ["stencil.", "arith.", "math.", "scf.", "func."];
    for line in text.lines() {
        let code = line.trim_start();
        let code = code.split_once(" = ").map_or(code, |(left, right)| {
            if left.starts_with('%') && !left.contains('(') { right } else { code }
        });
        let word = code.split([' ', '(', '{']).next().unwrap_or_default();
        if DIALECTS.iter().any(|dialect| word.starts_with(dialect)) {
            features.add(Category::Operation, word);
        }
    }
}

fn add_slack(program: &Program, layout: &Layout, features: &mut Features) {
    for parameter in &program.main().parameters {
        if !matches!(program.type_of(*parameter), Type::Field(..)) {
            continue;
        }
        let related = |(field, _): &(&Value, _)| layout.same_class(**field, *parameter);
        let mut slack = program.slack.iter().filter(related).flat_map(|(_, slack)| slack);
        let loose = slack.any(|sides| *sides != (0, 0));
        features.add(Category::Grid, if loose { "loose field" } else { "tight field" });
    }
}

/// Where values come from and go to.
struct Uses {
    /// The fields that a temp was read from, through applies.
    sources: BTreeMap<Value, BTreeSet<Value>>,
    /// Those that its apply reads around its own point.
    around: BTreeMap<Value, BTreeSet<Value>>,
    combined: BTreeSet<Value>,
    loads: BTreeSet<Value>,
    computed_by: BTreeMap<Value, usize>,
    partial: BTreeSet<Value>,
    stores: BTreeMap<Value, usize>,
    reads: BTreeMap<Value, usize>,
}

impl Uses {
    fn of(program: &Program) -> Uses {
        let (sources, computed_by, stores, reads) = Default::default();
        let (loads, partial, around, combined) = Default::default();
        let mut uses =
            Uses { sources, around, combined, loads, computed_by, partial, stores, reads };
        let mut number = 0;
        program.walk(&mut |statement| {
            number += 1;
            uses.add(program, statement, number);
        });
        uses
    }

    fn add(&mut self, program: &Program, statement: &Statement, number: usize) {
        let mut used = vec![];
        statement.clone().for_each_use(&mut |value| used.push(*value));
        let mut sources = BTreeSet::new();
        for value in used {
            *self.reads.entry(value).or_default() += 1;
            if matches!(program.type_of(value), Type::Field(..)) {
                sources.insert(value);
            }
            sources.extend(self.sources.get(&value).into_iter().flatten());
        }
        for result in statement.results() {
            self.sources.insert(result, sources.clone());
        }
        match statement {
            Statement::Load { result, .. } => {
                self.loads.insert(*result);
            }
            Statement::Store { temp, .. } => *self.stores.entry(*temp).or_default() += 1,
            Statement::Combine(combine) => self.combined.extend(&combine.results),
            Statement::Apply(apply @ Apply { output: Output::Values(results), body, .. }) => {
                let around = self.fields_around(program, apply);
                self.around.extend(results.iter().map(|result| (*result, around.clone())));
                for (result, yielded) in results.iter().zip(&body.yields) {
                    self.computed_by.insert(*result, number);
                    if body.may_skip() && matches!(program.type_of(*yielded), Type::Result(_)) {
                        self.partial.insert(*result);
                    }
                }
            }
            _ => {}
        }
    }

    /// The fields of which an apply reads neighbours.
    fn fields_around(&self, program: &Program, apply: &Apply) -> BTreeSet<Value> {
        let mut fields = BTreeSet::new();
        apply.body.walk(&mut |op| {
            let operand = match &op.kind {
                Kind::Access { operand, offset } if offset.iter().flatten().any(|o| *o != 0) => {
                    operand
                }
                Kind::DynamicAccess { operand, .. } | Kind::AbsoluteAccess { operand, .. } => {
                    operand
                }
                _ => return,
            };
            let Some(source) = apply.source_of(*operand) else { return };
            if matches!(program.type_of(source), Type::Field(..)) {
                fields.insert(source);
            }
            fields.extend(self.sources.get(&source).into_iter().flatten());
        });
        fields
    }
}

fn add_statement(
    program: &Program,
    layout: &Layout,
    uses: &Uses,
    statement: &Statement,
    features: &mut Features,
) {
    match statement {
        Statement::Compute(_) => features.add(Category::Form, "host scalar"),
        Statement::Call { .. } => features.add(Category::Form, "stencil call"),
        Statement::Apply(apply) => add_apply(program, layout, uses, apply, features),
        Statement::Combine(combine) => add_combine(program, uses, combine, features),
        Statement::Loop(l) => add_loop(program, uses, l, features),
        Statement::Store { temp, field, range } => {
            let sources = uses.sources.get(temp);
            let in_place = sources.is_some_and(|sources| sources.contains(field));
            features.add_if(in_place, Category::Store, "in place");
            let around = uses.around.get(temp).is_some_and(|fields| fields.contains(field));
            features.add_if(around, Category::Store, "in place, neighbours read");
            features.add_if(in_place && !around, Category::Store, "in place, otherwise");
            let twice = uses.stores.get(temp) > Some(&1);
            features.add_if(twice, Category::Store, "one temp twice");
            features.add_if(uses.loads.contains(temp), Category::Store, "copy");
            features.add_if(*range == Range::Whole, Category::Store, "whole");
            features.add_if(uses.partial.contains(temp), Category::Store, "skipped points");
            let range = layout.range(*field, range);
            let part = layout.temp(*temp).is_some_and(|computed| *computed != range);
            features.add_if(part, Category::Store, "part of the domain");
            add_grid(&range, features);
        }
        _ => {}
    }
}

fn add_grid(range: &Bounds, features: &mut Features) {
    for (dim, extent) in range.extents().into_iter().enumerate() {
        let bin = match extent {
            ..=1 => "extent 1",
            2 => "extent 2",
            3..5 => "extent 3..4",
            5..9 => "extent 5..8",
            9..17 => "extent 9..16",
            _ => "extent 17..",
        };
        features.add(Category::Grid, bin);
        features.add(Category::Grid, if extent % 2 == 1 { "odd extent" } else { "even extent" });
        features.add_if(range.lower[dim] < 0, Category::Grid, "negative origin");
        features.add_if(range.lower[dim] > 0, Category::Grid, "positive origin");
    }
}

fn add_apply(
    program: &Program,
    layout: &Layout,
    uses: &Uses,
    apply: &Apply,
    features: &mut Features,
) {
    let rank = program.type_of(apply.first_output()).rank();
    let results = apply.arity();
    let bin = if results > 3 { "4 or more".to_string() } else { results.to_string() };
    features.add(Category::Results, bin);
    let fields = matches!(apply.output, Output::Fields { .. });
    features.add_if(fields, Category::Form, "buffer form");
    features.add_if(apply.unroll.is_some(), Category::Form, "unroll");
    let clause = apply.bounds_clause && !program.style.unknown_bounds && !fields;
    features.add_if(clause, Category::Form, "bounds clause");
    for operand in &apply.operands {
        let ty = program.type_of(operand.source);
        match ty {
            Type::Scalar(_) | Type::Result(_) => features.add(Category::Operand, "scalar"),
            Type::Field(..) => features.add(Category::Operand, "field"),
            Type::Temp(..) => {
                let computed = uses.computed_by.contains_key(&operand.source);
                features.add_if(computed, Category::Operand, "temp of a temp");
                let twice = uses.reads.get(&operand.source) > Some(&1);
                features.add_if(twice, Category::Operand, "temp used twice");
            }
        }
        let low = ty.rank() > 0 && ty.rank() < rank;
        let full = ty.rank() > 0 && ty.rank() == rank;
        features.add_if(low || full, Category::Operand, &format!("{} in {rank}", ty.rank()));
    }
    let (mut below, mut above) = (vec![0; rank], vec![0; rank]);
    apply.body.walk(&mut |op| match &op.kind {
        Kind::Access { offset, .. } => {
            for (dim, offset) in offset.iter().enumerate() {
                below[dim] = below[dim].max(-offset.unwrap_or(0));
                above[dim] = above[dim].max(offset.unwrap_or(0));
            }
        }
        Kind::DynamicAccess { .. } => features.add(Category::Operand, "dynamic access"),
        Kind::AbsoluteAccess { lower, .. } => {
            features.add(Category::Operand, "absolute access");
            let other = lower.len() != rank;
            features.add_if(other, Category::Operand, "absolute access of another rank");
        }
        _ => {}
    });
    let points = layout.points(apply);
    for dim in 0..rank {
        for (side, radius) in [("below", below[dim]), ("above", above[dim])] {
            let bin = format!("dim {dim} {side}: {radius}");
            features.add(Category::Radius, if radius > 4 { "5 or more".into() } else { bin });
        }
        features.add_if(below[dim] != above[dim], Category::Radius, "another on each side");
        let extent = points.as_ref().map_or(0, |points| points.extent(dim));
        let radius = below[dim].max(above[dim]);
        features.add_if(extent <= radius, Category::Grid, "extent within 1 radius");
        let within = radius < extent && extent <= 2 * radius;
        features.add_if(within, Category::Grid, "extent within 2 radii");
    }
}

fn add_combine(program: &Program, uses: &Uses, combine: &Combine, features: &mut Features) {
    let mut dims = BTreeSet::new();
    program.walk(&mut |statement| {
        if let Statement::Combine(other) = statement {
            dims.insert(other.dim);
        }
    });
    let plural = if dims.len() == 1 { "" } else { "s" };
    features.add(Category::Combine, format!("in {} dimension{plural}", dims.len()));
    features.add_if(combine.lower.len() > 1, Category::Combine, "of several");
    features.add_if(!combine.lower_only.is_empty(), Category::Combine, "lower only");
    features.add_if(!combine.upper_only.is_empty(), Category::Combine, "upper only");
    let result = combine.results[0];
    let stored = uses.stores.contains_key(&result);
    features.add_if(stored, Category::Combine, "stored");
    let reads = uses.reads.get(&result).copied().unwrap_or(0);
    let stores = uses.stores.get(&result).copied().unwrap_or(0);
    features.add_if(reads > stores, Category::Combine, "read");
    let maker = |value: &Value| uses.computed_by.get(value);
    let pairs = combine.lower.iter().zip(&combine.upper);
    let one = pairs.into_iter().any(|(l, u)| maker(l).is_some() && maker(l) == maker(u));
    features.add_if(one, Category::Combine, "of one apply");
    let several = one && combine.lower.len() > 1;
    features.add_if(several, Category::Combine, "several of one apply on both sides");
    let mut sources = combine.lower.iter().chain(&combine.upper);
    let nested = sources.any(|source| uses.combined.contains(source));
    features.add_if(nested, Category::Combine, "of a combine");
}

fn add_loop(program: &Program, uses: &Uses, l: &Loop, features: &mut Features) {
    let trips = program.trips(l);
    let bin = format!("{trips} trip{}", if trips == 1 { "" } else { "s" });
    features.add_if(matches!(trips, 0..=3 | 5), Category::Loop, &bin);
    features.add_if(trips % 2 == 1, Category::Loop, "odd trips");
    features.add_if(trips > 0 && trips.is_multiple_of(2), Category::Loop, "even trips");
    features.add_if(l.step > 1, Category::Loop, "step above 1");
    let argument = [l.lower, l.upper].iter().any(|b| matches!(b, LoopBound::Argument(_)));
    features.add_if(argument, Category::Loop, "argument as bound");
    features.add_if(uses.reads.contains_key(&l.induction), Category::Loop, "counter read");
    let result_read = l.slots.iter().any(|slot| uses.reads.contains_key(&slot.result));
    features.add_if(result_read, Category::Loop, "result read");
    let nested = l.body.iter().any(|statement| matches!(statement, Statement::Loop(_)));
    features.add_if(nested, Category::Loop, "nested");
    let kept = l.slots.iter().zip(&l.yields).filter(|(s, next)| s.argument == **next).count();
    features.add(
        Category::Loop,
        match (l.slots.len(), kept) {
            (0, _) => "no field",
            (1, _) => "1 field",
            (2, 0) => "2 fields swapped",
            (2, _) => "2 fields kept",
            (_, 0) => "3 fields cycled",
            (_, 1) => "3 fields, 2 swapped",
            _ => "3 fields kept",
        },
    );
}

/// Every list of statements: of functions and of loops.
fn statement_lists(program: &Program) -> Vec<Vec<&Statement>> {
    let mut lists = vec![];
    for function in program.functions.values() {
        if let crate::program::Body::Stencil(statements) = &function.body {
            lists.push(statements.iter().collect());
        }
    }
    program.walk(&mut |statement| {
        if let Statement::Loop(l) = statement {
            lists.push(l.body.iter().collect());
        }
    });
    lists
}

/// Stores of one list to one field: disjoint, or overlapping.
fn add_parts(list: &[&Statement], features: &mut Features) {
    let mut boxes: Vec<(Value, &Bounds)> = vec![];
    for statement in list {
        let Statement::Store { field, range: Range::Box(range), .. } = statement else { continue };
        for (_, other) in boxes.iter().filter(|(f, _)| f == field) {
            let meet = (0..range.rank())
                .all(|d| range.lower[d] < other.upper[d] && other.lower[d] < range.upper[d]);
            features.add(Category::Store, if meet { "overlapping" } else { "parts" });
        }
        boxes.push((*field, range));
    }
}
