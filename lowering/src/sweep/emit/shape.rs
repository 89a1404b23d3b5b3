//! Sizes of a sweep: its radius, its tiles, and buffers as planes.
//!
//! All are in three dimensions, plane, row and column; domains of lower rank have one plane or one
//! row.

use crate::builders;
use crate::gpu::{host::Memory, signature::MemoryParameter};
use melior::ir::{OperationRef, Type, Value};
use stencil_dialects::{
    Bounds, build,
    ops::AccessOp,
    sweep::{Argument, KernelOp},
    types, walk,
};
use stencil_model::{
    plan::SweepPlan,
    sweep::{
        Reach,
        tiling::{Aligned, Cut, Tiling},
    },
};
use stencil_passes::{
    framework::{PassResult, refuse},
    strategy::plan,
};

/// An offset in planes, rows and columns.
pub type Offset = [i64; 3];

/// A kernel to be emitted, and the sizes that follow from its op and plan.
pub struct Shape<'c, 'a> {
    /// The op.
    pub kernel: KernelOp<'c, 'a>,
    /// Its plan.
    pub plan: SweepPlan,
    /// Dimensions of the domain.
    pub rank: usize,
    /// The first point, in three dimensions.
    pub lower: Offset,
    /// One past the last point.
    pub upper: Offset,
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
    /// Type of coordinates and offsets: 32 bits where all of them fit.
    pub number: Type<'c>,
}

/// A buffer as planes of rows.
#[derive(Clone)]
pub struct View<'c, 'a> {
    /// The flat buffer.
    pub buffer: Value<'c, 'a>,
    /// Type of an element.
    pub element: Type<'c>,
    /// First cell.
    pub lower: Offset,
    /// One past the last cell.
    pub upper: Offset,
    /// Elements from a plane, row, column to the next.
    pub strides: Offset,
}

impl<'c: 'a, 'a> Shape<'c, 'a> {
    /// The shape of an op with a complete plan.
    pub fn of(kernel: KernelOp<'c, 'a>) -> PassResult<Self> {
        let operation = kernel.operation();
        let steps = u32::try_from(kernel.steps()).unwrap_or(u32::MAX);
        let plan = SweepPlan { steps, ..plan::complete_sweep(operation)? };
        let domain = kernel.domain();
        let rank = domain.rank();
        if plan.threads.len() != rank {
            let what = format!("has rank {rank}, its plan {}", plan.threads.len());
            return Err(refuse(&operation, what, "give the plan threads for each dimension"));
        }
        let element = build::argument(kernel.body(), 0);
        let element = stencil_dialects::StencilType::of(melior::ir::ValueLike::r#type(&element))
            .expect("the first argument of a sweep is a field")
            .element;
        let reaches = reaches(kernel, rank);
        let bytes = types::element_bytes(element).map_or(1, i64::from);
        let aligned = aligned(kernel, rank, (i64::from(plan.points_along(rank - 1)), bytes));
        let of_rank: &[Reach] = match rank {
            1 => &reaches[2..],
            2 => &[reaches[0], reaches[2]],
            _ => &reaches,
        };
        let cut = Cut { lower: &domain.lower, upper: &domain.upper, reaches: of_rank, aligned };
        let tiling = Tiling::new(&plan, &cut).map_err(|error| {
            refuse(&operation, error.to_string(), "change the plan's keys, or choose other ones")
        })?;
        let (lower, upper) = (spread(&domain.lower, 0), spread(&domain.upper, 1));
        let context = build::context(&operation);
        let number = match fits_32_bits(kernel, &tiling) {
            true => builders::i32_type(context),
            false => Type::index(context),
        };
        let (vector, is_copied) = (aligned.read, aligned.is_copied(bytes));
        Ok(Self {
            kernel,
            plan,
            rank,
            lower,
            upper,
            element,
            reaches,
            tiling,
            vector,
            is_copied,
            number,
        })
    }

    /// Planes that are on their way to shared memory at once; 1 where none are.
    pub fn ring(&self) -> i64 {
        self.plan.loads.ring().map_or(1, i64::from)
    }

    /// The op, for diagnostics.
    pub fn operation(&self) -> OperationRef<'c, 'a> {
        self.kernel.operation()
    }

    /// Values of a thread in a plane.
    pub fn register_tile_size(&self) -> i64 {
        self.tiling.rows * self.tiling.columns
    }

    /// The offset of an access in planes, rows and columns.
    pub fn offset(&self, access: AccessOp<'c, 'a>) -> Offset {
        spread(&access.offset(), 0)
    }

    /// The age of the carried level that an access reads; none for other fields.
    pub fn age(&self, access: AccessOp<'c, 'a>) -> Option<usize> {
        match self.kernel.argument_of(access.source()) {
            Some(Argument::Carried(age)) => Some(age),
            _ => None,
        }
    }
}

impl<'c: 'a, 'a> View<'c, 'a> {
    /// The view of a buffer of any rank up to three.
    pub fn of(memory: &Memory<'c, 'a>, buffer: Value<'c, 'a>) -> Self {
        Self {
            buffer,
            element: memory.element,
            lower: spread(&memory.bounds.lower, 0),
            upper: spread(&memory.bounds.upper, 1),
            strides: spread(&memory.bounds.strides(), 0),
        }
    }
}

/// Whether every coordinate, and every offset in a field, fits well into 31 bits; tiles may extend
/// beyond fields.
fn fits_32_bits(kernel: KernelOp, tiling: &Tiling) -> bool {
    let fields = kernel.carried().into_iter().chain(kernel.boundaries()).chain(kernel.reads());
    let most = i128::from(i32::MAX) / 4;
    let cells = i128::from(tiling.row.cells + 1) * i128::from(tiling.column.cells + 1);
    fields.chain(kernel.outs()).all(|field| {
        let bounds = field_bounds(field);
        let extents = bounds.extents();
        let streamed = &tiling.streamed;
        let slack = i128::from(streamed.warm_up() + streamed.delay() + 64 * streamed.lines);
        let plane = extents.iter().skip(1).map(|extent| i128::from(*extent)).product::<i128>();
        let points = extents.iter().map(|extent| i128::from(*extent)).product::<i128>();
        let far = bounds.lower.iter().chain(&bounds.upper).map(|c| i128::from(c.abs())).max();
        let corner = far.unwrap_or(0) * (plane + 1);
        points
            + corner
            + (slack + 1) * plane
            + cells * (extents.last().map_or(1, |e| i128::from(*e)) + 1)
            < most * 2
            && far.unwrap_or(0) < most
    })
}

/// Entries for planes, rows, columns: the fastest stays the fastest, two dimensions have no rows.
fn spread(entries: &[i64], missing: i64) -> Offset {
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

fn reaches(kernel: KernelOp, rank: usize) -> [Reach; 3] {
    let mut reaches = [Reach::symmetric(0); 3];
    for access in walk::nested(kernel.operation()).into_iter().filter_map(AccessOp::of) {
        if !matches!(kernel.argument_of(access.source()), Some(Argument::Carried(_))) {
            continue;
        }
        debug_assert_eq!(access.offset().len(), rank);
        for (reach, offset) in reaches.iter_mut().zip(spread(&access.offset(), 0)) {
            reach.behind = reach.behind.max(u32::try_from(-offset).unwrap_or(0));
            reach.ahead = reach.ahead.max(u32::try_from(offset).unwrap_or(0));
        }
    }
    reaches
}

/// Alignment of tiles: the vector width divides a thread's columns and fits an access, and tiles
/// write whole sectors, if rows of all fields are aligned to them.
fn aligned(kernel: KernelOp, rank: usize, (columns, bytes): (i64, i64)) -> Aligned {
    let fields = kernel.carried().into_iter().chain(kernel.boundaries()).chain(kernel.outs());
    let rows = fields.map(|field| {
        let bounds = field_bounds(field);
        (bounds.lower[rank - 1], bounds.upper[rank - 1])
    });
    Aligned::of_fields(&rows.collect::<Vec<_>>(), columns, bytes)
}

/// Buffer parameters of a kernel, each once, those of `written` are written.
pub fn parameters<'c: 'a, 'a>(
    read: &[&Memory<'c, 'a>],
    written: &[&Memory<'c, 'a>],
) -> Vec<MemoryParameter<'c, 'a>> {
    let mut parameters: Vec<MemoryParameter> = Vec::new();
    let uses = read.iter().map(|memory| (memory, false));
    for (memory, is_written) in uses.chain(written.iter().map(|memory| (memory, true))) {
        match parameters.iter_mut().find(|known| known.memory.buffer == memory.buffer) {
            Some(known) => known.is_written |= is_written,
            None => parameters.push(MemoryParameter { memory: (*memory).clone(), is_written }),
        }
    }
    parameters
}
