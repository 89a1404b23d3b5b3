//! What is decided: slots, stores and loads. And whether it may be carried out.

use crate::{
    code::{Code, ValueId},
    live,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

/// A value that comes back into a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// The value.
    pub value: ValueId,
    /// The instruction before which it is loaded.
    pub before: usize,
    /// The instructions that read it from there.
    pub serves: Vec<usize>,
}

/// Loads and stores that are executed, those in a loop ten times.
#[must_use]
pub fn moves(code: &Code, loads: &[Load]) -> u64 {
    let turns = |position| 10u64.saturating_pow(code.depth(position));
    let stored = loads.iter().map(|load| load.value).collect::<BTreeSet<_>>();
    let stored = stored.into_iter().filter(|value| !code.value(*value).has_origin);
    let stores = stored.map(|value| turns(code.made(value)));
    loads.iter().map(|load| turns(load.before)).chain(stores).sum()
}

/// The place of a value in the memory of its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slot {
    /// Words of it.
    pub words: u32,
    /// Its number among those of as many words.
    pub number: u32,
}

/// Where a value that is demoted lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Home {
    /// Its slot.
    pub slot: Slot,
    /// The instruction behind which it is stored.
    pub behind: usize,
}

/// What is decided for a code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Demotion {
    /// The values that are stored. Those that are loaded and not here come from their origin.
    pub homes: BTreeMap<ValueId, Home>,
    /// The loads, in the order in which they are carried out.
    pub loads: Vec<Load>,
}

/// Why a demotion cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// A value that is loaded and never stored.
    NotStored(ValueId),
    /// A value that is stored before it is made, in another block, or when its register is left.
    StoredElsewhere(ValueId),
    /// A value that may not live in a slot, or whose slot has other words.
    NoCandidate(ValueId),
    /// A load that stands before its value is stored, or not before all that it serves.
    Misplaced(Load),
    /// Two loads for one reader, or a load for who does not read.
    Unread(Load),
    /// A slot that is written while another value in it is still to be loaded.
    Stale(ValueId, ValueId),
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStored(value) => write!(f, "value {} is loaded and never stored", value.0),
            Self::StoredElsewhere(value) => write!(f, "value {} is stored elsewhere", value.0),
            Self::NoCandidate(value) => write!(f, "value {} cannot live in its slot", value.0),
            Self::Misplaced(load) => {
                let (value, before) = (load.value.0, load.before);
                write!(f, "value {value} is loaded before instruction {before}, the wrong place")
            }
            Self::Unread(load) => {
                let (value, serves) = (load.value.0, &load.serves);
                write!(f, "value {value} is loaded for {serves:?}, who do not read it there")
            }
            Self::Stale(one, two) => {
                write!(f, "values {} and {} are in one slot at once", one.0, two.0)
            }
        }
    }
}

impl Demotion {
    /// Nothing goes.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Slots of so many words.
    #[must_use]
    pub fn slots_of(&self, words: u32) -> u32 {
        let slots = self.homes.values().map(|home| home.slot);
        let slots = slots.filter(|slot| slot.words == words);
        slots.map(|slot| slot.number + 1).max().unwrap_or(0)
    }

    /// Words of all slots.
    #[must_use]
    pub fn words(&self) -> u32 {
        [1, 2].into_iter().map(|words| words * self.slots_of(words)).sum()
    }

    /// The most words that are live at once behind it.
    #[must_use]
    pub fn live(&self, code: &Code) -> u32 {
        live::most(code, &self.loads)
    }

    /// Whether it may be carried out.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn check(&self, code: &Code) -> Result<(), Wrong> {
        for (value, home) in &self.homes {
            let known = code.value(*value);
            if !known.is_candidate || known.words != home.slot.words {
                return Err(Wrong::NoCandidate(*value));
            }
            let made = code.made(*value);
            if home.behind < made || code.block_of(home.behind) != code.block_of(made) {
                return Err(Wrong::StoredElsewhere(*value));
            }
        }
        let mut served = BTreeMap::new();
        for load in &self.loads {
            let known = code.value(load.value);
            let there = match self.homes.get(&load.value) {
                Some(home) => home.behind,
                None if known.is_candidate && known.has_origin => code.made(load.value),
                None => return Err(Wrong::NotStored(load.value)),
            };
            for at in &load.serves {
                let is_read = code.read(load.value).contains(at);
                if !is_read || served.insert((load.value, *at), ()).is_some() {
                    return Err(Wrong::Unread(load.clone()));
                }
            }
            if load.before <= there || !is_placed(code, load) {
                return Err(Wrong::Misplaced(load.clone()));
            }
        }
        self.check_registers(code)?;
        self.check_slots(code)
    }

    /// Values are in their registers when they are stored.
    fn check_registers(&self, code: &Code) -> Result<(), Wrong> {
        let pieces = live::pieces(code, &self.loads);
        let is_late = |value: &ValueId, home: &Home| {
            !pieces[value.0].points().contains(&live::behind(home.behind))
        };
        let late = self.homes.iter().find(|(value, home)| is_late(value, home));
        late.map_or(Ok(()), |(value, _)| Err(Wrong::StoredElsewhere(*value)))
    }

    /// No two values are in one slot at once.
    fn check_slots(&self, code: &Code) -> Result<(), Wrong> {
        let until = kept_until(code, &self.loads);
        let until = |value| until.get(value).copied().unwrap_or(0);
        let homes = self.homes.iter().collect::<Vec<_>>();
        for (number, (one, home)) in homes.iter().enumerate() {
            for (two, other) in &homes[number + 1..] {
                let at_once = home.behind < until(*two) && other.behind < until(*one);
                if home.slot == other.slot && at_once {
                    return Err(Wrong::Stale(**one, **two));
                }
            }
        }
        Ok(())
    }
}

/// Whether a load stands behind its value, before all that it serves, and in a block that is run
/// whenever they are.
fn is_placed(code: &Code, load: &Load) -> bool {
    let made = code.made(load.value);
    let block = code.block_of(load.before);
    made < load.before
        && code.is_place(load.before)
        && code.around(load.before).any(|outer| outer == code.block_of(made))
        && !load.serves.is_empty()
        && load.serves.iter().all(|at| {
            let inside = code.within(*at, block);
            inside.is_some_and(|inside| inside >= load.before)
        })
}

/// Before which instruction each value that is loaded is read from its slot for the last time.
#[must_use]
pub fn kept_until(code: &Code, loads: &[Load]) -> BTreeMap<ValueId, usize> {
    let mut kept = BTreeMap::new();
    for load in loads {
        let block = code.block_of(code.made(load.value));
        let until = code.needed_until(block, load.before);
        let entry = kept.entry(load.value).or_insert(until);
        *entry = until.max(*entry);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::tests::{straight, with_loop, with_origins};

    fn load(value: usize, before: usize, serves: &[usize]) -> Load {
        Load { value: ValueId(value), before, serves: serves.to_vec() }
    }

    /// Values with the numbers of their slots, each stored where it is made.
    fn demotion(code: &Code, loads: Vec<Load>, slots: &[(usize, u32)], words: u32) -> Demotion {
        let home = |&(value, number): &(usize, u32)| {
            let value = ValueId(value);
            (value, Home { slot: Slot { words, number }, behind: code.made(value) })
        };
        Demotion { homes: slots.iter().map(home).collect(), loads }
    }

    #[test]
    fn what_may_be_carried_out_breaks_no_rule() {
        let code = straight(&[&[], &[], &[1], &[2], &[3, 0]]);
        let check = |loads, slots: &[_]| demotion(&code, loads, slots, 2).check(&code);
        assert_eq!(check(vec![load(0, 4, &[4])], &[(0, 0)]), Ok(()));
        assert_eq!(check(vec![load(0, 4, &[4])], &[]), Err(Wrong::NotStored(ValueId(0))));
        let early = load(1, 1, &[2]);
        assert_eq!(check(vec![early.clone()], &[(1, 0)]), Err(Wrong::Misplaced(early)));
        let other = load(0, 3, &[3]);
        assert_eq!(check(vec![other.clone()], &[(0, 0)]), Err(Wrong::Unread(other)));
        let again = load(0, 4, &[4]);
        let twice = vec![again.clone(), again.clone()];
        assert_eq!(check(twice, &[(0, 0)]), Err(Wrong::Unread(again)));
        let wide = demotion(&code, vec![load(0, 4, &[4])], &[(0, 0)], 1);
        assert_eq!(wide.check(&code), Err(Wrong::NoCandidate(ValueId(0))));
        let mut late = demotion(&code, vec![load(0, 4, &[4])], &[(0, 0)], 2);
        late.homes.get_mut(&ValueId(0)).unwrap().behind = 4;
        assert_eq!(late.check(&code), Err(Wrong::Misplaced(load(0, 4, &[4]))));
        late.homes.get_mut(&ValueId(0)).unwrap().behind = 1;
        assert_eq!(late.check(&code), Err(Wrong::StoredElsewhere(ValueId(0))));
    }

    #[test]
    fn what_can_be_loaded_again_needs_no_slot() {
        let code = with_origins(straight(&[&[], &[], &[1], &[2], &[3, 0]]), &[0]);
        let again = demotion(&code, vec![load(0, 4, &[4])], &[], 2);
        assert_eq!((again.check(&code), moves(&code, &again.loads)), (Ok(()), 1));
        let early = demotion(&code, vec![load(0, 0, &[4])], &[], 2);
        assert_eq!(early.check(&code), Err(Wrong::Misplaced(load(0, 0, &[4]))));
        let stored = demotion(&code, vec![load(1, 2, &[2])], &[(1, 0)], 2);
        assert_eq!((stored.check(&code), moves(&code, &stored.loads)), (Ok(()), 2));
    }

    #[test]
    fn one_slot_has_one_value_at_a_time() {
        let code = straight(&[&[], &[0], &[], &[0], &[2]]);
        let loads = vec![load(0, 3, &[3]), load(2, 4, &[4])];
        let stale = Err(Wrong::Stale(ValueId(0), ValueId(2)));
        assert_eq!(demotion(&code, loads.clone(), &[(0, 0), (2, 0)], 2).check(&code), stale);
        assert_eq!(demotion(&code, loads, &[(0, 0), (2, 1)], 2).check(&code), Ok(()));
    }

    #[test]
    fn what_a_loop_loads_keeps_its_slot_until_the_loop_ends() {
        let code = with_loop();
        let loads = vec![load(0, 3, &[3]), load(2, 4, &[4])];
        let stale = Err(Wrong::Stale(ValueId(0), ValueId(2)));
        assert_eq!(demotion(&code, loads, &[(0, 0), (2, 0)], 1).check(&code), stale);
        let outside = load(0, 6, &[3]);
        let wrong = demotion(&code, vec![outside.clone()], &[(0, 0)], 1).check(&code);
        assert_eq!(wrong, Err(Wrong::Misplaced(outside)));
    }
}
