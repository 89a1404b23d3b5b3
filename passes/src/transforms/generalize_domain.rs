//! `stencil-generalize-domain`: let the extents of a program's domain be given when it runs.
//!
//! Before: functions whose bounds are constants.
//! After:  the same, with `stencil.run_time_extents`: the domain that the bounds are written for,
//!         the reference, and the least extents. Kernels made of such a function take the extents
//!         as arguments.
//!
//! Why: a package for every grid. The bounds stay as they are, so that every pass computes with
//! numbers, and the program can be run by the interpreter at its reference. What another extent
//! means is what `stencil-resize-domain` makes of the program: a bound at or below the middle of
//! the domain stays, one above it moves with the upper corner. The least extents are those for
//! which no bound crosses another.
//! Run it before `stencil-infer-bounds`, after `stencil-resize-domain`.
//! Refuses what that pass refuses, computations with coordinates among it, unless
//! `allow-index=true` leaves them as they are; a dimension that follows two of
//! the domain, whose extents may differ unless `alike` says that they never do; unrolled bodies;
//! fields that lie in the upper half of the domain only. Replaces an attribute that is there
//! already.
//! Does not change what a program computes at its reference.

use crate::{
    analysis::{
        domain::{self, Domain, Unclear},
        resizing::{Resizing, bounds_of},
        run_time_extents::{self, RunTimeExtents},
    },
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, flag, integers, refuse,
        statistic,
    },
};
use melior::ir::{BlockLike, OperationRef, Value};
use stencil_dialects::{
    Bounds, build,
    ods::stencil::{self, attribute},
    ops::ApplyOp,
    walk,
};

/// The table entry.
pub const GENERALIZE_DOMAIN: PassInfo = PassInfo {
    argument: "stencil-generalize-domain",
    summary: "let the extents of a program's domain be given when it runs",
    source: include_str!("generalize_domain.rs"),
    anchor: Anchor::Module,
    options: &[
        flag("allow-index", "leave computations with coordinates as they are", false),
        integers(
            "alike",
            "for each dimension the first one that is always longer or shorter by as many points, \
             as in 0,0,2; none are by default",
            "",
        ),
    ],
    statistics: &[GENERALIZED],
    dialects: &[],
    run: generalize_domain,
};

const GENERALIZED: Statistic = statistic("num-generalized", "functions for all extents");

fn generalize_domain(
    module: OperationRef,
    options: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    let mut resizings = Vec::new();
    for functions in domain::groups(module) {
        let domain = Domain::of(&functions)
            .map_err(|Unclear { operation, what, remedy }| refuse(&operation, what, remedy))?;
        let Some(domain) = domain else { continue };
        // Different moves: a grid must not follow two dimensions whose extents may differ.
        let moves = moves(functions[0], domain.bounds.rank(), options)?;
        let resizing = Resizing::of(functions, domain, &moves, options.flag("allow-index"))?;
        check_unroll(&resizing)?;
        check_fields(&resizing)?;
        resizings.push(resizing);
    }
    if resizings.is_empty() {
        let remedy = "the domain is what a program stores; one without a store has none";
        return Err(refuse(&module, "has no domain whose extents could be given", remedy));
    }
    for resizing in resizings {
        let extents = RunTimeExtents {
            reference: resizing.domain.bounds.clone(),
            least: resizing.least_extents(),
            points: None,
            multiples: Vec::new(),
            sizes: None,
        };
        for function in &resizing.functions {
            let context = build::context(function);
            build::set_attribute(
                *function,
                attribute::RUN_TIME_EXTENTS,
                extents.attribute(context),
            );
            state_follows(*function, &resizing);
            cx.count(GENERALIZED, 1);
        }
    }
    Ok(())
}

/// How far the upper end moves along each dimension: as far along two only where they are alike.
fn moves(function: OperationRef, rank: usize, options: &OptionValues) -> PassResult<Vec<i64>> {
    let remedy = "write for each dimension its own number or that of an earlier one, as in 0,0,2";
    let alike = options.integers("alike");
    let alike = alike.map_err(|error| refuse(&function, error.to_string(), remedy))?;
    if alike.is_empty() {
        return Ok((1..).take(rank).collect());
    }
    let is_earlier = |(d, first): (usize, &i64)| {
        usize::try_from(*first).is_ok_and(|first| first <= d && alike[first] == alike[d])
    };
    if alike.len() != rank || !alike.iter().enumerate().all(is_earlier) {
        let what = format!("has a domain of rank {rank}, whose dimensions are not alike {alike:?}");
        return Err(refuse(&function, what, remedy));
    }
    Ok(alike.iter().map(|first| first + 1).collect())
}

/// Says of each field among the arguments which dimensions of the domain its own follow.
fn state_follows<'c: 'a, 'a>(function: OperationRef<'c, 'a>, resizing: &Resizing<'c, 'a>) {
    let Some(entry) = build::entry_block(function) else { return };
    for position in 0..entry.argument_count() {
        let argument = build::argument(entry, position);
        let Some(bounds) = stated_bounds(argument) else { continue };
        let follows = (0..bounds.rank()).map(|d| resizing.domain.dimension_of(argument, d));
        let follows = run_time_extents::follows(build::context(&function), follows);
        build::set_argument_attribute(function, position, attribute::FOLLOWS, follows);
    }
}

/// The bounds of a field among the arguments, by its type or by its cast.
fn stated_bounds<'c: 'a, 'a>(argument: Value<'c, 'a>) -> Option<Bounds> {
    let mut users = walk::uses(argument).into_iter().map(|used| used.user);
    let cast = users.find(|user| walk::name(user) == stencil::CAST);
    bounds_of(argument).or_else(|| bounds_of(build::single(cast?)))
}

fn check_unroll(resizing: &Resizing) -> PassResult {
    for apply in resizing.operations().filter_map(ApplyOp::of) {
        let end = apply.terminator();
        let unroll = end.unroll().unwrap_or_default();
        if let Some(d) = unroll.iter().position(|points| *points != 1) {
            let what = format!(
                "unrolls dimension {d} by {}, which not every extent is a multiple of",
                unroll[d]
            );
            return Err(refuse(&end.operation(), what, "compute one point; plans have 'points'"));
        }
    }
    Ok(())
}

/// The position of a field's first cell is a constant for those who bind it.
fn check_fields(resizing: &Resizing) -> PassResult {
    for function in &resizing.functions {
        let Some(entry) = build::entry_block(*function) else { continue };
        for position in 0..entry.argument_count() {
            let argument = build::argument(entry, position);
            let Some(bounds) = stated_bounds(argument) else { continue };
            let moves = |d: &usize| {
                let shift = resizing.shift_of(argument, *d);
                shift.is_some_and(|shift| shift.moves(bounds.lower[*d]))
            };
            if let Some(d) = (0..bounds.rank()).find(moves) {
                let what = format!(
                    "has an argument {position} that begins at {}, in the upper half of \
                     dimension {d}: other extents would move it",
                    bounds.lower[d]
                );
                let remedy = "let the field begin at a bound of the lower half";
                return Err(refuse(function, what, remedy));
            }
        }
    }
    Ok(())
}
