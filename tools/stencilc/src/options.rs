//! The command line, and the help that teaches it.

use crate::{
    compare::CompareOptions,
    examples::{ACCURACY_EXAMPLES, COMPILE_EXAMPLES, EXAMPLES, PLANS_EXAMPLES, RUN_EXAMPLES},
    explain::ExplainOptions,
    reading::ReadingOptions,
    target::TargetOptions,
    tune::TuneOptions,
    tuned::TunedOptions,
    viz::VizOptions,
};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use stencil_driver::{
    DriverError, compile::Emit, pipelines::PlanRequest, run::Backend, target::Target,
};
use stencil_runtime::bind::{Assignment, Requests};

/// Compiles stencil programs to NVIDIA GPUs, and runs them anywhere.
#[derive(Debug, Parser)]
#[command(name = "stencilc", version, max_term_width = 100, after_help = EXAMPLES)]
pub struct Options {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Makes a kernel package, or any level on the way to it.
    Compile(CompileOptions),
    /// Runs one function of a program.
    Run(RunOptions),
    /// Bounds the rounding error that reassociation can cause, and measures it.
    Accuracy(AccuracyOptions),
    /// Compiles a program by several plans, and compares what each costs.
    Compare(CompareOptions),
    /// Says why the compiler chose the plans that it chose, and what it compared.
    Explain(ExplainOptions),
    /// Draws the order of a kernel's operations as SVG, or the roofline of a program.
    Viz(VizOptions),
    /// Measures plans of a function on a GPU, and remembers the fastest.
    Tune(TuneOptions),
    /// Shows, merges and exports measurements of plans.
    Tuned(TunedOptions),
    /// Lists the keys of plans, their values and what they mean.
    Plans(PlansOptions),
    /// Reports which tools and devices this machine has, and what is impossible without the others.
    Doctor(DoctorOptions),
    /// Writes manual pages and shell completions below a folder.
    #[command(hide = true)]
    GenerateHelp {
        /// The folder.
        folder: PathBuf,
    },
}

/// Lists the keys of plans, their values and what they mean.
#[derive(Debug, Args)]
#[command(after_help = PLANS_EXAMPLES)]
pub struct PlansOptions {
    /// A key; without one all keys are listed.
    pub key: Option<String>,

    /// Prints the whole reference, as a page in Markdown.
    #[arg(long, conflicts_with = "key")]
    pub markdown: bool,
}

/// Reports which tools and devices this machine has, and what is impossible without the others.
///
/// A small program is compiled and assembled, and the driver started. The exit code is 0 where the
/// compiler works, whatever else is missing, and 2 where it does not.
#[derive(Debug, Args)]
pub struct DoctorOptions {
    /// Text, or a list in JSON.
    #[arg(long, value_enum, default_value_t = DoctorFormat::Text)]
    pub format: DoctorFormat,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum DoctorFormat {
    /// A line or three for each part.
    Text,
    /// A list of objects.
    Json,
}

/// Makes a kernel package, or any level on the way to it.
#[derive(Debug, Args)]
#[command(after_help = COMPILE_EXAMPLES)]
pub struct CompileOptions {
    /// The program: MLIR text with the stencil dialect, STENCILGEN's language (.idsl, .dsl), or C
    /// and CUDA with pragma regions (.c, .cu); `-` for standard input.
    pub file: PathBuf,

    #[command(flatten)]
    pub target: TargetOptions,

    /// The version of PTX; by default the oldest that suffices, which most drivers accept.
    #[arg(long, value_name = "X.Y")]
    pub ptx_version: Option<String>,

    /// What to write, separated by commas.
    #[arg(long, value_name = "WHAT", value_delimiter = ',', default_value = "package")]
    pub emit: Vec<Emission>,

    /// Where to write: a file, a folder, or `-` for standard output.
    #[arg(short, long, value_name = "FILE|DIR|-")]
    pub output: Option<PathBuf>,

    /// Writes the report as JSON.
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,

    /// Keys of plans over what the compiler would choose, as points=8,max_registers=128; for one
    /// kernel as in stage0:points=8, by a name that the report shows. 'stencilc plans' lists them.
    #[arg(long, value_name = "KEY=VALUE,...", default_value = "", hide_default_value = true)]
    pub plan: PlanRequest,

    /// Compiles by the fastest plans that 'stencilc tune' has measured, at this size and for this
    /// chip or the nearest; without it those of the file that STENCIL_TUNED names, if it is set.
    #[arg(long, value_name = "FILE.jsonl")]
    pub tuned: Option<PathBuf>,

    /// Compiles for one more size: definitions as in -D L=128,M=128 for STENCILGEN programs,
    /// extents as in 128,128 for MLIR programs. As often as needed.
    #[arg(long = "size", value_name = "SIZE")]
    pub sizes: Vec<String>,

    /// Compiles for so many time steps, where the program states their number; it may differ from
    /// that by whole rotations of the fields.
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,

    /// Prints the passes that lead to what --emit names, as stencil-opt --pass-pipeline takes them,
    /// and does nothing else; PTX is made of the last of them.
    #[arg(long, conflicts_with_all = ["report", "sizes"])]
    pub print_pipeline: bool,

    /// Adds line information to PTX and to machine code made of it, for debuggers, profilers
    /// and --emit=sass.
    #[arg(long)]
    pub lineinfo: bool,

    /// Leaves plain kernels and the self-test out of the package: stencil-run cannot verify it.
    #[arg(long)]
    pub no_verification: bool,

    /// Puts the kernels' LLVM IR into the package, to run it without a GPU.
    #[arg(long)]
    pub keep_ir: bool,

    #[command(flatten)]
    pub reading: ReadingOptions,
}

/// Runs one function of a program.
#[derive(Debug, Args)]
#[command(after_help = RUN_EXAMPLES)]
pub struct RunOptions {
    /// The program: MLIR text with the stencil dialect, STENCILGEN's language (.idsl, .dsl), or C
    /// and CUDA with pragma regions (.c, .cu); `-` for standard input.
    pub file: PathBuf,

    /// What runs it; auto is a GPU if there is one, else the emulator.
    #[arg(long, value_name = "BACKEND", default_value = "auto")]
    pub on: On,

    /// The function to run; needed if the program has several.
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,

    #[command(flatten)]
    pub values: ValueOptions,

    /// Runs so many time steps: sets the argument that says how many, or takes the place of the
    /// number that the program states, from which it may differ by whole rotations of the fields.
    #[arg(long, value_name = "N", conflicts_with_all = ["same_after", "same_as"])]
    pub steps: Option<u64>,

    /// Writes every field argument after the run to DIR/<name>.npy, to DIR/arg<position>.npy where
    /// it has no name.
    #[arg(long, value_name = "DIR")]
    pub out_dir: Option<PathBuf>,

    /// Compares the result with the interpreter's, bit for bit.
    #[arg(long)]
    pub verify: bool,

    /// Runs the function before and after a pipeline, on the interpreter, and compares.
    #[arg(long, value_name = "PIPELINE", conflicts_with_all = ["verify", "out_dir", "report"])]
    pub same_after: Option<String>,

    /// Runs this program and another one on the same random input, on the interpreter, and compares
    /// the fields that they write, bit for bit.
    #[arg(long, value_name = "FILE",
          conflicts_with_all = ["same_after", "verify", "out_dir", "report", "print_signature"])]
    pub same_as: Option<PathBuf>,

    /// How far fields may differ under --same-as: relative to the largest magnitude of a field.
    #[arg(long, value_name = "RELATIVE", requires = "same_as")]
    pub within: Option<f64>,

    /// Runs kernels that were edited by hand instead of those that the compiler makes: PTX as
    /// --emit=ptx writes it. Needs a GPU.
    #[arg(long, value_name = "FILE.ptx", conflicts_with_all = ["same_after", "same_as"])]
    pub ptx: Option<PathBuf>,

    #[command(flatten)]
    pub target: TargetOptions,

    /// The version of PTX; by default the oldest that suffices.
    #[arg(long, value_name = "X.Y")]
    pub ptx_version: Option<String>,

    /// Keys of plans over what the compiler would choose, as points=8,max_registers=128; for one
    /// kernel as in stage0:points=8. 'stencilc plans' lists them.
    #[arg(long, value_name = "KEY=VALUE,...", default_value = "", hide_default_value = true)]
    pub plan: PlanRequest,

    /// Runs by the fastest plans that 'stencilc tune' has measured, at this size and for this
    /// chip or the nearest; without it those of the file that STENCIL_TUNED names, if it is set.
    #[arg(long, value_name = "FILE.jsonl")]
    pub tuned: Option<PathBuf>,

    /// On a GPU, measures kernel time over several runs. Other backends always say their time.
    #[arg(long)]
    pub time: bool,

    /// Timed runs on a GPU.
    #[arg(long, value_name = "N", default_value_t = 10, requires = "time",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: u32,

    /// Writes the report as JSON.
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,

    /// Does not use kernels that an earlier run left in STENCIL_CACHE_DIR or ~/.cache/stencil.
    #[arg(long)]
    pub no_cache: bool,

    /// Lists the arguments of the function and does not run it.
    #[arg(long)]
    pub print_signature: bool,

    #[command(flatten)]
    pub reading: ReadingOptions,
}

/// Bounds the rounding error that reassociation can cause, and measures it.
#[derive(Debug, Args)]
#[command(after_help = ACCURACY_EXAMPLES)]
pub struct AccuracyOptions {
    /// The programs: MLIR text with the stencil dialect, or STENCILGEN's language (.idsl, .dsl);
    /// `-` for standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Random points of each apply.
    #[arg(long, value_name = "N", default_value_t = 1_000_000,
          value_parser = clap::value_parser!(u64).range(1..))]
    pub points: u64,

    /// Seed of the points.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,

    /// Sets a symbol that a Devito program reads; others are random.
    #[arg(long = "symbol", value_name = "NAME=NUMBER")]
    pub symbols: Vec<Assignment>,

    /// Format of the results: text, an array of JSON, or a table of Markdown.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: AccuracyFormat,

    #[command(flatten)]
    pub reading: ReadingOptions,
}

/// How `stencilc accuracy` prints its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AccuracyFormat {
    Text,
    Json,
    Table,
}

/// What can be emitted, as clap reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emission(pub Emit);

impl ValueEnum for Emission {
    fn value_variants<'a>() -> &'a [Emission] {
        const ALL: [Emission; Emit::ALL.len()] = {
            let mut all = [Emission(Emit::Stencil); Emit::ALL.len()];
            let mut index = 0;
            while index < all.len() {
                all[index] = Emission(Emit::ALL[index]);
                index += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.0.name()))
    }
}

/// What a run can be asked to run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum On {
    Auto,
    Interpreter,
    Emulator,
    Gpu,
}

impl RunOptions {
    /// What runs the program.
    pub fn backend(&self) -> Backend {
        match self.on {
            On::Auto => Backend::automatic(),
            On::Interpreter => Backend::Interpreter,
            On::Emulator => Backend::Emulator,
            On::Gpu => Backend::Gpu,
        }
    }

    /// What to compile for: the first device, where a GPU runs the program.
    pub fn target(&self, backend: Backend) -> Result<Target, DriverError> {
        let ptx_version = self.ptx_version.as_deref();
        if backend == Backend::Gpu && self.target.chip.is_none() {
            return Target::on_device(self.target.target.as_deref(), 0, ptx_version);
        }
        self.target.of(ptx_version)
    }
}

/// Values of what a function takes.
#[derive(Args, Clone, Debug)]
pub struct ValueOptions {
    /// Sets an argument, by position or name, to an .npy file (a field) or a number (a scalar).
    #[arg(long = "arg", value_name = "N=VALUE")]
    pub arguments: Vec<Assignment>,

    /// Sets a symbol that a Devito program reads.
    #[arg(long = "symbol", value_name = "NAME=NUMBER")]
    pub symbols: Vec<Assignment>,

    /// Seed of the content of fields that are not given.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
}

impl ValueOptions {
    /// What was asked for, as the libraries take it.
    pub fn requests(&self) -> Requests {
        Requests {
            arguments: self.arguments.clone(),
            symbols: self.symbols.clone(),
            seed: self.seed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{CommandFactory, error::ErrorKind};

    fn parse(words: &[&str]) -> Result<Options, clap::Error> {
        Options::try_parse_from(["stencilc"].iter().chain(words))
    }

    /// Options that are refused, with the kind of the error and the option that it names.
    fn refused(words: &str, kind: ErrorKind, named: &str) {
        let error = parse(&words.split(' ').collect::<Vec<_>>()).unwrap_err();
        assert_eq!(error.kind(), kind, "{words}: {error}");
        assert!(error.to_string().contains(named), "{words}: {error}");
    }

    #[test]
    fn the_command_line_is_consistent() {
        Options::command().debug_assert();
    }

    #[test]
    fn emissions_are_a_list_of_known_names() {
        let Ok(Options { command: Command::Compile(options) }) =
            parse(&["compile", "a.mlir", "--emit=ptx,report"])
        else {
            panic!("the options are right");
        };
        assert_eq!(options.emit, [Emission(Emit::Ptx), Emission(Emit::Report)]);
        refused("compile a.mlir --emit=fatbin", ErrorKind::InvalidValue, "'fatbin'");
    }

    #[test]
    fn options_that_do_not_go_together_are_refused() {
        use ErrorKind::{ArgumentConflict, MissingRequiredArgument, ValueValidation};
        refused("run a.mlir --same-after=cse --verify", ArgumentConflict, "--verify");
        refused("run a.mlir --same-as=b.mlir --same-after=cse", ArgumentConflict, "--same-after");
        refused("run a.mlir --within=1e-6", MissingRequiredArgument, "--same-as");
        refused("run a.mlir --repeat=3", MissingRequiredArgument, "--time");
        refused("run a.mlir --arg u", ValueValidation, "'u' is not an assignment");
        refused("viz a.mlir", MissingRequiredArgument, "--trees");
        refused("viz a.mlir --trees --schedule", ArgumentConflict, "--schedule");
        assert!(parse(&["viz", "a.mlir", "--trees"]).is_ok());
        assert!(parse(&["run", "a.mlir", "--arg", "u=1", "--time", "--repeat=3"]).is_ok());
    }
}
