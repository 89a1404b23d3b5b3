//! The first-level cache of a multiprocessor: lines of sectors, of which the one that was used
//! longest ago gives way.

use crate::requests::{LINE_BYTES, SECTOR_BYTES};

const SECTORS: usize = (LINE_BYTES / SECTOR_BYTES) as usize;
/// Lines that may stand in the place of one another; few enough to be searched, enough to come near
/// to a cache that takes every line everywhere.
const WAYS: usize = 16;
/// Spreads neighbouring lines over all sets: the golden ratio in 64 bits.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

#[derive(Debug, Clone, Copy)]
struct Line {
    number: u64,
    used: u64,
    /// When each sector arrives; never, if it was not asked for.
    arrives: [f64; SECTORS],
    /// Whether it has to be written when it gives way.
    written: bool,
}

const EMPTY: Line =
    Line { number: u64::MAX, used: 0, arrives: [f64::INFINITY; SECTORS], written: false };

/// Lines and when their content arrives.
pub struct FirstLevel {
    lines: Vec<Line>,
    sets: u64,
    now: u64,
}

impl FirstLevel {
    /// A cache of so many bytes that holds nothing.
    pub fn new(bytes: f64) -> Self {
        let sets = ((bytes / LINE_BYTES as f64) as usize / WAYS).max(1);
        Self { lines: vec![EMPTY; sets * WAYS], sets: sets as u64, now: 0 }
    }

    /// When a sector is there, if it is or is on its way.
    pub fn find(&mut self, sector: u64) -> Option<f64> {
        self.now += 1;
        let (number, which) = (sector / SECTORS as u64, (sector % SECTORS as u64) as usize);
        let range = self.set(number);
        let line = self.lines[range].iter_mut().find(|line| line.number == number)?;
        line.used = self.now;
        Some(line.arrives[which]).filter(|at| at.is_finite())
    }

    /// Takes a sector in that arrives then. Says whether something must be written for it.
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
        // Half of what fits leaves it there, ten times as much does not.
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
