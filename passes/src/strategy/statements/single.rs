//! Plans of a sweep of one statement between two fields that change places, and the one that is
//! predicted to be fastest.
//!
//! Such a sweep is a kernel of its statement (`sweep.kernel`): sums may be computed in scattered
//! form, and planes may come by a circular buffer in shared memory, which sweeps of loops do not
//! have. Tiles, warps, time steps, forms, loads and caps of registers are tried; the estimate is
//! `stencil-model`'s (`sweep/estimate/single.rs`).

use super::{
    Geometry, SweepOf,
    candidates::{Breadth, Predicted, shapes},
};
use crate::{
    analysis::{
        carried::carried_values,
        shared_work::SharedWork,
        statement::{Statement, Unfit},
    },
    strategy::{
        measured,
        sweep::{Room, Rows, TOO_FEW_STEPS, unrolled_ring},
    },
};
use std::collections::HashMap;
use stencil_model::{
    machine::Machine,
    occupancy::{BlockDemand, occupancy, registers_max_to_launch},
    plan::{Form, LoadMode, PlanKeys, Rotation},
    sweep::{
        estimate::{DEEP, Fetch, Loads, Single, Step, Sweep, Terms},
        launch::Launch,
    },
};

/// The most time steps of a sweep that are tried, in three dimensions and in two.
const STEPS_MOST: [u32; 2] = [6, 16];
/// Warps that are to be resident on a multiprocessor: they share its registers.
const RESIDENT: [u32; 3] = [8, 12, 16];
/// The most columns of a lane by default: eight were slower than four where they were predicted to
/// be faster (five steps of a star of radius 2, f32: 58 us a step instead of 43).
const COLUMNS_MOST: u32 = 4;
/// How much longer than a sweep of the loop a `sweep.kernel` may be predicted to take, and be
/// taken: its estimate knows spills (an eikonal equation in f32 on an H200: predicted 132 us a step
/// as a sweep of the loop, 227 measured, and 169 as a kernel).
const KERNEL_MOST: f64 = 1.2;
/// Planes of the circular buffer of a block where its rotation is not unrolled.
const RINGS: [u32; 2] = [2, 3];
/// The same of warps with tiles of their own. They are few, so that a buffer of two planes, whose
/// copies are waited for as soon as they start, takes up to twice as long; a fourth place is found
/// by fewer instructions than a third.
const RINGS_APART: [u32; 1] = [4];

/// A loop that can be such a sweep.
pub struct SingleOf<'s, 'c, 'a> {
    sweep: &'s SweepOf<'c, 'a>,
    rows: Rows,
    is_sum: bool,
    /// Values that a level in scattered form carries.
    carried: i64,
    /// Planes that a level reads: the period of rotation.
    turn: u32,
    /// Planes of the buffer whose rotation is unrolled unless a plan says otherwise.
    unrolled_ring: i64,
    room: Room,
    step: Step,
    /// What its points share.
    work: SharedWork,
}

/// What plans of one program share.
#[derive(Default)]
struct Shared {
    /// Tiles by shape and time steps.
    tiles: HashMap<(usize, u32), Option<Geometry>>,
    /// The best chunks of launches.
    chunks: HashMap<Launch, (i64, i64)>,
    /// The part of a point's operations that is left in tiles of a shape, in scattered form or not.
    parts: HashMap<(usize, bool), f64>,
}

impl<'c: 'a, 'a> SweepOf<'c, 'a> {
    /// The sweep of its only statement; or why it cannot be one.
    ///
    /// # Errors
    /// The reason.
    pub fn single(&self) -> Result<SingleOf<'_, 'c, 'a>, String> {
        let [only] = &self.stages.stages[..] else {
            return Err("its loop has several statements".to_owned());
        };
        let unfit = |unfit: Unfit| format!("it {}", unfit.what);
        let statement = Statement::of_apply(only.apply).map_err(unfit)?;
        if statement.inputs.len() != 1 {
            return Err(format!("it reads {} fields", statement.inputs.len()));
        }
        let rows = Rows::of(only.apply, &statement).ok_or("a field has no bounds")?;
        let room = Room::of(&statement)?;
        if room.steps < 2 {
            return Err(TOO_FEW_STEPS.to_owned());
        }
        let is_sum = measured::is_sum(only.apply);
        let carried = carried_values(only.apply);
        let (step, work) = (self.step(), SharedWork::of(only.apply));
        let reads = self.stages.graph(1, false).levels.into_iter().flatten();
        let offsets = reads.map(|read| read.offset).collect::<Vec<_>>();
        let planes = || offsets.iter().map(|offset| offset[0]).chain([0]);
        let turn = planes().max().zip(planes().min()).map_or(1, |(last, first)| last - first + 1);
        let radius = offsets.iter().flatten().map(|offset| offset.abs()).max().unwrap_or(0);
        Ok(SingleOf {
            sweep: self,
            rows,
            is_sum,
            carried,
            turn: u32::try_from(turn).map_err(|_| "it reads too many planes".to_owned())?,
            unrolled_ring: unrolled_ring(radius),
            room,
            step,
            work,
        })
    }

    /// Whether the only statement is predicted to be about as fast as a `sweep.kernel` as it is as
    /// a sweep of the loop. (Of eight loops whose points mirror ghost cells, four programs in both
    /// types, kernels took 0.81 to 0.97 of the time of sweeps of the loop in six, and 1.02 and 1.03
    /// in two; H200, ptxas 13.0.88, 2026-11-30.)
    pub(super) fn is_faster_as_kernel(&self, target: &Machine) -> bool {
        let Ok(single) = self.single() else { return false };
        let Some(kernel) = single.fastest(None, target) else { return false };
        match self.choose(target) {
            Ok(choice) => kernel.ns <= choice.predicted_us[0] * 1e3 * KERNEL_MOST,
            Err(_) => true,
        }
    }
}

impl SingleOf<'_, '_, '_> {
    /// Nanoseconds of a step of its statement as a kernel of its own.
    pub fn apart_ns(&self, target: &Machine) -> f64 {
        self.step.apart_ns(target.product)
    }

    /// The plan that is predicted to be fastest, of so many time steps where they are given.
    pub fn fastest(&self, steps: Option<u32>, target: &Machine) -> Option<Predicted> {
        let plans = self.plans(steps, Breadth::Default, target).into_iter();
        plans.min_by(|one, other| one.ns.total_cmp(&other.ns))
    }

    /// Plans that fit the target, without chunks, and what is predicted of each.
    pub fn plans(&self, steps: Option<u32>, breadth: Breadth, target: &Machine) -> Vec<Predicted> {
        let rank = self.sweep.facts.domain.len();
        if !(2..=3).contains(&rank) {
            return Vec::new();
        }
        let most = STEPS_MOST[usize::from(rank < 3)].min(self.room.steps);
        let counts = steps.map_or(2..=most, |steps| steps..=steps);
        let is_tried = |columns: u32| breadth == Breadth::Wide || columns <= COLUMNS_MOST;
        let shapes = shapes(rank, breadth, target).into_iter();
        let shapes = shapes.filter(|(_, _, points)| is_tried(points[rank - 1]));
        let shapes = shapes.collect::<Vec<_>>();
        let mut shared = Shared::default();
        let mut plans = Vec::new();
        for (at, (mapping, threads, points)) in shapes.iter().enumerate() {
            for steps in counts.clone() {
                let plan = PlanKeys {
                    mapping: *mapping,
                    steps,
                    threads: threads.clone(),
                    points: points.clone(),
                    ..PlanKeys::default()
                };
                for plan in self.variants(&plan, target) {
                    plans.extend(self.predicted(plan, (at, &mut shared), target));
                }
            }
        }
        plans
    }

    /// The caps of registers, forms and loads of a shape.
    fn variants(&self, plan: &PlanKeys, target: &Machine) -> Vec<PlanKeys> {
        let is_block = plan.mapping.shares_tiles();
        let turn = self.turn;
        // Partial sums are one fewer than planes; other values that are carried come on top.
        let is_linear = self.carried < i64::from(turn);
        let forms: &[Form] = match self.is_sum {
            true if is_linear && !is_block => &[Form::Scatter],
            true => &[Form::Gather, Form::Scatter],
            false => &[Form::Gather],
        };
        let mut loads = vec![
            (LoadMode::Prefetch, None, Rotation::Move),
            (LoadMode::Direct, None, Rotation::Move),
        ];
        if self.rows.are_copied(plan) {
            // As many turns as give a plane time to arrive.
            let turns = DEEP.div_ceil(turn) * turn;
            loads.push((LoadMode::Ring, Some(turns), Rotation::Unroll));
            let rings = if is_block { &RINGS[..] } else { &RINGS_APART };
            let rings = rings.iter().filter(|planes| i64::from(**planes) != self.unrolled_ring);
            loads.extend(rings.map(|planes| (LoadMode::Ring, Some(*planes), Rotation::Move)));
        }
        let warps = plan.threads_per_block() / target.threads_per_warp;
        let blocks = RESIDENT.into_iter().filter(|resident| resident % warps.max(1) == 0);
        let blocks = blocks.map(|resident| resident / warps.max(1));
        let capped = blocks.flat_map(|blocks| {
            let threads = plan.threads_per_block() * blocks;
            let max_registers = Some(registers_max_to_launch(target, threads));
            // Warps with tiles of their own are as many as registers allow.
            let min_blocks = if is_block { blocks } else { 1 };
            loads.iter().flat_map(move |(loads, ring, rotation)| {
                forms.iter().map(move |form| PlanKeys {
                    form: *form,
                    loads: *loads,
                    ring: *ring,
                    rotation: *rotation,
                    max_registers,
                    min_blocks,
                    ..plan.clone()
                })
            })
        });
        capped.collect()
    }

    /// What is predicted of a plan; none where it does not fit.
    fn predicted(
        &self,
        mut plan: PlanKeys,
        (shape, shared): (usize, &mut Shared),
        target: &Machine,
    ) -> Option<Predicted> {
        let (terms, chunks) = self.terms(&plan, (shape, shared), target)?;
        let mut ns = 0.0;
        let mut left = self.room.count.map_or(1, |count| (count - self.room.unfused).max(0));
        let count = self.room.count.unwrap_or(1).max(1) as f64;
        for steps in plan.remainder.steps_of_pairs(plan.steps, 2) {
            let pair = 2 * i64::from(steps);
            let made = if self.room.count.is_some() { left / pair * pair } else { left };
            left -= made;
            if made == 0 {
                continue;
            }
            let fewer = PlanKeys { steps, ..plan.clone() };
            let part = self.terms(&fewer, (shape, shared), target)?.0;
            ns += part.ns() * made as f64 / count;
        }
        let single = (self.room.unfused + left).max(0) as f64 / count;
        ns += if self.room.count.is_some() { single * self.apart_ns(target) } else { 0.0 };
        (plan.chunks, plan.edge_chunks) = chunks;
        Some(Predicted { ns, terms, plan })
    }

    /// What a step of a sweep takes, with the chunks that suit it.
    fn terms(
        &self,
        plan: &PlanKeys,
        (shape, shared): (usize, &mut Shared),
        target: &Machine,
    ) -> Option<(Terms, (u32, Option<u32>))> {
        let Shared { tiles, chunks, parts } = shared;
        let geometry = tiles
            .entry((shape, plan.steps))
            .or_insert_with(|| {
                // Its ring has the cells of the tile alone, so that all loads have the same tiles.
                let (loads, ring) = (LoadMode::Direct, None);
                self.sweep.geometry(&PlanKeys { loads, ring, ..plan.clone() })
            })
            .as_ref()?;
        let shared_bytes = u32::try_from(self.shared_bytes(plan, geometry)).ok()?;
        if shared_bytes > target.shared_bytes_max_per_block {
            return None;
        }
        let registers = plan.max_registers?;
        let threads = plan.threads_per_block();
        let demand = BlockDemand { threads, registers_per_thread: registers, shared_bytes };
        let launch = geometry.launch(plan, target);
        let chunks = *chunks.entry(launch).or_insert_with(|| launch.best_chunks());
        let single = Single {
            sweep: Sweep {
                graph: &geometry.graph,
                pipeline: &geometry.pipeline,
                tiling: &geometry.tiling,
                launch,
                chunks,
                fetch: Fetch::Direct,
                steps: plan.steps,
                slots: &[1.0],
                is_once: false,
            },
            form: plan.form,
            loads: match plan.loads {
                LoadMode::Direct => Loads::Direct,
                LoadMode::Prefetch => Loads::Ahead,
                LoadMode::Ring | LoadMode::Halo => Loads::Ring {
                    planes: plan.ring.unwrap_or_default(),
                    unrolled: plan.rotation == Rotation::Unroll,
                },
            },
            registers: f64::from(registers),
            warps: f64::from(occupancy(target, demand).warps),
            turn: f64::from(self.turn),
            carried: self.carried,
        };
        let is_scattered = plan.form == Form::Scatter;
        let part = parts.entry((shape, is_scattered)).or_insert_with(|| self.part_left(plan));
        let step = Step {
            operations: self.step.operations * *part,
            several: self.step.several * *part,
            written: self.sweep.written(plan.steps),
            ..self.step
        };
        let terms = step.swept_alone(&single, target.product);
        let number = |chunks: i64| u32::try_from(chunks).unwrap_or(1);
        let edges = (chunks.1 != chunks.0).then(|| number(chunks.1));
        Some((terms, (number(chunks.0), edges)))
    }

    /// The part of a point's operations that is left where the points of a thread share some, and
    /// in scattered form planes.
    fn part_left(&self, plan: &PlanKeys) -> f64 {
        let tile = &plan.points;
        let alone = self.work.of_tile(&vec![1; tile.len()]).slots;
        let all = match plan.form {
            Form::Gather => self.work.of_tile(tile),
            Form::Scatter => self.work.of_streamed(tile),
        };
        let each = all.slots / f64::from(plan.points_per_thread());
        if alone > 0.0 { each / alone } else { 1.0 }
    }

    /// Shared memory of a block: rows that threads exchange, planes on their way, and an upper
    /// bound of boundary values.
    fn shared_bytes(&self, plan: &PlanKeys, geometry: &Geometry) -> i64 {
        let tiling = &geometry.tiling;
        let row = tiling.warps * tiling.lanes * tiling.columns;
        let turn = i64::from(self.turn);
        let rows = geometry.pipeline.streams.iter().filter_map(|stream| stream.rows.as_ref());
        let more = rows.map(|rows| {
            // A sum in scattered form reads the arriving plane only.
            let needed = if plan.form == Form::Scatter { 2 } else { rows.copies };
            // An unrolled loop rotates all of its copies in one turn.
            let copies = match plan.rotation {
                Rotation::Unroll if turn % needed != 0 => needed.max(turn),
                _ => needed,
            };
            rows.stored.len() as i64 * row * (copies - rows.copies)
        });
        // Boundary values arrive with the planes of the buffer.
        let arriving = row * tiling.rows + geometry.boundary_values;
        let ring = plan.ring.map_or(0, |planes| i64::from(planes) * arriving);
        geometry.shared_bytes(self.sweep) + self.rows.element_bytes * (ring + more.sum::<i64>())
    }
}
