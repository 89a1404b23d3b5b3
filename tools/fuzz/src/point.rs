//! The scalar code of a program: at one point, or once on the host.
//!
//! Partial operations are part of one node with what makes them defined: a dynamic access includes
//! its clamp, a division its constant, a conversion to integer its range. The printer emits the
//! guard. So no edit of the model can separate the two.

use crate::program::Value;
use crate::types::{
    Binary, ByConstant, FastMath, FloatPredicate, Integer, IntegerPredicate, Scalar, Unary,
};

/// A constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Literal {
    /// Of a floating-point type.
    Float(f64),
    /// Of an integer type or `index`; for `i1`, zero or one.
    Integer(i64),
}

/// One coordinate of a dynamic access.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DynamicIndex {
    /// Any index value, clamped into the declared extent.
    Clamped(Value),
    /// The point's own coordinate plus an offset inside the declared extent.
    Shifted(i64),
}

/// One coordinate of an absolute access.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Coordinate {
    /// Any index value, clamped into the declared extent.
    Clamped(Value),
    /// A number inside the declared extent.
    Constant(i64),
}

/// What an operation does.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A constant of the result's type.
    Constant(Literal),
    /// A read at a constant offset; `None` marks a dimension that the operand does not have.
    Access { operand: Value, offset: Vec<Option<i64>> },
    /// A read at computed coordinates within `lower..=upper` around the point.
    DynamicAccess { operand: Value, indices: Vec<DynamicIndex>, lower: Vec<i64>, upper: Vec<i64> },
    /// A read at coordinates within `lower..=upper`, independent of the point, of an operand of any
    /// rank.
    AbsoluteAccess { operand: Value, indices: Vec<Coordinate>, lower: Vec<i64>, upper: Vec<i64> },
    /// The point's coordinate in a dimension, plus `offset[dim]`.
    Index { dim: usize, offset: Vec<i64> },
    /// A floating-point operation of one operand.
    Unary(Unary, Value),
    /// A floating-point operation of two operands; the sign for `math.copysign` is never NaN's.
    Binary(Binary, [Value; 2]),
    /// `a * b + c`, rounded once.
    Fma([Value; 3]),
    /// A power with a constant exponent, of type `i64` if `wide`, else `i32`.
    Power { base: Value, exponent: i64, wide: bool },
    /// An integer operation of two operands.
    Integer(Integer, [Value; 2]),
    /// An integer operation with a constant that keeps it defined.
    ByConstant { op: ByConstant, value: Value, constant: i64 },
    /// A comparison of floating-point numbers.
    CompareFloat(FloatPredicate, [Value; 2]),
    /// A comparison of integers.
    CompareInteger(IntegerPredicate, [Value; 2]),
    /// The second value if the first is true, else the third.
    Select([Value; 3]),
    /// A conversion to the result's type (`types::conversion` names the operation).
    Convert(Value),
    /// A floating-point number clamped to `-limit..=limit`, then truncated to an integer.
    ToInteger { value: Value, limit: i64 },
    /// A call of a scalar function.
    Call { function: usize, arguments: Vec<Value> },
    /// The value to store at this point, or none.
    StoreResult(Option<Value>),
    /// One of two blocks, both of which yield the results.
    If { condition: Value, then: Block, otherwise: Block },
    /// A counted loop with constant bounds that carries values.
    For(Reduction),
}

/// A counted loop inside a point function.
#[derive(Debug, Clone, PartialEq)]
pub struct Reduction {
    /// First value of the counter.
    pub lower: i64,
    /// Exclusive bound of the counter.
    pub upper: i64,
    /// Step of the counter, positive.
    pub step: i64,
    /// The counter, of type `index`.
    pub induction: Value,
    /// Carried values: where each starts, and its name inside the body.
    pub carried: Vec<(Value, Value)>,
    /// The body, which yields the next carried values.
    pub body: Block,
}

impl Reduction {
    /// How often the body runs.
    pub fn trips(&self) -> u64 {
        trip_count(self.lower, self.upper, self.step)
    }
}

/// How often a loop from `lower` to `upper` (exclusive) by `step` runs.
pub fn trip_count(lower: i64, upper: i64, step: i64) -> u64 {
    if upper <= lower { 0 } else { (upper - lower).unsigned_abs().div_ceil(step.unsigned_abs()) }
}

/// An operation with its results.
#[derive(Debug, Clone, PartialEq)]
pub struct Op {
    /// Results; one, but for `If` and `For`.
    pub results: Vec<Value>,
    /// What it does.
    pub kind: Kind,
    /// Its fastmath flags.
    pub flags: FastMath,
}

impl Op {
    /// An operation of one result, without permissions.
    pub fn new(result: Value, kind: Kind) -> Self {
        Op { results: vec![result], kind, flags: FastMath::NONE }
    }

    /// Does the operation take `fastmath` flags?
    pub fn takes_flags(&self) -> bool {
        matches!(self.kind, Kind::Unary(..) | Kind::Binary(..) | Kind::Fma(_) | Kind::Power { .. })
    }

    /// The blocks inside the operation.
    pub fn blocks(&self) -> Vec<&Block> {
        match &self.kind {
            Kind::If { then, otherwise, .. } => vec![then, otherwise],
            Kind::For(reduction) => vec![&reduction.body],
            _ => vec![],
        }
    }

    /// The blocks inside the operation, to be changed.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match &mut self.kind {
            Kind::If { then, otherwise, .. } => vec![then, otherwise],
            Kind::For(reduction) => vec![&mut reduction.body],
            _ => vec![],
        }
    }

    /// The operands, without those of nested blocks.
    pub fn operands(&self) -> Vec<Value> {
        let mut operands = vec![];
        // One walk serves reading and renaming; reading costs a copy of a small operation.
        self.clone().for_each_operand(&mut |value| operands.push(*value));
        operands
    }

    /// Visits each operand, without those of nested blocks.
    pub fn for_each_operand(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        match &mut self.kind {
            Kind::Constant(_) | Kind::Index { .. } | Kind::StoreResult(None) => {}
            Kind::Access { operand, .. } => visit(operand),
            Kind::DynamicAccess { operand, indices, .. } => {
                visit(operand);
                for index in indices {
                    if let DynamicIndex::Clamped(value) = index {
                        visit(value);
                    }
                }
            }
            Kind::AbsoluteAccess { operand, indices, .. } => {
                visit(operand);
                for index in indices {
                    if let Coordinate::Clamped(value) = index {
                        visit(value);
                    }
                }
            }
            Kind::Unary(_, value)
            | Kind::Convert(value)
            | Kind::Power { base: value, .. }
            | Kind::ByConstant { value, .. }
            | Kind::ToInteger { value, .. }
            | Kind::StoreResult(Some(value))
            | Kind::If { condition: value, .. } => visit(value),
            Kind::Binary(_, values)
            | Kind::Integer(_, values)
            | Kind::CompareFloat(_, values)
            | Kind::CompareInteger(_, values) => values.iter_mut().for_each(visit),
            Kind::Fma(values) | Kind::Select(values) => values.iter_mut().for_each(visit),
            Kind::Call { arguments, .. } => arguments.iter_mut().for_each(visit),
            Kind::For(reduction) => {
                reduction.carried.iter_mut().for_each(|(init, _)| visit(init));
            }
        }
    }
}

/// A list of operations and the values that it yields.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Block {
    /// Operations in order.
    pub ops: Vec<Op>,
    /// The values that the block ends with.
    pub yields: Vec<Value>,
}

impl Block {
    /// Visits every operation, nested ones after the one that holds them.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Op)) {
        for op in &self.ops {
            visit(op);
            for block in op.blocks() {
                block.walk(visit);
            }
        }
    }

    /// Visits every operation, to be changed.
    pub fn walk_mut(&mut self, visit: &mut dyn FnMut(&mut Op)) {
        for op in &mut self.ops {
            visit(op);
            for block in op.blocks_mut() {
                block.walk_mut(visit);
            }
        }
    }

    /// Visits every use of a value, those in nested blocks included.
    pub fn for_each_use(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        for op in &mut self.ops {
            op.for_each_operand(visit);
            for block in op.blocks_mut() {
                block.for_each_use(visit);
            }
        }
        self.yields.iter_mut().for_each(visit);
    }

    /// Number of operations executed in one run of the block (the longer branch counts).
    pub fn work(&self) -> u64 {
        let cost = |op: &Op| match &op.kind {
            Kind::If { then, otherwise, .. } => 1 + then.work().max(otherwise.work()),
            Kind::For(reduction) => 1 + reduction.trips() * (1 + reduction.body.work()),
            Kind::DynamicAccess { indices, .. } => 1 + 4 * indices.len() as u64,
            Kind::AbsoluteAccess { indices, .. } => 1 + 4 * indices.len() as u64,
            Kind::Call { .. } => 8,
            Kind::ToInteger { .. } => 5,
            _ => 1,
        };
        self.ops.iter().map(cost).sum()
    }

    /// May the block end with a point that is not stored?
    pub fn may_skip(&self) -> bool {
        let mut found = false;
        self.walk(&mut |op| found |= op.kind == Kind::StoreResult(None));
        found
    }
}

/// The constant zero or one of a type, for places that need any value.
pub fn one(of: Scalar) -> Literal {
    if of.is_float() { Literal::Float(1.0) } else { Literal::Integer(1) }
}
