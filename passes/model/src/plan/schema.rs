//! The one table of the keys of a plan.
//!
//! A new key is a field of [`Plan`] and a line here: its name, what it takes, its default, what it
//! means, and how it goes in and out of the tree. Parsing, printing, ranges and the
//! [reference](super::reference) follow from the table.

mod key;

pub use key::{Key, Kind, Short};

use super::{
    Demotion, Form, Loads, Mapping, Plan, PlanError, RedundantAccesses, Remainder, Rematerialized,
    Rotation, Schedule, Skew, SlotLayout, SpillHeuristic, SpillSchedule, Spills, Storage, Tail,
    TreeSearch, Value,
};

/// Every key, sorted by name.
pub const SCHEMA: &[Key] = &[
    Key {
        name: "alignment_offset",
        kind: Kind::Integer { least: 0, most: 127 },
        default: Some("0"),
        doc: "Points before the domain where the first block starts along the fastest \
              dimension, so that warps begin where a line of memory does; their threads \
              compute nothing.",
        mappings: &[Mapping::Thread],
        read: |plan| plan.alignment_offset.map(integer),
        write: |plan, value| plan.alignment_offset = Some(number(value)),
    },
    Key {
        name: "block_steps",
        kind: Kind::Integer { least: 1, most: 4096 },
        default: Some("1"),
        doc: "How often a block computes its points, a step further along the slowest dimension \
              each time; what it read in one step is in the cache for the next.",
        mappings: &[Mapping::Thread],
        read: |plan| (plan.block_steps != 1).then(|| integer(plan.block_steps)),
        write: |plan, value| plan.block_steps = number(value),
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
        name: "demote",
        kind: Kind::Integer { least: 0, most: 255 },
        default: Some("0"),
        doc: "32-bit registers by which the most that a thread has live at once is to shrink: so \
              much moves to shared memory, stored where it is computed and loaded where it is \
              read. Goes with `max_registers`, or the assembler takes the registers for other \
              things. With `--plan`, the word fit has numbers tried, and takes the one that is \
              predicted to be fastest.",
        mappings: Mapping::ALL,
        read: |plan| demoted(plan, |demotion| integer(demotion.registers)),
        write: |plan, value| plan.demotion.registers = number(value),
    },
    Key {
        name: "demote_heuristic",
        kind: Kind::Word(SpillHeuristic::WORDS),
        default: Some("\"furthest-use\""),
        doc: "Which values give way: at each operation those that are read last; or whole \
              registers, those first with the fewest accesses in the text, with the fewest where \
              a loop makes ten of one, or with the fewest others beside them in operations.",
        mappings: Mapping::ALL,
        read: |plan| demoted(plan, |demotion| text(demotion.heuristic.word())),
        write: |plan, value| plan.demotion.heuristic = chosen(value, SpillHeuristic::of_word),
    },
    Key {
        name: "demote_hoist",
        kind: Kind::Integer { least: 0, most: 64 },
        default: Some("8"),
        doc: "Operations ahead of which a demoted value is loaded at most, as far as registers \
              allow.",
        mappings: Mapping::ALL,
        read: |plan| demoted(plan, |demotion| integer(demotion.hoist)),
        write: |plan, value| plan.demotion.hoist = number(value),
    },
    Key {
        name: "demote_layout",
        kind: Kind::Word(SlotLayout::WORDS),
        default: Some("\"interleaved-64\""),
        doc: "How demoted values lie in shared memory: value by value, those of a warp's threads \
              next to each other; the same word by word, a double as two; or thread by thread, in \
              banks that others of the warp ask too.",
        mappings: Mapping::ALL,
        read: |plan| demoted(plan, |demotion| text(demotion.layout.word())),
        write: |plan, value| plan.demotion.layout = chosen(value, SlotLayout::of_word),
    },
    Key {
        name: "demote_redundant",
        kind: Kind::Word(RedundantAccesses::WORDS),
        default: Some("\"removed\""),
        doc: "What becomes of loads of what is at hand, and of stores that nobody loads, with the \
              orders of registers.",
        mappings: Mapping::ALL,
        read: |plan| demoted(plan, |demotion| text(demotion.redundant.word())),
        write: |plan, value| plan.demotion.redundant = chosen(value, RedundantAccesses::of_word),
    },
    Key {
        name: "demote_remat",
        kind: Kind::Word(Rematerialized::WORDS),
        default: Some("\"loads\""),
        doc: "Whether demoted values that came from arrays which the kernel only reads are loaded \
              from there again, in the place of slots.",
        mappings: Mapping::ALL,
        read: |plan| demoted(plan, |demotion| text(demotion.remat.word())),
        write: |plan, value| plan.demotion.remat = chosen(value, Rematerialized::of_word),
    },
    Key {
        name: "demote_schedule",
        kind: Kind::Word(SpillSchedule::WORDS),
        default: Some("\"least-traffic\""),
        doc: "The order of operations in which values give way: of that which `schedule` made, of \
              one result after the other, and of the one with the fewest registers live, that \
              which needs the fewest loads and stores; or the first of these. A kernel with a \
              loop keeps its order.",
        mappings: Mapping::ALL,
        read: |plan| demoted(plan, |demotion| text(demotion.schedule.word())),
        write: |plan, value| plan.demotion.schedule = chosen(value, SpillSchedule::of_word),
    },
    Key {
        name: "demote_values",
        kind: Kind::Integer { least: 1, most: 16 },
        default: Some("1"),
        doc: "Demoted values that an operation may read and write, and that stay at hand behind \
              it, with the orders of registers.",
        mappings: Mapping::ALL,
        read: |plan| demoted(plan, |demotion| integer(demotion.value_registers)),
        write: |plan, value| plan.demotion.value_registers = number(value),
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
        read: |plan| {
            let is_decided = !plan.threads.is_empty();
            let is_default = plan.mapping == Mapping::ALL[0];
            (is_decided || !is_default).then(|| text(plan.mapping.word()))
        },
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
              read, for `block_steps` > 1; 0: it does not ask.",
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
        name: "remainder",
        kind: Kind::Word(Remainder::WORDS),
        default: Some("\"halved\"; \"single\" where all fields fit into the second-level cache"),
        doc: "How time steps are made that are too few for two sweeps: by sweeps of half as many \
              steps, of a quarter and so on, or one by one, which takes fewer kernels.",
        mappings: SWEEPS,
        read: |plan| word(plan.remainder.word(), Remainder::ALL[0].word()),
        write: |plan, value| plan.remainder = chosen(value, Remainder::of_word),
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
        name: "spills",
        kind: Kind::Word(Spills::WORDS),
        default: Some("\"local\""),
        doc: "Where the assembler keeps what does not fit the registers that a thread may have: in \
              local memory; or first in shared memory, which PTX can ask for since version 8.7.",
        mappings: Mapping::ALL,
        read: |plan| word(plan.spills.word(), Spills::ALL[0].word()),
        write: |plan, value| plan.spills = chosen(value, Spills::of_word),
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

/// What a plan says of demotion, if it is not the default.
fn demoted(plan: &Plan, read: fn(&Demotion) -> Value) -> Option<Value> {
    let said = read(&plan.demotion);
    (said != read(&Demotion::DEFAULT)).then_some(said)
}

fn text(word: &str) -> Value {
    Value::Text(word.to_owned())
}

fn integer(number: u32) -> Value {
    Value::Integer(i64::from(number))
}

fn list(numbers: &[u32]) -> Value {
    Value::Integers(numbers.iter().copied().map(i64::from).collect())
}
