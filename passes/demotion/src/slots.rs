//! Where demoted values are stored, and slots for them: one for as many as are never there at once.

use crate::{
    code::{Code, ValueId},
    demotion::{Demotion, Home, Load, Slot, kept_until},
};
use std::collections::{BTreeMap, BTreeSet};

/// Behind which instruction each value that is loaded from a slot is stored: where it is made; or,
/// so that its slot is taken as short as can be, right before the last that reads it from its
/// register, whose results may take that.
pub fn stores(code: &Code, loads: &[Load], is_late: bool) -> BTreeMap<ValueId, usize> {
    let mut served: BTreeMap<ValueId, BTreeSet<usize>> = BTreeMap::new();
    for load in loads.iter().filter(|load| !code.value(load.value).has_origin) {
        served.entry(load.value).or_default().extend(&load.serves);
    }
    let behind = |(value, served): (&ValueId, &BTreeSet<usize>)| {
        let made = code.made(*value);
        let read = code.read(*value).iter().rfind(|at| !served.contains(at));
        let here = |at: &&usize| code.block_of(**at) == code.block_of(made);
        // What blocks inside read stays in its register while they run; what an instruction with
        // blocks reads need not.
        let last = read.filter(here).map(|at| at - 1).filter(|_| is_late);
        (*value, last.unwrap_or(made))
    };
    served.iter().map(behind).collect()
}

/// Gives each value the first slot of its words that is free while it is kept. Values are taken in
/// the order in which they are stored, so that slots are as few as can be.
pub fn assign(code: &Code, mut loads: Vec<Load>, stores: &BTreeMap<ValueId, usize>) -> Demotion {
    loads.sort_by_key(|load| (load.before, load.serves.first().copied(), load.value));
    let until = kept_until(code, &loads);
    let mut values = stores.iter().collect::<Vec<_>>();
    values.sort_by_key(|(value, behind)| (**behind, **value));
    // Until where each slot is taken, by words.
    let mut taken: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    let mut homes = BTreeMap::new();
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
        homes.insert(*value, Home { slot: Slot { words, number }, behind: *behind });
    }
    Demotion { homes, loads }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::tests::straight;

    fn load(value: usize, at: usize) -> Load {
        Load { value: ValueId(value), before: at, serves: vec![at] }
    }

    #[test]
    fn values_that_are_never_there_at_once_share_a_slot() {
        let code = straight(&[&[], &[0], &[], &[0], &[2], &[], &[5, 2]]);
        let loads = vec![load(5, 6), load(0, 3), load(2, 4), load(2, 6)];
        let made = assign(&code, loads.clone(), &stores(&code, &loads, false));
        assert_eq!(made.check(&code), Ok(()));
        assert_eq!((made.slots_of(2), made.words()), (2, 4));
        assert_eq!(made.loads[0], load(0, 3));
        let slot = |value| made.homes[&ValueId(value)].slot;
        assert_eq!(slot(0), slot(5));
    }

    #[test]
    fn a_slot_is_taken_when_the_register_is_left() {
        let code = straight(&[&[], &[], &[1], &[0, 2], &[3], &[4, 0]]);
        let loads = vec![load(1, 2), load(0, 5)];
        let made = |is_late| {
            let made = assign(&code, loads.clone(), &stores(&code, &loads, is_late));
            assert_eq!(made.check(&code), Ok(()));
            (made.homes[&ValueId(0)].behind, made.slots_of(2))
        };
        assert_eq!(made(false), (0, 2));
        assert_eq!(made(true), (2, 1));
    }
}
