//! Sizes of a sweep: its radius, its tiles, and buffers as planes.
//!
//! All are in three dimensions, plane, row and column; domains of lower rank have one plane or one
//! row.

use super::emit::{counts::Counts, numbers::Meaning};
pub(super) use super::facts::{Facts, Several};
use crate::builders;
use melior::ir::{Attribute, OperationRef, Type, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    Bounds, StencilType, attributes, build,
    ods::sweep::{BoundaryOp, CopyAsyncOp, FetchOp, MapOp, StoreOp, TiledOp},
    ops::AccessOp,
    sweep::{Argument, BufferKind, KernelOp},
    types, walk,
};
use stencil_model::{
    plan::{ReadMode, SweepPlan, mapping::PlaneExchange},
    sweep::{
        Reach,
        tiling::{Aligned, Lateral, Tiling},
    },
};
use stencil_passes::{
    analysis::{comparison::Comparison, cuts::Cuts, run_time_extents::RunTimeExtents},
    framework::{PassResult, refuse},
    strategy::plan,
};

/// An offset in planes, rows and columns.
pub type Offset = [i64; 3];

/// The sizes of a kernel, which follow from its op and plan.
pub struct Shape<'c, 'a> {
    /// The op, for diagnostics.
    pub operation: OperationRef<'c, 'a>,
    /// Its plan.
    pub plan: SweepPlan,
    /// Dimensions of the domain.
    pub rank: usize,
    /// The first point, in three dimensions.
    pub lower: Offset,
    /// One past the last point.
    pub upper: Offset,
    /// A field of which tiles are loaded or stored.
    pub level: Value<'c, 'a>,
    /// Type of a value.
    pub element: Type<'c>,
    /// The radius of a level along planes, rows, columns.
    pub reaches: [Reach; 3],
    /// The tiles.
    pub tiling: Tiling,
    /// Columns of a vector access; 1 where rows are not aligned to more.
    pub vector: i64,
    /// Whether a vector can be copied asynchronously.
    pub is_copied: bool,
    /// Columns of an asynchronous copy by the threads of a block together.
    pub copied: i64,
    /// Type of coordinates and offsets: 32 bits where all of them fit.
    pub number: Type<'c>,
    /// The planes between the arriving one and the last that gets boundary values.
    pub oldest_boundary: i64,
    /// Along planes, rows and columns, whether the grid is periodic.
    pub periodic: [bool; 3],
    /// The points that lie in the domains of all statements, and on the same side of all constants
    /// near the ends with which coordinates are compared, in three dimensions.
    pub common: (Offset, Offset),
    /// The planes between the arriving one and the last whose coordinate is compared.
    pub oldest_compared: i64,
    /// Whether levels may reach beyond a field: statements have domains of their own, and fields
    /// only need the cells that are read around these.
    pub may_leave_fields: bool,
    /// Whether extents are given at run time.
    pub is_general: bool,
    /// By multiples of what rows may then differ from those of the reference.
    pub multiple_of_rows: Option<i64>,
    /// Tiles and chunks.
    pub counts: Counts<'c, 'a>,
    /// What coordinates mean where extents are given at run time.
    pub meaning: Meaning<'c, 'a>,
}

impl<'c: 'a, 'a> Shape<'c, 'a> {
    /// The shape of a kernel whose plan is complete.
    pub fn of_kernel(kernel: KernelOp<'c, 'a>) -> PassResult<Self> {
        let levels = kernel.carried().into_iter().chain(kernel.boundaries()).chain(kernel.outs());
        let mut levels = levels.collect::<Vec<_>>();
        let fields = levels.iter().copied().chain(kernel.reads()).collect();
        let plan = plan::complete_sweep(kernel.operation())?;
        let queued = queued_reads(kernel, &plan);
        levels.extend(queued.iter().map(|(number, _)| kernel.reads()[*number]));
        Self::new(Facts {
            operation: kernel.operation(),
            domain: kernel.domain(),
            steps: kernel.steps(),
            element: element_of(build::argument(kernel.body(), 0)),
            reaches: reaches(kernel),
            levels,
            fields,
            several: None,
        })
    }

    /// The shape of a kernel in the planes form.
    pub fn of_tiled(tiled: TiledOp<'c, 'a>) -> PassResult<Self> {
        let operations = walk::nested(tiled.operation()).into_iter();
        let levels = operations.flat_map(tiled_fields).collect::<Vec<_>>();
        let Some(first) = levels.first() else {
            let remedy = "fetch the planes that it computes from, and store what it computes";
            return Err(refuse(&tiled.operation(), "reads and writes no field", remedy));
        };
        let reaches = attributes::integers(tiled.reach()).expect("the verifier checked the reach");
        let number = |value: i64| u32::try_from(value).expect("the verifier checked the reach");
        let pairs = reaches.chunks(2);
        let pair = |of: &[i64]| Reach { behind: number(of[0]), ahead: number(of[1]) };
        let margins = tiled.margin().and_then(attributes::integers);
        let several = margins.map(|margins| Several {
            margins: margins.chunks(2).map(pair).collect(),
            periodic: periodic_of(tiled),
            oldest_boundary: oldest_boundary(tiled),
            common: common(tiled),
        });
        let shape = Self::new(Facts {
            operation: tiled.operation(),
            domain: tiled.domain(),
            steps: tiled.steps(),
            element: element_of(*first),
            reaches: pairs.map(pair).collect(),
            levels,
            fields: tiled.fields(),
            several,
        })?;
        Ok(shape.without_cuts(tiled))
    }

    /// The shape with what comparisons of coordinates need.
    fn without_cuts(self, tiled: TiledOp<'c, 'a>) -> Self {
        let is_general = RunTimeExtents::around(tiled.operation()).is_some();
        let mut cuts = [const { Vec::new() }; 3];
        let mut oldest_compared = 0;
        for operation in walk::nested(tiled.operation()) {
            let Some(comparison) = Comparison::in_domain(operation, is_general) else { continue };
            let d = dimension_of_three(self.rank, comparison.dimension);
            cuts[d].extend(comparison.cuts());
            let parents = std::iter::successors(Some(operation), |it| it.parent_operation());
            if let (0, Some(map)) = (d, parents.into_iter().find_map(MapOp::of)) {
                oldest_compared = oldest_compared.max(-map.plane());
            }
        }
        let streamed = &self.tiling.streamed;
        let overlap = streamed.warm_up() + streamed.delay();
        let near = [2 * overlap, self.tiling.row.cells, self.tiling.column.cells];
        let mut common = self.common;
        for (d, (places, near)) in cuts.into_iter().zip(near).enumerate() {
            let left = Cuts { places, near }.without(common.0[d]..common.1[d]);
            (common.0[d], common.1[d]) = (left.start, left.end);
        }
        Self { common, oldest_compared, ..self }
    }

    pub(super) fn new(facts: Facts<'c, 'a>) -> PassResult<Self> {
        let Facts { operation, domain, .. } = &facts;
        let (operation, rank) = (*operation, domain.rank());
        let steps = u32::try_from(facts.steps).unwrap_or(u32::MAX);
        let plan = SweepPlan { steps, ..plan::complete_sweep(operation)? };
        if plan.threads.len() != rank {
            let what = format!("has rank {rank}, its plan {}", plan.threads.len());
            return Err(refuse(&operation, what, "give the plan threads for each dimension"));
        }
        let bytes = types::element_bytes(facts.element).map_or(1, i64::from);
        let columns = i64::from(plan.points_along(rank - 1));
        let extents = RunTimeExtents::around(operation);
        let known = known_alignment(extents.as_ref(), &facts.levels, rank, (columns, bytes));
        let aligned = known.unwrap_or_else(|| Aligned::of_any_rows(bytes));
        let several = facts.several.as_ref();
        let tiling = facts.tiling(&plan, aligned)?;
        let counts = Counts::fixed(&tiling);
        let (lower, upper) = (spread(&domain.lower, 0), spread(&domain.upper, 1));
        let number = match facts.fits_32_bits(&tiling, extents.is_some()) {
            true => builders::i32_type(build::context(&operation)),
            false => Type::index(build::context(&operation)),
        };
        let (vector, is_copied) = (aligned.read, aligned.is_copied(bytes));
        let copied = known.map_or(1, |it| it.copied_together(&tiling.column, bytes));
        let none = Reach::symmetric(0);
        let reaches = match facts.reaches[..] {
            [columns] => [none, none, columns],
            [planes, columns] => [planes, none, columns],
            [planes, rows, columns] => [planes, rows, columns],
            _ => unreachable!("domains have one to three dimensions"),
        };
        let element = facts.element;
        let common = several.map_or((lower, upper), |several| {
            (spread(&several.common.lower, 0), spread(&several.common.upper, 1))
        });
        let last = tiling.streamed.behind(tiling.streamed.steps - 1);
        let periodic = several.map_or([false; 3], |several| {
            let along = (0..rank).map(|d| i64::from(several.periodic.contains(&d)));
            spread(&along.collect::<Vec<_>>(), 0).map(|is_periodic| is_periodic == 1)
        });
        Ok(Self {
            operation,
            plan,
            rank,
            lower,
            upper,
            level: *facts.levels.first().expect("a sweep carries a field"),
            element,
            reaches,
            tiling,
            vector,
            is_copied,
            copied,
            number,
            oldest_boundary: several.map_or(last, |several| several.oldest_boundary),
            periodic,
            common,
            oldest_compared: 0,
            may_leave_fields: several.is_some(),
            multiple_of_rows: extents.as_ref().map(|it| it.multiple_of_rows(rank)),
            is_general: extents.is_some(),
            counts,
            meaning: Meaning::default(),
        })
    }

    /// Whether some tile reaches beyond both ends of a dimension.
    pub fn has_spanning_tiles(&self) -> bool {
        let axes = [(1, &self.tiling.row), (2, &self.tiling.column)];
        let spans = |(d, axis): (usize, &Lateral)| match self.is_general {
            true => axis.end_of_first(self.lower[d]) > self.upper[d],
            false => axis.spans(self.lower[d], self.upper[d]),
        };
        axes.into_iter().any(spans)
    }

    /// Planes that are on their way to shared memory at once; 1 where none are.
    pub fn ring(&self) -> i64 {
        self.plan.loads.ring().map_or(1, i64::from)
    }

    /// Whether what threads so many warps and lanes on hold of a plane comes through shared memory.
    pub fn reads_shared(&self, distance: [i64; 2]) -> bool {
        match self.tiling.exchange {
            PlaneExchange::Shuffles => distance[0] != 0,
            PlaneExchange::Shared => distance != [0, 0],
        }
    }

    /// Says in the planes form that threads see what others hold through shared memory alone.
    pub fn mark_joined(&self, tiled: TiledOp<'c, 'a>) {
        if self.is_joined() {
            tiled.set_joined(Attribute::unit(build::context(&tiled.operation())));
        }
    }

    /// Refuses a planes form that says otherwise than the mapping of its plan.
    pub fn check_joined(&self, tiled: TiledOp) -> PassResult {
        let (what, remedy) = match (self.is_joined(), tiled.joined()) {
            (true, false) => ("needs 'joined': its mapping lets warps share rows", "add it"),
            (false, true) => {
                ("is 'joined', but its mapping lets no warps share rows", "leave it out")
            }
            _ => return Ok(()),
        };
        Err(refuse(&self.operation, what, remedy))
    }

    fn is_joined(&self) -> bool {
        self.tiling.exchange == PlaneExchange::Shared
    }

    /// What copies in shared memory hold, through which threads exchange planes of a queue.
    pub fn kind_of_exchange(&self) -> BufferKind {
        match self.tiling.exchange {
            PlaneExchange::Shuffles => BufferKind::Rows,
            PlaneExchange::Shared => BufferKind::Planes,
        }
    }

    /// Values of a thread in a plane.
    pub fn register_tile_size(&self) -> i64 {
        self.tiling.rows * self.tiling.columns
    }

    /// Elements of a copy in a buffer of shared memory; `rows`: those that it holds, of some rows.
    pub fn elements_of_copy(&self, kind: BufferKind, rows: usize) -> i64 {
        let tiling = &self.tiling;
        let row = tiling.warps * tiling.lanes * tiling.columns;
        match kind {
            BufferKind::Ring | BufferKind::Slot | BufferKind::Planes => row * tiling.rows,
            BufferKind::Rows => row * rows as i64,
            BufferKind::Lines => tiling.lanes * tiling.columns,
            BufferKind::Halo => unreachable!("a halo has a layout of its own"),
        }
    }

    /// Bytes of a value.
    pub fn bytes(&self) -> i64 {
        types::element_bytes(self.element).map_or(1, i64::from)
    }
}

/// The fields of which an op of the planes form loads, copies or stores tiles.
fn tiled_fields<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    if let Some(copy) = CopyAsyncOp::of(operation) {
        return [copy.field()].into_iter().chain(copy.home()).collect();
    }
    let fetched = FetchOp::of(operation).map(|fetch| fetch.field());
    let home = || BoundaryOp::of(operation).map(|boundary| boundary.home());
    let stored = || StoreOp::of(operation).map(|store| store.field());
    fetched.or_else(home).or_else(stored).into_iter().collect()
}

/// Dimensions along which the grid of a kernel is periodic.
fn periodic_of(tiled: TiledOp) -> Vec<usize> {
    let dimensions = tiled.periodic().and_then(attributes::integers).unwrap_or_default();
    dimensions.into_iter().map(|d| d as usize).collect()
}

/// The planes between the arriving one and the last that gets boundary values.
fn oldest_boundary(tiled: TiledOp) -> i64 {
    let bounded = walk::nested(tiled.operation()).into_iter().filter_map(BoundaryOp::of);
    bounded.map(|boundary| -boundary.plane()).max().unwrap_or(0).max(0)
}

/// The points that lie in the domains of all statements.
fn common(tiled: TiledOp) -> Bounds {
    let domains = walk::nested(tiled.operation()).into_iter().filter_map(own_domain);
    domains.fold(tiled.domain(), |common, domain| common.intersection(&domain))
}

/// The domain that an op of the planes form names, if it is not the kernel's.
pub fn own_domain(operation: OperationRef) -> Option<Bounds> {
    let boundary = BoundaryOp::of(operation).and_then(|boundary| boundary.domain());
    let copy = || CopyAsyncOp::of(operation).and_then(|copy| copy.domain());
    let map = || MapOp::of(operation).and_then(|map| map.domain());
    let store = || StoreOp::of(operation).and_then(|store| store.domain());
    boundary.or_else(copy).or_else(map).or_else(store)
}

/// The index among planes, rows, columns of a dimension of a box of some rank.
pub fn dimension_of_three(rank: usize, dimension: usize) -> usize {
    match (rank, dimension) {
        (1, _) => 2,
        (2, 0) => 0,
        (2, _) => 2,
        (_, dimension) => dimension,
    }
}

/// The fields that a plan has read from queues, with the radius along planes: those of the levels'
/// rank and element type that are read at constant offsets in the column of the point, no farther
/// than levels: planes arrive as these need them.
pub fn queued_reads(kernel: KernelOp, plan: &SweepPlan) -> Vec<(usize, Reach)> {
    if plan.reads == ReadMode::Memory {
        return Vec::new();
    }
    let rank = kernel.domain().rank();
    let element = element_of(kernel.carried()[0]);
    let level = reaches(kernel)[0];
    let reads = kernel.reads().into_iter().enumerate().filter_map(|(number, field)| {
        let mut reach = Reach::symmetric(0);
        let argument = build::argument(kernel.body(), kernel.carried().len() + number);
        for used in walk::uses(argument) {
            let access = AccessOp::of(used.user)?;
            let [plane, row, column] = offset(access);
            if access.offset().len() != rank || (row, column) != (0, 0) {
                return None;
            }
            extend(&mut reach, plane);
        }
        let is_near = reach.behind <= level.behind && reach.ahead <= level.ahead;
        (element_of(field) == element && is_near).then_some((number, reach))
    });
    reads.collect()
}

/// The offset of an access in planes, rows and columns.
pub fn offset(access: AccessOp) -> Offset {
    spread(&access.offset(), 0)
}

/// Entries for planes, rows, columns: the fastest stays the fastest, two dimensions have no rows.
pub fn spread(entries: &[i64], missing: i64) -> Offset {
    match *entries {
        [x] => [missing, missing, x],
        [s, x] => [s, missing, x],
        [s, y, x] => [s, y, x],
        _ => unreachable!("domains have one to three dimensions"),
    }
}

/// The bounds of a field.
pub fn field_bounds(field: Value) -> Bounds {
    stencil_dialects::StencilType::of(melior::ir::ValueLike::r#type(&field))
        .and_then(|field| field.bounds)
        .expect("the verifier checked that fields of a sweep have bounds")
}

/// The element type of a field.
pub fn element_of<'c: 'a, 'a>(field: Value<'c, 'a>) -> Type<'c> {
    let field = StencilType::of(field.r#type());
    field.expect("the verifier checked that levels are fields").element
}

/// Extends a radius to an offset.
fn extend(reach: &mut Reach, offset: i64) {
    reach.behind = reach.behind.max(u32::try_from(-offset).unwrap_or(0));
    reach.ahead = reach.ahead.max(u32::try_from(offset).unwrap_or(0));
}

/// The radius of a level along each dimension.
fn reaches(kernel: KernelOp) -> Vec<Reach> {
    let mut reaches = vec![Reach::symmetric(0); kernel.domain().rank()];
    for access in walk::nested(kernel.operation()).into_iter().filter_map(AccessOp::of) {
        if !matches!(kernel.argument_of(access.source()), Some(Argument::Carried(_))) {
            continue;
        }
        for (reach, offset) in reaches.iter_mut().zip(access.offset()) {
            extend(reach, offset);
        }
    }
    reaches
}

/// Alignment of tiles: the vector width divides a thread's columns and fits an access, and tiles
/// write whole sectors, if rows of all fields are aligned to them. None where that depends on the
/// extents.
fn known_alignment(
    extents: Option<&RunTimeExtents>,
    levels: &[Value],
    rank: usize,
    columns: (i64, i64),
) -> Option<Aligned> {
    let rows = levels.iter().map(|field| {
        let bounds = field_bounds(*field);
        (bounds.lower[rank - 1], bounds.upper[rank - 1])
    });
    RunTimeExtents::known_alignment(extents, rank, &rows.collect::<Vec<_>>(), columns)
}
