//! The first-level cache of a multiprocessor: lines of sectors with LRU replacement.

use crate::requests::{LINE_BYTES, SECTOR_BYTES};

const SECTORS: usize = (LINE_BYTES / SECTOR_BYTES) as usize;
/// Associativity; few enough to search, enough to approximate a fully associative cache.
const WAYS: usize = 16;
/// Hash of line numbers: the golden ratio in 64 bits.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

#[derive(Debug, Clone, Copy)]
struct Line {
    number: u64,
    used: u64,
    /// Arrival time of each sector; infinite if not requested.
    arrives: [f64; SECTORS],
    /// Whether it is dirty.
    written: bool,
}

const EMPTY: Line =
    Line { number: u64::MAX, used: 0, arrives: [f64::INFINITY; SECTORS], written: false };

/// Lines and the arrival times of their content.
pub struct FirstLevel {
    lines: Vec<Line>,
    sets: u64,
    now: u64,
}

impl FirstLevel {
    /// An empty cache of this capacity.
    pub fn new(bytes: f64) -> Self {
        let sets = ((bytes / LINE_BYTES as f64) as usize / WAYS).max(1);
        Self { lines: vec![EMPTY; sets * WAYS], sets: sets as u64, now: 0 }
    }

    /// When a sector is available, if present or in flight.
    pub fn find(&mut self, sector: u64) -> Option<f64> {
        self.now += 1;
        let (number, which) = (sector / SECTORS as u64, (sector % SECTORS as u64) as usize);
        let range = self.set(number);
        let line = self.lines[range].iter_mut().find(|line| line.number == number)?;
        line.used = self.now;
        Some(line.arrives[which]).filter(|at| at.is_finite())
    }

    /// Inserts a sector that arrives then. Returns whether a dirty line is evicted.
    pub fn take(&mut self, sector: u64, arrives_at: f64, written: bool) -> bool {
        self.now += 1;
        let (number, which) = (sector / SECTORS as u64, (sector % SECTORS as u64) as usize);
        let now = self.now;
        let range = self.set(number);
        let set = &mut self.lines[range];
        let found = set.iter().position(|line| line.number == number);
        let oldest = || (0..WAYS).min_by_key(|&way| set[way].used).unwrap_or(0);
        let way = found.unwrap_or_else(oldest);
        let line = &mut set[way];
        let gives_way = found.is_none() && line.written;
        if found.is_none() {
            *line = Line { number, ..EMPTY };
        }
        line.used = now;
        line.arrives[which] = arrives_at;
        line.written |= written;
        gives_way
    }

    fn set(&self, number: u64) -> std::ops::Range<usize> {
        let spread = u128::from(number.wrapping_mul(SPREAD)) * u128::from(self.sets);
        let first = (spread >> u64::BITS) as usize * WAYS;
        first..first + WAYS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_in_is_found_until_others_need_the_place() {
        let mut cache = FirstLevel::new(64.0 * 1024.0);
        assert_eq!(cache.find(5), None);
        assert!(!cache.take(5, 30.0, false));
        assert_eq!((cache.find(5), cache.find(4)), (Some(30.0), None));
        // Half of the capacity stays, ten times as much does not.
        let lines = 64 * 1024 / LINE_BYTES;
        for line in 10..10 + lines / 2 {
            cache.take(line * SECTORS as u64, 0.0, false);
        }
        assert_eq!(cache.find(5), Some(30.0));
        for line in 1000..1000 + 10 * lines {
            cache.take(line * SECTORS as u64, 0.0, false);
        }
        assert_eq!(cache.find(5), None);
    }

    #[test]
    fn what_was_written_is_written_on_when_it_gives_way() {
        let mut cache = FirstLevel::new(LINE_BYTES as f64);
        cache.take(0, 0.0, true);
        let evicted = (1..100).filter(|line| cache.take(line * SECTORS as u64, 0.0, false));
        assert_eq!(evicted.count(), 1);
    }
}
