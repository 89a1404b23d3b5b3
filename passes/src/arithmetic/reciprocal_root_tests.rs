//! The bounds of 1 / sqrt(x), on this processor, against sums of two numbers.

use super::*;
use crate::arithmetic::machine::host::Here;

const HERE: Here = Here { off: 0.0 };

/// What the pages say, in units in the last place.
const BOUND: f64 = 0.52;

/// The root of double precision. Where nothing is selected the result is the same.
fn root(x: f64) -> f64 {
    let root = reciprocal_root(&HERE, x, Operand::Any);
    if x >= f64::MIN_POSITIVE || x.is_nan() {
        let normal = reciprocal_root(&HERE, x, Operand::Normal);
        assert!(normal == root || normal.is_nan() && root.is_nan(), "{x:e}: {normal:e} {root:e}");
    }
    root
}

/// The same in single precision.
fn root_f32(x: f32) -> f32 {
    let root = reciprocal_root_f32(&HERE, x, Operand::Any);
    if x >= f32::MIN_POSITIVE || x.is_nan() {
        let normal = reciprocal_root_f32(&HERE, x, Operand::Normal);
        assert!(normal == root || normal.is_nan() && root.is_nan(), "{x:e}: {normal:e} {root:e}");
    }
    root
}

/// How far the root that is found for x is from the true one, in units in its last place. A root of
/// double precision is right to 2^-29 of them.
fn units_off_f32(x: f32) -> f64 {
    let found = root_f32(x);
    let unit = f64::from(f32::from_bits(found.to_bits() & INFINITY_F32) * f32::EPSILON);
    (f64::from(found) - 1.0 / f64::from(x).sqrt()) / unit
}

/// How far `found` is from 1 / sqrt(x), in units in its last place.
///
/// With y = (1 + d) / sqrt(x), x y^2 - 1 is 2 d + d^2. The square and the product are taken as sums
/// of two numbers each, without error; what is rounded is some 2^-53 of a difference that is itself
/// some 2^-52, so the distance is right to 1e-15 units.
fn units_off(x: f64, found: f64) -> f64 {
    // Powers of four move the root by powers of two and nothing else.
    let (x, shift) = normal(x);
    let y = found * 2.0_f64.powi(shift);
    // y^2 = high + low, x y^2 - 1 = (x high - 1) + x low, all exact or tiny.
    let high = y * y;
    let low = y.mul_add(y, -high);
    let product = x * high;
    let product_low = x.mul_add(high, -product);
    // The product is next to 1, so the difference is exact.
    let rest = (product - 1.0) + (product_low + x * low);
    // y = root (1 + d), x y^2 - 1 = 2 d + d^2.
    let relative = rest / 2.0 - rest * rest / 8.0;
    let unit = f64::from_bits(y.to_bits() & (0x7ff << 52)) * f64::EPSILON;
    relative * y / unit
}

/// x = n 4^s with n in [1, 4), exactly: n and s. The reciprocal root of n is that of x times 2^s.
fn normal(x: f64) -> (f64, i32) {
    let (mut x, mut shift) = (x, 0);
    while x < 1.0 {
        x *= 4.0;
        shift -= 1;
    }
    while x >= 4.0 {
        x /= 4.0;
        shift += 1;
    }
    (x, shift)
}

/// A sequence of numbers without a pattern [Marsaglia, Xorshift RNGs, Journal of Statistical
/// Software 2003].
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[test]
fn the_measure_finds_the_neighbour() {
    for x in [0.3, 1.7, 2.0, 3.99, 1e300, 5e-324] {
        let found = root(x);
        assert!(units_off(x, found).abs() < BOUND, "{x}: {}", units_off(x, found));
        let above = f64::from_bits(found.to_bits() + 1);
        assert!((units_off(x, above) - units_off(x, found) - 1.0).abs() < 1e-6, "{x}");
    }
    assert_eq!(units_off(0.25, 2.0), 0.0);
    assert_eq!(units_off(16.0, 0.25), 0.0);
}

#[test]
fn it_is_within_half_a_unit_and_two_hundredths() {
    let mut state = 0x9e37_79b9_7f4a_7c15;
    let mut worst = 0.0_f64;
    // All exponents, subnormal ones among them.
    for _ in 0..3_000_000 {
        let x = f64::from_bits(next(&mut state) >> 1);
        if x > 0.0 && x.is_finite() {
            worst = worst.max(units_off(x, root(x)).abs());
        }
    }
    assert!(worst < BOUND, "{worst}");
    assert!(worst > 0.49, "the measure is wrong: {worst}");
}

#[test]
fn a_quotient_is_within_two_units() {
    let mut state = 0x0123_4567_89ab_cdef;
    let mut worst = 0.0_f64;
    for _ in 0..1_000_000 {
        let x = f64::from_bits(next(&mut state) >> 1);
        if !x.is_finite() || x == 0.0 {
            continue;
        }
        let (x, _) = normal(x);
        let a = f64::from_bits((1023 << 52) | next(&mut state) >> 12);
        let y = root(x);
        let quotient = a * y;
        let unit = |y: f64| f64::from_bits(y.to_bits() & (0x7ff << 52)) * f64::EPSILON;
        // What the product lost, and a times what y is too large.
        let off = a * units_off(x, y) * unit(y) - a.mul_add(y, -quotient);
        worst = worst.max((off / unit(quotient)).abs());
    }
    assert!(worst < 2.0 && worst > 0.9, "{worst}");
}

#[test]
fn it_is_so_at_the_edges_of_exponents_and_digits() {
    let digits = [0, 1, 2, (1 << 52) - 1, (1 << 52) - 2, 1 << 51, (1 << 29) - 1, 1 << 29, 1 << 28];
    for exponent in 0..2047_u64 {
        for digits in digits {
            let x = f64::from_bits(exponent << 52 | digits);
            if x > 0.0 {
                let off = units_off(x, root(x));
                assert!(off.abs() < BOUND, "{x:e}: {off}");
            }
        }
    }
    for place in 0..52 {
        let x = f64::from_bits(1 << place);
        assert!(units_off(x, root(x)).abs() < BOUND, "{x:e}");
    }
}

#[test]
fn the_seed_is_good_for_every_number_of_single_precision() {
    // Every m of step 2: 24 bits; the bits that m does not have are all clear or all set, which are
    // the extremes.
    let rest = |m: u64, cut: u64| {
        let bits = (1022 << 52) + (m << 29) + cut;
        let (x, y) = (f64::from_bits(bits), seed(&HERE, bits));
        (x * y).mul_add(-y, 1.0)
    };
    let rests = (0..1_u64 << 24).flat_map(|m| [rest(m, 0), rest(m, (1 << 29) - 1)]);
    let (least, most) =
        rests.fold((0.0_f64, 0.0_f64), |(least, most), r| (least.min(r), most.max(r)));
    // Both signs are equally far, and HALF is made for that.
    assert!(-2.9e-6 < least && least < -2.8e-6, "{least:e}");
    assert!(2.7e-6 < most && most < 2.9e-6, "{most:e}");
    let left_out = |r: f64| 5.0 / 16.0 * r.powi(3) - (HALF - 0.5) * r;
    let steps = (0..=1000).map(|i| least + (most - least) * f64::from(i) / 1000.0);
    let worst = steps.map(|r| left_out(r).abs()).fold(0.0, f64::max);
    assert!(worst < 2e-18, "{worst:e}");
}

/// All digits: two exponents are one octave of the root and another; the others repeat them.
fn all_digits() -> impl Iterator<Item = f32> {
    (ONE_F32..ONE_F32 + (2 << 23)).map(f32::from_bits)
}

/// What the pages say of single precision, in units in the last place.
const BOUND_F32: f64 = 0.501;

#[test]
fn single_precision_is_within_half_a_unit_for_all_digits() {
    let worst = all_digits().map(|x| units_off_f32(x).abs()).fold(0.0, f64::max);
    assert!(worst < BOUND_F32, "{worst}");
    assert!(worst > 0.49, "the measure is wrong: {worst}");
}

#[test]
fn single_precision_is_the_same_for_every_estimate() {
    // Between these lies one number of 12 digits at most, so all other estimates are cut off as
    // one of them is.
    let [least, most] = [-1.0, 1.0].map(|sign| Here { off: sign * 2.0_f64.powf(-22.5) });
    let cut = |on: &Here, x| on.estimate(x).to_bits() & GUESS_DIGITS;
    let root = |on: &Here, x| reciprocal_root_f32(on, x, Operand::Normal);
    let mut differing = 0;
    for x in all_digits() {
        differing += u32::from(cut(&least, x) != cut(&most, x));
        assert_eq!(root(&least, x), root(&most, x), "{x:e}");
    }
    assert!(differing > 10_000, "the estimates are too good: {differing}");
}

#[test]
fn single_precision_is_so_for_all_exponents() {
    let digits = [0, 1, 2, (1 << 23) - 1, (1 << 23) - 2, 1 << 22, (1 << 22) - 1, 0x2a_aaaa];
    for exponent in 0..255_u32 {
        for digits in digits {
            let x = f32::from_bits(exponent << 23 | digits);
            if x > 0.0 && x <= LARGEST_F32 {
                let off = units_off_f32(x);
                assert!(off.abs() < BOUND_F32, "{x:e}: {off}");
            }
        }
    }
    let subnormal = (1..ONE_EXPONENT_F32).map(|bits| units_off_f32(f32::from_bits(bits)));
    let worst = subnormal.map(f64::abs).fold(0.0, f64::max);
    assert!(worst < BOUND_F32, "{worst}");
    // Powers of four only move the exponent, also those next to the ends.
    for x in all_digits().step_by(997) {
        for power in [-63, -20, 1, 61, 62] {
            let moved = x * 4.0_f32.powi(power);
            if moved <= LARGEST_F32 {
                assert_eq!(root_f32(moved) * 2.0_f32.powi(power), root_f32(x), "{x:e}");
            }
        }
    }
}

#[test]
fn single_precision_has_the_same_special_numbers() {
    let root = root_f32;
    assert_eq!(root(0.0), f32::INFINITY);
    assert_eq!(root(-0.0), f32::NEG_INFINITY);
    for x in [-1.0, -f32::MIN_POSITIVE, -1e-45, f32::MIN, f32::NEG_INFINITY, f32::NAN, -f32::NAN] {
        assert!(root(x).is_nan(), "{x}");
    }
    assert_eq!(root(f32::MIN_POSITIVE), 2.0_f32.powi(63));
    assert_eq!(root(4.0), 0.5);
    assert!(root(f32::from_bits(0x7f80_0001)).is_nan());
}

#[test]
fn in_single_precision_large_numbers_count_as_one() {
    assert_eq!(LARGEST_F32, 2.0_f32.powi(126));
    for x in [LARGEST_F32, LARGEST_F32 * 1.5, f32::MAX, f32::INFINITY] {
        assert_eq!(root_f32(x), 2.0_f32.powi(-63), "{x:e}");
    }
}

#[test]
fn special_numbers_have_their_roots() {
    assert_eq!(root(0.0), f64::INFINITY);
    assert_eq!(root(-0.0), f64::NEG_INFINITY);
    assert_eq!(root(f64::INFINITY).to_bits(), 0);
    for x in [-1.0, -f64::MIN_POSITIVE, -5e-324, f64::MIN, f64::NEG_INFINITY, f64::NAN, -f64::NAN] {
        assert!(root(x).is_nan(), "{x}");
    }
    assert_eq!(root(f64::MIN_POSITIVE), 2.0_f64.powi(511));
    assert_eq!(root(5e-324), 2.0_f64.powi(537));
    assert_eq!(root(4.0), 0.5);
    // A signalling NaN.
    assert!(root(f64::from_bits(0x7ff0_0000_0000_0001)).is_nan());
}
