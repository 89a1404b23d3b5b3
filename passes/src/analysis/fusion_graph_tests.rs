//! Graphs of small blocks of applies as plain data.

use super::*;
use crate::analysis::{
    shared_work::{SharedWork, Work},
    stages::{Memory, Output, Stage},
};
use std::rc::Rc;
use stencil_dialects::Bounds;

fn read(source: Source, offsets: &[i64]) -> Read {
    let range = |(dimension, offset): (usize, &i64)| Range {
        follows: Some(dimension),
        lower: *offset,
        upper: *offset,
    };
    let ranges = offsets.iter().enumerate().map(range).collect();
    Read { source, ranges, is_computed: false }
}

/// An apply over 10 x 20 points of f64 with one result.
fn stage(number: usize, reads: Vec<Read>, stored: Option<usize>) -> Stage {
    let domain = Bounds::new(vec![0, 0], vec![10, 20]);
    let fields = stored.into_iter().collect::<Vec<_>>();
    let ends = vec![2 * number + 1; fields.len()];
    let stored = stored.map(|_| domain.clone());
    Stage {
        position: 2 * number,
        domain,
        results: vec![Output { bytes: 8, fields, ends, stored }],
        work: Rc::new(SharedWork::apart(
            Work { operations: 5.0, slots: 4.0, ..Work::default() },
            2,
        )),
        group: 1,
        reads: reads.into_iter().collect(),
        reads_near: false,
        stays: None,
        apart: None,
        ready: 0,
        segment: 0,
        is_gone: false,
    }
}

fn graph(list: Vec<Stage>, axis: usize) -> Graph {
    graph_of(list, axis, BTreeSet::new())
}

fn graph_of(list: Vec<Stage>, axis: usize, aliases: BTreeSet<(usize, usize)>) -> Graph {
    let memory = |field| Memory { field, bytes: 8, writes: Vec::new() };
    let stages = Stages { list, memory: (0..4).map(memory).collect(), aliases };
    let names = |prefix: &str| (0..4).map(|number| format!("{prefix}{number}")).collect();
    let labels = Labels { fields: names("u"), stages: names("s"), leaving: BTreeSet::new() };
    of_stages(&stages, &labels, Stream { axis, is_retimed: false }).unwrap()
}

const U: Source = Source::Memory(0);
const FIRST: Source = Source::Result(0, 0);

fn names(graph: &Graph) -> Vec<&str> {
    graph.arrays().iter().map(|array| array.name.as_str()).collect()
}

/// A star of the field, read by another at the row above.
fn pair() -> Vec<Stage> {
    let star = [[0, 0], [-1, 0], [1, 0], [0, -2], [0, 1]].map(|offset| read(U, &offset));
    vec![stage(0, star.to_vec(), None), stage(1, vec![read(FIRST, &[1, 0])], Some(3))]
}

#[test]
fn windows_are_those_of_each_plane() {
    let graph = graph(pair(), 0);
    assert_eq!(names(&graph), ["u0", "s0", "u3"]);
    let read = &graph.stages()[0].reads[0];
    let window = |lower: i64, upper: i64| Window { lower: vec![lower], upper: vec![upper] };
    let expected = [(-1, window(0, 0)), (0, window(-2, 1)), (1, window(0, 0))];
    assert_eq!(read.planes, expected.into());
    assert_eq!(read.cells, 12 * 23);
    assert_eq!(graph.dependences()[0].distance, 1);
    assert_eq!(graph.stages()[1].writes, [Write::plane(2, 200)]);
    assert!(graph.arrays()[2].is_live_out && !graph.arrays()[1].is_live_out);
    assert!(graph.apart().is_empty());
}

/// Streamed along the other dimension, the rows are windows.
#[test]
fn the_axis_is_chosen() {
    let graph = graph(pair(), 1);
    let planes = graph.stages()[0].reads[0].planes.keys().copied().collect::<Vec<_>>();
    assert_eq!(planes, [-2, 0, 1]);
    assert_eq!(graph.dependences()[0].distance, 0);
}

/// A field of one dimension has one plane along the other.
#[test]
fn coefficients_of_a_row_do_not_stream() {
    let mut row = read(Source::Memory(1), &[-1]);
    row.ranges[0].follows = Some(1);
    let graph = graph(vec![stage(0, vec![row, read(U, &[0, 0])], Some(3))], 0);
    let streams = graph.arrays().iter().map(|array| (array.name.as_str(), array.streams));
    assert_eq!(streams.collect::<Vec<_>>(), [("u0", true), ("u1", false), ("u3", true)]);
    assert_eq!(graph.stages()[0].reads[1].planes, [(0, Window::cell(&[-1]))].into());
}

#[test]
fn computed_coordinates_are_any_cell() {
    let mut stages = pair();
    let range = Range { follows: None, lower: 0, upper: 9 };
    stages[1].reads = [Read { source: FIRST, ranges: vec![range; 2], is_computed: true }].into();
    let graph = graph(stages, 0);
    assert!(graph.stages()[1].reads[0].planes.is_empty());
    assert_eq!(graph.apart().len(), 1);
}

/// Why two applies cannot be one kernel; some could after a change that the reason names.
#[test]
fn what_is_between_keeps_apart() {
    let why = |change: &dyn Fn(&mut Vec<Stage>)| {
        let mut stages = pair();
        change(&mut stages);
        graph(stages, 0).apart().iter().map(|apart| apart.why.clone()).collect::<Vec<_>>()
    };
    assert_eq!(why(&|_| ()), Vec::<String>::new());
    assert_eq!(why(&|stages| stages[1].segment = 1), ["an op between them may access memory"]);
    assert_eq!(why(&|stages| stages[1].ready = 1), ["an operand is computed between them"]);
    assert_eq!(why(&|stages| stages[0].apart = Some("of its own".to_owned())), ["of its own"]);
    let overwriting = |stages: &mut Vec<Stage>| stages[1].results[0].fields = vec![0];
    assert_eq!(why(&overwriting), ["one overwrites what the other reads around its point"]);
    // At its own point it may.
    let in_place = |stages: &mut Vec<Stage>| {
        stages[0].reads = [read(U, &[0, 0])].into();
        overwriting(stages);
    };
    assert_eq!(why(&in_place), Vec::<String>::new());
}

/// Fields that may be the same are one array, by the name of the first.
#[test]
fn aliases_are_one_array() {
    let graph = graph_of(pair(), 0, [(0, 2), (2, 3)].into());
    assert_eq!(names(&graph), ["u0", "s0"]);
    assert_eq!(graph.apart().len(), 1);
}
