//! `stencil-share-products`: factor sums of products, and share subexpressions between neighbouring
//! outputs.
//!
//! Before: in an apply, sums, differences, negations and products with the flag `reassoc`, of f64
//!         or f32, among them a product of two values that both depend on cells.
//! After:  the same values from fewer operations. Common factors of terms are extracted; factors or
//!         terms that occur together in several places, at any offset from the point, become values
//!         of their own; a common weight of terms of a sum is extracted. All values of an apply are
//!         rewritten together.
//!
//! Why: where coefficients are cells, common subexpressions of neighbours are hidden by the order
//! of multiplication: mu m1 m1 D u and mu m3 m1 D v share mu m1 within a point, and along a row of
//! points the sum over one cell is needed by every output that reads it. So expressions are
//! canonicalized: factors and terms are sorted in a translation-invariant order, a sum starts with
//! a positive weight, and a rewrite is applied to all equal expressions. `cse` finds the rest.
//! A form is taken if four points in a row along dimension 0, four along dimension 1 and single
//! points need fewer instructions together and a single point needs no more, counted after `cse`
//! and after products were fused with sums; if it saves nothing for a single point, it has to save
//! a 16th of the rows: shared values are live from one neighbour to the next, and hypterm, which
//! would save a 30th, spilled.
//! Terms are added plane by plane as in `stencil-order-sums`, those of one plane in the order of
//! their fields. A common factor of several planes is taken out where that saves: its sum then
//! waits for the last of them.
//! Constants are only moved, except that two constants of a product are multiplied, rounded in the
//! type. After `stencil-order-sums` and `stencil-share-sums`, as those rewrite each sum separately.
//! New operations have the flags of those that they replace; operations with other flags are opaque
//! values. The search is greedy: a second run seldom improves the result, and then by less.
//! Declines, with a remark: operations of 16 bits, where a weight's rounding is too coarse; weights
//! that would not be normal numbers.
//! Does not multiply out values of cells, and so keeps differences. Does not rewrite sums that are
//! linear in the cells (`stencil-share-sums` does). Does not keep the sign of a sum that is zero.
//! Does not rewrite nested regions, and does not share along the last of three dimensions, where
//! neighbours are other threads.
//! Method: `common_parts` in the folder of arithmetic.

use crate::{
    arithmetic::{
        common_parts::{self, Needs, OUTPUTS, Search},
        expression,
        flags::Flags,
        point_code::{Group, PointCode},
        point_count,
    },
    framework::{Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic},
};
use melior::ir::OperationRef;
use stencil_dialects::{ops::ApplyOp, walk};

/// The table entry.
pub const SHARE_PRODUCTS: PassInfo = PassInfo {
    argument: "stencil-share-products",
    summary: "factor sums of products, and share subexpressions between neighbouring outputs",
    source: include_str!("share_products.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[REWRITTEN, SAVED, SAVED_ROWS, DECLINED, TRIALS, VISITS],
    dialects: &["arith"],
    run: share_products,
};

const REWRITTEN: Statistic = statistic("num-rewritten", "applies that were rewritten");
const SAVED: Statistic = statistic("num-saved", "operations saved per point");
const SAVED_ROWS: Statistic =
    statistic("num-saved-rows", "operations saved for two rows of four points");
const DECLINED: Statistic = statistic("num-declined", "applies left as they were");

const TRIALS: Statistic = statistic("num-trials", "steps that were tried");
const VISITS: Statistic = statistic("num-visits", "values visited to count instructions");

/// The fraction of a row's instructions that a form must save if it saves none of a single point.
const LEAST_PART: usize = 16;

fn share_products(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    // The list is collected first: its operations are replaced.
    let applies = walk::nested(function).into_iter().filter_map(ApplyOp::of).collect::<Vec<_>>();
    for apply in applies {
        share_in(apply, cx);
    }
    Ok(())
}

/// Every group of operations of an apply that may be rewritten together.
fn share_in(apply: ApplyOp, cx: &mut PassContext) {
    let mut groups: Vec<Group> = Vec::new();
    let mut declined: Vec<Flags> = Vec::new();
    for operation in walk::operations(apply.body()) {
        if !expression::is_part(operation) {
            continue;
        }
        match Group::of(operation) {
            Some(group) if !groups.contains(&group) => groups.push(group),
            None if !declined.contains(&Flags::of(operation)) => {
                declined.push(Flags::of(operation));
                cx.decline(&operation, "weights of 16 bits are too coarse");
                cx.count(DECLINED, 1);
            }
            _ => {}
        }
    }
    for group in groups {
        if let Some(saved) = improve(apply, group, cx) {
            cx.count(REWRITTEN, 1);
            cx.count(SAVED, saved.point as u64);
            cx.count(SAVED_ROWS, saved.rows as u64);
        }
    }
}

/// Rewrites one group, if that saves instructions, with a remark.
fn improve(apply: ApplyOp, group: Group, cx: &mut PassContext) -> Option<Needs> {
    let mut code = PointCode::of(apply, group);
    let last = code.last()?;
    let Some(roots) = code.roots() else {
        cx.decline(&last, "a weight would not be a normal number");
        cx.count(DECLINED, 1);
        return None;
    };
    let mut search = Search::new(&mut code.shapes);
    if !search.has_products(&roots) {
        return None;
    }
    let better = search.better(roots);
    let then = search.needs(&better);
    cx.count(TRIALS, search.effort().trials);
    cx.count(VISITS, search.effort().visits);
    let now = written(&code);
    let saved = now.rows.saturating_sub(then.rows);
    let is_enough = then.point < now.point || LEAST_PART * saved >= now.rows;
    (then.is_less(now) && is_enough).then(|| {
        code.rewrite(&better);
        let Needs { point, rows } = now;
        let what = format!(
            "{point} instructions per point, {rows} per two rows, became {} and {}",
            then.point, then.rows
        );
        cx.passed(&apply.operation(), &what);
        now.less(then)
    })
}

/// The instruction counts of the original operations.
fn written(code: &PointCode) -> Needs {
    let count = |dimension, outputs| {
        point_count::instructions(code, &common_parts::row(dimension, outputs))
    };
    Needs { point: count(0, 1), rows: count(0, OUTPUTS) + count(1, OUTPUTS) }
}
