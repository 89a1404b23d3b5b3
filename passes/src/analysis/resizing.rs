//! Other extents of a domain: what moves, and whether the program allows them.
//!
//! The rule is that of `stencil-resize-domain`: a bound at or below the middle of the domain stays,
//! one above it moves with the upper corner, and so do coordinates of absolute accesses that are
//! constants. [`Resizing::of`] checks that nothing else in the program depends on the extents; the
//! passes that give a program other extents, now or when it runs, change it by what they find here.

use super::{
    domain::{self, Domain},
    margins::{self, Shift, Tight},
};
use crate::framework::{Failed, PassResult, refuse};
use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    Bounds, StencilType, attributes, build, diagnostics,
    ods::stencil,
    ops::{ApplyOp, CombineOp, DynAccessOp, IndexOp},
    walk,
};

/// A range of coordinates in the program along one dimension of the domain.
struct Span<'c, 'a> {
    operation: OperationRef<'c, 'a>,
    dimension: usize,
    lower: i64,
    /// The end, equal to the beginning for a single coordinate.
    upper: i64,
}

/// Other extents of a domain, known to be legal: only [`Resizing::of`] makes them.
pub struct Resizing<'c, 'a> {
    /// The functions that share the domain.
    pub functions: Vec<OperationRef<'c, 'a>>,
    /// The domain.
    pub domain: Domain<'c, 'a>,
    /// What moves, for each of its dimensions.
    pub shifts: Vec<Shift>,
}

impl<'c: 'a, 'a> Resizing<'c, 'a> {
    /// Other extents for the domain of these functions, given how far its upper end moves along
    /// each dimension. `may_compute`: computations with coordinates stay as they are.
    ///
    /// # Errors
    /// With a diagnostic, if the program does not allow them.
    pub fn of(
        functions: Vec<OperationRef<'c, 'a>>,
        domain: Domain<'c, 'a>,
        moves: &[i64],
        may_compute: bool,
    ) -> PassResult<Self> {
        let shifts = moves.iter().enumerate().map(|(d, by)| Shift {
            lower: domain.bounds.lower[d],
            upper: domain.bounds.upper[d],
            by: *by,
        });
        let shifts = shifts.collect::<Vec<_>>();
        for contradiction in domain.contradictions() {
            let [one, two] = contradiction.dimensions;
            if shifts[one] != shifts[two] {
                let what = format!(
                    "makes one dimension follow dimension {one} and dimension {two} of the domain"
                );
                let remedy = "give both the same extents before and after, or use two fields";
                return Err(refuse(&contradiction.operation, what, remedy));
            }
        }
        let resizing = Self { functions, domain, shifts };
        for operation in resizing.operations() {
            check_field(operation)?;
            resizing.check_swap(operation)?;
            if let Some(apply) = ApplyOp::of(operation).filter(|_| !may_compute) {
                resizing.check_coordinates(apply)?;
            }
        }
        resizing.check_margins()?;
        Ok(resizing)
    }

    /// All operations of the functions.
    pub fn operations(&self) -> impl Iterator<Item = OperationRef<'c, 'a>> {
        self.functions.iter().flat_map(|function| walk::nested(*function))
    }

    /// How a dimension of a grid moves; none if it stays.
    pub fn shift_of(&self, grid: Value<'c, 'a>, d: usize) -> Option<Shift> {
        let dimension = self.domain.dimension_of(grid, d)?;
        Some(self.shifts[dimension]).filter(|shift| shift.by != 0)
    }

    /// Refuses exchanges between ranks, which have boxes of their own.
    fn check_swap(&self, operation: OperationRef<'c, 'a>) -> PassResult {
        let swaps = operation.attribute("swaps").map(|swaps| swaps.to_string());
        let is_empty = swaps.is_ok_and(|swaps| swaps == "[]");
        let stays = self.shifts.iter().all(|shift| shift.by == 0);
        if walk::name(&operation) != "dmp.swap" || is_empty || stays {
            return Ok(());
        }
        let remedy = "resize before the tool that distributes the program";
        Err(refuse(&operation, "names boxes that ranks exchange", remedy))
    }

    /// Refuses computations with coordinates.
    fn check_coordinates(&self, apply: ApplyOp<'c, 'a>) -> PassResult {
        let iteration = domain::iteration(apply);
        for operation in walk::nested(apply.operation()) {
            if let Some(index) = IndexOp::of(operation)
                && self.shift_of(iteration, index.dimension()).is_some()
                && let Some(used) = walk::uses(build::single(operation))
                    .into_iter()
                    .find(|used| walk::name(&used.user) != stencil::DYN_ACCESS)
            {
                let what = "is used in a computation: the program may compute something else on \
                            this domain";
                let report =
                    diagnostics::error(&operation, what).note(&used.user, "it is used here");
                report.help("give allow-index=true if the result is the same").emit();
                return Err(Failed);
            }
            let Some(access) = DynAccessOp::of(operation).filter(DynAccessOp::absolute) else {
                continue;
            };
            for (d, coordinate) in access.offset().into_iter().enumerate() {
                if is_computed(apply, coordinate) && self.shift_of(access.source(), d).is_some() {
                    let what = format!(
                        "computes its coordinate {d}: the program may compute something else on \
                         this domain"
                    );
                    let remedy = "give allow-index=true if the result is the same";
                    return Err(refuse(&operation, what, remedy));
                }
            }
        }
        Ok(())
    }

    /// All coordinates that move, or that others must not cross.
    fn spans(&self) -> Vec<Span<'c, 'a>> {
        let mut spans = Vec::new();
        let mut add = |operation, grid, d, lower, upper| {
            if let Some(dimension) = self.domain.dimension_of(grid, d) {
                spans.push(Span { operation, dimension, lower, upper });
            }
        };
        for written in self.functions.iter().flat_map(|function| domain::written(*function)) {
            for d in 0..written.bounds.rank() {
                let (lower, upper) = (written.bounds.lower[d], written.bounds.upper[d]);
                add(written.operation, written.grid, d, lower, upper);
            }
        }
        for operation in self.operations() {
            if let Some(combine) = CombineOp::of(operation) {
                let (result, d) = (build::single(operation), combine.dimension());
                add(operation, result, d, combine.index(), combine.index());
            }
            let Some(apply) = ApplyOp::of(operation) else { continue };
            for access in absolute_accesses(apply) {
                let (lower, upper) = (access.lb(), access.ub());
                for (d, coordinate) in access.offset().into_iter().enumerate() {
                    let end = upper[d].saturating_add(1);
                    add(access.operation(), access.source(), d, lower[d], end);
                    if let Some(cell) = constant(apply, coordinate) {
                        let end = cell.saturating_add(1);
                        add(access.operation(), access.source(), d, cell, end);
                    }
                }
            }
        }
        for (operation, grid) in self.grids() {
            let Some(bounds) = bounds_of(grid) else { continue };
            for d in 0..bounds.rank() {
                add(operation, grid, d, bounds.lower[d], bounds.upper[d]);
            }
        }
        spans
    }

    /// All fields and temps, each with the op for diagnostics.
    pub fn grids(&self) -> Vec<(OperationRef<'c, 'a>, Value<'c, 'a>)> {
        let of = |operation| walk::values(operation).into_iter().map(move |it| (operation, it));
        self.operations().flat_map(of).collect()
    }

    /// Checks that every box keeps a point, and no coordinate crosses another.
    fn check_margins(&self) -> PassResult {
        let spans = self.spans();
        for (dimension, shift) in self.shifts.iter().enumerate() {
            let along = spans.iter().filter(|span| span.dimension == dimension).collect::<Vec<_>>();
            let ends = along.iter().map(|span| (span.lower, span.upper)).collect::<Vec<_>>();
            if shift.by == 0 {
                continue;
            }
            let Some(tight) = margins::tightest(*shift, &ends) else { continue };
            let Tight { stays, moves, least_extent } = tight;
            if shift.extent() >= least_extent {
                continue;
            }
            let what = match stays == moves {
                true => format!(
                    "would have no point left along dimension {dimension} of a domain of {} points",
                    shift.extent()
                ),
                false => format!(
                    "would pass another bound along dimension {dimension} of a domain of {} points",
                    shift.extent()
                ),
            };
            let (stays, moves) = (along[stays], along[moves]);
            let mut report = diagnostics::error(&moves.operation, what);
            if stays.operation != moves.operation {
                let place = format!("the other bound, {}, stays", ends_of(stays));
                report = report.note(&stays.operation, place);
            }
            let remedy = format!(
                "margins keep their widths: they need an extent of at least {least_extent}"
            );
            report.help(remedy).emit();
            return Err(Failed);
        }
        Ok(())
    }

    /// The least extent of each dimension for which no coordinate crosses another.
    pub fn least_extents(&self) -> Vec<i64> {
        let spans = self.spans();
        let least = self.shifts.iter().enumerate().map(|(dimension, shift)| {
            let along = spans.iter().filter(|span| span.dimension == dimension);
            let ends = along.map(|span| (span.lower, span.upper)).collect::<Vec<_>>();
            margins::tightest(*shift, &ends).map_or(1, |tight| tight.least_extent)
        });
        least.collect()
    }
}

fn check_field(operation: OperationRef) -> PassResult {
    // Loads and stores have known bounds by their verifiers.
    let reads = walk::name(&operation) == stencil::APPLY;
    let is_unknown = |operand: Value| {
        StencilType::of(operand.r#type()).is_some_and(|it| it.is_field() && it.bounds.is_none())
    };
    if reads && operation.operands().any(is_unknown) {
        let remedy = "give the field bounds, or cast it to a field that has them";
        return Err(refuse(&operation, "uses a field of unknown bounds", remedy));
    }
    Ok(())
}

/// The bounds of a grid, if they are known.
pub fn bounds_of(grid: Value) -> Option<Bounds> {
    StencilType::of(grid.r#type())?.bounds
}

fn ends_of(span: &Span) -> String {
    format!("{} to {}", span.lower, span.upper)
}

/// Reads of an apply at absolute coordinates.
pub fn absolute_accesses<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>) -> Vec<DynAccessOp<'c, 'a>> {
    let accesses = walk::nested(apply.operation()).into_iter().filter_map(DynAccessOp::of);
    accesses.filter(DynAccessOp::absolute).collect()
}

/// Whether a coordinate of a read is neither a constant nor one of the point's.
pub fn is_computed<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>, coordinate: Value<'c, 'a>) -> bool {
    let is_index = walk::definition(coordinate).is_some_and(|it| IndexOp::of(it).is_some());
    !is_index && constant(apply, coordinate).is_none()
}

/// The constant that a value of an apply's region is, here or as an operand of the apply.
pub fn constant<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>, value: Value<'c, 'a>) -> Option<i64> {
    let value = match apply.argument_of(value) {
        Some(argument) => apply.arguments()[argument],
        None => value,
    };
    walk::constant(value).and_then(attributes::integer)
}
