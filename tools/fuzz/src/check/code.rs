//! Scalar code: visibility and types, and the constants that keep operations defined.

use super::Invalid;
use super::structure::{Visible, ensure, seen};
use crate::point::{Block, Coordinate, DynamicIndex, Kind, Literal, Op, Reduction};
use crate::program::{Body, Program, Value};
use crate::types::{Scalar, Type, conversion};

/// Checks a block; `rank` is that of the apply around it, if there is one.
pub(super) fn block(
    program: &Program,
    block: &Block,
    visible: &mut Visible,
    rank: Option<usize>,
) -> Result<(), Invalid> {
    for op in &block.ops {
        self::op(program, op, visible, rank)?;
        visible.extend(op.results.iter().copied());
    }
    block.yields.iter().try_for_each(|value| seen(visible, *value))
}

/// Checks one operation and what is inside it.
pub(super) fn op(
    program: &Program,
    op: &Op,
    visible: &Visible,
    rank: Option<usize>,
) -> Result<(), Invalid> {
    op.operands().into_iter().try_for_each(|value| seen(visible, value))?;
    for inner in op.blocks() {
        let mut visible = visible.clone();
        if let Kind::For(reduction) = &op.kind {
            visible.insert(reduction.induction);
            visible.extend(reduction.carried.iter().map(|(_, argument)| *argument));
        }
        block(program, inner, &mut visible, rank)?;
    }
    let fits = !op.results.is_empty() && Typing { program, rank }.fits(op);
    ensure(fits && (op.takes_flags() || !op.flags.any()), || format!("{:?}", op.kind))
}

/// Rules of types.
struct Typing<'a> {
    program: &'a Program,
    rank: Option<usize>,
}

impl Typing<'_> {
    fn ty(&self, value: Value) -> Type {
        self.program.type_of(value)
    }

    /// The type of a number.
    fn number(&self, value: Value) -> Option<Scalar> {
        match self.ty(value) {
            Type::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    fn all(&self, values: &[Value], of: Scalar) -> bool {
        values.iter().all(|value| self.number(*value) == Some(of))
    }

    fn fits(&self, op: &Op) -> bool {
        match (&op.kind, self.ty(op.results[0])) {
            (Kind::If { condition, then, otherwise }, _) => {
                self.all(&[*condition], Scalar::I1)
                    && self.yields(then, &op.results)
                    && self.yields(otherwise, &op.results)
            }
            (Kind::For(reduction), _) => self.reduction(reduction, &op.results),
            (_, _) if op.results.len() != 1 => false,
            (Kind::StoreResult(None), Type::Result(_)) => self.rank.is_some(),
            (Kind::StoreResult(Some(value)), Type::Result(of)) => {
                self.rank.is_some() && self.all(&[*value], of)
            }
            (kind, Type::Scalar(of)) => self.expression(kind, of),
            _ => false,
        }
    }

    /// Does a block yield values of the types of `results`?
    fn yields(&self, block: &Block, results: &[Value]) -> bool {
        let types = |values: &[Value]| values.iter().map(|v| self.ty(*v)).collect::<Vec<_>>();
        types(&block.yields) == types(results)
    }

    fn reduction(&self, reduction: &Reduction, results: &[Value]) -> bool {
        let mut carried = reduction.carried.iter().zip(results);
        let one_type = |((init, argument), result): (&(Value, Value), &Value)| {
            self.ty(*init) == self.ty(*argument) && self.ty(*init) == self.ty(*result)
        };
        self.all(&[reduction.induction], Scalar::Index)
            && reduction.step > 0
            && reduction.carried.len() == results.len()
            && carried.all(one_type)
            && self.yields(&reduction.body, results)
    }

    /// An operation that gives a number of type `of`.
    fn expression(&self, kind: &Kind, of: Scalar) -> bool {
        let float = of.is_float();
        match kind {
            Kind::Constant(Literal::Float(_)) => float,
            Kind::Constant(Literal::Integer(n)) => {
                !float && (of != Scalar::I1 || (0..2).contains(n))
            }
            Kind::Access { .. }
            | Kind::DynamicAccess { .. }
            | Kind::AbsoluteAccess { .. }
            | Kind::Index { .. } => self.access(kind, of),
            Kind::Unary(_, v) | Kind::Power { base: v, .. } => float && self.all(&[*v], of),
            Kind::Binary(_, v) => float && self.all(v, of),
            Kind::Fma(v) => float && self.all(v, of),
            Kind::Integer(_, v) => !float && self.all(v, of),
            Kind::ByConstant { op, value, constant } => {
                let width = i64::from(of.bits().unwrap_or(32));
                let shift = (0..width).contains(constant);
                let defined = if op.is_shift() { shift } else { *constant > 0 || *constant < -1 };
                defined && !float && of != Scalar::I1 && self.all(&[*value], of)
            }
            Kind::CompareFloat(_, v) => {
                of == Scalar::I1
                    && self.number(v[0]).is_some_and(|t| t.is_float() && self.all(v, t))
            }
            Kind::CompareInteger(_, v) => {
                of == Scalar::I1
                    && self.number(v[0]).is_some_and(|t| !t.is_float() && self.all(v, t))
            }
            Kind::Select([condition, a, b]) => {
                self.all(&[*condition], Scalar::I1) && self.all(&[*a, *b], of)
            }
            Kind::Convert(v) => self.number(*v).is_some_and(|from| conversion(from, of).is_some()),
            Kind::ToInteger { value, limit } => {
                let from_float = self.number(*value).is_some_and(Scalar::is_float);
                from_float && (1..=256).contains(limit) && of.is_integer()
            }
            Kind::Call { function, arguments } => self.call(*function, arguments, of),
            Kind::StoreResult(_) | Kind::If { .. } | Kind::For(_) => false,
        }
    }

    /// What depends on the point.
    fn access(&self, kind: &Kind, of: Scalar) -> bool {
        match kind {
            Kind::Access { operand, offset } => {
                let ty = self.ty(*operand);
                Some(offset.len()) == self.rank
                    && offset.iter().flatten().count() == ty.rank()
                    && ty.rank() > 0
                    && ty.element() == of
            }
            Kind::DynamicAccess { operand, indices, lower, upper } => {
                let ty = self.ty(*operand);
                let sizes = [indices.len(), lower.len(), upper.len(), ty.rank()];
                let extent = lower.iter().zip(upper).all(|(lower, upper)| lower <= upper);
                let inside = |(d, index): (usize, &DynamicIndex)| match index {
                    DynamicIndex::Clamped(value) => self.all(&[*value], Scalar::Index),
                    DynamicIndex::Shifted(o) => (lower[d]..=upper[d]).contains(o),
                };
                sizes.iter().all(|n| Some(*n) == self.rank)
                    && extent
                    && indices.iter().enumerate().all(inside)
                    && ty.element() == of
            }
            Kind::AbsoluteAccess { operand, indices, lower, upper } => {
                let ty = self.ty(*operand);
                let sizes = [indices.len(), lower.len(), upper.len()];
                let inside = |(d, index): (usize, &Coordinate)| match index {
                    Coordinate::Clamped(value) => self.all(&[*value], Scalar::Index),
                    Coordinate::Constant(n) => (lower[d]..=upper[d]).contains(n),
                };
                self.rank.is_some()
                    && ty.rank() > 0
                    && sizes.iter().all(|n| *n == ty.rank())
                    && lower.iter().zip(upper).all(|(lower, upper)| lower <= upper)
                    && indices.iter().enumerate().all(inside)
                    && ty.element() == of
            }
            Kind::Index { dim, offset } => {
                of == Scalar::Index && Some(offset.len()) == self.rank && *dim < offset.len()
            }
            _ => false,
        }
    }

    fn call(&self, function: usize, arguments: &[Value], of: Scalar) -> bool {
        let Some(callee) = self.program.functions.get(&function) else { return false };
        let Body::Scalar(body) = &callee.body else { return false };
        let types = |values: &[Value]| values.iter().map(|v| self.ty(*v)).collect::<Vec<_>>();
        types(&callee.parameters) == types(arguments) && types(&body.yields) == [Type::Scalar(of)]
    }
}
