//! A function as a program: declarations, a stencil function for each apply, and their calls.

use super::{
    Refused, TYPES,
    names::{Names, shifted, wrapped},
    point::{Point, Source, cell},
    refuse, word,
};
use melior::ir::{
    BlockLike, BlockRef, OperationRef, RegionLike, Value, ValueLike, operation::OperationLike,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use stencil_dialects::{
    Bounds, StencilType, attributes, build,
    ods::{arith, func, scf, stencil},
    ops::{ApplyOp, StoreOp},
    types::Number,
    walk::{self, ValueKey},
};

/// An array: its name and the coordinates of its first cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    pub name: String,
    lower: Vec<i64>,
}

/// A stencil function: its name and the values that it takes.
struct Stencil<'c, 'a> {
    name: String,
    /// A result of the apply, or an operand.
    takes: Vec<Value<'c, 'a>>,
}

/// A program, while it is written.
pub struct Program<'c, 'a> {
    pub names: Names,
    /// Names of iterators; a program of fewer dimensions uses the last ones.
    iterators: Vec<String>,
    /// By rank: what a coordinate is more than its iterator.
    shifts: BTreeMap<usize, Vec<i64>>,
    declarations: String,
    /// Scalar arguments, and numbers of iterations.
    pub scalars: HashMap<ValueKey, String>,
    /// The current array of each field and temp.
    pub arrays: HashMap<ValueKey, Array>,
    /// By the first result of the apply.
    stencils: HashMap<ValueKey, Stencil<'c, 'a>>,
    definitions: String,
    written: BTreeSet<String>,
}

/// What the language does about values that leave a function.
const MEMORY: &str = "a program's results are the arrays that it writes";

impl<'c: 'a, 'a> Program<'c, 'a> {
    /// The text of a function.
    pub fn of(function: OperationRef<'c, 'a>) -> Result<String, Refused> {
        let body = build::block_of(function, 0);
        let mut program = Program {
            names: Names::default(),
            iterators: Vec::new(),
            shifts: shifts(function, body),
            declarations: String::new(),
            scalars: HashMap::new(),
            arrays: HashMap::new(),
            stencils: HashMap::new(),
            definitions: String::new(),
            written: BTreeSet::new(),
        };
        let rank = program.shifts.keys().next_back().copied().unwrap_or(1);
        let iterators = &["k", "j", "i"][3 - rank.min(3)..];
        program.iterators = iterators.iter().map(|name| program.names.fresh(name)).collect();
        let copied_in = program.arguments(function, body)?;
        let scratch = copied_in.iter().filter(|(_, is_scratch)| *is_scratch);
        let scratch = scratch.map(|(name, _)| name.clone()).collect::<BTreeSet<_>>();
        let nested = walk::nested(function).into_iter();
        for alloc in nested.filter(|operation| walk::name(operation) == stencil::ALLOC) {
            program.local(build::result(alloc, 0), alloc, "memory")?;
        }
        let calls = program.steps(body, "")?;
        let named: Vec<String> = copied_in.into_iter().map(|(name, _)| name).collect();
        let copied_out = named.iter().filter(|name| program.written.contains(*name));
        let copied_out = copied_out.filter(|name| !scratch.contains(*name)).cloned();
        let mut text =
            format!("iterator {};\n{}", program.iterators.join(", "), program.declarations);
        if !named.is_empty() {
            text += &wrapped("", &format!("copyin {};", named.join(", ")));
        }
        text += &format!("{}\n{calls}", program.definitions);
        let copied_out: Vec<String> = copied_out.collect();
        if !copied_out.is_empty() {
            text += &wrapped("", &format!("copyout {};", copied_out.join(", ")));
        }
        Ok(text)
    }

    /// Declares arguments; their names, and whether they are scratch.
    fn arguments(
        &mut self,
        function: OperationRef<'c, 'a>,
        body: BlockRef<'c, 'a>,
    ) -> Result<Vec<(String, bool)>, Refused> {
        let mut all = Vec::new();
        for position in 0..body.argument_count() {
            let value = build::argument(body, position);
            let attribute = |name| build::argument_attribute(function, position, name);
            let wanted = attribute(stencil::attribute::NAME).and_then(attributes::string);
            let name = self.names.fresh(&wanted.unwrap_or_else(|| format!("a{position}")));
            let is_scratch = attribute(stencil::attribute::SCRATCH).is_some();
            match StencilType::of(value.r#type()) {
                Some(field) => {
                    let Some(bounds) = field.bounds.clone() else {
                        let remedy = "give every field bounds, as in !stencil.field<[0,64]xf64>";
                        let message = format!("has a field '{name}' of unknown size");
                        return Err(refuse(&function, message, remedy));
                    };
                    let array = self.declare(function, &name, &bounds, field.element)?;
                    self.arrays.insert(ValueKey::of(&value), array);
                }
                None => {
                    let number = Number::of(value.r#type());
                    // The number of time steps is an int in the language.
                    let number = number.map(|it| match it {
                        Number::Index => Number::Integer(32),
                        other => other,
                    });
                    let Some(r#type) = word(number) else {
                        let message = format!("has an argument of type {}", value.r#type());
                        return Err(refuse(&function, message, TYPES));
                    };
                    self.declarations += &format!("{type} {name};\n");
                    self.scalars.insert(ValueKey::of(&value), name.clone());
                }
            }
            all.push((name, is_scratch));
        }
        Ok(all)
    }

    /// Declares an array whose cells have these coordinates.
    fn declare(
        &mut self,
        operation: OperationRef<'c, 'a>,
        name: &str,
        bounds: &Bounds,
        element: melior::ir::Type<'c>,
    ) -> Result<Array, Refused> {
        let Some(r#type) = word(Number::of(element)) else {
            let message = format!("has an array of {element}");
            return Err(refuse(&operation, message, TYPES));
        };
        let extents = bounds.extents().iter().map(i64::to_string).collect::<Vec<_>>();
        self.declarations += &format!("{type} {name}[{}];\n", extents.join(","));
        Ok(Array { name: name.to_owned(), lower: bounds.lower.clone() })
    }

    /// The calls of a block, with the arrays that its fields are now.
    pub fn steps(&mut self, block: BlockRef<'c, 'a>, indent: &str) -> Result<String, Refused> {
        let mut text = String::new();
        for operation in walk::operations(block) {
            match walk::name(&operation) {
                // A cast has the bounds of its operand, where they are known.
                stencil::LOAD | stencil::CAST => {
                    let field = ValueKey::of(&operation.operand(0).expect("of a field"));
                    let array = self.arrays[&field].clone();
                    self.arrays.insert(ValueKey::of(&build::result(operation, 0)), array);
                }
                stencil::APPLY => {
                    let apply = ApplyOp::of(operation).expect("the name is an apply's");
                    text += &self.call(apply, indent)?;
                }
                scf::FOR => text += &self.repeat(operation, indent)?,
                // Allocations were declared, and a store is part of its apply.
                stencil::ALLOC | stencil::STORE | scf::YIELD => {}
                func::RETURN if operation.operand_count() == 0 => {}
                func::RETURN => return Err(refuse(&operation, "has operands", MEMORY)),
                _ if is_scalar(operation) => {}
                name => {
                    let message = format!("cannot be exported: '{name}' has no counterpart");
                    let remedy = "programs are loads, applies, stores, and loops of known length";
                    return Err(refuse(&operation, message, remedy));
                }
            }
        }
        Ok(text)
    }

    /// Declares an array for a value, once.
    fn local(
        &mut self,
        value: Value<'c, 'a>,
        operation: OperationRef<'c, 'a>,
        wanted: &str,
    ) -> Result<(), Refused> {
        if self.arrays.contains_key(&ValueKey::of(&value)) {
            return Ok(());
        }
        let known = StencilType::of(value.r#type()).expect("a field or a temp");
        let bounds = known.bounds.expect("bounds were inferred");
        // Cells begin where iterators do, so that a region has no negative ones.
        let lower = match known.kind {
            stencil_dialects::types::StencilKind::Temp => self.shifts[&known.rank].clone(),
            _ => bounds.lower.clone(),
        };
        let name = self.names.fresh(wanted);
        let bounds = Bounds::new(lower, bounds.upper);
        let array = self.declare(operation, &name, &bounds, known.element)?;
        self.arrays.insert(ValueKey::of(&value), array);
        Ok(())
    }

    /// A call of the apply's stencil.
    fn call(&mut self, apply: ApplyOp<'c, 'a>, indent: &str) -> Result<String, Refused> {
        let operation = apply.operation();
        let stores = stores(operation)?;
        for (position, store) in stores.iter().enumerate() {
            if store.is_none() {
                self.local(build::result(operation, position), operation, "values")?;
            }
        }
        let key = ValueKey::of(&build::result(operation, 0));
        if !self.stencils.contains_key(&key) {
            let stencil = self.stencil(apply, &stores)?;
            self.stencils.insert(key, stencil);
        }
        let stencil = &self.stencils[&key];
        let mut arguments = Vec::new();
        for value in &stencil.takes {
            let position = walk::result_number(*value)
                .filter(|_| walk::definition(*value).is_some_and(|it| it == operation));
            let store = position.and_then(|position| stores[position]);
            let value = store.map_or(*value, |store| store.field());
            let name = match self.arrays.get(&ValueKey::of(&value)) {
                Some(array) => {
                    if position.is_some() {
                        self.written.insert(array.name.clone());
                    }
                    array.name.clone()
                }
                None => self.scalars[&ValueKey::of(&value)].clone(),
            };
            arguments.push(name);
        }
        Ok(wrapped(indent, &format!("{} ({});", stencil.name, arguments.join(", "))))
    }

    /// Writes the stencil function of an apply.
    fn stencil(
        &mut self,
        apply: ApplyOp<'c, 'a>,
        stores: &[Option<StoreOp<'c, 'a>>],
    ) -> Result<Stencil<'c, 'a>, Refused> {
        let operation = apply.operation();
        let stage = operation.attribute(stencil::attribute::STAGE).ok();
        let stage = stage.and_then(attributes::string).unwrap_or_else(|| "stage".to_owned());
        let name = self.names.fresh(&stage);
        let rank = apply.rank();
        let iterators = self.iterators[self.iterators.len() - rank..].to_vec();
        let shift = self.shifts[&rank].clone();
        let mut inside = Names::of(&self.iterators);
        let (mut formals, mut takes) = (Vec::new(), Vec::new());
        let mut outputs = Vec::new();
        for (position, store) in stores.iter().enumerate() {
            let result = build::result(operation, position);
            let formal = inside.fresh(&format!("out{position}"));
            outputs.push(self.output(&formal, result, store.as_ref(), &iterators));
            let updates = self.updates(apply, store.map_or(result, |store| store.field()));
            formals.push(if updates { format!("inout: {formal}") } else { formal });
            takes.push(result);
        }
        let mut point = Point::new(iterators, shift, inside);
        for (position, outer) in apply.arguments().into_iter().enumerate() {
            let inner = build::argument(apply.body(), position);
            let scalar = self.scalars.contains_key(&ValueKey::of(&outer));
            let source = match self.arrays.get(&ValueKey::of(&outer)) {
                Some(array) => {
                    let formal = point.names.fresh(&format!("in{position}"));
                    Source::Array(formal, array.lower.clone())
                }
                None if scalar => Source::Scalar(point.names.fresh(&format!("s{position}"))),
                None => {
                    // A value of the host's arithmetic: each point computes it.
                    let text = self.host_value(&mut point, outer, &mut formals, &mut takes)?;
                    point.sources.insert(ValueKey::of(&inner), Source::Scalar(text));
                    continue;
                }
            };
            let (Source::Array(formal, _) | Source::Scalar(formal)) = &source;
            formals.push(formal.clone());
            takes.push(outer);
            point.sources.insert(ValueKey::of(&inner), source);
        }
        // Constants are written where they are used.
        let inside = walk::operations(apply.body()).into_iter();
        for inside in inside.filter(|inside| walk::name(inside) != arith::CONSTANT) {
            point.define(inside)?;
        }
        let assignments = assignments(apply, &mut point, outputs)?;
        let (locals, statements) = (&point.locals, &point.statements);
        let head = wrapped("", &format!("stencil {name} ({}) {{", formals.join(", ")));
        self.definitions += &format!("\n{head}{locals}{statements}{assignments}}}\n");
        Ok(Stencil { name, takes })
    }

    /// Whether an apply reads the array that it writes: it updates the whole array from what was
    /// there before, which a list of arguments has to say, or it would be read as a recurrence.
    fn updates(&self, apply: ApplyOp<'c, 'a>, written: Value<'c, 'a>) -> bool {
        let array = |value: Value<'c, 'a>| self.arrays.get(&ValueKey::of(&value));
        apply.arguments().into_iter().any(|read| array(read) == array(written))
    }

    /// The cell that a result is written to, and the region.
    fn output(
        &self,
        formal: &str,
        result: Value<'c, 'a>,
        store: Option<&StoreOp<'c, 'a>>,
        iterators: &[String],
    ) -> (String, String) {
        let array = &self.arrays[&ValueKey::of(&store.map_or(result, |store| store.field()))];
        let shift = &self.shifts[&iterators.len()];
        let dims = shift.iter().zip(&array.lower).zip(iterators);
        let cells = dims.map(|((shift, lower), name)| shifted(name, shift - lower));
        let bounds = match store {
            Some(store) => store.operation().attribute("bounds").ok().and_then(attributes::bounds),
            None => StencilType::of(result.r#type()).and_then(|known| known.bounds),
        };
        (cell(formal, cells), region(&bounds.expect("bounds were inferred"), shift))
    }

    /// The text of a scalar that the host computes, whose leaves become arguments of the stencil.
    fn host_value(
        &self,
        point: &mut Point<'c, 'a>,
        value: Value<'c, 'a>,
        formals: &mut Vec<String>,
        takes: &mut Vec<Value<'c, 'a>>,
    ) -> Result<String, Refused> {
        let mut pending = vec![value];
        while let Some(one) = pending.pop() {
            let key = ValueKey::of(&one);
            if self.scalars.contains_key(&key) && !point.sources.contains_key(&key) {
                let formal = point.names.fresh("s");
                formals.push(formal.clone());
                takes.push(one);
                point.sources.insert(key, Source::Scalar(formal));
            } else if let Some(definition) = walk::definition(one) {
                pending.extend(definition.operands());
            }
        }
        point.text(value)
    }
}

/// The store of each result; none for a result that other applies read.
fn stores<'c: 'a, 'a>(
    apply: OperationRef<'c, 'a>,
) -> Result<Vec<Option<StoreOp<'c, 'a>>>, Refused> {
    let of =
        |result: Value<'c, 'a>| walk::uses(result).into_iter().find_map(|it| StoreOp::of(it.user));
    Ok(apply.results().map(|result| of(result.into())).collect())
}

/// `[1:62][1:62]`, ends included.
fn region(bounds: &Bounds, shift: &[i64]) -> String {
    let dims = bounds.lower.iter().zip(&bounds.upper).zip(shift);
    dims.map(|((lower, upper), shift)| format!("[{}:{}]", lower - shift, upper - 1 - shift))
        .collect()
}

/// By rank: the least coordinate of fields and applies, in each dimension.
fn shifts(function: OperationRef, body: BlockRef) -> BTreeMap<usize, Vec<i64>> {
    let arguments = (0..body.argument_count()).map(|position| build::argument(body, position));
    let mut types: Vec<_> = arguments.map(|argument| argument.r#type()).collect();
    for operation in walk::nested(function) {
        types.extend(operation.results().map(|result| result.r#type()));
    }
    let mut all = BTreeMap::new();
    for bounds in types.into_iter().filter_map(|it| StencilType::of(it)?.bounds) {
        let least = all.entry(bounds.rank()).or_insert_with(|| bounds.lower.clone());
        for (least, lower) in least.iter_mut().zip(&bounds.lower) {
            *least = (*least).min(*lower);
        }
    }
    all
}

/// Whether an op computes a scalar of the host.
fn is_scalar(operation: OperationRef) -> bool {
    let is_number = |value: Value| Number::of(value.r#type()).is_some();
    operation.result_count() > 0
        && operation.results().all(|result| is_number(result.into()))
        && operation.regions().all(|region| region.first_block().is_none())
}

/// The statements that write what an apply returns.
fn assignments<'c: 'a, 'a>(
    apply: ApplyOp<'c, 'a>,
    point: &mut Point<'c, 'a>,
    outputs: Vec<(String, String)>,
) -> Result<String, Refused> {
    let end = apply.terminator();
    if end.operation().has_attribute("unroll") {
        let remedy = "export the program before 'stencil-unroll'";
        return Err(refuse(&end.operation(), "computes several points", remedy));
    }
    let values = end.values();
    let mut texts = Vec::new();
    for value in &values {
        let text = point.text(*value)?;
        // Statements run one after the other: all values are there before any cell changes.
        texts.push(if values.len() > 1 { point.kept(*value, text) } else { text });
    }
    let mut assignments = String::new();
    for (text, (cell, region)) in texts.into_iter().zip(outputs) {
        assignments += &wrapped("  ", &format!("{region} : {cell} = {text};"));
    }
    Ok(assignments)
}
