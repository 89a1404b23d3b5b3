//! Sizes of caches, bandwidths, and what a launch takes.

use super::{Blocks, Content, POOL_BYTES, Probe, Run, Text, WARP_THREADS, lines, memory};

/// Steps of a chain of addresses in a body.
const CHAINED: u64 = 64;
/// Bytes between two addresses of a chain: a line of the caches.
const LINE_BYTES: u64 = 128;
/// How much of the store of the first-level cache is shared memory in its first series: no more
/// than a block needs that asks for none.
pub const CARVED_ALONE: u32 = 8 * KIB;
/// The other series: how they are called, how much is shared memory, and how much of that a block
/// asks for. In the first there is room for one block and no more: the driver has no choice.
pub const CARVED: [(&str, u32, u32); 2] =
    [("l1-beside-shared", 132 * KIB, 131 * KIB), ("l1-beside-carved", 100 * KIB, 0)];
const KIB: u32 = 1024;
/// What a thread of a stream moves with one instruction.
const VECTOR_BYTES: usize = 16;
/// Such instructions of an iteration.
const VECTORS: usize = 4;
/// Far more than first-level caches and less than half of the second-level cache hold.
const L2_BYTES: usize = 16 << 20;
/// Far more than one first-level cache holds, and soon read once.
const L2_BYTES_ALONE: usize = 1 << 20;
/// How probes begin whose code is executed by one warp, and by four of each partition.
pub const CODE_ALONE: &str = "code-1";
/// The same by four warps of each partition.
pub const CODE_TOGETHER: &str = "code-16";
/// Bytes of an instruction.
const INSTRUCTION_BYTES: u64 = 16;

pub(super) fn all() -> Vec<Probe> {
    let mut probes = vec![first_level("l1-alone", CARVED_ALONE, 0)];
    probes.extend(CARVED.map(|(name, carved, asked)| first_level(name, carved, asked)));
    let everywhere = Blocks::PerMultiprocessor(2);
    probes.extend([
        stream("l2-read", L2_BYTES, everywhere, false),
        stream("l2-read-alone", L2_BYTES_ALONE, Blocks::Exactly(1), false),
        stream("hbm-copy", POOL_BYTES, everywhere, true),
        launches(),
    ]);
    probes.extend(blocks());
    let kib = [4, 8, 16, 24, 32, 40, 48, 64, 96, 112, 120, 128, 136, 144, 160, 192, 256, 512];
    probes.extend(kib.map(|kib| code(CODE_ALONE, 1, kib)));
    probes.extend(kib.map(|kib| code(CODE_TOGETHER, 16, kib)));
    // What other numbers of warps take is in no coefficient, but in the samples.
    let others = |warps: u32| [64, 192].map(|kib| code(&format!("code-{warps}"), warps, kib));
    probes.extend([2, 4, 8, 32].into_iter().flat_map(others));
    probes
}

/// A chain through growing memory, line after line: steps take longer once it does not fit.
fn first_level(name: &str, carved: u32, shared_bytes: u32) -> Probe {
    let run = |kib: u64| {
        let bytes = kib * 1024;
        let content = Content::Chain { bytes, stride: LINE_BYTES, shuffled: 1, cold: false };
        // Both rounds go around whole circles.
        let iterations = (2 * bytes / LINE_BYTES / CHAINED) as u32;
        let carved_bytes = Some(carved);
        Run { x: bytes, content, shared_bytes, carved_bytes, ..Run::block(1, iterations, CHAINED) }
    };
    let probe = memory::follow(name, Content::Zeros, 1, 2);
    Probe { runs: (48..=272).step_by(8).map(run).collect(), ..probe }
}

/// Multiprocessors read, or copy, as much as they can. A stripe is what all threads move with
/// one instruction; stripes go around in a power of two of bytes.
fn stream(name: &str, bytes: usize, blocks: Blocks, copies: bool) -> Probe {
    let vector =
        |first: usize| format!("{{%r{first}, %r{}, %r{}, %r{}}}", first + 1, first + 2, first + 3);
    let places = lines(0..VECTORS, |number| {
        format!(
            "and.b64 %o{number}, %offset, {};\nadd.u64 %offset, %offset, %stripe;\n\
             add.u64 %at{number}, %source, %o{number};",
            bytes - VECTOR_BYTES
        )
    });
    let loads = lines(0..VECTORS, |number| {
        format!("ld.global.v4.b32 {}, [%at{number}];", vector(4 * number))
    });
    let store = |number: usize| {
        format!(
            "add.u64 %at{number}, %target, %o{number};\nst.global.v4.b32 [%at{number}], {};",
            vector(4 * number)
        )
    };
    let unite = |word: usize| format!("or.b32 %sum, %sum, %r{word};");
    let rest = if copies { lines(0..VECTORS, store) } else { lines(0..4 * VECTORS, unite) };
    let text = Text {
        declarations: "\
.reg .b32 %r<16>, %sum, %all, %blocks;
.reg .b64 %offset, %stripe, %o<4>, %at<4>;
"
        .to_owned(),
        setup: format!(
            "mov.u32 %blocks, %nctaid.x;\nmul.lo.u32 %all, %blocks, %threads;\n\
             mul.wide.u32 %stripe, %all, {VECTOR_BYTES};\n\
             mul.wide.u32 %offset, %index, {VECTOR_BYTES};\nmov.u32 %sum, 0;\n"
        ),
        body: places + &loads + &rest,
        sink: "st.global.b32 [%target], %sum;\n".to_owned(),
        blocks_min: 2,
        ..Text::new()
    };
    let moved = VECTORS * VECTOR_BYTES * WARP_THREADS as usize * if copies { 2 } else { 1 };
    let run = Run { blocks, ..Run::block(32, 128, moved as u64) };
    let stores = copies.then_some(("STG.E.128", VECTORS));
    Probe {
        name: name.to_owned(),
        ptx: text.ptx(),
        wanted: [("LDG.E.128", VECTORS)].into_iter().chain(stores).collect(),
        others_max: 48,
        change: None,
        runs: run.twice().to_vec(),
    }
}

/// Kernels that do nothing, one after the other.
fn launches() -> Probe {
    let run = |launches: u32| Run {
        x: launches.into(),
        launches,
        timed_inside: false,
        ..Run::block(1, 1, 1)
    };
    let runs = [500, 1000].map(run).to_vec();
    Probe { name: "launches".to_owned(), runs, ..super::nothing() }
}

/// Blocks that are alone on their multiprocessor, because of the shared memory that they ask for,
/// one after the other; and the same block by itself.
fn blocks() -> [Probe; 2] {
    /// More than half of a multiprocessor's.
    const SHARED_BYTES: u32 = 120 * 1024;
    let text = Text {
        declarations: ".reg .f32 %sum, %x, %y;\n".to_owned(),
        // Nothing is loaded: the first clock is soon.
        setup: "cvt.rn.f32.s32 %x, %thread;\ncvt.rn.f32.s32 %y, %lane;\nmov.f32 %sum, %x;\n"
            .to_owned(),
        body: "fma.rn.f32 %sum, %sum, %x, %y;\n".repeat(CHAINED as usize),
        sink: "st.global.f32 [%target], %sum;\n".to_owned(),
        ..Text::new()
    };
    let run = |blocks: u32| Run {
        x: blocks.into(),
        blocks: Blocks::PerMultiprocessor(blocks),
        shared_bytes: SHARED_BYTES,
        ..Run::block(8, 64, CHAINED)
    };
    let probe = |name: &str, rounds: u32, blocks: &[u32]| Probe {
        name: name.to_owned(),
        ptx: Text { rounds, ..text.clone() }.ptx(),
        wanted: vec![("FFMA", CHAINED as usize)],
        others_max: 8,
        change: None,
        runs: blocks.iter().map(|&blocks| run(blocks)).collect(),
    };
    [probe("block-alone", 2, &[1]), probe("blocks", 1, &[4, 8])]
}

/// Code that so many warps execute from the first instruction to the last, again and again. A warp
/// that is alone begins one in each cycle, where it is fetched so fast.
fn code(name: &str, warps: u32, kib: u64) -> Probe {
    const CHAINS: usize = 8;
    /// Bytes that a warp executes in the shorter of two runs, about.
    const EXECUTED_BYTES: u64 = 1 << 20;
    let bytes = kib << 10;
    let count = (bytes / INSTRUCTION_BYTES) as usize;
    let begin = lines(0..CHAINS, |chain| {
        format!("add.s32 %place, %thread, {chain};\ncvt.rn.f32.s32 %f{chain}, %place;")
    });
    let text = Text {
        declarations: ".reg .f32 %f<8>, %x, %y;\n.reg .b64 %mine;\n".to_owned(),
        setup: format!(
            "{begin}mul.wide.u32 %mine, %lane, 8;\nadd.u64 %mine, %source, %mine;\n\
             ld.global.f32 %x, [%mine];\nld.global.f32 %y, [%mine+4];\n"
        ),
        body: lines(0..count, |number| {
            let chain = number % CHAINS;
            format!("fma.rn.f32 %f{chain}, %f{chain}, %x, %y;")
        }),
        sink: lines(0..CHAINS, |chain| {
            format!("st.global.f32 [%target+{}], %f{chain};", 4 * chain)
        }),
        ..Text::new()
    };
    let run = Run::block(warps, (EXECUTED_BYTES / bytes) as u32, count as u64);
    Probe {
        name: format!("{name}-{kib}"),
        ptx: text.ptx(),
        wanted: vec![("FFMA", count)],
        others_max: 8,
        change: None,
        runs: Run { x: bytes, ..run }.twice().to_vec(),
    }
}
