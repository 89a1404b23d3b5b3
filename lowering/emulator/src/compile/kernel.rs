//! A kernel while it is rewritten: its new entry point, and how its threads end with a fault.
//!
//! Before: `ptx_kernel void @f(<parameters>)`.
//! After:  `i32 @kernel.N(ptr context)`, which gives 1 if the thread faulted. A new entry block
//!         loads the parameters and whatever else does not change while the thread runs. A fault
//!         reports and returns: no unwinding and no long jump through compiled code. Every fault
//!         has its own block; one for all would need phis with an entry per check, on which LLVM's
//!         InstCombine takes time quadratic in their number.

use super::builder::Builder;
use super::counters::Counts;
use super::ir::{Block, Ir, Type, Value, blocks, llvm};
use super::kernel_code::{ParameterKind, SharedVariable, Site};
use super::options::CompileOptions;
use super::watch::Watch;
use crate::error::EmulatorError;
use crate::execute::context::{ArgumentSlot, ThreadContext};
use inkwell::targets::TargetData;
use llvm_sys::LLVMIntPredicate;
use llvm_sys::LLVMOpcode;
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::{
    LLVMAddAttributeAtIndex, LLVMCreateEnumAttribute, LLVMDeleteFunction,
    LLVMGetEnumAttributeKindForName, LLVMGetParam, LLVMMoveBasicBlockAfter,
};
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMAttributeIndex};
use std::collections::HashMap;
use std::mem::offset_of;

/// State shared by the passes over one kernel.
pub(crate) struct Kernel<'a> {
    pub(crate) ir: Ir,
    pub(crate) name: String,
    pub(crate) function: Value,
    pub(crate) options: &'a CompileOptions,
    /// Which accesses are checked for races, and their texts.
    pub(crate) watch: &'a Watch,
    /// The instructions of watched accesses, by their sites.
    pub(crate) instructions: HashMap<u32, String>,
    /// Divides the sizes and alignments of watched accesses; 0 before the first.
    pub(crate) watched_bytes: u64,
    pub(crate) layout: &'a TargetData,
    /// Floating-point operations that the host has in hardware.
    pub(crate) host: HostFloats,
    pub(crate) context: Value,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) variables: &'a [SharedVariable],
    pub(crate) static_shared_bytes: u64,
    pub(crate) sites: Vec<Site>,
    pub(crate) suspends: bool,
    pub(crate) local_bytes: u64,
    entry: Block,
    /// Pointers to shared memory, by the host pointers made from them.
    pub(crate) shared_aliases: HashMap<Value, Value>,
    /// The shared variable of each offset constant.
    pub(crate) shared_leaves: HashMap<Value, u32>,
    /// What blocks add to the thread's counters.
    pub(crate) counts: Counts,
    /// Values computed once in the entry block, by key.
    known: HashMap<String, Value>,
}

/// Floating-point operations that the host has in hardware.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostFloats {
    pub(crate) fma: bool,
    pub(crate) half_conversions: bool,
}

/// A parameter of the kernel, and its value in the body.
pub(crate) struct Parameter {
    pub(crate) kind: ParameterKind,
    pub(crate) value: Value,
}

impl<'a> Kernel<'a> {
    /// Moves the body of `old` into a new function that takes a context; `old` is deleted.
    pub(crate) fn enter(
        ir: Ir,
        old: Value,
        symbol: &str,
        (options, watch): (&'a CompileOptions, &'a Watch),
        host: (&'a TargetData, HostFloats),
        shared: (&'a [SharedVariable], u64),
    ) -> Result<Kernel<'a>, EmulatorError> {
        let name = old.name();
        if old.has_uses() {
            let what = "the kernel is called or its address is taken, which is not supported";
            return Err(EmulatorError::Unsupported { kernel: name, what: what.to_owned() });
        }
        let function = ir.add_function(symbol, ir.function_type(ir.i32(), &[ir.pointer()]));
        own_context(ir, function);
        let entry = ir.append_block(function, c"entry");
        let body = blocks(old);
        let mut last = entry;
        for block in &body {
            llvm!(LLVMMoveBasicBlockAfter(block.0, last.0));
            last = *block;
        }
        Builder::at_end(entry).branch(body[0]);
        let context = Value(llvm!(LLVMGetParam(function.0, 0)));
        let mut kernel = Kernel {
            ir,
            name,
            function,
            options,
            watch,
            instructions: HashMap::new(),
            watched_bytes: 0,
            layout: host.0,
            host: host.1,
            context,
            parameters: Vec::new(),
            variables: shared.0,
            static_shared_bytes: shared.1,
            sites: Vec::new(),
            suspends: false,
            local_bytes: 0,
            entry,
            shared_aliases: HashMap::new(),
            shared_leaves: HashMap::new(),
            counts: Counts::default(),
            known: HashMap::new(),
        };
        kernel.load_parameters(old)?;
        llvm!(LLVMDeleteFunction(old.0));
        kernel.move_local_variables(&body)?;
        Ok(kernel)
    }

    /// An error for an unsupported construct.
    pub(crate) fn unsupported(&self, what: impl Into<String>) -> EmulatorError {
        EmulatorError::Unsupported { kernel: self.name.clone(), what: what.into() }
    }

    /// Instructions of the kernel's own, without the blocks and values added here.
    pub(crate) fn body(&self) -> Vec<Value> {
        let own = blocks(self.function).into_iter().filter(|block| !self.is_entry(*block));
        own.flat_map(Block::instructions).collect()
    }

    /// A builder at the end of the entry block, which dominates all uses.
    pub(crate) fn in_entry(&self) -> Builder {
        Builder::before(self.entry.terminator())
    }

    /// The value of that name, made in the entry block on first use.
    pub(crate) fn known(
        &mut self,
        name: &str,
        make: impl FnOnce(&Self, &Builder) -> Value,
    ) -> Value {
        if let Some(value) = self.known.get(name) {
            return *value;
        }
        let value = make(self, &self.in_entry());
        self.known.insert(name.to_owned(), value);
        value
    }

    /// A field of the thread's context, read once.
    pub(crate) fn context_field(&mut self, offset: usize, ty: Type) -> Value {
        self.known(&format!("context+{offset}"), |kernel, builder| {
            let field = kernel.field_address(builder, offset);
            builder.load(ty, field, 4)
        })
    }

    /// The address of a field of the thread's context.
    pub(crate) fn field_address(&self, builder: &Builder, offset: usize) -> Value {
        builder.offset(self.context, self.ir.i64().int(offset as u64))
    }

    /// Adds a checked operation and returns its number.
    pub(crate) fn add_site(&mut self, site: Site) -> u32 {
        self.sites.push(site);
        u32::try_from(self.sites.len() - 1).expect("a kernel has fewer than 2^32 instructions")
    }

    /// Declares a callback that only faulting threads call.
    pub(crate) fn declare_report(&self, name: &str, parameters: &[Type]) -> Value {
        let report = self.ir.declare(name, self.ir.void(), parameters);
        add_attribute(self.ir, report, LLVMAttributeFunctionIndex, "cold");
        report
    }

    /// True for the block that `in_entry` builds in.
    pub(crate) fn is_entry(&self, block: Block) -> bool {
        block == self.entry
    }

    /// Before `before`, exits the thread if `failed` is true, after `report`.
    pub(crate) fn leave_if(&self, before: Value, failed: Value, report: impl FnOnce(&Builder)) {
        let (head, tail) = before.block().split_before(before);
        let fault = self.ir.append_block(self.function, c"fault");
        Builder::at_end(head).branch_if(failed, fault, tail);
        let builder = Builder::at_end(fault);
        report(&builder);
        builder.return_value(self.ir.i32().int(1));
    }

    /// Before `instruction`, leaves the thread with a fault if `failed` is true. `address` is that
    /// of the access, or its offset in a local variable or constant.
    pub(crate) fn fault_if(&self, instruction: Value, failed: Value, site: u32, address: Value) {
        self.leave_if(instruction, failed, |builder| {
            let (i32, i64) = (self.ir.i32(), self.ir.i64());
            let parameters = [self.ir.pointer(), i32, i64];
            let report = self.declare_report("stencil_emulator_fault", &parameters);
            builder.call(report, &[self.context, i32.int(u64::from(site)), address]);
        });
    }

    /// Loads every parameter from the argument block, in place of the old function's.
    fn load_parameters(&mut self, old: Value) -> Result<(), EmulatorError> {
        let count = llvm!(llvm_sys::core::LLVMCountParams(old.0));
        for index in 0..count {
            let parameter = Value(llvm!(LLVMGetParam(old.0, index)));
            let ty = parameter.ty();
            let kind = self.parameter_kind(index, ty)?;
            let start = index as usize * size_of::<ArgumentSlot>();
            let offset = start + offset_of!(ArgumentSlot, value);
            let arguments = offset_of!(ThreadContext, arguments);
            let arguments = self.context_field(arguments, self.ir.pointer());
            let builder = self.in_entry();
            let slot = builder.offset(arguments, self.ir.i64().int(offset as u64));
            let value = if ty.int_bits() == Some(1) {
                let byte = builder.load(self.ir.int_type(8), slot, 1);
                builder.cast(LLVMOpcode::LLVMTrunc, byte, ty)
            } else {
                builder.load(ty, slot, 16)
            };
            parameter.replace_uses(value);
            self.parameters.push(Parameter { kind, value });
        }
        Ok(())
    }

    fn parameter_kind(&self, index: u32, ty: Type) -> Result<ParameterKind, EmulatorError> {
        use LLVMTypeKind::*;
        match ty.kind() {
            LLVMPointerTypeKind if matches!(ty.address_space(), Some(0 | 1)) => {
                return Ok(ParameterKind::Pointer);
            }
            LLVMIntegerTypeKind | LLVMHalfTypeKind | LLVMBFloatTypeKind | LLVMFloatTypeKind
            | LLVMDoubleTypeKind | LLVMVectorTypeKind => {}
            _ => return Err(self.unsupported_parameter(index, ty)),
        }
        match self.store_bytes(ty) {
            bytes @ 1..=16 => Ok(ParameterKind::Scalar { bytes: bytes as u32 }),
            _ => Err(self.unsupported_parameter(index, ty)),
        }
    }

    fn unsupported_parameter(&self, index: u32, ty: Type) -> EmulatorError {
        self.unsupported(format!(
            "parameter {index} has type {}; parameters are pointers to global memory, or numbers \
             and vectors of at most 16 bytes",
            ty.text()
        ))
    }

    /// Bytes that a store of this type writes.
    pub(crate) fn store_bytes(&self, ty: Type) -> u64 {
        llvm!(llvm_sys::target::LLVMStoreSizeOfType(self.layout.as_mut_ptr(), ty.0))
    }

    /// Moves the thread's variables into the new entry block, where they are static allocas again.
    fn move_local_variables(&mut self, body: &[Block]) -> Result<(), EmulatorError> {
        for (index, block) in body.iter().enumerate() {
            for instruction in block.instructions() {
                if instruction.opcode() != Some(LLVMOpcode::LLVMAlloca) {
                    continue;
                }
                let count = instruction.operand(0).constant_int();
                let (0, Some(count @ 0..)) = (index, count) else {
                    let what = "a local variable of run-time size, or outside the entry block";
                    return Err(self.unsupported(what));
                };
                if instruction.ty().address_space() != Some(0) {
                    let what = "a local variable in a separate address space is not supported";
                    return Err(self.unsupported(what));
                }
                let bytes = self.allocated_bytes(instruction).saturating_mul(count as u64);
                self.local_bytes = self.local_bytes.saturating_add(bytes.next_multiple_of(16));
                self.in_entry().take(instruction);
            }
        }
        Ok(())
    }

    /// Bytes of one element of a local variable.
    pub(crate) fn allocated_bytes(&self, alloca: Value) -> u64 {
        let ty = llvm!(llvm_sys::core::LLVMGetAllocatedType(alloca.0));
        llvm!(llvm_sys::target::LLVMABISizeOfType(self.layout.as_mut_ptr(), ty))
    }
}

/// Marks the context parameter `noalias`.
fn own_context(ir: Ir, function: Value) {
    add_attribute(ir, function, 1, "noalias");
}

fn add_attribute(ir: Ir, function: Value, index: LLVMAttributeIndex, name: &str) {
    let kind = llvm!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()));
    let attribute = llvm!(LLVMCreateEnumAttribute(ir.context, kind, 0));
    llvm!(LLVMAddAttributeAtIndex(function.0, index, attribute));
}

/// Adds `i32 @<symbol>_row(ptr context)`: runs the threads of one row of the block, x from 0 on,
/// and gives 1 at the first that faults. One call for a row lets the optimizer hoist what is the
/// same for its threads; that is worth a factor of several for kernels of few instructions.
pub(crate) fn add_row(ir: Ir, kernel: Value, symbol: &str) {
    let i32 = ir.i32();
    let row = ir.add_function(symbol, ir.function_type(i32, &[ir.pointer()]));
    own_context(ir, row);
    let context = Value(llvm!(LLVMGetParam(row.0, 0)));
    let [entry, thread, next, end] =
        [c"entry", c"thread", c"next", c"end"].map(|name| ir.append_block(row, name));
    let builder = Builder::at_end(entry);
    let field =
        |builder: &Builder, offset: usize| builder.offset(context, ir.i64().int(offset as u64));
    let count = builder.load(i32, field(&builder, offset_of!(ThreadContext, block_size)), 4);
    let first = builder.load(i32, field(&builder, offset_of!(ThreadContext, linear)), 4);
    builder.branch(thread);
    let builder = Builder::at_end(thread);
    let x = builder.phi(i32);
    builder.store(x, field(&builder, offset_of!(ThreadContext, thread)), 4);
    let linear = builder.add(first, x);
    builder.store(linear, field(&builder, offset_of!(ThreadContext, linear)), 4);
    let faulted = builder.call(kernel, &[context]);
    let stop = builder.compare(LLVMIntPredicate::LLVMIntNE, faulted, i32.int(0));
    builder.branch_if(stop, end, next);
    let builder = Builder::at_end(next);
    let after = builder.add(x, i32.int(1));
    let more = builder.compare(LLVMIntPredicate::LLVMIntULT, after, count);
    builder.branch_if(more, thread, end);
    x.add_incoming(i32.int(0), entry);
    x.add_incoming(after, next);
    let builder = Builder::at_end(end);
    let result = builder.phi(i32);
    result.add_incoming(i32.int(1), thread);
    result.add_incoming(i32.int(0), next);
    builder.return_value(result);
}
