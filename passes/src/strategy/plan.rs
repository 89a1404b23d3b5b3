//! Conversion of `#stencil.plan` between IR and `stencil-model`, which has the schema.

use crate::framework::{PassResult, refuse};
use melior::{
    Context,
    ir::{Attribute, OperationRef, operation::OperationLike},
};
use std::collections::BTreeMap;
use stencil_dialects::{
    attributes::{self, PlanValue},
    ods::stencil::attribute,
};
use stencil_model::plan::{Plan, PlanError, Value, request::Keys};

/// Attribute of a `sweep.kernel` that holds its plan; the op has it by definition.
const KERNEL_PLAN: &str = "plan";

/// Installs the model's schema as the verifier of every `#stencil.plan`.
pub fn install_schema() {
    attributes::set_plan_check(|tree| match parse(tree) {
        Ok(_) => Vec::new(),
        Err(problem) => vec![problem],
    });
}

/// The plan of an apply or kernel; none where it has none.
///
/// # Errors
/// What is wrong with its keys.
pub fn of(operation: OperationRef) -> Option<Result<Plan, String>> {
    let attribute =
        operation.attribute(attribute::PLAN).or_else(|_| operation.attribute(KERNEL_PLAN)).ok()?;
    let tree = attributes::plan(attribute)?;
    Some(parse(&tree))
}

/// The explicit keys of an apply's plan, also those with default values.
///
/// # Errors
/// A value of a kind that no key takes.
pub fn keys(operation: OperationRef) -> Result<Keys, String> {
    let tree =
        operation.attribute(attribute::PLAN).ok().and_then(attributes::plan).unwrap_or_default();
    to_keys(&tree)
}

/// The same, with a diagnostic if the plan is wrong.
///
/// # Errors
/// The refusal of the operation, with what is wrong.
pub fn checked(operation: OperationRef) -> PassResult<Option<Plan>> {
    of(operation).transpose().map_err(|why| refuse(&operation, why, "fix the plan"))
}

/// The plan that `stencil-select-plan` has completed.
///
/// # Errors
/// The refusal of an operation without one.
pub fn complete(operation: OperationRef) -> PassResult<Plan> {
    let plan = checked(operation)?.filter(|plan| !plan.threads.is_empty());
    let remedy = "run stencil-select-plan first";
    plan.ok_or_else(|| refuse(&operation, "has no complete plan", remedy))
}

/// The attribute of a plan.
pub fn attribute<'c>(context: &'c Context, plan: &Plan) -> Attribute<'c> {
    attributes::make_plan(context, &tree(plan))
}

/// The same as plain attributes, for kernels of the gpu dialect, which other tools read.
pub fn plain_attribute<'c>(context: &'c Context, plan: &Plan) -> Attribute<'c> {
    attributes::make_plain_plan(context, &tree(plan))
}

fn tree(plan: &Plan) -> BTreeMap<String, PlanValue> {
    plan.to_tree().into_iter().map(|(key, value)| (key, from_model(value))).collect()
}

fn parse(tree: &BTreeMap<String, PlanValue>) -> Result<Plan, String> {
    Plan::from_tree(&to_keys(tree)?).map_err(|error: PlanError| error.to_string())
}

fn to_keys(tree: &BTreeMap<String, PlanValue>) -> Result<Keys, String> {
    let entry = |(key, value): (&String, &PlanValue)| {
        let value = to_model(value)
            .ok_or_else(|| format!("plan key '{key}' has a value of a kind that no key takes"))?;
        Ok((key.clone(), value))
    };
    tree.iter().map(entry).collect()
}

fn to_model(value: &PlanValue) -> Option<Value> {
    match value {
        PlanValue::Integer(number) => Some(Value::Integer(*number)),
        PlanValue::Text(text) => Some(Value::Text(text.clone())),
        PlanValue::Integers(numbers) => Some(Value::Integers(numbers.clone())),
        PlanValue::Flag(_) | PlanValue::Other(_) => None,
    }
}

fn from_model(value: Value) -> PlanValue {
    match value {
        Value::Integer(number) => PlanValue::Integer(number),
        Value::Text(text) => PlanValue::Text(text),
        Value::Integers(numbers) => PlanValue::Integers(numbers),
    }
}
