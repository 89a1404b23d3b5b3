//! A checked program: sizes bound, calls inlined, statements grouped into stages.
//!
//! Made by `elaborate`; `lower` generates MLIR from it and cannot fail.

use super::{
    ast::{Operator, Type},
    index::{Index, Interval, Variable},
};
use crate::diagnostic::Span;
use std::{collections::BTreeMap, rc::Rc};
use stencil_dialects::types::Bounds;

/// Position of an array in [`Program::arrays`].
pub type ArrayId = usize;
/// Position of a scalar in [`Program::scalars`].
pub type ScalarId = usize;
/// Position of a loop variable in [`Program::loops`].
pub type LoopId = usize;
/// Position of an iterator in the text's list, outermost first.
pub type IteratorId = usize;

/// A program that becomes one function.
#[derive(Debug, Default)]
pub struct Program {
    /// Arrays of the program, then those of each call of a stencil with local arrays.
    pub arrays: Vec<Array>,
    /// Scalar arguments.
    pub scalars: Vec<Scalar>,
    /// Variables of loops over time.
    pub loops: Vec<LoopVariable>,
    /// Its steps, in order.
    pub steps: Vec<Step>,
    /// All of the text.
    pub span: Span,
}

/// An array.
#[derive(Clone, Debug)]
pub struct Array {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Type of its cells.
    pub element: Type,
    /// Its extents, slowest first. Coordinates begin at zero.
    pub extents: Vec<i64>,
    /// Whether its content comes from the caller; it starts as zeros otherwise.
    pub copied_in: bool,
    /// Whether its content goes to the caller; it is scratch otherwise.
    pub copied_out: bool,
    /// Whether nothing may be assigned to it.
    pub read_only: bool,
}

impl Array {
    /// All of its cells.
    pub fn bounds(&self) -> Bounds {
        Bounds::new(vec![0; self.extents.len()], self.extents.clone())
    }

    /// Whether it is an argument of the function.
    pub fn is_argument(&self) -> bool {
        self.copied_in || self.copied_out
    }
}

/// A scalar argument.
#[derive(Clone, Debug)]
pub struct Scalar {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Its type.
    pub r#type: Type,
}

/// The variable of a loop over time.
#[derive(Clone, Copy, Debug)]
pub enum LoopVariable {
    /// These values, ends included; none where the loop has no iteration.
    Known(Option<Interval>),
    /// A number of values that is an argument.
    Given(Given),
}

/// A loop whose end is a scalar argument: from `first` to below (the scalar + `beyond` - `first`)
/// `period` + `first`.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    /// The first value.
    pub first: i64,
    /// The scalar, an int.
    pub scalar: ScalarId,
    /// 1 where the scalar is the last value, 0 where it is the number of values.
    pub beyond: i64,
    /// Iterations per iteration of the text.
    pub period: i64,
}

impl LoopVariable {
    /// Its values, ends included, or all that it may have; none where the loop has no iteration.
    pub fn values(&self) -> Option<Interval> {
        match self {
            LoopVariable::Known(values) => *values,
            LoopVariable::Given(given) => Some((given.first, i64::from(i32::MAX))),
        }
    }
}

/// A step of the program.
#[derive(Debug)]
pub enum Step {
    /// Points are computed.
    Stage(Box<Stage>),
    /// Steps are repeated.
    Loop(Loop),
    /// Names are permuted: `names[i].0` refers to the former array of `names[i].1`.
    Rename(Vec<(ArrayId, ArrayId)>),
}

impl Step {
    /// The points that it computes, if it does.
    pub fn stage(&self) -> Option<&Stage> {
        match self {
            Step::Stage(stage) => Some(stage),
            Step::Loop(_) | Step::Rename(_) => None,
        }
    }
}

/// A loop over time.
#[derive(Debug)]
pub struct Loop {
    /// Its variable.
    pub variable: LoopId,
    /// Its body.
    pub body: Vec<Step>,
    /// Its location.
    pub span: Span,
}

/// A computation at each point of a box.
#[derive(Debug)]
pub struct Stage {
    /// The stencil's name.
    pub name: String,
    /// The location of its first statement.
    pub span: Span,
    /// The coordinates of a point.
    pub frame: Vec<Coordinate>,
    /// The points, in coordinates of the written arrays.
    pub region: Bounds,
    /// What is written, in order.
    pub outputs: Vec<Output>,
    /// Its pragmas and hints.
    pub hints: Rc<PragmaHints>,
}

impl Stage {
    /// The values that it writes.
    pub fn values(&self) -> impl Iterator<Item = &Shared> {
        self.outputs.iter().map(|output| &output.value)
    }

    /// The cells that its values read.
    pub fn reads(&self) -> impl Iterator<Item = &Read> {
        reads_below(self.values()).map(|(read, _)| read)
    }
}

/// One array that a stage writes.
#[derive(Debug)]
pub struct Output {
    /// The array.
    pub array: ArrayId,
    /// The version of the array before; the version after is one more.
    pub version: u32,
    /// The value at each point.
    pub value: Shared,
    /// The location of the assignment.
    pub span: Span,
}

/// One coordinate of the cell that a stage writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinate {
    /// An iterator plus a number.
    Iterator(IteratorId, i64),
    /// A number.
    Constant(i64),
}

/// The pragmas and hints of a stage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PragmaHints {
    /// Threads of a block, along iterators.
    pub threads: BTreeMap<IteratorId, i64>,
    /// Points of a thread, along iterators.
    pub points: BTreeMap<IteratorId, i64>,
    /// The axis that planes are streamed along.
    pub stream: Option<IteratorId>,
    /// Bytes of shared memory that a block may use.
    pub shared_bytes: Option<i64>,
    /// Target occupancy: the fraction of a multiprocessor's threads that are resident.
    pub occupancy: Option<f64>,
    /// Arrays to be held in shared memory.
    pub shared: Vec<String>,
    /// Arrays not to be held in shared memory.
    pub not_shared: Vec<String>,
    /// Arrays to be read from global memory.
    pub global: Vec<String>,
}

/// A value that several others may use.
pub type Shared = Rc<Value>;

/// A typed expression at a point.
#[derive(Debug)]
pub struct Value {
    /// What it is.
    pub kind: ValueKind,
    /// Its type.
    pub r#type: Type,
    /// Its location.
    pub span: Span,
    /// Nested operations.
    pub depth: u32,
}

/// What a value is.
#[derive(Debug)]
pub enum ValueKind {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A number of the value's type, widened.
    Float(f64),
    /// A scalar of the caller.
    Scalar(ScalarId),
    /// An iterator.
    Iterator(IteratorId),
    /// The variable of a loop over time.
    Loop(LoopId),
    /// A cell of an array, in one of its versions.
    Read(Read),
    /// A cell that the stage itself assigned, with its value.
    Own(Own),
    /// The operand in the value's type.
    Convert(Shared),
    /// Minus the operand.
    Negate(Shared),
    /// An operation on operands of one type.
    Binary(Operator, Shared, Shared),
    /// The op of the `math` or `arith` dialect.
    Call(&'static str, Vec<Shared>),
    /// The operand raised to this power by multiplications.
    Power(Shared, i64),
}

/// A read of an array's cell.
#[derive(Debug)]
pub struct Read {
    /// The array.
    pub array: ArrayId,
    /// Its version: how often it was written before.
    pub version: u32,
    /// The cell.
    pub indices: Vec<Index>,
}

/// A read of a cell that the current stage assigned.
#[derive(Debug)]
pub struct Own {
    /// The array.
    pub array: ArrayId,
    /// The cell.
    pub indices: Vec<Index>,
    /// What was assigned. Outside the stage's points the cell has another value.
    pub value: Shared,
}

impl Value {
    /// The iterators that it reads itself.
    pub fn iterators(&self, found: &mut Vec<IteratorId>) {
        let mut variables = Vec::new();
        match &self.kind {
            ValueKind::Iterator(iterator) => found.push(*iterator),
            ValueKind::Read(read) => {
                read.indices.iter().for_each(|index| index.variables(&mut variables));
            }
            _ => {}
        }
        found.extend(variables.into_iter().filter_map(|variable| match variable {
            Variable::Iterator(iterator) => Some(iterator),
            Variable::Loop(_) => None,
        }));
    }

    /// The values that it is computed from.
    pub fn operands(&self) -> Vec<&Shared> {
        match &self.kind {
            ValueKind::Own(Own { value: one, .. })
            | ValueKind::Convert(one)
            | ValueKind::Negate(one)
            | ValueKind::Power(one, _) => vec![one],
            ValueKind::Binary(_, one, two) => vec![one, two],
            ValueKind::Call(_, all) => all.iter().collect(),
            _ => Vec::new(),
        }
    }
}

/// Every different value below some values, operands before their users.
pub fn values_below<'v>(roots: impl IntoIterator<Item = &'v Shared>) -> Vec<&'v Shared> {
    let mut seen = std::collections::HashSet::new();
    let mut order = Vec::new();
    let mut stack = roots.into_iter().map(|root| (root, false)).collect::<Vec<_>>();
    stack.reverse();
    while let Some((value, is_done)) = stack.pop() {
        if is_done {
            order.push(value);
        } else if seen.insert(Rc::as_ptr(value)) {
            stack.push((value, true));
            stack.extend(value.operands().into_iter().rev().map(|operand| (operand, false)));
        }
    }
    order
}

/// The reads below some values.
pub fn reads_below<'v>(
    roots: impl IntoIterator<Item = &'v Shared>,
) -> impl Iterator<Item = (&'v Read, Span)> {
    values_below(roots).into_iter().filter_map(|value| match &value.kind {
        ValueKind::Read(read) => Some((read, value.span)),
        _ => None,
    })
}
