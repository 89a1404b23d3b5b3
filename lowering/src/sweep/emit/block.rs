//! The tile and the chunk of planes of a block.
//!
//! Blocks of edge tiles (tiles at the ends of the domain) take longest: they have the lowest
//! numbers, so that none of them finishes last, and may have shorter chunks. Of each kind all tiles
//! of one chunk are consecutive, so that neighbours run together; the last and the first chunk come
//! first.

use crate::{builders, sweep::shape::Shape};
use melior::ir::Value;
use stencil_dialects::{
    build::{Compare, Inserter},
    ods::{arith, gpu},
};

/// The tile and the chunk of a block.
pub struct Place<'c, 'a> {
    /// Tile along a row, counted in blocks.
    pub x: Value<'c, 'a>,
    /// Tile along a column.
    pub y: Value<'c, 'a>,
    /// Number of the chunk.
    chunk: Value<'c, 'a>,
    /// Planes of a chunk.
    length: Value<'c, 'a>,
}

impl<'c: 'a, 'a> Place<'c, 'a> {
    /// From the block's number.
    pub fn of(at: Inserter<'c, 'a>, shape: &Shape<'c, 'a>) -> Self {
        let (tiling, streamed) = (&shape.tiling, &shape.tiling.streamed);
        let block = builders::id(at, shape.number, gpu::BLOCK_ID, "x");
        let columns = tiling.tiles_along_x();
        let (edges, others) = (tiling.edges(), tiling.inside());
        let of_edges = edges * streamed.edge_chunks;
        let edge = |at| {
            let (round, tile) = divided(at, block, edges);
            let (x, y) = match others == 0 {
                true => across(at, tile, columns, [0, 0]),
                false => at_end(at, shape, tile),
            };
            Self::of_chunk(at, shape, (x, y), round, [streamed.edge_chunks, streamed.edge_chunk])
        };
        if others == 0 {
            return edge(at);
        }
        let begin = if shape.rank == 3 { [1, 1] } else { [1, 0] };
        let (round, tile) = divided(at, builders::plus(at, block, -of_edges), others);
        let inside = across(at, tile, columns - 2, begin);
        let inside = Self::of_chunk(at, shape, inside, round, [streamed.chunks, streamed.chunk]);
        let is_edge = at.compare(Compare::Less, block, at.integer(shape.number, of_edges));
        let edge = edge(at);
        let choose = |one, two| arith::select(at, is_edge, one, two);
        Place {
            x: choose(edge.x, inside.x),
            y: choose(edge.y, inside.y),
            chunk: choose(edge.chunk, inside.chunk),
            length: choose(edge.length, inside.length),
        }
    }

    fn of_chunk(
        at: Inserter<'c, 'a>,
        shape: &Shape<'c, 'a>,
        (x, y): (Value<'c, 'a>, Value<'c, 'a>),
        round: Value<'c, 'a>,
        [chunks, length]: [i64; 2],
    ) -> Self {
        let (_, chunk) = divided(at, builders::plus(at, round, chunks - 1), chunks);
        Place { x, y, chunk, length: at.integer(shape.number, length) }
    }

    /// The first plane of the chunk, and one past the last.
    pub fn planes(
        &self,
        at: Inserter<'c, 'a>,
        shape: &Shape<'c, 'a>,
    ) -> (Value<'c, 'a>, Value<'c, 'a>) {
        let streamed = &shape.tiling.streamed;
        let number = |value: i64| at.integer(shape.number, value);
        if streamed.chunks == 1 && streamed.edge_chunks == 1 {
            return (number(streamed.lower), number(streamed.upper));
        }
        let begin = arith::muli(at, self.chunk, self.length);
        let first = builders::plus(at, begin, streamed.lower);
        let end = arith::addi(at, first, self.length);
        (first, arith::minsi(at, end, number(streamed.upper)))
    }
}

/// An edge tile: in three dimensions those of the first and the last row, then the others.
fn at_end<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    shape: &Shape<'c, 'a>,
    tile: Value<'c, 'a>,
) -> (Value<'c, 'a>, Value<'c, 'a>) {
    let [columns, rows] = [shape.tiling.tiles_along_x(), shape.tiling.row.tiles];
    if shape.rank < 3 {
        return (builders::times(at, tile, columns - 1), at.integer(shape.number, 0));
    }
    let (row, column) = divided(at, tile, columns);
    let (between, side) = divided(at, builders::plus(at, tile, -2 * columns), 2);
    let is_row = at.compare(Compare::Less, tile, at.integer(shape.number, 2 * columns));
    let choose = |one, two| arith::select(at, is_row, one, two);
    let x = choose(column, builders::times(at, side, columns - 1));
    (x, choose(builders::times(at, row, rows - 1), builders::plus(at, between, 1)))
}

/// A tile of a rectangle with so many columns, whose first tile is given.
fn across<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    tile: Value<'c, 'a>,
    columns: i64,
    [x, y]: [i64; 2],
) -> (Value<'c, 'a>, Value<'c, 'a>) {
    let (row, column) = divided(at, tile, columns);
    (builders::plus(at, column, x), builders::plus(at, row, y))
}

/// Quotient and remainder by a constant.
fn divided<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    value: Value<'c, 'a>,
    by: i64,
) -> (Value<'c, 'a>, Value<'c, 'a>) {
    let by = at.integer(melior::ir::ValueLike::r#type(&value), by);
    (arith::divui(at, value, by), arith::remui(at, value, by))
}
