//! Register demotion: spilling values of a thread to shared memory, without MLIR.
//!
//! The order of the code is fixed. A spilled value is stored in a slot of its thread and reloaded
//! where it is read, so that it takes no register in between; one that was loaded from read-only
//! memory is rematerialised. The result is a list of slots, stores and reloads.
//!
//! ```text
//!  Code ──┬── registers: colours of an interval graph ── by_register ──┐
//!         │                                                            ├── hoist ── slots
//!         └── by_distance: furthest next use ──────────────────────────┘
//! ```
//!
//! - [`code`]: instructions in nested blocks, what they read and write.
//! - [`mod@live`]: live ranges, with some values reloaded.
//! - [`demotion`]: what is decided, how much it leaves live, and whether it is valid.
//! - `registers`, `by_register`: the algorithm of Sakdhnagool et al., RegDem, 2019, which demotes
//!   registers of machine code. Registers of code that has none yet are the colours of its values'
//!   live ranges.
//! - `by_distance`: spills values; the victim at each instruction is the one with the furthest next
//!   use. The rule is Belady's for pages; that a value which has a slot already needs no further
//!   store weighs in.
//!
//! Nothing here knows a machine, the size of a block, or how slots become addresses.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod by_distance;
mod by_register;
pub mod code;
pub mod demotion;
mod hoist;
pub mod live;
mod registers;
mod slots;

pub use code::{Block, BlockId, Code, Instruction, Value, ValueId};
pub use demotion::{Demotion, Invalid, Reload, Slot, Spill};
pub use stencil_model::plan::SpillHeuristic;

/// What the decision is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Words by which the most that is live at once is to shrink.
    pub words: u32,
    /// Which values are spilled.
    pub heuristic: SpillHeuristic,
    /// Demoted values that one instruction may read and write, and that stay available after it;
    /// for the orders of registers.
    pub value_registers: usize,
    /// Whether reloads of available values and stores without reloads are left out; for the orders
    /// of registers.
    pub removes_redundant: bool,
    /// By how many instructions a reload is hoisted at most.
    pub hoist: usize,
}

/// Decides which values of a code are spilled: so many words, or as many as can be.
#[must_use]
pub fn demote(code: &Code, options: &Options) -> Demotion {
    if options.words == 0 {
        return Demotion::none();
    }
    let mut loads = match options.heuristic {
        SpillHeuristic::FurthestUse => by_distance::loads(code, options.words),
        _ => by_register::loads(code, options),
    };
    // The paper stores after each definition.
    let stores = slots::stores(code, &loads, options.heuristic == SpillHeuristic::FurthestUse);
    hoist::hoist(code, &mut loads, &stores, options.hoist);
    slots::assign(code, loads, &stores)
}
