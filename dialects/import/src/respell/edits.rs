//! Changes of a text, and the way back from a place in the changed text to the original one.
//!
//! A change keeps the line breaks that it replaces: a line has the same number in both texts.

use crate::{Lines, diagnostic::Span};

/// Changes of one text; they do not overlap.
#[derive(Debug, Default)]
pub struct Edits(Vec<(Span, String)>);

impl Edits {
    /// Puts another text in the place of some bytes, if it is another one.
    pub fn replace(&mut self, source: &str, span: Span, text: impl Into<String>) {
        let (old, text) = (&source[span.start..span.end], text.into());
        if old == text {
            return;
        }
        let breaks = "\n".repeat(old.matches('\n').count());
        self.0.push((span, text + &breaks));
    }

    /// Puts a text before a byte.
    pub fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.0.push((Span::new(at, at), text.into()));
    }

    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The changed text.
    pub fn apply(mut self, source: &str) -> Respelled {
        // Stable: insertions at one byte stay in their order.
        self.0.sort_by_key(|(span, _)| *span);
        let (mut text, mut pieces, mut read) = (String::new(), Vec::new(), 0);
        for (span, new) in self.0 {
            assert!(read <= span.start, "changes at {read} and {} overlap", span.start);
            pieces.push(Piece { output: text.len(), input: read, is_copy: true });
            text.push_str(&source[read..span.start]);
            pieces.push(Piece { output: text.len(), input: span.start, is_copy: false });
            text.push_str(&new);
            read = span.end;
        }
        pieces.push(Piece { output: text.len(), input: read, is_copy: true });
        text.push_str(&source[read..]);
        Respelled { lines: Lines::of(&text), text, pieces, source: Lines::of(source) }
    }
}

/// A part of the changed text.
#[derive(Debug)]
struct Piece {
    output: usize,
    input: usize,
    is_copy: bool,
}

/// A changed text that knows where its parts were.
pub struct Respelled {
    /// The changed text.
    pub text: String,
    pieces: Vec<Piece>,
    lines: Lines,
    source: Lines,
}

impl Respelled {
    /// The line and column of the original text where this one comes from.
    pub fn origin(&self, line: usize, column: usize) -> (usize, usize) {
        let Some(start) = line.checked_sub(1).and_then(|line| self.lines.start(line)) else {
            return (line, column);
        };
        let byte = start + column.saturating_sub(1);
        let next = self.pieces.partition_point(|piece| piece.output <= byte);
        let piece = &self.pieces[next - 1];
        let inside = if piece.is_copy { byte - piece.output } else { 0 };
        self.source.place(piece.input + inside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_original() {
        let source = "a (x) -> y\nb c\n";
        let mut edits = Edits::default();
        edits.replace(source, Span::new(2, 5), "(longer)");
        edits.replace(source, Span::new(11, 12), "second");
        edits.insert(13, "! ");
        edits.replace(source, Span::new(6, 8), "->");
        let respelled = edits.apply(source);
        assert_eq!(respelled.text, "a (longer) -> y\nsecond ! c\n");
        for (place, origin) in [
            ((1, 1), (1, 1)),
            ((1, 3), (1, 3)),
            ((1, 5), (1, 3)),
            ((1, 12), (1, 7)),
            ((2, 4), (2, 1)),
            ((2, 10), (2, 3)),
        ] {
            assert_eq!(respelled.origin(place.0, place.1), origin, "{place:?}");
        }
    }

    #[test]
    fn lines_keep_their_numbers() {
        let source = "a\n(b\nc) d";
        let mut edits = Edits::default();
        edits.replace(source, Span::new(2, 7), "x");
        let respelled = edits.apply(source);
        assert_eq!(respelled.text, "a\nx\n d");
        assert_eq!(respelled.origin(3, 2), (3, 4));
    }
}
