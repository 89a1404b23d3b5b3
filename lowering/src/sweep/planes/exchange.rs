//! Exchange of a level's values through shared memory: which rows, when, and for how long.
//!
//! With a queue, columns come from other lanes by shuffles, and a warp stores the first and the
//! last rows of its register tile, as many as neighbours read, when a plane arrives; where the
//! mapping exchanges all through shared memory, threads store whole tiles then. With a storage of
//! whole planes all rows are stored, and columns are read from them too. These planes are:
//!
//! - `shared`: every arriving plane; it is kept until its last read, and not in registers;
//! - `diagonal-free`: a plane when it becomes the middle one, the only one of which other columns
//!   are read; of the others threads keep their own values in registers;
//! - `retimed`: every arriving plane, which is read in that iteration only.
//!
//! The *age* of a plane counts iterations since it arrived at a level.

use crate::sweep::shape::{self, Shape};
use stencil_dialects::{
    ops::AccessOp,
    sweep::{Argument, BufferKind, KernelOp},
    walk,
};
use stencil_model::{
    plan::{Form, Rotation, Skew, Storage},
    sweep::planes::PlaneStorage,
};
use stencil_passes::framework::{PassResult, refuse};

/// The exchange of values between threads of a block through shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowPlan {
    /// Rows of the register tile that are stored for other threads, ascending.
    pub stored: Vec<i64>,
    /// Copies of the rows of a level.
    pub copies: i64,
    /// Whether rows are read in the iteration that writes them.
    pub at_once: bool,
    /// Whether an iteration ends with a barrier.
    pub is_closed: bool,
    /// Set where planes are kept whole.
    pub whole: Option<Whole>,
    /// What a copy holds: rows for other warps, or what any other thread may read.
    pub kind: BufferKind,
}

/// Whole planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole {
    /// Age at which a plane is stored.
    pub stored_at: i64,
    /// The youngest and the oldest age at which own values are in shared memory only.
    pub kept: (i64, i64),
}

/// A value of another thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Read {
    /// Age of the plane.
    age: i64,
    /// Whether it comes through shared memory: from another warp, or with any other thread.
    is_shared: bool,
    /// Row of that thread's register tile.
    row: i64,
}

impl RowPlan {
    /// The exchange that the accesses of a sweep need; none if there is none, or with lines.
    pub fn of(kernel: KernelOp, shape: &Shape, form: Form) -> Option<RowPlan> {
        if shape.tiling.takes_lines() {
            return None;
        }
        let reads = reads(kernel, shape, form);
        match shape.plan.storage().planes() {
            Some(storage) => Some(Self::of_planes(shape, storage, &reads)),
            None => Self::of_rows(shape, &reads),
        }
    }

    fn of_rows(shape: &Shape, reads: &[Read]) -> Option<RowPlan> {
        let shared = || reads.iter().filter(|read| read.is_shared);
        let stored = ascending(shared().map(|read| read.row));
        let ages = ascending(shared().map(|read| read.age));
        let (oldest, at_once) = (*ages.last()?, ages[0] == 0);
        let kind = shape.kind_of_exchange();
        // A warp may be ahead of a reader by up to the next level's barrier with several levels, or
        // the next iteration's with one; one dimension has no next one.
        let alone = at_once && shape.tiling.streamed.steps == 1;
        let needed = match shape.rank {
            1 => 1,
            _ => (oldest + 1 + i64::from(alone)).max(2),
        };
        let period = i64::from(shape.reaches[0].span()) + 1;
        // If the copies do not divide the unrolled rotation period, the loop would be unrolled
        // further.
        let divides = shape.plan.rotation == Rotation::Move || period % needed == 0;
        let copies = if divides { needed } else { needed.max(period) };
        Some(RowPlan { stored, copies, at_once, is_closed: !at_once, whole: None, kind })
    }

    fn of_planes(shape: &Shape, storage: PlaneStorage, reads: &[Read]) -> RowPlan {
        let streamed = &shape.tiling.streamed;
        let (lag, ahead) = (streamed.lag, i64::from(streamed.reach.ahead));
        let oldest = lag + i64::from(streamed.reach.span());
        let lag_number = u32::try_from(lag).expect("a lag is 0 or 1");
        let (_, copies) = storage.per_level(streamed.reach, lag_number);
        let whole = match storage {
            PlaneStorage::Shared => Whole { stored_at: 0, kept: (1, oldest) },
            PlaneStorage::DiagonalFree => Whole { stored_at: ahead, kept: (ahead + 1, ahead + 1) },
            PlaneStorage::Retimed => Whole { stored_at: 0, kept: (1, lag) },
        };
        let at_once = reads.iter().any(|read| read.age == whole.stored_at);
        RowPlan {
            stored: (0..shape.tiling.rows).collect(),
            copies: i64::from(copies),
            at_once,
            // With several levels their barriers suffice; one level has only its own.
            is_closed: shape.rank > 1 && (!at_once || streamed.steps == 1),
            whole: Some(whole),
            kind: BufferKind::Planes,
        }
    }

    /// Iterations since the plane of an age was stored, if other threads can read it.
    pub fn stored_for(&self, age: i64) -> Option<i64> {
        let stored = age - self.whole.map_or(0, |whole| whole.stored_at);
        (0..self.copies).contains(&stored).then_some(stored)
    }

    /// Iterations since the plane of an age was stored, if a thread's own values are in that copy
    /// only; it is read before the iteration stores anything.
    pub fn kept_for(&self, age: i64) -> Option<i64> {
        let Whole { stored_at, kept: (youngest, oldest) } = self.whole?;
        (youngest..=oldest).contains(&age).then_some(age - stored_at)
    }
}

fn ascending<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items = items.collect::<Vec<_>>();
    items.sort_unstable();
    items.dedup();
    items
}

/// Values that the points of a register tile read from other threads: beyond its rows, and beyond
/// its columns.
fn reads(kernel: KernelOp, shape: &Shape, form: Form) -> Vec<Read> {
    let (rows, columns) = (shape.tiling.rows, shape.tiling.columns);
    let lag = i64::from(shape.plan.skew() == Skew::Lazy);
    let ahead = i64::from(shape.reaches[0].ahead);
    let mut reads = Vec::new();
    for access in newest(kernel) {
        let [plane, row, column] = shape::offset(access);
        let waited = if form == Form::Gather { ahead - plane } else { 0 };
        for cell in 0..shape.register_tile_size() {
            let (row, column) = (cell / columns + row, cell % columns + column);
            let (warps, lanes) = (row.div_euclid(rows), column.div_euclid(columns));
            let is_shared = shape.reads_shared([warps, lanes]);
            if is_shared || lanes != 0 {
                let row = row.rem_euclid(rows);
                reads.push(Read { age: lag + waited, is_shared, row });
            }
        }
    }
    reads
}

/// Accesses to the newest level.
fn newest<'c: 'a, 'a>(kernel: KernelOp<'c, 'a>) -> impl Iterator<Item = AccessOp<'c, 'a>> {
    let accesses = walk::nested(kernel.operation()).into_iter().filter_map(AccessOp::of);
    accesses.filter(move |access| kernel.argument_of(access.source()) == Some(Argument::Carried(0)))
}

/// Refuses a storage that the kernel does not support.
pub fn check(kernel: KernelOp, shape: &Shape, form: Form) -> PassResult {
    let storage = shape.plan.storage();
    let word = storage.word();
    let operation = shape.operation;
    if !storage.takes(form) {
        let what = format!("is in {} form, which storage = {word:?} does not support", form.word());
        let remedy = format!("take form = {:?}, or another storage", storage.form().word());
        return Err(refuse(&operation, what, remedy));
    }
    if storage.planes().is_some() && kernel.slots().is_some() {
        let what = format!("has slots of a queue, but storage = {word:?} keeps whole planes");
        return Err(refuse(&operation, what, "leave out one of them"));
    }
    if storage == Storage::DiagonalFree {
        let is_diagonal = |access: &AccessOp| {
            let [plane, row, column] = shape::offset(*access);
            plane != 0 && (row, column) != (0, 0)
        };
        if let Some(access) = newest(kernel).find(is_diagonal) {
            let what = format!(
                "reads {:?}, off the plane and off the column, of which storage = {word:?} keeps \
                 nothing that another thread sees",
                access.offset()
            );
            let remedy = "take storage = \"shared\", or storage = \"retimed\" for a sum";
            return Err(refuse(&access.operation(), what, remedy));
        }
    }
    Ok(())
}
