//! Shadow memory: the last store of each cell, and the accesses since.
//!
//! A cell is as large as the smallest access of the kernel, so that every access covers whole cells
//! and there are no false positives between neighbours. Of the accesses since the last store, one
//! is dropped if a later one of the same kind is ordered after it: whatever follows the later one
//! follows the earlier one too.

use super::clocks::Clocks;

/// How an access uses a memory cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Load,
    Store,
    /// Reads and writes; atomic operations do not conflict with each other.
    Atomic,
    /// The write of an asynchronous copy that its thread has not waited for.
    Pending,
}

/// An access: thread, time, and site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// 0 for none.
    pub(crate) clock: u64,
    pub(crate) site: u32,
    pub(crate) thread: u16,
    pub(crate) kind: Kind,
}

impl Stamp {
    const NONE: Stamp = Stamp { clock: 0, site: 0, thread: 0, kind: Kind::Store };
}

/// How accesses of earlier blocks count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lifetime {
    /// The memory is the block's own: they do not, and it is uninitialised again.
    Block,
    /// Blocks of a launch are unordered: they conflict.
    Launch,
}

/// The fault of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// It is unordered with this earlier one.
    Race(Stamp),
    /// It reads uninitialised memory.
    Unwritten,
}

/// The shadow of one memory cell.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    store: Stamp,
    /// Loads and atomic operations since the store.
    since: Vec<Stamp>,
}

impl Cell {
    pub(crate) const NEW: Cell = Cell { store: Stamp::NONE, since: Vec::new() };

    /// Records an access; returns its fault. After a race the cell is unchanged.
    pub(crate) fn visit(
        &mut self,
        new: Stamp,
        clocks: &Clocks,
        lifetime: Lifetime,
    ) -> Option<Wrong> {
        if lifetime == Lifetime::Block {
            self.forget(clocks.start());
        }
        let same =
            |old: &Stamp| (old.thread, old.clock, old.kind) == (new.thread, new.clock, new.kind);
        if self.since.iter().any(same) {
            return None;
        }
        if self.store.clock != 0 && !is_past(&self.store, &new, clocks) {
            return Some(Wrong::Race(self.store));
        }
        let conflicts = |old: &&Stamp| {
            let harmless = old.kind == new.kind && matches!(new.kind, Kind::Load | Kind::Atomic);
            !harmless && !is_past(old, &new, clocks)
        };
        if let Some(old) = self.since.iter().find(conflicts) {
            return Some(Wrong::Race(*old));
        }
        let is_unwritten = lifetime == Lifetime::Block && reads(new.kind) && !self.is_written();
        match new.kind {
            Kind::Store | Kind::Pending => {
                self.since.clear();
                self.store = new;
            }
            Kind::Load | Kind::Atomic => self.add(new, clocks),
        }
        is_unwritten.then_some(Wrong::Unwritten)
    }

    /// The write of an asynchronous copy is done, as if its thread had stored now.
    pub(crate) fn settle(&mut self, new: Stamp) {
        if self.store.kind == Kind::Pending && self.store.thread == new.thread {
            self.store = new;
        }
    }

    /// Adds a load or an atomic operation, replacing those that it subsumes.
    fn add(&mut self, new: Stamp, clocks: &Clocks) {
        let mut has_earlier = false;
        self.since.retain(|old| {
            if old.kind != new.kind {
                return true;
            }
            // Of the accesses of earlier blocks one is enough: they conflict with the same.
            let is_earlier = old.clock <= clocks.start();
            let goes = is_past(old, &new, clocks) || (is_earlier && has_earlier);
            has_earlier |= is_earlier;
            !goes
        });
        self.since.push(new);
    }

    /// Drops what earlier blocks did.
    fn forget(&mut self, start: u64) {
        if self.store.clock <= start {
            self.store = Stamp::NONE;
        }
        if self.since.first().is_some_and(|old| old.clock <= start) {
            self.since.retain(|old| old.clock > start);
        }
    }

    fn is_written(&self) -> bool {
        self.store.clock != 0 || self.since.iter().any(|old| old.kind == Kind::Atomic)
    }
}

fn reads(kind: Kind) -> bool {
    matches!(kind, Kind::Load | Kind::Atomic)
}

/// True if `old` is known to come before `new`.
fn is_past(old: &Stamp, new: &Stamp, clocks: &Clocks) -> bool {
    old.clock > clocks.start()
        && old.kind != Kind::Pending
        && clocks.is_past(usize::from(new.thread), usize::from(old.thread), old.clock)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(clocks: &Clocks, thread: usize, kind: Kind) -> Stamp {
        Stamp { clock: clocks.now(thread), site: thread as u32, thread: thread as u16, kind }
    }

    fn started(threads: usize) -> Clocks {
        let mut clocks = Clocks::new(threads, 4);
        clocks.begin_block();
        clocks
    }

    #[test]
    fn of_many_readers_each_is_remembered() {
        for reader in 1..8 {
            let mut clocks = started(8);
            let mut cell = Cell::NEW;
            let mut visit = |clocks: &Clocks, thread, kind| {
                cell.visit(access(clocks, thread, kind), clocks, Lifetime::Block)
            };
            assert_eq!(visit(&clocks, 0, Kind::Store), None);
            clocks.synchronize(&[0, 1, 2, 3, 4, 5, 6, 7]);
            for thread in 0..8 {
                assert_eq!(visit(&clocks, thread, Kind::Load), None);
            }
            let others: Vec<usize> = (0..8).filter(|thread| *thread != reader).collect();
            clocks.synchronize(&others);
            let Some(Wrong::Race(old)) = visit(&clocks, 0, Kind::Store) else { panic!("a race") };
            assert_eq!(usize::from(old.thread), reader);
        }
    }

    #[test]
    fn atomics_conflict_with_plain_accesses_only() {
        let clocks = started(4);
        for (kind, wrong) in [(Kind::Load, true), (Kind::Store, true), (Kind::Atomic, false)] {
            let mut cell = Cell::NEW;
            cell.visit(access(&clocks, 0, Kind::Store), &clocks, Lifetime::Block);
            let first = cell.visit(access(&clocks, 0, Kind::Atomic), &clocks, Lifetime::Block);
            assert_eq!(first, None);
            cell.store = Stamp::NONE;
            let second = cell.visit(access(&clocks, 1, kind), &clocks, Lifetime::Block);
            assert_eq!(matches!(second, Some(Wrong::Race(_))), wrong, "{kind:?}");
        }
    }

    #[test]
    fn blocks_share_no_shared_memory_but_a_launch() {
        let mut clocks = started(4);
        let (mut shared, mut global) = (Cell::NEW, Cell::NEW);
        let store = access(&clocks, 0, Kind::Store);
        assert_eq!(shared.visit(store, &clocks, Lifetime::Block), None);
        assert_eq!(global.visit(store, &clocks, Lifetime::Launch), None);
        clocks.begin_block();
        let load = access(&clocks, 0, Kind::Load);
        assert_eq!(shared.visit(load, &clocks, Lifetime::Block), Some(Wrong::Unwritten));
        assert_eq!(global.visit(load, &clocks, Lifetime::Launch), Some(Wrong::Race(store)));
    }

    #[test]
    fn a_copy_is_in_flight_until_it_is_settled() {
        let clocks = started(4);
        let mut cell = Cell::NEW;
        let copy = access(&clocks, 2, Kind::Pending);
        assert_eq!(cell.visit(copy, &clocks, Lifetime::Block), None);
        let own = access(&clocks, 2, Kind::Load);
        assert_eq!(cell.visit(own, &clocks, Lifetime::Block), Some(Wrong::Race(copy)));
        cell.settle(access(&clocks, 2, Kind::Store));
        assert_eq!(cell.visit(own, &clocks, Lifetime::Block), None);
    }
}
