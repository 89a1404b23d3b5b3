//! Validates the manifest's number of time steps, and its limits.
//!
//! Setting the number of steps replaces that one value, so it must be a scalar that is defined
//! before any loop; that the loops depend on it is checked when it is set.

use super::{Argument, Function, Statement, StepLimit, TimeSteps};

/// Checks the time steps of a function whose body is valid.
pub(super) fn check(function: &Function) -> Result<(), String> {
    for StepLimit { argument, .. } in &function.step_limits {
        let Some(position) = *argument else { continue };
        let argument = function.arguments.get(position as usize);
        if argument.and_then(|Argument { kind, .. }| kind.as_field()).is_none() {
            return Err(format!("argument {position}, which limits them, is no field"));
        }
    }
    let Some(TimeSteps { value, step, rotation }) = function.time_steps else { return Ok(()) };
    if step == 0 || rotation == 0 {
        return Err(format!("the step is {step}, the rotation {rotation}; both are at least 1"));
    }
    let is_loop = |statement: &Statement| matches!(statement, Statement::For { .. });
    let before = function.body.iter().take_while(|statement| !is_loop(statement));
    let ty = before.into_iter().find_map(|statement| match statement {
        Statement::Constant { result, value: number } if *result == value => Some(number.ty()),
        Statement::Scalar { result, ty, .. } if *result == value => Some(*ty),
        _ => None,
    });
    match ty {
        Some(ty) if ty.is_float() => Err(format!("value {value} is a {ty}, expected an integer")),
        Some(_) => Ok(()),
        None => Err(format!("value {value} is not a scalar computed before the first loop")),
    }
}

impl TimeSteps {
    /// The position of the statement that defines the number, in a valid body.
    pub fn place(&self, body: &[Statement]) -> usize {
        let defines = |statement: &Statement| match statement {
            Statement::Constant { result, .. } | Statement::Scalar { result, .. } => {
                *result == self.value
            }
            _ => false,
        };
        body.iter().position(defines).expect("a validated function defines its number of steps")
    }
}
