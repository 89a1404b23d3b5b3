//! The pragmas and hints of a stage, as attributes.

use crate::stencilgen::program::{Coordinate, PragmaHints, Stage};
use melior::{Context, ir::Attribute};
use std::collections::BTreeMap;
use stencil_dialects::{
    attributes::{self, PlanValue},
    build,
    ods::stencil,
};

/// The attributes of an apply for its pragmas and hints: plan keys where the plan has them, else
/// constraints that `stencil-select-plan` reads.
pub fn hint_attributes<'c>(
    context: &'c Context,
    stage: &Stage,
) -> Vec<(&'static str, Attribute<'c>)> {
    let PragmaHints {
        threads,
        points,
        stream,
        shared_bytes,
        occupancy,
        shared,
        not_shared,
        global,
    } = &*stage.hints;
    let along = |of: &BTreeMap<usize, i64>| {
        let dims = stage.frame.iter().map(|coordinate| match coordinate {
            Coordinate::Iterator(iterator, _) => of.get(iterator).copied().unwrap_or(1),
            Coordinate::Constant(_) => 1,
        });
        PlanValue::Integers(dims.collect())
    };
    let mut plan = BTreeMap::new();
    if !threads.is_empty() {
        plan.insert("threads".to_owned(), along(threads));
    }
    if !points.is_empty() {
        plan.insert("points".to_owned(), along(points));
    }
    if !plan.is_empty() {
        // The language describes such kernels only, no sweeps.
        plan.insert("mapping".to_owned(), PlanValue::Text("thread".to_owned()));
    }
    let mut constraints = Vec::new();
    let axis = |iterator: &usize| {
        let is_it = |one: &Coordinate| matches!(one, Coordinate::Iterator(it, _) if it == iterator);
        stage.frame.iter().position(is_it)
    };
    if let Some(dim) = stream.as_ref().and_then(axis) {
        constraints.push(format!("stream = {dim} : i64"));
    }
    constraints.extend(shared_bytes.map(|bytes| format!("shared_bytes = {bytes} : i64")));
    constraints.extend(occupancy.map(|part| format!("occupancy = {part:.17} : f64")));
    for (key, names) in [("shared", shared), ("not_shared", not_shared), ("global", global)] {
        if !names.is_empty() {
            constraints.push(format!("{key} = {names:?}"));
        }
    }
    let mut attributes = Vec::new();
    if !plan.is_empty() {
        attributes.push((stencil::attribute::PLAN, attributes::make_plan(context, &plan)));
    }
    if !constraints.is_empty() {
        let text = format!("{{{}}}", constraints.join(", "));
        attributes.push((stencil::attribute::CONSTRAINTS, build::attribute(context, &text)));
    }
    attributes
}
