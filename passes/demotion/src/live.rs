//! Registers that are live, by recount.
//!
//! A piece is a value in a register: from where it is made or loaded to the last that reads it
//! there. Each instruction has two points: before it, where what it reads is there, loads done; and
//! behind it, where its results are. The result of an instruction may take the register of an
//! operand that dies there; what nobody reads has a register behind its instruction alone, so that
//! it is stored before the next loads.

use crate::{
    code::{BlockId, Code, ValueId},
    demotion::Load,
};
use std::{collections::BTreeSet, ops::Range};

/// A value in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The value.
    pub value: ValueId,
    /// The instruction behind which it is there.
    pub begin: usize,
    /// The last instruction that reads it, or that runs before one does so again.
    pub end: usize,
    /// Whether it is loaded, behind whatever the instruction makes.
    pub is_loaded: bool,
}

impl Piece {
    /// What is there from where it is made on, and is read at these.
    fn made(code: &Code, value: ValueId, read: impl Iterator<Item = usize>) -> Self {
        let begin = code.made(value);
        let end = end(code, code.block_of(begin), read).unwrap_or(begin);
        Self { value, begin, end, is_loaded: false }
    }

    fn loaded(code: &Code, load: &Load) -> Self {
        let end = end(code, code.block_of(load.before), load.serves.iter().copied());
        let begin = load.before - 1;
        Self { value: load.value, begin, end: end.unwrap_or(begin), is_loaded: true }
    }

    /// The points at which it is live.
    #[must_use]
    pub fn points(&self) -> Range<usize> {
        let begin = if self.is_loaded { before(self.begin + 1) } else { behind(self.begin) };
        begin..before(self.end).max(begin) + 1
    }
}

/// The last instruction that needs what is there in a block and is read at these.
fn end(code: &Code, block: BlockId, read: impl Iterator<Item = usize>) -> Option<usize> {
    read.map(|at| code.needed_until(block, at)).max()
}

/// The point before an instruction.
#[must_use]
pub fn before(position: usize) -> usize {
    2 * position
}

/// The point behind an instruction.
#[must_use]
pub fn behind(position: usize) -> usize {
    2 * position + 1
}

/// The pieces of a code with some of its values loaded.
#[must_use]
pub fn pieces(code: &Code, loads: &[Load]) -> Vec<Piece> {
    let mut loaded = vec![BTreeSet::<usize>::new(); code.values().count()];
    for load in loads {
        loaded[load.value.0].extend(&load.serves);
    }
    let original = code.values().map(|(value, _)| {
        let read = code.read(value).iter().filter(|at| !loaded[value.0].contains(at));
        Piece::made(code, value, read.copied())
    });
    original.chain(loads.iter().map(|load| Piece::loaded(code, load))).collect()
}

/// Words that are live at each point.
#[must_use]
pub fn words(code: &Code, pieces: &[Piece]) -> Vec<u32> {
    let mut live = vec![0; before(code.instructions().len())];
    for piece in pieces {
        for words in &mut live[piece.points()] {
            *words += code.value(piece.value).words;
        }
    }
    live
}

/// The most words that are live at once, with some values loaded.
#[must_use]
pub fn most(code: &Code, loads: &[Load]) -> u32 {
    words(code, &pieces(code, loads)).into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::tests::{straight, with_loop};

    #[test]
    fn a_result_takes_the_register_of_an_operand_that_dies() {
        let code = straight(&[&[], &[], &[0, 1], &[2, 0]]);
        assert_eq!(words(&code, &pieces(&code, &[])), [0, 2, 2, 4, 4, 4, 4, 2]);
        assert_eq!(most(&code, &[]), 4);
    }

    #[test]
    fn a_value_is_not_live_between_its_store_and_its_load() {
        let code = straight(&[&[], &[], &[1], &[2], &[3, 0]]);
        assert_eq!(words(&code, &pieces(&code, &[])), [0, 2, 2, 4, 4, 4, 4, 4, 4, 2]);
        let load = Load { value: ValueId(0), before: 4, serves: vec![4] };
        assert_eq!(words(&code, &pieces(&code, &[load])), [0, 2, 0, 2, 2, 2, 2, 2, 4, 2]);
    }

    #[test]
    fn what_is_stored_at_once_is_not_live_with_what_is_loaded_next() {
        let code = straight(&[&[], &[], &[0], &[1, 2]]);
        let load = Load { value: ValueId(0), before: 2, serves: vec![2] };
        assert_eq!(most(&code, std::slice::from_ref(&load)), 4);
        let other = Load { value: ValueId(1), before: 3, serves: vec![3] };
        assert_eq!(words(&code, &pieces(&code, &[load, other])), [0, 2, 0, 2, 2, 2, 4, 2]);
    }

    #[test]
    fn what_a_loop_reads_is_live_in_all_of_it() {
        let code = with_loop();
        let loop_of = |words: Vec<u32>| words[before(2)..before(5)].to_vec();
        assert_eq!(loop_of(words(&code, &pieces(&code, &[]))), [1, 2, 2, 2, 2, 0]);
        let load = Load { value: ValueId(0), before: 3, serves: vec![3] };
        assert_eq!(loop_of(words(&code, &pieces(&code, &[load]))), [0, 1, 2, 1, 1, 0]);
    }
}
