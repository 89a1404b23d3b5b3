//! The statements of a function, as far as planes along the slowest dimension are concerned.

mod reader;
mod surroundings;

use self::reader::Reader;
use super::{Grid, Reach, Read, Statement, WriteBox};
use crate::{
    analysis::domain::Domain,
    framework::{PassResult, refuse},
};
use melior::ir::{
    BlockLike, OperationRef, Value, ValueLike, operation::OperationLike, r#type::MemRefType,
};
use std::ops::Range;
use stencil_dialects::{
    build,
    ops::{ApplyOp, StoreOp},
    types, walk,
};

/// The dimension that is cut: the slowest, whose planes are contiguous in memory.
pub const CUT: usize = 0;

/// A field among the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its position.
    pub argument: usize,
    /// Its number.
    pub grid: Grid,
    /// The dimension that is cut with the domain; none if the field is the same on all devices.
    pub dimension: Option<usize>,
    /// Its planes along that dimension.
    pub planes: Option<Range<i64>>,
    /// Whether the function writes it.
    pub is_written: bool,
}

/// Memory of the function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocated {
    /// Its number.
    pub grid: Grid,
    /// Its planes, if its slowest dimension is cut.
    pub planes: Option<Range<i64>>,
}

/// The time loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLoop {
    /// Time steps of an iteration.
    pub step: i64,
    /// Iterations after which every field is in its place again.
    pub rotation: i64,
}

impl TimeLoop {
    /// The least number of time steps after which every field is in its place again.
    pub fn period(self) -> i64 {
        self.step.saturating_mul(self.rotation)
    }
}

/// A function.
#[derive(Clone, Debug, Default)]
pub struct Program<'c, 'a> {
    /// Its fields.
    pub fields: Vec<Field>,
    /// Its statements.
    pub statements: Vec<Statement>,
    /// How many fields and temps there are.
    pub grids: usize,
    /// Dimensions of the domain beside that of the planes.
    pub lateral: usize,
    /// Its time loop, if it has one.
    pub time_loop: Option<TimeLoop>,
    /// Memory that is allocated before the time loop.
    pub allocated: Vec<Allocated>,
    /// Pairs of temps of which the second has the values of the first.
    pub same: Vec<(Grid, Grid)>,
    /// Ops that write, by number.
    pub writers: Vec<OperationRef<'c, 'a>>,
}

impl<'c: 'a, 'a> Program<'c, 'a> {
    /// The statements of a function.
    ///
    /// # Errors
    /// With a diagnostic, if they cannot be followed.
    pub fn of(function: OperationRef<'c, 'a>, domain: &Domain<'c, 'a>) -> PassResult<Self> {
        check_values(function)?;
        let mut reader = Reader::new(domain);
        let Some(entry) = build::entry_block(function) else { return Ok(reader.program) };
        for argument in 0..entry.argument_count() {
            let value = build::argument(entry, argument);
            if types::is_field(value.r#type()) {
                reader.field(function, argument, value)?;
            }
        }
        let statements = reader.block(entry, 0)?;
        let mut program = Program { statements, ..reader.program };
        program.mark_written(function)?;
        let planes = domain.bounds.lower[CUT]..domain.bounds.upper[CUT];
        program.check_surroundings(function, &planes)?;
        program.check_allocated(function)?;
        Ok(program)
    }

    /// A number of planes that what goes wrong at the end of a window cannot cross in so many
    /// iterations: the sum of all offsets, and of distances of bounds from the end of the domain.
    pub fn reach_most(&self, iterations: i64, domain: &Range<i64>) -> i64 {
        let fields = self.fields.iter().filter_map(|field| field.planes.clone());
        let fields = fields.flat_map(|planes| [planes.start, planes.end]);
        let extent = domain.end - domain.start;
        // What is far from both ends is no end of anything: windows have it in other places.
        let from_end = |plane: i64| {
            let distance = (plane - domain.start).abs().min((plane - domain.end).abs());
            if 4 * distance > extent { 0 } else { distance }
        };
        let offset = |offset: i64| (offset.abs() - extent).abs().min(offset.abs());
        let margin = fields.map(from_end).max().unwrap_or(0);
        margin + 1 + reach(&self.statements, iterations, &offset, &from_end)
    }

    /// The same with other planes for some writers, by number.
    pub fn writing(&self, planes: &[(usize, Range<i64>)]) -> Self {
        let mut other = self.clone();
        write(&mut other.statements, planes);
        other
    }

    /// Every piece begins with new memory: what a step before has left there is gone.
    fn check_allocated(&self, function: OperationRef<'c, 'a>) -> PassResult {
        let mut cells = (0..self.grids).collect::<Vec<_>>();
        let mut filled = vec![true; self.grids];
        self.allocated.iter().for_each(|own| filled[own.grid] = false);
        match reads_unfilled(&self.statements, &mut cells, &mut filled) {
            true if self.time_loop.is_some() => {
                let what = "has a step that reads memory allocated before the time loop, and not \
                            written before in this step or the ones that rotate to it";
                Err(refuse(&function, what, "give this memory as a field argument"))
            }
            _ => Ok(()),
        }
    }

    fn mark_written(&mut self, function: OperationRef<'c, 'a>) -> PassResult {
        let mut cells = (0..self.grids).collect::<Vec<_>>();
        let mut written = Vec::new();
        find_written(&self.statements, &mut cells, &mut written);
        for field in &mut self.fields {
            field.is_written = written.contains(&field.grid);
            if field.is_written && field.dimension != Some(CUT) {
                let what = format!(
                    "writes its argument {}, whose slowest dimension does not follow the domain's",
                    field.argument
                );
                let remedy = "store fields of the domain's rank, or of its first dimensions";
                return Err(refuse(&function, what, remedy));
            }
        }
        Ok(())
    }
}

/// Has writers, by number, write other planes.
fn write(statements: &mut [Statement], planes: &[(usize, Range<i64>)]) {
    for statement in statements {
        match statement {
            Statement::Write { to, operation, .. } => {
                let own = planes.iter().find(|(writer, _)| writer == operation);
                if let Some((_, planes)) = own {
                    to.planes = Some(planes.clone());
                }
            }
            Statement::Either { bodies, .. } => {
                bodies.iter_mut().for_each(|body| write(body, planes));
            }
            Statement::Loop { body, .. } => write(body, planes),
            Statement::Copy { .. }
            | Statement::Rename { .. }
            | Statement::Compute { .. }
            | Statement::Combine { .. } => {}
        }
    }
}

/// Whether a store writes what no cell is read for.
fn is_fill(writer: OperationRef) -> bool {
    let stored = StoreOp::of(writer).and_then(|store| walk::definition(store.temp()));
    stored.and_then(ApplyOp::of).is_some_and(|apply| !apply.arguments().into_iter().any(is_grid))
}

/// Results become arguments later, and memory that is no field may be written by anything.
fn check_values(function: OperationRef) -> PassResult {
    if build::function_type(function).is_some_and(|r#type| r#type.result_count() > 0) {
        let remedy = "give results through field arguments";
        return Err(refuse(&function, "returns values, which no device has all of", remedy));
    }
    let is_memory = |value: Value| MemRefType::try_from(value.r#type()).is_ok();
    for operation in walk::nested(function) {
        let results = operation.results().map(Value::from);
        if operation.operands().chain(results).any(is_memory) {
            let remedy =
                "store to fields: stencil-opt --stencil-bind-memrefs --stencil-gather-updates";
            return Err(refuse(&operation, "uses memory that is no field", remedy));
        }
    }
    Ok(())
}

/// The sum of what statements read and write away from a point, and from an end of the domain.
fn reach(
    statements: &[Statement],
    iterations: i64,
    offset: &impl Fn(i64) -> i64,
    from_end: &impl Fn(i64) -> i64,
) -> i64 {
    let of_read = |read: &Read| match read.reach {
        Reach::Offset(own) => offset(own),
        Reach::Offsets(lowest, highest) => lowest.abs().max(highest.abs()),
        Reach::Plane(plane) => from_end(plane),
        Reach::Any => 0,
    };
    let of_one = |statement: &Statement| match statement {
        Statement::Compute { reads, .. } => reads.iter().map(of_read).max().unwrap_or(0),
        Statement::Write { to: WriteBox { planes: Some(planes), .. }, .. } => {
            from_end(planes.start).max(from_end(planes.end))
        }
        Statement::Combine { plane, .. } => from_end(*plane),
        Statement::Either { bodies, .. } => {
            bodies.iter().map(|body| reach(body, iterations, offset, from_end)).sum()
        }
        Statement::Loop { iterations: own, body, .. } => {
            let inner = reach(body, iterations, offset, from_end);
            inner.saturating_mul(own.unwrap_or(iterations))
        }
        Statement::Copy { .. } | Statement::Rename { .. } | Statement::Write { .. } => 0,
    };
    statements.iter().map(of_one).fold(0, i64::saturating_add)
}

/// The memories that statements write, with what loops carry.
fn find_written(statements: &[Statement], cells: &mut [usize], written: &mut Vec<usize>) {
    for statement in statements {
        match statement {
            Statement::Rename { from, to } => cells[*to] = cells[*from],
            Statement::Write { field, .. } => written.push(cells[*field]),
            Statement::Either { bodies, .. } => {
                bodies.iter().for_each(|body| find_written(body, cells, written));
            }
            Statement::Loop { slots, body, .. } => {
                let mut held = slots.iter().map(|slot| cells[slot.initial]).collect::<Vec<_>>();
                // After as many iterations as there are slots every field was in all its places.
                for _ in 0..=slots.len() {
                    for (slot, cell) in slots.iter().zip(&held) {
                        cells[slot.argument] = *cell;
                    }
                    find_written(body, cells, written);
                    held = slots.iter().map(|slot| cells[slot.yielded]).collect();
                }
                slots.iter().zip(held).for_each(|(slot, cell)| cells[slot.result] = cell);
            }
            Statement::Copy { .. } | Statement::Compute { .. } | Statement::Combine { .. } => {}
        }
    }
}

/// Whether statements read memory that nothing has filled; what a branch writes may not be written.
fn reads_unfilled(
    statements: &[Statement],
    cells: &mut Vec<usize>,
    filled: &mut Vec<bool>,
) -> bool {
    statements.iter().any(|statement| match statement {
        Statement::Copy { from, .. } => !filled[cells[*from]],
        Statement::Rename { from, to } => {
            cells[*to] = cells[*from];
            false
        }
        Statement::Compute { reads, .. } => reads.iter().any(|read| !filled[cells[read.from]]),
        Statement::Write { field, .. } => {
            filled[cells[*field]] = true;
            false
        }
        Statement::Combine { .. } => false,
        Statement::Either { bodies, .. } => {
            bodies.iter().any(|body| reads_unfilled(body, cells, &mut filled.clone()))
        }
        Statement::Loop { slots, body, .. } => {
            let mut held = slots.iter().map(|slot| cells[slot.initial]).collect::<Vec<_>>();
            let mut is_early = false;
            for _ in 0..=slots.len() {
                for (slot, cell) in slots.iter().zip(&held) {
                    cells[slot.argument] = *cell;
                }
                is_early |= reads_unfilled(body, cells, filled);
                held = slots.iter().map(|slot| cells[slot.yielded]).collect();
            }
            slots.iter().zip(held).for_each(|(slot, cell)| cells[slot.result] = cell);
            is_early
        }
    })
}

fn is_grid(value: Value) -> bool {
    types::is_field(value.r#type()) || types::is_temp(value.r#type())
}

pub(super) fn touches_grids<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) -> bool {
    let touches = |one: &OperationRef<'c, 'a>| {
        one.operands().any(is_grid) || one.results().any(|result| is_grid(result.into()))
    };
    walk::nested(operation).iter().any(touches)
}
