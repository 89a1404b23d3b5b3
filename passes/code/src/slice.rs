//! The backward slice of some items: all that their values depend on.

use crate::dag::{Dag, ItemId};
use std::collections::BTreeSet;

/// What some values depend on, down to values that are available.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    /// The items to be computed.
    pub items: BTreeSet<ItemId>,
    /// The available values at which the slice ends.
    pub available: BTreeSet<ItemId>,
}

impl Slice {
    /// The slice of some targets through operands, where these values are available.
    #[must_use]
    pub fn of<K>(dag: &Dag<K>, targets: &[ItemId], available: &BTreeSet<ItemId>) -> Self {
        let mut slice = Self::default();
        let mut open = targets.to_vec();
        while let Some(item) = open.pop() {
            if available.contains(&item) {
                slice.available.insert(item);
            } else if slice.items.insert(item) {
                open.extend(&dag[item].operands);
            }
        }
        slice
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dag::{
        Kind,
        tests::{ids, item},
    };

    #[test]
    fn a_slice_ends_where_values_are_available() {
        let dag = Dag::new(vec![
            item(Kind::Load, &[], 1),
            item(Kind::Load, &[], 1),
            item(Kind::Operation, &[0, 1], 1),
            item(Kind::Operation, &[2, 1], 1),
        ]);
        let of = |available: &[usize]| {
            let found = Slice::of(&dag, &ids(&[3]), &ids(available).into_iter().collect());
            [found.items, found.available].map(Vec::from_iter)
        };
        assert_eq!(of(&[]), [ids(&[0, 1, 2, 3]), ids(&[])]);
        assert_eq!(of(&[2]), [ids(&[1, 3]), ids(&[2])]);
        assert_eq!(of(&[3]), [ids(&[]), ids(&[3])]);
    }
}
