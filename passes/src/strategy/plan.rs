//! Conversion of `#stencil.plan` between IR and `stencil-model`, which has the schema.

use crate::framework::{PassResult, refuse};
use melior::{
    Context,
    ir::{Attribute, OperationRef, operation::OperationLike},
};
use stencil_dialects::{attributes, ods::stencil::attribute};
use stencil_model::plan::{Plan, PlanKeys, SweepPlan, ThreadPlan, request::Keys};

/// Attribute of a `sweep.kernel` that holds its plan; the op has it by definition.
const KERNEL_PLAN: &str = "plan";

/// Installs the model's schema as the verifier of every `#stencil.plan`.
pub fn install_schema() {
    attributes::set_plan_check(|tree| match PlanKeys::from_tree(tree) {
        Ok(_) => Vec::new(),
        Err(problem) => vec![problem.to_string()],
    });
}

/// What the plan of an apply or kernel says, key by key; none where it has none.
pub fn keys(operation: OperationRef) -> Option<Keys> {
    let attribute =
        operation.attribute(attribute::PLAN).or_else(|_| operation.attribute(KERNEL_PLAN)).ok()?;
    attributes::plan(attribute)
}

/// The same with defaults for other keys, whether the plan is complete or not; none where a key or
/// its value is wrong.
pub fn written(operation: OperationRef) -> Option<PlanKeys> {
    PlanKeys::from_tree(&keys(operation)?).ok()
}

/// The plan of an apply or kernel; none where it has none.
///
/// # Errors
/// What is wrong with its keys.
pub fn of(operation: OperationRef) -> Option<Result<Plan, String>> {
    let plan = PlanKeys::from_tree(&keys(operation)?).and_then(|keys| keys.plan());
    Some(plan.map_err(|error| error.to_string()))
}

/// The same, with a diagnostic if the plan is wrong.
///
/// # Errors
/// The refusal of the operation, with what is wrong.
pub fn checked(operation: OperationRef) -> PassResult<Option<Plan>> {
    of(operation).transpose().map_err(|why| refuse(&operation, why, "fix the plan"))
}

/// The plan of an operation that may be a sweep, if it is one.
///
/// # Errors
/// The refusal of the operation, with what is wrong.
pub fn sweep(operation: OperationRef) -> PassResult<Option<SweepPlan>> {
    Ok(checked(operation)?.and_then(Plan::into_sweep))
}

/// The plan of threads that `stencil-select-plan` has completed.
///
/// # Errors
/// The refusal of an operation without one.
pub fn complete_thread(operation: OperationRef) -> PassResult<ThreadPlan> {
    let remedy = "run convert-stencil-to-sweep first";
    let other = || refuse(&operation, "has a plan for a sweep", remedy);
    complete(operation)?.into_thread().ok_or_else(other)
}

/// The plan of a sweep that `stencil-select-plan` has completed.
///
/// # Errors
/// The refusal of an operation without one.
pub fn complete_sweep(operation: OperationRef) -> PassResult<SweepPlan> {
    let remedy = "sweeps are for the mappings warp and block";
    let other = || refuse(&operation, "has a plan for the mapping thread", remedy);
    complete(operation)?.into_sweep().ok_or_else(other)
}

fn complete(operation: OperationRef) -> PassResult<Plan> {
    let plan = checked(operation)?.filter(|plan| !plan.threads.is_empty());
    let remedy = "run stencil-select-plan first";
    plan.ok_or_else(|| refuse(&operation, "has no complete plan", remedy))
}

/// The attribute that says a plan.
pub fn attribute<'c>(context: &'c Context, plan: impl Into<PlanKeys>) -> Attribute<'c> {
    attributes::make_plan(context, &plan.into().to_tree())
}

/// The same on kernels of the gpu dialect, which others read who do not know our attributes.
pub fn plain_attribute<'c>(context: &'c Context, keys: &PlanKeys) -> Attribute<'c> {
    attributes::make_plain_plan(context, &keys.to_tree())
}
