//! Which planes a device has to get from their owners, and which it has to compute.
//!
//! That are those of its window that what it owns depends on: if they are right at the beginning of
//! some time steps, so is what it owns after them ([`super::follow`] says that it is if all planes
//! are). A field whose cells are overwritten before they are read is not among them. Programs are
//! followed backward, from the planes that a device owns after each of the steps: a run may have
//! fewer. Cells that no statement writes, in the window or in the whole domain, are right for good.
//!
//! Beside the planes, ranges along the other dimensions are followed, since what fills ghost cells
//! and what computes between them write parts of a plane each.

use super::{
    Field, Grid, Program, Question, Reach, Read, Slot, Statement, WriteBox,
    cells::{Cells, reached},
    held, late,
};
use crate::analysis::{
    decomposition::Window,
    margins::Shift,
    planes::{FAR, Planes},
};
use std::ops::Range;

/// What a device needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// For each field of a program, the planes of the window that it gets from others.
    pub received: Vec<Planes>,
    /// For each number of time steps that follow, from none on: the planes that hold what they
    /// depend on, and what the device owns.
    pub computed: Vec<Range<i64>>,
    /// For each number of time steps, from one on: planes that it owns and that hold after them
    /// what depends on nothing that it gets from others.
    pub early: Vec<Range<i64>>,
}

/// What a device needs for so many time steps.
pub fn needs(program: &Program, question: Question<'_>) -> Needs {
    let mut trace = Trace::new(program, question);
    program.statements.iter().for_each(|statement| trace.statement(statement, true));
    let mut backward = Backward::new(program, question);
    let mut own = Vec::new();
    for field in program.fields.iter().filter(|field| field.is_written) {
        let Some(planes) = &field.planes else { continue };
        own.push((field.grid, held(question, planes)));
    }
    let add_owned = |backward: &mut Backward| {
        for (grid, held) in &own {
            backward.add_planes(*grid, &held.owned);
        }
    };
    add_owned(&mut backward);
    let mut computed = Vec::new();
    for event in trace.events.iter().rev() {
        match event {
            Event::Step { last } => {
                let mut end = Backward::new(program, question);
                add_owned(&mut end);
                last.iter().rev().for_each(|event| end.before(event));
                backward.add_all(&end);
                let memories = own.iter().map(|(grid, _)| *grid);
                let memories = memories.chain(program.allocated.iter().map(|own| own.grid));
                let planes = memories.map(|memory| backward.live[memory].planes());
                let planes = planes.fold(Planes::none(), |all, one| all.or(&one));
                let ends = planes.ranges().first().zip(planes.ranges().last());
                computed.extend(ends.map(|(first, last)| first.start..last.end));
            }
            other => backward.before(other),
        }
    }
    let found = |field: &Field| {
        let Some((_, held)) = own.iter().find(|it| it.0 == field.grid) else {
            return Planes::none();
        };
        let live = &backward.live[field.grid];
        let mut read = Planes::none();
        for written in backward.written[field.grid].boxes() {
            read = read.or(&live.and(written).planes());
        }
        read.and(&held.all).and(&held.owned.not())
    };
    let received = program.fields.iter().map(found).collect::<Vec<_>>();
    let late = late(program, question, &received);
    let owned = own.iter().fold(Planes::all(), |all, (_, held)| all.and(&held.owned));
    let longest = |late: &Planes| {
        let left = owned.and(&late.not()).ranges().to_vec().into_iter();
        left.max_by_key(|range| range.end - range.start).unwrap_or(0..0)
    };
    Needs { received, computed, early: late.iter().map(longest).collect() }
}

/// The cells of each memory that what follows a place among the statements of a whole program
/// depends on, with so many iterations of the time loop, if all that it writes is needed; and those
/// that it may write.
pub(super) fn live_before(
    program: &Program,
    place: usize,
    domain: &Range<i64>,
    iterations: i64,
) -> (Vec<Cells>, Vec<Cells>) {
    let whole = Shift { lower: domain.start, upper: domain.end, by: 0 };
    let window = Window { owned: domain.clone(), shift: 0, seam: None };
    let question = Question { whole, local: whole, window: &window, iterations };
    // All that follows is followed, whichever step is the last.
    let mut trace = Trace { after: &[], ..Trace::new(program, question) };
    let (before, after) = program.statements.split_at(place);
    before.iter().for_each(|statement| trace.statement(statement, true));
    trace.events.clear();
    after.iter().for_each(|statement| trace.statement(statement, true));
    let mut backward = Backward::new(program, question);
    for field in program.fields.iter().filter(|field| field.is_written) {
        backward.add_planes(field.grid, &Planes::all());
    }
    trace.events.iter().rev().for_each(|event| backward.before(event));
    (backward.live, backward.written)
}

/// What statements do, in their order, with the memories that they do it to.
enum Event<'p> {
    Copy {
        from: usize,
        to: usize,
    },
    Compute {
        reads: Vec<(usize, &'p Read)>,
        to: Vec<usize>,
    },
    Write {
        field: usize,
        from: usize,
        to: &'p WriteBox,
        is_certain: bool,
    },
    Combine {
        lower: Option<usize>,
        upper: Option<usize>,
        plane: i64,
        to: usize,
    },
    Either {
        from: Vec<usize>,
        to: Vec<usize>,
    },
    /// The end of a time step, with what is done after it if it is the last.
    Step {
        last: Vec<Event<'p>>,
    },
}

struct Trace<'p, 'w> {
    question: Question<'w>,
    /// The statements after the time loop.
    after: &'p [Statement],
    cells: Vec<usize>,
    events: Vec<Event<'p>>,
}

impl<'p, 'w> Trace<'p, 'w> {
    fn new(program: &'p Program, question: Question<'w>) -> Self {
        let after = program.loop_place().map_or(&[][..], |place| &program.statements[place + 1..]);
        Trace { question, after, cells: (0..program.grids).collect(), events: Vec::new() }
    }

    /// What is done after the time loop if it ends with these fields in its slots.
    fn last(&self, slots: &[Slot], held: &[usize]) -> Vec<Event<'p>> {
        let mut end = Trace { cells: self.cells.clone(), events: Vec::new(), after: &[], ..*self };
        for (slot, cell) in slots.iter().zip(held) {
            end.cells[slot.result] = *cell;
        }
        self.after.iter().for_each(|statement| end.statement(statement, true));
        end.events
    }

    fn cell(&self, grid: Grid) -> usize {
        self.cells[grid]
    }

    fn all(&self, grids: &[Grid]) -> Vec<usize> {
        grids.iter().map(|grid| self.cell(*grid)).collect()
    }

    fn statement(&mut self, statement: &'p Statement, is_certain: bool) {
        let event = match statement {
            Statement::Copy { from, to } => {
                Event::Copy { from: self.cell(*from), to: self.cell(*to) }
            }
            Statement::Rename { from, to } => {
                self.cells[*to] = self.cells[*from];
                return;
            }
            Statement::Compute { reads, to } => {
                let reads = reads.iter().map(|read| (self.cell(read.from), read)).collect();
                Event::Compute { reads, to: self.all(to) }
            }
            Statement::Write { field, from, to, .. } => {
                let (field, from) = (self.cell(*field), self.cell(*from));
                Event::Write { field, from, to, is_certain }
            }
            Statement::Combine { lower, upper, plane, to } => {
                let [lower, upper] = [lower, upper].map(|side| side.map(|grid| self.cell(grid)));
                Event::Combine { lower, upper, plane: *plane, to: self.cell(*to) }
            }
            Statement::Either { bodies, from, to } => {
                bodies.iter().flatten().for_each(|statement| self.statement(statement, false));
                Event::Either { from: self.all(from), to: self.all(to) }
            }
            Statement::Loop { slots, iterations, body } => {
                return self.repeat((slots, *iterations), body, is_certain);
            }
        };
        self.events.push(event);
    }

    fn repeat(
        &mut self,
        (slots, iterations): (&[Slot], Option<i64>),
        body: &'p [Statement],
        is_certain: bool,
    ) {
        let mut held = slots.iter().map(|slot| self.cell(slot.initial)).collect::<Vec<_>>();
        for _ in 0..iterations.unwrap_or(self.question.iterations) {
            for (slot, cell) in slots.iter().zip(&held) {
                self.cells[slot.argument] = *cell;
            }
            body.iter().for_each(|statement| self.statement(statement, is_certain));
            held = slots.iter().map(|slot| self.cell(slot.yielded)).collect();
            if iterations.is_none() {
                let last = self.last(slots, &held);
                self.events.push(Event::Step { last });
            }
        }
        for (slot, cell) in slots.iter().zip(held) {
            self.cells[slot.result] = cell;
        }
    }
}

struct Backward<'w> {
    question: Question<'w>,
    /// Dimensions beside that of the planes.
    lateral: usize,
    /// Cells of each memory that something after this point depends on.
    live: Vec<Cells>,
    /// Cells of each memory that something writes, in the window or in the whole domain.
    written: Vec<Cells>,
}

impl<'w> Backward<'w> {
    fn new(program: &Program, question: Question<'w>) -> Self {
        let none = vec![Cells::none(); program.grids];
        Backward { question, lateral: program.lateral, live: none.clone(), written: none }
    }

    /// Adds what another end of the steps depends on.
    fn add_all(&mut self, other: &Self) {
        let both = [(&mut self.live, &other.live), (&mut self.written, &other.written)];
        for (own, other) in both {
            own.iter_mut().zip(other).for_each(|(own, other)| own.add_all(other));
        }
    }

    /// All cells of a plane, along the other dimensions.
    fn everywhere(&self) -> Vec<Range<i64>> {
        vec![-FAR..FAR; self.lateral]
    }

    fn add_planes(&mut self, memory: usize, planes: &Planes) {
        for range in planes.ranges() {
            let own = [vec![range.clone()], self.everywhere()].concat();
            self.live[memory].add(own);
        }
    }

    /// From what is needed after something to what is needed before it.
    fn before(&mut self, event: &Event<'_>) {
        match event {
            Event::Copy { from, to } => self.hand_on(*to, &[*from]),
            Event::Compute { reads, to } => {
                let mut wanted = Cells::none();
                to.iter().for_each(|temp| wanted.add_all(&self.live[*temp].take()));
                for (from, read) in reads {
                    self.read(*from, read, &wanted);
                }
            }
            Event::Write { field, from, to, is_certain } => {
                self.write(*field, *from, to, *is_certain);
            }
            Event::Combine { lower, upper, plane, to } => {
                let wanted = self.live[*to].take();
                let middle = self.question.local.of(*plane);
                for (side, planes) in [(lower, -FAR..middle), (upper, middle..FAR)] {
                    let Some(side) = side else { continue };
                    let within = [vec![planes], self.everywhere()].concat();
                    self.live[*side].add_all(&wanted.and(&within));
                }
            }
            Event::Either { from, to } => {
                for (number, temp) in to.iter().enumerate() {
                    let sources = from.iter().skip(number).step_by(to.len());
                    self.hand_on(*temp, &sources.copied().collect::<Vec<_>>());
                }
            }
            Event::Step { .. } => {}
        }
    }

    fn hand_on(&mut self, temp: usize, to: &[usize]) {
        let wanted = self.live[temp].take();
        to.iter().for_each(|source| self.live[*source].add_all(&wanted));
    }

    /// What points of an apply read.
    fn read(&mut self, from: usize, read: &Read, wanted: &Cells) {
        let local = self.question.local;
        for own in wanted.boxes() {
            let planes = match read.reach {
                Reach::Offset(offset) => {
                    let offset = local.of_offset(offset);
                    reached(&own[0], &(offset..offset))
                }
                Reach::Offsets(lowest, highest) => reached(&own[0], &(lowest..highest)),
                Reach::Plane(plane) => local.of(plane)..local.of(plane) + 1,
                Reach::Any => -FAR..FAR,
            };
            let lateral = match &read.lateral {
                Some(offsets) => {
                    let moved = own[1..].iter().zip(offsets);
                    moved.map(|(own, by)| reached(own, &(*by..*by))).collect()
                }
                None => self.everywhere(),
            };
            self.live[from].add([vec![planes], lateral].concat());
        }
    }

    fn write(&mut self, field: usize, from: usize, to: &WriteBox, is_certain: bool) {
        let Question { whole, local, window, .. } = self.question;
        let WriteBox { planes, lateral } = to;
        let everywhere = self.everywhere();
        let (here, there) = match planes {
            None => (-FAR..FAR, Planes::all()),
            Some(planes) => {
                let (start, end) = local.of_ends(planes.start, planes.end);
                let (first, last) = whole.of_ends(planes.start, planes.end);
                (start..end, window.of_whole(first..last))
            }
        };
        let beside = lateral.as_ref().unwrap_or(&everywhere);
        for range in [&here].into_iter().chain(there.ranges()) {
            self.written[field].add([vec![range.clone()], beside.clone()].concat());
        }
        let own = [vec![here], beside.clone()].concat();
        let wanted = self.live[field].and(&own);
        self.live[from].add_all(&wanted);
        // Where it is not known which cells are written, they may keep what they have.
        if is_certain && planes.is_some() && lateral.is_some() {
            self.live[field].remove(&own);
        }
    }
}
