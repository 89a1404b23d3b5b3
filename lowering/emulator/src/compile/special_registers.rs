//! Special registers: thread and block indices, and sizes.

use super::ir::Value;
use super::kernel::Kernel;
use crate::execute::context::ThreadContext;
use llvm_sys::LLVMOpcode::*;
use std::mem::offset_of;

/// The value of a special register, by its name in PTX; `None` if not supported. Clocks and
/// multiprocessor ids are not: they differ from run to run.
pub(crate) fn read_register(kernel: &mut Kernel<'_>, register: &str) -> Option<Value> {
    let (vector, axis) = register.split_once('.').unwrap_or((register, ""));
    let start = match vector {
        "tid" => offset_of!(ThreadContext, thread),
        "ctaid" => offset_of!(ThreadContext, block),
        "ntid" => offset_of!(ThreadContext, block_size),
        "nctaid" => offset_of!(ThreadContext, grid_size),
        "lanemask" => return lane_mask(kernel, axis),
        _ => return read_single(kernel, register),
    };
    let axis = ["x", "y", "z"].iter().position(|known| *known == axis)?;
    Some(kernel.context_field(start + 4 * axis, kernel.ir.i32()))
}

fn read_single(kernel: &mut Kernel<'_>, register: &str) -> Option<Value> {
    let i32 = kernel.ir.i32();
    let lanes = i32.int(u64::from(kernel.options.machine.warp_lanes));
    let linear = offset_of!(ThreadContext, linear);
    match register {
        "warpsize" => Some(lanes),
        "laneid" => Some(lane(kernel)),
        "warpid" => {
            let linear = kernel.context_field(linear, i32);
            Some(kernel.known("warp", |_, builder| builder.binary(LLVMUDiv, linear, lanes)))
        }
        "nwarpid" => {
            let size = offset_of!(ThreadContext, block_size);
            let [x, y, z] = [0, 4, 8].map(|at| kernel.context_field(size + at, i32));
            Some(kernel.known("warps", |kernel, builder| {
                let threads = builder.binary(LLVMMul, builder.binary(LLVMMul, x, y), z);
                let last = u64::from(kernel.options.machine.warp_lanes - 1);
                builder.binary(LLVMUDiv, builder.add(threads, i32.int(last)), lanes)
            }))
        }
        "dynamic_smem_size" => {
            Some(kernel.context_field(offset_of!(ThreadContext, dynamic_shared_bytes), i32))
        }
        "total_smem_size" => {
            Some(kernel.context_field(offset_of!(ThreadContext, shared_bytes), i32))
        }
        _ => None,
    }
}

/// The thread's number in its warp.
fn lane(kernel: &mut Kernel<'_>) -> Value {
    let i32 = kernel.ir.i32();
    let lanes = i32.int(u64::from(kernel.options.machine.warp_lanes));
    let linear = kernel.context_field(offset_of!(ThreadContext, linear), i32);
    kernel.known("lane", |_, builder| builder.binary(LLVMURem, linear, lanes))
}

/// The mask of lanes whose comparison with the thread's own holds.
fn lane_mask(kernel: &mut Kernel<'_>, comparison: &str) -> Option<Value> {
    if !["eq", "lt", "le", "gt", "ge"].contains(&comparison) {
        return None;
    }
    let i32 = kernel.ir.i32();
    let lane = lane(kernel);
    Some(kernel.known(&format!("lanemask {comparison}"), |_, builder| {
        let own = builder.binary(LLVMShl, i32.int(1), lane);
        let below = builder.binary(LLVMSub, own, i32.int(1));
        let not_above = builder.binary(LLVMOr, own, below);
        let invert = |mask| builder.binary(LLVMXor, mask, i32.int(u64::MAX));
        match comparison {
            "eq" => own,
            "lt" => below,
            "le" => not_above,
            "gt" => invert(not_above),
            _ => invert(below),
        }
    }))
}
