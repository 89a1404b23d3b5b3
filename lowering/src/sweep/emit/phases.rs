//! The loop over planes, in phases: planes are checked against the domain only near its ends.

use super::{
    cells::{Cells, Mask},
    copies,
    iteration::{Iteration, Kernel, Version, types},
    tiles::Tiles,
};
use crate::{builders, gpu::size::Size};
use melior::ir::Value;
use std::ops::RangeInclusive;
use stencil_dialects::{
    build::{self, Compare, Inserter},
    ods::{
        arith, scf,
        sweep::{CopyAsyncOp, FetchOp},
    },
    walk,
};
use stencil_passes::framework::PassResult;

/// What iterations pass on: tiles, and so many places in circular arrays.
struct State<'c, 'a> {
    values: Vec<Value<'c, 'a>>,
    places: usize,
}

impl<'c: 'a, 'a> Kernel<'c, 'a> {
    /// Emits the kernel for tiles of a known lateral position.
    pub fn emit(&self, at: Inserter<'c, 'a>, cells: &Cells<'c, 'a, '_>) -> PassResult {
        let mask = Mask::new(at, cells);
        let version = Version { kernel: self, cells, mask: &mask };
        let first = self.thread.plane(at, &self.shape, self.thread.arrival);
        let place = self.lines.as_ref().map(|lines| lines.first);
        let counters = self.halos.as_ref().map(|halos| halos.first(at)).unwrap_or_default();
        let places = place.into_iter().chain(counters).collect::<Vec<_>>();
        let start = Iteration { at, turn: 0, plane: first, places: places.clone() };
        let mut tiles = self.tiles();
        version.before(&start, &mut tiles)?;
        if cells.frame().is_some() && self.halos.is_none() {
            if self.shape.plan.loads.ring().is_none() {
                copies::copy_frame(at, cells, first);
            }
            version.finish(at);
            self.shared().barrier(at);
        }
        let body = self.planes.body();
        let mut inits = self.tiles();
        let mut values = Vec::new();
        for (position, init) in self.planes.inits().into_iter().enumerate() {
            let own = tiles.values(at, init);
            values.extend(own.iter().copied());
            inits.bind(build::argument(body, position), own);
        }
        if self.shape.rank == 1 {
            let plane = at.integer(self.shape.number, 0);
            return version.iterate(&Iteration { plane, ..start }, inits).map(|_| ());
        }
        let count = places.len();
        values.extend(places);
        self.phases(at, cells, State { values, places: count })
    }

    /// The loop over planes in three parts: planes before the domain and its first ones, planes
    /// inside, and the rest. Only the second omits checks of planes; for most chunks the others
    /// have no iteration.
    fn phases(
        &self,
        at: Inserter<'c, 'a>,
        cells: &Cells<'c, 'a, '_>,
        state: State<'c, 'a>,
    ) -> PassResult {
        let number = self.shape.number;
        let constant = |value: i64| at.integer(number, value);
        let streamed = &self.shape.tiling.streamed;
        let extent = arith::subi(at, self.thread.end, self.thread.first);
        // Planes are counted from the first that arrives.
        let mut count = builders::plus(at, extent, streamed.warm_up() + streamed.delay());
        if self.shape.counts.range.is_some() {
            // A chunk without planes has nothing to compute.
            let is_some = at.compare(Compare::Less, constant(0), extent);
            count = arith::select(at, is_some, count, constant(0));
        }
        let (begin, end) = self.certain_planes(at, count);
        let types = types(&state.values);
        let mut arguments = vec![number];
        arguments.extend(&types);
        let region = build::region_with_block(&arguments, at.location());
        let mut operands = vec![constant(0), constant(3), constant(1)];
        operands.extend(&state.values);
        let phases = at.create(scf::FOR, &operands, &[], &types, vec![region]);
        let block = build::block_of(phases, 0);
        let inside = Inserter::at_end(block, at.location());
        let phase = build::argument(block, 0);
        let values = (0..types.len()).map(|i| build::argument(block, i + 1)).collect();
        let state = State { values, ..state };
        let is_phase =
            |value: i64| inside.compare(Compare::Equal, phase, inside.integer(number, value));
        let choose = |one, two, three| {
            let late = inside.value(arith::SELECT, &[is_phase(1), two, three], &[], number);
            inside.value(arith::SELECT, &[is_phase(0), one, late], &[], number)
        };
        let none = inside.integer(number, 0);
        let bounds = [choose(none, begin, end), choose(begin, end, count)];
        let region = || build::region_with_block(&[], at.location());
        let regions = vec![region(), region()];
        let branch = inside.create(scf::IF, &[is_phase(1)], &[], &types, regions);
        for (number, cells) in [cells.with_certain_planes(), cells.clone()].iter().enumerate() {
            let at = Inserter::at_end(build::block_of(branch, number), at.location());
            let last = self.planes(at, cells, bounds, &state)?;
            scf::r#yield(at, &last);
        }
        let last = (0..types.len()).map(|position| build::result(branch, position));
        inside.create(scf::YIELD, &last.collect::<Vec<_>>(), &[], &[], Vec::new());
        Ok(())
    }

    /// Iterations that are unrolled into one.
    fn turns(&self) -> i64 {
        self.planes.turns().unwrap_or(1)
    }

    /// Planes per iteration of the unrolled loop.
    fn planes_per_period(&self) -> i64 {
        self.turns() * self.shape.tiling.streamed.lines
    }

    /// Distances from the arriving plane to those that lie in the domain where it is certain that
    /// planes do: from the one that the last level but one computes to the last in flight.
    pub fn certain_distances(&self) -> RangeInclusive<i64> {
        let streamed = &self.shape.tiling.streamed;
        let on_the_way = (self.shape.ring().max(2) - 1) * streamed.lines;
        let oldest = match self.shape.may_leave_fields {
            true => self.oldest_fetch().max(self.shape.oldest_boundary),
            false => self.shape.oldest_boundary,
        };
        let oldest = oldest.max(self.shape.oldest_compared);
        -oldest..=on_the_way
    }

    /// The planes between the arriving one and the last that is fetched or copied.
    fn oldest_fetch(&self) -> i64 {
        let operations = walk::operations(self.planes.body()).into_iter();
        let planes = operations.filter_map(|operation| {
            let copied = || CopyAsyncOp::of(operation).map(|copy| -copy.plane());
            FetchOp::of(operation).map(|fetch| -fetch.plane()).or_else(copied)
        });
        planes.max().unwrap_or(0).max(0)
    }

    /// The range of arriving planes for which every plane that is read, computed or in flight is in
    /// the domain, as a multiple of the unrolled loop's planes.
    fn certain_planes(
        &self,
        at: Inserter<'c, 'a>,
        count: Value<'c, 'a>,
    ) -> (Value<'c, 'a>, Value<'c, 'a>) {
        let shape = &self.shape;
        let period = self.planes_per_period();
        let constant = |value: i64| at.integer(shape.number, value);
        let distances = self.certain_distances();
        let (oldest, on_the_way) = (-distances.start(), *distances.end());
        let whole = |value: Value<'c, 'a>| {
            let zero = arith::maxsi(at, value, constant(0));
            let periods = arith::divui(at, zero, constant(period));
            builders::times(at, periods, period)
        };
        let before = |plane: i64, more: i64| {
            let plane = shape.size(0, plane) + Size::from(more);
            arith::subi(at, shape.value(at, shape.number, &plane), self.thread.arrival)
        };
        let begin = whole(before(shape.common.0[0], oldest + period - 1));
        let end = whole(before(shape.common.1[0], -on_the_way));
        // The last iteration may exceed the chunk: what it computes there is not stored.
        let count = whole(builders::plus(at, count, period - 1));
        let begin = arith::minsi(at, begin, count);
        let end = arith::minsi(at, end, count);
        (begin, arith::maxsi(at, begin, end))
    }

    /// A loop over a range of planes; returns its final state.
    fn planes(
        &self,
        at: Inserter<'c, 'a>,
        cells: &Cells<'c, 'a, '_>,
        [begin, end]: [Value<'c, 'a>; 2],
        state: &State<'c, 'a>,
    ) -> PassResult<Vec<Value<'c, 'a>>> {
        let number = self.shape.number;
        let mask = Mask::new(at, cells);
        let types = types(&state.values);
        let mut arguments = vec![number];
        arguments.extend(&types);
        let region = build::region_with_block(&arguments, at.location());
        let mut operands = vec![begin, end, at.integer(number, self.planes_per_period())];
        operands.extend(&state.values);
        let planes = at.create(scf::FOR, &operands, &[], &types, vec![region]);
        let block = build::block_of(planes, 0);
        let inside = Inserter::at_end(block, at.location());
        let carried = (0..types.len()).map(|i| build::argument(block, i + 1)).collect::<Vec<_>>();
        let (mut tiles, mut places) = self.carried(&carried, state.places);
        let first = inside.binary(arith::ADDI, build::argument(block, 0), self.thread.arrival);
        let first = self.thread.plane(inside, &self.shape, first);
        let version = Version { kernel: self, cells, mask: &mask };
        for turn in 0..self.turns() {
            let distance = turn * self.shape.tiling.streamed.lines;
            let plane = builders::plus(inside, first, distance);
            let iteration = Iteration { at: inside, turn, plane, places };
            tiles = version.iterate(&iteration, tiles)?;
            places = self.next_places(inside, &iteration.places);
        }
        let body = self.planes.body();
        let arguments = (0..self.planes.inits().len()).map(|i| build::argument(body, i));
        let last = arguments.flat_map(|argument| tiles.values(inside, argument));
        let last = last.chain(places).collect::<Vec<_>>();
        inside.create(scf::YIELD, &last, &[], &[], Vec::new());
        Ok((0..types.len()).map(|position| build::result(planes, position)).collect())
    }

    /// The places in circular arrays in the next iteration.
    fn next_places(&self, at: Inserter<'c, 'a>, places: &[Value<'c, 'a>]) -> Vec<Value<'c, 'a>> {
        match (&self.lines, &self.halos) {
            (Some(lines), _) => places.iter().map(|place| lines.next(at, *place)).collect(),
            (None, Some(halos)) => halos.next(at, places),
            (None, None) => Vec::new(),
        }
    }

    /// The tiles, and so many places in circular arrays, that an iteration gets.
    fn carried<'k>(
        &self,
        values: &[Value<'c, 'a>],
        places: usize,
    ) -> (Tiles<'c, 'a, 'k>, Vec<Value<'c, 'a>>) {
        let body = self.planes.body();
        let mut tiles = self.tiles();
        let count = self.shape.register_tile_size() as usize;
        for (position, own) in
            values.chunks_exact(count).take(self.planes.inits().len()).enumerate()
        {
            tiles.bind(build::argument(body, position), own.to_vec());
        }
        (tiles, values[values.len() - places..].to_vec())
    }
}
