//! Selection of sweeps of single statements, and defaults of open keys in plans of sweeps.
//!
//! A *sweep* streams the planes of the domain through several time steps. By default, a loop whose
//! only statement reads the newer of two alternating fields, in two or three dimensions with at
//! least 64 planes and columns, becomes one if that is predicted to be faster
//! (`statements/single.rs`). Small domains fuse fewer steps or none ([`payoff`]). A statement
//! outside a loop becomes a sweep if it is a wide box of those measured ([`super::measured`],
//! lowering/docs/sweeps.md). A loop of a known number of steps fuses at most half of them, because
//! sweeps come in pairs (ping-pong passes); the last step stays single where both fields are read
//! after the loop. (Four steps of j3d7pt on 512^3, f64, with both fields read: 3.18 ms on an H200
//! as a sweep's single steps, 2.31 ms as kernels of mapping `thread`.)
//!
//! Defaults for partial plans: a lane owns 16 bytes of a row, one vector load, and the register cap
//! follows from the blocks that must be resident.

mod room;

pub(super) use self::room::{Room, Rows, TOO_FEW_STEPS};

use super::{
    asked::Asked,
    choice::Facts,
    constraints::REGISTERS_LEAST,
    measured::{Class, Rule},
    payoff::{self, Candidate, Weighed},
    shapes::Vectors,
    statements::{EXTENT_LEAST, GAIN_PERCENT, SweepOf, is_long},
};
use crate::analysis::{
    footprint, run_time_extents::RunTimeExtents, statement::Statement, statements::Statements,
};
use melior::ir::operation::OperationLike;
use stencil_dialects::{ods::func, ops::ApplyOp, walk};
use stencil_model::{
    machine::Machine,
    occupancy::{BlockDemand, occupancy, registers_max_to_launch},
    plan::{LoadMode, PlanError, PlanKeys, PlanValue, Remainder, Rotation, request::Keys},
    sweep::{
        Reach,
        launch::Launch,
        tiling::{Aligned, Cut, Tiling},
    },
    target::Architecture,
};

/// Waves of blocks for a statement outside a loop: its chunks overlap by few planes, and shorter
/// chunks balance multiprocessors with different distances from memory (2d81pt in f64: 207 GPt/s
/// with one wave, 221 with two).
const WAVES_ALONE: u32 = 2;

/// The default plan of a sweep for an apply, overridden by explicit keys, with common keys still
/// open; or why there is none.
///
/// # Errors
/// If no plan has both.
pub fn by_default(
    apply: ApplyOp,
    facts: &Facts,
    said: &Keys,
    target: &Machine,
) -> Result<Result<(Asked, String), String>, PlanError> {
    if let Some(why) = RunTimeExtents::no_sweep(apply.operation(), apply.bounds()) {
        return Ok(Err(why));
    }
    let steps = said.get("steps").and_then(|steps| match steps {
        PlanValue::Integer(steps) => u32::try_from(*steps).ok(),
        _ => None,
    });
    let chosen = chosen(apply, facts, steps, target).and_then(|chosen| {
        match chosen.is_alone() || steps.is_some() {
            true => Ok(chosen),
            false => chosen.paying(facts, target),
        }
    });
    let chosen = match chosen {
        Ok(chosen) => chosen,
        Err(why) => return Ok(Err(why)),
    };
    let why = chosen.why(facts, target);
    let Some(plan) = chosen.plan(facts, said, target)? else {
        return Ok(Err("no tiling of the domain keeps the chip busy".to_owned()));
    };
    Ok(Ok((plan, why)))
}

/// The numbers of time steps that are compared for a sweep by default, if they are.
pub fn weighed(apply: ApplyOp, facts: &Facts, target: &Machine) -> Option<Weighed> {
    if RunTimeExtents::are_all(apply.operation()) {
        return None;
    }
    let chosen = chosen(apply, facts, None, target).ok().filter(|chosen| !chosen.is_alone())?;
    let candidates = chosen.candidates(facts, target);
    payoff::weighed(&candidates, chosen.bytes(facts), target.product)
}

/// Points of the domain from which on the sweep of an apply by default is predicted to be faster
/// than single steps, for a domain of the same proportions; none where it is always taken.
pub fn pays_from(apply: ApplyOp, facts: &Facts, target: &Machine) -> Option<u64> {
    let chosen = chosen(apply, facts, None, target).ok().filter(|chosen| !chosen.is_alone())?;
    let chosen = chosen.paying(facts, target).ok()?;
    let mut points = facts.domain.iter().product::<u64>();
    let smaller = |facts: &Facts| {
        let domain = facts.domain.iter().map(|extent| extent * 3 / 4).collect::<Vec<_>>();
        Facts { domain, ..facts.clone() }
    };
    let sizes = std::iter::successors(Some(smaller(facts)), |facts| Some(smaller(facts)));
    for facts in sizes {
        let candidate = chosen.candidate(chosen.plan.steps, &facts, target);
        let bytes = chosen.bytes(&facts);
        let pays = candidate.is_some_and(|it| payoff::pays(&it, bytes, target.product));
        if !pays || !is_long(&facts) {
            break;
        }
        points = facts.domain.iter().product();
    }
    Some(points)
}

/// The sweep chosen for an apply.
#[derive(Clone)]
struct Chosen {
    /// Its plan without chunks.
    plan: PlanKeys,
    reason: Reason,
    radius: i64,
    rows: Rows,
}

/// Why a sweep is chosen.
#[derive(Clone)]
enum Reason {
    /// It is the fastest of those measured for a class outside of loops.
    MeasuredAlone(Class),
    /// It is predicted to be the fastest: microseconds of a step, and of one by itself.
    Predicted([f64; 2]),
}

fn chosen(
    apply: ApplyOp,
    facts: &Facts,
    steps: Option<u32>,
    target: &Machine,
) -> Result<Chosen, String> {
    let statement = Statement::of_apply(apply).map_err(|unfit| format!("it {}", unfit.what))?;
    let rows = Rows::of(apply, &statement).ok_or("a field has no bounds")?;
    if !is_long(facts) {
        return Err(format!("the domain has fewer than {EXTENT_LEAST} planes or columns"));
    }
    if statement.inputs.len() != 1 {
        return Err(format!("it reads {} fields", statement.inputs.len()));
    }
    let offsets = footprint::reads(apply).into_iter().map(|read| read.lower).collect::<Vec<_>>();
    if is_alone(apply) {
        return measured_alone(apply, facts, &offsets, rows);
    }
    let radius = offsets.iter().flatten().map(|offset| offset.abs()).max().unwrap_or(0);
    let own = apply.operation().parent_operation().ok_or("it is in no loop")?;
    let stages = Statements::of_loop(own).map_err(|unfit| format!("its loop {}", unfit.what))?;
    let sweep = SweepOf::of(stages, "", String::new()).ok_or("it has no bounds")?;
    let single = sweep.single()?;
    let apart = single.apart_ns(target);
    let fastest = single.fastest(steps, target);
    let fastest = fastest.ok_or("no sweep of it fits the chip and its time steps")?;
    let predicted_us = [fastest.ns / 1e3, apart / 1e3];
    if steps.is_none() && fastest.ns * 100.0 > apart * GAIN_PERCENT {
        let [swept, apart] = predicted_us;
        let (steps, name) = (fastest.plan.steps, target.product.described());
        return Err(format!(
            "a step is predicted to take {swept:.1} us as the best sweep (of {steps} steps), and \
             {apart:.1} us by itself ({name})"
        ));
    }
    Ok(Chosen { plan: fastest.plan, reason: Reason::Predicted(predicted_us), radius, rows })
}

/// The sweep of a statement outside of loops.
fn measured_alone(
    apply: ApplyOp,
    facts: &Facts,
    offsets: &[Vec<i64>],
    rows: Rows,
) -> Result<Chosen, String> {
    if facts.words == 1 && Vectors::of(facts).is_some_and(|v| v.is_flat()) {
        return Err("neighbours as vectors were measured as faster".to_owned());
    }
    let rule = Rule::alone(apply, facts, offsets).map_err(|class| match class {
        Some(class) => format!("no sweep of {class} outside of a loop was measured as faster"),
        None => "it reads no point".to_owned(),
    })?;
    let Class { radius, .. } = rule.class;
    let reason = Reason::MeasuredAlone(rule.class);
    Ok(Chosen { plan: rule.plan(), reason, radius, rows })
}

impl Chosen {
    /// Whether its statement is outside of loops.
    fn is_alone(&self) -> bool {
        matches!(self.reason, Reason::MeasuredAlone(_))
    }

    /// The chosen keys, overridden by explicit ones, with dependent keys; none if the domain cannot
    /// be tiled without explicit keys.
    fn plan(
        &self,
        facts: &Facts,
        said: &Keys,
        target: &Machine,
    ) -> Result<Option<Asked>, PlanError> {
        let is_open = |key: &str| !said.contains_key(key);
        let mut keys = self.plan.to_tree();
        keys.remove("chunks");
        keys.remove("edge_chunks");
        // These depend on others.
        if !is_open("loads") || !is_open("ring") {
            keys.remove("ring");
            keys.remove("rotation");
        }
        if !is_open("threads") || !is_open("max_registers") {
            keys.remove("min_blocks");
        }
        if !is_open("storage") {
            keys.remove("form");
        }
        keys.extend(said.clone());
        let mut asked = Asked::of(&keys)?;
        let plan = &mut asked.plan;
        if is_open("loads") && is_open("ring") && !self.rows.are_copied(plan) {
            (plan.loads, plan.ring) = (LoadMode::Prefetch, None);
        }
        let turns = plan.ring.is_some_and(|ring| i64::from(ring) == unrolled_ring(self.radius));
        if is_open("rotation") && turns && plan.loads == LoadMode::Ring {
            plan.rotation = Rotation::Unroll;
        }
        // Halving fewer steps gives no further sweep.
        if is_open("remainder") && plan.steps >= 4 && self.stays_in_cache(facts, target) {
            plan.remainder = Remainder::Single;
        }
        if is_open("min_blocks") && facts.domain.len() == 3 {
            plan.min_blocks = resident(plan, target);
        }
        if is_open("chunks") {
            let Some((inside, edges)) = self.chunks(plan, facts, target) else {
                // Conflicting keys are reported when the sweep is built.
                return Ok((!said.is_empty()).then_some(asked));
            };
            let finer = |chunks: u32| if self.is_alone() { chunks * WAVES_ALONE } else { chunks };
            plan.chunks = finer(inside);
            if is_open("edge_chunks") {
                plan.edge_chunks = (edges != inside).then_some(finer(edges));
            }
        }
        Ok(Some(asked))
    }

    /// Whether L2 holds both fields, so that a single step needs no DRAM traffic.
    fn stays_in_cache(&self, facts: &Facts, target: &Machine) -> bool {
        self.bytes(facts) <= target.product.sheet.l2_bytes
    }

    /// Bytes of all fields.
    fn bytes(&self, facts: &Facts) -> u64 {
        let points = facts.domain.iter().product::<u64>();
        let bytes = self.rows.bounds.len() as u64 * self.rows.element_bytes.unsigned_abs();
        points.saturating_mul(bytes)
    }

    /// Chunks of inner tiles and of edge tiles, so that the blocks of a launch finish together.
    fn chunks(&self, plan: &PlanKeys, facts: &Facts, target: &Machine) -> Option<(u32, u32)> {
        let (inside, edges) = best_chunks(&self.launch(plan, facts, target)?, facts);
        Some((u32::try_from(inside).ok()?, u32::try_from(edges).ok()?))
    }

    /// The same with the number of steps that pays; or why none does.
    fn paying(self, facts: &Facts, target: &Machine) -> Result<Chosen, String> {
        let candidates = self.candidates(facts, target);
        let best = payoff::best(&candidates, self.bytes(facts), target.product)?;
        let steps = best.unwrap_or(self.plan.steps);
        Ok(Chosen { plan: PlanKeys { steps, ..self.plan }, ..self })
    }

    /// Sweeps of as many steps, and of fewer.
    fn candidates(&self, facts: &Facts, target: &Machine) -> Vec<Candidate> {
        let most = self.plan.steps;
        let mut steps = [most, most * 2 / 3, most / 2, most / 3].to_vec();
        steps.retain(|steps| *steps >= 2);
        steps.dedup();
        steps.into_iter().filter_map(|steps| self.candidate(steps, facts, target)).collect()
    }

    /// A sweep of so many steps.
    fn candidate(&self, steps: u32, facts: &Facts, target: &Machine) -> Option<Candidate> {
        let planes = target.product.calibration.plane_ns;
        let plan = PlanKeys { steps, ..self.plan.clone() };
        let chosen = Chosen { plan, ..self.clone() };
        let plan = chosen.plan(facts, &Keys::new(), target).ok().flatten()?.plan;
        let launch = chosen.launch(&plan, facts, target)?;
        let plane_ns = planes.of(plan.mapping, facts.words > 1);
        Some(Candidate { steps, launch, chunks: launch.best_chunks(), plane_ns })
    }

    fn launch(&self, plan: &PlanKeys, facts: &Facts, target: &Machine) -> Option<Launch> {
        launch(plan, facts, (self.radius, self.rows.element_bytes), target)
    }

    fn why(&self, facts: &Facts, target: &Machine) -> String {
        let domain = facts.domain.iter().map(u64::to_string).collect::<Vec<_>>().join("x");
        match &self.reason {
            Reason::MeasuredAlone(class) => format!(
                "swept, planes are read once: the fastest of those measured for {class} outside \
                 of a loop ({domain} points)"
            ),
            Reason::Predicted([swept, apart]) => {
                let (steps, name) = (self.plan.steps, target.product.described());
                format!(
                    "swept, {steps} time steps per sweep: {swept:.1} us predicted for a step, \
                     {apart:.1} us by itself ({name}; {domain} points)"
                )
            }
        }
    }
}

/// Planes of the circular buffer that is unrolled unless a plan says otherwise: the rotation
/// periods of values, rows and places coincide, and the loop is short enough.
pub fn unrolled_ring(radius: i64) -> i64 {
    2 * radius + 1
}

/// The launch of a sweep of a statement that reads as far as the radius, with so many bytes in a
/// value; none if its plan does not tile the domain.
fn launch(
    plan: &PlanKeys,
    facts: &Facts,
    (radius, bytes): (i64, i64),
    target: &Machine,
) -> Option<Launch> {
    let rank = facts.domain.len();
    let upper = facts.domain.iter().map(|extent| *extent as i64).collect::<Vec<_>>();
    let reach = Reach::symmetric(u32::try_from(radius).ok()?);
    let columns = i64::from(plan.points_along(rank - 1));
    let aligned = Aligned::of_rows(columns, bytes);
    let cut = Cut { lower: &vec![0; rank], upper: &upper, reaches: &vec![reach; rank], aligned };
    let sweep = plan.plan().ok()?.into_sweep()?;
    let tiling = Tiling::new(&sweep, &cut).ok()?;
    let blocks = target.product.sheet.multiprocessors * resident(plan, target);
    Some(Launch { planes: upper[0], ..Launch::of(&tiling, true, blocks) })
}

/// The chunks for a sweep whose other keys are decided: those with which its blocks finish
/// together. One dimension has none.
pub fn with_chunks(plan: PlanKeys, apply: ApplyOp, facts: &Facts, target: &Machine) -> PlanKeys {
    if facts.domain.len() < 2 {
        return plan;
    }
    let reads = footprint::reads(apply).into_iter().map(|read| read.lower);
    let radius = reads.flatten().map(|offset| offset.abs()).max().unwrap_or(0);
    let rows = Statement::of_apply(apply).ok().and_then(|it| Rows::of(apply, &it));
    let launch = rows.and_then(|it| launch(&plan, facts, (radius, it.element_bytes), target));
    let number = |chunks: i64| u32::try_from(chunks).ok();
    let best = launch.map(|launch| best_chunks(&launch, facts));
    match best.and_then(|(inside, edges)| Some((number(inside)?, number(edges)?))) {
        Some((chunks, edges)) => {
            let edge_chunks = (edges != chunks).then_some(edges);
            PlanKeys { chunks, edge_chunks, ..plan }
        }
        None => plan,
    }
}

/// The chunks with which the blocks of a launch finish together. Where the rows of fields begin is
/// not looked at here: in two dimensions, where a plane has few tiles, there may be one more, for
/// which no place is to be lacking.
fn best_chunks(launch: &Launch, facts: &Facts) -> (i64, i64) {
    let more = i64::from(facts.domain.len() == 2);
    Launch { inside: launch.inside + more, ..*launch }.best_chunks()
}

/// Whether an apply is outside loops.
fn is_alone(apply: ApplyOp) -> bool {
    apply.operation().parent_operation().is_some_and(|parent| walk::name(&parent) == func::FUNC)
}

/// Resident blocks of a multiprocessor as limited by registers.
pub fn resident(plan: &PlanKeys, target: &Architecture) -> u32 {
    let demand = BlockDemand {
        threads: plan.threads_per_block(),
        registers_per_thread: plan.max_registers.unwrap_or(target.registers_max_per_thread),
        shared_bytes: 0,
    };
    // A plan that cannot launch is refused by its check.
    occupancy(target, demand).blocks.max(1)
}

/// Bytes of a vector load.
const BYTES_OF_A_READ: u32 = 16;
/// Rows of a plane that a thread owns, in three dimensions.
const ROWS: u32 = 4;
/// Warps of a block with separate tiles.
const WARPS_APART: u32 = 4;
/// Warps of a block that share a tile.
const WARPS_TOGETHER: u32 = 8;

/// The threads of a block of so many warps: side by side, in three dimensions each in another row.
pub fn block_of(rank: usize, warps: u32, threads_per_warp: u32) -> Vec<u32> {
    let mut threads = vec![1; rank];
    threads[rank - 1] = threads_per_warp;
    threads[if rank == 3 { 1 } else { rank - 1 }] *= warps;
    threads
}

/// Completes a partial plan.
pub fn complete(mut plan: PlanKeys, facts: &Facts, target: &Architecture) -> PlanKeys {
    let rank = facts.domain.len();
    if plan.points.is_empty() {
        plan.points = vec![1; rank];
        plan.points[rank - 1] = BYTES_OF_A_READ / 4 / facts.words.max(1) as u32;
        if rank == 3 {
            plan.points[1] = ROWS;
        }
    }
    if plan.threads.is_empty() {
        let warps = if plan.mapping.shares_tiles() { WARPS_TOGETHER } else { WARPS_APART };
        plan.threads = block_of(rank, warps, target.threads_per_warp);
    }
    if plan.max_registers.is_none() {
        let threads = plan.threads_per_block().saturating_mul(plan.min_blocks);
        plan.max_registers = Some(registers_max_to_launch(target, threads).max(REGISTERS_LEAST));
    }
    plan
}
