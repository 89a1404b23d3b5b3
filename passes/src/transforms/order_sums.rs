//! `stencil-order-sums`: add the terms of a sum in the order in which their planes arrive.
//!
//! Before: in an apply, sums, differences, negations and products with the flag `reassoc`, of f64
//!         or f32, in any order and nesting; inner operations of such an expression have one use.
//! After:  one chain, `((t1 + t2) + t3) + ...`. The plane of a term is the largest offset along
//!         dimension 0 that it reads; terms that read no cell come first, then plane by plane.
//!         Terms of one plane are sorted by what they read (arguments, then offsets), then by
//!         operation, then by weight; but one without a weight starts the chain, if the first plane
//!         has one. Cells that only sums read are read right before their sum.
//!
//! Why: a sweep (a kernel that streams planes along dimension 0) can add the terms of a plane when
//! it arrives, and keep one partial sum per output plane; a sum in another order would need all its
//! planes. This is independent of the plan, so that all mappings add in the same order, and no
//! later pass changes a value. The order does not depend on how sums are written, so that the
//! register demand of a kernel does not either.
//! Weights are distributed so that the chain can be cut between planes: a constant times a sum of
//! terms from several planes is multiplied out, and so is a value that depends on no cell (a
//! scalar, an entry of a table); a constant times terms of one plane stays in front of their sum,
//! unless each of them has a weight to absorb it. Weights are multiplied and added here, in the
//! type, rounded once each; a value times a constant that only this sum uses, several times,
//! becomes terms with weights and is combined. A term that is subtracted is added with a negated
//! weight, or stays a subtraction.
//! No form is taken that needs more operations than the original or another order, products with
//! `contract` counted as one with their sum: forms with weights multiplied out are tried first,
//! then those without; where the order of planes would cost an operation the chain starts with a
//! term without a weight, whatever its plane.
//! New operations have the flags that all operations of the expression had. Idempotent.
//! Requires nothing; after `stencil-fold-divisions` divisions by constants are weights. Declines,
//! with a remark: sums of 16 bits, where a weight's rounding is too coarse; sums that do not begin
//! with their first plane.
//! Does not keep the sign of a sum that is zero. Does not multiply out what is read from a cell,
//! and does not move an operation from one block to another.

use crate::{
    arithmetic::{
        sum_form::{Distribution, Sequence},
        sum_rewriting::{self, Rewriting, Way},
    },
    framework::{Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic},
};
use melior::ir::OperationRef;

/// The table entry.
pub const ORDER_SUMS: PassInfo = PassInfo {
    argument: "stencil-order-sums",
    summary: "add the terms of a sum in the order in which their planes arrive",
    source: include_str!("order_sums.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[ORDERED, SAVED, DECLINED],
    dialects: &["arith"],
    run: order_sums,
};

const ORDERED: Statistic = statistic("num-ordered", "sums that were rewritten");
const SAVED: Statistic = statistic("num-saved", "operations saved per point");
const DECLINED: Statistic = statistic("num-declined", "sums that could not be ordered");

/// A form in plane order with some distribution.
const fn in_order(shares_weights: bool, distribution: Distribution) -> Way {
    Way { shares_weights, distribution, sequence: Sequence::Planes, declined: None }
}

fn order_sums(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    let rewriting = Rewriting {
        ways: &[
            in_order(true, Distribution::AcrossPlanes),
            in_order(false, Distribution::AcrossPlanes),
            in_order(false, Distribution::Savings),
            in_order(true, Distribution::AcrossPlanes).plain_first(),
            in_order(false, Distribution::AcrossPlanes).plain_first(),
            in_order(false, Distribution::Savings).plain_first(),
            in_order(false, Distribution::Nothing).plain_first(),
        ],
        refused: Some(sum_rewriting::NO_ORDER),
        rewritten: ORDERED,
        saved: SAVED,
        declined: DECLINED,
    };
    sum_rewriting::rewrite(function, &rewriting, cx);
    Ok(())
}
