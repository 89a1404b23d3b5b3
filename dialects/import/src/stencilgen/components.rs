//! Arrays of four dimensions, one of which is a component: `u[2][k][j][i]`, `c[k][1][j][i]`.
//!
//! The dialect has three dimensions. The component is the dimension whose index is a number in each
//! access; it is joined with the dimension after it, which becomes as many times as long, so that
//! the array stays one piece of memory, and a component is a box of it. A component in the last
//! place would be interleaved with the others, which no box is.

use super::{
    ast::IntegerOperator,
    index::Index,
    program::{ArrayId, Coordinate, Program, Read, Shared, Stage, Step, ValueKind, values_below},
    sink::Sink,
    values::make,
};
use crate::diagnostic::Diagnostic;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    rc::Rc,
};
use stencil_dialects::types::Bounds;

/// Dimensions of an array with components.
const RANK: usize = 4;

/// Joins the components of all arrays that have them.
pub fn join(program: &mut Program, sink: &mut Sink) {
    let arrays = program.arrays.iter().enumerate();
    let all = arrays.filter(|(_, array)| array.extents.len() == RANK);
    let mut open = all.map(|(id, _)| (id, (0..RANK).collect())).collect::<Open>();
    if open.is_empty() {
        return;
    }
    restrict(&program.steps, &mut open);
    let mut joins = BTreeMap::new();
    for (id, dims) in open {
        let array = &program.arrays[id];
        match dims.first() {
            Some(dim) if dim + 1 < RANK => {
                let (count, length) = (array.extents[*dim], array.extents[dim + 1]);
                joins.insert(id, Join { dim: *dim, count, length });
            }
            found => {
                let message = format!("'{}' has {RANK} dimensions", array.name);
                let help = match found {
                    Some(_) => {
                        "its component comes last, so that components are interleaved in \
                                memory: write it first, a[2][k][j][i], and declare it so"
                    }
                    None => {
                        "an array has 1 to 3 dimensions, or one more for a component: an index \
                             that is a number or a parameter wherever the array is used"
                    }
                };
                sink.push(Diagnostic::error(array.span, message).help(help));
            }
        }
    }
    if sink.has_errors() {
        return;
    }
    rewrite(&mut program.steps, &joins, sink);
    for (id, join) in joins {
        let extents = &mut program.arrays[id].extents;
        extents.remove(join.dim);
        extents[join.dim] = join.count * join.length;
    }
}

/// The dimensions that may be the component of each array.
type Open = BTreeMap<ArrayId, BTreeSet<usize>>;

/// Keeps the dimensions whose indices are numbers; arrays that are renamed have the same one.
fn restrict(steps: &[Step], open: &mut Open) {
    let mut keep = |array: ArrayId, is_number: &dyn Fn(usize) -> bool| {
        if let Some(dims) = open.get_mut(&array) {
            dims.retain(|dim| is_number(*dim));
        }
    };
    let mut renamed = Vec::new();
    for step in steps {
        match step {
            Step::Stage(stage) => {
                for output in &stage.outputs {
                    let frame = &stage.frame;
                    keep(output.array, &|dim| matches!(frame[dim], Coordinate::Constant(_)));
                }
                for read in stage.reads() {
                    keep(read.array, &|dim| number(&read.indices[dim]).is_some());
                }
            }
            Step::Rename(names) => renamed.extend(names),
            Step::Loop(_) => {}
        }
    }
    for step in steps {
        if let Step::Loop(repeated) = step {
            restrict(&repeated.body, open);
        }
    }
    // A cycle of names is as long as the list at most.
    for _ in 0..renamed.len() {
        for (one, two) in &renamed {
            let (Some(a), Some(b)) = (open.get(one), open.get(two)) else { continue };
            let both = a.intersection(b).copied().collect::<BTreeSet<_>>();
            open.insert(*one, both.clone());
            open.insert(*two, both);
        }
    }
}

fn number(index: &Index) -> Option<i64> {
    index.affine().filter(|affine| affine.factors.is_empty()).map(|affine| affine.constant)
}

/// How an array is joined.
#[derive(Clone, Copy)]
struct Join {
    /// The dimension of the component.
    dim: usize,
    /// Number of components.
    count: i64,
    /// The extent of the dimension after it.
    length: i64,
}

impl Join {
    fn indices(self, mut indices: Vec<Index>) -> Vec<Index> {
        let component = indices.remove(self.dim);
        let shift = number(&component).expect("the index of a component is a number") * self.length;
        if shift != 0 {
            let index = Box::new(indices[self.dim].clone());
            let shift = Box::new(Index::Constant(shift));
            indices[self.dim] = Index::Binary(IntegerOperator::Add, index, shift);
        }
        indices
    }
}

fn rewrite(steps: &mut [Step], joins: &BTreeMap<ArrayId, Join>, sink: &mut Sink) {
    for step in steps {
        match step {
            Step::Stage(stage) => {
                rewrite_values(stage, joins);
                rewrite_frame(stage, joins, sink);
            }
            Step::Loop(repeated) => rewrite(&mut repeated.body, joins, sink),
            Step::Rename(_) => {}
        }
    }
}

/// Reads go to the joined arrays.
fn rewrite_values(stage: &mut Stage, joins: &BTreeMap<ArrayId, Join>) {
    let mut new = HashMap::<_, Shared>::new();
    for old in values_below(stage.values()) {
        let of = |operand: &Shared| new[&Rc::as_ptr(operand)].clone();
        let value = match &old.kind {
            ValueKind::Read(Read { array, version, indices }) if joins.contains_key(array) => {
                let indices = joins[array].indices(indices.clone());
                let read = Read { array: *array, version: *version, indices };
                make(ValueKind::Read(read), old.r#type, old.span)
            }
            _ => old.with_operands(&of).unwrap_or_else(|| old.clone()),
        };
        new.insert(Rc::as_ptr(old), value);
    }
    for output in &mut stage.outputs {
        output.value = new[&Rc::as_ptr(&output.value)].clone();
    }
}

/// The points are those of a component's box.
fn rewrite_frame(stage: &mut Stage, joins: &BTreeMap<ArrayId, Join>, sink: &mut Sink) {
    let join_of = |array: ArrayId| joins.get(&array).copied();
    let Some(join) = stage.outputs.first().and_then(|output| join_of(output.array)) else { return };
    let Coordinate::Constant(component) = stage.frame[join.dim] else { return };
    let place = |join: Join| (join.dim, component * join.length);
    let other = stage
        .outputs
        .iter()
        .find(|output| join_of(output.array).is_none_or(|other| place(other) != place(join)));
    if let Some(other) = other {
        let message = "arrays with components of different extents are written together here";
        let help = "write them in stencils of their own";
        sink.push(Diagnostic::error(other.span, message).help(help));
        return;
    }
    let shift = component * join.length;
    stage.frame.remove(join.dim);
    stage.frame[join.dim] = match stage.frame[join.dim] {
        Coordinate::Iterator(iterator, number) => Coordinate::Iterator(iterator, number + shift),
        Coordinate::Constant(number) => Coordinate::Constant(number + shift),
    };
    let corner = |mut corner: Vec<i64>| {
        corner.remove(join.dim);
        corner[join.dim] += shift;
        corner
    };
    let Bounds { lower, upper, .. } = stage.region.clone();
    stage.region = Bounds::new(corner(lower), corner(upper));
}
