//! From a program to everything that can be written of it.

use crate::{
    DriverError,
    demotion::Fit,
    drawings,
    pipelines::Kernels,
    session::{self, Session},
    verification::SelfTestable,
};
use melior::ir::Module;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};
use stencil_lowering::ptx::ptxas;
use stencil_runtime::{Code, Manifest, Package};

/// What a compilation can write. In the order in which it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Emit {
    /// The program with bounds and frozen arithmetic: what the interpreter runs.
    Stencil,
    /// What each sweep does with which plane, drawn.
    Pipeline,
    /// Kernels and the host program, in MLIR.
    Gpu,
    /// Kernels in the LLVM and NVVM dialects.
    Nvvm,
    /// Kernels in LLVM IR: what the emulator runs.
    Llvm,
    /// Kernels in PTX.
    Ptx,
    /// Machine code.
    Cubin,
    /// All that is needed to run the program on a GPU, in one file.
    Package,
    /// The functions of the launcher, for C and C++.
    Header,
    /// Kernels and host programs in C on the CUDA driver API.
    Launcher,
    /// A Fortran module over the launcher.
    Fortran,
    /// What was decided, and what it costs.
    Report,
}

impl Emit {
    /// Everything, in order.
    pub const ALL: [Emit; 12] = {
        use Emit::{
            Cubin, Fortran, Gpu, Header, Launcher, Llvm, Nvvm, Package, Pipeline, Ptx, Report,
            Stencil,
        };
        [Stencil, Pipeline, Gpu, Nvvm, Llvm, Ptx, Cubin, Package, Header, Launcher, Fortran, Report]
    };

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Emit::Stencil => "stencil",
            Emit::Pipeline => "pipeline",
            Emit::Gpu => "gpu",
            Emit::Nvvm => "nvvm",
            Emit::Llvm => "llvm",
            Emit::Ptx => "ptx",
            Emit::Cubin => "cubin",
            Emit::Package => "package",
            Emit::Header => "header",
            Emit::Launcher => "launcher",
            Emit::Fortran => "fortran",
            Emit::Report => "report",
        }
    }

    /// How a file of it ends.
    pub fn ending(self) -> &'static str {
        match self {
            Emit::Stencil => "stencil.mlir",
            Emit::Pipeline => "pipeline.txt",
            Emit::Gpu => "gpu.mlir",
            Emit::Nvvm => "nvvm.mlir",
            Emit::Llvm => "ll",
            Emit::Ptx => "ptx",
            Emit::Cubin => "cubin",
            Emit::Package => "spk",
            Emit::Header => "h",
            Emit::Launcher => "c",
            Emit::Fortran => "f90",
            Emit::Report => "report.json",
        }
    }

    /// Whether it is text, fit for a terminal.
    pub fn is_text(self) -> bool {
        !matches!(self, Emit::Cubin | Emit::Package)
    }
}

/// What became of the assembler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assembler {
    /// Nothing that was wanted needs it.
    NotAsked,
    /// It assembled the kernels.
    Used(PathBuf),
    /// There is none.
    Missing,
    /// It did not take the PTX, or could not be run.
    Failed(String),
}

/// A compiled program, as far as was asked for.
pub struct Compilation {
    /// The levels above LLVM IR that were asked for, as text.
    texts: BTreeMap<Emit, String>,
    /// Host program and kernels, with LLVM IR and PTX; if anything from there on was asked for.
    pub package: Option<Package>,
    /// Where registers and cubin come from.
    pub assembler: Assembler,
    /// What the package is verified by, function by function; empty until it was asked for.
    pub self_tests: Vec<SelfTestable>,
    /// How many registers are demoted, if the plan asked.
    pub fit: Option<Fit>,
    /// Whether the kernels' LLVM IR goes into a package file: for the emulator, no GPU needs it.
    pub keep_ir: bool,
}

impl Compilation {
    /// The file content of something that was asked for; the caller makes the report itself.
    /// Sources of a launcher are named by their files' stem and include each other by it.
    pub fn content(&self, emit: Emit, stem: &str) -> Result<Vec<u8>, DriverError> {
        if let Some(text) = self.texts.get(&emit) {
            return Ok(text.clone().into_bytes());
        }
        let package = self.package.as_ref().expect("what is written was asked for");
        match emit {
            Emit::Llvm => Ok(package.code.llvm_ir.clone().unwrap_or_default().into_bytes()),
            Emit::Ptx => Ok(package.code.ptx.clone().into_bytes()),
            Emit::Cubin => self.cubin(package),
            Emit::Header => Ok(stencil_launcher::header(package, stem)?.into_bytes()),
            Emit::Launcher => Ok(stencil_launcher::launcher(package, stem)?.into_bytes()),
            Emit::Fortran => Ok(stencil_launcher::fortran(package, stem)?.into_bytes()),
            _ => {
                let mut package = package.clone();
                if !self.keep_ir {
                    package.drop_llvm_ir();
                }
                package.to_bytes().map_err(|error| DriverError::Runtime(error.into()))
            }
        }
    }

    fn cubin(&self, package: &Package) -> Result<Vec<u8>, DriverError> {
        match (&package.code.cubin, &self.assembler) {
            (Some(cubin), _) => Ok(cubin.clone()),
            (None, Assembler::Failed(message)) => Err(DriverError::Assembler(message.clone())),
            (None, _) => Err(DriverError::NoPtxas),
        }
    }
}

/// Compiles a program whose arithmetic is frozen, down to the last thing that is wanted: higher
/// levels can be shown of programs that nothing can lower yet.
pub fn compile<'c>(
    session: &Session<'c>,
    frozen: &Module<'c>,
    wanted: &BTreeSet<Emit>,
) -> Result<Compilation, DriverError> {
    let last = wanted.last().copied().unwrap_or(Emit::Stencil);
    let mut made = Compilation {
        texts: BTreeMap::new(),
        package: None,
        assembler: Assembler::NotAsked,
        self_tests: Vec::new(),
        fit: None,
        keep_ir: false,
    };
    let mut keep = |emit: Emit, text: &dyn Fn() -> String| {
        if wanted.contains(&emit) {
            made.texts.insert(emit, text());
        }
        last > emit
    };
    let printed = |module: &Module| module.as_operation().to_string();
    if !keep(Emit::Stencil, &|| printed(frozen)) {
        return Ok(made);
    }
    if session::functions(frozen).is_empty() {
        return Err(DriverError::NoFunction { program: session.program().to_owned() });
    }
    if wanted.contains(&Emit::Pipeline) {
        let sweeps = session.to_sweeps(frozen)?;
        if !keep(Emit::Pipeline, &|| drawings::sweeps::text(&sweeps)) {
            return Ok(made);
        }
    }
    let mapped = session.map(frozen, Kernels::Planned)?;
    if !keep(Emit::Gpu, &|| printed(&mapped)) {
        return Ok(made);
    }
    let mut manifest = session.export(&mapped)?;
    let nvvm = session.to_nvvm(&mapped)?;
    if !keep(Emit::Nvvm, &|| printed(&nvvm)) {
        return Ok(made);
    }
    let emitted = session.emit(&nvvm)?;
    let mut cubin = None;
    if last >= Emit::Cubin {
        (cubin, made.assembler) = assemble(session, &emitted.ptx, &mut manifest);
    }
    let llvm_ir = Some(emitted.llvm_ir);
    let code = Code { manifest, ptx: emitted.ptx, cubin, llvm_ir };
    made.package = Some(Package { code, plain: None, selftest: None });
    Ok(made)
}

/// Machine code, if there is an assembler; the manifest then learns what each kernel uses.
fn assemble(session: &Session, ptx: &str, manifest: &mut Manifest) -> (Option<Vec<u8>>, Assembler) {
    let Some(program) = ptxas::find() else { return (None, Assembler::Missing) };
    match session.assemble(&program, ptx) {
        Ok(mut assembled) => {
            for kernel in &mut manifest.kernels {
                kernel.resources = assembled.resources.remove(&kernel.name);
            }
            (Some(assembled.cubin), Assembler::Used(program))
        }
        Err(error) => (None, Assembler::Failed(error.to_string())),
    }
}
