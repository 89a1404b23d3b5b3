//! The command line, and the help that teaches it.

use clap::Parser;
use std::{num::NonZeroU64, path::PathBuf, str::FromStr};
use stencil_runtime::{
    bind::{Assignment, Requests},
    measure::Repetitions,
};

const EXAMPLES: &str = "\
Examples:
  stencil-run heat3d.spk --print-signature
      what the program takes: position, name, shape and type of each argument
  stencil-run heat3d.spk --arg steps=100 --arg u=start.npy --out-dir results
      a run on a given start; results/u.npy, results/v.npy ... hold the fields after it
  stencil-run heat3d.spk --steps 100 --seed 7
      the number of time steps, whatever the program calls it; fields that are not given are
      random, by seed
  stencil-run acoustic.spk --symbol dt=0.5 --symbol time_M=300
      scalars of Devito symbols
  stencil-run j3d7pt.spk --in-dir start --out-dir results
      of a package with several sizes, the one whose fields have the extents of the files in start
  stencil-run heat3d.spk --extents 100,200,300 --verify
      of a package for run-time sizes, random fields of these extents
  stencil-run heat3d.spk --steps 1000 --every 100 --out-dir results
      also results/step-00000100, results/step-00000200 ..., each a start for another run:
      stencil-run heat3d.spk --steps 800 --in-dir results/step-00000200
  stencil-run heat3d.spk --steps 100 --selftest --verify
      compares the package with the interpreter's results at a small size, and this run with plain
      kernels, bit for bit
  stencil-run heat3d.spk --steps 100 --verify --time --energy --report=heat.json
      verified, then timed, and verified again; median, spread, joules; all numbers in heat.json
  stencil-run --tune candidates --seconds 300
      measures the plans that 'stencilc tune --pack candidates' wrote, for at most five minutes

A field's file holds exactly its extents, dimension 0 slowest (NumPy's default order), with the
field's element type; bf16 is stored as its bits in uint16. Scalars must be given.

Exit codes: 0 done, 1 the program or its arguments are wrong or a verification found a difference,
2 the surroundings are wrong (no driver, no file, a damaged package), 70 an internal error.";

/// Runs a kernel package, made by `stencilc compile`, on an NVIDIA GPU.
///
/// Needs the CUDA driver and nothing else.
#[derive(Debug, Parser)]
#[command(name = "stencil-run", version, after_help = EXAMPLES)]
pub struct Options {
    /// The package to run.
    #[arg(required_unless_present_any = ["list_devices", "generate_help", "tune", "worker"])]
    pub package: Option<PathBuf>,

    /// Writes manual pages and shell completions below a folder, and does nothing else.
    #[arg(long, value_name = "DIR", hide = true, exclusive = true)]
    pub generate_help: Option<PathBuf>,

    /// The function to run; needed if the package has several that are not sizes of one.
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,

    /// Sets an argument, by position or name, to an .npy file (a field) or a number (a scalar).
    #[arg(long = "arg", value_name = "N=VALUE")]
    pub arguments: Vec<Assignment>,

    /// Reads every field whose file DIR/<name>.npy exists, as --out-dir and --every write them.
    #[arg(long, value_name = "DIR")]
    pub in_dir: Option<PathBuf>,

    /// Sets the scalar of a Devito symbol.
    #[arg(long = "symbol", value_name = "NAME=NUMBER")]
    pub symbols: Vec<Assignment>,

    /// Extents of the domain, slowest dimension first, of a program that was compiled with
    /// --sizes=run-time; without it those of the fields that are given, or of the program.
    #[arg(long, value_name = "N,N,...")]
    pub extents: Option<Extents>,

    /// Sizes that the program left open, as in -D N=64,M=32; without it those of the fields that
    /// are given, or those that its plans were chosen for.
    #[arg(short = 'D', value_name = "NAME=INTEGER", conflicts_with = "extents")]
    pub sizes: Vec<Sizes>,

    /// Seed of the content of fields that are not given.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,

    /// Runs so many time steps, also where the program has a constant; --print-signature says
    /// which numbers it takes.
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,

    /// Writes every field argument after the run to DIR/<name>.npy, to DIR/arg<position>.npy where
    /// it has no name.
    #[arg(long, value_name = "DIR")]
    pub out_dir: Option<PathBuf>,

    /// Writes the fields of the time loop after every N steps to DIR/step-<number>/<name>.npy,
    /// where DIR is that of --out-dir; run.json beside them says what they are. The run goes on
    /// meanwhile, with two copies of these fields on the host and, if there is room, one on the
    /// device.
    #[arg(long, value_name = "N", requires = "out_dir")]
    pub every: Option<NonZeroU64>,

    /// Compares every field after the run with DIR/<name>.npy of another run, bit for bit.
    #[arg(long, value_name = "DIR")]
    pub expect: Option<PathBuf>,

    /// Runs the plain kernels of the package on the same input as well, and compares every field,
    /// bit for bit; a timed run is compared too.
    #[arg(long)]
    pub verify: bool,

    /// Runs PTX that was edited by hand in the place of the package's kernels; --verify compares it
    /// with the plain kernels, which are as they were.
    #[arg(long, value_name = "FILE.ptx")]
    pub ptx: Option<PathBuf>,

    /// Runs the program at the small size for which the package has the interpreter's results, and
    /// compares checksums; without another option nothing else is run.
    #[arg(long)]
    pub selftest: bool,

    /// Measures kernel time, with the device's clock and without copies from and to the host.
    #[arg(long, group = "measures")]
    pub time: bool,

    /// Verifies and times the plans of a folder that 'stencilc tune --pack' wrote, those that were
    /// not measured yet, and appends the times to DIR/results.jsonl.
    #[arg(long, value_name = "DIR", group = "measures", conflicts_with_all = ["package", "time"])]
    pub tune: Option<PathBuf>,

    /// Verifies and times packages that standard input names, for tuners.
    #[arg(long, hide = true, group = "measures", conflicts_with_all = ["package", "time"])]
    pub worker: bool,

    /// No further plan of --tune is begun after so many seconds.
    #[arg(long, value_name = "SECONDS", requires = "tune")]
    pub seconds: Option<u64>,

    /// How long verifying and timing one plan of --tune may take, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, requires = "tune")]
    pub timeout: u64,

    /// Timed runs; each starts from the same content. Of --time and --tune.
    #[arg(long, value_name = "N", default_value_t = 10, requires = "measures",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: u32,

    /// Runs before the first that is timed.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "time")]
    pub warm_up: u32,

    /// Measures energy as well, over about two seconds of runs, with NVIDIA's management library.
    #[arg(long, requires = "time")]
    pub energy: bool,

    /// Waits for each kernel of the run, so that a failure names it; timed runs never do.
    #[arg(long)]
    pub synchronous: bool,

    /// The device to use, counted from 0.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub device: usize,

    /// The devices that share the domain of a package compiled with --devices: how many, the first
    /// ones, or their numbers, as in 0,1. A number may occur several times: such a device computes
    /// several windows. By default the first ones.
    #[arg(long, value_name = "N|N,N,...", conflicts_with_all = ["device", "every", "energy"])]
    pub devices: Option<Devices>,

    /// Writes the report as JSON.
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,

    /// Lists the arguments of the function and does not run it; needs no GPU.
    #[arg(long)]
    pub print_signature: bool,

    /// Lists the devices of this machine: number, name, compute capability, memory, driver.
    #[arg(long)]
    pub list_devices: bool,
}

/// Extents of a domain, as typed: `64,64,128`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extents(pub Vec<u64>);

impl FromStr for Extents {
    type Err = String;

    fn from_str(text: &str) -> Result<Extents, String> {
        let extent = |part: &str| part.trim().parse().ok().filter(|extent| *extent > 0);
        let extents = text.split(',').map(extent).collect::<Option<Vec<u64>>>();
        let remedy = "write positive integers with commas, as in 64,64,128";
        extents.map(Extents).ok_or_else(|| format!("they are no extents; {remedy}"))
    }
}

/// Values of sizes, as typed: `N=64,M=32`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes(pub Vec<(String, i64)>);

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Sizes, String> {
        let size = |part: &str| {
            let (name, value) = part.split_once('=')?;
            let name = Some(name.trim()).filter(|name| !name.is_empty())?;
            Some((name.to_owned(), value.trim().parse().ok()?))
        };
        let sizes = text.split(',').map(size).collect::<Option<Vec<_>>>();
        let remedy = "write names and integers, as in N=64,M=32";
        sizes.map(Sizes).ok_or_else(|| format!("'{text}' is no size; {remedy}"))
    }
}

/// Several devices, as typed: `2` or `0,1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Devices(pub Vec<usize>);

impl FromStr for Devices {
    type Err = String;

    fn from_str(text: &str) -> Result<Devices, String> {
        /// More than any machine has.
        const DEVICES_MAX: usize = 1024;
        let wrong = || format!("'{text}' names no devices; write 2 for the first two, or 0,1");
        let number = |part: &str| part.trim().parse::<usize>().ok();
        if !text.contains(',') {
            let count = number(text).filter(|count| (1..=DEVICES_MAX).contains(count));
            return count.map(|count| Devices((0..count).collect())).ok_or_else(wrong);
        }
        text.split(',').map(number).collect::<Option<_>>().map(Devices).ok_or_else(wrong)
    }
}

impl Options {
    /// What was asked for, as the library takes it.
    pub fn requests(&self) -> Requests {
        Requests {
            arguments: self.arguments.clone(),
            symbols: self.symbols.clone(),
            seed: self.seed,
        }
    }

    /// How often the program runs to be timed.
    pub fn repetitions(&self) -> Repetitions {
        Repetitions { warm_up: self.warm_up, repeat: self.repeat }
    }

    /// Whether the self-test is all that is asked for.
    pub fn is_selftest_only(&self) -> bool {
        let given = !self.arguments.is_empty() || !self.symbols.is_empty() || self.steps.is_some();
        let wanted = self.out_dir.is_some() || self.expect.is_some() || self.verify || self.time;
        self.selftest && !given && !wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{
        CommandFactory,
        error::ErrorKind::{self, MissingRequiredArgument, ValueValidation},
    };

    fn parse(more: &[&str]) -> Result<Options, clap::Error> {
        Options::try_parse_from(["stencil-run"].iter().chain(more))
    }

    /// Options that are refused, with the kind of the error and what it names.
    fn refused(more: &[&str], kind: ErrorKind, named: &str) {
        let error = parse(more).unwrap_err();
        assert_eq!(error.kind(), kind, "{more:?}: {error}");
        assert!(error.to_string().contains(named), "{more:?}: {error}");
    }

    #[test]
    fn the_command_line_is_consistent() {
        Options::command().debug_assert();
    }

    #[test]
    fn repetitions_belong_to_timing() {
        let parse = |more: &[&str]| parse(&[&["a.spk"], more].concat());
        refused(&["a.spk", "--repeat", "3"], MissingRequiredArgument, "--time");
        refused(&["a.spk", "--warm-up", "3"], MissingRequiredArgument, "--time");
        refused(&["a.spk", "--energy"], MissingRequiredArgument, "--time");
        refused(&["a.spk", "--time", "--repeat", "0"], ValueValidation, "0 is not in 1..");
        let repetitions = |more| parse(more).unwrap().repetitions();
        assert_eq!(
            repetitions(&["--time", "--repeat", "3", "--warm-up", "0"]),
            Repetitions { warm_up: 0, repeat: 3 }
        );
        assert_eq!(repetitions(&["--time"]), Repetitions { warm_up: 1, repeat: 10 });
        refused(&["a.spk", "--arg", "u"], ValueValidation, "'u' is not an assignment");
    }

    #[test]
    fn checkpoints_need_a_folder() {
        refused(&["a.spk", "--every", "5"], MissingRequiredArgument, "--out-dir");
        let none = ["a.spk", "--every", "0", "--out-dir", "out"];
        refused(&none, ValueValidation, "'0' for '--every");
        assert!(parse(&["a.spk", "--every", "5", "--out-dir", "out"]).is_ok());
    }

    #[test]
    fn devices_are_a_number_or_a_list() {
        let devices = |text: &str| text.parse::<Devices>().map(|Devices(list)| list);
        assert_eq!(devices("3"), Ok(vec![0, 1, 2]));
        assert_eq!(devices("0,0"), Ok(vec![0, 0]));
        for text in ["0", "", "a", "1,", "-1", "99999"] {
            assert!(devices(text).unwrap_err().contains("write 2 for the first two"), "{text}");
        }
        let both = ["a.spk", "--devices", "2", "--device", "1"];
        refused(&both, ErrorKind::ArgumentConflict, "--device");
    }

    #[test]
    fn a_package_is_needed_but_for_the_list_of_devices() {
        refused(&[], MissingRequiredArgument, "PACKAGE");
        assert!(parse(&["--list-devices"]).is_ok());
    }

    #[test]
    fn the_selftest_stands_alone_unless_more_is_asked_for() {
        let alone = |more: &[&str]| parse(more).unwrap().is_selftest_only();
        assert!(alone(&["a.spk", "--selftest", "--device", "1", "--report", "r.json"]));
        assert!(!alone(&["a.spk"]));
        for more in ["--verify", "--time", "--steps=3", "--arg=0=u.npy", "--expect=out"] {
            assert!(!alone(&["a.spk", "--selftest", more]), "{more}");
        }
    }
}
