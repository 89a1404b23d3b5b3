//! What got slower and what faster between two files of results.
//!
//! The rule: a median differs from an earlier one beyond noise if their relative difference is
//! larger than the sum of both spreads (the distance of the quartiles over the median), and larger
//! than two percent. The floor is what medians of one kernel differ by from run to run.

use crate::{
    record::{Key, Record},
    statistics::{self, Summary},
};
use std::{collections::BTreeMap, fmt::Write};

/// How a measurement compares with the earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Slower, and noise does not explain it.
    Slower,
    /// Faster, and noise does not explain it.
    Faster,
    /// As fast, as far as one can tell.
    Same,
}

/// One measurement in both files.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Which.
    pub key: Key,
    /// The new rate over the old one.
    pub ratio: f64,
    /// The relative difference that noise explains.
    pub noise: f64,
    /// What follows.
    pub verdict: Verdict,
}

/// Two files of results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// What both have, in the order of their keys.
    pub changes: Vec<Change>,
    /// What only the old one has.
    pub gone: Vec<Key>,
    /// What only the new one has.
    pub new: Vec<Key>,
    /// Chips of the files, if they are not all the same: then nothing can be compared.
    pub chips: Vec<String>,
}

/// Compares the measurements of two files, by their keys.
pub fn compare(old: &[Record], new: &[Record]) -> Comparison {
    let by_key = |records: &[Record]| -> BTreeMap<Key, Record> {
        records.iter().map(|record| (record.key(), record.clone())).collect()
    };
    let (old, mut new) = (by_key(old), by_key(new));
    let mut chips: Vec<String> =
        old.values().chain(new.values()).map(|record| record.chip.clone()).collect();
    chips.sort();
    chips.dedup();
    if chips.len() > 1 {
        return Comparison { chips, ..Comparison::default() };
    }
    let mut comparison = Comparison::default();
    for (key, before) in old {
        match new.remove(&key) {
            Some(after) => comparison.changes.push(change(key, &before, &after)),
            None => comparison.gone.push(key),
        }
    }
    comparison.new = new.into_keys().collect();
    comparison
}

fn change(key: Key, before: &Record, after: &Record) -> Change {
    let ratio = after.gpts / before.gpts;
    let summary = |record: &Record| Summary { median: record.ms, spread: record.spread };
    let noise = statistics::noise(summary(before), summary(after));
    // Of the two times the shorter is the whole: a rate that falls to a half is as far away as one
    // that doubles.
    let difference = ratio.max(ratio.recip()) - 1.0;
    let verdict = match (difference > noise, ratio < 1.0) {
        (false, _) => Verdict::Same,
        (true, true) => Verdict::Slower,
        (true, false) => Verdict::Faster,
    };
    Change { key, ratio, noise, verdict }
}

impl Comparison {
    /// Whether anything got slower than noise explains.
    pub fn got_slower(&self) -> bool {
        self.changes.iter().any(|change| change.verdict == Verdict::Slower)
    }

    /// The comparison in words: what got slower, what faster, and how much there was to compare.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |line: String| writeln!(text, "{line}").expect("text grows without errors");
        if !self.chips.is_empty() {
            let chips = self.chips.join("' and '");
            line(format!("the files are of different chips, '{chips}': nothing is compared"));
            return text;
        }
        for (verdict, word) in [(Verdict::Slower, "slower"), (Verdict::Faster, "faster")] {
            let mut changed: Vec<&Change> =
                self.changes.iter().filter(|change| change.verdict == verdict).collect();
            changed.sort_by(|one, other| one.ratio.total_cmp(&other.ratio));
            for Change { key, ratio, noise, .. } in changed {
                let noise = noise * 100.0;
                line(format!("{word} {ratio:.3}x  {key} (noise {noise:.1} %)"));
            }
        }
        for (keys, where_to) in [(&self.gone, "only in the old file"), (&self.new, "new")] {
            keys.iter().for_each(|key| line(format!("{where_to}: {key}")));
        }
        let ratios: Vec<f64> = self.changes.iter().map(|change| change.ratio).collect();
        let count = |verdict| self.changes.iter().filter(|c| c.verdict == verdict).count();
        line(format!(
            "{} compared: {} slower, {} faster, {} the same within noise{}",
            ratios.len(),
            count(Verdict::Slower),
            count(Verdict::Faster),
            count(Verdict::Same),
            statistics::geometric_mean(&ratios)
                .map_or(String::new(), |mean| format!("; {mean:.3}x on geometric average"))
        ));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{kernels::Element, record::tests::sample};

    fn heat(ms: f64, spread: f64) -> Record {
        Record { spread, ..sample("heat", Element::F64, ms) }
    }

    fn verdict(before: Record, after: Record) -> Verdict {
        compare(&[before], &[after]).changes[0].verdict
    }

    #[test]
    fn small_differences_are_noise_however_quiet_the_samples() {
        assert_eq!(verdict(heat(1.0, 0.0), heat(1.019, 0.0)), Verdict::Same);
        assert_eq!(verdict(heat(1.0, 0.0), heat(1.03, 0.0)), Verdict::Slower);
        assert_eq!(verdict(heat(1.03, 0.0), heat(1.0, 0.0)), Verdict::Faster);
    }

    #[test]
    fn spreads_of_both_files_excuse() {
        assert_eq!(verdict(heat(1.0, 0.06), heat(1.1, 0.05)), Verdict::Same);
        assert_eq!(verdict(heat(1.0, 0.06), heat(1.1, 0.03)), Verdict::Slower);
        assert_eq!(verdict(heat(1.0, 0.03), heat(1.1, 0.06)), Verdict::Slower);
    }

    #[test]
    fn what_only_one_file_has_is_listed_and_fails_nothing() {
        let other = sample("poisson", Element::F32, 1.0);
        let comparison = compare(&[heat(1.0, 0.0)], std::slice::from_ref(&other));
        assert_eq!((comparison.gone.len(), &comparison.new), (1, &vec![other.key()]));
        assert!(!comparison.got_slower());
        assert!(comparison.text().contains("only in the old file: heat f64 plain points=4"));
    }

    #[test]
    fn the_worst_comes_first() {
        let old = [sample("heat", Element::F64, 1.0), sample("heat", Element::F32, 1.0)];
        let new = [sample("heat", Element::F64, 1.1), sample("heat", Element::F32, 2.0)];
        let comparison = compare(&old, &new);
        assert!(comparison.got_slower());
        let text = comparison.text();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("slower 0.500x  heat f32"), "{text}");
        assert!(lines[1].starts_with("slower 0.909x  heat f64"), "{text}");
        assert!(lines[2].starts_with("2 compared: 2 slower, 0 faster, 0 the same"), "{text}");
    }

    #[test]
    fn numbers_of_two_chips_are_not_compared() {
        let elsewhere = Record { chip: "NVIDIA A100".to_owned(), ..heat(1.0, 0.0) };
        let comparison = compare(&[heat(1.0, 0.0)], &[elsewhere]);
        assert!(comparison.changes.is_empty());
        assert!(comparison.text().contains("'NVIDIA A100' and 'NVIDIA H200'"));
    }
}
