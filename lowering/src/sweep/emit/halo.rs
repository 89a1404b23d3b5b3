//! Planes of fields in shared memory, with the cells around the tile that levels read.
//!
//! A buffer holds several planes, in turn. The threads of a block copy a plane together, row by row
//! and some cells at once, and read it after a barrier. Where a plane lies is counted as the kernel
//! runs, so that the loop need not be unrolled by the number of planes: one counter for all buffers
//! of as many planes.
//!
//! Cells outside of the domain may have the values of another field. In tiles inside of it there
//! are none; in others each cell is copied by itself, from where it has its value.

use super::{
    cells::Cells,
    copies,
    position::Domain,
    shared::{Buffer, Layout},
    thread::Thread,
    view::View,
};
use crate::{builders, gpu::size::Size, sweep::shape::Shape};
use melior::ir::{Type, Value, r#type::IntegerType};
use std::{cell::RefCell, collections::HashMap};
use stencil_dialects::{
    build::{self, Inserter},
    ods::{arith, gpu, scf},
    sweep::BufferKind,
};
use stencil_model::sweep::{
    Reach,
    halo::HaloLayout,
    tiling::{at_once, halves},
};

/// The buffers of a kernel, and the thread's places in them.
pub struct Halos<'c, 'a> {
    memory: Value<'c, 'a>,
    element: Type<'c>,
    bytes: i64,
    /// Type of counters.
    number: Type<'c>,
    /// Columns of a thread.
    columns: i64,
    /// Planes that buffers have, and elements of a plane, each pair once.
    cycles: Vec<(i64, i64)>,
    buffers: Vec<HaloBuffer<'c, 'a>>,
}

/// A buffer.
struct HaloBuffer<'c, 'a> {
    buffer: Buffer,
    layout: HaloLayout,
    /// The thread's first cell in a plane.
    own: Value<'c, 'a>,
}

/// A field that is copied: the plane, and what has the values outside of a domain.
pub struct Source<'k, 'c, 'a> {
    /// The field.
    pub view: &'k View<'c, 'a>,
    /// Its plane.
    pub plane: Value<'c, 'a>,
    /// Another field, and the domain.
    pub outside: Option<(&'k View<'c, 'a>, Domain)>,
}

impl<'c: 'a, 'a> Halos<'c, 'a> {
    /// Computes the thread's places; none if the kernel has no such buffer.
    pub fn new(
        at: Inserter<'c, 'a>,
        shape: &Shape<'c, 'a>,
        thread: &Thread<'c, 'a>,
        (layout, memory): (&Layout, Option<Value<'c, 'a>>),
    ) -> Option<Self> {
        let buffers = layout.buffers.iter().map(|(_, buffer)| buffer);
        let buffers = buffers.filter(|buffer| buffer.kind == BufferKind::Halo);
        let cycles = buffers.clone().map(|buffer| (buffer.copies, buffer.elements));
        let mut cycles = cycles.collect::<Vec<_>>();
        cycles.sort_unstable();
        cycles.dedup();
        let tiling = &shape.tiling;
        let places = buffers.map(|buffer| {
            let layout = layout_of(shape, buffer);
            let row = builders::times(at, thread.warp, tiling.rows);
            let row =
                builders::times(at, builders::plus(at, row, layout.rows_before), layout.columns);
            let column = builders::times(at, thread.lane, tiling.columns);
            let column = builders::plus(at, column, layout.columns_before);
            HaloBuffer { buffer: buffer.clone(), layout, own: arith::addi(at, row, column) }
        });
        let buffers = places.collect::<Vec<_>>();
        (!buffers.is_empty()).then(|| Self {
            memory: memory.expect("a halo lies in shared memory"),
            element: shape.element,
            bytes: shape.bytes(),
            number: shape.number,
            columns: tiling.columns,
            cycles,
            buffers,
        })
    }

    /// Clears all planes, so that no uninitialized element is read; all threads of the block
    /// execute this.
    pub fn clear(&self, at: Inserter<'c, 'a>, shape: &Shape<'c, 'a>, thread: &Thread<'c, 'a>) {
        let unit = at_once(self.columns, self.bytes);
        let zeros = vec![at.float(self.element, 0.0); unit as usize];
        let own = builders::times(at, thread.number(at, shape), unit);
        let step = at.integer(self.number, unit * shape.tiling.threads());
        for HaloBuffer { buffer, .. } in &self.buffers {
            let begin = builders::plus(at, own, buffer.begin);
            let end = buffer.begin + buffer.copies * buffer.elements;
            let region = build::region_with_block(&[self.number], at.location());
            let operands = [begin, at.integer(self.number, end), step];
            let made = at.create(scf::FOR, &operands, &[], &[], vec![region]);
            let block = build::block_of(made, 0);
            let inside = Inserter::at_end(block, at.location());
            let place = builders::index(inside, build::argument(block, 0));
            builders::store(inside, &zeros, self.memory, place, self.bytes);
            inside.create(scf::YIELD, &[], &[], &[], Vec::new());
        }
        gpu::barrier(at);
    }

    /// The counters of the first iteration.
    pub fn first(&self, at: Inserter<'c, 'a>) -> Vec<Value<'c, 'a>> {
        self.cycles.iter().map(|_| at.integer(self.number, 0)).collect()
    }

    /// The counters of the next iteration.
    pub fn next(&self, at: Inserter<'c, 'a>, counters: &[Value<'c, 'a>]) -> Vec<Value<'c, 'a>> {
        let cycles = self.cycles.iter().zip(counters);
        cycles.map(|(cycle, counter)| turned(at, *counter, 1, *cycle)).collect()
    }

    /// Whether a buffer is the first, with whose planes those of frames are copied.
    pub fn is_first(&self, buffer: &Buffer) -> bool {
        self.buffers[0].buffer.begin == buffer.begin
    }

    fn of(&self, buffer: &Buffer) -> &HaloBuffer<'c, 'a> {
        let known = self.buffers.iter().find(|known| known.buffer.begin == buffer.begin);
        known.expect("all allocations were laid out")
    }

    /// The first element of the plane that is the newest in so many iterations.
    fn plane(
        &self,
        at: Inserter<'c, 'a>,
        halo: &HaloBuffer<'c, 'a>,
        (counters, ahead): (&[Value<'c, 'a>], i64),
    ) -> Value<'c, 'a> {
        let own = (halo.buffer.copies, halo.buffer.elements);
        let cycle = self.cycles.iter().position(|known| *known == own);
        let counter = counters[cycle.expect("every kind of buffer has a counter")];
        builders::plus(at, turned(at, counter, ahead, own), halo.buffer.begin)
    }

    /// Starts to copy a plane, as one group, for an iteration so many ahead.
    pub fn copy(
        &self,
        at: Inserter<'c, 'a>,
        cells: &Cells<'c, 'a, '_>,
        source: &Source<'_, 'c, 'a>,
        (buffer, counters, ahead): (&Buffer, &[Value<'c, 'a>], i64),
    ) {
        let halo = self.of(buffer);
        let begin = self.plane(at, halo, (counters, ahead));
        let copy = PlaneCopy { halos: self, layout: &halo.layout, cells, source, begin };
        copy.emit(at);
    }

    /// A plane, by its age.
    pub fn age<'k>(
        &'k self,
        at: Inserter<'c, 'a>,
        (buffer, counters, age): (&Buffer, &[Value<'c, 'a>], i64),
    ) -> HaloPlane<'c, 'a, 'k> {
        let halo = self.of(buffer);
        let begin = self.plane(at, halo, (counters, -age));
        let own = arith::addi(at, begin, halo.own);
        let row = halo.layout.columns;
        let has_columns = halo.buffer.around[1] != Reach::symmetric(0);
        HaloPlane { halos: self, own, row, has_columns, loaded: RefCell::default() }
    }
}

/// The layout of a buffer.
pub fn layout_of(shape: &Shape, buffer: &Buffer) -> HaloLayout {
    HaloLayout::of(&shape.tiling, buffer.around, shape.bytes())
}

/// The first element of a plane, some iterations on, in a buffer of so many planes and elements of
/// each.
fn turned<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    counter: Value<'c, 'a>,
    distance: i64,
    (planes, elements): (i64, i64),
) -> Value<'c, 'a> {
    match distance.rem_euclid(planes) {
        0 => counter,
        more => {
            // In unsigned numbers the one that was not turned is the smaller one.
            let one = builders::plus(at, counter, more * elements);
            arith::minui(at, one, builders::plus(at, one, -planes * elements))
        }
    }
}

/// A plane in shared memory.
pub struct HaloPlane<'c, 'a, 'k> {
    halos: &'k Halos<'c, 'a>,
    /// Element of the thread's first cell.
    own: Value<'c, 'a>,
    /// Elements of a row.
    row: i64,
    /// Whether it has the columns around the tile.
    has_columns: bool,
    /// Cells that were loaded, by row and first column.
    loaded: RefCell<HashMap<(i64, i64), Vec<Value<'c, 'a>>>>,
}

impl<'c: 'a, 'a> HaloPlane<'c, 'a, '_> {
    /// Whether columns of other threads are read here, as far as levels read.
    pub fn has_columns(&self) -> bool {
        self.has_columns
    }

    /// The thread's columns in a row, counted from its first.
    pub fn load_row(&self, at: Inserter<'c, 'a>, row: i64) -> Vec<Value<'c, 'a>> {
        (0..self.halos.columns).map(|column| self.load_cell(at, row, column)).collect()
    }

    /// A cell, counted from the thread's first, with the others that are loaded at once.
    pub fn load_cell(&self, at: Inserter<'c, 'a>, row: i64, column: i64) -> Value<'c, 'a> {
        let halos = self.halos;
        let unit = at_once(halos.columns, halos.bytes);
        let first = column.div_euclid(unit) * unit;
        let mut loaded = self.loaded.borrow_mut();
        let values = loaded.entry((row, first)).or_insert_with(|| {
            let place = builders::plus(at, self.own, row * self.row + first);
            builders::load(at, halos.memory, place, (halos.element, halos.bytes, unit))
        });
        values[(column - first) as usize]
    }
}

/// The copy of a plane by all threads of a block.
struct PlaneCopy<'k, 'c, 'a> {
    halos: &'k Halos<'c, 'a>,
    layout: &'k HaloLayout,
    cells: &'k Cells<'c, 'a, 'k>,
    source: &'k Source<'k, 'c, 'a>,
    /// Its first element.
    begin: Value<'c, 'a>,
}

/// Cells that a thread copies at once.
struct Run<'c, 'a> {
    /// Coordinates of the first.
    row: Value<'c, 'a>,
    column: Value<'c, 'a>,
    /// Element where it goes.
    target: Value<'c, 'a>,
    /// Rows and columns from the first run of the thread.
    distance: [i64; 2],
}

impl<'c: 'a, 'a> PlaneCopy<'_, 'c, 'a> {
    fn emit(&self, at: Inserter<'c, 'a>) {
        let (shape, thread) = (self.cells.shape, self.cells.thread);
        let (layout, width) = (self.layout, self.width());
        let runs = layout.columns / width;
        // A warp copies several rows at once where one row leaves lanes over.
        let rows_at_once = match shape.tiling.lanes % runs {
            0 => shape.tiling.lanes / runs,
            _ => 1,
        };
        let lanes = shape.tiling.lanes / rows_at_once;
        let warps = shape.tiling.warps * rows_at_once;
        let (group, own) = split(at, (thread, shape.number), rows_at_once, lanes);
        let lane = builders::times(at, own, width);
        let corner = [
            builders::plus(at, thread.first_row, -layout.rows_before),
            builders::plus(at, thread.first_column, -layout.columns_before),
        ];
        let first_row = arith::addi(at, corner[0], group);
        let first_column = arith::addi(at, corner[1], lane);
        let target = builders::times(at, group, layout.columns);
        let target = arith::addi(at, arith::addi(at, self.begin, target), lane);
        for row in (0..layout.rows).step_by(warps as usize) {
            for run in (0..runs).step_by(lanes as usize) {
                let column = run * width;
                let copied = Run {
                    row: builders::plus(at, first_row, row),
                    column: builders::plus(at, first_column, column),
                    target: builders::plus(at, target, row * layout.columns + column),
                    distance: [row, column],
                };
                // Threads whose row or cells are beyond the plane copy nothing.
                let rows_left = (row + warps > layout.rows).then(|| layout.rows - row);
                let runs_left = (run + lanes > runs).then(|| runs - run);
                let fits = [(rows_left, group), (runs_left, own)]
                    .into_iter()
                    .filter_map(|(left, own)| Some(builders::within(at, own, 0, left?)))
                    .reduce(|one, two| builders::both(at, one, two));
                match fits {
                    None => self.run(at, &copied, (first_row, first_column)),
                    Some(fits) => builders::when(at, fits, |at| {
                        self.run(at, &copied, (first_row, first_column));
                    }),
                }
            }
        }
    }

    /// Cells that are copied at once. At the ends of a tile's domain they lie on one side of them:
    /// others may come from another field, or follow from the other end of a periodic grid.
    fn width(&self) -> i64 {
        let (shape, certainty) = (self.cells.shape, self.cells.certainty);
        if certainty.lateral {
            return shape.copied;
        }
        let domain = match self.outside() {
            Some((_, (lower, upper))) => Some((lower[2], upper[2])),
            None => shape.periodic[2].then_some((shape.lower[2], shape.upper[2])),
        };
        let Some((lower, upper)) = domain else { return shape.copied };
        let fits = |cells: &i64| {
            shape.multiple_of_rows.is_none_or(|multiple| multiple % cells == 0)
                && (lower - shape.tiling.column.origin) % cells == 0
                && (upper - lower) % cells == 0
        };
        halves(shape.copied).find(fits).unwrap_or(1)
    }

    /// Another field that cells outside of a domain are copied from.
    fn outside(&self) -> Option<&(&View<'c, 'a>, Domain)> {
        let certainty = self.cells.certainty;
        let outside = self.source.outside.as_ref();
        let outside = outside.filter(|(home, _)| home.buffer != self.source.view.buffer);
        outside.filter(|_| !certainty.lateral || !certainty.planes)
    }

    fn run(&self, at: Inserter<'c, 'a>, run: &Run<'c, 'a>, first: (Value<'c, 'a>, Value<'c, 'a>)) {
        let view = self.source.view;
        let Some((home, domain)) = self.outside() else {
            return self.start(at, view, run, first);
        };
        let shape = self.cells.shape;
        let (lower, upper) = domain;
        let within = |d: usize, value| shape.between(at, value, d, (lower[d], upper[d]));
        let inside = self.everywhere(at, run, within);
        builders::when(at, inside, |at| self.start(at, view, run, first));
        builders::when(at, builders::not(at, inside), |at| {
            // Beyond the field nothing has a value that is used; what lies at its end instead may
            // be stored at the same time.
            let exists = self.everywhere(at, run, |d, value| shape.within(at, value, home.ends(d)));
            builders::when(at, exists, |at| self.start(at, home, run, first));
        });
    }

    /// Whether a condition holds of a run's coordinates along all dimensions along which it may lie
    /// outside of a domain: along periodic ones it does not.
    fn everywhere(
        &self,
        at: Inserter<'c, 'a>,
        run: &Run<'c, 'a>,
        holds: impl Fn(usize, Value<'c, 'a>) -> Value<'c, 'a>,
    ) -> Value<'c, 'a> {
        let (shape, certainty) = (self.cells.shape, self.cells.certainty);
        let places = [
            (0, self.source.plane, certainty.planes),
            (1, run.row, certainty.lateral),
            (2, run.column, certainty.lateral),
        ];
        let unsure =
            places.into_iter().filter(|(d, _, is_certain)| !is_certain && !shape.periodic[*d]);
        let holds = unsure.map(|(d, value, _)| holds(d, value));
        let holds = holds.reduce(|one, two| builders::both(at, one, two));
        holds.unwrap_or_else(|| at.integer(IntegerType::new(at.context(), 1).into(), 1))
    }

    /// Starts the copy of a run from a field, with its coordinates moved into it where they may be
    /// outside.
    fn start(
        &self,
        at: Inserter<'c, 'a>,
        view: &View<'c, 'a>,
        run: &Run<'c, 'a>,
        (first_row, first_column): (Value<'c, 'a>, Value<'c, 'a>),
    ) {
        let (cells, width) = (self.cells, self.width());
        let plane = match cells.certainty.planes {
            true => self.source.plane,
            false => cells.moved(at, self.source.plane, 0, view.ends(0)),
        };
        let place = match cells.certainty.lateral {
            true => {
                // All runs of a thread are at constant distances.
                let first = cells.place(at, view, plane, first_row, first_column);
                cells.moved_by(at, view, first, run.distance)
            }
            false => {
                let row = cells.moved(at, run.row, 1, view.ends(1));
                let last = view.upper[2].clone() - Size::from(width - 1);
                let column = cells.moved(at, run.column, 2, (&view.lower[2], &last));
                cells.place(at, view, plane, row, column)
            }
        };
        let target = builders::index(at, run.target);
        let halos = self.halos;
        copies::start(at, (view.buffer, place), (halos.memory, target), (width, halos.bytes));
    }
}

/// Which group of so many lanes a thread belongs to, of so many of each warp, and its place there.
fn split<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    (thread, number): (&Thread<'c, 'a>, Type<'c>),
    groups: i64,
    lanes: i64,
) -> (Value<'c, 'a>, Value<'c, 'a>) {
    if groups == 1 {
        return (thread.warp, thread.lane);
    }
    let count = at.integer(number, lanes);
    let group = builders::times(at, thread.warp, groups);
    let group = arith::addi(at, group, arith::divui(at, thread.lane, count));
    (group, arith::remui(at, thread.lane, count))
}

/// The most rows and columns around a tile of all halos of a kernel.
pub fn around(shape: &Shape, layout: &Layout) -> [Reach; 2] {
    let halos = layout.buffers.iter().filter(|(_, buffer)| buffer.kind == BufferKind::Halo);
    let number = |cells: i64| u32::try_from(cells).unwrap_or(u32::MAX);
    halos.fold([Reach::symmetric(0); 2], |most, (_, buffer)| {
        let layout = layout_of(shape, buffer);
        let tiling = &shape.tiling;
        let rows = (layout.rows_before, layout.rows - tiling.row.cells - layout.rows_before);
        let after = layout.columns - tiling.column.cells - layout.columns_before;
        let sides = [rows, (layout.columns_before, after)];
        [0, 1].map(|d| {
            let (behind, ahead) = sides[d];
            most[d].union(Reach { behind: number(behind), ahead: number(ahead) })
        })
    })
}
