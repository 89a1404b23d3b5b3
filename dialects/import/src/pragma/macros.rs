//! Macros of C, and their replacement by tokens: with arguments, `#`, `##` and `__VA_ARGS__`.
//!
//! A macro is not replaced in what it gives, as in C. What `##` makes is added to the text.

use super::tokens::{Kind, Token, tokenize};
use crate::diagnostic::{Diagnostic, Span};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    rc::Rc,
};

/// A macro.
#[derive(Clone, Debug)]
struct Definition {
    /// The names of its arguments; none for one without brackets.
    parameters: Option<Vec<String>>,
    /// Whether its last argument is all further ones.
    is_variadic: bool,
    body: Vec<Token>,
    /// Whether it is defined under a condition of the preprocessor that others decide.
    is_conditional: bool,
}

/// The macros at a place of a file.
#[derive(Debug)]
pub struct Macros {
    /// The text of the file, and of what is made of it.
    pub text: String,
    /// Uses of macros without arguments.
    pub uses: Vec<super::preprocess::Use>,
    /// Whether what is defined now is defined under a condition that others decide.
    pub is_conditional: bool,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
    known: BTreeMap<String, Rc<Definition>>,
    /// Names that were defined or undefined by the file.
    of_file: BTreeSet<String>,
    /// Names that stay as they are.
    fixed: BTreeSet<String>,
    /// Tokens that macros gave.
    count: usize,
    /// Whether what is expanded is a note of a use, in which no others are noted.
    is_note: bool,
}

/// Limit on tokens that macros give.
const COUNT_MAX: usize = 1 << 20;
/// Limit on arguments in arguments.
const DEPTH_MAX: usize = 100;

/// A token with the macros that gave it, which do not replace it again.
#[derive(Clone, Debug)]
struct Marked {
    token: Token,
    hidden: Option<Rc<Hidden>>,
}

#[derive(Debug)]
struct Hidden {
    name: String,
    rest: Option<Rc<Hidden>>,
}

fn hides(hidden: Option<&Rc<Hidden>>, name: &str) -> bool {
    let mut next = hidden;
    while let Some(one) = next {
        if one.name == name {
            return true;
        }
        next = one.rest.as_ref();
    }
    false
}

/// The names that two tokens have in common.
fn common(one: Option<&Rc<Hidden>>, two: Option<&Rc<Hidden>>) -> Option<Rc<Hidden>> {
    let mut found = None;
    let mut next = one;
    while let Some(one) = next {
        if hides(two, &one.name) {
            found = Some(Rc::new(Hidden { name: one.name.clone(), rest: found }));
        }
        next = one.rest.as_ref();
    }
    found
}

/// The tokens of a line of the preprocessor, in which `#` is a mark.
pub fn body_tokens(text: &str, range: Range<usize>) -> Vec<Token> {
    let mut found = Vec::new();
    let mut open = vec![range];
    while let Some(range) = open.pop() {
        for token in tokenize(text, range) {
            match token.kind {
                Kind::Comment => {}
                Kind::Directive => {
                    let start = token.span.start;
                    let length = 1 + usize::from(text[start + 1..].starts_with('#'));
                    let span = Span::new(start, start + length);
                    found.push(Token { kind: Kind::Mark, span, source: span });
                    open.push(span.end..token.span.end);
                }
                _ => found.push(token),
            }
        }
    }
    found
}

impl Macros {
    /// None yet; some names are no macros, whatever the file says.
    pub fn new(text: &str, fixed: BTreeSet<String>) -> Self {
        Self {
            text: text.to_owned(),
            uses: Vec::new(),
            is_conditional: false,
            diagnostics: Vec::new(),
            known: BTreeMap::new(),
            of_file: BTreeSet::new(),
            fixed,
            count: 0,
            is_note: false,
        }
    }

    /// Whether a name is a macro here.
    pub fn is_defined(&self, name: &str) -> bool {
        self.known.contains_key(name)
    }

    /// Whether the file says that a name is a macro, or that it is none.
    pub fn is_of_file(&self, name: &str) -> bool {
        self.of_file.contains(name) && !self.fixed.contains(name)
    }

    /// Defines what follows `#define`; its name.
    pub fn define(&mut self, rest: &[Token]) -> Option<String> {
        let (name, body) = rest.split_first().filter(|(name, _)| name.kind == Kind::Word)?;
        let text = name.text(&self.text).to_owned();
        let is_word = |token: &Token, word: &str| token.text(&self.text) == word;
        let has_arguments =
            body.first().is_some_and(|one| is_word(one, "(") && one.span.start == name.span.end);
        let mut definition = Definition {
            parameters: None,
            is_variadic: false,
            body: body.to_vec(),
            is_conditional: self.is_conditional,
        };
        if has_arguments {
            let end = body.iter().position(|one| is_word(one, ")"))?;
            let mut names = Vec::new();
            for (at, one) in body[..end].iter().enumerate().skip(1) {
                match one.text(&self.text) {
                    "," => {}
                    "..." => {
                        definition.is_variadic = true;
                        if !is_word(&body[at - 1], "(") && !is_word(&body[at - 1], ",") {
                            // GNU's `args...` has a name.
                            continue;
                        }
                        names.push("__VA_ARGS__".to_owned());
                    }
                    name => names.push(name.to_owned()),
                }
            }
            definition.parameters = Some(names);
            definition.body = body[end + 1..].to_vec();
        }
        self.of_file.insert(text.clone());
        if !self.fixed.contains(&text) {
            self.known.insert(text.clone(), Rc::new(definition));
        }
        Some(text)
    }

    /// Defines a macro without arguments that the file does not define itself.
    pub fn define_text(&mut self, name: &str, body: &str) {
        if self.fixed.contains(name) || self.known.contains_key(name) {
            return;
        }
        let body = self.made(body);
        let (parameters, is_variadic, is_conditional) = (None, false, false);
        let definition = Definition { parameters, is_variadic, body, is_conditional };
        self.known.insert(name.to_owned(), Rc::new(definition));
    }

    /// Removes a macro.
    pub fn undefine(&mut self, name: &str) {
        self.of_file.insert(name.to_owned());
        self.known.remove(name);
    }

    /// Tokens of a text that is not in the file.
    pub fn made(&mut self, text: &str) -> Vec<Token> {
        self.text.push('\n');
        let start = self.text.len();
        self.text.push_str(text);
        tokenize(&self.text, start..self.text.len())
    }

    /// Replaces macros, each at its location.
    pub fn expand(&mut self, tokens: &[Token]) -> Vec<Token> {
        let marked = tokens.iter().map(|token| Marked { token: *token, hidden: None }).collect();
        let found = self.expand_marked(marked, 0);
        found.into_iter().map(|one| one.token).collect()
    }

    fn expand_marked(&mut self, mut open: Vec<Marked>, depth: usize) -> Vec<Marked> {
        open.reverse();
        let mut found = Vec::new();
        while let Some(one) = open.pop() {
            if depth > DEPTH_MAX && self.count <= COUNT_MAX {
                self.count = COUNT_MAX + 1;
                self.refuse(one.token.span);
            }
            if one.token.kind != Kind::Word || self.count > COUNT_MAX {
                found.push(one);
                continue;
            }
            let name = one.token.text(&self.text).to_owned();
            if name == "_Pragma" && next_is(&open, &self.text, "(") {
                // A pragma is no part of a statement.
                let (length, ..) = self.arguments(&open).unwrap_or((0, Vec::new(), one.clone()));
                open.truncate(open.len() - length);
                continue;
            }
            let is_hidden = hides(one.hidden.as_ref(), &name);
            let definition = self.known.get(&name).filter(|_| !is_hidden).cloned();
            let Some(definition) = definition else {
                found.push(one);
                continue;
            };
            let mut arguments = Vec::new();
            let mut span = one.token.span;
            let mut outer = one.hidden.clone();
            if definition.parameters.is_some() {
                let taken = self.arguments(&open).filter(|_| next_is(&open, &self.text, "("));
                let Some((length, given, last)) = taken else {
                    found.push(one);
                    continue;
                };
                open.truncate(open.len() - length);
                span = span.to(last.token.span);
                outer = common(outer.as_ref(), last.hidden.as_ref());
                arguments = given;
            }
            let hidden = Rc::new(Hidden { name, rest: outer });
            self.used(&definition, &hidden, span, depth);
            let body = self.substituted(&definition, arguments, span, &hidden, depth);
            self.count += body.len();
            if self.count > COUNT_MAX {
                self.refuse(span);
            }
            open.extend(body.into_iter().rev());
        }
        found
    }

    fn refuse(&mut self, span: Span) {
        let error = Diagnostic::error(span, "macros give too many tokens");
        self.diagnostics.push(error.help("write this without macros"));
    }

    /// Notes a use of a macro, and what it gives where others may decide that.
    fn used(&mut self, definition: &Definition, hidden: &Rc<Hidden>, span: Span, depth: usize) {
        if self.is_note {
            return;
        }
        let is_conditional = definition.is_conditional;
        let mut text = None;
        if is_conditional && definition.parameters.is_none() {
            self.is_note = true;
            let body = self.substituted(definition, Vec::new(), span, hidden, depth);
            let all = self.expand_marked(body, depth + 1);
            self.is_note = false;
            let words = all.iter().map(|one| one.token.text(&self.text));
            text = Some(words.collect::<Vec<_>>().join(" "));
        }
        let name = hidden.name.clone();
        self.uses.push(super::preprocess::Use { name, span, is_conditional, text });
    }

    /// Arguments in brackets, of tokens in reverse: how many tokens they are, and the last bracket.
    fn arguments(&self, open: &[Marked]) -> Option<(usize, Vec<Vec<Marked>>, Marked)> {
        let mut given = vec![Vec::new()];
        let mut depth = 0_usize;
        for (at, one) in open.iter().rev().enumerate() {
            let word = if one.token.kind == Kind::Mark { one.token.text(&self.text) } else { "" };
            match word {
                "(" => depth += 1,
                ")" if depth == 1 => return Some((at + 1, given, one.clone())),
                ")" => depth = depth.saturating_sub(1),
                "," if depth == 1 => {
                    given.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            if at > 0 {
                given.last_mut().expect("there is one from the start").push(one.clone());
            }
        }
        None
    }

    /// The body of a macro with its arguments.
    fn substituted(
        &mut self,
        definition: &Definition,
        given: Vec<Vec<Marked>>,
        span: Span,
        hidden: &Rc<Hidden>,
        depth: usize,
    ) -> Vec<Marked> {
        let names = definition.parameters.clone().unwrap_or_default();
        let variadic = names.len().checked_sub(1).filter(|_| definition.is_variadic);
        let given = self.matched(given, names.len(), variadic, span);
        let body = &definition.body;
        let word = |macros: &Self, at: usize| {
            body.get(at).map_or(String::new(), |one| one.text(&macros.text).to_owned())
        };
        let mut found = Vec::<Marked>::new();
        // Whether what is before `##` is an argument without tokens.
        let mut is_empty = false;
        let mut at = 0;
        while at < body.len() {
            let here = word(self, at);
            let is_pasted = at > 0 && word(self, at - 1) == "##";
            let position = |name: &str| names.iter().position(|one| one == name);
            if here == "##" {
                at += 1;
                continue;
            }
            let part = if here == "#" && definition.parameters.is_some() {
                at += 1;
                let token = Token { span, ..self.made("\"\"")[0] };
                vec![Marked { token, hidden: None }]
            } else if let Some(position) = position(&here) {
                let given = given[position].clone();
                let is_as_given = is_pasted || word(self, at + 1) == "##";
                let part = if is_as_given { given } else { self.expand_marked(given, depth + 1) };
                // What an argument gives is no use of this macro, either.
                let name = hidden.name.clone();
                let within = |one: Marked| {
                    let hidden = Hidden { name: name.clone(), rest: one.hidden };
                    Marked { token: one.token, hidden: Some(Rc::new(hidden)) }
                };
                part.into_iter().map(within).collect()
            } else {
                vec![Marked { token: Token { span, ..body[at] }, hidden: Some(hidden.clone()) }]
            };
            let follows_comma = is_pasted && at >= 2 && word(self, at - 2) == ",";
            if follows_comma && position(&here) == variadic && variadic.is_some() {
                // `, ## __VA_ARGS__` removes the comma where there is nothing after it.
                if part.is_empty() {
                    found.pop();
                }
            } else if is_pasted && !part.is_empty() && !is_empty {
                self.paste(&mut found, &part[0], span, hidden);
                found.extend(part.into_iter().skip(1));
                is_empty = false;
                at += 1;
                continue;
            }
            is_empty = part.is_empty() && (is_empty || !is_pasted);
            found.extend(part);
            at += 1;
        }
        found
    }

    /// One argument for each name: the last of a variadic macro has all further ones.
    fn matched(
        &mut self,
        mut given: Vec<Vec<Marked>>,
        count: usize,
        variadic: Option<usize>,
        span: Span,
    ) -> Vec<Vec<Marked>> {
        if let Some(first) = variadic.filter(|first| given.len() > *first + 1) {
            let mut rest = given.split_off(first).into_iter();
            let mut all = rest.next().unwrap_or_default();
            let comma = self.made(",")[0];
            for more in rest {
                all.push(Marked { token: Token { span, ..comma }, hidden: None });
                all.extend(more);
            }
            given.push(all);
        }
        given.resize(count, Vec::new());
        given
    }

    /// Joins the last token of one part with the first of another.
    fn paste(&mut self, left: &mut Vec<Marked>, after: &Marked, span: Span, hidden: &Rc<Hidden>) {
        let Some(before) = left.pop() else { return left.push(after.clone()) };
        let (before, after) = (before.token.text(&self.text), after.token.text(&self.text));
        let joined = self.made(&format!("{before}{after}"));
        for token in joined {
            left.push(Marked { token: Token { span, ..token }, hidden: Some(hidden.clone()) });
        }
    }
}

/// Whether a mark is the next of tokens in reverse.
fn next_is(open: &[Marked], text: &str, word: &str) -> bool {
    open.last().is_some_and(|one| one.token.kind == Kind::Mark && one.token.text(text) == word)
}
