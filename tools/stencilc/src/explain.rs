//! `stencilc explain`, and its options.

use crate::{outputs, reading::ReadingOptions, target::TargetOptions};
use clap::Args;
use std::{path::PathBuf, process::ExitCode};
use stencil_driver::{
    DriverError, devices, explanation,
    input::Input,
    pipelines::PlanRequest,
    session::{Session, new_context},
};

const EXAMPLES: &str = "\
Examples:
  stencilc explain gray-scott3d.mlir
      each loop, group and kernel: its plan, the reason, what it was compared with
  stencilc explain gray-scott3d.mlir --kernel loop --all
      one of them, with every plan that was compared
  stencilc explain gray-scott3d.mlir --plan loop:steps=4
      what is predicted of another plan, beside those that are tried by default
  stencilc explain acoustic.mlir --target sm_80 --json
      all numbers for another GPU, as JSON
  stencilc explain heat3d.mlir --devices=8,64,512 --network=ib400
      what several devices that share the domain are predicted to gain

Times are predicted, for a step of a loop or for all statements of a group; none is measured. The
columns are the units that a step keeps busy, in microseconds: global memory, and the issue of
instructions, with the percentage of it that threads spend on exchanging values. A step takes as
long as the busier one (a launch outside of a loop as long as both), times how unevenly blocks fill
the chip, and the launch. Redundancy is points computed for each that is stored.

What a plan lost by is the part of its time that, were it as in the chosen plan, would save most.
No estimate tells the plans of a kernel with mapping thread apart, nor tiles of loops that were
measured: 'stencilc compare' shows what the assembler makes of some.";

/// Says why the compiler chose the plans that it chose, and what it compared.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ExplainOptions {
    /// The program: MLIR text with the stencil dialect, STENCILGEN's language (.idsl, .dsl), or C
    /// and CUDA with pragma regions (.c, .cu); `-` for standard input.
    pub file: PathBuf,

    /// The loop, group or kernel to explain, by the name that --plan takes; without it all.
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,

    /// Shows all plans that were compared, not only the fastest.
    #[arg(long, conflicts_with = "json")]
    pub all: bool,

    #[command(flatten)]
    pub target: TargetOptions,

    /// The version of PTX; by default the oldest that suffices. Plans do not depend on it.
    #[arg(long, value_name = "X.Y")]
    pub ptx_version: Option<String>,

    /// Keys of plans over what the compiler would choose, as points=8,max_registers=128; for one
    /// kernel as in stage0:points=8. 'stencilc plans' lists them.
    #[arg(long, value_name = "KEY=VALUE,...", default_value = "", hide_default_value = true)]
    pub plan: PlanRequest,

    /// Prints everything as an object in JSON.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub reading: ReadingOptions,
}

/// Chooses plans, and prints why.
pub fn explain(input: &Input, options: &ExplainOptions) -> Result<ExitCode, DriverError> {
    let (counts, wanted) = options.reading.compared_devices();
    // Plans are those of a window for one number of devices, and of the whole domain for several.
    let whole = options.reading.whole().of(input)?;
    let reading = if counts.len() > 1 { whole.clone() } else { options.reading.of(input)? };
    let target = options.target.of(options.ptx_version.as_deref())?;
    let context = new_context();
    let session = Session::new(&context, input, target).with_plan(options.plan.clone());
    let module = session.read(&reading)?;
    let frozen = session.freeze(&module)?;
    let mut explanation = explanation::explain(&session, &frozen, options.kernel.as_deref())?;
    if counts.iter().any(|count| count.get() > 1) {
        explanation.devices = devices::predict(&session, &whole, counts, wanted)?;
    }
    let text = match options.json {
        true => explanation::json(&explanation),
        false => explanation::text(&explanation, options.all),
    };
    outputs::print(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
