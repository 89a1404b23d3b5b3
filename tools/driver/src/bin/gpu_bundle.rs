//! Makes a folder for a machine that has a GPU and no LLVM: packages, and what they must give.
//!
//! Compiler and GPU often live on different machines. Here each program is compiled and run on the
//! interpreter; there `run.sh` runs every package with `stencil-run`, on the same input, and
//! compares every bit. The table of exact arithmetic cases is always among the programs.
//!
//! Inputs are random by one seed, which both machines draw alike, so that only the table's operands
//! are written to files. A program with approximate operations is refused: its last bits are a
//! GPU's own. Nothing is run on a GPU here, and random programs are a test's business.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool talks to its user")]
#![cfg_attr(test, allow(clippy::unwrap_used))]

use clap::Parser;
// malloc of the whole process, for MLIR and LLVM too.
use mimalloc as _;
use std::{
    collections::BTreeSet,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};
use stencil_driver::{
    DriverError, arguments, cases,
    compile::{self, Emit},
    crash,
    input::Input,
    interpreted,
    monitor::Silent,
    reading::Reading,
    session::{self, Session},
    target::{self, Target},
};
use stencil_runtime::{
    ErrorKind,
    bind::{Assignment, Requests, Value},
    output,
};

/// The seed of all random content.
const SEED: u64 = 1;

/// What the package of the arithmetic table is called.
const TABLE: &str = "arithmetic-cases";

/// Makes a folder with packages, expected results and a script that compares them on a GPU.
#[derive(Parser)]
#[command(name = "gpu-bundle", version)]
struct Options {
    /// The folder to write; made if it is missing.
    out: PathBuf,

    /// Programs, each with one public function.
    files: Vec<PathBuf>,

    /// Sets a scalar or symbol of a program, named by its file without folder and ending.
    #[arg(long = "scalar", value_name = "PROGRAM:KEY=VALUE")]
    scalars: Vec<String>,

    /// Gives a program another size: definitions of a STENCILGEN program, extents of an MLIR one.
    #[arg(long = "size", value_name = "PROGRAM:SIZE")]
    sizes: Vec<String>,

    /// What the packages are compiled for.
    #[arg(long, default_value = target::DEFAULT)]
    target: String,
}

/// A program, and what it is run on.
struct Job {
    name: String,
    input: Input,
    reading: Reading,
    scalars: Vec<Assignment>,
    /// Content of fields that are not random, by position.
    fields: Vec<(usize, Vec<u8>)>,
}

fn main() -> ExitCode {
    // As in `stencilc`: wrong options are the user's, with code 1.
    let options = match Options::try_parse() {
        Ok(options) => options,
        Err(error) => {
            let code = if error.use_stderr() { ErrorKind::Program.exit_code() } else { 0 };
            // Nothing is left to be done if the message cannot be shown.
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    match crash::guard(|| bundle(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.kind().exit_code())
        }
    }
}

fn bundle(options: &Options) -> Result<(), DriverError> {
    let target = Target::new(&options.target, None)?;
    let jobs = jobs(options)?;
    fs::create_dir_all(&options.out).map_err(|error| not_written(&options.out, error))?;
    let mut script = SCRIPT_HEAD.to_owned();
    for job in &jobs {
        let words = make(job, target, &options.out)?;
        println!("{}: compiled and interpreted", job.name);
        let _ = writeln!(script, "check {}", words.iter().map(|w| quoted(w)).collect::<String>());
    }
    script.push_str(SCRIPT_TAIL);
    let path = options.out.join("run.sh");
    output::write_file(&path, script.as_bytes())?;
    println!("{} packages; copy the folder and stencil-run, run 'sh run.sh' there", jobs.len());
    Ok(())
}

/// The table, then the files.
fn jobs(options: &Options) -> Result<Vec<Job>, DriverError> {
    let internal = |error: cases::CasesError| DriverError::Internal(error.to_string());
    let operations = cases::operations().map_err(internal)?;
    let text = cases::program(&operations).map_err(internal)?;
    let mut jobs = vec![Job {
        name: TABLE.to_owned(),
        input: Input { name: format!("{TABLE}.mlir"), text },
        reading: Reading::default(),
        scalars: Vec::new(),
        fields: cases::inputs(&operations),
    }];
    for file in &options.files {
        let input = Input::read(file)?;
        let name = input.stem().display().to_string();
        if jobs.iter().any(|job| job.name == name) {
            return Err(DriverError::Option(format!("two programs are called '{name}'")));
        }
        let reading = Reading::of(&input);
        jobs.push(Job { name, input, reading, scalars: Vec::new(), fields: Vec::new() });
    }
    for text in &options.scalars {
        let (job, assignment) = of_job(&mut jobs, "--scalar", text)?;
        job.scalars.push(assignment.parse()?);
    }
    for text in &options.sizes {
        let (job, size) = of_job(&mut jobs, "--size", text)?;
        (job.reading, _) = job.reading.at(size)?;
    }
    Ok(jobs)
}

/// The program before the colon, and what comes after it.
fn of_job<'j, 't>(
    jobs: &'j mut [Job],
    option: &str,
    text: &'t str,
) -> Result<(&'j mut Job, &'t str), DriverError> {
    let (program, rest) = text.split_once(':').ok_or_else(|| {
        DriverError::Option(format!("{option} {text}: write the program and a colon before it"))
    })?;
    let job = jobs.iter_mut().find(|job| job.name == program).ok_or_else(|| {
        DriverError::Option(format!("{option} {text}: no program is called '{program}'"))
    })?;
    Ok((job, rest))
}

/// Writes a job's package, inputs and results; gives the words after `check` in the script.
fn make(job: &Job, target: Target, out: &Path) -> Result<Vec<String>, DriverError> {
    let context = session::new_context();
    let session = Session::new(&context, &job.input, target);
    let module = session.read(&job.reading)?;
    let function = session::choose_function(&module, &job.input.name, None)?;
    let known = arguments::symbols_read(&module);
    let frozen = session.freeze(&module)?;
    let program = session.decode(&frozen, &function)?;
    if program.is_approximate() {
        let message = format!(
            "'{}' cannot be compared bit for bit: it has operations (as math.exp or math.sin) \
             whose last bits differ between a GPU and the interpreter",
            job.name
        );
        return Err(DriverError::Unverifiable(message));
    }
    let described = arguments::arguments(&program, &frozen)?;
    let is_symbol = |given: &Assignment| known.contains(&given.key);
    let (symbols, scalars) = job.scalars.iter().cloned().partition(is_symbol);
    let requests = Requests { arguments: scalars, symbols, seed: SEED };
    let mut bound = arguments::bind(&described, &requests)?;

    let mut words = vec![job.name.clone()];
    if !job.fields.is_empty() {
        for (position, cells) in &job.fields {
            bound.values[*position] = Value::Field(cells.clone());
        }
        let folder = format!("{}.in", job.name);
        output::write_fields(&out.join(&folder), &described, &bound.values)?;
        words.extend(["--in-dir".to_owned(), folder]);
    }
    for (option, given) in [("--arg", &requests.arguments), ("--symbol", &requests.symbols)] {
        // Symbols that nothing needs any more are unknown to the package.
        for Assignment { key, value } in
            given.iter().filter(|a| !bound.symbols.contains_key(&a.key))
        {
            words.extend([option.to_owned(), format!("{key}={value}")]);
        }
    }
    let compiled = compile::compile(&session, &frozen, &BTreeSet::from([Emit::Package]))?;
    let package = out.join(format!("{}.spk", job.name));
    output::write_file(&package, &compiled.content(Emit::Package, &job.name)?)?;
    interpreted::run(&session, &program, &described, &mut bound, &Silent)?;
    output::write_fields(&out.join(format!("{}.expect", job.name)), &described, &bound.values)?;
    Ok(words)
}

fn not_written(path: &Path, error: std::io::Error) -> DriverError {
    output::OutputError { path: path.to_owned(), error }.into()
}

/// The word between single quotes, as a shell takes it, and a space.
fn quoted(word: &str) -> String {
    format!("'{}' ", word.replace('\'', r"'\''"))
}

/// Up to the packages. `check` takes a name and the options of the run.
const SCRIPT_HEAD: &str = r#"#!/bin/sh
# Runs every package of this folder on the GPU and compares all fields with the interpreter's.
# STENCIL_RUN names another stencil-run than the one in this folder.
cd "$(dirname "$0")" || exit 2
run=${STENCIL_RUN:-./stencil-run}
passed=0
failed=0

check() {
  name=$1
  shift
  if error=$("$run" "$name.spk" --seed 1 "$@" --expect "$name.expect" 2>&1 >/dev/null); then
    passed=$((passed + 1))
    echo "$name: verified"
  else
    failed=$((failed + 1))
    echo "$name: $(printf '%s\n' "$error" | head -n 1)"
  fi
}

"#;

/// After the packages.
const SCRIPT_TAIL: &str = r#"
echo "$passed verified, $failed failed"
[ "$failed" -eq 0 ]
"#;
