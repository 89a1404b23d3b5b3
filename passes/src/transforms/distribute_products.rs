//! `stencil-distribute-products`: multiply a weight or a value into a sum, so that each term is one
//! multiply-add.
//!
//! Before: in an apply, sums, differences, negations and products with the flag `reassoc`, of f64
//!         or f32; inner operations of such an expression have one use.
//! After:  `w * (a + b)` is `w * a + w * b`, whether w is a constant, a number from outside or a
//!         cell; sums that are terms of a sum are flattened, and equal terms are added. Terms are
//!         in program order, except that one without a product comes first.
//!
//! Why: a product with a sum depends on the whole sum, and keeps its operands in registers until
//! then. Terms with weights of their own are added to an accumulator one by one as their operands
//! arrive, at one fused multiply-add each.
//! Weights are multiplied and added here, in the type, rounded once each; a value times a constant
//! that only this sum uses, several times, becomes terms with weights.
//! A product is multiplied out if the sum then needs no more operations, products with `contract`
//! counted as one with their sum. A sum without anything to multiply out is unchanged, so the pass
//! is idempotent.
//! New operations have the flags that all operations of the expression had.
//! Requires nothing; after `stencil-fold-divisions` divisions by constants are weights. Declines,
//! with a remark: sums of 16 bits, where a weight's rounding is too coarse.
//! Does not keep the sign of a sum that is zero. Does not multiply two sums with each other, and
//! does not order terms (`stencil-form-accumulations` does).
//! Method: the preparation of [Rawat et al., Register Optimizations for Stencils on GPUs, PPoPP
//! 2018].

use crate::{
    arithmetic::{
        sum_form::{Distribution, Sequence},
        sum_rewriting::{self, Rewriting, Way},
    },
    framework::{Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic},
};
use melior::ir::OperationRef;

/// The table entry.
pub const DISTRIBUTE_PRODUCTS: PassInfo = PassInfo {
    argument: "stencil-distribute-products",
    summary: "multiply weights and values into sums, so that each term is one multiply-add",
    source: include_str!("distribute_products.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[DISTRIBUTED, SAVED, DECLINED],
    dialects: &["arith"],
    run: distribute_products,
};

const DISTRIBUTED: Statistic = statistic("num-distributed", "sums with products multiplied out");
const SAVED: Statistic = statistic("num-saved", "operations saved per point");
const DECLINED: Statistic = statistic("num-declined", "sums of 16 bits");

/// Distributes everything, in program order.
const fn everything(shares_weights: bool) -> Way {
    let (distribution, sequence) = (Distribution::Everything, Sequence::Text);
    Way { shares_weights, distribution, sequence, declined: None }
}

fn distribute_products(
    function: OperationRef,
    _: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    let rewriting = Rewriting {
        ways: &[everything(true), everything(false)],
        refused: None,
        rewritten: DISTRIBUTED,
        saved: SAVED,
        declined: DECLINED,
    };
    sum_rewriting::rewrite(function, &rewriting, cx);
    Ok(())
}
