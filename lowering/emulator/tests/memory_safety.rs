//! Accesses outside objects, misaligned ones, traps: each an error that names kernel, block,
//! thread.

use crate::harness::*;
use std::num::NonZeroUsize;
use stencil_emulator::{Access, Argument, Fault, LaunchOptions, Memory, Place};

/// out[global thread] = global thread, without a guard.
const UNGUARDED: &str = "
define ptx_kernel void @f(ptr %unused, ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ctaid = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %ntid = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %first = mul nuw nsw i32 %ctaid, %ntid
  %at = add nuw nsw i32 %first, %tid
  %index = sext i32 %at to i64
  %p = getelementptr inbounds nuw i32, ptr %out, i64 %index
  store i32 %at, ptr %p, align 4
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
";

#[test]
fn an_access_past_a_buffer_is_named_exactly() {
    let mut memory = Memory::new();
    let other = memory.allocate(4).unwrap();
    let out = u32_buffer(&mut memory, &[0; 70]);
    let arguments = [Argument::Buffer(other), Argument::Buffer(out)];
    let program = compile(UNGUARDED);
    let error = fault(Row::of(4, 32).run(&program, &mut memory, &arguments));
    assert_eq!(
        error.to_string(),
        "kernel 'f', block (2, 0, 0), thread (6, 0, 0): store of 4 bytes at byte 280 of buffer 1 \
         (280 bytes, parameter 1) is out of bounds"
    );
    assert_eq!((error.block, error.thread), ([2, 0, 0], [6, 0, 0]));
    let place = Place::Buffer { buffer: out, parameter: Some(1), offset: 280, size: 280 };
    assert_eq!(error.fault, Fault::OutOfBounds { access: Access::Store, bytes: 4, place });
    // The last thread that fits is no error.
    let fits = u32_buffer(&mut memory, &[0; 128]);
    let arguments = [Argument::Buffer(other), Argument::Buffer(fits)];
    Row::of(4, 32).run(&program, &mut memory, &arguments).unwrap();
    assert!(u32_values(&memory, fits).into_iter().eq(0..128));
}

#[test]
fn the_lowest_block_is_reported_whatever_the_timing() {
    let program = compile(UNGUARDED);
    for order_seed in [None, Some(1), Some(2), Some(3)] {
        for workers in [1, 2, 4] {
            let mut memory = Memory::new();
            let out = u32_buffer(&mut memory, &[0; 1000]);
            let arguments = [Argument::Buffer(out), Argument::Buffer(out)];
            let workers = NonZeroUsize::new(workers);
            let options = LaunchOptions { workers, order_seed, ..LaunchOptions::default() };
            let row = Row { options, ..Row::of(64, 32) };
            let error = fault(row.run(&program, &mut memory, &arguments));
            assert_eq!(error.block, [31, 0, 0], "seed {order_seed:?}, {workers:?} workers");
        }
    }
}

#[test]
fn an_access_before_a_buffer_has_a_negative_offset() {
    let program = compile(
        "define ptx_kernel void @f(ptr %in, ptr %out) {
           %p = getelementptr i8, ptr %in, i64 -6
           %v = load i64, ptr %p, align 2
           store i64 %v, ptr %out, align 8
           ret void
         }",
    );
    let mut memory = Memory::new();
    let arguments = [(); 2].map(|()| Argument::Buffer(memory.allocate(64).unwrap()));
    let error = fault(Row::of(1, 1).run(&program, &mut memory, &arguments));
    assert!(error.to_string().contains("load of 8 bytes at byte -6 of buffer 0"), "{error}");
}

#[test]
fn a_pointer_may_not_reach_another_parameters_buffer() {
    let program = compile(
        "define ptx_kernel void @f(ptr %a, i64 %distance) {
           %p = getelementptr i8, ptr %a, i64 %distance
           store i8 1, ptr %p, align 1
           ret void
         }",
    );
    let mut memory = Memory::new();
    let buffers: Vec<_> = (0..2).map(|_| memory.allocate(64).unwrap()).collect();
    for distance in [-100_000_i64, -8192, 64, 8192, 100_000, i64::MIN, i64::MAX] {
        let distance = Argument::Bytes(distance.to_le_bytes().to_vec());
        let arguments = [Argument::Buffer(buffers[0]), distance];
        let error = fault(Row::of(1, 1).run(&program, &mut memory, &arguments));
        assert!(matches!(error.fault, Fault::OutOfBounds { .. }), "{error}");
    }
}

#[test]
fn a_misaligned_vector_access_is_an_error() {
    let program = compile(
        "define ptx_kernel void @f(ptr %in, ptr %out) {
           %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
           %p = getelementptr float, ptr %in, i32 %tid
           %v = load <4 x float>, ptr %p, align 16
           store <4 x float> %v, ptr %out, align 16
           ret void
         }
         declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()",
    );
    let mut memory = Memory::new();
    let arguments = [(); 2].map(|()| Argument::Buffer(memory.allocate(64).unwrap()));
    Row::of(1, 1).run(&program, &mut memory, &arguments).unwrap();
    let error = fault(Row::of(1, 2).run(&program, &mut memory, &arguments));
    assert_eq!(
        error.to_string(),
        "kernel 'f', block (0, 0, 0), thread (1, 0, 0): load of 16 bytes at byte 4 of buffer 0 \
         (64 bytes, parameter 0) is misaligned: it states an alignment of 16 bytes"
    );
}

#[test]
fn of_several_wrong_accesses_the_first_is_reported() {
    // Fifty loads in one block, at increasing addresses; their sum is stored past the end.
    let mut body = String::new();
    let mut sum = "0".to_owned();
    for i in 0..50 {
        body.push_str(&format!(
            "%p{i} = getelementptr i32, ptr %in, i32 {i}
             %v{i} = load i32, ptr %p{i}, align 4
             %s{i} = add i32 {sum}, %v{i}\n"
        ));
        sum = format!("%s{i}");
    }
    let program = compile(&format!(
        "define ptx_kernel void @f(ptr %in, ptr %out) {{
           {body}
           %q = getelementptr i32, ptr %out, i32 %v0
           store i32 {sum}, ptr %q, align 4
           ret void
         }}"
    ));
    let mut memory = Memory::new();
    let out = u32_buffer(&mut memory, &[0]);
    let mut run = |length: usize, first: u32| {
        let mut numbers = vec![1; length];
        numbers[0] = first;
        let input = u32_buffer(&mut memory, &numbers);
        let arguments = [Argument::Buffer(input), Argument::Buffer(out)];
        Row::of(1, 1).run(&program, &mut memory, &arguments)
    };
    let counters = run(50, 0).unwrap();
    assert_eq!((counters.global.loads, counters.global.stores), (50, 1));
    let store = fault(run(50, 1)).to_string();
    assert!(store.contains("store of 4 bytes at byte 4"), "{store}");
    for length in [1, 31, 32, 33, 49] {
        let load = fault(run(length, 1)).to_string();
        let place = format!("load of 4 bytes at byte {} of", 4 * length);
        assert!(load.contains(&place), "{load}");
    }
    assert_eq!(u32_values(&memory, out), [49]);
}

#[test]
fn pointers_of_unknown_origin_are_looked_up() {
    // The pointer is one of two parameters, by a flag; then an integer made into a pointer.
    let program = compile(
        "define ptx_kernel void @f(ptr %a, ptr %b, i1 %which, i64 %offset) {
           %p = select i1 %which, ptr %a, ptr %b
           %q = getelementptr i8, ptr %p, i64 %offset
           store i32 7, ptr %q, align 4
           ret void
         }",
    );
    let mut memory = Memory::new();
    let a = u32_buffer(&mut memory, &[0; 4]);
    let b = u32_buffer(&mut memory, &[0; 8]);
    let arguments = |which: u8, offset: i64| {
        [
            Argument::Buffer(a),
            Argument::Buffer(b),
            Argument::Bytes(vec![which]),
            Argument::Bytes(offset.to_le_bytes().to_vec()),
        ]
    };
    let row = Row::of(1, 1);
    row.run(&program, &mut memory, &arguments(1, 12)).unwrap();
    row.run(&program, &mut memory, &arguments(0, 28)).unwrap();
    assert_eq!(u32_values(&memory, a)[3], 7);
    assert_eq!(u32_values(&memory, b)[7], 7);
    let error = fault(row.run(&program, &mut memory, &arguments(0, 32)));
    assert!(error.to_string().contains("byte 32 of buffer 1 (32 bytes)"), "{error}");
    memory.release(b).unwrap();
    let error = row.run(&program, &mut memory, &arguments(1, 12)).unwrap_err();
    assert!(error.to_string().contains("buffer 1 does not exist"), "{error}");
}

#[test]
fn shared_variables_have_bounds_of_their_own() {
    let program = compile(
        "@low = internal addrspace(3) global [4 x i32] undef, align 4
         @high = internal addrspace(3) global [4 x i32] undef, align 4
         @dynamic = external addrspace(3) global [0 x i8], align 16
         define ptx_kernel void @f(i32 %i, i32 %j, i32 %k) {
           %p = getelementptr i32, ptr addrspace(3) @low, i32 %i
           store i32 1, ptr addrspace(3) %p, align 4
           %g = addrspacecast ptr addrspace(3) @high to ptr
           %q = getelementptr i32, ptr %g, i32 %j
           store i32 1, ptr %q, align 4
           %r = getelementptr i32, ptr addrspace(3) @dynamic, i32 %k
           store i32 %k, ptr addrspace(3) %r, align 4
           %v = load i32, ptr addrspace(3) %r, align 4
           store i32 %v, ptr addrspace(3) %p, align 4
           ret void
         }",
    );
    assert_eq!(program.kernels().next().unwrap().static_shared_bytes, 32);
    let mut memory = Memory::new();
    let arguments = |i: i32, j: i32, k: i32| {
        [i, j, k].map(|index| Argument::Bytes(index.to_le_bytes().to_vec()))
    };
    let row = Row { dynamic_shared_bytes: 24, ..Row::of(1, 1) };
    let counters = row.run(&program, &mut memory, &arguments(3, 3, 5)).unwrap();
    assert_eq!((counters.shared.stores, counters.shared.loads), (4, 1));
    let mut message =
        |i, j, k| fault(row.run(&program, &mut memory, &arguments(i, j, k))).to_string();
    let text = message(4, 0, 0);
    assert!(text.contains("byte 16 of shared variable 'low' (16 bytes)"), "{text}");
    let text = message(0, -1, 0);
    assert!(text.contains("byte -4 of shared variable 'high' (16 bytes)"), "{text}");
    let text = message(0, 0, 6);
    assert!(text.contains("byte 24 of shared variable 'dynamic' (24 bytes)"), "{text}");
}

#[test]
fn local_variables_and_constants_have_bounds() {
    let program = compile(
        "@table = private addrspace(4) constant [3 x i32] [i32 5, i32 6, i32 7], align 4
         define ptx_kernel void @f(ptr %out, i32 %i, i32 %j) {
           %local = alloca [8 x i32], align 4
           %p = getelementptr i32, ptr %local, i32 %i
           %c = getelementptr i32, ptr addrspace(4) @table, i32 %j
           %v = load i32, ptr addrspace(4) %c, align 4
           store i32 %v, ptr %p, align 4
           %q = getelementptr i32, ptr %local, i32 2
           %w = load i32, ptr %q, align 4
           store i32 %w, ptr %out, align 4
           ret void
         }",
    );
    let mut memory = Memory::new();
    let out = u32_buffer(&mut memory, &[0]);
    let arguments = |i: i32, j: i32| {
        let index = |value: i32| Argument::Bytes(value.to_le_bytes().to_vec());
        [Argument::Buffer(out), index(i), index(j)]
    };
    let row = Row::of(1, 1);
    let counters = row.run(&program, &mut memory, &arguments(2, 1)).unwrap();
    assert_eq!(u32_values(&memory, out), [6]);
    assert_eq!((counters.global.loads, counters.global.stores), (0, 1));
    let text = fault(row.run(&program, &mut memory, &arguments(8, 0))).to_string();
    assert!(text.contains("byte 32 of a local variable (32 bytes) is out"), "{text}");
    let text = fault(row.run(&program, &mut memory, &arguments(0, 3))).to_string();
    assert!(text.contains("byte 12 of constant 'table' (12 bytes) is out"), "{text}");
}

#[test]
fn block_copies_are_checked_and_cross_address_spaces() {
    let program = compile(
        "@tile = internal addrspace(3) global [64 x i8] undef, align 16
         define ptx_kernel void @f(ptr %in, ptr %out, i64 %n) {
           call void @llvm.memcpy.p3.p0.i64(ptr addrspace(3) @tile, ptr %in, i64 %n, i1 false)
           call void @llvm.memset.p0.i64(ptr %out, i8 9, i64 %n, i1 false)
           call void @llvm.memmove.p0.p3.i64(ptr %out, ptr addrspace(3) @tile, i64 8, i1 false)
           ret void
         }
         declare void @llvm.memcpy.p3.p0.i64(ptr addrspace(3), ptr, i64, i1)
         declare void @llvm.memmove.p0.p3.i64(ptr, ptr addrspace(3), i64, i1)
         declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
    );
    let mut memory = Memory::new();
    let input = memory.allocate_with(&(0..40).collect::<Vec<u8>>()).unwrap();
    let out = memory.allocate_with(&[0; 20]).unwrap();
    let arguments = |n: i64| {
        let n = Argument::Bytes(n.to_le_bytes().to_vec());
        [Argument::Buffer(input), Argument::Buffer(out), n]
    };
    Row::of(1, 1).run(&program, &mut memory, &arguments(16)).unwrap();
    let mut expected: Vec<u8> = (0..8).collect();
    expected.extend([9; 8]);
    expected.extend([0; 4]);
    assert_eq!(memory.contents(out).unwrap(), expected);
    let text = fault(Row::of(1, 1).run(&program, &mut memory, &arguments(21))).to_string();
    assert!(text.contains("copy or fill to memory of 21 bytes at byte 0 of buffer 1"), "{text}");
    let text = fault(Row::of(1, 1).run(&program, &mut memory, &arguments(41))).to_string();
    assert!(text.contains("copy from memory of 41 bytes at byte 0 of buffer 0"), "{text}");
}

#[test]
fn traps_and_failed_assertions_are_faults() {
    let program = compile(
        "define ptx_kernel void @f(ptr %out, i32 %limit) {
           %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
           %fine = icmp slt i32 %tid, %limit
           br i1 %fine, label %go, label %bad
         bad:
           call void @llvm.trap()
           unreachable
         go:
           %p = getelementptr i32, ptr %out, i32 %tid
           store i32 %tid, ptr %p, align 4
           ret void
         }
         declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
         declare void @llvm.trap()",
    );
    let mut memory = Memory::new();
    let out = u32_buffer(&mut memory, &[0; 8]);
    let arguments =
        |limit: i32| [Argument::Buffer(out), Argument::Bytes(limit.to_le_bytes().to_vec())];
    Row::of(1, 8).run(&program, &mut memory, &arguments(8)).unwrap();
    let error = fault(Row::of(1, 8).run(&program, &mut memory, &arguments(5)));
    assert_eq!(
        error.to_string(),
        "kernel 'f', block (0, 0, 0), thread (5, 0, 0): a checked operation failed: the kernel \
         called 'llvm.trap'"
    );
}

#[test]
fn divisions_that_the_host_traps_on_are_faults_in_unchecked_kernels_too() {
    let ir = "define ptx_kernel void @f(ptr %out, i32 %a, i32 %b) {
           %q = sdiv i32 %a, %b
           store i32 %q, ptr %out, align 4
           ret void
         }";
    let mut memory = Memory::new();
    let out = u32_buffer(&mut memory, &[0]);
    let arguments = |a: i32, b: i32| {
        let number = |value: i32| Argument::Bytes(value.to_le_bytes().to_vec());
        [Argument::Buffer(out), number(a), number(b)]
    };
    for program in [compile(ir), compile_unchecked(ir)] {
        Row::of(1, 1).run(&program, &mut memory, &arguments(-7, 2)).unwrap();
        assert_eq!(u32_values(&memory, out), [-3_i32 as u32]);
        for (a, b) in [(1, 0), (i32::MIN, -1)] {
            let error = fault(Row::of(1, 1).run(&program, &mut memory, &arguments(a, b)));
            assert_eq!(error.fault, Fault::Division);
        }
    }
}

#[test]
fn an_unchecked_write_into_a_red_zone_is_noticed() {
    let program = compile_unchecked(UNGUARDED);
    let mut memory = Memory::new();
    let out = u32_buffer(&mut memory, &[0; 31]);
    let arguments = [Argument::Buffer(out), Argument::Buffer(out)];
    let error = Row::of(1, 32).run(&program, &mut memory, &arguments).unwrap_err();
    assert!(error.to_string().contains("the kernel wrote outside buffer 0"), "{error}");
}

#[test]
fn atomics_work_across_blocks_and_are_checked() {
    let program = compile(
        "define ptx_kernel void @f(ptr %sum, ptr %other) {
           %old = atomicrmw add ptr %sum, i32 3 syncscope(\"device\") monotonic, align 4
           %fold = atomicrmw fadd ptr %other, float 0.5 monotonic, align 4
           ret void
         }",
    );
    let mut memory = Memory::new();
    let sum = u32_buffer(&mut memory, &[0]);
    let other = f32_buffer(&mut memory, &[0.0]);
    let options = LaunchOptions { workers: NonZeroUsize::new(4), ..LaunchOptions::default() };
    let row = Row { options, ..Row::of(100, 64) };
    let arguments = [Argument::Buffer(sum), Argument::Buffer(other)];
    let counters = row.run(&program, &mut memory, &arguments).unwrap();
    assert_eq!(u32_values(&memory, sum), [19200]);
    assert_eq!(f32_values(&memory, other), [3200.0]);
    assert_eq!((counters.global.loads, counters.global.stores), (12800, 12800));
    let empty = Argument::Buffer(memory.allocate(0).unwrap());
    let error = fault(row.run(&program, &mut memory, &[empty, Argument::Buffer(other)]));
    assert!(error.to_string().contains("atomic operation of 4 bytes at byte 0"), "{error}");
}

#[test]
fn an_address_is_good_for_the_buffer_that_it_points_into() {
    let program = compile(UNGUARDED);
    let mut memory = Memory::new();
    let out = u32_buffer(&mut memory, &[7; 10]);
    let inside = memory.address(out).unwrap() + 8;
    let arguments = [Argument::Address(0), Argument::Address(inside)];
    Row::of(1, 8).run(&program, &mut memory, &arguments).unwrap();
    assert_eq!(u32_values(&memory, out), [7, 7, 0, 1, 2, 3, 4, 5, 6, 7]);
    let error = fault(Row::of(1, 9).run(&program, &mut memory, &arguments));
    let place = Place::Buffer { buffer: out, parameter: Some(1), offset: 40, size: 40 };
    assert_eq!(error.fault, Fault::OutOfBounds { access: Access::Store, bytes: 4, place });
}

#[test]
fn an_address_of_nothing_is_an_error_where_it_is_used() {
    let program = compile(UNGUARDED);
    let mut memory = Memory::new();
    let freed = memory.allocate(64).unwrap();
    let address = memory.address(freed).unwrap();
    memory.release(freed).unwrap();
    for address in [0, address] {
        let arguments = [Argument::Address(0), Argument::Address(address)];
        let error = fault(Row::of(1, 1).run(&program, &mut memory, &arguments));
        let place = Place::Nowhere { address };
        assert_eq!(error.fault, Fault::OutOfBounds { access: Access::Store, bytes: 4, place });
    }
}
