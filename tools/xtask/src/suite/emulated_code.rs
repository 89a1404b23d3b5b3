//! Machine code of emulated kernels, which tests compile again in run after run.
//!
//! The emulator keeps it in a folder that tests name ([`FOLDER_VARIABLE`]). Entries that no run has
//! needed for a while are removed here.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::cached_tool;
use crate::repository::Repository;
use crate::toolchain;

/// The variable by which the emulator is told the folder.
pub const FOLDER_VARIABLE: &str = "STENCIL_EMULATOR_CACHE";

/// Entries that nobody asked for since are removed.
const KEPT: Duration = Duration::from_secs(3 * 24 * 3600);

/// The folder, without old entries.
pub fn folder(repository: &Repository) -> PathBuf {
    let folder = toolchain::target_folder(repository).join("emulated-code");
    cached_tool::remove_old(&folder, KEPT, SystemTime::now());
    folder
}
