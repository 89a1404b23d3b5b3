//! What a function takes, and the values that a person gives it.
//!
//! Positions count all arguments of the frozen program, the symbols that binding appended among
//! them, so that one command line means the same on every backend.

use crate::{DriverError, memory, session};
use melior::ir::{Module, OperationRef, Value, ValueLike, operation::OperationLike};
use std::collections::{BTreeMap, BTreeSet};
use stencil_dialects::{
    Bounds, attributes, build,
    ods::{
        stencil::{self, attribute},
        sweep::{KernelOp, StoreOp, TiledOp},
    },
    ops::ApplyOp,
    walk::{self, ValueKey},
};
use stencil_interpreter::{Element, Program, ValueKind};
use stencil_passes::analysis::alias;
use stencil_runtime::{
    ScalarType,
    bind::{self, Requests},
    manifest::{Argument, ArgumentKind, FieldShape},
};

/// The op that reads a symbol, in Devito's programs.
const LOAD_SYMBOLIC: &str = "devito.load_symbolic";

/// The arguments of a function, as packages describe them.
pub fn arguments(program: &Program, module: &Module) -> Result<Vec<Argument>, DriverError> {
    let signature = program.signature();
    let function = session::find_function(module, &signature.function)
        .expect("a program was decoded from a function of this module");
    let written = written(function);
    let describe = |parameter: &stencil_interpreter::Parameter| {
        let position = parameter.argument;
        let attribute = |name: &str| build::argument_attribute(function, position, name);
        let symbol = attribute(attribute::SYMBOL).and_then(attributes::string);
        let name = parameter.name.clone().or_else(|| symbol.clone());
        let kind = match &parameter.kind {
            ValueKind::Scalar(element) => {
                scalar_type(*element).map(|scalar| ArgumentKind::Scalar { scalar, symbol })
            }
            ValueKind::Field { bounds: Some(bounds), element, .. } => {
                scalar_type(*element).map(|element| {
                    let (lower, upper) = (bounds.lower.clone(), bounds.upper.clone());
                    let scratch = attribute(attribute::SCRATCH).is_some();
                    let written = written.contains(&position);
                    ArgumentKind::Field(FieldShape {
                        lower,
                        upper,
                        element,
                        scratch,
                        written,
                        padding: None,
                    })
                })
            }
            ValueKind::Field { bounds: None, .. } => None,
        };
        kind.map(|kind| Argument { name: name.clone(), kind }).ok_or_else(|| {
            let name = name.map_or(String::new(), |name| format!(" '{name}'"));
            DriverError::ArgumentType {
                argument: format!("argument {position}{name}"),
                found: type_text(&parameter.kind),
            }
        })
    };
    signature.parameters.iter().map(describe).collect()
}

fn scalar_type(element: Element) -> Option<ScalarType> {
    ScalarType::from_name(&element.to_string())
}

fn type_text(kind: &ValueKind) -> String {
    match kind {
        ValueKind::Scalar(element) => element.to_string(),
        ValueKind::Field { rank, bounds, element } => {
            let unknown = || "?x".repeat(*rank);
            let bounds = bounds.as_ref().map_or_else(unknown, Bounds::to_string);
            format!("!stencil.field<{bounds}{element}>")
        }
    }
}

/// Positions of the arguments that a function may write.
fn written(function: OperationRef) -> Vec<usize> {
    let (mut roots, mut aliases) = (BTreeSet::new(), alias::Aliases::default());
    for target in walk::nested(function).into_iter().flat_map(targets) {
        roots.extend(aliases.roots(target).iter().flat_map(|found| found.iter().copied()));
    }
    let Some(entry) = build::entry_block(function) else { return Vec::new() };
    let count = melior::ir::BlockLike::argument_count(&entry);
    let is_root =
        |position: &usize| roots.contains(&ValueKey::of(&build::argument(entry, *position)));
    (0..count).filter(is_root).collect()
}

/// The fields that an op writes.
fn targets<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    if let Some(apply) = ApplyOp::of(operation) {
        apply.destinations()
    } else if let Some(kernel) = KernelOp::of(operation) {
        kernel.outs()
    } else if let Some(tiled) = TiledOp::of(operation) {
        let stores = walk::nested(operation).into_iter().filter_map(StoreOp::of);
        let stored = stores.filter_map(|store| walk::block_argument(store.field()));
        stored.map(|(_, position)| tiled.fields()[position]).collect()
    } else if walk::name(&operation) == stencil::STORE {
        operation.operand(1).into_iter().collect()
    } else {
        Vec::new()
    }
}

/// Values for every argument, and the symbols that are still read by name.
pub struct Bound {
    /// One for each argument.
    pub values: Vec<bind::Value>,
    /// For the interpreter, on programs whose symbols are not bound.
    pub symbols: BTreeMap<String, String>,
}

/// Gives every argument its value.
///
/// Symbols that are no arguments are read by name, or not at all.
pub fn bind(arguments: &[Argument], requests: &Requests) -> Result<Bound, DriverError> {
    let is_argument = |name: &str| arguments.iter().any(|argument| symbol(argument) == Some(name));
    let by_name = requests.symbols.iter().filter(|given| !is_argument(&given.key));
    let symbols = by_name.map(|given| (given.key.clone(), given.value.clone())).collect();
    memory::check(field_bytes(arguments))?;
    Ok(Bound { values: bind::bind(arguments, requests)?, symbols })
}

/// What the fields need on the host, once.
pub fn field_bytes(arguments: &[Argument]) -> u64 {
    let bytes = arguments.iter().filter_map(|argument| argument.kind.as_field());
    bytes.map(|shape| shape.bytes() as u64).fold(0, u64::saturating_add)
}

/// The symbol that an argument is bound to.
fn symbol(argument: &Argument) -> Option<&str> {
    match &argument.kind {
        ArgumentKind::Scalar { symbol, .. } => symbol.as_deref(),
        ArgumentKind::Field(_) => None,
    }
}

/// The symbols that a program as written reads as numbers; its timers are none.
pub fn symbols_read(module: &Module) -> Vec<String> {
    let loads = walk::nested(module.as_operation()).into_iter();
    let mut names: Vec<String> = loads
        .filter(|operation| walk::name(operation) == LOAD_SYMBOLIC)
        .filter(|load| {
            let mut results = load.results();
            results.all(|result| ScalarType::from_name(&result.r#type().to_string()).is_some())
        })
        .filter_map(|load| attributes::string(load.attribute("symbol_name").ok()?))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(symbol: Option<&str>) -> Argument {
        let symbol = symbol.map(str::to_owned);
        let kind = ArgumentKind::Scalar { scalar: ScalarType::F32, symbol: symbol.clone() };
        Argument { name: symbol, kind }
    }

    fn requests(symbols: &[&str]) -> Requests {
        let symbols = symbols.iter().map(|text| text.parse().unwrap()).collect();
        Requests { symbols, ..Requests::default() }
    }

    #[test]
    fn symbols_are_arguments_or_read_by_name() {
        let bound = bind(&[scalar(Some("dt"))], &requests(&["dt=0.5", "h_x=2"])).unwrap();
        assert_eq!(bound.values.len(), 1);
        assert_eq!(bound.symbols, BTreeMap::from([("h_x".to_owned(), "2".to_owned())]));
    }

    #[test]
    fn fields_larger_than_memory_are_refused_with_their_bytes() {
        let shape = FieldShape {
            lower: vec![0, 0],
            upper: vec![1 << 24, 1 << 24],
            element: ScalarType::F64,
            scratch: false,
            padding: None,
            written: true,
        };
        let arguments = [Argument { name: None, kind: ArgumentKind::Field(shape) }];
        assert_eq!(field_bytes(&arguments), 1 << 51);
        let error = bind(&arguments, &requests(&[])).err().unwrap().to_string();
        assert!(error.starts_with("the run needs 2251799813685248 bytes of memory for"), "{error}");
    }
}
