//! The shared C code of launchers, in pieces: a launcher contains those that it uses.
//!
//! The files of `support/` are C, each function under a line `//: name`. A piece depends on those
//! whose names it mentions, so there are no unused functions.

use std::collections::HashSet;

/// All files, in dependency order.
const FILES: [&str; 3] = [
    include_str!("support/handle.c"),
    include_str!("support/fields.c"),
    include_str!("support/scalars.c"),
];
const MARK: &str = "\n//: ";

/// A piece: its name and its text.
struct Piece {
    name: &'static str,
    text: &'static str,
}

/// The pieces that `user` needs, in dependency order.
pub(crate) fn needed(user: &str) -> String {
    let pieces: Vec<Piece> = FILES.iter().flat_map(|file| read(file)).collect();
    let mut wanted = HashSet::new();
    let mut open = vec![user];
    while let Some(text) = open.pop() {
        for word in words(text) {
            if let Some(piece) = pieces.iter().find(|piece| piece.name == word)
                && wanted.insert(piece.name)
            {
                open.push(piece.text);
            }
        }
    }
    let mut done: HashSet<&str> = HashSet::new();
    let mut text = String::new();
    for piece in &pieces {
        define(piece, &pieces, &wanted, &mut done, &mut text);
    }
    text
}

/// Writes a piece after its dependencies.
fn define(
    piece: &Piece,
    pieces: &[Piece],
    wanted: &HashSet<&str>,
    done: &mut HashSet<&'static str>,
    text: &mut String,
) {
    if !wanted.contains(piece.name) || !done.insert(piece.name) {
        return;
    }
    for word in words(piece.text) {
        if let Some(other) = pieces.iter().find(|other| other.name == word) {
            define(other, pieces, wanted, done, text);
        }
    }
    text.push_str(piece.text.trim());
    text.push_str("\n\n");
}

fn read(file: &'static str) -> Vec<Piece> {
    let split = |part: &'static str| part.split_once('\n');
    let pieces = file.split(MARK).skip(1).filter_map(split);
    pieces.map(|(name, text)| Piece { name, text }).collect()
}

/// The identifiers of a text in C, except in comments.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let after_comment = |part: &'_ str| part.split_once("*/").map_or(0, |(text, _)| text.len());
    let code = text.split("/*").map(move |part| &part[after_comment(part)..]);
    code.flat_map(|code| code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_brings_what_it_uses_and_nothing_else() {
        let text = needed("x = pkg_f32_neg(y);");
        let position = |name: &str| text.find(&format!("{name}(")).unwrap();
        assert!(position("float pkg_f32_of_bits") < position("float pkg_f32_neg"));
        assert!(position("uint32_t pkg_f32_bits") < position("float pkg_f32_neg"));
        assert!(!text.contains("pkg_f64"), "{text}");
        assert!(!text.contains(MARK.trim()), "{text}");
    }

    #[test]
    fn comments_use_nothing() {
        let found: Vec<&str> = words("a /* b, c */ + d(e_1); /* f */").collect();
        assert_eq!(found, ["a", "d", "e_1"]);
    }

    #[test]
    fn every_function_of_a_piece_is_its_name() {
        for piece in FILES.iter().flat_map(|file| read(file)) {
            assert!(words(piece.text).any(|word| word == piece.name), "{}", piece.name);
            let definitions = piece.text.matches("\n{\n").count();
            assert!(definitions <= 1, "{} defines {definitions} functions", piece.name);
        }
    }
}
