//! Gives the sums of a function another form: what the passes on sums have in common.

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
    ops::{AccessOp, ApplyOp},
    walk,
};

/// A form that a pass tries.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// Whether a value times a constant belongs to the sum although the sum uses it several times.
    pub shares_weights: bool,
    /// What is multiplied out.
    pub distribution: Distribution,
    /// In which order terms stand.
    pub sequence: Sequence,
    /// Why it is second best, if it is.
    pub declined: Option<&'static str>,
}

impl Way {
    /// The same terms where the order of planes would need more operations.
    pub const fn plain_first(self) -> Self {
        let declined = Some("the order of its planes would cost operations");
        Self { sequence: Sequence::PlainFirst, declined, ..self }
    }
}

/// Why a sum stays as it is written: no chain of its terms is as short.
pub const NO_ORDER: &str = "any order but that of the text would cost operations";

/// What a pass does to sums.
pub struct Rewriting<'p> {
    /// Forms, the first of which is taken that needs no more operations than the sum must have.
    pub ways: &'p [Way],
    /// What is said where there is none, if that is worth a word.
    pub refused: Option<&'static str>,
    /// Counts sums that got another form.
    pub rewritten: Statistic,
    /// Counts operations that this saved.
    pub saved: Statistic,
    /// Counts sums that got none, or one that is second best.
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
    /// Gives one sum the first form that it may have; says which operations belong to it besides
    /// those of the expression.
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

/// A form that needs no more operations than the sum must have.
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
        // Neither the order of the text nor that of planes may cost an operation.
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

    /// Whether the text has another one. Where only products are multiplied out, the rest stays as
    /// it is written.
    fn is_new(&self, way: &Way) -> bool {
        match way.sequence {
            Sequence::Text => self.terms != self.undistributed,
            _ => !self.expression.is_chain(&self.terms),
        }
    }
}

/// Brings constants to right before what uses them first, and removes those that nothing uses:
/// otherwise those that are made for a sum would be taken for equal ones of the text, and stand in
/// its order.
fn place_constants(apply: OperationRef) {
    let is_constant = |operation: &OperationRef| walk::name(operation) == "arith.constant";
    // The apply's own operands are computed outside, where others may need them before.
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

/// Brings the cells that sums read to right before the sum that reads them first, in the order in
/// which it does: where the text reads them has no say. A cell that something else reads before
/// stays.
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
