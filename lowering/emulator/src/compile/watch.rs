//! Reports of accesses to the race detector.
//!
//! Before: `load float, ptr addrspace(3) %p`, already checked to be in bounds.
//! After: a call of `stencil_emulator_note` with the address, and the load.
//!
//! Why a call without a branch after it: a racing access does no harm to the host, so its thread
//! may continue until it waits; and a branch at every access is what `groups` avoids. Watched are
//! shared memory and pointers of unknown provenance, and buffers where the launch requests it;
//! never variables of the thread and constants, which no other thread writes.

use super::builder::Builder;
use super::ir::{Value, instructions, llvm};
use super::kernel::Kernel;
use super::kernel_code::Object;
use super::shared::SHARED;
use crate::error::Access;
use crate::execute::watching::KINDS;
use crate::program::Races;
use crate::races::shadow::Kind;
use llvm_sys::LLVMOpcode;
use llvm_sys::core::{LLVMGetDebugLocColumn, LLVMGetDebugLocFilename, LLVMGetDebugLocLine};
use std::collections::HashMap;

/// What a compilation watches, and the texts of instructions.
pub(crate) struct Watch {
    pub(crate) races: Races,
    /// Original accesses and calls.
    pub(crate) texts: HashMap<Value, String>,
}

/// An access that may be watched.
pub(crate) struct Watched<'a> {
    pub(crate) site: u32,
    pub(crate) access: Access,
    /// The address, as the host has it.
    pub(crate) address: Value,
    /// The address space of the pointer in the kernel.
    pub(crate) space: Option<u32>,
    pub(crate) object: &'a Object,
    pub(crate) alignment: u32,
}

/// The texts of all accesses and calls of some functions, with source locations where there are
/// any. A function is printed once: printing an instruction alone numbers the whole function.
pub(crate) fn instruction_texts(functions: &[Value]) -> HashMap<Value, String> {
    let mut texts = HashMap::new();
    for function in functions {
        let printed = function.text();
        let mut lines = printed.lines().map(str::trim).filter(|line| is_named(line));
        let named = instructions(*function).into_iter().filter(|instruction| {
            use LLVMOpcode::*;
            let opcode = instruction.opcode();
            let wanted = [LLVMLoad, LLVMStore, LLVMAtomicRMW, LLVMAtomicCmpXchg, LLVMCall];
            opcode.is_some_and(|opcode| wanted.contains(&opcode))
        });
        for instruction in named {
            let line = lines.next().unwrap_or("an access without a text");
            // Metadata and attributes after the instruction are dropped.
            let text = line.split(", !").next().unwrap_or(line);
            let text = text.split(" #").next().unwrap_or(text);
            texts.insert(instruction, format!("{}{text}", location(instruction)));
        }
    }
    texts
}

/// True for a printed line that is an access or a call.
fn is_named(line: &str) -> bool {
    let operation = match line.split_once(" = ") {
        Some((result, operation)) if result.starts_with('%') => operation,
        _ => line,
    };
    let word = operation.split_whitespace().next().unwrap_or("");
    let calls = ["call", "tail", "musttail", "notail"];
    calls.contains(&word) || ["load", "store", "atomicrmw", "cmpxchg"].contains(&word)
}

/// `file:line:column: `, or nothing.
fn location(instruction: Value) -> String {
    let line = llvm!(LLVMGetDebugLocLine(instruction.0));
    if line == 0 {
        return String::new();
    }
    let column = llvm!(LLVMGetDebugLocColumn(instruction.0));
    let mut length = 0;
    let start = llvm!(LLVMGetDebugLocFilename(instruction.0, &mut length));
    if start.is_null() {
        return format!("{line}:{column}: ");
    }
    let file = llvm!(std::slice::from_raw_parts(start.cast::<u8>(), length as usize));
    format!("{}:{line}:{column}: ", String::from_utf8_lossy(file))
}

/// True if accesses to `object` through pointers of that address space are watched.
pub(crate) fn is_watched(kernel: &Kernel<'_>, object: &Object, space: Option<u32>) -> bool {
    let all = kernel.watch.races == Races::All;
    match (kernel.watch.races, object) {
        (Races::Off, _) | (_, Object::Local { .. } | Object::Constant { .. }) => false,
        (_, Object::Shared(_)) => true,
        (_, Object::Parameter(_)) => all,
        (_, Object::Unknown) => all || matches!(space, Some(0 | SHARED)),
    }
}

/// Notes that the access at `site` is `instruction`, and that it covers whole multiples of a power
/// of two that divides both numbers.
pub(crate) fn remember(kernel: &mut Kernel<'_>, site: u32, text: String, sizes: [u64; 2]) {
    kernel.instructions.insert(site, text);
    let divisor = sizes.into_iter().map(|size| 1 << size.trailing_zeros().min(4)).min();
    let divisor = divisor.expect("two sizes");
    let known = kernel.watched_bytes;
    kernel.watched_bytes = if known == 0 { divisor } else { known.min(divisor) };
}

/// The text of an instruction of the kernel.
pub(crate) fn text_of(kernel: &Kernel<'_>, instruction: Value) -> String {
    kernel.watch.texts.get(&instruction).cloned().unwrap_or_else(|| instruction.text())
}

/// Reports `bytes` bytes (0 if known at run time only) at an access, before `instruction`.
pub(crate) fn report(
    kernel: &mut Kernel<'_>,
    instruction: Value,
    watched: &Watched<'_>,
    (bytes, size): (u64, Value),
) {
    if !is_watched(kernel, watched.object, watched.space) {
        return;
    }
    let text = text_of(kernel, instruction);
    // A size known at run time only may be any.
    let alignment = u64::from(watched.alignment.max(1));
    let sizes = if bytes == 0 { [1; 2] } else { [bytes, alignment] };
    remember(kernel, watched.site, text, sizes);
    let kind = match watched.access {
        Access::Load | Access::CopySource => Kind::Load,
        Access::Store | Access::CopyTarget => Kind::Store,
        Access::Atomic => Kind::Atomic,
    };
    let kind = KINDS.iter().position(|known| *known == kind).expect("the table has it");
    let (i32, i64) = (kernel.ir.i32(), kernel.ir.i64());
    let parameters = [kernel.ir.pointer(), i32, i64, i64, i32];
    let note = kernel.ir.declare("stencil_emulator_note", kernel.ir.void(), &parameters);
    let site = i32.int(u64::from(watched.site));
    let arguments = [kernel.context, site, watched.address, size, i32.int(kind as u64)];
    Builder::before(instruction).call(note, &arguments);
}
