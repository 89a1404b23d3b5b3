//! What a statement can use.

use std::collections::BTreeSet;

use crate::program::{Statement, Value};

/// A field by its present name.
#[derive(Debug, Clone)]
pub(super) struct Field {
    pub(super) value: Value,
    /// The dimensions of the domain that it spans.
    pub(super) dims: Vec<usize>,
    /// The memory that it may be: fields that a loop has rotated share a group.
    pub(super) group: usize,
    /// When the name was given: at the start, by a loop to its body, by a loop to what follows.
    pub(super) moment: usize,
    /// Whether a loop may carry it.
    pub(super) rotates: bool,
}

/// A temp.
#[derive(Debug, Clone)]
pub(super) struct Temp {
    pub(super) value: Value,
    /// The dimensions of the domain that it spans.
    pub(super) dims: Vec<usize>,
    /// Whether cells may be missing, so that it can only be stored.
    pub(super) partial: bool,
    /// The fields that it was read from.
    pub(super) sources: BTreeSet<Value>,
}

/// What is visible, and the statements so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    pub(super) fields: Vec<Field>,
    /// Names that a loop has replaced; what they name may be any field of their group.
    pub(super) old_names: Vec<Field>,
    pub(super) temps: Vec<Temp>,
    pub(super) scalars: Vec<Value>,
    pub(super) statements: Vec<Statement>,
}

impl Field {
    /// Is the memory surely another one? Names of one moment are; others only across groups.
    pub(super) fn is_apart(&self, other: &Field) -> bool {
        self.value != other.value && (self.group != other.group || self.moment == other.moment)
    }
}

impl Scope {
    /// Makes groups one: from here on their fields cannot be told apart across moments.
    pub(super) fn merge_groups(&mut self, groups: &[usize]) {
        let Some(kept) = groups.first() else { return };
        for field in self.fields.iter_mut().chain(&mut self.old_names) {
            if groups.contains(&field.group) {
                field.group = *kept;
            }
        }
    }
}
