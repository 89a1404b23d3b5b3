//! The single steps by which sums and products get other forms: where each is possible, and doing
//! one, everywhere at once.

use super::shapes::{Offset, Place, Shape, Shapes, Term, Weight};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Steps as they are found, in one shape after the other.
#[derive(Default)]
pub struct Steps {
    found: BTreeMap<Key, Sites>,
    /// How often each is met at one point.
    times: HashMap<Key, usize>,
    /// The shape that they are looked for in.
    pub shape: usize,
    /// How often the shape stands in one point.
    pub count: usize,
}

impl Steps {
    fn meet(&mut self, key: Key, site: Site) {
        *self.times.entry(key.clone()).or_default() += self.count;
        self.found.entry(key).or_default().entry(self.shape).or_default().push(site);
    }

    /// Pairs of factors of a product, or of a term of a sum.
    pub fn factors(&mut self, shapes: &Shapes, term: usize, factors: &[Place]) {
        for (one, two) in pairs(factors.len()) {
            let key = Key::Factors(based(shapes, &[factors[one], factors[two]]));
            self.meet(key, Site { term, one, two });
        }
    }

    /// Steps in a sum.
    pub fn terms(&mut self, shapes: &mut Shapes, terms: &[Term]) {
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
                self.meet(Key::Weight(self.shape, weight), Site { term, one: 0, two: 0 });
            }
        }
    }

    /// Those that do more than to name what stands at one place.
    pub fn of_use(mut self) -> BTreeMap<Key, Sites> {
        self.found.retain(|key, _| match key {
            Key::Terms(group) => group.len() > 1 || self.times[key] > 1,
            Key::Factors(_) => self.times[key] > 1,
            Key::Weight(..) => true,
        });
        self.found
    }
}

/// A step, wherever it is done.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    /// Two terms that become this product, moved to the corner.
    Terms(Vec<Place>),
    /// Two factors, moved to the corner.
    Factors(Vec<Place>),
    /// The terms of a sum with this weight.
    Weight(usize, Weight),
}

/// One place where a step is done: positions of terms, or of factors of a term.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    term: usize,
    one: usize,
    two: usize,
}

/// Where a step is done, by the shape.
pub type Sites = BTreeMap<usize, Vec<Site>>;

fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |two| (0..two).map(move |one| (one, two)))
}

/// Places relative to their corner.
fn based(shapes: &Shapes, places: &[Place]) -> Vec<Place> {
    let back = shapes.corner(places.iter()).map(|along| -along);
    places.iter().map(|place| shapes.moved(*place, back)).collect()
}

/// Weights that several terms have, and which.
fn weights(terms: &[Term]) -> BTreeMap<Weight, Vec<usize>> {
    let mut all: BTreeMap<Weight, Vec<usize>> = BTreeMap::new();
    for (position, term) in terms.iter().enumerate().filter(|(_, term)| !term.weight.is_unit()) {
        all.entry(Weight(term.weight.0.abs())).or_default().push(position);
    }
    all.retain(|_, members| members.len() > 1);
    all
}

/// What two terms of a sum become together: their common factors times a sum.
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

/// What is done to shapes.
#[derive(Default)]
pub struct Rewrite<'k> {
    /// A step, and where it is done.
    pub step: Option<(&'k Key, &'k Sites)>,
    /// Products that lose their names.
    pub inlined: BTreeSet<usize>,
    /// Sums whose terms go to the sum that they are a term of.
    pub dissolved: BTreeSet<usize>,
    /// Products of shapes, and whether they keep their names there.
    pub named: BTreeMap<(usize, Place), bool>,
}

/// Makes shapes anew. None where a weight would be no normal number.
pub struct Rewriter<'r> {
    shapes: &'r mut Shapes,
    rewrite: Rewrite<'r>,
    known: HashMap<usize, Term>,
}

impl<'r> Rewriter<'r> {
    /// For one rewrite.
    pub fn new(shapes: &'r mut Shapes, rewrite: Rewrite<'r>) -> Self {
        Self { shapes, rewrite, known: HashMap::new() }
    }

    /// The factors of a term anew, those of a product without a name among them.
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
        let made = match self.shapes.shape(shape).clone() {
            Shape::Leaf(_) | Shape::Weighted(..) => {
                Term::of(Place { shape, offset: Offset::default() })
            }
            Shape::Product(factors) => {
                let mut product = vec![Term { weight: Weight(1.0), factors }];
                // A product of two is what the step makes.
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

    /// What a term adds to a sum: the terms of a sum that dissolves.
    fn parts(&mut self, term: &Term) -> Option<Vec<Term>> {
        let [place] = term.factors[..] else { return Some(vec![self.term(term)?]) };
        if !self.rewrite.dissolved.contains(&place.shape) {
            return Some(vec![self.term(term)?]);
        }
        let Shape::Sum(inner) = self.shapes.shape(place.shape).clone() else {
            unreachable!("only sums dissolve")
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

    /// Does the step in one shape; a term or factor takes part once.
    fn step(&mut self, shape: usize, terms: &mut Vec<Term>) {
        let Some((key, sites)) = self.rewrite.step else { return };
        let Some(sites) = sites.get(&shape) else { return };
        let mut taken = BTreeSet::new();
        match key {
            Key::Factors(_) => {
                let mut made = vec![Vec::new(); terms.len()];
                for Site { term, one, two } in sites {
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
                for Site { one, two, .. } in sites {
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

/// The terms that did not take part, and what was made.
fn keep_others(terms: &mut Vec<Term>, taken: &BTreeSet<(usize, usize)>, made: Vec<Term>) {
    let all = std::mem::take(terms).into_iter().enumerate();
    let rest = all.filter(|(number, _)| !taken.contains(&(*number, 0))).map(|(_, term)| term);
    *terms = rest.chain(made).collect();
}
