//! What is said of one key of a plan, and what values it admits.
//!
//! The keys themselves are declared in `keys.rs`.

pub use super::keys::SCHEMA;
use super::{Mapping, PlanError, PlanKeys, PlanValue};

/// One key of a plan.
#[derive(Debug)]
pub struct Key {
    /// As it is written.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// What holds where it is not written, if the default of its field does not say so.
    pub(super) default: Option<&'static str>,
    /// What it means, in a sentence.
    pub doc: &'static str,
    /// The mappings that it has an effect with.
    pub mappings: &'static [Mapping],
    /// The value that keys have, none where it is open.
    pub(super) read: fn(&PlanKeys) -> Option<PlanValue>,
    /// Puts an admitted value into keys.
    pub(super) write: fn(&mut PlanKeys, &PlanValue),
}

/// A type of a key's value. [`Key::admit`] is called before `of`.
pub(crate) trait Field {
    /// As a tree has it, none where it is open.
    fn value(&self) -> Option<PlanValue>;

    /// Of an admitted value.
    fn of(value: &PlanValue) -> Self;
}

impl Field for u32 {
    fn value(&self) -> Option<PlanValue> {
        Some(PlanValue::Integer(i64::from(*self)))
    }

    fn of(value: &PlanValue) -> Self {
        let PlanValue::Integer(integer) = value else { unreachable!("admitted as an integer") };
        u32::try_from(*integer).expect("admitted within the range of the key")
    }
}

impl Field for Vec<u32> {
    fn value(&self) -> Option<PlanValue> {
        let list = || self.iter().copied().map(i64::from).collect();
        (!self.is_empty()).then(|| PlanValue::Integers(list()))
    }

    fn of(value: &PlanValue) -> Self {
        let PlanValue::Integers(list) = value else { unreachable!("admitted as a list") };
        list.iter().map(|integer| u32::of(&PlanValue::Integer(*integer))).collect()
    }
}

impl<T: Field> Field for Option<T> {
    fn value(&self) -> Option<PlanValue> {
        self.as_ref().and_then(T::value)
    }

    fn of(value: &PlanValue) -> Self {
        Some(T::of(value))
    }
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
    /// What holds where it is not written, in words; none: it must be decided.
    pub fn default(&self) -> Option<String> {
        let of_field = || (self.read)(&PlanKeys::default()).map(|value| value.to_string());
        self.default.map(str::to_owned).or_else(of_field)
    }

    /// Refuses a value of another kind or outside the range.
    pub fn admit(&self, value: &PlanValue) -> Result<(), PlanError> {
        match (self.kind, value) {
            (Kind::Word(words), PlanValue::Text(word)) => self.admit_word(words, word),
            (Kind::Integer { least, most }, PlanValue::Integer(integer)) => {
                self.admit_number(*integer, least, most)
            }
            (Kind::PerDimension { least, most, .. }, PlanValue::Integers(integers)) => {
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

/// The key of this name, or an error that names the nearest one.
pub fn key(name: &str) -> Result<&'static Key, PlanError> {
    SCHEMA
        .iter()
        .find(|key| key.name == name)
        .ok_or_else(|| PlanError::UnknownKey { key: name.to_owned(), hint: hint(name) })
}

/// Names the nearest key where one is near enough to be a slip of the pen, else all keys.
fn hint(name: &str) -> String {
    let distance = |key: &&Key| strsim::damerau_levenshtein(key.name, name);
    match SCHEMA.iter().min_by_key(distance) {
        Some(nearest) if distance(&nearest) * 3 <= name.len().max(3) => {
            format!("did you mean '{}'?", nearest.name)
        }
        _ => {
            let names: Vec<_> = SCHEMA.iter().map(|key| key.name).collect();
            format!("known keys are {}", names.join(", "))
        }
    }
}
