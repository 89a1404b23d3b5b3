//! What floating-point values are never less than: a constant plus squares is not less than it.
//!
//! Addition rounds monotonically: a sum with something that is not negative is not less than the
//! other term, in whatever order terms are added, and whether or not products are fused with sums.
//! NaN is allowed throughout. Nothing is known of what is loaded.

use melior::ir::{OperationRef, Value, attribute::FloatAttribute, operation::OperationLike};
use std::collections::HashMap;
use stencil_dialects::walk::{self, ValueKey};

/// The bounds of the values that were asked for.
#[derive(Default)]
pub struct LowerBounds {
    known: HashMap<ValueKey, f64>,
}

impl LowerBounds {
    /// A number that a value is not less than, where the value is not NaN; minus infinity if
    /// nothing is known.
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
        match walk::name(&operation).as_str() {
            "arith.constant" => {
                let value = operation.attribute("value").ok();
                let number = value.and_then(|value| FloatAttribute::try_from(value).ok());
                number.map_or(f64::NEG_INFINITY, |number| number.value())
            }
            "arith.addf" => sum(self.bounds([operand(0), operand(1)])),
            "arith.mulf" => self.product(operand(0), operand(1)),
            "math.fma" => {
                let product = self.product(operand(0), operand(1));
                sum([product, self.of(operand(2))])
            }
            "math.absf" | "math.sqrt" | "math.exp" => 0.0,
            "arith.maximumf" => {
                let [one, two] = self.bounds([operand(0), operand(1)]);
                one.max(two)
            }
            "arith.minimumf" => {
                let [one, two] = self.bounds([operand(0), operand(1)]);
                one.min(two)
            }
            "arith.select" => {
                let [yes, no] = self.bounds([operand(1), operand(2)]);
                yes.min(no)
            }
            _ => f64::NEG_INFINITY,
        }
    }

    fn bounds<'c: 'a, 'a>(&mut self, values: [Value<'c, 'a>; 2]) -> [f64; 2] {
        values.map(|value| self.of(value))
    }

    /// A square, or a product of two numbers that are not negative.
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
