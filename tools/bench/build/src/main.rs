//! `bench`: builds what is measured, and shows what was measured.
//!
//! Exit codes: 0 done, 1 a check failed or something got slower, 2 the surroundings are wrong.
#![cfg_attr(test, allow(clippy::unwrap_used))]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool talks to its user")]

mod options;

use anyhow::{Context, bail};
use clap::Parser;
// malloc of the whole process, for MLIR and LLVM too.
use mimalloc as _;
use options::{BuildArguments, Options, PaperArguments, SpillsArguments, Task};
use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};
use stencil_bench::{
    calibration::{
        assembler,
        coefficients::Coefficients,
        derive::{self, DeriveError, Derived},
        raw,
    },
    check, compare,
    defaults::Defaults,
    devices,
    layout::Form,
    papers, plot,
    record::{self, Record},
    results,
    shares::Shares,
    sizes::Sizes,
    table::{self, Rows},
    targets::{self, Standing},
};
use stencil_bench_build::{
    build::{self, Request},
    paper, pipelines,
    plans::Plans,
    predictions::{self, Predictions},
    programs, spills,
};

fn main() -> ExitCode {
    match run(Options::parse().task) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whether all is well; an error is about the surroundings.
fn run(task: Task) -> anyhow::Result<bool> {
    match task {
        Task::Build(arguments) => build_packages(&arguments),
        Task::Check { files } => check_files(files),
        Task::Compare { old, new } => compare_files(&old, &new),
        Task::Table { files, markdown, all } => show_table(&files, markdown, all),
        Task::Sizes { files, markdown } => {
            let sizes = Sizes::of(&read_all(&files)?);
            show(&sizes.text(form(markdown)))?;
            Ok(sizes.are_reached())
        }
        Task::Defaults { files, markdown } => show_defaults(&files, markdown),
        Task::Devices { files, pair, markdown } => {
            if let Some(reports) = pair {
                add_pair(&files, &reports)?;
            }
            show_devices(&files, markdown)
        }
        Task::Shares { files, markdown } => show_shares(&files, markdown),
        Task::Predict { folders, results, fit, markdown } => {
            show_predictions(&folders, &results, &fit, markdown)
        }
        Task::Plot { files, out } => draw(&files, &out),
        Task::Spills(arguments) => show_spills(&arguments),
        Task::Calibration { out } => assemble_probes(&out),
        Task::Coefficients { samples, out, keep } => {
            make_coefficients(&samples, &out, keep.as_deref())
        }
        Task::Paper(arguments) => show_paper(&arguments),
    }
}

fn build_packages(arguments: &BuildArguments) -> anyhow::Result<bool> {
    let built = build::build_all(&arguments.requests()?, &arguments.out)?;
    let mut versions: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in &built.index.entries {
        *versions.entry(&entry.version).or_default() += 1;
    }
    let counts: Vec<String> =
        versions.iter().map(|(version, count)| format!("{count} {version}")).collect();
    println!("{} entries: {}", built.index.entries.len(), counts.join(", "));
    println!("{} plans left out, whose machine code is another plan's", built.dropped);
    let out = arguments.out.display();
    println!("wrote '{out}'; run 'bench-run {out}' where there is a GPU");
    Ok(true)
}

/// The baselines of the repository that this was built in.
fn baselines() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../baselines/h200.jsonl")).to_owned()
}

fn check_files(files: Vec<PathBuf>) -> anyhow::Result<bool> {
    let files = if files.is_empty() { vec![baselines()] } else { files };
    let mut holds = true;
    for file in files {
        let name = file.display();
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read '{name}'"))?;
        let findings = check::check(&text);
        for finding in &findings {
            println!("{name}: {finding}");
        }
        let lines = text.lines().count();
        println!("{name}: {lines} lines, {} refused", findings.len());
        if lines == 0 {
            println!("{name}: nothing was measured");
        }
        holds &= findings.is_empty() && lines > 0;
    }
    Ok(holds)
}

/// Results with earlier ones, or with targets, which are in a file that ends in `.json`.
fn compare_files(old: &Path, new: &Path) -> anyhow::Result<bool> {
    if old.extension().is_some_and(|ending| ending == "json") {
        let (targets, records) = (targets::read(old)?, results::read_measured(new)?);
        let standing = Standing::of(&targets, &records);
        show(&standing.text(Form::Plain))?;
        return Ok(standing.is_reached());
    }
    let comparison = compare::compare(&results::read_measured(old)?, &results::read_measured(new)?);
    show(&comparison.text())?;
    if !comparison.chips.is_empty() {
        bail!("compare files of one chip");
    }
    if comparison.changes.is_empty() {
        bail!("the files have no result in common: compare runs of the same kernels and plans");
    }
    Ok(!comparison.got_slower())
}

/// Adds what two reports say to a file.
fn add_pair(files: &[PathBuf], reports: &[PathBuf]) -> anyhow::Result<()> {
    let ([file], [one, several]) = (files, reports) else {
        bail!("--pair adds a line to one file, of two reports");
    };
    let line = serde_json::to_string(&devices::pair(one, several, &record::today())?)?;
    let opened = OpenOptions::new().append(true).create(true).open(file);
    let written = opened.and_then(|mut file| writeln!(file, "{line}"));
    written.with_context(|| format!("cannot write '{}'", file.display()))
}

fn show_devices(files: &[PathBuf], markdown: bool) -> anyhow::Result<bool> {
    let mut pairs = Vec::new();
    for file in files {
        let name = file.display();
        let text = fs::read_to_string(file).with_context(|| format!("cannot read '{name}'"))?;
        match devices::read(&text) {
            Ok(read) => pairs.extend(read),
            Err(error) => {
                println!("{name}: {error}");
                return Ok(false);
            }
        }
    }
    show(&format!("{}{}", devices::table(&pairs, form(markdown)), devices::summary(&pairs)))?;
    Ok(true)
}

fn read_all(files: &[PathBuf]) -> anyhow::Result<Vec<Record>> {
    let mut records = Vec::new();
    for file in files {
        records.extend(results::read_measured(file)?);
    }
    Ok(records)
}

fn show_table(files: &[PathBuf], markdown: bool, all: bool) -> anyhow::Result<bool> {
    let records = read_all(files)?;
    let rows = table::rows(&records, if all { Rows::All } else { Rows::Best });
    let standing = Standing::of(targets::own(), &records);
    let (table, shortfall) = (table::text(&rows, form(markdown)), table::shortfall(&records));
    show(&format!("{table}\n{shortfall}{}", standing.summary()))?;
    Ok(true)
}

fn show_defaults(files: &[PathBuf], markdown: bool) -> anyhow::Result<bool> {
    let defaults = Defaults::of(&read_all(files)?);
    show(&defaults.text(form(markdown)))?;
    Ok(defaults.are_reached())
}

fn show_shares(files: &[PathBuf], markdown: bool) -> anyhow::Result<bool> {
    let records = read_all(files)?;
    show(&Shares::of(&records).text(form(markdown)))?;
    Ok(true)
}

fn show_predictions(
    folders: &[PathBuf],
    results: &[PathBuf],
    fitted: &[String],
    markdown: bool,
) -> anyhow::Result<bool> {
    let predictions = Predictions::read(folders, &read_all(results)?)?;
    show(&predictions::text(&predictions.evaluate(fitted)?, form(markdown)))?;
    Ok(true)
}

fn form(markdown: bool) -> Form {
    if markdown { Form::Markdown } else { Form::Plain }
}

/// Prints to standard output. A reader that has seen enough is no error.
fn show(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

fn draw(files: &[PathBuf], out: &Path) -> anyhow::Result<bool> {
    for path in plot::draw(&read_all(files)?, out)? {
        println!("wrote {}", path.display());
    }
    Ok(true)
}

fn show_spills(arguments: &SpillsArguments) -> anyhow::Result<bool> {
    let reports = spills::compile(&arguments.request()?)?;
    if let Some(out) = &arguments.out {
        let lines: String = reports.iter().map(|report| report.to_json() + "\n").collect();
        fs::write(out, lines).with_context(|| format!("cannot write '{}'", out.display()))?;
    }
    let standing = stencil_bench::spills::Standing::of(&reports);
    show(&standing.text(Form::Plain))?;
    Ok(standing.is_reached())
}

fn assemble_probes(folder: &Path) -> anyhow::Result<bool> {
    let count = assembler::assemble_all(folder)?;
    let name = folder.display();
    println!("{count} kernels in '{name}'");
    println!("run 'bench-run {name} --calibrate samples.jsonl' where there is a GPU");
    Ok(true)
}

fn make_coefficients(samples: &[PathBuf], out: &Path, keep: Option<&Path>) -> anyhow::Result<bool> {
    let mut lines = Vec::new();
    for path in samples {
        lines.extend(raw::read(path)?);
    }
    let earlier = keep.map(Coefficients::read).transpose()?;
    let Derived { coefficients, kept } = match derive::derive(&lines, earlier.as_ref()) {
        Ok(derived) => derived,
        Err(error @ DeriveError::Refused { .. }) => {
            println!("{error}");
            return Ok(false);
        }
        Err(error) => return Err(error.into()),
    };
    for line in kept {
        println!("kept: {line}");
    }
    let written = fs::write(out, coefficients.to_json());
    written.with_context(|| format!("cannot write '{}'", out.display()))?;
    show(&coefficients.text(Form::Plain, earlier.as_ref()))?;
    Ok(true)
}

fn show_paper(arguments: &PaperArguments) -> anyhow::Result<bool> {
    let Some(paper) = papers::find(&arguments.system) else {
        let known: Vec<&str> = papers::all().iter().map(|paper| paper.system.as_str()).collect();
        bail!("paper '{}' is unknown, known are {}", arguments.system, known.join(", "));
    };
    let paper = &arguments.part_of(paper);
    let kernels = paper.kernels.iter().filter_map(|name| stencil_bench::kernels::find(name));
    let request = Request {
        kernels: kernels.collect(),
        types: paper.types.clone(),
        plans: Plans::list(&paper.plans)?,
        pipeline: pipelines::PLAIN.to_owned(),
        size: arguments.size(),
        sizes: build::Sizes::Divided(1),
        steps: None,
        language: programs::Language::Mlir,
        programs: programs::folder(),
        target: arguments.target()?,
        keep_ir: false,
        cuda: false,
    };
    let folder = arguments.folder();
    let (text, next) = match &arguments.results {
        Some(results) => (paper.text(&results::read_measured(results)?, Form::Plain), None),
        None => {
            let built = paper::build(paper, &request, &folder)?;
            println!("{} packages in '{}'\n", built.index.entries.len(), folder.display());
            let results = folder.join("results.jsonl");
            let next = paper::run(paper, &folder, &results)?;
            // Before anything is measured the tables show what there will be.
            let text = match next {
                Some(_) => paper.text_unmeasured(&paper::made(&built.index, &folder)?, Form::Plain),
                None => paper.text(&results::read_measured(&results)?, Form::Plain),
            };
            (text, next)
        }
    };
    show(&text)?;
    for line in paper::searched(paper, &request.kernels, request.size) {
        println!("{line}");
    }
    if let Some(next) = next {
        println!("{next}");
    }
    Ok(true)
}
