//! A region with its surroundings as a program of the STENCILGEN language: one stencil function
//! and one call.
//!
//! A loop nest computes all statements at one point before the next point, a stencil function each
//! statement at all points before the next statement. Both are the same unless a cell is read that
//! another point assigns, which is refused: what it gives depends on the order of loops or threads.

use super::{
    declarations::{Aliases, Variable},
    points::{self, Points, Values},
    regions::{self, Statement},
    scalars::Scalars,
    scope::{Affine, FileScope, Scope, affine},
    surroundings::{FrameKind, Region},
};
use crate::{
    diagnostic::{Diagnostic, Span},
    stencilgen::ast::{
        self, Call, Clause, Declaration, Expression, ExpressionKind, Integer, List, Listed, Name,
        Program, Stencil, Step, Target, Type,
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
    /// What was taken from where.
    pub remark: Diagnostic,
}

/// A cell that a statement reads or writes.
struct Cell {
    name: Name,
    /// Its resolved indices.
    indices: Vec<Integer>,
    is_written: bool,
}

/// Makes a region's program; none after errors.
pub fn understand(
    file: &FileScope,
    aliases: &Aliases,
    region: &Region,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Understood> {
    let before = diagnostics.len();
    let (name, clauses) = regions::head(file.text, region.begin, diagnostics);
    let mut statements = regions::statements(file, aliases, region, diagnostics);
    if statements.iter().all(|one| one.target.indices.is_empty()) && diagnostics.len() == before {
        let error = Diagnostic::error(region.span, "this region assigns to no cell");
        diagnostics.push(error.help("write a statement as out[k][j][i] = in[k][j][i+1];"));
    }
    if diagnostics.len() > before {
        return None;
    }
    let scope = Scope { file, region };
    let cells = resolve(&scope, &mut statements);
    let iterators = iterators(&scope, &cells, &clauses, diagnostics)?;
    check_order(&cells, diagnostics);
    let arrays = arrays(&scope, &cells);
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
    let is_array = |name: &str| arrays.iter().any(|one| one.text == name);
    let mut scalars = Scalars::new(scope, &iterators);
    scalars.gather(&statements, &is_array, diagnostics);
    for (name, r#type) in &scalars.arguments {
        builder.declare(name, *r#type, Vec::new(), false);
    }
    let Builder { mut program, .. } = builder;
    let points = points.filter(|_| diagnostics.len() == before)?;
    let remark = remark(file, &name, &program, &points);
    let span = region.span;
    program.stencils.push(Stencil {
        name: name.clone(),
        formals: Vec::new(),
        locals: scalars.locals,
        hints: Vec::new(),
        clauses,
        statements: statements.into_iter().filter_map(statement).collect(),
        span,
    });
    program.steps.push(Step::Call(Call {
        region: Some(box_of(&iterators, &points)),
        callee: name.clone(),
        arguments: Vec::new(),
        span: name.span,
    }));
    Some(Understood { name: name.text, program, iterators, remark })
}

/// The arrays in the order of their declarations, those of headers first.
fn arrays(scope: &Scope, cells: &[Cell]) -> Vec<Name> {
    let mut arrays = Vec::<Name>::new();
    for cell in cells {
        if !arrays.iter().any(|one| one.text == cell.name.text) {
            arrays.push(cell.name.clone());
        }
    }
    let place = |name: &Name| scope.variable(&name.text).map(|one| one.name.span.start);
    let said = &scope.file.header.variables;
    let is_of_header = |name: &Name| said.iter().any(|one| one.name.text == name.text);
    arrays.sort_by_key(|name| (!is_of_header(name), place(name)));
    arrays
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

/// Replaces names that stand for numbers, and lists the cells.
fn resolve(scope: &Scope, statements: &mut [Statement]) -> Vec<Cell> {
    let mut cells = Vec::new();
    let resolve = |indices: &mut Vec<Integer>| {
        for index in indices {
            *index = scope.resolve(index);
        }
    };
    for statement in statements {
        let Target { name, indices, .. } = &mut statement.target;
        if !indices.is_empty() {
            resolve(indices);
            cells.push(Cell { name: name.clone(), indices: indices.clone(), is_written: true });
        }
        let Some((_, value)) = &mut statement.value else { continue };
        let mut open = vec![value];
        while let Some(one) = open.pop() {
            if let ExpressionKind::Name(name) = &one.kind {
                let number = size(scope, name).map(ExpressionKind::Int);
                one.kind = number.unwrap_or_else(|| ExpressionKind::Name(name.clone()));
                continue;
            }
            match &mut one.kind {
                ExpressionKind::Access { name, indices } => {
                    resolve(indices);
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
    cells
}

/// The number that a name of a size stands for.
fn size(scope: &Scope, name: &Name) -> Option<i64> {
    scope.is_size(&name.text).then_some(())?;
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
            diagnostics.push(points::no_value("this index", &unknown));
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

struct Builder<'b, 's, 't> {
    scope: Scope<'s, 't>,
    points: Option<&'b Points>,
    cells: &'b [Cell],
    program: Program,
}

impl Builder<'_, '_, '_> {
    fn declare(&mut self, name: &Name, r#type: Type, extents: Vec<Integer>, is_written: bool) {
        let lists = [List::CopyIn, List::CopyOut];
        for list in &lists[..1 + usize::from(is_written)] {
            self.program.listed.push(Listed { list: *list, name: name.clone() });
        }
        self.program.declarations.push(Declaration { r#type, name: name.clone(), extents });
    }

    fn array(&mut self, name: &Name, diagnostics: &mut Vec<Diagnostic>) {
        let rank = self.of(name).map(|cell| cell.indices.len()).max().unwrap_or(0);
        let example = || {
            let dims = (0..rank).map(|dim| format!("[N{dim}]")).collect::<String>();
            format!("write '// stencil: double {}{dims};' with the extents", name.text)
        };
        let Some(variable) = self.scope.variable(&name.text).cloned() else {
            let what = format!("the extents of '{}' are not known", name.text);
            let error = Diagnostic::error(name.span, what).help("it is not declared here");
            diagnostics.push(error.help(format!("{}, or --declare it", example())));
            return;
        };
        let at = variable.name.span;
        if variable.pointers > 0 {
            let what = format!("'{}' is made of pointers to rows", name.text);
            let help = format!(
                "its cells are not one after the other: declare it as double (*{})[M][N]",
                name.text
            );
            let error = Diagnostic::error(name.span, what).help(help);
            return diagnostics.push(error.note(at, "declared here"));
        }
        let Some(r#type) = variable.r#type.filter(|_| variable.is_exact) else {
            let what = format!("'{}' is not of double, float or int", name.text);
            return diagnostics.push(Diagnostic::error(name.span, what).note(at, "declared here"));
        };
        if self.is_inner(&variable) {
            let what = format!("'{}' is an array of one point or one block", name.text);
            let help = "the caller does not have it; use the arrays that it is made of";
            let error = Diagnostic::error(name.span, what).help(help);
            return diagnostics.push(error.note(at, "declared here"));
        }
        let flat = self.of(name).find(|cell| {
            let affine = cell.indices.first().map(affine);
            rank == 1 && !matches!(affine, Some(Ok(one)) if one.factors.len() <= 1)
        });
        if let (1, Some(cell)) = (variable.extents.len(), flat) {
            let what = format!("'{}' is indexed by a sum of several iterators", name.text);
            let help = format!(
                "write the cell as {0}[k][j][i], with double (*{0})[M][N] for its memory",
                name.text
            );
            diagnostics.push(Diagnostic::error(cell.indices[0].span(), what).help(help));
            return;
        }
        if let Some(extents) = self.extents(name, &variable, &example(), diagnostics) {
            let is_written = self.of(name).any(|cell| cell.is_written);
            let name = Name { text: name.text.clone(), span: at };
            self.declare(&name, r#type, extents, is_written);
        }
    }

    /// Whether an array is made in the loops, or in a kernel.
    fn is_inner(&self, variable: &Variable) -> bool {
        let surroundings = self.scope.file.surroundings;
        let nest = points::outermost(&self.scope, &self.program.iterators);
        let around = surroundings.around(self.scope.region.frame);
        let mut functions = around
            .filter(|(_, frame)| matches!(frame.kind, FrameKind::Function { is_kernel: true, .. }));
        let outer = functions.next().map(|(id, _)| id).or(nest);
        let span = outer.map(|id| surroundings.frames[id].span);
        let is_inside =
            span.is_some_and(|span| (span.start..span.end).contains(&variable.name.span.start));
        is_inside && !variable.is_parameter && variable.value.is_none()
    }

    fn of(&self, name: &Name) -> impl Iterator<Item = &Cell> {
        self.cells.iter().filter(|cell| cell.name.text == name.text)
    }

    fn extents(
        &self,
        name: &Name,
        variable: &Variable,
        example: &str,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Vec<Integer>> {
        let at = variable.name.span;
        let mut extents = Vec::new();
        if variable.extents.is_empty() {
            let what = format!("'{}' is a scalar and has no cells", name.text);
            diagnostics.push(Diagnostic::error(name.span, what).note(at, "declared here"));
            return None;
        }
        for (dim, extent) in variable.extents.iter().enumerate() {
            let value = match extent {
                Some(tokens) => match self.scope.evaluate_tokens(tokens) {
                    Ok(value) => value,
                    Err(unknown) => {
                        let what = format!("an extent of '{}'", name.text);
                        diagnostics.push(points::no_value(&what, &unknown));
                        return None;
                    }
                },
                None => match self.reach(name, dim) {
                    Some(value) => value,
                    // What the points are is said already.
                    None if self.points.is_none() => return None,
                    None => {
                        let what = format!("the first extent of '{}' is not known", name.text);
                        let error = Diagnostic::error(name.span, what).help(example);
                        diagnostics.push(error.note(at, "declared here"));
                        return None;
                    }
                },
            };
            extents.push(Integer::Literal(value, at));
        }
        Some(extents)
    }

    /// One more than the largest index of a dimension at all points.
    fn reach(&self, name: &Name, dim: usize) -> Option<i64> {
        let mut reach = 0;
        for cell in self.of(name) {
            let affine = affine(cell.indices.get(dim)?).ok()?;
            let mut last = affine.constant;
            for (iterator, factor) in &affine.factors {
                let values = self.points?.get(iterator)?;
                let end = if *factor > 0 { values.last } else { values.first };
                last = last.checked_add(end.checked_mul(*factor)?)?;
            }
            reach = reach.max(last.checked_add(1)?);
        }
        Some(reach)
    }
}

/// The scalars that an expression names.
pub fn scalars(value: &Expression) -> Vec<&Name> {
    let mut found = BTreeMap::new();
    let mut open = vec![value];
    while let Some(one) = open.pop() {
        match &one.kind {
            ExpressionKind::Name(name) => drop(found.insert(name.span, name)),
            ExpressionKind::Negate(one) => open.push(one),
            ExpressionKind::Binary(_, one, two) => open.extend([&**one, &**two]),
            ExpressionKind::Call { arguments, .. } => open.extend(arguments),
            _ => {}
        }
    }
    found.into_values().collect()
}
