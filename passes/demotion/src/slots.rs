//! Where spilled values are stored, and their slots: values that are never live at once share one.

use crate::{
    code::{Code, ValueId},
    demotion::{Demotion, Reload, Slot, Spill, kept_until},
};
use std::collections::{BTreeMap, BTreeSet};

/// The instruction after which each value that is reloaded from a slot is stored: its definition;
/// or, so that its slot is taken as short as can be, the one before the last that reads it from its
/// register, whose results may take that.
pub fn stores(code: &Code, loads: &[Reload], is_late: bool) -> BTreeMap<ValueId, usize> {
    let mut served: BTreeMap<ValueId, BTreeSet<usize>> = BTreeMap::new();
    for load in loads.iter().filter(|load| !code.value(load.value).can_remat) {
        served.entry(load.value).or_default().extend(&load.users);
    }
    let after = |(value, served): (&ValueId, &BTreeSet<usize>)| {
        let made = code.definition(*value);
        let read = code.users_of(*value).iter().rfind(|at| !served.contains(at));
        let here = |at: &&usize| code.block_of(**at) == code.block_of(made);
        // What inner blocks read stays in its register while they run; what an instruction with
        // blocks reads need not.
        let last = read.filter(here).map(|at| at - 1).filter(|_| is_late);
        (*value, last.unwrap_or(made))
    };
    served.iter().map(after).collect()
}

/// Gives each value the first slot of its words that is free while it is kept. Values are taken in
/// the order in which they are stored, so that slots are as few as can be.
pub fn assign(
    code: &Code,
    mut reloads: Vec<Reload>,
    stores: &BTreeMap<ValueId, usize>,
) -> Demotion {
    reloads.sort_by_key(|load| (load.before, load.users.first().copied(), load.value));
    let until = kept_until(code, &reloads);
    let mut values = stores.iter().collect::<Vec<_>>();
    values.sort_by_key(|(value, behind)| (**behind, **value));
    // Until where each slot is taken, by words.
    let mut taken: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    let mut spills = BTreeMap::new();
    for (value, behind) in values {
        let words = code.value(*value).words;
        let of_words = taken.entry(words).or_default();
        let free = of_words.iter().position(|until| until <= behind);
        let number = free.unwrap_or(of_words.len());
        match free {
            Some(number) => of_words[number] = until[value],
            None => of_words.push(until[value]),
        }
        let number = u32::try_from(number).expect("there are fewer slots than values");
        spills.insert(*value, Spill { slot: Slot { words, number }, after: *behind });
    }
    Demotion { spills, reloads }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::tests::straight;

    fn load(value: usize, at: usize) -> Reload {
        Reload { value: ValueId(value), before: at, users: vec![at] }
    }

    #[test]
    fn values_that_are_never_live_at_once_share_a_slot() {
        let code = straight(&[&[], &[0], &[], &[0], &[2], &[], &[5, 2]]);
        let loads = vec![load(5, 6), load(0, 3), load(2, 4), load(2, 6)];
        let made = assign(&code, loads.clone(), &stores(&code, &loads, false));
        assert_eq!(made.check(&code), Ok(()));
        assert_eq!((made.slots_of(2), made.words()), (2, 4));
        assert_eq!(made.reloads[0], load(0, 3));
        let slot = |value| made.spills[&ValueId(value)].slot;
        assert_eq!(slot(0), slot(5));
    }

    #[test]
    fn a_slot_is_taken_when_the_register_is_freed() {
        let code = straight(&[&[], &[], &[1], &[0, 2], &[3], &[4, 0]]);
        let loads = vec![load(1, 2), load(0, 5)];
        let made = |is_late| {
            let made = assign(&code, loads.clone(), &stores(&code, &loads, is_late));
            assert_eq!(made.check(&code), Ok(()));
            (made.spills[&ValueId(0)].after, made.slots_of(2))
        };
        assert_eq!(made(false), (0, 2));
        assert_eq!(made(true), (2, 1));
    }
}
