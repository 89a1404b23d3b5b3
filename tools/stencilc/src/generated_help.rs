//! Manual pages and shell completions, made of the options when the program is installed.

use crate::options::Options;
use clap::{CommandFactory, ValueEnum};
use clap_complete::Shell;
use std::{fs, io, path::Path};

/// Writes `man/man1/*.1` and `completions/*` below a folder.
pub fn write(folder: &Path) -> io::Result<()> {
    let command = Options::command();
    let (pages, completions) = (folder.join("man/man1"), folder.join("completions"));
    fs::create_dir_all(&pages)?;
    fs::create_dir_all(&completions)?;
    clap_mangen::generate_to(command.clone(), &pages)?;
    for shell in Shell::value_variants() {
        clap_complete::generate_to(*shell, &mut command.clone(), "stencilc", &completions)?;
    }
    Ok(())
}
