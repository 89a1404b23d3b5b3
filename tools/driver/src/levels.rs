//! PTX of a module at any level on the way to it, and programs as text in another language.

use crate::{
    DriverError, demotion,
    pipelines::{self, Kernels},
    session::{self, Session, functions},
};
use melior::ir::Module;
use stencil_dialects::{ods::gpu, walk};
use stencil_import::stencilgen;

/// How far a module has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// A program: stencils, or sweeps.
    Program,
    /// Kernels in the gpu dialect.
    Gpu,
    /// Kernels in the LLVM and NVVM dialects.
    Nvvm,
}

impl Level {
    /// That of a module.
    pub fn of(module: &Module) -> Level {
        let nested = walk::nested(module.as_operation());
        let has = |name: &str| nested.iter().any(|found| walk::name(found) == name);
        match (has(gpu::FUNC), has(gpu::MODULE)) {
            (true, _) => Level::Gpu,
            (false, true) => Level::Nvvm,
            (false, false) => Level::Program,
        }
    }
}

/// A program in the language of STENCILGEN, which computes the same bits if it is read with
/// `--strict`.
///
/// # Errors
/// If the program is wrong, or has what the language lacks.
pub fn dsl<'c>(session: &Session<'c>, module: &Module<'c>) -> Result<String, DriverError> {
    let mut exported = session::copy(module);
    session.run("export", &mut exported, pipelines::EXPORT, Kernels::Planned)?;
    if !stencilgen::is_direct(&exported) {
        session.run("export", &mut exported, pipelines::EXPORT_COPIES, Kernels::Planned)?;
    }
    stencilgen::export(&exported).ok_or(DriverError::Diagnosed)
}

/// PTX of all kernels of a module.
///
/// # Errors
/// If the program is wrong, or has no function.
pub fn ptx<'c>(session: &Session<'c>, module: &Module<'c>) -> Result<String, DriverError> {
    let nvvm = match Level::of(module) {
        Level::Program if functions(module).is_empty() => {
            return Err(DriverError::NoFunction { program: session.program().to_owned() });
        }
        Level::Program => {
            let frozen = session.freeze(module)?;
            demotion::settle(session, &frozen)?;
            session.to_nvvm(&session.map(&frozen, Kernels::Planned)?)?
        }
        Level::Gpu => session.to_nvvm(module)?,
        Level::Nvvm => session::copy(module),
    };
    Ok(session.emit(&nvvm)?.ptx)
}
