//! Which planes of a window are wrong after some time steps, and which are not.
//!
//! A window is run as a domain of its own ([`super::decomposition`]). A plane of a field in it is
//! *right* if it holds what the whole program has in the plane that it stands for. It is if it is
//! written by the same statement, from planes that are right and stand for the planes that the
//! whole program reads there; all others are *stale*. That is followed here statement by statement
//! and step by step, with sets of planes for fields and temps: nothing is assumed about what the
//! statements are, be they an interior, a wall, a mirror or a wrap. Bounds and offsets of the whole
//! program and of the window are those that `stencil-resize-domain` gives.
//!
//! A plane that has become stale stays so until it is exchanged, although a later statement may
//! overwrite all of it with what is right.

mod cells;
mod program;
mod received;

pub use program::{Allocated, CUT, Field, Program, TimeLoop};
pub use received::{Needs, needs};

use super::{
    decomposition::Window,
    margins::Shift,
    planes::{FAR, Planes},
};
use std::ops::Range;

/// The number of a field or temp.
pub type Grid = usize;

/// What an apply reads of a grid at one of its points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The planes at these offsets, inclusive, which a domain of another extent changes if they
    /// are longer than half of the program's.
    Offset(i64),
    /// The planes at these offsets, inclusive, whatever the extent.
    Offsets(i64, i64),
    /// A plane by its coordinate.
    Plane(i64),
    /// Any plane, or a grid that the domain's planes do not cut.
    Any,
}

/// A read of an apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// What is read.
    pub from: Grid,
    /// Where.
    pub reach: Reach,
    /// Offsets along the other dimensions; none if any cells there may be read.
    pub lateral: Option<Vec<i64>>,
}

/// The cells that are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteBox {
    /// Planes; none: the field is not cut.
    pub planes: Option<Range<i64>>,
    /// Ranges along the other dimensions; none if some cells there are written.
    pub lateral: Option<Vec<Range<i64>>>,
}

/// What a loop carries: fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Before the loop.
    pub initial: Grid,
    /// In an iteration.
    pub argument: Grid,
    /// In the next one.
    pub yielded: Grid,
    /// After the loop.
    pub result: Grid,
}

/// A statement of a program, as far as planes are concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants say what their fields are")]
pub enum Statement {
    /// One grid has what the other has.
    Copy { from: Grid, to: Grid },
    /// Two names of one field.
    Rename { from: Grid, to: Grid },
    /// Temps are computed point by point.
    Compute { reads: Vec<Read>, to: Vec<Grid> },
    /// Cells of a field are written. The op is the number in the program.
    Write { field: Grid, from: Grid, to: WriteBox, operation: usize },
    /// A temp has the planes of one below a plane, and of another one from there on.
    Combine { lower: Option<Grid>, upper: Option<Grid>, plane: i64, to: Grid },
    /// A temp has what one of two has, both computed in bodies of their own.
    Either { bodies: Vec<Vec<Statement>>, from: Vec<Grid>, to: Vec<Grid> },
    /// A loop; without a number of iterations it is the time loop.
    Loop { slots: Vec<Slot>, iterations: Option<i64>, body: Vec<Statement> },
}

impl Statement {
    fn is_time_loop(&self) -> bool {
        matches!(self, Statement::Loop { iterations: None, .. })
    }
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'w> {
    /// From the program's domain to the whole one.
    pub whole: Shift,
    /// From the program's domain to the window's.
    pub local: Shift,
    /// The window.
    pub window: &'w Window,
    /// Iterations of the time loop.
    pub iterations: i64,
}

/// What is stale.
#[derive(Clone, Debug)]
pub struct Answer {
    /// For each field of the program, the stale planes of the window, of those
    /// that its device owns.
    pub missing: Vec<Planes>,
    /// The op that first wrote such a plane.
    pub operation: Option<usize>,
    /// Owned planes of a field that the window does not have, if there are any.
    pub is_incomplete: bool,
}

impl Answer {
    /// Whether a device has all that it owns.
    pub fn is_right(&self) -> bool {
        !self.is_incomplete && self.missing.iter().all(Planes::is_none)
    }

    /// By how many planes it has too little.
    pub fn deficit(&self) -> i64 {
        let ranges = self.missing.iter().flat_map(Planes::ranges);
        ranges.map(|range| range.end - range.start).max().unwrap_or(0)
    }
}

/// After each time step the planes that have been computed from some of the fields' planes, or are
/// stale.
fn late(program: &Program, question: Question<'_>, of_fields: &[Planes]) -> Vec<Planes> {
    let mut flow = Flow::new(program, question);
    for (field, planes) in program.fields.iter().zip(of_fields) {
        flow.stale[field.grid] = planes.clone();
    }
    let fields = program.fields.iter().map(|field| field.grid);
    let memories = fields.chain(program.allocated.iter().map(|own| own.grid));
    flow.steps = Some((memories.collect(), Vec::new()));
    program.statements.iter().for_each(|statement| flow.statement(statement));
    flow.steps.map(|(_, late)| late).unwrap_or_default()
}

/// Follows a program in a window, and answers.
pub fn follow(program: &Program, question: Question<'_>) -> Answer {
    let mut flow = Flow::new(program, question);
    let mut is_incomplete = false;
    for Field { grid, planes, .. } in &program.fields {
        let Some(planes) = planes else { continue };
        let Held { all, owned, wanted } = held(question, planes);
        flow.stale[*grid] = all.not();
        is_incomplete |= owned.count() < wanted.end.max(wanted.start) - wanted.start;
        flow.owned[*grid] = owned;
    }
    // What is wrong in memory of the function is found there first.
    for Allocated { grid, planes } in &program.allocated {
        let Some(planes) = planes else { continue };
        flow.owned[*grid] = held(question, planes).owned;
    }
    program.statements.iter().for_each(|statement| flow.statement(statement));
    let missing = |field: &Field| match field.is_written {
        true => flow.stale[field.grid].and(&flow.owned[field.grid]),
        false => Planes::none(),
    };
    let missing = program.fields.iter().map(missing).collect();
    Answer { missing, operation: flow.operation, is_incomplete }
}

/// What a window has of a memory.
struct Held {
    /// The planes of the window.
    all: Planes,
    /// Those of them that the device owns.
    owned: Planes,
    /// The planes of the whole domain that it owns, which the window need not have.
    wanted: Range<i64>,
}

fn held(question: Question<'_>, planes: &Range<i64>) -> Held {
    let Question { whole, local, window, .. } = question;
    let (lower, upper) = whole.of_ends(planes.start, planes.end);
    let (start, end) = local.of_ends(planes.start, planes.end);
    let all = window.of_whole(lower..upper).and(&Planes::of(start..end));
    let wanted = owned(question, lower..upper);
    let owned = window.of_whole(wanted.clone()).and(&all);
    Held { all, owned, wanted }
}

/// The planes of a field that a device owns: also those beyond an end of the domain that is its.
fn owned(question: Question<'_>, field: Range<i64>) -> Range<i64> {
    let Question { whole, window, .. } = question;
    let (lower, upper) = (whole.lower, whole.upper + whole.by);
    let owned = &window.owned;
    let start = if owned.start == lower { field.start } else { owned.start.max(field.start) };
    let end = if owned.end == upper { field.end } else { owned.end.min(field.end) };
    start..end
}

struct Flow<'w> {
    question: Question<'w>,
    /// The memory of each grid.
    cells: Vec<usize>,
    /// Its stale planes.
    stale: Vec<Planes>,
    /// Planes of a memory that the device owns.
    owned: Vec<Planes>,
    operation: Option<usize>,
    /// Where steps are told apart: the memories, and what of them is stale after each.
    steps: Option<(Vec<Grid>, Vec<Planes>)>,
}

impl<'w> Flow<'w> {
    fn new(program: &Program, question: Question<'w>) -> Self {
        Flow {
            question,
            cells: (0..program.grids).collect(),
            stale: vec![Planes::none(); program.grids],
            owned: vec![Planes::none(); program.grids],
            operation: None,
            steps: None,
        }
    }

    fn stale_of(&self, grid: Grid) -> &Planes {
        &self.stale[self.cells[grid]]
    }

    fn set(&mut self, grid: Grid, stale: Planes) {
        let cell = self.cells[grid];
        self.stale[cell] = stale;
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Copy { from, to } => self.set(*to, self.stale_of(*from).clone()),
            Statement::Rename { from, to } => self.cells[*to] = self.cells[*from],
            Statement::Compute { reads, to } => {
                let stale = reads.iter().map(|read| self.stale_by(read));
                let stale = stale.fold(Planes::none(), |all, one| all.or(&one));
                to.iter().for_each(|temp| self.set(*temp, stale.clone()));
            }
            Statement::Write { field, from, to, operation } => {
                self.write(*field, *from, to.planes.as_ref(), *operation);
            }
            Statement::Combine { lower, upper, plane, to } => {
                self.combine([*lower, *upper], *plane, *to);
            }
            Statement::Either { bodies, from, to } => {
                bodies.iter().flatten().for_each(|statement| self.statement(statement));
                for (number, temp) in to.iter().enumerate() {
                    let sources = from.iter().skip(number).step_by(to.len());
                    let stale =
                        sources.fold(Planes::none(), |all, one| all.or(self.stale_of(*one)));
                    self.set(*temp, stale);
                }
            }
            Statement::Loop { slots, iterations, body } => self.repeat(slots, *iterations, body),
        }
    }

    /// The points of an apply that are stale by a read.
    fn stale_by(&self, read: &Read) -> Planes {
        let Question { whole, local, window, .. } = self.question;
        let source = self.stale_of(read.from);
        let at =
            |here: i64, there: i64| window.agreeing(here, there).not().or(&source.moved(-here));
        let all_if = |stale: bool| if stale { Planes::all() } else { Planes::none() };
        match read.reach {
            Reach::Offset(offset) => at(local.of_offset(offset), whole.of_offset(offset)),
            Reach::Offsets(lowest, highest) => (lowest..=highest)
                .map(|offset| at(offset, offset))
                .fold(Planes::none(), |all, one| all.or(&one)),
            Reach::Plane(plane) => {
                let here = local.of(plane);
                let is_stale = !source.and(&Planes::of(here..here + 1)).is_none();
                all_if(is_stale || window.whole_of(here) != whole.of(plane))
            }
            Reach::Any => all_if(!source.is_none()),
        }
    }

    fn write(&mut self, field: Grid, from: Grid, planes: Option<&Range<i64>>, operation: usize) {
        let value = self.stale_of(from).clone();
        let stale = match planes {
            None => value,
            Some(planes) => {
                let Question { whole, local, window, .. } = self.question;
                let (start, end) = local.of_ends(planes.start, planes.end);
                let written = Planes::of(start..end);
                let (start, end) = whole.of_ends(planes.start, planes.end);
                let wanted = window.of_whole(start..end);
                written.and(&value).or(&written.but_not_both(&wanted))
            }
        };
        let cell = self.cells[field];
        self.stale[cell] = self.stale[cell].or(&stale);
        if !stale.and(&self.owned[cell]).is_none() {
            self.operation.get_or_insert(operation);
        }
    }

    fn combine(&mut self, sides: [Option<Grid>; 2], plane: i64, to: Grid) {
        let Question { whole, local, window, .. } = self.question;
        let below = Planes::of(-FAR..local.of(plane));
        let wanted = window.of_whole(-FAR..whole.of(plane));
        let mut stale = below.but_not_both(&wanted);
        for (side, planes) in sides.into_iter().zip([&below, &below.not()]) {
            let of_side = side.map(|grid| self.stale_of(grid).and(planes));
            stale = of_side.map_or(stale.clone(), |own| stale.or(&own));
        }
        self.set(to, stale);
    }

    fn repeat(&mut self, slots: &[Slot], iterations: Option<i64>, body: &[Statement]) {
        let mut held = slots.iter().map(|slot| self.cells[slot.initial]).collect::<Vec<_>>();
        for _ in 0..iterations.unwrap_or(self.question.iterations) {
            for (slot, cell) in slots.iter().zip(&held) {
                self.cells[slot.argument] = *cell;
            }
            body.iter().for_each(|statement| self.statement(statement));
            if let (None, Some((fields, all))) = (iterations, &mut self.steps) {
                let stale = fields.iter().map(|field| &self.stale[*field]);
                all.push(stale.fold(Planes::none(), |all, one| all.or(one)));
            }
            held = slots.iter().map(|slot| self.cells[slot.yielded]).collect();
        }
        for (slot, cell) in slots.iter().zip(held) {
            self.cells[slot.result] = cell;
        }
    }
}

#[cfg(test)]
#[path = "plane_flow_tests.rs"]
mod tests;
