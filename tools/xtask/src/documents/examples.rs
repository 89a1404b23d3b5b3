//! What a pass does to IR, shown on the first case of its test.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::repository::Repository;

/// Longer examples are read in the test.
const LINES_MAX: usize = 90;

/// Adds an example below the text of every pass whose test has a first case that is short enough.
pub fn add(repository: &Repository, optimizer: &Path, reference: &str) -> Result<String> {
    let files = repository.files()?;
    let mut page = String::new();
    for section in sections(reference) {
        page += section.trim_end();
        page += "\n\n";
        let Some(pass) = heading(section) else { continue };
        let Some(path) = test_of(&files, pass) else { continue };
        let test = repository.read(path)?;
        let Some(before) = first_case(&test) else { continue };
        let flag = flag(&test, pass).unwrap_or_else(|| format!("--{pass}"));
        let after = run(optimizer, &flag, &before)
            .with_context(|| format!("the first case of {path} cannot be shown"))?;
        if before.lines().count() + after.lines().count() <= LINES_MAX {
            let after = after.trim_end();
            page += &format!(
                "Example, from {path}:\n\n```mlir\n{before}```\n\nAfter `{flag}`:\n\n\
                 ```mlir\n{after}\n```\n\n"
            );
        }
    }
    Ok(page)
}

/// The head of the page, and a part for each pass.
fn sections(reference: &str) -> Vec<&str> {
    let mut starts = vec![0];
    starts.extend(reference.match_indices("\n## ").map(|(at, _)| at + 1));
    starts.push(reference.len());
    starts.windows(2).map(|range| &reference[range[0]..range[1]]).collect()
}

fn heading(section: &str) -> Option<&str> {
    section.strip_prefix("## `")?.split_once('`').map(|(pass, _)| pass)
}

/// The test of a pass: its name without our prefix, in the folder of its level.
fn test_of<'f>(files: &'f [String], pass: &str) -> Option<&'f str> {
    let short = ["stencil-", "sweep-"].iter().find_map(|prefix| pass.strip_prefix(prefix));
    let name = format!("/{}.mlir", short.unwrap_or(pass));
    let of_a_pass = |file: &&String| {
        (file.starts_with("test/passes/") || file.starts_with("test/lowering/"))
            && file.ends_with(&name)
    };
    files.iter().find(of_a_pass).map(String::as_str)
}

/// How the test names the pass, with options.
fn flag(test: &str, pass: &str) -> Option<String> {
    let plain = format!("--{pass}");
    let line = test.lines().find(|line| line.contains("RUN:") && line.contains(&plain))?;
    let rest = &line[line.find(&plain)?..];
    let mut quoted = false;
    let ends = |character: char| {
        quoted ^= character == '\'';
        character == ' ' && !quoted
    };
    rest.split(ends).next().map(str::to_owned)
}

/// The first function of a test, or the first kernel with its module, without comments; and the
/// aliases before it.
fn first_case(test: &str) -> Option<String> {
    let lines: Vec<&str> =
        test.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let begins = |line: &&str| line.starts_with("func.func") || line.starts_with("gpu.module");
    let start = lines.iter().position(begins)?;
    let aliases = lines[..start].iter().filter(|line| line.starts_with(['!', '#']));
    let in_module = lines[start].starts_with("gpu.module");
    let closing = if in_module { "  }" } else { "}" };
    let length = lines[start..].iter().position(|line| *line == closing)? + 1;
    let mut case: Vec<&str> = aliases.copied().collect();
    case.extend(&lines[start..start + length]);
    if in_module {
        case.push("}");
    }
    case.retain(|line| !line.trim().is_empty());
    Some(case.join("\n") + "\n")
}

fn run(optimizer: &Path, flag: &str, input: &str) -> Result<String> {
    let mut child = Command::new(optimizer)
        .args(["--allow-unregistered-dialect", &flag.replace('\'', "")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    child.stdin.take().context("the input is piped")?.write_all(input.as_bytes())?;
    let done = child.wait_with_output()?;
    if !done.status.success() {
        bail!("{flag}: {}", String::from_utf8_lossy(&done.stderr).trim());
    }
    let text = String::from_utf8(done.stdout).context("the optimizer prints text")?;
    // The module around everything is MLIR's.
    let inner = text.strip_prefix("module {\n").and_then(|text| text.strip_suffix("}\n\n"));
    Ok(inner.map_or(text.clone(), |inner| {
        inner.lines().map(|line| format!("{}\n", line.strip_prefix("  ").unwrap_or(line))).collect()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_case_comes_with_its_aliases() {
        let test = "// A property.\n!t = i32\n\n// A case.\nfunc.func @a() {\n  // CHECK: return\n\
                    \x20 return\n}\nfunc.func @b() {\n  return\n}\n";
        let case = first_case(test).unwrap();
        assert_eq!(case, "!t = i32\nfunc.func @a() {\n  return\n}\n");
        let kernels = "gpu.module @k {\n  gpu.func @a() {\n  }\n  gpu.func @b() {\n  }\n}\n";
        assert_eq!(first_case(kernels).unwrap(), "gpu.module @k {\n  gpu.func @a() {\n  }\n}\n");
        assert_eq!(first_case("// Nothing.\n"), None);
    }

    #[test]
    fn options_are_those_of_the_test() {
        let test = "// RUN: stencil-opt %s --stencil-a='b=1 c=2' | FileCheck %s\n";
        assert_eq!(flag(test, "stencil-a").unwrap(), "--stencil-a='b=1 c=2'");
        assert_eq!(flag(test, "stencil-b"), None);
    }

    #[test]
    fn every_pass_has_a_section() {
        let page = "# Passes\n\n## `a`\n\ntext\n\n## `b`\n";
        let headings: Vec<_> = sections(page).into_iter().filter_map(heading).collect();
        assert_eq!(headings, ["a", "b"]);
        assert_eq!(sections(page).concat(), page);
    }
}
