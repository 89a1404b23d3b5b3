//! Live registers of levels over a box, statements in turn, and bytes by how they are read.

use super::*;
use crate::sweep::pipeline::{Exchange, Held, Read};

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
    let exchange = Exchange {
        shared: Some(Held { rows: 2, columns: false }),
        is_lazy: false,
        copied: None,
        is_once: false,
    };
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
fn statements_of_a_step_that_read_each_other_are_computed_in_turn() {
    // Each of two levels reads the one below: of two steps they are one statement each, of one two.
    let graph = two_levels();
    let turns = |graph: &Graph, slots: &[f64]| {
        let steps = graph.levels.len() / slots.len();
        (in_turn(graph, (slots, steps as u32)) * 1e3).round() / 1e3
    };
    assert_eq!((turns(&graph, &[8.0]), turns(&graph, &[8.0, 8.0])), (1.0, 2.0));
    assert_eq!((turns(&graph, &[8.0, 2.0]), turns(&graph, &[0.0, 0.0])), (1.25, 1.0));
    let apart = Graph { streams: vec![Source::Field; 4], ..graph };
    assert_eq!(turns(&apart, &[8.0, 8.0]), 1.0);
}

#[test]
fn grids_of_the_point_alone_are_read_as_fast_as_copied() {
    let product = Product::named("NVIDIA H200").expect("its facts are known");
    let of = |own: f64, neighbours: [f64; 3], (words, reads_rows): (f64, bool)| {
        let step = Step {
            operations: 1.0,
            several: 0.0,
            words,
            read: 0.0,
            written: 0.0,
            apart: Moved { own, neighbours },
            kernels: 0.0,
            points: 1e9,
            reads_rows,
        };
        step.apart(product).memory_ns
    };
    let apart = |own, neighbours, words| of(own, neighbours, (words, false));
    let copied = 16.0 * 1e18 / product.calibration.copy_bytes_per_s as f64;
    let near = |ns: f64, part: f64| (ns * part / copied - 1.0).abs() < 1e-9;
    let reached = product.calibration.reached;
    assert!(near(apart(16.0, [0.0; 3], 1.0), reached.thread_own));
    for far in 0..3 {
        let mut bytes = [0.0; 3];
        bytes[far] = 16.0;
        for words in [1, 2] {
            let of_planes = reached.thread_neighbours[words - 1][far];
            assert!(near(apart(0.0, bytes, words as f64), of_planes), "{far} {words}");
            let of_rows = of(0.0, bytes, (words as f64, true));
            assert!(near(of_rows, reached.thread_rows[far]), "{far} {words}");
        }
    }
}

#[test]
fn parts_of_what_kernels_move_add_up() {
    let all = [
        Moved { own: 8.0, neighbours: [4.0, 0.0, 1.0] },
        Moved { own: 2.0, neighbours: [0.0, 3.0, 0.0] },
    ];
    let sum: Moved = all.into_iter().sum();
    assert_eq!(sum, Moved { own: 10.0, neighbours: [4.0, 3.0, 1.0] });
    assert_eq!(sum.scaled(0.5), Moved { own: 5.0, neighbours: [2.0, 1.5, 0.5] });
    assert!((sum.bytes() - 18.0).abs() < f64::EPSILON);
}

/// A unit that is half as busy as the other adds a fifth to the time: they overlap in part.
#[test]
fn memory_and_issue_of_kernels_overlap_in_part() {
    let terms = on("h200", &light(7.0, 2.0));
    let half = terms.with_issue(terms.memory_ns / 2.0);
    let longer = half.ns() / terms.memory_ns;
    assert!((1.2..1.25).contains(&longer), "{longer}");
}

/// A kernel of so many multiply-adds for each point, which reads and writes one grid.
fn light(operations: f64, words: f64) -> Step {
    let bytes = 4.0 * words;
    Step {
        operations,
        several: 0.0,
        words,
        read: bytes,
        written: bytes,
        apart: Moved { own: bytes, neighbours: [bytes, 0.0, 0.0] },
        kernels: 0.0,
        points: 1e9,
        reads_rows: false,
    }
}

/// What a kernel takes on a chip.
fn on(chip: &str, step: &Step) -> Terms {
    step.apart(Product::told(chip).expect("it is listed"))
}

#[test]
fn memory_bound_kernels_take_as_much_longer_as_the_bandwidth_is_less() {
    let h200 = on("h200", &light(7.0, 2.0));
    for (chip, bandwidth) in [("h100", 3350.0), ("a100-80gb", 2039.0), ("a100-40gb", 1555.0)] {
        let terms = on(chip, &light(7.0, 2.0));
        assert_eq!([terms.busiest(), h200.busiest()], [Unit::Memory; 2]);
        let slower = terms.memory_ns / h200.memory_ns;
        assert!((slower / (4800.0 / bandwidth) - 1.0).abs() < 1e-3, "{chip}: {slower}");
    }
}

/// 27 multiply-adds: on chips for graphics a warp takes 16 clocks of a pipe for each of them.
#[test]
fn double_precision_is_bound_by_arithmetic_on_chips_for_graphics() {
    for chip in ["rtx4090", "l40s"] {
        assert_eq!(on(chip, &light(27.0, 2.0)).busiest(), Unit::Arithmetic, "{chip}");
        assert_eq!(on(chip, &light(27.0, 1.0)).busiest(), Unit::Memory, "{chip}");
    }
    for chip in ["h200", "h100", "a100-80gb", "b200"] {
        assert_eq!(on(chip, &light(27.0, 2.0)).busiest(), Unit::Memory, "{chip}");
    }
    // 128 multiprocessors of two lanes at 2.52 GHz, of which 0.9 are reached.
    let ns = on("rtx4090", &light(27.0, 2.0)).arithmetic_ns;
    let pipes = 27.0e18 / (128.0 * 2.0 * 2.52e9 * 0.9);
    assert!((ns / pipes - 1.0).abs() < 1e-9, "{ns} {pipes}");
}

/// Where pipes take every lane that is issued, they are never busier than issue: on an H200 the
/// estimate is that of two units.
#[test]
fn pipes_as_wide_as_issue_add_nothing() {
    for (operations, words) in [(1.0, 1.0), (300.0, 1.0), (1.0, 2.0), (300.0, 2.0)] {
        let terms = light(operations, words).apart(Product::told("h200").expect("it is listed"));
        assert!(terms.arithmetic_ns <= terms.issue_ns, "{terms:?}");
    }
    // An A100 multiplies and adds half of the lanes that it issues.
    assert_eq!(on("a100-80gb", &light(300.0, 1.0)).busiest(), Unit::Arithmetic);
    assert_eq!(on("h200", &light(300.0, 1.0)).busiest(), Unit::Issue);
}
