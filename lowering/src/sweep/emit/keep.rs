//! What a level keeps from one iteration to the next outside of registers, and leaves for others:
//! slots of the queue, rows, whole planes.

use super::{
    exchange::RowPlan,
    stream::{Iteration, Stream, common_multiple},
};
use melior::ir::Value;
use stencil_dialects::build::Inserter;
use stencil_model::plan::{Form, Storage};

impl<'c: 'a, 'a> Stream<'c, 'a, '_> {
    /// How rows are exchanged; none if they are not.
    pub(super) fn rows(&self) -> Option<&RowPlan> {
        self.shared.and_then(|shared| shared.rows.as_ref())
    }

    /// Iterations after which all values in registers have their first places again.
    pub(super) fn turns(&self) -> i64 {
        let reach = self.shape.reaches[0];
        let (behind, ahead) = (i64::from(reach.behind), i64::from(reach.ahead));
        match (self.shape.plan.storage, self.form) {
            (Storage::Shared, _) => 1,
            // Those ahead of the middle plane take turns, and those behind it.
            (Storage::DiagonalFree, _) => common_multiple(ahead.max(1), (behind - 1).max(1)),
            // The planes that a level keeps and the one that arrives, or as many sums.
            (Storage::Queue | Storage::Retimed, _) => behind + ahead + 1,
        }
    }

    /// Whether a group that a level hands to the next iteration lies in shared memory.
    pub(super) fn is_kept_elsewhere(&self, level: i64, group: usize) -> bool {
        self.in_shared.contains(&(level, group))
            || self.copy_of_own(0, self.age_of_group(group)).is_some()
    }

    /// In gather form, the age of a plane that a level keeps.
    fn age_of_group(&self, group: usize) -> i64 {
        let span = i64::from(self.shape.reaches[0].span());
        i64::from(self.is_lazy()) + span - group as i64
    }

    /// The copy of a whole plane from which a thread has its own values.
    pub(super) fn copy_of_own(&self, iteration: i64, age: i64) -> Option<i64> {
        self.rows()?.copy_of_own(iteration, age)
    }

    /// Loads what a level keeps in whole planes, which are left after that.
    pub(super) fn fetch_planes(
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

    /// With a lazy skew: what the level below left in the iteration before, in place of a patch.
    pub(super) fn swap_left(
        &self,
        iteration: &Iteration<'c, 'a>,
        level: i64,
        left: &mut Vec<Value<'c, 'a>>,
        patch: Vec<Value<'c, 'a>>,
    ) -> Vec<Value<'c, 'a>> {
        match (self.shared, self.copy_of_own(iteration.number, 1)) {
            (Some(shared), Some(copy)) => shared.load_own(iteration.at, (level - 1, copy)),
            _ => std::mem::replace(left, patch),
        }
    }

    /// Leaves the plane that arrived, or the one that others read from now on.
    pub(super) fn leave_rows(
        &self,
        iteration: &Iteration<'c, 'a>,
        level: i64,
        patch: &[Value<'c, 'a>],
        groups: &[Vec<Value<'c, 'a>>],
    ) {
        let (Some(shared), Some(rows)) = (self.shared, self.rows()) else { return };
        let copy = iteration.number.rem_euclid(rows.copies);
        let left = match rows.whole.map_or(0, |whole| whole.left_at) {
            0 => patch,
            age => &groups[groups.len() - age as usize],
        };
        shared.leave_rows(iteration.at, (level - 1, copy), left);
        if rows.at_once {
            shared.barrier(iteration.at);
        }
    }

    /// Loads what a level keeps in shared memory.
    pub(super) fn fetch(
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

    /// Stores what a level keeps in shared memory.
    pub(super) fn put_away(
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
            } else if self.is_kept_elsewhere(level, number) {
                group.clear();
            }
        }
    }
}
