//! Boundary values: at every level, cells outside the domain within the stencil's radius have the
//! values of the boundary source, the field that the level belongs to.

use super::{
    cells::Cells,
    frame::Frame,
    position::{Cell, Domain, Lateral},
    view::View,
};
use crate::{builders, gpu::size::Size};
use melior::ir::Value;
use stencil_dialects::build::Inserter;
use stencil_faults::{Fault, off_by_one};

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
        let (lower, upper) = (shape.size(0, lower[0]), shape.size(0, upper[0]));
        let reach = shape.reaches[0];
        let (behind, ahead) = (i64::from(reach.behind), i64::from(reach.ahead));
        let is_inside = shape.within(at, plane, (&lower, &upper));
        builders::choose(at, is_inside, &types, inside, |at| {
            let lowest = lower.clone() + Size::from(off_by_one(Fault::HaloPlane, -behind));
            let end = upper.clone() + Size::from(ahead);
            let is_near = shape.within(at, plane, (&lowest, &end));
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
            let column = self.shape.clamped(at, column, home.ends(2));
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
        let first = shape.size(d, lower[d]) - Size::from(i64::from(reach.behind));
        let end = shape.size(d, upper[d]) + Size::from(i64::from(reach.ahead));
        let (own_first, own_end) = home.ends(d);
        let before = own_first.clone() - first;
        let after = end - own_end.clone();
        let holds = [before, after].iter().all(|it| it.constant().is_some_and(|more| more <= 0));
        let is_certain = holds || !shape.may_leave_fields;
        (!is_certain).then(|| shape.within(at, coordinate, home.ends(d)))
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
                let place = self.at_distance(at, home, (first, cell));
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
