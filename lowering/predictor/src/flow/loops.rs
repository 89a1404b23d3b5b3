//! Dominators and natural loops.

use std::collections::{BTreeMap, BTreeSet};

use super::{Block, Loop};

/// The natural loops, outer before inner.
pub fn natural(blocks: &[Block]) -> Vec<Loop> {
    let dominators = dominators(blocks);
    let mut bodies: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let predecessors = predecessors(blocks);
    for (block, it) in blocks.iter().enumerate().filter(|(_, it)| it.reachable) {
        for header in it.successors().filter(|header| dominators[block].contains(header)) {
            let body = bodies.entry(header).or_insert_with(|| BTreeSet::from([header]));
            let mut open = vec![block];
            while let Some(block) = open.pop() {
                if body.insert(block) {
                    open.extend(&predecessors[block]);
                }
            }
        }
    }
    let mut loops: Vec<Loop> = bodies
        .into_iter()
        .map(|(header, blocks)| Loop { header, blocks, parent: None, depth: 1, iterations: None })
        .collect();
    // A loop has more blocks than inner ones; loops of equal size are disjoint and keep their
    // order.
    loops.sort_by_key(|it| (std::cmp::Reverse(it.blocks.len()), it.header));
    for inner in 0..loops.len() {
        let around = |outer: &usize| loops[*outer].blocks.is_superset(&loops[inner].blocks);
        let parent = (0..inner).rev().find(around);
        loops[inner].depth = parent.map_or(0, |outer| loops[outer].depth) + 1;
        loops[inner].parent = parent;
    }
    loops
}

fn predecessors(blocks: &[Block]) -> Vec<Vec<usize>> {
    let mut predecessors = vec![Vec::new(); blocks.len()];
    for (block, it) in blocks.iter().enumerate().filter(|(_, it)| it.reachable) {
        for successor in it.successors() {
            predecessors[successor].push(block);
        }
    }
    predecessors
}

/// The dominators of each block. A block without predecessors is a function's entry.
fn dominators(blocks: &[Block]) -> Vec<BTreeSet<usize>> {
    let predecessors = predecessors(blocks);
    let all: BTreeSet<usize> = (0..blocks.len()).collect();
    let begins = |block: usize| block == 0 || predecessors[block].is_empty();
    let mut dominators: Vec<BTreeSet<usize>> = (0..blocks.len())
        .map(|block| if begins(block) { BTreeSet::from([block]) } else { all.clone() })
        .collect();
    loop {
        let mut changed = false;
        for block in (0..blocks.len()).filter(|&block| !begins(block)) {
            let mut before = predecessors[block].iter().map(|&it| &dominators[it]);
            let Some(first) = before.next() else { continue };
            let mut of_block = before.fold(first.clone(), |left, right| &left & right);
            of_block.insert(block);
            if of_block != dominators[block] {
                dominators[block] = of_block;
                changed = true;
            }
        }
        if !changed {
            return dominators;
        }
    }
}
