//! The schedule of a kernel with the least spill traffic, and its spill victims.
//!
//! Spill stores and reloads are volatile and fix the order of the operations around them, so that
//! the assembler can no longer reschedule before it spills. So some schedules are tried, and the
//! one is taken that needs the fewest loads and stores for the register pressure that the current
//! one would have after demotion:
//!
//! - the current one, which `schedule` made;
//! - demand-driven list scheduling, with few computed values live, and shared operands reloaded;
//! - the one with the fewest registers live, where points of a thread are interleaved and shared
//!   operands are loaded once.
//!
//! The second suits few registers, the third more; which is better is known only after victims were
//! chosen. Only independent operations are reordered, so results are bit-identical.
//!
//! A kernel with a loop keeps its order: its loads are already placed an iteration ahead, and a
//! search through the hundreds of operations of all steps takes minutes.

use super::{
    block_dag::BlockDag, kernel_code::KernelCode, order::ARITHMETIC_LEAST, schedule_trees,
    sink_loads::sink_loads,
};
use melior::ir::OperationRef;
use stencil_code::{ItemId, demand_driven};
use stencil_demotion::{Demotion, Options, demote, demotion::traffic, live};
use stencil_model::plan::{self, Plan, RedundantAccesses, Rematerialized, SpillSchedule};
use stencil_trees::schedule;

/// The demotion of a kernel whose operations are in their final order.
pub struct Decided<'c, 'a> {
    /// The code of the kernel.
    pub code: KernelCode<'c, 'a>,
    /// What is spilled.
    pub demotion: Demotion,
    /// Words that were live at once in the current order.
    pub before: u32,
    /// The target of words live at once.
    pub target: u32,
}

impl Decided<'_, '_> {
    /// Words live at once now.
    pub fn after(&self) -> u32 {
        self.demotion.live(&self.code.code)
    }

    /// The cost, compared in this order: words above the target, loads and stores.
    fn cost(&self) -> (u32, u64) {
        let excess = self.after().saturating_sub(self.target);
        (excess, traffic(&self.code.code, &self.demotion.reloads))
    }
}

/// An order for each block of a kernel.
type Sequence = Vec<Vec<ItemId>>;

/// Decides which values of a kernel are spilled, and brings its operations into the order for it.
pub fn decide<'c: 'a, 'a>(
    kernel: OperationRef<'c, 'a>,
    plan: &Plan,
    demotion: &plan::Demotion,
) -> Decided<'c, 'a> {
    let trial = Trial { kernel, plan, demotion, blocks: BlockDag::all_of(kernel) };
    let current = trial.sequence(|block| block.dag.source_order());
    let first = trial.run(&current, None);
    let has_loop = first.code.code.blocks().iter().any(|block| block.is_loop);
    if has_loop || demotion.schedule == SpillSchedule::Kept {
        return first;
    }
    let (before, target) = (first.before, first.target);
    let (mut least, mut chosen) = (first.cost(), current);
    for sequence in trial.others() {
        let cost = trial.run(&sequence, Some(target)).cost();
        if cost < least {
            (least, chosen) = (cost, sequence);
        }
    }
    Decided { before, ..trial.run(&chosen, Some(target)) }
}

/// A kernel whose operations are put in one order after the other.
struct Trial<'c, 'a, 'p> {
    kernel: OperationRef<'c, 'a>,
    plan: &'p Plan,
    demotion: &'p plan::Demotion,
    blocks: Vec<BlockDag<'c, 'a>>,
}

impl<'c: 'a, 'a> Trial<'c, 'a, '_> {
    fn sequence(&self, order: impl Fn(&BlockDag) -> Vec<ItemId>) -> Sequence {
        self.blocks.iter().map(order).collect()
    }

    /// The orders besides the current one.
    fn others(&self) -> Vec<Sequence> {
        let mut others = vec![self.sequence(|block| demand_driven(&block.dag))];
        if !self.plan.schedule.is_some_and(plan::Schedule::orders_trees) {
            let options = schedule_trees::search(self.plan);
            others.push(self.sequence(|block| match block.arithmetic() {
                0..ARITHMETIC_LEAST => block.dag.source_order(),
                _ => schedule(&block.dag, &options).order,
            }));
        }
        others
    }

    /// Puts the operations in an order, and chooses its spill victims.
    fn run(&self, sequence: &Sequence, target: Option<u32>) -> Decided<'c, 'a> {
        let demotion = self.demotion;
        for (block, order) in self.blocks.iter().zip(sequence) {
            block.reorder(order);
        }
        sink_loads(self.kernel, demotion.hoist as usize);
        let reloads = demotion.remat == Rematerialized::Loads;
        let code = KernelCode::of(self.kernel, reloads);
        let before = live::max_live(&code.code, &[]);
        let target = target.unwrap_or(before.saturating_sub(demotion.registers));
        let words = before.saturating_sub(target);
        let demotion = demote(&code.code, &wanted(demotion, words));
        Decided { code, demotion, before, target }
    }
}

/// The demotion options of a plan, for so many words.
fn wanted(demotion: &plan::Demotion, words: u32) -> Options {
    Options {
        words,
        heuristic: demotion.heuristic,
        value_registers: demotion.value_registers as usize,
        removes_redundant: demotion.redundant == RedundantAccesses::Removed,
        hoist: demotion.hoist as usize,
    }
}
