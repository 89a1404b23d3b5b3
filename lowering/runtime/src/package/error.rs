//! What can be wrong with a package.

use super::PartsError;
use crate::{manifest::ManifestError, output::OutputError};
use std::{io, path::PathBuf};

/// Why a package cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// The file cannot be read.
    #[error("package '{}' cannot be read: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The content is not that of a package.
    #[error("package '{}': {problem}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: ContentError,
    },
    /// The package to be written is wrong: a defect of the program that made it.
    #[error("package to be written is wrong: {0}")]
    NotWritable(ContentError),
    /// The file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// What is wrong with the bytes of a package.
#[derive(Debug, thiserror::Error)]
pub enum ContentError {
    /// No digest at the end.
    #[error(
        "it is truncated or no kernel package (the digest at its end is missing); \
         copy it again, or compile it again"
    )]
    NoDigest,
    /// The digest at the end is another.
    #[error("it was altered or damaged (its bytes do not match its digest); compile it again")]
    Altered,
    /// The zip reader refuses it.
    #[error("it is no zip file: {0}")]
    Zip(#[from] zip::result::ZipError),
    /// A member is compressed.
    #[error("member '{0}' is compressed; members of a package are stored as they are")]
    Compressed(String),
    /// A member cannot be read.
    #[error("member '{0}' cannot be read: {1}")]
    Member(String, io::Error),
    /// A member that should be there is not.
    #[error("member '{0}' is missing")]
    Missing(String),
    /// A member that is not known.
    #[error("member '{0}' is unknown or occurs twice")]
    Unexpected(String),
    /// The manifest's digest for a member is another.
    #[error("member '{0}' does not match its digest in the manifest")]
    Digest(String),
    /// A text member that is no text.
    #[error("member '{0}' is no UTF-8 text")]
    NotText(String),
    /// A manifest means nothing.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The parts do not belong together.
    #[error(transparent)]
    Parts(#[from] PartsError),
}
