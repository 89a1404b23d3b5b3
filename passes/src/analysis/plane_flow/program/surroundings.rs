//! What is around the time loop of a function that is run in pieces.
//!
//! A piece of the time steps is a run of the function: it computes again what comes before and
//! after the loop. Two runs do what one of as many steps does if what is around the loop takes the
//! state in which an iteration begins to the same state: all cells that some iteration, or what
//! comes after it, reads before it writes them. It does
//! - for a field or memory that nothing around the loop writes; a field is exchanged, and other
//!   memory is as new in each piece, so that no such cell may be in it;
//! - where cells are copied from a field before the loop and back to it after the loop, as a
//!   program with memory of its own for its time levels does, or where neither changes;
//! - where a field gets its own content back, from the place that it has after a rotation;
//! - for cells that are computed from constants, and from fields that nothing writes, if the loop
//!   does not write them.

use super::{
    super::{
        Grid, Statement, WriteBox,
        cells::{CellBox, Cells},
        received::live_before,
    },
    Program, find_written, is_fill,
};
use crate::framework::{Failed, PassResult, refuse};
use melior::ir::OperationRef;
use std::{ops::Range, slice};

/// What is around the loop, where the loop is taken for a whole number of rotations.
struct Surroundings<'p, 'c, 'a> {
    program: &'p Program<'c, 'a>,
    before: Vec<Written<'p>>,
    after: Vec<Written<'p>>,
    /// Memories that the loop writes.
    in_loop: Vec<usize>,
    /// Cells that the loop, or what is after it, writes of each memory.
    changed: Vec<Cells>,
    /// The memory of each grid.
    cells: Vec<usize>,
    /// For each temp, the memory whose cells it holds unchanged.
    content: Vec<Option<usize>>,
    /// For each memory, a field that is written and that it was computed from before the loop.
    origins: Vec<Option<usize>>,
}

/// Cells that a statement around the loop writes.
struct Written<'p> {
    memory: usize,
    /// The memory whose cells they are copies of.
    copied: Option<usize>,
    /// A field that is written and that they were computed from, if it is before the loop.
    origin: Option<usize>,
    cells: &'p WriteBox,
    /// Whether it is done whatever a condition says.
    is_certain: bool,
    operation: usize,
}

impl<'c: 'a, 'a> Program<'c, 'a> {
    /// The place of the time loop among the statements.
    pub(in crate::analysis::plane_flow) fn loop_place(&self) -> Option<usize> {
        self.statements.iter().position(Statement::is_time_loop)
    }

    /// Refuses a function that cannot be run in pieces.
    pub(super) fn check_surroundings(
        &self,
        function: OperationRef<'c, 'a>,
        domain: &Range<i64>,
    ) -> PassResult {
        let Some(place) = self.loop_place() else { return Ok(()) };
        if self.statements[place + 1..].iter().any(Statement::is_time_loop) {
            let remedy = "put each loop into a function of its own";
            return Err(refuse(&function, "has several loops at its top level", remedy));
        }
        let mut surroundings = Surroundings::of(self, place);
        let (live, changed) = self.live(place, domain);
        surroundings.changed = changed;
        for (memory, live) in live.iter().enumerate().filter(|(_, live)| !live.boxes().is_empty()) {
            surroundings.check(function, memory, live)?;
        }
        Ok(())
    }

    /// The cells of each memory that runs of some iterations depend on when their loop begins, and
    /// those that they write from then on.
    fn live(&self, place: usize, domain: &Range<i64>) -> (Vec<Cells>, Vec<Cells>) {
        let rotation = self.time_loop.map_or(1, |it| it.rotation);
        let none = vec![Cells::none(); self.grids];
        let (mut live, mut changed) = (none.clone(), none);
        // What a rotation leaves in its place is what the one before began with.
        for iterations in 1..=rotation.saturating_mul(2).min(ITERATIONS_MAX) {
            let (read, written) = live_before(self, place, domain, iterations);
            live.iter_mut().zip(&read).for_each(|(all, more)| all.add_all(more));
            changed.iter_mut().zip(&written).for_each(|(all, more)| all.add_all(more));
        }
        (live, changed)
    }
}

/// Iterations that are followed, at most.
const ITERATIONS_MAX: i64 = 64;

impl<'p, 'c: 'a, 'a> Surroundings<'p, 'c, 'a> {
    fn of(program: &'p Program<'c, 'a>, place: usize) -> Self {
        let mut made = Self {
            program,
            before: Vec::new(),
            after: Vec::new(),
            in_loop: Vec::new(),
            changed: vec![Cells::none(); program.grids],
            cells: (0..program.grids).collect(),
            content: vec![None; program.grids],
            origins: vec![None; program.grids],
        };
        let (before, rest) = program.statements.split_at(place);
        for statement in before {
            let written = made.walk(statement, true);
            made.before.extend(written);
        }
        let (time_loop, after) = rest.split_first().expect("the loop is there");
        made.pass(time_loop);
        for statement in after {
            let written = made.walk(statement, true);
            made.after.extend(written);
        }
        made.find_origins(before);
        made
    }

    /// Goes past the time loop.
    fn pass(&mut self, time_loop: &Statement) {
        let (one, mut cells) = (slice::from_ref(time_loop), self.cells.clone());
        find_written(one, &mut cells, &mut self.in_loop);
        let in_loop = &self.in_loop;
        for content in &mut self.content {
            *content = content.filter(|memory| !in_loop.contains(memory));
        }
        let Statement::Loop { slots, .. } = time_loop else { return };
        for slot in slots {
            self.cells[slot.result] = self.cells[slot.initial];
        }
    }

    /// Goes past a statement around the loop; what it writes.
    fn walk(&mut self, statement: &'p Statement, is_certain: bool) -> Vec<Written<'p>> {
        match statement {
            Statement::Rename { from, to } => self.cells[*to] = self.cells[*from],
            Statement::Copy { from, to } => self.content[*to] = Some(self.cells[*from]),
            Statement::Compute { to, .. } => {
                for temp in to {
                    let same = self.program.same.iter().find(|(_, of)| of == temp);
                    self.content[*temp] = same.and_then(|(from, _)| self.content[*from]);
                }
            }
            Statement::Write { field, from, to: cells, operation } => {
                let (memory, operation) = (self.cells[*field], *operation);
                let copied = self.content[*from].filter(|_| is_certain);
                for content in &mut self.content {
                    *content = content.filter(|held| *held != memory);
                }
                return vec![Written {
                    memory,
                    copied,
                    origin: None,
                    cells,
                    is_certain,
                    operation,
                }];
            }
            Statement::Either { bodies, .. } => {
                let inner = bodies.iter().flatten();
                return inner.flat_map(|one| self.walk(one, false)).collect();
            }
            Statement::Loop { body, .. } => {
                return body.iter().flat_map(|one| self.walk(one, false)).collect();
            }
            Statement::Combine { .. } => {}
        }
        Vec::new()
    }

    /// Finds what memories and temps before the loop are computed from.
    fn find_origins(&mut self, statements: &[Statement]) {
        let around = self.before.iter().chain(&self.after).map(|one| one.memory);
        let written = around.chain(self.in_loop.iter().copied()).collect::<Vec<_>>();
        for memory in written {
            // Memory of the function holds what it gets here, or nothing.
            if !self.is_allocated(memory) {
                self.origins[memory] = Some(memory);
            }
        }
        statements.iter().for_each(|statement| self.follow(statement));
    }

    fn follow(&mut self, statement: &Statement) {
        let (from, to): (Vec<&Grid>, Vec<&Grid>) = match statement {
            Statement::Rename { .. } => return,
            Statement::Copy { from, to } => (vec![from], vec![to]),
            Statement::Write { field: to, from, operation, .. } => {
                let origin = self.origins[self.cells[*from]];
                let is_this = |one: &&mut Written| one.operation == *operation;
                let own = self.before.iter_mut().filter(is_this);
                own.for_each(|one| one.origin = origin);
                (vec![from], vec![to])
            }
            Statement::Compute { reads, to } => {
                (reads.iter().map(|read| &read.from).collect(), to.iter().collect())
            }
            Statement::Combine { lower, upper, to, .. } => {
                (lower.iter().chain(upper).collect(), vec![to])
            }
            Statement::Either { bodies, from, to } => {
                bodies.iter().flatten().for_each(|one| self.follow(one));
                (from.iter().collect(), to.iter().collect())
            }
            Statement::Loop { body, .. } => {
                return body.iter().for_each(|one| self.follow(one));
            }
        };
        let origin = from.into_iter().find_map(|grid| self.origins[self.cells[*grid]]);
        for grid in to {
            let own = &mut self.origins[self.cells[*grid]];
            *own = own.or(origin);
        }
    }

    fn is_allocated(&self, memory: usize) -> bool {
        self.program.allocated.iter().any(|own| own.grid == memory)
    }

    /// Refuses a memory whose live cells are not the same after what is around the loop.
    fn check(&self, function: OperationRef<'c, 'a>, memory: usize, live: &Cells) -> PassResult {
        let before = self.before.iter().filter(|one| one.memory == memory).collect::<Vec<_>>();
        let after = self.after.iter().filter(|one| one.memory == memory).collect::<Vec<_>>();
        let is_field = self.program.fields.iter().any(|field| field.grid == memory);
        if before.is_empty() {
            if !is_field && !self.is_allocated(memory) && self.origins[memory].is_some() {
                return Err(self.refuse_temp(function, memory));
            }
            let changes = |one: &&&Written| one.copied != Some(memory) && one.is_in(live);
            return match after.iter().find(changes) {
                Some(one) => Err(self.refuse(one)),
                None => Ok(()),
            };
        }
        // The last write of a cell is the one that counts.
        let mut left = live.clone();
        for written in before.iter().rev() {
            // Of a field of fewer dimensions it is not known which cells: it may be any.
            let own = written.box_of_cells();
            let part = own.as_ref().map_or_else(|| left.clone(), |own| left.and(own));
            if let Some(own) = own.filter(|_| written.is_certain) {
                left.remove(&own);
            }
            let is_kept = match (written.origin, written.copied) {
                (None, _) => !self.changes(memory, &part),
                (Some(_), Some(field)) => self.is_handed_back(memory, field, &part),
                _ => part.boxes().is_empty(),
            };
            if !is_kept {
                return Err(self.refuse(written));
            }
        }
        match self.is_allocated(memory) && self.changes(memory, &left) {
            true => Err(self.refuse(before[0])),
            false => Ok(()),
        }
    }

    /// Whether the loop, or what is after it, writes some of these cells.
    fn changes(&self, memory: usize, cells: &Cells) -> bool {
        let changed = self.changed[memory].boxes();
        changed.iter().any(|own| !cells.and(own).boxes().is_empty())
    }

    /// Whether cells that are copied from a field before the loop are the same after another run,
    /// which takes them from the field again.
    fn is_handed_back(&self, memory: usize, field: usize, cells: &Cells) -> bool {
        let is_written = |all: &[Written], of: usize| all.iter().any(|one| one.memory == of);
        if self.in_loop.contains(&field) || is_written(&self.before, field) {
            return false;
        }
        let mut left = cells.clone();
        for given in self.after.iter().rev().filter(|one| one.memory == field) {
            let (Some(own), Some(from)) = (given.box_of_cells(), given.copied) else {
                return false;
            };
            let part = left.and(&own);
            left.remove(&own);
            // The field gets what the memory holds, or it gets back what it gave to another one.
            let is_same = from == memory
                || !self.changes(memory, &part)
                    && !self.changes(from, &part)
                    && self.is_copy(from, field, &part);
            if is_written(&self.after, from) || !is_same {
                return false;
            }
        }
        !self.changes(memory, &left)
    }

    /// Whether cells of a memory are copied from a field before the loop.
    fn is_copy(&self, memory: usize, field: usize, cells: &Cells) -> bool {
        let mut left = cells.clone();
        for written in self.before.iter().rev().filter(|one| one.memory == memory) {
            let Some(own) = written.box_of_cells() else { return false };
            if written.copied != Some(field) && !left.and(&own).boxes().is_empty() {
                return false;
            }
            left.remove(&own);
        }
        left.boxes().is_empty()
    }

    fn refuse(&self, written: &Written<'_>) -> Failed {
        let writer = self.program.writers[written.operation];
        let what = "is outside of the time loop, which devices run in pieces, and changes what \
                    the next piece begins with";
        let remedy = match is_fill(writer) {
            true => "have the caller fill the field, in the language of STENCILGEN by copyin",
            false => {
                "copy between fields and memory of the function only, and put what else comes \
                 before and after the loop into functions of their own"
            }
        };
        refuse(&writer, what, remedy)
    }

    fn refuse_temp(&self, function: OperationRef<'c, 'a>, memory: usize) -> Failed {
        let field = self.program.fields.iter().find(|it| Some(it.grid) == self.origins[memory]);
        let what = format!(
            "reads its argument {} outside of the time loop that writes it, which devices run in \
             pieces",
            field.map_or(0, |field| field.argument)
        );
        refuse(&function, what, "read it in the loop, or give what is read as a field of its own")
    }
}

impl Written<'_> {
    /// The cells, if they are known.
    fn box_of_cells(&self) -> Option<CellBox> {
        let WriteBox { planes, lateral } = self.cells;
        Some([vec![planes.clone()?], lateral.clone()?].concat())
    }

    /// Whether some of the cells are, or may be, among others.
    fn is_in(&self, others: &Cells) -> bool {
        self.box_of_cells().is_none_or(|own| !others.and(&own).boxes().is_empty())
    }
}
