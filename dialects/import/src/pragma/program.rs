//! A region with its surroundings as a program of the STENCILGEN language: one stencil function
//! and one call.
//!
//! A loop nest computes all statements at one point before the next point, a stencil function each
//! statement at all points before the next statement. Both are the same unless a cell is read that
//! another point assigns, which is refused: what it gives depends on the order of loops or threads.

use super::{
    arrays::{self, Builder},
    declarations::Variable,
    points::{self, Points, Values},
    regions::{self, Statement},
    scalars::Scalars,
    scope::{Affine, FileScope, Scope, affine},
    surroundings::{FrameKind, Region},
    types,
};
use crate::{
    diagnostic::{Diagnostic, Span},
    stencilgen::ast::{
        self, Call, Clause, Expression, ExpressionKind, Integer, Name, Program, Stencil, Step,
        Target,
    },
};
use std::collections::{BTreeMap, BTreeSet};

/// A region that was understood.
#[derive(Debug)]
pub struct Understood {
    /// The name of its function.
    pub name: String,
    /// The program.
    pub program: Program,
    /// Its iterators, outermost first.
    pub iterators: Vec<Name>,
    /// Names of variables that the region declares.
    pub declared: BTreeSet<String>,
    /// What was taken from where.
    pub remark: Diagnostic,
}

/// A cell that a statement reads or writes.
pub struct Cell {
    /// Its array.
    pub name: Name,
    /// Its resolved indices.
    pub indices: Vec<Integer>,
    /// Whether it is assigned to.
    pub is_written: bool,
}

/// Makes a region's program; none after errors.
pub fn understand(
    file: &FileScope,
    region: &Region,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Understood> {
    let before = diagnostics.len();
    let (name, clauses) = regions::head(file.text, region.begin, diagnostics);
    let mut statements = regions::statements(file, region, diagnostics);
    let has_cell = statements.iter().any(|one| !one.target.indices.is_empty());
    if !has_cell && diagnostics.len() == before {
        let error = Diagnostic::error(region.span, "this region assigns to no cell");
        diagnostics.push(error.help("write a statement as out[k][j][i] = in[k][j][i+1];"));
    }
    if diagnostics.len() > before {
        return None;
    }
    let scope = Scope { file, region };
    let mut cells = Vec::new();
    statements.iter_mut().for_each(|one| resolve_statement(&scope, one, &mut cells));
    let iterators = iterators(&scope, &cells, &clauses, diagnostics)?;
    let is_cell = |name: &str| cells.iter().any(|one| one.name.text == name);
    let mut scalars = Scalars::new(scope, &iterators);
    let mut of_scalars = Vec::new();
    scalars.gather(&statements, &is_cell, &mut of_scalars);
    // Cells that scalars before the region read.
    for value in scalars.locals.iter_mut().filter_map(|local| local.value.as_mut()) {
        resolve(&scope, value, &mut cells);
    }
    types::check(&scope, &iterators, &statements, &scalars.locals, diagnostics);
    check_iterators(&scope, &iterators, diagnostics);
    check_order(&cells, diagnostics);
    let arrays = arrays::arrays(&scope, &cells);
    // Extents of the slowest dimension come from the points, if from nowhere else.
    let suggestion = suggestion(&cells, &iterators);
    let points = points::points(&scope, &iterators, &unroll(&clauses), &suggestion, diagnostics);
    let mut builder = Builder {
        scope,
        points: points.as_ref(),
        cells: &cells,
        program: Program { iterators: iterators.clone(), span: region.span, ..Program::default() },
    };
    for array in &arrays {
        builder.array(array, diagnostics);
    }
    diagnostics.append(&mut of_scalars);
    for (name, r#type) in &scalars.arguments {
        builder.declare(name, *r#type, Vec::new(), false);
    }
    let Builder { mut program, .. } = builder;
    let points = points.filter(|_| diagnostics.len() == before)?;
    let declares = statements.iter().filter(|one| one.declares.is_some());
    let declared = declares.map(|one| one.target.name.text.clone()).collect();
    let remark = remark(file, &name, &program, &points);
    program.stencils.push(Stencil {
        name: name.clone(),
        formals: Vec::new(),
        locals: scalars.locals,
        hints: Vec::new(),
        clauses,
        statements: statements.into_iter().filter_map(statement).collect(),
        span: region.span,
    });
    program.steps.push(Step::Call(Call {
        region: Some(box_of(&iterators, &points)),
        callee: name.clone(),
        arguments: Vec::new(),
        span: name.span,
    }));
    Some(Understood { name: name.text, program, iterators, declared, remark })
}

/// Points of a thread along each iterator.
fn unroll(clauses: &[Clause]) -> BTreeMap<String, u64> {
    let points = clauses.iter().filter_map(|clause| match clause {
        Clause::Unroll { points, .. } => Some(points),
        _ => None,
    });
    points.flatten().map(|(name, count)| (name.text.clone(), count.value)).collect()
}

fn statement(one: Statement) -> Option<ast::Statement> {
    let (operator, value) = one.value?;
    Some(ast::Statement { region: None, target: one.target, operator, value, span: one.span })
}

fn box_of(iterators: &[Name], points: &Points) -> ast::Region {
    let range = |name: &Name| {
        let values = points[&name.text];
        let literal = |value| Integer::Literal(value, values.span);
        let (lower, upper) = (literal(values.first), Some(literal(values.last)));
        ast::Range { lower, upper, span: values.span }
    };
    let ranges = iterators.iter().map(range).collect::<Vec<_>>();
    let span = ranges.first().map_or(Span::default(), |range| range.span);
    ast::Region { ranges, span }
}

/// What was understood, and the lines that say it.
fn remark(file: &FileScope, name: &Name, program: &Program, points: &Points) -> Diagnostic {
    let line = |span: Span| match span.start < file.end {
        true => format!("line {}", 1 + file.text[..span.start].matches('\n').count()),
        false => "--declare".to_owned(),
    };
    let arguments = program.declarations.iter().map(|one| {
        let extents = one.extents.iter().map(|extent| match extent {
            Integer::Literal(value, _) => format!("[{value}]"),
            _ => String::new(),
        });
        let extents = extents.collect::<String>();
        format!("{}{extents} ({})", one.name.text, line(one.name.span))
    });
    let values = program.iterators.iter().map(|name| {
        let Values { first, last, span } = points[&name.text];
        format!("{} = {first}:{last} ({})", name.text, line(span))
    });
    let (arguments, values) = (arguments.collect::<Vec<_>>(), values.collect::<Vec<_>>());
    let (arguments, values) = (arguments.join(", "), values.join(", "));
    let text = format!("region '{}' is a function of {arguments} at {values}", name.text);
    Diagnostic::remark(name.span, text)
}

/// Replaces names that stand for numbers in a statement, and lists its cells.
fn resolve_statement(scope: &Scope, statement: &mut Statement, cells: &mut Vec<Cell>) {
    let Target { name, indices, .. } = &mut statement.target;
    if !indices.is_empty() {
        indices.iter_mut().for_each(|index| *index = scope.resolve(index));
        cells.push(Cell { name: name.clone(), indices: indices.clone(), is_written: true });
    }
    if let Some((_, value)) = &mut statement.value {
        resolve(scope, value, cells);
    }
}

/// Replaces names that stand for numbers in a value, and lists its cells.
fn resolve(scope: &Scope, value: &mut Expression, cells: &mut Vec<Cell>) {
    let mut open = vec![value];
    while let Some(one) = open.pop() {
        if let ExpressionKind::Name(name) = &one.kind {
            let number = size(scope, name).map(ExpressionKind::Int);
            one.kind = number.unwrap_or_else(|| ExpressionKind::Name(name.clone()));
            continue;
        }
        match &mut one.kind {
            ExpressionKind::Access { name, indices } => {
                indices.iter_mut().for_each(|index| *index = scope.resolve(index));
                let (name, indices) = (name.clone(), indices.clone());
                cells.push(Cell { name, indices, is_written: false });
            }
            ExpressionKind::Negate(one) => open.push(one),
            ExpressionKind::Binary(_, one, two) => open.extend([&mut **one, &mut **two]),
            ExpressionKind::Call { arguments, .. } => open.extend(arguments),
            _ => {}
        }
    }
}

/// Nothing but its loop gives an iterator a value.
fn check_iterators(scope: &Scope, iterators: &[Name], diagnostics: &mut Vec<Diagnostic>) {
    let surroundings = scope.file.surroundings;
    let around = || surroundings.around(scope.region.frame);
    let is_kernel = surroundings.is_kernel(scope.region.frame);
    let function = around().find(|(_, frame)| matches!(frame.kind, FrameKind::Function { .. }));
    let outer = match is_kernel {
        true => function.map(|(id, _)| id),
        false => points::outermost(scope, iterators),
    };
    let Some(outer) = outer.map(|id| surroundings.frames[id].span) else { return };
    let heads = scope.loops().filter_map(|(_, head, _)| head.span()).collect::<Vec<_>>();
    let holds = |spans: &[Span], place: Span| {
        spans.iter().any(|span| (span.start..span.end).contains(&place.start))
    };
    for name in iterators {
        let declared = scope.variable(&name.text).map(|one| one.name.span);
        let region = [scope.region.span];
        let assigned = scope.file.assigned.iter().find(|(word, span)| {
            let is_here = *word == name.text && holds(&[outer], *span);
            let is_known = Some(*span) == declared || holds(&heads, *span) || holds(&region, *span);
            is_here && !is_known
        });
        if let Some((_, span)) = assigned {
            let what = format!("'{}' is an iterator of the region, and is changed here", name.text);
            let help = "its loop, or its declaration in a kernel, gives it all of its values";
            diagnostics.push(Diagnostic::error(*span, what).help(help));
        }
    }
}

/// The number that a name of a size stands for.
fn size(scope: &Scope, name: &Name) -> Option<i64> {
    scope.is_size(&name.text).then_some(())?;
    // What is no int is computed otherwise.
    let is_other = |one: &Variable| !one.is_exact && one.r#type.is_some();
    if scope.variable(&name.text).is_some_and(is_other) {
        return None;
    }
    let known = affine(&scope.resolve(&Integer::Name(name.clone()))).ok()?;
    known.is_constant().then_some(known.constant)
}

/// The names in an integer.
fn names<'i>(integer: &'i Integer, found: &mut Vec<&'i Name>) {
    match integer {
        Integer::Literal(..) => {}
        Integer::Name(name) => found.push(name),
        Integer::Negate(one, _) => names(one, found),
        Integer::Binary(_, one, two, _) => {
            names(one, found);
            names(two, found);
        }
    }
}

/// The iterators, outermost first: as the header says, else as the indices of written cells, then
/// of those with the most dimensions, have them.
fn iterators(
    scope: &Scope,
    cells: &[Cell],
    clauses: &[Clause],
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Vec<Name>> {
    let stated = &scope.file.header.iterators;
    let mut order = cells.iter().collect::<Vec<_>>();
    order.sort_by_key(|cell| (std::cmp::Reverse(cell.indices.len()), !cell.is_written));
    let mut found = Vec::<Name>::new();
    for cell in order {
        for index in &cell.indices {
            let mut here = Vec::new();
            names(index, &mut here);
            found.extend(here.into_iter().cloned());
        }
    }
    let mut seen = BTreeSet::new();
    found.retain(|name| seen.insert(name.text.clone()));
    let unrolled = |name: &Name| {
        clauses.iter().any(|clause| match clause {
            Clause::Unroll { points, .. } => points.iter().any(|(one, _)| one.text == name.text),
            _ => false,
        })
    };
    let before = diagnostics.len();
    for name in &found {
        let is_stated = stated.iter().any(|one| one.text == name.text);
        let is_loop = scope.is_loop_variable(&name.text);
        if is_stated || is_loop || unrolled(name) {
            continue;
        }
        // A thread of CUDA computes it, or nothing around the region says anything of it.
        let is_size = match scope.variable(&name.text) {
            Some(variable) => {
                variable.is_parameter || !scope.file.surroundings.is_kernel(scope.region.frame)
            }
            None => false,
        };
        if is_size {
            let unknown = super::scope::Unknown { name: Some(name.text.clone()), span: name.span };
            diagnostics.push(scope.no_value("this index", &unknown));
        }
    }
    if found.is_empty() && diagnostics.len() == before {
        let error = Diagnostic::error(scope.region.span, "this region has no iterator");
        diagnostics.push(error.help("indices are iterators, as in out[k][j][i]"));
    }
    if !stated.is_empty() {
        let is_used = |one: &&Name| seen.contains(&one.text);
        let missing = found.iter().find(|name| !stated.iter().any(|one| one.text == name.text));
        if let Some(missing) = missing {
            let what = format!("'{}' is not among the iterators of the header", missing.text);
            let error = Diagnostic::error(missing.span, what);
            diagnostics.push(error.note(stated[0].span, "they are listed here"));
        }
        found = stated.iter().filter(is_used).cloned().collect();
    }
    (diagnostics.len() == before).then_some(found)
}

/// A cell that another point assigns is not read, and not assigned to.
fn check_order(cells: &[Cell], diagnostics: &mut Vec<Diagnostic>) {
    let place = |cell: &Cell| cell.indices.iter().map(affine).collect::<Result<Vec<_>, _>>().ok();
    let mut told = BTreeSet::new();
    for written in cells.iter().filter(|cell| cell.is_written) {
        let Some(here) = place(written) else { continue };
        for other in cells.iter().filter(|other| other.name.text == written.name.text) {
            let Some(there) = place(other) else { continue };
            let is_apart = |(one, two): (&Affine, &Affine)| {
                one.is_constant() && two.is_constant() && one != two
            };
            let span = other.name.span;
            if here != there && !here.iter().zip(&there).any(is_apart) && told.insert(span) {
                let name = &other.name.text;
                let verb = if other.is_written { "assigned to" } else { "read" };
                let what = format!("'{name}' is {verb} at a cell that another point assigns to");
                let help = "the result depends on the order of the loops; assign to another \
                            array, or end the region and its loops before this statement";
                let error = Diagnostic::error(span, what).help(help);
                diagnostics.push(error.note(written.name.span, "it is assigned to here"));
            }
        }
    }
}

/// The largest domain, in the words of a header, with the extents by name.
fn suggestion(cells: &[Cell], iterators: &[Name]) -> String {
    let mut text = "domain ".to_owned();
    for name in iterators {
        let (mut low, mut high) = (0, 0);
        for index in cells.iter().flat_map(|cell| &cell.indices) {
            if let Ok(affine) = affine(index)
                && let Some((_, shift)) = affine.shifted().filter(|(one, _)| *one == name.text)
            {
                (low, high) = (low.min(shift), high.max(shift));
            }
        }
        let size = format!("N{}", name.text);
        text.push_str(&format!("[{}:{size}-{}]", low.unsigned_abs(), high.unsigned_abs() + 1));
    }
    text
}

/// The scalars that an expression names.
pub fn scalars(value: &Expression) -> Vec<&Name> {
    let mut found = BTreeMap::new();
    for name in operands(value) {
        if let ExpressionKind::Name(name) = &name.kind {
            // Names that a macro gives are all at one place.
            found.insert((name.span, &name.text), name);
        }
    }
    found.into_values().collect()
}

/// The functions that an expression calls.
pub fn calls(value: &Expression) -> Vec<String> {
    let name = |one: &Expression| match &one.kind {
        ExpressionKind::Call { name, .. } => Some(name.text.clone()),
        _ => None,
    };
    operands(value).into_iter().filter_map(name).collect()
}

/// An expression and all in it.
pub fn operands(value: &Expression) -> Vec<&Expression> {
    let mut found = vec![value];
    let mut at = 0;
    while let Some(one) = found.get(at) {
        at += 1;
        match &one.kind {
            ExpressionKind::Negate(one) => found.push(one),
            ExpressionKind::Binary(_, one, two) => found.extend([&**one, &**two]),
            ExpressionKind::Call { arguments, .. } => found.extend(arguments),
            _ => {}
        }
    }
    found
}
