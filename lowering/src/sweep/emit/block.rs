//! The tile and the chunk of planes of a block, or of each warp where tiles are theirs.
//!
//! Edge tiles (tiles at the ends of the domain) take longest: their chunks have the lowest numbers,
//! so that none of them finishes last, and may be shorter. Of each kind all tiles of one chunk are
//! consecutive, so that neighbours run together; the last and the first chunk come first. Warps
//! with tiles of their own are numbered, not blocks: a block of consecutive warps has neighbours,
//! whose cells are in one L1 cache, and few blocks have an edge, for which all of a block's warps
//! would be slow.

use super::{
    count::Count::{self, Fixed, Given},
    counts::Chunks,
};
use crate::{builders, sweep::shape::Shape};
use melior::ir::Value;
use stencil_dialects::{
    build::{Compare, Inserter},
    ods::arith,
};

/// A tile and a chunk of it.
pub struct Place<'c, 'a> {
    /// Tile along a row.
    pub x: Value<'c, 'a>,
    /// Tile along a column.
    pub y: Value<'c, 'a>,
    /// Number of the chunk.
    chunk: Value<'c, 'a>,
    /// Planes of a chunk.
    length: Value<'c, 'a>,
}

impl<'c: 'a, 'a> Place<'c, 'a> {
    /// From the number of a tile's chunk among those of all tiles.
    pub fn of(at: Inserter<'c, 'a>, shape: &Shape<'c, 'a>, number: Value<'c, 'a>) -> Self {
        let counts = &shape.counts;
        let edge = |at| {
            let (round, tile) = counts.edges.divide(at, number);
            let (x, y) = match counts.others {
                Fixed(0) => across(at, tile, counts.columns, [0, 0]),
                _ => at_end(at, shape, tile),
            };
            Self::of_chunk(at, shape, (x, y), round, counts.at_edges)
        };
        if matches!(counts.others, Fixed(0)) {
            return edge(at);
        }
        let begin = if shape.rank == 3 { [1, 1] } else { [1, 0] };
        let of_edges = counts.edges.times(at, counts.at_edges.count);
        // Where extents are given there may be none.
        let some = |count: Count<'c, 'a>| match count {
            Fixed(_) => count,
            Given(_) => count.at_least(at, 1),
        };
        let (round, tile) = some(counts.others).divide(at, of_edges.subtract_from(at, number));
        let inside = across(at, tile, some(counts.columns.plus(at, -2)), begin);
        let inside = Self::of_chunk(at, shape, inside, round, counts.inside);
        let is_edge = at.compare(Compare::Less, number, of_edges.value(at, shape.number));
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
        chunks: Chunks<'c, 'a>,
    ) -> Self {
        let last = chunks.count.plus(at, -1);
        let counted = match last {
            Fixed(last) => builders::plus(at, round, last),
            Given(last) => arith::addi(at, round, last),
        };
        let (_, chunk) = chunks.count.divide(at, counted);
        Place { x, y, chunk, length: chunks.planes.value(at, shape.number) }
    }

    /// The first plane of the chunk, and one past the last.
    pub fn planes(
        &self,
        at: Inserter<'c, 'a>,
        shape: &Shape<'c, 'a>,
    ) -> (Value<'c, 'a>, Value<'c, 'a>) {
        let (lower, upper) = (shape.lower[0], shape.size(0, shape.upper[0]));
        let counts = &shape.counts;
        if let Some([begin, end]) = counts.range {
            let first = arith::addi(at, begin, arith::muli(at, self.chunk, self.length));
            // The last chunks may be empty.
            let first = arith::minsi(at, first, end);
            return (first, arith::minsi(at, end, arith::addi(at, first, self.length)));
        }
        if let (Fixed(1), Fixed(1)) = (counts.inside.count, counts.at_edges.count) {
            return (at.integer(shape.number, lower), shape.value(at, shape.number, &upper));
        }
        let begin = arith::muli(at, self.chunk, self.length);
        let first = builders::plus(at, begin, lower);
        let end = arith::addi(at, first, self.length);
        (first, arith::minsi(at, end, shape.value(at, shape.number, &upper)))
    }
}

/// An edge tile: in three dimensions those of the first and the last row, then the others.
fn at_end<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    shape: &Shape<'c, 'a>,
    tile: Value<'c, 'a>,
) -> (Value<'c, 'a>, Value<'c, 'a>) {
    let [columns, rows] = [shape.counts.columns, shape.counts.rows];
    let last_column = columns.plus(at, -1);
    if shape.rank < 3 {
        return (last_column.multiply(at, tile), at.integer(shape.number, 0));
    }
    let (row, column) = columns.divide(at, tile);
    let of_rows = columns.times(at, Fixed(2));
    // Where extents are given there may be a single column.
    let sides = match columns {
        Fixed(_) => Fixed(2),
        Given(_) => columns.at_most(at, Fixed(2)),
    };
    let (between, side) = sides.divide(at, of_rows.subtract_from(at, tile));
    let is_row = at.compare(Compare::Less, tile, of_rows.value(at, shape.number));
    let choose = |one, two| arith::select(at, is_row, one, two);
    let x = choose(column, last_column.multiply(at, side));
    (x, choose(rows.plus(at, -1).multiply(at, row), builders::plus(at, between, 1)))
}

/// A tile of a rectangle with so many columns, whose first tile is given.
fn across<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    tile: Value<'c, 'a>,
    columns: Count<'c, 'a>,
    [x, y]: [i64; 2],
) -> (Value<'c, 'a>, Value<'c, 'a>) {
    let (row, column) = columns.divide(at, tile);
    (builders::plus(at, column, x), builders::plus(at, row, y))
}
