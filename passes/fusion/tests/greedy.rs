//! The greedy fusion is what its rules say.

use crate::{by_the_rules::Limited, random::graphs};
use proptest::prelude::*;
use std::{collections::BTreeSet, time::Instant};
use stencil_fusion::{
    Array, Graph, Limits, Options, Read, Rule, Stage, StageSet, Window, Write, fuse,
    greedy::{Event, Metrics},
};

fn limits() -> impl Strategy<Value = Limits> {
    let shared = prop::option::of(0_u64..12);
    let registers = prop::option::weighted(0.3, 20_u64..120);
    let order = prop::option::weighted(0.3, 0_u64..8);
    (shared, registers, order).prop_map(|(shared, registers, order)| Limits {
        plane_cells: 10,
        shared_bytes_max: shared.map(|planes| planes * 80),
        register_bytes_max: registers,
        order_max: order,
    })
}

fn rules() -> impl Strategy<Value = Vec<Rule>> {
    let shuffled = Just(Rule::ALL.to_vec()).prop_shuffle();
    prop_oneof![
        Just(Rule::ALL.to_vec()),
        (shuffled, 0_usize..8)
            .prop_map(|(rules, count)| { rules.into_iter().take(count).collect() })
    ]
}

fn set(stages: StageSet) -> BTreeSet<usize> {
    stages.iter().collect()
}

fn numbers(metrics: Metrics) -> [i64; 5] {
    let Metrics { dependence, registers, shared, saved_registers, saved_shared } = metrics;
    [dependence.into(), registers.into(), shared.into(), saved_registers, saved_shared]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn it_follows_the_rules(
        graph in graphs(1..=9), limits in limits(), rules in rules(), dependence_min in 0_u32..2,
    ) {
        let fusion = fuse(&graph, &Options { limits, rules: rules.clone(), dependence_min });
        let dependence_min = dependence_min.into();
        let slow = Limited { graph: &graph, limits, rules: &rules, dependence_min };
        let (kernels, steps) = slow.fuse();
        let fused = fusion.log.iter().filter_map(|event| match event {
            Event::Fused { stages, metrics, .. } => Some((stages.map(set), numbers(*metrics))),
            Event::Refused { .. } => None,
        });
        prop_assert_eq!(fused.collect::<Vec<_>>(), steps);
        prop_assert_eq!(fusion.groups().into_iter().map(set).collect::<BTreeSet<_>>(), kernels);
        prop_assert_eq!(graph.in_order(&fusion.groups()), Some(fusion.groups()));
    }
}

/// A chain of steps that read around their point, and some arrays that all of them read.
fn chain(count: usize) -> Graph {
    let array = |number: usize| Array {
        name: format!("a{number}"),
        element_bytes: 8,
        is_live_out: number == count,
        streams: true,
    };
    let read = |array: usize| Read {
        array,
        planes: (-2..=2).map(|plane| (plane, Window::around(&[2, 2]))).collect(),
        cells: 1000,
    };
    let stage = |number: usize| Stage {
        name: format!("s{number}"),
        reads: [number, count + 1, count + 2].map(read).to_vec(),
        writes: vec![Write::plane(number + 1, 1000)],
        points: 1000,
        operations: 10,
    };
    let arrays = (0..count + 3).map(array).collect();
    Graph::new(arrays, (0..count).map(stage).collect(), Vec::new(), 2)
}

#[test]
fn thirty_stages_take_less_than_a_second() {
    let graph = chain(30);
    let start = Instant::now();
    let fusion = fuse(&graph, &Options::new(Limits::NONE));
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(fusion.kernels.len(), 1);
    assert!(seconds < 1.0, "{seconds} s");
}

/// Three steps of order 2: shared memory for two, and an order that allows two.
#[test]
fn limits_are_kept_on_both_sides() {
    let graph = chain(3);
    let kernels = |limits: Limits| fuse(&graph, &Options::new(limits)).kernels.len();
    let all = fuse(&graph, &Options::new(Limits::NONE)).kernels[0].map.clone();
    let bytes = all.shared_bytes_per_cell(&graph);
    let with = |bytes: u64| Limits { shared_bytes_max: Some(bytes), ..Limits::NONE };
    assert_eq!([kernels(with(bytes)), kernels(with(bytes - 1))], [1, 2]);
    let with = |order: u64| Limits { order_max: Some(order), ..Limits::NONE };
    assert_eq!([6, 5, 4, 3].map(|order| kernels(with(order))), [1, 2, 2, 3]);
}

#[test]
fn the_log_names_pairs_metrics_and_rules() {
    let graph = chain(3);
    let limits = Limits { order_max: Some(4), ..Limits::NONE };
    let fusion = fuse(&graph, &Options::new(limits));
    let expected = "\
        fuse s1 and s2: D_m=4 T_reg=0 T_shm=24 S_reg=1 S_shm=6, before s0 and s1 by rule b\n\
        refuse s0 and s1+s2: D_m=4 T_reg=0 T_shm=33 S_reg=1 S_shm=6, order 6, limit 4\n";
    assert_eq!(fusion.display(&graph).to_string(), expected);
}

/// The pair that shares most is refused until the stage between them is a part of one.
#[test]
fn kernels_stay_convex() {
    let mut chain = chain(3);
    let mut stages = chain.stages().to_vec();
    stages[1].reads.truncate(1);
    chain = Graph::new(chain.arrays().to_vec(), stages, Vec::new(), 2);
    // s0 and s2 share two inputs, s1 a result with each of them.
    let options = |rules: &[Rule]| Options { rules: rules.to_vec(), ..Options::new(Limits::NONE) };
    let fusion = fuse(&chain, &options(&[Rule::Saved]));
    let log = fusion.display(&chain).to_string();
    let lines = log.lines().map(|line| line.split(':').next().unwrap()).collect::<Vec<_>>();
    assert_eq!(lines, ["refuse s0 and s2", "fuse s0 and s1", "fuse s0+s1 and s2"]);
    assert!(log.contains("they depend through s1\n"), "{log}");
    assert!(log.contains("before s1 and s2 by number\n"), "{log}");
    assert!(log.contains("the only pair\n"), "{log}");
}
