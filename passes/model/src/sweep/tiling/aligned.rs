//! Where tiles should begin, by where the rows of memory do.

use super::Lateral;

/// The widest access of a thread to memory.
const ACCESS_BYTES: i64 = 16;

/// Bytes that one asynchronous copy moves. PTX ISA, "cp.async": `cp-size` is 4, 8 or 16.
const COPY_BYTES: [i64; 3] = [4, 8, 16];
/// The fewest of them.
pub const COPY_BYTES_LEAST: i64 = COPY_BYTES[0];
/// The most.
pub const COPY_BYTES_MOST: i64 = COPY_BYTES[2];

/// Bytes that the caches and memory keep together.
const SECTOR_BYTES: i64 = 32;

/// Places along a dimension, in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aligned {
    /// Where memory begins.
    pub begin: i64,
    /// Tiles begin at multiples of these cells from there: a thread reads them at once.
    pub read: i64,
    /// What a tile gives between others should begin and end at multiples of these cells: where two
    /// tiles share a sector of memory, each writes a part of it.
    pub written: i64,
}

/// Of so many neighbouring elements, how many a thread moves at once: as many as divide them, no
/// more than 16 bytes.
pub fn at_once(count: i64, element_bytes: i64) -> i64 {
    (1 << count.trailing_zeros()).min((ACCESS_BYTES / element_bytes).max(1))
}

/// A count, its half and so on, down to one.
pub fn halves(most: i64) -> impl Iterator<Item = i64> {
    std::iter::successors(Some(most), |count| Some(count / 2).filter(|half| *half > 0))
}

impl Aligned {
    /// Anywhere.
    pub const ANYWHERE: Aligned = Aligned { begin: 0, read: 1, written: 1 };

    /// The multiples at which what tiles give may begin, the best first.
    pub(super) fn choices(self) -> impl Iterator<Item = i64> {
        halves(self.written).take_while(move |granule| *granule >= self.read)
    }

    /// Where rows begin and end at multiples of anything: a thread with so many columns reads as
    /// many at once as it may, and tiles write whole sectors.
    pub fn of_rows(columns: i64, element_bytes: i64) -> Aligned {
        let written = (SECTOR_BYTES / element_bytes).max(1);
        Aligned { begin: 0, read: at_once(columns, element_bytes), written }
    }

    /// The same for rows of any length: a thread reads one element at once. Where they happen to
    /// begin at sectors, tiles write whole ones.
    pub fn of_any_rows(element_bytes: i64) -> Aligned {
        Aligned { read: 1, ..Aligned::of_rows(1, element_bytes) }
    }

    /// The same for the rows of some fields, of which the first and the last coordinate are given:
    /// as many at once as divide all of them.
    ///
    /// # Panics
    /// Without fields.
    pub fn of_fields(rows: &[(i64, i64)], columns: i64, element_bytes: i64) -> Aligned {
        let begin = rows.first().expect("a sweep carries a field").0;
        let fits = |cells: &i64| {
            rows.iter().all(|(lower, upper)| {
                (upper - lower) % cells == 0 && (lower - begin).rem_euclid(*cells) == 0
            })
        };
        let best = Aligned::of_rows(columns, element_bytes);
        let read = Some(best.read).filter(fits).unwrap_or(1);
        let written = Some(best.written).filter(fits).unwrap_or(read).max(read);
        Aligned { begin, read, written }
    }

    /// Cells of an asynchronous copy that begins at any multiple of them from a tile's first, as
    /// many as one may have.
    pub fn copied_together(self, tiles: &Lateral, element_bytes: i64) -> i64 {
        let begins = [tiles.origin - self.begin, tiles.points, self.written];
        let fits = |cells: &i64| begins.iter().all(|begin| begin % cells == 0);
        let most = (COPY_BYTES_MOST / element_bytes).max(1);
        halves(most).find(fits).unwrap_or(1)
    }

    /// Whether what a thread reads at once can be copied asynchronously.
    pub fn is_copied(self, element_bytes: i64) -> bool {
        COPY_BYTES.contains(&(self.read * element_bytes))
    }
}
