//! Alias analysis of field values.
//!
//! Field arguments of a function do not alias (launchers refuse that), and an allocation is new
//! memory. A loop may rotate fields: a slot (iteration argument) may hold any field of the
//! rotation. Two slots of one loop are distinct if the loop permutes fields that are distinct at
//! its entry: in an iteration, or after the loop. A slot in an iteration and another one after the
//! loop may hold one field.

use melior::ir::{BlockLike, Value, ValueLike, operation::OperationLike};
use std::collections::BTreeSet;
use stencil_dialects::{
    build,
    ods::{func, memref, scf, stencil},
    walk::{self, ValueKey},
};
use stencil_faults::{Fault, planted};

/// Alias analysis of field values.
pub fn may_alias<'c: 'a, 'a>(one: Value<'c, 'a>, two: Value<'c, 'a>) -> bool {
    if one == two {
        return true;
    }
    // Roots first: they are those of two values, a rotation is that of all that its loop carries.
    if let (Some(one), Some(two)) = (roots(one), roots(two))
        && one.is_disjoint(&two)
    {
        return false;
    }
    if let (Some((loop_one, slot_one)), Some((loop_two, slot_two))) = (slot(one), slot(two))
        && loop_one == loop_two
        && slot_one != slot_two
        && walk::definition(one).is_some() == walk::definition(two).is_some()
        && loop_one.is_rotation()
    {
        return false;
    }
    !(planted(Fault::RotatedAlias) && (slot(one).is_some() || slot(two).is_some()))
}

/// The arguments and allocations that a field, or its buffer, may be; none if unknown.
pub fn roots<'c: 'a, 'a>(value: Value<'c, 'a>) -> Option<BTreeSet<ValueKey>> {
    let (mut roots, mut seen, mut open) = (BTreeSet::new(), BTreeSet::new(), vec![value]);
    while let Some(value) = open.pop() {
        if !seen.insert(ValueKey::of(&value)) {
            continue;
        }
        if let Some((fields, slot)) = slot(value) {
            open.extend([fields.initial(slot), fields.yielded(slot)]);
            continue;
        }
        match walk::definition(value) {
            None => {
                let (block, _) = walk::block_argument(value)?;
                let parent = block.parent_operation()?;
                if walk::name(&parent) != func::FUNC {
                    return None;
                }
                roots.insert(ValueKey::of(&value));
            }
            Some(operation) => match walk::name(&operation) {
                stencil::CAST => open.push(operation.operand(0).ok()?),
                stencil::ALLOC | memref::ALLOC => {
                    roots.insert(ValueKey::of(&value));
                }
                _ => return None,
            },
        }
    }
    Some(roots)
}

/// The values that an `scf.for` carries.
#[derive(Clone, Copy, PartialEq)]
pub struct Carried<'c, 'a> {
    time_loop: melior::ir::OperationRef<'c, 'a>,
}

impl<'c: 'a, 'a> Carried<'c, 'a> {
    /// The carried values of a loop; none for other ops.
    pub fn of(operation: melior::ir::OperationRef<'c, 'a>) -> Option<Self> {
        (walk::name(&operation) == scf::FOR).then_some(Self { time_loop: operation })
    }

    /// The loop.
    pub fn operation(&self) -> melior::ir::OperationRef<'c, 'a> {
        self.time_loop
    }

    /// Number of carried values.
    pub fn count(&self) -> usize {
        self.time_loop.result_count()
    }

    /// The initial value of a slot.
    pub fn initial(&self, slot: usize) -> Value<'c, 'a> {
        // Lower bound, upper bound and step come first.
        self.time_loop.operand(3 + slot).expect("a loop has an initial value for each slot")
    }

    /// The yielded value of a slot.
    pub fn yielded(&self, slot: usize) -> Value<'c, 'a> {
        self.last().operand(slot).expect("the yield has a value for each slot")
    }

    /// The op that yields.
    fn last(&self) -> melior::ir::OperationRef<'c, 'a> {
        let body = build::block_of(self.time_loop, 0);
        body.terminator().expect("the body of a loop ends with scf.yield")
    }

    /// The block argument of a slot.
    pub fn argument(&self, slot: usize) -> Value<'c, 'a> {
        build::argument(build::block_of(self.time_loop, 0), slot + 1)
    }

    /// For each slot of a field, the slot whose field it holds in the next iteration; none for
    /// other slots. No result if the loop does not just permute its fields.
    pub fn permutation(&self) -> Option<Vec<Option<usize>>> {
        let fields = self.fields();
        let (mut sources, mut seen) = (vec![None; self.count()], BTreeSet::new());
        let last = self.last();
        for position in &fields {
            let (of, source) = slot(last.operand(*position).ok()?)?;
            if of != *self || fields.binary_search(&source).is_err() || !seen.insert(source) {
                return None;
            }
            sources[*position] = Some(source);
        }
        Some(sources)
    }

    /// Whether no two slots hold the same field before the first iteration.
    pub fn starts_distinct(&self) -> bool {
        let fields = self.fields();
        // Where roots are disjoint, one look at each suffices: loops may carry dozens of fields.
        // What another loop leaves in its slots is as distinct as these.
        let mut held = BTreeSet::new();
        let mut loops: Vec<(Self, BTreeSet<usize>, BTreeSet<ValueKey>)> = Vec::new();
        let disjoint = fields.iter().all(|field| {
            let initial = self.initial(*field);
            let Some(roots) = roots(initial) else { return false };
            match (slot(initial), walk::definition(initial)) {
                (Some((other, slot)), Some(_)) => {
                    let known = loops.iter_mut().find(|(known, ..)| *known == other);
                    if let Some((_, slots, all)) = known {
                        all.extend(roots);
                        return slots.insert(slot);
                    }
                    loops.push((other, BTreeSet::from([slot]), roots));
                    true
                }
                _ => roots.into_iter().all(|root| held.insert(root)),
            }
        });
        let is_apart = |(other, _, roots): (Self, BTreeSet<usize>, BTreeSet<ValueKey>)| {
            other.is_rotation() && roots.into_iter().all(|root| held.insert(root))
        };
        let disjoint = disjoint && loops.into_iter().all(is_apart);
        if disjoint {
            return true;
        }
        fields.iter().enumerate().all(|(position, one)| {
            let others = &fields[position + 1..];
            others.iter().all(|two| !may_alias(self.initial(*one), self.initial(*two)))
        })
    }

    /// The slots that hold fields.
    fn fields(&self) -> Vec<usize> {
        let is_field =
            |slot: &usize| stencil_dialects::types::is_field(self.argument(*slot).r#type());
        (0..self.count()).filter(is_field).collect()
    }

    /// Whether every iteration permutes the fields among the slots, and they are distinct before.
    fn is_rotation(&self) -> bool {
        self.permutation().is_some() && self.starts_distinct()
    }
}

/// The loop and slot of a value that is carried: inside the loop, or as its result.
pub fn slot<'c: 'a, 'a>(value: Value<'c, 'a>) -> Option<(Carried<'c, 'a>, usize)> {
    if let Some(operation) = walk::definition(value) {
        return Some((Carried::of(operation)?, walk::result_number(value)?));
    }
    let (block, position) = walk::block_argument(value)?;
    let carried = Carried::of(block.parent_operation()?)?;
    // Argument 0 of the body is the induction variable.
    Some((carried, position.checked_sub(1)?))
}
