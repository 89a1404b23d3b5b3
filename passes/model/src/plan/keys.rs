//! The keys of a plan, each declared once.
//!
//! A key has its documentation, the type of its field, its default (`=>`: in words, where the
//! field does not say it), what it takes, and the mappings that it has an effect with. The fields
//! of [`PlanKeys`] and the [schema](super::schema), from which codecs, error messages and the
//! reference follow, are derived from the declaration.
//!
//! [`PlanKeys`] hold what is written, whether it makes sense together or not; [`PlanKeys::plan`]
//! makes a [`Plan`](super::Plan) of them, in which only what does can be represented.

use super::{
    Form, LoadMode, Mapping, PlanError, PlanValue, ReadMode, RedundantAccesses, Remainder,
    Rematerialized, Rotation, Schedule, Skew, SlotLayout, SpillHeuristic, SpillSchedule, Spills,
    Storage, Tail, error, request,
    schema::{self, Field, Key, Kind, Short},
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt};

/// Derives the fields, their defaults and the schema.
macro_rules! keys {
    (@words) => {
        None
    };
    (@words $words:literal) => {
        Some($words)
    };
    ($($(#[doc = $doc:literal])* $name:ident: $type:ty = $default:expr $(=> $words:literal)?,
        $kind:expr, $mappings:expr;)*) => {
        /// The keys of a plan, with defaults for those that are not written.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(try_from = "BTreeMap<String, PlanValue>", into = "BTreeMap<String, PlanValue>")]
        pub struct PlanKeys {
            $($(#[doc = $doc])* pub $name: $type,)*
        }

        impl Default for PlanKeys {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }

        /// Every key, sorted by name.
        pub const SCHEMA: &[Key] = &[$(Key {
            name: stringify!($name),
            kind: $kind,
            default: keys!(@words $($words)?),
            doc: concat!($($doc),*).trim_ascii_start(),
            mappings: $mappings,
            read: |keys| keys.$name.value(),
            write: |keys, value| keys.$name = Field::of(value),
        },)*];
    };
}

const ALL: &[Mapping] = Mapping::ALL;
const THREAD: &[Mapping] = &[Mapping::Thread];
const SWEEPS: &[Mapping] = Mapping::SWEEPS;

keys! {
    /// Points before the domain where the first block starts along the fastest dimension, so that
    /// warps begin where a line of memory does; their threads compute nothing.
    alignment_offset: Option<u32> = None => "0", integer(0, 127), THREAD;

    /// How often a block computes its points, a step further along the slowest dimension each time;
    /// what it read in one step is in the cache for the next.
    block_steps: u32 = 1, integer(1, 4096), THREAD;

    /// Pieces of the streamed dimension that are swept at once, each by blocks of its own; every
    /// piece begins with planes that it computes for itself only. Where they are open,
    /// `stencil-select-plan` takes as many as let all blocks finish together.
    chunks: u32 = 1, integer(1, 4096), SWEEPS;

    /// 32-bit registers by which the most that a thread has live at once is to shrink: so much
    /// moves to shared memory, stored where it is computed and loaded where it is read. Goes with
    /// `max_registers`, or the assembler takes the registers for other things. With `--plan`, the
    /// word fit has numbers tried, and takes the one that is predicted to be fastest.
    demote: u32 = 0, integer(0, 255), ALL;

    /// Which values are spilled first: at each operation those with the furthest next use; or whole
    /// registers, those with the fewest accesses in the text, with the fewest where a loop counts
    /// ten times, or with the fewest other operands in the operations that use them.
    demote_heuristic: SpillHeuristic = SpillHeuristic::FurthestUse,
        word(SpillHeuristic::WORDS), ALL;

    /// Operations ahead of which a demoted value is loaded at most, as far as registers allow.
    demote_hoist: u32 = 8, integer(0, 64), ALL;

    /// The layout of spill slots in shared memory: interleaved over the threads of a block, an f64
    /// in one slot of 64 bits or in two of 32; or thread-major, so that the threads of a warp
    /// access the same banks.
    demote_layout: SlotLayout = SlotLayout::Interleaved64, word(SlotLayout::WORDS), ALL;

    /// Whether loads of values that are still in a register, and stores that no load reads, are
    /// removed, with the heuristics that spill whole registers.
    demote_redundant: RedundantAccesses = RedundantAccesses::Removed,
        word(RedundantAccesses::WORDS), ALL;

    /// Which demoted values are rematerialized: those loaded from arrays that the kernel only reads
    /// are loaded again and need no slot; or none.
    demote_remat: Rematerialized = Rematerialized::Loads, word(Rematerialized::WORDS), ALL;

    /// The order of operations in which values are spilled: of that which `schedule` made, of one
    /// result after the other, and of the one with the fewest registers live, that with the least
    /// spill traffic; or the first of these. A kernel with a loop keeps its order.
    demote_schedule: SpillSchedule = SpillSchedule::LeastTraffic, word(SpillSchedule::WORDS), ALL;

    /// Demoted values that an operation may read and write, and that stay in registers after it,
    /// with the heuristics that spill whole registers.
    demote_values: u32 = 1, integer(1, 16), ALL;

    /// `chunks` of the tiles at the ends of the domain, which take longer: with more and shorter
    /// pieces all blocks finish together.
    edge_chunks: Option<u32> = None => "as `chunks`", integer(1, 4096), SWEEPS;

    /// When a point is computed: at once, when the last plane that it reads has arrived; or plane
    /// by plane, into sums that are carried.
    form: Form = Form::Gather => "\"gather\"; \"scatter\" where `storage` = retimed",
        word(Form::WORDS), SWEEPS;

    /// How planes come from global memory: when they are needed, one iteration ahead to registers,
    /// or `ring` iterations ahead to shared memory by asynchronous copies; with `halo` together
    /// with the cells around a tile, so that neighbours are read there and tiles overlap less
    /// (loops of statements in three dimensions, values of 4 bytes or more). In such loops `ring`
    /// copies the rows around a tile too, and levels read older planes in shared memory.
    loads: LoadMode = LoadMode::Direct, word(LoadMode::WORDS), SWEEPS;

    /// Who computes a point: each thread its own, straight from global memory; or a warp or a block
    /// sweeps over a tile, several time steps in one pass.
    mapping: Mapping = Mapping::Thread, word(Mapping::WORDS), ALL;

    /// Registers per thread that the assembler may use; it spills what does not fit.
    max_registers: Option<u32> = None => "no cap", integer(16, 255), ALL;

    /// Blocks that must fit a multiprocessor at once; the assembler keeps registers down.
    min_blocks: u32 = 1, integer(1, 32), ALL;

    /// Permutations of expression trees that are tried at most.
    permutations: u32 = 200_000, integer(1, 100_000_000), ALL;

    /// Points that one thread computes along each dimension, slowest first.
    points: Vec<u32> = Vec::new() => "1 along each dimension",
        per_dimension(1, 64, Short::Slowest), ALL;

    /// Steps of a block ahead of which it asks for the planes that it will be the first to read,
    /// for `block_steps` > 1; 0: it does not ask.
    prefetch: u32 = 0, integer(0, 4), THREAD;

    /// Registers above its lower bound at which the permutations of an expression tree end.
    prune: u32 = 1, integer(0, 255), ALL;

    /// Slots of the queue of planes that lie in registers, the rest in shared memory.
    queue_registers: Option<u32> = None => "all", integer(0, 255), SWEEPS;

    /// How levels read fields that none of them changes, at the point or in planes before and after
    /// it: each level from memory; or each plane is loaded once, and kept in registers until the
    /// last level has used it.
    reads: ReadMode = ReadMode::Memory, word(ReadMode::WORDS), SWEEPS;

    /// How time steps are made that are too few for two sweeps: by sweeps of half as many steps,
    /// rounded up, then of half of those, and so on to two; or one by one, which takes fewer
    /// kernels.
    remainder: Remainder = Remainder::Halved
        => "\"halved\"; \"single\" where all fields fit into the second-level cache, or sweeps of \
           several statements are predicted to gain less than 0.5 % by it",
        word(Remainder::WORDS), SWEEPS;

    /// Planes that are on their way to shared memory at once, for `loads` = ring and halo.
    ring: Option<u32> = None => "none", integer(2, 16), SWEEPS;

    /// How carried values come to their next place: they move in each iteration, or the loop is
    /// unrolled until every place has its first role again.
    rotation: Rotation = Rotation::Move, word(Rotation::WORDS), SWEEPS;

    /// The order of the operations of a thread: as they were made; the one in which the fewest
    /// registers are live at once, of expression trees or found by a search; with later expressions
    /// moved forward to where that frees registers; both; that of expression trees alone, whose
    /// search `prune` and `permutations` bound; or that with later expressions moved forward.
    schedule: Option<Schedule> = None => "\"source\"", word(Schedule::WORDS), ALL;

    /// When a level works on a plane that the level below computed: in the same iteration, or in
    /// the next, so that the levels of one iteration do not wait for each other.
    skew: Skew = Skew::Tight, word(Skew::WORDS), SWEEPS;

    /// Where the assembler keeps what does not fit the registers that a thread may have: in local
    /// memory; or first in shared memory, which PTX can ask for since version 8.7.
    spills: Spills = Spills::Local, word(Spills::WORDS), ALL;

    /// Kernels that an apply is split into; what one computes and a later one uses goes through
    /// memory, or is computed again.
    splits: u32 = 1, integer(1, 64), THREAD;

    /// Time steps that a sweep makes in one pass.
    steps: u32 = 1, integer(1, 64), SWEEPS;

    /// Where a sweep keeps its planes: in the slots of a queue, with neighbours asked by shuffles;
    /// or as whole planes, of which neighbours read what they need in shared memory: all of them,
    /// the middle one of each level with the others in registers, or the one that arrives, with
    /// sums in registers.
    storage: Storage = Storage::Queue => "\"queue\", \"shared\" for several lines an iteration",
        word(Storage::WORDS), SWEEPS;

    /// How every field comes to hold what the program leaves in it: the last iterations are not
    /// fused, or the last sweep writes all levels that are seen.
    tail: Tail = Tail::Unfused, word(Tail::WORDS), SWEEPS;

    /// Threads of a block along each dimension, slowest first; the last lies along x. Along the
    /// dimension that a sweep streams lies one; in two dimensions, with `mapping` = block, several
    /// take as many lines in an iteration, which lie in a circular array in shared memory.
    threads: Vec<u32> = Vec::new(), per_dimension(1, 1024, Short::Fastest), ALL;

    /// Points of a thread that are neighbours along the fastest dimension, 1, 2 or 4; the others
    /// lie a block apart. What neighbours read and write goes by vectors where it is aligned.
    vector: u32 = 1, integer(1, 4), THREAD;
}

const fn word(words: &'static [&'static str]) -> Kind {
    Kind::Word(words)
}

const fn integer(least: u32, most: u32) -> Kind {
    Kind::Integer { least, most }
}

const fn per_dimension(least: u32, most: u32, short: Short) -> Kind {
    Kind::PerDimension { least, most, short }
}

impl PlanKeys {
    /// The keys that a tree has, with defaults for those that it lacks.
    ///
    /// # Errors
    /// Keys that there are not, and values that a key does not take: all of them.
    pub fn from_tree(tree: &BTreeMap<String, PlanValue>) -> Result<Self, PlanError> {
        let mut keys = Self::default();
        let mut wrong = Vec::new();
        for (name, value) in tree {
            match admitted(name, value) {
                Ok(key) => (key.write)(&mut keys, value),
                Err(error) => wrong.push(error),
            }
        }
        error::all_of(wrong)?;
        if !tree.contains_key("storage") {
            keys.storage = keys.default_storage();
        }
        if !tree.contains_key("form") {
            keys.form = keys.storage.form();
        }
        if !keys.threads.is_empty() && !keys.points.is_empty() {
            check_length("points", keys.points.len(), keys.threads.len())?;
        }
        Ok(keys)
    }

    /// The tree of these keys, without defaults. [`Self::from_tree`] gives them back.
    /// A plan that is decided names its mapping: keys without one are laid over what the compiler
    /// would decide.
    pub fn to_tree(&self) -> BTreeMap<String, PlanValue> {
        let written = self.written().map(|(key, value)| (key.name.to_owned(), value));
        written.collect()
    }

    /// The keys that have another value than by default.
    pub(super) fn written(&self) -> impl Iterator<Item = (&'static Key, PlanValue)> {
        let defaults =
            Self { storage: self.default_storage(), form: self.storage.form(), ..Self::default() };
        SCHEMA.iter().filter_map(move |key| {
            let value = (key.read)(self)?;
            let is_written = (key.read)(&defaults).is_none_or(|default| default != value)
                || (key.name == "mapping" && !self.threads.is_empty());
            is_written.then_some((key, value))
        })
    }

    /// Lines that a block takes in an iteration, in two dimensions: one for each thread along the
    /// streamed dimension, with the mapping that has any. 1 for all other plans.
    pub fn lines(&self) -> u32 {
        self.mapping.sweep().map_or(1, |by| by.lines(&self.threads))
    }

    /// The storage where none is written.
    fn default_storage(&self) -> Storage {
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
}

/// The key of this name, if it takes the value.
fn admitted(name: &str, value: &PlanValue) -> Result<&'static Key, PlanError> {
    let key = schema::key(name)?;
    if request::is_auto(name, value) {
        return Err(PlanError::Auto);
    }
    key.admit(value).map(|()| key)
}

/// Refuses a list of another rank than the other list or the domain.
pub(super) fn check_length(key: &'static str, found: usize, rank: usize) -> Result<(), PlanError> {
    if found == rank {
        return Ok(());
    }
    Err(PlanError::Rank { key, found, rank })
}

impl TryFrom<BTreeMap<String, PlanValue>> for PlanKeys {
    type Error = PlanError;

    fn try_from(tree: BTreeMap<String, PlanValue>) -> Result<Self, PlanError> {
        Self::from_tree(&tree)
    }
}

impl From<PlanKeys> for BTreeMap<String, PlanValue> {
    fn from(keys: PlanKeys) -> Self {
        keys.to_tree()
    }
}

/// The keys that differ from their defaults, as a plan is written: `points = [1, 2], ...`.
impl fmt::Display for PlanKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (key, value)) in self.written().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{} = {value}", key.name)?;
        }
        Ok(())
    }
}
