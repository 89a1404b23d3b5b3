//! `stencil-form-accumulations`: make each sum one chain of accumulations, in an order that the
//! text has no say in.
//!
//! Before: in an apply, sums, differences, negations and products with the flag `reassoc`, of f64
//!         or f32, in any order and nesting; what is between the leaves and the root of such an
//!         expression has one use.
//! After:  each sum, with the sums that are terms of it, is one chain, `acc = acc + t`, where a
//!         term with a product is one multiply-add. Terms come plane by plane, the plane of a term
//!         being the largest offset along dimension 0 that it reads; in one plane by what they
//!         read, arguments first, then offsets, then by how they compute, then by weight. Equal
//!         terms are added. One that is added as it is begins the chain, if the first plane has it.
//!         Cells that only sums read are read right before the sum, in the order of its terms.
//!
//! Why: such a chain is the accumulation node that the order of expression trees is found for.
//! One program computes one sum in one way, however it is written: what registers a kernel needs
//! must not depend on that.
//! A sum whose order by planes would need an operation more begins with a term that is added as it
//! is, whatever its plane. The pass does nothing to its own output.
//! An operation that is made has the flags that all operations of the expression had.
//! Requires nothing; behind `stencil-distribute-products` no sum is left in a product. Declines,
//! with a remark: sums of 16 bits, whose weights cannot be computed; sums that do not begin with
//! their first plane.
//! Does not keep the sign of a sum that is zero. Does not multiply anything out, does not move an
//! operation from one block to another, and puts no sums in order among each other.
//! Method: accumulation nodes of [Rawat et al., Register Optimizations for Stencils on GPUs, PPoPP
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
pub const FORM_ACCUMULATIONS: PassInfo = PassInfo {
    argument: "stencil-form-accumulations",
    summary: "make each sum one chain of accumulations, in an order of its own",
    source: include_str!("form_accumulations.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[FORMED, SAVED, DECLINED],
    dialects: &["arith"],
    run: form_accumulations,
};

const FORMED: Statistic = statistic("num-formed", "sums that became a chain of another form");
const SAVED: Statistic = statistic("num-saved", "operations per point that this saved");
const DECLINED: Statistic = statistic("num-declined", "sums that could not be put in order");

fn form_accumulations(
    function: OperationRef,
    _: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    let by_planes = Way {
        shares_weights: false,
        distribution: Distribution::Nothing,
        sequence: Sequence::Planes,
        declined: None,
    };
    let rewriting = Rewriting {
        ways: &[by_planes, by_planes.plain_first()],
        refused: Some(sum_rewriting::NO_ORDER),
        rewritten: FORMED,
        saved: SAVED,
        declined: DECLINED,
    };
    sum_rewriting::rewrite(function, &rewriting, cx);
    Ok(())
}
