//! Kernels as MLIR's lowering writes them: shuffles of all kinds, barriers by number, reads of
//! constant memory, vectors in global, static and dynamic shared memory, asynchronous copies.

use crate::harness::*;
use stencil_emulator::{Argument, Fault, LaunchOptions, Memory, Program, Races};

const DECLARATIONS: &str = "
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
declare void @llvm.nvvm.barrier0()
declare void @llvm.nvvm.bar.warp.sync(i32)
declare i32 @llvm.nvvm.shfl.sync.up.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare float @llvm.nvvm.shfl.sync.up.f32(i32, float, i32, i32)
declare float @llvm.nvvm.shfl.sync.down.f32(i32, float, i32, i32)
declare float @llvm.nvvm.shfl.sync.idx.f32(i32, float, i32, i32)
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32)
declare { i32, i1 } @llvm.nvvm.shfl.sync.up.i32p(i32, i32, i32, i32)
declare { float, i1 } @llvm.nvvm.shfl.sync.down.f32p(i32, float, i32, i32)
declare i32 @llvm.nvvm.ldg.global.i.i32.p1(ptr addrspace(1), i32)
declare void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.ca.shared.global.8(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.ca.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.group(i32)
";

/// A kernel that sees its thread as `%tid`, its word as `%v` and the word's place as `%p`, and
/// gives `%r` to `%q`.
fn per_thread(globals: &str, body: &str) -> Program {
    compile(&format!(
        "{globals}
         define ptx_kernel void @f(ptr %in, ptr %out) {{
           %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
           %p = getelementptr inbounds nuw i32, ptr %in, i32 %tid
           %v = load i32, ptr %p, align 4
           {body}
           %q = getelementptr inbounds nuw i32, ptr %out, i32 %tid
           store i32 %r, ptr %q, align 4
           ret void
         }}
         !0 = !{{}}
         {DECLARATIONS}"
    ))
}

/// What `threads` threads make of the words 100, 101, ...
fn run(program: &Program, threads: u32, dynamic_shared_bytes: u32) -> Result<Vec<u32>, Fault> {
    let words: Vec<u32> = (100..100 + threads).collect();
    let mut results = Vec::new();
    for order_seed in [None, Some(3)] {
        let mut memory = Memory::new();
        let input = u32_buffer(&mut memory, &words);
        let out = u32_buffer(&mut memory, &vec![0; words.len()]);
        let options = LaunchOptions { order_seed, races: Races::All, ..LaunchOptions::default() };
        let row = Row { options, dynamic_shared_bytes, ..Row::of(1, threads) };
        match row.run(program, &mut memory, &[Argument::Buffer(input), Argument::Buffer(out)]) {
            Ok(_) => results.push(u32_values(&memory, out)),
            error => return Err(fault(error).fault),
        }
    }
    assert_eq!(results[0], results[1], "the order of threads changes nothing");
    Ok(results.remove(0))
}

/// The lane that each of 64 lanes in two warps reads by a shuffle, as PTX says: the segment's
/// bound stops a lane, which then reads itself.
fn source(kind: &str, lane: u32, distance: u32, width: u32) -> u32 {
    let (first, last) = (lane / width * width, lane / width * width + width - 1);
    let wanted = match kind {
        "up" => lane.checked_sub(distance).filter(|wanted| *wanted >= first),
        "down" => Some(lane + distance).filter(|wanted| *wanted <= last),
        "idx" => Some(first + distance % width),
        _ => Some(lane ^ distance).filter(|wanted| *wanted <= last),
    };
    wanted.unwrap_or(lane)
}

#[test]
fn shuffles_of_words_and_floats_move_what_they_should() {
    for kind in ["up", "down", "idx", "bfly"] {
        for (distance, width) in [(1, 32), (3, 32), (2, 8), (31, 32)] {
            // The segment's mask in the upper half, the bound in the lower, as MLIR computes it.
            let bound = if kind == "up" { 0 } else { 31 };
            let clamp = (32 - width) << 8 | bound;
            let words = per_thread(
                "",
                &format!(
                    "%r = call i32 @llvm.nvvm.shfl.sync.{kind}.i32(i32 -1, i32 %v, i32 {distance},
                       i32 {clamp})"
                ),
            );
            let floats = per_thread(
                "",
                &format!(
                    "%f = bitcast i32 %v to float
                     %s = call float @llvm.nvvm.shfl.sync.{kind}.f32(i32 -1, float %f,
                       i32 {distance}, i32 {clamp})
                     %r = bitcast float %s to i32"
                ),
            );
            let expected: Vec<u32> = (0..64)
                .map(|i| 100 + i / 32 * 32 + source(kind, i % 32, distance, width))
                .collect();
            assert_eq!(run(&words, 64, 0).unwrap(), expected, "{kind} {distance} of {width}");
            assert_eq!(run(&floats, 64, 0).unwrap(), expected, "{kind} {distance} of {width}");
        }
    }
}

#[test]
fn shuffles_say_whether_the_lane_was_there() {
    let program = per_thread(
        "",
        "%up = call { i32, i1 } @llvm.nvvm.shfl.sync.up.i32p(i32 -1, i32 %v, i32 2, i32 0)
         %there = extractvalue { i32, i1 } %up, 1
         %word = extractvalue { i32, i1 } %up, 0
         %f = bitcast i32 %v to float
         %down = call { float, i1 } @llvm.nvvm.shfl.sync.down.f32p(i32 -1, float %f, i32 1, i32 31)
         %here = extractvalue { float, i1 } %down, 1
         %both = and i1 %there, %here
         %r = select i1 %both, i32 %word, i32 0",
    );
    let expected: Vec<u32> =
        (0..32).map(|i| if (2..31).contains(&i) { 98 + i } else { 0 }).collect();
    assert_eq!(run(&program, 32, 0).unwrap(), expected);
}

/// Every thread leaves its word in shared memory and takes that of `%other`.
fn exchange(globals: &str, between: &str, other: &str) -> Program {
    per_thread(
        globals,
        &format!(
            "%own = getelementptr i32, ptr addrspace(3) @tile, i32 %tid
             store i32 %v, ptr addrspace(3) %own, align 4
             {between}
             %other = xor i32 %tid, {other}
             %theirs = getelementptr i32, ptr addrspace(3) @tile, i32 %other
             %r = load i32, ptr addrspace(3) %theirs, align 4"
        ),
    )
}

/// As `gpu.dynamic_shared_memory` becomes, before and after it is made a declaration.
const DYNAMIC: [&str; 2] = [
    "@tile = internal addrspace(3) global [0 x i8] undef, align 16",
    "@tile = external addrspace(3) global [0 x i8], align 16",
];

#[test]
fn barriers_by_any_name_order_dynamic_shared_memory() {
    let turned: Vec<u32> = (100..164).rev().collect();
    for barrier in [
        "call void @llvm.nvvm.barrier0()",
        "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)",
        "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 7)",
        "call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 3, i32 64)",
    ] {
        for variable in DYNAMIC {
            let program = exchange(variable, barrier, "63");
            assert_eq!(run(&program, 64, 256).unwrap(), turned, "{barrier}");
        }
    }
    // Lanes of one warp need no more than that warp.
    let within = "call void @llvm.nvvm.bar.warp.sync(i32 -1)";
    let expected: Vec<u32> = (0..64).map(|i| 100 + (i ^ 31)).collect();
    assert_eq!(run(&exchange(DYNAMIC[1], within, "31"), 64, 256).unwrap(), expected);
}

#[test]
fn dynamic_shared_memory_is_watched() {
    for variable in DYNAMIC {
        for (between, other) in
            [("", "63"), ("", "1"), ("call void @llvm.nvvm.bar.warp.sync(i32 -1)", "32")]
        {
            let race = run(&exchange(variable, between, other), 64, 256).unwrap_err();
            assert!(matches!(race, Fault::Race(_)), "{race}");
            assert!(race.to_string().contains("shared variable 'tile' (256 bytes)"), "{race}");
        }
        // An uninitialised byte, and one out of bounds.
        let barrier = "call void @llvm.nvvm.barrier0()";
        let unwritten = run(&exchange(variable, barrier, "64"), 64, 512).unwrap_err().to_string();
        assert!(
            unwritten.contains("byte 256 of shared variable 'tile' (512 bytes)"),
            "{unwritten}"
        );
        assert!(unwritten.contains("no thread of the block has written"), "{unwritten}");
        let outside = run(&exchange(variable, barrier, "64"), 64, 256).unwrap_err();
        assert!(matches!(outside, Fault::OutOfBounds { .. }), "{outside}");
    }
}

#[test]
fn reads_through_the_constant_path_are_reads() {
    let program = per_thread(
        "",
        "%g = addrspacecast ptr %in to ptr addrspace(1)
         %other = xor i32 %tid, 1
         %a = getelementptr i32, ptr addrspace(1) %g, i32 %other
         %one = call i32 @llvm.nvvm.ldg.global.i.i32.p1(ptr addrspace(1) %a, i32 4)
         %two = load i32, ptr addrspace(1) %a, align 4, !invariant.load !0
         %b = getelementptr i32, ptr %in, i32 %other
         %three = load i32, ptr %b, align 4, !invariant.load !0
         %sum = add i32 %one, %two
         %r = add i32 %sum, %three",
    );
    let expected: Vec<u32> = (0..32).map(|i| 3 * (100 + (i ^ 1))).collect();
    assert_eq!(run(&program, 32, 0).unwrap(), expected);
}

/// Each of 16 threads moves 16 bytes: from global to shared memory, by `copy`; after a barrier the
/// other thread's from shared memory to global.
fn moved(ty: &str, copy: &str, shared: &str) -> Program {
    compile(&format!(
        "{shared}
         define ptx_kernel void @f(ptr %in, ptr %out) {{
           %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
           %other = xor i32 %tid, 15
           %global = addrspacecast ptr %in to ptr addrspace(1)
           %p = getelementptr inbounds nuw {ty}, ptr addrspace(1) %global, i32 %tid
           %s = getelementptr inbounds nuw {ty}, ptr addrspace(3) @tile, i32 %tid
           {copy}
           call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
           %t = getelementptr inbounds nuw {ty}, ptr addrspace(3) @tile, i32 %other
           %w = load {ty}, ptr addrspace(3) %t, align 16
           %q = getelementptr inbounds nuw {ty}, ptr %out, i32 %tid
           store {ty} %w, ptr %q, align 16
           ret void
         }}
         !0 = !{{}}
         {DECLARATIONS}"
    ))
}

#[test]
fn vectors_and_copies_of_sixteen_bytes_arrive_whole() {
    let wait = "call void @llvm.nvvm.cp.async.commit.group()
                call void @llvm.nvvm.cp.async.wait.group(i32 0)";
    let asynchronous = |cache: &str| {
        format!(
            "call void @llvm.nvvm.cp.async.{cache}.shared.global.16(ptr addrspace(3) %s,
               ptr addrspace(1) %p)
             {wait}"
        )
    };
    // Two halves and four quarters of the same 16 bytes.
    let parts = |bytes: u32| {
        let part = |at: u32| {
            format!(
                "%s{at} = getelementptr i8, ptr addrspace(3) %s, i32 {at}
                 %p{at} = getelementptr i8, ptr addrspace(1) %p, i32 {at}
                 call void @llvm.nvvm.cp.async.ca.shared.global.{bytes}(ptr addrspace(3) %s{at},
                   ptr addrspace(1) %p{at})\n"
            )
        };
        (0..16).step_by(bytes as usize).map(part).collect::<String>() + wait
    };
    let fixed = "@tile = internal addrspace(3) global [256 x i8] undef, align 16";
    let expected: Vec<u32> = (0..64).map(|i| 100 + (15 - i / 4) * 4 + i % 4).collect();
    for ty in ["<2 x double>", "<4 x float>", "<4 x i32>"] {
        let plain = format!(
            "%v = load {ty}, ptr addrspace(1) %p, align 16, !invariant.load !0
             store {ty} %v, ptr addrspace(3) %s, align 16"
        );
        let copies = [plain, asynchronous("ca"), asynchronous("cg"), parts(8), parts(4)];
        for (copy, shared) in copies
            .iter()
            .flat_map(|copy| [fixed, DYNAMIC[0], DYNAMIC[1]].map(|shared| (copy, shared)))
        {
            let program = moved(ty, copy, shared);
            let mut memory = Memory::new();
            let input = u32_buffer(&mut memory, &(100..164).collect::<Vec<u32>>());
            let out = u32_buffer(&mut memory, &[0; 64]);
            let arguments = [Argument::Buffer(input), Argument::Buffer(out)];
            let dynamic_shared_bytes = if shared == fixed { 0 } else { 256 };
            let row = Row { dynamic_shared_bytes, ..Row::of(1, 16) };
            let counters = row.run(&program, &mut memory, &arguments).unwrap();
            assert_eq!(u32_values(&memory, out), expected, "{ty} {shared}: {copy}");
            assert_eq!((counters.shared.loads, counters.shared.stored_bytes), (16, 256));
        }
        // A vector at half its alignment.
        let askew = format!(
            "%half = getelementptr i8, ptr addrspace(3) %s, i32 8
             %v = load {ty}, ptr addrspace(1) %p, align 16
             store {ty} %v, ptr addrspace(3) %half, align 16"
        );
        let mut memory = Memory::new();
        let arguments = [(); 2].map(|()| Argument::Buffer(memory.allocate(256).unwrap()));
        let row = Row { dynamic_shared_bytes: 264, ..Row::of(1, 16) };
        let error = fault(row.run(&moved(ty, &askew, DYNAMIC[1]), &mut memory, &arguments));
        assert!(error.to_string().contains("misaligned"), "{error}");
    }
}
