//! Calls that compute floating-point numbers: exact intrinsics, NVVM's, libdevice's.
//!
//! Exact operations (rounding, square root, fma, maximum ...) become the host's own where that is
//! IEEE, and small functions of ours where it is not: `maxnum` and `minnum` with +0 above -0,
//! 16-bit fma rounded once. Elementary functions of libdevice (`__nv_exp` ...) are bound to the
//! `libm` crate: same on every host, but not what libdevice computes; they are the approximate
//! class.

use super::builder::Builder;
use super::calls::is_form_of;
use super::ir::{Float, Value};
use super::kernel::Kernel;
use super::numbers::{bits_of, change_bits, narrow, per_lane, widen};
use crate::error::EmulatorError;
use crate::execute::elementary::{APPROXIMATIONS, elementary};
use llvm_sys::LLVMIntPredicate::LLVMIntSLT;
use llvm_sys::LLVMOpcode::{LLVMAnd, LLVMOr, LLVMZExt};

/// Operations with one result by IEEE; the name is LLVM's, after "llvm.".
const NATIVE: [&str; 9] =
    ["fabs", "sqrt", "floor", "ceil", "trunc", "rint", "nearbyint", "roundeven", "round"];

/// Extrema: LLVM's name, and the function of the prelude.
const EXTREMA: [(&str, &str); 6] = [
    ("maxnum", "maxnum"),
    ("minnum", "minnum"),
    ("maximumnum", "maxnum"),
    ("minimumnum", "minnum"),
    ("maximum", "maximum"),
    ("minimum", "minimum"),
];

/// NVVM's and libdevice's names for exact operations; `f` and `d` forms are listed by stem.
const ALIASES: [(&str, &str); 25] = [
    ("llvm.nvvm.fabs", "fabs"),
    ("llvm.nvvm.floor", "floor"),
    ("llvm.nvvm.ceil", "ceil"),
    ("llvm.nvvm.sqrt.rn", "sqrt"),
    ("llvm.nvvm.fma.rn", "fma"),
    ("llvm.nvvm.fmax.nan", "maximum"),
    ("llvm.nvvm.fmin.nan", "minimum"),
    ("llvm.nvvm.fmax", "maxnum"),
    ("llvm.nvvm.fmin", "minnum"),
    ("__nv_fabs", "fabs"),
    ("__nv_sqrt", "sqrt"),
    ("__nv_floor", "floor"),
    ("__nv_ceil", "ceil"),
    ("__nv_trunc", "trunc"),
    ("__nv_rint", "rint"),
    ("__nv_nearbyint", "nearbyint"),
    ("__nv_round", "round"),
    ("__nv_copysign", "copysign"),
    ("__nv_fma", "fma"),
    ("__nv_fmax", "maxnum"),
    ("__nv_fmin", "minnum"),
    ("__nv_fsqrt_rn", "sqrt"),
    ("__nv_dsqrt_rn", "sqrt"),
    ("__nv_fmaf_rn", "fma"),
    ("__nv_fma_rn", "fma"),
];

/// Why a floating-point intrinsic of LLVM is refused.
pub(crate) fn is_refused_float(name: &str) -> Option<&'static str> {
    let is_form = |stem: &str| is_form_of(name, stem);
    if is_form("llvm.fmuladd") {
        return Some("it may or may not fuse; write 'llvm.fma', or a product and a sum");
    }
    let elementary = [
        "exp", "exp2", "exp10", "log", "log2", "log10", "sin", "cos", "tan", "pow", "powi", "tanh",
    ];
    elementary
        .iter()
        .any(|stem| is_form(&format!("llvm.{stem}")))
        .then_some("NVPTX has no exact form of it; call libdevice ('__nv_...') instead")
}

/// Lowers a call that computes a number; false if it is not one of those known.
pub(crate) fn lower_float_call(
    kernel: &mut Kernel<'_>,
    call: Value,
    name: &str,
) -> Result<bool, EmulatorError> {
    if let Some(operation) = exact_operation(name) {
        if call.ty().float().is_none() {
            return Ok(false);
        }
        lower_exact(kernel, call, operation);
        return Ok(true);
    }
    if let Some((index, form)) = approximation(name) {
        return Ok(lower_approximation(kernel, call, index, form));
    }
    match elementary(name) {
        Some(function) if function.signature == signature(call) => Ok(true),
        Some(function) => Err(kernel.unsupported(format!(
            "'{name}' is called as {}, but is {}",
            signature(call),
            function.signature
        ))),
        None => Ok(false),
    }
}

/// The exact operation that a function is, by LLVM's name.
fn exact_operation(name: &str) -> Option<&'static str> {
    if let Some(rest) = name.strip_prefix("llvm.")
        && !rest.starts_with("nvvm.")
    {
        let extrema = EXTREMA.iter().map(|(operation, _)| *operation);
        let all = NATIVE.into_iter().chain(extrema).chain(["fma", "copysign"]);
        return all.into_iter().find(|stem| is_form_of(rest, stem));
    }
    let matches = |stem: &str| match name.strip_prefix(stem) {
        // NVVM's forms: single, double, 16 bits; not those that flush, saturate or clamp.
        Some(rest) if stem.starts_with("llvm.") => {
            [".f", ".d", ".f16", ".bf16", ".f16x2", ".bf16x2"].contains(&rest)
        }
        Some(rest) => rest.is_empty() || rest == "f",
        None => false,
    };
    ALIASES.iter().find(|(stem, _)| matches(stem)).map(|(_, operation)| *operation)
}

fn lower_exact(kernel: &mut Kernel<'_>, call: Value, operation: &'static str) {
    per_lane(kernel, call, |kernel, builder, lanes| {
        let ty = lanes[0].ty();
        match operation {
            "fma" => return fused(kernel, builder, lanes),
            "copysign" if ty.float() == Some(Float::Bfloat) => {
                return with_sign(kernel, builder, lanes);
            }
            _ => {}
        }
        let wide: Vec<Value> = lanes.iter().map(|lane| widen(kernel, builder, *lane)).collect();
        let function = match EXTREMA.iter().find(|(known, _)| *known == operation) {
            Some((_, prelude)) => {
                let suffix = suffix(wide[0]);
                let name = format!("stencil_prelude_{prelude}_{suffix}");
                kernel.ir.declare(&name, wide[0].ty(), &[wide[0].ty(), wide[0].ty()])
            }
            None => kernel.ir.intrinsic(&format!("llvm.{operation}"), &[wide[0].ty()]),
        };
        narrow(kernel, builder, builder.call(function, &wide), ty)
    });
}

fn suffix(value: Value) -> &'static str {
    match value.ty().float() {
        Some(Float::Half) => "f16",
        Some(Float::Bfloat) => "bf16",
        Some(Float::Single) => "f32",
        Some(Float::Double) | None => "f64",
    }
}

/// The first of two bf16 with the sign of the second. LLVM 22's code generator for x86 makes 0 of
/// what it makes of `copysign`.
fn with_sign(kernel: &Kernel<'_>, builder: &Builder, operands: &[Value]) -> Value {
    let i16 = kernel.ir.i16();
    let [positive, negative] = [(LLVMAnd, 0x7fff), (LLVMOr, 0x8000)]
        .map(|(opcode, mask)| change_bits(kernel, builder, operands[0], opcode, mask));
    let sign = bits_of(kernel, builder, operands[1]);
    let is_negative = builder.compare(LLVMIntSLT, sign, i16.int(0));
    builder.select(is_negative, negative, positive)
}

/// A product and a sum with one rounding.
fn fused(kernel: &Kernel<'_>, builder: &Builder, operands: &[Value]) -> Value {
    let (ir, ty) = (kernel.ir, operands[0].ty());
    let is_small = ty.float().is_some_and(Float::is_small);
    if kernel.host.fma && !is_small {
        let function = match kernel.options.checked {
            true => {
                ir.declare(&format!("stencil_prelude_fma_{}", suffix(operands[0])), ty, &[ty; 3])
            }
            false => ir.intrinsic("llvm.fma", &[ty]),
        };
        return builder.call(function, operands);
    }
    let name = format!("stencil_emulator_fma_{}", suffix(operands[0]));
    if !is_small {
        return builder.call(ir.declare(&name, ty, &[ty, ty, ty]), operands);
    }
    let (i16, i32) = (ir.i16(), ir.i32());
    let function = ir.declare(&name, i16, &[i32, i32, i32]);
    let word = |value: &Value| builder.cast(LLVMZExt, builder.bitcast(*value, i16), i32);
    let bits: Vec<Value> = operands.iter().map(word).collect();
    builder.bitcast(builder.call(function, &bits), ty)
}

/// An approximate operation of NVVM: its index in the table, and the suffix after "approx.".
fn approximation(name: &str) -> Option<(usize, &str)> {
    let (operation, form) = name.strip_prefix("llvm.nvvm.")?.split_once(".approx.")?;
    let index = APPROXIMATIONS.iter().position(|known| *known == operation)?;
    Some((index, form))
}

/// Flushing forms flush as part of their semantics.
fn lower_approximation(kernel: &mut Kernel<'_>, call: Value, index: usize, form: &str) -> bool {
    let (flush, format) = match form.strip_prefix("ftz.") {
        Some(rest) => (1, rest),
        None => (0, form),
    };
    let (float, name) = match format {
        "f" => (Float::Single, "stencil_emulator_approximate_f32"),
        "d" => (Float::Double, "stencil_emulator_approximate_f64"),
        _ => return false,
    };
    let (ir, ty) = (kernel.ir, kernel.ir.float_type(float));
    if call.arguments().len() != 1 || call.ty() != ty {
        return false;
    }
    let (i32, i64) = (ir.i32(), ir.i64());
    let function = ir.declare(name, ty, &[ty, i32, i32, i32, i64]);
    let seed = kernel.options.approximation_seed;
    let arguments = [
        call.operand(0),
        i32.int(index as u64),
        i32.int(flush),
        i32.int(u64::from(seed.is_some())),
        i64.int(seed.unwrap_or(0)),
    ];
    let value = Builder::before(call).call(function, &arguments);
    call.become_value(value);
    true
}

/// The types of a call, one letter each, the result first.
fn signature(call: Value) -> String {
    let letter = |value: Value| match value.ty() {
        ty if ty.is_vector() => '?',
        ty if ty.int_bits() == Some(32) => 'i',
        ty => match ty.float() {
            Some(Float::Single) => 'f',
            Some(Float::Double) => 'd',
            _ => '?',
        },
    };
    std::iter::once(call).chain(call.arguments()).map(letter).collect()
}
