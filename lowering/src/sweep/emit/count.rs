//! Numbers of tiles, chunks and planes: constants, or values where extents are given at run time.

use crate::builders;
use melior::ir::{Type, Value, ValueLike};
use stencil_dialects::{build::Inserter, ods::arith};

/// A number that is not negative.
#[derive(Clone, Copy)]
pub enum Count<'c, 'a> {
    /// A constant.
    Fixed(i64),
    /// A value.
    Given(Value<'c, 'a>),
}

use Count::{Fixed, Given};

impl<'c: 'a, 'a> Count<'c, 'a> {
    /// The number, if it is a constant.
    pub fn constant(self) -> Option<i64> {
        match self {
            Fixed(number) => Some(number),
            Given(_) => None,
        }
    }

    /// The value, if it is one.
    pub fn given(self) -> Option<Value<'c, 'a>> {
        match self {
            Fixed(_) => None,
            Given(value) => Some(value),
        }
    }

    /// The number as a value; of a given one this is the type that it has.
    pub fn value(self, at: Inserter<'c, 'a>, r#type: Type<'c>) -> Value<'c, 'a> {
        match self {
            Fixed(number) => at.integer(r#type, number),
            Given(value) => value,
        }
    }

    /// The number plus a constant, which may be negative.
    pub fn plus(self, at: Inserter<'c, 'a>, number: i64) -> Self {
        match self {
            Fixed(own) => Fixed(own + number),
            Given(own) => Given(builders::plus(at, own, number)),
        }
    }

    /// The sum of two.
    pub fn and(self, at: Inserter<'c, 'a>, other: Self) -> Self {
        match (self, other) {
            (own, Fixed(number)) | (Fixed(number), own) => own.plus(at, number),
            (Given(one), Given(two)) => Given(arith::addi(at, one, two)),
        }
    }

    /// The product of two.
    pub fn times(self, at: Inserter<'c, 'a>, other: Self) -> Self {
        match (self, other) {
            (Fixed(one), Fixed(two)) => Fixed(one * two),
            (Given(own), Fixed(number)) | (Fixed(number), Given(own)) => {
                Given(builders::times(at, own, number))
            }
            (Given(one), Given(two)) => Given(arith::muli(at, one, two)),
        }
    }

    /// The quotient, rounded down, by a number that is not zero.
    pub fn over(self, at: Inserter<'c, 'a>, divisor: Self) -> Self {
        match (self, divisor) {
            (Fixed(one), Fixed(two)) => Fixed(one / two),
            (own, Fixed(1)) => own,
            (Given(own), _) => Given(arith::divui(at, own, divisor.value(at, own.r#type()))),
            (_, Given(by)) => Given(arith::divui(at, self.value(at, by.r#type()), by)),
        }
    }

    /// The quotient, rounded up.
    pub fn over_up(self, at: Inserter<'c, 'a>, divisor: Self) -> Self {
        self.and(at, divisor).plus(at, -1).over(at, divisor)
    }

    /// The larger of the number and a constant; the number may be negative here.
    pub fn at_least(self, at: Inserter<'c, 'a>, least: i64) -> Self {
        match self {
            Fixed(own) => Fixed(own.max(least)),
            Given(own) => Given(arith::maxsi(at, own, at.integer(own.r#type(), least))),
        }
    }

    /// The smaller of two.
    pub fn at_most(self, at: Inserter<'c, 'a>, most: Self) -> Self {
        match (self, most) {
            (Fixed(one), Fixed(two)) => Fixed(one.min(two)),
            (Given(own), _) => Given(arith::minsi(at, own, most.value(at, own.r#type()))),
            (_, Given(most)) => Given(arith::minsi(at, self.value(at, most.r#type()), most)),
        }
    }

    /// The quotient and the remainder of a value by the number, which is not zero.
    pub fn divide(
        self,
        at: Inserter<'c, 'a>,
        value: Value<'c, 'a>,
    ) -> (Value<'c, 'a>, Value<'c, 'a>) {
        let by = self.value(at, value.r#type());
        (arith::divui(at, value, by), arith::remui(at, value, by))
    }

    /// A value times the number.
    pub fn multiply(self, at: Inserter<'c, 'a>, value: Value<'c, 'a>) -> Value<'c, 'a> {
        match self {
            Fixed(number) => builders::times(at, value, number),
            Given(number) => arith::muli(at, value, number),
        }
    }

    /// A value minus the number.
    pub fn subtract_from(self, at: Inserter<'c, 'a>, value: Value<'c, 'a>) -> Value<'c, 'a> {
        match self {
            Fixed(number) => builders::plus(at, value, -number),
            Given(number) => arith::subi(at, value, number),
        }
    }
}
