//! Limits of a kernel, and what exceeds them.

use crate::{Apart, Graph, ResourceMap, StageSet};
use std::fmt;

/// What a kernel may keep, and how far it may reach. A kernel of one stage is never refused: it has
/// to be computed somehow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Cells of a plane that a thread block keeps.
    pub plane_cells: u64,
    /// Shared memory of a block; none for no limit.
    pub shared_bytes_max: Option<u64>,
    /// Kept planes of a thread in registers; none for no limit.
    pub register_bytes_max: Option<u64>,
    /// The order up to which computing cells of the halo again is not prohibitive; none for no
    /// limit. It holds for stages that compute a halo for others of the kernel.
    pub order_max: Option<u64>,
}

/// What keeps stages from being one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Excess {
    /// They depend on each other through other kernels, which have these stages.
    Path(StageSet),
    /// They cannot be parts of one kernel.
    Apart(Apart),
    /// Shared memory of a block.
    SharedBytes {
        /// What they need.
        needed: u64,
        /// What they may.
        most: u64,
    },
    /// Registers of a thread.
    RegisterBytes {
        /// What they need.
        needed: u64,
        /// What they may.
        most: u64,
    },
    /// The order that they grow to.
    Order {
        /// What they reach.
        needed: u64,
        /// What they may.
        most: u64,
    },
}

impl Limits {
    /// No limits.
    pub const NONE: Self =
        Self { plane_cells: 1, shared_bytes_max: None, register_bytes_max: None, order_max: None };

    /// Whether stages with this map can be one kernel, as far as no other stages matter.
    ///
    /// # Errors
    /// The first thing that keeps them from it.
    pub fn check(&self, graph: &Graph, group: StageSet, map: &ResourceMap) -> Result<(), Excess> {
        self.check_stages(graph, group)?;
        let shared = map.shared_bytes_per_cell(graph) * self.plane_cells;
        if let Some((needed, most)) = exceeded(shared, self.shared_bytes_max) {
            return Err(Excess::SharedBytes { needed, most });
        }
        let registers = map.register_bytes(graph);
        if let Some((needed, most)) = exceeded(registers, self.register_bytes_max) {
            return Err(Excess::RegisterBytes { needed, most });
        }
        Ok(())
    }

    /// What [`Limits::check`] finds without a map. What some stages exceed, more exceed as well.
    ///
    /// # Errors
    /// The first thing that keeps them from being one kernel.
    pub fn check_stages(&self, graph: &Graph, group: StageSet) -> Result<(), Excess> {
        if let Some(apart) = graph.parted(group) {
            return Err(Excess::Apart(apart.clone()));
        }
        self.check_order(graph, group)
    }

    /// The order of stages that compute cells for others.
    fn check_order(&self, graph: &Graph, group: StageSet) -> Result<(), Excess> {
        let Some(most) = self.order_max else { return Ok(()) };
        let needed = graph.grown_order(group);
        if needed > most { Err(Excess::Order { needed, most }) } else { Ok(()) }
    }
}

fn exceeded(needed: u64, most: Option<u64>) -> Option<(u64, u64)> {
    Some((needed, most?)).filter(|(needed, most)| needed > most)
}

impl Excess {
    /// As text, with the names of a graph.
    #[must_use]
    pub fn text(&self, graph: &Graph) -> String {
        match self {
            Self::Path(through) => format!("they depend through {}", graph.names(*through)),
            Self::Apart(apart) => {
                let [one, two] = apart.stages.map(|stage| &graph.stages()[stage].name);
                format!("{one} and {two} cannot be one kernel: {}", apart.why)
            }
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Path(_) => f.write_str("they depend through other stages"),
            Self::Apart(apart) => f.write_str(&apart.why),
            Self::SharedBytes { needed, most } => {
                write!(f, "{needed} bytes of shared memory, limit {most}")
            }
            Self::RegisterBytes { needed, most } => {
                write!(f, "{needed} bytes of registers per thread, limit {most}")
            }
            Self::Order { needed, most } => write!(f, "order {needed}, limit {most}"),
        }
    }
}
