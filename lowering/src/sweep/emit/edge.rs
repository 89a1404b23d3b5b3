//! Cells outside of the domain: they have their field's own values at every level, as far as the
//! stencil reaches.

use super::{
    cells::Cells,
    frame::Frame,
    shape::{Shape, View},
    thread::Thread,
    words,
};
use melior::ir::Value;
use stencil_dialects::build::Inserter;
use stencil_faults::{Fault, off_by_one};

/// For one cell of the patch: whether it is to be filled from its field.
#[derive(Clone)]
pub struct Cell<'c, 'a> {
    /// It is within reach of the domain, laterally.
    within_reach: Value<'c, 'a>,
    /// And it lies outside of the domain.
    outside: Value<'c, 'a>,
}

/// What is known of a tile's cells, laterally.
#[derive(Clone)]
pub enum Lateral<'c, 'a> {
    /// All lie in the domain.
    Inside,
    /// It reaches beyond ends, but not beyond both ends of a dimension. The cells that no plane
    /// brings along wait in a frame, if there are any.
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

    /// A tile of whose cells nothing is known.
    pub fn anywhere(at: Inserter<'c, 'a>, shape: &Shape<'c, 'a>, thread: &Thread<'c, 'a>) -> Self {
        Self::Anywhere(cells_anywhere(at, shape, thread))
    }
}

impl<'c: 'a, 'a> Cells<'c, 'a, '_> {
    /// The frame that cells outside of the domain have their values from.
    pub fn frame(&self) -> Option<&Frame<'c, 'a>> {
        match &self.lateral {
            Lateral::Edge(frame) => frame.as_ref(),
            _ => None,
        }
    }

    /// A patch of a level in which cells outside of the domain have their field's own values; its
    /// plane lies so many planes behind the one that arrives.
    pub fn fill(
        &self,
        at: Inserter<'c, 'a>,
        (home, arriving, distance): (&View<'c, 'a>, Value<'c, 'a>, i64),
        patch: Vec<Value<'c, 'a>>,
    ) -> Vec<Value<'c, 'a>> {
        let plane = words::plus(at, arriving, -distance);
        let inside = |at: Inserter<'c, 'a>| match &self.lateral {
            Lateral::Inside | Lateral::Edge(None) => patch.clone(),
            Lateral::Edge(Some(frame)) => frame.fill(at, (home, arriving, distance), patch.clone()),
            Lateral::Anywhere(cells) => {
                let conditions = cells.iter().map(|cell| cell.outside).collect::<Vec<_>>();
                self.fill_cells(at, (home, plane), &patch, &conditions)
            }
        };
        if self.certainty.planes {
            return inside(at);
        }
        let (shape, types) = (self.shape, vec![self.shape.element; patch.len()]);
        let (lower, upper) = (shape.lower[0], shape.upper[0]);
        let reach = shape.reaches[0];
        let (behind, ahead) = (i64::from(reach.behind), i64::from(reach.ahead));
        let is_inside = words::within(at, plane, lower, upper);
        words::choose(at, is_inside, &types, inside, |at| {
            let lowest = off_by_one(Fault::HaloPlane, lower - behind);
            let is_near = words::within(at, plane, lowest, upper + ahead);
            words::choose(
                at,
                is_near,
                &types,
                |at| self.whole(at, home, plane, &patch),
                |_| patch.clone(),
            )
        })
    }

    /// A row of the patch from a field; columns beyond the field are anything.
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
            let column = words::plus(at, self.thread.column, column);
            let column = words::clamped(at, column, home.lower[2], home.upper[2]);
            let place = self.place(at, home, plane, row, column);
            words::load(at, home.buffer, place, (home.element, self.bytes, 1))[0]
        });
        cells.collect()
    }

    /// Cells from a field where conditions hold.
    fn fill_cells(
        &self,
        at: Inserter<'c, 'a>,
        (home, plane): (&View<'c, 'a>, Value<'c, 'a>),
        patch: &[Value<'c, 'a>],
        conditions: &[Value<'c, 'a>],
    ) -> Vec<Value<'c, 'a>> {
        let first = self.first_place(at, home, plane);
        let element = self.shape.element;
        let cells = patch.iter().zip(conditions).enumerate().map(|(number, (own, condition))| {
            let read = |at: Inserter<'c, 'a>| {
                let place = words::plus(at, first, self.distance(home, number as i64));
                words::load(at, home.buffer, place, (element, self.bytes, 1))
            };
            words::choose(at, *condition, &[element], read, |_| vec![*own])[0]
        });
        cells.collect()
    }

    /// A patch of a plane outside of the domain, in which all cells within reach have their field's
    /// own values.
    fn whole(
        &self,
        at: Inserter<'c, 'a>,
        home: &View<'c, 'a>,
        plane: Value<'c, 'a>,
        patch: &[Value<'c, 'a>],
    ) -> Vec<Value<'c, 'a>> {
        match &self.lateral {
            Lateral::Anywhere(cells) => {
                let conditions = cells.iter().map(|cell| cell.within_reach).collect::<Vec<_>>();
                self.fill_cells(at, (home, plane), patch, &conditions)
            }
            _ => (0..self.shape.patch())
                .step_by(self.shape.tiling.columns as usize)
                .flat_map(|first| self.row_of_home(at, home, plane, first))
                .collect(),
        }
    }
}

/// What each cell of a patch asks, of which nothing is known.
fn cells_anywhere<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    shape: &Shape<'c, 'a>,
    thread: &Thread<'c, 'a>,
) -> Vec<Cell<'c, 'a>> {
    let columns = near_and_inside(at, shape, thread.column, shape.tiling.columns, 2);
    let rows = match shape.rank {
        3 => near_and_inside(at, shape, thread.row, shape.tiling.rows, 1)
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
                    (words::both(at, *near, *near_row), words::both(at, *inside, *inside_row))
                }
                None => (*near, *inside),
            };
            let outside = words::both(at, near, words::not(at, inside));
            cells.push(Cell { within_reach: near, outside });
        }
    }
    cells
}

/// For some places along a dimension: whether they are within reach of the domain, and in it.
fn near_and_inside<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    shape: &Shape<'c, 'a>,
    own: Value<'c, 'a>,
    count: i64,
    d: usize,
) -> Vec<(Value<'c, 'a>, Value<'c, 'a>)> {
    let (lower, upper) = (shape.lower[d], shape.upper[d]);
    let (behind, ahead) = (i64::from(shape.reaches[d].behind), i64::from(shape.reaches[d].ahead));
    let places = (0..count).map(|number| {
        let place = words::plus(at, own, number);
        let near = words::within(at, place, lower - behind, upper + ahead);
        (near, words::within(at, place, lower, upper))
    });
    places.collect()
}
