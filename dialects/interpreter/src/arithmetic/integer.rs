//! Integer operations of any width from 1 to 64 bits.
//!
//! Computed in `i128`, which no operation on 64-bit operands overflows, and then truncated: the
//! wrapped result and the violated flags both follow from the exact result.

use super::Fault;
use crate::element::{mask, signed};

/// What an integer operation does. Names follow the `arith` and `math` dialects.
#[allow(missing_docs)] // Each is the operation of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerOp {
    Add,
    Sub,
    Mul,
    /// The carry of an unsigned addition, an `i1`: second result of `addui_extended`.
    AddCarry,
    /// The upper half of a signed product: second result of `mulsi_extended`.
    MulHighSigned,
    /// The upper half of an unsigned product: second result of `mului_extended`.
    MulHighUnsigned,
    DivSigned,
    DivUnsigned,
    CeilDivSigned,
    CeilDivUnsigned,
    FloorDivSigned,
    RemSigned,
    RemUnsigned,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRightSigned,
    ShiftRightUnsigned,
    MaxSigned,
    MaxUnsigned,
    MinSigned,
    MinUnsigned,
    Abs,
    Power,
    CountLeadingZeros,
    CountTrailingZeros,
    CountOnes,
}

/// The predicate of an `arith.cmpi`.
#[allow(missing_docs)] // Each is the predicate of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerPredicate {
    Eq,
    Ne,
    Slt,
    Sle,
    Sgt,
    Sge,
    Ult,
    Ule,
    Ugt,
    Uge,
}

impl IntegerPredicate {
    /// All, in the order of their numbers in the IR.
    pub const ALL: [Self; 10] = [
        Self::Eq,
        Self::Ne,
        Self::Slt,
        Self::Sle,
        Self::Sgt,
        Self::Sge,
        Self::Ult,
        Self::Ule,
        Self::Ugt,
        Self::Uge,
    ];
}

/// The poison flags of an integer operation. A violated flag is an error: the compiler may have
/// relied on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Promise {
    /// `nsw`: the signed result does not wrap.
    pub no_signed_wrap: bool,
    /// `nuw`: the unsigned result does not wrap.
    pub no_unsigned_wrap: bool,
    /// `exact`: a division leaves no remainder, a right shift drops no set bit.
    pub exact: bool,
}

impl Promise {
    /// No promise.
    pub const NONE: Self = Self { no_signed_wrap: false, no_unsigned_wrap: false, exact: false };

    /// Checks the wrapping promises for a true result, read signed and read unsigned.
    pub(super) fn check_wrap(
        self,
        bits: u32,
        true_signed: i128,
        true_unsigned: i128,
    ) -> Result<(), Fault> {
        let signed_range = -(1i128 << (bits - 1))..1i128 << (bits - 1);
        if self.no_signed_wrap && !signed_range.contains(&true_signed) {
            return Err(Fault::BrokenPromise { promise: "nsw" });
        }
        if self.no_unsigned_wrap && !(0..1i128 << bits).contains(&true_unsigned) {
            return Err(Fault::BrokenPromise { promise: "nuw" });
        }
        Ok(())
    }

    fn check_exact(self, remainder: i128) -> Result<(), Fault> {
        if self.exact && remainder != 0 {
            return Err(Fault::BrokenPromise { promise: "exact" });
        }
        Ok(())
    }
}

/// An integer operation on the low `bits` bits of `a` and `b`.
pub(super) fn evaluate(
    op: IntegerOp,
    bits: u32,
    promise: Promise,
    a: u64,
    b: u64,
) -> Result<u64, Fault> {
    use IntegerOp as Op;
    let (sa, sb) = (i128::from(signed(a, bits)), i128::from(signed(b, bits)));
    let (ua, ub) = (i128::from(a), i128::from(b));
    let value = match op {
        Op::Add => wrapping(promise, bits, sa + sb, ua + ub)?,
        Op::Sub => wrapping(promise, bits, sa - sb, ua - ub)?,
        // The unsigned product of two 64-bit numbers needs 128 bits without a sign.
        Op::Mul => {
            let product = (a as u128) * (b as u128);
            let true_unsigned = i128::try_from(product).unwrap_or(i128::MAX);
            promise.check_wrap(bits, sa * sb, true_unsigned)?;
            product as i128
        }
        Op::AddCarry => (ua + ub) >> bits,
        Op::MulHighSigned => (sa * sb) >> bits,
        Op::MulHighUnsigned => (((a as u128) * (b as u128)) >> bits) as i128,
        Op::DivSigned | Op::CeilDivSigned | Op::FloorDivSigned | Op::RemSigned => {
            division(op, promise, divide(bits, sa, sb)?, sb)?
        }
        // With 64 bits no unsigned operand looks like the smallest integer or like -1.
        Op::DivUnsigned | Op::CeilDivUnsigned | Op::RemUnsigned => {
            division(op, promise, divide(64, ua, ub)?, ub)?
        }
        Op::And => ua & ub,
        Op::Or => ua | ub,
        Op::Xor => ua ^ ub,
        Op::ShiftLeft => {
            let amount = shift_amount(bits, b)?;
            wrapping(promise, bits, sa << amount, ua << amount)?
        }
        Op::ShiftRightSigned => {
            let amount = shift_amount(bits, b)?;
            promise.check_exact(ua & i128::from(mask(amount)))?;
            sa >> amount
        }
        Op::ShiftRightUnsigned => {
            let amount = shift_amount(bits, b)?;
            promise.check_exact(ua & i128::from(mask(amount)))?;
            ua >> amount
        }
        Op::MaxSigned => sa.max(sb),
        Op::MaxUnsigned => ua.max(ub),
        Op::MinSigned => sa.min(sb),
        Op::MinUnsigned => ua.min(ub),
        Op::Abs => sa.abs(),
        Op::Power => power(bits, sa, sb)?,
        Op::CountLeadingZeros => i128::from(a.leading_zeros() - (64 - bits)),
        Op::CountTrailingZeros => i128::from(a.trailing_zeros().min(bits)),
        Op::CountOnes => i128::from(a.count_ones()),
    };
    Ok(value as u64 & mask(bits))
}

/// Truncation to the width is two's complement wrapping; flags are checked before.
fn wrapping(promise: Promise, bits: u32, signed: i128, unsigned: i128) -> Result<i128, Fault> {
    promise.check_wrap(bits, signed, unsigned)?;
    Ok(unsigned)
}

/// The result of a division op from the quotient rounded towards zero and the remainder.
fn division(
    op: IntegerOp,
    promise: Promise,
    (quotient, remainder): (i128, i128),
    divisor: i128,
) -> Result<i128, Fault> {
    // The true quotient lies above the truncated one where remainder and divisor agree in sign.
    let is_above = remainder != 0 && (remainder < 0) == (divisor < 0);
    let is_below = remainder != 0 && (remainder < 0) != (divisor < 0);
    match op {
        IntegerOp::RemSigned | IntegerOp::RemUnsigned => Ok(remainder),
        IntegerOp::CeilDivSigned | IntegerOp::CeilDivUnsigned => {
            Ok(quotient + i128::from(is_above))
        }
        IntegerOp::FloorDivSigned => Ok(quotient - i128::from(is_below)),
        _ => {
            promise.check_exact(remainder)?;
            Ok(quotient)
        }
    }
}

/// Quotient rounded towards zero, and remainder, for operands of `bits` bits with a sign.
fn divide(bits: u32, a: i128, b: i128) -> Result<(i128, i128), Fault> {
    if b == 0 {
        return Err(Fault::DivisionByZero);
    }
    if b == -1 && a == -(1i128 << (bits - 1)) {
        return Err(Fault::DivisionOverflow);
    }
    Ok((a / b, a % b))
}

fn shift_amount(bits: u32, amount: u64) -> Result<u32, Fault> {
    match u32::try_from(amount) {
        Ok(narrow) if narrow < bits => Ok(narrow),
        _ => Err(Fault::ShiftTooWide { bits, amount }),
    }
}

/// `base` to the power `exponent`, wrapping; a negative exponent gives the quotient `1 / base^|e|`
/// rounded towards zero.
fn power(bits: u32, base: i128, exponent: i128) -> Result<i128, Fault> {
    if exponent < 0 {
        return match base {
            0 => Err(Fault::DivisionByZero),
            1 => Ok(1),
            -1 => Ok(if exponent % 2 == 0 { 1 } else { -1 }),
            _ => Ok(0),
        };
    }
    let width = mask(bits);
    let mut result = 1u64;
    let mut factor = base as u64 & width;
    let mut left = exponent;
    while left != 0 {
        if left & 1 == 1 {
            result = result.wrapping_mul(factor) & width;
        }
        factor = factor.wrapping_mul(factor) & width;
        left >>= 1;
    }
    Ok(i128::from(result))
}

/// Whether the predicate holds for the low `bits` bits of `a` and `b`.
pub(super) fn compare(predicate: IntegerPredicate, bits: u32, a: u64, b: u64) -> bool {
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    match predicate {
        IntegerPredicate::Eq => a == b,
        IntegerPredicate::Ne => a != b,
        IntegerPredicate::Slt => sa < sb,
        IntegerPredicate::Sle => sa <= sb,
        IntegerPredicate::Sgt => sa > sb,
        IntegerPredicate::Sge => sa >= sb,
        IntegerPredicate::Ult => a < b,
        IntegerPredicate::Ule => a <= b,
        IntegerPredicate::Ugt => a > b,
        IntegerPredicate::Uge => a >= b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(op: IntegerOp, bits: u32, a: i64, b: i64) -> Result<i64, Fault> {
        let width = mask(bits);
        let result = evaluate(op, bits, Promise::NONE, a as u64 & width, b as u64 & width);
        result.map(|value| signed(value, bits))
    }

    #[test]
    fn agrees_with_8_bit_arithmetic_of_the_machine() {
        for a in i8::MIN..=i8::MAX {
            for b in i8::MIN..=i8::MAX {
                let (wide_a, wide_b) = (i64::from(a), i64::from(b));
                let check = |op, expected: i8| {
                    assert_eq!(
                        run(op, 8, wide_a, wide_b),
                        Ok(i64::from(expected)),
                        "{op:?} {a} {b}"
                    );
                };
                check(IntegerOp::Add, a.wrapping_add(b));
                check(IntegerOp::Sub, a.wrapping_sub(b));
                check(IntegerOp::Mul, a.wrapping_mul(b));
                check(IntegerOp::MulHighSigned, ((i16::from(a) * i16::from(b)) >> 8) as i8);
                check(
                    IntegerOp::MulHighUnsigned,
                    ((u16::from(a as u8) * u16::from(b as u8)) >> 8) as i8,
                );
                if let Some(quotient) = a.checked_div(b) {
                    check(IntegerOp::DivSigned, quotient);
                    check(IntegerOp::RemSigned, a % b);
                    let real = f64::from(a) / f64::from(b);
                    check(IntegerOp::CeilDivSigned, real.ceil() as i8);
                    check(IntegerOp::FloorDivSigned, real.floor() as i8);
                }
                if b != 0 {
                    check(IntegerOp::DivUnsigned, ((a as u8) / (b as u8)) as i8);
                    check(IntegerOp::CeilDivUnsigned, (a as u8).div_ceil(b as u8) as i8);
                    check(IntegerOp::RemUnsigned, ((a as u8) % (b as u8)) as i8);
                }
                if b >= 0 {
                    check(IntegerOp::Power, a.wrapping_pow(b as u32));
                }
            }
        }
    }

    #[test]
    fn refuses_what_has_no_value() {
        assert_eq!(run(IntegerOp::DivSigned, 32, 1, 0), Err(Fault::DivisionByZero));
        assert_eq!(run(IntegerOp::RemUnsigned, 64, 1, 0), Err(Fault::DivisionByZero));
        for op in [IntegerOp::DivSigned, IntegerOp::RemSigned, IntegerOp::FloorDivSigned] {
            assert_eq!(run(op, 64, i64::MIN, -1), Err(Fault::DivisionOverflow));
        }
        let too_wide = Fault::ShiftTooWide { bits: 8, amount: 8 };
        assert_eq!(run(IntegerOp::ShiftLeft, 8, 1, 8), Err(too_wide));
        assert_eq!(run(IntegerOp::ShiftLeft, 8, 1, 7), Ok(-128));
        assert_eq!(run(IntegerOp::Power, 32, 0, -1), Err(Fault::DivisionByZero));
        // The largest unsigned numbers are not the smallest signed ones.
        assert_eq!(run(IntegerOp::DivUnsigned, 64, i64::MIN, -1), Ok(0));
    }

    #[test]
    fn checks_promises() {
        let promising = |op, a: u64, b: u64, promise| evaluate(op, 8, promise, a, b);
        let nsw = Promise { no_signed_wrap: true, ..Promise::NONE };
        let nuw = Promise { no_unsigned_wrap: true, ..Promise::NONE };
        let exact = Promise { exact: true, ..Promise::NONE };
        let broken = |promise| Err(Fault::BrokenPromise { promise });
        assert_eq!(promising(IntegerOp::Add, 0x7f, 1, nuw), Ok(0x80));
        assert_eq!(promising(IntegerOp::Add, 0x7f, 1, nsw), broken("nsw"));
        assert_eq!(promising(IntegerOp::Add, 0xff, 1, nsw), Ok(0));
        assert_eq!(promising(IntegerOp::Add, 0xff, 1, nuw), broken("nuw"));
        assert_eq!(promising(IntegerOp::Sub, 0, 1, nuw), broken("nuw"));
        assert_eq!(promising(IntegerOp::Mul, 16, 16, nuw), broken("nuw"));
        assert_eq!(promising(IntegerOp::ShiftLeft, 0x40, 1, nsw), broken("nsw"));
        assert_eq!(promising(IntegerOp::DivSigned, 7, 2, exact), broken("exact"));
        assert_eq!(promising(IntegerOp::ShiftRightUnsigned, 6, 1, exact), Ok(3));
        assert_eq!(promising(IntegerOp::ShiftRightUnsigned, 6, 2, exact), broken("exact"));
    }
}
