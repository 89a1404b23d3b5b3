//! Forms that were found compute the same values, and never from more.

use super::*;
use crate::arithmetic::{linear::Precision, shapes::Weight};

/// Shapes of points in a volume, with some leaves: fields, then a table along dimension 0 and a
/// number.
struct Leaves {
    shapes: Shapes,
    fields: Vec<usize>,
    table: usize,
    number: usize,
}

impl Leaves {
    fn new(fields: usize) -> Self {
        let mut shapes = Shapes::new(3, Precision::F64, true);
        let fields = (0..fields).map(|_| shapes.leaf(Some(0))).collect();
        let table = shapes.leaf_along([true, false, false], Some(0));
        let number = shapes.leaf_along([false; 3], None);
        Self { shapes, fields, table, number }
    }

    fn cell(&self, field: usize, offset: Offset) -> Place {
        Place { shape: self.fields[field], offset }
    }

    /// A weighted product.
    fn term(&mut self, weight: f64, factors: &[Term]) -> Term {
        let first = Term { weight: Weight(weight), factors: Vec::new() };
        factors.iter().fold(first, |product, factor| self.shapes.times(product, factor).unwrap())
    }

    fn better(&mut self, roots: &[Term]) -> (Vec<Term>, Needs, Needs) {
        let mut search = Search::new(&mut self.shapes);
        let now = search.needs(roots);
        let form = search.better(roots.to_vec());
        let then = search.needs(&form);
        (form, now, then)
    }
}

/// Numbers modulo a prime: sums and products of them are exact, and rational numbers are among
/// them, so forms that agree on numbers drawn at random are the same.
const PRIME: u64 = (1 << 61) - 1;

fn times(one: u64, other: u64) -> u64 {
    (u128::from(one) * u128::from(other) % u128::from(PRIME)) as u64
}

/// A constant, which is an integer times a power of two.
fn constant(weight: f64) -> u64 {
    let (mut integer, mut power) = (weight.abs(), 1);
    while integer.fract() != 0.0 {
        // Half of one.
        (integer, power) = (2.0 * integer, times(power, PRIME / 2 + 1));
    }
    let size = times(integer as u64 % PRIME, power);
    if weight < 0.0 { (PRIME - size) % PRIME } else { size }
}

/// Numbers for all values.
struct Values<'s> {
    shapes: &'s Shapes,
    known: FxHashMap<Place, u64>,
}

impl Values<'_> {
    fn of(&mut self, term: &Term, at: Offset) -> u64 {
        let term = self.shapes.moved_term(term, at);
        let factors = term.factors.iter().map(|factor| self.at(*factor));
        factors.fold(constant(term.weight.0), times)
    }

    fn at(&mut self, place: Place) -> u64 {
        if let Some(known) = self.known.get(&place) {
            return *known;
        }
        let value = match self.shapes.shape(place.shape) {
            Shape::Leaf(number) => {
                let [a, b, c] = place.offset.map(|along| (along + 100) as u64);
                Random(((*number as u64 * 997 + a) * 997 + b) * 997 + c).number()
            }
            Shape::Product(factors) => {
                let whole = Term { weight: Weight(1.0), factors: factors.clone() };
                self.of(&whole, place.offset)
            }
            Shape::Sum(terms) => {
                terms.iter().fold(0, |sum, term| (sum + self.of(term, place.offset)) % PRIME)
            }
            Shape::Weighted(..) | Shape::Begun => unreachable!("it is counted only"),
        };
        self.known.insert(place, value);
        value
    }
}

/// A sequence of numbers that looks random.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) as usize % end
    }

    fn number(&mut self) -> u64 {
        (0..4).fold(0, |number, _| (number << 16 | self.below(1 << 16) as u64) % PRIME)
    }

    fn offset(&mut self) -> Offset {
        [0; 3].map(|_: i64| self.below(3) as i64 - 1)
    }

    /// Values on top of each other: sums and products of leaves and of earlier values.
    fn roots(&mut self, leaves: &mut Leaves) -> Vec<Term> {
        let mut known = Vec::new();
        for _ in 0..9 {
            let terms = (0..2 + self.below(4)).map(|_| {
                let weight = [1.0, -1.0, 2.0, -0.5, 3.0][self.below(5)];
                let factors = (0..1 + self.below(3)).map(|_| self.factor(leaves, &known));
                let factors = factors.collect::<Vec<_>>();
                leaves.term(weight, &factors)
            });
            let terms = terms.collect();
            known.push(leaves.shapes.sum(terms));
        }
        known.split_off(known.len() - 3)
    }

    fn factor(&mut self, leaves: &Leaves, known: &[Term]) -> Term {
        let of_leaf =
            |shape, offset| leaves.shapes.moved(Place { shape, offset: Offset::default() }, offset);
        match self.below(8) {
            0 => Term::of(of_leaf(leaves.table, self.offset())),
            1 => Term::of(of_leaf(leaves.number, Offset::default())),
            2 | 3 if known.len() > 2 => {
                let number = known.len() - 1 - self.below(2);
                leaves.shapes.moved_term(&known[number], self.offset())
            }
            _ => Term::of(leaves.cell(self.below(leaves.fields.len()), self.offset())),
        }
    }
}

#[test]
fn random_values_stay_and_cost_no_more() {
    let mut saved = 0;
    for seed in 0..16 {
        let mut random = Random(seed);
        let mut leaves = Leaves::new(3);
        let roots = random.roots(&mut leaves);
        let (form, now, then) = leaves.better(&roots);
        assert!(then.point <= now.point && then.all() <= now.all(), "{now:?} {then:?}");
        saved += now.point - then.point;
        let mut values = Values { shapes: &leaves.shapes, known: FxHashMap::default() };
        for at in [[0, 0, 0], [1, -2, 3], [-4, 1, 0]] {
            for (old, new) in roots.iter().zip(&form) {
                let [old, new] = [old, new].map(|term| values.of(term, at));
                assert_eq!(old, new, "seed {seed}");
            }
        }
    }
    assert!(saved > 16, "only {saved}");
}

/// a b f + a c g, of cells at one place.
#[test]
fn common_factors_stand_once() {
    let mut leaves = Leaves::new(5);
    let [a, b, c, f, g] = [0, 1, 2, 3, 4].map(|field| Term::of(leaves.cell(field, [0; 3])));
    let terms = vec![leaves.term(1.0, &[a.clone(), b, f]), leaves.term(1.0, &[a, c, g])];
    let root = leaves.shapes.sum(terms);
    let (form, now, then) = leaves.better(&[root]);
    assert_eq!((now.point, then.point), (4, 3));
    assert_eq!(form[0].factors.len(), 2);
}

/// 0.3 a b + 0.3 c d.
#[test]
fn a_common_weight_stands_once() {
    let mut leaves = Leaves::new(4);
    let [a, b, c, d] = [0, 1, 2, 3].map(|field| Term::of(leaves.cell(field, [0; 3])));
    let terms = vec![leaves.term(0.3, &[a, b]), leaves.term(-0.3, &[c, d])];
    let root = leaves.shapes.sum(terms);
    let (form, now, then) = leaves.better(&[root]);
    assert_eq!((now.point, then.point), (4, 3));
    assert_eq!(form[0].weight, Weight(0.3));
}

/// The sum over a cell is one shape wherever the cell is: x (p + q) here and there.
#[test]
fn a_row_of_points_shares_what_one_cell_needs() {
    let mut leaves = Leaves::new(3);
    let mut terms = Vec::new();
    for (weight, along) in [(0.4, -2), (-0.3, -1), (0.3, 1), (-0.4, 2)] {
        let [x, p, q] = [0, 1, 2].map(|field| Term::of(leaves.cell(field, [0, along, 0])));
        terms.push(leaves.term(weight, &[x.clone(), p]));
        terms.push(leaves.term(weight, &[x, q]));
    }
    let root = leaves.shapes.sum(terms);
    let (form, _, then) = leaves.better(&[root]);
    // For each cell an addition and a product that goes to a sum; a weight for two cells.
    assert_eq!(then.point, 10);
    let code = leaves.shapes.code(&form);
    let along = |dimension| leaves.shapes.instructions(&code, &row(dimension, 40));
    let few = |dimension| leaves.shapes.instructions(&code, &row(dimension, 39));
    // Along dimension 1 there is one new cell to each point.
    assert_eq!([along(0) - few(0), along(1) - few(1)], [10, 6]);
}

#[test]
fn differences_are_one_shape_in_both_directions() {
    let mut leaves = Leaves::new(1);
    let [left, here, right] = [-1, 0, 1].map(|along| Term::of(leaves.cell(0, [0, along, 0])));
    let back = leaves.shapes.sum(vec![left, here.clone().negated()]);
    let ahead = leaves.shapes.sum(vec![right, here.negated()]);
    assert_eq!(back.factors[0].shape, ahead.factors[0].shape);
    assert_eq!([back.weight, ahead.weight], [Weight(1.0), Weight(-1.0)]);
    assert_eq!([back.factors[0].offset[1], ahead.factors[0].offset[1]], [-1, 0]);
}

#[test]
fn terms_of_a_sum_stay_in_the_order_of_planes() {
    let mut leaves = Leaves::new(2);
    let terms = [1, -1, 0].map(|plane| {
        let [a, b] = [0, 1].map(|field| Term::of(leaves.cell(field, [plane, 0, 0])));
        leaves.term(0.5, &[a, b])
    });
    let sum = leaves.shapes.sum(terms.to_vec());
    let Shape::Sum(terms) = leaves.shapes.shape(sum.factors[0].shape) else { unreachable!() };
    let planes = terms.iter().map(|term| term.factors[0].offset[0]);
    assert_eq!(planes.collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn a_product_of_two_uses_is_no_part_of_a_sum() {
    let mut leaves = Leaves::new(3);
    let [a, b, c] = [0, 1, 2].map(|field| Term::of(leaves.cell(field, [0; 3])));
    let product = leaves.term(1.0, &[a, b]);
    let sum = leaves.shapes.sum(vec![product.clone(), c.clone()]);
    let of = |leaves: &mut Leaves, roots: &[Term]| Search::new(&mut leaves.shapes).needs(roots);
    assert_eq!(of(&mut leaves, std::slice::from_ref(&sum)).point, 1);
    let difference = leaves.shapes.sum(vec![product, c.negated()]);
    assert_eq!(of(&mut leaves, &[sum, difference]).point, 3);
}

#[test]
fn weights_that_would_lose_digits_stay_apart() {
    let mut leaves = Leaves::new(2);
    let [a, b] = [0, 1].map(|field| Term::of(leaves.cell(field, [0; 3])));
    let (small, other) = (leaves.term(1e-200, &[a]), leaves.term(1e-200, &[b]));
    assert!(leaves.shapes.times(small, &other).is_none());
}

/// Numbers that look random, the same in every run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// A sum of weighted products of cells, some of them named, some of them sums.
fn drawn(leaves: &mut Leaves, draw: &mut Draw, depth: u32) -> Term {
    let terms = (0..2 + draw.below(3)).map(|_| {
        let factors = (0..1 + draw.below(2)).map(|_| {
            if depth > 0 && draw.below(4) == 0 {
                return drawn(leaves, draw, depth - 1);
            }
            let offset = [draw.below(3) as i64 - 1, draw.below(3) as i64 - 1, 0];
            Term::of(leaves.cell(draw.below(3) as usize, offset))
        });
        let factors = factors.collect::<Vec<_>>();
        let term = leaves.term([1.0, -1.0, 0.5][draw.below(3) as usize], &factors);
        match term.factors.len() > 1 && draw.below(2) == 0 {
            true => {
                let named = leaves.shapes.product(term.factors);
                Term { weight: term.weight, factors: vec![named] }
            }
            false => term,
        }
    });
    let terms = terms.collect();
    leaves.shapes.sum(terms)
}

#[test]
fn what_is_counted_while_a_form_changes_is_what_it_needs() {
    let mut leaves = Leaves::new(3);
    let mut draw = Draw(7);
    let (mut code, mut uses) = (LiveCode::default(), LiveUses::default());
    let mut roots = (0..4).map(|_| drawn(&mut leaves, &mut draw, 2)).collect::<Vec<_>>();
    for _ in 0..200 {
        let at = draw.below(4) as usize;
        roots[at] = drawn(&mut leaves, &mut draw, 2);
        let found = code.needs(&mut leaves.shapes, &roots);
        assert_eq!(found, Search::new(&mut leaves.shapes).needs(&roots));
        uses.go_to(&leaves.shapes, &roots);
        let all = leaves.shapes.uses(&roots);
        let mut places: BTreeMap<usize, usize> = BTreeMap::new();
        all.keys().for_each(|place| *places.entry(place.shape).or_default() += 1);
        assert_eq!(uses.shapes(), places.into_iter().collect::<Vec<_>>());
        let is_product = |shape: usize| matches!(leaves.shapes.shape(shape), Shape::Product(_));
        let mut single = all.keys().map(|place| place.shape).collect::<BTreeSet<_>>();
        single.retain(|shape| is_product(*shape));
        all.iter().filter(|(_, count)| **count > 1).for_each(|(place, _)| {
            single.remove(&place.shape);
        });
        assert_eq!(*uses.single(), single);
    }
}

#[test]
fn a_step_is_tried_without_looking_at_what_it_leaves_alone() {
    // Values that have nothing to do with each other: a step changes one of them.
    let effort = |values: usize| {
        let mut leaves = Leaves::new(3 * values);
        let value = |at: usize| {
            let [a, b, c] = [0, 1, 2].map(|field| Term::of(leaves.cell(3 * at + field, [0; 3])));
            let terms = [leaves.term(0.5, &[a.clone(), b]), leaves.term(0.25, &[a, c])];
            leaves.shapes.sum(terms.to_vec())
        };
        let roots = (0..values).map(value).collect::<Vec<_>>();
        let mut search = Search::new(&mut leaves.shapes);
        let now = search.needs(&roots);
        let form = search.better(roots);
        assert!(search.needs(&form).is_less(now));
        search.effort()
    };
    let [few, many] = [8, 64].map(effort);
    let per_trial = |effort: Effort| effort.visits / effort.trials;
    assert!(many.trials > 4 * few.trials, "{few:?} {many:?}");
    assert!(per_trial(many) <= per_trial(few) + 1, "{few:?} {many:?}");
    assert!(many.shapes <= 8 * few.shapes, "{few:?} {many:?}");
}

#[test]
fn the_first_terms_of_sums_are_shared() {
    let mut leaves = Leaves::new(1);
    let terms = (0..200).map(|along| Term::of(leaves.cell(0, [along, 0, 0]))).collect::<Vec<_>>();
    let before = leaves.shapes.len();
    leaves.shapes.sum(terms.clone());
    assert_eq!(leaves.shapes.len() - before, 199);
    // The same with another end.
    let known = leaves.shapes.len();
    let other = Term { weight: Weight(0.5), ..terms[199].clone() };
    leaves.shapes.sum([&terms[..199], &[other]].concat());
    assert_eq!(leaves.shapes.len() - known, 2, "a product and a sum");
    leaves.shapes.forget(known);
    assert_eq!(leaves.shapes.len(), known);
    leaves.shapes.sum(terms);
    assert_eq!(leaves.shapes.len(), known);
}
