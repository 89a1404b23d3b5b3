//! Facts from IR. Nothing in here changes it.

pub mod alias;
pub mod footprint;
pub mod placement;
