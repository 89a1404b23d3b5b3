//! What is said of one key of a plan, and what values it admits.

use crate::plan::{Mapping, Plan, PlanError, Value};

/// One key of a plan.
#[derive(Debug)]
pub struct Key {
    /// As it is written.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// What holds where it is not written, in words; `None`: it must be decided.
    pub default: Option<&'static str>,
    /// What it means, in a sentence.
    pub doc: &'static str,
    /// The mappings that have means for it.
    pub mappings: &'static [Mapping],
    /// The value in a plan; `None` where it is the default.
    pub(in crate::plan) read: fn(&Plan) -> Option<Value>,
    /// Puts an admitted value into a plan.
    pub(in crate::plan) write: fn(&mut Plan, &Value),
}

/// What a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One of some words.
    Word(&'static [&'static str]),
    /// An integer in a range, ends included.
    Integer {
        /// The smallest.
        least: u32,
        /// The largest.
        most: u32,
    },
    /// An integer in a range for each dimension of the domain, slowest first.
    PerDimension {
        /// The smallest.
        least: u32,
        /// The largest.
        most: u32,
        /// What a list with fewer entries than dimensions means where it is for any rank.
        short: Short,
    },
}

/// Which dimensions the entries of a short list are for; the others get 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Short {
    /// The slowest.
    Slowest,
    /// The fastest.
    Fastest,
}

impl Key {
    /// Refuses a value of another kind or outside the range.
    pub fn admit(&self, value: &Value) -> Result<(), PlanError> {
        match (self.kind, value) {
            (Kind::Word(words), Value::Text(word)) => self.admit_word(words, word),
            (Kind::Integer { least, most }, Value::Integer(integer)) => {
                self.admit_number(*integer, least, most)
            }
            (Kind::PerDimension { least, most, .. }, Value::Integers(integers)) => {
                if !(1..=3).contains(&integers.len()) {
                    return Err(PlanError::Length { key: self.name, found: integers.len() });
                }
                integers.iter().try_for_each(|integer| self.admit_number(*integer, least, most))
            }
            (_, other) => Err(PlanError::Kind {
                key: self.name,
                expected: self.kind.to_string(),
                found: other.kind(),
                value: other.to_string(),
            }),
        }
    }

    fn admit_word(&self, words: &[&str], word: &str) -> Result<(), PlanError> {
        if words.contains(&word) {
            return Ok(());
        }
        let known = words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ");
        Err(PlanError::Word { key: self.name, value: word.to_owned(), known })
    }

    fn admit_number(&self, value: i64, least: u32, most: u32) -> Result<(), PlanError> {
        if (i64::from(least)..=i64::from(most)).contains(&value) {
            return Ok(());
        }
        Err(PlanError::Range { key: self.name, value, least, most })
    }
}

/// As a message or a reference page says it.
impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Word(words) => write!(f, "one of the words {}", words.join(", ")),
            Self::Integer { least, most } => write!(f, "an integer in {least}..={most}"),
            Self::PerDimension { least, most, .. } => {
                write!(f, "a list of integers in {least}..={most}, one per dimension")
            }
        }
    }
}
