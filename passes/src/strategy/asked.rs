//! The requested keys of a kernel's plan, and the decided plan.

use std::collections::BTreeSet;
use stencil_model::plan::{Plan, PlanError, request::Keys};

/// A partial plan, with the set of its explicit keys, which include explicit defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The plan; keys that are open have their defaults.
    pub plan: Plan,
    keys: BTreeSet<String>,
}

impl Asked {
    /// The partial plan of these keys.
    ///
    /// # Errors
    /// If no plan has them.
    pub fn of(said: &Keys) -> Result<Asked, PlanError> {
        Ok(Asked { plan: Plan::from_tree(said)?, keys: said.keys().cloned().collect() })
    }

    /// Whether a key is explicit.
    pub fn says(&self, key: &str) -> bool {
        self.keys.contains(key)
    }
}

impl From<Plan> for Asked {
    /// Treats keys that differ from the default as explicit.
    fn from(plan: Plan) -> Asked {
        let keys = plan.to_tree().into_keys().collect();
        Asked { plan, keys }
    }
}

/// A complete plan with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The plan.
    pub plan: Plan,
    /// Why, in words.
    pub why: String,
    /// Whether the mapping was not requested.
    pub chooses_mapping: bool,
}
