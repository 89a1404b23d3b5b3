//! Time steps that the text unrolled, rolled into a loop again.
//!
//! A group of stages that is repeated with other arrays (`f (b, a); f (a, b); f (b, a);`) is a loop
//! over its first repetition, whose names are permuted after each iteration. That is exact where
//! one permutation leads from the arrays of each repetition to those of the next. Scratch arrays
//! between repetitions (`f (t, a); f (u, t); f (b, u);`) take turns in as few arrays as are alive
//! at once, where each cell keeps the content that it had (`share`).

mod shape;
mod share;

use self::shape::{Block, boundaries};
use super::{
    program::{
        ArrayId, Loop, LoopVariable, Output, Own, Program, Read, Shared, Stage, Step, ValueKind,
        values_below,
    },
    sink::Sink,
    values::make,
};
use crate::diagnostic::Diagnostic;
use std::{
    collections::{BTreeMap, HashMap},
    rc::Rc,
};

/// Stages of a group that is looked for, at most.
const STAGES_MAX: usize = 32;

/// Rolls repeated stages at the top level of a program.
pub fn roll(program: &mut Program, sink: &mut Sink) {
    let mut at = 0;
    let mut is_boundary = boundaries(&program.steps);
    while at < program.steps.len() {
        at = match longest(program, &is_boundary, at) {
            Some(found) => {
                let next = found.apply(program, sink);
                is_boundary = boundaries(&program.steps);
                next
            }
            None => at + 1,
        };
    }
}

/// The repetitions from a step on that cover most stages; of several with the fewest stages each.
fn longest(program: &Program, is_boundary: &[bool], at: usize) -> Option<Rolled> {
    let stages = program.steps[at..].iter().map_while(Step::stage).collect::<Vec<_>>();
    let mut best: Option<Rolled> = None;
    for length in 1..=STAGES_MAX.min(stages.len() / 2) {
        if !is_boundary[at] || !is_alike(stages[0], stages[length]) {
            continue;
        }
        let blocks = repetitions(program, &stages, &is_boundary[at..], length);
        let Some(found) = Rolled::of(program, at, length, &blocks) else { continue };
        if best.as_ref().is_none_or(|best| best.covered() < found.covered()) {
            best = Some(found);
        }
    }
    best
}

/// Whether two stages may compute the same, at a glance.
fn is_alike(one: &Stage, other: &Stage) -> bool {
    (&one.name, &one.region, &one.frame) == (&other.name, &other.region, &other.frame)
}

/// Groups of so many stages, as long as they compute the same of other arrays.
fn repetitions(
    program: &Program,
    stages: &[&Stage],
    is_boundary: &[bool],
    length: usize,
) -> Vec<Block> {
    let mut blocks = Vec::<Block>::new();
    for (position, chunk) in stages.chunks_exact(length).enumerate() {
        let is_alike = chunk.iter().zip(stages).all(|(one, other)| is_alike(one, other));
        if !is_alike || !is_boundary[(position + 1) * length] {
            break;
        }
        let block = Block::of(program, chunk);
        if blocks.first().is_some_and(|first| !first.is_like(&block)) {
            break;
        }
        blocks.push(block);
    }
    blocks
}

/// Repetitions that become a loop.
struct Rolled {
    /// The first step of the first repetition.
    at: usize,
    /// Stages of a repetition.
    length: usize,
    /// Repetitions.
    count: usize,
    /// Repetitions before the loop: what they read is not what later ones wrote.
    before: usize,
    /// Scratch arrays that others take the place of.
    shared: share::Shared,
    /// Which array takes the place of which one in the next repetition.
    next: BTreeMap<ArrayId, ArrayId>,
}

impl Rolled {
    fn of(program: &Program, at: usize, length: usize, blocks: &[Block]) -> Option<Self> {
        let of = |shared: share::Shared| {
            let rows = blocks.iter().map(|block| shared.places(&block.arrays));
            let (before, next) = permutation(program, &rows.collect::<Vec<_>>())?;
            Some(Self { at, length, count: blocks.len(), before, shared, next })
        };
        let run = at..at + blocks.len() * length;
        let [apart, shared] =
            [share::Shared::default(), share::scratch(program, run, blocks)].map(of);
        let covered = |found: &Option<Self>| found.as_ref().map_or(0, Self::covered);
        if covered(&shared) > covered(&apart) { shared } else { apart }
    }

    /// Stages in the loop.
    fn covered(&self) -> usize {
        (self.count - self.before) * self.length
    }

    /// Puts the loop into the program; says where the steps after it begin.
    fn apply(self, program: &mut Program, sink: &mut Sink) -> usize {
        self.shared.apply(&mut program.steps[self.at..]);
        let start = self.at + self.before * self.length;
        let iterations = self.count - self.before;
        let rest = program.steps.split_off(start + iterations * self.length);
        let mut body = program.steps.split_off(start);
        body.truncate(self.length);
        // What the names hold changes with each iteration: other versions than outside.
        let versions = versions(&program.steps).max(versions(&body)).max(versions(&rest));
        for step in &mut body {
            relabel(step, &|array, version| (array, version + versions));
        }
        let stages = body.iter().filter_map(Step::stage).collect::<Vec<_>>();
        let span = stages[0].span.to(stages[stages.len() - 1].span);
        let message = format!(
            "these stages are repeated {} times, the last {iterations} in a time loop",
            self.count
        );
        sink.push(Diagnostic::remark(span, message));
        let moved = self.next.iter().filter(|(one, other)| one != other);
        let renames = moved.map(|(one, other)| (*one, *other)).collect::<Vec<_>>();
        let back = self.back(iterations);
        if !renames.is_empty() {
            body.push(Step::Rename(renames));
        }
        program.loops.push(LoopVariable::Known(Some((0, iterations as i64 - 1))));
        let variable = program.loops.len() - 1;
        program.steps.push(Step::Loop(Loop { variable, body, span }));
        if !back.is_empty() {
            program.steps.push(Step::Rename(back));
        }
        let next = program.steps.len();
        program.steps.extend(rest);
        next
    }

    /// What gives the names their arrays again after the loop.
    fn back(&self, iterations: usize) -> Vec<(ArrayId, ArrayId)> {
        let after = |array: ArrayId| (0..iterations).fold(array, |array, _| self.next[&array]);
        let names = self.next.keys().map(|name| (after(*name), *name));
        names.filter(|(array, name)| array != name).collect()
    }
}

/// The permutation that leads from the arrays of each row to those of the next, from some row on.
fn permutation(
    program: &Program,
    rows: &[Vec<ArrayId>],
) -> Option<(usize, BTreeMap<ArrayId, ArrayId>)> {
    (0..rows.len().saturating_sub(1)).find_map(|before| {
        let mut next = BTreeMap::new();
        for pair in rows[before..].windows(2) {
            for (one, other) in pair[0].iter().zip(&pair[1]) {
                if *next.entry(*one).or_insert(*other) != *other {
                    return None;
                }
            }
        }
        let mut images = next.values().copied().collect::<Vec<_>>();
        images.sort_unstable();
        let moves = |(one, other): (&ArrayId, &ArrayId)| one != other;
        let is_fixed = |id: &ArrayId| program.arrays[*id].read_only;
        let closes = images.iter().eq(next.keys())
            && !next.iter().any(|pair| moves(pair) && is_fixed(pair.0));
        (closes && next.iter().any(moves)).then_some((before, next))
    })
}

/// A number above the versions of all arrays in some steps.
fn versions(steps: &[Step]) -> u32 {
    let of = |step: &Step| match step {
        Step::Stage(stage) => {
            let read = stage.reads().map(|read| read.version);
            let written = stage.outputs.iter().map(|output| output.version + 1);
            read.chain(written).max().map_or(0, |version| version + 1)
        }
        Step::Loop(repeated) => versions(&repeated.body),
        Step::Rename(_) => 0,
    };
    steps.iter().map(of).max().unwrap_or(0)
}

/// Changes which arrays in which versions a step accesses.
fn relabel(step: &mut Step, to: &dyn Fn(ArrayId, u32) -> (ArrayId, u32)) {
    match step {
        Step::Stage(stage) => relabel_stage(stage, to),
        Step::Loop(repeated) => repeated.body.iter_mut().for_each(|step| relabel(step, to)),
        Step::Rename(_) => {}
    }
}

fn relabel_stage(stage: &mut Stage, to: &dyn Fn(ArrayId, u32) -> (ArrayId, u32)) {
    let mut new = HashMap::<_, Shared>::new();
    for old in values_below(stage.values()) {
        let of = |operand: &Shared| new[&Rc::as_ptr(operand)].clone();
        let kind = match &old.kind {
            ValueKind::Read(Read { array, version, indices }) => {
                let (array, version) = to(*array, *version);
                Some(ValueKind::Read(Read { array, version, indices: indices.clone() }))
            }
            ValueKind::Own(Own { array, indices, value }) => {
                // A cell of the stage itself has no version.
                let (array, indices, value) = (to(*array, 0).0, indices.clone(), of(value));
                Some(ValueKind::Own(Own { array, indices, value }))
            }
            _ => None,
        };
        let value = match kind {
            Some(kind) => make(kind, old.r#type, old.span),
            None => old.with_operands(&of).unwrap_or_else(|| old.clone()),
        };
        new.insert(Rc::as_ptr(old), value);
    }
    for Output { array, version, value, .. } in &mut stage.outputs {
        (*array, *version) = to(*array, *version);
        *value = new[&Rc::as_ptr(value)].clone();
    }
}
