//! One program by several plans: what each version costs, beside the others.
//!
//! What is said of a version is what its report says, what the predictor makes of its machine code,
//! and how many instructions of each class that has. Without an assembler the machine code is
//! unknown, and so is what comes from it; no number is guessed in its place.

mod classes;
mod text;

pub use text::{listings, table};

use crate::{
    DriverError,
    compile::{self, Assembler, Compilation, Emit},
    demotion,
    input::Input,
    pipelines::PlanRequest,
    prediction::Predictor,
    reading::Reading,
    report::{KernelReport, Report},
    session::{Context, Session},
    target::Target,
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use stencil_predictor::disassembly;

/// A program by one plan.
#[derive(Debug, Serialize)]
pub struct Version {
    /// The plan as it was asked for.
    pub plan: String,
    /// The kernels, in the order of the package.
    pub kernels: Vec<CountedKernel>,
    /// Cycles of all launches that the host programs have, by the predictor.
    pub predicted_cycles: Option<u64>,
    /// What is not known, and why.
    pub unknown: Vec<String>,
    /// The machine code as text.
    #[serde(skip)]
    pub sass: Option<String>,
}

/// A kernel with its machine code counted.
#[derive(Debug, Serialize)]
pub struct CountedKernel {
    /// What the report says.
    #[serde(flatten)]
    pub report: KernelReport,
    /// Instructions of the machine code by class, each once, however often a loop runs it.
    pub machine_instructions: Option<BTreeMap<&'static str, usize>>,
}

/// Compiles a program by each of several plans.
///
/// # Errors
/// If the program, or a plan for it, is refused.
pub fn versions(
    context: &Context,
    input: &Input,
    reading: &Reading,
    target: &Target,
    plans: &[PlanRequest],
) -> Result<Vec<Version>, DriverError> {
    let version = |plan: &PlanRequest| {
        let session = Session::new(context, input, *target).with_plan(plan.clone());
        let module = session.read(reading)?;
        let frozen = session.freeze(&module)?;
        let compiled = demotion::compile(&session, &frozen, &BTreeSet::from([Emit::Cubin]))?;
        describe(&session, &compiled, plan)
    };
    plans.iter().map(version).collect()
}

fn describe(
    session: &Session,
    compiled: &Compilation,
    plan: &PlanRequest,
) -> Result<Version, DriverError> {
    let mut report = Report::new(session);
    report.describe(compiled);
    let code = &compiled.package.as_ref().expect("a cubin is made of a package").code;
    let mut version = Version {
        plan: plan.to_string(),
        kernels: Vec::new(),
        predicted_cycles: None,
        unknown: Vec::new(),
        sass: None,
    };
    let mut counted = BTreeMap::new();
    match (&code.cubin, &compiled.assembler, compile::nvdisasm()) {
        (Some(cubin), _, Some(nvdisasm)) => {
            counted = classes::counts(&disassembly::disassemble(&nvdisasm, cubin)?);
            version.sass = Some(disassembly::text(&nvdisasm, cubin)?);
            let predictor = Predictor::new(session.target().machine());
            match predictor.and_then(|predictor| predictor.cycles(code)) {
                Ok(cycles) => version.predicted_cycles = Some(cycles),
                Err(why) => version.unknown.push(format!("predicted cycles: {why}")),
            }
        }
        (Some(_), _, None) => version.unknown.push(format!("SASS: {}", DriverError::NoNvdisasm)),
        (None, Assembler::Failed(why), _) => version.unknown.push(format!("SASS: {why}")),
        (None, _, _) => version.unknown.push(format!("SASS: {}", DriverError::NoPtxas)),
    }
    let kernels = report.kernels.into_iter().map(|report| {
        let machine_instructions = counted.remove(&report.name);
        CountedKernel { report, machine_instructions }
    });
    version.kernels = kernels.collect();
    Ok(version)
}

/// Versions as JSON.
///
/// # Panics
/// If numbers and texts are no JSON.
pub fn json(versions: &[Version]) -> String {
    serde_json::to_string_pretty(versions).expect("numbers and texts are JSON") + "\n"
}
