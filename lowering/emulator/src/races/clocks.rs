//! Vector clocks of the threads of a block.
//!
//! Each thread counts its synchronizations. An event of a thread is stamped with its count; another
//! thread comes after that event if its vector clock has passed the count. A barrier of the whole
//! block synchronizes all clocks, which is one common vector (`floor`). `bar.warp.sync` updates
//! clocks of its own warp only, so vectors have an entry per lane; the first barrier of a part of
//! the block widens them to the block.

/// Clocks of consecutive blocks; they never go back, so that old events stay in the past.
#[derive(Default)]
pub(crate) struct Clocks {
    lanes: usize,
    /// The count of each thread; accesses carry it.
    own: Vec<u64>,
    /// Counts that every thread of the block knows to have passed.
    floor: Vec<u64>,
    /// Each thread's vector clock beyond that: of its warp, or of the block if `wide`.
    known: Vec<u64>,
    wide: bool,
    /// Counts up to here belong to earlier blocks.
    start: u64,
    joined: Vec<u64>,
}

impl Clocks {
    /// Clocks for the blocks of a launch.
    pub(crate) fn new(threads: usize, lanes: usize) -> Clocks {
        Clocks {
            lanes,
            own: vec![0; threads],
            floor: vec![0; threads],
            known: vec![0; threads * lanes],
            wide: false,
            start: 0,
            joined: Vec::new(),
        }
    }

    /// Starts the next block: all events until now belong to earlier ones.
    pub(crate) fn begin_block(&mut self) {
        self.start = self.own.iter().copied().max().unwrap_or(0);
        self.own.fill(self.start + 1);
        self.floor.fill(self.start);
    }

    /// Counts up to this one belong to earlier blocks.
    pub(crate) fn start(&self) -> u64 {
        self.start
    }

    /// The current count of a thread.
    pub(crate) fn now(&self, thread: usize) -> u64 {
        self.own[thread]
    }

    /// True if event `moment` of thread `other`, in this block, happens before what `thread` does
    /// now.
    pub(crate) fn is_past(&self, thread: usize, other: usize, moment: u64) -> bool {
        thread == other || moment <= self.floor[other] || moment <= self.known(thread, other)
    }

    /// All events of the members so far happen before all their later ones. Members are in
    /// ascending order.
    pub(crate) fn synchronize(&mut self, members: &[usize]) {
        if members.len() == self.own.len() {
            self.floor.copy_from_slice(&self.own);
        } else {
            let warp = |thread: &usize| thread / self.lanes;
            if members.first().map(warp) != members.last().map(warp) {
                self.widen();
            }
            self.join(members);
        }
        for member in members {
            self.own[*member] += 1;
        }
    }

    fn width(&self) -> usize {
        if self.wide { self.own.len() } else { self.lanes }
    }

    fn known(&self, thread: usize, other: usize) -> u64 {
        if self.wide {
            self.known[thread * self.own.len() + other]
        } else if thread / self.lanes == other / self.lanes {
            self.known[thread * self.lanes + other % self.lanes]
        } else {
            0
        }
    }

    /// Joins the members' vector clocks.
    fn join(&mut self, members: &[usize]) {
        let width = self.width();
        let row = |thread: usize| thread * width..(thread + 1) * width;
        let mut joined = std::mem::take(&mut self.joined);
        joined.clear();
        joined.resize(width, 0);
        for member in members {
            for (most, count) in joined.iter_mut().zip(&self.known[row(*member)]) {
                *most = (*most).max(*count);
            }
        }
        for member in members {
            joined[if self.wide { *member } else { *member % self.lanes }] = self.own[*member];
        }
        for member in members {
            self.known[row(*member)].copy_from_slice(&joined);
        }
        self.joined = joined;
    }

    /// Widens vector clocks to other warps.
    fn widen(&mut self) {
        if self.wide {
            return;
        }
        let threads = self.own.len();
        let mut known = vec![0; threads * threads];
        for thread in 0..threads {
            let first = thread / self.lanes * self.lanes;
            let count = self.lanes.min(threads - first);
            let (from, to) = (thread * self.lanes, thread * threads + first);
            known[to..to + count].copy_from_slice(&self.known[from..from + count]);
        }
        (self.known, self.wide) = (known, true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_barrier_of_the_block_orders_everything_before_it() {
        let mut clocks = Clocks::new(6, 4);
        clocks.begin_block();
        let before = clocks.now(5);
        assert!(!clocks.is_past(0, 5, before));
        assert!(clocks.is_past(5, 5, before));
        clocks.synchronize(&[0, 1, 2, 3, 4, 5]);
        assert!(clocks.is_past(0, 5, before));
        assert!(!clocks.is_past(0, 5, clocks.now(5)));
    }

    #[test]
    fn knowledge_is_passed_on_through_warps_and_parts_of_the_block() {
        let mut clocks = Clocks::new(12, 4);
        clocks.begin_block();
        let first = clocks.now(0);
        clocks.synchronize(&[0, 1]);
        assert!(clocks.is_past(1, 0, first) && !clocks.is_past(2, 0, first));
        let second = clocks.now(0);
        clocks.synchronize(&[1, 4]);
        assert!(clocks.is_past(4, 0, first) && !clocks.is_past(4, 0, second));
        clocks.synchronize(&[4, 5]);
        assert!(clocks.is_past(5, 0, first) && !clocks.is_past(8, 0, first));
        assert!(!clocks.is_past(0, 1, clocks.now(1)));
    }

    #[test]
    fn a_new_block_knows_nothing_of_itself() {
        let mut clocks = Clocks::new(4, 4);
        clocks.begin_block();
        clocks.synchronize(&[0, 1]);
        let old = clocks.now(0);
        clocks.begin_block();
        assert!(old <= clocks.start());
        assert!(!clocks.is_past(1, 0, clocks.now(0)));
    }
}
