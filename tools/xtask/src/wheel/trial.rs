//! A wheel is tried as its users get it: in a fresh environment, without the checkout or LLVM.
//!
//! First without NVIDIA's assembler: the first program of the page on Python is run, and the time
//! from `pip install` on is taken; then the whole page, and the guide to a first kernel with the
//! program `stencilc`. Then with the assembler, which the extra `ptxas` installs.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::notices::FILE;
use crate::repository::{Repository, run};
use crate::toolchain;

/// From `pip install` to the results of the first kernel, packages of others included.
const FIRST_KERNEL_MAX: Duration = Duration::from_secs(60);
const PAGE: &str = "tools/docs/python.md";
const GUIDE: &str = "tools/docs/first-kernel.md";
/// The part of the page that ends with the first results.
const FIRST: &str = "## A first program";
/// Fails unless the package and the compiler are those of the environment.
const IS_INSIDE: &str = "import sys, stencil.compiling as c; \
    assert all(p.startswith(sys.prefix) for p in (c.__file__, c.find_compiler())), c.__file__";

/// Fails unless the licence of the package is installed with it, and those of what is linked.
const HAS_LICENCES: &str = "import sys, importlib.metadata as m; \
    found = {p.name: p.read_text() for p in m.files('stencilc') if p.parent.name == 'licenses'}; \
    assert 'Apache License' in found['LICENSE'], found.keys(); \
    linked = found[sys.argv[1]].split('-' * 80)[0]; \
    missing = [one for one in ('LLVM and MLIR', 'melior ', 'cudarc ') if one not in linked]; \
    assert not missing, missing";

/// Tries a wheel in a folder that is made anew; false after a failure that has been printed.
pub fn run_all(repository: &Repository, wheel: &Path, folder: &Path) -> Result<bool> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let trial = Trial { programs: folder.join("environment/bin"), folder: folder.to_owned() };
    if !run(Command::new("python3").args(["-m", "venv"]).arg(folder.join("environment")))? {
        return Ok(false);
    }
    let page = repository.root.join(PAGE);
    let first = folder.join("first-program.txt");
    fs::write(&first, section(&repository.read(PAGE)?, FIRST)?)?;

    let start = Instant::now();
    if !trial.install(&wheel.display().to_string())? || !trial.page(&first)? {
        return Ok(false);
    }
    let taken = start.elapsed();
    println!("from pip install to the first kernel's results: {:.1} s", taken.as_secs_f64());
    if taken > FIRST_KERNEL_MAX {
        bail!("{:.0} s are more than {FIRST_KERNEL_MAX:?}", taken.as_secs_f64());
    }
    let guide = repository.root.join(GUIDE);
    let passed = trial.python(&["-c", IS_INSIDE])?
        && trial.python(&["-c", HAS_LICENCES, FILE])?
        && trial.page(&page)?
        && run(trial.command(&toolchain::own_program()?).arg("guide").arg(&guide))?
        && trial.install(&format!("{}[ptxas]", wheel.display()))?
        && trial.has_assembler()?;
    Ok(passed)
}

struct Trial {
    folder: PathBuf,
    programs: PathBuf,
}

impl Trial {
    /// A program with nothing of this machine's on its path but the system's own programs.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder).env_clear();
        command.env("PATH", format!("{}:/usr/bin:/bin", self.programs.display()));
        command.env("HOME", &self.folder).env("STENCIL_CACHE", self.folder.join("cache"));
        let kept = ["PIP_CERT", "PIP_INDEX_URL", "SSL_CERT_FILE", "http_proxy", "https_proxy"];
        for (name, value) in env::vars_os().filter(|(name, _)| kept.iter().any(|it| name == it)) {
            command.env(name, value);
        }
        command
    }

    fn python(&self, arguments: &[&str]) -> Result<bool> {
        // -I: neither the folder it runs in nor variables add to what can be imported.
        run(self.command(&self.programs.join("python3")).arg("-I").args(arguments))
    }

    fn page(&self, page: &Path) -> Result<bool> {
        self.python(&["-m", "doctest", "-o", "ELLIPSIS", &page.display().to_string()])
    }

    fn install(&self, wheel: &str) -> Result<bool> {
        let mut pip = self.command(&self.programs.join("pip"));
        run(pip.args(["install", "--quiet", "--disable-pip-version-check", wheel]))
    }

    fn has_assembler(&self) -> Result<bool> {
        let output = self.command(&self.programs.join("stencilc")).arg("doctor").output()?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let works = |what: &str| {
            let line = said.lines().find(|line| line.split_whitespace().next() == Some(what));
            line.is_some_and(|line| line.contains(" works"))
        };
        let complete = works("assembler") && works("libdevice");
        if !complete {
            println!("the extra 'ptxas' installs no assembler that is found:\n{said}");
        }
        Ok(complete)
    }
}

/// A part of a page, from its heading to the next one of its level.
fn section(text: &str, heading: &str) -> Result<String> {
    let (_, rest) = text
        .split_once(&format!("{heading}\n"))
        .with_context(|| format!("there is no part '{heading}' in {PAGE}"))?;
    Ok(rest.split("\n## ").next().unwrap_or(rest).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_program_is_found_in_its_page() {
        let text = Repository::find().unwrap().read(PAGE).unwrap();
        let first = section(&text, FIRST).unwrap();
        assert!(first.contains("on=\"emulator\"") && first.contains("on=\"interpreter\""));
        assert!(!first.contains("\n## "));
        assert!(section(&text, "## No such part").is_err());
    }
}
