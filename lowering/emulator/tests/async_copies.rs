//! Asynchronous copies to shared memory: done at the wait, not before it, checked like other
//! accesses.

use crate::harness::*;
use stencil_emulator::{Argument, Fault, LaunchOptions, Memory, Program, Races, Remedy};

const DECLARATIONS: &str = "
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.ca.shared.global.8.s(ptr addrspace(3), ptr addrspace(1), i32)
declare void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.group(i32)
declare void @llvm.nvvm.cp.async.wait.all()
";

const BARRIER: &str = "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)";
const COMMIT: &str = "call void @llvm.nvvm.cp.async.commit.group()";
const WAIT: &str = "call void @llvm.nvvm.cp.async.wait.group(i32 0)";
const WAIT_ALL: &str = "call void @llvm.nvvm.cp.async.wait.all()";

/// Every thread copies its word to shared memory; after `between` it reads the word at `%from`.
fn exchange(between: &[&str], from: &str) -> Program {
    let between = between.join("\n");
    compile(&format!(
        "@tile = internal addrspace(3) global [64 x i32] undef, align 16
         define ptx_kernel void @f(ptr %in, ptr %out) {{
           %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
           %global = addrspacecast ptr %in to ptr addrspace(1)
           %p = getelementptr i32, ptr addrspace(1) %global, i32 %tid
           %s = getelementptr i32, ptr addrspace(3) @tile, i32 %tid
           call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) %s,
             ptr addrspace(1) %p)
           {between}
           %from = {from}
           %t = getelementptr i32, ptr addrspace(3) @tile, i32 %from
           %v = load i32, ptr addrspace(3) %t, align 4
           %q = getelementptr i32, ptr %out, i32 %tid
           store i32 %v, ptr %q, align 4
           ret void
         }}
         {DECLARATIONS}"
    ))
}

const OWN: &str = "add i32 %tid, 0";
const OTHER: &str = "xor i32 %tid, 63";

fn run(program: &Program, races: Races) -> Result<Vec<u32>, Fault> {
    let mut memory = Memory::new();
    let input = u32_buffer(&mut memory, &(100..164).collect::<Vec<u32>>());
    let out = u32_buffer(&mut memory, &[0; 64]);
    let arguments = [Argument::Buffer(input), Argument::Buffer(out)];
    let row =
        Row { options: LaunchOptions { races, ..LaunchOptions::default() }, ..Row::of(1, 64) };
    match row.run(program, &mut memory, &arguments) {
        Ok(counters) => {
            assert_eq!((counters.shared.stores, counters.global.loads), (64, 64));
            Ok(u32_values(&memory, out))
        }
        error => Err(fault(error).fault),
    }
}

#[test]
fn a_copy_that_is_waited_for_is_there() {
    for waits in [&[COMMIT, WAIT][..], &[WAIT_ALL]] {
        let own: Vec<u32> = (100..164).collect();
        assert_eq!(run(&exchange(waits, OWN), Races::All), Ok(own));
        let with_barrier = [waits, &[BARRIER]].concat();
        let turned: Vec<u32> = (100..164).rev().collect();
        assert_eq!(run(&exchange(&with_barrier, OTHER), Races::All), Ok(turned));
    }
}

#[test]
fn a_copy_that_is_read_too_early_is_a_race() {
    let cases: [(&[&str], &str, Remedy); 6] = [
        (&[], OWN, Remedy::Wait),
        (&[COMMIT], OWN, Remedy::Wait),
        (&[WAIT], OWN, Remedy::Wait), // Not committed: the wait is for no group.
        (&[COMMIT, "call void @llvm.nvvm.cp.async.wait.group(i32 1)"], OWN, Remedy::Wait),
        (&[COMMIT, BARRIER], OTHER, Remedy::WaitAndBarrier),
        (&[COMMIT, BARRIER, WAIT], OTHER, Remedy::WaitAndBarrier),
    ];
    for (between, from, remedy) in cases {
        match run(&exchange(between, from), Races::Shared) {
            Err(Fault::Race(race)) => assert_eq!(race.remedy, remedy, "{between:?}"),
            other => panic!("{between:?}: {other:?}"),
        }
    }
    let fault = run(&exchange(&[], OWN), Races::Shared).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "race at byte 0 of shared variable 'tile' (256 bytes): load of 4 bytes '%v = load i32, ptr \
         addrspace(3) %t, align 4' conflicts with the copy or fill to memory of 4 bytes 'call void \
         @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) %s, ptr addrspace(1) %p)' of \
         block (0, 0, 0), thread (0, 0, 0); the copy is done only when the thread has waited for \
         it: 'cp.async.wait_group' or 'cp.async.wait_all' between them would order them"
    );
    // Waited for, but without a barrier.
    let fault = run(&exchange(&[COMMIT, WAIT], "xor i32 %tid, 1"), Races::Shared).unwrap_err();
    assert!(matches!(fault, Fault::Race(_)), "{fault}");
    // Unwatched, the word is what it was: the copy is not done before the wait.
    let values = run(&exchange(&[COMMIT], OWN), Races::Off).unwrap();
    assert!(values.iter().all(|value| *value == stencil_emulator::POISON_WORD));
}

/// A pipeline: stage `i + 1` is under way while stage `i` is read, from two slots that take turns.
fn pipeline(allowed: u32, last_barrier: &str) -> Program {
    compile(&format!(
        "@slots = internal addrspace(3) global [2 x [32 x i32]] undef, align 16
         define ptx_kernel void @f(ptr %in, ptr %out) {{
           %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
           %other = xor i32 %tid, 31
           %global = addrspacecast ptr %in to ptr addrspace(1)
           %p0 = getelementptr i32, ptr addrspace(1) %global, i32 %tid
           %s0 = getelementptr i32, ptr addrspace(3) @slots, i32 %tid
           call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) %s0,
             ptr addrspace(1) %p0)
           {COMMIT}
           br label %stage
         stage:
           %i = phi i32 [ 0, %0 ], [ %next, %read ]
           %sum = phi i32 [ 0, %0 ], [ %total, %read ]
           %next = add i32 %i, 1
           %more = icmp ult i32 %next, 4
           br i1 %more, label %fetch, label %wait
         fetch:
           %p = getelementptr [32 x i32], ptr addrspace(1) %global, i32 %next, i32 %tid
           %slot = and i32 %next, 1
           %s = getelementptr [32 x i32], ptr addrspace(3) @slots, i32 %slot, i32 %tid
           call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) %s,
             ptr addrspace(1) %p)
           br label %wait
         wait:
           {COMMIT}
           call void @llvm.nvvm.cp.async.wait.group(i32 {allowed})
           {BARRIER}
           br label %read
         read:
           %now = and i32 %i, 1
           %t = getelementptr [32 x i32], ptr addrspace(3) @slots, i32 %now, i32 %other
           %v = load i32, ptr addrspace(3) %t, align 4
           %total = add i32 %sum, %v
           {last_barrier}
           br i1 %more, label %stage, label %end
         end:
           %q = getelementptr i32, ptr %out, i32 %tid
           store i32 %total, ptr %q, align 4
           ret void
         }}
         {DECLARATIONS}"
    ))
}

#[test]
fn a_pipeline_of_two_slots_runs_clean_with_two_barriers_a_stage() {
    let run = |program: &Program, order_seed| {
        let mut memory = Memory::new();
        let input = u32_buffer(&mut memory, &(0..128).map(|i| i * i).collect::<Vec<u32>>());
        let out = u32_buffer(&mut memory, &[0; 32]);
        let arguments = [Argument::Buffer(input), Argument::Buffer(out)];
        let options = LaunchOptions { order_seed, races: Races::All, ..LaunchOptions::default() };
        let row = Row { options, ..Row::of(1, 32) };
        row.run(program, &mut memory, &arguments).map(|_| u32_values(&memory, out))
    };
    let sum = |lane: u32| (0..4).map(|stage| (32 * stage + lane).pow(2)).sum::<u32>();
    let expected: Vec<u32> = (0..32).rev().map(sum).collect();
    for seed in [None, Some(1), Some(2)] {
        assert_eq!(run(&pipeline(1, BARRIER), seed).unwrap(), expected);
        // Without the second barrier the next copy overwrites what others still read.
        let error = run(&pipeline(1, ""), seed).unwrap_err().to_string();
        assert!(error.contains("race at byte"), "{error}");
        assert!(error.contains("cp.async.ca.shared.global.4"), "{error}");
        // A wait that allows two groups does not wait for the stage that is read.
        let error = run(&pipeline(2, BARRIER), seed).unwrap_err().to_string();
        assert!(error.contains("the copy is done only when"), "{error}");
    }
}

/// One thread copies `%size` of 8 bytes from the word at `%at` and writes both words out.
fn partial_copy() -> Program {
    compile(&format!(
        "@pair = internal addrspace(3) global [2 x i32] undef, align 16
         define ptx_kernel void @f(ptr %in, ptr %out, i32 %at, i32 %size) {{
           %global = addrspacecast ptr %in to ptr addrspace(1)
           %p = getelementptr i32, ptr addrspace(1) %global, i32 %at
           call void @llvm.nvvm.cp.async.ca.shared.global.8.s(ptr addrspace(3) @pair,
             ptr addrspace(1) %p, i32 %size)
           call void @llvm.nvvm.cp.async.wait.all()
           %v = load i64, ptr addrspace(3) @pair, align 8
           store i64 %v, ptr %out, align 8
           ret void
         }}
         {DECLARATIONS}"
    ))
}

#[test]
fn a_copy_with_a_size_fills_the_rest_with_zeros() {
    let program = partial_copy();
    let run = |at: u32, size: u32| {
        let mut memory = Memory::new();
        let input = u32_buffer(&mut memory, &[5, 6, 7, 8]);
        let out = u32_buffer(&mut memory, &[1; 2]);
        let scalar = |value: u32| Argument::Bytes(value.to_le_bytes().to_vec());
        let arguments = [Argument::Buffer(input), Argument::Buffer(out), scalar(at), scalar(size)];
        let ran = Row::of(1, 1).run(&program, &mut memory, &arguments);
        ran.map(|_| u32_values(&memory, out))
    };
    assert_eq!(run(0, 8).unwrap(), [5, 6]);
    assert_eq!(run(2, 4).unwrap(), [7, 0]);
    // Nothing is read, so nothing is out of bounds.
    assert_eq!(run(4, 0).unwrap(), [0, 0]);
    let error = run(4, 4).unwrap_err().to_string();
    assert!(error.contains("copy from memory of 4 bytes at byte 16 of buffer 0"), "{error}");
}

#[test]
fn copies_are_checked_for_bounds_and_alignment() {
    let program = compile(&format!(
        "@tile = internal addrspace(3) global [8 x i32] undef, align 16
         define ptx_kernel void @f(ptr %in, i32 %to, i32 %from) {{
           %global = addrspacecast ptr %in to ptr addrspace(1)
           %p = getelementptr i32, ptr addrspace(1) %global, i32 %from
           %s = getelementptr i32, ptr addrspace(3) @tile, i32 %to
           call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %s,
             ptr addrspace(1) %p)
           {WAIT_ALL}
           ret void
         }}
         {DECLARATIONS}"
    ));
    let run = |to: u32, from: u32| {
        let mut memory = Memory::new();
        let input = u32_buffer(&mut memory, &[0; 8]);
        let scalar = |value: u32| Argument::Bytes(value.to_le_bytes().to_vec());
        let arguments = [Argument::Buffer(input), scalar(to), scalar(from)];
        Row::of(1, 1).run(&program, &mut memory, &arguments)
    };
    run(4, 4).unwrap();
    let message = |to, from| fault(run(to, from)).fault.to_string();
    let text = message(8, 0);
    assert!(text.contains("16 bytes at byte 32 of shared variable 'tile'"), "{text}");
    let text = message(0, 8);
    assert!(text.contains("copy from memory of 16 bytes at byte 32 of buffer 0"), "{text}");
    let text = message(2, 0);
    assert!(text.contains("misaligned"), "{text}");
}

#[test]
fn unchecked_kernels_copy_too() {
    let ir = "@tile = internal addrspace(3) global [32 x i32] undef, align 16
         define ptx_kernel void @f(ptr %in, ptr %out) {
           %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
           %global = addrspacecast ptr %in to ptr addrspace(1)
           %p = getelementptr i32, ptr addrspace(1) %global, i32 %tid
           %s = getelementptr i32, ptr addrspace(3) @tile, i32 %tid
           call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) %s,
             ptr addrspace(1) %p)
           call void @llvm.nvvm.cp.async.wait.all()
           %v = load i32, ptr addrspace(3) %s, align 4
           %q = getelementptr i32, ptr %out, i32 %tid
           store i32 %v, ptr %q, align 4
           ret void
         }";
    let program = compile_unchecked(&format!("{ir}{DECLARATIONS}"));
    let mut memory = Memory::new();
    let input = u32_buffer(&mut memory, &(0..32).collect::<Vec<u32>>());
    let out = u32_buffer(&mut memory, &[0; 32]);
    let arguments = [Argument::Buffer(input), Argument::Buffer(out)];
    Row::of(1, 32).run(&program, &mut memory, &arguments).unwrap();
    assert!(u32_values(&memory, out).into_iter().eq(0..32));
}
