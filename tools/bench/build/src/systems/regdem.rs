//! Plans in the manner of register demotion [Sakdhnagool et al., RegDem, 2019].
//!
//! Each thread computes its points for itself, operations stay in the order of the text. A kernel
//! has the paper's versions: as the assembler makes it (`base`), under a register cap with spills
//! in local memory (`local`), with the assembler's own spills to shared memory (`local-shared`),
//! and with demotion under the cap (`regdem`), of as many registers as the predictor chooses. Caps
//! are those of the next steps of occupancy, down to the paper's least of 32. Candidates come in
//! the paper's three orders, with all options on, and with one off at a time. Beside them are
//! versions with values in the place of registers (`distance`), with rematerialised loads
//! (`reloads`), with the schedule of least spill traffic besides (`moves`), and the same after tree
//! scheduling (`ordered`).

use super::reorder::unrolling;
use stencil_bench::kernels::Benchmark;
use stencil_model::plan::SpillHeuristic;

/// Each thread computes its points for itself.
const MAPPING: &str = "mapping=thread";

/// Threads of a block, so that two, three, four and eight blocks have these caps.
const THREADS: u32 = 256;
const CAPS: [u32; 4] = [128, 80, 64, 32];

/// As many registers as are predicted to make the kernel fastest.
const FIT: &str = "demote=fit";

/// Where the options are switched off one at a time, and orders are compared.
const CAP_OF_OPTIONS: u32 = 64;

/// What RegDem does at most: several value registers, redundant moves removed, loads ahead.
const ALL_ON: &str = "demote_values=4";

/// As in the paper: every demoted value has a slot, operations keep their order.
const PAPER: &str = "demote_remat=none,demote_schedule=kept";

/// Keys with which one option is off: no bank conflicts avoided, redundant moves kept, loads where
/// they are read, one value register.
const OFF: [&str; 4] = [
    "demote_layout=thread-major,demote_values=4",
    "demote_redundant=kept,demote_values=4",
    "demote_hoist=0,demote_values=4",
    "demote_values=1",
];

/// The heuristics of the paper's candidates.
const HEURISTICS: [SpillHeuristic; 3] =
    [SpillHeuristic::Accesses, SpillHeuristic::WeightedAccesses, SpillHeuristic::OperandConflicts];

/// The plans of a kernel.
pub fn plans(benchmark: &Benchmark) -> Vec<String> {
    let (rank, points) = (benchmark.size.len(), unrolling(benchmark));
    let rows = THREADS / 32;
    let threads = if rank == 3 { format!("1x{rows}x32") } else { format!("{rows}x32") };
    let of =
        |schedule: &str| format!("{MAPPING},threads={threads},points={points},schedule={schedule}");
    let (source, trees) = (of("source"), of("trees"));
    let mut plans = vec![source.clone(), trees.clone()];
    for cap in CAPS {
        let capped = format!("{source},max_registers={cap}");
        plans.push(capped.clone());
        plans.push(format!("{capped},spills=shared"));
        plans.push(format!("{capped},{FIT}"));
        plans.push(format!("{capped},{FIT},demote_schedule=kept"));
        plans.push(format!("{capped},{FIT},{PAPER}"));
        let heuristic = HEURISTICS[0].word();
        plans.push(format!("{capped},{FIT},demote_heuristic={heuristic},{ALL_ON},{PAPER}"));
        plans.push(format!("{trees},max_registers={cap}"));
        plans.push(format!("{trees},max_registers={cap},spills=shared"));
        plans.push(format!("{trees},max_registers={cap},{FIT}"));
    }
    let capped = format!("{source},max_registers={CAP_OF_OPTIONS},{FIT},{PAPER}");
    for heuristic in HEURISTICS {
        plans.push(format!("{capped},demote_heuristic={},{ALL_ON}", heuristic.word()));
    }
    let heuristic = HEURISTICS[0].word();
    plans.extend(OFF.map(|off| format!("{capped},demote_heuristic={heuristic},{off}")));
    plans.push(format!("{capped},demote_layout=interleaved-32"));
    plans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plans::Plans;
    use stencil_bench::kernels;

    #[test]
    fn each_version_is_among_the_plans() {
        let plans = plans(kernels::find("rhs4th3fort").unwrap());
        assert_eq!(plans[0], "mapping=thread,threads=1x8x32,points=1,schedule=source");
        let count = |word: &str| plans.iter().filter(|plan| plan.contains(word)).count();
        assert_eq!((count("spills=shared"), count("max_registers=32")), (8, 9));
        assert_eq!(count("demote_heuristic=operand-conflicts"), 1);
        assert_eq!(count(FIT), 5 * 4 + 3 + 4 + 1);
        let parsed = Plans::list(&plans).unwrap();
        assert!(parsed.of("rhs4th3fort", stencil_bench::kernels::Element::F64).len() > 30);
        let boxes = self::plans(kernels::find("2d81pt").unwrap());
        assert!(boxes[0].contains("threads=8x32,points=4"));
    }
}
