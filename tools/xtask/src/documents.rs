//! The reference of ops, passes, plan keys, refusals and command lines, and the header of the
//! library for C: generated from what defines them and committed.

mod c_header;
mod command_lines;
mod examples;
mod refusals;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::repository::{Repository, announce, build_programs};
use crate::toolchain;

/// One generated page.
struct Page {
    path: &'static str,
    make: fn(&Repository) -> Result<String>,
}

const PAGES: &[Page] = &[
    Page { path: "dialects/docs/generated/stencil.md", make: stencil_dialect },
    Page { path: "dialects/docs/generated/sweep.md", make: sweep_dialect },
    Page { path: "lowering/runtime/c/include/stencil.h", make: c_header::text },
    Page { path: "passes/docs/generated/passes.md", make: passes },
    Page { path: "passes/docs/generated/plan-keys.md", make: plan_keys },
    Page { path: "tools/docs/generated/command-lines.md", make: command_lines },
    Page { path: "tools/docs/generated/refusals.md", make: refusals::page },
];

/// `cargo xtask docs [--check]`; with a filter, the pages whose path holds it.
pub fn docs(repository: &Repository, check: bool, filter: Option<&str>) -> Result<bool> {
    // What programs say of themselves is printed by them.
    if !build_programs(repository)? {
        return Ok(false);
    }
    let mut fresh = true;
    let wanted = |page: &&Page| filter.is_none_or(|filter| page.path.contains(filter));
    for page in PAGES.iter().filter(wanted) {
        let text = tidy_text(&(page.make)(repository)?);
        let committed = repository.read(page.path).unwrap_or_default();
        if text == committed {
            continue;
        }
        fresh = false;
        if check {
            eprintln!("{} is stale, 'cargo xtask docs' writes it", page.path);
        } else {
            repository.write(page.path, &text)?;
            println!("written: {}", page.path);
        }
    }
    Ok(fresh || !check)
}

/// Types, attributes and ops of the `stencil` dialect.
fn stencil_dialect(repository: &Repository) -> Result<String> {
    dialect(repository, "stencil", "stencil/include/Stencil/StencilOps.td")
}

/// Ops of the `sweep` dialect.
fn sweep_dialect(repository: &Repository) -> Result<String> {
    dialect(repository, "sweep", "sweep/include/Sweep/SweepOps.td")
}

/// The reference of a dialect, from its ODS.
fn dialect(repository: &Repository, name: &str, definitions: &str) -> Result<String> {
    let mut tblgen = Command::new(toolchain::llvm_tool(repository, "mlir-tblgen")?);
    tblgen.arg("-gen-dialect-doc").arg(format!("-dialect={name}"));
    for dialect in ["stencil", "sweep"] {
        tblgen.arg("-I").arg(format!("dialects/{dialect}/include"));
    }
    tblgen.arg("-I").arg(toolchain::llvm_prefix(repository)?.join("include"));
    tblgen.arg(format!("dialects/{definitions}"));
    output(tblgen.current_dir(&repository.root))
}

/// Every pass of ours: the head of its file, its options, its counters, and an example.
fn passes(repository: &Repository) -> Result<String> {
    let tool = programs(repository).join("stencil-opt");
    let mut command = Command::new(&tool);
    command.arg("--print-pass-reference").current_dir(&repository.root);
    examples::add(repository, &tool, &output(&mut command)?)
}

/// Every key of a plan.
fn plan_keys(repository: &Repository) -> Result<String> {
    output(Command::new(programs(repository).join("stencilc")).args(["plans", "--markdown"]))
}

/// What `--help` says.
fn command_lines(repository: &Repository) -> Result<String> {
    command_lines::page(&programs(repository))
}

fn programs(repository: &Repository) -> PathBuf {
    toolchain::target_folder(repository).join("debug")
}

fn output(command: &mut Command) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let done = command.output().with_context(|| format!("cannot start {program}"))?;
    if !done.status.success() {
        announce(command);
        bail!("{program} failed: {}", String::from_utf8_lossy(&done.stderr).trim());
    }
    String::from_utf8(done.stdout).with_context(|| format!("{program} printed no text"))
}

/// Without blanks at line ends and empty lines at the end, which the generators leave.
fn tidy_text(text: &str) -> String {
    let lines: Vec<_> = text.trim_end().lines().map(str::trim_end).collect();
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_at_line_ends_and_empty_last_lines_go() {
        assert_eq!(tidy_text("a  \n\nb\t\n\n\n"), "a\n\nb\n");
        assert_eq!(tidy_text(""), "\n");
    }
}
