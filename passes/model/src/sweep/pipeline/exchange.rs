//! How planes of streams come to the threads that read them: from other lanes, by way of rows in
//! shared memory, or copied there from memory together with cells around the tile.

use super::{Graph, Read, Source, most, reached, reads_of};
use crate::{
    plan::{
        Loads, Skew, SweepPlan,
        mapping::{Groups, PlaneExchange},
    },
    sweep::Reach,
};

/// What of a plane threads read through shared memory: rows of other warps, and with `columns` all
/// that they do not hold themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// Rows of a thread.
    pub rows: i64,
    /// Whether columns of other threads are read there too.
    pub columns: bool,
}

impl Held {
    /// Whether a thread may read what others hold so many rows and columns on.
    fn crosses(self, [rows, columns]: [i64; 2]) -> bool {
        rows != 0 || (self.columns && columns != 0)
    }

    /// Rows of a thread that others read so many rows and columns on.
    fn stored(self, [rows, columns]: [i64; 2]) -> impl Iterator<Item = i64> {
        let is_all = self.columns && columns != 0;
        let read = (0..self.rows).map(move |row| row + rows);
        let others = read.filter(move |row| is_all || !(0..self.rows).contains(row));
        others.map(move |row| row.rem_euclid(self.rows))
    }
}

/// How planes of fields come to shared memory by asynchronous copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    /// Planes on their way.
    pub ahead: i64,
    /// Whether the columns around a tile are copied and read there. Else only the rows around it
    /// are, columns come from other lanes, and what a thread reads of older planes at its own
    /// columns it takes there, in place of registers that carry it.
    pub columns: bool,
}

/// How threads see what others hold of a plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exchange {
    /// What a thread reads through shared memory; none if nothing.
    pub shared: Option<Held>,
    /// Whether what other threads hold is read an iteration after it was written, so that one
    /// barrier an iteration serves all levels.
    pub is_lazy: bool,
    /// How fields are copied to shared memory; none where they are fetched to registers.
    pub copied: Option<Copied>,
    /// Whether there is one iteration only, as in one dimension.
    pub is_once: bool,
}

impl Exchange {
    /// The exchange under a plan, on a grid of so many dimensions.
    pub fn of(plan: &SweepPlan, rank: usize) -> Self {
        let layout = plan.by.layout(&plan.threads);
        let has_rows = layout.along == Groups::Rows && layout.groups > 1;
        let rows = if rank == 3 { i64::from(plan.points_along(1)) } else { 1 };
        let columns = layout.exchange == PlaneExchange::Shared;
        let shared = (has_rows || columns).then_some(Held { rows, columns });
        let columns = matches!(plan.loads, Loads::Halo { .. });
        let copied = plan.loads.copied_ahead().map(|ahead| Copied { ahead, columns });
        Self { shared, is_lazy: plan.skew() == Skew::Lazy, copied, is_once: rank == 1 }
    }

    /// Whether a thread reads what others hold so many rows and columns on through shared memory.
    pub fn crosses(self, offset: [i64; 2]) -> bool {
        self.shared.is_some_and(|held| held.crosses(offset))
    }

    /// How planes of a stream come by way of shared memory, if they do.
    pub fn copied(self, graph: &Graph, stream: usize) -> Option<Copied> {
        self.copied.filter(|_| graph.streams[stream] == Source::Field)
    }
}

/// Rows of a stream that threads exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// Rows of a thread that others read, ascending.
    pub stored: Vec<i64>,
    /// The oldest age at which others read them.
    pub oldest: i64,
    /// Copies, so that none is overwritten while another thread reads it.
    pub copies: i64,
    /// The buffer of these rows, by number. Streams of one iteration take turns with few.
    pub buffer: usize,
}

/// A field that is copied to shared memory, with cells around a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Halo {
    /// Rows and columns around the tile that levels read there.
    pub around: [Reach; 2],
    /// Planes that are kept there, with those on their way.
    pub copies: i64,
    /// Whether columns of other threads are read there too.
    pub columns: bool,
    /// Planes of which a thread takes its own cells from there in an iteration.
    pub taken: i64,
}

impl Halo {
    /// Whether, of planes, rows and columns, levels read beyond a tile there.
    pub fn covers(self) -> [bool; 3] {
        [true, true, self.columns]
    }
}

/// Whether a read may be of what another thread holds, through the exchange.
pub(super) fn crosses(graph: &Graph, exchange: Exchange, read: &Read) -> bool {
    let [_, rows, columns] = read.offset;
    exchange.crosses([rows, columns]) && exchange.copied(graph, read.stream).is_none()
}

/// What is in shared memory of a field that is copied there: the planes that are read there, and
/// those on their way.
pub(super) fn halo_of(
    graph: &Graph,
    stream: usize,
    age: impl Fn(&Read, usize) -> i64,
    Copied { ahead, columns }: Copied,
) -> Halo {
    let mut around = [Reach::symmetric(0); 3];
    let mut ages = Vec::new();
    for (level, read) in reads_of(graph, stream) {
        // A thread's own columns of older planes are carried, where others are read there.
        if columns && read.offset[1..] == [0, 0] {
            continue;
        }
        around = most(around, read.offset.map(|along| reached(Reach::symmetric(0), along)));
        ages.push(age(read, level));
    }
    ages.sort_unstable();
    ages.dedup();
    let oldest = ages.last().copied().unwrap_or(0);
    let [_, rows, beside] = around;
    let (beside, taken) = match columns {
        true => (beside, 1),
        false => (Reach::symmetric(0), ages.len() as i64),
    };
    Halo { around: [rows, beside], copies: oldest + 1 + ahead, columns, taken }
}

/// What of a reach is not covered by what lies around a tile.
pub(super) fn uncovered(reach: [Reach; 3], covered: [bool; 3]) -> [Reach; 3] {
    [0, 1, 2].map(|d| if covered[d] { Reach::symmetric(0) } else { reach[d] })
}

/// The rows of a stream that other threads read.
pub(super) fn rows(
    graph: &Graph,
    exchange: Exchange,
    stream: usize,
    age: impl Fn(&Read, usize) -> i64,
) -> Option<Rows> {
    let held = exchange.shared?;
    let mut stored = Vec::new();
    let mut oldest = 0;
    let others = |(_, read): &(usize, &Read)| crosses(graph, exchange, read);
    for (level, read) in reads_of(graph, stream).filter(others) {
        oldest = oldest.max(age(read, level));
        let [_, rows, columns] = read.offset;
        stored.extend(held.stored([rows, columns]));
    }
    stored.sort_unstable();
    stored.dedup();
    (!stored.is_empty()).then_some(Rows { stored, oldest, copies: 1, buffer: stream })
}
