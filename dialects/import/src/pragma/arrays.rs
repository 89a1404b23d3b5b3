//! The arrays of a region as declarations of its program.
//!
//! A first extent that the text does not state is what the points of the region reach.

use super::{
    declarations::Variable,
    points::{self, Points},
    program::Cell,
    scope::{Scope, affine},
    surroundings::FrameKind,
};
use crate::{
    diagnostic::Diagnostic,
    stencilgen::ast::{Declaration, Integer, List, Listed, Name, Program, Type},
};

/// The arrays in the order of their declarations, those of headers first.
pub fn arrays(scope: &Scope, cells: &[Cell]) -> Vec<Name> {
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

/// Adds declarations to a program.
pub struct Builder<'b, 's, 't> {
    /// What the region sees.
    pub scope: Scope<'s, 't>,
    /// Its points.
    pub points: Option<&'b Points>,
    /// Its cells.
    pub cells: &'b [Cell],
    /// The program.
    pub program: Program,
}

impl Builder<'_, '_, '_> {
    /// Declares an array or a scalar.
    pub fn declare(&mut self, name: &Name, r#type: Type, extents: Vec<Integer>, is_written: bool) {
        let lists = [List::CopyIn, List::CopyOut];
        for list in &lists[..1 + usize::from(is_written)] {
            self.program.listed.push(Listed { list: *list, name: name.clone() });
        }
        self.program.declarations.push(Declaration { r#type, name: name.clone(), extents });
    }

    /// Declares an array; errors where its extents are not known.
    pub fn array(&mut self, name: &Name, diagnostics: &mut Vec<Diagnostic>) {
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
                        diagnostics.push(self.scope.no_value(&what, &unknown));
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
