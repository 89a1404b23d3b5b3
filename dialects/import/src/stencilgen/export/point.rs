//! The body of an apply as the statements of a stencil function.
//!
//! A value that is used once is part of its user's expression, others are scalars with a value at
//! each point. All expressions are in parentheses, which keeps the order of operations. Cells are
//! assigned last: every read is of what was there before the stage.

use super::{
    super::{ast::Operator, functions},
    Refused, TYPES,
    names::{Names, shifted, wrapped},
    refuse, word,
};
use melior::ir::{
    OperationRef, Value, ValueLike,
    attribute::{FloatAttribute, IntegerAttribute},
    operation::OperationLike,
};
use std::collections::HashMap;
use stencil_dialects::{
    attributes,
    ods::{arith, math, stencil},
    ops::{AccessOp, DynAccessOp, IndexOp},
    types::Number,
    walk::{self, ValueKey},
};

/// What a value outside of the body is inside of it.
#[derive(Clone)]
pub enum Source {
    /// An array: its formal name, and the coordinates of its first cell.
    Array(String, Vec<i64>),
    /// A scalar or the number of an iteration, by its formal name.
    Scalar(String),
}

/// The statements of a body, while they are written.
pub struct Point<'c, 'a> {
    /// Iterators, outermost first.
    pub iterators: Vec<String>,
    /// What a coordinate is more than its iterator.
    pub shift: Vec<i64>,
    /// Operands by the body's arguments, and scalars of the function.
    pub sources: HashMap<ValueKey, Source>,
    /// Names that are in use.
    pub names: Names,
    /// Declarations of scalars.
    pub locals: String,
    /// Statements.
    pub statements: String,
    texts: HashMap<ValueKey, String>,
    _ir: std::marker::PhantomData<Value<'c, 'a>>,
}

/// An operator and the ops it stands for.
const OPERATORS: [(&str, &str); 11] = [
    (arith::ADDF, "+"),
    (arith::SUBF, "-"),
    (arith::MULF, "*"),
    (arith::DIVF, "/"),
    (arith::ADDI, "+"),
    (arith::SUBI, "-"),
    (arith::MULI, "*"),
    (arith::DIVSI, "/"),
    (arith::REMSI, "%"),
    (arith::ANDI, "&"),
    (arith::ORI, "|"),
];

/// Conversions: assignments do them.
const CONVERSIONS: [&str; 6] =
    [arith::EXTF, arith::TRUNCF, arith::SITOFP, arith::UITOFP, arith::FPTOSI, arith::EXTUI];

impl<'c: 'a, 'a> Point<'c, 'a> {
    /// One without statements.
    pub fn new(iterators: Vec<String>, shift: Vec<i64>, names: Names) -> Self {
        let (sources, texts) = Default::default();
        let (locals, statements) = Default::default();
        let _ir = std::marker::PhantomData;
        Self { iterators, shift, sources, names, locals, statements, texts, _ir }
    }

    /// The text of a value; ops outside of the body are computed in it.
    pub fn text(&mut self, value: Value<'c, 'a>) -> Result<String, Refused> {
        let key = ValueKey::of(&value);
        if let Some(text) = self.texts.get(&key) {
            return Ok(text.clone());
        }
        if let Some(Source::Scalar(name)) = self.sources.get(&key) {
            return Ok(name.clone());
        }
        let definition = walk::definition(value).expect("arguments of the body have sources");
        self.define(definition)?;
        let text = self.texts.get(&key).cloned();
        text.ok_or_else(|| refuse(&definition, "has a value of type index at a point", TYPES))
    }

    /// Writes an op's value: a part of its user's expression, or a scalar.
    pub fn define(&mut self, operation: OperationRef<'c, 'a>) -> Result<(), Refused> {
        let Some(value) = operation.results().next() else { return Ok(()) };
        let value: Value<'c, 'a> = value.into();
        let number = Number::of(value.r#type());
        if number == Some(Number::Index) {
            // Indices and conversions look at the op itself.
            return Ok(());
        }
        let Some(r#type) = word(number) else {
            let message = format!("has a value of type {}", value.r#type());
            return Err(refuse(&operation, message, TYPES));
        };
        let name = walk::name(&operation);
        let text = self.expression(operation, number)?;
        let is_leaf = [arith::CONSTANT, stencil::ACCESS, stencil::DYN_ACCESS].contains(&name);
        let is_shared = !is_leaf && walk::uses(value).len() > 1;
        let is_kept = is_shared || CONVERSIONS.contains(&name);
        let text = if is_kept { self.local(r#type, &text) } else { text };
        self.texts.insert(ValueKey::of(&value), text);
        Ok(())
    }

    /// A value in a scalar of its own.
    pub fn kept(&mut self, value: Value<'c, 'a>, text: String) -> String {
        let is_name = text.chars().all(|one| one.is_ascii_alphanumeric() || one == '_');
        match word(Number::of(value.r#type())) {
            Some(r#type) if !is_name => self.local(r#type, &text),
            _ => text,
        }
    }

    fn local(&mut self, r#type: &str, text: &str) -> String {
        let local = self.names.fresh("t");
        self.locals += &format!("  {type} {local};\n");
        self.statements += &wrapped("  ", &format!("{local} = {text};"));
        local
    }

    fn expression(
        &mut self,
        operation: OperationRef<'c, 'a>,
        number: Option<Number>,
    ) -> Result<String, Refused> {
        let name = walk::name(&operation);
        let operands = operation.operands().collect::<Vec<_>>();
        if name == arith::CONSTANT {
            return literal(operation, number);
        } else if let Some(access) = AccessOp::of(operation) {
            return Ok(self.access(access));
        } else if let Some(access) = DynAccessOp::of(operation) {
            return self.computed_access(access);
        } else if name == arith::INDEX_CAST {
            let coordinates = self.coordinate(operation, operands[0])?;
            return Ok(format!("({coordinates})"));
        } else if CONVERSIONS.contains(&name) {
            return self.text(operands[0]);
        }
        let is_truth = number == Some(Number::Integer(1));
        let known = OPERATORS.iter().find(|(op, _)| *op == name);
        if let Some((_, word)) = known.filter(|(_, word)| !is_truth || ["&", "|"].contains(word)) {
            let [one, two] = [self.text(operands[0])?, self.text(operands[1])?];
            return Ok(format!("({one} {word} {two})"));
        } else if name == arith::NEGF {
            return Ok(format!("(-{})", self.text(operands[0])?));
        } else if name == math::FPOWI {
            return self.power(operation, &operands);
        } else if [arith::CMPF, arith::CMPI].contains(&name) {
            return self.comparison(operation, &operands);
        }
        let is_float = matches!(number, Some(Number::F32 | Number::F64));
        if let Some(function) = functions::of_op(name, is_float) {
            let arguments = operands.iter().map(|operand| self.text(*operand));
            let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
            return Ok(format!("{}({})", function.name, arguments.join(", ")));
        }
        let remedy = "its statements are sums, products, comparisons and functions of C";
        Err(refuse(&operation, "has no counterpart in the STENCILGEN language", remedy))
    }

    /// A cell at a constant offset.
    fn access(&self, access: AccessOp<'c, 'a>) -> String {
        let Source::Array(name, lower) = &self.sources[&ValueKey::of(&access.source())] else {
            unreachable!("the verifier checked that a grid is read");
        };
        let dims = access.mapping().into_iter().zip(access.offset()).zip(lower);
        let indices = dims.map(|((dim, offset), lower)| {
            shifted(&self.iterators[dim], self.shift[dim] + offset - lower)
        });
        cell(name, indices)
    }

    /// A cell at computed coordinates.
    fn computed_access(&mut self, access: DynAccessOp<'c, 'a>) -> Result<String, Refused> {
        let source = self.sources[&ValueKey::of(&access.source())].clone();
        let Source::Array(name, lower) = source else {
            unreachable!("the verifier checked that a grid is read");
        };
        let operation = access.operation();
        let mut indices = Vec::new();
        for (coordinate, lower) in operation.operands().skip(1).zip(lower) {
            indices.push(shifted(&self.coordinate(operation, coordinate)?, -lower));
        }
        Ok(cell(&name, indices))
    }

    /// A value of type index.
    fn coordinate(
        &self,
        user: OperationRef<'c, 'a>,
        value: Value<'c, 'a>,
    ) -> Result<String, Refused> {
        if let Some(Source::Scalar(name)) = self.sources.get(&ValueKey::of(&value)) {
            return Ok(name.clone());
        }
        if let Some(constant) = walk::constant(value).and_then(attributes::integer) {
            return Ok(constant.to_string());
        }
        let definition = walk::definition(value);
        if let Some(index) = definition.and_then(IndexOp::of) {
            let dim = index.dimension();
            return Ok(shifted(&self.iterators[dim], self.shift[dim] + index.offset()));
        }
        let sum = definition.filter(|sum| [arith::ADDI, arith::SUBI].contains(&walk::name(sum)));
        let Some(sum) = sum else {
            let remedy = "an index is an iterator, the number of an iteration, a constant, or sums \
                          of these";
            return Err(refuse(&user, "has an index that the language cannot state", remedy));
        };
        let of = |position| {
            let operand = sum.operand(position).expect("a sum has two operands");
            self.coordinate(user, operand)
        };
        let sign = if walk::name(&sum) == arith::ADDI { '+' } else { '-' };
        Ok(format!("{}{sign}{}", of(0)?, of(1)?))
    }

    fn power(
        &mut self,
        operation: OperationRef<'c, 'a>,
        operands: &[Value<'c, 'a>],
    ) -> Result<String, Refused> {
        let exponent = walk::constant(operands[1]).and_then(attributes::integer);
        let Some(exponent) = exponent.filter(|exponent| exponent.abs() <= 64) else {
            let remedy = "exponents are constants from -64 to 64; 'math.powf' takes others";
            return Err(refuse(&operation, "has an exponent that the language lacks", remedy));
        };
        Ok(format!("({} ^ ({exponent}))", self.text(operands[0])?))
    }

    fn comparison(
        &mut self,
        operation: OperationRef<'c, 'a>,
        operands: &[Value<'c, 'a>],
    ) -> Result<String, Refused> {
        let predicate = operation.attribute("predicate").ok();
        let predicate = predicate.and_then(|value| IntegerAttribute::try_from(value).ok());
        let predicate = predicate.map(|predicate| predicate.value());
        let is_float = walk::name(&operation) == arith::CMPF;
        let known = super::super::lower::PREDICATES.iter();
        let found =
            known.map(|(operator, int, float)| (operator, if is_float { *float } else { *int }));
        let is_truth = Number::of(operands[0].r#type()) == Some(Number::Integer(1));
        let found = found.filter(|_| !is_truth).find(|(_, number)| Some(*number) == predicate);
        let Some((operator, _)) = found else {
            let remedy = "comparisons are ==, !=, <, <=, >, >= as C has them";
            return Err(refuse(&operation, "compares as the language cannot", remedy));
        };
        let word = match operator {
            Operator::Equal => "==",
            Operator::NotEqual => "!=",
            Operator::Less => "<",
            Operator::LessEqual => "<=",
            Operator::Greater => ">",
            _ => ">=",
        };
        let [one, two] = [self.text(operands[0])?, self.text(operands[1])?];
        Ok(format!("({one} {word} {two})"))
    }
}

/// `u[k][j][i+1]`
pub fn cell(name: &str, indices: impl IntoIterator<Item = String>) -> String {
    let indices = indices.into_iter().map(|index| format!("[{index}]"));
    format!("{name}{}", indices.collect::<String>())
}

/// A constant, which reads as the same bits.
fn literal(operation: OperationRef, number: Option<Number>) -> Result<String, Refused> {
    let value = operation.attribute("value").ok();
    let float = value.and_then(|value| FloatAttribute::try_from(value).ok());
    let text = match (float.map(|float| float.value()), number) {
        (Some(float), _) if !float.is_finite() => {
            let remedy = "the language has finite numbers only";
            return Err(refuse(&operation, "is no number that can be written", remedy));
        }
        (Some(float), Some(Number::F32)) => format!("{:?}f", float as f32),
        (Some(float), _) => format!("{float:?}"),
        (None, Some(Number::Integer(1))) => {
            let is_true = value.and_then(attributes::integer).is_some_and(|bit| bit != 0);
            return Ok(is_true.to_string());
        }
        (None, _) => value.and_then(attributes::integer).unwrap_or_default().to_string(),
    };
    Ok(if text.starts_with('-') { format!("({text})") } else { text })
}
