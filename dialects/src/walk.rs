//! IR traversal.

use crate::{
    build,
    ods::{arith, func, scf},
};
use melior::StringRef;
use melior::ir::{
    Attribute, BlockLike, BlockRef, OperationRef, RegionLike, Value, ValueLike,
    operation::{OperationLike, WalkOrder, WalkResult},
    r#type::IntegerType,
};

/// Identity of an SSA value, for maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueKey(usize);

impl ValueKey {
    /// The key of a value, valid as long as the op or block that defines the value lives.
    pub fn of<'c>(value: &impl ValueLike<'c>) -> Self {
        Self(value.to_raw().ptr as usize)
    }
}

/// Name of an op, as `stencil.apply`: text that the context owns.
pub fn name<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> &'c str {
    // SAFETY: the op is live, and the identifier of its name lives as long as the context.
    let name = unsafe {
        let identifier = mlir_sys::mlirOperationGetName(operation.to_raw());
        StringRef::from_raw(mlir_sys::mlirIdentifierStr(identifier))
    };
    name.as_str().unwrap_or_default()
}

/// The ops of a block, in order, collected before the first is visited.
pub fn operations<'c: 'a, 'a>(block: BlockRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let mut list = Vec::new();
    let mut next = block.first_operation();
    while let Some(operation) = next {
        list.push(operation);
        next = operation.next_in_block();
    }
    list
}

/// All ops inside `root`, itself included, in pre-order.
pub fn nested<'c: 'a, 'a>(root: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let mut list: Vec<OperationRef<'c, 'a>> = Vec::new();
    root.walk(WalkOrder::PreOrder, |operation| {
        // SAFETY: the op is part of `root`, which lives for 'a.
        list.push(unsafe { OperationRef::from_raw(operation.to_raw()) });
        WalkResult::Advance
    });
    list
}

/// The blocks of an op itself, region by region, collected before the first is visited.
pub fn blocks<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) -> Vec<BlockRef<'c, 'a>> {
    let firsts = operation.regions().filter_map(|region| region.first_block());
    let with_next =
        |first| std::iter::successors(Some(first), |block: &BlockRef| block.next_in_region());
    firsts.flat_map(with_next).collect()
}

/// The values that an op defines: its results, then the arguments of its blocks.
pub fn values<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    let arguments = blocks(operation).into_iter().flat_map(|block| {
        (0..block.argument_count()).map(move |position| build::argument(block, position))
    });
    operation.results().map(Value::from).chain(arguments).collect()
}

/// A use of a value: the op, and which of its operands.
#[derive(Clone, Copy, Debug)]
pub struct Use<'c, 'a> {
    /// The op that uses it.
    pub user: OperationRef<'c, 'a>,
    /// Position among the op's operands.
    pub operand: usize,
}

/// Uses of a value, in an order that depends only on the program's text.
pub fn uses<'c: 'a, 'a>(value: Value<'c, 'a>) -> Vec<Use<'c, 'a>> {
    let mut list = Vec::new();
    // SAFETY: the value is live; uses are read until the first null one, and owners are live ops.
    unsafe {
        let mut current = mlir_sys::mlirValueGetFirstUse(value.to_raw());
        while !mlir_sys::mlirOpOperandIsNull(current) {
            list.push(Use {
                user: OperationRef::from_raw(mlir_sys::mlirOpOperandGetOwner(current)),
                operand: mlir_sys::mlirOpOperandGetOperandNumber(current) as usize,
            });
            current = mlir_sys::mlirOpOperandGetNextUse(current);
        }
    }
    // MLIR's use list is newest first: the reverse of the order of creation.
    list.reverse();
    list
}

/// The value of an `arith.constant`; none if something else computes it.
pub fn constant<'c: 'a, 'a>(value: Value<'c, 'a>) -> Option<Attribute<'c>> {
    let definition = definition(value).filter(|definition| name(definition) == arith::CONSTANT)?;
    definition.attribute("value").ok()
}

/// Whether an `scf.for` is a branch of the host program: its number of iterations is a condition.
pub fn is_branch(counted: OperationRef) -> bool {
    let end = counted.operand(1).ok().filter(|_| name(&counted) == scf::FOR).and_then(definition);
    let widened = end.filter(|end| name(end) == arith::INDEX_CASTUI);
    let condition = widened.and_then(|end| end.operand(0).ok());
    condition.is_some_and(|condition| {
        IntegerType::try_from(condition.r#type()).is_ok_and(|it| it.width() == 1)
    })
}

/// Whether an op is a loop of the host program, and no branch.
pub fn is_loop(operation: &OperationRef) -> bool {
    name(operation) == scf::FOR && !is_branch(*operation)
}

/// The op that defines a value; none for a block argument.
pub fn definition<'c: 'a, 'a>(value: Value<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    if !value.is_operation_result() {
        return None;
    }
    // SAFETY: the value is the result of a live op.
    Some(unsafe { OperationRef::from_raw(mlir_sys::mlirOpResultGetOwner(value.to_raw())) })
}

/// Name of the function that a `func.call` calls; none for other ops.
pub fn callee(call: OperationRef) -> Option<String> {
    let text = (name(&call) == func::CALL).then(|| call.attribute("callee").ok())??.to_string();
    Some(text.trim_start_matches('@').trim_matches('"').to_owned())
}

/// The block and position of a block argument; none for an op's result.
pub fn block_argument<'c: 'a, 'a>(value: Value<'c, 'a>) -> Option<(BlockRef<'c, 'a>, usize)> {
    if !value.is_block_argument() {
        return None;
    }
    // SAFETY: the value is an argument of a live block.
    unsafe {
        Some((
            BlockRef::from_raw(mlir_sys::mlirBlockArgumentGetOwner(value.to_raw())),
            mlir_sys::mlirBlockArgumentGetArgNumber(value.to_raw()) as usize,
        ))
    }
}

/// The position of a value among the results of the op that defines it.
pub fn result_number(value: Value) -> Option<usize> {
    if !value.is_operation_result() {
        return None;
    }
    // SAFETY: the value is the result of a live op.
    Some(unsafe { mlir_sys::mlirOpResultGetResultNumber(value.to_raw()) } as usize)
}
