//! Candidate plans of a sweep of several statements, and the one that is predicted to be fastest.
//!
//! Register tiles, warps and time steps are tried, each as far as the planes that levels keep leave
//! registers, and what threads exchange fits into shared memory. The estimate is `stencil-model`'s
//! (`sweep/estimate.rs`). Statements stay as they are where no candidate is predicted to gain
//! enough.

use super::{
    Geometry, NoSweep, NoSweepKind, SweepOf,
    misfit::{Exceeded, Excess, Misfit},
};
use crate::{
    strategy::{asked::Decision, choice::Facts, run_counts::ITERATIONS_ASSUMED, sweep},
    transforms::iterations::fused_in_one_go,
};
use std::ops::Range;
use stencil_model::{
    machine::Machine,
    plan::{LoadMode, Mapping, PlanKeys, ReadMode, Remainder, Request},
    sweep::{
        estimate::{self, Fetch, Step, Sweep, Terms},
        pipeline::Source::Field as FromField,
    },
};

/// Percent of the shared memory of a block that planes of fields may take there, where only
/// the rows around a tile are copied with them: with more the first-level cache of
/// an H200 keeps 28 KB, which do not hold what eight warps spill (an acoustic wave in three steps:
/// 608 us a step with 217 KB of shared memory, 473 with 188).
const ROWS_SHARED_PERCENT: i64 = 85;
/// The most time steps of a sweep that are tried, in one, two and three dimensions.
pub(super) const STEPS_MOST: [u32; 3] = [32, 8, 4];
/// Up to so many each number of time steps is tried; of more, powers of two and three times those.
const STEPS_EACH: u32 = 8;
/// Percent of a thread's registers that planes may take at most (191 of 255 for six unknowns in
/// four steps: 59 GPt/s where 48 of 128 reach 109, single precision).
const CARRIED_PERCENT: i64 = 51;
/// Percent of a thread's registers that may be live at once as estimated. The assembler finds an
/// order for some more, but 125 % cost a third of the speed (lowering/docs/statements.md,
/// "Registers").
const LIVE_PERCENT: i64 = 115;
/// Percent of the time of single steps that a sweep must be predicted to take at most (an acoustic
/// wave of radius 2 in single precision is predicted to take 94 % and takes 90 %).
pub const GAIN_PERCENT: f64 = 95.0;
/// Percent of the time that a loop must be predicted to take at most with sweeps of fewer steps for
/// what the others leave: they are two more kernels to compile. Loops that are predicted to gain
/// 0.7 % take 4 and 12 % less (lowering/docs/statements.md, "Iterations that are left").
const REMAINDER_PERCENT: f64 = 99.5;
/// Percent of the least predicted time that count as no more: estimates are off by as much.
const AS_FAST_PERCENT: f64 = 102.0;
/// The least extent of the streamed and of the fastest dimension.
pub(in crate::strategy) const EXTENT_LEAST: u64 = 64;
/// Which plans are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breadth {
    /// Those among which the estimate chooses.
    Default,
    /// Further ones, that only measurements tell apart.
    Wide,
}

impl Breadth {
    /// How many times as many time steps are tried.
    pub(super) fn steps(self) -> u32 {
        match self {
            Breadth::Default => 1,
            Breadth::Wide => 2,
        }
    }
}

/// What is predicted of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicted {
    /// Nanoseconds of a step, what its sweeps leave to single steps included.
    pub ns: f64,
    /// What a step of the sweep takes.
    pub terms: Terms,
    /// The plan with its chunks.
    pub plan: PlanKeys,
}

/// A chosen plan.
pub(super) struct Choice {
    /// The plan, complete but for common keys.
    pub plan: PlanKeys,
    /// Microseconds of a step as predicted: as it is chosen, and statement by statement.
    pub predicted_us: [f64; 2],
}

/// Whether the streamed and the fastest dimension are long enough for sweeps.
pub(in crate::strategy) fn is_long(facts: &Facts) -> bool {
    let ends = [facts.domain.first(), facts.domain.last()];
    ends.into_iter().all(|extent| extent.is_some_and(|extent| *extent >= EXTENT_LEAST))
}

impl SweepOf<'_, '_> {
    /// The plan that is predicted to be fastest; or why the loop stays as it is. What is required
    /// to be a sweep need not gain.
    pub(super) fn choose(&self, target: &Machine) -> Result<Choice, NoSweep> {
        if !self.is_required && !is_long(&self.facts) {
            let why = format!("the domain has fewer than {EXTENT_LEAST} planes or columns");
            return Err(why.as_str().into());
        }
        let step = self.step();
        let apart = step.apart_ns(target.product);
        let plans = self.candidates(Breadth::Default, target).into_iter();
        let plans = plans.filter_map(|plan| self.predicted(plan, (&step, apart), target).1.ok());
        let Some(Predicted { ns, plan, .. }) = least_exposed(plans.collect()) else {
            let why = "no sweep of its statements fits the chip and its time steps".to_owned();
            return Err(NoSweep { why, kind: NoSweepKind::Unfit });
        };
        let (ns, plan) = self.with_remainder((ns, plan), (&step, apart), target);
        let predicted_us = [ns / 1e3, apart / 1e3];
        if !self.is_required && ns * 100.0 > apart * GAIN_PERCENT {
            let [swept, apart] = predicted_us;
            let (what, steps) = match self.stages.is_loop() {
                true if plan.steps == 1 => ("a time step is", " (of one step)".to_owned()),
                true => ("a time step is", format!(" (of {} steps)", plan.steps)),
                false => ("they are", String::new()),
            };
            let why = format!(
                "{what} predicted to take {swept:.1} us as the best sweep of its \
                 statements{steps}, and {apart:.1} us {} ({})",
                self.by_itself(),
                target.product.described()
            );
            return Err(NoSweep { why, kind: NoSweepKind::Slower });
        }
        Ok(Choice { plan, predicted_us })
    }

    /// A plan with sweeps of fewer steps for the iterations that its own leave, where they are
    /// predicted to gain enough: for the number of iterations, or for those around what is assumed.
    fn with_remainder(
        &self,
        (ns, plan): (f64, PlanKeys),
        step: (&Step, f64),
        target: &Machine,
    ) -> (f64, PlanKeys) {
        let halved = PlanKeys { remainder: Remainder::Halved, ..plan.clone() };
        match self.halved_ns((&plan, &halved), step, target) {
            Some(halved_ns) => (halved_ns, halved),
            None => (ns, plan),
        }
    }

    /// The nanoseconds of a step under the second of two plans, where it is predicted to gain
    /// enough on the first.
    fn halved_ns(
        &self,
        (single, halved): (&PlanKeys, &PlanKeys),
        step: (&Step, f64),
        target: &Machine,
    ) -> Option<f64> {
        let expected = |plan: &PlanKeys, geometry: &Geometry| {
            self.ns_of_parts(plan, geometry, &self.expected_parts(plan), step, target)
        };
        let geometry = self.geometry(halved)?;
        let [one_by_one, fewer] =
            [expected(single, &self.geometry(single)?)?, expected(halved, &geometry)?];
        let gains = fewer * 100.0 <= one_by_one * REMAINDER_PERCENT;
        gains.then(|| self.swept_ns(halved, &geometry, step, target))?
    }

    /// Plans without chunks.
    pub fn candidates(&self, breadth: Breadth, target: &Machine) -> Vec<PlanKeys> {
        let rank = self.facts.domain.len();
        let most = STEPS_MOST[rank - 1] * breadth.steps();
        let each = STEPS_EACH * breadth.steps();
        let is_round = |steps: u32| {
            let third = steps.is_multiple_of(3) && (steps / 3).is_power_of_two();
            steps.is_power_of_two() || third
        };
        let steps = (1..=most).filter(|steps| *steps <= each || is_round(*steps));
        let steps = steps.filter(|steps| self.stages.check_steps(*steps as usize).is_ok());
        let shapes = shapes(rank, breadth, target);
        // One dimension has no next plane to load ahead.
        let loads: &[LoadMode] = match rank {
            1 => &[LoadMode::Prefetch],
            _ => &[LoadMode::Prefetch, LoadMode::Direct],
        };
        let plans = steps.flat_map(|steps| {
            let of_shape =
                move |(mapping, threads, points): &(Mapping, Vec<u32>, Vec<u32>)| PlanKeys {
                    mapping: *mapping,
                    steps,
                    threads: threads.clone(),
                    points: points.clone(),
                    reads: ReadMode::Queue,
                    remainder: remainder(steps),
                    ..PlanKeys::default()
                };
            let plans = shapes.iter().map(of_shape);
            plans.flat_map(|plan| {
                loads.iter().map(move |it| PlanKeys { loads: *it, ..plan.clone() })
            })
        });
        let mut plans = plans.collect::<Vec<_>>();
        if rank == 3 && self.stages.is_loop() {
            plans.extend(self.copying_halos(breadth, target));
            plans.extend(self.copying_rows(breadth, target));
        }
        plans
    }

    /// A candidate with all keys that can be chosen for it, and what is predicted of it; or why it
    /// does not fit.
    pub fn predicted(
        &self,
        plan: PlanKeys,
        (step, apart): (&Step, f64),
        target: &Machine,
    ) -> (PlanKeys, Result<Predicted, Misfit>) {
        let mut plan = sweep::complete(plan, &self.facts, target);
        plan.min_blocks = sweep::resident(&plan, target);
        let predicted = self.fitting(&mut plan, (step, apart), target);
        (plan, predicted)
    }

    /// What is predicted of a plan, whose chunks are chosen.
    fn fitting(
        &self,
        plan: &mut PlanKeys,
        (step, apart): (&Step, f64),
        target: &Machine,
    ) -> Result<Predicted, Misfit> {
        let geometry = self.geometry(plan).ok_or(Misfit::Untiled)?;
        if let Some(misfit) = self.exceeded(plan, &geometry, step, target) {
            return Err(misfit);
        }
        let chunks = geometry.launch(plan, target).best_chunks();
        geometry.set_chunks(plan, chunks);
        let ns = self.swept_ns(plan, &geometry, (step, apart), target).ok_or(Misfit::NoStep)?;
        let terms = self.terms(plan, &geometry, step, target);
        Ok(Predicted { ns, terms, plan: plan.clone() })
    }

    /// The first limit that a plan exceeds.
    fn exceeded(
        &self,
        plan: &PlanKeys,
        geometry: &Geometry,
        step: &Step,
        target: &Machine,
    ) -> Option<Misfit> {
        let words = step.words as i64;
        let Some(registers) = plan.max_registers.map(i64::from) else {
            return Some(Misfit::Untiled);
        };
        let Geometry { graph, pipeline, tiling, .. } = geometry;
        let tile = (tiling.rows, tiling.columns);
        // The assembler moves loads ahead where the plan does not.
        let facts = (words, !matches!(plan.loads, LoadMode::Halo | LoadMode::Ring));
        // Addresses of copies take registers too.
        let live = if plan.loads == LoadMode::Ring { 100 } else { LIVE_PERCENT };
        let shared = match plan.loads {
            LoadMode::Ring => {
                i64::from(target.shared_bytes_max_per_block) * ROWS_SHARED_PERCENT / 100
            }
            _ => target.shared_bytes_max_per_block.into(),
        };
        let limits = [
            (
                Misfit::Carried as fn(_) -> _,
                estimate::carried_registers(pipeline, tiling, words),
                { registers * CARRIED_PERCENT / 100 },
            ),
            (Misfit::Live, estimate::live_registers(graph, pipeline, tile, facts), {
                registers * live / 100
            }),
            (Misfit::Shared, geometry.shared_bytes(self), shared),
        ];
        let exceeded = limits.into_iter().find(|(_, needed, most)| needed > most);
        exceeded.map(|(misfit, needed, most)| misfit(Exceeded { needed, most }))
    }

    /// The limit that a complete plan exceeds, and what would be predicted of it without limits,
    /// with chunks of its own choice.
    pub fn excess(&self, plan: &PlanKeys, target: &Machine) -> Option<Excess> {
        let step = self.step();
        let Some(geometry) = self.geometry(plan) else {
            return Some(Excess { misfit: Misfit::Untiled, unlimited: None });
        };
        let misfit = self.exceeded(plan, &geometry, &step, target)?;
        let mut plan = plan.clone();
        let chunks = geometry.launch(&plan, target).best_chunks();
        geometry.set_chunks(&mut plan, chunks);
        Some(Excess { misfit, unlimited: self.chosen_for(&plan, target) })
    }

    /// The nanoseconds of a step under a plan with chunks, and what a step of its sweep takes.
    pub fn chosen_for(&self, plan: &PlanKeys, target: &Machine) -> Option<(f64, Terms)> {
        let geometry = self.geometry(plan)?;
        let step = self.step();
        let apart = step.apart_ns(target.product);
        let ns = self.swept_ns(plan, &geometry, (&step, apart), target)?;
        Some((ns, self.terms(plan, &geometry, &step, target)))
    }

    /// The nanoseconds of a step under a plan; none where sweeps make no step of it.
    fn swept_ns(
        &self,
        plan: &PlanKeys,
        geometry: &Geometry,
        step: (&Step, f64),
        target: &Machine,
    ) -> Option<f64> {
        self.ns_of_parts(plan, geometry, &self.fused_parts(plan), step, target)
    }

    /// The nanoseconds of a step under a plan whose sweeps make these parts of the iterations.
    fn ns_of_parts(
        &self,
        plan: &PlanKeys,
        geometry: &Geometry,
        parts: &[(u32, f64)],
        (step, apart): (&Step, f64),
        target: &Machine,
    ) -> Option<f64> {
        let ns = self.terms(plan, geometry, step, target).ns();
        if !self.stages.is_loop() {
            return Some(ns);
        }
        let [(_, most), fewer @ ..] = parts else { return None };
        let mut sum = most * ns;
        for (steps, part) in fewer.iter().filter(|(_, part)| *part > 0.0) {
            let plan = PlanKeys { steps: *steps, ..plan.clone() };
            sum += part * self.terms(&plan, &self.geometry(&plan)?, step, target).ns();
        }
        let fused = parts.iter().map(|(_, part)| part).sum::<f64>();
        (*most > 0.0).then_some(sum + (1.0 - fused) * apart)
    }

    /// What a step of one of the sweeps of a plan takes.
    fn terms(&self, plan: &PlanKeys, geometry: &Geometry, step: &Step, target: &Machine) -> Terms {
        let inside = i64::from(plan.chunks);
        let step = Step { written: self.written(plan.steps), ..*step };
        let sweep = Sweep {
            graph: &geometry.graph,
            pipeline: &geometry.pipeline,
            tiling: &geometry.tiling,
            launch: geometry.launch(plan, target),
            chunks: (inside, plan.edge_chunks.map_or(inside, i64::from)),
            fetch: fetch(plan, geometry, &step),
            steps: plan.steps,
            slots: &self.slots,
            is_once: !self.stages.is_loop(),
        };
        step.swept(&sweep, target.product)
    }

    /// The nanoseconds of a step as it would be planned, and whether that is as a sweep.
    pub(in crate::strategy) fn planned_ns(
        &self,
        request: &Request,
        target: &Machine,
    ) -> (f64, bool) {
        let apart = || self.step().apart_ns(target.product);
        self.predicted_ns(request, target).map_or_else(|_| (apart(), false), |ns| (ns, true))
    }

    /// The nanoseconds of a step as a sweep; or why there is to be none.
    pub(in crate::strategy) fn predicted_ns(
        &self,
        request: &Request,
        target: &Machine,
    ) -> Result<f64, String> {
        let decision = self.decide(request, target).map_err(|error| error.to_string())?;
        let Decision { plan, .. } = decision.map_err(|no| no.why)?;
        let step = self.step();
        let apart = step.apart_ns(target.product);
        let swept = self
            .geometry(&plan)
            .and_then(|geometry| self.swept_ns(&plan, &geometry, (&step, apart), target));
        swept.ok_or_else(|| "its plan makes no step of it".to_owned())
    }

    /// Steps of the sweeps of a plan's pairs, and the part of the iterations that these make: all
    /// of them by those of most steps where the number of iterations is not known.
    fn fused_parts(&self, plan: &PlanKeys) -> Vec<(u32, f64)> {
        let (Some(count), last) = self.count() else {
            let chain = self.stages.steps_of_pairs(plan.remainder, plan.steps);
            return chain.into_iter().take(1).map(|steps| (steps, 1.0)).collect();
        };
        self.parts_of(plan, count..count + 1, last)
    }

    /// The same for the number of iterations, or on average for those around what is assumed:
    /// pairs of the most steps leave any number with equal probability.
    fn expected_parts(&self, plan: &PlanKeys) -> Vec<(u32, f64)> {
        let (None, last) = self.count() else { return self.fused_parts(plan) };
        let period = 2 * i64::from(plan.steps);
        let first = (ITERATIONS_ASSUMED - period / 2).max(last + 1);
        self.parts_of(plan, first..first + period, last)
    }

    /// Iterations that are fused in one go, if their number is known, and those of them that are
    /// not fused at the end.
    fn count(&self) -> (Option<i64>, i64) {
        let last = self.stages.unfused() as i64;
        match self.stages.is_loop() {
            true => fused_in_one_go(self.stages.operation, last),
            false => (None, last),
        }
    }

    /// Steps of the sweeps of a plan's pairs, and the part that they make on average of so many
    /// iterations, of which the last ones are not fused.
    fn parts_of(&self, plan: &PlanKeys, counts: Range<i64>, last: i64) -> Vec<(u32, f64)> {
        let chain = self.stages.steps_of_pairs(plan.remainder, plan.steps);
        let mut parts = chain.into_iter().map(|steps| (steps, 0.0)).collect::<Vec<_>>();
        let share = 1.0 / (counts.end - counts.start) as f64;
        for count in counts {
            let mut left = (count - last).max(0);
            for (steps, part) in &mut parts {
                let taken = 2 * i64::from(*steps);
                let made = left / taken * taken;
                left -= made;
                *part += share * made as f64 / count.max(1) as f64;
            }
        }
        parts
    }
}

/// Of the plans predicted to be as fast as the fastest, the one that waits least for loads,
/// which the estimate is blind to: that loads ahead; else that has fewest points in a thread. Loads
/// that registers do not hold are moved to their uses, where one waits after the other. (Upwind
/// advection, three velocities, f64: 839 us a step with four points, 472 with two, 350 with planes
/// copied ahead, each predicted as 457; H200, ptxas 13.0.88, 2026-11-30.)
fn least_exposed(plans: Vec<Predicted>) -> Option<Predicted> {
    let least = plans.iter().map(|plan| plan.ns).min_by(f64::total_cmp)?;
    let exposed = |plan: &PlanKeys| match plan.loads {
        LoadMode::Direct => plan.points.iter().product::<u32>(),
        _ => 0,
    };
    let as_fast = plans.into_iter().filter(|plan| plan.ns * 100.0 <= least * AS_FAST_PERCENT);
    as_fast
        .min_by(|a, b| exposed(&a.plan).cmp(&exposed(&b.plan)).then_with(|| a.ns.total_cmp(&b.ns)))
}

/// How the planes of a sweep come from global memory.
fn fetch(plan: &PlanKeys, geometry: &Geometry, step: &Step) -> Fetch {
    match plan.loads {
        LoadMode::Direct => Fetch::Direct,
        LoadMode::Ring | LoadMode::Halo => {
            Fetch::Copied { ahead: plan.ring.map_or(0, |planes| planes - 1) }
        }
        LoadMode::Prefetch => {
            let streams = geometry.graph.streams.iter();
            let fetched = streams.filter(|source| **source == FromField).count();
            let points = geometry.tiling.rows * geometry.tiling.columns;
            let ahead = fetched as f64 * points as f64 * step.words;
            let tile = (geometry.tiling.rows, geometry.tiling.columns);
            let (graph, pipeline) = (&geometry.graph, &geometry.pipeline);
            let live =
                estimate::live_registers(graph, pipeline, tile, (step.words as i64, true)) as f64;
            let most = f64::from(plan.max_registers.unwrap_or(u8::MAX.into()));
            Fetch::Ahead { registers: ahead / most, live: live / most }
        }
    }
}

/// How iterations are made that are too few for two sweeps: single steps are fewer kernels, but
/// sweeps of many steps leave many.
fn remainder(steps: u32) -> Remainder {
    if steps > STEPS_EACH { Remainder::Halved } else { Remainder::Single }
}

/// Mapping, threads and points of the shapes that are tried.
pub(super) fn shapes(
    rank: usize,
    breadth: Breadth,
    target: &Machine,
) -> Vec<(Mapping, Vec<u32>, Vec<u32>)> {
    let each = |mapping: &Mapping| {
        let (mapping, by) = (*mapping, mapping.sweep().expect("it is one that sweeps"));
        let [usual, more] = by.tried(rank);
        let more = if breadth == Breadth::Wide { more } else { &[] };
        usual.iter().chain(more).map(move |[warps, rows, columns]| {
            let threads = sweep::block_of(rank, *warps, target.threads_per_warp);
            let mut points = vec![1; rank];
            points[rank - 1] = *columns;
            if rank == 3 {
                points[1] = *rows;
            }
            (mapping, threads, points)
        })
    };
    Mapping::SWEEPS.iter().flat_map(each).collect()
}
