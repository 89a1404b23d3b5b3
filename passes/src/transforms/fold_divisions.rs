//! `stencil-fold-divisions`: multiply by the reciprocal of a constant divisor.
//!
//! Before: `arith.divf %x, %c` where `%c` is a constant.
//! After:  `arith.mulf %x, %r` with `%r` = 1 / c, rounded once; fastmath flags are kept.
//!
//! Why: a division is a dozen floating-point operations, a multiplication is one, and may be fused
//! with a sum. If c is a power of two both are bit-identical, and no permission is needed;
//! otherwise the flag `arcp` of the division permits it.
//! Declines, with a remark: a constant without the flag; one whose reciprocal is zero, subnormal,
//! infinite or NaN.
//! Does not fold divisions by values, and rounds no reciprocal of f16 and bf16.

use crate::arithmetic::{
    expression,
    flags::{FASTMATH, Flags},
};
use crate::framework::{
    Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic,
};
use melior::ir::{OperationRef, ValueLike, operation::OperationLike};
use stencil_dialects::{
    build::{self, Inserter},
    ods::arith,
    types::Number,
    walk,
};

/// The table entry.
pub const FOLD_DIVISIONS: PassInfo = PassInfo {
    argument: "stencil-fold-divisions",
    summary: "multiply by the reciprocal of a constant divisor",
    source: include_str!("fold_divisions.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[FOLDED, DECLINED],
    dialects: &["arith"],
    run: fold_divisions,
};

const FOLDED: Statistic = statistic("num-folded", "divisions that became multiplications");
const DECLINED: Statistic = statistic("num-declined", "divisions by constants left as they were");

fn fold_divisions(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    for division in walk::nested(function) {
        if walk::name(&division) != arith::DIVF {
            continue;
        }
        let operands = division.operands().collect::<Vec<_>>();
        let [dividend, divisor] = operands.as_slice() else { continue };
        let Some(constant) = expression::constant(*divisor) else { continue };
        let flags = division.attribute(FASTMATH).ok();
        let may_round = Flags::of(division).permit("arcp");
        match reciprocal(constant, Number::of(divisor.r#type()), may_round) {
            Err(why) => {
                cx.decline(&division, why);
                cx.count(DECLINED, 1);
            }
            Ok(reciprocal) => {
                let at = Inserter::before(division);
                let factor = at.float(divisor.r#type(), reciprocal);
                let flags = flags.map(|flags| (FASTMATH, flags));
                let product =
                    at.value(arith::MULF, &[*dividend, factor], flags.as_slice(), factor.r#type());
                build::replace_uses(build::single(division), product);
                build::erase(division);
                cx.count(FOLDED, 1);
            }
        }
    }
    Ok(())
}

/// 1 / c in a type, or the reason why it cannot replace the division.
fn reciprocal(constant: f64, number: Option<Number>, may_round: bool) -> Result<f64, &'static str> {
    let (reciprocal, is_normal) = match number {
        Some(Number::F64) => (1.0 / constant, (1.0 / constant).is_normal()),
        Some(Number::F32) => {
            let single = 1.0 / constant as f32;
            (f64::from(single), single.is_normal())
        }
        Some(Number::F16) => (1.0 / constant, (1.0 / constant).abs() >= F16_LEAST_NORMAL),
        Some(Number::Bf16) => (1.0 / constant, (1.0 / constant as f32).is_normal()),
        _ => return Err("its type is not supported"),
    };
    if !is_normal || !constant.is_normal() {
        return Err("the constant or its reciprocal is not a normal number");
    }
    // A power of two has a zero mantissa.
    let is_exact = constant.to_bits() << (64 - 52) == 0;
    match (is_exact, may_round, number) {
        (true, ..) | (_, true, Some(Number::F64 | Number::F32)) => Ok(reciprocal),
        (_, true, _) => Err("the reciprocal would have to be rounded to 16 bits"),
        _ => Err("its flags do not permit a rounded reciprocal (arcp)"),
    }
}

/// 2^-14.
const F16_LEAST_NORMAL: f64 = 1.0 / 16384.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_need_no_permission() {
        assert_eq!(reciprocal(8.0, Some(Number::F64), false), Ok(0.125));
        assert_eq!(reciprocal(-0.25, Some(Number::F16), false), Ok(-4.0));
        assert_eq!(reciprocal(2.0_f64.powi(-14), Some(Number::Bf16), false), Ok(16384.0));
        assert_eq!(
            reciprocal(118.0, Some(Number::F64), false),
            Err("its flags do not permit a rounded reciprocal (arcp)")
        );
    }

    #[test]
    fn a_reciprocal_is_rounded_once_in_its_type() {
        assert_eq!(reciprocal(118.0, Some(Number::F64), true), Ok(1.0 / 118.0));
        assert_eq!(reciprocal(118.0, Some(Number::F32), true), Ok(f64::from(1.0_f32 / 118.0)));
        assert_eq!(
            reciprocal(118.0, Some(Number::F16), true),
            Err("the reciprocal would have to be rounded to 16 bits")
        );
    }

    #[test]
    fn what_is_not_normal_stays_a_division() {
        let refused = Err("the constant or its reciprocal is not a normal number");
        for constant in [0.0, f64::INFINITY, f64::NAN, f64::MIN_POSITIVE / 2.0, f64::MAX] {
            assert_eq!(reciprocal(constant, Some(Number::F64), true), refused, "{constant}");
        }
        assert_eq!(reciprocal(1e39, Some(Number::F32), true), refused);
        assert_eq!(reciprocal(32768.0, Some(Number::F16), false), refused);
    }
}
