//! Numbers that depend on the extents of a domain: sums of products of extents.
//!
//! Bounds, strides and distances of a kernel are such numbers. Where all extents are constants so
//! are they, and the code that is made of them is that of constants. Coordinates lie anywhere in 64
//! bits, their distances do not: differences wrap.

use melior::ir::{Type, Value};
use std::{
    collections::BTreeMap,
    ops::{Add, Mul, Sub},
};
use stencil_dialects::{build::Inserter, ods::arith};

/// A product of extents, as dimensions of the domain in ascending order; none for 1.
type Monomial = Vec<usize>;

/// A sum of products of extents, each with a factor that is not zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(BTreeMap<Monomial, i64>);

/// What is known of an extent: it is a multiple of a number, and a rest that is less than it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Congruence {
    /// The number, 1 where nothing is known.
    pub multiple: i64,
    /// The rest.
    pub rest: i64,
}

impl From<i64> for Size {
    fn from(number: i64) -> Self {
        Self::default().with(Monomial::new(), number)
    }
}

impl Size {
    /// The extent of the domain along a dimension.
    pub fn extent(d: usize) -> Self {
        Self::default().with(vec![d], 1)
    }

    /// The number, if no extent is part of it.
    pub fn constant(&self) -> Option<i64> {
        match self.0.len() {
            0 => Some(0),
            1 => self.0.get(&Monomial::new()).copied(),
            _ => None,
        }
    }

    /// What depends on extents, and the constant that is added to it.
    pub fn split(&self) -> (Self, i64) {
        let mut rest = self.clone();
        let constant = rest.0.remove(&Monomial::new()).unwrap_or(0);
        (rest, constant)
    }

    /// The number as one of the extents' quotients: each extent is its quotient times a multiple,
    /// plus a rest.
    pub fn of_quotients(&self, extents: &[Congruence]) -> Self {
        let extent = |d: &usize| {
            let Congruence { multiple, rest } = extents[*d];
            &Self::extent(*d) * &Self::from(multiple) + Self::from(rest)
        };
        let terms = self.0.iter().map(|(monomial, factor)| {
            monomial.iter().map(extent).fold(Self::from(*factor), |term, extent| &term * &extent)
        });
        terms.sum()
    }

    /// The extent that the number is a constant away from, and that constant.
    pub fn extent_and_distance(&self) -> Option<(usize, i64)> {
        let (depends, constant) = self.split();
        let mut terms = depends.0.into_iter();
        match (terms.next(), terms.next()) {
            (Some((monomial, 1)), None) if monomial.len() == 1 => Some((monomial[0], constant)),
            _ => None,
        }
    }

    fn with(mut self, monomial: Monomial, factor: i64) -> Self {
        let sum = self.0.get(&monomial).copied().unwrap_or(0).wrapping_add(factor);
        match sum {
            0 => self.0.remove(&monomial),
            _ => self.0.insert(monomial, sum),
        };
        self
    }

    /// The number as a value of an integer type, from the values of the extents.
    pub fn emit<'c: 'a, 'a>(
        &self,
        at: Inserter<'c, 'a>,
        r#type: Type<'c>,
        extents: &[Value<'c, 'a>],
    ) -> Value<'c, 'a> {
        let (depends, constant) = self.split();
        let products = depends.0.iter().map(|(monomial, factor)| {
            let factors = monomial.iter().map(|d| extents[*d]);
            let product = factors.reduce(|one, two| arith::muli(at, one, two));
            let product = product.expect("a product that depends on extents has some");
            match factor {
                1 => product,
                _ => arith::muli(at, product, at.integer(r#type, *factor)),
            }
        });
        match (products.reduce(|one, two| arith::addi(at, one, two)), constant) {
            (None, _) => at.integer(r#type, constant),
            (Some(sum), 0) => sum,
            (Some(sum), _) => arith::addi(at, sum, at.integer(r#type, constant)),
        }
    }
}

impl Add for Size {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        other.0.into_iter().fold(self, |sum, (monomial, factor)| sum.with(monomial, factor))
    }
}

impl Sub for Size {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        other
            .0
            .into_iter()
            .fold(self, |sum, (monomial, factor)| sum.with(monomial, factor.wrapping_neg()))
    }
}

impl Mul for &Size {
    type Output = Size;

    fn mul(self, other: &Size) -> Size {
        let mut product = Size::default();
        for (one, factor) in &self.0 {
            for (two, other_factor) in &other.0 {
                let mut monomial = [one.as_slice(), two].concat();
                monomial.sort_unstable();
                product = product.with(monomial, factor.wrapping_mul(*other_factor));
            }
        }
        product
    }
}

impl std::iter::Sum for Size {
    fn sum<I: Iterator<Item = Self>>(sizes: I) -> Self {
        sizes.fold(Self::default(), Add::add)
    }
}

/// A box of points whose corners may depend on extents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizedBounds {
    /// First point, per dimension.
    pub lower: Vec<Size>,
    /// One past the last point, per dimension.
    pub upper: Vec<Size>,
}

impl SizedBounds {
    /// Points along each dimension. No box is empty.
    pub fn extents(&self) -> Vec<Size> {
        let ends = self.lower.iter().zip(&self.upper);
        ends.map(|(lower, upper)| upper.clone() - lower.clone()).collect()
    }

    /// The number of points.
    pub fn points(&self) -> Size {
        self.extents().iter().fold(Size::from(1), |points, extent| &points * extent)
    }

    /// Row-major strides in elements of an array with these extents.
    pub fn strides(&self) -> Vec<Size> {
        let extents = self.extents();
        let mut strides = vec![Size::from(1); extents.len()];
        for d in (0..extents.len().saturating_sub(1)).rev() {
            strides[d] = &strides[d + 1] * &extents[d + 1];
        }
        strides
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_stay_constants() {
        let sum = Size::from(3) + Size::from(4) - Size::from(7);
        assert_eq!((sum.constant(), sum), (Some(0), Size::default()));
        assert_eq!((&Size::from(3) * &Size::from(4)).constant(), Some(12));
    }

    #[test]
    fn extents_cancel() {
        let upper = Size::extent(1) + Size::from(2);
        let lower = Size::extent(1) - Size::from(1);
        assert_eq!(upper.constant(), None);
        assert_eq!((upper - lower).constant(), Some(3));
    }

    #[test]
    fn distances_of_coordinates_at_the_ends_are_right() {
        let distance = Size::from(i64::MIN + 3) - Size::from(i64::MIN);
        assert_eq!(distance.constant(), Some(3));
    }

    #[test]
    fn what_divides_all_strides_is_a_factor_of_each_term() {
        let row = Size::extent(1) + Size::from(2);
        let known = [Congruence { multiple: 1, rest: 0 }, Congruence { multiple: 4, rest: 2 }];
        let plane = (&row * &Size::extent(0)).of_quotients(&known);
        // (4 q1 + 4) e0
        assert_eq!(plane.0.into_iter().collect::<Vec<_>>(), [(vec![0], 4), (vec![0, 1], 4)]);
        assert_eq!(row.of_quotients(&known).0.into_values().collect::<Vec<_>>(), [4, 4]);
    }

    #[test]
    fn strides_are_products_of_extents() {
        let along = |d: usize| Size::extent(d) + Size::from(1);
        let bounds = SizedBounds {
            lower: vec![Size::from(-1); 3],
            upper: (0..3).map(Size::extent).collect(),
        };
        let strides = bounds.strides();
        assert_eq!(strides[2].constant(), Some(1));
        assert_eq!(strides[1], along(2));
        // (e1 + 1)(e2 + 1) = e1 e2 + e1 + e2 + 1
        let product = &along(1) * &along(2);
        assert_eq!((&strides[0], product.split().1), (&product, 1));
        assert_eq!(product.split().0.0.len(), 3);
        assert_eq!(bounds.points(), &product * &along(0));
    }
}
