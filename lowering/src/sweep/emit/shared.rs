//! Shared memory of a sweep: rows exchanged between warps, and values that threads keep.
//!
//! One flat buffer holds, in this order: the ring (circular buffer) of planes in flight from global
//! memory, slots of the queue, rows or lines, frames. A thread's words are contiguous and followed
//! by those of its neighbour, so that a warp accesses contiguous addresses, without bank conflicts.
//!
//! Rows: each warp stores those of its register tile that others read, for every level, in the
//! number of copies of [`RowPlan`]. With whole planes, others read single columns: there the first
//! columns of all lanes of a row are contiguous, then the second ones, and so on, so that for any
//! column the lanes of a warp read contiguous addresses.

use super::{exchange::RowPlan, frame::FramePlan, lines::LinePlan, shape::Shape};
use crate::builders;
use melior::ir::Value;
use stencil_dialects::{
    build::Inserter,
    ods::{arith, gpu, nvvm},
    types,
};
use stencil_model::sweep::tiling::{LANES, at_once};

/// The shared memory of a block and the thread's elements in it.
pub struct Shared<'c, 'a> {
    /// The flat buffer.
    pub buffer: Value<'c, 'a>,
    element: melior::ir::Type<'c>,
    bytes: i64,
    columns: i64,
    lanes: i64,
    warps: i64,
    tile_rows: i64,
    /// Whether warps do not exchange values.
    warps_apart: bool,
    /// The exchange of rows.
    pub rows: Option<RowPlan>,
    /// Element where rows begin.
    rows_begin: i64,
    /// The first element of the thread at a distance in warps and lanes.
    row_places: Vec<([i64; 2], Value<'c, 'a>)>,
    /// Element where slots begin.
    slots_begin: i64,
    /// The thread's first element in a slot.
    slot_place: Option<Value<'c, 'a>>,
}

/// Elements of the parts of the buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Of the ring.
    pub ring: i64,
    /// Of all slots.
    pub slots: i64,
    /// Of all rows, or of all lines.
    pub rows: i64,
    /// Of all frames.
    pub frames: i64,
}

impl Layout {
    /// The layout of a kernel.
    pub fn of(
        shape: &Shape,
        slots: i64,
        rows: Option<&RowPlan>,
        frames: Option<&FramePlan>,
    ) -> Layout {
        let tiling = &shape.tiling;
        let threads = tiling.threads();
        let lines = LinePlan::of(shape).map_or(0, |lines| lines.total());
        let ring = shape.plan.loads.ring().map_or(0, i64::from);
        let per_warp = rows.map_or(0, |rows| rows.stored.len() as i64 * LANES * tiling.columns);
        let copies = rows.map_or(0, |rows| rows.copies);
        Layout {
            ring: ring * threads * shape.register_tile_size(),
            slots: slots * threads * shape.register_tile_size(),
            rows: lines + per_warp * tiling.warps * copies * shape.tiling.streamed.steps,
            frames: frames.map_or(0, FramePlan::total),
        }
    }

    /// All of them.
    pub fn total(&self) -> i64 {
        self.ring + self.slots + self.rows + self.frames
    }

    /// Element where rows, or lines, begin.
    pub fn rows_begin(&self) -> i64 {
        self.ring + self.slots
    }

    /// Element where frames begin.
    pub fn frames_begin(&self) -> i64 {
        self.total() - self.frames
    }
}

impl<'c: 'a, 'a> Shared<'c, 'a> {
    /// Computes the thread's elements.
    pub fn new(
        at: Inserter<'c, 'a>,
        shape: &Shape<'c, 'a>,
        (buffer, layout): (Value<'c, 'a>, Layout),
        rows: Option<RowPlan>,
        (lane, warp): (Value<'c, 'a>, Value<'c, 'a>),
    ) -> Self {
        let tiling = &shape.tiling;
        let own_columns = builders::times(at, lane, tiling.columns);
        let row_places = match &rows {
            Some(rows) => places(at, shape, rows, (lane, warp)),
            None => Vec::new(),
        };
        let slot_place = (layout.slots + layout.ring > 0).then(|| {
            let begin = builders::times(at, warp, tiling.lanes * tiling.columns);
            builders::index(at, arith::addi(at, begin, own_columns))
        });
        Self {
            buffer,
            element: shape.element,
            bytes: types::element_bytes(shape.element).map_or(1, i64::from),
            columns: tiling.columns,
            lanes: tiling.lanes,
            warps: tiling.warps,
            tile_rows: tiling.rows,
            warps_apart: tiling.warps_apart,
            rows,
            rows_begin: layout.rows_begin(),
            row_places,
            slots_begin: layout.ring,
            slot_place,
        }
    }

    /// Clears all slots and rows, so that no uninitialized element is read.
    pub fn clear(&self, at: Inserter<'c, 'a>, slots: i64, levels: i64) {
        let zero = at.float(self.element, 0.0);
        let register_tile = vec![zero; (self.tile_rows * self.columns) as usize];
        for slot in 0..slots {
            self.store_slot(at, slot, &register_tile);
        }
        let Some(plan) = &self.rows else { return };
        for level in 0..levels {
            for copy in 0..plan.copies {
                self.store_rows(at, (level, copy), &register_tile);
            }
        }
        self.barrier(at);
    }

    /// Synchronizes with the threads that rows are exchanged with.
    pub fn barrier(&self, at: Inserter<'c, 'a>) {
        if self.warps_apart {
            let mask = at.integer(builders::i32_type(at.context()), -1);
            nvvm::bar_warp_sync(at, mask);
        } else {
            gpu::barrier(at);
        }
    }

    /// Elements from one row of a thread in a slot to the next: those of all threads.
    fn row_of_slot(&self) -> i64 {
        self.warps * self.lanes * self.columns
    }

    /// The thread's element in a row of a stage of the ring, or of a slot.
    fn place(&self, at: Inserter<'c, 'a>, begin: i64, row: i64) -> Value<'c, 'a> {
        let place = self.slot_place.expect("there are slots");
        builders::plus(at, place, begin + row * self.row_of_slot())
    }

    /// The thread's element in a row of a stage of the ring.
    pub fn ring_place(&self, at: Inserter<'c, 'a>, stage: i64, row: i64) -> Value<'c, 'a> {
        self.place(at, stage * self.tile_rows * self.row_of_slot(), row)
    }

    /// A register tile out of a stage of the ring.
    pub fn load_ring(&self, at: Inserter<'c, 'a>, stage: i64) -> Vec<Value<'c, 'a>> {
        self.load_register_tile(at, stage * self.tile_rows * self.row_of_slot())
    }

    fn slot_begin(&self, slot: i64) -> i64 {
        self.slots_begin + slot * self.tile_rows * self.row_of_slot()
    }

    fn load_register_tile(&self, at: Inserter<'c, 'a>, begin: i64) -> Vec<Value<'c, 'a>> {
        let rows = 0..self.tile_rows;
        rows.flat_map(|row| self.load(at, self.place(at, begin, row))).collect()
    }

    fn load(&self, at: Inserter<'c, 'a>, place: Value<'c, 'a>) -> Vec<Value<'c, 'a>> {
        let at_once = at_once(self.columns, self.bytes);
        (0..self.columns / at_once)
            .flat_map(|part| {
                let place = builders::plus(at, place, part * at_once);
                builders::load(at, self.buffer, place, (self.element, self.bytes, at_once))
            })
            .collect()
    }

    fn store(&self, at: Inserter<'c, 'a>, values: &[Value<'c, 'a>], place: Value<'c, 'a>) {
        let at_once = at_once(self.columns, self.bytes);
        for (part, values) in values.chunks(at_once as usize).enumerate() {
            let place = builders::plus(at, place, part as i64 * at_once);
            builders::store(at, values, self.buffer, place, self.bytes);
        }
    }

    /// A register tile out of a slot.
    pub fn load_slot(&self, at: Inserter<'c, 'a>, slot: i64) -> Vec<Value<'c, 'a>> {
        self.load_register_tile(at, self.slot_begin(slot))
    }

    /// A register tile into a slot.
    pub fn store_slot(&self, at: Inserter<'c, 'a>, slot: i64, register_tile: &[Value<'c, 'a>]) {
        for (row, values) in register_tile.chunks(self.columns as usize).enumerate() {
            self.store(at, values, self.place(at, self.slot_begin(slot), row as i64));
        }
    }

    /// Stores the rows of a level's register tile that others read into a copy.
    pub fn store_rows(
        &self,
        at: Inserter<'c, 'a>,
        (level, copy): (i64, i64),
        register_tile: &[Value<'c, 'a>],
    ) {
        let Some(plan) = &self.rows else { return };
        for (place, row) in plan.stored.iter().enumerate() {
            let first = (row * self.columns) as usize;
            let values = &register_tile[first..first + self.columns as usize];
            let place = self.row_place(at, [0, 0], (level, copy), place as i64);
            if plan.whole.is_none() {
                self.store(at, values, place);
                continue;
            }
            for (column, value) in values.iter().enumerate() {
                let place = builders::plus(at, place, column as i64 * LANES);
                builders::store(at, &[*value], self.buffer, place, self.bytes);
            }
        }
    }

    /// The thread's own register tile of a level, out of a copy of a whole plane.
    pub fn load_own(&self, at: Inserter<'c, 'a>, (level, copy): (i64, i64)) -> Vec<Value<'c, 'a>> {
        let plane = RowsOf { shared: self, level, copy };
        let cells = 0..self.tile_rows * self.columns;
        cells.map(|cell| plane.load_cell(at, cell / self.columns, cell % self.columns)).collect()
    }

    fn row_place(
        &self,
        at: Inserter<'c, 'a>,
        other: [i64; 2],
        (level, copy): (i64, i64),
        stored: i64,
    ) -> Value<'c, 'a> {
        let plan = self.rows.as_ref().expect("rows are exchanged");
        let (_, place) = *self
            .row_places
            .iter()
            .find(|(known, _)| *known == other)
            .expect("the elements of all threads that are read were computed");
        let row = LANES * self.columns;
        let of_level = self.warps * plan.stored.len() as i64 * row;
        let begin = self.rows_begin + (level * plan.copies + copy) * of_level;
        builders::plus(at, place, begin + stored * row)
    }

    /// The stored rows of a level's plane of an age, if they are available in an iteration.
    pub fn rows_of(&self, level: i64, iteration: i64, age: i64) -> Option<RowsOf<'c, 'a, '_>> {
        let copy = self.rows.as_ref()?.copy(iteration, age)?;
        Some(RowsOf { shared: self, level, copy })
    }
}

/// The first elements of a thread, and of those that it reads from, clamped to the tile: values
/// beyond it are not used.
fn places<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    shape: &Shape<'c, 'a>,
    rows: &RowPlan,
    (lane, warp): (Value<'c, 'a>, Value<'c, 'a>),
) -> Vec<([i64; 2], Value<'c, 'a>)> {
    let tiling = &shape.tiling;
    let per_warp = rows.stored.len() as i64 * LANES * tiling.columns;
    let per_lane = if rows.whole.is_some() { 1 } else { tiling.columns };
    let moved = |value: Value<'c, 'a>, distance: i64, count: i64| match distance {
        0 => value,
        _ => builders::clamped(at, builders::plus(at, value, distance), 0, count),
    };
    let own = std::iter::once([0, 0]).filter(|own| !rows.others.contains(own));
    own.chain(rows.others.iter().copied())
        .map(|other| {
            let [warps, lanes] = other;
            let begin = builders::times(at, moved(warp, warps, tiling.warps), per_warp);
            let columns = builders::times(at, moved(lane, lanes, LANES), per_lane);
            let place = arith::addi(at, begin, columns);
            (other, builders::index(at, place))
        })
        .collect()
}

/// Rows of one level in one copy.
pub struct RowsOf<'c, 'a, 'k> {
    shared: &'k Shared<'c, 'a>,
    level: i64,
    copy: i64,
}

impl<'c: 'a, 'a> RowsOf<'c, 'a, '_> {
    /// A row outside of the register tile, the thread's columns.
    pub fn load(&self, at: Inserter<'c, 'a>, row: i64) -> Vec<Value<'c, 'a>> {
        self.shared.load(at, self.place(at, row, 0))
    }

    /// Whether they are all rows of a plane, of which single cells can be read.
    pub fn are_whole(&self) -> bool {
        self.shared.rows.as_ref().is_some_and(|plan| plan.whole.is_some())
    }

    /// A cell of a whole plane, counted from the first of the thread's register tile.
    pub fn load_cell(&self, at: Inserter<'c, 'a>, row: i64, column: i64) -> Value<'c, 'a> {
        let shared = self.shared;
        let (lanes, column) =
            (column.div_euclid(shared.columns), column.rem_euclid(shared.columns));
        let place = builders::plus(at, self.place(at, row, lanes), column * LANES);
        builders::load(at, shared.buffer, place, (shared.element, shared.bytes, 1))[0]
    }

    /// The first element in a row, counted from the first of the register tile, of the thread so
    /// many lanes on.
    fn place(&self, at: Inserter<'c, 'a>, row: i64, lanes: i64) -> Value<'c, 'a> {
        let shared = self.shared;
        let plan = shared.rows.as_ref().expect("rows are exchanged");
        let (warps, own) = (row.div_euclid(shared.tile_rows), row.rem_euclid(shared.tile_rows));
        let stored = plan.stored.iter().position(|stored| *stored == own);
        let stored = stored.expect("every row that is read is stored") as i64;
        shared.row_place(at, [warps, lanes], (self.level, self.copy), stored)
    }
}
