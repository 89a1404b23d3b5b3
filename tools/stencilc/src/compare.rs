//! `stencilc compare`, and its options.

use crate::{outputs, reading::ReadingOptions, target::TargetOptions};
use clap::Args;
use std::{path::PathBuf, process::ExitCode};
use stencil_driver::{
    DriverError, input::Input, pipelines::PlanRequest, session::new_context, side_by_side,
};

const EXAMPLES: &str = "\
Examples:
  stencilc compare heat3d.mlir --plan '' --plan mapping=block,steps=2
      the plan that the compiler chooses, and another one
  stencilc compare star.idsl --plan points=2 --plan points=4 --plan points=8 --json
      three plans, all numbers as JSON
  stencilc compare star.idsl --plan schedule=source --plan schedule=trees --sass
      the machine code of both beside each other below the table

Registers, spills and occupancy are the assembler's, the bound that of the report, predicted cycles
those of the predictor for all launches that the program has, each once. Instructions are counted
in the machine code, each once, however often a loop runs it. What needs a ptxas or an nvdisasm that
is not there is '-', with the reason below.";

/// Compiles a program by several plans, and shows what each costs beside the others.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CompareOptions {
    /// The program: MLIR text with the stencil dialect, or STENCILGEN's language (.idsl, .dsl); `-`
    /// for standard input.
    pub file: PathBuf,

    /// A plan, as points=8,max_registers=128; '' for what the compiler chooses. As often as needed.
    #[arg(long = "plan", value_name = "KEY=VALUE,...", required = true)]
    pub plans: Vec<PlanRequest>,

    #[command(flatten)]
    pub target: TargetOptions,

    /// The version of PTX; without it the oldest that will do.
    #[arg(long, value_name = "X.Y")]
    pub ptx_version: Option<String>,

    /// Shows the machine code of all versions beside each other, too.
    #[arg(long, conflicts_with = "json")]
    pub sass: bool,

    /// Prints a list of objects in JSON, one for each plan.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub reading: ReadingOptions,
}

/// Compiles by every plan, and prints.
pub fn compare(input: &Input, options: &CompareOptions) -> Result<ExitCode, DriverError> {
    let reading = options.reading.of(input)?;
    let target = options.target.of(options.ptx_version.as_deref())?;
    let context = new_context();
    let versions = side_by_side::versions(&context, input, &reading, &target, &options.plans)?;
    let text = match (options.json, options.sass) {
        (true, _) => side_by_side::json(&versions),
        (false, false) => side_by_side::table(&versions),
        (false, true) => side_by_side::table(&versions) + "\n" + &side_by_side::listings(&versions),
    };
    outputs::print(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
