//! `stencil-expand-divisions`: write quotients as products with reciprocals of numbers in range.
//!
//! Before: in f32 or f64, `arith.divf %a, %x` with the flags `arcp` and `afn`.
//! After:  `arith.mulf %a, %r` with the flags of the quotient, where `%r` is made of
//!         `arith.divf 1, %n {stencil.normal_divisor}`. In f32 `%n` is `%x`, at most 2^120; if `%x`
//!         is not known to be a positive normal number, `%n` is its absolute value, and `%r` has
//!         the sign of `%x`, and is an infinity for zeros and subnormal numbers. In f64 `%n` is
//!         `%x`, and what is not normal, or not below 2^1021 in absolute value, has its reciprocal
//!         selected by the high half of its bits.
//!
//! Why: for a quotient the assembler emits some 14 instructions, two of which are slow
//! (`MUFU.RCP`, `FCHK`), and a branch with a call for special values, over which nothing is
//! scheduled. The reciprocal of a normal number in f32 is an estimate and a Newton step, three
//! instructions, which round correctly (`convert-math-to-intrinsics`). Together with the bound
//! and the product that is five; eight where the sign is unknown (ptxas 13.0 for sm_90).
//! In f64 it is an estimate and five operations, which with the product are six of double
//! precision instead of eight; ten integer operations and selects take the place of the branch,
//! four where the divisor is known to be positive and normal.
//! What is a constant plus squares, or a sum of such reciprocals, is known to be positive and
//! normal.
//! Interpreter, emulator and GPU are bit-identical: all operations round correctly.
//! A quotient is within 1.5 units in the last place where it is normal and |x| in [2^-126, 2^120],
//! in f64 in [2^-1022, 2^1021).
//! In f32 larger divisors count as 2^120, infinity too: the quotient by infinity is below 2^-120
//! |a|, not 0. In f64 they count as infinity. For a divisor of NaN it is NaN.
//! Keeps quotients of f16 and bf16, which are computed in f32 and rounded again; those of numbers
//! that are the same at all points, which the host computes; and divisions by constants.

use crate::{
    analysis::{lower_bound::LowerBounds, uniform::Uniform},
    arithmetic::{
        expression::{constant, precision},
        flags::{FASTMATH, Flags},
        linear::Precision,
        machine::{Emitted, Operand},
        reciprocal,
    },
    framework::{Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic},
};
use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    build::{self, CompareFloats, Inserter},
    ods::{arith, math, stencil},
    ops::ApplyOp,
    walk,
};

/// The table entry.
pub const EXPAND_DIVISIONS: PassInfo = PassInfo {
    argument: "stencil-expand-divisions",
    summary: "write quotients as products with reciprocals of numbers in range",
    source: include_str!("expand_divisions.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[EXPANDED],
    dialects: &["arith", "math"],
    run: expand_divisions,
};

const EXPANDED: Statistic = statistic("num-expanded", "divisions that became multiplications");

/// In f32, numbers above this one count as it: reciprocals, and their products with numbers above
/// 1/64, are normal.
const LARGEST: f64 = (1_u128 << 120) as f64;

fn expand_divisions(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    // Divisions are erased: the list of all operations must not be read again.
    let applies = walk::nested(function).into_iter().filter_map(ApplyOp::of).collect::<Vec<_>>();
    for apply in applies {
        let uniform = Uniform::values(apply);
        for operation in walk::nested(apply.operation()) {
            if let Some(division) = Division::of(operation, &uniform) {
                division.rewrite();
                cx.count(EXPANDED, 1);
            }
        }
    }
    Ok(())
}

/// A quotient at a point that may be a product.
struct Division<'c, 'a> {
    operation: OperationRef<'c, 'a>,
    dividend: Value<'c, 'a>,
    divisor: Value<'c, 'a>,
    precision: Precision,
}

impl<'c: 'a, 'a> Division<'c, 'a> {
    fn of(operation: OperationRef<'c, 'a>, uniform: &Uniform) -> Option<Self> {
        if walk::name(&operation) != arith::DIVF {
            return None;
        }
        let operand = |position| operation.operand(position).expect("a division has two operands");
        let (dividend, divisor) = (operand(0), operand(1));
        let precision = precision(divisor)?;
        let flags = Flags::of(operation);
        let may_change = flags.permit("arcp") && flags.permit("afn");
        (may_change && uniform.get(divisor).is_none()).then_some(Self {
            operation,
            dividend,
            divisor,
            precision,
        })
    }

    fn rewrite(&self) {
        let at = Inserter::before(self.operation);
        let r#type = self.divisor.r#type();
        // Bounds are not kept from division to division: this one changes what the next ones read.
        let least = LowerBounds::default().of(self.divisor);
        let is_normal = least >= self.precision.least_normal();
        let operand = if is_normal { Operand::Normal } else { Operand::Any };
        let reciprocal = match (self.precision, operand) {
            (Precision::F32, Operand::Normal) => reciprocal_of_normal(at, self.divisor),
            (Precision::F32, Operand::Any) => reciprocal_of_any(at, self.divisor),
            (Precision::F64, _) => reciprocal::reciprocal(&Emitted::at(at), self.divisor, operand),
        };
        let quotient = if constant(self.dividend) == Some(1.0) {
            reciprocal
        } else {
            let flags = Flags::of(self.operation).attribute(self.operation);
            at.value(arith::MULF, &[self.dividend, reciprocal], &[(FASTMATH, flags)], r#type)
        };
        build::replace_uses(build::single(self.operation), quotient);
        build::erase(self.operation);
    }
}

/// 1 / x in f32 of a positive normal number, infinity or NaN.
fn reciprocal_of_normal<'c: 'a, 'a>(at: Inserter<'c, 'a>, x: Value<'c, 'a>) -> Value<'c, 'a> {
    let r#type = x.r#type();
    let one = at.float(r#type, 1.0);
    let bounded = arith::minimumf(at, x, at.float(r#type, LARGEST));
    let normal = (stencil::attribute::NORMAL_DIVISOR, build::attribute(at.context(), "unit"));
    at.value(arith::DIVF, &[one, bounded], &[normal], r#type)
}

/// 1 / x in f32 of any number.
fn reciprocal_of_any<'c: 'a, 'a>(at: Inserter<'c, 'a>, x: Value<'c, 'a>) -> Value<'c, 'a> {
    let r#type = x.r#type();
    let size = at.value(math::ABSF, &[x], &[], r#type);
    let reciprocal = reciprocal_of_normal(at, size);
    let least = at.float(r#type, Precision::F32.least_normal());
    let is_tiny = at.compare_floats(CompareFloats::OrderedLess, size, least);
    let infinity = at.float(r#type, f64::INFINITY);
    let size = arith::select(at, is_tiny, infinity, reciprocal);
    at.value(math::COPYSIGN, &[size, x], &[], r#type)
}
