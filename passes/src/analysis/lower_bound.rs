//! Lower bounds of floating-point values, such as a constant plus squares.
//!
//! Addition rounds monotonically: a sum with a non-negative term is at least the other term, in any
//! order of terms, with or without fused products. Bounds hold unless the value is NaN. Loaded
//! values have no bound.

use melior::ir::{OperationRef, Value, attribute::FloatAttribute, operation::OperationLike};
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
                let value = operation.attribute("value").ok();
                let number = value.and_then(|value| FloatAttribute::try_from(value).ok());
                number.map_or(f64::NEG_INFINITY, |number| number.value())
            }
            arith::ADDF => sum(self.bounds([operand(0), operand(1)])),
            arith::MULF => self.product(operand(0), operand(1)),
            math::FMA => {
                let product = self.product(operand(0), operand(1));
                sum([product, self.of(operand(2))])
            }
            math::ABSF | math::SQRT | math::EXP => 0.0,
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
        let is_square = ValueKey::of(&one) == ValueKey::of(&two);
        if is_square || self.bounds([one, two]).into_iter().all(|bound| bound >= 0.0) {
            0.0
        } else {
            f64::NEG_INFINITY
        }
    }
}

/// One term is at least 0, so the sum is at least the other.
fn sum([one, two]: [f64; 2]) -> f64 {
    if one >= 0.0 && two >= 0.0 { one.max(two) } else { f64::NEG_INFINITY }
}
