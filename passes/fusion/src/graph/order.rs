//! The order of stages: paths of dependences, and sets that one kernel can compute.

use super::Graph;
use crate::StageSet;

/// The dependences between disjoint sets of stages, by their positions in a list.
pub struct Quotient {
    /// Sets that directly depend on a set.
    successors: Vec<StageSet>,
    /// Sets that a set reaches, by dependences of any number.
    reached: Vec<StageSet>,
}

impl Quotient {
    /// The dependences between sets.
    #[must_use]
    pub fn of(graph: &Graph, groups: &[StageSet]) -> Self {
        let after = |from: &StageSet| {
            let all = from.iter().fold(StageSet::EMPTY, |all, stage| all | graph.successors[stage]);
            let is_after = |to: &usize| groups[*to] != *from && !(groups[*to] & all).is_empty();
            (0..groups.len()).filter(is_after).collect::<StageSet>()
        };
        let successors = groups.iter().map(after).collect::<Vec<_>>();
        let mut reached = successors.clone();
        for third in 0..groups.len() {
            for from in 0..groups.len() {
                if reached[from].contains(third) {
                    reached[from] = reached[from] | reached[third];
                }
            }
        }
        Self { successors, reached }
    }

    /// Whether a set depends on another directly.
    #[must_use]
    pub fn depends(&self, from: usize, to: usize) -> bool {
        self.successors[from].contains(to)
    }

    /// Sets on a path from one set to another: their transitive dependence.
    #[must_use]
    pub fn through(&self, from: usize, to: usize) -> StageSet {
        self.reached[from].iter().filter(|third| self.reached[*third].contains(to)).collect()
    }

    /// Whether no set reaches itself.
    #[must_use]
    pub fn is_acyclic(&self) -> bool {
        !self.reached.iter().enumerate().any(|(own, reached)| reached.contains(own))
    }
}

impl Graph {
    /// Fills the tables of paths.
    pub(super) fn close(&mut self) {
        for found in self.dependences.iter().filter(|found| found.kind.orders()) {
            self.successors[found.source] = self.successors[found.source].with(found.sink);
            self.predecessors[found.sink] = self.predecessors[found.sink].with(found.source);
            let leaders = &mut self.leaders[found.sink];
            match leaders.iter_mut().find(|(source, _)| *source == found.source) {
                Some((_, distance)) => *distance = found.distance.max(*distance),
                None => leaders.push((found.source, found.distance)),
            }
        }
        for (number, stage) in self.stages.iter().enumerate() {
            let (readers, writers) = (&mut self.readers, &mut self.writers);
            let add = |set: &mut StageSet| *set = set.with(number);
            stage.reads.iter().for_each(|read| add(&mut readers[read.array]));
            stage.writes.iter().for_each(|write| add(&mut writers[write.array]));
        }
        // Dependences lead to higher numbers, so that those are complete.
        for stage in (0..self.stages.len()).rev() {
            let next = self.successors[stage];
            self.reached[stage] = next.iter().fold(next, |all, next| all | self.reached[next]);
        }
        for stage in 0..self.stages.len() {
            let last = self.predecessors[stage];
            self.reaching[stage] = last.iter().fold(last, |all, last| all | self.reaching[last]);
        }
    }

    /// Stages that directly depend on a stage.
    #[must_use]
    pub fn successors(&self, stage: usize) -> StageSet {
        self.successors[stage]
    }

    /// Stages that a stage directly depends on.
    #[must_use]
    pub fn predecessors(&self, stage: usize) -> StageSet {
        self.predecessors[stage]
    }

    /// Whether a path of dependences leads from one stage to another through a third: their
    /// transitive dependence.
    #[must_use]
    pub fn depends_transitively(&self, from: usize, to: usize) -> bool {
        self.successors[from].iter().any(|third| self.reached[third].contains(to))
    }

    /// Stages outside of a set that lie on a path between two stages of the set.
    #[must_use]
    pub fn between_members(&self, group: StageSet) -> StageSet {
        let after = group.iter().fold(StageSet::EMPTY, |all, stage| all | self.reached[stage]);
        let before = group.iter().fold(StageSet::EMPTY, |all, stage| all | self.reaching[stage]);
        (after & before).without(group)
    }

    /// Whether no path leads out of a set and back: one kernel can compute it.
    #[must_use]
    pub fn is_convex(&self, group: StageSet) -> bool {
        self.between_members(group).is_empty()
    }

    /// The sets in an order in which each depends on earlier ones only; none if there is a cycle
    /// between them. Of those that are next, the one with the lowest stage comes first.
    #[must_use]
    pub fn in_order(&self, groups: &[StageSet]) -> Option<Vec<StageSet>> {
        let mut open = groups.to_vec();
        open.sort_by_key(|group| group.first());
        let (mut done, mut ordered) = (StageSet::EMPTY, Vec::new());
        while !open.is_empty() {
            let next = open.iter().position(|group| self.is_next(done, *group))?;
            let group = open.remove(next);
            done = done | group;
            ordered.push(group);
        }
        Some(ordered)
    }

    /// Whether all that a set depends on is computed or a part of it.
    #[must_use]
    pub fn is_next(&self, done: StageSet, group: StageSet) -> bool {
        group.iter().all(|stage| self.predecessors[stage].is_subset(done | group))
    }

    /// Planes by which each stage of a kernel follows the first: as few as the dependences allow.
    #[must_use]
    pub fn shifts(&self, group: StageSet) -> Vec<(usize, i64)> {
        let mut shifts = vec![0; self.stages.len()];
        for sink in group.iter() {
            let leaders = self.leaders[sink].iter().filter(|(source, _)| group.contains(*source));
            let least = leaders.map(|(source, distance)| shifts[*source] + distance);
            shifts[sink] = least.fold(0, i64::max);
        }
        group.iter().map(|stage| (stage, shifts[stage])).collect()
    }
}
