//! When a time loop is swept, and what a plan for a sweep gets where it leaves a key open.
//!
//! By default a loop is swept whose only statement reads the newest of two fields that change
//! places, up to two points away (three along the axes of two dimensions), in two or three
//! dimensions, 64 planes and columns or more: sums, and in two dimensions other functions of a
//! star. How many steps at once, and with what tiles, is the table [`RULES`]: the winners of the
//! measurements of lowering/docs/sweeps.md. A statement outside of a loop is swept where it is a
//! wide box ([`RULES_ONCE`]). A loop of a known number of steps makes at most half of
//! them at once, because a pass out needs a pass home.
//!
//! In two dimensions a lane owns four columns of each row of a sum: tiles of 128 columns overlap
//! less than those of 64, and eight warps with all registers hide what 16 with half of them do. In
//! three dimensions a warp owns some rows of a plane, of which only the first and the last are
//! handed to other warps. Where a hand-written plan leaves them open, a lane owns 16 bytes of a
//! row, which it reads at once, and registers are as many as the blocks that must be resident
//! together leave each thread.

use super::{choice::Facts, constraints::REGISTERS_LEAST, shapes::Vectors};
use crate::analysis::{footprint, statement::Statement, time_loop::TimeLoop};
use melior::ir::{Value, ValueLike, operation::OperationLike};
use stencil_dialects::{StencilType, attributes, ops::ApplyOp, types, walk};
use stencil_model::{
    occupancy::{BlockDemand, occupancy, registers_max_to_launch},
    plan::{Form, Loads, Mapping, Plan, Rotation},
    product::Product,
    sweep::{
        Reach,
        launch::Launch,
        tiling::{Aligned, Cut, Tiling},
    },
    target::Architecture,
};

/// The shortest streamed and the shortest fastest dimension of a domain that is swept by default.
const EXTENT_LEAST: u64 = 64;

/// Where a point reads, next to the axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taps {
    /// On the axes only.
    Star,
    /// Everywhere in the box around it.
    Box,
    /// Something between.
    Partial,
}

/// A stencil of which the best plan is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Class {
    /// Dimensions of the domain.
    rank: usize,
    /// Registers of a value.
    words: usize,
    /// The farthest point that is read, along any dimension.
    radius: i64,
    taps: Taps,
    /// Whether the point only multiplies and adds, so that it may be cut where planes arrive.
    is_sum: bool,
}

/// The plan of a class.
struct Rule {
    class: Class,
    steps: u32,
    /// Registers of a thread.
    registers: u32,
    /// Warps of a block.
    warps: u32,
    /// Columns of a lane in two dimensions, rows of a lane in three.
    patch: u32,
    /// Planes of the ring; none: planes are prefetched to registers.
    ring: u32,
}

const fn rule(
    (rank, words, radius, taps): (usize, usize, i64, Taps),
    [steps, registers, warps, patch, ring]: [u32; 5],
) -> Rule {
    let class = Class { rank, words, radius, taps, is_sum: true };
    Rule { class, steps, registers, warps, patch, ring }
}

/// The rule of a point that does more than multiply and add.
const fn of_function(mut rule: Rule) -> Rule {
    rule.class.is_sum = false;
    rule
}

use Taps::{Box, Partial, Star};

/// H200, 580.159.04, ptxas 13.0, 2026-11-21.
const RULES: &[Rule] = &[
    rule((2, 2, 1, Star), [12, 255, 4, 4, 3]),
    rule((2, 2, 1, Box), [8, 255, 2, 4, 3]),
    rule((2, 2, 2, Star), [5, 255, 4, 4, 5]),
    rule((2, 2, 2, Box), [4, 255, 4, 4, 5]),
    rule((2, 2, 3, Star), [3, 255, 4, 4, 7]),
    rule((2, 1, 1, Star), [12, 168, 2, 4, 3]),
    rule((2, 1, 1, Box), [8, 128, 2, 4, 3]),
    rule((2, 1, 2, Star), [5, 168, 4, 4, 5]),
    rule((2, 1, 2, Box), [4, 168, 4, 4, 5]),
    rule((2, 1, 3, Star), [4, 168, 4, 4, 7]),
    rule((3, 2, 1, Star), [4, 255, 8, 4, 3]),
    rule((3, 2, 1, Box), [3, 168, 12, 3, 0]),
    rule((3, 2, 1, Partial), [3, 168, 12, 3, 0]),
    rule((3, 2, 2, Star), [2, 255, 8, 4, 0]),
    rule((3, 1, 1, Star), [4, 128, 8, 4, 3]),
    rule((3, 1, 1, Box), [4, 128, 8, 4, 0]),
    rule((3, 1, 1, Partial), [4, 128, 8, 4, 0]),
    rule((3, 1, 2, Star), [3, 168, 12, 4, 2]),
    of_function(rule((2, 2, 1, Star), [4, 128, 4, 2, 3])),
    of_function(rule((2, 1, 1, Star), [4, 112, 1, 4, 3])),
];

/// The same for a statement outside of a loop: boxes that are so wide that each thread would read
/// more than its caches give. Singles in two dimensions are faster as vectors of four, where rows
/// consist of them.
const RULES_ONCE: &[Rule] = &[
    rule((2, 1, 2, Box), [1, 96, 4, 4, 5]),
    rule((2, 2, 4, Box), [1, 128, 4, 2, 9]),
    rule((2, 2, 4, Partial), [1, 128, 4, 2, 9]),
    rule((2, 1, 4, Box), [1, 128, 4, 4, 9]),
    rule((2, 1, 4, Partial), [1, 128, 4, 4, 9]),
    rule((3, 2, 2, Box), [1, 168, 12, 3, 0]),
    rule((3, 1, 2, Box), [1, 128, 8, 4, 0]),
];

/// How much finer a statement outside of a loop is cut: its chunks overlap by few planes, and
/// multiprocessors that are farther from memory get fewer of the shorter ones (2d81pt in f64: 207
/// GPt/s with blocks that fill the chip once, 221 with twice as many).
const TURNS_ALONE: u32 = 2;

/// The plan of an apply that is swept by default, its common keys still open; none for the others.
pub fn by_default(apply: ApplyOp, facts: &Facts, target: &Architecture) -> Option<Plan> {
    let statement = Statement::of_apply(apply).ok()?;
    let ends = [facts.domain.first()?, facts.domain.last()?];
    let is_large = ends.iter().all(|extent| **extent >= EXTENT_LEAST);
    if !is_large || statement.inputs.len() != 1 {
        return None;
    }
    let offsets = footprint::reads(apply).into_iter().map(|read| read.lower).collect::<Vec<_>>();
    let is_alone = is_alone(apply);
    // Without a next step it does not matter where a sum is stored.
    let offsets = if is_alone { centred(&offsets) } else { offsets };
    let class = Class { is_sum: is_sum(apply), ..class(facts, &offsets)? };
    let find = |rules: &'static [Rule]| rules.iter().find(|rule| rule.class == class);
    let (rule, steps) = match is_alone {
        true if facts.words == 1 && Vectors::of(facts).is_some_and(|v| v.is_flat()) => return None,
        true => (find(RULES_ONCE)?, 1),
        false => {
            let rule = find(RULES)?;
            let steps = rule.steps.min(steps_most(&statement)?);
            (rule, (steps > 1).then_some(steps)?)
        }
    };
    let plan = of_rule(Plan { steps, ..Plan::default() }, rule, target);
    let plan = if is_copied(&plan, &statement)? { plan } else { without_ring(plan) };
    let bytes = element_bytes(&statement)?;
    let (chunks, edge_chunks) = chunks(&plan, facts, (rule, bytes), target)?;
    let edge_chunks = (edge_chunks != chunks).then_some(edge_chunks);
    let finer = |chunks: u32| if is_alone { chunks * TURNS_ALONE } else { chunks };
    Some(Plan { chunks: finer(chunks), edge_chunks: edge_chunks.map(finer), ..plan })
}

/// Offsets from the middle of all.
fn centred(offsets: &[Vec<i64>]) -> Vec<Vec<i64>> {
    let middle = |d: usize| {
        let along = || offsets.iter().filter_map(|offset| offset.get(d)).copied();
        (along().min().unwrap_or(0) + along().max().unwrap_or(0)).div_euclid(2)
    };
    let centre =
        |offset: &Vec<i64>| offset.iter().enumerate().map(|(d, along)| along - middle(d)).collect();
    offsets.iter().map(centre).collect()
}

/// Whether an apply is no part of a loop.
fn is_alone(apply: ApplyOp) -> bool {
    apply.operation().parent_operation().is_some_and(|parent| walk::name(&parent) == "func.func")
}

/// Steps that a loop of a statement may make at once, half of all if their number is known; none
/// where it is not the loop that the rules are for.
fn steps_most(statement: &Statement) -> Option<u32> {
    let time_loop = TimeLoop::of(statement).ok()?;
    let is_plain = time_loop.levels == 1 && time_loop.rotation() == 2;
    let most = trip_count(&time_loop).map_or(u32::MAX, |count| (count / 2).max(0) as u32);
    is_plain.then_some(most)
}

fn class(facts: &Facts, offsets: &[Vec<i64>]) -> Option<Class> {
    let rank = facts.domain.len();
    let radius = offsets.iter().flatten().map(|offset| offset.abs()).max()?;
    let off_axes = |offset: &Vec<i64>| offset.iter().filter(|along| **along != 0).count() > 1;
    let around = usize::try_from(2 * radius + 1).ok()?.checked_pow(rank as u32)?;
    let taps = match offsets.iter().any(off_axes) {
        false => Star,
        true if offsets.len() == around => Box,
        true => Partial,
    };
    Some(Class { rank, words: facts.words, radius, taps, is_sum: true })
}

/// The keys that follow from the rule alone.
fn of_rule(plan: Plan, rule: &Rule, target: &Architecture) -> Plan {
    let (class, warps, lanes) = (rule.class, rule.warps, 32);
    let (loads, ring) = match rule.ring {
        0 => (Loads::Prefetch, plan.ring),
        ring => (Loads::Ring, ring),
    };
    // Values, rows and stages of the ring come round together, and the loop is short enough.
    let turns = i64::from(rule.ring) == 2 * class.radius + 1;
    let rotation = if turns { Rotation::Unroll } else { Rotation::Move };
    let plan = Plan { loads, ring, rotation, max_registers: Some(rule.registers), ..plan };
    if class.rank == 2 {
        return Plan {
            mapping: Mapping::Warp,
            form: if class.is_sum { Form::Scatter } else { Form::Gather },
            threads: vec![1, warps * lanes],
            points: vec![1, rule.patch],
            ..plan
        };
    }
    Plan {
        mapping: Mapping::Block,
        form: if class.taps == Star { Form::Gather } else { Form::Scatter },
        min_blocks: resident(rule, target),
        threads: vec![1, warps, lanes],
        points: vec![1, rule.patch, 2],
        ..plan
    }
}

/// Whether the planes of a sweep can be copied as the plan has it; none where a field has no
/// bounds.
fn is_copied(plan: &Plan, statement: &Statement) -> Option<bool> {
    let fields = statement.inputs.iter().map(|input| input.field).chain([statement.output]);
    let row = |field: Value| {
        let bounds = StencilType::of(field.r#type())?.bounds?;
        Some((*bounds.lower.last()?, *bounds.upper.last()?))
    };
    let rows = fields.map(row).collect::<Option<Vec<_>>>()?;
    let columns = i64::from(plan.points_along(statement.domain.rank() - 1));
    let bytes = element_bytes(statement)?;
    Some(plan.loads != Loads::Ring || Aligned::of_fields(&rows, columns, bytes).is_copied(bytes))
}

/// Bytes of a value that a statement computes.
fn element_bytes(statement: &Statement) -> Option<i64> {
    types::element_bytes(StencilType::of(statement.output.r#type())?.element).map(i64::from)
}

/// The plan with planes that go to registers on their way: two bytes are not copied by themselves.
fn without_ring(plan: Plan) -> Plan {
    let Plan { ring, rotation, .. } = Plan::default();
    Plan { loads: Loads::Prefetch, ring, rotation, ..plan }
}

/// Blocks of a multiprocessor, as many as their registers allow.
fn resident(rule: &Rule, target: &Architecture) -> u32 {
    let demand = BlockDemand {
        threads: rule.warps * target.threads_per_warp,
        registers_per_thread: rule.registers,
        shared_bytes: 0,
    };
    occupancy(target, demand).blocks
}

/// Chunks of the tiles inside of the domain and of those at its ends, so that the blocks of a
/// launch finish together.
fn chunks(
    plan: &Plan,
    facts: &Facts,
    (rule, element_bytes): (&Rule, i64),
    target: &Architecture,
) -> Option<(u32, u32)> {
    let rank = facts.domain.len();
    let upper = facts.domain.iter().map(|extent| *extent as i64).collect::<Vec<_>>();
    let reach = Reach::symmetric(u32::try_from(rule.class.radius).ok()?);
    let columns = i64::from(plan.points_along(rank - 1));
    let aligned = Aligned::of_rows(columns, element_bytes);
    let cut = Cut { lower: &vec![0; rank], upper: &upper, reaches: &vec![reach; rank], aligned };
    let tiling = Tiling::new(plan, &cut).ok()?;
    let launch = Launch {
        inside: tiling.inside(),
        edges: tiling.edges(),
        planes: upper[0],
        overlap: tiling.streamed.warm_up() + tiling.streamed.delay(),
        places: i64::from(Product::known_by(target).multiprocessors * resident(rule, target)),
    };
    let (inside, edges) = launch.best_chunks();
    Some((u32::try_from(inside).ok()?, u32::try_from(edges).ok()?))
}

/// Whether a body only multiplies and adds.
fn is_sum(apply: ApplyOp) -> bool {
    walk::operations(apply.body()).into_iter().all(|operation| {
        let name = walk::name(&operation);
        let of_a_sum = ["arith.constant", "arith.addf", "arith.subf", "arith.mulf", "arith.negf"];
        of_a_sum.contains(&name.as_str())
            || ["math.fma", "stencil.access", "stencil.return"].contains(&name.as_str())
    })
}

/// Iterations of a loop whose bounds are constants.
fn trip_count(time_loop: &TimeLoop) -> Option<i64> {
    let constant = |position: usize| {
        let operand = time_loop.operation.operand(position).ok()?;
        attributes::integer(walk::definition(operand)?.attribute("value").ok()?)
    };
    let (lower, upper, step) = (constant(0)?, constant(1)?, constant(2)?);
    (step > 0).then(|| (upper - lower + step - 1).div_euclid(step).max(0))
}

/// Bytes that a thread reads at once.
const BYTES_OF_A_READ: u32 = 16;
/// Rows of a plane that a thread owns, in three dimensions.
const ROWS: u32 = 4;
/// Warps of a block that work for themselves.
const WARPS_APART: u32 = 4;
/// Warps of a block that work together on a plane.
const WARPS_TOGETHER: u32 = 8;

/// The plan with everything decided that it leaves open.
pub fn complete(mut plan: Plan, facts: &Facts, target: &Architecture) -> Plan {
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
