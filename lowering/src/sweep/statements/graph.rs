//! The levels and streams of a sweep of several statements, step by step.
//!
//! A statement in a step is a level. In the first step its inputs are streams of fields; what a
//! `sweep.carry` names is in later steps the stream of the step before.

use crate::sweep::shape::{Offset, offset, spread};
use melior::ir::{OperationRef, Value, ValueLike};
use std::collections::HashMap;
use stencil_dialects::{
    Bounds, attributes, build,
    ods::sweep::{CarryOp, InputOp, OutputOp, StageOp, StagesOp},
    ops::AccessOp,
    types,
    walk::{self, ValueKey},
};
use stencil_model::{
    plan::SweepPlan,
    sweep::{
        Reach,
        pipeline::{Exchange, Graph, Pipeline, Read, Source},
    },
};
use stencil_passes::{framework::PassResult, strategy::plan};

/// A statement in a step.
pub struct Level<'c, 'a> {
    /// The statement.
    pub stage: StageOp<'c, 'a>,
    /// The step, counted from 0.
    pub step: usize,
    /// For each input of the statement, the stream; none for fields and scalars.
    pub inputs: Vec<Option<usize>>,
    /// The streams of its results.
    pub results: Vec<usize>,
}

/// Values outside of a domain.
#[derive(Clone)]
pub struct Outside<'c, 'a> {
    /// The field.
    pub field: Value<'c, 'a>,
    /// The domain.
    pub domain: Bounds,
}

/// A stream at one step.
pub struct Stream<'c, 'a> {
    /// The input that it enters by, if it is no result.
    pub input: Option<InputOp<'c, 'a>>,
    /// What it has outside of a domain.
    pub outside: Option<Outside<'c, 'a>>,
    /// The fields that it is stored to, with the points.
    pub outputs: Vec<(Value<'c, 'a>, Bounds)>,
}

/// The levels and streams of an op.
pub struct Levels<'c, 'a> {
    /// The op.
    pub stages: StagesOp<'c, 'a>,
    /// The levels, in the order in which they are computed.
    pub levels: Vec<Level<'c, 'a>>,
    /// The streams.
    pub streams: Vec<Stream<'c, 'a>>,
    /// The same as plain data.
    pub graph: Graph,
    /// When each is computed, and what is kept.
    pub pipeline: Pipeline,
    /// Dimensions along which the grid is periodic.
    pub periodic: Vec<usize>,
}

impl<'c: 'a, 'a> Levels<'c, 'a> {
    /// The levels of an op under a plan.
    pub fn of(stages: StagesOp<'c, 'a>, plan: &SweepPlan) -> Self {
        let mut unrolled = Unrolled::default();
        let operations = walk::operations(stages.body());
        for operation in &operations {
            if let Some(input) = InputOp::of(*operation) {
                unrolled.enter(input);
            }
        }
        for step in 0..stages.steps() as usize {
            if step > 0 {
                unrolled.carry(operations.iter().filter_map(|it| CarryOp::of(*it)));
            }
            for stage in operations.iter().filter_map(|it| StageOp::of(*it)) {
                unrolled.compute(stage, step);
            }
        }
        for output in operations.iter().filter_map(|it| OutputOp::of(*it)) {
            let stream = unrolled.now[&ValueKey::of(&output.stream())];
            unrolled.streams[stream].outputs.push((output.field(), output.domain()));
            unrolled.graph.outputs.push(stream);
        }
        let Unrolled { levels, streams, graph, .. } = unrolled;
        let exchange = Exchange::of(plan, rank(&operations));
        let pipeline = Pipeline::of(&graph, exchange);
        let periodic = stages.periodic().and_then(attributes::integers).unwrap_or_default();
        let periodic = periodic.into_iter().map(|d| d as usize).collect();
        Self { stages, levels, streams, graph, pipeline, periodic }
    }

    /// The smallest box that holds the domains of all statements.
    pub fn domain(&self) -> Bounds {
        let domains = self.levels.iter().map(|level| level.stage.domain());
        domains.reduce(|one, two| one.union(&two)).expect("the verifier checked that it stores")
    }

    /// How far any level reads a stream along planes, rows and columns: from the point, and from
    /// the domain of the stream, if that is smaller. Cells around a tile that are
    /// copied have the values outside of the domain.
    pub fn reaches(&self) -> [Reach; 3] {
        let mut reaches = [Reach::symmetric(0); 3];
        let number = |value: i64| u32::try_from(value).unwrap_or(0);
        for (level, reads) in self.levels.iter().zip(&self.graph.levels) {
            let own = level.stage.domain();
            for read in reads {
                let covered = self.pipeline.streams[read.stream].covered();
                let outside = self.streams[read.stream].outside.as_ref();
                let read_from = outside.map_or(&own, |outside| &outside.domain);
                let ends = |bounds: &Bounds| (spread(&bounds.lower, 0), spread(&bounds.upper, 1));
                let ((lower, upper), (first, end)) = (ends(&own), ends(read_from));
                for (d, reach) in reaches.iter_mut().enumerate().filter(|(d, _)| !covered[*d]) {
                    let along = read.offset[d];
                    let behind = (-along).max(first[d] - lower[d] - along);
                    let ahead = along.max(upper[d] + along - end[d]);
                    reach.behind = reach.behind.max(number(behind));
                    reach.ahead = reach.ahead.max(number(ahead));
                }
            }
        }
        reaches
    }

    /// The planes between the arriving one and the last that has values of a field outside of its
    /// domain.
    pub fn oldest_boundary(&self) -> i64 {
        self.bounded().map(|(number, _)| self.pipeline.streams[number].behind).max().unwrap_or(0)
    }

    /// Streams of which levels read cells outside of the domain that are not copied with it, by
    /// number, with what has their values.
    pub fn bounded(&self) -> impl Iterator<Item = (usize, &Outside<'c, 'a>)> {
        let outside = self.streams.iter().enumerate();
        let outside = outside.filter_map(|(number, it)| Some((number, it.outside.as_ref()?)));
        outside.filter(|(number, _)| {
            let is_read = self.graph.levels.iter().flatten().any(|read| read.stream == *number);
            is_read && self.pipeline.streams[*number].halo.is_none()
        })
    }

    /// Fields that tiles are loaded from, stored to, or bounded by.
    pub fn tiled_fields(&self) -> Vec<Value<'c, 'a>> {
        let mut fields: Vec<Value> = Vec::new();
        for stream in &self.streams {
            let inputs = stream.input.iter().map(|input| input.field());
            let outside = stream.outside.iter().map(|outside| outside.field);
            let outputs = stream.outputs.iter().map(|(field, _)| *field);
            for field in inputs.chain(outside).chain(outputs) {
                if !fields.contains(&field) {
                    fields.push(field);
                }
            }
        }
        fields
    }
}

/// The plan of an op, with the steps that the op makes.
pub fn plan(stages: StagesOp) -> PassResult<SweepPlan> {
    let plan = plan::complete_sweep(stages.operation())?;
    Ok(SweepPlan { steps: stages.steps() as u32, ..plan })
}

/// The rank of the domains.
fn rank(operations: &[OperationRef]) -> usize {
    let mut stages = operations.iter().filter_map(|operation| StageOp::of(*operation));
    stages.next().map_or(0, |stage| stage.domain().rank())
}

/// Steps so far.
#[derive(Default)]
struct Unrolled<'c, 'a> {
    levels: Vec<Level<'c, 'a>>,
    streams: Vec<Stream<'c, 'a>>,
    graph: Graph,
    /// The stream that each value of the region is in the current step.
    now: HashMap<ValueKey, usize>,
}

impl<'c: 'a, 'a> Unrolled<'c, 'a> {
    fn enter(&mut self, input: InputOp<'c, 'a>) {
        let outside = input.outside().zip(input.domain());
        let outside = outside.map(|(field, domain)| Outside { field, domain });
        self.now.insert(ValueKey::of(&input.stream()), self.streams.len());
        self.streams.push(Stream { input: Some(input), outside, outputs: Vec::new() });
        self.graph.streams.push(Source::Field);
    }

    fn carry(&mut self, carries: impl Iterator<Item = CarryOp<'c, 'a>>) {
        let next = carries.map(|carry| {
            let input = ValueKey::of(&carry.input());
            (input, self.now[&ValueKey::of(&carry.next())])
        });
        let next = next.collect::<Vec<_>>();
        self.now.extend(next);
    }

    fn compute(&mut self, stage: StageOp<'c, 'a>, step: usize) {
        let level = self.levels.len();
        let values = stage.inputs();
        let inputs = values.iter().map(|value| match types::is_temp(value.r#type()) {
            true => Some(self.now[&ValueKey::of(value)]),
            false => None,
        });
        let inputs = inputs.collect::<Vec<_>>();
        let reads = inputs.iter().enumerate().filter_map(|(position, stream)| {
            let stream = (*stream)?;
            let offsets = offsets(stage, position).into_iter();
            Some(offsets.map(move |offset| Read { stream, offset }))
        });
        self.graph.levels.push(reads.flatten().collect());
        let rotations = attributes::integers(stage.rotations()).unwrap_or_default();
        let mut fields = stage.outside().into_iter();
        let mut results = Vec::new();
        for (result, count) in stage.streams().into_iter().zip(rotations) {
            let own = fields.by_ref().take(count as usize).collect::<Vec<_>>();
            let field = (!own.is_empty()).then(|| own[step % own.len()]);
            let outside = field.map(|field| Outside { field, domain: stage.domain() });
            self.now.insert(ValueKey::of(&result), self.streams.len());
            results.push(self.streams.len());
            self.streams.push(Stream { input: None, outside, outputs: Vec::new() });
            self.graph.streams.push(Source::Level(level));
        }
        self.levels.push(Level { stage, step, inputs, results });
    }
}

/// The offsets at which a statement reads an input, each once.
pub fn offsets(stage: StageOp, position: usize) -> Vec<Offset> {
    let argument = build::argument(stage.body(), position);
    let accesses = walk::uses(argument).into_iter().filter_map(|used| AccessOp::of(used.user));
    let mut offsets = accesses.map(offset).collect::<Vec<_>>();
    offsets.sort_unstable();
    offsets.dedup();
    offsets
}
