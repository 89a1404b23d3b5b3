//! One kernel from one `sweep.kernel`: the mapping of points to threads, and the exchange of
//! values.
//!
//! `shape` holds the sizes; `stages` the schedule of operations; `thread` the coordinates of a
//! thread; `source` loads planes from global memory; `plane`, `exchange` and `shared` exchange
//! values between threads; `keep` is the state of a level in shared memory; `stream` is the loop,
//! `level` one level of one iteration. `lines` replaces state and exchange where a block computes
//! several lines per iteration.
//!
//! A kernel has two versions of its code: for tiles inside the domain, without bounds checks, and
//! for all others, whose boundary values are in a `frame`. Each has its loop over planes twice, see
//! `phases`.

mod block;
mod cells;
mod edge;
mod exchange;
mod frame;
mod keep;
mod level;
mod lines;
mod phases;
mod plane;
mod shape;
mod shared;
mod source;
mod stream;
mod thread;

use self::{
    cells::Cells,
    edge::Lateral,
    exchange::RowPlan,
    frame::{Frame, FramePlan},
    level::Known,
    lines::{LinePlan, Lines},
    shape::{Shape, View},
    shared::{Layout, Shared},
    stream::Stream,
    thread::Thread,
};
use crate::{
    gpu::{
        body::{Body, Emitted, Place},
        host::Memory,
        kernel,
        signature::{Grid, Made, MemoryParameter, Signature, Work, free_name, shared_type},
    },
    sweep::stages::Stages,
};
use melior::ir::{
    BlockRef, OperationRef, Type, Value, ValueLike, attribute::FloatAttribute,
    operation::OperationLike,
};
use stencil_dialects::{
    build::{self, Inserter},
    ods::{self, arith, memref, scf},
    ops::{AccessOp, DynAccessOp},
    sweep::{KernelOp, SlotPlace},
    types, walk,
};
use stencil_model::{
    plan::{Form, PlanKeys, Skew},
    target::{GRID_MAX, STATIC_SHARED_BYTES},
};
use stencil_passes::framework::{PassResult, refuse};

/// A kernel to be built, with its lowered operands.
pub struct Request<'c, 'a> {
    /// The op.
    pub kernel: KernelOp<'c, 'a>,
    /// Name of the kernel; a number is added where it is taken.
    pub name: String,
    /// Buffers of carried levels.
    pub carried: Vec<Memory<'c, 'a>>,
    /// Buffers of boundary sources.
    pub homes: Vec<Memory<'c, 'a>>,
    /// Buffers that are only read.
    pub reads: Vec<Memory<'c, 'a>>,
    /// Buffers that are written.
    pub outs: Vec<Memory<'c, 'a>>,
    /// Numbers, the same at every level.
    pub scalars: Vec<Value<'c, 'a>>,
    /// Numbers level by level.
    pub level_scalars: Vec<Value<'c, 'a>>,
    /// Parameters for [`wide_constants`].
    pub constants: Vec<Value<'c, 'a>>,
}

/// The most constants that become parameters.
const MOST_PARAMETERS: usize = 40;

/// Constants that are no instruction immediates: f64 whose lower half is not zero. As parameters
/// they are operands from constant memory, without register or move.
pub fn wide_constants<'c: 'a, 'a>(kernel: KernelOp<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let is_wide = |operation: &OperationRef<'c, 'a>| {
        let float =
            operation.attribute("value").ok().and_then(|v| FloatAttribute::try_from(v).ok());
        let is_double = operation
            .results()
            .next()
            .is_some_and(|result| types::element_bytes(ValueLike::r#type(&result)) == Some(8));
        walk::name(operation) == arith::CONSTANT
            && is_double
            && float.is_some_and(|float| float.value().to_bits() as u32 != 0)
    };
    let constants = walk::operations(kernel.body()).into_iter().filter(is_wide);
    constants.take(MOST_PARAMETERS).collect()
}

/// Makes a kernel at the end of a `gpu.module`'s block.
pub fn build<'c: 'a, 'a>(
    kernels: BlockRef<'c, 'a>,
    request: &Request<'c, 'a>,
) -> PassResult<Made<'c, 'a>> {
    let shape = Shape::of(request.kernel)?;
    let form = form(&shape);
    check(&shape, form)?;
    let in_shared = slots_in_shared(&shape);
    let rows = RowPlan::of(&shape, form);
    let frames = FramePlan::of(&shape);
    let layout = Layout::of(&shape, in_shared.len() as i64, rows.as_ref(), frames.as_ref());
    let bytes = types::element_bytes(shape.element).map_or(1, i64::from) * layout.total();
    let is_static = bytes <= i64::from(STATIC_SHARED_BYTES);

    let read = request.carried.iter().chain(&request.homes).chain(&request.reads);
    let read = read.collect::<Vec<_>>();
    let written = request.outs.iter().collect::<Vec<_>>();
    let memories = shape::parameters(&read, &written);
    let scalars = request.scalars.iter().chain(&request.level_scalars).chain(&request.constants);
    let scalars = scalars.copied();
    let scalars = scalars.collect::<Vec<_>>();
    let name = free_name(kernels, &request.name);
    let grid = grid(&shape)?;
    let signature = Signature {
        operation: shape.operation(),
        name: &name,
        stage: &request.kernel.stage(),
        memories: &memories,
        scalars: &scalars,
        plan: &PlanKeys::from(&shape.plan),
        threads: grid.threads,
        shared: (bytes > 0 && is_static).then_some((shape.element, layout.total())),
        work: work(&shape, request),
    };
    let function = signature.declare(kernels);
    let parts =
        Parts { request, form, memories: &memories, scalars: scalars.len(), layout, rows, frames };
    fill(build::block_of(function, 0), &shape, parts, &in_shared, is_static)?;
    let buffers = memories.iter().map(|parameter| parameter.memory.buffer);
    let dynamic_shared = if is_static { 0 } else { bytes };
    Ok(Made { name, grid, parameters: buffers.chain(scalars).collect(), dynamic_shared })
}

/// The inputs of the emission of a kernel.
struct Parts<'c, 'a, 'r> {
    request: &'r Request<'c, 'a>,
    form: Form,
    memories: &'r [MemoryParameter<'c, 'a>],
    /// Parameters after the buffers.
    scalars: usize,
    layout: Layout,
    rows: Option<RowPlan>,
    frames: Option<FramePlan>,
}

/// Emits the body of a kernel.
fn fill<'c: 'a, 'a>(
    entry: BlockRef<'c, 'a>,
    shape: &Shape<'c, 'a>,
    parts: Parts<'c, 'a, '_>,
    in_shared: &[(i64, usize)],
    is_static: bool,
) -> PassResult {
    let Parts { request, form, memories, scalars, layout, rows, frames } = parts;
    let at = Inserter::at_end(entry, shape.operation().location());
    let stages = Stages::of(shape.kernel, form)?;
    let thread = Thread::new(at, shape);
    let buffer = shared_buffer(at, shape, layout, is_static, memories.len() + scalars);
    let place = (thread.lane, thread.warp);
    let shared = buffer.map(|buffer| Shared::new(at, shape, (buffer, layout), rows, place));
    if let Some(shared) = &shared {
        shared.clear(at, in_shared.len() as i64, shape.tiling.streamed.steps);
    }
    let lines = LinePlan::of(shape).zip(buffer);
    let lines = lines
        .map(|(plan, buffer)| Lines::new(at, shape, &thread, (plan, buffer, layout.rows_begin())));
    if let Some(lines) = &lines {
        lines.clear(at, shape.plan.skew() == Skew::Lazy);
    }
    let view = |memory: &Memory<'c, 'a>| {
        let number = memories.iter().position(|known| known.memory.buffer == memory.buffer);
        let number = number.expect("every memory of the request is a parameter");
        View::of(memory, build::argument(entry, number))
    };
    let views = |list: &[Memory<'c, 'a>]| list.iter().map(view).collect::<Vec<_>>();
    let (carried, homes) = (views(&request.carried), views(&request.homes));
    let (reads, outs) = (views(&request.reads), views(&request.outs));
    let parameters = (0..scalars).map(|i| build::argument(entry, memories.len() + i));
    let parameters = parameters.collect::<Vec<_>>();
    let (numbers, constants) = parameters.split_at(scalars - request.constants.len());
    let constants = wide_constants(request.kernel).into_iter().zip(constants);
    let constants = constants.map(|(operation, value)| (build::single(operation), *value));
    let constants = constants.collect::<Known>();
    let known = known(at, shape, &stages, numbers.split_at(request.scalars.len()), &constants)?;
    let stream = Stream {
        shape,
        form,
        stages: &stages,
        in_shared,
        shared: shared.as_ref(),
        lines: lines.as_ref(),
        thread: &thread,
        carried: &carried,
        homes: &homes,
        reads: &reads,
        outs: &outs,
        known: &known,
    };
    let frames = frames.as_ref().zip(buffer);
    let frames = frames.map(|(plan, buffer)| (plan, buffer, layout.frames_begin()));
    versions(at, &stream, frames)?;
    ods::gpu::r#return(at, &[]);
    Ok(())
}

/// Bytes of shared memory of a block: slots of the queue, rows exchanged between warps, and planes
/// in flight.
pub fn shared_bytes(kernel: KernelOp) -> PassResult<u64> {
    let shape = Shape::of(kernel)?;
    let form = form(&shape);
    let rows = RowPlan::of(&shape, form);
    let slots = slots_in_shared(&shape).len() as i64;
    let layout = Layout::of(&shape, slots, rows.as_ref(), FramePlan::of(&shape).as_ref());
    let element = types::element_bytes(shape.element).map_or(1, i64::from);
    Ok((element * layout.total()).unsigned_abs())
}

/// The part of [`shared_bytes`] through which threads exchange values: rows, whole planes.
pub fn exchanged_bytes(kernel: KernelOp) -> PassResult<u64> {
    let shape = Shape::of(kernel)?;
    let rows = RowPlan::of(&shape, form(&shape));
    let layout = Layout::of(&shape, 0, rows.as_ref(), None);
    let element = types::element_bytes(shape.element).map_or(1, i64::from);
    Ok((element * layout.rows).unsigned_abs())
}

/// The kernel's form, or its plan's if it has none.
fn form(shape: &Shape) -> Form {
    shape.kernel.form().unwrap_or_else(|| shape.plan.form())
}

/// Refuses what a mapping does not support.
fn check(shape: &Shape, form: Form) -> PassResult {
    let operation = shape.operation();
    exchange::check(shape, form)?;
    if shape.kernel.carried().len() > 1 {
        let streamed = &shape.tiling.streamed;
        let (behind, delay) = (i64::from(streamed.reach.behind), streamed.behind(1));
        // Circular arrays are longer for older levels.
        let keeps = behind == delay || shape.tiling.takes_lines();
        if form == Form::Scatter || !keeps {
            let remedy = "take form = \"gather\" and skew = \"tight\", or mapping = \"thread\"";
            let what = "reads an older level, whose planes this queue does not keep";
            return Err(refuse(&operation, what, remedy));
        }
    }
    for access in walk::nested(operation).into_iter().filter_map(AccessOp::of) {
        let older = shape.age(access).is_some_and(|age| age > 0);
        if older && (shape.age(access) > Some(1) || shape.offset(access) != [0; 3]) {
            let remedy =
                "read it at the point itself, one level back, or take mapping = \"thread\"";
            return Err(refuse(&access.operation(), "reads an older level elsewhere", remedy));
        }
    }
    if shape.plan.skew() == Skew::Lazy && !slots_in_shared(shape).is_empty() {
        let what = "has slots in shared memory, but a lazy skew keeps planes besides the queue";
        return Err(refuse(&operation, what, "take skew = \"tight\", or all slots in registers"));
    }
    if shape.plan.loads.ring().is_some() && !shape.is_copied {
        let bytes = types::element_bytes(shape.element).map_or(1, i64::from) * shape.vector;
        let what = format!("needs asynchronous copies of {bytes} bytes, which do not exist");
        let remedy = "take loads = \"prefetch\" and leave 'ring' out of the plan, or rows and \
                      points of a thread that are multiples of 4 bytes";
        return Err(refuse(&operation, what, remedy));
    }
    Ok(())
}

/// Slots of the queue that are in shared memory, as level and group. Slots are numbered from the
/// oldest of the last level to the arriving plane, which has the highest number.
fn slots_in_shared(shape: &Shape) -> Vec<(i64, usize)> {
    let span = shape.reaches[0].span() as usize;
    let Some(slots) = shape.kernel.slots() else { return Vec::new() };
    let places = slots.iter().rev().skip(1).enumerate();
    places
        .filter(|(_, place)| **place == SlotPlace::Shared)
        .map(|(age, _)| ((age / span + 1) as i64, span - 1 - age % span))
        .collect()
}

fn grid(shape: &Shape) -> PassResult<Grid> {
    let count = shape.tiling.blocks();
    let (name, most) = GRID_MAX.fastest_first()[0];
    let Some(along_x) = u32::try_from(count).ok().filter(|count| u64::from(*count) <= most) else {
        let what = format!("needs {count} blocks along {name}, a launch has at most {most}");
        return Err(refuse(&shape.operation(), what, "take larger tiles or fewer chunks"));
    };
    let mut threads = [1_u32; 3];
    for (axis, count) in shape.plan.threads.iter().rev().enumerate() {
        threads[axis] = *count;
    }
    Ok(Grid { blocks: [along_x, 1, 1], threads })
}

/// The work of a launch: every level of every point counts.
fn work(shape: &Shape, request: &Request) -> Work {
    let points = shape.kernel.domain().points();
    let steps = shape.tiling.streamed.steps;
    let bytes = |memory: &Memory| i64::from(types::element_bytes(memory.element).unwrap_or(1));
    let read = request.carried.iter().chain(&request.reads);
    let cells = |memory: &Memory| memory.bounds.points().min(points);
    let read = read.map(|memory| cells(memory) * bytes(memory)).sum::<i64>();
    let written = request.outs.iter().map(|memory| points * bytes(memory)).sum::<i64>();
    let flops = kernel::flops(shape.operation()) * points * steps;
    Work { points: points * steps, flops, bytes: read + written }
}

fn shared_buffer<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    shape: &Shape<'c, 'a>,
    layout: Layout,
    is_static: bool,
    parameters: usize,
) -> Option<Value<'c, 'a>> {
    if layout.total() == 0 {
        return None;
    }
    if is_static {
        return Some(build::argument(at.block(), parameters));
    }
    let bytes = Type::parse(at.context(), "memref<?xi8, #gpu.address_space<workgroup>>");
    let bytes = bytes.expect("the text is a type");
    let all = ods::gpu::dynamic_shared_memory(at, bytes);
    let r#type = shared_type(at.context(), shape.element, layout.total());
    Some(at.value(memref::VIEW, &[all, at.index(0)], &[], r#type))
}

/// Lowered scalars, and values computed from scalars alone, for each level.
fn known<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    shape: &Shape<'c, 'a>,
    stages: &Stages<'c, 'a>,
    (scalars, level_scalars): (&[Value<'c, 'a>], &[Value<'c, 'a>]),
    constants: &Known<'c, 'a>,
) -> PassResult<Vec<Known<'c, 'a>>> {
    let mut levels = Vec::new();
    for level in 1..=shape.tiling.streamed.steps {
        let mut known = stream::scalars(shape, level, scalars, level_scalars);
        known.extend(constants);
        let body = Body::new(Nowhere, false);
        for (old, new) in &known {
            body.bind(*old, Emitted::Value(*new));
        }
        for operation in &stages.invariant {
            let results = || operation.results().map(Value::from);
            if results().any(|result| constants.iter().any(|(old, _)| *old == result)) {
                continue;
            }
            body.operation(*operation, at.with_location(operation.location()))?;
            known.extend(results().map(|result| (result, body.value(result))));
        }
        levels.push(known);
    }
    Ok(levels)
}

/// The place of operations that do not depend on the point.
struct Nowhere;

impl<'c: 'a, 'a> Place<'c, 'a> for Nowhere {
    fn access(&self, _: AccessOp<'c, 'a>, _: Inserter<'c, 'a>) -> PassResult<Value<'c, 'a>> {
        unreachable!("operations that read are not the same at every point")
    }

    fn dynamic_access(
        &self,
        _: DynAccessOp<'c, 'a>,
        _: &[Value<'c, 'a>],
        _: Inserter<'c, 'a>,
    ) -> PassResult<Value<'c, 'a>> {
        unreachable!("operations that read are not the same at every point")
    }

    fn coordinate(&self, _: usize, _: i64, _: Inserter<'c, 'a>) -> Value<'c, 'a> {
        unreachable!("coordinates are not the same at every point")
    }
}

/// Emits code for tiles inside the domain and for those at its lateral ends.
fn versions<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    stream: &Stream<'c, 'a, '_>,
    frames: Option<(&FramePlan, Value<'c, 'a>, i64)>,
) -> PassResult {
    let (shape, thread) = (stream.shape, stream.thread);
    branch(at, thread.is_inside(at, shape), |at, is_inside| {
        let lateral = match (is_inside, Lateral::is_anywhere(shape)) {
            (true, _) => Lateral::Inside,
            (false, true) => Lateral::anywhere(at, shape, thread),
            (false, false) => {
                let frame = |parts| Frame::new(at, shape, thread, stream.homes, parts);
                Lateral::Edge(frames.map(frame))
            }
        };
        stream.emit(at, &Cells::new(shape, thread, lateral))
    })
}

/// `scf.if` with both branches.
fn branch<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    condition: Value<'c, 'a>,
    mut emit: impl FnMut(Inserter<'c, 'a>, bool) -> PassResult,
) -> PassResult {
    let region = || build::region_with_block(&[], at.location());
    let branch = scf::r#if(at, &[], condition, region(), region()).operation();
    for (number, holds) in [true, false].into_iter().enumerate() {
        let inside = Inserter::at_end(build::block_of(branch, number), at.location());
        emit(inside, holds)?;
        inside.create(scf::YIELD, &[], &[], &[], Vec::new());
    }
    Ok(())
}
