//! Counts the features of many programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::features::{Category, Features};

/// Number of programs per bin.
#[derive(Debug, Clone)]
pub struct Histogram {
    programs: usize,
    counts: BTreeMap<(Category, String), usize>,
}

impl Default for Histogram {
    fn default() -> Self {
        let counts = Features::expected().into_iter().map(|bin| (bin, 0)).collect();
        Histogram { programs: 0, counts }
    }
}

impl Histogram {
    /// Counts a program.
    pub fn add(&mut self, features: &Features) {
        self.programs += 1;
        for bin in features.bins() {
            *self.counts.entry(bin.clone()).or_default() += 1;
        }
    }

    /// Counts the programs of another histogram too.
    pub fn merge(&mut self, other: &Histogram) {
        self.programs += other.programs;
        for (bin, count) in &other.counts {
            *self.counts.entry(bin.clone()).or_default() += count;
        }
    }

    /// Number of programs.
    pub fn programs(&self) -> usize {
        self.programs
    }

    /// Programs in a bin.
    pub fn count(&self, category: Category, bin: &str) -> usize {
        self.counts.get(&(category, bin.to_string())).copied().unwrap_or(0)
    }

    /// A table with a row for each category: its bins, with the percentage of programs in each.
    pub fn table(&self) -> String {
        let mut rows: BTreeMap<Category, Vec<String>> = BTreeMap::new();
        for ((category, bin), count) in &self.counts {
            let percent = 100.0 * *count as f64 / self.programs.max(1) as f64;
            rows.entry(*category).or_default().push(format!("{bin}: {percent:.1}"));
        }
        let mut table =
            format!("| of {} programs | % that hold it |\n| --- | --- |\n", self.programs);
        for (category, bins) in rows {
            table.push_str(&format!("| {} | {} |\n", category.name(), bins.join("; ")));
        }
        table
    }

    /// Expected bins that hold fewer programs than `least` per thousand.
    pub fn thin_bins(&self, least: usize) -> Vec<(Category, String)> {
        let thin = |bin: &(Category, String)| {
            self.counts.get(bin).copied().unwrap_or(0) * 1000 < least * self.programs
        };
        Features::expected().into_iter().filter(thin).collect()
    }

    /// Bins that hold programs and are not in the expected list.
    pub fn unexpected(&self) -> Vec<(Category, String)> {
        let expected: BTreeSet<_> = Features::expected().into_iter().collect();
        self.counts.keys().filter(|bin| !expected.contains(bin)).cloned().collect()
    }
}

impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} programs", self.programs)?;
        let mut last = None;
        for ((category, bin), count) in &self.counts {
            if last != Some(category) {
                writeln!(f, "{category:?}")?;
                last = Some(category);
            }
            let percent = 100.0 * *count as f64 / self.programs.max(1) as f64;
            writeln!(f, "  {bin:<28} {count:>8} {percent:>6.1} %")?;
        }
        Ok(())
    }
}
