//! The header comment of a file, `// stencil: ...`, which says what its C does not.
//!
//! ```c
//! // stencil: parameter L = 512, M = 512, N = 512; iterator k, j, i;
//! // stencil: double in[L][M][N], out[L][M][N], dt; domain [1:L-2][1:M-2][1:N-2];
//! ```
//!
//! `--declare` takes the same words; they come first.

use super::{
    declarations::{self, Aliases, Variable, type_word},
    tokens::{Cursor, Kind, Token, span_of, tokenize, without_comments},
};
use crate::{
    diagnostic::{Diagnostic, Span},
    stencilgen::{
        ast::{Name, Type},
        sink::did_you_mean,
    },
};

use std::collections::BTreeSet;

/// The word that a header comment begins with.
const WORD: &str = "stencil:";

/// The first and the last value of an iterator.
pub type Range<'t> = (&'t [Token], &'t [Token]);

/// What the headers say.
#[derive(Debug, Default)]
pub struct Header<'t> {
    /// `parameter L = 512;`
    pub parameters: Vec<(Name, &'t [Token])>,
    /// `iterator k, j, i;`
    pub iterators: Vec<Name>,
    /// `double a[L][M], b;`
    pub variables: Vec<Variable<'t>>,
    /// `domain [1:L-2][1:M-2];`, `domain NAME [1:L-2];`
    pub domains: Vec<Domain<'t>>,
    /// `datatype float;`
    pub datatype: Option<Type>,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
}

/// The points of regions.
#[derive(Debug)]
pub struct Domain<'t> {
    /// The region; all of them without one.
    pub region: Option<Name>,
    /// One range for each iterator, outermost first.
    pub ranges: Vec<Range<'t>>,
    /// All of it.
    pub span: Span,
}

/// A file with the texts of `--declare` after it, each in a comment.
pub fn with_declarations(text: &str, declarations: &[String]) -> String {
    let mut all = text.to_owned();
    for one in declarations {
        let line = one.replace(['\n', '\r'], " ");
        all.push_str(&format!("\n// {WORD} {line};"));
    }
    all
}

/// Line and column of what is at these in the text that [`with_declarations`] adds: the line is the
/// number of the `--declare`.
pub fn place_in_declaration((line, column): (usize, usize)) -> (usize, usize) {
    (line, column.saturating_sub("// ".len() + WORD.len() + 1).max(1))
}

/// The tokens of the headers among the comments of a file; those of `--declare`, after `end` of
/// the file, are first.
pub fn tokens(text: &str, all: &[Token], end: usize) -> Vec<Token> {
    let mut parts = Vec::new();
    for comment in all.iter().filter(|token| token.kind == Kind::Comment) {
        let inner = comment.text(text)[2..].trim_end_matches("*/");
        let Some(said) = inner.trim_start().strip_prefix(WORD) else { continue };
        let start = comment.span.start + 2 + inner.len() - said.len();
        parts.push((start < end, without_comments(tokenize(text, start..start + said.len()))));
    }
    parts.sort_by_key(|(is_in_file, _)| *is_in_file);
    parts.into_iter().flat_map(|(_, tokens)| tokens).collect()
}

/// The sizes that headers give.
pub fn sizes(text: &str, tokens: &[Token]) -> BTreeSet<String> {
    let header = read(text, tokens, &Aliases::new());
    header.parameters.into_iter().map(|(name, _)| name.text).collect()
}

/// Reads headers.
pub fn read<'t>(text: &'t str, tokens: &'t [Token], aliases: &Aliases) -> Header<'t> {
    let mut header = Header::default();
    let mut cursor = Cursor::new(text, tokens);
    while !cursor.is_end() {
        // Lines of a block comment may begin with a star.
        if cursor.eat(";") || cursor.eat("*") {
            continue;
        }
        let start = cursor.at;
        if header.statement(&mut cursor, aliases).is_none() {
            cursor.at = start;
            header.refuse(&mut cursor);
        }
    }
    header
}

impl<'t> Header<'t> {
    /// Reads a statement; none if it is none.
    fn statement(&mut self, cursor: &mut Cursor<'t>, aliases: &Aliases) -> Option<()> {
        match cursor.word(0) {
            "parameter" => {
                cursor.skip();
                loop {
                    let name = name(cursor)?;
                    cursor.eat("=").then_some(())?;
                    self.parameters.push((name, cursor.until(&[",", ";"])));
                    if !cursor.eat(",") {
                        return cursor.eat(";").then_some(());
                    }
                }
            }
            "iterator" => {
                cursor.skip();
                loop {
                    self.iterators.push(name(cursor)?);
                    if !cursor.eat(",") {
                        return cursor.eat(";").then_some(());
                    }
                }
            }
            "datatype" => {
                cursor.skip();
                let r#type = type_word(cursor.word(0));
                let r#type = r#type.filter(|one| matches!(one, Type::Float | Type::Double))?;
                self.datatype.get_or_insert(r#type);
                cursor.skip();
                cursor.eat(";").then_some(())
            }
            "domain" => self.domain(cursor),
            _ => {
                self.variables.extend(declarations::declaration(cursor, aliases)?);
                Some(())
            }
        }
    }

    fn domain(&mut self, cursor: &mut Cursor<'t>) -> Option<()> {
        let start = cursor.span();
        cursor.skip();
        let region = if cursor.is("[") { None } else { Some(name(cursor)?) };
        let mut ranges = Vec::new();
        while cursor.eat("[") {
            loop {
                let lower = cursor.until(&[":", ",", "]"]);
                let upper = if cursor.eat(":") { cursor.until(&[",", "]"]) } else { lower };
                span_of(lower).and(span_of(upper))?;
                ranges.push((lower, upper));
                if !cursor.eat(",") {
                    break;
                }
            }
            cursor.eat("]").then_some(())?;
        }
        let span = start.to(cursor.last_span());
        self.domains.push(Domain { region, ranges, span });
        cursor.eat(";").then_some(())
    }

    fn refuse(&mut self, cursor: &mut Cursor<'t>) {
        let span = cursor.span();
        let word = cursor.word(0);
        let known = ["parameter", "iterator", "domain", "datatype", "double", "float", "int"];
        let what = match known.contains(&word) {
            true => format!("this is no '{word}' of a header"),
            false => format!("unknown word '{word}' in a header"),
        };
        let mut error = Diagnostic::error(span, what);
        if let Some(hint) = did_you_mean(word, known).filter(|_| !known.contains(&word)) {
            error = error.help(hint);
        }
        self.diagnostics.push(error.help(
            "a header is made of 'parameter N = 512;', 'iterator j, i;', 'double a[M][N];', \
             'domain [1:M-2][1:N-2];' and 'datatype float;'",
        ));
        while !cursor.is_end() && !cursor.eat(";") {
            cursor.skip();
        }
    }
}

fn name(cursor: &mut Cursor) -> Option<Name> {
    let is_word = cursor.kind(0) == Kind::Word;
    let name = is_word.then(|| Name { text: cursor.word(0).to_owned(), span: cursor.span() })?;
    cursor.skip();
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_header<R>(text: &str, end: usize, check: impl FnOnce(Header) -> R) -> R {
        let all = tokenize(text, 0..text.len());
        let found = tokens(text, &all, end);
        check(read(text, &found, &Aliases::new()))
    }

    #[test]
    fn headers_are_comments_of_either_form() {
        let text = "// stencil: parameter L = 4,\n// stencil: M = L+1; iterator j, i\n// other\n\
                    // stencil: ;\n/* stencil: double a[L][M];\n * domain r [1:L-2, 0]; */";
        with_header(text, text.len(), |header| {
            assert!(header.diagnostics.is_empty(), "{:?}", header.diagnostics);
            assert_eq!((header.parameters.len(), header.iterators.len()), (2, 2));
            assert_eq!(header.variables[0].extents.len(), 2);
            assert_eq!(header.domains[0].ranges.len(), 2);
        });
    }

    #[test]
    fn the_command_line_comes_first() {
        let text = "// stencil: datatype float;";
        let all = with_declarations(text, &["datatype double".to_owned()]);
        with_header(&all, text.len(), |header| assert_eq!(header.datatype, Some(Type::Double)));
    }

    #[test]
    fn unknown_words_have_a_remedy() {
        let text = "// stencil: domian [1:2]; double a[4];";
        with_header(text, text.len(), |header| {
            assert_eq!(header.diagnostics[0].message, "unknown word 'domian' in a header");
            assert_eq!(header.diagnostics[0].notes[0].1, "did you mean 'domain'?");
            assert_eq!(header.variables.len(), 1);
        });
        let text = "// stencil: domain [1:2; parameter;";
        with_header(text, text.len(), |header| assert_eq!(header.diagnostics.len(), 2));
    }
}
