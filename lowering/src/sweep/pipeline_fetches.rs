//! `sweep-pipeline-fetches`: load planes an iteration before they are needed.
//!
//! Before: kernels in the planes form whose loop fetches planes in the iteration that uses them.
//! After:  where the plan says `loads = "prefetch"` or `"ring"`, an iteration begins with the
//!         fetches of the next one's planes, which the loop carries; the first planes are fetched
//!         before the loop. So do maps that read cells of fields at coordinates that their points
//!         give. Planes that come through a ring are not fetched, and stay as they are.
//!
//! Why: the latency of memory passes while an iteration computes. It costs a register for each
//! point of a thread and each plane in flight.
//! Requires `convert-sweep-to-planes`. A fetch whose tile only the next iteration uses is left
//! as it is, so that the pass is idempotent. A plane that the kernel also stores is stored after
//! it was fetched, in the same iteration or later, and so it is after this pass.
//! Does not choose how planes are loaded (the plan does).

use super::planes::number;
use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    build::{self, Inserter},
    ods::sweep::{self as ops, FetchOp, MapOp, PlanesOp, TiledOp},
    ops::{AccessOp, DynAccessOp},
    walk,
};
use stencil_model::plan::Loads;
use stencil_passes::{
    framework::{Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic},
    strategy::plan,
};

/// The table entry.
pub const PIPELINE_FETCHES: PassInfo = PassInfo {
    argument: "sweep-pipeline-fetches",
    summary: "load planes an iteration before they are needed",
    source: include_str!("pipeline_fetches.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[PIPELINED],
    dialects: &["sweep"],
    run: pipeline_fetches,
};

const PIPELINED: Statistic = statistic("num-pipelined", "fetches an iteration ahead");

fn pipeline_fetches(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    // Loops are replaced: the list must not be read again.
    let kernels = walk::nested(function).into_iter().filter_map(TiledOp::of).collect::<Vec<_>>();
    for tiled in kernels {
        let plan = plan::sweep(tiled.operation())?.unwrap_or_default();
        // The only plane of one dimension has no iteration before it.
        if plan.loads == Loads::Direct || tiled.domain().rank() == 1 {
            continue;
        }
        let planes = walk::operations(tiled.body()).into_iter().find_map(PlanesOp::of);
        let planes = planes.expect("the verifier checked that there is a loop");
        let fetches = late_fetches(planes);
        cx.count(PIPELINED, fetches.len() as u64);
        if !fetches.is_empty() {
            rewrite(planes, &fetches, i64::from(plan.lines()));
        }
    }
    Ok(())
}

/// Fetches, and maps that only read cells of fields, that an op of the same iteration uses.
fn late_fetches<'c: 'a, 'a>(planes: PlanesOp<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let is_fetch = |operation: &OperationRef<'c, 'a>| {
        FetchOp::of(*operation).is_some() || MapOp::of(*operation).is_some_and(reads_only)
    };
    let is_late = |operation: &OperationRef<'c, 'a>| {
        let mut users = operation.results().flat_map(|tile| walk::uses(tile.into()));
        users.any(|used| walk::name(&used.user) != ops::YIELD)
    };
    let operations = walk::operations(planes.body()).into_iter();
    operations.filter(|operation| is_fetch(operation) && is_late(operation)).collect()
}

/// Whether a map reads fields, at cells that only the coordinates of its points give.
fn reads_only(map: MapOp) -> bool {
    let reads =
        |inner: &OperationRef| AccessOp::of(*inner).is_some() || DynAccessOp::of(*inner).is_some();
    map.tiles().is_empty() && walk::nested(map.operation()).iter().any(reads)
}

/// Replaces a loop by one that carries the tiles of fetches, which become those of the planes so
/// many on.
fn rewrite<'c: 'a, 'a>(planes: PlanesOp<'c, 'a>, fetches: &[OperationRef<'c, 'a>], lines: i64) {
    let operation = planes.operation();
    let before = Inserter::before(operation);
    let body = planes.body();
    let inside = Inserter::at_start(body, operation.location());
    let mut inits = planes.inits();
    let mut next = Vec::new();
    for fetch in fetches {
        inits.extend(tiles(before.insert(build::clone(*fetch))));
        let ahead = inside.insert(build::clone(*fetch));
        let plane = number(inside, plane_of(*fetch) + lines);
        match MapOp::of(ahead) {
            Some(map) => map.set_plane(plane),
            None => FetchOp::of(ahead).expect("it is a copy of a fetch").set_plane(plane),
        }
        next.extend(tiles(ahead));
    }
    for fetch in fetches {
        for tile in tiles(*fetch) {
            let arrived = build::add_argument(body, tile.r#type(), operation.location());
            build::replace_uses(tile, arrived);
        }
        build::erase(*fetch);
    }
    let end = walk::operations(body).pop().expect("the verifier checked that there is an end");
    let values = end.operands().chain(next).collect::<Vec<_>>();
    ops::r#yield(Inserter::before(end), &values);
    build::erase(end);
    let [from, to] = [planes.from(), planes.to()].map(|plane| number(before, plane));
    let new = ops::planes(before, &inits, from, to, build::take_region(operation, 0));
    new.set_turns(number(before, planes.turns().unwrap_or(1)));
    build::erase(operation);
}

fn tiles<'c: 'a, 'a>(fetch: OperationRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    fetch.results().map(Value::from).collect()
}

/// The plane of a fetch or a map, counted from the arriving one.
fn plane_of(operation: OperationRef) -> i64 {
    match MapOp::of(operation) {
        Some(map) => map.plane(),
        None => FetchOp::of(operation).expect("it is a fetch").plane(),
    }
}
