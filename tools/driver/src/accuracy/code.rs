//! What an apply computes for one point, as a list of scalar operations.

use std::collections::BTreeMap;
use stencil_passes::arithmetic::shared_sums::Cell;

/// How the numbers of a value are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `f32`.
    Single,
    /// `f64`.
    Double,
    /// Coordinates, numbers of time steps, truths: small, and so exact.
    Whole,
}

impl Format {
    /// The unit roundoff.
    pub fn unit(self) -> f64 {
        match self {
            Format::Single => f64::from(f32::EPSILON) / 2.0,
            Format::Double => f64::EPSILON / 2.0,
            Format::Whole => 0.0,
        }
    }
}

/// What two numbers are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether they are equal.
    Equal,
    /// Whether they are not.
    Different,
    /// Whether the first is smaller.
    Less,
    /// Whether it is no larger.
    LessOrEqual,
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
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
    Fused,
    /// -a.
    Negate,
    /// |a|.
    Magnitude,
    /// The square root.
    Root,
    /// 1 / root, each rounded.
    ReciprocalRoot,
    /// The smaller one.
    Minimum,
    /// The larger one.
    Maximum,
    /// 1 for yes, 0 for no.
    Ask(Question),
    /// b where a is 1, else c.
    Choose,
    /// The same number in another type.
    Convert,
}

/// One operation of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What it does.
    pub kind: Kind,
    /// The numbers of the items that it reads, all before it.
    pub operands: Vec<usize>,
    /// How its result is rounded.
    pub format: Format,
    /// Whether its flags permit to write the sum or product that it belongs to in another form.
    pub movable: bool,
}

/// The list: items in an order in which each stands behind what it reads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Code {
    /// The operations.
    pub items: Vec<Item>,
    /// The items that are the results of the apply.
    pub results: Vec<usize>,
}

impl Code {
    /// Operations that round, an FMA as one.
    pub fn operations(&self) -> usize {
        let rounds = |item: &&Item| {
            !matches!(item.kind, Kind::Input(_) | Kind::Constant(_) | Kind::Negate)
                && item.format != Format::Whole
        };
        self.items.iter().filter(rounds).count()
    }

    /// The number of a constant.
    pub fn constant(&self, item: usize) -> Option<f64> {
        match self.items[item].kind {
            Kind::Constant(number) => Some(number),
            _ => None,
        }
    }
}

/// One number that an apply reads.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Its type.
    pub format: Format,
    /// Its value, where that is given.
    pub given: Option<f64>,
    /// Where it lies, if it is a cell at an offset from the point in all dimensions.
    pub cell: Option<Cell>,
}

impl Input {
    /// One that is random, and no cell that passes know.
    pub fn of(format: Format) -> Input {
        Input { format, given: None, cell: None }
    }
}

/// What both lists of an apply read, by what tells it from all else.
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
