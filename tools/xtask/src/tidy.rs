//! Rules of layout that compilers do not check: names, sizes, heads, which crate uses which, where
//! numbers of a machine and `unsafe` may be, tests without a subject, subjects without a test,
//! words that were replaced, links that lead nowhere.
//!
//! An exception is written at the place, on the line or the one above, with its reason:
//! `tidy: allow(<rule>): <reason>`.

mod crates;
mod heads;
mod inputs;
mod links;
mod machine;
mod names;
mod passes;
mod rust;
mod sizes;
mod texts;
mod unsafe_code;
mod words;

use anyhow::Result;

use crate::repository::Repository;
use rust::RustFile;

/// Endings of the languages that the compiler reads.
const PROGRAMS: &[&str] = &["mlir", "idsl", "dsl", "c", "cu", "test"];

/// One place that breaks a rule.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    line: usize,
    rule: &'static str,
    text: String,
}

/// What the rules look at, and what they found.
#[derive(Default)]
struct Checkout {
    files: Vec<File>,
    findings: Vec<Finding>,
}

/// A text file of the checkout.
struct File {
    path: String,
    text: String,
    /// Its tokens, where it is Rust.
    rust: Option<RustFile>,
}

impl File {
    fn new(path: &str, text: String) -> Result<Self, String> {
        let rust = path.ends_with(".rs").then(|| RustFile::parse(path, &text)).transpose()?;
        Ok(Self { path: path.to_owned(), text, rust })
    }

    fn extension(&self) -> &str {
        self.name().rsplit_once('.').map_or("", |(_, extension)| extension)
    }

    /// Whether it holds a program in a language that the compiler reads.
    fn is_program(&self) -> bool {
        PROGRAMS.contains(&self.extension())
    }

    fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    fn stem(&self) -> &str {
        self.name().split('.').next().unwrap_or_default()
    }

    /// Whether a line, or the one above it, is excepted from a rule.
    fn allows(&self, rule: &str, line: usize) -> bool {
        let mark = format!("tidy: allow({rule}): ");
        let lines = self.text.lines().skip(line.saturating_sub(2)).take(2);
        lines.into_iter().any(|line| line.contains(&mark))
    }
}

/// A rule finds; `report` decides about exceptions.
impl Checkout {
    fn read(repository: &Repository) -> Result<Self> {
        let mut checkout = Self::default();
        for path in repository.files()? {
            // What is no text (a `.npy` input, a picture) has no lines to look at.
            let Ok(text) = repository.read(&path) else { continue };
            match File::new(&path, text) {
                Ok(file) => checkout.files.push(file),
                Err(why) => {
                    checkout.findings.push(Finding { path, line: 1, rule: "rust", text: why })
                }
            }
        }
        Ok(checkout)
    }

    /// Runs a rule over every file.
    fn each(&mut self, rule: &'static str, look: impl Fn(&File, &mut dyn FnMut(usize, String))) {
        let mut found = Vec::new();
        for file in &self.files {
            look(file, &mut |line, text| {
                if !file.allows(rule, line) {
                    found.push(Finding { path: file.path.clone(), line, rule, text });
                }
            });
        }
        self.findings.extend(found);
    }

    /// Reports about a file, or about one that is not there.
    fn report(&mut self, rule: &'static str, path: &str, text: String) {
        let file = self.files.iter().find(|file| file.path == path);
        if !file.is_some_and(|file| file.allows(rule, 1)) {
            self.findings.push(Finding { path: path.to_owned(), line: 1, rule, text });
        }
    }

    fn has(&self, path: &str) -> bool {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok()
    }

    #[cfg(test)]
    fn of(files: &[(&str, &str)]) -> Self {
        let mut files: Vec<_> =
            files.iter().map(|(path, text)| File::new(path, (*text).to_owned()).unwrap()).collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Self { files, findings: Vec::new() }
    }

    /// The findings as lines, for tests.
    #[cfg(test)]
    fn lines(&self) -> Vec<String> {
        let mut lines: Vec<_> = self.findings.iter().map(ToString::to_string).collect();
        lines.sort();
        lines
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}: {}", self.path, self.line, self.rule, self.text)
    }
}

/// `cargo xtask tidy`.
pub fn tidy(repository: &Repository) -> Result<bool> {
    let mut checkout = Checkout::read(repository)?;
    names::check(&mut checkout);
    heads::check(&mut checkout);
    sizes::check(&mut checkout);
    texts::check(&mut checkout);
    links::check(&mut checkout);
    words::check(&mut checkout);
    machine::check(&mut checkout);
    unsafe_code::check(&mut checkout);
    passes::check(&mut checkout);
    inputs::check(&mut checkout);
    let crates = crates::read(repository)?;
    crates::check(&mut checkout, &crates);
    crates::check_unused(&mut checkout, &crates);
    crates::check_untested(&mut checkout, &crates);
    checkout.findings.sort();
    for finding in &checkout.findings {
        eprintln!("{finding}");
    }
    eprintln!("xtask: tidy: {} files, {} findings", checkout.files.len(), checkout.findings.len());
    Ok(checkout.findings.is_empty())
}
