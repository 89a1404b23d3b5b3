//! The straight-line code of a kernel, as `stencil-trees` sees it.
//!
//! A block of operations becomes items: what each reads, the registers of its results, and what it
//! may not be moved past. Values from outside are inputs, constants are operands that instructions
//! name themselves, and integers take no registers: addresses are a few sums that all loads share,
//! with distances that end in the instructions.
//! Loads keep their side of the stores that may touch the same memory. Operations of a warp
//! (shuffles) keep their order. What has regions, barriers and all that is not known to be pure
//! stays where it is, and nothing is moved past it.
//! A load whose value only the next iteration of a loop reads was put ahead to arrive in time: it
//! stays in front of what computes.

use melior::ir::{
    BlockLike, BlockRef, OperationRef, RegionLike, Type, TypeLike, Value, ValueLike,
    operation::OperationLike,
};
use std::collections::HashMap;
use stencil_dialects::{
    build,
    ods::{arith, gpu, math, memref, vector},
    walk::{self, ValueKey},
};
use stencil_trees::{ArrayId, Code, Item, ItemId, Kind};

/// A block, its operations as items behind those that are given.
pub struct StraightCode<'c, 'a> {
    /// The items.
    pub code: Code,
    operations: Vec<OperationRef<'c, 'a>>,
    given: Vec<Value<'c, 'a>>,
    terminator: OperationRef<'c, 'a>,
}

/// What an item stands for.
#[derive(Clone, Copy, Debug)]
pub enum Origin<'c, 'a> {
    /// A value from outside of the block, or of its arguments.
    Given(Value<'c, 'a>),
    /// An operation of the block.
    Operation(OperationRef<'c, 'a>),
}

/// What an operation may not be moved past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Computes a value, and nothing else.
    Pure,
    /// Reads memory.
    Load,
    /// Writes memory.
    Store,
    /// Speaks with other threads of the warp.
    Warp,
    /// Anything else.
    Fence,
}

impl<'c: 'a, 'a> StraightCode<'c, 'a> {
    /// The code of a block; none where there is no order to choose.
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
        let code = Code::new(builder.items).expect("values are defined before they are used");
        Some(Self { code, operations, given: builder.given, terminator })
    }

    /// The codes of all blocks of an operation, in the order of the text.
    pub fn all_of(kernel: OperationRef<'c, 'a>) -> Vec<Self> {
        blocks(kernel).into_iter().filter_map(Self::of).collect()
    }

    /// What an item stands for.
    ///
    /// # Panics
    /// If the code has no such item.
    pub fn origin(&self, item: ItemId) -> Origin<'c, 'a> {
        match item.index().checked_sub(self.given.len()) {
            Some(position) => Origin::Operation(self.operations[position]),
            None => Origin::Given(self.given[item.index()]),
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
    /// If the code does not allow the order.
    pub fn reorder(&self, order: &[ItemId]) {
        assert!(self.code.allows(order), "an order of operations is one that their code allows");
        for item in order {
            if let Origin::Operation(operation) = self.origin(*item) {
                build::move_before(operation, self.terminator);
            }
        }
    }
}

/// Items while they are made.
#[derive(Default)]
struct Builder<'c, 'a> {
    items: Vec<Item>,
    /// The values of the first items.
    given: Vec<Value<'c, 'a>>,
    of_value: HashMap<ValueKey, ItemId>,
    arrays: HashMap<ValueKey, ArrayId>,
    /// Loads and stores since the last fence, with the memory that they touch.
    touched: Vec<(ItemId, Effect, Option<ArrayId>)>,
    /// Loads ahead since the last fence.
    ahead: Vec<ItemId>,
    last_of_warp: Option<ItemId>,
    last_fence: Option<ItemId>,
    since_fence: Vec<ItemId>,
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
            self.of_value.insert(key, ItemId::new(self.items.len()));
            self.items.push(given(operand, block));
            self.given.push(operand);
        }
    }

    fn take(&mut self, operation: OperationRef, terminator: OperationRef) {
        let effect = effect(operation);
        let read = operands(operation).into_iter();
        let mut operands =
            read.filter_map(|value| self.of_value.get(&ValueKey::of(&value)).copied());
        let mut operands = operands.by_ref().collect::<Vec<_>>();
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
        item.escapes = results.iter().any(|result| leaves(*result, operation, terminator));
        let id = ItemId::new(self.items.len());
        item.after = self.after(id, effect, &item);
        if kind != Kind::Constant {
            self.since_fence.push(id);
        }
        let is_ahead =
            effect == Effect::Load && results.iter().all(|result| only_leaves(*result, terminator));
        if is_ahead {
            self.ahead.push(id);
        }
        for result in results {
            self.of_value.insert(ValueKey::of(&result), id);
        }
        self.items.push(item);
    }

    /// The memory of a load or a store; none: not known.
    fn array(&mut self, operation: OperationRef) -> Option<ArrayId> {
        let memory = operation.operands().find(|operand| is_memory(operand.r#type()))?;
        let next = ArrayId(u32::try_from(self.arrays.len()).ok()?);
        Some(*self.arrays.entry(ValueKey::of(&memory)).or_insert(next))
    }

    /// The items that one may not be moved in front of.
    fn after(&mut self, id: ItemId, effect: Effect, item: &Item) -> Vec<ItemId> {
        if item.kind == Kind::Constant {
            return Vec::new();
        }
        let mut after = self.last_fence.into_iter().collect::<Vec<_>>();
        match effect {
            Effect::Pure if item.registers > 0 => after.extend(&self.ahead),
            Effect::Pure => {}
            Effect::Load | Effect::Store => {
                let conflicts = self.touched.iter().filter(|(_, other, array)| {
                    (effect == Effect::Store || *other == Effect::Store)
                        && (array.is_none() || item.array.is_none() || *array == item.array)
                });
                after.extend(conflicts.map(|(other, ..)| *other));
                self.touched.push((id, effect, item.array));
            }
            Effect::Warp => after.extend(self.last_of_warp.replace(id)),
            Effect::Fence => {
                after.append(&mut self.since_fence);
                self.touched.clear();
                self.ahead.clear();
                self.last_of_warp = None;
                self.last_fence = Some(id);
            }
        }
        after.retain(|other| !item.operands.contains(other));
        after
    }
}

/// A value that nothing in the block computes. A constant takes no registers wherever it stands.
fn given<'c: 'a, 'a>(value: Value<'c, 'a>, block: Option<BlockRef<'c, 'a>>) -> Item {
    let is_constant = |definition| walk::name(&definition) == arith::CONSTANT;
    if walk::definition(value).is_some_and(is_constant) {
        return Item::new(Kind::Constant, Vec::new(), 0);
    }
    // What does not come with the block stays for its next run.
    let owner = walk::block_argument(value).map(|(owner, _)| owner);
    let comes_with = owner.is_some() && owner == block;
    let input = Item::new(Kind::Input, Vec::new(), registers(value.r#type()));
    Item { escapes: !comes_with, ..input }
}

fn kind(operation: OperationRef, effect: Effect) -> Kind {
    match (walk::name(&operation).as_str(), effect) {
        (arith::CONSTANT, _) => Kind::Constant,
        (math::FMA, _) => Kind::Accumulate(2),
        (_, Effect::Load) => Kind::Load,
        (_, Effect::Store) => Kind::Store,
        _ => Kind::Operation,
    }
}

/// What an operation may not be moved past.
pub fn effect(operation: OperationRef) -> Effect {
    let name = walk::name(&operation);
    let has_regions = operation.regions().next().is_some();
    match name.as_str() {
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
    walk::nested(kernel).into_iter().flat_map(own_blocks).collect()
}

/// The blocks of an operation itself, region by region.
pub fn own_blocks<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) -> Vec<BlockRef<'c, 'a>> {
    let firsts = operation.regions().filter_map(|region| region.first_block());
    let with_next =
        |first| std::iter::successors(Some(first), |block: &BlockRef| block.next_in_region());
    firsts.flat_map(with_next).collect()
}

/// Whether a value is read behind the block.
fn leaves(value: Value, definition: OperationRef, terminator: OperationRef) -> bool {
    walk::uses(value)
        .iter()
        .any(|used| used.user == terminator || ancestor(used.user, definition).is_none())
}

/// Whether a value is read behind the block, and nowhere else.
fn only_leaves(value: Value, terminator: OperationRef) -> bool {
    let uses = walk::uses(value);
    !uses.is_empty() && uses.iter().all(|used| used.user == terminator)
}

fn is_memory(r#type: Type) -> bool {
    r#type.to_string().starts_with("memref")
}

/// 32-bit registers of a value; integers are addresses, which are few.
pub fn registers(r#type: Type) -> u32 {
    let text = r#type.to_string();
    match text.as_str() {
        "f64" => 2,
        "f32" | "f16" | "bf16" => 1,
        _ => text.strip_prefix("vector<").map_or(0, of_vector),
    }
}

/// Registers of `NxT>`.
fn of_vector(text: &str) -> u32 {
    let Some((count, element)) = text.trim_end_matches('>').rsplit_once('x') else { return 0 };
    let count = count.split('x').filter_map(|extent| extent.parse::<u32>().ok()).product::<u32>();
    match element {
        "f64" => 2 * count,
        "f32" => count,
        "f16" | "bf16" => count.div_ceil(2),
        _ => 0,
    }
}
