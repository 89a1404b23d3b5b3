//! `stencil-limit-time-steps`: write down for which time steps tables can be read.
//!
//! Before: a time loop with accesses at coordinates that are computed from its induction variable,
//!         such as `stencil.dyn_access %s[%t] in <[0]> : <[6]> attributes {absolute}`.
//! After:  the function has `stencil.step_limits`, one entry for each table: the argument that it
//!         is, if it is one, and the first and the last value of the induction variable for which
//!         all coordinates are in the ranges of the accesses.
//!
//! Why: the number of time steps is often not the program's: an argument, or set by `--steps`. With
//! more steps than a table has values, kernels would read other memory. What sets or binds the
//! number refuses it, and reads the limits in a package's manifest, where accesses are gone.
//! Runs on what will be lowered; accesses that later passes make are none of the program. An
//! attribute that is there already is replaced, or removed where there is nothing to limit.
//! Does not look at the bounds of the loop, which may be replaced. Does not limit what is read at
//! some steps or points only, in nested loops, at coordinates that are not linear in the induction
//! variable or relative to the point, nor functions with several loops at their top level: there
//! the interpreter and checked kernels report what happens.

use crate::{
    analysis::step_limits::{StepLimit, step_limits},
    framework::{Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic},
};
use melior::ir::{OperationRef, operation::OperationLike};
use stencil_dialects::{build, ods::stencil::attribute};

/// The table entry.
pub const LIMIT_TIME_STEPS: PassInfo = PassInfo {
    argument: "stencil-limit-time-steps",
    summary: "write down for which time steps tables can be read",
    source: include_str!("limit_time_steps.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[LIMITED],
    dialects: &[],
    run: limit_time_steps,
};

const LIMITED: Statistic = statistic("num-limited", "tables that limit the number of time steps");

fn limit_time_steps(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    let limits = step_limits(function);
    if limits.is_empty() {
        if function.has_attribute(attribute::STEP_LIMITS) {
            build::remove_attribute(function, attribute::STEP_LIMITS);
        }
        return Ok(());
    }
    let text = format!("[{}]", limits.iter().map(entry).collect::<Vec<_>>().join(", "));
    let limited = build::attribute(build::context(&function), &text);
    build::set_attribute(function, attribute::STEP_LIMITS, limited);
    cx.count(LIMITED, limits.len() as u64);
    Ok(())
}

/// An entry of the attribute as text.
fn entry(StepLimit { argument, first, last }: &StepLimit) -> String {
    let argument =
        argument.map_or_else(String::new, |number| format!("argument = {number} : i64, "));
    format!("{{{argument}first = {first} : i64, last = {last} : i64}}")
}

#[cfg(test)]
mod tests {
    use super::{StepLimit, entry};

    #[test]
    fn tables_are_named_where_they_are_arguments() {
        let named = StepLimit { argument: Some(5), first: -1, last: 6 };
        assert_eq!(entry(&named), "{argument = 5 : i64, first = -1 : i64, last = 6 : i64}");
        let other = StepLimit { argument: None, ..named };
        assert_eq!(entry(&other), "{first = -1 : i64, last = 6 : i64}");
    }
}
