//! `stencil-select-merging`: decide which applies become one kernel.
//!
//! Before: applies without `stencil.merge`.
//! After:  those that should be one kernel have `stencil.merge` with its name, for
//!         `stencil-merge-applies`.
//!
//! Why: kernels over the same points that read the same fields, such as the components of a curl,
//! read them once for each kernel; as one kernel, once. No result changes.
//! Chosen are applies with the same bounds that share a field or temp, or that read nothing (such
//! as those that zero the rims of several arrays, which saves launches), if neither depends on
//! another, not even through memory (`analysis/stages.rs`), up to 600 operations and four results
//! in all: the values of larger bodies exceed the registers of a thread. The name of the kernel is
//! theirs, joined by `_`.
//! Not merged: applies that would be swept by default, because a sweep computes one field, and so
//! saves more; applies with a plan or constraints, or keys of their own in `plan`, which refer to
//! kernels; any apply if `plan` asks for a mapping of sweeps. Of a long block, with a remark, an
//! apply is compared with the 64 kernels before it.
//! `plain=true` merges nothing. Requires `stencil-place-copies` and `stencil-name-stages`. Run
//! twice before the applies are merged, it chooses the same groups.
//! Does not recompute anything: that is `stencil-select-inlining`.

use super::{
    choice::Facts,
    decisions,
    fusion::GROUPS_NEAR,
    plan,
    select_inlining::{Fusing, function_name, is_named},
    sweep,
};
use crate::{
    analysis::stages::{self, Block},
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, flag, statistic, text,
    },
    transforms::name_stages::stage,
};
use melior::ir::OperationRef;
use std::collections::BTreeSet;
use stencil_dialects::{build, ods::stencil::attribute, ops::ApplyOp, walk};
use stencil_model::plan::{Mapping, PlanValue};

/// The table entry.
pub const SELECT_MERGING: PassInfo = PassInfo {
    argument: "stencil-select-merging",
    summary: "decide which applies become one kernel",
    source: include_str!("select_merging.rs"),
    anchor: Anchor::Function,
    options: &[
        text("target", "architecture, as sm_90a", "sm_90a"),
        text("chip", "chip that times are predicted for, as h100; else the target's", ""),
        text("plan", "as for stencil-select-plan: stages with keys of their own stay kernels", ""),
        flag("plain", "merge nothing", false),
        flag("part", "as for stencil-select-plan", false),
    ],
    statistics: &[SELECTED],
    dialects: &[],
    run: select_merging,
};

const SELECTED: Statistic = statistic("num-selected", "kernels that several applies should be");

fn select_merging(
    function: OperationRef,
    options: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    if options.flag("plain") {
        return Ok(());
    }
    let fusing = Fusing::of(function, options)?;
    let mut names = names(function);
    for Block { applies, mut stages, .. } in stages::blocks(function) {
        // Most programs have nothing to merge, and sweeps are not decided for nothing.
        if stages.groups().is_empty() {
            continue;
        }
        for (number, apply) in applies.iter().enumerate() {
            if let Some(why) = apart(&fusing, function, *apply) {
                stages.list[number].apart.get_or_insert(why);
            }
        }
        if applies.len() > GROUPS_NEAR {
            let what = format!(
                "is one of {} applies, each of which is compared with the {GROUPS_NEAR} kernels \
                 before it",
                applies.len()
            );
            cx.decline(&applies[0].operation(), &what);
        }
        for group in stages.groups() {
            let members = group.members.iter().map(|member| applies[*member].operation());
            let members = members.collect::<Vec<_>>();
            let parts = members.iter().filter_map(|member| stage(*member)).collect::<Vec<_>>();
            let mut name = parts.join("_");
            while !names.insert(name.clone()) {
                name.push('_');
            }
            let [bytes, fewer] = group.bytes;
            let others = list(&parts[1..]);
            let what = format!("is one kernel with {others}: {bytes} -> {fewer} bytes a point");
            cx.passed(&members[0], &what);
            for member in &members {
                let name = build::string(build::context(member), &name);
                build::set_attribute(*member, attribute::MERGE, name);
            }
            let all = list(&parts);
            let what = format!("{all} together ({bytes} -> {fewer} bytes a point)");
            decisions::include(members[0], what);
            cx.count(SELECTED, 1);
        }
    }
    Ok(())
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(" and ")
}

/// Names of stages.
fn names(function: OperationRef) -> BTreeSet<String> {
    let applies = walk::nested(function).into_iter().filter_map(ApplyOp::of);
    applies.filter_map(|apply| stage(apply.operation())).collect()
}

/// Why an apply is to remain a kernel of its own.
fn apart(fusing: &Fusing, function: OperationRef, apply: ApplyOp) -> Option<String> {
    if is_named(&fusing.request, function, apply) {
        return Some("the option 'plan' has keys for it".to_owned());
    }
    let operation = apply.operation();
    let (facts, own) = (Facts::of(apply)?, plan::keys(operation).unwrap_or_default());
    let stage = stage(operation)?;
    let names = [function_name(function), stage];
    let names = names.each_ref().map(String::as_str);
    let said = match fusing.request.said_of(&names, &own, facts.domain.len()) {
        Ok(said) => said,
        // The pass that writes plans reports it.
        Err(error) => return Some(error.to_string()),
    };
    match said.get("mapping") {
        Some(PlanValue::Text(word)) if word != Mapping::Thread.word() => {
            return Some(format!("the option 'plan' asks for mapping {word}"));
        }
        Some(_) => return None,
        None => {}
    }
    let swept = sweep::by_default(apply, &facts, &said, &fusing.target);
    matches!(swept, Ok(Ok(_))).then(|| "it is swept".to_owned())
}
