//! Sizes that a program leaves open: parameters without a value.
//!
//! A program is imported for one value of each, the reference, and its bounds are then moved to
//! other values. That is what the text says where an open size is the extent of an array, or an
//! index or a bound that is a number away from one, as `N-1` is. Other uses are refused here, with
//! their place: a product, a sum of two sizes, a number in a statement, a number of time steps.

use super::{
    ast::{self, Integer, IntegerOperator, Name},
    sink::Sink,
    syntax,
};
use crate::{
    Options,
    diagnostic::{Diagnostic, Span},
};
use std::collections::{BTreeMap, BTreeSet};

/// A size without a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenSize {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// The dimensions of the largest array that has it as an extent; 0 without one.
    pub rank: usize,
}

/// An extent of an array: the place of an open size and what is added to it; none for a number.
pub type OpenExtent = Option<(usize, i64)>;

/// The open sizes of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenProgram {
    /// They, in the order of the text.
    pub sizes: Vec<OpenSize>,
    /// Its arrays, each with its extents.
    pub arrays: Vec<(String, Vec<OpenExtent>)>,
}

/// The open sizes of each program of a file; none of a text with errors, which importing tells.
pub fn programs(text: &str, options: &Options) -> Vec<OpenProgram> {
    let parsed = syntax::parse(text, options.artemis_compat);
    if parsed.diagnostics.iter().any(|one| one.severity == crate::diagnostic::Severity::Error) {
        return Vec::new();
    }
    let definitions = options.definitions.iter().cloned().collect::<BTreeMap<_, _>>();
    let programs = &parsed.file.programs;
    // A definition is for all programs of a file, and so is the lack of one.
    let open = programs.iter().flat_map(|program| &program.parameters);
    let open =
        open.filter(|one| one.default.is_none() && !definitions.contains_key(&one.name.text));
    let open = open.map(|one| one.name.text.clone()).collect::<Vec<_>>();
    programs.iter().map(|program| of_program(program, &open, &definitions)).collect()
}

fn of_program(
    program: &ast::Program,
    open: &[String],
    definitions: &BTreeMap<String, i64>,
) -> OpenProgram {
    let names = Sizes::of(program, open, definitions);
    let mut found = OpenProgram::default();
    for parameter in program.parameters.iter().filter(|one| open.contains(&one.name.text)) {
        let Name { text, span } = parameter.name.clone();
        found.sizes.push(OpenSize { name: text, span, rank: 0 });
    }
    for array in program.declarations.iter().filter(|one| !one.extents.is_empty()) {
        let extent = |integer: &Integer| {
            let Linear { number, terms } = names.linear(integer).ok()?;
            let (name, _) = terms.into_iter().next()?;
            let place = found.sizes.iter().position(|size| size.name == name)?;
            Some((place, number?))
        };
        let extents = array.extents.iter().map(extent).collect::<Vec<_>>();
        for (place, _) in extents.iter().flatten() {
            let rank = &mut found.sizes[*place].rank;
            *rank = extents.len().max(*rank);
        }
        found.arrays.push((array.name.text.clone(), extents));
    }
    found
}

/// Refuses open sizes where they are something else than extents.
pub(super) fn check(
    program: &ast::Program,
    open: &[String],
    definitions: &BTreeMap<String, i64>,
    sink: &mut Sink,
) {
    if open.is_empty() {
        return;
    }
    let mut check = Check { sizes: Sizes::of(program, open, definitions), sink };
    for default in program.parameters.iter().filter_map(|one| one.default.as_ref()) {
        // Where it is used it is checked as what it is.
        if let Err(misuse) = check.sizes.linear(default) {
            check.refuse(&misuse);
        }
    }
    let extents = program.declarations.iter().flat_map(|one| &one.extents);
    extents.for_each(|extent| check.integer(extent));
    check.steps(&program.steps);
    for stencil in &program.stencils {
        let formals = stencil.formals.iter().map(|formal| &formal.name.text);
        let locals = stencil.locals.iter().map(|local| &local.declaration.name.text);
        let hidden = formals.chain(locals).cloned().collect::<BTreeSet<_>>();
        let mut sizes = check.sizes.clone();
        sizes.parameters.retain(|name, _| !hidden.contains(name));
        Check { sizes, sink: &mut *check.sink }.stencil(stencil);
    }
}

/// A sum of a number and multiples of open sizes; none for the number if iterators are in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Linear {
    number: Option<i64>,
    terms: BTreeMap<String, i64>,
}

/// What is wrong with the use of an open size.
struct Misuse {
    size: String,
    span: Span,
    what: &'static str,
}

/// The parameters of a program, those that are open among them.
#[derive(Clone)]
struct Sizes {
    parameters: BTreeMap<String, Linear>,
}

impl Sizes {
    fn of(program: &ast::Program, open: &[String], definitions: &BTreeMap<String, i64>) -> Self {
        let mut sizes = Self { parameters: BTreeMap::new() };
        for one in &program.parameters {
            let name = &one.name.text;
            let default = || one.default.as_ref().and_then(|it| sizes.linear(it).ok());
            let linear = match definitions.get(name) {
                _ if open.contains(name) => {
                    Linear { number: Some(0), terms: BTreeMap::from([(name.clone(), 1)]) }
                }
                Some(value) => Linear { number: Some(*value), terms: BTreeMap::new() },
                None => default().unwrap_or_default(),
            };
            sizes.parameters.insert(name.clone(), linear);
        }
        sizes
    }

    /// An integer as a sum of open sizes.
    fn linear(&self, integer: &Integer) -> Result<Linear, Misuse> {
        match integer {
            Integer::Literal(value, _) => Ok(Linear { number: Some(*value), ..Linear::default() }),
            Integer::Name(name) => Ok(self.parameters.get(&name.text).cloned().unwrap_or_default()),
            Integer::Negate(one, _) => Ok(self.linear(one)?.times(-1)),
            Integer::Binary(operator, one, two, span) => {
                let (one, two) = (self.linear(one)?, self.linear(two)?);
                let size = [&one, &two].into_iter().find_map(|it| it.terms.keys().next()).cloned();
                let misuse = |size: String| Misuse {
                    size,
                    span: *span,
                    what: "stands in a product or a quotient",
                };
                match (operator, size) {
                    (IntegerOperator::Add, _) => Ok(one.plus(two)),
                    (IntegerOperator::Subtract, _) => Ok(one.plus(two.times(-1))),
                    (_, Some(size)) => Err(misuse(size)),
                    (IntegerOperator::Multiply, None) => Ok(one.by(&two, i64::checked_mul)),
                    (IntegerOperator::Divide, None) => Ok(one.by(&two, i64::checked_div)),
                }
            }
        }
    }
}

impl Linear {
    fn times(mut self, factor: i64) -> Self {
        self.number = self.number.and_then(|number| number.checked_mul(factor));
        self.terms.values_mut().for_each(|term| *term = term.saturating_mul(factor));
        self
    }

    fn plus(mut self, other: Self) -> Self {
        self.number = self.number.zip(other.number).and_then(|(one, two)| one.checked_add(two));
        for (name, factor) in other.terms {
            let term = self.terms.entry(name).or_default();
            *term = term.saturating_add(factor);
        }
        self.terms.retain(|_, factor| *factor != 0);
        self
    }

    /// Of two numbers.
    fn by(&self, other: &Self, operator: fn(i64, i64) -> Option<i64>) -> Self {
        let number = self.number.zip(other.number).and_then(|(one, two)| operator(one, two));
        Self { number, terms: BTreeMap::new() }
    }
}

/// Looks for misuses.
struct Check<'s> {
    sizes: Sizes,
    sink: &'s mut Sink,
}

impl Check<'_> {
    fn refuse(&mut self, misuse: &Misuse) {
        let Misuse { size, span, what } = misuse;
        let message = format!("size '{size}' has no value, and {what}");
        let help = format!(
            "an open size is the extent of an array, or an index or a bound that is a number away \
             from one, as {size}-1; else give it a value: -D {size}=512"
        );
        self.sink.push(Diagnostic::error(*span, message).help(help));
    }

    /// An extent, an index or a bound.
    fn integer(&mut self, integer: &Integer) {
        let found = self.sizes.linear(integer).and_then(|linear| {
            let mut terms = linear.terms.iter();
            match (terms.next(), terms.next()) {
                (None, _) | (Some((_, 1)), None) => Ok(()),
                (Some((size, _)), _) => Err(Misuse {
                    size: size.clone(),
                    span: integer.span(),
                    what: "is subtracted, or summed with itself or with another open size",
                }),
            }
        });
        if let Err(misuse) = found {
            self.refuse(&misuse);
        }
    }

    /// What has to be a number when the program is compiled.
    fn number(&mut self, integer: &Integer, what: &'static str) {
        let size = match self.sizes.linear(integer) {
            Ok(linear) => linear.terms.into_keys().next(),
            Err(misuse) => Some(misuse.size),
        };
        if let Some(size) = size {
            self.refuse(&Misuse { size, span: integer.span(), what });
        }
    }

    fn region(&mut self, region: Option<&ast::Region>) {
        for range in region.iter().flat_map(|region| &region.ranges) {
            self.integer(&range.lower);
            range.upper.iter().for_each(|upper| self.integer(upper));
        }
    }

    fn steps(&mut self, steps: &[ast::Step]) {
        for step in steps {
            match step {
                ast::Step::Call(call) => self.region(call.region.as_ref()),
                ast::Step::Iterate(iterate) => {
                    let range = &iterate.range;
                    for end in [Some(&range.lower), range.upper.as_ref()].into_iter().flatten() {
                        self.number(end, "is a number of time steps");
                    }
                    self.steps(&iterate.body);
                }
            }
        }
    }

    fn stencil(&mut self, stencil: &ast::Stencil) {
        for local in &stencil.locals {
            local.declaration.extents.iter().for_each(|extent| self.integer(extent));
            local.value.iter().for_each(|value| self.expression(value));
        }
        for statement in &stencil.statements {
            self.region(statement.region.as_ref());
            statement.target.indices.iter().for_each(|index| self.integer(index));
            self.expression(&statement.value);
        }
    }

    fn expression(&mut self, expression: &ast::Expression) {
        for name in expression.names() {
            self.number(&Integer::Name(name.clone()), "is a number in a statement");
        }
        for (_, indices) in expression.accesses() {
            indices.iter().for_each(|index| self.integer(index));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<String> {
        let parsed = syntax::parse(text, false);
        assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
        let mut sink = Sink::default();
        let open = ["N".to_owned(), "M".to_owned()];
        let definitions = BTreeMap::from([("N".to_owned(), 64), ("M".to_owned(), 64)]);
        parsed.file.programs.iter().for_each(|one| check(one, &open, &definitions, &mut sink));
        let message =
            |one: Diagnostic| format!("{} {}", &text[one.span.start..one.span.end], one.message);
        sink.into_sorted().into_iter().map(message).collect()
    }

    fn program(extents: &str, statement: &str, steps: &str) -> String {
        format!(
            "parameter N, M, K = 3, L = N - 1;\niterator j, i;\ndouble u[{extents}], v[N,M];\n\
             copyin u, v;\nstencil f (a, b) {{ {statement} }}\n{steps}\ncopyout v;\n"
        )
    }

    const STATEMENT: &str = "[1:L][2*K:M-K] : a[j][i] = K*b[j-1][i] + b[N-1][i] + b[0][0];";

    #[test]
    fn extents_bounds_and_indices_away_from_them_are_taken() {
        let taken = program("N+2*K,L", STATEMENT, "[0:N-1][K:M-1] : f (v, u);");
        assert_eq!(said(&taken), [""; 0]);
        // A formal argument hides a size.
        let hidden = "parameter N; iterator i; double u[N], x; copyin u, x;
            stencil f (a, N) { a[i] = a[i]*N; } f (u, x); copyout u;";
        assert_eq!(said(hidden), [""; 0]);
    }

    #[test]
    fn other_uses_are_refused_where_they_are() {
        let extents = |extents| said(&program(extents, STATEMENT, "f (v, u);"));
        let has_no_value = |place: &str, size: &str, what: &str| {
            vec![format!("{place} size '{size}' has no value, and {what}")]
        };
        let product = "stands in a product or a quotient";
        assert_eq!(extents("N,M/2"), has_no_value("M/2", "M", product));
        assert_eq!(extents("N,K*M"), has_no_value("K*M", "M", product));
        let sum = "is subtracted, or summed with itself or with another open size";
        assert_eq!(extents("N,M+L"), has_no_value("M+L", "M", sum));
        assert_eq!(extents("N,K-M"), has_no_value("K-M", "M", sum));
        assert_eq!(extents("N,M+M"), has_no_value("M+M", "M", sum));
        assert_eq!(extents("N,M+N-N"), [""; 0]);
        let statement = |statement| said(&program("N,M", statement, "f (v, u);"));
        let number = "is a number in a statement";
        assert_eq!(statement("a[j][i] = b[j][i]/L;"), has_no_value("L", "N", number));
        assert_eq!(statement("a[j][i] = b[j][M/2];"), has_no_value("M/2", "M", product));
        assert_eq!(statement("[0:M/2][0:3] : a[j][i] = 1.0;"), has_no_value("M/2", "M", product));
        let steps = |steps: &str| said(&program("N,M", STATEMENT, steps));
        let count = "is a number of time steps";
        assert_eq!(steps("iterate N { f (v, u); }"), has_no_value("N", "N", count));
        assert_eq!(steps("[0:K*N][0:3] : f (v, u);"), has_no_value("K*N", "N", product));
        let default = "parameter N, H = N/2; iterator i; double u[N]; copyin u;
            stencil f (a) { a[i] = 1.0; } f (u); copyout u;";
        assert_eq!(said(default), has_no_value("N/2", "N", product));
    }

    #[test]
    fn arrays_say_what_their_extents_are() {
        let text = program("N+2*K,7", STATEMENT, "f (v, u);");
        let options = Options::default();
        let [found] = &programs(&text, &options)[..] else { panic!("one program") };
        let sizes = found.sizes.iter().map(|size| (size.name.as_str(), size.rank));
        assert_eq!(sizes.collect::<Vec<_>>(), [("N", 2), ("M", 2)]);
        let expected = [
            ("u".to_owned(), vec![Some((0, 6)), None]),
            ("v".to_owned(), vec![Some((0, 0)), Some((1, 0))]),
        ];
        assert_eq!(found.arrays, expected);
        // What the command line says is not open.
        let definitions = vec![("N".to_owned(), 9)];
        let options = Options { definitions, ..options };
        let [found] = &programs(&text, &options)[..] else { panic!("one program") };
        assert_eq!(found.sizes.len(), 1);
        assert_eq!(found.arrays[0].1, [None, None]);
    }
}
