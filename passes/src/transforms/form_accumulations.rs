//! `stencil-form-accumulations`: make each sum one chain of accumulations in a canonical order.
//!
//! Before: in an apply, sums, differences, negations and products with the flag `reassoc`, of f64
//!         or f32, in any order and nesting; inner operations of such an expression have one use.
//! After:  each sum, with the sums that are terms of it, is one chain, `acc = acc + t`, where a
//!         term with a product is one multiply-add. Terms come plane by plane, the plane of a term
//!         being the largest offset along dimension 0 that it reads; in one plane by what they
//!         read, arguments first, then offsets, then by how they compute, then by weight. Equal
//!         terms are added. A term without a weight starts the chain, if the first plane has one.
//!         Cells that only sums read are read right before the sum, in the order of its terms.
//!
//! Why: such a chain is the accumulation node of the scheduling of expression trees. Equal sums are
//! computed alike however they are written, so that register demand does not depend on that.
//! A sum whose order by planes would need an operation more starts with a term without a weight,
//! whatever its plane. Idempotent.
//! New operations have the flags that all operations of the expression had.
//! Requires nothing; after `stencil-distribute-products` no sum is left in a product. Declines,
//! with a remark: sums of 16 bits, whose weights cannot be computed; sums that do not begin with
//! their first plane.
//! Does not keep the sign of a sum that is zero. Does not multiply anything out, does not move an
//! operation from one block to another, and does not order sums among each other.
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
    summary: "make each sum one chain of accumulations in a canonical order",
    source: include_str!("form_accumulations.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[FORMED, SAVED, DECLINED],
    dialects: &["arith"],
    run: form_accumulations,
};

const FORMED: Statistic = statistic("num-formed", "sums that became a chain of another form");
const SAVED: Statistic = statistic("num-saved", "operations saved per point");
const DECLINED: Statistic = statistic("num-declined", "sums that could not be ordered");

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
