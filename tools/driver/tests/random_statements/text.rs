//! Time loops and groups as text in the dialect.

use super::program::{Box, Extras, Program, Source, Statement};
use crate::{random_imports::Random, random_loops};
use std::fmt::Write;

impl Program {
    /// The module, with a plan as an attribute of the loop, or of the applies of the group, or of
    /// the program.
    pub fn text(&self, plan: &str) -> String {
        let rank = self.domain.lower.len();
        let (unknowns, coefficients) = self.bounds();
        let mut text = String::new();
        for (number, bounds) in unknowns.iter().enumerate() {
            writeln!(text, "!u{number} = {}", field(bounds, self.element)).unwrap();
        }
        for (number, bounds) in coefficients.iter().enumerate() {
            writeln!(text, "!k{number} = {}", field(bounds, self.element)).unwrap();
        }
        writeln!(text, "!temp = !stencil.temp<{}{}>\n", "?x".repeat(rank), self.element).unwrap();
        let attributes = match self.is_planned {
            true => format!("\n    attributes {{stencil.program_plan = {plan}}} "),
            false => String::new(),
        };
        writeln!(text, "func.func @main({}) {attributes}{{", self.parameters()).unwrap();
        let [first, step, count] = self.iterations;
        writeln!(text, "  %first = arith.constant {first} : index").unwrap();
        writeln!(text, "  %step = arith.constant {step} : index").unwrap();
        if !self.is_run_time_count {
            let last = first + step * count;
            writeln!(text, "  %last = arith.constant {last} : index").unwrap();
        }
        self.allocate(&mut text);
        if !self.is_group {
            self.head(&mut text);
        }
        self.fill_levels(&mut text);
        self.numbers(&mut text);
        let computed = self.computed();
        for (number, statement) in self.statements.iter().enumerate() {
            if computed[number].is_none() {
                continue;
            }
            self.print(&mut text, number, statement, plan);
            if !self.fills_late {
                self.fill_new(&mut text, statement);
            }
        }
        for statement in self.statements.iter().filter(|_| self.fills_late) {
            self.fill_new(&mut text, statement);
        }
        match self.is_group {
            true => writeln!(text, "  return\n}}").unwrap(),
            false => self.tail(&mut text, plan),
        }
        text
    }

    /// Scalar arguments of the function, by position.
    pub fn scalars(&self) -> Vec<(usize, String)> {
        let fields = self.rotations.iter().sum::<usize>() + self.coefficients;
        let [first, step, count] = self.iterations;
        let mut scalars = vec![(fields, "0.75".to_owned())];
        if self.is_run_time_count {
            scalars.push((fields + 1, (first + step * count).to_string()));
        }
        scalars
    }

    fn parameters(&self) -> String {
        let mut parameters = Vec::new();
        for (unknown, age) in self.slots() {
            parameters.push(format!("%f{unknown}_{age}: !u{unknown}"));
        }
        for number in 0..self.coefficients {
            parameters.push(format!("%k{number}: !k{number}"));
        }
        parameters.push(format!("%constant: {}", self.element));
        if self.is_run_time_count {
            parameters.push("%last: index".to_owned());
        }
        parameters.join(", ")
    }

    /// Unknown and age of each field, as the loop begins.
    fn slots(&self) -> Vec<(usize, usize)> {
        let all = self.rotations.iter().enumerate();
        all.flat_map(|(unknown, rotation)| (1..=*rotation).map(move |age| (unknown, age))).collect()
    }

    /// What the loop carries: fields of unknowns that are not in place, and others.
    fn carried(&self) -> Vec<Carried> {
        let mut carried = Vec::new();
        for (unknown, age) in self.slots() {
            let rotation = self.rotations[unknown];
            if rotation > 1 {
                carried.push(Carried {
                    name: self.name(unknown, age),
                    start: self.start(unknown, age),
                    next: self.name(unknown, if age == 1 { rotation } else { age - 1 }),
                    r#type: format!("!u{unknown}"),
                });
            }
        }
        for number in (0..self.coefficients).filter(|_| self.hands_on_coefficients) {
            let name = format!("%c{number}");
            carried.push(Carried {
                next: name.clone(),
                name,
                start: format!("%k{number}"),
                r#type: format!("!k{number}"),
            });
        }
        if self.statements.iter().any(|statement| statement.extras.carried) {
            carried.push(Carried {
                name: "%number".to_owned(),
                start: "%constant".to_owned(),
                next: "%next".to_owned(),
                r#type: self.element.to_owned(),
            });
        }
        carried
    }

    /// A field before the loop.
    fn start(&self, unknown: usize, age: usize) -> String {
        match self.hidden[unknown] {
            Some(_) => format!("%h{unknown}_{age}"),
            None => format!("%f{unknown}_{age}"),
        }
    }

    fn name(&self, unknown: usize, age: usize) -> String {
        match self.rotations[unknown] {
            1 => self.start(unknown, age),
            _ => format!("%u{unknown}_{age}"),
        }
    }

    /// Fields of the function, with the content of arguments.
    fn allocate(&self, text: &mut String) {
        let (unknowns, _) = self.bounds();
        for (unknown, age) in self.slots() {
            if self.hidden[unknown].is_none() {
                continue;
            }
            let (own, points) = (format!("{unknown}_{age}"), bounds(&unknowns[unknown]));
            writeln!(
                text,
                "  %h{own} = stencil.alloc : !u{unknown}
  %i{own} = stencil.load %f{own} : !u{unknown} -> !temp
  stencil.store %i{own} to %h{own}({points}) : !temp to !u{unknown}"
            )
            .unwrap();
        }
    }

    fn head(&self, text: &mut String) {
        let carried = self.carried();
        if carried.is_empty() {
            writeln!(text, "  scf.for %i = %first to %last step %step {{").unwrap();
            return;
        }
        let names = carried.iter().map(|it| format!("{} = {}", it.name, it.start));
        let names = names.collect::<Vec<_>>().join(", ");
        let (count, types) = (carried.len(), types(&carried));
        writeln!(
            text,
            "  %end:{count} = scf.for %i = %first to %last step %step iter_args({names})\n      \
             -> ({types}) {{"
        )
        .unwrap();
    }

    fn tail(&self, text: &mut String, plan: &str) {
        let carried = self.carried();
        if carried.iter().any(|it| it.next == "%next") {
            let element = self.element;
            writeln!(text, "    %half = arith.constant 0.5 : {element}").unwrap();
            writeln!(text, "    %next = arith.mulf %number, %half : {element}").unwrap();
        }
        if !carried.is_empty() {
            let next = carried.iter().map(|it| it.next.clone()).collect::<Vec<_>>().join(", ");
            writeln!(text, "    scf.yield {next} : {}", types(&carried)).unwrap();
        }
        writeln!(text, "  }} {{stencil.plan = #stencil.plan<{{{plan}}}>}}").unwrap();
        let (unknowns, _) = self.bounds();
        for (unknown, hidden) in self.hidden.iter().enumerate() {
            let Some(Some(age)) = *hidden else { continue };
            let name = self.name(unknown, age);
            let slot = carried.iter().position(|it| it.name == name);
            let field = slot.map_or(name, |slot| format!("%end#{slot}"));
            let points = bounds(&unknowns[unknown]);
            writeln!(
                text,
                "  %o{unknown} = stencil.load {field} : !u{unknown} -> !temp
  stencil.store %o{unknown} to %f{unknown}_1({points}) : !temp to !u{unknown}"
            )
            .unwrap();
        }
        writeln!(text, "  return\n}}").unwrap();
    }

    /// Fills ghost cells of the levels that are read.
    fn fill_levels(&self, text: &mut String) {
        for (unknown, age) in self.ghosts().into_iter().filter(|(_, age)| *age > 0) {
            self.strips(text, (unknown, age), &self.name(unknown, age));
        }
    }

    /// Fills ghost cells of what a statement has stored, where they are read.
    fn fill_new(&self, text: &mut String, statement: &Statement) {
        for store in statement.results.iter().flatten() {
            let unknown = store.unknown;
            if self.ghosts().contains(&(unknown, 0)) {
                self.strips(text, (unknown, 0), &self.name(unknown, self.rotations[unknown]));
            }
        }
    }

    /// Copies of ghost cells from the other end of the domain, one dimension after the other.
    fn strips(&self, text: &mut String, (unknown, age): (usize, usize), field: &str) {
        let mut valid = self.domain.clone();
        for d in &self.periodic {
            let extent = self.domain.upper[*d] - self.domain.lower[*d];
            for (side, distance) in [("lower", extent), ("upper", -extent)] {
                let mut points = valid.clone();
                match side {
                    "lower" => {
                        points.upper[*d] = self.domain.lower[*d];
                        points.lower[*d] = self.domain.lower[*d] - 2;
                    }
                    _ => {
                        points.lower[*d] = self.domain.upper[*d];
                        points.upper[*d] = self.domain.upper[*d] + 2;
                    }
                }
                let mut offset = vec![0; valid.lower.len()];
                offset[*d] = distance;
                let name = format!("{unknown}_{age}_{d}_{side}");
                self.strip(text, (&name, field, unknown), (&offset, &points));
            }
            valid.lower[*d] -= 2;
            valid.upper[*d] += 2;
        }
    }

    fn strip(
        &self,
        text: &mut String,
        (name, field, unknown): (&str, &str, usize),
        (offset, points): (&[i64], &Box),
    ) {
        let element = self.element;
        writeln!(
            text,
            "    %g{name} = stencil.load {field} : !u{unknown} -> !temp
    %s{name} = stencil.apply(%x = %g{name} : !temp) -> (!temp) {{
      %0 = stencil.access %x{offset:?} : !temp
      stencil.return %0 : {element}
    }}
    stencil.store %s{name} to {field}({}) : !temp to !u{unknown}",
            bounds(points)
        )
        .unwrap();
    }

    /// The number of the iteration, if it is used.
    fn numbers(&self, text: &mut String) {
        if !self.statements.iter().any(|statement| statement.extras.time) {
            return;
        }
        random_loops::print_time(text, self.element, 0.0078125);
    }

    fn print(&self, text: &mut String, number: usize, statement: &Statement, plan: &str) {
        let Extras { constant, time, carried, .. } = statement.extras;
        let mut arguments = Vec::new();
        for (position, (source, _)) in statement.reads.iter().enumerate() {
            let value = self.value(text, number, position, *source);
            arguments.push(format!("%x{position} = {value} : !temp"));
        }
        if constant {
            arguments.push(format!("%c = %constant : {}", self.element));
        }
        if time {
            arguments.push(format!("%t = %time : {}", self.element));
        }
        if carried {
            arguments.push(format!("%n = %number : {}", self.element));
        }
        let count = statement.results.len();
        let temps = vec!["!temp"; count].join(", ");
        let arguments = arguments.join(", ");
        let attributes = match self.is_group {
            true if self.is_planned => {
                format!("\n        attributes {{stencil.stage = \"s{number}\"}}")
            }
            true => format!(
                "\n        attributes {{stencil.group = \"group\", stencil.plan = \
                 #stencil.plan<{{{plan}}}>}}"
            ),
            false => String::new(),
        };
        writeln!(
            text,
            "    %r{number}:{count} = stencil.apply({arguments})\n        -> \
             ({temps}){attributes} {{"
        )
        .unwrap();
        let mut point = Point::new(text, statement.seed, self.element);
        // Stages that nothing needs are erased, and plans cannot name them.
        point.uses_all = self.is_planned;
        point.read(statement);
        let values = (0..count).map(|_| point.combined()).collect::<Vec<_>>().join(", ");
        let elements = vec![self.element; count].join(", ");
        writeln!(text, "      stencil.return {values} : {elements}\n    }}").unwrap();
        for (result, store) in statement.results.iter().enumerate() {
            let Some(store) = store else { continue };
            let unknown = store.unknown;
            let field = self.name(unknown, self.rotations[unknown]);
            let points = bounds(&store.points);
            writeln!(
                text,
                "    stencil.store %r{number}#{result} to {field}({points}) : !temp to !u{unknown}"
            )
            .unwrap();
        }
    }

    /// The temp of what is read; loads it before the statement.
    fn value(&self, text: &mut String, number: usize, position: usize, source: Source) -> String {
        let (field, r#type) = match source {
            Source::Temp { statement, result } => return format!("%r{statement}#{result}"),
            Source::Level { unknown, age } => (self.name(unknown, age), format!("!u{unknown}")),
            Source::New { unknown } => {
                (self.name(unknown, self.rotations[unknown]), format!("!u{unknown}"))
            }
            Source::Coefficient(number) => {
                let name = if self.hands_on_coefficients { "c" } else { "k" };
                (format!("%{name}{number}"), format!("!k{number}"))
            }
        };
        let name = format!("%l{number}_{position}");
        writeln!(text, "    {name} = stencil.load {field} : {} -> !temp", r#type).unwrap();
        name
    }
}

/// What the loop carries.
struct Carried {
    name: String,
    start: String,
    /// The value at the end of an iteration.
    next: String,
    r#type: String,
}

fn types(carried: &[Carried]) -> String {
    carried.iter().map(|it| it.r#type.clone()).collect::<Vec<_>>().join(", ")
}

/// The operations of a point.
struct Point<'t> {
    text: &'t mut String,
    random: Random,
    element: &'static str,
    values: Vec<String>,
    made: usize,
    /// Whether no value is left out.
    uses_all: bool,
}

impl<'t> Point<'t> {
    fn new(text: &'t mut String, seed: u64, element: &'static str) -> Self {
        Self {
            text,
            random: Random::new(seed),
            element,
            values: Vec::new(),
            made: 0,
            uses_all: false,
        }
    }

    fn read(&mut self, statement: &Statement) {
        for (position, (_, offsets)) in statement.reads.iter().enumerate() {
            for offset in offsets {
                let value = self.make(&format!("stencil.access %x{position}{offset:?} : !temp"));
                self.values.push(value);
            }
        }
        let Extras { constant, time, carried, coordinate } = statement.extras;
        self.values.extend(constant.then(|| "%c".to_owned()));
        self.values.extend(time.then(|| "%t".to_owned()));
        self.values.extend(carried.then(|| "%n".to_owned()));
        if let Some(d) = coordinate {
            let rank = statement.reads[0].1[0].len();
            let index = self.make(&format!("stencil.index {d} <{:?}>", vec![0; rank]));
            let whole = self.make(&format!("arith.index_cast {index} : index to i32"));
            let to = self.element;
            let value = self.make(&format!("arith.sitofp {whole} : i32 to {to}"));
            let scale = self.make(&format!("arith.constant 0.015625 : {to}"));
            let value = self.binary("mulf", &value, &scale);
            self.values.push(value);
        }
    }

    fn make(&mut self, operation: &str) -> String {
        let name = format!("%v{}", self.made);
        self.made += 1;
        writeln!(self.text, "      {name} = {operation}").unwrap();
        name
    }

    fn binary(&mut self, word: &str, one: &str, two: &str) -> String {
        let element = self.element;
        self.make(&format!("arith.{word} {one}, {two} : {element}"))
    }

    /// A sum of most of the values, which does not grow much.
    fn combined(&mut self) -> String {
        let mut values = self.values.clone();
        if values.len() > 1 && self.random.one_in(3) && !self.uses_all {
            values.remove(self.random.below(values.len()));
        }
        let share = 1.0 / values.len() as f64;
        let mut sum: Option<String> = None;
        for value in values {
            let factor = share * (0.5 + self.random.below(64) as f64 / 128.0);
            let constant = format!("arith.constant {factor:?} : {}", self.element);
            let factor = self.make(&constant);
            let mut term = self.binary("mulf", &value, &factor);
            if self.random.one_in(12) {
                let word = ["maximumf", "mulf"][self.random.below(2)];
                term = self.binary(word, &term, &value);
            }
            sum = Some(match sum {
                None => term,
                Some(sum) => {
                    let word = ["addf", "addf", "subf"][self.random.below(3)];
                    self.binary(word, &sum, &term)
                }
            });
        }
        sum.expect("a statement reads something")
    }
}

fn bounds(points: &Box) -> String {
    format!("<{:?}, {:?}>", points.lower, points.upper)
}

fn field(bounds: &Box, element: &str) -> String {
    let ends = bounds.lower.iter().zip(&bounds.upper);
    let ends = ends.map(|(lower, upper)| format!("[{lower},{upper}]")).collect::<Vec<_>>();
    format!("!stencil.field<{}x{element}>", ends.join("x"))
}
