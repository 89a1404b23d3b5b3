//! The frame of an edge tile: the boundary values around the domain, in shared memory.
//!
//! Levels belong to the rotated fields in turn, and read cells outside the domain from their own
//! field, the boundary source (`homes`). An iteration computes a plane of each level. The frames of
//! these planes, for all boundary sources, are in a circular buffer of planes (ring) in shared
//! memory: each cell is copied once, by one thread, asynchronously and at least one iteration
//! ahead, so that no level waits for global memory. The ring is stored twice, back to back, so that
//! the planes of all levels are at constant distances from the arriving one.
//!
//! A frame holds the rows before the first, or after the last row of the domain, as wide as the
//! tile, and the columns at one end of its rows, as high as the tile: a tile that extends beyond
//! both ends of a dimension has none (see [`super::edge`]).

use super::{thread::Thread, view::View};
use crate::{builders, sweep::shape::Shape};
use melior::ir::{Type, Value, attribute::IntegerAttribute};
use stencil_dialects::{
    build::{self, Compare, Inserter},
    ods::{arith, gpu, nvgpu},
};
use stencil_faults::{Fault, off_by_one};
use stencil_model::sweep::{self, tiling::at_once};

/// Alignment of planes of frames in elements, so that rows are read 16 bytes at once.
const ALIGNED: i64 = 8;

/// The layout of frames in shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FramePlan {
    /// Boundary sources that some level needs.
    homes: usize,
    /// Planes of the ring: from the oldest level's to those being copied.
    planes: i64,
    /// Rows outside the domain, and cells of a row.
    rows: (i64, i64),
    /// Columns outside the domain, and cells of a column.
    columns: (i64, i64),
    /// Frames of a block: one, or one for each warp.
    regions: i64,
}

impl FramePlan {
    /// The frames of a kernel with so many boundary sources; none if all boundary values are loaded
    /// with their planes.
    pub fn of(shape: &Shape, homes: usize) -> Option<FramePlan> {
        if shape.has_spanning_tiles() {
            return None;
        }
        let tiling = &shape.tiling;
        let ahead = shape.plan.loads.copied_ahead().unwrap_or(1);
        let oldest = shape.oldest_boundary;
        let in_iteration = tiling.streamed.lines;
        let planes = if shape.rank == 1 { 1 } else { oldest + (ahead + 1) * in_iteration };
        let reach =
            |d: usize| i64::from(shape.reaches[d].behind).max(shape.reaches[d].ahead.into());
        let rows = if shape.rank == 3 { reach(1) } else { 0 };
        let regions = if tiling.warps_apart { tiling.warps } else { 1 };
        let plan = FramePlan {
            homes,
            planes,
            rows: (rows, tiling.column.cells),
            columns: (reach(2), tiling.row.cells),
            regions,
        };
        (plan.total() > 0).then_some(plan)
    }

    /// Cells of a frame in one plane.
    fn cells(&self) -> i64 {
        self.rows.0 * self.rows.1 + self.columns.0 * self.columns.1
    }

    /// Elements of a frame in one plane.
    fn elements(&self) -> i64 {
        sweep::round_up(self.cells(), ALIGNED)
    }

    /// Elements of all frames of a block.
    pub fn total(&self) -> i64 {
        2 * self.elements() * self.regions * self.planes * self.homes as i64
    }

    /// Clears all frames of a block, which begin at an element of shared memory, so that no
    /// uninitialized element is read; all threads of the block execute this.
    pub fn clear<'c: 'a, 'a>(
        &self,
        at: Inserter<'c, 'a>,
        shape: &Shape<'c, 'a>,
        thread: &Thread<'c, 'a>,
        (buffer, begin): (Value<'c, 'a>, i64),
    ) {
        let threads = shape.tiling.threads();
        let own = thread.number(at, shape);
        let zero = at.float(shape.element, 0.0);
        let mut first = 0;
        while first < self.total() {
            let place = builders::plus(at, own, first);
            let rest = at.integer(shape.number, self.total());
            let exists = at.compare(Compare::Less, place, rest);
            builders::when(at, exists, |at| {
                let place = builders::plus(at, builders::index(at, place), begin);
                builders::store(at, &[zero], buffer, place, shape.bytes());
            });
            first += threads;
        }
        gpu::barrier(at);
    }
}

/// One cell of the frame that a thread copies, of each plane of each boundary source.
#[derive(Clone)]
struct Copy<'c, 'a> {
    /// Its element in the frame.
    target: Value<'c, 'a>,
    /// Per boundary source: its element in a plane of the field, and whether it exists.
    sources: Vec<(Value<'c, 'a>, Value<'c, 'a>)>,
}

/// The frames of a thread's tile.
#[derive(Clone)]
pub struct Frame<'c, 'a> {
    plan: FramePlan,
    buffer: Value<'c, 'a>,
    element: Type<'c>,
    bytes: i64,
    /// Element where frames begin.
    begin: i64,
    /// The first plane.
    first: i64,
    /// Element of the thread's tile in a plane of the ring.
    region: Value<'c, 'a>,
    homes: Vec<View<'c, 'a>>,
    copies: Vec<Copy<'c, 'a>>,
    /// The thread's element in the rows of the frame, for the first row of its register tile, and
    /// for each row whether it is in the frame.
    rows: (Value<'c, 'a>, Vec<Value<'c, 'a>>),
    /// For each column of its register tile that may be in the frame: whether it is, and its
    /// element.
    columns: Vec<Option<(Value<'c, 'a>, Value<'c, 'a>)>>,
}

/// The corner of a tile and of its frame.
struct Corner<'c, 'a> {
    /// First row and first column of the tile.
    tile: [Value<'c, 'a>; 2],
    /// First row and first column outside the domain.
    outside: [Value<'c, 'a>; 2],
}

impl<'c: 'a, 'a> Frame<'c, 'a> {
    /// Computes the thread's elements.
    pub fn new(
        at: Inserter<'c, 'a>,
        shape: &Shape<'c, 'a>,
        thread: &Thread<'c, 'a>,
        homes: &[View<'c, 'a>],
        (plan, buffer, begin): (&FramePlan, Value<'c, 'a>, i64),
    ) -> Self {
        let tiling = &shape.tiling;
        let lane = builders::times(at, thread.lane, tiling.columns);
        let first_column = arith::subi(at, thread.column, lane);
        let tile = [thread.first_row, first_column];
        let widths = [plan.rows.0, plan.columns.0];
        let outside = [0, 1].map(|along| {
            let (lower, upper) = (shape.lower[along + 1], shape.upper[along + 1]);
            let number = |value: i64| at.integer(shape.number, value);
            let at_lower = at.compare(Compare::Less, tile[along], number(lower));
            let upper = shape.size(along + 1, upper);
            let first = number(lower - widths[along]);
            let operands = [at_lower, first, shape.value(at, shape.number, &upper)];
            at.value(arith::SELECT, &operands, &[], shape.number)
        });
        let corner = Corner { tile, outside };
        let in_region = if plan.regions == 1 { 0 } else { plan.elements() };
        let region = builders::times(at, thread.warp, in_region);
        let homes = homes.to_vec();
        Frame {
            plan: plan.clone(),
            buffer,
            element: shape.element,
            bytes: shape.bytes(),
            begin,
            first: shape.lower[0] - tiling.streamed.warm_up(),
            region,
            copies: copies(at, shape, thread, &corner, (plan, &homes)),
            rows: own_rows(at, shape, thread, &corner, (lane, plan)),
            columns: own_columns(at, shape, thread, &corner, plan),
            homes,
        }
    }

    /// Copies the frames of a plane.
    pub fn copy(&self, at: Inserter<'c, 'a>, shape: &Shape<'c, 'a>, plane: Value<'c, 'a>) {
        for (number, home) in self.homes.iter().enumerate() {
            let ring = self.plane_of_ring(at, plane);
            let first = self.begin + self.home_in_ring(number);
            let within = shape.clamped(at, plane, home.ends(0));
            let along = shape.times(at, within, &home.strides[0]);
            let corner = home.corner();
            for copy in &self.copies {
                let (place, exists) = copy.sources[number];
                builders::when(at, exists, |at| {
                    let place = match home.strides[0].constant() {
                        Some(0) => place,
                        _ => arith::addi(at, place, along),
                    };
                    let place = match corner.constant() {
                        Some(corner) => builders::plus(at, builders::index(at, place), -corner),
                        None => builders::index(at, shape.minus(at, place, &corner)),
                    };
                    let target = arith::addi(at, ring, copy.target);
                    let target = builders::index(at, target);
                    for copy in 0..2 {
                        let target =
                            builders::plus(at, target, first + copy * self.ring_elements());
                        self.copy_cell(at, home, place, target);
                    }
                });
            }
        }
    }

    fn copy_cell(
        &self,
        at: Inserter<'c, 'a>,
        home: &View<'c, 'a>,
        place: Value<'c, 'a>,
        target: Value<'c, 'a>,
    ) {
        let (element, bytes) = (self.element, self.bytes);
        if ![4, 8].contains(&bytes) {
            // The smallest asynchronous copy is larger.
            let value = builders::load(at, home.buffer, place, (element, bytes, 1));
            return builders::store(at, &value, self.buffer, target, bytes);
        }
        let context = at.context();
        let token = Type::parse(context, "!nvgpu.device.async.token").expect("it is a type");
        let one = IntegerAttribute::new(Type::index(context), 1).into();
        let segments = build::attribute(context, "array<i32: 1, 1, 1, 1, 0>");
        let attributes = [("dstElements", one), ("operandSegmentSizes", segments)];
        let operands = [self.buffer, target, home.buffer, place];
        at.create(nvgpu::DEVICE_ASYNC_COPY, &operands, &attributes, &[token], Vec::new());
    }

    /// A register tile of a level with the values of the frame; its plane is so many planes behind
    /// the arriving one.
    pub fn fill(
        &self,
        at: Inserter<'c, 'a>,
        (home, arriving, behind): (&View<'c, 'a>, Value<'c, 'a>, i64),
        mut register_tile: Vec<Value<'c, 'a>>,
    ) -> Vec<Value<'c, 'a>> {
        let number = self.homes.iter().position(|known| known.buffer == home.buffer);
        let number = number.expect("there are frames for every boundary source that is needed");
        let ring = self.plane_of_ring(at, arriving);
        let behind = off_by_one(Fault::FramePlane, behind);
        let before = self.ring_elements() - behind * self.plan.elements() * self.plan.regions;
        let begin = self.begin + self.home_in_ring(number) + before;
        let width = self.columns.len();
        let place = |at: Inserter<'c, 'a>, own: Value<'c, 'a>, distance: i64| {
            let place = arith::addi(at, ring, own);
            builders::plus(at, builders::index(at, place), begin + distance)
        };
        let cell = (self.element, self.bytes);
        for (number, column) in self.columns.iter().enumerate() {
            let Some((is_own, own)) = column else { continue };
            let old = register_tile.iter().skip(number).step_by(width).copied().collect::<Vec<_>>();
            let types = vec![self.element; old.len()];
            let load = |at: Inserter<'c, 'a>| {
                let rows = 0..old.len() as i64;
                let value = |row| place(at, *own, row);
                rows.map(|row| builders::load(at, self.buffer, value(row), (cell.0, cell.1, 1))[0])
                    .collect()
            };
            let new = builders::choose(at, *is_own, &types, load, |_| old.clone());
            for (row, value) in new.into_iter().enumerate() {
                register_tile[row * width + number] = value;
            }
        }
        let at_once = at_once(width as i64, self.bytes);
        let types = vec![self.element; width];
        for (row, is_own) in self.rows.1.iter().enumerate() {
            let own = row * width..(row + 1) * width;
            let load = |at: Inserter<'c, 'a>| {
                let first = row as i64 * self.plan.rows.1;
                let parts = (0..width as i64).step_by(at_once as usize);
                let value = |part| place(at, self.rows.0, first + part);
                parts
                    .flat_map(|part| {
                        builders::load(at, self.buffer, value(part), (cell.0, cell.1, at_once))
                    })
                    .collect()
            };
            let new = builders::choose(at, *is_own, &types, load, |_| {
                register_tile[own.clone()].to_vec()
            });
            register_tile.splice(own, new);
        }
        register_tile
    }

    /// Elements of all planes of a boundary source, in one copy of the ring.
    fn ring_elements(&self) -> i64 {
        self.plan.planes * self.plan.elements() * self.plan.regions
    }

    /// Elements before the planes of a boundary source.
    fn home_in_ring(&self, home: usize) -> i64 {
        2 * home as i64 * self.ring_elements()
    }

    /// First element of a plane in the first copy of the first boundary source's ring, for the
    /// thread's tile.
    fn plane_of_ring(&self, at: Inserter<'c, 'a>, plane: Value<'c, 'a>) -> Value<'c, 'a> {
        let plan = &self.plan;
        // Relative to an earlier plane, so that remainders are of non-negative numbers.
        let rounds = (-self.first).max(0) / plan.planes + 1;
        let counted = builders::plus(at, plane, rounds * plan.planes);
        let planes = at.integer(melior::ir::ValueLike::r#type(&plane), plan.planes);
        let stage = arith::remui(at, counted, planes);
        let place = builders::times(at, stage, plan.elements() * plan.regions);
        arith::addi(at, place, self.region)
    }
}

/// The cells that a thread copies: those of a frame are distributed over the threads that share it.
fn copies<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    shape: &Shape<'c, 'a>,
    thread: &Thread<'c, 'a>,
    corner: &Corner<'c, 'a>,
    (plan, homes): (&FramePlan, &[View<'c, 'a>]),
) -> Vec<Copy<'c, 'a>> {
    let tiling = &shape.tiling;
    // Warps with separate tiles have separate frames; with lines, the threads of a line copy its
    // plane.
    let (own, together) = match tiling.warps_apart || tiling.takes_lines() {
        true => (thread.lane, tiling.lanes),
        false => (thread.number(at, shape), tiling.threads()),
    };
    let number = |value: i64| at.integer(shape.number, value);
    let in_rows = plan.rows.0 * plan.rows.1;
    let count = (plan.cells() + together - 1) / together;
    let cells = (0..count).map(|round| {
        let target = builders::plus(at, own, round * together);
        let divided = |value: Value<'c, 'a>, by: i64| {
            let by = number(by);
            (arith::divsi(at, value, by), arith::remsi(at, value, by))
        };
        let (across, along) = divided(builders::plus(at, target, -in_rows), plan.columns.1);
        let column = arith::addi(at, corner.outside[1], across);
        let mut place = [arith::addi(at, corner.tile[0], along), column];
        if in_rows > 0 {
            let is_row = at.compare(Compare::Less, target, number(in_rows));
            let (across, along) = divided(target, plan.rows.1);
            let of_row = [
                arith::addi(at, corner.outside[0], across),
                arith::addi(at, corner.tile[1], along),
            ];
            for (own, of_row) in place.iter_mut().zip(of_row) {
                let operands = [is_row, of_row, *own];
                *own = at.value(arith::SELECT, &operands, &[], shape.number);
            }
        }
        let mut exists = at.compare(Compare::Less, target, number(plan.cells()));
        for (along, axis) in [&tiling.row, &tiling.column].into_iter().enumerate() {
            let distance = arith::subi(at, place[along], corner.tile[along]);
            let in_tile = builders::within(at, distance, 0, axis.cells);
            exists = builders::both(at, exists, in_tile);
        }
        let sources = homes.iter().map(|home| {
            let mut exists = exists;
            for (along, value) in place.iter().enumerate() {
                let d = along + 1;
                let in_memory = shape.within(at, *value, home.ends(d));
                exists = builders::both(at, exists, in_memory);
            }
            let row = shape.times(at, place[0], &home.strides[1]);
            (arith::addi(at, row, place[1]), exists)
        });
        let sources = sources.collect();
        Copy { target, sources }
    });
    cells.collect()
}

/// Elements of the rows of a thread's register tile in the frame, and which rows are in it.
fn own_rows<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    shape: &Shape<'c, 'a>,
    thread: &Thread<'c, 'a>,
    corner: &Corner<'c, 'a>,
    (lane, plan): (Value<'c, 'a>, &FramePlan),
) -> (Value<'c, 'a>, Vec<Value<'c, 'a>>) {
    let (rows, width) = plan.rows;
    let distance = arith::subi(at, thread.row, corner.outside[0]);
    let own = builders::times(at, distance, width);
    let own = arith::addi(at, own, lane);
    let count = if rows == 0 { 0 } else { shape.tiling.rows };
    let is_own = |row| builders::within(at, builders::plus(at, distance, row), 0, rows);
    (own, (0..count).map(is_own).collect())
}

/// Elements of the columns of a thread's register tile in the frame, and which columns are in it.
fn own_columns<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    shape: &Shape<'c, 'a>,
    thread: &Thread<'c, 'a>,
    corner: &Corner<'c, 'a>,
    plan: &FramePlan,
) -> Vec<Option<(Value<'c, 'a>, Value<'c, 'a>)>> {
    let tiling = &shape.tiling;
    let (columns, height) = plan.columns;
    let (lower, upper) = (shape.lower[2] - columns, shape.upper[2]);
    // Tiles are a multiple of the register tile apart: a column has the same position in all of
    // them, whose rows have.
    let is_same = shape.multiple_of_rows.is_none_or(|multiple| multiple % tiling.columns == 0);
    let is_aligned = is_same && tiling.column.points % tiling.columns == 0;
    let place = |column: i64| (column - tiling.column.origin).rem_euclid(tiling.columns);
    let row = builders::times(at, thread.warp, if shape.rank == 3 { tiling.rows } else { 0 });
    let first = builders::plus(at, row, plan.rows.0 * plan.rows.1);
    let own = (0..tiling.columns).map(|number| {
        let mut outside = (0..columns).flat_map(|across| [lower + across, upper + across]);
        if is_aligned && !outside.any(|column| place(column) == number) {
            return None;
        }
        let distance = arith::subi(at, thread.column, corner.outside[1]);
        let distance = builders::plus(at, distance, number);
        let is_own = builders::within(at, distance, 0, columns);
        let along = builders::times(at, distance, height);
        Some((is_own, arith::addi(at, first, along)))
    });
    own.collect()
}
