//! Maps of single stages, and of the paper's example of two.

use super::*;
use crate::{Array, Read, Write};

fn array(name: &str, is_live_out: bool) -> Array {
    Array { name: name.to_owned(), element_bytes: 8, is_live_out, streams: true }
}

fn read(array: usize, planes: &[(i64, Window)]) -> Read {
    Read { array, planes: planes.iter().cloned().collect(), cells: 0 }
}

fn own() -> Window {
    Window::own(2)
}

fn cross() -> Window {
    Window::around(&[1, 1])
}

/// The seven-point star from one array to another.
fn star(name: &str, from: usize, to: usize) -> Stage {
    Stage {
        name: name.to_owned(),
        reads: vec![read(from, &[(-1, own()), (0, cross()), (1, own())])],
        writes: vec![Write::plane(to, 0)],
        points: 1,
        operations: 8,
    }
}

fn graph(stages: Vec<Stage>) -> Graph {
    let arrays = vec![array("A", false), array("B", false), array("C", true)];
    Graph::new(arrays, stages, Vec::new(), 2)
}

/// Listing 4 of the paper: both steps in scatter form, the second shifted by one plane.
#[test]
fn two_steps_of_the_star_in_scatter_form() {
    let steps = [star("first", 0, 1), star("second", 1, 2)];
    let graph = graph(steps.iter().map(|step| step.retimed().unwrap()).collect());
    let first = ResourceMap::of_stage(&graph, 0);
    assert_eq!(first.text(&graph), "A[+0] shared, B[-1] register, B[+0] register, B[+1] register");
    assert_eq!(graph.shifts(graph.all()), [(0, 0), (1, 1)]);
    let second = ResourceMap::of_stage(&graph, 1).shifted(&graph, 1);
    assert_eq!(second.text(&graph), "B[-1] shared, C[-2] register, C[-1] register, C[+0] register");
    let both = first.union(&second);
    assert_eq!(
        both.text(&graph),
        "A[+0] shared, B[-1] shared, B[+0] register, B[+1] register, \
         C[-2] register, C[-1] register, C[+0] register"
    );
    assert_eq!(both, ResourceMap::of_group(&graph, graph.all()));
    // One of the six sums of both stages moved to shared memory, where the second read it anyway.
    assert_eq!([first.registers() + second.registers(), both.registers()], [6, 5]);
    assert_eq!([first.shared() + second.shared(), both.shared()], [2, 2]);
    assert_eq!(graph.order(graph.all()), 2);
}

/// In gather form 2k registers and a shared plane for each step.
#[test]
fn two_steps_of_the_star_in_gather_form() {
    let graph = graph(vec![star("first", 0, 1), star("second", 1, 2)]);
    let both = ResourceMap::of_group(&graph, graph.all());
    assert_eq!(
        both.text(&graph),
        "A[-1] register, A[+0] shared, A[+1] register, B[-2] register, B[-1] shared, \
         B[+0] register, C[-1] written"
    );
    assert_eq!([both.registers(), both.shared()], [4, 2]);
    assert_eq!([both.register_bytes(&graph), both.shared_bytes_per_cell(&graph)], [32, 16]);
}

#[test]
fn one_value_beside_the_column_is_shuffled() {
    let mut stage = star("s", 0, 2);
    stage.reads = vec![read(0, &[(0, Window::cell(&[0, 1]))])];
    let graph = graph(vec![stage]);
    let map = ResourceMap::of_stage(&graph, 0);
    assert_eq!(map.text(&graph), "A[+0] shuffle[0, 1], C[+0] written");
    assert_eq!([map.registers(), map.shared()], [1, 0]);
}

/// Derivatives do not read their own plane, but it comes by.
#[test]
fn planes_between_wait_in_registers() {
    let mut stage = star("s", 0, 2);
    stage.reads = vec![read(0, &[(-1, own()), (1, cross())])];
    let graph = graph(vec![stage]);
    let map = ResourceMap::of_stage(&graph, 0);
    assert_eq!(map.text(&graph), "A[-1] register, A[+0] held, A[+1] shared, C[+0] written");
    assert_eq!(map.registers(), 2);
}

/// The same value, or one that only waits, is no conflict; two values are.
#[test]
fn the_slower_place_wins() {
    let shuffled = |along| Storage::Shuffled(vec![0, along]);
    assert_eq!(Storage::Register.join(&Storage::Shared), Storage::Shared);
    assert_eq!(Storage::Global.join(&Storage::Shared), Storage::Global);
    assert_eq!(Storage::Held.join(&shuffled(1)), shuffled(1));
    assert_eq!(shuffled(1).join(&shuffled(1)), shuffled(1));
    assert_eq!(shuffled(1).join(&shuffled(2)), Storage::Shared);
    assert_eq!(Storage::Register.join(&shuffled(2)), Storage::Shared);
}

/// Only the last write of an array that is used later goes to memory.
#[test]
fn earlier_writes_stay_on_chip() {
    let graph = graph(vec![star("first", 0, 2), star("again", 0, 2), star("other", 0, 1)]);
    let storage = |stage, array| ResourceMap::of_stage(&graph, stage).storage(array, 0).cloned();
    assert_eq!(storage(0, 2), Some(Storage::Register));
    assert_eq!(storage(1, 2), Some(Storage::Written));
    assert_eq!(storage(2, 1), Some(Storage::Register));
    assert_eq!(storage(2, 2), None);
}

/// A field that does not change along the stream has one plane, however far a stage follows.
#[test]
fn what_does_not_stream_is_not_shifted() {
    let mut arrays = vec![array("A", false), array("B", false), array("C", true)];
    arrays[0].streams = false;
    let mut stage = star("s", 1, 2);
    stage.reads.push(read(0, &[(0, cross())]));
    let graph = Graph::new(arrays, vec![stage], Vec::new(), 2);
    let map = ResourceMap::of_stage(&graph, 0).shifted(&graph, 3);
    assert_eq!(map.storage(0, 0), Some(&Storage::Shared));
    assert_eq!(map.storage(1, -3), Some(&Storage::Shared));
}
