//! The crate's error, and its kind.

use crate::{
    bind::{BindError, FolderError},
    call::CallError,
    compare::{self, Comparison},
    energy::EnergyError,
    fields::FieldError,
    host::{DeviceError, HostError},
    manifest::{ExtentsError, ManifestError},
    output::OutputError,
    package::{EditedPtxError, PackageError},
    time_loop::StepsError,
    transport::Disagreement,
    variants::ChoiceError,
    verify::VerifyError,
};

/// Any error between a package and its results.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
#[allow(missing_docs, reason = "each variant is the error of the module it is named for")]
pub enum RuntimeError {
    Package(#[from] PackageError),
    EditedPtx(#[from] EditedPtxError),
    Manifest(#[from] ManifestError),
    Choice(#[from] ChoiceError),
    Extents(#[from] ExtentsError),
    Bind(#[from] BindError),
    Folder(#[from] FolderError),
    Call(#[from] CallError),
    Field(#[from] FieldError),
    Host(#[from] HostError),
    Device(#[from] DeviceError),
    Output(#[from] OutputError),
    Steps(#[from] StepsError),
    Verify(#[from] VerifyError),
    Energy(#[from] EnergyError),
    Ranks(#[from] Disagreement),
    #[error("the fields differ from those expected:\n{}", compare::text(.0).trim_end())]
    Differs(Comparison),
}

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ErrorKind {
    /// The program, or what it was given, is wrong.
    Program,
    /// The machine, the driver or a file is not as it should be.
    Surroundings,
    /// A defect of this project.
    Internal,
}

impl ErrorKind {
    /// The exit code of a tool that ends with such an error.
    pub fn exit_code(self) -> u8 {
        match self {
            ErrorKind::Program => 1,
            ErrorKind::Surroundings => 2,
            ErrorKind::Internal => 70,
        }
    }
}

impl RuntimeError {
    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            RuntimeError::Choice(ChoiceError::Manifest(error)) | RuntimeError::Manifest(error) => {
                kind_of_manifest(error)
            }
            RuntimeError::Choice(ChoiceError::Field(error)) => error.kind(),
            RuntimeError::Choice(_) | RuntimeError::Extents(_) | RuntimeError::EditedPtx(_) => {
                ErrorKind::Program
            }
            RuntimeError::Package(PackageError::NotWritable(_)) => ErrorKind::Internal,
            RuntimeError::Package(_) | RuntimeError::Output(_) | RuntimeError::Energy(_) => {
                ErrorKind::Surroundings
            }
            RuntimeError::Bind(BindError::Field { error, .. }) => error.kind(),
            RuntimeError::Field(error) => error.kind(),
            RuntimeError::Bind(BindError::Memory { .. }) | RuntimeError::Folder(_) => {
                ErrorKind::Surroundings
            }
            RuntimeError::Bind(_) | RuntimeError::Call(_) | RuntimeError::Differs(_) => {
                ErrorKind::Program
            }
            RuntimeError::Host(HostError::Device(error) | HostError::OnDevice { error, .. })
            | RuntimeError::Device(error) => error.kind(),
            RuntimeError::Host(HostError::Transport(_))
            | RuntimeError::Ranks(Disagreement::Transport(_)) => ErrorKind::Surroundings,
            RuntimeError::Ranks(Disagreement::Failed(failure)) => failure.kind,
            RuntimeError::Host(_) | RuntimeError::Steps(_) | RuntimeError::Verify(_) => {
                ErrorKind::Program
            }
        }
    }
}

fn kind_of_manifest(error: &ManifestError) -> ErrorKind {
    match error {
        ManifestError::NoSuchFunction(..) | ManifestError::FunctionNotNamed(_) => {
            ErrorKind::Program
        }
        _ => ErrorKind::Surroundings,
    }
}
