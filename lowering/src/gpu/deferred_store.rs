//! Stores of a kernel, deferred until all loads of a thread are done.
//!
//! Loads before stores let a thread's points share what they read, and make in-place updates
//! correct: a point reads its own cell before any point of the thread is written.

use crate::builders;
use melior::ir::Value;
use stencil_dialects::{build::Inserter, ods::memref};

/// A deferred store.
pub struct DeferredStore<'c, 'a> {
    /// What is stored.
    pub value: Value<'c, 'a>,
    /// A flat memref.
    pub buffer: Value<'c, 'a>,
    /// Element of the buffer.
    pub address: Value<'c, 'a>,
    /// Whether to store; none: always.
    pub condition: Option<Value<'c, 'a>>,
}

impl<'c: 'a, 'a> DeferredStore<'c, 'a> {
    /// Emits the store.
    pub fn store(self, at: Inserter<'c, 'a>) {
        let operands = [self.value, self.buffer, self.address];
        let store = |at: Inserter<'c, 'a>| {
            at.create(memref::STORE, &operands, &[], &[], Vec::new());
        };
        match self.condition {
            Some(condition) => builders::when(at, condition, store),
            None => store(at),
        }
    }
}
