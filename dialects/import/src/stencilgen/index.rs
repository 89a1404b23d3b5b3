//! Indices of arrays: integers that depend on iterators and loop variables.

use super::{
    ast::IntegerOperator,
    program::{IteratorId, LoopId},
};
use std::collections::BTreeMap;

/// A variable of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variable {
    /// An iterator of the point.
    Iterator(IteratorId),
    /// The variable of a loop over time.
    Loop(LoopId),
}

/// An index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Index {
    /// A number.
    Constant(i64),
    /// An iterator or loop variable.
    Variable(Variable),
    /// Minus an index.
    Negate(Box<Index>),
    /// An operation; a division cuts towards zero.
    Binary(IntegerOperator, Box<Index>, Box<Index>),
}

/// A constant plus multiples of variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Affine {
    /// The constant.
    pub constant: i64,
    /// The factors, none of them zero.
    pub factors: BTreeMap<Variable, i64>,
}

impl Affine {
    /// The iterator and the constant, if the index is `iterator + constant`.
    pub fn shifted_iterator(&self) -> Option<(IteratorId, i64)> {
        match self.factors.iter().next() {
            Some((Variable::Iterator(iterator), 1)) if self.factors.len() == 1 => {
                Some((*iterator, self.constant))
            }
            _ => None,
        }
    }

    fn scaled(mut self, factor: i64) -> Option<Self> {
        self.constant = self.constant.checked_mul(factor)?;
        for value in self.factors.values_mut() {
            *value = value.checked_mul(factor)?;
        }
        self.factors.retain(|_, value| *value != 0);
        Some(self)
    }

    fn plus(mut self, other: &Self) -> Option<Self> {
        self.constant = self.constant.checked_add(other.constant)?;
        for (variable, factor) in &other.factors {
            let sum = self.factors.entry(*variable).or_default();
            *sum = sum.checked_add(*factor)?;
        }
        self.factors.retain(|_, value| *value != 0);
        Some(self)
    }
}

/// The values of an index: first and last, both included.
pub type Interval = (i64, i64);

impl Index {
    /// The index as an affine function of variables, if it is one.
    pub fn affine(&self) -> Option<Affine> {
        match self {
            Index::Constant(constant) => Some(Affine { constant: *constant, ..Affine::default() }),
            Index::Variable(variable) => {
                Some(Affine { constant: 0, factors: BTreeMap::from([(*variable, 1)]) })
            }
            Index::Negate(one) => one.affine()?.scaled(-1),
            Index::Binary(IntegerOperator::Add, one, two) => one.affine()?.plus(&two.affine()?),
            Index::Binary(IntegerOperator::Subtract, one, two) => {
                one.affine()?.plus(&two.affine()?.scaled(-1)?)
            }
            Index::Binary(IntegerOperator::Multiply, one, two) => {
                let (one, two) = (one.affine()?, two.affine()?);
                match (one.factors.is_empty(), two.factors.is_empty()) {
                    (true, _) => two.scaled(one.constant),
                    (_, true) => one.scaled(two.constant),
                    _ => None,
                }
            }
            Index::Binary(IntegerOperator::Divide, one, two) => {
                let (one, two) = (one.affine()?, two.affine()?);
                let are_constant = one.factors.is_empty() && two.factors.is_empty();
                let constant = one.constant.checked_div(two.constant).filter(|_| are_constant)?;
                Some(Affine { constant, ..Affine::default() })
            }
        }
    }

    /// Bounds of its values, given those of the variables; none where it may divide by zero or
    /// overflow, or a variable has no value.
    pub fn interval(&self, of: &impl Fn(Variable) -> Option<Interval>) -> Option<Interval> {
        if let Some(affine) = self.affine() {
            return affine_interval(&affine, of);
        }
        match self {
            Index::Constant(constant) => Some((*constant, *constant)),
            Index::Variable(variable) => of(*variable),
            Index::Negate(one) => {
                let (first, last) = one.interval(of)?;
                Some((last.checked_neg()?, first.checked_neg()?))
            }
            Index::Binary(operator, one, two) => {
                corners(*operator, one.interval(of)?, two.interval(of)?)
            }
        }
    }

    /// The variables that it depends on.
    pub fn variables(&self, found: &mut Vec<Variable>) {
        match self {
            Index::Constant(_) => {}
            Index::Variable(variable) => found.push(*variable),
            Index::Negate(one) => one.variables(found),
            Index::Binary(_, one, two) => {
                one.variables(found);
                two.variables(found);
            }
        }
    }
}

fn affine_interval(
    affine: &Affine,
    of: &impl Fn(Variable) -> Option<Interval>,
) -> Option<Interval> {
    let mut sum = (affine.constant, affine.constant);
    for (variable, factor) in &affine.factors {
        let (first, last) = of(*variable)?;
        let (one, two) = (first.checked_mul(*factor)?, last.checked_mul(*factor)?);
        sum = (sum.0.checked_add(one.min(two))?, sum.1.checked_add(one.max(two))?);
    }
    Some(sum)
}

/// All four operations are monotonic in each operand (division where zero is excluded), so the
/// extremes are at the corners.
fn corners(operator: IntegerOperator, one: Interval, two: Interval) -> Option<Interval> {
    if operator == IntegerOperator::Divide && two.0 <= 0 && two.1 >= 0 {
        return None;
    }
    let apply = |a: i64, b: i64| match operator {
        IntegerOperator::Add => a.checked_add(b),
        IntegerOperator::Subtract => a.checked_sub(b),
        IntegerOperator::Multiply => a.checked_mul(b),
        IntegerOperator::Divide => a.checked_div(b),
    };
    let mut found = Vec::new();
    for a in [one.0, one.1] {
        for b in [two.0, two.1] {
            found.push(apply(a, b)?);
        }
    }
    Some((*found.iter().min()?, *found.iter().max()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn k() -> Index {
        Index::Variable(Variable::Iterator(0))
    }

    fn binary(operator: IntegerOperator, one: Index, two: Index) -> Index {
        Index::Binary(operator, Box::new(one), Box::new(two))
    }

    #[test]
    fn sums_and_multiples_are_affine() {
        use IntegerOperator::{Add, Multiply, Subtract};
        let twice = binary(Multiply, Index::Constant(2), k());
        let shifted = binary(Subtract, binary(Add, twice, Index::Constant(5)), k());
        assert_eq!(shifted.affine().unwrap().shifted_iterator(), Some((0, 5)));
        assert_eq!(binary(Multiply, k(), k()).affine(), None);
    }

    #[test]
    fn intervals_hold_every_value() {
        use IntegerOperator::{Add, Divide, Multiply, Subtract};
        let index =
            binary(Subtract, binary(Multiply, k(), k()), binary(Divide, k(), Index::Constant(2)));
        let (first, last) = index.interval(&|_| Some((-3, 5))).unwrap();
        for value in -3_i64..=5 {
            let exact = value * value - value / 2;
            assert!(first <= exact && exact <= last);
        }
        let by_zero = binary(Divide, Index::Constant(1), k());
        assert_eq!(by_zero.interval(&|_| Some((-1, 1))), None);
        let huge = binary(Add, Index::Constant(i64::MAX), k());
        assert_eq!(huge.interval(&|_| Some((0, 1))), None);
    }
}
