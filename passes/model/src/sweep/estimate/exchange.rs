//! What levels wait for: one another, and values of other threads.

use super::Sweep;
use crate::{
    plan::mapping::PlaneExchange,
    sweep::pipeline::{Graph, Read, Source},
};

/// Statements of a step that wait for one another: the longest path through the levels of all
/// steps, in those of the longest statement. One of few operations, such as of a boundary, adds
/// little to it.
pub(super) fn in_turn(graph: &Graph, (slots, steps): (&[f64], u32)) -> f64 {
    let most = slots.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return 1.0;
    }
    let mut longest: Vec<f64> = Vec::new();
    for (level, reads) in graph.levels.iter().enumerate() {
        let before = reads.iter().filter_map(|read| match graph.streams[read.stream] {
            Source::Level(level) => longest.get(level).copied(),
            Source::Field => None,
        });
        longest.push(before.fold(0.0, f64::max) + slots[level % slots.len()]);
    }
    let longest = longest.into_iter().fold(0.0, f64::max);
    (longest / most / f64::from(steps)).max(1.0)
}

/// Values that a thread gives to and takes from others, for each of its points and all levels.
pub(super) fn exchanged(sweep: &Sweep) -> f64 {
    let tile = (sweep.tiling.rows, sweep.tiling.columns);
    let mut values = sweep.graph.levels.iter().map(|reads| taken(reads, tile)).sum::<i64>();
    for (number, stream) in sweep.pipeline.streams.iter().enumerate() {
        let Some(rows) = &stream.rows else { continue };
        values += match sweep.tiling.exchange {
            PlaneExchange::Shuffles => rows.stored.len() as i64 * tile.1,
            PlaneExchange::Shared => given(sweep.graph, number, tile),
        };
    }
    values as f64 / (tile.0 * tile.1) as f64
}

/// Planes of which a thread takes its own cells out of shared memory, where they stay there.
pub(super) fn taken_back(sweep: &Sweep) -> f64 {
    let halos = sweep.pipeline.streams.iter().filter_map(|stream| stream.halo);
    halos.filter(|halo| !halo.columns).map(|halo| halo.taken as f64).sum()
}

/// Values of a thread's tile that others read of a stream.
fn given(graph: &Graph, stream: usize, (rows, columns): (i64, i64)) -> i64 {
    let reads = graph.levels.iter().flatten().filter(|read| read.stream == stream);
    let mut given = Vec::new();
    for [_, row, column] in reads.map(|read| read.offset) {
        let places = (0..rows).flat_map(|own| (0..columns).map(move |place| (own, place)));
        let read = places.map(|(own, place)| (own + row, place + column));
        let others = read.filter(|at| !(0..rows).contains(&at.0) || !(0..columns).contains(&at.1));
        given.extend(others.map(|at| (at.0.rem_euclid(rows), at.1.rem_euclid(columns))));
    }
    given.sort_unstable();
    given.dedup();
    given.len() as i64
}

/// Values that a level takes from other threads.
pub(super) fn taken(reads: &[Read], (rows, columns): (i64, i64)) -> i64 {
    let mut others = Vec::new();
    for read in reads {
        let (stream, [plane, row, column]) = (read.stream, read.offset);
        for own in 0..rows {
            let other = own + row;
            if !(0..rows).contains(&other) {
                // A row of another thread: all its columns.
                others.push((stream, plane, other, None));
            }
            let beyond = (0..columns).map(|own| own + column);
            let beyond = beyond.filter(|place| !(0..columns).contains(place));
            others.extend(beyond.map(|place| (stream, plane, other, Some(place))));
        }
    }
    others.sort_unstable();
    others.dedup();
    let count = |place: &Option<i64>| if place.is_some() { 1 } else { columns };
    others.iter().map(|(_, _, _, place)| count(place)).sum()
}
