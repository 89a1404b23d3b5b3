//! Making a failing program small.

use crate::program::Program;

/// Takes steps of `Program::shrink` for as long as `fails` holds of one.
///
/// Every step makes the program smaller, so that this ends. After a step the search goes on where
/// it stood: edits that did not help a moment ago seldom help now, and come last.
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
