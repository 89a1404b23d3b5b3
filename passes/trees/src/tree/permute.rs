//! Permutations of children: depth first, cut where they cannot pay.
//!
//! What an order still costs depends on the set of children that are done, not on their order. So
//! a permutation is cut when another has reached the same set with no higher peak, and when it is
//! no better than the best so far. The search ends within the distance of the bound.

use std::collections::HashMap;

use super::evaluate::{Evaluator, Spot, Way};
use super::{Labels, NodeId};

/// Permutations, depth first.
pub struct Permutation<'a> {
    later: &'a Labels,
    bound: u32,
    best: Way,
    /// The lowest peak on the way to each set of children, by what is left.
    seen: HashMap<Vec<NodeId>, u32>,
    order: Vec<NodeId>,
}

impl<'a> Permutation<'a> {
    /// Nothing has been tried.
    pub fn new(later: &'a Labels, bound: u32) -> Self {
        let (seen, order) = (HashMap::new(), Vec::new());
        Self { later, bound, best: (u32::MAX, Vec::new()), seen, order }
    }

    /// The best order of some children from a spot.
    pub fn best(mut self, evaluator: &mut Evaluator<'_>, spot: &Spot, children: &[NodeId]) -> Way {
        self.dive(evaluator, spot, children, 0);
        self.best
    }

    fn dive(&mut self, evaluator: &mut Evaluator<'_>, spot: &Spot, left: &[NodeId], cost: u32) {
        if left.is_empty() {
            evaluator.statistics.permutations += 1;
            let cost = cost.max(evaluator.tree.weight(&spot.now) + spot.held);
            if cost < self.best.0 {
                self.best = (cost, self.order.clone());
            }
            return;
        }
        for at in 0..left.len() {
            let enough = self.best.0 <= self.bound + evaluator.options.distance;
            if self.best.0 != u32::MAX && (enough || evaluator.is_exhausted()) {
                return;
            }
            let mut rest = left.to_vec();
            let child = rest.remove(at);
            let later = evaluator.wanted(&rest, self.later);
            evaluator.steps += 1;
            let (peak, next) = evaluator.step(spot, child, &later);
            let cost = cost.max(peak);
            if cost >= self.best.0 {
                continue;
            }
            if !self.order.is_empty() && !rest.is_empty() {
                let known = self.seen.entry(rest.clone()).or_insert(u32::MAX);
                if *known <= cost {
                    continue;
                }
                *known = cost;
            }
            self.order.push(child);
            self.dive(evaluator, &next, &rest, cost);
            self.order.pop();
        }
    }
}
