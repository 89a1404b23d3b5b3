//! The log: one line for each relevant call, so that a test can check what a host did.

use std::{
    fmt,
    fs::{File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

/// The log file, if any. It is created with the first line.
pub(crate) struct Log {
    path: Option<PathBuf>,
    file: Option<File>,
}

impl Log {
    pub(crate) fn new(path: Option<&Path>) -> Log {
        Log { path: path.map(Path::to_owned), file: None }
    }

    /// Appends a line: several processes of a test share one file. A failed write is a panic, so
    /// that the test notices.
    pub(crate) fn line(&mut self, text: fmt::Arguments<'_>) {
        let Some(path) = &self.path else { return };
        let file = self.file.get_or_insert_with(|| {
            let opened = OpenOptions::new().append(true).create(true).open(path);
            opened.unwrap_or_else(|why| panic!("STENCIL_EMULATED_LOG '{}': {why}", path.display()))
        });
        // One write for a line, so that lines of several processes do not mix.
        let written = file.write_all(format!("{text}\n").as_bytes());
        written.unwrap_or_else(|why| panic!("STENCIL_EMULATED_LOG '{}': {why}", path.display()));
    }
}
