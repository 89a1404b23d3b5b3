//! What bricks would take, which cut two dimensions or more: for comparison, as nothing is cut that
//! way.
//!
//! The surface of a brick is less than that of a slab where devices are many. Against it: its faces
//! are not contiguous, so that a kernel has to gather and scatter them, and it exchanges with two
//! neighbours along each dimension that is cut. A brick is taken to need the halo of the slowest
//! dimension along each, which is what symmetric stencils need.

use super::{Kernels, Late, Piece, launches};
use crate::product::{Product, Route};

/// What a time step would take on bricks.
#[derive(Debug, Clone, PartialEq)]
pub struct Brick {
    /// Devices along each dimension.
    pub grid: Vec<i64>,
    /// Nanoseconds of a time step.
    pub ns: f64,
    /// Bytes that a device would get in an exchange.
    pub bytes: f64,
}

/// The grid of so many devices on which a domain of these extents, or for each device one of them,
/// would take least; none if no grid fits.
pub fn brick(
    kernels: &Kernels,
    piece: &Piece,
    (devices, extents, is_weak): (i64, &[i64], bool),
    (route, product): (&Route, &Product),
) -> Option<Brick> {
    let bytes_of_cell = bytes_of_cell(piece, extents)?;
    let of_grid = |grid: Vec<i64>| {
        let cut = Cut { kernels, piece, grid: &grid, extents, is_weak, bytes_of_cell };
        let (ns, bytes) = cut.step(route, product)?;
        Some(Brick { grid, ns, bytes })
    };
    // Cuts of one dimension alone are slabs.
    let is_brick = |grid: &Vec<i64>| grid.iter().filter(|devices| **devices > 1).count() > 1;
    let all = grids(devices, extents.len()).into_iter().filter(is_brick).filter_map(of_grid);
    all.min_by(|one, other| one.ns.total_cmp(&other.ns))
}

/// Bytes that travel for a cell of a halo, from those of slabs.
fn bytes_of_cell(piece: &Piece, extents: &[i64]) -> Option<f64> {
    let window = piece.windows.first()?;
    let cuts = if piece.other_end > 0 { 2 } else { 1 };
    let cells = extents.get(1..)?.iter().product::<i64>() * piece.received * cuts;
    Some(window.received_bytes as f64 / cells.max(1) as f64)
}

/// The ways to write a number as a product of so many.
fn grids(devices: i64, dimensions: usize) -> Vec<Vec<i64>> {
    match dimensions {
        0 => Vec::new(),
        1 => vec![vec![devices]],
        _ => (1..=devices)
            .filter(|first| devices % first == 0)
            .flat_map(|first| {
                let rest = grids(devices / first, dimensions - 1).into_iter();
                rest.map(move |rest| [vec![first], rest].concat())
            })
            .collect(),
    }
}

/// A domain in a grid of bricks.
struct Cut<'a> {
    kernels: &'a Kernels,
    piece: &'a Piece,
    grid: &'a [i64],
    extents: &'a [i64],
    is_weak: bool,
    bytes_of_cell: f64,
}

impl Cut<'_> {
    /// Parts of an extent along which there are so many devices.
    fn parts(&self, devices: i64) -> i64 {
        if self.is_weak { 1 } else { devices }
    }

    /// Cells of a brick with so many planes more at each of its cuts.
    fn cells(&self, beyond: i64) -> f64 {
        let dimensions = self.grid.iter().zip(self.extents);
        let extent = |(devices, extent): (&i64, &i64)| {
            let own = *extent as f64 / self.parts(*devices) as f64;
            own + if *devices > 1 { 2.0 * beyond as f64 } else { 0.0 }
        };
        dimensions.map(extent).product()
    }

    /// Nanoseconds of a time step, and bytes of an exchange; none if a brick is thinner than what
    /// its neighbours need of it.
    fn step(&self, route: &Route, product: &Product) -> Option<(f64, f64)> {
        let Cut { kernels, piece, grid, extents, .. } = self;
        let cut = grid.iter().zip(*extents).filter(|(devices, _)| **devices > 1);
        let received = piece.received;
        if cut.clone().any(|(devices, extent)| extent / self.parts(*devices) < received) {
            return None;
        }
        let plane = extents.get(1..)?.iter().product::<i64>() as f64;
        let all = launches(kernels, piece.iterations);
        let cells = |beyond: i64| self.cells(beyond) / plane;
        let computed = |(made, following): &(i64, i64)| {
            kernels.launch(*made, cells(piece.beyond(*following as usize)))
        };
        let around = kernels.around(cells(received));
        let compute = around + all.iter().map(computed).sum::<f64>();
        let faces = 2.0 * cut.clone().count() as f64;
        let bytes = (self.cells(received) - self.cells(0)) * self.bytes_of_cell;
        // Gathered and scattered, each by a kernel that reads and writes them.
        let copied = product.calibration.copy_bytes_per_s as f64;
        let packing = 4.0 * bytes * 1e9 / copied + 2.0 * faces * kernels.launch_ns;
        let transport = route.ns(faces, bytes) + route.beside_ns as f64;
        let more = self.exchange_ns(&all, (transport, route.join_ns as f64))?;
        Some(((compute + packing + more) / piece.steps.max(1) as f64, bytes))
    }

    /// Nanoseconds by which an exchange makes the first launch of a piece longer: all of the
    /// transport where it is not made in parts.
    fn exchange_ns(&self, all: &[(i64, i64)], (transport, join_ns): (f64, f64)) -> Option<f64> {
        let Cut { kernels, piece, extents, .. } = self;
        let plane = extents.get(1..)?.iter().product::<i64>() as f64;
        let (made, following) = *all.first()?;
        let before = piece.beyond(made as usize);
        let outer = self.cells(piece.beyond(following as usize)) / plane;
        let inner = (self.cells(-before) / plane).max(0.0);
        let is_split = kernels.before_ns == 0.0 && 2.0 * inner >= outer;
        let Some(plane_ns) = kernels.plane_ns.filter(|_| is_split) else {
            return Some(transport);
        };
        let early = kernels.launch(made, inner);
        let work = kernels.launch(made, outer - inner) - kernels.launches_ns;
        let waiting = plane_ns * 4.0 * before as f64;
        let late = Late { work, alone: work.max(waiting) + kernels.launches_ns };
        let first = early + work + late.exposed(early, transport) + join_ns;
        Some(first - kernels.launch(made, outer))
    }
}
