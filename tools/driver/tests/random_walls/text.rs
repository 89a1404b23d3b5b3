//! Time loops as text in the dialect.

use super::program::{Cells, Extras, Item, Part, Program, Source};
use crate::{random_imports::Random, random_loops};
use std::{collections::BTreeSet, fmt::Write};

impl Program {
    /// The module.
    pub fn text(&self) -> String {
        let (element, rank) = (self.element, self.rank());
        let mut text = String::new();
        writeln!(text, "!field = {}", field(&self.field, element)).unwrap();
        if self.coefficients > 0 {
            writeln!(text, "!coefficient = {}", field(&self.coefficient(), element)).unwrap();
        }
        writeln!(text, "!temp = !stencil.temp<{}{element}>\n", "?x".repeat(rank)).unwrap();
        writeln!(text, "func.func @main({}) {{", self.parameters()).unwrap();
        let [first, step, ..] = self.iterations;
        writeln!(text, "  %first = arith.constant {first} : index").unwrap();
        writeln!(text, "  %step = arith.constant {step} : index").unwrap();
        if !self.is_run_time_count {
            writeln!(text, "  %last = arith.constant {} : index", self.last()).unwrap();
        }
        self.print_wraps(&mut text);
        self.head(&mut text);
        for item in self.items.iter().filter(|item| item.is_loaded_early) {
            self.loads(&mut text, item);
        }
        self.numbers(&mut text);
        for item in &self.items {
            self.print(&mut text, item);
        }
        self.tail(&mut text);
        text
    }

    /// Scalar arguments of the function, by position.
    pub fn scalars(&self) -> Vec<(usize, String)> {
        let fields = self.slots().len() + self.coefficients;
        let mut scalars = Vec::new();
        if self.uses(|extras| extras.constant || extras.carried) {
            scalars.push((fields, "0.75".to_owned()));
        }
        if self.is_run_time_count {
            scalars.push((fields + scalars.len(), self.last().to_string()));
        }
        scalars
    }

    /// Where the induction variable ends.
    fn last(&self) -> i64 {
        let [first, step, count, less] = self.iterations;
        first + step * count - less
    }

    fn parameters(&self) -> String {
        let mut parameters = Vec::new();
        for (unknown, age) in self.slots() {
            parameters.push(format!("%f{unknown}_{age}: !field"));
        }
        for number in 0..self.coefficients {
            parameters.push(format!("%k{number}: !coefficient"));
        }
        if self.uses(|extras| extras.constant || extras.carried) {
            parameters.push(format!("%constant: {}", self.element));
        }
        if self.is_run_time_count {
            parameters.push("%last: index".to_owned());
        }
        if self.read_behind.is_some() {
            parameters.push("%seen: !field".to_owned());
        }
        parameters.join(", ")
    }

    fn uses(&self, what: impl Fn(&Extras) -> bool) -> bool {
        self.items.iter().flat_map(|item| &item.parts).any(|part| what(&part.extras))
    }

    /// Unknown and age of each field, as the loop begins.
    fn slots(&self) -> Vec<(usize, usize)> {
        let all = self.rotations.iter().enumerate();
        all.flat_map(|(unknown, rotation)| (1..=*rotation).map(move |age| (unknown, age))).collect()
    }

    /// What the loop carries: name, first value, value at the end of an iteration, type.
    fn carried(&self) -> Vec<[String; 4]> {
        let slots = self.slots().into_iter();
        let rotated = slots.filter(|(unknown, _)| self.rotations[*unknown] > 1);
        let mut carried = rotated
            .map(|(unknown, age)| {
                let before = if age == 1 { self.rotations[unknown] } else { age - 1 };
                [
                    self.name(unknown, age),
                    format!("%f{unknown}_{age}"),
                    self.name(unknown, before),
                    "!field".to_owned(),
                ]
            })
            .collect::<Vec<_>>();
        if self.uses(|extras| extras.carried) {
            carried.push(["%number", "%constant", "%halved", self.element].map(str::to_owned));
        }
        carried
    }

    /// A field in the loop.
    fn name(&self, unknown: usize, age: usize) -> String {
        let word = if self.rotations[unknown] == 1 { "f" } else { "u" };
        format!("%{word}{unknown}_{}", age.min(self.rotations[unknown]))
    }

    fn source(&self, source: Source) -> (String, &'static str) {
        match source {
            Source::Level { unknown, age } => (self.name(unknown, age), "!field"),
            Source::New { unknown } => (self.name(unknown, self.rotations[unknown]), "!field"),
            Source::Coefficient(number) => (format!("%k{number}"), "!coefficient"),
        }
    }

    fn head(&self, text: &mut String) {
        let carried = self.carried();
        if carried.is_empty() {
            writeln!(text, "  scf.for %i = %first to %last step %step {{").unwrap();
            return;
        }
        let names = carried.iter().map(|[name, first, ..]| format!("{name} = {first}"));
        let names = names.collect::<Vec<_>>().join(", ");
        let (count, types) = (carried.len(), types(&carried));
        writeln!(
            text,
            "  %end:{count} = scf.for %i = %first to %last step %step iter_args({names})\n      \
             -> ({types}) {{"
        )
        .unwrap();
    }

    fn tail(&self, text: &mut String) {
        let carried = self.carried();
        let element = self.element;
        if self.uses(|extras| extras.carried) {
            writeln!(text, "    %half = arith.constant 0.5 : {element}").unwrap();
            writeln!(text, "    %halved = arith.mulf %number, %half : {element}").unwrap();
        }
        if !carried.is_empty() {
            let next = carried.iter().map(|[_, _, next, _]| next.clone()).collect::<Vec<_>>();
            writeln!(text, "    scf.yield {} : {}", next.join(", "), types(&carried)).unwrap();
        }
        writeln!(text, "  }}").unwrap();
        if let Some(unknown) = self.read_behind {
            let name = self.name(unknown, 1);
            let slot = carried.iter().position(|[own, ..]| *own == name);
            let field = slot.map_or(name, |slot| format!("%end#{slot}"));
            let bounds = bounds(&self.field);
            writeln!(
                text,
                "  %left = stencil.load {field} : !field -> !temp
  stencil.store %left to %seen({bounds}) : !temp to !field"
            )
            .unwrap();
        }
        writeln!(text, "  return\n}}").unwrap();
    }

    /// The number of the iteration, if it is used.
    fn numbers(&self, text: &mut String) {
        if !self.uses(|extras| extras.time) {
            return;
        }
        random_loops::print_time(text, self.element, 0.125);
    }

    fn loads(&self, text: &mut String, item: &Item) {
        for (position, source) in sources(item).into_iter().enumerate() {
            let (field, r#type) = self.source(source);
            let name = item.name();
            writeln!(text, "    %{name}_{position} = stencil.load {field} : {type} -> !temp")
                .unwrap();
        }
    }

    fn print(&self, text: &mut String, item: &Item) {
        if !item.is_loaded_early {
            self.loads(text, item);
        }
        let (name, element) = (item.name(), self.element);
        let sources = sources(item);
        let mut arguments = (0..sources.len())
            .map(|position| format!("%x{position} = %{name}_{position} : !temp"))
            .collect::<Vec<_>>();
        let uses = |what: fn(&Extras) -> bool| item.parts.iter().any(|part| what(&part.extras));
        let mut number = |is_used: bool, inner: &str, outer: &str| {
            if is_used {
                arguments.push(format!("{inner} = {outer} : {element}"));
            }
        };
        number(uses(|extras| extras.constant), "%c", "%constant");
        number(uses(|extras| extras.time), "%t", "%time");
        number(uses(|extras| extras.carried), "%n", "%number");
        let count = item.parts.len();
        let (arguments, temps) = (arguments.join(", "), vec!["!temp"; count].join(", "));
        writeln!(
            text,
            "    %{name}:{count} = stencil.apply({arguments}) -> ({temps})\n        attributes \
             {{stencil.stage = \"{name}\"}} {{"
        )
        .unwrap();
        let mut point = Point { text, element, made: 0 };
        let values = item.parts.iter().map(|part| point.value(part, &sources));
        let values = values.collect::<Vec<_>>().join(", ");
        let elements = vec![element; count].join(", ");
        writeln!(text, "      stencil.return {values} : {elements}\n    }}").unwrap();
        for (result, part) in item.parts.iter().enumerate() {
            let field = self.name(part.unknown, item.age.unwrap_or(self.rotations[part.unknown]));
            let points = bounds(&part.points);
            writeln!(
                text,
                "    stencil.store %{name}#{result} to {field}({points}) : !temp to !field"
            )
            .unwrap();
        }
    }
}

/// What an apply loads.
fn sources(item: &Item) -> Vec<Source> {
    let reads = item.parts.iter().flat_map(|part| &part.reads);
    reads.map(|(source, _)| *source).collect::<BTreeSet<_>>().into_iter().collect()
}

fn types(carried: &[[String; 4]]) -> String {
    carried.iter().map(|[.., r#type]| r#type.clone()).collect::<Vec<_>>().join(", ")
}

/// The operations of a point.
struct Point<'t> {
    text: &'t mut String,
    element: &'static str,
    made: usize,
}

impl Point<'_> {
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

    fn constant(&mut self, value: f64) -> String {
        let element = self.element;
        self.make(&format!("arith.constant {value:?} : {element}"))
    }

    /// A sum of what a part reads, changed as it says.
    fn value(&mut self, part: &Part, sources: &[Source]) -> String {
        let mut random = Random::new(part.seed);
        let extras = part.extras;
        let mut values = Vec::new();
        for (source, offset) in &part.reads {
            let position = sources.iter().position(|it| it == source).unwrap();
            values.push(self.make(&format!("stencil.access %x{position}{offset:?} : !temp")));
        }
        if let Some(d) = extras.coordinate {
            values.push(self.coordinate(d, part.points.lower.len()));
        }
        if values.is_empty() {
            values.push(self.constant(0.25 + random.below(64) as f64 / 64.0));
        }
        let share = 1.0 / values.len() as f64;
        let mut sum: Option<String> = None;
        for mut value in values {
            if extras.is_weighted {
                let factor = self.constant(share * (0.5 + random.below(64) as f64 / 128.0));
                value = self.binary("mulf", &value, &factor);
            }
            sum = Some(match sum {
                None => value,
                Some(sum) => self.binary(["addf", "subf"][random.below(2)], &sum, &value),
            });
        }
        let mut value = sum.expect("there is a value");
        let Extras { constant, time, carried, is_negated, .. } = extras;
        let factors = [constant.then_some("%c"), time.then_some("%t"), carried.then_some("%n")];
        for factor in factors.into_iter().flatten() {
            value = self.binary("mulf", &value, factor);
        }
        let element = self.element;
        match is_negated {
            true => self.make(&format!("arith.negf {value} : {element}")),
            false => value,
        }
    }

    fn coordinate(&mut self, d: usize, rank: usize) -> String {
        let element = self.element;
        let index = self.make(&format!("stencil.index {d} <{:?}>", vec![0; rank]));
        let whole = self.make(&format!("arith.index_cast {index} : index to i32"));
        let number = self.make(&format!("arith.sitofp {whole} : i32 to {element}"));
        let scale = self.constant(0.015625);
        self.binary("mulf", &number, &scale)
    }
}

fn bounds(cells: &Cells) -> String {
    format!("<{:?}, {:?}>", cells.lower, cells.upper)
}

fn field(cells: &Cells, element: &str) -> String {
    let ends = cells.lower.iter().zip(&cells.upper);
    let ends = ends.map(|(lower, upper)| format!("[{lower},{upper}]")).collect::<Vec<_>>();
    format!("!stencil.field<{}x{element}>", ends.join("x"))
}
