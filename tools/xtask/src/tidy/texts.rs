//! What no text of the repository contains, and the form of those it may.

use std::collections::BTreeSet;

use super::{Checkout, File};

/// Not written by hand, or by lawyers.
const FOREIGN: &[&str] = &["Cargo.lock", "LICENSE"];
/// This file names what it forbids.
const ITSELF: &str = "tools/xtask/src/tidy/texts.rs";

/// A folder of somebody's machine. LLVM's and the driver's places are everybody's.
const PRIVATE_FOLDERS: &[&str] = &["/home/", "/root/", "/work/", "/Users/"];

/// What looks like an address and is the name of a language: nothing is there to be fetched.
const LANGUAGES: &[&str] = &["http://www.w3.org/2000/svg"];

pub fn check(checkout: &mut Checkout) {
    let documents: BTreeSet<String> = checkout
        .files
        .iter()
        .filter(|file| file.extension() == "md")
        .map(|file| file.name().to_owned())
        .collect();
    checkout.each("text", |file, report| {
        if FOREIGN.contains(&file.path.as_str()) || file.path == ITSELF {
            return;
        }
        if !file.text.is_empty() && !file.text.ends_with('\n') {
            report(file.text.lines().count(), "the last line has no end".to_owned());
        }
        for (index, line) in file.text.lines().enumerate() {
            let mut found = |text: String| report(index + 1, text);
            check_line(file, line, &mut found);
            for name in documents_in(line).filter(|name| !documents.contains(*name)) {
                found(format!("there is no document {name}"));
            }
        }
    });
}

fn check_line(file: &File, line: &str, found: &mut dyn FnMut(String)) {
    if line.ends_with([' ', '\t']) && !file.path.ends_with(".golden") {
        found("blanks at the end".to_owned());
    }
    let names_language = |place: usize| LANGUAGES.iter().any(|it| line[place..].starts_with(it));
    let mut addresses = line.match_indices("http://").chain(line.match_indices("https://"));
    if addresses.any(|(place, _)| !names_language(place)) {
        found("an address; cite by author, title, venue and year".to_owned());
    }
    for folder in PRIVATE_FOLDERS.iter().filter(|folder| line.contains(*folder)) {
        found(format!("{folder}... is a folder of one machine"));
    }
    if line.to_lowercase().contains("issue #") {
        found("the repository explains itself, without numbers of a tracker".to_owned());
    }
    // What is left to do has an owner and a condition for its removal.
    if line.contains("TODO") && !line.contains("TODO(") {
        found("TODO(name): with a condition for its removal".to_owned());
    }
}

/// Names of Markdown files that a line mentions.
fn documents_in(line: &str) -> impl Iterator<Item = &str> {
    let separates = |letter: char| !(letter.is_alphanumeric() || "._-".contains(letter));
    let words = line.split(separates).map(|word| word.trim_end_matches('.'));
    words.filter(|word| word.len() > ".md".len() && word.ends_with(".md"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_line_is_found() {
        let text = "blank \nsee https://example.org\n/home/me/x\nfixes issue #3\nTODO later\n\
                    TODO(ada): when it rains\nread GONE.md and `here.md`.\nno end";
        let mut checkout = Checkout::of(&[("a.txt", text), ("docs/here.md", "")]);
        check(&mut checkout);
        let lines: Vec<_> = checkout.findings.iter().map(|found| found.line).collect();
        assert_eq!(lines, [8, 1, 2, 3, 4, 5, 7]);
        assert!(checkout.lines().iter().any(|line| line.contains("no document GONE.md")));
    }

    #[test]
    fn the_name_of_a_language_is_no_address() {
        let text = "xmlns=\"http://www.w3.org/2000/svg\"\nhttp://www.w3.org/2000/other\n";
        let mut checkout = Checkout::of(&[("a.txt", text)]);
        check(&mut checkout);
        let lines: Vec<_> = checkout.findings.iter().map(|found| found.line).collect();
        assert_eq!(lines, [2]);
    }

    #[test]
    fn names_of_documents_are_words_that_end_in_md() {
        let names = |line: &'static str| documents_in(line).collect::<Vec<_>>();
        assert_eq!(names("see `a/b/README.md`, or X.md."), ["README.md", "X.md"]);
        assert_eq!(names("*.md files, .md, and cmd"), Vec::<&str>::new());
    }
}
