//! Arithmetic that differs on the host, or traps there.
//!
//! Before: `fadd half`, `fptosi`, `shl` by any amount, `sdiv`.
//! After: 16-bit formats compute in f32 and round once per operation, which is exact for add, sub,
//! mul, div and sqrt (24 >= 2 * 11 + 2 bits); out-of-range conversions saturate and shifts by too
//! much give what PTX defines, so that nothing is undefined; a division that traps on the host
//! exits the thread with a fault, in unchecked kernels too.
//!
//! Why not the host's own f16 and bf16: their conversion helpers differ between libraries, one of
//! x86's bf16 instructions flushes denormals, and f64 -> f16 must round once. f32 and f64
//! arithmetic is kept: IEEE on both machines.

use super::builder::Builder;
use super::ir::{Float, Type, Value};
use super::kernel::Kernel;
use super::kernel_code::{Operation, Site};
use crate::error::EmulatorError;
use llvm_sys::LLVMIntPredicate::*;
use llvm_sys::LLVMOpcode::{self, *};

/// Lowers an arithmetic instruction if necessary.
pub(crate) fn lower_number(
    kernel: &mut Kernel<'_>,
    instruction: Value,
) -> Result<(), EmulatorError> {
    let opcode = instruction.opcode().expect("the caller passes instructions");
    let is_small = |ty: Type| ty.float().is_some_and(Float::is_small);
    match opcode {
        LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv if is_small(instruction.ty()) => {
            per_lane(kernel, instruction, |kernel, builder, lanes| {
                let wide = widen_all(kernel, builder, lanes);
                let result = builder.binary(opcode, wide[0], wide[1]);
                narrow(kernel, builder, result, lanes[0].ty())
            });
        }
        LLVMFNeg if is_small(instruction.ty()) => {
            per_lane(kernel, instruction, |kernel, builder, lanes| {
                change_bits(kernel, builder, lanes[0], LLVMXor, 0x8000)
            });
        }
        LLVMBitCast
            if instruction.operand(0).ty().float() == Some(Float::Bfloat)
                && instruction.ty().scalar().int_bits() == Some(16) =>
        {
            per_lane(kernel, instruction, |kernel, builder, lanes| {
                bits_of(kernel, builder, lanes[0])
            });
        }
        LLVMFCmp if is_small(instruction.operand(0).ty()) => {
            per_lane(kernel, instruction, |kernel, builder, lanes| {
                let wide = widen_all(kernel, builder, lanes);
                builder.compare_like(instruction, wide[0], wide[1])
            });
        }
        LLVMFPExt if is_small(instruction.operand(0).ty()) => {
            let to = instruction.ty().scalar();
            per_lane(kernel, instruction, |kernel, builder, lanes| {
                let single = widen(kernel, builder, lanes[0]);
                builder.cast(LLVMFPExt, single, to)
            });
        }
        LLVMFPTrunc if is_small(instruction.ty()) => {
            let to = instruction.ty().scalar();
            per_lane(kernel, instruction, |kernel, builder, lanes| {
                narrow(kernel, builder, lanes[0], to)
            });
        }
        LLVMSIToFP | LLVMUIToFP if is_small(instruction.ty()) => {
            int_to_small(kernel, instruction, opcode == LLVMSIToFP)?;
        }
        LLVMFPToSI | LLVMFPToUI => float_to_int(kernel, instruction, opcode == LLVMFPToSI),
        LLVMShl | LLVMLShr | LLVMAShr => define_wide_shift(instruction, opcode),
        LLVMSDiv | LLVMUDiv | LLVMSRem | LLVMURem => guard_division(kernel, instruction, opcode),
        _ => {}
    }
    Ok(())
}

/// Replaces an instruction by `make` on its operands, per lane for vectors.
pub(crate) fn per_lane(
    kernel: &mut Kernel<'_>,
    instruction: Value,
    mut make: impl FnMut(&mut Kernel<'_>, &Builder, &[Value]) -> Value,
) {
    let operands = match instruction.opcode() {
        Some(LLVMCall) => instruction.arguments(),
        _ => instruction.operands(),
    };
    let builder = Builder::before(instruction);
    let value = match instruction.ty().lanes() {
        None => make(kernel, &builder, &operands),
        Some(lanes) => {
            let mut result = instruction.ty().poison();
            for lane in 0..lanes {
                let lane = kernel.ir.i32().int(u64::from(lane));
                let element = |value: &Value| match value.ty().is_vector() {
                    true => builder.lane(*value, lane),
                    false => *value,
                };
                let scalars: Vec<Value> = operands.iter().map(element).collect();
                let value = make(kernel, &builder, &scalars);
                result = builder.with_lane(result, value, lane);
            }
            result
        }
    };
    instruction.become_value(value);
}

/// The f32 value of a 16-bit float; exact. Others stay as they are.
pub(crate) fn widen(kernel: &Kernel<'_>, builder: &Builder, value: Value) -> Value {
    let ir = kernel.ir;
    let single = ir.float_type(Float::Single);
    match value.ty().float() {
        Some(Float::Bfloat) => {
            let bits = builder.bitcast(value, ir.i16());
            let wide = builder.cast(LLVMZExt, bits, ir.i32());
            let shifted = builder.binary(LLVMShl, wide, ir.i32().int(16));
            builder.bitcast(shifted, single)
        }
        Some(Float::Half) if kernel.host.half_conversions => builder.cast(LLVMFPExt, value, single),
        Some(Float::Half) => {
            let convert = ir.declare("stencil_emulator_f16_to_f32", single, &[ir.i32()]);
            let bits = builder.bitcast(value, ir.i16());
            builder.call(convert, &[builder.cast(LLVMZExt, bits, ir.i32())])
        }
        _ => value,
    }
}

fn widen_all(kernel: &Kernel<'_>, builder: &Builder, values: &[Value]) -> Vec<Value> {
    values.iter().map(|value| widen(kernel, builder, *value)).collect()
}

/// An f32 or f64 value rounded once to a 16-bit format. Other formats: the value itself.
pub(crate) fn narrow(kernel: &Kernel<'_>, builder: &Builder, value: Value, to: Type) -> Value {
    let ir = kernel.ir;
    let function = match (value.ty().float(), to.float()) {
        (Some(Float::Single), Some(Float::Half)) if kernel.host.half_conversions => {
            return builder.cast(LLVMFPTrunc, value, to);
        }
        (Some(Float::Single), Some(Float::Half)) => "stencil_emulator_f32_to_f16",
        (Some(Float::Double), Some(Float::Half)) => "stencil_emulator_f64_to_f16",
        (Some(Float::Single), Some(Float::Bfloat)) => "stencil_prelude_f32_to_bf16",
        (Some(Float::Double), Some(Float::Bfloat)) => "stencil_emulator_f64_to_bf16",
        _ => return value,
    };
    let function = ir.declare(function, ir.i16(), &[value.ty()]);
    builder.bitcast(builder.call(function, &[value]), to)
}

/// The bits of a bf16. LLVM 22's code generator for x86 makes 0 of those masked by 0x8000, and of
/// comparisons that it folds to that mask: a call hides what they are the bits of.
pub(crate) fn bits_of(kernel: &Kernel<'_>, builder: &Builder, value: Value) -> Value {
    let i16 = kernel.ir.i16();
    let hidden = kernel.ir.declare("stencil_emulator_bits", i16, &[i16]);
    builder.call(hidden, &[builder.bitcast(value, i16)])
}

/// A 16-bit float with an operation done on its bits.
pub(crate) fn change_bits(
    kernel: &Kernel<'_>,
    builder: &Builder,
    value: Value,
    opcode: LLVMOpcode,
    mask: u64,
) -> Value {
    let i16 = kernel.ir.i16();
    let bits = builder.binary(opcode, builder.bitcast(value, i16), i16.int(mask));
    builder.bitcast(bits, value.ty())
}

/// Integers of up to 64 bits go through f64, rounded to odd, so that they are rounded once.
fn int_to_small(
    kernel: &mut Kernel<'_>,
    instruction: Value,
    signed: bool,
) -> Result<(), EmulatorError> {
    let bits = instruction.operand(0).ty().int_bits().unwrap_or(u32::MAX);
    if bits > 64 {
        let what = format!("'{}': integers of more than 64 bits", instruction.text());
        return Err(kernel.unsupported(what));
    }
    let to = instruction.ty().scalar();
    let (extend, function) = match signed {
        true => (LLVMSExt, "stencil_emulator_i64_to_f64_odd"),
        false => (LLVMZExt, "stencil_emulator_u64_to_f64_odd"),
    };
    per_lane(kernel, instruction, |kernel, builder, lanes| {
        let ir = kernel.ir;
        let convert = ir.declare(function, ir.float_type(Float::Double), &[ir.i64()]);
        let wide = builder.cast(extend, lanes[0], ir.i64());
        narrow(kernel, builder, builder.call(convert, &[wide]), to)
    });
    Ok(())
}

/// Out of range saturates and NaN gives 0, as in PTX for 32 bits.
fn float_to_int(kernel: &mut Kernel<'_>, instruction: Value, signed: bool) {
    let to = instruction.ty().scalar();
    let name = if signed { "llvm.fptosi.sat" } else { "llvm.fptoui.sat" };
    if instruction.operand(0).ty().float().is_some_and(Float::is_small) {
        per_lane(kernel, instruction, |kernel, builder, lanes| {
            let wide = widen(kernel, builder, lanes[0]);
            builder.call(kernel.ir.intrinsic(name, &[to, wide.ty()]), &[wide])
        });
    } else {
        let source = instruction.operand(0);
        let convert = kernel.ir.intrinsic(name, &[instruction.ty(), source.ty()]);
        let value = Builder::before(instruction).call(convert, &[source]);
        instruction.become_value(value);
    }
}

/// PTX clamps shift amounts to the width: all bits are shifted out.
fn define_wide_shift(instruction: Value, opcode: LLVMOpcode) {
    let (value, amount) = (instruction.operand(0), instruction.operand(1));
    let ty = amount.ty();
    let width = u64::from(ty.int_bits().expect("shifts are of integers"));
    if amount.constant_int().is_some_and(|amount| (0..width as i64).contains(&amount)) {
        return;
    }
    let builder = Builder::before(instruction);
    let fits = builder.compare(LLVMIntULT, amount, ty.int(width));
    let most = if opcode == LLVMAShr { ty.int(width - 1) } else { ty.int(0) };
    let safe = builder.select(fits, amount, most);
    let shifted = builder.binary(opcode, value, safe);
    let result = match opcode {
        LLVMAShr => shifted,
        _ => builder.select(fits, shifted, ty.int(0)),
    };
    drop(builder);
    instruction.become_value(result);
}

/// Divisions that the host traps on: by zero, and the smallest integer by -1.
fn guard_division(kernel: &mut Kernel<'_>, instruction: Value, opcode: LLVMOpcode) {
    let (left, right) = (instruction.operand(0), instruction.operand(1));
    let ty = right.ty();
    let signed = matches!(opcode, LLVMSDiv | LLVMSRem);
    if right.constant_int().is_some_and(|value| value != 0 && !(signed && value == -1)) {
        return;
    }
    let builder = Builder::before(instruction);
    let mut failed = builder.compare(LLVMIntEQ, right, ty.int(0));
    let width = ty.int_bits().expect("divisions are of integers");
    if signed && width <= 64 {
        let smallest = ty.int(1_u64 << (width - 1));
        let minus_one = ty.int(u64::MAX);
        let is_smallest = builder.compare(LLVMIntEQ, left, smallest);
        let is_minus_one = builder.compare(LLVMIntEQ, right, minus_one);
        let overflows = builder.and(is_smallest, is_minus_one);
        failed = builder.binary(LLVMOr, failed, overflows);
    }
    if let Some(lanes) = ty.lanes() {
        let all = builder.bitcast(failed, kernel.ir.int_type(lanes));
        failed = builder.compare(LLVMIntNE, all, kernel.ir.int_type(lanes).int(0));
    }
    drop(builder);
    let site = kernel.add_site(Site { operation: Operation::Division });
    kernel.fault_if(instruction, failed, site, kernel.ir.i64().int(0));
}
