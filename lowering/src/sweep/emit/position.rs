//! Where the cells of a thread lie: to the ends of the domain, and to the domains of statements.

use super::{frame::Frame, thread::Thread};
use crate::{
    builders,
    gpu::size::Size,
    sweep::shape::{Offset, Shape},
};
use melior::ir::Value;
use stencil_dialects::build::Inserter;

/// The domain of a statement, in three dimensions: its first point, and one past its last.
pub type Domain = (Offset, Offset);

/// Conditions for one cell of the register tile to be filled from the boundary source.
#[derive(Clone)]
pub struct Cell<'c, 'a> {
    /// It is within the radius of the domain, laterally.
    pub within_reach: Value<'c, 'a>,
    /// It is in the domain.
    pub inside: Value<'c, 'a>,
    /// It is within the radius, but outside the domain.
    pub outside: Value<'c, 'a>,
}

/// The lateral position of a tile.
#[derive(Clone)]
pub enum Lateral<'c, 'a> {
    /// All lie in the domain.
    Inside,
    /// It extends beyond ends, but not beyond both ends of a dimension. Halo cells that are not
    /// loaded with planes are in the frame, if there are any.
    Edge(Option<Frame<'c, 'a>>),
    /// Anything.
    Anywhere(Vec<Cell<'c, 'a>>),
}

impl<'c: 'a, 'a> Lateral<'c, 'a> {
    /// A tile with any position.
    pub fn anywhere(at: Inserter<'c, 'a>, shape: &Shape<'c, 'a>, thread: &Thread<'c, 'a>) -> Self {
        Self::Anywhere(cells_of(at, shape, thread, &(shape.lower, shape.upper)))
    }
}

/// Where each cell of a register tile lies to a domain.
pub fn cells_of<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    shape: &Shape<'c, 'a>,
    thread: &Thread<'c, 'a>,
    domain: &Domain,
) -> Vec<Cell<'c, 'a>> {
    let columns = near_and_inside(at, shape, (thread.column, shape.tiling.columns), 2, domain);
    let rows = match shape.rank {
        3 => near_and_inside(at, shape, (thread.row, shape.tiling.rows), 1, domain)
            .into_iter()
            .map(Some)
            .collect(),
        _ => vec![None],
    };
    let mut cells = Vec::new();
    for row in &rows {
        for (near, inside) in &columns {
            let (near, inside) = match row {
                Some((near_row, inside_row)) => {
                    (builders::both(at, *near, *near_row), builders::both(at, *inside, *inside_row))
                }
                None => (*near, *inside),
            };
            let outside = builders::both(at, near, builders::not(at, inside));
            cells.push(Cell { within_reach: near, inside, outside });
        }
    }
    cells
}

/// For some positions along a dimension: whether they are within the radius of the domain, and in
/// it.
fn near_and_inside<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    shape: &Shape<'c, 'a>,
    (own, count): (Value<'c, 'a>, i64),
    d: usize,
    (lower, upper): &Domain,
) -> Vec<(Value<'c, 'a>, Value<'c, 'a>)> {
    let (lower, upper) = (shape.size(d, lower[d]), shape.size(d, upper[d]));
    let (behind, ahead) = (i64::from(shape.reaches[d].behind), i64::from(shape.reaches[d].ahead));
    let (first, end) = (lower.clone() - Size::from(behind), upper.clone() + Size::from(ahead));
    let places = (0..count).map(|number| {
        let place = builders::plus(at, own, number);
        (shape.within(at, place, (&first, &end)), shape.within(at, place, (&lower, &upper)))
    });
    places.collect()
}
