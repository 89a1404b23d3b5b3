//! Asynchronous copies of one thread: issued, committed in groups, waited for.
//!
//! PTX only guarantees that a copy is done when its thread has waited for it (`cp.async`). Here it
//! is done at that wait, so that a premature read sees old data; a copy without a wait is never
//! done.

/// A copy from global to shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AsyncCopy {
    /// The checked operation that it is.
    pub(crate) site: u32,
    /// That of its source.
    pub(crate) source_site: u32,
    pub(crate) target: u64,
    pub(crate) source: u64,
    /// Bytes that are written; zeros from `source_bytes` on.
    pub(crate) bytes: u32,
    pub(crate) source_bytes: u32,
}

/// Copies that a thread has not waited for.
#[derive(Debug, Default)]
pub(crate) struct AsyncCopies {
    /// The thread; another thread in the same context starts without copies.
    owner: u32,
    /// The number of the current group.
    groups: u32,
    /// Copies with their groups, oldest first.
    pending: Vec<(u32, AsyncCopy)>,
}

impl AsyncCopies {
    /// Resets the state, for the next block.
    pub(crate) fn clear(&mut self) {
        self.groups = 0;
        self.pending.clear();
    }

    /// The copies of that thread.
    pub(crate) fn of(&mut self, thread: u32) -> &mut AsyncCopies {
        if self.owner != thread {
            self.clear();
            self.owner = thread;
        }
        self
    }

    pub(crate) fn issue(&mut self, copy: AsyncCopy) {
        self.pending.push((self.groups, copy));
    }

    /// Commits the current group; it may be empty.
    pub(crate) fn commit(&mut self) {
        self.groups += 1;
    }

    /// Removes the copies that a wait for all but the `allowed` newest groups completes, oldest
    /// first. Uncommitted copies stay.
    pub(crate) fn wait_group(&mut self, allowed: u32) -> Vec<AsyncCopy> {
        let awaited = self.groups.saturating_sub(allowed);
        let count = self.pending.partition_point(|(group, _)| *group < awaited);
        self.pending.drain(..count).map(|(_, copy)| copy).collect()
    }

    /// Removes all copies, committing the group.
    pub(crate) fn wait_all(&mut self) -> Vec<AsyncCopy> {
        self.commit();
        self.wait_group(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(site: u32) -> AsyncCopy {
        AsyncCopy { site, source_site: 0, target: 0, source: 0, bytes: 4, source_bytes: 4 }
    }

    fn sites(copies: Vec<AsyncCopy>) -> Vec<u32> {
        copies.into_iter().map(|copy| copy.site).collect()
    }

    #[test]
    fn waits_are_for_the_oldest_groups() {
        let mut copies = AsyncCopies::default();
        for group in [&[1, 2][..], &[3], &[]] {
            group.iter().for_each(|site| copies.issue(copy(*site)));
            copies.commit();
        }
        copies.issue(copy(4));
        assert_eq!(sites(copies.wait_group(3)), []);
        assert_eq!(sites(copies.wait_group(2)), [1, 2]);
        assert_eq!(sites(copies.wait_group(0)), [3]);
        assert_eq!(sites(copies.wait_group(0)), [], "in no group yet");
        assert_eq!(sites(copies.wait_all()), [4]);
    }

    #[test]
    fn a_thread_does_not_wait_for_another_ones_copies() {
        let mut copies = AsyncCopies::default();
        copies.of(1).issue(copy(1));
        assert_eq!(sites(copies.of(2).wait_all()), []);
        assert_eq!(sites(copies.of(1).wait_all()), []);
    }
}
