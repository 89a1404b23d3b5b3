//! Every kernel of `test/kernels`, at the small size that its own test runs it at.

use super::{
    each,
    run::{Case, ORDERS, in_every_order},
};
use std::{
    fs,
    path::{Path, PathBuf},
};
use stencil_driver::{input::Input, pipelines::Sums, reading::Reading};
use stencil_runtime::bind::Requests;

/// Bytes of the text of a large body.
const LARGE: usize = 8_000;

/// Texts of kernels: those whose arithmetic no other text has, or all.
pub fn texts(all: bool) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/kernels");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let ends = |file: &Path, ending: &str| file.extension().is_some_and(|it| it == ending);
    let mut files: Vec<_> = files
        .filter(|file| {
            // A test of the text holds that both front ends give the same.
            let has_twin = file.with_extension("mlir").exists();
            ends(file, "mlir") || (ends(file, "idsl") && (all || !has_twin))
        })
        .collect();
    files.sort();
    files
}

/// The kernel as the first of its RUN lines that is no failure runs it.
pub fn case(file: &Path) -> Case {
    let input = Input::read(file).unwrap();
    let line = run_line(&input.text);
    let words: Vec<&str> = line.split_whitespace().flat_map(|word| word.split("--seed=")).collect();
    let mut requests = Requests { seed: 1, ..Requests::default() };
    let mut size = Vec::new();
    for pair in words.windows(2) {
        match pair[0] {
            "--extents" | "-D" => size.push(pair[1]),
            "--arg" => requests.arguments.push(pair[1].parse().unwrap()),
            "--symbol" => requests.symbols.push(pair[1].parse().unwrap()),
            _ => {}
        }
    }
    let mut reading = Reading::of(&input);
    if !size.is_empty() {
        reading = reading.at(&size.join(",")).unwrap().0;
    }
    let function = input.text.contains("@main(").then(|| "main".to_owned());
    // Points of a thread share loads; the search for large bodies takes seconds with one alone.
    let points = if input.text.len() < LARGE { 2 } else { 1 };
    // What is swept by default is a kernel of threads here.
    let plan = format!("mapping=thread,points={points},");
    let (sums, orders) = (Sums::default(), ORDERS.to_vec());
    Case { input, reading, function, sums, plan, orders, requests }
}

/// The line that runs a kernel on the emulator, with what is defined for it put in.
fn run_line(text: &str) -> String {
    let joined = text.replace("\\\n// RUN:", " ");
    let lines = joined.lines().filter_map(|line| line.strip_prefix("// RUN: stencilc run %s"));
    let mut line =
        lines.into_iter().find(|line| line.contains("--on=emulator")).unwrap().to_owned();
    for define in text.lines().filter_map(|line| line.strip_prefix("// DEFINE: ")) {
        let (name, words) = define.split_once(" = ").unwrap();
        line = line.replace(name, words);
    }
    line
}

#[test]
fn the_line_that_runs_a_kernel_is_found() {
    let text = "// DEFINE: %{size} = --extents 3,4\n// RUN: not stencilc run %s --on=emulator\n\
                // RUN: stencilc run %s %{size} --on=emulator --arg a=1 \\\n// RUN: --arg b=2";
    let line = run_line(text);
    let words: Vec<_> = line.split_whitespace().collect();
    assert_eq!(words, ["--extents", "3,4", "--on=emulator", "--arg", "a=1", "--arg", "b=2"]);
}

#[test]
fn every_kernel_gives_the_same_bits_in_every_order() {
    let texts = texts(crate::nightly());
    assert!(texts.len() > 40);
    let found = each(texts.len() as u64, |number| {
        let case = case(&texts[number as usize]);
        // In a usual run a kernel gets two of the orders, the next kernel the next two; a large
        // body one, as its searches take seconds.
        let turn = |next| ORDERS[(2 * number as usize + next) % ORDERS.len()];
        let turns = if case.input.text.len() < LARGE { 2 } else { 1 };
        let daily = || (0..turns).map(turn).collect();
        let orders = if crate::nightly() { case.orders.clone() } else { daily() };
        in_every_order(&Case { orders, ..case })
    });
    let failures: Vec<_> = found
        .failures
        .iter()
        .map(|(number, failure)| format!("{}: {failure}", texts[*number as usize].display()))
        .collect();
    assert!(failures.is_empty(), "{failures:#?}");
    found.assert_moved();
}
