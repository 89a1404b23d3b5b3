//! From valley to valley: the best-first search for each stretch of an order.
//!
//! A state is a set of done items, reached by moves from the current one. States are
//! visited by the height of the hill on the way to them, then by the registers live in them. After
//! the first move only such moves follow as have to do with those made: they help to pass the last
//! reader of a value that the way has touched. Moves without such a tie belong to another hill.

use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::moves::{Direction, Mover};
use super::{Effort, Found};
use crate::walk::Walk;

/// A value with more readers than this that are not done dies too far away to aim at.
const READERS_IN_SIGHT: usize = 12;
/// How many items may stand between a value that is touched and the moves towards its readers.
const ITEMS_IN_SIGHT: usize = 48;

/// States visited for each stretch when the effort is used up.
const STATES_AT_LEAST: usize = 4;

/// Leads a walk to its other end.
pub fn best_first(walk: Walk<'_>, direction: Direction, effort: &mut Effort, floor: u32) -> Found {
    let (visited, seen) = (vec![0; walk.graph.len()], vec![0; walk.graph.len()]);
    let (wanted, stack, way) = (Vec::new(), Vec::new(), Vec::new());
    let mover = Mover::new(walk, direction);
    let mut search =
        BestFirst { mover, peak: 0, effort: *effort, visited, seen, visit: 0, wanted, stack, way };
    search.peak = search.mover.walk.live.max(floor);
    let mut order = Vec::with_capacity(search.mover.walk.graph.len());
    search.mover.settle_all(&mut order);
    loop {
        let targets = search.targets();
        if targets.is_empty() {
            break;
        }
        let mut stretch = search.stretch(&targets);
        let mut made = Vec::new();
        for target in stretch.drain(..) {
            let peak = search.mover.advance(target, &mut made);
            search.peak = search.peak.max(peak);
        }
        order.append(&mut made);
    }
    effort.steps = effort.steps.saturating_sub(search.mover.steps);
    effort.passed += search.mover.steps;
    // Leaves without users have no reader; a target has fetched every other.
    Found { order, peak: search.peak }
}

struct BestFirst<'a> {
    mover: Mover<'a>,
    /// The highest point so far: what is lower costs nothing.
    peak: u32,
    /// What there is to spend.
    effort: Effort,
    /// The last visit to each item on the way to a move, and the visit under way.
    visited: Vec<u64>,
    /// The last visit to each value that a way reads or makes.
    seen: Vec<u64>,
    visit: u64,
    /// Memory of [`BestFirst::related`] and [`BestFirst::towards`], empty between calls.
    wanted: Vec<u32>,
    stack: Vec<u32>,
    /// The states from the start of a stretch to where the walk stands.
    way: Vec<usize>,
}

/// A state, by the move that leads to it.
struct State {
    parent: Option<usize>,
    target: u32,
    /// The items passed by the move, among those of all moves.
    steps: Range<usize>,
    live: u32,
    peak: u32,
    /// Identifies the set of items.
    hash: u64,
}

impl BestFirst<'_> {
    fn is_spent(&self) -> bool {
        self.mover.steps > self.effort.steps
    }

    /// What a first move may aim at.
    fn targets(&self) -> Vec<u32> {
        let items = 0..self.mover.walk.graph.len() as u32;
        items.filter(|&item| self.mover.is_target(item)).collect()
    }

    /// The moves to the next valley.
    fn stretch(&mut self, targets: &[u32]) -> Vec<u32> {
        let level = self.mover.walk.live;
        let mut states: Vec<State> = Vec::new();
        let mut passed = Vec::new();
        let mut queue = BinaryHeap::new();
        let mut seen = FxHashSet::from_iter([0]);
        let mut path = Vec::new();
        let mut parent = None;
        let mut left = self.effort.states;
        let mut near = targets.to_vec();
        loop {
            if let Some(at) = parent {
                self.walk_to(&states, &passed, at, &mut path);
                self.related(&path, &mut near);
            }
            for &target in &near {
                let from = parent.map(|at| &states[at]);
                let state = self.try_move(target, from, parent, &mut passed);
                if !seen.insert(state.hash) {
                    passed.truncate(state.steps.start);
                } else {
                    let key = (state.peak, state.live, states.len());
                    queue.push(Reverse(key));
                    states.push(state);
                }
            }
            let Some(&Reverse((peak, live, at))) = queue.peek() else {
                // Nothing is left to move: the way here ends at the other end of the code.
                self.walk_back(&path);
                let at = parent.expect("the first targets make states");
                return way(&states, at);
            };
            debug_assert!(peak >= live);
            left = left.saturating_sub(1);
            let visited = self.effort.states - left;
            if live <= level || left == 0 || (visited > STATES_AT_LEAST && self.is_spent()) {
                self.walk_back(&path);
                return way(&states, at);
            }
            queue.pop();
            parent = Some(at);
        }
    }

    /// Goes from where the walk stands to another state of the stretch. The effort is that of the
    /// way from the start of the stretch and back, however short the way from here is.
    fn walk_to(&mut self, states: &[State], passed: &[u32], at: usize, path: &mut Vec<u32>) {
        let mut chain = Vec::new();
        let mut next = Some(at);
        while let Some(at) = next {
            chain.push(at);
            next = states[at].parent;
        }
        chain.reverse();
        let before = self.mover.steps;
        let same = chain.iter().zip(&self.way).take_while(|(one, other)| one == other).count();
        let kept: usize = chain[..same].iter().map(|&at| states[at].steps.len()).sum();
        self.mover.undo(&path[kept..]);
        path.truncate(kept);
        for &at in &chain[same..] {
            for &item in &passed[states[at].steps.clone()] {
                self.mover.step(item);
                path.push(item);
            }
        }
        self.mover.steps = before + 2 * path.len() as u64;
        self.way = chain;
    }

    /// Goes back to the start of the stretch.
    fn walk_back(&mut self, path: &[u32]) {
        let steps = self.mover.steps;
        self.mover.undo(path);
        self.mover.steps = steps;
        self.way.clear();
    }

    /// The state after a move, whose items are added to `passed`; the walk is left where it was.
    fn try_move(
        &mut self,
        target: u32,
        from: Option<&State>,
        parent: Option<usize>,
        passed: &mut Vec<u32>,
    ) -> State {
        let first = passed.len();
        let peak = self.mover.advance(target, passed);
        let steps = first..passed.len();
        let live = self.mover.walk.live;
        self.mover.undo(&passed[first..]);
        let (base, hash) = from.map_or((self.peak, 0), |from| (from.peak, from.hash));
        let hash = passed[first..].iter().fold(hash, |hash, &item| hash ^ scatter(item));
        State { parent, target, steps, live, peak: peak.max(base), hash }
    }

    /// The moves that have to do with a path, in ascending order.
    fn related(&mut self, path: &[u32], targets: &mut Vec<u32>) {
        let graph = self.mover.walk.graph;
        let forward = self.mover.direction == Direction::Forward;
        let mut wanted = std::mem::take(&mut self.wanted);
        self.visit += 1;
        for &item in path {
            let own = forward.then_some(item);
            for value in graph.operands[item as usize].iter().copied().chain(own) {
                if std::mem::replace(&mut self.seen[value as usize], self.visit) == self.visit {
                    continue;
                }
                let users = graph.users[value as usize].iter().copied();
                let open = users.filter(|&user| !self.mover.passed(user));
                if open.clone().nth(READERS_IN_SIGHT).is_none() {
                    wanted.extend(open);
                }
                if !forward && !self.mover.passed(value) {
                    wanted.push(value);
                }
            }
        }
        targets.clear();
        for item in wanted.drain(..) {
            self.towards(item, targets);
        }
        self.wanted = wanted;
        targets.sort_unstable();
    }

    /// The moves that must be made before an item can be passed, or that pass it.
    fn towards(&mut self, item: u32, targets: &mut Vec<u32>) {
        let graph = self.mover.walk.graph;
        let mut stack = std::mem::take(&mut self.stack);
        stack.push(item);
        let mut left = ITEMS_IN_SIGHT;
        while let Some(item) = stack.pop() {
            if self.mover.passed(item) || left == 0 || self.visited[item as usize] == self.visit {
                continue;
            }
            self.visited[item as usize] = self.visit;
            left -= 1;
            if self.mover.is_target(item) {
                targets.push(item);
                continue;
            }
            match self.mover.direction {
                Direction::Forward => stack.extend(&graph.before[item as usize]),
                Direction::Backward => stack.extend(&graph.behind[item as usize]),
            }
        }
        self.stack = stack;
    }
}

/// The targets on the way to a state.
fn way(states: &[State], at: usize) -> Vec<u32> {
    let mut targets = Vec::new();
    let mut next = Some(at);
    while let Some(at) = next {
        targets.push(states[at].target);
        next = states[at].parent;
    }
    targets.reverse();
    targets
}

/// A number for an item whose exclusive or identifies a set.
pub fn scatter(item: u32) -> u64 {
    let mut x = u64::from(item).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
