//! The code of a kernel in its final order: instructions in nested blocks, what they read and
//! write.
//!
//! This is no [`stencil_code::Dag`]: there is no order to choose, values live across loops, and an
//! instruction may define several values of which some are spilled. Both have the same points and
//! live ranges.
//!
//! Positions are those of program order. An instruction with blocks of its own is two: one before
//! the blocks, which reads operands, and one after them, which writes results. A block starts with
//! an instruction that writes its arguments. So every value is written by one instruction, and read
//! by later ones.

use std::ops::Range;

/// A value, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueId(pub usize);

/// A block, by its number. A block comes before those inside of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub usize);

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// 32-bit registers that it takes.
    pub words: u32,
    /// Whether it is a spill candidate.
    pub is_candidate: bool,
    /// Whether it can be rematerialised from memory that does not change: it needs no slot.
    pub can_remat: bool,
}

/// What an instruction reads and writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The values that it reads, each once.
    pub reads: Vec<ValueId>,
    /// The values that it defines.
    pub writes: Vec<ValueId>,
    /// The block that it is in.
    pub block: BlockId,
}

/// Straight code, with other blocks inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The instruction whose block it is, by position; none for the outermost.
    pub parent: Option<usize>,
    /// The positions of its instructions and of all inside.
    pub range: Range<usize>,
    /// Whether it is the body of a loop.
    pub is_loop: bool,
}

/// The code of a thread.
#[derive(Clone, Debug)]
pub struct Code {
    values: Vec<Value>,
    instructions: Vec<Instruction>,
    blocks: Vec<Block>,
    /// The instruction that defines each value.
    definitions: Vec<usize>,
    /// The instructions that read each value, in order.
    users: Vec<Vec<usize>>,
}

impl Code {
    /// The code of these parts.
    ///
    /// # Panics
    /// If a value is not defined by one instruction, before all that read it, or a block does not
    /// come before those inside of it.
    #[must_use]
    pub fn new(values: Vec<Value>, instructions: Vec<Instruction>, blocks: Vec<Block>) -> Self {
        let mut definitions = vec![None; values.len()];
        let mut users = vec![Vec::new(); values.len()];
        for (position, instruction) in instructions.iter().enumerate() {
            for value in &instruction.reads {
                assert!(definitions[value.0].is_some(), "a value is defined before it is read");
                users[value.0].push(position);
            }
            for value in &instruction.writes {
                let before = definitions[value.0].replace(position);
                assert!(before.is_none(), "a value is defined once");
            }
        }
        let definitions = definitions.into_iter();
        let definitions = definitions.map(|at| at.expect("every value is defined")).collect();
        for (number, block) in blocks.iter().enumerate() {
            let outer = block.parent.map(|parent| instructions[parent].block.0);
            assert!(outer.is_none_or(|outer| outer < number), "a block comes before those inside");
        }
        Self { values, instructions, blocks, definitions, users }
    }

    /// All instructions, in program order.
    #[must_use]
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// All values.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = (ValueId, Value)> + '_ {
        self.values.iter().enumerate().map(|(number, value)| (ValueId(number), *value))
    }

    /// What is known of a value.
    #[must_use]
    pub fn value(&self, value: ValueId) -> Value {
        self.values[value.0]
    }

    /// All blocks.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The instruction that defines a value.
    #[must_use]
    pub fn definition(&self, value: ValueId) -> usize {
        self.definitions[value.0]
    }

    /// The instructions that read a value, in order.
    #[must_use]
    pub fn users_of(&self, value: ValueId) -> &[usize] {
        &self.users[value.0]
    }

    /// The block of an instruction.
    #[must_use]
    pub fn block_of(&self, position: usize) -> BlockId {
        self.instructions[position].block
    }

    /// Whether something can be inserted before an instruction: it is neither the start of a block
    /// nor defines the results of blocks inside.
    #[must_use]
    pub fn allows_insertion(&self, position: usize) -> bool {
        position > 0 && self.block_of(position - 1) == self.block_of(position)
    }

    /// Loops around an instruction.
    #[must_use]
    pub fn depth(&self, position: usize) -> u32 {
        self.around(position).filter(|block| self.blocks[block.0].is_loop).count() as u32
    }

    /// The block of an instruction and all around it, innermost first.
    pub fn around(&self, position: usize) -> impl Iterator<Item = BlockId> + '_ {
        let outer = |block: &BlockId| {
            self.blocks[block.0].parent.map(|parent| self.instructions[parent].block)
        };
        std::iter::successors(Some(self.block_of(position)), outer)
    }

    /// The instruction of a block that another one is, or is inside of; none if it is elsewhere.
    #[must_use]
    pub fn within(&self, position: usize, block: BlockId) -> Option<usize> {
        let mut position = position;
        while self.block_of(position) != block {
            position = self.blocks[self.block_of(position).0].parent?;
        }
        Some(position)
    }

    /// The last position at which a value of a block must be live to be read at `at`: loops in
    /// between run again.
    #[must_use]
    pub fn needed_until(&self, from: BlockId, at: usize) -> usize {
        let inner = self.around(at).take_while(|block| *block != from);
        let ends = inner.filter_map(|block| {
            let block = &self.blocks[block.0];
            block.is_loop.then(|| block.range.end - 1)
        });
        ends.chain([at]).max().expect("there is the position itself")
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Straight code in which instruction `i` defines value `i`, of two words, from these.
    pub(crate) fn straight(reads: &[&[usize]]) -> Code {
        let instructions = reads.iter().enumerate().map(|(number, reads)| Instruction {
            reads: reads.iter().copied().map(ValueId).collect(),
            writes: vec![ValueId(number)],
            block: BlockId(0),
        });
        let values = vec![Value { words: 2, is_candidate: true, can_remat: false }; reads.len()];
        let block = Block { parent: None, range: 0..reads.len(), is_loop: false };
        Code::new(values, instructions.collect(), vec![block])
    }

    /// The same, in which these values can be rematerialised.
    pub(crate) fn with_remat(mut code: Code, values: &[usize]) -> Code {
        values.iter().for_each(|number| code.values[*number].can_remat = true);
        code
    }

    /// `a; loop { b = f(a); }; c = g(a)`, the loop as an instruction before and one after.
    pub(crate) fn with_loop() -> Code {
        let instruction = |reads: &[usize], writes: &[usize], block| Instruction {
            reads: reads.iter().copied().map(ValueId).collect(),
            writes: writes.iter().copied().map(ValueId).collect(),
            block: BlockId(block),
        };
        let instructions = vec![
            instruction(&[], &[0], 0),
            instruction(&[], &[], 0),
            instruction(&[], &[1], 1),
            instruction(&[0, 1], &[2], 1),
            instruction(&[2], &[], 1),
            instruction(&[], &[3], 0),
            instruction(&[3], &[], 0),
        ];
        let blocks = vec![
            Block { parent: None, range: 0..7, is_loop: false },
            Block { parent: Some(1), range: 2..5, is_loop: true },
        ];
        let value = Value { words: 1, is_candidate: true, can_remat: false };
        Code::new(vec![value; 4], instructions, blocks)
    }

    #[test]
    fn what_a_loop_reads_is_needed_until_its_end() {
        let code = with_loop();
        assert_eq!(code.needed_until(BlockId(0), 3), 4);
        assert_eq!(code.needed_until(BlockId(1), 3), 3);
        assert_eq!([code.depth(0), code.depth(3)], [0, 1]);
        assert_eq!([code.within(3, BlockId(0)), code.within(3, BlockId(1))], [Some(1), Some(3)]);
        assert_eq!(code.within(6, BlockId(1)), None);
        let places = (0..7).filter(|at| code.allows_insertion(*at)).collect::<Vec<_>>();
        assert_eq!(places, [1, 3, 4, 6]);
    }

    #[test]
    #[should_panic(expected = "a value is defined before it is read")]
    fn what_is_read_is_there() {
        let _ = straight(&[&[1], &[]]);
    }
}
