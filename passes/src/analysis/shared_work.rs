//! What threads compute for tiles of points, equal values once.
//!
//! A value at a point is what the body computes there from cells at offsets. Two operations of a
//! body that differ by a shift of all their offsets compute the same value at different points, so
//! that a tile needs fewer operations than its points need apart: a flux through the face between
//! two cells is computed once for both. Values are numbered up to a shift [Deitz, Chamberlain,
//! Snyder, Eliminating Redundancies in Sum-of-Product Array Computations, ICS 2001, who shift sums
//! of arrays; here any operation]. Each has the places, relative to the point, at which the body
//! needs it; a tile needs it at the sums of these and of its points, and `cse` of the unrolled body
//! finds as much.

mod numbers;

use super::stages::Range;
use crate::arithmetic::shapes::RANK;
use numbers::Numbers;
pub use numbers::work;
use rustc_hash::FxHashSet;
use std::{
    cell::OnceCell,
    collections::BTreeMap,
    iter::{self, Sum},
    ops::{Add, AddAssign, Mul},
    rc::Rc,
};
use stencil_dialects::ops::ApplyOp;

/// Where a value is computed, relative to the point, for each dimension that it depends on.
type Place = [Option<i64>; RANK];
/// Results of an apply that need a value, as bits; the last one is for all beyond.
type Needing = u64;
/// The places of a value, and which results need it there.
type Places = BTreeMap<Place, Needing>;

/// Operations, and the issue slots that they take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Operations, those that take none among them.
    pub operations: f64,
    /// Slots of all.
    pub slots: f64,
    /// Slots of those in double precision, each of which is two.
    pub slots_f64: f64,
    /// Registers that the cells take that are read.
    pub cells: f64,
}

/// What a point computes, by the places where its values are.
#[derive(Clone, Debug, Default)]
pub struct SharedWork {
    /// Places are shared by what is made of each other: applies of long chains have many.
    values: Vec<(Rc<Places>, Work)>,
    tiles: OnceCell<Vec<Tile>>,
}

/// A tile of points of one thread.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    /// Along each dimension, slowest first.
    pub points: Vec<u32>,
    /// What each of its points takes.
    pub work: Work,
}

/// Tiles that share much with little code, without points along the fastest dimension, where
/// neighbours are other lanes: of two dimensions, and the last two of more.
const TILES: [&[[u32; 2]]; 2] = [&[[2, 1], [4, 1]], &[[2, 1], [4, 1], [1, 2], [2, 2]]];
/// Slots of a tile at most: longer code waits for instruction caches. Fluxes of fifth order through
/// six faces take 123 us with 2900 instructions, and 142 with 5400, which are 8 % fewer a point
/// (H200, 580.159.04, ptxas 13.0.88, 2026-11-28).
const SLOTS_MAX: f64 = 3000.0;
/// Registers of the cells of a tile at most, all that a thread has: beyond, they are loaded twice
/// or spilled. A body that reads 171 cells of f32 takes 0.77 ms with the points of a vector, and
/// 0.98 with four in a column, which compute 17 % less (the same chip and day).
const CELLS_MAX: f64 = 255.0;
/// Tiles along each of its extents at least.
const TILES_LEAST: u64 = 8;
/// Part of the slots of a smaller tile that a larger one takes at most: it has more values alive.
const LESS: f64 = 0.95;

impl SharedWork {
    /// That of an apply at one point of its region.
    pub fn of(apply: ApplyOp) -> Self {
        Self::merged(Numbers::of(apply).values())
    }

    /// So many slots of a point, none of which its neighbours share.
    pub fn apart(work: Work, rank: usize) -> Self {
        let here = Places::from([(here(rank), Needing::MAX)]);
        Self::merged([(here, work)].into_iter())
    }

    /// Values at the same places together; without those that no result needs.
    fn merged(values: impl Iterator<Item = (Places, Work)>) -> Self {
        let mut sums = BTreeMap::<Places, Work>::new();
        let takes = |(places, work): &(Places, Work)| work.operations > 0.0 && !places.is_empty();
        for (places, work) in values.filter(takes) {
            *sums.entry(places).or_default() += work;
        }
        let values = sums.into_iter().map(|(places, work)| (Rc::new(places), work));
        Self { values: values.collect(), tiles: OnceCell::new() }
    }

    /// What a reader computes that computes these results of an apply at these places itself.
    pub fn with(&self, other: &Self, reads: &[(usize, &[Range])]) -> Self {
        let of_result = |result: usize| 1 << result.min(Needing::BITS as usize - 1);
        let moved = |(places, work): &(Rc<Places>, Work)| {
            let mut all = Places::new();
            for (place, needing) in places.iter() {
                let needed = reads.iter().filter(|(result, _)| needing & of_result(*result) != 0);
                all.extend(needed.map(|(_, at)| (shifted(place, at), Needing::MAX)));
            }
            (!all.is_empty()).then(|| (Rc::new(all), *work))
        };
        let mut values = self.values.clone();
        values.extend(other.values.iter().filter_map(moved));
        Self { values, tiles: OnceCell::new() }
    }

    /// What a tile of so many points along each dimension takes.
    pub fn of_tile(&self, points: &[u32]) -> Work {
        let of_value = |(places, work): &(Rc<Places>, Work)| *work * covered(places, points) as f64;
        self.values.iter().map(of_value).sum()
    }

    /// What a tile of so many points of a plane takes that is computed plane by plane along the
    /// slowest dimension, where what a plane contributes to several is kept for all of them.
    pub fn of_streamed(&self, points: &[u32]) -> Work {
        let in_plane = |place: &Place| {
            let mut place = *place;
            place[0] = None;
            place
        };
        let of_value = |(places, work): &(Rc<Places>, Work)| {
            let of_planes = places.iter().map(|(place, needing)| (in_plane(place), *needing));
            *work * covered(&of_planes.collect(), points) as f64
        };
        self.values.iter().map(of_value).sum()
    }

    /// The tile whose points take least in a domain of these extents, of which each has several.
    pub fn tile(&self, extents: &[u64]) -> &Tile {
        let is_long = |(points, extent): (&u32, &u64)| {
            *points == 1 || *extent >= TILES_LEAST * u64::from(*points)
        };
        let tiles = self.tiles(extents.len());
        let (one, others) = tiles.split_first().expect("a point is a tile");
        others.iter().fold(one, |best, tile| {
            let fits = tile.points.iter().zip(extents).all(is_long);
            match fits && tile.work.slots <= LESS * best.work.slots {
                true => tile,
                false => best,
            }
        })
    }

    /// The same, if its points take less than those of another tile.
    pub fn tile_that_shares_more(&self, extents: &[u64], than: &[u32]) -> Option<&Tile> {
        let tile = self.tile(extents);
        let each = self.of_tile(than).slots / f64::from(than.iter().product::<u32>());
        (tile.work.slots <= LESS * each).then_some(tile)
    }

    /// A point, and the tiles that a thread can have.
    fn tiles(&self, rank: usize) -> &Vec<Tile> {
        self.tiles.get_or_init(|| {
            let slow = rank.saturating_sub(1);
            let shapes = slow.checked_sub(1).map_or(&[][..], |least| TILES[least.min(1)]);
            let points = |[first, second]: &[u32; 2]| match slow {
                1 => vec![*first, 1],
                _ => [vec![1; slow - 2], vec![*first, *second, 1]].concat(),
            };
            let tile = |points: Vec<u32>| {
                let all = self.of_tile(&points);
                let fits = all.slots <= SLOTS_MAX && all.cells <= CELLS_MAX;
                let work = all * (1.0 / f64::from(points.iter().product::<u32>()));
                fits.then_some(Tile { points, work })
            };
            let one = Tile { points: vec![1; rank], work: self.of_tile(&vec![1; rank]) };
            iter::once(one).chain(shapes.iter().map(points).filter_map(tile)).collect()
        })
    }
}

/// The point, of so many dimensions.
fn here(rank: usize) -> Place {
    std::array::from_fn(|dimension| (dimension < rank).then_some(0))
}

/// Where a reader computes what its producer has at a place.
fn shifted(place: &Place, at: &[Range]) -> Place {
    let mut moved = [None; RANK];
    for (own, range) in place.iter().zip(at) {
        if let (Some(offset), Some(along)) = (own, range.follows) {
            moved[along] = Some(offset.saturating_add(range.lower));
        }
    }
    moved
}

/// Places at which a tile needs what one point needs at some.
fn covered(places: &Places, points: &[u32]) -> usize {
    if points.iter().all(|count| *count == 1) {
        return places.len();
    }
    let mut all = FxHashSet::default();
    for place in places.keys() {
        let mut reached = vec![*place];
        for (dimension, count) in points.iter().enumerate().filter(|(_, count)| **count > 1) {
            let Some(first) = place[dimension] else { continue };
            let along = |place: Place| {
                (0..i64::from(*count)).map(move |step| {
                    let mut next = place;
                    next[dimension] = Some(first.saturating_add(step));
                    next
                })
            };
            reached = reached.into_iter().flat_map(along).collect();
        }
        all.extend(reached);
    }
    all.len()
}

impl Add for Work {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            operations: self.operations + other.operations,
            slots: self.slots + other.slots,
            slots_f64: self.slots_f64 + other.slots_f64,
            cells: self.cells + other.cells,
        }
    }
}

impl Sum for Work {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Self::add)
    }
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul<f64> for Work {
    type Output = Self;

    fn mul(self, times: f64) -> Self {
        Self {
            operations: self.operations * times,
            slots: self.slots * times,
            slots_f64: self.slots_f64 * times,
            cells: self.cells * times,
        }
    }
}

#[cfg(test)]
#[path = "shared_work_tests.rs"]
mod tests;
