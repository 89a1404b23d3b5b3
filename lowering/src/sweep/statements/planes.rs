//! The planes form of a sweep of several statements.
//!
//! An iteration fetches a plane of each field that a stream enters from, and computes a plane of
//! each level, in the order and at the distances of the pipeline (`stencil-model`). Older planes of
//! a stream are loop-carried tiles; rows that other warps read go through shared memory.

use super::{
    graph::{self, Level, Levels},
    legality::{check, check_turns},
    maps::{self, Operand},
};
use crate::{
    gpu::kernel,
    sweep::{
        emit,
        planes::{number, numbers, scalars::Known, tile_type, with_attribute, zero},
        shape::{self, Shape},
    },
};
use melior::ir::{Attribute, Type, Value, ValueLike, operation::OperationLike};
use std::collections::HashMap;
use stencil_dialects::{
    attributes,
    build::{self, Inserter},
    ods::sweep::{self as ops, StagesOp},
    sweep::BufferKind,
    types,
    walk::{self, ValueKey},
};
use stencil_model::{
    plan::SweepPlan,
    sweep::{
        self, Reach,
        pipeline::{Event, Exchange, Halo},
    },
};
use stencil_passes::framework::PassResult;

/// Replaces the op by its planes form.
pub fn build(stages: StagesOp) -> PassResult {
    let operation = stages.operation();
    let plan = graph::plan(stages)?;
    check(stages, &plan)?;
    let levels = Levels::of(stages, &plan);
    check_turns(&levels, &plan)?;
    let shape = Shape::of_stages(&levels)?;
    let outside = Inserter::before(operation);
    let scalars = stages.scalars().into_iter().chain(stages.level_scalars()).collect::<Vec<_>>();
    let operands = stages.fields().into_iter().chain(scalars.iter().copied());
    let types = operands.map(|value| value.r#type()).collect::<Vec<_>>();
    let region = build::region_with_block(&types, operation.location());
    let [points, flops, bytes] = work(&levels).map(|value| number(outside, value));
    let tiled = ops::tiled(
        outside,
        &stages.fields(),
        &scalars,
        attributes::make_bounds(outside.context(), &levels.domain()),
        reach(outside, &levels),
        number(outside, stages.steps()),
        build::string(outside.context(), &stages.stage()),
        stages.plan(),
        points,
        flops,
        bytes,
        region,
    );
    tiled.set_margin(margin(outside, &levels));
    shape.mark_joined(tiled);
    if let Some(periodic) = stages.periodic() {
        tiled.set_periodic(periodic);
    }
    let at = Inserter::at_end(tiled.body(), operation.location());
    let arguments = (0..types.len()).map(|i| build::argument(tiled.body(), i)).collect();
    let buffers = buffers(at, &levels, &shape);
    Planes { levels: &levels, shape: &shape, plan: &plan, arguments, buffers }.emit(at);
    build::erase(operation);
    Ok(())
}

/// Bytes of shared memory of a block: rows that threads exchange, and boundary values.
pub fn shared_bytes(stages: StagesOp) -> PassResult<u64> {
    let levels = Levels::of(stages, &graph::plan(stages)?);
    let shape = Shape::of_stages(&levels)?;
    let kind = shape.kind_of_exchange();
    let exchanged = levels
        .pipeline
        .buffers()
        .map(|rows| shape.elements_of_copy(kind, rows.stored.len()) * rows.copies);
    let copied = levels.pipeline.elements_of_halos(&shape.tiling, shape.bytes());
    let homes = levels.bounded().map(|(_, outside)| outside.field);
    Ok(emit::shared_bytes(&shape, exchanged.sum::<i64>() + copied, homes))
}

/// Points, float operations and bytes of a launch: each field once, each statement in each step.
fn work(levels: &Levels) -> [i64; 3] {
    let flops = levels
        .levels
        .iter()
        .map(|level| kernel::flops(level.stage.operation()) * level.stage.domain().points());
    let domain = levels.domain().points();
    let cells = |field: Value| {
        let bytes = types::element_bytes(shape::element_of(field)).map_or(1, i64::from);
        shape::field_bounds(field).points().min(domain) * bytes
    };
    let inputs = levels.streams.iter().filter_map(|stream| stream.input.map(|it| it.field()));
    let mut read = inputs.collect::<Vec<_>>();
    for value in levels.levels.iter().flat_map(|level| level.stage.inputs()) {
        if types::is_field(value.r#type()) && !read.contains(&value) {
            read.push(value);
        }
    }
    let read = read.into_iter().map(cells).sum::<i64>();
    let outputs = levels.streams.iter().flat_map(|stream| &stream.outputs);
    let written = outputs.map(|(field, points)| {
        points.points() * types::element_bytes(shape::element_of(*field)).map_or(1, i64::from)
    });
    [domain * levels.stages.steps(), flops.sum(), read + written.sum::<i64>()]
}

/// The radius of a level along each dimension of the domain.
fn reach<'c: 'a, 'a>(at: Inserter<'c, 'a>, levels: &Levels) -> Attribute<'c> {
    ends(at, levels.reaches(), levels)
}

/// Two numbers for each dimension of the domain.
fn ends<'c: 'a, 'a>(at: Inserter<'c, 'a>, of: [Reach; 3], levels: &Levels) -> Attribute<'c> {
    let pairs = sweep::of_rank(of, levels.domain().rank());
    let pairs = pairs.iter().flat_map(|reach| [i64::from(reach.behind), i64::from(reach.ahead)]);
    numbers(at, &pairs.collect::<Vec<_>>())
}

/// What tiles and chunks lose: planes that arrive before the first and after the last that is
/// stored, and points around a tile.
fn margin<'c: 'a, 'a>(at: Inserter<'c, 'a>, levels: &Levels) -> Attribute<'c> {
    ends(at, levels.pipeline.margins(&levels.graph), levels)
}

/// A buffer for each stream of which threads exchange rows.
fn buffers<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    levels: &Levels<'c, 'a>,
    shape: &Shape<'c, 'a>,
) -> HashMap<usize, Value<'c, 'a>> {
    let r#type = Type::parse(at.context(), &format!("!sweep.buffer<{}>", shape.element));
    let r#type = r#type.expect("the text is a type");
    let shared = |kind: BufferKind, copies: i64, held: Option<(&str, &[i64])>| {
        let kind = build::string(at.context(), kind.word());
        let buffer = ops::shared(at, r#type, kind, number(at, copies));
        match held {
            Some((name, held)) => with_attribute(buffer, name, numbers(at, held)),
            None => buffer,
        }
    };
    let mut exchanged = HashMap::new();
    let streams = levels.pipeline.streams.iter().enumerate();
    let buffers = streams.filter_map(|(number_of, stream)| {
        let buffer = match (&stream.rows, stream.halo) {
            (Some(rows), _) => {
                let kind = shape.kind_of_exchange();
                let held = (kind == BufferKind::Rows).then_some(("rows", &rows.stored[..]));
                let buffer = exchanged.entry(rows.buffer);
                *buffer.or_insert_with(|| shared(kind, rows.copies, held))
            }
            (None, Some(halo)) => {
                let sides = halo.around.map(|it| [i64::from(it.behind), i64::from(it.ahead)]);
                shared(BufferKind::Halo, halo.copies, Some(("around", sides.as_flattened())))
            }
            (None, None) => return None,
        };
        Some((number_of, buffer))
    });
    buffers.collect()
}

/// What the planes form is built from.
struct Planes<'c, 'a, 'k> {
    levels: &'k Levels<'c, 'a>,
    shape: &'k Shape<'c, 'a>,
    plan: &'k SweepPlan,
    /// Arguments of the kernel: fields, scalars, level scalars of all steps.
    arguments: Vec<Value<'c, 'a>>,
    buffers: HashMap<usize, Value<'c, 'a>>,
}

/// Tiles of an iteration.
struct Tiles<'c, 'a> {
    /// For each stream its planes by age; the newest is missing until it arrives.
    planes: Vec<Vec<Option<Value<'c, 'a>>>>,
    /// Tiles of neighbours, by stream, age, and offset in rows and columns.
    neighbours: HashMap<(usize, i64, [i64; 2]), Value<'c, 'a>>,
}

impl<'c: 'a, 'a> Planes<'c, 'a, '_> {
    fn emit(&self, at: Inserter<'c, 'a>) {
        let kept = self.levels.pipeline.streams.iter().map(|stream| stream.carried() as usize);
        let kept = kept.collect::<Vec<_>>();
        let count = kept.iter().sum::<usize>();
        let inits = match count {
            0 => Vec::new(),
            _ => vec![zero(at, self.shape.element); count],
        };
        for ahead in 0..self.ahead() {
            for stream in (0..self.levels.streams.len()).filter(|it| self.halo(*it).is_some()) {
                self.copy(at, stream, ahead);
            }
        }
        let types = vec![self.tile(at); count];
        let region = build::region_with_block(&types, at.location());
        let pipeline = &self.levels.pipeline;
        let (from, to) = match self.shape.rank {
            1 => (0, 0),
            _ => (-pipeline.warm_up(), pipeline.delay(&self.levels.graph)),
        };
        let planes = ops::planes(at, &inits, number(at, from), number(at, to), region);
        planes.set_turns(number(at, pipeline.turns(self.plan.rotation)));
        let body = planes.body();
        let mut next = (0..count).map(|position| build::argument(body, position));
        // A stream's carried planes are its oldest first.
        let planes = kept.iter().map(|kept| {
            let mut ages = next.by_ref().take(*kept).map(Some).collect::<Vec<_>>();
            ages.push(None);
            ages.reverse();
            ages
        });
        let tiles = Tiles { planes: planes.collect(), neighbours: HashMap::new() };
        let inside = Inserter::at_end(body, at.location());
        let tiles = self.iterate(inside, tiles);
        let values = tiles.planes.iter().zip(&kept).flat_map(|(ages, kept)| {
            ages[..*kept].iter().rev().map(|tile| tile.expect("every stream has arrived"))
        });
        ops::r#yield(inside, &values.collect::<Vec<_>>());
    }

    fn tile(&self, at: Inserter<'c, 'a>) -> Type<'c> {
        tile_type(at, self.shape.element)
    }

    fn iterate(&self, at: Inserter<'c, 'a>, mut tiles: Tiles<'c, 'a>) -> Tiles<'c, 'a> {
        for (number_of, stream) in self.levels.streams.iter().enumerate() {
            let Some(input) = stream.input else { continue };
            if self.halo(number_of).is_some() {
                continue;
            }
            let plane = -self.levels.pipeline.streams[number_of].behind;
            let field = self.argument(input.field());
            let tile = ops::fetch(at, self.tile(at), field, number(at, plane));
            let tile = self.bounded(at, number_of, plane, tile);
            tiles.planes[number_of][0] = Some(tile);
        }
        for event in &self.levels.pipeline.events {
            match *event {
                Event::Arrive => self.arrive(at, &mut tiles),
                Event::Fence => {
                    ops::fence(at);
                }
                Event::Put(stream) => {
                    let tile = tiles.planes[stream][0].expect("it was fetched or computed");
                    ops::put(at, tile, self.buffers[&stream]);
                }
                Event::Level(level) => self.level(at, level, &mut tiles),
            }
        }
        tiles
    }

    /// The halo of a stream that is copied to shared memory.
    fn halo(&self, stream: usize) -> Option<Halo> {
        self.levels.pipeline.streams[stream].halo
    }

    /// How threads see what others hold of a plane.
    fn exchange(&self) -> Exchange {
        Exchange::of(self.plan, self.shape.rank)
    }

    /// Iterations that copies of fields are ahead.
    fn ahead(&self) -> i64 {
        self.plan.loads.copied_ahead().unwrap_or(0)
    }

    /// Waits for the planes of fields that were copied for this iteration, and starts to copy later
    /// ones: where they go was read before, in the iteration before.
    fn arrive(&self, at: Inserter<'c, 'a>, tiles: &mut Tiles<'c, 'a>) {
        let copied = (0..self.levels.streams.len()).filter(|stream| self.halo(*stream).is_some());
        let copied = copied.collect::<Vec<_>>();
        let ahead = self.ahead();
        ops::wait(at, number(at, (ahead - 1) * copied.len() as i64));
        ops::fence(at);
        for stream in &copied {
            self.copy(at, *stream, ahead);
        }
        for stream in copied {
            tiles.planes[stream][0] = Some(self.take(at, stream, 0));
        }
    }

    /// What threads hold of a plane of a copied field.
    fn take(&self, at: Inserter<'c, 'a>, stream: usize, age: i64) -> Value<'c, 'a> {
        ops::take(at, self.tile(at), self.buffers[&stream], number(at, age))
    }

    /// Starts to copy the plane of a field that arrives in so many iterations.
    fn copy(&self, at: Inserter<'c, 'a>, stream: usize, ahead: i64) {
        let input = self.levels.streams[stream].input.expect("what is copied is a field");
        let plane = ahead - self.levels.pipeline.streams[stream].behind;
        let outside = self.levels.streams[stream].outside.as_ref();
        let home = outside.map(|outside| self.argument(outside.field));
        let (field, buffer) = (self.argument(input.field()), self.buffers[&stream]);
        let copy = ops::copy_async(at, field, buffer, home, number(at, plane));
        copy.set_ahead(number(at, ahead));
        let domain = outside.map(|outside| &outside.domain);
        if let Some(domain) = domain.filter(|domain| **domain != self.levels.domain()) {
            copy.set_domain(attributes::make_bounds(at.context(), domain));
        }
    }

    fn level(&self, at: Inserter<'c, 'a>, number_of: usize, tiles: &mut Tiles<'c, 'a>) {
        let level = &self.levels.levels[number_of];
        let behind = self.levels.pipeline.behind[number_of];
        let mut operands = Vec::new();
        for (input, stream) in level.inputs.iter().enumerate() {
            let Some(stream) = *stream else { continue };
            for offset in graph::offsets(level.stage, input) {
                let [plane, row, column] = offset;
                let age = behind - plane - self.levels.pipeline.streams[stream].behind;
                let tile = self.neighbour(at, tiles, (stream, age, [row, column]));
                operands.push(Operand { input, offset, tile });
            }
        }
        let known = self.known(level);
        let results = maps::map(at, level, -behind, &operands, &known);
        let domain = level.stage.domain();
        for (tile, stream) in results.iter().zip(&level.results) {
            if domain != self.levels.domain() {
                self.set_domain(at, *tile, &domain);
            }
            let tile = self.bounded(at, *stream, -behind, *tile);
            for (field, points) in &self.levels.streams[*stream].outputs {
                let store = ops::store(at, tile, self.argument(*field), number(at, -behind));
                if *points != self.levels.domain() {
                    let points = attributes::make_bounds(at.context(), points);
                    build::set_attribute(store.operation(), "domain", points);
                }
            }
            tiles.planes[*stream][0] = Some(tile);
        }
    }

    fn set_domain(
        &self,
        at: Inserter<'c, 'a>,
        tile: Value<'c, 'a>,
        domain: &stencil_dialects::Bounds,
    ) {
        let domain = attributes::make_bounds(at.context(), domain);
        with_attribute(tile, "domain", domain);
    }

    /// A plane of a stream with the values outside of its domain.
    fn bounded(
        &self,
        at: Inserter<'c, 'a>,
        stream: usize,
        plane: i64,
        tile: Value<'c, 'a>,
    ) -> Value<'c, 'a> {
        let outside = self.levels.bounded().find(|(number, _)| *number == stream);
        let Some((_, outside)) = outside else { return tile };
        let home = self.argument(outside.field);
        let tile = ops::boundary(at, self.tile(at), tile, home, number(at, plane));
        if outside.domain != self.levels.domain() {
            self.set_domain(at, tile, &outside.domain);
        }
        tile
    }

    /// A plane of a stream: carried, or taken out of shared memory where older ones stay there.
    fn plane(
        &self,
        at: Inserter<'c, 'a>,
        tiles: &mut Tiles<'c, 'a>,
        (stream, age): (usize, i64),
    ) -> Value<'c, 'a> {
        let known = &mut tiles.planes[stream];
        let place = age as usize;
        if place >= known.len() {
            known.resize(place + 1, None);
        }
        let is_taken = self.halo(stream).is_some_and(|halo| !halo.columns);
        match known[place] {
            Some(tile) => tile,
            None if is_taken => *known[place].insert(self.take(at, stream, age)),
            None => panic!("levels are computed in order"),
        }
    }

    /// The values of a plane at an offset in rows and columns.
    fn neighbour(
        &self,
        at: Inserter<'c, 'a>,
        tiles: &mut Tiles<'c, 'a>,
        key: (usize, i64, [i64; 2]),
    ) -> Value<'c, 'a> {
        if let Some(known) = tiles.neighbours.get(&key) {
            return *known;
        }
        let (stream, age, [row, column]) = key;
        let tile = self.plane(at, tiles, (stream, age));
        let tile = match (row, column) {
            (0, 0) => tile,
            _ => {
                let is_shared = match self.halo(stream) {
                    Some(halo) => halo.columns || row != 0,
                    None => self.exchange().crosses([row, column]),
                };
                let buffer = self.buffers.get(&stream).copied().filter(|_| is_shared);
                let shifted = ops::shift(at, tile, buffer, numbers(at, &[row, column]));
                match buffer {
                    Some(_) => with_attribute(shifted, "age", number(at, age)),
                    None => shifted,
                }
            }
        };
        tiles.neighbours.insert(key, tile);
        tile
    }

    /// The kernel's argument for an argument of the op.
    fn argument(&self, value: Value<'c, 'a>) -> Value<'c, 'a> {
        let (_, position) =
            walk::block_argument(value).expect("the verifier checked that fields are arguments");
        self.arguments[position]
    }

    /// Fields and scalars of a statement, as arguments of the kernel.
    fn known(&self, level: &Level<'c, 'a>) -> Known<'c, 'a> {
        let stages = self.levels.stages;
        let same = stages.fields().len() + stages.scalars().len();
        let steps = stages.steps() as usize;
        let varying = stages.level_scalars().len() / steps;
        let others = level.stage.inputs().into_iter().zip(&level.inputs);
        let others = others.filter(|(_, stream)| stream.is_none()).map(|(value, _)| {
            let (_, position) =
                walk::block_argument(value).expect("the verifier checked that these are arguments");
            let place = match position < same {
                true => position,
                false => position + level.step * varying,
            };
            (ValueKey::of(&value), self.arguments[place])
        });
        others.collect()
    }
}
