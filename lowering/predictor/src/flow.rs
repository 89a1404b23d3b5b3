//! Basic blocks of a kernel, its natural loops, and how often each block is executed.
//!
//! A loop is what the edges back to a block that dominates their start enclose; edges back to any
//! other block are followed but make no loop. Functions that the kernel calls are blocks of their
//! own, reached by the call. How often a loop turns is known where a caller says so or where
//! [`trips`] reads it from the code; else each level of a loop counts
//! [`ITERATIONS_UNKNOWN`] times.

mod loops;
mod trips;

use std::collections::{BTreeMap, BTreeSet};

use crate::instruction::Instruction;

/// How often a loop counts whose iterations are not known: the factor of a level in the model of
/// the paper.
pub const ITERATIONS_UNKNOWN: f64 = 10.0;

/// Instructions that are executed one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// The first instruction, by its number in the kernel.
    pub first: usize,
    /// One behind the last.
    pub end: usize,
    /// Where it goes when its last instruction branches.
    pub taken: Option<usize>,
    /// Where it goes when not.
    pub next: Option<usize>,
    /// The innermost loop around it.
    pub innermost: Option<usize>,
    /// Whether the kernel can get there.
    pub reachable: bool,
}

impl Block {
    /// The blocks behind it.
    pub fn successors(&self) -> impl Iterator<Item = usize> {
        self.taken.into_iter().chain(self.next)
    }

    /// The numbers of its instructions.
    pub fn instructions(&self) -> std::ops::Range<usize> {
        self.first..self.end
    }
}

/// A natural loop.
#[derive(Debug, Clone, PartialEq)]
pub struct Loop {
    /// The block that every iteration begins with.
    pub header: usize,
    /// All blocks of it, those of inner loops too.
    pub blocks: BTreeSet<usize>,
    /// The loop around it.
    pub parent: Option<usize>,
    /// Loops around its blocks, itself counted: 1 outside of all others.
    pub depth: u32,
    /// How often it turns, where the code says so.
    pub iterations: Option<f64>,
}

/// Iterations that the caller knows, by the address of the loop's first instruction.
pub type Iterations = BTreeMap<u32, f64>;

/// Blocks and loops of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Flow {
    /// In the order of addresses; the first is where the kernel begins.
    pub blocks: Vec<Block>,
    /// Outer loops before the inner ones that they hold.
    pub loops: Vec<Loop>,
}

impl Flow {
    /// Blocks and loops of this code.
    pub fn of(code: &[Instruction]) -> Self {
        let mut blocks = blocks(code);
        mark_reachable(code, &mut blocks);
        let mut loops = loops::natural(&blocks);
        for (which, it) in loops.iter_mut().enumerate() {
            for &block in &it.blocks {
                // Inner loops come later and overwrite.
                blocks[block].innermost = Some(which);
            }
            it.iterations = trips::constant(code, &blocks, it);
        }
        Self { blocks, loops }
    }

    /// Iterations of a loop: what the caller knows, else what the code says, else
    /// [`ITERATIONS_UNKNOWN`].
    pub fn iterations(&self, which: usize, code: &[Instruction], known: &Iterations) -> f64 {
        let it = &self.loops[which];
        let header = code[self.blocks[it.header].first].address;
        known.get(&header).copied().or(it.iterations).unwrap_or(ITERATIONS_UNKNOWN)
    }

    /// Addresses of the loops whose iterations neither the code nor the caller says.
    pub fn unknown(&self, code: &[Instruction], known: &Iterations) -> Vec<u32> {
        let open = self.loops.iter().filter(|it| it.iterations.is_none());
        let addresses = open.map(|it| code[self.blocks[it.header].first].address);
        addresses.filter(|address| !known.contains_key(address)).collect()
    }

    /// Loops around a block, the innermost first.
    pub fn loops_around(&self, block: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.blocks[block].innermost, |&it| self.loops[it].parent)
    }

    /// How often each block is executed, if each branch that is no loop's goes both ways.
    pub fn weights(&self, code: &[Instruction], known: &Iterations) -> Vec<f64> {
        self.weights_of(code, |it| self.iterations(it, code, known))
    }

    /// The same with every loop turning equally often.
    pub fn weights_by_level(&self, code: &[Instruction], iterations: f64) -> Vec<f64> {
        self.weights_of(code, |_| iterations)
    }

    fn weights_of(&self, code: &[Instruction], iterations: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut weights: Vec<f64> = (0..self.blocks.len())
            .map(|block| self.loops_around(block).map(&iterations).product())
            .collect();
        // What is called is executed as often as all its calls together, callers first.
        let mut called: BTreeMap<usize, f64> = BTreeMap::new();
        for (block, it) in self.blocks.iter().enumerate().filter(|(_, it)| it.reachable) {
            for callee in calls(code, &self.blocks, it) {
                *called.entry(callee).or_default() += weights[block];
            }
        }
        for (callee, times) in called {
            for block in self.blocks_from(callee) {
                weights[block] *= times;
            }
        }
        let reached = self.blocks.iter().map(|it| it.reachable);
        weights
            .into_iter()
            .zip(reached)
            .map(|(it, reached)| if reached { it } else { 0.0 })
            .collect()
    }

    /// The blocks that branches lead to from this one, itself counted.
    fn blocks_from(&self, first: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut open = vec![first];
        while let Some(block) = open.pop() {
            if found.insert(block) {
                open.extend(self.blocks[block].successors());
            }
        }
        found
    }
}

/// Whether control never goes on behind the instruction.
fn ends_control(instruction: &Instruction) -> bool {
    let leaves = ["EXIT", "RET", "BRX", "JMX", "JMP", "BRA"].contains(&instruction.opcode.as_str());
    leaves && !instruction.is_conditional()
}

/// Whether it may go on elsewhere than behind.
fn may_leave(instruction: &Instruction) -> bool {
    ["EXIT", "RET", "BRX", "JMX", "JMP", "BRA"].contains(&instruction.opcode.as_str())
}

fn number(address: u32) -> usize {
    address as usize / crate::machine_code::INSTRUCTION_BYTES
}

fn blocks(code: &[Instruction]) -> Vec<Block> {
    let mut leaders = BTreeSet::from([0]);
    for (index, instruction) in code.iter().enumerate() {
        leaders.extend(instruction.target.map(number));
        if may_leave(instruction) {
            leaders.insert(index + 1);
        }
    }
    leaders.retain(|&leader| leader < code.len());
    let firsts: Vec<usize> = leaders.into_iter().collect();
    let block_of = |first: usize| firsts.binary_search(&first).ok();
    let ends = firsts.iter().skip(1).copied().chain([code.len()]);
    firsts
        .iter()
        .zip(ends)
        .map(|(&first, end)| {
            let last = &code[end - 1];
            let target = last.target.filter(|_| last.opcode != "CALL");
            Block {
                first,
                end,
                taken: target.and_then(|target| block_of(number(target))),
                next: if ends_control(last) { None } else { block_of(end) },
                innermost: None,
                reachable: false,
            }
        })
        .collect()
}

/// The blocks that a block calls.
fn calls(code: &[Instruction], blocks: &[Block], block: &Block) -> Vec<usize> {
    let calls = code[block.instructions()].iter().filter(|it| it.opcode == "CALL");
    let firsts = calls.filter_map(|it| it.target.map(number));
    firsts.filter_map(|first| blocks.binary_search_by_key(&first, |it| it.first).ok()).collect()
}

/// Follows branches and calls from the first block.
fn mark_reachable(code: &[Instruction], blocks: &mut [Block]) {
    let mut open: Vec<usize> = if blocks.is_empty() { Vec::new() } else { vec![0] };
    while let Some(block) = open.pop() {
        if std::mem::replace(&mut blocks[block].reachable, true) {
            continue;
        }
        open.extend(blocks[block].successors());
        open.extend(calls(code, blocks, &blocks[block]));
    }
}

#[cfg(test)]
mod tests;
