//! One iteration of the loop over planes: what arrives, all levels, and the values of the next.
//!
//! An iteration computes one plane of each level. Level `l` computes the plane whose neighbourhood
//! the level below has just completed; with a lazy skew (the delay between levels) it uses what the
//! level below computed in the iteration before. Loop-carried values are planes in gather form,
//! partial sums in scatter form. The loop is unrolled by the least common multiple of the copies of
//! rows, the stages of the ring and, without moves, the rotation period of the values.

use super::{
    buffers::{BufferPlan, Buffers, number, with_attribute},
    maps::{Around, Plane, Reads},
    reads::ReadQueue,
    scalars::{Known, Scalars},
    tiles::{bare, tile_type, zero},
};
use crate::sweep::{
    shape::Shape,
    stages::{Stage, Stages},
};
use melior::ir::{Type, Value, ValueLike};
use std::cell::RefCell;
use stencil_dialects::{
    build::{self, Inserter},
    ods::sweep as ops,
    sweep::KernelOp,
    walk::ValueKey,
};
use stencil_model::{
    plan::{Form, Rotation, Skew, Storage},
    sweep::least_common_multiple,
};

/// A kernel and what its planes form is built from.
pub struct Schedule<'c, 'a, 'k> {
    /// The kernel.
    pub kernel: KernelOp<'c, 'a>,
    /// Its sizes.
    pub shape: &'k Shape<'c, 'a>,
    /// Its form.
    pub form: Form,
    /// Its operations.
    pub stages: &'k Stages<'c, 'a>,
    /// Its shared memory.
    pub plan: BufferPlan,
    /// The same, allocated.
    pub buffers: Buffers<'c, 'a>,
    /// Fields of the kernel, and the arguments for them.
    pub arguments: Known<'c, 'a>,
    /// Values that do not depend on the point.
    pub scalars: Scalars<'c, 'a>,
    /// Fields that are read from queues.
    pub read_queues: Vec<ReadQueue>,
}

/// The loop-carried tiles.
#[derive(Clone, Default)]
pub struct State<'c, 'a> {
    /// Groups per level: planes, oldest first, or what is carried after each stage. Groups in
    /// shared memory are empty.
    levels: Vec<Vec<Vec<Value<'c, 'a>>>>,
    /// With a lazy skew: per level the tile of the level below from the iteration before.
    delayed: Vec<Vec<Value<'c, 'a>>>,
    /// Planes of fields that no level changes, oldest first.
    reads: Vec<Vec<Value<'c, 'a>>>,
}

impl<'c, 'a> State<'c, 'a> {
    fn values(&self) -> Vec<Value<'c, 'a>> {
        let groups = self.levels.iter().flatten().chain(&self.delayed);
        let reads = self.reads.iter().flatten();
        groups.flatten().chain(reads).copied().collect()
    }

    /// The same structure with other values.
    fn with(&self, values: &[Value<'c, 'a>]) -> Self {
        let mut next = values.iter().copied();
        let mut take =
            |group: &Vec<Value<'c, 'a>>| next.by_ref().take(group.len()).collect::<Vec<_>>();
        let levels = self.levels.iter().map(|groups| groups.iter().map(&mut take).collect());
        let levels = levels.collect();
        let delayed = self.delayed.iter().map(&mut take).collect();
        Self { levels, delayed, reads: self.reads.iter().map(&mut take).collect() }
    }
}

impl<'c: 'a, 'a> Schedule<'c, 'a, '_> {
    /// Builds the loop at the end of the planes form.
    pub fn emit(&self, at: Inserter<'c, 'a>) {
        let state = self.start(at);
        self.fill_ring(at);
        let inits = state.values();
        let types = inits.iter().map(ValueLike::r#type).collect::<Vec<_>>();
        let region = build::region_with_block(&types, at.location());
        let streamed = &self.shape.tiling.streamed;
        let (from, to) = match self.shape.rank {
            1 => (0, 0),
            _ => (-streamed.warm_up(), streamed.delay()),
        };
        let planes = ops::planes(at, &inits, number(at, from), number(at, to), region);
        planes.set_turns(number(at, self.turns()));
        let body = planes.body();
        let arguments = (0..inits.len()).map(|position| build::argument(body, position));
        let state = state.with(&arguments.collect::<Vec<_>>());
        let inside = Inserter::at_end(body, at.location());
        let state = match self.buffers.lines.is_empty() {
            true => self.iterate(inside, state),
            false => self.iterate_lines(inside, state),
        };
        ops::r#yield(inside, &state.values());
    }

    pub(super) fn is_lazy(&self) -> bool {
        self.shape.plan.skew() == Skew::Lazy
    }

    pub(super) fn steps(&self) -> i64 {
        self.shape.tiling.streamed.steps
    }

    /// The type of a plane of a level.
    pub(super) fn tile(&self, at: Inserter<'c, 'a>) -> Type<'c> {
        tile_type(at, self.shape.element)
    }

    /// Iterations that are unrolled into one.
    fn turns(&self) -> i64 {
        let mut turns = match self.shape.plan.rotation {
            Rotation::Unroll => self.rotation_period(),
            Rotation::Move => 1,
        };
        let copies = self.plan.rows.as_ref().map_or(1, |rows| rows.copies);
        for period in [copies, self.shape.ring()] {
            turns = least_common_multiple(turns.max(1), period);
        }
        turns
    }

    /// Iterations after which all values are in their original registers again.
    fn rotation_period(&self) -> i64 {
        let reach = self.shape.reaches[0];
        let (behind, ahead) = (i64::from(reach.behind), i64::from(reach.ahead));
        match (self.shape.plan.storage(), self.form) {
            (Storage::Shared, _) => 1,
            // Planes ahead of the middle one rotate, and so do those behind it.
            (Storage::DiagonalFree, _) => least_common_multiple(ahead.max(1), (behind - 1).max(1)),
            // The planes that a level keeps and the arriving one, or as many sums.
            (Storage::Queue | Storage::Retimed, _) => behind + ahead + 1,
        }
    }

    /// The initial state: zeros, as nothing computed from them is stored.
    fn start(&self, at: Inserter<'c, 'a>) -> State<'c, 'a> {
        if !self.buffers.lines.is_empty() {
            return State::default();
        }
        let zero = zero(at, self.shape.element);
        let (span, stages) = (self.shape.reaches[0].span() as usize, &self.stages.stages);
        let mut levels = Vec::new();
        for level in 1..=self.steps() {
            let groups = match self.form {
                Form::Gather => (0..span)
                    .map(|group| match self.is_in_shared_memory(level, group) {
                        true => Vec::new(),
                        false => vec![zero],
                    })
                    .collect(),
                Form::Scatter => stages[..stages.len() - 1]
                    .iter()
                    .map(|stage| self.zeros(at, zero, &stage.carried))
                    .collect(),
            };
            levels.push(groups);
        }
        let delayed = if self.is_lazy() { self.steps() as usize } else { 0 };
        let delayed = (0..delayed).map(|_| match self.kept_for(1) {
            // Delayed values are in shared memory.
            Some(_) => Vec::new(),
            None => vec![zero],
        });
        let reads = self.read_queues.iter().map(|queue| vec![zero; queue.kept()]).collect();
        State { levels, delayed: delayed.collect(), reads }
    }

    /// Initial values that are carried; `zero` is that of a level.
    fn zeros(
        &self,
        at: Inserter<'c, 'a>,
        zero_of_level: Value<'c, 'a>,
        carried: &[Value<'c, 'a>],
    ) -> Vec<Value<'c, 'a>> {
        let zeros = carried.iter().map(|value| match value.r#type() == self.shape.element {
            true => zero_of_level,
            false => zero(at, value.r#type()),
        });
        zeros.collect()
    }

    /// Starts the copies that are on their way before the first iteration.
    fn fill_ring(&self, at: Inserter<'c, 'a>) {
        let Some(ring) = self.ring() else { return };
        let field = self.argument(self.kernel.carried()[0]);
        for stage in 0..self.shape.ring() - 1 {
            let plane = number(at, stage * self.shape.tiling.streamed.lines);
            ops::copy_async(at, field, ring, None, plane);
        }
    }

    /// The ring that planes of the lowest level come through. Those of a field that the kernel
    /// writes are not copied: a thread reads only the points that it stores.
    fn ring(&self) -> Option<Value<'c, 'a>> {
        self.buffers.ring.filter(|_| !self.is_written(self.kernel.carried()[0]))
    }

    fn argument(&self, field: Value<'c, 'a>) -> Value<'c, 'a> {
        self.arguments[&ValueKey::of(&field)]
    }

    pub(super) fn fetch(
        &self,
        at: Inserter<'c, 'a>,
        field: Value<'c, 'a>,
        plane: i64,
    ) -> Value<'c, 'a> {
        let tile = ops::fetch(at, self.tile(at), self.argument(field), number(at, plane));
        match self.is_written(field) {
            true => with_attribute(tile, "own", melior::ir::Attribute::unit(at.context())),
            false => tile,
        }
    }

    /// Whether the kernel writes a field that it reads: it makes one step, and reads only the cells
    /// that it writes.
    fn is_written(&self, field: Value<'c, 'a>) -> bool {
        self.kernel.outs().into_iter().any(|out| bare(out) == bare(field))
    }

    fn iterate(&self, at: Inserter<'c, 'a>, mut state: State<'c, 'a>) -> State<'c, 'a> {
        let mut tile = self.arrive(at);
        self.fetch_reads(at, &mut state.reads);
        // The plane of the level two below; older levels are read from the oldest.
        let mut oldest: Option<Value<'c, 'a>> = None;
        for level in 1..=self.steps() {
            let mut groups = std::mem::take(&mut state.levels[level as usize - 1]);
            self.take_planes(at, level, &mut groups);
            self.put_rows(at, level, tile, &groups);
            if self.is_lazy() {
                tile = self.delay(at, level, &mut state.delayed[level as usize - 1], tile);
            }
            let plane = -self.shape.tiling.streamed.behind(level);
            self.take_slots(at, level, &mut groups);
            // If no other plane is read, the level below keeps only the arriving one.
            let own_oldest = match self.form {
                Form::Gather => groups.first().map_or(tile, |group| group[0]),
                Form::Scatter => tile,
            };
            let older = self.older(at, level, plane, oldest);
            let (groups, computed) =
                self.level(at, (level, plane), groups, tile, (&older, &state.reads));
            state.levels[level as usize - 1] = groups;
            oldest = Some(own_oldest);
            tile = self.complete(at, (level, plane), computed);
        }
        for planes in &mut state.reads {
            planes.remove(0);
        }
        if self.plan.rows.as_ref().is_some_and(|rows| rows.is_closed) {
            ops::fence(at);
        } else if !self.buffers.slots.is_empty() {
            // Otherwise the compiler would forward a thread's own stores and keep the values in
            // registers.
            ops::fence(at).set_warp(melior::ir::Attribute::unit(at.context()));
        }
        state
    }

    /// The plane that arrives.
    pub(super) fn arrive(&self, at: Inserter<'c, 'a>) -> Value<'c, 'a> {
        let field = self.kernel.carried()[0];
        let tile = match self.ring() {
            None => self.fetch(at, field, 0),
            Some(ring) => {
                let depth = self.shape.ring();
                ops::wait(at, number(at, depth - 2));
                let tile = ops::take(at, self.tile(at), ring, number(at, 0));
                let ahead = number(at, (depth - 1) * self.shape.tiling.streamed.lines);
                ops::copy_async(at, self.argument(field), ring, None, ahead);
                tile
            }
        };
        self.bounded(at, (0, 0), tile)
    }

    /// A computed plane with its boundary values, stored if the level is an output.
    pub(super) fn complete(
        &self,
        at: Inserter<'c, 'a>,
        (level, plane): (i64, i64),
        tile: Value<'c, 'a>,
    ) -> Value<'c, 'a> {
        let tile = self.bounded(at, (level, plane), tile);
        let from_last = (self.steps() - level) as usize;
        if let Some(out) = self.kernel.outs().get(from_last) {
            ops::store(at, tile, self.argument(*out), number(at, plane));
        }
        tile
    }

    /// A plane of a level with its boundary values. The last level needs none, nor do levels that
    /// are loaded from their boundary source.
    fn bounded(
        &self,
        at: Inserter<'c, 'a>,
        (level, plane): (i64, i64),
        tile: Value<'c, 'a>,
    ) -> Value<'c, 'a> {
        let homes = self.kernel.boundaries();
        let is_loaded = level == 0 && bare(homes[0]) == bare(self.kernel.carried()[0]);
        if level == self.steps() || is_loaded {
            return tile;
        }
        let home = self.argument(homes[level as usize % homes.len()]);
        ops::boundary(at, self.tile(at), tile, home, number(at, plane))
    }

    /// Tiles of the older levels that a level reads, at the plane it computes.
    pub(super) fn older(
        &self,
        at: Inserter<'c, 'a>,
        level: i64,
        plane: i64,
        oldest: Option<Value<'c, 'a>>,
    ) -> Vec<Value<'c, 'a>> {
        match (self.kernel.carried().get(1), level) {
            (None, _) => Vec::new(),
            (Some(field), 1) => vec![self.fetch(at, *field, plane)],
            (Some(_), _) => vec![oldest.expect("every level but the first has one below")],
        }
    }

    /// Computes a level's plane; gives its new state and the tile.
    #[allow(clippy::type_complexity)]
    fn level(
        &self,
        at: Inserter<'c, 'a>,
        (level, plane): (i64, i64),
        mut groups: Vec<Vec<Value<'c, 'a>>>,
        arriving: Value<'c, 'a>,
        (older, reads): (&[Value<'c, 'a>], &[Vec<Value<'c, 'a>>]),
    ) -> (Vec<Vec<Value<'c, 'a>>>, Value<'c, 'a>) {
        let lag = i64::from(self.is_lazy());
        let ahead = i64::from(self.shape.reaches[0].ahead);
        if self.form == Form::Scatter {
            let planes = [self.seen(level, arriving, lag)];
            return self.scatter(at, (level, plane), &groups, &planes, older);
        }
        let count = groups.len() as i64;
        let kept = groups.iter().enumerate();
        let mut planes = kept
            .map(|(number, group)| self.seen(level, group[0], lag + count - number as i64))
            .collect::<Vec<_>>();
        planes.push(self.seen(level, arriving, lag));
        let mut around = self.around(at, level, (&planes, ahead - count), older);
        around.reads = self.reads(plane, reads);
        let stage = &self.stages.stages[0];
        let computed = around.map((plane, stage), &[], &[self.kernel.yielded()])[0];
        if count > 0 {
            groups.remove(0);
            groups.push(vec![arriving]);
        }
        self.put_slots(at, level, &mut groups);
        (groups, computed)
    }

    /// Adds an arriving plane to the sums of a level; gives the sums and the one that is complete.
    fn scatter(
        &self,
        at: Inserter<'c, 'a>,
        (level, plane): (i64, i64),
        groups: &[Vec<Value<'c, 'a>>],
        planes: &[Plane<'c, 'a>],
        older: &[Value<'c, 'a>],
    ) -> (Vec<Vec<Value<'c, 'a>>>, Value<'c, 'a>) {
        let ahead = i64::from(self.shape.reaches[0].ahead);
        let stages = &self.stages.stages;
        let mut around = self.around(at, level, (planes, 0), older);
        let mut carried = Vec::new();
        let mut complete = None;
        for (number, stage) in stages.iter().enumerate().rev() {
            let before = number.checked_sub(1).map(|before| {
                let values = stages[before].carried.iter().copied();
                values.zip(groups[before].iter().copied()).collect::<Vec<_>>()
            });
            around.first = stage.plane;
            let of_stage = (plane + ahead - stage.plane, stage);
            let is_last = number + 1 == stages.len();
            let wanted = if is_last { vec![self.kernel.yielded()] } else { stage.carried.clone() };
            let tiles = around.map(of_stage, &before.unwrap_or_default(), &wanted);
            if is_last { complete = tiles.first().copied() } else { carried.push(tiles) }
        }
        carried.reverse();
        (carried, complete.expect("the last stage gives the value of the point"))
    }

    pub(super) fn around<'s>(
        &'s self,
        at: Inserter<'c, 'a>,
        level: i64,
        (planes, first): (&'s [Plane<'c, 'a>], i64),
        older: &'s [Value<'c, 'a>],
    ) -> Around<'c, 'a, 's> {
        Around {
            kernel: self.kernel,
            at,
            tile: self.tile(at),
            planes,
            first,
            older,
            reads: Vec::new(),
            known: self.scalars.of_level(level),
            neighbours: RefCell::default(),
        }
    }

    /// The single stage of gather form.
    pub(super) fn stage(&self) -> &Stage<'c, 'a> {
        &self.stages.stages[0]
    }
}

impl<'c: 'a, 'a> Schedule<'c, 'a, '_> {
    /// Fetches the newest plane of each queue behind those that were kept.
    fn fetch_reads(&self, at: Inserter<'c, 'a>, kept: &mut [Vec<Value<'c, 'a>>]) {
        for (queue, planes) in self.read_queues.iter().zip(kept) {
            planes.push(self.fetch(at, self.kernel.reads()[queue.number], queue.newest));
        }
    }

    /// The planes of each queue, as the level that computes a plane reads them.
    fn reads(&self, plane: i64, planes: &[Vec<Value<'c, 'a>>]) -> Vec<Reads<'c, 'a>> {
        let queues = self.read_queues.iter().zip(planes);
        let reads = queues.map(|(queue, tiles)| Reads {
            number: queue.number,
            first: queue.oldest - plane,
            tiles: tiles.clone(),
        });
        reads.collect()
    }
}
