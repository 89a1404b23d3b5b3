//! Decodes MLIR into a [`Program`].
//!
//! The IR is read once. Unsupported ops are refused here, before anything runs; run-time errors
//! depend on values only. The module must be verified: verified properties are not checked again.
//!
//! Works before and after bounds inference. `demand` computes bounds that a temp's type leaves
//! unknown; it is this crate's own analysis, not the compiler's pass, because the two are compared
//! with each other.

mod cells;
mod control;
mod demand;
mod host;
mod planes;
mod points;
mod scalars;
mod scope;
mod stages;
mod sweep;
mod tiled;

use crate::error::{ErrorKind, InterpreterError, Site, SiteId};
use crate::program::{Parameter, Place, Program, Signature, SymbolUse, ValueKind};
use demand::Demand;
use melior::ir::{
    BlockLike, Module, OperationRef, RegionLike, Value, ValueLike,
    attribute::{ArrayAttribute, DictionaryAttribute},
    operation::OperationLike,
};
use scope::{Binding, Kind, Scope, kind_of};
use std::collections::BTreeMap;
use stencil_dialects::{
    Bounds, StencilType, attributes, diagnostics,
    ods::{func, stencil},
    point::{self, Meaningless},
    walk,
};

/// Decodes a function of a verified module.
///
/// # Errors
/// If there is no such function, or at the first op that cannot be run.
pub fn decode(module: &Module<'_>, function: &str) -> Result<Program, InterpreterError> {
    let module_operation = module.as_operation();
    let mut functions = BTreeMap::new();
    for operation in walk::operations(module.body()) {
        if walk::name(&operation) == func::FUNC {
            functions.insert(symbol_name(operation, "sym_name"), operation);
        }
    }
    let Some(&chosen) = functions.get(function) else {
        let known: Vec<&str> = functions.keys().map(String::as_str).collect();
        let message = format!("has no function '{function}'");
        let error = site_of(module_operation).error(ErrorKind::Arguments, message);
        return Err(error.with_remedy(format!("its functions are: {}", known.join(", "))));
    };
    Decoder::new(functions).function(function, chosen)
}

/// The state of decoding one program.
struct Decoder<'c, 'a> {
    functions: BTreeMap<String, OperationRef<'c, 'a>>,
    demand: Demand,
    /// Functions being inlined, outermost first, to refuse recursion.
    calls: Vec<String>,
    sites: Vec<Site>,
    symbols: Vec<SymbolUse>,
    grid_slots: u32,
    is_approximate: bool,
}

impl<'c: 'a, 'a> Decoder<'c, 'a> {
    fn new(functions: BTreeMap<String, OperationRef<'c, 'a>>) -> Self {
        Self {
            functions,
            demand: Demand::default(),
            calls: Vec::new(),
            sites: Vec::new(),
            symbols: Vec::new(),
            grid_slots: 0,
            is_approximate: false,
        }
    }

    fn function(
        mut self,
        name: &str,
        function: OperationRef<'c, 'a>,
    ) -> Result<Program, InterpreterError> {
        let body = function_body(function)?.ok_or_else(|| {
            let message = format!("'{name}' has no body to run");
            site_of(function).error(ErrorKind::Arguments, message)
        })?;
        let function_site = self.site(function);
        self.calls.push(name.to_owned());
        for &called in self.functions.values() {
            if let Ok(Some(block)) = function_body(called) {
                self.demand.of_block(block);
            }
        }

        let mut scope = Scope::default();
        let mut parameters = Vec::new();
        let mut places = Vec::new();
        let names = argument_names(function);
        for position in 0..body.argument_count() {
            let argument: Value = body.argument(position).expect("the block has it").into();
            // What no caller can pass is refused where it is used.
            let Some(kind) = value_kind(argument, false).filter(|kind| is_passed(argument, kind))
            else {
                scope.bind(
                    argument,
                    Binding::Ignored("an argument of a type that no caller passes"),
                );
                continue;
            };
            let binding = self.bind_new(function, argument, &mut scope)?;
            places.push(place_of(&binding).expect("a field or a number has a place"));
            let name = names.get(position).cloned().flatten();
            parameters.push(Parameter { name, argument: position, kind });
        }

        let (body, end) = self.block(body, &mut scope)?;
        let mut results = Vec::new();
        let mut result_places = Vec::new();
        for value in end.operands() {
            let kind = value_kind(value, true);
            let place = scope.binding(value).and_then(place_of);
            let (Some(place), Some(kind)) = (place, kind) else {
                let message = format!("returns a value of type {}", value.r#type());
                return Err(site_of(end).error(ErrorKind::Unsupported, message));
            };
            result_places.push(place);
            results.push(kind);
        }

        let mut symbols: Vec<_> =
            self.symbols.iter().map(|symbol| (symbol.name.clone(), symbol.element)).collect();
        symbols.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(Program {
            signature: Signature { function: name.to_owned(), parameters, results, symbols },
            parameters: places,
            host: scope.layout,
            grid_slots: self.grid_slots as usize,
            body,
            results: result_places,
            symbols: self.symbols,
            sites: self.sites,
            function_site,
            is_approximate: self.is_approximate,
        })
    }

    /// The number of an op in the program's list of places.
    fn site(&mut self, operation: OperationRef<'c, 'a>) -> SiteId {
        let number = u32::try_from(self.sites.len()).expect("a module has fewer than 2^32 ops");
        self.sites.push(site_of(operation));
        SiteId(number)
    }
}

/// The place of an op, for errors.
fn site_of<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) -> Site {
    Site {
        location: diagnostics::place(operation.location()),
        op: walk::name(&operation).to_owned(),
    }
}

/// A refusal of an op that the interpreter does not run.
fn unsupported<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    message: impl Into<String>,
) -> InterpreterError {
    site_of(operation).error(ErrorKind::Unsupported, message)
}

/// The refusal of a reduction, which the compiler shares.
fn reduction<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) -> InterpreterError {
    let Meaningless { what, remedy } = point::reduction();
    unsupported(operation, what).with_remedy(remedy)
}

/// The text of a symbol attribute or string attribute, without decoration.
fn symbol_name<'c: 'a, 'a>(operation: OperationRef<'c, 'a>, attribute: &str) -> String {
    let Ok(attribute) = operation.attribute(attribute) else { return String::new() };
    attributes::string(attribute).unwrap_or_else(|| {
        let text = attribute.to_string();
        text.trim_start_matches('@').trim_matches('"').to_owned()
    })
}

/// The one block of a function; none for a declaration.
fn function_body<'c: 'a, 'a>(
    function: OperationRef<'c, 'a>,
) -> Result<Option<melior::ir::BlockRef<'c, 'a>>, InterpreterError> {
    let block = function.region(0).ok().and_then(|region| region.first_block());
    match block {
        Some(block) if block.next_in_region().is_some() => {
            let error = unsupported(function, "has several blocks");
            let remedy = "write branches with 'scf.if' and loops with 'scf.for'; the upstream pass \
                          'lift-cf-to-scf' does it";
            Err(error.with_remedy(remedy))
        }
        block => Ok(block),
    }
}

/// Names of a function's arguments: `param_names`, else the names that they have in the text.
fn argument_names<'c: 'a, 'a>(function: OperationRef<'c, 'a>) -> Vec<Option<String>> {
    let array = |name: &str| ArrayAttribute::try_from(function.attribute(name).ok()?).ok();
    let (listed, all) = (array("param_names"), array("arg_attrs"));
    let in_list = |position| attributes::string(listed?.element(position).ok()?);
    let in_text = |position| {
        let dictionary = DictionaryAttribute::try_from(all?.element(position).ok()?).ok()?;
        attributes::string(dictionary.element_by_name(stencil::attribute::NAME)?)
    };
    let count = [listed, all].iter().flatten().map(ArrayAttribute::len).max().unwrap_or(0);
    (0..count).map(|position| in_list(position).or_else(|| in_text(position))).collect()
}

/// Whether a caller passes an argument: numbers, fields with bounds, and other memory that is used.
fn is_passed<'c: 'a, 'a>(argument: Value<'c, 'a>, kind: &ValueKind) -> bool {
    let known = StencilType::of(argument.r#type()).is_some_and(|it| it.bounds.is_some());
    known || matches!(kind, ValueKind::Scalar(_)) || !walk::uses(argument).is_empty()
}

/// How a value is described to callers; none for values that cannot be passed.
fn value_kind<'c: 'a, 'a>(value: Value<'c, 'a>, is_result: bool) -> Option<ValueKind> {
    match kind_of(value.r#type()) {
        Kind::Scalar(element) => Some(ValueKind::Scalar(element)),
        Kind::Field { rank, bounds, element } => {
            let is_memref = StencilType::of(value.r#type()).is_none();
            let named = (is_memref || bounds.is_none()).then(|| bounds_of_cast(value)).flatten();
            Some(ValueKind::Field { rank, bounds: named.or(bounds), element })
        }
        Kind::Temp { rank, bounds, element } if is_result => {
            Some(ValueKind::Field { rank, bounds, element })
        }
        _ => None,
    }
}

/// The bounds that the first cast or external load gives a field, or a cast of that.
fn bounds_of_cast<'c: 'a, 'a>(value: Value<'c, 'a>) -> Option<Bounds> {
    walk::uses(value).into_iter().filter(|used| host::is_name(walk::name(&used.user))).find_map(
        |used| {
            let field: Value = used.user.result(0).ok()?.into();
            let known = StencilType::of(field.r#type()).and_then(|it| it.bounds);
            known.or_else(|| bounds_of_cast(field))
        },
    )
}

fn place_of(binding: &Binding) -> Option<Place> {
    match *binding {
        Binding::Scalar(slot) => Some(Place::Scalar(slot)),
        Binding::Grid(slot) => Some(Place::Grid(slot)),
        _ => None,
    }
}
