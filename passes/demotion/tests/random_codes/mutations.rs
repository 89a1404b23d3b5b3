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
    /// A load stands earlier or later.
    OtherLoad,
}

impl Mutation {
    /// All of them.
    pub const ALL: [Mutation; 4] =
        [Mutation::SharedSlot, Mutation::OtherStore, Mutation::NoStore, Mutation::OtherLoad];

    /// A demotion with this; none where it has no room for it.
    pub fn of(self, demotion: &Demotion, code: &Code, dice: &mut Dice) -> Option<Demotion> {
        let mut mutated = demotion.clone();
        let values = mutated.homes.keys().copied().collect::<Vec<ValueId>>();
        if values.is_empty() {
            return None;
        }
        let value = dice.of(&values);
        let length = code.instructions().len();
        let load = dice.below(mutated.loads.len());
        match self {
            Mutation::SharedSlot => {
                let other = mutated.homes[&dice.of(&values)].slot;
                mutated.homes.get_mut(&value)?.slot = other;
            }
            Mutation::OtherStore => mutated.homes.get_mut(&value)?.behind = dice.below(length),
            Mutation::NoStore => {
                mutated.homes.remove(&value);
            }
            Mutation::OtherLoad => mutated.loads[load].before = dice.below(length),
        }
        (mutated != *demotion).then_some(mutated)
    }
}
