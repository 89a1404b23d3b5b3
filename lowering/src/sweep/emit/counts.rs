//! How many tiles and chunks a launch has.
//!
//! Where extents are constants so are these numbers. Where they are given at run time the host
//! computes them once, in scalar ops of the manifest, and the kernel takes them as arguments.
//!
//! The chunks for other extents than the reference are those that keep the number of blocks: a plan
//! has as many as fill the chip at the reference. With the reference's `chunks` of tiles inside and
//! `edge_chunks` of tiles at the ends, and tiles weighed by them, a launch of `weight` instead of
//! the reference's has `chunks * reference / weight`, at least one, and never chunks that are
//! shorter than what they compute twice.

use super::count::Count::{self, Fixed, Given};
use crate::{builders, gpu::size::Size, sweep::shape::Shape};
use melior::ir::{Type, Value, ValueLike};
use stencil_dialects::{
    build::{Compare, Inserter},
    ods::arith,
};
use stencil_faults::{Fault, one_if};
use stencil_model::sweep::tiling::{Lateral, Tiling};

/// Chunks of planes.
#[derive(Clone, Copy)]
pub struct Chunks<'c, 'a> {
    /// How many.
    pub count: Count<'c, 'a>,
    /// Planes of each; the last may have fewer.
    pub planes: Count<'c, 'a>,
}

/// The numbers of a launch.
#[derive(Clone, Copy)]
pub struct Counts<'c, 'a> {
    /// Tiles along rows of a plane's columns, and along its rows.
    tiles: [Count<'c, 'a>; 2],
    /// Tiles along the fastest dimension.
    pub columns: Count<'c, 'a>,
    /// Tiles along the next.
    pub rows: Count<'c, 'a>,
    /// Tiles of a plane at the ends of the domain, laterally.
    pub edges: Count<'c, 'a>,
    /// The others.
    pub others: Count<'c, 'a>,
    /// Chunks of the others.
    pub inside: Chunks<'c, 'a>,
    /// Chunks of tiles at the ends.
    pub at_edges: Chunks<'c, 'a>,
    /// The first plane of the first chunk, and one past the last of the last, where they are not
    /// those of the domain.
    pub range: Option<[Value<'c, 'a>; 2]>,
}

impl<'c: 'a, 'a> Counts<'c, 'a> {
    /// Those of a tiling.
    pub fn fixed(tiling: &Tiling) -> Self {
        let streamed = &tiling.streamed;
        let chunks = |count, planes| Chunks { count: Fixed(count), planes: Fixed(planes) };
        Self {
            tiles: [Fixed(tiling.row.tiles), Fixed(tiling.column.tiles)],
            columns: Fixed(tiling.column.tiles),
            rows: Fixed(tiling.row.tiles),
            edges: Fixed(tiling.edges()),
            others: Fixed(tiling.inside()),
            inside: chunks(streamed.chunks, streamed.chunk),
            at_edges: chunks(streamed.edge_chunks, streamed.edge_chunk),
            range: None,
        }
    }

    /// The same chunks of other planes: the first one, one past the last, and how many there are in
    /// chunks inside and at the ends.
    pub fn in_range(self, [first, end, inside, at_edges]: [Value<'c, 'a>; 4]) -> Self {
        let chunks = |chunks: Chunks<'c, 'a>, planes| Chunks { planes: Given(planes), ..chunks };
        Self {
            inside: chunks(self.inside, inside),
            at_edges: chunks(self.at_edges, at_edges),
            range: Some([first, end]),
            ..self
        }
    }

    /// The same with other tiles.
    fn with_tiles(self, at: Inserter<'c, 'a>, rank: usize, tiles: [Count<'c, 'a>; 2]) -> Self {
        if tiles.iter().all(|tiles| tiles.constant().is_some()) {
            return self;
        }
        let [rows, columns] = tiles;
        let inside = |tiles: Count<'c, 'a>| tiles.plus(at, -2).at_least(at, 0);
        let others = match rank {
            3 => inside(columns).times(at, inside(rows)),
            _ => inside(columns),
        };
        let all = columns.times(at, rows);
        let edges = match (all, others) {
            (Fixed(all), Fixed(others)) => Fixed(all - others),
            (Given(all), others) => Given(others.subtract_from(at, all)),
            (all, Given(others)) => {
                let all = all.value(at, others.r#type());
                Given(arith::subi(at, all, others))
            }
        };
        Self { tiles, columns, rows, edges, others, ..self }
    }

    /// The numbers for the extents of a launch, as values of the host.
    pub fn on_host(at: Inserter<'c, 'a>, shape: &Shape<'c, 'a>, extents: &[Value<'c, 'a>]) -> Self {
        let (tiling, streamed) = (&shape.tiling, &shape.tiling.streamed);
        let index = Type::index(at.context());
        let number = |size: &Size| match size.constant() {
            Some(number) => Fixed(number),
            None => Given(size.emit(at, index, extents)),
        };
        let tiles = |d: usize, axis: &Lateral| {
            let left = shape.size(d, shape.upper[d]) - Size::from(axis.origin + axis.last);
            match number(&left) {
                Fixed(_) => Fixed(axis.tiles),
                left => {
                    let last = 1 - one_if(Fault::TileCount);
                    left.at_least(at, 0).over_up(at, Fixed(axis.points)).plus(at, last)
                }
            }
        };
        let fixed = Self::fixed(tiling);
        let own =
            fixed.with_tiles(at, tiling.rank, [tiles(1, &tiling.row), tiles(2, &tiling.column)]);
        let planes = number(&shape.extent(0));
        let is_fixed = own.edges.constant().and(planes.constant()).is_some();
        if tiling.rank == 1 || is_fixed {
            return own;
        }
        let at_reference = tiling.chunks();
        let weight = own.others.times(at, fixed.inside.count);
        let weight = weight.and(at, own.edges.times(at, fixed.at_edges.count));
        let overlap = (streamed.warm_up() + streamed.delay()).max(1);
        let chunks = |of_plan: i64, length: i64| {
            let wanted = Fixed(of_plan * at_reference).over(at, weight).at_least(at, 1);
            let most = planes.over_up(at, Fixed(length.min(overlap)));
            let length = planes.over_up(at, wanted.at_most(at, most));
            Chunks { count: planes.over_up(at, length), planes: length }
        };
        let inside = chunks(streamed.chunks, streamed.chunk);
        let at_edges = match streamed.edge_chunks == streamed.chunks {
            true => inside,
            false => chunks(streamed.edge_chunks, streamed.edge_chunk),
        };
        Self { inside, at_edges, ..own }
    }

    /// Chunks of all tiles.
    pub fn chunks(&self, at: Inserter<'c, 'a>) -> Count<'c, 'a> {
        let edges = self.edges.times(at, self.at_edges.count);
        edges.and(at, self.others.times(at, self.inside.count))
    }

    /// Whether there is a chunk of a number, of which blocks have so many; none if all have.
    pub fn has(
        &self,
        at: Inserter<'c, 'a>,
        number: Value<'c, 'a>,
        together: i64,
    ) -> Option<Value<'c, 'a>> {
        let chunks = self.chunks(at);
        let all_have = chunks.constant().is_some_and(|chunks| chunks % together == 0);
        let chunks = chunks.value(at, number.r#type());
        (!all_have).then(|| at.compare(Compare::Less, number, chunks))
    }

    /// Blocks of the launch.
    pub fn blocks(&self, at: Inserter<'c, 'a>, tiling: &Tiling) -> Count<'c, 'a> {
        self.chunks(at).over_up(at, Fixed(tiling.tiles_of_block()))
    }

    /// What the kernel is given of it; the others follow.
    fn numbers(&self) -> [Count<'c, 'a>; 6] {
        let (inside, at_edges) = (&self.inside, &self.at_edges);
        let [rows, columns] = self.tiles;
        [rows, columns, inside.count, inside.planes, at_edges.count, at_edges.planes]
    }

    /// Values of the host for the parameters of the kernel.
    pub fn arguments(&self) -> Vec<Value<'c, 'a>> {
        self.numbers().into_iter().filter_map(Count::given).collect()
    }

    /// The same in the kernel, from its parameters.
    pub fn in_kernel(
        &self,
        at: Inserter<'c, 'a>,
        shape: &Shape<'c, 'a>,
        parameters: impl Iterator<Item = Value<'c, 'a>>,
    ) -> Self {
        let mut parameters = parameters;
        let numbers = self.numbers().map(|count| match count {
            Fixed(number) => Fixed(number),
            Given(_) => {
                let given = parameters.next().expect("each number that is given is a parameter");
                Given(builders::cast(at, shape.number, given))
            }
        });
        let [rows, columns, count, planes, of_edges, planes_of_edges] = numbers;
        Self {
            inside: Chunks { count, planes },
            at_edges: Chunks { count: of_edges, planes: planes_of_edges },
            ..Self::fixed(&shape.tiling).with_tiles(at, shape.rank, [rows, columns])
        }
    }

    /// The coordinate of the first cell of the last tile along rows (0) or columns (1) of a plane.
    pub fn last_tile(&self, along: usize, at: Inserter<'c, 'a>, axis: &Lateral) -> Count<'c, 'a> {
        let before = self.tiles[along].plus(at, -1).times(at, Fixed(axis.points));
        before.plus(at, axis.origin)
    }
}
