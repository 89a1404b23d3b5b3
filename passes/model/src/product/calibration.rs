//! What kernels reach on a chip, beyond what its data sheet says.
//!
//! Numbers were measured on one chip. For any other they are taken from that chip and scaled by
//! what the data sheets say of both ([`Calibration::derived`]), until somebody measures
//! (tools/docs/chips.md). Who prints a predicted time says which of the two it rests on.

use super::DataSheet;
use crate::plan::Mapping;

/// What kernels reach on a chip, and where the numbers come from.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// Where the numbers come from.
    pub origin: Origin,
    /// Global memory as a device-to-device copy reaches it, bytes read plus bytes written.
    pub copy_bytes_per_s: u64,
    /// From one launch of a graph to the next that waits for it, in nanoseconds.
    pub launch_ns: u64,
    /// What a level of a sweep takes for a plane where blocks wait more than they compute.
    pub plane_ns: PlaneTimes,
    /// Which part of its units kernels reach.
    pub reached: Reached,
    /// Shared memory that the driver sets aside even for kernels without any: what the profiler
    /// reports as `launch__shared_mem_config_size`.
    pub shared_bytes_taken_min: u32,
}

/// Where the numbers of a calibration come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// They were measured on the chip.
    Measured {
        /// The driver.
        driver: &'static str,
        /// The assembler.
        assembler: &'static str,
        /// The date of the last measurement.
        date: &'static str,
    },
    /// They are those of another chip, scaled by the data sheets of both.
    Derived {
        /// The name of the other chip.
        from: &'static str,
    },
}

/// Parts of a unit's peak that generated kernels reach. Measured: lowering/docs/sweeps.md, "Several
/// statements".
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reached {
    /// Memory as a copy reaches it, by kernels of mapping `thread`: of grids that they write, or
    /// read at the point alone.
    pub thread_own: f64,
    /// The same, of grids that they read at neighbours, for values of one word and of two, one
    /// point away, two points, and more.
    pub thread_neighbours: [[f64; 3]; 2],
    /// The same in two dimensions, where rows of neighbours stay in the L1 cache.
    pub thread_rows: [f64; 3],
    /// The order of the norm of memory and issue that is the time of such kernels.
    pub thread_norm: f64,
    /// Memory as a copy reaches it, by blocks that sweep.
    pub sweep_memory: f64,
    /// The same, by warps that sweep tiles of their own, for values of one word and of two.
    pub sweep_memory_apart: [f64; 2],
    /// The same, by sweeps that copy halos, 16 bytes of a lane at once: of one time step, and of
    /// several.
    pub halo_memory: [f64; 2],
    /// How much longer copies of halos take with 4 and with 8 bytes of a lane at once.
    pub halo_by_bytes: [f64; 2],
    /// Issue slots, by sweeps that copy halos.
    pub halo_issue: f64,
    /// How much longer sweeps take that load planes when they need them: of blocks, and of warps
    /// with tiles of their own.
    pub direct: [f64; 2],
    /// How much longer sweeps of blocks take with one plane on its way to shared memory than with
    /// two, times the points of a tile: what large tiles compute meanwhile takes longer.
    pub one_on_the_way: f64,
    /// Memory and issue slots, by a sweep outside of a time loop.
    pub once: Once,
    /// By sweeps of one dimension, whose tiles arrive at once.
    pub line: ReachedByLine,
    /// By sweeps of one statement between two fields: of blocks, and of warps with tiles of their
    /// own.
    pub single: [ReachedBySingle; 2],
    /// Issue slots, by kernels of mapping `thread`.
    pub thread_issue: f64,
    /// The same, by blocks whose warps wait for each other.
    pub issue: f64,
    /// The same, more for each warp of a block.
    pub issue_per_warp: f64,
    /// Issue slots, by warps with tiles of their own.
    pub apart: ReachedApart,
}

/// Issue slots that warps with tiles of their own reach in time loops, where memory and issue take
/// turns: few warps are resident, whose instructions wait for the ones before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReachedApart {
    /// The slots, for values of one word and of two, where a thread has one point and no statement
    /// of a step reads another's result: for each statement that does it takes as long again.
    pub issue: [f64; 2],
    /// The power of the points of a thread with which they grow: points do not depend on each
    /// other.
    pub independent: f64,
    /// The slots of operations that are several instructions.
    pub several: f64,
}

/// Parts of units that a sweep outside of a time loop reaches, where both take turns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Once {
    /// Memory as a copy reaches it.
    pub memory: f64,
    /// Issue slots, by blocks whose warps wait for each other.
    pub issue: f64,
    /// The same, more for each warp of a block.
    pub issue_per_warp: f64,
    /// Issue slots, by warps with tiles of their own.
    pub issue_apart: f64,
}

/// What sweeps of one dimension reach. Pairs are of blocks whose threads sweep a tile together, and
/// of warps with tiles of their own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReachedByLine {
    /// Memory as a copy reaches it.
    pub memory: f64,
    /// Issue slots, which are fewer than is counted.
    pub issue: [f64; 2],
    /// The same, less for each warp of a block that waits for the others.
    pub less_per_warp: f64,
    /// The order of the norm of memory and issue that is the time: warps that wait for no others
    /// compute while others load.
    pub norm: [f64; 2],
}

/// What sweeps of one statement between two fields reach, and what they take beside what is
/// counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReachedBySingle {
    /// Issue slots of a floating-point operation of one word.
    pub operation: f64,
    /// The same of a word that threads exchange.
    pub exchange: f64,
    /// The same of a word that moves to where the next plane finds it.
    pub moved: f64,
    /// The same of a register that is spilled in an iteration, and more for each that is: a few
    /// are values of rare use.
    pub spilled: [f64; 2],
    /// The same of a plane of a thread's tile, beside its points.
    pub tile: f64,
    /// Resident warps that reach half of the issue slots, with values of one word and of two.
    pub warps: [f64; 2],
    /// The power of the points of a thread that counts as further warps: their operations are
    /// independent.
    pub independent: f64,
    /// Memory as a copy reaches it.
    pub memory: f64,
    /// How much longer it takes to load planes when they are needed.
    pub direct: f64,
    /// The same of memory and of issue, in gathered and in scattered form, for a circular buffer
    /// whose rotation is unrolled, and which holds three planes or more: one is on its way while
    /// another arrives.
    pub unrolled: [[f64; 2]; 2],
    /// The same for such a buffer whose rotation is not unrolled.
    pub deep: [[f64; 2]; 2],
    /// Instructions of a loop that the caches hold.
    pub code: f64,
    /// How much longer it takes for as many more, where each is on one word: those on two take two
    /// slots, in which twice as many are fetched.
    pub fetched: f64,
    /// The order of the norm of memory and issue that is the time.
    pub norm: f64,
    /// Registers that a thread needs.
    pub registers: NeededBySingle,
}

/// Registers that a thread needs to sweep one statement: of each word of its points, and others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NeededBySingle {
    /// Of a word that a level keeps from plane to plane.
    pub kept: f64,
    /// Of what a point computes.
    pub point: f64,
    /// More, where the next plane is loaded ahead.
    pub ahead: f64,
    /// Addresses, counters and conditions.
    pub besides: f64,
    /// More of them, where planes arrive in a circular buffer.
    pub ring: f64,
}

/// Nanoseconds of a plane of a sweep at one level, by mapping. Measured: lowering/docs/sweeps.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlaneTimes {
    /// Tiles of warps, values of 32 bits or fewer.
    pub warp_word: u64,
    /// Tiles of warps, values of 64 bits.
    pub warp_two_words: u64,
    /// Tiles of blocks, whose warps wait for each other.
    pub block: u64,
}

impl PlaneTimes {
    /// That of a mapping, with values of two words or of one.
    pub fn of(&self, mapping: Mapping, is_two_words: bool) -> u64 {
        match (mapping.shares_tiles(), is_two_words) {
            (true, _) => self.block,
            (false, true) => self.warp_two_words,
            (false, false) => self.warp_word,
        }
    }
}

impl Calibration {
    /// What a chip reaches that nobody measured, from one that somebody did.
    ///
    /// A copy reaches the same part of the bandwidth. What waits for latencies, launches and planes
    /// of short blocks, takes as many clocks. Parts that kernels reach of a unit are as they are:
    /// they follow from how kernels wait, which is alike. Wrong where a chip has another balance
    /// of caches and memory; that is what measuring is for.
    pub fn derived(sheet: &DataSheet, (known, of_it): (&DataSheet, &Self)) -> Self {
        let scaled = |number: u64, [to, from]: [u64; 2]| {
            let product = u128::from(number) * u128::from(to);
            u64::try_from(product / u128::from(from.max(1))).unwrap_or(u64::MAX)
        };
        let clocks = |ns: u64| scaled(ns, [known.clock_max_hz, sheet.clock_max_hz]);
        let bandwidths = [sheet.bandwidth_bytes_per_s, known.bandwidth_bytes_per_s];
        let from = match &of_it.origin {
            Origin::Measured { .. } => known.known_name().expect("what was measured is listed"),
            Origin::Derived { from } => from,
        };
        Self {
            origin: Origin::Derived { from },
            copy_bytes_per_s: scaled(of_it.copy_bytes_per_s, bandwidths),
            launch_ns: clocks(of_it.launch_ns),
            plane_ns: PlaneTimes {
                warp_word: clocks(of_it.plane_ns.warp_word),
                warp_two_words: clocks(of_it.plane_ns.warp_two_words),
                block: clocks(of_it.plane_ns.block),
            },
            reached: of_it.reached,
            shared_bytes_taken_min: of_it.shared_bytes_taken_min,
        }
    }

    /// Whether the numbers are those of another chip.
    pub fn is_derived(&self) -> bool {
        matches!(self.origin, Origin::Derived { .. })
    }
}

/// An NVIDIA H200. lowering/docs/sweeps.md and lowering/docs/statements.md have the measurements.
pub const OF_H200: Calibration = Calibration {
    origin: Origin::Measured { driver: "580.159.04", assembler: "ptxas 13.0", date: "2026-11-26" },
    // 4.28 of 4.8 TB/s, by a copy larger than the cache.
    copy_bytes_per_s: 4_280_000_000_000,
    // Driver 580.159.04, ptxas 13.0, 2026-11-23: 100 sweeps and single steps of small domains.
    launch_ns: 1_050,
    plane_ns: PlaneTimes { warp_word: 50, warp_two_words: 75, block: 270 },
    // Driver 580.159.04, ptxas 13.0, 2026-11-24: 66 plans of nine applications.
    reached: Reached {
        // 2026-11-30: kernels of nine generated programs of radius 1 to 3 and of ten programs as
        // users write them, in both types; farther away 2026-11-26, four kernels of radius 4
        // (lowering/docs/statements.md, "The estimate").
        thread_own: 0.93,
        thread_neighbours: [[0.7, 0.6, 0.45], [0.8, 0.65, 0.41]],
        // 2026-11-29: functions of stars of radius 2 and 3 in f32 and f64, eleven kernels of one
        // field and of two, each within 11 % (lowering/docs/statements.md, "The estimate").
        thread_rows: [1.0, 1.0, 0.87],
        thread_norm: 1.5,
        // Those of sweeps: 2026-11-26, 165 plans of 13 programs of one to six unknowns, in f32 and
        // f64 (lowering/docs/statements.md, "The estimate"). Scaled 2026-11-30, as those of warps
        // with tiles of their own and outside of loops, by what whole tiles add to the time of
        // large domains (the same page, "Small domains").
        sweep_memory: 0.83,
        // Those of warps with tiles of their own: 2026-11-29, 205 plans of 30 generated loops in
        // two dimensions, at the same place, and 33 of the same day with few blocks at the ends,
        // which were 5 % faster than these predicted.
        sweep_memory_apart: [0.869, 0.958],
        apart: ReachedApart { issue: [0.854, 1.432], independent: 0.448, several: 0.48 },
        halo_memory: [0.95, 0.79],
        halo_by_bytes: [1.66, 1.15],
        halo_issue: 0.397,
        direct: [1.083, 1.145],
        one_on_the_way: 140.0,
        // 2026-11-24: groups of nine applications.
        once: Once { memory: 0.61, issue: 0.33, issue_per_warp: 0.025, issue_apart: 0.75 },
        // 2026-11-28, 48 plans of two loops, of radius 1 and 3, in f32 and f64
        // (lowering/docs/sweeps.md, "One dimension").
        line: ReachedByLine {
            memory: 0.79,
            issue: [1.6, 1.3],
            less_per_warp: 0.025,
            norm: [2.0, 4.0],
        },
        // 2026-11-29, 629 plans of 60 loops: stars and boxes of radius 1 to 4, some of them of
        // another radius along each axis, and five functions, in f32 and f64; blocks scaled on
        // 2026-11-30 to 90 plans of seven of them on 512, 256 and 128 points along each dimension
        // (lowering/docs/sweeps.md, "The estimate").
        single: [
            ReachedBySingle {
                operation: 0.695,
                exchange: 1.11,
                moved: 0.417,
                spilled: [0.205, 0.0327],
                tile: 5.46,
                warps: [6.29, 1.8],
                independent: 0.038,
                memory: 1.21,
                direct: 1.105,
                unrolled: [[0.84, 1.12], [0.95, 1.07]],
                deep: [[0.74, 1.1], [1.0, 1.15]],
                code: 1703.0,
                fetched: 0.117,
                norm: 1.467,
                registers: NeededBySingle {
                    kept: 1.217,
                    point: 3.61,
                    ahead: 3.41,
                    besides: 49.6,
                    ring: 16.6,
                },
            },
            ReachedBySingle {
                operation: 0.747,
                exchange: 0.169,
                moved: 0.144,
                spilled: [0.504, 0.0164],
                tile: 3.06,
                warps: [9.45, 7.01],
                independent: 0.337,
                memory: 1.03,
                direct: 1.053,
                unrolled: [[0.876; 2]; 2],
                deep: [[1.0; 2], [0.855; 2]],
                code: 1033.0,
                fetched: 0.215,
                norm: 1.585,
                registers: NeededBySingle {
                    kept: 0.964,
                    point: 3.28,
                    ahead: 0.0,
                    besides: 55.7,
                    ring: 19.9,
                },
            },
        ],
        // 0.84 to 1.18 of what is counted, where arithmetic is shared by points of a thread.
        thread_issue: 0.9,
        issue: 0.61,
        issue_per_warp: 0.0207,
    },
    shared_bytes_taken_min: 32 * 1024,
};

impl Reached {
    /// How much longer copies of halos take with so many bytes of a lane at once.
    pub fn halo_narrow(&self, bytes: f64) -> f64 {
        match bytes {
            ..8.0 => self.halo_by_bytes[0],
            8.0..16.0 => self.halo_by_bytes[1],
            _ => 1.0,
        }
    }
}
