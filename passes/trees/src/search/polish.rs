//! Better orders of the items in a window, window by window.
//!
//! What is live before and after a window does not depend on the order within. So a window is
//! code of its own: what is live before it is live-in, what is live after it is live-out, and the
//! search finds an order of it. Small windows are searched almost completely, which long code is
//! not; windows overlap, so that an item can travel far.

use rustc_hash::FxHashSet;

use super::best_first::scatter;
use super::{Effort, Found, search};
use crate::walk::{Graph, Walk};
use stencil_code::Lists;

/// Items of a window, for one sweep after the other.
const WINDOWS: [usize; 5] = [16, 32, 64, 128, 256];
/// The same for windows that hold the peak.
const WINDOWS_AT_PEAK: [usize; 4] = [48, 96, 192, 384];
/// How many times more states are visited there.
const STATES_AT_PEAK: usize = 4;

/// What an order of a window costs: its peak, then the registers live on the whole.
type Cost = (u32, u64);

/// Sweeps windows of growing size over an order until nothing improves, `sweeps` are done, or
/// the effort is used up; then sweeps the windows that hold the peak, with more states.
pub fn polish(graph: &Graph, found: Found, effort: &mut Effort, sweeps: usize) -> Found {
    let mut polisher = Polisher { graph, order: found.order, effort, tried: FxHashSet::default() };
    polisher.settle(&WINDOWS, sweeps, |_| 0);
    polisher.effort.states *= STATES_AT_PEAK;
    polisher.tried.clear();
    polisher.settle(&WINDOWS_AT_PEAK, sweeps, Polisher::peak);
    let peak = polisher.peak();
    Found { order: polisher.order, peak }
}

struct Polisher<'a> {
    graph: &'a Graph,
    order: Vec<u32>,
    effort: &'a mut Effort,
    /// Windows that have been searched, by what is before them and in them.
    tried: FxHashSet<u64>,
}

impl Polisher<'_> {
    /// Sweeps until nothing improves, over windows that need as much as `least` says.
    fn settle(&mut self, sizes: &[usize], sweeps: usize, least: impl Fn(&Self) -> u32) {
        for _ in 0..sweeps {
            let mut better = false;
            for &size in sizes {
                better |= self.sweep(size, least(self));
            }
            if !better {
                break;
            }
        }
    }

    /// The most registers live in the order.
    fn peak(&self) -> u32 {
        cost(&mut Walk::at_start(self.graph), &self.order).0
    }

    /// One window after the other, each half a window further; whether any order has improved.
    fn sweep(&mut self, size: usize, least: u32) -> bool {
        let mut walk = Walk::at_start(self.graph);
        let mut better = false;
        let (mut start, mut before) = (0, 0_u64);
        while start < self.order.len() {
            let end = (start + size).min(self.order.len());
            let window = &mut self.order[start..end];
            // The items before a window make a set, those in it an order.
            let mix = |key: u64, item: &u32| key.wrapping_mul(0x100_0000_01b3) ^ scatter(*item);
            let key = window.iter().fold(before, mix);
            let left = self.effort.steps > 0;
            if left && cost(&mut walk, window).0 >= least && self.tried.insert(key) {
                better |= reorder(&mut walk, window, self.effort);
            }
            let stride = size.div_ceil(2).min(self.order.len() - start);
            for &item in &self.order[start..start + stride] {
                walk.push(item);
                before ^= scatter(item);
            }
            start += stride;
        }
        better
    }
}

/// Searches an order of a window that begins where the walk stands.
fn reorder(walk: &mut Walk<'_>, window: &mut [u32], effort: &mut Effort) -> bool {
    let old = cost(walk, window);
    let part = Part::new(walk, window);
    let through = walk.live - Walk::at_start(&part.graph).live;
    let lower = (old.0 - through).saturating_sub(1);
    let mut found = search(&part.graph, effort, 0).to_vec();
    found.extend(search(&part.graph, effort, lower));
    let best = found.into_iter().map(|found| {
        let order: Vec<u32> = found.order.iter().map(|&id| part.items[id as usize]).collect();
        (cost(walk, &order), order)
    });
    let Some((new, order)) = best.min() else { return false };
    if new < old {
        window.copy_from_slice(&order);
    }
    new < old
}

/// What an order costs from where a walk stands; the walk is left there.
fn cost(walk: &mut Walk<'_>, order: &[u32]) -> Cost {
    let (mut peak, mut sum) = (walk.live, 0);
    for &item in order {
        peak = peak.max(walk.push(item));
        sum += u64::from(walk.live);
    }
    for &item in order.iter().rev() {
        walk.pull(item);
    }
    (peak, sum)
}

/// A window as code of its own.
struct Part {
    graph: Graph,
    /// The item of the whole code that each item is.
    items: Vec<u32>,
}

impl Part {
    /// The items of a window, and the values live before it as given items.
    fn new(walk: &Walk<'_>, window: &[u32]) -> Self {
        let whole = walk.graph;
        let mut items: Vec<u32> = window.to_vec();
        items.sort_unstable();
        let inside = items.len();
        for &item in window {
            let alive = |&&operand: &&u32| walk.done[operand as usize];
            items.extend(whole.operands[item as usize].iter().filter(alive));
        }
        items[inside..].sort_unstable();
        items.dedup();
        let (made, given) = items.split_at(inside);
        let place = |item: &u32| -> Option<u32> {
            let at = made.binary_search(item).ok();
            at.or_else(|| given.binary_search(item).ok().map(|at| at + inside)).map(|at| at as u32)
        };
        // What is given has neighbours, but none that matter.
        let near = |of: &Lists, at: usize| -> Vec<u32> {
            match at < inside {
                true => of[items[at] as usize].iter().filter_map(place).collect(),
                false => Vec::new(),
            }
        };
        let within = |of: &Lists| -> Lists {
            let is_inside = |at: &u32| (*at as usize) < inside;
            (0..items.len()).map(|at| near(of, at).into_iter().filter(is_inside)).collect()
        };
        // Operands ascend by their number in the whole code, inside first.
        let sorted = |at: usize| {
            let mut list = near(&whole.operands, at);
            list.sort_unstable();
            list
        };
        let operands: Lists = (0..items.len()).map(sorted).collect();
        let users = operands.reversed(items.len());
        let live_out: Vec<bool> = items
            .iter()
            .enumerate()
            .map(|(at, &item)| {
                let all = whole.users[item as usize].iter();
                let done = all.filter(|&&user| walk.done[user as usize]).count();
                let left = whole.users[item as usize].len() - done;
                whole.live_out[item as usize] || left > users[at].len()
            })
            .collect();
        let leaf = (0..items.len())
            .map(|at| whole.leaf[items[at] as usize] && !live_out[at] && !users[at].is_empty())
            .collect();
        let mut graph = Graph {
            before: within(&whole.before),
            behind: within(&whole.behind),
            registers: items.iter().map(|&item| whole.registers[item as usize]).collect(),
            given: (0..items.len()).map(|at| at >= inside).collect(),
            operands,
            users,
            live_out,
            leaf,
            lasting: Vec::new(),
        };
        graph.note_lasting();
        Self { graph, items }
    }
}
