//! Everything that needs the whole compiler: programs are compiled, run on interpreter and
//! emulator, and compared.
#![allow(clippy::unwrap_used)]

// malloc of the whole process, as the tools have it.
use mimalloc as _;

mod accuracy;
mod arithmetic_cases;
mod chips;
mod damaged_imports;
mod default_plans;
mod demoted_code;
mod exports;
mod failing;
mod faults;
mod fitted_demotion;
mod iterations;
mod kernel_programs;
mod listed;
mod orders;
mod parallel;
mod plan_keys;
mod plan_lines;
mod planned;
mod planted_faults;
mod promises;
mod proof;
mod queue_registers;
mod random_copies;
mod random_decompositions;
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
mod run_time_sizes;
mod storages;
mod supported_ops;
mod written_kernels;
mod written_sums;

use stencil_driver::target::{self, Target};
use stencil_model::target::ARCHITECTURES;

/// What a program with this seed is compiled for: half of them for the default, the others for any
/// architecture, with its oldest version of PTX or without one.
fn drawn_target(seed: u64) -> Target {
    let other = seed / 2;
    if seed.is_multiple_of(2) {
        return Target::new(target::DEFAULT, None).unwrap();
    }
    let architecture = &ARCHITECTURES[(other % ARCHITECTURES.len() as u64) as usize];
    let oldest = architecture.ptx_version_min.to_string();
    let is_oldest = (other / ARCHITECTURES.len() as u64).is_multiple_of(2);
    Target::new(architecture.name, is_oldest.then_some(oldest.as_str())).unwrap()
}

/// Whether PTX is made of a program with this seed: LLVM selects instructions by the target.
fn emits(seed: u64) -> bool {
    seed % 8 == 1
}

#[test]
fn programs_are_drawn_for_every_target() {
    let drawn = (0..200).map(drawn_target).map(|it| (it.name(), it.ptx_version.to_string()));
    let drawn = drawn.collect::<std::collections::BTreeSet<_>>();
    for architecture in ARCHITECTURES {
        let oldest = architecture.ptx_version_min.to_string();
        assert!(drawn.contains(&(architecture.name, oldest)), "{drawn:?}");
    }
    let emitted = (0..200).filter(|seed| emits(*seed)).map(drawn_target);
    let emitted = emitted.map(|it| it.name()).collect::<std::collections::BTreeSet<_>>();
    assert_eq!(emitted.len(), ARCHITECTURES.len());
}

/// Whether all that the nightly run can afford was asked for: `cargo xtask test --nightly`.
fn nightly() -> bool {
    std::env::var("STENCIL_NIGHTLY").is_ok_and(|value| value == "1")
}
