//! State of a level in shared memory, kept between iterations or exchanged with other threads:
//! slots of the queue, rows, whole planes.

use super::{
    exchange::RowPlan,
    stream::{Iteration, Stream, least_common_multiple},
};
use melior::ir::Value;
use stencil_dialects::build::Inserter;
use stencil_model::plan::{Form, Storage};

impl<'c: 'a, 'a> Stream<'c, 'a, '_> {
    /// The exchange of rows, if there is one.
    pub(super) fn rows(&self) -> Option<&RowPlan> {
        self.shared.and_then(|shared| shared.rows.as_ref())
    }

    /// Iterations after which all values are in their original registers again.
    pub(super) fn rotation_period(&self) -> i64 {
        let reach = self.shape.reaches[0];
        let (behind, ahead) = (i64::from(reach.behind), i64::from(reach.ahead));
        match (self.shape.plan.storage(), self.form) {
            (Storage::Shared, _) => 1,
            // Planes ahead of the middle one rotate, and so do those behind it.
            (Storage::DiagonalFree, _) => least_common_multiple(ahead.max(1), (behind - 1).max(1)),
            // The planes that a level keeps and the arriving one, or as many sums.
            (Storage::Queue | Storage::Retimed, _) => behind + ahead + 1,
        }
    }

    /// Whether a group that a level passes to the next iteration is in shared memory.
    pub(super) fn is_in_shared_memory(&self, level: i64, group: usize) -> bool {
        self.in_shared.contains(&(level, group))
            || self.copy_of_own(0, self.age_of_group(group)).is_some()
    }

    /// In gather form, the age of a plane that a level keeps.
    fn age_of_group(&self, group: usize) -> i64 {
        let span = i64::from(self.shape.reaches[0].span());
        i64::from(self.is_lazy()) + span - group as i64
    }

    /// The copy of a whole plane that holds a thread's own values.
    pub(super) fn copy_of_own(&self, iteration: i64, age: i64) -> Option<i64> {
        self.rows()?.copy_of_own(iteration, age)
    }

    /// Loads a thread's own values from whole planes, before those are overwritten.
    pub(super) fn load_planes(
        &self,
        iteration: &Iteration<'c, 'a>,
        level: i64,
        groups: &mut [Vec<Value<'c, 'a>>],
    ) {
        for (number, group) in groups.iter_mut().enumerate() {
            let copy = self.copy_of_own(iteration.number, self.age_of_group(number));
            if let (Form::Gather, Some(copy)) = (self.form, copy) {
                let shared = self.shared.expect("planes lie in shared memory");
                *group = shared.load_own(iteration.at, (level - 1, copy));
            }
        }
    }

    /// With a lazy skew: what the level below computed in the iteration before, in exchange for a
    /// register tile.
    pub(super) fn delay_by_an_iteration(
        &self,
        iteration: &Iteration<'c, 'a>,
        level: i64,
        delayed: &mut Vec<Value<'c, 'a>>,
        register_tile: Vec<Value<'c, 'a>>,
    ) -> Vec<Value<'c, 'a>> {
        match (self.shared, self.copy_of_own(iteration.number, 1)) {
            (Some(shared), Some(copy)) => shared.load_own(iteration.at, (level - 1, copy)),
            _ => std::mem::replace(delayed, register_tile),
        }
    }

    /// Stores the arriving plane, or the one that others read from now on.
    pub(super) fn store_rows(
        &self,
        iteration: &Iteration<'c, 'a>,
        level: i64,
        register_tile: &[Value<'c, 'a>],
        groups: &[Vec<Value<'c, 'a>>],
    ) {
        let (Some(shared), Some(rows)) = (self.shared, self.rows()) else { return };
        let copy = iteration.number.rem_euclid(rows.copies);
        let stored = match rows.whole.map_or(0, |whole| whole.stored_at) {
            0 => register_tile,
            age => &groups[groups.len() - age as usize],
        };
        shared.store_rows(iteration.at, (level - 1, copy), stored);
        if rows.at_once {
            shared.barrier(iteration.at);
        }
    }

    /// Loads the slots of a level that are in shared memory.
    pub(super) fn load_slots(
        &self,
        at: Inserter<'c, 'a>,
        level: i64,
        groups: &mut [Vec<Value<'c, 'a>>],
    ) {
        for (number, group) in groups.iter_mut().enumerate() {
            if let Some(slot) = self.slot(level, number) {
                *group = self.shared.expect("slots lie in shared memory").load_slot(at, slot);
            }
        }
    }

    fn slot(&self, level: i64, group: usize) -> Option<i64> {
        let slot = self.in_shared.iter().position(|slot| *slot == (level, group));
        slot.map(|slot| slot as i64)
    }

    /// Stores the slots of a level that are in shared memory.
    pub(super) fn store_slots(
        &self,
        at: Inserter<'c, 'a>,
        level: i64,
        groups: &mut [Vec<Value<'c, 'a>>],
    ) {
        for (number, group) in groups.iter_mut().enumerate() {
            if let Some(slot) = self.slot(level, number) {
                let shared = self.shared.expect("slots lie in shared memory");
                shared.store_slot(at, slot, group);
                group.clear();
            } else if self.is_in_shared_memory(level, number) {
                group.clear();
            }
        }
    }
}
