//! Chooses a branch direction where the code does not determine it.

use std::collections::BTreeSet;

use crate::{flow::Flow, instruction::Instruction};

/// A side with less than this fraction of the other's work does something else.
const NEGLIGIBLE: f64 = 0.1;

/// Chooses at branches inside loops, except for whether a loop continues.
pub struct Chooser<'k> {
    flow: &'k Flow,
    blocks: Vec<Content>,
}

/// The content of a block, weighted by its execution count.
#[derive(Clone, Copy, Default)]
struct Content {
    /// Floating-point arithmetic, and stores to global memory.
    work: f64,
    /// The same, each instruction once: one side may be a loop and the other its unrolled form.
    written: f64,
    /// All instructions.
    instructions: f64,
    calls: bool,
}

impl<'k> Chooser<'k> {
    /// Computes the content of all blocks.
    pub fn new(code: &'k [Instruction], flow: &'k Flow) -> Self {
        let weights = flow.weights_by_level(code, crate::flow::ITERATIONS_UNKNOWN);
        let contents = flow.blocks.iter().zip(weights).map(|(block, weight)| {
            let inside = &code[block.instructions()];
            let works = inside.iter().filter(|it| is_work(it)).count() as f64;
            Content {
                work: weight * works,
                written: works,
                instructions: weight * inside.len() as f64,
                calls: inside.iter().any(|it| it.opcode == "CALL"),
            }
        });
        Self { flow, blocks: contents.collect() }
    }

    /// The successor of a block with two.
    pub fn choose(&self, block: usize) -> usize {
        let it = &self.flow.blocks[block];
        let taken = it.taken.expect("a block that chooses branches");
        let next = it.next.expect("a block that chooses goes on");
        let (of_taken, of_next) = (self.reached(block, taken), self.reached(block, next));
        let only_taken = self.content(of_taken.difference(&of_next));
        let only_next = self.content(of_next.difference(&of_taken));
        let nothing = |content: &Content| content.instructions == 0.0;
        if only_taken.calls != only_next.calls {
            return if only_taken.calls { next } else { taken };
        }
        match (nothing(&only_taken), nothing(&only_next)) {
            // Skipping a part or executing it: the guard holds.
            (true, _) => return next,
            (false, true) => return taken,
            (false, false) => {}
        }
        if only_taken.written < NEGLIGIBLE * only_next.written {
            return next;
        }
        if only_next.written < NEGLIGIBLE * only_taken.written {
            return taken;
        }
        let around = |content: &Content| content.instructions / content.work.max(1.0);
        if around(&only_taken) < around(&only_next) { taken } else { next }
    }

    /// Blocks reachable before the next iteration or the exit of the innermost loop around the
    /// branch.
    fn reached(&self, branch: usize, first: usize) -> BTreeSet<usize> {
        let around = self.flow.blocks[branch].innermost.map(|which| &self.flow.loops[which]);
        let mut found = BTreeSet::new();
        let mut open = vec![first];
        while let Some(block) = open.pop() {
            let leaves = around.is_some_and(|it| !it.blocks.contains(&block) || it.header == block);
            if !leaves && found.insert(block) {
                open.extend(self.flow.blocks[block].successors());
            }
        }
        found
    }

    fn content<'b>(&self, blocks: impl Iterator<Item = &'b usize>) -> Content {
        blocks.fold(Content::default(), |sum, &block| {
            let it = self.blocks[block];
            Content {
                work: sum.work + it.work,
                written: sum.written + it.written,
                instructions: sum.instructions + it.instructions,
                calls: sum.calls || it.calls,
            }
        })
    }
}

fn is_work(instruction: &Instruction) -> bool {
    let opcode = instruction.opcode.as_str();
    let arithmetic = ["DFMA", "DADD", "DMUL", "FFMA", "FADD", "FMUL", "HFMA2", "HADD2", "HMUL2"];
    arithmetic.contains(&opcode) || opcode == "STG"
}
