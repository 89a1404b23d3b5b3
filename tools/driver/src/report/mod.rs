//! What was decided, what it costs, what was done: one screen for people, JSON for programs.

mod bound;
mod chip;
mod kernel;
mod ptx;
mod text;

pub use bound::Bound;
pub use chip::Chip;
pub use kernel::{Decision, KernelReport, OccupancyReport};
pub use ptx::Instructions;
pub use text::text;

use crate::{
    compile::{Assembler, Compilation},
    demotion::Fit,
    emulated::{Emulated, Shared},
    gpu::OnGpu,
    interpreted::{self, Interpreted},
    session::{Session, StageTime},
    target::Target,
    verification::SelfTestable,
    verify::Comparison,
};
use serde::Serialize;
use std::{collections::BTreeMap, time::Duration};
use stencil_model::product::Product;
use stencil_runtime::Manifest;

/// Everything that is known at the end of a compilation or a run.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The program, as it was named.
    pub program: String,
    /// The function that was run; none after a compilation of the whole program.
    pub function: Option<String>,
    /// The architecture.
    pub target: &'static str,
    /// The chip that plans were made for.
    pub chip: Chip,
    #[serde(skip)]
    product: &'static Product,
    /// The version of PTX.
    pub ptx_version: String,
    /// Where registers and machine code come from; none where there are no kernels to assemble.
    pub assembler: Option<AssemblerReport>,
    /// How many registers are demoted; none where the plan did not ask.
    pub demotion: Option<Fit>,
    /// The kernels, in the order of the PTX.
    pub kernels: Vec<KernelReport>,
    /// What the compiler's own steps took.
    pub stages: Vec<StageTime>,
    /// Whether kernels were made by an earlier run.
    pub from_cache: bool,
    /// What the run did.
    pub run: Option<RunSection>,
    /// Whether the run was right.
    pub verification: Option<Verification>,
    /// Which functions of a package can test themselves.
    pub self_tests: Vec<SelfTestable>,
    /// Files that were written.
    pub outputs: Vec<String>,
}

/// What became of the assembler.
#[derive(Debug, Serialize)]
pub struct AssemblerReport {
    /// `used`, `missing` or `failed`; `no PTX` where there was nothing to assemble.
    pub status: &'static str,
    /// Where it is, what it said, or how to get it.
    pub message: String,
}

/// What a run did.
#[derive(Debug, Default, Serialize)]
pub struct RunSection {
    /// What ran it.
    pub backend: &'static str,
    /// The time of the run on this machine, without compiling; on a GPU `device` has it.
    pub seconds: Option<f64>,
    /// Kernel launches, or applies on the interpreter.
    pub launches: u64,
    /// Copies of whole buffers.
    pub copies: u64,
    /// Grid points computed.
    pub points: u64,
    /// Operations that the interpreter evaluated.
    pub operations: Option<u64>,
    /// What several devices exchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<Shared>,
    /// What the function returned.
    pub results: Vec<String>,
    /// What `stencil-run` reported.
    pub device: Option<serde_json::Value>,
    /// What `stencil-run` printed.
    #[serde(skip)]
    pub device_text: String,
}

const INTERPRETER: &str = "interpreter";
const PLAIN_KERNELS: &str = "plain kernels";

/// Whether a run was right.
#[derive(Debug, Serialize)]
pub struct Verification {
    /// Field by field; absent where there was nothing to compare with.
    pub comparison: Option<Comparison>,
    /// What the fields were compared with: `interpreter` or `plain kernels`.
    pub reference: &'static str,
    /// The time of the reference run.
    pub reference_seconds: f64,
    /// Whether the program has operations whose results differ between machines.
    pub approximate: bool,
}

impl Report {
    /// A report that knows the program and its target.
    pub fn new(session: &Session) -> Report {
        let Target { architecture, product, ptx_version, .. } = session.target();
        Report {
            program: session.program().to_owned(),
            function: None,
            target: architecture.name,
            product,
            chip: Chip::of(&session.target()),
            ptx_version: ptx_version.to_string(),
            assembler: None,
            demotion: None,
            kernels: Vec::new(),
            stages: session.times(),
            from_cache: false,
            run: None,
            verification: None,
            self_tests: Vec::new(),
            outputs: Vec::new(),
        }
    }

    /// Adds the kernels of a compilation that went down to PTX.
    pub fn describe(&mut self, compiled: &Compilation) {
        let Some(package) = &compiled.package else { return };
        if package.code.manifest.kernels.is_empty() {
            return;
        }
        self.assembler = assembler(&compiled.assembler);
        self.demotion = compiled.fit.clone();
        self.self_tests = compiled.self_tests.clone();
        let code = &package.code;
        self.kernels =
            kernel::reports(&code.manifest, Some(&code.ptx), &compiled.decisions, self.product);
    }

    /// Adds kernels for which no machine code could be made, and why.
    pub fn describe_without_code(&mut self, manifest: &Manifest, why: &str) {
        self.assembler = Some(AssemblerReport { status: "no PTX", message: why.to_owned() });
        self.kernels = kernel::reports(manifest, None, &BTreeMap::new(), self.product);
    }

    /// The report as JSON.
    pub fn json(&self) -> String {
        let text = serde_json::to_string_pretty(self).expect("a report is plain data");
        text + "\n"
    }

    /// Whether a verification found a difference.
    pub fn is_refuted(&self) -> bool {
        let comparison = self.verification.as_ref().and_then(|found| found.comparison.as_ref());
        comparison.is_some_and(|comparison| !comparison.is_identical())
    }
}

fn assembler(assembler: &Assembler) -> Option<AssemblerReport> {
    let (status, message) = match assembler {
        Assembler::NotAsked => return None,
        Assembler::Used(path) => ("used", path.display().to_string()),
        Assembler::Missing => (
            "missing",
            "registers, spills and occupancy are unknown ('./x setup' installs it, or name one \
             in STENCIL_PTXAS)"
                .to_owned(),
        ),
        Assembler::Failed(message) => ("failed", message.clone()),
    };
    Some(AssemblerReport { status, message })
}

impl RunSection {
    /// Of a run on the interpreter.
    pub fn interpreted(done: &Interpreted) -> RunSection {
        let counters = done.outcome.counters;
        RunSection {
            backend: "interpreter",
            seconds: Some(done.time.as_secs_f64()),
            launches: counters.applies,
            points: counters.points,
            operations: Some(counters.operations),
            results: done.outcome.results.iter().map(interpreted::result_text).collect(),
            ..RunSection::default()
        }
    }

    /// Of a run on the emulator.
    pub fn emulated(done: &Emulated) -> RunSection {
        RunSection {
            backend: "emulator",
            seconds: Some(done.time.as_secs_f64()),
            launches: done.report.launches,
            copies: done.report.copies,
            points: done.report.points,
            shared: done.shared,
            ..RunSection::default()
        }
    }

    /// Of a run on a GPU.
    pub fn on_gpu(done: OnGpu) -> RunSection {
        let number = |key: &str| done.report[key].as_u64().unwrap_or_default();
        RunSection {
            backend: "gpu",
            launches: number("launches"),
            copies: number("copies"),
            points: number("points"),
            device: Some(done.report),
            device_text: done.text,
            ..RunSection::default()
        }
    }
}

impl Verification {
    /// Of a run that was compared.
    pub fn new(comparison: Comparison, reference: Duration, approximate: bool) -> Verification {
        let reference_seconds = reference.as_secs_f64();
        let (comparison, reference) = (Some(comparison), INTERPRETER);
        Verification { comparison, reference, reference_seconds, approximate }
    }

    /// Of a run that `stencil-run` found equal to that of plain kernels, from its report.
    pub fn by_plain_kernels(device: &serde_json::Value) -> Verification {
        let found = &device["verified"]["plain"];
        let number = |key: &str| found[key].as_u64().unwrap_or_default();
        let (fields, cells) = (number("fields") as usize, number("cells"));
        let comparison = Some(Comparison { fields, cells, differences: Vec::new() });
        let reference = PLAIN_KERNELS;
        Verification { comparison, reference, reference_seconds: 0.0, approximate: true }
    }

    /// Of a run on the interpreter itself.
    pub fn of_reference() -> Verification {
        let (comparison, reference) = (None, INTERPRETER);
        Verification { comparison, reference, reference_seconds: 0.0, approximate: false }
    }
}
