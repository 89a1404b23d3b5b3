//! Stages, the arrays that they read and write, and the dependences between them.
//!
//! Stages are in program order, so that every dependence leads from a lower number to a higher one.
//! Offsets are relative to the point that an iteration computes: first along the streamed axis (the
//! *plane*), then along the others. A stage in gather form writes plane 0 of a result; in scatter
//! form it adds to several planes, the lowest of which is complete afterwards.
//!
//! A write does not end earlier dependences of its array: a stage depends on each earlier one that
//! accesses a cell in a conflicting way, though another write may lie between. The pair cannot
//! become one kernel without that other stage anyway, and with it the dependence is there.

mod dependence;
mod halo;
mod order;

pub use dependence::{Dependence, Kind};
pub use halo::Halo;
pub use order::Quotient;

use crate::StageSet;
use std::collections::{BTreeMap, BTreeSet};

/// What stages read and write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Its name in logs.
    pub name: String,
    /// Bytes of a cell.
    pub element_bytes: u32,
    /// Whether its content is used after all stages.
    pub is_live_out: bool,
    /// Whether its cells differ along the streamed axis; if not, it has plane 0 only.
    pub streams: bool,
}

/// The cells of one plane around the point's column, inclusive, per axis of the plane.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Window {
    /// Lowest offsets.
    pub lower: Vec<i64>,
    /// Highest offsets.
    pub upper: Vec<i64>,
}

/// What a stage reads of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// The array.
    pub array: usize,
    /// The window of each plane that is read; none at all if the cells are computed.
    pub planes: BTreeMap<i64, Window>,
    /// Cells read while all points are computed.
    pub cells: u64,
}

/// What a stage writes of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// The array.
    pub array: usize,
    /// The plane that is complete afterwards.
    pub lowest: i64,
    /// The first plane that is added to.
    pub highest: i64,
    /// Cells written while all points are computed.
    pub cells: u64,
}

/// A stage: statements that compute the same points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stage {
    /// Its name in logs.
    pub name: String,
    /// What it reads, an array once.
    pub reads: Vec<Read>,
    /// What it writes, an array once.
    pub writes: Vec<Write>,
    /// The points that it computes.
    pub points: u64,
    /// Operations for a point.
    pub operations: u64,
}

/// Two stages that cannot be parts of one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Apart {
    /// The stages, in program order.
    pub stages: [usize; 2],
    /// Why.
    pub why: String,
}

/// Stages with their dependences.
#[derive(Clone, Debug)]
pub struct Graph {
    arrays: Vec<Array>,
    stages: Vec<Stage>,
    dependences: Vec<Dependence>,
    apart: Vec<Apart>,
    plane_axes: usize,
    successors: Vec<StageSet>,
    /// Stages that a stage reaches, by dependences of any number.
    reached: Vec<StageSet>,
    predecessors: Vec<StageSet>,
    /// Stages that reach a stage.
    reaching: Vec<StageSet>,
    /// For each stage those that come first, with the planes by which it has to follow.
    leaders: Vec<Vec<(usize, i64)>>,
    /// For each array the stages that read it.
    readers: Vec<StageSet>,
    /// For each array the stages that write it.
    writers: Vec<StageSet>,
}

impl Window {
    /// One cell.
    #[must_use]
    pub fn cell(offset: &[i64]) -> Self {
        Self { lower: offset.to_vec(), upper: offset.to_vec() }
    }

    /// The cell of the column itself.
    #[must_use]
    pub fn own(axes: usize) -> Self {
        Self::cell(&vec![0; axes])
    }

    /// So many cells to each side, along each axis.
    #[must_use]
    pub fn around(radius: &[i64]) -> Self {
        Self { lower: radius.iter().map(|radius| -radius).collect(), upper: radius.to_vec() }
    }

    /// The only cell; none if there are several.
    #[must_use]
    pub fn single(&self) -> Option<&[i64]> {
        (self.lower == self.upper).then_some(&self.lower)
    }

    /// The smallest window with both.
    #[must_use]
    pub fn hull(&self, other: &Self) -> Self {
        let pick = |one: &[i64], two: &[i64], of: fn(i64, i64) -> i64| {
            one.iter().zip(two).map(|(one, two)| of(*one, *two)).collect()
        };
        Self {
            lower: pick(&self.lower, &other.lower, i64::min),
            upper: pick(&self.upper, &other.upper, i64::max),
        }
    }
}

impl Read {
    /// Lowest and highest plane; none if the cells are computed.
    #[must_use]
    pub fn span(&self) -> Option<[i64; 2]> {
        Some([*self.planes.keys().next()?, *self.planes.keys().next_back()?])
    }
}

impl Write {
    /// Plane 0, in gather form.
    #[must_use]
    pub fn plane(array: usize, cells: u64) -> Self {
        Self { array, lowest: 0, highest: 0, cells }
    }

    /// Whether a plane is written more than once.
    #[must_use]
    pub fn accumulates(&self) -> bool {
        self.lowest < self.highest
    }
}

impl Stage {
    /// What it reads of an array.
    #[must_use]
    pub fn read(&self, array: usize) -> Option<&Read> {
        self.reads.iter().find(|read| read.array == array)
    }

    /// What it writes of an array.
    #[must_use]
    pub fn write(&self, array: usize) -> Option<&Write> {
        self.writes.iter().find(|write| write.array == array)
    }

    /// The stage in scatter form: plane 0 of the array that it reads at several planes is added to
    /// every plane of the results that needs it. None if it reads several arrays off their plane 0,
    /// or none. Whether the sums may be re-ordered so is for the caller.
    #[must_use]
    pub fn retimed(&self) -> Option<Self> {
        let is_off = |read: &&Read| read.planes.keys().any(|plane| *plane != 0);
        let mut off = self.reads.iter().filter(is_off);
        let (source, None) = (off.next()?, off.next()) else { return None };
        let [lowest, highest] = source.span()?;
        let array = source.array;
        let window = source.planes.values().cloned().reduce(|one, two| one.hull(&two))?;
        let mut stage = self.clone();
        for read in stage.reads.iter_mut().filter(|read| read.array == array) {
            read.planes = BTreeMap::from([(0, window.clone())]);
        }
        for write in &mut stage.writes {
            (write.lowest, write.highest) = (write.lowest - highest, write.highest - lowest);
        }
        Some(stage)
    }
}

impl Graph {
    /// The graph of stages in program order, whose planes have so many axes.
    ///
    /// # Panics
    /// If there are more than [`StageSet::CAPACITY`] stages, or a number or window does not fit.
    #[must_use]
    pub fn new(
        arrays: Vec<Array>,
        stages: Vec<Stage>,
        apart: Vec<Apart>,
        plane_axes: usize,
    ) -> Self {
        assert!(stages.len() <= StageSet::CAPACITY, "a graph has at most so many stages");
        check(&arrays, &stages, plane_axes);
        let dependences = dependence::find(&stages);
        let mut graph = Self {
            successors: vec![StageSet::EMPTY; stages.len()],
            reached: vec![StageSet::EMPTY; stages.len()],
            predecessors: vec![StageSet::EMPTY; stages.len()],
            reaching: vec![StageSet::EMPTY; stages.len()],
            leaders: vec![Vec::new(); stages.len()],
            readers: vec![StageSet::EMPTY; arrays.len()],
            writers: vec![StageSet::EMPTY; arrays.len()],
            arrays,
            stages,
            dependences,
            apart,
            plane_axes,
        };
        graph.apart.extend(dependence::unshiftable(&graph));
        graph.close();
        graph
    }

    /// The arrays.
    #[must_use]
    pub fn arrays(&self) -> &[Array] {
        &self.arrays
    }

    /// The stages, in program order.
    #[must_use]
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// All stages as a set.
    #[must_use]
    pub fn all(&self) -> StageSet {
        StageSet::first_stages(self.stages.len())
    }

    /// The dependences, by source, sink and array.
    #[must_use]
    pub fn dependences(&self) -> &[Dependence] {
        &self.dependences
    }

    /// The pairs that cannot be parts of one kernel.
    #[must_use]
    pub fn apart(&self) -> &[Apart] {
        &self.apart
    }

    /// The stages that read an array.
    #[must_use]
    pub fn readers(&self, array: usize) -> StageSet {
        self.readers[array]
    }

    /// The stages that write an array.
    #[must_use]
    pub fn writers(&self, array: usize) -> StageSet {
        self.writers[array]
    }

    /// Axes of a plane.
    #[must_use]
    pub fn plane_axes(&self) -> usize {
        self.plane_axes
    }

    /// A pair of the set that cannot be parts of one kernel.
    #[must_use]
    pub fn parted(&self, group: StageSet) -> Option<&Apart> {
        self.apart.iter().find(|apart| apart.stages.iter().all(|stage| group.contains(*stage)))
    }

    /// Dependences from one set to another, disjoint one.
    pub fn between(&self, from: StageSet, to: StageSet) -> impl Iterator<Item = &Dependence> {
        self.dependences.iter().filter(move |it| from.contains(it.source) && to.contains(it.sink))
    }

    /// The names of stages, joined.
    #[must_use]
    pub fn names(&self, group: StageSet) -> String {
        let names = group.iter().map(|stage| self.stages[stage].name.as_str());
        names.collect::<Vec<_>>().join("+")
    }
}

/// Holds what is given to what the fields say.
fn check(arrays: &[Array], stages: &[Stage], plane_axes: usize) {
    for stage in stages {
        let (mut reads, mut writes) = (BTreeSet::new(), BTreeSet::new());
        for read in &stage.reads {
            assert!(read.array < arrays.len(), "what is read is an array");
            assert!(reads.insert(read.array), "an array is read once");
            for (plane, window) in &read.planes {
                let ranks = [window.lower.len(), window.upper.len()];
                assert!(ranks == [plane_axes; 2], "a window has the axes of the plane");
                assert!(arrays[read.array].streams || *plane == 0, "it has plane 0 only");
            }
        }
        for write in &stage.writes {
            assert!(write.array < arrays.len(), "what is written is an array");
            assert!(writes.insert(write.array), "an array is written once");
            assert!(write.lowest <= write.highest, "the lowest plane is complete first");
        }
    }
}

#[cfg(test)]
mod tests;
