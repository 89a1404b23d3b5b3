//! Into how many chunks a sweep is cut, so that the blocks of a launch finish together.
//!
//! A chip runs so many blocks at once, the others follow as places become free. Blocks of tiles at
//! the ends of the domain come first and take longer. A chunk costs the planes that it computes for
//! itself only, so few chunks compute least; but where the blocks do not fill the chip a whole
//! number of times, most of it waits for the last of them. The makespan of both kinds of blocks,
//! one after the other onto the first free place, is what is made small here: list scheduling
//! [Graham, Bounds on Multiprocessing Timing Anomalies, SIAM Journal on Applied Mathematics 1969].

use super::tiling::Tiling;

/// What of a launch decides how long it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Launch {
    /// Tiles of a plane inside of the domain.
    pub inside: i64,
    /// Tiles at its ends.
    pub edges: i64,
    /// Planes.
    pub planes: i64,
    /// Planes that a chunk computes more than it stores.
    pub overlap: i64,
    /// Tiles that the blocks have that the chip runs at once.
    pub places: i64,
    /// How long a chunk of a tile at an end takes: so many thirds of one inside.
    pub edge_thirds: i64,
}

/// Planes' worth of time that a block takes to start, where a chunk has several. Blocks of one
/// plane are many, and start while others compute (heat on a line of 2^22 points, f32, nine steps,
/// H200: 2.0 us a step; 2.7 us predicted without a start, 21 us with one).
const START: i64 = 8;
/// How often blocks fill the chip at most, so that the ends of chunks stay few.
const TURNS_MOST: i64 = 8;

impl Launch {
    /// That of a sweep of a single statement or of several, of which the chip runs so many blocks
    /// at once.
    pub fn of(tiling: &Tiling, is_single: bool, blocks: u32) -> Self {
        let streamed = &tiling.streamed;
        Self {
            inside: tiling.inside(),
            edges: tiling.edges(),
            planes: streamed.upper - streamed.lower,
            overlap: streamed.warm_up() + streamed.delay(),
            places: i64::from(blocks) * tiling.tiles_of_block(),
            edge_thirds: tiling.edge_thirds(is_single),
        }
    }

    /// The chunks of tiles inside and of tiles at the ends for which blocks finish first.
    pub fn best_chunks(&self) -> (i64, i64) {
        let most = (self.planes / self.overlap.max(1)).max(1);
        let candidates = (1..=most).take_while(|chunks| {
            *chunks == 1 || chunks * (self.inside + self.edges) <= TURNS_MOST * self.places
        });
        let pairs = candidates.flat_map(|chunks| {
            // From as many as elsewhere to some more than edges take longer.
            let most_fifths = self.edge_thirds + 1;
            let edges = (0..=most_fifths).map(move |fifths| chunks + chunks * fifths / 5);
            edges.filter(move |edges| *edges <= most).map(move |edges| (chunks, edges))
        });
        pairs.min_by_key(|pair| self.makespan(*pair)).unwrap_or((1, 1))
    }

    /// The planes of a chunk's own, and those that it takes the time of, with so many chunks.
    pub fn planes_of_chunk(&self, chunks: i64) -> (i64, i64) {
        let own = ceil(self.planes, chunks);
        (own, own + self.overlap + self.start())
    }

    /// The planes that all chunks of a tile compute, those before their own among them.
    pub fn planes_computed(&self, chunks: i64) -> i64 {
        self.planes + self.overlap * chunks
    }

    /// Planes' worth of time that a block takes to start.
    fn start(&self) -> i64 {
        if self.planes > 1 { START } else { 0 }
    }

    /// Blocks of the launch, with so many chunks of tiles inside and of tiles at the ends.
    pub fn blocks(&self, (chunks, edge_chunks): (i64, i64)) -> i64 {
        self.inside * chunks + self.edges * edge_chunks
    }

    /// Thirds of a plane's time until the last block has finished, with so many chunks of tiles
    /// inside and of tiles at the ends.
    pub fn makespan(&self, (chunks, edge_chunks): (i64, i64)) -> i64 {
        let (own, time) = self.planes_of_chunk(chunks);
        let (edge_own, edge_time) = self.planes_of_chunk(edge_chunks);
        let (edge, inside) = (self.edge_thirds * edge_time, 3 * time);
        let edges = self.edges * ceil(self.planes, edge_own);
        // After the edges some places are free one edge later than the others.
        let (turns, late) = (edges / self.places, edges % self.places);
        let (early, soon, later) = (self.places - late, turns * edge, (turns + 1) * edge);
        let blocks = self.inside * ceil(self.planes, own);
        // The last block ends whole turns of blocks inside after the one or the other. So long an
        // edge is in such turns, whole ones and begun ones:
        let (whole, begun) = (edge / inside, ceil(edge, inside));
        let alone = ceil(blocks, early);
        let both = |ahead: i64| ceil(blocks - ahead, self.places);
        let after_soon = if alone <= begun { alone } else { both(-late * begun) };
        let after_later = both(early * whole).max(0);
        let of_edges = if late > 0 { later } else { soon };
        of_edges.max((soon + after_soon * inside).min(later + after_later * inside))
    }
}

/// The least integer that is not below a / b.
fn ceil(a: i64, b: i64) -> i64 {
    (a + b - 1).div_euclid(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{cmp::Reverse, collections::BinaryHeap};

    /// Block by block onto the place that is free first.
    fn simulated(launch: &Launch, (chunks, edge_chunks): (i64, i64)) -> i64 {
        let length = |chunks: i64| (launch.planes + chunks - 1) / chunks;
        let count = |chunks: i64| (launch.planes + length(chunks) - 1) / length(chunks);
        let time = |chunks: i64| length(chunks) + launch.overlap + START;
        let edges = vec![
            launch.edge_thirds * time(edge_chunks);
            (launch.edges * count(edge_chunks)) as usize
        ];
        let inside = vec![3 * time(chunks); (launch.inside * count(chunks)) as usize];
        let mut places = (0..launch.places).map(|_| Reverse(0)).collect::<BinaryHeap<_>>();
        let mut last = 0;
        for block in edges.into_iter().chain(inside) {
            let Reverse(free) = places.pop().unwrap();
            last = last.max(free + block);
            places.push(Reverse(free + block));
        }
        last
    }

    #[test]
    fn the_makespan_is_that_of_blocks_one_after_the_other() {
        let tiles = [(18, 2), (126, 54), (0, 9), (1, 2), (45, 2), (0, 0), (7, 0), (3, 40)];
        let pairs = [(1, 1), (2, 3), (5, 5), (10, 17), (40, 51), (3, 6)];
        let others = [(510, 8), (37, 30), (2, 0)];
        let places = [1, 2, 7, 50, 132, 264, 396];
        for ((inside, edges), (planes, overlap)) in each_with_each(&tiles, &others) {
            for (places, pair) in each_with_each(&places, &pairs) {
                let launch = Launch { inside, edges, planes, overlap, places, edge_thirds: 4 };
                let expected = simulated(&launch, pair);
                assert_eq!(launch.makespan(pair), expected, "{launch:?} {pair:?}");
            }
        }
    }

    fn each_with_each<A: Copy, B: Copy>(ones: &[A], others: &[B]) -> Vec<(A, B)> {
        ones.iter().flat_map(|one| others.iter().map(|other| (*one, *other))).collect()
    }

    /// j2d5pt in single precision, twelve steps, on 132 multiprocessors with three blocks each: 396
    /// blocks of nearly the same length.
    #[test]
    fn blocks_fill_the_chip_a_whole_number_of_times() {
        let launch =
            Launch { inside: 18, edges: 2, planes: 8190, overlap: 24, places: 396, edge_thirds: 4 };
        let (inside, edges) = launch.best_chunks();
        assert_eq!((inside, edges), (19, 26));
        assert!(inside * 18 + edges * 2 <= 396);
    }

    #[test]
    fn few_planes_are_not_cut() {
        let launch =
            Launch { inside: 1, edges: 2, planes: 20, overlap: 16, places: 396, edge_thirds: 4 };
        assert_eq!(launch.best_chunks(), (1, 1));
    }
}
