//! Ghost cells that each iteration of a time loop fills before its statements read them, as walls,
//! mirrors and values at rest.
//!
//! A *fill* is an apply that is stored to cells of a field outside of the points that the loop
//! computes of it. What a statement reads of such a cell is what the fill computes there, from
//! cells inside: the reader can compute it itself, and the cell need not be in memory. [`Seen`]
//! says what an access reads: a cell, or the value of a fill where the point is close to the end,
//! and else something else. Fills may read what earlier ones fill, as in corners.
//!
//! Fills come before the statements of their iteration; or between them, of what one of them has
//! stored and a later one reads; or behind them, for the next iteration: then the first one reads
//! what the fields held before.
//! Copies from the other end of the domain are no fills: they make a grid periodic, and stay.

mod body;
mod seen;

use self::{
    body::{Body, Stored},
    seen::{Asked, constant, moved, without},
};
use super::{
    alias::Carried, point_code, run_time_extents::RunTimeExtents, statement::Unfit, time_loop,
};
use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    build,
    ops::{AccessOp, ApplyOp},
    types, walk,
};

/// Nodes of what the accesses of a loop read, at most.
const NODES_MAX: usize = 4000;

const NONE: &str = "make one step at a time";

/// A time loop that fills ghost cells.
#[derive(Debug)]
pub struct GhostCells<'c, 'a> {
    /// The loop.
    pub operation: OperationRef<'c, 'a>,
    /// The applies that fill them, in order.
    pub fills: Vec<ApplyOp<'c, 'a>>,
    /// Accesses of statements that read filled cells.
    pub reads: Vec<Read<'c, 'a>>,
    /// The first iterations, which read ghost cells that none has filled.
    pub first: usize,
    /// The last iterations, which write every cell that the loop writes.
    pub last: usize,
}

/// An access of a statement.
#[derive(Debug)]
pub struct Read<'c, 'a> {
    /// The statement.
    pub reader: ApplyOp<'c, 'a>,
    /// The access.
    pub access: OperationRef<'c, 'a>,
    /// What it reads.
    pub seen: Seen<'c, 'a>,
}

/// What an access reads.
#[derive(Debug)]
pub enum Seen<'c, 'a> {
    /// A cell of a field, at an offset from the reader's point.
    Cell {
        /// The field.
        field: Value<'c, 'a>,
        /// The offset.
        offset: Vec<i64>,
    },
    /// What a fill computes.
    Filled(Box<Filled<'c, 'a>>),
}

/// The value of a fill.
#[derive(Debug)]
pub struct Filled<'c, 'a> {
    /// The fill.
    pub fill: ApplyOp<'c, 'a>,
    /// The value that it returns for the cell.
    pub value: Value<'c, 'a>,
    /// The cell, from the reader's point.
    pub offset: Vec<i64>,
    /// The points whose access reads the fill: for each dimension from where, and up to where, if
    /// not all do.
    pub points: Vec<[Option<i64>; 2]>,
    /// What the accesses of the fill read.
    pub inputs: Vec<(OperationRef<'c, 'a>, Seen<'c, 'a>)>,
    /// What other points read; none if there are no others.
    pub otherwise: Option<Seen<'c, 'a>>,
}

impl<'c: 'a, 'a> GhostCells<'c, 'a> {
    /// The ghost cells that a loop fills.
    ///
    /// # Errors
    /// Why its statements cannot compute them. Requires applies in value form.
    pub fn of(operation: OperationRef<'c, 'a>) -> Result<Self, Unfit> {
        let Some(carried) = Carried::of(operation) else {
            return Err(Unfit::new("is no time loop", "make one step at a time"));
        };
        time_loop::check_loop(operation)?;
        let body = Body::of(carried)?;
        let mut nodes = 0;
        let mut reads = Vec::new();
        for apply in body.applies.iter().filter(|apply| !body.fills.contains(apply)) {
            body.reads(*apply, &mut reads, &mut nodes)?;
        }
        body.check_order(&reads)?;
        body.check_fills(&mut nodes)?;
        let last = body.filled_cycles().map(|cycle| body.cycles[cycle].fields.len()).max();
        let (first, last) = (usize::from(body.is_late), last.unwrap_or(1));
        let cells = Self { operation, fills: body.fills, reads, first, last };
        if let Some(extents) = RunTimeExtents::around(operation) {
            cells.check_extents(&extents)?;
        }
        Ok(cells)
    }

    /// The extents of the domain from which on a point reads filled cells at one end of each
    /// dimension only, as it does at the reference; none where they are constants.
    pub fn least_extents(&self) -> Option<Vec<i64>> {
        let extents = RunTimeExtents::around(self.operation)?;
        let reach = |apply: ApplyOp<'c, 'a>, d: usize| {
            let accesses = walk::nested(apply.operation()).into_iter().filter_map(AccessOp::of);
            let offsets = accesses.filter_map(|access| access.offset().get(d).copied());
            offsets.map(i64::abs).max().unwrap_or(0)
        };
        let reference = extents.reference.extents();
        let least = (0..reference.len()).map(|d| {
            let readers = self.reads.iter().map(|read| reach(read.reader, d));
            // A fill may read what another one fills.
            let fills = self.fills.iter().map(|fill| reach(*fill, d));
            let reach = readers.max().unwrap_or(0) + fills.sum::<i64>();
            // The domain has the ghost cells too.
            let beyond = self.reads.iter().filter_map(|read| {
                let own = read.reader.bounds()?.extents().get(d).copied()?;
                Some(reference[d] - own)
            });
            2 * reach + 1 + beyond.max().unwrap_or(0)
        });
        Some(least.collect())
    }

    /// What is found for the reference must hold from the least extents on.
    fn check_extents(&self, extents: &RunTimeExtents) -> Result<(), Unfit> {
        let reference = extents.reference.extents();
        let is_of_domain = |apply: &ApplyOp| apply.rank() == reference.len();
        let mut applies = self.reads.iter().map(|read| read.reader).chain(self.fills.clone());
        let least = self.least_extents().unwrap_or_default();
        let fits = least.iter().zip(&reference).all(|(least, extent)| least <= extent);
        match fits && applies.all(|apply| is_of_domain(&apply)) {
            true => Ok(()),
            false => {
                let what = "fills ghost cells from far away in a domain whose extents are given \
                            at run time";
                Err(Unfit::new(what, "give the program a larger domain, as --extents does"))
            }
        }
    }
}

impl<'c: 'a, 'a> Body<'c, 'a> {
    /// What a statement reads of fields with filled cells.
    fn reads(
        &self,
        reader: ApplyOp<'c, 'a>,
        found: &mut Vec<Read<'c, 'a>>,
        nodes: &mut usize,
    ) -> Result<(), Unfit> {
        let is_kept_fill = self.is_kept_fill(reader);
        for (position, argument) in reader.arguments().into_iter().enumerate() {
            let Some((load, field)) = self.filled_load(argument)? else { continue };
            let domain = reader.bounds().ok_or_else(unbounded)?;
            for used in walk::uses(build::argument(reader.body(), position)) {
                let access = constant(used.user, reader.rank())?;
                let offset = access.offset();
                let cells = moved(&domain, &offset);
                let points = Some(&domain);
                let asked =
                    Asked { points, load, is_of_fill: false, field, offset: &offset, cells };
                let seen = self.seen(&asked, nodes)?;
                if let Seen::Filled(_) = seen {
                    if is_kept_fill {
                        let what = "copies filled ghost cells from the other end of the domain";
                        return Err(Unfit::new(what, "fill those of periodic sides first"));
                    }
                    found.push(Read { reader, access: used.user, seen });
                }
            }
        }
        Ok(())
    }

    /// What a fill leaves in memory depends on nothing that an earlier iteration has filled.
    fn check_fills(&self, nodes: &mut usize) -> Result<(), Unfit> {
        for (position, stored) in self.stores.iter().enumerate() {
            if !self.fills.contains(&stored.apply) {
                continue;
            }
            let later = self.stores[position + 1..].iter();
            let later = later.filter(|other| other.field == stored.field);
            let left = later.fold(stored.bounds.clone(), |left, other| {
                match left.intersection(&other.bounds) {
                    gone if gone.is_empty() => left,
                    gone => without(&left, &gone),
                }
            });
            let value = stored.apply.terminator().values()[stored.result];
            for operation in point_code::computing(stored.apply.body(), &[value]) {
                let Some(access) = AccessOp::of(operation) else { continue };
                let number = stored.apply.argument_of(access.source());
                let number = number.expect("an access reads an argument");
                let argument = stored.apply.arguments()[number];
                let Some((load, field)) = self.filled_load(argument)? else { continue };
                let offset = constant(operation, stored.apply.rank())?.offset();
                let cells = moved(&left, &offset);
                let field = self.read_by_fill(load, field)?;
                let (points, is_of_fill) = (None, true);
                let asked = Asked { points, load, is_of_fill, field, offset: &offset, cells };
                self.seen(&asked, nodes)?;
            }
        }
        Ok(())
    }

    /// Whether a statement behind a store loads what it has stored, with ghost cells that were
    /// filled after that: the field holds the same when the statement computes them.
    fn is_all_new(&self, read: &Read<'c, 'a>, main: &Stored<'c, 'a>) -> bool {
        let is_behind = |operation: OperationRef<'c, 'a>| {
            operation.block() == main.operation.block()
                && main.operation.is_before_in_block(operation)
        };
        let loads = |access: OperationRef<'c, 'a>, apply: ApplyOp<'c, 'a>| {
            let source = AccessOp::of(access).map(|access| access.source());
            let number = source.and_then(|source| apply.argument_of(source));
            number.and_then(|number| walk::definition(apply.arguments()[number]))
        };
        let mut open = vec![(&read.seen, loads(read.access, read.reader))];
        while let Some((seen, load)) = open.pop() {
            if uses(seen, main.field) && !load.is_some_and(is_behind) {
                return false;
            }
            if let Seen::Filled(filled) = seen {
                if uses(seen, main.field) && !is_behind(filled.fill.operation()) {
                    return false;
                }
                let inputs = filled.inputs.iter();
                open.extend(inputs.map(|(access, seen)| (seen, loads(*access, filled.fill))));
                open.extend(filled.otherwise.iter().map(|seen| (seen, load)));
            }
        }
        true
    }

    /// Readers come before the stores of what they read, or read all that these have stored, and
    /// fills do not depend on statements.
    fn check_order(&self, reads: &[Read<'c, 'a>]) -> Result<(), Unfit> {
        for main in self.filled_cycles().map(|cycle| self.main(cycle)) {
            let is_late =
                |apply: &ApplyOp<'c, 'a>| main.operation.is_before_in_block(apply.operation());
            let is_stale = |read: &&Read<'c, 'a>| {
                is_late(&read.reader)
                    && uses(&read.seen, main.field)
                    && !self.is_all_new(read, main)
            };
            if reads.iter().any(|read| is_stale(&read)) {
                let what = "fills ghost cells, or reads them, after it has stored to their field";
                return Err(Unfit::new(what, "fill all ghost cells before the first statement"));
            }
        }
        for fill in &self.fills {
            let computed = fill.arguments().into_iter().filter_map(walk::definition);
            let mut computed = computed.filter_map(ApplyOp::of);
            if computed.any(|apply| self.applies.contains(&apply)) {
                let what = "fills ghost cells from a temp that it computes";
                return Err(Unfit::new(what, "fill them from fields"));
            }
            // Also what is the same in all iterations may be computed behind the reader.
            let block = Some(build::block_of(self.carried.operation(), 0));
            let is_own = |value| {
                let definition = walk::definition(value);
                definition.is_some_and(|it| it.block() == block)
                    || time_loop::varies(self.carried.operation(), value)
            };
            let is_number = |value: &Value<'c, 'a>| {
                !types::is_temp(value.r#type()) && !types::is_field(value.r#type())
            };
            if self.is_late && fill.arguments().into_iter().filter(is_number).any(is_own) {
                let what = "fills ghost cells, for the next iteration, with a number of this one";
                return Err(Unfit::new(what, "fill them before the first statement"));
            }
        }
        Ok(())
    }
}

fn elsewhere() -> Unfit {
    Unfit::new(
        "reads a field whose ghost cells it fills at cells that are not constant offsets",
        "access it at constant offsets in all dimensions",
    )
}

fn unbounded() -> Unfit {
    Unfit::new("has values of unknown bounds", "run stencil-infer-bounds first")
}

/// Whether a field is read.
fn uses<'c: 'a, 'a>(seen: &Seen<'c, 'a>, field: Value<'c, 'a>) -> bool {
    match seen {
        Seen::Cell { field: read, .. } => *read == field,
        Seen::Filled(filled) => {
            filled.inputs.iter().any(|(_, input)| uses(input, field))
                || filled.otherwise.as_ref().is_some_and(|other| uses(other, field))
        }
    }
}
