//! Pointer provenance: the object that a pointer is based on.
//!
//! A pointer derived from a kernel parameter may be used inside that parameter's buffer only, one
//! derived from a shared variable inside that variable, and so on. Known at compile time, this
//! makes a check two instructions, and stricter than a lookup by address.

use super::ir::Value;
use super::kernel::Kernel;
use super::kernel_code::Object;
use llvm_sys::LLVMOpcode;
use std::collections::HashSet;

/// An object, with its base pointer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Root {
    pub(crate) object: Object,
    /// The parameter, variable or constant itself; `None` where it is unknown.
    pub(crate) value: Option<Value>,
}

/// The object of `pointer`.
pub(crate) fn root(kernel: &Kernel<'_>, pointer: Value) -> Root {
    let unknown = Root { object: Object::Unknown, value: None };
    find(kernel, pointer, &mut HashSet::new()).unwrap_or(None).unwrap_or(unknown)
}

/// `Ok(None)`: only pointers seen before, so the caller's other operands decide. `Err`: unknown.
fn find(
    kernel: &Kernel<'_>,
    pointer: Value,
    seen: &mut HashSet<Value>,
) -> Result<Option<Root>, Unknown> {
    if let Some(object) = leaf(kernel, pointer) {
        return Ok(Some(Root { object, value: Some(pointer) }));
    }
    if !seen.insert(pointer) {
        return Ok(None);
    }
    if let Some(original) = kernel.shared_aliases.get(&pointer) {
        return find(kernel, *original, seen);
    }
    use LLVMOpcode::*;
    match pointer.opcode() {
        Some(LLVMGetElementPtr | LLVMAddrSpaceCast | LLVMBitCast | LLVMFreeze) => {
            find(kernel, pointer.operand(0), seen)
        }
        Some(LLVMPHI) => agree(kernel, pointer.incoming(), seen),
        Some(LLVMSelect) => agree(kernel, pointer.operands().split_off(1), seen),
        _ => Err(Unknown),
    }
}

/// The object cannot be determined.
struct Unknown;

/// The common object of all pointers.
fn agree(
    kernel: &Kernel<'_>,
    pointers: Vec<Value>,
    seen: &mut HashSet<Value>,
) -> Result<Option<Root>, Unknown> {
    let mut common = None;
    for pointer in pointers {
        match (find(kernel, pointer, seen)?, &common) {
            (None, _) => {}
            (Some(root), None) => common = Some(root),
            (Some(root), Some(other)) if root == *other => {}
            (Some(_), Some(_)) => return Err(Unknown),
        }
    }
    Ok(common)
}

/// The object whose base pointer a value is.
fn leaf(kernel: &Kernel<'_>, pointer: Value) -> Option<Object> {
    if let Some(variable) = kernel.shared_leaves.get(&pointer) {
        return Some(Object::Shared(*variable));
    }
    if let Some(index) = kernel.parameters.iter().position(|known| known.value == pointer) {
        return Some(Object::Parameter(index as u32));
    }
    if pointer.is_global_variable() {
        let bytes = kernel.store_bytes(pointer.value_type());
        return Some(Object::Constant { name: pointer.name(), bytes });
    }
    if pointer.opcode() == Some(LLVMOpcode::LLVMAlloca) {
        let count = pointer.operand(0).constant_int().unwrap_or(0).max(0) as u64;
        let bytes = kernel.allocated_bytes(pointer).saturating_mul(count);
        return Some(Object::Local { bytes });
    }
    None
}
