//! What the compiler refuses, and with which words: read from the tests that hold it to them.

use std::fmt::Write;

use anyhow::Result;

use crate::repository::Repository;

const HEAD: &str = "\
<!-- Written by `cargo xtask docs` from the tests; edit those. -->

# Refusals

Every message below is one that a test expects, with the note that says why or what to do.
Numbers and names are those of the test.
`…` is what differs from case to case.
";

/// Chapters by the folder of their tests.
const CHAPTERS: &[(&str, &str)] = &[
    ("test/dialects/stencil/", "Programs in the stencil dialect"),
    ("test/dialects/sweep/", "Sweeps"),
    ("test/dialects/import/", "Programs in the language of STENCILGEN"),
    ("test/passes/", "Passes on programs"),
    ("test/lowering/", "The way to kernels"),
    ("test/tools/", "Command lines and files"),
];

/// A message, and what follows it.
#[derive(Debug, Default, PartialEq)]
struct Refusal {
    message: String,
    notes: Vec<String>,
}

/// The page.
pub fn page(repository: &Repository) -> Result<String> {
    let mut page = HEAD.to_owned();
    let files = repository.files()?;
    for (folder, title) in CHAPTERS {
        let _ = write!(page, "\n## {title}\n");
        for file in files.iter().filter(|file| file.starts_with(folder)) {
            if !["mlir", "idsl", "c", "cu", "test"].iter().any(|ending| file.ends_with(ending)) {
                continue;
            }
            let text = repository.read(file)?;
            let refusals = refusals(&text);
            if refusals.is_empty() {
                continue;
            }
            let property = text.lines().next().unwrap_or_default().trim_start_matches("// ");
            let _ = write!(page, "\n### {file}\n\n{property}\n\n");
            for refusal in refusals {
                let _ = writeln!(page, "- `{}`", refusal.message);
                for note in refusal.notes {
                    let _ = writeln!(page, "  - `{note}`");
                }
            }
        }
    }
    Ok(page)
}

/// What a test expects of diagnostics, each message once.
fn refusals(test: &str) -> Vec<Refusal> {
    let mut found: Vec<Refusal> = Vec::new();
    // What is said again has its notes already.
    let mut is_new = false;
    for line in test.lines() {
        let Some(comment) = line.trim_start().strip_prefix("//") else { continue };
        if let Some(message) = expected(comment, "expected-error").or_else(|| checked(comment)) {
            is_new = !found.iter().any(|other| other.message == message);
            if is_new {
                found.push(Refusal { message, notes: Vec::new() });
            }
        } else if let Some(note) = expected(comment, "expected-note").filter(|_| is_new) {
            let last = found.last_mut().expect("a new message was put there");
            last.notes.push(note);
        }
    }
    found
}

/// The text of `expected-error @below {{text}}`.
fn expected(comment: &str, kind: &str) -> Option<String> {
    let (_, rest) = comment.trim_start().strip_prefix(kind)?.split_once("{{")?;
    rest.strip_suffix("}}").map(str::to_owned)
}

/// The text of a line that FileCheck looks for, `CHECK: error: text`.
fn checked(comment: &str) -> Option<String> {
    let (prefix, text) = comment.trim_start().split_once(": ")?;
    let names_a_check = prefix.chars().all(|c| c.is_ascii_uppercase() || c == '-');
    if !names_a_check || prefix.is_empty() || prefix.ends_with("NOT") {
        return None;
    }
    let (_, message) = text.split_once("error: ")?;
    let mut plain = String::new();
    let mut rest = message;
    while let Some((before, pattern)) = rest.split_once("{{") {
        plain += before;
        plain += "…";
        rest = pattern.split_once("}}").map_or("", |(_, after)| after);
    }
    plain += rest;
    let words = plain.trim().to_owned();
    (words.chars().filter(|c| c.is_alphabetic()).count() > 8).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_their_notes_are_found_once() {
        let test = "// expected-error @below {{'a' op is wrong}}\n\
                    // expected-note @below {{make it right}}\n\
                    // expected-error @below {{'a' op is wrong}}\n\
                    // expected-note @below {{make it right}}\n";
        let only = Refusal {
            message: "'a' op is wrong".to_owned(),
            notes: vec!["make it right".to_owned()],
        };
        assert_eq!(refusals(test), [only]);
    }

    #[test]
    fn patterns_are_left_open() {
        let line = " CHECK: {{.*}}.mlir:3: error: no file {{.*}} to be read";
        assert_eq!(checked(line).unwrap(), "no file … to be read");
        assert_eq!(checked(" CHECK-NOT: error: is never said here"), None);
        assert_eq!(checked(" RUN: stencil-opt %s | grep 'error: of this'"), None);
    }
}
