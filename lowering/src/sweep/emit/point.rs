//! One point of a thread's register tile: what its operations read besides tiles.

use super::{
    cells::{Cells, Domain, Mask},
    view::View,
};
use crate::{
    builders,
    gpu::{body::Place, size::Size},
    sweep::shape::{Shape, dimension_of_three},
};
use melior::ir::{OperationRef, Value, operation::OperationLike};
use std::collections::HashMap;
use stencil_dialects::{
    build::Inserter,
    ods::{arith, memref, stencil::attribute},
    ops::{AccessOp, DynAccessOp, IndexOp},
    walk::ValueKey,
};
use stencil_faults::{Fault, planted};
use stencil_passes::{analysis::comparison::Comparison, framework::PassResult};

/// One point of the register tile.
pub struct Point<'c, 'a, 'k> {
    /// The sizes of the kernel.
    pub shape: &'k Shape<'c, 'a>,
    /// The cells of the thread.
    pub cells: &'k Cells<'c, 'a, 'k>,
    /// Which of them it stores.
    pub mask: &'k Mask<'c, 'a>,
    /// The memory of each field.
    pub views: &'k HashMap<ValueKey, View<'c, 'a>>,
    /// Insertion point of operations that points share.
    pub outside: Inserter<'c, 'a>,
    /// Coordinate of the plane.
    pub plane: Value<'c, 'a>,
    /// The point's number in the register tile.
    pub cell: i64,
    /// The domain of the statement, if it has one of its own.
    pub domain: Option<Domain>,
}

impl<'c: 'a, 'a> Place<'c, 'a> for Point<'c, 'a, '_> {
    fn access(&self, access: AccessOp<'c, 'a>, _: Inserter<'c, 'a>) -> PassResult<Value<'c, 'a>> {
        let view = &self.views[&ValueKey::of(&access.source())];
        Ok(self.read(view, &access.mapping(), &access.offset()))
    }

    fn dynamic_access(
        &self,
        access: DynAccessOp<'c, 'a>,
        indices: &[Value<'c, 'a>],
        at: Inserter<'c, 'a>,
    ) -> PassResult<Value<'c, 'a>> {
        Ok(read_at(at, self.shape, &self.views[&ValueKey::of(&access.source())], indices))
    }

    fn coordinate(
        &self,
        index: IndexOp<'c, 'a>,
        at: Inserter<'c, 'a>,
    ) -> PassResult<Value<'c, 'a>> {
        let coordinate = builders::index(at, self.domain_coordinate(index.dimension(), false));
        if index.operation().has_attribute(attribute::DISTANCE) {
            let d = dimension_of_three(self.shape.rank, index.dimension());
            let from = match planted(Fault::WallStays) {
                true => Size::from(-index.offset()),
                false => self.shape.size(d, -index.offset()),
            };
            return Ok(self.shape.minus(at, coordinate, &from));
        }
        Ok(builders::plus(at, coordinate, index.offset()))
    }

    fn known(&self, operation: OperationRef<'c, 'a>) -> Option<bool> {
        let comparison = Comparison::in_domain(operation, self.shape.is_general)?;
        let d = dimension_of_three(self.shape.rank, comparison.dimension);
        let certainty = self.cells.certainty;
        let is_certain = if d == 0 { certainty.planes } else { certainty.lateral };
        let (lower, upper) = (self.shape.common.0[d], self.shape.common.1[d]);
        is_certain.then(|| comparison.within(&(lower..upper)))?
    }
}

impl<'c: 'a, 'a> Point<'c, 'a, '_> {
    /// The point's coordinate along a dimension of the domain.
    fn domain_coordinate(&self, dimension: usize, inside: bool) -> Value<'c, 'a> {
        let d = dimension_of_three(self.shape.rank, dimension);
        let coordinate =
            |inside| self.cells.coordinate(self.outside, self.plane, self.cell, d, inside);
        match self.domain {
            Some((lower, upper)) if inside => {
                let [lower, upper] = [lower[d], upper[d]].map(|end| self.shape.size(d, end));
                self.shape.clamped(self.outside, coordinate(false), (&lower, &upper))
            }
            _ => coordinate(inside),
        }
    }

    /// A cell of a field; points outside the domain are clamped to it. Other threads may store the
    /// cells of points that this one computes and does not store.
    fn read(&self, view: &View<'c, 'a>, mapping: &[usize], offset: &[i64]) -> Value<'c, 'a> {
        let at = self.outside;
        let rank_of_view = mapping.len();
        let mut place: Option<Value<'c, 'a>> = None;
        let mut rest = Size::default();
        for (position, &dimension) in mapping.iter().enumerate() {
            let d = dimension_of_three(rank_of_view, position);
            let along = self.domain_coordinate(dimension, true);
            let along = self.shape.times(at, along, &view.strides[d]);
            let of_domain = dimension_of_three(self.shape.rank, dimension);
            let offset = self.shape.offset_size(of_domain, offset[position]);
            rest = rest + &(offset - view.lower[d].clone()) * &view.strides[d];
            place = Some(match place {
                Some(sum) => arith::addi(at, sum, along),
                None => along,
            });
        }
        let place = match rest.constant() {
            // Constants are added after the cast: they become address immediates.
            Some(rest) => {
                let place = place.map_or_else(|| at.index(0), |place| builders::index(at, place));
                builders::plus(at, place, rest)
            }
            None => {
                let place = place.unwrap_or_else(|| at.integer(self.shape.number, 0));
                builders::index(at, self.shape.plus(at, place, &rest))
            }
        };
        let load =
            |at: Inserter<'c, 'a>| at.value(memref::LOAD, &[view.buffer, place], &[], view.element);
        if !view.is_written {
            return load(at);
        }
        let is_own = self.cells.stores(at, self.plane, self.mask, self.cell);
        let zero = |at: Inserter<'c, 'a>| vec![at.float(view.element, 0.0)];
        builders::choose(at, is_own, &[view.element], |at| vec![load(at)], zero)[0]
    }
}

/// A cell of a field at computed coordinates. Points outside the domain, which are computed and not
/// stored, may compute any: those are clamped to the field.
fn read_at<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    shape: &Shape<'c, 'a>,
    view: &View<'c, 'a>,
    indices: &[Value<'c, 'a>],
) -> Value<'c, 'a> {
    let along = indices.iter().enumerate().map(|(position, index)| {
        let d = dimension_of_three(indices.len(), position);
        let index = shape.clamped(at, *index, view.ends(d));
        shape.times(at, shape.minus(at, index, &view.lower[d]), &view.strides[d])
    });
    let place = along.reduce(|one, two| arith::addi(at, one, two));
    let place = place.expect("an access has at least one index");
    at.value(memref::LOAD, &[view.buffer, place], &[], view.element)
}

/// The place of operations that do not depend on the point.
pub struct Nowhere;

impl<'c: 'a, 'a> Place<'c, 'a> for Nowhere {
    fn access(&self, _: AccessOp<'c, 'a>, _: Inserter<'c, 'a>) -> PassResult<Value<'c, 'a>> {
        unreachable!("the verifier checked that accesses are at a point")
    }

    fn dynamic_access(
        &self,
        _: DynAccessOp<'c, 'a>,
        _: &[Value<'c, 'a>],
        _: Inserter<'c, 'a>,
    ) -> PassResult<Value<'c, 'a>> {
        unreachable!("the verifier checked that accesses are at a point")
    }

    fn coordinate(&self, _: IndexOp<'c, 'a>, _: Inserter<'c, 'a>) -> PassResult<Value<'c, 'a>> {
        unreachable!("the verifier checked that coordinates are those of a point")
    }
}
