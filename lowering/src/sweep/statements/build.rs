//! One `sweep.stages` from statements.

use crate::sweep::planes::scalars::{self, Known};
use melior::ir::{BlockRef, Type, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    attributes,
    build::{self, Inserter},
    ods::sweep as ops,
    walk::{self, ValueKey},
};
use stencil_model::plan::{ReadMode, SweepPlan};
use stencil_passes::{
    analysis::statements::{Source, Stage, Statements},
    strategy::plan,
    transforms::name_stages,
};

/// The fields of a history's levels in one sweep.
#[derive(Clone, Debug)]
pub struct Levels<'c, 'a> {
    /// The levels that the sweep starts from, the newest first.
    pub inputs: Vec<Value<'c, 'a>>,
    /// The homes of these levels, which have their cells outside of the domain.
    pub of_inputs: Vec<Value<'c, 'a>>,
    /// The homes of the levels that the steps compute, in turn.
    pub outside: Vec<Value<'c, 'a>>,
    /// The fields that get the last levels, the very last first.
    pub outputs: Vec<Value<'c, 'a>>,
    /// Whether the first levels come from shadow buffers, whose cells outside the domain are not
    /// those of the levels.
    pub is_from_shadows: bool,
}

/// A sweep to be built.
pub struct Sweep<'c, 'a, 'k> {
    /// The statements.
    pub stages: &'k Statements<'c, 'a>,
    /// The plan.
    pub plan: SweepPlan,
    /// The fields of each history.
    pub levels: Vec<Levels<'c, 'a>>,
    /// Numbers that are the same in all steps, and those that are not, as the statements name them.
    pub names: [Vec<Value<'c, 'a>>; 2],
    /// The first, as they are here.
    pub scalars: Vec<Value<'c, 'a>>,
    /// The second, step by step.
    pub level_scalars: Vec<Value<'c, 'a>>,
    /// A field of the statements as it is here.
    pub renamed: &'k dyn Fn(Value<'c, 'a>) -> Value<'c, 'a>,
}

/// Numbers that statements read: the same in all steps, and others.
pub fn numbers<'c: 'a, 'a>(stages: &Statements<'c, 'a>) -> [Vec<Value<'c, 'a>>; 2] {
    let mut numbers = [Vec::new(), Vec::new()];
    for source in stages.stages.iter().flat_map(|stage| &stage.inputs) {
        let Source::Scalar(value) = source else { continue };
        let list = &mut numbers[usize::from(stages.varies(*value))];
        if !list.contains(value) {
            list.push(*value);
        }
    }
    numbers
}

/// Values of the op's region.
struct Inside<'c, 'a> {
    at: Inserter<'c, 'a>,
    /// Arguments for fields and scalars of the host.
    known: Known<'c, 'a>,
    /// The input of each history and age.
    inputs: Vec<Vec<Value<'c, 'a>>>,
    /// Results of each statement.
    results: Vec<Vec<Value<'c, 'a>>>,
    /// Streams of fields that nothing changes.
    streams: Known<'c, 'a>,
}

impl<'c: 'a, 'a> Sweep<'c, 'a, '_> {
    /// Builds the op.
    pub fn build(&self, at: Inserter<'c, 'a>) {
        let fields = self.fields();
        let numbers = self.scalars.iter().chain(self.first_step());
        let operands = fields.iter().chain(numbers).map(ValueLike::r#type).collect::<Vec<_>>();
        let region = build::region_with_block(&operands, at.location());
        let context = at.context();
        let operation = self.stages.operation;
        let name = match self.stages.is_loop() {
            true => name_stages::stage(operation),
            false => name_stages::group(operation),
        };
        let made = ops::stages(
            at,
            &fields,
            &self.scalars,
            &self.level_scalars,
            number(at, i64::from(self.plan.steps)),
            build::string(context, &name.unwrap_or_else(|| "sweep".to_owned())),
            plan::attribute(context, &self.plan),
            region,
        );
        if !self.stages.periodic.is_empty() {
            let dimensions = self.stages.periodic.iter().map(|d| *d as i64).collect::<Vec<_>>();
            made.set_periodic(numbers_of(at, &dimensions));
        }
        let body = made.body();
        let known = self.arguments(&fields, body);
        let inside = Inside {
            at: Inserter::at_end(body, at.location()),
            known,
            inputs: Vec::new(),
            results: Vec::new(),
            streams: Known::new(),
        };
        self.fill(inside);
    }

    /// Level scalars of the first step.
    fn first_step(&self) -> &[Value<'c, 'a>] {
        &self.level_scalars[..self.names[1].len()]
    }

    /// The fields of the op, each once.
    fn fields(&self) -> Vec<Value<'c, 'a>> {
        let mut fields: Vec<Value> = Vec::new();
        let mut add = |field: Value<'c, 'a>| {
            if !fields.contains(&field) {
                fields.push(field);
            }
        };
        for (number, levels) in self.levels.iter().enumerate() {
            levels.inputs.iter().copied().for_each(&mut add);
            if self.has_outside(number) {
                levels.outside.iter().copied().for_each(&mut add);
                if levels.is_from_shadows {
                    levels.of_inputs.iter().copied().for_each(&mut add);
                }
            }
            levels.outputs.iter().copied().for_each(&mut add);
        }
        for source in self.stages.stages.iter().flat_map(|stage| &stage.inputs) {
            if let Source::Field(field) = source {
                add((self.renamed)(*field));
            }
        }
        fields
    }

    /// Whether a history has its home's cells outside the domain.
    fn has_outside(&self, number: usize) -> bool {
        self.stages.is_bounded(&self.stages.histories[number])
    }

    fn arguments(&self, fields: &[Value<'c, 'a>], body: BlockRef<'c, 'a>) -> Known<'c, 'a> {
        let mut known = Known::new();
        for (position, field) in fields.iter().enumerate() {
            known.insert(ValueKey::of(field), build::argument(body, position));
        }
        let names = self.names.iter().flatten();
        for (position, name) in names.enumerate() {
            let argument = build::argument(body, fields.len() + position);
            known.insert(ValueKey::of(name), argument);
        }
        known
    }

    fn fill(&self, mut inside: Inside<'c, 'a>) {
        for number in 0..self.levels.len() {
            let inputs = self.inputs(&inside, number);
            inside.inputs.push(inputs);
        }
        for stage in &self.stages.stages {
            self.add_constants(&mut inside, stage);
        }
        for (number, stage) in self.stages.stages.iter().enumerate() {
            let results = self.stage(&inside, number, stage);
            inside.results.push(results);
        }
        for (number, history) in self.stages.histories.iter().enumerate() {
            let result = inside.results[history.stage][history.result];
            let inputs = &inside.inputs[number];
            let levels = std::iter::once(result).chain(inputs.iter().copied());
            let levels = levels.collect::<Vec<_>>();
            for (input, next) in inputs.iter().zip(&levels) {
                ops::carry(inside.at, *next, *input);
            }
        }
        for (number, history) in self.stages.histories.iter().enumerate() {
            let domain = &self.stages.stages[history.stage].domain;
            let domain = attributes::make_bounds(inside.at.context(), domain);
            let result = inside.results[history.stage][history.result];
            let older = inside.inputs[number].iter().copied();
            let levels = std::iter::once(result).chain(older);
            for (stream, output) in levels.zip(&self.levels[number].outputs) {
                let field = inside.known[&ValueKey::of(output)];
                ops::output(inside.at, stream, field, domain);
            }
        }
    }

    /// The streams of the levels that a sweep starts from.
    fn inputs(&self, inside: &Inside<'c, 'a>, number: usize) -> Vec<Value<'c, 'a>> {
        let history = &self.stages.histories[number];
        let (levels, at) = (&self.levels[number], inside.at);
        let domain = &self.stages.stages[history.stage].domain;
        let r#type = self.stream(at, domain.rank());
        let is_bounded = levels.is_from_shadows && self.has_outside(number);
        let inputs = levels.inputs.iter().zip(&levels.of_inputs).map(|(field, home)| {
            let argument = |field: &Value<'c, 'a>| inside.known[&ValueKey::of(field)];
            let outside = is_bounded.then(|| argument(home));
            let stream = ops::input(at, r#type, argument(field), outside);
            if is_bounded {
                let operation = walk::definition(stream).expect("it is the result of an op");
                let domain = attributes::make_bounds(at.context(), domain);
                build::set_attribute(operation, "domain", domain);
            }
            stream
        });
        inputs.collect()
    }

    /// The streams of fields that nothing changes, where the plan says so.
    fn add_constants(&self, inside: &mut Inside<'c, 'a>, stage: &Stage<'c, 'a>) {
        if self.plan.reads == ReadMode::Memory {
            return;
        }
        let rank = stage.domain.rank();
        for source in &stage.inputs {
            let Source::Field(field) = source else { continue };
            let here = (self.renamed)(*field);
            let key = ValueKey::of(&here);
            if !inside.streams.contains_key(&key) && self.stages.is_streamed(*field) {
                let stream = self.stream(inside.at, rank);
                let stream = ops::input(inside.at, stream, inside.known[&key], None);
                inside.streams.insert(key, stream);
            }
        }
    }

    fn stream(&self, at: Inserter<'c, 'a>, rank: usize) -> Type<'c> {
        let text = format!("!stencil.temp<{}{}>", "?x".repeat(rank), self.stages.element());
        Type::parse(at.context(), &text).expect("the text is a type")
    }

    fn stage(
        &self,
        inside: &Inside<'c, 'a>,
        number: usize,
        stage: &Stage<'c, 'a>,
    ) -> Vec<Value<'c, 'a>> {
        let at = inside.at;
        let values = stage.inputs.iter().map(|source| match *source {
            Source::Scalar(value) => inside.known[&ValueKey::of(&value)],
            Source::Field(field) => {
                let key = ValueKey::of(&(self.renamed)(field));
                inside.streams.get(&key).copied().unwrap_or_else(|| inside.known[&key])
            }
            Source::Result { stage, result } => inside.results[stage][result],
            Source::Level { history, age } => inside.inputs[history][age - 1],
        });
        let values = values.collect::<Vec<_>>();
        let argument_types = values.iter().map(ValueLike::r#type).collect::<Vec<_>>();
        let operation = stage.apply.operation();
        let region = build::region_with_block(&argument_types, operation.location());
        let count = stage.results.len();
        let (mut outside, mut rotations) = (Vec::new(), Vec::new());
        for result in 0..count {
            let history = self.stages.history(number, result);
            let history = history.filter(|history| self.has_outside(*history));
            let homes = history.map_or(&[][..], |history| &self.levels[history].outside[..]);
            outside.extend(homes.iter().map(|home| inside.known[&ValueKey::of(home)]));
            rotations.push(homes.len() as i64);
        }
        let name = name_stages::stage(operation).unwrap_or_else(|| format!("stage{number}"));
        let made = ops::stage(
            at,
            &vec![self.stream(at, stage.domain.rank()); count],
            &values,
            &outside,
            attributes::make_bounds(at.context(), &stage.domain),
            build::string(at.context(), &name),
            numbers_of(at, &rotations),
            region,
        );
        copy_body(stage, made.body());
        made.streams()
    }
}

/// Copies the operations of an apply.
fn copy_body<'c: 'a, 'a>(stage: &Stage<'c, 'a>, body: BlockRef<'c, 'a>) {
    let mut known = Known::new();
    for position in 0..stage.inputs.len() {
        let old = build::argument(stage.apply.body(), position);
        known.insert(ValueKey::of(&old), build::argument(body, position));
    }
    for operation in &stage.operations {
        let inside = Inserter::at_end(body, operation.location());
        scalars::copy(inside, *operation, &mut known);
    }
    let returned = stage.apply.terminator().values();
    let values = stage.results.iter().map(|result| known[&ValueKey::of(&returned[*result])]);
    let inside = Inserter::at_end(body, stage.apply.operation().location());
    ops::r#yield(inside, &values.collect::<Vec<_>>());
}

/// An `i64` attribute.
fn number<'c: 'a, 'a>(at: Inserter<'c, 'a>, value: i64) -> melior::ir::Attribute<'c> {
    crate::sweep::planes::number(at, value)
}

/// A dense array of `i64`.
fn numbers_of<'c: 'a, 'a>(at: Inserter<'c, 'a>, values: &[i64]) -> melior::ir::Attribute<'c> {
    melior::ir::attribute::DenseI64ArrayAttribute::new(at.context(), values).into()
}
