//! The requested keys of a kernel's plan, and the decided plan.

use std::collections::BTreeSet;
use stencil_model::plan::{PlanError, PlanKeys, request::Keys};

/// The keys of a partial plan, with the set of explicit ones, which include explicit defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The keys; those that are open have their defaults.
    pub plan: PlanKeys,
    keys: BTreeSet<String>,
}

impl Asked {
    /// The partial plan of these keys.
    ///
    /// # Errors
    /// If no plan has them.
    pub fn of(said: &Keys) -> Result<Asked, PlanError> {
        Ok(Asked { plan: PlanKeys::from_tree(said)?, keys: said.keys().cloned().collect() })
    }

    /// Whether a key is explicit.
    pub fn says(&self, key: &str) -> bool {
        self.keys.contains(key)
    }
}

/// Treats keys that differ from the default as explicit.
impl From<PlanKeys> for Asked {
    fn from(plan: PlanKeys) -> Asked {
        let keys = plan.to_tree().into_keys().collect();
        Asked { plan, keys }
    }
}

/// A complete plan with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The keys of the plan.
    pub plan: PlanKeys,
    /// Why, in words.
    pub why: String,
    /// Whether the mapping was not requested.
    pub chooses_mapping: bool,
    /// What the program's constraints cost, in words.
    pub excluded: Option<String>,
}
