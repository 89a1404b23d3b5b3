//! Everything that needs the whole compiler: programs are compiled, run on interpreter and
//! emulator, and compared.
#![allow(clippy::unwrap_used)]

mod accuracy;
mod arithmetic_cases;
mod damaged_imports;
mod default_plans;
mod demoted_code;
mod exports;
mod failing;
mod faults;
mod fitted_demotion;
mod iterations;
mod listed;
mod orders;
mod parallel;
mod plan_keys;
mod plan_lines;
mod planned;
mod planted_faults;
mod proof;
mod queue_registers;
mod random_imports;
mod random_loops;
mod random_programs;
mod random_regions;
mod random_statements;
mod random_sweeps;
mod random_transforms;
mod random_walls;
mod respelled;
mod rotation_moves;
mod storages;
mod supported_ops;
mod written_kernels;
mod written_sums;

/// Whether all that the nightly run can afford was asked for: `cargo xtask test --nightly`.
fn nightly() -> bool {
    std::env::var("STENCIL_NIGHTLY").is_ok_and(|value| value == "1")
}
