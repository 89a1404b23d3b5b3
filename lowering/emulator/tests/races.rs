//! Exchanges between threads with a fault planted in them: each is caught, with both places, and
//! the kernel without the fault runs clean and computes what it should.

use crate::harness::*;
use stencil_emulator::{Argument, Fault, LaunchOptions, Memory, Program, Races, Remedy};

const DECLARATIONS: &str = "
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier0()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
";

const BARRIER: &str = "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)";
const WARP_BARRIER: &str = "call void @llvm.nvvm.bar.warp.sync(i32 -1)";

/// Runs a kernel of one buffer in the natural order and in two drawn ones; all give the same.
fn run_on(program: &Program, threads: u32, data: &[u32]) -> Result<Vec<u32>, Box<Fault>> {
    let run = |order_seed| {
        let mut memory = Memory::new();
        let buffer = u32_buffer(&mut memory, data);
        let options = LaunchOptions { order_seed, ..LaunchOptions::default() };
        let row = Row { options, ..Row::of(1, threads) };
        match row.run(program, &mut memory, &[Argument::Buffer(buffer)]) {
            Ok(_) => Ok(u32_values(&memory, buffer)),
            error => Err(Box::new(fault(error).fault)),
        }
    };
    let natural = run(None);
    for seed in 1..3 {
        match (&natural, run(Some(seed))) {
            (Ok(values), Ok(drawn)) => assert_eq!(*values, drawn, "seed {seed}"),
            (Err(_), Err(_)) => {}
            (natural, drawn) => panic!("{natural:?}, but with seed {seed} {drawn:?}"),
        }
    }
    natural
}

/// The message and the remedy of a run that must race.
fn raced(program: &Program, threads: u32, data: &[u32]) -> (String, Remedy) {
    let fault = run_on(program, threads, data).unwrap_err();
    match &*fault {
        Fault::Race(race) => (fault.to_string(), race.remedy),
        other => panic!("no race: {other}"),
    }
}

/// Four steps in which 64 threads add both neighbours, through two planes in shared memory that
/// take turns. `turn` computes `%turn` from the step `%i`, `between` is inserted after the store.
fn plane_exchange(turn: &str, between: &str) -> Program {
    compile(&format!(
        "@planes = internal addrspace(3) global [2 x [64 x i32]] undef, align 4
         define ptx_kernel void @f(ptr %data) {{
           %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
           %p = getelementptr i32, ptr %data, i32 %tid
           %start = load i32, ptr %p, align 4
           %l = add i32 %tid, 63
           %left = and i32 %l, 63
           %r = add i32 %tid, 1
           %right = and i32 %r, 63
           br label %step
         step:
           %i = phi i32 [ 0, %0 ], [ %next, %step ]
           %value = phi i32 [ %start, %0 ], [ %sum, %step ]
           {turn}
           %own = getelementptr [64 x i32], ptr addrspace(3) @planes, i32 %turn, i32 %tid
           store i32 %value, ptr addrspace(3) %own, align 4
           {between}
           %pl = getelementptr [64 x i32], ptr addrspace(3) @planes, i32 %turn, i32 %left
           %vl = load i32, ptr addrspace(3) %pl, align 4
           %pr = getelementptr [64 x i32], ptr addrspace(3) @planes, i32 %turn, i32 %right
           %vr = load i32, ptr addrspace(3) %pr, align 4
           %two = add i32 %vl, %vr
           %sum = add i32 %two, %value
           %next = add i32 %i, 1
           %more = icmp ult i32 %next, 4
           br i1 %more, label %step, label %end
         end:
           store i32 %sum, ptr %p, align 4
           ret void
         }}
         {DECLARATIONS}"
    ))
}

const TAKE_TURNS: &str = "%turn = and i32 %i, 1";

fn plane_reference(data: &[u32]) -> Vec<u32> {
    let n = data.len();
    let step = |now: Vec<u32>| -> Vec<u32> {
        (0..n).map(|i| now[(i + n - 1) % n] + now[(i + 1) % n] + now[i]).collect()
    };
    (0..4).fold(data.to_vec(), |now, _| step(now))
}

#[test]
fn planes_that_take_turns_need_one_barrier_a_step() {
    let data: Vec<u32> = (0..64).map(|i| i * i).collect();
    for barrier in [BARRIER, "call void @llvm.nvvm.barrier0()"] {
        let program = plane_exchange(TAKE_TURNS, barrier);
        assert_eq!(run_on(&program, 64, &data).unwrap(), plane_reference(&data));
    }
}

#[test]
fn a_missing_barrier_is_a_race() {
    let data: Vec<u32> = (0..64).collect();
    let (message, remedy) = raced(&plane_exchange(TAKE_TURNS, ""), 64, &data);
    // In the natural order thread 0 reads before any other thread has run at all.
    assert_eq!(
        message,
        "race at byte 4 of shared variable 'planes' (512 bytes): store of 4 bytes 'store i32 \
         %value, ptr addrspace(3) %own, align 4' conflicts with the load of 4 bytes '%vr = load \
         i32, ptr addrspace(3) %pr, align 4' of block (0, 0, 0), thread (0, 0, 0); a \
         'bar.warp.sync' of both lanes, or a barrier of the block, between them would order them; \
         a shuffle does not"
    );
    assert_eq!(remedy, Remedy::WarpBarrier);
    // A barrier of the warp is not enough across warps.
    let (message, remedy) = raced(&plane_exchange(TAKE_TURNS, WARP_BARRIER), 64, &data);
    assert_eq!(remedy, Remedy::BlockBarrier);
    let end = "; a barrier of the block that both threads reach between them would order them";
    assert!(message.ends_with(end), "{message}");
}

#[test]
fn a_read_of_what_nobody_writes_is_an_error() {
    // 48 of the 64 words are written.
    let program = plane_exchange(TAKE_TURNS, BARRIER);
    let fault = run_on(&program, 48, &[1; 48]).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "load of 4 bytes '%vl = load i32, ptr addrspace(3) %pl, align 4' reads byte 252 of shared \
         variable 'planes' (512 bytes), which no thread of the block has written"
    );
}

#[test]
fn a_wrong_buffer_index_is_a_race() {
    let data: Vec<u32> = (0..64).collect();
    let (message, remedy) = raced(&plane_exchange("%turn = and i32 %i, 0", BARRIER), 64, &data);
    assert_eq!(
        message,
        "race at byte 0 of shared variable 'planes' (512 bytes): load of 4 bytes '%vl = load i32, \
         ptr addrspace(3) %pl, align 4' conflicts with the store of 4 bytes 'store i32 %value, ptr \
         addrspace(3) %own, align 4' of block (0, 0, 0), thread (0, 0, 0); a 'bar.warp.sync' of \
         both lanes, or a barrier of the block, between them would order them; a shuffle does not"
    );
    assert_eq!(remedy, Remedy::WarpBarrier);
}

/// Each warp turns its 32 values by one lane, through a ring in shared memory that is its own.
fn warp_ring(index: &str, between: &str) -> Program {
    compile(&format!(
        "@ring = internal addrspace(3) global [96 x i32] undef, align 4
         define ptx_kernel void @f(ptr %data) {{
           %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
           %p = getelementptr i32, ptr %data, i32 %tid
           %value = load i32, ptr %p, align 4
           %own = getelementptr i32, ptr addrspace(3) @ring, i32 %tid
           store i32 %value, ptr addrspace(3) %own, align 4
           {between}
           %warp = and i32 %tid, 96
           %after = add i32 %tid, 1
           %turned = and i32 %after, 31
           %inside = or i32 %warp, %turned
           {index}
           %other = getelementptr i32, ptr addrspace(3) @ring, i32 %index
           %v = load i32, ptr addrspace(3) %other, align 4
           store i32 %v, ptr %p, align 4
           ret void
         }}
         {DECLARATIONS}"
    ))
}

#[test]
fn a_ring_of_a_warp_needs_a_barrier_of_the_warp() {
    let data: Vec<u32> = (0..64).map(|i| 7 * i).collect();
    let program = warp_ring("%index = or i32 %inside, 0", WARP_BARRIER);
    let expected: Vec<u32> = (0..64).map(|i| data[i / 32 * 32 + (i + 1) % 32]).collect();
    assert_eq!(run_on(&program, 64, &data).unwrap(), expected);
}

#[test]
fn a_shuffle_does_not_order_memory() {
    let shuffle = "%s = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %tid, i32 0, i32 31)";
    let program = warp_ring("%index = or i32 %inside, 0", shuffle);
    let (message, remedy) = raced(&program, 64, &[0; 64]);
    assert_eq!(remedy, Remedy::WarpBarrier);
    assert!(message.starts_with("race at byte "), "{message}");
    assert!(message.contains("'%v = load i32, ptr addrspace(3) %other, align 4'"), "{message}");
    assert!(message.ends_with("between them would order them; a shuffle does not"), "{message}");
}

#[test]
fn a_ring_of_a_warp_is_not_for_other_warps() {
    // The last lane of a warp reads the first word of the next warp.
    let program = warp_ring("%index = urem i32 %after, 64", WARP_BARRIER);
    let (message, remedy) = raced(&program, 64, &[0; 64]);
    assert_eq!(remedy, Remedy::BlockBarrier);
    assert!(message.contains(" of shared variable 'ring' (384 bytes): "), "{message}");
    // With a barrier of the block it is.
    let program = warp_ring("%index = urem i32 %after, 64", BARRIER);
    let expected: Vec<u32> = (0..64).map(|i| (i + 1) % 64).collect();
    assert_eq!(run_on(&program, 64, &(0..64).collect::<Vec<u32>>()).unwrap(), expected);
}

#[test]
fn a_shuffle_reads_only_lanes_that_take_part() {
    let program = compile(&format!(
        "define ptx_kernel void @f(ptr %data) {{
           %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
           %low = icmp ult i32 %tid, 16
           br i1 %low, label %go, label %end
         go:
           %from = add i32 %tid, 1
           %s = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 65535, i32 %tid, i32 %from, i32 31)
           br label %end
         end:
           ret void
         }}
         {DECLARATIONS}"
    ));
    let fault = run_on(&program, 32, &[0; 32]).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "'shfl.sync.idx' needs lane 16, which is not in the mask 0x0000ffff"
    );
}

/// Every thread copies `data[%index]` to the word of its own, `%at`.
fn global_writes(index: &str) -> Program {
    compile(&format!(
        "define ptx_kernel void @f(ptr %data) {{
           %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
           %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
           %first = mul i32 %block, 32
           %at = add i32 %first, %tid
           {index}
           %q = getelementptr i32, ptr %data, i32 %index
           %v = load i32, ptr %q, align 4
           %p = getelementptr i32, ptr %data, i32 %at
           store i32 %v, ptr %p, align 4
           ret void
         }}
         {DECLARATIONS}"
    ))
}

fn run_global(program: &Program, races: Races, seed: Option<u64>) -> Option<Fault> {
    let mut memory = Memory::new();
    let arguments = [Argument::Buffer(u32_buffer(&mut memory, &[1; 128]))];
    let options = LaunchOptions { races, order_seed: seed, ..LaunchOptions::default() };
    let row = Row { options, ..Row::of(4, 32) };
    match row.run(program, &mut memory, &arguments) {
        Ok(_) => None,
        error => Some(fault(error).fault),
    }
}

#[test]
fn buffers_are_watched_where_asked_for() {
    let cases = [
        ("%index = add i32 %at, 0", None),
        ("%index = xor i32 %at, 1", Some(Remedy::WarpBarrier)),
        ("%index = xor i32 %at, 32", Some(Remedy::Launch)),
    ];
    for (index, remedy) in cases {
        let program = global_writes(index);
        for seed in [None, Some(1), Some(2)] {
            assert_eq!(run_global(&program, Races::Shared, seed), None, "{index}");
            let found = match run_global(&program, Races::All, seed) {
                None => None,
                Some(Fault::Race(race)) => Some(race.remedy),
                Some(other) => panic!("{other}"),
            };
            assert_eq!(found, remedy, "{index}");
        }
    }
    let fault = run_global(&global_writes(cases[2].0), Races::All, None).unwrap();
    assert_eq!(
        fault.to_string(),
        "race at byte 0 of buffer 0 (512 bytes, parameter 0): load of 4 bytes '%v = load i32, ptr \
         %q, align 4' conflicts with the store of 4 bytes 'store i32 %v, ptr %p, align 4' of block \
         (0, 0, 0), thread (0, 0, 0); nothing orders the blocks of a launch: two launches would, \
         or bytes of its own for each block"
    );
}

#[test]
fn a_source_location_is_named_where_there_is_one() {
    let program = compile(
        "@cell = internal addrspace(3) global i32 undef, align 4
         define ptx_kernel void @f() !dbg !3 {
           store i32 1, ptr addrspace(3) @cell, align 4, !dbg !5
           ret void, !dbg !5
         }
         !llvm.module.flags = !{!0}
         !llvm.dbg.cu = !{!1}
         !0 = !{i32 2, !\"Debug Info Version\", i32 3}
         !1 = distinct !DICompileUnit(language: DW_LANG_C, file: !2, emissionKind: LineTablesOnly)
         !2 = !DIFile(filename: \"heat.mlir\", directory: \"\")
         !3 = distinct !DISubprogram(name: \"f\", file: !2, line: 1, type: !4, unit: !1,
           spFlags: DISPFlagDefinition)
         !4 = !DISubroutineType(types: !{})
         !5 = !DILocation(line: 12, column: 7, scope: !3)",
    );
    let error = fault(Row::of(1, 2).run(&program, &mut Memory::new(), &[]));
    assert_eq!(error.thread, [1, 0, 0]);
    let text = "store of 4 bytes 'heat.mlir:12:7: store i32 1, ptr addrspace(3) @cell, align 4'";
    assert!(error.to_string().contains(text), "{error}");
}

#[test]
fn shared_memory_is_new_in_each_block() {
    // Every thread writes its word and reads it; another block's writes are no race, and unwatched
    // launches see none.
    let program = warp_ring("%index = or i32 %inside, 0", "");
    for (races, fails) in [(Races::Off, false), (Races::Shared, true), (Races::All, true)] {
        let mut memory = Memory::new();
        let arguments = [Argument::Buffer(u32_buffer(&mut memory, &[0; 64]))];
        let row =
            Row { options: LaunchOptions { races, ..LaunchOptions::default() }, ..Row::of(1, 64) };
        let found = row.run(&program, &mut memory, &arguments);
        match fails {
            false => assert!(found.is_ok(), "{races:?}: {found:?}"),
            true => assert!(matches!(fault(found).fault, Fault::Race(_)), "{races:?}"),
        }
    }
}

#[test]
fn an_order_is_drawn_anew_after_each_barrier() {
    // Before and after the barrier all threads write one word each: the last ones are the order's.
    let program = compile(&format!(
        "define ptx_kernel void @f(ptr %data) {{
           %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
           store i32 %tid, ptr %data, align 4
           {BARRIER}
           %p = getelementptr i32, ptr %data, i32 1
           store i32 %tid, ptr %p, align 4
           {WARP_BARRIER}
           %q = getelementptr i32, ptr %data, i32 2
           store i32 %tid, ptr %q, align 4
           ret void
         }}
         {DECLARATIONS}"
    ));
    let last = |order_seed| {
        let mut memory = Memory::new();
        let buffer = u32_buffer(&mut memory, &[0; 3]);
        let options = LaunchOptions { order_seed, ..LaunchOptions::default() };
        let row = Row { options, ..Row::of(1, 96) };
        row.run(&program, &mut memory, &[Argument::Buffer(buffer)]).unwrap();
        u32_values(&memory, buffer)
    };
    assert_eq!(last(None), [95, 95, 95]);
    let drawn: Vec<Vec<u32>> = (0..16).map(|seed| last(Some(seed))).collect();
    assert_eq!(drawn[3], last(Some(3)));
    assert!(drawn.iter().any(|last| last[0] != last[1]), "{drawn:?}");
    assert!(drawn.iter().any(|last| last[0] != drawn[0][0]), "{drawn:?}");
    // Warps interleave: which one ends last is not which one passed the middle last.
    assert!(drawn.iter().any(|last| last[1] / 32 != last[2] / 32), "{drawn:?}");
}
