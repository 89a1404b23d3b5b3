//! Orders on demand: an item stands right before the first that needs it.
//!
//! Results one after the other are such an order: each with all that it alone still needs right
//! before it. Of what an operation reads the deepest comes first, so that a sum is added up while
//! its terms are made, and one result is done before the next begins. Few values that were computed
//! are live at once; what several results load is live from the first of them to the last, or is
//! loaded again. No search, and no count of registers: whoever has a measure compares.

use crate::code::{Code, Item, ItemId, Kind};
use std::cmp::Reverse;

/// These items in their order, each behind all that it needs and that is not there yet; of what an
/// item needs, what has the largest rank is placed first.
#[must_use]
pub fn on_demand<R: Ord>(
    code: &Code,
    wanted: impl IntoIterator<Item = ItemId>,
    rank: impl Fn(ItemId) -> R,
) -> Vec<ItemId> {
    let items = code.items();
    let mut is_placed = vec![false; items.len()];
    let mut order = Vec::with_capacity(items.len());
    for wanted in wanted {
        let mut path = vec![(wanted, false)];
        while let Some((item, is_ready)) = path.pop() {
            if is_placed[item.index()] {
                continue;
            }
            if is_ready {
                is_placed[item.index()] = true;
                order.push(item);
                continue;
            }
            path.push((item, true));
            let Item { operands, after, .. } = &items[item.index()];
            let mut needed = operands.iter().chain(after).copied().collect::<Vec<_>>();
            needed.sort_by_key(|needed| rank(*needed));
            path.extend(needed.into_iter().map(|needed| (needed, false)));
        }
    }
    order
}

/// All items, results one after the other.
#[must_use]
pub fn by_results(code: &Code) -> Vec<ItemId> {
    let items = code.items();
    let depths = depths(items);
    let mut is_read = vec![false; items.len()];
    items.iter().flat_map(|item| &item.operands).for_each(|read| is_read[read.index()] = true);
    let is_result = |item: &usize| !is_read[*item] || items[*item].kind == Kind::Store;
    let results = (0..items.len()).filter(is_result).map(ItemId::new);
    on_demand(code, results, |item| (depths[item.index()], Reverse(item.index())))
}

/// Operations on the longest way to each item.
fn depths(items: &[Item]) -> Vec<usize> {
    let mut depths: Vec<usize> = Vec::with_capacity(items.len());
    for item in items {
        let longest = item.operands.iter().map(|id| depths[id.index()]).max();
        depths.push(longest.map_or(0, |longest| longest + 1));
    }
    depths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::max_live;

    fn item(kind: Kind, operands: &[usize], registers: u32) -> Item {
        Item::new(kind, operands.iter().map(|id| ItemId::new(*id)).collect(), registers)
    }

    /// Sums of neighbours, all terms first, as programs are written: `r = (a + b) + (b + c)`,
    /// twice.
    fn two_results() -> Code {
        let load = || item(Kind::Load, &[], 1);
        let add = |left, right| item(Kind::Operation, &[left, right], 1);
        let store = |value| item(Kind::Store, &[value], 0);
        let items = vec![
            load(),
            load(),
            load(),
            load(),
            add(0, 1),
            add(1, 2),
            add(2, 3),
            add(4, 5),
            add(5, 6),
            store(7),
            store(8),
        ];
        Code::new(items).unwrap()
    }

    #[test]
    fn a_result_is_done_before_the_next_begins() {
        let code = two_results();
        let order = by_results(&code);
        assert!(code.allows(&order));
        let place = |item: usize| order.iter().position(|id| id.index() == item).unwrap();
        assert!(place(9) < place(3) && place(9) < place(6), "{order:?}");
        assert!(max_live(&code, &order) < max_live(&code, &code.source_order()));
    }

    #[test]
    fn what_is_deepest_comes_first() {
        // s = a * b + (c * d + (e * f)), each product right before it is added.
        let load = || item(Kind::Load, &[], 1);
        let multiply = |left, right| item(Kind::Operation, &[left, right], 1);
        let mut items = (0..6).map(|_| load()).collect::<Vec<_>>();
        items.extend([multiply(0, 1), multiply(2, 3), multiply(4, 5)]);
        items.push(item(Kind::Operation, &[7, 8], 1));
        items.push(item(Kind::Operation, &[6, 9], 1));
        items.push(item(Kind::Store, &[10], 0));
        let code = Code::new(items).unwrap();
        let order = by_results(&code);
        assert!(code.allows(&order));
        assert_eq!(max_live(&code, &order), 3);
        let place = |item: usize| order.iter().position(|id| id.index() == item).unwrap();
        assert!(place(9) < place(6), "{order:?}");
    }

    #[test]
    fn stores_stay_on_their_side_of_loads() {
        let load = || item(Kind::Load, &[], 1);
        let mut after = item(Kind::Store, &[0], 0);
        after.after = vec![ItemId::new(1)];
        let items = vec![load(), load(), after, item(Kind::Store, &[1], 0)];
        let code = Code::new(items).unwrap();
        assert!(code.allows(&by_results(&code)));
    }
}
