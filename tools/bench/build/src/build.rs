//! Compiling everything that is to be measured, in parallel.
//!
//! Each program has its own MLIR context, so that jobs share nothing. Plans of one kernel and type
//! that gave the same machine code are measured once: the first in the order of plans stays. What
//! two pipelines make of a program is kept apart, so that both can be shown; and so are versions
//! that a pipeline compares under register caps.

use crate::{
    candidates::{self, Candidate},
    cuda,
    pipelines::{self, PipelineError},
    plans::{NamedPlan, Plans, PlansError},
    programs::{self, Language, Size},
};
use indicatif::{ProgressBar, ProgressStyle};
use object::{Object, ObjectSection};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};
use stencil_bench::{
    index::{self, Entry, Index},
    kernels::{Benchmark, Element, KernelSet},
    papers,
    sizes::Version,
    steps,
};
use stencil_driver::{
    DriverError,
    compile::{Assembler, Compilation, Emit},
    demotion, reading,
    session::{self, Module, Session},
    target::Target,
    variants, verification,
};
use stencil_runtime::{
    Package,
    output::{self, OutputError},
    package::{Code, sha256},
};

/// Numbers of time steps that are tried: rotations of so many fields.
const ROTATION_MAX: u64 = 16;

/// What is built.
#[derive(Clone, Debug)]
pub struct Request {
    /// The benchmarks.
    pub kernels: Vec<&'static Benchmark>,
    /// The types.
    pub types: Vec<Element>,
    /// The plans.
    pub plans: Plans,
    /// The name of the pipeline.
    pub pipeline: String,
    /// How large.
    pub size: Size,
    /// For which sizes packages are.
    pub sizes: Sizes,
    /// Time steps that loops make, if not as many as the benchmark has.
    pub steps: Option<u64>,
    /// In which language programs are taken.
    pub language: Language,
    /// Where the programs are.
    pub programs: PathBuf,
    /// What for.
    pub target: Target,
    /// Whether packages keep the kernels' LLVM IR, for the emulated driver of tests.
    pub keep_ir: bool,
    /// Whether CUDA written by hand is measured too.
    pub cuda: bool,
}

/// For which sizes packages are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// The size that is asked for, with every extent divided.
    Divided(u64),
    /// One point less along every dimension.
    Unaligned,
    /// Every one; both are measured.
    RunTime,
}

impl Sizes {
    /// The versions that a package is measured as.
    fn versions(self, pipeline: &str) -> Vec<Version<'_>> {
        let of = |run_time, unaligned| Version { pipeline, run_time, unaligned, divided: 1 };
        match self {
            Sizes::Divided(divided) => vec![Version { divided, ..of(false, false) }],
            Sizes::Unaligned => vec![of(false, true)],
            Sizes::RunTime => vec![of(true, false), of(true, true)],
        }
    }
}

/// Why there is no folder of packages.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum BuildError {
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    #[error(transparent)]
    Plans(#[from] PlansError),
    #[error("'{kernel}' in {element} with plan {plan}: {error}")]
    Driver { kernel: String, element: Element, plan: String, error: Box<DriverError> },
    #[error("{0}")]
    Program(String),
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// What was built.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// What the folder holds.
    pub index: Index,
    /// Plans that gave the machine code of another one.
    pub dropped: usize,
}

/// The packages of one program: its plans share all that is done before plans have a say.
struct Job<'r> {
    benchmark: &'static Benchmark,
    element: Element,
    plans: Vec<NamedPlan>,
    request: &'r Request,
}

/// A package that was made.
struct Made {
    /// One for each version that it is measured as.
    entries: Vec<Entry>,
    bytes: Vec<u8>,
    /// What is equal for plans that gave the same machine code.
    machine_code: String,
}

/// Builds packages into a folder, with an index.
pub fn build(request: &Request, out: &Path) -> Result<Built, BuildError> {
    build_all(std::slice::from_ref(request), out)
}

/// Builds what several requests for one target ask for into a folder, with one index.
pub fn build_all(requests: &[Request], out: &Path) -> Result<Built, BuildError> {
    for request in requests {
        pipelines::find(&request.pipeline)?;
    }
    let target = requests.first().expect("there is something to be built").target.name();
    assert!(requests.iter().all(|request| request.target.name() == target), "an index has one");
    fs::create_dir_all(out).map_err(|error| OutputError { path: out.to_owned(), error })?;
    let jobs = requests.iter().flat_map(jobs).collect::<Vec<_>>();
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} compiling")
        .expect("the template is well-formed");
    let packages: usize = jobs.iter().map(|job| job.plans.len()).sum();
    let progress = ProgressBar::new(packages as u64).with_style(style);
    let made: Result<Vec<Vec<Made>>, BuildError> =
        jobs.par_iter().map(|job| job.make(&progress)).collect();
    progress.finish_and_clear();

    let mut seen: BTreeSet<(String, Element, String, String)> = BTreeSet::new();
    let version = |entry: &Entry| match pipelines::find(&entry.version) {
        Ok(pipeline) if pipeline.keeps_versions() => {
            format!("{} {}", entry.version, papers::without_cap(&entry.plan))
        }
        _ => entry.version.clone(),
    };
    let (mut entries, mut dropped) = (Vec::new(), 0);
    for Made { entries: own, bytes, machine_code } in made?.into_iter().flatten() {
        let first = &own[0];
        let key = (first.kernel.clone(), first.r#type, version(first), machine_code);
        if !seen.insert(key) {
            dropped += 1;
            continue;
        }
        output::write_file(&out.join(&first.package), &bytes)?;
        entries.extend(own);
    }
    if requests.iter().any(|request| request.cuda) {
        cuda::write(out)?;
        add_cuda(&mut entries);
    }
    let index = Index { format: index::FORMAT, target: target.to_owned(), entries };
    output::write_file(&out.join(index::FILE), index.to_json().as_bytes())?;
    Ok(Built { index, dropped })
}

fn jobs(request: &Request) -> Vec<Job<'_>> {
    let mut jobs = Vec::new();
    for &benchmark in &request.kernels {
        for &element in &request.types {
            let plans = request.plans.of(&benchmark.name, element);
            jobs.push(Job { benchmark, element, plans, request });
        }
    }
    jobs
}

/// Adds CUDA beside the first package of each program.
fn add_cuda(entries: &mut Vec<Entry>) {
    let mut firsts: BTreeMap<(String, Element), Entry> = BTreeMap::new();
    for entry in entries.iter() {
        firsts.entry((entry.kernel.clone(), entry.r#type)).or_insert_with(|| entry.clone());
    }
    for entry in firsts.values() {
        if let Some(benchmark) = stencil_bench::kernels::find(&entry.kernel) {
            entries.extend(cuda::entries(benchmark, entry));
        }
    }
}

impl Job<'_> {
    /// Points along each dimension of the package, or of its reference.
    fn size(&self) -> Vec<u64> {
        let Request { size, sizes, pipeline, .. } = self.request;
        sizes.versions(pipeline)[0].size(&programs::extents(self.benchmark, *size))
    }

    /// Lets the loops of a program make the time steps that are measured, and returns how many
    /// those are: from the number that is asked for, the first that leaves rotated fields in the
    /// places where the benchmark's leaves them. A program with a table of a value for each time
    /// step makes the benchmark's.
    fn set_steps<'c>(
        &self,
        session: &Session<'c>,
        frozen: &Module<'c>,
    ) -> Result<u64, DriverError> {
        let Job { benchmark, request, .. } = self;
        // Files of applications have few, for tests.
        let is_application = benchmark.paper == KernelSet::Applications;
        let set = |steps| stencil_driver::steps::set_all(session, frozen, steps).map(|_| steps);
        let asked = match request.steps {
            _ if benchmark.steps == 1 => return Ok(1),
            None if is_application => return set(benchmark.steps),
            None => return Ok(benchmark.steps),
            Some(asked) => asked,
        };
        let others = (asked + 1..asked + ROTATION_MAX).chain([benchmark.steps]).map(set);
        set(asked).or_else(|error| others.flatten().next().ok_or(error))
    }

    /// All packages of the program. Plain kernels do not depend on the plan, so they are made once;
    /// the first package also has a self-test.
    fn make(&self, progress: &ProgressBar) -> Result<Vec<Made>, BuildError> {
        let Job { benchmark, element, plans, request } = self;
        let failed = |plan: &NamedPlan| {
            let (kernel, plan) = (benchmark.name.clone(), plan.name.clone());
            move |error: DriverError| {
                let error = Box::new(error);
                BuildError::Driver { kernel, element: *element, plan, error }
            }
        };
        let Some(first) = plans.first() else { return Ok(Vec::new()) };
        let input = programs::input(&request.programs, benchmark, request.language);
        let input = input.map_err(failed(first))?;
        let reading = programs::reading_at(benchmark, &input, *element, &self.size());
        let mut reading = reading.map_err(failed(first))?;
        if request.sizes == Sizes::RunTime {
            reading.sizes = reading::Sizes::RunTime;
        }
        let context = session::new_context();
        let pipeline = pipelines::find(&request.pipeline)?;
        let session = Session::new(&context, &input, request.target).with_sums(pipeline.sums());
        let session = session.with_fusion(pipeline.fusion());
        let module = variants::read(&session, &input, &reading, &[]).map_err(failed(first))?;
        let frozen = session.freeze(&module).map_err(failed(first))?;
        let steps = self.set_steps(&session, &frozen).map_err(failed(first))?;
        let candidates = match request.plans {
            Plans::Predicted(count) => {
                candidates::of(&session, &frozen, count).map_err(failed(first))?
            }
            _ => plans.iter().cloned().map(Candidate::unpredicted).collect(),
        };
        let mut session = session;
        let mut plain = None;
        let mut made = Vec::new();
        for Candidate { plan, predicted } in &candidates {
            session = session.with_plan(plan.request.clone());
            let mut compiled = compile(&session, &frozen).map_err(failed(plan))?;
            // With a number in the place of a question.
            let plan = &NamedPlan::of(session.plan());
            if plain.is_none() {
                let added = verification::add(&session, &module, &frozen, &mut compiled);
                added.map_err(failed(plan))?;
            }
            let mut package = compiled.package.expect("a package was asked for");
            match &plain {
                Some(plain) => package.plain = Some(Clone::clone(plain)),
                None => plain.clone_from(&package.plain),
            }
            let mut packed = self.pack(plan, package, sha256(input.text.as_bytes()), steps)?;
            for entry in &mut packed.entries {
                entry.predicted_ms = predicted.map(|predicted| predicted.ms(entry.steps));
            }
            made.push(packed);
            progress.inc(1);
        }
        Ok(made)
    }

    /// The package as a file, and its entry for each version that it is measured as.
    fn pack(
        &self,
        plan: &NamedPlan,
        mut package: Package,
        program_sha256: String,
        steps: u64,
    ) -> Result<Made, BuildError> {
        let Job { benchmark, element, request, .. } = self;
        let manifest = &package.code.manifest;
        programs::check(manifest, benchmark, &self.size()).map_err(BuildError::Program)?;
        let name = &benchmark.name;
        let steps = steps::of_run(manifest, steps)
            .map_err(|error| BuildError::Program(format!("'{name}': {error}")))?;
        if !request.keep_ir {
            package.drop_llvm_ir();
        }
        let bytes = package.to_bytes();
        let bytes = bytes.map_err(|error| BuildError::Program(format!("'{name}': {error}")))?;
        let versions = request.sizes.versions(&request.pipeline);
        let file = format!("{name}-{element}-{}-{}.spk", versions[0], plan.file_stem());
        let asked = programs::extents(benchmark, request.size);
        let package_sha256 = sha256(&bytes);
        let entries = versions.iter().map(|version| Entry {
            kernel: name.clone(),
            r#type: *element,
            version: version.to_string(),
            plan: plan.name.clone(),
            cap: cap(&package.code),
            size: version.size(&asked),
            steps,
            scalars: benchmark.scalars.clone(),
            package: file.clone(),
            package_sha256: package_sha256.clone(),
            program_sha256: program_sha256.clone(),
            predicted_ms: None,
            cuda: None,
        });
        let entries = entries.collect();
        Ok(Made { entries, bytes, machine_code: machine_code(&package.code) })
    }
}

/// The optimized kernels of a frozen program.
fn compile<'c>(session: &Session<'c>, frozen: &Module<'c>) -> Result<Compilation, DriverError> {
    let compiled = demotion::compile(session, frozen, &BTreeSet::from([Emit::Package]))?;
    match compiled.assembler {
        Assembler::Failed(message) => Err(DriverError::Assembler(message)),
        _ => Ok(compiled),
    }
}

/// The largest cap of the kernels' plans.
fn cap(code: &Code) -> Option<u32> {
    let caps = code
        .manifest
        .kernels
        .iter()
        .filter_map(|kernel| kernel.plan.as_ref()?.get("max_registers")?.as_u64());
    caps.max().and_then(|cap| u32::try_from(cap).ok())
}

/// What decides how fast a package is: launches, and the instructions of the cubin; without an
/// assembler the PTX.
fn machine_code(code: &Code) -> String {
    let launch = |kernel: &stencil_runtime::manifest::Kernel| {
        format!("{} {:?} {:?} {}\n", kernel.name, kernel.grid, kernel.block, kernel.shared_bytes)
    };
    let mut content: Vec<u8> =
        code.manifest.kernels.iter().map(launch).collect::<String>().into_bytes();
    let instructions = code.cubin.as_deref().and_then(instructions);
    content.extend(instructions.unwrap_or_else(|| code.ptx.clone().into_bytes()));
    sha256(&content)
}

/// The text sections of a cubin. Other sections hold the cap, which changes nothing by itself.
fn instructions(cubin: &[u8]) -> Option<Vec<u8>> {
    let file = object::File::parse(cubin).ok()?;
    let mut content = Vec::new();
    for section in file.sections() {
        if section.name().is_ok_and(|name| name.starts_with(".text")) {
            content.extend(section.data().ok()?);
        }
    }
    (!content.is_empty()).then_some(content)
}
