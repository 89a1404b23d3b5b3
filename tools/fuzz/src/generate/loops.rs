//! Loops on the host: fields rotated, updated in place, or only written.

use super::Generator;
use super::scope::Field;
use crate::options::Construct;
use crate::point::Literal;
use crate::program::{Loop, LoopBound, Slot, Statement, Value};
use crate::types::{Scalar, Type};

impl Generator<'_> {
    /// A loop around one or two stages.
    pub(super) fn time_loop(&mut self) {
        let carried = self.draw_carried();
        let count = carried.len();
        let (lower, upper, step) = self.draw_loop_bounds();
        let induction = self.program.new_value(Type::Scalar(Scalar::Index));
        let slots: Vec<Slot> = carried
            .iter()
            .map(|field| {
                let ty = self.program.type_of(field.value);
                let [argument, result] = [ty, ty].map(|ty| self.program.new_value(ty));
                Slot { init: field.value, argument, result }
            })
            .collect();

        let groups: Vec<usize> = carried.iter().map(|field| field.group).collect();
        self.scope.merge_groups(&groups);
        let outer = self.scope.clone();
        self.enter_body(&carried, &slots, groups.first().copied());
        self.scope.scalars.push(induction);
        self.loop_depth += 1;
        self.draw_body(count);
        self.loop_depth -= 1;

        let current: Vec<Value> = self.scope.fields[..count].iter().map(|f| f.value).collect();
        let yields = self.draw_rotation(count).into_iter().map(|n| current[n]).collect();
        let body = std::mem::replace(&mut self.scope, outer).statements;
        let after = self.new_group();
        for (field, slot) in carried.iter().zip(&slots) {
            self.rename(field.value, slot.result, after);
        }
        if !self.allows(Construct::StaleValues) {
            self.scope.temps.clear();
        }
        self.push(Statement::Loop(Loop { lower, upper, step, induction, slots, yields, body }));
    }

    /// Fields of one type that are surely distinct.
    fn draw_carried(&mut self) -> Vec<Field> {
        let wanted = self.random.weighted(&[(10, 0), (20, 1), (38, 2), (32, 3)]);
        let full = self.all_dims();
        let mut fields: Vec<Field> =
            self.scope.fields.iter().filter(|f| f.rotates && f.dims == full).cloned().collect();
        self.random.shuffle(&mut fields);
        let mut carried: Vec<Field> = vec![];
        for field in fields {
            let alike = carried.first().is_none_or(|first| {
                self.program.type_of(first.value) == self.program.type_of(field.value)
            });
            if carried.len() < wanted && alike && carried.iter().all(|c| c.is_apart(&field)) {
                carried.push(field);
            }
        }
        carried
    }

    /// Bounds with few trips; lower bounds of either sign; sometimes an argument as a bound.
    fn draw_loop_bounds(&mut self) -> (LoopBound, LoopBound, i64) {
        let step = self.random.weighted(&[(65, 1), (20, 2), (15, 3)]);
        let is_index = |v: &&Value| {
            matches!(self.program.arguments.get(v), Some(Literal::Integer(_)))
                && self.program.type_of(**v) == Type::Scalar(Scalar::Index)
        };
        let arguments: Vec<Value> = self.scope.scalars.iter().filter(is_index).copied().collect();
        if !arguments.is_empty() && self.wants(Construct::LoopArguments, 60) {
            let lower = LoopBound::Constant(self.random.pick(&[0, 0, 1, -1]));
            return (lower, LoopBound::Argument(self.random.pick(&arguments)), step);
        }
        let trips = self.random.weighted(&[(10, 0), (17, 1), (28, 2), (25, 3), (20, 5)]);
        let lower = self.random.pick(&[0, 0, 0, 1, -2, 7]);
        let upper = match trips {
            0 => lower - self.random.between(0, 1),
            _ => lower + (trips - 1) * step + self.random.between(1, step),
        };
        (LoopBound::Constant(lower), LoopBound::Constant(upper), step)
    }

    /// In the body, each carried field goes by its argument's name, and these come first.
    fn enter_body(&mut self, carried: &[Field], slots: &[Slot], group: Option<usize>) {
        let inside = self.new_group();
        let arguments = carried.iter().zip(slots).map(|(field, slot)| Field {
            value: slot.argument,
            dims: field.dims.clone(),
            group: group.unwrap_or(field.group),
            moment: inside,
            rotates: true,
        });
        let mut fields: Vec<Field> = arguments.collect();
        for field in std::mem::take(&mut self.scope.fields) {
            if slots.iter().all(|slot| slot.init != field.value) {
                fields.push(field);
            } else {
                self.scope.old_names.push(field);
            }
        }
        self.scope.fields = fields;
        self.scope.statements.clear();
        if !self.allows(Construct::StaleValues) {
            self.scope.temps.clear();
        }
    }

    /// Mostly a step from one carried field to another, and perhaps more.
    fn draw_body(&mut self, count: usize) {
        let inner = self.loop_depth == 1 && self.wants(Construct::NestedLoops, 12);
        if inner {
            self.time_loop();
        }
        if count > 0 && self.random.chance(75) {
            let (from, to) = match self.allows(Construct::InPlace) || count == 1 {
                true => (self.random.below(count), self.random.below(count)),
                false => (0, 1),
            };
            let [from, to] = [from, to].map(|n| self.scope.fields[n].clone());
            self.step(&from, &to);
        } else {
            self.stage();
        }
        if self.random.chance(25) {
            self.stage();
        }
    }

    /// Which slot's field each slot holds next.
    fn draw_rotation(&mut self, count: usize) -> Vec<usize> {
        let rotations: &[(usize, &[usize])] = match count {
            0 => &[(1, &[])],
            1 => &[(1, &[0])],
            2 => &[(25, &[0, 1]), (75, &[1, 0])],
            _ => &[
                (14, &[0, 1, 2]),
                (10, &[1, 0, 2]),
                (10, &[2, 1, 0]),
                (10, &[0, 2, 1]),
                (28, &[1, 2, 0]),
                (28, &[2, 0, 1]),
            ],
        };
        self.random.weighted(rotations).to_vec()
    }

    /// After a loop a field goes by the loop's result; the old name may refer to any.
    fn rename(&mut self, old: Value, new: Value, moment: usize) {
        for n in 0..self.scope.fields.len() {
            if self.scope.fields[n].value == old {
                self.scope.old_names.push(self.scope.fields[n].clone());
                self.scope.fields[n].value = new;
                self.scope.fields[n].moment = moment;
            }
        }
    }
}
