//! The blocks of a kernel as graphs of `stencil-code`.
//!
//! A block of operations becomes items: what each reads, the registers of its results, and what it
//! must follow. Values from outside are live-in, constants are operands that instructions encode,
//! and integers take no registers: addresses are a few sums that all loads share, with offsets that
//! instructions encode.
//! Operations with regions, barriers and all that is not known to be pure are fences. A load whose
//! value only the next iteration of a loop reads is a prefetch.

use melior::ir::{
    BlockRef, OperationRef, Type, TypeLike, Value, ValueLike, operation::OperationLike,
};
use std::collections::HashMap;
use stencil_code::{ArrayId, Dag, Dependences, Effect, Item, ItemId, Kind};
use stencil_dialects::{
    build,
    ods::{arith, gpu, math, memref, vector},
    types::{self, Number},
    walk::{self, ValueKey},
};

/// A block: live-in values are the first items, operations the others.
pub struct BlockDag<'c, 'a> {
    /// The items.
    pub dag: Dag,
    operations: Vec<OperationRef<'c, 'a>>,
    live_in: Vec<Value<'c, 'a>>,
    terminator: OperationRef<'c, 'a>,
}

/// What an item stands for.
#[derive(Clone, Copy, Debug)]
pub enum Origin<'c, 'a> {
    /// A value from outside of the block, or one of its arguments.
    LiveIn(Value<'c, 'a>),
    /// An operation of the block.
    Operation(OperationRef<'c, 'a>),
}

impl<'c: 'a, 'a> BlockDag<'c, 'a> {
    /// The graph of a block; none where there is no order to choose.
    pub fn of(block: BlockRef<'c, 'a>) -> Option<Self> {
        let mut operations = walk::operations(block);
        let terminator = operations.pop()?;
        if operations.len() < 2 {
            return None;
        }
        let mut builder = Builder::default();
        for operation in &operations {
            builder.take_inputs(*operation);
        }
        for operation in &operations {
            builder.take(*operation, terminator);
        }
        Some(Self { dag: builder.dag, operations, live_in: builder.live_in, terminator })
    }

    /// The graphs of all blocks of an operation, in program order.
    pub fn all_of(kernel: OperationRef<'c, 'a>) -> Vec<Self> {
        blocks(kernel).into_iter().filter_map(Self::of).collect()
    }

    /// What an item stands for.
    ///
    /// # Panics
    /// If the block has no such item.
    pub fn origin(&self, item: ItemId) -> Origin<'c, 'a> {
        match item.index().checked_sub(self.live_in.len()) {
            Some(position) => Origin::Operation(self.operations[position]),
            None => Origin::LiveIn(self.live_in[item.index()]),
        }
    }

    /// Floating-point operations.
    pub fn arithmetic(&self) -> usize {
        let computes = |operation: &&OperationRef<'c, 'a>| {
            let mut results = operation.results();
            results.any(|result| result.r#type().is_float())
                && effect(**operation) == Effect::Pure
                && walk::name(*operation) != arith::CONSTANT
        };
        self.operations.iter().filter(computes).count()
    }

    /// Brings the operations into an order of the items.
    ///
    /// # Panics
    /// If the graph does not allow the order.
    pub fn reorder(&self, order: &[ItemId]) {
        assert!(self.dag.allows(order), "an order of operations is one that their graph allows");
        for item in order {
            if let Origin::Operation(operation) = self.origin(*item) {
                build::move_before(operation, self.terminator);
            }
        }
    }
}

/// A graph in the making.
#[derive(Default)]
struct Builder<'c, 'a> {
    dag: Dag,
    live_in: Vec<Value<'c, 'a>>,
    of_value: HashMap<ValueKey, ItemId>,
    arrays: HashMap<ValueKey, ArrayId>,
    dependences: Dependences,
}

impl<'c: 'a, 'a> Builder<'c, 'a> {
    /// The values that an operation reads and that nothing in the block computes.
    fn take_inputs(&mut self, operation: OperationRef<'c, 'a>) {
        let block = operation.block();
        for operand in operands(operation) {
            let is_inside = walk::definition(operand)
                .is_some_and(|definition| ancestor(definition, operation).is_some());
            let key = ValueKey::of(&operand);
            if is_inside || self.of_value.contains_key(&key) {
                continue;
            }
            let id = self.dag.push(live_in(operand, block));
            self.of_value.insert(key, id);
            self.live_in.push(operand);
        }
    }

    fn take(&mut self, operation: OperationRef, terminator: OperationRef) {
        let effect = effect(operation);
        let read = operands(operation).into_iter();
        let mut operands = read
            .filter_map(|value| self.of_value.get(&ValueKey::of(&value)).copied())
            .collect::<Vec<_>>();
        let kind = kind(operation, effect);
        if !matches!(kind, Kind::Accumulate(_)) {
            operands.sort_unstable();
            operands.dedup();
        }
        let results = operation.results().map(Value::from).collect::<Vec<_>>();
        let wide = results.iter().map(|result| registers(result.r#type())).sum();
        let registers = if kind == Kind::Constant { 0 } else { wide };
        let array = matches!(effect, Effect::Load | Effect::Store).then(|| self.array(operation));
        let mut item = Item::new(kind, operands, registers);
        item.array = array.flatten();
        item.live_out = results.iter().any(|result| leaves(*result, operation, terminator));
        item.after = self.dependences.of(ItemId::new(self.dag.len()), effect, &item);
        let id = self.dag.push(item);
        if effect == Effect::Load && results.iter().all(|result| only_leaves(*result, terminator)) {
            self.dependences.mark_prefetch(id);
        }
        for result in results {
            self.of_value.insert(ValueKey::of(&result), id);
        }
    }

    /// The memory of a load or a store; none: not known.
    fn array(&mut self, operation: OperationRef) -> Option<ArrayId> {
        let memory = operation.operands().find(|operand| is_memory(operand.r#type()))?;
        let next = ArrayId(u32::try_from(self.arrays.len()).ok()?);
        Some(*self.arrays.entry(ValueKey::of(&memory)).or_insert(next))
    }
}

/// A value that nothing in the block computes. A constant takes no registers wherever it is.
fn live_in<'c: 'a, 'a>(value: Value<'c, 'a>, block: Option<BlockRef<'c, 'a>>) -> Item {
    let is_constant = |definition| walk::name(&definition) == arith::CONSTANT;
    if walk::definition(value).is_some_and(is_constant) {
        return Item::new(Kind::Constant, Vec::new(), 0);
    }
    // What is no argument of the block is kept for its next run.
    let owner = walk::block_argument(value).map(|(owner, _)| owner);
    let is_argument = owner.is_some() && owner == block;
    let input = Item::new(Kind::Input, Vec::new(), registers(value.r#type()));
    Item { live_out: !is_argument, ..input }
}

fn kind(operation: OperationRef, effect: Effect) -> Kind {
    match (walk::name(&operation), effect) {
        (arith::CONSTANT, _) => Kind::Constant,
        (math::FMA, _) => Kind::Accumulate(2),
        (_, Effect::Load) => Kind::Load,
        (_, Effect::Store) => Kind::Store,
        _ => Kind::Operation,
    }
}

/// What an operation does besides computing a value.
pub fn effect(operation: OperationRef) -> Effect {
    let name = walk::name(&operation);
    let has_regions = operation.regions().next().is_some();
    match name {
        _ if has_regions => Effect::Fence,
        memref::LOAD | vector::LOAD => Effect::Load,
        memref::STORE | vector::STORE => Effect::Store,
        gpu::SHUFFLE => Effect::Warp,
        gpu::THREAD_ID | gpu::BLOCK_ID | gpu::BLOCK_DIM | gpu::LANE_ID => Effect::Pure,
        "nvvm.rsqrt.approx.ftz.f" => Effect::Pure,
        _ if ["arith.", "math.", "vector."].iter().any(|dialect| name.starts_with(dialect)) => {
            Effect::Pure
        }
        _ => Effect::Fence,
    }
}

/// The values that an operation and those inside of it read.
fn operands<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    let nested = walk::nested(operation);
    nested.iter().flat_map(|inner| inner.operands().collect::<Vec<_>>()).collect()
}

/// The operation of a block that another one is, or is inside of; the block is that of `beside`.
fn ancestor<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    beside: OperationRef<'c, 'a>,
) -> Option<OperationRef<'c, 'a>> {
    let mut next = Some(operation);
    while let Some(operation) = next {
        if operation.block() == beside.block() {
            return Some(operation);
        }
        next = operation.parent_operation();
    }
    None
}

/// The blocks of an operation, and of all inside of it.
pub fn blocks<'c: 'a, 'a>(kernel: OperationRef<'c, 'a>) -> Vec<BlockRef<'c, 'a>> {
    walk::nested(kernel).into_iter().flat_map(walk::blocks).collect()
}

/// Whether a value is read after the block.
fn leaves(value: Value, definition: OperationRef, terminator: OperationRef) -> bool {
    walk::uses(value)
        .iter()
        .any(|used| used.user == terminator || ancestor(used.user, definition).is_none())
}

/// Whether a value is read after the block, and nowhere else.
fn only_leaves(value: Value, terminator: OperationRef) -> bool {
    let uses = walk::uses(value);
    !uses.is_empty() && uses.iter().all(|used| used.user == terminator)
}

fn is_memory(r#type: Type) -> bool {
    r#type.is_mem_ref()
}

/// 32-bit registers of a value; integers are addresses, which are few.
pub fn registers(r#type: Type) -> u32 {
    let (count, element) = match r#type.is_vector() {
        true => types::shaped(r#type).map_or((0, r#type), |(count, of)| (count as u32, of)),
        false => (1, r#type),
    };
    match Number::of(element) {
        Some(Number::F64) => 2 * count,
        Some(Number::F32) => count,
        Some(Number::F16 | Number::Bf16) => count.div_ceil(2),
        Some(Number::Integer(_) | Number::Index) | None => 0,
    }
}
