//! Compiles with a planted fault that is a change of the IR between two passes.
//!
//! `stencil-faults` has the list. A fault that is in this table needs no site in the compiler: the
//! pipeline is cut before a pass, and the module is changed there.

mod extents;
mod kernels;
mod programs;
mod statements;
mod walls;

use melior::ir::{Module, OperationRef, Value, operation::OperationLike};
use stencil_dialects::{build, walk};
use stencil_driver::{
    DriverError,
    pipelines::{self, Kernels, LoweringOptions, Step, Sums},
    session::Session,
    target,
};
use stencil_faults::Fault;

/// A fault that is planted before a pass.
struct Change {
    fault: Fault,
    /// How the step begins before which the module is changed.
    before: &'static str,
    change: fn(&Module),
}

const fn change(fault: Fault, before: &'static str, change: fn(&Module)) -> Change {
    Change { fault, before, change }
}

const EXPAND_POWERS: &str = "func.func(stencil-expand-powers)";
const FOLD_DIVISIONS: &str = "func.func(stencil-fold-divisions)";
const FREEZE_ARITHMETIC: &str = "func.func(stencil-freeze-arithmetic)";
const UNIFY_APPLIES: &str = "func.func(stencil-unify-applies)";
/// After copies were placed.
const NAME_STAGES: &str = "func.func(stencil-name-stages)";
/// After several time steps became sweeps.
const RETIME: &str = "func.func(sweep-retime)";
/// After ghost cells were folded, and stores merged.
const INLINE_PRODUCERS: &str = "func.func(stencil-inline-producers";
/// After sweeps became planes.
const PIPELINE_FETCHES: &str = "func.func(sweep-pipeline-fetches)";
const TO_PLANES: &str = "func.func(convert-sweep-to-planes)";
/// After that.
const SIMPLIFY_KERNELS: &str = "gpu.module(canonicalize";
/// After accesses were combined.
const SCHEDULE_TREES: &str = "gpu.module(stencil-schedule-trees)";

/// The faults that are changes.
const CHANGES: &[Change] = &[
    change(Fault::NegativePower, EXPAND_POWERS, programs::positive_powers),
    change(Fault::RoundedReciprocal, FOLD_DIVISIONS, programs::permit_reciprocals),
    change(Fault::FreeFma, FREEZE_ARITHMETIC, programs::permit_contraction),
    change(Fault::DestinationOrder, UNIFY_APPLIES, programs::reverse_destinations),
    change(Fault::CopyOffset, NAME_STAGES, programs::shift_copies),
    change(Fault::PairBoundaries, RETIME, programs::boundaries_of_the_first),
    change(Fault::RemainderIterations, RETIME, programs::drop_remainders),
    change(Fault::MappingIgnored, TO_PLANES, programs::follow_first_dimensions),
    change(Fault::OffsetSign, TO_PLANES, programs::negate_offsets),
    change(Fault::DynamicOrigin, TO_PLANES, programs::dynamic_from_zero),
    change(Fault::IndexOrigin, TO_PLANES, programs::index_from_zero),
    change(Fault::StoreLower, TO_PLANES, programs::begin_stores_late),
    change(Fault::StoreUpper, TO_PLANES, programs::end_stores_late),
    change(Fault::UnrollOrder, TO_PLANES, programs::reverse_unrolled),
    change(Fault::SkippedPoints, TO_PLANES, programs::store_skipped),
    change(Fault::SubtractionOperands, TO_PLANES, |m| programs::swap(m, "arith.subf", [0, 1])),
    change(Fault::DivisionOperands, TO_PLANES, |m| programs::swap(m, "arith.divf", [0, 1])),
    change(Fault::SelectOperands, TO_PLANES, |m| programs::swap(m, "arith.select", [1, 2])),
    change(Fault::FmaOperands, TO_PLANES, |m| programs::swap(m, "math.fma", [1, 2])),
    change(Fault::SignedMinimum, TO_PLANES, |m| programs::rename(m, "arith.minsi", "arith.minui")),
    change(Fault::FloorOfNegative, TO_PLANES, |m| programs::rename(m, "math.floor", "math.trunc")),
    change(Fault::TruncatingConversion, TO_PLANES, programs::round_conversions),
    change(Fault::ColumnSign, TO_PLANES, programs::negate_columns),
    change(Fault::WrongBoundary, TO_PLANES, programs::rotate_boundaries),
    change(Fault::StoreDropped, SIMPLIFY_KERNELS, kernels::drop_second_stores),
    change(Fault::ScalarOrder, SIMPLIFY_KERNELS, kernels::swap_scalars),
    change(Fault::FieldOrder, SIMPLIFY_KERNELS, kernels::swap_fields),
    change(Fault::MemoryOverlap, SIMPLIFY_KERNELS, kernels::share_allocations),
    change(Fault::Rotation, SIMPLIFY_KERNELS, kernels::swap_rotation),
    change(Fault::OldName, SIMPLIFY_KERNELS, kernels::name_as_before),
    change(Fault::TripCount, SIMPLIFY_KERNELS, kernels::add_an_iteration),
    change(Fault::MissingClamp, SIMPLIFY_KERNELS, kernels::drop_clamps),
    change(Fault::BarrierDropped, SIMPLIFY_KERNELS, kernels::drop_barriers),
    change(Fault::VectorOrder, SCHEDULE_TREES, kernels::reverse_vectors),
    change(Fault::OldLevel, TO_PLANES, statements::carry_old_levels),
    change(Fault::LostOutput, TO_PLANES, statements::drop_outputs),
    change(Fault::ForgottenPlane, PIPELINE_FETCHES, statements::forget_oldest_planes),
    change(Fault::LostRows, PIPELINE_FETCHES, |m| statements::drop_first(m, "sweep.put")),
    change(Fault::LostFence, PIPELINE_FETCHES, |m| statements::drop_first(m, "sweep.fence")),
    change(Fault::LateFetch, PIPELINE_FETCHES, statements::fetch_late),
    change(Fault::NarrowMargin, PIPELINE_FETCHES, statements::narrow_margins),
    change(Fault::LostBoundary, PIPELINE_FETCHES, statements::drop_boundaries),
    change(Fault::PeriodicSide, PIPELINE_FETCHES, statements::end_periodic_sides),
    change(Fault::MirrorOffset, INLINE_PRODUCERS, walls::mirror_other_cells),
    change(Fault::LastFolded, INLINE_PRODUCERS, walls::fold_last_iterations),
    change(Fault::SourcePoints, INLINE_PRODUCERS, walls::move_sources),
    change(Fault::LeastExtents, SIMPLIFY_KERNELS, extents::ask_for_a_point),
];

/// [`Session::freeze`], with the fault that is planted.
pub fn freeze<'c>(session: &Session<'c>, module: &Module<'c>) -> Result<Module<'c>, DriverError> {
    let steps = pipelines::freeze(Sums::default());
    changed(session, module, &steps).unwrap_or_else(|| session.freeze(module))
}

/// [`Session::map`] to kernels that check what they do, with the fault that is planted.
pub fn map<'c>(session: &Session<'c>, frozen: &Module<'c>) -> Result<Module<'c>, DriverError> {
    let mapped = changed(session, frozen, pipelines::MAP);
    mapped.unwrap_or_else(|| session.map(frozen, Kernels::Checked))
}

/// A copy after the steps with the change of the planted fault, if it is among them.
fn changed<'c>(
    session: &Session<'c>,
    module: &Module<'c>,
    steps: &[Step],
) -> Option<Result<Module<'c>, DriverError>> {
    let Change { before, change, .. } =
        CHANGES.iter().find(|change| stencil_faults::planted(change.fault))?;
    let at = steps.iter().position(|step| step.passes.starts_with(before))?;
    let options = LoweringOptions { kernels: Kernels::Checked, plan: &session.plan(), chip: "" };
    let pipeline = |steps: &[Step]| pipelines::text(steps, target::DEFAULT, &options);
    Some(session.transform(module, &pipeline(&steps[..at])).and_then(|cut| {
        change(&cut);
        session.transform(&cut, &pipeline(&steps[at..]))
    }))
}

/// The ops of a name inside of an op.
fn named<'c: 'a, 'a>(root: OperationRef<'c, 'a>, name: &str) -> Vec<OperationRef<'c, 'a>> {
    let mut found = walk::nested(root);
    found.retain(|operation| walk::name(operation) == name);
    found
}

/// Two operands change places.
fn swap_operands(operation: OperationRef, one: usize, two: usize) {
    let [first, second] = [one, two].map(|at| operand(operation, at));
    build::set_operand(operation, one, second);
    build::set_operand(operation, two, first);
}

fn operand<'c: 'a, 'a>(operation: OperationRef<'c, 'a>, position: usize) -> Value<'c, 'a> {
    operation.operand(position).expect("the op has that many operands")
}

/// One value takes the place of an op, which goes.
fn replace(operation: OperationRef, value: Value) {
    build::replace_uses(build::single(operation), value);
    build::erase(operation);
}

#[test]
fn every_change_has_a_pass_before_which_it_is_made() {
    let freeze = pipelines::freeze(Sums::default());
    for Change { fault, before, .. } in CHANGES {
        let steps = freeze.iter().chain(pipelines::MAP);
        assert!(steps.into_iter().any(|step| step.passes.starts_with(before)), "{fault:?}");
    }
}
