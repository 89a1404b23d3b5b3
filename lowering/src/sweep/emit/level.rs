//! One level of a sweep in one iteration: the points of a thread's register tile in one plane.

use super::{
    cells::Cells,
    plane::Plane,
    shape::{Shape, View},
};
use crate::builders;
use crate::{
    gpu::body::{Body, Emitted, Place},
    sweep::stages::Stage,
};
use melior::ir::{Value, operation::OperationLike};
use stencil_dialects::{
    build::Inserter,
    ods::{arith, memref},
    ops::{AccessOp, DynAccessOp},
    sweep::Argument,
};
use stencil_passes::framework::PassResult;

/// The inputs of the points of a level.
pub struct Surroundings<'c, 'a, 'k> {
    /// The kernel.
    pub shape: &'k Shape<'c, 'a>,
    /// The cells of the thread.
    pub cells: &'k Cells<'c, 'a, 'k>,
    /// Insertion point of operations that points share, and that all threads must execute together.
    pub outside: Inserter<'c, 'a>,
    /// Planes of the level below, and the distance of the first from the plane that is computed.
    pub planes: &'k [Plane<'c, 'a, 'k>],
    /// See `planes`.
    pub first: i64,
    /// The thread's own register tile of older levels, the one before the level below first.
    pub older: &'k [Vec<Value<'c, 'a>>],
    /// Fields that are only read.
    pub reads: &'k [View<'c, 'a>],
    /// Coordinate of the plane that is computed.
    pub plane: Value<'c, 'a>,
}

/// One point of the register tile.
struct Point<'c, 'a, 'k> {
    surroundings: &'k Surroundings<'c, 'a, 'k>,
    cell: i64,
}

impl<'c: 'a, 'a> Place<'c, 'a> for Point<'c, 'a, '_> {
    fn access(&self, access: AccessOp<'c, 'a>, _: Inserter<'c, 'a>) -> PassResult<Value<'c, 'a>> {
        let around = self.surroundings;
        let columns = around.shape.tiling.columns;
        match around.shape.kernel.argument_of(access.source()) {
            Some(Argument::Carried(0)) => {
                let [plane, row, column] = around.shape.offset(access);
                let plane = &around.planes[(plane - around.first) as usize];
                let (row, column) = (self.cell / columns + row, self.cell % columns + column);
                Ok(plane.value(around.outside, row, column))
            }
            Some(Argument::Carried(age)) => Ok(around.older[age - 1][self.cell as usize]),
            Some(Argument::Read(field)) => {
                let (mapping, offset) = (access.mapping(), access.offset());
                Ok(self.read(&around.reads[field], &mapping, &offset))
            }
            _ => unreachable!("the verifier checked that an access reads a field"),
        }
    }

    fn dynamic_access(
        &self,
        access: DynAccessOp<'c, 'a>,
        indices: &[Value<'c, 'a>],
        at: Inserter<'c, 'a>,
    ) -> PassResult<Value<'c, 'a>> {
        let around = self.surroundings;
        let Some(Argument::Read(field)) = around.shape.kernel.argument_of(access.source()) else {
            unreachable!("the verifier checked that only constant fields are read so")
        };
        Ok(read_at(at, &around.reads[field], indices))
    }

    fn coordinate(&self, dimension: usize, offset: i64, at: Inserter<'c, 'a>) -> Value<'c, 'a> {
        let coordinate = builders::index(at, self.domain_coordinate(dimension, false));
        builders::plus(at, coordinate, offset)
    }
}

impl<'c: 'a, 'a> Point<'c, 'a, '_> {
    /// The point's coordinate along a dimension of the domain.
    fn domain_coordinate(&self, dimension: usize, inside: bool) -> Value<'c, 'a> {
        let around = self.surroundings;
        let d = dimension_of_three(around.shape.rank, dimension);
        around.cells.coordinate(around.outside, around.plane, self.cell, d, inside)
    }

    /// A cell of a field that is only read; points outside the domain are clamped to it.
    fn read(&self, view: &View<'c, 'a>, mapping: &[usize], offset: &[i64]) -> Value<'c, 'a> {
        let at = self.surroundings.outside;
        let rank_of_view = mapping.len();
        let mut place: Option<Value<'c, 'a>> = None;
        let mut constant = 0;
        for (position, &dimension) in mapping.iter().enumerate() {
            let d = dimension_of_three(rank_of_view, position);
            let along = self.domain_coordinate(dimension, true);
            let along = builders::times(at, along, view.strides[d]);
            constant += (offset[position] - view.lower[d]) * view.strides[d];
            place = Some(match place {
                Some(sum) => arith::addi(at, sum, along),
                None => along,
            });
        }
        let place = place.map_or_else(|| at.index(0), |place| builders::index(at, place));
        let place = builders::plus(at, place, constant);
        at.value(memref::LOAD, &[view.buffer, place], &[], view.element)
    }
}

/// A cell of a field at computed coordinates. Points outside the domain, which are computed and not
/// stored, may compute any: those are clamped to the field.
fn read_at<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    view: &View<'c, 'a>,
    indices: &[Value<'c, 'a>],
) -> Value<'c, 'a> {
    let along = indices.iter().enumerate().map(|(position, index)| {
        let d = dimension_of_three(indices.len(), position);
        let index = builders::clamped(at, *index, view.lower[d], view.upper[d]);
        builders::times(at, builders::plus(at, index, -view.lower[d]), view.strides[d])
    });
    let place = along.reduce(|one, two| arith::addi(at, one, two));
    let place = place.expect("an access has at least one index");
    at.value(memref::LOAD, &[view.buffer, place], &[], view.element)
}

/// The index among planes, rows, columns of a dimension of a box of some rank.
fn dimension_of_three(rank: usize, dimension: usize) -> usize {
    match (rank, dimension) {
        (1, _) => 2,
        (2, 0) => 0,
        (2, _) => 2,
        (_, dimension) => dimension,
    }
}

/// Inputs of a stage for one point: values of the region and their lowered forms.
pub type Known<'c, 'a> = Vec<(Value<'c, 'a>, Value<'c, 'a>)>;

/// Emits a stage at one point; returns the lowered forms of the wanted values.
pub fn point<'c: 'a, 'a>(
    surroundings: &Surroundings<'c, 'a, '_>,
    cell: i64,
    stage: &Stage<'c, 'a>,
    known: [&Known<'c, 'a>; 2],
    wanted: &[Value<'c, 'a>],
) -> PassResult<Vec<Value<'c, 'a>>> {
    let body = Body::new(Point { surroundings, cell }, false);
    for (old, new) in known.into_iter().flatten() {
        body.bind(*old, Emitted::Value(*new));
    }
    let at = surroundings.outside;
    for operation in &stage.operations {
        body.operation(*operation, at.with_location(operation.location()))?;
    }
    Ok(wanted.iter().map(|value| body.value(*value)).collect())
}
