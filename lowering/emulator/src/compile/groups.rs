//! Accesses of a block that can be checked together, before the first of them.
//!
//! Before: address, load, arithmetic, address, load, arithmetic, store.
//! After:  addresses; one check of all; load, arithmetic, load, arithmetic, store.
//!
//! Why: a check is a branch, and a branch between every two accesses keeps the optimizer from
//! seeing more than one at a time; worse, LLVM then sinks arithmetic from block to block, in time
//! quadratic in their number. Only what is pure and does not depend on the group's loads moves up;
//! the order of loads and stores stays. So a fault may come before stores of the same group were
//! done.
//! Does not group atomics, volatile accesses, and accesses whose object is unknown.

use super::builder::Builder;
use super::ir::{Block, Value, blocks, llvm};
use super::kernel::Kernel;
use super::kernel_code::Object;
use super::provenance::root;
use super::undefined::is_pure;
use llvm_sys::LLVMOpcode::*;
use llvm_sys::core::{LLVMGetVolatile, LLVMIsAtomic};
use std::collections::{HashMap, HashSet};

/// Maximum checks per branch: enough for a point's neighbours, few enough for register pressure.
const GROUP_MAX: usize = 32;

/// Groups by their first access; every access is in one.
pub(crate) type Groups = HashMap<Value, Vec<Value>>;

/// Forms groups in all blocks but the entry, moving what the later addresses of a group need.
pub(crate) fn group_accesses(kernel: &Kernel<'_>) -> Groups {
    let mut groups = Groups::new();
    for block in blocks(kernel.function) {
        if !kernel.is_entry(block) {
            group_block(kernel, block, &mut groups);
        }
    }
    groups
}

/// Every access in a group of its own, for unchecked kernels.
pub(crate) fn single_accesses(original: &[Value]) -> Groups {
    let accesses = original.iter().filter(|instruction| is_access(**instruction));
    accesses.map(|access| (*access, vec![*access])).collect()
}

/// A group that may still grow.
struct Open {
    members: Vec<Value>,
    /// Values that depend on the group's loads.
    results: HashSet<Value>,
}

fn group_block(kernel: &Kernel<'_>, block: Block, groups: &mut Groups) {
    let mut open: Option<Open> = None;
    for instruction in block.instructions() {
        let depends = |group: &Open| {
            instruction.operands().iter().any(|operand| group.results.contains(operand))
        };
        if is_access(instruction) {
            let may_join = can_share(kernel, instruction);
            let joins = |group: &Open| {
                let pointer = instruction.operand(pointer_operand(instruction));
                group.members.len() < GROUP_MAX && !group.results.contains(&pointer)
            };
            match &mut open {
                Some(group) if may_join && joins(group) => group.members.push(instruction),
                _ => {
                    close(&mut open, groups);
                    let (members, results) = (vec![instruction], HashSet::new());
                    open = Some(Open { members, results });
                }
            }
            let group = open.as_mut().expect("the access joined or opened a group");
            group.results.insert(instruction);
            if !may_join {
                close(&mut open, groups);
            }
        } else if let Some(group) = &mut open {
            if !can_move(instruction) {
                close(&mut open, groups);
            } else if depends(group) {
                group.results.insert(instruction);
            } else {
                Builder::before(group.members[0]).take(instruction);
            }
        }
    }
    close(&mut open, groups);
}

fn close(open: &mut Option<Open>, groups: &mut Groups) {
    if let Some(group) = open.take() {
        groups.insert(group.members[0], group.members);
    }
}

/// True for an instruction that reads or writes memory through a pointer operand.
pub(crate) fn is_access(instruction: Value) -> bool {
    let opcode = instruction.opcode();
    matches!(opcode, Some(LLVMLoad | LLVMStore | LLVMAtomicRMW | LLVMAtomicCmpXchg))
}

/// Which operand of an access is its pointer.
pub(crate) fn pointer_operand(access: Value) -> u32 {
    if access.opcode() == Some(LLVMStore) { 1 } else { 0 }
}

fn can_share(kernel: &Kernel<'_>, access: Value) -> bool {
    let is_plain = matches!(access.opcode(), Some(LLVMLoad | LLVMStore))
        && llvm!(LLVMGetVolatile(access.0)) == 0
        && llvm!(LLVMIsAtomic(access.0)) == 0;
    let pointer = access.operand(pointer_operand(access));
    is_plain && root(kernel, pointer).object != Object::Unknown
}

/// True for an instruction that may be executed speculatively.
fn can_move(instruction: Value) -> bool {
    use llvm_sys::LLVMOpcode as Opcode;
    match instruction.opcode() {
        Some(LLVMCall) => {
            let name = instruction.callee().expect("calls through pointers were refused").name();
            let reads_register = name.starts_with("llvm.nvvm.read.ptx.sreg.");
            let has_value = instruction.ty().kind() != llvm_sys::LLVMTypeKind::LLVMVoidTypeKind;
            has_value && (reads_register || is_pure(&name))
        }
        // Divisions have checks of their own, which come in program order.
        Some(
            Opcode::LLVMSDiv
            | Opcode::LLVMUDiv
            | Opcode::LLVMSRem
            | Opcode::LLVMURem
            | Opcode::LLVMFence
            | Opcode::LLVMPHI
            | Opcode::LLVMAlloca,
        ) => false,
        Some(opcode) => !is_terminator(opcode),
        None => false,
    }
}

fn is_terminator(opcode: llvm_sys::LLVMOpcode) -> bool {
    matches!(opcode, LLVMRet | LLVMBr | LLVMSwitch | LLVMUnreachable)
}
