//! The loop over planes, in phases: planes are checked against the domain only near its ends.

use super::{
    cells::{Cells, Mask},
    stream::{Iteration, State, Stream},
};
use crate::builders;
use melior::ir::{Value, ValueLike};
use stencil_dialects::{
    build::{self, Compare, Inserter},
    ods::{arith, scf},
};
use stencil_passes::framework::PassResult;

impl<'c: 'a, 'a> Stream<'c, 'a, '_> {
    /// Emits the kernel for tiles of a known lateral position.
    pub fn emit(&self, at: Inserter<'c, 'a>, cells: &Cells<'c, 'a, '_>) -> PassResult {
        let mask = Mask::new(at, cells);
        let source = self.source(cells, &mask);
        let mut state = self.start(at);
        state.in_flight = source.start(at, self.thread.plane(at, self.shape, self.thread.arrival));
        if cells.frame().is_some() {
            source.finish(at);
            self.barrier(at);
        }
        if self.shape.rank == 1 {
            let plane = at.integer(self.shape.number, 0);
            let iteration = Iteration { at, number: 0, plane };
            return self.iterate(&iteration, cells, &mask, state).map(|_| ());
        }
        self.phases(at, cells, state)
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
        let count = builders::plus(at, extent, streamed.warm_up() + streamed.delay());
        let (begin, end) = self.certain_planes(at, count);
        let values = state.values();
        let types = values.iter().map(ValueLike::r#type).collect::<Vec<_>>();
        let mut arguments = vec![number];
        arguments.extend(&types);
        let region = build::region_with_block(&arguments, at.location());
        let mut operands = vec![constant(0), constant(3), constant(1)];
        operands.extend(&values);
        let phases = at.create(scf::FOR, &operands, &[], &types, vec![region]);
        let block = build::block_of(phases, 0);
        let inside = Inserter::at_end(block, at.location());
        let phase = build::argument(block, 0);
        let carried = (0..values.len()).map(|i| build::argument(block, i + 1)).collect::<Vec<_>>();
        let state = state.with(&carried);
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

    /// Planes per iteration of the unrolled loop.
    fn planes_per_period(&self) -> i64 {
        self.unroll() * self.shape.tiling.streamed.lines
    }

    /// The range of arriving planes for which every plane that is read, computed or in flight is in
    /// the domain, as a multiple of the unrolled loop's planes.
    fn certain_planes(
        &self,
        at: Inserter<'c, 'a>,
        count: Value<'c, 'a>,
    ) -> (Value<'c, 'a>, Value<'c, 'a>) {
        let shape = self.shape;
        let (streamed, period) = (&shape.tiling.streamed, self.planes_per_period());
        let constant = |value: i64| at.integer(shape.number, value);
        let oldest = streamed.behind(streamed.steps - 1);
        let on_the_way = (shape.ring().max(2) - 1) * streamed.lines;
        let whole = |value: Value<'c, 'a>| {
            let zero = arith::maxsi(at, value, constant(0));
            let periods = arith::divui(at, zero, constant(period));
            builders::times(at, periods, period)
        };
        let before = |plane: i64| arith::subi(at, constant(plane), self.thread.arrival);
        let begin = whole(before(shape.lower[0] + oldest + period - 1));
        let end = whole(before(shape.upper[0] - on_the_way));
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
        let values = state.values();
        let types = values.iter().map(ValueLike::r#type).collect::<Vec<_>>();
        let mut arguments = vec![number];
        arguments.extend(&types);
        let region = build::region_with_block(&arguments, at.location());
        let mut operands = vec![begin, end, at.integer(number, self.planes_per_period())];
        operands.extend(&values);
        let planes = at.create(scf::FOR, &operands, &[], &types, vec![region]);
        let block = build::block_of(planes, 0);
        let inside = Inserter::at_end(block, at.location());
        let carried = (0..values.len()).map(|i| build::argument(block, i + 1)).collect::<Vec<_>>();
        let mut state = state.with(&carried);
        let first = inside.binary(arith::ADDI, build::argument(block, 0), self.thread.arrival);
        let first = self.thread.plane(inside, self.shape, first);
        for number in 0..self.unroll() {
            let plane = builders::plus(inside, first, number * self.shape.tiling.streamed.lines);
            let iteration = Iteration { at: inside, number, plane };
            state = self.iterate(&iteration, cells, &mask, state)?;
        }
        inside.create(scf::YIELD, &state.values(), &[], &[], Vec::new());
        Ok((0..types.len()).map(|position| build::result(planes, position)).collect())
    }
}
