//! Values of a kernel that are the same at every point: fields, scalars, and what is computed from
//! scalars.

use crate::sweep::stages::Stages;
use melior::ir::{
    OperationRef, Value, ValueLike, attribute::FloatAttribute, operation::OperationLike,
};
use std::collections::HashMap;
use stencil_dialects::{
    build::{self, Inserter},
    ods::arith,
    sweep::{Argument, KernelOp},
    types,
    walk::{self, ValueKey},
};

/// The most constants that become parameters.
const MOST_PARAMETERS: usize = 40;

/// Constants that are no instruction immediates: f64 whose lower half is not zero. As parameters
/// they are operands from constant memory, without register or move.
pub fn wide_constants<'c: 'a, 'a>(kernel: KernelOp<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let is_wide = |operation: &OperationRef<'c, 'a>| {
        let float =
            operation.attribute("value").ok().and_then(|v| FloatAttribute::try_from(v).ok());
        let is_double = operation
            .results()
            .next()
            .is_some_and(|result| types::element_bytes(ValueLike::r#type(&result)) == Some(8));
        walk::name(operation) == arith::CONSTANT
            && is_double
            && float.is_some_and(|float| float.value().to_bits() as u32 != 0)
    };
    let constants = walk::operations(kernel.body()).into_iter().filter(is_wide);
    constants.take(MOST_PARAMETERS).collect()
}

/// Values of the kernel's region, and those that have their place in the planes form.
pub type Known<'c, 'a> = HashMap<ValueKey, Value<'c, 'a>>;

/// The values of each level.
pub struct Scalars<'c, 'a>(Vec<Known<'c, 'a>>);

impl<'c: 'a, 'a> Scalars<'c, 'a> {
    /// Inserts what depends on scalars alone. `fields`: the arguments for fields of the kernel;
    /// `numbers`: those for scalars, level scalars, and wide constants.
    pub fn new(
        at: Inserter<'c, 'a>,
        (kernel, stages): (KernelOp<'c, 'a>, &Stages<'c, 'a>),
        fields: &Known<'c, 'a>,
        numbers: &[Value<'c, 'a>],
        constants: &[OperationRef<'c, 'a>],
    ) -> Self {
        let of_levels = kernel.scalars().len()..numbers.len() - constants.len();
        let passed = &numbers[of_levels.end..];
        let mut levels: Vec<Known> = Vec::new();
        for level in 0..kernel.steps() as usize {
            // Without numbers of its own, a level has the values of the first.
            if let (Some(first), 0) = (levels.first(), kernel.varying()) {
                levels.push(first.clone());
                continue;
            }
            let own = &numbers[of_levels.clone()][level * kernel.varying()..];
            let mut known = arguments(kernel, fields, numbers, own);
            let results = constants.iter().map(|constant| build::single(*constant));
            known.extend(results.zip(passed).map(|(old, new)| (ValueKey::of(&old), *new)));
            for operation in &stages.invariant {
                let mut results = operation.results().map(Value::from);
                if !results.any(|result| known.contains_key(&ValueKey::of(&result))) {
                    copy(at, *operation, &mut known);
                }
            }
            levels.push(known);
        }
        Self(levels)
    }

    /// The values of a level, counted from 1.
    pub fn of_level(&self, level: i64) -> &Known<'c, 'a> {
        &self.0[level as usize - 1]
    }
}

/// Arguments of the kernel's region at a level, but for levels.
fn arguments<'c: 'a, 'a>(
    kernel: KernelOp<'c, 'a>,
    fields: &Known<'c, 'a>,
    scalars: &[Value<'c, 'a>],
    level_scalars: &[Value<'c, 'a>],
) -> Known<'c, 'a> {
    let body = kernel.body();
    let mut known = Known::new();
    for position in 0..melior::ir::BlockLike::argument_count(&body) {
        let argument = build::argument(body, position);
        let value = match kernel.argument_of(argument) {
            Some(Argument::Read(number)) => fields[&ValueKey::of(&kernel.reads()[number])],
            Some(Argument::Scalar(number)) => scalars[number],
            Some(Argument::LevelScalar(number)) => level_scalars[number],
            _ => continue,
        };
        known.insert(ValueKey::of(&argument), value);
    }
    known
}

/// Inserts a copy of an op, at any depth of which known values are replaced; its results are known
/// afterwards.
pub fn copy<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    operation: OperationRef<'c, 'a>,
    known: &mut Known<'c, 'a>,
) -> OperationRef<'c, 'a> {
    let copy = at.insert(build::clone(operation));
    for nested in walk::nested(copy) {
        for (position, operand) in nested.operands().enumerate() {
            if let Some(value) = known.get(&ValueKey::of(&operand)) {
                build::set_operand(nested, position, *value);
            }
        }
    }
    for (position, result) in operation.results().enumerate() {
        known.insert(ValueKey::of(&Value::from(result)), build::result(copy, position));
    }
    copy
}
