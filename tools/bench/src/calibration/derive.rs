//! Coefficients from raw samples.
//!
//! A number is the difference of two runs over the operations that the longer one has more. Its
//! error is the larger of what the repetitions spread by, relative to the difference, and of what
//! the longer run alone would give instead. A cache is as large as the footprint whose steps take
//! half as much longer as those of the largest; its error is the distance from the last that all
//! hits to the first that all misses, or what another series disagrees in.

mod caches;

use super::{
    coefficients::{Coefficient, Coefficients, Point, Table},
    names,
    probes::ROUNDS,
    raw::{Line, Origin, Sampled},
};
use crate::statistics::{self, Summary};
use std::collections::BTreeSet;
use stencil_model::target::Architecture;

const PER_PARTITION: &str = "cycles per warp instruction of one partition";
const PER_MULTIPROCESSOR: &str = "cycles per warp instruction of a multiprocessor";
const CYCLES: &str = "cycles";

/// Why there are no coefficients.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum DeriveError {
    #[error("there are no samples; make them by 'bench-run --calibrate'")]
    Nothing,
    #[error("samples of several machines are in one file: {0}; keep those of one")]
    Mixed(String),
    #[error(
        "coefficients that cannot be derived:\n{}\nmeasure their probes again, or keep those of an \
         earlier file by --keep",
        refused.join("\n")
    )]
    Refused { refused: Vec<String> },
}

/// What was made of samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    /// The coefficients.
    pub coefficients: Coefficients,
    /// Those that no sample gave, each with the reason, and that are an earlier file's.
    pub kept: Vec<String>,
}

/// Makes coefficients of all lines of a file of samples; what cannot be derived is an earlier
/// file's, where there is one.
///
/// # Errors
/// If a coefficient can be had from neither; all such are named.
pub fn derive(lines: &[Line], earlier: Option<&Coefficients>) -> Result<Derived, DeriveError> {
    let samples = Samples { lines };
    let Origin { chip, driver, ptxas, date } = samples.origin()?;
    let mut report = Report::default();
    let part = |select: fn(&Coefficients) -> &Table| earlier.map(select);
    let throughput = report.table(
        "throughput",
        &[names::PARTITION_THROUGHPUT, names::MULTIPROCESSOR_THROUGHPUT],
        part(|file| &file.throughput),
        |name| samples.throughput(name),
    );
    let old = part(|file| &file.latency);
    let latency = report.table("latency", &[names::LATENCY], old, |name| samples.latency(name));
    let old = part(|file| &file.memory);
    let memory = report.table("memory", &[names::MEMORY], old, |name| samples.memory(name));
    let occupancy_curve = match (samples.occupancy_curve(), earlier) {
        (Ok(curve), _) => curve,
        (Err(why), Some(file)) => {
            report.kept.push(format!("occupancy_curve: {why}"));
            file.occupancy_curve.clone()
        }
        (Err(why), None) => {
            report.refused.push(format!("  occupancy_curve: {why}"));
            Vec::new()
        }
    };
    let Report { refused, kept } = report;
    if !refused.is_empty() {
        return Err(DeriveError::Refused { refused });
    }
    let coefficients =
        Coefficients { chip, driver, ptxas, date, throughput, latency, memory, occupancy_curve };
    Ok(Derived { coefficients, kept })
}

/// What could not be derived.
#[derive(Default)]
struct Report {
    refused: Vec<String>,
    kept: Vec<String>,
}

impl Report {
    fn table(
        &mut self,
        part: &str,
        names: &[&[&str]],
        earlier: Option<&Table>,
        derive: impl Fn(&str) -> Result<Coefficient, String>,
    ) -> Table {
        let mut table = Table::new();
        for name in names.iter().copied().flatten() {
            let old = earlier.and_then(|table| table.get(*name));
            if names::FITTED.contains(name) {
                let neutral =
                    Estimate { value: 1.0, error: 0.0 }.coefficient("times", "not fitted");
                table.insert((*name).to_owned(), old.cloned().unwrap_or(neutral));
                continue;
            }
            match (derive(name), old) {
                (Ok(coefficient), _) => {
                    table.insert((*name).to_owned(), coefficient);
                }
                (Err(why), Some(old)) => {
                    self.kept.push(format!("{part}.{name}: {why}"));
                    table.insert((*name).to_owned(), old.clone());
                }
                (Err(why), None) => self.refused.push(format!("  {part}.{name}: {why}")),
            }
        }
        table
    }
}

/// A partition begins one instruction in a cycle, measured to a few percent.
const ISSUE_LEAST: f64 = 0.95;

/// The lines of a file of samples; where a probe was run again, the last ones count.
struct Samples<'l> {
    lines: &'l [Line],
}

/// A number with its relative error.
#[derive(Clone, Copy, Debug)]
struct Estimate {
    value: f64,
    error: f64,
}

impl Estimate {
    fn coefficient(self, unit: &str, origin: &str) -> Coefficient {
        let (unit, origin) = (unit.to_owned(), origin.to_owned());
        Coefficient { value: self.value, error: Some(self.error), unit, origin }
    }

    /// The same number, whose error is at least what another one disagrees in.
    fn beside(self, other: Estimate) -> Estimate {
        let disagrees = (self.value - other.value).abs() / self.value;
        Estimate { error: self.error.max(disagrees), ..self }
    }
}

impl Samples<'_> {
    /// The one machine of all lines, on the last day.
    fn origin(&self) -> Result<Origin, DeriveError> {
        let origins: Vec<&Origin> = self.sampled().map(|sampled| &sampled.origin).collect();
        let last = origins.last().ok_or(DeriveError::Nothing)?;
        let machine = |origin: &Origin| {
            format!("{}, driver {}, ptxas {}", origin.chip, origin.driver, origin.ptxas)
        };
        let machines: BTreeSet<String> = origins.iter().map(|origin| machine(origin)).collect();
        match machines.len() {
            1 => Ok((*last).clone()),
            _ => Err(DeriveError::Mixed(machines.into_iter().collect::<Vec<_>>().join("; "))),
        }
    }

    fn sampled(&self) -> impl DoubleEndedIterator<Item = &Sampled> {
        self.lines.iter().filter_map(|line| match line {
            Line::Sampled(sampled) => Some(sampled),
            Line::Failed(_) => None,
        })
    }

    /// The runs of a probe in growing order of what varies and of iterations, or why there are
    /// none.
    fn of(&self, probe: &str) -> Result<Vec<&Sampled>, String> {
        let mut runs: Vec<&Sampled> = Vec::new();
        for sampled in self.sampled().rev().filter(|sampled| sampled.probe == probe) {
            let same = |run: &&Sampled| (run.x, run.iterations) == (sampled.x, sampled.iterations);
            if !runs.iter().any(same) {
                runs.push(sampled);
            }
        }
        if runs.is_empty() {
            let why = self.lines.iter().rev().find_map(|line| match line {
                Line::Failed(failure) if failure.probe == probe => Some(failure.error.as_str()),
                _ => None,
            });
            return Err(format!("probe '{probe}' {}", why.unwrap_or("has no samples")));
        }
        runs.sort_by_key(|run| (run.x, run.iterations));
        Ok(runs)
    }

    /// The two runs of a probe that differ in size.
    fn pair(&self, probe: &str) -> Result<[&Sampled; 2], String> {
        let runs = self.of(probe)?;
        let count = runs.len();
        runs.try_into().map_err(|_| format!("probe '{probe}' has {count} sizes, 2 are needed"))
    }

    /// A throughput of a partition or of a multiprocessor, by the events around all rounds: warps
    /// do not begin a round together, so that the clock of one counts others' rounds, too.
    fn throughput(&self, name: &str) -> Result<Coefficient, String> {
        let probe = format!("throughput-{name}");
        let partitions = f64::from(architecture().partitions_per_sm);
        let (unit, parts) = match names::PARTITION_THROUGHPUT.contains(&name) {
            true => (PER_PARTITION, partitions),
            false => (PER_MULTIPROCESSOR, 1.0),
        };
        let one = self.by_events(&probe, |run| executed(run) * run.warps as f64 / parts)?;
        if parts > 1.0 && one.value < ISSUE_LEAST {
            return Err(format!(
                "probe '{probe}' takes {:.2} cycles an instruction, a partition begins one in a \
                 cycle; the machine does not execute what it counts",
                one.value
            ));
        }
        Ok(one.coefficient(unit, &format!("{probe}, clock")))
    }

    /// Cycles that each of some operations takes, by the events around all rounds.
    fn by_events(
        &self,
        probe: &str,
        operations: impl Fn(&Sampled) -> f64,
    ) -> Result<Estimate, String> {
        let [short, long] = self.pair(probe)?;
        self.between(short, long, operations)
    }

    /// The same of two runs.
    fn between(
        &self,
        short: &Sampled,
        long: &Sampled,
        operations: impl Fn(&Sampled) -> f64,
    ) -> Result<Estimate, String> {
        let frequency = self.frequency()?;
        let one = slope(short, long, time, |run| operations(run) * f64::from(ROUNDS))?;
        // What a launch takes besides is in both runs alike; only what spreads is an error.
        let difference = time(long)?.median - time(short)?.median;
        let error = noise(short, long, time)? / difference + frequency.error;
        Ok(Estimate { value: one.value * frequency.value, error })
    }

    fn latency(&self, name: &str) -> Result<Coefficient, String> {
        let probe = format!("latency-{name}");
        let [short, long] = self.pair(&probe)?;
        Ok(slope(short, long, middle, executed)?.coefficient(CYCLES, &probe))
    }

    fn memory(&self, name: &str) -> Result<Coefficient, String> {
        match name {
            "l1_bytes" => self.first_level(),
            "l2_bytes_per_cycle" => self.second_level("l2-read"),
            "l2_bytes_per_cycle_alone" => self.second_level("l2-read-alone"),
            "hbm_bytes_per_cycle" => {
                let moved =
                    |run: &Sampled| executed(run) * run.warps as f64 * run.multiprocessors as f64;
                self.bandwidth("hbm-copy", "bytes per cycle of the chip", moved)
            }
            "launch_cycles" => self.launch(),
            "block_launch_cycles" => self.block_launch(),
            "instruction_cache_bytes" => self.instruction_cache(),
            "instruction_fetch_cycles" => self.instruction_fetch(),
            _ => Err("nothing measures it".to_owned()),
        }
    }

    fn second_level(&self, probe: &str) -> Result<Coefficient, String> {
        let moved = |run: &Sampled| executed(run) * run.warps as f64;
        self.bandwidth(probe, "bytes per cycle of a multiprocessor", moved)
    }

    fn bandwidth(
        &self,
        probe: &str,
        unit: &str,
        moved: impl Fn(&Sampled) -> f64,
    ) -> Result<Coefficient, String> {
        let Estimate { value, error } = self.by_events(probe, moved)?;
        Ok(Estimate { value: 1.0 / value, error }.coefficient(unit, &format!("{probe}, clock")))
    }

    /// Cycles of the multiprocessors in a second.
    fn frequency(&self) -> Result<Estimate, String> {
        let [short, long] = self.pair("clock")?;
        let taken = |run: &Sampled| median(run, &cycles(&run.cycles)).map(|taken| taken.median);
        let (fewer, more) = (taken(short)?, taken(long)?);
        let of_run = |run: &Sampled| if run.iterations == short.iterations { fewer } else { more };
        let Estimate { value, error } = slope(short, long, time, of_run)?;
        Ok(Estimate { value: 1.0 / value, error })
    }

    fn launch(&self) -> Result<Coefficient, String> {
        let frequency = self.frequency()?;
        let [short, long] = self.pair("launches")?;
        let one = slope(short, long, time, |run| run.x as f64)?;
        let value = one.value * frequency.value;
        let launch = Estimate { value, error: one.error + frequency.error };
        Ok(launch.coefficient(CYCLES, "launches, clock"))
    }

    /// What a block takes in a row of blocks more than by itself.
    fn block_launch(&self) -> Result<Coefficient, String> {
        let [few, many] = self.pair("blocks")?;
        let alone = self.of("block-alone")?[0];
        let row = slope(few, many, middle, |run| run.x as f64)?;
        let alone = middle(alone)?;
        let value = row.value - alone.median;
        if value <= 0.0 {
            return Err(format!(
                "blocks in a row take {:.0} cycles each, one alone {:.0}",
                row.value, alone.median
            ));
        }
        // The longer row alone would count how the kernel begins; only what spreads is an error.
        let spread = noise(few, many, middle)? + alone.spread * alone.median;
        let gap = Estimate { value, error: spread / value };
        Ok(gap.coefficient(CYCLES, "blocks, block-alone"))
    }

    /// The mean over all compute-bound probes, each relative to its highest speed.
    fn occupancy_curve(&self) -> Result<Vec<Point>, String> {
        let mut curves: Vec<Vec<(u64, f64)>> = Vec::new();
        for name in ["dfma", "ffma"] {
            for chains in [1, 2, 4] {
                curves.push(self.speeds(&format!("occupancy-{name}-{chains}"))?);
            }
        }
        let count = curves.len() as f64;
        let mut points = Vec::new();
        for place in 0..curves[0].len() {
            let (warps, _) = curves[0][place];
            let at = |curve: &Vec<(u64, f64)>| {
                curve.get(place).filter(|point| point.0 == warps).copied()
            };
            let speeds: Option<Vec<(u64, f64)>> = curves.iter().map(at).collect();
            let speeds = speeds.ok_or_else(|| format!("not all probes have {warps} warps"))?;
            let relative = speeds.iter().map(|(_, speed)| speed).sum::<f64>() / count;
            let origin = "occupancy-dfma, occupancy-ffma with 1, 2, 4 chains, clock".to_owned();
            points.push(Point { warps, relative, origin });
        }
        Ok(points)
    }

    /// The speed of a probe by its warps, relative to the highest.
    fn speeds(&self, probe: &str) -> Result<Vec<(u64, f64)>, String> {
        let runs = self.of(probe)?;
        let mut speeds = Vec::new();
        for pair in runs.chunks(2) {
            let [short, long] = pair else {
                return Err(format!("probe '{probe}' has one size at {} warps", pair[0].x));
            };
            if short.x != long.x {
                return Err(format!("probe '{probe}' has one size at {} warps", short.x));
            }
            if speeds.last().is_some_and(|(warps, _)| *warps == short.x) {
                let warps = short.x;
                return Err(format!(
                    "probe '{probe}' has more than two sizes at {warps} warps; leave out the \
                     samples of earlier probes"
                ));
            }
            let taken = self.between(short, long, |run| executed(run) * run.warps as f64)?;
            speeds.push((short.x, 1.0 / taken.value));
        }
        let highest = speeds.iter().map(|(_, speed)| *speed).fold(0.0, f64::max);
        Ok(speeds.into_iter().map(|(warps, speed)| (warps, speed / highest)).collect())
    }
}

fn architecture() -> &'static Architecture {
    Architecture::parse(super::assembler::TARGET).expect("probes are for a known architecture")
}

/// Operations that a warp of a run executes.
fn executed(run: &Sampled) -> f64 {
    f64::from(run.iterations) * run.operations as f64
}

fn cycles(samples: &[u64]) -> Vec<f64> {
    samples.iter().map(|&cycles| cycles as f64).collect()
}

fn middle(run: &Sampled) -> Result<Summary, String> {
    median(run, &cycles(&run.cycles))
}

fn time(run: &Sampled) -> Result<Summary, String> {
    median(run, &run.seconds)
}

fn median(run: &Sampled, samples: &[f64]) -> Result<Summary, String> {
    let wrong = || format!("a sample of probe '{}' is no positive number", run.probe);
    statistics::summarize(samples).ok_or_else(wrong)
}

/// What both runs spread by, together.
fn noise(
    short: &Sampled,
    long: &Sampled,
    taken: fn(&Sampled) -> Result<Summary, String>,
) -> Result<f64, String> {
    let (short, long) = (taken(short)?, taken(long)?);
    Ok(short.spread * short.median + long.spread * long.median)
}

/// What an operation takes, by the difference of two runs.
fn slope(
    short: &Sampled,
    long: &Sampled,
    taken: fn(&Sampled) -> Result<Summary, String>,
    operations: impl Fn(&Sampled) -> f64,
) -> Result<Estimate, String> {
    let (fewer, more) = (taken(short)?.median, taken(long)?.median);
    let difference = more - fewer;
    if difference <= 0.0 {
        return Err(format!("the longer run of probe '{}' takes no longer", long.probe));
    }
    let value = difference / (operations(long) - operations(short));
    let by_spread = noise(short, long, taken)? / difference;
    let by_size = (more / operations(long) - value).abs() / value;
    Ok(Estimate { value, error: by_spread.max(by_size) })
}

#[cfg(test)]
mod tests;
