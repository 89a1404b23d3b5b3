//! `stencil-name-stages`: give every apply a stable name.
//!
//! Before: `stencil.apply` ops distinguished only by their position.
//! After:  every apply of the function carries `stencil.stage = "<name>"`, unique in the function.
//!
//! Why: plans, reports and remarks refer to kernels by name, and passes that move or merge applies
//! keep the name. Existing names are kept; a second apply of one name gets a number appended. An
//! apply without a name is called `stage<N>` by its position among all applies of the function.
//! Does not change what is computed.

use crate::framework::{
    Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic,
};
use melior::ir::{OperationRef, operation::OperationLike};
use std::collections::BTreeSet;
use stencil_dialects::{attributes, build, ods::stencil::attribute, ops::ApplyOp, walk};

pub use stencil_model::plan::request::kernel_name;

/// The table entry.
pub const NAME_STAGES: PassInfo = PassInfo {
    argument: "stencil-name-stages",
    summary: "give every apply a stable name, unique in its function",
    source: include_str!("name_stages.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[NAMED],
    dialects: &[],
    run: name_stages,
};

const NAMED: Statistic = statistic("num-named", "applies that got a name");

fn name_stages(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    let applies = walk::nested(function).into_iter().filter_map(ApplyOp::of).collect::<Vec<_>>();
    let given = applies.iter().map(|apply| stage(apply.operation())).collect::<Vec<_>>();
    for (apply, (old, new)) in applies.iter().zip(given.iter().zip(unique_names(&given))) {
        if old.as_ref() != Some(&new) {
            let operation = apply.operation();
            let name = build::string(build::context(&operation), &new);
            build::set_attribute(operation, attribute::STAGE, name);
            cx.count(NAMED, 1);
        }
    }
    Ok(())
}

/// The name of an apply; none before this pass.
pub fn stage(apply: OperationRef) -> Option<String> {
    attributes::string(apply.attribute(attribute::STAGE).ok()?)
}

/// The name of the sweep that an apply is to be part of, with others; none if it is a kernel.
pub fn group(apply: OperationRef) -> Option<String> {
    attributes::string(apply.attribute(attribute::GROUP).ok()?)
}

/// A name for each apply: its own if it is the first of that name, else an unused one.
fn unique_names(given: &[Option<String>]) -> Vec<String> {
    let mut taken = given.iter().flatten().cloned().collect::<BTreeSet<_>>();
    let mut seen = BTreeSet::new();
    let mut names = Vec::new();
    for (position, name) in given.iter().enumerate() {
        let wanted = name.clone().unwrap_or_else(|| format!("stage{position}"));
        let is_own = name.is_some() && !seen.contains(&wanted);
        let mut chosen = wanted.clone();
        let mut number = 1;
        while !is_own && taken.contains(&chosen) {
            chosen = format!("{wanted}_{number}");
            number += 1;
        }
        taken.insert(chosen.clone());
        seen.insert(chosen.clone());
        names.push(chosen);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::{kernel_name, unique_names};

    fn names(given: &[&str]) -> Vec<String> {
        let given = given
            .iter()
            .map(|name| (!name.is_empty()).then(|| (*name).to_owned()))
            .collect::<Vec<_>>();
        unique_names(&given)
    }

    #[test]
    fn unnamed_applies_are_numbered() {
        assert_eq!(names(&["", ""]), ["stage0", "stage1"]);
    }

    #[test]
    fn given_names_stay_and_second_ones_move() {
        assert_eq!(names(&["a", "a", "a_1"]), ["a", "a_2", "a_1"]);
        assert_eq!(names(&["", "stage0"]), ["stage0_1", "stage0"]);
    }

    #[test]
    fn kernel_names_are_words() {
        assert_eq!(kernel_name("heat", "stage-0.left"), "heat_stage_0_left");
        assert_eq!(kernel_name("1d", "2"), "_1d_2");
    }
}
