//! The names of all coefficients, in the order in which they are written.

/// Cycles for each instruction of a warp on one partition of a multiprocessor.
pub const PARTITION_THROUGHPUT: &[&str] = &[
    "dfma",
    "dadd",
    "dmul",
    "ffma",
    "ffma_three_fresh",
    "fadd",
    "fmul",
    "imad",
    "iadd3",
    "lop3",
    "mov",
    "mufu_rsq",
    "mufu_rcp",
    "sel",
    "isetp",
    "i2f",
];

/// Cycles for each instruction of a warp on a multiprocessor.
pub const MULTIPROCESSOR_THROUGHPUT: &[&str] = &[
    "lds_32",
    "lds_64",
    "lds_128",
    "sts_32",
    "sts_64",
    "sts_128",
    "ldg_32_l1",
    "ldg_64_l1",
    "ldg_128_l1",
    "ldg_32_l1_shifted",
    "ldg_64_l1_shifted",
    "ldl_32_l1",
    "ldl_64_l1",
    "stl_32",
    "stl_64",
    "stg_64",
    "shfl",
];

/// Cycles from an instruction to the first that can use its result.
pub const LATENCY: &[&str] = &[
    "dfma", "ffma", "imad", "mufu_rsq", "lds_32", "lds_64", "ldg_l1", "ldg_l2", "ldg_hbm",
    "ldl_l1", "shfl", "barrier",
];

/// Caches, bandwidths and launches.
pub const MEMORY: &[&str] = &[
    "l1_bytes",
    "l2_bytes_per_cycle",
    "l2_bytes_per_cycle_alone",
    "hbm_bytes_per_cycle",
    "loaded_latency",
    "l2_local_part",
    "launch_cycles",
    "block_launch_cycles",
    "instruction_cache_bytes",
    "instruction_fetch_cycles",
];

/// Factors that no small kernel measures: `bench predict --fit` fits them to kernels that were
/// measured.
pub const FITTED: &[&str] = &["loaded_latency", "l2_local_part"];
