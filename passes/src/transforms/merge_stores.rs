//! `stencil-merge-stores`: let one apply store what another overwrites in part.
//!
//! Before: an apply that is stored to a field, and one that is stored to some of these points
//!         behind it, as a source, a receiver's mask or a value that is held do; it may read what
//!         the first has stored, at its own point.
//! After:  the first apply computes both, the second's value where the point is one of its points
//!         (`scf.if` of the coordinates), and is stored once. The name of the second is in
//!         `stencil.includes`.
//!
//! Why: a kernel for a few points costs a launch each iteration, and a time loop that stores a
//! field twice is no sweep.
//! `marked=true` changes only what has the attribute `stencil.inline`, which
//! `stencil-select-inlining` or the user sets.
//! Requires `stencil-unify-applies` and `stencil-infer-bounds`.
//! Declines, with a remark: a second apply that is not stored within the points of the first, or
//! reads other points of it, or operands that are computed between the two; points that something
//! else reads or stores between the two stores; several points at once, and unwritten points.
//! Several applies may overwrite points of one, each other's too.
//! Does not merge stores of different points: those of ghost cells are `stencil-fold-ghost-cells`'.

use super::{
    name_stages::stage,
    place,
    place_copies::replace_return,
    point_copy::{self, Names, Shift},
};
use crate::{
    analysis::{
        overwrites::{self, Overwrite, Part},
        point_code,
        run_time_extents::RunTimeExtents,
        statement::Unfit,
    },
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, flag, statistic,
    },
    strategy::decisions,
};
use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    Bounds,
    build::{self, Compare, Inserter},
    ods::{
        arith, scf,
        stencil::{self, attribute},
    },
    ops::ApplyOp,
    walk::{self, ValueKey},
};

/// The table entry.
pub const MERGE_STORES: PassInfo = PassInfo {
    argument: "stencil-merge-stores",
    summary: "let one apply store what another overwrites in part",
    source: include_str!("merge_stores.rs"),
    anchor: Anchor::Function,
    options: &[flag("marked", "only applies with the attribute stencil.inline", false)],
    statistics: &[MERGED, DECLINED],
    dialects: &["arith", "scf"],
    run: merge_stores,
};

const MERGED: Statistic = statistic("num-merged", "applies that another computes");
const DECLINED: Statistic = statistic("num-declined", "applies that overwrite another and stay");

fn merge_stores(
    function: OperationRef,
    options: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    // One after the other: what one overwrites may be what another was merged with.
    for second in walk::nested(function).into_iter().filter_map(ApplyOp::of).collect::<Vec<_>>() {
        let is_marked = second.operation().has_attribute(attribute::INLINE);
        if !overwrites::overwrites(second) || (options.flag("marked") && !is_marked) {
            continue;
        }
        match Overwrite::of(second) {
            Ok(found) => {
                let what = "is part of the apply whose points it overwrites";
                cx.passed(&second.operation(), what);
                cx.count(MERGED, 1);
                rewrite(&found);
            }
            Err(Unfit { what, remedy }) => {
                cx.decline(&second.operation(), &format!("stays: it {what}; {remedy}"));
                cx.count(DECLINED, 1);
            }
        }
    }
    Ok(())
}

fn rewrite(found: &Overwrite) {
    let (first, second) = (found.first, found.second);
    let mut names = operands(found);
    let returned = first.terminator();
    let stored = returned.values();
    let mut values = stored.clone();
    let at = Inserter::before(returned.operation());
    for access in &found.bases {
        names.insert(ValueKey::of(&build::single(access.operation)), stored[access.of_first]);
    }
    let mut boxes = found.parts.iter().map(|part| part.bounds.clone()).collect::<Vec<_>>();
    boxes.dedup();
    for bounds in boxes {
        let parts = found.parts.iter().filter(|part| part.bounds == bounds).collect::<Vec<_>>();
        let branch = branch(at, found, &parts, &values, &names);
        for (number, part) in parts.iter().enumerate() {
            values[part.of_first] = build::result(branch, number);
        }
    }
    replace_return(returned.operation(), &values);
    if let Some(name) = stage(second.operation()) {
        decisions::include(first.operation(), format!("'{name}' at some of its points"));
    }
    erase(found);
}

/// The values of some results: those of the second apply at the points of their box.
fn branch<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    found: &Overwrite<'c, 'a>,
    parts: &[&Part<'c, 'a>],
    values: &[Value<'c, 'a>],
    names: &Names<'c, 'a>,
) -> OperationRef<'c, 'a> {
    let (second, bounds) = (found.second, &parts[0].bounds);
    let is_general = RunTimeExtents::around(second.operation()).is_some();
    let condition = condition(at, bounds, is_general);
    let kept = parts.iter().map(|part| values[part.of_first]).collect::<Vec<_>>();
    let results = kept.iter().map(ValueLike::r#type).collect::<Vec<_>>();
    let region = || build::region_with_block(&[], at.location());
    let branch = scf::r#if(at, &results, condition, region(), region()).operation();
    let [own, other] =
        [0, 1].map(|side| Inserter::at_end(build::block_of(branch, side), at.location()));
    let returned = second.terminator().values();
    let wanted = parts.iter().map(|part| returned[part.of_second]).collect::<Vec<_>>();
    let (shift, mut names) = (Shift::within(vec![0; bounds.rank()]), names.clone());
    for operation in point_code::computing(second.body(), &wanted) {
        if !found.bases.iter().any(|access| access.operation == operation) {
            point_copy::copy(operation, own, &mut names, &shift);
        }
    }
    let computed = wanted.iter().map(|value| names[&ValueKey::of(value)]).collect::<Vec<_>>();
    scf::r#yield(own, &computed);
    scf::r#yield(other, &kept);
    branch
}

/// Makes the operands of the second apply operands of the first.
fn operands<'c: 'a, 'a>(found: &Overwrite<'c, 'a>) -> Names<'c, 'a> {
    let mut names = Names::new();
    for (position, operand) in found.second.arguments().into_iter().enumerate() {
        let inner = build::argument(found.second.body(), position);
        if found.bases.iter().any(|base| base.argument == inner) {
            continue;
        }
        let operand = moved(found, operand);
        names.insert(ValueKey::of(&inner), place::argument(found.first, operand));
    }
    names
}

/// An operand as it is before the first apply.
fn moved<'c: 'a, 'a>(found: &Overwrite<'c, 'a>, operand: Value<'c, 'a>) -> Value<'c, 'a> {
    let first = found.first.operation();
    let Some(load) = walk::definition(operand) else { return operand };
    if load.block() != first.block() || load.is_before_in_block(first) {
        return operand;
    }
    let field = load.operand(0).expect("a load has an operand");
    Inserter::before(first).value(stencil::LOAD, &[field], &[], operand.r#type())
}

/// Whether a point is one of a box.
fn condition<'c: 'a, 'a>(at: Inserter<'c, 'a>, bounds: &Bounds, is_general: bool) -> Value<'c, 'a> {
    let tests = (0..bounds.rank()).flat_map(|d| {
        let compared = |how, with| place::compared(at, how, (d, bounds.rank()), with, is_general);
        let (lower, upper) = (bounds.lower[d], bounds.upper[d]);
        match upper - lower {
            1 => vec![compared(Compare::Equal, lower)],
            _ => vec![compared(Compare::GreaterEqual, lower), compared(Compare::Less, upper)],
        }
    });
    let all = tests.reduce(|one, two| arith::andi(at, one, two));
    all.expect("a box has dimensions")
}

fn erase(found: &Overwrite) {
    for part in &found.parts {
        build::erase(part.store);
    }
    let operands = found.second.arguments();
    build::erase(found.second.operation());
    place::erase_unused_loads(operands);
}
