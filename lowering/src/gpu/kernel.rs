//! One kernel from one apply.

use super::{
    coordinates::{Domain, all},
    deferred_store::DeferredStore,
    frame::{Frame, Growth, Numbers},
    host::Memory,
    point::PointBody,
    signature::{Made, MemoryParameter, Signature, Work, free_name},
    size::SizedBounds,
    sizes::Sizes,
};
use melior::ir::{BlockRef, OperationRef, Value, ValueLike, operation::OperationLike};
use std::{collections::HashMap, rc::Rc};
use stencil_dialects::{
    Bounds,
    build::{self, Inserter},
    ods::{arith, gpu, math, scf, stencil::attribute},
    ops::{AccessOp, ApplyOp},
    types,
    walk::{self, ValueKey},
};
use stencil_faults::{Fault, one_if};
use stencil_model::plan::PlanKeys;
use stencil_passes::{
    analysis::{domain, footprint},
    framework::{PassResult, refuse},
    strategy::plan,
};

/// The lowered form of an argument of an apply on the host.
pub enum Argument<'c, 'a> {
    /// Memory, for a temp.
    Memory(Memory<'c, 'a>),
    /// A number.
    Scalar(Value<'c, 'a>),
    /// A temp that nothing reads.
    Unread,
}

/// The destination of a result of an apply.
pub struct Output<'c, 'a> {
    /// The memory.
    pub memory: Memory<'c, 'a>,
    /// The points that are written.
    pub bounds: Bounds,
    /// What they are for other extents.
    pub sized: SizedBounds,
}

/// The description of a kernel to be built.
pub struct Request<'c, 'a> {
    /// The apply.
    pub apply: ApplyOp<'c, 'a>,
    /// Name of the kernel; a number is appended if it is taken.
    pub name: String,
    /// Name of the stage.
    pub stage: String,
    /// One per argument of the apply.
    pub arguments: Vec<Argument<'c, 'a>>,
    /// One per result of the apply.
    pub outputs: Vec<Option<Output<'c, 'a>>>,
    /// What coordinates mean.
    pub sizes: Rc<Sizes<'c, 'a>>,
    /// The extents of the domain on the host; none if they are constants.
    pub extents: Vec<Value<'c, 'a>>,
    /// Whether undefined behaviour traps.
    pub checked: bool,
}

/// Makes a kernel at the end of a `gpu.module`'s block.
pub fn build<'c: 'a, 'a>(
    kernels: BlockRef<'c, 'a>,
    request: &Request<'c, 'a>,
) -> PassResult<Made<'c, 'a>> {
    let operation = request.apply.operation();
    let plan = plan::complete_thread(operation)?;
    let Some(bounds) = request.apply.bounds() else {
        return Err(refuse(&operation, "has unknown bounds", "run stencil-infer-bounds first"));
    };
    if plan.threads.len() != bounds.rank() {
        let what = format!("has rank {}, its plan {}", bounds.rank(), plan.threads.len());
        return Err(refuse(&operation, what, "give the plan threads for each dimension"));
    }
    let unroll = request.apply.terminator().unroll().unwrap_or_else(|| vec![1; bounds.rank()]);
    let iteration = domain::iteration(request.apply);
    let sized = request.sizes.bounds(operation, iteration, &bounds)?;
    let follows = request.sizes.followed(operation, iteration, &bounds)?;
    let domain = Domain::new(bounds, &sized, unroll, &plan);
    let memories = memory_parameters(request);
    let mut scalars = scalar_parameters(request);
    let own = memories.len() + scalars.len();
    scalars.extend(&request.extents);
    let name = free_name(kernels, &request.name);
    let signature = Signature {
        operation,
        name: &name,
        stage: &request.stage,
        memories: &memories,
        scalars: &scalars,
        plan: &PlanKeys::from(&plan),
        threads: domain.grid().threads,
        shared: None,
        work: work(request, &domain),
        domain: (!request.extents.is_empty()).then_some((&domain.bounds, &follows)),
    };
    let kernel = signature.declare(kernels);
    let entry = build::block_of(kernel, 0);
    let extents = (own..own + request.extents.len()).map(|number| build::argument(entry, number));
    let at = Inserter::at_end(entry, operation.location());
    let numbers_of_memories = memories_by_buffer(&memories);
    if let Some(copies) = copies(request, &numbers_of_memories) {
        let copies = build::attribute(at.context(), &format!("array<i64: {}>", copies.join(", ")));
        build::set_attribute(kernel, attribute::COPIES, copies);
    }
    let numbers = Numbers::congruent(at, extents.collect(), request.sizes.congruences());
    let numbered = (numbers_of_memories, memories.len());
    let body = PointBody::new(request, (&domain, &sized), entry, numbered, numbers);
    let growths = body.growths();
    let narrow = domain.fits_32_bits(&growths);
    fill(at, &body, &domain, &growths, narrow)?;
    let buffers = memories.iter().map(|parameter| parameter.memory.buffer);
    let parameters = buffers.chain(scalars).collect();
    Ok(Made { name, grid: domain.grid(), blocks: None, parameters, dynamic_shared: 0 })
}

/// The parameters that a kernel copies from and to, in turn, if it does nothing else and both have
/// one layout.
fn copies(request: &Request, numbers: &HashMap<ValueKey, usize>) -> Option<Vec<String>> {
    let values = request.apply.terminator().values();
    let mut copies = Vec::new();
    for (value, output) in values.into_iter().zip(&request.outputs) {
        let Some(Output { memory: to, .. }) = output else { continue };
        let access = walk::definition(value).and_then(AccessOp::of)?;
        let is_at_point = access.mapping().into_iter().eq(0..to.bounds.rank())
            && access.offset().iter().all(|offset| *offset == 0);
        let (_, position) = walk::block_argument(access.source())?;
        let Argument::Memory(from) = request.arguments.get(position)? else { return None };
        if !is_at_point || from.bounds != to.bounds || from.element != to.element {
            return None;
        }
        let number = |memory: &Memory| numbers.get(&ValueKey::of(&memory.buffer)).copied();
        copies.extend([number(from)?.to_string(), number(to)?.to_string()]);
    }
    (request.apply.terminator().unroll().is_none() && !copies.is_empty()).then_some(copies)
}

/// Buffers that the kernel reads or writes, each once, inputs first.
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

/// Float operations of one run of a body, as written; an FMA is two.
pub fn flops(body: OperationRef) -> i64 {
    walk::nested(body)
        .iter()
        .map(|operation| match walk::name(operation) {
            math::FMA => 2,
            arith::ADDF
            | arith::SUBF
            | arith::MULF
            | arith::DIVF
            | math::SQRT
            | arith::MAXIMUMF
            | arith::MINIMUMF
            | arith::MAXNUMF
            | arith::MINNUMF => 1,
            _ => 0,
        })
        .sum()
}

/// Float operations and compulsory bytes (each cell read or written once) of a launch.
fn work(request: &Request, domain: &Domain) -> Work {
    let per_run = flops(request.apply.operation());
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
    Work {
        points: domain.bounds.points(),
        flops: per_run * runs,
        bytes: read_bytes.sum::<i64>() + written_bytes.sum::<i64>(),
    }
}

/// The kernel's body: a straight path for threads whose points all lie inside, far from the ends
/// of the domain if comparisons are known there, and a loop over points for the others.
fn fill<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    body: &PointBody<'c, 'a, '_>,
    domain: &Domain,
    growths: &[Growth],
    narrow: bool,
) -> PassResult {
    let first = domain.first(at, narrow);
    match domain.block_steps() {
        (1, _) => step(at, body, domain, first, growths, narrow)?,
        (steps, distance) => {
            let (place, moved) =
                counted(at, first[0], steps, distance - one_if(Fault::AdvanceDistance));
            let first: Vec<_> = std::iter::once(moved).chain(first[1..].iter().copied()).collect();
            let frame = Frame::new(place, first.clone(), growths, narrow, body.numbers());
            body.prefetch(place, &frame);
            step(place, body, domain, first, growths, narrow)?;
            end_region(place);
        }
    }
    gpu::r#return(at, &[]);
    Ok(())
}

/// The groups of a thread in one step of its block, which begins at `first`.
fn step<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    body: &PointBody<'c, 'a, '_>,
    domain: &Domain,
    first: Vec<Value<'c, 'a>>,
    growths: &[Growth],
    narrow: bool,
) -> PassResult {
    let numbers = body.numbers();
    let inner = match domain.first_inside(at, &first, numbers) {
        Some(inside) => conditional(at, inside),
        None => at,
    };
    let margins = body.middle().map(|middle| &middle.margins[..]).unwrap_or_default();
    let conditions = [
        domain.all_inside(inner, &first, numbers),
        domain.far_inside(inner, &first, numbers, margins),
    ];
    match all(inner, conditions.into_iter().flatten().collect()) {
        None => {
            let frame = Frame::new(inner, first, growths, narrow, numbers);
            straight(inner, body, domain, frame)?;
        }
        Some(inside) => {
            let (then, otherwise) = either(inner, inside);
            let frame = Frame::new(then, first.clone(), growths, narrow, numbers);
            straight(then, body, domain, frame)?;
            end_region(then);
            remainder(otherwise, body, domain, &first, growths, narrow)?;
        }
    }
    if inner.block() != at.block() {
        end_region(inner);
    }
    Ok(())
}

/// A counted loop: the insertion point inside it, and a coordinate that advances by `distance` per
/// trip. The caller ends the region.
fn counted<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    coordinate: Value<'c, 'a>,
    trips: i64,
    distance: i64,
) -> (Inserter<'c, 'a>, Value<'c, 'a>) {
    let r#type = coordinate.r#type();
    let (zero, end, one) =
        (at.integer(r#type, 0), at.integer(r#type, trips), at.integer(r#type, 1));
    let region = build::region_with_block(&[r#type], at.location());
    let made = at.create(scf::FOR, &[zero, end, one], &[], &[], vec![region]);
    let block = build::block_of(made, 0);
    let inside = Inserter::at_end(block, at.location());
    let offset =
        inside.binary(arith::MULI, build::argument(block, 0), inside.integer(r#type, distance));
    (inside, inside.binary(arith::ADDI, coordinate, offset))
}

/// `scf.if` without else: the insertion point inside it. The caller ends the region.
fn conditional<'c: 'a, 'a>(at: Inserter<'c, 'a>, condition: Value<'c, 'a>) -> Inserter<'c, 'a> {
    let regions = vec![build::region_with_block(&[], at.location()), melior::ir::Region::new()];
    let branch = at.create(scf::IF, &[condition], &[], &[], regions);
    Inserter::at_end(build::block_of(branch, 0), at.location())
}

/// `scf.if` with else: both insertion points. The caller ends both regions.
fn either<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    condition: Value<'c, 'a>,
) -> (Inserter<'c, 'a>, Inserter<'c, 'a>) {
    let region = || build::region_with_block(&[], at.location());
    let branch = scf::r#if(at, &[], condition, region(), region()).operation();
    let inside = |region| Inserter::at_end(build::block_of(branch, region), at.location());
    (inside(0), inside(1))
}

fn end_region(at: Inserter) {
    scf::r#yield(at, &[]);
}

/// All groups of a thread one after the other: loads and arithmetic of all, then their stores.
fn straight<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    body: &PointBody<'c, 'a, '_>,
    domain: &Domain,
    frame: Frame<'c, 'a>,
) -> PassResult {
    let mut written: Vec<DeferredStore> = Vec::new();
    for shift in domain.shifts() {
        written.extend(body.emit(at, &frame, &shift, body.middle())?);
    }
    for value in written {
        value.store(at);
    }
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
    let loops = (0..domain.rank()).flat_map(|d| domain.along(d).map(|along| (d, along)));
    for (d, (points, step)) in loops.filter(|(_, (points, _))| *points > 1) {
        let points = points - one_if(Fault::RemainderPoints);
        (inner, coordinates[d]) = counted(inner, coordinates[d], points, step);
        opened.push(inner);
    }
    let ragged = domain.ragged().into_iter().map(|d| (d, 0)).collect();
    if let Some(inside) = domain.inside(inner, &coordinates, body.numbers(), ragged) {
        inner = conditional(inner, inside);
        opened.push(inner);
    }
    let frame = Frame::new(inner, coordinates, growths, narrow, body.numbers());
    for value in body.emit(inner, &frame, &vec![0; domain.rank()], None)? {
        value.store(inner);
    }
    for place in opened {
        end_region(place);
    }
    Ok(())
}
