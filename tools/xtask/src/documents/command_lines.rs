//! The help of the programs, as a page.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::output;

const HEAD: &str = "\
<!-- Written by `cargo xtask docs` from the programs' own help; edit that. -->

# Command lines

`stencil-opt`, `stencil-translate` and `stencil-lsp-server` take the flags of MLIR's own programs.
What they have beside them is in [the page about MLIR's tools](../mlir-tools.md).
";

/// Programs, each with the words before `--help`.
const COMMANDS: &[(&str, &[&str])] = &[
    ("stencilc", &[]),
    ("stencilc", &["compile"]),
    ("stencilc", &["run"]),
    ("stencilc", &["accuracy"]),
    ("stencilc", &["compare"]),
    ("stencilc", &["explain"]),
    ("stencilc", &["viz"]),
    ("stencilc", &["plans"]),
    ("stencilc", &["doctor"]),
    ("stencil-run", &[]),
];

/// The page, from programs in a folder.
pub fn page(programs: &Path) -> Result<String> {
    let mut page = HEAD.to_owned();
    for (program, words) in COMMANDS {
        let help = output(Command::new(programs.join(program)).args(*words).arg("--help"))?;
        let title = [&[*program], *words].concat().join(" ");
        let _ = write!(page, "\n## `{title}`\n\n```text\n{}\n```\n", help.trim_end());
    }
    Ok(page)
}
