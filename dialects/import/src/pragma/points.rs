//! The points that a region is computed at: what a header says, else what the loops and the
//! conditions around the region say.
//!
//! In a kernel of CUDA, an iterator that a thread computes from its position begins at zero where
//! no condition says more. A condition that cannot be read is refused: it would be lost.

use super::{
    expressions::{self, Reader},
    scope::{Affine, Scope, Unknown, affine},
    surroundings::{Frame, FrameId, FrameKind, Loop},
    tokens::{Cursor, Token},
};
use crate::{
    diagnostic::{Diagnostic, Span},
    stencilgen::ast::{Expression, ExpressionKind, Name, Operator},
};
use std::collections::{BTreeMap, BTreeSet};

/// First and last value of an iterator, and where the text says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Values {
    /// The first.
    pub first: i64,
    /// The last.
    pub last: i64,
    /// Where.
    pub span: Span,
}

/// The values of iterators, by their names.
pub type Points = BTreeMap<String, Values>;

/// The points of a region, `unroll` of which a thread computes; errors where they are not known.
pub fn points(
    scope: &Scope,
    iterators: &[Name],
    unroll: &BTreeMap<String, u64>,
    suggestion: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Points> {
    let before = diagnostics.len();
    let points = match stated(scope, iterators, diagnostics) {
        Some(points) => points,
        None if diagnostics.len() > before => return None,
        None => surrounding(scope, iterators, unroll, suggestion, diagnostics)?,
    };
    for name in iterators {
        let Values { first, last, span } = points[&name.text];
        if first > last {
            let what = format!("iterator '{}' has no value: {first} to {last}", name.text);
            let help = "both ends are included in a domain; loops and conditions are as in C";
            diagnostics.push(Diagnostic::error(span, what).help(help));
        }
    }
    (diagnostics.len() == before).then_some(points)
}

/// What a header says.
fn stated(scope: &Scope, iterators: &[Name], diagnostics: &mut Vec<Diagnostic>) -> Option<Points> {
    let name = super::regions::name(scope.file.text, scope.region.begin);
    let domains = &scope.file.header.domains;
    let is_meant =
        |one: &&super::header::Domain| one.region.as_ref().is_none_or(|region| region.text == name);
    // What `--declare` says is before what the file says, a region's own domain before that of all.
    let order =
        |one: &&super::header::Domain| (one.span.start < scope.file.end, one.region.is_none());
    let domain = domains.iter().filter(is_meant).min_by_key(order)?;
    if domain.ranges.len() != iterators.len() {
        let (found, wanted) = (domain.ranges.len(), iterators.len());
        let names = iterators.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join(", ");
        let what = format!("this domain has {found} ranges, region '{name}' {wanted} iterators");
        let help = format!("they are {names}; a domain of one region is 'domain {name} [..]'");
        diagnostics.push(Diagnostic::error(domain.span, what).help(help));
        return None;
    }
    let mut points = Points::new();
    for (iterator, (lower, upper)) in iterators.iter().zip(&domain.ranges) {
        let mut value = |tokens| match scope.evaluate_tokens(tokens) {
            Ok(value) => Some(value),
            Err(unknown) => {
                diagnostics.push(scope.no_value("this bound", &unknown));
                None
            }
        };
        let (first, last) = (value(lower)?, value(upper)?);
        points.insert(iterator.text.clone(), Values { first, last, span: domain.span });
    }
    Some(points)
}

/// What is known of an iterator.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    first: Option<i64>,
    last: Option<i64>,
    span: Option<Span>,
}

impl Known {
    fn at_least(&mut self, first: i64, span: Span) {
        self.first = Some(self.first.map_or(first, |old| old.max(first)));
        self.span.get_or_insert(span);
    }

    fn at_most(&mut self, last: i64, span: Span) {
        self.last = Some(self.last.map_or(last, |old| old.min(last)));
        self.span.get_or_insert(span);
    }
}

/// Reads what is around a region.
struct Reading<'r, 's, 't> {
    scope: &'r Scope<'s, 't>,
    known: BTreeMap<String, Known>,
    /// Points of a thread.
    unroll: &'r BTreeMap<String, u64>,
    /// What could not be read, and why.
    refused: Vec<Diagnostic>,
    /// Sizes without a value, by their names.
    unknown: BTreeMap<String, Diagnostic>,
}

/// What the loops and conditions say.
fn surrounding(
    scope: &Scope,
    iterators: &[Name],
    unroll: &BTreeMap<String, u64>,
    suggestion: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Points> {
    let known = iterators.iter().map(|one| (one.text.clone(), Known::default())).collect();
    let mut reading =
        Reading { scope, known, unroll, refused: Vec::new(), unknown: BTreeMap::new() };
    let is_kernel = scope.file.surroundings.is_kernel(scope.region.frame);
    let nest = outermost(scope, iterators);
    for (id, frame) in scope.file.surroundings.around(scope.region.frame) {
        if !is_kernel && nest.is_none_or(|nest| id < nest) {
            break;
        }
        reading.frame(frame);
    }
    reading.jumps(nest, is_kernel);
    if is_kernel {
        reading.threads(iterators);
    }
    let Reading { known, refused, unknown, .. } = reading;
    let remedy = format!("or write '// stencil: {suggestion};' in the file, or --declare it");
    let mut points = Points::new();
    for name in iterators {
        match known[&name.text] {
            Known { first: Some(first), last: Some(last), span } => {
                let span = span.unwrap_or(name.span);
                points.insert(name.text.clone(), Values { first, last, span });
            }
            Known { first, .. } if refused.is_empty() && unknown.is_empty() => {
                let side = if first.is_none() { "first" } else { "last" };
                let what = format!("the {side} value of iterator '{}' is not known", name.text);
                let why = "no loop and no condition around the region says it";
                let error = Diagnostic::error(name.span, what).help(why);
                diagnostics.push(error.help(format!("write the loop, {remedy}")));
            }
            Known { .. } => {}
        }
    }
    diagnostics.extend(unknown.into_values());
    for refusal in refused {
        diagnostics.push(refusal.help(remedy.clone()));
    }
    (points.len() == iterators.len()).then_some(points)
}

/// The outermost loop over points.
pub fn outermost(scope: &Scope, iterators: &[Name]) -> Option<FrameId> {
    let is_iterator = |name: &Name| iterators.iter().any(|one| one.text == name.text);
    let loops = scope.loops().filter(|(_, _, variable)| variable.as_ref().is_some_and(is_iterator));
    loops.last().map(|(id, ..)| id)
}

impl<'t> Reading<'_, '_, 't> {
    fn refuse(&mut self, span: Span, what: impl Into<String>, help: impl Into<String>) {
        self.refused.push(Diagnostic::error(span, what).help(help));
    }

    /// Statements after which a region is not reached.
    fn jumps(&mut self, nest: Option<FrameId>, is_kernel: bool) {
        let surroundings = self.scope.file.surroundings;
        let is_function = |frame: &Frame| matches!(frame.kind, FrameKind::Function { .. });
        let mut around = surroundings.around(self.scope.region.frame);
        let outer = match is_kernel {
            true => around.find(|(_, frame)| is_function(frame)).map(|(id, _)| id),
            false => nest,
        };
        let Some(outer) = outer else { return };
        let end = self.scope.region.span.start;
        let start = surroundings.frames[outer].span.start;
        let is_before = |span: &Span| span.start >= start && span.start < end;
        let around = surroundings.around(self.scope.region.frame).map(|(id, _)| id);
        let around = around.collect::<BTreeSet<_>>();
        let frames = (outer..).zip(&surroundings.frames[outer..]);
        // A condition that skips the rest of a body which the region is not in.
        // In a loop of its own it skips the rest of that loop's body.
        let is_own = |id: FrameId| {
            surroundings
                .around(id)
                .any(|(id, frame)| matches!(frame.kind, FrameKind::For(_)) && !around.contains(&id))
        };
        let skips = |(id, frame): (FrameId, &Frame)| {
            let is_lost = !around.contains(&id) && !is_own(id);
            let conditions = frame.returns.iter().filter(|_| is_lost);
            let spans = conditions.filter_map(|condition| super::tokens::span_of(condition));
            spans.chain(frame.jump).filter(is_before).min_by_key(|span| span.start)
        };
        if let Some(span) = frames.filter_map(skips).min_by_key(|span| span.start) {
            let help = "write the condition around the region: if (i >= 1 && i < N-1)";
            self.refuse(span, "this skips the region, and when is not read", help);
        }
    }

    fn frame(&mut self, frame: &Frame<'t>) {
        match &frame.kind {
            FrameKind::For(head) => self.for_loop(head, frame.span),
            FrameKind::Guard(condition) => self.condition(condition, false),
            FrameKind::Other(what) => {
                let message = format!("the region is in {what}, which no domain describes");
                self.refuse(frame.span, message, "use 'for' and 'if (i >= 1 && i < N-1)'");
            }
            FrameKind::File | FrameKind::Function { .. } | FrameKind::Block => {}
        }
        let end = self.scope.region.span.start;
        for condition in &frame.returns {
            if super::tokens::span_of(condition).is_some_and(|span| span.start < end) {
                self.condition(condition, true);
            }
        }
    }

    fn for_loop(&mut self, head: &Loop<'t>, span: Span) {
        let text = self.scope.file.text;
        let Some(name) = super::scope::loop_variable(text, head) else {
            let help = "write it as for (k = 1; k < N-1; k++)";
            return self.refuse(head.span().unwrap_or(span), "this loop is not read", help);
        };
        if !self.known.contains_key(&name.text) {
            let what = format!("the loop over '{}' is inside of a loop over points", name.text);
            let help = "it is no index of the region; put it around all of them";
            return self.refuse(name.span, what, help);
        }
        let first = match self.scope.evaluate_tokens(super::scope::start_value(text, head)) {
            Ok(first) => first,
            Err(unknown) => {
                let error = self.scope.no_value("the start of this loop", &unknown);
                let name = unknown.name.unwrap_or_default();
                self.unknown.entry(name).or_insert(error);
                return;
            }
        };
        let here = head.span().unwrap_or(span);
        let mut known = self.known.get(&name.text).copied().unwrap_or_default();
        let step = step(text, head.step, &name.text);
        match step {
            Some(1) => known.at_least(first, here),
            Some(-1) => known.at_most(first, here),
            _ => {
                let what = format!("the loop over '{}' does not step by one", name.text);
                return self.refuse(here, what, "write 'k++': every point is computed");
            }
        }
        self.known.insert(name.text.clone(), known);
        self.condition(head.condition, false);
        // A loop ends where its condition does not hold, be it before its first point.
        let after = self.known.get(&name.text).copied().unwrap_or_default();
        let is_late =
            if step == Some(1) { after.first != known.first } else { after.last != known.last };
        if is_late {
            let what = "this loop has a condition on its first value";
            self.refuse(here, what, "write the condition inside of the loop: if (i >= 1)");
        }
    }

    /// A condition that holds at every point, or does not hold at any of them.
    fn condition(&mut self, tokens: &'t [Token], is_negated: bool) {
        let reader = Reader::new(self.scope.file.text, tokens, self.scope.file.calls);
        match reader.whole() {
            Ok(condition) => self.conjunction(&condition, is_negated),
            Err(refusal) => self.refused.push(*refusal),
        }
    }

    fn conjunction(&mut self, condition: &Expression, is_negated: bool) {
        let join = if is_negated { Operator::Or } else { Operator::And };
        let mut open = vec![condition];
        while let Some(one) = open.pop() {
            match &one.kind {
                ExpressionKind::Binary(operator, left, right) if *operator == join => {
                    open.extend([&**left, &**right]);
                }
                ExpressionKind::Binary(operator, left, right) => {
                    if self.comparison(*operator, left, right, one.span, is_negated).is_none() {
                        self.unread(one.span);
                    }
                }
                _ => self.unread(one.span),
            }
        }
    }

    fn unread(&mut self, span: Span) {
        let help = "a condition compares an iterator with a size: i >= 1 && i < N-1";
        self.refuse(span, "this condition is not read", help);
    }

    /// `i + 1 < N`, with the iterator on either side; none if it is something else.
    fn comparison(
        &mut self,
        operator: Operator,
        left: &Expression,
        right: &Expression,
        span: Span,
        is_negated: bool,
    ) -> Option<()> {
        let operator = if is_negated { opposite(operator)? } else { operator };
        let side =
            |one: &Expression| affine(&self.scope.resolve(&expressions::integer(one).ok()?)).ok();
        let (left, right) = (side(left)?, side(right)?);
        if [&left, &right].iter().any(|one| one.factors.keys().any(|name| self.wraps(name))) {
            // Unsigned numbers are compared, and none of them is below zero.
            let is_below =
                |one: &Affine| one.constant < 0 || one.factors.values().any(|&at| at < 0);
            if is_below(&left) || is_below(&right) {
                let help =
                    "an unsigned number is never below zero: write it as i >= 1, or with int i";
                self.refuse(span, "this condition compares unsigned numbers", help);
                return Some(());
            }
        }
        let Affine { constant, factors } = left.minus(right)?;
        if let Some(name) = factors.keys().find(|name| !self.known.contains_key(*name)) {
            let unknown = Unknown { name: Some(name.clone()), span };
            let error = self.scope.no_value("this condition", &unknown);
            self.unknown.entry(name.clone()).or_insert(error);
            return Some(());
        }
        let mut factors = factors.into_iter();
        let Some((name, factor)) = factors.next() else {
            let holds = match operator {
                Operator::Less => constant < 0,
                Operator::LessEqual => constant <= 0,
                Operator::Greater => constant > 0,
                Operator::GreaterEqual => constant >= 0,
                _ => return None,
            };
            return holds.then_some(());
        };
        // factor * i + constant, compared with zero.
        let known = self.known.get_mut(&name).filter(|_| factors.next().is_none())?;
        let bound = constant.checked_mul(factor)?.checked_neg()?;
        match (operator, factor) {
            (Operator::Less, 1) | (Operator::Greater, -1) => {
                known.at_most(bound.checked_sub(1)?, span);
            }
            (Operator::LessEqual, 1) | (Operator::GreaterEqual, -1) => known.at_most(bound, span),
            (Operator::Greater, 1) | (Operator::Less, -1) => {
                known.at_least(bound.checked_add(1)?, span);
            }
            (Operator::GreaterEqual, 1) | (Operator::LessEqual, -1) => known.at_least(bound, span),
            (Operator::Equal, 1 | -1) => {
                known.at_least(bound, span);
                known.at_most(bound, span);
            }
            _ => return None,
        }
        Some(())
    }

    /// Whether a variable is not of `int`, so that it might be unsigned.
    fn wraps(&self, name: &str) -> bool {
        self.scope.variable(name).is_some_and(|variable| !variable.is_exact)
    }

    /// The first values of iterators that threads of CUDA compute from their positions.
    fn threads(&mut self, iterators: &[Name]) {
        for name in iterators.iter().filter(|name| !self.scope.is_loop_variable(&name.text)) {
            let Some(threads) = threads_of(self.scope, &name.text, 0) else { continue };
            let unrolled = self.unroll.get(&name.text).copied().unwrap_or(1);
            if threads.step > 1 && threads.step.cast_unsigned() != unrolled {
                let (text, step) = (&name.text, threads.step);
                let what = format!("a thread computes every point {step} of '{text}' only");
                let help = format!("write 'unroll {text}={step}' if all points are meant");
                self.refuse(name.span, what, help);
            }
            let known = self.known.entry(name.text.clone()).or_default();
            known.at_least(threads.first, name.span);
        }
    }
}

fn opposite(operator: Operator) -> Option<Operator> {
    Some(match operator {
        Operator::Less => Operator::GreaterEqual,
        Operator::LessEqual => Operator::Greater,
        Operator::Greater => Operator::LessEqual,
        Operator::GreaterEqual => Operator::Less,
        Operator::NotEqual => Operator::Equal,
        _ => return None,
    })
}

/// 1 for `k++` and its like, -1 for `k--`.
fn step(text: &str, tokens: &[Token], name: &str) -> Option<i64> {
    let words = tokens.iter().map(|token| token.text(text)).collect::<Vec<_>>();
    match words.as_slice() {
        [one, "++"] | ["++", one] | [one, "+=", "1"] if *one == name => Some(1),
        [one, "--"] | ["--", one] | [one, "-=", "1"] if *one == name => Some(-1),
        [one, "=", two, "+", "1"] | [one, "=", "1", "+", two] if [*one, *two] == [name; 2] => {
            Some(1)
        }
        [one, "=", two, "-", "1"] if [*one, *two] == [name; 2] => Some(-1),
        _ => None,
    }
}

/// The values of a variable that is a sum of positions of threads and of numbers.
#[derive(Clone, Copy)]
struct Threads {
    first: i64,
    step: i64,
}

fn threads_of(scope: &Scope, name: &str, chain: usize) -> Option<Threads> {
    const CHAIN_MAX: usize = 8;
    let variable = scope.variable(name).filter(|one| !one.is_parameter && chain < CHAIN_MAX)?;
    let mut cursor = Cursor::new(scope.file.text, variable.value?);
    let mut found = Threads { first: 0, step: 0 };
    let mut sign = 1;
    loop {
        let term = cursor.until(&["+", "-"]);
        let one = threads_of_term(scope, term, chain).filter(|one| sign > 0 || one.step == 0)?;
        found.first = found.first.checked_add(one.first.checked_mul(sign)?)?;
        found.step = found.step.max(one.step);
        if cursor.is_end() {
            return Some(found);
        }
        sign = if cursor.eat("-") { -1 } else { 1 };
        if sign > 0 && !cursor.eat("+") {
            return None;
        }
    }
}

/// A term of a sum; its step is 0 without a position of a thread in its block.
fn threads_of_term(scope: &Scope, term: &[Token], chain: usize) -> Option<Threads> {
    let text = scope.file.text;
    if let Ok(first) = scope.evaluate_tokens(term) {
        return Some(Threads { first, step: 0 });
    }
    let words = term.iter().map(|token| token.text(text)).collect::<Vec<_>>();
    let has = |word: &str| words.contains(&word);
    if let [one] = words.as_slice() {
        return threads_of(scope, one, chain + 1);
    }
    // Positions are not negative, and their products with sizes are not either.
    if ["-", "/", "%", "<<", ">>"].into_iter().any(has) {
        return None;
    }
    if !has("threadIdx") {
        let is_positive = has("blockIdx") || (words.starts_with(&["max", "("]) && has("0"));
        return is_positive.then_some(Threads { first: 0, step: 0 });
    }
    let mut cursor = Cursor::new(text, term);
    let mut step = 1_i64;
    while !cursor.is_end() {
        let factor = cursor.until(&["*"]);
        step = step.checked_mul(scope.evaluate_tokens(factor).unwrap_or(1))?;
        if !cursor.eat("*") {
            break;
        }
    }
    Some(Threads { first: 0, step })
}
