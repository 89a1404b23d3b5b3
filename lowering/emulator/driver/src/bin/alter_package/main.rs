//! Introduces a chosen defect into a package and recomputes its digests, so that only running it
//! against its plain kernels and checksums can detect the defect.
//!
//! Kernels are changed in their LLVM IR, which the emulated driver runs; the PTX gets a comment, so
//! that the pair stays unique. Each change is one that a compiler bug could make. Changes that
//! digests detect need no tool.
#![allow(clippy::print_stderr, reason = "a tool talks to its user")]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod ir;

use clap::{Parser, ValueEnum};
use std::{path::PathBuf, process::ExitCode};
use stencil_runtime::{
    Package,
    manifest::{Manifest, Statement},
    package::Code,
};

/// Introduces a defect into a package and recomputes its digests.
#[derive(Parser)]
#[command(name = "alter-package", version)]
struct Options {
    /// The package; compiled with --keep-ir.
    from: PathBuf,
    /// The file to write.
    to: PathBuf,
    /// What to change.
    #[arg(long)]
    change: Change,
    /// Where to change it.
    #[arg(long, default_value = "code")]
    part: Part,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Change {
    /// Change a constant of the arithmetic.
    Constant,
    /// Read the cell of another read.
    Read,
    /// Omit a store.
    Store,
    /// Omit the host program's last launch.
    Launch,
    /// Change a checksum of the self-test.
    Checksum,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    Code,
    Plain,
    Selftest,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let mut package = Package::read(&options.from).map_err(|error| error.to_string())?;
    if options.change == Change::Checksum {
        change_checksum(&mut package)?;
    } else {
        let code = match options.part {
            Part::Code => Some(&mut package.code),
            Part::Plain => package.plain.as_mut(),
            Part::Selftest => package.selftest.as_mut().map(|selftest| &mut selftest.code),
        };
        let code = code.ok_or_else(|| format!("the package has no part {:?}", options.part))?;
        change(code, options.change)?;
    }
    package.write(&options.to).map_err(|error| error.to_string())
}

fn change(code: &mut Code, change: Change) -> Result<(), String> {
    let changed = match change {
        Change::Launch => return drop_launch(&mut code.manifest),
        Change::Constant => of_ir(code, ir::change_constant)?,
        Change::Read => of_ir(code, ir::read_another_cell)?,
        Change::Store => of_ir(code, ir::drop_store)?,
        Change::Checksum => unreachable!("the caller changes checksums"),
    };
    code.llvm_ir = Some(changed);
    code.ptx.push_str(&format!("// altered: {change:?}\n"));
    // Names the original PTX.
    code.cubin = None;
    Ok(())
}

fn of_ir(code: &Code, change: fn(&str) -> Option<String>) -> Result<String, String> {
    let ir = code.llvm_ir.as_deref();
    let ir = ir.ok_or("the package holds no LLVM IR; compile it with --keep-ir")?;
    change(ir).ok_or_else(|| "the kernels have nothing of the kind".to_owned())
}

fn change_checksum(package: &mut Package) -> Result<(), String> {
    let selftest = package.selftest.as_mut().ok_or("the package has no self-test")?;
    let run = selftest.runs.first_mut().ok_or("the self-test has no run")?;
    let digest = run.fields.values_mut().next().ok_or("the run has no field")?;
    let first = if digest.starts_with('0') { "1" } else { "0" };
    digest.replace_range(..1, first);
    Ok(())
}

fn drop_launch(manifest: &mut Manifest) -> Result<(), String> {
    let mut functions = manifest.functions.iter_mut();
    let dropped = functions.any(|function| drop_last_launch(&mut function.body));
    dropped.then_some(()).ok_or_else(|| "no host program has a launch".to_owned())
}

fn drop_last_launch(body: &mut Vec<Statement>) -> bool {
    for index in (0..body.len()).rev() {
        let dropped = match &mut body[index] {
            Statement::Launch { .. } => {
                body.remove(index);
                true
            }
            Statement::For { body, .. } => drop_last_launch(body),
            _ => false,
        };
        if dropped {
            return true;
        }
    }
    false
}
