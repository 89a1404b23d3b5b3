//! The cells of a thread in one version of the code: their addresses, loads and stores.
//!
//! A tile inside the domain needs no bounds checks. At the edges, cells beyond the halo are
//! computed from arbitrary values and never used, but must not be loaded out of bounds; the values
//! of halo cells come from [`super::edge`].

use super::{
    position::{Cell, Lateral, cells_of},
    thread::{self, Thread},
    view::View,
};
use crate::{builders, gpu::size::Size, sweep::shape::Shape};
use melior::ir::Value;
use stencil_dialects::{
    build::{Compare, Inserter},
    ods::arith,
};
use stencil_model::sweep::tiling;

pub use super::position::Domain;

/// Preconditions of a version of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Certainty {
    /// Every cell of the tile lies in the domain, laterally.
    pub lateral: bool,
    /// Every plane that arrives lies in the domain.
    pub planes: bool,
}

/// The cells of a thread in one version of the code.
#[derive(Clone)]
pub struct Cells<'c, 'a, 'k> {
    pub(super) shape: &'k Shape<'c, 'a>,
    pub(super) thread: &'k Thread<'c, 'a>,
    /// What is known of them.
    pub certainty: Certainty,
    pub(super) lateral: Lateral<'c, 'a>,
    /// Domains of single statements, and where the cells lie to them; none for tiles that lie in
    /// all of them.
    pub(super) domains: Vec<(Domain, Vec<Cell<'c, 'a>>)>,
    pub(super) bytes: i64,
}

impl<'c: 'a, 'a, 'k> Cells<'c, 'a, 'k> {
    /// The cells of a version of the code, for planes anywhere.
    pub fn new(
        shape: &'k Shape<'c, 'a>,
        thread: &'k Thread<'c, 'a>,
        lateral: Lateral<'c, 'a>,
    ) -> Self {
        let bytes = shape.bytes();
        let is_inside = matches!(lateral, Lateral::Inside);
        let certainty = Certainty { lateral: is_inside, planes: shape.rank == 1 };
        Self { shape, thread, certainty, lateral, domains: Vec::new(), bytes }
    }

    /// The same for a kernel some of whose statements have domains of their own.
    pub fn with_domains(self, at: Inserter<'c, 'a>, domains: &[Domain]) -> Self {
        if self.certainty.lateral {
            return self;
        }
        let cells = |domain: &Domain| cells_of(at, self.shape, self.thread, domain);
        let domains = domains.iter().map(|domain| (*domain, cells(domain))).collect();
        Self { domains, ..self }
    }

    /// Where the cells lie to the domain of a statement.
    pub(super) fn to_domain(&self, domain: &Domain) -> Option<&[Cell<'c, 'a>]> {
        let known = self.domains.iter().find(|(known, _)| known == domain);
        known.map(|(_, cells)| &cells[..])
    }

    /// Columns of a vector access: cells at the end of a periodic grid follow from its other end.
    fn vector(&self) -> i64 {
        match !self.certainty.lateral && self.shape.periodic[2] {
            true => 1,
            false => self.shape.vector,
        }
    }

    /// A coordinate, moved into a field, or along a periodic dimension into the domain.
    pub(super) fn moved(
        &self,
        at: Inserter<'c, 'a>,
        value: Value<'c, 'a>,
        d: usize,
        ends: (&Size, &Size),
    ) -> Value<'c, 'a> {
        match self.shape.periodic[d] {
            true => thread::wrapped(at, self.shape, value, d),
            false => self.shape.clamped(at, value, ends),
        }
    }

    /// The same where all planes lie in the domain.
    pub fn with_certain_planes(&self) -> Self {
        let certainty = Certainty { planes: true, ..self.certainty };
        Self { certainty, ..self.clone() }
    }

    /// Bytes of a value.
    pub fn bytes(&self) -> i64 {
        self.bytes
    }

    /// The element of a cell of the register tile in memory, its plane given, as an index.
    pub(super) fn place(
        &self,
        at: Inserter<'c, 'a>,
        view: &View<'c, 'a>,
        plane: Value<'c, 'a>,
        row: Value<'c, 'a>,
        column: Value<'c, 'a>,
    ) -> Value<'c, 'a> {
        let mut place = column;
        for (value, d) in [(row, 1), (plane, 0)] {
            if view.strides[d].constant() != Some(0) {
                let along = self.shape.times(at, value, &view.strides[d]);
                place = arith::addi(at, place, along);
            }
        }
        let corner = view.corner();
        match corner.constant() {
            // Constants are added after the cast: they become address immediates.
            Some(corner) => builders::plus(at, builders::index(at, place), -corner),
            // Before it the number is the element, which fits; and it is the same in all planes.
            None => builders::index(at, self.shape.minus(at, place, &corner)),
        }
    }

    /// The place of the register tile's first cell; the others follow at constant distances.
    pub(super) fn first_place(
        &self,
        at: Inserter<'c, 'a>,
        view: &View<'c, 'a>,
        plane: Value<'c, 'a>,
    ) -> Value<'c, 'a> {
        self.place(at, view, plane, self.thread.row, self.thread.column)
    }

    /// The place of a cell of the register tile, from that of the first.
    pub(super) fn at_distance(
        &self,
        at: Inserter<'c, 'a>,
        view: &View<'c, 'a>,
        (first, cell): (Value<'c, 'a>, i64),
    ) -> Value<'c, 'a> {
        let columns = self.shape.tiling.columns;
        let [row, column] = [cell / columns, cell % columns];
        self.moved_by(at, view, first, [row, column])
    }

    /// A place so many rows and columns from another.
    pub(super) fn moved_by(
        &self,
        at: Inserter<'c, 'a>,
        view: &View<'c, 'a>,
        place: Value<'c, 'a>,
        [rows, columns]: [i64; 2],
    ) -> Value<'c, 'a> {
        let rows = &view.strides[1] * &Size::from(rows);
        match rows.constant() {
            Some(rows) => builders::plus(at, place, rows + columns),
            // Columns come last: they become address immediates.
            None => builders::plus(at, self.shape.plus(at, place, &rows), columns),
        }
    }

    /// Elements of the vectors of cells to load, clamped to the buffer; `certain`: the plane lies
    /// in it.
    pub fn places_to_read(
        &self,
        at: Inserter<'c, 'a>,
        view: &View<'c, 'a>,
        plane: Value<'c, 'a>,
        certain: bool,
    ) -> Vec<Value<'c, 'a>> {
        let (vector, columns) = (self.vector(), self.shape.tiling.columns);
        let plane = match certain {
            true => plane,
            false => self.moved(at, plane, 0, view.ends(0)),
        };
        let runs = (0..self.shape.register_tile_size()).step_by(vector as usize);
        if self.certainty.lateral {
            let first = self.first_place(at, view, plane);
            return runs.map(|cell| self.at_distance(at, view, (first, cell))).collect();
        }
        runs.map(|cell| {
            let row = self.thread.row_in(at, self.shape, view, cell / columns);
            let column = builders::plus(at, self.thread.column, cell % columns);
            let last = view.upper[2].clone() - Size::from(vector - 1);
            let column = self.moved(at, column, 2, (&view.lower[2], &last));
            self.place(at, view, plane, row, column)
        })
        .collect()
    }

    /// The register tile of a plane of a field, which if not `certain` may lie outside; cells
    /// outside the field are arbitrary.
    pub fn load(
        &self,
        at: Inserter<'c, 'a>,
        view: &View<'c, 'a>,
        plane: Value<'c, 'a>,
        certain: bool,
    ) -> Vec<Value<'c, 'a>> {
        let places = self.places_to_read(at, view, plane, certain);
        let read = |place: Value<'c, 'a>| {
            builders::load(at, view.buffer, place, (view.element, self.bytes, self.vector()))
        };
        places.into_iter().flat_map(read).collect()
    }

    /// Stores the valid cells of a register tile, if the plane belongs to the chunk.
    pub fn store(
        &self,
        at: Inserter<'c, 'a>,
        view: &View<'c, 'a>,
        plane: Value<'c, 'a>,
        (mask, domain): (&Mask<'c, 'a>, Option<&Domain>),
        register_tile: &[Value<'c, 'a>],
    ) {
        let mut belongs = self.belongs(at, plane);
        if let Some((lower, upper)) = domain {
            let inside = self.shape.between(at, plane, 0, (lower[0], upper[0]));
            belongs = builders::both(at, belongs, inside);
        }
        let own = domain.and_then(|domain| self.to_domain(domain));
        let vector = if self.certainty.lateral { self.shape.vector } else { 1 };
        builders::when(at, belongs, |at| {
            let first = self.first_place(at, view, plane);
            for (number, values) in register_tile.chunks(vector as usize).enumerate() {
                let cell = number as i64 * vector;
                let mut stored = mask.cells[cell as usize];
                if let Some(own) = own {
                    stored = builders::both(at, stored, own[cell as usize].inside);
                }
                builders::when(at, stored, |at| {
                    let place = self.at_distance(at, view, (first, cell));
                    builders::store(at, values, view.buffer, place, self.bytes);
                });
            }
        });
    }

    /// The register tile in a plane of memory that the kernel also writes: the cells that the
    /// thread will store, zeros elsewhere, where other threads may store.
    pub fn load_own(
        &self,
        at: Inserter<'c, 'a>,
        view: &View<'c, 'a>,
        plane: Value<'c, 'a>,
        mask: &Mask<'c, 'a>,
    ) -> Vec<Value<'c, 'a>> {
        let vector = if self.certainty.lateral { self.shape.vector } else { 1 };
        let zeros = |at: Inserter<'c, 'a>, count: i64| {
            vec![at.float(view.element, 0.0); usize::try_from(count).expect("a count")]
        };
        let types = vec![view.element; self.shape.register_tile_size() as usize];
        let load = |at: Inserter<'c, 'a>| {
            let first = self.first_place(at, view, plane);
            let runs = (0..self.shape.register_tile_size()).step_by(vector as usize).map(|cell| {
                let read = |at: Inserter<'c, 'a>| {
                    let place = self.at_distance(at, view, (first, cell));
                    builders::load(at, view.buffer, place, (view.element, self.bytes, vector))
                };
                let stored = mask.cells[cell as usize];
                builders::choose(at, stored, &types[..vector as usize], read, |at| {
                    zeros(at, vector)
                })
            });
            runs.flatten().collect()
        };
        let belongs = self.belongs(at, plane);
        builders::choose(at, belongs, &types, load, |at| zeros(at, self.shape.register_tile_size()))
    }

    /// Whether the thread stores a cell of its register tile, in a plane.
    pub fn stores(
        &self,
        at: Inserter<'c, 'a>,
        plane: Value<'c, 'a>,
        mask: &Mask<'c, 'a>,
        cell: i64,
    ) -> Value<'c, 'a> {
        builders::both(at, self.belongs(at, plane), mask.cells[cell as usize])
    }

    /// Whether a plane is one that the chunk stores.
    fn belongs(&self, at: Inserter<'c, 'a>, plane: Value<'c, 'a>) -> Value<'c, 'a> {
        let begin = arith::subi(at, plane, self.thread.first);
        let extent = arith::subi(at, self.thread.end, self.thread.first);
        at.compare(Compare::UnsignedLess, begin, extent)
    }

    /// Coordinates of a cell: its plane as given, row, column. With `inside`, moved into the
    /// domain.
    pub fn coordinate(
        &self,
        at: Inserter<'c, 'a>,
        plane: Value<'c, 'a>,
        cell: i64,
        d: usize,
        inside: bool,
    ) -> Value<'c, 'a> {
        let columns = self.shape.tiling.columns;
        let (value, certain) = match d {
            0 => (plane, false),
            1 => (builders::plus(at, self.thread.row, cell / columns), self.certainty.lateral),
            _ => (builders::plus(at, self.thread.column, cell % columns), self.certainty.lateral),
        };
        match inside && !certain {
            true => {
                let [lower, upper] =
                    [self.shape.lower[d], self.shape.upper[d]].map(|end| self.shape.size(d, end));
                self.moved(at, value, d, (&lower, &upper))
            }
            false => value,
        }
    }
}

/// Which cells of a register tile a thread stores.
pub struct Mask<'c, 'a> {
    cells: Vec<Value<'c, 'a>>,
}

impl<'c: 'a, 'a> Mask<'c, 'a> {
    /// The valid cells of the tile inside the domain.
    pub fn new(at: Inserter<'c, 'a>, cells: &Cells<'c, 'a, '_>) -> Self {
        let (shape, thread) = (cells.shape, cells.thread);
        let tiling = &shape.tiling;
        // Counted from the tile's first cell.
        let row = builders::times(at, thread.warp, tiling.rows);
        let column = builders::times(at, thread.lane, tiling.columns);
        let first_column = arith::subi(at, thread.column, column);
        let in_row = Given::of(at, cells, (1, &tiling.column), first_column);
        let in_column = Given::of(at, cells, (0, &tiling.row), thread.first_row);
        let mut mask = Vec::new();
        for cell in 0..shape.register_tile_size() {
            let mut stored = in_row.has(at, builders::plus(at, column, cell % tiling.columns));
            if shape.rank == 3 {
                let own = builders::plus(at, row, cell / tiling.columns);
                stored = builders::both(at, stored, in_column.has(at, own));
            }
            if !cells.certainty.lateral {
                for d in (3 - shape.rank.min(2))..3 {
                    let place = cells.coordinate(at, thread.first, cell, d, false);
                    let inside = shape.between(at, place, d, (shape.lower[d], shape.upper[d]));
                    stored = builders::both(at, stored, inside);
                }
            }
            mask.push(stored);
        }
        Self { cells: mask }
    }
}

/// The valid cells of a tile along one dimension.
enum Given<'c, 'a> {
    /// Without the invalid cells at both ends: the first, and one past the last.
    Between(i64, i64),
    /// The same, extended at an end of the domain: the first, and their number.
    AtEnd(Value<'c, 'a>, Value<'c, 'a>),
}

impl<'c: 'a, 'a> Given<'c, 'a> {
    /// Of the tile that begins at a coordinate.
    fn of(
        at: Inserter<'c, 'a>,
        cells: &Cells<'c, 'a, '_>,
        (along, axis): (usize, &tiling::Lateral),
        begin: Value<'c, 'a>,
    ) -> Self {
        if cells.certainty.lateral {
            return Self::Between(axis.trim, axis.trim + axis.points);
        }
        let number = |value: i64| at.integer(cells.shape.number, value);
        let choose = |condition: Value<'c, 'a>, one: Value<'c, 'a>, two: Value<'c, 'a>| {
            arith::select(at, condition, one, two)
        };
        let last = cells.shape.counts.last_tile(along, at, axis).value(at, cells.shape.number);
        let is_first = at.compare(Compare::Equal, begin, number(axis.origin));
        let first = choose(is_first, number(0), number(axis.trim));
        let is_before = at.compare(Compare::Less, begin, last);
        let end = choose(is_before, number(axis.trim + axis.points), number(axis.last));
        // Warps beyond the last tile have no valid cells.
        let is_behind = at.compare(Compare::Less, last, begin);
        let end = choose(is_behind, first, end);
        Self::AtEnd(first, arith::subi(at, end, first))
    }

    /// Whether a cell of the tile is among them.
    fn has(&self, at: Inserter<'c, 'a>, cell: Value<'c, 'a>) -> Value<'c, 'a> {
        match self {
            Self::Between(first, end) => builders::within(at, cell, *first, *end),
            Self::AtEnd(first, count) => {
                let distance = arith::subi(at, cell, *first);
                at.compare(Compare::UnsignedLess, distance, *count)
            }
        }
    }
}
