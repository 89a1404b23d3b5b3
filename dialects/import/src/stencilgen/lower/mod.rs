//! Lowers the steps of a program to a function of the `stencil` dialect.
//!
//! Arrays of the caller are arguments, the others `stencil.alloc`, except those whose values flow
//! from stage to stage. A stage is an apply and its stores; a time loop is an `scf.for` that
//! carries the rotated fields.

mod hint_attributes;
pub mod memory;
mod point;

pub use self::point::PREDICATES;

use self::{
    hint_attributes::hint_attributes,
    memory::{Memory, survey},
    point::{Point, scalar_type},
};
use crate::{
    diagnostic::Span,
    stencilgen::{
        index::Variable,
        program::{
            Array, ArrayId, Given, Loop, LoopId, LoopVariable, Output, Program, Read, ScalarId,
            Stage, Step, ValueKind, values_below,
        },
    },
};
use melior::{
    Context,
    dialect::func as melior_func,
    ir::{
        Attribute, Block, Identifier, Location, Operation, Region, RegionLike, Type, Value,
        ValueLike,
        attribute::{ArrayAttribute, DictionaryAttribute, StringAttribute, TypeAttribute},
        r#type::FunctionType,
    },
};
use std::collections::{BTreeSet, HashMap};
use stencil_dialects::{
    attributes,
    build::{self, Inserter},
    ods::{arith, func, scf, stencil},
    types::{self, Bounds},
};

/// Builds the function of a program.
///
/// `location` maps spans to locations; without `is_strict`, floating-point operations carry the
/// flags that the language grants.
pub fn lower<'c>(
    context: &'c Context,
    program: &Program,
    name: &str,
    is_strict: bool,
    location: &dyn Fn(Span) -> Location<'c>,
) -> Operation<'c> {
    let memory = survey(program);
    let arguments = arguments(program);
    let inputs = arguments
        .iter()
        .map(|argument| match argument {
            Argument::Array(id) => field_type(context, &program.arrays[*id]),
            Argument::Scalar(id) => scalar_type(context, program.scalars[*id].r#type),
        })
        .collect::<Vec<_>>();
    let place = location(program.span);
    let located = arguments
        .iter()
        .zip(&inputs)
        .map(|(argument, r#type)| {
            let span = match argument {
                Argument::Array(id) => program.arrays[*id].span,
                Argument::Scalar(id) => program.scalars[*id].span,
            };
            (*r#type, location(span))
        })
        .collect::<Vec<_>>();
    let region = Region::new();
    let block = region.append_block(Block::new(&located));
    let mut lowering = Lowering {
        program,
        memory,
        fields: vec![None; program.arrays.len()],
        temps: HashMap::new(),
        scalars: HashMap::new(),
        variables: HashMap::new(),
        fastmath: (!is_strict).then(|| build::attribute(context, GRANTED)),
        location,
    };
    for (position, argument) in arguments.iter().enumerate() {
        let value = build::argument(block, position);
        match argument {
            Argument::Array(id) => lowering.fields[*id] = Some(value),
            Argument::Scalar(id) => {
                lowering.scalars.insert(*id, value);
            }
        }
    }
    lowering.body(Inserter::at_end(block, place));
    drop(lowering);
    let attributes = argument_attributes(context, program, &arguments);
    melior_func::func(
        context,
        StringAttribute::new(context, name),
        TypeAttribute::new(FunctionType::new(context, &inputs, &[]).into()),
        region,
        &[(Identifier::new(context, "arg_attrs"), attributes)],
        place,
    )
}

/// The flags that the language grants.
const GRANTED: &str = "#arith.fastmath<reassoc,arcp,contract,afn>";

/// What the function takes.
#[derive(Clone, Copy)]
enum Argument {
    Array(ArrayId),
    Scalar(ScalarId),
}

/// Arrays and scalars of the caller, in the order of their declarations.
fn arguments(program: &Program) -> Vec<Argument> {
    let arrays = program.arrays.iter().enumerate();
    let arrays = arrays.filter(|(_, array)| array.is_argument());
    let mut all = arrays.map(|(id, array)| (array.span, Argument::Array(id))).collect::<Vec<_>>();
    let scalars = program.scalars.iter().enumerate();
    all.extend(scalars.map(|(id, scalar)| (scalar.span, Argument::Scalar(id))));
    all.sort_by_key(|(span, _)| *span);
    all.into_iter().map(|(_, argument)| argument).collect()
}

fn argument_attributes<'c>(
    context: &'c Context,
    program: &Program,
    arguments: &[Argument],
) -> Attribute<'c> {
    let written = written(&program.steps);
    let dictionaries = arguments.iter().map(|argument| {
        let (name, is_scratch) = match argument {
            Argument::Array(id) => {
                let array = &program.arrays[*id];
                (&array.name, !array.copied_out && written.contains(id))
            }
            Argument::Scalar(id) => (&program.scalars[*id].name, false),
        };
        let name = StringAttribute::new(context, name).into();
        let mut entries = vec![(Identifier::new(context, stencil::attribute::NAME), name)];
        if is_scratch {
            entries.push((
                Identifier::new(context, stencil::attribute::SCRATCH),
                Attribute::unit(context),
            ));
        }
        DictionaryAttribute::new(context, &entries).into()
    });
    ArrayAttribute::new(context, &dictionaries.collect::<Vec<_>>()).into()
}

/// Arrays that some step may write.
fn written(steps: &[Step]) -> BTreeSet<ArrayId> {
    let mut found = BTreeSet::new();
    for step in steps {
        match step {
            Step::Stage(stage) => found.extend(stage.outputs.iter().map(|output| output.array)),
            Step::Loop(repeated) => found.extend(written(&repeated.body)),
            Step::Rename(names) => found.extend(names.iter().map(|(name, _)| *name)),
        }
    }
    found
}

/// Names that some step swaps.
fn renamed(steps: &[Step]) -> BTreeSet<ArrayId> {
    let mut found = BTreeSet::new();
    for step in steps {
        match step {
            Step::Stage(_) => {}
            Step::Loop(repeated) => found.extend(renamed(&repeated.body)),
            Step::Rename(names) => found.extend(names.iter().map(|(name, _)| *name)),
        }
    }
    found
}

fn field_type<'c>(context: &'c Context, array: &Array) -> Type<'c> {
    types::field(context, &array.bounds(), scalar_type(context, array.element))
}

fn temp_type<'c>(context: &'c Context, rank: usize, element: Type<'c>) -> Type<'c> {
    let dims = "?x".repeat(rank);
    Type::parse(context, &format!("!stencil.temp<{dims}{element}>"))
        .expect("a rank and an element make a temp")
}

struct Lowering<'c, 'a, 's> {
    program: &'s Program,
    memory: Memory,
    /// The current field of each name.
    fields: Vec<Option<Value<'c, 'a>>>,
    /// The content of arrays in some version.
    temps: HashMap<(ArrayId, u32), Value<'c, 'a>>,
    scalars: HashMap<ScalarId, Value<'c, 'a>>,
    variables: HashMap<LoopId, Value<'c, 'a>>,
    fastmath: Option<Attribute<'c>>,
    location: &'s dyn Fn(Span) -> Location<'c>,
}

impl<'c: 'a, 'a> Lowering<'c, 'a, '_> {
    fn body(&mut self, at: Inserter<'c, 'a>) {
        let initial_fields = self.fields.clone();
        for (id, array) in self.program.arrays.iter().enumerate() {
            if !array.is_argument() && self.memory.is_needed[id] {
                let here = at.with_location((self.location)(array.span));
                let field = field_type(at.context(), array);
                self.fields[id] = Some(here.value(stencil::ALLOC, &[], &[], field));
            }
            if self.fields[id].is_some() {
                for part in self.memory.zeros[id].clone() {
                    self.zero(at, id, &part);
                }
            }
        }
        let program = self.program;
        self.steps(at, &program.steps);
        // Arrays in other memory are copied back; all are loaded before any is stored.
        let strays = program
            .arrays
            .iter()
            .enumerate()
            .filter(|(id, array)| array.copied_out && self.memory.last[*id] != Some(*id));
        let strays = strays.map(|(id, _)| (id, self.load(at, id))).collect::<Vec<_>>();
        for (id, temp) in strays {
            let field = initial_fields[id].expect("an array that is copied out is an argument");
            store(at, temp, field, &program.arrays[id].bounds());
        }
        func::r#return(at, &[]);
    }

    /// Uninitialised cells are zero.
    fn zero(&self, at: Inserter<'c, 'a>, id: ArrayId, part: &Bounds) {
        let array = &self.program.arrays[id];
        let context = at.context();
        let at = at.with_location((self.location)(array.span));
        let element = scalar_type(context, array.element);
        let region = build::region_with_block(&[], at.location());
        let name = build::string(context, &format!("zero_{}", array.name));
        let segments = build::attribute(context, "array<i32: 0, 0>");
        let attributes = [("operandSegmentSizes", segments), (stencil::attribute::STAGE, name)];
        let temp = temp_type(context, part.rank(), element);
        let apply = at.create(stencil::APPLY, &[], &attributes, &[temp], vec![region]);
        let point = Inserter::at_end(build::block_of(apply, 0), at.location());
        let zero = match array.element {
            crate::stencilgen::ast::Type::Bool | crate::stencilgen::ast::Type::Int => {
                point.integer(element, 0)
            }
            _ => point.float(element, 0.0),
        };
        point.create(stencil::RETURN, &[zero], &[], &[], Vec::new());
        let field = self.fields[id].expect("an array with zeros has memory");
        store(at, build::single(apply), field, part);
    }

    fn steps(&mut self, at: Inserter<'c, 'a>, steps: &[Step]) {
        for (position, step) in steps.iter().enumerate() {
            match step {
                Step::Stage(stage) => self.stage(at, stage, &steps[position + 1..]),
                Step::Loop(repeated) => self.repeat(at, repeated),
                Step::Rename(names) => {
                    let old = self.fields.clone();
                    for (name, other) in names {
                        self.fields[*name] = old[*other];
                    }
                }
            }
        }
    }

    fn repeat(&mut self, at: Inserter<'c, 'a>, repeated: &Loop) {
        let at = at.with_location((self.location)(repeated.span));
        let Some([lower, upper]) = self.bounds(at, repeated) else { return };
        let carried = renamed(&repeated.body)
            .into_iter()
            .filter_map(|name| Some((name, self.fields[name]?)))
            .collect::<Vec<_>>();
        let types = carried.iter().map(|(_, field)| field.r#type()).collect::<Vec<_>>();
        let mut operands = vec![lower, upper, at.index(1)];
        operands.extend(carried.iter().map(|(_, field)| *field));
        let mut arguments = vec![Type::index(at.context())];
        arguments.extend(&types);
        let region = build::region_with_block(&arguments, at.location());
        let operation = at.create(scf::FOR, &operands, &[], &types, vec![region]);
        let block = build::block_of(operation, 0);
        self.variables.insert(repeated.variable, build::argument(block, 0));
        for (position, (name, _)) in carried.iter().enumerate() {
            self.fields[*name] = Some(build::argument(block, position + 1));
        }
        let inside = Inserter::at_end(block, at.location());
        self.steps(inside, &repeated.body);
        let yielded = carried
            .iter()
            .map(|(name, _)| self.fields[*name].expect("a name that changes places has memory"))
            .collect::<Vec<_>>();
        inside.create(scf::YIELD, &yielded, &[], &[], Vec::new());
        for (position, (name, _)) in carried.iter().enumerate() {
            self.fields[*name] = Some(build::result(operation, position));
        }
    }

    /// The bounds of a loop; none if it has no iteration.
    fn bounds(&self, at: Inserter<'c, 'a>, repeated: &Loop) -> Option<[Value<'c, 'a>; 2]> {
        let Given { first, scalar, beyond, period } = match self.program.loops[repeated.variable] {
            LoopVariable::Known(values) => {
                return values.map(|(first, last)| [at.index(first), at.index(last + 1)]);
            }
            LoopVariable::Given(given) => given,
        };
        let number = self.scalars[&scalar];
        let mut upper = arith::index_cast(at, Type::index(at.context()), number);
        // Zero offsets are omitted, so that the bound is the argument itself.
        for (name, number, neutral) in
            [(arith::ADDI, beyond - first, 0), (arith::MULI, period, 1), (arith::ADDI, first, 0)]
        {
            if number != neutral {
                upper = at.binary(name, upper, at.index(number));
            }
        }
        Some([at.index(first), upper])
    }

    fn load(&self, at: Inserter<'c, 'a>, id: ArrayId) -> Value<'c, 'a> {
        let array = &self.program.arrays[id];
        let element = scalar_type(at.context(), array.element);
        let temp = temp_type(at.context(), array.extents.len(), element);
        let field = self.fields[id].expect("what is read has memory, or flows as a value");
        at.value(stencil::LOAD, &[field], &[], temp)
    }

    /// The content of an array in a version.
    fn content(&mut self, at: Inserter<'c, 'a>, array: ArrayId, version: u32) -> Value<'c, 'a> {
        if let Some(temp) = self.temps.get(&(array, version)) {
            return *temp;
        }
        let temp = self.load(at, array);
        self.temps.insert((array, version), temp);
        temp
    }

    fn stage(&mut self, at: Inserter<'c, 'a>, stage: &Stage, later: &[Step]) {
        let at = at.with_location((self.location)(stage.span));
        let inputs = Inputs::of(stage);
        let mut operands = Vec::new();
        for (array, version) in &inputs.grids {
            operands.push(self.content(at, *array, *version));
        }
        // The version that this stage ends is read again later.
        for Output { array, version, .. } in &stage.outputs {
            if is_read(later, *array, *version) {
                self.content(at, *array, *version);
            }
        }
        operands.extend(inputs.scalars.iter().map(|id| self.scalars[id]));
        operands.extend(inputs.variables.iter().map(|id| self.variables[id]));
        let apply = self.apply(at, stage, &inputs, &operands);
        for (position, output) in stage.outputs.iter().enumerate() {
            let temp = build::result(apply, position);
            let at = at.with_location((self.location)(output.span));
            if self.memory.is_needed[output.array] {
                let field = self.fields[output.array].expect("what is written has memory");
                store(at, temp, field, &stage.region);
            } else {
                self.temps.insert((output.array, output.version + 1), temp);
            }
        }
    }

    fn apply(
        &self,
        at: Inserter<'c, 'a>,
        stage: &Stage,
        inputs: &Inputs,
        operands: &[Value<'c, 'a>],
    ) -> melior::ir::OperationRef<'c, 'a> {
        let context = at.context();
        let rank = stage.frame.len();
        let results = stage
            .outputs
            .iter()
            .map(|output| {
                let element = scalar_type(context, self.program.arrays[output.array].element);
                temp_type(context, rank, element)
            })
            .collect::<Vec<_>>();
        let types = operands.iter().map(|operand| operand.r#type()).collect::<Vec<_>>();
        let region = build::region_with_block(&types, at.location());
        let segments = format!("array<i32: {}, 0>", operands.len());
        let mut attributes = vec![
            ("operandSegmentSizes", build::attribute(context, &segments)),
            (stencil::attribute::STAGE, build::string(context, &stage.name)),
        ];
        attributes.extend(hint_attributes(context, stage));
        let apply = at.create(stencil::APPLY, operands, &attributes, &results, vec![region]);
        let body = build::block_of(apply, 0);
        let mut arguments = (0..operands.len()).map(|position| build::argument(body, position));
        let mut next = || arguments.next().expect("the body has an argument for each operand");
        let point = Point {
            at: Inserter::at_end(body, at.location()),
            stage,
            loops: &self.program.loops,
            grids: inputs.grids.iter().map(|grid| (*grid, next())).collect(),
            scalars: inputs.scalars.iter().map(|id| (*id, next())).collect(),
            variables: inputs.variables.iter().map(|id| (*id, next())).collect(),
            fastmath: self.fastmath,
            location: self.location,
        };
        let values = point.build();
        point.at.create(stencil::RETURN, &values, &[], &[], Vec::new());
        apply
    }
}

fn store<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    temp: Value<'c, 'a>,
    field: Value<'c, 'a>,
    bounds: &Bounds,
) {
    let bounds = attributes::make_bounds(at.context(), bounds);
    at.create(stencil::STORE, &[temp, field], &[("bounds", bounds)], &[], Vec::new());
}

/// The operands of a stage's body, each once, in the order of the text.
struct Inputs {
    grids: Vec<(ArrayId, u32)>,
    scalars: Vec<ScalarId>,
    variables: Vec<LoopId>,
}

impl Inputs {
    fn of(stage: &Stage) -> Self {
        let mut inputs = Inputs { grids: Vec::new(), scalars: Vec::new(), variables: Vec::new() };
        for value in values_below(stage.values()) {
            match &value.kind {
                ValueKind::Scalar(id) => push_new(&mut inputs.scalars, *id),
                ValueKind::Loop(id) => push_new(&mut inputs.variables, *id),
                ValueKind::Read(Read { array, version, indices }) => {
                    push_new(&mut inputs.grids, (*array, *version));
                    let mut variables = Vec::new();
                    indices.iter().for_each(|index| index.variables(&mut variables));
                    for variable in variables {
                        if let Variable::Loop(id) = variable {
                            push_new(&mut inputs.variables, id);
                        }
                    }
                }
                _ => {}
            }
        }
        inputs
    }
}

fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// Whether some of the steps read a version of an array.
fn is_read(steps: &[Step], array: ArrayId, version: u32) -> bool {
    steps.iter().any(|step| match step {
        Step::Stage(stage) => {
            stage.reads().any(|read| (read.array, read.version) == (array, version))
        }
        Step::Loop(_) | Step::Rename(_) => false,
    })
}
