//! Boxes of cells.

use crate::random_imports::Random;

/// Half-open ranges of cells, one for each dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cells {
    pub lower: Vec<i64>,
    pub upper: Vec<i64>,
}

impl Cells {
    /// The points of a domain, drawn at random.
    pub fn domain(random: &mut Random, rank: usize) -> Self {
        // Sweeps skip comparisons in tiles and planes far from the ends, which small domains lack.
        let is_large = random.one_in(3);
        let extents = match rank {
            1 if is_large => vec![240 + random.below(160)],
            1 => vec![24 + random.below(120)],
            2 if is_large => vec![24 + random.below(16), 140 + random.below(120)],
            2 => vec![5 + random.below(12), 12 + random.below(60)],
            _ if is_large && random.one_in(2) => {
                vec![20 + random.below(8), 6 + random.below(6), 70 + random.below(30)]
            }
            _ => vec![4 + random.below(5), 5 + random.below(7), 12 + random.below(24)],
        };
        let lower = (0..rank).map(|_| random.below(8) as i64 - 4).collect::<Vec<_>>();
        let upper =
            lower.iter().zip(&extents).map(|(lower, extent)| lower + *extent as i64).collect();
        Self { lower, upper }
    }

    /// Moved by an offset.
    pub fn moved(&self, offset: &[i64]) -> Self {
        let add = |ends: &[i64]| ends.iter().zip(offset).map(|(end, by)| end + by).collect();
        Self { lower: add(&self.lower), upper: add(&self.upper) }
    }

    /// Wider by so many cells at each end.
    pub fn wider(&self, by: i64) -> Self {
        let mut wider = self.clone();
        for (lower, upper) in wider.lower.iter_mut().zip(&mut wider.upper) {
            *lower -= by;
            *upper += by;
        }
        wider
    }

    /// The smallest box that holds both.
    pub fn hull(&self, other: &Self) -> Self {
        let mut hull = self.clone();
        for d in 0..hull.lower.len() {
            hull.lower[d] = hull.lower[d].min(other.lower[d]);
            hull.upper[d] = hull.upper[d].max(other.upper[d]);
        }
        hull
    }

    /// Whether all cells of another box are cells of this one.
    pub fn contains(&self, other: &Self) -> bool {
        self.hull(other) == *self
    }

    /// Cells along a dimension.
    pub fn extent(&self, d: usize) -> i64 {
        self.upper[d] - self.lower[d]
    }
}
