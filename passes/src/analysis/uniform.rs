//! Numbers that are the same at all points of an apply.

use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};
use std::collections::HashMap;
use stencil_dialects::{
    build,
    ops::ApplyOp,
    types,
    walk::{self, ValueKey},
};

/// What a number that is the same at all points depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depends {
    /// Nothing but constants.
    Constants,
    /// Scalars from outside too.
    Scalars,
}

/// The values of an apply that are the same at all points, as far as they are known.
#[derive(Debug, Default)]
pub struct Uniform {
    known: HashMap<ValueKey, Depends>,
}

impl Uniform {
    /// The scalar arguments of an apply.
    pub fn arguments(apply: ApplyOp) -> Self {
        let mut uniform = Self::default();
        for position in 0..apply.arguments().len() {
            let argument = build::argument(apply.body(), position);
            if is_number(argument) {
                uniform.insert(argument, Depends::Scalars);
            }
        }
        uniform
    }

    /// Every number of an apply that is the same at all points.
    pub fn values(apply: ApplyOp) -> Self {
        let mut uniform = Self::arguments(apply);
        for operation in walk::nested(apply.operation()).into_iter().skip(1) {
            if let Some(depends) = uniform.depends(operation) {
                uniform.insert(build::single(operation), depends);
            }
        }
        uniform
    }

    /// Notes what a value depends on.
    pub fn insert(&mut self, value: Value, depends: Depends) {
        self.known.insert(ValueKey::of(&value), depends);
    }

    /// What a value depends on; none for values that differ between points, and unknown ones.
    pub fn get(&self, value: Value) -> Option<Depends> {
        self.known.get(&ValueKey::of(&value)).copied()
    }

    /// What the result of an operation on known numbers depends on; none for other operations.
    pub fn depends<'c: 'a, 'a>(&self, operation: OperationRef<'c, 'a>) -> Option<Depends> {
        let name = walk::name(&operation);
        let is_arithmetic = name.starts_with("arith.") || name.starts_with("math.");
        if !is_arithmetic || operation.result_count() != 1 || operation.region_count() > 0 {
            return None;
        }
        let mut depends = Depends::Constants;
        for operand in operation.operands() {
            if self.get(operand)? == Depends::Scalars {
                depends = Depends::Scalars;
            }
        }
        Some(depends)
    }
}

/// Whether a value is a number that the host can compute: one with a size in memory.
pub fn is_number(value: Value) -> bool {
    types::element_bytes(value.r#type()).is_some()
}
