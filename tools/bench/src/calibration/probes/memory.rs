//! Loads, stores, shuffles and barriers of one multiprocessor.
//!
//! Loads of a throughput go to few lines, which all warps share, and to a warp's lanes side by
//! side; everything that they give goes into the address of the next round. A latency follows
//! addresses that lead to themselves.

use super::{Content, Probe, Run, Text, WARP_THREADS, lines};

/// Instructions of a body.
const UNROLLED: usize = 16;
/// Of a body that is a chain.
const CHAINED: usize = 64;
/// Iterations of the shorter of two runs.
const ITERATIONS: u32 = 200;
/// Instructions of a loop that count, compare, branch, and add to an address.
const OTHERS_MAX: usize = 8;
/// Warps of a block: eight for each partition.
const WARPS: u32 = 32;
/// Local memory of all threads has to stay in the first-level cache.
const WARPS_LOCAL: u32 = 16;
/// Warps of a block that has barriers: a usual one.
const WARPS_BARRIER: u32 = 8;

const DECLARATIONS: &str = "\
.reg .b32 %r<64>, %v<4>, %a, %b, %c;
.reg .b64 %at, %offset;
";
const SHARED: &str = ".shared .align 16 .b8 space[16384];\n";
const LOCAL: &str = ".local .align 16 .b8 space[256];\n";
/// `at` is local memory at a place that the assembler does not know.
const LOCAL_AT: &str = "\
mov.u64 %at, space;
cvt.u64.u32 %offset, %zero;
add.u64 %at, %at, %offset;
";
/// What was loaded from zeros goes into the address.
const NEXT_AT: &str = "cvt.u64.u32 %offset, %c;\nadd.u64 %at, %at, %offset;\n";

/// What a thread loads or stores at once.
#[derive(Clone, Copy)]
struct Width {
    bytes: usize,
    ty: &'static str,
}

const WORD: Width = Width { bytes: 4, ty: "b32" };
const TWO: Width = Width { bytes: 8, ty: "v2.b32" };
const FOUR: Width = Width { bytes: 16, ty: "v4.b32" };

impl Width {
    fn words(self) -> usize {
        self.bytes / WORD.bytes
    }

    /// Registers from one on, as an instruction has them.
    fn registers(self, prefix: &str, first: usize) -> String {
        let all: Vec<String> =
            (first..first + self.words()).map(|number| format!("%{prefix}{number}")).collect();
        if all.len() == 1 { all.concat() } else { format!("{{{}}}", all.join(", ")) }
    }

    /// Bytes of a warp.
    fn of_warp(self) -> usize {
        self.bytes * WARP_THREADS as usize
    }
}

pub(super) fn throughput() -> Vec<Probe> {
    vec![
        load_shared("lds_32", "LDS", WORD),
        load_shared("lds_64", "LDS.64", TWO),
        load_shared("lds_128", "LDS.128", FOUR),
        store_shared("sts_32", "STS", WORD),
        store_shared("sts_64", "STS.64", TWO),
        store_shared("sts_128", "STS.128", FOUR),
        load_global("ldg_32_l1", "LDG.E", WORD, 0),
        load_global("ldg_64_l1", "LDG.E.64", TWO, 0),
        load_global("ldg_128_l1", "LDG.E.128", FOUR, 0),
        load_global("ldg_32_l1_shifted", "LDG.E", WORD, 1),
        load_global("ldg_64_l1_shifted", "LDG.E.64", TWO, 1),
        load_local("ldl_32_l1", "LDL", WORD),
        load_local("ldl_64_l1", "LDL.64", TWO),
        store_local("stl_32", "STL", WORD),
        store_local("stl_64", "STL.64", TWO),
        store_global("stg_64", "STG.E.64", TWO),
        shuffle("throughput-shfl", 8, WARPS),
    ]
}

pub(super) fn latency() -> Vec<Probe> {
    let chain = |bytes, stride, shuffled, cold| Content::Chain { bytes, stride, shuffled, cold };
    let iterations = |steps: u64| (steps / CHAINED as u64) as u32;
    let (kib, mib) = (1 << 10, 1 << 20);
    vec![
        shared_chain(),
        shared_chain_of_pairs(),
        // Few lines, which stay.
        follow("latency-ldg_l1", chain(4 * kib, 128, 1, false), iterations(8 * kib), 2),
        // Far more than the first cache and far less than the second holds, in no order.
        follow("latency-ldg_l2", chain(4 * mib, 128, 32 * kib, false), iterations(16 * kib), 2),
        // Each line once, in no order within a page of memory, page after page.
        follow("latency-ldg_hbm", chain(128 * mib, 8 * kib, 256, true), iterations(8 * kib), 1),
        local_chain(),
        shuffle("latency-shfl", 1, 1),
        barrier(),
    ]
}

fn probe(name: &str, text: &Text, wanted: &[(&'static str, usize)], run: Run) -> Probe {
    Probe {
        name: name.to_owned(),
        ptx: text.ptx(),
        wanted: wanted.to_vec(),
        others_max: OTHERS_MAX,
        change: None,
        runs: run.twice().to_vec(),
    }
}

/// A throughput of a multiprocessor.
fn measured(name: &str, text: &Text, wanted: &[(&'static str, usize)], warps: u32) -> Probe {
    let run = Run::block(warps, ITERATIONS, wanted[0].1 as u64);
    probe(&format!("throughput-{name}"), text, wanted, run)
}

/// A latency in one warp.
fn chained(name: &str, text: &Text, wanted: &[(&'static str, usize)]) -> Probe {
    probe(&format!("latency-{name}"), text, wanted, Run::block(1, ITERATIONS, CHAINED as u64))
}

/// Loads side by side, and all that they give in register `c`.
fn loads(space: &str, width: Width, address: &str, stride: usize) -> String {
    let words = UNROLLED * width.words();
    let loads = lines(0..UNROLLED, |number| {
        let to = width.registers("r", number * width.words());
        format!("ld.{space}.{} {to}, [{address}+{}];", width.ty, number * stride)
    });
    let unite = lines((1..words).step_by(2), |word| {
        let from = if word == 1 { "%r0" } else { "%c" };
        match word + 1 < words {
            true => format!("lop3.b32 %c, {from}, %r{word}, %r{}, 0xfe;", word + 1),
            false => format!("or.b32 %c, {from}, %r{word};"),
        }
    });
    loads + &unite
}

/// The instructions that unite what was loaded.
fn uniting(width: Width) -> (&'static str, usize) {
    ("LOP3", UNROLLED * width.words() / 2)
}

fn load_shared(name: &str, opcode: &'static str, width: Width) -> Probe {
    let clear = lines(0..UNROLLED * width.words(), |word| {
        format!("st.shared.b32 [%a+{}], %zero;", word * WORD.of_warp())
    });
    let text = Text {
        declarations: format!("{DECLARATIONS}{SHARED}"),
        setup: format!(
            "mov.u32 %b, space;\nmad.lo.u32 %a, %lane, 4, %b;\n{clear}\
             mad.lo.u32 %a, %lane, {}, %b;\n",
            width.bytes
        ),
        body: loads("shared", width, "%a", width.of_warp()) + "add.s32 %a, %a, %c;\n",
        sink: "st.global.b32 [%target], %a;\n".to_owned(),
        ..Text::new()
    };
    measured(name, &text, &[(opcode, UNROLLED), uniting(width)], WARPS)
}

/// The first lane reads so many elements after the beginning of a line.
fn load_global(name: &str, opcode: &'static str, width: Width, shift: usize) -> Probe {
    let text = Text {
        declarations: DECLARATIONS.to_owned(),
        setup: format!(
            "mul.wide.u32 %offset, %lane, {};\nadd.u64 %at, %source, %offset;\n\
             add.u64 %at, %at, {};\n",
            width.bytes,
            shift * width.bytes
        ),
        body: loads("global", width, "%at", width.of_warp()) + NEXT_AT,
        sink: "st.global.b64 [%target], %at;\n".to_owned(),
        ..Text::new()
    };
    measured(name, &text, &[(opcode, UNROLLED), uniting(width)], WARPS)
}

fn load_local(name: &str, opcode: &'static str, width: Width) -> Probe {
    let clear = lines(0..UNROLLED * width.words(), |word| {
        format!("st.local.b32 [%at+{}], %zero;", word * WORD.bytes)
    });
    let text = Text {
        declarations: format!("{DECLARATIONS}{LOCAL}"),
        setup: format!("{LOCAL_AT}{clear}"),
        body: loads("local", width, "%at", width.bytes) + NEXT_AT,
        sink: "st.global.b64 [%target], %at;\n".to_owned(),
        ..Text::new()
    };
    measured(name, &text, &[(opcode, UNROLLED), uniting(width)], WARPS_LOCAL)
}

/// Values to store that differ from register to register.
fn values() -> String {
    lines(0..FOUR.words(), |number| format!("add.s32 %v{number}, %thread, {number};"))
}

fn stores(space: &str, width: Width, address: &str, stride: usize) -> String {
    let from = width.registers("v", 0);
    lines(0..UNROLLED, |number| {
        format!("st.{space}.{} [{address}+{}], {from};", width.ty, number * stride)
    })
}

fn store_shared(name: &str, opcode: &'static str, width: Width) -> Probe {
    let text = Text {
        declarations: format!("{DECLARATIONS}{SHARED}"),
        setup: format!(
            "{}mov.u32 %b, space;\nmad.lo.u32 %a, %lane, {}, %b;\n",
            values(),
            width.bytes
        ),
        body: stores("volatile.shared", width, "%a", width.of_warp()),
        ..Text::new()
    };
    measured(name, &text, &[(opcode, UNROLLED)], WARPS)
}

fn store_local(name: &str, opcode: &'static str, width: Width) -> Probe {
    let text = Text {
        declarations: format!("{DECLARATIONS}{LOCAL}"),
        setup: format!("{}{LOCAL_AT}", values()),
        body: stores("local", width, "%at", width.bytes),
        sink: "ld.local.b32 %a, [%at];\nst.global.b32 [%target], %a;\n".to_owned(),
        ..Text::new()
    };
    measured(name, &text, &[(opcode, UNROLLED)], WARPS_LOCAL)
}

/// Every thread its own cells.
fn store_global(name: &str, opcode: &'static str, width: Width) -> Probe {
    let text = Text {
        declarations: DECLARATIONS.to_owned(),
        setup: format!(
            "{}mul.wide.u32 %offset, %thread, {};\nadd.u64 %at, %target, %offset;\n",
            values(),
            width.bytes
        ),
        body: stores("global", width, "%at", width.of_warp() * WARPS as usize),
        ..Text::new()
    };
    measured(name, &text, &[(opcode, UNROLLED)], WARPS)
}

fn shuffle(name: &str, chains: usize, warps: u32) -> Probe {
    let text = Text {
        declarations: DECLARATIONS.to_owned(),
        setup: lines(0..chains, |chain| format!("add.s32 %r{chain}, %thread, {chain};")),
        body: lines(0..CHAINED, |number| {
            let chain = number % chains;
            format!("shfl.sync.bfly.b32 %r{chain}, %r{chain}, 1, 31, 0xffffffff;")
        }),
        sink: lines(0..chains, |chain| {
            format!("st.global.b32 [%target+{}], %r{chain};", 4 * chain)
        }),
        ..Text::new()
    };
    probe(name, &text, &[("SHFL", CHAINED)], Run::block(warps, ITERATIONS, CHAINED as u64))
}

fn barrier() -> Probe {
    let text = Text { body: "bar.sync 0;\n".repeat(CHAINED), ..Text::new() };
    let run = Run::block(WARPS_BARRIER, ITERATIONS, CHAINED as u64);
    probe("latency-barrier", &text, &[("BAR.SYNC", CHAINED)], run)
}

/// A word of shared memory that holds its own address.
fn shared_chain() -> Probe {
    let text = Text {
        declarations: format!("{DECLARATIONS}{SHARED}"),
        setup: "mov.u32 %a, space;\nadd.s32 %a, %a, %zero;\nst.shared.b32 [%a], %a;\n".to_owned(),
        body: "ld.volatile.shared.b32 %a, [%a];\n".repeat(CHAINED),
        sink: "st.global.b32 [%target], %a;\n".to_owned(),
        ..Text::new()
    };
    chained("lds_32", &text, &[("LDS", CHAINED)])
}

/// The same of two words; the second is summed beside the chain, or it would not be loaded.
fn shared_chain_of_pairs() -> Probe {
    let step = "ld.volatile.shared.v2.b32 {%a, %b}, [%a];\nadd.s32 %c, %c, %b;\n";
    let text = Text {
        declarations: format!("{DECLARATIONS}{SHARED}"),
        setup: "mov.u32 %a, space;\nadd.s32 %a, %a, %zero;\nmov.u32 %b, %thread;\n\
                mov.u32 %c, 0;\nst.shared.v2.b32 [%a], {%a, %b};\n"
            .to_owned(),
        body: step.repeat(CHAINED),
        sink: "st.global.b32 [%target], %a;\nst.global.b32 [%target+4], %c;\n".to_owned(),
        threads_max: WARP_THREADS,
        ..Text::new()
    };
    chained("lds_64", &text, &[("LDS.64", CHAINED), ("IADD3", CHAINED / 2)])
}

fn local_chain() -> Probe {
    let text = Text {
        declarations: format!("{DECLARATIONS}{LOCAL}"),
        setup: format!("{LOCAL_AT}st.local.b64 [%at], %at;\n"),
        body: "ld.local.b64 %at, [%at];\n".repeat(CHAINED),
        sink: "st.global.b64 [%target], %at;\n".to_owned(),
        ..Text::new()
    };
    chained("ldl_l1", &text, &[("LDL", CHAINED)])
}

/// Follows addresses in global memory from the first on.
pub(super) fn follow(name: &str, content: Content, iterations: u32, rounds: u32) -> Probe {
    let text = Text {
        declarations: DECLARATIONS.to_owned(),
        setup: "mov.u64 %at, %source;\n".to_owned(),
        body: "ld.global.b64 %at, [%at];\n".repeat(CHAINED),
        sink: "st.global.b64 [%target], %at;\n".to_owned(),
        rounds,
        ..Text::new()
    };
    let run = Run { content, ..Run::block(1, iterations, CHAINED as u64) };
    probe(name, &text, &[("LDG.E.64", CHAINED)], run)
}
