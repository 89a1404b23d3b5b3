//! Demand-driven list scheduling: the post-order of what each result depends on, so that an item
//! is placed right before its first user.
//!
//! Of an item's operands the deepest comes first, so that a sum is accumulated while its terms are
//! computed, and one result is done before the next begins. Few computed values are live at once; a
//! load that several results share is live from the first of them to the last. There is no search
//! and no count of registers; the caller compares.

use crate::dag::{Dag, ItemId, Kind};
use std::cmp::Reverse;

/// These items in their order, each after those of its predecessors that have no place yet; of the
/// predecessors, the one with the largest rank is placed first.
#[must_use]
pub fn post_order<K, R: Ord>(
    dag: &Dag<K>,
    wanted: impl IntoIterator<Item = ItemId>,
    rank: impl Fn(ItemId) -> R,
) -> Vec<ItemId> {
    let mut is_placed = vec![false; dag.len()];
    let mut order = Vec::with_capacity(dag.len());
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
            let mut needed = dag[item].predecessors().collect::<Vec<_>>();
            needed.sort_by_key(|needed| rank(*needed));
            path.extend(needed.into_iter().map(|needed| (needed, false)));
        }
    }
    order
}

/// All items, results one after the other.
#[must_use]
pub fn demand_driven(dag: &Dag) -> Vec<ItemId> {
    let depths = dag.fold(|_, operands| operands.max().map_or(0, |deepest| deepest + 1));
    let uses = dag.use_counts();
    let results = dag.ids().filter(|id| uses[id.index()] == 0 || dag[*id].kind == Kind::Store);
    post_order(dag, results, |item| (depths[item.index()], Reverse(item.index())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{dag::tests::item, max_live};

    /// Sums of neighbours, all terms first, as programs are written: `r = (a + b) + (b + c)`,
    /// twice.
    fn two_results() -> Dag {
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
        Dag::new(items)
    }

    #[test]
    fn a_result_is_done_before_the_next_begins() {
        let dag = two_results();
        let order = demand_driven(&dag);
        assert!(dag.allows(&order));
        let place = |item: usize| order.iter().position(|id| id.index() == item).unwrap();
        assert!(place(9) < place(3) && place(9) < place(6), "{order:?}");
        assert!(max_live(&dag, &order) < max_live(&dag, &dag.source_order()));
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
        let dag = Dag::new(items);
        let order = demand_driven(&dag);
        assert!(dag.allows(&order));
        assert_eq!(max_live(&dag, &order), 3);
        let place = |item: usize| order.iter().position(|id| id.index() == item).unwrap();
        assert!(place(9) < place(6), "{order:?}");
    }

    #[test]
    fn stores_stay_on_their_side_of_loads() {
        let load = || item(Kind::Load, &[], 1);
        let mut after = item(Kind::Store, &[0], 0);
        after.after = vec![ItemId::new(1)];
        let items = vec![load(), load(), after, item(Kind::Store, &[1], 0)];
        let dag = Dag::new(items);
        assert!(dag.allows(&demand_driven(&dag)));
    }
}
