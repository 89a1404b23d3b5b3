//! The bodies of stencils in an early form: offsets become indices, a returned value an assignment.

use super::{Parts, Shape, calls_of, fresh, words};
use crate::{
    diagnostic::Diagnostic,
    stencilgen::ast::{
        Assign, Expression, ExpressionKind, Formal, Integer, IntegerOperator, Name, Program,
        Statement, Stencil, Target,
    },
};
use std::collections::BTreeSet;

/// Whether a stencil assigns to a name without indices that is no variable of its own.
pub fn assigns_bare_names(program: &Program) -> bool {
    program.stencils.iter().any(|stencil| {
        let is_bare = |one: &&Statement| one.target.indices.is_empty();
        let mut bare = stencil.statements.iter().filter(is_bare);
        bare.any(|one| !is_local(stencil, &one.target.name))
    })
}

fn is_local(stencil: &Stencil, name: &Name) -> bool {
    stencil.locals.iter().any(|local| local.declaration.name.text == name.text)
}

/// Translates the bodies of a program's stencils.
pub fn translate(
    program: &mut Program,
    parts: &mut Parts,
    shape: &Shape,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let result = fresh("result", &words(program), program.span);
    let arrays = (0..program.stencils.len())
        .map(|position| arrays(program, position, parts))
        .collect::<Vec<_>>();
    let parameters =
        program.parameters.iter().map(|one| one.name.text.clone()).collect::<BTreeSet<_>>();
    for (position, (stencil, arrays)) in program.stencils.iter_mut().zip(arrays).enumerate() {
        let mut body = Body { shape, arrays, parameters: &parameters, diagnostics };
        body.check_formals(stencil, parts);
        stencil.statements.iter_mut().for_each(|statement| body.statement(statement));
        for local in &mut stencil.locals {
            local.value.iter_mut().for_each(|value| body.expression(value));
        }
        body.start_sums(stencil);
        let Some(answer) = parts.answers.get_mut(&position) else { continue };
        let span = answer.span;
        // Moved: it may be deep. The entry still says that the stencil returns a value.
        let nothing = Expression { kind: ExpressionKind::Bool(false), span };
        let mut value = std::mem::replace(answer, nothing);
        body.expression(&mut value);
        let name = Name { text: result.text.clone(), span };
        stencil.formals.insert(0, Formal { name: name.clone(), inout: false });
        let target = Target { name, indices: body.centre(), span };
        let (region, operator) = (None, Assign::Set);
        stencil.statements.push(Statement { region, target, operator, value, span });
    }
}

/// The names that are arrays in a stencil.
fn arrays(program: &Program, position: usize, parts: &Parts) -> BTreeSet<String> {
    let stencil = &program.stencils[position];
    let declared = program.declarations.iter().filter(|one| !one.extents.is_empty());
    let mut arrays = declared.map(|one| one.name.text.clone()).collect::<BTreeSet<_>>();
    arrays.extend(parts.temporaries.iter().chain(parts.outputs.values()).map(|n| n.text.clone()));
    // A formal argument is an array where an array is passed.
    for call in calls_of(&program.steps).iter().filter(|one| one.callee.text == stencil.name.text) {
        let passed = stencil.formals.iter().zip(&call.arguments);
        let passed = passed.filter(|(_, argument)| arrays.contains(&argument.text));
        let passed = passed.map(|(formal, _)| formal.name.text.clone()).collect::<Vec<_>>();
        arrays.extend(passed);
    }
    for statement in &stencil.statements {
        arrays.insert(statement.target.name.text.clone());
        arrays.extend(statement.value.accesses().iter().map(|(name, _)| name.text.clone()));
    }
    for local in &stencil.locals {
        match local.declaration.extents.is_empty() {
            true => arrays.remove(&local.declaration.name.text),
            false => arrays.insert(local.declaration.name.text.clone()),
        };
    }
    for formal in &stencil.formals {
        match parts.formals.get(&formal.name.span) {
            Some((Some(_), _)) => arrays.insert(formal.name.text.clone()),
            Some((None, _)) => arrays.remove(&formal.name.text),
            None => false,
        };
    }
    arrays
}

struct Body<'b> {
    shape: &'b Shape,
    arrays: BTreeSet<String>,
    parameters: &'b BTreeSet<String>,
    diagnostics: &'b mut Vec<Diagnostic>,
}

impl Body<'_> {
    fn check_formals(&mut self, stencil: &Stencil, parts: &Parts) {
        let rank = self.shape.iterators.len();
        for formal in &stencil.formals {
            let found = parts.formals.get(&formal.name.span).and_then(|(found, _)| *found);
            if let Some((found, span)) = found.filter(|(found, _)| *found != rank) {
                let name = &formal.name.text;
                let message = format!("'{name}' has {found} dimensions, the arrays have {rank}");
                let error = Diagnostic::error(span, message);
                self.diagnostics.push(error.help(format!("write 'vector#{rank}'")));
            }
        }
    }

    fn statement(&mut self, statement: &mut Statement) {
        self.expression(&mut statement.value);
        let target = &mut statement.target;
        if self.arrays.contains(&target.name.text) {
            target.indices = self.cell(&target.name, std::mem::take(&mut target.indices));
        }
    }

    /// The first assignment to an array starts from zero, a sum too.
    fn start_sums(&mut self, stencil: &mut Stencil) {
        let mut assigned = BTreeSet::new();
        for statement in &mut stencil.statements {
            let name = &statement.target.name;
            if !self.arrays.contains(&name.text) || !assigned.insert(name.text.clone()) {
                continue;
            }
            match statement.operator {
                Assign::Set => {}
                Assign::Add => statement.operator = Assign::Set,
                Assign::Subtract => {
                    statement.operator = Assign::Set;
                    let span = statement.value.span;
                    let nothing = Expression { kind: ExpressionKind::Bool(false), span };
                    let value = std::mem::replace(&mut statement.value, nothing);
                    statement.value.kind = ExpressionKind::Negate(Box::new(value));
                }
                _ => {
                    let message = format!("'{}' has no value yet", name.text);
                    let error = Diagnostic::error(statement.span, message);
                    let help = "in an early form the first assignment to an array is '=', or a \
                                sum that starts from 0: '+=', '-='";
                    self.diagnostics.push(error.help(help));
                }
            }
        }
    }

    /// Indices for offsets, without recursion: sums are as deep as they are long.
    fn expression(&mut self, expression: &mut Expression) {
        let mut open = vec![expression];
        while let Some(one) = open.pop() {
            if let ExpressionKind::Name(name) = &one.kind
                && self.arrays.contains(&name.text)
            {
                let (name, indices) = (name.clone(), self.centre());
                one.kind = ExpressionKind::Access { name, indices };
                continue;
            }
            match &mut one.kind {
                ExpressionKind::Access { name, indices } => {
                    *indices = self.cell(name, std::mem::take(indices));
                }
                ExpressionKind::Negate(one) => open.push(one),
                ExpressionKind::Binary(_, one, two) => open.extend([&mut **one, &mut **two]),
                ExpressionKind::Call { arguments, .. } => open.extend(arguments),
                _ => {}
            }
        }
    }

    fn centre(&self) -> Vec<Integer> {
        self.shape.iterators.iter().cloned().map(Integer::Name).collect()
    }

    /// The cell at offsets from the point.
    fn cell(&mut self, name: &Name, offsets: Vec<Integer>) -> Vec<Integer> {
        if offsets.is_empty() {
            return self.centre();
        }
        let rank = self.shape.iterators.len();
        if offsets.len() != rank {
            let (text, count) = (&name.text, offsets.len());
            let message = format!("'{text}' has {rank} dimensions, but {count} offsets here");
            self.diagnostics.push(Diagnostic::error(name.span, message));
            return self.centre();
        }
        let iterators = self.shape.iterators.clone();
        let cell = offsets.into_iter().zip(iterators).map(|(offset, iterator)| {
            self.check_offset(&offset);
            let span = offset.span();
            let iterator = Integer::Name(Name { span, ..iterator });
            match offset {
                Integer::Literal(0, _) => iterator,
                _ => {
                    let operands = (Box::new(iterator), Box::new(offset));
                    Integer::Binary(IntegerOperator::Add, operands.0, operands.1, span)
                }
            }
        });
        cell.collect()
    }

    /// Offsets are numbers, or made of parameters.
    fn check_offset(&mut self, offset: &Integer) {
        match offset {
            Integer::Literal(..) => {}
            Integer::Negate(one, _) => self.check_offset(one),
            Integer::Binary(_, one, two, _) => {
                self.check_offset(one);
                self.check_offset(two);
            }
            Integer::Name(name) if self.parameters.contains(&name.text) => {}
            Integer::Name(name) => {
                let message = format!("'{}' is no offset from the point", name.text);
                let help = "an early form has no iterators: write a[0,0,1], or declare \
                            'iterator k, j, i;' and list what is copied";
                self.diagnostics.push(Diagnostic::error(name.span, message).help(help));
            }
        }
    }
}
