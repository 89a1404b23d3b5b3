//! What the operations of a point are in the machine: single instructions, and issue slots.

use melior::ir::{OperationRef, ValueLike, operation::OperationLike, r#type::IntegerType};
use stencil_dialects::{
    ods::{arith, stencil},
    walk,
};
use stencil_model::operations;

/// What is computed at a point.
#[derive(Clone, Copy, Debug, Default)]
pub struct Operations {
    /// Operations of one instruction for each word.
    pub single: f64,
    /// Issue slots of those of several.
    pub several: f64,
}

impl Operations {
    /// Those of operations and of what is inside, on values of so many words. Where a point lies to
    /// walls is known in most tiles.
    pub fn of<'c: 'a, 'a>(
        operations: impl Iterator<Item = OperationRef<'c, 'a>>,
        words: f64,
    ) -> Operations {
        let nested = operations.flat_map(walk::nested);
        nested.map(|operation| Self::of_one(operation, words as u32)).sum()
    }

    /// That of an operation, without what is inside.
    pub fn of_one(operation: OperationRef, words: u32) -> Operations {
        let name = walk::name(&operation);
        let Some((dialect @ ("arith" | "math"), own)) = name.split_once('.') else {
            return Operations::default();
        };
        match operations::issue_slots(dialect, own, words as usize) {
            _ if name == arith::CONSTANT || is_renaming(operation) || is_of_place(operation) => {
                Operations::default()
            }
            None if is_of_one_word(operation) => {
                Operations { several: 1.0, ..Operations::default() }
            }
            _ if operation.has_attribute(stencil::attribute::NORMAL_DIVISOR) => {
                let several = operations::normal_reciprocal(words as usize);
                Operations { several, ..Operations::default() }
            }
            Some(several) => Operations { several, ..Operations::default() },
            None => Operations { single: 1.0, ..Operations::default() },
        }
    }

    /// For a part of the points.
    pub fn scaled(self, part: f64) -> Self {
        Self { single: self.single * part, several: self.several * part }
    }
}

impl std::iter::Sum for Operations {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            single: sum.single + one.single,
            several: sum.several + one.several,
        })
    }
}

/// Whether an operation reads registers as values of another type: of a number and its bits, and of
/// 64 bits and their halves.
fn is_renaming(operation: OperationRef) -> bool {
    matches!(walk::name(&operation), arith::BITCAST | arith::TRUNCI)
        || integer_width(operation) == Some(64)
}

/// Whether an operation makes an integer of one word.
fn is_of_one_word(operation: OperationRef) -> bool {
    integer_width(operation).is_some_and(|width| (8..=32).contains(&width))
}

/// The bits of the integer that an operation makes.
fn integer_width(operation: OperationRef) -> Option<u32> {
    let result = operation.results().next()?;
    IntegerType::try_from(result.r#type()).ok().map(|integer| integer.width())
}

/// Whether an operation compares integers, or chooses by such a comparison.
fn is_of_place(operation: OperationRef) -> bool {
    match walk::name(&operation) {
        arith::CMPI | arith::ANDI => true,
        arith::SELECT => {
            let condition = operation.operand(0).ok().and_then(walk::definition);
            condition.is_some_and(is_of_place)
        }
        _ => false,
    }
}
