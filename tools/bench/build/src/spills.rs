//! Registers and spills of the statement-reordering paper's kernels, as the assembler reports them.
//!
//! Double precision, each thread for itself, one step, nothing in shared memory: four points of a
//! thread for boxes, one for the large kernels, which are split into several as well. What is
//! assembled is what `bench build` would pack: the same PTX.

use crate::{
    plans::{NamedPlan, PlansError},
    programs::{self, Language, Size},
    systems::reorder::{self, Version},
};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use std::collections::BTreeSet;
use stencil_bench::{
    kernels::{Benchmark, Element},
    papers,
    spills::{Report, SPLIT},
};
use stencil_driver::{
    DriverError,
    compile::{self, Assembler, Emit},
    session::{self, Session},
    target::Target,
};
use stencil_runtime::Package;

/// Orders of operations that are compared.
pub const SCHEDULES: [&str; 3] = [reorder::SOURCE, reorder::TREES, reorder::BOTH];

/// Kernels that a large one is in its versions.
const SPLITS: [u32; 4] = [1, 2, 3, 4];

/// What is compiled.
#[derive(Clone, Debug)]
pub struct Request {
    /// The benchmarks.
    pub kernels: Vec<&'static Benchmark>,
    /// Register caps.
    pub caps: Vec<u32>,
    /// Orders of operations.
    pub schedules: Vec<&'static str>,
    /// What for.
    pub target: Target,
}

/// Why there are no reports.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum SpillsError {
    #[error(transparent)]
    Plans(#[from] PlansError),
    #[error("'{kernel}', {plan}: {error}")]
    Driver { kernel: String, plan: String, error: Box<DriverError> },
    #[error("'{kernel}', {plan}: ptxas says nothing of kernel '{entry}'")]
    Silent { kernel: String, plan: String, entry: String },
}

/// The kernels of the paper.
pub fn kernels() -> Vec<&'static Benchmark> {
    let paper = papers::find("reorder").expect("the paper is one of those here");
    paper.kernels.iter().filter_map(|name| stencil_bench::kernels::find(name)).collect()
}

/// The versions of a kernel with these orders of operations, each with its name.
fn versions(benchmark: &Benchmark, schedules: &[&'static str]) -> Vec<(String, Version)> {
    let points = reorder::unrolling(benchmark);
    let splits = if reorder::is_large(benchmark) { &SPLITS[..] } else { &SPLITS[..1] };
    let named = |splits: u32, schedule: &'static str| {
        let name = match splits {
            1 => schedule.to_owned(),
            _ => format!("{schedule}{SPLIT}{splits}"),
        };
        (name, Version { points, schedule, splits })
    };
    splits.iter().flat_map(|splits| schedules.iter().map(|word| named(*splits, word))).collect()
}

/// Compiles every version under every cap.
///
/// # Errors
/// If one cannot be compiled, or there is no assembler.
pub fn compile(request: &Request) -> Result<Vec<Report>, SpillsError> {
    let programs = request.kernels.iter().flat_map(|benchmark| {
        versions(benchmark, &request.schedules).into_iter().map(|version| (*benchmark, version))
    });
    let programs = programs.collect::<Vec<_>>();
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} compiling")
        .expect("the template is well-formed");
    let count = programs.len() * request.caps.len();
    let progress = ProgressBar::new(count as u64).with_style(style);
    let of_version = |(benchmark, (name, version)): &(&'static Benchmark, (String, Version))| {
        let report = |cap: u32, package: &Package| report(benchmark, name, cap, package);
        let plans = request.caps.iter().map(|cap| (*cap, version.plan(*cap))).collect::<Vec<_>>();
        let packages = packages(benchmark, &plans, request.target, Emit::Cubin, &progress)?;
        plans.iter().zip(&packages).map(|((cap, _), package)| report(*cap, package)).collect()
    };
    let reports: Result<Vec<Vec<Report>>, SpillsError> =
        programs.par_iter().map(of_version).collect();
    progress.finish_and_clear();
    Ok(reports?.into_iter().flatten().collect())
}

/// A program under several plans, which share all that is done before plans have a say.
fn packages(
    benchmark: &Benchmark,
    plans: &[(u32, String)],
    target: Target,
    last: Emit,
    progress: &ProgressBar,
) -> Result<Vec<Package>, SpillsError> {
    let failed = |plan: &str| {
        let (kernel, plan) = (benchmark.name.clone(), plan.to_owned());
        move |error: DriverError| SpillsError::Driver { kernel, plan, error: Box::new(error) }
    };
    let input = programs::input(&programs::folder(), benchmark, Language::Mlir);
    let input = input.map_err(failed("any plan"))?;
    let reading = programs::reading(benchmark, &input, Element::F64, Size::Paper);
    let reading = reading.map_err(failed("any plan"))?;
    let context = session::new_context();
    let mut session = Session::new(&context, &input, target);
    let module = session.read(&reading).map_err(failed("any plan"))?;
    let frozen = session.freeze(&module).map_err(failed("any plan"))?;
    let mut packages = Vec::new();
    for (_, plan) in plans {
        let NamedPlan { request, .. } = plan.parse()?;
        session = session.with_plan(request);
        let compiled = compile::compile(&session, &frozen, &BTreeSet::from([last]));
        let compiled = compiled.map_err(failed(plan))?;
        match compiled.assembler {
            Assembler::Failed(message) => Err(failed(plan)(DriverError::Assembler(message)))?,
            Assembler::Missing => Err(failed(plan)(DriverError::NoPtxas))?,
            Assembler::Used(_) | Assembler::NotAsked => {}
        }
        packages.push(compiled.package.expect("machine code or PTX was asked for"));
        progress.inc(1);
    }
    Ok(packages)
}

/// All kernels of a version as one.
fn report(
    benchmark: &Benchmark,
    version: &str,
    cap: u32,
    package: &Package,
) -> Result<Report, SpillsError> {
    let mut report = Report {
        kernel: benchmark.name.clone(),
        cap,
        version: version.to_owned(),
        registers: 0,
        spill_store_bytes: 0,
        spill_load_bytes: 0,
    };
    for kernel in &package.code.manifest.kernels {
        let Some(resources) = &kernel.resources else {
            let (entry, plan) = (kernel.name.clone(), format!("{version} under {cap} registers"));
            return Err(SpillsError::Silent { kernel: benchmark.name.clone(), plan, entry });
        };
        report.registers = report.registers.max(resources.registers);
        report.spill_store_bytes += resources.spill_store_bytes;
        report.spill_load_bytes += resources.spill_load_bytes;
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stencil_driver::target;

    /// The PTX of a kernel's versions under a cap.
    fn compiled(benchmark: &Benchmark, cap: u32) -> Vec<Package> {
        let target = Target::new(target::DEFAULT, None).unwrap();
        let versions = versions(benchmark, &SCHEDULES).into_iter();
        let plans = versions.map(|(_, version)| (cap, version.plan(cap))).collect::<Vec<_>>();
        packages(benchmark, &plans, target, Emit::Ptx, &ProgressBar::hidden()).unwrap()
    }

    /// Operations of a kind in PTX.
    fn count(ptx: &str, operation: &str) -> usize {
        let operations = ptx.lines().map(str::trim_start);
        operations.filter(|line| line.starts_with(operation)).count()
    }

    /// Every thread runs through the whole text, which has no branch, and stores its four points.
    #[test]
    fn boxes_have_four_outputs_of_a_thread_and_nothing_in_shared_memory() {
        let boxes = kernels().into_iter().filter(|benchmark| !reorder::is_large(benchmark));
        for benchmark in boxes {
            for package in compiled(benchmark, 48) {
                let (name, ptx) = (&benchmark.name, &package.code.ptx);
                let [kernel] = package.code.manifest.kernels.as_slice() else {
                    panic!("{name} is one kernel");
                };
                assert_eq!(count(ptx, "st.global"), 4, "{name}");
                assert_eq!(count(ptx, "bra") + count(ptx, "@"), 0, "{name}");
                assert!(!ptx.contains(".shared"), "{name}");
                assert_eq!(count(ptx, ".maxnreg 48"), 1, "{name}");
                let threads = kernel.grid.iter().chain(&kernel.block);
                let threads = threads.map(|extent| u64::from(*extent)).product::<u64>();
                assert_eq!(4 * threads, kernel.points, "{name}");
            }
        }
    }

    #[test]
    fn large_kernels_have_versions_that_are_split() {
        let benchmark = stencil_bench::kernels::find("derivative").unwrap();
        let names = versions(benchmark, &["source", "trees"]).into_iter().map(|(name, _)| name);
        let names = names.collect::<Vec<_>>();
        assert_eq!(names[..3], ["source", "trees", "source-split-2"]);
        assert_eq!((names.len(), names[7].as_str()), (8, "trees-split-4"));
        let benchmark = stencil_bench::kernels::find("3d27pt").unwrap();
        assert_eq!(versions(benchmark, &SCHEDULES).len(), 3);
    }
}
