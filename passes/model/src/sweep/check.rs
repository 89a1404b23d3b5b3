//! What must hold for a sweep as a whole, before there is any code for it.
//!
//! A sweep is described by plain numbers ([`Sweep`]): what each level reads, for what reach the
//! queue was made, where its slots lie, what a thread and a block may use. [`check`] plays the
//! schedule of the [queue](super::queue) plane by plane and looks into every slot before it is
//! read; so it says of each queue whether it works, not whether it has the length of a formula. A
//! refusal names the limit and both numbers.
//!
//! Levels older than the newest are not in the queue, which hands each level to the next only. They
//! are kept apart in registers as long as something reads them, and count as such.

mod schedule;
#[cfg(test)]
mod tests;

use super::Reach;
use super::queue::SlotPlace;
use crate::plan::{Form, Skew, Storage};
use schedule::Stream;

/// Bytes of a register.
const REGISTER_BYTES: u32 = 4;

/// A sweep, as far as its invariants need it. Dimension 0 is streamed, unless it is the only one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sweep {
    /// Dimensions of the domain.
    pub rank: usize,
    /// Offsets of the accesses to the levels below, by age: those to the newest come first.
    pub carried: Vec<Vec<Vec<i64>>>,
    /// How far a level may reach along each dimension: what queue and tile are made for.
    pub reach: Vec<Reach>,
    /// Time levels.
    pub steps: u32,
    /// When a point is computed.
    pub form: Form,
    /// When a level works on what the level below computed.
    pub skew: Skew,
    /// Planes that arrive in an iteration: several are lines, which rows of threads take.
    pub lines: u32,
    /// Where a level keeps what it has of the level below.
    pub storage: Storage,
    /// Where the slots of the queue lie; none: not decided yet, or there is no queue.
    pub slots: Option<Vec<SlotPlace>>,
    /// For scatter form: the planes of the newest level that each term of the sum reads, in the
    /// order of adding. A term that reads none of them has an empty list.
    pub terms: Vec<Vec<i64>>,
    /// Cells of a tile along each dimension of the plane, the overlap of tiles counted; empty where
    /// nothing is tiled.
    pub tile: Vec<u32>,
    /// What there is to keep values in.
    pub limits: Limits,
}

/// What a sweep may use, and how large its values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a value.
    pub value_bytes: u32,
    /// Values of a thread in each slot.
    pub points: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Registers of a thread that may hold values.
    pub registers: u32,
    /// Shared memory of a block, in bytes.
    pub shared_bytes: u32,
}

/// What is wrong with a sweep.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// No time step at all.
    #[error("a sweep has at least one time step")]
    NoSteps,
    /// Dimensions that nothing sweeps over.
    #[error("{rank} dimensions, a sweep has 1 to 3")]
    Rank {
        /// Dimensions of the domain.
        rank: usize,
    },
    /// A list with another number of entries than there are dimensions.
    #[error("{what} has {found} entries, the domain has {rank} dimensions")]
    Entries {
        /// Which list.
        what: String,
        /// Its entries.
        found: usize,
        /// Dimensions of the domain.
        rank: usize,
    },
    /// An access further away than the sweep is made for.
    #[error(
        "access {offset:?} of age {age} reads {distance} {side} along dimension {dimension}, the \
         sweep is made for {reach}"
    )]
    Reach {
        /// The access.
        offset: Vec<i64>,
        /// The age of the level that is read.
        age: usize,
        /// Along this dimension.
        dimension: usize,
        /// Cells away.
        distance: u64,
        /// `behind` or `ahead`.
        side: &'static str,
        /// What the sweep is made for on that side.
        reach: u32,
    },
    /// Levels that cannot wait for each other because nothing is streamed.
    #[error(
        "skew '{}' in one dimension: the only plane has no plane after it, 'tight' is all there is",
        Skew::Lazy.word()
    )]
    Skew,
    /// A queue that hands on wrong values because it is too short.
    #[error(
        "queue of {slots} slots is too short: {steps} steps with '{}' skew need {needed}; {fault}",
        skew.word()
    )]
    Short {
        /// Slots of the queue.
        slots: usize,
        /// Slots that are enough.
        needed: usize,
        /// Time levels.
        steps: u32,
        /// When levels work.
        skew: Skew,
        /// The first read that goes wrong.
        fault: String,
    },
    /// A queue that hands on wrong values however long it is.
    #[error("{fault}, and no number of slots mends that")]
    Slot {
        /// The first read that goes wrong.
        fault: String,
    },
    /// Registers that a thread does not have.
    #[error("{needed} registers for values of a thread, {available} are available")]
    Registers {
        /// Registers of all values.
        needed: u64,
        /// Registers that may hold values.
        available: u32,
    },
    /// Shared memory that a block does not have.
    #[error("{needed} bytes of shared memory for slots, a block has {available}")]
    SharedBytes {
        /// Bytes of all slots.
        needed: u64,
        /// Bytes that a block has.
        available: u32,
    },
    /// A tile of which nothing is left.
    #[error(
        "tile of {cells} cells along dimension {dimension} is used up: {steps} steps trim {trimmed}"
    )]
    Tile {
        /// Along this dimension.
        dimension: usize,
        /// Cells of the tile.
        cells: u32,
        /// Time levels.
        steps: u32,
        /// Cells that are not right after the last level.
        trimmed: u64,
    },
    /// A queue that nothing uses.
    #[error("{slots} slots in scatter form, which carries sums and has no queue")]
    ScatterSlots {
        /// Slots of the queue.
        slots: usize,
    },
    /// A term that cannot be added when a plane arrives.
    #[error(
        "term {term} of the sum reads planes {planes:?}, scatter form adds what one plane \
         contributes when it arrives"
    )]
    ScatterTerm {
        /// Number of the term, from 0.
        term: usize,
        /// Planes that it reads.
        planes: Vec<i64>,
    },
    /// A sum whose order is not that of the planes.
    #[error(
        "term {term} of the sum reads plane {plane} after plane {before} was added, planes arrive \
         in the other order"
    )]
    ScatterOrder {
        /// Number of the term, from 0.
        term: usize,
        /// Plane that it reads.
        plane: i64,
        /// The latest plane before it.
        before: i64,
    },
    /// Planes that are read, but by no term.
    #[error("terms of the sum read planes {terms:?}, accesses read planes {accesses:?}")]
    ScatterPlanes {
        /// Planes of all terms.
        terms: Vec<i64>,
        /// Planes of all accesses to the newest level.
        accesses: Vec<i64>,
    },
    /// An older level that arrives with other planes than the newest.
    #[error(
        "access {offset:?} of age {age} is {plane} planes away, scatter form reads older levels in \
         the point's own plane"
    )]
    ScatterOlder {
        /// The access.
        offset: Vec<i64>,
        /// The age of the level that is read.
        age: usize,
        /// Planes from the point's own.
        plane: i64,
    },
}

/// Everything that is wrong with a sweep; nothing if it can be carried out.
pub fn check(sweep: &Sweep) -> Vec<Problem> {
    let shape = shape(sweep);
    if !shape.is_empty() {
        return shape;
    }
    let mut problems = reaches(sweep);
    if sweep.rank == 1 && sweep.skew != Skew::Tight {
        problems.push(Problem::Skew);
    }
    problems.extend(tiles(sweep));
    let stream = stream(sweep);
    match sweep.form {
        Form::Gather => problems.extend(queue(sweep, &stream)),
        Form::Scatter => {
            problems.extend(cut(sweep, &stream));
            if problems.is_empty() {
                let values = stream.open_sums() + stream.kept_apart() + waiting(sweep);
                problems.extend(registers(sweep, values));
            }
        }
    }
    problems
}

/// What makes everything else meaningless.
fn shape(sweep: &Sweep) -> Vec<Problem> {
    let rank = sweep.rank;
    if sweep.steps == 0 {
        return vec![Problem::NoSteps];
    }
    if !(1..=3).contains(&rank) {
        return vec![Problem::Rank { rank }];
    }
    let entries = |what: String, found, wanted| {
        (found != wanted).then_some(Problem::Entries { what, found, rank })
    };
    let ages = sweep.carried.iter().enumerate();
    ages.flat_map(|(age, offsets)| offsets.iter().map(move |offset| (age, offset)))
        .filter_map(|(age, offset)| {
            entries(format!("access {offset:?} of age {age}"), offset.len(), rank)
        })
        .chain(entries("reach".to_owned(), sweep.reach.len(), rank))
        .chain(match sweep.tile.len() {
            0 => None,
            // Where nothing is streamed, the one dimension is that of the plane.
            found => entries("tile".to_owned(), found, (rank - 1).max(1)),
        })
        .collect()
}

/// Accesses that are further away than the sweep is made for.
fn reaches(sweep: &Sweep) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (age, offsets) in sweep.carried.iter().enumerate() {
        for offset in offsets {
            for (dimension, (&along, made)) in offset.iter().zip(&sweep.reach).enumerate() {
                let (side, of_one_level) = match along < 0 {
                    true => ("behind", made.behind),
                    false => ("ahead", made.ahead),
                };
                // Each level is streamed so far after the one below it.
                let is_streamed = dimension == 0 && sweep.rank > 1;
                let levels = if is_streamed { age as u32 + 1 } else { 1 };
                let reach = of_one_level * levels;
                let distance = along.unsigned_abs();
                if distance > u64::from(reach) {
                    let offset = offset.clone();
                    problems.push(Problem::Reach { offset, age, dimension, distance, side, reach });
                }
            }
        }
    }
    problems
}

/// Tiles overlap: level by level less of each is right, until nothing may be left.
fn tiles(sweep: &Sweep) -> Vec<Problem> {
    let first = usize::from(sweep.rank > 1);
    let dimensions = (first..).zip(&sweep.tile);
    dimensions
        .filter_map(|(dimension, &cells)| {
            let reach = sweep.reach[dimension];
            let (mut lower, mut upper) = (0, i64::from(cells));
            for _ in 0..sweep.steps {
                lower += i64::from(reach.behind);
                upper -= i64::from(reach.ahead);
            }
            let trimmed = (lower + i64::from(cells) - upper).unsigned_abs();
            let steps = sweep.steps;
            (lower >= upper).then_some(Problem::Tile { dimension, cells, steps, trimmed })
        })
        .collect()
}

/// What is streamed: the planes that each level reads. In one dimension all is one plane.
fn stream(sweep: &Sweep) -> Stream {
    let plane = |offset: &Vec<i64>| if sweep.rank == 1 { 0 } else { offset[0] };
    let planes_of = |offsets: &Vec<Vec<i64>>| sorted(offsets.iter().map(plane));
    let reach = match sweep.rank {
        1 => Reach::symmetric(0),
        _ => sweep.reach[0],
    };
    let mut ages = sweep.carried.iter().map(planes_of);
    Stream {
        reach,
        newest: ages.next().unwrap_or_default(),
        older: ages.collect(),
        steps: sweep.steps,
        skew: sweep.skew,
    }
}

fn sorted(planes: impl Iterator<Item = i64>) -> Vec<i64> {
    planes.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
}

/// The queue hands on the right values, and there is room for it.
fn queue(sweep: &Sweep, stream: &Stream) -> Vec<Problem> {
    let Some(places) = &sweep.slots else { return Vec::new() };
    let slots = places.len();
    let mut problems = Vec::new();
    if let Err(fault) = stream.play(slots) {
        problems.push(match stream.slots_enough(slots) {
            Some(needed) => {
                let (steps, skew, fault) = (sweep.steps, sweep.skew, fault.to_string());
                Problem::Short { slots, needed, steps, skew, fault }
            }
            None => Problem::Slot { fault: fault.to_string() },
        });
    }
    let in_registers = places.iter().filter(|&&place| place == SlotPlace::Register).count();
    problems.extend(registers(sweep, in_registers + stream.kept_apart()));
    let Limits { value_bytes, points, threads, shared_bytes: available, .. } = sweep.limits;
    let needed = (slots - in_registers) as u64
        * u64::from(points)
        * u64::from(threads)
        * u64::from(value_bytes);
    if needed > u64::from(available) {
        problems.push(Problem::SharedBytes { needed, available });
    }
    problems
}

fn registers(sweep: &Sweep, values: usize) -> Option<Problem> {
    let Limits { value_bytes, points, registers: available, .. } = sweep.limits;
    let words = u64::from(value_bytes.div_ceil(REGISTER_BYTES));
    let needed = values as u64 * u64::from(points) * words;
    (needed > u64::from(available)).then_some(Problem::Registers { needed, available })
}

/// Values beside the sums that wait in registers for the next iteration, one for each level; with
/// whole planes they wait in shared memory.
fn waiting(sweep: &Sweep) -> usize {
    let lag = match sweep.storage {
        Storage::Queue => sweep.skew.lag(),
        _ => 0,
    };
    (lag * sweep.steps) as usize
}

/// The region can be cut by arriving planes: each term is added when its plane arrives.
fn cut(sweep: &Sweep, stream: &Stream) -> Vec<Problem> {
    let mut problems = Vec::new();
    if let Some(slots) = sweep.slots.as_ref().map(Vec::len) {
        problems.push(Problem::ScatterSlots { slots });
    }
    let mut arrived: Option<i64> = None;
    for (term, planes) in sweep.terms.iter().enumerate() {
        match (sorted(planes.iter().copied()).as_slice(), arrived) {
            ([], _) => {}
            (&[plane], Some(before)) if plane < before => {
                problems.push(Problem::ScatterOrder { term, plane, before });
            }
            (&[plane], _) => arrived = Some(plane),
            (several, _) => {
                problems.push(Problem::ScatterTerm { term, planes: several.to_vec() });
            }
        }
    }
    let terms = sorted(sweep.terms.iter().flatten().copied());
    if terms != stream.newest {
        problems.push(Problem::ScatterPlanes { terms, accesses: stream.newest.clone() });
    }
    // In one dimension every access is in the point's own plane.
    let older = sweep.carried.iter().enumerate().skip(1).filter(|_| sweep.rank > 1);
    for (age, offset) in older.flat_map(|(age, offsets)| offsets.iter().map(move |o| (age, o))) {
        if offset[0] != 0 {
            problems.push(Problem::ScatterOlder { offset: offset.clone(), age, plane: offset[0] });
        }
    }
    problems
}
