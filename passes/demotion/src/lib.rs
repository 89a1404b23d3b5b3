//! Register demotion: which values of a thread live in shared memory, without MLIR.
//!
//! The code is given, with its order. A value that is demoted is stored in a slot of its thread,
//! and loaded where it is read, so that it takes no register in between; one that came from memory
//! which does not change is loaded from there again.
//! What comes out is a list of slots, stores and loads; who has the code carries it out.
//!
//! ```text
//!  Code ──┬── registers: colours of an interval graph ── by_register ──┐
//!         │                                                            ├── hoist ── slots
//!         └── by_distance: what is read last gives way ────────────────┘
//! ```
//!
//! - [`code`]: instructions in blocks, what they read and write.
//! - [`mod@live`]: registers that are live, by recount.
//! - [`demotion`]: what is decided, how much it leaves live, and whether it may be carried out.
//! - `registers`, `by_register`: the algorithm of Sakdhnagool et al., RegDem, 2019, which demotes
//!   registers of machine code. Registers of code that has none yet are the colours of its values'
//!   live ranges.
//! - `by_distance`: ours, on values: at each instruction what is too much goes, that which is read
//!   last first. The rule is Belady's for pages; that a value which has a slot already needs no
//!   further store weighs in.
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
pub use demotion::{Demotion, Home, Load, Slot, Wrong};

/// Which values give way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// At each instruction those that are read last.
    Distance,
    /// Registers with the fewest accesses in the text.
    Accesses,
    /// Registers with the fewest accesses, each loop around one counted as ten turns.
    Weighted,
    /// Registers that the fewest instructions read or write together with others.
    Conflicts,
}

/// What the decision is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Words by which the most that is live at once is to shrink.
    pub words: u32,
    /// Which values give way.
    pub order: Order,
    /// Demoted values that one instruction may read and write, and that stay at hand behind it; for
    /// the orders of registers.
    pub value_registers: usize,
    /// Whether a load of what is at hand and a store of what nobody loads are left out; for the
    /// orders of registers.
    pub removes_redundant: bool,
    /// Instructions ahead of which a value is loaded at most.
    pub hoist: usize,
}

/// Decides which values of a code live in slots. Where fewer words can go than are to, those that
/// can do.
#[must_use]
pub fn demote(code: &Code, options: &Options) -> Demotion {
    if options.words == 0 {
        return Demotion::none();
    }
    let mut loads = match options.order {
        Order::Distance => by_distance::loads(code, options.words),
        _ => by_register::loads(code, options),
    };
    // The paper stores behind each definition.
    let stores = slots::stores(code, &loads, options.order == Order::Distance);
    hoist::hoist(code, &mut loads, &stores, options.hoist);
    slots::assign(code, loads, &stores)
}
