//! Scalars of a stencil: a value at each point, or at each point of a region.
//!
//! ARTEMIS declares such a scalar without a value and assigns to it under a condition: outside of
//! the region it has the value of an earlier assignment, or none. What reads it is computed inside
//! of the region; where an earlier value would be read, the program is refused.

use super::Body;
use crate::{
    diagnostic::Diagnostic,
    stencilgen::{
        ast::{Assign, Expression, Statement},
        program::{Coordinate, Shared, values_below},
        regions::Ranges,
        scope::LocalScalar,
        sink::Sink,
    },
};

impl Body<'_> {
    /// Assigns to a scalar.
    pub fn assign_scalar(&mut self, statement: &Statement, sink: &mut Sink) {
        let name = &statement.target.name;
        let Some(local) = self.scope.locals.get(&name.text).cloned() else {
            if self.scope.meaning(name, sink).is_some() {
                let message = format!("'{}' cannot be assigned to", name.text);
                let help = "declare a local variable: double x;";
                sink.push(Diagnostic::error(name.span, message).help(help));
            }
            return;
        };
        if statement.operator != Assign::Set && local.value.is_none() {
            let message = format!("'{}' is used before it has a value", name.text);
            let error = Diagnostic::error(name.span, message);
            sink.push(error.note(local.span, "declared here; give it a value: = 0.0"));
        }
        self.close_for(&statement.value, None, sink);
        let value = self.scope.assigned(
            statement.operator,
            local.value.clone(),
            local.r#type,
            &statement.value,
            statement.span,
            sink,
        );
        let Some(value) = value else { return };
        let Some(within) = self.points_of(statement, &local, &value, sink) else { return };
        // A value made of such a scalar is wrong at the same points.
        let read = statement.value.names().into_iter();
        let inherited = read.filter_map(|name| self.scope.locals.get(&name.text)?.other).next();
        if let Some(local) = self.scope.locals.get_mut(&name.text) {
            let had = local.value.replace(value).is_some();
            let is_covered =
                |new: &Ranges| local.within.as_ref().is_some_and(|old| new.contains(old));
            if had && !within.as_ref().is_none_or(is_covered) {
                local.other = Some(statement.span);
            } else if statement.operator == Assign::Set {
                local.other = inherited;
            }
            local.within = within;
        }
    }

    /// The points at which a scalar gets a value; the outer option is none after an error.
    fn points_of(
        &self,
        statement: &Statement,
        local: &LocalScalar,
        value: &Shared,
        sink: &mut Sink,
    ) -> Option<Option<Ranges>> {
        let mut all = self.within(&statement.value);
        if let Some(region) = &statement.region {
            // One range for each iterator of the value, or of the program.
            let mut iterators = Vec::new();
            values_below([value]).iter().for_each(|one| one.iterators(&mut iterators));
            if iterators.is_empty() {
                iterators.extend(0..self.scope.symbols.iterators.len());
            }
            iterators.sort_unstable();
            iterators.dedup();
            let frame = iterators.into_iter().map(|iterator| Coordinate::Iterator(iterator, 0));
            let stated = self.ranges(region, &frame.collect::<Vec<_>>(), sink)?;
            all = Some(all.unwrap_or_default().and(&stated));
        }
        if statement.operator != Assign::Set
            && let Some(old) = &local.within
        {
            all = Some(old.and(&all.unwrap_or_default()));
        }
        Some(all)
    }

    /// The points at which all scalars of an expression have the values that it reads.
    pub fn within(&self, value: &Expression) -> Option<Ranges> {
        let read = value.names().into_iter().filter_map(|name| self.scope.locals.get(&name.text));
        let ranges = read.filter_map(|local| local.within.as_ref());
        ranges.fold(None, |all: Option<Ranges>, one| Some(all.unwrap_or_default().and(one)))
    }

    /// A scalar that has another value outside of its region is read inside of it only.
    pub fn check_within(&self, value: &Expression, stated: &Ranges, sink: &mut Sink) -> bool {
        for name in value.names() {
            let Some(local) = self.scope.locals.get(&name.text) else { continue };
            let (Some(other), Some(within)) = (local.other, &local.within) else { continue };
            if !within.contains(stated) {
                let message = format!("'{}' has another value outside of its region", name.text);
                let help = "write the region, or a smaller one, before this statement too; or \
                            declare an array instead, which keeps a value at each point";
                let error = Diagnostic::error(name.span, message);
                sink.push(error.note(other, "the value inside of the region").help(help));
                return false;
            }
        }
        true
    }

    /// Reports a region that reaches further than the scalars that it reads.
    pub fn clips(
        &self,
        stated: &Ranges,
        within: &Ranges,
        statement: &Statement,
        sink: &mut Sink,
    ) -> bool {
        let message = "the region reaches outside of the points that a scalar has a value at";
        let span = stated.span.unwrap_or(statement.span);
        let note = (within.span.unwrap_or(span), "it gets its value here");
        let report = match self.is_strict {
            true => Diagnostic::error(span, message),
            false => Diagnostic::warning(span, format!("{message}: it is clipped")),
        };
        sink.push(report.note(note.0, note.1));
        !self.is_strict
    }
}
