//! The dialects whose ops get views and builders.

/// A dialect: its name, where its ops are defined, and those to generate, if not all. The views of
/// LLVM's and NVVM's hundreds of ops would take longer to compile than the rest of the crate.
pub type Dialect = (&'static str, &'static [&'static str], &'static [&'static str]);

/// The dialects in use.
pub const DIALECTS: &[Dialect] = &[
    ("arith", &["mlir/Dialect/Arith/IR/ArithOps.td"], &[]),
    ("builtin", &["mlir/IR/BuiltinOps.td"], &[]),
    ("cf", &["mlir/Dialect/ControlFlow/IR/ControlFlowOps.td"], &[]),
    ("func", &["mlir/Dialect/Func/IR/FuncOps.td"], &[]),
    (
        "gpu",
        &["mlir/Dialect/GPU/IR/GPUOps.td"],
        &[
            "barrier",
            "block_dim",
            "block_id",
            "dynamic_shared_memory",
            "func",
            "lane_id",
            "launch_func",
            "module",
            "return",
            "shuffle",
            "thread_id",
        ],
    ),
    (
        "llvm",
        &["mlir/Dialect/LLVMIR/LLVMOps.td", "mlir/Dialect/LLVMIR/LLVMIntrinsicOps.td"],
        &[
            "bitcast",
            "call_intrinsic",
            "extractelement",
            "getelementptr",
            "insertelement",
            "intr.trap",
            "inttoptr",
            "load",
            "mlir.undef",
            "store",
            "trunc",
        ],
    ),
    ("math", &["mlir/Dialect/Math/IR/MathOps.td"], &[]),
    (
        "memref",
        &["mlir/Dialect/MemRef/IR/MemRefOps.td"],
        &[
            "alloc",
            "cast",
            "copy",
            "extract_aligned_pointer_as_index",
            "load",
            "reinterpret_cast",
            "store",
            "view",
        ],
    ),
    ("nvgpu", &["mlir/Dialect/NVGPU/IR/NVGPUOps.td"], &["device_async_copy"]),
    (
        "nvvm",
        &["mlir/Dialect/LLVMIR/NVVMOps.td"],
        &["bar.warp.sync", "cp.async.commit.group", "cp.async.wait.group", "prefetch", "shfl.sync"],
    ),
    ("scf", &["mlir/Dialect/SCF/IR/SCFOps.td"], &[]),
    (
        "vector",
        &["mlir/Dialect/Vector/IR/VectorOps.td"],
        &["extract", "from_elements", "load", "store"],
    ),
    ("stencil", &["Stencil/StencilOps.td"], &[]),
    ("sweep", &["Sweep/SweepOps.td"], &[]),
];
