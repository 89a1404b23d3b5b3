//! What an apply computes for one point, as a graph of scalar operations.

use std::collections::BTreeMap;
use stencil_code::{Computes, Dag, ItemId};
use stencil_passes::arithmetic::shared_sums::Cell;

/// How the numbers of a value are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `f32`.
    F32,
    /// `f64`.
    F64,
    /// Coordinates, numbers of time steps, booleans: small, and so exact.
    Integer,
}

impl Format {
    /// The unit roundoff.
    pub fn unit(self) -> f64 {
        match self {
            Format::F32 => f64::from(f32::EPSILON) / 2.0,
            Format::F64 => f64::EPSILON / 2.0,
            Format::Integer => 0.0,
        }
    }
}

/// How two numbers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predicate {
    /// a = b.
    Equal,
    /// a != b.
    NotEqual,
    /// a < b.
    Less,
    /// a <= b.
    LessOrEqual,
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    /// A cell, a scalar or a coordinate, by its number among the inputs.
    Input(usize),
    /// A number of the text.
    Constant(f64),
    /// a + b.
    Add,
    /// a - b.
    Subtract,
    /// a b.
    Multiply,
    /// a / b.
    Divide,
    /// a b + c, rounded once.
    Fma,
    /// -a.
    Negate,
    /// |a|.
    Abs,
    /// |a| with the sign of b.
    CopySign,
    /// The square root.
    Sqrt,
    /// 1 / root, each rounded.
    Rsqrt,
    /// The smaller one.
    Minimum,
    /// The larger one.
    Maximum,
    /// 1 for true, 0 for false.
    Compare(Predicate),
    /// b where a is 1, else c.
    Select,
    /// The same number in another type.
    Convert,
}

/// What an item computes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operation {
    /// What it does.
    pub op: Op,
    /// How its result is rounded.
    pub format: Format,
    /// Whether its flags permit to write the sum or product that it belongs to in another form.
    pub movable: bool,
}

impl Computes for Operation {}

/// What an apply computes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Code {
    /// The operations.
    pub dag: Dag<Operation>,
    /// The items that are the results of the apply.
    pub results: Vec<ItemId>,
}

impl Code {
    /// Operations that round, an FMA as one.
    pub fn operations(&self) -> usize {
        let rounds = |operation: &Operation| {
            !matches!(operation.op, Op::Input(_) | Op::Constant(_) | Op::Negate)
                && operation.format != Format::Integer
        };
        self.dag.items().iter().filter(|item| rounds(&item.kind)).count()
    }

    /// The number of a constant.
    pub fn constant(&self, item: ItemId) -> Option<f64> {
        match self.dag[item].kind.op {
            Op::Constant(number) => Some(number),
            _ => None,
        }
    }
}

/// One number that an apply reads.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Its type.
    pub format: Format,
    /// Its value, where that is known.
    pub known: Option<f64>,
    /// Where it lies, if it is a cell at an offset from the point in all dimensions.
    pub cell: Option<Cell>,
}

impl Input {
    /// One that is random, and no cell that passes know.
    pub fn of(format: Format) -> Input {
        Input { format, known: None, cell: None }
    }
}

/// What both forms of an apply read, by what identifies it.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    known: BTreeMap<String, usize>,
    /// The inputs by number.
    pub all: Vec<Input>,
}

impl Inputs {
    /// The number of an input.
    pub fn number(&mut self, key: &str, input: Input) -> usize {
        if let Some(number) = self.known.get(key) {
            return *number;
        }
        self.all.push(input);
        self.known.insert(key.to_owned(), self.all.len() - 1);
        self.all.len() - 1
    }
}
