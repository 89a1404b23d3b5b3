//! Scalar operations against another way to compute them, on random input.

use proptest::prelude::*;
use stencil_runtime::scalar::{FloatPredicate, ScalarError, ScalarOp, ScalarType, ScalarValue};

const INTEGERS: [ScalarType; 6] = [
    ScalarType::I1,
    ScalarType::I8,
    ScalarType::I16,
    ScalarType::I32,
    ScalarType::I64,
    ScalarType::Index,
];
const FLOATS: [ScalarType; 4] =
    [ScalarType::F16, ScalarType::Bf16, ScalarType::F32, ScalarType::F64];

fn integer() -> impl Strategy<Value = ScalarType> {
    prop::sample::select(INTEGERS.to_vec())
}

fn float() -> impl Strategy<Value = ScalarType> {
    prop::sample::select(FLOATS.to_vec())
}

/// Bits with edges among them: small, large, and next to powers of two.
fn bits() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        (0u32..64, -2i64..3)
            .prop_map(|(shift, near)| { (1u64 << shift).wrapping_add(near as u64) })
    ]
}

/// Sign-extends the low `width` bits, without the crate's own arithmetic.
fn signed(value: i128, width: u32) -> i128 {
    let wrapped = value.rem_euclid(1 << width);
    if wrapped >= 1 << (width - 1) { wrapped - (1 << width) } else { wrapped }
}

fn evaluate(op: ScalarOp, operands: &[ScalarValue]) -> Result<ScalarValue, ScalarError> {
    op.evaluate(operands, operands[operands.len() - 1].ty())
}

proptest! {
    #[test]
    fn integers_wrap_like_mathematics(ty in integer(), a in bits(), b in bits()) {
        let (x, y) = (ScalarValue::from_bits(ty, a), ScalarValue::from_bits(ty, b));
        let width = ty.bits();
        let (sx, sy) = (signed(a.into(), width), signed(b.into(), width));
        let got = |op| i128::from(evaluate(op, &[x, y]).unwrap().signed());
        prop_assert_eq!(got(ScalarOp::AddI), signed(sx + sy, width));
        prop_assert_eq!(got(ScalarOp::SubI), signed(sx - sy, width));
        prop_assert_eq!(got(ScalarOp::MulI), signed(sx * sy, width));
        prop_assert_eq!(got(ScalarOp::MaxSI), sx.max(sy));
        prop_assert_eq!(got(ScalarOp::MinSI), sx.min(sy));
        prop_assert_eq!(got(ScalarOp::XOrI), got(ScalarOp::OrI) - got(ScalarOp::AndI));
    }

    #[test]
    fn quotient_and_remainder_belong_together(ty in integer(), a in bits(), b in bits()) {
        let (x, y) = (ScalarValue::from_bits(ty, a), ScalarValue::from_bits(ty, b));
        let pairs = [(ScalarOp::DivSI, ScalarOp::RemSI), (ScalarOp::DivUI, ScalarOp::RemUI)];
        for (divide, remainder) in pairs {
            match (evaluate(divide, &[x, y]), evaluate(remainder, &[x, y])) {
                (Ok(q), Ok(r)) => {
                    let product = evaluate(ScalarOp::MulI, &[q, y]).unwrap();
                    prop_assert_eq!(evaluate(ScalarOp::AddI, &[product, r]).unwrap(), x);
                }
                (Err(_), Err(_)) => {
                    let overflow = divide == ScalarOp::DivSI && y.signed() == -1;
                    prop_assert!(y.bits() == 0 || overflow);
                }
                (q, r) => prop_assert!(false, "{q:?} but {r:?}"),
            }
        }
    }

    #[test]
    fn shifts_are_products_and_quotients(ty in integer(), a in bits(), amount in 0u64..64) {
        let width = ty.bits();
        let x = ScalarValue::from_bits(ty, a);
        let by = ScalarValue::from_bits(ty, amount);
        // The amount itself is cut to the type's width.
        let amount = by.unsigned();
        let got = |op| evaluate(op, &[x, by]);
        if amount >= u64::from(width) {
            let too_wide = matches!(got(ScalarOp::ShLI), Err(ScalarError::ShiftTooWide { .. }));
            prop_assert!(too_wide);
            return Ok(());
        }
        let factor = 1i128 << amount;
        let value = i128::from(x.signed());
        let left = i128::from(got(ScalarOp::ShLI).unwrap().signed());
        prop_assert_eq!(left, signed(value * factor, width));
        let right = i128::from(got(ScalarOp::ShRSI).unwrap().signed());
        prop_assert_eq!(right, value.div_euclid(factor));
        let logical = i128::from(got(ScalarOp::ShRUI).unwrap().unsigned());
        prop_assert_eq!(logical, i128::from(x.unsigned()) / factor);
    }

    #[test]
    fn f32_and_f64_are_the_processors(a in any::<u64>(), b in any::<u64>()) {
        let ops = [ScalarOp::AddF, ScalarOp::SubF, ScalarOp::MulF, ScalarOp::DivF];
        let wide = |op| {
            let (x, y) = (f64::from_bits(a), f64::from_bits(b));
            match op {
                ScalarOp::AddF => x + y,
                ScalarOp::SubF => x - y,
                ScalarOp::MulF => x * y,
                _ => x / y,
            }
        };
        let narrow = |op| {
            let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            match op {
                ScalarOp::AddF => x + y,
                ScalarOp::SubF => x - y,
                ScalarOp::MulF => x * y,
                _ => x / y,
            }
        };
        for op in ops {
            let operands = |ty| [ScalarValue::from_bits(ty, a), ScalarValue::from_bits(ty, b)];
            let got = evaluate(op, &operands(ScalarType::F64)).unwrap();
            prop_assert!(got.bits() == wide(op).to_bits() || (got.is_nan() && wide(op).is_nan()));
            let got = evaluate(op, &operands(ScalarType::F32)).unwrap();
            let same = got.bits() == u64::from(narrow(op).to_bits());
            prop_assert!(same || (got.is_nan() && narrow(op).is_nan()));
        }
    }

    /// `f16` values are integers times 2^-24, so sums of products are integers times 2^-48.
    #[test]
    fn f16_fma_is_rounded_once(a in any::<u16>(), b in any::<u16>(), c in any::<u16>()) {
        let values = [a, b, c].map(|bits| ScalarValue::from_bits(ScalarType::F16, bits.into()));
        prop_assume!(values.iter().all(|value| value.to_f64().is_finite()));
        let fixed = values.map(|value| (value.to_f64() * 2f64.powi(24)) as i128);
        let exact = fixed[0] * fixed[1] + (fixed[2] << 24);
        prop_assume!(exact != 0);
        let got = evaluate(ScalarOp::Fma, &values).unwrap();
        prop_assert_eq!(got.bits(), round_to_f16(exact), "{:?}", values);
    }

    #[test]
    fn narrowing_gives_the_nearest(bits in any::<u64>(), ty in float()) {
        let value = f64::from_bits(bits);
        prop_assume!(value.is_finite() && ty != ScalarType::F64);
        let wide = ScalarValue::from_f64(ScalarType::F64, value);
        let got = ScalarOp::TruncF.evaluate(&[wide], ty).unwrap();
        // No other value of the type is nearer: it suffices to look at both neighbours.
        let distance = |candidate: ScalarValue| (candidate.to_f64() - value).abs();
        if got.to_f64().is_finite() {
            for neighbour in [got.bits().wrapping_add(1), got.bits().wrapping_sub(1)] {
                let neighbour = ScalarValue::from_bits(ty, neighbour);
                if neighbour.to_f64().is_finite() {
                    let nearest = distance(got) <= distance(neighbour);
                    prop_assert!(nearest, "{value}: {got:?} {neighbour:?}");
                }
            }
        }
        // Widening again is exact, and nothing is left to round.
        prop_assert_eq!(ScalarValue::from_f64(ty, got.to_f64()).bits(), got.bits());
    }

    #[test]
    fn extremes_are_one_of_the_operands(ty in float(), a in any::<u64>(), b in any::<u64>()) {
        let (x, y) = (ScalarValue::from_bits(ty, a), ScalarValue::from_bits(ty, b));
        for op in [ScalarOp::MinNumF, ScalarOp::MaxNumF, ScalarOp::MinimumF, ScalarOp::MaximumF] {
            let got = evaluate(op, &[x, y]).unwrap();
            prop_assert!(got == x || got == y);
            let swapped = evaluate(op, &[y, x]).unwrap();
            prop_assert!(got == swapped || (got.is_nan() && swapped.is_nan()));
        }
    }

    #[test]
    fn ordered_predicates_negate_unordered_ones(
        ty in float(), a in any::<u64>(), b in any::<u64>()
    ) {
        use FloatPredicate as P;
        let operands = [ScalarValue::from_bits(ty, a), ScalarValue::from_bits(ty, b)];
        let holds = |predicate| {
            ScalarOp::CmpF(predicate).evaluate(&operands, ScalarType::I1).unwrap().is_true()
        };
        let opposites = [(P::Oeq, P::Une), (P::Ogt, P::Ule), (P::Oge, P::Ult), (P::Olt, P::Uge),
            (P::Ole, P::Ugt), (P::One, P::Ueq), (P::Ord, P::Uno), (P::True, P::False)];
        for (ordered, unordered) in opposites {
            prop_assert_ne!(holds(ordered), holds(unordered));
        }
    }

    #[test]
    fn integers_survive_floats_that_hold_them(ty in integer(), a in bits()) {
        prop_assume!(ty != ScalarType::Index);
        let x = ScalarValue::from_bits(ty, a);
        let is_signed = a % 2 == 0;
        let (there, back) = match is_signed {
            true => (ScalarOp::SIToFP, ScalarOp::FPToSI),
            false => (ScalarOp::UIToFP, ScalarOp::FPToUI),
        };
        // 2^63 is next to 2^63 - 1 only where it is read as the conversion reads it.
        let distance = |value: ScalarValue| match is_signed {
            true => value.signed().abs_diff(x.signed()),
            false => value.unsigned().abs_diff(x.unsigned()),
        };
        let float = there.evaluate(&[x], ScalarType::F64).unwrap();
        let exact = ty.bits() <= 53;
        match back.evaluate(&[float], ty) {
            Ok(value) if exact => prop_assert_eq!(value, x),
            Ok(value) => prop_assert!(distance(value) <= 1 << 10),
            Err(_) => prop_assert!(!exact),
        }
    }

    #[test]
    fn display_reads_back(ty in float(), a in any::<u64>()) {
        let value = ScalarValue::from_bits(ty, a);
        let read = ScalarValue::parse(ty, &value.to_string()).unwrap();
        prop_assert!(read == value || (read.is_nan() && value.is_nan()), "{value:?} {read:?}");
    }
}

/// The `f16` nearest to `value * 2^-48`, ties to even, in integers.
fn round_to_f16(value: i128) -> u64 {
    let sign = if value < 0 { 0x8000 } else { 0 };
    let magnitude = value.unsigned_abs();
    // The unit in the last place is 2^-24 for subnormals, above that 11 bits below the top.
    let unit_bits = (128 - magnitude.leading_zeros()).saturating_sub(11).max(24);
    let half = 1u128 << (unit_bits - 1);
    let floor = magnitude >> unit_bits;
    let rest = magnitude & ((1 << unit_bits) - 1);
    let up = rest > half || (rest == half && floor & 1 == 1);
    let steps = floor as u64 + u64::from(up) + (u64::from(unit_bits) - 24) * 0x400;
    sign | steps.min(0x7c00)
}
