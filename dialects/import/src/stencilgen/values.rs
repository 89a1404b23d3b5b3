//! Typed values, by the rules of C: operands of an operation take the wider type of both.

use super::{
    ast::{Operator, Type},
    program::{Own, Shared, Value, ValueKind},
    sink::Sink,
};
use crate::diagnostic::{Diagnostic, Span};
use std::rc::Rc;

/// Limit on nested operations: values are processed recursively.
const DEPTH_MAX: u32 = 20_000;

/// A value of a kind and a type.
pub fn make(kind: ValueKind, r#type: Type, span: Span) -> Shared {
    let mut value = Value { kind, r#type, span, depth: 0 };
    value.depth = 1 + value.operands().iter().map(|one| one.depth).max().unwrap_or(0);
    Rc::new(value)
}

impl Value {
    /// The same operation on other operands; none where all of them stay.
    pub fn with_operands(&self, of: &dyn Fn(&Shared) -> Shared) -> Option<Shared> {
        if self.operands().into_iter().all(|operand| Rc::ptr_eq(operand, &of(operand))) {
            return None;
        }
        let kind = match &self.kind {
            ValueKind::Convert(one) => ValueKind::Convert(of(one)),
            ValueKind::Negate(one) => ValueKind::Negate(of(one)),
            ValueKind::Power(one, exponent) => ValueKind::Power(of(one), *exponent),
            ValueKind::Binary(operator, one, two) => ValueKind::Binary(*operator, of(one), of(two)),
            ValueKind::Call(op, all) => ValueKind::Call(op, all.iter().map(of).collect()),
            ValueKind::Own(Own { array, indices, value }) => {
                let (array, indices, value) = (*array, indices.clone(), of(value));
                ValueKind::Own(Own { array, indices, value })
            }
            _ => unreachable!("other values have no operands"),
        };
        Some(make(kind, self.r#type, self.span))
    }
}

/// Reports a value that is too deep.
pub fn check_depth(value: Shared, sink: &mut Sink) -> Option<Shared> {
    if value.depth <= DEPTH_MAX {
        return Some(value);
    }
    let message = format!("more than {DEPTH_MAX} operations depend on each other here");
    let help = "store part of the sum in an array";
    sink.push(Diagnostic::error(value.span, message).help(help));
    None
}

fn width(r#type: Type) -> u8 {
    match r#type {
        Type::Bool => 0,
        Type::Int => 1,
        Type::Float => 2,
        Type::Double => 3,
    }
}

/// Whether values of a type are floats.
pub fn is_float(r#type: Type) -> bool {
    matches!(r#type, Type::Float | Type::Double)
}

/// The value in another type; constants are folded, exactly where possible.
pub fn convert(value: &Shared, r#type: Type) -> Shared {
    if value.r#type == r#type {
        return value.clone();
    }
    let kind = match (&value.kind, r#type) {
        (ValueKind::Int(int), Type::Double) => ValueKind::Float(*int as f64),
        (ValueKind::Int(int), Type::Float) => ValueKind::Float(f64::from(*int as f32)),
        (ValueKind::Bool(bool), Type::Int) => ValueKind::Int(i64::from(*bool)),
        (ValueKind::Float(float), Type::Double) => ValueKind::Float(*float),
        (ValueKind::Float(float), Type::Float) => ValueKind::Float(f64::from(*float as f32)),
        _ => ValueKind::Convert(value.clone()),
    };
    make(kind, r#type, value.span)
}

/// Minus a value.
pub fn negate(value: &Shared, span: Span) -> Shared {
    let value = if value.r#type == Type::Bool { convert(value, Type::Int) } else { value.clone() };
    let kind = match &value.kind {
        ValueKind::Int(int) => ValueKind::Int(-int),
        ValueKind::Float(float) => ValueKind::Float(-float),
        _ => ValueKind::Negate(value.clone()),
    };
    make(kind, value.r#type, span)
}

/// An operation on two values; none after an error.
pub fn binary(
    operator: Operator,
    one: &Shared,
    two: &Shared,
    span: Span,
    sink: &mut Sink,
) -> Option<Shared> {
    use Operator::{And, Divide, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Or};
    let wider = if width(one.r#type) >= width(two.r#type) { one.r#type } else { two.r#type };
    let (operands, result) = match operator {
        Or | And if is_float(wider) => {
            let word = if operator == Or { "|" } else { "&" };
            let message =
                format!("'{word}' needs truth values or integers, not numbers with a point");
            sink.push(
                Diagnostic::error(span, message).help("compare them first: (a > 0) & (b > 0)"),
            );
            return None;
        }
        Or | And => (wider, wider),
        Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual => {
            (if wider == Type::Bool { Type::Int } else { wider }, Type::Bool)
        }
        Operator::Remainder if is_float(wider) => {
            let message = "'%' needs integers";
            let help = "a remainder of other numbers is a - b * trunc(a / b)";
            sink.push(Diagnostic::error(span, message).help(help));
            return None;
        }
        Operator::Power => return power(one, two, span, sink),
        _ if wider == Type::Bool => (Type::Int, Type::Int),
        _ => (wider, wider),
    };
    if let (Divide, ValueKind::Int(a), ValueKind::Int(b)) = (operator, &one.kind, &two.kind) {
        warn_of_division(*a, *b, span, sink)?;
    }
    let (one, two) = (convert(one, operands), convert(two, operands));
    check_depth(make(ValueKind::Binary(operator, one, two), result, span), sink)
}

fn warn_of_division(a: i64, b: i64, span: Span, sink: &mut Sink) -> Option<()> {
    if b == 0 {
        let message = "integer division by zero";
        sink.push(Diagnostic::error(span, message).help("write 0.0 for a float's infinity"));
        return None;
    }
    if a % b != 0 {
        let message = format!("{a} / {b} is {}: integer division truncates", a / b);
        sink.push(Diagnostic::warning(span, message).help(format!("write {a}.0 / {b}")));
    }
    Some(())
}

/// Exponents up to this size become multiplications.
const EXPONENT_MAX: i64 = 64;

/// A power: by multiplications where the exponent is a small integer constant.
pub fn power(one: &Shared, two: &Shared, span: Span, sink: &mut Sink) -> Option<Shared> {
    let exponent = match two.kind {
        ValueKind::Int(exponent) => Some(exponent),
        ValueKind::Float(exponent) if exponent.fract() == 0.0 => Some(exponent as i64),
        _ => None,
    };
    let exponent = exponent.filter(|exponent| exponent.abs() <= EXPONENT_MAX);
    let base = if one.r#type == Type::Bool { convert(one, Type::Int) } else { one.clone() };
    match exponent {
        Some(exponent) if is_float(base.r#type) => {
            let r#type = if two.r#type == Type::Double { Type::Double } else { base.r#type };
            let base = convert(&base, r#type);
            check_depth(make(ValueKind::Power(base, exponent), r#type, span), sink)
        }
        Some(exponent) if exponent >= 0 && !is_float(two.r#type) => {
            check_depth(make(ValueKind::Power(base, exponent), Type::Int, span), sink)
        }
        _ if !is_float(base.r#type) && !is_float(two.r#type) => {
            let message =
                "a power of integers needs a small constant exponent that is not negative";
            let help = "write a float: 2.0 ^ n";
            sink.push(Diagnostic::error(span, message).help(help));
            None
        }
        _ => {
            let is_double = [base.r#type, two.r#type].contains(&Type::Double);
            let r#type = if is_double { Type::Double } else { Type::Float };
            let operands = vec![convert(&base, r#type), convert(two, r#type)];
            check_depth(make(ValueKind::Call(super::functions::POW, operands), r#type, span), sink)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constant(kind: ValueKind, r#type: Type) -> Shared {
        make(kind, r#type, Span::default())
    }

    #[test]
    fn operands_take_the_wider_type() {
        let mut sink = Sink::default();
        let int = constant(ValueKind::Int(12), Type::Int);
        let single = constant(ValueKind::Scalar(0), Type::Float);
        let double = constant(ValueKind::Scalar(1), Type::Double);
        let mut result = |one: &Shared, two: &Shared| {
            binary(Operator::Multiply, one, two, Span::default(), &mut sink).unwrap().r#type
        };
        assert_eq!(result(&int, &single), Type::Float);
        assert_eq!(result(&single, &double), Type::Double);
        assert_eq!(result(&int, &int), Type::Int);
    }

    #[test]
    fn integers_that_divide_with_a_remainder_are_warned_of() {
        let mut sink = Sink::default();
        let int = |value| constant(ValueKind::Int(value), Type::Int);
        binary(Operator::Divide, &int(6), &int(3), Span::default(), &mut sink).unwrap();
        assert!(sink.into_sorted().is_empty());
        let mut sink = Sink::default();
        binary(Operator::Divide, &int(1), &int(2), Span::default(), &mut sink).unwrap();
        let messages = sink.into_sorted();
        assert_eq!(messages[0].message, "1 / 2 is 0: integer division truncates");
        let mut sink = Sink::default();
        assert!(binary(Operator::Divide, &int(1), &int(0), Span::default(), &mut sink).is_none());
    }

    #[test]
    fn constants_are_widened_exactly() {
        let single = constant(ValueKind::Float(f64::from(0.161_f32)), Type::Float);
        let double = convert(&single, Type::Double);
        assert!(matches!(double.kind, ValueKind::Float(value) if value == f64::from(0.161_f32)));
    }
}
