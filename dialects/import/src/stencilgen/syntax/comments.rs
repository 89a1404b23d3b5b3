//! How ARTEMIS reads a `//` comment: it removes everything up to the next `;`.

use crate::diagnostic::{Diagnostic, Span};

/// How a comment is read there.
pub struct Reading {
    /// What it reads differently; none where both agree.
    pub difference: Option<Diagnostic>,
    /// The text is scanned up to here.
    pub end: usize,
}

/// The end of a line, including lines continued by a backslash.
pub fn end_of_line(text: &str, start: usize) -> usize {
    let mut at = start;
    loop {
        let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
        if end == text.len() || !text[at..end].trim_end().ends_with('\\') {
            // A carriage return belongs to the end.
            return at + text[at..end].trim_end_matches('\r').len();
        }
        at = end + 1;
    }
}

/// Limit on the comments inspected per line.
const COMMENTS_MAX: usize = 64;

/// Reads the comment at `start`, which precedes a statement of a stencil.
pub fn read_as_artemis(text: &str, start: usize) -> Reading {
    let mut at = start;
    for _ in 0..COMMENTS_MAX {
        let Some(semi) = text[at..].find(';').map(|semi| at + semi) else {
            let rest = rest_of_program(text, line_end(text, at), text.len());
            return Reading {
                difference: rest.map(|rest| drops(text, start, rest)),
                end: text.len(),
            };
        };
        let first_line = line_end(text, at);
        if let Some(rest) = rest_of_program(text, first_line, semi) {
            return Reading { difference: Some(drops(text, start, rest)), end: semi + 1 };
        }
        let line = text[..semi].rfind('\n').map_or(0, |newline| newline + 1).max(at);
        let is_in_comment = text[line..semi].contains("//");
        let end = if is_in_comment { line_end(text, semi) } else { semi + 1 };
        let rest = text[semi + 1..end.max(semi + 1)].trim();
        if rest.starts_with("//") {
            at = semi + 1 + text[semi + 1..end].find("//").expect("the rest starts with it");
            continue;
        }
        let difference = (!rest.is_empty()).then(|| {
            let message = format!("ARTEMIS would read '{}' as program", shown(rest));
            let warning = Diagnostic::warning(comment(text, start), message);
            warning.help("for it '//' ends at the next ';'; --artemis-compat reads files like that")
        });
        return Reading { difference, end };
    }
    Reading { difference: None, end: line_end(text, at) }
}

fn drops(text: &str, start: usize, rest: Span) -> Diagnostic {
    let dropped = shown(text[rest.start..rest.end].trim());
    let message = format!("ARTEMIS would drop '{dropped}' with this comment");
    let warning = Diagnostic::warning(comment(text, start), message).note(rest, "dropped there");
    warning.help("for it '//' ends at the next ';'; --artemis-compat reads files like that")
}

fn comment(text: &str, start: usize) -> Span {
    Span::new(start, start + text[start..line_end(text, start)].trim_end().len())
}

fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end)
}

/// The text between two offsets that is neither comment nor blank, up to the next `;`.
fn rest_of_program(text: &str, start: usize, end: usize) -> Option<Span> {
    let mut at = start;
    for line in text.get(start..end)?.split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or_default();
        if !code.trim().is_empty() {
            let first = at + code.len() - code.trim_start().len();
            let last = if end < text.len() { end + 1 } else { text.trim_end().len() };
            return Some(Span::new(first, last.max(first)));
        }
        at += line.len();
    }
    None
}

/// A text on one line, truncated if long.
fn shown(text: &str) -> String {
    const LENGTH_MAX: usize = 40;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() <= LENGTH_MAX {
        return words;
    }
    words.chars().take(LENGTH_MAX).chain(" ...".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Option<String> {
        read_as_artemis(text, text.find("//").unwrap()).difference.map(|one| one.message)
    }

    #[test]
    fn a_comment_up_to_a_semicolon_is_the_same_for_both() {
        assert_eq!(message("// a = b;\nc = d;"), None);
        assert_eq!(message("// a = b; \t\r\nc = d;"), None);
        assert_eq!(message("// a;  // b;\nc = d;"), None);
        assert_eq!(message("// a\n// b;\nc = d;"), None);
        assert_eq!(message("// a\n  ;\nc = d;"), None);
        assert_eq!(message("// the end"), None);
    }

    #[test]
    fn what_artemis_would_drop_is_told() {
        let dropped = |rest| Some(format!("ARTEMIS would drop '{rest}' with this comment"));
        assert_eq!(message("// centre\nc = d; e = f;"), dropped("c = d;"));
        assert_eq!(message("// a\n// b\nc = d;"), dropped("c = d;"));
        assert_eq!(message("// a\nc = // b;\n d;"), dropped("c = // b;"));
        assert_eq!(message("// last\n}\n"), dropped("}"));
        assert_eq!(message("// a; // b\nc = d;"), dropped("c = d;"));
        let long = format!("// a\n{} = 1;", "a".repeat(50));
        assert_eq!(message(&long), dropped(&format!("{} ...", "a".repeat(40))));
    }

    #[test]
    fn what_artemis_would_read_is_told() {
        let read = |rest| Some(format!("ARTEMIS would read '{rest}' as program"));
        assert_eq!(message("// a; b\nc = d;"), read("b"));
        assert_eq!(message("// a\n// b; c = 1;\nd = 2;"), read("c = 1;"));
    }

    #[test]
    fn a_line_goes_on_behind_a_backslash() {
        assert_eq!(end_of_line("ab\ncd", 0), 2);
        assert_eq!(end_of_line("ab\\\ncd\ne", 0), 6);
        assert_eq!(end_of_line("ab \\ \r\ncd\r\ne", 0), 9);
        assert_eq!(end_of_line("ab\\", 0), 3);
    }
}
