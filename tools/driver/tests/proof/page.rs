//! The page that says what random programs hold, and how they show planted faults.

use super::{Found, PROGRAMS, shown::Way};
use std::{fs, path::Path};
use stencil_fuzz::Histogram;

/// What the tables mean.
const HEAD: &str = include_str!("page-head.md");

/// How to write the page anew.
const TAIL: &str = include_str!("page-tail.md");

/// The page.
pub fn text(histogram: &Histogram, found: &[Found]) -> String {
    let (programs, faults) = (histogram.table(), faults(found));
    format!("{HEAD}\n## What programs hold\n\n{programs}\n## Faults\n\n{faults}\n{TAIL}")
}

/// What was found, and a table of it.
pub fn faults(found: &[Found]) -> String {
    let programs = found.iter().map(|found| found.seed + 1);
    let (last, all) = (programs.clone().max().unwrap_or(0), found.len());
    let at_once = programs.filter(|number| *number <= 10).count();
    let mut faults = format!(
        "All {all} faults are found within {PROGRAMS} programs: {at_once} by the first ten, the \
         last by program {last}.\n\n\
         | fault | what is wrong | drawn as in | found by program | noticed by | operations of \
         the smallest | its cells |\n| --- | --- | --- | --- | --- | --- | --- |\n"
    );
    for Found { fault, seed, failure, smallest } in found {
        faults.push_str(&format!(
            "| [{name}](../../tools/driver/tests/proof/smallest/{name}.mlir) | {} | {} | {} | {} | \
             {} | {} |\n",
            fault.text(),
            Way::of(*fault).test(),
            seed + 1,
            failure.stage.words(),
            smallest.operations(),
            smallest.cells(),
            name = fault.name(),
        ));
    }
    faults
}

/// Compares with the page that is there, or writes it.
pub fn check(page: &str, bless: bool) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/docs/proof.md");
    if bless {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, page).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == page,
        "test/docs/proof.md is stale, 'cargo xtask bless --nightly proof' writes it:\n{page}"
    );
}
