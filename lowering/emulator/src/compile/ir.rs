//! Handles on LLVM IR and a builder, for passes that rewrite whole functions.
//!
//! Why not inkwell's typed values: the passes here replace, move and re-type arbitrary
//! instructions, where an untyped handle with a few questions ("which opcode", "which operand") is
//! shorter and no less safe, since LLVM's verifier runs over the result anyway. Inkwell owns the
//! context, the module and the target machine; this file only borrows them.
//!
//! The contract of every `unsafe` block here: a `Value`, `Type` or `Block` is made only
//! by this module, from the one module that is being compiled; it is used on the thread that owns
//! that module's context, before the module is dropped, and never after it was erased. A method is
//! called only on the kind of value that its documentation names.

use super::builder::Builder;
use inkwell::module::Module;
use llvm_sys::LLVMOpcode;
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::ffi::CStr;

/// Calls LLVM's C API under the contract of this module.
macro_rules! llvm {
    ($call:expr) => {{
        // SAFETY: the module text states the contract: live handles, of the right kind, one thread.
        unsafe { $call }
    }};
}
pub(crate) use llvm;

/// An instruction, constant, argument, function or global variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Value(pub(super) LLVMValueRef);

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Type(pub(super) LLVMTypeRef);

/// A basic block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Block(pub(super) LLVMBasicBlockRef);

/// Floating-point formats that kernels compute in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Float {
    Half,
    Bfloat,
    Single,
    Double,
}

impl Float {
    /// True for the 16-bit formats, whose arithmetic is lowered here and not left to the host.
    pub(crate) fn is_small(self) -> bool {
        matches!(self, Float::Half | Float::Bfloat)
    }
}

impl Type {
    pub(crate) fn kind(self) -> LLVMTypeKind {
        llvm!(LLVMGetTypeKind(self.0))
    }

    /// The element type of a fixed vector, and the type itself otherwise.
    pub(crate) fn scalar(self) -> Type {
        if self.is_vector() { Type(llvm!(LLVMGetElementType(self.0))) } else { self }
    }

    pub(crate) fn is_vector(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMVectorTypeKind
    }

    /// Lanes of a vector, `None` for a scalar.
    pub(crate) fn lanes(self) -> Option<u32> {
        self.is_vector().then(|| llvm!(LLVMGetVectorSize(self.0)))
    }

    /// The format of a floating-point scalar or of a vector's elements.
    pub(crate) fn float(self) -> Option<Float> {
        match self.scalar().kind() {
            LLVMTypeKind::LLVMHalfTypeKind => Some(Float::Half),
            LLVMTypeKind::LLVMBFloatTypeKind => Some(Float::Bfloat),
            LLVMTypeKind::LLVMFloatTypeKind => Some(Float::Single),
            LLVMTypeKind::LLVMDoubleTypeKind => Some(Float::Double),
            _ => None,
        }
    }

    /// The width of an integer, or of a vector's integer elements.
    pub(crate) fn int_bits(self) -> Option<u32> {
        let scalar = self.scalar();
        (scalar.kind() == LLVMTypeKind::LLVMIntegerTypeKind)
            .then(|| llvm!(LLVMGetIntTypeWidth(scalar.0)))
    }

    /// The address space of a pointer.
    pub(crate) fn address_space(self) -> Option<u32> {
        (self.kind() == LLVMTypeKind::LLVMPointerTypeKind)
            .then(|| llvm!(LLVMGetPointerAddressSpace(self.0)))
    }

    /// The constant of this integer type, cut to its width; vectors get it in every lane.
    pub(crate) fn int(self, value: u64) -> Value {
        let bits = self.int_bits().unwrap_or(64);
        let value = if bits < 64 { value & ((1 << bits) - 1) } else { value };
        let scalar = Value(llvm!(LLVMConstInt(self.scalar().0, value, 0)));
        match self.lanes() {
            Some(lanes) => {
                let mut all = vec![scalar.0; lanes as usize];
                Value(llvm!(LLVMConstVector(all.as_mut_ptr(), lanes)))
            }
            None => scalar,
        }
    }

    pub(crate) fn poison(self) -> Value {
        Value(llvm!(LLVMGetPoison(self.0)))
    }

    /// The type as LLVM prints it.
    pub(crate) fn text(self) -> String {
        owned_text(llvm!(LLVMPrintTypeToString(self.0)))
    }
}

/// Copies and frees a string that LLVM allocated.
fn owned_text(message: *mut std::ffi::c_char) -> String {
    let text = llvm!(CStr::from_ptr(message)).to_string_lossy().into_owned();
    llvm!(LLVMDisposeMessage(message));
    text
}

impl Value {
    pub(crate) fn ty(self) -> Type {
        Type(llvm!(LLVMTypeOf(self.0)))
    }

    pub(crate) fn name(self) -> String {
        let mut length = 0;
        let start = llvm!(LLVMGetValueName2(self.0, &mut length));
        let bytes = llvm!(std::slice::from_raw_parts(start.cast::<u8>(), length));
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// The value as LLVM prints it.
    pub(crate) fn text(self) -> String {
        owned_text(llvm!(LLVMPrintValueToString(self.0))).trim().to_owned()
    }

    /// The opcode of an instruction or a constant expression.
    pub(crate) fn opcode(self) -> Option<LLVMOpcode> {
        if !llvm!(LLVMIsAInstruction(self.0)).is_null() {
            return Some(llvm!(LLVMGetInstructionOpcode(self.0)));
        }
        self.is_constant_expression().then(|| llvm!(LLVMGetConstOpcode(self.0)))
    }

    pub(crate) fn is_constant_expression(self) -> bool {
        !llvm!(LLVMIsAConstantExpr(self.0)).is_null()
    }

    pub(crate) fn is_constant(self) -> bool {
        llvm!(LLVMIsConstant(self.0)) != 0
    }

    pub(crate) fn is_global_variable(self) -> bool {
        !llvm!(LLVMIsAGlobalVariable(self.0)).is_null()
    }

    pub(crate) fn is_function(self) -> bool {
        !llvm!(LLVMIsAFunction(self.0)).is_null()
    }

    /// The value of an integer constant of at most 64 bits, sign-extended.
    pub(crate) fn constant_int(self) -> Option<i64> {
        let is_small = self.ty().int_bits().is_some_and(|bits| bits <= 64);
        (is_small && !llvm!(LLVMIsAConstantInt(self.0)).is_null())
            .then(|| llvm!(LLVMConstIntGetSExtValue(self.0)))
    }

    pub(crate) fn operand(self, index: u32) -> Value {
        Value(llvm!(LLVMGetOperand(self.0, index)))
    }

    /// Operands of a user; none for leaves.
    pub(crate) fn operands(self) -> Vec<Value> {
        if llvm!(LLVMIsAUser(self.0)).is_null() {
            return Vec::new();
        }
        let count = llvm!(LLVMGetNumOperands(self.0));
        (0..count.max(0) as u32).map(|index| self.operand(index)).collect()
    }

    pub(crate) fn set_operand(self, index: u32, value: Value) {
        llvm!(LLVMSetOperand(self.0, index, value.0));
    }

    pub(crate) fn replace_uses(self, other: Value) {
        llvm!(LLVMReplaceAllUsesWith(self.0, other.0));
    }

    pub(crate) fn has_uses(self) -> bool {
        !llvm!(LLVMGetFirstUse(self.0)).is_null()
    }

    /// Removes an instruction; nothing may use it any more.
    pub(crate) fn erase(self) {
        llvm!(LLVMInstructionEraseFromParent(self.0));
    }

    /// Replaces an instruction by a value.
    pub(crate) fn become_value(self, other: Value) {
        self.replace_uses(other);
        self.erase();
    }

    /// The block of an instruction.
    pub(crate) fn block(self) -> Block {
        Block(llvm!(LLVMGetInstructionParent(self.0)))
    }

    /// The function that a call names, `None` for a call through a pointer or inline assembly.
    pub(crate) fn callee(self) -> Option<Value> {
        let callee = Value(llvm!(LLVMGetCalledValue(self.0)));
        callee.is_function().then_some(callee)
    }

    /// Arguments of a call.
    pub(crate) fn arguments(self) -> Vec<Value> {
        let count = llvm!(LLVMGetNumArgOperands(self.0));
        (0..count).map(|index| self.operand(index)).collect()
    }

    /// The type of a function, or of what a global variable holds.
    pub(crate) fn value_type(self) -> Type {
        Type(llvm!(LLVMGlobalGetValueType(self.0)))
    }

    /// Incoming values of a phi.
    pub(crate) fn incoming(self) -> Vec<Value> {
        let count = llvm!(LLVMCountIncoming(self.0));
        (0..count).map(|index| Value(llvm!(LLVMGetIncomingValue(self.0, index)))).collect()
    }

    /// The blocks that they come from, in the same order.
    pub(crate) fn incoming_blocks(self) -> Vec<Block> {
        let count = llvm!(LLVMCountIncoming(self.0));
        (0..count).map(|index| Block(llvm!(LLVMGetIncomingBlock(self.0, index)))).collect()
    }

    pub(crate) fn add_incoming(self, value: Value, block: Block) {
        let (mut value, mut block) = (value.0, block.0);
        llvm!(LLVMAddIncoming(self.0, &mut value, &mut block, 1));
    }

    /// The alignment that a load, store, atomic, alloca or global variable states.
    pub(crate) fn alignment(self) -> u32 {
        llvm!(LLVMGetAlignment(self.0))
    }

    pub(crate) fn set_alignment(self, bytes: u32) {
        llvm!(LLVMSetAlignment(self.0, bytes));
    }
}

impl Block {
    pub(crate) fn instructions(self) -> Vec<Value> {
        let mut all = Vec::new();
        let mut next = llvm!(LLVMGetFirstInstruction(self.0));
        while !next.is_null() {
            all.push(Value(next));
            next = llvm!(LLVMGetNextInstruction(next));
        }
        all
    }

    pub(crate) fn terminator(self) -> Value {
        Value(llvm!(LLVMGetBasicBlockTerminator(self.0)))
    }

    /// Splits the block before `instruction` and gives (what comes before, the rest).
    ///
    /// The rest keeps the old block, so that phis of its successors stay right; what comes before
    /// moves into a new block, which takes over the predecessors. The new block has no terminator.
    pub(crate) fn split_before(self, instruction: Value) -> (Block, Block) {
        let context = llvm!(LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(self.0))));
        let head = llvm!(LLVMInsertBasicBlockInContext(context, self.0, c"".as_ptr()));
        let builder = Builder::at_end(Block(head));
        let mut next = llvm!(LLVMGetFirstInstruction(self.0));
        while next != instruction.0 {
            let moved = next;
            next = llvm!(LLVMGetNextInstruction(next));
            builder.take(Value(moved));
        }
        // Replacing a block that has a terminator would also rename it in its successors' phis.
        let terminator = self.terminator();
        llvm!(LLVMInstructionRemoveFromParent(terminator.0));
        llvm!(LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(self.0), LLVMBasicBlockAsValue(head)));
        Builder::at_end(self).insert(terminator);
        (Block(head), self)
    }
}

/// Blocks of a function, in order.
pub(crate) fn blocks(function: Value) -> Vec<Block> {
    let mut all = Vec::new();
    let mut next = llvm!(LLVMGetFirstBasicBlock(function.0));
    while !next.is_null() {
        all.push(Block(next));
        next = llvm!(LLVMGetNextBasicBlock(next));
    }
    all
}

/// Instructions of a function, in order.
pub(crate) fn instructions(function: Value) -> Vec<Value> {
    blocks(function).into_iter().flat_map(Block::instructions).collect()
}

/// The module being compiled: its types, functions and global variables.
#[derive(Clone, Copy)]
pub(crate) struct Ir {
    pub(super) module: LLVMModuleRef,
    pub(super) context: LLVMContextRef,
}

impl Ir {
    /// The caller keeps `module` alive as long as any handle is used.
    pub(crate) fn new(module: &Module<'_>) -> Ir {
        let module = module.as_mut_ptr();
        Ir { module, context: llvm!(LLVMGetModuleContext(module)) }
    }

    pub(crate) fn int_type(self, bits: u32) -> Type {
        Type(llvm!(LLVMIntTypeInContext(self.context, bits)))
    }

    pub(crate) fn i1(self) -> Type {
        self.int_type(1)
    }

    pub(crate) fn i16(self) -> Type {
        self.int_type(16)
    }

    pub(crate) fn i32(self) -> Type {
        self.int_type(32)
    }

    pub(crate) fn i64(self) -> Type {
        self.int_type(64)
    }

    pub(crate) fn float_type(self, float: Float) -> Type {
        Type(match float {
            Float::Half => llvm!(LLVMHalfTypeInContext(self.context)),
            Float::Bfloat => llvm!(LLVMBFloatTypeInContext(self.context)),
            Float::Single => llvm!(LLVMFloatTypeInContext(self.context)),
            Float::Double => llvm!(LLVMDoubleTypeInContext(self.context)),
        })
    }

    pub(crate) fn void(self) -> Type {
        Type(llvm!(LLVMVoidTypeInContext(self.context)))
    }

    /// A pointer of the generic address space.
    pub(crate) fn pointer(self) -> Type {
        Type(llvm!(LLVMPointerTypeInContext(self.context, 0)))
    }

    pub(crate) fn function_type(self, result: Type, parameters: &[Type]) -> Type {
        let mut raw: Vec<_> = parameters.iter().map(|ty| ty.0).collect();
        Type(llvm!(LLVMFunctionType(result.0, raw.as_mut_ptr(), raw.len() as u32, 0)))
    }

    /// The function of that name, declared if it is not there yet.
    pub(crate) fn declare(self, name: &str, result: Type, parameters: &[Type]) -> Value {
        let found =
            llvm!(LLVMGetNamedFunctionWithLength(self.module, name.as_ptr().cast(), name.len()));
        if !found.is_null() {
            return Value(found);
        }
        self.add_function(name, self.function_type(result, parameters))
    }

    /// Adds a function, under a name that is free or gets a suffix.
    pub(crate) fn add_function(self, name: &str, ty: Type) -> Value {
        let name = format!("{name}\0");
        Value(llvm!(LLVMAddFunction(self.module, name.as_ptr().cast(), ty.0)))
    }

    /// The declaration of an LLVM intrinsic for the given overloaded types.
    pub(crate) fn intrinsic(self, name: &str, overloads: &[Type]) -> Value {
        let id = llvm!(LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len()));
        assert!(id != 0, "LLVM has no intrinsic {name}");
        let mut raw: Vec<_> = overloads.iter().map(|ty| ty.0).collect();
        let declaration =
            llvm!(LLVMGetIntrinsicDeclaration(self.module, id, raw.as_mut_ptr(), raw.len()));
        Value(declaration)
    }

    pub(crate) fn functions(self) -> Vec<Value> {
        let mut all = Vec::new();
        let mut next = llvm!(LLVMGetFirstFunction(self.module));
        while !next.is_null() {
            all.push(Value(next));
            next = llvm!(LLVMGetNextFunction(next));
        }
        all
    }

    pub(crate) fn global_variables(self) -> Vec<Value> {
        let mut all = Vec::new();
        let mut next = llvm!(LLVMGetFirstGlobal(self.module));
        while !next.is_null() {
            all.push(Value(next));
            next = llvm!(LLVMGetNextGlobal(next));
        }
        all
    }

    pub(crate) fn append_block(self, function: Value, name: &CStr) -> Block {
        Block(llvm!(LLVMAppendBasicBlockInContext(self.context, function.0, name.as_ptr())))
    }
}
