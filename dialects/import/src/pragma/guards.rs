//! What has to be the same where the C compiler reads the file again: what `#if` chose, macros that
//! are defined under a condition, and the rows of arrays.
//!
//! The compiler of the C file may have other definitions than `-D` gave, and reads included files.
//! A call is made under tests of C, which it decides when it compiles wherever it can; else the
//! text is executed as it was.

use super::{
    embedding::{Embedder, Refusal, refuse},
    tokens::{Kind, boundary},
};
use crate::{
    diagnostic::Span,
    stencilgen::ast::{Declaration, Integer, Type},
};

/// Whether a span is within another.
pub(super) fn holds(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

impl Embedder<'_, '_, '_> {
    /// A text that is replaced begins and ends where a macro does, and has no half conditions.
    pub(super) fn check_edges(&self, nest: Span) -> Result<(), Refusal> {
        let is_cut =
            |span: Span| span.start < nest.end && nest.start < span.end && !holds(nest, span);
        for token in self.tokens.iter().filter(|token| token.kind != Kind::Directive) {
            if is_cut(token.span) {
                let what = "a macro has a part of these loops and more";
                return refuse(token.span, what, "write the loops without it");
            }
        }
        for condition in &self.scope.file.preprocessed.conditions {
            let span = condition.span;
            let is_partial = is_cut(span) && !holds(span, nest);
            if is_partial || (holds(nest, span) && !condition.asked.is_empty()) {
                let what = "these loops have conditions of the preprocessor in them";
                let help =
                    "a call is for one of their outcomes; put the conditions around the loops";
                return refuse(span, what, help);
            }
        }
        let before = self.text()[..nest.start].trim_end();
        let pragma = before.rfind("_Pragma").map(|at| &before[at..]);
        if pragma.is_some_and(|text| text.ends_with(')') && !text.contains([';', '{', '}'])) {
            return refuse(nest, "these loops have a _Pragma", "write it as a line, #pragma");
        }
        Ok(())
    }

    /// What a region is read from: its loops or its kernel, and extents and values before them.
    pub(super) fn places(&self, nest: Span) -> Vec<Span> {
        let mut places = vec![nest];
        let program = &self.understood.program;
        let locals = program.stencils[0].locals.iter().map(|local| &local.declaration);
        for declaration in program.declarations.iter().chain(locals) {
            let name = &declaration.name.text;
            let variable = self.scope.file.surroundings.variable(self.scope.region, name);
            let Some((_, variable)) = variable else { continue };
            let tokens = variable.extents.iter().flatten().copied().chain(variable.value);
            places.extend(tokens.flatten().map(|token| token.span));
        }
        places
    }

    /// Tests of macros that are defined under a condition of the preprocessor.
    pub(super) fn macros(&self, nest: Span) -> Result<Vec<String>, Refusal> {
        let file = self.scope.file;
        let places = self.places(nest);
        let mut found = Vec::new();
        let program = &self.understood.program;
        let locals = program.stencils[0].locals.iter().map(|local| &local.declaration);
        for declaration in program.declarations.iter().chain(locals) {
            let variable = file.surroundings.variable(self.scope.region, &declaration.name.text);
            let Some((_, variable)) = variable else { continue };
            let name = variable.name.span;
            let is_decided = |one: &&super::preprocess::Condition| {
                !one.asked.is_empty() && holds(one.span, name) && !holds(one.span, nest)
            };
            let is_conditional = file.preprocessed.conditions.iter().any(|one| is_decided(&one));
            if let Some(value) = variable.value.filter(|_| is_conditional && !holds(nest, name))
                && !file.surroundings.is_kernel(self.scope.region.frame)
            {
                let words = value.iter().map(|token| token.text(self.text()));
                let words = words.collect::<Vec<_>>().join(" ");
                found.push(format!("({}) == ({words})", declaration.name.text));
            }
        }
        let is_here = |span: Span| places.iter().any(|place| holds(*place, span));
        let uses = file.preprocessed.uses.iter();
        for one in uses.filter(|one| one.is_conditional && is_here(one.span)) {
            let Some(text) = &one.text else {
                let what = format!("macro '{}' is defined under a condition", one.name);
                let help = "another compiler may decide it otherwise; define it without one";
                return refuse(one.span, what, help);
            };
            let is_type =
                text.split(' ').all(|word| super::declarations::type_word(word).is_some());
            let test = match is_type {
                _ if text.is_empty() => continue,
                true => format!("sizeof({}) == sizeof({text})", one.name),
                false => format!("({}) == ({text})", one.name),
            };
            if !found.contains(&test) {
                found.push(test);
            }
        }
        Ok(found)
    }

    /// Tests of the bytes of an array's rows, where they are not numbers of this file alone.
    pub(super) fn rows(&self, nest: Span) -> Vec<String> {
        let file = self.scope.file;
        let others = file.preprocessed.conditions.iter();
        let has_others = others.clone().any(|one| !one.asked.is_empty() && !holds(one.span, nest));
        let mut found = Vec::new();
        for declaration in &self.understood.program.declarations {
            let name = &declaration.name.text;
            let variable = file.surroundings.variable(self.scope.region, name);
            let Some((_, variable)) = variable else { continue };
            let tokens = variable.extents.iter().flatten().copied().flatten();
            let has_names = tokens.clone().any(|token| token.kind == Kind::Word);
            if has_names || has_others {
                rows_of(declaration, &mut found);
            }
        }
        found
    }

    /// The pragmas before a nest, which are for its loops: where they begin, and what is before a
    /// call instead.
    pub(super) fn pragmas(&self, nest: Span) -> Result<(Span, Option<String>), Refusal> {
        let mut start = nest;
        let mut instead = None;
        let first = self.tokens.iter().position(|token| token.span.start >= nest.start);
        let before = &self.tokens[..first.unwrap_or(0)];
        for token in before.iter().rev().take_while(|token| token.kind == Kind::Directive) {
            if boundary(*token, self.text()).is_some() {
                break;
            }
            let text = token.text(self.text()).trim_start_matches(['#', ' ', '\t']);
            let is_word = |one: char| one.is_ascii_alphanumeric() || one == '_';
            let words = text.split(|one| !is_word(one)).filter(|word| !word.is_empty());
            let words = words.skip(1).collect::<Vec<_>>();
            let has = |word: &str| words.contains(&word);
            let is_of_loop = match words.first().copied().unwrap_or_default() {
                "omp" if has("target") || has("teams") || has("distribute") => {
                    return offloaded(token.span);
                }
                "acc" => return offloaded(token.span),
                "omp" => ["for", "simd", "loop", "taskloop", "tile", "unroll"].into_iter().any(has),
                "GCC" => has("ivdep") || has("unroll"),
                "clang" => has("loop"),
                "unroll" | "nounroll" | "ivdep" | "simd" | "vector" | "novector" | "loop" => true,
                _ => false,
            };
            if !is_of_loop {
                break;
            }
            // Threads that share the loop wait for the one that makes the call.
            if words[0] == "omp" && (has("for") || has("loop")) && !has("parallel") {
                instead = Some("#pragma omp single".to_owned());
            }
            start = token.span;
        }
        Ok((start, instead))
    }
}

fn offloaded<T>(span: Span) -> Result<T, Refusal> {
    let what = "these loops are computed on a device already, and so may be their arrays";
    refuse(span, what, "remove this line, and what keeps the arrays there")
}

fn rows_of(declaration: &Declaration, found: &mut Vec<String>) {
    let extent = |extent: &Integer| match extent {
        Integer::Literal(value, _) => *value,
        _ => 0,
    };
    let mut bytes = match declaration.r#type {
        Type::Double => 8,
        Type::Float | Type::Int => 4,
        Type::Bool => 1,
    };
    let extents = declaration.extents.iter().map(extent).collect::<Vec<_>>();
    for rank in (1..=extents.len()).rev() {
        let cell = "[0]".repeat(rank);
        found.push(format!("sizeof {}{cell} == {bytes}", declaration.name.text));
        bytes *= extents[rank - 1];
    }
}
