//! Registers that are live, by recount.
//!
//! A piece is a value in a register: from where it is made or loaded to the last that reads it
//! there. Behind an instruction those pieces are live that began at it or before and are read
//! later. The result of an instruction may take the register of an operand that dies there; what
//! nobody reads has a register at its instruction alone.

use crate::{
    code::{BlockId, Code, ValueId},
    demotion::Load,
};
use std::collections::BTreeSet;

/// A value in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The value.
    pub value: ValueId,
    /// The instruction behind which it is there.
    pub begin: usize,
    /// The last instruction that reads it, or that runs before one does so again.
    pub end: usize,
}

impl Piece {
    /// What is there from an instruction of a block on, and is read at these.
    #[must_use]
    pub fn new(code: &Code, value: ValueId, begin: usize, block: BlockId, read: &[usize]) -> Self {
        let ends = read.iter().map(|at| code.needed_until(block, *at));
        Self { value, begin, end: ends.max().unwrap_or(begin).max(begin) }
    }
}

/// The pieces of a code with some of its values loaded.
#[must_use]
pub fn pieces(code: &Code, loads: &[Load]) -> Vec<Piece> {
    let mut loaded = vec![BTreeSet::<usize>::new(); code.values().count()];
    for load in loads {
        loaded[load.value.0].extend(&load.serves);
    }
    let original = code.values().map(|(value, _)| {
        let (made, loaded) = (code.made(value), &loaded[value.0]);
        let read = code.read(value).iter().filter(|at| !loaded.contains(at));
        Piece::new(code, value, made, code.block_of(made), &read.copied().collect::<Vec<_>>())
    });
    let again = loads.iter().map(|load| {
        let block = code.block_of(load.before);
        Piece::new(code, load.value, load.before - 1, block, &load.serves)
    });
    original.chain(again).collect()
}

/// Words that are live behind each instruction, what ends at it as soon as it is made included.
#[must_use]
pub fn words(code: &Code, pieces: &[Piece]) -> Vec<u32> {
    let mut live = vec![0; code.instructions().len()];
    for piece in pieces {
        for words in &mut live[piece.begin..piece.end.max(piece.begin + 1)] {
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
        assert_eq!(words(&code, &pieces(&code, &[])), [2, 4, 4, 2]);
        assert_eq!(most(&code, &[]), 4);
    }

    #[test]
    fn a_value_is_not_live_between_its_store_and_its_load() {
        let code = straight(&[&[], &[], &[1], &[2], &[3, 0]]);
        assert_eq!(words(&code, &pieces(&code, &[])), [2, 4, 4, 4, 2]);
        let load = Load { value: ValueId(0), before: 4, serves: vec![4] };
        assert_eq!(words(&code, &pieces(&code, &[load])), [2, 2, 2, 4, 2]);
    }

    #[test]
    fn what_a_loop_reads_is_live_in_all_of_it() {
        let code = with_loop();
        assert_eq!(words(&code, &pieces(&code, &[])), [1, 1, 2, 2, 0, 1, 0]);
        let load = Load { value: ValueId(0), before: 3, serves: vec![3] };
        assert_eq!(words(&code, &pieces(&code, &[load])), [1, 0, 2, 1, 0, 1, 0]);
    }
}
