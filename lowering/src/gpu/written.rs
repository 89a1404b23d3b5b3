//! Stores of a kernel, kept back until all loads of a thread are done.
//!
//! Loads before stores let a thread's points share what they read, and make in-place updates right:
//! a point reads its own cell before any point of the thread is written.

use melior::ir::{Region, Value};
use stencil_dialects::build::{self, Inserter};

/// A store that waits until all loads of a thread are done.
pub struct Written<'c, 'a> {
    /// What is stored.
    pub value: Value<'c, 'a>,
    /// A flat memref.
    pub buffer: Value<'c, 'a>,
    /// Element of the buffer.
    pub address: Value<'c, 'a>,
    /// Whether to store; none: always.
    pub condition: Option<Value<'c, 'a>>,
}

impl<'c: 'a, 'a> Written<'c, 'a> {
    /// Makes the store.
    pub fn store(self, at: Inserter<'c, 'a>) {
        let operands = [self.value, self.buffer, self.address];
        let Some(condition) = self.condition else {
            at.create("memref.store", &operands, &[], &[], Vec::new());
            return;
        };
        let regions = vec![build::region_with_block(&[], at.location()), Region::new()];
        let branch = at.create("scf.if", &[condition], &[], &[], regions);
        let inside = Inserter::at_end(build::block_of(branch, 0), at.location());
        inside.create("memref.store", &operands, &[], &[], Vec::new());
        inside.create("scf.yield", &[], &[], &[], Vec::new());
    }
}
