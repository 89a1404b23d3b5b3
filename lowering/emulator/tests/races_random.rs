//! Random programs of accesses and synchronizations: the race detector against an oracle that
//! compares all pairs of accesses by reachability, whatever the order in which threads ran.

use crate::harness::*;
use stencil_emulator::{
    Argument, CompileOptions, EmulatorError, Fault, LaunchOptions, Machine, Memory, Program,
};

const LANES: usize = 4;
const THREADS: usize = 12;
const WORDS: u32 = 16;

/// What an instruction of a random program does, in the order of the kernel's cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Load,
    Store,
    Atomic,
    StoreByte,
    LoadByte,
    Barrier,
    WarpBarrier,
    PartBarrier,
    Shuffle,
    Copy,
    Wait,
}

/// Done by threads `low..high`; an access is to element `thread * factor + offset` of the memory.
#[derive(Clone, Copy, Debug)]
struct Step {
    kind: Kind,
    low: usize,
    high: usize,
    factor: u32,
    offset: u32,
    /// The number of a barrier, or the mask of lanes.
    name: u32,
}

/// Runs programs that are given as a table in memory, so that one compilation does for all.
const INTERPRETER: &str = "@cells = internal addrspace(3) global [16 x i32] undef, align 4
define ptx_kernel void @f(ptr %table, i32 %count, ptr %out, ptr addrspace(1) %in) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr i32, ptr %out, i32 %tid
  br label %head
head:
  %i = phi i32 [ 0, %0 ], [ %after, %next ]
  %more = icmp ult i32 %i, %count
  br i1 %more, label %body, label %end
body:
  %row = getelementptr [6 x i32], ptr %table, i32 %i
  %kind = load i32, ptr %row, align 4
  %plow = getelementptr i32, ptr %row, i32 1
  %low = load i32, ptr %plow, align 4
  %phigh = getelementptr i32, ptr %row, i32 2
  %high = load i32, ptr %phigh, align 4
  %pfactor = getelementptr i32, ptr %row, i32 3
  %factor = load i32, ptr %pfactor, align 4
  %poffset = getelementptr i32, ptr %row, i32 4
  %offset = load i32, ptr %poffset, align 4
  %pname = getelementptr i32, ptr %row, i32 5
  %name = load i32, ptr %pname, align 4
  %above = icmp uge i32 %tid, %low
  %below = icmp ult i32 %tid, %high
  %takes.part = and i1 %above, %below
  %times = mul i32 %tid, %factor
  %element = add i32 %times, %offset
  %w = and i32 %element, 15
  %word = getelementptr i32, ptr addrspace(3) @cells, i32 %w
  %b = and i32 %element, 63
  %byte = getelementptr i8, ptr addrspace(3) @cells, i32 %b
  br i1 %takes.part, label %choose, label %next
choose:
  switch i32 %kind, label %next [ i32 0, label %load i32 1, label %store
    i32 2, label %atomic i32 3, label %store.byte i32 4, label %load.byte
    i32 5, label %barrier i32 6, label %warp i32 7, label %part i32 8, label %shuffle
    i32 9, label %copy i32 10, label %wait ]
load:
  %l = load i32, ptr addrspace(3) %word, align 4
  store i32 %l, ptr %own, align 4
  br label %next
store:
  store i32 %i, ptr addrspace(3) %word, align 4
  br label %next
atomic:
  %a = atomicrmw add ptr addrspace(3) %word, i32 1 monotonic
  br label %next
store.byte:
  STORE_BYTE
  br label %next
load.byte:
  LOAD_BYTE
  br label %next
barrier:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br label %next
warp:
  call void @llvm.nvvm.bar.warp.sync(i32 %name)
  br label %next
part:
  %members = sub i32 %high, %low
  call void @llvm.nvvm.barrier.cta.sync.count(i32 %name, i32 %members)
  br label %next
shuffle:
  %lane = and i32 %low, 3
  %s = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %name, i32 %tid, i32 %lane, i32 31)
  br label %next
copy:
  call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) %word,
    ptr addrspace(1) %in)
  br label %next
wait:
  call void @llvm.nvvm.cp.async.wait.all()
  br label %next
next:
  %after = add i32 %i, 1
  br label %head
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.count(i32, i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.wait.all()";

/// The interpreter, with accesses to bytes or with accesses to words alone.
fn interpreter(bytes: bool) -> Program {
    let store_byte = "%sb = load i8, ptr %out, align 1
                      store i8 %sb, ptr addrspace(3) %byte, align 1";
    let load_byte = "%lb = load i8, ptr addrspace(3) %byte, align 1
                     store i8 %lb, ptr %own, align 1";
    let ir = INTERPRETER
        .replace("STORE_BYTE", if bytes { store_byte } else { "" })
        .replace("LOAD_BYTE", if bytes { load_byte } else { "" });
    let machine = Machine { warp_lanes: LANES as u32, ..MACHINE };
    Program::compile(&ir, &CompileOptions::new(machine)).unwrap_or_else(|error| panic!("{error}"))
}

fn run(program: &Program, steps: &[Step], seed: Option<u64>) -> Result<(), EmulatorError> {
    let row = |step: &Step| {
        let Step { kind, low, high, factor, offset, name } = *step;
        [kind as u32, low as u32, high as u32, factor, offset, name]
    };
    let table: Vec<u32> = steps.iter().flat_map(row).collect();
    let mut memory = Memory::new();
    let arguments = [
        Argument::Buffer(u32_buffer(&mut memory, &table)),
        Argument::Bytes((steps.len() as u32).to_le_bytes().to_vec()),
        Argument::Buffer(u32_buffer(&mut memory, &[0; THREADS])),
        Argument::Buffer(u32_buffer(&mut memory, &[7])),
    ];
    let options = LaunchOptions { order_seed: seed, ..LaunchOptions::default() };
    let row = Row { options, ..Row::of(2, THREADS as u32) };
    row.run(program, &mut memory, &arguments).map(|_| ())
}

/// SplitMix64.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % u64::from(limit)) as u32
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }

    /// A part of `low..high` that is not empty.
    fn part(&mut self, low: usize, high: usize) -> (usize, usize) {
        let first = low + self.below((high - low) as u32) as usize;
        (first, first + 1 + self.below((high - first) as u32) as usize)
    }
}

/// All words are written first, mostly; then come accesses, many of them followed by something that
/// orders some threads.
fn random_steps(numbers: &mut Numbers, bytes: bool) -> Vec<Step> {
    let all = |kind, offset, high| Step { kind, low: 0, high, factor: 1, offset, name: 0 };
    let mut steps = if numbers.below(8) == 0 {
        Vec::new()
    } else {
        vec![
            all(Kind::Store, 0, THREADS),
            all(Kind::Store, THREADS as u32, WORDS as usize - THREADS),
            all(Kind::Barrier, 0, THREADS),
        ]
    };
    let accesses = [Kind::Load, Kind::Store, Kind::Load, Kind::Store, Kind::Atomic, Kind::Copy];
    let of_bytes = [Kind::StoreByte, Kind::LoadByte];
    let orders =
        [Kind::Barrier, Kind::WarpBarrier, Kind::PartBarrier, Kind::WarpBarrier, Kind::Shuffle];
    for number in 0..2 + numbers.below(5) {
        let kind = if bytes && numbers.below(3) == 0 {
            numbers.of(&of_bytes)
        } else {
            numbers.of(&accesses)
        };
        let (low, high) = match numbers.below(3) {
            0 => (0, THREADS),
            1 => numbers.part(0, THREADS),
            _ => numbers.part(0, LANES),
        };
        let factor = numbers.of(&[1, 1, 1, 1, 3, 0]);
        let factor = if high - low > 2 { factor.max(1) } else { factor };
        let offset = numbers.below(3);
        steps.push(Step { kind, low, high, factor, offset, name: 0 });
        if kind == Kind::Copy && numbers.below(4) > 0 {
            steps.push(Step { kind: Kind::Wait, low: 0, high: THREADS, factor, offset, name: 0 });
        }
        let kind = numbers.of(&orders);
        let first = numbers.below((THREADS / LANES) as u32) as usize * LANES;
        let (low, high) = match kind {
            Kind::Barrier => (0, THREADS),
            Kind::PartBarrier => numbers.part(0, THREADS),
            _ => numbers.part(first, first + LANES),
        };
        let mask = (low..high).fold(0, |mask, thread| mask | 1 << (thread % LANES));
        let name = if kind == Kind::PartBarrier { number + 1 } else { mask };
        if numbers.below(4) > 0 {
            steps.push(Step { kind, low, high, factor, offset, name });
        }
    }
    steps
}

/// An access of one thread: from when to when it may happen (a copy until its wait, or for ever).
#[derive(Debug)]
struct Event {
    kind: Kind,
    thread: usize,
    start: usize,
    end: Option<usize>,
    bytes: std::ops::Range<u32>,
}

fn events(steps: &[Step]) -> Vec<Event> {
    let mut all = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        for thread in step.low..step.high {
            let element = thread as u32 * step.factor + step.offset;
            let (word, byte) = (element % WORDS * 4, element % (WORDS * 4));
            let bytes = match step.kind {
                Kind::Load | Kind::Store | Kind::Atomic | Kind::Copy => word..word + 4,
                Kind::StoreByte | Kind::LoadByte => byte..byte + 1,
                _ => continue,
            };
            let waits = |later: &usize| {
                let step = &steps[*later];
                step.kind == Kind::Wait && (step.low..step.high).contains(&thread)
            };
            let end = match step.kind {
                Kind::Copy => (at..steps.len()).find(waits),
                _ => Some(at),
            };
            all.push(Event { kind: step.kind, thread, start: at, end, bytes });
        }
    }
    all
}

/// True if step `to` of thread `target` is reached from step `from` of thread `source` through the
/// threads' own order and the steps that synchronize.
fn is_reached(steps: &[Step], (from, source): (usize, usize), to: (usize, usize)) -> bool {
    let mut open = vec![(from + 1, source)];
    let mut seen = vec![false; (steps.len() + 1) * THREADS];
    while let Some((at, thread)) = open.pop() {
        if std::mem::replace(&mut seen[at * THREADS + thread], true) {
            continue;
        }
        if (at, thread) == to {
            return true;
        }
        let Some(step) = steps.get(at) else { continue };
        open.push((at + 1, thread));
        let orders = [Kind::Barrier, Kind::WarpBarrier, Kind::PartBarrier].contains(&step.kind);
        if orders && (step.low..step.high).contains(&thread) {
            open.extend((step.low..step.high).map(|other| (at + 1, other)));
        }
    }
    false
}

/// True if `a` is over before `b` may begin.
fn is_before(steps: &[Step], a: &Event, b: &Event) -> bool {
    a.end.is_some_and(|end| is_reached(steps, (end, a.thread), (b.start, b.thread)))
}

fn reads(kind: Kind) -> bool {
    matches!(kind, Kind::Load | Kind::LoadByte)
}

/// True if a read comes before all writes of one of its bytes; for programs without races.
fn reads_unwritten(steps: &[Step]) -> bool {
    let events = events(steps);
    let is_written = |read: &Event, byte: u32| {
        let writes = |other: &&Event| !reads(other.kind) && other.bytes.contains(&byte);
        events.iter().filter(writes).any(|write| is_before(steps, write, read))
    };
    let readers = events.iter().filter(|event| reads(event.kind) || event.kind == Kind::Atomic);
    readers.into_iter().any(|read| read.bytes.clone().any(|byte| !is_written(read, byte)))
}

/// The pairs of threads that race.
fn races(steps: &[Step]) -> Vec<(usize, usize)> {
    let events = events(steps);
    let before = |a: &Event, b: &Event| is_before(steps, a, b);
    let mut all = Vec::new();
    for (index, a) in events.iter().enumerate() {
        for b in &events[..index] {
            let harmless = reads(a.kind) && reads(b.kind)
                || (a.kind == Kind::Atomic && b.kind == Kind::Atomic);
            let meet = a.bytes.start < b.bytes.end && b.bytes.start < a.bytes.end;
            if meet && !harmless && !before(a, b) && !before(b, a) {
                all.push((a.thread.min(b.thread), a.thread.max(b.thread)));
            }
        }
    }
    all
}

#[test]
fn the_detector_agrees_with_a_comparison_of_all_pairs() {
    for bytes in [false, true] {
        let program = interpreter(bytes);
        let mut numbers = Numbers(2026);
        let (mut racy, mut unwritten, mut clean) = (0, 0, 0);
        for number in 0..1500 {
            let steps = random_steps(&mut numbers, bytes);
            let expected = races(&steps);
            let is_unwritten = expected.is_empty() && reads_unwritten(&steps);
            for seed in [None, Some(1), Some(number)] {
                match run(&program, &steps, seed) {
                    Ok(()) => {
                        assert!(expected.is_empty(), "missed {expected:?} in {steps:#?}");
                        assert!(!is_unwritten, "missed an unwritten read in {steps:#?}");
                    }
                    Err(EmulatorError::Kernel(error)) if is_unwritten => {
                        let found = matches!(error.fault, Fault::Unwritten { .. });
                        assert!(found, "{error}: {steps:#?}");
                    }
                    Err(EmulatorError::Kernel(error)) => {
                        let Fault::Race(race) = &error.fault else { panic!("{error}: {steps:#?}") };
                        let pair = [error.thread[0] as usize, race.other_thread[0] as usize];
                        let pair = (pair[0].min(pair[1]), pair[0].max(pair[1]));
                        assert!(expected.contains(&pair), "{error}: {expected:?}, {steps:#?}");
                        assert_eq!((error.block, race.other_block), ([0; 3], [0; 3]));
                    }
                    Err(other) => panic!("{other}"),
                }
            }
            match (expected.is_empty(), is_unwritten) {
                (false, _) => racy += 1,
                (true, true) => unwritten += 1,
                (true, false) => clean += 1,
            }
        }
        let all = format!("{racy} racy, {unwritten} that read too much, {clean} clean");
        assert!(racy > 300 && unwritten > 10 && clean > 300, "{all}");
    }
}
