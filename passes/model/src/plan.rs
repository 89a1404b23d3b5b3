//! `#stencil.plan`: the complete, printable decision for one kernel.
//!
//! A plan is written by hand in a test, by a cost model or by a tuner; the mechanism that carries
//! it out cannot tell which. What is written, in the IR, after `--plan` and in JSON, is a tree of
//! keys and [`PlanValue`]s, which is read into [`PlanKeys`]: the struct whose declaration is the
//! [schema]. What a mechanism gets is a [`Plan`], which has no place for keys that do not go
//! together.
//!
//! Three kinds of refusal: a tree that is no plan on any machine fails in
//! [`PlanKeys::from_tree`]; keys that do not go together fail in [`PlanKeys::plan`]; a plan that a
//! target or a domain does not allow fails in [`PlanKeys::check`], which names the limit and both
//! numbers. Each says all that is wrong at once. A key that is missing has its default, and
//! `threads` has none: whoever selects plans fills it in, a mechanism never does.

mod check;
mod error;
mod keys;
pub mod mapping;
pub mod reference;
mod remainder;
pub mod request;
pub mod rules;
pub mod schema;
mod sweep;
mod thread;
mod value;
mod words;

use std::ops::Deref;

pub use error::PlanError;
pub use keys::PlanKeys;
pub use mapping::{Mapping, SweptBy};
pub use request::Request;
pub use sweep::{Loads, PlaneStore, SweepPlan};
pub use thread::{March, ThreadPlan};
pub use value::PlanValue;
pub use words::*;

/// A decision for one kernel. Dimensions are those of the domain, slowest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plan {
    /// Each thread computes its points straight from global memory.
    Thread(ThreadPlan),
    /// A warp or a block sweeps over a tile, several time steps in one pass.
    Sweep(SweepPlan),
}

/// What plans of all mappings decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Common {
    /// Threads of a block along each dimension; empty while undecided.
    pub threads: Vec<u32>,
    /// Points of a thread along each dimension; empty: one everywhere.
    pub points: Vec<u32>,
    /// Registers per thread that the assembler may use at most; none: as many as it likes.
    pub max_registers: Option<u32>,
    /// Blocks that must be resident on a multiprocessor at once.
    pub min_blocks: u32,
    /// The order of the operations of a thread; none: undecided, which means as they were made.
    pub schedule: Option<Schedule>,
    /// What the search for an order of expression trees may cost.
    pub trees: TreeSearch,
    /// Which values live in shared memory in the place of registers; none: no value does.
    pub demotion: Option<Demotion>,
    /// Where the assembler keeps what finds no register.
    pub spills: Spills,
}

/// Which values of a thread live in shared memory in the place of registers, and how they come
/// back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demotion {
    /// 32-bit registers by which the most that is live at once is to shrink, 1 or more.
    pub registers: u32,
    /// Which values are spilled first.
    pub heuristic: SpillHeuristic,
    /// Where they lie.
    pub layout: SlotLayout,
    /// What becomes of loads and stores that are not needed.
    pub redundant: RedundantAccesses,
    /// Demoted values that an operation may read and write, where whole registers are spilled.
    pub value_registers: u32,
    /// Operations ahead of which a value is loaded at most.
    pub hoist: u32,
    /// What is loaded from its array again.
    pub remat: Rematerialized,
    /// The order of operations in which values are spilled.
    pub schedule: SpillSchedule,
}

/// What the search for an order of expression trees may cost. How clusters of more than seven
/// subtrees are divided is no decision here: sums of frozen arithmetic are chains, whose operations
/// have two subtrees or three.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeSearch {
    /// Registers above its lower bound at which the permutations of a subtree end.
    pub distance: u32,
    /// Permutations that are tried at most.
    pub permutations: u32,
}

impl PlanKeys {
    /// The plan that these keys say.
    ///
    /// # Errors
    /// Keys that do not go together: all of them.
    pub fn plan(&self) -> Result<Plan, PlanError> {
        error::all_of(rules::broken(self)).map(|()| self.assembled())
    }

    /// The plan; keys that do not go with others have no effect.
    pub(crate) fn assembled(&self) -> Plan {
        match self.mapping.sweep() {
            Some(by) => Plan::Sweep(self.sweep(by)),
            None => Plan::Thread(self.thread()),
        }
    }

    fn common(&self) -> Common {
        let demotion = Demotion {
            registers: self.demote,
            heuristic: self.demote_heuristic,
            layout: self.demote_layout,
            redundant: self.demote_redundant,
            value_registers: self.demote_values,
            hoist: self.demote_hoist,
            remat: self.demote_remat,
            schedule: self.demote_schedule,
        };
        Common {
            threads: self.threads.clone(),
            points: self.points.clone(),
            max_registers: self.max_registers,
            min_blocks: self.min_blocks,
            schedule: self.schedule,
            trees: TreeSearch { distance: self.prune, permutations: self.permutations },
            demotion: (self.demote > 0).then_some(demotion),
            spills: self.spills,
        }
    }
}

impl From<&Plan> for PlanKeys {
    fn from(plan: &Plan) -> Self {
        match plan {
            Plan::Thread(plan) => plan.into(),
            Plan::Sweep(plan) => plan.into(),
        }
    }
}

impl From<&Common> for PlanKeys {
    fn from(common: &Common) -> Self {
        let keys = Self {
            threads: common.threads.clone(),
            points: common.points.clone(),
            max_registers: common.max_registers,
            min_blocks: common.min_blocks,
            schedule: common.schedule,
            prune: common.trees.distance,
            permutations: common.trees.permutations,
            spills: common.spills,
            ..Self::default()
        };
        let Some(demotion) = common.demotion else { return keys };
        Self {
            demote: demotion.registers,
            demote_heuristic: demotion.heuristic,
            demote_layout: demotion.layout,
            demote_redundant: demotion.redundant,
            demote_values: demotion.value_registers,
            demote_hoist: demotion.hoist,
            demote_remat: demotion.remat,
            demote_schedule: demotion.schedule,
            ..keys
        }
    }
}

impl Default for Plan {
    fn default() -> Self {
        Self::Thread(PlanKeys::default().thread())
    }
}

impl Plan {
    /// Who computes a point.
    pub fn mapping(&self) -> Mapping {
        match self {
            Self::Thread(_) => Mapping::Thread,
            Self::Sweep(plan) => plan.by.mapping(),
        }
    }

    /// The plan of a thread mapping.
    pub fn into_thread(self) -> Option<ThreadPlan> {
        match self {
            Self::Thread(plan) => Some(plan),
            Self::Sweep(_) => None,
        }
    }

    /// The plan of a sweep.
    pub fn into_sweep(self) -> Option<SweepPlan> {
        match self {
            Self::Thread(_) => None,
            Self::Sweep(plan) => Some(plan),
        }
    }
}

impl Common {
    /// Threads of a block along all dimensions together.
    pub fn threads_per_block(&self) -> u32 {
        self.threads.iter().product()
    }

    /// Points of one thread along a dimension, counted from the slowest.
    pub fn points_along(&self, dimension: usize) -> u32 {
        self.points.get(dimension).copied().unwrap_or(1)
    }
}

impl Deref for Plan {
    type Target = Common;

    fn deref(&self) -> &Common {
        match self {
            Self::Thread(plan) => &plan.common,
            Self::Sweep(plan) => &plan.common,
        }
    }
}

#[cfg(test)]
mod tests;
