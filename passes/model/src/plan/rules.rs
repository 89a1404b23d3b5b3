//! Which keys of a plan go together, and which never do.
//!
//! Each rule has the keys that it is about, its text for the reference of keys, and what finds the
//! plans that break it. All broken rules of a plan are said at once.

use super::{Form, LoadMode, Mapping, PlanError, PlanKeys, ReadMode, Skew, Storage};

/// A rule about keys of one plan.
pub struct Rule {
    /// The keys that it is about.
    pub keys: &'static [&'static str],
    /// What holds, in a sentence.
    pub text: &'static str,
    /// What a plan breaks of it.
    broken: fn(&PlanKeys) -> Option<PlanError>,
}

/// Every rule about two keys or more; which mappings take a key is declared with it.
pub const RULES: &[Rule] = &[
    Rule {
        keys: &["ring", "loads"],
        text: "`ring` needs `loads=ring` or `loads=halo`, and these need `ring`.",
        broken: |plan| {
            let is_copied = matches!(plan.loads, LoadMode::Ring | LoadMode::Halo);
            (is_copied != plan.ring.is_some()).then_some(PlanError::Together {
                key: "ring",
                other: "loads = \"ring\" or \"halo\"",
            })
        },
    },
    Rule {
        keys: &["prefetch", "block_steps"],
        text: "`prefetch` needs `block_steps` greater than 1.",
        broken: |plan| {
            (plan.prefetch > 0 && plan.block_steps == 1)
                .then_some(PlanError::Together { key: "prefetch", other: "block_steps > 1" })
        },
    },
    Rule {
        keys: &["vector", "points"],
        text: "`vector` is a power of two that divides the last entry of `points`.",
        broken: vector_of_points,
    },
    Rule {
        keys: &[
            "demote",
            "demote_heuristic",
            "demote_hoist",
            "demote_layout",
            "demote_redundant",
            "demote_remat",
            "demote_schedule",
            "demote_values",
        ],
        text: "Keys that begin with `demote_` need `demote` greater than 0.",
        broken: |plan| {
            let (key, _) = plan.written().find(|(key, _)| key.name.starts_with("demote_"))?;
            (plan.demote == 0).then_some(PlanError::Together { key: key.name, other: "demote > 0" })
        },
    },
    Rule {
        keys: &["form", "storage"],
        text: "`storage` of whole planes has a form of its own: \"scatter\" with retimed, \
               \"gather\" with shared and diagonal-free.",
        broken: form_of_storage,
    },
    Rule {
        keys: &["queue_registers", "storage"],
        text: "`queue_registers` needs `storage=queue`.",
        broken: |plan| {
            let registers = plan.queue_registers.filter(|_| plan.storage != Storage::Queue)?;
            let storage = plan.storage.word();
            let reason =
                format!("storage = {storage:?} has no queue of slots; leave one of them out");
            unfit("queue_registers", registers.to_string(), reason)
        },
    },
    Rule {
        keys: &["reads", "form", "storage", "threads"],
        text: "`reads=queue` needs `form=gather`, and one thread along the streamed dimension.",
        broken: queue_of_reads,
    },
    Rule {
        keys: &["threads", "storage", "mapping"],
        text: "Several `threads` along the streamed dimension need `storage=shared`.",
        broken: storage_of_lines,
    },
    Rule {
        keys: &["skew", "storage"],
        text: "`skew=lazy` does not go with `storage=diagonal-free`.",
        broken: |plan| {
            if (plan.storage, plan.skew) != (Storage::DiagonalFree, Skew::Lazy) {
                return None;
            }
            let storage = plan.storage.word();
            let reason = format!(
                "storage = {storage:?} has one plane for each level, which is read in the \
                 iteration that writes it; take \"tight\", or another storage"
            );
            unfit("skew", format!("{:?}", plan.skew.word()), reason)
        },
    },
];

/// Every rule that keys break.
pub(super) fn broken(plan: &PlanKeys) -> Vec<PlanError> {
    let mut errors = unserved(plan);
    errors.extend(RULES.iter().filter_map(|rule| (rule.broken)(plan)));
    errors
}

/// Keys that are written, and that have no effect with the mapping.
fn unserved(plan: &PlanKeys) -> Vec<PlanError> {
    let mapping = plan.mapping.word();
    let written = plan.written().map(|(key, _)| key);
    written
        .filter(|key| !key.mappings.contains(&plan.mapping))
        .map(|key| PlanError::Unserved { key: key.name, mapping, takers: takers(key.mappings) })
        .collect()
}

/// Mappings, as words.
fn takers(mappings: &[Mapping]) -> String {
    if let (true, Some(first)) = (mappings == Mapping::SWEEPS, mappings.first()) {
        return format!("mappings that sweep, as {}", first.word());
    }
    mappings.iter().map(|mapping| mapping.word()).collect::<Vec<_>>().join(" and ")
}

fn unfit(key: &'static str, value: String, reason: String) -> Option<PlanError> {
    Some(PlanError::Unfit { key, value, reason })
}

/// Neighbours that move as one word of memory are two or four of a thread's points.
fn vector_of_points(plan: &PlanKeys) -> Option<PlanError> {
    let points = plan.points.last().copied().unwrap_or(1);
    if plan.vector.is_power_of_two() && points % plan.vector == 0 {
        return None;
    }
    let reason = format!(
        "words of memory are 1, 2 or 4 values, and a thread has {points} along the fastest \
         dimension; take a power of two that divides the last entry of `points`"
    );
    unfit("vector", plan.vector.to_string(), reason)
}

fn form_of_storage(plan: &PlanKeys) -> Option<PlanError> {
    if plan.storage.takes(plan.form) {
        return None;
    }
    let (storage, form) = (plan.storage.word(), plan.storage.form().word());
    let reason = format!("storage = {storage:?} is a store of form = {form:?}; leave it out");
    unfit("form", format!("{:?}", plan.form.word()), reason)
}

fn queue_of_reads(plan: &PlanKeys) -> Option<PlanError> {
    let is_scatter = plan.form == Form::Scatter || plan.storage.form() == Form::Scatter;
    let lines = plan.lines();
    let why = match (plan.reads, is_scatter, lines) {
        (ReadMode::Memory, _, _) | (ReadMode::Queue, false, 1) => return None,
        (_, true, _) => {
            "a form = \"scatter\" computes parts of several planes of a level at once; \
                         take form = \"gather\""
                .to_owned()
        }
        _ => format!(
            "{lines} threads along the streamed dimension take a line each, and a queue in \
             registers is a thread's own; take one thread"
        ),
    };
    unfit("reads", format!("{:?}", plan.reads.word()), why)
}

fn storage_of_lines(plan: &PlanKeys) -> Option<PlanError> {
    if plan.lines() == 1 || plan.storage == Storage::Shared {
        return None;
    }
    let (lines, shared) = (plan.lines(), Storage::Shared.word());
    let reason = format!(
        "{lines} threads along the streamed dimension take a line each, which others read in \
         shared memory: storage = {shared:?}; leave it out, or take one thread"
    );
    unfit("storage", format!("{:?}", plan.storage.word()), reason)
}
