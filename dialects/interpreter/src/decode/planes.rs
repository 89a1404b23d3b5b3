//! Simulates the planes of a sweep, to verify that every plane is available when it is read.
//!
//! The result of a sweep does not depend on the order of planes unless a value has been
//! overwritten. Here a sweep is simulated plane by plane as its kernel runs, in every chunk that
//! the plan cuts the streaming axis into. A chunk starts with the planes that the first of its
//! planes of the last level depends on, and ends with those of its last one. Planes outside the
//! domain are streamed too; nothing is computed for them.
//!
//! - In gather form there is a circular queue of slots, rotated by one for each arriving plane;
//!   each level reads a window of it and writes the oldest slot of its window. A slot is tagged
//!   with its level and plane, which each read checks.
//! - In scatter form each arriving plane is added to all sums that it contributes to.
//! - Levels older than the newest are kept separately, not in the queue.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// The planes of a sweep.
#[derive(Clone, Debug)]
pub(super) struct Planes {
    /// The planes of the domain.
    pub domain: Range<i64>,
    /// Offsets of the planes that a level reads, by age of the level that is read.
    pub reads: Vec<BTreeSet<i64>>,
    pub steps: i64,
    /// Chunks of the streaming axis.
    pub chunks: i64,
    /// Lazy skew: planes by which a level trails its input, the level below or memory.
    pub lag: i64,
    pub order: Order,
}

/// Gather or scatter form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The queue has this many slots; unlimited if absent.
    Gather { slots: Option<usize> },
    /// Contributions are added when a plane arrives.
    Scatter,
}

/// A plane of a level.
type Tag = (i64, i64);

/// The simulation of one chunk.
struct Piece<'a> {
    planes: &'a Planes,
    /// The first plane of level 0 that arrives.
    first: i64,
    /// The chunk's own planes, of the last level.
    own: Range<i64>,
    /// The slot of the newest arrival comes first; none: planes are never overwritten.
    ring: Option<Vec<Option<Tag>>>,
    /// For each level above 0, the completed planes.
    done: Vec<Range<i64>>,
    /// The planes that were added to each sum that is not complete.
    sums: HashMap<Tag, BTreeSet<i64>>,
    arrived: i64,
}

impl Planes {
    /// Planes below and above the computed one that are read of the newest level, which determine
    /// the skew.
    fn reach(&self) -> (i64, i64) {
        let along = || self.reads.iter().take(1).flatten().copied();
        (-along().min().unwrap_or(0).min(0), along().max().unwrap_or(0).max(0))
    }

    /// Simulates all chunks.
    ///
    /// # Errors
    ///
    /// The first read of a plane that is not available.
    pub fn check(&self) -> Result<(), String> {
        let length = (self.domain.end - self.domain.start).max(0);
        let piece = (length + self.chunks - 1) / self.chunks;
        let mut start = self.domain.start;
        while start < self.domain.end {
            let end = self.domain.end.min(start + piece);
            Piece::new(self, start..end).run()?;
            start = end;
        }
        Ok(())
    }

    /// Slots that the queue of this sweep needs.
    pub fn slots_required(&self) -> i64 {
        let (behind, ahead) = self.reach();
        (behind + ahead) * self.steps + 1 + self.delay(self.steps)
    }

    /// Extra delay of a level by lazy skew.
    fn delay(&self, level: i64) -> i64 {
        self.lag * level
    }
}

impl<'a> Piece<'a> {
    fn new(planes: &'a Planes, own: Range<i64>) -> Self {
        let first = own.start - planes.reach().0 * planes.steps;
        let ring = match planes.order {
            Order::Gather { slots: Some(slots) } => Some(vec![None; slots]),
            _ => None,
        };
        let done = (0..=planes.steps).map(|_| 0..0).collect();
        Self { planes, first, own, ring, done, sums: HashMap::new(), arrived: first - 1 }
    }

    fn run(mut self) -> Result<(), String> {
        let planes = self.planes;
        let (behind, ahead) = planes.reach();
        let end = self.own.end + ahead * planes.steps + planes.delay(planes.steps);
        for arriving in self.first..end {
            self.arrive(arriving)?;
            for level in 1..=planes.steps {
                let plane = arriving - ahead * level - planes.delay(level);
                if planes.order == Order::Scatter {
                    self.add(level, plane + ahead);
                }
                // Before that, the planes that this one depends on have not passed the levels
                // below.
                if plane >= self.first + behind * level {
                    self.level(level, plane)?;
                }
            }
        }
        match self.done[planes.steps as usize] == self.own {
            true => Ok(()),
            false => Err(format!(
                "completes planes {:?} of the last level, the piece has {:?}",
                self.done[planes.steps as usize], self.own
            )),
        }
    }

    fn arrive(&mut self, plane: i64) -> Result<(), String> {
        self.arrived = plane;
        if let Some(ring) = &mut self.ring {
            if ring.is_empty() {
                return Err("has a queue without slots".to_owned());
            }
            ring.rotate_right(1);
            ring[0] = Some((0, plane));
        }
        Ok(())
    }

    /// Computes a plane of a level, or, outside of the domain, loads it.
    fn level(&mut self, level: i64, plane: i64) -> Result<(), String> {
        let is_computed = self.planes.domain.contains(&plane);
        let older = (1..).zip(self.planes.reads.iter().skip(1)).filter(|_| is_computed);
        // The carried levels are in memory.
        for (age, offsets) in older.filter(|(age, _)| level - 1 - age > 0) {
            for offset in offsets {
                self.present((level, plane), (level - 1 - age, plane + offset))?;
            }
        }
        match self.planes.order {
            Order::Gather { .. } => self.gather(level, plane, is_computed)?,
            Order::Scatter => self.scatter(level, plane, is_computed)?,
        }
        let done = &mut self.done[level as usize];
        *done = if done.is_empty() { plane..plane + 1 } else { done.start..plane + 1 };
        Ok(())
    }

    fn gather(&mut self, level: i64, plane: i64, is_computed: bool) -> Result<(), String> {
        let planes = self.planes;
        let (behind, ahead) = planes.reach();
        // Position of the window's first slot relative to the newest arrival.
        let newest = (behind + ahead) * (level - 1) + planes.delay(level);
        let newest_of_all = planes.reads.first().into_iter().flatten();
        for offset in newest_of_all.filter(|_| is_computed) {
            let wanted = (level - 1, plane + offset);
            self.present((level, plane), wanted)?;
            let Some(ring) = &self.ring else { continue };
            let place = (newest + ahead - offset).rem_euclid(ring.len() as i64);
            let found = ring[place as usize];
            if found != Some(wanted) {
                return Err(self.wrong_slot((level, plane), wanted, place, found));
            }
        }
        if let Some(ring) = &mut self.ring {
            let oldest = (newest + behind + ahead).rem_euclid(ring.len() as i64);
            ring[oldest as usize] = Some((level, plane));
        }
        Ok(())
    }

    /// Adds a plane of the level below, once available, to all sums that read it.
    fn add(&mut self, level: i64, arriving: i64) {
        if arriving < self.first + self.planes.reach().0 * (level - 1) {
            return;
        }
        for offset in self.planes.reads.first().into_iter().flatten() {
            self.sums.entry((level, arriving - offset)).or_default().insert(*offset);
        }
    }

    fn scatter(&mut self, level: i64, plane: i64, is_computed: bool) -> Result<(), String> {
        let sum = self.sums.remove(&(level, plane)).unwrap_or_default();
        let none = BTreeSet::new();
        let wanted = self.planes.reads.first().unwrap_or(&none);
        if !is_computed || sum == *wanted {
            return Ok(());
        }
        Err(format!(
            "completes {} when planes {sum:?} around it were added, it reads {wanted:?}",
            text((level, plane))
        ))
    }

    /// Checks that a plane has arrived, or was computed in this chunk.
    fn present(&self, reader: Tag, wanted: Tag) -> Result<(), String> {
        let (level, plane) = wanted;
        let is_there = match level {
            0 => (self.first..=self.arrived).contains(&plane),
            _ => self.done[level as usize].contains(&plane),
        };
        if is_there {
            return Ok(());
        }
        let (reader, wanted) = (text(reader), text(wanted));
        Err(format!("computes {reader} from {wanted}, which is not available yet"))
    }

    fn wrong_slot(&self, reader: Tag, wanted: Tag, place: i64, found: Option<Tag>) -> String {
        let slots = self.ring.as_ref().map_or(1, Vec::len) as i64;
        // Slots are numbered from that of the first plane that arrives.
        let slot = (self.arrived - self.first - place).rem_euclid(slots);
        let found =
            found.map_or("nothing was written to".to_owned(), |tag| format!("holds {}", text(tag)));
        let (reader, wanted) = (text(reader), text(wanted));
        format!("computes {reader} from {wanted} in slot {slot} of {slots}, which {found}")
    }
}

fn text((level, plane): Tag) -> String {
    format!("plane {plane} of level {level}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planes(behind: i64, ahead: i64, steps: i64, order: Order) -> Planes {
        let reads = vec![(-behind..=ahead).collect()];
        Planes { domain: -3..20, reads, steps, chunks: 1, lag: 0, order }
    }

    fn with_slots(planes: &Planes, slots: i64) -> Planes {
        Planes { order: Order::Gather { slots: Some(slots as usize) }, ..planes.clone() }
    }

    /// Everything that can be varied.
    fn every(mut each: impl FnMut(Planes)) {
        for (behind, ahead) in [(0, 0), (1, 1), (2, 1), (0, 2), (3, 0), (3, 3)] {
            for steps in [1, 2, 3, 5, 8] {
                for chunks in [1, 2, 5, 23, 40] {
                    for lag in [0, 1, 4] {
                        let order = Order::Gather { slots: None };
                        let all = planes(behind, ahead, steps, order);
                        each(Planes { chunks, lag, ..all });
                    }
                }
            }
        }
    }

    #[test]
    fn right_queues_hold_what_is_read() {
        every(|planes| {
            assert_eq!(planes.check(), Ok(()), "{planes:?}");
            let wanted = planes.slots_required();
            assert_eq!(with_slots(&planes, wanted).check(), Ok(()), "{planes:?}");
            let scatter = Planes { order: Order::Scatter, ..planes };
            assert_eq!(scatter.check(), Ok(()), "{scatter:?}");
        });
    }

    #[test]
    fn a_slot_less_loses_a_plane() {
        every(|planes| {
            for slots in 0..planes.slots_required() {
                let short = with_slots(&planes, slots);
                let reason = match slots {
                    0 => "has a queue without slots".to_owned(),
                    _ => format!(" of {slots}, which holds plane "),
                };
                let said = short.check().unwrap_err();
                assert!(said.contains(&reason), "{short:?} {said}");
            }
        });
    }

    #[test]
    fn the_slot_and_what_it_holds_are_told() {
        let planes = planes(1, 1, 2, Order::Gather { slots: Some(4) });
        assert_eq!(
            planes.check(),
            Err("computes plane -3 of level 2 from plane -4 of level 1 in slot 0 of 4, which \
                 holds plane -1 of level 0"
                .to_owned())
        );
        let lazy = Planes { lag: 1, ..with_slots(&planes, 6) };
        assert_eq!(
            lazy.check(),
            Err("computes plane -3 of level 2 from plane -4 of level 1 in slot 0 of 6, which \
                 holds plane 1 of level 0"
                .to_owned())
        );
    }

    /// A level is computed when the one below is available; older ones are further along, and the
    /// carried ones are in memory.
    #[test]
    fn older_levels_must_be_there() {
        let mut planes = planes(1, 1, 3, Order::Gather { slots: Some(7) });
        for offsets in [[0, 0], [-2, 2]] {
            planes.reads.truncate(1);
            planes.reads.push(offsets.into());
            assert_eq!(planes.check(), Ok(()), "{offsets:?}");
        }
        planes.reads[1] = [3].into();
        assert_eq!(
            planes.check(),
            Err("computes plane -3 of level 3 from plane 0 of level 1, which is not available yet"
                .to_owned())
        );
        planes.reads[1] = [-3].into();
        assert_eq!(
            planes.check(),
            Err(
                "computes plane -3 of level 3 from plane -6 of level 1, which is not available yet"
                    .to_owned()
            )
        );
        planes.steps = 2;
        assert_eq!(planes.check(), Ok(()));
    }

    #[test]
    fn sums_wait_for_planes_that_are_left_out() {
        let mut planes = planes(2, 2, 3, Order::Scatter);
        planes.reads = vec![[-2, 1, 2].into()];
        assert_eq!(planes.check(), Ok(()));
        planes.reads = vec![BTreeSet::new()];
        assert_eq!(planes.check(), Ok(()));
    }
}
