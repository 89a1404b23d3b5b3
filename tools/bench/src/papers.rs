//! The experiments of the four systems' papers, with ours beside them.

mod versions;

pub use versions::{Made, without_cap};

use crate::{
    kernels::Element,
    layout::{Form, Grid, number},
    record::Record,
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, fmt::Write, sync::LazyLock};

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
    /// Plans that our plain kernels are run with; `default` for the compiler's own.
    pub plans: Vec<String>,
    /// The system's versions as plans of its pipeline; none: the pipeline is one version.
    #[serde(default)]
    pub here: Vec<Version>,
    /// Its tables and figures.
    pub experiments: Vec<Experiment>,
    /// Numbers that it prints.
    pub numbers: Vec<Number>,
}

/// A version of a system, among the plans of its pipeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Version {
    /// What it is called.
    pub name: String,
    /// Keys with values that its plans have, or keys that they have with any value.
    pub with: Vec<String>,
    /// Keys that its plans leave out.
    pub without: Vec<String>,
}

/// What is shown of the fastest measurement of a version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Quantity {
    /// Operations in a second, as the paper counts them.
    #[default]
    Speed,
    /// Resident warps over those possible.
    Occupancy,
    /// What an operation takes.
    Energy,
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
    /// Whether each number of time steps has a row.
    #[serde(default)]
    pub by_steps: bool,
    /// The contents of our columns.
    #[serde(default)]
    pub shows: Quantity,
    /// The versions of [`Paper::here`] that are shown; all unless some are named.
    #[serde(default)]
    pub here: Vec<String>,
    /// What its rows and columns are.
    #[serde(default)]
    pub layout: Layout,
    /// The register caps that have columns, in the layout of caps.
    #[serde(default)]
    pub caps: Vec<u32>,
}

/// What the rows and columns of a table are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// Kernels with the best of each version.
    #[default]
    Best,
    /// Kernels with what is known of them before anything is compiled, and their unrolling.
    Kernels,
    /// Versions of kernels, with registers, spills and speed.
    Versions,
    /// Versions of kernels, with spills and speed under each register cap.
    Caps,
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
    /// the best of each version of the system's own pipeline.
    pub fn text(&self, records: &[Record], form: Form) -> String {
        let made = records.iter().map(Made::from).collect::<Vec<_>>();
        self.text_of(records, &made, form)
    }

    /// The same before anything is measured: some tables show what compiled programs need.
    pub fn text_unmeasured(&self, made: &[Made], form: Form) -> String {
        self.text_of(&[], made, form)
    }

    fn text_of(&self, records: &[Record], made: &[Made], form: Form) -> String {
        let mut text = format!("{}: {}\n", self.system, self.paper);
        let mut line = |line: String| writeln!(text, "{line}").expect("text grows without errors");
        for experiment in &self.experiments {
            line(format!("\n{}: {}\n", experiment.place, experiment.what));
            let table = match experiment.layout {
                Layout::Best => self.table(experiment, records),
                Layout::Kernels => self.kernels_table(experiment, made),
                Layout::Versions => self.versions_table(experiment, made),
                Layout::Caps => self.caps_table(experiment, made),
            };
            line(table.text(form));
        }
        for Number { place, of, what, value } in &self.numbers {
            line(format!("the paper, {place}: {of}: {value} {what}"));
        }
        for absent in &self.absent {
            line(format!("not here: {absent}"));
        }
        text
    }

    /// Leaves other kernels out, and experiments that have no other.
    pub fn keep_kernels(&mut self, wanted: impl Fn(&str) -> bool) {
        let keep = |kernels: &mut Vec<String>| kernels.retain(|kernel| wanted(kernel));
        keep(&mut self.kernels);
        self.experiments.iter_mut().for_each(|experiment| keep(&mut experiment.kernels));
        self.experiments.retain(|experiment| !experiment.kernels.is_empty());
    }

    /// Whether one of its experiments is about energy, which is measured for who asks for it.
    pub fn shows_energy(&self) -> bool {
        self.experiments.iter().any(|experiment| experiment.shows == Quantity::Energy)
    }

    fn table(&self, experiment: &Experiment, records: &[Record]) -> Grid {
        let versions = self.versions_of(experiment);
        let unit = experiment.shows.unit();
        let mut headings: Vec<String> = ["kernel", "type", "T"].map(str::to_owned).to_vec();
        headings.extend(experiment.versions.iter().map(|version| format!("paper: {version}")));
        headings.push(format!("plain {unit}"));
        headings.extend(versions.iter().map(|version| format!("{} {unit}", version.name)));
        headings.extend(["plan", "registers", "spill"].map(|what| format!("best {what}")));
        let mut rows = Vec::new();
        for kernel in &experiment.kernels {
            for element in &self.types {
                let of_program =
                    |record: &&Record| record.kernel == *kernel && record.r#type == *element;
                let records = records.iter().filter(of_program).collect::<Vec<_>>();
                let plain = best(&records, |record| record.version == "plain");
                let own = |record: &Record| record.version == self.system;
                for steps in steps(&records, experiment.by_steps, own) {
                    let is_of_row =
                        |r: &Record| own(r) && steps.is_none_or(|steps| r.fused == steps);
                    let best_own = best(&records, is_of_row);
                    let shown = best_own.or(plain.filter(|_| steps.is_none()));
                    let shows = |record: Option<&Record>| number(experiment.shows.of(record));
                    let mut row = vec![kernel.clone(), element.to_string()];
                    row.push(shown.map_or("-".to_owned(), |record| record.fused.to_string()));
                    row.extend(experiment.versions.iter().map(|_| "-".to_owned()));
                    row.push(shows(plain));
                    row.extend(versions.iter().map(|version| {
                        shows(best(&records, |r| is_of_row(r) && version.has(&r.plan)))
                    }));
                    row.push(shown.map_or("-".to_owned(), |record| record.plan.clone()));
                    let counts = shown.map_or((None, None), |r| (r.registers, r.spill_bytes));
                    row.extend([counts.0, counts.1].map(crate::layout::count));
                    rows.push(row);
                }
            }
        }
        Grid { headings, rows, words: 2 }
    }

    /// The versions of the pipeline.
    fn versions(&self) -> Vec<Version> {
        match self.here.is_empty() {
            true => vec![Version { name: self.system.clone(), with: vec![], without: vec![] }],
            false => self.here.clone(),
        }
    }
}

impl Version {
    /// Whether a plan, in the words of `--plan`, is of this version.
    fn has(&self, plan: &str) -> bool {
        let says = |wanted: &String| {
            let mut keys = plan.split(',');
            keys.any(|key| key == wanted || key.split_once('=').is_some_and(|(k, _)| k == wanted))
        };
        self.with.iter().all(says) && !self.without.iter().any(says)
    }
}

impl Quantity {
    fn unit(self) -> &'static str {
        match self {
            Self::Speed => "GFLOP/s",
            Self::Occupancy => "occupancy",
            Self::Energy => "nJ/FLOP",
        }
    }

    fn of(self, record: Option<&Record>) -> Option<f64> {
        let record = record?;
        match self {
            Self::Speed => Some(record.gflops),
            Self::Occupancy => record.occupancy,
            // Nanojoules over billions of operations in a second and milliseconds.
            Self::Energy => Some(record.joules? * 1e3 / (record.gflops * record.ms)),
        }
    }
}

/// Numbers of time steps that have a row of their own; one row for all of them.
fn steps(
    records: &[&Record],
    by_steps: bool,
    of_system: impl Fn(&Record) -> bool,
) -> Vec<Option<u64>> {
    let own = records.iter().filter(|record| by_steps && of_system(record));
    let steps = own.map(|record| record.fused).collect::<BTreeSet<_>>();
    match steps.is_empty() {
        true => vec![None],
        false => steps.into_iter().map(Some).collect(),
    }
}

/// The fastest measurement of some.
fn best<'r>(records: &[&'r Record], of: impl Fn(&Record) -> bool) -> Option<&'r Record> {
    let chosen = records.iter().copied().filter(|record| of(record));
    chosen.max_by(|one, other| one.gpts.total_cmp(&other.gpts))
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
            for experiment in &paper.experiments {
                let here = paper.versions_of(experiment);
                assert!(!here.is_empty(), "{}, {}", paper.system, experiment.place);
                assert!(experiment.here.is_empty() || experiment.here.len() == here.len());
                assert_eq!(experiment.layout == Layout::Caps, !experiment.caps.is_empty());
            }
        }
    }

    #[test]
    fn a_part_of_a_paper_has_the_experiments_of_its_kernels() {
        let mut part = find("reorder").unwrap().clone();
        part.keep_kernels(|name| name == "3d27pt");
        assert_eq!(part.kernels, ["3d27pt"]);
        let places = part.experiments.iter().map(|experiment| experiment.place.as_str());
        assert_eq!(places.collect::<Vec<_>>(), ["Table 1", "Table 4", "Fig. 6"]);
    }

    #[test]
    fn the_best_of_ours_stands_beside_each_experiment() {
        let records =
            [sample("derivative", Element::F64, 4.0), sample("derivative", Element::F64, 2.0)];
        let text = find("reorder").unwrap().text(&records, Form::Plain);
        let fastest = number(Some(records[1].gflops));
        let mut rows = text.lines().filter(|line| line.starts_with("derivative"));
        let row = rows.next_back().unwrap();
        assert!(row.contains(&fastest), "{row}");
        assert!(row.contains("points=4,max-registers=64"), "{row}");
        assert!(text.contains("the paper, Fig. 1: the same with contributions reversed: 51"));
        let queue = find("queue").unwrap().text(&records, Form::Plain);
        assert!(queue.contains("not here: exchange through locations"));
    }

    #[test]
    fn each_version_of_a_system_has_a_column_and_each_number_of_steps_a_row() {
        let of = |plan: &str, fused, ms| Record {
            version: "queue".to_owned(),
            plan: plan.to_owned(),
            fused,
            ..sample("j3d7pt", Element::F64, ms)
        };
        let records = [
            of("queue_registers=1,steps=4", 4, 4.0),
            of("steps=4", 4, 2.0),
            of("queue_registers=6,steps=4", 4, 1.0),
            of("steps=2", 2, 8.0),
        ];
        let rate = |number: usize| super::number(Some(records[number].gflops));
        let queue = find("queue").unwrap();
        let speed = queue.experiments.iter().find(|one| one.place == "Fig. 9").unwrap();
        let grid = queue.table(speed, &records);
        let column = |name: &str| grid.headings.iter().position(|known| known == name).unwrap();
        let ours = ["all-shared GFLOP/s", "all-register GFLOP/s", "searched GFLOP/s"].map(column);
        let rows = grid.rows.iter().filter(|row| row[0] == "j3d7pt" && row[1] == "f64");
        let rows = rows.map(|row| (row[2].as_str(), ours.map(|at| row[at].clone())));
        let rows = rows.collect::<Vec<_>>();
        let none = "-".to_owned();
        assert_eq!(rows, [("2", [none, rate(3), rate(3)]), ("4", [rate(0), rate(1), rate(2)])]);
        let best = queue.experiments.iter().find(|one| !one.by_steps).unwrap();
        let grid = queue.table(best, &records);
        let row = grid.rows.iter().find(|row| row[0] == "j3d7pt" && row[1] == "f64").unwrap();
        assert!(row.contains(&"queue_registers=6,steps=4".to_owned()), "{row:?}");
    }

    /// Lines lie in shared memory without that being said, and are not the strips that say it.
    #[test]
    fn lines_are_told_from_strips_and_planes() {
        let of = |plan: &str| {
            let versions = find("stencilgen").unwrap().versions();
            let named = versions.into_iter().filter(|version| version.has(plan));
            named.map(|version| version.name).collect::<Vec<_>>()
        };
        assert_eq!(of("mapping=block,steps=4,threads=8x64"), ["lines", "stencilgen"]);
        assert_eq!(of("mapping=block,steps=4,storage=shared"), ["shared", "stencilgen"]);
        assert_eq!(of("mapping=warp,storage=retimed"), ["retimed", "stencilgen"]);
        assert_eq!(of("mapping=thread"), ["stencilgen"]);
    }

    #[test]
    fn occupancy_and_energy_are_those_of_the_fastest() {
        let record = Record {
            joules: Some(8.0),
            occupancy: Some(0.25),
            ..sample("j3d7pt", Element::F64, 2.0)
        };
        assert_eq!(Quantity::Occupancy.of(Some(&record)), Some(0.25));
        let operations = record.gflops * 1e9 * record.ms * 1e-3;
        let energy = Quantity::Energy.of(Some(&record)).unwrap();
        assert!((energy * 1e-9 * operations - 8.0).abs() < 1e-6);
        assert_eq!(Quantity::Energy.of(None), None);
    }
}
