//! Time loops of several statements that can be one sweep: which they are, and their plans.
//!
//! A loop whose only statement can be a `sweep.kernel` is planned with its apply
//! (`strategy/sweep.rs`). All others whose iterations can be steps of one sweep
//! (`analysis/time_stages.rs`) have a plan of their own, on the loop: its statements in several
//! steps are one kernel. The statements have plans as well, for the iterations that are left.

use super::{
    asked::{Asked, Decision},
    choice::Facts,
    constraints::Constraints,
    select_inlining::function_name,
    sweep,
};
use crate::{
    analysis::{
        statement::Statement,
        time_loop::TimeLoop,
        time_stages::{Source, TimeStages},
    },
    transforms::name_stages::stage,
};
use melior::ir::OperationRef;
use melior::ir::{Value, ValueLike};
use stencil_dialects::{StencilType, ods::scf, ops::ApplyOp, walk};
use stencil_model::{
    plan::{Mapping, PlanError, PlanKeys, PlanValue, request::Keys},
    target::Architecture,
};

/// A loop that can be one sweep.
pub struct LoopOf<'c, 'a> {
    /// Its statements.
    pub stages: TimeStages<'c, 'a>,
    /// Facts of the largest statement, on the points of all of them.
    pub facts: Facts,
    /// Its function.
    pub function: String,
    /// Its name.
    pub stage: String,
}

/// The loops of a function that can be one sweep.
pub fn loops<'c: 'a, 'a>(function: OperationRef<'c, 'a>) -> Vec<LoopOf<'c, 'a>> {
    let operations = walk::nested(function).into_iter();
    let loops = operations.filter(|operation| walk::name(operation) == scf::FOR);
    let found = loops.filter_map(|operation| {
        let stages = TimeStages::of(operation).ok()?;
        (!has_kernel(&stages)).then_some(stages)
    });
    let found = found.enumerate().filter_map(|(number, stages)| {
        let name = stage(stages.operation).unwrap_or_else(|| match number {
            0 => "loop".to_owned(),
            _ => format!("loop{number}"),
        });
        let facts = facts(&stages)?;
        Some(LoopOf { stages, facts, function: function_name(function), stage: name })
    });
    found.collect()
}

/// Whether the only statement of a loop can be a `sweep.kernel` of several steps.
fn has_kernel(stages: &TimeStages) -> bool {
    let [only] = &stages.stages[..] else { return false };
    let statement = Statement::of_apply(only.apply);
    statement.is_ok_and(|statement| TimeLoop::of(&statement).is_ok())
}

/// Facts of the statement with the most operations, on the hull of all domains.
fn facts(stages: &TimeStages) -> Option<Facts> {
    let facts = stages.stages.iter().map(|stage| Facts::of(stage.apply));
    let facts = facts.collect::<Option<Vec<_>>>()?;
    let largest = facts.into_iter().max_by_key(|facts| facts.operations)?;
    let domains = stages.stages.iter().map(|stage| stage.domain.clone());
    let domain = domains.reduce(|one, two| one.union(&two))?;
    let domain = domain.extents().into_iter().map(|extent| extent.unsigned_abs()).collect();
    Some(Facts { domain, ..largest })
}

impl<'c: 'a, 'a> LoopOf<'c, 'a> {
    /// The applies of its statements.
    pub fn applies(&self) -> impl Iterator<Item = ApplyOp<'c, 'a>> {
        self.stages.stages.iter().map(|stage| stage.apply)
    }

    /// The plan of the loop's sweep under these keys; none if it is none.
    ///
    /// # Errors
    /// If no plan has these keys.
    pub fn decide(
        &self,
        said: &Keys,
        target: &Architecture,
    ) -> Result<Option<Decision>, PlanError> {
        let is_asked = match said.get("mapping") {
            Some(PlanValue::Text(word)) if word == Mapping::Thread.word() => return Ok(None),
            Some(_) => true,
            None => false,
        };
        if !is_asked {
            return Ok(None);
        }
        let asked = Asked::of(said)?;
        let plan = sweep::complete(asked.plan, &self.facts, target);
        let given = said.keys().cloned().collect::<Vec<_>>().join(", ");
        let why = format!("{}; given: {given}", self.why(&plan));
        Ok(Some(Decision { plan, why, chooses_mapping: false, excluded: None }))
    }

    fn why(&self, plan: &PlanKeys) -> String {
        let names = self.applies().filter_map(|apply| stage(apply.operation()));
        let names = names.map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
        format!("swept, {} time steps of {names} per sweep", plan.steps)
    }

    /// Whether a hint of the program, or a plan of its own, is about one of its statements.
    pub fn has_plans(&self) -> bool {
        self.applies().any(|apply| {
            let constraints = Constraints::of(apply.operation());
            constraints.is_ok_and(|constraints| !constraints.words().is_empty())
                || super::plan::keys(apply.operation()).is_some()
        })
    }

    /// The fields that statements read and none of them changes.
    pub fn coefficients(&self) -> Vec<Value<'c, 'a>> {
        let mut fields: Vec<Value> = Vec::new();
        for source in self.stages.stages.iter().flat_map(|stage| &stage.inputs) {
            if let Source::Field(field) = source
                && !fields.contains(field)
                && StencilType::of(field.r#type()).is_some()
            {
                fields.push(*field);
            }
        }
        fields
    }
}
