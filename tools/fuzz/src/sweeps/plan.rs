//! Plan keys: those of a row, and the others at random.

use super::{
    cover::{FACTORS, Row},
    demotion::Demotion,
};
use crate::generate::random::Random;
use std::fmt;
use stencil_model::plan::{
    Mapping,
    mapping::{Groups, Layout, PlaneExchange},
};

/// A plan for the only kernel of a time loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SweepPlan {
    /// The row of the covering array.
    pub row: Row,
    /// Dimensions of the domain.
    pub rank: usize,
    /// Steps of a sweep.
    pub steps: i64,
    /// Chunks of the streaming axis.
    pub chunks: i64,
    /// The same for tiles at the ends of the domain; `None`: as elsewhere.
    edge_chunks: Option<i64>,
    /// Points of a thread, slowest first.
    pub points: Vec<i64>,
    /// Threads of a block, slowest first.
    pub threads: Vec<i64>,
    /// Placement of the slots, if there is a queue of planes.
    slots: Slots,
    /// Slots of the queue in registers; `None`: all of them.
    queue_registers: Option<i64>,
    /// Planes are loaded by asynchronous copies, in rings of this depth.
    is_ring: bool,
    ring: Option<i64>,
    /// The rotation is by moving slots.
    unrolls: bool,
    /// Keys without effect on the shape of the loop, as text.
    others: Vec<&'static str>,
    /// Values demoted to shared memory.
    demotion: Option<Demotion>,
}

/// Placement of the slots of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slots {
    /// No placement.
    None,
    /// All in registers.
    Registers,
    /// Some in shared memory.
    Mixed,
    /// All in shared memory, except the arriving plane.
    Shared,
}

/// Lanes of a warp, which lie along the fastest dimension.
const LANES: i64 = 32;

/// Limit on the points in the code of an iteration; more take long to compile and to run.
const CODE_MAX: i64 = 20;

/// The same for one column of a thread, where only the radius is left to choose.
const CODE_MAX_OF_REACH: i64 = 24;

impl SweepPlan {
    /// Draws the keys that a row does not set.
    pub(super) fn draw(random: &mut Random, row: Row) -> Self {
        let is_block = row.word("mapping") == "block";
        let chunks = match row.word("chunks") {
            "one" => 1,
            "few" => random.between(2, 4),
            _ => random.between(5, 9),
        };
        let rank = match (is_block, chunks) {
            (true, _) if row.keeps_lines() => random.weighted(&[(50, 2), (50, 3)]),
            (true, _) => random.weighted(&[(20, 2), (80, 3)]),
            // One dimension has nothing to wait for.
            (false, 1) if row.word("skew") == "lazy" || random.chance(50) => 2,
            (false, 1) => 1,
            (false, _) => 2,
        };
        let steps = row.word("steps").parse().expect("the words of steps are numbers");
        let (points, mut threads) = draw_tile(random, rank, steps);
        if is_block && rank == 2 && row.keeps_lines() {
            threads[0] = random.weighted(&[(30, 1), (25, 2), (10, 3), (20, 4), (15, 8)]);
        }
        let is_ring = random.chance(25);
        // Sometimes without its depth, or with depth zero.
        let has_depth = is_ring != random.chance(2);
        let ring = has_depth.then(|| random.between(2, 4));
        let unrolls = random.chance(45);
        let others = draw_others(random, is_ring);
        let slots = match row.has_slots() && rank > 1 {
            true => {
                random.weighted(&[(1, Slots::Registers), (3, Slots::Mixed), (2, Slots::Shared)])
            }
            false => Slots::None,
        };
        Self {
            row,
            rank,
            steps,
            chunks,
            edge_chunks: None,
            points,
            threads,
            slots,
            queue_registers: None,
            is_ring,
            ring,
            unrolls,
            others,
            demotion: None,
        }
    }

    /// Half of the plans demote values.
    pub(super) fn demote(&mut self, random: &mut Random) {
        self.demotion = Demotion::draw(random);
    }

    /// Sometimes changes the chunks of tiles at the ends of the domain.
    pub(super) fn cut_ends(&mut self, random: &mut Random) {
        if self.rank > 1 && random.chance(35) {
            self.edge_chunks = Some(random.between(1, self.chunks + 4));
        }
    }

    /// Half of the sweeps with an even number of steps have no remainder sweeps.
    pub(super) fn leave_remainder(&mut self, random: &mut Random) {
        if self.steps >= 4 && random.chance(50) {
            self.others.push("remainder = \"single\"");
        }
    }

    /// Half of the sweeps that can keep planes of fields that no level changes do so.
    pub(super) fn queue_reads(&mut self, random: &mut Random) {
        if self.row.is_gathered() && !self.takes_lines() && random.chance(50) {
            self.others.push("reads = \"queue\"");
        }
    }

    /// Its bins in a histogram.
    pub(super) fn bins(&self) -> Vec<(&'static str, String)> {
        let keys = FACTORS.iter().map(|(name, _)| (*name, self.row.word(name).to_owned()));
        let has = |word: &str| self.others.iter().any(|other| other.starts_with(word));
        let loads = match (self.is_ring, has("loads")) {
            (true, _) => "ring",
            (_, true) => "prefetch",
            _ => "direct",
        };
        let rotation = if self.unrolls { "unroll" } else { "move" };
        let remainder = if has("remainder") { "single" } else { "halved" };
        let tail = if has("tail") { "scratch" } else { "unfused" };
        let reads = if has("reads") { "queue" } else { "memory" };
        let slots = match self.slots {
            Slots::None => "no queue of planes",
            Slots::Registers => "all in registers",
            Slots::Mixed => "some in shared memory",
            Slots::Shared => "all but one in shared memory",
        };
        let lines = if self.takes_lines() { "several" } else { "one" };
        let ends = match self.edge_chunks {
            Some(chunks) if chunks != self.chunks => "another number",
            _ => "as elsewhere",
        };
        let more = [
            ("chunks at the ends", ends),
            ("demoted values", self.demotion.map_or("none", |demotion| demotion.heuristic())),
            ("lines of an iteration", lines),
            ("loads", loads),
            ("reads", reads),
            ("remainder", remainder),
            ("rotation", rotation),
            ("slots", slots),
            ("tail", tail),
        ];
        let patch = (self.rank == 3).then(|| {
            let several = [self.threads[1] > 1, self.points[1] > 1];
            let word = match several {
                [true, true] => "several warps of several rows",
                [true, false] => "several warps of one row",
                [false, true] => "one warp of several rows",
                [false, false] => "one warp of one row",
            };
            ("tiles in three dimensions", word.to_owned())
        });
        keys.chain(more.map(|(key, word)| (key, word.to_owned()))).chain(patch).collect()
    }

    /// Whether slots of a queue must be placed.
    pub(super) fn places_slots(&self) -> bool {
        matches!(self.slots, Slots::Mixed | Slots::Shared)
    }

    /// Decides keys that depend on the radius along the streaming axis: slots in registers, and,
    /// where the loop over planes would be unrolled too often, the rotation.
    pub(super) fn settle(&mut self, random: &mut Random, (below, above): (i64, i64)) {
        let planes = if self.rank == 1 { 1 } else { below + above };
        let slots = planes * self.steps + 1;
        self.queue_registers = match self.slots {
            Slots::None | Slots::Registers => None,
            Slots::Mixed => Some(random.between(2, (slots - 1).max(2))),
            // The arriving plane is always in a register; requested anyway in some cases.
            Slots::Shared => Some(if random.chance(5) { 0 } else { 1 }),
        };
        if self.rank > 1 && self.written_out(planes + 1) > CODE_MAX {
            self.unrolls = false;
        }
        if self.rank > 1 && self.written_out(planes + 1) > CODE_MAX {
            (self.is_ring, self.ring) = (false, None);
        }
        while self.written_out(planes + 1) > CODE_MAX && self.points[self.rank - 1] > 1 {
            self.points[self.rank - 1] -= 1;
        }
    }

    /// Whether this radius makes more code than is worth it.
    pub(super) fn reads_too_far(&self, planes: i64) -> bool {
        let rows: i64 = self.points[..self.rank - 1].iter().product();
        self.rank > 1 && self.copies(planes + 1) * self.steps * rows > CODE_MAX_OF_REACH
    }

    /// Unrolled copies of an iteration, one per slot of the rotation.
    fn copies(&self, planes: i64) -> i64 {
        let lag = i64::from(self.row.word("skew") == "lazy");
        match self.row.word("storage") {
            "shared" if self.takes_lines() => 1,
            "shared" => planes + lag,
            "queue" if self.rank == 3 || self.is_joined() => planes + 1,
            "queue" => 1,
            _ => 1 + lag,
        }
    }

    /// Approximate number of points in the code of one iteration.
    fn written_out(&self, planes: i64) -> i64 {
        let turns = if self.unrolls { planes } else { 1 };
        let copies = self.copies(planes);
        let unroll = [turns, copies, self.ring.unwrap_or(1)].into_iter().fold(1, common_multiple);
        unroll * self.steps * self.points.iter().product::<i64>()
    }

    /// Whether each row of a block's threads takes a line.
    pub(super) fn takes_lines(&self) -> bool {
        self.rank == 2 && self.threads[0] > 1
    }

    /// Cells of a tile along a lateral dimension, including overlap.
    pub(super) fn cells(&self, dim: usize) -> i64 {
        match dim + 1 == self.rank {
            true => self.layout().lanes * self.points[dim],
            false => self.threads[dim] * self.points[dim],
        }
    }

    /// Tiles of a block along a lateral dimension.
    pub(super) fn tiles(&self) -> i64 {
        let layout = self.layout();
        if layout.along == Groups::Tiles { layout.groups } else { 1 }
    }

    /// Whether threads exchange whole planes of a queue through shared memory.
    fn is_joined(&self) -> bool {
        self.layout().exchange == PlaneExchange::Shared
    }

    fn layout(&self) -> Layout {
        let mapping = Mapping::of_word(self.row.word("mapping")).and_then(Mapping::sweep);
        let threads = self.threads.iter().map(|threads| *threads as u32).collect::<Vec<_>>();
        mapping.expect("the words are those of sweeps").layout(&threads)
    }
}

/// Points and threads; in three dimensions more rows for more steps.
fn draw_tile(random: &mut Random, rank: usize, steps: i64) -> (Vec<i64>, Vec<i64>) {
    let (mut points, mut threads) = (vec![1; rank], vec![1; rank]);
    points[rank - 1] = random.weighted(&[(40, 1), (30, 2), (10, 3), (20, 4)]);
    threads[rank - 1] = match rank {
        3 => LANES,
        _ => LANES * random.weighted(&[(70, 1), (30, 2)]),
    };
    if rank == 3 {
        let (warps, rows) = match steps {
            1 => (random.pick(&[1, 2, 3, 4]), random.pick(&[1, 2, 3, 4])),
            2 => (random.pick(&[3, 4, 6]), random.pick(&[1, 2, 3])),
            3 => (random.pick(&[3, 4, 5]), random.pick(&[2, 3])),
            _ => (random.pick(&[4, 5, 6]), random.pick(&[2, 3])),
        };
        (threads[1], points[1]) = (warps, rows);
        points[2] = random.weighted(&[(80, 1), (20, 2)]);
    }
    (points, threads)
}

fn draw_others(random: &mut Random, is_ring: bool) -> Vec<&'static str> {
    let mut others = Vec::new();
    if !is_ring && random.chance(35) {
        others.push("loads = \"prefetch\"");
    }
    if random.chance(40) {
        others.push("tail = \"scratch\"");
    }
    if random.chance(30) {
        let caps = ["max_registers = 64 : i64", "max_registers = 255 : i64"];
        others.push(random.pick(&caps));
    }
    if random.chance(2) {
        others.push("alignment_offset = 1 : i64");
    }
    others
}

fn common_multiple(one: i64, two: i64) -> i64 {
    let (mut divisor, mut rest) = (one, two);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    one / divisor * two
}

impl fmt::Display for SweepPlan {
    /// As an attribute.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (row, steps) = (self.row, self.steps);
        for key in ["mapping", "form", "skew"] {
            write!(f, "{key} = {:?}, ", row.word(key))?;
        }
        if row.word("storage") != "queue" {
            write!(f, "storage = {:?}, ", row.word("storage"))?;
        }
        for (key, numbers) in [("points", &self.points), ("threads", &self.threads)] {
            let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
            write!(f, "{key} = array<i64: {}>, ", numbers.join(", "))?;
        }
        write!(f, "steps = {steps} : i64, chunks = {} : i64", self.chunks)?;
        if let Some(chunks) = self.edge_chunks {
            write!(f, ", edge_chunks = {chunks} : i64")?;
        }
        if let Some(registers) = self.queue_registers {
            write!(f, ", queue_registers = {registers} : i64")?;
        }
        if self.is_ring {
            write!(f, ", loads = \"ring\"")?;
        }
        if let Some(ring) = self.ring {
            write!(f, ", ring = {ring} : i64")?;
        }
        if self.unrolls {
            write!(f, ", rotation = \"unroll\"")?;
        }
        self.others.iter().try_for_each(|other| write!(f, ", {other}"))?;
        self.demotion.iter().try_for_each(|demotion| write!(f, ", {demotion}"))
    }
}
