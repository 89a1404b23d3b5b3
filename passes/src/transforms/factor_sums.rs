//! `stencil-factor-sums`: distribute weights or extract common factors where that saves operations.
//!
//! Before: sums, differences, negations and products with the flag `reassoc`, of f64 or f32; inner
//!         operations of such an expression have one use.
//! After:  the same sum in the cheapest form found, or unchanged.
//!
//! Why: operations are counted as they are after contraction. A term with a weight is one fused
//! multiply-add, so n weighted terms are n operations in every form; but a weight of the whole sum,
//! as it comes from a division by a constant, is one more, and none if the weights of the terms
//! absorb it. Where a term has no weight it could absorb one only for an operation of its own, so
//! c (a + b + ...) stays. Other forms that save: c x + d x is (c + d) x; c f a + d f b is
//! f (c a + d b); and where `contract` is missing, c a - c b is c (a - b).
//! New weights are computed here, in the type, and rounded once each. New operations have the flags
//! that all operations of the expression had.
//! Order: a term without a weight comes first, the others follow in the order in which they first
//! occur, added one by one; the chain is no longer than before, and stays in the order in which
//! values arrive. A form that saves nothing is not rewritten, so the pass is idempotent.
//! Not part of the pipeline of `stencilc`: a factor of many terms extends live ranges until all of
//! them have arrived, which costs bodies with high register pressure more than the operations save
//! (numbers in lowering/docs/thread-mapping.md).
//! Requires nothing. Declines, with a remark: weights that would not be normal numbers; f16 and
//! bf16, where a weight's rounding is too coarse.
//! Does not keep the sign of a sum that is zero. Does not share sums between points, and does not
//! find values that another expression computes too.

use crate::{
    arithmetic::{
        expression,
        linear::{Node, Sums},
    },
    framework::{Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic},
};
use melior::ir::OperationRef;

/// The table entry.
pub const FACTOR_SUMS: PassInfo = PassInfo {
    argument: "stencil-factor-sums",
    summary: "distribute weights or extract common factors where that saves operations",
    source: include_str!("factor_sums.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[REWRITTEN, SAVED, DECLINED],
    dialects: &["arith"],
    run: factor_sums,
};

const REWRITTEN: Statistic = statistic("num-rewritten", "expressions that were rewritten");
const SAVED: Statistic = statistic("num-saved", "operations saved per point");
const DECLINED: Statistic = statistic("num-declined", "expressions whose weights are not normal");

fn factor_sums(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    expression::for_each(
        function,
        |_| true,
        (DECLINED, cx),
        |expression, precision, cx| {
            let sums = Sums::new(precision, expression.flags().permit("contract"));
            let written = expression.instructions();
            let terms = sums.cheapest(expression.term().clone());
            let cheapest = sums.instructions(&Node::Sum(terms.clone()));
            if cheapest < written {
                expression.rewrite(&sums, &terms);
                cx.count(REWRITTEN, 1);
                cx.count(SAVED, (written - cheapest) as u64);
            } else if sums.lost_weights() {
                cx.decline(&expression.root(), "a weight would not be a normal number");
                cx.count(DECLINED, 1);
            }
            Vec::new()
        },
    );
    Ok(())
}
