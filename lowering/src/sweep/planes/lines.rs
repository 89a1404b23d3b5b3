//! Several lines of a two-dimensional grid in an iteration, one for each row of a block's threads.
//!
//! Each level keeps the arriving lines, those within its radius, and with a lazy skew those delayed
//! by an iteration, all of them in shared memory, as a thread's next inputs were computed by
//! others. If the level after the next reads them too, they are kept until then. Every value is
//! taken from there, except the thread's own of the newest line.
//!
//! One barrier per level separates its stores from other threads' loads. With two or more levels,
//! the barriers of the other levels also protect the oldest lines from being overwritten early. One
//! level, and levels with a lazy skew, which need no barrier of their own, have one at the end of
//! the iteration.

use super::{
    maps::Plane,
    schedule::{Schedule, State},
};
use stencil_dialects::{build::Inserter, ods::sweep as ops};

impl<'c: 'a, 'a> Schedule<'c, 'a, '_> {
    /// Computes the lines of an iteration at all levels.
    pub(super) fn iterate_lines(
        &self,
        at: Inserter<'c, 'a>,
        state: State<'c, 'a>,
    ) -> State<'c, 'a> {
        let streamed = &self.shape.tiling.streamed;
        let span = i64::from(streamed.reach.span());
        let mut tile = self.arrive(at);
        let two_levels = self.kernel.carried().len() > 1;
        let mut oldest = None;
        for (level, buffer) in (1..).zip(&self.buffers.lines) {
            ops::put(at, tile, *buffer);
            if !self.is_lazy() {
                ops::fence(at);
            }
            let plane = -streamed.behind(level);
            let older = self.older(at, level, plane, oldest.take());
            if two_levels && level < self.steps() {
                oldest = Some(self.take(at, *buffer, streamed.behind(2)));
            }
            // From the oldest line that the level reads to the newest.
            let ages = (streamed.lag..=streamed.lag + span).rev();
            let mut planes = ages.map(|age| Plane::Line(*buffer, age)).collect::<Vec<_>>();
            if let (false, Some(newest)) = (self.is_lazy(), planes.last_mut()) {
                *newest = Plane::OwnLine(tile, *buffer);
            }
            let around =
                self.around(at, level, (&planes, -i64::from(streamed.reach.behind)), &older);
            let computed = around.map((plane, self.stage()), &[], &[self.kernel.yielded()])[0];
            tile = self.complete(at, (level, plane), computed);
        }
        if self.is_lazy() || self.steps() == 1 {
            ops::fence(at);
        }
        state
    }
}
