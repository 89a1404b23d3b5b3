//! The preprocessor of C, as far as a file has it: what `#define`, `#undef` and conditions say is
//! followed in the order of the text, and macros are replaced by tokens, as C does it.
//!
//! A token that a macro gives keeps the location of its use. Sizes that `-D` or a header states
//! stay names, as a variable may have the same name; they are over what the file defines. Included
//! files are not read: a name that is defined there alone is unknown, and not defined for `#if`.
//!
//! Between `#pragma begin` and `#pragma end` only macros are replaced. Lines of the preprocessor
//! stay there, and are refused by whoever reads the region.

use super::{
    conditions,
    macros::{Macros, body_tokens},
    tokens::{Cursor, Kind, Token, boundary},
};
use crate::diagnostic::{Diagnostic, Span};
use std::collections::{BTreeMap, BTreeSet};

/// A use of a macro.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// Its name.
    pub name: String,
    /// Where it, or the macro around it, is used.
    pub span: Span,
    /// Whether another file or a command line of the C compiler may define it otherwise: it is
    /// defined under a condition of the preprocessor.
    pub is_conditional: bool,
    /// What it gives there, for one without arguments that is conditional.
    pub text: Option<String>,
}

/// A condition of the preprocessor, from `#if` to `#endif`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// All of it.
    pub span: Span,
    /// The names that decide and that the file does not define, with the values of `-D`.
    pub asked: BTreeMap<String, Option<i64>>,
}

/// A file after the preprocessor.
#[derive(Debug, Default)]
pub struct Preprocessed {
    /// The text, and after it what macros made of tokens that are not in it.
    pub text: String,
    /// The tokens, and of the directives those of `#pragma` and those in regions.
    pub tokens: Vec<Token>,
    /// The tokens of headers.
    pub header: Vec<Token>,
    /// Values of the constants of `enum`, by the positions of their names among the tokens.
    pub enumerators: BTreeMap<usize, Vec<Token>>,
    /// The names of all macros of the file.
    pub names: BTreeSet<String>,
    /// Uses of macros.
    pub uses: Vec<Use>,
    /// Conditions.
    pub conditions: Vec<Condition>,
    /// Included files, with their brackets or quotes.
    pub includes: BTreeSet<String>,
    /// Definitions of `-D` that conditions ask for.
    pub asked: BTreeSet<String>,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
}

/// What is said besides the file.
#[derive(Clone, Copy, Debug)]
pub struct Stated<'s> {
    /// `-D`.
    pub definitions: &'s BTreeMap<String, i64>,
    /// Sizes of headers.
    pub parameters: &'s BTreeSet<String>,
    /// Whether the file is one of C++ or CUDA.
    pub is_cxx: bool,
}

/// Follows the lines of the preprocessor among the tokens of a file, without comments.
pub fn preprocess(text: &str, tokens: &[Token], header: &[Token], stated: Stated) -> Preprocessed {
    let fixed = stated.definitions.keys().chain(stated.parameters).cloned().collect();
    let mut one = Preprocessor {
        stated,
        macros: Macros::new(text, fixed),
        open: Vec::new(),
        is_region: false,
        found: Preprocessed::default(),
    };
    one.predefine();
    let mut rest = tokens;
    while let Some((first, after)) = rest.split_first() {
        if first.kind == Kind::Directive {
            one.line(*first);
            rest = after;
            continue;
        }
        let length = rest.iter().position(|token| token.kind == Kind::Directive);
        let (part, after) = rest.split_at(length.unwrap_or(rest.len()));
        if one.is_active() {
            one.part(part);
        }
        rest = after;
    }
    if let Some(open) = one.open.pop() {
        let error = Diagnostic::error(open.start, "this condition of the preprocessor is open");
        one.found.diagnostics.push(error.help("end it with '#endif'"));
    }
    one.found.header = one.macros.expand(header);
    one.enumerators();
    let Preprocessor { mut macros, mut found, .. } = one;
    found.diagnostics.append(&mut macros.diagnostics);
    found.uses = macros.uses;
    found.text = macros.text;
    found
}

/// An `#if` that is not ended yet.
struct Open {
    start: Span,
    /// Whether what is around it counts.
    is_outer_active: bool,
    is_active: bool,
    /// Whether a part of it counted.
    is_done: bool,
    asked: BTreeMap<String, Option<i64>>,
}

struct Preprocessor<'s> {
    stated: Stated<'s>,
    macros: Macros,
    open: Vec<Open>,
    is_region: bool,
    found: Preprocessed,
}

/// Numbers that `<math.h>` of POSIX defines.
const CONSTANTS: [(&str, &str); 13] = [
    ("M_E", "2.7182818284590452354"),
    ("M_LOG2E", "1.4426950408889634074"),
    ("M_LOG10E", "0.43429448190325182765"),
    ("M_LN2", "0.69314718055994530942"),
    ("M_LN10", "2.30258509299404568402"),
    ("M_PI", "3.14159265358979323846"),
    ("M_PI_2", "1.57079632679489661923"),
    ("M_PI_4", "0.78539816339744830962"),
    ("M_1_PI", "0.31830988618379067154"),
    ("M_2_PI", "0.63661977236758134308"),
    ("M_2_SQRTPI", "1.12837916709551257390"),
    ("M_SQRT2", "1.41421356237309504880"),
    ("M_SQRT1_2", "0.70710678118654752440"),
];

impl Preprocessor<'_> {
    fn predefine(&mut self) {
        let all: &[(&str, &str)] = match self.stated.is_cxx {
            true => &[("__cplusplus", "201703")],
            false => &[("__STDC__", "1"), ("__STDC_VERSION__", "201112")],
        };
        for (name, body) in all {
            self.macros.define_text(name, body);
        }
    }

    fn is_active(&self) -> bool {
        self.open.last().is_none_or(|open| open.is_active)
    }

    /// Tokens between two lines of the preprocessor.
    fn part(&mut self, part: &[Token]) {
        let tokens = self.macros.expand(part);
        self.found.tokens.extend(tokens);
    }

    /// A line of the preprocessor.
    fn line(&mut self, token: Token) {
        let Some((word, rest)) = token.directive(&self.macros.text) else { return };
        let word = word.to_owned();
        let is_active = self.is_active();
        if word == "pragma" && is_active {
            if let Some((edge, _)) = boundary(token, &self.macros.text) {
                self.is_region = edge == "begin";
            }
            return self.found.tokens.push(token);
        }
        if self.is_region {
            return self.found.tokens.push(token);
        }
        let rest = body_tokens(&self.macros.text, rest);
        match word.as_str() {
            "if" | "ifdef" | "ifndef" => {
                let (start, asked) = (token.span, BTreeMap::new());
                let (is_outer_active, is_done) = (is_active, false);
                let is_active = false;
                self.open.push(Open { start, is_outer_active, is_active, is_done, asked });
                self.branch(&word, token, &rest);
            }
            "elif" | "elifdef" | "elifndef" => self.branch(&word[2..], token, &rest),
            "else" => self.branch("else", token, &rest),
            "endif" => self.end(token),
            _ if !is_active => {}
            "define" => self.define(&rest),
            "undef" => {
                if let Some(name) = rest.first() {
                    let name = name.text(&self.macros.text).to_owned();
                    self.macros.undefine(&name);
                }
            }
            "include" | "include_next" | "import" => self.include(&rest),
            "error" => {
                let what = "this line of the preprocessor ends the compilation";
                let help = "give the macros that it asks for, as in -D N=512";
                self.found.diagnostics.push(Diagnostic::error(token.span, what).help(help));
            }
            _ => {}
        }
    }

    /// What follows `#if`, `#elif` or `#else` counts, or does not.
    fn branch(&mut self, word: &str, token: Token, rest: &[Token]) {
        let Some(open) = self.open.last() else {
            let what = "this belongs to no condition of the preprocessor";
            let error = Diagnostic::error(token.span, what);
            return self.found.diagnostics.push(error.help("write '#if' before it"));
        };
        let is_possible = open.is_outer_active && !open.is_done;
        let mut asked = BTreeSet::new();
        let holds = match word {
            _ if !is_possible => false,
            "else" => true,
            "ifdef" | "ifndef" | "def" | "ndef" => {
                let name = rest.first().map_or("", |name| name.text(&self.macros.text)).to_owned();
                let is_defined = self.is_defined(&name);
                asked.insert(name);
                is_defined != word.ends_with("ndef")
            }
            _ => match conditions::value(&mut self.macros, self.stated, rest, &mut asked) {
                Ok(value) => value != 0,
                Err(span) => {
                    let what = "this condition of the preprocessor is not read";
                    let error = Diagnostic::error(span.unwrap_or(token.span), what);
                    let help = "it is made of integers, macros and 'defined'";
                    self.found.diagnostics.push(error.help(help));
                    false
                }
            },
        };
        let outside = asked.into_iter().filter(|name| !self.macros.is_of_file(name));
        let outside = outside.map(|name| {
            let value = self.stated.definitions.get(&name).copied();
            (name, value)
        });
        let outside = outside.collect::<Vec<_>>();
        let given = outside.iter().filter(|(_, value)| value.is_some());
        self.found.asked.extend(given.map(|(name, _)| name.clone()));
        if let Some(open) = self.open.last_mut() {
            open.asked.extend(outside);
            open.is_active = holds;
            open.is_done |= holds;
        }
        self.macros.is_conditional = self.open.iter().any(|open| !open.asked.is_empty());
    }

    fn is_defined(&self, name: &str) -> bool {
        self.stated.definitions.contains_key(name) || self.macros.is_defined(name)
    }

    fn end(&mut self, token: Token) {
        let Some(open) = self.open.pop() else {
            let what = "this belongs to no condition of the preprocessor";
            let error = Diagnostic::error(token.span, what);
            return self.found.diagnostics.push(error.help("write '#if' before it"));
        };
        let condition = Condition { span: open.start.to(token.span), asked: open.asked };
        self.found.conditions.push(condition);
        self.macros.is_conditional = self.open.iter().any(|open| !open.asked.is_empty());
    }

    fn define(&mut self, rest: &[Token]) {
        if let Some(name) = self.macros.define(rest) {
            self.found.names.insert(name);
        }
    }

    /// The values of the constants of `enum`: what is written, or the one before and one more.
    fn enumerators(&mut self) {
        let tokens = std::mem::take(&mut self.found.tokens);
        let word = |macros: &Macros, at: usize| {
            tokens.get(at).map_or(String::new(), |token| token.text(&macros.text).to_owned())
        };
        let mut at = 0;
        while at < tokens.len() {
            let is_enum = word(&self.macros, at) == "enum";
            at += 1;
            while is_enum && tokens.get(at).is_some_and(|token| token.kind == Kind::Word) {
                at += 1;
            }
            if !is_enum || word(&self.macros, at) != "{" {
                continue;
            }
            let mut last = self.macros.made("0");
            let mut count = 0;
            at += 1;
            while tokens.get(at).is_some_and(|token| token.kind == Kind::Word) {
                let name = at;
                at += 1;
                if word(&self.macros, at) == "=" {
                    let mut cursor =
                        Cursor { text: &self.macros.text, tokens: &tokens, at: at + 1 };
                    last = cursor.until(&[",", "}"]).to_vec();
                    at = cursor.at;
                    count = 0;
                }
                let added = self.macros.made(&format!("() + {count}"));
                let (open, rest) = added.split_at(1);
                let value = [open, last.as_slice(), rest].concat();
                let at_name = |token: Token| Token { span: tokens[name].span, ..token };
                self.found.enumerators.insert(name, value.into_iter().map(at_name).collect());
                count += 1;
                at += usize::from(word(&self.macros, at) == ",");
            }
        }
        self.found.tokens = tokens;
    }

    fn include(&mut self, rest: &[Token]) {
        let file = rest.iter().map(|token| token.text(&self.macros.text)).collect::<String>();
        match file.as_str() {
            "<math.h>" | "<cmath>" | "<tgmath.h>" => {
                for (name, body) in CONSTANTS {
                    self.macros.define_text(name, body);
                }
            }
            "<stdbool.h>" if !self.stated.is_cxx => {
                self.macros.define_text("true", "1");
                self.macros.define_text("false", "0");
            }
            _ => {}
        }
        self.found.includes.insert(file);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens::{tokenize, without_comments};
    use super::*;

    fn run(text: &str, definitions: &[(&str, i64)]) -> Preprocessed {
        let tokens = without_comments(tokenize(text, 0..text.len()));
        let definitions = definitions.iter().map(|(name, value)| ((*name).to_owned(), *value));
        let definitions = definitions.collect();
        let parameters = BTreeSet::new();
        let stated = Stated { definitions: &definitions, parameters: &parameters, is_cxx: false };
        preprocess(text, &tokens, &[], stated)
    }

    fn words(text: &str, definitions: &[(&str, i64)]) -> String {
        let found = run(text, definitions);
        assert!(found.diagnostics.is_empty(), "{text}: {:?}", found.diagnostics);
        let words = found.tokens.iter().map(|token| token.text(&found.text));
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn macros_are_tokens() {
        for (text, expected) in [
            ("#define A 1.0+2.0\nb*A", "b * 1.0 + 2.0"),
            ("#define M N-2\n2*M", "2 * N - 2"),
            (
                "#define max(a,b) ((a)>(b)?(a):(b))\nmax(x, y+1)",
                "( ( x ) > ( y + 1 ) ? ( x ) : ( y + 1 ) )",
            ),
            ("#define f(x) x\nf + f((1,2)) f\n(3)", "f + ( 1 , 2 ) 3"),
            ("#define A B\n#define B A\nA B", "A B"),
            ("#define f(x) x f\nf(f)(1)", "f f ( 1 )"),
            ("#define E\nE x E", "x"),
            ("#define n() 1\nn() n( )", "1 1"),
            ("#define cat(a,b) a##b\n#define xy 7\ncat(x,y) cat(,z) cat(u,2)", "7 z u2"),
            ("#define s(a) #a\ns(x y)", "\"\""),
            ("#define v(a,...) f(a, ## __VA_ARGS__)\nv(1) v(1,2,3)", "f ( 1 ) f ( 1 , 2 , 3 )"),
            ("#define v(...) g(__VA_ARGS__)\nv(1,2)", "g ( 1 , 2 )"),
            ("#define N 3\n#undef N\nN", "N"),
            ("#define N 3\nN\n#define N 4\nN", "3 4"),
            ("#define u_new a // text\nu_new[i]", "a [ i ]"),
            ("#define A(x) B(x)\n#define B(x) (x)+A(x)\nA(1)", "( 1 ) + A ( 1 )"),
            ("#include <math.h>\nM_PI", "3.14159265358979323846"),
            ("_Pragma(\"omp simd\") x", "x"),
        ] {
            assert_eq!(words(text, &[]), expected, "{text}");
        }
    }

    #[test]
    fn conditions_choose_text() {
        let text = "#ifdef A\na\n#elif B > 2 && !defined C\nb\n#else\nc\n#endif\n";
        for (definitions, expected) in
            [(&[("A", 0)][..], "a"), (&[("B", 3)], "b"), (&[("B", 3), ("C", 1)], "c"), (&[], "c")]
        {
            assert_eq!(words(text, definitions), expected);
        }
        for (text, expected) in [
            ("#if 0\n#if 1\na\n#else\nb\n#endif\n#elif 1\nc\n#endif", "c"),
            ("#define N 4\n#if N*2 == 8 ? N : 0\na\n#endif", "a"),
            ("#ifndef N\n#define N 33\n#endif\nN", "33"),
            ("#if defined(N) || -1 < 0\na\n#endif", "a"),
            ("#if (7/2 == 3) && 0x10 == 16 && 1 << 3 == 8 && ~0 == -1 && 5%3 == 2\na\n#endif", "a"),
            ("#if 0\n#error no\n#include \"x\n#endif\na", "a"),
            ("#if 0 && 1/0\n#else\na\n#endif", "a"),
        ] {
            assert_eq!(words(text, &[]), expected, "{text}");
        }
        // What -D gives is over what the file defines, and stays a name.
        assert_eq!(words("#ifndef N\n#define N 33\n#endif\n#define N 4\nN", &[("N", 5)]), "N");
    }

    #[test]
    fn what_is_not_read_is_refused() {
        for (text, message) in [
            ("#if 1\na", "this condition of the preprocessor is open"),
            ("#endif", "this belongs to no condition of the preprocessor"),
            ("#else", "this belongs to no condition of the preprocessor"),
            ("#if f(2)\n#endif", "this condition of the preprocessor is not read"),
            ("#if 1/0\n#endif", "this condition of the preprocessor is not read"),
            ("#if 1u\n#endif", "this condition of the preprocessor is not read"),
            (
                "#ifndef N\n#error give N\n#endif",
                "this line of the preprocessor ends the compilation",
            ),
            ("#define a b b\n#define b c c\n#define c d d\nf(", ""),
        ] {
            let found = run(text, &[]);
            let messages = found.diagnostics.iter().map(|one| one.message.as_str());
            assert_eq!(messages.collect::<Vec<_>>().join(""), message, "{text}");
        }
        let doubled = (1..40).map(|at| format!("#define a{at} a{} a{}\n", at - 1, at - 1));
        let text = doubled.collect::<String>() + "a39";
        assert_eq!(run(&text, &[]).diagnostics[0].message, "macros give too many tokens");
        let nested = format!("#define f(x) x\n{}1{}", "f(".repeat(200), ")".repeat(200));
        assert_eq!(run(&nested, &[]).diagnostics[0].message, "macros give too many tokens");
        // Macros of macros under a condition are not expanded more often than others.
        let chain = (1..200).map(|at| format!("#define a{at} a{}\n", at - 1)).collect::<String>();
        let found = run(&format!("#ifndef A\n{chain}#endif\na199"), &[]);
        assert_eq!((found.diagnostics.len(), found.uses.len()), (0, 199));
    }

    #[test]
    fn tokens_of_macros_are_where_they_are_used() {
        let text = "#define f(x) ((x)+N)\n#define N 2\na = f(b);";
        let found = run(text, &[]);
        let place = |at: usize| &text[found.tokens[at].span.start..found.tokens[at].span.end];
        assert_eq!((place(2), place(4), place(7)), ("f(b)", "b", "f(b)"));
        assert_eq!((found.uses[0].name.as_str(), found.uses[1].name.as_str()), ("f", "N"));
        assert!(!found.uses[1].is_conditional);
        let found = run("#ifndef N\n#define N (4 + M)\n#endif\n#define M 2\nN", &[]);
        assert!(found.uses.iter().any(|one| one.text.as_deref() == Some("( 4 + 2 )")));
    }

    #[test]
    fn regions_keep_their_lines() {
        let text = "#define N 2\n#pragma begin r\nN\n#ifdef A\nN\n#pragma end r\n#if 0\nx\n#endif";
        assert_eq!(words(text, &[]), "#pragma begin r 2 #ifdef A 2 #pragma end r");
    }
}
