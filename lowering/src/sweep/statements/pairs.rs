//! Pairs of sweeps of several statements as ping-pong passes.
//!
//! The first sweep of a pair reads the levels from their homes and writes to shadow buffers, the
//! second reads those and writes to the homes. A home that holds none of the levels that a pair
//! starts from, and receives none, is a shadow buffer.

use super::build::{Levels, Sweep, numbers};
use crate::sweep::{
    levels::{self, Iteration},
    split_loop::{Progress, pair_loop},
};
use melior::ir::{BlockRef, OperationRef, Value, ValueLike};
use std::collections::HashMap;
use stencil_dialects::{
    build::{self, Inserter},
    ods::{scf, stencil},
    walk::{self, ValueKey},
};
use stencil_model::plan::SweepPlan;
use stencil_passes::analysis::statements::{History, Statements};

/// Two sweeps of the same number of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Steps of each sweep.
    pub steps: usize,
}

/// A time loop that is replaced by pairs.
pub struct Pairs<'c, 'a> {
    stages: Statements<'c, 'a>,
    plan: SweepPlan,
    /// Numbers that are the same in all steps, and those that are not, as the loop's body has them.
    scalars: [Vec<Value<'c, 'a>>; 2],
    host: levels::Levels<'c, 'a>,
    /// Allocated buffers of each history.
    allocated: Vec<Vec<Value<'c, 'a>>>,
}

impl<'c: 'a, 'a> Pairs<'c, 'a> {
    /// Pairs for a loop.
    pub fn new(stages: Statements<'c, 'a>, plan: SweepPlan) -> Self {
        let scalars = numbers(&stages);
        let [same, varying] = scalars.clone();
        let host = levels::Levels::of(stages.carried(), stages.permutation(), (same, varying));
        let allocated = vec![Vec::new(); stages.histories.len()];
        Self { stages, plan, scalars, host, allocated }
    }

    /// Makes a loop of so many pairs.
    pub fn make_loop(
        &mut self,
        at: Inserter<'c, 'a>,
        pair: Pair,
        count: Value<'c, 'a>,
        from: &Progress<'c, 'a>,
    ) -> Progress<'c, 'a> {
        let shadows =
            (0..self.stages.histories.len()).map(|history| self.shadows(at, pair, history));
        let shadows = shadows.collect::<Vec<_>>();
        let time_loop = self.stages.operation;
        let (made, after) = pair_loop(at, time_loop, (pair.steps, count), from);
        self.fill(build::block_of(made, 0), pair, &shadows, time_loop);
        after
    }

    /// The shadow buffers of a history: free homes, and newly allocated ones.
    fn shadows(&mut self, at: Inserter<'c, 'a>, pair: Pair, number: usize) -> Vec<Shadow<'c, 'a>> {
        let history = &self.stages.histories[number];
        // The second sweep reads the levels that an iteration reads; others are not handed on.
        let wanted = if history.is_direct(pair.steps) { 0 } else { history.age };
        let free = free_homes(history, pair).into_iter().take(wanted).map(Shadow::Home);
        let mut shadows = free.collect::<Vec<_>>();
        let missing = wanted - shadows.len();
        let r#type = history.homes[0].r#type();
        let allocated = &mut self.allocated[number];
        while allocated.len() < missing {
            allocated.push(at.value(stencil::ALLOC, &[], &[], r#type));
        }
        shadows.extend(allocated[..missing].iter().copied().map(Shadow::Memory));
        shadows
    }

    fn fill(
        &self,
        body: BlockRef<'c, 'a>,
        pair: Pair,
        shadows: &[Vec<Shadow<'c, 'a>>],
        time_loop: OperationRef<'c, 'a>,
    ) {
        let at = Inserter::at_end(body, melior::ir::operation::OperationLike::location(&time_loop));
        let count = self.stages.permutation().len();
        let slots = (0..count).map(|slot| build::argument(body, slot + 1)).collect::<Vec<_>>();
        let mut iteration = Iteration { induction: build::argument(body, 0), slots: slots.clone() };
        let scalars = self.host.scalars(at, &iteration);
        for is_second in [false, true] {
            let steps = (0..pair.steps).flat_map(|_| self.host.advance(at, &mut iteration));
            let level_scalars = steps.collect::<Vec<_>>();
            let first = if is_second { pair.steps as i64 } else { 0 };
            let levels = self.stages.histories.iter().zip(shadows).map(|(history, shadows)| {
                let homes = homes(history, &slots);
                let shadows = shadows.iter().map(|shadow| match shadow {
                    Shadow::Home(home) => homes[*home],
                    Shadow::Memory(memory) => *memory,
                });
                let shadows = shadows.collect::<Vec<_>>();
                let home = |level: i64| homes[history.home(level)];
                let is_direct = history.is_direct(pair.steps);
                let last = first + pair.steps as i64;
                let computed = history.levels().min(pair.steps) as i64;
                let ends = (0..computed).map(|age| home(last - age)).collect();
                let outside = (1..=homes.len() as i64).map(|step| home(first + step)).collect();
                let own = (0..history.age as i64).map(|age| home(first - age));
                let of_inputs = own.collect::<Vec<_>>();
                Levels {
                    inputs: if is_second && !is_direct {
                        shadows.clone()
                    } else {
                        of_inputs.clone()
                    },
                    of_inputs,
                    outside,
                    outputs: if is_second || is_direct { ends } else { shadows },
                    is_from_shadows: is_second && !is_direct,
                }
            });
            let renamed = |value: Value<'c, 'a>| renamed(&self.stages, value, &slots);
            Sweep {
                stages: &self.stages,
                plan: SweepPlan { steps: pair.steps as u32, ..self.plan.clone() },
                levels: levels.collect(),
                names: self.scalars.clone(),
                scalars: scalars.clone(),
                level_scalars,
                renamed: &renamed,
            }
            .build(at);
        }
        let next = (0..count).map(|slot| match self.source(slot, 2 * pair.steps) {
            Some(source) => slots[source],
            None => iteration.slots[slot],
        });
        scf::r#yield(at, &next.collect::<Vec<_>>());
    }

    /// The slot that a slot's field comes from so many iterations before; none for numbers.
    fn source(&self, slot: usize, iterations: usize) -> Option<usize> {
        let permutation = self.stages.permutation();
        let step = |slot: Option<usize>, _| permutation[slot?];
        (0..iterations).fold(Some(slot), step).filter(|_| permutation[slot].is_some())
    }
}

/// The homes of a history in a loop with these slots.
fn homes<'c: 'a, 'a>(history: &History<'c, 'a>, slots: &[Value<'c, 'a>]) -> Vec<Value<'c, 'a>> {
    match &history.slots[..] {
        [] => history.homes.clone(),
        own => own.iter().map(|slot| slots[*slot]).collect(),
    }
}

/// The value of a field of the loop's body in a loop with these slots.
fn renamed<'c: 'a, 'a>(
    stages: &Statements<'c, 'a>,
    field: Value<'c, 'a>,
    slots: &[Value<'c, 'a>],
) -> Value<'c, 'a> {
    let carried = stages.carried();
    let known = (0..carried.count())
        .map(|slot| (ValueKey::of(&carried.argument(slot)), slots[slot]))
        .collect::<HashMap<_, _>>();
    // A cast in the body is of a field that is one.
    let mut field = field;
    while let Some(cast) = walk::definition(field).filter(|it| walk::name(it) == stencil::CAST) {
        let block = melior::ir::operation::OperationLike::block(&cast);
        if block != Some(build::block_of(stages.operation, 0)) {
            break;
        }
        field =
            melior::ir::operation::OperationLike::operand(&cast, 0).expect("a cast has an operand")
    }
    known.get(&ValueKey::of(&field)).copied().unwrap_or(field)
}

/// The shadow buffer of a level between the sweeps of a pair.
#[derive(Clone, Copy)]
enum Shadow<'c, 'a> {
    /// A home of its history.
    Home(usize),
    /// An allocated buffer.
    Memory(Value<'c, 'a>),
}

/// Homes that hold none of the levels that a pair starts from, and receive none of its results.
fn free_homes(history: &History, pair: Pair) -> Vec<usize> {
    let starts = (0..history.age as i64).map(|age| history.home(-age));
    let last = 2 * pair.steps as i64;
    let ends = (0..history.levels() as i64).map(|age| history.home(last - age));
    let taken = starts.chain(ends).collect::<Vec<_>>();
    (0..history.homes.len()).filter(|home| !taken.contains(home)).collect()
}
