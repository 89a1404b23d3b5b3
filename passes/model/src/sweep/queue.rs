//! The circular queue of a column: the values that one thread keeps at its place of the plane.
//!
//! [Yang et al., 2012] observe that all levels of a sweep fit into one queue of `span * T + 1`
//! slots, each used again in place: level `l` writes its new value over the oldest value of level
//! `l - 1`, which nothing reads any more. *Columns* are counted by the plane that arrives:
//!
//! - plane `i` arrives in slot `i mod n`, of `n` slots;
//! - level `l` reads the `span + 1` slots up to the newest value of level `l - 1`, and writes the
//!   lowest of them, which is `span * l` slots before the one that plane `i` arrived in;
//! - that value is of plane `i - ahead * l`.
//!
//! After `n` columns every slot has the role that it began with: a loop unrolled `n` times moves
//! nothing. Before the first full column there are `span * T` partial ones, the `i`-th of which
//! holds `ceil(i / span)` values, the arriving one counted.

use super::Reach;
use crate::plan::words;
use std::ops::Range;

/// The queue of a column. Slots are numbered from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CircularQueue {
    reach: Reach,
    steps: u32,
    /// Slots in registers, the highest numbers; the others are in shared memory.
    in_registers: u32,
}

words! {
    /// Where a slot lies.
    SlotPlace {
        /// In a register of the thread.
        Register = "register",
        /// In shared memory.
        Shared = "shared",
    }
}

/// What one level does in one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// The plane that is computed.
    pub plane: i64,
    /// Slots with the planes of the level below, from the lowest plane to the highest.
    pub reads: Vec<u32>,
    /// The slot of the result: the lowest that was read.
    pub writes: u32,
}

/// Why there is no such queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QueueError {
    /// No time step at all.
    #[error("a sweep has at least one time step")]
    NoSteps,
    /// More slots in registers than there are.
    #[error("{asked} slots in registers, the queue of {steps} steps has {slots} slots")]
    TooManyRegisters {
        /// Slots asked for.
        asked: u32,
        /// Slots of the queue.
        slots: u32,
        /// Its time steps.
        steps: u32,
    },
}

impl CircularQueue {
    /// The queue of `steps` time levels, so many of its slots in registers.
    pub fn new(reach: Reach, steps: u32, in_registers: u32) -> Result<Self, QueueError> {
        if steps == 0 {
            return Err(QueueError::NoSteps);
        }
        let slots = reach.span() * steps + 1;
        if in_registers > slots {
            return Err(QueueError::TooManyRegisters { asked: in_registers, slots, steps });
        }
        Ok(Self { reach, steps, in_registers })
    }

    /// Slots, the arriving value counted; also the columns after which all roles come again.
    pub fn slots(&self) -> u32 {
        self.reach.span() * self.steps + 1
    }

    /// Where a slot lies.
    pub fn place(&self, slot: u32) -> SlotPlace {
        match slot >= self.slots() - self.in_registers {
            true => SlotPlace::Register,
            false => SlotPlace::Shared,
        }
    }

    /// Slots in shared memory.
    pub fn slots_in_shared(&self) -> u32 {
        self.slots() - self.in_registers
    }

    /// The slot in which a plane of level 0 arrives.
    pub fn arrival(&self, plane: i64) -> u32 {
        self.slot(plane)
    }

    /// What level `level`, counted from 1, does in the column of the arriving plane `column`.
    ///
    /// # Panics
    /// If there is no such level.
    pub fn update(&self, column: i64, level: u32) -> Update {
        assert!((1..=self.steps).contains(&level), "level {level} is one of {}", self.steps);
        let span = i64::from(self.reach.span());
        let lowest = column - span * i64::from(level);
        Update {
            plane: column - i64::from(self.reach.ahead) * i64::from(level),
            reads: (lowest..=lowest + span).map(|slot| self.slot(slot)).collect(),
            writes: self.slot(lowest),
        }
    }

    /// Partial columns before the first in which every level computes.
    pub fn prolog_columns(&self) -> u32 {
        self.reach.span() * self.steps
    }

    /// Levels that compute in the `column`-th column, counted from 0 at the first plane.
    pub fn levels_in_column(&self, column: u32) -> u32 {
        match self.reach.span() {
            0 => self.steps,
            span => (column / span).min(self.steps),
        }
    }

    /// Planes of the last level that a sweep over `planes` arriving planes completes, counted from
    /// the first that arrives.
    pub fn completed(&self, planes: u32) -> Range<i64> {
        let (behind, ahead) = (i64::from(self.reach.behind), i64::from(self.reach.ahead));
        let steps = i64::from(self.steps);
        let (first, end) = (behind * steps, i64::from(planes) - ahead * steps);
        first..end.max(first)
    }

    fn slot(&self, number: i64) -> u32 {
        number.rem_euclid(i64::from(self.slots())) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(behind: u32, ahead: u32, steps: u32) -> CircularQueue {
        CircularQueue::new(Reach { behind, ahead }, steps, 0).unwrap()
    }

    /// The numbers of the paper for a star of radius 1 and two steps: five slots.
    #[test]
    fn two_steps_of_radius_one() {
        let queue = queue(1, 1, 2);
        assert_eq!((queue.slots(), queue.prolog_columns()), (5, 4));
        assert_eq!(queue.arrival(4), 4);
        let first = queue.update(4, 1);
        assert_eq!((first.reads, first.writes, first.plane), (vec![2, 3, 4], 2, 3));
        let second = queue.update(4, 2);
        assert_eq!((second.reads, second.writes, second.plane), (vec![0, 1, 2], 0, 2));
        // One column further everything is one slot further.
        assert_eq!(queue.update(5, 2).reads, [1, 2, 3]);
        assert_eq!(queue.update(9, 2).reads, queue.update(4, 2).reads);
    }

    #[test]
    fn two_steps_of_radius_two() {
        let queue = queue(2, 2, 2);
        assert_eq!((queue.slots(), queue.prolog_columns()), (9, 8));
        assert_eq!(queue.update(8, 1).reads, [4, 5, 6, 7, 8]);
        let second = queue.update(8, 2);
        assert_eq!((second.reads, second.writes, second.plane), (vec![0, 1, 2, 3, 4], 0, 4));
    }

    /// The roles of slots as the paper writes them, for radius `H` on each side and `n` slots: a
    /// column begins at slot `b`; its first value goes to `k = b - 2H`, of the slots `k` to
    /// `k + 2H`; the next value is `2H` slots before, and the column to the left has everything one
    /// slot before, all modulo `n`.
    #[test]
    fn slots_follow_each_other_as_in_the_paper() {
        for (radius, slots) in [(1, 5), (2, 9)] {
            let queue = queue(radius, radius, 2);
            assert_eq!(queue.slots(), slots);
            let before = |slot: u32, distance: u32| (slot + slots - distance) % slots;
            for column in 0..2 * i64::from(slots) {
                let base = u32::try_from(column).unwrap() % slots;
                assert_eq!(queue.arrival(column), base);
                let mut k = before(base, 2 * radius);
                for level in 1..=2 {
                    let reads = (k..=k + 2 * radius).map(|slot| slot % slots).collect::<Vec<_>>();
                    let update = queue.update(column, level);
                    assert_eq!((update.reads, update.writes), (reads, k));
                    let left = queue.update(column - 1, level);
                    assert_eq!(left.writes, before(update.writes, 1));
                    k = before(k, 2 * radius);
                }
                assert_eq!(queue.update(column + i64::from(slots), 2), {
                    let update = queue.update(column, 2);
                    Update { plane: update.plane + i64::from(slots), ..update }
                });
            }
        }
    }

    /// Where the two levels of five columns write, and of nine: no slot twice in a level.
    #[test]
    fn sequences_of_two_steps() {
        let writes = |queue: &CircularQueue, level| {
            let columns = 4..4 + i64::from(queue.slots());
            columns.map(|column| queue.update(column, level).writes).collect::<Vec<_>>()
        };
        let one = queue(1, 1, 2);
        assert_eq!([writes(&one, 1), writes(&one, 2)], [[2, 3, 4, 0, 1], [0, 1, 2, 3, 4]]);
        let two = queue(2, 2, 2);
        assert_eq!(writes(&two, 1), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(writes(&two, 2), [5, 6, 7, 8, 0, 1, 2, 3, 4]);
    }

    #[test]
    fn prologs_of_two_steps() {
        let lengths = |queue: &CircularQueue| {
            let columns = 0..queue.prolog_columns();
            columns.map(|column| queue.levels_in_column(column) + 1).collect::<Vec<_>>()
        };
        assert_eq!(lengths(&queue(1, 1, 2)), [1, 1, 2, 2]);
        assert_eq!(lengths(&queue(2, 2, 2)), [1, 1, 1, 1, 2, 2, 2, 2]);
    }

    /// The `i`-th partial column, counted from 1, has `ceil(i / span)` values.
    #[test]
    fn partial_columns_have_the_lengths_of_the_paper() {
        for (behind, ahead, steps) in [(1, 1, 2), (2, 2, 2), (1, 1, 4), (0, 1, 3), (2, 1, 3)] {
            let queue = queue(behind, ahead, steps);
            for column in 1..=queue.prolog_columns() {
                let values = queue.levels_in_column(column - 1) + 1;
                assert_eq!(values, column.div_ceil(behind + ahead), "column {column}");
            }
            assert_eq!(queue.levels_in_column(queue.prolog_columns()), steps);
        }
    }

    /// Every slot that is read holds the plane and level that are meant: a sweep by hand.
    #[test]
    fn no_slot_is_read_after_it_was_used_again() {
        for (behind, ahead, steps) in
            [(1, 1, 1), (1, 1, 4), (2, 2, 3), (3, 3, 2), (0, 1, 5), (1, 0, 5), (2, 1, 3), (0, 0, 3)]
        {
            let queue = queue(behind, ahead, steps);
            let planes = 4 * queue.slots();
            let mut held = vec![None; queue.slots() as usize];
            let mut completed = Vec::new();
            for column in 0..planes {
                held[queue.arrival(column.into()) as usize] = Some((0, i64::from(column)));
                for level in 1..=queue.levels_in_column(column) {
                    let update = queue.update(column.into(), level);
                    let lowest = update.plane - i64::from(behind);
                    for (plane, slot) in (lowest..).zip(&update.reads) {
                        assert_eq!(held[*slot as usize], Some((level - 1, plane)));
                    }
                    held[update.writes as usize] = Some((level, update.plane));
                    if level == steps {
                        completed.push(update.plane);
                    }
                }
            }
            let expected: Vec<i64> = queue.completed(planes).collect();
            assert_eq!(completed, expected, "{behind} behind, {ahead} ahead, {steps} steps");
        }
    }

    #[test]
    fn the_highest_slots_are_in_registers() {
        let queue = CircularQueue::new(Reach::symmetric(1), 4, 6).unwrap();
        assert_eq!((queue.slots(), queue.slots_in_shared()), (9, 3));
        assert_eq!([2, 3].map(|slot| queue.place(slot)), [SlotPlace::Shared, SlotPlace::Register]);
        let refused = CircularQueue::new(Reach::symmetric(1), 4, 10).unwrap_err().to_string();
        assert_eq!(refused, "10 slots in registers, the queue of 4 steps has 9 slots");
        let refused = CircularQueue::new(Reach::symmetric(1), 0, 0).unwrap_err();
        assert_eq!(refused, QueueError::NoSteps);
    }

    #[test]
    fn a_short_domain_completes_nothing() {
        assert!(queue(1, 1, 4).completed(8).is_empty());
        assert_eq!(queue(1, 1, 4).completed(9), 4..5);
    }
}
