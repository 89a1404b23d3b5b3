//! Resolves the names of a stencil's body in one call, and types its expressions.

use super::{
    ast::{self, Expression, ExpressionKind, Integer, Name, Type},
    functions,
    index::{Index, Variable},
    program::{Array, ArrayId, Own, Read, Shared, ValueKind},
    regions::Ranges,
    sink::Sink,
    symbols::{Meaning, Symbols},
    values::{binary, check_depth, convert, is_float, make, negate, power},
};
use crate::diagnostic::{Diagnostic, Span};
use std::collections::BTreeMap;

/// A scalar that a stencil declares.
#[derive(Clone, Debug)]
pub struct LocalScalar {
    /// Its type.
    pub r#type: Type,
    /// Its value so far.
    pub value: Option<Shared>,
    /// Where it is declared.
    pub span: Span,
    /// The points that it has this value at; none without a region.
    pub within: Option<Ranges>,
    /// Where it got another value before, which it keeps outside of `within`.
    pub other: Option<Span>,
}

/// The names that are visible in a body.
pub struct Scope<'e> {
    /// Names of the program.
    pub symbols: &'e Symbols,
    /// All arrays, with those of earlier calls.
    pub arrays: &'e mut Vec<Array>,
    /// How often each array was written.
    pub versions: &'e mut Vec<u32>,
    /// Arguments, loop variables, local arrays.
    pub bindings: BTreeMap<String, Meaning>,
    /// Local scalars.
    pub locals: BTreeMap<String, LocalScalar>,
    /// Values that the current stage gives to cells of arrays.
    pub pending: Vec<Pending>,
    /// Whether a warning about double precision was given.
    pub has_warned: bool,
}

/// An assignment of the current stage to a cell.
pub struct Pending {
    /// The array.
    pub array: ArrayId,
    /// The cell.
    pub indices: Vec<Index>,
    /// The value.
    pub value: Shared,
    /// Where.
    pub span: Span,
    /// What the text calls the array.
    pub name: String,
}

impl Scope<'_> {
    /// The meaning of a name, except local scalars.
    pub fn find(&self, name: &str) -> Option<Meaning> {
        self.bindings.get(name).copied().or_else(|| self.symbols.find(name))
    }

    /// The meaning of a name, except local scalars; an error if it is unknown.
    pub fn meaning(&self, name: &Name, sink: &mut Sink) -> Option<Meaning> {
        match self.find(&name.text) {
            Some(Meaning::Unknown) => None,
            Some(meaning) => Some(meaning),
            None => {
                let local = self.bindings.keys().chain(self.locals.keys()).map(String::as_str);
                sink.push(self.symbols.unknown(name, local));
                None
            }
        }
    }

    /// The array of a name that has indices.
    pub fn array(&self, name: &Name, indices: &[Integer], sink: &mut Sink) -> Option<ArrayId> {
        if self.locals.contains_key(&name.text) {
            let message = format!("'{}' is a scalar and has no cells", name.text);
            sink.push(Diagnostic::error(name.span, message).help("remove its indices"));
            return None;
        }
        let Meaning::Array(id) = self.meaning(name, sink)? else {
            let message = format!("'{}' is not an array", name.text);
            sink.push(Diagnostic::error(name.span, message).help("remove its indices"));
            return None;
        };
        let array = &self.arrays[id];
        if array.extents.len() != indices.len() {
            let count = |number: usize, word: &str, plural: &str| {
                format!("{number} {}", if number == 1 { word } else { plural })
            };
            let message = format!(
                "'{}' has {}, but {} here",
                name.text,
                count(array.extents.len(), "dimension", "dimensions"),
                count(indices.len(), "index", "indices")
            );
            let error = Diagnostic::error(name.span, message);
            sink.push(error.note(array.span, "the array is declared here"));
            return None;
        }
        Some(id)
    }

    /// The cell that indices name.
    pub fn indices(&self, indices: &[Integer], sink: &mut Sink) -> Option<Vec<Index>> {
        indices.iter().map(|index| self.index(index, sink)).collect()
    }

    fn index(&self, index: &Integer, sink: &mut Sink) -> Option<Index> {
        match index {
            Integer::Literal(value, _) => Some(Index::Constant(*value)),
            Integer::Name(name) => match self.locals.get(&name.text) {
                Some(_) => self.no_index(name, sink),
                None => match self.meaning(name, sink)? {
                    Meaning::Parameter(value) => Some(Index::Constant(value)),
                    Meaning::Iterator(id) => Some(Index::Variable(Variable::Iterator(id))),
                    Meaning::Loop(id) => Some(Index::Variable(Variable::Loop(id))),
                    _ => self.no_index(name, sink),
                },
            },
            Integer::Negate(one, _) => Some(Index::Negate(Box::new(self.index(one, sink)?))),
            Integer::Binary(operator, one, two, _) => {
                let (one, two) = (self.index(one, sink)?, self.index(two, sink)?);
                Some(Index::Binary(*operator, Box::new(one), Box::new(two)))
            }
        }
    }

    fn no_index(&self, name: &Name, sink: &mut Sink) -> Option<Index> {
        let message = format!("'{}' cannot be an index", name.text);
        let help = "indices are made of iterators, parameters, loop variables and numbers";
        sink.push(Diagnostic::error(name.span, message).help(help));
        None
    }

    /// An expression as a value; none after errors.
    pub fn value(&mut self, expression: &Expression, sink: &mut Sink) -> Option<Shared> {
        let span = expression.span;
        match &expression.kind {
            ExpressionKind::Bool(bool) => Some(make(ValueKind::Bool(*bool), Type::Bool, span)),
            ExpressionKind::Int(int) => integer(*int, span, sink),
            ExpressionKind::Float(float) => {
                Some(make(ValueKind::Float(f64::from(*float)), Type::Float, span))
            }
            ExpressionKind::Double(double) => {
                Some(make(ValueKind::Float(*double), Type::Double, span))
            }
            ExpressionKind::Name(name) => self.scalar(name, sink),
            ExpressionKind::Access { name, indices } => self.read(name, indices, span, sink),
            ExpressionKind::Negate(one) => {
                let one = self.value(one, sink)?;
                check_depth(negate(&one, span), sink)
            }
            ExpressionKind::Binary(operator, one, two) => {
                let one = self.value(one, sink);
                let (one, two) = (one?, self.value(two, sink)?);
                self.warn_of_double(&one, &two, sink);
                binary(*operator, &one, &two, span, sink)
            }
            ExpressionKind::Call { name, arguments } => self.call(name, arguments, span, sink),
        }
    }

    fn scalar(&self, name: &Name, sink: &mut Sink) -> Option<Shared> {
        let span = name.span;
        if let Some(local) = self.locals.get(&name.text) {
            if local.value.is_none() {
                let message = format!("'{}' is used before it has a value", name.text);
                let error = Diagnostic::error(span, message);
                sink.push(error.note(local.span, "declared here; give it a value: = 0.0"));
            }
            return local.value.clone();
        }
        match self.meaning(name, sink)? {
            Meaning::Parameter(value) => integer(value, span, sink),
            Meaning::Iterator(id) => Some(make(ValueKind::Iterator(id), Type::Int, span)),
            Meaning::Loop(id) => Some(make(ValueKind::Loop(id), Type::Int, span)),
            Meaning::Scalar(id) => {
                Some(make(ValueKind::Scalar(id), self.symbols.scalars[id].r#type, span))
            }
            Meaning::Zero(r#type) => {
                let message = format!("scalar '{}' is zero: no copyin names it", name.text);
                let help = format!("write 'copyin {};'", name.text);
                sink.push(Diagnostic::warning(span, message).help(help));
                Some(convert(&make(ValueKind::Bool(false), Type::Bool, span), Type::Int))
                    .map(|zero| convert(&zero, r#type))
            }
            Meaning::Array(id) => {
                let message = format!("array '{}' needs indices", name.text);
                let error = Diagnostic::error(span, message);
                sink.push(error.note(self.arrays[id].span, "the array is declared here"));
                None
            }
            Meaning::Unknown => None,
        }
    }

    fn read(
        &mut self,
        name: &Name,
        indices: &[Integer],
        span: Span,
        sink: &mut Sink,
    ) -> Option<Shared> {
        let array = self.array(name, indices, sink)?;
        let indices = self.indices(indices, sink)?;
        // The last assignment of the stage to the same cell; an assignment to another cell would
        // have ended the stage.
        if let Some(value) = self.own(array, &indices, span) {
            return Some(value);
        }
        let read = Read { array, version: self.versions[array], indices };
        Some(make(ValueKind::Read(read), self.arrays[array].element, span))
    }

    /// What the stage assigned to a cell of an array, if it did.
    pub fn own(&self, array: ArrayId, indices: &[Index], span: Span) -> Option<Shared> {
        let pending = self.pending.iter().find(|pending| pending.array == array)?;
        let value = pending.value.clone();
        let r#type = value.r#type;
        let own = Own { array, indices: indices.to_vec(), value };
        Some(make(ValueKind::Own(own), r#type, span))
    }

    fn call(
        &mut self,
        name: &Name,
        arguments: &[Expression],
        span: Span,
        sink: &mut Sink,
    ) -> Option<Shared> {
        let Some((function, single)) = functions::find(&name.text) else {
            let is_array = matches!(self.find(&name.text), Some(Meaning::Array(_)));
            let error = Diagnostic::error(name.span, format!("unknown function '{}'", name.text));
            sink.push(error.help(match is_array {
                true => format!("cells of an array are written {}[k][j][i]", name.text),
                false => functions::hint(&name.text),
            }));
            return None;
        };
        if function.arity != arguments.len() {
            let message = format!(
                "'{}' takes {} arguments, not {}",
                functions::plain(&name.text),
                function.arity,
                arguments.len()
            );
            sink.push(Diagnostic::error(span, message));
            return None;
        }
        let values =
            arguments.iter().map(|one| self.value(one, sink)).collect::<Option<Vec<_>>>()?;
        let widest = if values.iter().any(|value| value.r#type == Type::Double) {
            Type::Double
        } else if values.iter().any(|value| value.r#type == Type::Float) {
            Type::Float
        } else {
            Type::Int
        };
        let base = match single {
            Some(Type::Double) => convert(&values[0], Type::Double),
            _ => values[0].clone(),
        };
        let is_single = single == Some(Type::Float);
        if function.float_op == functions::POW && !is_single && is_float(base.r#type) {
            return power(&base, &values[1], span, sink);
        }
        let (op, r#type) = match (function.int_op, single) {
            (Some(op), Some(Type::Int)) => (op, Type::Int),
            (_, Some(single)) => (function.float_op, single),
            (Some(op), None) if widest == Type::Int => (op, Type::Int),
            // As in C, an integer argument is converted to double.
            _ if widest == Type::Int => (function.float_op, Type::Double),
            _ => (function.float_op, widest),
        };
        let values = values.iter().map(|value| convert(value, r#type)).collect();
        check_depth(make(ValueKind::Call(op, values), r#type, span), sink)
    }

    /// A literal without `f` makes a sum of floats one of doubles, which is seldom intended.
    fn warn_of_double(&mut self, one: &Shared, two: &Shared, sink: &mut Sink) {
        let literal = |value: &Shared| {
            matches!(value.kind, ValueKind::Float(_)) && value.r#type == Type::Double
        };
        let single = |value: &Shared| {
            !matches!(value.kind, ValueKind::Float(_)) && value.r#type == Type::Float
        };
        let place = match (one, two) {
            (one, two) if literal(one) && single(two) => one,
            (one, two) if single(one) && literal(two) => two,
            _ => return,
        };
        if !std::mem::replace(&mut self.has_warned, true) {
            let message =
                "this literal is a double, so that floats are computed in double precision";
            let help = "write it with an f at its end to stay in single precision";
            sink.push(Diagnostic::warning(place.span, message).help(help));
        }
    }

    /// A local scalar's initial value or an assigned value, converted to the type of the target.
    pub fn assigned(
        &mut self,
        operator: ast::Assign,
        old: Option<Shared>,
        r#type: Type,
        value: &Expression,
        span: Span,
        sink: &mut Sink,
    ) -> Option<Shared> {
        use ast::{Assign, Operator};
        let value = self.value(value, sink)?;
        let operator = match operator {
            Assign::Set => return Some(convert(&value, r#type)),
            Assign::Add => Operator::Add,
            Assign::Subtract => Operator::Subtract,
            Assign::Multiply => Operator::Multiply,
            Assign::Divide => Operator::Divide,
            Assign::And => Operator::And,
            Assign::Or => Operator::Or,
        };
        let old = old?;
        self.warn_of_double(&old, &value, sink);
        Some(convert(&binary(operator, &old, &value, span, sink)?, r#type))
    }
}

fn integer(value: i64, span: Span, sink: &mut Sink) -> Option<Shared> {
    if i32::try_from(value).is_err() {
        let message = format!("{value} does not fit an int of 32 bits");
        sink.push(Diagnostic::error(span, message).help("write it as a float: with .0"));
        return None;
    }
    Some(make(ValueKind::Int(value), Type::Int, span))
}
