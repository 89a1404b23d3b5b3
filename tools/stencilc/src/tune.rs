//! `stencilc tune`, and its options.

use crate::{options::ValueOptions, outputs, reading::ReadingOptions, target::TargetOptions};
use clap::{Args, ValueEnum};
use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};
use stencil_driver::{
    DriverError, gpu,
    input::Input,
    pipelines::PlanRequest,
    report::Chip,
    session::{Session, choose_function, new_context},
    target::Target,
    tuning::{
        Run, Tuned, candidates, pack, queue,
        sites::{Budget, OnGpu, Outcomes, Replay, Search, Step},
    },
};
use stencil_runtime::{RuntimeError, cuda};
use stencil_tuning::{
    record::{Outcome, Record},
    store::{self, Store},
    t4,
    trial::Setup,
};

const EXAMPLES: &str = "\
Examples:
  stencilc tune heat3d.mlir
      measures up to 16 plans on this machine's GPU, each verified, and keeps the times in
      stencil-tuned.jsonl
  stencilc compile heat3d.mlir --tuned=stencil-tuned.jsonl
      compiles by the fastest of them; also at another size, or for another chip
  stencilc tune heat3d.mlir --extents 256,256,256 --steps 200 --measure 40 --seconds 600
      another size, a longer run, more plans, at most ten minutes
  stencilc tune heat3d.mlir --pack candidates
      for a GPU on a machine without the compiler: copy the folder there, and
      stencil-run --tune candidates
  stencilc tuned stencil-tuned.jsonl --add candidates/results.jsonl
      takes what that measured
  stencilc tune heat3d.mlir --space=queue
      how many slots of the queue of planes lie in registers, of those that are worth a run

Each plan is a package that stencil-run verifies and times in a process of its own: what hangs or
fails ends that plan, and is kept as such. A tuner that is stopped goes on where it was when it is
started again; several may share a file.";

/// Measures plans of a function on a GPU, and remembers the fastest.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct TuneOptions {
    /// The program: MLIR text with the stencil dialect, or STENCILGEN's language (.idsl, .dsl); `-`
    /// for standard input.
    pub file: PathBuf,

    /// The function to tune; needed if the program has several.
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,

    #[command(flatten)]
    pub values: ValueOptions,

    /// Time steps of a run: enough that sweeps of many steps can be told from sweeps of few.
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,

    /// The file that measurements are kept in; it is made, or grows.
    #[arg(long, value_name = "FILE.jsonl", default_value = "stencil-tuned.jsonl")]
    pub store: PathBuf,

    /// Plans that are measured at most, beside the compiler's own choice; of each kernel or loop
    /// that takes a part of the time at least three, or so many.
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub measure: usize,

    /// No further plan is begun after so many seconds.
    #[arg(long, value_name = "SECONDS")]
    pub seconds: Option<u64>,

    /// Which plans are searched.
    #[arg(long, value_name = "SPACE", default_value = "plans")]
    pub space: SearchSpace,

    /// Timed runs of each plan.
    #[arg(long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: u32,

    /// How long verifying and timing one plan may take, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub timeout: u64,

    /// Writes plans as packages to a folder, for stencil-run --tune, and measures nothing.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["replay", "seconds"])]
    pub pack: Option<PathBuf>,

    /// Takes times from the store in the place of a GPU, as if they were measured now: shows how
    /// soon the search finds the fastest plan that is known.
    #[arg(long)]
    pub replay: bool,

    /// Adds results of another tuner, in its T4 format, to the store: the keys of its
    /// configurations are those of plans. Measures nothing.
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["pack", "replay"])]
    pub import: Option<PathBuf>,

    /// Keys that every plan has.
    #[arg(long, value_name = "KEY=VALUE,...", default_value = "", hide_default_value = true)]
    pub plan: PlanRequest,

    #[command(flatten)]
    pub target: TargetOptions,

    /// The version of PTX; by default the oldest that suffices.
    #[arg(long, value_name = "X.Y")]
    pub ptx_version: Option<String>,

    /// Puts the kernels' LLVM IR into packages, to run them on the emulated driver.
    #[arg(long)]
    pub keep_ir: bool,

    /// The device that measures, counted from 0.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub device: usize,

    #[command(flatten)]
    pub reading: ReadingOptions,
}

/// Which plans are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SearchSpace {
    /// Mappings, time steps, tiles, loads, caps of registers, schedules.
    Plans,
    /// Slots of the queue of planes in registers, by the search of the hybrid circular queue.
    Queue,
}

impl TuneOptions {
    fn run(&self) -> Run {
        Run { requests: self.values.requests(), steps: self.steps }
    }

    /// What to compile for: the device that measures, if one does.
    fn target(&self) -> Result<Target, DriverError> {
        let measures = self.pack.is_none() && !self.replay && self.import.is_none();
        let device = measures.then_some(self.device);
        self.target.on_device(device, self.ptx_version.as_deref())
    }
}

/// Searches, packs, replays or imports.
pub fn tune(input: &Input, options: &TuneOptions) -> Result<ExitCode, DriverError> {
    let reading = options.reading.of(input)?;
    let target = options.target()?;
    if let Some(chip) = Chip::of(&target).text() {
        eprintln!("note: chip: {chip}");
    }
    let context = new_context();
    let session = Session::new(&context, input, target).with_plan(options.plan.clone());
    let module = session.read(&reading)?;
    let name = choose_function(&module, &input.name, options.function.as_deref())?;
    let mut tuned = Tuned::new(&session, &module, name, &options.run())?;
    tuned.keep_ir = options.keep_ir;
    if let Some(file) = &options.import {
        return import(&tuned, file, &options.store);
    }
    let mut sites = candidates::of(&tuned)?;
    if options.space == SearchSpace::Queue {
        sites = queue::sites(&tuned, sites);
    }
    let known = store::read(&options.store)?;
    let of_subject = known.iter().filter(|record| record.subject == tuned.subject).cloned();
    let of_subject = of_subject.collect::<Vec<_>>();
    if let Some(folder) = &options.pack {
        let count = pack::pack(&tuned, &sites, &of_subject, options.measure, folder)?;
        let folder = folder.display();
        outputs::print(
            format!(
                "{count} plans in {folder}; on a machine with a GPU: stencil-run --tune {folder}\n"
            )
            .as_bytes(),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    let budget = Budget {
        plans: options.measure,
        until: options.seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds)),
    };
    if options.replay {
        return replay(&tuned, &sites, of_subject, budget);
    }
    let store = Store::open(&options.store)?;
    let devices = cuda::list_devices().map_err(RuntimeError::from)?;
    let device = devices.get(options.device).ok_or_else(|| {
        let count = devices.len();
        DriverError::Option(format!("--device {}: this machine has {count}", options.device))
    })?;
    let number = ["--device".to_owned(), options.device.to_string()];
    let setup = Setup {
        program: gpu::find()?,
        options: [tuned.options.as_slice(), &number].concat(),
        repeat: options.repeat,
        timeout: Duration::from_secs(options.timeout),
    };
    let mut on_gpu = OnGpu::new(setup, &store, &device.name);
    let on_chip = of_subject.into_iter().filter(|it| it.machine.chip == device.name);
    let mut watch = |step: &Step| eprintln!("{}", line(step));
    let search = Search::new(&tuned, on_chip, budget, &mut on_gpu, &mut watch);
    let outcomes = search.run(&sites)?;
    let store = options.store.display();
    let kept = format!("kept in {store}; compile with --tuned={store}\n");
    outputs::print((summary(&outcomes) + &kept).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// A measurement, as a line.
fn line(step: &Step) -> String {
    let number = match step.number {
        0 => "default".to_owned(),
        number => format!("{number:>3} {}", step.site),
    };
    let predicted = step.record.candidate.predicted_us;
    let predicted = predicted.map_or(String::new(), |us| format!(", {us:.1} us a step predicted"));
    let found = match &step.record.outcome {
        Outcome::Measured(times) => {
            let best = match step.best_us {
                Some(best) if best < times.median_us => {
                    format!(", {:+.1} %", 100.0 * (times.median_us / best - 1.0))
                }
                _ => ", fastest so far".to_owned(),
            };
            format!("{:.1} us{best}", times.median_us)
        }
        Outcome::Failed { message, .. } => format!("no time: {message}"),
    };
    let known = if step.is_known { ", known before" } else { "" };
    let plan = &step.record.candidate.plan;
    format!("{number:<12} {found}{predicted}{known}  {plan}").trim_end().to_owned()
}

/// What a search found.
fn summary(outcomes: &Outcomes) -> String {
    let time = |record: &Record| record.median_us().unwrap_or(f64::NAN);
    let (default, best) = (time(&outcomes.default), time(&outcomes.best));
    let spread = match &outcomes.best.outcome {
        Outcome::Measured(times) => 100.0 * times.spread,
        Outcome::Failed { .. } => f64::NAN,
    };
    let ended = match outcomes.is_complete {
        true => "no other is expected to be faster",
        false => "more would be measured with a larger --measure or --seconds",
    };
    format!(
        "default  {default:.1} us\nfastest  {best:.1} us (spread {spread:.1} %), {:.3} times as \
         fast; {} plans measured, {ended}\nplan     {}\n",
        default / best,
        outcomes.measured,
        outcomes.best.candidate.decided
    )
}

/// Searches with the times of a store in the place of measurements.
fn replay(
    tuned: &Tuned,
    sites: &[candidates::Site],
    known: Vec<Record>,
    budget: Budget,
) -> Result<ExitCode, DriverError> {
    let count = known.len();
    let mut replayed = Replay::new(known);
    let best = replayed.best_us().ok_or_else(|| {
        let problem = "the store has no time of this function, size and run";
        DriverError::Option(format!("{problem}; measure some, or name another --store"))
    })?;
    let mut needed = None;
    let mut watch = |step: &Step| {
        let is_near = step.best_us.is_some_and(|us| us * 0.99 <= best);
        if is_near && needed.is_none() {
            needed = Some(step.number);
        }
        eprintln!("{}", line(step));
    };
    let search = Search::new(tuned, [], budget, &mut replayed, &mut watch);
    let outcomes = search.run(sites)?;
    let found = outcomes.best.median_us().unwrap_or(f64::NAN);
    let needed = match needed {
        Some(number) => format!("99 % of it after {number} plans beside the default"),
        None => "99 % of it was not reached".to_owned(),
    };
    let text = format!(
        "{}known    {count} plans, the fastest {best:.1} us: {:.1} % of its speed found; \
         {needed}\n",
        summary(&outcomes),
        100.0 * best / found
    );
    outputs::print(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Adds results of another tuner.
fn import(tuned: &Tuned, file: &Path, path: &Path) -> Result<ExitCode, DriverError> {
    let name = file.display().to_string();
    let text = fs::read_to_string(file)
        .map_err(|source| DriverError::Input { name: name.clone(), source })?;
    let template = tuned.template();
    let imported = t4::import(&text, Some(&template))
        .map_err(|error| DriverError::Option(format!("'{name}': {error}")))?;
    let store = Store::open(path)?;
    let mut added = 0;
    for mut record in imported {
        let request = record.candidate.plan.parse::<PlanRequest>();
        let decided = request.map_err(|error| error.to_string()).and_then(|it| tuned.decided(&it));
        match decided {
            Ok(decided) => record.candidate.decided = decided,
            Err(why) => {
                eprintln!("note: '{}' is left out: {why}", record.candidate.plan);
                continue;
            }
        }
        store.append(&record)?;
        added += 1;
    }
    outputs::print(format!("{added} results added to {}\n", path.display()).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
