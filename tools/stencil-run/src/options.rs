//! The command line, and the help that teaches it.

use clap::Parser;
use std::path::PathBuf;
use stencil_runtime::bind::{Assignment, Requests};

const EXAMPLES: &str = "\
Examples:
  stencil-run heat3d.spk --print-signature
      what the program takes: position, name, shape and type of each argument
  stencil-run heat3d.spk --arg steps=100 --arg u=start.npy --out-dir results
      a run on a given start; results/arg0.npy, results/arg1.npy ... hold the fields after it
  stencil-run heat3d.spk --arg 2=100 --seed 7
      the same argument by position; fields that are not given are random, by seed
  stencil-run acoustic.spk --symbol dt=0.5 --symbol time_M=300
      scalars that stand for Devito symbols
  stencil-run j3d7pt.spk --in-dir start --out-dir results
      of a package with several sizes, the one whose fields have the extents of start/arg<N>.npy
  stencil-run heat3d.spk --arg 2=100 --time --repeat 20 --report=heat.json
      20 timed runs after one that warms up, median and spread; all numbers in heat.json

A field's file holds exactly its extents, dimension 0 slowest (NumPy's default order), with the
field's element type; bf16 is stored as its bits in uint16. Scalars must be given.

Exit codes: 0 done, 1 the program or its arguments are wrong, 2 the surroundings are wrong (no
driver, no file, a damaged package), 70 an internal error.";

/// Runs a kernel package, made by `stencilc compile`, on an NVIDIA GPU.
///
/// Needs the CUDA driver and nothing else.
#[derive(Debug, Parser)]
#[command(name = "stencil-run", version, after_help = EXAMPLES)]
pub struct Options {
    /// The package to run.
    pub package: PathBuf,

    /// The function to run; needed if the package has several that are not sizes of one.
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,

    /// Sets an argument, by position or name, to an .npy file (a field) or a number (a scalar).
    #[arg(long = "arg", value_name = "N=VALUE")]
    pub arguments: Vec<Assignment>,

    /// Reads every field whose file DIR/arg<N>.npy exists, as --out-dir writes them.
    #[arg(long, value_name = "DIR")]
    pub in_dir: Option<PathBuf>,

    /// Sets the scalar that stands for a Devito symbol.
    #[arg(long = "symbol", value_name = "NAME=NUMBER")]
    pub symbols: Vec<Assignment>,

    /// Seed of the content of fields that are not given.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,

    /// Writes every field argument after the run to DIR/arg<N>.npy.
    #[arg(long, value_name = "DIR")]
    pub out_dir: Option<PathBuf>,

    /// Compares every field after the run with DIR/arg<N>.npy of another run, bit for bit.
    #[arg(long, value_name = "DIR")]
    pub expect: Option<PathBuf>,

    /// Measures kernel time, with the device's clock and without copies from and to the host.
    #[arg(long)]
    pub time: bool,

    /// Timed runs, after one that warms up; each starts from the same content.
    #[arg(long, value_name = "N", default_value_t = 10, requires = "time",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: u32,

    /// The device to use, counted from 0.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub device: usize,

    /// Writes the report as JSON.
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,

    /// Lists the arguments of the function and does not run it; needs no GPU.
    #[arg(long)]
    pub print_signature: bool,
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Options::command().debug_assert();
    }

    #[test]
    fn repetitions_belong_to_timing() {
        let parse =
            |more: &[&str]| Options::try_parse_from(["stencil-run", "a.spk"].iter().chain(more));
        assert!(parse(&["--repeat", "3"]).is_err());
        assert!(parse(&["--time", "--repeat", "0"]).is_err());
        assert_eq!(parse(&["--time", "--repeat", "3"]).map(|o| o.repeat).ok(), Some(3));
        assert_eq!(parse(&["--time"]).map(|options| options.repeat).ok(), Some(10));
        assert!(parse(&["--arg", "u"]).is_err());
    }
}
