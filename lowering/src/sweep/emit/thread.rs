//! Coordinates of a thread.

use super::{block::Place, view::View};
use crate::{builders, gpu::size::Size, sweep::shape::Shape};
use melior::ir::Value;
use stencil_dialects::{
    build::Inserter,
    ods::{arith, gpu},
};
use stencil_model::sweep::{Reach, tiling::LANES};

/// The coordinates of a thread.
pub struct Thread<'c, 'a> {
    /// Coordinate of the first row of its register tile.
    pub row: Value<'c, 'a>,
    /// Coordinate of the first column.
    pub column: Value<'c, 'a>,
    /// Coordinate of the first row of the tile.
    pub first_row: Value<'c, 'a>,
    /// Coordinate of the first column of the tile.
    pub first_column: Value<'c, 'a>,
    /// First plane that the chunk stores.
    pub first: Value<'c, 'a>,
    /// One past the last.
    pub end: Value<'c, 'a>,
    /// Plane that arrives first.
    pub arrival: Value<'c, 'a>,
    /// Lane in the warp; with several lines an iteration, the thread's number in its line.
    pub lane: Value<'c, 'a>,
    /// Warp in the block, or line in the iteration.
    pub warp: Value<'c, 'a>,
    /// Whether there is a tile for the thread's warp; none where that is certain.
    pub has_tile: Option<Value<'c, 'a>>,
}

impl<'c: 'a, 'a> Thread<'c, 'a> {
    /// Computes the coordinates from thread and block ids.
    pub fn new(at: Inserter<'c, 'a>, shape: &Shape<'c, 'a>) -> Self {
        let tiling = &shape.tiling;
        let number = |value: i64| at.integer(shape.number, value);
        let id = |axis| builders::id(at, shape.number, gpu::THREAD_ID, axis);
        let (lane, warp) = match (shape.rank, tiling.warps) {
            (3, _) => (id("x"), id("y")),
            _ if tiling.takes_lines() => (id("x"), id("y")),
            (_, 1) => (id("x"), number(0)),
            _ => {
                let (thread, lanes) = (id("x"), number(LANES));
                let lane = arith::remui(at, thread, lanes);
                (lane, arith::divui(at, thread, lanes))
            }
        };
        let block = builders::id(at, shape.number, gpu::BLOCK_ID, "x");
        let (chunk, has_tile) = match tiling.tiles_of_block() {
            1 => (block, None),
            together => {
                let first = builders::times(at, block, together);
                let chunk = arith::addi(at, first, builders::from_first_lane(at, warp));
                (chunk, shape.counts.has(at, chunk, together))
            }
        };
        let tile = Place::of(at, shape, chunk);
        let begin = builders::times(at, tile.x, tiling.column.points);
        let first_column = builders::plus(at, begin, tiling.column.origin);
        let column = arith::addi(at, first_column, builders::times(at, lane, tiling.columns));
        let (first_row, row) = match shape.rank {
            3 => {
                let begin = builders::times(at, tile.y, tiling.row.points);
                let begin = builders::plus(at, begin, tiling.row.origin);
                let own = builders::times(at, warp, tiling.rows);
                (begin, arith::addi(at, begin, own))
            }
            _ => (number(0), number(0)),
        };
        let streamed = &tiling.streamed;
        let (first, end) = tile.planes(at, shape);
        let arrival = builders::plus(at, first, -streamed.warm_up());
        Self { row, column, first_row, first_column, first, end, arrival, lane, warp, has_tile }
    }

    /// The thread's number in the block.
    pub fn number(&self, at: Inserter<'c, 'a>, shape: &Shape<'c, 'a>) -> Value<'c, 'a> {
        let first = builders::times(at, self.warp, shape.tiling.lanes);
        arith::addi(at, first, self.lane)
    }

    /// The thread's plane among those of an iteration, of which the first is given.
    pub fn plane(
        &self,
        at: Inserter<'c, 'a>,
        shape: &Shape<'c, 'a>,
        first: Value<'c, 'a>,
    ) -> Value<'c, 'a> {
        match shape.tiling.takes_lines() {
            true => arith::addi(at, first, self.warp),
            false => first,
        }
    }

    /// The coordinate of a row of the register tile, clamped to a field.
    pub fn row_in(
        &self,
        at: Inserter<'c, 'a>,
        shape: &Shape<'c, 'a>,
        view: &View<'c, 'a>,
        row: i64,
    ) -> Value<'c, 'a> {
        let row = builders::plus(at, self.row, row);
        match shape.rank {
            3 if shape.periodic[1] => wrapped(at, shape, row, 1),
            3 => shape.clamped(at, row, view.ends(1)),
            _ => row,
        }
    }

    /// Whether the tile, and so many rows and columns around it, lie inside the domain, laterally.
    /// All threads of the tile take the same branch.
    pub fn is_inside(
        &self,
        at: Inserter<'c, 'a>,
        shape: &Shape<'c, 'a>,
        [rows, columns]: [Reach; 2],
    ) -> Value<'c, 'a> {
        let tiling = &shape.tiling;
        let fits = |begin: Value<'c, 'a>, d: usize, cells: i64, around: Reach| {
            let begin = builders::plus(at, begin, -i64::from(around.behind));
            let cells = cells + i64::from(around.span());
            shape.fits_between(at, begin, (d, cells), (shape.common.0[d], shape.common.1[d]))
        };
        let inside = fits(self.first_column, 2, tiling.column.cells, columns);
        match shape.rank {
            3 => builders::both(at, inside, fits(self.first_row, 1, tiling.row.cells, rows)),
            _ => inside,
        }
    }
}

/// A coordinate along a periodic dimension, moved into the domain by whole extents.
pub fn wrapped<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    shape: &Shape<'c, 'a>,
    value: Value<'c, 'a>,
    d: usize,
) -> Value<'c, 'a> {
    let (lower, extent) = (shape.lower[d], shape.extent(d));
    // Tiles and chunks begin less than their own size before the domain.
    let rounds = &extent * &Size::from(shape.rounds(d));
    let counted = shape.plus(at, value, &(rounds - Size::from(lower)));
    let extent = shape.value(at, melior::ir::ValueLike::r#type(&value), &extent);
    builders::plus(at, arith::remui(at, counted, extent), lower)
}
