//! Ordering constraints between the items of a block, from what their operations do besides
//! computing a value.
//!
//! Loads keep their side of the stores that may touch the same memory, operations of a warp keep
//! their order, and nothing moves past a fence. A prefetch, a load whose value only a later run of
//! the block reads, stays in front of what computes.

use crate::dag::{ArrayId, Item, ItemId, Kind};

/// What an operation does besides computing a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Pure,
    /// Reads memory.
    Load,
    /// Writes memory.
    Store,
    /// Communicates with other threads of the warp.
    Warp,
    /// Anything else.
    Fence,
}

/// Finds the constraints of items that are taken in program order.
#[derive(Debug, Default)]
pub struct Dependences {
    /// Loads and stores since the last fence, with the array that they access if it is known.
    accesses: Vec<(ItemId, Effect, Option<ArrayId>)>,
    /// Prefetches since the last fence.
    prefetches: Vec<ItemId>,
    last_of_warp: Option<ItemId>,
    last_fence: Option<ItemId>,
    since_fence: Vec<ItemId>,
}

impl Dependences {
    /// The items that the next one must follow, its operands left out.
    pub fn of(&mut self, id: ItemId, effect: Effect, item: &Item) -> Vec<ItemId> {
        if item.kind == Kind::Constant {
            return Vec::new();
        }
        let mut after = self.last_fence.into_iter().collect::<Vec<_>>();
        match effect {
            Effect::Pure if item.registers > 0 => after.extend(&self.prefetches),
            Effect::Pure => {}
            Effect::Load | Effect::Store => {
                let conflicts = self.accesses.iter().filter(|(_, other, array)| {
                    (effect == Effect::Store || *other == Effect::Store)
                        && (array.is_none() || item.array.is_none() || *array == item.array)
                });
                after.extend(conflicts.map(|(other, ..)| *other));
                self.accesses.push((id, effect, item.array));
            }
            Effect::Warp => after.extend(self.last_of_warp.replace(id)),
            Effect::Fence => {
                after.append(&mut self.since_fence);
                *self = Self { last_fence: Some(id), ..Self::default() };
            }
        }
        self.since_fence.push(id);
        after.retain(|other| !item.operands.contains(other));
        after
    }

    /// Says that the load that was taken last is a prefetch.
    pub fn mark_prefetch(&mut self, load: ItemId) {
        self.prefetches.push(load);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dag::tests::{ids, item};

    /// The constraints of items of these kinds, effects and arrays, without operands.
    fn constraints(items: &[(Kind, Effect, Option<u32>)]) -> Vec<Vec<ItemId>> {
        let mut dependences = Dependences::default();
        let of = |(id, &(kind, effect, array)): (usize, &(Kind, Effect, Option<u32>))| {
            let registers = if kind == Kind::Store { 0 } else { 1 };
            let item = Item { array: array.map(ArrayId), ..item(kind, &[], registers) };
            dependences.of(ItemId::new(id), effect, &item)
        };
        items.iter().enumerate().map(of).collect()
    }

    #[test]
    fn loads_follow_stores_that_may_touch_the_same_memory() {
        let (load, store) = ((Kind::Load, Effect::Load), (Kind::Store, Effect::Store));
        let access = |(kind, effect), array| (kind, effect, array);
        let found = constraints(&[
            access(load, Some(0)),
            access(store, Some(1)),
            access(load, Some(1)),
            access(load, None),
            access(store, Some(0)),
        ]);
        assert_eq!(found, [ids(&[]), ids(&[]), ids(&[1]), ids(&[1]), ids(&[0, 3])]);
    }

    #[test]
    fn nothing_moves_past_a_fence_and_shuffles_keep_their_order() {
        let other = |effect| (Kind::Operation, effect, None);
        let found = constraints(&[
            other(Effect::Warp),
            other(Effect::Pure),
            other(Effect::Warp),
            other(Effect::Fence),
            other(Effect::Warp),
            other(Effect::Pure),
        ]);
        assert_eq!(found[..4], [ids(&[]), ids(&[]), ids(&[0]), ids(&[0, 1, 2])]);
        assert_eq!(found[4..], [ids(&[3]), ids(&[3])]);
    }

    #[test]
    fn what_computes_follows_prefetches() {
        let mut dependences = Dependences::default();
        let (load, sum) = (item(Kind::Load, &[], 1), item(Kind::Operation, &[], 1));
        dependences.of(ItemId::new(0), Effect::Load, &load);
        dependences.mark_prefetch(ItemId::new(0));
        assert_eq!(dependences.of(ItemId::new(1), Effect::Pure, &sum), ids(&[0]));
        let address = item(Kind::Operation, &[], 0);
        assert_eq!(dependences.of(ItemId::new(2), Effect::Pure, &address), ids(&[]));
    }
}
