//! The schedule of a sweep, column by column, and what is in each slot when it is read.
//!
//! The roles of slots are those of [`CircularQueue`], whatever the number of slots that a sweep
//! was given: they are taken from a queue so long that it never comes round, and then counted
//! modulo the slots that there are. With lazy skew level `l` does in a column what tight skew has
//! it do `l` columns earlier.

use super::super::Reach;
use super::super::queue::CircularQueue;
use crate::plan::Skew;
use std::collections::{HashMap, HashSet};
use std::fmt;

/// What a slot holds: a plane of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Tag {
    pub level: u32,
    pub plane: i64,
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "plane {} of level {}", self.plane, self.level)
    }
}

/// What is streamed.
#[derive(Debug, Clone)]
pub(super) struct Stream {
    /// What the queue is made for.
    pub reach: Reach,
    /// Planes of the level below that a level reads, ascending.
    pub newest: Vec<i64>,
    /// The same for the levels below that, by age from 1.
    pub older: Vec<Vec<i64>>,
    pub steps: u32,
    pub skew: Skew,
}

/// What happens when a plane arrives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    /// The plane of level 0 and its slot.
    pub plane: i64,
    pub slot: usize,
    /// What levels do, in order.
    pub levels: Vec<Level>,
}

/// What one level does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Level {
    pub result: Tag,
    /// Planes of the level below, and the slots they are read from.
    pub reads: Vec<(i64, usize)>,
    /// The slot of the result.
    pub writes: usize,
}

/// A read that finds something else than it should.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub reader: Tag,
    pub wanted: Tag,
    pub slot: usize,
    pub why: Why,
}

/// Why a slot does not hold what is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// What is wanted was not computed yet.
    TooEarly,
    /// It was in this slot, and then something else was.
    Overwritten(Tag),
    /// It was written to another slot.
    Elsewhere(usize),
    /// The queue has no such slot.
    NoSlot,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { reader, wanted, slot, why } = self;
        match why {
            Why::NoSlot => return write!(f, "no slot takes {wanted}"),
            _ => write!(f, "{reader} reads {wanted} in slot {slot}, ")?,
        }
        match why {
            Why::TooEarly => write!(f, "before it is computed"),
            Why::Overwritten(by) => write!(f, "which {by} has overwritten"),
            Why::Elsewhere(other) => write!(f, "it was written to slot {other}"),
            Why::NoSlot => Ok(()),
        }
    }
}

impl Stream {
    /// Columns after which every slot of a queue has had every role more than once.
    pub fn columns_enough(&self, slots: usize) -> u32 {
        let slots = u32::try_from(slots).expect("a queue has few slots");
        self.reach.span() * self.steps + self.delay(self.steps) + 2 * slots + 2
    }

    /// Columns that a level is late.
    fn delay(&self, level: u32) -> u32 {
        self.skew.lag() * level
    }

    /// The levels that compute in a column, each with the column whose roles it has.
    fn levels_in_column(&self, column: u32) -> impl Iterator<Item = (u32, i64)> {
        let queue = self.queue(self.steps);
        (1..=self.steps).filter_map(move |level| {
            let column = column.checked_sub(self.delay(level))?;
            (level <= queue.levels_in_column(column)).then_some((level, column.into()))
        })
    }

    fn queue(&self, steps: u32) -> CircularQueue {
        CircularQueue::new(self.reach, steps, 0).expect("there is at least one step")
    }

    /// What happens in so many columns in a queue of so many slots, at least one.
    pub fn columns(&self, slots: usize, count: u32) -> Vec<Column> {
        // So many steps that no two of these columns share a slot. Without any reach there is one
        // slot whatever the steps, and the column itself is the number to count on.
        let endless = self.queue(self.steps + count);
        let number = |slot: u32, column: i64| match endless.slots() {
            1 => column,
            _ => i64::from(slot),
        };
        let wrap = |number: i64| number.rem_euclid(slots as i64) as usize;
        let level = |(level, column)| {
            let update = endless.update(column, level);
            let first = number(update.reads[0], column);
            // Further away than the queue is made for: where the plane would be if it were.
            let slot_of = |offset: &i64| wrap(first + i64::from(self.reach.behind) + offset);
            let read = |offset| (update.plane + offset, slot_of(offset));
            Level {
                result: Tag { level, plane: update.plane },
                reads: self.newest.iter().map(read).collect(),
                writes: wrap(number(update.writes, column)),
            }
        };
        let arrival = |column: u32| {
            let plane = i64::from(column);
            let slot = wrap(number(endless.arrival(plane), plane));
            Column { plane, slot, levels: self.levels_in_column(column).map(level).collect() }
        };
        (0..count).map(arrival).collect()
    }

    /// Plays a sweep in a queue of so many slots.
    pub fn play(&self, slots: usize) -> Result<Vec<i64>, Fault> {
        if slots == 0 {
            let first = Tag { level: 0, plane: 0 };
            return Err(Fault { reader: first, wanted: first, slot: 0, why: Why::NoSlot });
        }
        run(&self.columns(slots, self.columns_enough(slots)), slots, self.steps)
    }

    /// The fewest slots, more than so many, with which nothing goes wrong; none if every number
    /// fails.
    pub fn slots_enough(&self, more_than: usize) -> Option<usize> {
        // With a slot for each plane of each level that is in use at once, more change nothing.
        let most = (self.reach.span() + 2) * (self.steps + 1);
        (more_than + 1..=most as usize).find(|&slots| self.play(slots).is_ok())
    }

    /// Values of levels that this sweep computed and that are read when they are no longer the
    /// newest: the most that are kept at once.
    pub fn kept_apart(&self) -> usize {
        let count = self.columns_enough(1) + (self.older.len() as u32 + 2) * self.reach.span();
        let mut made = HashMap::new();
        let mut last_read = HashMap::new();
        for column in 0..count {
            for (level, done) in self.levels_in_column(column) {
                let plane = self.queue(self.steps).update(done, level).plane;
                made.insert(Tag { level, plane }, column);
                for (age, offsets) in (1..).zip(&self.older) {
                    let Some(below) = (level - 1).checked_sub(age).filter(|&below| below > 0)
                    else {
                        continue;
                    };
                    for offset in offsets {
                        last_read.insert(Tag { level: below, plane: plane + offset }, column);
                    }
                }
            }
        }
        let lives = |(tag, &last): (&Tag, &u32)| Some((*made.get(tag)?, last));
        let lives: Vec<(u32, u32)> = last_read.iter().filter_map(lives).collect();
        let kept =
            |column: u32| lives.iter().filter(|life| (life.0..life.1).contains(&column)).count();
        (0..count).map(kept).max().unwrap_or(0)
    }

    /// Sums of all levels that are carried from one column to the next in scatter form, where each
    /// plane is added to all sums that read it when it arrives: the most at once.
    pub fn open_sums(&self) -> usize {
        let mut open = HashSet::new();
        let mut most = 0;
        for column in 0..self.columns_enough(1) + self.reach.span() {
            for (level, done) in self.levels_in_column(column) {
                let plane = self.queue(self.steps).update(done, level).plane;
                let arriving = plane + i64::from(self.reach.ahead);
                let sums = self.newest.iter().map(|offset| arriving - offset);
                open.extend(sums.filter(|&sum| sum > plane).map(|plane| Tag { level, plane }));
                open.remove(&Tag { level, plane });
            }
            most = most.max(open.len());
        }
        most
    }
}

/// Plays columns; gives the planes that the last level completes, or the first wrong read.
pub(super) fn run(columns: &[Column], slots: usize, steps: u32) -> Result<Vec<i64>, Fault> {
    let mut held: Vec<Option<Tag>> = vec![None; slots];
    let mut written = HashMap::new();
    let mut completed = Vec::new();
    for column in columns {
        let arrived = Tag { level: 0, plane: column.plane };
        held[column.slot] = Some(arrived);
        written.insert(arrived, column.slot);
        for Level { result, reads, writes } in &column.levels {
            for &(plane, slot) in reads {
                let wanted = Tag { level: result.level - 1, plane };
                let fault = |why| Fault { reader: *result, wanted, slot, why };
                match (held[slot], written.get(&wanted)) {
                    (Some(found), _) if found == wanted => {}
                    (_, None) => return Err(fault(Why::TooEarly)),
                    (Some(found), Some(&place)) if place == slot => {
                        return Err(fault(Why::Overwritten(found)));
                    }
                    (_, Some(&place)) => return Err(fault(Why::Elsewhere(place))),
                }
            }
            held[*writes] = Some(*result);
            written.insert(*result, *writes);
            if result.level == steps {
                completed.push(result.plane);
            }
        }
    }
    Ok(completed)
}
