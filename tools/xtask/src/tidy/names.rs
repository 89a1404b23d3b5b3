//! Names of files, folders and crates.

use super::Checkout;

const RULE: &str = "names";

/// A thing that only fits under one of these is not understood yet.
const DRAWERS: &[&str] = &["utils", "util", "helpers", "helper", "common", "base", "misc"];

/// Folders of the map, each of which explains itself.
const CHAPTERS: &[&str] = &["cmake", "dialects", "passes", "lowering", "tools", "test"];

pub fn check(checkout: &mut Checkout) {
    checkout.each(RULE, |file, report| {
        let parts = file.path.split('/').map(|part| part.split('.').next().unwrap_or_default());
        for part in parts {
            if DRAWERS.contains(&part.to_lowercase().as_str()) {
                report(1, format!("'{part}' says nothing about what it holds"));
            }
        }
        // Tests are named by hyphens, Rust by underscores.
        if file.extension() == "rs" && file.stem().contains('-') {
            report(1, "a Rust file is named with underscores".to_owned());
        }
        let test = file.path.starts_with("test/") && file.is_program();
        if test && file.stem().contains('_') {
            report(1, "a test is named with hyphens".to_owned());
        }
    });
    for chapter in CHAPTERS {
        let path = format!("{chapter}/README.md");
        if !checkout.has(&path) {
            checkout.report(RULE, &path, "the folder has no chapter".to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawers_and_wrong_separators_are_found() {
        let mut files: Vec<(String, &str)> =
            CHAPTERS.iter().map(|chapter| (format!("{chapter}/README.md"), "")).collect();
        for path in ["passes/src/utils.rs", "a/helpers/b.rs", "a/b-c.rs", "test/x/a_b.mlir"] {
            files.push((path.to_owned(), ""));
        }
        files.push(("a/fine_name.rs".to_owned(), ""));
        let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        let mut checkout = Checkout::of(&files);
        check(&mut checkout);
        assert_eq!(
            checkout.lines(),
            [
                "a/b-c.rs:1: names: a Rust file is named with underscores",
                "a/helpers/b.rs:1: names: 'helpers' says nothing about what it holds",
                "passes/src/utils.rs:1: names: 'utils' says nothing about what it holds",
                "test/x/a_b.mlir:1: names: a test is named with hyphens",
            ]
        );
    }

    #[test]
    fn every_folder_of_the_map_has_its_chapter() {
        let mut checkout = Checkout::of(&[]);
        check(&mut checkout);
        assert_eq!(checkout.findings.len(), CHAPTERS.len());
    }
}
