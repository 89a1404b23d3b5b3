//! The partition of least cost is the least of all partitions.

use crate::random::graphs;
use proptest::prelude::*;
use std::{cell::Cell, collections::HashMap};
use stencil_fusion::{
    Array, Effort, Graph, GroupCost, Limits, Options, Read, Stage, StageSet, Traffic, Window,
    Write, fuse,
    optimal::{Gap, Method, partition},
};

/// The cheapest cost of all partitions whose kernels have an order.
fn exhaustive(graph: &Graph, cost: &dyn Fn(StageSet) -> Option<u64>) -> Option<u64> {
    let mut known = HashMap::new();
    let mut groups = Vec::new();
    let mut best = None;
    let count = graph.stages().len();
    all_partitions(0, count, &mut groups, &mut |groups| {
        let costs = groups.iter().map(|group| *known.entry(*group).or_insert_with(|| cost(*group)));
        let Some(sum) = costs.sum::<Option<u64>>() else { return };
        if best.is_none_or(|best| sum < best) && is_ordered(graph, groups) {
            best = Some(sum);
        }
    });
    best
}

fn all_partitions(
    stage: usize,
    count: usize,
    groups: &mut Vec<StageSet>,
    visit: &mut dyn FnMut(&[StageSet]),
) {
    if stage == count {
        return visit(groups);
    }
    for group in 0..groups.len() {
        let before = groups[group];
        groups[group] = before.with(stage);
        all_partitions(stage + 1, count, groups, visit);
        groups[group] = before;
    }
    groups.push(StageSet::single(stage));
    all_partitions(stage + 1, count, groups, visit);
    groups.pop();
}

/// Whether kernels can be taken away one by one, each when nothing that is left has to precede it.
fn is_ordered(graph: &Graph, groups: &[StageSet]) -> bool {
    let mut left = groups.to_vec();
    while !left.is_empty() {
        let precedes = |one: &StageSet, two: &StageSet| {
            let ordering = graph.dependences().iter().filter(|found| found.kind.orders());
            ordering.into_iter().any(|it| one.contains(it.source) && two.contains(it.sink))
        };
        let is_free = |group: &StageSet| left.iter().all(|it| it == group || !precedes(it, group));
        let Some(next) = left.iter().position(is_free) else { return false };
        left.remove(next);
    }
    true
}

fn traffic(graph: &Graph, limits: Limits) -> Traffic<'_> {
    Traffic { graph, limits, tile: vec![16], operations_per_byte: 3 }
}

fn limits() -> impl Strategy<Value = Limits> {
    let shared = prop::option::of(0_u64..8);
    (shared, prop::option::of(0_u64..8)).prop_map(|(planes, order_max)| Limits {
        shared_bytes_max: planes.map(|planes| planes * 8),
        order_max,
        ..Limits::NONE
    })
}

/// A cost without any sense, by the bits of a set; every seventh kernel is impossible.
fn scrambled(seed: u64) -> impl Fn(StageSet) -> Option<u64> {
    move |group| {
        let bits = group.iter().fold(seed, |bits, stage| {
            (bits ^ stage as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
        });
        (group.len() == 1 || !bits.is_multiple_of(7)).then_some(bits % 17)
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn nothing_is_cheaper(graph in graphs(1..=8), limits in limits()) {
        let cost = traffic(&graph, limits);
        let found = partition(&graph, &cost, &[], Effort::default()).unwrap();
        let is_exact = matches!(found.method, Method::Exact { .. });
        prop_assert!(is_exact);
        prop_assert_eq!(Some(found.cost), exhaustive(&graph, &|group| cost.of(group)));
        prop_assert!(is_ordered(&graph, &found.groups));
        let all = found.groups.iter().fold(StageSet::EMPTY, |all, group| all | *group);
        prop_assert_eq!(all, graph.all());
        let sum = found.groups.iter().map(|group| cost.of(*group).unwrap()).sum::<u64>();
        prop_assert_eq!(sum, found.cost);
    }

    #[test]
    fn nothing_is_cheaper_by_any_cost(graph in graphs(1..=8), seed in any::<u64>()) {
        let cost = scrambled(seed);
        let found = partition(&graph, &cost, &[], Effort::default()).unwrap();
        prop_assert_eq!(Some(found.cost), exhaustive(&graph, &cost));
    }

    /// Kernels of the last stages cost at least what the bound says.
    #[test]
    fn the_bound_is_one(graph in graphs(1..=7), first in 0_usize..7) {
        let cost = traffic(&graph, Limits::NONE);
        let rest = graph.all().iter().filter(|stage| *stage >= first).collect::<StageSet>();
        let stages = rest.iter().collect::<Vec<_>>();
        all_partitions(0, stages.len(), &mut Vec::new(), &mut |groups| {
            let named = |group: &StageSet| group.iter().map(|it| stages[it]).collect::<StageSet>();
            let sum = groups.iter().map(|group| cost.of(named(group))).sum::<Option<u64>>();
            assert!(sum.is_none_or(|sum| cost.least(rest) <= sum), "{groups:?}");
        });
    }

    /// Greedy fusion is no cheaper, where its kernels are possible.
    #[test]
    fn greedy_fusion_is_no_cheaper(graph in graphs(1..=12), limits in limits()) {
        let groups = fuse(&graph, &Options::new(limits)).groups();
        let cost = traffic(&graph, limits);
        let gap = Gap::of(&graph, &groups, &cost, Effort::default()).unwrap();
        prop_assert!(gap.given.is_none_or(|given| given >= gap.best.cost));
    }

    /// A beam that keeps everything finds the cheapest, and a narrow one a partition.
    #[test]
    fn a_beam_finds_partitions(graph in graphs(1..=8)) {
        let cost = traffic(&graph, Limits::NONE);
        let exact = partition(&graph, &cost, &[], Effort::default()).unwrap();
        let beam = |width| Effort { steps_max: 0, width, ..Effort::default() };
        let wide = partition(&graph, &cost, &[], beam(1 << 16)).unwrap();
        prop_assert_eq!(wide.cost, exact.cost);
        prop_assert_eq!(wide.method, Method::Beam { width: 1 << 16 });
        let narrow = partition(&graph, &cost, &[], beam(1)).unwrap();
        prop_assert!(narrow.cost >= exact.cost && is_ordered(&graph, &narrow.groups));
        let known = partition(&graph, &cost, &[exact.groups], beam(1)).unwrap();
        prop_assert_eq!(known.cost, exact.cost);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn nothing_is_cheaper_for_twelve(graph in graphs(12..=12)) {
        let cost = traffic(&graph, Limits { shared_bytes_max: Some(24), ..Limits::NONE });
        let found = partition(&graph, &cost, &[], Effort::default()).unwrap();
        prop_assert_eq!(Some(found.cost), exhaustive(&graph, &|group| cost.of(group)));
    }
}

/// Stages that share an input and depend on nothing.
fn independent(count: usize) -> Graph {
    let array = |number: usize| Array {
        name: format!("a{number}"),
        element_bytes: 8,
        is_live_out: true,
        streams: true,
    };
    let read = |array: usize| Read { array, planes: [(0, Window::own(1))].into(), cells: 1000 };
    let stage = |number: usize| Stage {
        name: format!("s{number}"),
        reads: vec![read(number % 4)],
        writes: vec![Write::plane(4 + number, 1000)],
        points: 1000,
        operations: 1,
    };
    let arrays = (0..4 + count).map(array).collect();
    Graph::new(arrays, (0..count).map(stage).collect(), Vec::new(), 1)
}

/// Too many downsets: a beam, which says so, and takes a moment.
#[test]
fn many_independent_stages_are_left_to_a_beam() {
    let graph = independent(40);
    let cost = traffic(&graph, Limits { register_bytes_max: Some(80), ..Limits::NONE });
    let groups = fuse(&graph, &Options::new(cost.limits)).groups();
    let cost = Counted { cost, asked: Cell::new(0) };
    let effort = Effort::default();
    let gap = Gap::of(&graph, &groups, &cost, effort).unwrap();
    assert_eq!(gap.best.method, Method::Beam { width: effort.width });
    assert!(gap.given.unwrap() >= gap.best.cost);
    // The steps of the exact search before it is given up, and those of the beam: each state is
    // extended by any stage.
    let most = effort.steps_max + effort.width * 40 * 40;
    assert!(cost.asked.get() <= most, "{} of {most}", cost.asked.get());
}

/// Counts the kernels whose cost is asked for.
struct Counted<C> {
    cost: C,
    asked: Cell<usize>,
}

impl<C: GroupCost> GroupCost for Counted<C> {
    fn of(&self, group: StageSet) -> Option<u64> {
        self.asked.set(self.asked.get() + 1);
        self.cost.of(group)
    }

    fn least(&self, rest: StageSet) -> u64 {
        self.cost.least(rest)
    }

    fn is_hopeless(&self, group: StageSet) -> bool {
        self.cost.is_hopeless(group)
    }
}

/// The best kernel is all stages, and a few states are enough to see it: the others cost more.
#[test]
fn a_narrow_beam_keeps_the_cheap_states() {
    let graph = independent(40);
    let cost = traffic(&graph, Limits::NONE);
    let effort = Effort { width: 4, ..Effort::default() };
    let found = partition(&graph, &cost, &[], effort).unwrap();
    assert_eq!(found.method, Method::Beam { width: 4 });
    assert_eq!((found.groups, found.cost), (vec![graph.all()], cost.of(graph.all()).unwrap()));
}

/// Two steps of radius 2 between an input and an output of 1000 cells of 8 bytes.
#[test]
fn traffic_is_bytes_and_operations() {
    let array = |number: usize| Array {
        name: format!("a{number}"),
        element_bytes: 8,
        is_live_out: number == 2,
        streams: true,
    };
    let stage = |number: usize| Stage {
        name: format!("s{number}"),
        reads: vec![Read {
            array: number,
            planes: [(0, Window::around(&[2]))].into(),
            cells: 1000,
        }],
        writes: vec![Write::plane(number + 1, 900)],
        points: 900,
        operations: 5,
    };
    let arrays = (0..3).map(array).collect::<Vec<_>>();
    let graph = Graph::new(arrays.clone(), vec![stage(0), stage(1)], Vec::new(), 1);
    let cost = traffic(&graph, Limits::NONE);
    let [first, second] = [0, 1].map(StageSet::single);
    assert_eq!([first, second].map(|group| cost.bytes(group)), [8 * 1900, 8 * 1900]);
    // What lies between is neither written nor read.
    assert_eq!(cost.bytes(graph.all()), 8 * 1900);
    // Tiles of 16 compute 20 points of the first stage.
    assert_eq!([first, graph.all()].map(|it| cost.operations(it)), [4500, 4500 * 20 / 16 + 4500]);
    assert_eq!(cost.of(graph.all()), Some(3 * 8 * 1900 + 4500 * 20 / 16 + 4500));
    assert_eq!(cost.least(graph.all()), 3 * 8 * 1900 + 9000);
    // What is used afterwards is written.
    let mut arrays = arrays;
    arrays[1].is_live_out = true;
    let graph = Graph::new(arrays, vec![stage(0), stage(1)], Vec::new(), 1);
    assert_eq!(traffic(&graph, Limits::NONE).bytes(graph.all()), 8 * 2800);
}

#[test]
fn a_gap_is_told_in_percent() {
    let graph = independent(2);
    let cost = |group: StageSet| Some(if group.len() == 1 { 1000 } else { 1900 });
    let gap = |groups: &[StageSet]| {
        Gap::of(&graph, groups, &cost, Effort::default()).unwrap().to_string()
    };
    let singles = [0, 1].map(StageSet::single);
    assert_eq!(gap(&singles), "2000 against 1900: 5.2 % more (exact, 4 downsets)");
    assert_eq!(gap(&[graph.all()]), "1900 against 1900: 0.0 % more (exact, 4 downsets)");
}

/// The same stages within the limits of the exact search, and one more.
#[test]
fn the_effort_is_limited() {
    let graph = independent(8);
    let cost = traffic(&graph, Limits::NONE);
    let method = |downsets_max: usize| {
        let effort = Effort { downsets_max, ..Effort::default() };
        partition(&graph, &cost, &[], effort).unwrap().method
    };
    assert_eq!(method(256), Method::Exact { downsets: 256 });
    assert_eq!(method(255), Method::Beam { width: 128 });
}
