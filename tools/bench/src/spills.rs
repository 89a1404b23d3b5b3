//! Registers and spills that the assembler reports under register caps, beside published numbers.
//!
//! No GPU has a part in it. A *cell* is a kernel under a cap; it has a line for each version, that
//! is for each order of operations and number of kernels that we compile it with. Bytes of spills
//! are those of a thread, summed over the kernels of a version. A cell's limit is the published
//! version that spills least there. A version meets it that neither stores nor loads more; all
//! cells together must have less than all limits, unless both have none. What is published are
//! single kernels, so versions that are not split are held against the limits apart, too.

use crate::{
    layout::{Form, Grid},
    lines,
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, sync::LazyLock};

/// What the assembler says of one version of a kernel under a cap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// The benchmark.
    pub kernel: String,
    /// Registers that a thread may have.
    pub cap: u32,
    /// The order of operations, and into how many kernels they are split.
    pub version: String,
    /// Registers of a thread, of the kernel that uses most.
    pub registers: u32,
    /// Bytes that a thread stores to local memory for want of registers.
    pub spill_store_bytes: u32,
    /// Bytes that it loads from there.
    pub spill_load_bytes: u32,
}

/// What the names of versions that are several kernels have before their number.
pub const SPLIT: &str = "-split-";

static PUBLISHED: LazyLock<Vec<Report>> =
    LazyLock::new(|| lines::built_in(include_str!("../peers/spills-sm_90.jsonl")));
static BASELINE: LazyLock<Vec<Report>> =
    LazyLock::new(|| lines::built_in(include_str!("../baselines/spills-sm_90.jsonl")));

/// What others reach.
pub fn published() -> &'static [Report] {
    &PUBLISHED
}

/// What this compiler reached.
pub fn baseline() -> &'static [Report] {
    &BASELINE
}

impl Report {
    /// Bytes stored and loaded.
    pub fn spill_bytes(&self) -> u32 {
        self.spill_store_bytes + self.spill_load_bytes
    }

    /// Whether it neither stores nor loads more than another.
    pub fn meets(&self, limit: &Report) -> bool {
        self.spill_store_bytes <= limit.spill_store_bytes
            && self.spill_load_bytes <= limit.spill_load_bytes
    }

    /// A line of a file.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a report is plain data")
    }

    /// Whether it is one kernel.
    fn is_whole(&self) -> bool {
        !self.version.contains(SPLIT)
    }

    fn is_of(&self, kernel: &str, cap: u32) -> bool {
        self.kernel == kernel && self.cap == cap
    }

    fn words(&self) -> String {
        format!("{}/{}/{}", self.registers, self.spill_store_bytes, self.spill_load_bytes)
    }
}

/// The published version that spills least under a cap.
pub fn limit(kernel: &str, cap: u32) -> Option<&'static Report> {
    published()
        .iter()
        .filter(|known| known.is_of(kernel, cap))
        .min_by_key(|known| (known.spill_bytes(), known.registers))
}

/// A kernel under a cap: our best version, and what it is held against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell<'r> {
    /// The version that meets the limit, of several the one that spills least.
    pub best: &'r Report,
    /// The same of versions that are one kernel, if there are any.
    pub whole: Option<&'r Report>,
    /// The limit.
    pub limit: &'static Report,
}

/// How reports compare with the limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing<'r> {
    /// All that was compiled.
    pub reports: &'r [Report],
    /// Those of its cells that have a limit.
    pub cells: Vec<Cell<'r>>,
}

impl<'r> Standing<'r> {
    /// The best of each cell.
    pub fn of(reports: &'r [Report]) -> Standing<'r> {
        let of_limit = |(kernel, cap): (&str, u32)| {
            let limit = limit(kernel, cap)?;
            let best = |of: fn(&Report) -> bool| {
                let versions = reports.iter().filter(|one| one.is_of(kernel, cap) && of(one));
                versions.min_by_key(|one| (!one.meets(limit), one.spill_bytes(), one.registers))
            };
            Some(Cell { best: best(|_| true)?, whole: best(Report::is_whole), limit })
        };
        let cells = once_each(reports.iter().map(|report| (report.kernel.as_str(), report.cap)));
        Standing { reports, cells: cells.into_iter().filter_map(of_limit).collect() }
    }

    /// Bytes of our best versions, and of the limits.
    pub fn totals(&self) -> (u32, u32) {
        let sum = |of: fn(&Cell) -> u32| self.cells.iter().map(of).sum();
        (sum(|cell| cell.best.spill_bytes()), sum(|cell| cell.limit.spill_bytes()))
    }

    /// Cells whose best version does not meet the limit.
    pub fn missed(&self) -> usize {
        self.cells.iter().filter(|cell| !cell.best.meets(cell.limit)).count()
    }

    /// Cells that no version of one kernel meets.
    pub fn missed_whole(&self) -> usize {
        let meets = |cell: &Cell| cell.whole.is_some_and(|whole| whole.meets(cell.limit));
        self.cells.iter().filter(|cell| !meets(cell)).count()
    }

    /// Whether every cell meets its limit and all together are below theirs.
    pub fn is_reached(&self) -> bool {
        let (ours, limits) = self.totals();
        self.missed() == 0 && (ours < limits || limits == 0)
    }

    /// All versions, then the best of each cell with its limit, and what follows from all.
    pub fn text(&self, form: Form) -> String {
        let (versions, cells) = (self.versions().text(form), self.best().text(form));
        let (ours, limits) = self.totals();
        let verdict = if self.is_reached() { "reached" } else { "not reached" };
        format!(
            "registers/bytes of spill stores/of spill loads\n\n{versions}\n{cells}\n\
             limits: {verdict}; {} of {} cells above their limit, {} if nothing is split; {ours} \
             bytes of spills for {limits}\n",
            self.missed(),
            self.cells.len(),
            self.missed_whole(),
        )
    }

    /// A row for each version, a column for each cap.
    fn versions(&self) -> Grid {
        let caps = self.reports.iter().map(|report| report.cap).collect::<BTreeSet<_>>();
        let named = |report: &'r Report| (report.kernel.as_str(), report.version.as_str());
        let row = |(kernel, version): (&'r str, &'r str)| {
            let cell = |cap: &u32| {
                let mut of_row = self.reports.iter().filter(|one| named(one) == (kernel, version));
                of_row.find(|report| report.cap == *cap).map_or("-".to_owned(), Report::words)
            };
            let words = [kernel, version].map(str::to_owned).into_iter();
            words.chain(caps.iter().map(cell)).collect()
        };
        let rows = once_each(self.reports.iter().map(named)).into_iter().map(row).collect();
        let words = ["kernel", "version"].map(str::to_owned).into_iter();
        let headings = words.chain(caps.iter().map(u32::to_string)).collect();
        Grid { headings, rows, words: 2 }
    }

    /// A row for each cell.
    fn best(&self) -> Grid {
        let verdict = |report: &Report, limit| if report.meets(limit) { "met" } else { "ABOVE" };
        let row = |Cell { best, whole, limit }: &Cell| {
            let (kernel, cap) = (best.kernel.clone(), best.cap.to_string());
            let mut row = vec![kernel, best.version.clone(), cap, best.words(), limit.words()];
            row.push(verdict(best, limit).to_owned());
            row.push(whole.map_or("-".to_owned(), Report::words));
            row.push(whole.map_or("-", |whole| verdict(whole, limit)).to_owned());
            row
        };
        let headings =
            ["kernel", "best", "cap", "here", "limit", "verdict", "one kernel", "verdict"];
        let rows = self.cells.iter().map(row).collect();
        Grid { headings: headings.map(str::to_owned).to_vec(), rows, words: 2 }
    }
}

/// Each of some once, in the order of its first appearance.
fn once_each<T: Ord + Copy>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = BTreeSet::new();
    all.filter(|one| seen.insert(*one)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels;

    fn report(version: &str, spills: [u32; 2]) -> Report {
        Report {
            kernel: "rhs4th3fort".to_owned(),
            cap: 48,
            version: version.to_owned(),
            registers: 48,
            spill_store_bytes: spills[0],
            spill_load_bytes: spills[1],
        }
    }

    #[test]
    fn every_published_kernel_is_here_and_has_each_version_once() {
        assert_eq!(published().len(), 8 * 2 * 5);
        for one in published() {
            assert!(kernels::find(&one.kernel).is_some(), "{}", one.kernel);
            let same =
                |other: &&Report| other.is_of(&one.kernel, one.cap) && other.version == one.version;
            assert_eq!(published().iter().filter(same).count(), 1, "{one:?}");
        }
    }

    #[test]
    fn the_limit_is_the_version_that_spills_least() {
        let spills = |kernel, cap| {
            let limit = limit(kernel, cap).unwrap();
            (limit.version.as_str(), limit.spill_store_bytes, limit.spill_load_bytes)
        };
        assert_eq!(spills("hypterm-ppopp", 32), ("reordered", 468, 568));
        assert_eq!(spills("hypterm-ppopp", 48), ("original", 0, 0));
        assert_eq!(spills("2d64pt", 32), ("reordered", 0, 0));
        assert_eq!(limit("heat", 32), None);
    }

    #[test]
    fn stores_and_loads_are_held_against_the_limit_apart() {
        // Fewer bytes in all, but more of one kind: 648 stored and 856 loaded is the limit.
        let reports = [report("source", [0, 857]), report("trees", [648, 856])];
        let standing = Standing::of(&reports);
        assert_eq!(standing.cells[0].best.version, "trees");
        assert_eq!(standing.missed(), 0);
        assert!(!standing.is_reached(), "all together have as much as the limits");
        assert_eq!(standing.totals(), (1504, 1504));
        let reports = [report("source", [0, 857]), report("trees-split-2", [8, 16])];
        let standing = Standing::of(&reports);
        assert_eq!((standing.missed(), standing.missed_whole()), (0, 1));
        let text = standing.text(Form::Plain);
        let end = "limits: reached; 0 of 1 cells above their limit, 1 if nothing is split; 24 \
                   bytes of spills for 1504\n";
        assert!(text.ends_with(end), "{text}");
        let standing = Standing::of(&reports[..1]);
        let text = standing.text(Form::Plain);
        assert!(text.contains("0/857  48/648/856    ABOVE"), "{text}");
    }

    #[test]
    fn the_baseline_meets_the_limit_in_every_cell() {
        let standing = Standing::of(baseline());
        assert_eq!(standing.cells.len(), 8 * 5);
        assert!(standing.is_reached(), "{}", standing.text(Form::Plain));
        assert_eq!(standing.missed_whole(), 0, "{}", standing.text(Form::Plain));
    }
}
