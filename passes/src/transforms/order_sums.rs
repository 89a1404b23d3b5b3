//! `stencil-order-sums`: add the terms of a sum in the order in which their planes arrive.
//!
//! Before: in an apply, sums, differences, negations and products with the flag `reassoc`, of f64
//!         or f32, in any order and nesting; what is between the leaves and the root of such an
//!         expression has one use.
//! After:  one chain, `((t1 + t2) + t3) + ...`. The plane of a term is the largest offset along
//!         dimension 0 that it reads; terms that read no cell come first, then plane by plane.
//!         Terms of one plane are sorted by what they read, arguments first, then offsets, then by
//!         how they compute, then by weight; but one without a weight begins the chain, if the
//!         first plane has it. Cells that only sums read are read right before their sum.
//!
//! Why: a sweep along dimension 0 can add what it has when a plane arrives, and keep one partial
//! sum for each plane that is missing; a sum in another order would have to wait for its planes.
//! This is done whatever the plan: so all ways to compute a point add in the same order, and no
//! later pass changes a value. The order of the text has no say in it: what registers a kernel
//! needs must not depend on how its sums are written.
//! Weights go to where the chain can be cut: a constant times a sum of terms from several planes
//! is multiplied out, and so is a number that no cell belongs to (a scalar, an entry of a table); a
//! constant times terms of one plane stays in front of their sum, unless each of them has a weight
//! to absorb it. Weights are multiplied and added here, in the type, rounded once each; a value
//! times a constant that only this sum uses, several times, becomes terms with weights and is
//! combined. A term that is subtracted is added with a negated weight, or stays a subtraction.
//! No form is taken that needs more operations than the text has or would have in another order,
//! products with `contract` counted as one with their sum: first weights are multiplied out, then
//! they stay where they are; where the order of planes would cost an operation the chain begins
//! with a term without a weight, whatever its plane.
//! An operation that is made has the flags that all operations of the expression had. The pass does
//! nothing to its own output.
//! Requires nothing; behind `stencil-fold-divisions` divisions by constants are weights. Declines,
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

const ORDERED: Statistic = statistic("num-ordered", "sums that got another form");
const SAVED: Statistic = statistic("num-saved", "operations per point that this saved");
const DECLINED: Statistic = statistic("num-declined", "sums that could not be put in order");

/// The order of planes; what is multiplied out differs.
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
