//! Arithmetic: how often a partition begins an instruction, and when its result is there.
//!
//! A throughput has eight chains of dependent instructions in each of eight warps of a partition,
//! which hides every latency; a latency has one chain in one warp. What all chains read besides is
//! loaded by each thread for itself, so that it is in registers of its own, not in uniform ones.

use super::{Blocks, Change, Probe, Run, Text, WARP_THREADS, lines};

/// Warps of a throughput's block: eight for each partition.
const WARPS: u32 = 32;
/// Chains of dependent instructions in a throughput.
const CHAINS: usize = 8;
/// Instructions of a body; the loop's own are below a hundredth.
const UNROLLED: usize = 512;
/// Of a body whose instructions are slow.
const UNROLLED_SLOW: usize = 128;
/// Instructions that a warp executes in the shorter of two runs, about.
const EXECUTED: usize = 40_000;
/// Instructions of a loop that count, compare and branch.
const OTHERS_MAX: usize = 8;

/// Registers of the chains, and what all of them read besides.
const DECLARATIONS: &str = "\
.reg .b32 %r<100>, %a, %b, %c;
.reg .f32 %f<64>, %x, %y;
.reg .f64 %g<16>, %u, %v;
.reg .pred %p<8>;
.reg .b64 %mine;
";

/// Values that the assembler does not know, at an address of the lane.
const READ: &str = "\
mul.wide.u32 %mine, %lane, 512;
add.u64 %mine, %source, %mine;
ld.global.b32 %a, [%mine];
ld.global.b32 %b, [%mine+4];
ld.global.f32 %x, [%mine+8];
ld.global.f32 %y, [%mine+12];
ld.global.f64 %u, [%mine+16];
ld.global.f64 %v, [%mine+24];
";

/// An instruction that is measured.
struct Instruction {
    /// The coefficient.
    name: &'static str,
    /// How its machine code begins.
    opcode: &'static str,
    /// What its chains hold.
    chain: Chain,
    /// One step of a chain, whose number is written `#`.
    text: &'static str,
    /// Steps of a body.
    unrolled: usize,
}

#[derive(Clone, Copy)]
enum Chain {
    Word,
    F32,
    F64,
}

const fn instruction(
    name: &'static str,
    opcode: &'static str,
    chain: Chain,
    text: &'static str,
) -> Instruction {
    Instruction { name, opcode, chain, text, unrolled: UNROLLED }
}

const fn slow(instruction: Instruction) -> Instruction {
    Instruction { unrolled: UNROLLED_SLOW, ..instruction }
}

/// What can be a chain.
const INSTRUCTIONS: &[Instruction] = &[
    instruction("dfma", "DFMA", Chain::F64, "fma.rn.f64 %g#, %g#, %u, %v;"),
    instruction("dadd", "DADD", Chain::F64, "add.rn.f64 %g#, %g#, %v;"),
    instruction("dmul", "DMUL", Chain::F64, "mul.rn.f64 %g#, %g#, %v;"),
    instruction("ffma", "FFMA", Chain::F32, "fma.rn.f32 %f#, %f#, %x, %y;"),
    instruction("fadd", "FADD", Chain::F32, "add.rn.f32 %f#, %f#, %y;"),
    instruction("fmul", "FMUL", Chain::F32, "mul.rn.f32 %f#, %f#, %y;"),
    instruction("imad", "IMAD", Chain::Word, "mad.lo.s32 %r#, %r#, %a, %b;"),
    // Two additions are one instruction.
    instruction("iadd3", "IADD3", Chain::Word, "add.s32 %r#, %r#, %a; add.s32 %r#, %r#, %b;"),
    instruction("lop3", "LOP3", Chain::Word, "lop3.b32 %r#, %r#, %a, %b, 0x6a;"),
    slow(instruction("mufu_rsq", "MUFU.RSQ", Chain::F32, "rsqrt.approx.ftz.f32 %f#, %f#;")),
    // The reciprocal of a reciprocal would be nothing to compute: bits change in between, which
    // another pipe does meanwhile.
    slow(instruction(
        "mufu_rcp",
        "MUFU.RCP",
        Chain::F32,
        "rcp.approx.ftz.f32 %f#, %f#; mov.b32 %r#, %f#; xor.b32 %r#, %r#, %a; mov.b32 %f#, %r#;",
    )),
    // The next integer is half of the result.
    slow(instruction(
        "i2f",
        "I2F.F64",
        Chain::Word,
        "cvt.rn.f64.s32 %g#, %r#; mov.b64 {%c, %r#}, %g#;",
    )),
];

/// Long enough for events around it, so that its own clock tells the frequency.
pub(super) fn clock() -> Probe {
    let run = Run::block(WARPS, 2000, UNROLLED as u64);
    let dfma = find("dfma");
    let wanted = (dfma.opcode, dfma.unrolled);
    // Events see every round, the clock only the last.
    let text = Text { rounds: 1, ..chains(dfma, CHAINS) };
    Probe { runs: run.twice().to_vec(), ..probe("clock", &text, wanted) }
}

pub(super) fn throughput() -> Vec<Probe> {
    let chains = INSTRUCTIONS.iter().map(|instruction| chained(instruction, CHAINS));
    let others = [three_fresh(), select(), compare(), moves()];
    let measured = |probe: Probe| {
        let operations = probe.wanted[0].1;
        // A thread of the moves has so many registers that half of the warps have room.
        let warps = if probe.name == "mov" { WARPS / 2 } else { WARPS };
        let run = Run::block(warps, (EXECUTED / operations) as u32, operations as u64);
        let runs = run.twice().to_vec();
        Probe { name: format!("throughput-{}", probe.name), runs, ..probe }
    };
    chains.chain(others).map(measured).collect()
}

pub(super) fn latency() -> Vec<Probe> {
    let of_one_chain = |name: &str| {
        let operations = find(name).unrolled;
        let run = Run::block(1, (EXECUTED / operations) as u32, operations as u64);
        let name = format!("latency-{name}");
        let probe = chained(find(name.trim_start_matches("latency-")), 1);
        Probe { name, runs: run.twice().to_vec(), ..probe }
    };
    ["dfma", "ffma", "imad", "mufu_rsq"].map(of_one_chain).into()
}

/// Compute-bound kernels with few and with many warps on every multiprocessor.
pub(super) fn occupancy() -> Vec<Probe> {
    let run = |warps: u32| {
        let blocks = warps.div_ceil(WARPS);
        let run = Run::block(warps / blocks, 60, UNROLLED as u64);
        Run { x: warps.into(), blocks: Blocks::PerMultiprocessor(blocks), ..run }.twice()
    };
    let warps = [4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64];
    let probe = |name: &str, chains: usize| Probe {
        name: format!("occupancy-{name}-{chains}"),
        runs: warps.into_iter().flat_map(run).collect(),
        ..chained(find(name), chains)
    };
    let chains = [1, 2, 4];
    ["dfma", "ffma"].into_iter().flat_map(|name| chains.map(|count| probe(name, count))).collect()
}

fn find(name: &str) -> &'static Instruction {
    INSTRUCTIONS.iter().find(|known| known.name == name).expect("it is a row of the table")
}

/// A body of some chains of one instruction.
fn chained(instruction: &Instruction, count: usize) -> Probe {
    let wanted = (instruction.opcode, instruction.unrolled);
    let mut probe = probe(instruction.name, &chains(instruction, count), wanted);
    match instruction.name {
        "mufu_rcp" => probe.wanted.push(("LOP3", instruction.unrolled)),
        // Results go into their first places at the end of each round.
        "i2f" => probe.others_max += CHAINS,
        _ => {}
    }
    probe
}

fn chains(instruction: &Instruction, count: usize) -> Text {
    let step = |number: usize| instruction.text.replace('#', &(number % count).to_string());
    let body = lines(0..instruction.unrolled, step);
    Text { body, sink: stores(instruction.chain, count), ..values() }
}

fn probe(name: &str, text: &Text, wanted: (&'static str, usize)) -> Probe {
    Probe {
        name: name.to_owned(),
        ptx: text.ptx(),
        wanted: vec![wanted],
        others_max: OTHERS_MAX,
        change: None,
        runs: Vec::new(),
    }
}

/// A text with values in all registers. Occupancies need room for two blocks.
fn values() -> Text {
    let chains = lines(0..CHAINS, |chain| {
        format!(
            "add.s32 %r{chain}, %thread, {};\ncvt.rn.f32.s32 %f{chain}, %r{chain};\n\
             cvt.rn.f64.s32 %g{chain}, %r{chain};",
            7 * chain + 1
        )
    });
    Text { declarations: DECLARATIONS.to_owned(), setup: READ.to_owned() + &chains, ..Text::new() }
}

fn stores(chain: Chain, count: usize) -> String {
    let (ty, register) = match chain {
        Chain::Word => ("b32", "%r"),
        Chain::F32 => ("f32", "%f"),
        Chain::F64 => ("f64", "%g"),
    };
    lines(0..count, |number| {
        format!("st.global.{ty} [%target+{}], {register}{number};", 8 * number)
    })
}

/// Each instruction reads three registers of one parity, none of which the one before has read.
///
/// Registers of one parity come from pairs, of which only the first is used: pairs are loaded and,
/// after a branch that is never taken, stored, so that the assembler keeps them where they are.
/// It still moves the chains to the other parity; the machine code is changed afterwards.
fn three_fresh() -> Probe {
    let pairs = 3 * CHAINS;
    let pair = |number| format!("{{%f{}, %f{}}}", 2 * number, 2 * number + 1);
    let first = |number: usize| format!("%f{}", 2 * number);
    let body = lines(0..UNROLLED, |number| {
        let (chain, round) = (number % CHAINS, number / CHAINS);
        let left = CHAINS + (chain + round) % CHAINS;
        let right = 2 * CHAINS + (3 * chain + round + round / CHAINS) % CHAINS;
        let chain = first(chain);
        format!("fma.rn.f32 {chain}, {}, {}, {chain};", first(left), first(right))
    });
    let load = |number| format!("ld.global.v2.f32 {}, [%mine+{}];", pair(number), 8 * number);
    let store = |number| format!("st.global.v2.f32 [%target+{}], {};", 8 * number, pair(number));
    let text = Text {
        declarations: DECLARATIONS.to_owned(),
        setup: format!("{READ}{}setp.ne.s32 %p0, %zero, 0;\n", lines(0..pairs, load)),
        body: format!("@%p0 bra hold;\nheld:\n{body}"),
        sink: lines(0..pairs, store),
        behind: format!("hold:\n{}bar.sync 0;\nbra held;\n", lines(0..pairs, store)),
        ..Text::new()
    };
    // The stores are in the loop's text, but jumped over.
    let probe = probe("ffma_three_fresh", &text, ("FFMA", UNROLLED));
    Probe { others_max: OTHERS_MAX + pairs, change: Some(Change::OneParity), ..probe }
}

/// Two conditions and two values in turn, or else a selection would repeat the one before.
fn select() -> Probe {
    let body = lines(0..UNROLLED, |number| {
        let (chain, turn) = (number % CHAINS, number / CHAINS % 2);
        format!("selp.b32 %r{chain}, %r{chain}, %{}, %p{turn};", ["a", "b"][turn])
    });
    let mut text = Text { body, sink: stores(Chain::Word, CHAINS), ..values() };
    text.setup += "setp.lt.s32 %p0, %r0, %a;\nsetp.lt.s32 %p1, %r1, %b;\n";
    probe("sel", &text, ("SEL", UNROLLED))
}

/// Every pair of some registers is compared once, in four chains of conditions.
fn compare() -> Probe {
    const COMPARED: usize = 16;
    const CONDITIONS: usize = 4;
    let pairs = (0..COMPARED).flat_map(|left| (0..COMPARED).map(move |right| (left, right)));
    let unequal = pairs.filter(|(left, right)| left != right).enumerate();
    let body = unequal.map(|(number, (left, right))| {
        let condition = number % CONDITIONS;
        format!("setp.lt.and.s32 %p{condition}, %r{left}, %r{right}, %p{condition};\n")
    });
    let results = lines(0..CONDITIONS, |number| format!("selp.b32 %r{number}, 1, 0, %p{number};"));
    let text = Text {
        declarations: DECLARATIONS.to_owned(),
        setup: READ.to_owned()
            + &lines(0..COMPARED, |number| {
                format!("ld.global.b32 %r{number}, [%mine+{}];", 4 * number)
            })
            + &lines(0..CONDITIONS, |number| {
                format!("setp.le.s32 %p{number}, %r{number}, %thread;")
            }),
        body: body.collect(),
        sink: results + &stores(Chain::Word, CONDITIONS),
        ..Text::new()
    };
    // The loop's own comparison is one of them.
    probe("isetp", &text, ("ISETP", COMPARED * (COMPARED - 1) + 1))
}

/// Registers change places in one circle. The assembler makes moves of two pipes in turn, and
/// would unroll the loop and leave out most of them; the machine code is changed to those of one.
fn moves() -> Probe {
    const CIRCLE: usize = 96;
    let last = CIRCLE - 1;
    let begin =
        lines(0..CIRCLE, |number| format!("ld.global.b32 %r{number}, [%mine+{}];", 4 * number));
    let turn = lines(0..last, |number| format!("mov.b32 %r{number}, %r{};", number + 1));
    let text = Text {
        declarations: DECLARATIONS.to_owned(),
        setup: format!("{READ}{begin}"),
        body: format!("mov.b32 %c, %r0;\n{turn}mov.b32 %r{last}, %c;\n"),
        sink: lines(0..CIRCLE, |number| {
            format!("st.global.b32 [%target+{}], %r{number};", 4 * number)
        }),
        threads_max: WARPS / 2 * WARP_THREADS,
        ..Text::new()
    };
    Probe { change: Some(Change::OnePipe), ..probe("mov", &text, ("MOV|IMAD.MOV", CIRCLE + 1)) }
}
