//! Shared memory of a kernel: buffers that threads exchange values through, or keep values in.
//!
//! One flat buffer holds those of the planes form in their order, then the frames. A thread's words
//! are contiguous and followed by those of its neighbour, so that a warp accesses contiguous
//! addresses, without bank conflicts.
//!
//! Rows: each warp stores those of its register tile that others read. With whole planes, others
//! read single columns: there the first columns of all lanes of a row are contiguous, then the
//! second ones, and so on, so that for any column the lanes of a warp read contiguous addresses.

use crate::{builders, sweep::shape::Shape};
use melior::ir::{OperationRef, Value};
use std::collections::HashMap;
use stencil_dialects::{
    attributes,
    build::Inserter,
    ods::{
        arith, gpu, nvvm,
        sweep::{SharedOp, ShiftOp, TakeOp, TiledOp},
    },
    sweep::BufferKind,
    walk::{self, ValueKey},
};
use stencil_model::sweep::{Reach, halo::HaloLayout, tiling::at_once};

/// A buffer of the planes form in shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// What a copy holds.
    pub kind: BufferKind,
    /// Rows of a register tile that it holds, ascending.
    pub rows: Vec<i64>,
    /// Cells of a register tile that are read of a whole plane, ascending: the others are not
    /// stored.
    pub cells: Vec<i64>,
    /// Rows and columns around the tile that a halo has.
    pub around: [Reach; 2],
    /// Copies.
    pub copies: i64,
    /// Element where it begins.
    pub begin: i64,
    /// Elements of a copy.
    pub elements: i64,
}

/// The buffers of a kernel, in order.
pub struct Layout {
    /// The buffers, with the ops that allocate them.
    pub buffers: Vec<(ValueKey, Buffer)>,
    /// Elements of all of them.
    pub total: i64,
    /// Distances in warps and lanes to the threads whose rows or planes are read, ascending.
    pub others: Vec<[i64; 2]>,
}

impl Layout {
    /// The layout of a kernel.
    pub fn of(tiled: TiledOp, shape: &Shape) -> Layout {
        let operations = walk::nested(tiled.operation());
        let mut buffers = Vec::new();
        let mut begin = 0;
        for shared in operations.iter().copied().filter_map(SharedOp::of) {
            let kind = BufferKind::of_word(&shared.kind()).expect("the verifier checked the kind");
            let rows = match shared.rows().and_then(attributes::integers) {
                Some(rows) => rows,
                None => (0..shape.tiling.rows).collect(),
            };
            let around = around(shared);
            let elements = match kind {
                BufferKind::Halo => HaloLayout::of(&shape.tiling, around, shape.bytes()).elements(),
                _ => shape.elements_of_copy(kind, rows.len()),
            };
            let copies = shared.copies();
            let key = ValueKey::of(&shared.buffer());
            let cells = cells_read(&operations, &key, shape);
            buffers.push((key, Buffer { kind, rows, cells, around, copies, begin, elements }));
            begin += copies * elements;
        }
        let mut others = operations
            .iter()
            .filter_map(|operation| offset_in_shared(*operation))
            .filter_map(|(key, offset)| {
                let (_, buffer) = buffers.iter().find(|(known, _)| *known == key)?;
                Some((buffer.kind, offset))
            })
            .flat_map(|(kind, offset)| distances(shape, kind, offset))
            .collect::<Vec<_>>();
        others.sort_unstable();
        others.dedup();
        Layout { buffers, total: begin, others }
    }
}

/// The rows and columns around the tile that a buffer has.
fn around(shared: SharedOp) -> [Reach; 2] {
    let sides = shared.around().and_then(attributes::integers).unwrap_or(vec![0; 4]);
    let number = |side: i64| u32::try_from(side).expect("the verifier checked that it is a count");
    [0, 2].map(|first| Reach { behind: number(sides[first]), ahead: number(sides[first + 1]) })
}

/// Cells of a register tile that are read in a buffer, ascending: by others, or by the thread that
/// holds them, where it takes the plane from there.
fn cells_read(operations: &[OperationRef], buffer: &ValueKey, shape: &Shape) -> Vec<i64> {
    let (rows, columns) = (shape.tiling.rows, shape.tiling.columns);
    let all = || 0..shape.register_tile_size();
    let mut read = Vec::new();
    for operation in operations {
        let is_plane_taken = TakeOp::of(*operation)
            .is_some_and(|take| ValueKey::of(&take.buffer()) == *buffer && take.offset().is_none());
        if is_plane_taken {
            return all().collect();
        }
        let Some((_, offset)) = offset_in_shared(*operation).filter(|it| it.0 == *buffer) else {
            continue;
        };
        let is_taken = TakeOp::of(*operation).is_some();
        read.extend(all().filter_map(|cell| {
            let (row, column) = (cell / columns + offset[0], cell % columns + offset[1]);
            let other = [row.div_euclid(rows), column.div_euclid(columns)];
            let cell = row.rem_euclid(rows) * columns + column.rem_euclid(columns);
            (is_taken || other != [0, 0]).then_some(cell)
        }));
    }
    read.sort_unstable();
    read.dedup();
    read
}

/// The buffer and the offset of a read of other threads' values, if it is one.
fn offset_in_shared(operation: OperationRef) -> Option<(ValueKey, [i64; 2])> {
    let (buffer, offset) = match (ShiftOp::of(operation), TakeOp::of(operation)) {
        (Some(shift), _) => (shift.via()?, shift.offset()),
        (_, Some(take)) => (take.buffer(), take.offset()?),
        _ => return None,
    };
    Some((ValueKey::of(&buffer), offset_of(offset)))
}

/// An offset in rows and columns.
pub fn offset_of(offset: melior::ir::Attribute) -> [i64; 2] {
    let offset = attributes::integers(offset).and_then(|offset| offset.try_into().ok());
    offset.expect("the verifier checked the offset")
}

/// Distances in warps and lanes to the threads that the points of a register tile read.
fn distances(shape: &Shape, kind: BufferKind, offset: [i64; 2]) -> Vec<[i64; 2]> {
    let (rows, columns) = (shape.tiling.rows, shape.tiling.columns);
    let others = (0..shape.register_tile_size()).map(|cell| {
        let (row, column) = (cell / columns + offset[0], cell % columns + offset[1]);
        [row.div_euclid(rows), column.div_euclid(columns)]
    });
    match kind {
        BufferKind::Rows => others.map(|other| [other[0], 0]).filter(|it| it[0] != 0).collect(),
        BufferKind::Planes => others.filter(|other| *other != [0, 0]).collect(),
        _ => Vec::new(),
    }
}

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
    buffers: HashMap<ValueKey, Buffer>,
    /// The first element of the thread at a distance in warps and lanes, in buffers of a kind and
    /// so many rows.
    row_places: Vec<((BufferKind, usize), [i64; 2], Value<'c, 'a>)>,
    /// The thread's first element in a slot or ring.
    slot_place: Option<Value<'c, 'a>>,
}

impl<'c: 'a, 'a> Shared<'c, 'a> {
    /// Computes the thread's elements.
    pub fn new(
        at: Inserter<'c, 'a>,
        shape: &Shape<'c, 'a>,
        buffer: Value<'c, 'a>,
        layout: &Layout,
        (lane, warp): (Value<'c, 'a>, Value<'c, 'a>),
    ) -> Self {
        let tiling = &shape.tiling;
        let own_columns = builders::times(at, lane, tiling.columns);
        let mut row_places = Vec::new();
        let mut is_own = false;
        for (_, buffer) in &layout.buffers {
            let kind = (buffer.kind, buffer.rows.len());
            match buffer.kind {
                BufferKind::Rows | BufferKind::Planes => {
                    if !row_places.iter().any(|(known, _, _)| *known == kind) {
                        let places = places(at, shape, buffer, &layout.others, (lane, warp));
                        row_places.extend(places.into_iter().map(|(other, at)| (kind, other, at)));
                    }
                }
                BufferKind::Ring | BufferKind::Slot => is_own = true,
                BufferKind::Lines | BufferKind::Halo => {}
            }
        }
        let slot_place = is_own.then(|| {
            let begin = builders::times(at, warp, tiling.lanes * tiling.columns);
            builders::index(at, arith::addi(at, begin, own_columns))
        });
        Self {
            buffer,
            element: shape.element,
            bytes: shape.bytes(),
            columns: tiling.columns,
            lanes: tiling.lanes,
            warps: tiling.warps,
            tile_rows: tiling.rows,
            warps_apart: tiling.warps_apart,
            buffers: layout.buffers.iter().cloned().collect(),
            row_places,
            slot_place,
        }
    }

    /// The place of a buffer of the planes form.
    pub fn buffer_of(&self, buffer: Value<'c, 'a>) -> &Buffer {
        self.buffers.get(&ValueKey::of(&buffer)).expect("all allocations were laid out")
    }

    /// Clears all slots and rows, so that no uninitialized element is read.
    pub fn clear(&self, at: Inserter<'c, 'a>, layout: &Layout) {
        let zero = at.float(self.element, 0.0);
        let register_tile = vec![zero; (self.tile_rows * self.columns) as usize];
        let of_kind = |kinds: &'static [BufferKind]| {
            let buffers = layout.buffers.iter().map(|(_, buffer)| buffer);
            buffers.filter(|buffer| kinds.contains(&buffer.kind))
        };
        for buffer in of_kind(&[BufferKind::Slot]) {
            self.store_slot(at, buffer, &register_tile);
        }
        let mut is_exchanged = false;
        for buffer in of_kind(&[BufferKind::Rows, BufferKind::Planes]) {
            is_exchanged = true;
            for copy in 0..buffer.copies {
                self.store_rows(at, (buffer, copy), &register_tile);
            }
        }
        if is_exchanged {
            self.barrier(at);
        }
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
    pub fn ring_place(
        &self,
        at: Inserter<'c, 'a>,
        (ring, stage): (&Buffer, i64),
        row: i64,
    ) -> Value<'c, 'a> {
        self.place(at, ring.begin + stage * ring.elements, row)
    }

    /// A register tile out of a stage of the ring.
    pub fn load_ring(
        &self,
        at: Inserter<'c, 'a>,
        (ring, stage): (&Buffer, i64),
    ) -> Vec<Value<'c, 'a>> {
        self.load_register_tile(at, ring.begin + stage * ring.elements)
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
    pub fn load_slot(&self, at: Inserter<'c, 'a>, slot: &Buffer) -> Vec<Value<'c, 'a>> {
        self.load_register_tile(at, slot.begin)
    }

    /// A register tile into a slot.
    pub fn store_slot(&self, at: Inserter<'c, 'a>, slot: &Buffer, register_tile: &[Value<'c, 'a>]) {
        for (row, values) in register_tile.chunks(self.columns as usize).enumerate() {
            self.store(at, values, self.place(at, slot.begin, row as i64));
        }
    }

    /// Stores the rows of a register tile that others read into a copy.
    pub fn store_rows(
        &self,
        at: Inserter<'c, 'a>,
        (buffer, copy): (&Buffer, i64),
        register_tile: &[Value<'c, 'a>],
    ) {
        for (place, row) in buffer.rows.iter().enumerate() {
            let first = (row * self.columns) as usize;
            let values = &register_tile[first..first + self.columns as usize];
            let place = self.row_place(at, [0, 0], (buffer, copy), place as i64);
            if buffer.kind == BufferKind::Rows {
                self.store(at, values, place);
                continue;
            }
            let is_read = |column: &usize| buffer.cells.contains(&((first + column) as i64));
            for (column, value) in values.iter().enumerate().filter(|it| is_read(&it.0)) {
                let place = builders::plus(at, place, column as i64 * self.lanes);
                builders::store(at, &[*value], self.buffer, place, self.bytes);
            }
        }
    }

    /// The thread's own register tile, out of a copy of a whole plane.
    pub fn load_own(
        &self,
        at: Inserter<'c, 'a>,
        (buffer, copy): (&Buffer, i64),
    ) -> Vec<Value<'c, 'a>> {
        let plane = RowsOf { shared: self, buffer: buffer.clone(), copy };
        let cells = 0..self.tile_rows * self.columns;
        cells.map(|cell| plane.load_cell(at, cell / self.columns, cell % self.columns)).collect()
    }

    fn row_place(
        &self,
        at: Inserter<'c, 'a>,
        other: [i64; 2],
        (buffer, copy): (&Buffer, i64),
        stored: i64,
    ) -> Value<'c, 'a> {
        let kind = (buffer.kind, buffer.rows.len());
        let places = self.row_places.iter();
        let (_, _, place) = *places
            .clone()
            .find(|(known, distance, _)| (*known, *distance) == (kind, other))
            .expect("the elements of all threads that are read were computed");
        let row = self.lanes * self.columns;
        builders::plus(at, place, buffer.begin + copy * buffer.elements + stored * row)
    }

    /// The rows in a copy.
    pub fn rows_of(&self, buffer: Value<'c, 'a>, copy: i64) -> RowsOf<'c, 'a, '_> {
        RowsOf { shared: self, buffer: self.buffer_of(buffer).clone(), copy }
    }
}

/// The first elements of a thread, and of those that it reads from, clamped to the tile: values
/// beyond it are not used.
fn places<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    shape: &Shape<'c, 'a>,
    buffer: &Buffer,
    others: &[[i64; 2]],
    (lane, warp): (Value<'c, 'a>, Value<'c, 'a>),
) -> Vec<([i64; 2], Value<'c, 'a>)> {
    let tiling = &shape.tiling;
    let per_warp = buffer.rows.len() as i64 * tiling.lanes * tiling.columns;
    let per_lane = if buffer.kind == BufferKind::Planes { 1 } else { tiling.columns };
    let moved = |value: Value<'c, 'a>, distance: i64, count: i64| match distance {
        0 => value,
        _ => builders::clamped(at, builders::plus(at, value, distance), 0, count),
    };
    let own = std::iter::once([0, 0]).filter(|own| !others.contains(own));
    own.chain(others.iter().copied())
        .map(|other| {
            let [warps, lanes] = other;
            let begin = builders::times(at, moved(warp, warps, tiling.warps), per_warp);
            let columns = builders::times(at, moved(lane, lanes, tiling.lanes), per_lane);
            let place = arith::addi(at, begin, columns);
            (other, builders::index(at, place))
        })
        .collect()
}

/// Rows of a plane in a copy.
pub struct RowsOf<'c, 'a, 'k> {
    shared: &'k Shared<'c, 'a>,
    buffer: Buffer,
    copy: i64,
}

impl<'c: 'a, 'a> RowsOf<'c, 'a, '_> {
    /// A row outside of the register tile, the thread's columns.
    pub fn load(&self, at: Inserter<'c, 'a>, row: i64) -> Vec<Value<'c, 'a>> {
        self.shared.load(at, self.place(at, row, 0))
    }

    /// Whether they are all rows of a plane, of which single cells can be read.
    pub fn are_whole(&self) -> bool {
        self.buffer.kind == BufferKind::Planes
    }

    /// A cell of a whole plane, counted from the first of the thread's register tile.
    pub fn load_cell(&self, at: Inserter<'c, 'a>, row: i64, column: i64) -> Value<'c, 'a> {
        let shared = self.shared;
        let (lanes, column) =
            (column.div_euclid(shared.columns), column.rem_euclid(shared.columns));
        let place = builders::plus(at, self.place(at, row, lanes), column * shared.lanes);
        builders::load(at, shared.buffer, place, (shared.element, shared.bytes, 1))[0]
    }

    /// The first element in a row, counted from the first of the register tile, of the thread so
    /// many lanes on.
    fn place(&self, at: Inserter<'c, 'a>, row: i64, lanes: i64) -> Value<'c, 'a> {
        let shared = self.shared;
        let (warps, own) = (row.div_euclid(shared.tile_rows), row.rem_euclid(shared.tile_rows));
        let stored = self.buffer.rows.iter().position(|stored| *stored == own);
        let stored = stored.expect("every row that is read is stored") as i64;
        shared.row_place(at, [warps, lanes], (&self.buffer, self.copy), stored)
    }
}
