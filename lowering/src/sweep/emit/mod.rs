//! One kernel from one `sweep.tiled`: the mapping of points to threads, and the exchange of values.
//!
//! `thread` has the coordinates of a thread, `block` those of its tile, `position` where its cells
//! lie to the domain; `cells` loads and stores planes, `edge` and `frame` give boundary values;
//! `plane`, `shared`, `lines` and `halo` exchange values between threads; `iteration` is one
//! iteration of the loop, op by op, with `tiles` as registers and `point` for the operations at a
//! point; `phases` is the loop.
//!
//! A kernel has two versions of its code: for tiles inside the domain, without bounds checks, and
//! for all others, whose boundary values are in a `frame`. Each has its loop over planes twice, see
//! `phases`.

mod block;
mod cells;
mod copies;
mod count;
pub mod counts;
mod edge;
mod frame;
mod halo;
mod iteration;
mod lines;
pub mod numbers;
mod phases;
mod plane;
mod point;
mod position;
mod range;
mod shared;
mod thread;
mod tiles;
mod view;

use self::{
    cells::Cells,
    counts::Counts,
    frame::{Frame, FramePlan},
    halo::Halos,
    iteration::Kernel,
    lines::{LinePlan, Lines},
    point::Nowhere,
    position::Lateral,
    range::Ranged,
    shared::{Layout, Shared},
    thread::Thread,
    view::View,
};
use crate::{
    builders,
    gpu::{
        body::{Body, Emitted},
        frame::Numbers,
        host::Memory,
        signature::{Blocks, Grid, Made, MemoryParameter, Signature, Work, free_name, shared_type},
        sizes::Sizes,
    },
    sweep::shape::Shape,
};
use melior::ir::{BlockRef, OperationRef, Type, Value, operation::OperationLike};
use std::{collections::HashSet, rc::Rc};
use stencil_dialects::{
    Bounds,
    build::{self, Inserter},
    ods::{
        self, memref, scf,
        sweep::{BoundaryOp, PlanesOp, StoreOp, TiledOp},
    },
    sweep::BufferKind,
    walk::{self, ValueKey},
};
use stencil_model::{
    plan::{PlanKeys, Skew},
    target::{GRID_MAX, STATIC_SHARED_BYTES},
};
use stencil_passes::framework::{PassResult, refuse};

/// A kernel to be built, with its lowered operands.
pub struct Request<'c, 'a> {
    /// The op.
    pub tiled: TiledOp<'c, 'a>,
    /// Name of the kernel; a number is added where it is taken.
    pub name: String,
    /// Buffers of its fields.
    pub fields: Vec<Memory<'c, 'a>>,
    /// Its scalars.
    pub scalars: Vec<Value<'c, 'a>>,
    /// What coordinates mean.
    pub sizes: Rc<Sizes<'c, 'a>>,
    /// The extents of the domain on the host; none if they are constants.
    pub extents: Vec<Value<'c, 'a>>,
    /// Where the host computes what depends on them.
    pub host: Inserter<'c, 'a>,
}

/// Makes a kernel at the end of a `gpu.module`'s block.
pub fn build<'c: 'a, 'a>(
    kernels: BlockRef<'c, 'a>,
    request: &Request<'c, 'a>,
) -> PassResult<Made<'c, 'a>> {
    let tiled = request.tiled;
    let mut shape = Shape::of_tiled(tiled)?;
    shape.check_joined(tiled)?;
    shape.generalize(tiled, &request.sizes)?;
    let planes = the_loop(tiled, &shape)?;
    let layout = Layout::of(tiled, &shape);
    check_turns(planes, &layout)?;
    let homes = homes(tiled);
    let frames = FramePlan::of(&shape, homes.len());
    let elements = layout.total + frames.as_ref().map_or(0, FramePlan::total);
    let bytes = shape.bytes() * elements;
    let is_static = bytes <= i64::from(STATIC_SHARED_BYTES);
    let memories = parameters(request);
    let name = free_name(kernels, &request.name);
    let counts = Counts::on_host(request.host, &shape, &request.extents);
    let grid = grid(&shape, &counts)?;
    let (scalars_of_host, ranged) = scalars_of_host(request, &counts, &shape);
    let follows = followed(request, &shape)?;
    let signature = Signature {
        operation: shape.operation,
        name: &name,
        stage: &tiled.stage(),
        memories: &memories,
        scalars: &scalars_of_host,
        plan: &PlanKeys::from(&shape.plan),
        threads: grid.threads,
        shared: (bytes > 0 && is_static).then_some((shape.element, elements)),
        work: Work { points: tiled.points(), flops: tiled.flops(), bytes: tiled.bytes() },
        domain: follows.as_ref().map(|(domain, follows)| (domain, &follows[..])),
    };
    let function = signature.declare(kernels);
    let entry = build::block_of(function, 0);
    let parameters = memories.len() + scalars_of_host.len();
    let at = Inserter::at_end(entry, shape.operation.location());
    receive(at, &mut shape, (request, &counts, ranged), (function, &memories));
    let thread = Thread::new(at, &shape);
    let buffer = match (elements, is_static) {
        (0, _) => None,
        (_, true) => Some(build::argument(entry, parameters)),
        (_, false) => Some(dynamic_shared(at, &shape, elements)),
    };
    let (before, scalars) = numbers(at, request, (entry, memories.len()))?;
    let place = (thread.lane, thread.warp);
    let shared = buffer.map(|buffer| Shared::new(at, &shape, buffer, &layout, place));
    if let Some(shared) = &shared {
        shared.clear(at, &layout);
    }
    let lines = lines(at, tiled, &shape, &thread, (&layout, buffer));
    let halos = Halos::new(at, &shape, &thread, (&layout, buffer));
    if let Some(halos) = &halos {
        halos.clear(at, &shape, &thread);
    }
    let is_inside = thread.is_inside(at, &shape, halo::around(&shape, &layout));
    let views = views(request, &memories, entry);
    let frames = frames.zip(buffer).map(|(plan, buffer)| {
        let homes = homes.iter().map(|home| views[&ValueKey::of(home)].clone()).collect();
        Frames { plan, buffer, begin: layout.total, homes }
    });
    let kernel = Kernel { shape, planes, before, thread, shared, lines, halos, views, scalars };
    for_tiles(at, &kernel, is_inside, frames.as_ref())?;
    ods::gpu::r#return(at, &[]);
    let buffers = memories.iter().map(|parameter| parameter.memory.buffer);
    let parameters = buffers.chain(scalars_of_host).collect();
    let blocks = counts.blocks(request.host, &kernel.shape.tiling).given();
    Ok(Made { name, grid, blocks, parameters, dynamic_shared: if is_static { 0 } else { bytes } })
}

/// Values of the host for the scalar parameters: those of the op, what depends on extents, and the
/// range of planes.
fn scalars_of_host<'c: 'a, 'a>(
    request: &Request<'c, 'a>,
    counts: &Counts<'c, 'a>,
    shape: &Shape<'c, 'a>,
) -> (Vec<Value<'c, 'a>>, Option<Ranged>) {
    let own = request.scalars.iter().chain(&request.extents).copied();
    let mut all = own.chain(counts.arguments()).collect::<Vec<_>>();
    let ranged = Ranged::of(shape, all.len());
    if ranged.is_some() {
        all.extend(range::of_window(request.host, shape));
    }
    (all, ranged)
}

/// Gives a shape the parameters of its kernel for the range of planes, and those that depend on
/// extents; buffers and the scalars of the op are before them.
fn receive<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    shape: &mut Shape<'c, 'a>,
    (request, counts, ranged): (&Request<'c, 'a>, &Counts<'c, 'a>, Option<Ranged>),
    (function, memories): (OperationRef<'c, 'a>, &[MemoryParameter<'c, 'a>]),
) {
    if let Some(ranged) = ranged {
        ranged.receive(at, shape, (function, memories));
    }
    if request.extents.is_empty() {
        return;
    }
    let entry = build::block_of(function, 0);
    let begin = memories.len() + request.scalars.len();
    let end = begin + request.extents.len();
    let extents = (begin..end).map(|number| build::argument(entry, number));
    shape.set_extents(Numbers::new(at, extents.collect()));
    let numbers = (end..).map(|number| build::argument(entry, number));
    shape.counts = counts.in_kernel(at, shape, numbers);
}

/// The domain, and for each of its dimensions the one whose extent it follows; none where extents
/// are constants.
type Followed = Option<(Bounds, Vec<Option<usize>>)>;

fn followed<'c: 'a, 'a>(request: &Request<'c, 'a>, shape: &Shape<'c, 'a>) -> PassResult<Followed> {
    if request.extents.is_empty() {
        return Ok(None);
    }
    let domain = request.tiled.domain();
    let follows = request.sizes.followed(shape.operation, shape.level, &domain)?;
    Ok(Some((domain, follows)))
}

/// Bytes of shared memory of a block: so many elements, and the boundary values of some sources,
/// of which some may be the same.
pub fn shared_bytes<'c: 'a, 'a>(
    shape: &Shape,
    elements: i64,
    homes: impl Iterator<Item = Value<'c, 'a>>,
) -> u64 {
    let homes = homes.map(|home| ValueKey::of(&home)).collect::<HashSet<_>>();
    let frames = FramePlan::of(shape, homes.len()).map_or(0, |frames| frames.total());
    ((elements + frames) * shape.bytes()).unsigned_abs()
}

/// The loop over planes, which visits those that the levels need.
fn the_loop<'c: 'a, 'a>(
    tiled: TiledOp<'c, 'a>,
    shape: &Shape<'c, 'a>,
) -> PassResult<PlanesOp<'c, 'a>> {
    let planes = walk::operations(tiled.body()).into_iter().find_map(PlanesOp::of);
    let planes = planes.expect("the verifier checked that there is a loop");
    let streamed = &shape.tiling.streamed;
    let needed = match shape.rank {
        1 => (0, 0),
        _ => (-streamed.warm_up(), streamed.delay()),
    };
    if (planes.from(), planes.to()) != needed {
        let what = format!(
            "visits planes from {} to {}, but its steps and reach need {} to {}",
            planes.from(),
            planes.to(),
            needed.0,
            needed.1
        );
        return Err(refuse(&planes.operation(), what, "give it the planes that its levels need"));
    }
    Ok(planes)
}

/// Refuses an unrolled loop after which a copy would be another one. The places in arrays of lines
/// and in halos are computed as the kernel runs.
fn check_turns(planes: PlanesOp, layout: &Layout) -> PassResult {
    let turns = planes.turns().unwrap_or(1);
    let buffers = layout.buffers.iter().map(|(_, buffer)| buffer);
    let is_counted = |kind| matches!(kind, BufferKind::Lines | BufferKind::Halo);
    let mut constant = buffers.filter(|buffer| !is_counted(buffer.kind));
    let Some(buffer) = constant.find(|buffer| turns % buffer.copies != 0) else { return Ok(()) };
    let what = format!(
        "unrolls {turns} turns, but a buffer has {} copies, so the copy that a turn writes is no \
         constant",
        buffer.copies
    );
    Err(refuse(&planes.operation(), what, "take a multiple of the copies of every buffer"))
}

/// The fields with boundary values around the kernel's domain, each once, in the order of the
/// operands.
fn homes<'c: 'a, 'a>(tiled: TiledOp<'c, 'a>) -> Vec<Value<'c, 'a>> {
    let operations = walk::nested(tiled.operation());
    let bounded = operations.into_iter().filter_map(BoundaryOp::of);
    let bounded = bounded.filter(|boundary| boundary.domain().is_none());
    let homes = bounded.map(|boundary| boundary.home()).collect::<Vec<_>>();
    let arguments = (0..tiled.fields().len()).map(|i| build::argument(tiled.body(), i));
    arguments.filter(|argument| homes.contains(argument)).collect()
}

/// Buffer parameters of a kernel, each once.
fn parameters<'c: 'a, 'a>(request: &Request<'c, 'a>) -> Vec<MemoryParameter<'c, 'a>> {
    let mut parameters: Vec<MemoryParameter> = Vec::new();
    for (position, memory) in request.fields.iter().enumerate() {
        let argument = build::argument(request.tiled.body(), position);
        let is_written = walk::uses(argument).iter().any(|used| StoreOp::of(used.user).is_some());
        match parameters.iter_mut().find(|known| known.memory.buffer == memory.buffer) {
            Some(known) => known.is_written |= is_written,
            None => parameters.push(MemoryParameter { memory: memory.clone(), is_written }),
        }
    }
    parameters
}

/// The memory of each field, by the region's arguments.
fn views<'c: 'a, 'a>(
    request: &Request<'c, 'a>,
    parameters: &[MemoryParameter<'c, 'a>],
    entry: BlockRef<'c, 'a>,
) -> std::collections::HashMap<ValueKey, View<'c, 'a>> {
    let fields = request.fields.iter().enumerate().map(|(position, memory)| {
        let number = parameters.iter().position(|known| known.memory.buffer == memory.buffer);
        let number = number.expect("every field is a parameter");
        let argument = build::argument(request.tiled.body(), position);
        let (buffer, is_written) = (build::argument(entry, number), parameters[number].is_written);
        (ValueKey::of(&argument), View::of(memory, buffer, is_written))
    });
    fields.collect()
}

/// Values of the planes form, and their lowered forms.
type Lowered<'c, 'a> = Vec<(Value<'c, 'a>, Value<'c, 'a>)>;

/// Emits what is computed from scalars alone; gives the other ops before the loop, and the lowered
/// forms of scalars. `first`: the number of the first scalar parameter.
fn numbers<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    request: &Request<'c, 'a>,
    (entry, first): (BlockRef<'c, 'a>, usize),
) -> PassResult<(Vec<OperationRef<'c, 'a>>, Lowered<'c, 'a>)> {
    let block = request.tiled.body();
    let given = (0..request.scalars.len()).map(|number| {
        let old = build::argument(block, request.fields.len() + number);
        (old, build::argument(entry, first + number))
    });
    let mut scalars = given.collect::<Vec<_>>();
    let body = Body::new(Nowhere, false);
    for (old, new) in &scalars {
        body.bind(*old, Emitted::Value(*new));
    }
    let mut before = Vec::new();
    for operation in walk::operations(block) {
        match walk::name(&operation) {
            ods::sweep::SHARED | ods::sweep::PLANES => {}
            name if name.starts_with("sweep.") => before.push(operation),
            _ => {
                body.operation(operation, at.with_location(operation.location()))?;
                let results = operation.results().map(Value::from);
                scalars.extend(results.map(|result| (result, body.value(result))));
            }
        }
    }
    Ok((before, scalars))
}

fn lines<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    tiled: TiledOp<'c, 'a>,
    shape: &Shape<'c, 'a>,
    thread: &Thread<'c, 'a>,
    (layout, buffer): (&Layout, Option<Value<'c, 'a>>),
) -> Option<Lines<'c, 'a>> {
    let buffers = layout.buffers.iter().map(|(_, buffer)| buffer);
    let plan = LinePlan::of(buffers.filter(|buffer| buffer.kind == BufferKind::Lines))?;
    let lines = Lines::new(at, shape, thread, (tiled, plan, buffer?));
    lines.clear(at, shape.plan.skew() == Skew::Lazy);
    Some(lines)
}

/// The grid; with one block along x where extents are given at run time.
fn grid(shape: &Shape, counts: &Counts) -> PassResult<Grid> {
    let is_fixed = counts.others.constant().is_some() && counts.inside.count.constant().is_some();
    let count = if is_fixed { shape.tiling.blocks() } else { 1 };
    let (name, most) = GRID_MAX.fastest_first()[0];
    let Some(along_x) = u32::try_from(count).ok().filter(|count| u64::from(*count) <= most) else {
        let what = format!("needs {count} blocks along {name}, a launch has at most {most}");
        return Err(refuse(&shape.operation, what, "take larger tiles or fewer chunks"));
    };
    let mut threads = [1_u32; 3];
    for (axis, count) in shape.plan.threads.iter().rev().enumerate() {
        threads[axis] = *count;
    }
    Ok(Grid { blocks: [along_x, 1, 1].map(Blocks::Fixed), threads })
}

fn dynamic_shared<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    shape: &Shape<'c, 'a>,
    elements: i64,
) -> Value<'c, 'a> {
    let bytes = Type::parse(at.context(), "memref<?xi8, #gpu.address_space<workgroup>>");
    let bytes = bytes.expect("the text is a type");
    let all = ods::gpu::dynamic_shared_memory(at, bytes);
    let r#type = shared_type(at.context(), shape.element, elements);
    at.value(memref::VIEW, &[all, at.index(0)], &[], r#type)
}

/// The frames of a kernel, in shared memory.
struct Frames<'c, 'a> {
    plan: FramePlan,
    buffer: Value<'c, 'a>,
    /// Element where they begin.
    begin: i64,
    homes: Vec<View<'c, 'a>>,
}

impl<'c: 'a, 'a> Frames<'c, 'a> {
    fn clear(&self, at: Inserter<'c, 'a>, kernel: &Kernel<'c, 'a>) {
        let Self { plan, buffer, begin, .. } = self;
        plan.clear(at, &kernel.shape, &kernel.thread, (*buffer, *begin));
    }
}

/// Emits code for the tile that a thread has, if it has one.
fn for_tiles<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    kernel: &Kernel<'c, 'a>,
    is_inside: Value<'c, 'a>,
    frames: Option<&Frames<'c, 'a>>,
) -> PassResult {
    // Warps with tiles of their own do not wait for each other at a barrier afterwards.
    if let Some(frames) = frames.filter(|_| kernel.shape.tiling.tiles_of_block() > 1) {
        frames.clear(at, kernel);
    }
    let Some(has_tile) = kernel.thread.has_tile else {
        return versions(at, kernel, is_inside, frames);
    };
    let mut emitted = Ok(());
    builders::when(at, has_tile, |at| emitted = versions(at, kernel, is_inside, frames));
    emitted
}

/// Emits code for tiles inside the domain and for those at its lateral ends.
fn versions<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    kernel: &Kernel<'c, 'a>,
    is_inside: Value<'c, 'a>,
    frames: Option<&Frames<'c, 'a>>,
) -> PassResult {
    let (shape, thread) = (&kernel.shape, &kernel.thread);
    let operations = walk::nested(kernel.planes.operation()).into_iter();
    let mut domains = operations.filter_map(iteration::domain_of).collect::<Vec<_>>();
    domains.sort_unstable();
    domains.dedup();
    branch(at, is_inside, |at, is_inside| {
        let lateral = match (is_inside, shape.has_spanning_tiles()) {
            (true, _) => Lateral::Inside,
            (false, true) => Lateral::anywhere(at, shape, thread),
            (false, false) => Lateral::Edge(frames.map(|frames| {
                if shape.tiling.tiles_of_block() == 1 {
                    frames.clear(at, kernel);
                }
                let parts = (&frames.plan, frames.buffer, frames.begin);
                Frame::new(at, shape, thread, &frames.homes, parts)
            })),
        };
        let cells = Cells::new(shape, thread, lateral);
        kernel.emit(at, &cells.with_domains(at, &domains))
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
