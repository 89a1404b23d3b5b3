//! Rewriting of the sums of a function, shared by several passes.

use super::{
    expression::{self, Expression},
    linear::{Node, Precision, Sums, Term},
    sum_form::{Distribution, Sequence, SumForm},
    term_order::TermOrder,
};
use crate::{
    analysis::{arrival::Arrivals, value_order::ValueOrder},
    framework::{PassContext, Statistic},
};
use melior::ir::{OperationRef, operation::OperationLike};
use std::collections::{HashMap, HashSet};
use stencil_dialects::{
    build,
    ods::arith,
    ops::{AccessOp, ApplyOp},
    walk,
};

/// A candidate form.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// Whether weighted values with several uses in the sum are part of it.
    pub shares_weights: bool,
    /// What is multiplied out.
    pub distribution: Distribution,
    /// The order of terms.
    pub sequence: Sequence,
    /// The remark if this form is taken and is second best.
    pub declined: Option<&'static str>,
}

impl Way {
    /// The fallback if the order of planes would need more operations.
    pub const fn plain_first(self) -> Self {
        let declined = Some("the order of planes would cost operations");
        Self { sequence: Sequence::PlainFirst, declined, ..self }
    }
}

/// The reason to keep a sum: no chain of its terms is as short.
pub const NO_ORDER: &str = "any order other than program order would cost operations";

/// The parameters of a pass on sums.
pub struct Rewriting<'p> {
    /// Candidate forms, of which the first is taken that needs no additional operations.
    pub ways: &'p [Way],
    /// The remark if there is none, if any.
    pub refused: Option<&'static str>,
    /// Counts rewritten sums.
    pub rewritten: Statistic,
    /// Counts saved operations.
    pub saved: Statistic,
    /// Counts sums that were kept, or got a second-best form.
    pub declined: Statistic,
}

/// Rewrites the sums of a function, apply by apply.
pub fn rewrite(function: OperationRef, rewriting: &Rewriting, cx: &mut PassContext) {
    // The list is made first: operations in it are replaced.
    let mut applies = walk::nested(function);
    applies.retain(|operation| ApplyOp::of(*operation).is_some());
    for apply in applies {
        let mut order = ValueOrder::default();
        expression::for_each(apply, is_sum, (rewriting.declined, cx), |plain, precision, cx| {
            rewriting.apply(plain, precision, &mut order, cx)
        });
        place_constants(apply);
        if rewriting.ways.iter().all(|way| way.sequence != Sequence::Text) {
            place_accesses(apply);
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

impl Rewriting<'_> {
    /// Rewrites one sum in the first legal form; returns which other operations belong to it.
    fn apply<'c: 'a, 'a>(
        &self,
        plain: &Expression<'c, 'a>,
        precision: Precision,
        order: &mut ValueOrder,
        cx: &mut PassContext,
    ) -> Vec<OperationRef<'c, 'a>> {
        let root = plain.root();
        let shared = Expression::with_shared_weights(root);
        let found = self.ways.iter().find_map(|way| {
            let expression = if way.shares_weights { &shared } else { plain };
            Form::of(expression, precision, way, order).map(|form| (way, form))
        });
        let declined = found.as_ref().map_or(self.refused, |(way, _)| way.declined);
        if let Some(why) = declined {
            cx.decline(&root, why);
            cx.count(self.declined, 1);
        }
        let Some((way, form)) = found else { return Vec::new() };
        let belonging = form.expression.operations().to_vec();
        if form.is_new(way) {
            order.forget(&belonging);
            form.expression.rewrite(&form.sums, &form.terms);
            cx.count(self.rewritten, 1);
            cx.count(self.saved, form.saved as u64);
        }
        belonging
    }
}

/// A form without additional operations.
struct Form<'c, 'a, 'e> {
    expression: &'e Expression<'c, 'a>,
    sums: Sums,
    terms: Vec<Term>,
    /// The terms with nothing multiplied out.
    undistributed: Vec<Term>,
    saved: usize,
}

impl<'c: 'a, 'a, 'e> Form<'c, 'a, 'e> {
    fn of(
        expression: &'e Expression<'c, 'a>,
        precision: Precision,
        way: &Way,
        order: &mut ValueOrder,
    ) -> Option<Self> {
        let mut arrivals = Arrivals::default();
        let planes = expression.leaves().iter().map(|leaf| arrivals.plane(*leaf));
        let planes = planes.collect::<Vec<_>>();
        let ranks = order.ranks(expression.leaves());
        let begun = || Sums::new(precision, expression.flags().permit("contract"));
        let sums = if way.sequence == Sequence::Text { begun() } else { begun().in_order() };
        let form = |sums, distribution| SumForm {
            sums,
            planes: &planes,
            order: TermOrder { ranks: &ranks },
            sequence: way.sequence,
            distribution,
        };
        let written = expression.instructions();
        let terms = form(&sums, way.distribution).terms(expression.term().clone());
        // Neither program order nor plane order may cost an operation.
        let chain = Term { factor: 1.0, node: Node::Sum(terms.clone()) };
        let least = [expression.term().clone(), chain];
        let least = least.map(|term| form(&sums, Distribution::Nothing).least(term));
        let undistributed = form(&sums, Distribution::Nothing).terms(expression.term().clone());
        let needed = sums.instructions(&Node::Sum(terms.clone()));
        if needed > written.min(least[0]).min(least[1]) {
            return None;
        }
        Some(Self { expression, sums, terms, undistributed, saved: written - needed })
    }

    /// Whether it differs from the program. If only products are multiplied out, other sums are
    /// kept.
    fn is_new(&self, way: &Way) -> bool {
        match way.sequence {
            Sequence::Text => self.terms != self.undistributed,
            _ => !self.expression.is_chain(&self.terms),
        }
    }
}

/// Sinks constants to their first use, and removes unused ones: otherwise new constants would be
/// merged with equal ones of the program, in its order.
fn place_constants(apply: OperationRef) {
    let is_constant = |operation: &OperationRef| walk::name(operation) == arith::CONSTANT;
    // Operands of the apply are computed outside, where they may have earlier uses.
    let inside = walk::nested(apply).into_iter().skip(1);
    let (constants, others): (Vec<_>, Vec<_>) = inside.partition(is_constant);
    let mut placed = HashSet::new();
    for user in others {
        let used = user.operands().filter_map(walk::definition).filter(is_constant);
        for constant in used.collect::<Vec<_>>() {
            let is_first = placed.insert(constant.to_raw().ptr as usize);
            if is_first && constant.block() == user.block() {
                build::move_before(constant, user);
            }
        }
    }
    for constant in constants {
        if walk::uses(build::single(constant)).is_empty() {
            build::erase(constant);
        }
    }
}

/// Sinks reads of cells to the first sum that uses them, in the order of its terms, independent of
/// the program. A cell with an earlier other use stays.
fn place_accesses(apply: OperationRef) {
    let mut sums = expression::roots(apply);
    sums.reverse();
    let mut positions = HashMap::new();
    for operation in walk::nested(apply) {
        positions.insert(operation.to_raw().ptr as usize, positions.len());
    }
    let position = |operation: OperationRef| positions[&(operation.to_raw().ptr as usize)];
    for root in sums {
        let expression = Expression::of(root);
        let operations = expression.operations().iter().copied();
        let start = operations.min_by_key(|operation| position(*operation));
        let start = start.expect("an expression has a root");
        for leaf in expression.leaves() {
            let access = walk::definition(*leaf).filter(|access| {
                let source = AccessOp::of(*access).map(|access| access.source());
                access.block() == root.block()
                    && source.is_some_and(|source| walk::block_argument(source).is_some())
            });
            let Some(access) = access else { continue };
            let uses = walk::uses(build::single(access));
            if uses.iter().all(|one| position(one.user) >= position(start)) {
                build::move_before(access, start);
            }
        }
    }
}
