//! Right demotions made wrong.

use crate::codes::Dice;
use stencil_demotion::{Code, Demotion, ValueId};

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// A value lives in the slot of another.
    SharedSlot,
    /// A value is stored elsewhere.
    OtherStore,
    /// A value is not stored.
    NoStore,
    /// A reload is earlier or later.
    OtherLoad,
}

impl Mutation {
    /// All of them.
    pub const ALL: [Mutation; 4] =
        [Mutation::SharedSlot, Mutation::OtherStore, Mutation::NoStore, Mutation::OtherLoad];

    /// A demotion with this; none where it has no room for it.
    pub fn of(self, demotion: &Demotion, code: &Code, dice: &mut Dice) -> Option<Demotion> {
        let mut mutated = demotion.clone();
        let values = mutated.spills.keys().copied().collect::<Vec<ValueId>>();
        if values.is_empty() {
            return None;
        }
        let value = dice.of(&values);
        let length = code.instructions().len();
        let load = dice.below(mutated.reloads.len());
        match self {
            Mutation::SharedSlot => {
                let other = mutated.spills[&dice.of(&values)].slot;
                mutated.spills.get_mut(&value)?.slot = other;
            }
            Mutation::OtherStore => mutated.spills.get_mut(&value)?.after = dice.below(length),
            Mutation::NoStore => {
                mutated.spills.remove(&value);
            }
            Mutation::OtherLoad => mutated.reloads[load].before = dice.below(length),
        }
        (mutated != *demotion).then_some(mutated)
    }
}
