//! Numbers, bit for bit: extrema, 16-bit formats, fma, denormals, conversions, shifts.

use crate::harness::{compile, compile_unchecked, elementwise, try_elementwise};
use stencil_emulator::{EmulatorError, Fault};

fn f32_bits(value: f32) -> u64 {
    u64::from(value.to_bits())
}

/// Runs a function of two f32.
fn binary_f32(name: &str, pairs: &[(f32, f32)]) -> Vec<f32> {
    let inputs: Vec<[u64; 3]> =
        pairs.iter().map(|(x, y)| [f32_bits(*x), f32_bits(*y), 0]).collect();
    let body = format!("%r = call float @llvm.{name}.f32(float %x, float %y)");
    let declaration = format!("declare float @llvm.{name}.f32(float, float)");
    let results = elementwise(&body, &declaration, ("float", 32), ("float", 32), &inputs);
    results.into_iter().map(|bits| f32::from_bits(bits as u32)).collect()
}

#[test]
fn a_number_beats_nan_and_plus_zero_is_above_minus_zero() {
    let nan = f32::NAN;
    let pairs =
        [(1.0, 2.0), (2.0, 1.0), (0.0, -0.0), (-0.0, 0.0), (nan, 1.0), (1.0, nan), (nan, nan)];
    for name in ["maxnum", "maximumnum"] {
        let bits: Vec<u32> = binary_f32(name, &pairs).iter().map(|value| value.to_bits()).collect();
        let expected = [2.0_f32, 2.0, 0.0, 0.0, 1.0, 1.0].map(f32::to_bits);
        assert_eq!(bits[..6], expected, "{name}");
        assert!(f32::from_bits(bits[6]).is_nan());
    }
    for name in ["minnum", "minimumnum"] {
        let bits: Vec<u32> = binary_f32(name, &pairs).iter().map(|value| value.to_bits()).collect();
        let expected = [1.0_f32, 1.0, -0.0, -0.0, 1.0, 1.0].map(f32::to_bits);
        assert_eq!(bits[..6], expected, "{name}");
    }
}

#[test]
fn nan_beats_a_number_in_maximum_and_minimum() {
    let nan = f32::NAN;
    let infinity = f32::INFINITY;
    let pairs = [(nan, 1.0), (1.0, nan), (nan, infinity), (0.0, -0.0), (-0.0, 0.0), (3.0, -3.0)];
    let maximum = binary_f32("maximum", &pairs);
    let minimum = binary_f32("minimum", &pairs);
    for results in [&maximum, &minimum] {
        assert!(results[..3].iter().all(|value| value.is_nan()), "{results:?}");
    }
    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&maximum[3..]), bits(&[0.0, 0.0, 3.0]));
    assert_eq!(bits(&minimum[3..]), bits(&[-0.0, -0.0, -3.0]));
}

#[test]
fn extrema_of_doubles_and_of_vectors() {
    let inputs = [[0.0_f64.to_bits(), (-0.0_f64).to_bits(), 0], [f64::NAN.to_bits(), 1, 0]];
    let results = elementwise(
        "%r = call double @llvm.minnum.f64(double %x, double %y)",
        "declare double @llvm.minnum.f64(double, double)",
        ("double", 64),
        ("double", 64),
        &inputs,
    );
    assert_eq!(results, [(-0.0_f64).to_bits(), 1]);
    let packed = |low: f32, high: f32| f32_bits(low) | f32_bits(high) << 32;
    let results = elementwise(
        "%r = call <2 x float> @llvm.maximum.v2f32(<2 x float> %x, <2 x float> %y)",
        "declare <2 x float> @llvm.maximum.v2f32(<2 x float>, <2 x float>)",
        ("<2 x float>", 64),
        ("<2 x float>", 64),
        &[[packed(1.0, -0.0), packed(-5.0, 0.0), 0]],
    );
    assert_eq!(results, [packed(1.0, 0.0)]);
}

#[test]
fn fma_of_f16_and_bf16_rounds_once() {
    // (1 + 2^-10) + (1 - 2^-10) * 2^-11 lies 2^-31 below a tie, which an f32 in between would hit.
    let results = elementwise(
        "%r = call half @llvm.fma.f16(half %x, half %y, half %z)",
        "declare half @llvm.fma.f16(half, half, half)",
        ("half", 16),
        ("half", 16),
        &[[0x3C01, 0x0FFE, 0x3C01], [0x3C00, 0x4000, 0x4200]],
    );
    assert_eq!(results, [0x3C01, 0x4500]);
    // 3 * 129 / 256 is a tie of bf16; 2^-40 less decides it.
    let results = elementwise(
        "%r = call bfloat @llvm.fma.bf16(bfloat %x, bfloat %y, bfloat %z)",
        "declare bfloat @llvm.fma.bf16(bfloat, bfloat, bfloat)",
        ("bfloat", 16),
        ("bfloat", 16),
        &[[0x4040, 0x3F01, 0], [0x4040, 0x3F01, 0xAB80]],
    );
    assert_eq!(results, [0x3FC2, 0x3FC1]);
}

#[test]
fn fma_of_f32_and_f64_is_fused_and_product_and_sum_are_not() {
    let x = 1.1_f32;
    let z = -(x * x);
    let input = [[f32_bits(x), f32_bits(x), f32_bits(z)]];
    let fused = elementwise(
        "%r = call float @llvm.fma.f32(float %x, float %y, float %z)",
        "declare float @llvm.fma.f32(float, float, float)",
        ("float", 32),
        ("float", 32),
        &input,
    );
    assert_eq!(fused, [f32_bits(x.mul_add(x, z))]);
    let separate = elementwise(
        "%p = fmul float %x, %y
         %r = fadd float %p, %z",
        "",
        ("float", 32),
        ("float", 32),
        &input,
    );
    assert_eq!(separate, [f32_bits(x * x + z)]);
    assert_ne!(fused, separate);
}

#[test]
fn conversions_to_bf16_round_to_nearest_even() {
    let cases = [
        (1.0_f32.to_bits(), 0x3F80),
        (0x3F80_8000, 0x3F80),
        (0x3F80_8001, 0x3F81),
        (0x3F81_8000, 0x3F82),
        (0x7F7F_FFFF, 0x7F80),
        (0x0000_8001, 0x0001),
        (0x0000_8000, 0x0000),
        (0x8000_0001, 0x8000),
        (0xFF80_0000, 0xFF80),
    ];
    let inputs: Vec<[u64; 3]> = cases.iter().map(|(bits, _)| [u64::from(*bits), 0, 0]).collect();
    let results =
        elementwise("%r = fptrunc float %x to bfloat", "", ("float", 32), ("bfloat", 16), &inputs);
    assert!(results.into_iter().eq(cases.iter().map(|(_, bits)| *bits)));
    // An f64 just above a tie of bf16: by way of f32 it would round down.
    let above = 1.0 + f64::powi(2.0, -8) + f64::powi(2.0, -40);
    let results = elementwise(
        "%r = fptrunc double %x to bfloat",
        "",
        ("double", 64),
        ("bfloat", 16),
        &[[above.to_bits(), 0, 0]],
    );
    assert_eq!(results, [0x3F81]);
    let nan = elementwise(
        "%r = fptrunc float %x to bfloat",
        "",
        ("float", 32),
        ("bfloat", 16),
        &[[0x7F80_0001, 0, 0]],
    );
    assert!(nan[0] & 0x7F80 == 0x7F80 && nan[0] & 0x7F != 0, "{:#x}", nan[0]);
}

#[test]
fn conversions_to_f16_round_once_and_keep_denormals() {
    let above = 1.0 + f64::powi(2.0, -11) + f64::powi(2.0, -40);
    let cases = [
        (above, 0x3C01),
        (1.0 + f64::powi(2.0, -11), 0x3C00),
        (65519.99, 0x7BFF),
        (65520.0, 0x7C00),
        (f64::powi(2.0, -24), 0x0001),
        (f64::powi(2.0, -25), 0x0000),
        (-f64::powi(2.0, -24) * 1.5, 0x8002),
    ];
    let inputs: Vec<[u64; 3]> = cases.iter().map(|(value, _)| [value.to_bits(), 0, 0]).collect();
    let results =
        elementwise("%r = fptrunc double %x to half", "", ("double", 64), ("half", 16), &inputs);
    assert!(results.into_iter().eq(cases.iter().map(|(_, bits)| *bits)));
    let widened = elementwise(
        "%r = fpext half %x to double",
        "",
        ("half", 16),
        ("double", 64),
        &[[1, 0, 0], [0xFC00, 0, 0], [0x3555, 0, 0]],
    );
    let expected = [f64::powi(2.0, -24), f64::NEG_INFINITY, 0.333_251_953_125].map(f64::to_bits);
    assert_eq!(widened, expected);
}

#[test]
fn small_floats_round_after_every_operation() {
    // 2048 + 1 is a tie in f16 and stays 2048, twice; in f32 the sum would be 2050.
    let results = elementwise(
        "%s = fadd half %x, %y
         %r = fadd half %s, %y",
        "",
        ("half", 16),
        ("half", 16),
        &[[0x6800, 0x3C00, 0]],
    );
    assert_eq!(results, [0x6800]);
    // bf16 denormals are kept: the smallest number halves to a tie with zero, doubles exactly.
    let results = elementwise(
        "%r = fmul bfloat %x, %y",
        "",
        ("bfloat", 16),
        ("bfloat", 16),
        &[[0x0001, 0x4000, 0], [0x0003, 0x3F00, 0], [0x0001, 0x3F00, 0], [0x0080, 0x3F00, 0]],
    );
    assert_eq!(results, [0x0002, 0x0002, 0x0000, 0x0040]);
    let results = elementwise(
        "%n = fneg <2 x half> %x
         %r = fdiv <2 x half> %n, %y",
        "",
        ("<2 x half>", 32),
        ("<2 x half>", 32),
        &[[0x3C00_4200, 0x4200_4000, 0]],
    );
    assert_eq!(results, [0xB555_BE00]);
    let results = elementwise(
        "%less = fcmp olt half %x, %y
         %r = zext i1 %less to i16",
        "",
        ("half", 16),
        ("i16", 16),
        &[[0x3C00, 0x4000, 0], [0x4000, 0x3C00, 0], [0x7E00, 0x3C00, 0], [0x8000, 0x0000, 0]],
    );
    assert_eq!(results, [1, 0, 0, 0]);
}

#[test]
fn denormals_are_kept() {
    let results = elementwise(
        "%r = fmul float %x, %y",
        "",
        ("float", 32),
        ("float", 32),
        &[[f32_bits(f32::MIN_POSITIVE), f32_bits(0.25), 0], [1, f32_bits(3.0), 0]],
    );
    assert_eq!(results, [f32_bits(f32::MIN_POSITIVE / 4.0), 3]);
    let results =
        elementwise("%r = fadd double %x, %y", "", ("double", 64), ("double", 64), &[[1, 2, 0]]);
    assert_eq!(results, [3]);
}

#[test]
fn square_root_and_division_are_correctly_rounded() {
    let values = [2.0_f32, 3.0, 1e-40, 7.5e37];
    let inputs: Vec<[u64; 3]> =
        values.iter().map(|value| [f32_bits(*value), f32_bits(3.1), 0]).collect();
    let results = elementwise(
        "%s = call float @llvm.sqrt.f32(float %x)
         %r = fdiv float %s, %y",
        "declare float @llvm.sqrt.f32(float)",
        ("float", 32),
        ("float", 32),
        &inputs,
    );
    assert!(results.into_iter().eq(values.iter().map(|value| f32_bits(value.sqrt() / 3.1))));
}

#[test]
fn rounding_to_integers() {
    let values = [-2.5_f64, -1.5, -0.4, 0.5, 1.5, 2.5, 1e300];
    let inputs: Vec<[u64; 3]> = values.iter().map(|value| [value.to_bits(), 0, 0]).collect();
    type Function = (&'static str, fn(f64) -> f64);
    let functions: [Function; 5] = [
        ("floor", f64::floor),
        ("ceil", f64::ceil),
        ("trunc", f64::trunc),
        ("round", f64::round),
        ("roundeven", f64::round_ties_even),
    ];
    for (name, function) in functions {
        let body = format!("%r = call double @llvm.{name}.f64(double %x)");
        let declaration = format!("declare double @llvm.{name}.f64(double)");
        let results = elementwise(&body, &declaration, ("double", 64), ("double", 64), &inputs);
        let expected = values.iter().map(|value| function(*value).to_bits());
        assert!(results.into_iter().eq(expected), "{name}");
    }
}

#[test]
fn unchecked_conversions_saturate() {
    let values = [1e10_f32, -1e10, f32::NAN, -3.7, f32::INFINITY];
    let inputs: Vec<[u64; 3]> = values.iter().map(|value| [f32_bits(*value), 0, 0]).collect();
    let convert = |operation: &str| {
        let body = format!("%r = {operation} float %x to i32");
        try_elementwise(compile_unchecked, &body, "", ("float", 32), ("i32", 32), &inputs).unwrap()
    };
    let expected = [i32::MAX, i32::MIN, 0, -3, i32::MAX].map(|value| u64::from(value as u32));
    assert_eq!(convert("fptosi"), expected);
    assert_eq!(convert("fptoui"), [u64::from(u32::MAX), 0, 0, 0, u64::from(u32::MAX)]);
}

/// The fault of a conversion of one number, or its result.
fn convert(body: &str, from: (&str, usize), to: (&str, usize), x: u64) -> Result<u64, Fault> {
    match try_elementwise(compile, body, "", from, to, &[[x, 0, 0]]) {
        Ok(results) => Ok(results[0]),
        Err(EmulatorError::Kernel(error)) => Err(error.fault),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn checked_conversions_fault_just_outside_their_range() {
    let undefined = Err(Fault::UndefinedNumber);
    let to_i32 =
        |x: f32| convert("%r = fptosi float %x to i32", ("float", 32), ("i32", 32), f32_bits(x));
    assert_eq!(to_i32(2_147_483_520.0), Ok(2_147_483_520));
    assert_eq!(to_i32(2_147_483_648.0), undefined);
    assert_eq!(to_i32(-2_147_483_648.0), Ok(0x8000_0000));
    assert_eq!(to_i32(-2_147_483_904.0), undefined);
    assert_eq!(to_i32(f32::NAN), undefined);
    let to_i8 =
        |x: f64| convert("%r = fptosi double %x to i8", ("double", 64), ("i8", 8), x.to_bits());
    assert_eq!(to_i8(127.99), Ok(127));
    assert_eq!(to_i8(128.0), undefined);
    assert_eq!(to_i8(-128.99), Ok(0x80));
    assert_eq!(to_i8(-129.0), undefined);
    let to_u64 =
        |x: f64| convert("%r = fptoui double %x to i64", ("double", 64), ("i64", 64), x.to_bits());
    assert_eq!(to_u64(-0.9), Ok(0));
    assert_eq!(to_u64(-1.0), undefined);
    assert_eq!(to_u64(1e19), Ok(10_000_000_000_000_000_000));
    assert_eq!(to_u64(f64::powi(2.0, 64)), undefined);
    let from_half = |x: u64| convert("%r = fptosi half %x to i16", ("half", 16), ("i16", 16), x);
    assert_eq!(from_half(0x77FF), Ok(32752));
    assert_eq!(from_half(0x7800), undefined);
}

#[test]
fn an_undefined_number_is_a_fault_only_where_it_is_used() {
    let float = ("float", 32);
    let word = ("i32", 32);
    // An optimizer made the conversion unconditional and selects afterwards.
    let guarded = "%big = fcmp ogt float %x, 1.0e9
                   %k = fptosi float %x to i32
                   %j = add i32 %k, 1
                   %r = select i1 %big, i32 -1, i32 %j";
    assert_eq!(convert(guarded, float, word, f32_bits(1e20)), Ok(0xFFFF_FFFF));
    assert_eq!(convert(guarded, float, word, f32_bits(41.5)), Ok(42));
    assert_eq!(convert(guarded, float, word, f32_bits(-1e20)), Err(Fault::UndefinedNumber));
    // The same by a branch and a phi.
    let joined = "%k = fptosi float %x to i32
                  %big = fcmp ogt float %x, 1.0e9
                  br i1 %big, label %large, label %join
                  large:
                  br label %join
                  join:
                  %r = phi i32 [ 7, %large ], [ %k, %0 ]";
    assert_eq!(convert(joined, float, word, f32_bits(1e20)), Ok(7));
    assert_eq!(convert(joined, float, word, f32_bits(-1e20)), Err(Fault::UndefinedNumber));
    // A branch on it is a use.
    let branched = "%k = fptosi float %x to i32
                    %c = icmp sgt i32 %k, 5
                    br i1 %c, label %large, label %join
                    large:
                    br label %join
                    join:
                    %r = phi i32 [ 7, %large ], [ 8, %0 ]";
    assert_eq!(convert(branched, float, word, f32_bits(6.0)), Ok(7));
    assert_eq!(convert(branched, float, word, f32_bits(1e20)), Err(Fault::UndefinedNumber));
    // In a loop the flag is carried along.
    let looped = "br label %round
                  round:
                  %n = phi i32 [ 0, %0 ], [ %next, %round ]
                  %a = phi i32 [ 1, %0 ], [ %b, %round ]
                  %bits = bitcast float %x to i32
                  %b = shl i32 %a, %bits
                  %next = add i32 %n, 1
                  %more = icmp ult i32 %next, 3
                  br i1 %more, label %round, label %end
                  end:
                  %r = add i32 %b, 0";
    assert_eq!(convert(looped, float, word, 2), Ok(64));
    assert_eq!(convert(looped, float, word, 32), Err(Fault::UndefinedNumber));
}

#[test]
fn integers_become_small_floats_with_one_rounding() {
    let tie = (1_u64 << 62) + (1 << 54);
    let results = elementwise(
        "%r = sitofp i64 %x to bfloat",
        "",
        ("i64", 64),
        ("bfloat", 16),
        &[[tie, 0, 0], [tie + 1, 0, 0], [u64::MAX, 0, 0]],
    );
    assert_eq!(results, [0x5E80, 0x5E81, 0xBF80]);
    let results = elementwise(
        "%r = uitofp i16 %x to half",
        "",
        ("i16", 16),
        ("half", 16),
        &[[2049, 0, 0], [65519, 0, 0], [65520, 0, 0]],
    );
    assert_eq!(results, [0x6800, 0x7BFF, 0x7C00]);
}

#[test]
fn unchecked_shifts_by_the_width_or_more_are_as_in_ptx() {
    let inputs = [[0x8000_0001, 31, 0], [0x8000_0001, 32, 0], [0x8000_0001, 1000, 0]];
    let shift = |compile, operation: &str| {
        let body = format!("%r = {operation} i32 %x, %y");
        try_elementwise(compile, &body, "", ("i32", 32), ("i32", 32), &inputs)
    };
    assert_eq!(shift(compile_unchecked, "shl"), Ok(vec![0x8000_0000, 0, 0]));
    assert_eq!(shift(compile_unchecked, "lshr"), Ok(vec![1, 0, 0]));
    assert_eq!(shift(compile_unchecked, "ashr"), Ok(vec![0xFFFF_FFFF; 3]));
    let error = shift(compile, "shl").unwrap_err().to_string();
    assert!(error.contains("thread (1, 0, 0)") && error.contains("too wide shift"), "{error}");
}

#[test]
fn counting_zeros_of_zero_is_defined() {
    let results = elementwise(
        "%r = call i32 @llvm.ctlz.i32(i32 %x, i1 true)",
        "declare i32 @llvm.ctlz.i32(i32, i1)",
        ("i32", 32),
        ("i32", 32),
        &[[0, 0, 0], [1, 0, 0]],
    );
    assert_eq!(results, [32, 31]);
}
