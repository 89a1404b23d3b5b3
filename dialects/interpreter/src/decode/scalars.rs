//! Constants, symbols, and the ops of `arith` and `math`.

use super::control::DecodeLeaf;
use super::scope::{Binding, Kind, Scope, kind_of, scalar_slot, unknown_type};
use super::{Decoder, symbol_name, unsupported};
use crate::arithmetic::{Promise, ScalarOp, narrow};
use crate::element::Element;
use crate::error::InterpreterError;
use crate::program::{NO_SLOT, ScalarStep, Step, SymbolUse};
use melior::ir::{
    OperationRef, Value, ValueLike,
    attribute::{FloatAttribute, IntegerAttribute},
    operation::OperationLike,
};
use stencil_dialects::{attributes, walk};

impl<'c: 'a, 'a> Decoder<'c, 'a> {
    pub fn constant(
        &mut self,
        operation: OperationRef<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<(), InterpreterError> {
        let result = operation.result(0).expect("a constant has a result");
        let element = element_of(operation, result.into())?;
        let value = operation.attribute("value").expect("a constant has a value");
        let bits = match element {
            Element::Float(format) => {
                FloatAttribute::try_from(value).ok().map(|value| narrow(format, value.value()))
            }
            _ => IntegerAttribute::try_from(value)
                .ok()
                .map(|value| value.value() as u64 & element.mask()),
        };
        let bits = bits.ok_or_else(|| unsupported(operation, format!("has the value {value}")))?;
        let slot = scope.constant(bits);
        scope.bind(result, Binding::Scalar(slot));
        Ok(())
    }

    /// `devito.load_symbolic`: a slot that is initialised with the symbol's value.
    pub fn symbol(
        &mut self,
        operation: OperationRef<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<(), InterpreterError> {
        let name = symbol_name(operation, "symbol_name");
        let result = operation.result(0).map_err(|_| unsupported(operation, "has no result"))?;
        let element = match kind_of(result.r#type()) {
            Kind::Scalar(element) => element,
            Kind::Pointer => {
                scope.bind(result, Binding::Ignored("a pointer symbol"));
                return Ok(());
            }
            _ => return Err(unknown_type(operation, result.r#type())),
        };
        let known = self.symbols.iter().position(|symbol| symbol.name == name);
        let number = match known {
            Some(number) if self.symbols[number].element == element => number,
            Some(number) => {
                let other = self.symbols[number].element;
                let message = format!("reads symbol '{name}' as {element}, elsewhere as {other}");
                return Err(unsupported(operation, message));
            }
            None => {
                let site = self.site(operation);
                self.symbols.push(SymbolUse { name, element, site });
                self.symbols.len() - 1
            }
        };
        let slot = scope.slot();
        scope.layout.symbols.push((slot, number));
        scope.bind(result, Binding::Scalar(slot));
        Ok(())
    }

    /// An op of `arith` or `math`: one step per result.
    pub fn scalar_operation<L: DecodeLeaf<'c, 'a>>(
        &mut self,
        operation: OperationRef<'c, 'a>,
        scope: &mut Scope,
        steps: &mut Vec<Step<L>>,
    ) -> Result<(), InterpreterError> {
        let name = walk::name(&operation);
        let mut operands = [NO_SLOT; 3];
        let mut elements = Vec::new();
        for (position, value) in operation.operands().enumerate() {
            elements.push(element_of(operation, value)?);
            let place = operands
                .get_mut(position)
                .ok_or_else(|| unsupported(operation, "has more than three operands"))?;
            *place = scalar_slot(operation, value, scope)?;
        }
        let predicate = operation.attribute("predicate").ok().and_then(attributes::integer);
        let predicate = predicate.and_then(|number| usize::try_from(number).ok());
        let promise = promise_of(operation);
        let site = self.site(operation);
        for (number, result) in operation.results().enumerate() {
            let element = element_of(operation, result.into())?;
            let op = ScalarOp::named(name, &elements, element, number, predicate, promise);
            let op = op.map_err(|unknown| {
                unsupported(operation, format!("is not supported by the interpreter: {unknown}"))
            })?;
            self.is_approximate |= op.is_approximate();
            let slot = scope.slot();
            scope.bind(result, Binding::Scalar(slot));
            steps.push(Step::Scalar(ScalarStep { op, operands, result: slot, site }));
        }
        Ok(())
    }
}

/// The scalar type of a value.
pub(super) fn element_of<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    value: Value<'c, 'a>,
) -> Result<Element, InterpreterError> {
    match kind_of(value.r#type()) {
        Kind::Scalar(element) => Ok(element),
        _ => Err(unknown_type(operation, value.r#type())),
    }
}

/// The poison flags of an op.
fn promise_of<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) -> Promise {
    let overflow = operation.attribute("overflowFlags").map(|flags| flags.to_string());
    let promises = |flag: &str| overflow.as_ref().is_ok_and(|text| text.contains(flag));
    Promise {
        no_signed_wrap: promises("nsw"),
        no_unsigned_wrap: promises("nuw"),
        exact: operation.has_attribute("isExact"),
    }
}
