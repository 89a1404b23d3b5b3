//! The loop over planes: what arrives, what each level makes of it, what goes on to the next plane.
//!
//! An iteration takes one plane through all levels. Level `l` computes the plane that the level
//! below completes the neighbourhood of; with a lazy skew it works on what the level below left in
//! the iteration before. What an iteration hands to the next are values of the loop: planes in
//! gather form, sums in scatter form. The loop is unrolled as often as copies of rows, stages of
//! the ring and, where places take turns, the values need to come back to where they were.

use super::{
    cells::{Cells, Mask},
    level::{self, Known, Surroundings},
    lines::Lines,
    plane::{Left, Plane},
    shape::{Shape, View},
    shared::Shared,
    source::Source,
    thread::Thread,
    words,
};
use crate::sweep::stages::{Stage, Stages};
use melior::ir::Value;
use stencil_dialects::{
    build::{self, Inserter},
    sweep::Argument,
};
use stencil_faults::{Fault, off_by_one};
use stencil_model::plan::{Form, Rotation, Skew};
use stencil_passes::framework::PassResult;

/// All that the versions of a kernel have in common.
pub struct Stream<'c, 'a, 'k> {
    /// The kernel.
    pub shape: &'k Shape<'c, 'a>,
    /// Its form.
    pub form: Form,
    /// Its operations.
    pub stages: &'k Stages<'c, 'a>,
    /// Slots of the queue that lie in shared memory: level and group of its state.
    pub in_shared: &'k [(i64, usize)],
    /// Shared memory.
    pub shared: Option<&'k Shared<'c, 'a>>,
    /// The circular arrays of a block that takes several lines in an iteration.
    pub lines: Option<&'k Lines<'c, 'a>>,
    /// The thread.
    pub thread: &'k Thread<'c, 'a>,
    /// Memory of carried levels, youngest first.
    pub carried: &'k [View<'c, 'a>],
    /// Whose cells stand outside of the domain, by level.
    pub homes: &'k [View<'c, 'a>],
    /// Fields that are only read.
    pub reads: &'k [View<'c, 'a>],
    /// Where the last levels go, the last first.
    pub outs: &'k [View<'c, 'a>],
    /// What scalars and what depends on them alone have become, for each level.
    pub known: &'k [Known<'c, 'a>],
}

/// What an iteration hands to the next.
#[derive(Clone, Default)]
pub struct State<'c, 'a> {
    /// Per level its groups: planes, oldest first, or what is carried after each stage, point by
    /// point. Groups in shared memory are empty.
    pub levels: Vec<Vec<Vec<Value<'c, 'a>>>>,
    /// With a lazy skew: per level the patch that the level below left.
    pub left: Vec<Vec<Value<'c, 'a>>>,
    /// What the source has on its way.
    pub waiting: Vec<Value<'c, 'a>>,
    /// With several lines an iteration: the thread's place in the circular arrays.
    pub place: Vec<Value<'c, 'a>>,
}

impl<'c: 'a, 'a> State<'c, 'a> {
    pub(super) fn values(&self) -> Vec<Value<'c, 'a>> {
        let groups = self.levels.iter().flatten().chain(&self.left);
        groups.flatten().chain(&self.waiting).chain(&self.place).copied().collect()
    }

    /// The same shape with other values.
    pub(super) fn with(&self, values: &[Value<'c, 'a>]) -> Self {
        let mut next = values.iter().copied();
        let mut take =
            |group: &Vec<Value<'c, 'a>>| next.by_ref().take(group.len()).collect::<Vec<_>>();
        let levels = self.levels.iter().map(|groups| groups.iter().map(&mut take).collect());
        let levels = levels.collect();
        let left = self.left.iter().map(&mut take).collect();
        Self { levels, left, waiting: take(&self.waiting), place: take(&self.place) }
    }
}

/// One iteration of the unrolled loop.
pub struct Iteration<'c, 'a> {
    /// Where its operations go.
    pub at: Inserter<'c, 'a>,
    /// Its number, as far as the unroll tells.
    pub number: i64,
    /// The plane that arrives, the thread's own where several do.
    pub plane: Value<'c, 'a>,
}

impl<'c: 'a, 'a> Stream<'c, 'a, '_> {
    pub(super) fn is_lazy(&self) -> bool {
        self.shape.plan.skew == Skew::Lazy
    }

    pub(super) fn steps(&self) -> i64 {
        self.shape.tiling.streamed.steps
    }

    /// Iterations of the loop that are written out.
    pub fn unroll(&self) -> i64 {
        let plan = &self.shape.plan;
        let mut unroll = match plan.rotation {
            Rotation::Unroll => self.turns(),
            Rotation::Move => 1,
        };
        let copies =
            self.shared.and_then(|shared| shared.rows.as_ref()).map_or(1, |rows| rows.copies);
        for period in [copies, i64::from(plan.ring)] {
            unroll = common_multiple(unroll.max(1), period);
        }
        unroll
    }

    /// All threads that share memory see what others did.
    pub(super) fn meet(&self, at: Inserter<'c, 'a>) {
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

    /// Whether the kernel writes a field that it reads: it makes one step, and reads the cells only
    /// that it writes.
    fn is_written(&self, view: &View<'c, 'a>) -> bool {
        self.outs.iter().any(|out| out.buffer == view.buffer)
    }

    /// Zeros everywhere: what is computed of them is never stored.
    pub(super) fn start(&self, at: Inserter<'c, 'a>) -> State<'c, 'a> {
        if let Some(lines) = self.lines {
            return self.start_lines(lines);
        }
        let patch = self.shape.patch() as usize;
        let zero = at.float(self.shape.element, 0.0);
        let (span, stages) = (self.shape.reaches[0].span() as usize, &self.stages.stages);
        let mut levels = Vec::new();
        for level in 1..=self.steps() {
            let groups = match self.form {
                Form::Gather => (0..span)
                    .map(|group| match self.is_kept_elsewhere(level, group) {
                        true => Vec::new(),
                        false => vec![zero; patch],
                    })
                    .collect(),
                Form::Scatter => stages[..stages.len() - 1]
                    .iter()
                    .map(|stage| {
                        let of_point = stage.carried.iter().map(|value| self.zero_like(at, *value));
                        let of_point = of_point.collect::<Vec<_>>();
                        (0..patch).flat_map(|_| of_point.clone()).collect()
                    })
                    .collect(),
            };
            levels.push(groups);
        }
        let left = if self.is_lazy() { self.steps() as usize } else { 0 };
        // With whole planes what waits for an iteration does so in shared memory.
        let waiting = if self.copy_of_own(0, 1).is_some() { 0 } else { patch };
        State { levels, left: vec![vec![zero; waiting]; left], ..State::default() }
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
        let mut patch = self.arrive(iteration, cells, mask, &mut state);
        // Planes of the level two below, of which the oldest is what older levels are read from.
        let mut oldest: Option<Vec<Value<'c, 'a>>> = None;
        for level in 1..=self.steps() {
            let mut groups = std::mem::take(&mut state.levels[level as usize - 1]);
            self.fetch_planes(iteration, level, &mut groups);
            self.leave_rows(iteration, level, &patch, &groups);
            let arriving = match self.is_lazy() {
                true => {
                    let left = &mut state.left[level as usize - 1];
                    self.swap_left(iteration, level, left, patch)
                }
                false => patch,
            };
            let behind = self.shape.tiling.streamed.behind(level);
            let plane = words::plus(at, iteration.plane, -behind);
            self.fetch(at, level, &mut groups);
            // Where no other plane is read, the level below keeps none but the one that arrives.
            let own_oldest = groups.first().unwrap_or(&arriving).clone();
            let older = self.older((at, cells, mask), level, plane, oldest);
            let computed =
                self.level(iteration, cells, (level, plane), groups, arriving, &older)?;
            state.levels[level as usize - 1] = computed.0;
            oldest = Some(own_oldest);
            patch = self.complete(iteration, cells, mask, (level, plane), computed.1);
        }
        self.close(at, cells, mask, self.rows().is_some_and(|rows| rows.is_closed));
        Ok(state)
    }

    /// The patch that arrives in an iteration.
    pub(super) fn arrive(
        &self,
        iteration: &Iteration<'c, 'a>,
        cells: &Cells<'c, 'a, '_>,
        mask: &Mask<'c, 'a>,
        state: &mut State<'c, 'a>,
    ) -> Vec<Value<'c, 'a>> {
        let (at, plane) = (iteration.at, iteration.plane);
        let waiting = std::mem::take(&mut state.waiting);
        let source = self.source(cells, mask);
        let (patch, waiting) = source.arrive(at, iteration.number, plane, waiting);
        state.waiting = waiting;
        match self.home(0) {
            Some(home) => cells.fill(at, (home, plane, 0), patch),
            None => patch,
        }
    }

    /// What a level has computed of a plane, with cells outside of the domain; stored where it is
    /// to be.
    pub(super) fn complete(
        &self,
        iteration: &Iteration<'c, 'a>,
        cells: &Cells<'c, 'a, '_>,
        mask: &Mask<'c, 'a>,
        (level, plane): (i64, Value<'c, 'a>),
        mut patch: Vec<Value<'c, 'a>>,
    ) -> Vec<Value<'c, 'a>> {
        let at = iteration.at;
        if let Some(home) = self.home(level) {
            let behind = self.shape.tiling.streamed.behind(level);
            patch = cells.fill(at, (home, iteration.plane, behind), patch);
        }
        let from_last = (self.steps() - level) as usize;
        if let Some(out) = self.outs.get(from_last) {
            cells.store(at, out, plane, mask, &patch);
        }
        patch
    }

    /// The end of an iteration: frames that the next one reads are there, and if it must be
    /// `closed`, threads wait for each other.
    pub(super) fn close(
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
            self.meet(at);
        } else if !self.in_shared.is_empty() {
            // A compiler that sees what a thread stored keeps it in registers after all.
            warp_sync(at);
        }
    }

    /// Where a level's cells outside of the domain have their values from; none for the last level,
    /// and for what arrives from its home.
    fn home(&self, level: i64) -> Option<&View<'c, 'a>> {
        let is_needed = level < self.steps() && !(level == 0 && self.is_home(0));
        let turn = off_by_one(Fault::WrongHome, level) as usize;
        is_needed.then(|| &self.homes[turn % self.homes.len()])
    }

    /// Whether a level that arrives from memory comes from its home.
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

    /// Computes a level's plane; gives what it hands on and the patch.
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
            Plane::new(own, columns, rows.map(Left::Rows))
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
                let patch = self.points(&surroundings, level, stage, &[], &[self.yielded()])?;
                let mut groups: Vec<_> = groups.into_iter().skip(1).collect();
                if count > 0 {
                    groups.push(arriving);
                }
                self.put_away(iteration.at, level, &mut groups);
                Ok((groups, patch))
            }
            Form::Scatter => {
                let planes = [seen(arriving, lag)];
                let mut handed = Vec::new();
                let mut patch = Vec::new();
                for (number, stage) in self.stages.stages.iter().enumerate().rev() {
                    let plane = words::plus(iteration.at, plane, ahead - stage.plane);
                    let surroundings =
                        self.surroundings(iteration, cells, &planes, stage.plane, plane, older);
                    let before = number
                        .checked_sub(1)
                        .map(|before| (&self.stages.stages[before].carried, &groups[before]));
                    let is_last = number + 1 == self.stages.stages.len();
                    let wanted = if is_last { vec![self.yielded()] } else { stage.carried.clone() };
                    let known = self.known_before(before);
                    let values = self.points(&surroundings, level, stage, &known, &wanted)?;
                    if is_last { patch = values } else { handed.push(values) }
                }
                handed.reverse();
                Ok((handed, patch))
            }
        }
    }

    /// What each point knows from the stage before.
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

    /// A stage at all points of the patch, value by value of each point.
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
        for cell in 0..self.shape.patch() {
            let known =
                [&self.known[level as usize - 1], before.get(cell as usize).unwrap_or(&none)];
            values.extend(level::point(surroundings, cell, stage, known, wanted)?);
        }
        Ok(values)
    }
}

/// What the arguments of a region have become at a level, fields left out.
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
    let mask = at.integer(words::i32_type(at.context()), -1);
    at.create("nvvm.bar.warp.sync", &[mask], &[], &[], Vec::new());
}

pub(super) fn common_multiple(one: i64, two: i64) -> i64 {
    let (mut divisor, mut rest) = (one, two);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    one / divisor * two
}
