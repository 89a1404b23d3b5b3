//! What surrounds the regions of a file: functions, blocks, loops and conditions.
//!
//! A walk over the statements of C. Only what regions are read by is kept; everything else is
//! passed by its brackets and semicolons. A parser of all of C, with its headers and CUDA's
//! extensions, would refuse files that this reads: regions are cut out of programs that include
//! what is not there.

use super::{
    declarations::{self, Aliases, Variable},
    tokens::{Cursor, Kind, Token, boundary, first_word, span_of},
};
use crate::{
    diagnostic::{Diagnostic, Span},
    stencilgen::ast::Name,
};
use std::collections::{BTreeMap, BTreeSet};

/// Position of a frame in [`Surroundings::frames`].
pub type FrameId = usize;

/// What a frame is.
#[derive(Clone, Debug)]
pub enum FrameKind<'t> {
    /// All of the file.
    File,
    /// A function.
    Function {
        /// Its name.
        name: Name,
        /// Whether it is a kernel of CUDA.
        is_kernel: bool,
    },
    /// `{ ... }`
    Block,
    /// `for (start; condition; step)`
    For(Loop<'t>),
    /// A body that is executed under a condition.
    Guard(&'t [Token]),
    /// A body that is executed so often as cannot be read: `while`, `else`.
    Other(&'static str),
}

/// The head of a `for`.
#[derive(Clone, Copy, Debug)]
pub struct Loop<'t> {
    /// What is before the first semicolon.
    pub start: &'t [Token],
    /// What is before the second.
    pub condition: &'t [Token],
    /// What is after it.
    pub step: &'t [Token],
}

/// Something that encloses others.
#[derive(Clone, Debug)]
pub struct Frame<'t> {
    /// The one around it.
    pub parent: Option<FrameId>,
    /// What it is.
    pub kind: FrameKind<'t>,
    /// All of its text.
    pub span: Span,
    /// Variables that are declared in it.
    pub variables: Vec<Variable<'t>>,
    /// Conditions under which what follows is skipped: that of `if (i > n) return;` in a kernel, of
    /// `continue` in a loop.
    pub returns: Vec<&'t [Token]>,
    /// The first `break`, `return` and its like that is not among these.
    pub jump: Option<Span>,
    /// The first statement in it that is no declaration, no loop and no region.
    pub statement: Option<Span>,
    /// Regions that it encloses.
    pub regions: usize,
}

/// A region, from `#pragma begin` to `#pragma end`.
#[derive(Clone, Debug)]
pub struct Region<'t> {
    /// The line that begins it.
    pub begin: Token,
    /// Its tokens.
    pub body: &'t [Token],
    /// From the first to the last line.
    pub span: Span,
    /// What encloses it.
    pub frame: FrameId,
    /// Names of types at it.
    pub aliases: Aliases,
    /// Whether it is the body of a loop or a condition, without braces.
    pub is_bare: bool,
}

/// Everything around regions.
#[derive(Clone, Debug, Default)]
pub struct Surroundings<'t> {
    /// All frames; the first is the file.
    pub frames: Vec<Frame<'t>>,
    /// The regions.
    pub regions: Vec<Region<'t>>,
    /// Names of types outside of functions.
    pub aliases: Aliases,
    /// Functions that the file defines.
    pub functions: BTreeSet<String>,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
}

/// Limit on nested statements.
const DEPTH_MAX: usize = 200;

/// Walks over a file.
pub fn walk<'t>(
    text: &'t str,
    tokens: &'t [Token],
    enumerators: &'t BTreeMap<usize, Vec<Token>>,
) -> Surroundings<'t> {
    let mut walker = Walker {
        cursor: Cursor::new(text, tokens),
        aliases: Aliases::new(),
        enumerators,
        found: Surroundings::default(),
        current: 0,
        depth: 0,
    };
    walker.found.frames.push(Frame {
        parent: None,
        kind: FrameKind::File,
        span: Span::new(0, text.len()),
        variables: Vec::new(),
        returns: Vec::new(),
        jump: None,
        statement: None,
        regions: 0,
    });
    while !walker.cursor.is_end() {
        walker.outer();
    }
    walker.found.aliases = walker.aliases;
    walker.found
}

struct Walker<'t> {
    cursor: Cursor<'t>,
    /// Names of types here.
    aliases: Aliases,
    /// Values of the constants of `enum`, by the positions of their names.
    enumerators: &'t BTreeMap<usize, Vec<Token>>,
    found: Surroundings<'t>,
    current: FrameId,
    depth: usize,
}

impl<'t> Walker<'t> {
    fn frame(&mut self) -> &mut Frame<'t> {
        &mut self.found.frames[self.current]
    }

    fn error(&mut self, span: Span, what: impl Into<String>, help: &str) {
        self.found.diagnostics.push(Diagnostic::error(span, what).help(help));
    }

    /// Runs a walk inside of a new frame.
    fn within(&mut self, kind: FrameKind<'t>, start: Span, walk: impl FnOnce(&mut Self)) {
        if self.depth >= DEPTH_MAX {
            if self.found.diagnostics.is_empty() {
                let what = format!("statements are nested more than {DEPTH_MAX} deep");
                self.error(start, what, "move the region into a function of its own");
            }
            self.cursor.at = self.cursor.tokens.len();
            return;
        }
        let parent = Some(self.current);
        let (variables, returns) = Default::default();
        let (jump, statement) = (None, None);
        let frame =
            Frame { parent, kind, span: start, variables, returns, jump, statement, regions: 0 };
        self.found.frames.push(frame);
        let outer = std::mem::replace(&mut self.current, self.found.frames.len() - 1);
        self.depth += 1;
        let aliases = self.aliases.clone();
        walk(self);
        self.aliases = aliases;
        self.depth -= 1;
        let end = self.cursor.last_span();
        self.frame().span = start.to(end);
        self.current = outer;
    }

    /// A declaration or a function of the file.
    fn outer(&mut self) {
        if self.directive() {
            return;
        }
        let start = self.cursor.at;
        if self.type_definition() {
            return;
        }
        if let Some(mut variables) = declarations::any_declaration(&mut self.cursor, &self.aliases)
        {
            self.constants(start);
            let mut words = self.cursor.tokens[start..self.cursor.at].iter();
            let text = self.cursor.text;
            let is_kept = |one: &Token| matches!(one.text(text), "const" | "static" | "constexpr");
            let is_shared = !words.any(is_kept);
            variables.iter_mut().for_each(|variable| variable.is_shared = is_shared);
            self.frame().variables.extend(variables);
            return;
        }
        let mut brackets = None;
        while !self.cursor.is_end() && self.cursor.kind(0) != Kind::Directive {
            match self.cursor.word(0) {
                ";" | "}" => return self.cursor.skip(),
                "{" if brackets.is_some() => return self.function(start, brackets),
                // A namespace, or `extern "C"`: what is in it is outer, too.
                "{" if self.is_group(start) => return self.cursor.skip(),
                "(" => {
                    brackets = Some(self.cursor.at);
                    self.cursor.skip_group();
                }
                "=" => {
                    brackets = None;
                    self.cursor.skip();
                }
                _ => self.cursor.skip_group(),
            }
        }
    }

    /// A `typedef`.
    fn type_definition(&mut self) -> bool {
        let start = self.cursor.at;
        let found = declarations::type_definition(&mut self.cursor, &self.aliases);
        self.constants(start);
        let is_one = found.is_some();
        self.aliases.extend(found.into_iter().flatten());
        is_one
    }

    /// The constants of `enum` in what was passed.
    fn constants(&mut self, start: usize) {
        let Cursor { text, tokens, at } = self.cursor;
        if start >= at {
            return;
        }
        for (at, value) in self.enumerators.range(start..at) {
            let name = Name { text: tokens[*at].text(text).to_owned(), span: tokens[*at].span };
            self.frame().variables.push(Variable::constant(name, value));
        }
    }

    fn is_group(&self, start: usize) -> bool {
        let first = self.cursor.tokens[start].text(self.cursor.text);
        matches!(first, "extern" | "namespace" | "inline" | "{")
    }

    fn function(&mut self, start: usize, brackets: Option<usize>) {
        let Cursor { text, tokens, at } = self.cursor;
        let Some(open) = brackets else { return self.cursor.skip_group() };
        let Some(name) = open.checked_sub(1).map(|before| tokens[before]) else {
            return self.cursor.skip_group();
        };
        let head = &tokens[start..at];
        let is_kernel = head.iter().any(|token| token.text(text) == "__global__");
        let mut end = Cursor { at: open, ..self.cursor };
        end.skip_group();
        let inside = &tokens[open + 1..end.at.saturating_sub(1).max(open + 1)];
        let parameters = declarations::parameters(Cursor::new(text, inside), &self.aliases);
        let name = Name { text: name.text(text).to_owned(), span: name.span };
        self.found.functions.insert(name.text.clone());
        let kind = FrameKind::Function { name, is_kernel };
        self.within(kind, tokens[start].span, |walker| {
            walker.frame().variables = parameters;
            walker.block();
        });
    }

    /// `{ ... }` in the current frame.
    fn block(&mut self) {
        self.cursor.skip();
        while !self.cursor.is_end() && !self.cursor.eat("}") {
            self.statement();
        }
    }

    fn statement(&mut self) {
        if self.directive() {
            return;
        }
        let start = self.cursor.span();
        match self.cursor.word(0) {
            "{" => self.within(FrameKind::Block, start, Self::block),
            "for" => self.for_loop(start),
            "if" => self.guard(start),
            "while" | "switch" => {
                self.cursor.skip();
                self.cursor.skip_group();
                self.within(FrameKind::Other("a while loop"), start, Self::body);
            }
            "do" | "else" => {
                self.cursor.skip();
                self.within(FrameKind::Other("an else"), start, Self::body);
            }
            ";" => self.cursor.skip(),
            "case" => {
                self.cursor.until(&[":"]);
                self.cursor.skip();
            }
            // A label.
            _ if self.cursor.kind(0) == Kind::Word && self.cursor.word(1) == ":" => {
                self.cursor.at += 2;
            }
            _ => self.simple(start),
        }
    }

    /// The statement that a loop or a condition is about. Pragmas before it are no statements.
    fn body(&mut self) {
        let Cursor { text, tokens, .. } = self.cursor;
        let is_pragma = |token: &Token| token.directive(text).is_some();
        while let Some(token) = tokens.get(self.cursor.at).filter(|token| is_pragma(token)) {
            if boundary(*token, text).is_some() {
                break;
            }
            self.cursor.skip();
        }
        let regions = self.found.regions.len();
        let is_region = self.cursor.kind(0) == Kind::Directive;
        self.statement();
        if let Some(region) = self.found.regions.get_mut(regions).filter(|_| is_region) {
            region.is_bare = true;
        }
    }

    fn simple(&mut self, start: Span) {
        let place = self.cursor.at;
        if self.type_definition() {
            return;
        }
        if let Some(variables) = declarations::any_declaration(&mut self.cursor, &self.aliases) {
            self.constants(place);
            self.frame().variables.extend(variables);
            return;
        }
        self.frame().statement.get_or_insert(start);
        if matches!(self.cursor.word(0), "break" | "continue" | "return" | "goto") {
            self.frame().jump.get_or_insert(start);
        }
        let before = self.cursor.at;
        while !self.cursor.is_end() && !self.cursor.is("}") {
            if boundary(self.cursor.tokens[self.cursor.at], self.cursor.text).is_some() {
                return;
            }
            let is_end = self.cursor.is(";");
            self.cursor.skip_group();
            if is_end {
                return;
            }
        }
        if self.cursor.at == before {
            self.cursor.skip();
        }
    }

    fn for_loop(&mut self, start: Span) {
        self.cursor.skip();
        if !self.cursor.eat("(") {
            return self.within(FrameKind::Other("a loop"), start, Self::body);
        }
        let declared = self.cursor.at;
        let head = Loop { start: self.part(";"), condition: self.part(";"), step: self.part(")") };
        let mut cursor = Cursor { at: declared, ..self.cursor };
        let variables =
            declarations::any_declaration(&mut cursor, &self.aliases).unwrap_or_default();
        self.within(FrameKind::For(head), start, |walker| {
            walker.frame().variables = variables;
            walker.body();
        });
    }

    fn part(&mut self, end: &str) -> &'t [Token] {
        let part = self.cursor.until(&[end]);
        self.cursor.eat(end);
        part
    }

    fn guard(&mut self, start: Span) {
        self.cursor.skip();
        if !self.cursor.eat("(") {
            return self.within(FrameKind::Other("a condition"), start, Self::body);
        }
        let condition = self.part(")");
        // What is skipped is the rest of the kernel, or the rest of this point of a loop.
        let word = if self.found.is_in_loop(self.current) { "continue" } else { "return" };
        let is_return =
            |cursor: &Cursor, at: usize| cursor.word(at) == word && cursor.word(at + 1) == ";";
        let braced = self.cursor.is("{") && is_return(&self.cursor, 1);
        if is_return(&self.cursor, 0) || (braced && self.cursor.word(3) == "}") {
            self.cursor.at += if braced { 4 } else { 2 };
            return self.frame().returns.push(condition);
        }
        self.within(FrameKind::Guard(condition), start, Self::body);
        if self.cursor.is("else") {
            self.statement();
        }
    }

    /// A line of the preprocessor, or a region.
    fn directive(&mut self) -> bool {
        if self.cursor.kind(0) != Kind::Directive || self.cursor.is_end() {
            return false;
        }
        let token = self.cursor.tokens[self.cursor.at];
        self.cursor.skip();
        match boundary(token, self.cursor.text).map(|(word, _)| word) {
            Some("begin") => self.region(token),
            Some(_) => {
                let what = "this ends a region that does not begin";
                self.error(token.span, what, "write '#pragma begin NAME' before it");
            }
            None => {}
        }
        true
    }

    fn region(&mut self, begin: Token) {
        let Cursor { text, tokens, at: start } = self.cursor;
        let is_boundary = |token: &Token| boundary(*token, text).map(|(word, _)| word);
        let found = tokens[start..].iter().position(|token| is_boundary(token).is_some());
        let end = found.map(|at| start + at);
        let last = match end.map(|end| (end, is_boundary(&tokens[end]))) {
            Some((end, Some("end"))) => end,
            other => {
                let what = "this region does not end";
                self.error(begin.span, what, "write '#pragma end NAME' after its statements");
                self.cursor.at = other.map_or(tokens.len(), |(at, _)| at);
                return;
            }
        };
        let name = |token: Token| boundary(token, text).map(|(_, rest)| first_word(&text[rest]));
        if name(begin) != name(tokens[last]) && name(tokens[last]) != Some("") {
            let what = "this ends a region of another name";
            let error = Diagnostic::error(tokens[last].span, what);
            self.found.diagnostics.push(error.note(begin.span, "the region begins here"));
        }
        let body = &tokens[start..last];
        let span = begin.span.to(tokens[last].span);
        let (frame, aliases, is_bare) = (self.current, self.aliases.clone(), false);
        self.found.regions.push(Region { begin, body, span, frame, aliases, is_bare });
        let mut frame = Some(self.current);
        while let Some(id) = frame {
            self.found.frames[id].regions += 1;
            frame = self.found.frames[id].parent;
        }
        self.cursor.at = last + 1;
    }
}

impl<'t> Surroundings<'t> {
    /// A frame and those around it, innermost first.
    pub fn around(&self, frame: FrameId) -> impl Iterator<Item = (FrameId, &Frame<'t>)> {
        std::iter::successors(Some(frame), |id| self.frames[*id].parent)
            .map(|id| (id, &self.frames[id]))
    }

    /// The variable that a name means at a region.
    pub fn variable(&self, region: &Region, name: &str) -> Option<(FrameId, &Variable<'t>)> {
        self.around(region.frame).find_map(|(id, frame)| {
            let is_seen =
                |one: &&Variable| one.name.text == name && one.name.span.start < region.span.start;
            frame.variables.iter().rev().find(is_seen).map(|variable| (id, variable))
        })
    }

    /// Whether a frame is in a loop.
    fn is_in_loop(&self, frame: FrameId) -> bool {
        self.around(frame).any(|(_, frame)| matches!(frame.kind, FrameKind::For(_)))
    }

    /// Whether a region is in a kernel of CUDA.
    pub fn is_kernel(&self, frame: FrameId) -> bool {
        let is = |frame: &Frame| matches!(frame.kind, FrameKind::Function { is_kernel: true, .. });
        self.around(frame).any(|(_, frame)| is(frame))
    }
}

impl Loop<'_> {
    /// The location of its head.
    pub fn span(&self) -> Option<Span> {
        Some(span_of(self.start)?.to(span_of(self.step).or(span_of(self.condition))?))
    }
}
