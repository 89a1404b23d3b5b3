//! Code that is run: what each instruction computes is a hash of what it reads.
//!
//! Registers hold a value as long as the recount says and no longer, slots what was stored there
//! last, and the origin of a value what it was. So a load that comes too late, a slot that two
//! share and a register that is counted as free too early all give another result, or none.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
};
use stencil_demotion::{BlockId, Code, Demotion, Slot, ValueId, live, live::LiveRange};

/// What a run leaves behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// What each instruction computed, in the order in which they ran.
    pub results: Vec<u64>,
    /// The most words that were in registers at once.
    pub most: u32,
}

/// Runs a code; `salt` decides what branches are taken, and how often loops run.
pub fn run(code: &Code, demotion: &Demotion, salt: u64) -> Result<Run, String> {
    let ranges = live::ranges(code, &demotion.reloads);
    let (registers, slots, origins) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let done = Run { results: Vec::new(), most: 0 };
    let mut machine = Machine { code, demotion, salt, ranges, registers, slots, origins, done };
    machine.block(BlockId(0), 0)?;
    Ok(machine.done)
}

/// A thread, and what it has done.
struct Machine<'c> {
    code: &'c Code,
    demotion: &'c Demotion,
    salt: u64,
    /// Those of values as they are made, by number, and behind them those of loads.
    ranges: Vec<LiveRange>,
    /// What ranges hold, by number.
    registers: BTreeMap<usize, u64>,
    slots: BTreeMap<Slot, u64>,
    /// What was made last of each value that can be loaded again.
    origins: BTreeMap<ValueId, u64>,
    done: Run,
}

impl Machine<'_> {
    /// Runs a block; gives what its last instruction computed.
    fn block(&mut self, block: BlockId, given: u64) -> Result<u64, String> {
        let range = self.code.blocks()[block.0].range.clone();
        let (mut position, mut last, mut given) = (range.start, 0, given);
        while position < range.end {
            last = self.instruction(position, given)?;
            let inside = self.code.blocks().iter().enumerate();
            let inside = inside.filter(|(_, inner)| inner.parent == Some(position));
            let inside = inside.map(|(number, _)| BlockId(number)).collect::<Vec<_>>();
            position = match inside.last() {
                Some(inner) => self.code.blocks()[inner.0].range.end,
                None => position + 1,
            };
            given = if inside.is_empty() { 0 } else { self.inside(&inside, last)? };
        }
        Ok(last)
    }

    /// Runs a loop up to three times, or one of some branches, or none.
    fn inside(&mut self, blocks: &[BlockId], given: u64) -> Result<u64, String> {
        let choice = hash(&(given, self.salt)) as usize;
        if !self.code.blocks()[blocks[0].0].is_loop {
            return match blocks.get(choice % (blocks.len() + 1)) {
                Some(taken) => self.block(*taken, given),
                None => Ok(given),
            };
        }
        (0..choice % 4).try_fold(given, |given, _| self.block(blocks[0], given))
    }

    fn instruction(&mut self, position: usize, given: u64) -> Result<u64, String> {
        let ranges = &self.ranges;
        self.registers.retain(|number, _| {
            let range = ranges[*number];
            range.begin < position && position <= range.end
        });
        self.load(position)?;
        self.count();
        let instruction = &self.code.instructions()[position];
        let read = instruction.reads.iter().map(|value| self.read(*value, position));
        let result = hash(&(position, given, read.collect::<Result<Vec<_>, _>>()?));
        self.done.results.push(result);
        let made = &instruction.writes;
        // Results take the registers of operands that die. At the end of a loop there are none, and
        // what comes from outside stays.
        let ranges = &self.ranges;
        self.registers.retain(|number, _| made.is_empty() || ranges[*number].end > position);
        let results = made.iter().map(|value| (*value, hash(&(result, value.0))));
        let results = results.collect::<Vec<_>>();
        self.registers.extend(results.iter().map(|(value, result)| (value.0, *result)));
        let can_remat = |(value, _): &(ValueId, u64)| self.code.value(*value).can_remat;
        self.origins.extend(results.into_iter().filter(can_remat));
        self.count();
        self.store(position)?;
        Ok(result)
    }

    /// Loads what is loaded before an instruction.
    fn load(&mut self, position: usize) -> Result<(), String> {
        let values = self.code.values().count();
        for (number, load) in self.demotion.reloads.iter().enumerate() {
            if load.before == position {
                let spill = self.demotion.spills.get(&load.value);
                let held = match spill {
                    Some(spill) => self.slots.get(&spill.slot),
                    None => self.origins.get(&load.value),
                };
                let held = held.ok_or(format!("{load:?} finds nothing"))?;
                self.registers.insert(values + number, *held);
            }
        }
        Ok(())
    }

    fn read(&self, value: ValueId, position: usize) -> Result<u64, String> {
        let loads = &self.demotion.reloads;
        let users =
            loads.iter().position(|load| load.value == value && load.users.contains(&position));
        let number = users.map_or(value.0, |load| self.code.values().count() + load);
        let held = self.registers.get(&number).copied();
        held.ok_or(format!("{value:?} is in no register when {position} reads it"))
    }

    fn store(&mut self, position: usize) -> Result<(), String> {
        for (value, spill) in &self.demotion.spills {
            if spill.after == position {
                let held = self.registers.get(&value.0);
                let held = held.ok_or(format!("{value:?} is in no register to be stored"))?;
                self.slots.insert(spill.slot, *held);
            }
        }
        Ok(())
    }

    /// Counts the registers that are in use now.
    fn count(&mut self) {
        let words = self.registers.keys().map(|number| {
            let value = self.ranges[*number].value;
            self.code.value(value).words
        });
        self.done.most = self.done.most.max(words.sum());
    }
}

fn hash(what: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}
