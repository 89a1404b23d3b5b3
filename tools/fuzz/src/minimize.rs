//! Minimizes a failing program.

use crate::program::Program;

/// Applies steps of `Program::shrink` while `fails` holds of the result.
///
/// Every step makes the program smaller, so this terminates. After a step the search continues
/// where it was: edits that failed a moment ago seldom help now, and come last.
pub fn minimize(mut program: Program, fails: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut position = 0;
    'smaller: loop {
        let mut candidates = program.shrink();
        if candidates.is_empty() {
            return program;
        }
        let count = candidates.len();
        candidates.rotate_left(position % count);
        for (n, candidate) in candidates.into_iter().enumerate() {
            if fails(&candidate) {
                position = (position + n) % count;
                program = candidate;
                continue 'smaller;
            }
        }
        return program;
    }
}
