//! `stencil-resize-domain`: change the extents of a program's domain.
//!
//! Before: a program that stores 64 x 64 points, with its halos, boundary strips and margins.
//! After:  with `extents=16,17`, the same program on 16 x 17 points.
//!
//! Why: extents are static. Tests need a small domain and benchmarks a large one, from one program.
//! The domain is the hull of all stores of a function, and of functions that it passes fields to.
//! Its lower corner stays. A bound at or below the middle of the old domain stays, one above it
//! moves with the upper corner: so halos, strips and margins keep their widths. That holds for
//! types of fields and temps, for stores and applies, the index of a combine, and what a
//! `stencil.dyn_access` with absolute extent reads, with coordinates there that are constants.
//! A grid of lower rank follows the dimensions that its accesses, or coordinates computed from
//! `stencil.index`, tie it to. What nothing ties to the domain stays: a table that is read at the
//! index of a time step has as many entries as there are steps.
//! The offset of a `stencil.access` that is longer than half of the old domain grows with it: in a
//! strip of ghost cells it leads to the other end of a periodic domain, and still does.
//! Run it before `stencil-infer-bounds`: halos of temps of known bounds may lie beyond the middle.
//! A program that computes with its coordinates may compute something else on another domain:
//! `stencil.index` is refused except as a coordinate of a `stencil.dyn_access`, and so is a
//! coordinate of an absolute one that is neither such an index nor a constant. With
//! `allow-index=true` both are left unchanged.
//! Refuses an extent too small for the margins, a wrong number of extents, fields of unknown
//! bounds, fields that follow two dimensions, fields passed through foreign ops.
//! Does not change a program that already has these extents.
//! Does not change what a point computes, numbers of time steps, or plans. Does not check accesses:
//! where they reach further than half the new domain, a field may become too small for them, which
//! `stencil-infer-bounds` refuses.

use crate::{
    analysis::{
        domain::{self, Domain, Unclear},
        margins::{self, Shift, Tight},
    },
    framework::{
        Anchor, Failed, OptionValues, PassContext, PassInfo, PassResult, Statistic, flag, integers,
        refuse, statistic,
    },
};
use melior::ir::{BlockLike, OperationRef, RegionLike, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    Bounds, StencilType, attributes,
    build::{self, Inserter},
    diagnostics,
    ods::stencil,
    ops::{AccessOp, ApplyOp, CombineOp, DynAccessOp, IndexOp},
    types, walk,
};

/// The table entry.
pub const RESIZE_DOMAIN: PassInfo = PassInfo {
    argument: "stencil-resize-domain",
    summary: "change the extents of a program's domain",
    source: include_str!("resize_domain.rs"),
    anchor: Anchor::Module,
    options: &[
        integers("extents", "points of the new domain along each dimension, slowest first", ""),
        flag("allow-index", "leave computations with coordinates as they are", false),
    ],
    statistics: &[RETYPED, MOVED],
    dialects: &["arith"],
    run: resize_domain,
};

const RETYPED: Statistic = statistic("num-retyped", "fields and temps whose bounds moved");
const MOVED: Statistic = statistic("num-moved", "operations whose bounds moved");

fn resize_domain(module: OperationRef, options: &OptionValues, cx: &mut PassContext) -> PassResult {
    let extents = extents(module, options)?;
    let may_compute = options.flag("allow-index");
    let mut resizes = Vec::new();
    for functions in domain::groups(module) {
        let domain = Domain::of(&functions)
            .map_err(|Unclear { operation, what, remedy }| refuse(&operation, what, remedy))?;
        let Some(domain) = domain else { continue };
        resizes.push(legal(functions, domain, &extents, may_compute)?);
    }
    if resizes.is_empty() {
        let remedy = "the domain is what a program stores; one without a store has none";
        return Err(refuse(&module, "has no domain to resize", remedy));
    }
    resizes.iter().for_each(|resize| resize.rewrite(cx));
    Ok(())
}

fn extents(module: OperationRef, options: &OptionValues) -> PassResult<Vec<i64>> {
    let remedy = "write one number per dimension, such as extents=16,17,19";
    let extents = options.integers("extents");
    let extents = extents.map_err(|error| refuse(&module, error.to_string(), remedy))?;
    if extents.is_empty() {
        return Err(refuse(&module, "is resized to no extents", remedy));
    }
    match extents.iter().find(|extent| **extent < 1) {
        Some(extent) => Err(refuse(&module, format!("cannot have extent {extent}"), remedy)),
        None => Ok(extents),
    }
}

/// A range of coordinates in the program along one dimension of the domain.
struct Span<'c, 'a> {
    operation: OperationRef<'c, 'a>,
    dimension: usize,
    lower: i64,
    /// The end, equal to the beginning for a single coordinate.
    upper: i64,
}

/// A resizing known to be legal. Only `legal` makes one, so `rewrite` checks nothing again.
struct Resize<'c, 'a> {
    functions: Vec<OperationRef<'c, 'a>>,
    domain: Domain<'c, 'a>,
    shifts: Vec<Shift>,
}

fn legal<'c: 'a, 'a>(
    functions: Vec<OperationRef<'c, 'a>>,
    domain: Domain<'c, 'a>,
    extents: &[i64],
    may_compute: bool,
) -> PassResult<Resize<'c, 'a>> {
    if domain.bounds.rank() != extents.len() {
        let what = format!(
            "has a domain of rank {}, and {} extents are given",
            domain.bounds.rank(),
            extents.len()
        );
        return Err(refuse(&functions[0], what, "write one extent per dimension, slowest first"));
    }
    let shifts = (0..extents.len()).map(|d| {
        let (lower, upper) = (domain.bounds.lower[d], domain.bounds.upper[d]);
        Shift { lower, upper, by: extents[d] - (upper - lower) }
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
    let resize = Resize { functions, domain, shifts };
    for operation in resize.operations() {
        check_field(operation)?;
        resize.check_swap(operation)?;
        if let Some(apply) = ApplyOp::of(operation).filter(|_| !may_compute) {
            resize.check_coordinates(apply)?;
        }
    }
    resize.check_margins()?;
    resize.check_sizes()?;
    Ok(resize)
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

impl<'c: 'a, 'a> Resize<'c, 'a> {
    fn operations(&self) -> impl Iterator<Item = OperationRef<'c, 'a>> {
        self.functions.iter().flat_map(|function| walk::nested(*function))
    }

    fn shift_of(&self, grid: Value<'c, 'a>, d: usize) -> Option<Shift> {
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
                let is_index =
                    walk::definition(coordinate).is_some_and(|it| IndexOp::of(it).is_some());
                let is_known = is_index || constant(apply, coordinate).is_some();
                if !is_known && self.shift_of(access.source(), d).is_some() {
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
    fn grids(&self) -> Vec<(OperationRef<'c, 'a>, Value<'c, 'a>)> {
        let mut grids = Vec::new();
        for operation in self.operations() {
            grids.extend(operation.results().map(|result| (operation, result.into())));
            for region in operation.regions() {
                let mut next = region.first_block();
                while let Some(block) = next {
                    let arguments = (0..block.argument_count()).map(|n| build::argument(block, n));
                    grids.extend(arguments.map(|argument| (operation, argument)));
                    next = block.next_in_region();
                }
            }
        }
        grids
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

    /// The new bounds of a grid; none where they stay.
    fn moved(&self, grid: Value<'c, 'a>, bounds: &Bounds) -> Option<Bounds> {
        let mut moved = bounds.clone();
        for d in 0..bounds.rank() {
            if let Some(shift) = self.shift_of(grid, d) {
                let ends = shift.of_ends(bounds.lower[d], bounds.upper[d]);
                (moved.lower[d], moved.upper[d]) = ends;
            }
        }
        (moved != *bounds).then_some(moved)
    }

    /// Checks the new bounds as the verifiers would.
    fn check_sizes(&self) -> PassResult {
        for (operation, grid) in self.grids() {
            let Some(moved) = bounds_of(grid).and_then(|bounds| self.moved(grid, &bounds)) else {
                continue;
            };
            let points = moved.lower.iter().zip(&moved.upper);
            let points = points.map(|(lower, upper)| i128::from(*upper) - i128::from(*lower));
            let points = points.fold(1_i128, i128::saturating_mul);
            if points > POINTS_MAX {
                let what = format!("would have {points} points");
                return Err(refuse(&operation, what, "choose smaller extents"));
            }
        }
        for apply in self.operations().filter_map(ApplyOp::of) {
            let Some(bounds) = apply.bounds() else { continue };
            let bounds = self.moved(domain::iteration(apply), &bounds).unwrap_or(bounds);
            let end = apply.terminator();
            for (d, factor) in end.unroll().unwrap_or_default().into_iter().enumerate() {
                if bounds.extents()[d] % factor != 0 {
                    let what = format!(
                        "unrolls dimension {d} by {factor}, but {} points would be computed",
                        bounds.extents()[d]
                    );
                    let remedy = "make the extent a multiple of the factor";
                    return Err(refuse(&end.operation(), what, remedy));
                }
            }
        }
        Ok(())
    }

    /// Builds; cannot refuse.
    fn rewrite(&self, cx: &mut PassContext) {
        for operation in self.operations() {
            if self.move_operation(operation) {
                cx.count(MOVED, 1);
            }
        }
        for (operation, grid) in self.grids() {
            let Some(r#type) = StencilType::of(grid.r#type()) else { continue };
            let Some(bounds) = r#type.bounds.as_ref().and_then(|own| self.moved(grid, own)) else {
                continue;
            };
            let make = if r#type.is_field() { types::field } else { types::temp };
            grid.set_type(make(build::context(&operation), &bounds, r#type.element));
            cx.count(RETYPED, 1);
        }
        self.functions.iter().for_each(|function| build::update_function_type(*function));
    }

    /// Moves the coordinates in an op's attributes; returns whether any moved.
    fn move_operation(&self, operation: OperationRef<'c, 'a>) -> bool {
        let context = build::context(&operation);
        if let Some(combine) = CombineOp::of(operation) {
            let shift = self.shift_of(build::single(operation), combine.dimension());
            let index = shift.map_or(combine.index(), |shift| shift.of(combine.index()));
            if index != combine.index() {
                let index = build::attribute(context, &format!("{index} : index"));
                build::set_attribute(operation, "index", index);
                return true;
            }
            return false;
        }
        let apply = ApplyOp::of(operation);
        let is_moved = apply.is_some_and(|apply| self.move_accesses(apply));
        let grid = match apply {
            Some(apply) => domain::iteration(apply),
            None if walk::name(&operation) == stencil::STORE => {
                operation.operand(1).expect("the verifier checked the operands of a store")
            }
            None => return false,
        };
        let own = operation.attribute("bounds").ok().and_then(attributes::bounds);
        let Some(bounds) = own.and_then(|own| self.moved(grid, &own)) else { return is_moved };
        build::set_attribute(operation, "bounds", attributes::make_bounds(context, &bounds));
        true
    }

    fn move_accesses(&self, apply: ApplyOp<'c, 'a>) -> bool {
        let mut is_moved = false;
        for access in absolute_accesses(apply) {
            let (operation, source) = (access.operation(), access.source());
            let (mut lower, mut upper) = (access.lb(), access.ub());
            for (d, coordinate) in access.offset().into_iter().enumerate() {
                let Some(shift) = self.shift_of(source, d) else { continue };
                let end = shift.of(upper[d].saturating_add(1));
                (lower[d], upper[d]) = (shift.of(lower[d]), end - 1);
                if let Some(cell) = constant(apply, coordinate).filter(|cell| shift.moves(*cell)) {
                    let cell = Inserter::before(operation).index(shift.of(cell));
                    build::set_operand(operation, 1 + d, cell);
                }
            }
            if (&lower, &upper) != (&access.lb(), &access.ub()) {
                let context = build::context(&operation);
                build::set_attribute(operation, "lb", attributes::make_index(context, &lower));
                build::set_attribute(operation, "ub", attributes::make_index(context, &upper));
                is_moved = true;
            }
        }
        for access in walk::nested(apply.operation()).into_iter().filter_map(AccessOp::of) {
            let (operation, source, old) = (access.operation(), access.source(), access.offset());
            let of_offset = |(d, offset): (usize, &i64)| {
                self.shift_of(source, d).map_or(*offset, |shift| shift.of_offset(*offset))
            };
            let offset = old.iter().enumerate().map(of_offset).collect::<Vec<_>>();
            if offset != old {
                let offset = attributes::make_index(build::context(&operation), &offset);
                build::set_attribute(operation, "offset", offset);
                is_moved = true;
            }
        }
        is_moved
    }
}

/// More points than any memory holds, and few enough that their bytes can be counted in 64 bits.
const POINTS_MAX: i128 = 1 << 44;

fn bounds_of(grid: Value) -> Option<Bounds> {
    StencilType::of(grid.r#type())?.bounds
}

fn ends_of(span: &Span) -> String {
    format!("{} to {}", span.lower, span.upper)
}

fn absolute_accesses<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>) -> Vec<DynAccessOp<'c, 'a>> {
    let accesses = walk::nested(apply.operation()).into_iter().filter_map(DynAccessOp::of);
    accesses.filter(DynAccessOp::absolute).collect()
}

/// The constant that a value of an apply's region is, here or as an operand of the apply.
fn constant<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>, value: Value<'c, 'a>) -> Option<i64> {
    let value = match apply.argument_of(value) {
        Some(argument) => apply.arguments()[argument],
        None => value,
    };
    walk::constant(value).and_then(attributes::integer)
}
