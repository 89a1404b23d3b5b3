//! Random expressions of a point, without branches and loops, for tests of instruction scheduling.
//!
//! A program is one apply with a few results. Its leaves are cells of a few fields, scalars of the
//! host and constants, each with many uses; its operations are mostly sums, products and fused
//! multiply-adds, in single and double precision with conversions between them, and some selects.
//! Results go to fields of their own, or in place of a field that is read at the point itself. Some
//! intermediate values are stored too.

use crate::bounds::Bounds;
use crate::{
    check::check,
    generate::random::Random,
    point::{Block, Kind, Literal, Op},
    program::{Apply, Body, Function, Operand, Output, Program, Range, Statement, Style, Value},
    types::{Binary, FloatPredicate, Scalar, Type, Unary},
};
use std::collections::BTreeSet;

/// Attempts at a valid program; the first almost always is.
const ATTEMPTS: u64 = 32;

/// The program of a seed, stable across versions.
///
/// # Panics
///
/// If no attempt gives a valid program, which has not been seen for any seed below 2^32.
pub fn generate_dag(seed: u64) -> Program {
    let made = (0..ATTEMPTS).map(|attempt| Draft::new(Random::new(seed, attempt), seed).draw());
    let mut valid = made.filter(|program| check(program).is_ok());
    valid.next().expect("one of the attempts is valid")
}

/// A field that is read.
#[derive(Clone, Copy)]
struct Source {
    field: Value,
    /// Its name in the body.
    argument: Value,
    element: Scalar,
    /// Read at the point itself only, so that a result may overwrite it.
    is_own: bool,
}

/// A program under construction.
struct Draft {
    random: Random,
    program: Program,
    parameters: Vec<Value>,
    statements: Vec<Statement>,
    operands: Vec<Operand>,
    ops: Vec<Op>,
    /// Values of the body, leaves first.
    values: Vec<Value>,
    domain: Bounds,
}

impl Draft {
    fn new(mut random: Random, seed: u64) -> Self {
        let style = Style { unknown_bounds: random.chance(40), ..Style::default() };
        let extents: &[&[i64]] = &[&[45], &[83], &[5, 19], &[7, 34], &[3, 4, 13], &[2, 5, 33]];
        let extents = random.pick(extents);
        let begin = extents.iter().map(|_| random.between(-1, 3)).collect::<Vec<_>>();
        let end = begin.iter().zip(extents).map(|(begin, extent)| begin + extent).collect();
        let program = Program::new(seed, style);
        Self {
            random,
            program,
            parameters: vec![],
            statements: vec![],
            operands: vec![],
            ops: vec![],
            values: vec![],
            domain: Bounds { lower: begin, upper: end },
        }
    }

    fn draw(mut self) -> Program {
        let sources: Vec<_> = (0..1 + self.random.below(4)).map(|_| self.source()).collect();
        self.leaves(&sources);
        let mixed = self.random.chance(50);
        for _ in 0..self.random.between(3, 45) {
            let value = self.operation(mixed);
            self.values.push(value);
        }
        let yields = self.results();
        let results: Vec<_> = yields
            .iter()
            .map(|value| {
                let element = self.program.type_of(*value).element();
                self.program.new_value(Type::Temp(element, self.domain.rank()))
            })
            .collect();
        self.statements.push(Statement::Apply(Apply {
            operands: std::mem::take(&mut self.operands),
            body: Block { ops: std::mem::take(&mut self.ops), yields },
            output: Output::Values(results.clone()),
            unroll: None,
            bounds_clause: false,
        }));
        self.store(&results, sources);
        let (parameters, body) = (self.parameters, Body::Stencil(self.statements));
        self.program.functions.insert(0, Function { name: "main".into(), parameters, body });
        self.program
    }

    fn element(&mut self) -> Scalar {
        self.random.weighted(&[(60, Scalar::F64), (40, Scalar::F32)])
    }

    fn field(&mut self, element: Scalar) -> Value {
        let field = self.program.new_value(Type::Field(element, self.domain.rank()));
        self.parameters.push(field);
        field
    }

    fn source(&mut self) -> Source {
        let element = self.element();
        let field = self.field(element);
        let of_grid = Type::Temp(element, self.domain.rank());
        let [temp, argument] = [of_grid; 2].map(|of| self.program.new_value(of));
        self.statements.push(Statement::Load { field, result: temp });
        self.operands.push(Operand { source: temp, argument });
        Source { field, argument, element, is_own: self.random.chance(35) }
    }

    /// Cells, scalars of the host, and constants.
    fn leaves(&mut self, sources: &[Source]) {
        for source in sources {
            let cells = if source.is_own { 1 } else { 1 + self.random.below(6) };
            for _ in 0..cells {
                let reach = if source.is_own { 0 } else { 2 };
                let rank = self.domain.rank();
                let offset = (0..rank).map(|_| Some(self.random.between(-reach, reach)));
                let access = Kind::Access { operand: source.argument, offset: offset.collect() };
                let cell = self.push(source.element, access);
                self.values.push(cell);
            }
        }
        let literal = |random: &mut Random| Literal::Float(random.between(-24, 24) as f64 / 16.0);
        for _ in 0..self.random.below(3) {
            let (element, number) = (self.element(), literal(&mut self.random));
            let [outside, argument] =
                [Type::Scalar(element); 2].map(|of| self.program.new_value(of));
            self.program.arguments.insert(outside, number);
            self.parameters.push(outside);
            self.operands.push(Operand { source: outside, argument });
            self.values.push(argument);
        }
        for _ in 0..self.random.below(3) {
            let (element, number) = (self.element(), literal(&mut self.random));
            let constant = self.push(element, Kind::Constant(number));
            self.values.push(constant);
        }
    }

    fn push(&mut self, of: Scalar, kind: Kind) -> Value {
        let result = self.program.new_value(Type::Scalar(of));
        self.ops.push(Op::new(result, kind));
        result
    }

    /// A value: a recent one, for deep expressions, or any, for sharing.
    fn pick(&mut self) -> Value {
        match self.random.chance(45) {
            true => {
                let recent = self.values.len().min(3);
                self.values[self.values.len() - 1 - self.random.below(recent)]
            }
            false => self.random.pick(&self.values),
        }
    }

    /// A value of a type.
    fn pick_of(&mut self, element: Scalar, mixed: bool) -> Value {
        let fits = |draft: &Self, value: Value| draft.program.type_of(value).element() == element;
        let value = self.pick();
        if fits(self, value) {
            return value;
        }
        let others = self.values.iter().copied().filter(|value| fits(self, *value));
        let others: Vec<_> = others.collect();
        match others.is_empty() || mixed {
            true => self.push(element, Kind::Convert(value)),
            false => self.random.pick(&others),
        }
    }

    fn operation(&mut self, mixed: bool) -> Value {
        let first = self.pick();
        let of = self.program.type_of(first).element();
        let second = self.pick_of(of, mixed);
        let binary = |op| Kind::Binary(op, [first, second]);
        let kind = match self.random.below(100) {
            0..35 => Kind::Fma([first, second, self.pick_of(of, mixed)]),
            35..55 => binary(Binary::Add),
            55..68 => binary(Binary::Subtract),
            68..85 => binary(Binary::Multiply),
            85..88 => binary(Binary::Maximum),
            88..91 => binary(Binary::Divide),
            91..94 => Kind::Unary(Unary::Negate, first),
            94..97 => Kind::Unary(Unary::Absolute, first),
            _ => {
                let below = Kind::CompareFloat(FloatPredicate::Olt, [first, second]);
                Kind::Select([self.push(Scalar::I1, below), second, self.pick_of(of, mixed)])
            }
        };
        self.push(of, kind)
    }

    /// The stored values: those without uses, combined if they are many, and some others.
    fn results(&mut self) -> Vec<Value> {
        let read: BTreeSet<_> = self.ops.iter().flat_map(Op::operands).collect();
        let unread = self.ops.iter().map(|op| op.results[0]).filter(|value| !read.contains(value));
        let mut left: Vec<_> = unread.collect();
        self.random.shuffle(&mut left);
        while left.len() > 4 {
            let (one, two) = (left.swap_remove(0), left.pop().expect("more than four are left"));
            let of = self.program.type_of(one).element();
            let two = match self.program.type_of(two).element() == of {
                true => two,
                false => self.push(of, Kind::Convert(two)),
            };
            left.push(self.push(of, Kind::Binary(Binary::Add, [one, two])));
        }
        for _ in 0..self.random.below(3) {
            let inner = self.random.pick(&self.ops);
            if self.program.type_of(inner.results[0]).element().is_float() {
                left.push(inner.results[0]);
            }
        }
        let mut once = BTreeSet::new();
        left.retain(|value| once.insert(*value));
        left
    }

    fn store(&mut self, results: &[Value], mut sources: Vec<Source>) {
        for result in results {
            let element = self.program.type_of(*result).element();
            let fits = |source: &Source| source.is_own && source.element == element;
            let field = match sources.iter().position(fits) {
                Some(at) if self.random.chance(80) => sources.swap_remove(at).field,
                _ => self.field(element),
            };
            let range = Range::Box(self.domain.clone());
            self.statements.push(Statement::Store { temp: *result, field, range });
        }
    }
}
