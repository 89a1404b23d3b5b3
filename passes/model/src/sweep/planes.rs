//! Storage of planes for each level, and tiles that overlap: the resources of [Rawat et al.,
//! STENCILGEN, Proc. IEEE 2018].
//!
//! A thread block owns a tile of the plane and streams along the remaining dimension. How many
//! planes of a level are kept, and where, depends on how its points read them:
//!
//! | storage | registers of a thread | planes in shared memory | for |
//! | --- | --- | --- | --- |
//! | `shared` | 0 | `2k + 1` | anything |
//! | `diagonal-free` | `2k` | 1 | reads off the plane lie straight above or below |
//! | `retimed` | `2k + 1` | 1 | sums, read plane by plane into accumulators |
//!
//! Registers are counted in values; a double takes two. `k` planes are read on each side; where a
//! stencil reaches differently far, `2k` is both reaches together. With a lazy skew a plane waits
//! for an iteration before it is read, in a plane more.

use super::Reach;
use super::tiling::Tiling;
use crate::occupancy::{BlockDemand, Occupancy, occupancy};
use crate::target::Architecture;

/// Where a level keeps its planes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaneStorage {
    /// All in shared memory.
    Shared,
    /// Those above and below in registers, the middle one in shared memory.
    DiagonalFree,
    /// The sums that a plane contributes to in registers, the arriving plane in shared memory.
    Retimed,
}

/// What a thread block streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// A plane an iteration; threads cover the tile.
    Planes {
        /// Where each level keeps its planes.
        storage: PlaneStorage,
    },
    /// In two dimensions: so many lines an iteration, of which each level keeps those and `2k` more
    /// in a circular array. Where they are a power of two together, the index is a mask.
    Lines {
        /// Lines an iteration.
        lines: u32,
    },
}

/// A tile that overlaps its neighbours, and what is swept over it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tile {
    /// Threads of the block along the dimensions of the plane, fastest first; 1 where there is
    /// none.
    pub threads: [u32; 2],
    /// The stencil's radius.
    pub radius: u32,
    /// Time levels.
    pub steps: u32,
    /// Bytes of a value.
    pub element_bytes: u32,
    /// What is streamed.
    pub stream: Stream,
}

/// What the planes of a tile take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlaneResources {
    /// Values that a thread keeps in registers.
    pub values_per_thread: u32,
    /// Shared memory of a block.
    pub shared_bytes: u32,
}

impl PlaneStorage {
    /// Values of a thread and planes in shared memory, for one level that reaches so far and works
    /// on what the level below computed so many iterations ago.
    pub fn per_level(self, reach: Reach, lag: u32) -> (u32, u32) {
        let span = reach.span();
        match self {
            PlaneStorage::Shared => (0, span + 1 + lag),
            PlaneStorage::DiagonalFree => (span, 1 + lag),
            PlaneStorage::Retimed => (span + 1, 1 + lag),
        }
    }

    /// What the sweep of a tiling keeps, with values of so many bytes: each thread has all points
    /// of its register tile. Where rows of threads take lines, the storage is `shared`, and its
    /// planes are lines, of which a level keeps those that arrive in an iteration, those that it
    /// reaches, and with a lazy skew those that wait. In one dimension two levels take turns.
    pub fn of_tiling(self, tiling: &Tiling, element_bytes: u32) -> PlaneResources {
        let streamed = &tiling.streamed;
        let number = |count: i64| u32::try_from(count).unwrap_or(u32::MAX);
        let (values, planes) = self.per_level(streamed.reach, number(streamed.lag));
        let (steps, tile_points) = (number(streamed.steps), number(tiling.rows * tiling.columns));
        let product = |factors: &[u32]| factors.iter().fold(1_u32, |all, f| all.saturating_mul(*f));
        let more = number(streamed.lines - 1);
        // A plane is of all threads, a line of those of a row.
        let threads = number(if tiling.takes_lines() { tiling.lanes } else { tiling.threads() });
        let buffers = if tiling.rank == 1 { steps.min(2) } else { steps };
        PlaneResources {
            values_per_thread: product(&[values, steps, tile_points]),
            shared_bytes: product(&[planes + more, buffers, threads, tile_points, element_bytes]),
        }
    }
}

impl Tile {
    /// Threads of the block.
    pub fn threads_per_block(&self) -> u32 {
        self.threads[0] * self.threads[1]
    }

    /// What all levels keep together.
    pub fn resources(&self) -> PlaneResources {
        let (values, cells) = match self.stream {
            Stream::Planes { storage } => {
                let (values, planes) = storage.per_level(Reach::symmetric(self.radius), 0);
                (values, planes * self.threads_per_block())
            }
            Stream::Lines { lines } => (0, (lines + 2 * self.radius) * self.threads[0]),
        };
        PlaneResources {
            values_per_thread: values * self.steps,
            shared_bytes: cells * self.steps * self.element_bytes,
        }
    }

    /// Blocks that are resident at once, if the code takes so many registers in all; 0 where that
    /// is not known.
    pub fn residence(&self, target: &Architecture, registers_per_thread: u32) -> Occupancy {
        let shared_bytes = self.resources().shared_bytes;
        let threads = self.threads_per_block();
        occupancy(target, BlockDemand { threads, registers_per_thread, shared_bytes })
    }

    /// Cells that a block loads for each cell of its tile, halos of radius `k` included: a ratio of
    /// whole numbers, of loads and cells.
    pub fn loads_per_cell(&self) -> (u64, u64) {
        let extent = |d: usize| u64::from(self.threads[d]);
        let halo = 2 * u64::from(self.radius);
        let with_halo = |d: usize| if extent(d) == 1 { 1 } else { extent(d) + halo };
        (with_halo(0) * with_halo(1), extent(0) * extent(1))
    }
}

/// Pieces of the streamed dimension that fill a machine when there are only so many strips: one
/// piece is serial streaming, more are concurrent.
pub fn chunks(multiprocessors: u32, blocks_per_sm: u32, strips: u32) -> u32 {
    (multiprocessors * blocks_per_sm).div_ceil(strips.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Mapping, PlanKeys, Skew};
    use crate::sweep::tiling::{Aligned, Cut};
    use crate::target::K20C;

    /// Two dimensions, radius 1, four steps in single precision: the paper's example.
    fn tile(threads: [u32; 2], stream: Stream) -> Tile {
        Tile { threads, radius: 1, steps: 4, element_bytes: 4, stream }
    }

    #[test]
    fn a_strip_in_shared_memory() {
        let strip = tile([128, 1], Stream::Planes { storage: PlaneStorage::Shared });
        assert_eq!(strip.resources().shared_bytes, 6 * 1024);
        assert_eq!(strip.residence(&K20C, 0).blocks, 8);
    }

    /// The text rounds to 16 kB; recounted it is a little more.
    #[test]
    fn a_square_of_lines() {
        let square = tile([32, 32], Stream::Lines { lines: 32 });
        assert_eq!(square.resources().shared_bytes, 17_408);
        assert_eq!(square.residence(&K20C, 0).blocks, 2);
    }

    #[test]
    fn a_strip_with_registers() {
        let strip = tile([128, 1], Stream::Planes { storage: PlaneStorage::DiagonalFree });
        let expected = PlaneResources { values_per_thread: 8, shared_bytes: 2 * 1024 };
        assert_eq!(strip.resources(), expected);
        assert_eq!(strip.residence(&K20C, 0).blocks, 16);
    }

    #[test]
    fn retiming_keeps_a_sum_more_and_needs_no_straight_reads() {
        let of = |storage: PlaneStorage, radius| storage.per_level(Reach::symmetric(radius), 0);
        assert_eq!(of(PlaneStorage::Retimed, 1), (3, 1));
        assert_eq!(of(PlaneStorage::DiagonalFree, 2), (4, 1));
        assert_eq!(of(PlaneStorage::Shared, 2), (0, 5));
    }

    /// Two steps of the seven-point star in scatter form, the second a plane later. The first adds
    /// plane 0 of the input, in shared memory, to the sums of planes +1, 0 and -1 of the first
    /// level, in registers; with both steps in one sweep the sum of plane -1, which that completes,
    /// goes to shared memory, where the second step reads it.
    #[test]
    fn two_steps_of_the_seven_point_star() {
        let stream = Stream::Planes { storage: PlaneStorage::Retimed };
        let step = Tile { threads: [32, 16], radius: 1, steps: 1, element_bytes: 8, stream };
        let plane = 32 * 16 * 8;
        let one = PlaneResources { values_per_thread: 3, shared_bytes: plane };
        assert_eq!(step.resources(), one);
        let two = Tile { steps: 2, ..step };
        let both = PlaneResources { values_per_thread: 6, shared_bytes: 2 * plane };
        assert_eq!(two.resources(), both);
        // Planes instead of sums: a value less of each level, or none and three times as much.
        let with = |storage| Tile { stream: Stream::Planes { storage }, ..two }.resources();
        assert_eq!(with(PlaneStorage::DiagonalFree).values_per_thread, 4);
        let shared = PlaneResources { values_per_thread: 0, shared_bytes: 6 * plane };
        assert_eq!(with(PlaneStorage::Shared), shared);
    }

    #[test]
    fn planes_that_wait_lie_in_one_more() {
        let reach = Reach { behind: 1, ahead: 2 };
        assert_eq!(PlaneStorage::Shared.per_level(reach, 1), (0, 5));
        assert_eq!(PlaneStorage::Retimed.per_level(reach, 1), (4, 2));
    }

    /// A thread keeps its register tile of each plane: 12 warps of 4 rows by 2 columns.
    #[test]
    fn a_tiling_keeps_all_points_of_each_thread() {
        let plan = PlanKeys {
            mapping: Mapping::Block,
            threads: vec![1, 12, 32],
            points: vec![1, 4, 2],
            steps: 2,
            ..PlanKeys::default()
        };
        let reaches = [Reach::symmetric(1); 3];
        let cut =
            Cut { lower: &[1; 3], upper: &[511; 3], reaches: &reaches, aligned: Aligned::ANYWHERE };
        let tiling = Tiling::new(&plan.assembled().into_sweep().unwrap(), &cut).unwrap();
        let kept = PlaneStorage::DiagonalFree.of_tiling(&tiling, 8);
        let plane = 48 * 64 * 8;
        let expected = PlaneResources { values_per_thread: 2 * 2 * 8, shared_bytes: 2 * plane };
        assert_eq!(kept, expected);
        assert_eq!(PlaneStorage::Shared.of_tiling(&tiling, 8).shared_bytes, 6 * plane);
    }

    /// Rows of threads with the tiling that is built take what the paper's tile does.
    #[test]
    fn lines_of_a_tiling_are_those_of_the_paper() {
        let tiling = |skew| {
            let (threads, points) = (vec![32, 32], vec![1, 1]);
            let block = Mapping::Block;
            let plan =
                PlanKeys { mapping: block, threads, points, steps: 4, skew, ..PlanKeys::default() };
            let reaches = [Reach::symmetric(1); 2];
            let cut = Cut {
                lower: &[1; 2],
                upper: &[511; 2],
                reaches: &reaches,
                aligned: Aligned::ANYWHERE,
            };
            Tiling::new(&plan.assembled().into_sweep().unwrap(), &cut).unwrap()
        };
        let bytes = |skew| PlaneStorage::Shared.of_tiling(&tiling(skew), 4).shared_bytes;
        assert_eq!(bytes(Skew::Tight), 17_408);
        // Those of an iteration wait.
        assert_eq!(bytes(Skew::Lazy), 17_408 + 4 * 32 * 32 * 4);
    }

    #[test]
    fn square_tiles_load_less() {
        let loads = |threads| {
            let (loads, cells) = tile(threads, Stream::Lines { lines: 1 }).loads_per_cell();
            loads as f64 / cells as f64
        };
        assert!(loads([32, 32]) < loads([64, 16]));
        assert_eq!(tile([128, 1], Stream::Lines { lines: 1 }).loads_per_cell(), (130, 128));
    }

    #[test]
    fn chunks_fill_the_machine() {
        assert_eq!(chunks(13, 16, 64), 4);
        assert_eq!([chunks(13, 16, 1000), chunks(13, 2, 0)], [1, 26]);
    }
}
