//! The points that a stage computes: its stated region, clipped to where its reads are in bounds.

use super::{
    index::{Index, Interval, Variable},
    program::{Array, Coordinate, IteratorId, LoopVariable, Output, reads_below},
    sink::Sink,
};
use crate::diagnostic::{Diagnostic, Severity, Span};
use std::collections::BTreeMap;
use stencil_dialects::types::Bounds;

/// Values that the text allows each iterator, ends included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges {
    /// By iterator; iterators without an entry are free.
    pub of: BTreeMap<IteratorId, Interval>,
    /// Where the text states it.
    pub span: Option<Span>,
}

impl Ranges {
    /// What both allow.
    pub fn and(&self, other: &Ranges) -> Ranges {
        let mut both = self.clone();
        for (iterator, (first, last)) in &other.of {
            let entry = both.of.entry(*iterator).or_insert((*first, *last));
            *entry = (entry.0.max(*first), entry.1.min(*last));
        }
        both.span = other.span.or(self.span);
        both
    }

    /// Whether all that `other` allows is allowed.
    pub fn contains(&self, other: &Ranges) -> bool {
        self.of.iter().all(|(iterator, (first, last))| {
            other.of.get(iterator).is_some_and(|(one, two)| first <= one && two <= last)
        })
    }
}

/// The inputs for computing a stage's points.
pub struct Query<'q> {
    /// All arrays.
    pub arrays: &'q [Array],
    /// All loop variables.
    pub loops: &'q [LoopVariable],
    /// Names of the iterators.
    pub iterators: &'q [String],
    /// What the coordinates of the written cells are.
    pub frame: &'q [Coordinate],
    /// What is written.
    pub outputs: &'q [Output],
    /// The stated region.
    pub stated: &'q Ranges,
    /// Whether clipping a stated range is an error.
    pub is_strict: bool,
    /// The location of the stage.
    pub span: Span,
}

impl Query<'_> {
    /// The points, in coordinates of what is written; none after an error.
    pub fn region(&self, sink: &mut Sink) -> Option<Bounds> {
        let mut ranges = self.written(sink)?;
        for (iterator, (first, last)) in &self.stated.of {
            if let Some(range) = ranges.get_mut(iterator) {
                self.cut(range, (*first, *last));
            }
        }
        let stated = self.stated_ranges(&ranges);
        let mut culprit = None;
        for (read, span) in reads_below(self.outputs.iter().map(|output| &output.value)) {
            for (dim, index) in read.indices.iter().enumerate() {
                let extent = self.arrays[read.array].extents[dim];
                if self.cut_to(&mut ranges, index, extent) {
                    culprit.get_or_insert((read.array, span));
                }
            }
        }
        self.check_cut(&stated, &ranges, culprit, sink)?;
        if ranges.values().any(|(first, last)| first > last) {
            self.refuse_empty(culprit, sink);
            return None;
        }
        self.check_reads(&ranges, sink)?;
        let corner = |pick: fn(Interval) -> i64| {
            let of = |coordinate: &Coordinate| match coordinate {
                Coordinate::Iterator(iterator, shift) => pick(ranges[iterator]) + shift,
                Coordinate::Constant(constant) => *constant,
            };
            self.frame.iter().map(of).collect::<Vec<_>>()
        };
        let upper = corner(|range| range.1).into_iter().map(|last| last + 1).collect();
        Some(Bounds::new(corner(|range| range.0), upper))
    }

    /// The iterators' values for which the written cells exist.
    fn written(&self, sink: &mut Sink) -> Option<BTreeMap<IteratorId, Interval>> {
        let mut ranges = BTreeMap::new();
        for output in self.outputs {
            let array = &self.arrays[output.array];
            for (coordinate, extent) in self.frame.iter().zip(&array.extents) {
                match coordinate {
                    Coordinate::Iterator(iterator, shift) => {
                        let all = (-shift, extent - 1 - shift);
                        self.cut(ranges.entry(*iterator).or_insert(all), all);
                    }
                    Coordinate::Constant(cell) if !(0..*extent).contains(cell) => {
                        let message = format!("'{}' has no cell {cell} here", array.name);
                        let help = format!("cells of this dimension are 0 to {}", extent - 1);
                        sink.push(Diagnostic::error(output.span, message).help(help));
                        return None;
                    }
                    Coordinate::Constant(_) => {}
                }
            }
        }
        Some(ranges)
    }

    fn cut(&self, range: &mut Interval, to: Interval) {
        *range = (range.0.max(to.0), range.1.min(to.1));
    }

    /// The stated ranges of the frame's iterators.
    fn stated_ranges(
        &self,
        all: &BTreeMap<IteratorId, Interval>,
    ) -> BTreeMap<IteratorId, Interval> {
        let stated = |iterator: &IteratorId| self.stated.of.get(iterator).copied();
        all.keys().filter_map(|iterator| Some((*iterator, stated(iterator)?))).collect()
    }

    /// Clips the range of the iterator that an index follows so that the index stays in
    /// `0..extent`; returns whether it changed. Indices that follow none, or several, are checked
    /// afterwards.
    fn cut_to(
        &self,
        ranges: &mut BTreeMap<IteratorId, Interval>,
        index: &Index,
        extent: i64,
    ) -> bool {
        let Some(affine) = index.affine() else { return false };
        let mut rest = (affine.constant, affine.constant);
        let mut follows = None;
        for (variable, factor) in &affine.factors {
            match variable {
                Variable::Iterator(iterator) if follows.is_none() => {
                    follows = Some((*iterator, *factor));
                }
                Variable::Iterator(_) => return false,
                Variable::Loop(id) => {
                    let Some((first, last)) = self.loops[*id].values() else { return false };
                    let (one, two) = (first * factor, last * factor);
                    rest = (rest.0 + one.min(two), rest.1 + one.max(two));
                }
            }
        }
        let Some((iterator, factor)) = follows else { return false };
        let Some(range) = ranges.get_mut(&iterator) else { return false };
        // 0 <= factor * i + rest <= extent - 1
        let (low, high) = (-rest.0, extent - 1 - rest.1);
        let allowed = match factor > 0 {
            true => (ceil_div(low, factor), floor_div(high, factor)),
            false => (ceil_div(-high, -factor), floor_div(-low, -factor)),
        };
        let before = *range;
        self.cut(range, allowed);
        *range != before
    }

    /// Reports a stated range that was clipped: a warning, or an error.
    fn check_cut(
        &self,
        stated: &BTreeMap<IteratorId, Interval>,
        ranges: &BTreeMap<IteratorId, Interval>,
        culprit: Option<(usize, Span)>,
        sink: &mut Sink,
    ) -> Option<()> {
        let is_cut = stated.iter().any(|(iterator, range)| ranges[iterator] != *range);
        let is_empty = ranges.values().any(|(first, last)| first > last);
        if !is_cut || is_empty {
            return Some(());
        }
        let kept = ranges
            .iter()
            .map(|(iterator, (first, last))| {
                format!("{} = {first}:{last}", self.iterators[*iterator])
            })
            .collect::<Vec<_>>()
            .join(", ");
        let span = self.stated.span.unwrap_or(self.span);
        let severity = if self.is_strict { Severity::Error } else { Severity::Warning };
        let message = format!("the region reaches outside the arrays, the part inside is {kept}");
        let message = if self.is_strict { message } else { format!("{message}: it is clipped") };
        let mut diagnostic = Diagnostic { severity, ..Diagnostic::error(span, message) };
        diagnostic = match culprit {
            Some((array, read)) => {
                let note = format!("this read leaves '{}'", self.arrays[array].name);
                diagnostic.note(read, note)
            }
            None => diagnostic.note(self.span, "the array written here is smaller"),
        };
        sink.push(diagnostic);
        (!self.is_strict).then_some(())
    }

    fn refuse_empty(&self, culprit: Option<(usize, Span)>, sink: &mut Sink) {
        let span = self.stated.span.unwrap_or(self.span);
        let error = Diagnostic::error(span, "the region is empty");
        sink.push(match culprit {
            Some((array, read)) => {
                let note = format!(
                    "reads of '{}' would leave it everywhere: its extents are too small",
                    self.arrays[array].name
                );
                error.note(read, note)
            }
            None => error.help("a range goes from its first to its last value, both included"),
        });
    }

    /// Indices that do not follow a single iterator must be in bounds without clipping.
    fn check_reads(&self, ranges: &BTreeMap<IteratorId, Interval>, sink: &mut Sink) -> Option<()> {
        let of = |variable: Variable| match variable {
            Variable::Iterator(iterator) => ranges.get(&iterator).copied(),
            Variable::Loop(id) => self.loops[id].values(),
        };
        for (read, span) in reads_below(self.outputs.iter().map(|output| &output.value)) {
            let array = &self.arrays[read.array];
            for (index, extent) in read.indices.iter().zip(&array.extents) {
                let mut variables = Vec::new();
                index.variables(&mut variables);
                let idle = variables.iter().any(|variable| {
                    matches!(variable, Variable::Loop(id) if self.loops[*id].values().is_none())
                });
                if idle {
                    continue;
                }
                let found = index.interval(&of);
                if found.is_some_and(|(first, last)| first >= 0 && last < *extent) {
                    continue;
                }
                let values = match found {
                    Some((first, last)) if first == last => format!("is {first}"),
                    Some((first, last)) => format!("runs from {first} to {last}"),
                    None => "overflows, or divides by zero".to_owned(),
                };
                let message = format!("an index of '{}' {values}", array.name);
                let help = format!("cells of this dimension are 0 to {}", extent - 1);
                let mut error = Diagnostic::error(span, message).help(help);
                if variables.iter().any(|variable| self.is_given(*variable)) {
                    let why = "the trip count is known at run time only; make the \
                               number a parameter to index with its variable";
                    error = error.note(span, why);
                }
                sink.push(error.note(array.span, "the array is declared here"));
                return None;
            }
        }
        Some(())
    }

    fn is_given(&self, variable: Variable) -> bool {
        matches!(variable, Variable::Loop(id) if matches!(self.loops[id], LoopVariable::Given(_)))
    }
}

fn floor_div(a: i64, b: i64) -> i64 {
    a.div_euclid(b)
}

fn ceil_div(a: i64, b: i64) -> i64 {
    -((-a).div_euclid(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisions_round_to_their_side() {
        assert_eq!((floor_div(-3, 2), ceil_div(-3, 2)), (-2, -1));
        assert_eq!((floor_div(3, 2), ceil_div(3, 2)), (1, 2));
    }
}
