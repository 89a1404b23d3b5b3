//! Dependences, paths and halos of small graphs.

use super::*;

fn array(name: &str) -> Array {
    Array { name: name.to_owned(), element_bytes: 4, is_live_out: true, streams: true }
}

/// A stage that reads planes of arrays at its own column and a cell around it, and writes others.
fn stage(name: &str, reads: &[(usize, &[i64])], writes: &[usize]) -> Stage {
    let read = |(array, planes): &(usize, &[i64])| Read {
        array: *array,
        planes: planes.iter().map(|plane| (*plane, Window::around(&[1]))).collect(),
        cells: 10,
    };
    Stage {
        name: name.to_owned(),
        reads: reads.iter().map(read).collect(),
        writes: writes.iter().map(|array| Write::plane(*array, 10)).collect(),
        points: 10,
        operations: 1,
    }
}

fn graph(arrays: usize, stages: Vec<Stage>) -> Graph {
    let arrays = (0..arrays).map(|number| array(&format!("a{number}"))).collect();
    Graph::new(arrays, stages, Vec::new(), 1)
}

/// A diamond: s0 before s1 and s2, both before s3, and s3 reads what s0 writes as well.
fn diamond() -> Graph {
    let stages = vec![
        stage("s0", &[(0, &[0])], &[1]),
        stage("s1", &[(1, &[0])], &[2]),
        stage("s2", &[(1, &[-1, 1])], &[3]),
        stage("s3", &[(1, &[0]), (2, &[0, 2]), (3, &[0])], &[4]),
    ];
    graph(5, stages)
}

fn set(stages: &[usize]) -> StageSet {
    stages.iter().copied().collect()
}

#[test]
fn dependences_are_of_four_kinds() {
    let stages = vec![
        stage("s0", &[(0, &[-2, 1])], &[1]),
        stage("s1", &[(0, &[0]), (1, &[0, 3])], &[0]),
        stage("s2", &[], &[0]),
    ];
    let graph = graph(2, stages);
    let found = graph.dependences().iter().map(|it| {
        let Dependence { source, sink, array, kind, distance } = *it;
        format!("s{source} s{sink} a{array} {kind} {distance}")
    });
    let expected = [
        // s1 writes a plane after s0 read it as its lowest.
        "s0 s1 a0 anti 2",
        "s0 s1 a0 input 0",
        "s0 s1 a1 flow 3",
        "s0 s2 a0 anti 2",
        "s1 s2 a0 anti 0",
        "s1 s2 a0 output 0",
    ];
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn transitive_dependence_needs_a_third() {
    let graph = diamond();
    let transitive = [(0, 3)];
    for pair in (0..4).flat_map(|from| (0..4).map(move |to| (from, to))) {
        assert_eq!(
            graph.depends_transitively(pair.0, pair.1),
            transitive.contains(&pair),
            "{pair:?}"
        );
    }
    assert!(graph.successors(0).contains(3));
}

#[test]
fn convex_sets_leave_no_stage_out() {
    let graph = diamond();
    assert!(graph.is_convex(set(&[0, 1])) && graph.is_convex(set(&[1, 2])));
    assert!(graph.is_convex(set(&[0, 1, 2, 3])));
    assert!(!graph.is_convex(set(&[0, 3])) && !graph.is_convex(set(&[0, 1, 3])));
    assert_eq!(graph.between_members(set(&[0, 1, 3])), set(&[2]));
}

/// Two convex sets that depend on each other are no order of kernels.
#[test]
fn kernels_have_an_order() {
    let stages = vec![
        stage("s0", &[], &[0]),
        stage("s1", &[], &[1]),
        stage("s2", &[(0, &[0])], &[2]),
        stage("s3", &[(1, &[0])], &[3]),
    ];
    let graph = graph(4, stages);
    let crossed = [set(&[0, 3]), set(&[1, 2])];
    assert!(crossed.iter().all(|group| graph.is_convex(*group)));
    assert_eq!(graph.in_order(&crossed), None);
    assert!(!Quotient::of(&graph, &crossed).is_acyclic());
    let straight = [set(&[2, 3]), set(&[0, 1])];
    assert_eq!(graph.in_order(&straight), Some(vec![set(&[0, 1]), set(&[2, 3])]));
    let quotient = Quotient::of(&graph, &[set(&[0]), set(&[1, 2]), set(&[3])]);
    assert!(quotient.depends(0, 1) && !quotient.depends(0, 2));
    // No stage is on a path from s0 to s3, but the second kernel is.
    assert_eq!(quotient.through(0, 2), StageSet::single(1));
    assert!(!graph.depends_transitively(0, 3));
}

#[test]
fn halos_add_up() {
    let graph = diamond();
    let halo = |lower: [i64; 2], upper: [i64; 2]| Halo { lower: lower.into(), upper: upper.into() };
    let halos = graph.halos(graph.all());
    assert_eq!(halos[3], (3, Halo::none(2)));
    assert_eq!(halos[1], (1, halo([0, -1], [2, 1])));
    assert_eq!(halos[2], (2, halo([0, -1], [0, 1])));
    assert_eq!(halos[0], (0, halo([-1, -2], [2, 2])));
    assert_eq!(graph.order(graph.all()), 3);
    assert_eq!([graph.order(set(&[3])), graph.grown_order(set(&[3]))], [2, 0]);
    // What is not read by others of the kernel is not grown.
    assert_eq!([graph.order(set(&[1, 2])), graph.grown_order(set(&[1, 2]))], [1, 0]);
    assert_eq!(graph.grown_order(set(&[1, 3])), 2);
    assert_eq!(graph.shifts(graph.all()), [(0, 0), (1, 0), (2, 1), (3, 2)]);
}

/// Sums in scatter form have the reach of those in gather form, and follow by as many planes.
#[test]
fn retiming_moves_planes_from_reads_to_writes() {
    let gather = stage("s0", &[(0, &[-1, 0, 2]), (1, &[0])], &[2]);
    let scatter = gather.retimed().unwrap();
    assert_eq!(scatter.reads[0].planes.keys().collect::<Vec<_>>(), [&0]);
    assert_eq!((scatter.writes[0].lowest, scatter.writes[0].highest), (-2, 1));
    let halo_of = |first: Stage| {
        let reader = stage("s1", &[(2, &[0])], &[3]);
        let graph = graph(4, vec![first, reader]);
        let order = graph.order(graph.all());
        (order, graph.shifts(graph.all())[1].1)
    };
    assert_eq!(halo_of(gather.clone()), (2, 0));
    assert_eq!(halo_of(scatter), (2, 2));
    // Several arrays at several planes, or none.
    assert_eq!(stage("s0", &[(0, &[1]), (1, &[1])], &[2]).retimed(), None);
    assert_eq!(stage("s0", &[(0, &[0])], &[2]).retimed(), None);
}

#[test]
fn what_cannot_follow_by_planes_is_kept_apart() {
    let mut anywhere = stage("s1", &[(0, &[])], &[1]);
    anywhere.reads[0].planes.clear();
    let graph = graph(2, vec![stage("s0", &[], &[0]), anywhere]);
    let apart = graph.parted(graph.all()).unwrap();
    assert_eq!(apart.why, "cells of a0 that one writes are read at computed coordinates");
    assert_eq!(graph.parted(set(&[1])), None);
}
