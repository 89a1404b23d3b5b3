//! Why a plan is no candidate for a sweep of several statements.

use std::fmt;
use stencil_model::sweep::estimate::Terms;

/// A number above its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exceeded {
    /// What the plan needs.
    pub needed: i64,
    /// The most that it may.
    pub most: i64,
}

/// Why a plan is no candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// Its tiles do not fit the domain, or its keys exclude each other.
    Untiled,
    /// Planes that iterations carry take too many registers.
    Carried(Exceeded),
    /// Values that are live at once do.
    Live(Exceeded),
    /// Rows that threads exchange take too much shared memory.
    Shared(Exceeded),
    /// Its loop makes too few time steps for a pair of sweeps.
    NoStep,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misfit::Untiled => write!(f, "its tiles do not fit the domain"),
            Misfit::Carried(Exceeded { needed, most }) => {
                write!(f, "planes take {needed} registers per thread, and may take {most}")
            }
            Misfit::Live(Exceeded { needed, most }) => {
                write!(f, "{needed} registers per thread are live at once, and {most} may be")
            }
            Misfit::Shared(Exceeded { needed, most }) => {
                write!(f, "a block takes {needed} bytes of shared memory, and may take {most}")
            }
            Misfit::NoStep => write!(f, "the loop makes too few time steps for a pair of sweeps"),
        }
    }
}

/// A limit that a plan exceeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Excess {
    /// Which, by how much.
    pub misfit: Misfit,
    /// Nanoseconds of a step, and what a step of the sweep takes, if nothing were limited.
    pub unlimited: Option<(f64, Terms)>,
}
