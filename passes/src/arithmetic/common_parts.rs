//! Factoring of sums of products, and common subexpressions.
//!
//! Three rewrites, each applied to all occurrences (equal shapes at equal distances) at once:
//!
//! - two terms of a sum with factors in common: c a f + c b f is c f (a + b); without a common
//!   factor, two terms that occur together several times become a value of their own;
//! - two factors that occur together in several products become a value of their own;
//! - terms of one sum with a common weight: w a b + w c d is w (a b + c d).
//!
//! Greedy: the rewrite that saves most is done first, until none saves. The cost is the
//! instructions of one point, of four points in a row along dimension 0 and of four along dimension
//! 1; no rewrite may cost a single point an instruction. Constants are moved, never changed, except
//! for products of constants, which are rounded in the type.
//! Method: greedy by pairs, as for multiple constants [Potkonjak, Srivastava, Chandrakasan, IEEE
//! TCAD 1996] and for polynomials [Hosangadi, Fallah, Kastner, Optimizing polynomial expressions by
//! algebraic factorization and common subexpression elimination, IEEE TCAD 2006].

use super::{
    live_form::{LiveCode, LiveUses},
    part_steps::{Found, Key, Rewrite, Rewriter, Steps},
    shapes::{Offset, Place, Shape, Shapes, Term},
};
use rustc_hash::FxHashMap;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

/// Assumed consecutive points of a thread.
pub const OUTPUTS: i64 = 4;

/// A row of points along a dimension.
pub fn row(dimension: usize, outputs: i64) -> Vec<Offset> {
    let at = |along| {
        let mut offset = Offset::default();
        offset[dimension] = along;
        offset
    };
    (0..outputs).map(at).collect()
}

/// Instruction counts of a form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Instructions of one point.
    pub point: usize,
    /// Of a row of points along dimensions 0 and 1, together.
    pub rows: usize,
}

impl Needs {
    /// The cost to minimize: all counts with equal weight.
    fn all(self) -> usize {
        OUTPUTS as usize * self.point + self.rows
    }

    /// The saturating difference to another.
    pub fn less(self, other: Needs) -> Needs {
        let rows = self.rows.saturating_sub(other.rows);
        Needs { point: self.point - other.point, rows }
    }

    /// The sum of both.
    pub fn and(self, other: Needs) -> Needs {
        Needs { point: self.point + other.point, rows: self.rows + other.rows }
    }

    /// Whether this is less, and no more for a single point.
    pub fn is_less(self, than: Needs) -> bool {
        self.point <= than.point && self.all() < than.all()
    }
}

/// The search for the cheapest form of some values.
pub struct Search<'s> {
    /// The shapes of all forms.
    pub shapes: &'s mut Shapes,
    steps: Steps,
    effort: Effort,
}

/// Effort of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Tried steps.
    pub trials: u64,
    /// Values visited to count instructions.
    pub visits: u64,
    /// Shapes searched for steps.
    pub shapes: u64,
}

/// An approximate limit of visited values, which bounds the time of a search to a second on a
/// machine of 2025. The largest kernels of `test/kernels` need little more than half.
const VISITS_MOST: u64 = 300_000;

/// A form that is updated incrementally.
#[derive(Default)]
struct LiveForm {
    uses: LiveUses,
    code: LiveCode,
}

impl<'s> Search<'s> {
    /// A new search.
    pub fn new(shapes: &'s mut Shapes) -> Self {
        Self { shapes, steps: Steps::default(), effort: Effort::default() }
    }

    /// The effort so far.
    pub fn effort(&self) -> Effort {
        Effort { shapes: self.steps.shapes() as u64, ..self.effort }
    }

    /// Instruction counts of values.
    pub fn needs(&mut self, roots: &[Term]) -> Needs {
        let code = self.shapes.code(roots);
        let of = |points: &[Offset]| self.shapes.instructions(&code, points);
        let rows = (0..2).map(|dimension| of(&row(dimension, OUTPUTS)));
        Needs { point: of(&row(0, 1)), rows: rows.sum() }
    }

    /// Whether there is a product of two point-dependent values.
    pub fn has_products(&self, roots: &[Term]) -> bool {
        let is_product = |factors: &[Place]| {
            let cells = factors.iter().filter(|at| self.shapes.is_of_every_point(at.shape));
            cells.collect::<BTreeSet<_>>().len() > 1
        };
        let of_shape = |shape: usize| match self.shapes.shape(shape) {
            Shape::Product(factors) => is_product(factors),
            Shape::Sum(terms) => terms.iter().any(|term| is_product(&term.factors)),
            Shape::Leaf(_) | Shape::Weighted(..) | Shape::Begun => false,
        };
        let uses = self.shapes.uses(roots);
        let in_shapes = uses.keys().any(|place| of_shape(place.shape));
        in_shapes || roots.iter().any(|root| is_product(&root.factors))
    }

    /// The better of two results: of rewrites applied to the values as they are, or after
    /// multiplying out all products and weighted sums.
    pub fn better(&mut self, roots: Vec<Term>) -> Vec<Term> {
        let flat = self.multiplied_out(&roots);
        let own = self.settled(roots);
        match flat.map(|flat| self.settled(flat)) {
            Some(flat) if self.needs(&flat).is_less(self.needs(&own)) => flat,
            _ => own,
        }
    }

    /// Steps until none saves. Products with a single use at a place are then inlined there, as
    /// they may hide a common factor.
    fn settled(&mut self, roots: Vec<Term>) -> Vec<Term> {
        let mut best = self.greedy(roots);
        loop {
            let open = [self.without_single_products(&best), self.multiplied_out(&best)];
            let forms = open.into_iter().flatten().map(|open| self.greedy(open));
            let form = forms.collect::<Vec<_>>().into_iter().min_by_key(|f| self.needs(f).all());
            match form {
                Some(next) if self.needs(&next).is_less(self.needs(&best)) => best = next,
                _ => return best,
            }
        }
    }

    fn greedy(&mut self, mut roots: Vec<Term>) -> Vec<Term> {
        let (mut form, mut saves) = (LiveForm::default(), FxHashMap::default());
        loop {
            let is_fresh = saves.is_empty();
            match self.best_step(&roots, &mut form, &mut saves) {
                Some(better) => roots = better,
                None if is_fresh => break,
                // Occasionally a step saves more after another one.
                None => saves.clear(),
            }
        }
        roots
    }

    /// The step that saves most, preferring those on cells. Earlier savings of a step are used as
    /// an upper bound, so that few steps are tried.
    fn best_step(
        &mut self,
        roots: &[Term],
        form: &mut LiveForm,
        saves: &mut FxHashMap<usize, usize>,
    ) -> Option<Vec<Term>> {
        let now = form.code.needs(self.shapes, roots);
        form.uses.go_to(self.shapes, roots);
        let found = self.steps.of_use(self.shapes, &form.uses.shapes());
        let most = |step: usize| saves.get(&step).copied().unwrap_or(usize::MAX);
        let order = found.iter().map(|found| {
            let key = self.steps.key(found.step);
            (Reverse((self.is_of_cells(key), most(found.step))), key, found)
        });
        let mut order = order.collect::<Vec<_>>();
        order.sort_unstable_by_key(|(first, key, _)| (*first, *key));
        let order = order.into_iter().map(|(first, _, found)| (first.0, found));
        let known = self.shapes.len();
        let mut best: Option<(bool, usize, &Found)> = None;
        for ((is_of_cells, most), found) in order.collect::<Vec<_>>() {
            let least = best.as_ref().map_or(0, |(_, saved, _)| *saved);
            if best.as_ref().is_some_and(|(best, ..)| *best && !is_of_cells) {
                break;
            }
            if most <= least {
                continue;
            }
            if self.effort.visits > VISITS_MOST {
                break;
            }
            let visits = form.code.visits();
            let then =
                self.tried(roots, form, found).map(|made| form.code.needs(self.shapes, &made));
            // Shapes of rejected steps are discarded, or they would soon dominate.
            form.code.needs(self.shapes, roots);
            self.shapes.forget(known);
            self.effort.visits += form.code.visits() - visits;
            let Some(then) = then else { continue };
            let saved = now.all().saturating_sub(then.all());
            saves.insert(found.step, saved);
            if then.is_less(now) && saved > least {
                best = Some((is_of_cells, saved, found));
            }
        }
        best.and_then(|(.., found)| self.tried(roots, form, found))
    }

    /// The roots after a step, with products of one use inlined.
    fn tried(&mut self, roots: &[Term], form: &mut LiveForm, found: &Found) -> Option<Vec<Term>> {
        self.effort.trials += 1;
        let may_change = form.uses.made_of(found.shapes.iter().copied());
        let (key, sites) = (self.steps.key(found.step), self.steps.sites(found));
        let within = Some((&form.uses, may_change));
        let rewrite = Rewrite { step: Some((key, &sites)), within, ..Rewrite::default() };
        let stepped = rewritten(self.shapes, roots, rewrite)?;
        form.uses.go_to(self.shapes, &stepped);
        let inlined = form.uses.single().clone();
        let within = Some((&form.uses, form.uses.made_of(inlined.iter().copied())));
        let rewrite = Rewrite { inlined, within, ..Rewrite::default() };
        let made = rewritten(self.shapes, &stepped, rewrite);
        form.uses.go_to(self.shapes, roots);
        made
    }

    /// Whether a pair consists of cells, rather than a value common to many cells.
    fn is_of_cells(&self, key: &Key) -> bool {
        let is_cell = |place: &&Place| self.shapes.is_of_every_point(place.shape);
        match key {
            Key::Terms(group) => group.iter().filter(is_cell).count() > 1,
            Key::Factors(pair) => pair.iter().all(|place| is_cell(&place)),
            Key::Weight(..) => false,
        }
    }

    /// Inlines products at each place where they have one use.
    fn without_single_products(&mut self, roots: &[Term]) -> Option<Vec<Term>> {
        let uses = self.shapes.uses(roots);
        let is_product =
            |place: &Place| matches!(self.shapes.shape(place.shape), Shape::Product(_));
        let mut most: BTreeMap<usize, usize> = BTreeMap::new();
        for (place, count) in uses.iter().filter(|(place, _)| is_product(place)) {
            let known = most.entry(place.shape).or_default();
            *known = (*known).max(*count);
        }
        let mut rewrite = Rewrite::default();
        rewrite
            .inlined
            .extend(most.iter().filter(|(_, count)| **count == 1).map(|(shape, _)| *shape));
        for user in uses.keys() {
            for part in self.shapes.parts(user.shape).filter(is_product) {
                let is_shared = uses[&self.shapes.moved(part, user.offset)] > 1;
                *rewrite.named.entry((user.shape, part)).or_default() |= is_shared;
            }
        }
        rewritten(self.shapes, roots, rewrite)
    }

    /// Inlines products, and multiplies weights of single-use sums into their terms, if these
    /// contain products.
    fn multiplied_out(&mut self, roots: &[Term]) -> Option<Vec<Term>> {
        let uses = self.shapes.uses(roots);
        let several = uses.iter().filter(|(_, count)| **count > 1);
        let several = several.map(|(place, _)| place.shape).collect::<BTreeSet<_>>();
        let has_products = |terms: &[Term]| terms.iter().any(|term| term.factors.len() > 1);
        let mut rewrite = Rewrite::default();
        for place in uses.keys() {
            match self.shapes.shape(place.shape) {
                Shape::Product(_) => {
                    rewrite.inlined.insert(place.shape);
                }
                Shape::Sum(terms) if !several.contains(&place.shape) && has_products(terms) => {
                    rewrite.dissolved.insert(place.shape);
                }
                _ => {}
            }
        }
        rewritten(self.shapes, roots, rewrite)
    }
}

fn rewritten(shapes: &mut Shapes, roots: &[Term], rewrite: Rewrite) -> Option<Vec<Term>> {
    let mut rewriter = Rewriter::new(shapes, rewrite);
    roots.iter().map(|root| rewriter.term(root)).collect()
}

#[cfg(test)]
#[path = "common_parts_tests.rs"]
mod tests;
