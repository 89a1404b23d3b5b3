//! `#stencil.plan`: the complete, printable decision for one kernel.
//!
//! A plan is written by hand in a test, by a cost model or by a tuner; the mechanism that carries
//! it out cannot tell which. In the IR it is one dictionary; here it is [`Plan`], made from a tree
//! of [`Value`]s by [`Plan::from_tree`], which refuses what the [schema] does not know.
//! The [reference] page and error messages read the same schema.
//!
//! Two kinds of refusal: a tree that is no plan on any machine fails in `from_tree`; a plan that
//! a target or a domain does not allow fails in [`Plan::check`], which names the limit and both
//! numbers. A key that is missing has its default, and `threads` has none: whoever selects plans
//! fills it in, a mechanism never does.

mod error;
pub mod reference;
pub mod request;
pub mod rules;
pub mod schema;
mod value;
mod words;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

pub use error::PlanError;
pub use request::Request;
pub use value::Value;
pub use words::{
    Form, Loads, Mapping, RedundantAccesses, Remainder, Rematerialized, Rotation, Schedule, Skew,
    SlotLayout, SpillHeuristic, SpillSchedule, Spills, Storage, Tail,
};

use crate::occupancy::{BlockDemand, PartitionDemand, occupancy, registers_max_to_launch};
use crate::sweep::tiling;
use crate::target::Architecture;

/// A decision for one kernel. Dimensions are those of the domain, slowest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, Value>", into = "BTreeMap<String, Value>")]
pub struct Plan {
    /// Who computes a point.
    pub mapping: Mapping,
    /// Threads of a block along each dimension; empty while undecided.
    pub threads: Vec<u32>,
    /// Points of a thread along each dimension; empty: one everywhere.
    pub points: Vec<u32>,
    /// Points of a thread that are neighbours along the fastest dimension; the others lie a block
    /// apart.
    pub vector: u32,
    /// How often a block computes its points, a step further along the slowest dimension each time.
    pub block_steps: u32,
    /// Steps ahead of which a block asks for what it will read; 0: it does not.
    pub prefetch: u32,
    /// Points before the domain where the first block starts along the fastest dimension;
    /// none: undecided, which means 0.
    pub alignment_offset: Option<u32>,
    /// Registers per thread that the assembler may use at most; none: as many as it likes.
    pub max_registers: Option<u32>,
    /// Blocks that must be resident on a multiprocessor at once.
    pub min_blocks: u32,
    /// Kernels that an apply is split into.
    pub splits: u32,
    /// Time steps that a sweep makes in one pass.
    pub steps: u32,
    /// Pieces of the streamed dimension that are swept at once.
    pub chunks: u32,
    /// Pieces of it where a tile lies at an end of the domain; none: as many as elsewhere.
    pub edge_chunks: Option<u32>,
    /// When a point of a sweep is computed.
    pub form: Form,
    /// When a level works on what the level below computed.
    pub skew: Skew,
    /// Where planes lie, and through what neighbours read them.
    pub storage: Storage,
    /// Slots of the queue that lie in registers; none: all.
    pub queue_registers: Option<u32>,
    /// How values of a queue come to their next place.
    pub rotation: Rotation,
    /// How planes come from global memory.
    pub loads: Loads,
    /// Planes that are on their way from global memory at once.
    pub ring: u32,
    /// How the iterations are made that are too few for two sweeps.
    pub remainder: Remainder,
    /// How the last iterations leave every field as the program would.
    pub tail: Tail,
    /// The order of the operations of a thread; none: undecided, which means as they were made.
    pub schedule: Option<Schedule>,
    /// What the search for an order of expression trees may cost.
    pub trees: TreeSearch,
    /// Which values live in shared memory in the place of registers.
    pub demotion: Demotion,
    /// Where the assembler keeps what finds no register.
    pub spills: Spills,
}

/// Which values of a thread live in shared memory in the place of registers, and how they come
/// back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demotion {
    /// 32-bit registers by which the most that is live at once is to shrink; 0: none moves.
    pub registers: u32,
    /// Which values give way.
    pub heuristic: SpillHeuristic,
    /// Where they lie.
    pub layout: SlotLayout,
    /// What becomes of loads and stores that are not needed.
    pub redundant: RedundantAccesses,
    /// Demoted values that an operation may read and write, for the orders of registers.
    pub value_registers: u32,
    /// Operations ahead of which a value is loaded at most.
    pub hoist: u32,
    /// Whether what came from an array is loaded from there again.
    pub remat: Rematerialized,
    /// The order of operations in which values give way.
    pub schedule: SpillSchedule,
}

impl Demotion {
    /// What holds where a plan says nothing.
    pub const DEFAULT: Self = Self {
        registers: 0,
        heuristic: SpillHeuristic::FurthestUse,
        layout: SlotLayout::Interleaved64,
        redundant: RedundantAccesses::Removed,
        value_registers: 1,
        hoist: 8,
        remat: Rematerialized::Loads,
        schedule: SpillSchedule::LeastTraffic,
    };
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

impl TreeSearch {
    /// What holds where a plan says nothing.
    pub const DEFAULT: Self = Self { distance: 1, permutations: 200_000 };
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            mapping: Mapping::Thread,
            threads: Vec::new(),
            points: Vec::new(),
            vector: 1,
            block_steps: 1,
            prefetch: 0,
            alignment_offset: None,
            max_registers: None,
            min_blocks: 1,
            splits: 1,
            steps: 1,
            chunks: 1,
            edge_chunks: None,
            form: Form::Gather,
            skew: Skew::Tight,
            storage: Storage::Queue,
            queue_registers: None,
            rotation: Rotation::Move,
            loads: Loads::Direct,
            ring: 1,
            remainder: Remainder::Halved,
            tail: Tail::Unfused,
            schedule: None,
            trees: TreeSearch::DEFAULT,
            demotion: Demotion::DEFAULT,
            spills: Spills::Local,
        }
    }
}

impl Plan {
    /// The plan that a tree of keys and values says, with defaults for the keys it lacks.
    pub fn from_tree(tree: &BTreeMap<String, Value>) -> Result<Self, PlanError> {
        let mut plan = Self::default();
        let mut wrong = Vec::new();
        for (name, value) in tree {
            match admitted(name, value) {
                Ok(key) => (key.write)(&mut plan, value),
                Err(error) => wrong.push(error),
            }
        }
        error::all_of(wrong)?;
        if !tree.contains_key("storage") {
            plan.storage = plan.storage_unsaid();
        }
        if !tree.contains_key("form") {
            plan.form = plan.storage.form();
        }
        if !plan.threads.is_empty() && !plan.points.is_empty() {
            plan.check_lengths("points", plan.points.len(), plan.threads.len())?;
        }
        Ok(plan)
    }

    /// The tree of this plan: keys sorted, defaults left out. [`Self::from_tree`] gives it back.
    /// A plan that is decided names its mapping: keys without one lie over what the compiler would
    /// decide.
    pub fn to_tree(&self) -> BTreeMap<String, Value> {
        let entries = schema::SCHEMA.iter();
        entries.filter_map(|key| Some((key.name.to_owned(), (key.read)(self)?))).collect()
    }

    /// Lines that a block takes in an iteration, in two dimensions: one for each thread along the
    /// streamed dimension, with the mapping that has any. 1 for all other plans.
    pub fn lines(&self) -> u32 {
        match (self.mapping, self.threads.as_slice()) {
            (Mapping::Block, &[lines, _]) => lines,
            _ => 1,
        }
    }

    /// The storage of a plan that says none.
    pub fn storage_unsaid(&self) -> Storage {
        if self.lines() > 1 { Storage::Shared } else { Storage::Queue }
    }

    /// Threads of a block along all dimensions together.
    pub fn threads_per_block(&self) -> u32 {
        self.threads.iter().product()
    }

    /// Points of one thread along all dimensions together.
    pub fn points_per_thread(&self) -> u32 {
        self.points.iter().product()
    }

    /// Points of one thread along a dimension, counted from the slowest.
    pub fn points_along(&self, dimension: usize) -> u32 {
        self.points.get(dimension).copied().unwrap_or(1)
    }

    /// Blocks that cover a domain of these extents, along each dimension, slowest first.
    ///
    /// # Panics
    /// If the plan has another rank than the domain; [`Self::check`] refuses that.
    pub fn grid(&self, domain: &[u64]) -> Vec<u64> {
        assert_eq!(self.threads.len(), domain.len(), "the plan has the rank of its domain");
        let block = |dimension| {
            let times = if dimension == 0 { self.block_steps } else { 1 };
            u64::from(self.threads[dimension] * self.points_along(dimension)) * u64::from(times)
        };
        let offset = |dimension| {
            if dimension + 1 == domain.len() {
                self.alignment_offset.unwrap_or(0).into()
            } else {
                0
            }
        };
        let extents = domain.iter().enumerate();
        extents
            .map(|(dimension, extent)| (offset(dimension) + extent).div_ceil(block(dimension)))
            .collect()
    }

    /// Whether a kernel with this plan can be built for a domain and launched on a target. Keys
    /// that never go together and limits that are exceeded are said at once.
    pub fn check(&self, target: &Architecture, domain: &[u64]) -> Result<(), PlanError> {
        if self.threads.is_empty() {
            return Err(PlanError::Undecided { key: "threads" });
        }
        let mut wrong = rules::broken(self);
        let mut rank = vec![self.check_lengths("threads", self.threads.len(), domain.len())];
        if !self.points.is_empty() {
            rank.push(self.check_lengths("points", self.points.len(), domain.len()));
        }
        let has_rank = rank.iter().all(Result::is_ok);
        wrong.extend(rank.into_iter().filter_map(Result::err));
        let mut limits = vec![self.check_block(target), self.check_prefetch(target)];
        // The grid of a sweep depends on how far its stencil reaches.
        if has_rank && self.mapping == Mapping::Thread {
            limits.push(self.check_grid(target, domain));
        }
        if has_rank && self.mapping != Mapping::Thread {
            limits.push(tiling::check_shape(self, domain.len()));
        }
        // How many blocks reside is known of those that can be.
        if limits[0].is_ok() {
            limits.push(self.check_residence(target));
        }
        wrong.extend(limits.into_iter().filter_map(Result::err));
        error::all_of(wrong)
    }

    fn check_lengths(&self, key: &'static str, found: usize, rank: usize) -> Result<(), PlanError> {
        if found == rank {
            return Ok(());
        }
        Err(PlanError::Rank { key, found, rank })
    }

    fn check_prefetch(&self, target: &Architecture) -> Result<(), PlanError> {
        if self.prefetch == 0 || target.prefetch_ptx_version_min.is_some() {
            return Ok(());
        }
        let reason =
            format!("LLVM makes no prefetch instruction for {}; leave it out", target.name);
        Err(PlanError::Unfit { key: "prefetch", value: self.prefetch.to_string(), reason })
    }

    fn check_block(&self, target: &Architecture) -> Result<(), PlanError> {
        let total = self.threads_per_block();
        within(target, "threads per block", total, target.threads_max_per_block)?;
        let axes = target.block_max.fastest_first();
        for (&threads, (axis, most)) in self.threads.iter().rev().zip(axes) {
            within(target, &format!("threads along {axis}"), threads, most)?;
        }
        Ok(())
    }

    fn check_grid(&self, target: &Architecture, domain: &[u64]) -> Result<(), PlanError> {
        let axes = target.grid_max.fastest_first();
        for (blocks, (axis, most)) in self.grid(domain).into_iter().rev().zip(axes) {
            within(target, &format!("blocks along {axis}"), blocks, most)?;
        }
        Ok(())
    }

    /// The blocks that must be resident together fit by their threads.
    fn check_residence(&self, target: &Architecture) -> Result<(), PlanError> {
        if let Some(registers) = self.max_registers {
            within(target, "registers per thread", registers, target.registers_max_per_thread)?;
            self.check_launch(target, registers)?;
        }
        // A cap says what a kernel may use, not what it uses: how many blocks its registers leave
        // room for is known after the assembler ran, and `Resources::check` asks then.
        let threads = self.threads_per_block();
        let block = BlockDemand { threads, registers_per_thread: 0, shared_bytes: 0 };
        within(
            target,
            "blocks per multiprocessor",
            self.min_blocks,
            occupancy(target, block).blocks,
        )
    }

    /// A cap that a kernel which needs as much cannot be launched with is refused: the assembler
    /// goes by the cap, and what fits no partition would only be found by the driver.
    fn check_launch(&self, target: &Architecture, registers: u32) -> Result<(), PlanError> {
        let threads = self.threads_per_block();
        let demand = PartitionDemand::of(target, threads, registers);
        if demand.fits() {
            return Ok(());
        }
        Err(PlanError::NeverStarts {
            registers,
            warps: threads.div_ceil(target.threads_per_warp),
            demand,
            target: target.name,
            most: registers_max_to_launch(target, threads),
        })
    }
}

/// The key of this name, if it takes the value.
fn admitted(name: &str, value: &Value) -> Result<&'static schema::Key, PlanError> {
    let key = schema::key(name)?;
    if request::is_question(name, value) {
        return Err(PlanError::Question);
    }
    key.admit(value).map(|()| key)
}

fn within(
    target: &Architecture,
    what: &str,
    asked: impl Into<u64>,
    most: impl Into<u64>,
) -> Result<(), PlanError> {
    let (asked, most) = (asked.into(), most.into());
    if asked <= most {
        return Ok(());
    }
    Err(PlanError::Limit { what: what.to_owned(), asked, target: target.name, most })
}

impl TryFrom<BTreeMap<String, Value>> for Plan {
    type Error = PlanError;

    fn try_from(tree: BTreeMap<String, Value>) -> Result<Self, PlanError> {
        Self::from_tree(&tree)
    }
}

impl From<Plan> for BTreeMap<String, Value> {
    fn from(plan: Plan) -> Self {
        plan.to_tree()
    }
}

/// The keys that differ from their defaults, as a plan is written: `points = [1, 2], ...`.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (key, value)) in self.to_tree().iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{key} = {value}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
