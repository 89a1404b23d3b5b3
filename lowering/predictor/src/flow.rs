//! The control-flow graph of a kernel, its natural loops, and execution counts of blocks.
//!
//! A loop is defined by back edges to a block that dominates their source; other retreating edges
//! are followed but make no loop. Called functions are separate subgraphs, reached by the call.
//! Trip counts come from the caller or from [`trips`], which reads them from the code; else each
//! level of a loop counts [`ITERATIONS_UNKNOWN`] times.

mod loops;
mod trips;

use std::collections::{BTreeMap, BTreeSet};

use crate::instruction::Instruction;

/// The trip count of a loop where unknown: the factor per level of the paper's model.
pub const ITERATIONS_UNKNOWN: f64 = 10.0;

/// A basic block.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// The first instruction, by its number in the kernel.
    pub first: usize,
    /// One past the last.
    pub end: usize,
    /// The successor if its last instruction branches.
    pub taken: Option<usize>,
    /// The fall-through successor.
    pub next: Option<usize>,
    /// The innermost enclosing loop.
    pub innermost: Option<usize>,
    /// Whether it is reachable.
    pub reachable: bool,
}

impl Block {
    /// Its successors.
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
    /// The header.
    pub header: usize,
    /// All blocks, including those of inner loops.
    pub blocks: BTreeSet<usize>,
    /// The enclosing loop.
    pub parent: Option<usize>,
    /// Nesting depth: 1 for outermost loops.
    pub depth: u32,
    /// The trip count, if constant in the code.
    pub iterations: Option<f64>,
}

/// Trip counts that the caller knows, by the address of the loop's first instruction.
pub type Iterations = BTreeMap<u32, f64>;

/// The control-flow graph and loops of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Flow {
    /// In address order; the first is the entry.
    pub blocks: Vec<Block>,
    /// Outer loops before inner ones.
    pub loops: Vec<Loop>,
}

impl Flow {
    /// Builds the graph of this code.
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

    /// The trip count of a loop: the caller's, else the code's, else [`ITERATIONS_UNKNOWN`].
    pub fn iterations(&self, which: usize, code: &[Instruction], known: &Iterations) -> f64 {
        let it = &self.loops[which];
        let header = code[self.blocks[it.header].first].address;
        known.get(&header).copied().or(it.iterations).unwrap_or(ITERATIONS_UNKNOWN)
    }

    /// Addresses of the loops with unknown trip counts.
    pub fn unknown(&self, code: &[Instruction], known: &Iterations) -> Vec<u32> {
        let open = self.loops.iter().filter(|it| it.iterations.is_none());
        let addresses = open.map(|it| code[self.blocks[it.header].first].address);
        addresses.filter(|address| !known.contains_key(address)).collect()
    }

    /// The loops around a block, innermost first.
    pub fn loops_around(&self, block: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.blocks[block].innermost, |&it| self.loops[it].parent)
    }

    /// Execution count of each block, if every branch outside loops goes both ways.
    pub fn weights(&self, code: &[Instruction], known: &Iterations) -> Vec<f64> {
        self.weights_of(code, |it| self.iterations(it, code, known))
    }

    /// The same with equal trip counts of all loops.
    pub fn weights_by_level(&self, code: &[Instruction], iterations: f64) -> Vec<f64> {
        self.weights_of(code, |_| iterations)
    }

    fn weights_of(&self, code: &[Instruction], iterations: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut weights: Vec<f64> = (0..self.blocks.len())
            .map(|block| self.loops_around(block).map(&iterations).product())
            .collect();
        // A function is executed as often as all its calls together, callers first.
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

    /// The blocks reachable by branches, itself included.
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

/// Whether control never falls through.
fn ends_control(instruction: &Instruction) -> bool {
    let leaves = ["EXIT", "RET", "BRX", "JMX", "JMP", "BRA"].contains(&instruction.opcode.as_str());
    leaves && !instruction.is_conditional()
}

/// Whether it may branch.
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

/// The callees of a block.
fn calls(code: &[Instruction], blocks: &[Block], block: &Block) -> Vec<usize> {
    let calls = code[block.instructions()].iter().filter(|it| it.opcode == "CALL");
    let firsts = calls.filter_map(|it| it.target.map(number));
    firsts.filter_map(|first| blocks.binary_search_by_key(&first, |it| it.first).ok()).collect()
}

/// Marks blocks reachable from the entry by branches and calls.
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
