//! A value in the tree of a plan: the few kinds that an attribute of the IR and JSON both have.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An integer, a word, or a list of integers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// `128`
    Integer(i64),
    /// `"thread"`
    Text(String),
    /// `[1, 4, 32]`
    Integers(Vec<i64>),
}

impl Value {
    /// The kind, as an error message names it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Integer(_) => "an integer",
            Self::Text(_) => "a word",
            Self::Integers(_) => "a list of integers",
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(integer) => write!(f, "{integer}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Integers(integers) => write!(f, "{integers:?}"),
        }
    }
}
