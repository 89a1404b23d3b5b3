//! Manual pages and shell completions of an installation.
//!
//! Programs of our own write theirs, from their options. Those that are MLIR's have options that
//! MLIR's libraries declare: their pages and completions are made of what `--help` prints.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::install::copy_as;
use crate::repository::run;

/// Programs that write their help, each with the words that make it do so.
const OWN: &[(&str, &str)] = &[("stencilc", "generate-help"), ("stencil-run", "--generate-help")];

/// Programs of MLIR with our dialects, each with what it is and whose manual has more.
const MLIR: &[(&str, &str)] = &[
    ("stencil-opt", "mlir-opt with the stencil dialects and passes"),
    ("stencil-translate", "mlir-translate with the stencil language and PTX"),
    ("stencil-lsp-server", "mlir-lsp-server with the stencil dialects, for editors"),
];

/// Writes all of it below `share` of a prefix.
pub fn install(prefix: &Path) -> Result<bool> {
    let (programs, share) = (prefix.join("bin"), prefix.join("share"));
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    for (program, words) in OWN {
        if !run(Command::new(programs.join(program)).arg(words).arg(folder.path()))? {
            return Ok(false);
        }
    }
    for (program, what) in MLIR {
        let output = Command::new(programs.join(program)).arg("--help-list-hidden").output();
        let output = output.with_context(|| format!("cannot start {program}"))?;
        write_of_mlir(folder.path(), program, what, &String::from_utf8_lossy(&output.stdout))?;
    }
    let pages = folder.path().join("man/man1");
    for page in fs::read_dir(&pages)? {
        let page = page?;
        copy_as(&page.path(), &share.join("man/man1").join(page.file_name()))?;
    }
    let completions = folder.path().join("completions");
    for (program, _) in OWN.iter().chain(MLIR) {
        let of = |name: String| completions.join(name);
        copy_as(
            &of(format!("{program}.bash")),
            &share.join("bash-completion/completions").join(program),
        )?;
        copy_as(
            &of(format!("_{program}")),
            &share.join("zsh/site-functions").join(format!("_{program}")),
        )?;
        let fish = format!("{program}.fish");
        copy_as(&of(fish.clone()), &share.join("fish/vendor_completions.d").join(fish))?;
    }
    Ok(true)
}

fn write_of_mlir(folder: &Path, program: &str, what: &str, help: &str) -> Result<()> {
    let options = options(help);
    let write = |name: String, text: String| {
        fs::write(folder.join(&name), text).with_context(|| format!("cannot write {name}"))
    };
    write(format!("man/man1/{program}.1"), page(program, what, &options))?;
    let words = options.iter().map(|option| format!("--{option}")).collect::<Vec<_>>();
    let words = words.join(" ");
    write(
        format!("completions/{program}.bash"),
        format!("complete -o default -W '{words}' {program}\n"),
    )?;
    write(
        format!("completions/_{program}"),
        format!("#compdef {program}\ncompadd -- {words}\n_files\n"),
    )?;
    let lines = options.iter().map(|option| format!("complete -c {program} -l {option}\n"));
    write(format!("completions/{program}.fish"), lines.collect())
}

/// The names of the options that a help text lists, sorted.
fn options(help: &str) -> BTreeSet<String> {
    let name = |line: &str| {
        let words = line.trim_start().strip_prefix("--")?;
        let end = words.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'));
        let name = &words[..end.unwrap_or(words.len())];
        (!name.is_empty()).then(|| name.to_owned())
    };
    help.lines().filter_map(name).collect()
}

fn page(program: &str, what: &str, options: &BTreeSet<String>) -> String {
    let literal = |text: &str| text.replace('-', "\\-");
    let mut page = format!(
        ".TH {program} 1\n.SH NAME\n{} \\- {what}\n.SH SYNOPSIS\n\\fB{}\\fR [options] \
         [file]\n.SH DESCRIPTION\nReads MLIR text; what options mean is printed by\n\
         \\fB{} \\-\\-help\\fR, and told in the pages under share/doc/stencil.\n.SH OPTIONS\n",
        literal(program),
        literal(program),
        literal(program),
    );
    for option in options {
        page.push_str(&format!(".br\n\\fB\\-\\-{}\\fR\n", literal(option)));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_found_in_help() {
        let help =
            "OVERVIEW: x\n\n  --allow-it   - Allow -it\n      --tile=<uint>  - T\n  -o=<f>\n";
        let found = options(help);
        assert_eq!(found.iter().collect::<Vec<_>>(), ["allow-it", "tile"]);
        assert!(page("a-b", "what", &found).contains("\\fB\\-\\-allow\\-it\\fR"));
    }
}
