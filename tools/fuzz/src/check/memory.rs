//! No uninitialised cell is read, and fields that must be distinct are.

use std::collections::{BTreeMap, BTreeSet};

use super::Invalid;
use crate::layout::Classes;
use crate::program::{Body, Loop, Output, Program, Range, Statement, Value, walk};
use crate::types::Type;

pub(super) fn check(program: &Program) -> Result<(), Invalid> {
    let uses = TempUses::of(program);
    uses.check()?;
    let mut aliases = Aliases::default();
    for function in program.functions.values() {
        if let Body::Stencil(statements) = &function.body {
            written_first(statements, &uses.partial)?;
            let mut outcome = Ok(());
            walk(statements, &mut |statement| {
                if outcome.is_ok() {
                    outcome = aliases.check(program, statement);
                }
            });
            outcome?;
        }
    }
    Ok(())
}

/// Definitions and uses of temps.
#[derive(Default)]
struct TempUses {
    /// Temps with points that may not be stored.
    partial: BTreeSet<Value>,
    /// Results of applies and combines.
    computed: BTreeSet<Value>,
    buffered: BTreeSet<Value>,
    stored_to_boxes: BTreeSet<Value>,
    otherwise: BTreeSet<Value>,
}

impl TempUses {
    fn of(program: &Program) -> Self {
        let mut uses = TempUses::default();
        program.walk(&mut |statement| match statement {
            Statement::Apply(apply) => {
                if let Output::Values(results) = &apply.output {
                    uses.computed.extend(results);
                    let skips = apply.body.may_skip();
                    let yields = results.iter().zip(&apply.body.yields);
                    let partial =
                        yields.filter(|(_, y)| skips && is_result(program, **y)).map(|(r, _)| *r);
                    uses.partial.extend(partial);
                }
                uses.otherwise.extend(apply.operands.iter().map(|o| o.source));
            }
            Statement::Combine(combine) => {
                uses.computed.extend(&combine.results);
                let sides =
                    [&combine.lower, &combine.upper, &combine.lower_only, &combine.upper_only];
                uses.otherwise.extend(sides.into_iter().flatten());
            }
            Statement::Buffer { source, .. } => {
                uses.buffered.insert(*source);
            }
            Statement::Store { temp, range: Range::Box(_), .. } => {
                uses.stored_to_boxes.insert(*temp);
            }
            Statement::Store { temp, .. } => {
                uses.otherwise.insert(*temp);
            }
            _ => {}
        });
        uses
    }

    fn check(&self) -> Result<(), Invalid> {
        for temp in &self.partial {
            if self.buffered.contains(temp) || self.otherwise.contains(temp) {
                return Err(Invalid::Partial(*temp));
            }
        }
        for temp in &self.buffered {
            let elsewhere = self.otherwise.contains(temp) || self.stored_to_boxes.contains(temp);
            if elsewhere || !self.computed.contains(temp) {
                return Err(Invalid::Buffered(*temp));
            }
        }
        Ok(())
    }
}

fn is_result(program: &Program, value: Value) -> bool {
    matches!(program.type_of(value), Type::Result(_))
}

/// The first statement that touches an allocated field writes all of it.
fn written_first(statements: &[Statement], partial: &BTreeSet<Value>) -> Result<(), Invalid> {
    let mut fresh = BTreeSet::new();
    for statement in statements {
        match statement {
            Statement::Alloc { result } => {
                fresh.insert(*result);
                continue;
            }
            Statement::Store { temp, field, range: Range::Whole } if !partial.contains(temp) => {
                fresh.remove(field);
            }
            Statement::Apply(apply) => {
                if let Output::Fields { fields, range: Range::Whole } = &apply.output
                    && !apply.body.may_skip()
                {
                    // The destinations count as written unless they are also operands.
                    for operand in &apply.operands {
                        if fresh.contains(&operand.source) {
                            return Err(Invalid::Unwritten(operand.source));
                        }
                    }
                    fields.iter().for_each(|field| {
                        fresh.remove(field);
                    });
                }
            }
            _ => {}
        }
        let mut touched = vec![];
        walk(std::slice::from_ref(statement), &mut |inner| {
            inner.clone().for_each_use(&mut |value| touched.push(*value));
        });
        if let Some(value) = touched.into_iter().find(|value| fresh.contains(value)) {
            return Err(Invalid::Unwritten(value));
        }
        if let Statement::Loop(l) = statement {
            written_first(&l.body, partial)?;
        }
    }
    Ok(())
}

/// Fields that may alias: those that one loop may have moved from slot to slot. Names from one
/// moment (all before a loop, all inside, all after) are distinct.
#[derive(Default)]
struct Aliases {
    groups: Classes,
    moment: BTreeMap<Value, (Value, u8)>,
}

impl Aliases {
    /// From here on the names of a loop belong to one group.
    fn enter(&mut self, l: &Loop) {
        for slot in &l.slots {
            self.groups.join(l.slots[0].init, slot.init);
            self.groups.join(slot.init, slot.argument);
            self.groups.join(slot.init, slot.result);
            self.moment.insert(slot.argument, (l.induction, 0));
            self.moment.insert(slot.result, (l.induction, 1));
        }
    }

    fn distinct(&self, values: &[Value]) -> Result<(), Invalid> {
        for (n, a) in values.iter().enumerate() {
            for b in &values[..n] {
                let apart = self.groups.of(*a) != self.groups.of(*b);
                let one_moment = self.moment.get(a) == self.moment.get(b);
                if a == b || !(apart || one_moment) {
                    return Err(Invalid::Alias(*a, *b));
                }
            }
        }
        Ok(())
    }

    fn check(&mut self, program: &Program, statement: &Statement) -> Result<(), Invalid> {
        let is_field = |value: &&Value| matches!(program.type_of(**value), Type::Field(..));
        match statement {
            Statement::Apply(apply) => {
                let Output::Fields { fields, .. } = &apply.output else { return Ok(()) };
                self.distinct(fields)?;
                for field in fields {
                    for operand in apply.operands.iter().map(|o| &o.source).filter(is_field) {
                        self.distinct(&[*field, *operand])?;
                    }
                }
                Ok(())
            }
            Statement::Call { arguments, .. } => {
                self.distinct(&arguments.iter().filter(is_field).copied().collect::<Vec<_>>())
            }
            Statement::Loop(l) => {
                self.distinct(&l.slots.iter().map(|slot| slot.init).collect::<Vec<_>>())?;
                self.enter(l);
                rotation(l.slots.iter().map(|slot| slot.argument).collect(), &l.body, &l.yields)
                    .ok_or(Invalid::Rotation(l.induction))
            }
            Statement::Cast { field, result } => {
                self.groups.join(*field, *result);
                self.moment.insert(*result, (*result, 2));
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// The permutation of a loop's slots, if each field is yielded once. Inner loops and casts pass
/// names through.
fn rotation(mut current: Vec<Value>, body: &[Statement], yields: &[Value]) -> Option<()> {
    for statement in body {
        let renamed: Vec<(Value, Value)> = match statement {
            Statement::Loop(l) => l.slots.iter().map(|slot| (slot.init, slot.result)).collect(),
            Statement::Cast { field, result } => vec![(*field, *result)],
            _ => continue,
        };
        for name in &mut current {
            if let Some((_, new)) = renamed.iter().find(|(old, _)| old == name) {
                *name = *new;
            }
        }
    }
    let (mut expected, mut found) = (current, yields.to_vec());
    expected.sort();
    found.sort();
    (expected == found).then_some(())
}
