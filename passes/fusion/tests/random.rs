//! Random graphs.

use proptest::{collection::vec, prelude::*};
use std::collections::BTreeMap;
use stencil_fusion::{Apart, Array, Graph, Read, Stage, Window, Write};

/// Arrays that no stage writes first; the last one does not stream.
const INPUTS: usize = 3;

#[derive(Clone, Debug)]
struct RawRead {
    array: usize,
    planes: BTreeMap<i64, usize>,
}

#[derive(Clone, Debug)]
struct RawStage {
    reads: Vec<RawRead>,
    /// An array that it overwrites.
    rewrites: Option<usize>,
    is_retimed: bool,
    is_live_out: bool,
    operations: u64,
}

fn raw_stage() -> impl Strategy<Value = RawStage> {
    let planes = prop::collection::btree_map(-2_i64..3, 0_usize..5, 0..4);
    let read = (0_usize..100, planes).prop_map(|(array, planes)| RawRead { array, planes });
    let rewrites = prop::option::weighted(0.2, 0_usize..100);
    (vec(read, 1..4), rewrites, prop::bool::weighted(0.3), any::<bool>(), 0_u64..40).prop_map(
        |(reads, rewrites, is_retimed, is_live_out, operations)| RawStage {
            reads,
            rewrites,
            is_retimed,
            is_live_out,
            operations,
        },
    )
}

fn window(kind: usize) -> Window {
    match kind {
        0 | 1 => Window::own(1),
        2 => Window::cell(&[1]),
        3 => Window::cell(&[-1]),
        _ => Window::around(&[2]),
    }
}

/// The stage with a number, which reads inputs and what earlier stages write.
fn stage(number: usize, raw: &RawStage) -> Stage {
    let known = INPUTS + number;
    let mut reads = Vec::<Read>::new();
    for RawRead { array, planes } in &raw.reads {
        // Recent results are likelier.
        let array = known - 1 - array % known.min(5);
        if reads.iter().any(|read| read.array == array) {
            continue;
        }
        let planes = planes.iter().map(|(plane, kind)| (*plane, window(*kind)));
        let mut planes = planes.collect::<BTreeMap<_, _>>();
        if array == INPUTS - 1 {
            planes.retain(|plane, _| *plane == 0);
        }
        let cells = 100 + planes.len() as u64;
        reads.push(Read { array, planes, cells });
    }
    let mut writes = vec![Write::plane(known, 100)];
    let rewritten = raw.rewrites.map(|array| array % known).filter(|array| *array != INPUTS - 1);
    writes.extend(rewritten.map(|array| Write::plane(array, 90)));
    let operations = raw.operations;
    let stage = Stage { name: format!("s{number}"), reads, writes, points: 100, operations };
    let retimed = raw.is_retimed.then(|| stage.retimed()).flatten();
    retimed.unwrap_or(stage)
}

/// Graphs with so many stages.
pub fn graphs(stages: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Graph> {
    let apart = vec((0_usize..100, 0_usize..100), 0..2);
    (vec(raw_stage(), stages), apart).prop_map(|(raw, apart)| {
        let array = |number: usize| Array {
            name: format!("a{number}"),
            element_bytes: if number.is_multiple_of(3) { 4 } else { 8 },
            is_live_out: number >= INPUTS && raw[number - INPUTS].is_live_out,
            streams: number != INPUTS - 1,
        };
        let arrays = (0..INPUTS + raw.len()).map(array).collect();
        let stages = raw.iter().enumerate().map(|(number, raw)| stage(number, raw));
        let apart = apart.into_iter().map(|(one, two)| (one % raw.len(), two % raw.len()));
        let apart = apart.filter(|(one, two)| one < two);
        let why = |(one, two)| Apart { stages: [one, two], why: "of their own".to_owned() };
        Graph::new(arrays, stages.collect(), apart.map(why).collect(), 1)
    })
}
