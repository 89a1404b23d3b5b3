//! The command line of `bench`.

use clap::{Args, Parser, Subcommand, ValueEnum, builder::PossibleValuesParser};
use std::{iter, path::PathBuf};
use stencil_bench::{
    kernels::{self, Benchmark, Element},
    papers::Paper,
};
use stencil_bench_build::{
    build::{Request, Sizes},
    pipelines,
    plans::{self, Plans},
    programs::{self, Language, Size},
    spills,
    systems::reorder,
};
use stencil_driver::{
    DriverError,
    target::{self, Target},
};

/// Builds what is measured, checks and shows what was measured. `bench-run` measures.
#[derive(Debug, Parser)]
#[command(name = "bench", version)]
pub struct Options {
    #[command(subcommand)]
    pub task: Task,
}

#[derive(Debug, Subcommand)]
pub enum Task {
    /// Compile kernels x types x plans into a folder that bench-run measures; needs no GPU.
    Build(BuildArguments),
    /// Recompute every line of files of results, and refuse what does not fit.
    Check {
        /// The files; the baselines of the repository unless given.
        files: Vec<PathBuf>,
    },
    /// Say what got slower and what faster, and whether that is more than noise, or how results
    /// compare with targets; exit code 1 if something is slower, or the targets are not reached.
    Compare {
        /// The earlier results (.jsonl), or targets (.json).
        old: PathBuf,
        /// The later results.
        new: PathBuf,
    },
    /// Show results beside the peers.
    Table {
        /// Files of results.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// For a document.
        #[arg(long)]
        markdown: bool,
        /// Every plan, not only the best of each kernel, type and version.
        #[arg(long)]
        all: bool,
    },
    /// Show default plans beside the fastest that were measured, by what build makes with --plans
    /// predicted=N, and predicted times beside measured ones; exit code 1 if less is reached than
    /// is asked.
    Defaults {
        /// Files of results.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// For a document.
        #[arg(long)]
        markdown: bool,
    },
    /// Show packages for every size beside those for one, measured by what build makes with
    /// --run-time-sizes; exit code 1 if they are slower than is asked.
    Sizes {
        /// Files of results.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// For a document.
        #[arg(long)]
        markdown: bool,
    },
    /// Show what several devices gain, and check every line; exit code 1 if one does not hold.
    Devices {
        /// Files of lines that --pair made.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Add a line to the only file: the reports of stencil-run on one device and on several,
        /// with --verify, --time and --steps.
        #[arg(long, num_args = 2, value_names = ["ONE.json", "SEVERAL.json"])]
        pair: Option<Vec<PathBuf>>,
        /// For a document.
        #[arg(long)]
        markdown: bool,
    },
    /// Show how near to its own ceiling each kernel comes, and members of the generated family
    /// beside the named kernels of their shape.
    Shares {
        /// Files of results.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// For a document.
        #[arg(long)]
        markdown: bool,
    },
    /// Show what the predictor chooses among packages that were measured, beside the fastest.
    Predict {
        /// The folders of packages, with machine code.
        #[arg(required = true, value_name = "FOLDER")]
        folders: Vec<PathBuf>,
        /// Their results; of several of a package the fastest counts.
        #[arg(long, value_name = "FILE.jsonl", required = true)]
        results: Vec<PathBuf>,
        /// Coefficients that are fitted, for each kernel to all the others, in a column of its own:
        /// memory.loaded_latency.
        #[arg(long, value_name = "NAMES", value_delimiter = ',')]
        fit: Vec<String>,
        /// For a document.
        #[arg(long)]
        markdown: bool,
    },
    /// Draw rooflines and bars beside the peers, as SVG.
    Plot {
        /// Files of results.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The folder for the drawings.
        #[arg(short, long = "out", value_name = "DIR")]
        out: PathBuf,
    },
    /// Compile the statement-reordering paper's kernels, and hold registers and spills against
    /// published ones; needs no GPU. Exit code 1 if they are above.
    Spills(SpillsArguments),
    /// Assemble the small kernels that bench-run --calibrate measures a device with; needs ptxas
    /// and no GPU.
    Calibration {
        /// The folder for PTX and machine code.
        #[arg(short, long = "out", value_name = "DIR")]
        out: PathBuf,
    },
    /// Make the predictor's coefficients of what bench-run --calibrate measured; exit code 1 if one
    /// has no samples.
    Coefficients {
        /// Files of raw samples, of one machine.
        #[arg(required = true)]
        samples: Vec<PathBuf>,
        /// The file for the coefficients.
        #[arg(short, long = "out", value_name = "FILE.json")]
        out: PathBuf,
        /// An earlier file, whose coefficients replace those that have no samples.
        #[arg(long, value_name = "FILE.json")]
        keep: Option<PathBuf>,
    },
    /// Build and, where there is a GPU, run the experiments of a paper, and show them.
    Paper(PaperArguments),
}

#[derive(Debug, Args)]
pub struct BuildArguments {
    /// The folder for the packages.
    #[arg(short, long = "out", value_name = "DIR")]
    pub out: PathBuf,

    /// The benchmarks; all that have a program in the repository unless given.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = benchmark)]
    kernels: Vec<&'static Benchmark>,

    /// A whole family besides those: generated stencils of distinct weights unless it says
    /// otherwise.
    #[arg(long, value_enum, num_args = 0..=1, default_missing_value = "stencils")]
    family: Option<Family>,

    /// The types of cells.
    #[arg(long, value_name = "TYPES", value_delimiter = ',', default_value = "f64,f32")]
    types: Vec<Element>,

    /// `default` (the pipeline's own, or the compiler's), `sweep` (points by register caps),
    /// `predicted=N` (the compiler's own and N others, those that it predicts to be fastest), or
    /// a JSON file: a list of plans as `stencilc --plan` takes them, or an object of such lists
    /// by kernel.
    #[arg(long, value_name = "PLANS", default_value = plans::DEFAULT)]
    plans: String,

    /// The named pipeline.
    #[arg(long, value_name = "NAME", default_value = pipelines::PLAIN)]
    pipeline: String,

    /// A small odd size in the place of the papers' sizes.
    #[arg(long)]
    small: bool,

    /// Packages for every size besides, and each kernel also at a size whose rows are not aligned:
    /// one point less along every dimension.
    #[arg(long)]
    run_time_sizes: bool,

    /// What every extent is divided by, a version of each kernel for each number; 1 is its size.
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_value = "1",
        value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "run_time_sizes")]
    divide: Vec<u64>,

    /// Time steps that loops make, in the place of the benchmark's; kernels that make several at
    /// once make as many more as fill their pairs, and programs with a table of a value for each
    /// step keep the benchmark's.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    steps: Option<u64>,

    /// The language that programs are taken in.
    #[arg(long, value_enum, default_value = "mlir")]
    from: Language,

    /// The folder of the programs.
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,

    /// What packages are compiled for.
    #[arg(long, default_value = target::DEFAULT)]
    target: String,

    /// Keeps the kernels' LLVM IR in the packages, for the emulated driver of tests.
    #[arg(long)]
    keep_ir: bool,

    /// Leaves CUDA written by hand out.
    #[arg(long)]
    no_cuda: bool,
}

/// Benchmarks that are asked for together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Family {
    /// Generated stars and boxes of one to three dimensions.
    Stencils,
    /// Programs of several unknowns and statements.
    Applications,
    /// Generated programs of ten kinds, which nothing was fitted to.
    Programs,
}

impl Family {
    /// Its members.
    fn members(self) -> &'static [Benchmark] {
        match self {
            Family::Stencils => stencil_bench::family::benchmarks(),
            Family::Applications => kernels::applications(),
            Family::Programs => stencil_bench::generated::benchmarks(),
        }
    }
}

#[derive(Debug, Args)]
pub struct SpillsArguments {
    /// A file for what was compiled, as JSON lines.
    #[arg(short, long = "out", value_name = "FILE.jsonl")]
    pub out: Option<PathBuf>,

    /// The benchmarks; the paper's unless given.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = benchmark)]
    kernels: Vec<&'static Benchmark>,

    /// Register caps.
    #[arg(long, value_name = "CAPS", value_delimiter = ',',
        default_values_t = reorder::CAPS)]
    caps: Vec<u32>,

    /// Orders of operations, as plans name them.
    #[arg(long, value_name = "ORDERS", value_delimiter = ',',
        value_parser = PossibleValuesParser::new(spills::SCHEDULES))]
    schedules: Vec<String>,

    /// What kernels are compiled for.
    #[arg(long, default_value = target::DEFAULT)]
    target: String,
}

#[derive(Debug, Args)]
pub struct PaperArguments {
    /// reorder, stencilgen, regdem or queue.
    pub system: String,

    /// The folder for the packages; bench-SYSTEM unless given.
    #[arg(short, long = "out", value_name = "DIR")]
    out: Option<PathBuf>,

    /// Builds and runs nothing, and shows the results in this file.
    #[arg(long, value_name = "FILE.jsonl")]
    pub results: Option<PathBuf>,

    /// The benchmarks; the paper's unless given.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = benchmark)]
    kernels: Vec<&'static Benchmark>,

    /// The types of cells; those that the paper measures unless given.
    #[arg(long, value_name = "TYPES", value_delimiter = ',')]
    types: Vec<Element>,

    /// A small odd size in the place of the papers' sizes.
    #[arg(long)]
    small: bool,

    /// What packages are compiled for.
    #[arg(long, default_value = target::DEFAULT)]
    target: String,
}

impl BuildArguments {
    /// What is asked for, a request for each kind of sizes.
    pub fn requests(&self) -> anyhow::Result<Vec<Request>> {
        let request = self.request()?;
        if !self.run_time_sizes {
            // CUDA written by hand is for one size.
            let divided = |divisor: &u64| Request {
                sizes: Sizes::Divided(*divisor),
                cuda: request.cuda && *divisor == 1,
                ..request.clone()
            };
            return Ok(self.divide.iter().map(divided).collect());
        }
        if self.from != Language::Mlir {
            anyhow::bail!("--run-time-sizes takes programs in MLIR only; leave out --from");
        }
        let kinds = [Sizes::Unaligned, Sizes::RunTime];
        let others = kinds.map(|sizes| Request { sizes, cuda: false, ..request.clone() });
        Ok(iter::once(request).chain(others).collect())
    }

    fn request(&self) -> anyhow::Result<Request> {
        if self.family.is_some() && self.from != Language::Mlir {
            anyhow::bail!("--family says its own language; leave out --from");
        }
        let mut wanted = self.kernels.clone();
        if let Some(family) = self.family {
            wanted.extend(family.members());
        } else if wanted.is_empty() {
            wanted.extend(kernels::all().iter().chain(kernels::more()));
        }
        let size = size(self.small);
        // Other plans than a system's own are for who asks for them.
        let own = match self.plans == plans::DEFAULT {
            true => pipelines::plans(&self.pipeline, &wanted, &self.types, size)?,
            false => None,
        };
        let plans = own.map_or_else(|| self.plans.parse::<Plans>(), Ok)?;
        Ok(Request {
            kernels: wanted,
            types: self.types.clone(),
            plans,
            pipeline: self.pipeline.clone(),
            size,
            sizes: Sizes::Divided(1),
            steps: self.steps,
            language: self.from,
            programs: self.programs.clone().unwrap_or_else(programs::folder),
            target: Target::new(&self.target, None)?,
            keep_ir: self.keep_ir,
            cuda: !self.no_cuda,
        })
    }
}

impl SpillsArguments {
    /// What is asked for.
    pub fn request(&self) -> Result<spills::Request, DriverError> {
        let wanted = |word: &&str| {
            self.schedules.is_empty() || self.schedules.iter().any(|asked| asked == word)
        };
        Ok(spills::Request {
            kernels: match self.kernels.is_empty() {
                true => spills::kernels(),
                false => self.kernels.clone(),
            },
            caps: self.caps.clone(),
            schedules: spills::SCHEDULES.into_iter().filter(wanted).collect(),
            target: Target::new(&self.target, None)?,
        })
    }
}

impl PaperArguments {
    /// The folder for the packages.
    pub fn folder(&self) -> PathBuf {
        self.out.clone().unwrap_or_else(|| PathBuf::from(format!("bench-{}", self.system)))
    }

    /// The paper, in the kernels and types that are asked for.
    pub fn part_of(&self, paper: &Paper) -> Paper {
        let mut part = paper.clone();
        if !self.types.is_empty() {
            part.types.clone_from(&self.types);
        }
        if !self.kernels.is_empty() {
            part.keep_kernels(|name| self.kernels.iter().any(|kernel| kernel.name == name));
        }
        part
    }

    /// How large.
    pub fn size(&self) -> Size {
        size(self.small)
    }

    /// What for.
    pub fn target(&self) -> Result<Target, DriverError> {
        Target::new(&self.target, None)
    }
}

fn size(small: bool) -> Size {
    if small { Size::Small } else { Size::Paper }
}

fn benchmark(name: &str) -> Result<&'static Benchmark, String> {
    kernels::find(name).ok_or_else(|| format!("known kernels are {}", kernels::names()))
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
    fn lists_are_read_and_names_known() {
        let parse = |words: &[&str]| {
            let words = ["bench", "build", "-o", "d"].iter().chain(words);
            Options::try_parse_from(words).map_err(|error| error.to_string())
        };
        let Task::Build(arguments) = parse(&["--kernels", "heat,curl"]).unwrap().task else {
            panic!("it is a build");
        };
        let request = arguments.request().unwrap();
        let names: Vec<&str> = request.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
        assert_eq!((names, request.types.as_slice()), (vec!["heat", "curl"], &Element::ALL[..]));
        let Task::Build(arguments) = parse(&["--family", "--kernels", "heat"]).unwrap().task else {
            panic!("it is a build");
        };
        let kernels = arguments.request().unwrap().kernels;
        assert_eq!((kernels[0].name.as_str(), kernels[1].name.as_str()), ("heat", "star1d1r"));
        assert_eq!(kernels.len(), 31);
        let Task::Build(arguments) = parse(&["--family", "applications"]).unwrap().task else {
            panic!("it is a build");
        };
        assert_eq!(arguments.request().unwrap().kernels[0].name, "star25");
        let Task::Build(arguments) = parse(&["--family", "--from", "idsl"]).unwrap().task else {
            panic!("it is a build");
        };
        assert!(arguments.request().unwrap_err().to_string().contains("leave out --from"));
        assert!(parse(&["--kernels", "heap"]).unwrap_err().contains("known kernels are j2d5pt"));
        assert!(parse(&["--types", "f16"]).unwrap_err().contains("write f64 or f32"));
    }
}
