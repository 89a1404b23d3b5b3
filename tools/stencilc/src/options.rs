//! The command line, and the help that teaches it.

use crate::{compare::CompareOptions, reading::ReadingOptions, viz::VizOptions};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use stencil_driver::{compile::Emit, pipelines::PlanRequest, run::Backend};
use stencil_runtime::bind::{Assignment, Requests};

const EXAMPLES: &str = "\
Examples:
  stencilc compile heat3d.mlir
      heat3d.spk, the kernel package that stencil-run takes
  stencilc compile old.idsl --emit=ptx
      the PTX of a program in the language of STENCILGEN and ARTEMIS
  stencilc compile heat3d.mlir --target sm_80 --emit=ptx | less
      the PTX of the kernels
  stencilc run heat3d.mlir --arg steps=10 --verify
      ten steps on a GPU if there is one, else emulated; compared with the interpreter
  stencilc compare heat3d.mlir --plan points=4 --plan points=8
      registers, spills, occupancy and instructions of two plans beside each other
  stencilc viz heat3d.mlir --schedule -o heat3d.svg
      how many registers are live along the operations of the kernel
  stencilc accuracy heat3d.mlir
      how far results may lie, and do lie, from those of the text without re-association
  stencilc plans max_registers
      what a key of --plan means
  stencilc doctor
      whether there are an assembler, a driver, a GPU, and what can be done without

'stencilc compile --help' and so on say more.

Exit codes: 0 done, 1 the program or its arguments are wrong (or a verification failed), 2 the
surroundings are wrong (no file, no device, no tool), 70 an internal error.";

const COMPILE_EXAMPLES: &str = "\
Examples:
  stencilc compile heat3d.mlir
      writes heat3d.spk and prints a report
  stencilc compile heat3d.mlir -o build/
      the same as build/heat3d.spk
  stencilc compile heat3d.mlir --emit=ptx
      PTX on standard output, and nothing else
  stencilc compile heat3d.mlir --emit=stencil,gpu,ptx,package,report -o build/
      build/heat3d.stencil.mlir, .gpu.mlir, .ptx, .spk and .report.json
  stencilc compile heat3d.mlir --element-type=f32 --plan mapping=thread,points=8
      the same program in single precision, with eight points per thread and no sweep
  stencilc compile heat3d.mlir --plan max_registers=64,demote=fit
      as many values in shared memory as are predicted to be fastest; asks ptxas and nvdisasm
  stencilc compile heat3d.mlir --emit=gpu --print-pipeline
      the passes from the program to its kernels, for stencil-opt --pass-pipeline=...
  stencilc compile heat3d.gpu.mlir --emit=ptx
      PTX of kernels that --emit=gpu has written
  cat heat3d.mlir | stencilc compile - --target sm_80 --ptx-version 7.8 --emit=llvm
      the program from standard input, LLVM IR for an older GPU and driver
  stencilc compile heat3d.mlir --emit=header,launcher -o src/
      src/heat3d.h and src/heat3d.c, to be compiled into your program; they need cuda.h only
  stencilc compile old.idsl --emit=ptx
      the kernels of a program written for STENCILGEN or ARTEMIS; its pragmas are read
  stencilc compile j3d7pt.idsl -D L=64,M=64,N=64 --size L=128,M=128,N=128 --size L=256
      functions for three sizes in j3d7pt.spk; stencil-run takes the one that fits the fields

What can be emitted, each made from the one before:
  stencil   bounds inferred, arithmetic frozen: what the interpreter runs   .stencil.mlir
  pipeline  which plane each level of a sweep computes when, drawn          .pipeline.txt
  gpu       kernels and the host program                                    .gpu.mlir
  nvvm      kernels in the LLVM and NVVM dialects                           .nvvm.mlir
  llvm      kernels in LLVM IR                                              .ll
  ptx       kernels in PTX                                                  .ptx
  cubin     machine code; needs ptxas                                       .cubin
  sass      machine code as text; needs ptxas and nvdisasm                  .sass
  package   host program, PTX, and a cubin if there is ptxas                .spk
  header    the functions of the launcher, for C and C++                    .h
  launcher  kernels and host program in C on the CUDA driver API            .c
  fortran   a Fortran module over the launcher                              .f90
  report    grid, registers, spills, occupancy, bounds                      .report.json

Without -o one text goes to standard output, and anything else to files in the current folder. A
report that goes to a file is JSON.";

const RUN_EXAMPLES: &str = "\
Examples:
  stencilc run j3d7pt.idsl -D L=64 -D M=64 -D N=64 --verify
      a STENCILGEN program at this size, on a GPU if there is one, else emulated; compared with the
      interpreter, bit for bit
  stencilc run j3d7pt.idsl -D L=64,M=64,N=64 --same-as j3d7pt.mlir
      two programs on the same random input, on the interpreter; the MLIR one is made to fit
  stencilc run heat3d.mlir --print-signature
      what the function takes: position, name, shape and type of each argument
  stencilc run heat3d.mlir --arg steps=10 --verify
      ten time steps: scalars are given by name or position
  stencilc run heat3d.mlir --on=interpreter --arg u=start.npy --arg 2=10 --out-dir results
      a run from a given start; results/u.npy, results/v.npy ... hold the fields after it
  stencilc run acoustic.mlir --symbol dt=0.5 --symbol time_m=0 --symbol time_M=300
      values for the symbols that a Devito program reads
  stencilc run heat3d.mlir --on=gpu --arg steps=100 --time --report=heat.json
      ten timed runs, and all numbers as JSON
  stencilc run heat3d.mlir --on=gpu --arg steps=10 --ptx=edited.ptx --verify
      the PTX of 'stencilc compile --emit=ptx' after changes by hand, compared with the interpreter
  stencilc run a.mlir --same-after='func.func(stencil-infer-bounds)' --seed=1
      a program before and after a pipeline, on the same random input, on the interpreter

Positions count all arguments; those that stand for symbols come last. A field's file holds exactly
its extents, dimension 0 slowest (NumPy's default order), with the field's element type; bf16 is
stored as its bits in uint16. Fields that are not given are random, by seed; scalars must be
given.";

const ACCURACY_EXAMPLES: &str = "\
Examples:
  stencilc accuracy 2d25pt.mlir
      a million random points: the largest difference between the arithmetic of the text and what
      is computed, and a bound that is derived for each point
  stencilc accuracy hypterm.idsl --element-type=f32 --points=100000 --seed=7
      other points, in single precision
  stencilc accuracy test/kernels/2d*.mlir --format=table
      several programs, a line each
  stencilc accuracy acoustic.mlir --symbol dt=0.5
      with this number for a symbol, which is random like cells otherwise

Every stencil.apply is looked at by itself, on random cells as 'stencilc run' makes them. The bound
covers the rounding of both forms, and weights that were multiplied out, added or divided; how it
is derived, and what it is for the benchmarks: passes/docs/accuracy.md. An error beyond its bound is
a bug of the compiler: it is shown, and the exit code is 1.";

const PLANS_EXAMPLES: &str = "\
Examples:
  stencilc plans
      all keys, with their values
  stencilc plans loads
      what loads means, its default, the mappings that take it, and the keys that it goes with
  stencilc compile heat3d.mlir --plan max_registers=128
      one key over what the compiler would choose; the report says the whole plan, and why
  stencilc compile heat3d.mlir --plan max_registers=128,stage0:steps=2
      keys for every kernel, and then those for one; reports say what kernels are called";

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
    /// Bounds what re-associated arithmetic changes, and shows what it does.
    Accuracy(AccuracyOptions),
    /// Compiles a program by several plans, and shows what each costs beside the others.
    Compare(CompareOptions),
    /// Draws the order of a kernel's operations, as SVG.
    Viz(VizOptions),
    /// Says what the keys of a plan are, and what each of them means.
    Plans(PlansOptions),
    /// Says what this machine has of all that the compiler can use, and what each lack costs.
    Doctor(DoctorOptions),
    /// Writes manual pages and shell completions below a folder.
    #[command(hide = true)]
    GenerateHelp {
        /// The folder.
        folder: PathBuf,
    },
}

/// Says what the keys of a plan are, and what each of them means.
#[derive(Debug, Args)]
#[command(after_help = PLANS_EXAMPLES)]
pub struct PlansOptions {
    /// A key; without one all keys are listed.
    pub key: Option<String>,

    /// Prints the whole reference, as a page in Markdown.
    #[arg(long, conflicts_with = "key")]
    pub markdown: bool,
}

/// Says what this machine has of all that the compiler can use, and what each lack costs.
///
/// A small program is compiled and assembled, and the driver started. The exit code is 0 where the
/// compiler works, whatever else is missing, and 2 where it does not.
#[derive(Debug, Args)]
pub struct DoctorOptions {
    /// Text for people, or a list in JSON.
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
    /// The program: MLIR text with the stencil dialect, or STENCILGEN's language (.idsl, .dsl); `-`
    /// for standard input.
    pub file: PathBuf,

    /// The GPU to compile for: sm_80, sm_89, sm_90, sm_90a, sm_100, or native for this machine's.
    #[arg(long, value_name = "NAME", default_value = stencil_driver::target::DEFAULT)]
    pub target: String,

    /// The version of PTX; without it the oldest that will do, so that most drivers take it.
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

    /// Lets PTX, and machine code made of it, name the lines of the source for debuggers,
    /// profilers and --emit=sass.
    #[arg(long)]
    pub lineinfo: bool,

    /// Leaves plain kernels and the self-test out of the package: stencil-run cannot verify it.
    #[arg(long)]
    pub no_verification: bool,

    /// Puts the kernels' LLVM IR into the package, for whoever runs it without a GPU.
    #[arg(long)]
    pub keep_ir: bool,

    #[command(flatten)]
    pub reading: ReadingOptions,
}

/// Runs one function of a program.
#[derive(Debug, Args)]
#[command(after_help = RUN_EXAMPLES)]
pub struct RunOptions {
    /// The program: MLIR text with the stencil dialect, or STENCILGEN's language (.idsl, .dsl); `-`
    /// for standard input.
    pub file: PathBuf,

    /// What runs it; auto takes a GPU if there is one, else the emulator.
    #[arg(long, value_name = "BACKEND", default_value = "auto")]
    pub on: On,

    /// The function to run; needed if the program has several.
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,

    /// Sets an argument, by position or name, to an .npy file (a field) or a number (a scalar).
    #[arg(long = "arg", value_name = "N=VALUE")]
    pub arguments: Vec<Assignment>,

    /// Sets a symbol that a Devito program reads.
    #[arg(long = "symbol", value_name = "NAME=NUMBER")]
    pub symbols: Vec<Assignment>,

    /// Seed of the content of fields that are not given.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,

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

    /// Runs kernels that were edited by hand in the place of those that the compiler makes: PTX as
    /// --emit=ptx writes it. Needs a GPU.
    #[arg(long, value_name = "FILE.ptx", conflicts_with_all = ["same_after", "same_as"])]
    pub ptx: Option<PathBuf>,

    /// The GPU to compile for; without it the GPU that runs the program, or sm_90a.
    #[arg(long, value_name = "NAME")]
    pub target: Option<String>,

    /// The version of PTX; without it the oldest that will do.
    #[arg(long, value_name = "X.Y")]
    pub ptx_version: Option<String>,

    /// Keys of plans over what the compiler would choose, as points=8,max_registers=128; for one
    /// kernel as in stage0:points=8. 'stencilc plans' lists them.
    #[arg(long, value_name = "KEY=VALUE,...", default_value = "", hide_default_value = true)]
    pub plan: PlanRequest,

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

    /// Lists the arguments of the function and does not run it.
    #[arg(long)]
    pub print_signature: bool,

    #[command(flatten)]
    pub reading: ReadingOptions,
}

/// Bounds what re-associated arithmetic changes, and shows what it does.
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

    /// How to say what was found: for people, as an array of JSON, or as a table of Markdown.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: AccuracyFormat,

    #[command(flatten)]
    pub reading: ReadingOptions,
}

/// How `stencilc accuracy` says what it found.
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

    /// The target to compile for, where none is named.
    pub fn target(&self, backend: Backend) -> &str {
        match (&self.target, backend) {
            (Some(name), _) => name,
            (None, Backend::Gpu) => "native",
            (None, _) => stencil_driver::target::DEFAULT,
        }
    }

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
    use clap::CommandFactory;

    fn parse(words: &[&str]) -> Result<Options, clap::Error> {
        Options::try_parse_from(["stencilc"].iter().chain(words))
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
        assert!(parse(&["compile", "a.mlir", "--emit=fatbin"]).is_err());
    }

    #[test]
    fn options_that_do_not_go_together_are_refused() {
        assert!(parse(&["run", "a.mlir", "--same-after=cse", "--verify"]).is_err());
        assert!(parse(&["run", "a.mlir", "--same-as=b.mlir", "--same-after=cse"]).is_err());
        assert!(parse(&["run", "a.mlir", "--within=1e-6"]).is_err());
        assert!(parse(&["run", "a.mlir", "--repeat=3"]).is_err());
        assert!(parse(&["run", "a.mlir", "--arg", "u"]).is_err());
        assert!(parse(&["viz", "a.mlir"]).is_err());
        assert!(parse(&["viz", "a.mlir", "--trees", "--schedule"]).is_err());
        assert!(parse(&["viz", "a.mlir", "--trees"]).is_ok());
        assert!(parse(&["run", "a.mlir", "--arg", "u=1", "--time", "--repeat=3"]).is_ok());
    }
}
