//! Errors of packages.

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
    /// The package to be written is invalid: a bug of the program that made it.
    #[error("package to be written is wrong: {0}")]
    NotWritable(ContentError),
    /// The file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// Errors in the bytes of a package.
#[derive(Debug, thiserror::Error)]
pub enum ContentError {
    /// No digest at the end.
    #[error(
        "it is truncated or not a kernel package (the digest at its end is missing); \
         copy it again, or compile it again"
    )]
    NoDigest,
    /// The digest at the end does not match.
    #[error("it was altered or damaged (its bytes do not match its digest); compile it again")]
    Altered,
    /// Not a zip file.
    #[error("it is not a zip file: {0}")]
    Zip(#[from] zip::result::ZipError),
    /// A member is compressed.
    #[error("member '{0}' is compressed; members of a package are stored as they are")]
    Compressed(String),
    /// A member cannot be read.
    #[error("member '{0}' cannot be read: {1}")]
    Member(String, io::Error),
    /// A required member is missing.
    #[error("member '{0}' is missing")]
    Missing(String),
    /// A member that is not known.
    #[error("member '{0}' is unknown or occurs twice")]
    Unexpected(String),
    /// The manifest's digest of a member does not match.
    #[error("member '{0}' does not match its digest in the manifest")]
    Digest(String),
    /// A text member is not text.
    #[error("member '{0}' is not UTF-8")]
    NotText(String),
    /// An invalid manifest.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The parts are inconsistent.
    #[error(transparent)]
    Parts(#[from] PartsError),
}
