//! Registers that move to shared memory whole [Sakdhnagool et al., RegDem, 2019, Sec. 3].
//!
//! Candidates are taken in their order, those with the lowest count first. An instruction works on
//! registers: what it reads of a demoted one is loaded into a value register, what it writes is
//! stored from one. With one value register no two registers of an instruction can both be demoted,
//! so whatever shares an instruction with a demoted one leaves the list; with more, as soon as an
//! instruction has as many demoted ones.
//!
//! What stays in a value register need not be reloaded, and what is not reloaded need not be
//! stored. That is known for each block by itself.

use crate::{
    Options,
    code::{Code, ValueId},
    demotion::Reload,
    registers::{self, Register},
};
use std::collections::{BTreeSet, VecDeque};

/// The reloads of the registers that are demoted.
pub fn loads(code: &Code, options: &Options) -> Vec<Reload> {
    let registers = registers::allocate(code);
    let demoted = choose(code, &registers, options);
    let values = demoted.iter().flat_map(|number| &registers[*number].values).copied();
    let values = values.collect::<BTreeSet<_>>();
    match options.removes_redundant {
        true => lasting(code, &values, options.value_registers),
        false => every(code, &values),
    }
}

/// Takes candidates until so many words are demoted.
fn choose(code: &Code, registers: &[Register], options: &Options) -> Vec<usize> {
    let operands = registers::operands(code, registers);
    let counts = registers::count(code, registers, &operands);
    let mut candidates = (0..registers.len()).collect::<Vec<_>>();
    candidates.sort_by_key(|number| (counts[*number].of(options.heuristic), *number));
    let mut taken = vec![0; operands.len()];
    let (mut chosen, mut words) = (Vec::new(), 0);
    for number in candidates {
        if words >= options.words {
            break;
        }
        let own = || operands.iter().enumerate().filter(|(_, all)| all.contains(&number));
        if own().any(|(position, _)| taken[position] >= options.value_registers) {
            continue;
        }
        own().for_each(|(position, _)| taken[position] += 1);
        words += registers[number].words;
        chosen.push(number);
    }
    chosen
}

/// A reload before every user.
fn every(code: &Code, values: &BTreeSet<ValueId>) -> Vec<Reload> {
    let of_value = |value: &ValueId| {
        let load = |at: &usize| Reload { value: *value, before: *at, users: vec![*at] };
        code.users_of(*value).iter().map(load).collect::<Vec<_>>()
    };
    values.iter().flat_map(of_value).collect()
}

/// A reload for all users between which the value register is not needed for another.
fn lasting(code: &Code, values: &BTreeSet<ValueId>, value_registers: usize) -> Vec<Reload> {
    let mut loads: Vec<Reload> = Vec::new();
    // What value registers hold, with its reload if it was reloaded; what was read last is last.
    let mut held: VecDeque<(ValueId, Option<usize>)> = VecDeque::new();
    let mut block = None;
    for (position, instruction) in code.instructions().iter().enumerate() {
        if block.replace(instruction.block) != Some(instruction.block) {
            held.clear();
        }
        for value in instruction.reads.iter().filter(|value| values.contains(value)) {
            let available = held.iter().position(|(other, _)| other == value);
            let source = match available.and_then(|at| held.remove(at)) {
                Some((_, source)) => source,
                None => {
                    loads.push(Reload { value: *value, before: position, users: Vec::new() });
                    Some(loads.len() - 1)
                }
            };
            if let Some(load) = source {
                loads[load].users.push(position);
            }
            held.push_back((*value, source));
        }
        let made = instruction.writes.iter().filter(|value| values.contains(value));
        held.extend(made.map(|value| (*value, None)));
        while held.len() > value_registers {
            held.pop_front();
        }
    }
    loads
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SpillHeuristic, code::tests::straight, demote};

    const OPTIONS: Options = Options {
        words: 2,
        heuristic: SpillHeuristic::Accesses,
        value_registers: 1,
        removes_redundant: true,
        hoist: 0,
    };

    #[test]
    fn the_register_with_the_fewest_accesses_goes() {
        // 0 is written and read once, the other register is busy in between.
        let code = straight(&[&[], &[], &[1], &[2], &[3], &[4, 0]]);
        let registers = registers::allocate(&code);
        let chosen = choose(&code, &registers, &OPTIONS);
        assert_eq!(chosen.len(), 1);
        assert!(registers[chosen[0]].values.contains(&ValueId(0)));
        let demotion = demote(&code, &Options { removes_redundant: false, ..OPTIONS });
        assert_eq!(demotion.check(&code), Ok(()));
        assert_eq!(demotion.reloads, [Reload { value: ValueId(0), before: 5, users: vec![5] }]);
        // One register that goes to shared memory is no gain where it has the value register alone.
        assert_eq!(demote(&code, &OPTIONS), crate::Demotion::none());
    }

    #[test]
    fn registers_of_one_instruction_need_two_value_registers() {
        let code = straight(&[&[], &[], &[0, 1], &[0, 1, 2]]);
        let registers = registers::allocate(&code);
        let all = Options { words: 99, ..OPTIONS };
        assert_eq!(choose(&code, &registers, &all).len(), 1);
        let three = Options { value_registers: 3, ..all };
        assert_eq!(choose(&code, &registers, &three).len(), 3);
    }

    #[test]
    fn available_values_are_not_reloaded_and_stores_without_reloads_left_out() {
        let code = straight(&[&[], &[], &[0], &[0, 2], &[1], &[0, 4]]);
        let values = BTreeSet::from([ValueId(0)]);
        assert!(lasting(&code, &values, 1).is_empty(), "nothing else needs the value register");
        let values = BTreeSet::from([ValueId(0), ValueId(1)]);
        let users = lasting(&code, &values, 1).into_iter().map(|load| (load.value.0, load.users));
        assert_eq!(users.collect::<Vec<_>>(), [(0, vec![2, 3]), (1, vec![4]), (0, vec![5])]);
        assert_eq!(lasting(&code, &values, 2).len(), 0);
        let kept = Options { removes_redundant: false, words: 99, ..OPTIONS };
        let demotion = demote(&code, &kept);
        assert_eq!(demotion.check(&code), Ok(()));
        let one = demotion.reloads.iter().map(|load| load.users.len()).max();
        assert_eq!(one, Some(1));
    }
}
