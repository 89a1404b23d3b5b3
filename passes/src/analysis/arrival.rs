//! The last plane that a value depends on.
//!
//! A sweep along dimension 0 sees plane d before plane d + 1. What a point computes from cells at
//! offsets of at most d along dimension 0 can be computed as soon as plane d has arrived.

use melior::ir::{BlockLike, OperationRef, Value, operation::OperationLike};
use std::collections::HashMap;
use stencil_dialects::{
    ods::{func, stencil},
    ops::{AccessOp, DynAccessOp},
    walk::{self, ValueKey},
};

/// Offsets along dimension 0, remembered for the values of one apply.
#[derive(Default)]
pub struct Arrivals {
    known: HashMap<ValueKey, Option<i64>>,
}

impl Arrivals {
    /// The largest offset along dimension 0 that a value depends on; none where it depends on no
    /// cell, or on cells that do not follow dimension 0.
    pub fn plane(&mut self, value: Value) -> Option<i64> {
        let key = ValueKey::of(&value);
        if let Some(plane) = self.known.get(&key) {
            return *plane;
        }
        let plane = match walk::definition(value) {
            Some(definition) => self.of_operation(definition),
            None => self.of_argument(value),
        };
        self.known.insert(key, plane);
        plane
    }

    /// Loop-carried values depend on all reads of the loop; arguments of an apply are not cells.
    fn of_argument(&mut self, value: Value) -> Option<i64> {
        let (block, _) = walk::block_argument(value)?;
        let parent = block.parent_operation()?;
        let name = walk::name(&parent);
        if [stencil::APPLY, func::FUNC].contains(&name) {
            return None;
        }
        self.of_operation(parent)
    }

    /// The last plane that an operation and its regions read.
    fn of_operation(&mut self, operation: OperationRef) -> Option<i64> {
        let nested = walk::nested(operation);
        let is_inside = |value: Value| {
            let owner = walk::definition(value)
                .or_else(|| walk::block_argument(value)?.0.parent_operation());
            nested[1..].iter().any(|inner| Some(*inner) == owner)
                || (walk::block_argument(value).is_some() && owner == Some(operation))
        };
        let mut latest = None;
        for inner in &nested {
            latest = latest.max(read_plane(*inner));
            for operand in inner.operands().filter(|operand| !is_inside(*operand)) {
                latest = latest.max(self.plane(operand));
            }
        }
        latest
    }
}

/// The offset along dimension 0 of one access.
fn read_plane(operation: OperationRef) -> Option<i64> {
    if let Some(access) = AccessOp::of(operation) {
        let position = access.mapping().iter().position(|dimension| *dimension == 0)?;
        return access.offset().get(position).copied();
    }
    let access = DynAccessOp::of(operation).filter(|access| !access.absolute())?;
    access.ub().first().copied()
}
