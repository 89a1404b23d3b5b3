//! Stacks of coroutines, shared by all programs of the process.
//!
//! A process has few mappings of memory (65,530 on Linux by default), and a stack with its guard
//! page takes two: programs that kept stacks of their own would use them up. What a launch leaves
//! serves the next one, of any program.

use corosensei::stack::DefaultStack;
use std::sync::{Mutex, PoisonError};

/// A stack, with the bytes that were asked for.
pub(super) struct Stack {
    pub bytes: usize,
    pub memory: DefaultStack,
}

/// Stacks that no coroutine runs on.
#[derive(Default)]
struct Free(Vec<Stack>);

impl Free {
    /// A stack of at least so many bytes; a new one takes the place of one that is too small.
    fn take(&mut self, bytes: usize) -> Stack {
        if let Some(place) = self.0.iter().rposition(|stack| stack.bytes >= bytes) {
            return self.0.swap_remove(place);
        }
        self.0.pop();
        let memory = DefaultStack::new(bytes).expect("address space for a coroutine's stack");
        Stack { bytes, memory }
    }
}

static FREE: Mutex<Free> = Mutex::new(Free(Vec::new()));

/// A stack of at least so many bytes.
pub(super) fn take(bytes: usize) -> Stack {
    FREE.lock().unwrap_or_else(PoisonError::into_inner).take(bytes)
}

/// Keeps a stack for a later launch.
pub(super) fn give_back(stack: Stack) {
    FREE.lock().unwrap_or_else(PoisonError::into_inner).0.push(stack);
}

#[cfg(test)]
mod tests {
    use super::Free;

    const BYTES: usize = 64 * 1024;

    #[test]
    fn there_are_as_many_stacks_as_run_at_once() {
        let mut free = Free::default();
        for program in 0..10 {
            // Later programs need more on the stacks of their threads.
            let bytes = BYTES + program * 4096;
            let running = (0..5).map(|_| free.take(bytes)).collect::<Vec<_>>();
            assert!(running.iter().all(|stack| stack.bytes >= bytes) && free.0.is_empty());
            free.0.extend(running);
        }
        let kept = free.take(BYTES);
        assert_eq!((kept.bytes, free.0.len()), (BYTES + 9 * 4096, 4));
    }
}
