//! In which order of a kernel's operations values give way, and which do.
//!
//! A value that is stored in a slot, or loaded again, pins its place: the assembler, which puts
//! operations into an order of its own before it spills, can do so no more. So some orders are
//! tried, and the one is taken that needs the fewest loads and stores to have no more live than the
//! order at hand would after demotion:
//!
//! - the order at hand, which `schedule` made;
//! - one result after the other, where little that was computed is live and what results share is
//!   loaded again;
//! - the one with the fewest registers live, where points of a thread go side by side and what they
//!   share is loaded once.
//!
//! The second is for few registers, the third for more; which is better nobody can say before
//! values were chosen. Only independent operations change places, so every bit stays.
//!
//! A kernel with a loop keeps its order: planes are streamed in theirs, loads for the next turn
//! stand where they arrive in time, and a search through hundreds of operations of all steps takes
//! minutes.

use super::{
    late_loads::load_late, order::ARITHMETIC_LEAST, schedule_trees, straight_code::StraightCode,
    thread_code::ThreadCode,
};
use melior::ir::OperationRef;
use stencil_demotion::{Demotion, Options, Order, demote, demotion::moves, live};
use stencil_model::plan::{
    self, DemotionOrder, DemotionRedundant, DemotionReloads, DemotionSchedule, Plan,
};
use stencil_trees::{ItemId, by_results, schedule};

/// What is to be carried out on a kernel, whose operations have their order.
pub struct Decided<'c, 'a> {
    /// The code of a thread.
    pub code: ThreadCode<'c, 'a>,
    /// What gives way.
    pub demotion: Demotion,
    /// Words that were live at once in the order at hand.
    pub before: u32,
    /// Words that are to be.
    pub target: u32,
}

impl Decided<'_, '_> {
    /// Words that are live at once now.
    pub fn after(&self) -> u32 {
        self.demotion.live(&self.code.code)
    }

    /// What is better is less: words above the target, then loads and stores.
    fn badness(&self) -> (u32, u64) {
        let excess = self.after().saturating_sub(self.target);
        (excess, moves(&self.code.code, &self.demotion.loads))
    }
}

/// An order for each block of a kernel.
type Sequence = Vec<Vec<ItemId>>;

/// Decides which values of a kernel give way, and brings its operations into the order for it.
pub fn decide<'c: 'a, 'a>(kernel: OperationRef<'c, 'a>, plan: &Plan) -> Decided<'c, 'a> {
    let trial = Trial { kernel, plan, codes: StraightCode::all_of(kernel) };
    let at_hand = trial.sequence(|code| code.code.source_order());
    let first = trial.run(&at_hand, None);
    let has_loop = first.code.code.blocks().iter().any(|block| block.repeats);
    if has_loop || plan.demotion.schedule == DemotionSchedule::Kept {
        return first;
    }
    let (before, target) = (first.before, first.target);
    let (mut least, mut chosen) = (first.badness(), at_hand);
    for sequence in trial.others() {
        let badness = trial.run(&sequence, Some(target)).badness();
        if badness < least {
            (least, chosen) = (badness, sequence);
        }
    }
    Decided { before, ..trial.run(&chosen, Some(target)) }
}

/// A kernel whose operations are put in one order after the other.
struct Trial<'c, 'a, 'p> {
    kernel: OperationRef<'c, 'a>,
    plan: &'p Plan,
    codes: Vec<StraightCode<'c, 'a>>,
}

impl<'c: 'a, 'a> Trial<'c, 'a, '_> {
    fn sequence(&self, order: impl Fn(&StraightCode) -> Vec<ItemId>) -> Sequence {
        self.codes.iter().map(order).collect()
    }

    /// The orders beside the one at hand.
    fn others(&self) -> Vec<Sequence> {
        let mut others = vec![self.sequence(|code| by_results(&code.code))];
        if !self.plan.schedule.is_some_and(plan::Schedule::orders_trees) {
            let options = schedule_trees::search(self.plan);
            others.push(self.sequence(|code| match code.arithmetic() {
                0..ARITHMETIC_LEAST => code.code.source_order(),
                _ => schedule(&code.code, &options).order,
            }));
        }
        others
    }

    /// Puts the operations in an order, and decides what gives way in it.
    fn run(&self, sequence: &Sequence, target: Option<u32>) -> Decided<'c, 'a> {
        let demotion = &self.plan.demotion;
        for (code, order) in self.codes.iter().zip(sequence) {
            code.reorder(order);
        }
        load_late(self.kernel, demotion.hoist as usize);
        let reloads = demotion.reloads == DemotionReloads::Arrays;
        let code = ThreadCode::of(self.kernel, reloads);
        let before = live::most(&code.code, &[]);
        let target = target.unwrap_or(before.saturating_sub(demotion.registers));
        let words = before.saturating_sub(target);
        let demotion = demote(&code.code, &wanted(&self.plan.demotion, words));
        Decided { code, demotion, before, target }
    }
}

/// What a plan says is to go, so many words of it.
fn wanted(demotion: &plan::Demotion, words: u32) -> Options {
    let order = match demotion.order {
        DemotionOrder::Distance => Order::Distance,
        DemotionOrder::Accesses => Order::Accesses,
        DemotionOrder::Weighted => Order::Weighted,
        DemotionOrder::Conflicts => Order::Conflicts,
    };
    Options {
        words,
        order,
        value_registers: demotion.value_registers as usize,
        removes_redundant: demotion.redundant == DemotionRedundant::Removed,
        hoist: demotion.hoist as usize,
    }
}
