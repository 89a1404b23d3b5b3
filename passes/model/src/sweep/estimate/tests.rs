//! Live registers of levels over a box, and bytes by how they are read.

use super::*;
use crate::sweep::pipeline::Exchange;

/// Two levels of a box of radius 1 over a field, each with a coefficient at its point.
fn two_levels() -> Graph {
    let around = [-1, 0, 1];
    let level = |stream: usize| {
        let planes = around.into_iter().flat_map(move |plane| around.map(|row| (plane, row)));
        let offsets =
            planes.flat_map(move |(plane, row)| around.map(move |column| [plane, row, column]));
        let own = offsets.map(move |offset| Read { stream, offset });
        own.chain([Read { stream: 1, offset: [0; 3] }]).collect::<Vec<_>>()
    };
    Graph {
        streams: vec![Source::Field, Source::Field, Source::Level(0), Source::Level(1)],
        levels: vec![level(0), level(2)],
        outputs: vec![3],
    }
}

#[test]
fn live_registers_are_planes_neighbours_sums_and_addresses() {
    let graph = two_levels();
    let exchange = Exchange { rows: Some(2), is_lazy: false, copied_ahead: None };
    let pipeline = Pipeline::of(&graph, exchange);
    // Two older planes of the field and of the first level, and one of the coefficient.
    assert_eq!(pipeline.kept(), 5);
    let live = |tile, facts| live_registers(&graph, &pipeline, tile, facts);
    // Of three planes, twelve cells around two by two; a sum and a result for each point.
    let around = 3 * 12;
    assert_eq!(live((2, 2), (1, false)), (5 + 2) * 4 + around + ADDRESSES);
    // Two fields are fetched ahead.
    assert_eq!(live((2, 2), (1, true)), (5 + 2 + 2) * 4 + around + ADDRESSES);
    assert_eq!(live((2, 2), (2, true)), 2 * ((5 + 2 + 2) * 4 + around) + ADDRESSES);
    // One column has one cell fewer on each of both rows beside it.
    assert_eq!(live((2, 1), (1, false)), (5 + 2) * 2 + 3 * (4 * 3 - 2) + ADDRESSES);
}

#[test]
fn grids_of_the_point_alone_are_read_as_fast_as_copied() {
    let product = Product::named("NVIDIA H200").expect("its facts are known");
    let apart = |own: f64, neighbours: f64, words: f64| {
        let step = Step {
            operations: 1.0,
            words,
            read: 0.0,
            written: 0.0,
            apart: Moved { own, neighbours, far: 0.0 },
            kernels: 0.0,
            points: 1e9,
        };
        step.apart_ns(product)
    };
    let copied = 16.0 * 1e18 / product.copy_bytes_per_s as f64;
    let near = |ns: f64, part: f64| (ns * part / copied - 1.0).abs() < 1e-9;
    assert!(near(apart(16.0, 0.0, 1.0), product.reached.thread_own));
    assert!(near(apart(0.0, 16.0, 1.0), product.reached.thread_neighbours[0]));
    assert!(near(apart(0.0, 16.0, 2.0), product.reached.thread_neighbours[1]));
}

#[test]
fn parts_of_what_kernels_move_add_up() {
    let all = [
        Moved { own: 8.0, neighbours: 4.0, far: 0.0 },
        Moved { own: 2.0, neighbours: 0.0, far: 0.0 },
    ];
    let sum: Moved = all.into_iter().sum();
    assert_eq!(sum, Moved { own: 10.0, neighbours: 4.0, far: 0.0 });
    assert_eq!(sum.scaled(0.5), Moved { own: 5.0, neighbours: 2.0, far: 0.0 });
    assert!((sum.bytes() - 14.0).abs() < f64::EPSILON);
}
