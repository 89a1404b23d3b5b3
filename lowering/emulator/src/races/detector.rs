//! The race detector of one worker, which processes accesses and synchronizations.
//!
//! Shared memory is checked block by block. Global memory is checked, if requested, over the
//! launch: its cells are allocated by pages on first access, and kept until the end.

use super::clocks::Clocks;
use super::shadow::{Cell, Kind, Lifetime, Stamp, Wrong};
use crate::execute::context::Range;
use crate::execute::launch::Prepared;
use crate::program::Races;

/// Cells of global memory that are allocated together.
const CELLS_PER_PAGE: u64 = 1024;

/// An access, as compiled code reports it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noted {
    pub(crate) thread: u32,
    pub(crate) site: u32,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    pub(crate) kind: Kind,
}

/// The fault of an access, and its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) address: u64,
    pub(crate) wrong: Wrong,
    /// The block of the other access, if it is an earlier one.
    pub(crate) earlier_block: Option<u64>,
}

type Page = Option<Box<[Cell]>>;

/// Checks the blocks of a launch, one after the other.
#[derive(Default)]
pub(crate) struct Detector {
    clocks: Clocks,
    /// Bytes of a cell, as a power of two.
    cell_shift: u32,
    shared_base: u64,
    shared_bytes: u64,
    shared: Vec<Cell>,
    /// Watched buffers, sorted by address, with their cells.
    buffers: Vec<(Range, Vec<Page>)>,
    /// The first read in the block of memory that was uninitialised then.
    unwritten: Option<(Noted, Found)>,
    /// The number of each block, and the count at its start.
    blocks: Vec<(u64, u64)>,
}

impl Detector {
    /// A detector for the blocks of a launch, whose shared memory starts at `shared_base`.
    pub(crate) fn new(launch: &Prepared<'_>, shared_base: u64) -> Detector {
        let cell_bytes = launch.code.watched_bytes;
        let pages = |range: &Range| {
            let count = range.bytes.div_ceil(CELLS_PER_PAGE * cell_bytes);
            (*range, vec![None; count as usize])
        };
        let watched = if launch.races == Races::All { launch.ranges.as_slice() } else { &[] };
        Detector {
            clocks: Clocks::new(launch.threads_per_block(), launch.machine.warp_lanes as usize),
            cell_shift: cell_bytes.trailing_zeros(),
            shared_base,
            shared_bytes: launch.shared_bytes,
            shared: vec![Cell::NEW; launch.shared_bytes.div_ceil(cell_bytes) as usize],
            buffers: watched.iter().map(pages).collect(),
            unwritten: None,
            blocks: Vec::new(),
        }
    }

    /// Starts a block.
    pub(crate) fn begin_block(&mut self, number: u64) {
        self.clocks.begin_block();
        self.unwritten = None;
        if !self.buffers.is_empty() {
            self.blocks.push((self.clocks.start(), number));
        }
    }

    /// All events of the threads so far happen before all their later ones.
    pub(crate) fn synchronize(&mut self, threads: &[usize]) {
        self.clocks.synchronize(threads);
    }

    /// Records an access to valid memory; returns the race that it is in.
    ///
    /// A read of uninitialised memory is kept for the end of the block: if an unordered write
    /// follows, then that is the race, which the order of this run hid.
    pub(crate) fn note(&mut self, noted: Noted) -> Option<Found> {
        let Noted { thread, site, address, bytes, kind } = noted;
        let clock = self.clocks.now(thread as usize);
        let new = Stamp { clock, site, thread: thread as u16, kind };
        let start = self.clocks.start();
        let (mut race, mut unwritten) = (None, None);
        self.visit(address, bytes, |cell, at, clocks, lifetime| {
            match cell.visit(new, clocks, lifetime) {
                Some(Wrong::Race(old)) => race = race.or(Some((at.max(address), old))),
                Some(Wrong::Unwritten) => unwritten = unwritten.or(Some(at.max(address))),
                None => {}
            }
        });
        if let Some(address) = unwritten {
            let found = Found { address, wrong: Wrong::Unwritten, earlier_block: None };
            self.unwritten.get_or_insert((noted, found));
        }
        let (address, old) = race?;
        let earlier_block = (old.clock <= start).then(|| self.block_of(old.clock));
        Some(Found { address, wrong: Wrong::Race(old), earlier_block })
    }

    /// The first read in the block of memory that was uninitialised then.
    pub(crate) fn unwritten(&self) -> Option<(Noted, Found)> {
        self.unwritten
    }

    /// An asynchronous copy of that thread has written, for later accesses.
    pub(crate) fn settle(&mut self, noted: Noted) {
        let Noted { thread, site, address, bytes, .. } = noted;
        let clock = self.clocks.now(thread as usize);
        let new = Stamp { clock, site, thread: thread as u16, kind: Kind::Store };
        self.visit(address, bytes, |cell, _, _, _| cell.settle(new));
    }

    /// Calls `each` with the cells of some bytes, their addresses, the clocks and the lifetime.
    fn visit(
        &mut self,
        address: u64,
        bytes: u64,
        mut each: impl FnMut(&mut Cell, u64, &Clocks, Lifetime),
    ) {
        if bytes == 0 {
            return;
        }
        let shift = self.cell_shift;
        let cells = |base: u64| (address - base) >> shift..=(address - base + bytes - 1) >> shift;
        if address >= self.shared_base && address - self.shared_base < self.shared_bytes {
            for index in cells(self.shared_base) {
                let at = self.shared_base + (index << shift);
                each(&mut self.shared[index as usize], at, &self.clocks, Lifetime::Block);
            }
            return;
        }
        let after = self.buffers.partition_point(|(range, _)| range.base <= address);
        let Some(index) = after.checked_sub(1) else { return };
        let (range, pages) = &mut self.buffers[index];
        // Neither shared nor a buffer: a variable of the thread, inaccessible to others.
        if address - range.base >= range.bytes {
            return;
        }
        for index in cells(range.base) {
            let page = &mut pages[(index / CELLS_PER_PAGE) as usize];
            let page = page.get_or_insert_with(|| vec![Cell::NEW; CELLS_PER_PAGE as usize].into());
            let cell = &mut page[(index % CELLS_PER_PAGE) as usize];
            each(cell, range.base + (index << shift), &self.clocks, Lifetime::Launch);
        }
    }

    /// The block of a count.
    fn block_of(&self, clock: u64) -> u64 {
        let after = self.blocks.partition_point(|(start, _)| *start < clock);
        self.blocks[after.saturating_sub(1)].1
    }
}
