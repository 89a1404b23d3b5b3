//! What is asked of a kernel's plan, and what was decided.

use std::collections::BTreeSet;
use stencil_model::plan::{Plan, PlanError, request::Keys};

/// A plan that leaves keys open, and which keys it says: also those whose value is the default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The plan; keys that are open have their defaults.
    pub plan: Plan,
    keys: BTreeSet<String>,
}

impl Asked {
    /// The plan that these keys say.
    ///
    /// # Errors
    /// If no plan says them.
    pub fn of(said: &Keys) -> Result<Asked, PlanError> {
        Ok(Asked { plan: Plan::from_tree(said)?, keys: said.keys().cloned().collect() })
    }

    /// Whether a key is asked for.
    pub fn says(&self, key: &str) -> bool {
        self.keys.contains(key)
    }
}

impl From<Plan> for Asked {
    /// Says what is not the default.
    fn from(plan: Plan) -> Asked {
        let keys = plan.to_tree().into_keys().collect();
        Asked { plan, keys }
    }
}

/// A complete plan, and why it is this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The plan.
    pub plan: Plan,
    /// Why, in words.
    pub why: String,
    /// Whether nobody has said the mapping.
    pub chooses_mapping: bool,
}
