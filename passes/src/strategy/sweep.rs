//! Selection of sweeps for time loops, and defaults of open keys in plans of sweeps.
//!
//! A *sweep* streams the planes of the domain through several time steps. By default, loops become
//! sweeps if their only statement reads the newer of two alternating fields, with a radius up to
//! two (three along the axes in two dimensions), in two or three dimensions, with at least 64
//! planes and columns: sums, and in two dimensions other functions of a star. The table [`RULES`]
//! gives steps and tiles: the fastest measured for large domains in lowering/docs/sweeps.md. Small
//! domains fuse fewer steps or none ([`payoff`]). A statement outside a loop becomes a sweep if it
//! is a wide box ([`RULES_ONCE`]). A loop of a known number of steps fuses at most half of them,
//! because sweeps come in pairs (ping-pong passes); the last step stays single where both fields
//! are read after the loop. (Four steps of j3d7pt on 512^3, f64, with both fields read: 3.18 ms on
//! an H200 as a sweep's single steps, 2.31 ms as kernels of mapping `thread`.)
//!
//! In two dimensions a lane owns four columns of each row of a sum: tiles of 128 columns overlap
//! less than those of 64, and eight warps with all registers hide as much latency as 16 with half
//! of them. In three dimensions a warp owns some rows of a plane, of which only the first and the
//! last are exchanged with other warps. Defaults for partial plans: a lane owns 16 bytes of a row,
//! one vector load, and the register cap follows from the blocks that must be resident.

use super::{
    asked::Asked,
    choice::Facts,
    constraints::REGISTERS_LEAST,
    measured::{Class, RULES, RULES_ONCE, Rule, Taps},
    payoff::{self, Candidate, Weighed},
    shapes::Vectors,
};
use crate::{
    analysis::{
        footprint, run_time_extents::RunTimeExtents, statement::Statement, time_loop::TimeLoop,
    },
    transforms::iterations::trip_count,
};
use melior::ir::{Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    StencilType,
    ods::{arith, func, math, stencil},
    ops::ApplyOp,
    types, walk,
};
use stencil_model::{
    occupancy::{BlockDemand, occupancy, registers_max_to_launch},
    plan::{Form, LoadMode, Mapping, PlanError, PlanKeys, Remainder, Rotation, request::Keys},
    product::Product,
    sweep::{
        Reach,
        launch::Launch,
        tiling::{Aligned, Cut, Tiling},
    },
    target::Architecture,
};

/// The least extent of the streamed and of the fastest dimension for a sweep by default.
const EXTENT_LEAST: u64 = 64;

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
    target: &Architecture,
) -> Result<Result<(Asked, String), String>, PlanError> {
    if let Some(why) = RunTimeExtents::no_sweep(apply.operation(), apply.bounds()) {
        return Ok(Err(why));
    }
    let chosen = chosen(apply, facts, target).and_then(|chosen| {
        match chosen.is_alone || said.contains_key("steps") {
            true => Ok(chosen),
            false => chosen.paying(facts, target),
        }
    });
    let chosen = match chosen {
        Ok(chosen) => chosen,
        Err(why) => return Ok(Err(why)),
    };
    let why = chosen.why(facts);
    let Some(plan) = chosen.plan(facts, said, target)? else {
        return Ok(Err("no tiling of the domain keeps the chip busy".to_owned()));
    };
    Ok(Ok((plan, why)))
}

/// The numbers of time steps that are compared for a sweep by default, if they are.
pub fn weighed(apply: ApplyOp, facts: &Facts, target: &Architecture) -> Option<Weighed> {
    if RunTimeExtents::are_all(apply.operation()) {
        return None;
    }
    let chosen = chosen(apply, facts, target).ok().filter(|chosen| !chosen.is_alone)?;
    let candidates = chosen.candidates(facts, target);
    payoff::weighed(&candidates, chosen.bytes(facts), Product::known_by(target))
}

/// Points of the domain from which on the sweep of an apply by default is predicted to be faster
/// than single steps, for a domain of the same proportions; none where it is always taken.
pub fn pays_from(apply: ApplyOp, facts: &Facts, target: &Architecture) -> Option<u64> {
    let chosen = chosen(apply, facts, target).ok().filter(|chosen| !chosen.is_alone)?;
    let chosen = chosen.paying(facts, target).ok()?;
    let product = Product::known_by(target);
    let mut points = facts.domain.iter().product::<u64>();
    let smaller = |facts: &Facts| {
        let domain = facts.domain.iter().map(|extent| extent * 3 / 4).collect::<Vec<_>>();
        Facts { domain, ..facts.clone() }
    };
    let sizes = std::iter::successors(Some(smaller(facts)), |facts| Some(smaller(facts)));
    for facts in sizes {
        let long = |extent: &u64| *extent >= EXTENT_LEAST;
        let ends = [facts.domain.first(), facts.domain.last()];
        let candidate = chosen.candidate(chosen.steps, &facts, target);
        let pays = candidate.is_some_and(|it| payoff::pays(&it, chosen.bytes(&facts), product));
        if !pays || !ends.iter().all(|extent| extent.is_some_and(long)) {
            break;
        }
        points = facts.domain.iter().product();
    }
    Some(points)
}

/// Whether the rules know what an apply in a time loop does: the others are estimated.
pub fn is_measured(apply: ApplyOp, facts: &Facts) -> bool {
    let offsets = footprint::reads(apply).into_iter().map(|read| read.lower).collect::<Vec<_>>();
    let reads_one = Statement::of_apply(apply).is_ok_and(|it| it.inputs.len() == 1);
    let class = class(facts, &offsets).map(|class| Class { is_sum: is_sum(apply), ..class });
    reads_one && RULES.iter().any(|rule| Some(rule.class) == class)
}

/// The rule chosen for an apply.
#[derive(Clone)]
struct Chosen {
    rule: &'static Rule,
    steps: u32,
    is_alone: bool,
    rows: Rows,
}

/// Rows of the fields.
#[derive(Clone)]
struct Rows {
    /// First coordinate and end of a row of each field.
    bounds: Vec<(i64, i64)>,
    element_bytes: i64,
    /// The extents, where they are given at run time.
    extents: Option<RunTimeExtents>,
}

fn chosen(apply: ApplyOp, facts: &Facts, target: &Architecture) -> Result<Chosen, String> {
    let statement = Statement::of_apply(apply).map_err(|unfit| format!("it {}", unfit.what))?;
    let rows = Rows::of(apply, &statement).ok_or("a field has no bounds")?;
    let ends = [facts.domain.first(), facts.domain.last()];
    if ends.iter().any(|extent| extent.is_none_or(|extent| *extent < EXTENT_LEAST)) {
        return Err(format!("the domain has fewer than {EXTENT_LEAST} planes or columns"));
    }
    if statement.inputs.len() != 1 {
        return Err(format!("it reads {} fields", statement.inputs.len()));
    }
    let offsets = footprint::reads(apply).into_iter().map(|read| read.lower).collect::<Vec<_>>();
    let is_alone = is_alone(apply);
    // Without a next step the offset of the result does not matter.
    let offsets = if is_alone { centred(&offsets) } else { offsets };
    let class = class(facts, &offsets).ok_or("it reads no point")?;
    let class = Class { is_sum: is_sum(apply), ..class };
    let rules = if is_alone { RULES_ONCE } else { RULES };
    let rule = rules.iter().find(|rule| rule.class == class);
    let unknown = || format!("no sweep of {class} {} was measured as faster", place(is_alone));
    if is_alone {
        if facts.words == 1 && Vectors::of(facts).is_some_and(|v| v.is_flat()) {
            return Err("neighbours as vectors were measured as faster".to_owned());
        }
        return Ok(Chosen { rule: rule.ok_or_else(unknown)?, steps: 1, is_alone, rows });
    }
    let rule = rule.ok_or_else(unknown)?;
    let most = target.shared_bytes_max_per_block / 1024;
    if rule.shared_kib > most {
        let (needed, name) = (rule.shared_kib, target.name);
        return Err(format!(
            "its blocks need {needed} KiB of shared memory, and one of {name} has {most}"
        ));
    }
    let steps = rule.steps.min(steps_most(&statement)?);
    if steps < 2 {
        return Err(
            "its loop makes too few steps for a pair of sweeps of two steps each".to_owned()
        );
    }
    Ok(Chosen { rule, steps, is_alone, rows })
}

fn place(is_alone: bool) -> &'static str {
    if is_alone { "outside of a loop" } else { "in a loop over time" }
}

impl Chosen {
    /// The keys of the rule, overridden by explicit ones, with dependent keys; none if the domain
    /// cannot be tiled without explicit keys.
    fn plan(
        &self,
        facts: &Facts,
        said: &Keys,
        target: &Architecture,
    ) -> Result<Option<Asked>, PlanError> {
        let is_open = |key: &str| !said.contains_key(key);
        let mut keys = of_rule(self.rule, self.steps).to_tree();
        // These two depend on others.
        if !is_open("loads") {
            keys.remove("ring");
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
        // The rotation periods of values, rows and ring stages coincide, and the loop is short
        // enough.
        let turn = 2 * self.rule.class.radius + 1;
        let turns = plan.ring.is_some_and(|ring| i64::from(ring) == turn);
        if is_open("rotation") && turns && plan.loads == LoadMode::Ring {
            plan.rotation = Rotation::Unroll;
        }
        // Halving fewer steps gives no further sweep.
        if is_open("remainder") && plan.steps >= 4 && self.stays_in_cache(facts, target) {
            plan.remainder = Remainder::Single;
        }
        if is_open("min_blocks") && self.rule.class.rank == 3 {
            plan.min_blocks = resident(plan, target);
        }
        if is_open("chunks") {
            let Some((inside, edges)) = self.chunks(plan, facts, target) else {
                // Conflicting keys are reported when the sweep is built.
                return Ok((!said.is_empty()).then_some(asked));
            };
            let finer = |chunks: u32| if self.is_alone { chunks * WAVES_ALONE } else { chunks };
            plan.chunks = finer(inside);
            if is_open("edge_chunks") {
                plan.edge_chunks = (edges != inside).then_some(finer(edges));
            }
        }
        Ok(Some(asked))
    }

    /// Whether L2 holds both fields, so that a single step needs no DRAM traffic.
    fn stays_in_cache(&self, facts: &Facts, target: &Architecture) -> bool {
        self.bytes(facts) <= Product::known_by(target).l2_bytes
    }

    /// Bytes of all fields.
    fn bytes(&self, facts: &Facts) -> u64 {
        let points = facts.domain.iter().product::<u64>();
        let bytes = self.rows.bounds.len() as u64 * self.rows.element_bytes.unsigned_abs();
        points.saturating_mul(bytes)
    }

    /// Chunks of inner tiles and of edge tiles, so that the blocks of a launch finish together.
    fn chunks(&self, plan: &PlanKeys, facts: &Facts, target: &Architecture) -> Option<(u32, u32)> {
        let (inside, edges) = self.launch(plan, facts, target)?.best_chunks();
        Some((u32::try_from(inside).ok()?, u32::try_from(edges).ok()?))
    }

    /// The same with the number of steps that pays; or why none does.
    fn paying(self, facts: &Facts, target: &Architecture) -> Result<Chosen, String> {
        let candidates = self.candidates(facts, target);
        let best = payoff::best(&candidates, self.bytes(facts), Product::known_by(target))?;
        Ok(Chosen { steps: best.unwrap_or(self.steps), ..self })
    }

    /// Sweeps of as many steps, and of fewer.
    fn candidates(&self, facts: &Facts, target: &Architecture) -> Vec<Candidate> {
        let most = self.steps;
        let mut steps = [most, most * 2 / 3, most / 2, most / 3].to_vec();
        steps.retain(|steps| *steps >= 2);
        steps.dedup();
        steps.into_iter().filter_map(|steps| self.candidate(steps, facts, target)).collect()
    }

    /// A sweep of so many steps.
    fn candidate(&self, steps: u32, facts: &Facts, target: &Architecture) -> Option<Candidate> {
        let product = Product::known_by(target);
        let chosen = Chosen { steps, ..self.clone() };
        let plan = chosen.plan(facts, &Keys::new(), target).ok().flatten()?.plan;
        let launch = chosen.launch(&plan, facts, target)?;
        let plane_ns = match (plan.mapping, facts.words) {
            (Mapping::Block, _) => product.plane_ns.block,
            (_, 2..) => product.plane_ns.warp_two_words,
            _ => product.plane_ns.warp_word,
        };
        Some(Candidate { steps, launch, chunks: launch.best_chunks(), plane_ns })
    }

    fn launch(&self, plan: &PlanKeys, facts: &Facts, target: &Architecture) -> Option<Launch> {
        let rank = facts.domain.len();
        let upper = facts.domain.iter().map(|extent| *extent as i64).collect::<Vec<_>>();
        let reach = Reach::symmetric(u32::try_from(self.rule.class.radius).ok()?);
        let columns = i64::from(plan.points_along(rank - 1));
        let aligned = Aligned::of_rows(columns, self.rows.element_bytes);
        let cut =
            Cut { lower: &vec![0; rank], upper: &upper, reaches: &vec![reach; rank], aligned };
        let sweep = plan.plan().ok()?.into_sweep()?;
        let tiling = Tiling::new(&sweep, &cut).ok()?;
        let launch = Launch {
            inside: tiling.inside(),
            edges: tiling.edges(),
            planes: upper[0],
            overlap: tiling.streamed.warm_up() + tiling.streamed.delay(),
            places: i64::from(Product::known_by(target).multiprocessors * resident(plan, target)),
        };
        Some(launch)
    }

    fn why(&self, facts: &Facts) -> String {
        let class = self.rule.class;
        let steps = match self.is_alone {
            true => "planes are read once".to_owned(),
            false => format!("{} time steps per sweep", self.steps),
        };
        let domain = facts.domain.iter().map(u64::to_string).collect::<Vec<_>>().join("x");
        let place = place(self.is_alone);
        let measured = match self.rule.steps {
            most if !self.is_alone && self.steps < most => {
                format!(
                    "; {most}, the fastest of those measured for {class} {place}, are for more \
                     steps or larger domains"
                )
            }
            _ => format!(": the fastest of those measured for {class} {place}"),
        };
        format!("swept, {steps}{measured} ({domain} points)")
    }
}

/// Offsets relative to their centre.
fn centred(offsets: &[Vec<i64>]) -> Vec<Vec<i64>> {
    let middle = |d: usize| {
        let along = || offsets.iter().filter_map(|offset| offset.get(d)).copied();
        (along().min().unwrap_or(0) + along().max().unwrap_or(0)).div_euclid(2)
    };
    let centre =
        |offset: &Vec<i64>| offset.iter().enumerate().map(|(d, along)| along - middle(d)).collect();
    offsets.iter().map(centre).collect()
}

/// Whether an apply is outside loops.
fn is_alone(apply: ApplyOp) -> bool {
    apply.operation().parent_operation().is_some_and(|parent| walk::name(&parent) == func::FUNC)
}

/// The most steps that a loop may fuse, half of all if their number is known; or why the rules do
/// not apply to it.
fn steps_most(statement: &Statement) -> Result<u32, String> {
    let time_loop = TimeLoop::of(statement).map_err(|unfit| format!("it {}", unfit.what))?;
    if time_loop.levels != 1 || time_loop.rotation() != 2 {
        return Err("its loop does not alternate two fields".to_owned());
    }
    let single = match time_loop.shows_old_levels {
        true => time_loop.rotation() - time_loop.levels,
        false => 0,
    };
    let most = |count: i64| ((count - single as i64) / 2).max(0) as u32;
    Ok(trip_count(time_loop.operation).map_or(u32::MAX, most))
}

fn class(facts: &Facts, offsets: &[Vec<i64>]) -> Option<Class> {
    let rank = facts.domain.len();
    let radius = offsets.iter().flatten().map(|offset| offset.abs()).max()?;
    let off_axes = |offset: &Vec<i64>| offset.iter().filter(|along| **along != 0).count() > 1;
    let around = usize::try_from(2 * radius + 1).ok()?.checked_pow(rank as u32)?;
    let taps = match offsets.iter().any(off_axes) {
        false => Taps::Star,
        true if offsets.len() == around => Taps::Box,
        true => Taps::Partial,
    };
    Some(Class { rank, words: facts.words, radius, taps, is_sum: true })
}

/// The keys that follow from the rule alone.
fn of_rule(rule: &Rule, steps: u32) -> PlanKeys {
    let (class, warps, lanes) = (rule.class, rule.warps, 32);
    let (loads, ring) = match rule.ring {
        0 => (LoadMode::Prefetch, None),
        ring => (LoadMode::Ring, Some(ring)),
    };
    let max_registers = Some(rule.registers);
    let plan = PlanKeys { steps, loads, ring, max_registers, ..PlanKeys::default() };
    if class.rank == 2 {
        return PlanKeys {
            mapping: Mapping::Warp,
            form: if class.is_sum { Form::Scatter } else { Form::Gather },
            threads: vec![1, warps * lanes],
            points: vec![1, rule.tile_points],
            ..plan
        };
    }
    PlanKeys {
        mapping: Mapping::Block,
        form: if class.taps == Taps::Star { Form::Gather } else { Form::Scatter },
        threads: vec![1, warps, lanes],
        points: vec![1, rule.tile_points, 2],
        ..plan
    }
}

impl Rows {
    fn of(apply: ApplyOp, statement: &Statement) -> Option<Rows> {
        let fields = statement.inputs.iter().map(|input| input.field).chain([statement.output]);
        let row = |field: Value| {
            let bounds = StencilType::of(field.r#type())?.bounds?;
            Some((*bounds.lower.last()?, *bounds.upper.last()?))
        };
        let element = StencilType::of(statement.output.r#type())?.element;
        let element_bytes = types::element_bytes(element).map(i64::from)?;
        let bounds = fields.map(row).collect::<Option<Vec<_>>>()?;
        let extents = RunTimeExtents::around(apply.operation());
        Some(Rows { bounds, element_bytes, extents })
    }

    /// Whether they are loaded by asynchronous copies, which need at least 4 bytes.
    fn are_copied(&self, plan: &PlanKeys) -> bool {
        let columns = plan.points.last().map_or(1, |points| i64::from(*points));
        let (rank, bytes) = (plan.points.len(), self.element_bytes);
        let extents = self.extents.as_ref();
        RunTimeExtents::aligned(extents, rank, &self.bounds, (columns, bytes)).is_copied(bytes)
    }
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

/// Whether a body only multiplies and adds.
fn is_sum(apply: ApplyOp) -> bool {
    walk::operations(apply.body()).into_iter().all(|operation| {
        let name = walk::name(&operation);
        let of_a_sum = [arith::CONSTANT, arith::ADDF, arith::SUBF, arith::MULF, arith::NEGF];
        of_a_sum.contains(&name) || [math::FMA, stencil::ACCESS, stencil::RETURN].contains(&name)
    })
}

/// Bytes of a vector load.
const BYTES_OF_A_READ: u32 = 16;
/// Rows of a plane that a thread owns, in three dimensions.
const ROWS: u32 = 4;
/// Warps of a block with separate tiles.
const WARPS_APART: u32 = 4;
/// Warps of a block that share a tile.
const WARPS_TOGETHER: u32 = 8;

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
        plan.threads = vec![1; rank];
        let warps = match plan.mapping {
            Mapping::Block => WARPS_TOGETHER,
            _ => WARPS_APART,
        };
        match rank {
            3 => {
                plan.threads[1] = warps;
                plan.threads[2] = target.threads_per_warp;
            }
            _ => plan.threads[rank - 1] = warps * target.threads_per_warp,
        }
    }
    if plan.max_registers.is_none() {
        let threads = plan.threads_per_block().saturating_mul(plan.min_blocks);
        plan.max_registers = Some(registers_max_to_launch(target, threads).max(REGISTERS_LEAST));
    }
    plan
}
