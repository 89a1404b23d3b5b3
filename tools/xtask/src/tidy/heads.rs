//! Every file says at its head what it is.

use super::{Checkout, File};

const RULE: &str = "head";

pub fn check(checkout: &mut Checkout) {
    checkout.each(RULE, |file, report| {
        if let Some(wanted) = wanted(file) {
            report(1, wanted.to_owned());
        }
    });
}

/// What is missing at the head of a file, if anything is.
fn wanted(file: &File) -> Option<&'static str> {
    let mut lines = file.text.lines();
    let first = lines.next().unwrap_or_default();
    let test = file.path.starts_with("test/") && !file.path.contains("/Inputs/");
    match file.extension() {
        "rs" if !first.starts_with("//!") => Some("begins without a text about the module (//!)"),
        "cpp" | "h" | "td" if !first.starts_with("//") => Some("begins without a comment"),
        _ if file.is_program() && test && (!first.starts_with("//") || first.contains("RUN:")) => {
            Some("begins without the property that it tests")
        }
        "py" if !first.starts_with("\"\"\"") && !first.starts_with('#') => {
            Some("begins without a text about the module")
        }
        "cmake" if !first.starts_with('#') => Some("begins without a comment"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_wanted_by_kind_of_file() {
        let mut checkout = Checkout::of(&[
            ("a.rs", "use std::fmt;\n"),
            ("b.rs", "//! What it is.\n"),
            ("c.cpp", "#include <a>\n"),
            ("test/d.mlir", "// RUN: stencil-opt %s\n"),
            ("test/e.mlir", "// A property.\n// RUN: stencil-opt %s\n"),
            ("test/e.idsl", "// A property.\n// RUN: stencilc run %s\n"),
            ("test/f.idsl", "parameter L;\n"),
            ("f.rs", "// tidy: allow(head): it is included by another file\n"),
        ]);
        check(&mut checkout);
        let paths: Vec<_> = checkout.findings.iter().map(|found| found.path.as_str()).collect();
        assert_eq!(paths, ["a.rs", "c.cpp", "test/d.mlir", "test/f.idsl"]);
    }
}
