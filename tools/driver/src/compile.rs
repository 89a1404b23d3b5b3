//! From a program to everything that can be written of it.

use crate::{
    DriverError,
    demotion::Fit,
    drawings,
    pipelines::{self, Kernels, Step},
    session::{self, Session},
    verification::SelfTestable,
};
use melior::ir::Module;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};
use stencil_launcher::host;
use stencil_lowering::{export::kernels, ptx::ptxas};
use stencil_passes::strategy::decisions::Decided;
use stencil_predictor::disassembly;
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
    /// Machine code as text: what the disassembler says.
    Sass,
    /// All that is needed to run the program on a GPU, in one file.
    Package,
    /// The functions of the launcher, for C and C++.
    Header,
    /// The package as bytes, and functions in C that call the library.
    Launcher,
    /// A Fortran module over the launcher.
    Fortran,
    /// The C file whose regions were compiled, with calls of the launcher's functions.
    CHost,
    /// What was decided, and what it costs.
    Report,
}

impl Emit {
    /// The passes from frozen arithmetic to what it is made of.
    pub(crate) fn steps(self) -> Vec<Step> {
        match self {
            Emit::Stencil => Vec::new(),
            Emit::Pipeline => pipelines::to_sweeps().to_vec(),
            Emit::Gpu => pipelines::MAP.to_vec(),
            _ => [pipelines::MAP, pipelines::NVVM].concat(),
        }
    }

    /// Everything, in order.
    pub const ALL: [Emit; 14] = {
        use Emit::{
            CHost, Cubin, Fortran, Gpu, Header, Launcher, Llvm, Nvvm, Package, Pipeline, Ptx,
            Report, Sass, Stencil,
        };
        [
            Stencil, Pipeline, Gpu, Nvvm, Llvm, Ptx, Cubin, Sass, Package, Header, Launcher,
            Fortran, CHost, Report,
        ]
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
            Emit::Sass => "sass",
            Emit::Package => "package",
            Emit::Header => "header",
            Emit::Launcher => "launcher",
            Emit::Fortran => "fortran",
            Emit::CHost => "c-host",
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
            Emit::Sass => "sass",
            Emit::Package => "spk",
            Emit::Header => "h",
            Emit::Launcher => "c",
            Emit::Fortran => "f90",
            Emit::CHost => "host.c",
            Emit::Report => "report.json",
        }
    }

    /// Whether it is text, fit for a terminal.
    pub fn is_text(self) -> bool {
        !matches!(self, Emit::Cubin | Emit::Package)
    }
}

/// What became of the assembler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Assembler {
    /// Nothing that was wanted needs it.
    #[default]
    NotAsked,
    /// It assembled the kernels.
    Used(PathBuf),
    /// There is none.
    Missing,
    /// It did not take the PTX, or could not be run.
    Failed(String),
}

/// A C file that is to call the functions of its regions.
#[derive(Clone, Debug)]
pub struct Embedded {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The calls, in the order of the text.
    pub calls: Vec<host::Call>,
}

/// A compiled program, as far as was asked for.
#[derive(Default)]
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
    /// The calls that a C file gets, its name and its text, if that was asked for.
    pub embedded: Option<Embedded>,
    /// What was decided for kernels, by their names.
    pub decisions: BTreeMap<String, Decided>,
    /// Whether the kernels' LLVM IR goes into a package file: for the emulator, no GPU needs it.
    pub keep_ir: bool,
}

impl Compilation {
    /// A package that was made before.
    pub(crate) fn of_package(
        package: Package,
        assembler: Assembler,
        fit: Option<Fit>,
        decisions: BTreeMap<String, Decided>,
    ) -> Compilation {
        let package = Some(package);
        Compilation { package, assembler, fit, decisions, ..Compilation::default() }
    }

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
            Emit::Sass => sass(&self.cubin(package)?),
            Emit::Header => Ok(stencil_launcher::header(package, stem)?.into_bytes()),
            Emit::Launcher => {
                let mut text = stencil_launcher::launcher(package, stem)?;
                if let Some(Embedded { calls, .. }) = &self.embedded {
                    text.push_str(&host::functions(package, stem, calls)?);
                }
                Ok(text.into_bytes())
            }
            Emit::CHost => {
                let Embedded { name, text, calls } =
                    self.embedded.as_ref().expect("what is written was asked for");
                Ok(host::rewritten(package, stem, name, text, calls)?.into_bytes())
            }
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

    /// Puts PTX in the place of the kernels that were made, and assembles it if that can be done:
    /// else it is the driver that says what is wrong with it.
    pub(crate) fn replace_ptx(&mut self, session: &Session, ptx: &str) -> Result<(), DriverError> {
        let package = self.package.as_mut().expect("what is replaced was asked for");
        let replaced = package.code.replace_ptx(ptx.to_owned());
        replaced.map_err(|error| DriverError::Option(error.to_string()))?;
        let made = assemble(session, ptx, &mut package.code.manifest);
        (package.code.cubin, self.assembler) = made;
        match &self.assembler {
            Assembler::Failed(message) => Err(DriverError::Option(message.clone())),
            _ => Ok(()),
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

/// Machine code as text.
fn sass(cubin: &[u8]) -> Result<Vec<u8>, DriverError> {
    let nvdisasm = nvdisasm().ok_or(DriverError::NoNvdisasm)?;
    Ok(disassembly::text(&nvdisasm, cubin)?.into_bytes())
}

/// The disassembler, beside the assembler if it is nowhere else.
pub(crate) fn nvdisasm() -> Option<PathBuf> {
    disassembly::find().or_else(|| {
        let beside = ptxas::find()?.with_file_name("nvdisasm");
        beside.is_file().then_some(beside)
    })
}

/// Compiles a program whose arithmetic is frozen, down to the last thing that is wanted: higher
/// levels can be shown of programs that nothing can lower yet.
pub fn compile<'c>(
    session: &Session<'c>,
    frozen: &Module<'c>,
    wanted: &BTreeSet<Emit>,
) -> Result<Compilation, DriverError> {
    let mut made = InProgress::of(wanted);
    if !made.keep(Emit::Stencil, || printed(frozen)) {
        return Ok(made.compilation);
    }
    if session::functions(frozen).is_empty() {
        return Err(DriverError::NoFunction { program: session.program().to_owned() });
    }
    if wanted.contains(&Emit::Pipeline) {
        let sweeps = session.to_sweeps(frozen)?;
        if !made.keep(Emit::Pipeline, || drawings::sweeps::text(&sweeps)) {
            return Ok(made.compilation);
        }
    }
    made.of_kernels(session, &session.map(frozen, Kernels::Planned)?)
}

/// Compiles kernels and a host program in the gpu dialect, as [`Emit::Gpu`] writes them.
///
/// # Errors
/// If a level above them is wanted: they have left it.
pub fn compile_kernels<'c>(
    session: &Session<'c>,
    mapped: &Module<'c>,
    wanted: &BTreeSet<Emit>,
) -> Result<Compilation, DriverError> {
    if let Some(above) = wanted.iter().find(|emit| **emit < Emit::Gpu) {
        let (program, name) = (session.program(), above.name());
        let problem = format!("'{program}' holds kernels, a level after --emit={name}");
        return Err(DriverError::Option(format!(
            "{problem}; give the program that they were made from"
        )));
    }
    InProgress::of(wanted).of_kernels(session, mapped)
}

fn printed(module: &Module) -> String {
    module.as_operation().to_string()
}

/// A compilation that is going on.
struct InProgress<'w> {
    wanted: &'w BTreeSet<Emit>,
    last: Emit,
    compilation: Compilation,
}

impl<'w> InProgress<'w> {
    fn of(wanted: &'w BTreeSet<Emit>) -> InProgress<'w> {
        let compilation = Compilation::default();
        let last = wanted.last().copied().unwrap_or(Emit::Stencil);
        InProgress { wanted, last, compilation }
    }

    /// Keeps a text if it is wanted; whether something below it is wanted, too.
    fn keep(&mut self, emit: Emit, text: impl FnOnce() -> String) -> bool {
        if self.wanted.contains(&emit) {
            self.compilation.texts.insert(emit, text());
        }
        self.last > emit
    }

    /// From kernels and a host program to the last thing that is wanted.
    fn of_kernels<'c>(
        mut self,
        session: &Session<'c>,
        mapped: &Module<'c>,
    ) -> Result<Compilation, DriverError> {
        if !self.keep(Emit::Gpu, || printed(mapped)) {
            return Ok(self.compilation);
        }
        let mut manifest = session.export(mapped)?;
        let nvvm = session.to_nvvm(mapped)?;
        if !self.keep(Emit::Nvvm, || printed(&nvvm)) {
            return Ok(self.compilation);
        }
        let emitted = session.emit(&nvvm)?;
        let mut made = self.compilation;
        made.decisions = kernels::decisions(mapped);
        let mut cubin = None;
        if self.last >= Emit::Cubin {
            (cubin, made.assembler) = assemble(session, &emitted.ptx, &mut manifest);
        }
        let llvm_ir = Some(emitted.llvm_ir);
        let code = Code { manifest, ptx: emitted.ptx, cubin, llvm_ir };
        made.package = Some(Package { code, plain: None, selftest: None });
        Ok(made)
    }
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
