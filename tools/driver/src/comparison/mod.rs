//! Programs and versions of a program beside each other: results after a pipeline, results of two
//! programs, and what several plans cost.

pub mod same_after;
pub mod same_as;
pub mod side_by_side;
