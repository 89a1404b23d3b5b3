//! How a sweep is cut into tiles.
//!
//! A tile is swept along the streamed dimension, the slowest; across it lie the *lateral*
//! dimensions, the fastest of which runs over the lanes of warps. Each level loses what its stencil
//! reaches at the edges of the tile, so that a tile of `cells` gives `cells - trims` points and
//! overlaps its neighbours. At an end of the domain nothing is lost: cells outside of it have their
//! values at every level, so the first tile begins where the stencil of one level does, and gives
//! what others lose there; so does the last. Along the streamed dimension a tile is cut into
//! chunks, each of which begins as many planes early.
//!
//! One dimension has no streamed axis: its tiles are swept in one iteration. Two have one row.
//!
//! In two dimensions planes are lines. There a block may take several of them in an iteration, one
//! for each row of its threads.

mod aligned;
mod shape;

pub use aligned::{Aligned, COPY_BYTES_LEAST, COPY_BYTES_MOST, at_once, halves};
pub(crate) use shape::check_shape;

use super::Reach;
use crate::plan::{
    PlanError, SweepPlan,
    mapping::{Groups, PlaneExchange},
};

/// Lanes that exchange values by shuffles.
pub const LANES: i64 = 32;

/// Millionths of a tile's time that it costs at least to begin in the middle of a sector, and at a
/// quarter, and so on (poisson in single precision, two steps: 561 microseconds where every second
/// tile begins in the middle, 571 where they begin at quarters, 603 with a tenth more tiles at
/// sectors).
const HALF_A_SECTOR: i64 = 30_000;

/// What a narrow row of a tile costs more, in thousandths of a sector, where it begins and ends
/// inside of one: that sector is read and written twice, and memory reads what was written in part
/// (H200, single precision: six fields in tiles of 32 columns take 1.41 times as long a tile if
/// three of four begin inside of a sector, which is three sectors; where other units count too it
/// is less than one).
const SHARED_SECTOR: i64 = 1000;

/// Tiles along one lateral dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lateral {
    /// Coordinate of the first cell of the first tile.
    pub origin: i64,
    /// Cells of a tile.
    pub cells: i64,
    /// Cells before the first point that a tile gives.
    pub trim: i64,
    /// Points that a tile gives between others, and the distance of two tiles.
    pub points: i64,
    /// Cells of the last tile before the first that it cannot give.
    pub last: i64,
    /// Tiles.
    pub tiles: i64,
}

/// The streamed dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Streamed {
    /// How far a level reaches.
    pub reach: Reach,
    /// First plane that is stored.
    pub lower: i64,
    /// One past the last.
    pub upper: i64,
    /// Planes that a chunk stores; the last may store fewer.
    pub chunk: i64,
    /// Chunks.
    pub chunks: i64,
    /// Planes that a chunk stores of a tile at an end of the domain, laterally.
    pub edge_chunk: i64,
    /// Chunks of such a tile.
    pub edge_chunks: i64,
    /// Planes by which a level lags behind what the level below has computed, and the first behind
    /// what arrives: none, or those of an iteration.
    pub lag: i64,
    /// Levels.
    pub steps: i64,
    /// Planes that arrive in an iteration.
    pub lines: i64,
    /// Planes that arrive before the first and after the last that a chunk stores, where levels
    /// differ.
    pub around: Option<Reach>,
}

/// The tiles of a sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tiling {
    /// Along the streamed dimension.
    pub streamed: Streamed,
    /// Dimensions of the domain.
    pub rank: usize,
    /// Rows of a plane; one where the domain has fewer than three dimensions.
    pub row: Lateral,
    /// Columns, along the fastest dimension.
    pub column: Lateral,
    /// Columns of a lane.
    pub columns: i64,
    /// Rows of a warp.
    pub rows: i64,
    /// Threads next to each other along a row of a tile: those of a warp, or with several lines an
    /// iteration those of a line.
    pub lanes: i64,
    /// Groups of so many threads in a block: warps, or lines.
    pub warps: i64,
    /// Whether the warps of a block sweep tiles of their own.
    pub warps_apart: bool,
    /// How a thread reads what others hold of a plane.
    pub exchange: PlaneExchange,
}

/// What tiles are cut from.
#[derive(Debug, Clone, Copy)]
pub struct Cut<'d> {
    /// The domain's lower corner, slowest first.
    pub lower: &'d [i64],
    /// Its upper corner.
    pub upper: &'d [i64],
    /// How far a level reaches along each dimension.
    pub reaches: &'d [Reach],
    /// The places along the fastest dimension at which tiles should begin.
    pub aligned: Aligned,
}

/// What the levels of several statements need around the points that are stored.
#[derive(Debug, Clone, Copy)]
pub struct Around<'d> {
    /// Along the streamed dimension the planes that arrive before the first and after the last that
    /// is stored; along others the points that a tile loses.
    pub margins: &'d [Reach],
    /// Time steps, for messages.
    pub steps: u32,
    /// Dimensions along which the grid is periodic: there tiles lose as much at the ends of the
    /// domain as elsewhere.
    pub periodic: &'d [usize],
}

impl Streamed {
    /// Planes before a chunk's first that it computes for itself, of the lowest level.
    pub fn warm_up(&self) -> i64 {
        match self.around {
            Some(around) => i64::from(around.behind),
            None => self.steps * i64::from(self.reach.behind),
        }
    }

    /// Iterations after a plane arrived until the last level completes it.
    pub fn delay(&self) -> i64 {
        match self.around {
            Some(around) => i64::from(around.ahead),
            None => self.behind(self.steps),
        }
    }

    /// Planes by which the result of a level trails the plane that arrives in an iteration.
    pub fn behind(&self, level: i64) -> i64 {
        level * (i64::from(self.reach.ahead) + self.lag)
    }

    /// Iterations of a full chunk.
    pub fn iterations(&self) -> i64 {
        let planes = self.chunk + self.warm_up() + self.delay();
        (planes + self.lines - 1) / self.lines
    }
}

impl Tiling {
    /// The tiles that a plan asks for.
    ///
    /// # Errors
    /// Where a mapping cannot cover such a domain in this way, or a tile gives no point.
    pub fn new(plan: &SweepPlan, cut: &Cut) -> Result<Tiling, PlanError> {
        let steps = plan.steps;
        let margin = |reach: &Reach| Reach {
            behind: reach.behind.saturating_mul(steps),
            ahead: reach.ahead.saturating_mul(steps),
        };
        let margins = cut.reaches.iter().map(margin).collect::<Vec<_>>();
        let mut tiling =
            Self::around(plan, cut, Around { margins: &margins, steps, periodic: &[] })?;
        tiling.streamed.around = None;
        Ok(tiling)
    }

    /// The same for the levels of several statements.
    ///
    /// # Errors
    /// As above.
    pub fn around(plan: &SweepPlan, cut: &Cut, around: Around) -> Result<Tiling, PlanError> {
        let rank = cut.lower.len();
        let points = |d: usize| i64::from(plan.points_along(d));
        check_shape(plan, rank)?;
        let steps = i64::from(plan.steps);
        let layout = plan.by.layout(&plan.threads);
        let (lanes, warps) = (layout.lanes, layout.groups);
        let (lines, warps_apart) = match layout.along {
            Groups::Lines => (warps, false),
            along => (1, along == Groups::Tiles),
        };
        let x = rank - 1;
        let rows = if rank == 3 { points(1) } else { 1 };
        let row = match rank {
            3 => Lateral::new(cut, (1, warps * rows), around, Aligned::ANYWHERE)?,
            _ => Lateral { origin: 0, cells: 1, trim: 0, points: 1, last: 1, tiles: 1 },
        };
        let column = Lateral::new(cut, (x, lanes * points(x)), around, cut.aligned)?;
        let streamed = match rank {
            1 => Streamed {
                reach: Reach::symmetric(0),
                lower: 0,
                upper: 1,
                chunk: 1,
                chunks: 1,
                edge_chunk: 1,
                edge_chunks: 1,
                lag: 0,
                steps,
                lines,
                around: None,
            },
            _ => Streamed { around: Some(around.margins[0]), ..streamed(plan, cut) },
        };
        let columns = points(x);
        let exchange = layout.exchange;
        Ok(Tiling {
            streamed,
            rank,
            row,
            column,
            columns,
            rows,
            lanes,
            warps,
            warps_apart,
            exchange,
        })
    }

    /// Threads of a block.
    pub fn threads(&self) -> i64 {
        self.warps * self.lanes
    }

    /// Whether the rows of a block's threads take lines of their own.
    pub fn takes_lines(&self) -> bool {
        self.streamed.lines > 1
    }

    /// Tiles of a block: warps whose tiles are their own have one each.
    pub fn tiles_of_block(&self) -> i64 {
        if self.warps_apart { self.warps } else { 1 }
    }

    /// Blocks of the launch.
    pub fn blocks(&self) -> i64 {
        let together = self.tiles_of_block();
        (self.chunks() + together - 1) / together
    }

    /// Chunks of all tiles: those of tiles at the ends of the domain first, chunk by chunk.
    pub fn chunks(&self) -> i64 {
        self.edges() * self.streamed.edge_chunks + self.inside() * self.streamed.chunks
    }

    /// Tiles of a plane that do not lie at an end of the domain.
    pub fn inside(&self) -> i64 {
        let inside = |tiles: i64| (tiles - 2).max(0);
        let y = self.row.tiles;
        inside(self.column.tiles) * if self.rank == 3 { inside(y) } else { y }
    }

    /// Tiles of a plane that lie at an end of the domain, laterally.
    pub fn edges(&self) -> i64 {
        self.column.tiles * self.row.tiles - self.inside()
    }

    /// How long a chunk of a tile at an end takes: so many thirds of one inside. Blocks take 1.15
    /// to 1.5 times as long (22 kernels of lowering/docs/sweeps.md). Single warps wait for their
    /// boundary while no other computes: those of several unknowns with walls take 1.7 to 2 times
    /// as long, those of a single statement, whose code is hardly longer, somewhat less
    /// (lowering/docs/sweeps.md, "Warps at the ends"; all on H200).
    pub fn edge_thirds(&self, is_single: bool) -> i64 {
        match (self.warps_apart, is_single) {
            (false, _) => 4,
            (true, true) => 5,
            (true, false) => 6,
        }
    }

    /// Points that are computed for each that is stored, in all levels: a ratio of whole numbers.
    pub fn redundancy(&self) -> (i64, i64) {
        let planes = self.streamed.iterations() * self.streamed.lines;
        let cells = self.row.cells * self.column.cells;
        let points = self.row.points * self.column.points;
        (planes * cells, self.streamed.chunk * points)
    }
}

fn streamed(plan: &SweepPlan, cut: &Cut) -> Streamed {
    let extent = (cut.upper[0] - cut.lower[0]).max(1);
    let chunk = |chunks: u32| (extent + i64::from(chunks) - 1) / i64::from(chunks);
    let (edge_chunk, chunk) = (chunk(plan.edge_chunks.unwrap_or(plan.chunks)), chunk(plan.chunks));
    Streamed {
        reach: cut.reaches[0],
        lower: cut.lower[0],
        upper: cut.upper[0],
        chunk,
        chunks: (extent + chunk - 1) / chunk,
        edge_chunk,
        edge_chunks: (extent + edge_chunk - 1) / edge_chunk,
        lag: i64::from(plan.skew().lag() * plan.lines()),
        steps: i64::from(plan.steps),
        lines: i64::from(plan.lines()),
        around: None,
    }
}

impl Lateral {
    /// Whether a tile reaches beyond both ends of `lower..upper`.
    pub fn spans(&self, lower: i64, upper: i64) -> bool {
        (0..self.tiles)
            .map(|tile| self.origin + tile * self.points)
            .take_while(|begin| *begin < lower)
            .any(|begin| begin + self.cells > upper)
    }

    /// Where the last of the tiles that begin before `lower` ends, however many there are.
    pub fn end_of_first(&self, lower: i64) -> i64 {
        let before = (lower - 1 - self.origin).max(0);
        self.origin + before / self.points * self.points + self.cells
    }

    fn new(
        cut: &Cut,
        (d, cells): (usize, i64),
        around: Around,
        aligned: Aligned,
    ) -> Result<Lateral, PlanError> {
        let margin = around.margins[d];
        let (before, behind) = (i64::from(margin.behind), i64::from(margin.ahead));
        let reach = cut.reaches[d];
        let is_ring = around.periodic.contains(&d);
        let down = |cells: i64, granule: i64| cells.div_euclid(granule) * granule;
        let trim = -down(-before, aligned.read);
        let outside = if is_ring { trim } else { i64::from(reach.behind) };
        let first = cut.lower[d] - outside - aligned.begin;
        let given_at = |written: i64| {
            let points = down(cells - trim - behind, written);
            let origin = aligned.begin + down(first + trim, written) - trim;
            let last = match i64::from(reach.ahead) {
                _ if is_ring => trim + points,
                0 => trim + points,
                outside => cells - outside,
            };
            let others = cut.upper[d] - origin - last;
            let others = (others + points - 1).checked_div_euclid(points).map_or(0, |n| n.max(0));
            Lateral { origin, cells, trim, points, last, tiles: others + 1 }
        };
        let lateral = aligned.choices().map(given_at).filter(|lateral| lateral.points > 0);
        let lateral = lateral.enumerate().min_by_key(|(halvings, lateral)| {
            // Of tiles that begin at halves of a sector every second begins inside of one, of those
            // that begin at quarters three of four.
            let inside = 1000 - (1000 >> halvings);
            let row = lateral.cells + lateral.points;
            let shared = inside * SHARED_SECTOR * aligned.written / row;
            lateral.tiles * (1_000_000 + shared.max(HALF_A_SECTOR * *halvings as i64))
        });
        lateral.map(|(_, lateral)| lateral).ok_or_else(|| PlanError::Unfit {
            key: "steps",
            value: around.steps.to_string(),
            reason: format!(
                "a tile of {cells} cells along dimension {d} loses {before} and {behind} cells at \
                 its ends, and gives no point; take fewer steps or a larger tile"
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Mapping, PlanKeys, Skew};

    fn plan(mapping: Mapping, threads: &[u32], points: &[u32], steps: u32) -> PlanKeys {
        PlanKeys {
            mapping,
            threads: threads.to_vec(),
            points: points.to_vec(),
            steps,
            ..PlanKeys::default()
        }
    }

    fn tiling_of(plan: &PlanKeys, cut: &Cut) -> Result<Tiling, PlanError> {
        Tiling::new(&plan.assembled().into_sweep().unwrap(), cut)
    }

    fn cut<'d>(lower: &'d [i64], upper: &'d [i64], reaches: &'d [Reach]) -> Cut<'d> {
        Cut { lower, upper, reaches, aligned: Aligned::ANYWHERE }
    }

    const STAR: [Reach; 3] = [Reach::symmetric(1); 3];

    #[test]
    fn tiles_overlap_by_what_all_levels_lose() {
        let plan = plan(Mapping::Block, &[1, 12, 32], &[1, 4, 2], 4);
        let tiling = tiling_of(&plan, &cut(&[1; 3], &[511; 3], &STAR)).unwrap();
        let (y, x) = (&tiling.row, &tiling.column);
        assert_eq!((y.cells, y.points, y.tiles, y.origin, y.trim), (48, 40, 13, 0, 4));
        assert_eq!((x.cells, x.points, x.tiles, x.last), (64, 56, 9, 63));
        assert_eq!((tiling.blocks(), tiling.edges()), (9 * 13, 9 * 13 - 7 * 11));
        assert_eq!(tiling.streamed.iterations(), 510 + 8);
        assert_eq!(tiling.redundancy(), (518 * 48 * 64, 510 * 40 * 56));
    }

    /// With 8 of 64 cells given, eight tiles begin before the domain.
    #[test]
    fn tiles_that_begin_before_the_domain_end_in_it() {
        let along =
            |points: i64| Lateral { origin: -60, cells: 64, trim: 28, points, last: 60, tiles: 3 };
        assert_eq!(along(8).end_of_first(1), 60);
        assert_eq!(along(80).end_of_first(1), 4);
        assert!(!along(8).spans(1, 59), "of three tiles none ends after the domain");
    }

    #[test]
    fn tiles_begin_where_lanes_read_whole_words() {
        let along_x = |columns, read, written| {
            let plan = plan(Mapping::Warp, &[1, 128], &[1, columns], 3);
            let aligned = Aligned { begin: 0, read, written };
            let cut = Cut { aligned, ..cut(&[1; 2], &[8191; 2], &STAR[..2]) };
            let x = tiling_of(&plan, &cut).unwrap().column;
            (x.origin, x.trim, x.points, x.tiles)
        };
        assert_eq!(along_x(2, 2, 2), (0, 4, 56, 147));
        // What is given begins at multiples of eight.
        assert_eq!(along_x(2, 2, 8), (-4, 4, 56, 147));
        // A sixth more tiles would cost more than parts of sectors, a twelfth less.
        assert_eq!(along_x(2, 2, 16), (-4, 4, 56, 147));
        assert_eq!(along_x(1, 1, 8), (-3, 3, 24, 342));
    }

    #[test]
    fn chunks_cover_the_streamed_dimension() {
        let plan = PlanKeys { chunks: 7, ..plan(Mapping::Warp, &[1, 32], &[1, 2], 2) };
        let tiling = tiling_of(&plan, &cut(&[0; 2], &[100; 2], &STAR[..2])).unwrap();
        let streamed = tiling.streamed;
        assert_eq!((streamed.chunk, streamed.chunks), (15, 7));
        assert_eq!((streamed.warm_up(), streamed.delay(), streamed.behind(2)), (2, 2, 2));
    }

    /// Eight lines of 64 threads with two columns each.
    #[test]
    fn rows_of_threads_take_lines() {
        let reaches = [Reach { behind: 2, ahead: 1 }; 2];
        let (lower, upper) = ([0, 0], [100, 1000]);
        let tiling = |skew| {
            let plan = PlanKeys { skew, chunks: 3, ..plan(Mapping::Block, &[8, 64], &[1, 2], 3) };
            tiling_of(&plan, &cut(&lower, &upper, &reaches)).unwrap()
        };
        let tight = tiling(Skew::Tight);
        assert_eq!((tight.lanes, tight.warps, tight.threads()), (64, 8, 512));
        assert!(tight.takes_lines() && !tight.warps_apart);
        assert_eq!((tight.column.cells, tight.column.points), (128, 119));
        assert_eq!((tight.streamed.chunk, tight.streamed.delay()), (34, 3));
        // 34 lines, 6 before and 3 behind them.
        assert_eq!(tight.streamed.iterations(), 6);
        assert_eq!(tight.blocks(), tight.column.tiles * 3);
        // A level that waits for an iteration waits for its lines.
        assert_eq!(tiling(Skew::Lazy).streamed.behind(2), 2 * (1 + 8));
    }

    #[test]
    fn shapes_that_a_mapping_does_not_have_are_refused() {
        let refused = |plan: PlanKeys, rank: usize| {
            let (lower, upper) = ([0; 3], [64; 3]);
            let cut = cut(&lower[..rank], &upper[..rank], &STAR[..rank]);
            tiling_of(&plan, &cut).unwrap_err().to_string()
        };
        let warp = refused(plan(Mapping::Warp, &[1, 4, 32], &[1, 1, 2], 1), 3);
        assert!(warp.contains("take \"block\""), "{warp}");
        assert!(refused(plan(Mapping::Block, &[32], &[2], 1), 1).contains("take \"warp\""));
        assert!(refused(plan(Mapping::Warp, &[1, 48], &[1, 2], 1), 2).contains("whole warps"));
        assert!(refused(plan(Mapping::Warp, &[1, 32], &[2, 2], 1), 2).contains("is streamed"));
        let lines = refused(plan(Mapping::Warp, &[4, 32], &[1, 2], 1), 2);
        assert!(lines.contains("with mapping = \"block\""), "{lines}");
        assert!(refused(plan(Mapping::Block, &[4, 48], &[1, 2], 1), 2).contains("whole warps"));
        assert!(refused(plan(Mapping::Block, &[2, 4, 32], &[1; 3], 1), 3).contains("is streamed"));
        let deep = refused(plan(Mapping::Warp, &[1, 32], &[1, 2], 32), 2);
        assert!(deep.contains("loses 32 and 32 cells"), "{deep}");
    }
}
