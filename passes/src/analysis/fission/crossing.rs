//! What a part computes again, and what it gets through memory.
//!
//! A partial sum at a cut is always stored. Any other value that an earlier part has computed is
//! computed again where that is cheap: reads and constants always; operations where they are few
//! beside those that the part has, and where no more arrays are read for them, beside those that it
//! reads anyway, than there are values. The rest is stored by the first part that computes it.
//! What cannot lie in memory (a condition, an integer, one of several points) is computed again.

use super::{Code, Cone, Piece, makers};
use std::collections::{BTreeMap, BTreeSet};
use stencil_code::{ItemId, Slice};

/// Operations up to which a value is computed again: few against a write and a read of memory.
pub const OPERATIONS_MAX: u64 = 16;

/// A part of a split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Results that it gives.
    pub results: Vec<usize>,
    /// Values of earlier parts that it reads from memory.
    pub loads: BTreeSet<ItemId>,
    /// Values that it stores for later parts.
    pub stores: BTreeSet<ItemId>,
    /// Operations whose values it computes although an earlier part has done so.
    pub repeated: BTreeSet<ItemId>,
}

/// The parts that groups of pieces make, in their order.
pub fn parts(code: &Code, pieces: &[Piece], groups: &[BTreeSet<usize>]) -> Vec<Part> {
    let makers = makers(pieces);
    let mut computed: BTreeMap<ItemId, usize> = BTreeMap::new();
    let mut parts: Vec<Part> = Vec::new();
    for group in groups {
        let of = || group.iter().map(|piece| &pieces[*piece]);
        let outside = |value: &ItemId| !group.contains(&makers[value]);
        let partial = of().flat_map(|piece| piece.available.iter().copied());
        let partial = partial.filter(outside).collect();
        let targets = of().flat_map(|piece| piece.targets.iter().copied()).collect::<Vec<_>>();
        let known = computed.keys().copied().collect();
        let uses = uses(code, &targets, &partial, &known);
        let place = parts.len();
        for value in &uses.loads {
            parts[computed[value]].stores.insert(*value);
        }
        for value in &uses.partial {
            let maker = groups.iter().position(|group| group.contains(&makers[value]));
            parts[maker.expect("each piece is in a group")].stores.insert(*value);
        }
        uses.kept.iter().for_each(|item| {
            computed.entry(*item).or_insert(place);
        });
        parts.push(Part {
            results: of().flat_map(|piece| piece.results.iter().copied()).collect(),
            loads: uses.loads.union(&uses.partial).copied().collect(),
            stores: BTreeSet::new(),
            repeated: uses.repeated,
        });
    }
    parts
}

/// What a part needs.
#[derive(Default)]
pub struct Uses {
    /// Items that it computes.
    kept: BTreeSet<ItemId>,
    /// Arrays that these read.
    arrays: BTreeSet<usize>,
    /// Those of them that are operations known before.
    repeated: BTreeSet<ItemId>,
    /// Known values that it loads.
    pub loads: BTreeSet<ItemId>,
    /// Partial sums that it loads.
    partial: BTreeSet<ItemId>,
}

/// What a part that computes `targets` needs, where partial sums are available and the values of
/// other items are known.
pub fn uses(
    code: &Code,
    targets: &[ItemId],
    partial: &BTreeSet<ItemId>,
    known: &BTreeSet<ItemId>,
) -> Uses {
    let is_known = |item: ItemId| known.contains(&item) && code.dag[item].kind.operations > 0;
    let stops = known.iter().copied().filter(|item| is_known(*item));
    let stops = stops.chain(partial.iter().copied()).collect();
    let own = Cone::of(code, targets, &stops);
    let (arrays, Slice { items: kept, available }) = (own.arrays(), own.slice);
    let mut uses = Uses { arrays, kept, ..Uses::default() };
    let mut open = BTreeSet::new();
    for value in available {
        if partial.contains(&value) {
            uses.partial.insert(value);
            continue;
        }
        let again = Cone::of(code, &[value], &uses.available(partial, &open));
        let reads_more = !again.arrays().is_subset(&uses.arrays);
        if !code.dag[value].kind.is_storable || again.operations <= OPERATIONS_MAX && !reads_more {
            uses.repeat(again, partial);
        } else if again.operations <= OPERATIONS_MAX {
            open.insert(value);
        } else {
            uses.loads.insert(value);
        }
    }
    // These need further arrays, perhaps the same.
    let values = open.iter().copied().collect::<Vec<_>>();
    let again = Cone::of(code, &values, &uses.available(partial, &BTreeSet::new()));
    if again.arrays().difference(&uses.arrays).count() <= values.len() {
        uses.repeat(again, partial);
    } else {
        uses.loads.extend(values);
    }
    uses.repeated.retain(|item| is_known(*item));
    uses
}

impl Uses {
    /// Where the code of a further value ends.
    fn available(&self, partial: &BTreeSet<ItemId>, open: &BTreeSet<ItemId>) -> BTreeSet<ItemId> {
        self.kept.iter().chain(&self.loads).chain(partial).chain(open).copied().collect()
    }

    fn repeat(&mut self, again: Cone, partial: &BTreeSet<ItemId>) {
        self.partial.extend(again.slice.available.intersection(partial));
        self.repeated.extend(&again.slice.items);
        self.arrays.extend(again.arrays());
        self.kept.extend(again.slice.items);
    }
}
