//! From LLVM IR to PTX, through LLVM's NVPTX back end.

use super::{libdevice, prefetch, read_only, spills, translate::translate};
use inkwell::{
    OptimizationLevel,
    context::Context,
    module::Module,
    passes::PassBuilderOptions,
    targets::{
        CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple,
    },
};
use std::{ffi::CString, sync::Once};
use stencil_model::target::{Architecture, PtxVersion};
use thiserror::Error;

/// The target of code generation.
pub struct Options<'t> {
    /// The architecture.
    pub target: &'t Architecture,
    /// The version of the PTX language; a driver must know it.
    pub version: PtxVersion,
}

/// Kernels as text.
pub struct Emitted {
    /// The final LLVM IR, before libdevice is linked in: what an emulator runs.
    pub llvm_ir: String,
    /// PTX.
    pub ptx: String,
}

/// Why there is no PTX.
#[derive(Debug, Error)]
pub enum PtxError {
    /// The module holds no kernels.
    #[error("the module has no gpu.module: map the program to kernels first")]
    NoKernels,
    /// MLIR's translation failed, after its diagnostic.
    #[error("the kernels cannot be translated to LLVM IR")]
    Translation,
    /// A fastmath flag is left.
    #[error("a float operation still carries fastmath flags: {instruction}")]
    NotFrozen {
        /// The instruction.
        instruction: String,
    },
    /// LLVM does not support the target.
    #[error("LLVM cannot make code for {target} with PTX {version}")]
    Target {
        /// The architecture.
        target: String,
        /// The PTX version.
        version: String,
    },
    /// An approximate operation without libdevice.
    #[error(
        "the kernels call {functions}, which need CUDA's libdevice.10.bc: set STENCIL_LIBDEVICE to \
         it, install a CUDA toolkit, or run './x setup'"
    )]
    NoLibdevice {
        /// The functions.
        functions: String,
    },
    /// Spills to shared memory with a version of PTX that does not support them.
    #[error(
        "plan key 'spills' is \"shared\", which PTX {asked} does not support; take PTX {least} or \
         later (--ptx-version), or leave it out"
    )]
    SharedSpills {
        /// The version.
        asked: String,
        /// The first that can.
        least: String,
    },
    /// Spills to shared memory of a kernel whose launch asks for shared memory.
    #[error(
        "plan key 'spills' is \"shared\", but kernel '{kernel}' has dynamic shared memory, with \
         which the assembler cannot spill there; leave 'spills' out"
    )]
    SharedSpillsBesideDynamic {
        /// The kernel.
        kernel: String,
    },
    /// Code generation failed in LLVM.
    #[error("LLVM: {0}")]
    Llvm(String),
}

/// Makes PTX from a module whose kernels are in the LLVM dialect.
///
/// # Errors
/// See [`PtxError`].
pub fn emit(module: &melior::ir::Module, options: &Options) -> Result<Emitted, PtxError> {
    let machine = machine(options)?;
    let context = Context::create();
    let kernels = final_ir(module, &context, &machine)?;
    let llvm_ir = kernels.print_to_string().to_string();
    prefetch::expand(&kernels, options);
    if libdevice::link_into(&kernels)? {
        run(&kernels, LINK, &machine)?;
    }
    let buffer = machine
        .write_to_memory_buffer(&kernels, FileType::Assembly)
        .map_err(|error| PtxError::Llvm(error.to_string()))?;
    let text = buffer.as_slice();
    // LLVM ends the buffer with a zero byte.
    let text = text.strip_suffix(&[0]).unwrap_or(text);
    let ptx = String::from_utf8_lossy(text).into_owned();
    Ok(Emitted { llvm_ir, ptx: spills::direct(&kernels, ptx, options.version)? })
}

/// The final LLVM IR of the kernels alone: what an emulator runs, also where there is no libdevice.
///
/// # Errors
/// See [`PtxError`].
pub fn llvm_ir(module: &melior::ir::Module, options: &Options) -> Result<String, PtxError> {
    let context = Context::create();
    let kernels = final_ir(module, &context, &machine(options)?)?;
    Ok(kernels.print_to_string().to_string())
}

fn final_ir<'l>(
    module: &melior::ir::Module,
    context: &'l Context,
    machine: &TargetMachine,
) -> Result<Module<'l>, PtxError> {
    let layout = machine.get_target_data().get_data_layout();
    let kernels = translate(module, context, &layout.as_str().to_string_lossy())?;
    kernels.set_triple(&machine.get_triple());
    kernels.set_data_layout(&layout);
    simplify(&kernels, machine)?;
    read_only::mark_loads_invariant(&kernels, context);
    Ok(kernels)
}

fn machine(options: &Options) -> Result<TargetMachine, PtxError> {
    prepare_llvm();
    let triple = TargetTriple::create("nvptx64-nvidia-cuda");
    let target = Target::from_triple(&triple).map_err(|error| PtxError::Llvm(error.to_string()))?;
    target
        .create_target_machine(
            &triple,
            options.target.name,
            &options.version.llvm_feature(),
            OptimizationLevel::Aggressive,
            RelocMode::Default,
            CodeModel::Default,
        )
        .ok_or_else(|| PtxError::Target {
            target: options.target.name.to_owned(),
            version: options.version.to_string(),
        })
}

/// Registers NVPTX, and disables reordering after instruction selection: program order is the
/// schedule.
fn prepare_llvm() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        Target::initialize_nvptx(&InitializationConfig::default());
        let arguments = ["stencil", "-disable-machine-sink"]
            .map(|argument| CString::new(argument).expect("the text has no zero byte"));
        let pointers = arguments.each_ref().map(|argument| argument.as_ptr());
        // SAFETY: the strings live during the call, and LLVM copies what it keeps.
        unsafe {
            llvm_sys::support::LLVMParseCommandLineOptions(
                pointers.len() as i32,
                pointers.as_ptr(),
                c"".as_ptr(),
            );
        }
    });
}

/// A short list that neither sinks nor merges nor reorders float operations.
const SIMPLIFY: &str = "function(early-cse,instcombine<no-verify-fixpoint>,\
                        simplifycfg<no-sink-common-insts;no-hoist-common-insts>,dce)";

/// Inlines libdevice functions into their callers and drops the rest. NVPTX resolves
/// `__nvvm_reflect` itself, as only it knows the architecture; the separate pass `nvvm-reflect`
/// assumes an unknown one. The values match nvcc's where they matter: no flush to zero. (Only
/// functions without an operation in `math` query the rounding of roots.)
const LINK: &str = "always-inline,globaldce";

fn simplify(kernels: &Module, machine: &TargetMachine) -> Result<(), PtxError> {
    run(kernels, SIMPLIFY, machine)
}

fn run(kernels: &Module, passes: &str, machine: &TargetMachine) -> Result<(), PtxError> {
    kernels
        .run_passes(passes, machine, PassBuilderOptions::create())
        .map_err(|error| PtxError::Llvm(error.to_string()))
}

/// The version of LLVM that is linked, as `22.1.8`.
pub fn llvm_version() -> String {
    let (major, minor, patch) = inkwell::support::get_llvm_version();
    format!("{major}.{minor}.{patch}")
}
