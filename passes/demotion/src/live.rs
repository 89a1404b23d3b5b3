//! Live ranges of a code with some of its values reloaded, and the words that are live.
//!
//! A range is a value in a register: from its definition, or a reload, to the last instruction that
//! reads it there. Points and registers are counted as in [`stencil_code::live`]; a value that no
//! instruction reads has a register at the point after its definition alone, so that it is stored
//! before the next reloads.

use crate::{
    code::{BlockId, Code, ValueId},
    demotion::Reload,
};
use std::{collections::BTreeSet, ops::Range};
use stencil_code::live::{after, before, pressure, range};

/// A value in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveRange {
    /// The value.
    pub value: ValueId,
    /// The instruction after which it is there.
    pub begin: usize,
    /// The last instruction that reads it, or that runs before one does so again.
    pub end: usize,
    /// Whether it is reloaded, after whatever the instruction defines.
    pub is_reloaded: bool,
}

impl LiveRange {
    /// From the definition of a value, where these read it.
    fn defined(code: &Code, value: ValueId, users: impl Iterator<Item = usize>) -> Self {
        let begin = code.definition(value);
        let end = end(code, code.block_of(begin), users).unwrap_or(begin);
        Self { value, begin, end, is_reloaded: false }
    }

    fn reloaded(code: &Code, reload: &Reload) -> Self {
        let Reload { value, before, ref users } = *reload;
        let end = end(code, code.block_of(before), users.iter().copied());
        let begin = before - 1;
        Self { value, begin, end: end.unwrap_or(begin), is_reloaded: true }
    }

    /// The points at which it is live.
    #[must_use]
    pub fn points(&self) -> Range<usize> {
        let from = if self.is_reloaded { before(self.begin + 1) } else { after(self.begin) };
        range(from, Some(self.end))
    }
}

/// The last instruction that needs what is in a register in a block, where these read it.
fn end(code: &Code, block: BlockId, users: impl Iterator<Item = usize>) -> Option<usize> {
    users.map(|at| code.needed_until(block, at)).max()
}

/// The live ranges of a code with some of its values reloaded: those from definitions, by value,
/// then those from reloads.
#[must_use]
pub fn ranges(code: &Code, reloads: &[Reload]) -> Vec<LiveRange> {
    let mut served = vec![BTreeSet::<usize>::new(); code.values().count()];
    for reload in reloads {
        served[reload.value.0].extend(&reload.users);
    }
    let defined = code.values().map(|(value, _)| {
        let users = code.users_of(value).iter().filter(|at| !served[value.0].contains(at));
        LiveRange::defined(code, value, users.copied())
    });
    defined.chain(reloads.iter().map(|reload| LiveRange::reloaded(code, reload))).collect()
}

/// Words that are live at each point.
#[must_use]
pub fn words(code: &Code, ranges: &[LiveRange]) -> Vec<u32> {
    let values = ranges.iter().map(|range| (range.points(), code.value(range.value).words));
    pressure(before(code.instructions().len()), values)
}

/// The most words that are live at once, with some values reloaded.
#[must_use]
pub fn max_live(code: &Code, reloads: &[Reload]) -> u32 {
    words(code, &ranges(code, reloads)).into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::tests::{straight, with_loop};

    #[test]
    fn a_result_takes_the_register_of_an_operand_that_dies() {
        let code = straight(&[&[], &[], &[0, 1], &[2, 0]]);
        assert_eq!(words(&code, &ranges(&code, &[])), [0, 2, 2, 4, 4, 4, 4, 2]);
        assert_eq!(max_live(&code, &[]), 4);
    }

    #[test]
    fn a_value_is_not_live_between_its_store_and_its_load() {
        let code = straight(&[&[], &[], &[1], &[2], &[3, 0]]);
        assert_eq!(words(&code, &ranges(&code, &[])), [0, 2, 2, 4, 4, 4, 4, 4, 4, 2]);
        let load = Reload { value: ValueId(0), before: 4, users: vec![4] };
        assert_eq!(words(&code, &ranges(&code, &[load])), [0, 2, 0, 2, 2, 2, 2, 2, 4, 2]);
    }

    #[test]
    fn what_is_stored_at_once_is_not_live_with_what_is_loaded_next() {
        let code = straight(&[&[], &[], &[0], &[1, 2]]);
        let load = Reload { value: ValueId(0), before: 2, users: vec![2] };
        assert_eq!(max_live(&code, std::slice::from_ref(&load)), 4);
        let other = Reload { value: ValueId(1), before: 3, users: vec![3] };
        assert_eq!(words(&code, &ranges(&code, &[load, other])), [0, 2, 0, 2, 2, 2, 4, 2]);
    }

    #[test]
    fn what_a_loop_reads_is_live_in_all_of_it() {
        let code = with_loop();
        let loop_of = |words: Vec<u32>| words[before(2)..before(5)].to_vec();
        assert_eq!(loop_of(words(&code, &ranges(&code, &[]))), [1, 2, 2, 2, 2, 0]);
        let load = Reload { value: ValueId(0), before: 3, users: vec![3] };
        assert_eq!(loop_of(words(&code, &ranges(&code, &[load]))), [0, 1, 2, 1, 1, 0]);
    }
}
