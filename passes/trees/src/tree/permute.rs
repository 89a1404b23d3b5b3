//! Permutations of children, or of parts of a cluster: depth first, cut where they cannot pay.
//!
//! What an order still costs depends on the set of children that are done, not on their order. So
//! a permutation is cut when another has reached the same set over a hill that is no higher, and
//! when it is no better than the best so far. The search ends within the distance of the bound.

use std::collections::HashMap;

use super::evaluate::{Evaluator, Shape, Spot, Way};
use super::{Labels, NodeId};

/// Permutations, depth first.
pub struct Permutation<'a> {
    shape: Shape,
    later: &'a Labels,
    bound: u32,
    best: Way,
    /// The lowest hill to each set of units, by what is left.
    seen: HashMap<Vec<NodeId>, u32>,
    order: Vec<NodeId>,
}

impl<'a> Permutation<'a> {
    /// Nothing has been tried.
    pub fn new(shape: Shape, later: &'a Labels, bound: u32) -> Self {
        let (seen, order) = (HashMap::new(), Vec::new());
        Self { shape, later, bound, best: (u32::MAX, Vec::new()), seen, order }
    }

    /// The best order of some units from a spot.
    pub fn best(mut self, evaluator: &mut Evaluator<'_>, spot: &Spot, units: &[&[NodeId]]) -> Way {
        self.dive(evaluator, spot, units, 0);
        self.best
    }

    fn dive(&mut self, evaluator: &mut Evaluator<'_>, spot: &Spot, left: &[&[NodeId]], cost: u32) {
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
            let unit = rest.remove(at);
            let later = rest
                .iter()
                .fold(self.later.clone(), |later, other| evaluator.wanted(other, &later));
            let (peak, order, next) = self.pass(evaluator, spot, unit, &later);
            let cost = cost.max(peak);
            if cost >= self.best.0 {
                continue;
            }
            // The first child of a sum may be pinned: then the set does not say all.
            if !self.order.is_empty() && !rest.is_empty() {
                let heads = rest.iter().map(|unit| unit[0]).collect();
                let known = self.seen.entry(heads).or_insert(u32::MAX);
                if *known <= cost {
                    continue;
                }
                *known = cost;
            }
            let length = self.order.len();
            self.order.extend(order);
            self.dive(evaluator, &next, &rest, cost);
            self.order.truncate(length);
        }
    }

    /// Evaluates a unit: a child, or the members of a part in their best order.
    fn pass(
        &self,
        evaluator: &mut Evaluator<'_>,
        spot: &Spot,
        unit: &[NodeId],
        later: &Labels,
    ) -> (u32, Vec<NodeId>, Spot) {
        evaluator.steps += 1;
        if let [child] = *unit {
            let (peak, next) = evaluator.step(self.shape, spot, child, later);
            return (peak, vec![child], next);
        }
        let (peak, order) = evaluator.permute(self.shape, spot, unit, later, self.bound);
        let next = evaluator.follow(self.shape, spot, &order, later).1;
        (peak, order, next)
    }
}
