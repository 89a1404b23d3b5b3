//! The table of faults.

use super::{
    edit::Edit::{self, Add, Copy, Drop, Put, Swap, Take},
    place::{
        Step::{self, Above, Below, Definition},
        at, from,
    },
    run::Stage::{self, Kernels, Sweeps},
};

/// A program that is right, with the plan of its kernel.
pub struct Case {
    pub name: &'static str,
    pub program: &'static str,
    pub plan: &'static str,
    /// Where its loop ends.
    pub end: i64,
}

/// A fault and where it is planted.
pub struct Fault {
    pub name: &'static str,
    pub case: &'static str,
    pub stage: Stage,
    pub edit: Edit,
}

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
                                 threads = array<i64: 1, 4, 32>";

const fn case(name: &'static str, program: &'static str, plan: &'static str, end: i64) -> Case {
    Case { name, program, plan, end }
}

/// The programs: nine iterations each, of which eight are two pairs of sweeps.
pub const CASES: &[Case] = &[
    case("warp", STAR2D, warps!(""), 9),
    case("warp-even", STAR2D, warps!(""), 8),
    case("warp-odd", STAR2D, warps!(""), 10),
    case("warp-scatter", STAR2D, warps!(", form = \"scatter\""), 9),
    case("warp-chunks", STAR2D, warps!(", chunks = 3 : i64"), 9),
    case("warp-ring", STAR2D, warps!(", loads = \"ring\", ring = 3 : i64"), 9),
    case("warp-prefetch", STAR2D, warps!(", loads = \"prefetch\""), 9),
    case("warp-slots", STAR2D, warps!(", queue_registers = 2 : i64"), 9),
    case("block", STAR3D, blocks!(""), 9),
    case("block-single", STAR3D, BLOCK_OF_ONE_STEP, 3),
    case("block-scatter", STAR3D, blocks!(", form = \"scatter\""), 9),
    case("lines", STAR2D, lines!("2", ""), 9),
    case("lines-single", STAR2D, lines!("1", ""), 3),
    case("lines-lazy", STAR2D, lines!("2", ", skew = \"lazy\""), 9),
    case("wave", WAVE2D, warps!(", queue_registers = 2 : i64"), 11),
    case("turn", TURN2D, warps!(""), 9),
];

const fn fault(name: &'static str, case: &'static str, stage: Stage, edit: Edit) -> Fault {
    Fault { name, case, stage, edit }
}

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

/// The faults.
pub const FAULTS: &[Fault] = &[
    // Sweeps of two fields: out, home, and the single steps.
    fault("halo of the wrong field, out", "warp", Sweeps, Swap(at("boundaries(", 0), 0, 1)),
    fault("halo of the wrong field, home", "warp", Sweeps, Swap(at("boundaries(", 1), 0, 1)),
    fault("halo of the wrong field, single step", "warp", Sweeps, Swap(at("boundaries(", 2), 0, 1)),
    fault(
        "dropped last level, out",
        "warp",
        Sweeps,
        Put(at("sweep.kernel", 0), "steps 2", "steps 1"),
    ),
    fault(
        "dropped last level, home",
        "warp",
        Sweeps,
        Put(at("sweep.kernel", 1), "steps 2", "steps 1"),
    ),
    fault("one level too many", "warp", Sweeps, Put(at("sweep.kernel", 2), "steps 1", "steps 2")),
    fault("first plane left out", "warp", Sweeps, Put(at("sweep.kernel", 0), "<[1, ", "<[2, ")),
    fault("last column left out", "warp", Sweeps, Put(at("sweep.kernel", 1), "69]>", "68]>")),
    fault(
        "domain beyond the halo",
        "warp",
        Sweeps,
        Put(at("sweep.kernel", 0), "<[1, 0]", "<[0, 0]"),
    ),
    fault(
        "a cell of the next column",
        "warp",
        Sweeps,
        Put(at("stencil.access", 1), "[0, -1]", "[0, 0]"),
    ),
    fault(
        "a cell of the wrong plane",
        "warp",
        Sweeps,
        Put(at("stencil.access", 9), "[1, 0]", "[0, 0]"),
    ),
    fault(
        "starts from the older field",
        "warp",
        Sweeps,
        Take(at("carried(", 0), 1, at("outs(", 0), 0),
    ),
    fault("writes where it reads", "warp", Sweeps, Take(at("outs(", 0), 0, at("carried(", 0), 1)),
    fault(
        "reserve dropped",
        "warp-even",
        Sweeps,
        Put(at("arith.constant 1 : index", 2), " 1 :", " 0 :"),
    ),
    fault(
        "too few iterations in pairs' stride",
        "warp",
        Sweeps,
        Put(at("arith.constant 4", 1), " 4 ", " 3 "),
    ),
    fault("too many pairs", "warp", Sweeps, Put(at("arith.constant 4", 0), " 4 ", " 2 ")),
    fault("pairs hand on the wrong field", "warp", Sweeps, Swap(at("scf.yield", 0), 0, 1)),
    fault(
        "single steps hand on the wrong field",
        "warp-odd",
        Sweeps,
        Swap(at("scf.yield", 1), 0, 1),
    ),
    fault(
        "single steps start from the wrong field",
        "warp",
        Sweeps,
        Swap(at("scf.for .. <scf.for>#0", 0), 6, 8),
    ),
    // Two levels.
    fault("numbers of the wrong level, out", "wave", Sweeps, Swap(at("level_scalars(", 0), 1, 2)),
    fault("numbers of one level twice", "wave", Sweeps, Copy(at("level_scalars(", 1), 2, 1)),
    fault("levels swapped at the start", "wave", Sweeps, Swap(at("carried(", 0), 1, 3)),
    fault("levels swapped between the sweeps", "wave", Sweeps, Swap(at("carried(", 1), 1, 3)),
    fault("home of the level before, out", "wave", Sweeps, Swap(at("outs(", 0), 0, 1)),
    fault("home of the level before, home", "wave", Sweeps, Swap(at("outs(", 1), 0, 1)),
    fault(
        "coefficient of another field",
        "wave",
        Sweeps,
        Take(at("reads(", 0), 1, at("carried(", 0), 1),
    ),
    fault(
        "a slot too few",
        "wave",
        Sweeps,
        Put(at("sweep.kernel .. slots [", 0), "\"shared\", ", ""),
    ),
    // Three fields.
    fault(
        "halo of the wrong field of three, out",
        "turn",
        Sweeps,
        Swap(at("boundaries(", 0), 0, 1),
    ),
    fault(
        "halo of the wrong field of three, home",
        "turn",
        Sweeps,
        Swap(at("boundaries(", 1), 0, 2),
    ),
    fault("wrong rotation of pairs", "turn", Sweeps, Swap(at("scf.yield", 0), 0, 1)),
    fault("wrong rotation of single steps", "turn", Sweeps, Swap(at("scf.yield", 1), 1, 2)),
    fault("stale remainder", "turn", Sweeps, Swap(at("scf.for .. <scf.for>#0", 0), 6, 8)),
    // Kernels of warps.
    fault(
        "shuffle the other way, up",
        "warp",
        Kernels,
        Put(at("nvvm.shfl.sync  up", 0), "up", "down"),
    ),
    fault(
        "shuffle the other way, down",
        "warp",
        Kernels,
        Put(at("nvvm.shfl.sync  down", 0), "down", "up"),
    ),
    fault("shuffle from too near", "warp", Kernels, Add(at("nvvm.shfl.sync  up", 0), 3, -1)),
    fault("swapped planes of a level", "warp", Kernels, Swap(at(NEXT, 0), 0, 1)),
    fault("planes handed to the wrong level", "warp", Kernels, Swap(at(NEXT, 0), 1, 3)),
    fault("planes of the edge handed to the wrong level", "warp", Kernels, Swap(at(NEXT, 2), 1, 3)),
    fault("prefetch one plane late", "warp-prefetch", Kernels, Swap(at(NEXT, 0), 3, 4)),
    fault("sums handed to the wrong stage", "warp-scatter", Kernels, Swap(at(NEXT_SUMS, 0), 0, 1)),
    fault("mask off by one", "warp", Kernels, Add(from(STORE, 0, MASK), 2, 1)),
    fault("a plane taken for the one before", "warp", Kernels, Add(at(CLAMP, 0), 2, -1)),
    fault("edge clamped to the domain", "warp", Kernels, Add(from(FRAMES, 0, ARRIVING), 2, -1)),
    fault(
        "tiles that reach the edge taken for inner ones",
        "warp",
        Kernels,
        Add(from("scf.if", 0, &[Definition(0)]), 2, 32),
    ),
    // Planes and chunks.
    fault("last plane dropped", "warp", Kernels, Add(from("scf.for", 0, END_OF_LAST), 3, -1)),
    fault(
        "planes certain one turn too early",
        "warp-chunks",
        Kernels,
        Add(from("scf.for", 0, BEGIN_OF_CERTAIN), 1, -1),
    ),
    fault(
        "planes certain one turn too early, edge",
        "warp-chunks",
        Kernels,
        Add(from(FRAMES, 0, BEGIN_OF_CERTAIN_AT_EDGE), 1, -1),
    ),
    fault(
        "warm-up one plane short",
        "warp-chunks",
        Kernels,
        Add(from("scf.for", 0, ARRIVAL), 1, 1),
    ),
    fault(
        "chunks one plane apart too far",
        "warp-chunks",
        Kernels,
        Add(from("scf.for", 0, FIRST_OF_CHUNK), 2, 1),
    ),
    // Slots in shared memory, and the ring.
    fault("a slot that is not written", "warp-slots", Kernels, Drop(at(LEAVE_CARRIED, 0))),
    fault("a slot that nothing clears", "warp-slots", Kernels, Drop(at(CLEAR, 1))),
    fault(
        "two slots in one place",
        "warp-slots",
        Kernels,
        Take(from(CLEAR, 2, &[Definition(2)]), 2, from(CLEAR, 1, &[Definition(2)]), 2),
    ),
    fault(
        "one group too many may be open",
        "warp-ring",
        Kernels,
        Put(at("nvvm.cp.async.wait.group 1", 1), "1", "2"),
    ),
    fault(
        "copies that no wait counts",
        "warp-ring",
        Kernels,
        Drop(at("nvvm.cp.async.commit.group", 0)),
    ),
    fault(
        "copies waited for too late",
        "warp-ring",
        Kernels,
        Drop(at("nvvm.cp.async.wait.group", 0)),
    ),
    fault("a plane that is not copied", "warp-ring", Kernels, Drop(at(COPY, 0))),
    // Frames.
    fault(
        "a frame's cell of the wrong home",
        "warp",
        Kernels,
        Take(from(FRAMES, 0, COPIED), 1, at(LOAD, 0), 1),
    ),
    fault(
        "a frame's cell of the wrong home, block",
        "block",
        Kernels,
        Take(from(FRAMES, 0, COPIED_AGAIN), 1, at(LOAD, 0), 1),
    ),
    fault("a frame read one plane late", "warp", Kernels, Add(from(FRAMES, 0, READ), 1, -1)),
    fault(
        "a frame read one plane late, block",
        "block",
        Kernels,
        Add(from(FRAMES, 0, READ), 1, -1),
    ),
    fault("a frame copied one plane late", "warp", Kernels, Add(from(FRAMES, 0, WRITTEN), 1, -1)),
    fault(
        "a frame's second copy not written",
        "warp",
        Kernels,
        Drop(from(FRAMES, 0, COPIED_AGAIN)),
    ),
    fault(
        "a frame's second copy not written, block",
        "block",
        Kernels,
        Drop(from(FRAMES, 0, COPIED_AGAIN)),
    ),
    fault(
        "frames that nothing waits for",
        "warp",
        Kernels,
        Drop(at("nvvm.cp.async.wait.group", 1)),
    ),
    fault(
        "frames without a meeting, at the start",
        "warp-chunks",
        Kernels,
        Drop(from("gpu.func", 1, &[Below(MEET, 0)])),
    ),
    fault("frames without a meeting", "warp", Kernels, Drop(at(MEET, 1))),
    fault("frames without a meeting, other phases", "warp", Kernels, Drop(at(MEET, 2))),
    fault(
        "frames without a meeting, block",
        "block",
        Kernels,
        Drop(from(FRAMES, 0, TURN_OF_BLOCK)),
    ),
    fault("frames cleared without a meeting", "warp", Kernels, Drop(at("gpu.barrier", 0))),
    // Blocks.
    fault("missing barrier, first level", "block", Kernels, Drop(at("gpu.barrier", 1))),
    fault("missing barrier, second level", "block", Kernels, Drop(at("gpu.barrier", 2))),
    fault("missing barrier of single steps", "block-single", Kernels, Drop(at("gpu.barrier", 1))),
    fault("missing barrier, scatter", "block-scatter", Kernels, Drop(at("gpu.barrier", 1))),
    fault(
        "a row that is not left",
        "block",
        Kernels,
        Drop(at("memref.store <memref.load>, <shared>", 0)),
    ),
    fault("rows of the wrong warp", "block", Kernels, Add(at(CLAMP, 1), 2, -1)),
    // Lines in circular arrays.
    fault("missing barrier of lines, first level", "lines", Kernels, Drop(at("gpu.barrier", 0))),
    fault("missing barrier of lines, second level", "lines", Kernels, Drop(at("gpu.barrier", 1))),
    fault("lines read too early", "lines-single", Kernels, Drop(at("gpu.barrier", 0))),
    fault("lines written too early", "lines-single", Kernels, Drop(at("gpu.barrier", 1))),
    fault("missing barrier of lines that wait", "lines-lazy", Kernels, Drop(at("gpu.barrier", 1))),
    fault("lines cleared without a barrier", "lines-lazy", Kernels, Drop(at("gpu.barrier", 0))),
    fault("lines that nothing clears", "lines", Kernels, Drop(at(CLEAR, 0))),
    fault(
        "a line that is not left",
        "lines",
        Kernels,
        Drop(at("memref.store <memref.load>, <shared>", 0)),
    ),
    fault("a place one line too far", "lines", Kernels, Add(from(NEXT_PLACE, 0, ON), 2, 32)),
    fault("a circle one line too long", "lines", Kernels, Add(from(NEXT_PLACE, 0, ROUND), 2, 32)),
    fault(
        "an oldest line one too young",
        "lines",
        Kernels,
        Add(from("arith.minui", 0, &[Definition(1)]), 2, 32),
    ),
    fault("a frame read one line late", "lines", Kernels, Add(from(FRAMES, 0, READ), 1, -1)),
    fault("a frame copied one line late", "lines", Kernels, Add(from(FRAMES, 0, WRITTEN), 1, -1)),
    fault(
        "frames without a meeting, lines",
        "lines-lazy",
        Kernels,
        Drop(from(FRAMES, 0, TURN_OF_BLOCK)),
    ),
    fault(
        "shuffle the other way, block",
        "block",
        Kernels,
        Put(at("nvvm.shfl.sync  up", 0), "up", "down"),
    ),
];
