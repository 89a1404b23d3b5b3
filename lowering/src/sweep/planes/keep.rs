//! Planes of a level in shared memory, kept between iterations or exchanged with other threads:
//! slots of the queue, rows, whole planes.

use super::{buffers::number, maps::Plane, schedule::Schedule};
use melior::ir::Value;
use stencil_dialects::{build::Inserter, ods::sweep as ops, sweep::BufferKind};
use stencil_model::plan::Form;

/// Planes or sums of a level.
type Groups<'c, 'a> = Vec<Vec<Value<'c, 'a>>>;

impl<'c: 'a, 'a> Schedule<'c, 'a, '_> {
    /// Whether a group that a level passes to the next iteration is in shared memory.
    pub(super) fn is_in_shared_memory(&self, level: i64, group: usize) -> bool {
        self.slot(level, group).is_some() || self.kept_for(self.age_of_group(group)).is_some()
    }

    /// In gather form, the age of a plane that a level keeps.
    fn age_of_group(&self, group: usize) -> i64 {
        let span = i64::from(self.shape.reaches[0].span());
        i64::from(self.is_lazy()) + span - group as i64
    }

    /// Iterations since a plane was put that holds a thread's own values, of planes of an age.
    pub(super) fn kept_for(&self, age: i64) -> Option<i64> {
        self.plan.rows.as_ref()?.kept_for(age)
    }

    fn slot(&self, level: i64, group: usize) -> Option<Value<'c, 'a>> {
        let slots = &self.buffers.slots;
        slots.iter().find(|(slot, _)| *slot == (level, group)).map(|(_, buffer)| *buffer)
    }

    /// A tile of the level below, and where other threads' values are.
    pub(super) fn seen(&self, level: i64, tile: Value<'c, 'a>, age: i64) -> Plane<'c, 'a> {
        let via = self.plan.rows.as_ref().and_then(|rows| {
            let buffer = self.buffers.rows[level as usize - 1];
            rows.stored_for(age).map(|age| (buffer, rows.kind == BufferKind::Planes, age))
        });
        Plane::Tile(tile, via)
    }

    /// Takes own values out of whole planes, before those are overwritten.
    pub(super) fn take_planes(
        &self,
        at: Inserter<'c, 'a>,
        level: i64,
        groups: &mut Groups<'c, 'a>,
    ) {
        if self.form != Form::Gather {
            return;
        }
        for (position, group) in groups.iter_mut().enumerate() {
            if let Some(age) = self.kept_for(self.age_of_group(position)) {
                *group = vec![self.take(at, self.buffers.rows[level as usize - 1], age)];
            }
        }
    }

    /// With a lazy skew: what the level below computed in the iteration before, in exchange for a
    /// tile.
    pub(super) fn delay(
        &self,
        at: Inserter<'c, 'a>,
        level: i64,
        delayed: &mut Vec<Value<'c, 'a>>,
        tile: Value<'c, 'a>,
    ) -> Value<'c, 'a> {
        match self.kept_for(1) {
            Some(age) => self.take(at, self.buffers.rows[level as usize - 1], age),
            None => std::mem::replace(delayed, vec![tile])[0],
        }
    }

    /// Puts the arriving plane, or the one that others read from now on.
    pub(super) fn put_rows(
        &self,
        at: Inserter<'c, 'a>,
        level: i64,
        tile: Value<'c, 'a>,
        groups: &Groups<'c, 'a>,
    ) {
        let Some(rows) = &self.plan.rows else { return };
        let stored = match rows.whole.map_or(0, |whole| whole.stored_at) {
            0 => tile,
            age => groups[groups.len() - age as usize][0],
        };
        ops::put(at, stored, self.buffers.rows[level as usize - 1]);
        if rows.at_once {
            ops::fence(at);
        }
    }

    /// Takes the planes of a level that are in slots.
    pub(super) fn take_slots(&self, at: Inserter<'c, 'a>, level: i64, groups: &mut Groups<'c, 'a>) {
        for (position, group) in groups.iter_mut().enumerate() {
            if let Some(slot) = self.slot(level, position) {
                *group = vec![self.take(at, slot, 1)];
            }
        }
    }

    /// Puts the planes of a level into their slots; what is in shared memory is not carried.
    pub(super) fn put_slots(&self, at: Inserter<'c, 'a>, level: i64, groups: &mut Groups<'c, 'a>) {
        for (position, group) in groups.iter_mut().enumerate() {
            if let Some(slot) = self.slot(level, position) {
                ops::put(at, group[0], slot);
            }
            if self.is_in_shared_memory(level, position) {
                group.clear();
            }
        }
    }

    pub(super) fn take(
        &self,
        at: Inserter<'c, 'a>,
        buffer: Value<'c, 'a>,
        age: i64,
    ) -> Value<'c, 'a> {
        ops::take(at, self.tile(at), buffer, number(at, age))
    }
}
