//! Plans in the manner of statement reordering [Rawat et al., PPoPP 2018].
//!
//! Each thread computes its points for itself, straight from global memory. A kernel has versions:
//! in the order in which its points are made (`original`, one point of a thread), with the paper's
//! unrolling along the slowest dimension (`unrolled`), with its operations in the order that the
//! paper's algorithm gives, expression trees alone (`reordered`), and with slices of later trees
//! moved between those of earlier ones as well (`interleaved`); each under every register cap, the
//! fastest of which the paper keeps. Large kernels are not unrolled; they are one kernel, or split
//! into a few.

use stencil_bench::kernels::Benchmark;

/// The paper's limits on registers.
pub const CAPS: [u32; 5] = [32, 48, 64, 128, 255];

/// Points of a thread that the paper unrolls small kernels by.
const UNROLLING: u32 = 4;

/// Kernels that a large one is split into; the first is none but itself.
const SPLITS: [u32; 3] = [1, 2, 3];

/// An order of operations, in the word of a plan.
pub const SOURCE: &str = "source";
/// That of the paper's algorithm: expression trees alone.
const REORDER: &str = "reorder";
/// The same, with slices of later trees moved forward.
const REORDER_INTERLEAVE: &str = "reorder-interleave";
/// That of expression trees or of the search beside them.
pub const TREES: &str = "trees";
/// The same, with slices of later trees moved forward.
pub const BOTH: &str = "both";

/// The orders of the paper's versions.
const ORDERS: [&str; 3] = [SOURCE, REORDER, REORDER_INTERLEAVE];

/// What versions of a kernel differ in, the register cap aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Points of a thread.
    pub points: u32,
    /// The order of operations.
    pub schedule: &'static str,
    /// Kernels that it is split into.
    pub splits: u32,
}

impl Version {
    /// The plan of this version under a cap.
    pub fn plan(&self, cap: u32) -> String {
        let Version { points, schedule, splits } = self;
        let plan = format!("mapping=thread,points={points},schedule={schedule},splits={splits}");
        format!("{plan},max_registers={cap}")
    }
}

/// Points of a thread in the versions that are unrolled.
pub fn unrolling(benchmark: &Benchmark) -> u32 {
    if is_large(benchmark) { 1 } else { UNROLLING }
}

/// Kernels of several statements, which the paper splits in the place of unrolling them.
pub fn is_large(benchmark: &Benchmark) -> bool {
    ["hypterm-ppopp", "rhs4th3fort", "derivative"].contains(&benchmark.name.as_str())
}

/// The versions of a kernel.
pub fn versions(benchmark: &Benchmark) -> Vec<Version> {
    let splits = if is_large(benchmark) { &SPLITS[..] } else { &SPLITS[..1] };
    let points = unrolling(benchmark);
    let original = Version { points: 1, schedule: SOURCE, splits: 1 };
    let mut versions = if points == 1 { Vec::new() } else { vec![original] };
    for &splits in splits {
        versions.extend(ORDERS.map(|schedule| Version { points, schedule, splits }));
    }
    versions
}

/// The plans of a kernel: each version under each cap, lowest first.
pub fn plans(benchmark: &Benchmark) -> Vec<String> {
    let under_caps = |version: Version| CAPS.map(|cap| version.plan(cap));
    versions(benchmark).into_iter().flat_map(under_caps).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stencil_bench::kernels;

    #[test]
    fn boxes_are_unrolled_and_large_kernels_split() {
        let plans_of = |name: &str| plans(kernels::find(name).unwrap());
        let boxes = plans_of("3d125pt");
        assert_eq!(boxes.len(), 4 * 5);
        assert_eq!(boxes[0], "mapping=thread,points=1,schedule=source,splits=1,max_registers=32");
        assert!(boxes[5..].iter().all(|plan| plan.contains("points=4,")));
        let large = plans_of("derivative");
        assert_eq!(large.len(), 3 * 3 * 5);
        assert!(large.iter().all(|plan| plan.contains("points=1,")));
        let last = "schedule=reorder-interleave,splits=3,max_registers=255";
        assert!(large[44].contains(last), "{}", large[44]);
    }
}
