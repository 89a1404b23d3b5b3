//! `stencil-order-sums`: add the terms of a sum in the order in which their planes arrive.
//!
//! Before: in an apply, sums, differences, negations and products with the flag `reassoc`, of f64
//!         or f32, in any order and nesting; what is between the leaves and the root of such an
//!         expression has one use.
//! After:  one chain, `((t1 + t2) + t3) + ...`. The plane of a term is the largest offset along
//!         dimension 0 that it reads; terms that read no cell come first, then plane by plane.
//!         Terms of one plane keep the order of the text, but for one without a weight that the
//!         chain begins with.
//!
//! Why: a sweep along dimension 0 can add what it has when a plane arrives, and keep one partial
//! sum for each plane that is missing; a sum in another order would have to wait for its planes.
//! This is done whatever the plan: so all ways to compute a point add in the same order, and no
//! later pass changes a value.
//! Weights go to where the chain can be cut: a constant times a sum of terms from several planes
//! is multiplied out, and so is a number that no cell belongs to (a scalar, an entry of a table); a
//! constant times terms of one plane stays in front of their sum, unless each of them has a weight
//! to absorb it. Weights are multiplied and added here, in the type, rounded once each; a value
//! times a constant that only this sum uses, several times, becomes terms with weights and is
//! combined. A term that is subtracted is added with a negated weight, or stays a subtraction.
//! No form is taken that needs more operations than the text has, products with `contract` counted
//! as one with their sum: first weights are multiplied out, then they stay where they are, and
//! where even the order alone would cost operations the sum stays.
//! An operation that is made has the flags that all operations of the expression had. The pass does
//! nothing to its own output.
//! Requires nothing; behind `stencil-fold-divisions` divisions by constants are weights. Declines,
//! with a remark: sums of 16 bits, where a weight's rounding is too coarse; sums that would cost
//! more.
//! Does not keep the sign of a sum that is zero. Does not multiply out what is read from a cell,
//! and does not move an operation from one block to another.

use crate::{
    analysis::arrival::Arrivals,
    arithmetic::{
        expression::{self, Expression},
        linear::{Node, Precision, Sums, Term},
        plane_order::{self, PlaneOrder},
    },
    framework::{Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic},
};
use melior::ir::OperationRef;
use std::collections::HashSet;
use stencil_dialects::{build, ops::ApplyOp, walk};

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

fn order_sums(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    // The list is made first: operations in it are replaced.
    let mut applies = walk::nested(function);
    applies.retain(|operation| ApplyOp::of(*operation).is_some());
    for apply in applies {
        order_in(apply, cx);
    }
    Ok(())
}

/// The sums of one apply.
fn order_in(apply: OperationRef, cx: &mut PassContext) {
    let mut seen = HashSet::new();
    // The last operation of an expression is its root.
    let roots = walk::nested(apply).into_iter().rev().collect::<Vec<_>>();
    for root in roots {
        if seen.contains(&(root.to_raw().ptr as usize)) || !expression::is_part(root) {
            continue;
        }
        let plain = Expression::of(root);
        let visited = |expression: &Expression| {
            expression
                .operations()
                .iter()
                .map(|part| part.to_raw().ptr as usize)
                .collect::<Vec<_>>()
        };
        seen.extend(visited(&plain));
        if plain.operations().len() < 2 || !is_sum(&plain.term().node) {
            continue;
        }
        let Some(precision) = expression::precision(build::single(root)) else {
            cx.decline(&root, "weights of 16 bits would lose too many digits");
            cx.count(DECLINED, 1);
            continue;
        };
        let shared = Expression::with_shared_weights(root);
        let forms = [(&shared, true), (&plain, true), (&plain, false)];
        let form = forms
            .into_iter()
            .find_map(|(expression, distributes)| Form::of(expression, precision, distributes));
        let Some(form) = form else {
            cx.decline(&root, "the order of its planes would cost operations");
            cx.count(DECLINED, 1);
            continue;
        };
        seen.extend(visited(form.expression));
        if plane_order::chain(&form.terms) != *form.expression.term() {
            form.expression.rewrite(&form.sums, &form.terms);
            cx.count(ORDERED, 1);
            cx.count(SAVED, form.saved as u64);
        }
    }
}

fn is_sum(node: &Node) -> bool {
    match node {
        Node::Leaf(_) => false,
        Node::Product(left, right) => is_sum(left) || is_sum(right),
        Node::Sum(_) => true,
    }
}

/// A form in the order of planes that costs no more than the text.
struct Form<'c, 'a, 'e> {
    expression: &'e Expression<'c, 'a>,
    sums: Sums,
    terms: Vec<Term>,
    saved: usize,
}

impl<'c: 'a, 'a, 'e> Form<'c, 'a, 'e> {
    fn of(
        expression: &'e Expression<'c, 'a>,
        precision: Precision,
        distributes: bool,
    ) -> Option<Self> {
        let mut arrivals = Arrivals::default();
        let planes = expression.leaves().iter().map(|leaf| arrivals.plane(*leaf));
        let planes = planes.collect::<Vec<_>>();
        let sums = Sums::new(precision, expression.flags().permit("contract")).in_order();
        let order = PlaneOrder { sums: &sums, planes: &planes, distributes };
        let terms = order.terms(expression.term().clone());
        let needed = sums.instructions(&Node::Sum(terms.clone()));
        let saved = expression.instructions().checked_sub(needed)?;
        Some(Self { expression, sums, terms, saved })
    }
}
