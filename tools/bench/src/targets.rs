//! What this project means to reach on an NVIDIA H200: a rate for each kernel and type, and how
//! results compare with them.
//!
//! The numbers are goals of our own, not measurements: `baselines/targets.json`. They
//! are for the papers' sizes and the best number of fused time steps. They are reached if at most a
//! fifth of the rows are below their number, none is below [`FAR_BELOW`] of it, and the ratios are
//! 1 or more on geometric average.

use crate::{
    kernels::{self, Element},
    layout::{Form, Grid, number},
    record::Record,
    statistics,
    table::FAR_BELOW,
};
use serde::{Deserialize, Serialize};
use std::{fs, path::Path, sync::LazyLock};

/// The chip that the numbers are for, as the driver calls it.
pub const CHIP: &str = "NVIDIA H200";

/// A rate that is meant to be reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The benchmark.
    pub kernel: String,
    /// The type of its cells.
    pub r#type: Element,
    /// 10^9 points updated in a second.
    pub gpts: f64,
}

/// Why there are no targets in a file.
#[derive(Debug, thiserror::Error)]
#[error("'{file}' holds no targets: {message}")]
pub struct TargetsError {
    file: String,
    message: String,
}

static OWN: LazyLock<Vec<Target>> = LazyLock::new(|| {
    let text = include_str!("../baselines/targets.json");
    serde_json::from_str(text).expect("the file in the repository is well-formed")
});

/// The project's own.
pub fn own() -> &'static [Target] {
    &OWN
}

/// Those of a file.
pub fn read(path: &Path) -> Result<Vec<Target>, TargetsError> {
    let broken = |message: String| TargetsError { file: path.display().to_string(), message };
    let text = fs::read_to_string(path).map_err(|error| broken(error.to_string()))?;
    let targets: Vec<Target> =
        serde_json::from_str(&text).map_err(|error| broken(error.to_string()))?;
    match targets.iter().find(|target| !(target.gpts.is_finite() && target.gpts > 0.0)) {
        Some(Target { kernel, gpts, .. }) => Err(broken(format!("'{kernel}' has the rate {gpts}"))),
        None => Ok(targets),
    }
}

/// The project's target for what a record measures; none at other sizes or on other chips.
pub fn of(record: &Record) -> Option<&'static Target> {
    let whole = kernels::find(&record.kernel).is_some_and(|known| known.size == record.size);
    own().iter().filter(|_| whole && record.chip == CHIP).find(|target| target.is_of(record))
}

impl Target {
    fn is_of(&self, record: &Record) -> bool {
        (&self.kernel, self.r#type) == (&record.kernel, record.r#type)
    }
}

/// How results compare with targets.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing<'t> {
    /// Each target with the fastest plan of its kernel and type, if there is a measurement.
    pub rows: Vec<(&'t Target, Option<Record>)>,
}

impl<'t> Standing<'t> {
    /// The best of ours for each target; CUDA written by hand is not ours.
    pub fn of(targets: &'t [Target], records: &[Record]) -> Standing<'t> {
        let ours = |record: &&Record| record.version != crate::peers::NVCC;
        let best = |target: &'t Target| {
            let of_target = records.iter().filter(ours).filter(|record| target.is_of(record));
            (target, of_target.max_by(|one, other| one.gpts.total_cmp(&other.gpts)).cloned())
        };
        Standing { rows: targets.iter().map(best).collect() }
    }

    /// Rates over the targets, of what was measured.
    pub fn ratios(&self) -> Vec<f64> {
        let ratio = |(target, record): &(&Target, Option<Record>)| {
            Some(record.as_ref()?.gpts / target.gpts)
        };
        self.rows.iter().filter_map(ratio).collect()
    }

    /// Whether the targets are reached, all of them being measured.
    pub fn is_reached(&self) -> bool {
        let ratios = self.ratios();
        let below = ratios.iter().filter(|ratio| **ratio < 1.0).count();
        ratios.len() == self.rows.len()
            && 5 * below <= ratios.len()
            && ratios.iter().all(|ratio| *ratio >= FAR_BELOW)
            && statistics::geometric_mean(&ratios).is_some_and(|mean| mean >= 1.0)
    }

    /// A row for each target, and what follows from all.
    pub fn text(&self, form: Form) -> String {
        let headings = ["kernel", "type", "plan", "T", "steps", "GPt/s", "target", "ratio"];
        let cells = |(target, record): &(&Target, Option<Record>)| {
            let of = |cell: fn(&Record) -> String| record.as_ref().map_or("-".to_owned(), cell);
            vec![
                target.kernel.clone(),
                target.r#type.to_string(),
                of(|record| record.plan.clone()),
                of(|record| record.fused.to_string()),
                of(|record| record.steps.to_string()),
                of(|record| number(Some(record.gpts))),
                number(Some(target.gpts)),
                record
                    .as_ref()
                    .map_or("-".to_owned(), |record| format!("{:.3}", record.gpts / target.gpts)),
            ]
        };
        let rows = self.rows.iter().map(cells).collect();
        let table = Grid { headings: headings.map(str::to_owned).to_vec(), rows, words: 3 };
        format!("{}\n{}", table.text(form), self.summary())
    }

    /// What follows from all rows, in a line.
    pub fn summary(&self) -> String {
        let ratios = self.ratios();
        let (Some(mean), Some(lowest)) =
            (statistics::geometric_mean(&ratios), ratios.iter().copied().reduce(f64::min))
        else {
            return format!("targets: none of {} rows is measured\n", self.rows.len());
        };
        let below = ratios.iter().filter(|ratio| **ratio < 1.0).count();
        let far = ratios.iter().filter(|ratio| **ratio < FAR_BELOW).count();
        let verdict = if self.is_reached() { "reached" } else { "not reached" };
        format!(
            "targets: {verdict}; {below} of {} measured rows below their target, {far} of them \
             below {FAR_BELOW}; {mean:.3} of the targets on geometric average, {lowest:.3} at the \
             lowest; {} rows not measured\n",
            ratios.len(),
            self.rows.len() - ratios.len(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{peers, record::tests::sample};

    /// A measurement of this rate.
    fn at(target: &Target, gpts: f64) -> Record {
        Record { gpts, ..sample(&target.kernel, target.r#type, 1.0) }
    }

    #[test]
    fn targets_are_of_known_kernels_each_once() {
        assert_eq!(own().len(), 22);
        for (place, target) in own().iter().enumerate() {
            assert!(kernels::find(&target.kernel).is_some(), "{}", target.kernel);
            let same =
                |other: &Target| (&other.kernel, other.r#type) == (&target.kernel, target.r#type);
            assert!(!own()[..place].iter().any(same), "{} {}", target.kernel, target.r#type);
        }
    }

    #[test]
    fn the_fastest_plan_of_ours_counts() {
        let target = &own()[0];
        let slower = Record { fused: 4, ..at(target, 600.0) };
        let best = Record { fused: 8, steps: 16, plan: "steps=8".to_owned(), ..at(target, 1500.0) };
        let by_hand = Record { version: peers::NVCC.to_owned(), ..at(target, 9000.0) };
        let standing = Standing::of(&own()[..1], &[slower, best.clone(), by_hand]);
        assert_eq!(standing.rows, [(target, Some(best))]);
        let text = standing.text(Form::Plain);
        assert!(text.contains("j2d5pt  f64   steps=8  8     16   1500    1500  1.000"), "{text}");
        assert!(standing.is_reached());
    }

    #[test]
    fn a_fifth_may_be_below_and_none_far_below() {
        // The first rows at `low` of their target, all others at `high`.
        let standing = |count: usize, low: f64, high: f64| {
            let rate = |(place, target): (usize, &Target)| {
                at(target, target.gpts * if place < count { low } else { high })
            };
            let records: Vec<Record> = own().iter().enumerate().map(rate).collect();
            Standing::of(own(), &records)
        };
        assert!(standing(0, 1.0, 1.0).is_reached());
        assert!(standing(4, 0.86, 1.05).is_reached());
        assert!(!standing(5, 0.86, 1.2).is_reached(), "more than a fifth is below");
        assert!(!standing(1, 0.84, 1.2).is_reached(), "one is far below");
        assert!(!standing(4, 0.86, 1.0).is_reached(), "the mean is below 1");
        let text = standing(4, 0.84, 1.05).summary();
        assert!(
            text.starts_with(
                "targets: not reached; 4 of 22 measured rows below their target, 4 of them below \
                 0.85; 1.008 of the targets"
            ),
            "{text}"
        );
        let partly = Standing::of(own(), &[at(&own()[0], 1e6)]);
        assert!(!partly.is_reached() && partly.summary().ends_with("21 rows not measured\n"));
        assert_eq!(Standing::of(own(), &[]).summary(), "targets: none of 22 rows is measured\n");
    }

    #[test]
    fn targets_hold_for_their_chip_and_size() {
        let record = at(&own()[0], 1.0);
        assert_eq!(of(&record), Some(&own()[0]));
        assert_eq!(of(&Record { chip: "NVIDIA A100".to_owned(), ..record.clone() }), None);
        assert_eq!(of(&Record { size: vec![39, 77], ..record }), None);
    }

    #[test]
    fn a_file_has_positive_rates() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("targets.json");
        let read = |text: &str| {
            fs::write(&path, text).unwrap();
            super::read(&path).map_err(|error| error.to_string())
        };
        let one = r#"[{"kernel": "heat", "type": "f64", "gpts": 2.5}]"#;
        assert_eq!(read(one).unwrap()[0].gpts, 2.5);
        assert!(read(&one.replace("2.5", "0")).unwrap_err().contains("'heat' has the rate 0"));
        assert!(read("{}").unwrap_err().contains("holds no targets"));
    }
}
