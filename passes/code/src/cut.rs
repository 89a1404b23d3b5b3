//! The cheapest cut between what is computed once, whose values are kept in memory, and what every
//! reader computes again from these.
//!
//! An item behind the cut is computed by readers; each of its operands is behind the cut as well,
//! or crosses it. A crossing value has a price, so has an item behind the cut, and so has an input
//! that an item behind it needs, once. The sum is least at a minimum cut of a network: two nodes an
//! item, *available to readers* and *computed by readers*, and one an input. An arc of infinite
//! capacity from one node to another says that the first requires the second [Picard, Maximal
//! Closure of a Graph and Applications to Combinatorial Problems, Management Science 1976].

use crate::dag::{Dag, ItemId};
use petgraph::{
    algo::ford_fulkerson,
    graph::{DiGraph, NodeIndex},
    visit::EdgeRef,
};
use std::collections::BTreeSet;

/// The price of what must not be. All others are below it in sum.
pub const NEVER: u64 = u64::MAX / 4;

/// What cutting code takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prices {
    /// Of each item, by number.
    pub items: Vec<Price>,
    /// Of each input.
    pub inputs: Vec<u64>,
}

/// What an item takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Price {
    /// If its value crosses; none if it must not.
    pub crossing: Option<u64>,
    /// If it is computed behind the cut.
    pub behind: u64,
    /// Inputs that it reads.
    pub inputs: BTreeSet<usize>,
}

/// A cut of least price.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// Items whose values cross.
    pub crossing: BTreeSet<ItemId>,
    /// Items behind the cut.
    pub behind: BTreeSet<ItemId>,
    /// Its price.
    pub price: u64,
}

/// The cheapest cut after which readers have the values of these items; of equal ones that with the
/// fewest items behind it.
#[must_use]
pub fn cheapest<K>(dag: &Dag<K>, wanted: &[ItemId], prices: &Prices) -> Cut {
    let Network { graph, source, sink, available, computed } = Network::of(dag, wanted, prices);
    let (price, flows) = ford_fulkerson(&graph, source, sink);
    // The nodes that residual capacity leads to from the source: they hold.
    let mut holds = BTreeSet::from([source]);
    let mut open = vec![source];
    while let Some(node) = open.pop() {
        let forth = graph.edges(node).filter(|edge| flows[edge.id().index()] < *edge.weight());
        let back = graph.edges_directed(node, petgraph::Incoming);
        let back = back.filter(|edge| flows[edge.id().index()] > 0).map(|edge| edge.source());
        for next in forth.map(|edge| edge.target()).chain(back) {
            if holds.insert(next) {
                open.push(next);
            }
        }
    }
    let is_behind = |item: &ItemId| holds.contains(&computed[item.index()]);
    let crosses = |item: &ItemId| holds.contains(&available[item.index()]) && !is_behind(item);
    Cut {
        crossing: dag.ids().filter(crosses).collect(),
        behind: dag.ids().filter(is_behind).collect(),
        price,
    }
}

/// The network of some code.
struct Network {
    graph: DiGraph<(), u64>,
    source: NodeIndex,
    sink: NodeIndex,
    /// Whether readers have the value of an item.
    available: Vec<NodeIndex>,
    /// Whether they compute it.
    computed: Vec<NodeIndex>,
}

impl Network {
    fn of<K>(dag: &Dag<K>, wanted: &[ItemId], prices: &Prices) -> Self {
        let mut graph = DiGraph::new();
        let (source, sink) = (graph.add_node(()), graph.add_node(()));
        let available = (0..dag.len()).map(|_| graph.add_node(())).collect::<Vec<_>>();
        let computed = (0..dag.len()).map(|_| graph.add_node(())).collect::<Vec<_>>();
        let read = prices.inputs.iter().map(|_| graph.add_node(())).collect::<Vec<_>>();
        for (input, price) in read.iter().zip(&prices.inputs) {
            graph.add_edge(*input, sink, *price);
        }
        for item in dag.ids() {
            let (known, own) = (available[item.index()], computed[item.index()]);
            let Price { crossing, behind, inputs } = &prices.items[item.index()];
            graph.add_edge(known, own, crossing.unwrap_or(NEVER));
            graph.add_edge(own, known, NEVER);
            graph.add_edge(own, sink, *behind);
            for operand in &dag[item].operands {
                graph.add_edge(own, available[operand.index()], NEVER);
            }
            for input in inputs {
                graph.add_edge(own, read[*input], NEVER);
            }
        }
        for item in wanted {
            graph.add_edge(source, available[item.index()], NEVER);
        }
        Self { graph, source, sink, available, computed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dag::{Kind, tests::item};
    use proptest::prelude::*;

    /// What a set of items behind the cut takes; none if a value crosses that must not.
    fn price_of(dag: &Dag, wanted: &[ItemId], prices: &Prices, behind: &[bool]) -> Option<u64> {
        let is_behind = |item: &ItemId| behind[item.index()];
        let items = dag.ids().filter(is_behind).collect::<Vec<_>>();
        let used = items.iter().flat_map(|item| &dag[*item].operands).chain(wanted);
        let crossing = used.filter(|item| !is_behind(item)).collect::<BTreeSet<_>>();
        let price = |item: &ItemId| &prices.items[item.index()];
        let inputs = items.iter().flat_map(|item| &price(item).inputs).collect::<BTreeSet<_>>();
        let crossing = crossing.into_iter().map(|item| price(item).crossing);
        let crossing = crossing.sum::<Option<u64>>()?;
        let behind = items.iter().map(|item| price(item).behind).sum::<u64>();
        Some(crossing + behind + inputs.iter().map(|input| prices.inputs[**input]).sum::<u64>())
    }

    /// Code of up to nine items with one or two operands each, and prices.
    fn code() -> impl Strategy<Value = (Dag, Vec<ItemId>, Prices)> {
        let price = (
            prop::option::weighted(0.8, 0_u64..20),
            0_u64..12,
            prop::collection::btree_set(0_usize..3, 0..2),
        );
        let price = price.prop_map(|(crossing, behind, inputs)| Price { crossing, behind, inputs });
        let one = (price, any::<[usize; 2]>(), 0_usize..3);
        let all = (prop::collection::vec(one, 1..9), prop::collection::vec(0_u64..15, 3));
        (all, any::<[usize; 2]>()).prop_map(|((list, inputs), wanted)| {
            let items = list.iter().enumerate().map(|(place, (_, from, count))| {
                let operands = from.iter().take(*count).filter(|_| place > 0);
                let operands = operands.map(|from| from % place.max(1)).collect::<Vec<_>>();
                item(Kind::Operation, &operands, 1)
            });
            let dag = Dag::new(items.collect());
            let wanted = wanted.map(|place| ItemId::new(place % dag.len())).to_vec();
            let items = list.into_iter().map(|(price, ..)| price).collect();
            (dag, wanted, Prices { items, inputs })
        })
    }

    proptest! {
        #[test]
        fn the_cheapest_of_all_cuts_is_found((dag, wanted, prices) in code()) {
            let all = (0_u32..1 << dag.len()).filter_map(|bits| {
                let behind = (0..dag.len()).map(|item| bits & 1 << item != 0).collect::<Vec<_>>();
                Some((price_of(&dag, &wanted, &prices, &behind)?, bits.count_ones() as usize))
            });
            let (least, fewest) = all.min().unwrap();
            let found = cheapest(&dag, &wanted, &prices);
            prop_assert_eq!(found.price, least);
            let behind = dag.ids().map(|item| found.behind.contains(&item));
            let behind = behind.collect::<Vec<_>>();
            prop_assert_eq!(price_of(&dag, &wanted, &prices, &behind), Some(least));
            prop_assert_eq!(found.behind.len(), fewest);
        }
    }

    #[test]
    fn products_with_a_common_factor_cross_as_the_factor() {
        // Two results, each the factor times an input of its own.
        let dag = Dag::new(vec![
            item(Kind::Operation, &[], 1),
            item(Kind::Load, &[], 1),
            item(Kind::Load, &[], 1),
            item(Kind::Operation, &[0, 1], 1),
            item(Kind::Operation, &[0, 2], 1),
        ]);
        let price = |crossing, inputs: &[usize]| Price {
            crossing,
            behind: 1,
            inputs: inputs.iter().copied().collect(),
        };
        let some = Some(100);
        let mut items = vec![price(some, &[0]), price(None, &[1]), price(None, &[2])];
        items.extend([price(some, &[]), price(some, &[])]);
        let wanted = [ItemId::new(3), ItemId::new(4)];
        let of = |inputs: &[u64]| {
            let prices = Prices { items: items.clone(), inputs: inputs.to_vec() };
            let Cut { crossing, behind, price } = cheapest(&dag, &wanted, &prices);
            let numbers =
                |set: BTreeSet<ItemId>| set.into_iter().map(ItemId::index).collect::<Vec<_>>();
            (numbers(crossing), numbers(behind), price)
        };
        assert_eq!(of(&[1000, 40, 40]), (vec![0], vec![1, 2, 3, 4], 184));
        assert_eq!(of(&[1000, 60, 60]), (vec![3, 4], vec![], 200));
        assert_eq!(of(&[10, 40, 40]), (vec![], vec![0, 1, 2, 3, 4], 95));
    }
}
