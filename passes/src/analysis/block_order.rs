//! An order of a block's ops in which each group of applies is in a row.
//!
//! An op must stay behind another one if it uses its result, or if both access memory that may be
//! one and one of them writes it. An apply reads the fields of its loads, and writes those of its
//! stores. Groups are possible if, with each of them as one op, no op has to be before itself: no
//! path of dependences leaves a group and comes back, and no two groups need each other. Loads and
//! numbers of the host on such a path are made part of the group.
//!
//! Requires loads in place and direct stores (`stencil-place-copies`). Says nothing about what a
//! sweep can be made of (`analysis/statements.rs`).

use super::{alias::Aliases, placement, stages};
use melior::ir::{BlockRef, OperationRef, Value, ValueLike, operation::OperationLike};
use std::collections::{BTreeMap, BTreeSet};
use stencil_dialects::{
    ods::stencil,
    ops::{ApplyOp, StoreOp},
    types, walk,
};

/// Why groups cannot be in a row each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// An op needs a group, which needs the op.
    Through {
        /// The group.
        group: usize,
        /// The op.
        op: usize,
    },
    /// Groups that need each other.
    Mutual(BTreeSet<usize>),
}

/// What an op is for an order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Its group.
    pub group: Option<usize>,
    /// Whether it may become part of a group.
    pub joins: bool,
}

/// The ops of a block, with those that each must stay behind.
pub struct BlockOrder<'c, 'a> {
    /// The ops, in order.
    pub operations: Vec<OperationRef<'c, 'a>>,
    /// For each op, numbers of those that it needs directly.
    pub needs: Vec<BTreeSet<usize>>,
}

impl<'c: 'a, 'a> BlockOrder<'c, 'a> {
    /// The order of a block.
    pub fn of(block: BlockRef<'c, 'a>) -> Self {
        let operations = walk::operations(block);
        let place = |operation: OperationRef<'c, 'a>| {
            operations.iter().position(|other| *other == operation)
        };
        let mut memory = Memory::default();
        let accesses = operations.iter().map(|operation| memory.accesses(*operation));
        let accesses = accesses.collect::<Vec<_>>();
        let aliases = memory.aliases();
        let meet = |some: &BTreeSet<usize>, others: &BTreeSet<usize>| {
            some.iter().any(|one| others.iter().any(|two| aliases[*one][*two]))
        };
        let conflict = |one: &Accesses, two: &Accesses| {
            let (touches_one, touches_two) = (one.touches(), two.touches());
            one.is_opaque && touches_two
                || two.is_opaque && touches_one
                || meet(&one.writes, &two.writes)
                || meet(&one.writes, &two.reads)
                || meet(&one.reads, &two.writes)
        };
        let last = operations.len().saturating_sub(1);
        let needs = operations.iter().enumerate().map(|(number, operation)| {
            let mut needs = (0..number)
                .filter(|other| number == last || conflict(&accesses[*other], &accesses[number]))
                .collect::<BTreeSet<_>>();
            let nested = walk::nested(*operation);
            let operands = nested.iter().flat_map(|inner| inner.operands().collect::<Vec<_>>());
            needs.extend(operands.filter_map(walk::definition).filter_map(place));
            needs.remove(&number);
            needs
        });
        let needs = needs.collect();
        Self { operations, needs }
    }

    /// The node of an op in these groups, given as those of applies.
    pub fn node(
        &self,
        number: usize,
        group: impl Fn(OperationRef<'c, 'a>) -> Option<usize>,
    ) -> Node {
        let operation = self.operations[number];
        let computed = match StoreOp::of(operation) {
            Some(store) => walk::definition(store.temp()),
            None => Some(operation),
        };
        let joins = stages::may_move(operation) || walk::name(&operation).starts_with("math.");
        Node { group: computed.and_then(group), joins }
    }
}

/// What an op accesses, by numbers of fields.
#[derive(Default)]
struct Accesses {
    reads: BTreeSet<usize>,
    writes: BTreeSet<usize>,
    is_opaque: bool,
}

impl Accesses {
    fn touches(&self) -> bool {
        self.is_opaque || !self.reads.is_empty() || !self.writes.is_empty()
    }
}

/// The fields of a block.
#[derive(Default)]
struct Memory<'c, 'a> {
    fields: Vec<Value<'c, 'a>>,
}

impl<'c: 'a, 'a> Memory<'c, 'a> {
    fn number(&mut self, field: Value<'c, 'a>) -> usize {
        let known = self.fields.iter().position(|other| *other == field);
        known.unwrap_or_else(|| {
            self.fields.push(field);
            self.fields.len() - 1
        })
    }

    fn accesses(&mut self, operation: OperationRef<'c, 'a>) -> Accesses {
        let mut found = Accesses::default();
        if let Some(apply) = ApplyOp::of(operation) {
            let read = apply.arguments().into_iter().filter_map(|argument| {
                let is_field = types::is_field(argument.r#type());
                if is_field { Some(argument) } else { placement::loaded_field(argument) }
            });
            found.reads = read.map(|field| self.number(field)).collect();
            let results = operation.results().flat_map(|result| walk::uses(result.into()));
            let stores = results.filter_map(|used| StoreOp::of(used.user));
            found.writes = stores.map(|store| self.number(store.field())).collect();
        } else if let Some(store) = StoreOp::of(operation) {
            found.writes.insert(self.number(store.field()));
        } else if walk::name(&operation) == stencil::LOAD {
            let field = operation.operand(0).expect("a load has a field");
            found.reads.insert(self.number(field));
        }
        found.is_opaque = stages::is_opaque(operation);
        found
    }

    /// Which fields may be one.
    fn aliases(&self) -> Vec<Vec<bool>> {
        let (all, mut known) = (self.fields.iter(), Aliases::default());
        let mut row =
            |one: Value<'c, 'a>| all.clone().map(|two| known.may_alias(one, *two)).collect();
        all.clone().map(|one| row(*one)).collect()
    }
}

/// The ops in an order in which each group is in a row, and which keeps to the given one as far as
/// that permits: a group is where its last op was.
///
/// # Errors
/// What makes that impossible.
pub fn arranged(needs: &[BTreeSet<usize>], nodes: &[Node]) -> Result<Vec<usize>, Obstacle> {
    let group = with_joined(needs, nodes)?;
    let mut units = BTreeMap::<Unit, Vec<usize>>::new();
    let unit = |op: usize| group[op].map_or(Unit::Op(op), Unit::Group);
    for op in 0..nodes.len() {
        units.entry(unit(op)).or_default().push(op);
    }
    let mut waits = BTreeMap::<Unit, BTreeSet<Unit>>::new();
    for (own, ops) in &units {
        let others = ops.iter().flat_map(|op| &needs[*op]).map(|other| unit(*other));
        waits.insert(*own, others.filter(|other| other != own).collect());
    }
    let mut order = Vec::new();
    while !waits.is_empty() {
        let ready = waits.iter().filter(|(_, needed)| needed.is_empty()).map(|(unit, _)| *unit);
        let Some(next) = ready.min_by_key(|unit| units[unit].last()) else {
            let of_group = |unit: &Unit| match unit {
                Unit::Group(group) => Some(*group),
                Unit::Op(_) => None,
            };
            return Err(Obstacle::Mutual(cycle(&waits).iter().filter_map(of_group).collect()));
        };
        waits.remove(&next);
        waits.values_mut().for_each(|needed| {
            needed.remove(&next);
        });
        order.extend(&units[&next]);
    }
    Ok(order)
}

/// What is in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Group(usize),
    Op(usize),
}

/// Units of a cycle, among units each of which waits for another one.
fn cycle(waits: &BTreeMap<Unit, BTreeSet<Unit>>) -> Vec<Unit> {
    let mut path = Vec::<Unit>::new();
    let mut next = *waits.keys().next().expect("some units wait");
    loop {
        if let Some(start) = path.iter().position(|unit| *unit == next) {
            return path.split_off(start);
        }
        path.push(next);
        next = *waits[&next].iter().next().expect("each waits for another one");
    }
}

/// The group of each op, with what joins groups.
fn with_joined(needs: &[BTreeSet<usize>], nodes: &[Node]) -> Result<Vec<Option<usize>>, Obstacle> {
    let mut group = nodes.iter().map(|node| node.group).collect::<Vec<_>>();
    let all = group.iter().flatten().copied().collect::<BTreeSet<_>>();
    for own in all {
        let is_own = |op: usize| nodes[op].group == Some(own);
        // Needs lead to lower numbers.
        let mut follows = vec![false; nodes.len()];
        for op in 0..nodes.len() {
            follows[op] = needs[op].iter().any(|other| is_own(*other) || follows[*other]);
        }
        let mut leads = vec![false; nodes.len()];
        for op in (0..nodes.len()).rev() {
            if is_own(op) || leads[op] {
                needs[op].iter().for_each(|other| leads[*other] = true);
            }
        }
        for op in (0..nodes.len()).filter(|op| follows[*op] && leads[*op] && !is_own(*op)) {
            match (nodes[op].joins, group[op]) {
                (true, None) => group[op] = Some(own),
                (_, Some(other)) => return Err(Obstacle::Mutual(BTreeSet::from([own, other]))),
                (false, None) => return Err(Obstacle::Through { group: own, op }),
            }
        }
    }
    Ok(group)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Letters are ops: of groups A and B, loads `l`, and other ops `x`.
    fn order(ops: &str, needs: &[(usize, usize)]) -> Result<Vec<usize>, Obstacle> {
        let node = |letter: char| Node {
            group: match letter {
                'A' => Some(0),
                'B' => Some(1),
                'C' => Some(2),
                _ => None,
            },
            joins: letter == 'l',
        };
        let nodes = ops.chars().map(node).collect::<Vec<_>>();
        let mut list = vec![BTreeSet::new(); nodes.len()];
        for (op, needed) in needs {
            list[*op].insert(*needed);
        }
        arranged(&list, &nodes)
    }

    #[test]
    fn what_needs_nothing_stays_where_it_is() {
        assert_eq!(order("xxx", &[(2, 0)]), Ok(vec![0, 1, 2]));
        assert_eq!(order("AxA", &[]), Ok(vec![1, 0, 2]));
    }

    #[test]
    fn what_needs_a_group_is_moved_behind_it() {
        assert_eq!(order("AxAx", &[(1, 0), (2, 0), (3, 1)]), Ok(vec![0, 2, 1, 3]));
        assert_eq!(order("ABAB", &[(1, 0), (2, 0), (3, 2)]), Ok(vec![0, 2, 1, 3]));
    }

    #[test]
    fn loads_on_the_way_are_part_of_the_group() {
        assert_eq!(order("AlxA", &[(1, 0), (3, 1)]), Ok(vec![2, 0, 1, 3]));
        assert_eq!(order("AllA", &[(1, 0), (2, 1), (3, 2)]), Ok(vec![0, 1, 2, 3]));
    }

    #[test]
    fn paths_that_come_back_are_refused() {
        let needs = [(1, 0), (2, 1)];
        assert_eq!(order("AxA", &needs), Err(Obstacle::Through { group: 0, op: 1 }));
        let longer = [(1, 0), (2, 1), (3, 2)];
        assert_eq!(order("AxxA", &longer), Err(Obstacle::Through { group: 0, op: 1 }));
        let through = [(1, 0), (2, 1)];
        assert_eq!(order("ABA", &through), Err(Obstacle::Mutual(BTreeSet::from([0, 1]))));
    }

    #[test]
    fn groups_that_need_each_other_are_refused() {
        let crossed = order("ABBA", &[(1, 0), (3, 2)]);
        assert_eq!(crossed, Err(Obstacle::Mutual(BTreeSet::from([0, 1]))));
        let three = order("ABBCCA", &[(1, 0), (3, 2), (5, 4)]);
        assert_eq!(three, Err(Obstacle::Mutual(BTreeSet::from([0, 1, 2]))));
    }
}
