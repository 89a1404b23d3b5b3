//! Calls and copy lists of an early form: nested calls become calls on arrays between them, what is
//! declared is copied in, what a call is assigned to is copied out.

use super::{Nested, Parts, Shape, calls_of, fresh, listed, words};
use crate::{
    diagnostic::{Diagnostic, Span},
    stencilgen::ast::{Call, Declaration, List, Name, Program, Stencil, Step},
};
use std::collections::BTreeSet;

/// Translates the calls of a program whose stencils are translated.
pub fn translate(
    program: &mut Program,
    parts: &Parts,
    shape: &Shape,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let declared = program.declarations.iter().map(|one| one.name.text.clone()).collect();
    let outputs = Vec::new();
    let mut calls =
        Calls { program, parts, shape, declared, scalars: BTreeSet::new(), outputs, diagnostics };
    let mut steps = std::mem::take(&mut calls.program.steps);
    calls.assigned(&mut steps);
    calls.program.steps = steps;
    for result in &parts.results {
        calls.result(result);
    }
    calls.declare();
    calls.copy();
}

struct Calls<'c> {
    program: &'c mut Program,
    parts: &'c Parts,
    shape: &'c Shape,
    /// What the text declares.
    declared: BTreeSet<String>,
    /// Scalars that it does not declare.
    scalars: BTreeSet<String>,
    /// Arrays that are copied out because a call is assigned to them.
    outputs: Vec<Name>,
    diagnostics: &'c mut Vec<Diagnostic>,
}

impl Calls<'_> {
    fn error(&mut self, span: Span, message: String, help: &str) {
        self.diagnostics.push(Diagnostic::error(span, message).help(help));
    }

    fn stencil(&self, name: &Name) -> Option<(usize, &Stencil)> {
        let mut stencils = self.program.stencils.iter().enumerate();
        stencils.find(|(_, one)| one.name.text == name.text)
    }

    fn returns(&self, name: &Name) -> bool {
        self.stencil(name).is_some_and(|(at, _)| self.parts.answers.contains_key(&at))
    }

    /// `a = f (b, a);`, and `a = f (b);` where the stencil returns its value.
    fn assigned(&mut self, steps: &mut [Step]) {
        for step in steps {
            let call = match step {
                Step::Call(call) => call,
                Step::Iterate(iterate) => {
                    self.assigned(&mut iterate.body);
                    continue;
                }
            };
            let (output, callee) = (self.parts.outputs.get(&call.span), call.callee.text.clone());
            match output {
                Some(output) if self.returns(&call.callee) => {
                    call.arguments.insert(0, output.clone());
                }
                None if self.returns(&call.callee) => {
                    let message = format!("the value that '{callee}' returns is not used");
                    self.error(call.span, message, "write 'return f(a);' or 'b = f (a);'");
                }
                Some(output) if !self.written_by(call).contains(&output.text) => {
                    let message =
                        format!("'{}' is no argument that '{callee}' writes", output.text);
                    self.error(output.span, message, "write 'a = f (b, a);'");
                }
                _ => {}
            }
            self.outputs.extend(output.cloned());
        }
    }

    /// The arrays of the program that a call writes.
    fn written_by(&self, call: &Call) -> BTreeSet<String> {
        let Some((_, stencil)) = self.stencil(&call.callee) else { return BTreeSet::new() };
        let targets = stencil.statements.iter().map(|one| &one.target.name.text);
        let passed = stencil.formals.iter().zip(&call.arguments).collect::<Vec<_>>();
        let is_local =
            |name: &&String| stencil.locals.iter().any(|one| one.declaration.name.text == **name);
        let actual = targets.filter(|name| !is_local(name)).map(|name| {
            let formal = passed.iter().find(|(formal, _)| formal.name.text == *name);
            formal.map_or(name, |(_, argument)| &argument.text).clone()
        });
        actual.collect()
    }

    /// `return f(g(a));`
    fn result(&mut self, result: &Nested) {
        if result.arguments.is_none() {
            let message = format!("'{}' is no call", result.name.text);
            return self.error(result.span, message, "a program returns what a stencil computes");
        }
        let output = self.fresh("output", result.span);
        if self.nested(result, Some(output.clone())).is_some() {
            self.outputs.push(output);
        }
    }

    fn fresh(&self, word: &str, span: Span) -> Name {
        fresh(word, &words(self.program), span)
    }

    /// The array with the value of an argument or a call; none after an error.
    fn nested(&mut self, nested: &Nested, output: Option<Name>) -> Option<Name> {
        let Some(arguments) = &nested.arguments else { return Some(nested.name.clone()) };
        let callee = &nested.name;
        if self.stencil(callee).is_some() && !self.returns(callee) {
            let message = format!("'{}' returns no value", callee.text);
            self.error(callee.span, message, "write 'return a@[0,0,1] + a;' at its end");
            return None;
        }
        let given = arguments.iter().map(|one| self.nested(one, None));
        let given = given.collect::<Option<Vec<_>>>()?;
        let array = match output {
            Some(output) => output,
            None => self.fresh(&format!("{}_", callee.text), nested.span),
        };
        let like = self.like(&given, nested.span)?;
        let name = array.clone();
        self.program.declarations.push(Declaration { name, ..like });
        let arguments = [array.clone()].into_iter().chain(given).collect();
        let (region, callee, span) = (None, callee.clone(), nested.span);
        self.program.steps.push(Step::Call(Call { region, callee, arguments, span }));
        Some(array)
    }

    /// The declaration of the first array among arguments: a call's value has its type and extents.
    fn like(&mut self, given: &[Name], span: Span) -> Option<Declaration> {
        let arrays = self.program.declarations.iter().filter(|one| !one.extents.is_empty());
        let arrays = arrays.collect::<Vec<_>>();
        let mut found =
            given.iter().filter_map(|name| arrays.iter().find(|one| one.name.text == name.text));
        let like = found.next().map(|array| (*array).clone());
        if like.is_none() {
            let message = "no declared array is passed here".to_owned();
            self.error(span, message, "write 'vector#3 float a[L,M,N];' and 'return f(a);'");
        }
        like
    }

    /// Declares what is not: temporary arrays, scalars by the type of their formal arguments.
    /// Declarations that only give such types go.
    fn declare(&mut self) {
        let mut names = self.parts.temporaries.clone();
        names.extend(self.outputs.clone());
        let mut scalars = Vec::new();
        let mut used = self.bare_names();
        for call in calls_of(&self.program.steps) {
            used.extend(call.arguments.iter().map(|one| one.text.clone()));
            let Some((_, stencil)) = self.stencil(&call.callee) else { continue };
            for (formal, argument) in stencil.formals.iter().zip(&call.arguments) {
                let type_of = |name: &Name| self.declaration(name).map(|one| one.r#type);
                let is_scalar =
                    self.declaration(&formal.name).is_some_and(|one| one.extents.is_empty());
                if let (true, Some(r#type)) = (is_scalar, type_of(&formal.name)) {
                    let name = argument.clone();
                    scalars.push(Declaration { r#type, name, extents: Vec::new() });
                }
            }
        }
        for stencil in &self.program.stencils {
            let targets = stencil.statements.iter().map(|one| &one.target.name);
            names.extend(targets.filter(|name| is_outer(stencil, name)).cloned());
        }
        let formals = self.program.stencils.iter().flat_map(|one| &one.formals);
        let formals = formals.map(|one| one.name.text.clone()).collect::<BTreeSet<_>>();
        let known = |program: &Program, name: &Name| {
            program.declarations.iter().any(|one| one.name.text == name.text)
        };
        for name in names {
            if !known(self.program, &name) {
                let array = self.shape.array(&name, self.diagnostics);
                self.program.declarations.push(array);
            }
        }
        for scalar in scalars {
            if !known(self.program, &scalar.name) {
                self.scalars.insert(scalar.name.text.clone());
                self.program.declarations.push(scalar);
            }
        }
        let is_type =
            |one: &Declaration| formals.contains(&one.name.text) && !used.contains(&one.name.text);
        self.program.declarations.retain(|one| !is_type(one));
    }

    fn declaration(&self, name: &Name) -> Option<&Declaration> {
        self.program.declarations.iter().find(|one| one.name.text == name.text)
    }

    /// The names of the program that bodies use without their being passed.
    fn bare_names(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for stencil in &self.program.stencils {
            for statement in &stencil.statements {
                let read = statement.value.names();
                let all = read.into_iter().chain([&statement.target.name]);
                found.extend(all.filter(|one| is_outer(stencil, one)).map(|one| one.text.clone()));
            }
        }
        found
    }

    /// Fills the copy lists.
    fn copy(&mut self) {
        let is_in = |names: &[Name], name: &Name| names.iter().any(|one| one.text == name.text);
        let calls = calls_of(&self.program.steps);
        let written = calls.into_iter().flat_map(|call| self.written_by(call));
        let written = written.collect::<BTreeSet<_>>();
        let mut lists = Vec::new();
        let mut copied = self.outputs.clone();
        for one in &self.program.declarations {
            let name = &one.name;
            if is_in(&self.outputs, name) {
                lists.push(listed(List::CopyOut, name));
            } else if !is_in(&self.parts.temporaries, name) && !self.is_between(name) {
                lists.push(listed(List::CopyIn, name));
                if written.contains(&name.text) {
                    lists.push(listed(List::CopyOut, name));
                    copied.push(name.clone());
                }
            }
        }
        if copied.is_empty() {
            let message = "nothing is copied out".to_owned();
            let help = "write 'out = f (in, out);', or 'return f(in);' with a stencil that returns \
                        its value";
            self.error(self.program.span, message, help);
        }
        self.program.listed.extend(lists);
    }

    /// Whether an array is declared by no text: it holds what a nested call returns, or is assigned
    /// to in a stencil only.
    fn is_between(&self, name: &Name) -> bool {
        !self.declared.contains(&name.text) && !self.scalars.contains(&name.text)
    }
}

fn is_outer(stencil: &Stencil, name: &Name) -> bool {
    let formals = stencil.formals.iter().map(|one| &one.name.text);
    let locals = stencil.locals.iter().map(|one| &one.declaration.name.text);
    !formals.chain(locals).any(|one| *one == name.text)
}
