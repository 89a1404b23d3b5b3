//! One kernel from one apply.

use super::{
    coordinates::{Domain, Frame, Growth},
    host::Memory,
    point::PointBody,
    written::Written,
};
use melior::ir::{
    Attribute, BlockRef, Identifier, OperationRef, Type, Value, ValueLike,
    attribute::{ArrayAttribute, DictionaryAttribute, IntegerAttribute, TypeAttribute},
    operation::OperationLike,
    r#type::{FunctionType, IntegerType},
};
use std::collections::HashMap;
use stencil_dialects::{
    Bounds, attributes,
    build::{self, Inserter},
    ops::ApplyOp,
    types, walk,
    walk::ValueKey,
};
use stencil_model::plan::Plan;
use stencil_passes::{
    analysis::{alias::may_alias, footprint},
    framework::{PassResult, refuse},
    strategy::plan,
    transforms::name_stages,
};

/// Attribute of a kernel: grid points that a launch computes.
pub const POINTS: &str = "stencil.points";
/// Attribute of a kernel: float operations of a launch, as written (an FMA is two).
pub const FLOPS: &str = "stencil.flops";
/// Attribute of a kernel: bytes that a launch must move at least, each cell read or written once.
pub const BYTES: &str = "stencil.bytes";

/// Grid and block of a launch, x first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Blocks along x, y, z.
    pub blocks: [u32; 3],
    /// Threads of a block along x, y, z.
    pub threads: [u32; 3],
}

/// What an argument of an apply has become on the host.
pub enum Argument<'c, 'a> {
    /// Memory, for a temp.
    Memory(Memory<'c, 'a>),
    /// A number.
    Scalar(Value<'c, 'a>),
    /// A temp that nothing reads.
    Unread,
}

/// Where a result of an apply goes.
pub struct Output<'c, 'a> {
    /// The memory.
    pub memory: Memory<'c, 'a>,
    /// The points that are written.
    pub bounds: Bounds,
}

/// All that is known of a kernel before it is made.
pub struct Request<'c, 'a> {
    /// The apply.
    pub apply: ApplyOp<'c, 'a>,
    /// Name of the kernel; a number is added where it is taken.
    pub name: String,
    /// Name of the stage.
    pub stage: String,
    /// One per argument of the apply.
    pub arguments: Vec<Argument<'c, 'a>>,
    /// One per result of the apply.
    pub outputs: Vec<Option<Output<'c, 'a>>>,
    /// Whether undefined behaviour traps.
    pub checked: bool,
}

/// A kernel that was made.
pub struct Made<'c, 'a> {
    /// Its name.
    pub name: String,
    /// How to launch it.
    pub grid: Grid,
    /// Values of the host, one per parameter.
    pub parameters: Vec<Value<'c, 'a>>,
}

/// A parameter that is memory.
struct MemoryParameter<'c, 'a> {
    memory: Memory<'c, 'a>,
    is_written: bool,
}

/// Makes a kernel at the end of a `gpu.module`'s block.
pub fn build<'c: 'a, 'a>(
    kernels: BlockRef<'c, 'a>,
    request: &Request<'c, 'a>,
) -> PassResult<Made<'c, 'a>> {
    let operation = request.apply.operation();
    let plan = plan_of(operation)?;
    let Some(bounds) = request.apply.bounds() else {
        return Err(refuse(&operation, "has unknown bounds", "run stencil-infer-bounds first"));
    };
    if plan.threads.len() != bounds.rank() {
        let what = format!("has rank {}, its plan {}", bounds.rank(), plan.threads.len());
        return Err(refuse(&operation, what, "give the plan threads for each dimension"));
    }
    let unroll = request.apply.terminator().unroll().unwrap_or_else(|| vec![1; bounds.rank()]);
    let domain = Domain::new(bounds, unroll, &plan);
    let memories = memory_parameters(request);
    let scalars = scalar_parameters(request);
    let name = free_name(kernels, &request.name);
    let kernel = declare(kernels, request, &name, &memories, &scalars, &plan, &domain);
    let entry = build::block_of(kernel, 0);
    let body =
        PointBody::new(request, &domain, entry, &memories_by_buffer(&memories), memories.len());
    let narrow = domain.fits_32_bits(&body.growths());
    fill(entry, &body, &domain, narrow, operation)?;
    let buffers = memories.iter().map(|parameter| parameter.memory.buffer);
    Ok(Made { name, grid: domain.grid(), parameters: buffers.chain(scalars).collect() })
}

fn plan_of(operation: OperationRef) -> PassResult<Plan> {
    match plan::of(operation) {
        Some(Ok(plan)) if !plan.threads.is_empty() => Ok(plan),
        Some(Err(why)) => Err(refuse(&operation, why, "mend the plan")),
        _ => Err(refuse(&operation, "has no complete plan", "run stencil-select-plan first")),
    }
}

/// Memory that the kernel reads or writes, each once, what is read first.
fn memory_parameters<'c: 'a, 'a>(request: &Request<'c, 'a>) -> Vec<MemoryParameter<'c, 'a>> {
    let mut parameters: Vec<MemoryParameter> = Vec::new();
    let mut add = |memory: &Memory<'c, 'a>, is_written: bool| match parameters
        .iter_mut()
        .find(|known| known.memory.buffer == memory.buffer)
    {
        Some(known) => known.is_written |= is_written,
        None => parameters.push(MemoryParameter { memory: memory.clone(), is_written }),
    };
    for read in footprint::reads(request.apply) {
        if let Argument::Memory(memory) = &request.arguments[read.argument] {
            add(memory, false);
        }
    }
    for output in request.outputs.iter().flatten() {
        add(&output.memory, true);
    }
    parameters
}

fn memories_by_buffer<'c: 'a, 'a>(
    parameters: &[MemoryParameter<'c, 'a>],
) -> HashMap<ValueKey, usize> {
    let buffers = parameters.iter().map(|parameter| ValueKey::of(&parameter.memory.buffer));
    buffers.zip(0..).collect()
}

fn scalar_parameters<'c: 'a, 'a>(request: &Request<'c, 'a>) -> Vec<Value<'c, 'a>> {
    request
        .arguments
        .iter()
        .filter_map(|argument| match argument {
            Argument::Scalar(value) => Some(*value),
            _ => None,
        })
        .collect()
}

fn free_name(kernels: BlockRef, wanted: &str) -> String {
    let taken = walk::operations(kernels)
        .into_iter()
        .filter_map(|kernel| kernel.attribute("sym_name").ok().and_then(attributes::string))
        .collect::<Vec<_>>();
    let candidates = (1..).map(|number| format!("{wanted}_{number}"));
    std::iter::once(wanted.to_owned())
        .chain(candidates)
        .find(|name| !taken.contains(name))
        .expect("there are more numbers than kernels")
}

fn declare<'c: 'a, 'a>(
    kernels: BlockRef<'c, 'a>,
    request: &Request<'c, 'a>,
    name: &str,
    memories: &[MemoryParameter<'c, 'a>],
    scalars: &[Value<'c, 'a>],
    plan: &Plan,
    domain: &Domain,
) -> OperationRef<'c, 'a> {
    let operation = request.apply.operation();
    let context = build::context(&operation);
    let types = memories
        .iter()
        .map(|parameter| parameter.memory.buffer.r#type())
        .chain(scalars.iter().map(ValueLike::r#type))
        .collect::<Vec<_>>();
    let function_type = FunctionType::new(context, &types, &[]).into();
    let threads = domain.grid().threads.map(|threads| threads.to_string()).join(", ");
    let block = build::attribute(context, &format!("array<i32: {threads}>"));
    let number = |number: i64| -> Attribute {
        IntegerAttribute::new(IntegerType::new(context, 64).into(), number).into()
    };
    let (flops, bytes) = work(request, domain);
    let mut attributes = vec![
        ("sym_name", build::string(context, name)),
        ("function_type", TypeAttribute::new(function_type).into()),
        ("gpu.kernel", Attribute::unit(context)),
        ("workgroup_attributions", number(0)),
        ("known_block_size", block),
        ("arg_attrs", parameter_attributes(request, memories, scalars.len())),
        (name_stages::STAGE, build::string(context, &request.stage)),
        (plan::PLAN, plan::attribute(context, plan)),
        (POINTS, number(domain.bounds.points())),
        (FLOPS, number(flops)),
        (BYTES, number(bytes)),
    ];
    let i32_type: Type = IntegerType::new(context, 32).into();
    if let Some(registers) = plan.max_registers {
        let cap = IntegerAttribute::new(i32_type, i64::from(registers)).into();
        attributes.push(("nvvm.maxnreg", cap));
    }
    if plan.min_blocks > 1 {
        let least = IntegerAttribute::new(i32_type, i64::from(plan.min_blocks)).into();
        attributes.push(("nvvm.minctasm", least));
    }
    let region = build::region_with_block(&types, operation.location());
    let at = Inserter::at_end(kernels, operation.location());
    at.create("gpu.func", &[], &attributes, &[], vec![region])
}

/// What each parameter promises: that no other parameter is the same memory while one of the two is
/// written, and that it is only read. Both together let loads use the read-only path.
fn parameter_attributes<'c: 'a, 'a>(
    request: &Request<'c, 'a>,
    memories: &[MemoryParameter<'c, 'a>],
    scalars: usize,
) -> Attribute<'c> {
    let context = build::context(&request.apply.operation());
    let entry = |name: &str| (Identifier::new(context, name), Attribute::unit(context));
    let mut dictionaries = Vec::new();
    for (position, parameter) in memories.iter().enumerate() {
        let is_apart = memories.iter().enumerate().all(|(other_position, other)| {
            let may_alias = match (parameter.memory.field, other.memory.field) {
                (Some(one), Some(two)) => may_alias(one, two),
                _ => false,
            };
            position == other_position || !may_alias || !(parameter.is_written || other.is_written)
        });
        let mut entries = Vec::new();
        if is_apart {
            entries.push(entry("llvm.noalias"));
        }
        if !parameter.is_written {
            entries.push(entry("llvm.readonly"));
        }
        dictionaries.push(Attribute::from(DictionaryAttribute::new(context, &entries)));
    }
    let none = Attribute::from(DictionaryAttribute::new(context, &[]));
    dictionaries.resize(memories.len() + scalars, none);
    ArrayAttribute::new(context, &dictionaries).into()
}

/// Float operations and compulsory bytes of a launch.
fn work(request: &Request, domain: &Domain) -> (i64, i64) {
    let per_run = walk::nested(request.apply.operation())
        .iter()
        .map(|operation| match walk::name(operation).as_str() {
            "math.fma" => 2,
            "arith.addf" | "arith.subf" | "arith.mulf" | "arith.divf" | "math.sqrt"
            | "arith.maximumf" | "arith.minimumf" | "arith.maxnumf" | "arith.minnumf" => 1,
            _ => 0,
        })
        .sum::<i64>();
    let mut read: HashMap<usize, Bounds> = HashMap::new();
    for access in footprint::reads(request.apply) {
        if let Some(reach) = access.reach(&domain.bounds) {
            let merged =
                read.get(&access.argument).map_or(reach.clone(), |known| known.union(&reach));
            read.insert(access.argument, merged);
        }
    }
    let bytes_of = |memory: &Memory| i64::from(types::element_bytes(memory.element).unwrap_or(1));
    let read_bytes = read.iter().map(|(argument, cells)| match &request.arguments[*argument] {
        Argument::Memory(memory) => cells.points() * bytes_of(memory),
        _ => 0,
    });
    let written = request.outputs.iter().flatten();
    let written_bytes = written.map(|output| output.bounds.points() * bytes_of(&output.memory));
    let runs = domain.bounds.points() / domain.unroll.iter().product::<i64>();
    (per_run * runs, read_bytes.sum::<i64>() + written_bytes.sum::<i64>())
}

/// The kernel's body: a straight path for threads whose points all lie inside, and a loop over
/// points for the others.
fn fill<'c: 'a, 'a>(
    entry: BlockRef<'c, 'a>,
    body: &PointBody<'c, 'a, '_>,
    domain: &Domain,
    narrow: bool,
    apply: OperationRef<'c, 'a>,
) -> PassResult {
    let at = Inserter::at_end(entry, apply.location());
    let first = domain.first(at, narrow);
    let growths = body.growths();
    let inner = match domain.first_inside(at, &first) {
        Some(inside) => conditional(at, inside),
        None => at,
    };
    match domain.all_inside(inner, &first) {
        None => straight(inner, body, domain, Frame::new(inner, first, &growths, narrow))?,
        Some(inside) => {
            let (then, otherwise) = either(inner, inside);
            let frame = Frame::new(then, first.clone(), &growths, narrow);
            straight(then, body, domain, frame)?;
            remainder(otherwise, body, domain, &first, &growths, narrow)?;
        }
    }
    if inner.block() != at.block() {
        end_region(inner);
    }
    at.create("gpu.return", &[], &[], &[], Vec::new());
    Ok(())
}

/// `scf.if` without else: the place inside it. The caller ends the region.
fn conditional<'c: 'a, 'a>(at: Inserter<'c, 'a>, condition: Value<'c, 'a>) -> Inserter<'c, 'a> {
    let regions = vec![build::region_with_block(&[], at.location()), melior::ir::Region::new()];
    let branch = at.create("scf.if", &[condition], &[], &[], regions);
    Inserter::at_end(build::block_of(branch, 0), at.location())
}

/// `scf.if` with else: both places. Both regions get their end after they are filled.
fn either<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    condition: Value<'c, 'a>,
) -> (Inserter<'c, 'a>, Inserter<'c, 'a>) {
    let region = || build::region_with_block(&[], at.location());
    let branch = at.create("scf.if", &[condition], &[], &[], vec![region(), region()]);
    let inside = |region| Inserter::at_end(build::block_of(branch, region), at.location());
    (inside(0), inside(1))
}

fn end_region(at: Inserter) {
    at.create("scf.yield", &[], &[], &[], Vec::new());
}

/// All groups of a thread one after the other: loads and arithmetic of all, then their stores.
fn straight<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    body: &PointBody<'c, 'a, '_>,
    domain: &Domain,
    frame: Frame<'c, 'a>,
) -> PassResult {
    let mut written: Vec<Written> = Vec::new();
    for shift in domain.shifts() {
        written.extend(body.emit(at, &frame, &shift)?);
    }
    for value in written {
        value.store(at);
    }
    if domain.ragged().is_empty() {
        return Ok(());
    }
    end_region(at);
    Ok(())
}

/// A loop over the groups of a thread, each computed where it lies inside.
fn remainder<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    body: &PointBody<'c, 'a, '_>,
    domain: &Domain,
    first: &[Value<'c, 'a>],
    growths: &[Growth],
    narrow: bool,
) -> PassResult {
    let mut coordinates = first.to_vec();
    let mut inner = at;
    let mut opened = vec![at];
    for (d, coordinate) in coordinates.iter_mut().enumerate() {
        let (points, step) = domain.along(d);
        if points == 1 {
            continue;
        }
        let r#type = coordinate.r#type();
        let (zero, end, one) =
            (inner.integer(r#type, 0), inner.integer(r#type, points), inner.integer(r#type, 1));
        let region = build::region_with_block(&[r#type], at.location());
        let time_loop = inner.create("scf.for", &[zero, end, one], &[], &[], vec![region]);
        let block = build::block_of(time_loop, 0);
        inner = Inserter::at_end(block, at.location());
        opened.push(inner);
        let point = build::argument(block, 0);
        let offset = inner.binary("arith.muli", point, inner.integer(r#type, step));
        *coordinate = inner.binary("arith.addi", *coordinate, offset);
    }
    let ragged = domain.ragged().into_iter().map(|d| (d, 0)).collect();
    if let Some(inside) = domain.inside(inner, &coordinates, ragged) {
        inner = conditional(inner, inside);
        opened.push(inner);
    }
    let frame = Frame::new(inner, coordinates, growths, narrow);
    for value in body.emit(inner, &frame, &vec![0; domain.rank()])? {
        value.store(inner);
    }
    for place in opened {
        end_region(place);
    }
    Ok(())
}
