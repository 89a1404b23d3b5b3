//! Integer operations, in 128 bits: every operand fits, every result is cut to its width once.

use super::{IntPredicate, ScalarError, ScalarOp, ScalarType, ScalarValue};

/// The operations of two integers that give one of the same type. Types are checked.
pub(super) fn binary(
    op: ScalarOp,
    left: ScalarValue,
    right: ScalarValue,
) -> Result<ScalarValue, ScalarError> {
    let ty = left.ty();
    let (sl, sr) = (i128::from(left.signed()), i128::from(right.signed()));
    let (ul, ur) = (i128::from(left.unsigned()), i128::from(right.unsigned()));
    let result = match op {
        ScalarOp::AddI => sl + sr,
        ScalarOp::SubI => sl - sr,
        ScalarOp::MulI => sl * sr,
        ScalarOp::AndI => sl & sr,
        ScalarOp::OrI => sl | sr,
        ScalarOp::XOrI => sl ^ sr,
        ScalarOp::MinSI => sl.min(sr),
        ScalarOp::MaxSI => sl.max(sr),
        ScalarOp::MinUI => ul.min(ur),
        ScalarOp::MaxUI => ul.max(ur),
        ScalarOp::DivSI | ScalarOp::DivUI | ScalarOp::RemSI | ScalarOp::RemUI => {
            check_division(op, left, right)?;
            match op {
                ScalarOp::DivSI => sl / sr,
                ScalarOp::DivUI => ul / ur,
                ScalarOp::RemSI => sl % sr,
                _ => ul % ur,
            }
        }
        ScalarOp::ShLI | ScalarOp::ShRSI | ScalarOp::ShRUI => {
            let amount = right.unsigned();
            if amount >= u64::from(ty.bits()) {
                return Err(ScalarError::ShiftTooWide { op, amount, ty });
            }
            match op {
                ScalarOp::ShLI => sl << amount,
                ScalarOp::ShRSI => sl >> amount,
                _ => ul >> amount,
            }
        }
        other => unreachable!("'{other}' is no operation of two integers"),
    };
    Ok(ScalarValue::from_bits(ty, result as u64))
}

fn check_division(op: ScalarOp, left: ScalarValue, right: ScalarValue) -> Result<(), ScalarError> {
    let ty = left.ty();
    let signed = matches!(op, ScalarOp::DivSI | ScalarOp::RemSI);
    let smallest = 1u64 << (ty.bits() - 1);
    if right.bits() == 0 {
        return Err(ScalarError::DivisionByZero { op, dividend: left.signed() });
    }
    if signed && left.bits() == smallest && right.signed() == -1 {
        return Err(ScalarError::DivisionOverflow { op, dividend: left.signed(), ty });
    }
    Ok(())
}

/// Comparisons and changes of width, which cannot fail. Types are checked.
pub(super) fn exact(op: ScalarOp, operands: &[ScalarValue], result: ScalarType) -> ScalarValue {
    let value = operands[0];
    match op {
        ScalarOp::CmpI(predicate) => {
            let holds = compare(predicate, value, operands[1]);
            ScalarValue::from_bits(ScalarType::I1, u64::from(holds))
        }
        ScalarOp::ExtSI | ScalarOp::IndexCast => {
            ScalarValue::from_bits(result, value.signed() as u64)
        }
        ScalarOp::ExtUI | ScalarOp::IndexCastUI | ScalarOp::TruncI => {
            ScalarValue::from_bits(result, value.unsigned())
        }
        other => unreachable!("'{other}' is no exact operation of integers"),
    }
}

fn compare(predicate: IntPredicate, left: ScalarValue, right: ScalarValue) -> bool {
    let (sl, sr) = (left.signed(), right.signed());
    let (ul, ur) = (left.unsigned(), right.unsigned());
    match predicate {
        IntPredicate::Eq => ul == ur,
        IntPredicate::Ne => ul != ur,
        IntPredicate::Slt => sl < sr,
        IntPredicate::Sle => sl <= sr,
        IntPredicate::Sgt => sl > sr,
        IntPredicate::Sge => sl >= sr,
        IntPredicate::Ult => ul < ur,
        IntPredicate::Ule => ul <= ur,
        IntPredicate::Ugt => ul > ur,
        IntPredicate::Uge => ul >= ur,
    }
}
