//! Measures every package of a folder on a GPU: `bench-run`, the running side of the benchmarks.
//!
//! It needs the CUDA driver, and nvcc for the CUDA sources of the folder if they are to run.
//! Exit codes: 0 all measured, 1 a package failed or none was chosen, 2 the surroundings are wrong.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool talks to its user")]

use anyhow::{Context, bail};
use clap::Parser;
use regex::Regex;
use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::{Duration, Instant},
};
use stencil_bench::{
    calibration::{self, raw::Log},
    check::SAMPLES_MIN,
    index::Index,
    layout::Form,
    record,
    results::{self, Results},
    run::{self, Outcome, Request},
    table::{self, Rows},
};
use stencil_runtime::{cuda, energy::EnergyMeter};

/// Measures the packages that `bench build` made: verifies each against its plain kernels, times
/// it, and writes a line of JSON. Lines are written at once; what a file has already is not
/// measured again.
#[derive(Debug, Parser)]
#[command(name = "bench-run", version)]
struct Options {
    /// The folder of packages, with its index.json; with --calibrate, if it is given, the folder
    /// of machine code that 'bench calibration' made.
    #[arg(required_unless_present = "calibrate")]
    folder: Option<PathBuf>,

    /// Measures throughputs, latencies and caches of the device by small kernels, and nothing
    /// else: raw samples, of which 'bench coefficients' makes the predictor's coefficients. An
    /// existing file is appended to.
    #[arg(long, value_name = "FILE.jsonl",
          conflicts_with_all = ["filter", "out", "time_limit", "energy", "all"])]
    calibrate: Option<PathBuf>,

    /// Only entries whose name (KERNEL-TYPE-VERSION-PLAN) matches this regular expression.
    #[arg(long, value_name = "REGEX")]
    filter: Option<Regex>,

    /// Timed runs of each package, after those that warm up.
    #[arg(long, value_name = "N", default_value_t = 9,
          value_parser = clap::value_parser!(u32).range(SAMPLES_MIN as i64..))]
    repeat: u32,

    /// The file of results, which is appended to; the folder's results.jsonl unless given.
    #[arg(long, value_name = "FILE.jsonl")]
    out: Option<PathBuf>,

    /// Starts no further package after so many seconds.
    #[arg(long, value_name = "SECONDS", overrides_with = "time_limit")]
    time_limit: Option<u64>,

    /// Seed of the fields' content.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// The device to use, counted from 0.
    #[arg(long, value_name = "N", default_value_t = 0)]
    device: usize,

    /// Measures energy, too, by the device's own counter: two seconds more for each package.
    #[arg(long)]
    energy: bool,

    /// Measures again what the file of results has already.
    #[arg(long)]
    again: bool,

    /// Shows every plan in the table, not only the best of each kernel, type and version.
    #[arg(long)]
    all: bool,

    /// Goes on after a fault of a kernel, in a process of its own: lines that the file of results
    /// had when the first process began.
    #[arg(long, hide = true)]
    resumed: Option<usize>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let done = match (&options.folder, &options.calibrate) {
        (folder, Some(samples)) => calibrate(&options, folder.clone(), samples),
        (Some(folder), None) => measure(&options, folder),
        (None, None) => unreachable!("the command line is refused without one of them"),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Runs the probes of the calibration.
fn calibrate(
    options: &Options,
    folder: Option<PathBuf>,
    samples: &Path,
) -> anyhow::Result<ExitCode> {
    // Without a device there is nothing to try probe by probe.
    cuda::compute_capability(options.device)?;
    let mut log = Log::open(samples)?;
    let before = log.lines().len();
    let request = calibration::run::Request {
        device: options.device,
        folder,
        date: record::today(),
        again: options.again,
        resumed: options.resumed,
    };
    let outcome = calibration::run::run(&request, &mut log, &|line| eprintln!("{line}"))?;
    if outcome.left > 0 {
        return resume(options, before, None);
    }
    let calibration::run::Outcome { measured, failed, known, .. } = outcome;
    println!("{measured} measured, {failed} failed, {known} known before");
    println!("samples in {}", samples.display());
    Ok(ExitCode::from(u8::from(failed > 0)))
}

fn measure(options: &Options, folder: &Path) -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    let index = Index::read(folder)?;
    let path = options.out.clone().unwrap_or_else(|| folder.join("results.jsonl"));
    let mut results = Results::open(&path)?;
    let before = results.lines().len();
    // Without a device there is nothing to try package by package.
    cuda::compute_capability(options.device)?;
    let meter = match options.energy {
        true => Some(EnergyMeter::open(&cuda::bus_id(options.device)?)?),
        false => None,
    };
    let request = Request {
        folder: folder.to_owned(),
        filter: options.filter.clone(),
        repeat: options.repeat,
        time_limit: options.time_limit.map(Duration::from_secs),
        seed: options.seed,
        device: options.device,
        meter,
        again: options.again,
        resumed: options.resumed,
    };
    let day = record::today();
    let outcome = run::run(&request, &index, &mut results, &day, &|line| eprintln!("{line}"))?;
    if outcome.lost && outcome.left > 0 {
        let time_left = options.time_limit.map(Duration::from_secs);
        return resume(
            options,
            before,
            time_left.map(|limit| limit.saturating_sub(start.elapsed())),
        );
    }
    let records = results::measured(results.lines().to_vec());
    let rows = if options.all { Rows::All } else { Rows::Best };
    print!("{}", table::text(&table::rows(&records, rows), Form::Plain));
    print!("\n{}", table::shortfall(&records));
    let Outcome { measured, failed, known, left, .. } = outcome;
    println!("{measured} measured, {failed} failed, {known} known before, {left} left");
    println!("results in {}", path.display());
    if measured + failed + known + left == 0 {
        bail!(
            "no entry of the index was chosen; --filter is held against KERNEL-TYPE-VERSION-PLAN"
        );
    }
    Ok(ExitCode::from(u8::from(failed > 0)))
}

/// A context that a kernel's fault destroyed stays lost in this process; a new one goes on.
fn resume(
    options: &Options,
    before: usize,
    time_left: Option<Duration>,
) -> anyhow::Result<ExitCode> {
    let program = env::current_exe().context("cannot find this program again")?;
    let mut words: Vec<_> = env::args_os().skip(1).collect();
    if options.resumed.is_none() {
        words.push(format!("--resumed={before}").into());
    }
    if let Some(left) = time_left {
        words.push(format!("--time-limit={}", left.as_secs()).into());
    }
    let status = Command::new(program).args(words).status().context("cannot go on")?;
    // One package failed, or the process would not be here.
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2);
    Ok(ExitCode::from(code.max(1)))
}
