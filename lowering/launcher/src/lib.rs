//! Sources in C and Fortran with the functions of a package.
//!
//! A package is run by `libstencil`; this crate writes typed functions over it that are part of the
//! caller's program: a header, a C file with the package as bytes, and a Fortran module. Start
//! reading at [`launcher`]; the pieces, in the order in which they build on each other:
//!
//! 1. `names` makes identifiers of the names of a program, `interface` gives each function,
//!    argument and constant its own, `sizes` says what follows a size that is given at run time;
//!    `types` has the types of both languages.
//! 2. `header`, `source` and `fortran` are the three files.
//!
//! `host` makes calls of a launcher's functions in a program that had loops or launches of its own.
//!
//! Not done here: what the library does, which is everything at run time.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod fortran;
mod header;
pub mod host;
mod interface;
mod names;
mod sizes;
mod source;
mod types;

use interface::Interface;
use stencil_runtime::{Package, manifest::ManifestError, package::PackageError};

/// Why no sources are generated.
#[derive(Debug, thiserror::Error)]
pub enum LauncherError {
    /// The files' name gives no identifier, or is invalid in an `#include`.
    #[error(
        "name '{0}' of the launcher's files has no letter or digit to name its functions by, or a \
         character that '#include' does not take, or is that of the library; choose another name \
         for the package"
    )]
    Stem(String),
    /// Extents that are given at run time.
    #[error(
        "function '{0}' gets its extents at run time, which a call in the place of a region of C \
         does not pass; compile the program for one size, or call the launcher's function"
    )]
    RunTimeExtents(String),
    /// The package is inconsistent: a bug of the program that made it.
    #[error("package is wrong: {0}")]
    Manifest(#[from] ManifestError),
    /// The package cannot be embedded, likewise.
    #[error(transparent)]
    Package(#[from] PackageError),
}

/// The three files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sources {
    /// `<stem>.h`, for C and C++.
    pub header: String,
    /// `<stem>.c`.
    pub launcher: String,
    /// `<stem>.f90`.
    pub fortran: String,
}

/// All files of a package, named `stem`.
pub fn sources(package: &Package, stem: &str) -> Result<Sources, LauncherError> {
    Ok(Sources {
        header: header(package, stem)?,
        launcher: launcher(package, stem)?,
        fortran: fortran(package, stem)?,
    })
}

/// `<stem>.h`: the functions of a package as C and C++ see them.
pub fn header(package: &Package, stem: &str) -> Result<String, LauncherError> {
    Ok(header::write(&Interface::of(package, stem)?))
}

/// `<stem>.c`: the package and calls of the library; includes `<stem>.h`.
pub fn launcher(package: &Package, stem: &str) -> Result<String, LauncherError> {
    source::write(package, &Interface::of(package, stem)?)
}

/// `<stem>.f90`: a module over the functions of `<stem>.c`.
pub fn fortran(package: &Package, stem: &str) -> Result<String, LauncherError> {
    Ok(fortran::write(&Interface::of(package, stem)?))
}
