//! The plan keys of register demotion to shared memory.

use crate::generate::random::Random;
use std::fmt;

/// The demotion keys of some plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Demotion {
    registers: i64,
    heuristic: &'static str,
    layout: &'static str,
    redundant: &'static str,
    values: i64,
    hoist: i64,
    remat: &'static str,
    schedule: &'static str,
}

impl Demotion {
    /// Draws whether values are demoted, and the spill heuristic.
    pub(super) fn draw(random: &mut Random) -> Option<Self> {
        random.chance(50).then(|| Self {
            registers: random.pick(&[1, 2, 4, 8, 255]),
            heuristic: random.pick(&[
                "furthest-use",
                "furthest-use",
                "accesses",
                "weighted-accesses",
                "operand-conflicts",
            ]),
            layout: random.pick(&["interleaved-64", "interleaved-32", "thread-major"]),
            redundant: random.pick(&["removed", "kept"]),
            values: random.between(1, 4),
            hoist: random.pick(&[0, 1, 8, 64]),
            remat: random.pick(&["loads", "none"]),
            schedule: random.pick(&["least-traffic", "kept"]),
        })
    }

    /// The heuristic, for a histogram.
    pub(super) fn heuristic(&self) -> &'static str {
        self.heuristic
    }
}

impl fmt::Display for Demotion {
    /// As it is written in an attribute.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { registers, heuristic, layout, redundant, values, hoist, remat, schedule } = self;
        write!(f, "demote = {registers} : i64, demote_heuristic = {heuristic:?}, ")?;
        write!(f, "demote_layout = {layout:?}, demote_redundant = {redundant:?}, ")?;
        write!(f, "demote_remat = {remat:?}, demote_schedule = {schedule:?}, ")?;
        write!(f, "demote_values = {values} : i64, demote_hoist = {hoist} : i64")
    }
}
