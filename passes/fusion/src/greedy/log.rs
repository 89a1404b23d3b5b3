//! What the greedy fusion decided, and why.

use super::{Metrics, Rule};
use crate::{Excess, Graph, StageSet};
use std::fmt;

/// Why a pair was fused before others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// No other pair could be fused.
    Only,
    /// It was better than the second best one.
    Over {
        /// The second best one.
        stages: [StageSet; 2],
        /// The rule that decided; none if the numbers of the stages did.
        rule: Option<Rule>,
    },
}

/// A decision about two kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// They became one.
    Fused {
        /// Their stages.
        stages: [StageSet; 2],
        /// What was measured.
        metrics: Metrics,
        /// Why they did.
        choice: Choice,
    },
    /// They were the best pair, but cannot be one.
    Refused {
        /// Their stages.
        stages: [StageSet; 2],
        /// What was measured.
        metrics: Metrics,
        /// Why they cannot.
        why: Excess,
    },
}

/// Events as text, one a line.
pub struct Log<'a> {
    pub(super) graph: &'a Graph,
    pub(super) events: &'a [Event],
}

impl fmt::Display for Log<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let pair = |stages: &[StageSet; 2]| stages.map(|one| self.graph.names(one)).join(" and ");
        for event in self.events {
            match event {
                Event::Fused { stages, metrics, choice } => {
                    write!(f, "fuse {}: {metrics}, ", pair(stages))?;
                    match choice {
                        Choice::Only => writeln!(f, "the only pair")?,
                        Choice::Over { stages, rule: Some(rule) } => {
                            writeln!(f, "before {} by rule {}", pair(stages), rule.letter())?;
                        }
                        Choice::Over { stages, rule: None } => {
                            writeln!(f, "before {} by number", pair(stages))?;
                        }
                    }
                }
                Event::Refused { stages, metrics, why } => {
                    writeln!(f, "refuse {}: {metrics}, {}", pair(stages), why.text(self.graph))?;
                }
            }
        }
        Ok(())
    }
}
