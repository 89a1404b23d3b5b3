//! The page that says what random sweeps were compared, and why others were refused.

use super::Findings;
use std::{collections::BTreeMap, env, fs, path::Path};
use stencil_fuzz::FACTORS;

/// How often something was compared: groups with their bins.
#[derive(Clone, Debug, Default)]
pub struct Histogram(BTreeMap<&'static str, BTreeMap<String, usize>>);

impl Histogram {
    /// Counts a case.
    pub fn add(&mut self, bins: &[(&'static str, String)]) {
        for (group, bin) in bins {
            *self.0.entry(group).or_default().entry(bin.clone()).or_default() += 1;
        }
    }

    /// Takes over another's counts.
    pub fn merge(&mut self, other: &Histogram) {
        for (group, bins) in &other.0 {
            for (bin, count) in bins {
                *self.0.entry(group).or_default().entry(bin.clone()).or_default() += count;
            }
        }
    }

    /// A row of a table for each of some groups.
    fn rows<'g>(&self, groups: impl Iterator<Item = &'g str>) -> String {
        let row = |group: &str| {
            let Some(bins) = self.0.get(group) else { return String::new() };
            let words = FACTORS.iter().find(|(name, _)| *name == group).map(|(_, words)| *words);
            let mut bins: Vec<_> = bins.iter().collect();
            // Values of a factor in its own order.
            let place = |bin: &str| words.and_then(|words| words.iter().position(|w| *w == bin));
            bins.sort_by_key(|(bin, _)| place(bin));
            let bins: Vec<String> = bins.iter().map(|(b, count)| format!("{b}: {count}")).collect();
            format!("| {group} | {} |\n", bins.join("; "))
        };
        groups.map(row).collect()
    }
}

/// What the words of the page mean; it comes before the numbers.
const HEAD: &str = include_str!("page-head.md");

/// How to run others.
const TAIL: &str = include_str!("page-tail.md");

/// The page.
pub fn text(findings: &Findings) -> String {
    let Findings { cases, same, .. } = findings;
    let (refused, seen) = (findings.refusals.total(), findings.coverage.seen());
    let keys: Vec<&str> = FACTORS.iter().map(|(name, _)| *name).collect();
    let mut page = format!(
        "{HEAD}\n## Compared\n\n\
         Of {cases} cases {same} gave the same bits in both runs, and {refused} were refused.\n\
         The keys {} are drawn so that every two values of two of them meet, where a plan may have \
         both: {seen} pairs are among the cases that were compared.\n\n\
         | key | how often each value was compared |\n| --- | --- |\n",
        keys.join(", ")
    );
    page.push_str(&findings.histogram.rows(keys.iter().copied()));
    page.push_str(
        "\n`storage` is the key of the plan: a queue of planes or sums, or whole planes in shared \
         memory ([sweeps.md](sweeps.md)).\n\
         Where a queue keeps planes, `slots` below says where they lie.\n\
         `few` chunks are two to four, `many` five to nine.\n\n\
         The other keys, and the programs:\n\n\
         | what | how often each was compared |\n| --- | --- |\n",
    );
    let others = findings.histogram.0.keys().copied().filter(|group| !keys.contains(group));
    page.push_str(&findings.histogram.rows(others));
    page.push_str(
        "\n## Refused\n\nNumbers are written as N.\n\n| times | reason |\n| --- | --- |\n",
    );
    let mut reasons: Vec<_> = findings.refusals.0.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (reason, count) in reasons {
        page.push_str(&format!("| {count} | {reason} |\n"));
    }
    page.push('\n');
    page.push_str(TAIL);
    page
}

/// Compares with the page that is there, or writes it.
pub fn check(page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lowering/docs/random-sweeps.md");
    if env::var("STENCIL_BLESS").is_ok_and(|value| value == "1") {
        fs::write(&path, page).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == page,
        "lowering/docs/random-sweeps.md is stale, 'cargo xtask bless --nightly random_sweeps' \
         writes it:\n{page}"
    );
}

#[test]
fn values_of_a_key_stand_in_its_order() {
    let mut histogram = Histogram::default();
    for word in ["many", "one", "few", "one"] {
        histogram.add(&[("chunks", word.to_owned()), ("rank", "2".to_owned())]);
    }
    let rows = histogram.rows(["chunks", "rank", "nothing"].into_iter());
    assert_eq!(rows, "| chunks | one: 2; few: 1; many: 1 |\n| rank | 2: 4 |\n");
}
