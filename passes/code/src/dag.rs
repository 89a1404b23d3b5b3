//! A basic block as a directed acyclic graph: items in program order, the values they read, and
//! the order that memory demands.
//!
//! An item has one result at most, so an item also names a value. Items are checked where they are
//! added: operands precede their users. An order of the items may change, operands may not.

use std::ops::Index;

/// An item of a [`Dag`], by its place in program order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId(u32);

impl ItemId {
    /// The item at a place in program order.
    #[must_use]
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("code has fewer than four billion items"))
    }

    /// The place of the item in program order.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The array that a load reads or a store writes; its number means nothing but its identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayId(pub u32);

/// What the items of a [`Dag`] compute.
pub trait Computes: Sized {
    /// Whether the value is live before the first item.
    fn is_live_in(&self) -> bool {
        false
    }

    /// Panics if an item contradicts what it computes.
    fn check(_item: &Item<Self>) {}
}

/// What an item of machine-level code does, as far as registers are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Reads memory; its operands are its address.
    Load,
    /// Writes memory; its operands are its address and what it writes.
    Store,
    /// Computes a value of its operands.
    Operation,
    /// An operation whose result takes the register of the operand at this place, as that of a
    /// fused multiply-add takes its accumulator's.
    Accumulate(usize),
    /// An operand that instructions encode: an immediate, or a word of a constant bank.
    Constant,
    /// A live-in value.
    Input,
}

impl Computes for Kind {
    fn is_live_in(&self) -> bool {
        *self == Kind::Input
    }

    fn check(item: &Item) {
        let Item { operands, after, registers, .. } = item;
        match item.kind {
            Kind::Accumulate(place) => {
                assert!(place < operands.len(), "an accumulator is one of the operands");
            }
            Kind::Constant => assert!(*registers == 0, "a constant takes no registers"),
            Kind::Store => assert!(*registers == 0, "a store has no result"),
            Kind::Input => {
                assert!(operands.is_empty() && after.is_empty(), "an input follows no item");
            }
            Kind::Load | Kind::Operation => {}
        }
    }
}

/// One item of straight-line code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item<K = Kind> {
    /// What it does.
    pub kind: K,
    /// The values it reads, each by the item that defines it.
    pub operands: Vec<ItemId>,
    /// 32-bit registers of its result: two for an f64, none where there is no result.
    pub registers: u32,
    /// Items that must precede it although it does not read them.
    pub after: Vec<ItemId>,
    /// The array of a load or a store, where it is known.
    pub array: Option<ArrayId>,
    /// The result is live after the last item.
    pub live_out: bool,
}

impl<K> Item<K> {
    /// An item without array or further constraints, whose result is not live-out.
    #[must_use]
    pub fn new(kind: K, operands: Vec<ItemId>, registers: u32) -> Self {
        Self { kind, operands, registers, after: Vec::new(), array: None, live_out: false }
    }

    /// The items that must precede it.
    pub fn predecessors(&self) -> impl Iterator<Item = ItemId> + '_ {
        self.operands.iter().chain(&self.after).copied()
    }
}

/// Straight-line code in program order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dag<K = Kind> {
    items: Vec<Item<K>>,
}

impl<K> Default for Dag<K> {
    fn default() -> Self {
        Self { items: Vec::new() }
    }
}

impl<K> Index<ItemId> for Dag<K> {
    type Output = Item<K>;

    fn index(&self, id: ItemId) -> &Item<K> {
        &self.items[id.index()]
    }
}

impl<K: Computes> Dag<K> {
    /// Items in program order.
    ///
    /// # Panics
    /// As [`Dag::push`].
    #[must_use]
    pub fn new(items: Vec<Item<K>>) -> Self {
        let mut dag = Self { items: Vec::with_capacity(items.len()) };
        for item in items {
            dag.push(item);
        }
        dag
    }

    /// Appends an item.
    ///
    /// # Panics
    /// If the item reads or follows one that does not precede it, or contradicts its kind.
    pub fn push(&mut self, item: Item<K>) -> ItemId {
        let id = ItemId::new(self.items.len());
        for other in item.predecessors() {
            let (id, other) = (id.index(), other.index());
            assert!(other < id, "item {id} depends on item {other}, which does not precede it");
        }
        K::check(&item);
        self.items.push(item);
        id
    }
}

impl<K> Dag<K> {
    /// The items, in program order.
    #[must_use]
    pub fn items(&self) -> &[Item<K>] {
        &self.items
    }

    /// How many items there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is no item.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The items by number, in program order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = ItemId> + use<K> {
        (0..self.items.len()).map(ItemId::new)
    }

    /// What an item computes, to be changed.
    pub fn kind_mut(&mut self, id: ItemId) -> &mut K {
        &mut self.items[id.index()].kind
    }

    /// The program order.
    #[must_use]
    pub fn source_order(&self) -> Vec<ItemId> {
        self.ids().collect()
    }

    /// How often each item is an operand.
    #[must_use]
    pub fn use_counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.items.len()];
        let operands = self.items.iter().flat_map(|item| &item.operands);
        operands.for_each(|operand| counts[operand.index()] += 1);
        counts
    }

    /// A value for each item, from the item and the values of its operands.
    pub fn fold<V>(&self, of: impl Fn(&Item<K>, &mut dyn Iterator<Item = &V>) -> V) -> Vec<V> {
        let mut values: Vec<V> = Vec::with_capacity(self.items.len());
        for item in &self.items {
            let value = of(item, &mut item.operands.iter().map(|id| &values[id.index()]));
            values.push(value);
        }
        values
    }

    /// Whether an order has every item once, after all that it depends on.
    #[must_use]
    pub fn allows(&self, order: &[ItemId]) -> bool {
        let mut done = vec![false; self.items.len()];
        for id in order {
            let Some(item) = self.items.get(id.index()) else { return false };
            if done[id.index()] || !item.predecessors().all(|other| done[other.index()]) {
                return false;
            }
            done[id.index()] = true;
        }
        order.len() == self.items.len()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::panic::catch_unwind;

    pub(crate) fn ids(indices: &[usize]) -> Vec<ItemId> {
        indices.iter().copied().map(ItemId::new).collect()
    }

    pub(crate) fn item(kind: Kind, operands: &[usize], registers: u32) -> Item {
        Item::new(kind, ids(operands), registers)
    }

    #[test]
    fn contradictions_are_refused() {
        let refused = |added: Item| {
            let refused = catch_unwind(|| Dag::new(vec![item(Kind::Load, &[], 1), added]));
            let payload = refused.unwrap_err();
            let text = payload.downcast_ref::<String>().cloned();
            text.unwrap_or_else(|| (*payload.downcast_ref::<&str>().unwrap()).to_owned())
        };
        for (added, text) in [
            (
                item(Kind::Operation, &[0, 1], 1),
                "item 1 depends on item 1, which does not precede it",
            ),
            (
                Item { after: ids(&[2]), ..item(Kind::Load, &[], 1) },
                "item 1 depends on item 2, which does not precede it",
            ),
            (item(Kind::Accumulate(1), &[0], 1), "an accumulator is one of the operands"),
            (item(Kind::Constant, &[], 2), "a constant takes no registers"),
            (item(Kind::Store, &[0], 1), "a store has no result"),
            (Item { after: ids(&[0]), ..item(Kind::Input, &[], 1) }, "an input follows no item"),
        ] {
            assert_eq!(refused(added), text);
        }
    }

    #[test]
    fn an_order_has_every_item_once_after_its_operands() {
        let load = item(Kind::Load, &[], 1);
        let store = Item { after: ids(&[0]), ..item(Kind::Store, &[1], 0) };
        let dag = Dag::new(vec![load.clone(), load, store]);
        assert!(dag.allows(&ids(&[1, 0, 2])));
        assert!(!dag.allows(&ids(&[1, 2, 0])), "the constraint is broken");
        assert!(!dag.allows(&ids(&[0, 2, 1])), "the operand comes later");
        assert!(!dag.allows(&ids(&[0, 1])), "an item is missing");
        assert!(!dag.allows(&ids(&[0, 1, 1])), "an item occurs twice");
    }
}
