//! What is measured of a pair, and which pair is better.

use crate::{Graph, Kind, ResourceMap, StageSet};
use std::{cmp::Ordering, collections::BTreeMap, fmt};

/// What fusing a pair saves, and what is kept afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metrics {
    /// D_m: 2 for each array that one reads after the other wrote it, else 1 for each that both
    /// write or both read.
    pub dependence: u32,
    /// T_reg: values that a thread keeps for both.
    pub registers: u32,
    /// T_shm: planes in shared memory for both.
    pub shared: u32,
    /// S_reg: values fewer than two kernels keep.
    pub saved_registers: i64,
    /// S_shm: planes in shared memory fewer than two kernels keep.
    pub saved_shared: i64,
}

/// A rule that decides between two pairs; the letters are the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// a: the larger D_m.
    Dependence,
    /// b: the smaller T_reg + T_shm.
    Total,
    /// c: the smaller T_shm.
    TotalShared,
    /// d: the smaller T_reg.
    TotalRegisters,
    /// e: the larger S_reg + S_shm.
    Saved,
    /// f: the larger S_shm.
    SavedShared,
    /// g: the larger S_reg.
    SavedRegisters,
}

impl Rule {
    /// All, in the order of the paper.
    pub const ALL: [Self; 7] = [
        Self::Dependence,
        Self::Total,
        Self::TotalShared,
        Self::TotalRegisters,
        Self::Saved,
        Self::SavedShared,
        Self::SavedRegisters,
    ];

    /// The letter.
    #[must_use]
    pub fn letter(self) -> char {
        let letters = Self::ALL.iter().zip('a'..);
        let own = letters.filter(|(rule, _)| **rule == self).map(|(_, letter)| letter).next();
        own.expect("every rule is in the list")
    }

    /// Less if the first pair is better.
    fn compare(self, one: &Metrics, two: &Metrics) -> Ordering {
        let total = |pair: &Metrics| pair.registers + pair.shared;
        let saved = |pair: &Metrics| pair.saved_registers + pair.saved_shared;
        match self {
            Self::Dependence => two.dependence.cmp(&one.dependence),
            Self::Total => total(one).cmp(&total(two)),
            Self::TotalShared => one.shared.cmp(&two.shared),
            Self::TotalRegisters => one.registers.cmp(&two.registers),
            Self::Saved => saved(two).cmp(&saved(one)),
            Self::SavedShared => two.saved_shared.cmp(&one.saved_shared),
            Self::SavedRegisters => two.saved_registers.cmp(&one.saved_registers),
        }
    }
}

/// A letter without a rule, or with one that is in the list already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownRule(pub char);

impl fmt::Display for UnknownRule {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "'{}' is no rule from a to g, or there twice", self.0)
    }
}

impl std::error::Error for UnknownRule {}

/// Rules by their letters, as `cba`; those that are missing decide nothing.
///
/// # Errors
/// The first letter that is wrong.
pub fn parse_rules(letters: &str) -> Result<Vec<Rule>, UnknownRule> {
    let mut rules = Vec::new();
    for letter in letters.chars() {
        let rule = Rule::ALL.into_iter().find(|rule| rule.letter() == letter);
        let rule = rule.filter(|rule| !rules.contains(rule)).ok_or(UnknownRule(letter))?;
        rules.push(rule);
    }
    Ok(rules)
}

/// Less if the first pair is better, and the rule that says so; none if all are equal.
pub(super) fn compare(rules: &[Rule], one: &Metrics, two: &Metrics) -> (Ordering, Option<Rule>) {
    let orders = rules.iter().map(|rule| (rule.compare(one, two), Some(*rule)));
    orders.into_iter().find(|(order, _)| order.is_ne()).unwrap_or((Ordering::Equal, None))
}

/// D_m of two kernels.
pub(super) fn dependence_metric(graph: &Graph, one: StageSet, two: StageSet) -> u32 {
    let mut weights = BTreeMap::<usize, u32>::new();
    for found in graph.between(one, two).chain(graph.between(two, one)) {
        let weight = match found.kind {
            Kind::Flow => 2,
            Kind::Output | Kind::Input => 1,
            Kind::Anti => 0,
        };
        let known = weights.entry(found.array).or_default();
        *known = weight.max(*known);
    }
    weights.values().sum()
}

impl Metrics {
    /// Of two kernels and the kernel of both.
    pub(super) fn new(dependence: u32, apart: [&ResourceMap; 2], both: &ResourceMap) -> Self {
        let saved = |of: fn(&ResourceMap) -> u32| {
            apart.iter().map(|map| i64::from(of(map))).sum::<i64>() - i64::from(of(both))
        };
        Self {
            dependence,
            registers: both.registers(),
            shared: both.shared(),
            saved_registers: saved(ResourceMap::registers),
            saved_shared: saved(ResourceMap::shared),
        }
    }
}

impl fmt::Display for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { dependence, registers, shared, saved_registers, saved_shared } = self;
        write!(f, "D_m={dependence} T_reg={registers} T_shm={shared} ")?;
        write!(f, "S_reg={saved_registers} S_shm={saved_shared}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIR: Metrics =
        Metrics { dependence: 2, registers: 6, shared: 2, saved_registers: 1, saved_shared: 0 };

    #[test]
    fn the_first_rule_that_differs_decides() {
        let decided = |rules: &str, other: Metrics| {
            let (order, rule) = compare(&parse_rules(rules).unwrap(), &PAIR, &other);
            (order, rule.map(Rule::letter))
        };
        let less = Metrics { dependence: 1, registers: 4, ..PAIR };
        assert_eq!(decided("abcdefg", less), (Ordering::Less, Some('a')));
        assert_eq!(decided("bacdefg", less), (Ordering::Greater, Some('b')));
        assert_eq!(decided("cd", less), (Ordering::Greater, Some('d')));
        // The sum of both is the same.
        let shared = Metrics { registers: 5, shared: 3, ..PAIR };
        assert_eq!(decided("abcdefg", shared), (Ordering::Less, Some('c')));
        let saving = Metrics { saved_registers: -1, saved_shared: 2, ..PAIR };
        assert_eq!(decided("abcdefg", saving), (Ordering::Greater, Some('f')));
        assert_eq!(decided("abcdeg", saving), (Ordering::Less, Some('g')));
        assert_eq!(decided("ae", saving), (Ordering::Equal, None));
    }

    #[test]
    fn letters_are_checked() {
        assert_eq!(parse_rules("abcdefg").unwrap(), Rule::ALL);
        assert_eq!(parse_rules("abh"), Err(UnknownRule('h')));
        assert_eq!(parse_rules("aba"), Err(UnknownRule('a')));
    }
}
