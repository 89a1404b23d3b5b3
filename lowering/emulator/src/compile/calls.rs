//! Calls: NVVM and LLVM intrinsics, libdevice, traps. Unlisted functions are errors.
//!
//! Before: `call i32 @llvm.nvvm.read.ptx.sreg.tid.x()`, `call void @llvm.nvvm.barrier...`.
//! After: reads of the thread's context, and calls of the functions in `execute::callbacks`.

use super::accesses::lower_block_copy;
use super::async_copies::lower_async_copy;
use super::builder::Builder;
use super::float_calls::{is_refused_float, lower_float_call};
use super::ir::{Float, Value};
use super::kernel::Kernel;
use super::kernel_code::{Operation, Site};
use super::special_registers::read_register;
use crate::error::EmulatorError;
use crate::execute::request::{WARP_OPERATIONS, WarpOperation};
use llvm_sys::LLVMIntPredicate::LLVMIntNE;
use llvm_sys::LLVMOpcode::*;

/// Functions that end the thread with a fault.
const TRAPS: [&str; 5] = ["llvm.trap", "llvm.ubsantrap", "abort", "__assertfail", "__assert_fail"];

/// Intrinsics without effect here: memory is coherent, and blocks do not overlap launches.
const WITHOUT_EFFECT: [&str; 12] = [
    "llvm.assume",
    "llvm.donothing",
    "llvm.experimental.noalias.scope.decl",
    "llvm.nvvm.fence",
    "llvm.nvvm.griddepcontrol",
    "llvm.nvvm.membar",
    "llvm.nvvm.prefetch",
    "llvm.nvvm.prefetchu",
    "llvm.nvvm.applypriority",
    "llvm.nvvm.discard",
    "llvm.prefetch",
    "llvm.sideeffect",
];

/// Intrinsics that keep their meaning on the host: integers, and markers of local variables.
const THE_SAME: [&str; 40] = [
    "llvm.abs",
    "llvm.bitreverse",
    "llvm.bswap",
    "llvm.ctlz",
    "llvm.ctpop",
    "llvm.cttz",
    "llvm.expect",
    "llvm.fptosi.sat",
    "llvm.fptoui.sat",
    "llvm.fshl",
    "llvm.fshr",
    "llvm.is.fpclass",
    "llvm.lifetime.end",
    "llvm.lifetime.start",
    "llvm.sadd.sat",
    "llvm.sadd.with.overflow",
    "llvm.scmp",
    "llvm.smax",
    "llvm.smin",
    "llvm.smul.with.overflow",
    "llvm.ssub.sat",
    "llvm.ssub.with.overflow",
    "llvm.stackrestore",
    "llvm.stacksave",
    "llvm.uadd.sat",
    "llvm.uadd.with.overflow",
    "llvm.ucmp",
    "llvm.umax",
    "llvm.umin",
    "llvm.umul.with.overflow",
    "llvm.usub.sat",
    "llvm.usub.with.overflow",
    "llvm.vector.reduce.add",
    "llvm.vector.reduce.and",
    "llvm.vector.reduce.mul",
    "llvm.vector.reduce.or",
    "llvm.vector.reduce.smax",
    "llvm.vector.reduce.smin",
    "llvm.vector.reduce.umax",
    "llvm.vector.reduce.umin",
];

/// True if `name` is `stem`, or `stem` followed by a dot and overloaded types.
pub(crate) fn is_form_of(name: &str, stem: &str) -> bool {
    name.strip_prefix(stem).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Lowers a call, or refuses it.
pub(crate) fn lower_call(kernel: &mut Kernel<'_>, call: Value) -> Result<(), EmulatorError> {
    let callee = call.callee().expect("calls through pointers were refused");
    let name = callee.name();
    let is_form = |stem: &&str| is_form_of(&name, stem);
    if WITHOUT_EFFECT.iter().any(is_form) {
        call.erase();
        return Ok(());
    }
    if let Some(register) = name.strip_prefix("llvm.nvvm.read.ptx.sreg.") {
        return match read_register(kernel, register) {
            Some(value) => {
                call.become_value(value);
                Ok(())
            }
            None => Err(unknown(kernel, &name)),
        };
    }
    if TRAPS.iter().any(is_form) {
        lower_trap(kernel, call, &name);
        return Ok(());
    }
    if let Some(barrier) = name.strip_prefix("llvm.nvvm.barrier.cta.sync.") {
        return lower_barrier(kernel, call, barrier);
    }
    if let Some(form) = name.strip_prefix("llvm.nvvm.cp.async.") {
        return match lower_async_copy(kernel, call, form) {
            true => Ok(()),
            false => Err(unknown(kernel, &name)),
        };
    }
    if let Some((number, operation)) = warp_operation(&name) {
        lower_warp_operation(kernel, call, &name, number, operation);
        return Ok(());
    }
    if ["llvm.memcpy", "llvm.memmove", "llvm.memset"].iter().any(is_form) {
        lower_block_copy(kernel, call, &name);
        return Ok(());
    }
    if let Some(half) = name.strip_prefix("llvm.nvvm.d2i.") {
        lower_half(kernel, call, half == "hi");
        return Ok(());
    }
    if name == "llvm.nvvm.lohi.i2d" {
        lower_halves(kernel, call);
        return Ok(());
    }
    if THE_SAME.iter().any(is_form) {
        return keep(kernel, call, &name);
    }
    if let Some(why) = is_refused_float(&name) {
        return Err(kernel.unsupported(format!("call of '{name}': {why}")));
    }
    match lower_float_call(kernel, call, &name)? {
        true => Ok(()),
        false => Err(unknown(kernel, &name)),
    }
}

fn unknown(kernel: &Kernel<'_>, name: &str) -> EmulatorError {
    EmulatorError::UnknownFunction { kernel: kernel.name.clone(), function: name.to_owned() }
}

/// An intrinsic that stays; its poison flags are turned off.
fn keep(kernel: &Kernel<'_>, call: Value, name: &str) -> Result<(), EmulatorError> {
    if ["llvm.ctlz", "llvm.cttz", "llvm.abs"].iter().any(|stem| is_form_of(name, stem)) {
        call.set_operand(1, kernel.ir.i1().int(0));
    }
    let is_small = |value: &Value| value.ty().float().is_some_and(Float::is_small);
    match call.arguments().iter().any(is_small) {
        true => Err(kernel.unsupported(format!("call of '{name}' on a 16-bit float"))),
        false => Ok(()),
    }
}

/// The low or the high word of a double.
fn lower_half(kernel: &Kernel<'_>, call: Value, is_high: bool) {
    let ir = kernel.ir;
    let builder = Builder::before(call);
    let bits = builder.bitcast(call.arguments()[0], ir.i64());
    let shift = ir.i64().int(if is_high { 32 } else { 0 });
    let word = builder.cast(LLVMTrunc, builder.binary(LLVMLShr, bits, shift), ir.i32());
    drop(builder);
    call.become_value(word);
}

/// A double of its low and its high word.
fn lower_halves(kernel: &Kernel<'_>, call: Value) {
    let ir = kernel.ir;
    let builder = Builder::before(call);
    let arguments = call.arguments();
    let [low, high] = [0, 1].map(|word| builder.cast(LLVMZExt, arguments[word], ir.i64()));
    let high = builder.binary(LLVMShl, high, ir.i64().int(32));
    let number = builder.bitcast(builder.binary(LLVMOr, high, low), call.ty());
    drop(builder);
    call.become_value(number);
}

fn lower_trap(kernel: &mut Kernel<'_>, call: Value, name: &str) {
    let operation = Operation::Trap { function: name.to_owned() };
    let site = kernel.add_site(Site { operation });
    let always = kernel.ir.i1().int(1);
    kernel.fault_if(call, always, site, kernel.ir.i64().int(0));
    if call.has_uses() {
        call.replace_uses(call.ty().poison());
    }
    call.erase();
}

/// `all` (the number of the barrier) and `count` (and of threads), with or without `aligned`.
fn lower_barrier(kernel: &mut Kernel<'_>, call: Value, form: &str) -> Result<(), EmulatorError> {
    let (aligned, form) = match form.strip_prefix("aligned.") {
        Some(rest) => (true, rest),
        None => (false, form),
    };
    let arguments = call.arguments();
    let ir = kernel.ir;
    let all = ir.i32().int(0);
    let count = match (form, arguments.as_slice()) {
        ("all", [_]) => all,
        ("count", [_, count]) => *count,
        _ => return Err(unknown(kernel, &format!("llvm.nvvm.barrier.cta.sync.{form}"))),
    };
    // The sites of barriers only distinguish them; their trap never happens.
    let operation = Operation::Trap { function: "llvm.nvvm.barrier.cta.sync".to_owned() };
    let site = kernel.add_site(Site { operation });
    let site = if aligned { site } else { u32::MAX };
    let i32 = ir.i32();
    let parameters = [ir.pointer(), i32, i32, i32];
    let wait = ir.declare("stencil_emulator_barrier", ir.void(), &parameters);
    let site = i32.int(u64::from(site));
    Builder::before(call).call(wait, &[kernel.context, site, arguments[0], count]);
    kernel.suspends = true;
    call.erase();
    Ok(())
}

/// The warp operation that an intrinsic is, with its number in the table.
fn warp_operation(name: &str) -> Option<(u32, WarpOperation)> {
    let name = name.strip_prefix("llvm.nvvm.")?;
    let index = WARP_OPERATIONS.iter().position(|(stem, _)| is_form_of(name, stem))?;
    Some((index as u32, WARP_OPERATIONS[index].1))
}

/// All warp operations are one call: mask, value, distance, clamp; the result has the value in its
/// low half and "source in range" above it.
fn lower_warp_operation(
    kernel: &mut Kernel<'_>,
    call: Value,
    name: &str,
    number: u32,
    operation: WarpOperation,
) {
    kernel.suspends = true;
    let ir = kernel.ir;
    let (i1, i32, i64) = (ir.i1(), ir.i32(), ir.i64());
    let zero = i32.int(0);
    let arguments = call.arguments();
    let builder = Builder::before(call);
    let word = |value: Value| match value.ty().int_bits() {
        Some(1) => builder.cast(LLVMZExt, value, i32),
        _ => builder.bitcast(value, i32),
    };
    let [mask, value, distance, clamp] = match operation {
        WarpOperation::Synchronize => [arguments[0], zero, zero, zero],
        WarpOperation::Vote(_) => [arguments[0], word(arguments[1]), zero, zero],
        WarpOperation::Reduce(_) => [arguments[1], word(arguments[0]), zero, zero],
        WarpOperation::Shuffle(_) => [arguments[0], word(arguments[1]), arguments[2], arguments[3]],
    };
    let parameters = [ir.pointer(), i32, i32, i32, i32, i32];
    let exchange = ir.declare("stencil_emulator_warp", i64, &parameters);
    let number = i32.int(u64::from(number));
    let answer = builder.call(exchange, &[kernel.context, number, mask, value, distance, clamp]);
    if !call.has_uses() {
        drop(builder);
        call.erase();
        return;
    }
    let low = builder.cast(LLVMTrunc, answer, i32);
    let has_predicate = matches!(operation, WarpOperation::Shuffle(_)) && name.ends_with('p');
    let result = if has_predicate {
        let element = if name.contains(".f32") { ir.float_type(Float::Single) } else { i32 };
        let high = builder.binary(LLVMLShr, answer, i64.int(32));
        let in_range = builder.cast(LLVMTrunc, high, i1);
        let pair = call.ty().poison();
        let pair = builder.with_field(pair, builder.bitcast(low, element), 0);
        builder.with_field(pair, in_range, 1)
    } else if call.ty() == i1 {
        builder.compare(LLVMIntNE, low, zero)
    } else {
        builder.bitcast(low, call.ty())
    };
    drop(builder);
    call.become_value(result);
}
