//! What of a file is replaced where its regions are computed by the generated launcher: the loop
//! nest around a region, or the launches of its kernel.
//!
//! Refused: a nest or a kernel that does something else, too, and one whose variables are used
//! after it.

use super::{
    declarations::Variable,
    guards, points,
    program::Understood,
    scope::{FileScope, Scope},
    surroundings::{Frame, FrameId, FrameKind, Region},
    tokens::{Cursor, Kind, Token, span_of},
};
use crate::diagnostic::{Diagnostic, Span};

/// A text that becomes a call of a region's function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embedding {
    /// The region.
    pub region: String,
    /// The text.
    pub span: Span,
    /// Names of the function's arguments, and the expressions of C that give them.
    pub arguments: Vec<(String, String)>,
    /// The stream, where the arrays are on the device already.
    pub stream: Option<String>,
    /// Conditions of C that hold if the function is right.
    pub tests: Vec<String>,
    /// A line of the preprocessor before the call.
    pub pragma: Option<String>,
}

/// What becomes of a region; none after errors.
pub fn embed(
    file: &FileScope,
    region: &Region,
    understood: &Understood,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Vec<Embedding>> {
    let tokens = file.preprocessed.tokens.as_slice();
    let embedder = Embedder { scope: Scope { file, region }, tokens, understood };
    let found = match file.surroundings.is_kernel(region.frame) {
        true => embedder.launches(),
        false => embedder.nest().map(|one| vec![one]),
    };
    found.map_err(|error| diagnostics.push(*error)).ok()
}

/// Replaces the text around one region.
pub(super) struct Embedder<'e, 's, 't> {
    /// What the region sees.
    pub(super) scope: Scope<'s, 't>,
    /// The tokens of the file.
    pub(super) tokens: &'e [Token],
    /// The region.
    pub(super) understood: &'e Understood,
}

/// Why a text is not replaced.
pub(super) type Refusal = Box<Diagnostic>;

/// An error with its remedy.
pub(super) fn refuse<T>(span: Span, what: impl Into<String>, help: &str) -> Result<T, Refusal> {
    Err(Box::new(Diagnostic::error(span, what).help(help)))
}

impl<'t> Embedder<'_, '_, 't> {
    pub(super) fn text(&self) -> &'t str {
        self.scope.file.text
    }

    fn frame(&self, id: FrameId) -> &Frame<'t> {
        &self.scope.file.surroundings.frames[id]
    }

    /// The loops around a region do nothing but compute it.
    fn nest(&self) -> Result<Embedding, Refusal> {
        let region = self.scope.region;
        let Some(nest) = points::outermost(&self.scope, &self.understood.iterators) else {
            let what = "this region has no loops that a call could replace";
            return refuse(region.span, what, "write the loops over its points around it");
        };
        self.check_alone(nest, "loops")?;
        let span = self.frame(nest).span;
        self.check_edges(span)?;
        for local in &self.understood.program.stencils[0].locals {
            let name = &local.declaration.name;
            let region = self.scope.region.span;
            let is_of_region = (region.start..region.end).contains(&name.span.start);
            if !(is_of_region && self.understood.declared.contains(&name.text)) {
                self.check_dead(&name.text, span)?;
            }
        }
        for name in &self.understood.iterators {
            self.check_dead(&name.text, span)?;
        }
        let mut arguments = Vec::new();
        for declaration in &self.understood.program.declarations {
            let name = &declaration.name;
            let variable = self.declared(&name.text, name.span)?;
            let at = variable.name.span;
            if (span.start..span.end).contains(&at.start) {
                let what = format!("'{}' is declared inside of the loops", name.text);
                return refuse(at, what, "declare it before them, so that a call can name it");
            }
            arguments.push((name.text.clone(), name.text.clone()));
        }
        let mut tests = self.sizes(span, &|name| Some(name.to_owned()))?;
        tests.extend(self.macros(span)?);
        tests.extend(self.rows(span));
        let (start, pragma) = self.pragmas(span)?;
        let region = self.understood.name.clone();
        Ok(Embedding { region, span: start.to(span), arguments, stream: None, tests, pragma })
    }

    /// The variable of C, not of a header.
    fn declared(&self, name: &str, span: Span) -> Result<&Variable<'t>, Refusal> {
        let found = self.scope.file.surroundings.variable(self.scope.region, name);
        match found {
            Some((_, variable)) => Ok(variable),
            None => {
                let what = format!("'{name}' is not declared in C, and cannot be given to a call");
                refuse(span, what, "declare it in the function of the region")
            }
        }
    }

    /// Nothing but one region is inside of a frame.
    fn check_alone(&self, outer: FrameId, what: &str) -> Result<(), Refusal> {
        let frame = self.frame(outer);
        if frame.regions > 1 {
            let message = format!("there are several regions in these {what}");
            return refuse(frame.span, message, "give each of them its own");
        }
        let is_inside =
            |one: &&Frame| frame.span.start <= one.span.start && one.span.end <= frame.span.end;
        let mut inside = self.scope.file.surroundings.frames[outer..].iter().filter(is_inside);
        match inside.find_map(|one| one.statement) {
            Some(span) => {
                let message = format!("these {what} do more than the region");
                refuse(span, message, "move this statement out of them, or into the region")
            }
            None => Ok(()),
        }
    }

    /// A variable of the loops is not used after them.
    fn check_dead(&self, name: &str, nest: Span) -> Result<(), Refusal> {
        let Some((id, variable)) = self.scope.file.surroundings.variable(self.scope.region, name)
        else {
            return Ok(());
        };
        if (nest.start..nest.end).contains(&variable.name.span.start) {
            return Ok(());
        }
        let end = match id {
            0 => nest.end,
            id => self.frame(id).span.end,
        };
        let is_after = |token: &Token| token.span.start >= nest.end && token.span.start < end;
        let is_name = |token: &Token| token.kind == Kind::Word && token.text(self.text()) == name;
        let found = self.tokens.iter().position(|token| is_after(token) && is_name(token));
        let Some(at) = found else { return Ok(()) };
        let next = self.tokens.get(at + 1).map_or("", |token| token.text(self.text()));
        let before = self.tokens[at - 1].text(self.text());
        if next == "=" || super::declarations::type_word(before).is_some() {
            return Ok(());
        }
        let what = format!("'{name}' is used after the loops, where a call leaves no value in it");
        refuse(self.tokens[at].span, what, "use another variable after them")
    }

    /// Sizes of the function that the program might have otherwise.
    fn sizes(
        &self,
        nest: Span,
        expression: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Vec<String>, Refusal> {
        let places = self.places(nest);
        let file = self.scope.file;
        let said = file.header.parameters.iter().map(|(name, _)| &name.text);
        let names = file.definitions.keys().chain(said);
        let mut found = Vec::new();
        for name in names {
            // What an included file declares is a name of the text, too.
            let is_here = |span: Span| places.iter().any(|place| guards::holds(*place, span));
            let is_name = |token: &&Token| token.text(self.text()) == name && is_here(token.span);
            let place = self.tokens.iter().find(is_name);
            let is_of_c = place.is_some()
                || file.is_macro(name)
                || file.surroundings.variable(self.scope.region, name).is_some();
            let Some(value) = self.scope.evaluate_name(name).filter(|_| is_of_c) else { continue };
            let Some(text) = expression(name) else {
                let what = format!("'{name}' is not known where the kernel is launched");
                let span = place.map_or(self.scope.region.span, |token| token.span);
                return refuse(span, what, "make it a parameter of the kernel, or a macro");
            };
            let test = format!("({text}) == {value}");
            if !found.contains(&test) {
                found.push(test);
            }
        }
        Ok(found)
    }

    /// The launches of the region's kernel.
    fn launches(&self) -> Result<Vec<Embedding>, Refusal> {
        let around = self.scope.file.surroundings.around(self.scope.region.frame);
        let is_function = |frame: &Frame| matches!(frame.kind, FrameKind::Function { .. });
        let mut functions = around.filter(|(_, frame)| is_function(frame));
        let (id, frame) = functions.next().expect("a kernel is a function");
        let FrameKind::Function { name, .. } = &frame.kind else { return Ok(Vec::new()) };
        self.check_alone(id, "kernels")?;
        let parameters = frame.variables.iter().filter(|one| one.is_parameter).collect::<Vec<_>>();
        let mut positions = Vec::new();
        for declaration in &self.understood.program.declarations {
            let name = &declaration.name;
            let position = self.parameter(&parameters, &name.text, name.span)?;
            positions.push((name.text.clone(), position));
        }
        let mut found = Vec::new();
        for at in 0..self.tokens.len() {
            let is_launch = self.tokens[at].text(self.text()) == name.text
                && self.tokens.get(at + 1).is_some_and(|next| next.text(self.text()) == "<<<");
            if is_launch {
                found.push(self.launch(at, frame.span, &parameters, &positions)?);
            }
        }
        if found.is_empty() {
            let what = format!("kernel '{}' is not launched in this file", name.text);
            return refuse(name.span, what, "write the launch, name<<<grid, block>>>(...), in it");
        }
        Ok(found)
    }

    /// The position of the parameter that an array or a scalar is.
    fn parameter(
        &self,
        parameters: &[&Variable],
        name: &str,
        span: Span,
    ) -> Result<usize, Refusal> {
        let position = |name: &str| parameters.iter().position(|one| one.name.text == name);
        let variable = self.declared(name, span)?;
        if let Some(position) = position(name).filter(|_| variable.is_parameter) {
            return Ok(position);
        }
        // `double (*in)[M][N] = (double (*)[M][N]) d_in;`
        let value = variable.value.and_then(<[Token]>::last);
        let origin = value.filter(|last| last.kind == Kind::Word);
        match origin.and_then(|last| position(last.text(self.text()))) {
            Some(position) => Ok(position),
            None => {
                let what = format!("'{name}' is no parameter of the kernel");
                let help = "a call gives the kernel's arguments alone; write it as a cast of one";
                refuse(variable.name.span, what, help)
            }
        }
    }

    fn launch(
        &self,
        at: usize,
        kernel: Span,
        parameters: &[&Variable],
        positions: &[(String, usize)],
    ) -> Result<Embedding, Refusal> {
        let start = self.tokens[at].span;
        let mut cursor = Cursor { text: self.text(), tokens: self.tokens, at: at + 2 };
        let config = self.list(&mut cursor, ">>>");
        let is_closed = cursor.eat(">>>") && cursor.eat("(");
        let given = if is_closed { self.list(&mut cursor, ")") } else { Vec::new() };
        if !cursor.eat(")") || given.len() != parameters.len() {
            let what = format!("this launch does not give {} arguments", parameters.len());
            return refuse(start, what, "write name<<<grid, block>>>(...) with all of them");
        }
        let arguments = positions.iter().map(|(name, at)| (name.clone(), given[*at].clone()));
        let stream = config.get(3).cloned().unwrap_or_else(|| "0".to_owned());
        let mut tests = self.sizes(kernel, &|name| {
            let position = parameters.iter().position(|one| one.name.text == name);
            let is_local = || {
                let found = self.scope.file.surroundings.variable(self.scope.region, name);
                found.is_some_and(|(frame, _)| frame != 0)
            };
            match position {
                Some(position) => Some(given[position].clone()),
                None => (!is_local()).then(|| name.to_owned()),
            }
        })?;
        tests.extend(self.macros(kernel)?);
        Ok(Embedding {
            region: self.understood.name.clone(),
            span: start.to(cursor.last_span()),
            arguments: arguments.collect(),
            stream: Some(stream),
            tests,
            pragma: None,
        })
    }

    /// Expressions up to a mark, which is not passed.
    fn list(&self, cursor: &mut Cursor, end: &str) -> Vec<String> {
        let mut found = Vec::new();
        loop {
            let part = cursor.until(&[",", end]);
            if let Some(span) = span_of(part) {
                let words = part.iter().map(|token| token.text(self.text()));
                found.push(match part.iter().any(|token| token.is_expanded()) {
                    true => words.collect::<Vec<_>>().join(" "),
                    false => self.text()[span.start..span.end].to_owned(),
                });
            }
            if !cursor.eat(",") {
                return found;
            }
        }
    }
}
