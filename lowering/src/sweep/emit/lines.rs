//! Lines in circular arrays: in two dimensions a block computes several lines of the grid per
//! iteration, one for each row of its threads.
//!
//! The lines of all levels are at constant distances, so one rotating position, and a few before
//! it, serve all levels.
//!
//! An array has exactly as many lines as needed: a position before the first wraps to the end by
//! one unsigned minimum, in which negative numbers are large. That is one instruction after the
//! addition, as is a mask, which is used for powers of two. Rounding the length up to use a mask
//! would lower occupancy.
//!
//! The first columns of all threads of a line are contiguous, then the second ones, and so on: a
//! warp accesses contiguous addresses, whichever column it is. Threads at the ends of a line are
//! clamped to it.

use super::{
    shared::{Buffer, offset_of},
    thread::Thread,
};
use crate::{builders, sweep::shape::Shape};
use melior::ir::{Type, Value, ValueLike};
use stencil_dialects::{
    build::{Compare, Inserter},
    ods::{
        arith, gpu,
        sweep::{ShiftOp, TakeOp, TiledOp},
    },
    walk,
};

/// Sizes of the circular arrays of a kernel, one for each level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinePlan {
    /// Lines of an array.
    kept: i64,
    /// Elements of a line.
    width: i64,
    /// Elements where the arrays begin.
    begins: Vec<i64>,
}

impl LinePlan {
    /// The arrays of a kernel whose blocks compute several lines at once.
    pub fn of<'k>(lines: impl Iterator<Item = &'k Buffer>) -> Option<LinePlan> {
        let lines = lines.collect::<Vec<_>>();
        let first = lines.first()?;
        let begins = lines.iter().map(|buffer| buffer.begin).collect();
        Some(LinePlan { kept: first.copies, width: first.elements, begins })
    }

    /// Elements of an array.
    fn elements(&self) -> i64 {
        self.kept * self.width
    }

    /// Wraps a position that may be before the first by less than the length.
    fn wrapped<'c: 'a, 'a>(&self, at: Inserter<'c, 'a>, place: Value<'c, 'a>) -> Value<'c, 'a> {
        let elements = self.elements();
        if (elements as u64).is_power_of_two() {
            let mask = at.integer(place.r#type(), elements - 1);
            return arith::andi(at, place, mask);
        }
        arith::minui(at, place, builders::plus(at, place, elements))
    }
}

/// The circular arrays of a block, and the thread's positions in them.
pub struct Lines<'c, 'a> {
    plan: LinePlan,
    buffer: Value<'c, 'a>,
    element: Type<'c>,
    bytes: i64,
    lanes: i64,
    columns: i64,
    /// Lines of an iteration.
    at_once: i64,
    /// The thread's place in an array in the first iteration.
    pub first: Value<'c, 'a>,
    /// Elements to the threads that are read from, by their distance in lanes.
    others: Vec<(i64, Value<'c, 'a>)>,
}

impl<'c: 'a, 'a> Lines<'c, 'a> {
    /// Computes the thread's positions.
    pub fn new(
        at: Inserter<'c, 'a>,
        shape: &Shape<'c, 'a>,
        thread: &Thread<'c, 'a>,
        (tiled, plan, buffer): (TiledOp<'c, 'a>, LinePlan, Value<'c, 'a>),
    ) -> Self {
        let tiling = &shape.tiling;
        let line = builders::times(at, thread.warp, plan.width);
        let others = lanes_apart(tiled, shape).into_iter().map(|lanes| {
            let lane = builders::plus(at, thread.lane, lanes);
            let other = builders::clamped(at, lane, 0, tiling.lanes);
            (lanes, arith::subi(at, other, thread.lane))
        });
        Self {
            plan,
            buffer,
            element: shape.element,
            bytes: shape.bytes(),
            lanes: tiling.lanes,
            columns: tiling.columns,
            at_once: tiling.streamed.lines,
            first: arith::addi(at, line, thread.lane),
            others: others.collect(),
        }
    }

    /// Clears all arrays, as the first iteration reads lines that were not written. Levels with a
    /// lazy skew read them before the first barrier.
    pub fn clear(&self, at: Inserter<'c, 'a>, levels_wait: bool) {
        let zeros = vec![at.float(self.element, 0.0); self.columns as usize];
        for first in (self.at_once..self.plan.kept).step_by(self.at_once as usize) {
            let place = builders::plus(at, self.first, first * self.plan.width);
            let end = at.integer(place.r#type(), self.plan.elements());
            builders::when(at, at.compare(Compare::Less, place, end), |at| {
                self.plan.begins.iter().for_each(|begin| self.store(at, *begin, place, &zeros));
            });
        }
        if levels_wait {
            gpu::barrier(at);
        }
    }

    /// Stores the thread's part of a line at a position of an array.
    pub fn store(
        &self,
        at: Inserter<'c, 'a>,
        begin: i64,
        place: Value<'c, 'a>,
        register_tile: &[Value<'c, 'a>],
    ) {
        for (column, value) in register_tile.iter().enumerate() {
            let cell = self.cell(at, begin, place, column as i64);
            builders::store(at, &[*value], self.buffer, cell, self.bytes);
        }
    }

    /// A column of the thread at a position of an array.
    fn cell(
        &self,
        at: Inserter<'c, 'a>,
        begin: i64,
        place: Value<'c, 'a>,
        column: i64,
    ) -> Value<'c, 'a> {
        builders::plus(at, builders::index(at, place), begin + column * self.lanes)
    }

    /// The position so many lines before another.
    pub fn before(&self, at: Inserter<'c, 'a>, place: Value<'c, 'a>, lines: i64) -> Value<'c, 'a> {
        match lines {
            0 => place,
            _ => self.plan.wrapped(at, builders::plus(at, place, -lines * self.plan.width)),
        }
    }

    /// The thread's place in the next iteration.
    pub fn next(&self, at: Inserter<'c, 'a>, place: Value<'c, 'a>) -> Value<'c, 'a> {
        let distance = self.at_once * self.plan.width - self.plan.elements();
        self.plan.wrapped(at, builders::plus(at, place, distance))
    }
}

/// Distances in lanes to the threads whose columns a register tile reads.
fn lanes_apart(tiled: TiledOp, shape: &Shape) -> Vec<i64> {
    let columns = shape.tiling.columns;
    let reads = walk::nested(tiled.operation()).into_iter().filter_map(|operation| {
        let shifted = ShiftOp::of(operation).map(|shift| shift.offset());
        shifted.or_else(|| TakeOp::of(operation).and_then(|take| take.offset()))
    });
    let lanes = reads.flat_map(|offset| {
        let [_, along] = offset_of(offset);
        (0..columns).map(move |column| (column + along).div_euclid(columns))
    });
    let mut lanes = lanes.filter(|lanes| *lanes != 0).collect::<Vec<_>>();
    lanes.sort_unstable();
    lanes.dedup();
    lanes
}

/// A line of a level, as a thread sees it.
pub struct Line<'c, 'a, 'k> {
    /// The circular arrays.
    pub lines: &'k Lines<'c, 'a>,
    /// Element where its array begins.
    pub begin: i64,
    /// The thread's place in it.
    pub place: Value<'c, 'a>,
}

impl<'c: 'a, 'a> Line<'c, 'a, '_> {
    /// A cell, counted from the first of the thread's register tile.
    pub fn load_cell(&self, at: Inserter<'c, 'a>, column: i64) -> Value<'c, 'a> {
        let lines = self.lines;
        let (lanes, column) = (column.div_euclid(lines.columns), column.rem_euclid(lines.columns));
        let place = match lines.others.iter().find(|(known, _)| *known == lanes) {
            Some((_, distance)) => arith::addi(at, self.place, *distance),
            None => self.place,
        };
        let cell = lines.cell(at, self.begin, place, column);
        builders::load(at, lines.buffer, cell, (lines.element, lines.bytes, 1))[0]
    }

    /// The thread's own cells.
    pub fn load_own(&self, at: Inserter<'c, 'a>) -> Vec<Value<'c, 'a>> {
        (0..self.lines.columns).map(|column| self.load_cell(at, column)).collect()
    }
}
