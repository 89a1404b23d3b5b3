//! `convert-stencil-to-gpu-threads`: one kernel per apply or sweep, and a host program.
//!
//! Before: a function of applies with plans, sweeps in the planes form, loads, direct stores, time
//!         loops.
//! After:  a `gpu.module @kernels` with one `gpu.func` per apply or sweep; the function holds a
//!         `gpu.launch_func` for each. Fields are flat `memref`s in row-major order (dimension 0
//!         slowest), whose bounds stay as argument attribute `stencil.bounds`. Temps that outlive
//!         their kernel, and `stencil.alloc`, are `memref.alloc` at the function's start. Time
//!         loops, and the rotation of fields in them, stay `scf.for`.
//!
//! Why: for an apply this is the plain mapping: threads read global memory through the caches,
//! without exchange or barrier. It supports every program, and is the baseline of all other
//! mappings. For a sweep, tiles become registers: a thread has some points of each plane, gets
//! those of neighbours by shuffles or from shared memory, and the loop over planes is unrolled by
//! its turns (`lowering/src/sweep/emit`). It has two versions, for tiles inside the domain and at
//! its ends, and checks planes against the domain only near its ends.
//! Points of a thread are adjacent along all dimensions but the fastest, where they are one block
//! apart, so that a warp reads whole lines. All loads of a thread's points come before its stores.
//! Offsets to neighbours are constants in the address; the part that a thread computes is narrowed
//! to 32 bits where the extents prove that it fits. A tile inside the domain is computed without
//! bounds checks. This holds for applies; what threads of a sweep compute follows from its tiles.
//! Requires plans (`stencil-select-plan`), direct stores (`stencil-place-copies`), and the planes
//! form of sweeps (`convert-sweep-to-planes`).
//! With `checked`, undefined behaviour of a GPU (a dynamic access outside its extent, a division by
//! zero, a shift too wide, a conversion out of range, a broken `nsw`, `nuw` or `exact`) traps, and
//! so does a loop whose step is not positive.
//! Refuses function results, allocations that a loop carries, elements that are no plain numbers,
//! and what neither a kernel nor a host program can hold.
//! Does not schedule: operations stay in program order.

use super::{host::HostFunction, signature::free_name};
use melior::ir::{OperationRef, operation::OperationLike};
use stencil_dialects::{
    build::{self, Inserter},
    ods::{func, gpu},
    walk,
};
use stencil_passes::framework::{
    Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, flag, refuse, statistic,
};

/// The table entry.
pub const CONVERT_STENCIL_TO_GPU_THREADS: PassInfo = PassInfo {
    argument: "convert-stencil-to-gpu-threads",
    summary: "one kernel per apply or sweep, and a host program",
    source: include_str!("convert_stencil_to_gpu_threads.rs"),
    anchor: Anchor::Module,
    options: &[flag("checked", "trap where a GPU's behaviour is undefined", false)],
    statistics: &[KERNELS],
    dialects: &["gpu", "memref", "scf", "arith", "math", "func", "llvm", "vector", "nvvm", "nvgpu"],
    run: convert_stencil_to_gpu_threads,
};

const KERNELS: Statistic = statistic("num-kernels", "kernels made");

fn convert_stencil_to_gpu_threads(
    module: OperationRef,
    options: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    let is_lowered = |operation: &OperationRef| {
        walk::name(operation) == func::FUNC
            && build::entry_block(*operation).is_some()
            && holds_stencil(*operation)
    };
    let functions = walk::nested(module).into_iter().filter(is_lowered).collect::<Vec<_>>();
    let body = build::block_of(module, 0);
    let has_kernels = || walk::operations(body).iter().any(|it| walk::name(it) == gpu::MODULE);
    // Nothing is left to do where the pass has run before.
    if functions.is_empty() && has_kernels() {
        return Ok(());
    }
    let at = Inserter::at_start(body, module.location());
    let context = build::context(&module);
    let kernels = at.create(
        gpu::MODULE,
        &[],
        &[("sym_name", build::string(context, &free_name(body, "kernels")))],
        &[],
        vec![build::region_with_block(&[], module.location())],
    );
    for function in functions {
        check(function, module)?;
        let count =
            HostFunction::lower(function, build::block_of(kernels, 0), options.flag("checked"))?;
        cx.count(KERNELS, count);
    }
    let unit = build::attribute(context, "unit");
    build::set_attribute(module, "gpu.container_module", unit);
    Ok(())
}

/// Refuses what no host program can be made of.
fn check(function: OperationRef, module: OperationRef) -> PassResult {
    if function.parent_operation() != Some(module) {
        let remedy = "the pipeline is run on the functions of the outermost module: move it there";
        return Err(refuse(&function, "is in a module inside another module", remedy));
    }
    if walk::blocks(function).len() > 1 {
        let remedy = "write branches with 'scf.if' and loops with 'scf.for'; the upstream pass \
                      'lift-cf-to-scf' does it";
        return Err(refuse(&function, "has several blocks", remedy));
    }
    let is_call = |operation: &OperationRef| walk::name(operation) == func::CALL;
    let Some(call) = walk::nested(function).into_iter().find(is_call) else { return Ok(()) };
    let what = "calls a function from a stencil program";
    let remedy = "run the upstream pass 'inline' first; external functions cannot be called, nor \
                  those that call themselves";
    Err(refuse(&call, what, remedy))
}

fn holds_stencil(function: OperationRef) -> bool {
    let has_fields = build::function_type(function).is_some_and(|r#type| {
        (0..r#type.input_count())
            .filter_map(|position| r#type.input(position).ok())
            .any(stencil_dialects::types::is_field)
    });
    has_fields || walk::nested(function).iter().any(|op| walk::name(op).starts_with("stencil."))
}
