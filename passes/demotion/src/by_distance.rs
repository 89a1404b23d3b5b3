//! Spilling by next use: where too much is live, the victim is the value that is read last.
//!
//! One block after the other, innermost first, gets so many words for its own values: what the
//! whole code may have live, less the values from outside that are live across the block. What an
//! instruction reads must be in a register; of the others the one with the furthest next use is
//! evicted (Belady's rule, which needs the fewest loads where nothing has to be stored). A value
//! that has a slot, or can be rematerialised, needs no store, so its distance counts more; several
//! factors are tried, and the one with the least spill traffic is taken.
//!
//! Values of a block that inner blocks read stay in registers while those run.

use crate::{
    code::{BlockId, Code, ValueId},
    demotion::{Reload, traffic},
    live,
};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};
use stencil_code::live as points;

/// Halves of the distance of a value that needs no store, of two that one has which does.
const FACTORS: [usize; 5] = [2, 3, 4, 6, 12];

/// The reloads with which so many words fewer are live at once.
pub fn loads(code: &Code, words: u32) -> Vec<Reload> {
    let target = live::max_live(code, &[]).saturating_sub(words);
    let tried = FACTORS.map(|factor| all_blocks(code, target, factor));
    let chosen = tried.into_iter().min_by_key(|loads| traffic(code, loads));
    chosen.expect("there are factors to try")
}

fn all_blocks(code: &Code, target: u32, factor: usize) -> Vec<Reload> {
    let mut all = Vec::new();
    // The most that each block has live, with those inside of it.
    let mut most = vec![0; code.blocks().len()];
    for number in (0..code.blocks().len()).rev() {
        let block = BlockId(number);
        let words = target.saturating_sub(across(code, block));
        let mut run = Run::new(code, block, words, factor);
        run.run(&most);
        most[number] = run.most;
        all.append(&mut run.loads);
    }
    all
}

/// Words of values from outside that are live somewhere in a block.
fn across(code: &Code, block: BlockId) -> u32 {
    let range = &code.blocks()[block.0].range;
    let mut ranges = live::ranges(code, &[]);
    let is_outside = |value| !range.contains(&code.definition(value));
    ranges.retain(|range| is_outside(range.value));
    let points = points::before(range.start)..points::before(range.end);
    live::words(code, &ranges)[points].iter().copied().max().unwrap_or(0)
}

/// A block that is run through.
struct Run<'c> {
    code: &'c Code,
    block: BlockId,
    words: u32,
    factor: usize,
    /// For each value of the block the instructions of the block that read it, or contain its user.
    reads: BTreeMap<ValueId, Vec<usize>>,
    /// What is in a register, with its reload if it was reloaded.
    resident: BTreeMap<ValueId, Option<usize>>,
    stored: BTreeSet<ValueId>,
    /// What blocks inside read, while they run.
    held: BTreeSet<ValueId>,
    loads: Vec<Reload>,
    most: u32,
}

impl<'c> Run<'c> {
    fn new(code: &'c Code, block: BlockId, words: u32, factor: usize) -> Self {
        let own =
            code.values().filter(|(value, _)| code.block_of(code.definition(*value)) == block);
        let reads = own.map(|(value, _)| {
            let within = code.users_of(value).iter().filter_map(|at| code.within(*at, block));
            let mut reads = within.collect::<Vec<_>>();
            reads.dedup();
            (value, reads)
        });
        Self {
            code,
            block,
            words,
            factor,
            reads: reads.collect(),
            resident: BTreeMap::new(),
            stored: BTreeSet::new(),
            held: BTreeSet::new(),
            loads: Vec::new(),
            most: 0,
        }
    }

    fn run(&mut self, most_inside: &[u32]) {
        let code = self.code;
        for position in code.blocks()[self.block.0].range.clone() {
            if code.block_of(position) != self.block {
                continue;
            }
            let inside = code.blocks().iter().enumerate();
            let inside = inside.filter(|(_, inner)| inner.parent == Some(position));
            let inside = inside.map(|(number, _)| most_inside[number]).max();
            let read = self.read_at(position);
            for value in &read {
                self.read(*value, position);
            }
            // Held from the blocks inside until the instruction after them.
            self.held = match inside {
                Some(_) => read.iter().copied().collect(),
                None => BTreeSet::new(),
            };
            self.make_room(position, inside.unwrap_or(0), &read);
            self.most = self.most.max(self.live() + inside.unwrap_or(0));
            if inside.is_none() {
                self.resident.retain(|value, _| {
                    self.reads[value].last().is_some_and(|last| *last > position)
                });
            }
            let made = &code.instructions()[position].writes;
            self.resident.extend(made.iter().map(|value| (*value, None)));
            self.make_room(position, 0, made);
            self.most = self.most.max(self.live());
            self.resident.retain(|value, _| {
                let lasts = self.reads[value].last().is_some_and(|last| *last > position);
                lasts || self.held.contains(value)
            });
        }
    }

    /// The values of this block that an instruction reads, or blocks inside of it.
    fn read_at(&self, position: usize) -> Vec<ValueId> {
        let reads = self.reads.iter().filter(|(_, reads)| reads.binary_search(&position).is_ok());
        reads.map(|(value, _)| *value).collect()
    }

    fn read(&mut self, value: ValueId, position: usize) {
        let source = *self.resident.entry(value).or_insert_with(|| {
            self.stored.insert(value);
            self.loads.push(Reload { value, before: position, users: Vec::new() });
            Some(self.loads.len() - 1)
        });
        if let Some(load) = source {
            let block = self.block;
            let within = |at: &&usize| self.code.within(**at, block) == Some(position);
            let users = self.code.users_of(value).iter().filter(within);
            self.loads[load].users.extend(users);
        }
    }

    /// Whether a value has to be stored before it can be loaded.
    fn needs_store(&self, value: ValueId) -> bool {
        !self.stored.contains(&value) && !self.code.value(value).can_remat
    }

    fn live(&self) -> u32 {
        self.resident.keys().map(|value| self.code.value(*value).words).sum()
    }

    /// Evicts values until so much more fits; those that are needed now stay.
    fn make_room(&mut self, position: usize, more: u32, needed: &[ValueId]) {
        while self.live() + more > self.words {
            let stays = |value: &ValueId| {
                needed.contains(value)
                    || self.held.contains(value)
                    || !self.code.value(*value).is_candidate
            };
            let candidates = self.resident.keys().filter(|value| !stays(value));
            let farthest = candidates
                .map(|value| {
                    let next = self.reads[value].iter().find(|at| **at > position);
                    let factor = if self.needs_store(*value) { 2 } else { self.factor };
                    // Dead values go first.
                    let distance = next.map_or(usize::MAX, |next| (next - position) * factor);
                    (distance, Reverse(*value))
                })
                .max();
            let Some((_, Reverse(value))) = farthest else { return };
            self.resident.remove(&value);
            if self.reads[&value].last().is_some_and(|last| *last > position) {
                self.stored.insert(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Options, SpillHeuristic,
        code::tests::{straight, with_loop, with_remat},
        demote,
    };

    fn options(words: u32) -> Options {
        Options {
            words,
            heuristic: SpillHeuristic::FurthestUse,
            value_registers: 1,
            removes_redundant: true,
            hoist: 0,
        }
    }

    #[test]
    fn the_victim_is_read_last() {
        let code = straight(&[&[], &[], &[], &[2, 1], &[3], &[4, 1], &[5, 0]]);
        let demotion = demote(&code, &options(2));
        assert_eq!(demotion.check(&code), Ok(()));
        assert_eq!(demotion.reloads, [Reload { value: ValueId(0), before: 6, users: vec![6] }]);
        assert_eq!((live::max_live(&code, &[]), demotion.live(&code)), (6, 4));
    }

    #[test]
    fn readers_close_to_each_other_share_a_load() {
        let code = straight(&[&[], &[], &[], &[2, 1], &[3, 1], &[4, 0], &[5, 0]]);
        let demotion = demote(&code, &options(2));
        assert_eq!(demotion.check(&code), Ok(()));
        assert_eq!(demotion.reloads, [Reload { value: ValueId(0), before: 5, users: vec![5, 6] }]);
    }

    #[test]
    fn rematerialisation_goes_before_stores() {
        // 0 is read later than 1, but not by so much as a store costs.
        let reads: &[&[usize]] = &[&[], &[], &[], &[2], &[1], &[4, 0]];
        let code = straight(reads);
        let demotion = demote(&code, &options(2));
        assert_eq!(demotion.reloads, [Reload { value: ValueId(0), before: 5, users: vec![5] }]);
        let code = with_remat(straight(reads), &[1]);
        let demotion = demote(&code, &options(2));
        assert_eq!(demotion.check(&code), Ok(()));
        assert_eq!(demotion.reloads, [Reload { value: ValueId(1), before: 4, users: vec![4] }]);
        assert!(demotion.spills.is_empty(), "nothing is stored");
    }

    #[test]
    fn no_more_goes_than_instructions_allow() {
        let code = straight(&[&[], &[], &[0, 1], &[2, 0, 1]]);
        let demotion = demote(&code, &options(99));
        assert_eq!(demotion.check(&code), Ok(()));
        assert_eq!(demotion.live(&code), 6);
    }

    #[test]
    fn what_a_loop_reads_is_loaded_before_it() {
        let code = with_loop();
        let demotion = demote(&code, &options(1));
        assert_eq!(demotion.check(&code), Ok(()));
        assert_eq!(demotion.live(&code), 2, "the loop needs both at once");
    }
}
