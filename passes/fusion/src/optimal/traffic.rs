//! Cost by bytes that have to be moved, and by operations.

use super::GroupCost;
use crate::{Graph, Limits, ResourceMap, StageSet};
use std::collections::BTreeMap;

/// What kernels move to and from memory, each cell once, and the operations that they execute,
/// those of overlapping tiles as often as they are computed. In operations: a byte counts
/// [`Traffic::operations_per_byte`].
///
/// A kernel reads an array unless one of its own stages wrote it last, and writes one that is used
/// after all stages, or by a stage of another kernel. Of several reads of an array, the largest
/// counts. It is wrong where caches are too small for the cells that tiles share, and where a
/// kernel reads cells around those that it writes itself.
#[derive(Clone, Debug)]
pub struct Traffic<'a> {
    /// The stages.
    pub graph: &'a Graph,
    /// What a kernel may keep.
    pub limits: Limits,
    /// Points of a tile along each axis of the plane; none for the whole plane.
    pub tile: Vec<u64>,
    /// Operations that take as long as a byte.
    pub operations_per_byte: u64,
}

impl Traffic<'_> {
    /// Bytes that a kernel reads and writes.
    #[must_use]
    pub fn bytes(&self, group: StageSet) -> u64 {
        let (stages, arrays) = (self.graph.stages(), self.graph.arrays());
        let bytes = |array: usize, cells: u64| cells * u64::from(arrays[array].element_bytes);
        let mut read = BTreeMap::<usize, u64>::new();
        let mut written = 0;
        for stage in group.iter() {
            for access in &stages[stage].reads {
                let writer = self.graph.writers(access.array).before(stage).last();
                if !writer.is_some_and(|writer| group.contains(writer)) {
                    let known = read.entry(access.array).or_default();
                    *known = access.cells.max(*known);
                }
            }
            for access in &stages[stage].writes {
                let later = self.graph.readers(access.array).after(stage);
                if arrays[access.array].is_live_out || !later.is_subset(group) {
                    written += bytes(access.array, access.cells);
                }
            }
        }
        written + read.iter().map(|(array, cells)| bytes(*array, *cells)).sum::<u64>()
    }

    /// Operations that a kernel executes.
    #[must_use]
    pub fn operations(&self, group: StageSet) -> u64 {
        let halos = self.graph.halos(group);
        let of_stage = |(stage, halo): &(usize, crate::graph::Halo)| {
            let (mut cells, mut points) = (1, 1);
            for (axis, extent) in self.tile.iter().enumerate() {
                cells *= u128::from(*extent)
                    + u128::from(halo.upper[axis + 1].abs_diff(halo.lower[axis + 1]));
                points *= u128::from(*extent);
            }
            u128::from(self.once(*stage)) * cells / points.max(1)
        };
        u64::try_from(halos.iter().map(of_stage).sum::<u128>()).unwrap_or(u64::MAX)
    }

    /// Operations of a stage that computes each point once.
    fn once(&self, stage: usize) -> u64 {
        let stage = &self.graph.stages()[stage];
        stage.operations.saturating_mul(stage.points)
    }

    fn weighed(&self, bytes: u64, operations: u64) -> u64 {
        bytes.saturating_mul(self.operations_per_byte).saturating_add(operations)
    }
}

impl GroupCost for Traffic<'_> {
    fn of(&self, group: StageSet) -> Option<u64> {
        if group.len() > 1 {
            let map = ResourceMap::of_group(self.graph, group);
            self.limits.check(self.graph, group, &map).ok()?;
        }
        Some(self.weighed(self.bytes(group), self.operations(group)))
    }

    /// What one kernel of all would cost without overlaps: more kernels move at least as much.
    fn least(&self, rest: StageSet) -> u64 {
        let operations = rest.iter().map(|stage| self.once(stage)).fold(0, u64::saturating_add);
        self.weighed(self.bytes(rest), operations)
    }

    fn is_hopeless(&self, group: StageSet) -> bool {
        group.len() > 1 && self.limits.check_stages(self.graph, group).is_err()
    }
}
