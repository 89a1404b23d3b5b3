//! How far the greedy fusion is from the cheapest partition.

use super::{Effort, GroupCost, Partition, partition};
use crate::{Graph, StageSet};
use std::fmt;

/// The cost of a given partition beside that of the cheapest one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The cost of the given partition; none if one of its kernels is impossible.
    pub given: Option<u64>,
    /// The cheapest partition that was found.
    pub best: Partition,
}

impl Gap {
    /// Compares a partition, as that of the greedy fusion; none if there is no partition at all.
    #[must_use]
    pub fn of(
        graph: &Graph,
        groups: &[StageSet],
        cost: &impl GroupCost,
        effort: Effort,
    ) -> Option<Self> {
        let costs = groups.iter().map(|group| cost.of(*group));
        let given = costs.sum::<Option<u64>>();
        let known = given.map(|_| groups.to_vec());
        let best = partition(graph, cost, known.as_slice(), effort)?;
        Some(Self { given, best })
    }

    /// By how much the given partition is dearer, in thousandths of the cheapest.
    #[must_use]
    pub fn per_mille(&self) -> Option<u64> {
        let more = u128::from(self.given?.checked_sub(self.best.cost)?);
        u64::try_from(more * 1000 / u128::from(self.best.cost.max(1))).ok()
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { given, best } = self;
        match (given, self.per_mille()) {
            (Some(given), Some(more)) => {
                let (percent, tenth) = (more / 10, more % 10);
                write!(f, "{given} against {}: {percent}.{tenth} % more", best.cost)?;
            }
            _ => write!(f, "impossible against {}", best.cost)?,
        }
        write!(f, " ({})", best.method)
    }
}
