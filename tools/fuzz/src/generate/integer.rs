//! Scalar code: integers, coordinates and truth values.

use super::point::Point;
use crate::point::{Kind, Literal};
use crate::program::Value;
use crate::types::{ByConstant, FloatPredicate, Integer, IntegerPredicate, Scalar};

impl Point<'_, '_> {
    /// An expression of type `i32` or `i64`.
    pub(super) fn integer(&mut self, of: Scalar, depth: usize) -> Value {
        if depth == 0 || self.budget <= 0 {
            return self.integer_leaf(of);
        }
        let d = depth - 1;
        match self.random().below(20) {
            0..9 => {
                let op = self.random().pick(Integer::ALL);
                let values = [self.integer(of, d), self.integer(of, d)];
                self.op(of, Kind::Integer(op, values))
            }
            9..15 => self.by_constant(of, d),
            15 | 16 => {
                let values = [self.truth(0), self.integer(of, d), self.integer(of, d)];
                self.op(of, Kind::Select(values))
            }
            17 => {
                let other = if of == Scalar::I32 { Scalar::I64 } else { Scalar::I32 };
                let value = self.integer(other, d);
                self.convert(value, of)
            }
            18 => {
                let value = self.truth(d);
                self.convert(value, of)
            }
            _ => {
                let float = self.random().pick(&[Scalar::F32, Scalar::F64]);
                let value = self.float(float, d);
                self.convert(value, of)
            }
        }
    }

    /// An operation whose constant keeps it defined: a shift by less than the width, a division by
    /// neither zero nor minus one.
    fn by_constant(&mut self, of: Scalar, depth: usize) -> Value {
        let value = self.integer(of, depth);
        let op = self.random().pick(ByConstant::ALL);
        let constant = match (op.is_shift(), of) {
            (true, Scalar::I64) => self.random().pick(&[0, 1, 5, 33, 63]),
            (true, _) => self.random().pick(&[0, 1, 3, 17, 31]),
            (false, _) => self.random().pick(&[1, 2, 3, 7, 10, -2, -5]),
        };
        self.op(of, Kind::ByConstant { op, value, constant })
    }

    fn integer_leaf(&mut self, of: Scalar) -> Value {
        match self.random().below(10) {
            0..4 if self.rank > 0 => {
                let value = self.coordinate(0);
                self.convert(value, of)
            }
            4 | 5 => {
                let integral = |v: &&Value| !self.scalar_of(**v).is_float();
                let scalars: Vec<Value> = self.scalars.iter().filter(integral).copied().collect();
                if scalars.is_empty() {
                    return self.integer_constant(of);
                }
                let value = self.random().pick(&scalars);
                self.convert(value, of)
            }
            6 | 7 => {
                let fitting = |(_, g): &(usize, &super::point::Grid)| g.element.is_integer();
                let grids = self.grids.iter().enumerate().filter(fitting).map(|(n, _)| n);
                let grids: Vec<usize> = grids.collect();
                if grids.is_empty() {
                    return self.known(of).unwrap_or_else(|| self.integer_constant(of));
                }
                let grid = self.random().pick(&grids);
                let value = self.access(grid, false);
                self.convert(value, of)
            }
            _ => self.integer_constant(of),
        }
    }

    fn integer_constant(&mut self, of: Scalar) -> Value {
        let n = self.random().between(-9, 30);
        self.op(of, Kind::Constant(Literal::Integer(n)))
    }

    /// An expression of type `index`, whose values stay far from the ends of 32 bits.
    pub(super) fn coordinate(&mut self, depth: usize) -> Value {
        let of = Scalar::Index;
        if depth > 0 && self.budget > 0 {
            let d = depth - 1;
            let bounded = [Integer::Add, Integer::Subtract, Integer::MaxSigned, Integer::MinSigned];
            if self.random().chance(60) {
                let op = self.random().pick(&bounded);
                let values = [self.coordinate(d), self.coordinate(d)];
                return self.op(of, Kind::Integer(op, values));
            }
            let value = self.coordinate(d);
            let (op, constant) = (ByConstant::RemainderSigned, self.random().between(2, 9));
            return self.op(of, Kind::ByConstant { op, value, constant });
        }
        let is_index = |v: &&Value| self.scalar_of(**v) == Scalar::Index;
        let scalars: Vec<Value> = self.scalars.iter().filter(is_index).copied().collect();
        if self.rank == 0 || (!scalars.is_empty() && self.random().chance(30)) {
            return match scalars.is_empty() {
                true => self.op(of, Kind::Constant(Literal::Integer(2))),
                false => self.random().pick(&scalars),
            };
        }
        if self.random().chance(12) {
            let n = self.random().between(-3, 12);
            return self.op(of, Kind::Constant(Literal::Integer(n)));
        }
        let rank = self.rank;
        let dim = self.random().below(rank);
        let offset = (0..rank).map(|_| self.random().pick(&[0, 0, 0, 1, -2])).collect();
        self.op(of, Kind::Index { dim, offset })
    }

    /// A truth value.
    pub(super) fn truth(&mut self, depth: usize) -> Value {
        let of = Scalar::I1;
        match self.random().below(10) {
            0..4 if self.rank > 0 => {
                let left = self.coordinate(0);
                let rank = self.rank;
                let n = self.random().below(rank);
                let domain = &self.generator.domain;
                let (lower, upper) = (domain.lower[n], domain.upper[n]);
                let limit = self.random().between(lower, upper);
                let right = self.op(Scalar::Index, Kind::Constant(Literal::Integer(limit)));
                let predicate = self.random().pick(IntegerPredicate::ALL);
                self.op(of, Kind::CompareInteger(predicate, [left, right]))
            }
            4 | 5 => {
                let integer = self.random().pick(&[Scalar::I32, Scalar::I64]);
                let values = [self.integer(integer, depth), self.integer(integer, depth)];
                let predicate = self.random().pick(IntegerPredicate::ALL);
                self.op(of, Kind::CompareInteger(predicate, values))
            }
            6 if depth > 0 => {
                let op = self.random().pick(&[Integer::And, Integer::Or, Integer::Xor]);
                let values = [self.truth(depth - 1), self.truth(depth - 1)];
                self.op(of, Kind::Integer(op, values))
            }
            _ => {
                let palette = self.generator.palette.clone();
                let floats: Vec<Scalar> = palette.into_iter().filter(|p| p.is_float()).collect();
                let float =
                    if floats.is_empty() { Scalar::F32 } else { self.random().pick(&floats) };
                let values = [self.float(float, depth), self.float(float, depth)];
                let predicate = self.random().pick(FloatPredicate::ALL);
                self.op(of, Kind::CompareFloat(predicate, values))
            }
        }
    }
}
