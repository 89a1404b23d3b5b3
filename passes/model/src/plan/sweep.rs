//! Plans of the mappings that sweep.

use super::{
    Common, Form, LoadMode, Mapping, PlanKeys, ReadMode, Remainder, Rotation, Skew, Storage,
    SweptBy, Tail,
};
use std::ops::Deref;

/// A plan of a mapping that sweeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SweepPlan {
    /// What plans of all mappings decide.
    pub common: Common,
    /// Who sweeps over a tile.
    pub by: SweptBy,
    /// Time steps that a sweep makes in one pass.
    pub steps: u32,
    /// Pieces of the streamed dimension that are swept at once.
    pub chunks: u32,
    /// Pieces of it where a tile lies at an end of the domain; none: as many as elsewhere.
    pub edge_chunks: Option<u32>,
    /// Where planes lie, and when a point is computed.
    pub store: PlaneStore,
    /// How values of a queue come to their next place.
    pub rotation: Rotation,
    /// How planes come from global memory.
    pub loads: Loads,
    /// How levels read fields that none of them changes.
    pub reads: ReadMode,
    /// How the iterations are made that are too few for two sweeps.
    pub remainder: Remainder,
    /// How the last iterations leave every field as the program would.
    pub tail: Tail,
}

/// Where a sweep keeps its planes, with what can be chosen there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaneStore {
    /// In the slots of a queue.
    Queue {
        /// When a point is computed.
        form: Form,
        /// Slots that lie in registers; none: all.
        registers: Option<u32>,
        /// When a level works on what the level below computed.
        skew: Skew,
    },
    /// All planes in shared memory, in gather form.
    Shared {
        /// When a level works on what the level below computed.
        skew: Skew,
    },
    /// The middle plane of each level in shared memory, the others in registers, in gather form; a
    /// level reads what the level below computed in the same iteration.
    DiagonalFree,
    /// The plane that arrives in shared memory, sums in registers: in scatter form.
    Retimed {
        /// When a level works on what the level below computed.
        skew: Skew,
    },
}

/// How planes come from global memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loads {
    /// When they are needed.
    Direct,
    /// One iteration ahead, to registers.
    Prefetch,
    /// Several iterations ahead, to shared memory, by asynchronous copies.
    Ring {
        /// Planes that are on their way at once.
        planes: u32,
    },
    /// The same with the halo of the tile, which all threads of a block read.
    Halo {
        /// Planes that are on their way at once.
        planes: u32,
    },
}

impl PlanKeys {
    /// The plan of a sweep that these keys say.
    pub(super) fn sweep(&self, by: SweptBy) -> SweepPlan {
        let skew = self.skew;
        SweepPlan {
            common: self.common(),
            by,
            steps: self.steps,
            chunks: self.chunks,
            edge_chunks: self.edge_chunks,
            store: match self.storage {
                Storage::Queue => {
                    PlaneStore::Queue { form: self.form, registers: self.queue_registers, skew }
                }
                Storage::Shared => PlaneStore::Shared { skew },
                Storage::DiagonalFree => PlaneStore::DiagonalFree,
                Storage::Retimed => PlaneStore::Retimed { skew },
            },
            rotation: self.rotation,
            loads: match (self.loads, self.ring) {
                (LoadMode::Direct, _) | (LoadMode::Ring | LoadMode::Halo, None) => Loads::Direct,
                (LoadMode::Prefetch, _) => Loads::Prefetch,
                (LoadMode::Ring, Some(planes)) => Loads::Ring { planes },
                (LoadMode::Halo, Some(planes)) => Loads::Halo { planes },
            },
            reads: self.reads,
            remainder: self.remainder,
            tail: self.tail,
        }
    }
}

impl From<&SweepPlan> for PlanKeys {
    fn from(plan: &SweepPlan) -> Self {
        Self {
            mapping: plan.by.mapping(),
            steps: plan.steps,
            chunks: plan.chunks,
            edge_chunks: plan.edge_chunks,
            form: plan.form(),
            skew: plan.skew(),
            storage: plan.storage(),
            queue_registers: plan.queue_registers(),
            rotation: plan.rotation,
            loads: plan.loads.mode(),
            ring: plan.loads.ring(),
            reads: plan.reads,
            remainder: plan.remainder,
            tail: plan.tail,
            ..Self::from(&plan.common)
        }
    }
}

impl Default for SweepPlan {
    /// A sweep by warps.
    fn default() -> Self {
        PlanKeys::default().sweep(Mapping::Warp.sweep().expect("warps sweep"))
    }
}

impl SweepPlan {
    /// Lines that a block takes in an iteration, in two dimensions: one for each thread along the
    /// streamed dimension.
    pub fn lines(&self) -> u32 {
        self.by.lines(&self.threads)
    }

    /// When a point is computed.
    pub fn form(&self) -> Form {
        match self.store {
            PlaneStore::Queue { form, .. } => form,
            _ => self.storage().form(),
        }
    }

    /// When a level works on what the level below computed.
    pub fn skew(&self) -> Skew {
        match self.store {
            PlaneStore::Queue { skew, .. }
            | PlaneStore::Shared { skew }
            | PlaneStore::Retimed { skew } => skew,
            PlaneStore::DiagonalFree => Skew::Tight,
        }
    }

    /// Where planes lie, in a word.
    pub fn storage(&self) -> Storage {
        match self.store {
            PlaneStore::Queue { .. } => Storage::Queue,
            PlaneStore::Shared { .. } => Storage::Shared,
            PlaneStore::DiagonalFree => Storage::DiagonalFree,
            PlaneStore::Retimed { .. } => Storage::Retimed,
        }
    }

    /// Slots of the queue that lie in registers, if that is decided.
    pub fn queue_registers(&self) -> Option<u32> {
        match self.store {
            PlaneStore::Queue { registers, .. } => registers,
            _ => None,
        }
    }
}

impl Loads {
    /// In a word.
    pub fn mode(self) -> LoadMode {
        match self {
            Self::Direct => LoadMode::Direct,
            Self::Prefetch => LoadMode::Prefetch,
            Self::Ring { .. } => LoadMode::Ring,
            Self::Halo { .. } => LoadMode::Halo,
        }
    }

    /// Planes on their way to shared memory at once, if any are.
    pub fn ring(self) -> Option<u32> {
        match self {
            Self::Ring { planes } | Self::Halo { planes } => Some(planes),
            Self::Direct | Self::Prefetch => None,
        }
    }

    /// Iterations from the copy of a plane to shared memory to its arrival, if planes are copied.
    pub fn copied_ahead(self) -> Option<i64> {
        Some(i64::from(self.ring()?) - 1)
    }
}

impl Deref for SweepPlan {
    type Target = Common;

    fn deref(&self) -> &Common {
        &self.common
    }
}
