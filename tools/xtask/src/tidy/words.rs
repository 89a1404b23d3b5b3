//! Words that were replaced by the field's own, and must not come back.

use super::{Checkout, File};

/// Files that people and compilers read.
const READ: &[&str] = &["rs", "md", "td", "h", "cpp", "py", "mlir", "golden", "idsl", "toml"];
/// This file names what it forbids.
const ITSELF: &str = "tools/xtask/src/tidy/words.rs";

/// A word or phrase, and what to say instead. With a capital letter it is an identifier and
/// compared as it is, else in upper and lower case; ends of words are where they are in the text.
const REPLACED: &[(&str, &str)] = &[
    ("AsGiven", "SourceProgram"),
    ("NobodyToAsk", "NoAssembler"),
    ("StraightCode", "BlockDag"),
    ("ThreadCode", "KernelCode"),
    ("Wishes", "PragmaHints"),
    ("badness", "cost"),
    ("begin_of", "base pointer"),
    ("fewest_moves", "schedule with least spill traffic"),
    ("fibre", "coroutine"),
    ("is cut to that", "is clipped"),
    ("late_loads", "load sinking"),
    ("libdevice lacks", "libdevice is missing"),
    ("mend the plan", "fix the plan"),
    ("means nothing to mapping", "has no effect with mapping"),
    ("has no means for", "does not support"),
    ("keeps blocks out", "lowers occupancy"),
    ("crowded", "lowers occupancy"),
    ("asked again", "rematerialised"),
    ("give way", "are spilled"),
    ("gives way", "is spilled"),
    ("by_results", "demand_driven"),
    ("without a word", "silently"),
    ("demote_reloads", "demote_remat"),
    ("demote_order", "demote_heuristic"),
    ("demote_slots", "demote_layout"),
    ("say_it_of_loads", "mark_loads_invariant"),
    ("quietly", "with diagnostics suppressed"),
    ("leave it away", "remove it"),
    ("stands for nothing", "has no counterpart"),
    ("we are wrong", "internal error"),
    ("is gone on with", "is appended to"),
    ("FLOP of the paper", "arithmetic intensity (FLOP/byte)"),
    ("what re-associated arithmetic changes", "the rounding error that reassociation can cause"),
];

pub fn check(checkout: &mut Checkout) {
    checkout.each("words", |file, report| {
        if READ.contains(&file.extension()) && file.path != ITSELF {
            find(file, report);
        }
    });
}

/// A phrase may go on in the next line, after its comment sign.
fn find(file: &File, report: &mut dyn FnMut(usize, String)) {
    let mut lines = file.text.lines().enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let next = lines.peek().map_or("", |(_, next)| next);
        let text = format!("{} {}", line.trim_end(), next.trim_start_matches(['/', '!', '#', ' ']));
        for (phrase, instead) in REPLACED {
            if places(&text, phrase).iter().any(|place| *place < line.len()) {
                report(index + 1, format!("'{phrase}': say '{instead}'"));
            }
        }
    }
}

/// Where a phrase begins and ends with its words.
fn places(text: &str, phrase: &str) -> Vec<usize> {
    let is_identifier = phrase.contains(|letter: char| letter.is_ascii_uppercase());
    let text = if is_identifier { text.to_owned() } else { text.to_ascii_lowercase() };
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let found = text.match_indices(phrase).filter(|(place, _)| {
        let end = place + phrase.len();
        !text[..*place].ends_with(is_word) && !text[end..].starts_with(is_word)
    });
    found.map(|(place, _)| place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whole_and_across_lines() {
        let text = concat!(
            "//! It leaves quietly.\n/// Then leave\n/// it away.\n",
            "let quietly_done = AsGiven;\n// Leave it away\n",
            "// tidy: allow(words): the name of another program\n// we are wrong\n",
        );
        let mut checkout = Checkout::of(&[("a.rs", text), ("b.bin", "quietly")]);
        check(&mut checkout);
        let lines: Vec<_> = checkout.findings.iter().map(|found| found.line).collect();
        assert_eq!(lines, [1, 2, 4, 5]);
        let first = &checkout.lines()[0];
        assert!(first.ends_with("'quietly': say 'with diagnostics suppressed'"), "{first}");
    }

    #[test]
    fn phrases_without_capitals_are_found_in_any_case() {
        assert_eq!(places("Quietly, QUIETLY; quietlyx", "quietly"), [0, 9]);
        assert_eq!(places("wishes Wishes", "Wishes"), [7]);
    }
}
