//! Prints a program in the custom syntax of the `stencil` dialect.
//!
//! The style decides between alternative spellings; guards of operations (clamps, constants) and
//! the copies of an unrolled body are expanded here.

mod point;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::bounds::Bounds;
use crate::layout::Layout;
use crate::program::{
    Apply, Body, Combine, Function, Loop, LoopBound, Module, Operand, Output, Program, Statement,
    Value,
};
use crate::types::{Scalar, Type};

impl Program {
    /// The text of the program, which ends with a newline.
    ///
    /// # Panics
    ///
    /// If the program is not valid (`check`).
    pub fn text(&self) -> String {
        let layout = Layout::infer(self).expect("a valid program has finite bounds");
        let mut printer = Printer::new(self, &layout);
        printer.program();
        printer.out
    }
}

/// Text under construction.
struct Printer<'a> {
    program: &'a Program,
    layout: &'a Layout,
    out: String,
    depth: usize,
    names: BTreeMap<Value, String>,
    used_names: BTreeSet<String>,
    next_number: usize,
    /// The outer value of each argument of an apply, which determines its type.
    sources: BTreeMap<Value, Value>,
    /// The field of each unused load, whose box is the temp's.
    idle_loads: BTreeMap<Value, Value>,
    attribute_places: u64,
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program, layout: &'a Layout) -> Self {
        let mut idle_loads = BTreeMap::new();
        program.walk(&mut |statement| {
            if let Statement::Load { field, result } = statement
                && layout.temp(*result).is_none()
            {
                idle_loads.insert(*result, *field);
            }
        });
        Printer {
            program,
            layout,
            out: String::new(),
            depth: 0,
            names: BTreeMap::new(),
            used_names: BTreeSet::new(),
            next_number: 0,
            sources: BTreeMap::new(),
            idle_loads,
            attribute_places: program.seed,
        }
    }

    fn line(&mut self, text: &str) {
        let indent = "  ".repeat(self.depth);
        writeln!(self.out, "{indent}{text}").expect("writing to a string does not fail");
    }

    /// Writes a line that opens a region.
    fn open(&mut self, text: &str) {
        self.line(text);
        self.depth += 1;
    }

    /// Writes a line that closes a region.
    fn close(&mut self, text: &str) {
        self.depth -= 1;
        self.line(text);
    }

    /// A new name for a value; a copy of an unrolled body names its values anew.
    fn define(&mut self, value: Value) -> String {
        let role = match self.program.type_of(value) {
            Type::Field(..) => "f",
            Type::Temp(..) => "t",
            Type::Result(_) => "r",
            Type::Scalar(Scalar::Index) => "i",
            Type::Scalar(Scalar::I1) => "c",
            Type::Scalar(_) => "x",
        };
        let name = self.fresh(&format!("{role}{}", value.0));
        self.names.insert(value, name.clone());
        name
    }

    /// A unique name.
    fn fresh(&mut self, hint: &str) -> String {
        if self.program.style.numbers {
            self.next_number += 1;
            return format!("%{}", self.next_number - 1);
        }
        let mut name = format!("%{hint}");
        let mut copy = 0;
        while !self.used_names.insert(name.clone()) {
            copy += 1;
            name = format!("%{hint}_{copy}");
        }
        name
    }

    fn define_all(&mut self, values: &[Value]) -> String {
        if values.len() < 2 || !self.program.style.grouped_results {
            return values.iter().map(|v| self.define(*v)).collect::<Vec<_>>().join(", ");
        }
        let group = self.fresh(&format!("g{}", values[0].0));
        for (n, value) in values.iter().enumerate() {
            self.names.insert(*value, format!("{group}#{n}"));
        }
        format!("{group}:{}", values.len())
    }

    fn name(&self, value: Value) -> String {
        self.names.get(&value).cloned().expect("a valid program uses visible values")
    }

    fn name_list(&self, values: &[Value]) -> String {
        values.iter().map(|v| self.name(*v)).collect::<Vec<_>>().join(", ")
    }

    fn ty(&self, value: Value) -> String {
        let value = self.sources.get(&value).copied().unwrap_or(value);
        match self.program.type_of(value) {
            Type::Scalar(scalar) => scalar.name().to_string(),
            Type::Result(scalar) => format!("!stencil.result<{}>", scalar.name()),
            Type::Field(element, _) => {
                format!("!stencil.field<{}{}>", boxed(&self.layout.field(value)), element.name())
            }
            Type::Temp(element, rank) if self.program.style.unknown_bounds => {
                format!("!stencil.temp<{}{}>", "?x".repeat(rank), element.name())
            }
            Type::Temp(element, _) => {
                let idle = || self.idle_loads.get(&value).map(|field| self.layout.field(*field));
                let bounds = self.layout.temp(value).cloned().or_else(idle);
                let bounds = bounds.expect("in a valid program every temp is needed");
                format!("!stencil.temp<{}{}>", boxed(&bounds), element.name())
            }
        }
    }

    fn type_list(&self, values: &[Value]) -> String {
        values.iter().map(|v| self.ty(*v)).collect::<Vec<_>>().join(", ")
    }

    /// An attribute dictionary at some optional places, preceded by a blank.
    fn attributes(&mut self) -> &'static str {
        if !self.program.style.attributes {
            return "";
        }
        self.attribute_places += 1;
        match self.attribute_places % 6 {
            0 => " attributes {}",
            3 => " attributes {tag = \"a\", weight = 2 : i64}",
            _ => "",
        }
    }

    fn program(&mut self) {
        self.line(&format!("// Seed {}.", self.program.seed));
        match self.program.style.module {
            Module::None => {}
            Module::Plain => self.open("module {"),
            Module::Builtin => self.open("builtin.module {"),
        }
        let mut functions: Vec<&Function> = self.program.functions.values().collect();
        if !self.program.style.main_first {
            functions.rotate_left(1);
        }
        functions.into_iter().for_each(|function| self.function(function));
        if self.program.style.module != Module::None {
            self.close("}");
        }
    }

    fn function(&mut self, function: &Function) {
        self.used_names.clear();
        self.names.clear();
        let parameters = function.parameters.iter().map(|parameter| {
            let scratch = self.program.scratch.contains(parameter);
            let marked = if scratch { " {stencil.scratch}" } else { "" };
            format!("{}: {}{marked}", self.define(*parameter), self.ty(*parameter))
        });
        let parameters = parameters.collect::<Vec<_>>().join(", ");
        let private = if function.name == "main" { "" } else { "private " };
        let head = format!("func.func {private}@{}({parameters})", function.name);
        match &function.body {
            Body::Stencil(statements) => {
                let c_interface = self.program.style.attributes && function.name == "main";
                let attributes =
                    if c_interface { " attributes {llvm.emit_c_interface}" } else { "" };
                self.open(&format!("{head}{attributes} {{"));
                statements.iter().for_each(|statement| self.statement(statement));
                self.line("func.return");
            }
            Body::Scalar(block) => {
                let types = self.type_list(&block.yields);
                self.open(&format!("{head} -> {types} {{"));
                block.ops.iter().for_each(|op| self.op(op));
                let values = self.name_list(&block.yields);
                self.line(&format!("func.return {values} : {types}"));
            }
        }
        self.close("}");
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Compute(op) => self.op(op),
            Statement::Load { field, result } => self.rename("stencil.load", *field, *result),
            Statement::Cast { field, result } => self.rename("stencil.cast", *field, *result),
            Statement::Buffer { source, result } => {
                self.rename("stencil.buffer", *source, *result);
            }
            Statement::Alloc { result } => {
                let name = self.define(*result);
                self.line(&format!("{name} = stencil.alloc : {}", self.ty(*result)));
            }
            Statement::Apply(apply) => self.apply(apply),
            Statement::Combine(combine) => self.combine(combine),
            Statement::Store { temp, field, range } => {
                let range = corners(&self.layout.range(*field, range));
                let attributes = self.attributes();
                let (temp_type, field_type) = (self.ty(*temp), self.ty(*field));
                let (temp, field) = (self.name(*temp), self.name(*field));
                self.line(&format!(
                    "stencil.store {temp} to {field}({range}){attributes} : {temp_type} to \
                     {field_type}"
                ));
            }
            Statement::Loop(l) => self.time_loop(l),
            Statement::Call { function, arguments } => {
                let name = &self.program.functions[function].name;
                let (values, types) = (self.name_list(arguments), self.type_list(arguments));
                self.line(&format!("func.call @{name}({values}) : ({types}) -> ()"));
            }
        }
    }

    /// An operation from one value to another of another type.
    fn rename(&mut self, op: &str, from: Value, to: Value) {
        let (source, result, attributes) = (self.name(from), self.define(to), self.attributes());
        let (from, to) = (self.ty(from), self.ty(to));
        self.line(&format!("{result} = {op} {source}{attributes} : {from} -> {to}"));
    }

    fn apply(&mut self, apply: &Apply) {
        let mut operands = vec![];
        for Operand { source, argument } in &apply.operands {
            let outside = self.name(*source);
            self.sources.insert(*argument, *source);
            operands.push(format!("{} = {outside} : {}", self.define(*argument), self.ty(*source)));
        }
        let operands = operands.join(", ");
        let attributes = match self.program.plans.get(&apply.first_output()) {
            Some(plan) => format!(" attributes {{stencil.plan = #stencil.plan<{{{plan}}}>}}"),
            None => self.attributes().to_owned(),
        };
        match &apply.output {
            Output::Values(results) => {
                let (names, types) = (self.define_all(results), self.type_list(results));
                self.open(&format!(
                    "{names} = stencil.apply({operands}) -> ({types}){attributes} {{"
                ));
            }
            Output::Fields { fields, .. } => {
                let outs = fields.iter().map(|f| format!("{} : {}", self.name(*f), self.ty(*f)));
                let outs = outs.collect::<Vec<_>>().join(", ");
                self.open(&format!("stencil.apply({operands}) outs ({outs}){attributes} {{"));
            }
        }
        self.apply_body(apply);
        let points = self.layout.points(apply).expect("in a valid program every apply is needed");
        let values = matches!(apply.output, Output::Values(_));
        let silent = values && (!apply.bounds_clause || self.program.style.unknown_bounds);
        let clause = if silent { String::new() } else { format!(" to {}", corners(&points)) };
        self.close(&format!("}}{clause}"));
    }

    fn combine(&mut self, combine: &Combine) {
        let side =
            |values: &[Value]| format!("{} : {}", self.name_list(values), self.type_list(values));
        let mut text = format!(
            "stencil.combine {} at {} lower = ({}) upper = ({})",
            combine.dim,
            combine.at,
            side(&combine.lower),
            side(&combine.upper)
        );
        for (word, values) in [("lowerext", &combine.lower_only), ("upperext", &combine.upper_only)]
        {
            if !values.is_empty() {
                text += &format!(" {word} = {}", side(values));
            }
        }
        let attributes = self.attributes();
        let (names, types) = (self.define_all(&combine.results), self.type_list(&combine.results));
        self.line(&format!("{names} = {text}{attributes} : {types}"));
    }

    fn time_loop(&mut self, l: &Loop) {
        let bounds = [l.lower, l.upper, LoopBound::Constant(l.step)].map(|bound| match bound {
            LoopBound::Constant(n) => self.index_constant(n),
            LoopBound::Argument(value) => self.name(value),
        });
        let inits: Vec<String> = l.slots.iter().map(|slot| self.name(slot.init)).collect();
        let results: Vec<Value> = l.slots.iter().map(|slot| slot.result).collect();
        let names = self.define_all(&results);
        let induction = self.define(l.induction);
        let head =
            format!("scf.for {induction} = {} to {} step {}", bounds[0], bounds[1], bounds[2]);
        if l.slots.is_empty() {
            self.open(&format!("{head} {{"));
        } else {
            let carried = l.slots.iter().zip(inits);
            let carried = carried.map(|(s, init)| format!("{} = {init}", self.define(s.argument)));
            let carried = carried.collect::<Vec<_>>().join(", ");
            let types = self.type_list(&results);
            self.open(&format!("{names} = {head} iter_args({carried}) -> ({types}) {{"));
        }
        l.body.iter().for_each(|statement| self.statement(statement));
        if !l.slots.is_empty() {
            let (values, types) = (self.name_list(&l.yields), self.type_list(&l.yields));
            self.line(&format!("scf.yield {values} : {types}"));
        }
        self.close("}");
    }

    /// Writes a constant of type `index` and gives its name.
    fn index_constant(&mut self, n: i64) -> String {
        let name = self.fresh("k");
        self.line(&format!("{name} = arith.constant {n} : index"));
        name
    }
}

/// The dimensions of a type: `[0,4]x[-1,3]x`.
fn boxed(bounds: &Bounds) -> String {
    let pairs = bounds.lower.iter().zip(&bounds.upper);
    pairs.map(|(lower, upper)| format!("[{lower},{upper}]x")).collect()
}

/// The corners of a box: `<[0, -1], [4, 3]>`.
fn corners(bounds: &Bounds) -> String {
    format!("<[{}], [{}]>", list(&bounds.lower), list(&bounds.upper))
}

/// Numbers with commas.
fn list(numbers: &[i64]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
