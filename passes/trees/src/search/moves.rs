//! The moves of a search: an item that is done with the leaves it wants, or taken back, and then
//! everything that has become free.

use crate::walk::Walk;

/// Where a search begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// At the first item; moves do items.
    Forward,
    /// At the last item; moves take items back.
    Backward,
}

/// Makes moves and takes them back.
pub struct Mover<'a> {
    /// What is done.
    pub walk: Walk<'a>,
    /// Which way.
    pub direction: Direction,
    /// Steps made so far, those taken back among them.
    pub steps: u64,
    /// Items whose change of registers may have become free.
    touched: Vec<u32>,
    /// How often each item is among those.
    pending: Vec<u32>,
    /// Memory of [`Mover::fetch`], empty between calls.
    wanted: Vec<(u32, usize)>,
}

impl<'a> Mover<'a> {
    /// Starts at a walk.
    pub fn new(walk: Walk<'a>, direction: Direction) -> Self {
        let pending = vec![0; walk.graph.len()];
        let (touched, wanted) = (Vec::new(), Vec::new());
        Self { walk, direction, steps: 0, touched, pending, wanted }
    }

    /// Whether this direction has passed an item.
    pub fn passed(&self, item: u32) -> bool {
        self.walk.done[item as usize] == (self.direction == Direction::Forward)
    }

    /// Passes one item; the most registers around it.
    pub fn step(&mut self, item: u32) -> u32 {
        self.steps += 1;
        match self.direction {
            Direction::Forward => self.walk.push(item),
            Direction::Backward => self.walk.pull(item),
        }
    }

    /// Takes steps back, the last first.
    pub fn undo(&mut self, steps: &[u32]) {
        self.steps += steps.len() as u64;
        for &item in steps.iter().rev() {
            match self.direction {
                Direction::Forward => self.walk.pull(item),
                Direction::Backward => self.walk.push(item),
            };
        }
    }

    fn can_step(&self, item: u32) -> bool {
        match self.direction {
            Direction::Forward => self.walk.can_push(item),
            Direction::Backward => self.walk.can_pull(item),
        }
    }

    fn change(&self, item: u32) -> i64 {
        match self.direction {
            Direction::Forward => self.walk.push_changes(item),
            Direction::Backward => self.walk.pull_changes(item),
        }
    }

    /// Whether a move may aim at an item: backwards, it can be taken back; forwards, it is no leaf
    /// and wants nothing but leaves.
    pub fn is_target(&self, item: u32) -> bool {
        match self.direction {
            Direction::Backward => self.walk.can_pull(item),
            Direction::Forward => {
                let graph = self.walk.graph;
                let done = |&other: &u32| self.walk.done[other as usize];
                !self.passed(item)
                    && !graph.leaf[item as usize]
                    && graph.before[item as usize]
                        .iter()
                        .all(|other| done(other) || graph.leaf[*other as usize])
            }
        }
    }

    /// Passes a target, what it wants first, and everything that is free then. The items are added
    /// to `steps`; the result is the most registers on the way.
    pub fn advance(&mut self, target: u32, steps: &mut Vec<u32>) -> u32 {
        let first = steps.len();
        let mut peak = self.walk.live;
        if self.direction == Direction::Forward {
            self.fetch(target, steps, &mut peak);
        }
        peak = peak.max(self.step(target));
        steps.push(target);
        self.settle(first, steps);
        peak
    }

    /// Does the leaves that a target wants, leaves of leaves first.
    fn fetch(&mut self, target: u32, steps: &mut Vec<u32>, peak: &mut u32) {
        let graph = self.walk.graph;
        if graph.before[target as usize].iter().all(|&other| self.passed(other)) {
            return;
        }
        let mut stack = std::mem::take(&mut self.wanted);
        stack.push((target, 0));
        while let Some((item, next)) = stack.pop() {
            match graph.before[item as usize].get(next) {
                Some(&other) => {
                    stack.push((item, next + 1));
                    if !self.passed(other) {
                        stack.push((other, 0));
                    }
                }
                None if item != target && !self.passed(item) => {
                    *peak = (*peak).max(self.step(item));
                    steps.push(item);
                }
                None => {}
            }
        }
        self.wanted = stack;
    }

    /// Passes all that is free, given that steps from `first` on are new.
    fn settle(&mut self, first: usize, steps: &mut Vec<u32>) {
        for &item in &steps[first..] {
            self.touch(item);
        }
        self.drain(steps);
    }

    /// Passes all that is free anywhere.
    pub fn settle_all(&mut self, steps: &mut Vec<u32>) {
        (0..self.walk.graph.len() as u32).rev().for_each(|item| self.look_at(item));
        self.drain(steps);
    }

    fn drain(&mut self, steps: &mut Vec<u32>) {
        while let Some(item) = self.touched.pop() {
            self.pending[item as usize] -= 1;
            if self.can_step(item) && self.change(item) <= 0 {
                self.step(item);
                steps.push(item);
                self.touch(item);
            }
        }
    }

    fn look_at(&mut self, item: u32) {
        self.pending[item as usize] += 1;
        self.touched.push(item);
    }

    /// Marks the items that a step may have made free: those next to it, and those that share an
    /// operand with it, if the step has changed what they would free.
    fn touch(&mut self, item: u32) {
        let graph = self.walk.graph;
        let is_forward = self.direction == Direction::Forward;
        let near = if is_forward { &graph.behind } else { &graph.before };
        near[item as usize].iter().rev().for_each(|&other| self.look_at(other));
        for &operand in graph.operands[item as usize].iter().rev() {
            // Forwards, the last reader of a value frees it; backwards, the first one that is taken
            // back has it live, at which all others take it for nothing.
            let is_changed = self.walk.readers(operand) == 1;
            if !is_changed && self.touched.is_empty() {
                continue;
            }
            for &user in graph.users[operand as usize].iter().rev() {
                // One that waits already is looked at sooner: so the order of what is free depends
                // on the steps, not on what they change.
                let is_open = self.walk.done[user as usize] != is_forward;
                if is_open && (is_changed || self.pending[user as usize] > 0) {
                    self.look_at(user);
                }
            }
        }
    }
}
