//! Makes new instructions; the writing half of `ir`, under the same contract.

use super::ir::{Block, Type, Value, llvm};
use llvm_sys::LLVMIntPredicate;
use llvm_sys::LLVMOpcode;
use llvm_sys::LLVMRealPredicate;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

/// A builder positioned at an insertion point.
pub(crate) struct Builder(LLVMBuilderRef);

impl Drop for Builder {
    fn drop(&mut self) {
        llvm!(LLVMDisposeBuilder(self.0));
    }
}

impl Builder {
    pub(crate) fn before(instruction: Value) -> Builder {
        let context = llvm!(LLVMGetTypeContext(LLVMTypeOf(instruction.0)));
        let builder = llvm!(LLVMCreateBuilderInContext(context));
        llvm!(LLVMPositionBuilderBefore(builder, instruction.0));
        Builder(builder)
    }

    pub(crate) fn at_end(block: Block) -> Builder {
        let context = llvm!(LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(block.0))));
        let builder = llvm!(LLVMCreateBuilderInContext(context));
        llvm!(LLVMPositionBuilderAtEnd(builder, block.0));
        Builder(builder)
    }

    /// Moves an existing instruction here.
    pub(crate) fn take(&self, instruction: Value) {
        llvm!(LLVMInstructionRemoveFromParent(instruction.0));
        self.insert(instruction);
    }

    /// Inserts an instruction that is in no block.
    pub(crate) fn insert(&self, instruction: Value) {
        llvm!(LLVMInsertIntoBuilder(self.0, instruction.0));
    }

    pub(crate) fn binary(&self, opcode: LLVMOpcode, left: Value, right: Value) -> Value {
        Value(llvm!(LLVMBuildBinOp(self.0, opcode, left.0, right.0, c"".as_ptr())))
    }

    pub(crate) fn add(&self, left: Value, right: Value) -> Value {
        self.binary(LLVMOpcode::LLVMAdd, left, right)
    }

    pub(crate) fn and(&self, left: Value, right: Value) -> Value {
        self.binary(LLVMOpcode::LLVMAnd, left, right)
    }

    pub(crate) fn cast(&self, opcode: LLVMOpcode, value: Value, to: Type) -> Value {
        Value(llvm!(LLVMBuildCast(self.0, opcode, value.0, to.0, c"".as_ptr())))
    }

    pub(crate) fn bitcast(&self, value: Value, to: Type) -> Value {
        self.cast(LLVMOpcode::LLVMBitCast, value, to)
    }

    pub(crate) fn compare(&self, predicate: LLVMIntPredicate, left: Value, right: Value) -> Value {
        Value(llvm!(LLVMBuildICmp(self.0, predicate, left.0, right.0, c"".as_ptr())))
    }

    /// A floating-point comparison with the predicate of `like`.
    pub(crate) fn compare_like(&self, like: Value, left: Value, right: Value) -> Value {
        let predicate = llvm!(LLVMGetFCmpPredicate(like.0));
        Value(llvm!(LLVMBuildFCmp(self.0, predicate, left.0, right.0, c"".as_ptr())))
    }

    pub(crate) fn compare_floats(
        &self,
        predicate: LLVMRealPredicate,
        left: Value,
        right: Value,
    ) -> Value {
        Value(llvm!(LLVMBuildFCmp(self.0, predicate, left.0, right.0, c"".as_ptr())))
    }

    pub(crate) fn select(&self, condition: Value, yes: Value, no: Value) -> Value {
        Value(llvm!(LLVMBuildSelect(self.0, condition.0, yes.0, no.0, c"".as_ptr())))
    }

    pub(crate) fn load(&self, ty: Type, pointer: Value, alignment: u32) -> Value {
        let load = Value(llvm!(LLVMBuildLoad2(self.0, ty.0, pointer.0, c"".as_ptr())));
        load.set_alignment(alignment);
        load
    }

    pub(crate) fn store(&self, value: Value, pointer: Value, alignment: u32) -> Value {
        let store = Value(llvm!(LLVMBuildStore(self.0, value.0, pointer.0)));
        store.set_alignment(alignment);
        store
    }

    pub(crate) fn alloca(&self, ty: Type) -> Value {
        Value(llvm!(LLVMBuildAlloca(self.0, ty.0, c"".as_ptr())))
    }

    /// The generic pointer `bytes` after `pointer`, without `inbounds`.
    pub(crate) fn offset(&self, pointer: Value, bytes: Value) -> Value {
        let context = llvm!(LLVMGetTypeContext(LLVMTypeOf(pointer.0)));
        let byte = llvm!(LLVMInt8TypeInContext(context));
        let mut index = bytes.0;
        Value(llvm!(LLVMBuildGEP2(self.0, byte, pointer.0, &mut index, 1, c"".as_ptr())))
    }

    /// The address calculation of `like`, on other operands.
    pub(crate) fn address_like(&self, like: Value, operands: &[Value]) -> Value {
        let element = llvm!(LLVMGetGEPSourceElementType(like.0));
        let mut indices: Vec<_> = operands[1..].iter().map(|value| value.0).collect();
        let (pointer, count) = (operands[0].0, indices.len() as u32);
        let name = c"".as_ptr();
        Value(llvm!(LLVMBuildGEP2(self.0, element, pointer, indices.as_mut_ptr(), count, name)))
    }

    pub(crate) fn call(&self, function: Value, arguments: &[Value]) -> Value {
        let mut raw: Vec<_> = arguments.iter().map(|value| value.0).collect();
        let (ty, count, name) = (function.value_type().0, raw.len() as u32, c"".as_ptr());
        Value(llvm!(LLVMBuildCall2(self.0, ty, function.0, raw.as_mut_ptr(), count, name)))
    }

    pub(crate) fn phi(&self, ty: Type) -> Value {
        Value(llvm!(LLVMBuildPhi(self.0, ty.0, c"".as_ptr())))
    }

    pub(crate) fn branch(&self, target: Block) {
        llvm!(LLVMBuildBr(self.0, target.0));
    }

    pub(crate) fn branch_if(&self, condition: Value, yes: Block, no: Block) {
        llvm!(LLVMBuildCondBr(self.0, condition.0, yes.0, no.0));
    }

    pub(crate) fn return_value(&self, value: Value) {
        llvm!(LLVMBuildRet(self.0, value.0));
    }

    pub(crate) fn lane(&self, vector: Value, lane: Value) -> Value {
        Value(llvm!(LLVMBuildExtractElement(self.0, vector.0, lane.0, c"".as_ptr())))
    }

    pub(crate) fn with_lane(&self, vector: Value, element: Value, lane: Value) -> Value {
        Value(llvm!(LLVMBuildInsertElement(self.0, vector.0, element.0, lane.0, c"".as_ptr())))
    }

    pub(crate) fn with_field(&self, aggregate: Value, field: Value, index: u32) -> Value {
        Value(llvm!(LLVMBuildInsertValue(self.0, aggregate.0, field.0, index, c"".as_ptr())))
    }
}
