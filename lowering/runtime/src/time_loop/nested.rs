//! Loops inside a time loop that carry its buffers.
//!
//! A loop with a constant number of iterations that permutes buffers leaves a power of that
//! permutation: what an iteration of the loop around it yields is then known.

use crate::{
    manifest::{Carried, Id, Statement},
    scalar::ScalarValue,
};
use std::{collections::HashMap, iter};

/// Loops in a row, or inside each other, that are followed.
const LOOPS_MAX: usize = 64;

/// The scalars that are constant, at any depth.
pub(super) fn constants(body: &[Statement]) -> HashMap<Id, ScalarValue> {
    let mut known = HashMap::new();
    add_constants(body, &mut known);
    known
}

fn add_constants(body: &[Statement], known: &mut HashMap<Id, ScalarValue>) {
    for statement in body {
        match statement {
            Statement::For { body, .. } => add_constants(body, known),
            _ => evaluate(statement, known),
        }
    }
}

/// Adds the scalar that a statement computes, if its operands are known.
pub(super) fn evaluate(statement: &Statement, known: &mut HashMap<Id, ScalarValue>) {
    match statement {
        Statement::Constant { result, value } => {
            known.insert(*result, *value);
        }
        Statement::Scalar { result, op, operands, ty } => {
            let values: Option<Vec<ScalarValue>> =
                operands.iter().map(|id| known.get(id).copied()).collect();
            if let Some(Ok(value)) = values.map(|values| op.evaluate(&values, *ty)) {
                known.insert(*result, value);
            }
        }
        _ => {}
    }
}

/// The slot of a loop whose buffer, at the beginning of an iteration, a value of its body is.
pub(super) fn slot_of(
    value: Id,
    around: (&[Carried], &[Statement]),
    constants: &HashMap<Id, ScalarValue>,
) -> Option<usize> {
    Nested { constants, left: LOOPS_MAX }.slot_of(value, around)
}

struct Nested<'m> {
    constants: &'m HashMap<Id, ScalarValue>,
    /// Loops that may still be followed.
    left: usize,
}

impl Nested<'_> {
    fn slot_of(&mut self, mut value: Id, around: (&[Carried], &[Statement])) -> Option<usize> {
        let (carried, body) = around;
        loop {
            if let Some(slot) = carried.iter().position(|slot| slot.argument == value) {
                return Some(slot);
            }
            self.left = self.left.checked_sub(1)?;
            value = body.iter().find_map(|statement| self.origin(statement, value))?;
        }
    }

    /// What a result of a loop was before its first iteration; none for other values, and where
    /// that is not known.
    fn origin(&mut self, statement: &Statement, result: Id) -> Option<Id> {
        let Statement::For { lower, upper, step, carried, body, .. } = statement else {
            return None;
        };
        let start = carried.iter().position(|slot| slot.result == result)?;
        let [lower, upper, step] =
            [lower, upper, step].map(|id| self.constants.get(id).copied().map(ScalarValue::signed));
        let (distance, step) = (i128::from(upper?) - i128::from(lower?), i128::from(step?));
        if step <= 0 {
            return None;
        }
        let trips = (distance.max(0) + step - 1) / step;
        let cycle = self.cycle(start, (carried, body))?;
        let place = cycle[usize::try_from(trips % cycle.len() as i128).ok()?];
        Some(carried[place].initial)
    }

    /// The slots that a buffer of a slot came through, the last iteration first, until it was in
    /// this one.
    fn cycle(&mut self, start: usize, around: (&[Carried], &[Statement])) -> Option<Vec<usize>> {
        let before = |slot: &usize| self.slot_of(around.0[*slot].next, around);
        let slots = iter::successors(Some(start), before).take(around.0.len() + 1);
        let slots = slots.collect::<Vec<_>>();
        let length = 1 + slots[1..].iter().position(|slot| *slot == start)?;
        Some(slots[..length].to_vec())
    }
}
