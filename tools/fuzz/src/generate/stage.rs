//! Stages of a function: some temps, and where they are stored.

use super::Generator;
use super::grid::Wanted;
use super::scope::{Field, Temp};
use crate::bounds::Bounds;
use crate::options::Construct;
use crate::program::{Range, Statement, Value};
use crate::types::{Scalar, Type};

impl Generator<'_> {
    /// One stage.
    pub(super) fn stage(&mut self) {
        if self.wants(Construct::HostScalars, 20) {
            self.host_scalars();
        }
        if self.wants(Construct::Cast, 4) {
            self.cast();
        }
        match self.random.below(100) {
            0..36 if self.allows(Construct::TimeLoops) && self.may_loop() => self.time_loop(),
            36..44 if self.allows(Construct::Alloc) => self.intermediate(),
            44..52 if !self.stencil_functions.is_empty() => self.call_function(),
            52..58 => self.copy(),
            58..65 if self.allows(Construct::BufferForm) => self.buffer_form(),
            _ => self.compute_and_store(),
        }
    }

    fn may_loop(&self) -> bool {
        self.loop_depth == 0 || (self.loop_depth == 1 && self.allows(Construct::NestedLoops))
    }

    /// The box that stores to a field write: mostly the whole domain.
    fn draw_range(&mut self, dims: &[usize]) -> Bounds {
        let mut range = self.domain.project(dims);
        if self.random.chance(25) {
            for d in 0..range.rank() {
                range.lower[d] = self.random.between(range.lower[d], range.upper[d] - 1);
                range.upper[d] = self.random.between(range.lower[d] + 1, range.upper[d]);
            }
        }
        range
    }

    fn element(&self, field: &Field) -> Scalar {
        self.program.type_of(field.value).element()
    }

    /// Fields to store to, all over the same dimensions: mostly one, of full rank.
    fn draw_outputs(&mut self) -> Vec<Field> {
        let first = self.random.pick(&self.scope.fields.clone());
        let low = first.dims.len() < self.domain.rank();
        let first = match low && self.random.chance(60) {
            true => self.random.pick(&self.scope.fields.clone()),
            false => first,
        };
        let alike = |f: &&Field| f.dims == first.dims && f.value != first.value;
        let mut others: Vec<Field> = self.scope.fields.iter().filter(alike).cloned().collect();
        self.random.shuffle(&mut others);
        others.truncate(self.random.weighted(&[(72, 0), (20, 1), (8, 2)]));
        [vec![first], others].concat()
    }

    /// Stores a temp, if allowed, and drops temps that must not be read afterwards.
    fn store(&mut self, temp: &Temp, field: &Field, range: Range) {
        if !self.allows(Construct::InPlace) && temp.sources.contains(&field.value) {
            return;
        }
        self.push(Statement::Store { temp: temp.value, field: field.value, range });
        self.forget_stale(field.value);
    }

    /// After a store, temps of the field's old content are stale, if the options exclude that.
    pub(super) fn forget_stale(&mut self, field: Value) {
        if !self.allows(Construct::StaleValues) {
            self.scope.temps.retain(|temp| !temp.sources.contains(&field));
        }
    }

    /// Applies, perhaps combined, and stores of their results.
    pub(super) fn compute_and_store(&mut self) {
        let outputs = self.draw_outputs();
        self.compute_to(&outputs, vec![]);
    }

    /// A step from a field to another, or to itself.
    pub(super) fn step(&mut self, from: &Field, to: &Field) {
        let forced = vec![self.load(from)];
        self.compute_to(std::slice::from_ref(to), forced);
    }

    fn compute_to(&mut self, outputs: &[Field], forced: Vec<Temp>) {
        let dims = outputs[0].dims.clone();
        let elements: Vec<Scalar> = outputs.iter().map(|field| self.element(field)).collect();
        let range = self.draw_range(&dims);
        let depth = self.random.weighted(&[(45, 0), (35, 1), (20, 2)]);
        let mut wanted = Wanted { forced, ..Wanted::new(&dims, &elements, depth) };
        let long: Vec<usize> = (0..range.rank()).filter(|d| range.extent(*d) > 1).collect();
        match self.random.below(100) {
            0..28 if !long.is_empty() && self.allows(Construct::Combine) => {
                self.store_combined(outputs, &wanted, &range, long);
            }
            28..42 if !long.is_empty() => self.store_strips(outputs, &wanted, &range, &long),
            _ => {
                wanted.may_skip = true;
                let temps = self.compute(&wanted);
                for (temp, field) in temps.iter().zip(outputs) {
                    self.store(temp, field, Range::Box(range.clone()));
                }
                self.store_again(&temps[0], &outputs[0], &range);
            }
        }
    }

    /// Sometimes stores a temp to a second field too, perhaps in part.
    fn store_again(&mut self, temp: &Temp, field: &Field, range: &Bounds) {
        let element = self.element(field);
        let alike = |f: &&Field| {
            f.dims == field.dims && f.value != field.value && self.element(f) == element
        };
        let others: Vec<Field> = self.scope.fields.iter().filter(alike).cloned().collect();
        if !others.is_empty() && self.random.chance(15) {
            let other = self.random.pick(&others);
            self.store(temp, &other, Range::Box(range.clone()));
        }
    }

    fn store_combined(
        &mut self,
        outputs: &[Field],
        wanted: &Wanted,
        range: &Bounds,
        mut long: Vec<usize>,
    ) {
        self.random.shuffle(&mut long);
        long.truncate(self.random.weighted(&[(40, 1), (35, 2), (25, 3)]));
        let mut temps = self.combined(wanted, range, &long);
        if self.random.chance(25) {
            // The combine feeds an apply instead of the store.
            let again = Wanted { forced: temps, ..Wanted::new(&wanted.dims, &wanted.elements, 0) };
            temps = self.compute(&again);
        }
        for (temp, field) in temps.iter().zip(outputs) {
            self.store(temp, field, Range::Box(range.clone()));
        }
    }

    /// Splits the range into two or three stored parts, like boundary conditions.
    fn store_strips(&mut self, outputs: &[Field], wanted: &Wanted, range: &Bounds, long: &[usize]) {
        let dim = self.random.pick(long);
        let mut cuts = vec![self.random.between(range.lower[dim] + 1, range.upper[dim] - 1)];
        if range.extent(dim) > 2 && self.random.chance(40) {
            cuts = vec![range.lower[dim] + 1, range.upper[dim] - 1];
        }
        cuts.push(range.upper[dim]);
        let overlap = self.wants(Construct::OverlappingStores, 12);
        let shared = self.random.chance(30).then(|| self.compute(wanted));
        let together = self.random.chance(50);
        let mut parts: Vec<(Vec<Temp>, Bounds)> = vec![];
        let mut lower = range.lower[dim];
        for cut in cuts {
            let start = if overlap { range.lower[dim].max(lower - 1) } else { lower };
            let part = range.from(dim, start).below(dim, cut);
            lower = cut;
            let temps = match &shared {
                Some(temps) => temps.clone(),
                None => self.compute(&Wanted {
                    forced: wanted.forced.clone(),
                    ..Wanted::new(&wanted.dims, &wanted.elements, wanted.depth.min(1))
                }),
            };
            if together {
                parts.push((temps, part));
            } else {
                self.store_part(outputs, &temps, &part);
            }
        }
        self.random.shuffle(&mut parts);
        for (temps, part) in parts {
            self.store_part(outputs, &temps, &part);
        }
    }

    fn store_part(&mut self, outputs: &[Field], temps: &[Temp], part: &Bounds) {
        for (temp, field) in temps.iter().zip(outputs) {
            self.store(temp, field, Range::Box(part.clone()));
        }
    }

    /// A field to another without an apply between.
    fn copy(&mut self) {
        let from = self.random.pick(&self.scope.fields.clone());
        let element = self.element(&from);
        let alike =
            |f: &&Field| f.dims == from.dims && f.value != from.value && self.element(f) == element;
        let others: Vec<Field> = self.scope.fields.iter().filter(alike).cloned().collect();
        if others.is_empty() {
            return self.compute_and_store();
        }
        let to = self.random.pick(&others);
        let range = self.draw_range(&from.dims);
        let temp = self.load(&from);
        self.store(&temp, &to, Range::Box(range));
    }

    /// A local field: written completely, then read.
    fn intermediate(&mut self) {
        let dims = self.all_dims();
        let copied = self.random.chance(35);
        let full = self.scope.fields.iter().filter(|f| f.dims == dims).cloned();
        let full: Vec<Field> = full.collect();
        if full.is_empty() {
            return self.compute_and_store();
        }
        let model = self.random.pick(&full);
        let element = self.element(&model);
        let (value, group) =
            (self.program.new_value(Type::Field(element, dims.len())), self.new_group());
        // A copy of a field may join it in a loop; if neighbours are read, bounds would grow
        // without end.
        let field = Field { value, dims: dims.clone(), group, moment: 0, rotates: copied };
        if copied {
            let temp = self.load(&model);
            self.push(Statement::Alloc { result: value });
            self.push(Statement::Store { temp: temp.value, field: value, range: Range::Whole });
        } else if self.wants(Construct::BufferForm, 35) {
            self.push(Statement::Alloc { result: value });
            self.compute_into(std::slice::from_ref(&field), Range::Whole);
        } else {
            let temp = self.compute(&Wanted::new(&dims, &[element], 0)).remove(0);
            self.push(Statement::Alloc { result: value });
            self.push(Statement::Store { temp: temp.value, field: value, range: Range::Whole });
        }
        let outputs = self.draw_outputs();
        let forced = match outputs[0].dims == dims {
            true => vec![self.load(&field)],
            false => vec![],
        };
        self.scope.fields.push(field);
        self.compute_to(&outputs, forced);
    }

    /// An apply that writes its fields itself.
    fn buffer_form(&mut self) {
        let mut outputs = self.draw_outputs();
        let readable = |g: &Self, outputs: &[Field]| {
            let apart = |f: &&Field| outputs.iter().all(|o| o.is_apart(f));
            g.scope.fields.iter().filter(apart).any(|f| f.dims == outputs[0].dims)
        };
        while outputs.len() > 1 && !readable(self, &outputs) {
            outputs.pop();
        }
        let range = self.draw_range(&outputs[0].dims.clone());
        self.compute_into(&outputs, Range::Box(range));
        outputs.iter().for_each(|field| self.forget_stale(field.value));
    }

    /// Another name for a field.
    fn cast(&mut self) {
        let n = self.random.below(self.scope.fields.len());
        let group = self.scope.fields[n].group;
        let named = self.scope.fields.iter().chain(&self.scope.old_names);
        // A carried field keeps its name, so that the names of one moment stay consistent.
        if self.loop_depth > 0 || named.filter(|f| f.group == group).count() > 1 {
            return;
        }
        let moment = self.new_group();
        let field = self.scope.fields[n].value;
        let result = self.program.new_value(self.program.type_of(field));
        self.push(Statement::Cast { field, result });
        self.scope.fields[n].value = result;
        self.scope.fields[n].moment = moment;
        self.scope.fields[n].rotates = false;
    }

    /// Scalars computed before they are needed.
    fn host_scalars(&mut self) {
        let mut point = super::point::Point::new(self, 0, vec![], vec![]);
        let values: Vec<Value> = point.host();
        let block = point.finish(values);
        block.ops.into_iter().for_each(|op| self.push(Statement::Compute(op)));
        self.scope.scalars.extend(block.yields);
    }
}
