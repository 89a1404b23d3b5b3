//! What a group of stages computes, whatever its arrays are.

use crate::stencilgen::{
    ast::{Operator, Type},
    index::Index,
    program::{
        Array, ArrayId, Coordinate, IteratorId, LoopId, PragmaHints, Program, ScalarId, Stage,
        Step, Value, ValueKind, values_below,
    },
};
use std::{
    collections::{BTreeMap, HashMap},
    rc::Rc,
};
use stencil_dialects::types::Bounds;

/// A group of stages.
pub struct Block {
    /// Its arrays, by places.
    pub arrays: Vec<ArrayId>,
    /// The types and extents of the arrays.
    kinds: Vec<(Type, Vec<i64>)>,
    stages: Vec<Shape>,
}

impl Block {
    /// The group of these stages.
    pub fn of(program: &Program, stages: &[&Stage]) -> Self {
        let mut places = Places::default();
        for stage in stages {
            let written = stage.outputs.iter().map(|output| (output.array, output.version));
            let read = stage.reads().map(|read| (read.array, read.version));
            for (array, version) in written.chain(read) {
                let first = places.first.entry(array).or_insert(version);
                *first = version.min(*first);
            }
        }
        let stages = stages.iter().map(|stage| places.shape(stage)).collect();
        let arrays = places.arrays;
        let kind = |array: &Array| (array.element, array.extents.clone());
        let kinds = arrays.iter().map(|id| kind(&program.arrays[*id])).collect();
        Self { arrays, kinds, stages }
    }

    /// Whether the array of a place is written.
    pub fn is_written(&self, place: usize) -> bool {
        self.stages.iter().any(|stage| stage.outputs.iter().any(|((one, _), _)| *one == place))
    }

    /// Whether both compute the same, of arrays of the same types and extents.
    pub fn is_like(&self, other: &Self) -> bool {
        self.kinds == other.kinds && self.stages == other.stages
    }
}

/// Before which steps a group may begin or end: no step from there on reads what an array held
/// before it was last written.
pub fn boundaries(steps: &[Step]) -> Vec<bool> {
    let mut is_boundary = vec![true; steps.len() + 1];
    let mut written = HashMap::<ArrayId, Vec<(usize, u32)>>::new();
    for (position, step) in steps.iter().enumerate() {
        each_read(step, &mut |array, version| {
            let newer = written.get(&array).into_iter().flatten();
            let newer = newer.filter(|(_, newer)| *newer > version);
            if let Some(first) = newer.map(|(writer, _)| *writer).min() {
                is_boundary[first + 1..=position].fill(false);
            }
        });
        for output in step.stage().into_iter().flat_map(|stage| &stage.outputs) {
            written.entry(output.array).or_default().push((position, output.version + 1));
        }
    }
    is_boundary
}

fn each_read(step: &Step, seen: &mut dyn FnMut(ArrayId, u32)) {
    match step {
        Step::Stage(stage) => stage.reads().for_each(|read| seen(read.array, read.version)),
        Step::Loop(repeated) => repeated.body.iter().for_each(|step| each_read(step, seen)),
        Step::Rename(_) => {}
    }
}

/// A stage with places for its arrays.
#[derive(PartialEq)]
struct Shape {
    name: String,
    frame: Vec<Coordinate>,
    region: Bounds,
    hints: Rc<PragmaHints>,
    nodes: Vec<Node>,
    outputs: Vec<(Access, usize)>,
}

/// A place, and how often the array was written in the group before.
type Access = (usize, u32);

/// A value, whose operands are positions of values before it.
#[derive(PartialEq)]
struct Node {
    what: What,
    r#type: Type,
    operands: Vec<usize>,
}

#[derive(PartialEq)]
enum What {
    Bool(bool),
    Int(i64),
    Float(u64),
    Scalar(ScalarId),
    Iterator(IteratorId),
    Loop(LoopId),
    Read(Access, Vec<Index>),
    Own(usize, Vec<Index>),
    Convert,
    Negate,
    Binary(Operator),
    Call(&'static str),
    Power(i64),
}

/// The places of arrays, in the order of their first access.
#[derive(Default)]
struct Places {
    arrays: Vec<ArrayId>,
    /// The version of each array before the group.
    first: BTreeMap<ArrayId, u32>,
}

impl Places {
    fn of(&mut self, array: ArrayId) -> usize {
        self.arrays.iter().position(|one| *one == array).unwrap_or_else(|| {
            self.arrays.push(array);
            self.arrays.len() - 1
        })
    }

    fn access(&mut self, array: ArrayId, version: u32) -> Access {
        (self.of(array), version - self.first[&array])
    }

    fn shape(&mut self, stage: &Stage) -> Shape {
        let mut positions = HashMap::new();
        let mut nodes = Vec::new();
        for value in values_below(stage.values()) {
            let operands = value.operands().into_iter();
            let operands = operands.map(|operand| positions[&Rc::as_ptr(operand)]).collect();
            nodes.push(Node { what: self.what(value), r#type: value.r#type, operands });
            positions.insert(Rc::as_ptr(value), nodes.len() - 1);
        }
        let mut outputs = Vec::new();
        for output in &stage.outputs {
            let access = self.access(output.array, output.version);
            outputs.push((access, positions[&Rc::as_ptr(&output.value)]));
        }
        let (name, frame) = (stage.name.clone(), stage.frame.clone());
        let (region, hints) = (stage.region.clone(), stage.hints.clone());
        Shape { name, frame, region, hints, nodes, outputs }
    }

    fn what(&mut self, value: &Value) -> What {
        match &value.kind {
            ValueKind::Bool(one) => What::Bool(*one),
            ValueKind::Int(one) => What::Int(*one),
            ValueKind::Float(one) => What::Float(one.to_bits()),
            ValueKind::Scalar(one) => What::Scalar(*one),
            ValueKind::Iterator(one) => What::Iterator(*one),
            ValueKind::Loop(one) => What::Loop(*one),
            ValueKind::Read(read) => {
                What::Read(self.access(read.array, read.version), read.indices.clone())
            }
            ValueKind::Own(own) => What::Own(self.of(own.array), own.indices.clone()),
            ValueKind::Convert(_) => What::Convert,
            ValueKind::Negate(_) => What::Negate,
            ValueKind::Binary(operator, ..) => What::Binary(*operator),
            ValueKind::Call(name, _) => What::Call(name),
            ValueKind::Power(_, power) => What::Power(*power),
        }
    }
}
