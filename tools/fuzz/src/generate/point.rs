//! Scalar code: floating-point expressions and their leaves.

use super::Generator;
use super::random::Random;
use crate::options::Construct;
use crate::point::{Block, Kind, Literal, Op};
use crate::program::Value;
use crate::types::{Binary, FastMath, FloatPredicate, Scalar, Type, Unary, conversion};

/// A field or temp that the code may read.
pub(super) struct Grid {
    pub(super) argument: Value,
    pub(super) element: Scalar,
    /// Its dimensions among those of the apply.
    pub(super) positions: Vec<usize>,
    /// Smallest offset of an access per dimension of the apply.
    pub(super) below: Vec<i64>,
    /// Largest offset of an access per dimension of the apply.
    pub(super) above: Vec<i64>,
}

/// Scalar code under construction.
pub(super) struct Point<'g, 'a> {
    pub(super) generator: &'g mut Generator<'a>,
    /// Rank of the apply; zero in scalar functions and on the host.
    pub(super) rank: usize,
    pub(super) grids: Vec<Grid>,
    pub(super) scalars: Vec<Value>,
    /// Visible values that are worth reusing.
    pub(super) pool: Vec<Value>,
    pub(super) ops: Vec<Op>,
    /// Budget of operations, after which only leaves are made.
    pub(super) budget: i64,
    /// Enclosing regions.
    pub(super) nesting: usize,
}

impl<'g, 'a> Point<'g, 'a> {
    pub(super) fn new(
        generator: &'g mut Generator<'a>,
        rank: usize,
        grids: Vec<Grid>,
        scalars: Vec<Value>,
    ) -> Self {
        let budget = generator.random.weighted(&[(30, 8), (45, 20), (25, 45)]);
        let (pool, ops) = (vec![], vec![]);
        Point { generator, rank, grids, scalars, pool, ops, budget, nesting: 0 }
    }

    pub(super) fn finish(self, yields: Vec<Value>) -> Block {
        Block { ops: self.ops, yields }
    }

    pub(super) fn random(&mut self) -> &mut Random {
        &mut self.generator.random
    }

    pub(super) fn scalar_of(&self, value: Value) -> Scalar {
        self.generator.program.type_of(value).element()
    }

    /// Appends an operation; it may get flags.
    pub(super) fn op(&mut self, of: Scalar, kind: Kind) -> Value {
        self.budget -= 1;
        let result = self.generator.program.new_value(Type::Scalar(of));
        let mut op = Op::new(result, kind);
        let chance = self.generator.flag_chance;
        if self.random().chance(chance) && op.takes_flags() {
            op.flags = FastMath::from_bits(self.random().below(16) as u8);
        }
        self.ops.push(op);
        self.pool.push(result);
        result
    }

    pub(super) fn float_constant(&mut self, of: Scalar, value: f64) -> Value {
        self.op(of, Kind::Constant(Literal::Float(value)))
    }

    /// An available value of a type, if there is one.
    pub(super) fn known(&mut self, of: Scalar) -> Option<Value> {
        let fitting = |v: &&Value| self.scalar_of(**v) == of;
        let values: Vec<Value> = self.pool.iter().filter(fitting).copied().collect();
        if values.is_empty() { None } else { Some(self.random().pick(&values)) }
    }

    /// A floating-point expression.
    pub(super) fn float(&mut self, of: Scalar, depth: usize) -> Value {
        if depth == 0 || self.budget <= 0 {
            return self.float_leaf(of);
        }
        let d = depth - 1;
        match self.random().below(104) {
            0..18 => self.binary(of, Binary::Add, d),
            18..28 => self.binary(of, Binary::Subtract, d),
            28..40 => self.binary(of, Binary::Multiply, d),
            40..45 => self.binary(of, Binary::Divide, d),
            45..54 => {
                let op = self.random().pick(Binary::ALL);
                self.binary(of, op, d)
            }
            54..60 => {
                let values = [(); 3].map(|()| self.float(of, d));
                self.op(of, Kind::Fma(values))
            }
            60..66 => {
                let value = self.float(of, d);
                let op = self.random().pick(Unary::ALL);
                let root = op == Unary::SquareRoot;
                let value =
                    if root { self.op(of, Kind::Unary(Unary::Absolute, value)) } else { value };
                self.op(of, Kind::Unary(op, value))
            }
            66..69 => {
                let (base, exponent) = (self.float(of, d), self.random().between(-3, 5));
                let wide = self.random().chance(50);
                self.op(of, Kind::Power { base, exponent, wide })
            }
            69..74 => {
                let condition = self.truth(d.min(1));
                let values = [condition, self.float(of, d), self.float(of, d)];
                self.op(of, Kind::Select(values))
            }
            74..79 if self.generator.allows(Construct::MixedTypes) => {
                let through = self.other_float(of);
                let value = self.float(through, d);
                self.convert(value, of)
            }
            79..83 => {
                let integer = self.random().pick(&[Scalar::I32, Scalar::I64]);
                let value = self.integer(integer, d);
                self.convert(value, of)
            }
            83..86 => self.call(of, d),
            86..91 => self.branch(of, d),
            91..94 => self.reduction(of, d),
            94..97 => self.dynamic_access(of),
            _ => self.weighted_sum(of),
        }
    }

    fn binary(&mut self, of: Scalar, op: Binary, depth: usize) -> Value {
        let left = self.float(of, depth);
        let right =
            if self.random().chance(30) { self.float_leaf(of) } else { self.float(of, depth) };
        self.op(of, Kind::Binary(op, [left, right]))
    }

    fn other_float(&mut self, of: Scalar) -> Scalar {
        let narrow = self.generator.allows(Construct::NarrowFloats);
        let allowed = |f: &Scalar| *f != of && (narrow || f.bits() != Some(16));
        let others: Vec<Scalar> = Scalar::FLOATS.into_iter().filter(allowed).collect();
        self.random().pick(&others)
    }

    /// Accesses of one field or temp with coefficients, summed up: what most stencils are.
    fn weighted_sum(&mut self, of: Scalar) -> Value {
        if self.grids.is_empty() {
            return self.float_leaf(of);
        }
        let grid = self.any_grid();
        let star = self.random().chance(60);
        let terms = self.random().between(2, 7);
        let mut sum = None;
        for _ in 0..terms {
            let value = self.access(grid, star);
            let value = self.convert(value, of);
            let term = if self.random().chance(60) {
                let coefficient = self.float_leaf_constant(of);
                match (sum, self.random().chance(20)) {
                    (Some(sum), true) => self.op(of, Kind::Fma([value, coefficient, sum])),
                    _ => self.op(of, Kind::Binary(Binary::Multiply, [value, coefficient])),
                }
            } else {
                value
            };
            sum = Some(match sum {
                None => term,
                Some(sum) => self.op(of, Kind::Binary(Binary::Add, [sum, term])),
            });
        }
        sum.expect("there are at least two terms")
    }

    fn any_grid(&mut self) -> usize {
        let count = self.grids.len();
        self.random().below(count)
    }

    fn float_leaf(&mut self, of: Scalar) -> Value {
        match self.random().below(100) {
            0..62 if !self.grids.is_empty() => {
                let grid = self.any_grid();
                let star = self.random().chance(35);
                let value = self.access(grid, star);
                self.convert(value, of)
            }
            62..76 => match self.known(of) {
                Some(value) => value,
                None => self.float_leaf_constant(of),
            },
            76..88 if !self.scalars.is_empty() => {
                let scalars = self.scalars.clone();
                let value = self.random().pick(&scalars);
                self.convert(value, of)
            }
            88..92 if self.rank > 0 => {
                let integer = self.random().pick(&[Scalar::I32, Scalar::I64]);
                let value = self.integer(integer, 0);
                self.convert(value, of)
            }
            _ => self.float_leaf_constant(of),
        }
    }

    /// A constant: mostly exact in every type, sometimes a decimal, a zero or a tiny number.
    pub(super) fn float_leaf_constant(&mut self, of: Scalar) -> Value {
        let value = match self.random().below(40) {
            0 => -0.0,
            1 if of == Scalar::F64 => 4.0e-310,
            1 if of == Scalar::F32 => 3.0e-41,
            2..8 if of.bits() > Some(16) => self.random().between(1, 999) as f64 / 1000.0,
            n => {
                let numerator = self.random().between(1, 63) as f64;
                let denominator = self.random().pick(&[1.0, 2.0, 4.0, 16.0, 64.0]);
                numerator / denominator * if n % 4 == 0 { -1.0 } else { 1.0 }
            }
        };
        self.float_constant(of, value)
    }

    /// A read of a field or temp at some offset; a star reads along one dimension.
    pub(super) fn access(&mut self, grid: usize, star: bool) -> Value {
        let Grid { argument, element, .. } = self.grids[grid];
        let positions = self.grids[grid].positions.clone();
        let axis = self.random().pick(&positions);
        let offset = (0..self.rank).map(|d| {
            let (below, above) = (self.grids[grid].below[d], self.grids[grid].above[d]);
            let moves = !star || d == axis;
            let extreme = self.random().chance(30);
            let offset = match (moves, extreme) {
                (false, _) => 0,
                (true, true) => self.random().pick(&[below, above]),
                (true, false) => self.random().between(below, above),
            };
            positions.contains(&d).then_some(offset)
        });
        let offset = offset.collect();
        self.op(element, Kind::Access { operand: argument, offset })
    }

    /// Converts a number to another type, in as many operations as needed.
    pub(super) fn convert(&mut self, value: Value, to: Scalar) -> Value {
        let from = self.scalar_of(value);
        if from == to {
            return value;
        }
        if from == Scalar::Index || (from == Scalar::I1 && to.is_float()) {
            let integer = if to.is_integer() { to } else { Scalar::I32 };
            let value = self.op(integer, Kind::Convert(value));
            return self.convert(value, to);
        }
        if from.is_float() && !to.is_float() {
            return self.float_to_integer(value, to);
        }
        if conversion(from, to).is_none() {
            let value = self.op(Scalar::F32, Kind::Convert(value));
            return self.convert(value, to);
        }
        self.op(to, Kind::Convert(value))
    }

    fn float_to_integer(&mut self, value: Value, to: Scalar) -> Value {
        let integer = if to.is_integer() { to } else { Scalar::I32 };
        let value = if self.generator.allows(Construct::FloatToInteger) {
            let limit = self.random().pick(&[3, 16, 100, 256]);
            self.op(integer, Kind::ToInteger { value, limit })
        } else {
            let n = self.random().between(-9, 9);
            self.op(integer, Kind::Constant(Literal::Integer(n)))
        };
        self.convert(value, to)
    }

    fn call(&mut self, of: Scalar, depth: usize) -> Value {
        let fitting = self.generator.scalar_functions.iter().copied();
        let fitting = fitting.filter(|n| {
            let function = &self.generator.program.functions[n];
            self.scalar_of(function.parameters[0]) == of
        });
        let fitting: Vec<usize> = fitting.collect();
        if fitting.is_empty() {
            return self.weighted_sum(of);
        }
        let function = self.random().pick(&fitting);
        let count = self.generator.program.functions[&function].parameters.len();
        let arguments = (0..count).map(|_| self.float(of, depth.min(1))).collect();
        self.op(of, Kind::Call { function, arguments })
    }

    /// Scalars for the host: only exactly rounded operations.
    pub(super) fn host(&mut self) -> Vec<Value> {
        self.pool = self.generator.scope.scalars.clone();
        let of = self.random().pick(&[Scalar::F32, Scalar::F64]);
        let mut values: Vec<Value> = vec![];
        for _ in 0..self.random().between(1, 3) {
            let pool = self.pool.clone();
            let mut operand = || {
                if pool.is_empty() || self.random().chance(15) {
                    return self.float_leaf_constant(of);
                }
                let value = self.random().pick(&pool);
                // A number that depends on a counter is converted, never truncated.
                if self.scalar_of(value) == Scalar::I1 {
                    self.float_leaf_constant(of)
                } else {
                    self.convert(value, of)
                }
            };
            let [a, b, c] = [operand(), operand(), operand()];
            let value = match self.random().below(9) {
                0 | 1 => self.op(of, Kind::Binary(Binary::Add, [a, b])),
                2 => self.op(of, Kind::Binary(Binary::Subtract, [a, b])),
                3 => self.op(of, Kind::Binary(Binary::Multiply, [a, b])),
                4 => self.op(of, Kind::Binary(Binary::Divide, [a, b])),
                5 => {
                    let square = self.op(of, Kind::Binary(Binary::Multiply, [a, a]));
                    self.op(of, Kind::Unary(Unary::SquareRoot, square))
                }
                6 => self.op(of, Kind::Fma([a, b, c])),
                _ => {
                    let predicate = self.random().pick(FloatPredicate::ALL);
                    let condition = self.op(Scalar::I1, Kind::CompareFloat(predicate, [a, b]));
                    self.op(of, Kind::Select([condition, b, c]))
                }
            };
            values.push(value);
        }
        values
    }
}
