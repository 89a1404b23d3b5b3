//! The crate's error, and whom it belongs to.

use std::{io, path::PathBuf};
use stencil_dialects::pipeline::PipelineError;
use stencil_emulator::EmulatorError;
use stencil_launcher::LauncherError;
use stencil_lowering::ptx::PtxError;
use stencil_model::{product::ChipError, target::TargetError};
use stencil_predictor::disassembly::DisassemblerError;
use stencil_runtime::{ErrorKind, RuntimeError, bind::BindError, output::OutputError};
use stencil_tuning::{store::StoreError, task::TaskError, trial::TrialError};

/// Anything that can go wrong between a program's text and its results.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum DriverError {
    /// MLIR's diagnostics have said what is wrong, with its place.
    #[error("the program is refused, for the reasons above")]
    Diagnosed,
    #[error("'{name}' cannot be read: {source}")]
    Input { name: String, source: io::Error },
    #[error("'{name}' is no text: byte {offset} is not UTF-8")]
    NotText { name: String, offset: usize },
    #[error("{0}")]
    Pipeline(PipelineError),
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error(transparent)]
    Chip(#[from] ChipError),
    #[error("no CUDA device: {reason}; name a target, as in --target sm_90a")]
    NoDevice { reason: String },
    #[error("function '{name}' does not exist{hint}; the program has {known}")]
    NoSuchFunction { name: String, hint: String, known: String },
    #[error("the program has several functions, {known}; name one with --function")]
    FunctionNotNamed { known: String },
    #[error("'{program}' has no function with a body")]
    NoFunction { program: String },
    #[error("kernel '{name}' does not exist{hint}; the program has {known}")]
    NoSuchKernel { name: String, hint: String, known: String },
    #[error("{place} has no block with floating-point arithmetic; there is no order to draw")]
    NoArithmetic { place: String },
    #[error("block {block} does not exist; kernel '{kernel}' has {count} with arithmetic, from 1")]
    NoSuchBlock { block: usize, kernel: String, count: usize },
    #[error("the drawing cannot be made: {0}")]
    Drawing(String),
    #[error("{argument} has type {found}; a caller can give fields with bounds and plain numbers")]
    ArgumentType { argument: String, found: String },
    #[error(
        "the run needs {needed} bytes of memory for its fields, {available} bytes are available"
    )]
    Memory { needed: u64, available: u64 },
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    #[error(transparent)]
    Ptx(#[from] PtxError),
    #[error(transparent)]
    Launcher(#[from] LauncherError),
    #[error("{0}")]
    Assembler(String),
    #[error(
        "there is no ptxas, which makes the cubin; put NVIDIA's assembler on the PATH or name it \
         in STENCIL_PTXAS, './x setup' installs one"
    )]
    NoPtxas,
    #[error(
        "there is no nvdisasm, which makes text of machine code; put NVIDIA's disassembler on the \
         PATH or name it in STENCIL_NVDISASM, './x setup' installs one beside ptxas"
    )]
    NoNvdisasm,
    #[error(transparent)]
    Disassembler(#[from] DisassemblerError),
    #[error(
        "plan key demote=fit asks the assembler, and there is no ptxas; put NVIDIA's assembler on \
         the PATH or name it in STENCIL_PTXAS, './x setup' installs one, or write a number, as in \
         demote=16"
    )]
    NoAssembler,
    #[error("the emulator cannot take the kernels: {0}")]
    Emulator(#[from] EmulatorError),
    #[error(
        "there is no stencil-run next to this program or on the PATH, which runs kernels on a \
         GPU; build it, or run with --on=emulator"
    )]
    NoStencilRun,
    #[error("'{}' cannot be started: {source}", path.display())]
    StencilRun { path: PathBuf, source: io::Error },
    /// `stencil-run` has said on standard error what went wrong.
    #[error("stencil-run failed, for the reasons above")]
    Device(ErrorKind),
    #[error("{0}")]
    Unverifiable(String),
    #[error("{0}")]
    Option(String),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Trial(#[from] TrialError),
    #[error(transparent)]
    Task(#[from] TaskError),
    #[error("a temporary file cannot be made: {0}")]
    Temporary(io::Error),
    #[error(
        "the system starts no more threads for this process; lift its limits (ulimit -u, \
         ulimit -v), or stop others"
    )]
    Threads,
    #[error("internal error: {0}")]
    Internal(String),
}

impl DriverError {
    /// Whom the error belongs to.
    pub fn kind(&self) -> ErrorKind {
        match self {
            DriverError::Input { .. }
            | DriverError::NoDevice { .. }
            | DriverError::Memory { .. }
            | DriverError::Assembler(_)
            | DriverError::NoPtxas
            | DriverError::NoNvdisasm
            | DriverError::Threads
            | DriverError::Disassembler(_)
            | DriverError::NoAssembler
            | DriverError::NoStencilRun
            | DriverError::StencilRun { .. }
            | DriverError::Temporary(_)
            | DriverError::Trial(_)
            | DriverError::Store(
                StoreError::Missing { .. }
                | StoreError::Unreadable { .. }
                | StoreError::NotWritten { .. },
            )
            | DriverError::Task(
                TaskError::Unreadable { .. }
                | TaskError::NotWritten { .. }
                | TaskError::Trial(_)
                | TaskError::Store(StoreError::Unreadable { .. } | StoreError::NotWritten { .. }),
            )
            | DriverError::Ptx(PtxError::NoLibdevice { .. }) => ErrorKind::Surroundings,
            DriverError::Runtime(error) => error.kind(),
            DriverError::Device(kind) => *kind,
            DriverError::Emulator(EmulatorError::Memory { .. }) => ErrorKind::Surroundings,
            DriverError::Emulator(_) | DriverError::Internal(_) | DriverError::Drawing(_) => {
                ErrorKind::Internal
            }
            DriverError::Ptx(
                PtxError::Target { .. }
                | PtxError::SharedSpills { .. }
                | PtxError::SharedSpillsBesideDynamic { .. },
            ) => ErrorKind::Program,
            DriverError::Launcher(LauncherError::Manifest(_) | LauncherError::Package(_))
            | DriverError::Ptx(_) => ErrorKind::Internal,
            _ => ErrorKind::Program,
        }
    }

    /// Whether a person has been told already, by diagnostics or by another program.
    pub fn is_told(&self) -> bool {
        matches!(self, DriverError::Diagnosed | DriverError::Device(_))
    }
}

impl From<BindError> for DriverError {
    fn from(error: BindError) -> Self {
        DriverError::Runtime(error.into())
    }
}

impl From<OutputError> for DriverError {
    fn from(error: OutputError) -> Self {
        DriverError::Runtime(error.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_a_kind() {
        assert_eq!(DriverError::Diagnosed.kind(), ErrorKind::Program);
        assert_eq!(DriverError::NoPtxas.kind(), ErrorKind::Surroundings);
        assert_eq!(DriverError::NoNvdisasm.kind(), ErrorKind::Surroundings);
        assert_eq!(DriverError::NoAssembler.kind(), ErrorKind::Surroundings);
        assert_eq!(DriverError::Internal(String::new()).kind(), ErrorKind::Internal);
        let unknown = BindError::NoAssignment("x".to_owned());
        assert_eq!(DriverError::from(unknown).kind(), ErrorKind::Program);
        let missing = PtxError::NoLibdevice { functions: "__nv_exp".to_owned() };
        assert_eq!(DriverError::from(missing).kind(), ErrorKind::Surroundings);
    }
}
