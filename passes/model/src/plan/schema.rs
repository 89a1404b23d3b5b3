//! The one table of the keys of a plan.
//!
//! A new key is a field of [`Plan`] and a line here: its name, what it takes, its default, what it
//! means, and how it goes in and out of the tree. Parsing, printing, ranges and the reference page
//! follow from the table.

use super::{
    Form, Loads, Mapping, Plan, PlanError, Rotation, Schedule, Skew, Storage, Tail, TreeSearch,
    Value,
};

/// One key of a plan.
#[derive(Debug)]
pub struct Key {
    /// As it is written.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// What holds where it is not written, in words; `None`: it must be decided.
    pub default: Option<&'static str>,
    /// What it means, in a sentence.
    pub doc: &'static str,
    /// The mappings that have means for it.
    pub mappings: &'static [Mapping],
    /// The value in a plan; `None` where it is the default.
    pub(super) read: fn(&Plan) -> Option<Value>,
    /// Puts an admitted value into a plan.
    pub(super) write: fn(&mut Plan, &Value),
}

/// What a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One of some words.
    Word(&'static [&'static str]),
    /// An integer in a range, ends included.
    Integer {
        /// The smallest.
        least: u32,
        /// The largest.
        most: u32,
    },
    /// An integer in a range for each dimension of the domain, slowest first.
    PerDimension {
        /// The smallest.
        least: u32,
        /// The largest.
        most: u32,
        /// What a list with fewer entries than dimensions means where it is for any rank.
        short: Short,
    },
}

/// Which dimensions the entries of a short list are for; the others get 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Short {
    /// The slowest.
    Slowest,
    /// The fastest.
    Fastest,
}

/// Every key, sorted by name.
pub const SCHEMA: &[Key] = &[
    Key {
        name: "advance",
        kind: Kind::Integer { least: 1, most: 4096 },
        default: Some("1"),
        doc: "How often a block computes its points, a step further along the slowest dimension \
              each time; what it read in one step is in the cache for the next.",
        mappings: &[Mapping::Thread],
        read: |plan| (plan.advance != 1).then(|| integer(plan.advance)),
        write: |plan, value| plan.advance = number(value),
    },
    Key {
        name: "chunks",
        kind: Kind::Integer { least: 1, most: 4096 },
        default: Some("1"),
        doc: "Pieces of the streamed dimension that are swept at once, each by blocks of its \
              own; every piece begins with planes that it computes for itself only.",
        mappings: SWEEPS,
        read: |plan| (plan.chunks != 1).then(|| integer(plan.chunks)),
        write: |plan, value| plan.chunks = number(value),
    },
    Key {
        name: "edge_chunks",
        kind: Kind::Integer { least: 1, most: 4096 },
        default: Some("as `chunks`"),
        doc: "`chunks` of the tiles at the ends of the domain, which take longer: with more and \
              shorter pieces all blocks finish together.",
        mappings: SWEEPS,
        read: |plan| plan.edge_chunks.map(integer),
        write: |plan, value| plan.edge_chunks = Some(number(value)),
    },
    Key {
        name: "form",
        kind: Kind::Word(Form::WORDS),
        default: Some("\"gather\"; \"scatter\" where `storage` = retimed"),
        doc: "When a point is computed: at once, when the last plane that it reads has \
              arrived; or plane by plane, into sums that are carried.",
        mappings: SWEEPS,
        read: |plan| word(plan.form.word(), plan.storage.form().word()),
        write: |plan, value| plan.form = chosen(value, Form::of_word),
    },
    Key {
        name: "lead",
        kind: Kind::Integer { least: 0, most: 127 },
        default: Some("0"),
        doc: "Points before the domain where the first block starts along the fastest \
              dimension, so that warps begin where a line of memory does; their threads \
              compute nothing.",
        mappings: &[Mapping::Thread],
        read: |plan| plan.lead.map(integer),
        write: |plan, value| plan.lead = Some(number(value)),
    },
    Key {
        name: "loads",
        kind: Kind::Word(Loads::WORDS),
        default: Some("\"direct\""),
        doc: "How planes come from global memory: when they are needed, one iteration ahead \
              to registers, or `ring` iterations ahead to shared memory by asynchronous \
              copies.",
        mappings: SWEEPS,
        read: |plan| word(plan.loads.word(), Loads::ALL[0].word()),
        write: |plan, value| plan.loads = chosen(value, Loads::of_word),
    },
    Key {
        name: "mapping",
        kind: Kind::Word(Mapping::WORDS),
        default: Some("\"thread\""),
        doc: "Who computes a point: each thread its own, straight from global memory; or a \
              warp or a block sweeps over a tile, several time steps in one pass.",
        mappings: Mapping::ALL,
        read: |plan| word(plan.mapping.word(), Mapping::ALL[0].word()),
        write: |plan, value| plan.mapping = chosen(value, Mapping::of_word),
    },
    Key {
        name: "max_registers",
        kind: Kind::Integer { least: 16, most: 255 },
        default: Some("no cap"),
        doc: "Registers per thread that the assembler may use; it spills what does not fit.",
        mappings: Mapping::ALL,
        read: |plan| plan.max_registers.map(integer),
        write: |plan, value| plan.max_registers = Some(number(value)),
    },
    Key {
        name: "min_blocks",
        kind: Kind::Integer { least: 1, most: 32 },
        default: Some("1"),
        doc: "Blocks that must fit a multiprocessor at once; the assembler keeps registers \
              down.",
        mappings: Mapping::ALL,
        read: |plan| (plan.min_blocks != 1).then(|| integer(plan.min_blocks)),
        write: |plan, value| plan.min_blocks = number(value),
    },
    Key {
        name: "permutations",
        kind: Kind::Integer { least: 1, most: 100_000_000 },
        default: Some("200000"),
        doc: "Permutations of expression trees that are tried at most.",
        mappings: Mapping::ALL,
        read: |plan| searched(plan, |trees| trees.permutations),
        write: |plan, value| plan.trees.permutations = number(value),
    },
    Key {
        name: "points",
        kind: Kind::PerDimension { least: 1, most: 64, short: Short::Slowest },
        default: Some("1 along each dimension"),
        doc: "Points that one thread computes along each dimension, slowest first.",
        mappings: Mapping::ALL,
        read: |plan| (!plan.points.is_empty()).then(|| list(&plan.points)),
        write: |plan, value| plan.points = numbers(value),
    },
    Key {
        name: "prefetch",
        kind: Kind::Integer { least: 0, most: 4 },
        default: Some("0"),
        doc: "Steps of a block ahead of which it asks for the planes that it will be the first to \
              read, for `advance` > 1; 0: it does not ask.",
        mappings: &[Mapping::Thread],
        read: |plan| (plan.prefetch != 0).then(|| integer(plan.prefetch)),
        write: |plan, value| plan.prefetch = number(value),
    },
    Key {
        name: "prune",
        kind: Kind::Integer { least: 0, most: 255 },
        default: Some("1"),
        doc: "Registers above its lower bound at which the permutations of an expression tree \
              end.",
        mappings: Mapping::ALL,
        read: |plan| searched(plan, |trees| trees.distance),
        write: |plan, value| plan.trees.distance = number(value),
    },
    Key {
        name: "queue_registers",
        kind: Kind::Integer { least: 0, most: 255 },
        default: Some("all"),
        doc: "Slots of the queue of planes that lie in registers, the rest in shared memory.",
        mappings: SWEEPS,
        read: |plan| plan.queue_registers.map(integer),
        write: |plan, value| plan.queue_registers = Some(number(value)),
    },
    Key {
        name: "ring",
        kind: Kind::Integer { least: 2, most: 16 },
        default: Some("none"),
        doc: "Planes that are on their way to shared memory at once, for `loads` = ring.",
        mappings: SWEEPS,
        read: |plan| (plan.ring != 1).then(|| integer(plan.ring)),
        write: |plan, value| plan.ring = number(value),
    },
    Key {
        name: "rotation",
        kind: Kind::Word(Rotation::WORDS),
        default: Some("\"move\""),
        doc: "How carried values come to their next place: they move in each iteration, or \
              the loop is unrolled until every place has its first role again.",
        mappings: SWEEPS,
        read: |plan| word(plan.rotation.word(), Rotation::ALL[0].word()),
        write: |plan, value| plan.rotation = chosen(value, Rotation::of_word),
    },
    Key {
        name: "schedule",
        kind: Kind::Word(Schedule::WORDS),
        default: Some("\"source\""),
        doc: "The order of the operations of a thread: as they were made; the one in which the \
              fewest registers are live at once, of expression trees or found by a search; with \
              later expressions moved forward to where that frees registers; both; that of \
              expression trees alone, whose search `prune` and `permutations` bound; or that \
              with later expressions moved forward.",
        mappings: Mapping::ALL,
        read: |plan| plan.schedule.map(|schedule| Value::Text(schedule.word().to_owned())),
        write: |plan, value| plan.schedule = Some(chosen(value, Schedule::of_word)),
    },
    Key {
        name: "skew",
        kind: Kind::Word(Skew::WORDS),
        default: Some("\"tight\""),
        doc: "When a level works on a plane that the level below computed: in the same \
              iteration, or in the next, so that the levels of one iteration do not wait for \
              each other.",
        mappings: SWEEPS,
        read: |plan| word(plan.skew.word(), Skew::ALL[0].word()),
        write: |plan, value| plan.skew = chosen(value, Skew::of_word),
    },
    Key {
        name: "splits",
        kind: Kind::Integer { least: 1, most: 64 },
        default: Some("1"),
        doc: "Kernels that an apply is split into; what one computes and a later one uses goes \
              through memory, or is computed again.",
        mappings: &[Mapping::Thread],
        read: |plan| (plan.splits != 1).then(|| integer(plan.splits)),
        write: |plan, value| plan.splits = number(value),
    },
    Key {
        name: "steps",
        kind: Kind::Integer { least: 1, most: 64 },
        default: Some("1"),
        doc: "Time steps that a sweep makes in one pass.",
        mappings: SWEEPS,
        read: |plan| (plan.steps != 1).then(|| integer(plan.steps)),
        write: |plan, value| plan.steps = number(value),
    },
    Key {
        name: "storage",
        kind: Kind::Word(Storage::WORDS),
        default: Some("\"queue\", \"shared\" for several lines an iteration"),
        doc: "Where a sweep keeps its planes: in the slots of a queue, with neighbours asked \
              by shuffles; or as whole planes, of which neighbours read what they need in \
              shared memory: all of them, the middle one of each level with the others in \
              registers, or the one that arrives, with sums in registers.",
        mappings: SWEEPS,
        read: |plan| word(plan.storage.word(), plan.storage_unsaid().word()),
        write: |plan, value| plan.storage = chosen(value, Storage::of_word),
    },
    Key {
        name: "tail",
        kind: Kind::Word(Tail::WORDS),
        default: Some("\"unfused\""),
        doc: "How every field comes to hold what the program leaves in it: the last \
              iterations are not fused, or the last sweep writes all levels that are seen.",
        mappings: SWEEPS,
        read: |plan| word(plan.tail.word(), Tail::ALL[0].word()),
        write: |plan, value| plan.tail = chosen(value, Tail::of_word),
    },
    Key {
        name: "threads",
        kind: Kind::PerDimension { least: 1, most: 1024, short: Short::Fastest },
        default: None,
        doc: "Threads of a block along each dimension, slowest first; the last lies along x. \
              Along the dimension that a sweep streams lies one; in two dimensions, with \
              `mapping` = block, several take as many lines in an iteration, which lie in a \
              circular array in shared memory.",
        mappings: Mapping::ALL,
        read: |plan| (!plan.threads.is_empty()).then(|| list(&plan.threads)),
        write: |plan, value| plan.threads = numbers(value),
    },
    Key {
        name: "vector",
        kind: Kind::Integer { least: 1, most: 4 },
        default: Some("1"),
        doc: "Points of a thread that are neighbours along the fastest dimension, 1, 2 or 4; the \
              others lie a block apart. What neighbours read and write goes by vectors where it \
              is aligned.",
        mappings: &[Mapping::Thread],
        read: |plan| (plan.vector != 1).then(|| integer(plan.vector)),
        write: |plan, value| plan.vector = number(value),
    },
];

const SWEEPS: &[Mapping] = &[Mapping::Warp, Mapping::Block];

/// The key of this name, or an error that names the nearest one.
pub fn key(name: &str) -> Result<&'static Key, PlanError> {
    SCHEMA
        .iter()
        .find(|key| key.name == name)
        .ok_or_else(|| PlanError::UnknownKey { key: name.to_owned(), hint: hint(name) })
}

impl Key {
    /// Refuses a value of another kind or outside the range.
    pub fn admit(&self, value: &Value) -> Result<(), PlanError> {
        match (self.kind, value) {
            (Kind::Word(words), Value::Text(word)) => self.admit_word(words, word),
            (Kind::Integer { least, most }, Value::Integer(integer)) => {
                self.admit_number(*integer, least, most)
            }
            (Kind::PerDimension { least, most, .. }, Value::Integers(integers)) => {
                if !(1..=3).contains(&integers.len()) {
                    return Err(PlanError::Length { key: self.name, found: integers.len() });
                }
                integers.iter().try_for_each(|integer| self.admit_number(*integer, least, most))
            }
            (_, other) => Err(PlanError::Kind {
                key: self.name,
                expected: self.kind.to_string(),
                found: other.kind(),
                value: other.to_string(),
            }),
        }
    }

    fn admit_word(&self, words: &[&str], word: &str) -> Result<(), PlanError> {
        if words.contains(&word) {
            return Ok(());
        }
        let known = words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ");
        Err(PlanError::Word { key: self.name, value: word.to_owned(), known })
    }

    fn admit_number(&self, value: i64, least: u32, most: u32) -> Result<(), PlanError> {
        if (i64::from(least)..=i64::from(most)).contains(&value) {
            return Ok(());
        }
        Err(PlanError::Range { key: self.name, value, least, most })
    }
}

/// As a message or a reference page says it.
impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Word(words) => write!(f, "one of the words {}", words.join(", ")),
            Self::Integer { least, most } => write!(f, "an integer in {least}..={most}"),
            Self::PerDimension { least, most, .. } => {
                write!(f, "a list of integers in {least}..={most}, one per dimension")
            }
        }
    }
}

/// Names the nearest key where one is near enough to be a slip of the pen, else all keys.
fn hint(name: &str) -> String {
    let distance = |key: &&Key| strsim::damerau_levenshtein(key.name, name);
    match SCHEMA.iter().min_by_key(distance) {
        Some(nearest) if distance(&nearest) * 3 <= name.len().max(3) => {
            format!("did you mean '{}'?", nearest.name)
        }
        _ => {
            let names: Vec<_> = SCHEMA.iter().map(|key| key.name).collect();
            format!("known keys are {}", names.join(", "))
        }
    }
}

// The functions below run on admitted values only: `from_tree` calls `admit` before `write`.

fn chosen<T>(value: &Value, of_word: fn(&str) -> Option<T>) -> T {
    let Value::Text(word) = value else { unreachable!("admitted as a word") };
    of_word(word).expect("admitted as a known word")
}

fn word(word: &str, default: &str) -> Option<Value> {
    (word != default).then(|| Value::Text(word.to_owned()))
}

fn number(value: &Value) -> u32 {
    let Value::Integer(integer) = value else { unreachable!("admitted as an integer") };
    u32::try_from(*integer).expect("admitted within the range of the key")
}

fn numbers(value: &Value) -> Vec<u32> {
    let Value::Integers(integers) = value else { unreachable!("admitted as a list") };
    integers.iter().map(|&integer| number(&Value::Integer(integer))).collect()
}

/// What a plan says of the search for an order, if it is not the default.
fn searched(plan: &Plan, read: fn(&TreeSearch) -> u32) -> Option<Value> {
    let said = read(&plan.trees);
    (said != read(&TreeSearch::DEFAULT)).then(|| integer(said))
}

fn integer(number: u32) -> Value {
    Value::Integer(i64::from(number))
}

fn list(numbers: &[u32]) -> Value {
    Value::Integers(numbers.iter().copied().map(i64::from).collect())
}
