//! Reciprocals, on this processor, against its quotients of 1, which round correctly.

use super::*;
use crate::arithmetic::machine::host::Here;
use proptest::prelude::*;

const HERE: Here = Here { off: 0.0 };

/// The refined reciprocal, from the high half of 1 / x with so many added to it.
fn from_estimate(x: f64, added: i32) -> f64 {
    // What the instruction reads of x.
    let read = f64::from_bits(x.to_bits() & 0xffff_ffff_0000_0000);
    let high = ((1.0 / read).to_bits() >> 32) as u32;
    let bits = u64::from(high.wrapping_add_signed(added)) << 32 | u64::from(LOW_HALF);
    refined(|a: f64, b, c| a.mul_add(b, c), (-x, 1.0), f64::from_bits(bits))
}

/// Digits of X where 1 - x m is 1 or 2 times 2^-106 of a midpoint m, the largest with such a
/// factor: the divisors of 2^106 - 1 and 2^106 - 2, and their neighbours.
const HARD: [u64; 6] = [
    9_007_199_254_740_991,
    8_947_011_299_662_793,
    8_716_460_134_775_102,
    8_684_233_533_100_559,
    8_573_369_051_977_618,
    4_533_896_051_839_367,
];

#[test]
fn hard_digits_of_all_exponents_round_correctly() {
    for (digits, exponent) in HARD.iter().flat_map(|it| (1..=2043_u64).map(move |e| (*it, e))) {
        for near in [digits - 1, digits, (digits + 1).min((1 << 53) - 1)] {
            let x = f64::from_bits(exponent << 52 | near & ((1 << 52) - 1));
            // The high half of 1/2 is the least that an estimate of all ones has.
            let least = if near == (1 << 53) - 1 { 0 } else { -1 };
            for added in least..=2 {
                let found = from_estimate(x, added);
                assert_eq!(found.to_bits(), (1.0 / x).to_bits(), "{x:e} {added}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200_000))]

    #[test]
    fn every_estimate_gives_the_same_reciprocal(
        digits in 0..1_u64 << 52,
        exponent in 1..=2043_u64,
        sign in 0..=1_u64,
        added in -1..=2,
    ) {
        let x = f64::from_bits(sign << 63 | exponent << 52 | digits);
        prop_assert_eq!(from_estimate(x, added).to_bits(), (1.0 / x).to_bits());
        prop_assert_eq!(reciprocal(&HERE, x, Operand::Any).to_bits(), (1.0 / x).to_bits());
        if sign == 0 {
            prop_assert_eq!(reciprocal(&HERE, x, Operand::Normal).to_bits(), (1.0 / x).to_bits());
        }
    }
}

#[test]
fn special_numbers_have_their_reciprocals() {
    let least_too_large = 2.0_f64.powi(1021);
    let cases = [
        (0.0, f64::INFINITY),
        (f64::from_bits(1), f64::INFINITY),
        (f64::MIN_POSITIVE.next_down(), f64::INFINITY),
        (f64::MIN_POSITIVE, 2.0_f64.powi(1022)),
        (least_too_large.next_down(), 1.0 / least_too_large.next_down()),
        (least_too_large, 0.0),
        (f64::MAX, 0.0),
        (f64::INFINITY, 0.0),
    ];
    for (x, expected) in cases {
        for x in [x, -x] {
            let found = reciprocal(&HERE, x, Operand::Any);
            assert_eq!(found.to_bits(), expected.copysign(x).to_bits(), "{x:e}");
        }
        if x >= f64::MIN_POSITIVE {
            let found = reciprocal(&HERE, x, Operand::Normal);
            assert_eq!(found.to_bits(), expected.to_bits(), "{x:e}");
        }
    }
    for operand in [Operand::Any, Operand::Normal] {
        assert!(reciprocal(&HERE, f64::NAN, operand).is_nan());
        assert!(reciprocal(&HERE, -f64::NAN, operand).is_nan());
    }
}
