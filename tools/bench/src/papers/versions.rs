//! Tables of a paper that set versions of a kernel beside each other: registers, spills and speed.
//!
//! Registers and spills are known of what is only compiled, so these tables have numbers before
//! anything is measured. Of several plans of a version the fastest counts, or where nothing is
//! measured the one that spills least, of those the one with fewest registers.

use super::{Experiment, Paper, Version};
use crate::{
    kernels::{self, Element},
    layout::{Grid, count, number},
    record::Record,
};
use std::{cmp::Reverse, collections::BTreeMap};

/// A program that a pipeline made with a plan, measured or not.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// The benchmark.
    pub kernel: String,
    /// The type of its cells.
    pub r#type: Element,
    /// The pipeline.
    pub pipeline: String,
    /// The plan, in the words of `--plan`.
    pub plan: String,
    /// The register cap.
    pub cap: Option<u32>,
    /// Registers of a thread, of the kernel that uses most.
    pub registers: Option<u32>,
    /// Bytes that a thread stores and loads for want of registers, of the kernel that has most.
    pub spill_bytes: Option<u32>,
    /// 10^9 floating-point operations in a second, if it was measured.
    pub gflops: Option<f64>,
}

impl From<&Record> for Made {
    fn from(record: &Record) -> Made {
        Made {
            kernel: record.kernel.clone(),
            r#type: record.r#type,
            pipeline: record.version.clone(),
            plan: record.plan.clone(),
            cap: record.cap,
            registers: record.registers,
            spill_bytes: record.spill_bytes,
            gflops: Some(record.gflops),
        }
    }
}

/// What of a plan tells versions of a program apart: all but the register cap.
pub fn without_cap(plan: &str) -> String {
    let keys = plan.split(',').filter(|key| !key.starts_with("max_registers="));
    keys.collect::<Vec<_>>().join(",")
}

impl Made {
    /// Greater is better.
    fn merit(&self) -> (i64, Reverse<(u32, u32)>) {
        let most = |value: Option<u32>| value.unwrap_or(u32::MAX);
        // Rates as integers, which have an order; a millionth of a GFLOP/s is less than any noise.
        let rate = self.gflops.map_or(-1, |gflops| (gflops * 1e6) as i64);
        (rate, Reverse((most(self.spill_bytes), most(self.registers))))
    }

    /// Points of a thread along the slowest dimension.
    fn points(&self) -> Option<u32> {
        let points = self.plan.split(',').find_map(|key| key.strip_prefix("points="))?;
        points.split('x').next()?.parse().ok()
    }
}

/// The best; the first of those that are as good.
fn best<'m>(made: impl Iterator<Item = &'m Made>) -> Option<&'m Made> {
    made.reduce(|best, made| if made.merit() > best.merit() { made } else { best })
}

/// The best under a cap. A plan whose machine code is that of a lower cap is not made again: where
/// nothing was spilled there, it is that of the higher ones, too.
fn under_cap<'m>(made: &[&'m Made], cap: u32) -> Option<&'m Made> {
    let mut versions: BTreeMap<String, &Made> = BTreeMap::new();
    for &one in made {
        let applies = one.cap == Some(cap)
            || (one.cap.is_some_and(|lower| lower < cap) && one.spill_bytes == Some(0));
        if applies {
            let kept = versions.entry(without_cap(&one.plan)).or_insert(one);
            if one.cap > kept.cap {
                *kept = one;
            }
        }
    }
    best(versions.into_values())
}

impl Paper {
    /// Sizes, how far a point reads, operations, and points of a thread where it has most.
    pub(super) fn kernels_table(&self, experiment: &Experiment, made: &[Made]) -> Grid {
        let row = |name: &String| {
            let benchmark = kernels::find(name).expect("a test looks for every kernel");
            let own = made.iter().filter(|made| self.is_own(made) && made.kernel == *name);
            let size = benchmark.size.iter().map(u64::to_string).collect::<Vec<_>>().join("x");
            let mut row = vec![name.clone(), size];
            row.extend(
                [benchmark.radius, benchmark.flops_per_point].map(|value| value.to_string()),
            );
            row.push(count(own.filter_map(Made::points).max()));
            row
        };
        let headings = ["kernel", "size", "order", "FLOPs/point", "unrolled by"];
        let rows = experiment.kernels.iter().map(row).collect();
        Grid { headings: headings.map(str::to_owned).to_vec(), rows, words: 2 }
    }

    /// A row for each version of each kernel.
    pub(super) fn versions_table(&self, experiment: &Experiment, made: &[Made]) -> Grid {
        let headings = ["kernel", "type", "version", "plan", "registers", "spill", "GFLOP/s"];
        let rows = self.rows(experiment, made, |of_version| {
            let best = best(of_version.iter().copied());
            vec![
                best.map_or("-".to_owned(), |best| best.plan.clone()),
                count(best.and_then(|best| best.registers)),
                count(best.and_then(|best| best.spill_bytes)),
                number(best.and_then(|best| best.gflops)),
            ]
        });
        Grid { headings: headings.map(str::to_owned).to_vec(), rows, words: 4 }
    }

    /// A row for each version of each kernel, with spills and speed under each cap.
    pub(super) fn caps_table(&self, experiment: &Experiment, made: &[Made]) -> Grid {
        let mut headings = ["kernel", "type", "version"].map(str::to_owned).to_vec();
        for cap in &experiment.caps {
            headings.extend(["spill", "GFLOP/s"].map(|what| format!("{cap}: {what}")));
        }
        let rows = self.rows(experiment, made, |of_version| {
            let cells = experiment.caps.iter().map(|cap| under_cap(of_version, *cap));
            let words = |best: Option<&Made>| {
                let spills = count(best.and_then(|best| best.spill_bytes));
                [spills, number(best.and_then(|best| best.gflops))]
            };
            cells.flat_map(words).collect()
        });
        Grid { headings, rows, words: 3 }
    }

    /// A row for each kernel, type and version, with cells made of what is of that version.
    fn rows(
        &self,
        experiment: &Experiment,
        made: &[Made],
        cells: impl Fn(&[&Made]) -> Vec<String>,
    ) -> Vec<Vec<String>> {
        let mut rows = Vec::new();
        for kernel in &experiment.kernels {
            for element in &self.types {
                for version in self.versions_of(experiment) {
                    let of_row = made.iter().filter(|made| {
                        self.is_own(made)
                            && (&made.kernel, made.r#type) == (kernel, *element)
                            && version.has(&made.plan)
                    });
                    let of_row = of_row.collect::<Vec<_>>();
                    let mut row = vec![kernel.clone(), element.to_string(), version.name.clone()];
                    row.extend(cells(&of_row));
                    rows.push(row);
                }
            }
        }
        rows
    }

    fn is_own(&self, made: &Made) -> bool {
        made.pipeline == self.system
    }

    /// The versions that an experiment is about; all of the pipeline unless it names some.
    pub(super) fn versions_of(&self, experiment: &Experiment) -> Vec<Version> {
        let named = |version: &Version| {
            experiment.here.is_empty() || experiment.here.contains(&version.name)
        };
        self.versions().into_iter().filter(named).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::find, *};

    fn made(kernel: &str, plan: &str, cap: u32, spill_bytes: u32, gflops: Option<f64>) -> Made {
        Made {
            kernel: kernel.to_owned(),
            r#type: Element::F64,
            pipeline: "reorder".to_owned(),
            plan: format!("mapping=thread,max_registers={cap},{plan}"),
            cap: Some(cap),
            registers: Some(cap - 2),
            spill_bytes: Some(spill_bytes),
            gflops,
        }
    }

    fn experiment(place: &str) -> (&'static Paper, &'static Experiment) {
        let paper = find("reorder").unwrap();
        (paper, paper.experiments.iter().find(|one| one.place == place).unwrap())
    }

    fn row<'g>(grid: &'g Grid, words: &[&str]) -> &'g [String] {
        let row = grid.rows.iter().find(|row| words.iter().zip(*row).all(|(one, two)| one == two));
        &row.unwrap()[words.len()..]
    }

    const UNROLLED: &str = "points=4,schedule=source,splits=1";

    /// What was the same under a lower cap is not there again; spills are never carried on.
    #[test]
    fn caps_have_the_plan_that_stands_for_them() {
        let made = [
            made("3d125pt", UNROLLED, 32, 80, Some(100.0)),
            made("3d125pt", UNROLLED, 64, 0, Some(300.0)),
        ];
        let (paper, table) = experiment("Table 4");
        let grid = paper.caps_table(table, &made);
        let cells = row(&grid, &["3d125pt", "f64", "unrolled"]);
        assert_eq!(cells, ["80", "100", "-", "-", "0", "300", "0", "300", "0", "300"]);
        assert!(
            row(&grid, &["3d125pt", "f64", "reordered, one kernel"]).iter().all(|cell| cell == "-")
        );
    }

    #[test]
    fn the_fastest_is_shown_and_what_spills_least_before_anything_is_measured() {
        let plan = |splits| format!("points=1,schedule=reorder,splits={splits}");
        let of = |cap, spills, rate| made("derivative", &plan(2), cap, spills, rate);
        let (paper, table) = experiment("Table 3");
        let shown = |made: &[Made]| {
            let grid = paper.versions_table(table, made);
            row(&grid, &["derivative", "f64", "split-2"])[1..].to_vec()
        };
        let compiled = [of(32, 80, None), of(64, 0, None), of(128, 0, None)];
        assert_eq!(shown(&compiled), ["62", "0", "-"]);
        let measured = [of(32, 80, Some(40.0)), of(64, 0, Some(20.0))];
        assert_eq!(shown(&measured), ["30", "80", "40.0"]);
        let later =
            Made { plan: plan(2).replace("reorder", "reorder-interleave"), ..compiled[1].clone() };
        let table_of = |made: &[Made]| paper.versions_table(table, made);
        let grid = table_of(&[compiled[1].clone(), later]);
        assert_eq!(row(&grid, &["derivative", "f64", "split-2"])[0], compiled[1].plan);
        let whole = [made("derivative", &plan(1), 32, 8, None)];
        assert_eq!(shown(&whole), ["-", "-", "-"]);
    }

    #[test]
    fn kernels_are_shown_with_their_unrolling() {
        let made = [
            made("3d27pt", "points=1,schedule=source,splits=1", 32, 0, None),
            made("3d27pt", UNROLLED, 32, 0, None),
        ];
        let (paper, table) = experiment("Table 1");
        let grid = paper.kernels_table(table, &made);
        assert_eq!(row(&grid, &["3d27pt"]), ["512x512x512", "1", "30", "4"]);
        assert_eq!(row(&grid, &["derivative"]), ["300x300x300", "2", "486", "-"]);
    }
}
