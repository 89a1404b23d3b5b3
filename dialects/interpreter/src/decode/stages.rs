//! `sweep.stages`: the stages form.

use super::host::grid_type;
use super::scope::{Binding, Scope, grid_slot, scalar_slot};
use super::{Decoder, unsupported};
use crate::error::InterpreterError;
use crate::grid::{Extent, RANK_MAX, Ring, Rings};
use crate::program::{GridSlot, HostStep, Output, Points, Returned, Slot};
use crate::stages::{Source, Stage, Stages, StreamInput, StreamOutput};
use melior::ir::{OperationRef, Value, operation::OperationLike};
use std::collections::HashMap;
use stencil_dialects::{
    Bounds, attributes, build,
    ods::sweep::{CarryOp, InputOp, OutputOp, StageOp, StagesOp},
    ops::{AccessOp, DynAccessOp},
    walk::{self, ValueKey},
};

impl<'c: 'a, 'a> Decoder<'c, 'a> {
    pub fn stages(
        &mut self,
        stages: StagesOp<'c, 'a>,
        scope: &Scope,
    ) -> Result<HostStep, InterpreterError> {
        let operation = stages.operation();
        let fields: Result<Vec<GridSlot>, _> =
            stages.fields().into_iter().map(|field| grid_slot(operation, field, scope)).collect();
        let slots = |values: &[Value<'c, 'a>]| -> Result<Vec<Slot>, _> {
            values.iter().map(|&value| scalar_slot(operation, value, scope)).collect()
        };
        let steps = usize::try_from(stages.steps()).expect("the verifier checked the steps");
        let level_scalars = stages.level_scalars();
        let varying = level_scalars.len() / steps;
        let own = |step: usize| slots(&level_scalars[step * varying..][..varying]);
        let level_scalars = (0..steps).map(own).collect::<Result<_, _>>()?;
        let mut graph = Graph::of(stages);
        for operation in walk::operations(stages.body()) {
            if let Some(input) = InputOp::of(operation) {
                graph.input(input);
            } else if let Some(stage) = StageOp::of(operation) {
                let points = self.stage(stage, &graph)?;
                graph.stage(stage, points);
            } else if let Some(carry) = CarryOp::of(operation) {
                graph.carry(carry);
            } else if let Some(output) = OutputOp::of(operation) {
                graph.output(self, output);
            } else {
                return Err(unsupported(operation, "is not supported inside 'sweep.stages'"));
            }
        }
        graph.find_own();
        Ok(HostStep::Stages(Box::new(Stages {
            fields: fields?,
            scalars: slots(&stages.scalars())?,
            level_scalars,
            streams: graph.numbers.len(),
            inputs: graph.inputs,
            stages: graph.stages,
            outputs: graph.outputs,
        })))
    }

    /// The function of a stage's points.
    fn stage(
        &mut self,
        stage: StageOp<'c, 'a>,
        graph: &Graph<'c, 'a>,
    ) -> Result<Points, InterpreterError> {
        let mut scope = Scope::default();
        let (mut inputs, mut scalars) = (0, Vec::new());
        for (position, value) in stage.inputs().into_iter().enumerate() {
            let binding = match graph.operand(value) {
                Operand::Source(_) => {
                    inputs += 1;
                    Binding::Input(inputs - 1)
                }
                Operand::Scalar(_) => {
                    scalars.push(scope.slot());
                    Binding::Scalar(scalars[scalars.len() - 1])
                }
            };
            scope.bind(build::argument(stage.body(), position), binding);
        }
        let (body, end) = self.block(stage.body(), &mut scope)?;
        let mut outputs = Vec::new();
        for (value, stream) in end.operands().zip(stage.streams()) {
            let (_, element) = grid_type(stage.operation(), stream)?;
            let value = scalar_slot(end, value, &scope)?;
            outputs.push(Output { element, values: vec![Returned { value, present: None }] });
        }
        let domain = stage.domain();
        Ok(Points {
            extent: Extent::of(&domain),
            rings: rings(&graph.periodic, &domain),
            unroll: [1; RANK_MAX],
            scalars,
            frame: scope.layout,
            body,
            outputs,
            site: self.site(stage.operation()),
        })
    }
}

/// The dimensions of a domain whose ends meet.
pub(super) fn rings(periodic: &[i64], domain: &Bounds) -> Rings {
    let is_ring = |d: usize| periodic.contains(&(d as i64));
    let ring = |d| Ring { lower: domain.lower[d], upper: domain.upper[d] };
    std::array::from_fn(|d| is_ring(d).then(|| ring(d)))
}

/// What an operand of a stage is.
enum Operand {
    Source(Source),
    /// A scalar by number; those of one step are numbered after those of all steps.
    Scalar(usize),
}

/// The region of `sweep.stages`, as far as it was read.
struct Graph<'c, 'a> {
    op: StagesOp<'c, 'a>,
    periodic: Vec<i64>,
    /// The streams, numbered in the order of their definitions.
    numbers: HashMap<ValueKey, usize>,
    inputs: Vec<StreamInput>,
    stages: Vec<Stage>,
    outputs: Vec<StreamOutput>,
}

impl<'c: 'a, 'a> Graph<'c, 'a> {
    fn of(op: StagesOp<'c, 'a>) -> Self {
        let periodic = op.periodic().and_then(attributes::integers).unwrap_or_default();
        let (numbers, inputs) = (HashMap::new(), Vec::new());
        Self { op, periodic, numbers, inputs, stages: Vec::new(), outputs: Vec::new() }
    }

    fn number(&mut self, stream: Value<'c, 'a>) -> usize {
        let number = self.numbers.len();
        self.numbers.insert(ValueKey::of(&stream), number);
        number
    }

    fn operand(&self, value: Value<'c, 'a>) -> Operand {
        if let Some(&number) = self.numbers.get(&ValueKey::of(&value)) {
            return Operand::Source(Source::Stream(number));
        }
        let (_, position) = walk::block_argument(value)
            .expect("the verifier checked that a stage is given streams and arguments");
        let fields = self.op.fields().len();
        match position.checked_sub(fields) {
            None => Operand::Source(Source::Field(position)),
            Some(number) => Operand::Scalar(number),
        }
    }

    fn stream(&self, value: Value<'c, 'a>) -> usize {
        match self.operand(value) {
            Operand::Source(Source::Stream(number)) => number,
            _ => unreachable!("the IR's types tell streams from fields and scalars"),
        }
    }

    fn field(&self, value: Value<'c, 'a>) -> usize {
        match self.operand(value) {
            Operand::Source(Source::Field(number)) => number,
            _ => unreachable!("the IR's types tell fields from streams and scalars"),
        }
    }

    fn input(&mut self, input: InputOp<'c, 'a>) {
        let outside = input.outside().map(|field| self.field(field));
        let over = input.domain().as_ref().map(Extent::of).zip(outside);
        let field = self.field(input.field());
        let stream = self.number(input.stream());
        self.inputs.push(StreamInput { stream, field, over, next: None, is_own: true });
    }

    fn stage(&mut self, stage: StageOp<'c, 'a>, points: Points) {
        let (mut inputs, mut scalars, mut reads_own) = (Vec::new(), Vec::new(), Vec::new());
        for (position, value) in stage.inputs().into_iter().enumerate() {
            match self.operand(value) {
                Operand::Source(source) => {
                    inputs.push(source);
                    reads_own.push(reads_own_point(stage, position));
                }
                Operand::Scalar(number) => scalars.push(number),
            }
        }
        let mut fields = stage.outside().into_iter().map(|field| self.field(field));
        let counts = attributes::integers(stage.rotations()).unwrap_or_default();
        let outside = counts
            .iter()
            .map(|&count| fields.by_ref().take(count.unsigned_abs() as usize).collect())
            .collect();
        let results = stage.streams().into_iter().map(|stream| self.number(stream)).collect();
        let is_own = true;
        self.stages.push(Stage { inputs, reads_own, scalars, outside, results, points, is_own });
    }

    fn carry(&mut self, carry: CarryOp<'c, 'a>) {
        let (next, input) = (self.stream(carry.next()), self.stream(carry.input()));
        for known in self.inputs.iter_mut().filter(|known| known.stream == input) {
            known.next = Some(next);
        }
    }

    fn output(&mut self, decoder: &mut Decoder<'c, 'a>, output: OutputOp<'c, 'a>) {
        let (stream, field) = (self.stream(output.stream()), self.field(output.field()));
        let (domain, site) = (Extent::of(&output.domain()), decoder.site(output.operation()));
        self.outputs.push(StreamOutput { stream, domain, field, site });
    }

    /// Marks inputs and stages whose values serve the point itself only, in the only step.
    fn find_own(&mut self) {
        let mut is_own = vec![self.op.steps() == 1; self.numbers.len()];
        for stage in self.stages.iter_mut().rev() {
            stage.is_own = stage.results.iter().all(|&stream| is_own[stream]);
            for (source, reads_own) in stage.inputs.iter().zip(&stage.reads_own) {
                if let Source::Stream(number) = source {
                    is_own[*number] &= stage.is_own && *reads_own;
                }
            }
        }
        for input in &mut self.inputs {
            input.is_own = is_own[input.stream];
        }
    }
}

/// Whether a stage reads an input at the point itself only.
fn reads_own_point<'c: 'a, 'a>(stage: StageOp<'c, 'a>, position: usize) -> bool {
    let argument: Value = build::argument(stage.body(), position);
    let every: Vec<usize> = (0..stage.domain().rank()).collect();
    let is_own = |user: OperationRef<'c, 'a>| match AccessOp::of(user) {
        Some(access) => {
            access.offset().iter().all(|&along| along == 0) && access.mapping() == every
        }
        None => DynAccessOp::of(user).is_none(),
    };
    walk::uses(argument).into_iter().all(|used| is_own(used.user))
}
