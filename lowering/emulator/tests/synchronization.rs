//! Barriers, shuffles, votes: what they do, and what it means that a thread does not come.

use crate::harness::*;
use std::num::NonZeroUsize;
use stencil_emulator::{Argument, Fault, LaunchOptions, Memory, Program};

const DECLARATIONS: &str = "
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.count(i32, i32)
declare float @llvm.nvvm.shfl.sync.down.f32(i32, float, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare { i32, i1 } @llvm.nvvm.shfl.sync.up.i32p(i32, i32, i32, i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i1 @llvm.nvvm.vote.all.sync(i32, i1)
declare i32 @llvm.nvvm.redux.sync.add(i32, i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
";

/// Each block reverses its part of the array through shared memory.
fn reversal(variable: &str) -> String {
    format!(
        "{variable}
         define ptx_kernel void @f(ptr %data) {{
           %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
           %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
           %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
           %first = mul nuw nsw i32 %block, %n
           %at = add nuw nsw i32 %first, %tid
           %p = getelementptr inbounds nuw i32, ptr %data, i32 %at
           %v = load i32, ptr %p, align 4
           %s = getelementptr inbounds nuw i32, ptr addrspace(3) @tile, i32 %tid
           store i32 %v, ptr addrspace(3) %s, align 4
           call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
           %last = sub nuw nsw i32 %n, 1
           %other = sub nuw nsw i32 %last, %tid
           %t = getelementptr inbounds nuw i32, ptr addrspace(3) @tile, i32 %other
           %w = load i32, ptr addrspace(3) %t, align 4
           store i32 %w, ptr %p, align 4
           ret void
         }}
         {DECLARATIONS}"
    )
}

fn check_reversal(program: &Program, dynamic_shared_bytes: u32) {
    for order_seed in [None, Some(1), Some(2)] {
        let workers = NonZeroUsize::new(2);
        let options = LaunchOptions { workers, order_seed, ..LaunchOptions::default() };
        let mut memory = Memory::new();
        let data = u32_buffer(&mut memory, &(0..700).collect::<Vec<u32>>());
        let row = Row { dynamic_shared_bytes, options, ..Row::of(7, 100) };
        let counters = row.run(program, &mut memory, &[Argument::Buffer(data)]).unwrap();
        assert_eq!(counters.barriers, 7);
        assert_eq!((counters.shared.loads, counters.shared.stored_bytes), (700, 2800));
        let expected = (0..7).flat_map(|block| (0..100).map(move |i| block * 100 + 99 - i));
        assert!(u32_values(&memory, data).into_iter().eq(expected));
    }
}

#[test]
fn blocks_reverse_through_static_shared_memory() {
    let program =
        compile(&reversal("@tile = internal addrspace(3) global [100 x i32] undef, align 4"));
    let kernel = program.kernels().next().unwrap();
    assert!(kernel.has_barriers);
    assert_eq!(kernel.static_shared_bytes, 400);
    check_reversal(&program, 0);
}

#[test]
fn blocks_reverse_through_dynamic_shared_memory() {
    let ir = reversal("@tile = external addrspace(3) global [0 x i8], align 16");
    check_reversal(&compile(&ir), 400);
    let ir = reversal("@tile = internal addrspace(3) global [0 x i8] undef, align 16");
    let program = compile(&ir);
    check_reversal(&program, 400);
    let mut memory = Memory::new();
    let data = u32_buffer(&mut memory, &[0; 100]);
    let row = Row { dynamic_shared_bytes: 396, ..Row::of(1, 100) };
    let error = fault(row.run(&program, &mut memory, &[Argument::Buffer(data)]));
    assert_eq!(error.thread, [99, 0, 0]);
}

#[test]
fn unchecked_kernels_synchronize_too() {
    let ir = reversal("@tile = internal addrspace(3) global [100 x i32] undef, align 4");
    let program = compile_unchecked(&ir);
    let mut memory = Memory::new();
    let data = u32_buffer(&mut memory, &(0..100).collect::<Vec<u32>>());
    Row::of(1, 100).run(&program, &mut memory, &[Argument::Buffer(data)]).unwrap();
    assert!(u32_values(&memory, data).into_iter().eq((0..100).rev()));
}

#[test]
fn a_pipeline_in_a_loop_keeps_its_local_variables() {
    // Each round every thread adds its right neighbour's value; a local array keeps the history.
    let program = compile(&format!(
        "@tile = internal addrspace(3) global [64 x i32] undef, align 4
         define ptx_kernel void @f(ptr %data) {{
           %history = alloca [4 x i32], align 4
           %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
           %p = getelementptr i32, ptr %data, i32 %tid
           %start = load i32, ptr %p, align 4
           br label %round
         round:
           %i = phi i32 [ 0, %0 ], [ %next, %round ]
           %value = phi i32 [ %start, %0 ], [ %sum, %round ]
           %own = getelementptr i32, ptr addrspace(3) @tile, i32 %tid
           store i32 %value, ptr addrspace(3) %own, align 4
           call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
           %right = add i32 %tid, 1
           %wrapped = and i32 %right, 63
           %q = getelementptr i32, ptr addrspace(3) @tile, i32 %wrapped
           %other = load i32, ptr addrspace(3) %q, align 4
           call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
           %sum = add i32 %value, %other
           %slot = getelementptr i32, ptr %history, i32 %i
           store i32 %sum, ptr %slot, align 4
           %next = add i32 %i, 1
           %more = icmp ult i32 %next, 4
           br i1 %more, label %round, label %end
         end:
           %early = and i32 %tid, 3
           %pick = getelementptr i32, ptr %history, i32 %early
           %result = load i32, ptr %pick, align 4
           store i32 %result, ptr %p, align 4
           ret void
         }}
         {DECLARATIONS}"
    ));
    let mut expected: Vec<u32> = (0..64).map(|i| i * i).collect();
    let mut history = Vec::new();
    for _ in 0..4 {
        expected = (0..64).map(|i| expected[i] + expected[(i + 1) % 64]).collect();
        history.push(expected.clone());
    }
    let mut memory = Memory::new();
    let data = u32_buffer(&mut memory, &(0..64).map(|i| i * i).collect::<Vec<u32>>());
    let counters = Row::of(1, 64).run(&program, &mut memory, &[Argument::Buffer(data)]).unwrap();
    assert_eq!(counters.barriers, 8);
    let result: Vec<u32> = (0..64).map(|i| history[i & 3][i]).collect();
    assert_eq!(u32_values(&memory, data), result);
}

#[test]
fn a_barrier_that_some_threads_never_reach_is_divergence() {
    let program = compile(&format!(
        "define ptx_kernel void @f(i32 %limit) {{
           %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
           %stay = icmp slt i32 %tid, %limit
           br i1 %stay, label %wait, label %end
         wait:
           call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
           br label %end
         end:
           ret void
         }}
         {DECLARATIONS}"
    ));
    let limit = |limit: i32| [Argument::Bytes(limit.to_le_bytes().to_vec())];
    let mut memory = Memory::new();
    Row::of(3, 64).run(&program, &mut memory, &limit(64)).unwrap();
    let error = fault(Row::of(3, 64).run(&program, &mut memory, &limit(40)));
    assert_eq!(
        error.to_string(),
        "kernel 'f', block (0, 0, 0), thread (0, 0, 0): barrier divergence: it waits at barrier 0, \
         but thread (40, 0, 0) has exited"
    );
}

#[test]
fn different_barriers_are_divergence() {
    let program = compile(&format!(
        "define ptx_kernel void @f() {{
           %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
           %low = icmp slt i32 %tid, 32
           br i1 %low, label %one, label %two
         one:
           call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
           ret void
         two:
           call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 1)
           ret void
         }}
         {DECLARATIONS}"
    ));
    let error = fault(Row::of(1, 64).run(&program, &mut Memory::new(), &[]));
    let text = error.to_string();
    assert!(
        text.contains("waits at barrier 0, but thread (32, 0, 0) waits at barrier 1"),
        "{text}"
    );
}

#[test]
fn an_aligned_barrier_is_one_instruction_in_a_warp() {
    let program = compile(&format!(
        "define ptx_kernel void @f(i32 %limit) {{
           %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
           %low = icmp slt i32 %tid, %limit
           br i1 %low, label %one, label %two
         one:
           call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
           ret void
         two:
           call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
           ret void
         }}
         {DECLARATIONS}"
    ));
    let limit = |limit: i32| [Argument::Bytes(limit.to_le_bytes().to_vec())];
    Row::of(1, 64).run(&program, &mut Memory::new(), &limit(32)).unwrap();
    let error = fault(Row::of(1, 64).run(&program, &mut Memory::new(), &limit(40)));
    let other = "thread (40, 0, 0) of the same warp waits at another instruction for barrier 0";
    assert!(error.to_string().contains(other), "{error}");
    assert_eq!(error.thread, [32, 0, 0]);
}

#[test]
fn counted_barriers_synchronize_part_of_a_block() {
    // The first two warps exchange through barrier 1; the third does not take part.
    let program = compile(&format!(
        "@tile = internal addrspace(3) global [64 x i32] undef, align 4
         define ptx_kernel void @f(ptr %out) {{
           %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
           %in = icmp ult i32 %tid, 64
           br i1 %in, label %work, label %end
         work:
           %s = getelementptr i32, ptr addrspace(3) @tile, i32 %tid
           store i32 %tid, ptr addrspace(3) %s, align 4
           call void @llvm.nvvm.barrier.cta.sync.count(i32 1, i32 64)
           %other = xor i32 %tid, 63
           %t = getelementptr i32, ptr addrspace(3) @tile, i32 %other
           %v = load i32, ptr addrspace(3) %t, align 4
           %p = getelementptr i32, ptr %out, i32 %tid
           store i32 %v, ptr %p, align 4
           br label %end
         end:
           ret void
         }}
         {DECLARATIONS}"
    ));
    let mut memory = Memory::new();
    let out = u32_buffer(&mut memory, &[0; 64]);
    Row::of(1, 96).run(&program, &mut memory, &[Argument::Buffer(out)]).unwrap();
    assert!(u32_values(&memory, out).into_iter().eq((0..64).rev()));
}

/// Every warp sums its 32 values by halving; lane 0 writes.
fn shuffle_sum() -> Program {
    let mut steps = String::new();
    let mut sum = "%v".to_owned();
    for distance in [16, 8, 4, 2, 1] {
        steps.push_str(&format!(
            "%o{distance} = call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float {sum}, \
             i32 {distance}, i32 31)\n%s{distance} = fadd float {sum}, %o{distance}\n"
        ));
        sum = format!("%s{distance}");
    }
    compile(&format!(
        "define ptx_kernel void @f(ptr %in, ptr %out) {{
           %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
           %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
           %p = getelementptr float, ptr %in, i32 %tid
           %v = load float, ptr %p, align 4
           {steps}
           %first = icmp eq i32 %lane, 0
           br i1 %first, label %write, label %end
         write:
           %warp = lshr i32 %tid, 5
           %q = getelementptr float, ptr %out, i32 %warp
           store float {sum}, ptr %q, align 4
           br label %end
         end:
           ret void
         }}
         {DECLARATIONS}"
    ))
}

#[test]
fn a_warp_sums_by_shuffles() {
    let program = shuffle_sum();
    let values: Vec<f32> = (0..64).map(|i| 1.0 / (i as f32 + 3.0)).collect();
    let tree = |values: &[f32]| {
        let mut sums = values.to_vec();
        for distance in [16, 8, 4, 2, 1] {
            sums = (0..32)
                .map(|lane| {
                    let other = if lane + distance < 32 { lane + distance } else { lane };
                    sums[lane] + sums[other]
                })
                .collect();
        }
        sums[0]
    };
    for order_seed in [None, Some(7), Some(8)] {
        let mut memory = Memory::new();
        let input = f32_buffer(&mut memory, &values);
        let out = f32_buffer(&mut memory, &[0.0; 2]);
        let arguments = [Argument::Buffer(input), Argument::Buffer(out)];
        let options = LaunchOptions { order_seed, ..LaunchOptions::default() };
        let row = Row { options, ..Row::of(1, 64) };
        let counters = row.run(&program, &mut memory, &arguments).unwrap();
        assert_eq!(counters.warp_operations, 10);
        assert_eq!(f32_values(&memory, out), [tree(&values[..32]), tree(&values[32..])]);
    }
}

#[test]
fn a_full_mask_in_a_partial_warp_names_missing_lanes() {
    let mut memory = Memory::new();
    let input = f32_buffer(&mut memory, &[1.0; 48]);
    let out = f32_buffer(&mut memory, &[0.0; 2]);
    let arguments = [Argument::Buffer(input), Argument::Buffer(out)];
    let error = fault(Row::of(1, 48).run(&shuffle_sum(), &mut memory, &arguments));
    assert_eq!(
        error.to_string(),
        "kernel 'f', block (0, 0, 0), thread (32, 0, 0): 'shfl.sync.down' needs lane 16, which \
         does not exist: the block ends before it"
    );
}

#[test]
fn a_shuffle_that_needs_an_exited_lane_is_an_error() {
    let program = compile(&format!(
        "define ptx_kernel void @f() {{
           %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
           %out = icmp eq i32 %tid, 9
           br i1 %out, label %end, label %go
         go:
           %v = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %tid, i32 1, i32 31)
           br label %end
         end:
           ret void
         }}
         {DECLARATIONS}"
    ));
    let error = fault(Row::of(1, 32).run(&program, &mut Memory::new(), &[]));
    assert_eq!(
        error.to_string(),
        "kernel 'f', block (0, 0, 0), thread (0, 0, 0): 'shfl.sync.bfly' needs lane 9, which has \
         exited"
    );
}

#[test]
fn a_shuffle_that_waits_for_a_lane_at_a_barrier_is_an_error() {
    let program = compile(&format!(
        "define ptx_kernel void @f() {{
           %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
           %out = icmp eq i32 %tid, 3
           br i1 %out, label %wait, label %go
         go:
           %v = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %tid, i32 1, i32 31)
           br label %wait
         wait:
           call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
           ret void
         }}
         {DECLARATIONS}"
    ));
    let error = fault(Row::of(1, 32).run(&program, &mut Memory::new(), &[]));
    let operation = "shfl.sync.bfly";
    let state = "waits at barrier 0".to_owned();
    assert_eq!(error.fault, Fault::InactiveLane { operation, lane: 3, state });
}

#[test]
fn predicates_votes_and_reductions() {
    let program = compile(&format!(
        "define ptx_kernel void @f(ptr %out) {{
           %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
           %pair = call {{ i32, i1 }} @llvm.nvvm.shfl.sync.up.i32p(i32 -1, i32 %tid, i32 2, i32 0)
           %moved = extractvalue {{ i32, i1 }} %pair, 0
           %in = extractvalue {{ i32, i1 }} %pair, 1
           %flag = zext i1 %in to i32
           %odd1 = and i32 %tid, 1
           %odd = icmp eq i32 %odd1, 1
           %ballot = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %odd)
           %all = call i1 @llvm.nvvm.vote.all.sync(i32 -1, i1 %in)
           %all1 = zext i1 %all to i32
           %sum = call i32 @llvm.nvvm.redux.sync.add(i32 %tid, i32 -1)
           call void @llvm.nvvm.bar.warp.sync(i32 -1)
           %row = mul i32 %tid, 5
           %p0 = getelementptr i32, ptr %out, i32 %row
           store i32 %moved, ptr %p0, align 4
           %p1 = getelementptr i32, ptr %p0, i32 1
           store i32 %flag, ptr %p1, align 4
           %p2 = getelementptr i32, ptr %p0, i32 2
           store i32 %ballot, ptr %p2, align 4
           %p3 = getelementptr i32, ptr %p0, i32 3
           store i32 %all1, ptr %p3, align 4
           %p4 = getelementptr i32, ptr %p0, i32 4
           store i32 %sum, ptr %p4, align 4
           ret void
         }}
         {DECLARATIONS}"
    ));
    let mut memory = Memory::new();
    let out = u32_buffer(&mut memory, &[0; 160]);
    Row::of(1, 32).run(&program, &mut memory, &[Argument::Buffer(out)]).unwrap();
    for (lane, row) in (0_u32..).zip(u32_values(&memory, out).chunks_exact(5)) {
        let (moved, flag) = if lane < 2 { (lane, 0) } else { (lane - 2, 1) };
        assert_eq!(row, [moved, flag, 0xAAAA_AAAA, 0, 496], "lane {lane}");
    }
}

#[test]
fn an_order_seed_shows_a_race() {
    // Threads write their number into one cell: which is last depends on the order.
    let program = compile(&format!(
        "define ptx_kernel void @f(ptr %out) {{
           %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
           store i32 %tid, ptr %out, align 4
           ret void
         }}
         {DECLARATIONS}"
    ));
    let last = |order_seed| {
        let mut memory = Memory::new();
        let out = u32_buffer(&mut memory, &[0]);
        let options = LaunchOptions { order_seed, ..LaunchOptions::default() };
        let row = Row { options, ..Row::of(1, 64) };
        row.run(&program, &mut memory, &[Argument::Buffer(out)]).unwrap();
        u32_values(&memory, out)[0]
    };
    assert_eq!(last(None), 63);
    assert!((0..8).any(|seed| last(Some(seed)) != 63));
    assert_eq!(last(Some(3)), last(Some(3)));
}
