//! Scratch arrays that take turns in the memory of later ones.
//!
//! Each repetition writes an array of its own, which the next ones read: as many arrays are enough
//! as are alive at once. An array that takes the place of another finds its old content there. That
//! is as if it had none where every repetition writes the same cells before it reads them, and
//! where the others are zero at first, and stay so.

use super::{relabel, shape::Block, versions};
use crate::stencilgen::{
    lower::memory::{cells, outside},
    program::{ArrayId, Program, Stage, Step},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};
use stencil_dialects::types::Bounds;

/// Which array takes the place of which one, and in which repetition it is written.
#[derive(Default)]
pub struct Shared(BTreeMap<ArrayId, (ArrayId, u32)>);

impl Shared {
    /// The arrays that take the places of some.
    pub fn places(&self, arrays: &[ArrayId]) -> Vec<ArrayId> {
        arrays.iter().map(|array| self.0.get(array).map_or(*array, |(place, _)| *place)).collect()
    }

    /// Changes the steps from the first repetition on.
    pub fn apply(&self, steps: &mut [Step]) {
        if self.0.is_empty() {
            return;
        }
        // The versions of an array follow those of the arrays whose place it takes.
        let versions = versions(steps);
        let to = |array, version| match self.0.get(&array) {
            Some((place, repetition)) => (*place, version + repetition * versions),
            None => (array, version),
        };
        steps.iter_mut().for_each(|step| relabel(step, &to));
    }
}

/// The arrays that repetitions write in turn, in as few arrays as are alive at once.
pub fn scratch(program: &Program, run: Range<usize>, blocks: &[Block]) -> Shared {
    let mut shared = Shared::default();
    let Some(first) = blocks.first() else { return shared };
    let (mut before, mut after, mut renamed) = Default::default();
    accessed(&program.steps[..run.start], &mut before, &mut renamed);
    accessed(&program.steps[run.end..], &mut after, &mut renamed);
    let length = run.len() / blocks.len();
    let stages = program.steps[run].iter().take(length).filter_map(Step::stage).collect::<Vec<_>>();
    for (place, array) in first.arrays.iter().enumerate() {
        let column = blocks.iter().map(|block| block.arrays[place]).collect::<Vec<_>>();
        let Some(alive) = repetitions_alive(blocks, place, &column) else { continue };
        let kept = column.len().saturating_sub(alive);
        let may = |(position, id): (usize, &ArrayId)| {
            let array = &program.arrays[*id];
            let is_dead = !array.is_argument() && !after.contains(id);
            let is_fresh = !array.copied_in && !before.contains(id) && !renamed.contains(id);
            is_fresh && (position >= kept || is_dead)
        };
        let may_share = kept > 0
            && column.iter().enumerate().all(may)
            && finds_its_own(program, &stages, *array);
        if may_share {
            for (position, id) in column.iter().enumerate() {
                let last = column.len() - 1;
                let place = column[last - (last - position) % alive];
                shared.0.insert(*id, (place, position as u32));
            }
        }
    }
    shared
}

/// In how many repetitions an array of a column is alive: from the one that writes it, the only one
/// and the first that knows it, to the last that reads it.
fn repetitions_alive(blocks: &[Block], place: usize, column: &[ArrayId]) -> Option<usize> {
    let distinct = column.iter().collect::<BTreeSet<_>>();
    if distinct.len() < column.len() || !blocks[0].is_written(place) {
        return None;
    }
    let mut alive = 1;
    for (position, id) in column.iter().enumerate() {
        for (other, block) in blocks.iter().enumerate().filter(|(other, _)| *other != position) {
            let Some(found) = block.arrays.iter().position(|one| one == id) else { continue };
            if other < position || block.is_written(found) {
                return None;
            }
            alive = alive.max(other - position + 1);
        }
    }
    Some(alive)
}

/// Whether the stages of a repetition read no cell of an array that they write later, or did not
/// write yet: it would hold what an earlier repetition left.
fn finds_its_own(program: &Program, stages: &[&Stage], array: ArrayId) -> bool {
    let outputs = |stage: &Stage| stage.outputs.iter().any(|output| output.array == array);
    let all = stages.iter().filter(|stage| outputs(stage)).map(|stage| &stage.region);
    let all = all.cloned().collect::<Vec<Bounds>>();
    let mut written = Vec::new();
    let mut version = None;
    for stage in stages {
        for read in stage.reads().filter(|read| read.array == array) {
            let Some(cells) = cells(read, stage, &program.loops) else { return false };
            let is_newest = version.is_some_and(|version| read.version >= version);
            let holes: &[Bounds] = if is_newest { &written } else { &[] };
            let found = outside(&cells, holes);
            if found.iter().any(|part| all.iter().any(|one| !one.intersection(part).is_empty())) {
                return false;
            }
        }
        for output in stage.outputs.iter().filter(|output| output.array == array) {
            written.push(stage.region.clone());
            version = Some(output.version + 1);
        }
    }
    true
}

/// The arrays that steps access, and those whose names they permute.
fn accessed(steps: &[Step], found: &mut BTreeSet<ArrayId>, renamed: &mut BTreeSet<ArrayId>) {
    for step in steps {
        match step {
            Step::Stage(stage) => {
                found.extend(stage.outputs.iter().map(|output| output.array));
                found.extend(stage.reads().map(|read| read.array));
            }
            Step::Loop(repeated) => accessed(&repeated.body, found, renamed),
            Step::Rename(names) => renamed.extend(names.iter().map(|(name, _)| *name)),
        }
    }
}
