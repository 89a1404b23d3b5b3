//! The loop over planes: loading, all levels, and the state passed to the next iteration.
//!
//! An iteration computes one plane of each level. Level `l` computes the plane whose neighbourhood
//! the level below has just completed; with a lazy skew (the delay between levels) it uses what the
//! level below computed in the iteration before. Loop-carried values are planes in gather form,
//! partial sums in scatter form. The loop is unrolled by the least common multiple of the copies of
//! rows, the stages of the ring and, without moves, the rotation period of the values.

use super::{
    cells::{Cells, Mask},
    level::{self, Known, Surroundings},
    lines::Lines,
    plane::{Plane, SharedPlane},
    shape::{Shape, View},
    shared::Shared,
    source::Source,
    thread::Thread,
};
use crate::builders;
use crate::sweep::stages::{Stage, Stages};
use melior::ir::Value;
use stencil_dialects::{
    build::{self, Inserter},
    ods::nvvm,
    sweep::Argument,
};
use stencil_model::plan::{Form, Rotation, Skew};
use stencil_passes::framework::PassResult;

/// The inputs that the versions of a kernel share.
pub struct Stream<'c, 'a, 'k> {
    /// The kernel.
    pub shape: &'k Shape<'c, 'a>,
    /// Its form.
    pub form: Form,
    /// Its operations.
    pub stages: &'k Stages<'c, 'a>,
    /// Slots of the queue in shared memory: level and group of its state.
    pub in_shared: &'k [(i64, usize)],
    /// Shared memory.
    pub shared: Option<&'k Shared<'c, 'a>>,
    /// The circular arrays of a block that takes several lines in an iteration.
    pub lines: Option<&'k Lines<'c, 'a>>,
    /// The thread.
    pub thread: &'k Thread<'c, 'a>,
    /// Memory of carried levels, youngest first.
    pub carried: &'k [View<'c, 'a>],
    /// Boundary sources by level.
    pub homes: &'k [View<'c, 'a>],
    /// Fields that are only read.
    pub reads: &'k [View<'c, 'a>],
    /// Outputs of the last levels, the last first.
    pub outs: &'k [View<'c, 'a>],
    /// Lowered scalars, and values computed from scalars alone, for each level.
    pub known: &'k [Known<'c, 'a>],
}

/// The loop-carried state.
#[derive(Clone, Default)]
pub struct State<'c, 'a> {
    /// Groups per level: planes, oldest first, or what is carried after each stage, point by point.
    /// Groups in shared memory are empty.
    pub levels: Vec<Vec<Vec<Value<'c, 'a>>>>,
    /// With a lazy skew: per level the register tile of the level below from the iteration before.
    pub delayed: Vec<Vec<Value<'c, 'a>>>,
    /// Values in flight of the source.
    pub in_flight: Vec<Value<'c, 'a>>,
    /// With several lines an iteration: the thread's place in the circular arrays.
    pub place: Vec<Value<'c, 'a>>,
}

impl<'c: 'a, 'a> State<'c, 'a> {
    pub(super) fn values(&self) -> Vec<Value<'c, 'a>> {
        let groups = self.levels.iter().flatten().chain(&self.delayed);
        groups.flatten().chain(&self.in_flight).chain(&self.place).copied().collect()
    }

    /// The same structure with other values.
    pub(super) fn with(&self, values: &[Value<'c, 'a>]) -> Self {
        let mut next = values.iter().copied();
        let mut take =
            |group: &Vec<Value<'c, 'a>>| next.by_ref().take(group.len()).collect::<Vec<_>>();
        let levels = self.levels.iter().map(|groups| groups.iter().map(&mut take).collect());
        let levels = levels.collect();
        let delayed = self.delayed.iter().map(&mut take).collect();
        Self { levels, delayed, in_flight: take(&self.in_flight), place: take(&self.place) }
    }
}

/// One iteration of the unrolled loop.
pub struct Iteration<'c, 'a> {
    /// Its insertion point.
    pub at: Inserter<'c, 'a>,
    /// Its number modulo the unroll.
    pub number: i64,
    /// The arriving plane; the thread's own where several arrive.
    pub plane: Value<'c, 'a>,
}

impl<'c: 'a, 'a> Stream<'c, 'a, '_> {
    pub(super) fn is_lazy(&self) -> bool {
        self.shape.plan.skew() == Skew::Lazy
    }

    pub(super) fn steps(&self) -> i64 {
        self.shape.tiling.streamed.steps
    }

    /// The unroll factor of the loop.
    pub fn unroll(&self) -> i64 {
        let plan = &self.shape.plan;
        let mut unroll = match plan.rotation {
            Rotation::Unroll => self.rotation_period(),
            Rotation::Move => 1,
        };
        let copies =
            self.shared.and_then(|shared| shared.rows.as_ref()).map_or(1, |rows| rows.copies);
        for period in [copies, self.shape.ring()] {
            unroll = least_common_multiple(unroll.max(1), period);
        }
        unroll
    }

    /// Synchronizes all threads that exchange values.
    pub(super) fn barrier(&self, at: Inserter<'c, 'a>) {
        self.shared.expect("something lies in shared memory").barrier(at);
    }

    pub(super) fn source<'s>(
        &'s self,
        cells: &'s Cells<'c, 'a, 's>,
        mask: &'s Mask<'c, 'a>,
    ) -> Source<'c, 'a, 's> {
        let (view, shared) = (&self.carried[0], self.shared);
        let own = self.is_written(view).then_some(mask);
        Source { shape: self.shape, cells, view, own, shared }
    }

    /// Whether the kernel writes a field that it reads: it makes one step, and reads only the cells
    /// that it writes.
    fn is_written(&self, view: &View<'c, 'a>) -> bool {
        self.outs.iter().any(|out| out.buffer == view.buffer)
    }

    /// The initial state: zeros, as nothing computed from them is stored.
    pub(super) fn start(&self, at: Inserter<'c, 'a>) -> State<'c, 'a> {
        if let Some(lines) = self.lines {
            return self.start_lines(lines);
        }
        let register_tile = self.shape.register_tile_size() as usize;
        let zero = at.float(self.shape.element, 0.0);
        let (span, stages) = (self.shape.reaches[0].span() as usize, &self.stages.stages);
        let mut levels = Vec::new();
        for level in 1..=self.steps() {
            let groups = match self.form {
                Form::Gather => (0..span)
                    .map(|group| match self.is_in_shared_memory(level, group) {
                        true => Vec::new(),
                        false => vec![zero; register_tile],
                    })
                    .collect(),
                Form::Scatter => stages[..stages.len() - 1]
                    .iter()
                    .map(|stage| {
                        let of_point = stage.carried.iter().map(|value| self.zero_like(at, *value));
                        let of_point = of_point.collect::<Vec<_>>();
                        (0..register_tile).flat_map(|_| of_point.clone()).collect()
                    })
                    .collect(),
            };
            levels.push(groups);
        }
        let delayed = if self.is_lazy() { self.steps() as usize } else { 0 };
        // With whole planes, delayed values are in shared memory.
        let in_flight = if self.copy_of_own(0, 1).is_some() { 0 } else { register_tile };
        State { levels, delayed: vec![vec![zero; in_flight]; delayed], ..State::default() }
    }

    fn zero_like(&self, at: Inserter<'c, 'a>, value: Value<'c, 'a>) -> Value<'c, 'a> {
        let r#type = melior::ir::ValueLike::r#type(&value);
        match melior::ir::TypeLike::is_float(&r#type) {
            true => at.float(r#type, 0.0),
            false => at.integer(r#type, 0),
        }
    }

    pub(super) fn iterate(
        &self,
        iteration: &Iteration<'c, 'a>,
        cells: &Cells<'c, 'a, '_>,
        mask: &Mask<'c, 'a>,
        mut state: State<'c, 'a>,
    ) -> PassResult<State<'c, 'a>> {
        if let Some(lines) = self.lines {
            return self.iterate_lines(lines, iteration, cells, mask, state);
        }
        let at = iteration.at;
        let mut register_tile = self.arrive(iteration, cells, mask, &mut state);
        // Planes of the level two below; older levels are read from the oldest.
        let mut oldest: Option<Vec<Value<'c, 'a>>> = None;
        for level in 1..=self.steps() {
            let mut groups = std::mem::take(&mut state.levels[level as usize - 1]);
            self.load_planes(iteration, level, &mut groups);
            self.store_rows(iteration, level, &register_tile, &groups);
            let arriving = match self.is_lazy() {
                true => {
                    let delayed = &mut state.delayed[level as usize - 1];
                    self.delay_by_an_iteration(iteration, level, delayed, register_tile)
                }
                false => register_tile,
            };
            let behind = self.shape.tiling.streamed.behind(level);
            let plane = builders::plus(at, iteration.plane, -behind);
            self.load_slots(at, level, &mut groups);
            // If no other plane is read, the level below keeps only the arriving one.
            let own_oldest = groups.first().unwrap_or(&arriving).clone();
            let older = self.older((at, cells, mask), level, plane, oldest);
            let computed =
                self.level(iteration, cells, (level, plane), groups, arriving, &older)?;
            state.levels[level as usize - 1] = computed.0;
            oldest = Some(own_oldest);
            register_tile = self.complete(iteration, cells, mask, (level, plane), computed.1);
        }
        self.finish_iteration(at, cells, mask, self.rows().is_some_and(|rows| rows.is_closed));
        Ok(state)
    }

    /// The register tile loaded in an iteration.
    pub(super) fn arrive(
        &self,
        iteration: &Iteration<'c, 'a>,
        cells: &Cells<'c, 'a, '_>,
        mask: &Mask<'c, 'a>,
        state: &mut State<'c, 'a>,
    ) -> Vec<Value<'c, 'a>> {
        let (at, plane) = (iteration.at, iteration.plane);
        let in_flight = std::mem::take(&mut state.in_flight);
        let source = self.source(cells, mask);
        let (register_tile, in_flight) = source.arrive(at, iteration.number, plane, in_flight);
        state.in_flight = in_flight;
        match self.home(0) {
            Some(home) => cells.fill(at, (home, plane, 0), register_tile),
            None => register_tile,
        }
    }

    /// Fills boundary values into a computed register tile, and stores it if the level is an
    /// output.
    pub(super) fn complete(
        &self,
        iteration: &Iteration<'c, 'a>,
        cells: &Cells<'c, 'a, '_>,
        mask: &Mask<'c, 'a>,
        (level, plane): (i64, Value<'c, 'a>),
        mut register_tile: Vec<Value<'c, 'a>>,
    ) -> Vec<Value<'c, 'a>> {
        let at = iteration.at;
        if let Some(home) = self.home(level) {
            let behind = self.shape.tiling.streamed.behind(level);
            register_tile = cells.fill(at, (home, iteration.plane, behind), register_tile);
        }
        let from_last = (self.steps() - level) as usize;
        if let Some(out) = self.outs.get(from_last) {
            cells.store(at, out, plane, mask, &register_tile);
        }
        register_tile
    }

    /// The end of an iteration: waits for frames that the next one reads, with a barrier if
    /// `closed`.
    pub(super) fn finish_iteration(
        &self,
        at: Inserter<'c, 'a>,
        cells: &Cells<'c, 'a, '_>,
        mask: &Mask<'c, 'a>,
        closed: bool,
    ) {
        let has_frame = cells.frame().is_some() && self.shape.rank > 1;
        if has_frame {
            self.source(cells, mask).finish(at);
        }
        if has_frame || closed {
            self.barrier(at);
        } else if !self.in_shared.is_empty() {
            // Otherwise the compiler would forward a thread's own stores and keep the values in
            // registers.
            warp_sync(at);
        }
    }

    /// The boundary source of a level; none for the last level, and for levels loaded from their
    /// boundary source.
    fn home(&self, level: i64) -> Option<&View<'c, 'a>> {
        let is_needed = level < self.steps() && !(level == 0 && self.is_home(0));
        is_needed.then(|| &self.homes[level as usize % self.homes.len()])
    }

    /// Whether a level that is loaded from memory is its own boundary source.
    fn is_home(&self, age: usize) -> bool {
        self.homes.first().is_some_and(|home| home.buffer == self.carried[age].buffer)
    }

    /// The thread's own values of the older levels that a level reads, at the plane it computes.
    pub(super) fn older(
        &self,
        (at, cells, mask): (Inserter<'c, 'a>, &Cells<'c, 'a, '_>, &Mask<'c, 'a>),
        level: i64,
        plane: Value<'c, 'a>,
        oldest: Option<Vec<Value<'c, 'a>>>,
    ) -> Vec<Vec<Value<'c, 'a>>> {
        match (self.carried.get(1), level) {
            (None, _) => Vec::new(),
            (Some(view), 1) if self.is_written(view) => {
                vec![cells.load_own(at, view, plane, mask)]
            }
            (Some(view), 1) => vec![cells.load(at, view, plane, false)],
            (Some(_), _) => vec![oldest.expect("every level but the first has one below")],
        }
    }

    /// Computes a level's plane; returns its new state and the register tile.
    #[allow(clippy::type_complexity)]
    fn level(
        &self,
        iteration: &Iteration<'c, 'a>,
        cells: &Cells<'c, 'a, '_>,
        (level, plane): (i64, Value<'c, 'a>),
        groups: Vec<Vec<Value<'c, 'a>>>,
        arriving: Vec<Value<'c, 'a>>,
        older: &[Vec<Value<'c, 'a>>],
    ) -> PassResult<(Vec<Vec<Value<'c, 'a>>>, Vec<Value<'c, 'a>>)> {
        let lag = i64::from(self.is_lazy());
        let ahead = i64::from(self.shape.reaches[0].ahead);
        let columns = self.shape.tiling.columns;
        let seen = |own: Vec<Value<'c, 'a>>, age: i64| {
            let rows =
                self.shared.and_then(|shared| shared.rows_of(level - 1, iteration.number, age));
            Plane::new(own, columns, rows.map(SharedPlane::Rows))
        };
        match self.form {
            Form::Gather => {
                let count = groups.len() as i64;
                let kept = groups.iter().enumerate();
                let mut planes = kept
                    .map(|(number, group)| seen(group.clone(), lag + count - number as i64))
                    .collect::<Vec<_>>();
                planes.push(seen(arriving.clone(), lag));
                let first = ahead - count;
                let surroundings =
                    self.surroundings(iteration, cells, &planes, first, plane, older);
                let stage = &self.stages.stages[0];
                let register_tile =
                    self.points(&surroundings, level, stage, &[], &[self.yielded()])?;
                let mut groups: Vec<_> = groups.into_iter().skip(1).collect();
                if count > 0 {
                    groups.push(arriving);
                }
                self.store_slots(iteration.at, level, &mut groups);
                Ok((groups, register_tile))
            }
            Form::Scatter => {
                let planes = [seen(arriving, lag)];
                let mut handed = Vec::new();
                let mut register_tile = Vec::new();
                for (number, stage) in self.stages.stages.iter().enumerate().rev() {
                    let plane = builders::plus(iteration.at, plane, ahead - stage.plane);
                    let surroundings =
                        self.surroundings(iteration, cells, &planes, stage.plane, plane, older);
                    let before = number
                        .checked_sub(1)
                        .map(|before| (&self.stages.stages[before].carried, &groups[before]));
                    let is_last = number + 1 == self.stages.stages.len();
                    let wanted = if is_last { vec![self.yielded()] } else { stage.carried.clone() };
                    let known = self.known_before(before);
                    let values = self.points(&surroundings, level, stage, &known, &wanted)?;
                    if is_last { register_tile = values } else { handed.push(values) }
                }
                handed.reverse();
                Ok((handed, register_tile))
            }
        }
    }

    /// Inputs of each point from the stage before.
    fn known_before(
        &self,
        before: Option<(&Vec<Value<'c, 'a>>, &Vec<Value<'c, 'a>>)>,
    ) -> Vec<Known<'c, 'a>> {
        let Some((carried, values)) = before else { return Vec::new() };
        if carried.is_empty() {
            return Vec::new();
        }
        let of_points = values.chunks(carried.len());
        of_points
            .map(|values| carried.iter().copied().zip(values.iter().copied()).collect())
            .collect()
    }

    pub(super) fn yielded(&self) -> Value<'c, 'a> {
        self.shape.kernel.yielded()
    }

    pub(super) fn surroundings<'s>(
        &'s self,
        iteration: &Iteration<'c, 'a>,
        cells: &'s Cells<'c, 'a, 's>,
        planes: &'s [Plane<'c, 'a, 's>],
        first: i64,
        plane: Value<'c, 'a>,
        older: &'s [Vec<Value<'c, 'a>>],
    ) -> Surroundings<'c, 'a, 's> {
        let (shape, reads) = (self.shape, self.reads);
        Surroundings { shape, cells, outside: iteration.at, planes, first, older, reads, plane }
    }

    /// A stage at all points of the register tile, value by value of each point.
    pub(super) fn points(
        &self,
        surroundings: &Surroundings<'c, 'a, '_>,
        level: i64,
        stage: &Stage<'c, 'a>,
        before: &[Known<'c, 'a>],
        wanted: &[Value<'c, 'a>],
    ) -> PassResult<Vec<Value<'c, 'a>>> {
        let none = Known::new();
        let mut values = Vec::new();
        for cell in 0..self.shape.register_tile_size() {
            let known =
                [&self.known[level as usize - 1], before.get(cell as usize).unwrap_or(&none)];
            values.extend(level::point(surroundings, cell, stage, known, wanted)?);
        }
        Ok(values)
    }
}

/// Lowered scalar arguments of the region at a level.
pub fn scalars<'c: 'a, 'a>(
    shape: &Shape<'c, 'a>,
    level: i64,
    scalars: &[Value<'c, 'a>],
    level_scalars: &[Value<'c, 'a>],
) -> Known<'c, 'a> {
    let body = shape.kernel.body();
    let varying = shape.kernel.varying();
    let mut known = Known::new();
    for position in 0..melior::ir::BlockLike::argument_count(&body) {
        let argument = build::argument(body, position);
        let value = match shape.kernel.argument_of(argument) {
            Some(Argument::Scalar(number)) => scalars[number],
            Some(Argument::LevelScalar(number)) => {
                level_scalars[(level as usize - 1) * varying + number]
            }
            _ => continue,
        };
        known.push((argument, value));
    }
    known
}

fn warp_sync(at: Inserter) {
    let mask = at.integer(builders::i32_type(at.context()), -1);
    nvvm::bar_warp_sync(at, mask);
}

pub(super) fn least_common_multiple(one: i64, two: i64) -> i64 {
    let (mut divisor, mut rest) = (one, two);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    one / divisor * two
}
