//! Registers of code that has none yet: colours of its values' live ranges.
//!
//! Live ranges in program order are intervals, whose graph needs no more colours than values that
//! are live at once. The assembler makes another assignment of as many registers; that of a linear
//! scan approximates it.

use crate::{
    SpillHeuristic,
    code::{Code, ValueId},
    live,
};
use std::collections::{BTreeMap, BTreeSet};

/// A register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// Words of it.
    pub words: u32,
    /// The values that are in it, one after the other.
    pub values: Vec<ValueId>,
}

/// What RegDem's orders of candidates count [Sakdhnagool et al., 2019, Sec. 3].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Instructions that read or write it.
    pub accesses: u64,
    /// The same, ten times as many for each loop around.
    pub weighted: u64,
    /// Other registers of instructions that read or write it.
    pub conflicts: u64,
}

impl Counts {
    /// The count that decides in an order.
    pub fn of(self, heuristic: SpillHeuristic) -> u64 {
        match heuristic {
            SpillHeuristic::FurthestUse | SpillHeuristic::Accesses => self.accesses,
            SpillHeuristic::WeightedAccesses => self.weighted,
            SpillHeuristic::OperandConflicts => self.conflicts,
        }
    }
}

/// The registers of a code, by a linear scan over live ranges: each value takes the first that is
/// free. Only those whose values may all live in slots are candidates; the others are left out.
pub fn allocate(code: &Code) -> Vec<Register> {
    let mut ranges = live::ranges(code, &[]);
    ranges.sort_by_key(|range| (range.begin, range.value));
    let mut registers: Vec<(Register, usize)> = Vec::new();
    for range in ranges {
        let value = code.value(range.value);
        if !value.is_candidate {
            continue;
        }
        let free = registers
            .iter_mut()
            .find(|(register, until)| register.words == value.words && *until <= range.begin);
        let end = range.end.max(range.begin + 1);
        match free {
            Some((register, until)) => {
                register.values.push(range.value);
                *until = end;
            }
            None => {
                let register = Register { words: value.words, values: vec![range.value] };
                registers.push((register, end));
            }
        }
    }
    registers.into_iter().map(|(register, _)| register).collect()
}

/// The registers of each instruction, by number.
pub fn operands(code: &Code, registers: &[Register]) -> Vec<BTreeSet<usize>> {
    let mut of_value = BTreeMap::new();
    for (number, register) in registers.iter().enumerate() {
        of_value.extend(register.values.iter().map(|value| (*value, number)));
    }
    let of_instruction = code.instructions().iter().map(|instruction| {
        let values = instruction.reads.iter().chain(&instruction.writes);
        values.filter_map(|value| of_value.get(value).copied()).collect()
    });
    of_instruction.collect()
}

/// What is counted of each register.
pub fn count(code: &Code, registers: &[Register], operands: &[BTreeSet<usize>]) -> Vec<Counts> {
    let mut counts = vec![Counts::default(); registers.len()];
    for (position, operands) in operands.iter().enumerate() {
        let turns = 10u64.saturating_pow(code.depth(position));
        for register in operands {
            let count = &mut counts[*register];
            count.accesses += 1;
            count.weighted = count.weighted.saturating_add(turns);
            count.conflicts += operands.len() as u64 - 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::tests::{straight, with_loop};

    #[test]
    fn there_are_as_many_registers_as_values_that_are_live_at_once() {
        let code = straight(&[&[], &[], &[1], &[2], &[3, 0]]);
        let registers = allocate(&code);
        let words = registers.iter().map(|register| register.words).sum::<u32>();
        assert_eq!(words, live::max_live(&code, &[]));
        let values = registers
            .iter()
            .map(|register| register.values.iter().map(|value| value.0).collect::<Vec<_>>());
        assert_eq!(values.collect::<Vec<_>>(), [vec![0, 4], vec![1, 2, 3]]);
    }

    #[test]
    fn loops_weigh_ten_times() {
        let code = with_loop();
        let registers = allocate(&code);
        let operands = operands(&code, &registers);
        let counts = count(&code, &registers, &operands);
        let first = registers.iter().position(|register| register.values[0].0 == 0).unwrap();
        let own = |at: usize| operands[at].contains(&first);
        let accesses = (0..7).filter(|at| own(*at)).count() as u64;
        assert_eq!(counts[first].accesses, accesses);
        let in_loop = (2..5).filter(|at| own(*at)).count() as u64;
        assert_eq!(counts[first].weighted, accesses + 9 * in_loop);
        assert!(counts[first].conflicts > 0);
    }
}
