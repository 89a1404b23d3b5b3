//! Pairs of sweeps: out to memory that stands in for the fields, and home.
//!
//! A sweep must not write what another block of it reads, and after it every level has to be in the
//! field that it belongs to. So a sweep of some steps reads the newest levels from their homes and
//! writes the levels that the next one needs to *stand-ins*; that one reads the stand-ins and
//! writes the levels to their homes. A home that holds no level that is read, and gets none that is
//! written, may stand in; else memory is allocated. Only cells of the domain are written, so that
//! the others, which every level reads from the field that is its home, stay as they are.

use super::levels::{Iteration, Levels};
use melior::ir::{Attribute, BlockRef, Region, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    build::{self, Inserter},
    ops,
    sweep::{self, KernelOp, KernelParts},
};
use stencil_faults::{Fault, planted};
use stencil_model::plan::Plan;
use stencil_passes::{analysis::time_loop::TimeLoop, strategy::plan};

/// Two sweeps of the same number of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Steps of each sweep.
    pub steps: usize,
    /// Levels that the second sweep writes, the newest ones.
    pub outs: usize,
}

/// Where a loop stands: the next value of its induction variable, and what its slots hold.
#[derive(Clone)]
pub struct Progress<'c, 'a> {
    /// The induction variable.
    pub induction: Value<'c, 'a>,
    /// The slots.
    pub slots: Vec<Value<'c, 'a>>,
}

/// A time loop that is made of pairs.
pub struct Pairs<'c, 'a> {
    time_loop: TimeLoop<'c, 'a>,
    kernel: KernelOp<'c, 'a>,
    plan: Plan,
    levels: Levels<'c, 'a>,
    allocated: Vec<Value<'c, 'a>>,
}

impl<'c: 'a, 'a> Pairs<'c, 'a> {
    /// Pairs for a loop around a kernel of one step.
    pub fn new(time_loop: TimeLoop<'c, 'a>, kernel: KernelOp<'c, 'a>, plan: Plan) -> Self {
        let levels = Levels::of(&time_loop, kernel);
        Self { time_loop, kernel, plan, levels, allocated: Vec::new() }
    }

    /// Makes a loop of so many pairs.
    pub fn make_loop(
        &mut self,
        at: Inserter<'c, 'a>,
        pair: Pair,
        count: Value<'c, 'a>,
        from: &Progress<'c, 'a>,
    ) -> Progress<'c, 'a> {
        let stand_ins = self.stand_ins(at, pair);
        let step = self.time_loop.operation.operand(2).expect("a loop has a step");
        let steps = at.integer(step.r#type(), 2 * pair.steps as i64);
        let stride = at.binary("arith.muli", step, steps);
        let span = at.binary("arith.muli", stride, count);
        let end = at.binary("arith.addi", from.induction, span);
        let types = from.slots.iter().map(ValueLike::r#type).collect::<Vec<_>>();
        let mut operands = vec![from.induction, end, stride];
        operands.extend(&from.slots);
        let arguments = [step.r#type()].into_iter().chain(types.iter().copied());
        let region = build::region_with_block(&arguments.collect::<Vec<_>>(), at.location());
        let made = at.create("scf.for", &operands, &[], &types, vec![region]);
        self.fill(build::block_of(made, 0), pair, &stand_ins);
        let slots = (0..types.len()).map(|slot| build::result(made, slot)).collect();
        Progress { induction: end, slots }
    }

    /// The homes that may stand in, and as much memory as is missing.
    fn stand_ins(&mut self, at: Inserter<'c, 'a>, pair: Pair) -> Vec<StandIn<'c, 'a>> {
        let wanted = self.time_loop.levels;
        let free = free_homes(self.time_loop.rotation(), wanted, pair);
        let mut stand_ins = free.into_iter().take(wanted).map(StandIn::Home).collect::<Vec<_>>();
        let missing = wanted - stand_ins.len();
        while self.allocated.len() < missing {
            let r#type = self.time_loop.homes[0].r#type();
            self.allocated.push(at.value(ops::ALLOC, &[], &[], r#type));
        }
        stand_ins.extend(self.allocated[..missing].iter().copied().map(StandIn::Memory));
        stand_ins
    }

    fn fill(&self, body: BlockRef<'c, 'a>, pair: Pair, stand_ins: &[StandIn<'c, 'a>]) {
        let time_loop = &self.time_loop;
        let at = Inserter::at_end(body, self.kernel.operation().location());
        let count = time_loop.permutation.len();
        let slots = (0..count).map(|slot| build::argument(body, slot + 1)).collect::<Vec<_>>();
        let homes = match &time_loop.home_slots[..] {
            [] => time_loop.homes.clone(),
            own => own.iter().map(|slot| slots[*slot]).collect(),
        };
        let stand_ins = stand_ins
            .iter()
            .map(|stand_in| match stand_in {
                StandIn::Home(home) => homes[*home],
                StandIn::Memory(memory) => *memory,
            })
            .collect::<Vec<_>>();
        let home = |level: usize| homes[time_loop.home(level as i64)];
        let mut iteration = Iteration { induction: build::argument(body, 0), slots: slots.clone() };
        let scalars = self.levels.scalars(at, &iteration);
        let mut sweep = |carried: Vec<Value<'c, 'a>>, outs: Vec<Value<'c, 'a>>, first: usize| {
            let level_scalars =
                (0..pair.steps).flat_map(|_| self.levels.advance(at, &mut iteration)).collect();
            let parts = KernelParts {
                carried,
                outs,
                level_scalars,
                boundaries: (0..homes.len()).map(|level| home(first + level)).collect(),
                reads: self.kernel.reads().iter().map(|read| self.renamed(*read, &slots)).collect(),
                scalars: scalars.clone(),
                domain: self.kernel.domain(),
                steps: pair.steps as i64,
                stage: self.kernel.stage(),
                plan: self.plan_of(pair.steps),
                form: self.kernel.form(),
                slots: self.kernel.slots(),
            };
            sweep::build_kernel(at, &parts, self.region(at));
        };
        let newest = (0..time_loop.levels as i64).map(|age| homes[time_loop.home(-age)]).collect();
        sweep(newest, stand_ins.clone(), 0);
        let outs = (0..pair.outs).map(|age| home(2 * pair.steps - age)).collect();
        let first = if planted(Fault::PairHomes) { 0 } else { pair.steps };
        sweep(stand_ins, outs, first);
        let next = (0..count).map(|slot| match time_loop.source(slot, 2 * pair.steps) {
            Some(source) => slots[source],
            None => iteration.slots[slot],
        });
        at.create("scf.yield", &next.collect::<Vec<_>>(), &[], &[], Vec::new());
    }

    /// What a field of the loop's body is called in a loop with these slots.
    fn renamed(&self, field: Value<'c, 'a>, slots: &[Value<'c, 'a>]) -> Value<'c, 'a> {
        let carried = self.time_loop.carried();
        let slot = (0..carried.count()).find(|slot| carried.argument(*slot) == field);
        slot.map_or(field, |slot| slots[slot])
    }

    /// The kernel's plan with another number of steps.
    pub fn plan_of(&self, steps: usize) -> Attribute<'c> {
        let plan = Plan { steps: steps as u32, ..self.plan.clone() };
        plan::attribute(build::context(&self.kernel.operation()), &plan)
    }

    /// A copy of the kernel's region.
    fn region(&self, at: Inserter<'c, 'a>) -> Region<'c> {
        let copy = at.insert(build::clone(self.kernel.operation()));
        let region = build::take_region(copy, 0);
        build::erase(copy);
        region
    }
}

/// Where a level lies between the sweeps of a pair.
#[derive(Clone, Copy)]
enum StandIn<'c, 'a> {
    /// In the domain of a home.
    Home(usize),
    /// In memory of its own.
    Memory(Value<'c, 'a>),
}

/// Homes that hold none of the levels that a pair starts from, and get none of those it ends with.
fn free_homes(rotation: usize, levels: usize, pair: Pair) -> Vec<usize> {
    let home = |level: i64| level.rem_euclid(rotation as i64) as usize;
    let starts = (0..levels as i64).map(|age| home(-age));
    let ends = (0..pair.outs as i64).map(|age| home(2 * pair.steps as i64 - age));
    let taken = starts.chain(ends).collect::<Vec<_>>();
    (0..rotation).filter(|home| !taken.contains(home)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free(rotation: usize, levels: usize, steps: usize, outs: usize) -> Vec<usize> {
        free_homes(rotation, levels, Pair { steps, outs })
    }

    #[test]
    fn of_two_fields_the_older_stands_in() {
        for steps in 1..9 {
            assert_eq!(free(2, 1, steps, 1), [1]);
        }
        assert!(free(1, 1, 4, 1).is_empty());
        assert!(free(2, 2, 4, 2).is_empty());
    }

    #[test]
    fn of_three_fields_one_stands_in_that_neither_starts_nor_ends_a_pair() {
        assert_eq!(free(3, 1, 3, 1), [1, 2]);
        assert_eq!(free(3, 1, 4, 1), [1]);
        assert_eq!(free(3, 1, 2, 1), [2]);
        assert_eq!(free(3, 2, 3, 2), [1]);
        assert!(free(3, 2, 4, 2).is_empty());
    }

    #[test]
    fn where_all_levels_come_home_nothing_is_free() {
        for rotation in 1..4 {
            assert!(free(rotation, 1, 4, rotation).is_empty());
        }
    }
}
