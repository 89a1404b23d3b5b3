//! The experiments of the four systems' papers, with ours beside them.

use crate::{
    kernels::Element,
    layout::{Form, Grid, number},
    record::Record,
};
use serde::{Deserialize, Serialize};
use std::{fmt::Write, sync::LazyLock};

/// What one paper measures, in terms of our kernels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// The system, and the name of its pipeline.
    pub system: String,
    /// Author, title, venue, year.
    pub paper: String,
    /// Our kernels that its experiments are about.
    pub kernels: Vec<String>,
    /// What its experiments are about besides, and is not here.
    pub absent: Vec<String>,
    /// The types that it measures.
    pub types: Vec<Element>,
    /// Plans that ours are run with; `default` for the compiler's own.
    pub plans: Vec<String>,
    /// Its tables and figures.
    pub experiments: Vec<Experiment>,
    /// Numbers that it prints.
    pub numbers: Vec<Number>,
}

/// A table or figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Where it is in the paper.
    pub place: String,
    /// What it shows.
    pub what: String,
    /// Our kernels that are in it.
    pub kernels: Vec<String>,
    /// The versions that it compares.
    pub versions: Vec<String>,
}

/// A number that a paper prints, from its own machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Number {
    /// Where it is in the paper.
    pub place: String,
    /// What was measured.
    pub of: String,
    /// Which quantity.
    pub what: String,
    /// How much.
    pub value: f64,
}

static PAPERS: LazyLock<Vec<Paper>> = LazyLock::new(|| {
    let texts = [
        include_str!("../papers/reorder.json"),
        include_str!("../papers/stencilgen.json"),
        include_str!("../papers/regdem.json"),
        include_str!("../papers/queue.json"),
    ];
    let read = |text: &str| serde_json::from_str(text).expect("tests read every file");
    texts.into_iter().map(read).collect()
});

/// All papers.
pub fn all() -> &'static [Paper] {
    &PAPERS
}

/// The paper of a system.
pub fn find(system: &str) -> Option<&'static Paper> {
    all().iter().find(|paper| paper.system == system)
}

impl Paper {
    /// Each experiment with our results beside it: for each kernel and type the best of `plain` and
    /// the best of the system's own pipeline, in GFLOP/s as the paper counts operations.
    pub fn text(&self, records: &[Record], form: Form) -> String {
        let mut text = format!("{}: {}\n", self.system, self.paper);
        let mut line = |line: String| writeln!(text, "{line}").expect("text grows without errors");
        for experiment in &self.experiments {
            line(format!("\n{}: {}\n", experiment.place, experiment.what));
            line(self.table(experiment, records).text(form));
        }
        for Number { place, of, what, value } in &self.numbers {
            line(format!("the paper, {place}: {of}: {value} {what}"));
        }
        for absent in &self.absent {
            line(format!("not here: {absent}"));
        }
        text
    }

    fn table(&self, experiment: &Experiment, records: &[Record]) -> Grid {
        let mut headings: Vec<String> = ["kernel", "type"].map(str::to_owned).to_vec();
        headings.extend(experiment.versions.iter().map(|version| format!("paper: {version}")));
        headings.extend(["plain", &self.system].map(|version| format!("{version} GFLOP/s")));
        headings.extend(["plan", "registers", "spill"].map(|what| format!("plain {what}")));
        let mut rows = Vec::new();
        for kernel in &experiment.kernels {
            for element in &self.types {
                let best = |version: &str| best(records, kernel, *element, version);
                let rate = |record: Option<&Record>| number(record.map(|record| record.gflops));
                let plain = best("plain");
                let mut row = vec![kernel.clone(), element.to_string()];
                row.extend(experiment.versions.iter().map(|_| "-".to_owned()));
                row.extend([rate(plain), rate(best(&self.system))]);
                row.push(plain.map_or("-".to_owned(), |record| record.plan.clone()));
                let counts = plain.map_or((None, None), |r| (r.registers, r.spill_bytes));
                row.extend([counts.0, counts.1].map(crate::layout::count));
                rows.push(row);
            }
        }
        Grid { headings, rows, words: 2 }
    }
}

/// The fastest measurement of a kernel, type and version.
fn best<'r>(
    records: &'r [Record],
    kernel: &str,
    element: Element,
    version: &str,
) -> Option<&'r Record> {
    records
        .iter()
        .filter(|record| record.kernel == kernel && record.r#type == element)
        .filter(|record| record.version == version)
        .max_by(|one, other| one.gpts.total_cmp(&other.gpts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{kernels, record::tests::sample};

    #[test]
    fn every_paper_is_about_kernels_that_are_here() {
        let systems: Vec<&str> = all().iter().map(|paper| paper.system.as_str()).collect();
        assert_eq!(systems, ["reorder", "stencilgen", "regdem", "queue"]);
        for paper in all() {
            assert!(!paper.experiments.is_empty() && !paper.plans.is_empty());
            for kernel in paper.experiments.iter().flat_map(|experiment| &experiment.kernels) {
                assert!(kernels::find(kernel).is_some(), "{kernel}");
                assert!(paper.kernels.contains(kernel), "{}: {kernel}", paper.system);
            }
        }
    }

    #[test]
    fn the_best_of_ours_stands_beside_each_experiment() {
        let records =
            [sample("derivative", Element::F64, 4.0), sample("derivative", Element::F64, 2.0)];
        let text = find("reorder").unwrap().text(&records, Form::Plain);
        let fastest = number(Some(records[1].gflops));
        let row = text.lines().find(|line| line.starts_with("derivative")).unwrap();
        assert!(row.contains(&fastest), "{row}");
        assert!(row.contains("points=4,max-registers=64"), "{row}");
        assert!(text.contains("the paper, Fig. 1: the same with contributions reversed: 51"));
        assert!(find("queue").unwrap().text(&records, Form::Plain).contains("not here: 2d13pt"));
    }
}
