//! One iteration of the loop over planes, for tiles of a known position: its ops, one by one.

use super::{
    cells::{Cells, Domain, Mask},
    copies,
    halo::{Halos, Source},
    lines::{Line, Lines},
    plane::{Plane, SharedPlane},
    point::Point,
    shared::{Buffer, Shared, offset_of},
    thread::Thread,
    tiles::Tiles,
    view::View,
};
use crate::{
    builders,
    gpu::body::{Body, Emitted},
    sweep::shape::{Shape, own_domain, spread},
};
use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};
use std::{cell::RefCell, collections::HashMap, rc::Rc};
use stencil_dialects::{
    build::{self, Inserter},
    ods::{
        nvvm,
        sweep::{
            self, BoundaryOp, CopyAsyncOp, FenceOp, FetchOp, MapOp, PlanesOp, PutOp, ShiftOp,
            SplatOp, StoreOp, TakeOp, WaitOp,
        },
    },
    sweep::BufferKind,
    walk::{self, ValueKey},
};
use stencil_passes::framework::{PassResult, refuse};

/// What the versions of a kernel share.
pub struct Kernel<'c, 'a> {
    /// Its sizes.
    pub shape: Shape<'c, 'a>,
    /// The loop.
    pub planes: PlanesOp<'c, 'a>,
    /// Ops on tiles before the loop.
    pub before: Vec<OperationRef<'c, 'a>>,
    /// The thread.
    pub thread: Thread<'c, 'a>,
    /// Shared memory.
    pub shared: Option<Shared<'c, 'a>>,
    /// The circular arrays of a block that computes several lines in an iteration.
    pub lines: Option<Lines<'c, 'a>>,
    /// Planes of fields with the cells around the tile.
    pub halos: Option<Halos<'c, 'a>>,
    /// The memory of each field.
    pub views: HashMap<ValueKey, View<'c, 'a>>,
    /// Scalars, and values computed from them, with their lowered forms.
    pub scalars: Vec<(Value<'c, 'a>, Value<'c, 'a>)>,
}

/// A version of the code, for tiles of a known position.
pub struct Version<'c, 'a, 'k> {
    /// The kernel.
    pub kernel: &'k Kernel<'c, 'a>,
    /// The cells of the thread.
    pub cells: &'k Cells<'c, 'a, 'k>,
    /// Which of them it stores.
    pub mask: &'k Mask<'c, 'a>,
}

/// One iteration of the unrolled loop.
pub struct Iteration<'c, 'a> {
    /// Its insertion point.
    pub at: Inserter<'c, 'a>,
    /// Its number modulo the turns of the loop.
    pub turn: i64,
    /// The arriving plane; the thread's own where several arrive.
    pub plane: Value<'c, 'a>,
    /// The thread's place in the circular arrays, or the counters of halos.
    pub places: Vec<Value<'c, 'a>>,
}

/// Places in circular arrays, by age; and the lines there, by array and age.
#[derive(Default)]
struct LinesSeen<'c, 'a, 'k> {
    places: RefCell<HashMap<i64, Value<'c, 'a>>>,
    planes: RefCell<HashMap<(i64, i64), Rc<Plane<'c, 'a, 'k>>>>,
}

impl<'c: 'a, 'a> Kernel<'c, 'a> {
    /// No tiles.
    pub fn tiles<'k>(&self) -> Tiles<'c, 'a, 'k> {
        Tiles::new(self.shape.tiling.rows, self.shape.tiling.columns)
    }

    /// The shared memory, of which an op says that there is some.
    pub fn shared(&self) -> &Shared<'c, 'a> {
        self.shared.as_ref().expect("something lies in shared memory")
    }

    /// The halos, of which an op says that there are some.
    pub fn halos(&self) -> &Halos<'c, 'a> {
        self.halos.as_ref().expect("a buffer has a halo")
    }

    fn view(&self, field: Value<'c, 'a>) -> &View<'c, 'a> {
        &self.views[&ValueKey::of(&field)]
    }
}

impl<'c: 'a, 'a, 'k> Version<'c, 'a, 'k> {
    /// Emits the ops before the loop, whose planes are counted from the first that arrives.
    pub fn before(
        &self,
        iteration: &Iteration<'c, 'a>,
        tiles: &mut Tiles<'c, 'a, 'k>,
    ) -> PassResult {
        let seen = LinesSeen::default();
        for operation in &self.kernel.before {
            self.operation(*operation, iteration, tiles, &seen)?;
        }
        Ok(())
    }

    /// Emits one iteration; gives the tiles of the next.
    pub fn iterate(
        &self,
        iteration: &Iteration<'c, 'a>,
        mut tiles: Tiles<'c, 'a, 'k>,
    ) -> PassResult<Tiles<'c, 'a, 'k>> {
        let body = self.kernel.planes.body();
        let mut operations = walk::operations(body);
        let end = operations.pop().expect("the verifier checked that sweep.yield ends the region");
        let last = operations.last().copied().and_then(FenceOp::of);
        if last.is_some() {
            operations.pop();
        }
        let at = iteration.at;
        // Copies to a ring include frames; with one plane its frame is copied at the start.
        if self.kernel.shape.plan.loads.ring().is_none() && self.kernel.shape.rank > 1 {
            let lines = self.kernel.shape.tiling.streamed.lines;
            copies::copy_frame(at, self.cells, builders::plus(at, iteration.plane, lines));
        }
        let seen = LinesSeen::default();
        for operation in operations {
            self.operation(operation, iteration, &mut tiles, &seen)?;
        }
        self.end(at, last);
        let mut next = self.kernel.tiles();
        for (position, value) in end.operands().enumerate() {
            next.bind(build::argument(body, position), tiles.values(at, value));
        }
        Ok(next)
    }

    /// The end of an iteration: waits for frames that the next one reads.
    fn end(&self, at: Inserter<'c, 'a>, last: Option<FenceOp<'c, 'a>>) {
        // Where halos are copied, the next iteration waits for both.
        let waits = self.cells.frame().is_some() && self.kernel.halos.is_none();
        let has_frame = waits && self.kernel.shape.rank > 1;
        if has_frame {
            self.finish(at);
        }
        match last {
            Some(fence) if fence.warp() && !has_frame => warp_sync(at),
            None if !has_frame => {}
            _ => self.kernel.shared().barrier(at),
        }
    }

    /// Waits for the thread's copies of frames that the next iteration reads.
    pub fn finish(&self, at: Inserter<'c, 'a>) {
        let ring = self.kernel.shape.plan.loads.ring();
        copies::wait(at, ring.map_or(0, |depth| i64::from(depth) - 2));
    }

    fn operation(
        &self,
        operation: OperationRef<'c, 'a>,
        iteration: &Iteration<'c, 'a>,
        tiles: &mut Tiles<'c, 'a, 'k>,
        seen: &LinesSeen<'c, 'a, 'k>,
    ) -> PassResult {
        let at = iteration.at;
        let plane = |distance: i64| builders::plus(at, iteration.plane, distance);
        match walk::name(&operation) {
            sweep::FETCH => {
                let fetch = FetchOp::of(operation).expect("the name was looked at");
                let (view, distance) = (self.kernel.view(fetch.field()), fetch.plane());
                let own = match fetch.own() {
                    true => self.cells.load_own(at, view, plane(distance), self.mask),
                    false => {
                        let certain = self.cells.certainty.planes
                            && self.kernel.certain_distances().contains(&distance);
                        self.cells.load(at, view, plane(distance), certain)
                    }
                };
                tiles.bind(fetch.tile(), own);
            }
            sweep::COPY_ASYNC => {
                self.copy(CopyAsyncOp::of(operation).expect("the name was looked at"), iteration);
            }
            sweep::WAIT => {
                copies::wait(at, WaitOp::of(operation).expect("the name was looked at").open());
            }
            sweep::SPLAT => {
                let splat = SplatOp::of(operation).expect("the name was looked at");
                let value = self.scalar(splat.value());
                let count = self.kernel.shape.register_tile_size() as usize;
                tiles.bind(splat.tile(), vec![value; count]);
            }
            sweep::BOUNDARY => {
                let boundary = BoundaryOp::of(operation).expect("the name was looked at");
                let home = self.kernel.view(boundary.home());
                let own = tiles.values(at, boundary.tile());
                let filled = (home, iteration.plane, -boundary.plane());
                let domain = domain_of(operation);
                tiles.bind(boundary.result(), self.cells.fill(at, filled, domain.as_ref(), own));
            }
            sweep::STORE => self.store(operation, iteration, tiles),
            sweep::FENCE => match FenceOp::of(operation).is_some_and(|fence| fence.warp()) {
                true => warp_sync(at),
                false => self.kernel.shared().barrier(at),
            },
            sweep::PUT => self.put(operation, iteration, tiles),
            sweep::TAKE => self.take(operation, iteration, tiles, seen),
            sweep::SHIFT => self.shift(operation, iteration, tiles, seen),
            sweep::MAP => self.map(operation, iteration, tiles)?,
            _ => {
                let remedy = "compute numbers before 'sweep.planes', and values in 'sweep.map'";
                return Err(refuse(&operation, "cannot be part of the loop over planes", remedy));
            }
        }
        Ok(())
    }

    /// Starts to copy a plane to a ring, or with the cells around the tile.
    fn copy(&self, copy: CopyAsyncOp<'c, 'a>, iteration: &Iteration<'c, 'a>) {
        let at = iteration.at;
        let (view, shared) = (self.kernel.view(copy.field()), self.kernel.shared());
        let buffer = shared.buffer_of(copy.ring());
        let plane = builders::plus(at, iteration.plane, copy.plane());
        if buffer.kind == BufferKind::Ring {
            let ahead = copy.plane() / self.kernel.shape.tiling.streamed.lines;
            let stage = (iteration.turn + ahead).rem_euclid(buffer.copies);
            return copies::copy(at, self.cells, (view, plane), shared, (buffer, stage));
        }
        let (halos, shape) = (self.kernel.halos(), &self.kernel.shape);
        let ahead = copy.ahead().unwrap_or(copy.plane());
        let domain = domain_of(copy.operation()).unwrap_or((shape.lower, shape.upper));
        let outside = copy.home().map(|home| (self.kernel.view(home), domain));
        let source = Source { view, plane, outside };
        halos.copy(at, self.cells, &source, (buffer, &iteration.places, ahead));
        // A frame is copied once, with the first field.
        if let Some(frame) = self.cells.frame().filter(|_| halos.is_first(buffer)) {
            frame.copy(at, shape, builders::plus(at, iteration.plane, ahead));
        }
        nvvm::cp_async_commit_group(at);
    }

    fn store(
        &self,
        operation: OperationRef<'c, 'a>,
        iteration: &Iteration<'c, 'a>,
        tiles: &Tiles<'c, 'a, 'k>,
    ) {
        let at = iteration.at;
        let store = StoreOp::of(operation).expect("the name was looked at");
        let own = tiles.values(at, store.tile());
        let view = self.kernel.view(store.field());
        let plane = builders::plus(at, iteration.plane, store.plane());
        let domain = domain_of(operation);
        self.cells.store(at, view, plane, (self.mask, domain.as_ref()), &own);
    }

    fn scalar(&self, value: Value<'c, 'a>) -> Value<'c, 'a> {
        let known = self.kernel.scalars.iter().find(|(old, _)| *old == value);
        known.expect("the splat's value was computed before").1
    }

    fn put(
        &self,
        operation: OperationRef<'c, 'a>,
        iteration: &Iteration<'c, 'a>,
        tiles: &Tiles<'c, 'a, 'k>,
    ) {
        let at = iteration.at;
        let put = PutOp::of(operation).expect("the name was looked at");
        let shared = self.kernel.shared();
        let buffer = shared.buffer_of(put.buffer());
        let own = tiles.values(at, put.tile());
        match buffer.kind {
            BufferKind::Slot => shared.store_slot(at, buffer, &own),
            BufferKind::Lines => {
                let (lines, place) = self.lines(iteration);
                lines.store(at, buffer.begin, place, &own);
            }
            _ => {
                let copy = iteration.turn.rem_euclid(buffer.copies);
                shared.store_rows(at, (buffer, copy), &own);
            }
        }
    }

    fn take(
        &self,
        operation: OperationRef<'c, 'a>,
        iteration: &Iteration<'c, 'a>,
        tiles: &mut Tiles<'c, 'a, 'k>,
        seen: &LinesSeen<'c, 'a, 'k>,
    ) {
        let at = iteration.at;
        let take = TakeOp::of(operation).expect("the name was looked at");
        let shared = self.kernel.shared();
        let buffer = shared.buffer_of(take.buffer());
        let copy = (iteration.turn - take.age()).rem_euclid(buffer.copies);
        let own = match buffer.kind {
            BufferKind::Halo => {
                let place = (buffer, &iteration.places[..], take.age());
                let (plane, columns) =
                    (self.kernel.halos().age(at, place), self.kernel.shape.tiling.columns);
                let cells = 0..self.kernel.shape.register_tile_size();
                cells.map(|cell| plane.load_cell(at, cell / columns, cell % columns)).collect()
            }
            BufferKind::Ring => shared.load_ring(at, (buffer, copy)),
            BufferKind::Slot => shared.load_slot(at, buffer),
            BufferKind::Lines => {
                if let Some(offset) = take.offset() {
                    let plane = self.line(iteration, buffer, take.age(), seen);
                    return tiles.bind_plane(take.tile(), plane, offset_of(offset));
                }
                self.line_at(iteration, buffer, take.age(), seen).load_own(at)
            }
            _ => shared.load_own(at, (buffer, copy)),
        };
        tiles.bind(take.tile(), own);
    }

    fn shift(
        &self,
        operation: OperationRef<'c, 'a>,
        iteration: &Iteration<'c, 'a>,
        tiles: &mut Tiles<'c, 'a, 'k>,
        seen: &LinesSeen<'c, 'a, 'k>,
    ) {
        let shift = ShiftOp::of(operation).expect("the name was looked at");
        let plane = tiles.plane(iteration.at, shift.tile());
        if let (Some(via), Some(age)) = (shift.via(), shift.age()) {
            let shared = self.kernel.shared();
            let buffer = shared.buffer_of(via);
            plane.read_via(match buffer.kind {
                BufferKind::Lines => SharedPlane::Line(self.line_at(iteration, buffer, age, seen)),
                BufferKind::Halo => {
                    let place = (buffer, &iteration.places[..], age);
                    SharedPlane::Halo(self.kernel.halos().age(iteration.at, place))
                }
                _ => {
                    let copy = (iteration.turn - age).rem_euclid(buffer.copies);
                    SharedPlane::Rows(shared.rows_of(via, copy))
                }
            });
        }
        tiles.bind_plane(shift.result(), plane, offset_of(shift.offset()));
    }

    fn lines(&self, iteration: &Iteration<'c, 'a>) -> (&'k Lines<'c, 'a>, Value<'c, 'a>) {
        let lines = self.kernel.lines.as_ref().zip(iteration.places.first().copied());
        lines.expect("a buffer of lines has a place in each iteration")
    }

    fn line_at(
        &self,
        iteration: &Iteration<'c, 'a>,
        buffer: &Buffer,
        age: i64,
        seen: &LinesSeen<'c, 'a, 'k>,
    ) -> Line<'c, 'a, 'k> {
        let (lines, own) = self.lines(iteration);
        let mut places = seen.places.borrow_mut();
        let place = *places.entry(age).or_insert_with(|| lines.before(iteration.at, own, age));
        Line { lines, begin: buffer.begin, place }
    }

    fn line(
        &self,
        iteration: &Iteration<'c, 'a>,
        buffer: &Buffer,
        age: i64,
        seen: &LinesSeen<'c, 'a, 'k>,
    ) -> Rc<Plane<'c, 'a, 'k>> {
        let line = || SharedPlane::Line(self.line_at(iteration, buffer, age, seen));
        let columns = self.kernel.shape.tiling.columns;
        let mut planes = seen.planes.borrow_mut();
        let plane = planes.entry((buffer.begin, age));
        Rc::clone(plane.or_insert_with(|| Plane::new(Vec::new(), columns, Some(line())).into()))
    }

    /// The operations of a map at all points of the register tile.
    fn map(
        &self,
        operation: OperationRef<'c, 'a>,
        iteration: &Iteration<'c, 'a>,
        tiles: &mut Tiles<'c, 'a, 'k>,
    ) -> PassResult {
        let at = iteration.at;
        let map = MapOp::of(operation).expect("the name was looked at");
        let body = map.body();
        let mut operations = walk::operations(body);
        let end = operations.pop().expect("the verifier checked that sweep.yield ends the region");
        let plane = builders::plus(at, iteration.plane, map.plane());
        let mut values = vec![Vec::new(); map.values().len()];
        for cell in 0..self.kernel.shape.register_tile_size() {
            let (shape, views) = (&self.kernel.shape, &self.kernel.views);
            let domain = domain_of(operation);
            let (cells, mask) = (self.cells, self.mask);
            let point = Point { shape, cells, mask, views, outside: at, plane, cell, domain };
            let point = Body::new(point, false);
            for (old, new) in &self.kernel.scalars {
                point.bind(*old, Emitted::Value(*new));
            }
            for (position, tile) in map.tiles().into_iter().enumerate() {
                let value = tiles.value(at, tile, cell);
                point.bind(build::argument(body, position), Emitted::Value(value));
            }
            for operation in &operations {
                point.operation(*operation, at.with_location(operation.location()))?;
            }
            for (of_result, value) in values.iter_mut().zip(end.operands()) {
                of_result.push(point.value(value));
            }
        }
        for (tile, own) in map.values().into_iter().zip(values) {
            tiles.bind(tile, own);
        }
        Ok(())
    }
}

/// The domain that an op names, in three dimensions.
pub fn domain_of(operation: OperationRef) -> Option<Domain> {
    let domain = own_domain(operation)?;
    Some((spread(&domain.lower, 0), spread(&domain.upper, 1)))
}

fn warp_sync(at: Inserter) {
    let mask = at.integer(builders::i32_type(at.context()), -1);
    nvvm::bar_warp_sync(at, mask);
}

/// The types of the values that a loop over planes carries.
pub fn types<'c: 'a, 'a>(values: &[Value<'c, 'a>]) -> Vec<melior::ir::Type<'c>> {
    values.iter().map(ValueLike::r#type).collect()
}
