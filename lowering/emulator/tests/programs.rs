//! Whole kernels in the shape that MLIR's NVVM lowering gives, launched with right arguments.

use crate::harness::*;
use std::sync::atomic::{AtomicU64, Ordering};
use stencil_emulator::{
    AccessCount, Argument, CompileOptions, LaunchOptions, Memory, ParameterKind, Program,
};

/// c[i] = a[i] + b[i] for i < n, as `gpu.func` with bare pointers lowers, descriptors included.
const VECTOR_ADD: &str = "
define ptx_kernel void @f(ptr noalias %0, ptr noalias %1, ptr %2, i64 %3) {
  %5 = insertvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } poison, ptr %0, 0
  %6 = insertvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %5, ptr %0, 1
  %7 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = sext i32 %7 to i64
  %9 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %10 = sext i32 %9 to i64
  %11 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %12 = sext i32 %11 to i64
  %13 = mul nuw nsw i64 %10, %12
  %14 = add nuw nsw i64 %13, %8
  %15 = icmp slt i64 %14, %3
  br i1 %15, label %16, label %25

16:
  %17 = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %6, 1
  %18 = getelementptr inbounds nuw float, ptr %17, i64 %14
  %19 = load float, ptr %18, align 4
  %20 = getelementptr inbounds nuw float, ptr %1, i64 %14
  %21 = load float, ptr %20, align 4
  %22 = fadd float %19, %21
  %23 = getelementptr inbounds nuw float, ptr %2, i64 %14
  store float %22, ptr %23, align 4
  br label %25

25:
  ret void
}
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
!llvm.module.flags = !{!0}
!0 = !{i32 2, !\"Debug Info Version\", i32 3}
";

fn vector_add(program: &Program, options: LaunchOptions<'_>) -> (Vec<f32>, AccessCount) {
    let n = 1000;
    let mut memory = Memory::new();
    let a: Vec<f32> = (0..n).map(|i| i as f32 * 0.1).collect();
    let b: Vec<f32> = (0..n).map(|i| 1.0 / (i as f32 + 1.0)).collect();
    let c = f32_buffer(&mut memory, &vec![0.0; n]);
    let arguments = [
        Argument::Buffer(f32_buffer(&mut memory, &a)),
        Argument::Buffer(f32_buffer(&mut memory, &b)),
        Argument::Buffer(c),
        Argument::Bytes((n as i64).to_le_bytes().to_vec()),
    ];
    let row = Row { options, ..Row::of(8, 128) };
    let counters = row.run(program, &mut memory, &arguments).unwrap();
    assert_eq!((counters.blocks, counters.threads), (8, 1024));
    let sum: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    let result = f32_values(&memory, c);
    assert_eq!(result, sum);
    (result, counters.global)
}

#[test]
fn a_guarded_vector_addition() {
    let (_, counts) = vector_add(&compile(VECTOR_ADD), LaunchOptions::default());
    let expected =
        AccessCount { loads: 2000, stores: 1000, loaded_bytes: 8000, stored_bytes: 4000 };
    assert_eq!(counts, expected);
    let (_, counts) = vector_add(&compile_unchecked(VECTOR_ADD), LaunchOptions::default());
    assert_eq!(counts, AccessCount::default());
}

#[test]
fn several_workers_and_any_order_give_the_same() {
    let program = compile(VECTOR_ADD);
    let expected = vector_add(&program, LaunchOptions::default());
    for workers in [1, 2, 5] {
        for order_seed in [None, Some(1), Some(2)] {
            let workers = std::num::NonZeroUsize::new(workers);
            let options = LaunchOptions { workers, order_seed, ..LaunchOptions::default() };
            assert_eq!(vector_add(&program, options), expected);
        }
    }
}

#[test]
fn progress_ends_at_the_number_of_blocks() {
    let most = AtomicU64::new(0);
    let report = |done| {
        most.fetch_max(done, Ordering::Relaxed);
    };
    let options = LaunchOptions { progress: Some(&report), ..LaunchOptions::default() };
    vector_add(&compile(VECTOR_ADD), options);
    assert_eq!(most.into_inner(), 8);
}

#[test]
fn a_kernel_describes_itself() {
    let program = compile(VECTOR_ADD);
    let kernel = program.kernels().next().unwrap();
    assert_eq!(kernel.name, "f");
    assert_eq!(kernel.parameters[2], ParameterKind::Pointer);
    assert_eq!(kernel.parameters[3], ParameterKind::Scalar { bytes: 8 });
    assert!(!kernel.has_barriers);
    assert_eq!(kernel.static_shared_bytes, 0);
}

#[test]
fn scalars_of_every_type_arrive() {
    let program = compile(
        "define ptx_kernel void @f(ptr %out, i1 %a, i8 %b, i16 %c, i32 %d, i64 %e,
                                   half %g, bfloat %h, float %i, double %j) {
           %a64 = zext i1 %a to i64
           %b64 = sext i8 %b to i64
           %c64 = sext i16 %c to i64
           %d64 = sext i32 %d to i64
           %g64 = fptosi half %g to i64
           %h64 = fptosi bfloat %h to i64
           %i64 = fptosi float %i to i64
           %j64 = fptosi double %j to i64
           %s1 = add i64 %a64, %b64
           %s2 = add i64 %s1, %c64
           %s3 = add i64 %s2, %d64
           %s4 = add i64 %s3, %e
           %s5 = add i64 %s4, %g64
           %s6 = add i64 %s5, %h64
           %s7 = add i64 %s6, %i64
           %s8 = add i64 %s7, %j64
           store i64 %s8, ptr %out, align 8
           ret void
         }",
    );
    let mut memory = Memory::new();
    let out = u64_buffer(&mut memory, &[0]);
    let mut arguments = vec![Argument::Buffer(out)];
    let scalars: [&[u8]; 9] = [
        &[1],
        &(-20_i8).to_le_bytes(),
        &300_i16.to_le_bytes(),
        &(-4000_i32).to_le_bytes(),
        &50000_i64.to_le_bytes(),
        &0x4900_u16.to_le_bytes(),
        &0x4120_u16.to_le_bytes(),
        &1e6_f32.to_le_bytes(),
        &2e7_f64.to_le_bytes(),
    ];
    arguments.extend(scalars.iter().map(|bytes| Argument::Bytes(bytes.to_vec())));
    Row::of(1, 1).run(&program, &mut memory, &arguments).unwrap();
    let expected = 50000 + 1 - 20 + 300 - 4000 + 10 + 10 + 1_000_000 + 20_000_000;
    assert_eq!(u64_values(&memory, out), [expected]);
}

#[test]
fn launches_that_do_not_fit_are_refused() {
    let program = compile(VECTOR_ADD);
    let mut memory = Memory::new();
    let buffer = Argument::Buffer(memory.allocate(4).unwrap());
    let n = Argument::Bytes(vec![0; 8]);
    let right = [buffer.clone(), buffer.clone(), buffer.clone(), n.clone()];
    let mut message = |row: Row<'_>, arguments: &[Argument]| {
        row.run(&program, &mut memory, arguments).unwrap_err().to_string()
    };
    assert!(message(Row::of(1, 1), &right[..3]).contains("3 arguments"));
    assert!(message(Row::of(0, 1), &right).contains("no dimension is 0"));
    assert!(message(Row::of(1, 1025), &right).contains("1025 threads"));
    let short = [buffer.clone(), buffer.clone(), buffer.clone(), Argument::Bytes(vec![0; 4])];
    let text = message(Row::of(1, 1), &short);
    assert_eq!(
        text,
        "kernel 'f': argument 3 is a value of 4 bytes, but the parameter is a value of 8 bytes"
    );
    let swapped = [n, buffer.clone(), buffer.clone(), buffer];
    assert!(message(Row::of(1, 1), &swapped).contains("the parameter is a pointer"));
    let too_much = Row { dynamic_shared_bytes: 49153, ..Row::of(1, 1) };
    assert!(message(too_much, &right).contains("49153 bytes of shared memory"));
}

#[test]
fn two_kernels_of_a_module_share_a_device_function_but_no_shared_memory() {
    let program = compile(
        "@one = internal addrspace(3) global [100 x float] undef
         @two = internal addrspace(3) global [7 x i64] undef, align 8
         define ptx_kernel void @first(ptr %out) {
           %v = call float @twice(float 2.0)
           store float %v, ptr addrspace(3) @one, align 4
           %w = load float, ptr addrspace(3) @one, align 4
           store float %w, ptr %out, align 4
           ret void
         }
         define ptx_kernel void @second(ptr %out) {
           store i64 1, ptr addrspace(3) @two, align 8
           %v = call float @twice(float 5.0)
           %p = getelementptr float, ptr %out, i64 1
           store float %v, ptr %p, align 4
           ret void
         }
         define internal float @twice(float %x) noinline {
           %y = fmul float %x, 2.0
           ret float %y
         }",
    );
    let sizes: Vec<u64> = program.kernels().map(|kernel| kernel.static_shared_bytes).collect();
    assert_eq!(sizes, [400, 56]);
    let mut memory = Memory::new();
    let out = f32_buffer(&mut memory, &[0.0, 0.0]);
    for kernel in ["first", "second"] {
        let launch = stencil_emulator::Launch {
            kernel,
            grid: [1; 3],
            block: [1; 3],
            dynamic_shared_bytes: 0,
            arguments: &[Argument::Buffer(out)],
        };
        program.launch(&mut memory, &launch, &LaunchOptions::default()).unwrap();
    }
    assert_eq!(f32_values(&memory, out), [4.0, 10.0]);
    let missing = Row::of(1, 1).run(&program, &mut memory, &[]).unwrap_err();
    assert_eq!(missing.to_string(), "kernel 'f': not in this program, which has first, second");
}

/// Sums n numbers in a loop as `scf.for` lowers: block arguments become phis, one for a pointer.
#[test]
fn a_loop_with_phis() {
    let program = compile(
        "define ptx_kernel void @f(ptr %in, ptr %out, i64 %n) {
           br label %header
         header:
           %i = phi i64 [ 0, %0 ], [ %next, %body ]
           %sum = phi double [ 0.0, %0 ], [ %more, %body ]
           %p = phi ptr [ %in, %0 ], [ %q, %body ]
           %go = icmp slt i64 %i, %n
           br i1 %go, label %body, label %end
         body:
           %v = load double, ptr %p, align 8
           %more = fadd double %sum, %v
           %next = add nuw nsw i64 %i, 1
           %q = getelementptr inbounds i8, ptr %p, i64 8
           br label %header
         end:
           store double %sum, ptr %out, align 8
           ret void
         }",
    );
    let mut memory = Memory::new();
    let numbers: Vec<f64> = (0..100).map(|i| f64::from(i) * 0.1).collect();
    let bits: Vec<u64> = numbers.iter().map(|number| number.to_bits()).collect();
    let input = u64_buffer(&mut memory, &bits);
    let out = u64_buffer(&mut memory, &[0]);
    let arguments = |n: i64| {
        [Argument::Buffer(input), Argument::Buffer(out), Argument::Bytes(n.to_le_bytes().to_vec())]
    };
    let counters = Row::of(1, 1).run(&program, &mut memory, &arguments(100)).unwrap();
    assert_eq!(counters.global.loads, 100);
    let sum: f64 = numbers.iter().sum();
    assert_eq!(u64_values(&memory, out), [sum.to_bits()]);
    let error = fault(Row::of(1, 1).run(&program, &mut memory, &arguments(101)));
    assert!(error.to_string().contains("byte 800 of buffer 0 (800 bytes, parameter 0)"), "{error}");
}

#[test]
fn grids_have_three_dimensions() {
    let program = compile(
        "define ptx_kernel void @f(ptr %out) {
           %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
           %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
           %tz = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
           %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
           %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
           %bz = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
           %nx = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
           %ny = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
           %nz = call i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
           %gx = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
           %gy = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
           %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
           %b1 = mul i32 %bz, %gy
           %b2 = add i32 %b1, %by
           %b3 = mul i32 %b2, %gx
           %b = add i32 %b3, %bx
           %t1 = mul i32 %tz, %ny
           %t2 = add i32 %t1, %ty
           %t3 = mul i32 %t2, %nx
           %t = add i32 %t3, %tx
           %n1 = mul i32 %nx, %ny
           %n = mul i32 %n1, %nz
           %at1 = mul i32 %b, %n
           %at = add i32 %at1, %t
           %p = getelementptr i32, ptr %out, i32 %at
           %same = icmp eq i32 %lane, %t
           %value = select i1 %same, i32 %at, i32 -1
           store i32 %value, ptr %p, align 4
           ret void
         }
         declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
         declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
         declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
         declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
         declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
         declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
         declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
         declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
         declare i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
         declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
         declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
         declare i32 @llvm.nvvm.read.ptx.sreg.laneid()",
    );
    let mut memory = Memory::new();
    let threads = (2 * 3 * 4) * (3 * 2 * 5);
    let out = u32_buffer(&mut memory, &vec![0; threads]);
    let launch = stencil_emulator::Launch {
        kernel: "f",
        grid: [2, 3, 4],
        block: [3, 2, 5],
        dynamic_shared_bytes: 0,
        arguments: &[Argument::Buffer(out)],
    };
    program.launch(&mut memory, &launch, &LaunchOptions::default()).unwrap();
    assert!(u32_values(&memory, out).into_iter().eq(0..threads as u32));
}

#[test]
fn what_has_no_exact_meaning_is_refused() {
    let unknown = refused(
        "define ptx_kernel void @f() {
           %t = call i32 @llvm.nvvm.read.ptx.sreg.clock()
           ret void
         }
         declare i32 @llvm.nvvm.read.ptx.sreg.clock()",
    );
    let expected = "kernel 'f': call of unknown function 'llvm.nvvm.read.ptx.sreg.clock'";
    assert_eq!(unknown, expected);
    let external = refused(
        "define ptx_kernel void @f() {
           call void @somewhere()
           ret void
         }
         declare void @somewhere()",
    );
    assert_eq!(external, "kernel 'f': call of unknown function 'somewhere'");
    let fast = refused(
        "define ptx_kernel void @f(ptr %p, float %x) {
           %y = fmul contract float %x, %x
           store float %y, ptr %p
           ret void
         }",
    );
    assert!(fast.contains("fast-math flags"), "{fast}");
    let fused = refused(
        "define ptx_kernel void @f(ptr %p, float %x) {
           %y = call float @llvm.fmuladd.f32(float %x, float %x, float %x)
           store float %y, ptr %p
           ret void
         }
         declare float @llvm.fmuladd.f32(float, float, float)",
    );
    assert!(fused.contains("may or may not fuse"), "{fused}");
    let assembly = refused(
        "define ptx_kernel void @f() {
           call void asm sideeffect \"bar.sync 0;\", \"\"()
           ret void
         }",
    );
    assert!(assembly.contains("inline assembly"), "{assembly}");
    let global = refused(
        "@state = addrspace(1) global i32 0
         define ptx_kernel void @f() {
           ret void
         }",
    );
    assert!(global.contains("'state': a global variable"), "{global}");
    assert!(refused("define ptx_kernel void @f() {").contains("not valid"));
    let by_value = refused("define ptx_kernel void @f(ptr byval([4 x i32]) %p) { ret void }");
    assert!(by_value.contains("structure by value"), "{by_value}");
    let recursion = refused(
        "define ptx_kernel void @f(i32 %n) {
           call void @g(i32 %n)
           ret void
         }
         define void @g(i32 %n) {
           call void @g(i32 %n)
           ret void
         }",
    );
    assert!(recursion.contains("recursion"), "{recursion}");
}

#[test]
fn elementary_functions_of_libdevice_are_bound() {
    let program = compile(
        "define ptx_kernel void @f(ptr %out, float %x, double %y) {
           %a = call float @__nv_expf(float %x)
           %b = call double @__nv_pow(double %y, double %y)
           %c = call float @__nv_fmaxf(float %x, float %a)
           %d = fpext float %c to double
           %e = fadd double %b, %d
           store double %e, ptr %out, align 8
           ret void
         }
         declare float @__nv_expf(float)
         declare float @__nv_fmaxf(float, float)
         declare double @__nv_pow(double, double)",
    );
    let mut memory = Memory::new();
    let out = u64_buffer(&mut memory, &[0]);
    let arguments = [
        Argument::Buffer(out),
        Argument::Bytes(1.5_f32.to_le_bytes().to_vec()),
        Argument::Bytes(2.5_f64.to_le_bytes().to_vec()),
    ];
    Row::of(1, 1).run(&program, &mut memory, &arguments).unwrap();
    let result = f64::from_bits(u64_values(&memory, out)[0]);
    assert!((result - (1.5_f64.exp() + 2.5_f64.powf(2.5))).abs() < 1e-5, "{result}");
    let wrong = refused(
        "define ptx_kernel void @f(double %x) {
           %a = call double @__nv_expf(double %x)
           ret void
         }
         declare double @__nv_expf(double)",
    );
    assert!(wrong.contains("is called as dd, but is ff"), "{wrong}");
}

#[test]
fn approximations_change_with_the_seed() {
    let ir = "define ptx_kernel void @f(ptr %out, float %x) {
           %a = call float @llvm.nvvm.rsqrt.approx.ftz.f(float %x)
           store float %a, ptr %out, align 4
           ret void
         }
         declare float @llvm.nvvm.rsqrt.approx.ftz.f(float)";
    let result = |seed| {
        let options = CompileOptions { approximation_seed: seed, ..CompileOptions::new(MACHINE) };
        let program = Program::compile(ir, &options).unwrap();
        let mut memory = Memory::new();
        let out = f32_buffer(&mut memory, &[0.0]);
        let x = Argument::Bytes(3.0_f32.to_le_bytes().to_vec());
        Row::of(1, 1).run(&program, &mut memory, &[Argument::Buffer(out), x]).unwrap();
        f32_values(&memory, out)[0]
    };
    let exact = (1.0 / 3.0_f64.sqrt()) as f32;
    assert_eq!(result(None), exact);
    let disturbed: Vec<f32> = (0..16).map(|seed| result(Some(seed))).collect();
    assert!(disturbed.iter().any(|value| *value != exact));
    assert!(disturbed.iter().all(|value| (value / exact - 1.0).abs() < 4e-7));
}
