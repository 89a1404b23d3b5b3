//! Kernels that were compiled before, for `stencilc run`.
//!
//! They follow from the program once its arithmetic is frozen, with its places, which reports show;
//! from plan, target and version of PTX; and from the programs that make them: this one, the
//! assembler, the library of elementary functions. All of that is the key.

use crate::{
    DriverError,
    cache::{Cache, identity, sha256},
    compile::{Assembler, Compilation},
    demotion::Fit,
    emulated::Emulation,
    pipelines::PlanRequest,
    session::{Module, Session},
};
use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, env, path::PathBuf};
use stencil_lowering::ptx::{libdevice, llvm_version, ptxas};
use stencil_passes::strategy::decisions::Decided;
use stencil_runtime::{Manifest, Package};

/// What is known of a package that the package does not say.
#[derive(Serialize, Deserialize)]
struct Made {
    /// The plan with answers in the place of questions, as text.
    plan: String,
    assembler: PathBuf,
    fit: Option<Fit>,
    /// Plans and their reasons, by kernel.
    decisions: BTreeMap<String, (String, String)>,
}

/// The package of a program, from the cache if it is there.
///
/// # Errors
/// As `compile`, which makes it.
pub fn package<'c>(
    cache: &Cache,
    session: &Session<'c>,
    frozen: &Module<'c>,
    compile: impl FnOnce() -> Result<Compilation, DriverError>,
) -> Result<Compilation, DriverError> {
    let key = key("package", session, frozen);
    if let Some(found) = cache.load(&key).and_then(|(made, bytes)| restored(session, made, &bytes))
    {
        session.note_cached();
        return Ok(found);
    }
    let compiled = compile()?;
    if let Some((made, bytes)) = to_keep(session, &compiled) {
        cache.store(&key, &made, &bytes);
    }
    Ok(compiled)
}

/// A program with its kernels for the emulator, from the cache if they are there.
///
/// # Errors
/// As [`Emulation::compile`].
pub fn emulation<'c>(
    cache: &Cache,
    session: &Session<'c>,
    frozen: &Module<'c>,
) -> Result<Emulation, DriverError> {
    let key = key("emulated", session, frozen);
    let found = cache.load::<Manifest>(&key);
    if let Some((manifest, Ok(llvm_ir))) = found.map(|(m, bytes)| (m, String::from_utf8(bytes))) {
        session.note_cached();
        return Emulation::of_llvm_ir(session, manifest, &llvm_ir);
    }
    let (manifest, llvm_ir) = Emulation::checked(session, frozen)?;
    cache.store(&key, &manifest, llvm_ir.as_bytes());
    Emulation::of_llvm_ir(session, manifest, &llvm_ir)
}

/// All that the kernels follow from.
fn key(kind: &str, session: &Session, frozen: &Module) -> String {
    let with_places = OperationPrintingFlags::new().enable_debug_info(true, false);
    let program = frozen.as_operation().to_string_with_flags(with_places);
    let program = program.expect("a module prints as UTF-8");
    let target = session.target();
    let tools = [env::current_exe().ok(), ptxas::find(), libdevice::find()];
    let tools = tools.map(|tool| tool.as_deref().map_or_else(String::new, identity));
    let (version, plan) = (env!("CARGO_PKG_VERSION"), session.plan().to_string());
    let [llvm, ptx] = [llvm_version(), target.ptx_version.to_string()];
    let chip = target.chip_option();
    let parts = [kind, &program, &plan, target.name(), &chip, &ptx, version, &llvm];
    sha256(parts.into_iter().chain(tools.iter().map(String::as_str)).map(str::as_bytes))
}

/// What is worth keeping: without an assembler the next run is to look for one again.
fn to_keep(session: &Session, compiled: &Compilation) -> Option<(Made, Vec<u8>)> {
    let Assembler::Used(assembler) = &compiled.assembler else { return None };
    let bytes = compiled.package.as_ref()?.to_bytes().ok()?;
    let pair = |decided: &Decided| (decided.plan.clone(), decided.why.clone());
    let decisions = compiled.decisions.iter();
    let made = Made {
        plan: session.plan().to_string(),
        assembler: assembler.clone(),
        fit: compiled.fit.clone(),
        decisions: decisions.map(|(kernel, decided)| (kernel.clone(), pair(decided))).collect(),
    };
    Some((made, bytes))
}

fn restored(session: &Session, made: Made, bytes: &[u8]) -> Option<Compilation> {
    let package = Package::from_bytes(bytes).ok()?;
    let plan: PlanRequest = made.plan.parse().ok()?;
    session.set_plan(plan);
    let decided = |(kernel, (plan, why))| (kernel, Decided { plan, why });
    let decisions = made.decisions.into_iter().map(decided).collect();
    Some(Compilation::of_package(package, Assembler::Used(made.assembler), made.fit, decisions))
}
