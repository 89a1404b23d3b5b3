//! Values on a box of the grid: memory of fields, snapshots of temps.
//!
//! All ranks share one representation: three dimensions, of which those beyond the rank have the
//! single coordinate 0. A temp is a reference to an immutable grid; a store to a field copies the
//! field's grid first if a temp still refers to it (copy on write).

use crate::element::Element;
use crate::error::{Failure, SiteId};
use std::{cell::RefCell, rc::Rc, sync::Arc};
use stencil_dialects::Bounds;

/// Most dimensions of a grid.
pub(crate) const RANK_MAX: usize = 3;

/// One number per dimension; zero beyond the rank.
pub(crate) type Point = [i64; RANK_MAX];

/// A dimension whose ends meet: a coordinate outside is one at the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ring {
    pub lower: i64,
    pub upper: i64,
}

impl Ring {
    /// The same point by its coordinate inside; an empty ring has none.
    #[inline]
    pub fn inside(self, coordinate: i64) -> i64 {
        let Self { lower, upper } = self;
        if lower >= upper || (lower..upper).contains(&coordinate) {
            return coordinate;
        }
        let [lower, upper, coordinate] = [lower, upper, coordinate].map(i128::from);
        let inside = lower + (coordinate - lower).rem_euclid(upper - lower);
        i64::try_from(inside).expect("it lies between numbers of 64 bits")
    }
}

/// The rings of a grid, by dimension.
pub(crate) type Rings = [Option<Ring>; RANK_MAX];

/// A half-open box of points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    pub rank: usize,
    pub lower: Point,
    pub upper: Point,
}

impl Extent {
    /// The same box in three dimensions. Bounds have 1 to 3 dimensions: their attribute and types
    /// verify that.
    pub fn of(bounds: &Bounds) -> Self {
        let mut extent = Self { rank: bounds.rank(), lower: [0; RANK_MAX], upper: [1; RANK_MAX] };
        for d in 0..extent.rank {
            extent.lower[d] = bounds.lower[d];
            extent.upper[d] = bounds.upper[d].max(bounds.lower[d]);
        }
        extent
    }

    /// Points along each dimension.
    pub fn sizes(&self) -> [u64; RANK_MAX] {
        std::array::from_fn(|d| self.upper[d].abs_diff(self.lower[d]))
    }

    /// Points in all; none if they cannot be counted in 64 bits.
    pub fn points(&self) -> Option<u64> {
        let [i, j, k] = self.sizes();
        i.checked_mul(j)?.checked_mul(k)
    }

    /// Whether a point lies inside.
    #[inline]
    pub fn contains(&self, point: Point) -> bool {
        (0..RANK_MAX).all(|d| self.lower[d] <= point[d] && point[d] < self.upper[d])
    }

    /// Whether all points of another box lie inside.
    pub fn contains_all(&self, other: &Self) -> bool {
        other.points() == Some(0)
            || (0..RANK_MAX)
                .all(|d| self.lower[d] <= other.lower[d] && other.upper[d] <= self.upper[d])
    }

    /// The point with this number, counted in row-major order.
    pub fn point(&self, number: u64) -> Point {
        let [_, rows, columns] = self.sizes();
        let steps = [number / columns / rows, number / columns % rows, number % columns];
        std::array::from_fn(|d| self.lower[d] + steps[d] as i64)
    }

    /// Every point, in row-major order.
    pub fn iterate(self) -> impl Iterator<Item = Point> {
        let along = move |d: usize| self.lower[d]..self.upper[d];
        along(0).flat_map(move |i| along(1).flat_map(move |j| along(2).map(move |k| [i, j, k])))
    }

    /// The box as bounds are written: `<[0, 0], [64, 48]>`.
    pub fn text(&self) -> String {
        self.bounds().to_string()
    }

    /// The box as bounds of its rank.
    pub fn bounds(&self) -> Bounds {
        Bounds::new(self.lower[..self.rank].to_vec(), self.upper[..self.rank].to_vec())
    }
}

/// A point as errors name it, `[3, -1]`.
pub(crate) fn point_text(point: Point, rank: usize) -> String {
    format!("{:?}", &point[..rank])
}

/// The values of a box, in row-major order, dimension 0 slowest.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub element: Element,
    sizes: [u64; RANK_MAX],
    bytes: Vec<u8>,
    /// Which cells are initialised; all where this is absent.
    written: Option<Vec<bool>>,
}

/// A failed allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NoMemory(pub String);

impl Grid {
    /// A grid of zeros, or an uninitialised one where `written` is false.
    pub fn new(extent: &Extent, element: Element, written: bool) -> Result<Self, NoMemory> {
        let too_large = || NoMemory(format!("runs out of memory for {}", extent.text()));
        let cell_bytes = cell_bytes(element);
        let cells = extent.points().and_then(|points| usize::try_from(points).ok());
        let cells = cells.ok_or_else(too_large)?;
        let length = cells.checked_mul(cell_bytes).ok_or_else(too_large)?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(length).map_err(|_| too_large())?;
        bytes.resize(length, 0);
        let written = if written {
            None
        } else {
            let mut flags = Vec::new();
            flags.try_reserve_exact(cells).map_err(|_| too_large())?;
            flags.resize(cells, false);
            Some(flags)
        };
        Ok(Self { element, sizes: extent.sizes(), bytes, written })
    }

    /// A grid from its bytes, little endian; none if their number is wrong.
    pub fn from_bytes(extent: &Extent, element: Element, bytes: Vec<u8>) -> Option<Self> {
        let length = extent.points()?.checked_mul(cell_bytes(element) as u64)?;
        (bytes.len() as u64 == length).then(|| Self {
            element,
            sizes: extent.sizes(),
            bytes,
            written: None,
        })
    }

    /// The bytes of all cells; uninitialised cells are zero.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Whether some cell may be uninitialised.
    pub fn has_gaps(&self) -> bool {
        self.written.is_some()
    }

    /// Number of the cell at these distances from the grid's first point.
    #[inline]
    fn cell(&self, distance: Point) -> usize {
        let [_, rows, columns] = self.sizes;
        let [i, j, k] = distance.map(|steps| steps as u64);
        ((i * rows + j) * columns + k) as usize
    }

    #[inline]
    fn read(&self, cell: usize) -> Option<u64> {
        if self.written.as_ref().is_some_and(|written| !written[cell]) {
            return None;
        }
        let bytes = &self.bytes;
        Some(match cell_bytes(self.element) {
            1 => u64::from(bytes[cell]),
            2 => u64::from(u16::from_le_bytes(part(bytes, cell))),
            4 => u64::from(u32::from_le_bytes(part(bytes, cell))),
            _ => u64::from_le_bytes(part(bytes, cell)),
        })
    }

    fn write(&mut self, cell: usize, bits: u64) {
        let width = cell_bytes(self.element);
        self.bytes[cell * width..][..width].copy_from_slice(&bits.to_le_bytes()[..width]);
        if let Some(written) = &mut self.written {
            written[cell] = true;
        }
    }

    fn clear(&mut self, cell: usize) {
        let cells = self.bytes.len() / cell_bytes(self.element);
        self.written.get_or_insert_with(|| vec![true; cells])[cell] = false;
    }
}

/// The bytes of one cell of `N` bytes.
#[inline]
fn part<const N: usize>(bytes: &[u8], cell: usize) -> [u8; N] {
    bytes[cell * N..][..N].try_into().expect("the slice has N bytes")
}

/// Bytes of a cell. The decoder refuses grids of integers that no memory cell holds.
#[inline]
fn cell_bytes(element: Element) -> usize {
    element.stored_bytes().expect("the decoder checked that a grid can hold the element type")
}

/// A value on a box: part of an immutable grid.
#[derive(Clone, Debug)]
pub(crate) struct Temp {
    /// The points that may be read.
    pub extent: Extent,
    /// Coordinates of the grid's first point.
    origin: Point,
    grid: Arc<Grid>,
}

impl Temp {
    /// A temp that is a whole grid.
    pub fn new(extent: Extent, grid: Grid) -> Self {
        Self { extent, origin: extent.lower, grid: Arc::new(grid) }
    }

    /// The value at a point; none if uninitialised. The point must lie inside the extent.
    #[inline]
    pub fn read(&self, point: Point) -> Option<u64> {
        self.grid.read(self.grid.cell(std::array::from_fn(|d| point[d] - self.origin[d])))
    }

    /// Type of the values.
    pub fn element(&self) -> Element {
        self.grid.element
    }

    /// Whether some point may be uninitialised.
    pub fn has_gaps(&self) -> bool {
        self.grid.has_gaps()
    }

    /// Restricts the temp to a box inside its own.
    pub fn restrict(mut self, extent: Extent) -> Self {
        self.extent = extent;
        self
    }
}

/// Memory with the coordinates of the program.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub extent: Extent,
    memory: Rc<RefCell<Arc<Grid>>>,
}

impl Field {
    /// A field with memory of its own.
    pub fn new(extent: Extent, grid: Grid) -> Self {
        Self { extent, memory: Rc::new(RefCell::new(Arc::new(grid))) }
    }

    /// The current values of the field.
    pub fn snapshot(&self) -> Temp {
        let grid = Arc::clone(&self.memory.borrow());
        Temp { extent: self.extent, origin: self.extent.lower, grid }
    }

    /// The same memory under other coordinates; none if the sizes differ.
    pub fn cast(&self, extent: Extent) -> Option<Self> {
        (self.extent.sizes() == extent.sizes())
            .then(|| Self { extent, memory: Rc::clone(&self.memory) })
    }

    /// Writes those points of a box that are initialised in the temp.
    pub fn store(&self, temp: &Temp, bounds: &Extent, site: SiteId) -> Result<(), Box<Failure>> {
        for (what, extent) in [("temp", &temp.extent), ("field", &self.extent)] {
            if !extent.contains_all(bounds) {
                let message = format!(
                    "stores {}, but the {what} has bounds {}",
                    bounds.text(),
                    extent.text()
                );
                return Err(Failure::new(site, message));
            }
        }
        let mut memory = self.memory.borrow_mut();
        let grid = Arc::make_mut(&mut memory);
        for point in bounds.iterate() {
            if let Some(bits) = temp.read(point) {
                let cell = grid.cell(std::array::from_fn(|d| point[d] - self.extent.lower[d]));
                grid.write(cell, bits);
            }
        }
        Ok(())
    }

    /// Writes one cell, which the field has.
    pub fn write(&self, point: Point, bits: u64) {
        let mut memory = self.memory.borrow_mut();
        let grid = Arc::make_mut(&mut memory);
        let cell = grid.cell(std::array::from_fn(|d| point[d] - self.extent.lower[d]));
        grid.write(cell, bits);
    }

    /// The current values of the field, those in a box taken from a temp. Both must cover it.
    pub fn overlaid(&self, temp: &Temp, bounds: &Extent) -> Temp {
        let mut grid = Grid::clone(&self.memory.borrow());
        for point in bounds.iterate() {
            let cell = grid.cell(std::array::from_fn(|d| point[d] - self.extent.lower[d]));
            match temp.read(point) {
                Some(bits) => grid.write(cell, bits),
                None => grid.clear(cell),
            }
        }
        Temp::new(self.extent, grid)
    }

    /// Whether both are the same memory.
    pub fn is_same_memory(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.memory, &other.memory)
    }

    /// Takes the grid; it is copied only if something else still refers to it.
    pub fn into_grid(self) -> Grid {
        let shared = match Rc::try_unwrap(self.memory) {
            Ok(memory) => memory.into_inner(),
            Err(memory) => Arc::clone(&memory.borrow()),
        };
        Arc::unwrap_or_clone(shared)
    }
}

/// A grid under construction, filled point by point.
#[derive(Debug)]
pub(crate) struct GridBuilder {
    extent: Extent,
    grid: Grid,
}

impl GridBuilder {
    /// A grid to be filled. Unless `gaps` is set, every point must be set.
    pub fn new(extent: Extent, element: Element, gaps: bool) -> Result<Self, NoMemory> {
        Ok(Self { extent, grid: Grid::new(&extent, element, !gaps)? })
    }

    /// Sets the value of a point inside the extent.
    pub fn set(&mut self, point: Point, bits: u64) {
        let cell = self.grid.cell(std::array::from_fn(|d| point[d] - self.extent.lower[d]));
        self.grid.write(cell, bits);
    }

    /// The finished value.
    pub fn finish(self) -> Temp {
        Temp::new(self.extent, self.grid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(lower: &[i64], upper: &[i64]) -> Extent {
        Extent::of(&Bounds::new(lower.to_vec(), upper.to_vec()))
    }

    fn field(extent: Extent) -> Field {
        let points = extent.points().unwrap() as u8;
        let grid = Grid::from_bytes(&extent, Element::Integer(8), (0..points).collect());
        Field::new(extent, grid.unwrap())
    }

    #[test]
    fn points_are_numbered_row_major() {
        let space = extent(&[-1, 2], &[1, 5]);
        let points: Vec<Point> = space.iterate().collect();
        assert_eq!(points.len(), 6);
        assert_eq!(points[1], [-1, 3, 0]);
        for (number, &point) in points.iter().enumerate() {
            assert_eq!(space.point(number as u64), point);
        }
    }

    #[test]
    fn the_ends_of_a_ring_meet() {
        let ring = Ring { lower: -1, upper: 3 };
        let inside = [-6, -2, -1, 2, 3, 8].map(|coordinate| ring.inside(coordinate));
        assert_eq!(inside, [2, 2, -1, 2, -1, 0]);
        assert_eq!(Ring { lower: 0, upper: 1 }.inside(i64::MIN), 0);
        assert_eq!(Ring { lower: i64::MIN, upper: -1 }.inside(i64::MAX), i64::MIN + 1);
        assert_eq!(Ring { lower: 2, upper: 2 }.inside(7), 7);
    }

    #[test]
    fn a_temp_keeps_its_values_when_the_field_changes() {
        let space = extent(&[-2], &[2]);
        let field = field(space);
        let before = field.snapshot();
        let mut other = GridBuilder::new(space, Element::Integer(8), true).unwrap();
        other.set([-2, 0, 0], 9);
        field.store(&other.finish(), &space, SiteId(0)).unwrap();
        assert_eq!(before.read([-2, 0, 0]), Some(0));
        assert_eq!(field.snapshot().read([-2, 0, 0]), Some(9));
        // Points without a value leave the field as it was.
        assert_eq!(field.snapshot().read([-1, 0, 0]), Some(1));
        assert_eq!(field.into_grid().into_bytes(), [9, 1, 2, 3]);
    }

    #[test]
    fn casts_share_memory_and_shift_coordinates() {
        let field = field(extent(&[0, 0], &[2, 3]));
        let moved = field.cast(extent(&[-1, -1], &[1, 2])).unwrap();
        assert_eq!(moved.snapshot().read([-1, 1, 0]), Some(2));
        assert!(field.cast(extent(&[0, 0], &[3, 2])).is_none());
    }

    #[test]
    fn refuses_what_no_memory_holds() {
        let huge = extent(&[0, 0], &[1 << 31, 1 << 31]);
        let NoMemory(why) = Grid::new(&huge, Element::F64, true).unwrap_err();
        assert_eq!(why, "runs out of memory for <[0, 0], [2147483648, 2147483648]>");
        assert!(Grid::from_bytes(&extent(&[0], &[2]), Element::F64, vec![0; 15]).is_none());
    }

    #[test]
    fn stores_outside_are_refused() {
        let field = field(extent(&[0], &[4]));
        let error = field.store(&field.snapshot(), &extent(&[0], &[5]), SiteId(3)).unwrap_err();
        assert_eq!(error.message, "stores <[0], [5]>, but the temp has bounds <[0], [4]>");
    }
}
