//! How a program's domain is shared by devices.

use std::num::NonZeroU32;
use stencil_model::product::Network;

/// Devices that share a program's domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Devices {
    /// How many.
    pub count: NonZeroU32,
    /// Time steps between exchanges; none: chosen.
    pub steps: Option<NonZeroU32>,
    /// What connects them; none: the fastest that is known to.
    pub network: Option<Network>,
}

/// What is chosen of the exchanges between devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exchanges {
    /// Time steps between them; 0: the fewest.
    pub steps: u32,
    /// Whether what depends on no exchange is computed beside it.
    pub overlap: bool,
}

impl Default for Exchanges {
    fn default() -> Self {
        Exchanges { steps: 0, overlap: true }
    }
}
