//! Edits of boxes: smaller ranges, origins at zero, no slack.

use std::collections::BTreeMap;

use crate::bounds::Bounds;
use crate::program::{Apply, Output, Program, Range, Statement};

pub(super) fn edits(program: &Program) -> Vec<Program> {
    let mut edits = vec![];
    edits.extend(halve_longest(program));
    for ((rank, dim), (lower, upper)) in spans(program) {
        let extent = upper - lower;
        for length in [1, extent / 2, extent - 1] {
            if (1..extent).contains(&length) {
                edits.push(clip(program, rank, dim, (lower, lower + length)));
                edits.push(clip(program, rank, dim, (upper - length, upper)));
            }
        }
        if lower != 0 {
            edits.push(moved(program, rank, dim, -lower));
        }
    }
    let mut none = program.clone();
    none.slack.clear();
    none.scratch.clear();
    edits.push(none);
    for field in program.slack.keys() {
        let mut edited = program.clone();
        edited.slack.remove(field);
        edits.push(edited);
    }
    for n in 0..boxes(program) {
        shrink_box(program, n, &mut edits);
    }
    edits
}

/// The chosen boxes of a statement.
fn box_of(statement: &mut Statement) -> Option<&mut Bounds> {
    match statement {
        Statement::Store { range: Range::Box(bounds), .. } => Some(bounds),
        Statement::Apply(Apply {
            output: Output::Fields { range: Range::Box(bounds), .. },
            ..
        }) => Some(bounds),
        _ => None,
    }
}

fn boxes(program: &Program) -> usize {
    let mut count = 0;
    program.clone().walk_mut(&mut |statement| count += usize::from(box_of(statement).is_some()));
    count
}

/// The coordinates that stores of each rank write, per dimension.
fn spans(program: &Program) -> BTreeMap<(usize, usize), (i64, i64)> {
    let mut spans = BTreeMap::new();
    program.clone().walk_mut(&mut |statement| {
        let Some(bounds) = box_of(statement) else { return };
        for dim in 0..bounds.rank() {
            let (lower, upper) = (bounds.lower[dim], bounds.upper[dim]);
            let span = spans.entry((bounds.rank(), dim)).or_insert((lower, upper));
            *span = (span.0.min(lower), span.1.max(upper));
        }
    });
    spans
}

/// The program with its longest extent halved; `None` if none is longer than one cell.
pub(crate) fn halve_longest(program: &Program) -> Option<Program> {
    let spans = spans(program);
    let longest = spans.iter().max_by_key(|(_, (lower, upper))| upper - lower)?;
    let ((rank, dim), (lower, upper)) = longest;
    let extent = upper - lower;
    (extent > 1).then(|| clip(program, *rank, *dim, (*lower, lower + extent / 2)))
}

/// Stores of a rank cut to a span of a dimension; those outside go.
fn clip(program: &Program, rank: usize, dim: usize, span: (i64, i64)) -> Program {
    let mut edited = program.clone();
    let rank_of: Vec<usize> = program.types.iter().map(|ty| ty.rank()).collect();
    super::each_list(&mut edited, &mut |list| {
        for statement in list.iter_mut() {
            if let Statement::Combine(combine) = statement
                && combine.dim == dim
                && rank_of[combine.results[0].0 as usize] == rank
            {
                combine.at = combine.at.min(span.1 - 1).max(span.0 + 1);
            }
            if let Some(bounds) = box_of(statement)
                && bounds.rank() == rank
            {
                bounds.lower[dim] = bounds.lower[dim].max(span.0);
                bounds.upper[dim] = bounds.upper[dim].min(span.1);
            }
        }
        list.retain_mut(|statement| box_of(statement).is_none_or(|bounds| bounds.is_solid()));
    });
    edited
}

/// Everything of a rank moved along a dimension.
fn moved(program: &Program, rank: usize, dim: usize, by: i64) -> Program {
    let mut edited = program.clone();
    let rank_of: Vec<usize> = program.types.iter().map(|ty| ty.rank()).collect();
    edited.walk_mut(&mut |statement| {
        if let Statement::Combine(combine) = statement
            && combine.dim == dim
            && rank_of[combine.results[0].0 as usize] == rank
        {
            combine.at += by;
        }
        if let Some(bounds) = box_of(statement)
            && bounds.rank() == rank
        {
            bounds.lower[dim] += by;
            bounds.upper[dim] += by;
        }
    });
    edited
}

/// One box, halved from either end in each dimension.
fn shrink_box(program: &Program, n: usize, edits: &mut Vec<Program>) {
    for dim in 0..3 {
        for from_above in [false, true] {
            let mut edited = program.clone();
            let mut seen = 0;
            let mut done = false;
            edited.walk_mut(&mut |statement| {
                let Some(bounds) = box_of(statement) else { return };
                if seen == n && dim < bounds.rank() && bounds.extent(dim) > 1 {
                    let half = bounds.extent(dim) / 2;
                    match from_above {
                        true => bounds.upper[dim] = bounds.lower[dim] + half,
                        false => bounds.lower[dim] = bounds.upper[dim] - half,
                    }
                    done = true;
                }
                seen += 1;
            });
            if done {
                edits.push(edited);
            }
        }
    }
}
