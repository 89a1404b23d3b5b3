//! `stencil-split-applies`: split an apply into several kernels (plan key `splits`).
//!
//! Before: `stencil.apply` with the plan `splits = n`.
//! After:  n consecutive applies, each with the plan without `splits`, called `name.1` to `name.n`.
//!         Together they have the results of the original; values that a later one reads are
//!         further results.
//!
//! Why: a large body needs more registers than a thread has. Several kernels with a part of it each
//! read the fields several times, and spill less.
//! No operation changes: a result is computed in one part, or its sum is cut between two terms and
//! the partial sum is passed on. The sum of a result is cut into at most eight segments; results
//! and segments are the pieces, and pieces with common cells and arrays are merged into parts.
//! `analysis/fission` chooses the pieces, and the values that are recomputed instead of stored:
//! reads always, and up to sixteen operations if that reads no more additional arrays than it saves
//! values.
//! A remark lists what each part stores, loads and recomputes.
//! Requires `stencil-place-copies`, and preserves its guarantees: a part that reads what another
//! one overwrites runs before it; if that is impossible, both are one part.
//! Refuses more parts than there are pieces, and plans of sweeps.
//! Does not choose the number of parts. Does not store partial sums in fields of the program: each
//! has an array of its own.
//! Method: Rawat et al., Register Optimizations for Stencils on GPUs, PPoPP 2018.

use super::{
    name_stages, place,
    place_copies::{replace_apply, replace_return},
};
use crate::{
    analysis::{
        fission::{self, Part, TooMany},
        point_code,
    },
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, refuse, statistic,
    },
    strategy::plan,
};
use melior::ir::{OperationRef, Value, ValueLike};
use std::collections::{BTreeMap, BTreeSet};
use stencil_code::ItemId;
use stencil_dialects::{
    build::{self, Inserter},
    ods::stencil::attribute,
    ops::ApplyOp,
    types, walk,
};
use stencil_faults::Fault;
use stencil_model::plan::{Plan, ThreadPlan};

/// The table entry.
pub const SPLIT_APPLIES: PassInfo = PassInfo {
    argument: "stencil-split-applies",
    summary: "split an apply into several kernels (plan key 'splits')",
    source: include_str!("split_applies.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[SPLIT, PARTS, STORED, RECOMPUTED],
    dialects: &["scf", "arith"],
    run: split_applies,
};

const SPLIT: Statistic = statistic("num-split", "applies that were split");
const PARTS: Statistic = statistic("num-parts", "applies that they became");
const STORED: Statistic = statistic("num-stored", "values passed between parts in memory");
const RECOMPUTED: Statistic =
    statistic("num-recomputed", "operations of a point that several parts compute");

fn split_applies(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    let applies = walk::nested(function).into_iter().filter_map(ApplyOp::of).collect::<Vec<_>>();
    let stages = applies.iter().filter_map(|apply| name_stages::stage(apply.operation()));
    let mut names = Names { taken: stages.collect() };
    for apply in applies {
        let plan = plan::checked(apply.operation())?.and_then(Plan::into_thread);
        let Some(plan) = plan.filter(|plan| plan.splits > 1) else { continue };
        let parts = legal(apply, plan.splits)?;
        rewrite(apply, &ThreadPlan { splits: 1, ..plan }, &parts, &mut names, cx);
    }
    Ok(())
}

/// The parts that a plan asks for.
fn legal(apply: ApplyOp, asked: u32) -> PassResult<Vec<Part>> {
    let operation = apply.operation();
    if !apply.destinations().is_empty() || apply.bounds().is_none() {
        let what = "cannot be split: it has destinations, or no bounds";
        return Err(refuse(&operation, what, "run stencil-place-copies first"));
    }
    let code = point_code::of(apply);
    fission::split(&code, asked as usize).map_err(|TooMany { most }| {
        let (pieces, help) = match most {
            1 => ("is one piece".to_owned(), "leave `splits` out".to_owned()),
            _ => (format!("has {most} pieces"), format!("take at most {most} for `splits`")),
        };
        let what = format!("cannot be split into {asked} kernels, it {pieces}");
        refuse(&operation, what, help)
    })
}

/// Stage names of a function.
struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// The name of a part, unlike all others.
    fn of_part(&mut self, stage: &str, number: usize) -> String {
        let mut name = format!("{stage}.{number}");
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

fn rewrite<'c: 'a, 'a>(
    apply: ApplyOp<'c, 'a>,
    plan: &ThreadPlan,
    parts: &[Part],
    names: &mut Names,
    cx: &mut PassContext,
) {
    let operation = apply.operation();
    let stage = name_stages::stage(operation).unwrap_or_else(|| "stage".to_owned());
    let plan = plan::attribute(build::context(&operation), plan);
    let mut stored = BTreeMap::new();
    for (number, part) in parts.iter().enumerate() {
        let name = names.of_part(&stage, number + 1);
        let made = make(apply, part, &stored);
        build::set_attribute(made, attribute::PLAN, plan);
        build::set_attribute(made, attribute::STAGE, build::string(build::context(&made), &name));
        for (place, result) in part.results.iter().enumerate() {
            build::replace_uses(build::result(operation, *result), build::result(made, place));
        }
        let values = part.stores.iter().enumerate();
        let behind = part.results.len();
        stored.extend(values.map(|(place, value)| (*value, build::result(made, behind + place))));
        cx.passed(&made, &said(&name, part));
        cx.count(STORED, part.stores.len() as u64);
        cx.count(RECOMPUTED, part.repeated.len() as u64);
    }
    cx.count(SPLIT, 1);
    cx.count(PARTS, parts.len() as u64);
    build::erase(operation);
}

fn said(name: &str, part: &Part) -> String {
    let results = part.results.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let results = match part.results.len() {
        0 => "no result".to_owned(),
        1 => format!("result {results}"),
        _ => format!("results {results}"),
    };
    let Part { loads, stores, repeated, .. } = part;
    format!(
        "'{name}' gives {results}, stores {} values for later parts, loads {} of earlier ones, \
         computes {} operations again",
        stores.len(),
        loads.len(),
        repeated.len()
    )
}

/// An apply before `apply` that computes one part, with its results and then what it stores.
fn make<'c: 'a, 'a>(
    apply: ApplyOp<'c, 'a>,
    part: &Part,
    stored: &BTreeMap<ItemId, Value<'c, 'a>>,
) -> OperationRef<'c, 'a> {
    let operation = apply.operation();
    let at = Inserter::before(operation);
    let whole = at.insert(build::clone(operation));
    let copy = ApplyOp::of(whole).expect("the copy of an apply is one");
    let bounds = apply.bounds().expect("bounds were asked for");
    let temp = |value: Value<'c, 'a>| types::temp(at.context(), &bounds, value.r#type());
    let items = walk::operations(copy.body());
    let values = |item: &ItemId| build::single(items[item.index()]);
    for value in &part.loads {
        place::read_instead(copy, items[value.index()], stored[value], Fault::SplitOffset);
    }
    let of_result = |result: &usize| build::result(operation, *result).r#type();
    let mut types = part.results.iter().map(of_result).collect::<Vec<_>>();
    types.extend(part.stores.iter().map(|value| temp(values(value))));
    let returned = copy.terminator();
    let points = returned.unroll().map_or(1, |unroll| unroll.iter().product::<i64>()) as usize;
    let all = returned.values();
    let chosen = part.results.iter().flat_map(|r| all[r * points..(r + 1) * points].to_vec());
    let chosen = chosen.chain(part.stores.iter().map(values)).collect::<Vec<_>>();
    replace_return(returned.operation(), &chosen);
    place::remove_unused(copy);
    replace_apply(whole, [], &types)
}
