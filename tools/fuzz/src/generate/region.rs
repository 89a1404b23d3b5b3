//! Scalar code: branches, loops, dynamic accesses, and results.

use super::point::Point;
use crate::options::Construct;
use crate::point::{Block, Coordinate, DynamicIndex, Kind, Op, Reduction};
use crate::program::Value;
use crate::types::{Binary, FloatPredicate, Integer, Scalar, Type, Unary};

/// Regions inside regions.
const MAX_NESTING: usize = 2;

impl Point<'_, '_> {
    /// A block whose values are not visible after it.
    fn block(&mut self, fill: impl FnOnce(&mut Self) -> Vec<Value>) -> Block {
        let outside = std::mem::take(&mut self.ops);
        let visible = self.pool.len();
        self.nesting += 1;
        let yields = fill(self);
        self.nesting -= 1;
        self.pool.truncate(visible);
        Block { ops: std::mem::replace(&mut self.ops, outside), yields }
    }

    /// An operation with regions; its results are visible after it.
    fn region_op(&mut self, types: &[Type], kind: Kind) -> Vec<Value> {
        let results: Vec<Value> =
            types.iter().map(|ty| self.generator.program.new_value(*ty)).collect();
        self.ops.push(Op { results: results.clone(), ..Op::new(results[0], kind) });
        let scalar = |v: &&Value| matches!(self.generator.program.type_of(**v), Type::Scalar(_));
        let visible: Vec<Value> = results.iter().filter(scalar).copied().collect();
        self.pool.extend(visible);
        results
    }

    /// `scf.if` that yields one value of a type, and perhaps a second.
    pub(super) fn branch(&mut self, of: Scalar, depth: usize) -> Value {
        if self.nesting == MAX_NESTING || !self.generator.allows(Construct::Branches) {
            return self.float(of, depth);
        }
        let condition = self.truth(1);
        let types = if self.random().chance(20) { vec![of, of] } else { vec![of] };
        let [then, otherwise] = [(); 2]
            .map(|()| self.block(|point| types.iter().map(|t| point.float(*t, depth)).collect()));
        let types: Vec<Type> = types.into_iter().map(Type::Scalar).collect();
        let kind = Kind::If { condition, then, otherwise };
        self.region_op(&types, kind)[0]
    }

    /// `scf.for` that sums or multiplies a few terms.
    pub(super) fn reduction(&mut self, of: Scalar, depth: usize) -> Value {
        if self.nesting == MAX_NESTING || !self.generator.allows(Construct::Reductions) {
            return self.float(of, depth);
        }
        let init = self.float(of, 0);
        let induction = self.generator.program.new_value(Type::Scalar(Scalar::Index));
        let carried = self.generator.program.new_value(Type::Scalar(of));
        let (lower, step) = (self.random().between(-1, 2), self.random().between(1, 2));
        let upper = lower + self.random().between(0, 4);
        let body = self.block(|point| {
            point.pool.push(carried);
            let scalars = point.scalars.clone();
            point.scalars.push(induction);
            let term = match point.random().below(3) {
                0 => point.dynamic_access(of),
                1 => point.convert(induction, of),
                _ => point.float(of, depth.min(1)),
            };
            let op = point.random().pick(&[
                Binary::Add,
                Binary::Add,
                Binary::Multiply,
                Binary::Maximum,
                Binary::Subtract,
            ]);
            let next = point.op(of, Kind::Binary(op, [carried, term]));
            point.scalars = scalars;
            vec![next]
        });
        let carried = vec![(init, carried)];
        let kind = Kind::For(Reduction { lower, upper, step, induction, carried, body });
        self.region_op(&[Type::Scalar(of)], kind)[0]
    }

    /// A read at computed coordinates: around the point, or anywhere.
    pub(super) fn dynamic_access(&mut self, of: Scalar) -> Value {
        let anywhere = self.random().chance(40) && self.rank == self.generator.domain.rank();
        if anywhere && !self.grids.is_empty() && self.generator.allows(Construct::DynamicAccess) {
            return self.absolute_access(of);
        }
        self.access_around(of)
    }

    /// A read of an operand of any rank, at coordinates of any dimension: transposed, mirrored, of
    /// one cell.
    fn absolute_access(&mut self, of: Scalar) -> Value {
        let grid = &self.grids[self.generator.random.below(self.grids.len())];
        let (operand, element) = (grid.argument, grid.element);
        let domain = self.generator.domain.project(&grid.positions);
        let (mut indices, mut lower, mut upper) = (vec![], vec![], vec![]);
        for d in 0..domain.rank() {
            let first = self.random().between(domain.lower[d], domain.upper[d] - 1);
            let last = self.random().between(first, domain.upper[d] - 1);
            let (first, last) = match self.random().below(3) {
                0 => (first, first),
                1 => (first, last),
                _ => (domain.lower[d], domain.upper[d] - 1),
            };
            lower.push(first);
            upper.push(last);
            let rank = self.rank;
            let dim = self.random().below(rank);
            indices.push(match self.random().chance(75) {
                true => Coordinate::Clamped(self.near(dim)),
                false => Coordinate::Constant(self.random().between(first, last)),
            });
        }
        let value = self.op(element, Kind::AbsoluteAccess { operand, indices, lower, upper });
        self.convert(value, of)
    }

    /// A read around the point of something that has all dimensions.
    fn access_around(&mut self, of: Scalar) -> Value {
        let full = |g: &super::point::Grid| g.positions.len() == self.rank;
        let grids: Vec<usize> = (0..self.grids.len()).filter(|n| full(&self.grids[*n])).collect();
        if grids.is_empty() || !self.generator.allows(Construct::DynamicAccess) {
            return self.float(of, 0);
        }
        let grid = &self.grids[self.generator.random.pick(&grids)];
        let (operand, element) = (grid.argument, grid.element);
        let (lower, upper) = (grid.below.clone(), grid.above.clone());
        let indices = (0..self.rank).map(|d| match self.random().chance(65) {
            true => DynamicIndex::Clamped(self.near(d)),
            false => DynamicIndex::Shifted(self.random().between(lower[d], upper[d])),
        });
        let indices = indices.collect();
        let value = self.op(element, Kind::DynamicAccess { operand, indices, lower, upper });
        self.convert(value, of)
    }

    /// A coordinate that is often, not always, near the point's own.
    fn near(&mut self, dim: usize) -> Value {
        let any = self.coordinate(1);
        if self.random().chance(40) {
            return any;
        }
        let offset = vec![0; self.rank];
        let here = self.op(Scalar::Index, Kind::Index { dim, offset });
        let op = self.random().pick(&[Integer::Add, Integer::Subtract, Integer::MaxSigned]);
        self.op(Scalar::Index, Kind::Integer(op, [here, any]))
    }

    /// The result of a point: mostly a value kept within bounds, plain or as a store result, or
    /// nothing at some points where that is allowed.
    pub(super) fn result(&mut self, of: Scalar, may_skip: bool) -> Value {
        let depth = self.random().weighted(&[(25, 1), (40, 2), (25, 3), (10, 4)]);
        let value = if of.is_float() {
            let sum = self.random().chance(40);
            let value = self.float(of, if sum { depth.min(2) } else { depth });
            self.tame(value, of)
        } else {
            self.integer(of, depth)
        };
        let skips = self.generator.wants(Construct::SkippedStores, 9) && may_skip;
        if skips {
            return self.skipping(value, of);
        }
        if self.random().chance(5) {
            return self.stored(value, of);
        }
        value
    }

    fn stored(&mut self, value: Value, of: Scalar) -> Value {
        let result = self.generator.program.new_value(Type::Result(of));
        self.ops.push(Op::new(result, Kind::StoreResult(Some(value))));
        result
    }

    /// The value at some points, nothing at the others.
    fn skipping(&mut self, value: Value, of: Scalar) -> Value {
        let condition = self.truth(1);
        let mut then = self.block(|point| vec![point.stored(value, of)]);
        let mut otherwise = self.block(|point| {
            let result = point.generator.program.new_value(Type::Result(of));
            point.ops.push(Op::new(result, Kind::StoreResult(None)));
            vec![result]
        });
        if self.random().chance(40) {
            std::mem::swap(&mut then, &mut otherwise);
        }
        self.region_op(&[Type::Result(of)], Kind::If { condition, then, otherwise })[0]
    }

    /// Keeps values bounded over time steps, in most cases.
    fn tame(&mut self, value: Value, of: Scalar) -> Value {
        let free = if self.generator.loop_depth > 0 { 5 } else { 25 };
        if self.random().chance(free) {
            return value;
        }
        match self.random().below(3) {
            0 => {
                let scale = self.random().pick(&[0.5, 0.25, 0.125, 0.0625]);
                let scale = self.float_constant(of, scale);
                self.op(of, Kind::Binary(Binary::Multiply, [value, scale]))
            }
            1 => {
                let (least, most) = self
                    .random()
                    .pick(&[(Binary::MaxNum, Binary::MinNum), (Binary::Maximum, Binary::Minimum)]);
                let (low, high) = (self.float_constant(of, -4.0), self.float_constant(of, 8.0));
                let raised = self.op(of, Kind::Binary(least, [value, low]));
                self.op(of, Kind::Binary(most, [raised, high]))
            }
            _ => {
                let limit = self.float_constant(of, 16.0);
                let size = self.op(of, Kind::Unary(Unary::Absolute, value));
                let small = Kind::CompareFloat(FloatPredicate::Olt, [size, limit]);
                let small = self.op(Scalar::I1, small);
                let instead = self.float_leaf_constant(of);
                self.op(of, Kind::Select([small, value, instead]))
            }
        }
    }
}
