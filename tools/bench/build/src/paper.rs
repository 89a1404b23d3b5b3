//! The experiments of one paper: built, run where there is a GPU, shown beside the paper's.

use crate::{
    build::{self, BuildError, Built, Request},
    pipelines,
    programs::Size,
    systems::{self, Case},
};
use anyhow::Context;
use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};
use stencil_bench::{
    index::{Entry, Index},
    kernels::Benchmark,
    papers::{Made, Paper},
};
use stencil_runtime::{Package, cuda, manifest::Resources};

/// Builds what a paper's experiments need into one folder: our plain kernels, and those of the
/// system's pipeline where it is there.
pub fn build(paper: &Paper, plain: &Request, out: &Path) -> Result<Built, BuildError> {
    let mut requests = vec![plain.clone()];
    if let Ok(pipeline) = pipelines::find(&paper.system) {
        let Request { kernels, types, size, .. } = plain;
        let own = pipelines::plans(pipeline.name, kernels, types, *size)?;
        let plans = own.unwrap_or_else(|| plain.plans.clone());
        requests.push(Request { pipeline: pipeline.name.to_owned(), plans, ..plain.clone() });
    }
    build::build_all(&requests, out)
}

/// What a folder holds, as far as it is known before anything is measured.
///
/// # Errors
/// If a package cannot be read.
pub fn made(index: &Index, folder: &Path) -> anyhow::Result<Vec<Made>> {
    let of_entry = |entry: &Entry| -> anyhow::Result<Made> {
        let package = Package::read(&folder.join(&entry.package))?;
        let kernels = package.code.manifest.kernels.iter();
        let resources = kernels.filter_map(|kernel| kernel.resources).collect::<Vec<_>>();
        let spills = |used: &Resources| used.spill_store_bytes + used.spill_load_bytes;
        Ok(Made {
            kernel: entry.kernel.clone(),
            r#type: entry.r#type,
            pipeline: entry.version.clone(),
            plan: entry.plan.clone(),
            cap: entry.cap,
            registers: resources.iter().map(|used| used.registers).max(),
            spill_bytes: resources.iter().map(spills).max(),
            gflops: None,
        })
    };
    index.entries.iter().map(of_entry).collect()
}

/// What a search for versions found, a line for each kernel and type; nothing where the system does
/// not search.
pub fn searched(paper: &Paper, kernels: &[&'static Benchmark], size: Size) -> Vec<String> {
    if paper.system != "queue" {
        return Vec::new();
    }
    let mut lines = Vec::new();
    for &benchmark in kernels {
        for &element in &paper.types {
            let found = systems::found(Case { benchmark, element, size });
            let counts = found.iter().map(|(steps, kept, all)| format!("T={steps}: {kept}/{all}"));
            let counts = counts.collect::<Vec<_>>().join(", ");
            lines.push(format!("here, Table 3: {} {element}: run/all {counts}", benchmark.name));
        }
    }
    lines
}

/// Runs a folder if there is a GPU and `bench-run` beside this program; otherwise says what to do
/// where there is one.
pub fn run(paper: &Paper, folder: &Path, results: &Path) -> anyhow::Result<Option<String>> {
    let Some(runner) = runner().filter(|_| cuda::compute_capability(0).is_ok()) else {
        let (system, folder, out) = (&paper.system, folder.display(), results.display());
        let energy = if paper.shows_energy() { " --energy" } else { "" };
        return Ok(Some(format!(
            "nothing is run here: copy '{folder}' and bench-run to a machine with a GPU, say \
             'bench-run {folder} --out {out}{energy}' there, then \
             'bench paper {system} --results {out}'"
        )));
    };
    let mut command = Command::new(&runner);
    command.arg(folder).arg("--out").arg(results);
    if paper.shows_energy() {
        command.arg("--energy");
    }
    let status = command.status();
    status.with_context(|| format!("cannot run '{}'", runner.display()))?;
    Ok(None)
}

/// `bench-run`, where this program is.
fn runner() -> Option<PathBuf> {
    let program = env::current_exe().ok()?.with_file_name("bench-run");
    program.is_file().then_some(program)
}
