//! A covering array over plan keys: rows that contain every pair of values of two factors.

use std::{cmp::Reverse, collections::BTreeSet, fmt};
use stencil_model::plan::Mapping;

/// The factors and the names of their values. A name may mean a class of numbers: with `few`
/// chunks most have an end of the domain, with `many` some have none.
pub const FACTORS: [(&str, &[&str]); 6] = [
    ("mapping", Mapping::SWEEP_WORDS),
    ("form", &["gather", "scatter"]),
    ("storage", &["queue", "shared", "diagonal-free", "retimed"]),
    ("skew", &["tight", "lazy"]),
    ("chunks", &["one", "few", "many"]),
    ("steps", &["1", "2", "3", "4", "5", "6"]),
];

/// A value of each factor, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row(pub [usize; 6]);

impl Row {
    /// The word for a factor's value.
    pub fn word(self, factor: &str) -> &'static str {
        let number = FACTORS.iter().position(|(name, _)| *name == factor);
        let number = number.expect("the factor is one of the table");
        FACTORS[number].1[self.0[number]]
    }

    /// Whether its levels have a queue of planes, whose slots the plan places.
    pub(super) fn has_slots(self) -> bool {
        ["storage", "form", "skew"].map(|factor| self.word(factor)) == ["queue", "gather", "tight"]
    }

    /// Whether a point is computed at once.
    pub(super) fn is_gathered(self) -> bool {
        self.word("form") == "gather" && self.word("storage") != "retimed"
    }

    /// Whether rows of threads may take a line each, which requires all slots in shared memory.
    pub(super) fn keeps_lines(self) -> bool {
        self.word("storage") == "shared"
    }

    /// All pairs of values in it.
    fn pairs(self) -> impl Iterator<Item = Pair> {
        let count = FACTORS.len();
        (0..count).flat_map(move |one| {
            (one + 1..count).map(move |two| Pair([(one, self.0[one]), (two, self.0[two])]))
        })
    }

    /// All rows, without those that contain an impossible pair.
    fn all() -> Vec<Row> {
        let mut rows = vec![Row([0; 6])];
        for (factor, (_, words)) in FACTORS.iter().enumerate() {
            let with = |row: &Row| {
                let row = *row;
                (0..words.len()).map(move |value| {
                    let mut row = row;
                    row.0[factor] = value;
                    row
                })
            };
            rows = rows.iter().flat_map(with).collect();
        }
        rows.retain(|row| row.pairs().all(|pair| pair.why_never().is_none()));
        rows
    }
}

/// Two values of two factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair([(usize, usize); 2]);

impl Pair {
    /// Every two values of two factors.
    fn all() -> Vec<Pair> {
        let values = |factor: usize| (0..FACTORS[factor].1.len()).map(move |value| (factor, value));
        let mut pairs = Vec::new();
        for one in 0..FACTORS.len() {
            for two in one + 1..FACTORS.len() {
                pairs.extend(values(one).flat_map(|a| values(two).map(move |b| Pair([a, b]))));
            }
        }
        pairs
    }

    fn words(self) -> [&'static str; 2] {
        self.0.map(|(factor, value)| FACTORS[factor].1[value])
    }

    /// Why no plan has both values; none if some have.
    pub fn why_never(self) -> Option<&'static str> {
        match self.words() {
            ["scatter", "shared" | "diagonal-free"] => Some("scatter form keeps sums, no planes"),
            ["gather", "retimed"] => Some("gather form keeps planes, no sums"),
            ["diagonal-free", "lazy"] => Some("the only plane is read when it is written"),
            _ => None,
        }
    }
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, two] = self.0.map(|(factor, value)| {
            let (name, words) = FACTORS[factor];
            format!("{name} = {}", words[value])
        });
        write!(f, "{one} and {two}")
    }
}

/// One in this many rows with a queue of planes gets an extra case.
const SLOTS_EVERY: usize = 7;

/// A small set of rows that contain every possible pair: greedily the row with most new pairs, and
/// of those one whose mapping has been used less. Then some more with a queue of planes, whose
/// slots have more placements than the keys of a row express.
pub fn rows() -> Vec<Row> {
    let all = Row::all();
    let mut missing: BTreeSet<Pair> = all.iter().flat_map(|row| row.pairs()).collect();
    let mut chosen = Vec::new();
    while !missing.is_empty() {
        let gain = |row: &&Row| {
            let new = row.pairs().filter(|pair| missing.contains(pair)).count();
            let alike = chosen.iter().filter(|other: &&Row| other.0[0] == row.0[0]).count();
            (new, Reverse(alike))
        };
        // Ties are broken by order.
        let best = all.iter().rev().max_by_key(gain).copied();
        let best = best.expect("there are rows");
        missing.retain(|pair| !best.pairs().any(|held| held == *pair));
        chosen.push(best);
    }
    chosen.extend(all.into_iter().filter(|row| row.has_slots()).step_by(SLOTS_EVERY));
    chosen
}

/// Covered pairs.
#[derive(Debug, Clone, Default)]
pub struct Coverage(BTreeSet<Pair>);

impl Coverage {
    /// Notes the pairs of a row.
    pub fn add(&mut self, row: Row) {
        self.0.extend(row.pairs());
    }

    /// Takes over what another has seen.
    pub fn merge(&mut self, other: &Coverage) {
        self.0.extend(&other.0);
    }

    /// Number of covered pairs.
    pub fn seen(&self) -> usize {
        self.0.len()
    }

    /// Possible pairs that were not covered.
    pub fn missing(&self) -> Vec<Pair> {
        let legal = Pair::all().into_iter().filter(|pair| pair.why_never().is_none());
        legal.filter(|pair| !self.0.contains(pair)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_hold_every_legal_pair_and_no_other() {
        let mut coverage = Coverage::default();
        rows().into_iter().for_each(|row| coverage.add(row));
        assert!(coverage.missing().is_empty());
        let illegal = Pair::all().into_iter().filter(|pair| pair.why_never().is_some());
        assert_eq!(coverage.seen() + illegal.count(), Pair::all().len());
    }

    #[test]
    fn rows_are_few() {
        // At least the number of combinations of the two largest factors.
        let count = rows().len();
        assert!((24..=40).contains(&count), "{count} rows");
    }

    #[test]
    fn mappings_take_turns() {
        let rows = rows();
        for mapping in Mapping::SWEEP_WORDS {
            let have_it = rows.iter().filter(|row| row.word("mapping") == *mapping).count();
            let least = rows.len() * 2 / 3 / Mapping::SWEEPS.len();
            assert!(have_it >= least, "{have_it} of {} rows have {mapping}", rows.len());
        }
    }

    #[test]
    fn words_of_a_row_are_those_of_its_values() {
        let row = Row([1, 0, 1, 1, 0, 5]);
        assert_eq!((row.word("mapping"), row.word("storage")), ("block", "shared"));
        assert!(!row.has_slots() && Row([0; 6]).has_slots());
        assert_eq!((row.word("skew"), row.word("steps")), ("lazy", "6"));
    }
}
