//! [`Stages`] from IR.

use super::{Memory, Output, Range, Read, Source, Stage, Stages, Write};
use crate::analysis::{
    alias::Aliases,
    footprint,
    placement::{self, Indirect},
    shared_work::SharedWork,
};
use melior::ir::{BlockRef, OperationRef, Value, ValueLike, operation::OperationLike};
use std::{collections::BTreeSet, rc::Rc};
use stencil_dialects::{
    StencilType,
    ods::{
        scf,
        stencil::{self, attribute},
    },
    ops::{ApplyOp, DynAccessOp, StoreOp},
    types,
    walk::{self, ValueKey},
};

/// The applies of one block.
pub struct Block<'c, 'a> {
    /// As operations, in order.
    pub applies: Vec<ApplyOp<'c, 'a>>,
    /// As data, in the same order.
    pub stages: Stages,
    /// The fields that the data names by number.
    pub fields: Vec<Value<'c, 'a>>,
}

/// Every block of a function with applies whose bounds are known, outer ones first.
pub fn blocks<'c: 'a, 'a>(function: OperationRef<'c, 'a>) -> Vec<Block<'c, 'a>> {
    let mut blocks = Vec::<BlockRef>::new();
    for apply in walk::nested(function).into_iter().filter_map(ApplyOp::of) {
        let Some(block) = apply.operation().block() else { continue };
        if !blocks.contains(&block) {
            blocks.push(block);
        }
    }
    blocks.into_iter().filter_map(Block::of).collect()
}

impl<'c: 'a, 'a> Block<'c, 'a> {
    fn of(block: BlockRef<'c, 'a>) -> Option<Self> {
        let operations = walk::operations(block);
        let applies = operations.iter().filter_map(|operation| ApplyOp::of(*operation));
        // Dead applies have no bounds, and no kernel.
        let applies = applies.filter(|apply| apply.bounds().is_some()).collect::<Vec<_>>();
        let (fields, memory, aliases) = (Vec::new(), Vec::new(), Aliases::default());
        let mut reader = Reader { block, operations, applies, fields, memory, aliases };
        let stages = (0..reader.applies.len()).map(|number| reader.stage(number));
        let list = stages.collect::<Option<Vec<_>>>()?;
        let Reader { applies, fields, memory, aliases: mut known, .. } = reader;
        let pairs = (0..fields.len()).flat_map(|two| (0..two).map(move |one| (one, two)));
        let aliases = pairs.filter(|(one, two)| known.may_alias(fields[*one], fields[*two]));
        let aliases = aliases.collect();
        let memory = memory.into_iter().map(|(_, memory)| memory).collect();
        Some(Self { applies, stages: Stages { list, memory, aliases }, fields })
    }
}

/// What is known of a block while its applies are read.
struct Reader<'c, 'a> {
    block: BlockRef<'c, 'a>,
    operations: Vec<OperationRef<'c, 'a>>,
    applies: Vec<ApplyOp<'c, 'a>>,
    fields: Vec<Value<'c, 'a>>,
    memory: Vec<(ValueKey, Memory)>,
    aliases: Aliases,
}

impl<'c: 'a, 'a> Reader<'c, 'a> {
    /// An apply; none if its bounds are unknown.
    fn stage(&mut self, number: usize) -> Option<Stage> {
        let apply = self.applies[number];
        let operation = apply.operation();
        let position = self.position(operation)?;
        let domain = apply.bounds()?;
        let results = operation.results().map(|result| self.output(result.into()));
        let results = results.collect::<Option<Vec<_>>>()?;
        let body = walk::nested(operation);
        let unroll = apply.terminator().unroll().unwrap_or_default();
        Some(Stage {
            position,
            domain,
            results,
            work: Rc::new(SharedWork::of(apply)),
            group: unroll.iter().product::<i64>().max(1) as u64,
            reads: self.reads(apply),
            reads_near: body
                .into_iter()
                .filter_map(DynAccessOp::of)
                .any(|access| !access.absolute()),
            stays: self.stays(apply),
            apart: apart(apply),
            ready: self.ready_to_store(operation),
            segment: self.operations[..position].iter().filter(|other| is_opaque(**other)).count(),
            is_gone: false,
        })
    }

    fn position(&self, operation: OperationRef<'c, 'a>) -> Option<usize> {
        let mut current = operation;
        while current.block() != Some(self.block) {
            current = current.parent_operation()?;
        }
        self.operations.iter().position(|other| *other == current)
    }

    fn output(&mut self, result: Value<'c, 'a>) -> Option<Output> {
        let bytes = types::element_bytes(StencilType::of(result.r#type())?.element)?;
        let stores = walk::uses(result).into_iter().filter_map(|used| StoreOp::of(used.user));
        let stores = stores.collect::<Vec<_>>();
        let fields = stores.iter().map(|store| self.field(store.field())).collect();
        let stored = stores.iter().map(StoreOp::bounds).reduce(|one, two| one.union(&two));
        let end = |store: &StoreOp<'c, 'a>| self.position(store.operation());
        let ends = stores.iter().map(end).collect::<Option<Vec<_>>>()?;
        Some(Output { bytes: bytes.into(), fields, ends, stored })
    }

    /// The number of a field.
    fn field(&mut self, field: Value<'c, 'a>) -> usize {
        let known = self.fields.iter().position(|other| *other == field);
        known.unwrap_or_else(|| {
            self.fields.push(field);
            self.fields.len() - 1
        })
    }

    fn reads(&mut self, apply: ApplyOp<'c, 'a>) -> BTreeSet<Read> {
        let arguments = apply.arguments();
        let sources = arguments.iter().map(|argument| self.source(*argument)).collect::<Vec<_>>();
        let read = |read: footprint::Read<'c, 'a>| {
            let range = |dimension: usize| {
                let follows = read.mapping.as_ref().map(|mapping| mapping[dimension]);
                // The body is computed at the first of a group of points.
                let less = follows.map_or(0, |along| read.unroll[along] - 1);
                let upper = read.upper[dimension].saturating_sub(less);
                Range { follows, lower: read.lower[dimension], upper }
            };
            let is_computed = DynAccessOp::of(read.operation).is_some();
            let ranges = (0..read.lower.len()).map(range).collect();
            Some(Read { source: sources[read.argument]?, ranges, is_computed })
        };
        footprint::reads(apply).into_iter().filter_map(read).collect()
    }

    /// Where an operand comes from; none for numbers.
    fn source(&mut self, operand: Value<'c, 'a>) -> Option<Source> {
        let r#type = StencilType::of(operand.r#type())?;
        let bytes = u64::from(types::element_bytes(r#type.element)?);
        if let Some(number) = walk::definition(operand)
            .and_then(|definition| self.applies.iter().position(|it| it.operation() == definition))
        {
            return Some(Source::Result(number, walk::result_number(operand)?));
        }
        let key = ValueKey::of(&operand);
        if let Some(known) = self.memory.iter().position(|(other, _)| *other == key) {
            return Some(Source::Memory(known));
        }
        let loaded = match types::is_field(operand.r#type()) {
            true => Some(operand),
            false => placement::loaded_field(operand),
        };
        let writes = loaded.map_or_else(Vec::new, |field| self.writes(field));
        let field = self.field(loaded.unwrap_or(operand));
        self.memory.push((key, Memory { field, bytes, writes }));
        Some(Source::Memory(self.memory.len() - 1))
    }

    /// The stores of the block to a field.
    fn writes(&mut self, field: Value<'c, 'a>) -> Vec<Write> {
        let inside = self.operations.iter().flat_map(|operation| walk::nested(*operation));
        let stores = inside.filter_map(StoreOp::of);
        let aliasing = stores.filter(|store| self.aliases.may_alias(store.field(), field));
        let aliasing = aliasing.collect::<Vec<_>>().into_iter();
        let write = |store: StoreOp<'c, 'a>| {
            let at = self.position(store.operation())?;
            let computed = walk::definition(store.temp()).and_then(|it| self.position(it));
            Some(Write { at, by: computed.unwrap_or(at) })
        };
        aliasing.filter_map(write).collect()
    }

    /// Why the readers of an apply may not compute it.
    fn stays(&self, producer: ApplyOp<'c, 'a>) -> Option<String> {
        let operation = producer.operation();
        if operation.has_attribute(attribute::PLAN)
            || operation.has_attribute(attribute::CONSTRAINTS)
        {
            return Some("it has a plan of its own".to_owned());
        }
        for used in operation.results().flat_map(|result| walk::uses(result.into())) {
            if StoreOp::of(used.user).is_some() {
                continue;
            }
            let reader = ApplyOp::of(used.user).filter(|_| used.user.block() == Some(self.block));
            let Some(reader) = reader else {
                return Some(format!("'{}' reads it", walk::name(&used.user)));
            };
            if reader.operation().has_attribute(attribute::PLAN)
                || reader.operation().has_attribute(attribute::CONSTRAINTS)
            {
                return Some("its reader has a plan of its own".to_owned());
            }
        }
        None
    }

    /// The same of an apply with its stores, which move along.
    fn ready_to_store(&self, operation: OperationRef<'c, 'a>) -> usize {
        let users = operation.results().flat_map(|result| walk::uses(result.into()));
        let stores = users.filter_map(|used| StoreOp::of(used.user));
        let stores = stores.filter(|store| store.operation().block() == Some(self.block));
        let fields = stores.filter_map(|store| walk::definition(store.field()));
        let here = fields.filter(|field| field.block() == Some(self.block));
        let of = |field: OperationRef<'c, 'a>| match may_move(field) {
            true => self.ready(field),
            false => self.position(field).map_or(0, |position| position + 1),
        };
        here.map(of).max().unwrap_or(0).max(self.ready(operation))
    }

    /// The position from which on the operands exist that are not loaded or computed by applies.
    fn ready(&self, operation: OperationRef<'c, 'a>) -> usize {
        let here = |operand: Value<'c, 'a>| {
            walk::definition(operand).filter(|definition| definition.block() == Some(self.block))
        };
        let of = |definition: OperationRef<'c, 'a>| match walk::name(&definition) {
            stencil::APPLY => 0,
            _ if may_move(definition) => self.ready(definition),
            _ => self.position(definition).map_or(0, |position| position + 1),
        };
        operation.operands().filter_map(here).map(of).max().unwrap_or(0)
    }
}

/// Whether an op of the host may be moved up to an earlier apply.
pub fn may_move(operation: OperationRef) -> bool {
    let name = walk::name(&operation);
    matches!(name, stencil::LOAD | stencil::CAST | stencil::ALLOC) || name.starts_with("arith.")
}

/// Whether an op may access memory that the applies of its block do not show.
pub fn is_opaque(operation: OperationRef) -> bool {
    let name = walk::name(&operation);
    let is_known = matches!(
        name,
        stencil::APPLY
            | stencil::STORE
            | stencil::LOAD
            | stencil::CAST
            | stencil::ALLOC
            | scf::YIELD
    );
    // A store of what no apply of the block computes is an access of its own.
    let is_other = StoreOp::of(operation).is_some_and(is_indirect);
    is_other || !(is_known || name.starts_with("arith.") || name.starts_with("math."))
}

/// Whether a store is an access apart from its apply. Where only other uses of the temp are in the
/// way, `stencil-place-copies` gives it a result of its own.
fn is_indirect(store: StoreOp) -> bool {
    let why = placement::direct(store).err();
    matches!(why, Some(Indirect::NotComputedHere | Indirect::Interference))
}

/// Why an apply may not become part of another kernel.
fn apart(apply: ApplyOp) -> Option<String> {
    let operation = apply.operation();
    let optional = (0..operation.result_count()).any(|it| placement::is_optional(apply, it));
    let users = operation.results().flat_map(|result| walk::uses(result.into()));
    let mut stores = users.filter_map(|used| StoreOp::of(used.user));
    let against = [
        (operation.has_attribute(attribute::PLAN), "it has a plan of its own"),
        (operation.has_attribute(attribute::CONSTRAINTS), "it has constraints of its own"),
        (!apply.destinations().is_empty(), "it has destinations"),
        (optional, "it has unwritten points"),
        (stores.any(is_indirect), "a store of it is not direct"),
        (apply.terminator().unroll().is_some(), "it computes several points at once"),
    ];
    against.into_iter().find(|(holds, _)| *holds).map(|(_, why)| why.to_owned())
}
