//! `stencil-select-plan`: decide how each kernel is built, and write it down.
//!
//! Before: applies without `stencil.plan`, or with one that says something only.
//! After:  every apply has a complete, legal `stencil.plan = #stencil.plan<{..}>` for the target.
//!
//! Why: mechanisms do what the plan says and decide nothing, so that every decision can be printed,
//! written by hand in a test, stored and replayed. Keys that are there stay.
//! The choice: lanes along the fastest dimension, so that a warp reads whole lines, beginning where
//! a line begins if that takes no block more; a few points of
//! each thread along the slowest, which share neighbours and address arithmetic, more where a point
//! reads much, fewer where its own values fill the registers; a register cap always, because the
//! assembler aims at 32 or 64 registers without one.
//! What the program asks for (`stencil.constraints`) is heeded where the plan leaves it open: an
//! `occupancy` becomes `min_blocks` and a register cap. What the mapping has no means for
//! (`stream`, `shared`) gets a remark.
//! `plan=points=8,max_registers=128` gives every kernel these keys where its own plan leaves them
//! open; a list shorter than the rank is for the slowest dimensions (points) or the fastest
//! (threads). `plain=true` takes one point per thread and heeds neither plans nor constraints: the
//! kernels that others are verified against.
//! Refuses a plan that its target cannot launch, with the limit and both numbers; an unknown
//! target; unknown constraints. Does not know other mappings than `thread`.

use super::{alignment::Rows, constraints::Constraints, plan};
use crate::{
    analysis::footprint,
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, flag, refuse,
        statistic, text,
    },
};
use melior::ir::{OperationRef, operation::OperationLike};
use std::str::FromStr;
use stencil_dialects::{build, ops::ApplyOp, walk};
use stencil_model::{
    plan::{Plan, Request},
    target::Architecture,
};

/// The table entry.
pub const SELECT_PLAN: PassInfo = PassInfo {
    argument: "stencil-select-plan",
    summary: "decide how each kernel is built, and write it down",
    source: include_str!("select_plan.rs"),
    anchor: Anchor::Function,
    options: &[
        text("target", "architecture, as sm_90a", "sm_90a"),
        text("plan", "keys for kernels that leave them open, as points=8,max_registers=128", ""),
        flag("plain", "one point per thread, whatever was planned", false),
    ],
    statistics: &[SELECTED],
    dialects: &[],
    run: select_plan,
};

const SELECTED: Statistic = statistic("num-selected", "plans written or completed");

fn select_plan(function: OperationRef, options: &OptionValues, cx: &mut PassContext) -> PassResult {
    let target = Architecture::parse(options.text("target"))
        .map_err(|error| refuse(&function, error.to_string(), "name one of those"))?;
    let request = Request::from_str(options.text("plan"))
        .map_err(|error| refuse(&function, error.to_string(), "mend the option 'plan'"))?;
    let plain = options.flag("plain");
    for apply in walk::nested(function).into_iter().filter_map(ApplyOp::of) {
        let operation = apply.operation();
        // Points that nobody asks for have no bounds, and no kernel.
        let Some(facts) = Facts::of(apply) else { continue };
        let given = match plan::of(operation) {
            Some(Ok(plan)) if !plain => plan,
            Some(Err(why)) => {
                return Err(refuse(&operation, why, "mend the plan, or remove it"));
            }
            _ => Plan::default(),
        };
        let constraints = match plain {
            true => Constraints::default(),
            false => Constraints::of(operation)
                .map_err(|why| refuse(&operation, why, "mend the constraints, or remove them"))?,
        };
        let rank = facts.domain.len();
        let asked = match plain {
            true => Plan { points: vec![1; rank], lead: Some(0), ..Plan::default() },
            false => request
                .complete(&given, rank)
                .map_err(|error| refuse(&operation, error.to_string(), "change the plan's keys"))?,
        };
        let complete = complete(asked, &constraints, &facts, target);
        for key in constraints.unserved(complete.mapping) {
            let mapping = complete.mapping.word();
            cx.decline(&operation, &format!("mapping '{mapping}' has no means for '{key}'"));
        }
        if let Err(error) = complete.check(target, &facts.domain) {
            let remedy = "change the plan's keys, or choose another target";
            return Err(refuse(&operation, error.to_string(), remedy));
        }
        if complete != given || !operation.has_attribute(plan::PLAN) {
            let attribute = plan::attribute(build::context(&operation), &complete);
            build::set_attribute(operation, plan::PLAN, attribute);
            cx.count(SELECTED, 1);
        }
    }
    Ok(())
}

/// What the choice rests on.
struct Facts {
    /// Groups of points that the body computes at once, per dimension, slowest first.
    domain: Vec<u64>,
    /// Different cells that one run of the body reads.
    reads: usize,
    /// Operations of the body.
    operations: usize,
    /// Points before the domain to where warps should begin, by the rows that are written.
    lead: u32,
}

impl Facts {
    fn of(apply: ApplyOp) -> Option<Self> {
        Some(Self {
            domain: domain(apply)?,
            reads: footprint::reads(apply).len(),
            operations: walk::nested(apply.operation()).len(),
            lead: lead(apply).unwrap_or(0),
        })
    }
}

/// The lead that the rows of an apply's field ask for, where a point is a run of the body.
fn lead(apply: ApplyOp) -> Option<u32> {
    let is_single = apply.terminator().unroll().is_none_or(|unroll| unroll.last() == Some(&1));
    let first = *apply.bounds()?.lower.last()?;
    Some(Rows::of(apply).filter(|_| is_single)?.lead(first))
}

/// Runs of an apply's body along each dimension; none where its bounds are unknown.
pub fn domain(apply: ApplyOp) -> Option<Vec<u64>> {
    let extents = apply.bounds()?.extents();
    let unroll = apply.terminator().unroll().unwrap_or_else(|| vec![1; extents.len()]);
    Some(extents.iter().zip(unroll).map(|(extent, points)| (extent / points) as u64).collect())
}

/// Bodies of at most this many operations share a register cap that lets two blocks of 256 threads
/// be resident; larger ones get every register, for their own values fill what there is.
const OPERATIONS_FOR_A_CAP: usize = 400;
/// Bodies of at most this many operations have registers left for the values of a second point.
const OPERATIONS_FOR_TWO_POINTS: usize = 600;
/// Bodies that read at least this many cells share most of them with the next points.
const READS_FOR_EIGHT_POINTS: usize = 12;

/// Points of a thread that a body is best computed for, by the measurements in
/// lowering/docs/thread-mapping.md.
fn points_wanted(facts: &Facts) -> u32 {
    match facts.operations {
        0..=OPERATIONS_FOR_A_CAP if facts.reads >= READS_FOR_EIGHT_POINTS => 8,
        0..=OPERATIONS_FOR_A_CAP => 4,
        _ if facts.operations <= OPERATIONS_FOR_TWO_POINTS => 2,
        _ => 1,
    }
}

fn complete(
    mut plan: Plan,
    constraints: &Constraints,
    facts: &Facts,
    target: &Architecture,
) -> Plan {
    let rank = facts.domain.len();
    if plan.points.is_empty() {
        plan.points = vec![1; rank];
        if rank > 1 {
            plan.points[0] = points_along_slowest(facts.domain[0], points_wanted(facts));
        }
    }
    if plan.threads.is_empty() {
        plan.threads = threads(&facts.domain, &plan, target);
    }
    if plan.lead.is_none() {
        plan.lead = free_lead(facts, &plan);
    }
    constraints.complete(&mut plan, target);
    if plan.max_registers.is_none() {
        let all = facts.operations > OPERATIONS_FOR_A_CAP;
        let most = target.registers_max_per_thread;
        let cap = if all { most } else { most.div_ceil(2) };
        // A block of this many threads must fit at all.
        let fitting = target.registers_per_sm / plan.threads_per_block().max(1);
        plan.max_registers = Some(cap.min(fitting / 8 * 8));
    }
    plan
}

/// The points of a thread that are wanted, or a number near that which divides the extent; else as
/// many as are wanted, with a rest. Short dimensions get fewer.
fn points_along_slowest(extent: u64, wanted: u32) -> u32 {
    let near: &[u64] = match wanted {
        8 if extent >= 64 => &[8, 9, 7, 10, 6],
        4 | 8 if extent >= 16 => &[4, 5, 6, 3, 7, 2],
        2 if extent >= 16 => &[2, 3],
        _ => &[1],
    };
    near.iter().find(|points| extent.is_multiple_of(**points)).map_or(near[0], |found| *found)
        as u32
}

/// The lead that the rows ask for, where it takes no block more.
fn free_lead(facts: &Facts, plan: &Plan) -> Option<u32> {
    let blocks = |lead| {
        let plan = Plan { lead: Some(lead), ..plan.clone() };
        // A plan of another rank is refused by the check that follows.
        (plan.threads.len() == facts.domain.len()).then(|| plan.grid(&facts.domain).pop())
    };
    (facts.lead > 0 && blocks(facts.lead) == blocks(0)).then_some(facts.lead)
}

/// Two warps along the fastest dimension where it is long enough, then rows up to 256 threads; more
/// rows where the grid would exceed what a target can launch.
fn threads(domain: &[u64], plan: &Plan, target: &Architecture) -> Vec<u32> {
    let rank = domain.len();
    // A plan of another rank is refused by the check that follows.
    let points = |dimension| u64::from(plan.points_along(dimension));
    let warp = u64::from(target.threads_per_warp);
    let mut threads = vec![1_u32; rank];
    let fastest = domain[rank - 1].div_ceil(points(rank - 1));
    threads[rank - 1] = fastest.next_power_of_two().clamp(warp, 2 * warp) as u32;
    let wanted = 8 * target.threads_per_warp;
    if rank == 1 {
        threads[0] = wanted;
    } else {
        let rows = domain[rank - 2].div_ceil(points(rank - 2)).next_power_of_two();
        threads[rank - 2] = (wanted / threads[rank - 1]).min(rows.min(64) as u32);
    }
    let limits = target.grid_max.fastest_first();
    let fits = |dimension: usize, threads: u32| {
        let (_, most) = limits[rank - 1 - dimension];
        domain[dimension].div_ceil(u64::from(threads) * points(dimension)) <= most
    };
    for (dimension, threads) in threads.iter_mut().enumerate() {
        let (_, most) = target.block_max.fastest_first()[rank - 1 - dimension];
        while !fits(dimension, *threads) && *threads < most {
            *threads *= 2;
        }
    }
    // What one dimension gained, others give back.
    while threads.iter().product::<u32>() > target.threads_max_per_block {
        let able = (0..rank).filter(|d| threads[*d] > 1 && fits(*d, threads[*d] / 2));
        let Some(widest) = able.max_by_key(|d| threads[*d]) else { break };
        threads[widest] /= 2;
    }
    threads
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(domain: &[u64], operations: usize) -> Plan {
        let target = Architecture::parse("sm_90a").unwrap();
        let facts = Facts { domain: domain.to_vec(), reads: 7, operations, lead: 0 };
        let plan = complete(Plan::default(), &Constraints::default(), &facts, target);
        plan.check(target, domain).unwrap();
        plan
    }

    #[test]
    fn several_points_share_a_thread_where_a_body_is_light() {
        assert_eq!(choice(&[512, 512, 512], 20).points, [4, 1, 1]);
        assert_eq!(choice(&[512, 512, 512], 500).points, [2, 1, 1]);
        assert_eq!(choice(&[512, 512, 512], 700).points, [1, 1, 1]);
    }

    #[test]
    fn bodies_that_read_much_share_it_among_more_points() {
        let points = |reads, extent| {
            let facts = Facts { domain: vec![extent, 512], reads, operations: 200, lead: 0 };
            points_along_slowest(extent, points_wanted(&facts))
        };
        assert_eq!(points(25, 512), 8);
        assert_eq!(points(25, 510), 10);
        assert_eq!(points(25, 509), 8);
        assert_eq!(points(11, 512), 4);
        assert_eq!(points(25, 32), 4);
        assert_eq!(points(25, 15), 1);
    }

    #[test]
    fn large_bodies_get_every_register() {
        assert_eq!(choice(&[512, 512, 512], 400).max_registers, Some(128));
        assert_eq!(choice(&[512, 512, 512], 401).max_registers, Some(255));
    }

    #[test]
    fn warps_begin_at_lines_where_that_is_free() {
        let plan = |extent, lead| {
            let facts = Facts { domain: vec![512, extent], reads: 7, operations: 20, lead };
            let target = Architecture::parse("sm_90a").unwrap();
            complete(Plan::default(), &Constraints::default(), &facts, target).lead
        };
        assert_eq!([plan(510, 1), plan(510, 2), plan(510, 3)], [Some(1), Some(2), None]);
        assert_eq!([plan(512, 1), plan(510, 0)], [None, None]);
    }

    #[test]
    fn lanes_lie_along_the_fastest_dimension() {
        let threads = choice(&[512, 512, 512], 20).threads;
        assert_eq!(threads, [1, 4, 64]);
    }

    #[test]
    fn long_slow_dimensions_still_fit_a_grid() {
        choice(&[3_000_000, 4], 20);
        choice(&[3_000_000, 4, 4], 500);
        choice(&[5_000_000, 4, 4], 20);
    }

    #[test]
    fn one_cell_is_a_domain() {
        choice(&[1], 20);
        choice(&[1, 1, 1], 20);
    }
}
