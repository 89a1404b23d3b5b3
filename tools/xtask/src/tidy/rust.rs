//! What the rules want to know of a Rust file, from its tokens: strings and comments cannot
//! mislead, and the inside of macros is seen too.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// The facts of one file.
#[derive(Debug, Default)]
pub struct RustFile {
    /// Every function with a body.
    pub functions: Vec<Function>,
    /// Lines with the keyword `unsafe` or an `extern "..."`.
    pub unsafe_lines: Vec<usize>,
    /// Every number outside of tests.
    pub numbers: Vec<Number>,
    /// Identifiers outside of tests.
    pub names: Vec<(usize, String)>,
}

/// A function with a body.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    pub line: usize,
    /// Lines from `fn` to the closing brace.
    pub lines: usize,
}

/// A number as it is written, without underscores and type.
#[derive(Debug, PartialEq, Eq)]
pub struct Number {
    pub line: usize,
    pub text: String,
    /// The number it is multiplied with, as in `48 * 1024`.
    pub times: Option<String>,
    /// The name it is the value of, as in `const WARP_SIZE: u32 = 32`.
    pub named: Option<String>,
}

impl RustFile {
    /// Reads a file; the error says why it is no Rust.
    pub fn parse(path: &str, text: &str) -> Result<Self, String> {
        let tokens: TokenStream = text.parse().map_err(|why| format!("cannot be read: {why}"))?;
        let mut file = Self::default();
        file.walk(tokens, is_test_file(path));
        Ok(file)
    }

    fn walk(&mut self, tokens: TokenStream, in_test: bool) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        // Whether the item that begins here, or is under way, is under `#[cfg(test)]`.
        let mut item_in_test = in_test;
        for (index, token) in tokens.iter().enumerate() {
            let rest = &tokens[index + 1..];
            match token {
                TokenTree::Group(group) => {
                    let attribute = is_attribute(&tokens[..index], group);
                    item_in_test |= attribute && is_test_attribute(group);
                    // Attributes hold the text of doc comments, no code.
                    if !attribute {
                        self.walk(group.stream(), item_in_test);
                    }
                    if group.delimiter() == Delimiter::Brace {
                        item_in_test = in_test;
                    }
                }
                TokenTree::Punct(punct) if punct.as_char() == ';' => item_in_test = in_test,
                TokenTree::Punct(_) => {}
                TokenTree::Ident(name) => {
                    self.keyword(&name.to_string(), token, rest);
                    if !item_in_test {
                        self.names.push((line(token), name.to_string()));
                    }
                }
                TokenTree::Literal(literal) if !item_in_test => {
                    if let Some(text) = number(&literal.to_string()) {
                        let times = factor(rest);
                        let named = name_before(&tokens[..index]);
                        self.numbers.push(Number { line: line(token), text, times, named });
                    }
                }
                TokenTree::Literal(_) => {}
            }
        }
    }

    fn keyword(&mut self, name: &str, token: &TokenTree, rest: &[TokenTree]) {
        match (name, rest.first()) {
            ("fn", Some(TokenTree::Ident(function))) => {
                if let Some(body) = body(rest) {
                    let first = line(token);
                    let last = body.span_close().end().line;
                    let name = function.to_string();
                    self.functions.push(Function { name, line: first, lines: last + 1 - first });
                }
            }
            ("unsafe", _) | ("extern", Some(TokenTree::Literal(_))) => {
                self.unsafe_lines.push(line(token));
            }
            _ => {}
        }
    }
}

/// Tests and examples show a crate from outside, and may state what they need.
fn is_test_file(path: &str) -> bool {
    let mut parts = path.split('/');
    path.ends_with("_tests.rs")
        || parts.any(|part| matches!(part, "tests" | "tests.rs" | "examples"))
}

fn line(token: &TokenTree) -> usize {
    token.span().start().line
}

/// The body of the function whose signature comes first; none where it ends with a semicolon.
fn body(signature: &[TokenTree]) -> Option<&Group> {
    for token in signature {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => return Some(group),
            TokenTree::Punct(punct) if punct.as_char() == ';' => return None,
            _ => {}
        }
    }
    None
}

fn is_punct(token: &TokenTree, wanted: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == wanted)
}

/// `#[...]` or `#![...]`.
fn is_attribute(before: &[TokenTree], group: &Group) -> bool {
    group.delimiter() == Delimiter::Bracket
        && match before {
            [.., hash, bang] if is_punct(bang, '!') => is_punct(hash, '#'),
            [.., hash] => is_punct(hash, '#'),
            [] => false,
        }
}

fn is_test_attribute(group: &Group) -> bool {
    let text: String = group.stream().to_string().split_whitespace().collect();
    text == "test" || text == "cfg(test)" || text.starts_with("cfg(all(test,")
}

/// A numeric literal without underscores and type; nothing for strings and characters.
fn number(literal: &str) -> Option<String> {
    if !literal.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let plain = literal.replace('_', "").to_lowercase();
    let end = if plain.starts_with("0x") {
        plain.find(['u', 'i'])
    } else {
        plain.find(|letter: char| !letter.is_ascii_digit() && letter != '.')
    };
    // A prefix of another base than 16 is no suffix of 0.
    let based = plain.starts_with("0b") || plain.starts_with("0o");
    Some(match end {
        Some(end) if !based => plain[..end].to_owned(),
        _ => plain,
    })
}

fn factor(rest: &[TokenTree]) -> Option<String> {
    match rest {
        [TokenTree::Punct(times), TokenTree::Literal(factor), ..] if times.as_char() == '*' => {
            number(&factor.to_string())
        }
        _ => None,
    }
}

/// The name in `NAME = `, `NAME: type = ` or `name: ` at the end of some tokens.
fn name_before(before: &[TokenTree]) -> Option<String> {
    match before {
        [.., TokenTree::Ident(name), colon, TokenTree::Ident(_), is]
            if is_punct(colon, ':') && is_punct(is, '=') =>
        {
            Some(name.to_string())
        }
        [.., TokenTree::Ident(name), is] if is_punct(is, '=') || is_punct(is, ':') => {
            Some(name.to_string())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Vec<String> {
        let file = RustFile::parse("src/a.rs", text).unwrap();
        file.numbers.into_iter().map(|number| number.text).collect()
    }

    #[test]
    fn functions_are_measured_from_fn_to_brace() {
        let text =
            "/// fn doc() {\npub fn one() -> u32 {\n    1\n}\ntrait T {\n    fn none();\n}\n";
        let file = RustFile::parse("src/a.rs", text).unwrap();
        assert_eq!(file.functions, [Function { name: "one".into(), line: 2, lines: 3 }]);
    }

    #[test]
    fn numbers_come_without_underscores_types_and_strings() {
        assert_eq!(numbers("const A: u32 = 49_152u32;"), ["49152"]);
        assert_eq!(numbers("const A: u32 = 0xFFFF_FFFFu32;"), ["0xffffffff"]);
        assert_eq!(numbers("const A: u8 = 0b1010;"), ["0b1010"]);
        assert_eq!(numbers("const A: &str = \"49152\"; // 49152"), Vec::<String>::new());
    }

    #[test]
    fn numbers_in_tests_are_not_counted() {
        let text = "fn a() { 1; }\n#[cfg(test)]\nmod tests {\n fn b() { 2; }\n}\nfn c() { 3; }\n\
                    #[test]\nfn d() { 4; }\n";
        assert_eq!(numbers(text), ["1", "3"]);
        assert!(RustFile::parse("a/tests/b.rs", "const A: u8 = 1;").unwrap().numbers.is_empty());
    }

    #[test]
    fn numbers_know_their_factor_and_name() {
        let file = RustFile::parse("a.rs", "const WARP: u32 = 32; let x = 48 * 1024;").unwrap();
        assert_eq!(file.numbers[0].named.as_deref(), Some("WARP"));
        assert_eq!(file.numbers[1].times.as_deref(), Some("1024"));
    }

    #[test]
    fn unsafe_is_seen_in_code_and_not_in_words() {
        let text = "// unsafe\nfn a() { let unsafe_code = \"unsafe\"; }\nunsafe fn b() {}\n\
                    extern \"C\" fn c() {}\n";
        assert_eq!(RustFile::parse("a.rs", text).unwrap().unsafe_lines, [3, 4]);
    }

    #[test]
    fn what_is_no_rust_says_so() {
        assert!(RustFile::parse("a.rs", "fn a( {").unwrap_err().contains("cannot be read"));
    }
}
