//! `stencil-expand-roots`: write reciprocal roots as Newton steps.
//!
//! Before: in f64 or f32, `math.rsqrt`, or `arith.divf %a, %s` where `%s` is a `math.sqrt` that
//!         only divisions use, as divisor; each of them with the flag `afn`.
//! After:  multiplications, `math.fma` and bit operations: an initial guess, in f64 from the bits
//!         of the number, in f32 an approximate `math.rsqrt`, and a third-order Newton step. A
//!         quotient is %a times that.
//!
//! Why: for 1 / sqrt(x) in f64 the assembler emits 13 double-precision operations and two
//! special-function (MUFU) instructions, for a / sqrt(x) 16 and two; in f32 some 30 instructions
//! with two MUFU. Each has a branch and a call to a slow path for special values (ptxas 13.0 for
//! sm_90, counted in the machine code without the slow path). Here, for arbitrary x:
//!
//! | 1 / sqrt(x) | f64 | f32 | integers and selects |
//! | --- | --- | --- | --- |
//! | f64 | 6 | 6 | 21 |
//! | f32 | | 6 and a MUFU | 11 |
//! | f64, x a positive normal number, infinity or NaN | 5 | 6 | 11 |
//! | f32, the same | | 5 and a MUFU | 2 |
//!
//! and no branch; a / sqrt(x) is one multiplication more. If x is a constant plus squares, absolute
//! values or roots, it is recognized as positive and normal.
//! Every operation except the estimate is correctly rounded, and the result does not depend on the
//! estimate's last bits, so that interpreter, emulator and GPU are bit-identical.
//! Error bounds, tested on millions of numbers of all exponents, in f32 on all mantissas: 1 /
//! sqrt(x) within 0.52 units in the last place in f64 for every positive x, within 0.501 in f32 for
//! every positive x up to 2^126, subnormal ones too; a / sqrt(x) within 2 where it is normal. In
//! f32 larger numbers are clamped to 2^126. The reciprocal root of a zero is an infinity with its
//! sign, of infinity 0 (2^-63 in f32), of negative numbers and NaN NaN. A dividend is multiplied:
//! where a / sqrt(x) is NaN the product is NaN, except for two infinities in f32; the product is
//! infinite where the quotient is; no reciprocal root of a positive number is infinite or
//! subnormal.
//! Declines, with a remark: a root with other uses, as it would be computed as well; f16 and bf16,
//! which are computed in f32.
//! Does not expand separate roots and divisions: correctly rounded in f64 they are 8 operations and
//! a MUFU each, of which Newton steps save one or two for a dozen others. Does not use `nnan` and
//! `ninf` to omit the selects for special values. Method: see `arithmetic::reciprocal_root`.

use crate::{
    analysis::lower_bound::LowerBounds,
    arithmetic::{
        expression::{constant, precision},
        flags::{FASTMATH, Flags},
        linear::Precision,
        machine::{Emitted, Operand},
        reciprocal_root::{reciprocal_root, reciprocal_root_f32},
    },
    framework::{Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic},
};
use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};
use stencil_dialects::{
    build::{self, Inserter},
    ods::{arith, math},
    walk,
};

/// The table entry.
pub const EXPAND_ROOTS: PassInfo = PassInfo {
    argument: "stencil-expand-roots",
    summary: "write reciprocal roots as Newton steps",
    source: include_str!("expand_roots.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[EXPANDED, DECLINED],
    dialects: &["arith", "math"],
    run: expand_roots,
};

const EXPANDED: Statistic = statistic("num-expanded", "reciprocal roots that became Newton steps");
const DECLINED: Statistic = statistic("num-declined", "reciprocal roots left as they were");

fn expand_roots(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    for operation in walk::nested(function) {
        match Reciprocal::of(operation) {
            None => {}
            Some(Err(why)) => {
                cx.decline(&operation, why);
                cx.count(DECLINED, 1);
            }
            Some(Ok(reciprocal)) => {
                rewrite(operation, &reciprocal);
                cx.count(EXPANDED, 1);
            }
        }
    }
    Ok(())
}

/// The divisions by one root; none for `math.rsqrt`, which is its own reciprocal.
struct Reciprocal<'c, 'a> {
    divisions: Vec<OperationRef<'c, 'a>>,
}

impl<'c: 'a, 'a> Reciprocal<'c, 'a> {
    /// For a root: none without a reciprocal or permission; an error with the reason why it stays.
    fn of(root: OperationRef<'c, 'a>) -> Option<Result<Self, &'static str>> {
        let is_reciprocal = match walk::name(&root) {
            math::RSQRT => true,
            math::SQRT => false,
            _ => return None,
        };
        if !Flags::of(root).permit("afn") {
            return None;
        }
        let uses = walk::uses(build::single(root)).into_iter();
        let (divisions, others) = uses.partition::<Vec<_>, _>(|root_use| {
            root_use.operand == 1
                && walk::name(&root_use.user) == arith::DIVF
                && Flags::of(root_use.user).permit("afn")
        });
        let stays_alone = !is_reciprocal && divisions.is_empty();
        if stays_alone {
            return None;
        }
        Some(if precision(build::single(root)).is_none() {
            Err("only f64 and f32 are supported")
        } else if !is_reciprocal && !others.is_empty() {
            Err("the root has uses other than as a divisor")
        } else {
            let divisions = divisions.iter().filter(|_| !is_reciprocal);
            Ok(Self { divisions: divisions.map(|division| division.user).collect() })
        })
    }
}

/// Emits the reciprocal of the root before it.
fn expand<'c: 'a, 'a>(root: OperationRef<'c, 'a>) -> Value<'c, 'a> {
    let x = root.operand(0).expect("a root has an operand");
    let precision = precision(x).expect("other types were declined");
    // Bounds are not cached across roots: addresses of erased operations may be reused.
    let is_normal = LowerBounds::default().of(x) >= precision.least_normal();
    let operand = if is_normal { Operand::Normal } else { Operand::Any };
    let emitted = Emitted::at(Inserter::before(root));
    match precision {
        Precision::F64 => reciprocal_root(&emitted, x, operand),
        Precision::F32 => reciprocal_root_f32(&emitted, x, operand),
    }
}

fn rewrite<'c: 'a, 'a>(root: OperationRef<'c, 'a>, reciprocal: &Reciprocal<'c, 'a>) {
    let result = expand(root);
    if reciprocal.divisions.is_empty() {
        build::replace_uses(build::single(root), result);
    }
    for division in &reciprocal.divisions {
        let dividend = division.operand(0).expect("a division has two operands");
        let quotient = if constant(dividend) == Some(1.0) {
            result
        } else {
            let flags = Flags::of(*division).attribute(*division);
            let factors = [dividend, result];
            let at = Inserter::before(*division);
            at.value(arith::MULF, &factors, &[(FASTMATH, flags)], result.r#type())
        };
        build::replace_uses(build::single(*division), quotient);
        build::erase(*division);
    }
    build::erase(root);
}
