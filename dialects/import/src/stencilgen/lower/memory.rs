//! Which arrays need memory, and which cells must be zero-initialised.
//!
//! Both follow from an abstract execution of the steps, with the arrays that names refer to at each
//! time. Loops that swap names are executed until the permutation closes.

use crate::stencilgen::{
    index::{Interval, Variable},
    program::{ArrayId, Coordinate, Given, Loop, LoopVariable, Program, Read, Stage, Step},
};
use std::collections::BTreeMap;
use stencil_dialects::types::Bounds;

/// Memory requirements of each array.
pub struct Memory {
    /// Whether it needs memory: values that flow between stages do not, nor what nobody accesses.
    pub is_needed: Vec<bool>,
    /// Boxes of cells that must be zero at first.
    pub zeros: Vec<Vec<Bounds>>,
    /// Where the content of each array is at the end, by name; none where that depends on a trip
    /// count.
    pub last: Vec<Option<ArrayId>>,
}

/// Computes the memory requirements of a program.
pub fn survey(program: &Program) -> Memory {
    let count = program.arrays.len();
    let mut walk = Walk {
        program,
        holds: (0..count).collect(),
        astray: vec![false; count],
        cells: vec![Cells::default(); count],
        renamed: vec![false; count],
        written: vec![0; count],
    };
    walk.steps(&program.steps);
    for (name, array) in program.arrays.iter().enumerate() {
        if array.copied_out {
            walk.cells[walk.holds[name]].read(&array.bounds());
        }
    }
    let last = walk.holds.iter().zip(&walk.astray);
    let last = last.map(|(array, is_astray)| (!is_astray).then_some(*array)).collect();
    let flows = flowing(&program.steps);
    let is_needed = (0..count)
        .map(|array| {
            let is_value = !program.arrays[array].is_argument() && !walk.renamed[array];
            !is_value || flows.get(&array).is_some_and(|flows| !flows)
        })
        .collect();
    let arrays = program.arrays.iter().zip(&walk.cells);
    let zeros = arrays.map(|(array, cells)| match array.copied_in {
        true => Vec::new(),
        false => cells.zeros(),
    });
    let zeros = zeros.collect();
    Memory { is_needed, zeros, last }
}

/// What was accessed of the memory of an array.
#[derive(Clone, Debug, Default)]
struct Cells {
    /// Boxes that were certainly written.
    written: Vec<Bounds>,
    /// Boxes that may be read before they are written.
    missing: Vec<Bounds>,
}

impl Cells {
    fn read(&mut self, cells: &Bounds) {
        for part in outside(cells, &self.written) {
            self.read_unwritten(&part);
        }
    }

    /// A read of what the cells held at first, whatever was written since.
    fn read_unwritten(&mut self, cells: &Bounds) {
        if !outside(cells, &self.missing).is_empty() {
            self.missing.push(cells.clone());
        }
    }

    fn write(&mut self, cells: &Bounds) {
        if !outside(cells, &self.written).is_empty() {
            self.written.push(cells.clone());
        }
    }

    /// Boxes that hold all cells that must be zero initially. As each is a kernel, they may hold
    /// others of the hull, if that makes them fewer.
    fn zeros(&self) -> Vec<Bounds> {
        let Some(hull) = self.missing.iter().cloned().reduce(|one, two| one.union(&two)) else {
            return Vec::new();
        };
        let is_hole = |written: &&Bounds| {
            self.missing.iter().all(|missing| missing.intersection(written).is_empty())
        };
        let holes = self.written.iter().filter(is_hole).cloned().collect::<Vec<_>>();
        let largest = holes.iter().max_by_key(|hole| hole.points()).cloned();
        let largest = largest.into_iter().collect::<Vec<_>>();
        let mut disjoint = Vec::new();
        for missing in &self.missing {
            disjoint.extend(outside(missing, &disjoint));
        }
        let choices = [outside(&hull, &holes), outside(&hull, &largest), disjoint];
        let points = |boxes: &[Bounds]| boxes.iter().map(Bounds::points).sum::<i64>();
        let best = choices.into_iter().min_by_key(|boxes| (boxes.len(), points(boxes)));
        best.expect("there are three choices")
    }
}

struct Walk<'p> {
    program: &'p Program,
    /// The array that a name currently refers to.
    holds: Vec<ArrayId>,
    /// Whether that depends on a trip count. Facts about one array then hold for all names in its
    /// rotation.
    astray: Vec<bool>,
    cells: Vec<Cells>,
    renamed: Vec<bool>,
    /// The state of each name's array after the last stage that wrote it in this list of steps.
    written: Vec<u32>,
}

impl Walk<'_> {
    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Stage(stage) => self.stage(stage),
                Step::Rename(names) => self.rename(names),
                Step::Loop(repeated) => self.repeat(repeated),
            }
        }
    }

    fn stage(&mut self, stage: &Stage) {
        for read in stage.reads() {
            let array = self.holds[read.array];
            let cells = cells(read, stage, &self.program.loops);
            let cells = cells.expect("elaboration checked the values of indices");
            match read.version < self.written[read.array] {
                // What lay there before a stage wrote it.
                true => self.cells[array].read_unwritten(&cells),
                false => self.cells[array].read(&cells),
            }
        }
        for output in &stage.outputs {
            self.written[output.array] = output.version + 1;
            self.cells[self.holds[output.array]].write(&stage.region);
        }
    }

    fn rename(&mut self, names: &[(ArrayId, ArrayId)]) {
        let (old, astray) = (self.holds.clone(), self.astray.clone());
        for (name, other) in names {
            (self.holds[*name], self.astray[*name]) = (old[*other], astray[*other]);
            self.renamed[*name] = true;
        }
    }

    fn repeat(&mut self, repeated: &Loop) {
        let (first, last) = match self.program.loops[repeated.variable] {
            LoopVariable::Known(None) => return,
            LoopVariable::Known(Some(values)) => values,
            LoopVariable::Given(given) => return self.repeat_given(repeated, given),
        };
        let start = self.holds.clone();
        let mut remaining = last - first + 1;
        let mut done = 0;
        while remaining > 0 {
            self.written.fill(0);
            self.steps(&repeated.body);
            remaining -= 1;
            done += 1;
            if self.holds == start {
                // Further periods repeat the first.
                remaining %= done;
            }
        }
        self.written.fill(0);
    }

    /// A loop whose trip count is an argument. Its writes may not happen, and its final permutation
    /// is known only if whole periods are executed.
    fn repeat_given(&mut self, repeated: &Loop, given: Given) {
        let start = self.holds.clone();
        let before = self.cells.iter().map(|cells| cells.written.clone()).collect::<Vec<_>>();
        let mut round = 0;
        let mut moved = vec![false; start.len()];
        while round == 0 || self.holds != start {
            self.written.fill(0);
            self.steps(&repeated.body);
            round += 1;
            for (name, is_moved) in moved.iter_mut().enumerate() {
                *is_moved |= self.holds[name] != start[name];
            }
        }
        self.written.fill(0);
        for (cells, written) in self.cells.iter_mut().zip(before) {
            cells.written = written;
        }
        if given.period % round == 0 {
            return;
        }
        for (name, _) in moved.iter().enumerate().filter(|(_, is_moved)| **is_moved) {
            self.astray[name] = true;
            let array = self.holds[name];
            self.cells[array].read(&self.program.arrays[array].bounds());
        }
    }
}

/// The cells of one read of a stage, given the values of loop variables; none where unknown.
pub fn cells(read: &Read, stage: &Stage, loops: &[LoopVariable]) -> Option<Bounds> {
    let of = |variable: Variable| values_of(variable, stage, loops);
    let intervals = read.indices.iter().map(|index| index.interval(&of));
    let intervals = intervals.collect::<Option<Vec<_>>>()?;
    let (lower, last): (Vec<i64>, Vec<i64>) = intervals.into_iter().unzip();
    Some(Bounds::new(lower, last.into_iter().map(|last| last + 1).collect()))
}

/// The values of a variable in a stage.
pub fn values_of(variable: Variable, stage: &Stage, loops: &[LoopVariable]) -> Option<Interval> {
    match variable {
        Variable::Loop(id) => loops.get(id)?.values(),
        Variable::Iterator(iterator) => {
            stage.frame.iter().enumerate().find_map(|(dim, coordinate)| match coordinate {
                Coordinate::Iterator(one, shift) if *one == iterator => {
                    Some((stage.region.lower[dim] - shift, stage.region.upper[dim] - 1 - shift))
                }
                _ => None,
            })
        }
    }
}

/// For each written array, whether every read of it is of cells that an earlier stage of the same
/// list computed: then it needs no memory.
fn flowing(steps: &[Step]) -> BTreeMap<ArrayId, bool> {
    let mut flows = BTreeMap::new();
    flow(steps, &mut flows);
    flows
}

fn flow(steps: &[Step], flows: &mut BTreeMap<ArrayId, bool>) {
    let mut computed = BTreeMap::new();
    for step in steps {
        match step {
            Step::Stage(stage) => {
                for read in stage.reads() {
                    // Without values of loop variables such a read counts as a read of all cells.
                    let cells = cells(read, stage, &[]);
                    let region: Option<&Bounds> = computed.get(&(read.array, read.version));
                    let is_inside =
                        cells.zip(region).is_some_and(|(cells, region)| region.contains(&cells));
                    *flows.entry(read.array).or_insert(true) &= is_inside;
                }
                for output in &stage.outputs {
                    flows.entry(output.array).or_insert(true);
                    computed.insert((output.array, output.version + 1), stage.region.clone());
                }
            }
            Step::Loop(repeated) => flow(&repeated.body, flows),
            Step::Rename(_) => {}
        }
    }
}

/// The cells of one box outside of another, as boxes.
fn difference(all: &Bounds, hole: &Bounds) -> Vec<Bounds> {
    let mut rest = all.clone();
    let hole = all.intersection(hole);
    if hole.is_empty() {
        return vec![rest];
    }
    let mut boxes = Vec::new();
    for dim in 0..all.rank() {
        let (mut below, mut above) = (rest.clone(), rest.clone());
        below.upper[dim] = hole.lower[dim];
        above.lower[dim] = hole.upper[dim];
        boxes.extend([below, above].into_iter().filter(|part| !part.is_empty()));
        rest.lower[dim] = hole.lower[dim];
        rest.upper[dim] = hole.upper[dim];
    }
    boxes
}

/// The cells of a box outside of some others, as boxes.
pub fn outside(all: &Bounds, holes: &[Bounds]) -> Vec<Bounds> {
    let start = vec![all.clone()];
    let rest = holes
        .iter()
        .fold(start, |parts, hole| parts.iter().flat_map(|part| difference(part, hole)).collect());
    rest.into_iter().filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(lower: i64, upper: i64) -> Bounds {
        Bounds::new(vec![lower], vec![upper])
    }

    #[test]
    fn what_is_written_first_is_not_zeroed() {
        let mut cells = Cells::default();
        cells.write(&row(1, 5));
        cells.write(&row(5, 9));
        cells.read(&row(2, 9));
        assert_eq!(cells.zeros(), []);
        cells.read(&row(0, 3));
        assert_eq!(cells.zeros(), [row(0, 1)]);
        cells.read(&row(8, 10));
        assert_eq!(cells.zeros(), [row(0, 1), row(9, 10)]);
    }

    #[test]
    fn a_write_after_the_read_does_not_help() {
        let mut cells = Cells::default();
        cells.read(&row(0, 4));
        cells.write(&row(0, 10));
        cells.read(&row(0, 10));
        assert_eq!(cells.zeros(), [row(0, 4)]);
        cells.read_unwritten(&row(6, 8));
        // One kernel instead of two.
        assert_eq!(cells.zeros(), [row(0, 8)]);
    }

    #[test]
    fn a_rim_is_few_boxes() {
        let square = |lower, upper| Bounds::new(vec![lower; 2], vec![upper; 2]);
        let mut cells = Cells::default();
        cells.write(&square(1, 9));
        for (dy, dx) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
            cells.read(&Bounds::new(vec![1 + dy, 1 + dx], vec![9 + dy, 9 + dx]));
        }
        let zeros = cells.zeros();
        assert!(zeros.len() == 4 && zeros.iter().map(Bounds::points).sum::<i64>() == 32);
    }

    #[test]
    fn a_box_without_a_hole_is_covered_once() {
        let all = Bounds::new(vec![0, 0, 0], vec![5, 6, 7]);
        let hole = Bounds::new(vec![1, 0, 2], vec![4, 5, 6]);
        let parts = difference(&all, &hole);
        let cells: i64 = parts.iter().map(Bounds::points).sum();
        assert_eq!(cells + hole.points(), all.points());
        for (position, one) in parts.iter().enumerate() {
            assert!(one.intersection(&hole).is_empty());
            assert!(parts[..position].iter().all(|other| one.intersection(other).is_empty()));
        }
        assert_eq!(difference(&all, &all), []);
    }
}
