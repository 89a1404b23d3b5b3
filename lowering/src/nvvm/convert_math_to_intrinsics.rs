//! `convert-math-to-intrinsics`: exact operations become LLVM intrinsics.
//!
//! Before: `math.sqrt`, `math.fma`, `arith.maximumf` ... in kernels.
//! After:  `llvm.call_intrinsic "llvm.sqrt"` and so on, in the operation's own type;
//!         classifications (`math.isnan`, ...) as comparisons; `math.absi` as a maximum. A
//!         conversion of a float to one bit goes through 32 bits. The reciprocal of a normal
//!         number is an estimate and Newton steps, and so is a root in f32
//!         (`arithmetic::square_root`).
//!
//! Why: upstream's conversion to NVVM turns them into calls of CUDA's libdevice, and widens f16 and
//! bf16 to f32 for that, which rounds an FMA twice. The back end has an instruction, or an exact
//! sequence, for each of these. That of a root has a branch and a call, around which a thread's
//! other values are spilled: two derivatives of eighth order and a root at eight points spill 520
//! bytes a thread of 128 registers with the calls, and nothing without.
//! Leaves operations whose results are approximate (`math.exp`, `math.sin`, `math.powf`, ...) to
//! libdevice. Refuses the few that neither has.

use melior::ir::{
    OperationRef, Type, TypeLike, Value, ValueLike, operation::OperationLike, r#type::IntegerType,
};
use stencil_dialects::{
    build::{self, Compare, CompareFloats, Inserter},
    ods::{arith, llvm, math, stencil},
    point::{self, is_approximate},
    types::Number,
    walk,
};
use stencil_passes::{
    analysis::lower_bound::LowerBounds,
    arithmetic::{
        machine::{Emitted, Machine, Operand},
        reciprocal, square_root,
    },
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, refuse, statistic,
    },
};

/// The table entry.
pub const CONVERT_MATH_TO_INTRINSICS: PassInfo = PassInfo {
    argument: "convert-math-to-intrinsics",
    summary: "exact operations become LLVM intrinsics",
    source: include_str!("convert_math_to_intrinsics.rs"),
    anchor: Anchor::GpuModule,
    options: &[],
    statistics: &[CONVERTED],
    dialects: &["llvm", "arith"],
    run: convert_math_to_intrinsics,
};

const CONVERTED: Statistic = statistic("num-converted", "operations converted");

/// Operations that round correctly, or not at all, and their intrinsics. Maxima and minima are here
/// because upstream's expansion compares, which treats +0 and -0 as equal.
const EXACT: &[(&str, &str)] = &[
    (arith::MAXIMUMF, "llvm.maximum"),
    (arith::MAXNUMF, "llvm.maxnum"),
    (arith::MINIMUMF, "llvm.minimum"),
    (arith::MINNUMF, "llvm.minnum"),
    (math::ABSF, "llvm.fabs"),
    (math::CEIL, "llvm.ceil"),
    (math::COPYSIGN, "llvm.copysign"),
    (math::CTPOP, "llvm.ctpop"),
    (math::FLOOR, "llvm.floor"),
    (math::FMA, "llvm.fma"),
    (math::ROUND, "llvm.round"),
    (math::ROUNDEVEN, "llvm.roundeven"),
    (math::SQRT, "llvm.sqrt"),
    (math::TRUNC, llvm::TRUNC),
];

fn convert_math_to_intrinsics(
    module: OperationRef,
    _: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    for reciprocal in walk::nested(module).into_iter().filter(is_exact_reciprocal_root) {
        divide_by_root(reciprocal);
        cx.count(CONVERTED, 1);
    }
    for root in walk::nested(module).into_iter().filter(is_root_f32) {
        refine_root(root);
        cx.count(CONVERTED, 1);
    }
    for operation in walk::nested(module) {
        let name = walk::name(&operation);
        if matches!(name, arith::FPTOSI | arith::FPTOUI) {
            widen_truth_value(name, operation);
        }
        if operation.has_attribute(stencil::attribute::NORMAL_DIVISOR) {
            estimate_reciprocal(operation);
            cx.count(CONVERTED, 1);
            continue;
        }
        let is_exact = EXACT.iter().any(|(exact, _)| *exact == name);
        let instead = point::find(name).and_then(|op| op.instead);
        let needs_library = is_approximate(name) && instead.is_none();
        if !is_exact && (!name.starts_with("math.") || needs_library) {
            continue;
        }
        let Some(value) = convert(name, operation) else {
            let remedy = instead.unwrap_or("write it with other operations");
            return Err(refuse(&operation, "has no counterpart on a GPU", remedy));
        };
        build::replace_uses(build::single(operation), value);
        build::erase(operation);
        cx.count(CONVERTED, 1);
    }
    Ok(())
}

fn is_exact_reciprocal_root(operation: &OperationRef) -> bool {
    walk::name(operation) == math::RSQRT && !may_estimate(*operation)
}

/// By definition a reciprocal root is the division of 1 by the root, each rounded once.
fn divide_by_root(reciprocal: OperationRef) {
    let at = Inserter::before(reciprocal);
    let x = reciprocal.operand(0).expect("a root has an operand");
    let root = at.value(math::SQRT, &[x], &[], x.r#type());
    let result = arith::divf(at, at.float(x.r#type(), 1.0), root);
    build::replace_uses(build::single(reciprocal), result);
    build::erase(reciprocal);
}

fn is_root_f32(operation: &OperationRef) -> bool {
    walk::name(operation) == math::SQRT && build::single(*operation).r#type().is_f32()
}

/// A root in f32 without a branch. Its operations are converted with all others.
fn refine_root(root: OperationRef) {
    let at = Inserter::before(root);
    let x = root.operand(0).expect("a root has an operand");
    let is_normal = LowerBounds::default().of(x) >= square_root::LEAST;
    let operand = if is_normal { Operand::Normal } else { Operand::Any };
    let result = square_root::square_root_f32(&Emitted::at(at), x, operand);
    build::replace_uses(build::single(root), result);
    build::erase(root);
}

/// Converts a float to one bit through 32 bits: NVPTX gives 0 for -1.0, whose low bit is set.
fn widen_truth_value<'c: 'a, 'a>(name: &str, operation: OperationRef<'c, 'a>) {
    let result = build::single(operation);
    let at = Inserter::before(operation);
    let i1: Type = IntegerType::new(at.context(), 1).into();
    if result.r#type() != i1 {
        return;
    }
    let i32_type = IntegerType::new(at.context(), 32).into();
    let value = operation.operand(0).expect("a conversion has an operand");
    let wide = at.value(name, &[value], &[], i32_type);
    build::replace_uses(result, arith::trunci(at, i1, wide));
    build::erase(operation);
}

/// 1 / x of a normal x below 2^126 in f32, below 2^1021 in f64: the sequence that ptxas emits for
/// `rcp.rn.f32` and `rcp.rn.f64` where neither x nor the result is subnormal (13.0, from sm_75 to
/// sm_120), so that it rounds correctly, without the branch to other numbers. In f64 it needs a low
/// half of the estimate (`arithmetic::reciprocal`).
fn estimate_reciprocal(division: OperationRef) {
    let at = Inserter::before(division);
    let x = division.operand(1).expect("a division has two operands");
    let minus = at.value(arith::NEGF, &[x], &[], x.r#type());
    let one = at.float(x.r#type(), 1.0);
    let fused = |a, b, c| call(at, "llvm.fma", &[a, b, c]);
    let result = if x.r#type().is_f32() {
        let guess = call(at, "llvm.nvvm.rcp.approx.ftz.f", &[x]);
        fused(guess, fused(minus, guess, one), guess)
    } else {
        let guess = call(at, "llvm.nvvm.rcp.approx.ftz.d", &[x]);
        let on = Emitted::at(at);
        let high = on.high(on.bits(guess));
        let guess = on.number(on.join(high, on.i32(reciprocal::LOW_HALF)));
        reciprocal::refined(fused, (minus, one), guess)
    };
    build::replace_uses(build::single(division), result);
    build::erase(division);
}

fn convert<'c: 'a, 'a>(name: &str, operation: OperationRef<'c, 'a>) -> Option<Value<'c, 'a>> {
    let at = Inserter::before(operation);
    let operands = operation.operands().collect::<Vec<_>>();
    let exact = EXACT.iter().find(|(math, _)| *math == name);
    if let Some((_, intrinsic)) = exact {
        return Some(call(at, intrinsic, &operands));
    }
    let infinity = || at.float(operands[0].r#type(), f64::INFINITY);
    match name {
        math::ISNAN => Some(at.compare_floats(CompareFloats::Unordered, operands[0], operands[0])),
        math::ISINF => Some(at.compare_floats(
            CompareFloats::OrderedEqual,
            call(at, "llvm.fabs", &operands),
            infinity(),
        )),
        math::ISFINITE => Some(at.compare_floats(
            CompareFloats::OrderedLess,
            call(at, "llvm.fabs", &operands),
            infinity(),
        )),
        math::RSQRT if may_estimate(operation) => {
            Some(call(at, "llvm.nvvm.rsqrt.approx.ftz.f", &operands))
        }
        math::ISNORMAL => is_normal(at, operands[0]),
        math::CTLZ | math::CTTZ => {
            // The last operand says whether zero is undefined: it is not.
            let i1 = IntegerType::new(at.context(), 1).into();
            let operands = [operands[0], at.integer(i1, 0)];
            Some(call(at, if name == math::CTLZ { "llvm.ctlz" } else { "llvm.cttz" }, &operands))
        }
        math::ABSI => {
            let zero = at.integer(operands[0].r#type(), 0);
            let negative = arith::subi(at, zero, operands[0]);
            Some(arith::maxsi(at, operands[0], negative))
        }
        _ => None,
    }
}

/// Whether a reciprocal root may be the hardware approximation, which is within 2^-22.9. It flushes
/// subnormal inputs to zero; the variant that does not is four instructions.
fn may_estimate(operation: OperationRef) -> bool {
    build::single(operation).r#type().is_f32()
        && operation.has_attribute(stencil::attribute::ESTIMATE)
}

/// Whether a float is normal: its bits without the sign lie between those of the smallest normal
/// number and those of infinity.
fn is_normal<'c: 'a, 'a>(at: Inserter<'c, 'a>, value: Value<'c, 'a>) -> Option<Value<'c, 'a>> {
    let (width, digits) = match Number::of(value.r#type())? {
        Number::F16 => (16, 10),
        Number::Bf16 => (16, 7),
        Number::F32 => (32, 23),
        Number::F64 => (64, 52),
        Number::Integer(_) | Number::Index => return None,
    };
    let integer: Type = IntegerType::new(at.context(), width).into();
    let bits = arith::bitcast(at, integer, value);
    let without_sign = at.integer(integer, i64::MAX >> (64 - width));
    let (smallest, infinity) = (1_i64 << digits, (i64::MAX >> (64 - width)) >> digits << digits);
    let magnitude = arith::andi(at, bits, without_sign);
    let above = arith::subi(at, magnitude, at.integer(integer, smallest));
    let range = at.integer(integer, infinity - smallest);
    Some(at.compare(Compare::UnsignedLess, above, range))
}

/// Calls an intrinsic whose result has the first operand's type. An index counts as 64 bits.
fn call<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    intrinsic: &str,
    operands: &[Value<'c, 'a>],
) -> Value<'c, 'a> {
    if operands[0].r#type() == Type::index(at.context()) {
        let i64_type = IntegerType::new(at.context(), 64).into();
        let cast = |value: Value<'c, 'a>| arith::index_cast(at, i64_type, value);
        let mut wide = operands.to_vec();
        wide[0] = cast(operands[0]);
        let result = call(at, intrinsic, &wide);
        return arith::index_cast(at, operands[0].r#type(), result);
    }
    let segments = format!("array<i32: {}, 0>", operands.len());
    let attributes = [
        ("intrin", build::string(at.context(), intrinsic)),
        ("operandSegmentSizes", build::attribute(at.context(), &segments)),
        ("op_bundle_sizes", build::attribute(at.context(), "array<i32>")),
    ];
    at.value(llvm::CALL_INTRINSIC, operands, &attributes, operands[0].r#type())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_operation_is_both() {
        assert!(EXACT.iter().all(|(name, _)| !is_approximate(name)));
    }
}
