//! The command line of a program with ranks: that of `stencil-run`, without what is about one
//! process.

use crate::options::Options;
use clap::{CommandFactory, FromArgMatches, parser::ValueSource};

const ABOUT: &str = "\
Runs a kernel package that was compiled with --devices=N as N processes of MPI, with a GPU each";

const LONG_ABOUT: &str = "\
Runs a kernel package that was compiled with --devices=N as N processes of MPI, on one machine or \
several, each with an NVIDIA GPU.

Arguments, files, checksums and messages are those of stencil-run. A process reads its planes of the
fields in files, which all machines must reach; the first one writes results and the report.";

const EXAMPLES: &str = "\
Examples:
  stencilc compile heat3d.mlir --devices=8 -o heat3d.spk
  mpirun -n 8 stencil-run-mpi heat3d.spk --steps 1000 --arg u=start.npy --out-dir results
      eight GPUs, on the machines that mpirun was told
  srun -n 8 --gpus-per-node=4 stencil-run-mpi heat3d.spk --steps 1000 --time --report=heat.json
      the same by Slurm, timed
  mpirun -n 8 stencil-run-mpi heat3d.spk --steps 100 --verify
      compared bit for bit with plain kernels, which the first process runs on the whole domain

Exit codes: 0 done, 1 the program or its arguments are wrong or a verification found a difference,
2 the surroundings are wrong (no driver, no file, a damaged package), 70 an internal error.";

/// Options without a meaning for several processes.
const HIDDEN: [&str; 8] =
    ["devices", "every", "energy", "tune", "seconds", "timeout", "worker", "list_devices"];

const DEVICE: &str = "The device to use, counted from 0, the same number on every machine. By \
                      default processes of a machine take its devices in turn";

pub fn command() -> clap::Command {
    let command = Options::command().name("stencil-run-mpi").bin_name("stencil-run-mpi");
    let command = command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES);
    let command = HIDDEN
        .iter()
        .fold(command, |command, name| command.mut_arg(name, |argument| argument.hide(true)));
    command.mut_arg("device", |argument| argument.help(DEVICE).hide_default_value(true))
}

/// The options, and whether a device is among them.
pub fn parse() -> Result<(Options, bool), clap::Error> {
    let matches = command().try_get_matches()?;
    let has_device = matches.value_source("device") == Some(ValueSource::CommandLine);
    Ok((Options::from_arg_matches(&matches)?, has_device))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
        let help = command().render_long_help().to_string();
        assert!(help.contains("processes of MPI") && !help.contains("--every <N>"), "{help}");
    }
}
