//! Better orders of the items in a window, window by window.
//!
//! What is live before and behind a window does not depend on the order within. So a window is
//! code of its own: what is live before it is given, what is live behind it escapes, and the
//! search finds an order of it. Small windows are searched almost completely, which long code is
//! not; windows overlap, so that an item can travel far.

use std::collections::HashSet;

use super::climb::scatter;
use super::{Effort, Found, search};
use crate::walk::{Graph, Walk};

/// Items of a window, for one sweep after the other.
const WINDOWS: [usize; 5] = [16, 32, 64, 128, 256];

/// What an order of a window costs: its peak, then the registers live on the whole.
type Cost = (u32, u64);

/// Sweeps windows of growing size over an order until nothing improves, `sweeps` are done, or
/// the effort is used up.
pub fn polish(graph: &Graph, found: Found, effort: &mut Effort, sweeps: usize) -> Found {
    let mut order = found.order;
    let mut tried = HashSet::new();
    for _ in 0..sweeps {
        let mut better = false;
        for size in WINDOWS {
            better |= sweep(graph, &mut order, size, effort, &mut tried);
        }
        if !better {
            break;
        }
    }
    let peak = cost(Walk::at_start(graph), &order).0;
    Found { order, peak }
}

/// One window after the other, each half a window further; whether any order has improved.
fn sweep(
    graph: &Graph,
    order: &mut [u32],
    size: usize,
    effort: &mut Effort,
    tried: &mut HashSet<u64>,
) -> bool {
    let mut walk = Walk::at_start(graph);
    let mut better = false;
    let (mut start, mut before) = (0, 0_u64);
    while start < order.len() {
        let end = (start + size).min(order.len());
        let window = &mut order[start..end];
        // The items before a window make a set, those in it an order.
        let key = window
            .iter()
            .fold(before, |key, &item| key.wrapping_mul(0x100_0000_01b3) ^ scatter(item));
        if effort.steps > 0 && tried.insert(key) {
            better |= reorder(&mut walk, window, effort);
        }
        let stride = size.div_ceil(2).min(order.len() - start);
        for &item in &order[start..start + stride] {
            walk.push(item);
            before ^= scatter(item);
        }
        start += stride;
    }
    better
}

/// Searches an order of a window that begins where the walk stands.
fn reorder(walk: &mut Walk<'_>, window: &mut [u32], effort: &mut Effort) -> bool {
    let old = cost_here(walk, window);
    let part = Part::new(walk, window);
    let through = walk.live - Walk::at_start(&part.graph).live;
    let lower = (old.0 - through).saturating_sub(1);
    let mut found = search(&part.graph, effort, 0).to_vec();
    found.extend(search(&part.graph, effort, lower));
    let best = found.into_iter().map(|found| {
        let order: Vec<u32> = found.order.iter().map(|&id| part.items[id as usize]).collect();
        (cost_here(walk, &order), order)
    });
    let Some((new, order)) = best.min() else { return false };
    if new < old {
        window.copy_from_slice(&order);
    }
    new < old
}

fn cost(mut walk: Walk<'_>, order: &[u32]) -> Cost {
    cost_here(&mut walk, order)
}

/// What an order costs from where a walk stands; the walk is left there.
fn cost_here(walk: &mut Walk<'_>, order: &[u32]) -> Cost {
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
        let near = |of: &[Vec<u32>]| -> Vec<Vec<u32>> {
            let list = |item: &u32| of[*item as usize].iter().filter_map(place).collect();
            items.iter().map(list).collect()
        };
        let within = |of: &[Vec<u32>]| -> Vec<Vec<u32>> {
            let keep = |list: Vec<u32>| list.into_iter().filter(|&at| (at as usize) < inside);
            let mut lists: Vec<Vec<u32>> =
                near(of).into_iter().map(|list| keep(list).collect()).collect();
            lists[inside..].iter_mut().for_each(Vec::clear);
            lists
        };
        let mut operands = near(&whole.operands);
        operands[inside..].iter_mut().for_each(Vec::clear);
        // Operands ascend by their number in the whole code, inside first.
        operands.iter_mut().for_each(|list| list.sort_unstable());
        let users: Vec<Vec<u32>> = {
            let mut users = vec![Vec::new(); items.len()];
            for (at, list) in operands.iter().enumerate() {
                list.iter().for_each(|&operand| users[operand as usize].push(at as u32));
            }
            users
        };
        let escapes: Vec<bool> = items
            .iter()
            .zip(&users)
            .map(|(&item, users)| {
                let all = whole.users[item as usize].iter();
                let done = all.filter(|&&user| walk.done[user as usize]).count();
                let left = whole.users[item as usize].len() - done;
                whole.escapes[item as usize] || left > users.len()
            })
            .collect();
        let leaf = (0..items.len())
            .map(|at| whole.leaf[items[at] as usize] && !escapes[at] && !users[at].is_empty())
            .collect();
        let graph = Graph {
            before: within(&whole.before),
            behind: within(&whole.behind),
            registers: items.iter().map(|&item| whole.registers[item as usize]).collect(),
            given: (0..items.len()).map(|at| at >= inside).collect(),
            operands,
            users,
            escapes,
            leaf,
        };
        Self { graph, items }
    }
}
