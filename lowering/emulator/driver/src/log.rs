//! The log: one line for each call that matters, so that a test can tell what a host did.

use std::{
    fmt,
    fs::{File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

/// Where lines go, if anywhere. The file is made with the first line: a host that does nothing
/// leaves none.
pub(crate) struct Log {
    path: Option<PathBuf>,
    file: Option<File>,
}

impl Log {
    pub(crate) fn new(path: Option<&Path>) -> Log {
        Log { path: path.map(Path::to_owned), file: None }
    }

    /// Adds a line to what the file holds: several processes of a test share one. A log that
    /// cannot be written is a panic: whoever runs the test must see it.
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
