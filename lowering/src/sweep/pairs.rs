//! Pairs of sweeps as ping-pong passes: to shadow buffers, and back to the fields.
//!
//! A sweep must not write what another block of it reads, and after a pair every level has to be in
//! the field that it belongs to. So the first sweep reads the newest levels from their fields and
//! writes the levels that the second one needs to *shadow buffers*; the second reads those and
//! writes its levels to their fields. A field that holds no level that is read, and receives none,
//! serves as shadow buffer; otherwise one is allocated. Only cells of the domain are written, so
//! that the boundary values, which every level reads from its own field, stay unchanged.

use super::{
    levels::{Iteration, Levels},
    split_loop::{Progress, pair_loop},
};
use melior::ir::{Attribute, BlockRef, Region, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    build::{self, Inserter},
    ods::{scf, stencil},
    sweep::{self, KernelOp, KernelParts},
};
use stencil_model::plan::SweepPlan;
use stencil_passes::{analysis::time_loop::TimeLoop, strategy::plan};

/// Two sweeps of the same number of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Steps of each sweep.
    pub steps: usize,
    /// Levels that the second sweep writes, the newest ones.
    pub outs: usize,
}

/// A time loop that is replaced by pairs.
pub struct Pairs<'c, 'a> {
    time_loop: TimeLoop<'c, 'a>,
    kernel: KernelOp<'c, 'a>,
    plan: SweepPlan,
    levels: Levels<'c, 'a>,
    allocated: Vec<Value<'c, 'a>>,
}

impl<'c: 'a, 'a> Pairs<'c, 'a> {
    /// Pairs for a loop around a kernel of one step.
    pub fn new(time_loop: TimeLoop<'c, 'a>, kernel: KernelOp<'c, 'a>, plan: SweepPlan) -> Self {
        let (carried, permutation) = (time_loop.carried(), &time_loop.permutation);
        let levels = Levels::of(carried, permutation, (kernel.scalars(), kernel.level_scalars()));
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
        let shadow_buffers = self.shadow_buffers(at, pair);
        let time_loop = self.time_loop.operation;
        let (made, after) = pair_loop(at, time_loop, (pair.steps, count), from);
        self.fill(build::block_of(made, 0), pair, &shadow_buffers);
        after
    }

    /// The shadow buffers: free fields, and newly allocated ones.
    fn shadow_buffers(&mut self, at: Inserter<'c, 'a>, pair: Pair) -> Vec<ShadowBuffer<'c, 'a>> {
        let wanted = self.time_loop.levels;
        let free = free_homes(self.time_loop.rotation(), wanted, pair);
        let mut shadow_buffers =
            free.into_iter().take(wanted).map(ShadowBuffer::Home).collect::<Vec<_>>();
        let missing = wanted - shadow_buffers.len();
        while self.allocated.len() < missing {
            let r#type = self.time_loop.homes[0].r#type();
            self.allocated.push(at.value(stencil::ALLOC, &[], &[], r#type));
        }
        shadow_buffers.extend(self.allocated[..missing].iter().copied().map(ShadowBuffer::Memory));
        shadow_buffers
    }

    fn fill(&self, body: BlockRef<'c, 'a>, pair: Pair, shadow_buffers: &[ShadowBuffer<'c, 'a>]) {
        let time_loop = &self.time_loop;
        let at = Inserter::at_end(body, self.kernel.operation().location());
        let count = time_loop.permutation.len();
        let slots = (0..count).map(|slot| build::argument(body, slot + 1)).collect::<Vec<_>>();
        let homes = match &time_loop.home_slots[..] {
            [] => time_loop.homes.clone(),
            own => own.iter().map(|slot| slots[*slot]).collect(),
        };
        let shadow_buffers = shadow_buffers
            .iter()
            .map(|stand_in| match stand_in {
                ShadowBuffer::Home(home) => homes[*home],
                ShadowBuffer::Memory(memory) => *memory,
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
        sweep(newest, shadow_buffers.clone(), 0);
        let outs = (0..pair.outs).map(|age| home(2 * pair.steps - age)).collect();
        sweep(shadow_buffers, outs, pair.steps);
        let next = (0..count).map(|slot| match time_loop.source(slot, 2 * pair.steps) {
            Some(source) => slots[source],
            None => iteration.slots[slot],
        });
        scf::r#yield(at, &next.collect::<Vec<_>>());
    }

    /// The value of a field of the loop's body in a loop with these slots.
    fn renamed(&self, field: Value<'c, 'a>, slots: &[Value<'c, 'a>]) -> Value<'c, 'a> {
        let carried = self.time_loop.carried();
        let slot = (0..carried.count()).find(|slot| carried.argument(*slot) == field);
        slot.map_or(field, |slot| slots[slot])
    }

    /// The kernel's plan with another number of steps.
    pub fn plan_of(&self, steps: usize) -> Attribute<'c> {
        let plan = SweepPlan { steps: steps as u32, ..self.plan.clone() };
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

/// The shadow buffer of a level between the sweeps of a pair.
#[derive(Clone, Copy)]
enum ShadowBuffer<'c, 'a> {
    /// A field of the loop.
    Home(usize),
    /// An allocated buffer.
    Memory(Value<'c, 'a>),
}

/// Fields that hold none of the levels that a pair starts from, and receive none of its results.
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
    fn of_two_fields_the_older_is_the_shadow_buffer() {
        for steps in 1..9 {
            assert_eq!(free(2, 1, steps, 1), [1]);
        }
        assert!(free(1, 1, 4, 1).is_empty());
        assert!(free(2, 2, 4, 2).is_empty());
    }

    #[test]
    fn of_three_fields_one_that_neither_starts_nor_ends_a_pair_is_the_shadow_buffer() {
        assert_eq!(free(3, 1, 3, 1), [1, 2]);
        assert_eq!(free(3, 1, 4, 1), [1]);
        assert_eq!(free(3, 1, 2, 1), [2]);
        assert_eq!(free(3, 2, 3, 2), [1]);
        assert!(free(3, 2, 4, 2).is_empty());
    }

    #[test]
    fn where_all_levels_are_written_back_nothing_is_free() {
        for rotation in 1..4 {
            assert!(free(rotation, 1, 4, rotation).is_empty());
        }
    }
}
