//! Host scalars of an iteration, replicated for each level of a sweep.
//!
//! An iteration of a time loop may compute numbers from the induction variable and from numbers
//! that the loop carries. A sweep of several steps needs those of all its levels before it starts.

use melior::ir::{OperationRef, Value, operation::OperationLike};
use std::collections::{HashMap, HashSet};
use stencil_dialects::{
    build::{self, Inserter},
    ods::arith,
    walk::{self, ValueKey},
};
use stencil_passes::analysis::alias::Carried;

/// The numbers of an iteration: the induction variable, and what each slot holds.
#[derive(Clone)]
pub struct Iteration<'c, 'a> {
    /// The induction variable.
    pub induction: Value<'c, 'a>,
    /// Values of the slots: fields, which stay as they are, and numbers.
    pub slots: Vec<Value<'c, 'a>>,
}

/// The part of a loop's body that the host computes.
pub struct Levels<'c, 'a> {
    carried: Carried<'c, 'a>,
    body: Vec<OperationRef<'c, 'a>>,
    step: Value<'c, 'a>,
    /// Numbers that do not differ between levels, as the body names them.
    scalars: Vec<Value<'c, 'a>>,
    /// Numbers that differ between levels.
    level_scalars: Vec<Value<'c, 'a>>,
    /// Slots of numbers, with the yielded values.
    numbers: Vec<(usize, Value<'c, 'a>)>,
}

impl<'c: 'a, 'a> Levels<'c, 'a> {
    /// The host's part of a time loop, as far as it computes these numbers: those that do not
    /// differ between levels, and those that do.
    pub fn of(
        carried: Carried<'c, 'a>,
        permutation: &[Option<usize>],
        (scalars, level_scalars): (Vec<Value<'c, 'a>>, Vec<Value<'c, 'a>>),
    ) -> Self {
        let is_number = |slot: &usize| permutation[*slot].is_none();
        let slots = (0..carried.count()).filter(is_number);
        let time_loop = carried.operation();
        Self {
            carried,
            body: walk::operations(build::block_of(time_loop, 0)),
            step: time_loop.operand(2).expect("a loop has a step"),
            scalars,
            level_scalars,
            numbers: slots.map(|slot| (slot, carried.yielded(slot))).collect(),
        }
    }

    /// The numbers that do not differ between levels.
    pub fn scalars(
        &self,
        at: Inserter<'c, 'a>,
        iteration: &Iteration<'c, 'a>,
    ) -> Vec<Value<'c, 'a>> {
        self.copies(at, iteration, &self.scalars)
    }

    /// The numbers of one level; the iteration becomes the next.
    pub fn advance(
        &self,
        at: Inserter<'c, 'a>,
        iteration: &mut Iteration<'c, 'a>,
    ) -> Vec<Value<'c, 'a>> {
        let next = self.numbers.iter().map(|(_, value)| *value);
        let wanted = self.level_scalars.iter().copied().chain(next).collect::<Vec<_>>();
        let mut copies = self.copies(at, iteration, &wanted);
        let next = copies.split_off(self.level_scalars.len());
        for ((slot, _), value) in self.numbers.iter().zip(next) {
            iteration.slots[*slot] = value;
        }
        if self.uses_induction(&wanted) {
            iteration.induction = arith::addi(at, iteration.induction, self.step);
        }
        copies
    }

    /// Values of the body, computed for another iteration.
    fn copies(
        &self,
        at: Inserter<'c, 'a>,
        iteration: &Iteration<'c, 'a>,
        wanted: &[Value<'c, 'a>],
    ) -> Vec<Value<'c, 'a>> {
        let mut new = HashMap::from([(ValueKey::of(&self.induction()), iteration.induction)]);
        for (slot, value) in iteration.slots.iter().enumerate() {
            new.insert(ValueKey::of(&self.carried.argument(slot)), *value);
        }
        for old in self.needed(wanted) {
            let copy = at.insert(build::clone(old));
            for (position, operand) in old.operands().enumerate() {
                if let Some(value) = new.get(&ValueKey::of(&operand)) {
                    build::set_operand(copy, position, *value);
                }
            }
            for (position, result) in old.results().enumerate() {
                new.insert(ValueKey::of(&Value::from(result)), build::result(copy, position));
            }
        }
        // Values from outside the body are loop-invariant.
        wanted.iter().map(|value| *new.get(&ValueKey::of(value)).unwrap_or(value)).collect()
    }

    /// The ops of the body that compute values, in order.
    fn needed(&self, wanted: &[Value<'c, 'a>]) -> Vec<OperationRef<'c, 'a>> {
        let mut keys = wanted.iter().map(ValueKey::of).collect::<HashSet<_>>();
        let mut needed = Vec::new();
        for operation in self.body.iter().rev() {
            let mut results = operation.results().map(Value::from);
            if results.any(|result| keys.contains(&ValueKey::of(&result))) {
                keys.extend(operation.operands().map(|operand| ValueKey::of(&operand)));
                needed.push(*operation);
            }
        }
        needed.reverse();
        needed
    }

    fn uses_induction(&self, wanted: &[Value<'c, 'a>]) -> bool {
        let induction = self.induction();
        let needed = self.needed(wanted);
        wanted.contains(&induction)
            || needed.iter().any(|operation| operation.operands().any(|it| it == induction))
    }

    fn induction(&self) -> Value<'c, 'a> {
        build::argument(build::block_of(self.carried.operation(), 0), 0)
    }
}
