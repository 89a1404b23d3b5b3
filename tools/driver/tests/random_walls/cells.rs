//! Boxes of cells.

/// Half-open ranges of cells, one for each dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cells {
    pub lower: Vec<i64>,
    pub upper: Vec<i64>,
}

impl Cells {
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
