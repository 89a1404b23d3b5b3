//! Creating, modifying and erasing ops.

mod functions;

pub use functions::{
    add_function_argument, argument_attribute, argument_attributes, entry_block, function_type,
    remove_function_argument, set_argument_attribute, update_function_type,
};

use crate::{ods::arith, walk};
use melior::{
    Context, ContextRef,
    ir::{
        Attribute, AttributeLike, Block, BlockLike, BlockRef, Identifier, Location, OperationRef,
        Region, Type, Value, ValueLike,
        attribute::{FloatAttribute, IntegerAttribute, StringAttribute},
        operation::{OperationBuilder, OperationLike},
        r#type::IntegerType,
    },
};
use std::{cell::RefCell, collections::HashMap};

/// The context of an op.
pub fn context<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> &'c Context {
    long_lived(operation.context())
}

/// A reference to a context that lives as long as the context.
///
/// melior's own conversion borrows from a temporary `ContextRef`, so one handle per context and
/// thread is leaked instead.
fn long_lived(context: ContextRef<'_>) -> &Context {
    thread_local! {
        static HANDLES: RefCell<HashMap<usize, &'static ContextRef<'static>>> = RefCell::default();
    }
    // SAFETY: the reference is used while `context` is in scope.
    let raw = unsafe { context.to_ref() }.to_raw();
    HANDLES.with_borrow_mut(|handles| {
        let handle = handles.entry(raw.ptr as usize).or_insert_with(|| {
            // SAFETY: the handle is used with the lifetime of `context` only, see below.
            Box::leak(Box::new(unsafe { ContextRef::from_raw(raw) }))
        });
        // SAFETY: the handle is never freed, and the context outlives the result's lifetime.
        unsafe { handle.to_ref() }
    })
}

/// Inserts ops at one place of a block, one after the other, at one location of the text.
#[derive(Clone, Copy)]
pub struct Inserter<'c, 'a> {
    context: &'c Context,
    block: BlockRef<'c, 'a>,
    before: Option<OperationRef<'c, 'a>>,
    location: Location<'c>,
}

impl<'c: 'a, 'a> Inserter<'c, 'a> {
    /// Before an op, at its location.
    ///
    /// # Panics
    /// If the op is in no block.
    pub fn before(operation: OperationRef<'c, 'a>) -> Self {
        Self {
            context: context(&operation),
            block: operation.block().expect("ops are inserted next to ops of a block"),
            before: Some(operation),
            location: operation.location(),
        }
    }

    /// After an op, at its location.
    ///
    /// # Panics
    /// If the op is in no block.
    pub fn after(operation: OperationRef<'c, 'a>) -> Self {
        Self { before: operation.next_in_block(), ..Self::before(operation) }
    }

    /// At the end of a block.
    pub fn at_end(block: BlockRef<'c, 'a>, location: Location<'c>) -> Self {
        Self { context: long_lived(location.context()), block, before: None, location }
    }

    /// At the start of a block.
    pub fn at_start(block: BlockRef<'c, 'a>, location: Location<'c>) -> Self {
        Self { before: block.first_operation(), ..Self::at_end(block, location) }
    }

    /// The same insertion point, with another location.
    pub fn with_location(self, location: Location<'c>) -> Self {
        Self { location, ..self }
    }

    /// The context.
    pub fn context(&self) -> &'c Context {
        self.context
    }

    /// The block that ops are inserted into.
    pub fn block(&self) -> BlockRef<'c, 'a> {
        self.block
    }

    /// The location that ops get.
    pub fn location(&self) -> Location<'c> {
        self.location
    }

    /// Inserts an op made elsewhere.
    pub fn insert(&self, operation: melior::ir::Operation<'c>) -> OperationRef<'c, 'a> {
        match self.before {
            Some(before) => self.block.insert_operation_before(before, operation),
            None => self.block.append_operation(operation),
        }
    }

    /// Makes and inserts an op.
    ///
    /// # Panics
    /// If MLIR refuses to make it, which only a wrong use of an op's inherent attributes causes.
    pub fn create(
        &self,
        name: &str,
        operands: &[Value<'c, 'a>],
        attributes: &[(&str, Attribute<'c>)],
        results: &[Type<'c>],
        regions: Vec<Region<'c>>,
    ) -> OperationRef<'c, 'a> {
        let attributes = attributes
            .iter()
            .map(|(name, value)| (Identifier::new(self.context, name), *value))
            .collect::<Vec<_>>();
        let operation = OperationBuilder::new(name, self.location)
            .add_operands(operands)
            .add_attributes(&attributes)
            .add_results(results)
            .add_regions_vec(regions)
            .build()
            .expect("an op is made from operands and attributes of the right kinds");
        self.insert(operation)
    }

    /// Makes an op with one result, and gives the result.
    pub fn value(
        &self,
        name: &str,
        operands: &[Value<'c, 'a>],
        attributes: &[(&str, Attribute<'c>)],
        result: Type<'c>,
    ) -> Value<'c, 'a> {
        single(self.create(name, operands, attributes, &[result], Vec::new()))
    }

    /// Makes an `arith` op of two operands whose result has their type.
    pub fn binary(&self, name: &str, one: Value<'c, 'a>, two: Value<'c, 'a>) -> Value<'c, 'a> {
        self.value(name, &[one, two], &[], one.r#type())
    }

    /// `arith.constant` of an integer or index type.
    pub fn integer(&self, r#type: Type<'c>, number: i64) -> Value<'c, 'a> {
        let value = IntegerAttribute::new(r#type, number).into();
        self.value(arith::CONSTANT, &[], &[("value", value)], r#type)
    }

    /// `arith.constant` of type index.
    pub fn index(&self, number: i64) -> Value<'c, 'a> {
        self.integer(Type::index(self.context), number)
    }

    /// `arith.constant` of a float type.
    pub fn float(&self, r#type: Type<'c>, number: f64) -> Value<'c, 'a> {
        let value = FloatAttribute::new(self.context, r#type, number).into();
        self.value(arith::CONSTANT, &[], &[("value", value)], r#type)
    }

    /// `arith.cmpi`.
    pub fn compare(
        &self,
        predicate: Compare,
        one: Value<'c, 'a>,
        two: Value<'c, 'a>,
    ) -> Value<'c, 'a> {
        self.comparison(arith::CMPI, predicate as i64, one, two)
    }

    /// `arith.cmpf`.
    pub fn compare_floats(
        &self,
        predicate: CompareFloats,
        one: Value<'c, 'a>,
        two: Value<'c, 'a>,
    ) -> Value<'c, 'a> {
        self.comparison(arith::CMPF, predicate as i64, one, two)
    }

    fn comparison(
        &self,
        name: &str,
        predicate: i64,
        one: Value<'c, 'a>,
        two: Value<'c, 'a>,
    ) -> Value<'c, 'a> {
        let i64_type = IntegerType::new(self.context, 64).into();
        let predicate = IntegerAttribute::new(i64_type, predicate).into();
        let i1 = IntegerType::new(self.context, 1).into();
        self.value(name, &[one, two], &[("predicate", predicate)], i1)
    }
}

/// Comparisons of integers, with the numbers that `arith.cmpi` gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
pub enum Compare {
    /// Both are equal.
    Equal = 0,
    /// Both differ.
    NotEqual = 1,
    /// One is less than two.
    Less = 2,
    /// One is at most two.
    LessEqual = 3,
    /// One is greater than two.
    Greater = 4,
    /// One is at least two.
    GreaterEqual = 5,
    /// One is less than two, both without a sign.
    UnsignedLess = 6,
    /// One is at least two, both without a sign.
    UnsignedGreaterEqual = 9,
}

/// Comparisons of floats, with the numbers that `arith.cmpf` gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
pub enum CompareFloats {
    /// Both are equal, and none is NaN.
    OrderedEqual = 1,
    /// One is at least two, and none is NaN.
    OrderedGreaterEqual = 3,
    /// One is less than two, and none is NaN.
    OrderedLess = 4,
    /// Both differ, or one of them is NaN.
    UnorderedNotEqual = 13,
    /// One of them is NaN.
    Unordered = 14,
}

/// The result of an op that has one.
///
/// # Panics
/// If it has none.
pub fn single<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) -> Value<'c, 'a> {
    result(operation, 0)
}

/// A result of an op.
///
/// # Panics
/// If the op has fewer.
pub fn result<'c: 'a, 'a>(operation: OperationRef<'c, 'a>, position: usize) -> Value<'c, 'a> {
    operation.results().nth(position).expect("the op has that many results").into()
}

/// All inherent and discardable attributes of an op.
pub fn attributes<'c: 'a, 'a>(
    operation: &impl OperationLike<'c, 'a>,
) -> Vec<(String, Attribute<'c>)> {
    operation
        .attributes()
        .map(|(name, value)| (name.as_string_ref().as_str().unwrap_or_default().to_owned(), value))
        .collect()
}

/// Sets an attribute, inherent or not.
pub fn set_attribute<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    name: &str,
    value: Attribute<'c>,
) {
    let name = melior::StringRef::new(name);
    // SAFETY: op and attribute are live and of one context.
    unsafe {
        mlir_sys::mlirOperationSetAttributeByName(
            operation.to_raw(),
            name.to_raw(),
            value.to_raw(),
        );
    }
}

/// Removes an attribute; nothing happens where there is none.
pub fn remove_attribute<'c: 'a, 'a>(operation: OperationRef<'c, 'a>, name: &str) {
    let name = melior::StringRef::new(name);
    // SAFETY: the op is live.
    unsafe {
        mlir_sys::mlirOperationRemoveAttributeByName(operation.to_raw(), name.to_raw());
    }
}

/// Sets an operand.
pub fn set_operand<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    position: usize,
    value: Value<'c, 'a>,
) {
    // SAFETY: op and value are live; an invalid position is MLIR's own assertion.
    unsafe {
        mlir_sys::mlirOperationSetOperand(operation.to_raw(), position as isize, value.to_raw());
    }
}

/// Makes every user of one value use another.
pub fn replace_uses<'c: 'a, 'a>(old: Value<'c, 'a>, new: Value<'c, 'a>) {
    // SAFETY: both values are live.
    unsafe { mlir_sys::mlirValueReplaceAllUsesOfWith(old.to_raw(), new.to_raw()) };
}

/// Moves an op right before another one; its operands must dominate that point.
pub fn move_before<'c: 'a, 'a>(operation: OperationRef<'c, 'a>, other: OperationRef<'c, 'a>) {
    // SAFETY: both ops are alive, and the op leaves its block before it enters the other's.
    unsafe { mlir_sys::mlirOperationMoveBefore(operation.to_raw(), other.to_raw()) };
}

/// Erases an op without uses.
///
/// # Panics
///
/// If a result still has uses: that would leave dangling operands.
pub fn erase<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) {
    let used = operation.results().any(|result| !walk::uses(result.into()).is_empty());
    assert!(!used, "an op that is erased has no uses left");
    // SAFETY: nothing refers to the op any more; views of it are not used after this call.
    unsafe {
        mlir_sys::mlirOperationRemoveFromParent(operation.to_raw());
        mlir_sys::mlirOperationDestroy(operation.to_raw());
    }
}

/// Adds an argument to a block.
pub fn add_argument<'c: 'a, 'a>(
    block: BlockRef<'c, 'a>,
    r#type: Type<'c>,
    location: Location<'c>,
) -> Value<'c, 'a> {
    let count = block.argument_count();
    block.add_argument(r#type, location);
    argument(block, count)
}

/// A copy of an op with its regions, using the same operands.
pub fn clone<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) -> melior::ir::Operation<'c> {
    // SAFETY: the op is live; the copy is ours.
    unsafe { melior::ir::Operation::from_raw(mlir_sys::mlirOperationClone(operation.to_raw())) }
}

/// Moves the blocks of an op's region into a new region.
pub fn take_region<'c: 'a, 'a>(operation: OperationRef<'c, 'a>, position: usize) -> Region<'c> {
    let region = Region::new();
    let source = operation.region(position).expect("the op has that many regions");
    // SAFETY: both regions are live and distinct.
    unsafe {
        mlir_sys::mlirRegionTakeBody(
            melior::ir::RegionLike::to_raw(&region),
            melior::ir::RegionLike::to_raw(&source),
        );
    }
    region
}

/// A region of one block with arguments of these types.
pub fn region_with_block<'c>(types: &[Type<'c>], location: Location<'c>) -> Region<'c> {
    let region = Region::new();
    let arguments = types.iter().map(|r#type| (*r#type, location)).collect::<Vec<_>>();
    melior::ir::RegionLike::append_block(&region, Block::new(&arguments));
    region
}

/// The first block of an op's region.
///
/// # Panics
/// If there is none.
pub fn block_of<'c: 'a, 'a>(operation: OperationRef<'c, 'a>, region: usize) -> BlockRef<'c, 'a> {
    operation
        .region(region)
        .ok()
        .and_then(|region| melior::ir::RegionLike::first_block(&region))
        .expect("the region has a block")
}

/// An argument of a block.
///
/// # Panics
/// If the block has fewer.
pub fn argument<'c: 'a, 'a>(block: BlockRef<'c, 'a>, position: usize) -> Value<'c, 'a> {
    block.argument(position).expect("the block has that many arguments").into()
}

/// A string attribute.
pub fn string<'c>(context: &'c Context, text: &str) -> Attribute<'c> {
    StringAttribute::new(context, text).into()
}

/// Parses an attribute that has no maker of its own.
///
/// # Panics
/// If the text is no attribute.
pub fn attribute<'c>(context: &'c Context, text: &str) -> Attribute<'c> {
    Attribute::parse(context, text).expect("the compiler writes attributes that parse")
}
