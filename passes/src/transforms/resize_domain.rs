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
        resizing::{Resizing, absolute_accesses, bounds_of, constant},
    },
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, flag, integers, refuse,
        statistic,
    },
};
use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    Bounds, StencilType, attributes,
    build::{self, Inserter},
    ods::stencil,
    ops::{AccessOp, ApplyOp, CombineOp},
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

pub(super) const RETYPED: Statistic =
    statistic("num-retyped", "fields and temps whose bounds moved");
pub(super) const MOVED: Statistic = statistic("num-moved", "operations whose bounds moved");

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

/// A resizing whose fields fit into memory. Only [`legal`] makes one, so `rewrite` checks nothing
/// again.
pub(super) struct Resize<'c, 'a>(Resizing<'c, 'a>);

/// The legal resizing of the domain of some functions to these extents.
pub(super) fn legal<'c: 'a, 'a>(
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
    let old = domain.bounds.extents();
    let moves = extents.iter().zip(old).map(|(new, old)| new - old).collect::<Vec<_>>();
    let resize = Resize(Resizing::of(functions, domain, &moves, may_compute)?);
    resize.check_sizes()?;
    Ok(resize)
}

impl<'c: 'a, 'a> Resize<'c, 'a> {
    /// The new bounds of a grid; none where they stay.
    fn moved(&self, grid: Value<'c, 'a>, bounds: &Bounds) -> Option<Bounds> {
        let mut moved = bounds.clone();
        for d in 0..bounds.rank() {
            if let Some(shift) = self.0.shift_of(grid, d) {
                let ends = shift.of_ends(bounds.lower[d], bounds.upper[d]);
                (moved.lower[d], moved.upper[d]) = ends;
            }
        }
        (moved != *bounds).then_some(moved)
    }

    /// Checks the new bounds as the verifiers would.
    fn check_sizes(&self) -> PassResult {
        for (operation, grid) in self.0.grids() {
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
        for apply in self.0.operations().filter_map(ApplyOp::of) {
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
    pub(super) fn rewrite(&self, cx: &mut PassContext) {
        for operation in self.0.operations() {
            if self.move_operation(operation) {
                cx.count(MOVED, 1);
            }
        }
        for (operation, grid) in self.0.grids() {
            let Some(r#type) = StencilType::of(grid.r#type()) else { continue };
            let Some(bounds) = r#type.bounds.as_ref().and_then(|own| self.moved(grid, own)) else {
                continue;
            };
            let make = if r#type.is_field() { types::field } else { types::temp };
            grid.set_type(make(build::context(&operation), &bounds, r#type.element));
            cx.count(RETYPED, 1);
        }
        self.0.functions.iter().for_each(|function| build::update_function_type(*function));
    }

    /// Moves the coordinates in an op's attributes; returns whether any moved.
    fn move_operation(&self, operation: OperationRef<'c, 'a>) -> bool {
        let context = build::context(&operation);
        if let Some(combine) = CombineOp::of(operation) {
            let shift = self.0.shift_of(build::single(operation), combine.dimension());
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
                let Some(shift) = self.0.shift_of(source, d) else { continue };
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
                self.0.shift_of(source, d).map_or(*offset, |shift| shift.of_offset(*offset))
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
