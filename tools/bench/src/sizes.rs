//! Packages for every size beside those for one.
//!
//! The version of a measurement says which: `plain` is a package for one size, `plain-run-time` one
//! whose extents are given when it runs, and with `-unaligned` behind it a domain is measured that
//! has one point less along every dimension, so that its rows begin at no multiple of a sector.
//! With `-by-4` behind it every extent is a quarter.

use crate::{
    kernels::{Benchmark, Element},
    layout::{Form, Grid, number},
    record::Record,
    statistics::geometric_mean,
};
use std::{collections::BTreeMap, fmt, fmt::Write};

const RUN_TIME: &str = "-run-time";
const UNALIGNED: &str = "-unaligned";
const DIVIDED: &str = "-by-";

/// The least geometric mean of the ratios of packages for every size to those for one, and the
/// least ratio.
pub const RATIOS_MIN: (f64, f64) = (0.97, 0.93);

/// What the version of a measurement says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version<'t> {
    /// The pipeline that made the kernels.
    pub pipeline: &'t str,
    /// The package is for every size.
    pub run_time: bool,
    /// The domain has one point less along every dimension.
    pub unaligned: bool,
    /// What every extent is divided by.
    pub divided: u64,
}

impl<'t> From<&'t str> for Version<'t> {
    fn from(text: &'t str) -> Version<'t> {
        let number = |(rest, number): (&'t str, &str)| Some((rest, number.parse().ok()?));
        let (rest, divided) = text.rsplit_once(DIVIDED).and_then(number).unwrap_or((text, 1));
        let (rest, unaligned) = strip(rest, UNALIGNED);
        let (pipeline, run_time) = strip(rest, RUN_TIME);
        Version { pipeline, run_time, unaligned, divided }
    }
}

fn strip<'t>(text: &'t str, end: &str) -> (&'t str, bool) {
    text.strip_suffix(end).map_or((text, false), |rest| (rest, true))
}

impl fmt::Display for Version<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let run_time = if self.run_time { RUN_TIME } else { "" };
        let unaligned = if self.unaligned { UNALIGNED } else { "" };
        write!(f, "{}{run_time}{unaligned}", self.pipeline)?;
        if self.divided == 1 { Ok(()) } else { write!(f, "{DIVIDED}{}", self.divided) }
    }
}

impl Version<'_> {
    /// The size at which a benchmark of this size is measured.
    pub fn size(&self, size: &[u64]) -> Vec<u64> {
        let divided = |extent: &u64| (extent / self.divided.max(1)).max(1);
        size.iter().map(|extent| divided(extent) - u64::from(self.unaligned)).collect()
    }
}

/// The rates of one kernel in one type.
#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    /// For one size and for every one, with aligned rows and with others.
    gpts: [[Option<f64>; 2]; 2],
}

impl Row {
    /// The rate of a package for every size over that of one for its size.
    fn ratio(&self, unaligned: bool) -> Option<f64> {
        let [fixed, run_time] = self.gpts[usize::from(unaligned)];
        Some(run_time? / fixed?)
    }

    /// The rate at a size whose rows are not aligned over that at the benchmark's.
    fn loss(&self, run_time: bool) -> Option<f64> {
        let of = |unaligned: usize| self.gpts[unaligned][usize::from(run_time)];
        Some(of(1)? / of(0)?)
    }
}

/// Packages for every size beside those for one.
#[derive(Clone, Debug, PartialEq)]
pub struct Sizes {
    rows: Vec<(String, Element, Row)>,
}

impl Sizes {
    /// What results say of kernels of which a package for every size was measured.
    pub fn of(records: &[Record]) -> Sizes {
        let mut found: BTreeMap<(usize, Element), (String, Row)> = BTreeMap::new();
        let names = crate::kernels::known().map(|known| known.name.as_str()).collect::<Vec<_>>();
        for record in records {
            let version = Version::from(record.version.as_str());
            if version.pipeline == crate::peers::NVCC || version.divided != 1 {
                continue;
            }
            let place = names.iter().position(|name| *name == record.kernel);
            let key = (place.unwrap_or(usize::MAX), record.r#type);
            let (_, row) = found.entry(key).or_insert((record.kernel.clone(), Row::default()));
            let cell = &mut row.gpts[usize::from(version.unaligned)][usize::from(version.run_time)];
            *cell = Some(cell.map_or(record.gpts, |known| known.max(record.gpts)));
        }
        let rows = found.into_iter().map(|((_, element), (name, row))| (name, element, row));
        let measured = |row: &Row| row.gpts.iter().any(|[_, run_time]| run_time.is_some());
        Sizes { rows: rows.filter(|(.., row)| measured(row)).collect() }
    }

    /// The ratios to packages for one size, at aligned or at other sizes.
    fn ratios(&self, unaligned: bool) -> Vec<f64> {
        self.rows.iter().filter_map(|(.., row)| row.ratio(unaligned)).collect()
    }

    /// Whether packages for every size are as fast as is asked, at the benchmarks' sizes.
    pub fn are_reached(&self) -> bool {
        let (mean, least) = RATIOS_MIN;
        let ratios = self.ratios(false);
        geometric_mean(&ratios).is_some_and(|own| own >= mean)
            && ratios.iter().all(|ratio| *ratio >= least)
    }

    /// A row for each kernel and type, and geometric means.
    pub fn text(&self, form: Form) -> String {
        let headings = [
            "kernel",
            "type",
            "one size",
            "every",
            "ratio",
            "unaligned: one",
            "every",
            "ratio",
            "to aligned: one",
            "every",
        ];
        let cells = |(name, element, row): &(String, Element, Row)| {
            let [[fixed, run_time], [odd, odd_run_time]] = row.gpts;
            let numbers = [
                fixed,
                run_time,
                row.ratio(false),
                odd,
                odd_run_time,
                row.ratio(true),
                row.loss(false),
                row.loss(true),
            ];
            let words = [name.clone(), element.to_string()].into_iter();
            words.chain(numbers.map(number)).collect()
        };
        let grid = Grid {
            headings: headings.map(str::to_owned).to_vec(),
            rows: self.rows.iter().map(cells).collect(),
            words: 2,
        };
        let mut text = grid.text(form) + "\n";
        for (unaligned, what) in [(false, "aligned"), (true, "unaligned")] {
            let ratios = self.ratios(unaligned);
            let Some(mean) = geometric_mean(&ratios) else { continue };
            let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
            let count = ratios.len();
            let below = ratios.iter().filter(|ratio| **ratio < RATIOS_MIN.1).count();
            writeln!(
                text,
                "{what} rows: {mean:.3} of packages for one size on geometric average of {count}, \
                 lowest {least:.2}, {below} below {}",
                RATIOS_MIN.1
            )
            .expect("text grows without errors");
        }
        text
    }
}

/// The size at which a version of a benchmark is measured.
pub fn size_of(benchmark: &Benchmark, version: &str) -> Vec<u64> {
    Version::from(version).size(&benchmark.size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::sample;

    #[test]
    fn a_version_says_what_is_measured() {
        for text in [
            "plain",
            "plain-unaligned",
            "reorder-run-time",
            "plain-run-time-unaligned",
            "plain-by-4",
        ] {
            assert_eq!(Version::from(text).to_string(), text);
        }
        let odd = Version::from("plain-run-time-unaligned");
        assert_eq!(odd, Version { pipeline: "plain", run_time: true, unaligned: true, divided: 1 });
        assert_eq!(odd.size(&[64, 32]), [63, 31]);
        assert_eq!(Version::from("plain-run-time").size(&[64, 32]), [64, 32]);
        assert_eq!(Version::from("plain-by-4").size(&[64, 30]), [16, 7]);
    }

    #[test]
    fn ratios_are_those_of_one_kernel_type_and_size() {
        let of = |kernel: &str, version: &str, gpts| Record {
            version: version.to_owned(),
            gpts,
            ..sample(kernel, Element::F64, 1.0)
        };
        let mut records = vec![
            of("heat", "plain", 200.0),
            of("heat", "plain-run-time", 190.0),
            of("heat", "plain-unaligned", 100.0),
            of("heat", "plain-run-time-unaligned", 80.0),
            of("j2d5pt", "plain", 50.0),
        ];
        let sizes = Sizes::of(&records);
        let [(name, Element::F64, row)] = sizes.rows.as_slice() else { panic!("{sizes:?}") };
        assert_eq!(
            (name.as_str(), row.ratio(false), row.ratio(true)),
            ("heat", Some(0.95), Some(0.8))
        );
        assert_eq!((row.loss(false), row.loss(true)), (Some(0.5), Some(80.0 / 190.0)));
        let text = sizes.text(Form::Plain);
        assert!(text.contains("aligned rows: 0.950 of packages for one size"), "{text}");
        assert!(text.contains("lowest 0.80, 1 below 0.93"), "{text}");
        assert!(!sizes.are_reached());
        records.push(of("j2d5pt", "plain-run-time", 51.0));
        assert!(Sizes::of(&records).are_reached());
        records.push(of("heat", "plain", 210.0));
        assert!(!Sizes::of(&records).are_reached());
    }
}
