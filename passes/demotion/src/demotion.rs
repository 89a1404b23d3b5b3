//! What is decided: slots, stores and reloads. And whether it is valid.

use crate::{
    code::{Code, ValueId},
    live,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};
use stencil_code::live as points;

/// A load that brings a value back into a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reload {
    /// The value.
    pub value: ValueId,
    /// The instruction before which it is reloaded.
    pub before: usize,
    /// The instructions that read it from there.
    pub users: Vec<usize>,
}

/// Loads and stores that are executed, those in a loop ten times.
#[must_use]
pub fn traffic(code: &Code, loads: &[Reload]) -> u64 {
    let turns = |position| 10u64.saturating_pow(code.depth(position));
    let stored = loads.iter().map(|load| load.value).collect::<BTreeSet<_>>();
    let stored = stored.into_iter().filter(|value| !code.value(*value).can_remat);
    let stores = stored.map(|value| turns(code.definition(value)));
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

/// Where a value is spilled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spill {
    /// Its slot.
    pub slot: Slot,
    /// The instruction after which it is stored.
    pub after: usize,
}

/// What is decided for a code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Demotion {
    /// The values that are stored. Those that are reloaded and not here are rematerialised.
    pub spills: BTreeMap<ValueId, Spill>,
    /// The reloads, in program order.
    pub reloads: Vec<Reload>,
}

/// Why a demotion is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invalid {
    /// A value that is loaded and never stored.
    NotStored(ValueId),
    /// A value that is stored before it is defined, in another block, or when its register is left.
    StoredElsewhere(ValueId),
    /// A value that may not live in a slot, or whose slot has other words.
    NoCandidate(ValueId),
    /// A reload before its value is stored, or not before all its users.
    Misplaced(Reload),
    /// Two reloads for one user, or a reload for an instruction that does not read the value.
    Unread(Reload),
    /// A slot that is written while another value in it is still to be loaded.
    Stale(ValueId, ValueId),
}

impl fmt::Display for Invalid {
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
                let (value, users) = (load.value.0, &load.users);
                write!(f, "value {value} is loaded for {users:?}, which do not read it there")
            }
            Self::Stale(one, two) => {
                write!(f, "values {} and {} are in one slot at once", one.0, two.0)
            }
        }
    }
}

impl Demotion {
    /// Nothing is spilled.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Slots of so many words.
    #[must_use]
    pub fn slots_of(&self, words: u32) -> u32 {
        let slots = self.spills.values().map(|spill| spill.slot);
        let slots = slots.filter(|slot| slot.words == words);
        slots.map(|slot| slot.number + 1).max().unwrap_or(0)
    }

    /// Words of all slots.
    #[must_use]
    pub fn words(&self) -> u32 {
        [1, 2].into_iter().map(|words| words * self.slots_of(words)).sum()
    }

    /// The most words that are live at once with it.
    #[must_use]
    pub fn live(&self, code: &Code) -> u32 {
        live::max_live(code, &self.reloads)
    }

    /// Whether it is valid.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn check(&self, code: &Code) -> Result<(), Invalid> {
        for (value, spill) in &self.spills {
            let known = code.value(*value);
            if !known.is_candidate || known.words != spill.slot.words {
                return Err(Invalid::NoCandidate(*value));
            }
            let made = code.definition(*value);
            if spill.after < made || code.block_of(spill.after) != code.block_of(made) {
                return Err(Invalid::StoredElsewhere(*value));
            }
        }
        let mut served = BTreeMap::new();
        for load in &self.reloads {
            let known = code.value(load.value);
            let there = match self.spills.get(&load.value) {
                Some(spill) => spill.after,
                None if known.is_candidate && known.can_remat => code.definition(load.value),
                None => return Err(Invalid::NotStored(load.value)),
            };
            for at in &load.users {
                let is_read = code.users_of(load.value).contains(at);
                if !is_read || served.insert((load.value, *at), ()).is_some() {
                    return Err(Invalid::Unread(load.clone()));
                }
            }
            if load.before <= there || !is_placed(code, load) {
                return Err(Invalid::Misplaced(load.clone()));
            }
        }
        self.check_registers(code)?;
        self.check_slots(code)
    }

    /// Values are in registers when they are stored.
    fn check_registers(&self, code: &Code) -> Result<(), Invalid> {
        let ranges = live::ranges(code, &self.reloads);
        let is_late = |value: &ValueId, spill: &Spill| {
            !ranges[value.0].points().contains(&points::after(spill.after))
        };
        let late = self.spills.iter().find(|(value, spill)| is_late(value, spill));
        late.map_or(Ok(()), |(value, _)| Err(Invalid::StoredElsewhere(*value)))
    }

    /// No two values are in one slot at once.
    fn check_slots(&self, code: &Code) -> Result<(), Invalid> {
        let until = kept_until(code, &self.reloads);
        let until = |value| until.get(value).copied().unwrap_or(0);
        let spills = self.spills.iter().collect::<Vec<_>>();
        for (number, (one, spill)) in spills.iter().enumerate() {
            for (two, other) in &spills[number + 1..] {
                let at_once = spill.after < until(*two) && other.after < until(*one);
                if spill.slot == other.slot && at_once {
                    return Err(Invalid::Stale(**one, **two));
                }
            }
        }
        Ok(())
    }
}

/// Whether a reload follows the definition of its value and precedes all its users, in a block that
/// runs whenever they do.
fn is_placed(code: &Code, load: &Reload) -> bool {
    let made = code.definition(load.value);
    let block = code.block_of(load.before);
    made < load.before
        && code.allows_insertion(load.before)
        && code.around(load.before).any(|outer| outer == code.block_of(made))
        && !load.users.is_empty()
        && load.users.iter().all(|at| {
            let inside = code.within(*at, block);
            inside.is_some_and(|inside| inside >= load.before)
        })
}

/// The instruction before which each reloaded value is read from its slot for the last time.
#[must_use]
pub fn kept_until(code: &Code, loads: &[Reload]) -> BTreeMap<ValueId, usize> {
    let mut kept = BTreeMap::new();
    for load in loads {
        let block = code.block_of(code.definition(load.value));
        let until = code.needed_until(block, load.before);
        let entry = kept.entry(load.value).or_insert(until);
        *entry = until.max(*entry);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::tests::{straight, with_loop, with_remat};

    fn load(value: usize, before: usize, users: &[usize]) -> Reload {
        Reload { value: ValueId(value), before, users: users.to_vec() }
    }

    /// Values with the numbers of their slots, each stored where it is defined.
    fn demotion(code: &Code, loads: Vec<Reload>, slots: &[(usize, u32)], words: u32) -> Demotion {
        let spill = |&(value, number): &(usize, u32)| {
            let value = ValueId(value);
            (value, Spill { slot: Slot { words, number }, after: code.definition(value) })
        };
        Demotion { spills: slots.iter().map(spill).collect(), reloads: loads }
    }

    #[test]
    fn a_valid_demotion_breaks_no_rule() {
        let code = straight(&[&[], &[], &[1], &[2], &[3, 0]]);
        let check = |loads, slots: &[_]| demotion(&code, loads, slots, 2).check(&code);
        assert_eq!(check(vec![load(0, 4, &[4])], &[(0, 0)]), Ok(()));
        assert_eq!(check(vec![load(0, 4, &[4])], &[]), Err(Invalid::NotStored(ValueId(0))));
        let early = load(1, 1, &[2]);
        assert_eq!(check(vec![early.clone()], &[(1, 0)]), Err(Invalid::Misplaced(early)));
        let other = load(0, 3, &[3]);
        assert_eq!(check(vec![other.clone()], &[(0, 0)]), Err(Invalid::Unread(other)));
        let again = load(0, 4, &[4]);
        let twice = vec![again.clone(), again.clone()];
        assert_eq!(check(twice, &[(0, 0)]), Err(Invalid::Unread(again)));
        let wide = demotion(&code, vec![load(0, 4, &[4])], &[(0, 0)], 1);
        assert_eq!(wide.check(&code), Err(Invalid::NoCandidate(ValueId(0))));
        let mut late = demotion(&code, vec![load(0, 4, &[4])], &[(0, 0)], 2);
        late.spills.get_mut(&ValueId(0)).unwrap().after = 4;
        assert_eq!(late.check(&code), Err(Invalid::Misplaced(load(0, 4, &[4]))));
        late.spills.get_mut(&ValueId(0)).unwrap().after = 1;
        assert_eq!(late.check(&code), Err(Invalid::StoredElsewhere(ValueId(0))));
    }

    #[test]
    fn rematerialised_values_need_no_slot() {
        let code = with_remat(straight(&[&[], &[], &[1], &[2], &[3, 0]]), &[0]);
        let again = demotion(&code, vec![load(0, 4, &[4])], &[], 2);
        assert_eq!((again.check(&code), traffic(&code, &again.reloads)), (Ok(()), 1));
        let early = demotion(&code, vec![load(0, 0, &[4])], &[], 2);
        assert_eq!(early.check(&code), Err(Invalid::Misplaced(load(0, 0, &[4]))));
        let stored = demotion(&code, vec![load(1, 2, &[2])], &[(1, 0)], 2);
        assert_eq!((stored.check(&code), traffic(&code, &stored.reloads)), (Ok(()), 2));
    }

    #[test]
    fn one_slot_has_one_value_at_a_time() {
        let code = straight(&[&[], &[0], &[], &[0], &[2]]);
        let loads = vec![load(0, 3, &[3]), load(2, 4, &[4])];
        let stale = Err(Invalid::Stale(ValueId(0), ValueId(2)));
        assert_eq!(demotion(&code, loads.clone(), &[(0, 0), (2, 0)], 2).check(&code), stale);
        assert_eq!(demotion(&code, loads, &[(0, 0), (2, 1)], 2).check(&code), Ok(()));
    }

    #[test]
    fn what_a_loop_loads_keeps_its_slot_until_the_loop_ends() {
        let code = with_loop();
        let loads = vec![load(0, 3, &[3]), load(2, 4, &[4])];
        let stale = Err(Invalid::Stale(ValueId(0), ValueId(2)));
        assert_eq!(demotion(&code, loads, &[(0, 0), (2, 0)], 1).check(&code), stale);
        let outside = load(0, 6, &[3]);
        let wrong = demotion(&code, vec![outside.clone()], &[(0, 0)], 1).check(&code);
        assert_eq!(wrong, Err(Invalid::Misplaced(outside)));
    }
}
