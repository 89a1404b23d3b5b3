//! Reads the body of an apply into a graph.
//!
//! A cell is known by the field that it belongs to and its offset, so that both forms of an apply
//! read the same inputs; a cell at computed coordinates, by the text of the computation. Fields and
//! scalars are known by where the host program has them from, not by their position among the
//! arguments: passes drop arguments and add some. A scalar that the host program computes is read
//! as if the apply computed it: passes move such operations out of applies.
//! Coordinates and other whole numbers are computed as they are. What the graph has no operation
//! for is no error where nothing needs it. There is none for bits: Newton steps of reciprocal roots
//! begin with them, and what they leave out is no rounding.

use super::code::{Code, Format, Input, Inputs, Op, Operation, Predicate};
use melior::ir::{
    BlockLike, OperationRef, Value, ValueLike, attribute::FloatAttribute, operation::OperationLike,
};
use std::collections::{BTreeMap, HashMap};
use stencil_code::{Item, ItemId};
use stencil_dialects::{
    attributes, build,
    ods::{
        arith, func, math,
        stencil::{self, attribute},
    },
    ops::{AccessOp, ApplyOp, DynAccessOp, IndexOp},
    types::Number,
    walk::{self, ValueKey},
};
use stencil_passes::arithmetic::{flags::Flags, shared_sums::Cell};

/// Values of symbols that were given.
pub type Symbols = BTreeMap<String, f64>;

/// The graph of an apply; an error names the operation that there is no bound for.
pub fn read(apply: ApplyOp, inputs: &mut Inputs, symbols: &Symbols) -> Result<Code, String> {
    let mut reader = Reader {
        sources: Vec::new(),
        inputs,
        code: Code::default(),
        known: HashMap::new(),
        texts: HashMap::new(),
    };
    for (position, source) in apply.arguments().into_iter().enumerate() {
        reader.argument(apply, build::argument(apply.body(), position), source, symbols);
    }
    for operation in walk::operations(apply.body()) {
        if walk::name(&operation) != stencil::RETURN {
            reader.operation(apply, operation);
        }
    }
    for value in apply.terminator().values() {
        let number = reader.number(value)?;
        if reader.code.dag[number].kind.format == Format::Integer {
            return Err(format!("a result of type {}", value.r#type()));
        }
        reader.code.results.push(number);
    }
    Ok(reader.code)
}

struct Reader<'i> {
    /// What tells the values that the arguments stand for from others: two arguments may be one.
    sources: Vec<String>,
    inputs: &'i mut Inputs,
    code: Code,
    /// Items, or the name of what has none.
    known: HashMap<ValueKey, Result<ItemId, String>>,
    /// What tells a value from others.
    texts: HashMap<ValueKey, String>,
}

impl Reader<'_> {
    fn number(&self, value: Value) -> Result<ItemId, String> {
        match self.known.get(&ValueKey::of(&value)) {
            Some(known) => known.clone(),
            None => Err("a value from around the apply".to_owned()),
        }
    }

    /// An argument is the value that it stands for.
    fn argument(&mut self, apply: ApplyOp, argument: Value, source: Value, symbols: &Symbols) {
        self.around(apply, source, symbols);
        let key = ValueKey::of(&source);
        let text = self.texts[&key].clone();
        self.known.insert(ValueKey::of(&argument), self.known[&key].clone());
        self.texts.insert(ValueKey::of(&argument), text.clone());
        self.sources.push(text);
    }

    /// A value from around the apply: computed there, or an input.
    fn around(&mut self, apply: ApplyOp, value: Value, symbols: &Symbols) {
        let key = ValueKey::of(&value);
        if self.known.contains_key(&key) {
            return;
        }
        if let Some(operation) = walk::definition(value).filter(is_arithmetic) {
            operation.operands().for_each(|operand| self.around(apply, operand, symbols));
            return self.operation(apply, operation);
        }
        let text = origin(value);
        let known = symbol(value).and_then(|name| symbols.get(&name)).copied();
        let number = format_of(value).map(|format| {
            let number = self.inputs.number(&text, Input { known, ..Input::of(format) });
            self.input(number, format)
        });
        self.texts.insert(key, text);
        self.known.insert(key, number);
    }

    /// The first argument that stands for the same value.
    fn source(&self, position: usize) -> usize {
        let same = self.sources.iter().position(|source| *source == self.sources[position]);
        same.expect("an argument stands for its own value")
    }

    fn push(&mut self, operation: Operation, operands: Vec<ItemId>) -> ItemId {
        self.code.dag.push(Item::new(operation, operands, 0))
    }

    fn input(&mut self, number: usize, format: Format) -> ItemId {
        self.push(Operation { op: Op::Input(number), format, movable: false }, Vec::new())
    }

    fn operation(&mut self, apply: ApplyOp, operation: OperationRef) {
        if operation.result_count() != 1 {
            return;
        }
        let result = build::single(operation);
        let text = self.text(operation);
        let known = self.item(apply, operation, &text);
        self.texts.insert(ValueKey::of(&result), text);
        self.known.insert(ValueKey::of(&result), known);
    }

    fn text_of(&self, value: Value) -> String {
        self.texts.get(&ValueKey::of(&value)).cloned().unwrap_or_default()
    }

    /// What an operation computes from what, in words that are the same in both graphs.
    fn text(&self, operation: OperationRef) -> String {
        if let Some(access) = AccessOp::of(operation) {
            let source = self.text_of(access.source());
            return format!("cell {:?} {:?} of {source}", access.offset(), access.mapping());
        }
        if let Some(index) = IndexOp::of(operation) {
            return format!("index {} + {}", index.dimension(), index.offset());
        }
        let operands = operation.operands().map(|operand| self.text_of(operand));
        let operands = operands.collect::<Vec<_>>().join(", ");
        let attribute = |name: &str| {
            let value = operation.attribute(name).map(|value| value.to_string());
            value.unwrap_or_default()
        };
        let attributes = ["value", "predicate", "absolute"].map(attribute).concat();
        format!("{}({operands}){attributes}", walk::name(&operation))
    }

    /// The cell of an access, as passes know it.
    fn cell(&self, apply: ApplyOp, access: AccessOp) -> Option<Cell> {
        let is_whole = access.mapping().iter().enumerate().all(|(at, along)| at == *along);
        let field = self.source(apply.argument_of(access.source())?);
        is_whole.then(|| Cell { field, offset: access.offset() })
    }

    fn item(
        &mut self,
        apply: ApplyOp,
        operation: OperationRef,
        text: &str,
    ) -> Result<ItemId, String> {
        let name = walk::name(&operation);
        let result = build::single(operation);
        let format = format_of(result)?;
        let access = AccessOp::of(operation);
        if access.is_some() || DynAccessOp::of(operation).is_some() {
            let cell = access.and_then(|access| self.cell(apply, access));
            let number = self.inputs.number(text, Input { cell, ..Input::of(format) });
            return Ok(self.input(number, format));
        }
        if let Some(index) = IndexOp::of(operation) {
            let key = format!("index {}", index.dimension());
            let number = self.inputs.number(&key, Input::of(format));
            let input = self.input(number, format);
            let exact = |op| Operation { op, format, movable: false };
            let offset = self.push(exact(Op::Constant(index.offset() as f64)), Vec::new());
            return Ok(self.push(exact(Op::Add), vec![input, offset]));
        }
        let op = op_of(operation, name).ok_or(name)?;
        let operands = operation.operands().map(|operand| self.number(operand));
        let mut operands = operands.collect::<Result<Vec<_>, _>>()?;
        let flags = Flags::of(operation);
        let movable = flags.permit("reassoc") || (name == arith::DIVF && flags.permit("arcp"));
        if is_swapped(operation, name) {
            operands.reverse();
        }
        Ok(self.push(Operation { op, format, movable }, operands))
    }
}

/// Whether an operation of the host program computes a number from numbers.
fn is_arithmetic(operation: &OperationRef) -> bool {
    let name = walk::name(operation);
    operation.result_count() == 1 && (name.starts_with("arith.") || name.starts_with("math."))
}

/// Where the host program has a value from, in words that are the same in both forms: among
/// operations of one name that use the same values, the text decides by their order.
fn origin(value: Value) -> String {
    if let Some((block, position)) = walk::block_argument(value) {
        let parent = block.parent_operation();
        return format!("argument {position} of {}", parent.map(described).unwrap_or_default());
    }
    let definition = walk::definition(value).map(described).unwrap_or_default();
    format!("result {} of {definition}", walk::result_number(value).unwrap_or_default())
}

fn described(operation: OperationRef) -> String {
    let name = walk::name(&operation);
    // Applies and loops stay, and in their order; what they read may become less.
    let uses = |operation: OperationRef| match operation.region_count() {
        0 => operation.operands().map(origin).collect::<Vec<_>>().join(", "),
        _ => String::new(),
    };
    let own = uses(operation);
    let Some(function) = function_around(operation) else { return name.to_owned() };
    let is_same = |other: &OperationRef| walk::name(other) == name && uses(*other) == own;
    let others = walk::nested(function);
    let before = others.iter().take_while(|other| **other != operation);
    format!("{name}({own}) {}", before.filter(|other| is_same(other)).count())
}

/// The function that an operation is part of.
fn function_around<'c, 'a>(operation: OperationRef<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    let parent = operation.parent_operation()?;
    match walk::name(&parent) {
        func::FUNC => Some(parent),
        _ => function_around(parent),
    }
}

/// The symbol that a value outside of the apply stands for.
fn symbol(value: Value) -> Option<String> {
    let (block, position) = walk::block_argument(value)?;
    let function = block.parent_operation()?;
    if walk::name(&function) != func::FUNC {
        return None;
    }
    build::argument_attribute(function, position, attribute::SYMBOL).and_then(attributes::string)
}

fn format_of(value: Value) -> Result<Format, String> {
    match Number::of(value.r#type()) {
        Some(Number::F32) => Ok(Format::F32),
        Some(Number::F64) => Ok(Format::F64),
        Some(Number::Index | Number::Integer(64 | 32 | 1)) => Ok(Format::Integer),
        _ => Err(format!("a value of type {}", value.r#type())),
    }
}

/// The number of the predicate of a comparison, in the order of `arith`.
fn predicate_number(operation: OperationRef) -> Option<i64> {
    operation.attribute("predicate").ok().and_then(attributes::integer)
}

/// The predicate of a comparison, whose operands may have to be swapped.
fn predicate(operation: OperationRef, name: &str) -> Option<Predicate> {
    match (name, predicate_number(operation)?) {
        (arith::CMPF, 1 | 8) | (arith::CMPI, 0) => Some(Predicate::Equal),
        (arith::CMPF, 6 | 13) | (arith::CMPI, 1) => Some(Predicate::NotEqual),
        (arith::CMPF, 2 | 4 | 9 | 11) | (arith::CMPI, 2 | 4) => Some(Predicate::Less),
        (arith::CMPF, 3 | 5 | 10 | 12) | (arith::CMPI, 3 | 5) => Some(Predicate::LessOrEqual),
        _ => None,
    }
}

/// Whether a comparison is one with swapped operands: greater, or greater or equal.
fn is_swapped(operation: OperationRef, name: &str) -> bool {
    let predicate = predicate_number(operation);
    match name {
        arith::CMPF => matches!(predicate, Some(2 | 3 | 9 | 10)),
        arith::CMPI => matches!(predicate, Some(4 | 5)),
        _ => false,
    }
}

fn op_of(operation: OperationRef, name: &str) -> Option<Op> {
    Some(match name {
        arith::CONSTANT => {
            let value = operation.attribute("value").ok()?;
            let float = FloatAttribute::try_from(value).ok().map(|value| value.value());
            Op::Constant(float.or_else(|| Some(attributes::integer(value)? as f64))?)
        }
        arith::ADDF | arith::ADDI => Op::Add,
        arith::SUBF | arith::SUBI => Op::Subtract,
        arith::MULF | arith::MULI => Op::Multiply,
        arith::DIVF => Op::Divide,
        math::FMA => Op::Fma,
        arith::NEGF => Op::Negate,
        math::ABSF => Op::Abs,
        math::COPYSIGN => Op::CopySign,
        math::SQRT => Op::Sqrt,
        math::RSQRT if !operation.has_attribute(stencil::attribute::ESTIMATE) => Op::Rsqrt,
        arith::MINIMUMF | arith::MINNUMF | arith::MINSI => Op::Minimum,
        arith::MAXIMUMF | arith::MAXNUMF | arith::MAXSI => Op::Maximum,
        arith::CMPF | arith::CMPI => Op::Compare(predicate(operation, name)?),
        arith::SELECT => Op::Select,
        arith::EXTF | arith::TRUNCF | arith::SITOFP | arith::INDEX_CAST => Op::Convert,
        _ => return None,
    })
}
