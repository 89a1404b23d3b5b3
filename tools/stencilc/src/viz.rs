//! `stencilc viz`, and its options.

use crate::{
    outputs::{self, Place},
    reading::ReadingOptions,
    target::TargetOptions,
};
use clap::{ArgGroup, Args, ValueEnum};
use std::{
    io::{self, IsTerminal},
    path::{Path, PathBuf},
    process::ExitCode,
};
use stencil_driver::{
    DriverError,
    input::Input,
    pipelines::PlanRequest,
    roofs,
    session::{Session, new_context},
    viz::{self, Drawing, Part},
};

const EXAMPLES: &str = "\
Examples:
  stencilc viz star.idsl --schedule --plan points=4,schedule=trees -o star.svg
      live registers after each operation, as the operations were made and as they were put in
      order, with the most of both (MAXLIVE)
  stencilc viz star.idsl --trees --plan points=2,schedule=both -o trees.svg
      the expressions from what is stored down to what is loaded; the colour of an operation is its
      place in the order
  stencilc viz star.idsl --schedule --kernel star_stage0 --block 2 > second.svg
      another kernel than the one with the most arithmetic, and another of its blocks
  stencilc viz hypterm.mlir --roofline
      what memory and arithmetic of the chip allow, and how far below it kernels are predicted

The plan of the kernel says its schedule: source, trees, interleave, both, reorder or
reorder-interleave. Which planes a sweep computes when is drawn by
'stencilc compile --emit=pipeline'. A roofline has all kernels: a mark is where a kernel is
predicted to be, or, where nothing is predicted of its plan, a circle at its bound. On a terminal it
is drawn in characters.";

/// Draws the order of a kernel's operations as SVG, or the roofline of a program.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(group(ArgGroup::new("drawing").required(true).args(["trees", "schedule", "roofline"])))]
pub struct VizOptions {
    /// The program: MLIR text with the stencil dialect, or STENCILGEN's language (.idsl, .dsl); `-`
    /// for standard input.
    pub file: PathBuf,

    /// Draws the expressions of the kernel, coloured by the order of their operations.
    #[arg(long)]
    pub trees: bool,

    /// Draws the registers that are live after each operation.
    #[arg(long)]
    pub schedule: bool,

    /// Draws what memory and arithmetic of the chip allow, and where kernels are below it.
    #[arg(long, conflicts_with = "block")]
    pub roofline: bool,

    /// How a roofline is drawn; without it in characters on a terminal, else as SVG.
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with_all = ["trees", "schedule"])]
    pub format: Option<VizFormat>,

    /// Where to write: a file, or `-` for standard output, which it is without this option.
    #[arg(short, long, value_name = "FILE.svg|-")]
    pub output: Option<PathBuf>,

    /// The kernel to draw; without it the one with the most arithmetic in a block, and all of them
    /// in a roofline.
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,

    /// Its block to draw, counted from 1 among those with arithmetic; without it the one with the
    /// most.
    #[arg(long, value_name = "N")]
    pub block: Option<usize>,

    #[command(flatten)]
    pub target: TargetOptions,

    /// Keys of plans over what the compiler would choose, as points=4,schedule=trees; for one
    /// kernel as in stage0:points=4. 'stencilc plans' lists them.
    #[arg(long, value_name = "KEY=VALUE,...", default_value = "", hide_default_value = true)]
    pub plan: PlanRequest,

    #[command(flatten)]
    pub reading: ReadingOptions,
}

/// How a roofline is drawn.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum VizFormat {
    /// As a picture.
    Svg,
    /// In characters.
    Text,
}

/// Compiles as far as kernels are in order, and draws.
pub fn viz(input: &Input, options: &VizOptions) -> Result<ExitCode, DriverError> {
    let reading = options.reading.of(input)?;
    let target = options.target.of(None)?;
    let context = new_context();
    let session = Session::new(&context, input, target).with_plan(options.plan.clone());
    let module = session.read(&reading)?;
    let frozen = session.freeze(&module)?;
    let place = match &options.output {
        Some(path) if path != Path::new("-") => Place::File(path.clone()),
        _ => Place::Stdout,
    };
    outputs::keep_input(outputs::file_of(&place), &input.name)?;
    if options.roofline {
        let format = match options.format {
            Some(VizFormat::Svg) => roofs::Format::Svg,
            Some(VizFormat::Text) => roofs::Format::Text,
            None if place == Place::Stdout && io::stdout().is_terminal() => roofs::Format::Text,
            None => roofs::Format::Svg,
        };
        let drawn = roofs::draw(&session, &frozen, options.kernel.as_deref(), format)?;
        outputs::write(&place, drawn.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let drawing = if options.trees { Drawing::Trees } else { Drawing::Schedule };
    let part = Part { kernel: options.kernel.clone(), block: options.block };
    let svg = viz::draw(&session, &frozen, drawing, &part)?;
    outputs::write(&place, svg.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
