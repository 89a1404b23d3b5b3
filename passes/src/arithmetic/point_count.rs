//! Instruction counts of an apply's operations as written, for one point and for several.

use super::{flags::Flags, point_code::PointCode, shapes::Offset};
use melior::ir::{OperationRef, Value, operation::OperationLike};
use std::collections::HashMap;
use stencil_dialects::{
    build,
    ods::arith,
    walk::{self, ValueKey},
};

/// A value, by the operation and the numbers of its operands.
type Key = (String, Vec<usize>);

/// Counts instructions, equal ones once.
struct Count<'k, 'c, 'a> {
    code: &'k PointCode<'c, 'a>,
    numbers: HashMap<Key, usize>,
    instructions: usize,
}

/// Floating-point instructions of the operations at several points together, as written: a sum
/// fuses one product, if both permit it and the product has no other use; operations on equal
/// operands in equal order are merged; signs are free.
pub fn instructions<'c: 'a, 'a>(code: &PointCode<'c, 'a>, points: &[Offset]) -> usize {
    let mut count = Count { code, numbers: HashMap::new(), instructions: 0 };
    for point in points {
        let mut known = HashMap::new();
        for part in code.parts() {
            count.part(*part, *point, &mut known);
        }
    }
    count.instructions
}

impl<'c: 'a, 'a> Count<'_, 'c, 'a> {
    fn part(
        &mut self,
        part: OperationRef<'c, 'a>,
        point: Offset,
        known: &mut HashMap<ValueKey, usize>,
    ) {
        let name = walk::name(&part);
        let operands = part.operands().collect::<Vec<_>>();
        let taken = match name {
            arith::ADDF | arith::SUBF if permits(part) => operands.iter().position(|operand| {
                let product = self.product(*operand);
                product.is_some_and(|product| permits(product) && is_single(*operand))
            }),
            _ => None,
        };
        let mut numbers = Vec::new();
        for (position, operand) in operands.iter().enumerate() {
            if taken == Some(position) {
                let product = self.product(*operand).expect("it was found to be one");
                for factor in product.operands() {
                    numbers.push(self.number(factor, point, known));
                }
            } else {
                numbers.push(self.number(*operand, point, known));
            }
        }
        let is_fused = name == arith::MULF && is_taken(part);
        let own = usize::from(name != arith::NEGF && !is_fused);
        let name = match (taken, is_fused) {
            (Some(position), _) => format!("{name} fused {position}"),
            // Fused into a sum it is no value of its own.
            (None, true) => return,
            (None, false) => name.to_owned(),
        };
        let number = self.known((name, numbers), own);
        known.insert(ValueKey::of(&build::single(part)), number);
    }

    fn product(&self, value: Value<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
        let product = walk::definition(value)?;
        let is_own = walk::name(&product) == arith::MULF && self.code.parts().contains(&product);
        is_own.then_some(product)
    }

    fn number(
        &mut self,
        value: Value<'c, 'a>,
        point: Offset,
        known: &HashMap<ValueKey, usize>,
    ) -> usize {
        if let Some(number) = known.get(&ValueKey::of(&value)) {
            return *number;
        }
        let place = self.code.leaf(value).expect("what is no part is a leaf");
        let place = self.code.shapes.moved(place, point);
        self.known((format!("{place:?}"), Vec::new()), 0)
    }

    fn known(&mut self, key: Key, own: usize) -> usize {
        let next = self.numbers.len();
        let number = *self.numbers.entry(key).or_insert(next);
        self.instructions += if number == next { own } else { 0 };
        number
    }
}

fn permits(operation: OperationRef) -> bool {
    Flags::of(operation).permit("contract")
}

fn is_single(value: Value) -> bool {
    walk::uses(value).len() == 1
}

/// Whether the only use of a product is a sum that fuses it, and not its other operand.
fn is_taken(product: OperationRef) -> bool {
    let uses = walk::uses(build::single(product));
    let [used] = &uses[..] else { return false };
    let is_sum = [arith::ADDF, arith::SUBF].contains(&walk::name(&used.user));
    if !is_sum
        || !permits(product)
        || !permits(used.user)
        || Flags::of(used.user) != Flags::of(product)
    {
        return false;
    }
    let is_earlier = |operand: usize| {
        let other = used.user.operand(operand).expect("a sum has two operands");
        walk::definition(other).is_some_and(|other| {
            walk::name(&other) == arith::MULF && permits(other) && is_single(build::single(other))
        })
    };
    used.operand == 0 || !is_earlier(0)
}
