//! `stencil-schedule-trees`: bring the operations of a kernel into an order that needs few
//! registers.
//!
//! Before: a `gpu.module`; kernels whose plan has `schedule` = trees, both, reorder or
//!         reorder-interleave.
//! After:  in every block of such a kernel the same operations, in an order in which the fewest
//!         registers are live at once, as far as the search finds it.
//!
//! Why: where a thread's values do not fit the registers that it may use, the order in which they
//! come to life and die decides how many are spilled; the assembler keeps to the order of the text
//! when registers are short. Points of a thread are made one after the other; what they share
//! should be used by all of them and be gone.
//! Every bit stays: only independent operations change places. Loads keep their side of stores that
//! may touch the same memory; barriers and operations with regions stay where they are.
//! MAXLIVE is counted in 32-bit registers of floating-point values, two for f64; addresses are not
//! counted, as they share a few sums.
//! Requires equal operations to be one (`cse`), and follows all passes that make operations.
//! Run again on its own output it may find an order that is as good.
//! Does not change what is computed: sums are put in order by `stencil-order-sums`. Does not choose
//! (the plan does).
//! Method: Rawat et al., Register Optimizations for Stencils on GPUs, PPoPP 2018 (crate
//! `stencil-trees`), alone with `schedule` = reorder or reorder-interleave, else with a search from
//! both ends of the code beside it.

use super::order::{AFTER, BEFORE, BLOCKS, kernels, put_in_order};
use melior::ir::OperationRef;
use stencil_model::plan::{self, Plan};
use stencil_passes::framework::{
    Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, flag, statistic,
};
use stencil_trees::{Options, schedule};

/// The table entry.
pub const SCHEDULE_TREES: PassInfo = PassInfo {
    argument: "stencil-schedule-trees",
    summary: "order the operations of kernels so that few registers are live",
    source: include_str!("schedule_trees.rs"),
    anchor: Anchor::GpuModule,
    options: &[flag("all", "every kernel, whatever its plan says", false)],
    statistics: &[BLOCKS, BEFORE, AFTER, PERMUTATIONS, MEMO_CALLS, MEMO_HITS],
    dialects: &[],
    run: schedule_trees,
};

const PERMUTATIONS: Statistic = statistic("num-permutations", "permutations of trees tried");
const MEMO_CALLS: Statistic = statistic("num-memo-calls", "subtrees asked for in a context");
const MEMO_HITS: Statistic = statistic("num-memo-hits", "those whose answer was remembered");

fn schedule_trees(
    module: OperationRef,
    options: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    for (kernel, plan) in kernels(module)? {
        let wanted = plan.schedule.is_some_and(plan::Schedule::orders_trees);
        if wanted || options.flag("all") {
            let search = search(&plan);
            for found in put_in_order(kernel, cx, |dag| schedule(dag, &search)) {
                cx.count(PERMUTATIONS, found.statistics.permutations);
                cx.count(MEMO_CALLS, found.statistics.memo_calls);
                cx.count(MEMO_HITS, found.statistics.memo_hits);
            }
        }
    }
    Ok(())
}

/// What a plan lets the search do.
pub fn search(plan: &Plan) -> Options {
    let trees = &plan.trees;
    let anything = Options::default();
    let is_alone = plan.schedule.is_some_and(plan::Schedule::is_trees_alone);
    // Without a state of its own the search beside the trees is none.
    let states = if is_alone { 0 } else { anything.states };
    Options {
        states,
        distance: trees.distance,
        permutations: u64::from(trees.permutations),
        ..anything
    }
}
