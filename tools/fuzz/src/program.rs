//! The model of a program: values, statements, functions.
//!
//! Only chosen bounds are stored (the ranges of stores): the bounds of temps and fields are derived
//! by `layout`. So any type-correct edit of the model gives a program whose reads are in bounds.

use std::collections::{BTreeMap, BTreeSet};

use crate::bounds::Bounds;
use crate::point::{Block, Literal, Op, trip_count};
use crate::types::{Scalar, Type};

/// An SSA value; its type is in [`Program::types`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(pub u32);

/// A stencil program.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// The seed it came from.
    pub seed: u64,
    /// How it is written.
    pub style: Style,
    /// The type of each value.
    pub types: Vec<Type>,
    /// Cells of a field beyond those that are read or written: below and above, per dimension.
    pub slack: BTreeMap<Value, Vec<(i64, i64)>>,
    /// Values of the main function's scalar arguments.
    pub arguments: BTreeMap<Value, Literal>,
    /// Field arguments of the main function whose content after a run does not matter.
    pub scratch: BTreeSet<Value>,
    /// Plans of applies, by their first results, as they are written in an attribute.
    pub plans: BTreeMap<Value, String>,
    /// Functions by number; number 0 is `@main`.
    pub functions: BTreeMap<usize, Function>,
}

/// Choices of spelling without effect on the meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style {
    /// Temps without bounds, as front ends write them.
    pub unknown_bounds: bool,
    /// Values named by number, not by role.
    pub numbers: bool,
    /// What encloses the functions.
    pub module: Module,
    /// Attribute dictionaries here and there, some of them empty.
    pub attributes: bool,
    /// Several results under one name, as in `%r:2`.
    pub grouped_results: bool,
    /// The main function before the functions that it calls.
    pub main_first: bool,
}

/// The spelling of the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Module {
    /// No module: the functions alone.
    #[default]
    None,
    /// `module { .. }`.
    Plain,
    /// `builtin.module { .. }`.
    Builtin,
}

/// A function.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// Its name, without the `@`.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<Value>,
    /// What it does.
    pub body: Body,
}

/// The body of a function.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// Statements on fields; returns nothing.
    Stencil(Vec<Statement>),
    /// Scalar code; returns what the block yields.
    Scalar(Block),
}

/// A statement of a stencil function.
#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// A scalar operation on the host.
    Compute(Op),
    /// The current value of a field.
    Load { field: Value, result: Value },
    /// Another name for a field.
    Cast { field: Value, result: Value },
    /// A new field.
    Alloc { result: Value },
    /// A point function over a range.
    Apply(Apply),
    /// A temp that must be stored.
    Buffer { source: Value, result: Value },
    /// Temps put together along a dimension.
    Combine(Combine),
    /// A write of a temp to a range of a field.
    Store { temp: Value, field: Value, range: Range },
    /// A counted loop that rotates fields.
    Loop(Loop),
    /// A call of a stencil function.
    Call { function: usize, arguments: Vec<Value> },
}

/// Where a store writes.
#[derive(Debug, Clone, PartialEq)]
pub enum Range {
    /// A chosen box.
    Box(Bounds),
    /// The whole field, with its inferred bounds.
    Whole,
}

/// A point function over a range.
#[derive(Debug, Clone, PartialEq)]
pub struct Apply {
    /// What the body sees.
    pub operands: Vec<Operand>,
    /// The code of one point.
    pub body: Block,
    /// Where the values go.
    pub output: Output,
    /// Points that one run of the written body computes, per dimension; the printer replicates.
    pub unroll: Option<Vec<i64>>,
    /// Whether a value form repeats its bounds in a `to` clause.
    pub bounds_clause: bool,
}

/// An operand of an apply.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Operand {
    /// The value outside.
    pub source: Value,
    /// Its name in the body.
    pub argument: Value,
}

/// What an apply produces.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// Temps.
    Values(Vec<Value>),
    /// Writes to fields.
    Fields { fields: Vec<Value>, range: Range },
}

impl Apply {
    /// Number of values that the body computes per point.
    pub fn arity(&self) -> usize {
        match &self.output {
            Output::Values(results) => results.len(),
            Output::Fields { fields, .. } => fields.len(),
        }
    }

    /// The first result or destination, which gives the rank.
    pub fn first_output(&self) -> Value {
        match &self.output {
            Output::Values(results) => results[0],
            Output::Fields { fields, .. } => fields[0],
        }
    }

    /// The outer value of an argument.
    pub fn source_of(&self, argument: Value) -> Option<Value> {
        self.operands.iter().find(|o| o.argument == argument).map(|o| o.source)
    }
}

/// A combine of temps along a dimension at a coordinate.
#[derive(Debug, Clone, PartialEq)]
pub struct Combine {
    /// The dimension.
    pub dim: usize,
    /// First coordinate of the upper side.
    pub at: i64,
    /// Temps of the lower side.
    pub lower: Vec<Value>,
    /// Temps of the upper side.
    pub upper: Vec<Value>,
    /// Temps that exist below `at` only.
    pub lower_only: Vec<Value>,
    /// Temps that exist from `at` on only.
    pub upper_only: Vec<Value>,
    /// Results: the pairs, then the lower ones, then the upper ones.
    pub results: Vec<Value>,
}

/// A bound of a loop on the host.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LoopBound {
    /// A constant.
    Constant(i64),
    /// An `index` argument of the main function.
    Argument(Value),
}

/// A field carried by a loop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slot {
    /// The field before the loop.
    pub init: Value,
    /// Its name in the body.
    pub argument: Value,
    /// Its name after the loop.
    pub result: Value,
}

/// A counted loop on the host.
#[derive(Debug, Clone, PartialEq)]
pub struct Loop {
    /// First value of the counter.
    pub lower: LoopBound,
    /// Exclusive bound of the counter.
    pub upper: LoopBound,
    /// Step of the counter, positive.
    pub step: i64,
    /// The counter.
    pub induction: Value,
    /// The fields carried.
    pub slots: Vec<Slot>,
    /// What each slot holds in the next iteration.
    pub yields: Vec<Value>,
    /// The body.
    pub body: Vec<Statement>,
}

impl Program {
    /// A program without functions yet.
    pub(crate) fn new(seed: u64, style: Style) -> Self {
        Program {
            seed,
            style,
            types: vec![],
            slack: BTreeMap::new(),
            arguments: BTreeMap::new(),
            scratch: BTreeSet::new(),
            plans: BTreeMap::new(),
            functions: BTreeMap::new(),
        }
    }

    /// The type of a value.
    pub fn type_of(&self, value: Value) -> Type {
        self.types[value.0 as usize]
    }

    /// Makes a value.
    pub fn new_value(&mut self, ty: Type) -> Value {
        self.types.push(ty);
        Value(u32::try_from(self.types.len() - 1).expect("a program has few values"))
    }

    /// The main function.
    pub fn main(&self) -> &Function {
        &self.functions[&0]
    }

    /// Position and text of each scalar argument of the main function.
    pub fn scalar_arguments(&self) -> Vec<(usize, String)> {
        let text = |value: &Value| match self.arguments.get(value)? {
            Literal::Float(x) => Some(format!("{x:?}")),
            Literal::Integer(n) => Some(n.to_string()),
        };
        let parameters = self.main().parameters.iter().enumerate();
        parameters.filter_map(|(n, value)| Some((n, text(value)?))).collect()
    }

    /// The value of a loop bound, if it is known.
    pub fn bound(&self, bound: LoopBound) -> Option<i64> {
        match bound {
            LoopBound::Constant(n) => Some(n),
            LoopBound::Argument(value) => match self.arguments.get(&value)? {
                Literal::Integer(n) => Some(*n),
                Literal::Float(_) => None,
            },
        }
    }

    /// How often a loop runs; zero if a bound is unknown, which `check` refuses.
    pub fn trips(&self, l: &Loop) -> u64 {
        match (self.bound(l.lower), self.bound(l.upper)) {
            (Some(lower), Some(upper)) => trip_count(lower, upper, l.step),
            _ => 0,
        }
    }

    /// Visits every statement, those in loops after the loop.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Statement)) {
        for function in self.functions.values() {
            if let Body::Stencil(statements) = &function.body {
                walk(statements, visit);
            }
        }
    }

    /// Visits every statement, to be changed.
    pub fn walk_mut(&mut self, visit: &mut dyn FnMut(&mut Statement)) {
        for function in self.functions.values_mut() {
            if let Body::Stencil(statements) = &mut function.body {
                walk_mut(statements, visit);
            }
        }
    }

    /// Every block of scalar code: of applies and of scalar functions.
    pub fn blocks(&self) -> Vec<&Block> {
        let mut blocks = vec![];
        self.walk(&mut |statement| {
            if let Statement::Apply(apply) = statement {
                blocks.push(&apply.body);
            }
        });
        for function in self.functions.values() {
            if let Body::Scalar(block) = &function.body {
                blocks.push(block);
            }
        }
        blocks
    }

    /// The element type that values have in common, of fields and temps alone.
    pub fn elements(&self) -> Vec<Scalar> {
        let grids = self.types.iter().filter(|t| matches!(t, Type::Field(..)));
        let mut elements: Vec<_> = grids.map(|t| t.element()).collect();
        elements.sort();
        elements.dedup();
        elements
    }
}

/// Visits every statement of a list, those in loops after the loop.
pub fn walk<'a>(statements: &'a [Statement], visit: &mut dyn FnMut(&'a Statement)) {
    for statement in statements {
        visit(statement);
        if let Statement::Loop(l) = statement {
            walk(&l.body, visit);
        }
    }
}

/// Visits every statement of a list, to be changed.
pub fn walk_mut(statements: &mut [Statement], visit: &mut dyn FnMut(&mut Statement)) {
    for statement in statements {
        visit(statement);
        if let Statement::Loop(l) = statement {
            walk_mut(&mut l.body, visit);
        }
    }
}

impl Statement {
    /// Visits each value that the statement uses, including the yields of a loop; the scalar code
    /// of an apply and the body of a loop are not visited.
    pub fn for_each_use(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        match self {
            Statement::Compute(op) => op.for_each_operand(visit),
            Statement::Load { field, .. } | Statement::Cast { field, .. } => visit(field),
            Statement::Alloc { .. } => {}
            Statement::Apply(apply) => {
                apply.operands.iter_mut().for_each(|o| visit(&mut o.source));
                if let Output::Fields { fields, .. } = &mut apply.output {
                    fields.iter_mut().for_each(visit);
                }
            }
            Statement::Buffer { source, .. } => visit(source),
            Statement::Combine(c) => {
                let sides = [&mut c.lower, &mut c.upper, &mut c.lower_only, &mut c.upper_only];
                sides.into_iter().flatten().for_each(visit);
            }
            Statement::Store { temp, field, .. } => {
                visit(temp);
                visit(field);
            }
            Statement::Loop(l) => {
                for bound in [&mut l.lower, &mut l.upper] {
                    if let LoopBound::Argument(value) = bound {
                        visit(value);
                    }
                }
                l.slots.iter_mut().for_each(|slot| visit(&mut slot.init));
                l.yields.iter_mut().for_each(visit);
            }
            Statement::Call { arguments, .. } => arguments.iter_mut().for_each(visit),
        }
    }

    /// The values that the statement defines after it.
    pub fn results(&self) -> Vec<Value> {
        match self {
            Statement::Compute(op) => op.results.clone(),
            Statement::Load { result, .. }
            | Statement::Cast { result, .. }
            | Statement::Alloc { result }
            | Statement::Buffer { result, .. } => vec![*result],
            Statement::Apply(Apply { output: Output::Values(results), .. }) => results.clone(),
            Statement::Combine(combine) => combine.results.clone(),
            Statement::Loop(l) => l.slots.iter().map(|slot| slot.result).collect(),
            Statement::Apply(_) | Statement::Store { .. } | Statement::Call { .. } => vec![],
        }
    }
}
