//! Candidate plans of a sweep of several statements, and the one that is predicted to be fastest.
//!
//! Register tiles, warps and time steps are tried, each as far as the planes that levels keep leave
//! registers, and what threads exchange fits into shared memory. The estimate is `stencil-model`'s
//! (`sweep/estimate.rs`). Statements stay as they are where no candidate is predicted to gain
//! enough.

use super::{Geometry, NoSweep, NoSweepKind, SweepOf};
use crate::{
    analysis::statements::Source,
    strategy::{asked::Decision, sweep},
    transforms::iterations::trip_count,
};
use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};
use std::collections::{HashMap, HashSet};
use stencil_dialects::{
    StencilType, build,
    ods::{arith, math},
    ops::{AccessOp, ApplyOp},
    types,
    walk::{self, ValueKey},
};
use stencil_model::{
    plan::{LoadMode, Mapping, PlanKeys, ReadMode, Remainder, Request},
    product::Product,
    sweep::{
        estimate::{self, Moved, NEAR, Step, Sweep},
        pipeline::Source::Field as FromField,
    },
    target::Architecture,
};

/// Warps of a block, rows and columns of a thread, in three dimensions. Blocks of few warps have
/// more registers for each thread.
const SHAPES: &[[u32; 3]] =
    &[[16, 2, 2], [16, 2, 1], [12, 3, 2], [8, 4, 2], [8, 3, 2], [8, 4, 1], [16, 1, 2]];
/// More where halos are copied: tiles lose less there, and single steps nothing.
const HALO_SHAPES: &[[u32; 3]] = &[[16, 4, 2], [8, 2, 2]];
/// The most time steps of a sweep that copies halos: four were slower than three for three of four
/// diffusion loops (radius 1, walls or periodic sides, f32 and f64).
const HALO_STEPS_MOST: u32 = 3;
/// Planes of halos on their way: with one less the next plane is waited for (star25 in double
/// precision makes 172 GPt/s with two, 204 with three, 201 with four).
const HALO_PLANES: u32 = 3;
/// Warps of a block, and columns of a thread, in one and two dimensions.
const STRIPS: &[[u32; 2]] = &[[4, 4], [4, 2], [4, 8], [4, 1]];
/// The most time steps of a sweep that are tried, in three dimensions and in fewer.
const STEPS_MOST: [u32; 2] = [4, 8];
/// Percent of a thread's registers that planes may take at most (191 of 255 for six unknowns in
/// four steps: 59 GPt/s where 48 of 128 reach 109, single precision).
const CARRIED_PERCENT: i64 = 51;
/// Percent of a thread's registers that may be live at once as estimated. The assembler finds an
/// order for some more, but 125 % cost a third of the speed (lowering/docs/statements.md,
/// "Registers").
const LIVE_PERCENT: i64 = 115;
/// Percent of the time of single steps that a sweep must be predicted to take at most (an acoustic
/// wave of radius 2 in single precision is predicted to take 94 % and takes 90 %).
pub(in crate::strategy) const GAIN_PERCENT: f64 = 95.0;
/// Percent of the time that a loop must be predicted to take at most with sweeps of fewer steps for
/// what the others leave: they are two more kernels to compile.
const REMAINDER_PERCENT: f64 = 98.0;
/// The least extent of the streamed and of the fastest dimension.
const EXTENT_LEAST: u64 = 64;
/// Multiply-adds that a division, a root and a function take about as long as.
const SLOW: f64 = 8.0;

/// A chosen plan.
pub(super) struct Choice {
    /// The plan, complete but for common keys.
    pub plan: PlanKeys,
    /// Microseconds of a step as predicted: as it is chosen, and statement by statement.
    pub predicted_us: [f64; 2],
}

impl SweepOf<'_, '_> {
    /// The plan that is predicted to be fastest; or why the loop stays as it is. What is required
    /// to be a sweep need not gain.
    pub(super) fn choose(&self, target: &Architecture) -> Result<Choice, NoSweep> {
        let ends = [self.facts.domain.first(), self.facts.domain.last()];
        let is_short = |extent: Option<&u64>| extent.is_none_or(|extent| *extent < EXTENT_LEAST);
        if !self.is_required && ends.into_iter().any(is_short) {
            let why = format!("the domain has fewer than {EXTENT_LEAST} planes or columns");
            return Err(why.as_str().into());
        }
        let product = Product::known_by(target);
        let step = self.step();
        let apart = step.apart_ns(product);
        let plans = self.candidates(target).into_iter();
        let plans = plans.filter_map(|plan| self.predicted(plan, (&step, apart), target));
        let best = plans.min_by(|(ns, _), (other, _)| ns.total_cmp(other));
        let Some(best) = best else {
            let why = "no sweep of its statements fits the chip and its time steps".to_owned();
            return Err(NoSweep { why, kind: NoSweepKind::Unfit });
        };
        let (ns, plan) = self.with_remainder(best, (&step, apart), target);
        let predicted_us = [ns / 1e3, apart / 1e3];
        if !self.is_required && ns * 100.0 > apart * GAIN_PERCENT {
            let [swept, apart] = predicted_us;
            let (what, steps) = match self.stages.is_loop() {
                true => ("a time step is", format!(" (of {} steps)", plan.steps)),
                false => ("they are", String::new()),
            };
            let why = format!(
                "{what} predicted to take {swept:.1} us as the best sweep of its \
                 statements{steps}, and {apart:.1} us {} ({})",
                self.by_itself(),
                product.name
            );
            return Err(NoSweep { why, kind: NoSweepKind::Slower });
        }
        Ok(Choice { plan, predicted_us })
    }

    /// A plan with sweeps of fewer steps for the iterations that its own leave, where they are
    /// predicted to gain enough.
    fn with_remainder(
        &self,
        (ns, plan): (f64, PlanKeys),
        step: (&Step, f64),
        target: &Architecture,
    ) -> (f64, PlanKeys) {
        let halved = PlanKeys { remainder: Remainder::Halved, ..plan.clone() };
        let geometry = self.geometry(&halved);
        let halved_ns = geometry.and_then(|it| self.swept_ns(&halved, &it, step, target));
        match halved_ns {
            Some(halved_ns) if halved_ns * 100.0 <= ns * REMAINDER_PERCENT => (halved_ns, halved),
            _ => (ns, plan),
        }
    }

    /// Plans without chunks.
    fn candidates(&self, target: &Architecture) -> Vec<PlanKeys> {
        let rank = self.facts.domain.len();
        let most = STEPS_MOST[usize::from(rank < 3)];
        let steps = (1..=most).filter(|steps| self.stages.check_steps(*steps as usize).is_ok());
        let shapes: Vec<(Mapping, Vec<u32>, Vec<u32>)> = match rank {
            3 => SHAPES
                .iter()
                .map(|[warps, rows, columns]| {
                    (Mapping::Block, vec![1, *warps, 32], vec![1, *rows, *columns])
                })
                .collect(),
            _ => STRIPS
                .iter()
                .map(|[warps, columns]| {
                    let (mut threads, mut points) = (vec![1; rank], vec![1; rank]);
                    threads[rank - 1] = warps * target.threads_per_warp;
                    points[rank - 1] = *columns;
                    (Mapping::Warp, threads, points)
                })
                .collect(),
        };
        let plans = steps.flat_map(|steps| {
            shapes.iter().map(move |(mapping, threads, points)| PlanKeys {
                mapping: *mapping,
                steps,
                threads: threads.clone(),
                points: points.clone(),
                reads: ReadMode::Queue,
                // Warps with tiles of their own hide latency; blocks wait for their slowest warp.
                loads: if rank == 3 { LoadMode::Prefetch } else { LoadMode::Direct },
                remainder: Remainder::Single,
                ..PlanKeys::default()
            })
        });
        let mut plans = plans.collect::<Vec<_>>();
        if rank == 3 && self.stages.is_loop() {
            plans.extend(self.copying(target));
        }
        plans
    }

    /// Plans that copy halos: of programs that read a star of one stream, in two-word values, or as
    /// their only stream in several steps. Copies of several streams take more shared memory and
    /// accesses to it than wider tiles save (on an H200, percent of the best plan without: 97 for
    /// two unknowns in double precision, 93 for six; 94 for an acoustic wave of three levels in
    /// single precision, 93 for one step of a star of radius 4; 107 to 124 for what is tried).
    fn copying(&self, target: &Architecture) -> Vec<PlanKeys> {
        let graph = self.stages.graph(1, true);
        let is_field = |stream: usize| graph.streams[stream] == FromField;
        let fields = (0..graph.streams.len()).filter(|stream| is_field(*stream)).count();
        let reads = graph.levels.iter().flatten().filter(|read| is_field(read.stream));
        let spread = reads.filter(|read| read.offset[1..] != [0, 0]).collect::<Vec<_>>();
        let is_star =
            spread.iter().all(|read| read.offset.iter().filter(|it| **it != 0).count() == 1);
        let mut streams = spread.iter().map(|read| read.stream).collect::<Vec<_>>();
        streams.dedup();
        let words = types::element_bytes(self.stages.element()).map_or(1, |bytes| bytes / 4);
        if !is_star || streams.len() != 1 || !(fields == 1 || words > 1) {
            return Vec::new();
        }
        let least = if words > 1 { 1 } else { 2 };
        let steps = least..=HALO_STEPS_MOST;
        let steps = steps.filter(|steps| self.stages.check_steps(*steps as usize).is_ok());
        let plans = steps.flat_map(|steps| {
            SHAPES.iter().chain(HALO_SHAPES).map(move |[warps, rows, columns]| PlanKeys {
                mapping: Mapping::Block,
                steps,
                threads: vec![1, *warps, target.threads_per_warp],
                points: vec![1, *rows, *columns],
                reads: ReadMode::Queue,
                loads: LoadMode::Halo,
                ring: Some(HALO_PLANES),
                remainder: Remainder::Single,
                ..PlanKeys::default()
            })
        });
        plans.collect()
    }

    /// A candidate with its chunks, and the nanoseconds of a step; none where it does not fit.
    fn predicted(
        &self,
        plan: PlanKeys,
        (step, apart): (&Step, f64),
        target: &Architecture,
    ) -> Option<(f64, PlanKeys)> {
        let mut plan = sweep::complete(plan, &self.facts, target);
        plan.min_blocks = sweep::resident(&plan, target);
        let geometry = self.geometry(&plan)?;
        let words = step.words as i64;
        let carried = estimate::carried_registers(&geometry.pipeline, &geometry.tiling, words);
        let registers = i64::from(plan.max_registers?);
        let facts = (words, plan.loads == LoadMode::Prefetch);
        let Geometry { graph, pipeline, tiling, .. } = &geometry;
        let tile = (tiling.rows, tiling.columns);
        let live = estimate::live_registers(graph, pipeline, tile, facts);
        if carried * 100 > registers * CARRIED_PERCENT
            || live * 100 > registers * LIVE_PERCENT
            || geometry.shared_bytes(self) > i64::from(target.shared_bytes_max_per_block)
        {
            return None;
        }
        let chunks = geometry.launch(&plan, target).best_chunks();
        geometry.set_chunks(&mut plan, chunks);
        let ns = self.swept_ns(&plan, &geometry, (step, apart), target)?;
        Some((ns, plan))
    }

    /// The nanoseconds of a step under a plan; none where sweeps make no step of it.
    fn swept_ns(
        &self,
        plan: &PlanKeys,
        geometry: &Geometry,
        (step, apart): (&Step, f64),
        target: &Architecture,
    ) -> Option<f64> {
        let ns = self.sweep_ns(plan, geometry, step, target);
        if !self.stages.is_loop() {
            return Some(ns);
        }
        let parts = self.fused_parts(plan);
        let [(_, most), fewer @ ..] = &parts[..] else { return None };
        let mut sum = most * ns;
        for (steps, part) in fewer.iter().filter(|(_, part)| *part > 0.0) {
            let plan = PlanKeys { steps: *steps, ..plan.clone() };
            sum += part * self.sweep_ns(&plan, &self.geometry(&plan)?, step, target);
        }
        let fused = parts.iter().map(|(_, part)| part).sum::<f64>();
        (*most > 0.0).then_some(sum + (1.0 - fused) * apart)
    }

    /// The nanoseconds of a step of one of the sweeps of a plan.
    fn sweep_ns(
        &self,
        plan: &PlanKeys,
        geometry: &Geometry,
        step: &Step,
        target: &Architecture,
    ) -> f64 {
        let inside = i64::from(plan.chunks);
        let step = Step { written: self.written(plan.steps), ..*step };
        let sweep = Sweep {
            graph: &geometry.graph,
            pipeline: &geometry.pipeline,
            tiling: &geometry.tiling,
            launch: geometry.launch(plan, target),
            chunks: (inside, plan.edge_chunks.map_or(inside, i64::from)),
            steps: plan.steps,
            is_once: !self.stages.is_loop(),
        };
        step.swept_ns(&sweep, Product::known_by(target))
    }

    /// The nanoseconds of a step as it would be planned, and whether that is as a sweep.
    pub(in crate::strategy) fn planned_ns(
        &self,
        request: &Request,
        target: &Architecture,
    ) -> (f64, bool) {
        let apart = || self.step().apart_ns(Product::known_by(target));
        self.predicted_ns(request, target).map_or_else(|_| (apart(), false), |ns| (ns, true))
    }

    /// The nanoseconds of a step as a sweep; or why there is to be none.
    pub(in crate::strategy) fn predicted_ns(
        &self,
        request: &Request,
        target: &Architecture,
    ) -> Result<f64, String> {
        let decision = self.decide(request, target).map_err(|error| error.to_string())?;
        let Decision { plan, .. } = decision.map_err(|no| no.why)?;
        let step = self.step();
        let apart = step.apart_ns(Product::known_by(target));
        let swept = self
            .geometry(&plan)
            .and_then(|geometry| self.swept_ns(&plan, &geometry, (&step, apart), target));
        swept.ok_or_else(|| "its plan makes no step of it".to_owned())
    }

    /// Steps of the sweeps of a plan's pairs, and the part of the iterations that these make: all
    /// of them by those of most steps where the number of iterations is not known.
    fn fused_parts(&self, plan: &PlanKeys) -> Vec<(u32, f64)> {
        let chain = self.stages.steps_of_pairs(plan.remainder, plan.steps);
        let count = self.stages.is_loop().then(|| trip_count(self.stages.operation)).flatten();
        let Some(count) = count else {
            return chain.into_iter().take(1).map(|steps| (steps, 1.0)).collect();
        };
        let mut left = (count - self.stages.unfused() as i64).max(0);
        let parts = chain.into_iter().map(|steps| {
            let taken = 2 * i64::from(steps);
            let made = left / taken * taken;
            left -= made;
            (steps, made as f64 / count.max(1) as f64)
        });
        parts.collect()
    }

    /// Bytes of the levels that sweeps of so many steps leave, for each point.
    fn written(&self, steps: u32) -> f64 {
        let bytes = types::element_bytes(self.stages.element()).map_or(4.0, f64::from);
        let levels = self.stages.histories.iter().map(|history| history.levels());
        levels.map(|levels| levels.min(steps as usize)).sum::<usize>() as f64 * bytes
    }

    /// What a step does for each point.
    fn step(&self) -> Step {
        let stages = &self.stages;
        let bytes = types::element_bytes(stages.element()).map_or(4.0, f64::from);
        let domain = stages.domain();
        let part = |points: i64| points as f64 / domain.points().max(1) as f64;
        let operations = stages.stages.iter().map(|stage| {
            let own = stage.operations.iter().map(|operation| slots(*operation)).sum::<f64>();
            own * part(stage.domain.points())
        });
        let applies = &self.stages.applies;
        let mut coefficients = HashSet::new();
        for source in stages.stages.iter().flat_map(|stage| &stage.inputs) {
            if let Source::Field(field) = source
                && StencilType::of(field.r#type()).is_some_and(|it| it.rank == domain.rank())
            {
                coefficients.insert(ValueKey::of(field));
            }
        }
        let levels = stages.histories.iter();
        let read = levels.map(|history| history.age).sum::<usize>() + coefficients.len();
        let apart = applies.iter().map(|apply| moved(*apply, bytes).scaled(part(points(*apply))));
        Step {
            operations: operations.sum(),
            words: (bytes / 4.0).max(1.0),
            read: read as f64 * bytes,
            written: self.written(u32::MAX),
            apart: apart.sum(),
            kernels: applies.len() as f64,
            points: domain.points() as f64,
        }
    }
}

/// The nanoseconds of an apply as a kernel of mapping `thread`.
pub(in crate::strategy) fn alone_ns(apply: ApplyOp, target: &Architecture) -> f64 {
    let elements = apply.elements();
    let element = elements.first().copied();
    let bytes = element.and_then(types::element_bytes).map_or(4.0, f64::from);
    let moved = moved(apply, bytes);
    let written = elements.len() as f64 * bytes;
    let operations = walk::operations(apply.body()).into_iter().map(slots).sum();
    let step = Step {
        operations,
        words: (bytes / 4.0).max(1.0),
        read: moved.bytes() - written,
        written,
        apart: moved,
        kernels: 1.0,
        points: points(apply) as f64,
    };
    step.apart_ns(Product::known_by(target))
}

/// Points of an apply.
fn points(apply: ApplyOp) -> i64 {
    apply.bounds().map_or(0, |bounds| bounds.points())
}

/// Bytes that an apply reads and writes at each point, with so many in a value.
fn moved(apply: ApplyOp, bytes: f64) -> Moved {
    // How far away each grid is read, in the arguments that it is.
    let mut grids: HashMap<ValueKey, i64> = HashMap::new();
    for (number, argument) in apply.arguments().into_iter().enumerate() {
        if StencilType::of(argument.r#type()).is_some_and(|grid| grid.rank == apply.rank()) {
            let radius = grids.entry(ValueKey::of(&argument)).or_default();
            *radius = (*radius).max(radius_of(build::argument(apply.body(), number)));
        }
    }
    let farther = |than: i64| grids.values().filter(|radius| **radius > than).count();
    let own = grids.len() - farther(0) + apply.elements().len();
    let [own, neighbours, far] = [own, farther(0), farther(NEAR)].map(|it| it as f64 * bytes);
    Moved { own, neighbours, far }
}

/// How far away a temp is read from the point that is computed; at computed points, a neighbour.
fn radius_of(temp: Value) -> i64 {
    let uses = walk::uses(temp);
    let reads = uses.iter().map(|used| match AccessOp::of(used.user) {
        Some(access) => access.offset().iter().map(|offset| offset.abs()).max().unwrap_or(0),
        None => 1,
    });
    reads.max().unwrap_or(0)
}

/// Issue slots of an operation and of those inside. Where a point lies to walls is known in most
/// tiles.
fn slots(operation: OperationRef) -> f64 {
    let nested = walk::nested(operation);
    let nested = nested.iter().filter(|inner| !is_of_place(**inner));
    let of_one = |name: &str| match name {
        arith::CONSTANT => 0.0,
        arith::DIVF | math::SQRT | math::RSQRT => SLOW,
        _ if name.starts_with("math.") && ![math::FMA, math::ABSF].contains(&name) => SLOW,
        _ if name.starts_with("arith.") || name.starts_with("math.") => 1.0,
        _ => 0.0,
    };
    nested.map(|inner| of_one(walk::name(inner))).sum()
}

/// Whether an operation compares integers, or chooses by such a comparison.
fn is_of_place(operation: OperationRef) -> bool {
    match walk::name(&operation) {
        arith::CMPI | arith::ANDI => true,
        arith::SELECT => {
            let condition = operation.operand(0).ok().and_then(walk::definition);
            condition.is_some_and(is_of_place)
        }
        _ => false,
    }
}
