//! Shared memory: where its variables lie, and how pointers to it become host pointers.
//!
//! Before: `@tile = internal addrspace(3) global ...`, pointers of address space 3.
//! After:  a pointer of address space 3 is, as on a GPU, an offset into the block's shared memory;
//!         a cast to the generic address space adds the block's base, which the context holds.
//!
//! Why offsets and a base, and not a host global: several blocks are alive at once, on several
//! cores today and in clusters later. Offsets also fit the 32-bit pointers of some layouts.
//! Each kernel has its own layout, of the variables that it uses, in the order of the module; so
//! the size reported is that of the kernel. Dynamic variables all start after the static ones.
//! Does not lower the accesses themselves (`accesses` does).

use super::builder::Builder;
use super::ir::{Ir, Value, instructions, llvm};
use super::kernel::Kernel;
use super::kernel_code::SharedVariable;
use crate::error::EmulatorError;
use crate::execute::context::ThreadContext;
use inkwell::targets::TargetData;
use llvm_sys::LLVMOpcode;
use std::collections::{HashMap, HashSet};
use std::mem::offset_of;

/// The address space of shared memory.
pub(crate) const SHARED: u32 = 3;

/// Alignment of dynamic shared memory, at least.
const DYNAMIC_ALIGNMENT_BYTES: u64 = 16;

/// The shared variables of one kernel.
pub(crate) struct SharedLayout {
    pub(crate) variables: Vec<SharedVariable>,
    pub(crate) static_bytes: u64,
    /// The variables as IR, in the same order.
    globals: Vec<Value>,
}

/// Lays out the variables that `function` uses.
pub(crate) fn lay_out(ir: Ir, function: Value, layout: &TargetData) -> SharedLayout {
    let mut used = HashSet::new();
    for operand in instructions(function).into_iter().flat_map(Value::operands) {
        collect_shared(operand, &mut used);
    }
    let globals: Vec<Value> =
        ir.global_variables().into_iter().filter(|global| used.contains(global)).collect();
    let bytes = |global: &Value| {
        let ty = global.value_type();
        llvm!(llvm_sys::target::LLVMABISizeOfType(layout.as_mut_ptr(), ty.0))
    };
    let alignment = |global: &Value| {
        let ty = global.value_type();
        let natural = llvm!(llvm_sys::target::LLVMABIAlignmentOfType(layout.as_mut_ptr(), ty.0));
        u64::from(global.alignment().max(natural))
    };
    let mut static_bytes = 0_u64;
    let mut offsets = HashMap::new();
    for global in globals.iter().filter(|global| bytes(global) > 0) {
        let offset = static_bytes.next_multiple_of(alignment(global));
        offsets.insert(*global, offset);
        static_bytes = offset + bytes(global);
    }
    let dynamic = globals.iter().filter(|global| bytes(global) == 0).map(alignment).max();
    if let Some(alignment) = dynamic {
        static_bytes = static_bytes.next_multiple_of(alignment.max(DYNAMIC_ALIGNMENT_BYTES));
    }
    let variable = |global: &Value| SharedVariable {
        name: global.name(),
        offset: offsets.get(global).copied().unwrap_or(static_bytes),
        bytes: Some(bytes(global)).filter(|bytes| *bytes > 0),
    };
    SharedLayout { variables: globals.iter().map(variable).collect(), static_bytes, globals }
}

/// Adds the shared variables that a constant is made of.
fn collect_shared(value: Value, used: &mut HashSet<Value>) {
    if value.is_global_variable() {
        if value.ty().address_space() == Some(SHARED) {
            used.insert(value);
        }
    } else if value.is_constant() && !value.is_function() {
        for operand in value.operands() {
            collect_shared(operand, used);
        }
    }
}

/// Replaces shared variables, and constants derived from them, by values in the kernel. Returns the
/// offset constants and their variables.
pub(crate) fn bind_variables(
    kernel: &mut Kernel<'_>,
    layout: &SharedLayout,
) -> Result<HashMap<Value, u32>, EmulatorError> {
    let mut bound = HashMap::new();
    let mut leaves = HashMap::new();
    for (index, global) in layout.globals.iter().enumerate() {
        let offset = kernel.ir.i64().int(layout.variables[index].offset);
        let builder = kernel.in_entry();
        let leaf = builder.cast(LLVMOpcode::LLVMIntToPtr, offset, global.ty());
        leaves.insert(leaf, index as u32);
        bound.insert(*global, leaf);
    }
    for instruction in instructions(kernel.function) {
        for (index, operand) in instruction.operands().into_iter().enumerate() {
            let mut used = HashSet::new();
            collect_shared(operand, &mut used);
            if !used.is_empty() {
                let value = rebuild(kernel, operand, &mut bound)?;
                instruction.set_operand(index as u32, value);
            }
        }
    }
    Ok(leaves)
}

/// The value of a constant, with shared variables replaced; made in the entry block.
fn rebuild(
    kernel: &mut Kernel<'_>,
    constant: Value,
    bound: &mut HashMap<Value, Value>,
) -> Result<Value, EmulatorError> {
    if let Some(value) = bound.get(&constant) {
        return Ok(*value);
    }
    let mut used = HashSet::new();
    collect_shared(constant, &mut used);
    if used.is_empty() {
        return Ok(constant);
    }
    let mut operands = Vec::new();
    for operand in constant.operands() {
        operands.push(rebuild(kernel, operand, bound)?);
    }
    let builder = kernel.in_entry();
    let value = match constant.opcode() {
        Some(LLVMOpcode::LLVMGetElementPtr) => builder.address_like(constant, &operands),
        Some(LLVMOpcode::LLVMAddrSpaceCast) => {
            drop(builder);
            let at = kernel.in_entry();
            cast_pointer(kernel, &at, operands[0], constant)?
        }
        Some(opcode) if operands.len() == 1 => builder.cast(opcode, operands[0], constant.ty()),
        Some(opcode) if operands.len() == 2 => builder.binary(opcode, operands[0], operands[1]),
        Some(_) => return Err(kernel.unsupported(format!("constant '{}'", constant.text()))),
        None if constant.ty().is_vector() => {
            let lanes = operands.iter().zip(0..);
            lanes.fold(constant.ty().poison(), |vector, (lane, index)| {
                builder.with_lane(vector, *lane, kernel.ir.i32().int(index))
            })
        }
        None => operands.iter().zip(0..).fold(constant.ty().poison(), |all, (field, index)| {
            builder.with_field(all, *field, index)
        }),
    };
    bound.insert(constant, value);
    Ok(value)
}

/// Lowers a cast between address spaces; gives the value that replaces it.
pub(crate) fn cast_pointer(
    kernel: &mut Kernel<'_>,
    builder: &Builder,
    pointer: Value,
    like: Value,
) -> Result<Value, EmulatorError> {
    let spaces = (pointer.ty().address_space(), like.ty().address_space());
    match spaces {
        (Some(SHARED), Some(0)) => Ok(to_generic(kernel, builder, pointer)),
        (Some(0), Some(SHARED)) => {
            let base = shared_base_address(kernel);
            let i64 = kernel.ir.i64();
            let address = builder.cast(LLVMOpcode::LLVMPtrToInt, pointer, i64);
            let offset = builder.binary(LLVMOpcode::LLVMSub, address, base);
            Ok(builder.cast(LLVMOpcode::LLVMIntToPtr, offset, like.ty()))
        }
        (Some(0 | 1 | 4), Some(0 | 1 | 4)) => {
            Ok(builder.cast(LLVMOpcode::LLVMAddrSpaceCast, pointer, like.ty()))
        }
        _ => Err(kernel.unsupported(format!("cast between address spaces: '{}'", like.text()))),
    }
}

/// The host pointer of a pointer to shared memory.
pub(crate) fn to_generic(kernel: &mut Kernel<'_>, builder: &Builder, pointer: Value) -> Value {
    let base = shared_base(kernel);
    let offset = builder.cast(LLVMOpcode::LLVMPtrToInt, pointer, kernel.ir.i64());
    let generic = builder.offset(base, offset);
    kernel.shared_aliases.insert(generic, pointer);
    generic
}

/// The start of the block's shared memory.
pub(crate) fn shared_base(kernel: &mut Kernel<'_>) -> Value {
    let pointer = kernel.ir.pointer();
    kernel.context_field(offset_of!(ThreadContext, shared_base), pointer)
}

/// The same as an integer.
pub(crate) fn shared_base_address(kernel: &mut Kernel<'_>) -> Value {
    let base = shared_base(kernel);
    kernel.known("shared base address", |kernel, builder| {
        builder.cast(LLVMOpcode::LLVMPtrToInt, base, kernel.ir.i64())
    })
}
