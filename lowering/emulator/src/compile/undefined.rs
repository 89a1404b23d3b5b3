//! Out-of-range conversions and shifts by the width or more: faults where their result is used.
//!
//! Before: `fptosi float %x to i32`, whose result is poison out of range.
//! After: every value derived from such a result has an `i1` that is true if it is poison; storing
//! it, branching on it, addressing or dividing by it exits the thread with a fault.
//!
//! Why not at the operation itself: optimizers hoist such operations out of branches, since unused
//! poison is harmless. `select` takes the flag of the chosen side, so that a guarded conversion
//! stays right after speculation. `freeze` clears the flag, as in LLVM. The flag of a vector is the
//! disjunction of its lanes. Checked kernels only; the value itself is made definite by `numbers`
//! in all.

use super::builder::Builder;
use super::calls::is_form_of;
use super::ir::{Float, Value, llvm};
use super::kernel::Kernel;
use super::kernel_code::{Operation, Site};
use super::numbers::widen;
use llvm_sys::LLVMIntPredicate::{LLVMIntNE, LLVMIntUGE};
use llvm_sys::LLVMOpcode::{self, *};
use llvm_sys::LLVMRealPredicate::*;
use llvm_sys::core::*;
use std::collections::{HashMap, HashSet};

/// Adds flags and faults for the instructions of `original`.
pub(crate) fn guard_undefined(kernel: &mut Kernel<'_>, original: &[Value]) {
    let seeds: Vec<Value> = original.iter().copied().filter(|value| is_seed(*value)).collect();
    if seeds.is_empty() {
        return;
    }
    let tainted = reached_from(&seeds);
    let mut flags = HashMap::new();
    for instruction in original {
        if let Some(operands) = consumed(*instruction) {
            for operand in operands.into_iter().filter(|operand| tainted.contains(operand)) {
                let flag = flag_of(kernel, operand, &tainted, &mut flags);
                let site = kernel.add_site(Site { operation: Operation::Undefined });
                kernel.fault_if(*instruction, flag, site, kernel.ir.i64().int(0));
            }
        }
    }
}

/// True for an operation whose result may be undefined.
fn is_seed(instruction: Value) -> bool {
    match instruction.opcode() {
        Some(LLVMFPToSI | LLVMFPToUI) => true,
        Some(LLVMShl | LLVMLShr | LLVMAShr) => {
            let amount = instruction.operand(1);
            let width = i64::from(amount.ty().int_bits().expect("shifts are of integers"));
            !amount.constant_int().is_some_and(|amount| (0..width).contains(&amount))
        }
        _ => false,
    }
}

/// Values that are made from the seeds, themselves included.
fn reached_from(seeds: &[Value]) -> HashSet<Value> {
    let mut reached: HashSet<Value> = seeds.iter().copied().collect();
    let mut open = seeds.to_vec();
    while let Some(value) = open.pop() {
        let mut next = llvm!(LLVMGetFirstUse(value.0));
        while !next.is_null() {
            let user = Value(llvm!(LLVMGetUser(next)));
            next = llvm!(LLVMGetNextUse(next));
            if passes_on(user, value) && reached.insert(user) {
                open.push(user);
            }
        }
    }
    reached
}

/// True if a poison `operand` makes the result of `user` poison.
fn passes_on(user: Value, operand: Value) -> bool {
    match user.opcode() {
        Some(LLVMFreeze | LLVMLoad | LLVMAtomicRMW | LLVMAtomicCmpXchg) | None => false,
        Some(_) => !consumed(user).is_some_and(|operands| operands.contains(&operand)),
    }
}

/// Operands that must not be poison; `None` if there are none.
fn consumed(instruction: Value) -> Option<Vec<Value>> {
    match instruction.opcode()? {
        LLVMStore | LLVMLoad | LLVMAtomicRMW | LLVMAtomicCmpXchg => Some(instruction.operands()),
        LLVMBr | LLVMSwitch => Some(instruction.operands().into_iter().take(1).collect()),
        LLVMSDiv | LLVMUDiv | LLVMSRem | LLVMURem => Some(vec![instruction.operand(1)]),
        LLVMCall => {
            let name = instruction.callee().expect("calls through pointers were refused").name();
            (!is_pure(&name)).then(|| instruction.arguments())
        }
        _ => None,
    }
}

/// Pure functions, which may be executed speculatively.
pub(crate) fn is_pure(name: &str) -> bool {
    let of_memory = ["llvm.memcpy", "llvm.memmove", "llvm.memset"];
    let is_intrinsic = name.starts_with("llvm.") && !name.starts_with("llvm.nvvm.");
    let is_copy = of_memory.iter().any(|stem| is_form_of(name, stem));
    (is_intrinsic && !is_copy) || name.starts_with("__nv_")
}

/// The flag of a tainted value, made before it.
fn flag_of(
    kernel: &Kernel<'_>,
    value: Value,
    tainted: &HashSet<Value>,
    flags: &mut HashMap<Value, Value>,
) -> Value {
    if !tainted.contains(&value) {
        return kernel.ir.i1().int(0);
    }
    if let Some(flag) = flags.get(&value) {
        return *flag;
    }
    if value.opcode() == Some(LLVMPHI) {
        // Registered before its operands, which may depend on it.
        let phi = Builder::before(value).phi(kernel.ir.i1());
        flags.insert(value, phi);
        for (incoming, block) in value.incoming().into_iter().zip(value.incoming_blocks()) {
            let flag = flag_of(kernel, incoming, tainted, flags);
            phi.add_incoming(flag, block);
        }
        return phi;
    }
    let mut flag = own_flag(kernel, value);
    for (index, operand) in value.operands().into_iter().enumerate() {
        if !tainted.contains(&operand) {
            continue;
        }
        let theirs = flag_of(kernel, operand, tainted, flags);
        let builder = Builder::before(value);
        let counts = match (value.opcode(), index) {
            (Some(LLVMSelect), 1 | 2) => chosen(kernel, &builder, value, index, theirs),
            _ => theirs,
        };
        flag = builder.binary(LLVMOr, flag, counts);
    }
    flags.insert(value, flag);
    flag
}

/// The flag of one side of a select, where that side is chosen; vectors choose both.
fn chosen(
    kernel: &Kernel<'_>,
    builder: &Builder,
    select: Value,
    index: usize,
    flag: Value,
) -> Value {
    let condition = select.operand(0);
    let no = kernel.ir.i1().int(0);
    match (condition.ty().is_vector(), index) {
        (true, _) => flag,
        (false, 1) => builder.select(condition, flag, no),
        (false, _) => builder.select(condition, no, flag),
    }
}

/// True where the operation itself gives poison; false for one that only propagates flags.
fn own_flag(kernel: &Kernel<'_>, value: Value) -> Value {
    if !is_seed(value) {
        return kernel.ir.i1().int(0);
    }
    let builder = Builder::before(value);
    let opcode = value.opcode().expect("seeds are instructions");
    let lanes = value.ty().lanes();
    let undefined = match opcode {
        LLVMFPToSI | LLVMFPToUI => {
            let mut any = kernel.ir.i1().int(0);
            for lane in 0..lanes.unwrap_or(1) {
                let source = value.operand(0);
                let number = match lanes {
                    Some(_) => builder.lane(source, kernel.ir.i32().int(u64::from(lane))),
                    None => source,
                };
                let outside = out_of_range(kernel, &builder, value, opcode, number);
                any = builder.binary(LLVMOr, any, outside);
            }
            return any;
        }
        _ => {
            let amount = value.operand(1);
            let width = u64::from(amount.ty().int_bits().expect("shifts are of integers"));
            builder.compare(LLVMIntUGE, amount, amount.ty().int(width))
        }
    };
    match lanes {
        None => undefined,
        Some(lanes) => {
            let all = builder.bitcast(undefined, kernel.ir.int_type(lanes));
            builder.compare(LLVMIntNE, all, kernel.ir.int_type(lanes).int(0))
        }
    }
}

/// True if the integer part of `number` does not fit the type of the conversion, or there is none.
fn out_of_range(
    kernel: &Kernel<'_>,
    builder: &Builder,
    conversion: Value,
    opcode: LLVMOpcode,
    number: Value,
) -> Value {
    let number = widen(kernel, builder, number);
    let ty = number.ty();
    let digits = if ty.float() == Some(Float::Double) { 53 } else { 24 };
    let bits = conversion.ty().int_bits().expect("the result is an integer");
    let constant = |value: f64| Value(llvm!(LLVMConstReal(ty.0, value)));
    let below = |limit: f64| builder.compare_floats(LLVMRealOLT, number, constant(limit));
    let above = |limit: f64| builder.compare_floats(LLVMRealOGT, number, constant(limit));
    let (low, high) = match opcode {
        LLVMFPToUI => (above(-1.0), below(f64::powi(2.0, bits as i32))),
        _ => {
            let smallest = -f64::powi(2.0, bits as i32 - 1);
            let low = if bits <= digits {
                above(smallest - 1.0)
            } else {
                builder.compare_floats(LLVMRealOGE, number, constant(smallest))
            };
            (low, below(-smallest))
        }
    };
    let inside = builder.and(low, high);
    builder.binary(LLVMXor, inside, kernel.ir.i1().int(1))
}
