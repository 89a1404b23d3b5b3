//! `stencil-share-sums`: rewrite sums of cells so that neighbouring outputs share subexpressions.
//!
//! Before: in an apply, sums, differences, negations and products with the flag `reassoc`, of f64
//!         or f32; inner operations of such an expression have one use.
//! After:  the same sum, its terms still in the order in which their planes arrive; the
//!         contribution of a plane is written in subexpressions that other outputs need of the same
//!         plane: sums of cells with equal weights (classes), one weighted sum for symmetric
//!         planes, rows of rank one plus a few cells (low rank and sparse).
//!
//! Why: a single point gains nothing and may compute more. But consecutive points of a thread along
//! dimension 0, or a sweep along it, apply several rows of weights to each plane, and equal
//! operations are merged (`cse`): a 5 x 5 x 5 box with the symmetries of a cube needs 37 instead of
//! 125 operations per point.
//! A form is taken if four such points together need fewer instructions, with products fused into
//! sums, and one more instruction for each value live with a plane beyond the first eight. The
//! exchange between threads is the same in all forms: subexpressions belong to one plane, and no
//! additional cell is read.
//! Weights are divided and multiplied here, in the type, rounded once each; quotients of weights
//! are equal if they agree to eight units in the last place.
//! Requires `stencil-order-sums`, whose order it keeps. Declines, with a remark: sums of 16 bits,
//! and sums of so many planes and cells that comparing all would take long.
//! Idempotent. Does not keep the sign of a sum that is zero. Does not share between positions in a
//! plane, and does not rewrite sums with several uses.
//! Method: common subexpressions of constant linear maps; hand-written forms of boxes are those of
//! [Rawat et al., Register Optimizations for Stencils on GPUs, PPoPP 2018] and of separable
//! filters.

use crate::{
    analysis::arrival::Arrivals,
    arithmetic::{
        common_blocks::CANDIDATES_MAX,
        expression,
        linear::{Node, Sums},
        shared_sums::{Bounded, Cell, SIZE_MAX, SharedSums},
    },
    framework::{Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic},
};
use melior::ir::{OperationRef, Value};
use std::{cell, collections::HashMap};
use stencil_dialects::{
    ops::{AccessOp, ApplyOp},
    walk::{self, ValueKey},
};

/// The table entry.
pub const SHARE_SUMS: PassInfo = PassInfo {
    argument: "stencil-share-sums",
    summary: "rewrite sums of cells so that neighbouring outputs share subexpressions",
    source: include_str!("share_sums.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[REWRITTEN, SAVED, DECLINED, LARGE],
    dialects: &["arith"],
    run: share_sums,
};

const REWRITTEN: Statistic = statistic("num-rewritten", "sums that were rewritten");
const SAVED: Statistic = statistic("num-saved", "operations saved for four neighbours");
const DECLINED: Statistic = statistic("num-declined", "sums of 16 bits");
const LARGE: Statistic = statistic("num-large", "sums with too many planes and cells to search");

/// Assumed consecutive outputs of a thread.
const OUTPUTS: usize = 4;

fn share_sums(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    // The list is collected first: its operations are replaced.
    let mut applies = walk::nested(function);
    applies.retain(|operation| ApplyOp::of(*operation).is_some());
    for apply in applies {
        share_in(apply, cx);
    }
    Ok(())
}

/// The sums of one apply.
fn share_in(apply: OperationRef, cx: &mut PassContext) {
    let is_made = |node: &Node| !matches!(node, Node::Leaf(_));
    expression::for_each(apply, is_made, (DECLINED, cx), |expression, precision, cx| {
        let sums = Sums::new(precision, expression.flags().permit("contract")).in_order();
        let mut arrivals = Arrivals::default();
        let planes = expression.leaves().iter().map(|leaf| arrivals.plane(*leaf));
        let planes = planes.collect::<Vec<_>>();
        let cells = cells(expression.leaves());
        let shared = SharedSums {
            sums: &sums,
            cells: &cells,
            planes: &planes,
            outputs: OUTPUTS,
            bounded: cell::Cell::default(),
        };
        let better = shared.better(expression.term());
        tell_bounds(apply, shared.bounded.get(), cx);
        if let Some((form, saved)) = better {
            expression.rewrite(&sums, &form);
            cx.count(REWRITTEN, 1);
            cx.count(SAVED, saved as u64);
        }
        Vec::new()
    });
}

/// Remarks on what was left out for the sake of time.
fn tell_bounds(apply: OperationRef, bounded: Bounded, cx: &mut PassContext) {
    if bounded.is_large {
        let what = format!(
            "a sum is kept as it is: planes times cells of a plane times their sum is more than \
             {SIZE_MAX}"
        );
        cx.decline(&apply, &what);
        cx.count(LARGE, 1);
    }
    if bounded.are_rows_left {
        let what = format!(
            "planes of a sum were written in terms of the first {CANDIDATES_MAX} planes and \
             differences of planes only"
        );
        cx.decline(&apply, &what);
    }
}

/// The cells that leaves read, where all dimensions take part.
fn cells(leaves: &[Value]) -> Vec<Option<Cell>> {
    let mut fields = HashMap::new();
    let cell = |leaf: &Value| {
        let access = AccessOp::of(walk::definition(*leaf)?)?;
        let is_whole = access.mapping().iter().enumerate().all(|(at, along)| at == *along);
        let next = fields.len();
        let field = *fields.entry(ValueKey::of(&access.source())).or_insert(next);
        is_whole.then(|| Cell { field, offset: access.offset() })
    };
    leaves.iter().map(cell).collect()
}
