//! The values in scope.

use std::collections::BTreeSet;

use crate::program::{Statement, Value};

/// A field by its current name.
#[derive(Debug, Clone)]
pub(super) struct Field {
    pub(super) value: Value,
    /// The dimensions of the domain that it spans.
    pub(super) dims: Vec<usize>,
    /// Its alias group: fields that a loop has rotated share one.
    pub(super) group: usize,
    /// When the name was defined: at the start, by a loop for its body, by a loop for later
    /// statements.
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
    /// Names that a loop has replaced; they may refer to any field of their group.
    pub(super) old_names: Vec<Field>,
    pub(super) temps: Vec<Temp>,
    pub(super) scalars: Vec<Value>,
    pub(super) statements: Vec<Statement>,
}

impl Field {
    /// Whether the memory is distinct. Names of one moment are; others only across groups.
    pub(super) fn is_apart(&self, other: &Field) -> bool {
        self.value != other.value && (self.group != other.group || self.moment == other.moment)
    }
}

impl Scope {
    /// Merges groups, whose fields may alias across moments from here on.
    pub(super) fn merge_groups(&mut self, groups: &[usize]) {
        let Some(kept) = groups.first() else { return };
        for field in self.fields.iter_mut().chain(&mut self.old_names) {
            if groups.contains(&field.group) {
                field.group = *kept;
            }
        }
    }
}
