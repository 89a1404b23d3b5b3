//! Programs that were compared here, written to files, to be compared on a GPU too.
//!
//! Here there is no GPU, and where there is one there may be no compiler. `gpu-bundle` makes of
//! each program a package with the plan in its text, and what the interpreter makes of
//! it; on the machine with the GPU a script runs them all and compares every bit.

use std::{
    env,
    fmt::Write,
    fs, io,
    path::{Path, PathBuf},
};
use stencil_fuzz::Program;

/// What a line of the list of numbers begins with.
const OPTION: &str = "--scalar";

/// The folder that programs are wanted in.
pub fn folder() -> Option<PathBuf> {
    env::var_os("STENCIL_PACKAGES").map(PathBuf::from)
}

/// Writes the programs of some seeds, and the numbers that they take.
pub fn write(folder: &Path, programs: &[(u64, Program)]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut numbers = String::new();
    for (seed, program) in programs {
        let name = format!("seed-{seed}");
        let head = "// A random sweep, on which interpreter and emulator agree.";
        let text = format!("{head}\n{}", program.text());
        fs::write(folder.join(format!("{name}.mlir")), text)?;
        numbers.push_str(&options(&name, program));
    }
    fs::write(folder.join("scalars"), numbers)
}

/// The options for the numbers of a program, one a line.
fn options(name: &str, program: &Program) -> String {
    let mut lines = String::new();
    for (position, value) in program.scalar_arguments() {
        writeln!(lines, "{OPTION}={name}:{position}={value}").expect("a string takes all");
    }
    lines
}

#[test]
fn every_program_has_its_file_and_its_numbers() {
    let programs: Vec<_> =
        (0..8).map(|seed| (seed, stencil_fuzz::generate_sweep(seed).program)).collect();
    let folder = env::temp_dir().join(format!("random-sweeps-{}", std::process::id()));
    write(&folder, &programs).unwrap();
    let numbers = fs::read_to_string(folder.join("scalars")).unwrap();
    let wanted: usize = programs.iter().map(|(_, p)| p.scalar_arguments().len()).sum();
    let texts = programs.iter().map(|(seed, program)| {
        let text = fs::read_to_string(folder.join(format!("seed-{seed}.mlir"))).unwrap();
        text.ends_with(&program.text())
    });
    let complete = texts.collect::<Vec<_>>();
    fs::remove_dir_all(&folder).unwrap();
    assert!(complete.iter().all(|holds| *holds));
    assert!(wanted > 0);
    assert_eq!(numbers.lines().filter(|line| line.starts_with(OPTION)).count(), wanted);
}
