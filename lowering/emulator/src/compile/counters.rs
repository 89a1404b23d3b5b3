//! Counts the accesses of a thread by kind of memory.
//!
//! Counters are local variables, added up at each return. What a block adds is known when it is
//! compiled, and added once at its end: who does not get there has faulted, and is not counted.

use super::builder::Builder;
use super::ir::{Block, Value};
use super::kernel::Kernel;
use super::kernel_code::Object;
use super::provenance::root;
use super::shared::SHARED;
use crate::error::Access;
use crate::execute::context::{AccessCount, ThreadContext};
use std::collections::BTreeMap;
use std::mem::offset_of;

/// What the blocks of a kernel add to fields of the thread's context, by their offsets.
#[derive(Default)]
pub(crate) struct Counts(Vec<(Block, BTreeMap<usize, u64>)>);

impl Counts {
    /// Accesses come block by block. A block that is split keeps its handle for what follows.
    fn add(&mut self, block: Block, field: usize, amount: u64) {
        if self.0.last().is_none_or(|(last, _)| *last != block) {
            self.0.push((block, BTreeMap::new()));
        }
        let (_, amounts) = self.0.last_mut().expect("one was added");
        *amounts.entry(field).or_default() += amount;
    }
}

/// Counts an asynchronous copy: a load from a buffer and a store to shared memory.
pub(crate) fn count_copy(kernel: &mut Kernel<'_>, call: Value, bytes: u64) {
    let arguments = call.arguments();
    for (access, pointer) in [(Access::Load, arguments[1]), (Access::Store, arguments[0])] {
        let from = root(kernel, pointer);
        count(kernel, call, (access, bytes), (pointer, &from.object));
    }
}

/// Adds an access of so many bytes to the counters of its kind of memory.
pub(crate) fn count(
    kernel: &mut Kernel<'_>,
    instruction: Value,
    (access, bytes): (Access, u64),
    (pointer, object): (Value, &Object),
) {
    let is_shared = pointer.ty().address_space() == Some(SHARED);
    let space = match object {
        Object::Shared(_) => offset_of!(ThreadContext, shared),
        Object::Local { .. } | Object::Constant { .. } => return,
        Object::Unknown if is_shared => offset_of!(ThreadContext, shared),
        Object::Parameter(_) | Object::Unknown => offset_of!(ThreadContext, global),
    };
    let loads = matches!(access, Access::Load | Access::Atomic);
    let stores = matches!(access, Access::Store | Access::Atomic);
    let fields = [
        (loads, offset_of!(AccessCount, loads), 1),
        (loads, offset_of!(AccessCount, loaded_bytes), bytes),
        (stores, offset_of!(AccessCount, stores), 1),
        (stores, offset_of!(AccessCount, stored_bytes), bytes),
    ];
    for (_, field, amount) in fields.into_iter().filter(|(counts, ..)| *counts) {
        kernel.counts.add(instruction.block(), space + field, amount);
    }
}

/// Adds what every block counts at its end; gives the fields and the variables that count for them.
pub(crate) fn add_counters(kernel: &Kernel<'_>) -> BTreeMap<usize, Value> {
    let i64 = kernel.ir.i64();
    let mut counters = BTreeMap::new();
    for (block, amounts) in &kernel.counts.0 {
        let builder = Builder::before(block.terminator());
        for (field, amount) in amounts {
            let counter = *counters.entry(*field).or_insert_with(|| {
                let entry = kernel.in_entry();
                let counter = entry.alloca(i64);
                entry.store(i64.int(0), counter, 8);
                counter
            });
            let sum = builder.add(builder.load(i64, counter, 8), i64.int(*amount));
            builder.store(sum, counter, 8);
        }
    }
    counters
}

/// Before a return, adds the thread's counters to those of its context.
pub(crate) fn flush_counters(
    kernel: &Kernel<'_>,
    counters: &BTreeMap<usize, Value>,
    instruction: Value,
) {
    let i64 = kernel.ir.i64();
    let builder = Builder::before(instruction);
    for (offset, counter) in counters {
        let total = kernel.field_address(&builder, *offset);
        let sum = builder.add(builder.load(i64, total, 8), builder.load(i64, *counter, 8));
        builder.store(sum, total, 8);
    }
}
