//! Reasons for which plans are refused, grouped: numbers and names left out.

use std::collections::BTreeMap;

/// How often each reason was given.
#[derive(Clone, Debug, Default)]
pub struct Refusals(pub BTreeMap<String, usize>);

impl Refusals {
    /// Counts a diagnostic.
    pub fn add(&mut self, diagnostic: &str) {
        *self.0.entry(normalized(diagnostic)).or_default() += 1;
    }

    /// Takes over another's counts.
    pub fn merge(&mut self, other: &Refusals) {
        for (reason, count) in &other.0 {
            *self.0.entry(reason.clone()).or_default() += count;
        }
    }

    /// Refused plans.
    pub fn total(&self) -> usize {
        self.0.values().sum()
    }
}

/// The first line of a diagnostic, every number as `N`.
pub fn normalized(diagnostic: &str) -> String {
    let line = diagnostic.lines().next().unwrap_or_default();
    let mut normal = String::new();
    for part in line.chars() {
        match part.is_ascii_digit() {
            false => normal.push(part),
            true if normal.ends_with('N') => {}
            true => normal.push('N'),
        }
    }
    normal
}

#[test]
fn reasons_that_differ_in_numbers_are_one() {
    let mut refusals = Refusals::default();
    refusals.add("'op' needs 12 rows\nnote: of 13");
    refusals.add("'op' needs 7 rows");
    refusals.add("'op' needs columns");
    assert_eq!(refusals.0.len(), 2);
    assert_eq!((refusals.0["'op' needs N rows"], refusals.total()), (2, 3));
}
