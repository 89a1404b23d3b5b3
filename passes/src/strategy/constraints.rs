//! Constraints of a program on its plans: `stencil.constraints = {..}` on an apply.
//!
//! Front ends write it where the source has pragmas or placement hints. A constraint is not a plan
//! key: the keys that it implies depend on target and mapping.

use melior::ir::{
    Attribute, OperationRef,
    attribute::{DictionaryAttribute, FloatAttribute},
    operation::OperationLike,
};
use stencil_dialects::{attributes, ods::stencil::attribute};
use stencil_model::{
    occupancy::registers_max_to_launch,
    plan::{Mapping, PlanKeys},
    target::Architecture,
};

/// The keys that there are, sorted.
const KEYS: &[&str] = &["global", "not_shared", "occupancy", "shared", "shared_bytes", "stream"];

/// The constraints of an apply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Constraints {
    /// The wanted occupancy: more than 0, at most 1.
    pub occupancy: Option<f64>,
    /// Keys for the placement of arrays, or the streaming of planes.
    placement: Vec<&'static str>,
}

impl Constraints {
    /// Those of an apply; an error says what is wrong with them.
    pub fn of(apply: OperationRef) -> Result<Self, String> {
        let Ok(attribute) = apply.attribute(attribute::CONSTRAINTS) else {
            return Ok(Self::default());
        };
        let dictionary = DictionaryAttribute::try_from(attribute)
            .expect("the verifier of the dialect accepts a dictionary only");
        let mut constraints = Self::default();
        for (name, value) in (0..dictionary.len()).filter_map(|at| dictionary.element(at).ok()) {
            let name = name.as_string_ref().as_str().unwrap_or_default().to_owned();
            let Some(key) = KEYS.iter().find(|key| **key == name) else {
                let known = KEYS.join(", ");
                let attribute = attribute::CONSTRAINTS;
                return Err(format!("{attribute} has no key '{name}', its keys are {known}"));
            };
            match *key {
                "occupancy" => constraints.occupancy = Some(part(value)?),
                key => constraints.placement.push(key),
            }
        }
        Ok(constraints)
    }

    /// Fills open keys of a plan whose threads are known.
    pub fn complete(&self, plan: &mut PlanKeys, target: &Architecture) {
        let Some(occupancy) = self.occupancy.filter(|_| plan.min_blocks == 1) else { return };
        let threads = plan.threads_per_block().max(1);
        let wanted = occupancy * f64::from(target.warps_max_per_sm * target.threads_per_warp);
        let blocks = (wanted / f64::from(threads)).ceil() as u32;
        plan.min_blocks = blocks.clamp(1, target.blocks_max_per_sm);
        if plan.max_registers.is_none() {
            let fitting = registers_max_to_launch(target, threads.saturating_mul(plan.min_blocks));
            // The schema's minimum still lets some kernels compile.
            plan.max_registers = Some(fitting.max(REGISTERS_LEAST));
        }
    }

    /// The constraints in the words of the language, `gmem` for `global`.
    pub fn words(&self) -> String {
        let words = self.placement.iter().map(|key| match *key {
            "global" => "gmem",
            "not_shared" => "no-shmem",
            "shared" => "shmem",
            key => key,
        });
        let words = words.chain(self.occupancy.map(|_| "occupancy"));
        let words = words.map(|word| format!("'{word}'")).collect::<Vec<_>>();
        words.join(" and ")
    }

    /// Constraints that a mapping does not support.
    pub fn unserved(&self, mapping: Mapping) -> Vec<&'static str> {
        if mapping.is_sweep() {
            return Vec::new();
        }
        // All reads are from global memory: no shared memory, no streaming.
        let keys = self.placement.iter().copied();
        keys.filter(|key| ["shared", "stream"].contains(key)).collect()
    }
}

/// The least that a plan's `max_registers` may be.
pub(super) const REGISTERS_LEAST: u32 = 16;

fn part(value: Attribute) -> Result<f64, String> {
    let part = FloatAttribute::try_from(value).map(|value| value.value()).ok();
    let part = part.or_else(|| attributes::integer(value).map(|value| value as f64));
    match part {
        Some(part) if part > 0.0 && part <= 1.0 => Ok(part),
        Some(part) => Err(format!("an occupancy is more than 0 and at most 1, not {part}")),
        None => Err("an occupancy is a number".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(occupancy: f64, plan: PlanKeys) -> PlanKeys {
        let target = Architecture::parse("sm_90a").unwrap();
        let constraints = Constraints { occupancy: Some(occupancy), ..Constraints::default() };
        let mut plan = plan;
        constraints.complete(&mut plan, target);
        plan
    }

    #[test]
    fn occupancy_becomes_blocks_and_the_registers_that_let_them_fit() {
        let plan = PlanKeys { threads: vec![1, 8, 32], ..PlanKeys::default() };
        let half = completed(0.5, plan.clone());
        assert_eq!((half.min_blocks, half.max_registers), (4, Some(64)));
        let all = completed(1.0, plan);
        assert_eq!((all.min_blocks, all.max_registers), (8, Some(32)));
    }

    #[test]
    fn keys_that_are_written_stay() {
        let threads = vec![1, 8, 32];
        let plan =
            PlanKeys { threads, min_blocks: 2, max_registers: Some(96), ..PlanKeys::default() };
        assert_eq!(completed(1.0, plan.clone()), plan);
    }
}
