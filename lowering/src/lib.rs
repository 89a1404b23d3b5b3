//! From stencil to PTX.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod builders;
pub mod export;
pub mod gpu;
pub mod nvvm;
pub mod ptx;
pub mod sweep;

use stencil_passes::framework::PassInfo;

/// Every pass of this crate, in pipeline order.
pub const PASSES: &[&PassInfo] = &[
    &sweep::convert_stencil_to_sweep::CONVERT_STENCIL_TO_SWEEP,
    &sweep::fuse_statements::FUSE_STATEMENTS,
    &sweep::fuse_steps::FUSE_STEPS,
    &sweep::retime::RETIME,
    &sweep::place_slots::PLACE_SLOTS,
    &sweep::convert_sweep_to_planes::CONVERT_SWEEP_TO_PLANES,
    &sweep::pipeline_fetches::PIPELINE_FETCHES,
    &gpu::convert_stencil_to_gpu_threads::CONVERT_STENCIL_TO_GPU_THREADS,
    &gpu::combine_accesses::COMBINE_ACCESSES,
    &gpu::schedule_trees::SCHEDULE_TREES,
    &gpu::slice_and_interleave::SLICE_AND_INTERLEAVE,
    &gpu::demote_registers::DEMOTE_REGISTERS,
    &nvvm::bound_buffers::BOUND_BUFFERS,
    &nvvm::convert_math_to_intrinsics::CONVERT_MATH_TO_INTRINSICS,
];
