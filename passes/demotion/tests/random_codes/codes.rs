//! Random code as a thread has it: loops and branches, values of one and two words, some of which
//! may live in no slot. And random options.

use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};
use stencil_demotion::{
    Block, BlockId, Code, Instruction, Options, SpillHeuristic, Value, ValueId,
};

/// Numbers from a seed.
pub struct Dice(ChaCha8Rng);

impl Dice {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.0.next_u64() % bound as u64) as usize
    }

    /// One of these.
    pub fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// Options of any kind, for a code that has so many words live.
pub fn options(dice: &mut Dice, live: u32) -> Options {
    Options {
        words: dice.below(live as usize + 4) as u32,
        heuristic: dice.of(&[
            SpillHeuristic::FurthestUse,
            SpillHeuristic::FurthestUse,
            SpillHeuristic::Accesses,
            SpillHeuristic::WeightedAccesses,
            SpillHeuristic::OperandConflicts,
        ]),
        value_registers: 1 + dice.below(4),
        removes_redundant: dice.below(2) == 0,
        hoist: dice.of(&[0, 1, 3, 9, 64]),
    }
}

/// Code without loops and branches.
pub fn straight(dice: &mut Dice) -> Code {
    let length = 2 + dice.below(40);
    Builder::new(dice, 0).code(length)
}

/// Code of any kind.
pub fn nested(dice: &mut Dice) -> Code {
    let length = 2 + dice.below(16);
    Builder::new(dice, 3).code(length)
}

struct Builder<'d> {
    dice: &'d mut Dice,
    /// Blocks that may lie around an instruction, besides the outermost.
    depth: usize,
    values: Vec<Value>,
    instructions: Vec<Instruction>,
    blocks: Vec<Block>,
    /// Values that can be read here.
    visible: Vec<ValueId>,
}

impl<'d> Builder<'d> {
    fn new(dice: &'d mut Dice, depth: usize) -> Self {
        let (values, instructions, blocks) = (Vec::new(), Vec::new(), Vec::new());
        Self { dice, depth, values, instructions, blocks, visible: Vec::new() }
    }

    fn code(mut self, length: usize) -> Code {
        self.blocks.push(Block { parent: None, range: 0..0, is_loop: false });
        self.body(BlockId(0), 0, length);
        self.instruction(2, 0, BlockId(0));
        self.blocks[0].range = 0..self.instructions.len();
        Code::new(self.values, self.instructions, self.blocks)
    }

    fn body(&mut self, block: BlockId, depth: usize, length: usize) {
        for _ in 0..length {
            if depth < self.depth && self.dice.below(6) == 0 {
                self.with_blocks(block, depth);
                continue;
            }
            let made = self.dice.of(&[0, 1, 1, 1, 1, 1, 2]);
            self.instruction(3, made, block);
        }
    }

    /// A loop, or a branch: an instruction before its blocks, and one behind them.
    fn with_blocks(&mut self, block: BlockId, depth: usize) {
        self.instruction(2, 0, block);
        let parent = Some(self.instructions.len() - 1);
        let repeats = self.dice.below(2) == 0;
        for _ in 0..if repeats { 1 } else { 1 + self.dice.below(2) } {
            let (inner, begin) = (BlockId(self.blocks.len()), self.instructions.len());
            let outside = self.visible.len();
            self.blocks.push(Block { parent, range: 0..0, is_loop: repeats });
            let arguments = if repeats { self.dice.below(3) } else { 0 };
            self.instruction(0, arguments, inner);
            let length = self.dice.below(6);
            self.body(inner, depth + 1, length);
            self.instruction(2, 0, inner);
            self.visible.truncate(outside);
            self.blocks[inner.0].range = begin..self.instructions.len();
        }
        let results = self.dice.below(3);
        self.instruction(0, results, block);
    }

    /// An instruction that reads at most so many values, and makes some.
    fn instruction(&mut self, most_read: usize, made: usize, block: BlockId) {
        let mut reads = Vec::new();
        for _ in 0..self.dice.below(most_read + 1).min(self.visible.len()) {
            // What was made last is read most, or nothing would die.
            let back = self.dice.of(&[3, 3, self.visible.len()]).min(self.visible.len());
            reads.push(self.visible[self.visible.len() - 1 - self.dice.below(back)]);
        }
        reads.sort_unstable();
        reads.dedup();
        let writes = (0..made).map(|_| {
            let words = self.dice.of(&[1, 2, 2]);
            let is_candidate = self.dice.below(8) > 0;
            let can_remat = is_candidate && self.dice.below(4) == 0;
            self.values.push(Value { words, is_candidate, can_remat });
            ValueId(self.values.len() - 1)
        });
        let writes = writes.collect::<Vec<_>>();
        self.visible.extend(&writes);
        self.instructions.push(Instruction { reads, writes, block });
    }
}
