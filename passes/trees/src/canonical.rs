//! A canonical numbering of items, independent of program order.
//!
//! A search must break ties, and a tie broken by program order makes the result depend on it. So
//! the search sees items under numbers that follow from structure: what an item is, its operands,
//! its users, its array. The method is colour refinement, as in programs for graph isomorphism:
//! items are divided into classes, and each class into those with equally many neighbours in every
//! other class, until nothing changes; while a class of several items is left, any one of them is
//! individualised and the rest refined again. The members of such a class are nearly always images
//! of each other, so that the choice does not matter; otherwise program order decides.
//!
//! Arrays take part as items of their own kind: their numbers mean nothing either. The operands of
//! an item count as a set, but for an accumulator.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap, VecDeque};

use stencil_code::{Dag, Item, ItemId, Kind};

/// The relations between nodes; each has its opposite next to it.
const RELATIONS: usize = 8;
const READS: usize = 0;
const ACCUMULATES: usize = 2;
const FOLLOWS: usize = 4;
const ACCESSES: usize = 6;

/// A graph under canonical numbers, and what its items were called before.
pub struct Canonical {
    /// The same graph.
    pub dag: Dag,
    /// The item of the original that each item is.
    pub origin: Vec<ItemId>,
}

/// Renumbers a graph by its structure; its items are in an order that it allows.
pub fn canonical(dag: &Dag) -> Canonical {
    let items = dag.items();
    let mut partition = Partition::of(dag);
    partition.refine();
    while let Some(start) = partition.first_shared() {
        partition.single_out(start);
        partition.refine();
    }
    let mut missing = vec![0; items.len()];
    let mut followers = vec![Vec::new(); items.len()];
    for (id, item) in items.iter().enumerate() {
        for other in item.predecessors() {
            missing[id] += 1;
            followers[other.index()].push(id);
        }
    }
    let rank = |id: usize| Reverse((partition.class[id], id));
    let ready = (0..items.len()).filter(|&id| missing[id] == 0).map(rank);
    let mut ready: BinaryHeap<_> = ready.collect();
    let mut origin = Vec::with_capacity(items.len());
    while let Some(Reverse((_, id))) = ready.pop() {
        origin.push(ItemId::new(id));
        for &other in &followers[id] {
            missing[other] -= 1;
            if missing[other] == 0 {
                ready.push(rank(other));
            }
        }
    }
    Canonical { dag: renumbered(dag, &origin), origin }
}

fn renumbered(dag: &Dag, origin: &[ItemId]) -> Dag {
    let mut place = vec![ItemId::new(0); origin.len()];
    for (at, id) in origin.iter().enumerate() {
        place[id.index()] = ItemId::new(at);
    }
    let moved = |ids: &[ItemId]| ids.iter().map(|id| place[id.index()]).collect();
    let items = origin.iter().map(|id| {
        let item = &dag.items()[id.index()];
        Item { operands: moved(&item.operands), after: moved(&item.after), ..item.clone() }
    });
    Dag::new(items.collect())
}

/// Nodes, items first and then arrays, divided into contiguous classes.
struct Partition {
    near: Vec<[Vec<u32>; RELATIONS]>,
    /// All nodes, class by class.
    nodes: Vec<u32>,
    /// The place of each node in `nodes`.
    place: Vec<usize>,
    /// The class of each node, by the place where it begins.
    class: Vec<usize>,
    /// The size of each class, at the place where it begins.
    size: Vec<usize>,
    /// Classes whose neighbours are to be counted.
    queue: VecDeque<usize>,
    queued: BTreeSet<usize>,
    /// No class of several nodes begins before this place.
    settled: usize,
}

impl Partition {
    fn of(dag: &Dag) -> Self {
        let items = dag.items();
        let mut arrays = HashMap::new();
        for array in items.iter().filter_map(|item| item.array) {
            let next = items.len() + arrays.len();
            arrays.entry(array).or_insert(next);
        }
        let count = items.len() + arrays.len();
        let mut near: Vec<[Vec<u32>; RELATIONS]> = vec![Default::default(); count];
        let mut join = |from: usize, relation: usize, to: usize| {
            near[from][relation].push(to as u32);
            near[to][relation + 1].push(from as u32);
        };
        for (id, item) in items.iter().enumerate() {
            for (at, operand) in item.operands.iter().enumerate() {
                let accumulator = item.kind == Kind::Accumulate(at);
                join(id, if accumulator { ACCUMULATES } else { READS }, operand.index());
            }
            item.after.iter().for_each(|other| join(id, FOLLOWS, other.index()));
            item.array.iter().for_each(|array| join(id, ACCESSES, arrays[array]));
        }
        let key = |node: u32| {
            let item = items.get(node as usize)?;
            let kind = match item.kind {
                Kind::Load => 0,
                Kind::Store => 1,
                Kind::Operation => 2,
                Kind::Accumulate(_) => 3,
                Kind::Constant => 4,
                Kind::Input => 5,
            };
            Some((kind, item.registers, item.live_out))
        };
        let mut nodes: Vec<u32> = (0..count as u32).collect();
        nodes.sort_by_key(|&node| key(node));
        let mut partition = Self {
            near,
            place: vec![0; count],
            class: vec![0; count],
            size: vec![0; count],
            queue: VecDeque::new(),
            queued: BTreeSet::new(),
            settled: 0,
            nodes,
        };
        let mut start = 0;
        while start < count {
            let first = key(partition.nodes[start]);
            let rest = partition.nodes[start..].iter();
            let size = rest.take_while(|&&node| key(node) == first).count();
            partition.mark(start, size);
            partition.enqueue(start);
            start += size;
        }
        partition
    }

    /// Makes a class of the nodes at a range of places.
    fn mark(&mut self, start: usize, size: usize) {
        self.size[start] = size;
        for place in start..start + size {
            let node = self.nodes[place] as usize;
            self.place[node] = place;
            self.class[node] = start;
        }
    }

    fn enqueue(&mut self, start: usize) {
        if self.queued.insert(start) {
            self.queue.push_back(start);
        }
    }

    /// Divides classes until all nodes of one have equally many neighbours in each other.
    fn refine(&mut self) {
        while let Some(start) = self.queue.pop_front() {
            self.queued.remove(&start);
            let members = self.nodes[start..start + self.size[start]].to_vec();
            for relation in 0..RELATIONS {
                self.divide_by(&members, relation);
            }
        }
    }

    /// Divides every class by the number of neighbours that its nodes have among some nodes.
    fn divide_by(&mut self, members: &[u32], relation: usize) {
        let mut counts: HashMap<u32, usize> = HashMap::new();
        for &member in members {
            for &node in &self.near[member as usize][relation] {
                *counts.entry(node).or_default() += 1;
            }
        }
        let classes: BTreeSet<usize> =
            counts.keys().map(|&node| self.class[node as usize]).collect();
        let mut touched: HashMap<usize, Vec<(usize, u32)>> = HashMap::new();
        for (&node, &count) in &counts {
            touched.entry(self.class[node as usize]).or_default().push((count, node));
        }
        for start in classes {
            let mut counted = touched.remove(&start).unwrap_or_default();
            counted.sort_unstable();
            self.divide(start, &counted);
        }
    }

    /// Divides a class by counts; nodes that are not counted come first.
    fn divide(&mut self, start: usize, counted: &[(usize, u32)]) {
        let size = self.size[start];
        let uncounted = size - counted.len();
        let all_equal = counted.first().map(|c| c.0) == counted.last().map(|c| c.0);
        if size == 1 || (uncounted == 0 && all_equal) {
            return;
        }
        // The counted go to the end, in the order of their counts.
        for (at, &(_, node)) in counted.iter().enumerate().rev() {
            self.swap(node, start + uncounted + at);
        }
        let was_queued = self.queued.contains(&start);
        let mut fragments = Vec::new();
        if uncounted > 0 {
            fragments.push((start, uncounted));
        }
        let mut at = start + uncounted;
        for equal in counted.chunk_by(|a, b| a.0 == b.0) {
            fragments.push((at, equal.len()));
            at += equal.len();
        }
        let largest = fragments.iter().max_by_key(|&&(at, size)| (size, Reverse(at))).copied();
        for &(at, size) in &fragments {
            self.mark(at, size);
        }
        for fragment in fragments {
            if was_queued || Some(fragment) != largest {
                self.enqueue(fragment.0);
            }
        }
    }

    fn swap(&mut self, node: u32, to: usize) {
        let from = self.place[node as usize];
        let other = self.nodes[to];
        self.nodes.swap(from, to);
        self.place[node as usize] = to;
        self.place[other as usize] = from;
    }

    /// The first class of several nodes.
    fn first_shared(&mut self) -> Option<usize> {
        while self.settled < self.nodes.len() && self.size[self.settled] == 1 {
            self.settled += 1;
        }
        (self.settled < self.nodes.len()).then_some(self.settled)
    }

    /// Makes a class of its own of one node of a class.
    fn single_out(&mut self, start: usize) {
        let size = self.size[start];
        self.mark(start, 1);
        self.mark(start + 1, size - 1);
        self.enqueue(start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stencil_code::ArrayId;

    /// Two sums of products that share a load; one product is squared.
    fn example(swap: bool) -> Dag {
        let load = |array| Item { array: Some(ArrayId(array)), ..Item::new(Kind::Load, vec![], 1) };
        let ids = |ids: &[usize]| ids.iter().copied().map(ItemId::new).collect::<Vec<_>>();
        let operation = |of: &[usize]| Item::new(Kind::Operation, ids(of), 1);
        let store = |of: usize| Item::new(Kind::Store, ids(&[of]), 0);
        let items = if swap {
            vec![
                load(7),
                load(3),
                load(7),
                operation(&[0, 1]),
                operation(&[2, 2]),
                store(4),
                store(3),
            ]
        } else {
            vec![
                load(0),
                load(0),
                load(1),
                operation(&[0, 0]),
                operation(&[2, 1]),
                store(4),
                store(3),
            ]
        };
        Dag::new(items)
    }

    #[test]
    fn the_same_structure_has_the_same_numbers() {
        let shape = |dag: &Dag| -> Vec<(Kind, Vec<ItemId>)> {
            let sorted = |item: &Item| {
                let mut operands = item.operands.clone();
                operands.sort();
                (item.kind, operands)
            };
            canonical(dag).dag.items().iter().map(sorted).collect()
        };
        assert_eq!(shape(&example(false)), shape(&example(true)));
    }

    #[test]
    fn many_equal_parts_are_numbered_part_by_part_or_not_at_all_differently() {
        // Two thousand equal pairs of a load and a store: every class is large and symmetric.
        let mut items = Vec::new();
        for _ in 0..2000 {
            items.push(Item::new(Kind::Load, vec![], 1));
            items.push(Item::new(Kind::Store, vec![ItemId::new(items.len() - 1)], 0));
        }
        let dag = Dag::new(items);
        let numbered = canonical(&dag);
        assert!(dag.allows(&numbered.origin));
        assert_eq!(numbered.dag.items().len(), 4000);
    }
}
