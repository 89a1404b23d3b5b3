//! Hash-consed sums and products of a point, up to translation.
//!
//! A value is a shape at an offset: `mu * m1` two cells to the right is the shape of `mu * m1` at
//! the offset (0, 0, 2). Factors and terms are in a translation-invariant order, and the first term
//! of a sum has a positive weight, so a - b and, one cell further, b - a are one shape. Equal
//! shapes have one number.
//!
//! The instructions of several outputs of a thread are counted by shifting the roots: values with
//! equal shape and offset are one.

use super::linear::Precision;
use rustc_hash::{FxHashMap, FxHashSet};
use std::{
    cmp::Ordering,
    hash::{Hash, Hasher},
};

/// Dimensions that a program may have.
pub const RANK: usize = 3;

/// The offset of a value from the point; zero along dimensions that it does not follow.
pub type Offset = [i64; RANK];

/// A shape at an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The number of the shape.
    pub shape: usize,
    /// Where.
    pub offset: Offset,
}

/// A constant factor, compared by bits.
#[derive(Clone, Copy, Debug)]
pub struct Weight(pub f64);

impl Weight {
    /// Whether it needs no multiplication.
    pub fn is_unit(self) -> bool {
        self.0.abs() == 1.0
    }
}

impl Ord for Weight {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Weight {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Weight {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Weight {}

impl Hash for Weight {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

/// A constant times a product of values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Term {
    /// The constant.
    pub weight: Weight,
    /// The values, sorted.
    pub factors: Vec<Place>,
}

impl Term {
    /// A value as it is.
    pub fn of(place: Place) -> Self {
        Self { weight: Weight(1.0), factors: vec![place] }
    }

    /// Whether it is a value without a weight: the best start of a sum.
    fn is_plain(&self) -> bool {
        self.weight.is_unit() && self.factors.len() == 1
    }

    /// The negated term.
    pub fn negated(mut self) -> Self {
        self.weight.0 = -self.weight.0;
        self
    }
}

/// The structure of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// An opaque value, by number.
    Leaf(usize),
    /// A product of values, with several uses.
    Product(Vec<Place>),
    /// A sum, in order of addition.
    Sum(Vec<Term>),
    /// A prefix of sums; no value of its own.
    Begun,
    /// A constant times a value, for counting; always part of a term.
    Weighted(Weight, usize),
}

/// The identity of a shape. A sum is identified by its prefix and its last term, so that lookup is
/// linear in its terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Leaf(usize),
    Product(Vec<Place>),
    Sum { count: usize, first: Term, last: Term },
    Weighted(Weight, usize),
}

/// Properties of a shape at offset zero.
#[derive(Clone, Debug)]
struct Known {
    key: Key,
    shape: Shape,
    /// The dimensions along which other offsets are other values.
    follows: [bool; RANK],
    /// The offset along dimension 0 of the last cell that it depends on.
    plane: Option<i64>,
    /// The operands of its last instruction; empty for leaves.
    operands: Vec<Place>,
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Computed {
    /// Its value.
    pub place: Place,
    /// The position of a fused product.
    pub takes: Option<usize>,
}

/// All shapes of a block.
#[derive(Clone, Debug)]
pub struct Shapes {
    known: Vec<Known>,
    numbers: FxHashMap<Key, usize>,
    leaves: usize,
    /// The dimensions that points have.
    dimensions: [bool; RANK],
    precision: Precision,
    /// Whether products may be fused with sums.
    may_fuse: bool,
}

impl Shapes {
    /// An empty set.
    pub fn new(rank: usize, precision: Precision, may_fuse: bool) -> Self {
        let (known, numbers) = (Vec::new(), FxHashMap::default());
        let dimensions = std::array::from_fn(|dimension| dimension < rank);
        Self { known, numbers, leaves: 0, dimensions, precision, may_fuse }
    }

    /// The number of shapes.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Discards the shapes from a number on. No form may use them.
    pub fn forget(&mut self, from: usize) {
        for known in self.known.drain(from..) {
            self.numbers.remove(&known.key);
        }
    }

    /// The structure of a shape.
    pub fn shape(&self, number: usize) -> &Shape {
        &self.known[number].shape
    }

    /// Whether a value depends on the point along all dimensions, as cells do.
    pub fn is_of_every_point(&self, shape: usize) -> bool {
        self.known[shape].follows == self.dimensions
    }

    /// A new leaf that depends on the point along all dimensions.
    pub fn leaf(&mut self, plane: Option<i64>) -> usize {
        self.leaf_along(self.dimensions, plane)
    }

    /// The same for a value that follows only some dimensions.
    pub fn leaf_along(&mut self, follows: [bool; RANK], plane: Option<i64>) -> usize {
        self.leaves += 1;
        let (key, shape) = (Key::Leaf(self.leaves), Shape::Leaf(self.leaves));
        self.number(Known { key, shape, follows, plane, operands: Vec::new() })
    }

    fn number(&mut self, known: Known) -> usize {
        let next = self.known.len();
        let number = *self.numbers.entry(known.key.clone()).or_insert(next);
        if number == next {
            self.known.push(known);
        }
        number
    }

    /// A place moved by an offset.
    pub fn moved(&self, place: Place, by: Offset) -> Place {
        let mut offset = place.offset;
        for (d, follows) in self.known[place.shape].follows.iter().enumerate() {
            offset[d] += if *follows { by[d] } else { 0 };
        }
        Place { offset, ..place }
    }

    /// A term moved by an offset.
    pub fn moved_term(&self, term: &Term, by: Offset) -> Term {
        let factors = term.factors.iter().map(|factor| self.moved(*factor, by)).collect();
        Term { weight: term.weight, factors }
    }

    /// The product of terms; none if its weight is not a normal number.
    pub fn times(&self, one: Term, other: &Term) -> Option<Term> {
        let weight = self.precision.product(one.weight.0, other.weight.0);
        let mut factors = one.factors;
        factors.extend(&other.factors);
        factors.sort_unstable();
        self.precision.is_normal(weight).then_some(Term { weight: Weight(weight), factors })
    }

    /// A product of two values or more, as a value.
    pub fn product(&mut self, mut factors: Vec<Place>) -> Place {
        factors.sort_unstable();
        let at = self.corner(factors.iter());
        let back = at.map(|along| -along);
        let factors = factors.iter().map(|factor| self.moved(*factor, back)).collect::<Vec<_>>();
        let key = Key::Product(factors);
        let known = self.numbers.get(&key).copied();
        let shape = known.unwrap_or_else(|| {
            let Key::Product(factors) = &key else { unreachable!("it was made of factors") };
            let (follows, plane) = self.together(factors.iter());
            let (last, first) = factors.split_last().expect("a product has factors");
            let operands = vec![self.whole(first), *last];
            let shape = Shape::Product(factors.clone());
            self.number(Known { key: key.clone(), shape, follows, plane, operands })
        });
        self.moved(Place { shape, offset: [0; RANK] }, at)
    }

    /// The value of a factor, or of several.
    fn whole(&mut self, factors: &[Place]) -> Place {
        match factors {
            [one] => *one,
            _ => self.product(factors.to_vec()),
        }
    }

    /// A sum of terms, as a term: its sign is outside.
    pub fn sum(&mut self, mut terms: Vec<Term>) -> Term {
        if terms.len() == 1 {
            return terms.remove(0);
        }
        let at = self.corner(terms.iter().flat_map(|term| &term.factors));
        let back = at.map(|along| -along);
        for term in &mut terms {
            *term = self.moved_term(term, back);
        }
        self.order(&mut terms);
        let is_negative = terms[0].weight.0 < 0.0;
        if is_negative {
            terms = terms.into_iter().map(Term::negated).collect();
        }
        let shape = self.added(&terms);
        let known = &mut self.known[shape].shape;
        if *known == Shape::Begun {
            *known = Shape::Sum(terms);
        }
        let sum = Term::of(self.moved(Place { shape, offset: [0; RANK] }, at));
        if is_negative { sum.negated() } else { sum }
    }

    /// The sum of terms in their order. Prefixes of ordered sums are ordered, too.
    fn added(&mut self, terms: &[Term]) -> usize {
        let mut corner = [None; RANK];
        self.extend_corner(&mut corner, terms[0].factors.iter());
        let (mut sum, mut shape) = (terms[0].clone(), 0);
        for (at, term) in terms.iter().enumerate().skip(1) {
            self.extend_corner(&mut corner, term.factors.iter());
            let here = corner.map(|along| along.unwrap_or(0));
            let back = here.map(|along| -along);
            let (first, last) = (self.moved_term(&sum, back), self.moved_term(term, back));
            let key = Key::Sum { count: at + 1, first, last };
            shape = match self.numbers.get(&key) {
                Some(known) => *known,
                None => self.add(key),
            };
            sum = Term::of(self.moved(Place { shape, offset: [0; RANK] }, here));
        }
        shape
    }

    fn add(&mut self, key: Key) -> usize {
        let Key::Sum { first, last, .. } = &key else { unreachable!("sums are added") };
        let (follows, plane) = self.together(first.factors.iter().chain(&last.factors));
        let operands = [first, last].map(|term| self.of_term(term)).to_vec();
        self.number(Known { key, shape: Shape::Begun, follows, plane, operands })
    }

    /// The value of a term without its sign.
    pub fn of_term(&mut self, term: &Term) -> Place {
        let product = self.whole(&term.factors);
        if term.weight.is_unit() {
            return product;
        }
        let base = Place { offset: [0; RANK], ..product };
        let weight = Weight(term.weight.0.abs());
        let (key, shape) =
            (Key::Weighted(weight, product.shape), Shape::Weighted(weight, product.shape));
        let Known { follows, plane, .. } = self.known[product.shape];
        let shape = self.number(Known { key, shape, follows, plane, operands: vec![base] });
        Place { shape, ..product }
    }

    /// The smallest offsets of the leaves, independent of their grouping.
    pub fn corner<'p>(&self, places: impl Iterator<Item = &'p Place>) -> Offset {
        let mut corner = [None; RANK];
        self.extend_corner(&mut corner, places);
        corner.map(|along| along.unwrap_or(0))
    }

    fn extend_corner<'p>(
        &self,
        corner: &mut [Option<i64>; RANK],
        places: impl Iterator<Item = &'p Place>,
    ) {
        for place in places {
            for d in (0..RANK).filter(|d| self.known[place.shape].follows[*d]) {
                let along = place.offset[d];
                corner[d] = Some(corner[d].map_or(along, |known: i64| known.min(along)));
            }
        }
    }

    fn together<'p>(&self, places: impl Iterator<Item = &'p Place>) -> ([bool; RANK], Option<i64>) {
        let (mut follows, mut plane) = ([false; RANK], None);
        for place in places {
            let own = self.known[place.shape].follows;
            (0..RANK).for_each(|d| follows[d] |= own[d]);
            plane = plane.max(self.plane(*place));
        }
        (follows, plane)
    }

    /// The last plane that a value depends on.
    pub fn plane(&self, place: Place) -> Option<i64> {
        self.known[place.shape].plane.map(|plane| plane + place.offset[0])
    }

    /// Sorts terms by planes, starting with one without a weight if the first plane has one.
    fn order(&self, terms: &mut [Term]) {
        let plane = |term: &Term| term.factors.iter().map(|factor| self.plane(*factor)).max();
        terms.sort_by(|one, other| {
            let size = |term: &Term| Weight(term.weight.0.abs());
            (plane(one), &one.factors, size(one)).cmp(&(plane(other), &other.factors, size(other)))
        });
        let first = plane(&terms[0]);
        let of_first = terms.iter().take_while(|term| plane(term) == first);
        let start = of_first.clone().position(Term::is_plain).unwrap_or(0);
        terms[..=start].rotate_right(1);
    }

    /// The direct operands of a shape.
    pub fn parts(&self, shape: usize) -> impl Iterator<Item = Place> {
        let (factors, terms, weighted): (&[Place], &[Term], _) = match self.shape(shape) {
            Shape::Leaf(_) | Shape::Begun => (&[], &[], None),
            Shape::Product(factors) => (factors, &[], None),
            Shape::Sum(terms) => (&[], terms, None),
            Shape::Weighted(_, shape) => (&[], &[], Some(*shape)),
        };
        let of_terms = terms.iter().flat_map(|term| &term.factors);
        let weighted = weighted.map(|shape| Place { shape, offset: [0; RANK] });
        factors.iter().chain(of_terms).copied().chain(weighted)
    }

    /// The instructions of one point: equal values are merged, and a sum fuses a product without
    /// other uses.
    pub fn code(&mut self, roots: &[Term]) -> Vec<Computed> {
        let roots = roots.iter().map(|root| self.of_term(root)).collect::<Vec<_>>();
        let mut uses: FxHashMap<Place, usize> = FxHashMap::default();
        // An output is a use that prevents fusion.
        roots.iter().for_each(|root| *uses.entry(*root).or_default() += 2);
        let (mut open, mut order, mut seen) = (roots, Vec::new(), FxHashSet::default());
        while let Some(place) = open.pop() {
            if seen.insert(place) {
                order.push(place);
                for operand in self.operands(place) {
                    *uses.entry(operand).or_default() += 1;
                    open.push(operand);
                }
            }
        }
        let is_product = |place: Place| {
            matches!(self.shape(place.shape), Shape::Product(_) | Shape::Weighted(..))
        };
        let mut taken = FxHashSet::default();
        let mut code = Vec::new();
        for place in order {
            let is_sum = self.may_take(place.shape);
            let takes = self.operands(place).filter(|_| is_sum);
            let mut takes =
                takes.enumerate().filter(|(_, part)| is_product(*part) && uses[part] == 1);
            let takes = takes.next();
            taken.extend(takes.map(|(_, part)| part));
            code.push(Computed { place, takes: takes.map(|(position, _)| position) });
        }
        let is_leaf = |place: Place| matches!(self.shape(place.shape), Shape::Leaf(_));
        code.retain(|value| !is_leaf(value.place) && !taken.contains(&value.place));
        code
    }

    /// Whether the instruction of a shape may fuse a product.
    pub fn may_take(&self, shape: usize) -> bool {
        self.may_fuse && matches!(self.shape(shape), Shape::Sum(_) | Shape::Begun)
    }

    /// The operands of the last instruction of a value; empty for leaves.
    pub fn operands(&self, place: Place) -> impl DoubleEndedIterator<Item = Place> {
        let operands = &self.known[place.shape].operands;
        operands.iter().map(move |operand| self.moved(*operand, place.offset))
    }

    /// Instructions of the same code at several points together, equal ones once.
    pub fn instructions(&self, code: &[Computed], points: &[Offset]) -> usize {
        let at = |point: &Offset| {
            let point = *point;
            code.iter()
                .map(move |value| Computed { place: self.moved(value.place, point), ..*value })
        };
        points.iter().flat_map(at).collect::<FxHashSet<_>>().len()
    }

    /// Use counts of the values of one point.
    pub fn uses(&self, roots: &[Term]) -> FxHashMap<Place, usize> {
        let mut uses = FxHashMap::default();
        let mut open = roots.iter().flat_map(|root| root.factors.clone()).collect::<Vec<_>>();
        while let Some(place) = open.pop() {
            let count = uses.entry(place).or_insert(0);
            *count += 1;
            if *count == 1 {
                let parts = self.parts(place.shape);
                open.extend(parts.map(|part| self.moved(part, place.offset)));
            }
        }
        uses
    }
}
