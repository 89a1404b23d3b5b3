//! Boundary values: at every level, cells outside the domain within the stencil's radius have the
//! values of the boundary source, the field that the level belongs to.

use super::{
    cells::{Cells, Domain},
    frame::Frame,
    thread::Thread,
    view::View,
};
use crate::{builders, sweep::shape::Shape};
use melior::ir::Value;
use stencil_dialects::build::Inserter;
use stencil_faults::{Fault, off_by_one};

/// Conditions for one cell of the register tile to be filled from the boundary source.
#[derive(Clone)]
pub struct Cell<'c, 'a> {
    /// It is within the radius of the domain, laterally.
    within_reach: Value<'c, 'a>,
    /// It is in the domain.
    pub inside: Value<'c, 'a>,
    /// It is within the radius, but outside the domain.
    outside: Value<'c, 'a>,
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
    /// Whether some tile of a kernel reaches beyond both ends of a dimension.
    pub fn is_anywhere(shape: &Shape<'c, 'a>) -> bool {
        let axes = [(1, &shape.tiling.row), (2, &shape.tiling.column)];
        axes.iter().any(|(d, axis)| axis.spans(shape.lower[*d], shape.upper[*d]))
    }

    /// A tile with any position.
    pub fn anywhere(at: Inserter<'c, 'a>, shape: &Shape<'c, 'a>, thread: &Thread<'c, 'a>) -> Self {
        Self::Anywhere(cells_of(at, shape, thread, &(shape.lower, shape.upper)))
    }
}

impl<'c: 'a, 'a> Cells<'c, 'a, '_> {
    /// The frame with the boundary values.
    pub fn frame(&self) -> Option<&Frame<'c, 'a>> {
        match &self.lateral {
            Lateral::Edge(frame) => frame.as_ref(),
            _ => None,
        }
    }

    /// A register tile of a level with boundary values outside the domain; its plane is so many
    /// planes behind the arriving one.
    pub fn fill(
        &self,
        at: Inserter<'c, 'a>,
        (home, arriving, distance): (&View<'c, 'a>, Value<'c, 'a>, i64),
        domain: Option<&Domain>,
        register_tile: Vec<Value<'c, 'a>>,
    ) -> Vec<Value<'c, 'a>> {
        let plane = builders::plus(at, arriving, -distance);
        let own = domain.and_then(|domain| self.to_domain(domain));
        let conditions =
            |cells: &[Cell<'c, 'a>]| cells.iter().map(|cell| cell.outside).collect::<Vec<_>>();
        let inside = |at: Inserter<'c, 'a>| match &self.lateral {
            Lateral::Inside => register_tile.clone(),
            _ if domain.is_some() => {
                let own = own.expect("the domains of all ops were collected");
                self.fill_cells(at, (home, plane), domain, &register_tile, &conditions(own))
            }
            Lateral::Edge(None) => register_tile.clone(),
            Lateral::Edge(Some(frame)) => {
                frame.fill(at, (home, arriving, distance), register_tile.clone())
            }
            Lateral::Anywhere(cells) => {
                self.fill_cells(at, (home, plane), domain, &register_tile, &conditions(cells))
            }
        };
        if self.certainty.planes {
            return inside(at);
        }
        let (shape, types) = (self.shape, vec![self.shape.element; register_tile.len()]);
        let (lower, upper) = domain.map_or((shape.lower, shape.upper), |domain| *domain);
        let (lower, upper) = (lower[0], upper[0]);
        let reach = shape.reaches[0];
        let (behind, ahead) = (i64::from(reach.behind), i64::from(reach.ahead));
        let is_inside = builders::within(at, plane, lower, upper);
        builders::choose(at, is_inside, &types, inside, |at| {
            let lowest = off_by_one(Fault::HaloPlane, lower - behind);
            let is_near = builders::within(at, plane, lowest, upper + ahead);
            let held = self.in_field(at, home, (0, plane), domain);
            let is_near = held.map_or(is_near, |held| builders::both(at, is_near, held));
            builders::choose(
                at,
                is_near,
                &types,
                |at| self.whole(at, (home, plane), (domain, own), &register_tile),
                |_| register_tile.clone(),
            )
        })
    }

    /// A row of the register tile from a field; columns outside the field are arbitrary.
    fn row_of_home(
        &self,
        at: Inserter<'c, 'a>,
        home: &View<'c, 'a>,
        plane: Value<'c, 'a>,
        first: i64,
    ) -> Vec<Value<'c, 'a>> {
        let columns = self.shape.tiling.columns;
        let row = self.thread.row_in(at, self.shape, home, first / columns);
        let cells = (0..columns).map(|column| {
            let column = builders::plus(at, self.thread.column, column);
            let column = builders::clamped(at, column, home.lower[2], home.upper[2]);
            let place = self.place(at, home, plane, row, column);
            builders::load(at, home.buffer, place, (home.element, self.bytes, 1))[0]
        });
        cells.collect()
    }

    /// Whether a coordinate lies in a field; none where all that levels read outside of the domain
    /// does. A cell beyond the field has no value that is used, and no other may be loaded in its
    /// place: that one may be stored at the same time.
    fn in_field(
        &self,
        at: Inserter<'c, 'a>,
        home: &View<'c, 'a>,
        (d, coordinate): (usize, Value<'c, 'a>),
        domain: Option<&Domain>,
    ) -> Option<Value<'c, 'a>> {
        let shape = self.shape;
        let (lower, upper) = domain.map_or((shape.lower, shape.upper), |domain| *domain);
        let reach = shape.reaches[d];
        let reached = lower[d] - i64::from(reach.behind)..upper[d] + i64::from(reach.ahead);
        let holds = home.lower[d] <= reached.start && reached.end <= home.upper[d];
        let is_certain = holds || !shape.may_leave_fields;
        (!is_certain).then(|| builders::within(at, coordinate, home.lower[d], home.upper[d]))
    }

    /// Whether a cell of the register tile lies in a field, where that is not certain.
    fn cell_in_field(
        &self,
        at: Inserter<'c, 'a>,
        (home, plane): (&View<'c, 'a>, Value<'c, 'a>),
        cell: i64,
        domain: Option<&Domain>,
    ) -> Option<Value<'c, 'a>> {
        let columns = self.shape.tiling.columns;
        let row = builders::plus(at, self.thread.row, cell / columns);
        let column = builders::plus(at, self.thread.column, cell % columns);
        let places = [(0, plane), (1, row), (2, column)];
        let held = places.into_iter().filter_map(|place| self.in_field(at, home, place, domain));
        held.reduce(|one, two| builders::both(at, one, two))
    }

    /// Loads cells from a field where conditions hold.
    fn fill_cells(
        &self,
        at: Inserter<'c, 'a>,
        (home, plane): (&View<'c, 'a>, Value<'c, 'a>),
        domain: Option<&Domain>,
        register_tile: &[Value<'c, 'a>],
        conditions: &[Value<'c, 'a>],
    ) -> Vec<Value<'c, 'a>> {
        let first = self.first_place(at, home, plane);
        let element = self.shape.element;
        let cells = register_tile.iter().zip(conditions).enumerate();
        let cells = cells.map(|(number, (own, condition))| {
            let cell = number as i64;
            let read = |at: Inserter<'c, 'a>| {
                let place = builders::plus(at, first, self.distance(home, cell));
                builders::load(at, home.buffer, place, (element, self.bytes, 1))
            };
            let held = self.cell_in_field(at, (home, plane), cell, domain);
            let condition = held.map_or(*condition, |held| builders::both(at, *condition, held));
            builders::choose(at, condition, &[element], read, |_| vec![*own])[0]
        });
        cells.collect()
    }

    /// A register tile of a plane outside the domain: all cells within the radius have boundary
    /// values.
    fn whole(
        &self,
        at: Inserter<'c, 'a>,
        (home, plane): (&View<'c, 'a>, Value<'c, 'a>),
        (domain, own): (Option<&Domain>, Option<&[Cell<'c, 'a>]>),
        register_tile: &[Value<'c, 'a>],
    ) -> Vec<Value<'c, 'a>> {
        let cells = match &self.lateral {
            Lateral::Anywhere(cells) => Some(own.unwrap_or(cells)),
            _ => own,
        };
        match cells {
            Some(cells) => {
                let conditions = cells.iter().map(|cell| cell.within_reach).collect::<Vec<_>>();
                self.fill_cells(at, (home, plane), domain, register_tile, &conditions)
            }
            _ => (0..self.shape.register_tile_size())
                .step_by(self.shape.tiling.columns as usize)
                .flat_map(|first| self.row_of_home(at, home, plane, first))
                .collect(),
        }
    }
}

/// Where each cell of a register tile lies to a domain.
pub(super) fn cells_of<'c: 'a, 'a>(
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
    let (lower, upper) = (lower[d], upper[d]);
    let (behind, ahead) = (i64::from(shape.reaches[d].behind), i64::from(shape.reaches[d].ahead));
    let places = (0..count).map(|number| {
        let place = builders::plus(at, own, number);
        let near = builders::within(at, place, lower - behind, upper + ahead);
        (near, builders::within(at, place, lower, upper))
    });
    places.collect()
}
