//! The kernels that measure, and what they are run with.
//!
//! All have one form. Every warp reads the clock, runs a loop whose body holds nothing but what is
//! measured, reads the clock again and writes both down, with its multiprocessor. The loop runs
//! twice: the first round brings code and data into their caches, the second counts. Whatever a
//! body computes is stored after the loop under a condition that is never true and that the
//! assembler cannot know; a load's address depends on values that earlier loads gave. So nothing
//! can be removed, merged or moved out of the loop.

mod arithmetic;
mod caches;
mod memory;

pub use caches::{CARVED, CARVED_ALONE, CODE_ALONE, CODE_TOGETHER};

use super::machine_code::Change;
use std::fmt::Write;

/// Threads of a warp; the PTX depends on it.
pub const WARP_THREADS: u32 = 32;
/// What each warp writes: the clock before, the clock after, its multiprocessor, nothing.
pub const SLOT_WORDS: usize = 4;
/// Warps that kernels with clocks have on a multiprocessor at most.
pub const WARPS_MAX: u32 = 64;
/// Bytes of what kernels stream through.
pub const POOL_BYTES: usize = 512 << 20;

/// A kernel that measures one number.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Its name: what is measured, `throughput-dfma`. Also the name of its file.
    pub name: String,
    /// The kernel `probe`.
    pub ptx: String,
    /// Opcodes that must be in the innermost loop, by the beginning of their names, and how many.
    pub wanted: Vec<(&'static str, usize)>,
    /// How many other instructions the loop may have at most.
    pub others_max: usize,
    /// What is changed in its machine code.
    pub change: Option<Change>,
    /// What it is run with.
    pub runs: Vec<Run>,
}

/// One way to run a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// What varies among the runs of a probe besides the iterations: bytes of a footprint or of
    /// code, warps of a multiprocessor, launches, blocks.
    pub x: u64,
    /// Iterations of the loop.
    pub iterations: u32,
    /// Operations of an iteration, those of one warp: instructions, or bytes.
    pub operations: u64,
    /// Warps of a block.
    pub warps: u32,
    /// Blocks.
    pub blocks: Blocks,
    /// Shared memory of a block that is asked for and not used.
    pub shared_bytes: u32,
    /// How much of a multiprocessor's store is to be shared memory; else the driver chooses.
    pub carved_bytes: Option<u32>,
    /// What the kernel reads.
    pub content: Content,
    /// Launches, one after the other.
    pub launches: u32,
    /// Whether the time is that of the kernels' own clocks, or else of events around them.
    pub timed_inside: bool,
}

/// How many blocks are launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// So many in all.
    Exactly(u32),
    /// So many for each multiprocessor of the device.
    PerMultiprocessor(u32),
}

/// What the memory holds that a kernel reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Zeros, [`POOL_BYTES`] of them.
    Zeros,
    /// Addresses, each of which leads to the next, in a circle.
    Chain {
        /// From the first to the last.
        bytes: u64,
        /// From one place to its neighbour.
        stride: u64,
        /// Places are visited in no order within so many neighbours; 1 is one after the other.
        shuffled: u64,
        /// Whether other memory is written before each launch, so that no cache holds it.
        cold: bool,
    },
}

impl Run {
    /// One block with its own clock.
    fn block(warps: u32, iterations: u32, operations: u64) -> Run {
        Run {
            x: 0,
            iterations,
            operations,
            warps,
            blocks: Blocks::Exactly(1),
            shared_bytes: 0,
            carved_bytes: None,
            content: Content::Zeros,
            launches: 1,
            timed_inside: true,
        }
    }

    /// Twice: the second with twice as many iterations.
    fn twice(self) -> [Run; 2] {
        [self, Run { iterations: 2 * self.iterations, ..self }]
    }
}

/// Every probe, in the order in which they are run.
pub fn all() -> Vec<Probe> {
    let mut probes = vec![arithmetic::clock()];
    probes.extend(arithmetic::throughput());
    probes.extend(memory::throughput());
    probes.extend(arithmetic::latency());
    probes.extend(memory::latency());
    probes.extend(caches::all());
    probes.extend(arithmetic::occupancy());
    probes
}

/// A kernel that does nothing.
pub fn nothing() -> Probe {
    let ptx = format!("{HEAD}{{\nret;\n}}\n");
    Probe {
        name: "nothing".to_owned(),
        ptx,
        wanted: Vec::new(),
        others_max: 0,
        change: None,
        runs: Vec::new(),
    }
}

/// The parts of a kernel's text.
#[derive(Clone, Debug, Default)]
struct Text {
    /// Registers and memory beside those that every kernel has.
    declarations: String,
    /// What is done once.
    setup: String,
    /// The body of the loop.
    body: String,
    /// Uses the results, as far as the assembler knows.
    sink: String,
    /// Blocks after the end that the body branches to.
    behind: String,
    /// How often the loop runs; the last time counts.
    rounds: u32,
    /// Threads of a block at most.
    threads_max: u32,
    /// Blocks that have to fit on a multiprocessor.
    blocks_min: u32,
}

/// What every kernel begins with. `thread`, `lane`, `index` (of all threads) and `zero`, which is 0
/// and not known to the assembler, are there for all.
const BEGIN: &str = "\
.reg .pred %more, %use;
.reg .b32 %iterations, %zero, %left, %round, %thread, %lane, %block, %threads, %index, %place;
.reg .b64 %times, %source, %target, %start, %end, %slot, %wide, %where;
ld.param.u64 %times, [times];
ld.param.u64 %source, [source];
ld.param.u64 %target, [target];
ld.param.u32 %iterations, [iterations];
ld.param.u32 %zero, [zero];
cvta.to.global.u64 %times, %times;
cvta.to.global.u64 %source, %source;
cvta.to.global.u64 %target, %target;
mov.u32 %thread, %tid.x;
mov.u32 %block, %ctaid.x;
mov.u32 %threads, %ntid.x;
mad.lo.u32 %index, %block, %threads, %thread;
and.b32 %lane, %thread, 31;
";

/// What is between the setup and the body.
///
/// A warp goes on after a barrier for as long as it takes to read a clock; at a second one it
/// cannot arrive before all are through the first.
const LOOP: &str = "\
round:
bar.sync 0;
bar.sync 0;
mov.u64 %start, %clock64;
mov.u32 %left, %iterations;
next:
.pragma \"nounroll\";
";

/// What is after the body.
const END: &str = "\
add.s32 %left, %left, -1;
setp.ne.s32 %more, %left, 0;
@%more bra next;
mov.u64 %end, %clock64;
add.s32 %round, %round, -1;
setp.ne.s32 %more, %round, 0;
@%more bra round;
shr.u32 %place, %index, 5;
mul.wide.u32 %wide, %place, 32;
add.u64 %slot, %times, %wide;
st.global.v2.u64 [%slot], {%start, %end};
mov.u32 %place, %smid;
cvt.u64.u32 %where, %place;
st.global.v2.u64 [%slot+16], {%where, %where};
setp.ne.s32 %use, %zero, 0;
@!%use bra done;
";

/// How often the loop of most probes runs: the first time fills caches.
pub const ROUNDS: u32 = 2;

impl Text {
    fn new() -> Text {
        Text { rounds: ROUNDS, threads_max: 1024, blocks_min: 1, ..Text::default() }
    }

    /// The whole text.
    fn ptx(&self) -> String {
        let mut ptx = HEAD.to_owned();
        let parts = [&self.declarations, BEGIN, &self.setup];
        let limits =
            format!(".maxntid {}, 1, 1\n.minnctapersm {}\n", self.threads_max, self.blocks_min);
        write!(ptx, "{limits}{{\n{}", parts.concat()).expect("text grows");
        write!(ptx, "mov.u32 %round, {};\n{LOOP}{}{END}", self.rounds, self.body)
            .expect("text grows");
        write!(ptx, "{}done:\nret;\n{}}}\n", self.sink, self.behind).expect("text grows");
        ptx
    }
}

/// What a file and its kernel begin with.
const HEAD: &str = "\
// A kernel that measures the machine.
.version 8.0
.target sm_90
.address_size 64
.visible .entry probe(
.param .u64 times, .param .u64 source, .param .u64 target,
.param .u32 iterations, .param .u32 zero)
";

/// Lines for each of some numbers.
fn lines<I: IntoIterator<Item = usize>>(numbers: I, line: impl Fn(usize) -> String) -> String {
    numbers.into_iter().map(|number| line(number) + "\n").collect()
}

#[cfg(test)]
mod tests;
