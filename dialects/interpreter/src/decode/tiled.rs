//! `sweep.tiled`: the planes form.
//!
//! What depends on the IR alone is checked here: that a shift finds what other threads hold, and
//! that the loop visits all planes that are stored.

use super::control::DecodeLeaf;
use super::points::input_number;
use super::scope::{Binding, Scope, grid_slot, operand_binding, scalar_slot, unknown_type};
use super::sweep::{count_in_plan, planes_at_once};
use super::{Decoder, site_of, stages::rings, unsupported};
use crate::error::{ErrorKind, InterpreterError, SiteId};
use crate::grid::{Extent, RANK_MAX};
use crate::program::{Block, HostStep, Slot, Step};
use crate::tiled::{Buffer, CopyOf, Kind, Map, Planes, TileSlot, TileStep, Tiled, spread};
use melior::ir::{Attribute, OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    Bounds,
    attributes::{self, PlanValue},
    build,
    ods::sweep::{
        self, BoundaryOp, CopyAsyncOp, FenceOp, FetchOp, MapOp, PlanesOp, PutOp, SharedOp, ShiftOp,
        SplatOp, StoreOp, TakeOp, TiledOp, WaitOp,
    },
    ops::{AccessOp, DynAccessOp},
    sweep::LANES,
    walk,
};

/// What is known of a kernel while its region is decoded.
#[derive(Debug, Default)]
pub(super) struct TiledScope {
    buffers: Vec<Buffer>,
    tile_slots: usize,
    stored: Vec<usize>,
    rank: usize,
    domain: Extent,
    /// Rows of a thread, where other threads hold the next ones.
    thread_rows: Option<i64>,
    /// Whether several warps have columns of a plane.
    shares_columns: bool,
    /// The planes that arrive.
    visited: (i64, i64),
}

impl TiledScope {
    fn tile(&mut self) -> TileSlot {
        self.tile_slots += 1;
        TileSlot(self.tile_slots - 1)
    }
}

impl<'c: 'a, 'a> Decoder<'c, 'a> {
    pub fn tiled(
        &mut self,
        tiled: TiledOp<'c, 'a>,
        host: &mut Scope,
    ) -> Result<HostStep, InterpreterError> {
        let operation = tiled.operation();
        let (body, domain) = (tiled.body(), tiled.domain());
        let rank = domain.rank();
        let mut scope = Scope::default();
        scope.tiled.rank = rank;
        scope.tiled.domain = planes_of(&domain);
        scope.tiled.thread_rows = thread_rows(tiled);
        scope.tiled.shares_columns = shares_columns(tiled);
        let mut fields = Vec::new();
        for (position, field) in tiled.fields().into_iter().enumerate() {
            scope.bind(build::argument(body, position), Binding::Input(position));
            fields.push(grid_slot(operation, field, host)?);
        }
        let mut scalars = Vec::new();
        for (position, scalar) in tiled.scalars().into_iter().enumerate() {
            let slot = scope.slot();
            scope.bind(build::argument(body, fields.len() + position), Binding::Scalar(slot));
            scalars.push((scalar_slot(operation, scalar, host)?, slot));
        }
        let (before, planes) = self.tiled_body(tiled, &mut scope)?;
        let reach = distances(tiled.reach());
        let margin = tiled.margin().map(distances);
        let all_steps = |reach: i64| reach.saturating_mul(tiled.steps());
        let periodic = tiled.periodic().and_then(attributes::integers).unwrap_or_default();
        let extent = if rank > 1 { domain.upper[0] - domain.lower[0] } else { 1 };
        let chunks = count_in_plan(tiled.plan(), "chunks").unwrap_or(1);
        let TiledScope { domain: tile_domain, buffers, tile_slots, stored, .. } = scope.tiled;
        let site = self.site(operation);
        Ok(HostStep::Tiled(Box::new(Tiled {
            fields,
            scalars,
            rank,
            domain: tile_domain,
            rings: spread(&rings(&periodic, &domain)[..rank], None),
            reach,
            margin: margin.unwrap_or(reach.map(|sides| sides.map(all_steps))),
            steps: tiled.steps(),
            chunk: (extent.max(1) + chunks - 1) / chunks,
            lines: if rank == 2 { planes_at_once(tiled.plan()) } else { 1 },
            buffers,
            tile_slots,
            frame: scope.layout,
            before,
            planes,
            stored,
            site,
        })))
    }

    /// What comes before the loop, and the loop.
    fn tiled_body(
        &mut self,
        tiled: TiledOp<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<(Block<TileStep>, Planes), InterpreterError> {
        let mut steps = Vec::new();
        let mut planes = None;
        for operation in walk::operations(tiled.body()) {
            if planes.is_some() {
                let error = unsupported(operation, "comes after the loop over planes");
                return Err(error.with_remedy("what a kernel does before the loop is run"));
            }
            match PlanesOp::of(operation) {
                Some(found) => planes = Some(self.planes(found, scope)?),
                None => self.operation(operation, scope, &mut steps)?,
            }
        }
        Ok((Block { steps }, planes.expect("the verifier checked that there is a loop")))
    }

    fn planes(
        &mut self,
        planes: PlanesOp<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<Planes, InterpreterError> {
        let (operation, body) = (planes.operation(), planes.body());
        scope.tiled.visited = (planes.from(), planes.to());
        let mut arguments = Vec::new();
        let mut start = Vec::new();
        for (position, init) in planes.inits().into_iter().enumerate() {
            let slot = scope.tiled.tile();
            scope.bind(build::argument(body, position), Binding::Tile(slot));
            start.push((tile_slot(operation, init, scope)?, slot));
            arguments.push(slot);
        }
        let (steps, end) = self.block(body, scope)?;
        let mut next = Vec::new();
        for (value, slot) in end.operands().zip(arguments) {
            next.push((tile_slot(end, value, scope)?, slot));
        }
        Ok(Planes { from: planes.from(), to: planes.to(), start, body: steps, next })
    }

    fn map(&mut self, map: MapOp<'c, 'a>, scope: &mut Scope) -> Result<TileStep, InterpreterError> {
        let (operation, body) = (map.operation(), map.body());
        let mut arguments = Vec::new();
        for (position, tile) in map.tiles().into_iter().enumerate() {
            let slot = scope.slot();
            scope.bind(build::argument(body, position), Binding::Scalar(slot));
            arguments.push((tile_slot(operation, tile, scope)?, slot));
        }
        let mut reads = Vec::new();
        for nested in walk::nested(operation) {
            let access = AccessOp::of(nested).map(|access| access.source());
            let source = access.or_else(|| DynAccessOp::of(nested).map(|access| access.source()));
            if let Some(source) = source {
                reads.push(input_number(nested, source, scope)?);
            }
        }
        let (steps, end) = self.block(body, scope)?;
        let values: Result<Vec<Slot>, _> =
            end.operands().map(|value| scalar_slot(end, value, scope)).collect();
        let results = values?.into_iter().zip(map.values());
        let results = results.map(|(slot, result)| (slot, bind_tile(result, scope))).collect();
        let (plane, site) = (map.plane(), self.site(operation));
        let domain = own_domain(map.domain(), scope);
        let map = Map { plane, domain, arguments, body: steps, results, reads, site };
        Ok(TileStep::Map(Box::new(map)))
    }
}

/// The box of some points of a kernel, in planes, rows and columns.
fn planes_of(bounds: &Bounds) -> Extent {
    let (lower, upper) = (spread(&bounds.lower, 0), spread(&bounds.upper, 1));
    Extent { rank: RANK_MAX, lower, upper }
}

/// The domain of a statement: its own, or the kernel's.
fn own_domain(own: Option<Bounds>, scope: &Scope) -> Extent {
    own.as_ref().map_or(scope.tiled.domain, planes_of)
}

/// Two numbers for each dimension, towards its begin and its end.
fn distances(attribute: Attribute) -> [[i64; 2]; RANK_MAX] {
    let numbers = attributes::integers(attribute).unwrap_or_default();
    let pairs: Vec<_> = numbers.chunks(2).map(|pair| [pair[0], pair[1]]).collect();
    spread(&pairs, [0; 2])
}

/// Rows of a thread; none where no other thread of its block has rows of the same plane.
fn thread_rows(tiled: TiledOp) -> Option<i64> {
    let plan = attributes::plan(tiled.plan()).unwrap_or_default();
    let along = |key: &str| match plan.get(key) {
        Some(PlanValue::Integers(numbers)) if numbers.len() == RANK_MAX => Some(numbers[1]),
        _ => None,
    };
    let is_shared = tiled.domain().rank() == RANK_MAX && along("threads") != Some(1);
    is_shared.then(|| along("points").unwrap_or(1).max(1))
}

/// Whether several warps have columns of a row: of a line, where a row of threads takes one, or as
/// the op says. Elsewhere the warps of a block have tiles, or rows, of their own.
fn shares_columns(tiled: TiledOp) -> bool {
    if tiled.joined() {
        return true;
    }
    let plan = attributes::plan(tiled.plan()).unwrap_or_default();
    match plan.get("threads") {
        Some(PlanValue::Integers(threads)) if planes_at_once(tiled.plan()) > 1 => {
            threads[1] > LANES
        }
        _ => false,
    }
}

fn bind_tile<'c: 'a, 'a>(value: Value<'c, 'a>, scope: &mut Scope) -> TileSlot {
    let slot = scope.tiled.tile();
    scope.bind(value, Binding::Tile(slot));
    slot
}

fn tile_slot<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    value: Value<'c, 'a>,
    scope: &Scope,
) -> Result<TileSlot, InterpreterError> {
    match operand_binding(operation, value, scope)? {
        Binding::Tile(slot) => Ok(slot),
        _ => Err(unknown_type(operation, value.r#type())),
    }
}

fn buffer_number<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    value: Value<'c, 'a>,
    scope: &Scope,
) -> Result<usize, InterpreterError> {
    match operand_binding(operation, value, scope)? {
        Binding::Buffer(number) => Ok(number),
        _ => Err(unknown_type(operation, value.r#type())),
    }
}

impl<'c: 'a, 'a> DecodeLeaf<'c, 'a> for TileStep {
    fn decode_leaf(
        decoder: &mut Decoder<'c, 'a>,
        operation: OperationRef<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<Vec<Step<Self>>, InterpreterError> {
        let name = walk::name(&operation);
        let step = match name {
            sweep::SHARED => {
                let shared = SharedOp::of(operation).expect("the name is that of it");
                bind_buffer(shared, scope)?;
                None
            }
            sweep::MAP => {
                let map = MapOp::of(operation).expect("the name is that of a map");
                Some(decoder.map(map, scope)?)
            }
            sweep::WAIT => {
                let wait = WaitOp::of(operation).expect("the name is that of a wait");
                Some(TileStep::Wait { open: wait.open().unsigned_abs() })
            }
            sweep::FENCE => {
                let fence = FenceOp::of(operation).expect("the name is that of a fence");
                (!fence.warp()).then_some(TileStep::Fence)
            }
            _ => {
                let site = decoder.site(operation);
                let memory = memory_step(operation, scope, site)?;
                let Some(step) = memory.or(exchange_step(operation, scope, site)?) else {
                    let what = "is not supported inside a kernel in the planes form";
                    return Err(unsupported(operation, what));
                };
                Some(step)
            }
        };
        Ok(step.map(Step::Leaf).into_iter().collect())
    }
}

fn bind_buffer<'c: 'a, 'a>(
    shared: SharedOp<'c, 'a>,
    scope: &mut Scope,
) -> Result<(), InterpreterError> {
    let rows = shared.rows().and_then(attributes::integers).unwrap_or_default();
    if let Some(of_thread) = scope.tiled.thread_rows
        && let Some(row) = rows.iter().find(|row| !(0..of_thread).contains(row))
    {
        let message = format!("holds row {row} of threads that have {of_thread}");
        let error = site_of(shared.operation()).error(ErrorKind::Program, message);
        return Err(
            error.with_remedy("rows are counted from 0; 'points' of the plan are a thread's")
        );
    }
    let kind = match shared.kind().as_str() {
        "ring" => Kind::Ring,
        "halo" => {
            let around = shared.around().and_then(attributes::integers).unwrap_or_default();
            Kind::Halo([[around[0], around[1]], [around[2], around[3]]])
        }
        "slot" => Kind::Slot,
        "rows" => Kind::Rows(rows),
        "lines" => Kind::Lines,
        _ => Kind::Planes,
    };
    scope.bind(shared.buffer(), Binding::Buffer(scope.tiled.buffers.len()));
    let copies = usize::try_from(shared.copies()).expect("the verifier checked the copies");
    scope.tiled.buffers.push(Buffer { kind, copies });
    Ok(())
}

/// Steps on fields.
fn memory_step<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    scope: &mut Scope,
    site: SiteId,
) -> Result<Option<TileStep>, InterpreterError> {
    Ok(Some(if let Some(fetch) = FetchOp::of(operation) {
        let field = input_number(operation, fetch.field(), scope)?;
        let (plane, own) = (fetch.plane(), fetch.own());
        TileStep::Fetch { field, plane, own, result: bind_tile(fetch.tile(), scope), site }
    } else if let Some(copy) = CopyAsyncOp::of(operation) {
        let field = input_number(operation, copy.field(), scope)?;
        let ring = buffer_number(operation, copy.ring(), scope)?;
        let outside = match copy.home() {
            None => None,
            Some(home) => {
                let home = input_number(operation, home, scope)?;
                Some((home, own_domain(copy.domain(), scope)))
            }
        };
        TileStep::CopyAsync { field, plane: copy.plane(), ahead: copy.ahead(), ring, outside, site }
    } else if let Some(boundary) = BoundaryOp::of(operation) {
        let home = input_number(operation, boundary.home(), scope)?;
        let tile = tile_slot(operation, boundary.tile(), scope)?;
        let (plane, domain) = (boundary.plane(), own_domain(boundary.domain(), scope));
        let result = bind_tile(boundary.result(), scope);
        TileStep::Boundary { tile, plane, home, domain, result, site }
    } else if let Some(store) = StoreOp::of(operation) {
        check_store(store, scope)?;
        let field = input_number(operation, store.field(), scope)?;
        scope.tiled.stored.push(field);
        let tile = tile_slot(operation, store.tile(), scope)?;
        let domain = own_domain(store.domain(), scope);
        TileStep::Store { tile, field, plane: store.plane(), domain, site }
    } else {
        return Ok(None);
    }))
}

/// A loop that ends too early would leave planes without a value.
fn check_store(store: StoreOp, scope: &Scope) -> Result<(), InterpreterError> {
    let TiledScope { visited: (from, to), rank, .. } = scope.tiled;
    let plane = store.plane();
    let arriving = plane.saturating_neg();
    let site = site_of(store.operation());
    if rank == 1 && plane != 0 {
        let message = format!("stores plane {plane}, but one dimension has plane 0 only");
        return Err(site.error(ErrorKind::Program, message));
    }
    if rank > 1 && !(from..=to).contains(&arriving) {
        let message = format!(
            "stores plane {plane} from the arriving one, which is never the {} of the domain",
            if plane < 0 { "last" } else { "first" }
        );
        let error = site.error(ErrorKind::Program, message);
        let end = if plane < 0 { "to" } else { "from" };
        let remedy = format!("visit the planes '{end}' {arriving}, got from {from} to {to}");
        return Err(error.with_remedy(remedy));
    }
    Ok(())
}

/// Steps on tiles and shared memory.
fn exchange_step<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    scope: &mut Scope,
    site: SiteId,
) -> Result<Option<TileStep>, InterpreterError> {
    Ok(Some(if let Some(splat) = SplatOp::of(operation) {
        let value = scalar_slot(operation, splat.value(), scope)?;
        TileStep::Splat { value, result: bind_tile(splat.tile(), scope) }
    } else if let Some(put) = PutOp::of(operation) {
        let tile = tile_slot(operation, put.tile(), scope)?;
        TileStep::Put { tile, buffer: buffer_number(operation, put.buffer(), scope)?, site }
    } else if let Some(take) = TakeOp::of(operation) {
        let buffer = buffer_number(operation, take.buffer(), scope)?;
        let offset = take.offset().and_then(attributes::integers).unwrap_or(vec![0, 0]);
        let (copy, offset) = (CopyOf { buffer, age: take.age() }, [offset[0], offset[1]]);
        check_rows(operation, offset, scope)?;
        TileStep::Take { copy, offset, result: bind_tile(take.tile(), scope), site }
    } else if let Some(shift) = ShiftOp::of(operation) {
        let tile = tile_slot(operation, shift.tile(), scope)?;
        let offset = attributes::integers(shift.offset()).unwrap_or_default();
        let offset = [offset[0], offset[1]];
        check_rows(operation, offset, scope)?;
        let via = match (shift.via(), shift.age()) {
            (Some(buffer), Some(age)) => {
                Some(CopyOf { buffer: buffer_number(operation, buffer, scope)?, age })
            }
            _ => None,
        };
        check_shift(shift, offset, via, scope)?;
        let via = via.filter(|via| reads_others(offset, *via, scope));
        TileStep::Shift { tile, offset, via, result: bind_tile(shift.result(), scope), site }
    } else {
        return Ok(None);
    }))
}

/// Only three dimensions have rows.
fn check_rows<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    [rows, _]: [i64; 2],
    scope: &Scope,
) -> Result<(), InterpreterError> {
    let rank = scope.tiled.rank;
    if rows == 0 || rank == RANK_MAX {
        return Ok(());
    }
    let message = format!("reads {rows} rows on, but a plane of {rank} dimensions has one row");
    let error = site_of(operation).error(ErrorKind::Program, message);
    Err(error.with_remedy("the fastest dimension is that of columns, the second number"))
}

/// Whether a shift reads the buffer that it names, for some point.
fn reads_others([rows, columns]: [i64; 2], via: CopyOf, scope: &Scope) -> bool {
    match scope.tiled.buffers[via.buffer].kind {
        Kind::Rows(_) => rows != 0 && scope.tiled.thread_rows.is_some(),
        _ => [rows, columns] != [0, 0],
    }
}

/// Every row and column of a neighbour must be a thread's own, or one of its warp, or held by the
/// buffer that the shift names.
fn check_shift(
    shift: ShiftOp,
    [rows, columns]: [i64; 2],
    via: Option<CopyOf>,
    scope: &Scope,
) -> Result<(), InterpreterError> {
    let kind = via.map(|via| &scope.tiled.buffers[via.buffer].kind);
    let refuse = |message: String, remedy: String| {
        let error = site_of(shift.operation()).error(ErrorKind::Program, message);
        Err(error.with_remedy(remedy))
    };
    let has_columns = kind.is_some_and(|kind| !matches!(kind, Kind::Rows(_)));
    if columns != 0 && !has_columns && scope.tiled.shares_columns {
        let message = format!("reads columns of other warps, each of which has {LANES} lanes");
        let remedy = "shift via a buffer of kind \"planes\", or \"lines\" where threads take them";
        return refuse(message, remedy.to_owned());
    }
    let Some(of_thread) = scope.tiled.thread_rows else { return Ok(()) };
    for row in 0..of_thread {
        let other = row.saturating_add(rows);
        if (0..of_thread).contains(&other) {
            continue;
        }
        match kind {
            None => {
                let message = format!("reads rows of other threads, each of which has {of_thread}");
                let remedy = "shift via a buffer of kind \"rows\" or \"planes\"".to_owned();
                return refuse(message, remedy);
            }
            Some(Kind::Rows(held)) if !held.contains(&other.rem_euclid(of_thread)) => {
                let missing = other.rem_euclid(of_thread);
                let message = format!(
                    "reads row {missing} of other threads, of which a buffer holds {held:?}"
                );
                return refuse(message, format!("add {missing} to the rows of the buffer"));
            }
            Some(_) => {}
        }
    }
    Ok(())
}
