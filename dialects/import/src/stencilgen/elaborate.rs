//! From syntax to steps: calls are inlined, time loops recognised.

use super::{
    ast::{self, Call, Iterate, Name},
    body::{Callee, open},
    components, pragma_hints,
    program::{ArrayId, Given, Loop, LoopId, LoopVariable, PragmaHints, Program, ScalarId, Step},
    roll,
    sink::{Sink, did_you_mean},
    slips,
    symbols::{self, Meaning, Symbols},
};
use crate::{
    Options,
    diagnostic::{Diagnostic, Span},
};
use std::{collections::BTreeMap, rc::Rc};

/// Checks a program and collects its steps. Valid only without errors.
pub fn elaborate(
    program: &ast::Program,
    definitions: &BTreeMap<String, i64>,
    options: &Options,
    sink: &mut Sink,
) -> Program {
    let symbols = symbols::gather(program, definitions, sink);
    let mut elaborator = Elaborator::new(program, &symbols, options);
    elaborator.check_stencils(sink);
    let steps = elaborator.steps(&program.steps, sink);
    if sink.has_errors() {
        // After an error, unvisited stencils are not reported as unused.
        return Program::default();
    }
    if program.steps.is_empty() {
        let message = "the program calls no stencil";
        sink.push(Diagnostic::warning(program.span, message).help("write name (array, array);"));
    }
    for (stencil, called) in program.stencils.iter().zip(&elaborator.called) {
        if !called {
            let name = &stencil.name;
            let message = format!("stencil '{}' is not called", name.text);
            sink.push(Diagnostic::warning(name.span, message));
        }
    }
    symbols.warn_unused(program, sink);
    let Elaborator { arrays, loops, .. } = elaborator;
    let scalars = symbols.scalars.clone();
    let text = program;
    let mut program = Program { arrays, scalars, loops, steps, span: text.span };
    slips::warn(text, &program, sink);
    if !sink.has_errors() {
        roll::roll(&mut program, sink);
    }
    components::join(&mut program, sink);
    program
}

/// The state of elaboration.
pub struct Elaborator<'p> {
    program: &'p ast::Program,
    /// Names of the program.
    pub symbols: &'p Symbols,
    /// How regions are treated.
    pub options: &'p Options,
    /// All arrays so far.
    pub arrays: Vec<super::program::Array>,
    /// How often each array was written so far.
    pub versions: Vec<u32>,
    /// All loop variables so far.
    pub loops: Vec<LoopVariable>,
    /// Loop variables that are visible, innermost last.
    pub visible: Vec<(String, LoopId)>,
    hints: Vec<Rc<PragmaHints>>,
    called: Vec<bool>,
}

impl<'p> Elaborator<'p> {
    fn new(program: &'p ast::Program, symbols: &'p Symbols, options: &'p Options) -> Self {
        let arrays = symbols.arrays.clone();
        let versions = vec![0; arrays.len()];
        let called = vec![false; program.stencils.len()];
        let (loops, visible, hints) = Default::default();
        Self { program, symbols, options, arrays, versions, loops, visible, hints, called }
    }

    fn check_stencils(&mut self, sink: &mut Sink) {
        for (position, stencil) in self.program.stencils.iter().enumerate() {
            let earlier = &self.program.stencils[..position];
            if let Some(first) = earlier.iter().find(|one| one.name.text == stencil.name.text) {
                let name = &stencil.name;
                let message = format!("stencil '{}' is defined twice", name.text);
                let error = Diagnostic::error(name.span, message);
                sink.push(error.note(first.name.span, "defined here first"));
            }
            self.hints.push(Rc::new(pragma_hints::gather(stencil, &self.symbols.iterators, sink)));
        }
    }

    fn steps(&mut self, steps: &[ast::Step], sink: &mut Sink) -> Vec<Step> {
        let mut gathered = Vec::new();
        for step in steps {
            match step {
                ast::Step::Call(call) => gathered.extend(self.call(call, sink)),
                ast::Step::Iterate(iterate) => gathered.extend(self.iterate(iterate, sink)),
            }
        }
        gathered
    }

    fn call(&mut self, call: &Call, sink: &mut Sink) -> Vec<Step> {
        let callee = &call.callee;
        let stencils = &self.program.stencils;
        let Some(position) = stencils.iter().position(|one| one.name.text == callee.text) else {
            if callee.text == SWAP {
                return self.swap(call, sink).into_iter().collect();
            }
            let message = format!("unknown stencil '{}'", callee.text);
            let known = stencils.iter().map(|one| one.name.text.as_str()).chain([SWAP]);
            let error = Diagnostic::error(callee.span, message);
            sink.push(match did_you_mean(&callee.text, known) {
                Some(hint) => error.help(hint),
                None => error.help("define it above: stencil name (out, in) { ... }"),
            });
            return Vec::new();
        };
        self.called[position] = true;
        let stencil = &stencils[position];
        let arguments = call.arguments.iter().map(|name| self.argument(name, sink));
        let Some(arguments) = arguments.collect::<Option<Vec<_>>>() else { return Vec::new() };
        let callee = Callee { stencil, hints: self.hints[position].clone(), arguments };
        open(self, call, &callee, sink)
    }

    /// The meaning of a name at a call.
    fn argument(&self, name: &Name, sink: &mut Sink) -> Option<Meaning> {
        let variable = self.visible.iter().rev().find(|(visible, _)| *visible == name.text);
        if let Some((_, id)) = variable {
            return Some(Meaning::Loop(*id));
        }
        match self.symbols.find(&name.text) {
            Some(Meaning::Unknown) => None,
            Some(meaning) => Some(meaning),
            None => {
                let local = self.visible.iter().map(|(visible, _)| visible.as_str());
                sink.push(self.symbols.unknown(name, local));
                None
            }
        }
    }

    /// `swap (a, b);`: the names change arrays, nothing moves.
    fn swap(&mut self, call: &Call, sink: &mut Sink) -> Option<Step> {
        if let Some(region) = &call.region {
            let message = "swap exchanges whole arrays";
            sink.push(Diagnostic::error(region.span, message).help("remove the region"));
            return None;
        }
        let [one, two] = call.arguments.as_slice() else {
            let message = format!("swap takes 2 arrays, not {}", call.arguments.len());
            sink.push(Diagnostic::error(call.span, message));
            return None;
        };
        let (a, b) = (self.swapped(one, sink)?, self.swapped(two, sink)?);
        if !self.check_like(&[(one, a), (two, b)], sink) {
            return None;
        }
        if a == b {
            let message = format!("swap exchanges '{}' with itself", one.text);
            let warning = Diagnostic::warning(call.span, message);
            sink.push(warning.help("name the arrays that change places: swap (new, old);"));
        }
        for id in [a, b] {
            self.versions[id] += 1;
        }
        (a != b).then(|| Step::Rename(vec![(a, b), (b, a)]))
    }

    fn swapped(&self, name: &Name, sink: &mut Sink) -> Option<ArrayId> {
        match self.argument(name, sink)? {
            Meaning::Array(id) if !self.arrays[id].read_only => Some(id),
            Meaning::Array(_) => {
                let message = format!("'{}' is constant, and cannot be swapped", name.text);
                sink.push(Diagnostic::error(name.span, message));
                None
            }
            _ => {
                let message = format!("'{}' is not an array", name.text);
                sink.push(Diagnostic::error(name.span, message).help("swap exchanges arrays"));
                None
            }
        }
    }

    /// Arrays that change places have one type and the same extents.
    fn check_like(&self, named: &[(&Name, ArrayId)], sink: &mut Sink) -> bool {
        let (first, rest) = named.split_first().expect("somebody changes places");
        let array = &self.arrays[first.1];
        for (name, id) in rest {
            let other = &self.arrays[*id];
            if (array.element, &array.extents) != (other.element, &other.extents) {
                let message = format!(
                    "'{}' and '{}' have different types or extents",
                    first.0.text, name.text
                );
                let help = "swapped arrays have the same type and extents";
                let error = Diagnostic::error(name.span, message).help(help);
                sink.push(error.note(array.span, "declared here").note(other.span, "and here"));
                return false;
            }
        }
        true
    }

    fn iterate(&mut self, iterate: &Iterate, sink: &mut Sink) -> Option<Step> {
        let rotation = self.rotation(iterate);
        let period = rotation.as_ref().map_or(1, |rotation| rotation.period);
        let values = self.values(&iterate.range, period, sink)?;
        if values.values().is_none() {
            let message = "this loop has no iteration";
            sink.push(Diagnostic::warning(iterate.range.span, message));
        }
        self.loops.push(values);
        let variable = self.loops.len() - 1;
        // The loop's writes put the arrays into a new version at its start, each time and after it.
        self.bump();
        let body = match rotation {
            Some(rotation) => {
                let mut body = self.call(rotation.call, sink);
                body.push(Step::Rename(rotation.renames));
                body
            }
            None => {
                let name = iterate.variable.as_ref().map(|name| name.text.clone());
                self.visible.extend(name.clone().map(|name| (name, variable)));
                let body = self.steps(&iterate.body, sink);
                if name.is_some() {
                    self.visible.pop();
                }
                body
            }
        };
        self.bump();
        Some(Step::Loop(Loop { variable, body, span: iterate.span }))
    }

    fn bump(&mut self) {
        self.versions.iter_mut().for_each(|version| *version += 1);
    }

    /// The values of a loop's variable; each iteration of the text counts `period` times.
    fn values(&self, range: &ast::Range, period: i64, sink: &mut Sink) -> Option<LoopVariable> {
        let end = range.upper.as_ref().unwrap_or(&range.lower);
        if let ast::Integer::Name(name) = end
            && let Some(meaning @ (Meaning::Scalar(_) | Meaning::Zero(_))) =
                self.symbols.find(&name.text)
        {
            let scalar = self.number_of_steps(name, meaning, sink)?;
            let (first, beyond) = match &range.upper {
                Some(_) => (self.symbols.evaluate(&range.lower, sink)?, 1),
                None => (0, 0),
            };
            return Some(LoopVariable::Given(Given { first, scalar, beyond, period }));
        }
        let (first, last) = self.iterations(range, sink)?;
        let last = first.checked_add((last - first + 1).max(0).checked_mul(period)? - 1)?;
        Some(LoopVariable::Known((first <= last).then_some((first, last))))
    }

    /// The scalar argument that is the trip count of a loop.
    fn number_of_steps(&self, name: &Name, meaning: Meaning, sink: &mut Sink) -> Option<ScalarId> {
        let text = &name.text;
        let (problem, help) = match meaning {
            Meaning::Scalar(id) if self.symbols.scalars[id].r#type == ast::Type::Int => {
                return Some(id);
            }
            Meaning::Scalar(_) => {
                ("is not an integer", format!("declare it as an int: int {text};"))
            }
            _ => ("has no value: no copyin names it", format!("write 'copyin {text};'")),
        };
        let message = format!("'{text}' {problem}, and cannot be the trip count of a loop");
        sink.push(Diagnostic::error(name.span, message).help(help));
        None
    }

    fn iterations(&self, range: &ast::Range, sink: &mut Sink) -> Option<(i64, i64)> {
        let lower = self.symbols.evaluate(&range.lower, sink)?;
        let (first, last) = match &range.upper {
            Some(upper) => (lower, self.symbols.evaluate(upper, sink)?),
            None => (0, lower.checked_sub(1)?),
        };
        if [first, last].iter().any(|value| i32::try_from(*value).is_err()) {
            let message = format!("a loop from {first} to {last} does not fit an int of 32 bits");
            sink.push(Diagnostic::error(range.span, message));
            return None;
        }
        Some((first, last))
    }

    /// A body that repeats one call with permuted arrays, such that the permutation closes, is one
    /// step of a loop with rotated arrays: `f (b, a); f (a, b);`.
    fn rotation<'i>(&self, iterate: &'i Iterate) -> Option<Rotation<'i>> {
        let mut calls = Vec::new();
        for step in &iterate.body {
            match step {
                ast::Step::Call(call) => calls.push(call),
                ast::Step::Iterate(_) => return None,
            }
        }
        let (first, rest) = calls.split_first()?;
        if rest.is_empty() || first.callee.text == SWAP || iterate.variable.is_some() {
            return None;
        }
        let is_alike = |call: &&&Call| {
            call.callee.text == first.callee.text
                && call.arguments.len() == first.arguments.len()
                && same_region(&call.region, &first.region)
        };
        if rest.iter().filter(is_alike).count() != rest.len() {
            return None;
        }
        let next = |call: &Call, other: &Call| {
            let mut map = BTreeMap::new();
            for (one, two) in call.arguments.iter().zip(&other.arguments) {
                if *map.entry(one.text.clone()).or_insert(two.text.clone()) != two.text {
                    return None;
                }
            }
            Some(map)
        };
        let sigma = next(first, rest[0])?;
        let after = calls.iter().cycle().skip(1);
        let is_next = |(one, two): (&&Call, &&Call)| next(one, two).as_ref() == Some(&sigma);
        if !calls.iter().zip(after).all(is_next) {
            return None;
        }
        let moved = sigma.iter().filter(|(from, to)| from != to);
        let mut renames = Vec::new();
        for (from, to) in moved {
            match (self.symbols.find(from)?, self.symbols.find(to)?) {
                (Meaning::Array(from), Meaning::Array(to)) => renames.push((from, to)),
                _ => return None,
            }
        }
        let is_like = |(from, to): &(ArrayId, ArrayId)| {
            let (one, two) = (&self.arrays[*from], &self.arrays[*to]);
            (one.element, &one.extents) == (two.element, &two.extents) && !one.read_only
        };
        if renames.is_empty() || !renames.iter().all(is_like) {
            return None;
        }
        Some(Rotation { call: first, renames, period: calls.len() as i64 })
    }
}

/// The call that exchanges two arrays, unless a stencil has this name.
pub const SWAP: &str = "swap";

/// One step of a loop with rotated arrays.
struct Rotation<'i> {
    call: &'i Call,
    renames: Vec<(ArrayId, ArrayId)>,
    period: i64,
}

fn same_region(one: &Option<ast::Region>, two: &Option<ast::Region>) -> bool {
    match (one, two) {
        (None, None) => true,
        (Some(one), Some(two)) => {
            let key = |region: &ast::Region| {
                let texts = region
                    .ranges
                    .iter()
                    .map(|range| (shape(&range.lower), range.upper.as_ref().map(shape)));
                texts.collect::<Vec<_>>()
            };
            key(one) == key(two)
        }
        _ => false,
    }
}

/// An integer without its spans.
pub fn shape(integer: &ast::Integer) -> String {
    match integer {
        ast::Integer::Literal(value, _) => value.to_string(),
        ast::Integer::Name(name) => name.text.clone(),
        ast::Integer::Negate(one, _) => format!("(-{})", shape(one)),
        ast::Integer::Binary(operator, one, two, _) => {
            format!("({} {operator:?} {})", shape(one), shape(two))
        }
    }
}

/// An error at a call with the wrong number of arguments.
pub fn wrong_count(call: &Call, stencil: &ast::Stencil) -> Diagnostic {
    let message = format!(
        "'{}' takes {} arguments, not {}",
        stencil.name.text,
        stencil.formals.len(),
        call.arguments.len()
    );
    let formals = stencil.formals.first().zip(stencil.formals.last());
    let span = formals.map_or(stencil.name.span, |(one, two): (&ast::Formal, &ast::Formal)| {
        Span::new(one.name.span.start, two.name.span.end)
    });
    Diagnostic::error(call.span, message).note(span, "its arguments are listed here")
}
