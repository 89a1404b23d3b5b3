//! Lines in circular arrays: in two dimensions a block computes several lines of the grid per
//! iteration, one for each row of its threads.
//!
//! Each level keeps the arriving lines, those within its radius, and with a lazy skew those delayed
//! by an iteration, all of them in shared memory, as a thread's next inputs were computed by
//! others. If the level after the next reads them too, they are kept until then. Every value is
//! loaded from there, except the thread's own of the newest line. The lines of all levels are at
//! constant distances, so one rotating position, and a few before it, serve all levels.
//!
//! An array has exactly as many lines as needed: a position before the first wraps to the end by
//! one unsigned minimum, in which negative numbers are large. That is one instruction after the
//! addition, as is a mask, which is used for powers of two. Rounding the length up to use a mask
//! would lower occupancy.
//!
//! One barrier per level separates its stores from other threads' loads. With two or more levels,
//! the barriers of the other levels also protect the oldest lines from being overwritten early. One
//! level, and levels with a lazy skew, which need no barrier of their own, have one at the end of
//! the iteration.
//!
//! The first columns of all threads of a line are contiguous, then the second ones, and so on: a
//! warp accesses contiguous addresses, whichever column it is. Threads at the ends of a line are
//! clamped to it.

use super::{
    cells::{Cells, Mask},
    exchange,
    plane::{Plane, SharedPlane},
    shape::Shape,
    stream::{Iteration, State, Stream},
    thread::Thread,
};
use crate::builders;
use melior::ir::{Type, Value, ValueLike};
use stencil_dialects::{
    build::{Compare, Inserter},
    ods::{arith, gpu},
    types,
};
use stencil_passes::framework::PassResult;

/// Sizes of the circular arrays of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinePlan {
    /// Lines of an array.
    kept: i64,
    /// Elements of a line.
    width: i64,
    /// Arrays: one for each level below the last.
    levels: i64,
}

impl LinePlan {
    /// The arrays of a kernel whose blocks compute several lines at once.
    pub fn of(shape: &Shape) -> Option<LinePlan> {
        let tiling = &shape.tiling;
        let streamed = &tiling.streamed;
        let mut oldest = i64::from(streamed.reach.span()) + streamed.lag;
        if shape.kernel.carried().len() > 1 && streamed.steps > 1 {
            oldest = oldest.max(two_levels_on(shape));
        }
        tiling.takes_lines().then(|| LinePlan {
            kept: streamed.lines + oldest,
            width: tiling.lanes * tiling.columns,
            levels: streamed.steps,
        })
    }

    /// Elements of an array.
    fn elements(&self) -> i64 {
        self.kept * self.width
    }

    /// Elements of all arrays.
    pub fn total(&self) -> i64 {
        self.levels * self.elements()
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
    /// Element where the first array begins.
    begin: i64,
    element: Type<'c>,
    bytes: i64,
    lanes: i64,
    columns: i64,
    /// Lines of an iteration.
    at_once: i64,
    /// The thread's place in an array in the first iteration.
    first: Value<'c, 'a>,
    /// Elements to the threads that are read from, by their distance in lanes.
    others: Vec<(i64, Value<'c, 'a>)>,
}

impl<'c: 'a, 'a> Lines<'c, 'a> {
    /// Computes the thread's positions.
    pub fn new(
        at: Inserter<'c, 'a>,
        shape: &Shape<'c, 'a>,
        thread: &Thread<'c, 'a>,
        (plan, buffer, begin): (LinePlan, Value<'c, 'a>, i64),
    ) -> Self {
        let tiling = &shape.tiling;
        let line = builders::times(at, thread.warp, plan.width);
        let others = lanes_apart(shape).into_iter().map(|lanes| {
            let lane = builders::plus(at, thread.lane, lanes);
            let other = builders::clamped(at, lane, 0, tiling.lanes);
            (lanes, arith::subi(at, other, thread.lane))
        });
        Self {
            plan,
            buffer,
            begin,
            element: shape.element,
            bytes: types::element_bytes(shape.element).map_or(1, i64::from),
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
                (1..=self.plan.levels).for_each(|level| self.store_line(at, level, place, &zeros));
            });
        }
        if levels_wait {
            gpu::barrier(at);
        }
    }

    /// Stores a line of the level below a given one.
    fn store_line(
        &self,
        at: Inserter<'c, 'a>,
        level: i64,
        place: Value<'c, 'a>,
        register_tile: &[Value<'c, 'a>],
    ) {
        for (column, value) in register_tile.iter().enumerate() {
            let cell = self.cell(at, level, place, column as i64);
            builders::store(at, &[*value], self.buffer, cell, self.bytes);
        }
    }

    /// A column of the thread at a position of the array that a level reads.
    fn cell(
        &self,
        at: Inserter<'c, 'a>,
        level: i64,
        place: Value<'c, 'a>,
        column: i64,
    ) -> Value<'c, 'a> {
        let begin = self.begin + (level - 1) * self.plan.elements();
        builders::plus(at, builders::index(at, place), begin + column * self.lanes)
    }

    /// The position so many lines before another.
    fn before(&self, at: Inserter<'c, 'a>, place: Value<'c, 'a>, lines: i64) -> Value<'c, 'a> {
        match lines {
            0 => place,
            _ => self.plan.wrapped(at, builders::plus(at, place, -lines * self.plan.width)),
        }
    }

    /// The thread's place in the next iteration.
    fn next(&self, at: Inserter<'c, 'a>, place: Value<'c, 'a>) -> Value<'c, 'a> {
        let distance = self.at_once * self.plan.width - self.plan.elements();
        self.plan.wrapped(at, builders::plus(at, place, distance))
    }
}

/// Distance in lines from a level's newest line to the one that the level after the next computes.
fn two_levels_on(shape: &Shape) -> i64 {
    shape.tiling.streamed.behind(2)
}

/// Distances in lanes to the threads whose columns a register tile reads.
fn lanes_apart(shape: &Shape) -> Vec<i64> {
    let columns = shape.tiling.columns;
    let mut lanes = exchange::newest(shape)
        .flat_map(|access| {
            let [_, _, along] = shape.offset(access);
            (0..columns).map(move |column| (column + along).div_euclid(columns))
        })
        .filter(|lanes| *lanes != 0)
        .collect::<Vec<_>>();
    lanes.sort_unstable();
    lanes.dedup();
    lanes
}

/// A line of a level, as a thread sees it.
pub struct Line<'c, 'a, 'k> {
    lines: &'k Lines<'c, 'a>,
    /// The level that reads it.
    level: i64,
    /// The thread's place in it.
    place: Value<'c, 'a>,
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
        let cell = lines.cell(at, self.level, place, column);
        builders::load(at, lines.buffer, cell, (lines.element, lines.bytes, 1))[0]
    }

    /// The thread's own cells.
    fn load_own(&self, at: Inserter<'c, 'a>) -> Vec<Value<'c, 'a>> {
        (0..self.lines.columns).map(|column| self.load_cell(at, column)).collect()
    }
}

impl<'c: 'a, 'a> Stream<'c, 'a, '_> {
    /// The state before the first iteration: the thread's position only.
    pub(super) fn start_lines(&self, lines: &Lines<'c, 'a>) -> State<'c, 'a> {
        State { place: vec![lines.first], ..State::default() }
    }

    /// Computes the lines of an iteration at all levels.
    pub(super) fn iterate_lines(
        &self,
        lines: &Lines<'c, 'a>,
        iteration: &Iteration<'c, 'a>,
        cells: &Cells<'c, 'a, '_>,
        mask: &Mask<'c, 'a>,
        mut state: State<'c, 'a>,
    ) -> PassResult<State<'c, 'a>> {
        let at = iteration.at;
        let streamed = &self.shape.tiling.streamed;
        let span = i64::from(streamed.reach.span());
        let mut register_tile = self.arrive(iteration, cells, mask, &mut state);
        let own = state.place[0];
        // From the oldest line that a level reads to the newest.
        let places = (streamed.lag..=streamed.lag + span).rev();
        let places = places.map(|back| lines.before(at, own, back)).collect::<Vec<_>>();
        let two_levels = self.carried.len() > 1;
        let mut oldest = None;
        for level in 1..=self.steps() {
            lines.store_line(at, level, own, &register_tile);
            if !self.is_lazy() {
                self.barrier(at);
            }
            let plane = builders::plus(at, iteration.plane, -streamed.behind(level));
            let older = self.older((at, cells, mask), level, plane, oldest.take());
            if two_levels && level < self.steps() {
                let place = lines.before(at, own, two_levels_on(self.shape));
                oldest = Some(Line { lines, level, place }.load_own(at));
            }
            let columns = self.shape.tiling.columns;
            let mut planes = places
                .iter()
                .map(|place| SharedPlane::Line(Line { lines, level, place: *place }))
                .map(|line| Plane::new(Vec::new(), columns, Some(line)))
                .collect::<Vec<_>>();
            if let (false, Some(newest), Some(place)) =
                (self.is_lazy(), planes.last_mut(), places.last())
            {
                let line = SharedPlane::Line(Line { lines, level, place: *place });
                *newest = Plane::new(register_tile, columns, Some(line));
            }
            let first = -i64::from(streamed.reach.behind);
            let around = self.surroundings(iteration, cells, &planes, first, plane, &older);
            let stage = &self.stages.stages[0];
            let computed = self.points(&around, level, stage, &[], &[self.yielded()])?;
            register_tile = self.complete(iteration, cells, mask, (level, plane), computed);
        }
        self.finish_iteration(at, cells, mask, self.is_lazy() || self.steps() == 1);
        state.place = vec![lines.next(at, own)];
        Ok(state)
    }
}
