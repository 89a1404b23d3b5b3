//! Slice-and-interleave: parts of expressions are moved forward to where their labels are seen.
//!
//! After each operation of an order, the labels seen are the available values; a label that occurs
//! once may be loaded on demand. A later expression that reads such labels alone, from a minimal
//! one grown to its parents for as long as they do, is moved forward if fewer registers are live
//! after it than without it. Equal expressions are one item: common subexpressions are eliminated
//! before.
//!
//! Method: Rawat et al., Register Optimizations for Stencils on GPUs, PPoPP 2018, algorithm 3.

use crate::{
    schedule::Statistics,
    walk::{Graph, Walk},
};

/// How many items an expression that is moved may add at a time.
const ITEMS_GROWN: usize = 64;

/// Uses of a label beyond which an operation that reads it offers them no more: the address that
/// all reads of a body share would be looked through once for each of them.
pub const USERS_MAX: usize = 256;

/// Moves slices forward in an order of the items that have a place in one. What is live on the way
/// through a slice stays within `most`.
pub fn interleaved(
    graph: &Graph,
    order: &[u32],
    most: u32,
    statistics: &mut Statistics,
) -> Vec<u32> {
    let mut walk = Walk::at_start(graph);
    let mut out = Vec::with_capacity(order.len());
    let left_alone = |item: &usize| graph.users[*item].len() > USERS_MAX;
    statistics.left_alone = (0..graph.len()).filter(left_alone).count();
    for &item in order {
        if walk.done[item as usize] {
            continue;
        }
        walk.push(item);
        out.push(item);
        let mut seen = out.len() - 1;
        // What is moved brings labels of its own.
        while seen < out.len() {
            let source = out[seen];
            seen += 1;
            let few = |label: &u32| graph.users[*label as usize].len() <= USERS_MAX;
            let operands = graph.operands[source as usize].iter().copied().filter(few);
            let labels = operands.chain([source]);
            for target in labels.flat_map(|label| &graph.users[label as usize]) {
                if !walk.done[*target as usize] {
                    statistics.steps += slice(&mut walk, *target, most, &mut out);
                }
            }
        }
    }
    out
}

/// Moves the best expression that begins with a target here, if there is one; the items that were
/// passed on the way.
fn slice(walk: &mut Walk<'_>, target: u32, most: u32, out: &mut Vec<u32>) -> u64 {
    let graph = walk.graph;
    let first = out.len();
    let (level, mut peak) = (walk.live, walk.live);
    let mut best = (level, first);
    let mut top = Some(target);
    while let Some(item) = top {
        let Some(steps) = cone(walk, item) else { break };
        for step in steps {
            peak = peak.max(walk.push(step));
            out.push(step);
        }
        if peak > most {
            break;
        }
        if walk.live < level && walk.live <= best.0 {
            best = (walk.live, out.len());
        }
        let users = &graph.users[item as usize];
        let alone = users.len() == 1 && !graph.live_out[item as usize];
        top = users.first().copied().filter(|&user| alone && !walk.done[user as usize]);
    }
    let passed = (out.len() - first) as u64;
    for item in out.drain(best.1..).rev() {
        walk.pull(item);
    }
    passed
}

/// What must be done for an expression, if it reads labels seen and labels that occur once.
fn cone(walk: &Walk<'_>, top: u32) -> Option<Vec<u32>> {
    let graph = walk.graph;
    let mut steps = Vec::new();
    let mut stack = vec![(top, 0)];
    while let Some((item, next)) = stack.pop() {
        if steps.len() + stack.len() > ITEMS_GROWN {
            return None;
        }
        let Some(&other) = graph.before[item as usize].get(next) else {
            if !steps.contains(&item) {
                steps.push(item);
            }
            continue;
        };
        stack.push((item, next + 1));
        if walk.done[other as usize] || steps.contains(&other) {
            continue;
        }
        let once = graph.users[other as usize].len() == 1 && !graph.live_out[other as usize];
        let value = graph.behind[other as usize].len() == 1;
        if !once || !value {
            return None;
        }
        stack.push((other, 0));
    }
    Some(steps)
}
