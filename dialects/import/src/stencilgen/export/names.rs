//! Names that are identifiers of the language, each once.

use super::super::{elaborate, functions, syntax::KEYWORDS};
use std::collections::BTreeSet;

/// The names in use.
#[derive(Default)]
pub struct Names(BTreeSet<String>);

impl Names {
    /// These names, which are in use.
    pub fn of(names: &[String]) -> Names {
        Names(names.iter().cloned().collect())
    }

    /// A name like the wanted one.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let is_plain = |character: char| character.is_ascii_alphanumeric() || character == '_';
        let mut name: String =
            wanted.chars().map(|one| if is_plain(one) { one } else { '_' }).collect();
        if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
            name.insert(0, 'v');
        }
        let is_taken = |names: &Names, name: &str| {
            names.0.contains(name)
                || KEYWORDS.iter().any(|(word, _)| *word == name)
                || functions::find(name).is_some()
                || name == elaborate::SWAP
        };
        let mut candidate = name.clone();
        let mut number = 1;
        while is_taken(self, &candidate) {
            number += 1;
            candidate = format!("{name}_{number}");
        }
        self.0.insert(candidate.clone());
        candidate
    }
}

/// `k`, `k+1`, `k-2`.
pub fn shifted(name: &str, offset: i64) -> String {
    match offset {
        0 => name.to_owned(),
        _ => format!("{name}{offset:+}"),
    }
}

/// Columns of a line.
const COLUMNS: usize = 100;

/// A statement on lines of limited length, broken at spaces.
pub fn wrapped(indent: &str, text: &str) -> String {
    let mut lines = String::from(indent);
    let mut column = indent.len();
    for (position, part) in text.split(' ').enumerate() {
        if position > 0 && column + 1 + part.len() > COLUMNS {
            lines.push_str(&format!("\n{indent}  "));
            column = indent.len() + 2;
        } else if position > 0 {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(part);
        column += part.len();
    }
    lines.push('\n');
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_identifiers_each_once() {
        let mut names = Names::default();
        assert_eq!(names.fresh("u"), "u");
        assert_eq!(names.fresh("u"), "u_2");
        assert_eq!(names.fresh("double"), "double_2");
        assert_eq!(names.fresh("sqrt"), "sqrt_2");
        assert_eq!(names.fresh("_a.b"), "v_a_b");
        assert_eq!(names.fresh("2d"), "v2d");
    }

    #[test]
    fn offsets_have_a_sign() {
        assert_eq!([0, 2, -3].map(|offset| shifted("k", offset)), ["k", "k+2", "k-3"]);
    }

    #[test]
    fn long_statements_are_broken_at_spaces() {
        let text = vec!["abcdefgh"; 24].join(" ");
        let lines = wrapped("  ", &text);
        assert!(lines.lines().count() == 3 && lines.lines().all(|line| line.len() <= COLUMNS));
        assert_eq!(lines.split_whitespace().collect::<Vec<_>>().join(" "), text);
    }
}
