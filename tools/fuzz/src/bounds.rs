//! Boxes of cells: half-open, any rank from one to three, coordinates of either sign.

/// A box of cells.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// First coordinate per dimension.
    pub lower: Vec<i64>,
    /// Coordinate after the last, per dimension.
    pub upper: Vec<i64>,
}

impl Bounds {
    /// The box from a corner to another.
    pub fn new(lower: Vec<i64>, upper: Vec<i64>) -> Self {
        assert_eq!(lower.len(), upper.len(), "corners of a box have one rank");
        Bounds { lower, upper }
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.lower.len()
    }

    /// Cells along a dimension.
    pub fn extent(&self, dim: usize) -> i64 {
        self.upper[dim] - self.lower[dim]
    }

    /// Cells along each dimension.
    pub fn extents(&self) -> Vec<i64> {
        (0..self.rank()).map(|dim| self.extent(dim)).collect()
    }

    /// Number of cells.
    pub fn cells(&self) -> u64 {
        self.extents().iter().map(|extent| extent.max(&0).unsigned_abs()).product()
    }

    /// Does the box hold at least one cell?
    pub fn is_solid(&self) -> bool {
        self.extents().iter().all(|extent| *extent > 0)
    }

    /// Does the box hold all of another one?
    pub fn holds(&self, other: &Bounds) -> bool {
        let inside =
            |dim| self.lower[dim] <= other.lower[dim] && other.upper[dim] <= self.upper[dim];
        self.rank() == other.rank() && (0..self.rank()).all(inside)
    }

    /// The smallest box that holds both.
    pub fn union(&self, other: &Bounds) -> Bounds {
        let pick = |a: &[i64], b: &[i64], f: fn(i64, i64) -> i64| {
            a.iter().zip(b).map(|(a, b)| f(*a, *b)).collect()
        };
        Bounds {
            lower: pick(&self.lower, &other.lower, i64::min),
            upper: pick(&self.upper, &other.upper, i64::max),
        }
    }

    /// The box grown by cells below and above, or moved where both are the same offset.
    pub fn grown(&self, below: &[i64], above: &[i64]) -> Bounds {
        let add = |a: &[i64], b: &[i64]| a.iter().zip(b).map(|(a, b)| a + b).collect();
        Bounds { lower: add(&self.lower, below), upper: add(&self.upper, above) }
    }

    /// The box seen along some of its dimensions.
    pub fn project(&self, dims: &[usize]) -> Bounds {
        let pick = |corner: &[i64]| dims.iter().map(|dim| corner[*dim]).collect();
        Bounds { lower: pick(&self.lower), upper: pick(&self.upper) }
    }

    /// The part below a coordinate of a dimension.
    pub fn below(&self, dim: usize, at: i64) -> Bounds {
        let mut part = self.clone();
        part.upper[dim] = at;
        part
    }

    /// The part from a coordinate of a dimension on.
    pub fn from(&self, dim: usize, at: i64) -> Bounds {
        let mut part = self.clone();
        part.lower[dim] = at;
        part
    }
}
