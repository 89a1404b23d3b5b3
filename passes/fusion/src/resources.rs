//! Where a kernel keeps the planes that it reads and writes.
//!
//! | a plane of which one column needs | is kept in |
//! | --- | --- |
//! | one value, at its own position | a register |
//! | one value, at another position of the plane | a register, read by a shuffle |
//! | several values | shared memory |
//! | the sum so far, of a result that is written more than once | a register |
//! | nothing but the last write of an array that is used afterwards | global memory |
//!
//! In one kernel the maps of two stages are united, the later one shifted along the stream, and a
//! plane that they keep differently is kept in the slower of both places [Rawat et al.,
//! Domain-Specific Optimization and Generation of High-Performance GPU Code for Stencil
//! Computations, Proc. IEEE 2018].
//!
//! Two points that the paper leaves open. A plane between two that are kept waits in a register. A
//! plane that is written to global memory and read by a later stage of the same kernel is kept
//! where that stage reads it, and written as well: what its neighbours need in global memory, other
//! blocks compute.

use crate::{Graph, Stage, StageSet, Window};
use std::{collections::BTreeMap, fmt};

/// Where a plane is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Nowhere: it is written to global memory.
    Written,
    /// In a register, until it is read as a lower plane.
    Held,
    /// In a register of the thread that reads it.
    Register,
    /// In a register of another thread of the plane, at this offset.
    Shuffled(Vec<i64>),
    /// In shared memory.
    Shared,
    /// In global memory.
    Global,
}

/// The storage of each plane of each array that a kernel accesses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceMap {
    planes: BTreeMap<(usize, i64), Storage>,
}

impl Storage {
    /// For a plane of which a column needs the cells of a window.
    #[must_use]
    pub fn of_window(window: &Window) -> Self {
        match window.single() {
            Some(offset) if offset.iter().all(|along| *along == 0) => Self::Register,
            Some(offset) => Self::Shuffled(offset.to_vec()),
            None => Self::Shared,
        }
    }

    /// Where a plane is kept that two stages keep like this: the slower place. Two different values
    /// of a plane need shared memory, as in a stage that reads both.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        let is_one = |storage: &Self| matches!(storage, Self::Register | Self::Shuffled(_));
        match self.speed().cmp(&other.speed()) {
            _ if self != other && is_one(self) && is_one(other) => Self::Shared,
            std::cmp::Ordering::Less => other.clone(),
            _ => self.clone(),
        }
    }

    /// Whether a thread keeps a value.
    #[must_use]
    pub fn is_register(&self) -> bool {
        matches!(self, Self::Held | Self::Register | Self::Shuffled(_))
    }

    /// Higher where it is slower.
    fn speed(&self) -> u8 {
        match self {
            Self::Written => 0,
            Self::Held => 1,
            Self::Register => 2,
            Self::Shuffled(_) => 3,
            Self::Shared => 4,
            Self::Global => 5,
        }
    }
}

impl fmt::Display for Storage {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Written => f.write_str("written"),
            Self::Held => f.write_str("held"),
            Self::Register => f.write_str("register"),
            Self::Shuffled(offset) => write!(f, "shuffle{offset:?}"),
            Self::Shared => f.write_str("shared"),
            Self::Global => f.write_str("global"),
        }
    }
}

impl ResourceMap {
    /// The map of a stage by itself.
    #[must_use]
    pub fn of_stage(graph: &Graph, stage: usize) -> Self {
        let mut map = Self::default();
        let Stage { reads, writes, .. } = &graph.stages()[stage];
        for read in reads {
            for (plane, window) in &read.planes {
                map.put((read.array, *plane), &Storage::of_window(window));
            }
        }
        for write in writes {
            let is_last =
                !graph.stages()[stage + 1..].iter().any(|it| it.write(write.array).is_some());
            let leaves = is_last && graph.arrays()[write.array].is_live_out;
            let storage = match leaves && !write.accumulates() {
                true => Storage::Written,
                false => Storage::Register,
            };
            for plane in write.lowest..=write.highest {
                map.put((write.array, plane), &storage);
            }
        }
        map.hold();
        map
    }

    /// The map of several stages, each shifted as little as its dependences allow.
    #[must_use]
    pub fn of_group(graph: &Graph, group: StageSet) -> Self {
        let mut map = Self::default();
        for (stage, by) in graph.shifts(group) {
            for (plane, storage) in Self::of_stage(graph, stage).shifted(graph, by).planes {
                map.put(plane, &storage);
            }
        }
        map.hold();
        map
    }

    /// The map of stages that follow so many planes later.
    #[must_use]
    pub fn shifted(&self, graph: &Graph, by: i64) -> Self {
        let moved = |(&(array, plane), storage): (&(usize, i64), &Storage)| {
            let by = if graph.arrays()[array].streams { by } else { 0 };
            ((array, plane - by), storage.clone())
        };
        Self { planes: self.planes.iter().map(moved).collect() }
    }

    /// The map of a kernel that does what two do.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut map = self.clone();
        for (plane, storage) in &other.planes {
            map.put(*plane, storage);
        }
        map.hold();
        map
    }

    /// The storage of a plane of an array; none if the kernel does not access it.
    #[must_use]
    pub fn storage(&self, array: usize, plane: i64) -> Option<&Storage> {
        self.planes.get(&(array, plane))
    }

    /// All planes, by array, lowest first.
    pub fn planes(&self) -> impl Iterator<Item = (usize, i64, &Storage)> {
        self.planes.iter().map(|(&(array, plane), storage)| (array, plane, storage))
    }

    /// Values that a thread keeps.
    #[must_use]
    pub fn registers(&self) -> u32 {
        self.planes.values().filter(|storage| storage.is_register()).count() as u32
    }

    /// Planes in shared memory.
    #[must_use]
    pub fn shared(&self) -> u32 {
        self.planes.values().filter(|storage| **storage == Storage::Shared).count() as u32
    }

    /// Bytes that a thread keeps in registers.
    #[must_use]
    pub fn register_bytes(&self, graph: &Graph) -> u64 {
        self.bytes(graph, Storage::is_register)
    }

    /// Bytes of shared memory for each cell of a plane.
    #[must_use]
    pub fn shared_bytes_per_cell(&self, graph: &Graph) -> u64 {
        self.bytes(graph, |storage| *storage == Storage::Shared)
    }

    fn bytes(&self, graph: &Graph, is_counted: impl Fn(&Storage) -> bool) -> u64 {
        let counted = self.planes().filter(|(_, _, storage)| is_counted(storage));
        counted.map(|(array, ..)| u64::from(graph.arrays()[array].element_bytes)).sum()
    }

    fn put(&mut self, plane: (usize, i64), storage: &Storage) {
        let place = self.planes.entry(plane).or_insert(Storage::Written);
        *place = place.join(storage);
    }

    /// Values wait in registers from the plane in which they arrive to the one that is read last.
    fn hold(&mut self) {
        let mut spans = BTreeMap::<usize, (Option<i64>, i64)>::new();
        for (array, plane, storage) in self.planes() {
            let (lowest, highest) = spans.entry(array).or_insert((None, plane));
            *highest = plane;
            if *storage != Storage::Written && lowest.is_none() {
                *lowest = Some(plane);
            }
        }
        for (array, (lowest, highest)) in spans {
            for plane in lowest.into_iter().flat_map(|lowest| lowest..=highest) {
                self.put((array, plane), &Storage::Held);
            }
        }
    }

    /// The map as text, with the names of a graph.
    #[must_use]
    pub fn text(&self, graph: &Graph) -> String {
        let one = |(array, plane, storage): (usize, i64, &Storage)| {
            format!("{}[{plane:+}] {storage}", graph.arrays()[array].name)
        };
        self.planes().map(one).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests;
