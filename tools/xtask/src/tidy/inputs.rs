//! Files of the test folder that no test uses.

use super::{Checkout, File, PROGRAMS};

pub fn check(checkout: &mut Checkout) {
    let dead: Vec<_> = checkout
        .files
        .iter()
        .filter(|file| is_input(file) && !is_mentioned(checkout, file))
        .map(|file| file.path.clone())
        .collect();
    for path in dead {
        checkout.report("dead-input", &path, "no test mentions this file".to_owned());
    }
}

/// What does nothing by itself: a test has a RUN line, and lit finds its own configuration.
fn is_input(file: &File) -> bool {
    let runs = file.is_program() && file.text.contains("RUN:");
    let read_by_lit = matches!(file.name(), "lit.cfg.py" | "lit.local.cfg" | "README.md");
    file.path.starts_with("test/") && !runs && !read_by_lit
}

/// By its name, or by its test's name as lit substitutes it (`%s.golden`, `%basename_t`).
fn is_mentioned(checkout: &Checkout, input: &File) -> bool {
    let of_its_test = PROGRAMS.iter().any(|ending| {
        let of_test = input.name().split_once(&format!(".{ending}."));
        of_test.is_some_and(|(stem, rest)| {
            let folder = &input.path[..input.path.len() - input.name().len()];
            let path = format!("{folder}{stem}.{ending}");
            let test = checkout.files.iter().find(|file| file.path == path);
            test.is_some_and(|test| test.text.contains(&format!("%s.{rest}")))
        })
    });
    of_its_test
        || checkout
            .files
            .iter()
            .any(|file| file.path != input.path && file.text.contains(input.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_without_a_mention_are_found() {
        let mut checkout = Checkout::of(&[
            ("test/a.mlir", "// RUN: stencil-opt %S/in.json | %golden %s.golden\n"),
            ("test/in.json", ""),
            ("test/a.mlir.golden", ""),
            ("test/b.mlir.golden", ""),
            ("test/c.idsl", "// RUN: stencilc run %s | %golden %s.golden\n"),
            ("test/c.idsl.golden", ""),
            ("test/kernel.mlir", "// No RUN line means an input.\n".replace("RUN", "r").as_str()),
            ("test/README.md", ""),
        ]);
        check(&mut checkout);
        let paths: Vec<_> = checkout.findings.iter().map(|found| found.path.as_str()).collect();
        assert_eq!(paths, ["test/b.mlir.golden", "test/kernel.mlir"]);
    }
}
