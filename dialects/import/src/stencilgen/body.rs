//! The body of a stencil in one call: groups statements into stages.
//!
//! A statement is executed at all of its points before the next one, like an array statement of
//! Fortran. Consecutive statements form one stage while each of them reads only its own cell of
//! what the others write. The statements of a stage without a region are computed where the reads
//! of all of them are in bounds.

mod recurrence;
mod scalars;

use super::{
    ast::{self, Assign, Call, Expression, Integer, Local, Name, Statement, Stencil},
    elaborate::{Elaborator, wrong_count},
    index::Index,
    program::{
        Array, ArrayId, Coordinate, IteratorId, Output, Own, PragmaHints, Read, Shared, Stage,
        Step, Value, ValueKind, values_below,
    },
    regions::{Query, Ranges},
    scope::{LocalScalar, Pending, Scope},
    sink::Sink,
    swapped::Assignment,
    symbols::Meaning,
    values::make,
};
use crate::diagnostic::{Diagnostic, Span};
use std::{
    collections::{BTreeMap, HashMap},
    rc::Rc,
};

/// A call with resolved arguments.
pub struct Callee<'p> {
    /// The stencil.
    pub stencil: &'p Stencil,
    /// The hints of its pragmas.
    pub hints: Rc<PragmaHints>,
    /// The meaning of its formal arguments.
    pub arguments: Vec<Meaning>,
}

/// The steps of a call.
pub fn open(
    elaborator: &mut Elaborator,
    call: &Call,
    callee: &Callee,
    sink: &mut Sink,
) -> Vec<Step> {
    let stencil = callee.stencil;
    if stencil.formals.len() != callee.arguments.len() {
        sink.push(wrong_count(call, stencil));
        return Vec::new();
    }
    let mut bindings = BTreeMap::new();
    for (name, id) in &elaborator.visible {
        bindings.insert(name.clone(), Meaning::Loop(*id));
    }
    for (formal, meaning) in stencil.formals.iter().zip(&callee.arguments) {
        let name = &formal.name;
        let earlier = stencil.formals.iter().take_while(|one| one.name.span != name.span);
        if earlier.into_iter().any(|one| one.name.text == name.text) {
            let message = format!("argument '{}' is listed twice", name.text);
            sink.push(Diagnostic::error(name.span, message).help("rename one of them"));
        }
        bindings.insert(name.text.clone(), *meaning);
    }
    let (options, loops) = (elaborator.options, &elaborator.loops);
    let scope = Scope {
        symbols: elaborator.symbols,
        arrays: &mut elaborator.arrays,
        versions: &mut elaborator.versions,
        bindings,
        locals: BTreeMap::new(),
        pending: Vec::new(),
        has_warned: false,
    };
    let mut body = Body {
        scope,
        call,
        callee,
        loops,
        is_strict: options.strict_bounds,
        frame: Vec::new(),
        stated: Ranges::default(),
        start: stencil.span,
        steps: Vec::new(),
    };
    for local in &stencil.locals {
        body.local(local, sink);
    }
    for statement in &stencil.statements {
        body.statement(statement, sink);
    }
    body.close(sink);
    body.steps
}

struct Body<'b> {
    scope: Scope<'b>,
    call: &'b Call,
    callee: &'b Callee<'b>,
    loops: &'b [super::program::LoopVariable],
    is_strict: bool,
    /// The current stage: its coordinates, its stated region, its location.
    frame: Vec<Coordinate>,
    stated: Ranges,
    start: Span,
    steps: Vec<Step>,
}

impl Body<'_> {
    fn local(&mut self, local: &Local, sink: &mut Sink) {
        let declaration = &local.declaration;
        let name = &declaration.name;
        let is_formal = self.callee.stencil.formals.iter().any(|one| one.name.text == name.text);
        if is_formal || self.scope.locals.contains_key(&name.text) {
            let message = format!("'{}' is declared twice", name.text);
            sink.push(Diagnostic::error(name.span, message).help("rename one of them"));
            return;
        }
        if declaration.extents.is_empty() {
            let r#type = declaration.r#type;
            let value = local.value.as_ref().and_then(|value| {
                self.close_for(value, None, sink);
                self.scope.assigned(Assign::Set, None, r#type, value, value.span, sink)
            });
            let within = local.value.as_ref().and_then(|value| self.within(value));
            let (span, other) = (name.span, None);
            let scalar = LocalScalar { r#type, value, span, within, other };
            self.scope.locals.insert(name.text.clone(), scalar);
            return;
        }
        let meaning = match self.scope.symbols.extents(declaration, sink) {
            None => Meaning::Unknown,
            Some(extents) => {
                self.scope.versions.push(0);
                self.scope.arrays.push(Array {
                    name: name.text.clone(),
                    span: name.span,
                    element: declaration.r#type,
                    extents,
                    copied_in: false,
                    copied_out: false,
                    read_only: false,
                });
                Meaning::Array(self.scope.arrays.len() - 1)
            }
        };
        self.scope.bindings.insert(name.text.clone(), meaning);
    }

    fn statement(&mut self, statement: &Statement, sink: &mut Sink) {
        let target = &statement.target;
        if target.indices.is_empty() && self.target_array(&target.name).is_none() {
            self.assign_scalar(statement, sink);
        } else {
            self.assign_cell(statement, sink);
        }
    }

    fn target_array(&self, name: &Name) -> Option<ArrayId> {
        match self.scope.find(&name.text) {
            Some(Meaning::Array(id)) if !self.scope.locals.contains_key(&name.text) => Some(id),
            _ => None,
        }
    }

    fn assign_cell(&mut self, statement: &Statement, sink: &mut Sink) {
        let target = &statement.target;
        let Some(array) = self.scope.array(&target.name, &target.indices, sink) else { return };
        let name = &target.name;
        if self.scope.arrays[array].read_only {
            let message = format!("'{}' is constant, and cannot be assigned to", name.text);
            let error = Diagnostic::error(name.span, message);
            sink.push(error.note(self.scope.arrays[array].span, "declared here"));
            return;
        }
        let Some(indices) = self.scope.indices(&target.indices, sink) else { return };
        let Some(frame) = self.frame_of(name, &target.indices, &indices, sink) else { return };
        let Some(mut stated) = self.stated(statement, &frame, sink) else { return };
        if !self.check_within(&statement.value, &stated, sink) {
            return;
        }
        if let Some(within) = self.within(&statement.value) {
            // What a statement states itself reaches further: that is reported as clipped.
            let is_wider = !stated.of.is_empty() && !within.contains(&stated);
            if is_wider && !self.clips(&stated, &within, statement, sink) {
                return;
            }
            stated = stated.and(&within);
        }
        if !self.scope.pending.is_empty() && (self.frame != frame || self.stated.of != stated.of) {
            self.close(sink);
        }
        let own = (statement.operator != Assign::Set).then_some((array, &indices));
        self.close_for(&statement.value, own, sink);
        if self.is_kept(array) {
            self.close(sink);
        }
        if self.scope.pending.is_empty() {
            (self.frame, self.stated, self.start) = (frame, stated, statement.span);
        }
        let element = self.scope.arrays[array].element;
        let old =
            (statement.operator != Assign::Set).then(|| self.current(array, &indices, target.span));
        let Some(value) = self.scope.assigned(
            statement.operator,
            old,
            element,
            &statement.value,
            statement.span,
            sink,
        ) else {
            return;
        };
        if !self.check_iterators(&value, name, sink) {
            return;
        }
        let assignment = Assignment {
            target: (&name.text, target.span),
            frame: &self.frame,
            value: &value,
            arrays: self.scope.arrays,
            iterators: &self.scope.symbols.iterators,
        };
        assignment.warn_of_swapped(sink);
        self.warn_lost(statement, array, &value, sink);
        let name = name.text.clone();
        let pending = Pending { array, indices, value, span: target.span, name };
        match self.scope.pending.iter_mut().find(|pending| pending.array == array) {
            Some(earlier) => *earlier = pending,
            None => self.scope.pending.push(pending),
        }
    }

    /// Warns where an assignment replaces the value of an earlier one that nothing has used: both
    /// are at the same points, as others end a stage.
    fn warn_lost(&self, statement: &Statement, array: ArrayId, value: &Shared, sink: &mut Sink) {
        let name = &statement.target.name;
        let mut pending = self.scope.pending.iter();
        let is_earlier = |one: &&Pending| one.array == array && one.name == name.text;
        let Some(earlier) = pending.find(is_earlier) else { return };
        let is_other = |one: &&Pending| one.array != array;
        let others = self.scope.pending.iter().filter(is_other).map(|one| &one.value);
        let uses =
            |value: &&Shared| matches!(&value.kind, ValueKind::Own(own) if own.array == array);
        if !values_below(others.chain([value])).iter().any(uses) {
            let message = format!("nothing uses this value of '{}'", name.text);
            let note = format!(
                "'{}' is assigned to again here, at the same points: remove the first \
                 assignment, or add to it with '+='",
                name.text
            );
            let warning = Diagnostic::warning(earlier.span, message);
            sink.push(warning.note(statement.target.span, note));
        }
    }

    /// The value of the cell that is assigned to, before the assignment.
    fn current(&self, array: ArrayId, indices: &[Index], span: Span) -> Shared {
        if let Some(value) = self.scope.own(array, indices, span) {
            return value;
        }
        let version = self.scope.versions[array];
        let read = Read { array, version, indices: indices.to_vec() };
        make(ValueKind::Read(read), self.scope.arrays[array].element, span)
    }

    /// The coordinates of an assigned cell.
    fn frame_of(
        &self,
        name: &Name,
        texts: &[Integer],
        indices: &[Index],
        sink: &mut Sink,
    ) -> Option<Vec<Coordinate>> {
        let mut frame = Vec::<Coordinate>::new();
        for (text, index) in texts.iter().zip(indices) {
            let affine = index.affine();
            let shifted = affine.as_ref().and_then(|affine| affine.shifted_iterator());
            let constant = affine.filter(|affine| affine.factors.is_empty());
            let coordinate = match (shifted, constant) {
                (Some((iterator, shift)), _) => Coordinate::Iterator(iterator, shift),
                (None, Some(affine)) => Coordinate::Constant(affine.constant),
                (None, None) => {
                    let message = format!("this is not a cell of '{}' to assign to", name.text);
                    let help = "indices on the left are an iterator plus a number, or a number";
                    sink.push(Diagnostic::error(text.span(), message).help(help));
                    return None;
                }
            };
            let follows = |one: &Coordinate| match (one, coordinate) {
                (Coordinate::Iterator(one, _), Coordinate::Iterator(two, _)) => *one == two,
                _ => false,
            };
            if frame.iter().any(follows) {
                let message = "one iterator is used for two dimensions on the left";
                let help = "use a different iterator for each dimension";
                sink.push(Diagnostic::error(text.span(), message).help(help));
                return None;
            }
            frame.push(coordinate);
        }
        Some(frame)
    }

    /// The regions of the call and of the statement.
    fn stated(
        &self,
        statement: &Statement,
        frame: &[Coordinate],
        sink: &mut Sink,
    ) -> Option<Ranges> {
        let mut both = Ranges::default();
        for region in [&self.call.region, &statement.region].into_iter().flatten() {
            both = both.and(&self.ranges(region, frame, sink)?);
        }
        Some(both)
    }

    fn ranges(
        &self,
        region: &ast::Region,
        frame: &[Coordinate],
        sink: &mut Sink,
    ) -> Option<Ranges> {
        let mut used = frame
            .iter()
            .filter_map(|coordinate| match coordinate {
                Coordinate::Iterator(iterator, _) => Some(*iterator),
                Coordinate::Constant(_) => None,
            })
            .collect::<Vec<IteratorId>>();
        used.sort_unstable();
        let all = self.scope.symbols.iterators.len();
        let count = region.ranges.len();
        // One range for each iterator of the statement, or of the program, or each dimension.
        let iterators = match count {
            _ if count == used.len() => used.into_iter().map(Some).collect::<Vec<_>>(),
            _ if count == all => (0..all).map(Some).collect(),
            _ if count == frame.len() => frame
                .iter()
                .map(|coordinate| match coordinate {
                    Coordinate::Iterator(iterator, _) => Some(*iterator),
                    Coordinate::Constant(_) => None,
                })
                .collect(),
            _ => {
                let message = format!("the region has {count} dimensions, not {}", used.len());
                let help = "it has one range for each iterator, outermost first";
                sink.push(Diagnostic::error(region.span, message).help(help));
                return None;
            }
        };
        let mut ranges = Ranges { span: Some(region.span), ..Ranges::default() };
        for (iterator, range) in iterators.into_iter().zip(&region.ranges) {
            let first = self.scope.symbols.evaluate(&range.lower, sink)?;
            let last = match &range.upper {
                Some(upper) => self.scope.symbols.evaluate(upper, sink)?,
                None => first,
            };
            if let Some(iterator) = iterator {
                ranges.of.insert(iterator, (first, last));
            }
        }
        Some(ranges)
    }

    /// Ends the stage if an expression reads a different cell of what the stage writes.
    fn close_for(
        &mut self,
        value: &Expression,
        own: Option<(ArrayId, &Vec<Index>)>,
        sink: &mut Sink,
    ) {
        let is_other = |array: ArrayId, indices: &[Index]| {
            self.scope.pending.iter().any(|pending| {
                let affine = |indices: &[Index]| {
                    indices.iter().map(Index::affine).collect::<Option<Vec<_>>>()
                };
                let same = affine(indices).is_some_and(|one| Some(one) == affine(&pending.indices));
                pending.array == array && !same
            })
        };
        let mut must = own.is_some_and(|(array, indices)| is_other(array, indices));
        // Errors in the expression are reported when it becomes a value.
        let mut silent = Sink::default();
        for (name, indices) in value.accesses() {
            let Some(array) = self.target_array(name) else { continue };
            let Some(indices) = self.scope.indices(indices, &mut silent) else { continue };
            must |= is_other(array, &indices);
        }
        if must {
            self.close(sink);
        }
    }

    /// Whether a scalar holds what the stage assigned to an array: after another assignment the two
    /// values would be confused.
    fn is_kept(&self, array: ArrayId) -> bool {
        let scalars = self.scope.locals.values().filter_map(|local| local.value.as_ref());
        let is_own =
            |value: &&Shared| matches!(&value.kind, ValueKind::Own(own) if own.array == array);
        self.scope.pending.iter().any(|pending| pending.array == array)
            && values_below(scalars).iter().any(is_own)
    }

    /// Every iterator of a value must be an index of the assigned cell.
    fn check_iterators(&self, value: &Shared, name: &Name, sink: &mut Sink) -> bool {
        let in_frame = |iterator: IteratorId| {
            self.frame
                .iter()
                .any(|one| matches!(one, Coordinate::Iterator(it, _) if *it == iterator))
        };
        for one in values_below([value]) {
            let mut iterators = Vec::new();
            one.iterators(&mut iterators);
            for iterator in iterators {
                if !in_frame(iterator) {
                    let text = &self.scope.symbols.iterators[iterator];
                    let message = format!("iterator '{text}' has no value here");
                    let note = format!("it is no index of '{}', which is assigned to", name.text);
                    sink.push(Diagnostic::error(one.span, message).note(name.span, note));
                    return false;
                }
            }
        }
        true
    }

    /// After a stage, scalars refer to the memory that it wrote: outside the stage's points they
    /// have other values.
    fn settle(&mut self) {
        let versions = &self.scope.versions;
        let mut settled = HashMap::<*const Value, Shared>::new();
        let scalars = self.scope.locals.values().filter_map(|local| local.value.as_ref());
        for old in values_below(scalars) {
            let of = |operand: &Shared| settled[&Rc::as_ptr(operand)].clone();
            let new = match &old.kind {
                ValueKind::Own(Own { array, indices, .. }) => {
                    let (array, indices) = (*array, indices.clone());
                    let read = Read { array, version: versions[array], indices };
                    make(ValueKind::Read(read), old.r#type, old.span)
                }
                _ => old.with_operands(&of).unwrap_or_else(|| old.clone()),
            };
            settled.insert(Rc::as_ptr(old), new);
        }
        for local in self.scope.locals.values_mut() {
            local.value = local.value.as_ref().map(|value| settled[&Rc::as_ptr(value)].clone());
        }
    }

    /// Ends the current stage.
    fn close(&mut self, sink: &mut Sink) {
        let pending = std::mem::take(&mut self.scope.pending);
        if pending.is_empty() {
            return;
        }
        let mut outputs = Vec::new();
        for Pending { array, value, span, .. } in pending {
            let version = self.scope.versions[array];
            outputs.push(Output { array, version, value, span });
        }
        let query = Query {
            arrays: self.scope.arrays,
            loops: self.loops,
            iterators: &self.scope.symbols.iterators,
            frame: &self.frame,
            outputs: &outputs,
            stated: &self.stated,
            is_strict: self.is_strict,
            span: self.start,
        };
        let region = query.region(sink);
        if let Some(region) = &region {
            outputs.iter().for_each(|output| self.check_recurrence(output, region, sink));
        }
        for output in &outputs {
            self.scope.versions[output.array] += 1;
        }
        self.settle();
        if let Some(region) = region {
            self.steps.push(Step::Stage(Box::new(Stage {
                name: self.callee.stencil.name.text.clone(),
                span: self.start,
                frame: self.frame.clone(),
                region,
                outputs,
                hints: self.callee.hints.clone(),
            })));
        }
    }
}
