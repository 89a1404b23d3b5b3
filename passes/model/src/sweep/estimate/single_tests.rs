//! Sweeps of one statement: what spills, moves and is computed redundantly takes time.

use super::{super::Moved, *};
use crate::{
    plan::{Mapping, PlanKeys},
    product::Product,
    sweep::{
        Reach,
        launch::Launch,
        pipeline::{Exchange, Graph, Held, Pipeline, Source},
        tiling::{Aligned, Cut, Tiling},
    },
};

const EXTENT: i64 = 510;

/// A star of radius 1 in three dimensions, in so many steps.
fn star(steps: usize) -> Graph {
    let axes = (0..3).flat_map(|axis| {
        [-1, 1].map(|offset| {
            let mut place = [0; 3];
            place[axis] = offset;
            place
        })
    });
    let places = axes.chain([[0; 3]]).collect::<Vec<_>>();
    let level =
        |stream| places.iter().map(|offset| Read { stream, offset: *offset }).collect::<Vec<_>>();
    let made = (0..steps).map(Source::Level);
    Graph {
        streams: [Source::Field].into_iter().chain(made).collect(),
        levels: (0..steps).map(level).collect(),
        outputs: vec![steps],
    }
}

/// A buffer of two planes whose places are computed.
const MOVED: Loads = Loads::Ring { planes: 2, unrolled: false };

/// The time of a step of eight warps with tiles of these rows.
fn terms(rows: u32, steps: u32, change: impl Fn(&mut Single)) -> Terms {
    let plan = PlanKeys {
        mapping: Mapping::Block,
        threads: vec![1, 8, 32],
        points: vec![1, rows, 2],
        steps,
        ..PlanKeys::default()
    };
    let aligned = Aligned::of_rows(2, 8);
    let reaches = [Reach::symmetric(1); 3];
    let cut = Cut { lower: &[0; 3], upper: &[EXTENT; 3], reaches: &reaches, aligned };
    let tiling = Tiling::new(&plan.assembled().into_sweep().unwrap(), &cut).unwrap();
    let exchange = Exchange {
        shared: Some(Held { rows: rows.into(), columns: false }),
        is_lazy: false,
        copied: None,
        is_once: false,
    };
    let graph = star(steps as usize);
    let pipeline = Pipeline::of(&graph, exchange);
    let launch = Launch {
        inside: tiling.inside(),
        edges: tiling.edges(),
        edge_thirds: tiling.edge_thirds(true),
        planes: EXTENT,
        overlap: 2 * i64::from(steps),
        places: 132,
    };
    let mut single = Single {
        sweep: Sweep {
            graph: &graph,
            pipeline: &pipeline,
            tiling: &tiling,
            launch,
            chunks: launch.best_chunks(),
            fetch: super::super::Fetch::Direct,
            steps,
            slots: &[1.0],
            is_once: false,
        },
        form: Form::Gather,
        loads: MOVED,
        registers: 255.0,
        warps: 8.0,
        turn: 3.0,
        carried: 2,
    };
    change(&mut single);
    let step = Step {
        operations: 7.0,
        several: 0.0,
        words: 2.0,
        read: 8.0,
        written: 8.0,
        apart: Moved::default(),
        kernels: 1.0,
        points: EXTENT.pow(3) as f64,
        reads_rows: false,
    };
    step.swept_alone(&single, Product::named("NVIDIA H200").unwrap())
}

#[test]
fn registers_beyond_those_of_a_thread_take_time() {
    let with = |registers: f64| terms(4, 4, |single| single.registers = registers).ns();
    // Eight values for each of eight points of two words, and what a thread needs besides.
    assert!((with(1000.0) - with(2000.0)).abs() < f64::EPSILON);
    assert!(with(168.0) > with(255.0) && with(128.0) > with(168.0));
    // The more are spilled the more each one takes.
    assert!(with(64.0) - with(96.0) > with(96.0) - with(128.0));
}

#[test]
fn values_move_unless_the_loop_is_unrolled_by_their_rotation() {
    let all = 1000.0;
    let with =
        |loads| terms(4, 2, |single| (single.loads, single.registers) = (loads, all)).issue_ns;
    let reached = &Product::named("NVIDIA H200").unwrap().calibration.reached.single[0];
    let turns = with(Loads::Ring { planes: 3, unrolled: true });
    let moves = with(MOVED);
    assert!(moves > turns / reached.unrolled[0][1], "{moves} {turns}");
    // An iteration ahead, they need registers instead of shared memory.
    let few = |loads| terms(4, 2, |single| (single.loads, single.registers) = (loads, 140.0)).ns();
    assert!(few(Loads::Ahead) > few(MOVED));
}

#[test]
fn a_plane_that_is_on_its_way_during_an_iteration_arrives_in_time() {
    let with = |planes| {
        let loads = Loads::Ring { planes, unrolled: false };
        terms(4, 2, |single| single.loads = loads).memory_ns
    };
    assert!(with(3) < with(2));
    assert!((with(3) - with(4)).abs() < f64::EPSILON);
}

#[test]
fn more_steps_move_less_memory_and_compute_more_redundantly() {
    let [two, four] = [2, 4].map(|steps| terms(4, steps, |_| {}));
    assert!(four.memory_ns < 0.7 * two.memory_ns && four.redundancy > two.redundancy);
    let [narrow, wide] = [2, 4].map(|rows| terms(rows, 2, |_| {}));
    assert!(wide.redundancy < narrow.redundancy && wide.memory_ns < narrow.memory_ns);
}

#[test]
fn chunks_load_and_compute_planes_again() {
    let with = |chunks: i64| terms(4, 4, |single| single.sweep.chunks = (chunks, chunks));
    let (one, ten) = (with(1), with(10));
    let again = (1.0 + 80.0 / EXTENT as f64) / (1.0 + 8.0 / EXTENT as f64);
    assert!((ten.redundancy / one.redundancy - again).abs() < 1e-9);
    assert!((ten.memory_ns / one.memory_ns - again).abs() < 1e-9);
}

#[test]
fn more_resident_warps_hide_more_latency() {
    let with = |warps: f64| terms(4, 4, |single| single.warps = warps).issue_ns;
    assert!(with(16.0) < with(8.0) && with(8.0) < 1.1 * with(16.0) * 2.0);
}
