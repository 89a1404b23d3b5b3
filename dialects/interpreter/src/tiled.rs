//! `sweep.tiled`, decoded.
//!
//! Coordinates are planes, rows and columns, whatever the rank: two dimensions have one row in each
//! plane, one dimension has one plane.

use crate::error::SiteId;
use crate::grid::{Extent, RANK_MAX, Rings};
use crate::program::{Block, FrameLayout, GridSlot, PointStep, Slot};

/// A kernel in the planes form.
#[derive(Debug)]
pub(crate) struct Tiled {
    /// The host's fields; steps number them.
    pub fields: Vec<GridSlot>,
    /// The host's scalars, and the slots for them.
    pub scalars: Vec<(Slot, Slot)>,
    pub rank: usize,
    /// The points that any level is computed at.
    pub domain: Extent,
    /// Dimensions of it whose ends meet.
    pub rings: Rings,
    /// How far a level reads, towards the begin and the end of each dimension.
    pub reach: [[i64; 2]; RANK_MAX],
    /// Points that tiles lose on each side of a dimension, over all steps.
    pub margin: [[i64; 2]; RANK_MAX],
    pub steps: i64,
    /// Planes that a chunk stores, the last may store fewer.
    pub chunk: i64,
    /// Planes that arrive in an iteration: more than one where rows of threads take lines.
    pub lines: i64,
    pub buffers: Vec<Buffer>,
    pub tile_slots: usize,
    /// All scalars, those of maps too.
    pub frame: FrameLayout,
    pub before: Block<TileStep>,
    pub planes: Planes,
    /// Fields that are stored to.
    pub stored: Vec<usize>,
    pub site: SiteId,
}

/// `sweep.planes`.
#[derive(Debug)]
pub(crate) struct Planes {
    pub from: i64,
    pub to: i64,
    /// Initial values of the arguments: from, to.
    pub start: Vec<(TileSlot, TileSlot)>,
    pub body: Block<TileStep>,
    /// Values of the next iteration: from, to.
    pub next: Vec<(TileSlot, TileSlot)>,
}

/// Number of a tile in a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TileSlot(pub usize);

/// `sweep.shared`.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    pub kind: Kind,
    pub copies: usize,
}

/// What a copy in a buffer holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Ring,
    /// So many rows before and after the tile, and columns.
    Halo([[i64; 2]; 2]),
    Slot,
    /// These rows of each thread.
    Rows(Vec<i64>),
    Planes,
    Lines,
}

/// A step of a block, on whole planes of its tile. Planes are counted from the arriving one.
#[derive(Debug)]
pub(crate) enum TileStep {
    Splat {
        value: Slot,
        result: TileSlot,
    },
    Fetch {
        field: usize,
        plane: i64,
        own: bool,
        result: TileSlot,
        site: SiteId,
    },
    CopyAsync {
        field: usize,
        plane: i64,
        /// Iterations until it is the newest; none if they follow from the plane.
        ahead: Option<i64>,
        ring: usize,
        /// What has the values outside of a domain.
        outside: Option<(usize, Extent)>,
        site: SiteId,
    },
    Wait {
        open: u64,
    },
    Boundary {
        tile: TileSlot,
        plane: i64,
        home: usize,
        domain: Extent,
        result: TileSlot,
        site: SiteId,
    },
    Put {
        tile: TileSlot,
        buffer: usize,
        site: SiteId,
    },
    Take {
        copy: CopyOf,
        offset: [i64; 2],
        result: TileSlot,
        site: SiteId,
    },
    Shift {
        tile: TileSlot,
        offset: [i64; 2],
        via: Option<CopyOf>,
        result: TileSlot,
        site: SiteId,
    },
    Map(Box<Map>),
    Store {
        tile: TileSlot,
        field: usize,
        plane: i64,
        domain: Extent,
        site: SiteId,
    },
    /// Of a whole block; those of a warp order only what a thread does itself.
    Fence,
}

/// The copy of an age in a buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CopyOf {
    pub buffer: usize,
    pub age: i64,
}

/// `sweep.map`.
#[derive(Debug)]
pub(crate) struct Map {
    pub plane: i64,
    /// The points that reads of fields are moved to.
    pub domain: Extent,
    /// Tiles, and the slots for their values at a point.
    pub arguments: Vec<(TileSlot, Slot)>,
    pub body: Block<PointStep>,
    pub results: Vec<(Slot, TileSlot)>,
    /// Fields that the body reads.
    pub reads: Vec<usize>,
    pub site: SiteId,
}

impl Tiled {
    /// The rows and columns of the tile: those of the domain, and a margin around them, with those
    /// that halos have. With several lines in an iteration a row is a line.
    pub fn tile(&self) -> Extent {
        let halos = self.buffers.iter().filter_map(|buffer| match buffer.kind {
            Kind::Halo(around) => Some(around),
            _ => None,
        });
        let most = halos.fold([[0; 2]; 2], |most: [[i64; 2]; 2], halo| {
            [0, 1].map(|d| [0, 1].map(|side| most[d][side].max(halo[d][side])))
        });
        let around = |d: usize| {
            let ([begin, end], [before, after]) = (self.margin[d], most[d - 1]);
            let (begin, end) = (begin.saturating_add(before), end.saturating_add(after));
            let Extent { lower, upper, .. } = self.domain;
            (lower[d].saturating_sub(begin), upper[d].saturating_add(end))
        };
        let (rows, columns) = (around(1), around(2));
        let rows = if self.lines > 1 { (0, self.lines) } else { rows };
        Extent { rank: 3, lower: [0, rows.0, columns.0], upper: [1, rows.1, columns.1] }
    }

    /// Iterations over all chunks.
    pub fn iterations(&self) -> u64 {
        let planes = self.domain.upper[0] - self.domain.lower[0];
        if self.rank == 1 || planes <= 0 {
            return planes.max(0).unsigned_abs();
        }
        let chunks = planes.unsigned_abs().div_ceil(self.chunk.unsigned_abs());
        let around = (self.planes.to - self.planes.from).unsigned_abs();
        let arriving = chunks.saturating_mul(around).saturating_add(planes.unsigned_abs());
        arriving.div_ceil(self.lines.unsigned_abs()).saturating_add(chunks - 1)
    }
}

/// Coordinates, or what there is for each, in a field of so many dimensions.
pub(crate) fn in_field<T: Copy + Default>(
    [plane, row, column]: [T; RANK_MAX],
    rank: usize,
) -> [T; RANK_MAX] {
    match rank {
        1 => [column, T::default(), T::default()],
        2 => [plane, column, T::default()],
        _ => [plane, row, column],
    }
}

/// Numbers along the dimensions of a domain, as planes, rows and columns.
pub(crate) fn spread<T: Copy>(entries: &[T], missing: T) -> [T; RANK_MAX] {
    match *entries {
        [column] => [missing, missing, column],
        [plane, column] => [plane, missing, column],
        [plane, row, column] => [plane, row, column],
        _ => unreachable!("domains have one to three dimensions"),
    }
}
