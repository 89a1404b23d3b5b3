//! How often ops run, where plans are compared.

use crate::{analysis::trip_count::trip_count, transforms::fold_ghost_cells};
use melior::ir::{OperationRef, operation::OperationLike};
use stencil_dialects::{ods::scf, walk};

/// Iterations that a loop is taken to make where their number is given at run time: programs are
/// called for some tens to some thousands of time steps, and what suits a hundred loses little in
/// more.
pub(super) const ITERATIONS_ASSUMED: i64 = 100;

/// How often an op runs: the product of the iterations of the loops around it.
pub(super) fn times_run(operation: OperationRef) -> f64 {
    let around = std::iter::successors(operation.parent_operation(), |it| it.parent_operation());
    around.map(iterations_of).product()
}

/// The iterations of a loop, or as many as are assumed; 1 of an op that is no loop, of a branch,
/// and of a loop that makes the first or last iterations of another.
pub(super) fn iterations_of(operation: OperationRef) -> f64 {
    if walk::name(&operation) != scf::FOR {
        return 1.0;
    }
    let is_once = fold_ghost_cells::is_end(operation) || walk::is_branch(operation);
    let unknown = || if is_once { 1 } else { ITERATIONS_ASSUMED };
    trip_count(operation).unwrap_or_else(unknown).max(1) as f64
}
