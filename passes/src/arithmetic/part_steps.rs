//! Single rewrite steps of sums and products: finding them, and applying one everywhere at once.

use super::{
    live_form::LiveUses,
    shapes::{Offset, Place, Shape, Shapes, Term, Weight},
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// The steps found in each shape. Shapes are immutable, so each is searched once.
#[derive(Default)]
pub struct Steps {
    keys: Vec<Key>,
    numbers: FxHashMap<Key, usize>,
    of_shapes: FxHashMap<usize, Vec<(usize, Vec<Site>)>>,
}

/// A step possible in a form: its number, and its shapes.
pub struct Found {
    /// The number of its key.
    pub step: usize,
    /// Where.
    pub shapes: Vec<usize>,
}

impl Steps {
    /// Steps that do more than name an expression with one occurrence, in no order, for the shapes
    /// of a form and their numbers of places.
    pub fn of_use(&mut self, shapes: &mut Shapes, used: &[(usize, usize)]) -> Vec<Found> {
        let mut found: FxHashMap<usize, (usize, Vec<usize>)> = FxHashMap::default();
        for &(shape, places) in used {
            if !self.of_shapes.contains_key(&shape) {
                let steps = InShape::of(shapes, shape).0;
                let steps = steps.into_iter().map(|(key, sites)| (self.number(key), sites));
                let steps = steps.collect();
                self.of_shapes.insert(shape, steps);
            }
            for (step, sites) in &self.of_shapes[&shape] {
                let (times, shapes) = found.entry(*step).or_default();
                *times += places * sites.len();
                shapes.push(shape);
            }
        }
        let is_of_use = |step: usize, times: usize| match self.key(step) {
            Key::Terms(group) => group.len() > 1 || times > 1,
            Key::Factors(_) => times > 1,
            Key::Weight(..) => true,
        };
        let found = found.into_iter().filter(|(step, (times, _))| is_of_use(*step, *times));
        found.map(|(step, (_, shapes))| Found { step, shapes }).collect()
    }

    fn number(&mut self, key: Key) -> usize {
        let next = self.keys.len();
        let number = *self.numbers.entry(key.clone()).or_insert(next);
        if number == next {
            self.keys.push(key);
        }
        number
    }

    /// The key of a step.
    pub fn key(&self, step: usize) -> &Key {
        &self.keys[step]
    }

    /// The sites of a step.
    pub fn sites(&self, found: &Found) -> Sites<'_> {
        let sites = |shape: &usize| {
            let steps = self.of_shapes[shape].iter();
            let sites = steps.filter(|(step, _)| *step == found.step).map(|(_, sites)| sites);
            sites.map(|sites| (*shape, &sites[..])).collect::<Vec<_>>()
        };
        found.shapes.iter().flat_map(sites).collect()
    }

    /// The number of searched shapes.
    pub fn shapes(&self) -> usize {
        self.of_shapes.len()
    }
}

/// The steps in one shape.
struct InShape(BTreeMap<Key, Vec<Site>>);

impl InShape {
    fn of(shapes: &mut Shapes, shape: usize) -> Self {
        let mut steps = Self(BTreeMap::new());
        match shapes.shape(shape).clone() {
            Shape::Leaf(_) | Shape::Weighted(..) | Shape::Begun => {}
            Shape::Product(factors) => steps.factors(shapes, 0, &factors),
            Shape::Sum(terms) => steps.terms(shapes, shape, &terms),
        }
        steps
    }

    fn meet(&mut self, key: Key, site: Site) {
        self.0.entry(key).or_default().push(site);
    }

    /// Pairs of factors of a product, or of a term of a sum.
    fn factors(&mut self, shapes: &Shapes, term: usize, factors: &[Place]) {
        for (one, two) in pairs(factors.len()) {
            let key = Key::Factors(based(shapes, &[factors[one], factors[two]]));
            self.meet(key, Site { term, one, two });
        }
    }

    /// Steps in a sum.
    fn terms(&mut self, shapes: &mut Shapes, shape: usize, terms: &[Term]) {
        for (number, term) in terms.iter().enumerate() {
            self.factors(shapes, number, &term.factors);
        }
        for (one, two) in pairs(terms.len()) {
            let Some(group) = grouped(shapes, &terms[one], &terms[two]) else { continue };
            let is_itself = terms.len() == 2 && group.factors.len() == 1;
            if !is_itself {
                let key = Key::Terms(based(shapes, &group.factors));
                self.meet(key, Site { term: 0, one, two });
            }
        }
        for (weight, members) in weights(terms) {
            for term in members {
                self.meet(Key::Weight(shape, weight), Site { term, one: 0, two: 0 });
            }
        }
    }
}

/// A step, independent of its sites.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    /// Two terms that become this product, relative to the corner.
    Terms(Vec<Place>),
    /// Two factors, relative to the corner.
    Factors(Vec<Place>),
    /// The terms of a sum with this weight.
    Weight(usize, Weight),
}

/// One site of a step: positions of terms, or of factors of a term.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    term: usize,
    one: usize,
    two: usize,
}

/// The sites of a step by shape.
pub type Sites<'s> = FxHashMap<usize, &'s [Site]>;

fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |two| (0..two).map(move |one| (one, two)))
}

/// Places relative to their corner.
fn based(shapes: &Shapes, places: &[Place]) -> Vec<Place> {
    let back = shapes.corner(places.iter()).map(|along| -along);
    places.iter().map(|place| shapes.moved(*place, back)).collect()
}

/// Common weights, with their terms.
fn weights(terms: &[Term]) -> BTreeMap<Weight, Vec<usize>> {
    let mut all: BTreeMap<Weight, Vec<usize>> = BTreeMap::new();
    for (position, term) in terms.iter().enumerate().filter(|(_, term)| !term.weight.is_unit()) {
        all.entry(Weight(term.weight.0.abs())).or_default().push(position);
    }
    all.retain(|_, members| members.len() > 1);
    all
}

/// The combination of two terms of a sum: their common factors times a sum.
fn grouped(shapes: &mut Shapes, one: &Term, two: &Term) -> Option<Term> {
    let mut rest = two.factors.clone();
    let (mut common, mut own) = (Vec::new(), Vec::new());
    for factor in &one.factors {
        match rest.iter().position(|other| other == factor) {
            Some(position) => common.push(rest.remove(position)),
            None => own.push(*factor),
        }
    }
    let is_same = one.weight.0.abs() == two.weight.0.abs();
    if own.is_empty() || rest.is_empty() || (common.is_empty() && !is_same) {
        return None;
    }
    let (outside, inside) = match is_same {
        true => (one.weight.0, [1.0, two.weight.0 / one.weight.0]),
        false => (1.0, [one.weight.0, two.weight.0]),
    };
    let parts = [own, rest].into_iter().zip(inside);
    let parts = parts.map(|(factors, weight)| Term { weight: Weight(weight), factors });
    let sum = shapes.sum(parts.collect());
    shapes.times(Term { weight: Weight(outside), factors: common }, &sum)
}

/// A rewrite of shapes.
#[derive(Default)]
pub struct Rewrite<'k> {
    /// A step with its sites.
    pub step: Option<(&'k Key, &'k Sites<'k>)>,
    /// Products to inline.
    pub inlined: BTreeSet<usize>,
    /// Sums to flatten into their users.
    pub dissolved: BTreeSet<usize>,
    /// Products of shapes, and whether they keep their names there.
    pub named: BTreeMap<(usize, Place), bool>,
    /// The rewritten form, and its shapes that may change; by default all.
    pub within: Option<(&'k LiveUses, FxHashSet<usize>)>,
}

impl Rewrite<'_> {
    /// Whether a shape stays as it is.
    fn keeps(&self, shape: usize) -> bool {
        self.within
            .as_ref()
            .is_some_and(|(uses, may_change)| !may_change.contains(&shape) && uses.has(shape))
    }
}

/// Rebuilds shapes. None if a weight would not be a normal number.
pub struct Rewriter<'r> {
    shapes: &'r mut Shapes,
    rewrite: Rewrite<'r>,
    known: FxHashMap<usize, Term>,
}

impl<'r> Rewriter<'r> {
    /// For one rewrite.
    pub fn new(shapes: &'r mut Shapes, rewrite: Rewrite<'r>) -> Self {
        Self { shapes, rewrite, known: FxHashMap::default() }
    }

    /// Rebuilds the factors of a term, with inlined products.
    fn factors(&self, user: usize, term: &mut Term) {
        for factor in std::mem::take(&mut term.factors) {
            match self.shapes.shape(factor.shape) {
                Shape::Product(parts)
                    if self.rewrite.named.get(&(user, factor)) == Some(&false) =>
                {
                    let parts = parts.iter().map(|part| self.shapes.moved(*part, factor.offset));
                    term.factors.extend(parts);
                }
                _ => term.factors.push(factor),
            }
        }
        term.factors.sort_unstable();
    }

    /// A term of the new shapes.
    pub fn term(&mut self, term: &Term) -> Option<Term> {
        let mut made = Term { weight: term.weight, factors: Vec::new() };
        for factor in &term.factors {
            let value = self.value(factor.shape)?;
            made = self.shapes.times(made, &self.shapes.moved_term(&value, factor.offset))?;
        }
        Some(made)
    }

    fn value(&mut self, shape: usize) -> Option<Term> {
        if let Some(known) = self.known.get(&shape) {
            return Some(known.clone());
        }
        if self.rewrite.keeps(shape) {
            return Some(Term::of(Place { shape, offset: Offset::default() }));
        }
        let made = match self.shapes.shape(shape).clone() {
            Shape::Leaf(_) | Shape::Weighted(..) | Shape::Begun => {
                Term::of(Place { shape, offset: Offset::default() })
            }
            Shape::Product(factors) => {
                let mut product = vec![Term { weight: Weight(1.0), factors }];
                // A product of two is the result of the step.
                if product[0].factors.len() > 2 {
                    self.step(shape, &mut product);
                }
                let product = self.term(&product[0])?;
                match self.rewrite.inlined.contains(&shape) || product.factors.len() == 1 {
                    true => product,
                    false => Term {
                        weight: product.weight,
                        factors: vec![self.shapes.product(product.factors)],
                    },
                }
            }
            Shape::Sum(mut terms) => {
                self.step(shape, &mut terms);
                terms.iter_mut().for_each(|term| self.factors(shape, term));
                let mut parts = Vec::new();
                for term in &terms {
                    parts.extend(self.parts(term)?);
                }
                self.shapes.sum(parts)
            }
        };
        self.known.insert(shape, made.clone());
        Some(made)
    }

    /// The terms that a term contributes to a sum: several if it is a flattened sum.
    fn parts(&mut self, term: &Term) -> Option<Vec<Term>> {
        let [place] = term.factors[..] else { return Some(vec![self.term(term)?]) };
        if !self.rewrite.dissolved.contains(&place.shape) {
            return Some(vec![self.term(term)?]);
        }
        let Shape::Sum(inner) = self.shapes.shape(place.shape).clone() else {
            unreachable!("only sums are flattened")
        };
        let mut parts = Vec::new();
        for part in &inner {
            let part = self.shapes.moved_term(part, place.offset);
            let none = Term { weight: term.weight, factors: Vec::new() };
            let part = self.shapes.times(none, &part)?;
            parts.extend(self.parts(&part)?);
        }
        Some(parts)
    }

    /// Applies the step in one shape; a term or factor takes part once.
    fn step(&mut self, shape: usize, terms: &mut Vec<Term>) {
        let Some((key, sites)) = self.rewrite.step else { return };
        let Some(sites) = sites.get(&shape) else { return };
        let mut taken = BTreeSet::new();
        match key {
            Key::Factors(_) => {
                let mut made = vec![Vec::new(); terms.len()];
                for Site { term, one, two } in *sites {
                    if [one, two].into_iter().all(|factor| !taken.contains(&(*term, *factor))) {
                        taken.extend([(*term, *one), (*term, *two)]);
                        let pair = [one, two].map(|factor| terms[*term].factors[*factor]);
                        made[*term].push(self.shapes.product(pair.to_vec()));
                    }
                }
                for (number, (term, made)) in terms.iter_mut().zip(made).enumerate() {
                    let all = term.factors.iter().enumerate();
                    let rest = all.filter(|(factor, _)| !taken.contains(&(number, *factor)));
                    term.factors = rest.map(|(_, factor)| *factor).chain(made).collect();
                    term.factors.sort_unstable();
                }
            }
            Key::Terms(_) => {
                let mut made = Vec::new();
                for Site { one, two, .. } in *sites {
                    let is_free = [one, two].into_iter().all(|term| !taken.contains(&(*term, 0)));
                    let group = || grouped(self.shapes, &terms[*one], &terms[*two]);
                    if let Some(group) = is_free.then(group).flatten() {
                        taken.extend([(*one, 0), (*two, 0)]);
                        made.push(group);
                    }
                }
                keep_others(terms, &taken, made);
            }
            Key::Weight(_, weight) => {
                taken.extend(sites.iter().map(|site| (site.term, 0)));
                let unit = |site: &Site| {
                    let term = &terms[site.term];
                    Term { weight: Weight(term.weight.0.signum()), factors: term.factors.clone() }
                };
                let sum = self.shapes.sum(sites.iter().map(unit).collect());
                let weight = Weight(weight.0 * sum.weight.0);
                keep_others(terms, &taken, vec![Term { weight, ..sum }]);
            }
        }
    }
}

/// The unaffected terms, and the new ones.
fn keep_others(terms: &mut Vec<Term>, taken: &BTreeSet<(usize, usize)>, made: Vec<Term>) {
    let all = std::mem::take(terms).into_iter().enumerate();
    let rest = all.filter(|(number, _)| !taken.contains(&(*number, 0))).map(|(_, term)| term);
    *terms = rest.chain(made).collect();
}
