//! The program around the points: fields, scalars of the host, the loop, and statements after it.

use super::{point::Point, shape::LoopShape};
use crate::{
    generate::random::Random,
    point::{Kind, Literal, Op},
    program::{
        Apply, Body, Function, Loop, LoopBound, Operand, Output, Program, Range, Slot, Statement,
        Style, Value,
    },
    types::{Binary, Scalar, Type},
};

/// A program under construction.
pub(super) struct Draft<'r, 's> {
    pub random: &'r mut Random,
    pub shape: &'s LoopShape,
    plan: String,
    pub program: Program,
    /// Element type of the loop's fields.
    pub element: Scalar,
    parameters: Vec<Value>,
    /// Statements of the loop's body.
    body: Vec<Statement>,
}

/// A field that a point reads.
#[derive(Clone)]
pub(super) struct Source {
    pub argument: Value,
    pub element: Scalar,
    /// The dimensions of the domain that it has.
    pub dims: Vec<usize>,
    pub role: Role,
}

/// The role of a field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The newest level.
    Newest,
    /// An older level, or the one before in place; whether it is read at the point only.
    Older(bool),
    /// A field that the loop does not change.
    Coefficient,
}

/// A program of a shape.
pub(super) fn draw(random: &mut Random, seed: u64, shape: &LoopShape, plan: &str) -> Program {
    let style = Style {
        unknown_bounds: random.chance(40),
        grouped_results: random.chance(40),
        ..Style::default()
    };
    let program = Program::new(seed, style);
    let element = random.weighted(&[(60, Scalar::F64), (40, Scalar::F32)]);
    let (parameters, body) = (vec![], vec![]);
    let plan = plan.to_owned();
    let mut draft = Draft { random, shape, plan, program, element, parameters, body };
    let statements = draft.statements();
    let (parameters, body) = (draft.parameters, Body::Stencil(statements));
    draft.program.functions.insert(0, Function { name: "main".into(), parameters, body });
    draft.program
}

impl Draft<'_, '_> {
    fn rank(&self) -> usize {
        self.shape.domain.rank()
    }

    fn field(&mut self, element: Scalar, rank: usize) -> Value {
        let value = self.program.new_value(Type::Field(element, rank));
        if self.random.chance(60) {
            let side = |random: &mut Random| random.weighted(&[(50, 0), (25, 1), (15, 2), (10, 4)]);
            let slack = (0..rank).map(|_| (side(self.random), side(self.random))).collect();
            self.program.slack.insert(value, slack);
        }
        self.parameters.push(value);
        value
    }

    fn number(&mut self, of: Scalar, literal: Literal) -> Value {
        let value = self.program.new_value(Type::Scalar(of));
        self.program.arguments.insert(value, literal);
        self.parameters.push(value);
        value
    }

    fn statements(&mut self) -> Vec<Statement> {
        let (element, rank, rotation) = (self.element, self.rank(), self.shape.rotation);
        let fields = (0..rotation).map(|_| self.field(element, rank)).collect::<Vec<_>>();
        // A single field may be stored without being carried.
        let is_carried = rotation > 1 || self.random.chance(50);
        let ty = Type::Field(element, rank);
        let mut slots = Vec::new();
        if is_carried {
            for field in &fields {
                let [argument, result] = [ty, ty].map(|ty| self.program.new_value(ty));
                slots.push(Slot { init: *field, argument, result });
            }
        }
        let inside = |n: usize| if is_carried { slots[n].argument } else { fields[n] };
        let names = (0..rotation).map(inside).collect::<Vec<_>>();
        // Slot `s` next holds the current field of slot `(s + shift) % rotation`.
        let shift = if rotation == 1 { 0 } else { self.random.between(1, rotation as i64 - 1) };
        let shift = usize::try_from(shift).expect("a slot");
        let written = self.random.below(rotation);
        let aged = |age: usize| names[(written + (age + 1) * (rotation - shift)) % rotation];
        let mut yields = match is_carried {
            true => (0..rotation).map(|s| names[(s + shift) % rotation]).collect(),
            false => Vec::new(),
        };

        let induction = self.program.new_value(Type::Scalar(Scalar::Index));
        let numbers = self.numbers(induction, &mut slots, &mut yields);
        let mut read = vec![(aged(0), Role::Newest)];
        if rotation == 1 {
            read[0].1 = Role::Older(true);
        }
        if let Some((age, is_own)) = self.shape.older {
            read.push((aged(age), Role::Older(is_own)));
        }
        for _ in 0..self.random.weighted(&[(45, 0), (35, 1), (20, 2)]) {
            self.coefficient(&mut read);
        }
        self.step(&read, &numbers, names[written]);
        let (lower, upper, step) = self.bounds();
        let body = std::mem::take(&mut self.body);
        let first = slots.first().map_or(fields[0], |slot| slot.result);
        let mut statements = Vec::new();
        let is_seen = self.random.chance(30);
        let results = slots.clone();
        statements.push(Statement::Loop(Loop {
            lower,
            upper,
            step,
            induction,
            slots,
            yields,
            body,
        }));
        if is_seen {
            let seen =
                if rotation > 1 { self.random.pick(&results[..rotation]).result } else { first };
            self.look_at(seen, &mut statements);
        }
        self.mark_scratch(&fields);
        statements
    }

    /// Marks fields as scratch; at least one result remains observable.
    fn mark_scratch(&mut self, fields: &[Value]) {
        let kept = self.random.below(fields.len());
        for (number, field) in fields.iter().enumerate() {
            if number != kept && self.random.chance(45) {
                self.program.scratch.insert(*field);
            }
        }
    }

    /// A read-only field; `read` gets its role.
    fn coefficient(&mut self, read: &mut Vec<(Value, Role)>) {
        let other = if self.element == Scalar::F64 { Scalar::F32 } else { Scalar::F64 };
        let element = if self.random.chance(85) { self.element } else { other };
        let rank = self.rank();
        let low = rank > 1 && self.random.chance(40);
        let lost = if low { self.random.between(1, rank as i64 - 1) } else { 0 };
        let field = self.field(element, rank - usize::try_from(lost).expect("a rank"));
        read.push((field, Role::Coefficient));
    }

    /// Scalar operands of a point: arguments, and scalars computed from the counter or carried.
    fn numbers(
        &mut self,
        induction: Value,
        slots: &mut Vec<Slot>,
        yields: &mut Vec<Value>,
    ) -> Vec<Value> {
        let element = self.element;
        let mut numbers = Vec::new();
        let literal = |random: &mut Random| Literal::Float(random.between(-12, 12) as f64 / 16.0);
        if self.random.chance(50) {
            let literal = literal(self.random);
            numbers.push(self.number(element, literal));
        }
        if self.random.chance(20) {
            numbers.push(induction);
        }
        if self.random.chance(30) {
            numbers.push(self.counted(induction));
        }
        if self.random.chance(15) {
            let literal = literal(self.random);
            let init = self.number(element, literal);
            let ty = Type::Scalar(element);
            let [argument, result] = [ty, ty].map(|ty| self.program.new_value(ty));
            slots.push(Slot { init, argument, result });
            let with = numbers.first().copied().filter(|n| self.program.type_of(*n) == ty);
            let next = self.host(Kind::Binary(Binary::Multiply, [argument, with.unwrap_or(init)]));
            yields.push(next);
            numbers.push(if self.random.chance(70) { argument } else { next });
        }
        numbers
    }

    /// An operation of the host in the loop's body, on numbers of the loop's type.
    fn host(&mut self, kind: Kind) -> Value {
        let result = self.program.new_value(Type::Scalar(self.element));
        self.body.push(Statement::Compute(Op::new(result, kind)));
        result
    }

    /// The counter as a float, scaled.
    fn counted(&mut self, induction: Value) -> Value {
        let whole = self.program.new_value(Type::Scalar(Scalar::I32));
        self.body.push(Statement::Compute(Op::new(whole, Kind::Convert(induction))));
        let number = self.host(Kind::Convert(whole));
        let eighth = self.host(Kind::Constant(Literal::Float(0.125)));
        self.host(Kind::Binary(Binary::Multiply, [number, eighth]))
    }

    /// The loop's only statement.
    fn step(&mut self, read: &[(Value, Role)], numbers: &[Value], written: Value) {
        let (mut operands, mut sources) = (Vec::new(), Vec::new());
        for (field, role) in read {
            let Type::Field(element, rank) = self.program.type_of(*field) else { continue };
            let temp = self.program.new_value(Type::Temp(element, rank));
            self.body.push(Statement::Load { field: *field, result: temp });
            let argument = self.program.new_value(Type::Temp(element, rank));
            operands.push(Operand { source: temp, argument });
            let dims = self.dims(rank);
            sources.push(Source { argument, element, dims, role: *role });
        }
        let mut arguments = Vec::new();
        for source in numbers {
            let argument = self.program.new_value(self.program.type_of(*source));
            operands.push(Operand { source: *source, argument });
            arguments.push(argument);
        }
        let body = Point::new(self, arguments).draw(&sources);
        let result = self.program.new_value(Type::Temp(self.element, self.rank()));
        let output = Output::Values(vec![result]);
        self.program.plans.insert(result, self.plan.clone());
        let apply = Apply { operands, body, output, unroll: None, bounds_clause: false };
        self.body.push(Statement::Apply(apply));
        let range = Range::Box(self.shape.domain.clone());
        self.body.push(Statement::Store { temp: result, field: written, range });
    }

    /// So many dimensions of the domain, ascending.
    fn dims(&mut self, count: usize) -> Vec<usize> {
        let mut dims: Vec<usize> = (0..self.rank()).collect();
        while dims.len() > count {
            dims.remove(self.random.below(dims.len()));
        }
        dims
    }

    fn bounds(&mut self) -> (LoopBound, LoopBound, i64) {
        let (lower, step, trips) = self.shape.counter;
        let upper = match trips {
            0 => lower - self.random.between(0, 1),
            _ => lower + (trips - 1) * step + self.random.between(1, step),
        };
        let mut bound = |number: i64, percent: usize| match self.random.chance(percent) {
            true => LoopBound::Argument(self.number(Scalar::Index, Literal::Integer(number))),
            false => LoopBound::Constant(number),
        };
        // If the loop surely runs once, there is nothing to fuse.
        let is_open = if trips == 1 { 90 } else { 45 };
        (bound(lower, 12), bound(upper, is_open), step)
    }

    /// Stores a field's final content times two to another one.
    fn look_at(&mut self, field: Value, statements: &mut Vec<Statement>) {
        let (element, rank) = (self.element, self.rank());
        let target = self.field(element, rank);
        let temp = Type::Temp(element, rank);
        let [loaded, argument, result] = [temp; 3].map(|ty| self.program.new_value(ty));
        let number = Type::Scalar(element);
        let [cell, twice] = [number; 2].map(|ty| self.program.new_value(ty));
        let read = Kind::Access { operand: argument, offset: vec![Some(0); rank] };
        let add = Kind::Binary(Binary::Add, [cell, cell]);
        let body = crate::point::Block {
            ops: vec![Op::new(cell, read), Op::new(twice, add)],
            yields: vec![twice],
        };
        statements.push(Statement::Load { field, result: loaded });
        statements.push(Statement::Apply(Apply {
            operands: vec![Operand { source: loaded, argument }],
            body,
            output: Output::Values(vec![result]),
            unroll: None,
            bounds_clause: false,
        }));
        let range = Range::Box(self.shape.domain.clone());
        statements.push(Statement::Store { temp: result, field: target, range });
    }
}
