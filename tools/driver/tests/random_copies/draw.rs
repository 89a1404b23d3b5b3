//! Programs with a copy of a field, drawn at random.

use super::program::{Filling, More, Program, Strip};
use crate::{
    random_imports::Random,
    random_loops::{self, Key, array},
};
use std::ops::Range;

/// How ghost cells of a side get their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// As at a mirror between the last point and the next.
    Face,
    /// As at a mirror through the last point.
    Point,
    /// As the last point, one after the other from the one before.
    Chain,
    /// As the last point, each from it.
    Edge,
    /// As the other end.
    Periodic,
    /// As at a face, with another sign.
    Odd,
    Number,
}

const SIDES: [Side; 7] =
    [Side::Face, Side::Point, Side::Chain, Side::Edge, Side::Periodic, Side::Odd, Side::Number];

/// A program.
pub fn program(random: &mut Random) -> Program {
    let rank = 1 + random.below(3);
    let extents = (0..rank).map(|_| 4 + random.below(10) as i64).collect::<Vec<_>>();
    let ghosts = (0..rank).map(|_| [0, 1].map(|_| random.below(4) as i64)).collect::<Vec<_>>();
    // What is read twice needs the ghost cells of both.
    let inner = ghosts.iter().map(|side| side.map(|cells| random.below(cells as usize + 1) as i64));
    let inner = inner.collect::<Vec<_>>();
    let rest = ghosts.iter().zip(&inner).map(|(all, own)| [0, 1].map(|it| all[it] - own[it]));
    let rest = rest.collect::<Vec<_>>();
    let more = match random.below(12) {
        0 => More::StoresSource,
        1 => More::CopiesAgain,
        2 | 3 => More::ReadsEarly,
        _ => More::Nothing,
    };
    let strips = strips(random, &extents, &ghosts);
    let is_swept = rank > 1 && more == More::Nothing && random.one_in(2);
    Program {
        element: ["f32", "f64"][random.below(2)],
        longer: [0, 0, 2][random.below(3)],
        first: reads(random, &inner),
        second: reads(random, &rest),
        strips,
        more,
        plan: is_swept.then(|| plan(random, rank)),
        extents,
        ghosts,
    }
}

/// Cells around a point, up to as far as given before and behind it.
fn reads(random: &mut Random, widths: &[[i64; 2]]) -> Vec<Vec<i64>> {
    let along = |[low, high]: &[i64; 2], random: &mut Random| {
        random.below((low + high) as usize + 1) as i64 - low
    };
    let read = |random: &mut Random| widths.iter().map(|width| along(width, random)).collect();
    (0..1 + random.below(4)).map(|_| read(random)).collect()
}

/// What fills all ghost cells, one dimension after the other.
fn strips(random: &mut Random, extents: &[i64], ghosts: &[[i64; 2]]) -> Vec<Strip> {
    let rank = extents.len();
    let mut order = (0..rank).collect::<Vec<_>>();
    for last in (1..rank).rev() {
        order.swap(last, random.below(last + 1));
    }
    let mut filled = extents.iter().map(|end| 0..*end).collect::<Vec<_>>();
    let mut strips = Vec::new();
    for d in order {
        let mut sides = [true, false].map(|is_high| {
            let kind = SIDES[random.below(SIDES.len())];
            let width = ghosts[d][usize::from(is_high)];
            side(random, kind, (extents[d], width, is_high))
        });
        let whole = |e: usize| -ghosts[e][0]..extents[e] + ghosts[e][1];
        while sides.iter().any(|side| !side.is_empty()) {
            let one = usize::from(random.one_in(2));
            if sides[one].is_empty() {
                continue;
            }
            let (cells, value) = sides[one].remove(0);
            let is_number = matches!(value, Filling::Number(_));
            let across = |e: usize| if is_number { whole(e) } else { filled[e].clone() };
            let box_of = |along: &Range<i64>| {
                (0..rank).map(|e| if e == d { along.clone() } else { across(e) }).collect()
            };
            let along = |by: i64| (0..rank).map(|e| if e == d { by } else { 0 }).collect();
            let value = match value {
                Filling::Cell(by) => Filling::Cell(along(by[0])),
                Filling::Negative(by) => Filling::Negative(along(by[0])),
                number @ Filling::Number(_) => number,
            };
            strips.push(Strip { cells: box_of(&cells), value });
        }
        filled[d] = whole(d);
    }
    strips
}

/// What fills the ghost cells of a side, by their coordinates along the dimension.
fn side(
    random: &mut Random,
    kind: Side,
    (extent, width, is_high): (i64, i64, bool),
) -> Vec<(Range<i64>, Filling)> {
    let all = if is_high { extent..extent + width } else { -width..0 };
    // Towards the points.
    let sign = if is_high { -1 } else { 1 };
    if width > 0 && kind == Side::Number {
        return vec![(all, Filling::Number(1.5 + f64::from(u8::from(is_high))))];
    }
    if width > 0 && kind == Side::Periodic && random.one_in(2) {
        return vec![(all, Filling::Cell(vec![sign * extent]))];
    }
    let layer = |layer: i64| {
        let cell = if is_high { extent - 1 + layer } else { -layer };
        let by = match kind {
            Side::Face | Side::Odd | Side::Number => 2 * layer - 1,
            Side::Point => 2 * layer,
            Side::Chain => 1,
            Side::Edge => layer,
            Side::Periodic => extent,
        };
        let value = match kind {
            Side::Odd => Filling::Negative(vec![sign * by]),
            _ => Filling::Cell(vec![sign * by]),
        };
        (cell..cell + 1, value)
    };
    (1..=width).map(layer).collect()
}

/// A plan of a sweep.
fn plan(random: &mut Random, rank: usize) -> String {
    let lanes = 32 * (1 + random.below(2));
    let mapping = random_loops::mapping(random, rank, lanes);
    let (threads, points) = match rank {
        2 => (vec![1, lanes], vec![1, 1 + random.below(3)]),
        _ => (vec![1, 4, 32], vec![1, 3 + random.below(2), 1 + random.below(2)]),
    };
    let mut keys = vec![format!("mapping = \"{}\"", mapping.word())];
    keys.push(format!("threads = {}", array(&threads)));
    keys.push(format!("points = {}", array(&points)));
    keys.extend(random_loops::keys(random, rank, false).into_iter().map(Key::attribute));
    keys.join(", ")
}
