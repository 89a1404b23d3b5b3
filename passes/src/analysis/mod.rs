//! Facts from IR. Nothing in here changes it.

pub mod alias;
pub mod domain;
pub mod footprint;
pub mod margins;
pub mod placement;
