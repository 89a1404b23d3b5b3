//! The table of faults.

use super::{
    edit::Edit::{self, Add, Copy, Drop, Put, Swap, Take},
    place::{
        Step::{self, Above, Below, Definition},
        at, from,
    },
};

/// A program that is right, with the plan of its kernel.
pub struct Case {
    pub name: &'static str,
    pub program: &'static str,
    pub plan: &'static str,
    /// Where its loop ends.
    pub end: i64,
}

/// A fault: its name, the case that it is planted in, and the change.
pub type Fault = (&'static str, &'static str, Edit);

const STAR2D: &str = include_str!("programs/star2d.mlir");
const STAR3D: &str = include_str!("programs/star3d.mlir");
const WAVE2D: &str = include_str!("programs/wave2d.mlir");
const TURN2D: &str = include_str!("programs/turn2d.mlir");

macro_rules! warps {
    ($more:literal) => {
        concat!(
            "mapping = \"warp\", points = array<i64: 1, 1>, threads = array<i64: 1, 32>, ",
            "steps = 2 : i64",
            $more
        )
    };
}

macro_rules! blocks {
    ($more:literal) => {
        concat!(
            "mapping = \"block\", points = array<i64: 1, 2, 1>, threads = array<i64: 1, 4, 32>, ",
            "steps = 2 : i64",
            $more
        )
    };
}

macro_rules! lines {
    ($steps:literal, $more:literal) => {
        concat!(
            "mapping = \"block\", points = array<i64: 1, 1>, threads = array<i64: 4, 32>, steps = ",
            $steps,
            " : i64",
            $more
        )
    };
}

/// Rows are read in the iteration that writes them, and no other level comes between.
const BLOCK_OF_ONE_STEP: &str = "mapping = \"block\", points = array<i64: 1, 2, 1>, \
                                 threads = array<i64: 1, 4, 32>, chunks = 1 : i64";

const fn case(name: &'static str, program: &'static str, plan: &'static str, end: i64) -> Case {
    Case { name, program, plan, end }
}

/// The programs: nine iterations each, of which eight are two pairs of sweeps.
pub const CASES: &[Case] = &[
    case("warp", STAR2D, warps!(", chunks = 1 : i64"), 9),
    case("warp-even", STAR2D, warps!(", chunks = 1 : i64"), 8),
    case("warp-odd", STAR2D, warps!(", chunks = 1 : i64"), 10),
    case("warp-scatter", STAR2D, warps!(", chunks = 1 : i64, form = \"scatter\""), 9),
    case("warp-chunks", STAR2D, warps!(", chunks = 3 : i64"), 9),
    case("warp-ring", STAR2D, warps!(", chunks = 1 : i64, loads = \"ring\", ring = 3 : i64"), 9),
    case("warp-prefetch", STAR2D, warps!(", chunks = 1 : i64, loads = \"prefetch\""), 9),
    case("warp-slots", STAR2D, warps!(", chunks = 1 : i64, queue_registers = 2 : i64"), 9),
    case("block", STAR3D, blocks!(", chunks = 1 : i64"), 9),
    case("block-single", STAR3D, BLOCK_OF_ONE_STEP, 3),
    case("block-scatter", STAR3D, blocks!(", chunks = 1 : i64, form = \"scatter\""), 9),
    case("lines", STAR2D, lines!("2", ", chunks = 1 : i64"), 9),
    case("lines-single", STAR2D, lines!("1", ", chunks = 1 : i64"), 3),
    case("lines-lazy", STAR2D, lines!("2", ", chunks = 1 : i64, skew = \"lazy\""), 9),
    case("wave", WAVE2D, warps!(", chunks = 1 : i64, queue_registers = 2 : i64"), 11),
    case("turn", TURN2D, warps!(", chunks = 1 : i64"), 9),
];

// Where kernels are changed.

/// What a turn of a loop over planes hands to the next: planes that came with it come first.
const NEXT: &str = "scf.yield <carried>,";
/// The same in scatter form.
const NEXT_SUMS: &str = "scf.yield <arith.";
/// A number brought into a range.
const CLAMP: &str = "arith.minsi <arith.maxsi>,";
// Of memory and of shared memory, and where the threads of a warp meet.
const LOAD: &str = "memref.load <memory>";
const STORE: &str = "memref.store .. <memory>";
const COPY: &str = "nvgpu.device_async_copy <memory>[..], <shared>";
const MEET: &str = "nvvm.bar.warp.sync";
const CLEAR: &str = "memref.store <0.000000e+00>, <shared>";
/// A plane that came with the turn goes into a slot.
const LEAVE_CARRIED: &str = "memref.store <carried>, <shared>";
/// The first copy of a frame, before the loops of tiles that have frames.
const FRAMES: &str = "nvgpu.device_async_copy .. <shared>";

/// From a store to the test of the thread's place in the tile.
const MASK: &[Step] = &[Above("scf.if"), Definition(0)];
/// From frames to the column that the first plane is read at.
const ARRIVING: &[Step] = &[Below(LOAD, 0), Above(CLAMP)];

// From the loop over phases: the first choice is that between the begin of the planes that are
// known to lie in the domain and their end, the third that between their end and the last plane.
const END_OF_LAST: &[Step] = &[Below("arith.select", 2)];
const BEGIN_OF_CERTAIN: &[Step] =
    &[Below("arith.select", 0), Definition(2), Definition(1), Definition(1)];
const BEGIN_OF_CERTAIN_AT_EDGE: &[Step] =
    &[Below("scf.for", 0), Below("arith.select", 0), Definition(2), Definition(1), Definition(1)];
/// From the loop over phases to the plane that its first turn reads.
const ARRIVAL: &[Step] = &[Below("arith.addi <carried>, <arith.addi>", 0), Definition(2)];
/// And to the first plane of the chunk.
const FIRST_OF_CHUNK: &[Step] =
    &[Below("arith.addi <carried>, <arith.addi>", 0), Definition(2), Definition(1)];

// From frames: cells copied in the loop over planes, in both copies of the ring, and where a level
// reads them.
const COPIED: &[Step] = &[Below("scf.for", 1), Below(COPY, 0)];
const COPIED_AGAIN: &[Step] = &[Below("scf.for", 1), Below(COPY, 1)];
const WRITTEN: &[Step] = &[Below("scf.for", 1), Below("arith.remui", 0)];
const READ: &[Step] = &[Below("scf.for", 1), Below("arith.remui", 1)];
/// From frames to where threads of a block meet in the loop over planes.
const TURN_OF_BLOCK: &[Step] = &[Below("scf.for", 1), Below("gpu.barrier", 0)];

/// From where a thread hands on its place to how far it moves, and to how it goes round.
const ON: &[Step] = &[Definition(0), Definition(1)];
const ROUND: &[Step] = &[Definition(0), Definition(2)];
/// Where a thread hands on its place.
const NEXT_PLACE: &str = "scf.yield <arith.minui>";

/// Faults of sweeps and of the host's loops around them.
pub const OF_SWEEPS: &[Fault] = &[
    // Sweeps of two fields: out, home, and the single steps.
    ("halo of the wrong field, out", "warp", Swap(at("boundaries(", 0), 0, 1)),
    ("halo of the wrong field, home", "warp", Swap(at("boundaries(", 1), 0, 1)),
    ("halo of the wrong field, single step", "warp", Swap(at("boundaries(", 2), 0, 1)),
    ("dropped last level, out", "warp", Put(at("sweep.kernel", 0), "steps 2", "steps 1")),
    ("dropped last level, home", "warp", Put(at("sweep.kernel", 1), "steps 2", "steps 1")),
    ("one level too many", "warp", Put(at("sweep.kernel", 2), "steps 1", "steps 2")),
    ("first plane left out", "warp", Put(at("sweep.kernel", 0), "<[1, ", "<[2, ")),
    ("last column left out", "warp", Put(at("sweep.kernel", 1), "69]>", "68]>")),
    ("domain beyond the halo", "warp", Put(at("sweep.kernel", 0), "<[1, 0]", "<[0, 0]")),
    ("a cell of the next column", "warp", Put(at("stencil.access", 1), "[0, -1]", "[0, 0]")),
    ("a cell of the wrong plane", "warp", Put(at("stencil.access", 9), "[1, 0]", "[0, 0]")),
    ("starts from the older field", "warp", Take(at("carried(", 0), 1, at("outs(", 0), 0)),
    ("writes where it reads", "warp", Take(at("outs(", 0), 0, at("carried(", 0), 1)),
    ("reserve dropped", "warp-even", Put(at("arith.constant 1 : index", 2), " 1 :", " 0 :")),
    ("too few iterations in pairs' stride", "warp", Put(at("arith.constant 4", 1), " 4 ", " 3 ")),
    ("too many pairs", "warp", Put(at("arith.constant 4", 0), " 4 ", " 2 ")),
    ("pairs hand on the wrong field", "warp", Swap(at("scf.yield", 0), 0, 1)),
    ("single steps hand on the wrong field", "warp-odd", Swap(at("scf.yield", 1), 0, 1)),
    (
        "single steps start from the wrong field",
        "warp",
        Swap(at("scf.for .. <scf.for>#0", 0), 6, 8),
    ),
    // Two levels.
    ("numbers of the wrong level, out", "wave", Swap(at("level_scalars(", 0), 1, 2)),
    ("numbers of one level twice", "wave", Copy(at("level_scalars(", 1), 2, 1)),
    ("levels swapped at the start", "wave", Swap(at("carried(", 0), 1, 3)),
    ("levels swapped between the sweeps", "wave", Swap(at("carried(", 1), 1, 3)),
    ("home of the level before, out", "wave", Swap(at("outs(", 0), 0, 1)),
    ("home of the level before, home", "wave", Swap(at("outs(", 1), 0, 1)),
    ("coefficient of another field", "wave", Take(at("reads(", 0), 1, at("carried(", 0), 1)),
    ("a slot too few", "wave", Put(at("sweep.kernel .. slots [", 0), "\"shared\", ", "")),
    // Three fields.
    ("halo of the wrong field of three, out", "turn", Swap(at("boundaries(", 0), 0, 1)),
    ("halo of the wrong field of three, home", "turn", Swap(at("boundaries(", 1), 0, 2)),
    ("wrong rotation of pairs", "turn", Swap(at("scf.yield", 0), 0, 1)),
    ("wrong rotation of single steps", "turn", Swap(at("scf.yield", 1), 1, 2)),
    ("stale remainder", "turn", Swap(at("scf.for .. <scf.for>#0", 0), 6, 8)),
];

/// Faults of kernels.
pub const OF_KERNELS: &[Fault] = &[
    // Kernels of warps.
    ("shuffle the other way, up", "warp", Put(at("nvvm.shfl.sync  up", 0), "up", "down")),
    ("shuffle the other way, down", "warp", Put(at("nvvm.shfl.sync  down", 0), "down", "up")),
    ("shuffle from too near", "warp", Add(at("nvvm.shfl.sync  up", 0), 3, -1)),
    ("swapped planes of a level", "warp", Swap(at(NEXT, 0), 0, 1)),
    ("planes handed to the wrong level", "warp", Swap(at(NEXT, 0), 1, 3)),
    ("planes of the edge handed to the wrong level", "warp", Swap(at(NEXT, 2), 1, 3)),
    ("prefetch one plane late", "warp-prefetch", Swap(at(NEXT, 0), 3, 4)),
    ("sums handed to the wrong stage", "warp-scatter", Swap(at(NEXT_SUMS, 0), 0, 1)),
    ("mask off by one", "warp", Add(from(STORE, 0, MASK), 2, 1)),
    ("a plane taken for the one before", "warp", Add(at(CLAMP, 0), 2, -1)),
    ("edge clamped to the domain", "warp", Add(from(FRAMES, 0, ARRIVING), 2, -1)),
    (
        "tiles that reach the edge taken for inner ones",
        "warp",
        Add(from("scf.if", 0, &[Definition(0)]), 2, 32),
    ),
    // Planes and chunks.
    ("last plane dropped", "warp", Add(from("scf.for", 0, END_OF_LAST), 3, -1)),
    (
        "planes certain one turn too early",
        "warp-chunks",
        Add(from("scf.for", 0, BEGIN_OF_CERTAIN), 1, -1),
    ),
    (
        "planes certain one turn too early, edge",
        "warp-chunks",
        Add(from(FRAMES, 0, BEGIN_OF_CERTAIN_AT_EDGE), 1, -1),
    ),
    ("warm-up one plane short", "warp-chunks", Add(from("scf.for", 0, ARRIVAL), 1, 1)),
    (
        "chunks one plane apart too far",
        "warp-chunks",
        Add(from("scf.for", 0, FIRST_OF_CHUNK), 2, 1),
    ),
    // Slots in shared memory, and the ring.
    ("a slot that is not written", "warp-slots", Drop(at(LEAVE_CARRIED, 0))),
    ("a slot that nothing clears", "warp-slots", Drop(at(CLEAR, 1))),
    (
        "two slots in one place",
        "warp-slots",
        Take(from(CLEAR, 2, &[Definition(2)]), 2, from(CLEAR, 1, &[Definition(2)]), 2),
    ),
    (
        "one group too many may be open",
        "warp-ring",
        Put(at("nvvm.cp.async.wait.group 1", 1), "1", "2"),
    ),
    ("copies that no wait counts", "warp-ring", Drop(at("nvvm.cp.async.commit.group", 0))),
    ("copies waited for too late", "warp-ring", Drop(at("nvvm.cp.async.wait.group", 0))),
    ("a plane that is not copied", "warp-ring", Drop(at(COPY, 0))),
    // Frames.
    ("a frame's cell of the wrong home", "warp", Take(from(FRAMES, 0, COPIED), 1, at(LOAD, 0), 1)),
    (
        "a frame's cell of the wrong home, block",
        "block",
        Take(from(FRAMES, 0, COPIED_AGAIN), 1, at(LOAD, 0), 1),
    ),
    ("a frame read one plane late", "warp", Add(from(FRAMES, 0, READ), 1, -1)),
    ("a frame read one plane late, block", "block", Add(from(FRAMES, 0, READ), 1, -1)),
    ("a frame copied one plane late", "warp", Add(from(FRAMES, 0, WRITTEN), 1, -1)),
    ("a frame's second copy not written", "warp", Drop(from(FRAMES, 0, COPIED_AGAIN))),
    ("a frame's second copy not written, block", "block", Drop(from(FRAMES, 0, COPIED_AGAIN))),
    ("frames that nothing waits for", "warp", Drop(at("nvvm.cp.async.wait.group", 1))),
    (
        "frames without a meeting, at the start",
        "warp-chunks",
        Drop(from("gpu.func", 1, &[Below(MEET, 0)])),
    ),
    ("frames without a meeting", "warp", Drop(at(MEET, 1))),
    ("frames without a meeting, other phases", "warp", Drop(at(MEET, 2))),
    ("frames without a meeting, block", "block", Drop(from(FRAMES, 0, TURN_OF_BLOCK))),
    ("frames cleared without a meeting", "warp", Drop(at("gpu.barrier", 0))),
    // Blocks.
    ("missing barrier, first level", "block", Drop(at("gpu.barrier", 1))),
    ("missing barrier, second level", "block", Drop(at("gpu.barrier", 2))),
    ("missing barrier of single steps", "block-single", Drop(at("gpu.barrier", 1))),
    ("missing barrier, scatter", "block-scatter", Drop(at("gpu.barrier", 1))),
    ("a row that is not left", "block", Drop(at("memref.store <memref.load>, <shared>", 0))),
    ("rows of the wrong warp", "block", Add(at(CLAMP, 1), 2, -1)),
    // Lines in circular arrays.
    ("missing barrier of lines, first level", "lines", Drop(at("gpu.barrier", 0))),
    ("missing barrier of lines, second level", "lines", Drop(at("gpu.barrier", 1))),
    ("lines read too early", "lines-single", Drop(at("gpu.barrier", 0))),
    ("lines written too early", "lines-single", Drop(at("gpu.barrier", 1))),
    ("missing barrier of lines that wait", "lines-lazy", Drop(at("gpu.barrier", 1))),
    ("lines cleared without a barrier", "lines-lazy", Drop(at("gpu.barrier", 0))),
    ("lines that nothing clears", "lines", Drop(at(CLEAR, 0))),
    ("a line that is not left", "lines", Drop(at("memref.store <memref.load>, <shared>", 0))),
    ("a place one line too far", "lines", Add(from(NEXT_PLACE, 0, ON), 2, 32)),
    ("a circle one line too long", "lines", Add(from(NEXT_PLACE, 0, ROUND), 2, 32)),
    ("an oldest line one too young", "lines", Add(from("arith.minui", 0, &[Definition(1)]), 2, 32)),
    ("a frame read one line late", "lines", Add(from(FRAMES, 0, READ), 1, -1)),
    ("a frame copied one line late", "lines", Add(from(FRAMES, 0, WRITTEN), 1, -1)),
    ("frames without a meeting, lines", "lines-lazy", Drop(from(FRAMES, 0, TURN_OF_BLOCK))),
    ("shuffle the other way, block", "block", Put(at("nvvm.shfl.sync  up", 0), "up", "down")),
];
