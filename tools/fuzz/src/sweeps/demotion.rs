//! The plan keys of register demotion to shared memory.

use crate::generate::random::Random;
use std::fmt;

/// The demotion keys of some plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Demotion {
    registers: i64,
    order: &'static str,
    slots: &'static str,
    redundant: &'static str,
    values: i64,
    hoist: i64,
    reloads: &'static str,
    schedule: &'static str,
}

impl Demotion {
    /// Draws whether values are demoted, and the spill heuristic.
    pub(super) fn draw(random: &mut Random) -> Option<Self> {
        random.chance(50).then(|| Self {
            registers: random.pick(&[1, 2, 4, 8, 255]),
            order: random.pick(&["distance", "distance", "accesses", "weighted", "conflicts"]),
            slots: random.pick(&["whole", "words", "by-thread"]),
            redundant: random.pick(&["removed", "kept"]),
            values: random.between(1, 4),
            hoist: random.pick(&[0, 1, 8, 64]),
            reloads: random.pick(&["arrays", "none"]),
            schedule: random.pick(&["moves", "kept"]),
        })
    }

    /// The heuristic, for a histogram.
    pub(super) fn order(&self) -> &'static str {
        self.order
    }
}

impl fmt::Display for Demotion {
    /// As it is written in an attribute.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { registers, order, slots, redundant, values, hoist, reloads, schedule } = self;
        write!(f, "demote = {registers} : i64, demote_order = {order:?}, ")?;
        write!(f, "demote_slots = {slots:?}, demote_redundant = {redundant:?}, ")?;
        write!(f, "demote_reloads = {reloads:?}, demote_schedule = {schedule:?}, ")?;
        write!(f, "demote_values = {values} : i64, demote_hoist = {hoist} : i64")
    }
}
