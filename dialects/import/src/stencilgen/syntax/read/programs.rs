//! Files, programs, declarations, and steps.

use super::{
    super::{lexer::Token, parser::Rule, tree::Node},
    declared_type, early as early_parts, expressions, name, names,
    pragmas::{self, Pragma},
    stencils,
};
use crate::{
    diagnostic::{Diagnostic, Severity},
    stencilgen::{
        ast::{Call, Declaration, File, Iterate, List, Listed, Parameter, Program, Step},
        early::{self, Parts},
    },
};

/// The programs of a file, the last of them incomplete.
pub struct Programs<'d> {
    diagnostics: &'d mut Vec<Diagnostic>,
    finished: Vec<Program>,
    current: Option<Program>,
    /// What the current program has of an early form.
    parts: Parts,
    /// Pragmas for all stencils of the current program.
    head: Vec<Pragma>,
    /// Pragmas for the next stencil, or the next program.
    pending: Vec<Pragma>,
}

impl<'d> Programs<'d> {
    /// None yet.
    pub fn new(diagnostics: &'d mut Vec<Diagnostic>) -> Self {
        Self {
            diagnostics,
            finished: Vec::new(),
            current: None,
            parts: Parts::default(),
            head: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// Reads a file.
    pub fn file(mut self, root: Node) -> File {
        for (rule, item) in root.rules() {
            match rule {
                Rule::Error => {}
                Rule::Pragma => self.pending.push(pragmas::pragma(item, self.diagnostics)),
                Rule::Assignment => self.pending.push(pragmas::assignment(item)),
                _ => self.item(rule, item),
            }
        }
        self.finish();
        for pragma in self.pending.iter().filter(|pragma| !pragma.is_empty()) {
            let message = "no stencil follows this pragma";
            let warning = Diagnostic::warning(pragma.span, message);
            self.diagnostics.push(warning.help("move it before the stencil that it is for"));
        }
        File { programs: self.finished }
    }

    fn item(&mut self, rule: Rule, item: Node) {
        if self.begins_program(rule, item) {
            self.finish();
        }
        let is_head = rule == Rule::Parameters || (self.current.is_none() && rule != Rule::Stencil);
        if is_head {
            self.head.append(&mut self.pending);
        }
        let program =
            self.current.get_or_insert_with(|| Program { span: item.span(), ..Program::default() });
        program.span = program.span.to(item.span());
        match rule {
            Rule::Parameters => {
                let parameters =
                    item.rules().filter_map(|(_, one)| parameter(one, self.diagnostics));
                program.parameters.extend(parameters);
            }
            Rule::Iterators => program.iterators.extend(names(item)),
            Rule::Declaration => {
                early_parts::declaration(item, &mut self.parts, self.diagnostics);
                declarations(item, program, self.diagnostics);
            }
            Rule::Temporaries => {
                self.parts.sign.get_or_insert(item.span());
                self.parts.temporaries.extend(names(item));
            }
            Rule::Result => {
                self.parts.sign.get_or_insert(item.span());
                let nested = item.find(Rule::Nested).and_then(early_parts::nested);
                self.parts.results.extend(nested);
            }
            Rule::List => {
                let list = list(item);
                let listed = names(item).filter_map(|name| Some(Listed { list: list?, name }));
                program.listed.extend(listed);
            }
            Rule::Stencil => {
                let stencil = stencils::stencil(item, self.diagnostics).map(|mut stencil| {
                    for pragma in self.pending.drain(..) {
                        stencil.clauses.extend(pragma.clauses);
                        stencil.hints.extend(pragma.hints);
                    }
                    stencil
                });
                if let Some(stencil) = &stencil {
                    let here = (program.stencils.len(), stencil);
                    early_parts::stencil(item, here, &mut self.parts, self.diagnostics);
                }
                program.stencils.extend(stencil);
            }
            _ => program.steps.extend(step(rule, item, &mut self.parts, self.diagnostics)),
        }
    }

    /// Whether an item starts another program: a declaration after calls.
    fn begins_program(&self, rule: Rule, item: Node) -> bool {
        let Some(current) = &self.current else { return false };
        let belongs_behind_calls = matches!(rule, Rule::Call | Rule::Iterate | Rule::Result)
            || (rule == Rule::List && list(item) == Some(List::CopyOut));
        if !current.steps.is_empty() || !self.parts.results.is_empty() {
            return !belongs_behind_calls;
        }
        let is_copied_out = current.listed.iter().any(|one| one.list == List::CopyOut);
        let is_complete = is_copied_out && !current.stencils.is_empty();
        is_complete && matches!(rule, Rule::Parameters | Rule::Iterators)
    }

    fn finish(&mut self) {
        let Some(mut program) = self.current.take() else { return };
        for pragma in self.head.drain(..).rev() {
            pragma.add_to_all(&mut program.stencils);
        }
        let parts = std::mem::take(&mut self.parts);
        let is_wrong = self.diagnostics.iter().any(|one| one.severity == Severity::Error);
        if !is_wrong && early::is_early(&program, &parts) {
            early::translate(&mut program, parts, self.diagnostics);
        }
        self.finished.push(program);
    }
}

fn parameter(node: Node, diagnostics: &mut Vec<Diagnostic>) -> Option<Parameter> {
    let default = node.rules().find_map(|(_, one)| expressions::integer(one, diagnostics));
    Some(Parameter { name: node.tokens(Token::Name).next().map(name)?, default })
}

fn declarations(node: Node, program: &mut Program, diagnostics: &mut Vec<Diagnostic>) {
    let Some(r#type) = declared_type(node) else { return };
    for (_, declarator) in node.rules().filter(|(rule, _)| *rule == Rule::Declarator) {
        let Some(name) = declarator.tokens(Token::Name).next().map(name) else { continue };
        let extents = expressions::indices(declarator, diagnostics);
        program.declarations.push(Declaration { r#type, name, extents });
    }
}

fn list(node: Node) -> Option<List> {
    match node.first_token()? {
        Token::AllocIn => Some(List::AllocIn),
        Token::CopyIn => Some(List::CopyIn),
        Token::CopyOut => Some(List::CopyOut),
        Token::Constant => Some(List::Constant),
        Token::Coefficient => Some(List::Coefficient),
        _ => None,
    }
}

fn step(
    rule: Rule,
    node: Node,
    parts: &mut Parts,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Step> {
    match rule {
        Rule::Call => {
            let region = node.find(Rule::Region);
            let mut words = names(node);
            if let Some(assign) = node.tokens(Token::Assign).next() {
                parts.sign.get_or_insert(assign.span());
                parts.outputs.insert(node.span(), words.next()?);
            }
            let callee = words.next()?;
            Some(Step::Call(Call {
                region: region.map(|region| expressions::region(region, diagnostics)),
                callee,
                arguments: words.collect(),
                span: node.span(),
            }))
        }
        Rule::Iterate => {
            let times = node.find(Rule::Times)?;
            let range = expressions::range(times.find(Rule::Range)?, diagnostics)?;
            let steps = node.rules().filter_map(|(rule, one)| step(rule, one, parts, diagnostics));
            Some(Step::Iterate(Iterate {
                variable: names(times).next(),
                range,
                body: steps.collect(),
                span: node.span(),
            }))
        }
        _ => None,
    }
}
