//! A value in the tree of a plan: the few kinds that an attribute of the IR and JSON both have.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An integer, a word, or a list of integers, in the IR, after `--plan` and in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PlanValue {
    /// `128`
    Integer(i64),
    /// `"thread"`
    Text(String),
    /// `[1, 4, 32]`
    Integers(Vec<i64>),
    /// An attribute that no key takes; its text.
    #[serde(skip)]
    Other(String),
}

impl PlanValue {
    /// The kind, as an error message names it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Integer(_) => "an integer",
            Self::Text(_) => "a word",
            Self::Integers(_) => "a list of integers",
            Self::Other(_) => "a value of another kind",
        }
    }
}

impl fmt::Display for PlanValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(integer) => write!(f, "{integer}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Integers(integers) => write!(f, "{integers:?}"),
            Self::Other(text) => f.write_str(text),
        }
    }
}
