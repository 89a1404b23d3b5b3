//! Steps of analyses and searches, so that tests can hold how work grows with a program.
//!
//! What compiling takes on a clock depends on the machine; how often a loop turns does not. Code
//! whose time could grow faster than its input counts here, in units of its own (values looked at,
//! pairs compared, items passed), and each run of a pass adds what it took to its statistics.

use std::cell::Cell;

thread_local! {
    // A pass runs a function on one thread, with the trials of other passes that it makes.
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// Counts steps of an analysis or a search.
pub fn count_steps(steps: u64) {
    STEPS.set(STEPS.get() + steps);
}

/// The steps of this thread so far.
pub(super) fn steps() -> u64 {
    STEPS.get()
}
