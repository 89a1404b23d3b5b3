//! Why a plan is refused.

use crate::occupancy::PartitionDemand;
use thiserror::Error;

/// A refused plan: the key or the limit, the value, and what would do.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PlanError {
    /// A key the schema does not have.
    #[error("plan key '{key}' is unknown, {hint}")]
    UnknownKey {
        /// The key.
        key: String,
        /// The nearest key, or all of them.
        hint: String,
    },
    /// A key that is written twice for the same kernels.
    #[error("plan key '{key}' is written twice, as {first} and as {second}; leave one")]
    Twice {
        /// The key.
        key: &'static str,
        /// The value that comes first.
        first: String,
        /// The other.
        second: String,
    },
    /// A value of another kind than the key takes.
    #[error("plan key '{key}' takes {expected}, not {found} ({value})")]
    Kind {
        /// The key.
        key: &'static str,
        /// What it takes.
        expected: String,
        /// What it was given.
        found: &'static str,
        /// The value, printed.
        value: String,
    },
    /// Text that is no list of keys with values.
    #[error("'{0}' is no plan key with a value; write KEY=VALUE, as in points=8,max_registers=128")]
    NoAssignment(String),
    /// A value that is no number, or no numbers.
    #[error("plan key '{key}' is '{value}', which is not {expected}")]
    NoNumber {
        /// The key.
        key: &'static str,
        /// The text.
        value: String,
        /// What the key takes.
        expected: String,
    },
    /// A number outside the range that makes sense on any machine.
    #[error("plan key '{key}' is {value}, outside {least}..={most}")]
    Range {
        /// The key.
        key: &'static str,
        /// The number.
        value: i64,
        /// The smallest that is taken.
        least: u32,
        /// The largest that is taken.
        most: u32,
    },
    /// A word the key does not know.
    #[error("plan key '{key}' is \"{value}\", which is none of {known}")]
    Word {
        /// The key.
        key: &'static str,
        /// The word.
        value: String,
        /// The words that are known.
        known: String,
    },
    /// A value that the compiler is to find, where a number is needed.
    #[error(
        "plan key 'demote' is \"fit\", which only the assembler can answer: --plan demote=fit of \
         stencilc asks it; elsewhere write a number, as demote=16"
    )]
    Auto,
    /// A list with as many entries as no domain has dimensions.
    #[error("plan key '{key}' has {found} entries, a domain has 1 to 3 dimensions")]
    Length {
        /// The key.
        key: &'static str,
        /// Entries of the list.
        found: usize,
    },
    /// A list with one entry per dimension, of another rank than the domain.
    #[error("plan key '{key}' has {found} entries for {rank} dimensions")]
    Rank {
        /// The key.
        key: &'static str,
        /// Entries of the list.
        found: usize,
        /// Dimensions of the domain.
        rank: usize,
    },
    /// A key without a default that is not decided.
    #[error("plan key '{key}' is missing and has no default, run plan selection first or write it")]
    Undecided {
        /// The key.
        key: &'static str,
    },
    /// A key that has no effect with the mapping.
    #[error("plan key '{key}' has no effect with mapping \"{mapping}\", only with {takers}")]
    Unserved {
        /// The key.
        key: &'static str,
        /// The mapping.
        mapping: &'static str,
        /// The mappings that take it.
        takers: String,
    },
    /// A key that is written without the one it belongs to, or the other way round.
    #[error("plan key '{key}' goes with {other}: write both or none")]
    Together {
        /// The key.
        key: &'static str,
        /// What it belongs to.
        other: &'static str,
    },
    /// A value that the mapping cannot honour for this kernel.
    #[error("plan key '{key}' cannot be {value}: {reason}")]
    Unfit {
        /// The key.
        key: &'static str,
        /// Its value, printed.
        value: String,
        /// Why.
        reason: String,
    },
    /// More than the target has.
    #[error("plan needs {asked} {what}, {target} has at most {most}")]
    Limit {
        /// What there is too much of, in the plural.
        what: String,
        /// How much the plan needs.
        asked: u64,
        /// The target.
        target: &'static str,
        /// How much the target has.
        most: u64,
    },
    /// Registers with which no block is ever launched.
    #[error(
        "plan key 'max_registers' is {registers}, with which a block of {warps} warps can never \
         start: {} of them run on one partition of {target} and take {} registers, it has {}; \
         take at most {most}, or fewer threads", demand.warps, demand.registers,
        demand.registers_available
    )]
    NeverStarts {
        /// Registers of a thread.
        registers: u32,
        /// Warps of a block.
        warps: u32,
        /// What they ask of a partition.
        demand: PartitionDemand,
        /// The target.
        target: &'static str,
        /// The most registers with which a block of as many threads starts.
        most: u32,
    },
    /// More than one of the above.
    #[error("the plan is wrong for {} reasons: {}", .0.len(), numbered(.0))]
    Several(Vec<PlanError>),
}

fn numbered(errors: &[PlanError]) -> String {
    let numbers = errors.iter().zip(1..).map(|(error, number)| format!("({number}) {error}"));
    numbers.collect::<Vec<_>>().join("; ")
}

/// All that is wrong as one error; nothing wrong is none.
pub(super) fn all_of(mut errors: Vec<PlanError>) -> Result<(), PlanError> {
    match errors.len() {
        0 => Ok(()),
        1 => Err(errors.remove(0)),
        _ => Err(PlanError::Several(errors)),
    }
}
