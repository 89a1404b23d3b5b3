//! Loads, stores, atomics and block copies: host pointers and checks.
//!
//! Before: `load float, ptr addrspace(3) %p`.
//! After:  `load float, ptr %base_plus_p`, and in checked kernels a branch before it that leaves
//!         the thread with a fault unless the address is inside the pointer's object and aligned.
//!
//! Accesses are checked in groups (`groups`). The check of a known object is
//! `address - base < valid starts`, both loop-invariant; of an unknown one a call that looks
//! through the launch's buffers, shared memory and the stack.
//! What may race is reported right before it (`watch`).
//! Accesses of checked kernels are counted (`counters`). Those of others lose the stated alignment,
//! which the host would otherwise trust.

use super::builder::Builder;
use super::counters::count;
use super::ir::{Value, llvm};
use super::kernel::Kernel;
use super::kernel_code::{Object, Operation, Site};
use super::provenance::{Root, root};
use super::shared::{SHARED, shared_base_address, to_generic};
use super::watch::{Watched, report};
use crate::error::{Access, EmulatorError};
use crate::execute::callbacks::RELATIVE;
use crate::execute::context::{ArgumentSlot, ThreadContext};
use llvm_sys::LLVMIntPredicate::*;
use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use std::collections::BTreeMap;
use std::mem::offset_of;

/// A use of memory: which operand is the pointer, and what is done through it.
struct Use {
    access: Access,
    operand: u32,
    bytes: u64,
}

/// What a check needs to know of an access.
pub(crate) struct Check {
    pub(crate) access: Access,
    pub(crate) bytes: u64,
    pub(crate) alignment: u32,
    /// The pointer, as the host dereferences it.
    pub(crate) pointer: Value,
    pub(crate) from: Root,
}

/// Lowers loads, stores or an atomic operation that are checked together, before the first.
pub(crate) fn lower_accesses(
    kernel: &mut Kernel<'_>,
    group: &[Value],
) -> Result<(), EmulatorError> {
    let mut checks = Vec::new();
    let mut spaces = Vec::new();
    for instruction in group {
        let used = describe(kernel, *instruction)?;
        let pointer = instruction.operand(used.operand);
        let from = root(kernel, pointer);
        let generic = host_pointer(kernel, group[0], pointer);
        instruction.set_operand(used.operand, generic);
        let alignment = instruction.alignment();
        if kernel.options.checked {
            let Use { access, bytes, .. } = used;
            count(kernel, *instruction, (access, bytes), (pointer, &from.object));
            checks.push(Check { access, bytes, alignment, pointer: generic, from });
            spaces.push(pointer.ty().address_space());
        } else if used.access != Access::Atomic {
            instruction.set_alignment(1);
        }
    }
    if checks.is_empty() {
        return Ok(());
    }
    let sites = check(kernel, group[0], &checks);
    for (((instruction, check), space), site) in group.iter().zip(&checks).zip(spaces).zip(sites) {
        let Check { access, bytes, alignment, pointer, from } = check;
        let i64 = kernel.ir.i64();
        let address = Builder::before(*instruction).cast(LLVMOpcode::LLVMPtrToInt, *pointer, i64);
        let (access, alignment, object) = (*access, *alignment, &from.object);
        let watched = Watched { site, access, address, space, object, alignment };
        report(kernel, *instruction, &watched, (*bytes, i64.int(*bytes)));
    }
    Ok(())
}

fn describe(kernel: &Kernel<'_>, instruction: Value) -> Result<Use, EmulatorError> {
    use LLVMOpcode::*;
    let (access, operand, ty) = match instruction.opcode() {
        Some(LLVMLoad) => (Access::Load, 0, instruction.ty()),
        Some(LLVMStore) => (Access::Store, 1, instruction.operand(0).ty()),
        Some(LLVMAtomicRMW) => (Access::Atomic, 0, instruction.operand(1).ty()),
        Some(LLVMAtomicCmpXchg) => (Access::Atomic, 0, instruction.operand(1).ty()),
        _ => unreachable!("the caller passes accesses only"),
    };
    if instruction.opcode() == Some(LLVMAtomicRMW) {
        use llvm_sys::LLVMAtomicRMWBinOp::*;
        let operation = llvm!(LLVMGetAtomicRMWBinOp(instruction.0));
        let is_extremum = matches!(operation, LLVMAtomicRMWBinOpFMax | LLVMAtomicRMWBinOpFMin);
        if is_extremum || ty.float().is_some_and(|float| float.is_small()) {
            let what = format!("'{}': not an atomic operation the host has", instruction.text());
            return Err(kernel.unsupported(what));
        }
    }
    match instruction.operand(operand).ty().address_space() {
        Some(0 | 1 | 3 | 4) => Ok(Use { access, operand, bytes: kernel.store_bytes(ty) }),
        _ => Err(kernel.unsupported(format!("address space of '{}'", instruction.text()))),
    }
}

/// The pointer as the host dereferences it.
pub(crate) fn host_pointer(kernel: &mut Kernel<'_>, before: Value, pointer: Value) -> Value {
    if pointer.ty().address_space() == Some(SHARED) {
        to_generic(kernel, &Builder::before(before), pointer)
    } else {
        pointer
    }
}

/// Exits the thread before `first` if any of the accesses is out of bounds or misaligned. Which one
/// is determined after the branch, by repeating the comparisons. Returns the site of each.
pub(crate) fn check(kernel: &mut Kernel<'_>, first: Value, checks: &[Check]) -> Vec<u32> {
    let builder = Builder::before(first);
    let (i32, i64) = (kernel.ir.i32(), kernel.ir.i64());
    let mut any = kernel.ir.i1().int(0);
    let mut reports = Vec::new();
    let mut sites = Vec::new();
    // The addresses of all accesses of an alignment, or-ed: one test for their low bits.
    let mut by_mask = BTreeMap::new();
    for check in checks {
        let address = builder.cast(LLVMOpcode::LLVMPtrToInt, check.pointer, i64);
        let Check { access, bytes, alignment, from, .. } = check;
        let (bytes, alignment) = (*bytes, *alignment);
        let site = add_access(kernel, *access, (bytes, alignment), &from.object);
        sites.push(site);
        let (base, starts) = match known_range(kernel, from) {
            Some((base, size)) => (base, valid_starts(kernel, from, size, bytes)),
            None => {
                let size = i64.int(bytes);
                let outside = outside_everything(kernel, &builder, (address, size), site);
                any = builder.binary(LLVMOpcode::LLVMOr, any, outside);
                // In bounds for every start; the alignment is left to check.
                (i64.int(0), i64.int(u64::MAX))
            }
        };
        if from.object != Object::Unknown {
            let offset = builder.binary(LLVMOpcode::LLVMSub, address, base);
            let outside = builder.compare(LLVMIntUGE, offset, starts);
            any = builder.binary(LLVMOpcode::LLVMOr, any, outside);
        }
        let mask = u64::from(alignment.max(1)) - 1;
        if mask > 0 {
            let bits = by_mask.entry(mask).or_insert_with(|| i64.int(0));
            *bits = builder.binary(LLVMOpcode::LLVMOr, *bits, address);
        }
        // A report knows where buffers and shared memory are, but not the thread's variables.
        let is_relative = matches!(from.object, Object::Local { .. } | Object::Constant { .. });
        let flags = mask | if is_relative { u64::from(RELATIVE) } else { 0 };
        let context = kernel.context;
        reports.push([context, i32.int(site.into()), address, base, starts, i32.int(flags)]);
    }
    for (mask, bits) in by_mask {
        let low = builder.and(bits, i64.int(mask));
        let misaligned = builder.compare(LLVMIntNE, low, i64.int(0));
        any = builder.binary(LLVMOpcode::LLVMOr, any, misaligned);
    }
    drop(builder);
    let parameters = [kernel.ir.pointer(), i32, i64, i64, i64, i32];
    let inspect = kernel.declare_report("stencil_emulator_inspect", &parameters);
    kernel.leave_if(first, any, |builder| {
        for report in &reports {
            builder.call(inspect, report);
        }
    });
    sites
}

/// Adds an access of that size and alignment to the checked operations, and gives its number.
pub(crate) fn add_access(
    kernel: &mut Kernel<'_>,
    access: Access,
    (bytes, alignment): (u64, u32),
    object: &Object,
) -> u32 {
    let object = object.clone();
    kernel.add_site(Site { operation: Operation::Access { access, bytes, alignment, object } })
}

/// First address and size of a known object.
fn known_range(kernel: &mut Kernel<'_>, from: &Root) -> Option<(Value, Value)> {
    let i64 = kernel.ir.i64();
    let start = from.value?;
    let constant_start = |kernel: &mut Kernel<'_>| {
        kernel.known(&format!("start {start:?}"), |_, builder| {
            builder.cast(LLVMOpcode::LLVMPtrToInt, start, i64)
        })
    };
    match &from.object {
        Object::Unknown => None,
        Object::Constant { bytes, .. } | Object::Local { bytes } => {
            Some((constant_start(kernel), i64.int(*bytes)))
        }
        Object::Parameter(index) => {
            let slot = *index as usize * size_of::<ArgumentSlot>();
            let arguments = offset_of!(ThreadContext, arguments);
            let arguments = kernel.context_field(arguments, kernel.ir.pointer());
            let mut field = |offset: usize| {
                let at = (slot + offset) as u64;
                kernel.known(&format!("argument+{at}"), |_, builder| {
                    builder.load(i64, builder.offset(arguments, i64.int(at)), 8)
                })
            };
            let base = field(offset_of!(ArgumentSlot, base));
            Some((base, field(offset_of!(ArgumentSlot, bytes))))
        }
        Object::Shared(index) => Some(shared_range(kernel, *index)),
    }
}

fn shared_range(kernel: &mut Kernel<'_>, index: u32) -> (Value, Value) {
    let i64 = kernel.ir.i64();
    let variable = &kernel.variables[index as usize];
    let (offset, bytes) = (variable.offset, variable.bytes);
    let base = shared_base_address(kernel);
    let base = kernel.known(&format!("shared variable {index}"), |_, builder| {
        builder.add(base, i64.int(offset))
    });
    let bytes = match bytes {
        Some(bytes) => i64.int(bytes),
        None => {
            let field = offset_of!(ThreadContext, dynamic_shared_bytes);
            let dynamic = kernel.context_field(field, kernel.ir.i32());
            kernel.known("dynamic shared bytes", |_, builder| {
                builder.cast(LLVMOpcode::LLVMZExt, dynamic, i64)
            })
        }
    };
    (base, bytes)
}

/// Number of valid start offsets of an access of `size` bytes in an object of `bytes` bytes.
fn valid_starts(kernel: &mut Kernel<'_>, from: &Root, bytes: Value, size: u64) -> Value {
    let i64 = kernel.ir.i64();
    let less = size.saturating_sub(1);
    if let Some(bytes) = bytes.constant_int() {
        return i64.int((bytes as u64).saturating_sub(less));
    }
    let name = format!("starts {:?} {size}", from.object);
    kernel.known(&name, |kernel, builder| {
        let subtract = kernel.ir.intrinsic("llvm.usub.sat", &[i64]);
        builder.call(subtract, &[bytes, i64.int(less)])
    })
}

/// True if `bytes` bytes at `address` are in no object of the launch.
fn outside_everything(
    kernel: &Kernel<'_>,
    builder: &Builder,
    (address, bytes): (Value, Value),
    site: u32,
) -> Value {
    let ir = kernel.ir;
    let parameters = [ir.pointer(), ir.i64(), ir.i64(), ir.i32()];
    let search = ir.declare("stencil_emulator_find", ir.i32(), &parameters);
    let site = ir.i32().int(u64::from(site));
    let found = builder.call(search, &[kernel.context, address, bytes, site]);
    builder.compare(LLVMIntEQ, found, ir.i32().int(0))
}

/// Lowers `memcpy`, `memmove` and `memset` of any address spaces.
pub(crate) fn lower_block_copy(kernel: &mut Kernel<'_>, call: Value, name: &str) {
    let arguments = call.arguments();
    let (target, second, length) = (arguments[0], arguments[1], arguments[2]);
    let i64 = kernel.ir.i64();
    let bytes = if length.ty().int_bits() == Some(64) {
        length
    } else {
        Builder::before(call).cast(LLVMOpcode::LLVMZExt, length, i64)
    };
    let is_fill = name.starts_with("llvm.memset");
    let host_target = host_pointer(kernel, call, target);
    let host_second = if is_fill { second } else { host_pointer(kernel, call, second) };
    if kernel.options.checked {
        let write = check_block(kernel, call, Access::CopyTarget, (host_target, bytes));
        if !is_fill {
            let read = check_block(kernel, call, Access::CopySource, (host_second, bytes));
            report_block(kernel, call, Access::CopySource, read, (second, bytes));
        }
        report_block(kernel, call, Access::CopyTarget, write, (target, bytes));
    }
    let operation = match name {
        _ if is_fill => "memset",
        _ if name.starts_with("llvm.memmove") => "memmove",
        _ => "memcpy",
    };
    let pointer = kernel.ir.pointer();
    let builder = Builder::before(call);
    let (function, value) = if is_fill {
        let i32 = kernel.ir.i32();
        let function = kernel.ir.declare(operation, pointer, &[pointer, i32, i64]);
        (function, builder.cast(LLVMOpcode::LLVMZExt, host_second, i32))
    } else {
        let function = kernel.ir.declare(operation, pointer, &[pointer, pointer, i64]);
        (function, builder.cast(LLVMOpcode::LLVMAddrSpaceCast, host_second, pointer))
    };
    let target = builder.cast(LLVMOpcode::LLVMAddrSpaceCast, host_target, pointer);
    builder.call(function, &[target, value, bytes]);
    call.erase();
}

/// Exits the thread before `call` if a range of run-time size is out of bounds; returns the site
/// and the address.
pub(crate) fn check_block(
    kernel: &mut Kernel<'_>,
    call: Value,
    access: Access,
    (pointer, bytes): (Value, Value),
) -> (u32, Value) {
    let builder = Builder::before(call);
    let address = builder.cast(LLVMOpcode::LLVMPtrToInt, pointer, kernel.ir.i64());
    let site = add_access(kernel, access, (0, 1), &Object::Unknown);
    let failed = outside_everything(kernel, &builder, (address, bytes), site);
    drop(builder);
    kernel.fault_if(call, failed, site, address);
    (site, address)
}

/// Reports one side of a block copy, whose pointer in the kernel is `pointer`.
fn report_block(
    kernel: &mut Kernel<'_>,
    call: Value,
    access: Access,
    (site, address): (u32, Value),
    (pointer, bytes): (Value, Value),
) {
    let (space, object) = (pointer.ty().address_space(), &root(kernel, pointer).object);
    let watched = Watched { site, access, address, space, object, alignment: 1 };
    report(kernel, call, &watched, (0, bytes));
}
