//! Instructions that LLVM's fast instruction selector has, in place of some that it has not.
//!
//! Before: `call i32 @llvm.smin.i32(%a, %b)`, `select i1 %a, i1 true, i1 %b`, `addrspacecast`.
//! After:  `icmp` and `select`; `or`; `ptrtoint` and `inttoptr`.
//!
//! For what the fast selector does not know, the code generator builds a graph: of one call, or of
//! all that comes before in the block. That took 40 % of the time of emitting a sweep's kernels
//! (LLVM 22, x86), which is a third of what a test of random sweeps takes.
//! Runs after all optimizations, for which the two sides differ: `or` is poison if either operand
//! is, `select` only if the chosen one is. To machine code they are the same.

use super::builder::Builder;
use super::calls::is_form_of;
use super::ir::{Ir, Value, instructions};
use llvm_sys::LLVMIntPredicate::{self, *};
use llvm_sys::LLVMOpcode::*;

/// Integer extrema, and the comparison for which the first operand is chosen.
const EXTREMA: [(&str, LLVMIntPredicate); 4] = [
    ("llvm.smin", LLVMIntSLT),
    ("llvm.smax", LLVMIntSGT),
    ("llvm.umin", LLVMIntULT),
    ("llvm.umax", LLVMIntUGT),
];

/// Rewrites the instructions of all functions that have a body.
pub(crate) fn make_selectable(ir: Ir) {
    for instruction in ir.functions().into_iter().flat_map(instructions) {
        if instruction.ty().is_vector() {
            continue;
        }
        let selectable = match instruction.opcode() {
            Some(LLVMCall) => extremum(instruction),
            Some(LLVMSelect) => connective(ir, instruction),
            Some(LLVMAddrSpaceCast) => {
                let builder = Builder::before(instruction);
                let address = builder.cast(LLVMPtrToInt, instruction.operand(0), ir.i64());
                Some(builder.cast(LLVMIntToPtr, address, instruction.ty()))
            }
            _ => None,
        };
        if let Some(selectable) = selectable {
            instruction.become_value(selectable);
        }
    }
}

/// An extremum of two integers, or their difference where that is positive.
fn extremum(call: Value) -> Option<Value> {
    let name = call.callee()?.name();
    let ty = call.ty();
    let (left, right) = match call.arguments()[..] {
        [left, right] if ty.int_bits().is_some() => (left, right),
        _ => return None,
    };
    let builder = Builder::before(call);
    if is_form_of(&name, "llvm.usub.sat") {
        let positive = builder.compare(LLVMIntUGT, left, right);
        let difference = builder.binary(LLVMSub, left, right);
        return Some(builder.select(positive, difference, ty.int(0)));
    }
    let known = EXTREMA.iter().find(|(stem, _)| is_form_of(&name, stem));
    let (_, predicate) = known?;
    Some(builder.select(builder.compare(*predicate, left, right), left, right))
}

/// `and` or `or` of two conditions of which the second counts depending on the first.
fn connective(ir: Ir, select: Value) -> Option<Value> {
    let [condition, yes, no] = select.operands()[..] else { return None };
    let i1 = ir.i1();
    let builder = Builder::before(select);
    match (yes == i1.int(1), no == i1.int(0)) {
        (true, _) => Some(builder.binary(LLVMOr, condition, no)),
        (_, true) => Some(builder.and(condition, yes)),
        _ => None,
    }
}
