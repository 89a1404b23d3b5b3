//! Plans of the mapping `thread`.

use super::{Common, Mapping, PlanKeys};
use std::ops::Deref;

/// A plan of the mapping `thread`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadPlan {
    /// What plans of all mappings decide.
    pub common: Common,
    /// Points of a thread that are neighbours along the fastest dimension; the others lie a block
    /// apart.
    pub vector: u32,
    /// A block that computes its points several times; none: once.
    pub march: Option<March>,
    /// Points before the domain where the first block starts along the fastest dimension;
    /// none: undecided, which means 0.
    pub alignment_offset: Option<u32>,
    /// Kernels that an apply is split into.
    pub splits: u32,
}

/// How a block goes along the slowest dimension, a step further each time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct March {
    /// How often it computes its points, more than once.
    pub steps: u32,
    /// Steps ahead of which it prefetches what it will read; 0: it does not.
    pub prefetch: u32,
}

impl PlanKeys {
    /// The plan of threads that these keys say.
    pub(super) fn thread(&self) -> ThreadPlan {
        let (steps, prefetch) = (self.block_steps, self.prefetch);
        ThreadPlan {
            common: self.common(),
            vector: self.vector,
            march: (steps > 1).then_some(March { steps, prefetch }),
            alignment_offset: self.alignment_offset,
            splits: self.splits,
        }
    }
}

impl From<&ThreadPlan> for PlanKeys {
    fn from(plan: &ThreadPlan) -> Self {
        Self {
            mapping: Mapping::Thread,
            vector: plan.vector,
            block_steps: plan.block_steps(),
            prefetch: plan.prefetch(),
            alignment_offset: plan.alignment_offset,
            splits: plan.splits,
            ..Self::from(&plan.common)
        }
    }
}

impl ThreadPlan {
    /// How often a block computes its points.
    pub fn block_steps(&self) -> u32 {
        self.march.map_or(1, |march| march.steps)
    }

    /// Steps ahead of which a block prefetches what it will read; 0: it does not.
    pub fn prefetch(&self) -> u32 {
        self.march.map_or(0, |march| march.prefetch)
    }

    /// Blocks that cover a domain of these extents, along each dimension, slowest first.
    ///
    /// # Panics
    /// If the plan has another rank than the domain; [`PlanKeys::check`] refuses that.
    pub fn grid(&self, domain: &[u64]) -> Vec<u64> {
        assert_eq!(self.threads.len(), domain.len(), "the plan has the rank of its domain");
        let block = |dimension| {
            let times = if dimension == 0 { self.block_steps() } else { 1 };
            u64::from(self.threads[dimension] * self.points_along(dimension)) * u64::from(times)
        };
        let offset = |dimension| {
            if dimension + 1 == domain.len() {
                self.alignment_offset.unwrap_or(0).into()
            } else {
                0
            }
        };
        let extents = domain.iter().enumerate();
        extents
            .map(|(dimension, extent)| (offset(dimension) + extent).div_ceil(block(dimension)))
            .collect()
    }
}

impl Deref for ThreadPlan {
    type Target = Common;

    fn deref(&self) -> &Common {
        &self.common
    }
}
