//! `stencil-distribute-products`: multiply a weight or a value into a sum, so that each term is one
//! multiply-add.
//!
//! Before: in an apply, sums, differences, negations and products with the flag `reassoc`, of f64
//!         or f32; what is between the leaves and the root of such an expression has one use.
//! After:  `w * (a + b)` is `w * a + w * b`, whether w is a constant, a number from outside or a
//!         cell; sums that are terms of a sum are dissolved in it, and equal terms are added. Terms
//!         stand in the order of the text, but for one without a product, which begins.
//!
//! Why: a product with a sum has to wait for the whole sum, and keeps its operands in registers
//! until then. Its terms, once they have weights of their own, can be added to an accumulator one
//! by one as their operands arrive, and each is one fused multiply-add: nothing is lost.
//! Weights are multiplied and added here, in the type, rounded once each; a value times a constant
//! that only this sum uses, several times, becomes terms with weights.
//! A product is multiplied out if the sum then needs no more operations, products with `contract`
//! counted as one with their sum. A sum in which there is nothing to multiply out is not touched,
//! so the pass does nothing to its own output.
//! An operation that is made has the flags that all operations of the expression had.
//! Requires nothing; behind `stencil-fold-divisions` divisions by constants are weights. Declines,
//! with a remark: sums of 16 bits, where a weight's rounding is too coarse.
//! Does not keep the sign of a sum that is zero. Does not multiply two sums with each other, and
//! does not put terms in order: that is what `stencil-form-accumulations` does.
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
const SAVED: Statistic = statistic("num-saved", "operations per point that this saved");
const DECLINED: Statistic = statistic("num-declined", "sums of 16 bits");

/// Everything, in the order of the text.
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
