//! Lower bounds of floating-point values, such as a constant plus squares.
//!
//! Addition rounds monotonically: a sum with a non-negative term is at least the other term, in any
//! order of terms, with or without fused products; so do products and quotients. Bounds hold unless
//! the value is NaN. Loaded values have no bound.

use crate::arithmetic::{expression::constant, linear::Precision};
use melior::ir::{OperationRef, Value, operation::OperationLike};
use std::collections::HashMap;
use stencil_dialects::{
    ods::{arith, math},
    walk::{self, ValueKey},
};

/// A cache of bounds.
#[derive(Default)]
pub struct LowerBounds {
    known: HashMap<ValueKey, f64>,
}

impl LowerBounds {
    /// A lower bound of a value unless it is NaN; minus infinity if unknown.
    pub fn of<'c: 'a, 'a>(&mut self, value: Value<'c, 'a>) -> f64 {
        let key = ValueKey::of(&value);
        if let Some(bound) = self.known.get(&key) {
            return *bound;
        }
        let definition = walk::definition(value);
        let bound = definition.map_or(f64::NEG_INFINITY, |operation| self.result(operation));
        self.known.insert(key, bound);
        bound
    }

    fn result<'c: 'a, 'a>(&mut self, operation: OperationRef<'c, 'a>) -> f64 {
        let operand = |position| operation.operand(position).expect("the op has such an operand");
        match walk::name(&operation) {
            arith::CONSTANT => {
                constant(operation.result(0).expect("a constant has a result").into())
                    .unwrap_or(f64::NEG_INFINITY)
            }
            arith::ADDF => sum(self.bounds([operand(0), operand(1)])),
            arith::MULF => self.product(operand(0), operand(1)),
            math::FMA => {
                let product = self.product(operand(0), operand(1));
                sum([product, self.of(operand(2))])
            }
            math::ABSF | math::SQRT | math::EXP => 0.0,
            arith::DIVF => self.quotient(operand(0), operand(1)),
            arith::MAXIMUMF => {
                let [one, two] = self.bounds([operand(0), operand(1)]);
                one.max(two)
            }
            arith::MINIMUMF => {
                let [one, two] = self.bounds([operand(0), operand(1)]);
                one.min(two)
            }
            arith::SELECT => {
                let [yes, no] = self.bounds([operand(1), operand(2)]);
                yes.min(no)
            }
            _ => f64::NEG_INFINITY,
        }
    }

    fn bounds<'c: 'a, 'a>(&mut self, values: [Value<'c, 'a>; 2]) -> [f64; 2] {
        values.map(|value| self.of(value))
    }

    /// A square, or a product of two non-negative numbers.
    fn product<'c: 'a, 'a>(&mut self, one: Value<'c, 'a>, two: Value<'c, 'a>) -> f64 {
        let [first, second] = self.bounds([one, two]);
        if first >= 0.0 && second >= 0.0 {
            rounded(first * second)
        } else if ValueKey::of(&one) == ValueKey::of(&two) {
            0.0
        } else {
            f64::NEG_INFINITY
        }
    }

    /// A non-negative number divided by a minimum of a non-negative number and a constant.
    fn quotient<'c: 'a, 'a>(&mut self, dividend: Value<'c, 'a>, divisor: Value<'c, 'a>) -> f64 {
        let [dividend, least] = self.bounds([dividend, divisor]);
        let minimum = walk::definition(divisor).filter(|it| walk::name(it) == arith::MINIMUMF);
        let operands = minimum.iter().flat_map(|minimum| minimum.operands());
        match operands.filter_map(constant).reduce(f64::min) {
            Some(most) if dividend >= 0.0 && least >= 0.0 => rounded(dividend / most),
            _ => f64::NEG_INFINITY,
        }
    }
}

/// A bound of what rounds to a number in f32 or f64: subnormal numbers may be off by themselves.
fn rounded(bound: f64) -> f64 {
    if bound < 2.0 * Precision::F32.least_normal() {
        0.0
    } else {
        bound * (1.0 - f64::from(f32::EPSILON))
    }
}

/// One term is at least 0, so the sum is at least the other.
fn sum([one, two]: [f64; 2]) -> f64 {
    if one >= 0.0 && two >= 0.0 { one.max(two) } else { f64::NEG_INFINITY }
}
